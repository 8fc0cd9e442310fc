//! Pairs built around one hazard each: parallel and nearly parallel features, gaps from 1e-9 of the size, needles, flat shapes, different sizes,
//! places far from the origin.
//!
//! A draft has A upright and the gap along z. Then the pair stays there, is turned as a whole, or is turned and carried a million sizes away. Most
//! drafts know their distance by construction.

use super::placement::beside;
use super::{Case, Expect, case, models, support};
use crate::random::{direction, magnitude, rotation, uniform, vector};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use fastrand::Rng;
use std::f64::consts::TAU;

/// The number of kinds of structured pairs.
pub const KINDS: usize = GENERATORS.len();

/// A name, and a function that draws a pair of that kind.
type Kind = (&'static str, fn(&mut Rng) -> Draft);

const GENERATORS: [Kind; 15] = [
    ("boxes with parallel faces", parallel_boxes),
    ("prisms with parallel faces", parallel_prisms),
    ("nearly parallel faces", tilted_boxes),
    ("aligned edges", aligned_edges),
    ("vertex over face", vertex_over_face),
    ("crossing edges", crossing_edges),
    ("great and small", great_and_small),
    ("small over a great face", small_over_great_face),
    ("flat shapes apart", flat_apart),
    ("flat shapes in one plane", flat_in_one_plane),
    ("nested", nested),
    ("slivers", slivers),
    ("opposite features", opposite),
    ("far from its own origin", off_center),
    ("touching, or cluttered with needless points", cluttered),
];

/// Pair `index` of a stream: its kind is `index % KINDS`, its numbers are random.
#[must_use]
pub fn structured(rng: &mut Rng, index: usize) -> Case {
    let (name, generator) = GENERATORS[index % KINDS];
    let mut draft = generator(rng);
    // A power of two rescales without rounding.
    let unit = if rng.u32(0..4) == 0 { 2.0_f64.powi(rng.i32(-20..=20)) } else { 1.0 };
    for point in draft.a.iter_mut().chain(&mut draft.b) {
        *point *= unit;
    }
    let b_in_a = Pose::new(draft.b_in_a.translation() * unit, draft.b_in_a.rotation());
    let mut made = case(name, draft.a, Pose::IDENTITY, draft.b, b_in_a, Expect::Anything);
    let motion = match rng.u32(0..3) {
        0 => "standing",
        1 => {
            carry(&mut made, &Pose::new(vector(rng, -1.0, 1.0) * unit, rotation(rng)));
            "turned"
        }
        _ => {
            let away = direction(rng) * (1e6 * made.size);
            carry(&mut made, &Pose::new(away, rotation(rng)));
            "far away"
        }
    };
    made.expect = expectation(&made, draft.promise, unit);
    made.is_extreme = draft.is_extreme;
    made.what = format!("{name}, {}, {motion} (number {index}, unit {unit})", draft.detail);
    made
}

/// Moves both bodies of a pair by one motion.
fn carry(case: &mut Case, motion: &Pose) {
    let q = motion.rotation();
    // Equal rotations must stay equal to the bit, so nothing here normalises.
    let moved = |pose: Pose| Pose::new(q * pose.translation() + motion.translation(), q * pose.rotation());
    (case.pose_a, case.pose_b) = (moved(case.pose_a), moved(case.pose_b));
}

/// The promise that holds after rounding.
fn expectation(case: &Case, promise: Promise, unit: f64) -> Expect {
    let largest = case.size + case.pose_a.translation().length() + case.pose_b.translation().length();
    let slack = 16.0 * f64::EPSILON * largest;
    match promise {
        Promise::Gap(gap) if gap * unit > slack => Expect::Gap { distance: gap * unit, slack },
        Promise::AtLeast(gap) if gap * unit > slack => Expect::Apart,
        Promise::Inside => Expect::Overlapping,
        Promise::Touching if case.pose_a == Pose::IDENTITY => Expect::Touching,
        _ => Expect::Anything,
    }
}

struct Draft {
    a: Vec<DVec3>,
    b: Vec<DVec3>,
    b_in_a: Pose,
    promise: Promise,
    detail: String,
    is_extreme: bool,
}

#[derive(Clone, Copy)]
enum Promise {
    /// The distance.
    Gap(f64),
    /// A lower bound of it.
    AtLeast(f64),
    /// Exactly zero before rounding.
    Touching,
    /// Well inside each other.
    Inside,
}

fn draft(a: Vec<DVec3>, b: Vec<DVec3>, b_in_a: Pose, promise: Promise, detail: String) -> Draft {
    Draft { a, b, b_in_a, promise, detail, is_extreme: false }
}

/// A gap of 1e-9 to 1.
fn any_gap(rng: &mut Rng) -> f64 {
    magnitude(rng, -9.0, 0.0)
}

fn about_z(angle: f64) -> DQuat {
    let (sin, cos) = (0.5 * angle).sin_cos();
    DQuat::from_xyzw(0.0, 0.0, sin, cos)
}

fn parallel_boxes(rng: &mut Rng) -> Draft {
    let (a, b) = (vector(rng, 0.3, 1.0), vector(rng, 0.3, 1.0));
    let gap = any_gap(rng);
    let mut shift = (a + b) * vector(rng, -0.9, 0.9);
    if rng.bool() {
        shift = shift.round(); // aligned corners and edges, where sizes allow
        shift = shift.clamp(-0.9 * (a + b), 0.9 * (a + b));
    }
    shift.z = a.z + b.z + gap;
    let detail = format!("gap {gap:e}");
    draft(models::cuboid(a), models::cuboid(b), Pose::from_translation(shift), Promise::Gap(gap), detail)
}

fn parallel_prisms(rng: &mut Rng) -> Draft {
    let corners = [rng.usize(3..=12), rng.usize(3..=12)];
    let radii = [uniform(rng, 0.3, 1.0), uniform(rng, 0.3, 1.0)];
    let heights = [uniform(rng, 0.05, 1.0), uniform(rng, 0.05, 1.0)];
    let gap = any_gap(rng);
    // The circles inside the faces overlap, hence the faces do.
    let inner = |k: usize| radii[k] * (0.5 * TAU / corners[k] as f64).cos();
    let (sin, cos) = uniform(rng, 0.0, TAU).sin_cos();
    let shift = uniform(rng, 0.0, 0.9) * (inner(0) + inner(1));
    let turn = if rng.bool() { about_z(uniform(rng, 0.0, TAU)) } else { DQuat::IDENTITY };
    let place = Pose::new([shift * cos, shift * sin, heights[0] + heights[1] + gap], turn);
    let prism = |k: usize| models::prism(radii[k], heights[k], corners[k]);
    draft(prism(0), prism(1), place, Promise::Gap(gap), format!("{corners:?} corners, gap {gap:e}"))
}

fn tilted_boxes(rng: &mut Rng) -> Draft {
    let (a, b) = (models::cuboid(vector(rng, 0.3, 1.0)), models::cuboid(vector(rng, 0.3, 1.0)));
    let (tilt, gap) = (magnitude(rng, -16.0, -1.0), any_gap(rng));
    let (sin, cos) = uniform(rng, 0.0, TAU).sin_cos();
    let turn = DQuat::from_axis_angle(DVec3::new(cos, sin, 0.0), tilt) * about_z(uniform(rng, 0.0, TAU));
    let lowest = turn * models::farthest(&b, turn.conjugate() * DVec3::NEG_Z);
    let top = models::farthest(&a, DVec3::Z).z;
    let place = Pose::new([uniform(rng, -0.5, 0.5), uniform(rng, -0.5, 0.5), top - lowest.z + gap], turn);
    draft(a, b, place, Promise::AtLeast(gap), format!("tilt {tilt:e}, gap {gap:e}"))
}

fn aligned_edges(rng: &mut Rng) -> Draft {
    // Square columns, an edge of each turned to the other.
    let radii = [uniform(rng, 0.3, 1.0), uniform(rng, 0.3, 1.0)];
    let heights = [uniform(rng, 0.3, 1.0), uniform(rng, 0.3, 1.0)];
    let gap = any_gap(rng);
    let along = uniform(rng, -0.9, 0.9) * (heights[0] + heights[1]);
    let place = Pose::from_translation([radii[0] + radii[1] + gap, 0.0, along]);
    let column = |k: usize| models::prism(radii[k], heights[k], 4);
    draft(column(0), column(1), place, Promise::Gap(gap), format!("gap {gap:e}"))
}

fn vertex_over_face(rng: &mut Rng) -> Draft {
    let half = vector(rng, 0.3, 1.0);
    let gap = any_gap(rng);
    // A pyramid on its tip, from a spike to nearly flat.
    let (height, corners) = (magnitude(rng, -2.0, 0.0), rng.usize(3..=12));
    let mut pyramid = vec![DVec3::ZERO];
    pyramid.extend(models::prism(uniform(rng, 0.1, 1.0), height, corners).into_iter().take(corners));
    let place = Pose::new(
        [uniform(rng, -1.0, 1.0) * half.x, uniform(rng, -1.0, 1.0) * half.y, half.z + gap],
        about_z(uniform(rng, 0.0, TAU)),
    );
    draft(models::cuboid(half), pyramid, place, Promise::Gap(gap), format!("height {height:e}, gap {gap:e}"))
}

fn crossing_edges(rng: &mut Rng) -> Draft {
    // Two roofs, ridge to ridge, one upside down.
    let mut roof = |up: f64| {
        let (length, width, height) = (uniform(rng, 0.3, 1.0), uniform(rng, 0.1, 1.0), uniform(rng, 0.1, 1.0));
        let mut points = vec![DVec3::new(-length, 0.0, 0.0), DVec3::new(length, 0.0, 0.0)];
        for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            points.push(DVec3::new(x * length, y * width, -up * height));
        }
        points
    };
    let (a, b) = (roof(1.0), roof(-1.0));
    let angle = if rng.u32(0..5) == 0 { 0.0 } else { magnitude(rng, -12.0, 0.0) };
    let gap = any_gap(rng);
    // B's middle stays over A's ridge, so the ridges cross seen from above.
    let place = Pose::new([uniform(rng, -0.9, 0.9) * a[1].x, 0.0, gap], about_z(angle));
    let mut made = draft(a, b, place, Promise::Gap(gap), format!("angle {angle:e}, gap {gap:e}"));
    made.is_extreme = angle < 1e-5;
    made
}

