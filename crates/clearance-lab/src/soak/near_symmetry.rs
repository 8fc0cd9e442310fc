//! Overlapping pairs that are almost symmetric: a tilt and an offset of any size between nothing and a tenth.
//!
//! Such pairs are nearly as deep along a whole circle or sphere of directions, and searches for their depth stay open most often.

use super::draw::Drawn;
use crate::random::{direction, magnitude, rotation, uniform, vector};
use crate::{Rng, Spec};
use clearance::Pose;
use clearance::math::{DMat3, DQuat, DVec3};

/// The families of [`draw`], by name.
pub const FAMILIES: [&str; 7] = ["coaxial", "ellipsoids", "concentric", "needles", "rounds", "images", "generic"];

/// A pair of that family. Lengths are about one.
#[must_use]
pub fn draw(rng: &mut Rng, family: usize) -> Drawn {
    let (a, b) = match family {
        0 => (upright(rng), upright(rng)),
        1 => (ellipsoid(rng), ellipsoid(rng)),
        2 => (any(rng), any(rng)),
        3 => (thin(rng), if rng.bool() { thin(rng) } else { upright(rng) }),
        4 => (round(rng), round(rng)),
        5 => (image(rng), if rng.bool() { image(rng) } else { upright(rng) }),
        _ => (any(rng), any(rng)),
    };
    // Two equal shapes are more symmetric than two different ones.
    let b = if rng.u32(..6) == 0 { a.clone() } else { b };
    let size = |rng: &mut Rng| if rng.u32(..4) == 0 { 0.0 } else { magnitude(rng, -13.0, -1.0) };
    let (tilt, offset) = (size(rng), size(rng));
    let mut turn = DQuat::from_axis_angle(direction(rng), tilt);
    let mut place = direction(rng) * offset;
    match family {
        // Along the common axis the offset may be any.
        0 | 3 | 5 if rng.bool() => place += DVec3::Y * uniform(rng, -0.4, 0.4),
        1 if rng.bool() => turn *= rotation(rng),
        2 if rng.bool() => turn *= quarter(rng),
        6 => {
            turn = rotation(rng);
            place = vector(rng, -0.5, 0.5);
        }
        _ => {}
    }
    let pose_a = if rng.bool() { Pose::IDENTITY } else { Pose::new(vector(rng, -1.0, 1.0), rotation(rng)) };
    let pose_b = Pose::new(pose_a.rotation() * place + pose_a.translation(), pose_a.rotation() * turn);
    let what = format!("nearly symmetric, {}", FAMILIES[family.min(FAMILIES.len() - 1)]);
    Drawn { a, pose_a, b, pose_b, what }
}

fn quarter(rng: &mut Rng) -> DQuat {
    DQuat::from_axis_angle(DVec3::AXES[rng.usize(..3)], std::f64::consts::FRAC_PI_2)
}

fn size(rng: &mut Rng) -> f64 {
    if rng.bool() { f64::from(rng.u32(1..=8)) / 8.0 } else { uniform(rng, 0.1, 1.0) }
}

/// A solid of revolution about the y axis.
fn upright(rng: &mut Rng) -> Spec {
    match rng.u32(..7) {
        0 => Spec::Cylinder(size(rng), size(rng)),
        1 => Spec::Cone(size(rng), size(rng)),
        2 => {
            let wide = size(rng);
            Spec::Ellipsoid(DVec3::new(wide, size(rng), wide))
        }
        3 => Spec::Capsule(size(rng), size(rng)),
        4 => Spec::Sphere(if rng.bool() { 0.0 } else { size(rng) }),
        5 => Spec::Rounded(Box::new(Spec::Cylinder(size(rng), size(rng))), 0.25 * size(rng)),
        _ => Spec::Segment([DVec3::Y * -size(rng), DVec3::Y * size(rng)]),
    }
}

/// An ellipsoid: any, almost a ball, or almost a solid of revolution.
fn ellipsoid(rng: &mut Rng) -> Spec {
    let radius = size(rng);
    let little = |rng: &mut Rng| 1.0 + magnitude(rng, -13.0, -1.0) * uniform(rng, -1.0, 1.0);
    match rng.u32(..4) {
        0 => Spec::Ellipsoid(DVec3::new(size(rng), size(rng), size(rng))),
        1 => Spec::Ellipsoid(DVec3::new(radius * little(rng), radius * little(rng), radius * little(rng))),
        2 => Spec::Ellipsoid(DVec3::new(radius * little(rng), size(rng), radius * little(rng))),
        _ => Spec::Sphere(radius),
    }
}

fn thin(rng: &mut Rng) -> Spec {
    let thin = magnitude(rng, -9.0, -1.0);
    match rng.u32(..5) {
        0 => Spec::Cylinder(thin, size(rng)),
        1 => Spec::Cylinder(size(rng), thin),
        2 => Spec::Cone(thin, size(rng)),
        3 => Spec::Ellipsoid(DVec3::new(thin, size(rng), thin)),
        _ => Spec::Ellipsoid(DVec3::new(size(rng), thin, size(rng))),
    }
}

fn round(rng: &mut Rng) -> Spec {
    match rng.u32(..4) {
        0 => Spec::Sphere(size(rng)),
        1 => Spec::Capsule(size(rng), size(rng)),
        2 => Spec::Rounded(Box::new(Spec::Cuboid(DVec3::new(size(rng), size(rng), size(rng)))), size(rng)),
        _ => ellipsoid(rng),
    }
}

/// The image of a shape under a map that is almost a rotation, or stretches along an axis.
fn image(rng: &mut Rng) -> Spec {
    let inner = match rng.u32(..4) {
        0 => Spec::Sphere(size(rng)),
        1 => Spec::Capsule(size(rng), size(rng)),
        2 => Spec::Cylinder(size(rng), size(rng)),
        _ => ellipsoid(rng),
    };
    let little = magnitude(rng, -13.0, -1.0);
    let noise = DMat3::from_cols(vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0)) * little;
    let stretch = if rng.bool() { DMat3::IDENTITY } else { DMat3::from_diagonal(DVec3::new(1.0, size(rng), 1.0)) };
    let turn = if rng.bool() { DMat3::IDENTITY } else { DMat3::from_quat(rotation(rng)) };
    Spec::Affine(Box::new(inner), turn * (stretch + noise))
}

fn any(rng: &mut Rng) -> Spec {
    match rng.u32(..8) {
        0 => Spec::Cuboid(DVec3::new(size(rng), size(rng), size(rng))),
        1 => Spec::Cuboid(DVec3::splat(size(rng))),
        2 => {
            let count = rng.usize(4..=12);
            Spec::Hull((0..count).map(|_| vector(rng, -1.0, 1.0)).collect())
        }
        3 => ellipsoid(rng),
        _ => upright(rng),
    }
}
