//! Convex polytopes as boundary representations: vertices, edges, polygonal faces and their Voronoi planes.
//!
//! A [`Polytope`] is immutable and comes from [`convex_hull`], which guarantees its
//! structure; [`Polytope::validate`] proves it again, independently and exactly.
//!
//! | dimension | is a | vertices | edges | faces |
//! |---|---|---|---|---|
//! | 0 | point | 1 | 0 | 0 |
//! | 1 | segment | 2 | 1 | 0 |
//! | 2 | flat polygon | n >= 3 | n | 2, front and back, which share all edges |
//! | 3 | solid | n >= 4 | m | 2 - n + m |
//!
//! **Voronoi regions.** A feature's region holds the points of space that are closer to it than to its neighbours.
//! Its planes are positive on the region's own side, as in V-Clip (Mirtich 1997):
//!
//! - vertex v: `(v - p)·u >= 0` for each incident edge with unit direction u away from v;
//! - edge from t to h with unit direction u: `(p - t)·u >= 0`, `(h - p)·u >= 0`, and for each of its faces the
//!   negative of that face's plane for the edge;
//! - face with normal n: `(p - t)·(n × u) >= 0` for each side, u along the loop: [`Face::sides`].

mod build;
#[doc(hidden)]
pub mod farthest;
mod tracking;
mod validate;

#[doc(hidden)]
pub use build::convex_hull;
#[doc(hidden)]
pub use tracking::TrackedEdge;
pub(crate) use tracking::{FEW_SIDES, FaceView};

use super::{Convex, Feature, SupportPoint, Symmetry};
use crate::math::{Aabb, Span};
use crate::shape::form::Form;
use farthest::SupportMap;
use glam::{DMat3, DVec3, Vec3A};

/// Stands for "no face" in the edge of a segment. Layout: face numbers are 32 bits, and no polytope has 2^32 - 1 faces.
pub const NO_FACE: u32 = u32::MAX;

/// An edge and the two faces that it bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The end of smaller vertex number.
    pub tail: u32,
    /// The end of larger vertex number.
    pub head: u32,
    /// The face in whose loop the edge runs from tail to head, or [`NO_FACE`].
    pub left: u32,
    /// The face in whose loop the edge runs from head to tail, or [`NO_FACE`].
    pub right: u32,
}

/// A plane through a side of a face, perpendicular to the face.
///
/// `normal·p - offset` is positive on the face's side. The offset carries the rounding of the side's distance from the
/// origin; `normal·(p - t)`, with t an end of the side, does not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SidePlane {
    /// Unit vector in the plane of the face, from the side towards the inside of the face.
    pub normal: DVec3,
    /// `normal·x` at the side.
    pub offset: f64,
}

/// A view of one face: a strictly convex polygon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face<'a> {
    /// Unit outward normal.
    pub normal: DVec3,
    /// The largest `normal·v` of the face's vertices, so that the plane supports the polytope to rounding.
    pub offset: f64,
    /// The corners, counter-clockwise seen from outside.
    pub vertices: &'a [u32],
    /// Edge `i` joins corner `i` to the next one.
    pub edges: &'a [u32],
    /// The Voronoi plane between the face and its edge `i`.
    pub sides: &'a [SidePlane],
}

/// A convex polytope: a point, a segment, a flat polygon or a solid. Immutable.
///
/// Vertices, edges and faces are numbered from zero: vertices in the order of the input ([`Polytope::source`] has their numbers there),
/// edges by tail, then head, faces in an order that depends on the positions only. A flat polygon has its front and its back as
/// faces 0 and 1. [`Feature`]s of answers have these numbers. Methods that take a number panic if it is out of range.
#[derive(Debug, Clone, PartialEq)]
pub struct Polytope {
    dimension: usize,
    vertices: Vec<DVec3>,
    source: Vec<u32>,
    edges: Vec<Edge>,
    edge_directions: Vec<DVec3>,
    edge_lengths: Vec<f64>,
    face_normals: Vec<DVec3>,
    face_offsets: Vec<f64>,
    /// Loop of face f: positions `loop_starts[f]..loop_starts[f + 1]` of the next three lists.
    loop_starts: Vec<u32>,
    loop_vertices: Vec<u32>,
    loop_edges: Vec<u32>,
    loop_sides: Vec<SidePlane>,
    /// Star of vertex v: positions `star_starts[v]..star_starts[v + 1]` of the next two lists.
    star_starts: Vec<u32>,
    star_edges: Vec<u32>,
    star_neighbors: Vec<u32>,
    tracking: tracking::Tracking,
    center: DVec3,
    inner_radius: f64,
    bounding_radius: f64,
    semi_axes: DVec3,
    aabb: Aabb,
    support: SupportMap,
}

