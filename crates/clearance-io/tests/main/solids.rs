//! Meshes before the exact checker: solids and shells of every sort, apart, touching, crossing and inside of each other, against every
//! kind of shape, at all scales. No honest answer is refuted and nearly none is left open; no spoilt one is proved.
//!
//! `MESHES=10000` in the environment is the long form: that many answers.

use crate::common::{Judged, claims};
use clearance::Pose;
use clearance::math::{DMat3, DVec3};
use clearance_lab::meshes::small::{both, hollow, lattice, random_lattice, random_mesh, torus};
use clearance_lab::soak::draw::Drawn;
use clearance_lab::{Rng, Spec, random};
use clearance_verify::{Claim, Evidence, Lower, Member, Query, Shape, Upper, Verdict, Whose, check, check_counted};

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
pub fn draw(rng: &mut Rng) -> Drawn {
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
    match rng.bool() {
        true => Drawn { a, pose_a, b, pose_b, what },
        false => Drawn { a: b, pose_a: pose_b, b: a, pose_b: pose_a, what },
    }
}

#[test]
fn honest_answers_about_meshes() {
    let mut rng = Rng::with_seed(151);
    let (mut judged, mut gaps, mut open_gaps) = (Judged::default(), 0, Vec::new());
    for _ in 0..count(900) / 3 {
        let Drawn { a, pose_a, b, pose_b, what } = draw(&mut rng);
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
    judged.require(judged.proved / 1000);
    assert!(open_gaps.is_empty(), "{open_gaps:#?}");
}

/// Rings that are linked, next to each other, one in the hole of a lattice, and plates that face each other.
fn large() -> Vec<(&'static str, Spec, Pose, Spec, Pose)> {
    let mesh = |(vertices, triangles)| Spec::Mesh(vertices, triangles);
    let scale: u32 = std::env::var("TORUS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let ring = mesh(torus(60 * scale, 30 * scale, 1.0, 0.3));
    let small = mesh(torus(20 * scale, 10 * scale, 0.15, 0.05));
    let tilted = |at: [f64; 3]| Pose::new(at, clearance::math::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize());
    let side = 20 * scale as i32;
    let plate = mesh(lattice(&(0..side * side).map(|i| [i % side, 0, i / side]).collect::<Vec<_>>()));
    let over = |height: f64| tilted([0.0; 3]) * Pose::from_translation([0.25, height, 0.5]);
    let turned = |at: [f64; 3]| Pose::new(at, clearance::math::DQuat::from_rotation_x(1.5));
    vec![
        ("facing", plate.clone(), tilted([0.0; 3]), plate.clone(), over(1.5)),
        ("touching", plate.clone(), tilted([0.0; 3]), plate.clone(), over(1.0)),
        ("a little into each other", plate.clone(), tilted([0.0; 3]), plate, over(0.9375)),
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

/// A mesh as it is written.
fn written((vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>)) -> Shape {
    Shape::Mesh { vertices: vertices.iter().map(|vertex| vertex.to_array()).collect(), triangles }
}

/// A rotation that takes x to y to z, exactly.
const THIRD: [f64; 4] = [0.5; 4];

fn at(translation: [f64; 3], rotation: [f64; 4]) -> clearance_verify::Pose {
    clearance_verify::Pose { translation, rotation }
}

/// Where every point of a fine lattice is, on edges and in planes of triangles too, is decided as the cubes say, without any evidence.
#[test]
fn points_in_solids_of_cubes_are_found_by_the_checker() {
    let mut rng = Rng::with_seed(152);
    let mut counts = [0; 2];
    for round in 0..12 {
        let (vertices, triangles) = random_lattice(&mut rng, 1 + round);
        let shape = Spec::Mesh(vertices.clone(), triangles.clone()).build();
        let mesh = shape.as_mesh().unwrap();
        let mut solid = written((vertices, triangles));
        if round % 3 == 1 {
            // Mirrored, sheared and back again.
            let there = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.0, 1.0]];
            let back = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.0, 1.0]];
            solid = Shape::Affine { shape: Box::new(solid), matrix: there };
            solid = Shape::Affine { shape: Box::new(solid), matrix: back };
        }
        for _ in 0..60 {
            let near = mesh.vertices()[rng.usize(..mesh.vertices().len())];
            let p = near.to_array().map(|x| x + 0.5 * f64::from(rng.i32(-1..2)));
            let is_in = mesh.side_of(p) != clearance::shape::Side::Outside;
            // Turned by exactly a third: (x, y, z) goes to (z, x, y).
            let (rotation, place) = if rng.bool() { (THIRD, [p[2], p[0], p[1]]) } else { ([0.0, 0.0, 0.0, 1.0], p) };
            let query = Query {
                a: solid.clone(),
                pose_a: at([1.0, 2.0, -3.0], rotation),
                b: Shape::Point {},
                pose_b: at([1.0 + place[0], 2.0 + place[1], place[2] - 3.0], THIRD),
            };
            counts[usize::from(is_in)] += 1;
            let verdict = check(&query, &Claim::Intersects(is_in), &Evidence::default());
            assert_eq!(verdict, Verdict::Proved, "{p:?} is in: {is_in}");
            let verdict = check(&query, &Claim::Intersects(!is_in), &Evidence::default());
            assert!(matches!(verdict, Verdict::Refuted(_)), "{p:?} is in: {is_in}");
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

/// Truths of surfaces are not truths of solids, and the other way round.
#[test]
fn a_shell_is_no_solid_and_a_solid_no_shell() {
    let cube = |size: f64, from: f64| {
        let (vertices, triangles) = lattice(&[[0; 3]]);
        (vertices.iter().map(|&vertex| size * vertex + from).collect::<Vec<DVec3>>(), triangles)
    };
    let (large, small) = (cube(1.0, 0.0), cube(0.125, 0.375));
    let mut flipped = large.clone();
    flipped.1[3].swap(0, 1);
    let mut open = large.clone();
    open.1.pop();
    // The same surface twice is a solid, twice in opposite ways bounds nothing.
    let twice = both(large.clone(), large.clone());
    let mut nothing = twice.clone();
    nothing.1[12..].iter_mut().for_each(|corners| corners.swap(0, 1));
    let spec = |(vertices, triangles): &(Vec<DVec3>, Vec<[u32; 3]>)| Spec::Mesh(vertices.clone(), triangles.clone());
    let all = |outer: &(Vec<DVec3>, Vec<[u32; 3]>)| claims(&spec(outer), Pose::IDENTITY, &spec(&small), Pose::IDENTITY);
    for (outer, is_solid) in [(&large, true), (&flipped, false), (&open, false), (&twice, true), (&nothing, false)] {
        for (query, claim, evidence) in all(outer) {
            assert_eq!(check(&query, &claim, &evidence), Verdict::Proved, "{claim:?}");
            assert_eq!(matches!(claim, Claim::Intersects(true)), is_solid && matches!(claim, Claim::Intersects(_)));
            for (other, is_other_solid) in
                [(&large, true), (&flipped, false), (&open, false), (&twice, true), (&nothing, false)]
            {
                // The covers and points are those of other meshes, and fit them as long as these have as many triangles.
                let swapped = Query { a: written(other.clone()), ..query.clone() };
                let verdict = check(&swapped, &claim, &evidence);
                assert!(is_solid == is_other_solid || verdict != Verdict::Proved, "{claim:?} of another mesh");
            }
        }
    }
    // In the hollow of a solid there is room, unless its surface is turned over: then the surface goes around it twice.
    let room = hollow();
    let mut filled = both(lattice(&(0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).collect::<Vec<_>>()), lattice(&[[1; 3]]));
    let inner = spec(&cube(0.25, 1.25));
    for (outer, is_free) in [(&room, true), (&filled, false)] {
        for (query, claim, evidence) in claims(&spec(outer), Pose::IDENTITY, &inner, Pose::IDENTITY) {
            assert_eq!(check(&query, &claim, &evidence), Verdict::Proved, "{claim:?}");
            if let Claim::Intersects(yes) = claim {
                assert_eq!(yes, !is_free);
            }
        }
    }
    let count = filled.1.len();
    filled.1[count - 12..].iter_mut().for_each(|corners| corners.swap(0, 1));
    let (query, claim, evidence) =
        claims(&spec(&filled), Pose::IDENTITY, &inner, Pose::IDENTITY).into_iter().nth(1).unwrap();
    assert_eq!((check(&query, &claim, &evidence), &claim), (Verdict::Proved, &Claim::Intersects(false)));
}

/// The one shape is inside of the other: directions for all pairs of triangles are all right, and prove nothing.
#[test]
fn what_is_inside_is_not_apart_whatever_the_cover() {
    let mut rng = Rng::with_seed(153);
    let large = Spec::Mesh(lattice(&[[0; 3]]).0, lattice(&[[0; 3]]).1);
    let mut shell = lattice(&[[0; 3]]);
    shell.1[0].swap(0, 1);
    let shell = Spec::Mesh(shell.0, shell.1);
    for round in 0..60 {
        let inner = if round % 2 == 0 { other(&mut rng) } else { random_mesh(&mut rng).1 };
        if matches!(inner, Spec::HalfSpace(..)) {
            continue;
        }
        let pose = Pose::new([0.5, 0.45, 0.55], random::rotation(&mut rng));
        let inner = inner.scaled(1.0 / 16.0);
        // Beside something that is not inside.
        let beside =
            Spec::Compound(vec![(Spec::Sphere(0.25), Pose::from_translation([-3.0, 0.0, 0.0])), (inner, pose)]);
        for (query, claim, evidence) in claims(&shell, Pose::IDENTITY, &beside, Pose::IDENTITY) {
            assert_eq!(check(&query, &claim, &evidence), Verdict::Proved, "{claim:?}");
            let solid = Query { a: large.written(), ..query.clone() };
            let verdict = check(&solid, &claim, &evidence);
            assert!(matches!(verdict, Verdict::Refuted(_)), "{verdict:?}: {claim:?}");
        }
    }
}

/// Covers with something missing, points that are moved, and bounds beside the truth.
#[test]
fn spoilt_evidence_about_meshes_proves_nothing_false() {
    let mut rng = Rng::with_seed(154);
    let (mut dropped, mut moved, mut exchanged) = (0, 0, 0);
    for _ in 0..count(900) / 3 {
        let Drawn { a, pose_a, b, pose_b, .. } = draw(&mut rng);
        for (query, claim, evidence) in claims(&a, pose_a, &b, pose_b) {
            if check(&query, &claim, &evidence) != Verdict::Proved {
                continue;
            }
            if let Some(Lower { cover, .. }) = &evidence.lower
                && cover.len() > 2
            {
                // Without a node the others are no cover.
                let mut spoilt = evidence.clone();
                let at = rng.usize(..cover.len());
                if let Some(lower) = &mut spoilt.lower {
                    lower.cover.remove(at);
                }
                // Yes or no about few triangles is decided without evidence, and so is an overlap without end.
                let needs_it = matches!(&claim, Claim::Distance(distance) | Claim::Within { distance, .. }
                    if distance.lower.is_finite());
                let is_proved = check(&query, &claim, &spoilt) == Verdict::Proved;
                assert!(!(is_proved && needs_it), "without node {at}: {claim:?}");
                dropped += 1;
            }
            if let Some(Upper::Inside { parts, solid, point }) = &evidence.upper {
                let other = if *solid == Whose::A { Whose::B } else { Whose::A };
                let exchanged_sides = Upper::Inside { parts: *parts, solid: other, point: point.clone() };
                let elsewhere = Upper::Inside { parts: *parts, solid: *solid, point: Member::At([9e9, 0.0, 0.0]) };
                for upper in [exchanged_sides, elsewhere] {
                    let spoilt = Evidence { upper: Some(upper), ..evidence.clone() };
                    let found = check(&query, &claim, &spoilt);
                    // Of a test for a common point the checker needs no evidence.
                    assert!(!matches!(found, Verdict::Refuted(_)), "{found:?}");
                    assert!(found != Verdict::Proved || matches!(claim, Claim::Intersects(_)), "{claim:?}");
                }
                moved += 1;
            }
            if let Claim::Distance(honest) = &claim {
                // Deeper than proved, or farther.
                let by = 1e-6 * (honest.upper.abs() + honest.lower.abs()) + 2.0 * (honest.upper - honest.lower);
                let lifted = Claim::Bracket { lower: honest.upper + by, upper: f64::INFINITY };
                let lowered = Claim::Bracket { lower: f64::NEG_INFINITY, upper: honest.lower - by };
                for claim in [lifted, lowered] {
                    assert_ne!(check(&query, &claim, &evidence), Verdict::Proved, "{claim:?} of {honest:?}");
                    exchanged += 1;
                }
            }
        }
    }
    println!("{dropped} covers, {moved} points inside, {exchanged} brackets");
    assert!(dropped > 20 && moved > 10 && exchanged > 100, "{dropped}, {moved}, {exchanged}");
}

/// Shapes in lattice solids, in line with their axes: an axis is the best way out, and what comes close to it proves less than is claimed.
#[test]
fn overlaps_along_an_axis_are_proved() {
    let mut rng = Rng::with_seed(156);
    let (mut judged, mut open) = (Judged::default(), 0);
    let solid = |rng: &mut Rng| {
        let (vertices, triangles) = random_lattice(rng, 3);
        Spec::Mesh(vertices, triangles)
    };
    for round in 0..200 {
        let [x, y, z] = [(); 3].map(|()| random::uniform(&mut rng, 0.05, 0.6));
        let other = match round % 8 {
            0 | 1 => Spec::Cylinder(x, y),
            2 => Spec::Cone(x, y),
            3 => Spec::Ellipsoid([x, y, z].into()),
            4 => Spec::Cuboid([x, y, z].into()),
            5 => Spec::Capsule(x, y),
            6 => Spec::Rounded(Box::new(Spec::Cylinder(x, y)), 0.1),
            _ => solid(&mut rng),
        };
        let (solid, at) = (solid(&mut rng), random::vector(&mut rng, -0.2, 0.5));
        let what = format!("round {round}, {}", other.kind());
        for (query, claim, evidence) in claims(&solid, Pose::IDENTITY, &other, Pose::from_translation(at)) {
            open +=
                usize::from(matches!(&claim, Claim::Distance(found) if found.lower < found.upper && found.upper < 0.0));
            judged.add(format!("{what}: {claim:?}"), check(&query, &claim, &evidence));
        }
    }
    assert!(open > 100, "{open} overlaps");
    judged.require(0);
}

/// A pair that remembers triangles and parts answers from there; its answers are proved like others.
#[test]
fn remembered_answers_about_meshes_are_proved() {
    let mut rng = Rng::with_seed(155);
    let mut judged = Judged::default();
    for round in 0..count(300) / 3 {
        let Drawn { a, pose_a, b, pose_b, what } = draw(&mut rng);
        let (shape_a, shape_b) = (a.build(), b.build());
        let mut pair = clearance::Pair::new(&shape_a, &shape_b);
        let size = [&shape_a, &shape_b].map(|shape| Some(shape.bounding_radius()).filter(|x| x.is_finite()));
        let step = 0.2 * size.into_iter().flatten().fold(0.0, f64::max);
        let mut at = pose_b;
        for _ in 0..4 {
            let mut trail = clearance::proof::Trail::default();
            let c = clearance::proof::distance(&mut pair, pose_a, at, &mut trail);
            let evidence = clearance::proof::of_recorded(&shape_a, pose_a, &shape_b, at, &c, &trail);
            let [written_a, written_b] = [pose_a, at].map(|pose| clearance_io::proof::written_pose(&pose));
            let query = Query { a: a.written(), pose_a: written_a, b: b.written(), pose_b: written_b };
            let answer = clearance_io::Answer::Distance(c);
            let claim = clearance_io::proof::claim(&answer, None, [&shape_a, &shape_b]).unwrap();
            judged.add(format!("{what}, round {round}: {c:?}"), check(&query, &claim, &evidence));
            at = Pose::new(at.translation() + step * random::direction(&mut rng), at.rotation());
        }
    }
    judged.require(judged.proved / 2000);
}