fn great_and_small(rng: &mut Rng) -> Draft {
    let ratio = magnitude(rng, 0.0, 6.0);
    let a = sized(rng, 1.0);
    let b = sized(rng, 1.0 / ratio);
    let gap = any_gap(rng) / if rng.bool() { 1.0 } else { ratio };
    let place = beside(rng, &support(&a), Pose::IDENTITY, &support(&b), gap, 1.0 / ratio);
    let mut made = draft(a, b, place, Promise::AtLeast(gap), format!("ratio {ratio:e}, gap {gap:e}"));
    made.is_extreme = ratio > 1e3;
    made
}

fn small_over_great_face(rng: &mut Rng) -> Draft {
    let ratio = magnitude(rng, 0.0, 6.0);
    let half = vector(rng, 0.3, 1.0);
    let b = sized(rng, 1.0 / ratio);
    let gap = any_gap(rng);
    let turn = if rng.bool() { rotation(rng) } else { DQuat::IDENTITY };
    let lowest = turn * models::farthest(&b, turn.conjugate() * DVec3::NEG_Z);
    let place = Pose::new(
        [0.5 * half.x - lowest.x, uniform(rng, -0.5, 0.5) * half.y - lowest.y, half.z + gap - lowest.z],
        turn,
    );
    let mut made = draft(models::cuboid(half), b, place, Promise::Gap(gap), format!("ratio {ratio:e}, gap {gap:e}"));
    made.is_extreme = ratio > 1e3;
    made
}