impl Polytope {
    /// 0 for a point, 1 for a segment, 2 for a flat polygon, 3 for a solid.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The positions of all vertices.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The position of a vertex.
    #[must_use]
    pub fn vertex(&self, v: u32) -> DVec3 {
        self.vertices[v as usize]
    }

    /// The index of a vertex in the list of points that the polytope was made from.
    #[must_use]
    pub fn source(&self, v: u32) -> u32 {
        self.source[v as usize]
    }

    /// How many vertices there are.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// How many edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// How many faces there are.
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.face_normals.len()
    }

    /// All edges, in the order of their numbers.
    ///
    /// ```
    /// use clearance::Shape;
    ///
    /// let square = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])?;
    /// let polytope = square.as_polytope().expect("a hull");
    /// let ends: Vec<[u32; 2]> = polytope.edges().map(|edge| [edge.tail, edge.head]).collect();
    /// assert_eq!(ends, [[0, 1], [0, 3], [1, 2], [2, 3]]);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn edges(&self) -> impl ExactSizeIterator<Item = Edge> {
        self.edges.iter().copied()
    }

    /// All faces, in the order of their numbers.
    ///
    /// ```
    /// use clearance::Shape;
    ///
    /// let corner = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
    /// let polytope = corner.as_polytope().expect("a hull");
    /// for (number, face) in polytope.faces().enumerate() {
    ///     assert_eq!(face, polytope.face(number as u32));
    ///     let corners = face.vertices.iter().map(|&v| polytope.vertex(v));
    ///     assert!(corners.map(|p| face.normal.dot(p) - face.offset).all(|height| height.abs() < 1e-15));
    /// }
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn faces(&self) -> impl ExactSizeIterator<Item = Face<'_>> {
        (0..self.face_count() as u32).map(|f| self.face(f))
    }

    /// An edge: its ends and its faces.
    #[must_use]
    pub fn edge(&self, e: u32) -> Edge {
        self.edges[e as usize]
    }

    /// The unit direction of an edge, from tail to head.
    #[must_use]
    pub fn edge_direction(&self, e: u32) -> DVec3 {
        self.edge_directions[e as usize]
    }

    /// The length of an edge.
    #[must_use]
    pub fn edge_length(&self, e: u32) -> f64 {
        self.edge_lengths[e as usize]
    }

    /// A face: its plane, its loops and its Voronoi planes.
    #[must_use]
    pub fn face(&self, f: u32) -> Face<'_> {
        let range = self.loop_starts[f as usize] as usize..self.loop_starts[f as usize + 1] as usize;
        Face {
            normal: self.face_normals[f as usize],
            offset: self.face_offsets[f as usize],
            vertices: &self.loop_vertices[range.clone()],
            edges: &self.loop_edges[range.clone()],
            sides: &self.loop_sides[range],
        }
    }

    /// The unit normals and offsets of all faces.
    #[inline(always)]
    pub(crate) fn planes(&self) -> (&[DVec3], &[f64]) {
        (&self.face_normals, &self.face_offsets)
    }

    /// The edges at a vertex, in the order of [`Polytope::neighbors`].
    #[must_use]
    pub fn vertex_edges(&self, v: u32) -> &[u32] {
        &self.star_edges[self.star_starts[v as usize] as usize..self.star_starts[v as usize + 1] as usize]
    }

    /// The vertices that an edge joins to a vertex, counter-clockwise seen from outside (for a solid).
    #[must_use]
    pub fn neighbors(&self, v: u32) -> &[u32] {
        &self.star_neighbors[self.star_starts[v as usize] as usize..self.star_starts[v as usize + 1] as usize]
    }

    /// The faces at a vertex, each once. Face `i` follows edge `i` of [`Polytope::vertex_edges`] counter-clockwise.
    /// Empty for a point and a segment.
    pub fn vertex_faces(&self, v: u32) -> impl Iterator<Item = u32> {
        let faces = self.vertex_edges(v).iter().map(move |&e| {
            let edge = self.edge(e);
            if edge.tail == v { edge.left } else { edge.right }
        });
        faces.filter(|&f| f != NO_FACE)
    }

    /// The smallest feature that contains the given vertices: one to three, repeats allowed.
    ///
    /// A vertex, or an edge between two vertices, or a face around all of them. Where no face contains all, which
    /// happens for points of a simplex that cuts through the polytope, and for an empty list, nothing can be named: that is
    /// [`Feature::Surface`].
    #[must_use]
    pub fn feature(&self, vertices: &[u32]) -> Feature {
        let Some(&first) = vertices.first() else {
            return Feature::Surface;
        };
        let Some(&second) = vertices.iter().find(|&&v| v != first) else {
            return Feature::Vertex(first);
        };
        if vertices.iter().all(|&v| v == first || v == second) {
            // A vertex may have very many edges: look from the end that has fewer.
            let (from, to) = if self.neighbors(first).len() <= self.neighbors(second).len() {
                (first, second)
            } else {
                (second, first)
            };
            if let Some(i) = self.neighbors(from).iter().position(|&v| v == to) {
                return Feature::Edge(self.vertex_edges(from)[i]);
            }
        }
        let contains_all = |&f: &u32| {
            let corners = self.face(f).vertices;
            vertices.iter().all(|v| corners.contains(v))
        };
        self.vertex_faces(first).find(contains_all).map_or(Feature::Surface, Feature::Face)
    }

    /// The average of the vertices: inside, to rounding.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The radius of a ball about the center that is surely inside.
    fn ball_inside(&self) -> f64 {
        if self.dimension < 3 {
            return 0.0;
        }
        let below = |(normal, offset): (&DVec3, &f64)| offset - normal.dot(self.center);
        let nearest = self.face_normals.iter().zip(&self.face_offsets).map(below).fold(f64::INFINITY, f64::min);
        // The planes, the center and this are off by a few roundings of the bounding radius each.
        (nearest - 32.0 * f64::EPSILON * self.bounding_radius).max(0.0)
    }

    /// An ellipsoid around all vertices: the box's half extents, blown up until the farthest vertex is inside; or the ball, if
    /// that is smaller.
    fn ellipsoid_around(&self) -> DVec3 {
        let extents = self.aabb.min.abs().max(self.aabb.max.abs());
        // A vertex has no extent where none has: nothing is divided by zero then.
        let inverse = DVec3::from_array(extents.to_array().map(|e| if e > 0.0 { 1.0 / e } else { 0.0 }));
        let farthest = self.vertices.iter().fold(0.0, |most: f64, v| most.max((*v * inverse).length_squared()));
        // A few roundings, generously.
        let axes = extents * (farthest.sqrt() * (1.0 + 1e-14));
        // Written so that what is too small to be inverted has the ball.
        if axes.length_squared() < 3.0 * self.bounding_radius * self.bounding_radius {
            axes
        } else {
            DVec3::splat(self.bounding_radius)
        }
    }

    /// The largest distance of a vertex from the local origin, to rounding.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The least height of the planes of the faces above a point: how deep it is inside. Of points outside, some height that is not positive.
    pub(crate) fn depth_of_point(&self, p: DVec3) -> f64 {
        let mut least = f64::INFINITY;
        for (normal, offset) in self.face_normals.iter().zip(&self.face_offsets) {
            let depth = offset - normal.dot(p);
            // Written so that a NaN is not inside.
            if !(depth > 0.0) {
                return depth;
            }
            least = least.min(depth);
        }
        least
    }

    /// How far the vertices reach along the rows of a matrix, and against them.
    #[inline]
    pub(super) fn span(&self, rows: &DMat3) -> Span {
        self.support.span(&self.vertices, rows)
    }

    /// [`Self::span`], but for a part of the bounding radius that comes with it.
    #[inline(always)]
    pub(super) fn loose_span(&self, rows: &DMat3) -> (Span, f64) {
        self.support.loose_span(&self.vertices, rows, self.bounding_radius)
    }

    /// The box around the vertices.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }
}

