//! The contract of every pair of kinds of shape at the ends of the range, in other units, and as parts of compounds.
//!
//! The contract of every single answer is in `matrix.rs`.

use crate::kinds::{Diamond, rotation, vector};
use crate::{judge, kinds};
use clearance::math::DVec3;
use clearance::{Clearance, Convex, Pair, Pose, Shape, Status, distance, intersects};

/// Every bounded kind with its name, in units of `s`.
fn bounded(s: f64) -> Vec<(&'static str, Shape)> {
    kinds::bounded(s).into_iter().map(|kind| (kind.name, kind.shape)).collect()
}

/// The answer, which fulfils the contract.
#[track_caller]
fn ask(what: &str, a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Clearance {
    let c = distance(a, pose_a, b, pose_b);
    assert_eq!(judge::fault(a, pose_a, b, pose_b, &c), None, "{what}");
    c
}

#[test]
fn overlapping_pairs_have_a_bracket_below_zero_and_a_way_out() {
    let mut rng = fastrand::Rng::with_seed(2);
    for (name_a, a) in bounded(1.0) {
        for (name_b, b) in bounded(1.0) {
            let (Some(core_a), Some(core_b)) = (a.convex(), b.convex()) else { continue };
            for round in 0..8 {
                let what = format!("{name_a} and {name_b}, round {round}");
                // A point of A is put on a point of B; in round 0 the two centres.
                let pose_a = Pose::new(vector(&mut rng, 1.0), rotation(&mut rng));
                let turn = rotation(&mut rng);
                let point = |core: &dyn Convex, rng: &mut fastrand::Rng| {
                    let other = core.support(vector(rng, 1.0));
                    core.center() + if round == 0 { 0.0 } else { rng.f64() } * (other - core.center())
                };
                let meeting = pose_a.transform_point(point(core_a, &mut rng)) - turn * point(core_b, &mut rng);
                let pose_b = Pose::new(meeting, turn);
                let c = ask(&what, &a, pose_a, &b, pose_b);
                assert!(c.lower <= 0.0 && c.upper <= 1e-12, "{what}: {c:?}");
                assert!(intersects(&a, pose_a, &b, pose_b), "{what}");
                assert!(distance(&b, pose_b, &a, pose_a).lower <= 0.0, "{what}");
                // The lower bound is a proof that this translation of B frees it.
                let free = Pose::new(pose_b.translation() + (1e-9 - c.lower) * c.normal, turn);
                assert!(!intersects(&a, pose_a, &b, free), "{what}: {c:?}");
            }
        }
    }
}

#[test]
fn a_change_of_unit_changes_the_answer_by_that_factor() {
    let mut rng = fastrand::Rng::with_seed(3);
    for scale in [1e-40, 1e-3, 1e3, 1e40] {
        for ((name_a, a), (_, big_a)) in bounded(1.0).into_iter().zip(bounded(scale)) {
            for ((name_b, b), (_, big_b)) in bounded(1.0).into_iter().zip(bounded(scale)) {
                let (turn_a, turn_b) = (rotation(&mut rng), rotation(&mut rng));
                let (at_a, at_b) = (vector(&mut rng, 1.0), vector(&mut rng, 1.0).normalize() * 6.0);
                let c = distance(&a, Pose::new(at_a, turn_a), &b, Pose::new(at_b, turn_b));
                let what = format!("{name_a} and {name_b} times {scale:e}");
                let [big_at_a, big_at_b] = [Pose::new(scale * at_a, turn_a), Pose::new(scale * at_b, turn_b)];
                let big = ask(&what, &big_a, big_at_a, &big_b, big_at_b);
                assert!((big.distance / scale - c.distance).abs() <= 1e-11, "{what}: {big:?} against {c:?}");
            }
        }
    }
}

#[test]
fn nothing_is_ever_nan_at_the_ends_of_the_range() {
    let sizes = [0.0, 1e-300, 1e-75, 1e-20, 1.0, 1e20, 9e59];
    // One in eleven of all that there are. No count is a multiple of it, so every size meets every size and every kind every kind.
    let mut number = 0;
    let mut rng = fastrand::Rng::with_seed(4);
    for (size_a, size_b) in sizes.iter().flat_map(|a| sizes.iter().map(move |b| (*a, *b))) {
        for (name_a, a) in bounded(0.1 * size_a) {
            for (name_b, b) in bounded(0.1 * size_b) {
                for place in [0.0, size_a, size_b, 1e60] {
                    number += 1;
                    if number % 11 != 0 {
                        continue;
                    }
                    let pose_b = Pose::new(vector(&mut rng, 1.0).normalize() * place, rotation(&mut rng));
                    let c = distance(&a, Pose::IDENTITY, &b, pose_b);
                    let what = format!("{name_a} of {size_a:e} and {name_b} of {size_b:e} at {place:e}: {c:?}");
                    let numbers = [c.distance, c.lower, c.upper, c.point_a.x, c.point_b.y, c.normal.z];
                    assert!(numbers.iter().all(|x| x.is_finite()), "{what}");
                    assert!(c.lower <= c.distance && c.distance <= c.upper, "{what}");
                    let _ = intersects(&a, Pose::IDENTITY, &b, pose_b);
                }
            }
        }
    }
}

#[test]
fn half_spaces_are_exact_against_every_kind() {
    let mut rng = fastrand::Rng::with_seed(5);
    for (name, shape) in bounded(1.0) {
        let Some(core) = shape.convex() else { continue };
        for _ in 0..20 {
            let (normal, offset) = (vector(&mut rng, 1.0).normalize(), rng.f64());
            let plane = Shape::half_space(3.0 * normal, 3.0 * offset).unwrap();
            let (pose, ground) = (
                Pose::new(vector(&mut rng, 3.0), rotation(&mut rng)),
                Pose::new(vector(&mut rng, 1.0), rotation(&mut rng)),
            );
            let up = ground.transform_vector(normal);
            let lowest = pose.transform_point(core.support(pose.inverse_transform_vector(-up))).dot(up) - core.radius();
            let truth = lowest - ground.translation().dot(up) - offset;
            let c = ask(name, &plane, ground, &shape, pose);
            assert!(c.lower <= truth && truth <= c.upper && c.upper - c.lower < 1e-12, "{name}: {truth} {c:?}");
            assert_eq!(intersects(&shape, pose, &plane, ground), truth <= 0.0, "{name}");
            assert_eq!(distance(&shape, pose, &plane, ground).swapped().lower, c.lower);
        }
    }
    let (up, down) =
        (Shape::half_space([0.0, 2.0, 0.0], 0.0).unwrap(), Shape::half_space([0.0, -1.0, 0.0], -3.0).unwrap());
    let gap = distance(&up, Pose::IDENTITY, &down, Pose::IDENTITY);
    assert!((gap.distance - 3.0).abs() < 1e-14 && gap.normal == DVec3::Y);
    let crossing = Shape::half_space([1.0, 0.0, 0.0], 0.0).unwrap();
    let c = distance(&up, Pose::IDENTITY, &crossing, Pose::IDENTITY);
    assert!(c.distance == f64::NEG_INFINITY && c.upper == f64::NEG_INFINITY && c.point_a.is_finite());
    assert!(intersects(&up, Pose::IDENTITY, &crossing, Pose::IDENTITY));
}

#[test]
fn a_shape_of_the_users_own_is_answered_like_the_hull_it_is() {
    let corners = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    let twin = Shape::rounded(&Shape::hull(&corners).unwrap(), 0.125).unwrap();
    let own = Shape::custom(Diamond(1.0)).unwrap();
    let mut rng = fastrand::Rng::with_seed(6);
    for (name, other) in bounded(1.0) {
        let pose = Pose::new(vector(&mut rng, 1.0).normalize() * 5.0, rotation(&mut rng));
        let (c, truth) = (distance(&own, Pose::IDENTITY, &other, pose), distance(&twin, Pose::IDENTITY, &other, pose));
        assert!((c.distance - truth.distance).abs() < 1e-12, "{name}: {c:?} against {truth:?}");
    }
}

/// "Apart" is proved or not said: a gap that rounding could have made is none, for every pair of kinds, engine and memory; one that is
/// a few hundred times larger is seen.
#[test]
fn a_gap_within_rounding_is_not_apart_and_a_larger_one_is() {
    let kinds: Vec<_> = bounded(1.0).into_iter().filter(|(_, shape)| shape.convex().is_some()).collect();
    let plane = ("half-space", Shape::half_space([1.0, 0.0, 0.0], 1.0).unwrap());
    for ((name_a, a), (name_b, b)) in kinds.iter().chain([&plane]).flat_map(|a| kinds.iter().map(move |b| (a, b))) {
        // Farthest points on one line along x; no rotation, so that hardly anything is rounded.
        let farthest =
            |shape: &Shape, d: DVec3| shape.convex().map_or(DVec3::X, |core| core.support(d) + core.radius() * d);
        let touch = farthest(a, DVec3::X) - farthest(b, DVec3::NEG_X);
        let reach = |shape: &Shape| shape.convex().map_or(1.0, |core| core.bounding_radius() + core.radius());
        let size = reach(a) + reach(b) + touch.length();
        if size == 0.0 {
            continue; // Two points: nothing is rounded.
        }
        let at = |gap: f64| Pose::from_translation(touch + gap * DVec3::X);
        for engine in clearance::Engine::ALL {
            let what = format!("{name_a} and {name_b} by {engine:?}");
            for (gap, answer) in [(0.5 * f64::EPSILON * size, true), (200.0 * f64::EPSILON * size, false)] {
                let mut cold = Pair::new(a, b).engine(engine);
                assert_eq!(cold.intersects(Pose::IDENTITY, at(gap)), answer, "{what} at {gap:e}");
                // With a vector that has separated them from farther away.
                let mut warm = Pair::new(a, b).engine(engine);
                for far in [1.0, 0.5, 1e-3, 1e-6] {
                    assert!(!warm.intersects(Pose::IDENTITY, at(far)), "{what} at {far}");
                }
                assert_eq!(warm.intersects(Pose::IDENTITY, at(gap)), answer, "{what}, warm, at {gap:e}");
                // Beyond a margin is said with the same care.
                let margin = 0.25;
                for pair in [&mut cold, &mut warm] {
                    let found = pair.within(Pose::IDENTITY, at(margin + gap), margin);
                    assert_eq!(found.is_some(), answer, "{what}, {gap:e} beyond the margin");
                }
            }
        }
    }
}

/// A shape that breaks its promise for some directions.
#[derive(Debug)]
struct Broken;

impl Convex for Broken {
    fn support(&self, d: DVec3) -> DVec3 {
        if d.x < -0.9 * d.length() { DVec3::NAN } else { d.normalize_or_zero() }
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

#[test]
fn a_broken_shape_is_reported_and_breaks_nothing() {
    let broken = Shape::custom(Broken).unwrap();
    for (name, other) in bounded(1.0) {
        let c = distance(&broken, Pose::IDENTITY, &other, Pose::from_translation([-5.0, 0.0, 0.0]));
        let finite = c.distance.is_finite() && [c.point_a, c.point_b, c.normal].iter().all(|v| v.is_finite());
        assert!(c.lower <= c.upper && finite, "{name}: {c:?}");
        assert_eq!(c.status, Status::BadSupport, "{name}");
        assert_eq!((c.lower, c.upper), (f64::NEG_INFINITY, f64::INFINITY), "{name}");
        let _ = intersects(&broken, Pose::IDENTITY, &other, Pose::from_translation([-5.0, 0.0, 0.0]));
    }
}

#[test]
fn a_compound_is_as_close_as_its_closest_part() {
    let mut rng = fastrand::Rng::with_seed(7);
    for round in 0..200 {
        let kinds: Vec<Shape> = bounded(0.5).into_iter().map(|(_, s)| s).filter(|s| s.convex().is_some()).collect();
        let mut parts = |count: usize| -> Vec<(Shape, Pose)> {
            (0..count)
                .map(|_| {
                    (kinds[rng.usize(..kinds.len())].clone(), Pose::new(vector(&mut rng, 2.0), rotation(&mut rng)))
                })
                .collect()
        };
        let (a, b) = (parts(1 + round % 7), parts(1 + round % 5));
        // Nested compounds are taken apart.
        let inner = Shape::compound(b.clone()).unwrap();
        let (whole_a, whole_b) =
            (Shape::compound(a.clone()).unwrap(), Shape::compound([(inner, Pose::IDENTITY)]).unwrap());
        let pose_b = Pose::new(vector(&mut rng, 6.0), rotation(&mut rng));
        let mut truth = f64::INFINITY;
        for (shape_a, at_a) in &a {
            for (shape_b, at_b) in &b {
                truth = truth.min(distance(shape_a, *at_a, shape_b, pose_b * *at_b).distance);
            }
        }
        let c = distance(&whole_a, Pose::IDENTITY, &whole_b, pose_b);
        assert!((c.distance - truth).abs() < 1e-11, "{truth} {c:?}");
        assert_eq!(intersects(&whole_a, Pose::IDENTITY, &whole_b, pose_b), c.lower <= 0.0);
        let [i, j] = c.parts.map(|part| part as usize);
        let again = distance(&a[i].0, a[i].1, &b[j].0, pose_b * b[j].1);
        assert!((again.distance - c.distance).abs() < 1e-11, "the parts named are the ones");
        let mut pair = Pair::new(&whole_a, &whole_b);
        for _ in 0..2 {
            assert!((pair.distance(Pose::IDENTITY, pose_b).distance - c.distance).abs() < 1e-11, "warm");
        }
    }
}