/// A random hull or box of about that size.
fn sized(rng: &mut Rng, size: f64) -> Vec<DVec3> {
    let count = rng.usize(4..=30);
    let points = if rng.bool() { models::random_hull(rng, count) } else { models::cuboid(vector(rng, 0.3, 1.0)) };
    points.into_iter().map(|point| point * size).collect()
}

/// A point, a segment or a polygon in the plane z = 0, the origin inside it.
fn flat(rng: &mut Rng) -> Vec<DVec3> {
    let radius = uniform(rng, 0.3, 1.0);
    match rng.usize(0..=9) {
        0 => vec![DVec3::ZERO],
        1 | 2 => {
            let (sin, cos) = if rng.bool() { (0.0, 1.0) } else { uniform(rng, 0.0, TAU).sin_cos() };
            let end = DVec3::new(radius * cos, radius * sin, 0.0);
            vec![end, -uniform(rng, 0.2, 1.0) * end]
        }
        3 => models::cuboid(DVec3::new(radius, uniform(rng, 0.3, 1.0), 0.0)),
        corners => models::prism(radius, 0.0, corners - 1),
    }
}

fn flat_apart(rng: &mut Rng) -> Draft {
    let (a, b) = (flat(rng), flat(rng));
    let gap = any_gap(rng);
    if rng.bool() {
        // One over the other: both origins are inside, so the gap is the distance.
        let place = Pose::new([0.0, 0.0, gap], about_z(uniform(rng, 0.0, TAU)));
        return draft(a, b, place, Promise::Gap(gap), format!("stacked, gap {gap:e}"));
    }
    let place = beside(rng, &support(&a), Pose::IDENTITY, &support(&b), gap, 1.0);
    draft(a, b, place, Promise::AtLeast(gap), format!("gap {gap:e}"))
}

