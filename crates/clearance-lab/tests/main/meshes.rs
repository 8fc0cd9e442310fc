//! Every lab model compared with all pairs of its triangles, which are queried one by one as convex shapes.
//!
//! `POSES=1000` is the long form.

use clearance::internals::narrow::meshes::crossing_triangles;
use clearance::math::Frame;
use clearance::math::{DQuat, DVec3};
use clearance::{Clearance, Pair, Pose, Shape, distance, intersects};
use clearance_lab::meshes::{self, Model};
use clearance_lab::{Rng, judge};
use std::sync::Arc;

fn models() -> Vec<(&'static str, Model)> {
    vec![
        ("torus", meshes::torus(12, 6, 1.0, 0.3)),
        ("wrinkled torus", meshes::wrinkled_torus(16, 5, 1.0, 0.25, 4, 0.3)),
        ("noisy sphere", meshes::noisy_sphere(9, 6, 0.1, 3)),
        ("grate", meshes::grate([2, 2], 0.1, 0.3, 0.1)),
        ("gear", meshes::gear(6, 0.7, 1.0, 0.25, 6, 0.3)),
        ("letter A", meshes::glyph('A').map(|vertex| 0.3 * vertex)),
        ("digit 8", meshes::glyph('8').map(|vertex| 0.3 * vertex)),
        ("lattice solid", meshes::lattice_solid(&[[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]])),
        ("block", meshes::block(DVec3::new(0.5, 0.7, 0.3))),
    ]
}

fn shape(model: &Model) -> Shape {
    Shape::Mesh(Arc::new(model.mesh()))
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn turn(rng: &mut Rng) -> DQuat {
    DQuat::from_scaled_axis(vector(rng, 3.0))
}

/// The surfaces by all pairs of triangles: the bounds of the closest pair, and the pairs that clearly meet and may meet.
struct BruteForce {
    lower: f64,
    upper: f64,
    meet: Vec<[u32; 2]>,
    may_meet: Vec<[u32; 2]>,
}

fn brute_force(a: &Model, pose_a: Pose, b: &Model, pose_b: Pose) -> BruteForce {
    let triangles = |model: &Model| -> Vec<(Shape, DVec3, f64)> {
        let corners = |t: &[u32; 3]| t.map(|corner| model.vertices[corner as usize]);
        let triangle = |[p, q, r]: [DVec3; 3]| {
            let middle = (p + q + r) / 3.0;
            let radius = [p, q, r].into_iter().fold(0.0, |most: f64, corner| most.max(corner.distance(middle)));
            (Shape::triangle(p, q, r).expect("a triangle"), middle, radius)
        };
        model.triangles.iter().map(corners).map(triangle).collect()
    };
    let (of_a, of_b) = (triangles(a), triangles(b));
    let mut found = BruteForce { lower: f64::INFINITY, upper: f64::INFINITY, meet: Vec::new(), may_meet: Vec::new() };
    for (i, (one, middle, radius)) in of_a.iter().enumerate() {
        for (j, (other, other_middle, other_radius)) in of_b.iter().enumerate() {
            let between = pose_a.transform_point(*middle).distance(pose_b.transform_point(*other_middle));
            let least = between - radius - other_radius - 1e-9 * (1.0 + between);
            // Pairs that are clearly farther than the closest one so far, and apart, need no query.
            if least > found.upper.max(0.0) && least > 0.0 {
                continue;
            }
            let c = distance(one, pose_a, other, pose_b);
            (found.lower, found.upper) = (found.lower.min(c.lower), found.upper.min(c.upper));
            let pair = [i as u32, j as u32];
            if c.upper < -1e-12 {
                found.meet.push(pair);
            }
            if c.lower <= 1e-12 {
                found.may_meet.push(pair);
            }
        }
    }
    found
}

/// Is a point of one model inside of the other, by the exact winding of its own mesh?
fn is_contained(a: &Model, pose_a: Pose, b: &Model, pose_b: Pose) -> bool {
    let inside = |solid: &Model, pose: Pose, other: &Model, other_pose: Pose| {
        let point = Frame::relative(&pose, &other_pose).point(other.vertices[other.triangles[0][0] as usize]);
        solid.mesh().side_of(point) == clearance::shape::Side::Inside
    };
    inside(a, pose_a, b, pose_b) || inside(b, pose_b, a, pose_a)
}

/// All answers about two models at two poses.
fn check(
    what: &str,
    [a, b]: [&Model; 2],
    [shape_a, shape_b]: [&Shape; 2],
    [pose_a, pose_b]: [Pose; 2],
    pair: &mut Pair,
) -> Clearance {
    let truth = brute_force(a, pose_a, b, pose_b);
    let is_inside = truth.lower > 0.0 && is_contained(a, pose_a, b, pose_b);
    let cold = distance(shape_a, pose_a, shape_b, pose_b);
    let size = 4.0 + (pose_b.translation() - pose_a.translation()).length();
    for (how, found) in [
        ("cold", cold),
        ("swapped", distance(shape_b, pose_b, shape_a, pose_a).swapped()),
        ("warm", pair.distance(pose_a, pose_b)),
        ("again", pair.distance(pose_a, pose_b)),
    ] {
        assert_eq!(judge::fault(shape_a, pose_a, shape_b, pose_b, &found), None, "{what}, {how}");
        if is_inside {
            assert!(found.upper < 0.0 && -found.upper >= truth.lower - 1e-12 * size, "{what}, {how}: {found:?}");
        } else if truth.lower > 0.0 {
            let agrees = found.lower <= truth.upper && truth.lower <= found.upper;
            assert!(agrees && found.upper - found.lower < 1e-12 * size, "{what}, {how}: {found:?}");
        } else {
            // The deepest pair of triangles bounds the depth from above.
            assert!(found.lower <= truth.upper + 1e-12 * size, "{what}, {how}: {found:?} {}", truth.upper);
        }
    }
    let is_clear = truth.lower > 1e-12 * size || truth.upper < 0.0;
    let do_meet = truth.lower <= 0.0 || is_inside;
    if is_clear {
        for (how, found) in [
            ("cold", intersects(shape_a, pose_a, shape_b, pose_b)),
            ("swapped", intersects(shape_b, pose_b, shape_a, pose_a)),
            ("warm", pair.intersects(pose_a, pose_b)),
            ("again", pair.intersects(pose_a, pose_b)),
        ] {
            assert_eq!(found, do_meet, "{what}, {how}: {} {}", truth.lower, truth.upper);
        }
    }
    let [Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)] = [shape_a, shape_b] else { panic!("models are meshes") };
    let crossing = crossing_triangles(mesh_a, mesh_b, &Frame::relative(&pose_a, &pose_b));
    assert!(truth.meet.iter().all(|pair| crossing.binary_search(pair).is_ok()), "{what}: a pair is missing");
    assert!(crossing.iter().all(|pair| truth.may_meet.binary_search(pair).is_ok()), "{what}: a pair too many");
    cold
}

