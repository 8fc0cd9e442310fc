//! GJK as the papers print it: its tolerances are arguments, every operation is counted, and no answer is repaired.
//!
//! The engine of the library ([`clearance::internals::narrow::gjk`]) differs: its stops follow from rounding, and it passes stalled searches on.
//! Here are
//!
//! * [`distance`]: algorithm 1 of \[GJK\] with any support mapping, the stops of section 5 one by one, and the original without them,
//! * [`separating_axis`]: algorithm 2, from any axis (ISA-GJK),
//! * [`enhanced`]: Enhanced GJK, the one that \[VC\] compares with: hill climbing, and the simplex of the last call.

pub mod enhanced;
pub mod johnson;
mod operations;

pub use johnson::{JohnsonCounts, Simplex};
pub use operations::Operations;

use clearance::math::DVec3;

/// The choice of the paper's means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// ε: the relative error of |v| at which the search ends.
    pub epsilon: f64,
    /// ω: the length |v| at which the search ends.
    pub omega: f64,
    /// True if a support point of the last round ends the search (section 5).
    pub stops_on_repeat: bool,
    /// True if only subsets with the newest point are tested (theorem 2).
    pub newest_only: bool,
    /// True if the best subset is used when none is valid, as in the original, instead of ending the search.
    pub has_backup: bool,
    /// A search of more rounds does not end.
    pub most_rounds: u32,
    /// True if ε is the error of |v| itself, as algorithm 1 prints it, instead of its part of |v| (section 5).
    pub is_absolute: bool,
    /// True if the lower bound is μ, the greatest δ so far, instead of the last δ (section 2).
    pub is_monotone: bool,
}

impl Options {
    /// The means of the paper.
    #[must_use]
    pub fn paper(epsilon: f64) -> Self {
        Self {
            epsilon,
            omega: 1e-14,
            stops_on_repeat: true,
            newest_only: true,
            has_backup: false,
            most_rounds: 1000,
            is_absolute: false,
            is_monotone: true,
        }
    }

    /// The original of 1988, with the paper's stop on the relative error.
    #[must_use]
    pub fn original(epsilon: f64) -> Self {
        Self { stops_on_repeat: false, newest_only: false, has_backup: true, ..Self::paper(epsilon) }
    }
}

/// The stop of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// |v| - μ <= ε |v|.
    Close,
    /// |v| <= ω, or the origin is in the tetrahedron.
    Zero,
    /// The support point is one that the last round had.
    Repeated,
    /// No subset is valid.
    NoSubset,
    /// It did not end.
    TooLong,
}

/// All stops.
pub const STOPS: [(Stop, &str); 5] = [
    (Stop::Close, "error bound"),
    (Stop::Zero, "zero"),
    (Stop::Repeated, "repeated support point"),
    (Stop::NoSubset, "no subset"),
    (Stop::TooLong, "no end"),
];

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// The point of A - B nearest to the origin.
    pub v: DVec3,
    /// μ: a lower bound on its length.
    pub lower: f64,
    /// The number of support points of A - B.
    pub rounds: u32,
    /// The stop.
    pub stop: Stop,
    /// Rounds in which δ was less than μ.
    pub falls: u32,
    /// The support points of the last four rounds, the newest first.
    pub recent: [DVec3; 4],
    /// The gain of the backup procedure where no subset was valid: the part of the length by which it would shorten v.
    pub backup_gain: Option<f64>,
}

/// Algorithm 1. `support` gives the point of A - B farthest along a direction, `v` is a first point of A - B.
pub fn distance(
    support: impl Fn(DVec3) -> DVec3,
    mut v: DVec3,
    options: &Options,
    counts: &mut JohnsonCounts,
) -> Search {
    let mut simplex = Simplex::default();
    let (mut last, mut last_count) = ([DVec3::ZERO; 4], 0);
    let mut lower: f64 = 0.0;
    let (mut rounds, mut falls) = (0, 0);
    let mut recent = [DVec3::NAN; 4];
    let mut backup_gain = None;
    let stop = loop {
        let length = v.length();
        if length <= options.omega || simplex.count() == 4 {
            break Stop::Zero;
        }
        if rounds == options.most_rounds {
            break Stop::TooLong;
        }
        rounds += 1;
        let w = support(-v);
        recent.rotate_right(1);
        recent[0] = w;
        let delta = v.dot(w) / length;
        falls += u32::from(delta < lower);
        lower = if options.is_monotone { lower.max(delta) } else { delta.max(0.0) };
        if length - lower <= if options.is_absolute { options.epsilon } else { options.epsilon * length } {
            break Stop::Close;
        }
        if options.stops_on_repeat && last[..last_count].contains(&w) {
            break Stop::Repeated;
        }
        simplex.insert(w, [0; 2], counts);
        last_count = 0;
        for point in simplex.points() {
            last[last_count] = point;
            last_count += 1;
        }
        let mut all = simplex.clone();
        match simplex.reduce(options.newest_only && rounds > 1, counts) {
            Some(nearest) => v = nearest,
            None => {
                let best = all.reduce_to_best(&mut Operations::default());
                if !options.has_backup {
                    backup_gain = best.map(|best| (1.0 - best.length() / length).max(0.0));
                    break Stop::NoSubset;
                }
                simplex = all;
                let Some(best) = best else { break Stop::NoSubset };
                v = best;
            }
        }
    };
    Search { v, lower, rounds, stop, falls, recent, backup_gain }
}

