//! Contact manifolds judged with numbers of 32 digits: pairs that rest, lean, slide and cross, and a judge of every point.
//!
//! The judge states the contract of `pair/manifold/mod.rs` once more, with code of its own. It computes places in 32 digits, and tests membership
//! by the oracle for polytopes and by the heights of [`Spec`] for all other convex shapes.

use crate::double::{Double, Rotation, Vector};
use crate::{Rng, Spec, models, oracle, random};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Manifold, ManifoldPoint, Pair, Pose, Shape, distance};

/// Two bodies that touch, or nearly.
#[derive(Debug, Clone)]
pub struct Case {
    /// The bodies.
    pub specs: [Spec; 2],
    /// Their poses.
    pub poses: [Pose; 2],
    /// The kind of the placement.
    pub what: &'static str,
}

/// The margin of all queries.
pub const MARGIN: f64 = 0.01;

/// One shape of each kind that contact manifolds distinguish.
fn kinds(rng: &mut Rng) -> Vec<Spec> {
    let half = random::vector(rng, 0.2, 1.0);
    let matrix = DMat3::from_cols_array(&[1.0, 0.2, 0.0, 0.1, 0.7, 0.4, 0.0, 0.3, 1.2]);
    vec![
        Spec::Cuboid(half),
        Spec::Cuboid(DVec3::splat(0.5)),
        Spec::Hull(models::random_hull(rng, 20)),
        Spec::Hull(models::random_hull(rng, 6)),
        Spec::Sphere(0.4),
        Spec::Capsule(0.25, 0.5),
        Spec::Cylinder(0.5, 0.4),
        Spec::Cone(0.5, 0.6),
        Spec::Ellipsoid(half),
        Spec::Triangle([
            random::vector(rng, -1.0, 1.0),
            random::vector(rng, -1.0, 1.0),
            random::vector(rng, -1.0, 1.0),
        ]),
        Spec::Segment([random::vector(rng, -1.0, 1.0), random::vector(rng, -1.0, 1.0)]),
        Spec::Rounded(Box::new(Spec::Cuboid(half)), 0.1),
        Spec::Affine(Box::new(Spec::Cuboid(half)), matrix),
        Spec::Affine(Box::new(Spec::Cylinder(0.5, 0.4)), matrix),
        Spec::HalfSpace(DVec3::new(0.1, 1.0, -0.2), 0.3),
    ]
}

/// The numbers of kinds and of placements. Their product covers every two kinds in every placement.
pub const KINDS: usize = 15;
/// See [`KINDS`].
pub const PLACEMENTS: usize = 6;

/// Case `number`: every two kinds in every placement, one after the other. `None` where the placement is impossible for the two.
#[must_use]
pub fn case(rng: &mut Rng, number: usize) -> Option<Case> {
    let kinds = kinds(rng);
    debug_assert_eq!(kinds.len(), KINDS);
    let specs = [kinds[number % KINDS].clone(), kinds[number / KINDS % KINDS].clone()];
    let quarter = std::f64::consts::FRAC_PI_2;
    let upright = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(quarter),
        DQuat::from_rotation_z(quarter),
        DQuat::from_rotation_z(0.5 * quarter),
        DQuat::from_rotation_y(0.5 * quarter),
    ];
    let standing = |rng: &mut Rng| upright[rng.usize(..upright.len())];
    let (turn_a, turn_b, way, what) = match number / KINDS / KINDS % PLACEMENTS {
        0 => (standing(rng), standing(rng), DVec3::Y, "resting"),
        1 => {
            let tilt = DQuat::from_scaled_axis(random::direction(rng) * random::magnitude(rng, -9.0, 0.0));
            (standing(rng), tilt * standing(rng), DVec3::Y, "tilted")
        }
        2 => {
            let way = DVec3::new(random::uniform(rng, -0.5, 0.5), 1.0, random::uniform(rng, -0.5, 0.5)).normalize();
            (DQuat::IDENTITY, DQuat::from_rotation_y(random::uniform(rng, -3.0, 3.0)), way, "sliding")
        }
        3 => {
            let edge = DQuat::from_rotation_z(0.5 * quarter);
            (DQuat::from_rotation_y(random::uniform(rng, 0.0, 3.0)) * edge, edge, DVec3::Y, "edge on edge")
        }
        4 => {
            let turn = random::rotation(rng);
            (turn, turn, turn * DVec3::Y, "coaxial")
        }
        _ => (random::rotation(rng), random::rotation(rng), random::direction(rng), "anyhow"),
    };
    let shapes = [specs[0].build(), specs[1].build()];
    let depth = match rng.usize(..5) {
        0 => 0.0,
        1 => -random::magnitude(rng, -12.0, -1.0),
        2 => random::magnitude(rng, -12.0, -2.0),
        // Nested: one is inside of the other, or nearly.
        3 => -0.3,
        _ => 1e-3 * random::uniform(rng, -1.0, 1.0),
    };
    let pose_a = Pose::from_rotation(turn_a);
    let mut far = 4.0;
    for _ in 0..100 {
        let pose_b = Pose::new(far * way, turn_b);
        let off = distance(&shapes[0], pose_a, &shapes[1], pose_b).distance - depth;
        // The direction passes by, or leads into an unbounded half-space.
        if !(off.abs() < 20.0 && far.abs() < 20.0) {
            return None;
        }
        if off.abs() < 1e-14 {
            break;
        }
        far -= off;
    }
    // A random pose in the world, which must not change the contacts.
    let base = match number % 3 {
        0 => Pose::IDENTITY,
        1 => Pose::from_translation(random::vector(rng, -1.0, 1.0) * 4.0),
        _ => Pose::new(random::vector(rng, -1.0, 1.0) * 10.0, random::rotation(rng)),
    };
    Some(Case { specs, poses: [base * pose_a, base * Pose::new(far * way, turn_b)], what })
}

