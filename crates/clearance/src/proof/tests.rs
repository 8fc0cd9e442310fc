//! Properties of evidence without the checker: directions separate, members belong to their shapes, and a simplex encloses the origin
//! beyond rounding. (Tests with the checker are in clearance-io.)

use super::member::{ProvableCore, vertex_number};
use super::nearest::{corner, nearest};
use super::*;
use crate::math::Frame;
use crate::pair::intersects;
use crate::{Axis, HalfHeight, Interval, Radius};
use clearance_verify::{Cover, Member, Upper, Whose};
use fastrand::Rng;
use glam::DQuat;

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn shapes() -> Vec<Shape> {
    let hull = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.1, 1.0, 0.0], [0.0, 0.2, 1.0], [0.7, 0.7, 0.9]];
    vec![
        Shape::hull(&hull).unwrap(),
        Shape::cuboid([0.4, 0.6, 0.5]).unwrap(),
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(Axis::Y, Radius(0.3), HalfHeight(0.4)).unwrap(),
        Shape::cone(Axis::Y, Radius(0.5), HalfHeight(0.6)).unwrap(),
        Shape::ellipsoid([0.3, 0.5, 0.7]).unwrap(),
    ]
}

/// The point that a member stands for, in the frame of its shape's core.
fn point(shape: &Shape, member: &Member) -> DVec3 {
    match member {
        Member::Vertex(number) => {
            let vertex =
                (0..).take(100).find(|v| vertex_number(shape, *v) == *number).expect("a vertex that was written");
            shape.convex().and_then(|core| core.vertex(vertex)).expect("a vertex of its shape")
        }
        Member::At(p) => DVec3::from_array(*p),
        Member::Mix(terms) => {
            let total: f64 = terms.iter().map(|(share, _)| share).sum();
            terms.iter().map(|(share, member)| *share / total * point(shape, member)).sum()
        }
        other => panic!("no such member of a {}: {other:?}", shape.kind()),
    }
}

/// Shapes apart: the direction is a unit along which they are at least as far apart as the lower bound. The points of the upper bound are
/// points of the cores, no farther apart than it.
#[test]
fn evidence_for_a_gap_is_a_direction_and_two_members() {
    let mut rng = Rng::with_seed(1);
    let shapes = shapes();
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        let pose_a = Pose::new(vector(&mut rng, 1.0), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
        let offset = 4.0 * vector(&mut rng, 1.0).normalize();
        let pose_b = Pose::new(pose_a.translation() + offset, DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
        let what = format!("{} and {}", a.kind(), b.kind());
        let c = pair::distance(a, pose_a, b, pose_b);
        let proof = of_clearance(a, pose_a, b, pose_b, &c);
        let (core_a, core_b) = (a.convex().unwrap(), b.convex().unwrap());
        let Some([Cover::Along(n)]) = proof.lower.as_ref().map(|lower| &lower.cover[..]) else {
            panic!("{what}: one direction")
        };
        let n = DVec3::from_array(*n);
        assert!((n.length() - 1.0).abs() < 1e-14, "{what}");
        let top = n.dot(pose_a.transform_point(core_a.support(pose_a.inverse_transform_vector(n)))) + core_a.radius();
        let low = n.dot(pose_b.transform_point(core_b.support(pose_b.inverse_transform_vector(-n)))) - core_b.radius();
        assert!(low - top >= c.lower, "{what}: {:e} of {c:?}", low - top);
        let Some(Upper::Points { a: p, b: q, .. }) = &proof.upper else { panic!("{what}: {:?}", proof.upper) };
        let [p, q] = [pose_a.transform_point(point(a, p)), pose_b.transform_point(point(b, q))];
        assert!((q - p).length() - core_a.radius() - core_b.radius() <= c.upper, "{what}: {c:?}");
        assert!(proof.witness.is_some(), "{what}");
        let separation = of_separation(a, pose_a, b, pose_b, 0.0).lower;
        assert_eq!(separation.map(|lower| lower.cover.len()), Some(1), "{what}");
    }
}

/// Shapes that overlap: what proves it is a simplex or surface of members, or two points closer than the radii.
#[test]
fn evidence_for_an_overlap_has_points_of_both_shapes() {
    let mut rng = Rng::with_seed(2);
    let shapes = shapes();
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        let pose = Pose::new(vector(&mut rng, 0.1), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
        assert!(intersects(a, Pose::IDENTITY, b, pose));
        let (radius_a, radius_b) = (a.convex().unwrap().radius(), b.convex().unwrap().radius());
        match of_intersection(a, Pose::IDENTITY, b, pose).upper {
            Some(Upper::Simplex { points, .. } | Upper::Surface { points, .. }) => {
                let differences = points.iter().map(|[p, q]| point(a, p) - pose.transform_point(point(b, q)));
                // The origin is not beyond any plane of the axes.
                let (low, high) = differences
                    .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), w| (low.min(w), high.max(w)));
                assert!(low.max_element() < 0.0 && high.min_element() > 0.0, "{} and {}", a.kind(), b.kind());
            }
            Some(Upper::Points { a: p, b: q, .. }) => {
                assert!((point(a, &p) - pose.transform_point(point(b, &q))).length() <= radius_a + radius_b);
            }
            other => panic!("{} and {}: {other:?}", a.kind(), b.kind()),
        }
    }
}

