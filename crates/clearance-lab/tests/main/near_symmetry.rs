//! Depths of pairs that are almost symmetric: closed, and by a bounded amount of work.
//!
//! `PAIRS=100000 cargo test --release -p clearance-lab --test main near_symmetry -- --nocapture` is the long form, and prints a table.

use clearance::math::{DMat3, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, Shape, Status, distance};
use clearance_io::Answer;
use clearance_lab::Rng;
use clearance_lab::soak::near_symmetry::{FAMILIES, draw};
use clearance_lab::soak::{Plan, exact, run};
use clearance_verify::Verdict;
use std::collections::BTreeMap;
use std::time::Duration;

/// Limit on the support points and functions of the most expensive depth.
const MOST_WORK: u32 = 37_000;

/// The results of one family.
#[derive(Default)]
struct Row {
    overlaps: usize,
    /// Wider than 1e-10 of the size.
    wide: usize,
    widest: f64,
    /// Support points and functions evaluated, of every answer.
    work: Vec<u32>,
}

impl Row {
    fn work_at(&self, share: f64) -> u32 {
        self.work.get((self.work.len() as f64 * share) as usize).or(self.work.last()).copied().unwrap_or(0)
    }
}

#[test]
fn depths_of_nearly_symmetric_pairs_are_closed_with_bounded_work() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let pairs = number("PAIRS").unwrap_or(1500);
    let seed = number("SEED").unwrap_or(0) as u64;
    let mut all = Vec::new();
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut row = Row::default();
        for pair in 0..pairs {
            let mut rng = Rng::with_seed((seed << 48) ^ ((family as u64) << 32) ^ pair as u64);
            let drawn = draw(&mut rng, family);
            let (a, b) = (drawn.a.build(), drawn.b.build());
            let found = distance(&a, drawn.pose_a, &b, drawn.pose_b);
            row.work.push(found.cost.support_calls);
            let size = a.bounding_radius()
                + b.bounding_radius()
                + (drawn.pose_b.translation() - drawn.pose_a.translation()).length();
            if !(found.upper < 0.0 && size > 0.0) {
                continue;
            }
            row.overlaps += 1;
            let width = (found.upper - found.lower) / size;
            row.widest = row.widest.max(width);
            if width > 1e-10 {
                row.wide += 1;
                println!("{name} {pair}: {width:.1e}, {:?}\n  {:?}\n  {:?}", found.cost, drawn.a, drawn.b);
            }
        }
        row.work.sort_unstable();
        println!(
            "{name:>10}: {} overlaps, {} wide, widest {:.1e}, work p50 {} p99 {} p99.9 {} most {}",
            row.overlaps,
            row.wide,
            row.widest,
            row.work_at(0.5),
            row.work_at(0.99),
            row.work_at(0.999),
            row.work_at(1.0)
        );
        all.push(row);
    }
    let overlaps: usize = all.iter().map(|row| row.overlaps).sum();
    let wide = |of: &dyn Fn(&str) -> bool| -> usize {
        all.iter().zip(FAMILIES).filter(|(_, name)| of(name)).map(|(row, _)| row.wide).sum()
    };
    let (needles, others) = (wide(&|name| name == "needles"), wide(&|name| name != "needles"));
    println!("{overlaps} overlaps, {needles} needles and {others} others wide");
    // The remaining ones are images of cylinders, tilted copies of each other.
    assert!((needles + others) * 10_000 <= overlaps, "{needles} needles and {others} others of {overlaps} are wide");
    assert!(all.iter().all(|row| row.widest <= 1e-6), "a bracket is wider than 1e-6");
    assert!(all.iter().all(|row| row.work_at(1.0) <= MOST_WORK), "more work than any depth may take");
}

/// Needles with valleys narrower than the cells of an earlier search, tilted against kinks, or beside cones, and flat cylinders that are tilted
/// copies. All of them used up all work and stayed open.
#[test]
fn needles_that_were_open_are_closed() {
    let needles = [223, 267, 668, 965, 1028, 1091, 1114, 1488, 1531, 2134, 2286, 3003, 3404, 3764, 4113, 5468, 5746];
    let twins = [411, 426, 4172, 4299, 7295, 7871];
    for pair in needles.into_iter().chain(twins) {
        let drawn = draw(&mut Rng::with_seed((3 << 32) ^ pair), 3);
        let (a, b) = (drawn.a.build(), drawn.b.build());
        let found = distance(&a, drawn.pose_a, &b, drawn.pose_b);
        let size = a.bounding_radius() + b.bounding_radius();
        assert!(found.upper - found.lower <= 1e-11 * size, "{pair}: {found:?}");
        assert_eq!(found.status, Status::Converged, "{pair}");
    }
}

