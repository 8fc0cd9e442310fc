//! Algorithm 7: an edge of A and an edge of B.
//!
//! Most edges that cross are decided by their closest points, two small divisions away. If those are inside of both edges and no face is in
//! between, this is the end. All other edges, parallel ones among them, are decided by clipping, as in the paper.

use super::clip::{Clip, Cut, Ends, closest_to_line};
use super::march::March;
use super::placement::{Arm, Placement};
use super::regions::{WORTHWHILE, is_between_faces, most_violated_face};
use super::{Step, Tally, cost};
use crate::math::rounding::UNIT_MARGIN;
use crate::narrow::ClosestPoints;
use crate::shape::polytope::TrackedEdge;
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// Edges whose squared sine is no more, at an angle below 0.6 degrees, are left to clipping, which does not divide by their sine. Bound:
/// the closest points are off by up to m = rounding / 2 sine² (see [`SURE_CROSSING`]), 4e-11 of the size, and their distance by m² / 2 l.
/// That leaves a bracket open for gaps l below 5e-8 of the size. No row of `cargo bench-pairs` moves between 1e-8 and 1e-2.
const PARALLEL: f64 = 1e-4;

/// Closest points of crossing edges are exact up to rounding when the length times the fourth power of the sine is more than this many
/// roundings. Bound: with R for the rounding and q for the square of the sine, rounding moves each point along its edge by 16 ε of the scale
/// over q, which is m = R / 2 q. That adds at most m² / 2 l = R² / 8 q² l to their distance l. When l q² > 20,000 R it is less than R /
/// 160,000, and R has that in reserve.
const SURE_CROSSING: f64 = 2e4;

#[inline(always)]
pub(super) fn edge_edge<'a, P: Placement<'a>>(placed: &mut P, e: u32, f: u32, points: &mut ClosestPoints) -> Step {
    let [a, b] = placed.bodies();
    let (Some(edge_a), Some(edge_b)) = (a.tracked_edge(e), b.tracked_edge(f)) else { return Step::Stale };
    let Arm { y_to_x: w, of_a } = placed.arm::<false>(edge_b.tail, edge_a.tail);
    let [u, v] = placed.edges([edge_a.direction, edge_b.direction]);
    let cross = u.cross(v);
    let square = cross.dot(cross);
    let (cosine, wu, wv) = (u.dot(v), u.dot(w), v.dot(w));
    // The points s and t from the tails, times the square of the sine, are closest when their difference is
    // perpendicular to both edges.
    let (s, t) = (wu - cosine * wv, cosine * wu - wv);
    if square <= PARALLEL {
        return Step::Unsettled;
    }
    if !(s > 0.0 && t > 0.0 && s < edge_a.length * square && t < edge_b.length * square) {
        let next = ends_of_edges([edge_a, edge_b], [e, f], s / square, [cosine, wu, wv]);
        if next == [Feature::Edge(e), Feature::Edge(f)] {
            // Inside after all, by rounding.
            cost::ENDS_OF_EDGES.count(placed.tally());
            return Step::Unsettled;
        }
        return Step::go(next);
    }
    let height = cross.dot(w);
    let d = cross * 1.0_f64.copysign(height);
    let local = placed.local::<false>(d);
    if !(is_between_faces(edge_a.sides(), local.y) && is_between_faces(edge_b.sides(), -local.x)) {
        let face_a = most_violated_face(edge_a.sides(), local.y);
        let face_b = most_violated_face(edge_b.sides(), -local.x);
        // A face in between, unless that is a matter of rounding. The way back is decided by the normal of the face
        // and not by that of its side, so the errors of both count.
        if face_a.0.max(face_b.0) <= UNIT_MARGIN {
            cost::FOUR_FACES_COMPARED.count(placed.tally());
            return Step::Unsettled;
        }
        return if face_a.0 >= face_b.0 {
            *placed.cursor() = edge_a.places[face_a.1];
            Step::go([Feature::Face([edge_a.ends.left, edge_a.ends.right][face_a.1]), Feature::Edge(f)])
        } else {
            *placed.cursor() = edge_b.places[face_b.1];
            Step::go([Feature::Edge(e), Feature::Face([edge_b.ends.left, edge_b.ends.right][face_b.1])])
        };
    }
    let per_square = 1.0 / square;
    let inverse = per_square * square.sqrt();
    let (s, t) = (s * per_square, t * per_square);
    let length = height.abs() * inverse;
    let most = if length * square * square > SURE_CROSSING * placed.rounding() {
        length
    } else {
        (w + t * v - s * u).length()
    };
    // Known without a measurement unless the sine is small.
    let (reach_a, reach_b) = (a.bounding_radius(), b.bounding_radius());
    let tilt = if !P::PROBES && inverse < 4.0 {
        // A stored direction is right to 4 ε, the rotated one to 10 ε in sum; the sine is at least 1/2 here, and 3 ε is their product's share.
        3.0 * f64::EPSILON * inverse * (reach_a + reach_b)
    } else {
        let [tilt_a, tilt_b] = P::tilts(d, &local, [u, v], [edge_a.direction, edge_b.direction]);
        (tilt_a * reach_a + tilt_b * reach_b) * inverse
    };
    let moved = P::turning(s + t);
    // The points and their difference round by 4 ε of the bounding radii.
    let slack = 2.0 * (tilt + 4.0 * f64::EPSILON * (reach_a + reach_b)) + P::turning(reach_a + reach_b) + moved;
    *points = ClosestPoints {
        point_a: of_a + s * u,
        normal: local.a_to_b * inverse,
        length,
        most: most + moved,
        slack,
        strict: true,
        ..ClosestPoints::default()
    };
    Step::Done
}

