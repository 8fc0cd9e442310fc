//! Pairs of polytopes: random ones, apart or overlapping, and [structured](fn@structured) ones, each built around a hazard.

mod placement;
mod structured;

pub use placement::{place_apart, place_overlapping};
pub use structured::{KINDS, structured};

use crate::{models, random};
use clearance::Pose;
use clearance::math::DVec3;
use fastrand::Rng;

/// Two point sets with their poses, and the known bounds of their distance.
#[derive(Debug, Clone)]
pub struct Case {
    /// Points of A in its own frame; not all need be vertices of their hull.
    pub points_a: Vec<DVec3>,
    /// The pose of A.
    pub pose_a: Pose,
    /// Points of B in its own frame.
    pub points_b: Vec<DVec3>,
    /// The pose of B.
    pub pose_b: Pose,
    /// The name of the pair, for messages.
    pub what: String,
    /// The greatest distance of a point from the origin of its frame, or of one origin from the other: the scale of an
    /// answer's rounding.
    pub size: f64,
    /// The distance by construction.
    pub expect: Expect,
    /// Slivers, nearly parallel edges, sizes that differ by a factor above a thousand: too difficult for formulas in plain doubles.
    pub is_extreme: bool,
}

/// The promise of a construction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expect {
    /// A positive distance.
    Apart,
    /// This distance, to rounding.
    Gap {
        /// The intended distance.
        distance: f64,
        /// A bound on the change by the rounding of the poses.
        slack: f64,
    },
    /// A point in common, well inside.
    Overlapping,
    /// A point in common, but only of the surfaces: exactly zero, which an engine need not find exactly.
    Touching,
    /// None: too close to call.
    Anything,
}

impl Expect {
    /// True if a distance is as promised. Zero stands for overlapping.
    #[must_use]
    pub fn admits(&self, found: f64) -> bool {
        match *self {
            Self::Apart => found > 0.0,
            Self::Gap { distance, slack } => found > 0.0 && (found - distance).abs() <= slack,
            Self::Overlapping | Self::Touching => found == 0.0,
            Self::Anything => found >= 0.0,
        }
    }
}

/// A random pair with a distance of 0.01 to 1: hulls, ellipsoids, spindles and lenses of 4 to 40 points.
#[must_use]
pub fn separated(rng: &mut Rng) -> Case {
    let (points_a, points_b) = (any_hull(rng), any_hull(rng));
    let (pose_a, pose_b) = place_apart(rng, &support(&points_a), &support(&points_b));
    case("random, apart", points_a, pose_a, points_b, pose_b, Expect::Apart)
}

/// A random pair that overlaps: an interior point of A is put on one of B.
#[must_use]
pub fn overlapping(rng: &mut Rng) -> Case {
    let (points_a, points_b) = (any_hull(rng), any_hull(rng));
    let pose_a = Pose::new(random::vector(rng, -1.0, 1.0), random::rotation(rng));
    let turn = random::rotation(rng);
    let common = pose_a.transform_point(inner_point(rng, &points_a));
    let pose_b = Pose::new(common - turn * inner_point(rng, &points_b), turn);
    case("random, overlapping", points_a, pose_a, points_b, pose_b, Expect::Overlapping)
}

fn case(what: &str, points_a: Vec<DVec3>, pose_a: Pose, points_b: Vec<DVec3>, pose_b: Pose, expect: Expect) -> Case {
    let apart = (pose_b.translation() - pose_a.translation()).length();
    let size = models::bounding_radius(&points_a).max(models::bounding_radius(&points_b)).max(apart);
    Case { points_a, pose_a, points_b, pose_b, what: what.into(), size, expect, is_extreme: false }
}

fn any_hull(rng: &mut Rng) -> Vec<DVec3> {
    let count = rng.usize(4..=40);
    match rng.u32(0..4) {
        0 => models::random_hull(rng, count),
        1 => models::random_ellipsoid(rng, count),
        2 => models::random_spindle(rng, count),
        _ => models::random_lens(rng, count),
    }
}

/// A mean of all points with random weights: inside their hull, wherever the origin is.
fn inner_point(rng: &mut Rng, points: &[DVec3]) -> DVec3 {
    let weights: Vec<f64> = points.iter().map(|_| random::uniform(rng, 0.05, 1.0)).collect();
    let sum = points.iter().zip(&weights).fold(DVec3::ZERO, |sum, (&point, &weight)| sum + weight * point);
    sum / weights.iter().sum::<f64>()
}

fn support(points: &[DVec3]) -> impl Fn(DVec3) -> DVec3 {
    |direction| models::farthest(points, direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    fn truth(case: &Case) -> oracle::Oracle {
        oracle::distance(&case.points_a, case.pose_a, &case.points_b, case.pose_b)
    }

    #[test]
    fn random_pairs_are_what_they_claim() {
        let mut rng = Rng::with_seed(21);
        for _ in 0..2000 {
            for case in [separated(&mut rng), overlapping(&mut rng)] {
                let found = truth(&case);
                assert!(case.expect.admits(found.distance()), "{}: {found:?}", case.what);
                assert!(found.certificate_gap() <= 1e-24, "{}: {found:?}", case.what);
            }
        }
    }

    #[test]
    fn structured_pairs_are_what_they_claim_and_the_oracle_proves_it() {
        let mut rng = Rng::with_seed(22);
        let mut overlapping = 0;
        for index in 0..500 * KINDS {
            let case = structured(&mut rng, index);
            let found = truth(&case);
            overlapping += usize::from(found.is_overlapping());
            assert!(case.expect.admits(found.distance()), "{}: {:?} but {found:?}", case.what, case.expect);
            assert!(found.certificate_gap() <= 1e-15 * case.size, "{}: {found:?}", case.what);
        }
        // Two of the fifteen kinds intend an overlap or a touch.
        assert!((1..200 * KINDS).contains(&overlapping), "{overlapping} overlap");
    }

    #[test]
    fn the_same_seed_gives_the_same_pair() {
        for index in 0..KINDS {
            let draw = || structured(&mut Rng::with_seed(5), index);
            assert_eq!((draw().points_b, draw().pose_b), (draw().points_b, draw().pose_b));
        }
    }
}
