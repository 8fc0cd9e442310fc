//! Contact manifolds of convex shapes: the contract of every point, and what resting bodies have.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::world::{Body, Config, World};
use clearance::{
    Axis, Convex, Feature, FeaturePair, HalfHeight, Manifold, ManifoldPoints, Pair, Pose, Radius, Shape, distance,
};
use fastrand::Rng;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z])
}

fn boxed(half: [f64; 3]) -> Shape {
    Shape::cuboid(half).unwrap()
}

/// The contract of a manifold, as the module head states it.
fn judge(manifold: &Manifold, [a, b]: [&Shape; 2], [pose_a, pose_b]: [Pose; 2], margin: f64, what: &str) {
    let n = manifold.normal;
    let size = 10.0 + pose_a.translation().length();
    assert!((n.length() - 1.0).abs() < 1e-14, "{what}: {n}");
    assert!(!manifold.points().is_empty() && manifold.rounding < 1e-12 * size, "{what}: {manifold:?}");
    let whole = distance(a, pose_a, b, pose_b);
    let is_single =
        matches!(a, Shape::Mesh(_) | Shape::Compound(_)) || matches!(b, Shape::Mesh(_) | Shape::Compound(_));
    let mut names: Vec<_> = manifold.patch().iter().map(|point| point.id).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), manifold.patch().len(), "{what}: two points of one name in {manifold:#?}");
    for point in manifold.patch() {
        let (x, y) = (pose_a.transform_point(point.point_a), pose_b.transform_point(point.point_b));
        let along = n.dot(y - x);
        let slack = 1e-15 * size;
        assert!(point.lower <= point.distance && point.distance <= point.upper, "{what}: {point:?}");
        assert!(point.lower - slack <= along && along <= point.upper + slack, "{what}: {along} {point:?}");
        assert!(point.lower <= margin, "{what}");
        // Witness points of curved shapes are as exact as those of a distance.
        let is_witness = point.id.features().contains(&Feature::Surface);
        let rounding = manifold.rounding + slack + if is_witness { 1e-11 } else { 0.0 };
        for (shape, pose, place) in [(a, pose_a, x), (b, pose_b, y)] {
            let off = distance(shape, pose, &Shape::point(), Pose::from_translation(place));
            assert!(off.lower <= rounding, "{what}: a point is {off:?} off its shape, {point:?}");
        }
        assert!((y - x - along * n).length() <= 1e-3 * size.min(4.0), "{what}: {point:?}");
        // Beyond the point there is no more of the shape.
        let beyond = |shape: &Shape, pose: Pose, from: DVec3, out: DVec3| {
            let segment = Shape::segment(from + 4.0 * rounding * out, from + 3.0 * out).unwrap();
            let gap = distance(shape, pose, &segment, Pose::IDENTITY);
            assert!(gap.upper > 0.0, "{what}: the shape goes on beyond {point:?}, {gap:?}");
        };
        let is_tight = point.upper - point.lower <= 3.0 * rounding;
        if is_tight && !is_single && !matches!(a, Shape::HalfSpace(_)) && !matches!(b, Shape::HalfSpace(_)) {
            beyond(a, pose_a, x, n);
            beyond(b, pose_b, y, -n);
        }
    }
    if !is_single {
        let deepest = manifold.patch().iter().map(|point| point.distance).fold(f64::INFINITY, f64::min);
        // The depth of curved shapes converges to 1e-11, and so does its normal.
        let slack = 3.0 * manifold.rounding + (whole.upper - whole.lower) + 1e-11;
        assert!(deepest <= whole.upper + slack + 3e-4, "{what}: {deepest} {whole:?}");
        assert!(deepest >= whole.lower - slack, "{what}: {deepest} {whole:?}");
    }
}

