//! Edges against Voronoi regions: the paper's clipping, for edges that are nearly parallel and for the edge-face state.
//!
//! Clipping never computes a closest point, and divides only numbers whose sum is the divisor, so parallel edges and faces
//! are no special cases.

use super::states::PARALLEL;
use super::{Near, Step, Tally, Walker};
use crate::shape::polytope::{FaceView, TrackedEdge};
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// What is left of an edge, and the planes that cut it.
#[derive(Debug, Clone, Copy)]
struct Clip<N> {
    low: f64,
    high: f64,
    /// The neighbours across the planes that cut off the tail and the head.
    low_by: Option<N>,
    high_by: Option<N>,
}

/// What one more plane does to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Something is left.
    Remains,
    /// Both ends are outside of this plane.
    SimplyExcluded,
    /// Nothing is inside of all planes so far.
    Excluded,
}

impl<N: Copy> Clip<N> {
    fn new() -> Self {
        Self { low: 0.0, high: 1.0, low_by: None, high_by: None }
    }

    /// Algorithm 1, one plane: `tail` and `head` are the distances of the edge's ends, positive inside.
    fn cut(&mut self, tail: f64, head: f64, neighbor: N) -> Cut {
        if tail < 0.0 && head < 0.0 {
            return Cut::SimplyExcluded;
        }
        if tail < 0.0 {
            let at = tail / (tail - head);
            if at > self.low {
                (self.low, self.low_by) = (at, Some(neighbor));
            }
        } else if head < 0.0 {
            let at = tail / (tail - head);
            if at < self.high {
                (self.high, self.high_by) = (at, Some(neighbor));
            }
        }
        if self.low > self.high { Cut::Excluded } else { Cut::Remains }
    }
}

/// The neighbours of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Tail,
    Head,
    Left,
    Right,
}

/// The outcome of holding an edge against the region of another edge.
enum Region {
    /// The closest point is in the region.
    Inside,
    /// It is in that neighbour's.
    Go(Feature),
    /// The edges, or an edge and a face, have a point in common.
    Touching,
}

/// The ends of an edge in another frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub tail: DVec3,
    pub head: DVec3,
}

impl Ends {
    fn at(&self, lambda: f64) -> DVec3 {
        self.tail + lambda * (self.head - self.tail)
    }
}