impl Convex for Polytope {
    #[inline(always)]
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn form(&self) -> Option<Form> {
        Form::hull(self.vertices.iter().copied())
    }

    fn symmetry(&self) -> Symmetry {
        match *self.vertices {
            [point] => Symmetry::Ball { center: point },
            [point, end] => Symmetry::of_segment(point, end),
            _ => Symmetry::None,
        }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    #[inline]
    fn semi_axes(&self) -> DVec3 {
        self.semi_axes
    }

    #[inline(always)]
    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let vertex = self.support.farthest(&self.vertices, direction);
        SupportPoint { point: self.vertices[vertex as usize], vertex }
    }

    #[inline]
    fn height(&self, direction: DVec3) -> f64 {
        self.support.height(&self.vertices, direction)
    }

    #[inline]
    fn spread(&self) -> Option<&glam::Mat3A> {
        self.support.spread()
    }

    #[inline(always)]
    fn support_f32(&self, direction: Vec3A) -> (Vec3A, u32) {
        self.support.farthest_f32(direction)
    }

    #[inline]
    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.vertices.get(vertex as usize).copied()
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        Self::feature(self, vertices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::polytope::convex_hull;

    /// Vertex i has the bits of i as coordinates.
    fn cube() -> Polytope {
        let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|axis| f64::from(i >> axis & 1)));
        convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_cube_has_the_numbers_of_a_cube() {
        let cube = cube();
        assert_eq!((cube.dimension(), cube.vertex_count(), cube.edge_count(), cube.face_count()), (3, 8, 12, 6));
        assert_eq!(cube.center(), DVec3::splat(0.5));
        assert_eq!(cube.bounding_radius(), 3.0_f64.sqrt());
        assert_eq!(cube.aabb(), Aabb { min: DVec3::ZERO, max: DVec3::ONE });
        for f in 0..6 {
            let face = cube.face(f);
            assert_eq!((face.vertices.len(), face.normal.abs().max_element(), face.normal.length()), (4, 1.0, 1.0));
            assert_eq!(face.offset, face.normal.max_element().max(0.0));
            let middle = face.vertices.iter().map(|&v| cube.vertex(v)).sum::<DVec3>() / 4.0;
            assert!(face.sides.iter().all(|side| side.normal.dot(middle) - side.offset == 0.5));
        }
        assert_eq!(cube.neighbors(0).len(), 3);
        assert_eq!(cube.vertex_faces(7).count(), 3);
    }

