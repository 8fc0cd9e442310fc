//! The four states a walk can end in: vertex-vertex, vertex-edge, vertex-face, edge-edge.
//!
//! Each looks at its pair once: either a Voronoi plane is violated and names the next pair, or none is and the closest
//! points are those of the two polytopes (theorem 1 of the paper). The arithmetic of the plane tests is at the same
//! time the proof of the lower bound, see [`Near::strict`].

use super::faces::{is_above, outside_of};
use super::{Near, Step, Tally, Walker};
use crate::shape::polytope::{FEW_SIDES, TrackedEdge};
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// A bound on the error of a scalar product of a stored unit vector with a vector no longer than 1.
///
/// Directions of edges are right to 4 ε. Normals of faces, and so those of their sides, are right to 25 ε (the triangle
/// they are made from has an angle of at least 0.1 or is computed exactly). Their scalar product rounds by 2 ε more.
pub(super) const UNIT_MARGIN: f64 = 64.0 * f64::EPSILON;

/// What makes an arrow to a feature of higher dimension worth going, as a part of the margin. The same stored vector decides
/// on the way there and on the way back, so its own error does not matter, only that of the products.
pub(super) const WORTHWHILE: f64 = 0.125;

/// Edges whose sine is smaller than the root of this are left to clipping, which does not divide by it.
pub(super) const PARALLEL: f64 = 1e-4;