/// Steps 1 to 14 of algorithm 7: the edge `other` against the region of an edge of `owner`, in the frame of `owner`.
///
/// Going to a face must bring the edges closer by more than rounding, or the face would send them back: its plane counts
/// as crossed, and a slope as one, only beyond the `margin`.
fn against_edge<K: Tally>(
    owner: &Polytope,
    edge: &TrackedEdge,
    other: Ends,
    margin: f64,
    tally: &mut K,
    side: &mut u32,
) -> Region {
    let (r_tail, r_head) = (other.tail - edge.tail, other.head - edge.tail);
    let (from, to) = (r_tail.dot(edge.direction), r_head.dot(edge.direction));
    tally.planes(4);
    tally.flops(6);
    let name = |beside: Beside| match beside {
        Beside::Tail => Feature::Vertex(edge.ends.tail),
        Beside::Head => Feature::Vertex(edge.ends.head),
        Beside::Left => Feature::Face(edge.ends.left),
        Beside::Right => Feature::Face(edge.ends.right),
    };
    let mut clip = Clip::new();
    // The planes of the ends are parallel, so they cannot exclude together.
    if clip.cut(from, to, Beside::Tail) == Cut::SimplyExcluded {
        return Region::Go(name(Beside::Tail));
    }
    if clip.cut(edge.length - from, edge.length - to, Beside::Head) == Cut::SimplyExcluded {
        return Region::Go(name(Beside::Head));
    }
    let along = other.head - other.tail;
    // Formula 2: the derivative of the distance from a vertex.
    let slope_to_vertex = |lambda: f64, beside: Beside| {
        let vertex = if beside == Beside::Tail { edge.tail } else { owner.vertex(edge.ends.head) };
        let arm = other.at(lambda) - vertex;
        (along.dot(arm), arm == DVec3::ZERO)
    };
    for (by, lambda, sign) in [(clip.low_by, clip.low, 1.0), (clip.high_by, clip.high, -1.0)] {
        if let Some(beside) = by {
            let (slope, is_touching) = slope_to_vertex(lambda, beside);
            tally.dots(1);
            tally.flops(10);
            if is_touching {
                return Region::Touching;
            }
            if sign * slope > 0.0 {
                return Region::Go(name(beside));
            }
        }
    }
    let Some([left, right]) = edge.sides() else { return Region::Inside };
    let mut go = |beside: Beside| {
        *side = edge.places[usize::from(beside == Beside::Right)];
        Region::Go(name(beside))
    };
    let mut excluded = false;
    for (beside, inward) in [(Beside::Left, left), (Beside::Right, right)] {
        tally.planes(2);
        match clip.cut(margin - inward.dot(r_tail), margin - inward.dot(r_head), beside) {
            Cut::SimplyExcluded => return go(beside),
            Cut::Excluded => excluded = true,
            Cut::Remains => {}
        }
        if excluded {
            break;
        }
    }
    // Formula 3: the derivative of the distance from a face.
    let slope_to_face = |lambda: f64, beside: Beside| {
        let face = owner.face_view(if beside == Beside::Left { edge.ends.left } else { edge.ends.right });
        let height = face.normal.dot(other.at(lambda)) - face.offset;
        let slope = along.dot(face.normal);
        (if slope.abs() > margin { slope * height.signum() } else { 0.0 }, height == 0.0)
    };
    let is_face = |by: Option<Beside>| by.filter(|&beside| beside == Beside::Left || beside == Beside::Right);
    let (low_face, high_face) = (is_face(clip.low_by), is_face(clip.high_by));
    if excluded {
        return match (low_face, high_face) {
            // Below the edge, through the planes of both faces: downhill, on the side of the one or the other.
            (Some(low), Some(high)) => {
                let (slope, is_touching) = slope_to_face(clip.low, low);
                match is_touching {
                    true => Region::Touching,
                    false => go(if slope > 0.0 { low } else { high }),
                }
            }
            // The vertex has had its chance above.
            (Some(face), None) | (None, Some(face)) => go(face),
            (None, None) => Region::Inside,
        };
    }
    for (by, lambda, sign) in [(low_face, clip.low, 1.0), (high_face, clip.high, -1.0)] {
        if let Some(beside) = by {
            let (slope, is_touching) = slope_to_face(lambda, beside);
            tally.dots(2);
            tally.flops(8);
            if is_touching {
                return Region::Touching;
            }
            if sign * slope > 0.0 {
                return go(beside);
            }
        }
    }
    Region::Inside
}