fn kinds() -> Vec<Shape> {
    let cuboid = boxed([0.6, 0.4, 0.5]);
    let rock: Vec<DVec3> = (0..20)
        .map(|i| {
            let angle = f64::from(i);
            DVec3::new(angle.sin(), (1.7 * angle).cos(), (0.6 * angle + 1.0).sin()).normalize() * 0.7
        })
        .collect();
    let mirror = DMat3::from_cols_array(&[-1.0, 0.2, 0.0, 0.1, 0.7, 0.4, 0.0, 0.3, 1.2]);
    let mut kinds = vec![
        cuboid.clone(),
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(Axis::Y, Radius(0.25), HalfHeight(0.5)).unwrap(),
        Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.4)).unwrap(),
        Shape::cylinder(Axis::X, Radius(0.5), HalfHeight(0.4)).unwrap(),
        Shape::cone(Axis::Y, Radius(0.5), HalfHeight(0.4)).unwrap(),
        Shape::ellipsoid([0.5, 0.3, 0.4]).unwrap(),
        Shape::hull(&rock).unwrap(),
        Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap(),
        Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.7, 0.7, 0.0]]).unwrap(),
        Shape::triangle([0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 0.2, 1.0]).unwrap(),
        Shape::segment([0.0, 0.0, 0.0], [1.0, 0.1, 0.3]).unwrap(),
        Shape::point(),
        boxed([0.6, 0.0, 0.5]),
        Shape::rounded(&cuboid, 0.1).unwrap(),
        Shape::affine(&cuboid, mirror).unwrap(),
    ];
    kinds.push(Shape::affine(&kinds[3], mirror).unwrap());
    kinds.push(Shape::affine(&kinds[14], mirror).unwrap());
    kinds.push(Shape::rounded(&kinds[3], 0.1).unwrap());
    kinds
}

/// Where B is at that signed distance of A, moved along a direction; nothing if it misses.
fn brought_to(a: &Shape, pose_a: Pose, b: &Shape, turn_b: DQuat, way: DVec3, wanted: f64) -> Option<Pose> {
    let mut far = 3.0;
    for _ in 0..200 {
        let pose = Pose::new(far * way, turn_b);
        let off = distance(a, pose_a, b, pose).distance - wanted;
        if off.abs() < 1e-13 {
            return Some(pose);
        }
        far -= off;
        // A half-space beside the direction is never reached.
        if far.abs() > 1e3 {
            return None;
        }
    }
    None
}

fn turn(rng: &mut Rng, round: usize) -> DQuat {
    let mut draw = || 2.0 * rng.f64() - 1.0;
    let axis = DVec3::new(draw(), draw(), draw());
    let upright = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
        DQuat::from_rotation_y(0.7),
        DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4),
    ][round % 5];
    match round / 5 % 4 {
        0 => upright,
        1 => DQuat::from_scaled_axis(axis * 1e-9) * upright,
        2 => DQuat::from_scaled_axis(axis * 0.1) * upright,
        _ => DQuat::from_scaled_axis(axis * 3.0),
    }
}

/// Every kind against every kind: moved together until they are at the distance that is wanted.
#[test]
fn points_of_every_two_kinds_keep_the_contract() {
    let mut rng = Rng::with_seed(34);
    let (kinds, mut several) = (kinds(), 0);
    let rounds = 40;
    for (i, a) in kinds.iter().enumerate() {
        for (j, b) in kinds.iter().enumerate() {
            let mut pair = Pair::new(a, b).manifold_points(ManifoldPoints::All);
            for round in 0..rounds {
                let way = DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5).normalize_or(DVec3::Y);
                let way = if round % 3 == 0 { DVec3::Y } else { way };
                let pose_a = Pose::from_rotation(turn(&mut rng, round));
                let turn_b = turn(&mut rng, round / 2);
                let wanted = [0.0, 1e-3, -1e-3, -0.1, 1e-9, -1e-9][round % 6];
                let Some(close) = brought_to(a, pose_a, b, turn_b, way, wanted) else { continue };
                let what = format!("{} {} {round} ({i}, {j})", a.kind(), b.kind());
                let margin = 0.01;
                match pair.manifold(pose_a, close, margin) {
                    Some(manifold) => {
                        judge(manifold, [a, b], [pose_a, close], margin, &what);
                        several += usize::from(manifold.points().len() > 1);
                    }
                    None => assert!(distance(a, pose_a, b, close).upper > margin, "{what}"),
                }
            }
        }
    }
    assert!(several > kinds.len() * kinds.len() * rounds / 8, "{several}");
}

