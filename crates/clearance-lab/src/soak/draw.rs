//! Queries for a soak: two shapes of any kinds, at a dangerous pose.

use crate::random::{direction, magnitude, rotation, uniform, vector};
use crate::{Rng, Spec, pairs};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Pose, distance};

/// Two shapes at their poses.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The first shape.
    pub a: Spec,
    /// Its pose.
    pub pose_a: Pose,
    /// The second shape.
    pub b: Spec,
    /// Its pose.
    pub pose_b: Pose,
    /// The kind of placement.
    pub what: String,
}

/// The kinds of [`shape`], which a soak draws equally often.
pub const KINDS: usize = 16;

/// The pair number `index` of a stream.
///
/// One in four is a pair of polytopes of the lab, each built around a hazard. The others are two shapes of any kinds, whose placements cycle
/// through all dangerous ones.
#[must_use]
pub fn draw(rng: &mut Rng, index: usize) -> Drawn {
    let lab = match index % 12 {
        0 => Some(pairs::overlapping(rng)),
        4 => Some(pairs::separated(rng)),
        8 => Some(pairs::structured(rng, index / 12)),
        _ => None,
    };
    if let Some(case) = lab {
        let (a, b) = (Spec::Hull(case.points_a), Spec::Hull(case.points_b));
        return Drawn { a, pose_a: case.pose_a, b, pose_b: case.pose_b, what: case.what };
    }
    let kind = rng.usize(..KINDS);
    let a = shape(rng, kind);
    // Equal shapes meet more often here than at random, as in practice.
    let b = match rng.u32(..5) {
        0 => a.clone(),
        1 => a.scaled(2.0_f64.powi(rng.i32(-20..=20))),
        _ => {
            let kind = rng.usize(..KINDS);
            shape(rng, kind)
        }
    };
    place(rng, a, b)
}

/// A shape of that kind, of size about one; sometimes flat, thin, or rounded without need.
#[must_use]
pub fn shape(rng: &mut Rng, kind: usize) -> Spec {
    let spec = match kind {
        0 => Spec::Sphere(0.0),
        1 => Spec::Sphere(size(rng)),
        2 => Spec::Cuboid(sizes(rng)),
        3 => Spec::Capsule(size(rng), size(rng)),
        4 => Spec::Cylinder(size(rng), size(rng)),
        5 => Spec::Cone(size(rng), size(rng)),
        6 => Spec::Ellipsoid(sizes(rng)),
        7 => Spec::Segment([corner(rng), corner(rng)]),
        8 => Spec::Triangle([corner(rng), corner(rng), corner(rng)]),
        9 | 10 => Spec::Hull(points(rng)),
        11 => {
            let inner = convex(rng);
            Spec::Affine(Box::new(inner), matrix(rng))
        }
        12 => {
            let inner = convex(rng);
            Spec::Rounded(Box::new(inner), size(rng))
        }
        13 => Spec::Custom(Box::new(convex(rng))),
        14 => Spec::HalfSpace(if rng.bool() { axis(rng) } else { direction(rng) }, uniform(rng, -1.0, 1.0)),
        _ => {
            let parts = rng.usize(1..=3);
            Spec::Compound((0..parts).map(|_| (convex(rng), Pose::new(corner(rng), turn(rng)))).collect())
        }
    };
    if rng.u32(..8) == 0 { spec.scaled(magnitude(rng, -6.0, 6.0)) } else { spec }
}

/// Any simple convex shape.
fn convex(rng: &mut Rng) -> Spec {
    let kind = rng.usize(0..=10);
    shape(rng, kind)
}

fn size(rng: &mut Rng) -> f64 {
    match rng.u32(..12) {
        0 => 0.0,
        1 => magnitude(rng, -9.0, 0.0),
        2..=5 => f64::from(rng.u32(1..=8)) / 8.0,
        _ => uniform(rng, 0.3, 1.0),
    }
}

fn sizes(rng: &mut Rng) -> DVec3 {
    if rng.u32(..4) == 0 { DVec3::splat(size(rng)) } else { DVec3::new(size(rng), size(rng), size(rng)) }
}

/// A point of size one: on a coarse grid, where many points are in line, or at random.
fn corner(rng: &mut Rng) -> DVec3 {
    if rng.bool() {
        DVec3::new(rng.i32(-2..=2).into(), rng.i32(-2..=2).into(), rng.i32(-2..=2).into()) * 0.5
    } else {
        vector(rng, -1.0, 1.0)
    }
}

fn points(rng: &mut Rng) -> Vec<DVec3> {
    let count = if rng.bool() { rng.usize(1..=8) } else { rng.usize(4..=30) };
    let mut points: Vec<DVec3> = (0..count).map(|_| corner(rng)).collect();
    match rng.u32(..6) {
        // A sliver, a needle.
        0 => {
            let thin = magnitude(rng, -8.0, 0.0);
            points.iter_mut().for_each(|p| p.y *= thin);
        }
        1 => {
            let thin = magnitude(rng, -8.0, 0.0);
            points.iter_mut().for_each(|p| (p.y, p.z) = (p.y * thin, p.z * thin));
        }
        _ => {}
    }
    points
}