/// One polytope as the other sees it: X has the vertex, Y the feature it is held against. Calculations are in the frame of
/// Y, which is A unless `SWAPPED`.
impl<'a, K: Tally> Walker<'a, K> {
    #[inline(always)]
    fn x<const SWAPPED: bool>(&self) -> &'a Polytope {
        if SWAPPED { self.a } else { self.b }
    }

    #[inline(always)]
    fn y<const SWAPPED: bool>(&self) -> &'a Polytope {
        if SWAPPED { self.b } else { self.a }
    }

    /// The same for a difference of points of A and B. No such vector is longer than the scale of the pair, of which the
    /// rounding is 32 ε.
    #[inline(always)]
    fn margin(&self) -> f64 {
        2.0 * self.rounding
    }

    /// A point of X in the frame of Y.
    #[inline(always)]
    pub(super) fn point_in_y<const SWAPPED: bool>(&mut self, point: DVec3) -> DVec3 {
        self.tally.dots(3);
        self.tally.flops(3);
        if SWAPPED { self.b_in_a.direction_in_b(point - self.b_in_a.translation) } else { self.b_in_a.point(point) }
    }

    /// A direction of Y in the frame of X.
    #[inline(always)]
    pub(super) fn direction_in_x<const SWAPPED: bool>(&mut self, direction: DVec3) -> DVec3 {
        self.tally.dots(3);
        if SWAPPED { self.b_in_a.rotation * direction } else { self.b_in_a.direction_in_b(direction) }
    }

    /// Algorithm 4.
    #[inline(always)]
    pub(super) fn vertex_vertex(&mut self, a: u32, b: u32, near: &mut Near) -> Step {
        let (Some(&point_a), Some(&point_b)) = (self.a.vertices().get(a as usize), self.b.vertices().get(b as usize))
        else {
            return Step::Stale;
        };
        let d = self.point_in_y::<false>(point_b) - point_a;
        let margin = self.margin();
        let mut strict = true;
        match uphill(self.a, a, d, margin, self.tally) {
            Uphill::Nowhere => {}
            Uphill::Unclear => strict = false,
            Uphill::To(next) => return Step::go([next, Feature::Vertex(b)]),
        }
        let back = self.direction_in_x::<false>(-d);
        match uphill(self.b, b, back, margin, self.tally) {
            Uphill::Nowhere => {}
            Uphill::Unclear => strict = false,
            Uphill::To(next) => return Step::go([Feature::Vertex(a), next]),
        }
        self.tally.dots(1);
        self.tally.flops(12);
        let (length, inverse) = length_and_inverse(d);
        *near =
            Near { core_a: point_a, normal: d * inverse, length, most: length, slack: 0.0, strict, ..Near::default() };
        Step::Done
    }

    /// Algorithm 5. The closest point of the edge is one projection, so the vertex region is tested with that point and
    /// the edge need not be clipped: half the work of the paper's way, and as safe, for nothing is divided.
    #[inline(always)]
    pub(super) fn vertex_edge<const SWAPPED: bool>(&mut self, v: u32, e: u32, near: &mut Near) -> Step {
        let (x, y) = (self.x::<SWAPPED>(), self.y::<SWAPPED>());
        let (Some(&vertex), Some(edge)) = (x.vertices().get(v as usize), y.tracked_edge(e)) else { return Step::Stale };
        let p = self.point_in_y::<SWAPPED>(vertex);
        let go = |x: Feature, y: Feature| Step::go(if SWAPPED { [x, y] } else { [y, x] });
        let r = p - edge.tail;
        let along = r.dot(edge.direction);
        self.tally.planes(2);
        // The planes of the ends first: beyond them, those of the faces mean nothing.
        if along < 0.0 {
            return go(Feature::Vertex(v), Feature::Vertex(edge.ends.tail));
        }
        if along > edge.length {
            return go(Feature::Vertex(v), Feature::Vertex(edge.ends.head));
        }
        let d = r - along * edge.direction;
        self.tally.flops(6);
        let margin = self.margin();
        let mut strict = true;
        if let Some([left, right]) = edge.sides() {
            let (left, right) = (left.dot(d), right.dot(d));
            self.tally.planes(2);
            if left > -margin || right > -margin {
                if left.max(right) > WORTHWHILE * margin {
                    let face = if left >= right { edge.ends.left } else { edge.ends.right };
                    self.side = if left >= right { edge.places[0] } else { edge.places[1] };
                    return go(Feature::Vertex(v), Feature::Face(face));
                }
                strict = false;
            }
        }
        let back = self.direction_in_x::<SWAPPED>(-d);
        match uphill(x, v, back, margin, self.tally) {
            Uphill::Nowhere => {}
            Uphill::Unclear => strict = false,
            Uphill::To(next) => return go(next, Feature::Edge(e)),
        }
        self.tally.dots(2);
        self.tally.flops(18);
        let (length, inverse) = length_and_inverse(d);
        // What rounding leaves of the direction along the edge tilts the plane, and so lifts the far end of Y. The
        // projection leaves at most 3 ε of r, which is no longer than both its parts.
        let tilt = if along < 4.0 * length {
            (3.0 * along * inverse + 3.0) * f64::EPSILON
        } else {
            d.dot(edge.direction).abs() * inverse
        };
        let slack = 2.0 * y.reach() * (tilt + 4.0 * f64::EPSILON);
        let (core_a, normal) =
            if SWAPPED { (vertex, back * inverse) } else { (edge.tail + along * edge.direction, d * inverse) };
        *near = Near { core_a, normal, length, most: length, slack, strict, ..Near::default() };
        Step::Done
    }

    /// Algorithm 6, with the test for edges that head for the plane as the notes correct it.
    #[inline(always)]
    pub(super) fn vertex_face<const SWAPPED: bool>(&mut self, v: u32, f: u32, near: &mut Near) -> Step {
        let (x, y) = (self.x::<SWAPPED>(), self.y::<SWAPPED>());
        let (Some(&vertex), Some((normal, offset)), Some(sides)) =
            (x.vertices().get(v as usize), y.face_plane(f), y.side_planes(f))
        else {
            return Step::Stale;
        };
        let p = self.point_in_y::<SWAPPED>(vertex);
        let go = |x: Feature, y: Feature| Step::go(if SWAPPED { [x, y] } else { [y, x] });
        let mut strict = true;
        if !is_above(y, f, sides, normal, p, self.rounding, self.tally) {
            if sides.len() <= FEW_SIDES {
                match outside_of(y, f, p, self.tally) {
                    Some(next) => return go(Feature::Vertex(v), next),
                    None => strict = false,
                }
            } else if let Some(next) = self.many_sides(y, f, p, &mut strict) {
                return go(Feature::Vertex(v), next);
            }
        }
        let height = normal.dot(p) - offset;
        self.tally.planes(1);
        // Towards the plane from where the vertex is: an edge in that direction comes closer.
        let towards = if height > 0.0 { -normal } else { normal };
        let back = self.direction_in_x::<SWAPPED>(towards);
        if !is_within(x, v, back, UNIT_MARGIN, self.tally) {
            match heading(x, v, back, self.tally) {
                Some((e, other)) => {
                    // If the other end of the edge is above the face too, it is closer, and the edge need not be looked at.
                    let q = self.point_in_y::<SWAPPED>(x.vertex(other));
                    let is_closer = normal.dot(q) - offset > 0.0 && height > 0.0;
                    if is_closer && is_above(y, f, sides, normal, q, self.rounding, self.tally) {
                        return go(Feature::Vertex(other), Feature::Face(f));
                    }
                    return go(Feature::Edge(e), Feature::Face(f));
                }
                None => strict = false,
            }
        }
        if !(height > 0.0) {
            return match self.escape(y, f, p) {
                Some(face) => go(Feature::Vertex(v), Feature::Face(face)),
                None => Step::Penetrating,
            };
        }
        self.tally.flops(9);
        let foot = p - height * normal;
        let most = if strict { height } else { self.reach_side(y, f, p) };
        let (core_a, normal) = if SWAPPED { (vertex, back) } else { (foot, normal) };
        // The plane of the face is right to 25 ε and Y is at most twice its reach wide.
        let slack = 50.0 * f64::EPSILON * y.reach();
        *near = Near { core_a, normal, length: height, most, slack, strict, ..Near::default() };
        Step::Done
    }

    /// The distance of a point above a face from the face, when the foot is on a side or next to it: that from the nearest
    /// point of the nearest side, which is known to be a point of the face.
    #[cold]
    #[inline(never)]
    fn reach_side(&mut self, y: &Polytope, f: u32, p: DVec3) -> f64 {
        let face = y.face_view(f);
        let foot = p - (face.normal.dot(p) - face.offset) * face.normal;
        let value = |i: usize| face.sides[i].normal.dot(foot - y.vertex(face.vertices[i]));
        let nearest = (0..face.sides.len()).min_by(|&i, &j| value(i).total_cmp(&value(j))).unwrap_or(0);
        if value(nearest) > self.rounding {
            return face.normal.dot(p) - face.offset;
        }
        let Some(edge) = y.tracked_edge(face.edges[nearest]) else { return f64::INFINITY };
        let along = (p - edge.tail).dot(edge.direction).clamp(0.0, edge.length);
        (p - edge.tail - along * edge.direction).length()
    }

    /// Algorithm 7, for edges that cross as edges do: their closest points are two small divisions away, and if those are
    /// inside of both edges and no face is in between, this is the end. What is not settled here is settled by clipping.
    #[inline(always)]
    pub(super) fn edge_edge(&mut self, e: u32, f: u32, near: &mut Near) -> Step {
        let (Some(x), Some(y)) = (self.a.tracked_edge(e), self.b.tracked_edge(f)) else { return Step::Stale };
        let direction = self.b_in_a.rotation * y.direction;
        let w = self.b_in_a.point(y.tail) - x.tail;
        let cross = x.direction.cross(direction);
        let square = cross.dot(cross);
        let (cosine, wx, wy) = (x.direction.dot(direction), x.direction.dot(w), direction.dot(w));
        // The points s and t from the tails, times the square of the sine, are closest when their difference is
        // perpendicular to both edges.
        let (s, t) = (wx - cosine * wy, cosine * wx - wy);
        self.tally.dots(11);
        self.tally.flops(3 + 3 + 9 + 4 + 5);
        if square <= PARALLEL {
            return self.edge_edge_by_clipping(e, f, near);
        }
        if s > 0.0 && t > 0.0 && s < x.length * square && t < y.length * square {
            let apart = cross.dot(w);
            let d = cross * 1.0_f64.copysign(apart);
            let back = self.b_in_a.direction_in_b(-d);
            self.tally.dots(4);
            self.tally.planes(4);
            if is_away(x.sides(), d) && is_away(y.sides(), back) {
                let per_square = 1.0 / square;
                let inverse = per_square * square.sqrt();
                let (s, t) = (s * per_square, t * per_square);
                let length = apart.abs() * inverse;
                // Rounding moves the two points along their edges, by 16 ε of the scale over the square of the sine at most.
                // That adds its own square over twice the length to their distance, which is nothing for all but small gaps.
                let most = if length * square * square > 2e4 * self.rounding {
                    length
                } else {
                    (w + t * direction - s * x.direction).length()
                };
                // The cross product is off by 3 ε, which tilts it by that over the sine; a small sine has a closer look.
                let reach = self.a.reach() + self.b.reach();
                let tilt = if inverse < 4.0 {
                    3.0 * f64::EPSILON * inverse * reach
                } else {
                    let (tilt_a, tilt_b) = (d.dot(x.direction).abs(), d.dot(direction).abs());
                    (tilt_a * self.a.reach() + tilt_b * self.b.reach()) * inverse
                };
                let slack = 2.0 * (tilt + 4.0 * f64::EPSILON * reach);
                self.tally.dots(2);
                self.tally.flops(30);
                *near = Near {
                    core_a: x.tail + s * x.direction,
                    normal: d * inverse,
                    length,
                    most,
                    slack,
                    strict: true,
                    ..Near::default()
                };
                return Step::Done;
            }
            // A face in between, unless that is a matter of rounding. The way back is decided by the normal of the face
            // and not by that of its side, so the errors of both count.
            self.tally.planes(4);
            let (face_a, face_b) = (most_above(x.sides(), d), most_above(y.sides(), back));
            if face_a.0.max(face_b.0) <= UNIT_MARGIN {
                return self.edge_edge_by_clipping(e, f, near);
            }
            return if face_a.0 >= face_b.0 {
                self.side = x.places[face_a.1];
                Step::go([Feature::Face([x.ends.left, x.ends.right][face_a.1]), Feature::Edge(f)])
            } else {
                self.side = y.places[face_b.1];
                Step::go([Feature::Edge(e), Feature::Face([y.ends.left, y.ends.right][face_b.1])])
            };
        }
        self.tally.flops(13);
        let next = ends_of_edges([x, y], [e, f], s / square, [cosine, wx, wy]);
        if next == [Feature::Edge(e), Feature::Edge(f)] {
            // Inside after all, by rounding.
            return self.edge_edge_by_clipping(e, f, near);
        }
        Step::go(next)
    }
}

