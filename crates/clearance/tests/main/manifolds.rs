//! Contact manifolds of convex shapes: the contract of every point, and what resting bodies have.

use clearance::math::{DMat3, DQuat, DVec3};
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
