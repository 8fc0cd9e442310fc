//! Cases in which constructors have to compute.

use super::{Case, Place, Written};
use crate::Rng;
use crate::random::{direction, magnitude, rotation, uniform, vector};
use clearance::Pose;
use clearance::math::{DMat3, DQuat, DVec3};

/// The case number `index` of a stream.
#[must_use]
pub fn draw(rng: &mut Rng, index: usize) -> Case {
    match index % 6 {
        0 => plane_and_bounded(rng),
        1 => {
            let (a, b) = (nested(rng, &ball), nested(rng, &ball));
            near(rng, a, b, "nested compounds")
        }
        2 => {
            let (a, b) = (nested(rng, &plane), nested(rng, &bounded));
            near(rng, a, b, "planes in nested compounds")
        }
        3 => {
            let a = if rng.bool() { solid(rng) } else { nested(rng, &solid) };
            let b = if rng.bool() { ball(rng) } else { nested(rng, &ball) };
            near(rng, a, b, "boxes and capsules")
        }
        4 => {
            let (a, b) = (deep(rng), ball(rng));
            near(rng, a, b, "a deep chain")
        }
        _ => {
            let (a, b) = (nested(rng, &bounded), plane(rng));
            near(rng, a, b, "nested compounds over a plane")
        }
    }
}

fn plane_and_bounded(rng: &mut Rng) -> Case {
    let (a, b) = (plane(rng), bounded(rng));
    near(rng, a, b, "a derived half-space")
}

/// Two shapes at different places; some of them far away together.
fn near(rng: &mut Rng, a: Written, b: Written, what: &'static str) -> Case {
    let far = if rng.u32(..4) == 0 { direction(rng) * magnitude(rng, 1.0, 9.0) } else { DVec3::ZERO };
    // Almost in one place, where all computed lengths are about the size of the shapes.
    let near = if rng.u32(..4) == 0 { magnitude(rng, -12.0, 0.0) } else { 1.0 };
    let [place_a, place_b] =
        [(); 2].map(|()| Place { translation: far + vector(rng, -1.0, 1.0) * near, rotation: quaternion(rng) });
    Case { a, place_a, b, place_b, what }
}

/// A quaternion of any length: the identity, exact, of any angle, a unit to rounding, a unit up to some last places, or far from a unit.
fn quaternion(rng: &mut Rng) -> DQuat {
    let q = rotation(rng);
    match rng.u32(..8) {
        0 => DQuat::IDENTITY,
        // As small as it changes anything, or smaller; a scalar part of 1 is that of many.
        6 => {
            let v = direction(rng) * magnitude(rng, -17.0, 0.0);
            DQuat::from_xyzw(v.x, v.y, v.z, 1.0)
        }
        7 => DQuat::from_scaled_axis(direction(rng) * magnitude(rng, -17.0, 0.0)),
        1 => DQuat::from_xyzw(0.0, 1.0, 0.0, [1.0, 0.0, -1.0][rng.usize(..3)]),
        2 => DQuat::from_array(q.to_array().map(|x| x * magnitude(rng, -3.0, 3.0))),
        3 => DQuat::from_array(q.to_array().map(|x| x * (1.0 + rng.i32(-2..=2) as f64 * f64::EPSILON))),
        4 => {
            // As far from a unit as is still kept to the bit.
            let by = 1.0 + [-2.0, 2.0][rng.usize(..2)] * f64::EPSILON;
            DQuat::from_array(q.to_array().map(|x| x * by))
        }
        _ => q,
    }
}

fn matrix(rng: &mut Rng) -> DMat3 {
    let tilt = 1.0 + f64::EPSILON * f64::from(rng.i32(1..=4));
    match rng.u32(..7) {
        0 => DMat3::from_cols([1.0, 1.0, 0.0].into(), [1.0, tilt, 0.0].into(), DVec3::Z),
        1 => DMat3::from_cols([1.0, 2.0, 3.0].into(), [4.0, 5.0, 6.0].into(), [7.0, 8.0, 9.0 * tilt].into()),
        2 => DMat3::from_diagonal(DVec3::new(magnitude(rng, -6.0, 6.0), -1.0, 2.0)),
        3 => DMat3::from_quat(rotation(rng)),
        4 => DMat3::from_cols(vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0)),
        _ => {
            // Of a condition up to 1e12.
            let stretch = DVec3::new(1.0, magnitude(rng, -12.0, 0.0), magnitude(rng, -12.0, 0.0));
            DMat3::from_quat(rotation(rng)) * DMat3::from_diagonal(stretch) * DMat3::from_quat(rotation(rng))
        }
    }
}

/// A matrix after another: any, or the inverse up to rounding, which reveals the errors of the first one.
fn after(rng: &mut Rng, before: &mut DMat3) -> DMat3 {
    let inverse = before.inverse();
    let is_fit = inverse.is_finite() && inverse.to_cols_array().iter().all(|x| x.abs() < 1e20);
    *before = if is_fit && rng.bool() { inverse } else { matrix(rng) };
    *before
}