/// The closest points of two edges that are at an end of one edge or of both: on the second from the first, at s, as far as it
/// goes, then back. The distance is convex in both, so that this is the minimum.
///
/// The products are the cosine between the edges and those of each direction with the vector from tail to tail.
#[inline(always)]
fn ends_of_edges([a, b]: [&TrackedEdge; 2], [e, f]: [u32; 2], s: f64, [cosine, wu, wv]: [f64; 3]) -> [Feature; 2] {
    let s = s.clamp(0.0, a.length);
    let t = (s * cosine - wv).clamp(0.0, b.length);
    let s = (wu + t * cosine).clamp(0.0, a.length);
    let end = |at: f64, edge: &TrackedEdge, e: u32| {
        if at <= 0.0 {
            Feature::Vertex(edge.ends.tail)
        } else if at >= edge.length {
            Feature::Vertex(edge.ends.head)
        } else {
            Feature::Edge(e)
        }
    };
    [end(s, a, e), end(t, b, f)]
}

impl<K: Tally> March<'_, K> {
    /// All of algorithm 7, by clipping.
    #[cold]
    #[inline(never)]
    pub(super) fn edge_edge_by_clipping(&mut self, e: u32, f: u32, points: &mut ClosestPoints) -> Step {
        let [a, b] = self.bodies();
        let (Some(edge_a), Some(edge_b)) = (a.tracked_edge(e), b.tracked_edge(f)) else { return Step::Stale };
        let in_a = self.ends_in_y::<false>(f);
        match self.clip_edge(a, edge_a, in_a) {
            EdgeRegion::Inside => {}
            EdgeRegion::Beyond(next) => return Step::go([next, Feature::Edge(f)]),
            EdgeRegion::Touching => return Step::Penetrating,
        }
        let in_b = self.ends_in_y::<true>(e);
        match self.clip_edge(b, edge_b, in_b) {
            EdgeRegion::Inside => {}
            EdgeRegion::Beyond(next) => return Step::go([Feature::Edge(e), next]),
            EdgeRegion::Touching => return Step::Penetrating,
        }
        cost::CLOSEST_ON_EDGES.count(self.tally());
        let [_, v] = self.edges([edge_a.direction, edge_b.direction]);
        *points = closest_on_edges(edge_a, in_a, v);
        Step::Done
    }

    /// Steps 1 to 14: the edge `other` against the region of an edge of `owner`, in the frame of `owner`.
    fn clip_edge(&mut self, owner: &Polytope, edge: &TrackedEdge, other: Ends) -> EdgeRegion {
        let mut clip = Clip::new();
        if let Some(decided) = self.clip_by_ends(owner, edge, other, &mut clip) {
            self.tally().cuts(clip.cuts);
            return decided;
        }
        let Some(sides) = edge.sides() else { return EdgeRegion::Inside };
        let region = self.clip_by_faces(owner, edge, sides, other, &mut clip);
        self.tally().cuts(clip.cuts);
        match region {
            FaceRegion::Inside => EdgeRegion::Inside,
            FaceRegion::Touching => EdgeRegion::Touching,
            FaceRegion::Beyond(neighbor) => {
                *self.cursor() = edge.places[usize::from(neighbor == Neighbor::Right)];
                EdgeRegion::Beyond(neighbor.feature(edge))
            }
        }
    }

    /// Steps 1 to 7: the planes of the two ends. They are parallel, so they cannot exclude together.
    fn clip_by_ends(
        &mut self,
        owner: &Polytope,
        edge: &TrackedEdge,
        other: Ends,
        clip: &mut Clip<Neighbor>,
    ) -> Option<EdgeRegion> {
        let from = (other.tail - edge.tail).dot(edge.direction);
        let to = (other.head - edge.tail).dot(edge.direction);
        cost::CLIP_BY_ENDS.count(self.tally());
        if clip.cut(from, to, Neighbor::Tail) == Cut::SimplyExcluded {
            return Some(EdgeRegion::Beyond(Neighbor::Tail.feature(edge)));
        }
        if clip.cut(edge.length - from, edge.length - to, Neighbor::Head) == Cut::SimplyExcluded {
            return Some(EdgeRegion::Beyond(Neighbor::Head.feature(edge)));
        }
        // Formula 2: the derivative of the distance from a vertex, where the edge leaves the region.
        for (by, lambda, sign) in [(clip.low_by, clip.low, 1.0), (clip.high_by, clip.high, -1.0)] {
            let Some(neighbor) = by else { continue };
            let vertex = if neighbor == Neighbor::Tail { edge.tail } else { owner.vertex(edge.ends.head) };
            let arm = other.at(lambda) - vertex;
            cost::SLOPE_TO_VERTEX.count(self.tally());
            if arm == DVec3::ZERO {
                return Some(EdgeRegion::Touching);
            }
            if sign * other.along().dot(arm) > 0.0 {
                return Some(EdgeRegion::Beyond(neighbor.feature(edge)));
            }
        }
        None
    }

    /// Steps 8 to 14: the planes of the two faces, from where the ends have left the interval.
    ///
    /// Going to a face must bring the edges closer by more than rounding, or the face would send them back: its plane counts
    /// as crossed, and a slope as one, only beyond the margin.
    fn clip_by_faces(
        &mut self,
        owner: &Polytope,
        edge: &TrackedEdge,
        [left, right]: &[DVec3; 2],
        other: Ends,
        clip: &mut Clip<Neighbor>,
    ) -> FaceRegion {
        let margin = WORTHWHILE * self.margin();
        let (r_tail, r_head) = (other.tail - edge.tail, other.head - edge.tail);
        let mut is_excluded = false;
        for (neighbor, inward) in [(Neighbor::Left, left), (Neighbor::Right, right)] {
            cost::CLIP_BY_FACE.count(self.tally());
            match clip.cut(margin - inward.dot(r_tail), margin - inward.dot(r_head), neighbor) {
                Cut::SimplyExcluded => return FaceRegion::Beyond(neighbor),
                Cut::Excluded => {
                    is_excluded = true;
                    break;
                }
                Cut::Remains => {}
            }
        }
        // Formula 3: the derivative of the distance from a face, and is it zero there?
        let slope_to_face = |lambda: f64, neighbor: Neighbor| {
            let face = owner.face_view(if neighbor == Neighbor::Left { edge.ends.left } else { edge.ends.right });
            let height = face.normal.dot(other.at(lambda)) - face.offset;
            let slope = other.along().dot(face.normal);
            (if slope.abs() > margin { slope * height.signum() } else { 0.0 }, height == 0.0)
        };
        let is_face = |by: Option<Neighbor>| by.filter(|&by| matches!(by, Neighbor::Left | Neighbor::Right));
        let (low_face, high_face) = (is_face(clip.low_by), is_face(clip.high_by));
        if is_excluded {
            return match (low_face, high_face) {
                // Below the edge, through the planes of both faces: downhill, on the side of the one or the other.
                (Some(low), Some(high)) => match slope_to_face(clip.low, low) {
                    (_, true) => FaceRegion::Touching,
                    (slope, false) => FaceRegion::Beyond(if slope > 0.0 { low } else { high }),
                },
                // The vertex has had its chance in steps 1 to 7.
                (Some(face), None) | (None, Some(face)) => FaceRegion::Beyond(face),
                (None, None) => FaceRegion::Inside,
            };
        }
        for (by, lambda, sign) in [(low_face, clip.low, 1.0), (high_face, clip.high, -1.0)] {
            let Some(neighbor) = by else { continue };
            let (slope, is_touching) = slope_to_face(lambda, neighbor);
            cost::SLOPE_TO_FACE.count(self.tally());
            if is_touching {
                return FaceRegion::Touching;
            }
            if sign * slope > 0.0 {
                return FaceRegion::Beyond(neighbor);
            }
        }
        FaceRegion::Inside
    }
}

