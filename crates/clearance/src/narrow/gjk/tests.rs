//! Every exit driven by name, the promises of the bracket, and what the cache may and may not do.

use super::*;
use crate::shape::{Cuboid, Polytope};
use crate::tuning::convex::PREFILTER_ROUNDS;
use fastrand::Rng;
use glam::DQuat;
use std::sync::atomic::{AtomicU32, Ordering};

/// A shape that only answers queries, in a way of its own, and counts them.
struct Custom<F> {
    calls: AtomicU32,
    answer: F,
}

impl<F: Fn(u32, DVec3) -> DVec3> Custom<F> {
    fn new(answer: F) -> Self {
        Self { calls: AtomicU32::new(0), answer }
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl<F> std::fmt::Debug for Custom<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Custom")
    }
}

impl<F: Fn(u32, DVec3) -> DVec3 + Send + Sync> Convex for Custom<F> {
    fn support(&self, direction: DVec3) -> DVec3 {
        (self.answer)(self.calls.fetch_add(1, Ordering::Relaxed), direction)
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn bounding_radius(&self) -> f64 {
        4.0
    }
}

fn cube() -> Cuboid {
    Cuboid::new(DVec3::ONE).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Frame {
    Frame { translation: DVec3::new(x, y, z), ..Frame::IDENTITY }
}

fn cold<A: Convex, B: Convex>(a: &A, b: &B, frame: &Frame) -> Outcome {
    distance(a, b, frame, &mut WarmSimplex::default())
}

fn random(rng: &mut Rng) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
}

fn placed(rng: &mut Rng, translation: DVec3) -> Frame {
    let rotation = DQuat::from_xyzw(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5).normalize();
    Frame { rotation: glam::DMat3::from_quat(rotation), translation }
}

fn hull(rng: &mut Rng, count: usize, stretch: DVec3) -> Polytope {
    let points: Vec<DVec3> = (0..count).map(|_| random(rng).normalize_or(DVec3::X) * stretch).collect();
    crate::shape::polytope::convex_hull(&points).unwrap()
}

#[test]
fn converged_boxes_apart() {
    let out = cold(&cube(), &cube(), &at(3.0, 0.5, 0.25));
    assert_eq!(out.exit, Exit::Converged);
    assert!(out.closed && (out.distance - 1.0).abs() < 1e-15 && out.normal.abs_diff_eq(DVec3::X, 1e-14));
    assert!((1..=3).contains(&out.count));
    assert!(out.ids[..usize::from(out.count)].iter().all(|[a, b]| a & 1 == 1 && b & 1 == 0));
}

#[test]
fn near_zero_corners_touch() {
    let out = cold(&cube(), &cube(), &at(2.0, 2.0, 2.0));
    assert_eq!(out.exit, Exit::NearZero);
    assert!(out.lower <= 0.0 && 0.0 <= out.upper && out.upper < 1e-13);
    assert!(intersects(&cube(), &cube(), &at(2.0, 2.0, 2.0), &mut WarmSimplex::default()));
}

#[test]
fn enclosed_boxes_overlap() {
    let out = cold(&cube(), &cube(), &at(0.5, 0.3, -0.2));
    assert_eq!(out.exit, Exit::Enclosed);
    assert!(out.upper <= 1e-14 && out.lower <= -1.5 && out.distance <= -1.5, "{out:?}");
}

#[test]
fn beyond_a_limit() {
    let out =
        distance_up_to::<SignedVolumes, _, _>(&cube(), &cube(), &at(9.0, 0.1, 0.0), 2.0, &mut WarmSimplex::default());
    assert!(out.exit == Exit::Beyond && 2.0 < out.lower && out.lower <= 7.0);
}

#[test]
fn bad_support_is_told_and_the_bracket_is_everything() {
    let nan = Custom::new(|_, _| DVec3::NAN);
    let out = cold(&nan, &cube(), &at(3.0, 0.0, 0.0));
    assert_eq!((out.exit, out.closed), (Exit::BadSupport, false));
    assert_eq!((out.lower, out.upper, out.distance.is_nan()), (f64::NEG_INFINITY, f64::INFINITY, false));
}

#[test]
fn iteration_limit_against_a_shape_that_never_settles() {
    // Each answer is a little nearer than the one before, whatever was asked.
    let creeping = Custom::new(|call, _| DVec3::new(1.0 + 1.0 / f64::from(call + 1), 0.0, 0.0));
    let point = Custom::new(|_, _| DVec3::ZERO);
    let out = cold(&creeping, &point, &Frame::IDENTITY);
    assert_eq!(out.exit, Exit::IterationLimit);
    assert_eq!(out.cost.iterations, PREFILTER_ROUNDS + MAX_ITERATIONS + refine::MAX_ROUNDS);
}

#[test]
fn a_stale_axis_costs_time_and_no_more() {
    let round = |_, direction: DVec3| direction.normalize_or_zero();
    let (a, b) = (Custom::new(round), Custom::new(round));
    let mut cache = WarmSimplex::default();
    assert!(!intersects(&a, &b, &at(2.0, 1.0, 0.0), &mut cache));
    assert!(!intersects(&a, &b, &at(-3.0, 0.0, 0.0), &mut cache));
    assert!(intersects(&a, &b, &at(-0.5, 0.0, 0.0), &mut cache));
}

#[test]
fn slow_warm_answers_are_cold_answers_within_the_bracket() {
    let mut rng = Rng::with_seed(42);
    for _ in 0..300 {
        let stretch = DVec3::new(1.0, rng.f64(), rng.f64());
        let (n, m) = (rng.usize(1..60), rng.usize(1..60));
        let (a, b) = (hull(&mut rng, n, stretch), hull(&mut rng, m, DVec3::ONE));
        let mut cache = WarmSimplex::default();
        for _ in 0..10 {
            let direction = random(&mut rng) * 3.0;
            let frame = placed(&mut rng, direction);
            let reference = cold(&a, &b, &frame);
            let warm = distance(&a, &b, &frame, &mut cache);
            assert!(warm.lower <= reference.upper && reference.lower <= warm.upper);
            if reference.lower > 0.0 {
                assert!(warm.closed && (warm.distance - reference.distance).abs() < 1e-13);
            }
            assert!(warm.cost.iterations <= PREFILTER_ROUNDS + MAX_ITERATIONS + refine::MAX_ROUNDS);
        }
    }
}

#[test]
fn a_cache_of_other_shapes_is_harmless() {
    let mut rng = Rng::with_seed(43);
    let mut cache = WarmSimplex::default();
    let (large, small) = (hull(&mut rng, 200, DVec3::ONE), hull(&mut rng, 4, DVec3::ONE));
    distance(&large, &large, &at(3.0, 0.1, 0.0), &mut cache);
    let out = distance(&small, &cube(), &at(4.0, 0.0, 0.0), &mut cache);
    assert!(out.closed && (out.distance - cold(&small, &cube(), &at(4.0, 0.0, 0.0)).distance).abs() < 1e-14);
}

#[test]
fn radii_are_added_to_the_cores() {
    let ball = crate::shape::Sphere::new(0.5).unwrap();
    let out = cold(&ball, &ball, &at(0.0, 3.0, 4.0));
    assert!(out.closed && (out.distance - 4.0).abs() < 1e-14);
    assert!((out.point_a - DVec3::new(0.0, 0.3, 0.4)).length() < 1e-15);
    assert!(intersects(&ball, &ball, &at(0.0, 0.0, 0.999), &mut WarmSimplex::default()));
    assert!(!intersects(&ball, &ball, &at(0.0, 0.0, 1.001), &mut WarmSimplex::default()));
    let deep = cold(&ball, &ball, &at(0.0, 0.0, 0.25));
    assert!(deep.lower <= -0.75 && -0.75 <= deep.upper);
}

#[test]
fn a_remembered_tetrahedron_says_yes_only_where_a_search_does() {
    use crate::shape::polytope::convex_hull;
    let mut rng = fastrand::Rng::with_seed(41);
    let (mut held, mut asked) = (0, 0);
    for round in 0..200 {
        let scale = 10.0_f64.powi(round % 9 - 4);
        let mut vector = || DVec3::from_array([(); 3].map(|()| scale * (2.0 * rng.f64() - 1.0)));
        let [a, b] = [0, 1].map(|_| convex_hull(&(0..12).map(|_| vector()).collect::<Vec<_>>()).unwrap());
        let way = vector().normalize_or(DVec3::X);
        let mut cache = WarmSimplex::default();
        // Ever closer to where the two touch, from both sides.
        let (mut inside, mut outside) = (0.0, 4.0 * scale);
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            let frame = Frame { translation: middle * way, ..Frame::IDENTITY };
            let remembered = cache.count == 4 && confirm::still_overlap(&Difference::new(&a, &b, &frame), &cache);
            let truth = distance(&a, &b, &frame, &mut WarmSimplex::default());
            assert!(!remembered || truth.lower <= 0.0, "{truth:?}");
            assert!(intersects(&a, &b, &frame, &mut cache) || truth.upper > 0.0, "{truth:?}");
            (held, asked) = (held + usize::from(remembered), asked + 1);
            *(if truth.lower <= 0.0 { &mut inside } else { &mut outside }) = middle;
        }
    }
    assert!(held > 200 && held < asked / 2, "representative: {held} of {asked}");
}

