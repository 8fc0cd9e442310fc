//! Meshes before the exact checker: solids and shells of every sort, apart, touching, crossing and inside of each other, against every
//! kind of shape, at all scales. No honest answer is refuted and nearly none is left open; no spoilt one is proved.
//!
//! `MESHES=10000` in the environment is the long form: so many answers.

use crate::common::{Judged, claims};
use clearance::Pose;
use clearance::math::{DMat3, DVec3};
use clearance_lab::meshes::{both, hollow, lattice, random_mesh, torus};
use clearance_lab::{Rng, Spec, random};
use clearance_verify::{
    Claim, Cover, Distance, Evidence, Lower, Member, Query, Shape, Status, Upper, Verdict, Whose, check, check_counted,
};

fn count(default: usize) -> usize {
    std::env::var("MESHES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A convex shape or a half-space of about unit size.
fn other(rng: &mut Rng) -> Spec {
    let size = |rng: &mut Rng| random::uniform(rng, 0.05, 0.6);
    let points = |rng: &mut Rng, count: usize| -> Vec<DVec3> {
        (0..count).map(|_| random::direction(rng) * random::uniform(rng, 0.2, 0.7)).collect()
    };
    let kind = rng.u32(..13);
    let [x, y, z] = [size(rng), size(rng), size(rng)];
    match kind {
        0 => Spec::Sphere(0.0),
        1 => Spec::Sphere(x),
        2 => Spec::Cuboid([x, y, z].into()),
        3 => Spec::Capsule(x, y),
        4 => Spec::Cylinder(x, y),
        5 => Spec::Cone(x, y),
        6 => Spec::Ellipsoid([x, y, z].into()),
        7 => Spec::Segment([[x, y, -z].into(), [-y, x, z].into()]),
        8 => Spec::Triangle([[x, y, 0.0].into(), [-y, x, z].into(), [0.0, -x, -z].into()]),
        9 => Spec::Hull(points(rng, 12)),
        10 => Spec::Rounded(Box::new(Spec::Cuboid([x, y, z].into())), 0.1),
        11 => Spec::Affine(Box::new(Spec::Cylinder(x, y)), shear(rng)),
        _ => Spec::HalfSpace(random::direction(rng), random::uniform(rng, -0.5, 0.5)),
    }
}

fn shear(rng: &mut Rng) -> DMat3 {
    // Mirrors as well.
    let flip = if rng.bool() { -1.0 } else { 1.0 };
    DMat3::from_cols([1.1 * flip, 0.1, 0.0].into(), [0.3, 0.8, -0.2].into(), [0.0, 0.25, 0.9].into())
}

/// Something with a mesh in it.
fn with_mesh(rng: &mut Rng) -> (String, Spec) {
    let (what, mesh) = random_mesh(rng);
    match rng.u32(..12) {
        0 => (format!("affine {what}"), Spec::Affine(Box::new(mesh), shear(rng))),
        1 => {
            let twice = Spec::Affine(Box::new(Spec::Affine(Box::new(mesh), shear(rng))), shear(rng));
            (format!("affine affine {what}"), twice)
        }
        2 | 3 => {
            let (second, other_mesh) = random_mesh(rng);
            let place = |rng: &mut Rng| Pose::new(random::vector(rng, -0.6, 0.6), random::rotation(rng));
            let inner = Spec::Compound(vec![(mesh, place(rng)), (other(rng), place(rng))]);
            let mapped = Spec::Affine(Box::new(other_mesh), shear(rng));
            let parts = vec![(inner, place(rng)), (mapped, place(rng))];
            (format!("compound of {what}, {second}"), Spec::Compound(parts))
        }
        _ => (what.to_owned(), mesh),
    }
}

/// A pair, at least one of which has a mesh, and what it is.
fn draw(rng: &mut Rng) -> (String, Spec, Pose, Spec, Pose) {
    let (mut what, mut a) = with_mesh(rng);
    let mut b = match rng.u32(..3) {
        0 => other(rng),
        _ => {
            let (second, b) = with_mesh(rng);
            what += &format!(" / {second}");
            b
        }
    };
    let (mut pose_a, mut pose_b) = match rng.u32(..8) {
        // On the lattice: coplanar, touching, the same.
        0 | 1 => {
            let step = |rng: &mut Rng| 0.25 * f64::from(rng.i32(-3..4));
            (Pose::IDENTITY, Pose::from_translation([step(rng), step(rng), step(rng)]))
        }
        // Probably inside, if there is an inside.
        2 => {
            b = b.scaled(1.0 / 16.0);
            let at = random::vector(rng, -0.4, 0.6);
            (Pose::IDENTITY, Pose::new(at, random::rotation(rng)))
        }
        3 => {
            let far = Pose::new(random::vector(rng, -1e7, 1e7), random::rotation(rng));
            let offset = random::direction(rng) * random::uniform(rng, 0.0, 1.5);
            (far, Pose::new(far.translation() + offset, random::rotation(rng)))
        }
        4 => (Pose::IDENTITY, Pose::new(random::vector(rng, -1e5, 1e5), random::rotation(rng))),
        _ => {
            let at = random::vector(rng, -1.0, 1.0);
            let offset = random::direction(rng) * random::uniform(rng, 0.0, 1.5);
            (Pose::new(at, random::rotation(rng)), Pose::new(at + offset, random::rotation(rng)))
        }
    };
    if rng.u32(..4) == 0 {
        let by = 2.0_f64.powi(rng.i32(-30..31));
        what += &format!(", times {by:e}");
        (a, b) = (a.scaled(by), b.scaled(by));
        let scaled = |pose: Pose| Pose::new(pose.translation() * by, pose.rotation());
        (pose_a, pose_b) = (scaled(pose_a), scaled(pose_b));
    }
    what += &format!(" against {}", b.kind());
    if rng.bool() { (what, a, pose_a, b, pose_b) } else { (what, b, pose_b, a, pose_a) }
}

#[test]
fn honest_answers_about_meshes() {
    let mut rng = Rng::with_seed(151);
    let (mut judged, mut gaps, mut open_gaps) = (Judged::default(), 0, Vec::new());
    for _ in 0..count(900) / 3 {
        let (what, a, pose_a, b, pose_b) = draw(&mut rng);
        for (query, claim, evidence) in claims(&a, pose_a, &b, pose_b) {
            let is_gap = matches!(&claim, Claim::Distance(d) if d.lower > 0.0)
                || matches!(claim, Claim::Intersects(false) | Claim::Beyond { .. });
            let verdict = check(&query, &claim, &evidence);
            gaps += usize::from(is_gap);
            if is_gap && verdict != Verdict::Proved {
                open_gaps.push(format!("{verdict:?}: {what} / {claim:?}"));
            }
            let line = match std::env::var("MESHES") {
                Ok(_) if verdict != Verdict::Proved => clearance_lab::spec::query_line(&a, &pose_a, &b, &pose_b),
                _ => String::new(),
            };
            judged.add(format!("{what} / {claim:?} {line}"), verdict);
        }
    }
    println!("{gaps} gaps");
    judged.require(judged.proved / 100);
    assert!(open_gaps.is_empty(), "{open_gaps:#?}");
}

/// Rings that are linked, next to each other, one in the hole of a lattice, and sheets that face each other.
fn large() -> Vec<(&'static str, Spec, Pose, Spec, Pose)> {
    let mesh = |(vertices, triangles)| Spec::Mesh(vertices, triangles);
    let scale: u32 = std::env::var("TORUS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let ring = mesh(torus(60 * scale, 30 * scale, 1.0, 0.3));
    let small = mesh(torus(20 * scale, 10 * scale, 0.15, 0.05));
    let turned = |at: [f64; 3]| Pose::new(at, clearance::math::DQuat::from_rotation_x(1.5));
    let tilted = |at: [f64; 3]| Pose::new(at, clearance::math::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize());
    vec![
        ("linked", ring.clone(), Pose::IDENTITY, ring.clone(), turned([1.0, 0.02, 0.0])),
        ("side by side", ring.clone(), Pose::IDENTITY, ring.clone(), tilted([2.7, 0.3, 0.4])),
        ("crossing", ring.clone(), Pose::IDENTITY, ring.clone(), tilted([1.7, 0.3, 0.4])),
        ("inside", ring.clone(), Pose::IDENTITY, small.clone(), tilted([1.0, 0.0, 0.0])),
        ("through", ring.clone(), Pose::IDENTITY, small.clone(), tilted([0.1, 0.0, 0.0])),
        ("one over the other", ring.clone(), Pose::IDENTITY, ring.clone(), Pose::from_translation([0.0, 0.61, 0.0])),
        ("in a hollow", mesh(hollow()), Pose::IDENTITY, small, tilted([1.5, 1.5, 1.5])),
        ("a ball through", ring, Pose::IDENTITY, Spec::Sphere(0.6), Pose::from_translation([0.05, 0.0, 0.0])),
    ]
}

#[test]
fn covers_of_large_meshes_are_short_and_quick_to_check() {
    for (what, a, pose_a, b, pose_b) in large() {
        let started = std::time::Instant::now();
        for (query, claim, evidence) in claims(&a, pose_a, &b, pose_b) {
            let (proved, length) = (started.elapsed(), evidence.lower.as_ref().map_or(0, |lower| lower.cover.len()));
            let checking = std::time::Instant::now();
            let (verdict, operations) = check_counted(&query, &claim, &evidence);
            println!("{what}: {length} nodes, {operations} operations, {proved:?}, {:?}", checking.elapsed());
            assert_eq!(verdict, Verdict::Proved, "{what}: {claim:?}");
            assert!(std::env::var("TORUS").is_ok() || length < 40_000 && operations < 50_000_000, "{what}");
        }
    }
}