/// A checker computes the corners anew: a simplex that holds the origin by less than their rounding is not called enclosing.
#[test]
fn a_simplex_that_rounding_could_turn_over_does_not_enclose() {
    let tetrahedron = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p - DVec3::new(0.25, 0.25, 0.0));
    let (a, b) = (Shape::hull(&tetrahedron).unwrap(), Shape::hull(&[DVec3::ZERO]).unwrap());
    let (side_a, side_b) = (ProvableCore::new(&a).unwrap(), ProvableCore::new(&b).unwrap());
    let scale = side_a.bounding_radius() + side_b.bounding_radius();
    // So far above the lowest face, in units of 32 ε of the scale.
    for (height, encloses) in [(0.5, false), (0.05, false), (8.0, true), (1e3, true), (-8.0, false)] {
        let frame = Frame::from(Pose::from_translation([0.0, 0.0, height * 32.0 * f64::EPSILON * scale]));
        let found = nearest(&side_a, &side_b, &frame, DVec3::new(0.1, 0.2, 0.3));
        assert_eq!(found.encloses, encloses, "{height}");
        let corners = found.corners().len();
        assert!((1..=4).contains(&corners) && (corners == 4 || !encloses), "{height}: {corners}");
    }
    // The corner farthest along a direction is one of the hull's.
    let found = corner(&side_a, &side_b, &Frame::IDENTITY, DVec3::Z, DVec3::ZERO);
    assert_eq!(found.w, tetrahedron[3]);
}