/// A place of the world in 32 digits.
fn place(pose: Pose, local: DVec3) -> Vector {
    Rotation::new(pose.rotation()).apply(local.into()) + Vector::from(pose.translation())
}

/// The first fault of the points of a manifold.
#[must_use]
pub fn fault(case: &Case, manifold: &Manifold) -> Option<String> {
    let n = manifold.normal;
    if !((n.length() - 1.0).abs() < 1e-13) || manifold.patch().is_empty() {
        return Some(format!("the normal {n} or no points"));
    }
    for point in manifold.patch() {
        if let Some(fault) = point_fault(case, manifold, point) {
            return Some(format!("{fault} of {point:?}"));
        }
    }
    None
}

fn point_fault(case: &Case, manifold: &Manifold, point: &ManifoldPoint) -> Option<String> {
    let n = manifold.normal;
    let [x, y] = [place(case.poses[0], point.point_a), place(case.poses[1], point.point_b)];
    let along = (y - x).dot(Vector::from(n));
    let is_held = Double::from(point.lower) <= along && along <= Double::from(point.upper);
    if !(is_held && point.lower <= point.distance && point.distance <= point.upper) {
        return Some(format!("the distance {} is outside of the bracket", along.value()));
    }
    // Witness points of curved shapes are as exact as those of a distance.
    let width = point.upper - point.lower;
    let is_witness = point.id.features().contains(&clearance::Feature::Surface);
    let slack = manifold.rounding + if is_witness { 1e-11 } else { 0.0 };
    for (side, local, out) in [(0, point.point_a, n), (1, point.point_b, -n)] {
        let (spec, pose) = (&case.specs[side], case.poses[side]);
        let out = pose.inverse_transform_vector(out);
        let off = distance_to(spec, local);
        if off > slack {
            return Some(format!("the point of {spec} is {off:e} off"));
        }
        // The shape does not extend above the point by more than `width`. Together with the other shape this proves the lower bound up to twice that.
        let above = 2.0 * width + slack;
        if above < 1e-9
            && let Some(points) = spec.points()
        {
            for by in [above, 10.0 * above, 1e-6, 1e-3, 0.1] {
                let probe = local + by * out;
                if oracle::distance(&points, Pose::IDENTITY, &[probe], Pose::IDENTITY).is_overlapping() {
                    return Some(format!("{spec} goes on {by:e} above the point"));
                }
            }
        }
    }
    None
}

/// A lower bound of the distance of a point from a convex shape; by the oracle for polytopes.
fn distance_to(spec: &Spec, local: DVec3) -> f64 {
    if let Some(points) = spec.points() {
        return oracle::distance(&points, Pose::IDENTITY, &[local], Pose::IDENTITY).distance();
    }
    if let Spec::HalfSpace(normal, offset) = spec {
        return (normal.dot(local) - offset) / normal.length();
    }
    let mut rng = Rng::with_seed(5);
    let directions = (0..200).map(|_| random::direction(&mut rng)).chain(DVec3::AXES).chain(DVec3::AXES.map(|a| -a));
    directions.map(|d| local.dot(d) - spec.height(d).unwrap_or(f64::INFINITY)).fold(f64::NEG_INFINITY, f64::max)
}

/// All points of the manifolds of a case: `None` if the bodies are too far apart.
#[must_use]
pub fn manifold(case: &Case, pair: &mut Pair) -> Option<Manifold> {
    pair.manifold(case.poses[0], case.poses[1], MARGIN).cloned()
}

/// The two shapes of the library.
#[must_use]
pub fn shapes(case: &Case) -> [Shape; 2] {
    [case.specs[0].build(), case.specs[1].build()]
}
