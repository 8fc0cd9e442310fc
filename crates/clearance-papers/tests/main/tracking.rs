//! Feature tracking against the oracle and GJK: the experiments of the V-Clip paper, as proofs.
//!
//! `TRACKING=full` in the environment runs them in full: a million calls of algorithm 9, 100,000 trials of algorithm 10,
//! 100,000 pairs that overlap or do not.

use clearance::internals::narrow::{gjk, vclip};
use clearance::math::DVec3;
use clearance::{Engine, Pair, Pose, Shape};
use clearance_lab::motion::Track;
use clearance_lab::{Rng, models, oracle, random};
use clearance_papers::engines::LinCanny;
use clearance_papers::vclip::coherence::{self, Size};
use clearance_papers::vclip::degeneracy::{self, Tracker};
use clearance_papers::vclip::lin_canny;

fn is_full() -> bool {
    std::env::var("TRACKING").is_ok_and(|text| text == "full")
}

#[test]
fn algorithm_9_agrees_with_gjk_and_never_needs_a_fallback() {
    let (size, angles) = if is_full() { (Size::FULL, 26) } else { (Size { runs: 2, calls: 250 }, 26) };
    let mut calls = 0;
    for (name, points) in coherence::shapes() {
        for degrees in (0..angles).step_by(if is_full() { 1 } else { 5 }) {
            let row = coherence::run(name, &points, f64::from(degrees), size);
            for column in [row.vclip, row.lin_canny] {
                assert!(column.difference <= 1e-12, "{name}, {degrees} degrees: off by {:e}", column.difference);
            }
            assert_eq!(row.vclip.fallbacks, 0, "{name}, {degrees} degrees");
            // Lin-Canny's faults are many, and each is seen and put right.
            assert_eq!(row.lin_canny.fallbacks, row.faults.calls(), "{name}, {degrees} degrees");
            calls += row.calls;
        }
    }
    assert!(!is_full() || calls >= 1_000_000);
}

#[test]
fn algorithm_9_agrees_with_the_oracle_whoever_tracks() {
    let step = if is_full() { 10 } else { 100 };
    for (name, points) in coherence::shapes().into_iter().take(3) {
        let (reach, shape) = (models::bounding_radius(&points), Shape::hull(&points).unwrap());
        for degrees in [0.0, 1.0, 25.0] {
            let mut rng = Rng::with_seed(9);
            for engine in [Some(Engine::Auto), Some(Engine::VClip), None] {
                let mut pair = Pair::new(&shape, &shape).engine(engine.unwrap_or_default());
                let mut lin_canny = LinCanny::default();
                for (i, pose) in Track::new(&mut rng, reach, degrees).enumerate() {
                    let found = match engine {
                        Some(_) => pair.distance(Pose::IDENTITY, pose),
                        None => pair.distance_by(&mut lin_canny, Pose::IDENTITY, pose),
                    };
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
    let (reach, shape) = (models::bounding_radius(&points), Shape::hull(&points).unwrap());
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
            let report = degeneracy::run(Tracker::Library(engine), setting, trials);
            let faults = [report.wrong, report.false_penetrations, report.fallbacks];
            assert_eq!(faults, [0; 3], "{engine:?} {setting:?} {report:?}");
            assert!(report.calls > 20 * trials, "{report:?}");
        }
    }
}

#[test]
fn algorithm_10_shows_the_faults_of_lin_canny_and_every_answer_is_right_all_the_same() {
    let trials = if is_full() { 100_000 } else { 300 };
    for setting in degeneracy::SETTINGS {
        let report = degeneracy::run(Tracker::LinCanny, setting, trials);
        assert_eq!([report.wrong, report.false_penetrations], [0; 2], "{setting:?} {report:?}");
        assert_eq!(report.fallbacks as u64, report.faults.calls(), "{setting:?} {report:?}");
        assert!(report.faults.wrong_distances > 0 && report.faults.inexact > 0, "{setting:?} {report:?}");
        assert_eq!([report.faults.overlaps, report.faults.false_gaps], [0; 2], "{setting:?} {report:?}");
        assert!(!is_full() || report.faults.cycles > 0, "{setting:?} {report:?}");
        assert!(report.calls > 20 * trials, "{report:?}");
    }
}

#[test]
fn penetration_is_seen_exactly_when_gjk_sees_it() {
    let pairs = if is_full() { 100_000 } else { 3000 };
    let mut rng = Rng::with_seed(44);
    let hulls: Vec<Vec<DVec3>> = (0..20).map(|i| models::random_hull(&mut rng, 4 + 5 * i)).collect();
    let bodies: Vec<_> = hulls.iter().map(|points| clearance::internals::hull::convex_hull(points).unwrap()).collect();
    let (mut unclear, mut inside, mut cache) = (0, 0, vclip::ClosestFeatures::default());
    let (mut faults, mut other_cache) = (lin_canny::Faults::default(), lin_canny::LastFeatures::default());
    for _ in 0..pairs {
        let (a, b) = (&bodies[rng.usize(..20)], &bodies[rng.usize(..20)]);
        // From deep inside to just outside.
        let center = random::direction(&mut rng) * random::uniform(&mut rng, 0.0, 1.6);
        let frame = clearance::math::Frame::from(Pose::new(center, random::rotation(&mut rng)));
        if rng.bool() {
            cache = vclip::ClosestFeatures::default();
            other_cache = lin_canny::LastFeatures::default();
        }
        // V-Clip's own verdict first, since the answer about an overlap is GJK's; from nothing, since the cache may be about other bodies.
        let verdict = vclip::verdict_counted(a, b, &frame, &mut vclip::ClosestFeatures::default(), &mut ());
        let found = vclip::distance(a, b, &frame, &mut cache);
        let says_overlap = verdict == vclip::MarchVerdict::Penetrating;
        assert_ne!(verdict, vclip::MarchVerdict::Unfinished);
        let truth = gjk::intersects(a, b, &frame, &mut gjk::WarmSimplex::default());
        if found.lower <= 0.0 && found.upper >= 0.0 {
            // Touching within rounding, or an open bracket of a shallow overlap.
            unclear += 1;
        }
        assert_eq!((says_overlap, found.lower <= 0.0), (truth, truth), "{found:?}");
        let other = lin_canny::distance_counted(a, b, &frame, &mut other_cache, &mut (), &mut faults);
        assert_eq!(other.lower <= 0.0, truth, "{other:?}");
        inside += usize::from(truth);
    }
    assert!(inside > pairs / 4 && inside < pairs, "{inside}");
    assert!(unclear <= inside, "{unclear}");
    assert_eq!(faults.overlaps + faults.false_gaps, inside as u64, "Lin-Canny sees no overlap: {faults:?}");
}