/// Two hulls, a corner of B over the middle of a face of A at that many roundings; fewer than none overlap. With the normal.
fn facing(rng: &mut Rng, roundings: f64) -> (Polytope, Polytope, Frame, DVec3) {
    let (a, b) = (hull(rng, 12, DVec3::ONE), hull(rng, 12, DVec3::ONE));
    let face = a.face(rng.u32(0..a.face_count() as u32));
    let normal = face.normal;
    let mut frame = placed(rng, DVec3::ZERO);
    let lowest = frame.point(b.support(frame.direction_in_b(-normal)));
    let middle = face.vertices.iter().map(|&v| a.vertex(v)).sum::<DVec3>() / face.vertices.len() as f64;
    frame.translation = middle - lowest;
    let rounding = Difference::new(&a, &b, &frame).rounding;
    frame.translation += roundings * rounding * normal;
    (a, b, frame, normal)
}

/// Every intersection test of GJK, cold and along the axis that is known to be the best.
fn answers<A: Convex, B: Convex>(a: &A, b: &B, frame: &Frame, normal: DVec3) -> [bool; 3] {
    [
        intersects(a, b, frame, &mut WarmSimplex::default()),
        intersects_here::<true, SignedVolumes, _, _>(a, b, frame, &mut WarmSimplex::default()),
        intersects(a, b, frame, &mut WarmSimplex::of_axis(-normal)),
    ]
}