#[test]
fn resting_bodies_have_the_points_that_hold_them() {
    let floor = boxed([5.0, 1.0, 5.0]);
    let ground = Shape::half_space([0.0, 1.0, 0.0], 1.0).unwrap();
    let lying = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    let upside = Pose::from_rotation(DQuat::from_rotation_x(std::f64::consts::PI));
    let cylinder = Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.5)).unwrap();
    let capsule = Shape::capsule(Axis::Y, Radius(0.5), HalfHeight(0.5)).unwrap();
    let cone = Shape::cone(Axis::Y, Radius(0.5), HalfHeight(0.5)).unwrap();
    let cube = boxed([0.5; 3]);
    let hull = Shape::hull(&(0..8).map(|v| cube.convex().unwrap().vertex(v).unwrap()).collect::<Vec<_>>()).unwrap();
    let rounded = Shape::rounded(&boxed([0.4; 3]), 0.1).unwrap();
    let cases = [
        (&cube, Pose::IDENTITY, 0.5, 4),
        (&hull, Pose::IDENTITY, 0.5, 4),
        (&rounded, Pose::IDENTITY, 0.5, 4),
        (&cylinder, Pose::IDENTITY, 0.5, 4),
        (&cylinder, lying, 0.5, 2),
        (&capsule, lying, 0.5, 2),
        (&capsule, Pose::IDENTITY, 1.0, 1),
        (&cone, Pose::IDENTITY, 0.5, 4),
        (&cone, upside, 0.5, 1),
    ];
    for (below, height) in [(&floor, 1.0), (&ground, 1.0)] {
        for (k, (shape, turn, half, count)) in cases.iter().enumerate() {
            for by in [0.0, 1e-3, -1e-3] {
                let pose = at(0.3, height + half + by, -0.2) * *turn;
                let mut pair = Pair::new(below, shape);
                let manifold = pair.manifold(Pose::IDENTITY, pose, 0.01).expect("it is near");
                let what = format!("case {k}, {} and {by}", below.kind());
                assert_eq!(manifold.points().len(), *count, "{what}: {manifold:#?}");
                judge(manifold, [below, shape], [Pose::IDENTITY, pose], 0.01, &what);
                for point in manifold.points() {
                    assert!((point.distance - by).abs() < 1e-12, "{what}: {point:?}");
                }
                let mut swapped = Pair::new(shape, below);
                let other = swapped.manifold(pose, Pose::IDENTITY, 0.01).expect("it is near");
                assert_eq!(other.points().len(), *count, "{what}");
            }
        }
    }
}

/// A box that slides over the rim of a table loses the corners that are beyond it, though the frame before had them.
#[test]
fn corners_beyond_a_rim_are_lost() {
    let (table, cube) = (boxed([1.0, 0.5, 1.0]), boxed([0.3; 3]));
    for is_first in [true, false] {
        let mut pair = if is_first { Pair::new(&table, &cube) } else { Pair::new(&cube, &table) };
        for frame in 0..36 {
            let pose = at(0.035 * f64::from(frame), 0.799, 0.02);
            let poses = if is_first { [Pose::IDENTITY, pose] } else { [pose, Pose::IDENTITY] };
            let manifold = pair.manifold(poses[0], poses[1], 0.01).expect("it is on the table");
            let shapes = if is_first { [&table, &cube] } else { [&cube, &table] };
            judge(manifold, shapes, poses, 0.01, &format!("{is_first} {frame}"));
            assert_eq!(manifold.points().len(), 4, "{is_first} {frame}: {manifold:#?}");
        }
    }
}