/// The closest points of two edges that are at an end of one edge or of both: on the second from the first, at s, as far as it
/// goes, then back. The distance is convex in both, so that this is the minimum.
///
/// The products are the cosine between the edges and those of each direction with the way from tail to tail.
#[inline(always)]
pub(super) fn ends_of_edges(
    [x, y]: [&TrackedEdge; 2],
    [e, f]: [u32; 2],
    s: f64,
    [cosine, wx, wy]: [f64; 3],
) -> [Feature; 2] {
    let s = s.clamp(0.0, x.length);
    let t = (s * cosine - wy).clamp(0.0, y.length);
    let s = (wx + t * cosine).clamp(0.0, x.length);
    let end = |at: f64, edge: &TrackedEdge, e: u32| {
        if at <= 0.0 {
            Feature::Vertex(edge.ends.tail)
        } else if at >= edge.length {
            Feature::Vertex(edge.ends.head)
        } else {
            Feature::Edge(e)
        }
    };
    [end(s, x, e), end(t, y, f)]
}

/// The vertex region of `v`: is a point in direction `d` inside, by more than rounding?
#[inline(always)]
pub(super) fn is_within<K: Tally>(polytope: &Polytope, v: u32, d: DVec3, margin: f64, tally: &mut K) -> bool {
    let Some(directions) = polytope.star_directions(v) else { return false };
    tally.planes(directions.len());
    for u in directions {
        if u.dot(d) > -margin {
            return false;
        }
    }
    true
}