/// A height that rounding could have made proves nothing: "apart" is said of larger gaps only, and of all of those.
#[test]
fn a_gap_within_rounding_is_not_apart_and_a_larger_one_is() {
    let mut rng = Rng::with_seed(44);
    for _ in 0..200 {
        let (a, b, frame, normal) = facing(&mut rng, 0.3);
        assert_eq!(answers(&a, &b, &frame, normal), [true; 3], "{frame:?}");
        let (a, b, frame, normal) = facing(&mut rng, 8.0);
        assert_eq!(answers(&a, &b, &frame, normal), [false; 3], "{frame:?}");
        let ball = crate::shape::Sphere::new(0.5).unwrap();
        let normal = random(&mut rng).normalize();
        for (roundings, answer) in [(0.3, true), (8.0, false)] {
            let scale = ball.bounding_radius() + ball.bounding_radius() + 1.0;
            let frame = placed(&mut rng, (1.0 + roundings * crate::math::rounding::ROUNDING * scale) * normal);
            assert_eq!(answers(&ball, &ball, &frame, normal), [answer; 3], "{roundings}");
        }
    }
}

/// The single-precision search says "apart" and "open" only where its own rounding cannot have made it so.
#[test]
fn the_prefilter_proves_nothing_within_its_rounding() {
    use crate::narrow::gjk_f32::{prefilter, prefilter_cold};
    let mut rng = Rng::with_seed(45);
    for round in 0..3000 {
        // From a tenth to a hundred times what a number of single precision can tell, and to both sides.
        let size = 10.0_f64.powf(6.0 + 3.0 * rng.f64());
        let roundings = if round % 2 == 0 { size } else { -size };
        let (a, b, frame, normal) = facing(&mut rng, roundings);
        let difference = Difference::new(&a, &b, &frame);
        let wrong = if roundings > 0.0 { FilterVerdict::Overlapping } else { FilterVerdict::Apart };
        for axis in [-normal, difference.center()] {
            assert_ne!(prefilter::<false, _, _>(&difference, axis, &[]).verdict, wrong, "{roundings}");
            assert_ne!(prefilter_cold(&difference, axis).verdict, wrong, "{roundings}");
            // The search for the nearest simplex proves overlaps only.
            if roundings > 0.0 {
                assert_ne!(prefilter::<true, _, _>(&difference, axis, &[]).verdict, wrong, "{roundings}");
            }
        }
    }
}

/// The bound is the best height of the search, whatever comes after it.
#[test]
fn a_lower_height_does_not_lower_the_bound() {
    let (a, b, frame) = (cube(), cube(), at(5.0, 0.0, 0.0));
    let difference = Difference::new(&a, &b, &frame);
    let mut progress = search::Progress::new(&difference, f64::INFINITY);
    for (height, best) in [(2.0, 2.0), (1.0, 2.0), (-1.0, 2.0), (2.5, 2.5), (0.5, 2.5)] {
        // Along a v of length 2.
        progress.raise(2.0 * height, 4.0);
        assert!((progress.lower() - best).abs() < 1e-15, "{height}: {}", progress.lower());
        assert_eq!(progress.stop(2.0 * 0.25, 4.0), None);
        assert!((progress.lower() - best).abs() < 1e-15, "{height}: {}", progress.lower());
    }
    progress.resume(3.0);
    progress.raise(2.0, 1.0);
    assert_eq!(progress.lower(), 3.0);
}