    #[test]
    fn neighbors_turn_counter_clockwise_seen_from_outside() {
        let cube = cube();
        for v in 0..8 {
            let [a, b, c] = [0, 1, 2].map(|i| cube.vertex(cube.neighbors(v)[i]) - cube.center());
            assert!(a.cross(b).dot(c) > 0.0);
            for (f, e) in cube.vertex_faces(v).zip(cube.vertex_edges(v)) {
                let face = cube.face(f);
                let place = face.vertices.iter().position(|&x| x == v).unwrap();
                assert_eq!(face.edges[place], *e);
            }
        }
    }

    #[test]
    fn features_are_the_smallest_that_contain_the_vertices() {
        let cube = cube();
        assert_eq!(cube.feature(&[]), Feature::Surface);
        assert_eq!(cube.feature(&[3, 3, 3]), Feature::Vertex(3));
        let Feature::Edge(e) = cube.feature(&[5, 4, 5]) else { panic!("4 and 5 are joined") };
        assert_eq!((cube.edge(e).tail, cube.edge(e).head), (4, 5));
        for around in [&[0, 3][..], &[0, 1, 2], &[2, 1, 0]] {
            let Feature::Face(f) = cube.feature(around) else { panic!("on the face z = 0") };
            assert_eq!(cube.face(f).normal, -DVec3::Z);
        }
        assert_eq!(cube.feature(&[7, 0]), Feature::Surface, "opposite corners have no face in common");
    }