/// Needles of which the soak refuted brackets: their curvature was only rounding error.
#[test]
fn needles_that_were_refuted_are_right() {
    for pair in [62523, 420923, 642739, 661779, 1175691, 1327283, 2470355, 2712219, 2945347, 2966963, 3342555, 3355211]
    {
        let time = Duration::MAX;
        let plan = Plan { seed: 20_261_160, threads: 1, time, pairs: u64::MAX, exact: 1, only: Some(pair) };
        let tally = run(&plan, |_, _| {});
        assert!(tally.failures == 0 && tally.queries > 60, "{pair}: {:?}", tally.refuted);
    }
}

#[test]
fn depths_of_nearly_symmetric_pairs_are_proved_by_the_checker() {
    let pairs = std::env::var("PROOFS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let (mut proved, mut reasons) = (0, BTreeMap::<String, usize>::new());
    for (family, name) in FAMILIES.iter().enumerate() {
        for pair in 0..pairs {
            let drawn = draw(&mut Rng::with_seed(((family as u64) << 32) ^ pair), family);
            let found = distance(&drawn.a.build(), drawn.pose_a, &drawn.b.build(), drawn.pose_b);
            match exact::verdict(&drawn, &Answer::Distance(found)) {
                Some(Verdict::Proved) => proved += 1,
                Some(Verdict::Undecided(why)) => {
                    println!("{name} {pair}: {why}\n  {:?}\n  {:?}\n  {found:?}", drawn.a, drawn.b);
                    let words = why.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_owned();
                    *reasons.entry(format!("{name}: {words}")).or_default() += 1;
                }
                Some(Verdict::Refuted(why)) => panic!("{name} {pair}: {why}\n{drawn:?}\n{found:?}"),
                None => panic!("{name} {pair} cannot be checked"),
            }
        }
    }
    let undecided: usize = reasons.values().sum();
    println!("{proved} proved, {undecided} undecided: {reasons:#?}");
    assert!(undecided * 100 <= proved, "{undecided} undecided: {reasons:#?}");
}

/// Pairs that a report of open brackets named.
#[test]
fn named_near_symmetric_depths_are_closed_and_right() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]);
    let stretched = |x: f64| DMat3::from_diagonal(DVec3::new(1.0 + x, 1.0, 1.0));
    let near_ball = Shape::affine(&Shape::sphere(1.0).unwrap(), stretched(1e-6)).unwrap();
    let cases = [
        // Beside the axis by 0.01: it leaves through the wall, 100 + 10 less that.
        (
            Shape::cylinder(Axis::Y, Radius(100.0), HalfHeight(50.0)),
            Shape::capsule(Axis::Y, Radius(10.0), HalfHeight(50.0)),
            at(0.01, 0.0, 0.0),
            109.99,
        ),
        (Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(2.0)), Ok(Shape::point()), at(1e-4, 0.0, 0.0), 1.0 - 1e-4),
        (Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(2.0)), Shape::sphere(0.25), at(0.0, 0.5, 1e-9), 1.25 - 1e-9),
        (Ok(near_ball.clone()), Ok(Shape::point()), at(0.0, 1e-3, 0.0), 1.0 - 1e-3),
        (Ok(near_ball), Shape::sphere(0.5), at(0.0, 0.0, 0.0), 1.5),
        // A needle beside the axis of a disc. With α the latitude of a direction, t, l the radii of the needle, r, h those of the disc and
        // (x, y) their offset, the depth is the least (r - x) cos α + h |sin α| + |(t cos α, l sin α)| - y sin α: at α = 4.6084e-10, in
        // 50 digits.
        (
            Shape::ellipsoid([1.6433634034373485e-9, 0.9893850648229888, 1.6433634034373485e-9]),
            Shape::cylinder(Axis::Y, Radius(0.375), HalfHeight(0.04568869718336946)),
            at(-1.8124732270585753e-10, 0.31019986740299066, -1.0642930980964138e-10),
            0.375_000_001_373_359_4,
        ),
    ];
    for (number, (a, b, pose_b, depth)) in cases.into_iter().enumerate() {
        let (a, b) = (a.unwrap(), b.unwrap());
        for found in [distance(&a, Pose::IDENTITY, &b, pose_b), distance(&b, pose_b, &a, Pose::IDENTITY)] {
            let size = a.bounding_radius() + b.bounding_radius();
            assert!(
                found.lower <= -depth + 1e-14 * size && -depth - 1e-14 * size <= found.upper,
                "case {number}: {found:?}"
            );
            assert!(found.upper - found.lower <= 1e-11 * size, "case {number}: {found:?}");
            assert_eq!(found.status, Status::Converged, "case {number}");
        }
    }
}
