//! Depth, direction and points of two overlapping bodies.

use clearance::math::DVec3;
use clearance::{Clearance, DepthBudget, Pair, Pose, Status};

/// Width of the bracket of a depth, relative to the smaller body. Limit: a hundredth of a percent of the size, far below the depth of an impact; narrower takes longer.
const WIDTH: f64 = 1e-4;

/// Nodes of a depth search. Limit: about a millisecond; the upper bound, which the force uses, is a translation proved to free the bodies at any number.
const NODES: usize = 200;

/// How far beyond their depth bodies are moved for their manifold, relative to it. Bound: a gap at which normals are right.
const BEYOND: f64 = 1e-3;

/// The signed distance of two bodies, with the points that carry their contact.
#[derive(Debug, Clone)]
pub(super) struct Overlap {
    /// Minus the depth, if they overlap.
    pub gap: f64,
    /// From A to B: B moves along it out of A by the shortest way.
    pub normal: DVec3,
    /// Where they are closest, or deepest.
    pub place: DVec3,
    /// Points of the world, and the share of the force at each; the shares add up to one. None if the bodies are farther apart than the gap of contact.
    pub points: Vec<(DVec3, f64)>,
}

impl Overlap {
    /// Measures a pair at two poses; `size` is the radius of the smaller body.
    pub fn measure(pair: &mut Pair, [pose_a, pose_b]: [Pose; 2], touching: f64, size: f64) -> Self {
        let now = pair.distance(pose_a, pose_b);
        let middle = |found: &Clearance| 0.5 * (found.point_a + found.point_b);
        if now.is_apart() {
            let (gap, normal, place) = (now.lower, now.normal, middle(&now));
            let points = if gap <= touching { vec![(place, 1.0)] } else { Vec::new() };
            return Self { gap, normal, place, points };
        }
        let (depth, normal, shift) = match now.status {
            // The pair of parts that is deepest only bounds the depth of the whole.
            Status::Open => {
                let budget = DepthBudget { width: WIDTH * size, nodes: NODES, ..DepthBudget::default() };
                let found = pair.depth(pose_a, pose_b, budget);
                match found.translation.try_normalize() {
                    Some(out) if found.upper.is_finite() => (found.upper, -out, (1.0 + BEYOND) * found.upper),
                    _ => (-now.distance, now.normal, 0.0),
                }
            }
            _ => (-now.distance, now.normal, 0.0),
        };
        let freed = Pose::new(pose_b.translation() + shift * normal, pose_b.rotation());
        let mut points: Vec<(DVec3, f64)> = Vec::new();
        for manifold in pair.manifolds(pose_a, freed, shift.max(0.0)) {
            for point in manifold.points() {
                // How far the point is inside along the normal of its manifold.
                let depth = shift * normal.dot(manifold.normal) - point.distance;
                if depth > 0.0 {
                    let place = 0.5 * (pose_a.transform_point(point.point_a) + pose_b.transform_point(point.point_b));
                    points.push((place, depth));
                }
            }
        }
        let sum: f64 = points.iter().map(|(_, depth)| depth).sum();
        if sum > 0.0 {
            points.iter_mut().for_each(|(_, share)| *share /= sum);
        } else {
            points = vec![(middle(&now), 1.0)];
        }
        let place = points.iter().map(|(place, share)| *place * *share).sum();
        Self { gap: -depth, normal, place, points }
    }
}
