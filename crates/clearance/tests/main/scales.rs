//! All decades of size: a pair is the same pair in any unit.

use crate::judge::Answer;
use crate::kinds;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, Clearance, Engine, HalfHeight, Pair, Pose, Radius, Shape, distance, intersects, within};

/// 2^exponent, which may be below the normal numbers' half.
fn power(exponent: i32) -> f64 {
    2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
}

/// One shape of every kind, of numbers times a power of two.
fn shapes(unit: f64, seed: u64) -> Vec<Shape> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut number = || 0.25 + 0.75 * rng.f64();
    let mut sizes = || DVec3::new(number(), number(), number()) * unit;
    let half = sizes();
    let mut rng = fastrand::Rng::with_seed(seed + 1);
    let mut point = || unit * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
    let corners: Vec<DVec3> = (0..24).map(|_| point()).collect();
    let hull = Shape::hull(&corners).unwrap();
    let ellipsoid = Shape::ellipsoid(half).unwrap();
    let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.4, 1.1, 0.0), DVec3::new(0.1, -0.3, 0.6));
    vec![
        Shape::point(),
        Shape::sphere(half.x).unwrap(),
        Shape::cuboid(half).unwrap(),
        Shape::capsule(Axis::Y, Radius(half.x), HalfHeight(half.y)).unwrap(),
        Shape::cylinder(Axis::Y, Radius(half.x), HalfHeight(half.y)).unwrap(),
        Shape::cone(Axis::Y, Radius(half.x), HalfHeight(half.y)).unwrap(),
        ellipsoid.clone(),
        Shape::segment(corners[0], corners[1]).unwrap(),
        Shape::triangle(corners[0], corners[1], corners[2]).unwrap(),
        hull.clone(),
        Shape::hull(&corners[..4]).unwrap(),
        Shape::affine(&hull, shear).unwrap(),
        Shape::affine(&ellipsoid, shear).unwrap(),
        Shape::rounded(&hull, half.z).unwrap(),
        Shape::half_space([0.3, -1.0, 0.2], half.x).unwrap(),
        Shape::compound([(ellipsoid, Pose::from_translation(half)), (hull, Pose::IDENTITY)]).unwrap(),
        Shape::custom(kinds::Diamond(half.x)).unwrap(),
    ]
}

/// The answer is one, and holds what is known of the same pair in another unit.
#[track_caller]
fn compare(c: &Clearance, unit: f64, truth: &Clearance, floor: f64, what: &dyn std::fmt::Debug) {
    assert_eq!(Answer::from(c).fault(f64::INFINITY), None, "{what:?}: {c:?}");
    if c.distance.is_finite() {
        let [lower, upper] = [truth.lower, truth.upper].map(|x| x * unit);
        assert!(c.lower <= upper + floor && lower <= c.upper + floor, "{what:?}: {c:?} and {truth:?}");
    } else {
        assert_eq!(c.distance, truth.distance, "{what:?}");
    }
}

/// All queries, with all engines, cold and warm.
fn ask([a, b]: [&Shape; 2], [pose_a, pose_b]: [Pose; 2], unit: f64, truth: &Clearance, what: &dyn std::fmt::Debug) {
    // Lengths below this count as zero.
    let floor = 4e-75;
    let size = unit.max(floor);
    let is_apart = truth.lower * unit > 1e-9 * size + 2.0 * floor;
    let is_deep = truth.upper * unit < -(1e-9 * size + 2.0 * floor);
    let judge = |yes: bool, how: &str| {
        assert!(!(yes && is_apart) && (yes || !is_deep), "{how}, {what:?}: {yes}, {truth:?}");
    };
    compare(&distance(a, pose_a, b, pose_b), unit, truth, floor, what);
    judge(intersects(a, pose_a, b, pose_b), "intersects");
    let near = truth.upper * unit + 1e-9 * size + floor;
    let short = truth.lower * unit - 1e-3 * size - floor;
    for engine in Engine::ALL {
        let what = (what, engine);
        let mut pair = Pair::new(a, b).engine(engine);
        for round in 0..3 {
            compare(&pair.distance(pose_a, pose_b), unit, truth, floor, &(what, round));
            judge(pair.intersects(pose_a, pose_b), "pair");
            match pair.within(pose_a, pose_b, near) {
                Some(c) => compare(&c, unit, truth, floor, &(what, "within")),
                None => panic!("{what:?}: not within {near:e}, {truth:?}"),
            }
            let is_closed = truth.upper - truth.lower <= 1e-6;
            assert!(
                !is_closed || pair.within(pose_a, pose_b, short).is_none(),
                "{what:?}: within {short:e}, {truth:?}"
            );
            // Somewhere else in between: far away, where the size is another.
            if round == 1 {
                let far =
                    Pose::new(pose_b.translation() + DVec3::splat((1e4 * unit + 1e-20).min(2e59)), pose_b.rotation());
                let there = pair.distance(pose_a, far);
                compare(&there, 1.0, &distance(a, pose_a, b, far), floor, &(what, "far"));
                let _ = (pair.intersects(pose_a, far), pair.collide(pose_a, far));
                let _ = pair.collide(pose_a, pose_b);
            }
        }
    }
    if let Some(c) = within(a, pose_a, b, pose_b, near) {
        compare(&c, unit, truth, floor, what);
    }
}

