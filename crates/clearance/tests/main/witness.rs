//! V-Clip by itself, through a pair: what goes through what, yes or no, and the memory of both.

use clearance::math::{DQuat, DVec3};
use clearance::shape::Polytope;
use clearance::{Engine, Feature, Pair, Pose, Shape, intersects};

fn hull(rng: &mut fastrand::Rng, count: usize) -> Shape {
    let points: Vec<DVec3> = (0..count).map(|_| number(rng)).collect();
    Shape::hull(&points).unwrap()
}

fn number(rng: &mut fastrand::Rng) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
}

fn polytope(shape: &Shape) -> &Polytope {
    shape.as_polytope().expect("a hull")
}

/// Does an edge go through a face, to rounding?
fn pierces(edges: &Shape, edge: u32, to_faces: impl Fn(DVec3) -> DVec3, faces: &Shape, face: u32) -> bool {
    let (x, y) = (polytope(edges), polytope(faces));
    let ends = [x.edge(edge).tail, x.edge(edge).head].map(|v| to_faces(x.vertex(v)));
    let corners: Vec<DVec3> = y.face(face).vertices.iter().map(|&v| y.vertex(v)).collect();
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
    let [low, high] = ends.map(|end| normal.dot(end - corners[0]));
    if low * high > 1e-12 {
        return false;
    }
    let at = ends[0] + (ends[1] - ends[0]) * (low / (low - high));
    (0..corners.len()).all(|i| {
        let along = corners[(i + 1) % corners.len()] - corners[i];
        normal.cross(along).dot(at - corners[i]) >= -1e-9
    })
}

/// Is a point inside of a polytope, to rounding?
fn holds(shape: &Shape, point: DVec3) -> bool {
    let body = polytope(shape);
    (0..body.face_count() as u32).all(|f| {
        let corners: Vec<DVec3> = body.face(f).vertices.iter().map(|&v| body.vertex(v)).collect();
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
        normal.dot(point - corners[0]) <= 1e-9
    })
}

#[test]
fn overlaps_are_witnessed_by_an_edge_through_a_face_or_a_vertex_inside() {
    let mut rng = fastrand::Rng::with_seed(180);
    let (mut edges, mut vertices) = (0, 0);
    for round in 0..400 {
        let (a, b) = (hull(&mut rng, 4 + round % 30), hull(&mut rng, 4 + round % 7));
        let mut pair = Pair::new(&a, &b).engine(Engine::VClip);
        let turn = DQuat::from_scaled_axis(number(&mut rng));
        let mut at = number(&mut rng);
        // Several frames, so that the witness of the one is the start of the next.
        for _ in 0..6 {
            at += 0.05 * number(&mut rng);
            let pose = Pose::new(at, turn);
            let found = pair.distance(Pose::IDENTITY, pose);
            assert_eq!(found.is_overlapping(), intersects(&a, Pose::IDENTITY, &b, pose));
            if found.is_apart() {
                continue;
            }
            let in_a = |p: DVec3| pose.transform_point(p);
            let in_b = |p: DVec3| pose.inverse_transform_point(p);
            let witness = pair.vclip_features().expect("V-Clip has found the overlap");
            let is_witness = match witness {
                [Feature::Edge(e), Feature::Face(f)] => pierces(&a, e, in_b, &b, f),
                [Feature::Face(f), Feature::Edge(e)] => pierces(&b, e, in_a, &a, f),
                [Feature::Vertex(v), Feature::Face(_)] => holds(&b, in_b(polytope(&a).vertex(v))),
                [Feature::Face(_), Feature::Vertex(v)] => holds(&a, in_a(polytope(&b).vertex(v))),
                _ => false,
            };
            assert!(is_witness, "{witness:?} {found:?}");
            let has_edge = witness.iter().any(|feature| matches!(feature, Feature::Edge(_)));
            edges += u32::from(has_edge);
            vertices += u32::from(!has_edge);
        }
    }
    assert!(edges > 500 && vertices > 0 && edges > 5 * vertices, "{edges} {vertices}");
}

#[test]
fn yes_and_no_are_those_of_the_other_engines() {
    let mut rng = fastrand::Rng::with_seed(181);
    let cube: Vec<DVec3> =
        (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i / 2 % 2), f64::from(i / 4))).collect();
    let cube = Shape::hull(&cube).unwrap();
    // Touching at a face, an edge, a corner; the same place; nested; slightly apart.
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]);
    for pose in [
        at(1.0, 0.0, 0.0),
        at(1.0, 1.0, 0.0),
        at(1.0, 1.0, 1.0),
        at(0.0, 0.0, 0.0),
        at(0.5, 0.5, 0.5),
        at(1.0 + 1e-12, 0.0, 0.0),
        at(1.0 + 1e-9, 0.3, 0.1),
    ] {
        let mut pair = Pair::new(&cube, &cube).engine(Engine::VClip);
        let answer = pair.intersects(Pose::IDENTITY, pose);
        assert_eq!(answer, pair.distance(Pose::IDENTITY, pose).is_overlapping(), "{pose:?}");
        assert_eq!(answer, intersects(&cube, Pose::IDENTITY, &cube, pose), "{pose:?}");
        assert_eq!(answer, pair.intersects(Pose::IDENTITY, pose), "warm: {pose:?}");
    }
    let mut overlaps = 0;
    for round in 0..300 {
        let (a, b) = (hull(&mut rng, 4 + round % 40), hull(&mut rng, 4 + round % 9));
        let mut pair = Pair::new(&a, &b).engine(Engine::VClip);
        for _ in 0..8 {
            let pose = Pose::new(1.5 * number(&mut rng), DQuat::from_scaled_axis(3.0 * number(&mut rng)));
            let answer = pair.intersects(Pose::IDENTITY, pose);
            assert_eq!(answer, intersects(&a, Pose::IDENTITY, &b, pose), "{pose:?}");
            overlaps += u32::from(answer);
        }
    }
    assert!((300..2100).contains(&overlaps), "{overlaps}");
}