/// A frame of rest is the same manifold again, and small motions keep the names.
#[test]
fn names_stay_while_features_do() {
    let (floor, cube) = (boxed([5.0, 1.0, 5.0]), boxed([0.5; 3]));
    let mut pair = Pair::new(&floor, &cube);
    let mut rng = Rng::with_seed(3);
    let mut names = Vec::new();
    for frame in 0..1000 {
        let mut draw = || 2e-6 * (rng.f64() - 0.5);
        let turn = DQuat::from_scaled_axis(DVec3::new(draw(), draw(), draw()));
        let manifold = pair.manifold(Pose::IDENTITY, Pose::new([0.3 + draw(), 1.4999, draw()], turn), 0.01).unwrap();
        let found: Vec<FeaturePair> = manifold.points().iter().map(|point| point.id).collect();
        if frame == 0 {
            names = found.clone();
        }
        assert_eq!((manifold.points().len(), &found), (4, &names), "{frame}");
        assert!(manifold.points().iter().all(|point| point.persisted == (frame > 0)));
    }
    assert!(pair.manifold(Pose::IDENTITY, at(0.0, 2.0, 0.0), 0.01).is_none());
    let again = pair.manifold(Pose::IDENTITY, at(0.0, 1.5, 0.0), 0.01).unwrap();
    assert!(again.points().iter().all(|point| !point.persisted));
}

/// A pair that keeps its contact faces and their overlap from frame to frame has the points of a pair that has seen nothing: where bodies tremble, slide, spin and tilt.
#[test]
fn a_warm_pair_has_the_points_of_a_cold_one() {
    let mut rng = Rng::with_seed(21);
    let mut kinds = kinds();
    kinds.push(Shape::half_space([0.0, 1.0, 0.0], 0.2).unwrap());
    kinds.push(boxed([2.0, 0.3, 2.0]));
    let (mut same, mut other, mut several) = (0, 0, 0);
    for round in 0..250 {
        let (a, b) = (&kinds[rng.usize(..kinds.len())], &kinds[rng.usize(..kinds.len())]);
        let (pose_a, turn_b) = (Pose::from_rotation(turn(&mut rng, round)), turn(&mut rng, round / 3));
        let way = if round % 2 == 0 { DVec3::Y } else { DVec3::new(rng.f64() - 0.5, 1.0, rng.f64() - 0.5).normalize() };
        let Some(mut pose_b) = brought_to(a, pose_a, b, turn_b, way, -1e-3 * rng.f64()) else { continue };
        let mut warm = Pair::new(a, b).manifold_points(ManifoldPoints::All);
        let by = [1e-6, 1e-4, 1e-2, 0.1][round % 4];
        for frame in 0..30 {
            let mut draw = || by * (rng.f64() - 0.5);
            let step = DVec3::new(draw(), 0.1 * draw(), draw());
            let spin = DQuat::from_scaled_axis(DVec3::new(0.1 * draw(), draw(), 0.1 * draw()));
            pose_b = Pose::new(pose_b.translation() + step, spin * pose_b.rotation());
            let what = format!("{} {} {round} {frame}", a.kind(), b.kind());
            let mut cold = Pair::new(a, b).manifold_points(ManifoldPoints::All);
            let (Some(found), Some(wanted)) =
                (warm.manifold(pose_a, pose_b, 0.01), cold.manifold(pose_a, pose_b, 0.01))
            else {
                continue;
            };
            judge(found, [a, b], [pose_a, pose_b], 0.01, &what);
            let names = |manifold: &Manifold| {
                let mut names: Vec<_> = manifold.points().iter().map(|point| point.id).collect();
                names.sort_unstable();
                names
            };
            // Faces that are nearly equally good stay, and of two normals that are equally deep either will do. Corners that are over corners change their names with every tremble.
            if names(found) != names(wanted) || found.normal.distance(wanted.normal) > 1e-9 {
                other += 1;
                continue;
            }
            same += 1;
            several += usize::from(found.points().len() > 1);
            for point in found.points() {
                let twin = wanted.points().iter().find(|twin| twin.id == point.id).unwrap();
                let off = point.point_a.distance(twin.point_a).max(point.point_b.distance(twin.point_b));
                let is_smooth = point.id.features().contains(&Feature::Surface);
                // The normals of curved shapes are as exact as their distance.
                let allowed = if is_smooth { [1e-4, 1e-6] } else { [1e-8, 1e-9] };
                assert!(off < allowed[0], "{what}: {point:?} {twin:?}");
                assert!((point.distance - twin.distance).abs() < allowed[1], "{what}: {point:?} {twin:?}");
            }
        }
    }
    println!("{same} frames have the same points, {several} of them several; {other} have others");
    assert!(same > 1000 && several > 200 && 5 * other < same, "{same} {several} {other}");
}