/// Algorithm 2, from an axis. Returns the verdict, the axis and the number of support points; `None` if it does not end.
pub fn separating_axis(
    support: impl Fn(DVec3) -> DVec3,
    mut v: DVec3,
    omega: f64,
    counts: &mut JohnsonCounts,
) -> (Option<DVec3>, u32) {
    let mut simplex = Simplex::default();
    for rounds in 1..1000 {
        let w = support(-v);
        if v.dot(w) > 0.0 {
            return (Some(v), rounds);
        }
        if simplex.points().any(|point| point == w) {
            return (None, rounds);
        }
        simplex.insert(w, [0; 2], counts);
        match simplex.reduce(rounds > 1, counts) {
            Some(nearest) if simplex.count() < 4 && nearest.length() > omega => v = nearest,
            _ => return (None, rounds),
        }
    }
    (None, 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::internals::hull::convex_hull;
    use clearance::internals::narrow::{Difference, gjk};
    use clearance::math::Frame;
    use clearance::{Pose, Shape};
    use clearance_lab::{Rng, models, random};

    #[test]
    fn it_finds_what_the_engine_finds() {
        let mut rng = Rng::with_seed(5);
        let mut counts = [JohnsonCounts::default(); 2];
        for round in 0..300 {
            let hulls = [20, 20].map(|count| convex_hull(&models::random_hull(&mut rng, count)).unwrap());
            let pose = Pose::new(
                random::direction(&mut rng) * random::uniform(&mut rng, 0.5, 3.0),
                random::rotation(&mut rng),
            );
            let frame = Frame::from(pose);
            let difference = Difference::new(&hulls[0], &hulls[1], &frame);
            let truth = gjk::distance(&hulls[0], &hulls[1], &frame, &mut gjk::WarmSimplex::default());
            let support = |d: DVec3| difference.support(-d).w;
            for (options, counts) in [Options::paper(1e-12), Options::original(1e-12)].iter().zip(&mut counts) {
                let found = distance(support, difference.center(), options, counts);
                assert_eq!(found.stop == Stop::Zero, !truth.is_apart(), "{round} {found:?} {truth:?}");
                if truth.is_apart() {
                    assert!((found.v.length() - truth.distance).abs() < 1e-9, "{found:?} {truth:?}");
                    assert!(found.lower <= truth.upper);
                }
            }
            let (axis, _) = separating_axis(support, difference.center(), 1e-14, &mut counts[0]);
            assert_eq!(axis.is_some(), truth.is_apart());
            let shapes = hulls.map(|hull| Shape::Polytope(std::sync::Arc::new(hull)));
            assert_eq!(clearance::intersects(&shapes[0], Pose::IDENTITY, &shapes[1], pose), axis.is_none());
        }
        let [paper, original] = counts;
        assert!(paper.subsets < original.subsets && paper.subsets <= paper.subsets_allowed);
    }

    #[test]
    fn the_paper_s_loop_ends_where_the_original_s_does_not() {
        // A relative error of zero is never met.
        let cube = convex_hull(&models::cube()).unwrap();
        let (mut long, mut rng) = (0, Rng::with_seed(2));
        for _ in 0..200 {
            let frame = Frame::from(Pose::new(random::direction(&mut rng) * 4.0, random::rotation(&mut rng)));
            let difference = Difference::new(&cube, &cube, &frame);
            let support = |d: DVec3| difference.support(-d).w;
            let run =
                |options: Options| distance(support, difference.center(), &options, &mut JohnsonCounts::default());
            assert_ne!(run(Options::paper(0.0)).stop, Stop::TooLong);
            long += u32::from(run(Options::original(0.0)).stop == Stop::TooLong);
        }
        assert!(long > 0);
    }
}