/// A half-space, mapped and rounded.
fn plane(rng: &mut Rng) -> Written {
    let normal = if rng.bool() { vector(rng, -1.0, 1.0) } else { direction(rng) * magnitude(rng, -30.0, 30.0) };
    let mut plane = Written::HalfSpace(normal, uniform(rng, -1.0, 1.0) * normal.length());
    let mut before = DMat3::ZERO;
    for _ in 0..rng.u32(..6) {
        plane = if rng.u32(..3) == 0 {
            Written::Rounded(Box::new(plane), uniform(rng, 0.0, 1.0))
        } else {
            Written::Affine(Box::new(plane), after(rng, &mut before))
        };
    }
    plane
}

/// A ball or a point, written in a random way.
fn ball(rng: &mut Rng) -> Written {
    let mut ball = match rng.u32(..3) {
        0 => Written::Sphere(uniform(rng, 0.0, 0.5)),
        1 => Written::Sphere(0.0),
        _ => {
            let mut point = Written::Hull(vec![vector(rng, -1.0, 1.0)]);
            let mut before = DMat3::ZERO;
            for _ in 0..rng.u32(..4) {
                point = Written::Affine(Box::new(point), after(rng, &mut before));
            }
            point
        }
    };
    for _ in 0..rng.u32(..4) {
        ball = Written::Rounded(Box::new(ball), uniform(rng, 0.0, 0.3));
    }
    ball
}

/// A box or a capsule.
fn solid(rng: &mut Rng) -> Written {
    if rng.bool() {
        Written::Cuboid(vector(rng, 0.0, 1.0))
    } else {
        Written::Capsule(uniform(rng, 0.0, 0.5), uniform(rng, 0.0, 1.0))
    }
}

/// Any convex shape, written in a random way.
fn bounded(rng: &mut Rng) -> Written {
    let mut shape = match rng.u32(..5) {
        0 => return ball(rng),
        1 => Written::Cuboid(vector(rng, 0.0, 1.0)),
        2 => Written::Ellipsoid(vector(rng, 0.01, 1.0)),
        3 => Written::Sphere(uniform(rng, 0.0, 1.0)),
        _ => Written::Hull((0..rng.usize(1..9)).map(|_| vector(rng, -1.0, 1.0)).collect()),
    };
    let mut before = DMat3::ZERO;
    for _ in 0..rng.u32(..6) {
        shape = if rng.bool() {
            Written::Rounded(Box::new(shape), uniform(rng, 0.0, 0.5))
        } else {
            Written::Affine(Box::new(shape), after(rng, &mut before))
        };
    }
    shape
}

/// A point that is turned many times by images, and rounded many times.
fn deep(rng: &mut Rng) -> Written {
    if rng.u32(..3) == 0 {
        // A number next to one, with which every product rounds in the same direction.
        let mut shape = Written::Hull(vec![vector(rng, 1.0, 1.05)]);
        for _ in 0..rng.u32(..200) {
            shape = Written::Affine(Box::new(shape), DMat3::from_diagonal(DVec3::splat(1.0_f64.next_down())));
        }
        return shape;
    }
    let tiny = if rng.bool() { magnitude(rng, -9.0, 0.0) } else { 1.0 };
    let mut shape = Written::Hull(vec![vector(rng, -1.0, 1.0) * tiny]);
    for _ in 0..rng.u32(..32) {
        let matrix = if rng.u32(..8) == 0 { matrix(rng) } else { DMat3::from_quat(rotation(rng)) };
        shape = Written::Affine(Box::new(shape), matrix);
    }
    if rng.bool() {
        // A little more than half a last place each, so that every sum is rounded up.
        shape = Written::Rounded(Box::new(shape), 1.0);
        for _ in 0..rng.u32(..32) {
            shape = Written::Rounded(Box::new(shape), 0.51 * f64::EPSILON);
        }
        return shape;
    }
    for _ in 0..rng.u32(..32) {
        shape = Written::Rounded(Box::new(shape), magnitude(rng, -4.0, 0.0));
    }
    shape
}

/// Parts in compounds in compounds, moved far away and brought back, up to 32 levels deep.
fn nested(rng: &mut Rng, part: &dyn Fn(&mut Rng) -> Written) -> Written {
    let far = [1.0, 1e3, 1e6, 1e9][rng.usize(..4)];
    let mut parts: Vec<(Written, Place)> = (0..rng.usize(1..=3))
        .map(|_| (part(rng), Place { translation: vector(rng, -1.0, 1.0), rotation: quaternion(rng) }))
        .collect();
    // Where the origin of the first part is by now.
    let mut origin = DVec3::ZERO;
    for level in 0..rng.u32(..=32) {
        let rotation = quaternion(rng);
        let shape = Written::Compound(std::mem::take(&mut parts));
        let turned = Pose::new(DVec3::ZERO, rotation).transform_vector(origin);
        let back = if level % 2 == 1 { -turned } else { direction(rng) * far };
        let place = Place { translation: back + vector(rng, -0.3, 0.3), rotation };
        origin = turned + place.translation;
        parts.push((shape, place));
        if rng.u32(..8) == 0 {
            parts.push((part(rng), Place { translation: vector(rng, -1.0, 1.0), rotation: quaternion(rng) }));
        }
    }
    Written::Compound(parts)
}