#[test]
fn an_exchange_of_the_bodies_exchanges_the_points() {
    let mut rng = Rng::with_seed(5);
    let kinds = kinds();
    let mut compared = 0;
    for round in 0..400 {
        let (a, b) = (&kinds[rng.usize(..kinds.len())], &kinds[rng.usize(..kinds.len())]);
        let (pose_a, turn_b) = (Pose::from_rotation(turn(&mut rng, round)), turn(&mut rng, round / 3));
        let way = DVec3::new(rng.f64() - 0.5, 1.0, rng.f64() - 0.5).normalize();
        let Some(pose_b) = brought_to(a, pose_a, b, turn_b, way, -1e-3 * rng.f64()) else { continue };
        let (mut one, mut other) = (Pair::new(a, b), Pair::new(b, a));
        let (one, other) = (one.manifold(pose_a, pose_b, 0.01), other.manifold(pose_b, pose_a, 0.01));
        let (Some(one), Some(other)) = (one, other) else { continue };
        // Where two directions are equally deep either will do.
        if (one.normal + other.normal).length() > 1e-9 {
            continue;
        }
        compared += 1;
        for point in one.patch() {
            let nearest = other
                .patch()
                .iter()
                .map(|found| (found.point_a - point.point_b).length().max((found.point_b - point.point_a).length()));
            let off = nearest.fold(f64::INFINITY, f64::min);
            assert!(off < 1e-6, "{} {} {round}: {off} {one:#?} {other:#?}", a.kind(), b.kind());
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn custom_shapes_and_strange_margins_have_answers() {
    #[derive(Debug)]
    struct Broken;
    impl Convex for Broken {
        fn support(&self, _: DVec3) -> DVec3 {
            DVec3::new(f64::NAN, 0.0, 0.0)
        }
        fn bounding_radius(&self) -> f64 {
            1.0
        }
    }
    let cube = boxed([0.5; 3]);
    let broken = Shape::custom(Broken);
    for shape in broken.iter().chain([&cube]) {
        let mut pair = Pair::new(shape, &cube);
        for margin in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let found = pair.manifolds(Pose::IDENTITY, at(0.2, 0.9, 0.0), margin).len();
            assert!(found <= 1);
        }
    }
    let plane = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    let up = Shape::half_space([0.0, -1.0, 0.0], 0.0).unwrap();
    assert_eq!(Pair::new(&plane, &up).manifold(Pose::IDENTITY, at(0.0, 0.005, 0.0), 0.01).unwrap().points().len(), 1);
}

/// A square floor of 2 n² triangles, whose corners are `step` apart; every other row is moved, so that its triangles have no simple pattern.
fn tessellated(n: u32, step: f64) -> Shape {
    let at = |i: u32, j: u32| [step * f64::from(i), 0.0, step * f64::from(j)];
    let vertices: Vec<[f64; 3]> = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let number = |i: u32, j: u32| i * (n + 1) + j;
    let triangles: Vec<[u32; 3]> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [number(i, j), number(i, j + 1), number(i + 1, j + 1), number(i + 1, j)];
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        })
        .collect();
    Shape::mesh(&vertices, &triangles).unwrap()
}