fn flat_in_one_plane(rng: &mut Rng) -> Draft {
    let (a, b) = (flat(rng), flat(rng));
    let gap = any_gap(rng);
    let (sin, cos) = uniform(rng, 0.0, TAU).sin_cos();
    let u = DVec3::new(cos, sin, 0.0);
    let turn = about_z(uniform(rng, 0.0, TAU));
    let width = (models::farthest(&a, u) - turn * models::farthest(&b, turn.conjugate() * -u)).dot(u);
    let sideways = uniform(rng, -1.0, 1.0) * DVec3::new(-sin, cos, 0.0);
    let place = Pose::new(u * (width + gap) + sideways, turn);
    draft(a, b, place, Promise::AtLeast(gap), format!("gap {gap:e}"))
}

fn nested(rng: &mut Rng) -> Draft {
    // A holds a ball of radius 0.7 about its origin; B stays within it.
    let a = if rng.bool() { models::cube() } else { models::icosahedron() };
    let shrink = 0.3 * magnitude(rng, -3.0, 0.0);
    let b: Vec<DVec3> = if rng.bool() { a.clone() } else { sized(rng, 1.0) };
    let b = b.into_iter().map(|point| point * shrink).collect();
    let offset = if rng.u32(0..3) == 0 { DVec3::ZERO } else { direction(rng) * 0.1 * rng.f64() };
    let turn = if rng.bool() { rotation(rng) } else { DQuat::IDENTITY };
    draft(a, b, Pose::new(offset, turn), Promise::Inside, format!("shrunk to {shrink:e}"))
}