#[test]
fn every_model_is_what_all_pairs_of_its_triangles_say() {
    let rounds = std::env::var("POSES").ok().and_then(|text| text.parse().ok()).unwrap_or(24);
    let mut rng = Rng::with_seed(151);
    let models = models();
    let (mut met, mut apart, mut touched) = (0, 0, 0);
    for (i, (name, a)) in models.iter().enumerate() {
        let (other, b) = &models[(i + 1) % models.len()];
        for (against, b) in [(name, a), (other, b)] {
            let shapes = [&shape(a), &shape(b)];
            let mut pair = Pair::new(shapes[0], shapes[1]);
            for round in 0..rounds {
                let far = [0.4, 1.0, 2.0, 1e6][round % 4];
                let pose_a = Pose::new(vector(&mut rng, 1.0), turn(&mut rng));
                let pose_b = Pose::new(vector(&mut rng, far), turn(&mut rng));
                let what = format!("{name} and {against}, round {round}");
                let found = check(&what, [a, b], shapes, [pose_a, pose_b], &mut pair);
                if found.is_apart() {
                    apart += 1;
                    // Moved until they touch: no overlap is reported as apart, and the bracket holds zero.
                    let touching = Pose::new(pose_b.translation() - found.distance * found.normal, pose_b.rotation());
                    let c = distance(shapes[0], pose_a, shapes[1], touching);
                    let slack = 1e-13 * (4.0 + found.distance);
                    assert!(c.lower <= slack && c.upper >= -slack, "{what}, touching: {c:?}");
                    touched += 1;
                } else {
                    met += 1;
                }
                // Turned and moved together, the answer is the same up to rounding.
                let all = Pose::new(vector(&mut rng, 10.0), turn(&mut rng));
                let moved = distance(shapes[0], all * pose_a, shapes[1], all * pose_b);
                let slack = 1e-12 * (10.0 + far);
                assert!(moved.lower <= found.upper + slack && found.lower <= moved.upper + slack, "{what}: {moved:?}");
            }
            // Without a rotation: faces in one plane, edges in line, corners on corners.
            for step in [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, 0.0), DVec3::new(0.0, 0.25, 0.1)] {
                let pose_b = Pose::from_translation(step);
                check(&format!("{name} and {against} at {step}"), [a, b], shapes, [Pose::IDENTITY, pose_b], &mut pair);
            }
        }
    }
    assert!(met > 20 && apart > 20 && touched > 20, "{met} {apart} {touched}");
}

#[test]
fn what_is_small_enough_is_inside_and_rings_are_linked() {
    let mut rng = Rng::with_seed(152);
    let block = meshes::block(DVec3::splat(3.0));
    for (name, model) in models() {
        let small = model.clone().map(|vertex| 0.3 * vertex);
        let shapes = [&shape(&block), &shape(&small)];
        let poses = [Pose::IDENTITY, Pose::new(vector(&mut rng, 1.0), turn(&mut rng))];
        let found = check(name, [&block, &small], shapes, poses, &mut Pair::new(shapes[0], shapes[1]));
        assert!(found.is_overlapping() && found.upper < -1.0, "{name}: {found:?}");
    }
    // Through each other's holes, without contact.
    let ring = meshes::torus(24, 8, 1.0, 0.2);
    let shapes = [&shape(&ring), &shape(&ring)];
    let linked = Pose::new(DVec3::X, DQuat::from_axis_angle(DVec3::X, 1.5));
    let mut pair = Pair::new(shapes[0], shapes[1]);
    let found = check("linked", [&ring, &ring], shapes, [Pose::IDENTITY, linked], &mut pair);
    assert!(found.is_apart() && found.distance > 0.5, "{found:?}");
}