/// A body that slides over a floor of triangles is pushed straight up, by the points that hold it, and inner edges make no points.
#[test]
fn a_tessellated_floor_is_as_good_as_a_plane() {
    let floor = tessellated(12, 0.25);
    let lying = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    let bodies = [
        (boxed([0.3; 3]), Pose::IDENTITY, 0.3, 4),
        (Shape::cylinder(Axis::Y, Radius(0.4), HalfHeight(0.3)).unwrap(), Pose::IDENTITY, 0.3, 4),
        (Shape::capsule(Axis::Y, Radius(0.2), HalfHeight(0.4)).unwrap(), lying, 0.2, 2),
        (Shape::sphere(0.3).unwrap(), Pose::IDENTITY, 0.3, 1),
        (Shape::rounded(&boxed([0.2; 3]), 0.1).unwrap(), Pose::IDENTITY, 0.3, 4),
    ];
    for (body, turn, half, count) in bodies {
        for (is_first, by) in [(true, -1e-3), (true, 1e-3), (false, -1e-3), (false, -0.05)] {
            let mut pair = if is_first { Pair::new(&floor, &body) } else { Pair::new(&body, &floor) };
            for frame in 0..150 {
                let spin = DQuat::from_rotation_y(0.01 * f64::from(frame));
                let slide = [1.0 + 0.007 * f64::from(frame), half + by, 1.1 + 0.003 * f64::from(frame)];
                let pose = Pose::new(slide, spin) * turn;
                let what = format!("{} {is_first} {by} frame {frame}", body.kind());
                let manifolds = match is_first {
                    true => pair.manifolds(Pose::IDENTITY, pose, 0.01),
                    false => pair.manifolds(pose, Pose::IDENTITY, 0.01),
                };
                let [manifold] = manifolds else { panic!("{what}: {} manifolds {manifolds:#?}", manifolds.len()) };
                let up = if is_first { DVec3::Y } else { -DVec3::Y };
                assert_eq!(manifold.points().len(), count, "{what}: {manifold:#?}");
                assert!((manifold.normal - up).length() < 1e-12, "{what}: {manifold:#?}");
                for point in manifold.points() {
                    assert!((point.distance - by).abs() < 1e-12, "{what}: {point:?}");
                    assert!(point.lower <= by && by <= point.upper, "{what}: {point:?}");
                    assert!(point.persisted == (frame > 0), "{what}: {manifold:#?}");
                }
            }
        }
    }
}

/// A box whose corners are over vertices inside of a flat face has its own four points: those vertices make none.
#[test]
fn corners_over_flat_vertices_keep_their_points() {
    let floor = tessellated(12, 0.25);
    let body = boxed([0.25, 0.3, 0.5]);
    for (is_first, by) in [(true, -1e-3), (true, 0.0), (true, 1e-3), (false, -1e-3), (false, 1e-3)] {
        let mut pair = if is_first { Pair::new(&floor, &body) } else { Pair::new(&body, &floor) };
        for (i, j) in (1..10).flat_map(|i| (2..10).map(move |j| (i, j))) {
            let pose = at(0.25 * f64::from(i), 0.3 + by, 0.25 * f64::from(j));
            let found = match is_first {
                true => pair.manifolds(Pose::IDENTITY, pose, 0.01),
                false => pair.manifolds(pose, Pose::IDENTITY, 0.01),
            };
            let [manifold] = found else { panic!("{is_first} {by} {i} {j}: {found:#?}") };
            assert_eq!(manifold.points().len(), 4, "{is_first} {by} {i} {j}: {manifold:#?}");
        }
    }
}

