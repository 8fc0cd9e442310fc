//! The nearest points of two cores as means of members: a plain GJK with the double-double subalgorithm.
//!
//! The engines end with features, closed forms or a direction, of which only some name members. This search always does.
//!
//! 1. Every corner of the simplex is a difference of two members.
//! 2. `encloses` only if the origin is inside by more than rounding, so that the checker finds the same with corners of its own.

use super::member::{self, ProvableCore};
use crate::math::Frame;
use crate::narrow::simplex::double_double;
use clearance_verify::Member;
use glam::DVec3;

/// Rounds of GJK. Limit: polytopes take at most a few dozen; smooth shapes converge linearly and stop by progress.
const MAX_ROUNDS: u32 = 256;

/// A point of A - B in the frame of A, and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct DifferenceCorner {
    pub w: DVec3,
    pub members: [Member; 2],
}

/// A simplex and the weights of its point nearest to the origin.
pub(super) struct WeightedSimplex {
    simplex: Vec<(f64, DifferenceCorner)>,
    /// Is the origin inside?
    pub encloses: bool,
    /// The direction from A to B, in the frame of A, along which the search found the cores farthest apart; zero if none.
    pub direction: DVec3,
}

impl WeightedSimplex {
    /// The distance of the two cores, to rounding.
    pub fn distance(&self) -> f64 {
        self.difference().length()
    }

    /// The nearest point of A less that of B, to rounding.
    pub fn difference(&self) -> DVec3 {
        let total: f64 = self.simplex.iter().map(|(share, _)| share).sum();
        let sum = self.simplex.iter().fold(DVec3::ZERO, |sum, (share, corner)| sum + *share * corner.w);
        sum / total
    }

    /// The two nearest points.
    pub fn witnesses(&self) -> [Member; 2] {
        [0, 1]
            .map(|side| member::mix(self.simplex.iter().map(|(share, corner)| (*share, corner.members[side].clone()))))
    }

    /// The corners of the simplex.
    pub fn corners(&self) -> Vec<[Member; 2]> {
        self.simplex.iter().map(|(_, corner)| corner.members.clone()).collect()
    }
}

/// The separation of the cores along a direction in the frame of A, to rounding; negative where they overlap.
pub(super) fn separation(a: &ProvableCore<'_>, b: &ProvableCore<'_>, b_in_a: &Frame, direction: DVec3) -> f64 {
    -direction.dot(corner(a, b, b_in_a, direction, DVec3::ZERO).w) / direction.length()
}

/// The corner of A - B that is farthest along a direction. Ties go to a vertex, not to a point between vertices.
pub(super) fn corner(
    a: &ProvableCore<'_>,
    b: &ProvableCore<'_>,
    b_in_a: &Frame,
    direction: DVec3,
    tie: DVec3,
) -> DifferenceCorner {
    let (p, member_a) = a.corner(direction, tie);
    let (q, member_b) = b.corner(b_in_a.direction_in_b(-direction), b_in_a.direction_in_b(-tie));
    DifferenceCorner { w: p - b_in_a.point(q), members: [member_a, member_b] }
}

/// The nearest points of the cores; `toward` is a first guess of the direction from A to B, in the frame of A.
pub(super) fn nearest(a: &ProvableCore<'_>, b: &ProvableCore<'_>, b_in_a: &Frame, toward: DVec3) -> WeightedSimplex {
    let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    let mut simplex = vec![corner(a, b, b_in_a, toward, DVec3::ZERO)];
    let (mut least, mut best, mut encloses) = (f64::INFINITY, Vec::new(), false);
    let mut widest = (f64::NEG_INFINITY, DVec3::ZERO);
    for _ in 0..MAX_ROUNDS {
        let points: Vec<DVec3> = simplex.iter().map(|corner| corner.w).collect();
        let found = double_double::nearest(&points);
        let kept = (0..simplex.len()).filter(|i| found.part >> i & 1 == 1);
        let weighted: Vec<(f64, DifferenceCorner)> = kept.map(|i| (found.weights[i], simplex[i].clone())).collect();
        simplex = weighted.iter().map(|(_, corner)| corner.clone()).collect();
        let length = found.v.length();
        encloses = found.part == 15;
        if length < least || encloses {
            (least, best) = (length, weighted);
        }
        // The numbers of twice the digits round by about ε² of the scale.
        if encloses || length <= f64::EPSILON * f64::EPSILON * scale {
            break;
        }
        let next = corner(a, b, b_in_a, -found.v, DVec3::ZERO);
        let apart = found.v.dot(next.w) / length;
        if apart > widest.0 {
            widest = (apart, -found.v / length);
        }
        // Written so that a NaN ends the search.
        let progress = found.v.dot(found.v) - found.v.dot(next.w);
        // Progress below the rounding error of the products in doubles is none.
        if !(progress > 0.25 * f64::EPSILON * scale * length) || simplex.iter().any(|corner| corner.w == next.w) {
            break;
        }
        simplex.push(next);
    }
    // A checker must see that the origin is inside, with corners that are not quite these.
    encloses = encloses && is_well_inside(&best, 32.0 * f64::EPSILON * scale);
    WeightedSimplex { simplex: best, encloses, direction: widest.1 }
}

/// Is the origin farther from all faces of a tetrahedron than that?
fn is_well_inside(tetrahedron: &[(f64, DifferenceCorner)], margin: f64) -> bool {
    let [a, b, c, d] = tetrahedron else { return false };
    let height = |[p, q, r]: [&(f64, DifferenceCorner); 3]| {
        let normal = (q.1.w - p.1.w).cross(r.1.w - p.1.w);
        normal.dot(p.1.w).abs() / normal.length()
    };
    [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].into_iter().all(|face| height(face) > margin)
}
