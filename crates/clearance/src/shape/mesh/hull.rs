//! The convex hull of a mesh, by its support mapping: the tree of the triangles finds the farthest vertex.

use super::Mesh;
use crate::shape::{Convex, SupportPoint};
use glam::DVec3;

/// The hull of a mesh, of which nothing is made: whatever separates it from something separates the mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeshHull<'a>(pub &'a Mesh);

impl Convex for MeshHull<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let mesh = self.0;
        let height = |triangle: u32| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.dot(direction));
            a.max(b).max(c)
        };
        let highest = mesh.tree.highest(direction, height);
        let corners = highest.map_or(mesh.triangles[0], |(triangle, _)| mesh.triangles[triangle as usize]);
        let of = |vertex: u32| mesh.vertices[vertex as usize];
        let higher = |one: u32, other: u32| if of(other).dot(direction) > of(one).dot(direction) { other } else { one };
        let vertex = corners[1..].iter().fold(corners[0], |best, &corner| higher(best, corner));
        SupportPoint { point: of(vertex), vertex }
    }

    fn bounding_radius(&self) -> f64 {
        self.0.bounding_radius
    }

    fn slack(&self) -> f64 {
        self.0.slack
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.0.vertices.get(vertex as usize).copied()
    }
}
