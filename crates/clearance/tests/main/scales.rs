//! All decades of size: a pair is the same pair in any unit.

use crate::judge::Answer;
use crate::kinds;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{
    Axis, Clearance, Engine, HalfHeight, Pair, Pose, Radius, Ray, Shape, cast_ray, distance, intersects, within,
};

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

/// Loose triangles: their corners, three by three, around a place.
type Soup = Vec<[DVec3; 3]>;

fn soup(rng: &mut fastrand::Rng) -> Soup {
    let size = [1.0, 0.3, 0.02][rng.usize(..3)];
    let flat = [1.0, 1e-3, 0.0][rng.usize(..3)];
    let mut vector = |by: f64| by * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, flat * (rng.f64() - 0.5));
    let count = 1 + (vector(24.0).x.abs()) as usize;
    (0..count)
        .map(|_| {
            let at = vector(1.0);
            [(); 3].map(|()| at + vector(size))
        })
        .collect()
}

fn mesh_of(soup: &Soup, unit: f64) -> Shape {
    let corners: Vec<DVec3> = soup.iter().flatten().map(|corner| corner * unit).collect();
    let numbers: Vec<[u32; 3]> = (0..soup.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Shape::mesh(&corners, &numbers).unwrap()
}

/// Surfaces in every decade from 1e-30 to 1e30, close to each other, crossing or far apart, against all pairs of their triangles, which engines for
/// convex shapes answer for, in a unit of their size. `MESHES=100000` is the long form.
#[test]
fn meshes_are_the_same_in_every_decade() {
    let cases = std::env::var("MESHES").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let mut rng = fastrand::Rng::with_seed(94);
    let (mut apart, mut met, mut rays) = (0, 0, 0);
    for case in 0..cases {
        let unit = power(case % 203 - 101);
        let (of_a, of_b) = (soup(&mut rng), soup(&mut rng));
        let mut vector = |by: f64| by * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let turn = DQuat::from_scaled_axis(vector(6.0));
        let far = [1.0, 2.0, 4.0, 300.0][case as usize / 203 % 4];
        let mut place = vector(far);
        let triangles =
            |soup: &Soup| -> Vec<Shape> { soup.iter().map(|&[a, b, c]| Shape::triangle(a, b, c).unwrap()).collect() };
        let (all_a, all_b) = (triangles(&of_a), triangles(&of_b));
        let closest = |place: DVec3| {
            let pairs = all_a.iter().flat_map(|a| all_b.iter().map(move |b| (a, b)));
            let distances = pairs.map(|(a, b)| distance(a, Pose::IDENTITY, b, Pose::new(place, turn)));
            distances.min_by(|one, other| one.distance.total_cmp(&other.distance)).unwrap()
        };
        let mut truth = closest(place);
        // Some are all but touching, and some cross by as little.
        let gap = [None, Some(1e-3), Some(-1e-3), Some(1e-6)][case as usize / 7 % 4];
        if let Some(gap) = gap
            && truth.lower > 0.0
        {
            place -= truth.normal * (truth.distance - gap);
            truth = closest(place);
        }
        let size = 2.0 + place.length();
        let what = (case, unit, truth.distance);
        let (a, b) = (mesh_of(&of_a, unit), mesh_of(&of_b, unit));
        let [pose_a, pose_b] = [Pose::IDENTITY, Pose::new(place * unit, turn)];
        let hold = |c: &Clearance, how: &str| {
            let slack = 1e-13 * size;
            let is_right = if truth.distance > slack {
                c.lower <= unit * (truth.upper + slack) && unit * (truth.lower - slack) <= c.upper
            } else {
                c.lower <= unit * slack
            };
            assert!(is_right && c.lower <= c.upper, "{how} {what:?}: {c:?} {truth:?}");
        };
        hold(&distance(&a, pose_a, &b, pose_b), "distance");
        hold(&distance(&b, pose_b, &a, pose_a), "swapped");
        let (is_apart, is_met) = (truth.lower > 1e-9 * size, truth.upper < -1e-9 * size);
        let judge = |yes: bool, how: &str| assert!(!(yes && is_apart) && (yes || !is_met), "{how} {what:?} {truth:?}");
        judge(intersects(&a, pose_a, &b, pose_b), "intersects");
        judge(intersects(&b, pose_b, &a, pose_a), "swapped");
        let (near, short) = (truth.upper.max(0.0) + 1e-9 * size, truth.lower - 1e-3 * size);
        match within(&a, pose_a, &b, pose_b, near * unit) {
            Some(c) => hold(&c, "within"),
            None => panic!("not within {near} {what:?}"),
        }
        let is_within = |limit: f64| within(&a, pose_a, &b, pose_b, limit * unit).is_some();
        assert!(!(short > 0.0 && is_within(short)), "within {short} {what:?}");
        let mut pair = Pair::new(&a, &b);
        for _ in 0..2 {
            hold(&pair.distance(pose_a, pose_b), "pair");
            judge(pair.intersects(pose_a, pose_b), "pair");
        }
        // Its triangles one by one, as convex shapes.
        for (of_b, [p, q, r]) in all_b.iter().zip(&of_b).take(2) {
            let small = Shape::triangle(p * unit, q * unit, r * unit).unwrap();
            let all = all_a.iter().map(|a| distance(a, Pose::IDENTITY, of_b, Pose::new(place, turn)));
            let truth = all.min_by(|one, other| one.distance.total_cmp(&other.distance)).unwrap();
            let c = distance(&a, pose_a, &small, pose_b);
            let slack = 1e-13 * size;
            assert!(c.lower <= unit * (truth.upper.max(0.0) + slack), "convex {what:?}: {c:?} {truth:?}");
            assert!(unit * (truth.lower - slack) <= c.upper, "convex {what:?}: {c:?} {truth:?}");
            let yes = intersects(&a, pose_a, &small, pose_b);
            assert!(!(yes && truth.lower > 1e-9 * size) && (yes || truth.upper > -1e-9 * size), "convex {what:?}");
        }
        // Rays at the middle of triangles, and past them.
        let at = (of_a[0][0] + of_a[0][1] + of_a[0][2]) / 3.0 + [0.0, 0.1][case as usize % 2] * vector(1.0);
        let (from, one) = (at + vector(far), mesh_of(&of_a, 1.0));
        let along = at - from;
        let [hit, small] = [(&one, 1.0), (&a, unit)].map(|(mesh, unit)| {
            cast_ray(mesh, pose_a, &Ray::new(from * unit, along, 100.0 * unit / along.length()).unwrap())
        });
        assert_eq!(hit.map(|hit| hit.distance * unit), small.map(|hit| hit.distance), "ray {what:?}");
        rays += usize::from(hit.is_some());
        apart += usize::from(is_apart);
        met += usize::from(is_met);
    }
    let few = cases as usize / 10;
    assert!(apart > few && met > few && rays > few, "{apart} {met} {rays} of {cases}");
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
