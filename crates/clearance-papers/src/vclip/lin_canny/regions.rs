//! Is a point in the Voronoi region of a feature, and if not, which neighbour is beyond the plane it violates most?
//!
//! Planes are *flared*: turned by a small angle about the feature at which two regions meet, in favour of the feature of higher dimension. Let o be
//! the outward direction of an edge (the bisector of its faces' normals), u the direction along it, n the normal of a face and c the direction in it
//! from a side to its inside. A point is in the region of
//!
//! * a vertex v if `-u·(p - v) - φ o·(p - v) >= 0` for each edge at it (u away from v),
//! * an edge if `u·(p - t) + φ o·(p - t) >= 0` and the same at its head, and `-c·(p - t) - φ n·(p - t) >= 0` for its faces,
//! * a face if `c·(p - t) + φ n·(p - t) >= 0` for each side,
//!
//! each with the exception of sticky planes. (The sine of φ is φ, and its cosine one, to ten digits.)

use super::{PointMarch, Tally, View};
use clearance::internals::TrackedEdge;
use clearance::math::DVec3;
use clearance::shape::{Feature, Polytope};

/// The plane that is violated most so far.
struct Worst {
    value: f64,
    beyond: Option<Feature>,
    /// True if planes without flare and stickiness agree.
    is_plain: bool,
}

impl Worst {
    /// Points up to this far beyond a plane are still in the region.
    fn new(sticky: f64) -> Self {
        Self { value: -sticky, beyond: None, is_plain: true }
    }

    /// One more plane: its flared value and its plain one.
    fn plane(&mut self, value: f64, plain: f64, beyond: Feature) {
        if value < self.value {
            (self.value, self.beyond, self.is_plain) = (value, Some(beyond), plain < 0.0);
        } else if self.beyond.is_none() && plain < 0.0 {
            self.is_plain = false;
        }
    }
}

impl<K: Tally> PointMarch<'_, K> {
    fn beyond(&mut self, worst: &Worst) -> Option<Feature> {
        *self.decisions += u64::from(!worst.is_plain);
        worst.beyond
    }

    /// The edge beyond which a point of the frame of Y lies, seen from a vertex of Y; none if it is in the vertex region.
    pub(super) fn beyond_vertex(&mut self, view: &View<'_>, v: u32, p: DVec3) -> Option<Feature> {
        let y = view.y;
        let d = p - y.vertex(v);
        let directions = y.star_directions(v).unwrap_or_default();
        self.tally.planes(directions.len());
        self.tally.flops(3);
        // Planes that are farther away than this are not violated, whatever their flare.
        let band = self.tolerances.vertex_flare * d.length();
        let mut worst = Worst::new(self.tolerances.sticky * view.size);
        for (i, u) in directions.iter().enumerate() {
            let plain = -u.dot(d);
            if plain <= band {
                let e = y.vertex_edges(v)[i];
                let outward = y.tracked_edge(e).map_or(DVec3::ZERO, |edge| outward(y, edge));
                worst.plane(plain - self.tolerances.vertex_flare * outward.dot(d), plain, Feature::Edge(e));
            }
        }
        self.beyond(&worst)
    }

    /// The end or face of an edge beyond which a point lies; none if it is in the edge's region.
    pub(super) fn beyond_edge(&mut self, view: &View<'_>, edge: &TrackedEdge, p: DVec3) -> Option<Feature> {
        let y = view.y;
        let r = p - edge.tail;
        let along = r.dot(edge.direction);
        self.tally.planes(2);
        self.tally.flops(3);
        let mut worst = Worst::new(self.tolerances.sticky * view.size);
        let band = self.tolerances.edge_vertex_flare * (r.length() + edge.length);
        if along <= band || edge.length - along <= band {
            let lift = self.tolerances.edge_vertex_flare * outward(y, edge).dot(r);
            worst.plane(along + lift, along, Feature::Vertex(edge.ends.tail));
            worst.plane(edge.length - along + lift, edge.length - along, Feature::Vertex(edge.ends.head));
        }
        if let Some(sides) = edge.sides() {
            self.tally.planes(2);
            for (side, f) in sides.iter().zip([edge.ends.left, edge.ends.right]) {
                let plain = -side.dot(r);
                let height = y.face_plane(f).map_or(0.0, |(normal, _)| normal.dot(r));
                worst.plane(plain - self.tolerances.edge_face_flare * height, plain, Feature::Face(f));
            }
        }
        self.beyond(&worst)
    }

    /// The side of a face beyond which a point lies; none if it is above or below the face.
    pub(super) fn beyond_face(&mut self, view: &View<'_>, f: u32, p: DVec3) -> Option<Feature> {
        let face = view.y.face(f);
        let height = face.normal.dot(p) - face.offset;
        self.tally.planes(face.sides.len());
        let mut worst = Worst::new(self.tolerances.sticky * view.size);
        for (side, &e) in face.sides.iter().zip(face.edges) {
            let plain = side.normal.dot(p) - side.offset;
            worst.plane(plain + self.tolerances.face_flare * height, plain, Feature::Edge(e));
        }
        self.beyond(&worst)
    }

    /// True if a point is above or below a face. Without stickiness, as in the comparison of edges and faces with its sides.
    pub(super) fn is_over(&mut self, y: &Polytope, f: u32, p: DVec3) -> bool {
        let face = y.face(f);
        let lift = self.tolerances.face_flare * (face.normal.dot(p) - face.offset);
        for (planes, side) in (1..).zip(face.sides) {
            if side.normal.dot(p) - side.offset + lift < 0.0 {
                self.tally.planes(planes);
                return false;
            }
        }
        self.tally.planes(face.sides.len());
        true
    }
}

/// The outward direction of an edge: the bisector of the normals of its faces. For faces almost back to back that is the
/// bisector of the directions away from their insides, and the sum of the four vectors is never short.
fn outward(y: &Polytope, edge: &TrackedEdge) -> DVec3 {
    let Some([left, right]) = edge.sides() else { return DVec3::ZERO };
    let normal = |f: u32| y.face_plane(f).map_or(DVec3::ZERO, |(normal, _)| normal);
    (normal(edge.ends.left) + normal(edge.ends.right) - left - right).normalize_or_zero()
}