/// A bound that the first search has proved stays proved when the careful one continues from a worse plane, and when it ends at once.
#[test]
fn the_careful_search_keeps_the_bound_it_was_given() {
    let (a, b, frame) = (cube(), cube(), at(5.0, 0.5, 0.25));
    let difference = Difference::new(&a, &b, &frame);
    let mut reducer = Reducer::<SignedVolumes>::default();
    // A corner far from the nearest, along which the height is less than the distance.
    reducer.insert(difference.support(DVec3::new(1.0, 2.0, 3.0)));
    let plain =
        search::distance(&difference, f64::INFINITY, &WarmSimplex::default(), &mut Reducer::<SignedVolumes>::default());
    assert!((plain.lower - 3.0).abs() < 1e-14);
    let mut search = search::Search { lower: plain.lower, height: f64::NEG_INFINITY, v: DVec3::X, ..plain };
    refine::refine(&difference, 0.0, &mut reducer.simplex, &mut search);
    assert_eq!(search.exit, Exit::Beyond, "one round, along a poor axis: {search:?}");
    assert!(search.height < 2.9 && search.lower == plain.lower, "{search:?}");
    // Nothing to go on from but a v whose plane was not asked about.
    let mut search = search::Search { height: f64::NEG_INFINITY, v: DVec3::new(-1.0, -1.0, 0.0), ..plain };
    refine::refine(&difference, f64::INFINITY, &mut Reducer::<SignedVolumes>::default().simplex, &mut search);
    assert!(search.height < 2.9 && search.lower == plain.lower, "{search:?}");
}

/// A box by its support function alone, which counts the queries.
fn counted_box(half: DVec3) -> Custom<impl Fn(u32, DVec3) -> DVec3> {
    Custom::new(move |_, direction: DVec3| half.copysign(direction))
}

/// Incremental separating axis: where the line of centres does not separate, one query is enough only with the axis of the
/// last call.
#[test]
fn a_remembered_axis_saves_the_search_that_found_it() {
    fn check<S: Subalgorithm>() {
        // Two plates side by side, whose centres are far apart along them.
        let plate = DVec3::new(2.0, 0.1, 2.0);
        let (a, b) = (counted_box(plate), counted_box(plate));
        let calls = |frame: &Frame, cache: &mut WarmSimplex| {
            let before = a.calls();
            assert!(!intersects_with::<S, _, _>(&a, &b, frame, cache));
            a.calls() - before
        };
        let mut cache = WarmSimplex::default();
        let cold = calls(&at(3.0, 0.5, 0.0), &mut cache);
        assert!(cold > 1, "the line of centres does not separate");
        assert!(cache.axis() != DVec3::ZERO);
        for step in 1..20 {
            let shift = 0.01 * f64::from(step);
            assert_eq!(calls(&at(3.0 - shift, 0.5 - shift, shift), &mut cache), 1);
        }
    }
    check::<SignedVolumes>();
}

/// Four remembered corners hold the origin only if it is inside by more than rounding, however flat they are.
#[test]
fn a_remembered_tetrahedron_that_rounding_could_turn_over_is_not_believed() {
    let point = crate::shape::polytope::convex_hull(&[DVec3::ZERO]).unwrap();
    let remembered = |a: &Polytope, frame: &Frame| {
        let cache = WarmSimplex::of_simplex(&[[0, 0], [1, 0], [2, 0], [3, 0]]);
        confirm::still_overlap(&Difference::new(a, &point, frame), &cache)
    };
    // The origin under a face, by a few roundings.
    let solid = crate::shape::polytope::convex_hull(
        &[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p - DVec3::new(0.25, 0.25, 0.0)),
    )
    .unwrap();
    let rounding = Difference::new(&solid, &point, &Frame::IDENTITY).rounding;
    for (roundings, answer) in [(0.5, false), (-0.5, false), (100.0, true), (-100.0, false)] {
        assert_eq!(remembered(&solid, &at(0.0, 0.0, roundings * rounding)), answer, "{roundings}");
    }
    // Four points in one plane through the origin, which is far outside of them: all volumes are rounding.
    let mut rng = Rng::with_seed(46);
    for _ in 0..500 {
        let (u, v) = (random(&mut rng), random(&mut rng));
        let corners = [(); 4].map(|()| u * (1.0 + rng.f64()) + v * (rng.f64() - 0.5));
        let flat = crate::shape::polytope::convex_hull(&corners).unwrap();
        assert!(!remembered(&flat, &Frame::IDENTITY), "{corners:?}");
    }
}