/// The face of an edge that a direction leads above, or least below: how far, and is it the left (0) or the right one (1)?
#[inline(always)]
pub(super) fn most_above(sides: Option<&[DVec3; 2]>, d: DVec3) -> (f64, usize) {
    let Some([left, right]) = sides else { return (f64::NEG_INFINITY, 0) };
    let (left, right) = (left.dot(d), right.dot(d));
    if left >= right { (left, 0) } else { (right, 1) }
}

/// The length of a vector and one over it: the root and the quotient do not wait for each other.
#[inline(always)]
pub(super) fn length_and_inverse(d: DVec3) -> (f64, f64) {
    let square = d.dot(d);
    let length = square.sqrt();
    (length, length * (1.0 / square))
}

/// Is a direction away from both faces of an edge, by more than rounding?
#[inline(always)]
pub(super) fn is_away(sides: Option<&[DVec3; 2]>, d: DVec3) -> bool {
    match sides {
        Some([left, right]) => left.dot(d) <= -UNIT_MARGIN && right.dot(d) <= -UNIT_MARGIN,
        None => true,
    }
}

/// What the edges at a vertex say of a direction.
enum Uphill {
    /// It is in the region of the vertex.
    Nowhere,
    /// It is, as far as rounding lets us see.
    Unclear,
    To(Feature),
}

