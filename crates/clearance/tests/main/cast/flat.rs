//! Rays at triangles and half-spaces against truths of thirty digits, and what the plain cases of all simple shapes leave to the general way.

use super::truth::{Long, Long3, LongRay, add, cross, dot, long, times};
use super::{check_numbers, rays, rotation, vector};
use clearance::math::DVec3;
use clearance::{Axis, HalfHeight, Pose, Radius, Ray, RayHit, Shape, cast_ray, cast_ray_boundary};
use fastrand::Rng;

/// Where a line goes through a triangle, if it does; nothing is said where thirty digits do not tell.
fn through(corners: [DVec3; 3], ray: &LongRay) -> Option<Option<Long>> {
    let ways = corners.map(|corner| add(long(corner), times(ray.point, (-1.0).into())));
    let side = |i: usize| add(ways[(i + 1) % 3], times(ways[i], (-1.0).into()));
    let hands = [0, 1, 2].map(|i| dot(ray.along, cross(ways[i], side(i))));
    let normal = cross(side(0), side(1));
    let size = |v: Long3| v.iter().fold(0.0, |most: f64, x| most.max(x.0.abs()));
    let doubt = 1e-27
        * ways.map(size).into_iter().fold(0.0, f64::max)
        * [0, 1, 2].map(side).map(size).into_iter().fold(0.0, f64::max);
    if hands.iter().any(|hand| hand.0.abs() <= doubt) {
        return None;
    }
    let is_left = hands.map(|hand| hand.0 > 0.0);
    if is_left[0] != is_left[1] || is_left[1] != is_left[2] {
        return Some(None);
    }
    Some(Some(Long::from(ray.zero) + dot(normal, ways[0]) * dot(normal, ray.along).inverse()))
}

/// A pose, of all sorts.
fn pose(rng: &mut Rng, number: usize, unit: f64) -> Pose {
    match number % 4 {
        0 => Pose::IDENTITY,
        1 => Pose::from_translation(vector(rng, 10.0 * unit)),
        2 => Pose::new(vector(rng, unit), rotation(rng)),
        _ => Pose::new(vector(rng, 1e4 * unit), rotation(rng)),
    }
}

fn holds(hit: &RayHit, at: Long) -> bool {
    Long::from(hit.lower) <= at && at <= Long::from(hit.upper)
}