#[test]
fn a_pair_is_the_same_in_every_unit_from_1e_75_to_1e60() {
    let full = std::env::var("SCALES").is_ok();
    let mut rng = fastrand::Rng::with_seed(91);
    let kinds = shapes(1.0, 0).len();
    for (round, exponent) in (-252..=197).step_by(if full { 1 } else { 3 }).enumerate() {
        let unit = power(exponent);
        for i in 0..kinds {
            let (seed_a, seed_b) = (rng.u64(..1000), rng.u64(..1000));
            // Over the rounds every kind meets every other one.
            let j = (i + round) % kinds;
            let [a, b] = [&shapes(1.0, seed_a)[i], &shapes(1.0, seed_b)[j]];
            let [small_a, small_b] = [&shapes(unit, seed_a)[i], &shapes(unit, seed_b)[j]];
            let mut vector = |by: f64| by * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let way = [0.0, 0.3, 1.5, 6.0][round % 4];
            let poses = [(); 2].map(|()| Pose::new(vector(way), DQuat::from_scaled_axis(vector(6.0))));
            let small = poses.map(|pose| Pose::new(pose.translation() * unit, pose.rotation()));
            let truth = distance(a, poses[0], b, poses[1]);
            ask([small_a, small_b], small, unit, &truth, &(a.kind(), b.kind(), exponent, seed_a, seed_b, way));
        }
    }
}

#[test]
fn shapes_of_very_different_sizes_have_brackets_in_order() {
    let mut rng = fastrand::Rng::with_seed(92);
    let rounds = if std::env::var("SCALES").is_ok() { 20_000 } else { 600 };
    for round in 0..rounds {
        let mut unit = || power(rng.i32(-252..=195));
        let (unit_a, unit_b, far) = (unit(), unit(), unit());
        let (a, b) = (shapes(unit_a, round), shapes(unit_b, round + 7));
        let (a, b) = (&a[rng.usize(..a.len())], &b[rng.usize(..b.len())]);
        let mut vector = |by: f64| by * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let poses = [0.0, far].map(|far| Pose::new(vector(far), DQuat::from_scaled_axis(vector(6.0))));
        let truth = distance(a, poses[0], b, poses[1]);
        ask([a, b], poses, 1.0, &truth, &(a.kind(), b.kind(), unit_a, unit_b, far, round));
    }
}

/// Numbers below the floor count as zero: nothing breaks.
#[test]
fn below_the_floor_everything_is_one_point() {
    for size in [1e-80, 1e-100, 1e-160, 1e-200, 1e-300, 1e-310, 5e-324] {
        let all = shapes(size, 3);
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let pose = Pose::new([size, -size, 0.0], DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9));
                let c = distance(a, Pose::IDENTITY, b, pose);
                let what = (a.kind(), b.kind(), size, i, j);
                assert!(
                    c.lower <= c.distance && c.distance <= c.upper && !(c.upper < 0.0 && c.upper.is_finite()),
                    "{what:?}: {c:?}"
                );
                assert!((c.normal.length() - 1.0).abs() < 1e-14, "{what:?}: {c:?}");
                assert!(intersects(a, Pose::IDENTITY, b, pose) || c.upper > 0.0, "{what:?}");
                for engine in Engine::ALL {
                    let mut pair = Pair::new(a, b).engine(engine);
                    let c = pair.distance(Pose::IDENTITY, pose);
                    assert!(c.lower <= c.distance && c.distance <= c.upper, "{what:?}, {engine:?}: {c:?}");
                    assert!((c.normal.length() - 1.0).abs() < 1e-14, "{what:?}: {c:?}");
                    let _ = (pair.intersects(Pose::IDENTITY, pose), pair.within(Pose::IDENTITY, pose, size));
                }
            }
        }
    }
}