fn slivers(rng: &mut Rng) -> Draft {
    let thin = magnitude(rng, -8.0, -1.0);
    let mut sliver = || {
        let axes = match rng.u32(0..4) {
            0 => DVec3::new(1.0, thin, thin),
            1 => DVec3::new(thin, 1.0, 1.0),
            2 => DVec3::new(1.0, thin, thin * thin),
            _ => DVec3::ONE,
        };
        let points = sized(rng, 1.0);
        points.into_iter().map(|point| point * axes).collect::<Vec<_>>()
    };
    let (a, b) = (sliver(), sliver());
    let gap = any_gap(rng);
    let place = beside(rng, &support(&a), Pose::IDENTITY, &support(&b), gap, thin.max(0.1));
    let mut made = draft(a, b, place, Promise::AtLeast(gap), format!("thickness {thin:e}, gap {gap:e}"));
    made.is_extreme = true;
    made
}

fn opposite(rng: &mut Rng) -> Draft {
    let gap = any_gap(rng);
    let octahedron = vec![DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let kind = rng.usize(0..6);
    let (shape, offset, name) = match kind {
        0 => (octahedron, DVec3::new(0.0, 0.0, 2.0 + gap), "octahedra tip to tip"),
        1 => (models::cube(), DVec3::new(0.0, 0.0, 2.0 + gap), "cubes face to face"),
        2 => (models::cube(), DVec3::new(2.0 + gap / 2.0_f64.sqrt(), 2.0 + gap / 2.0_f64.sqrt(), 0.0), "cubes on edge"),
        3 => (models::cube(), DVec3::splat(2.0 + gap / 3.0_f64.sqrt()), "cubes on corner"),
        4 => (models::prism(1.0, 0.05, 24), DVec3::new(0.0, 0.0, 0.1 + gap), "disks on one axis"),
        _ => {
            let shape = models::icosahedron();
            let tip = shape[rng.usize(0..12)] * (2.0 + gap);
            (shape, tip, "icosahedra tip to tip")
        }
    };
    let detail = format!("{name}, gap {gap:e}");
    draft(shape.clone(), shape, Pose::from_translation(offset), Promise::Gap(gap), detail)
}

fn off_center(rng: &mut Rng) -> Draft {
    let (a, b) = (sized(rng, 1.0), sized(rng, 1.0));
    let gap = any_gap(rng);
    let offset = direction(rng) * magnitude(rng, 0.0, 3.0);
    let a: Vec<DVec3> = a.into_iter().map(|point| point + offset).collect();
    let place = beside(rng, &support(&a), Pose::IDENTITY, &support(&b), gap, 1.0);
    // B's own points move too, and its pose takes them back.
    let offset = direction(rng) * magnitude(rng, 0.0, 3.0);
    let place = Pose::new(place.translation() - place.rotation() * offset, place.rotation());
    let b = b.into_iter().map(|point| point + offset).collect();
    draft(a, b, place, Promise::AtLeast(gap), format!("gap {gap:e}"))
}

fn cluttered(rng: &mut Rng) -> Draft {
    // Sizes in eighths, so that everything below is exact.
    let mut eighths = || f64::from(rng.u32(2..=8)) / 8.0;
    let (a, b) = (DVec3::new(eighths(), eighths(), eighths()), DVec3::new(eighths(), eighths(), eighths()));
    let mut with_clutter = |half: DVec3| {
        let mut points = models::cuboid(half);
        for _ in 0..rng.usize(0..=12) {
            let at = DVec3::new(rng.i32(-2..=2).into(), rng.i32(-2..=2).into(), rng.i32(-2..=2).into());
            points.push(half * 0.5 * at); // on corners, edges, faces and inside
        }
        rng.shuffle(&mut points);
        points
    };
    let (points_a, points_b) = (with_clutter(a), with_clutter(b));
    let mut offset = DVec3::new(0.125, 0.0, a.z + b.z);
    if rng.bool() {
        // Edges or corners, not faces, meet.
        offset.x = a.x + b.x;
    }
    if rng.bool() {
        offset.y = a.y + b.y;
    }
    if rng.bool() {
        return draft(points_a, points_b, Pose::from_translation(offset), Promise::Touching, "touching".into());
    }
    let gap = any_gap(rng);
    offset.z += gap;
    draft(points_a, points_b, Pose::from_translation(offset), Promise::Gap(gap), format!("gap {gap:e}"))
}