/// Every pair of triangles is in one leaf of a cover, whose direction separates it; the point of an overlap is inside.
#[test]
fn evidence_about_meshes_covers_all_pairs_of_triangles() {
    let mut rng = Rng::with_seed(3);
    let cubes = crate::shape::mesh::tests::cubes(&mut rng, 9);
    let mesh = crate::shape::mesh::tests::of_cubes(&cubes);
    let shape = Shape::Mesh(std::sync::Arc::new(mesh.clone()));
    let mut leaves = 0;
    for round in 0..20 {
        let offset = (4.0 + 0.2 * f64::from(round)) * vector(&mut rng, 1.0).normalize();
        let pose = Pose::new(offset, DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
        let c = pair::distance(&shape, Pose::IDENTITY, &shape, pose);
        if !(c.lower > 0.0) {
            continue;
        }
        let lower = of_clearance(&shape, Pose::IDENTITY, &shape, pose, &c).lower.expect("a cover");
        let count = mesh.triangles().len();
        let order = |of: &Vec<u32>| if of.is_empty() { (0..count as u32).collect() } else { of.clone() };
        let (order_a, order_b) = (order(&lower.a), order(&lower.b));
        let mut open = vec![[0..count, 0..count]];
        for node in lower.cover {
            let [a, b] = open.pop().expect("no nodes after the end");
            match node {
                Cover::SplitA(at) => open.extend([[at as usize..a.end, b.clone()], [a.start..at as usize, b]]),
                Cover::SplitB(at) => open.extend([[a.clone(), at as usize..b.end], [a, b.start..at as usize]]),
                Cover::Along(way) => {
                    let way = DVec3::from_array(way);
                    let corners = |order: &[u32]| order.iter().flat_map(|&t| mesh.corners(t)).collect::<Vec<DVec3>>();
                    let top = corners(&order_a[a]).iter().fold(f64::MIN, |most, p| most.max(p.dot(way)));
                    let placed = |p: &DVec3| pose.transform_point(*p).dot(way);
                    let low = corners(&order_b[b]).iter().map(placed).fold(f64::MAX, f64::min);
                    assert!(low - top >= c.lower - 1e-14, "{:e} of {:e}", low - top, c.lower);
                    leaves += 1;
                }
            }
        }
        assert!(open.is_empty(), "all pairs are covered");
    }
    assert!(leaves > 10, "{leaves}");
    // A small ball inside.
    let cube = cubes.iter().min().expect("a cube");
    let middle = Pose::from_translation(DVec3::from_array(cube.map(|x| f64::from(x) + 0.5)));
    let ball = Shape::sphere(0.1).unwrap();
    let proof = of_intersection(&shape, Pose::IDENTITY, &ball, middle);
    assert!(matches!(proof.upper, Some(Upper::Inside { solid: Whose::A, .. })), "{:?}", proof.upper);
}

/// A search takes the same steps with a trace and without one.
#[test]
fn slow_a_trace_changes_no_answer() {
    let mut rng = Rng::with_seed(4);
    let ball = Shape::sphere(0.3).unwrap();
    let mut cloud = |count: usize| {
        let places = (0..count).map(|_| Pose::from_translation(vector(&mut rng, 1.0))).collect::<Vec<_>>();
        Shape::compound(places.into_iter().map(|place| (ball.clone(), place))).unwrap()
    };
    let (a, b) = (cloud(9), cloud(7));
    let mut rng = Rng::with_seed(5);
    let mut seen = [0; 3];
    for _ in 0..20 {
        let at = Pose::new(vector(&mut rng, 3.0), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
        let mut trail = Trail::default();
        let found = distance(&mut Pair::new(&a, &b), Pose::IDENTITY, at, &mut trail);
        assert_eq!(found, crate::distance(&a, Pose::IDENTITY, &b, at));
        let motion = crate::Motion::linear(at, vector(&mut rng, 3.0), vector(&mut rng, 2.0)).unwrap();
        let rest = crate::Motion::fixed(Pose::IDENTITY);
        let (hit, evidence) = impact(&a, &rest, &b, &motion, Interval::new(0.0, 2.0).unwrap());
        assert_eq!(hit, crate::time_of_impact(&a, &rest, &b, &motion, Interval::new(0.0, 2.0).unwrap()));
        seen[usize::from(matches!(hit, crate::Impact::Hit(_)))] += 1;
        assert!(evidence.is_some_and(|evidence| evidence.motion.is_some()));
        if found.lower <= 0.0 {
            let budget = crate::DepthBudget { nodes: 50, ..crate::DepthBudget::default() };
            let plain = crate::depth(&a, Pose::IDENTITY, &b, at, budget);
            assert_eq!(depth(&a, Pose::IDENTITY, &b, at, budget).0, plain);
            seen[2] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 2), "representative: {seen:?}");
}

/// A mesh that dips into a half-space is shown to do so by its lowest triangle, on either side.
#[test]
fn the_lowest_triangle_shows_that_a_mesh_meets_a_half_space() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0, -0.5, 5.0]];
    let mesh = Shape::mesh(&corners, &[[0, 1, 2], [1, 2, 3], [0, 1, 4]]).unwrap();
    let floor = Shape::half_space([0.0, 1.0, 0.0], -0.25).unwrap();
    for (a, b, part) in [(&mesh, &floor, [2, 0]), (&floor, &mesh, [0, 2])] {
        let upper = of_intersection(a, Pose::IDENTITY, b, Pose::IDENTITY).upper;
        let Some(Upper::Points { parts, a: p, b: q }) = upper else { panic!("{upper:?}") };
        assert_eq!(parts, part);
        assert!([p, q].contains(&Member::Vertex(2)));
    }
}