impl<K: Tally> Walker<'_, K> {
    /// The ends of an edge of B, in the frame of A.
    fn ends_of_b(&mut self, e: u32) -> Ends {
        let edge = self.b.edge(e);
        self.tally.dots(6);
        self.tally.flops(6);
        Ends { tail: self.b_in_a.point(self.b.vertex(edge.tail)), head: self.b_in_a.point(self.b.vertex(edge.head)) }
    }

    /// The ends of an edge of A, in the frame of B.
    fn ends_of_a(&mut self, e: u32) -> Ends {
        let edge = self.a.edge(e);
        let (tail, head) = (self.a.vertex(edge.tail), self.a.vertex(edge.head));
        Ends { tail: self.point_in_y::<true>(tail), head: self.point_in_y::<true>(head) }
    }

    /// Algorithm 7.
    #[cold]
    #[inline(never)]
    pub(super) fn edge_edge_by_clipping(&mut self, e: u32, f: u32, near: &mut Near) -> Step {
        let (Some(x), Some(y)) = (self.a.tracked_edge(e), self.b.tracked_edge(f)) else { return Step::Stale };
        let (x, y) = (&x, &y);
        let in_a = self.ends_of_b(f);
        match against_edge(self.a, x, in_a, 0.25 * self.rounding, self.tally, &mut self.side) {
            Region::Inside => {}
            Region::Go(next) => return Step::go([next, Feature::Edge(f)]),
            Region::Touching => return Step::Penetrating,
        }
        let in_b = self.ends_of_a(e);
        match against_edge(self.b, y, in_b, 0.25 * self.rounding, self.tally, &mut self.side) {
            Region::Inside => {}
            Region::Go(next) => return Step::go([Feature::Edge(e), next]),
            Region::Touching => return Step::Penetrating,
        }
        *near = self.closest_on_edges(x, in_a, self.b_in_a.rotation * y.direction);
        Step::Done
    }

    /// The closest points of two edges that may be parallel; the direction is that of the other edge, a unit vector.
    fn closest_on_edges(&mut self, edge: &TrackedEdge, other: Ends, direction: DVec3) -> Near {
        let (u, along) = (edge.direction, other.head - other.tail);
        let w = other.tail - edge.tail;
        let lambda = closest_to_line(edge, other);
        let s = (w + lambda * along).dot(u).clamp(0.0, edge.length);
        let core_a = edge.tail + s * u;
        // Once more from there, which undoes most of what rounding did to an almost parallel crossing.
        let back = -along.dot(other.tail - core_a) / along.dot(along);
        let d = other.at(if back.is_nan() { 0.0 } else { back.clamp(0.0, 1.0) }) - core_a;
        self.tally.dots(10);
        self.tally.flops(65);
        let most = d.length();
        // Where the edges cross, their common perpendicular does not feel how far rounding moved the two points along them,
        // nor the rounding of the ends, since the direction is turned by itself.
        let cross = u.cross(direction);
        let square = cross.dot(cross);
        let (normal, length) = if square > PARALLEL {
            let per_length = 1.0_f64.copysign(cross.dot(w)) / square.sqrt();
            (cross * per_length, cross.dot(w) * per_length)
        } else {
            (d / most, most)
        };
        Near { core_a, normal, length, most, slack: 0.0, strict: false, ..Near::default() }
    }

    /// Algorithm 8: never the last state, unless an edge pierces a face.
    #[cold]
    #[inline(never)]
    pub(super) fn edge_face<const SWAPPED: bool>(&mut self, e: u32, f: u32) -> Step {
        let (x, y) = if SWAPPED { (self.a, self.b) } else { (self.b, self.a) };
        if e as usize >= x.edge_count() || f as usize >= y.face_count() {
            return Step::Stale;
        }
        let (ends, tips) = (if SWAPPED { self.ends_of_a(e) } else { self.ends_of_b(e) }, x.edge(e));
        let go = |x: Feature, y: Feature| Step::go(if SWAPPED { [x, y] } else { [y, x] });
        let face = y.face_view(f);
        let mut clip = Clip::new();
        let (mut is_excluded, mut behind) = (false, None);
        for (i, side) in face.sides.iter().enumerate() {
            let (tail, head) = (side.normal.dot(ends.tail) - side.offset, side.normal.dot(ends.head) - side.offset);
            self.tally.planes(2);
            match clip.cut(tail, head, i) {
                Cut::Remains => {}
                Cut::SimplyExcluded => {
                    behind = Some(i);
                    break;
                }
                // Go on: a side with the whole edge behind it is the better start for a walk along the perimeter.
                Cut::Excluded => is_excluded = true,
            }
        }
        if is_excluded || behind.is_some() {
            let (start, other) = match behind {
                Some(i) => (i, i),
                None => {
                    let corner = nearest_corner(y, &face, ends);
                    (corner, face.before(corner))
                }
            };
            let next = match self.perimeter(y, &face, start, ends) {
                // At the back of the face: one of the two sides at a corner may be.
                (found, false) if start != other => match self.perimeter(y, &face, other, ends) {
                    (better, true) => better,
                    (_, false) => found,
                },
                (found, _) => found,
            };
            return go(Feature::Edge(e), next);
        }
        let low = face.normal.dot(ends.at(clip.low)) - face.offset;
        let high = face.normal.dot(ends.at(clip.high)) - face.offset;
        self.tally.planes(2);
        self.tally.flops(12);
        // Not both above or both below.
        if !(low > 0.0 && high > 0.0 || low < 0.0 && high < 0.0) {
            return Step::Penetrating;
        }
        // Formula 3: is the distance growing from the low end to the high end? In the numbers by which the vertex-face state
        // chose the edge, or the two would send each other back and forth.
        let slope = x.edge_direction(e).dot(self.direction_in_x::<SWAPPED>(face.normal));
        let (by, tip) = if slope * low >= 0.0 { (clip.low_by, tips.tail) } else { (clip.high_by, tips.head) };
        match by {
            Some(i) => {
                self.side = face.start + i as u32;
                go(Feature::Edge(e), Feature::Edge(face.edges[i]))
            }
            None => go(Feature::Vertex(tip), Feature::Face(f)),
        }
    }

    /// The side or corner of a face that is closest to an edge which misses the face's region: from side to side along the
    /// perimeter, as long as the distance falls.
    ///
    /// The start must face the edge. Seen along the normal the edge and the face are two convex sets apart, and from a side
    /// that faces the edge the distance falls to the one minimum there is; a side at the back could have one of its own,
    /// and then the answer is `false` beside it.
    fn perimeter(&mut self, y: &Polytope, face: &FaceView<'_>, from: usize, other: Ends) -> (Feature, bool) {
        let mut i = from;
        let mut came_from = None;
        for _ in 0..face.sides.len() {
            let Some(edge) = y.tracked_edge(face.edges[i]) else { break };
            self.tally.planes(4);
            let Some(end) = closest_end(y, edge, other) else { break };
            let next = if end == face.vertices[i] { face.before(i) } else { face.next(i) };
            if came_from == Some(next) {
                return (Feature::Vertex(end), true);
            }
            came_from = Some(i);
            i = next;
        }
        self.side = face.start + i as u32;
        let faces_edge = y.tracked_edge(face.edges[i]).is_none_or(|edge| {
            let closest = other.at(closest_to_line(edge, other));
            face.sides[i].normal.dot(closest) - face.sides[i].offset <= self.rounding
        });
        (Feature::Edge(face.edges[i]), faces_edge)
    }
}