/// Which of the edges at a vertex leads most in direction `d`?
#[inline(always)]
fn uphill<K: Tally>(polytope: &Polytope, v: u32, d: DVec3, margin: f64, tally: &mut K) -> Uphill {
    let directions = polytope.star_directions(v).unwrap_or_default();
    tally.planes(directions.len());
    let mut best = (f64::NEG_INFINITY, 0);
    for (i, u) in directions.iter().enumerate() {
        let value = u.dot(d);
        if value > best.0 {
            best = (value, i);
        }
    }
    if best.0 <= -margin {
        return Uphill::Nowhere;
    }
    if best.0 <= WORTHWHILE * margin {
        return Uphill::Unclear;
    }
    let edge = polytope.vertex_edges(v)[best.1];
    if best.0 <= polytope.edge_length(edge) {
        return Uphill::To(Feature::Edge(edge));
    }
    let next = polytope.neighbors(v)[best.1];
    let d = polytope.vertex(v) + d - polytope.vertex(next);
    Uphill::To(climb(polytope, next, d, WORTHWHILE * margin, tally).unwrap_or(Feature::Vertex(next)))
}

/// From a vertex to the edge or vertex that is closest to a point in direction `d`, going along the edge that leads there
/// most, from vertex to vertex; none if no edge at the first one leads there by more than rounding.
///
/// These are many arrows of the diagram in one: beyond the plane of an edge, and then beyond the plane of its other end.
#[cold]
#[inline(never)]
pub(super) fn climb<K: Tally>(polytope: &Polytope, v: u32, d: DVec3, margin: f64, tally: &mut K) -> Option<Feature> {
    let target = polytope.vertex(v) + d;
    let (mut at, mut d) = (v, d);
    // Each vertex is closer than the one before, so none comes twice; the bound is for what rounding may do.
    for _ in 0..polytope.vertex_count() {
        let directions = polytope.star_directions(at).unwrap_or_default();
        let mut best = (margin, usize::MAX);
        for (i, u) in directions.iter().enumerate() {
            let value = u.dot(d);
            if value > best.0 {
                best = (value, i);
            }
        }
        tally.planes(directions.len());
        if best.1 == usize::MAX {
            break;
        }
        let edge = polytope.vertex_edges(at)[best.1];
        if best.0 <= polytope.edge_length(edge) {
            return Some(Feature::Edge(edge));
        }
        at = polytope.neighbors(at)[best.1];
        d = target - polytope.vertex(at);
    }
    (at != v).then_some(Feature::Vertex(at))
}

/// The edge at a vertex that leads most in a direction, by more than rounding, and its other end.
#[cold]
#[inline(never)]
fn heading<K: Tally>(polytope: &Polytope, v: u32, d: DVec3, tally: &mut K) -> Option<(u32, u32)> {
    let directions = polytope.star_directions(v).unwrap_or_default();
    tally.planes(directions.len());
    let mut best = (WORTHWHILE * UNIT_MARGIN, None);
    for (i, u) in directions.iter().enumerate() {
        let value = u.dot(d);
        if value > best.0 {
            best = (value, Some((polytope.vertex_edges(v)[i], polytope.neighbors(v)[i])));
        }
    }
    best.1
}
