//! Sections 4 and 5 of the GJK paper: the number of iterations, by tolerance and by shape; the stops of searches; the subsets that Johnson's
//! subalgorithm tests.

use crate::gjk::counted::{JohnsonCounts, Options, STOPS, Search, Stop, distance};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::{Axis, HalfHeight, Radius};
use clearance::{Convex, Pose, Shape};
use clearance_lab::{Rng, models, random};

/// The point of A - B farthest along a direction, roundings included.
pub fn support<'a>(shapes: [&'a Shape; 2], frame: &'a Frame) -> impl Fn(DVec3) -> DVec3 + 'a {
    let [a, b] = shapes.map(|shape| shape.convex().expect("a convex shape"));
    let point = |convex: &dyn Convex, d: DVec3| convex.support(d) + convex.radius() * d.normalize_or_zero();
    move |d: DVec3| point(a, d) - frame.point(point(b, frame.direction_in_b(-d)))
}

/// A family of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Two balls.
    Spheres,
    /// Two ellipsoids: images of balls.
    Ellipsoids,
    /// Two cones.
    Cones,
    /// Two cylinders.
    Cylinders,
    /// Hulls of that many points of an ellipsoid.
    Polytopes(usize),
}

impl Family {
    /// The quadrics.
    pub const QUADRICS: [Self; 4] = [Self::Spheres, Self::Ellipsoids, Self::Cones, Self::Cylinders];

    /// Its name.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Spheres => "spheres".into(),
            Self::Ellipsoids => "ellipsoids".into(),
            Self::Cones => "cones".into(),
            Self::Cylinders => "cylinders".into(),
            Self::Polytopes(count) => format!("polytopes, {count} vertices"),
        }
    }

    fn draw(self, rng: &mut Rng) -> Shape {
        let [x, y, z] = random::vector(rng, 0.3, 1.0).to_array();
        match self {
            Self::Spheres => Shape::sphere(x),
            Self::Ellipsoids => Shape::ellipsoid([x, y, z]),
            Self::Cones => Shape::cone(Axis::Y, Radius(x), HalfHeight(y)),
            Self::Cylinders => Shape::cylinder(Axis::Y, Radius(x), HalfHeight(y)),
            Self::Polytopes(count) => Shape::hull(&models::random_hull(rng, count)),
        }
        .expect("sizes are positive")
    }
}

/// Pairs of a family that are apart, by less than their size.
#[must_use]
pub fn pairs(family: Family, count: usize, seed: u64) -> Vec<([Shape; 2], Pose)> {
    let mut rng = Rng::with_seed(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let shapes = [family.draw(&mut rng), family.draw(&mut rng)];
        let reach = shapes[0].bounding_radius() + shapes[1].bounding_radius();
        let way = random::direction(&mut rng) * (reach * random::uniform(&mut rng, 0.5, 1.5));
        let pose = Pose::new(way, random::rotation(&mut rng));
        let clear = clearance::distance(&shapes[0], Pose::IDENTITY, &shapes[1], pose);
        if clear.lower > 0.01 * reach {
            found.push((shapes, pose));
        }
    }
    found
}

/// The mean number of iterations over some pairs.
#[must_use]
pub fn mean_iterations(pairs: &[([Shape; 2], Pose)], epsilon: f64) -> f64 {
    let mut sum = 0.0;
    for (shapes, pose) in pairs {
        let frame = Frame::from(*pose);
        let [a, b] = shapes.each_ref().map(|shape| shape.convex().expect("a convex shape").center());
        let support = support([&shapes[0], &shapes[1]], &frame);
        let first = support(frame.point(b) - a);
        sum += f64::from(distance(support, first, &Options::paper(epsilon), &mut JohnsonCounts::default()).rounds);
    }
    sum / pairs.len() as f64
}

/// The stops of searches, the paper's and the original's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exits {
    /// By stop, in the order of [`STOPS`].
    pub paper: [u64; 5],
    /// The same for the original.
    pub original: [u64; 5],
    /// The gain of the backup procedure where the paper's form found no subset: parts of the length.
    pub gains: Vec<f64>,
    /// The counts of Johnson's subalgorithm in the paper's searches, with theorem 2.
    pub with_theorem: JohnsonCounts,
    /// Its counts in the same searches without it.
    pub without_theorem: JohnsonCounts,
    /// Calls of the subalgorithm with theorem 2 that tested more subsets than the theorem permits.
    pub over: u64,
    /// Searches with another length without theorem 2.
    pub differ: u64,
}