/// A box of triangles is touched like a box: on its faces, its edges and its corners, and from the side never upward.
#[test]
fn a_box_of_triangles_is_as_good_as_a_box() {
    let half = DVec3::new(0.5, 0.4, 0.6);
    let cuboid = Shape::cuboid(half).unwrap();
    let corners: Vec<DVec3> = (0..8).map(|v| cuboid.convex().unwrap().vertex(v).unwrap()).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Shape::mesh(&corners, &triangles).unwrap();
    assert!(mesh.as_mesh().unwrap().is_solid() && mesh.as_mesh().unwrap().volume() > 0.0);
    let mut rng = Rng::with_seed(8);
    let body = boxed([0.3; 3]);
    for round in 0..600 {
        let turn_b = turn(&mut rng, round);
        let way = DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5).normalize();
        let wanted = [1e-3, -1e-3, 0.0, 5e-3][round % 4];
        let Some(pose) = brought_to(&cuboid, Pose::IDENTITY, &body, turn_b, way, wanted) else { continue };
        let mut exact = Pair::new(&cuboid, &body);
        let expected = exact.manifold(Pose::IDENTITY, pose, 0.01).expect("it is near");
        let mut pair = Pair::new(&mesh, &body);
        let found = pair.manifolds(Pose::IDENTITY, pose, 0.01);
        assert!(!found.is_empty(), "{round}");
        // One of them is that of the box; the others are neighbours that are no deeper.
        let best =
            found.iter().map(|manifold| (manifold.normal - expected.normal).length()).fold(f64::INFINITY, f64::min);
        assert!(best < 1e-2, "{round}: {expected:#?} {found:#?}");
        for manifold in found {
            judge(manifold, [&mesh, &body], [Pose::IDENTITY, pose], 0.01, &format!("round {round}"));
            let deepest = manifold.deepest().unwrap().distance;
            assert!(deepest > 3.0 * wanted.min(0.0) - 0.02, "{round}: {expected:#?} {manifold:#?}");
        }
    }
}

#[test]
fn parts_of_compounds_touch_one_by_one() {
    let bar = |half: [f64; 3]| boxed(half);
    let table = Shape::compound([
        (bar([1.0, 0.1, 1.0]), at(0.0, 1.0, 0.0)),
        (bar([0.1, 0.45, 0.1]), at(0.8, 0.45, 0.8)),
        (bar([0.1, 0.45, 0.1]), at(-0.8, 0.45, 0.8)),
        (bar([0.1, 0.45, 0.1]), at(0.8, 0.45, -0.8)),
        (bar([0.1, 0.45, 0.1]), at(-0.8, 0.45, -0.8)),
    ])
    .unwrap();
    let far = at(1e6, -1e5, 3e5) * Pose::from_rotation(DQuat::from_rotation_x(0.3));
    let grounds = [Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), boxed([5.0, 1.0, 5.0]), tessellated(40, 0.25)];
    let places = [Pose::IDENTITY, at(0.0, -1.0, 0.0), at(-4.9, 0.0, -5.1)];
    for (ground, place) in grounds.iter().zip(places) {
        for base in [Pose::IDENTITY, far] {
            let mut pair = Pair::new(ground, &table);
            for frame in 0..3 {
                let found = pair.manifolds(base * place, base * at(0.0, 1e-3, 0.0), 0.01);
                let parts: Vec<[u32; 2]> = found.iter().map(|manifold| manifold.parts).collect();
                assert_eq!(parts, [[0, 1], [0, 2], [0, 3], [0, 4]], "{}", ground.kind());
                for manifold in found {
                    judge(manifold, [ground, &table], [base * place, base * at(0.0, 1e-3, 0.0)], 0.01, ground.kind());
                    assert_eq!(manifold.points().len(), 4, "{manifold:#?}");
                    for point in manifold.points() {
                        assert!((point.distance - 1e-3).abs() < 1e-9 && point.persisted == (frame > 0), "{point:?}");
                        assert!(point.point_b.y.abs() < 1e-12, "{point:?}");
                    }
                }
            }
        }
    }
    let mut pair = Pair::new(&table, &table);
    assert_eq!(pair.manifolds(Pose::IDENTITY, at(0.0, 1.1, 0.0), 0.01).len(), 4);
    assert!(pair.manifolds(Pose::IDENTITY, at(0.0, 3.0, 0.0), 0.01).is_empty());
}