/// The point of an edge that is closest to the line of another: perpendicular to both where there is such a point, else
/// where the edges face each other.
fn closest_to_line(edge: &TrackedEdge, other: Ends) -> f64 {
    let (u, along, w) = (edge.direction, other.head - other.tail, other.tail - edge.tail);
    let cross = u.cross(along);
    let square = cross.dot(cross);
    if square > 0.0 {
        return (u.cross(w).dot(cross) / -square).clamp(0.0, 1.0);
    }
    let (from, to) = (w.dot(u), (w + along).dot(u));
    let middle = 0.5 * (from.min(to).max(0.0) + from.max(to).min(edge.length));
    if to == from { 0.0 } else { ((middle - from) / (to - from)).clamp(0.0, 1.0) }
}

/// The corner of a face that is closest to the line of an edge, seen along the normal. When no side has the whole edge
/// behind it, that line has the whole face on one side.
fn nearest_corner(y: &Polytope, face: &FaceView<'_>, other: Ends) -> usize {
    let across = face.normal.cross(other.head - other.tail);
    let distance = |i: usize| across.dot(y.vertex(face.vertices[i]) - other.tail).abs();
    (0..face.vertices.len()).min_by(|&i, &j| distance(i).total_cmp(&distance(j))).unwrap_or(0)
}

/// The end of an edge at which it is closest to another edge, if that is at an end.
fn closest_end(owner: &Polytope, edge: &TrackedEdge, other: Ends) -> Option<u32> {
    let (from, to) = ((other.tail - edge.tail).dot(edge.direction), (other.head - edge.tail).dot(edge.direction));
    let along = other.head - other.tail;
    let mut clip = Clip::new();
    for (tail, head, end) in [(from, to, edge.ends.tail), (edge.length - from, edge.length - to, edge.ends.head)] {
        if clip.cut(tail, head, end) == Cut::SimplyExcluded {
            return Some(end);
        }
    }
    let falls_beyond = |lambda: f64, end: u32| along.dot(other.at(lambda) - owner.vertex(end));
    let low = clip.low_by.filter(|&end| falls_beyond(clip.low, end) > 0.0);
    low.or(clip.high_by.filter(|&end| falls_beyond(clip.high, end) < 0.0))
}