    /// The closest point of each feature whose Voronoi planes are all positive at p.
    fn claims(polytope: &Polytope, p: DVec3) -> Vec<(Feature, DVec3)> {
        let mut claims = Vec::new();
        let side_value = |f: u32, e: u32| {
            let face = polytope.face(f);
            let side = face.sides[face.edges.iter().position(|&x| x == e).unwrap()];
            side.normal.dot(p) - side.offset
        };
        for (v, &at) in (0..).zip(polytope.vertices()) {
            let away = |&e: &u32| {
                let direction = polytope.edge_direction(e);
                if polytope.edge(e).tail == v { direction } else { -direction }
            };
            if polytope.vertex_edges(v).iter().all(|e| (at - p).dot(away(e)) >= 0.0) {
                claims.push((Feature::Vertex(v), at));
            }
        }
        for e in 0..polytope.edge_count() as u32 {
            let (Edge { tail, head, left, right }, u) = (polytope.edge(e), polytope.edge_direction(e));
            let (tail, head) = (polytope.vertex(tail), polytope.vertex(head));
            let beside = [left, right].iter().all(|&f| f == NO_FACE || side_value(f, e) <= 0.0);
            if (p - tail).dot(u) >= 0.0 && (head - p).dot(u) >= 0.0 && beside {
                claims.push((Feature::Edge(e), tail + (p - tail).dot(u) * u));
            }
        }
        for f in 0..polytope.face_count() as u32 {
            let face = polytope.face(f);
            let height = face.normal.dot(p) - face.offset;
            if height > 0.0 && face.sides.iter().all(|side| side.normal.dot(p) - side.offset >= 0.0) {
                claims.push((Feature::Face(f), p - height * face.normal));
            }
        }
        claims
    }

    #[test]
    fn a_point_outside_is_in_one_voronoi_region_and_that_feature_is_the_closest() {
        let mut rng = fastrand::Rng::with_seed(6);
        let mut kinds = [0; 3];
        for round in 0..60 {
            let mut random = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let n = [8, 8, 30, 3, 2, 1][round % 6];
            let flatten = if round % 12 == 1 { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
            let body = convex_hull(&(0..n).map(|_| random(1.0) * flatten).collect::<Vec<_>>()).unwrap();
            for _ in 0..50 {
                let p = random(1.6);
                let [(feature, closest)] = claims(&body, p)[..] else {
                    let inside = body.dimension() == 3
                        && (0..body.face_count() as u32).all(|f| body.face(f).normal.dot(p) <= body.face(f).offset);
                    assert!(inside, "{p} is in no region or in several");
                    continue;
                };
                kinds[match feature {
                    Feature::Vertex(_) => 0,
                    Feature::Edge(_) => 1,
                    _ => 2,
                }] += 1;
                // The plane across the shortest way has the whole body on its far side: nothing is closer.
                let away = (p - closest).normalize();
                assert!(body.vertices().iter().all(|&v| away.dot(v - closest) <= 1e-13));
            }
        }
        assert!(kinds.iter().all(|&count| count > 200), "representative: {kinds:?}");
    }

    #[test]
    fn thin_shapes_answer_for_what_they_have() {
        let point = convex_hull(&[DVec3::Y]).unwrap();
        assert_eq!((point.dimension(), point.feature(&[0]), point.neighbors(0).len()), (0, Feature::Vertex(0), 0));
        let segment = convex_hull(&[DVec3::Y, DVec3::ZERO]).unwrap();
        assert_eq!((segment.dimension(), segment.feature(&[1, 0])), (1, Feature::Edge(0)));
        assert_eq!(segment.edge(0), Edge { tail: 0, head: 1, left: NO_FACE, right: NO_FACE });
        assert_eq!((segment.edge_direction(0), segment.edge_length(0)), (-DVec3::Y, 1.0));
        let triangle = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
        assert_eq!((triangle.dimension(), triangle.edge_count(), triangle.face_count()), (2, 3, 2));
        assert_eq!(triangle.face(0).normal, -triangle.face(1).normal);
        assert!(matches!(triangle.feature(&[2, 0, 1]), Feature::Face(_)));
    }
}