fn matrix(rng: &mut Rng) -> DMat3 {
    match rng.u32(..4) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_diagonal(sizes(rng)),
        2 => DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z),
        _ => DMat3::from_cols(vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0)),
    }
}

fn axis(rng: &mut Rng) -> DVec3 {
    DVec3::AXES[rng.usize(..3)] * if rng.bool() { 1.0 } else { -1.0 }
}

/// A rotation: none, a quarter turn, a tiny one, or any.
fn turn(rng: &mut Rng) -> DQuat {
    let quarter = std::f64::consts::FRAC_PI_2;
    match rng.u32(..5) {
        0 => DQuat::IDENTITY,
        1 => DQuat::from_axis_angle(axis(rng), quarter * f64::from(rng.u32(1..=3))).normalize(),
        2 => {
            let angle = magnitude(rng, -16.0, -1.0);
            DQuat::from_axis_angle(direction(rng), angle).normalize()
        }
        3 => DQuat::from_axis_angle(axis(rng), 0.5 * quarter).normalize(),
        _ => rotation(rng),
    }
}

/// Two shapes at a dangerous pose.
#[must_use]
pub fn place(rng: &mut Rng, a: Spec, b: Spec) -> Drawn {
    let reach = |spec: &Spec| Some(spec.build().bounding_radius()).filter(|reach| reach.is_finite()).unwrap_or(1.0);
    let both = reach(&a) + reach(&b);
    let pose_a = if rng.bool() { Pose::IDENTITY } else { Pose::new(vector(rng, -1.0, 1.0) * both, turn(rng)) };
    let mut b_in_a = Pose::new(vector(rng, -1.0, 1.0) * both, turn(rng));
    let kind = rng.u32(..8);
    let what = match kind {
        0 => {
            b_in_a = Pose::new(DVec3::ZERO, b_in_a.rotation());
            "concentric"
        }
        1 => {
            b_in_a = Pose::IDENTITY;
            "coincident"
        }
        2 => {
            b_in_a = Pose::new(axis(rng) * (uniform(rng, 0.0, 1.0) * both), b_in_a.rotation());
            "along an axis"
        }
        3 => {
            b_in_a = Pose::new(direction(rng) * (both * uniform(rng, 1.0, 1.5)), b_in_a.rotation());
            "apart"
        }
        4 => {
            b_in_a = Pose::new(b_in_a.translation() * 0.2, b_in_a.rotation());
            "deep"
        }
        5 | 6 => "near touching",
        _ => "anywhere",
    };
    let compose = |b_in_a: Pose| {
        let q = pose_a.rotation();
        // Not normalised: equal rotations must stay equal to the bit.
        Pose::new(q * b_in_a.translation() + pose_a.translation(), q * b_in_a.rotation())
    };
    let mut pose_b = compose(b_in_a);
    if what == "near touching" {
        // To the surface by the answer to a first query; the second query judges that answer.
        let first = distance(&a.build(), pose_a, &b.build(), pose_b);
        let slip = match rng.u32(..4) {
            0 => 0.0,
            1 => magnitude(rng, -16.0, -1.0) * both,
            _ => -magnitude(rng, -16.0, -1.0) * both,
        };
        if first.distance.is_finite() {
            let moved = pose_b.translation() + (slip - first.distance) * first.normal;
            pose_b = Pose::new(moved, pose_b.rotation());
        }
    }
    let away = if rng.u32(..8) == 0 { direction(rng) * magnitude(rng, 0.0, 8.0) } else { DVec3::ZERO };
    let moved = |pose: Pose| Pose::new(pose.translation() + away, pose.rotation());
    Drawn { pose_a: moved(pose_a), pose_b: moved(pose_b), what: what.into(), a, b }
}

/// The same set of points as another shape, if there is one.
#[must_use]
pub fn variant(rng: &mut Rng, spec: &Spec) -> Option<Spec> {
    if matches!(spec, Spec::HalfSpace(..) | Spec::Compound(_)) {
        return matches!(spec, Spec::HalfSpace(..)).then(|| Spec::Compound(vec![(spec.clone(), Pose::IDENTITY)]));
    }
    let inner = Box::new(spec.clone());
    Some(match rng.u32(..6) {
        0 => Spec::Affine(inner, DMat3::IDENTITY),
        1 => Spec::Rounded(inner, 0.0),
        2 => Spec::Custom(inner),
        3 => Spec::Compound(vec![(spec.clone(), Pose::IDENTITY)]),
        _ => match spec {
            Spec::Sphere(radius) => Spec::Ellipsoid(DVec3::splat(*radius)),
            Spec::Capsule(radius, half) => {
                let core = Spec::Segment([DVec3::Y * -*half, DVec3::Y * *half]);
                Spec::Rounded(Box::new(core), *radius)
            }
            Spec::Rounded(core, radius) => match &**core {
                Spec::Sphere(inner) => Spec::Rounded(Box::new(Spec::Sphere(*radius)), *inner),
                _ => return None,
            },
            Spec::Ellipsoid(radii) => Spec::Affine(Box::new(Spec::Sphere(1.0)), DMat3::from_diagonal(*radii)),
            _ => Spec::Hull(spec.points()?),
        },
    })
}