/// `RAYS=100000` is the long form.
#[test]
fn a_triangle_is_met_where_thirty_digits_say() {
    let mut rng = Rng::with_seed(41);
    let (mut hits, mut proved, mut grazing, mut misses, mut tight) = (0, 0, 0, 0, 0);
    let count = rays(20_000);
    for number in 0..count {
        let unit = [1.0, 1e-9, 1e9, 1.0, 1.0][number / 4 % 5];
        let mut corners = [(); 3].map(|()| vector(&mut rng, unit));
        match number % 7 {
            // A needle, and one far from its own origin.
            0 => corners[2] = corners[0] + (corners[1] - corners[0]) * 0.3 + vector(&mut rng, 1e-7 * unit),
            1 => corners = corners.map(|corner| corner + DVec3::splat(1e3 * unit)),
            _ => {}
        }
        let shape = Shape::triangle(corners[0], corners[1], corners[2]).unwrap();
        let pose = pose(&mut rng, number, unit);
        let [a, b, c] = corners;
        let (mut s, mut t) = (rng.f64(), rng.f64());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        let little = [0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-6, -1e-6][rng.usize(..7)];
        let at = match rng.u32(..6) {
            // Inside, beside, by a side, by a corner.
            0 | 1 => a + (b - a) * s + (c - a) * t,
            2 => a + (b - a) * (2.0 * s) + (c - a) * (t - 1.0),
            3 => a + (b - a) * s + (c - a) * little,
            4 => a + (b - a) * little + (c - a) * little,
            _ => vector(&mut rng, unit),
        };
        let mut along = vector(&mut rng, 1.0).normalize();
        if rng.u32(..5) == 0 {
            // Nearly in the plane.
            along = ((b - a) * (s - 0.5) + (c - a) * (t - 0.5)).normalize()
                + along * [0.0, 1e-14, 1e-9, 1e-4][rng.usize(..4)];
        }
        let far = unit * [3.0, 0.0, 1e-12, 1e2, 1e6, -1.0][rng.usize(..6)];
        let along = along.normalize() * [1.0, 1.0, 3.0, 1e-5][rng.usize(..4)];
        let origin = pose.transform_point(at - along.normalize() * far);
        let along = pose.transform_vector(along);
        let hit = cast_ray(&shape, pose, &Ray::new(origin, along, f64::INFINITY).unwrap());
        hit.iter().for_each(|hit| check_numbers(hit, f64::INFINITY));
        let what = || format!("{number}: {hit:?} {corners:?} {pose:?} {origin:?} {along:?}");
        let Some(truth) = through(corners, &LongRay::new(&pose, origin, along)) else {
            grazing += 1;
            continue;
        };
        match truth.filter(|&t| t.0 >= 0.0) {
            Some(at) => {
                let Some(hit) = hit else { panic!("missed at {at:?}, {}", what()) };
                assert!(holds(&hit, at), "{at:?} {}", what());
                (hits, proved) = (hits + 1, proved + usize::from(hit.is_proved()));
                tight +=
                    usize::from(hit.upper - hit.lower <= 1e-12 * (unit + hit.distance + pose.translation().length()));
                assert!(!hit.is_proved() || hit.normal.dot(along) <= 1e-9 * along.length(), "{}", what());
                // A ray that ends before is no hit, and one that ends behind it is.
                let until = |max: f64| cast_ray(&shape, pose, &Ray::new(origin, along, max).unwrap());
                assert!(until(hit.lower * (1.0 - 1e-9)).is_none() || hit.lower == 0.0, "{}", what());
                // (A bracket that is open may be better known of a shorter ray.)
                assert!(until(hit.lower) == Some(hit) || !hit.is_proved(), "{}", what());
                let boundary = cast_ray_boundary(&shape, pose, &Ray::new(origin, along, f64::INFINITY).unwrap());
                assert!(boundary.is_some_and(|hit| holds(&hit, at)), "{}", what());
            }
            None => {
                assert!(hit.is_none_or(|hit| !hit.is_proved()), "{truth:?} {}", what());
                misses += usize::from(hit.is_none());
            }
        }
    }
    println!("{count} rays, {hits} hits, {proved} proved, {tight} tight, {misses} misses proved, {grazing} grazing");
    assert!(hits > count / 5 && proved > hits * 3 / 4 && tight > hits / 2 && misses > count / 5);
}

/// `RAYS=100000` is the long form.
#[test]
fn a_half_space_is_met_where_thirty_digits_say() {
    let mut rng = Rng::with_seed(42);
    let (mut hits, mut inside, mut misses) = (0, 0, 0);
    let count = rays(20_000);
    for number in 0..count {
        let unit = [1.0, 1e-9, 1e9, 1.0, 1.0][number / 4 % 5];
        let normal = if number % 3 == 0 { DVec3::Y } else { vector(&mut rng, 1.0) * 10.0_f64.powi(rng.i32(-4..5)) };
        let offset = if number % 5 == 0 { 0.0 } else { unit * normal.length() * (rng.f64() - 0.5) };
        let shape = Shape::half_space(normal, offset).unwrap();
        let pose = pose(&mut rng, number, unit);
        let across = normal.cross(vector(&mut rng, 1.0)).normalize();
        let at = normal.normalize() * (offset / normal.length()) + across * (unit * rng.f64());
        let mut along = vector(&mut rng, 1.0).normalize();
        if rng.u32(..4) == 0 {
            along = (across + along * [0.0, 1e-16, 1e-14, 1e-9, 1e-4][rng.usize(..5)]).normalize();
        }
        let far = unit * [3.0, 0.0, 1e-12, 1e2, 1e6, -1.0][rng.usize(..6)];
        let origin = pose.transform_point(at - along * far);
        let along = pose.transform_vector(along * [1.0, 1.0, 3.0, 1e-5][rng.usize(..4)]);
        let hit = cast_ray(&shape, pose, &Ray::new(origin, along, f64::INFINITY).unwrap());
        let boundary = cast_ray_boundary(&shape, pose, &Ray::new(origin, along, f64::INFINITY).unwrap());
        for hit in [&hit, &boundary].into_iter().flatten() {
            check_numbers(hit, f64::INFINITY);
        }
        let ray = LongRay::new(&pose, origin, along);
        let (slope, from) = (dot(long(normal), ray.along), ray.at(-ray.zero));
        let height = dot(long(normal), from) - Long::from(offset);
        let at = -height * slope.inverse();
        let what =
            || format!("{number}: {at:?} {hit:?} {boundary:?} {normal:?} {offset:e} {pose:?} {origin:?} {along:?}");
        if height.0 < 0.0 {
            let Some(hit) = hit else { panic!("begins inside, {}", what()) };
            assert!(hit.lower == 0.0, "{}", what());
            inside += usize::from(hit.is_inside);
            if slope.0 > 0.0 && boundary.is_some_and(|hit| hit.is_inside) {
                assert!(boundary.is_some_and(|hit| holds(&hit, at)), "{}", what());
            }
        } else if height.0 > 0.0 && slope.0 < 0.0 {
            let Some(hit) = hit else { panic!("missed, {}", what()) };
            assert!(!hit.is_inside && holds(&hit, at), "{}", what());
            hits += usize::from(hit.is_proved());
            assert!(boundary.is_some_and(|hit| holds(&hit, at)), "{}", what());
            let until = |max: f64| cast_ray(&shape, pose, &Ray::new(origin, along, max).unwrap());
            assert!(until(hit.lower * (1.0 - 1e-9)).is_none() || hit.lower == 0.0, "{}", what());
            assert!(until(at.0 * (1.0 + 1e-9)).is_some_and(|hit| holds(&hit, at)), "{}", what());
        } else if height.0 > 0.0 && slope.0 > 0.0 {
            assert!(hit.is_none_or(|hit| !hit.is_proved()), "{}", what());
            misses += usize::from(hit.is_none());
        }
    }
    println!("{count} rays, {hits} hits, {inside} from inside, {misses} misses");
    assert!(hits > count / 5 && inside > count / 5 && misses > count / 20);
}

