//! The solids of a body, in the frame and unit of a search.
//!
//! A mesh is one solid. A compound has one for each of its parts. A convex part is the mesh of the polytope that the search by pieces would take. A
//! certificate uses one solid of each body, so an overlap that only the union of two parts contains needs smaller cells.
//!
//! Invariant: (H1) every solid is inside its body up to `slack`.

use crate::depth::pieces::visit_pieces;
use crate::math::rounding::ROUNDING;
use crate::math::{Frame, Pose};
use crate::narrow::meshes::nearest_to_point;
use crate::shape::mesh::DistanceField;
use crate::shape::{Mesh, Shape, Side};
use glam::DVec3;
use std::borrow::Cow;

/// A solid of a body.
#[derive(Debug)]
pub(super) struct PlacedSolid<'a> {
    pub mesh: Cow<'a, Mesh>,
    /// The number of the part of the body, as the library counts them.
    pub part: usize,
    /// From the frame of the mesh to that of the search, without its unit.
    pub frame: Frame,
    unit: f64,
    /// A bound on the distance of the surface, as it is computed, from where it is: in the unit of the mesh.
    pub slack: f64,
    /// Limit on the rounding error of a query point.
    rounding: f64,
}

/// The surface as seen from a point: a plane above which the signed depth does not rise, where the solid is convex.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Signed distance to the surface, positive inside.
    pub depth: f64,
    /// The direction in which the depth grows, a unit vector.
    pub rise: DVec3,
    /// The nearest triangle.
    pub triangle: u32,
}

impl<'a> PlacedSolid<'a> {
    fn new(mesh: Cow<'a, Mesh>, part: usize, frame: Frame, unit: f64, slack: f64) -> Self {
        let rounding = ROUNDING * (2.0 * mesh.bounding_radius() + frame.translation.length());
        let slack = slack + mesh.slack() + rounding;
        Self { mesh, part, frame, unit, slack, rounding }
    }

    /// A point of the search in the frame of the mesh.
    #[inline]
    pub fn local(&self, p: DVec3) -> DVec3 {
        self.frame.rotation.transpose() * (p / self.unit - self.frame.translation)
    }

    /// A point of the mesh in the frame of the search.
    #[inline]
    pub fn outward(&self, local: DVec3) -> DVec3 {
        self.frame.point(local) * self.unit
    }

    /// A length of the search in the unit of the mesh.
    #[inline]
    pub fn local_length(&self, length: f64) -> f64 {
        length / self.unit
    }

    /// A length of the mesh in the unit of the search.
    #[inline]
    pub fn length(&self, local: f64) -> f64 {
        local * self.unit
    }

    /// The frame of this mesh in that of another one, which is moved by x.
    pub fn frame_in(&self, other: &PlacedSolid<'_>, x: DVec3) -> Frame {
        let back = other.frame.rotation.transpose();
        let translation = self.frame.translation - x / self.unit - other.frame.translation;
        Frame { rotation: back * self.frame.rotation, translation: back * translation }
    }

    pub fn field(&self) -> &DistanceField {
        self.mesh.field()
    }

    /// The step of the distance grid.
    pub fn step(&self) -> f64 {
        self.field().step() * self.unit
    }

    /// How far it extends along a direction of the search.
    pub fn reach(&self, along: DVec3) -> f64 {
        let local = self.frame.rotation.transpose() * along;
        let height = |item: u32| {
            let [a, b, c] = self.mesh.corners(item).map(|corner| local.dot(corner));
            a.max(b).max(c)
        };
        let highest = self.mesh.tree().highest(local, height).map_or(0.0, |(_, height)| height);
        (highest + along.dot(self.frame.translation)) * self.unit
    }

    /// The signed depth at a point by the grid.
    #[inline]
    pub fn rough_depth(&self, p: DVec3) -> f64 {
        self.field().value(self.local(p)) * self.unit
    }

    /// The nearest point of the surface. `hint` is a triangle that was near before. Near the surface the side is exact; elsewhere it is that of the grid.
    pub fn look(&self, p: DVec3, hint: Option<u32>) -> Look {
        let local = self.local(p);
        let Ok(found) = nearest_to_point(&self.mesh, local, self.rounding, f64::INFINITY, hint) else {
            return Look { depth: f64::NEG_INFINITY, rise: DVec3::ZERO, triangle: 0 };
        };
        let (triangle, way, distance) = (found.triangles[0], local - found.point_a, found.distance);
        let is_inside = self.is_inside_by_grid(local, distance).unwrap_or_else(|| {
            self.is_inside_by_face(triangle, way).unwrap_or_else(|| self.mesh.side_of(local) == Side::Inside)
        });
        let sign = if is_inside { 1.0 } else { -1.0 };
        let rise = if distance > 8.0 * self.rounding {
            way * (sign / distance)
        } else {
            let [a, b, c] = self.mesh.corners(triangle);
            -(b - a).cross(c - a).normalize_or_zero()
        };
        Look { depth: sign * distance * self.unit, rise: self.frame.rotation * rise, triangle }
    }