#[test]
fn two_meshes_touch_like_what_they_are_made_of() {
    let floor = tessellated(10, 0.25);
    let half = DVec3::splat(0.3);
    let cuboid = Shape::cuboid(half).unwrap();
    let corners: Vec<DVec3> = (0..8).map(|v| cuboid.convex().unwrap().vertex(v).unwrap()).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Shape::mesh(&corners, &triangles).unwrap();
    for by in [1e-3, -1e-3] {
        let mut pair = Pair::new(&floor, &mesh);
        for frame in 0..60 {
            let slide = [1.0 + 0.007 * f64::from(frame), 0.3 + by, 1.1 + 0.003 * f64::from(frame)];
            let pose = Pose::new(slide, DQuat::from_rotation_y(0.01 * f64::from(frame)));
            let found = pair.manifolds(Pose::IDENTITY, pose, 0.01);
            let what = format!("{by} {frame}");
            for manifold in found {
                judge(manifold, [&floor, &mesh], [Pose::IDENTITY, pose], 0.01, &what);
                assert!((manifold.normal - DVec3::Y).length() < 1e-9, "{what}: {found:#?}");
                assert!(manifold.points().iter().all(|point| (point.distance - by).abs() < 1e-9), "{what}");
            }
            let corners = found
                .iter()
                .flat_map(|manifold| manifold.points())
                .filter(|point| matches!(point.id.features(), [Feature::Face(_), Feature::Vertex(_)]));
            assert_eq!(corners.count(), 4, "{what}: {found:#?}");
        }
    }
}

/// The manifolds of a world are those of its pairs, in their order and for any number of threads.
#[test]
fn worlds_have_the_manifolds_of_their_pairs() {
    let mut rng = Rng::with_seed(12);
    let kinds = kinds();
    let config = Config { margin: 0.05, ..Config::default() };
    let mut world = World::new(config);
    world.insert_body(Body::new(boxed([4.0, 0.5, 4.0]), at(0.0, -0.5, 0.0)).fixed());
    let ids: Vec<_> = (0..60)
        .map(|k| {
            let place = DVec3::new(rng.f64() - 0.5, rng.f64(), rng.f64() - 0.5) * 4.0;
            world.insert(kinds[k % kinds.len()].clone(), Pose::from_translation(place))
        })
        .collect();
    let mut seen = 0;
    for frame in 0..6 {
        for &id in ids.iter().filter(|id| id.slot() % 3 != 0 || frame == 0) {
            let pose = world.body(id).unwrap().pose;
            let step = DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 0.02;
            world.set_pose(id, Pose::from_translation(step) * pose);
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let mut copy = world.clone();
        let alone: Vec<_> =
            one.install(|| copy.manifolds().map(|pair| (pair.a, pair.b, pair.manifolds.to_vec())).collect());
        let found: Vec<_> = world.manifolds().map(|pair| (pair.a, pair.b, pair.manifolds.to_vec())).collect();
        assert_eq!(found, alone);
        let near: Vec<_> = world.last_update().within(0.05).map(|pair| (pair.a, pair.b)).collect();
        assert!(found.iter().all(|(a, b, _)| near.contains(&(*a, *b))) && found.len() > near.len() / 2);
        for (a, b, manifolds) in &found {
            let (a, b) = (world.body(*a).unwrap(), world.body(*b).unwrap());
            for manifold in manifolds {
                judge(manifold, [&a.shape, &b.shape], [a.pose, b.pose], 0.05, &format!("frame {frame}"));
                seen += usize::from(manifold.points().iter().any(|point| point.persisted));
            }
        }
        let again: Vec<_> = world.manifolds().map(|pair| pair.manifolds[0].clone()).collect();
        assert!(again.iter().all(|manifold| manifold.points().iter().all(|point| point.persisted)));
    }
    assert!(seen > 50, "{seen}");
    let id = ids[1];
    world.set_shape(id, Shape::sphere(3.0).unwrap());
    let fresh = world.manifolds().filter(|pair| pair.a == id || pair.b == id);
    assert!(fresh.flat_map(|pair| pair.manifolds).all(|manifold| manifold.points().iter().all(|p| !p.persisted)));
}
