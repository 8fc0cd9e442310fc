//! Feature tracking against the oracle and GJK: the experiments of the V-Clip paper, as proofs.
//!
//! `TRACKING=full` in the environment runs them in full: a million calls of algorithm 9, 100,000 trials of algorithm 10,
//! 100,000 pairs that overlap or do not.

use clearance::math::DVec3;
use clearance::narrow::{gjk, vclip};
use clearance::{Engine, Pair, Pose, Shape};
use clearance_lab::experiments::coherence::{self, Size};
use clearance_lab::experiments::degeneracy;
use clearance_lab::motion::Track;
use clearance_lab::{Rng, models, oracle, random};

fn is_full() -> bool {
    std::env::var("TRACKING").is_ok_and(|text| text == "full")
}

#[test]
fn algorithm_9_agrees_with_gjk_and_never_needs_a_rescue() {
    let (size, angles) = if is_full() { (Size::FULL, 26) } else { (Size { runs: 2, calls: 250 }, 26) };
    let mut calls = 0;
    for (name, points) in coherence::shapes() {
        for degrees in (0..angles).step_by(if is_full() { 1 } else { 5 }) {
            let row = coherence::run(name, &points, f64::from(degrees), size);
            assert!(row.difference <= 1e-12, "{name}, {degrees} degrees: off by {:e}", row.difference);
            assert_eq!(row.rescues, 0, "{name}, {degrees} degrees");
            calls += row.calls;
        }
    }
    assert!(!is_full() || calls >= 1_000_000);
}

#[test]
fn algorithm_9_agrees_with_the_oracle_whoever_tracks() {
    let step = if is_full() { 10 } else { 100 };
    for (name, points) in coherence::shapes().into_iter().take(3) {
        let (reach, shape) = (models::reach(&points), Shape::hull(&points).unwrap());
        for degrees in [0.0, 1.0, 25.0] {
            let mut rng = Rng::with_seed(9);
            for engine in [Engine::Auto, Engine::VClip] {
                let mut pair = Pair::new(&shape, &shape).engine(engine);
                for (i, pose) in Track::new(&mut rng, reach, degrees).enumerate() {
                    let found = pair.distance(Pose::IDENTITY, pose);
                    if i % step != 7 {
                        continue;
                    }
                    let truth = oracle::distance(&points, Pose::IDENTITY, &points, pose);
                    assert!((found.distance - truth.distance()).abs() <= 1e-12 * reach, "{name}: {found:?} {truth:?}");
                    let least = truth.distance() - truth.certificate_gap();
                    assert!(found.lower <= truth.distance() && least <= found.upper, "{name}: {found:?} {truth:?}");
                }
            }
        }
    }
}

/// Fast motion of a large round body: starting anew takes fewer steps than walking from where the features were, slow
/// motion is walked, and the answers are the same.
#[test]
fn fast_motion_starts_anew_and_answers_the_same() {
    let points = models::geodesic_sphere(3);
    let (reach, shape) = (models::reach(&points), Shape::hull(&points).unwrap());
    for (degrees, share) in [(1.0, 0.99..=1.01), (25.0, 0.0..=0.75)] {
        let mut rng = Rng::with_seed(25);
        let (mut auto, mut walker) = (Pair::new(&shape, &shape), Pair::new(&shape, &shape).engine(Engine::VClip));
        let mut steps = [0, 0];
        for pose in Track::new(&mut rng, reach, degrees).take(1000) {
            let (a, w) = (auto.distance(Pose::IDENTITY, pose), walker.distance(Pose::IDENTITY, pose));
            assert!((a.distance - w.distance).abs() <= 1e-12 * reach, "{a:?} {w:?}");
            steps[0] += a.cost.iterations;
            steps[1] += w.cost.iterations;
        }
        let part = f64::from(steps[0]) / f64::from(steps[1]);
        assert!(share.contains(&part), "{degrees} degrees: {steps:?} steps");
    }
}

#[test]
fn algorithm_10_finds_no_circle_no_wrong_distance_and_no_false_penetration() {
    let trials = if is_full() { 100_000 } else { 300 };
    for setting in degeneracy::SETTINGS {
        for engine in [Engine::VClip, Engine::Auto] {
            let report = degeneracy::run(engine, setting, trials);
            let faults = [report.wrong, report.false_penetrations];
            assert_eq!(faults, [0; 2], "{engine:?} {setting:?} {report:?}");
            // One call in six million is no circle but two almost parallel edges whose bracket stays open, and GJK's.
            assert!(report.rescues <= report.calls / 1_000_000, "{engine:?} {setting:?} {report:?}");
            assert!(report.calls > 20 * trials, "{report:?}");
        }
    }
}

#[test]
fn penetration_is_seen_exactly_when_gjk_sees_it() {
    let pairs = if is_full() { 100_000 } else { 3000 };
    let mut rng = Rng::with_seed(44);
    let hulls: Vec<Vec<DVec3>> = (0..20).map(|i| models::random_hull(&mut rng, 4 + 5 * i)).collect();
    let bodies: Vec<_> = hulls.iter().map(|points| clearance::hull::convex_hull(points).unwrap()).collect();
    let (mut unclear, mut inside, mut cache) = (0, 0, vclip::Cache::default());
    for _ in 0..pairs {
        let (a, b) = (&bodies[rng.usize(..20)], &bodies[rng.usize(..20)]);
        // From deep inside to just outside.
        let center = random::direction(&mut rng) * random::uniform(&mut rng, 0.0, 1.6);
        let frame = clearance::math::Frame::from(Pose::new(center, random::rotation(&mut rng)));
        if rng.bool() {
            cache = vclip::Cache::default();
        }
        let found = vclip::distance(a, b, &frame, &mut cache);
        let says_overlap = found.lower <= 0.0;
        let truth = gjk::intersects(a, b, &frame, &mut gjk::Cache::default());
        if found.lower <= 0.0 && found.upper >= 0.0 {
            // Touching within rounding, or an open bracket of a shallow overlap.
            unclear += 1;
        }
        assert_eq!(says_overlap, truth, "{found:?}");
        inside += usize::from(truth);
    }
    assert!(inside > pairs / 4 && inside < pairs, "{inside}");
    assert!(unclear <= inside, "{unclear}");
}
