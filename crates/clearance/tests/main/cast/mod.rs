//! Rays against truths of thirty digits, other representations of the same bodies, and the distances of the library itself.

mod bodies;
mod flat;
mod truth;

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, Convex, HalfHeight, Pose, Radius, Ray, RayHit, Shape, cast_ray, cast_ray_boundary};
use fastrand::Rng;
use truth::{Long, Long3, LongRay, Solid, Truth, dot};

/// How many rays for each shape: `RAYS=100000` is the long form.
fn rays(few: usize) -> usize {
    std::env::var("RAYS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * (2.0 * size)
}

fn rotation(rng: &mut Rng) -> DQuat {
    let mut number = || 2.0 * rng.f64() - 1.0;
    DQuat::from_xyzw(number(), number(), number(), number() + 1e-9)
}

fn flat(x: DVec3) -> f64 {
    x.x.hypot(x.z)
}

fn square(x: Long) -> Long {
    x * x
}

/// Distance from a segment along y.
fn beside(x: Long3, half: f64) -> Long3 {
    let half = Long::from(half);
    [x[0], x[1] - x[1].max(-half).min(half), x[2]]
}

fn solids() -> Vec<Solid> {
    let mut all = Vec::new();
    let mut add = |name: &'static str,
                   shape: Shape,
                   size: f64,
                   gauge: Box<dyn Fn(DVec3) -> f64>,
                   contains: Box<dyn Fn(Long3) -> bool>| {
        all.push(Solid { name, shape, size, gauge, contains });
    };
    for r in [1.0, 0.7] {
        add(
            "ball",
            Shape::sphere(r).unwrap(),
            r,
            Box::new(move |x| x.length() - r),
            Box::new(move |x| dot(x, x) <= square(r.into())),
        );
    }
    for h in [DVec3::new(1.0, 0.5, 0.25), DVec3::new(1.0, 1.0, 0.001), DVec3::new(0.3, 1.0, 0.7)] {
        let inside = move |x: Long3| (0..3).all(|k| x[k].abs() <= Long::from(h[k]));
        let gauge = move |x: DVec3| (x.abs() - h).max_element();
        add("box", Shape::cuboid(h).unwrap(), h.length(), Box::new(gauge), Box::new(inside));
        let corners: Vec<DVec3> =
            (0..8).map(|i| h * DVec3::from_array([0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0))).collect();
        add("hull", Shape::hull(&corners).unwrap(), h.length(), Box::new(gauge), Box::new(inside));
        add("mesh", box_mesh(h), h.length(), Box::new(gauge), Box::new(inside));
        let r = 0.125;
        add(
            "rounded box",
            Shape::rounded(&Shape::cuboid(h).unwrap(), r).unwrap(),
            h.length() + r,
            Box::new(move |x| (x.abs() - h).max(DVec3::ZERO).length() - r),
            Box::new(move |x| {
                let out = [0, 1, 2].map(|k| (x[k].abs() - Long::from(h[k])).max(0.0.into()));
                dot(out, out) <= square(r.into())
            }),
        );
        add("custom", Shape::custom(OwnBox(h)).unwrap(), h.length(), Box::new(gauge), Box::new(inside));
    }
    for (r, h) in [(0.5, 1.0), (1.0, 0.25), (0.01, 1.0)] {
        let core = move |x: DVec3| DVec3::new(x.x, x.y - x.y.clamp(-h, h), x.z).length();
        let size = r + h;
        add(
            "capsule",
            Shape::capsule(Axis::Y, Radius(r), HalfHeight(h)).unwrap(),
            size,
            Box::new(move |x| core(x) - r),
            Box::new(move |x| dot(beside(x, h), beside(x, h)) <= square(r.into())),
        );
        let inside = move |x: Long3| square(x[0]) + square(x[2]) <= square(r.into()) && x[1].abs() <= h.into();
        let gauge = move |x: DVec3| (flat(x) - r).max(x.y.abs() - h);
        add(
            "cylinder",
            Shape::cylinder(Axis::Y, Radius(r), HalfHeight(h)).unwrap(),
            size,
            Box::new(gauge),
            Box::new(inside),
        );
        let swap = |x: DVec3| DVec3::new(x.z, x.x, x.y);
        let gauge = move |x: DVec3| gauge(swap(x));
        let about_x = Shape::cylinder(Axis::X, Radius(r), HalfHeight(h)).unwrap();
        add("cylinder about x", about_x, size, Box::new(gauge), Box::new(move |x| inside([x[2], x[0], x[1]])));
        let k = r / (2.0 * h);
        add(
            "cone",
            Shape::cone(Axis::Y, Radius(r), HalfHeight(h)).unwrap(),
            size,
            Box::new(move |x| (flat(x) - k * (h - x.y)).max(-h - x.y)),
            Box::new(move |x| {
                let depth = Long::from(h) - x[1];
                let side = square(Long::from(2.0 * h)) * (square(x[0]) + square(x[2])) <= square(Long::from(r) * depth);
                side && depth >= 0.0.into() && x[1] >= (-h).into()
            }),
        );
    }
    for a in [DVec3::new(1.0, 0.5, 0.25), DVec3::new(1.0, 1.0, 0.01)] {
        let scaled = move |x: Long3| [0, 1, 2].map(|k| x[k] * Long::from(a[k]).inverse());
        let inside = move |x: Long3| dot(scaled(x), scaled(x)) <= 1.0.into();
        let gauge = move |x: DVec3| ((x / a).length() - 1.0) * a.min_element();
        add("ellipsoid", Shape::ellipsoid(a).unwrap(), 1.0, Box::new(gauge), Box::new(inside));
        // The inverse has whole numbers too.
        let matrix = DMat3::from_cols(DVec3::X, DVec3::new(2.0, 1.0, 0.0), DVec3::new(-1.0, 3.0, 1.0));
        let inverse = matrix.inverse();
        let back = move |x: Long3| [0, 1, 2].map(|k| dot(x, truth::long(inverse.row(k))));
        add(
            "image of an ellipsoid",
            Shape::affine(&Shape::ellipsoid(a).unwrap(), matrix).unwrap(),
            4.0,
            Box::new(move |x| gauge(inverse * x)),
            Box::new(move |x| inside(back(x))),
        );
        let h = a;
        add(
            "image of a box",
            Shape::affine(&Shape::cuboid(h).unwrap(), matrix).unwrap(),
            6.0,
            Box::new(move |x| ((inverse * x).abs() - h).max_element()),
            Box::new(move |x| (0..3).all(|k| back(x)[k].abs() <= h[k].into())),
        );
    }
    all
}

#[derive(Debug)]
struct OwnBox(DVec3);

impl Convex for OwnBox {
    fn support(&self, direction: DVec3) -> DVec3 {
        let sign = |h: f64, x: f64| h.copysign(x);
        DVec3::new(sign(self.0.x, direction.x), sign(self.0.y, direction.y), sign(self.0.z, direction.z))
    }
}

/// Twelve triangles.
fn box_mesh(h: DVec3) -> Shape {
    let corners: Vec<DVec3> =
        (0..8).map(|i| h * DVec3::from_array([0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0))).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let shape = Shape::mesh(&corners, &triangles).unwrap();
    assert!(shape.as_mesh().unwrap().is_solid() && shape.as_mesh().unwrap().volume() > 0.0);
    shape
}

/// A ray that is made to be difficult: from where, and along what, in the frame of the shape.
fn draw(rng: &mut Rng, solid: &Solid) -> (DVec3, DVec3) {
    let size = solid.size;
    let direction = vector(rng, 1.0).normalize();
    let far = [3.0, 5.0, 1.5, 100.0, 1e8][rng.usize(..5)] * size;
    // A place on the boundary along a way from the middle.
    let surface = |direction: DVec3| {
        let (mut inside, mut outside) = (0.0, 4.0 * size);
        for _ in 0..80 {
            let middle = 0.5 * (inside + outside);
            if (solid.gauge)(direction * middle) <= 0.0 { inside = middle } else { outside = middle }
        }
        direction * inside
    };
    match rng.u32(..7) {
        // At something.
        0 => {
            let aim = vector(rng, 0.7 * size);
            (aim - direction * far, direction)
        }
        // At the boundary, to see it from the side: a tangent but for a little.
        1 => {
            let at = surface(vector(rng, 1.0).normalize());
            let little = 1e-3 * size * [0.0, 1e-3, 1e-6, 1e-9, 1e-12][rng.usize(..5)];
            let h = 1e-6 * size;
            let slope = |axis: DVec3| (solid.gauge)(at + axis * h) - (solid.gauge)(at - axis * h);
            let normal = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or(DVec3::X);
            let along = normal.cross(direction).normalize_or(DVec3::Y);
            (at + normal * (little * (rng.f64() - 0.5)) - along * far, along)
        }
        // Along the axes, through round numbers.
        2 => {
            let mut direction = DVec3::ZERO;
            direction[rng.usize(..3)] = if rng.bool() { 1.0 } else { -1.0 };
            let mut round = || [0.0, 0.25, -0.5, 1.0, 0.3, -1.0, 0.001][rng.usize(..7)];
            let at = DVec3::new(round(), round(), round());
            (at - direction * (3.0 * size).ceil(), direction)
        }
        // From inside.
        3 => (vector(rng, 0.3 * size), direction),
        // From the boundary.
        4 => (surface(vector(rng, 1.0).normalize()), direction),
        // At places with round numbers: corners, edges, apexes.
        5 => {
            let mut round = || [0.0, 0.25, -0.25, 0.5, -0.5, 1.0, -1.0, 0.001][rng.usize(..8)];
            let at = DVec3::new(round(), round(), round());
            (at - direction * far, direction)
        }
        // Along an axis from anywhere, nearly.
        _ => {
            let slant = 1e-3 * 10.0_f64.powi(-rng.i32(0..14));
            let mut direction = vector(rng, slant);
            direction[rng.usize(..3)] = 1.0;
            let aim = vector(rng, 0.7 * size);
            (aim - direction * (3.0 * size), direction * 10.0_f64.powi(rng.i32(-3..4)))
        }
    }
}

fn check_numbers(hit: &RayHit, max: f64) {
    let RayHit { distance, lower, upper, .. } = *hit;
    assert!(0.0 <= lower && lower <= distance && distance <= upper && distance.is_finite(), "{hit:?}");
    assert!(lower <= max && hit.point.is_finite(), "{hit:?}");
    assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{hit:?}");
}

#[test]
fn brackets_hold_the_first_point_to_thirty_digits() {
    let count = rays(2000);
    let only = std::env::var("SOLID").ok();
    for solid in solids().into_iter().filter(|solid| only.as_ref().is_none_or(|only| solid.name == only)) {
        let mut rng = Rng::with_seed(7);
        let (mut hits, mut open, mut wide, mut loose) = (0, 0, 0, 0);
        for number in 0..count {
            let pose = match number % 4 {
                0 => Pose::IDENTITY,
                1 => Pose::from_translation(vector(&mut rng, 10.0)),
                2 => Pose::new(vector(&mut rng, 1.0), rotation(&mut rng)),
                _ => Pose::new(vector(&mut rng, 1e4), rotation(&mut rng)),
            };
            let (origin, direction) = draw(&mut rng, &solid);
            let (origin, direction) = (pose.transform_point(origin), pose.transform_vector(direction));
            let hit = cast_ray(&solid.shape, pose, &Ray::new(origin, direction, f64::INFINITY).unwrap());
            let boundary = cast_ray_boundary(&solid.shape, pose, &Ray::new(origin, direction, f64::INFINITY).unwrap());
            let truth = solid.truth(&LongRay::new(&pose, origin, direction));
            let what = || {
                format!("{} {number}: {truth:?}\n{hit:?}\n{boundary:?}\n{pose:?} {origin:?} {direction:?}", solid.name)
            };
            for hit in [&hit, &boundary].into_iter().flatten() {
                check_numbers(hit, f64::INFINITY);
            }
            let scale = solid.size + pose.translation().length();
            match truth {
                Truth::Inside(last, after) => {
                    let Some(hit) = hit else { panic!("missed: {}", what()) };
                    assert!(hit.lower == 0.0, "{}", what());
                    let Some(boundary) = boundary else { panic!("missed: {}", what()) };
                    assert!(Long::from(boundary.upper) >= last, "{}", what());
                    // On the boundary to rounding, it may be met at once.
                    if boundary.is_inside {
                        assert!(Long::from(boundary.lower) <= after, "{}", what());
                    }
                }
                Truth::Enters(before, first) => {
                    hits += 1;
                    let Some(hit) = hit else { panic!("missed: {}", what()) };
                    assert!(Long::from(hit.lower) <= first && before <= hit.upper.into(), "{}", what());
                    assert!(!hit.is_inside, "{}", what());
                    let Some(boundary) = boundary else { panic!("missed: {}", what()) };
                    assert!(Long::from(boundary.lower) <= first && before <= boundary.upper.into(), "{}", what());
                    open += usize::from(!hit.is_proved());
                    let width = 1e-12 * scale + 4.0 * f64::EPSILON * hit.distance;
                    wide += usize::from(hit.is_proved() && hit.upper - hit.lower > width);
                }
                Truth::Misses(room) => {
                    if let Some(hit) = hit {
                        assert!(!hit.is_proved(), "{}", what());
                        loose += usize::from(room > 1e-11 * scale);
                    }
                }
            }
        }
        println!(
            "{:<22} {count} rays, {hits} hits, not proved {open}, wide {wide}, misses not proved {loose}",
            solid.name
        );
        assert!(hits > count / 20, "{}: {hits}", solid.name);
    }
}
