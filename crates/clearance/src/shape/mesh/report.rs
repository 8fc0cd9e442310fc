//! Faults of a mesh, by count and place.

use super::topology::for_each_edge;
use super::{Mesh, crossing};
use crate::math::exact;
use rustc_hash::FxHashMap;

/// How often something was found, and where first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places<T> {
    /// How often.
    pub count: usize,
    /// The first of them, no more than [`Places::MOST`].
    pub first: Vec<T>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { count: 0, first: Vec::new() }
    }
}

impl<T> Places<T> {
    /// Places that are listed, at most. Limit: a report is read by people; the count is complete.
    pub const MOST: usize = 16;

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn push(&mut self, place: T) {
        self.count += 1;
        if self.first.len() < Self::MOST {
            self.first.push(place);
        }
    }
}

/// Report of a mesh. Edges are two numbers of vertices, the smaller first; triangles and vertices are numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Edges of one triangle only: the surface has a border there.
    pub open_edges: Places<[u32; 2]>,
    /// Edges of more than two triangles.
    pub non_manifold_edges: Places<[u32; 2]>,
    /// Edges of which two triangles see the same side: one of them is turned over.
    pub flipped_edges: Places<[u32; 2]>,
    /// Triangles without an area: two corners are the same, or all three are in a line.
    pub degenerate_triangles: Places<u32>,
    /// Triangles with the corners of another one.
    pub duplicate_triangles: Places<u32>,
    /// Pairs of triangles that meet elsewhere than in the vertices and edges that they share.
    pub crossing_triangles: Places<[u32; 2]>,
    /// Did the search for those end early, since too many triangles lie in one place? Then there may be more.
    pub may_cross_more: bool,
    /// Vertices that no triangle uses.
    pub unused_vertices: Places<u32>,
    /// Edges that are run through more often one way than the other: open, or flipped. Without any, the mesh is closed.
    pub unbalanced_edges: usize,
    /// Is a solid inside out: is its volume negative?
    pub is_inside_out: bool,
}

impl MeshReport {
    /// Is the surface closed and consistently oriented?
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.unbalanced_edges == 0
    }

    /// Is nothing wrong at all? (Vertices that are not used are no fault.)
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.is_closed()
            && !self.is_inside_out
            && self.open_edges.is_empty()
            && self.non_manifold_edges.is_empty()
            && self.flipped_edges.is_empty()
            && self.degenerate_triangles.is_empty()
            && self.duplicate_triangles.is_empty()
            && self.crossing_triangles.is_empty()
            && !self.may_cross_more
    }

    pub(super) fn of(mesh: &Mesh) -> Self {
        let mut report = Self::default();
        report.look_at_edges(mesh);
        report.look_at_triangles(mesh);
        report.may_cross_more = !crossing::self_crossings(mesh, &mut report.crossing_triangles);
        let mut is_used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&corner| is_used[corner as usize] = true);
        let unused = is_used.iter().enumerate().filter(|(_, is_used)| !**is_used);
        unused.for_each(|(vertex, _)| report.unused_vertices.push(vertex as u32));
        report.is_inside_out = report.is_closed() && mesh.scaled_volume() < 0.0;
        report
    }

    fn look_at_edges(&mut self, mesh: &Mesh) {
        for_each_edge(mesh, |edge, [forth, back]| {
            if forth + back == 1 {
                self.open_edges.push(edge);
            } else if forth + back > 2 {
                self.non_manifold_edges.push(edge);
            }
            if forth + back > 1 && back != forth {
                self.flipped_edges.push(edge);
            }
            self.unbalanced_edges += usize::from(back != forth);
        });
    }

    fn look_at_triangles(&mut self, mesh: &Mesh) {
        let mut seen = FxHashMap::default();
        for (i, triangle) in mesh.triangles().iter().enumerate() {
            let [a, b, c] = mesh.scaled_corners(i as u32);
            if exact::widest_projection(a, b, c).is_none() {
                self.degenerate_triangles.push(i as u32);
            }
            let mut corners = *triangle;
            corners.sort_unstable();
            if seen.insert(corners, i).is_some() {
                self.duplicate_triangles.push(i as u32);
            }
        }
    }
}