    /// The side of a point at a distance from the surface, if only one of both agrees with the grid. A signed distance is 1-Lipschitz, so the grid is off
    /// by less than a step.
    fn is_inside_by_grid(&self, local: DVec3, distance: f64) -> Option<bool> {
        let (rough, step) = (self.field().value(local), self.field().step());
        let [fits_inside, fits_outside] = [distance, -distance].map(|depth| (rough - depth).abs() < step);
        (fits_inside != fits_outside).then_some(fits_inside)
    }

    /// The side of a point by the normal of the nearest triangle, if the surface winds around its solid once and the nearest point is within the face. `way`
    /// leads from there to the point.
    fn is_inside_by_face(&self, triangle: u32, way: DVec3) -> Option<bool> {
        let outward = self.field().outward?;
        let [a, b, c] = self.mesh.corners(triangle);
        let normal = (b - a).cross(c - a);
        let height = way.dot(normal);
        // Within a face the way is along the normal. Limit: 1e-6 of a square is far above rounding, and wide enough only for points next to an edge.
        let is_within = height * height > (1.0 - 1e-6) * way.length_squared() * normal.length_squared();
        is_within.then_some(height * outward < 0.0)
    }

    /// A proved lower bound of the depth of a point: zero if it is not proved to be inside.
    pub fn depth_at_least(&self, p: DVec3, hint: u32) -> f64 {
        let local = self.local(p);
        let lower = match nearest_to_point(&self.mesh, local, self.rounding, f64::INFINITY, Some(hint)) {
            Ok(found) => found.lower,
            Err(beyond) => beyond,
        };
        // Bound: three products are off by less than 4 ε.
        let depth = (lower - 2.0 * self.slack) * self.unit * (1.0 - 8.0 * f64::EPSILON);
        if depth > 0.0 && self.mesh.side_of(local) == Side::Inside { depth } else { 0.0 }
    }
}

/// The most solids of a body. Limit: every sample of each is rated at every place of a search.
const MOST_SOLIDS: usize = 64;

/// The solids of a shape; `frame` takes it to the frame of the search. None if there are too many, or no part has an interior.
pub(super) fn solids_of<'a>(shape: &'a Shape, frame: Frame, unit: f64) -> Vec<PlacedSolid<'a>> {
    let mut found = Vec::new();
    let mut add = |number: usize, part: &'a Shape, pose: Option<&Pose>, slack: f64| {
        let frame = pose.map_or(frame, |pose| {
            let own = Frame::relative(&Pose::IDENTITY, pose);
            Frame { rotation: frame.rotation * own.rotation, translation: frame.point(own.translation) }
        });
        match part {
            Shape::Mesh(mesh) if mesh.is_solid() => {
                found.push(PlacedSolid::new(Cow::Borrowed(&**mesh), number, frame, unit, slack));
            }
            Shape::Mesh(_) => {}
            _ => visit_pieces(part, &mut |piece| {
                let polytope = piece.polytope();
                let vertices: Vec<DVec3> = (0..polytope.vertex_count() as u32).map(|v| piece.vertex(v)).collect();
                let fan =
                    |ring: &[u32]| ring.windows(2).skip(1).map(|ends| [ring[0], ends[0], ends[1]]).collect::<Vec<_>>();
                let triangles: Vec<[u32; 3]> = polytope.faces().flat_map(|face| fan(face.vertices)).collect();
                if let Ok(mesh) = Mesh::new(&vertices, &triangles) {
                    // The faces of a polytope are flat up to rounding.
                    let slack = slack + piece.slack() + 64.0 * f64::EPSILON * polytope.bounding_radius();
                    found.push(PlacedSolid::new(Cow::Owned(mesh), number, frame, unit, slack));
                }
            }),
        }
    };
    match shape {
        Shape::Compound(compound) => {
            for (number, part) in compound.parts().iter().enumerate() {
                add(number, &part.shape, Some(&part.pose), part.slack());
            }
        }
        _ => add(0, shape, None, 0.0),
    }
    if found.len() > MOST_SOLIDS { Vec::new() } else { found }
}
