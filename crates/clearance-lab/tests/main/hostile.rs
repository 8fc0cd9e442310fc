//! Custom shapes that break every promise, and invalid numbers: no query panics, hangs, or returns NaN.

use clearance::broad::BroadKind;
use clearance::internals::broad::SLOTS;
use clearance::math::{Aabb, DMat3, DQuat, DVec3};
use clearance::world::{Config, Detail, World};
use clearance::{Axis, HalfHeight, Pose, QueryFilter, Radius, Shape};
use clearance_lab::Rng;
use clearance_lab::hostile::{self, Fault, Hostile};

/// `CASES=100000` is the long form.
#[test]
fn whatever_a_custom_shape_does_an_answer_is_made_of_numbers_in_order() {
    let cases = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let mut bad = 0;
    for number in 0..cases {
        match hostile::check(&mut Rng::with_seed(12 + 1_000_003 * number as u64), number) {
            Ok(count) => bad += count,
            Err(what) => panic!("case {number}: {what}"),
        }
    }
    assert!(bad > cases as u64, "representative: {bad}");
}

fn numbers() -> [f64; 14] {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    [0.0, -0.0, 1.0, -2.5, 1e-310, 1e-70, 1e59, -1e61, 1e200, f64::MAX, inf, -inf, nan, f64::MIN_POSITIVE]
}

#[test]
fn worlds_take_any_number() {
    let mut rng = Rng::with_seed(13);
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for broad in BroadKind::ALL {
        for detail in [Detail::Clearance, Detail::Intersection] {
            for margin in numbers() {
                let mut world = World::new(Config { broad, detail, margin, ..Config::default() });
                let mut ids = vec![
                    world.insert(Shape::hull(&corners).unwrap(), Pose::IDENTITY),
                    world.insert(Shape::sphere(1e59).unwrap(), Pose::from_translation([1e60, -1e60, 1e60])),
                    world.insert(Shape::half_space([0.0, 1.0, 0.0], -1.0).unwrap(), Pose::IDENTITY),
                    world.insert(Shape::custom(Hostile::new(Fault::LaterNan, 1.0)).unwrap(), Pose::IDENTITY),
                    world.insert(Shape::custom(Hostile::new(Fault::Random, 1.0)).unwrap(), Pose::IDENTITY),
                ];
                let gone = ids[1];
                for round in 0..6 {
                    let mut number = || numbers()[rng.usize(..14)];
                    let point = DVec3::new(number(), number(), number());
                    let bounds = Aabb { min: point, max: DVec3::new(number(), number(), number()) };
                    let _ = (
                        world.intersect_point(point, QueryFilter::ALL),
                        world.intersect_aabb(&bounds, QueryFilter::ALL),
                        world.set_margin(number()),
                    );
                    let margin = number();
                    let pose = Pose::try_new(point, DQuat::IDENTITY).unwrap_or_default();
                    for (_, c) in world.within(&Shape::sphere(0.5).unwrap(), pose, margin, QueryFilter::ALL) {
                        assert!(c.lower <= c.distance && c.distance <= c.upper && c.normal.is_finite(), "{c:?}");
                    }
                    let update = world.update();
                    for pair in update.within(margin).chain(update.overlapping()) {
                        if let Some(c) = pair.clearance {
                            assert!(c.lower <= c.distance && c.distance <= c.upper && c.normal.is_finite(), "{c:?}");
                        }
                    }
                    let _ = (
                        world.nearest(ids[0], QueryFilter::ALL),
                        world.nearest(gone, QueryFilter::ALL),
                        world.closest_pair(QueryFilter::ALL),
                    );
                    world.set_pose(ids[0], pose);
                    if round == 2 {
                        assert!(world.remove(gone).is_some() && world.remove(gone).is_none());
                        assert!(!world.set_pose(gone, pose) && !world.set_shape(gone, Shape::point()));
                        assert!(!world.set_group(gone, Some(u32::MAX)) && !world.set_fixed(gone, true));
                        world.set_ignored(gone, ids[0], true);
                        assert!(world.body(gone).is_none());
                        ids.push(world.insert(Shape::point(), pose));
                    }
                }
            }
        }
    }
}

#[test]
fn a_point_that_is_no_place_is_in_no_body() {
    let mut world = World::default();
    let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY);
    assert_eq!(world.intersect_point([0.0, -1.0, 0.0], QueryFilter::ALL), [floor]);
    for no_place in [[f64::NAN, -1.0, 0.0], [0.0, -1e61, 0.0], [0.0, f64::NEG_INFINITY, 0.0]] {
        assert_eq!(world.intersect_point(no_place, QueryFilter::ALL), []);
    }
}

#[test]
fn broad_phases_take_any_box_and_any_slot() {
    let mut rng = Rng::with_seed(14);
    for broad in BroadKind::ALL {
        let mut phase = broad.build();
        let mut slots = Vec::new();
        for _ in 0..400 {
            let mut number = || numbers()[rng.usize(..14)];
            let bounds =
                Aabb { min: DVec3::new(number(), number(), number()), max: DVec3::new(number(), number(), number()) };
            let limit = number();
            let slot = [0, 1, 2, 3, 5, 9, 30, u32::MAX, SLOTS][rng.usize(..9)];
            match rng.u32(..4) {
                0 => phase.remove(slot),
                _ => phase.set(slot, &bounds),
            }
            phase.update();
            let pairs = phase.pairs().to_vec();
            assert!(pairs.iter().all(|pair| pair.high() < 31 && pair.low() < pair.high()), "{broad:?}");
            phase.overlapping(&bounds, &mut slots);
            // A box without an inside overlaps nothing.
            let is_box = bounds.min.cmple(bounds.max).all();
            let truth: Vec<u32> = (0..31).filter(|&slot| is_box && phase.bounds(slot).overlaps(&bounds)).collect();
            assert_eq!(slots, truth, "{broad:?}: {bounds:?}");
            let mut visits = 0;
            phase.nearest(&bounds, limit, &mut |_, distance| {
                visits += 1;
                assert!(distance >= 0.0 && visits < 100, "{broad:?}");
                if visits % 3 == 0 { f64::NAN } else { limit }
            });
            assert_eq!(phase.bounds(u32::MAX), &Aabb::EMPTY);
        }
    }
}

#[test]
fn poses_and_shapes_that_are_no_numbers_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, f64::MAX] {
        assert!(Shape::sphere(bad).is_err() && Shape::cuboid([1.0, bad, 1.0]).is_err());
        assert!(
            Shape::capsule(Axis::Y, Radius(bad), HalfHeight(1.0)).is_err()
                && Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(bad)).is_err()
        );
        assert!(Shape::hull(&[[0.0, bad, 0.0]]).is_err() && Shape::half_space([bad, 1.0, 0.0], 0.0).is_err());
        assert!(Shape::half_space([0.0, 1.0, 0.0], bad).is_err());
        let matrix = DMat3::from_diagonal([1.0, bad, 1.0].into());
        let plane = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
        assert!(Shape::affine(&Shape::point(), matrix).is_err() && Shape::affine(&plane, matrix).is_err());
        assert!(Shape::rounded(&Shape::point(), bad).is_err() && Shape::rounded(&plane, bad).is_err());
        assert!(Pose::try_new([bad, 0.0, 0.0], DQuat::IDENTITY).is_err());
    }
}