/// Two polytopes of sizes that differ by up to six orders of magnitude, close to each other, and the ratio of the sizes.
#[must_use]
pub fn uneven_pair(rng: &mut Rng) -> ([Shape; 2], Pose, f64) {
    let ratio = random::magnitude(rng, 0.0, 6.0);
    let number = [8, 20, 50][rng.usize(0..3)];
    let large = models::random_hull(rng, number);
    let small: Vec<DVec3> = if rng.bool() { models::cube() } else { models::random_hull(rng, 12) };
    let small: Vec<DVec3> = small.iter().map(|p| *p / ratio).collect();
    let large = if rng.bool() { models::cuboid(DVec3::new(1.0, 0.7, 0.5)) } else { large };
    // Off a point of the surface, by less than the size of the small one.
    let out = random::direction(rng);
    let at = models::farthest(&large, out) * random::uniform(rng, 0.0, 1.0);
    let height = models::farthest(&large, out).dot(out) - at.dot(out);
    let gap = random::magnitude(rng, -4.0, 0.0) / ratio;
    let turn = random::rotation(rng);
    let below = models::farthest(&small, turn.conjugate() * -out).dot(turn.conjugate() * -out);
    let pose = Pose::new(at + out * (height + below + gap), turn);
    ([Shape::hull(&large).expect("points"), Shape::hull(&small).expect("points")], pose, ratio)
}

/// Polytopes of sizes that differ by up to six orders of magnitude, close to each other.
#[must_use]
pub fn exits(count: usize, epsilon: f64, seed: u64) -> Exits {
    let mut rng = Rng::with_seed(seed);
    let mut found = Exits::default();
    for _ in 0..count {
        let (shapes, pose, _) = uneven_pair(&mut rng);
        let frame = Frame::from(pose);
        let first = support([&shapes[0], &shapes[1]], &frame)(DVec3::X);
        let run = |options: Options, counts: &mut JohnsonCounts| -> Search {
            distance(support([&shapes[0], &shapes[1]], &frame), first, &options, counts)
        };
        let place = |stop: Stop| STOPS.iter().position(|(known, _)| *known == stop).unwrap_or(0);
        let before = found.with_theorem;
        let paper = run(Options::paper(epsilon), &mut found.with_theorem);
        let tested = found.with_theorem.subsets - before.subsets;
        // The first call has no newest point: one point, one subset.
        found.over += u64::from(tested > found.with_theorem.subsets_allowed - before.subsets_allowed);
        found.paper[place(paper.stop)] += 1;
        found.gains.extend(paper.backup_gain);
        let all = Options { newest_only: false, ..Options::paper(epsilon) };
        let without = run(all, &mut found.without_theorem);
        found.differ += u64::from((without.v.length() - paper.v.length()).abs() > 1e-9 * (1.0 + paper.v.length()));
        let original = run(Options::original(epsilon), &mut JohnsonCounts::default());
        found.original[place(original.stop)] += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_digits_take_more_iterations_for_quadrics_only() {
        let quadrics = pairs(Family::Ellipsoids, 30, 3);
        let [few, many] = [1e-2, 1e-8].map(|epsilon| mean_iterations(&quadrics, epsilon));
        assert!(many > few + 3.0, "{few} {many}");
        let hulls = pairs(Family::Polytopes(20), 30, 3);
        let [few, many] = [1e-6, 1e-12].map(|epsilon| mean_iterations(&hulls, epsilon));
        assert!((many - few).abs() < 0.5, "{few} {many}");
    }

    #[test]
    fn all_searches_are_accounted_for() {
        let found = exits(50, 1e-9, 7);
        assert_eq!((found.paper.iter().sum::<u64>(), found.original.iter().sum::<u64>()), (50, 50));
        assert_eq!((found.paper[4], found.over), (0, 0), "{found:?}");
    }
}