/// The neighbours of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbor {
    Tail,
    Head,
    Left,
    Right,
}

impl Neighbor {
    fn feature(self, edge: &TrackedEdge) -> Feature {
        match self {
            Self::Tail => Feature::Vertex(edge.ends.tail),
            Self::Head => Feature::Vertex(edge.ends.head),
            Self::Left => Feature::Face(edge.ends.left),
            Self::Right => Feature::Face(edge.ends.right),
        }
    }
}

/// Where the closest point of an edge is, seen from another edge.
enum EdgeRegion {
    /// In the region of that edge.
    Inside,
    /// In that of a neighbour.
    Beyond(Feature),
    /// The edges, or an edge and a face, have a point in common.
    Touching,
}

/// The planes of the two faces of an edge decide about a point.
enum FaceRegion {
    Inside,
    Beyond(Neighbor),
    Touching,
}

/// The closest points of two edges that may be parallel; `v` is the direction of the other edge, a unit vector.
fn closest_on_edges(edge: &TrackedEdge, other: Ends, v: DVec3) -> ClosestPoints {
    let (u, along) = (edge.direction, other.along());
    let w = other.tail - edge.tail;
    let lambda = closest_to_line(edge, other);
    let s = (w + lambda * along).dot(u).clamp(0.0, edge.length);
    let point_a = edge.tail + s * u;
    // Once more from there, which undoes most of what rounding did to an almost parallel crossing.
    let back = -along.dot(other.tail - point_a) / along.dot(along);
    let d = other.at(if back.is_nan() { 0.0 } else { back.clamp(0.0, 1.0) }) - point_a;
    let most = d.length();
    // Where the edges cross, their common perpendicular does not feel how far rounding moved the two points along them,
    // nor the rounding of the ends, since the direction is turned by itself.
    let cross = u.cross(v);
    let square = cross.dot(cross);
    let (normal, length) = if square > PARALLEL {
        let per_length = 1.0_f64.copysign(cross.dot(w)) / square.sqrt();
        (cross * per_length, cross.dot(w) * per_length)
    } else {
        (d / most, most)
    };
    ClosestPoints { point_a, normal, length, most, ..ClosestPoints::default() }
}