/// One ray in several forms is one ray: cases that plain formulas leave open go to the general cast, and neither contradicts the other.
#[test]
fn plain_cases_and_the_general_way_agree() {
    let mut rng = Rng::with_seed(43);
    let mut compared = 0;
    for unit in [1.0, 1e-12, 1e12] {
        let shapes = [
            Shape::sphere(0.7 * unit).unwrap(),
            Shape::cuboid(DVec3::new(1.0, 0.5, 0.25) * unit).unwrap(),
            Shape::capsule(Axis::Y, Radius(0.3 * unit), HalfHeight(unit)).unwrap(),
            Shape::capsule_between(DVec3::X * unit, DVec3::new(0.5, 2.0, -1.0) * unit, Radius(0.4 * unit)).unwrap(),
        ];
        for shape in &shapes {
            // The same body through another door: a compound has no plain cases.
            let other = Shape::compound([(shape.clone(), Pose::IDENTITY)]).unwrap();
            for number in 0..rays(2000) {
                let pose = pose(&mut rng, number, unit);
                let along = vector(&mut rng, 1.0).normalize();
                let aim = vector(&mut rng, unit);
                let origin = pose.transform_point(aim - along * (unit * [3.0, 0.5, 30.0, 1e3, 0.0][number % 5]));
                let along = pose.transform_vector(along);
                for max in [f64::INFINITY, 3.0 * unit] {
                    let found =
                        [shape, &other].map(|shape| cast_ray(shape, pose, &Ray::new(origin, along, max).unwrap()));
                    found.iter().flatten().for_each(|hit| check_numbers(hit, max));
                    match found {
                        [Some(a), Some(b)] => {
                            assert!(a.lower <= b.upper && b.lower <= a.upper, "{} {a:?} {b:?}", shape.kind());
                            let close = 1e-9 * (1.0 + (pose.translation().length() + a.distance) / unit);
                            let is_plain = a.is_proved() && a.upper - a.lower < 1e-11 * unit && !a.is_inside;
                            if is_plain
                                && b.is_proved()
                                && a.normal.dot(along) < -0.1
                                && !matches!(shape, Shape::Cuboid(_))
                            {
                                assert!(a.normal.distance(b.normal) < close, "{} {a:?} {b:?}", shape.kind());
                                compared += 1;
                            }
                        }
                        [Some(hit), None] | [None, Some(hit)] => {
                            assert!(!hit.is_proved() || hit.upper >= max, "{} {found:?}", shape.kind());
                        }
                        [None, None] => {}
                    }
                }
            }
        }
    }
    assert!(compared > 5000, "{compared}");
}
