//! Cases that are hard for single precision: pairs that nearly touch, in directions and rotations of all kinds.

use clearance::math::DVec3;
use clearance::{Axis, HalfHeight, Pose, Radius, Shape, intersects};
use clearance_gpu::PoseNumbers;
use fastrand::Rng;

/// A number in -1..1.
fn signed(rng: &mut Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

/// A direction; one in four along an axis or nearly so.
pub fn direction(rng: &mut Rng) -> DVec3 {
    let v = DVec3::new(signed(rng), signed(rng), signed(rng)).normalize_or(DVec3::X);
    match rng.u8(0..8) {
        0 => DVec3::AXES[rng.usize(0..3)],
        1 => (DVec3::AXES[rng.usize(0..3)] + v * 10.0_f64.powf(-8.0 * rng.f64())).normalize(),
        _ => v,
    }
}

/// A quaternion in single precision: anything, none, a right angle, or nearly one of these; a unit only in half of the cases.
pub fn rotation(rng: &mut Rng) -> [f32; 4] {
    let any = [0; 4].map(|_| signed(rng));
    let r = 0.5_f64.sqrt();
    let plain = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, r, r], [0.0, r, 0.0, r], [0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 0.0, 0.0]];
    let near = plain[rng.usize(0..plain.len())];
    let tilt = 10.0_f64.powf(-9.0 * rng.f64());
    let q: [f64; 4] = match rng.u8(0..4) {
        0 => near,
        1 => std::array::from_fn(|i| near[i] + tilt * any[i]),
        _ => any,
    };
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
    let scale = if rng.bool() { 1.0 / length } else { 10.0_f64.powf(3.0 * signed(rng)) / length };
    q.map(|x| (x * scale) as f32)
}

/// A hull of points on a unit ball.
pub fn ball_hull(count: usize, rng: &mut Rng) -> Shape {
    let points: Vec<DVec3> =
        (0..count).map(|_| DVec3::new(signed(rng), signed(rng), signed(rng)).normalize_or(DVec3::X)).collect();
    Shape::hull(&points).unwrap()
}

/// Shapes: plain ones, flat ones, needles, one far from its own origin.
pub fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let flat: Vec<DVec3> = (0..12).map(|_| DVec3::new(signed(rng), signed(rng), 1e-6 * signed(rng))).collect();
    let needle: Vec<DVec3> =
        (0..8).map(|_| DVec3::new(10.0 * signed(rng), 1e-4 * signed(rng), 1e-5 * signed(rng))).collect();
    let far: Vec<DVec3> = (0..10).map(|_| DVec3::new(1e6 + signed(rng), signed(rng), signed(rng))).collect();
    vec![
        Shape::cuboid([1.0, 0.7, 0.4]).unwrap(),
        Shape::cuboid([3.0, 0.01, 1e-5]).unwrap(),
        Shape::sphere(0.8).unwrap(),
        Shape::capsule(Axis::Z, Radius(0.3), HalfHeight(1.1)).unwrap(),
        Shape::segment([0.0, 0.0, 0.0], [1.0, 2.0, -1.0]).unwrap(),
        Shape::triangle([0.0, 0.0, 0.0], [2.0, 0.1, 0.0], [0.3, 1.0, 0.5]).unwrap(),
        ball_hull(20, rng),
        ball_hull(60, rng),
        Shape::rounded(&ball_hull(12, rng), 0.1).unwrap(),
        Shape::hull(&flat).unwrap(),
        Shape::hull(&needle).unwrap(),
        Shape::hull(&far).unwrap(),
    ]
}

/// A rotation and a translation as numbers in single precision.
pub fn numbers(t: DVec3, [x, y, z, w]: [f32; 4]) -> PoseNumbers {
    [t.x as f32, t.y as f32, t.z as f32, x, y, z, w]
}

/// Seven numbers as a pose.
pub fn pose(n: &PoseNumbers) -> Pose {
    Pose::from_array(n.map(f64::from)).unwrap()
}

/// A pose of B at which the gap is the margin but for a part of the size between 1e-9 and 1e-3, on either side.
pub fn nearly_touching(a: &Shape, b: &Shape, margin: f64, rng: &mut Rng) -> PoseNumbers {
    let (q, d) = (rotation(rng), direction(rng));
    let at = |along: f64| numbers(d * along, q);
    // The origins of the shapes may be outside of them: begin where they meet most surely.
    let centers = [a, b].map(|shape| shape.convex().unwrap().center());
    let turned = pose(&at(0.0)).transform_vector(centers[1]);
    let start = centers[0] - turned;
    let at = |along: f64| {
        let t = start + d * along;
        Pose::try_new(t, pose(&at(0.0)).rotation()).unwrap()
    };
    let meets = |along: f64| {
        if margin == 0.0 {
            intersects(a, Pose::IDENTITY, b, at(along))
        } else {
            clearance::within(a, Pose::IDENTITY, b, at(along), margin).is_some()
        }
    };
    let (mut near, mut far) = (0.0, 1.0);
    while meets(far) {
        far *= 2.0;
    }
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        if meets(middle) { near = middle } else { far = middle }
    }
    let size = a.bounding_radius() + b.bounding_radius() + start.length() + far;
    let off = size * 10.0_f64.powf(-9.0 + 6.0 * rng.f64()) * if rng.bool() { 1.0 } else { -1.0 };
    numbers(at(far + off).translation(), q)
}
