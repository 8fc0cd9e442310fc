//! Rays at meshes, compounds, flat shapes and worlds; in all units; and what is no ray.

use super::{box_mesh, check_numbers, rays, rotation, vector};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::world::{Config, World};
use clearance::{
    Axis, Convex, HalfHeight, Pose, QueryFilter, Radius, Ray, RayHit, Shape, cast_ray, cast_ray_boundary, distance,
};
use fastrand::Rng;

/// A closed surface around the origin that every ray from there crosses once: an octahedron, divided, with corners in and out.
fn star(rng: &mut Rng, rounds: usize) -> Shape {
    let mut corners = vec![DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..rounds {
        let mut middles = std::collections::BTreeMap::new();
        let mut next = Vec::new();
        for &[a, b, c] in &triangles {
            let mut middle = |i: u32, j: u32| {
                *middles.entry([i.min(j), i.max(j)]).or_insert_with(|| {
                    corners.push((corners[i as usize] + corners[j as usize]).normalize());
                    corners.len() as u32 - 1
                })
            };
            let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
            next.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
        }
        triangles = next;
    }
    for corner in &mut corners {
        *corner *= 0.8 + 0.4 * rng.f64();
    }
    let shape = Shape::mesh(&corners, &triangles).unwrap();
    assert!(shape.as_mesh().unwrap().is_solid());
    shape
}

/// `RAYS=1000000` is the long form.
#[test]
fn rays_at_edges_and_corners_never_slip_through_a_closed_mesh() {
    let mut rng = Rng::with_seed(21);
    let shape = star(&mut rng, 3);
    let mesh = shape.as_mesh().unwrap();
    let (mut proved, count) = (0, rays(4000));
    for number in 0..count {
        let [a, b, c] = mesh.corners(rng.u32(..mesh.triangles().len() as u32));
        // A corner, a place on an edge (which is rounded), the middle.
        let at = match number % 3 {
            0 => a,
            1 => a + (b - a) * rng.f64(),
            _ => (a + b + c) / 3.0,
        };
        let pose = if number % 2 == 0 { Pose::IDENTITY } else { Pose::new(vector(&mut rng, 3.0), rotation(&mut rng)) };
        let (origin, along) = (pose.transform_point(4.0 * at), pose.transform_vector(-at));
        let hit = cast_ray(&shape, pose, &Ray::new(origin, along, 10.0).unwrap())
            .unwrap_or_else(|| panic!("{number} slips through at {at}"));
        check_numbers(&hit, 10.0);
        let expected = 3.0 * at.length();
        assert!(hit.lower <= expected + 1e-13 && expected - 1e-13 <= hit.upper, "{number}: {expected} {hit:?}");
        assert!(!hit.is_inside && hit.normal.dot(along) < 0.0);
        proved += usize::from(hit.is_proved());
        // Out of it again, through the same place.
        let out =
            cast_ray_boundary(&shape, pose, &Ray::new(pose.translation(), -along, 10.0).unwrap()).expect("it leaves");
        assert!(
            out.is_inside && out.lower <= at.length() + 1e-13 && at.length() - 1e-13 <= out.upper,
            "{number}: {out:?}"
        );
        let inside =
            cast_ray(&shape, pose, &Ray::new(pose.translation(), along, 10.0).unwrap()).expect("it begins inside");
        assert!(inside.is_inside && (inside.lower, inside.upper) == (0.0, 0.0));
    }
    println!("{proved} of {count} proved");
    assert!(proved * 100 >= count * 99, "{proved} of {count}");
}

#[test]
fn a_shell_is_met_at_its_edges_too() {
    // Two triangles of a square, seen from above: the diagonal belongs to both.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let sheet = Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let mut rng = Rng::with_seed(22);
    for _ in 0..rays(1000) {
        let (at, along) = (rng.f64(), vector(&mut rng, 1.0) - 2.0 * DVec3::Z);
        let on = DVec3::new(at, at, 0.0);
        let hit =
            cast_ray(&sheet, Pose::IDENTITY, &Ray::new(on - along, along, 10.0).unwrap()).expect("on the diagonal");
        let length = along.length();
        assert!(hit.lower <= length * (1.0 + 1e-14) && length * (1.0 - 1e-14) <= hit.upper, "{hit:?}");
        assert!(hit.normal.z > 0.99);
        // From inside of its box, and along it.
        assert!(cast_ray(&sheet, Pose::IDENTITY, &Ray::new([0.3, 0.4, 0.0], [1.0, 0.1, 0.0], 10.0).unwrap()).is_some());
        assert!(
            cast_ray(&sheet, Pose::IDENTITY, &Ray::new([0.3, 0.4, 1e-9], [1.0, 0.1, 0.0], 10.0).unwrap()).is_none()
        );
        assert!(
            cast_ray(&sheet, Pose::IDENTITY, &Ray::new([2.0, 0.4, 0.0], [1.0, 0.1, 0.0], 10.0).unwrap()).is_none(),
            "in its plane"
        );
    }
}

/// Two answers about the same body.
fn agree(a: Option<RayHit>, b: Option<RayHit>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.lower <= b.upper && b.lower <= a.upper,
        (Some(one), None) | (None, Some(one)) => !one.is_proved(),
        (None, None) => true,
    }
}

#[test]
fn a_box_is_a_hull_is_a_mesh_is_a_compound() {
    let mut rng = Rng::with_seed(23);
    let h = DVec3::new(0.5, 0.25, 1.0);
    let corners: Vec<DVec3> =
        (0..8).map(|i| h * DVec3::from_array([0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0))).collect();
    let half = Shape::cuboid(h * DVec3::new(1.0, 1.0, 0.5)).unwrap();
    let halves = [-0.5, 0.5].map(|z| (half.clone(), Pose::from_translation([0.0, 0.0, z])));
    let stretched = Shape::affine(&Shape::cuboid([1.0; 3]).unwrap(), DMat3::from_diagonal(h)).unwrap();
    let turn = DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6).normalize();
    let turned = Shape::compound([(Shape::cuboid(h).unwrap(), Pose::from_rotation(turn))]).unwrap();
    let back = Shape::compound([(turned, Pose::from_rotation(turn.conjugate()))]).unwrap();
    let shapes = [
        Shape::cuboid(h).unwrap(),
        Shape::hull(&corners).unwrap(),
        box_mesh(h),
        Shape::compound(halves).unwrap(),
        Shape::compound([(box_mesh(h), Pose::IDENTITY)]).unwrap(),
        stretched,
        back,
        Shape::rounded(&Shape::cuboid(h).unwrap(), 0.0).unwrap(),
    ];
    let mut hits = 0;
    for number in 0..rays(4000) {
        let pose = Pose::new(vector(&mut rng, 2.0), rotation(&mut rng));
        let corner = corners[rng.usize(..8)];
        let aim = match number % 4 {
            0 => corner,
            1 => corner * DVec3::new(1.0, 1.0, 2.0 * rng.f64() - 1.0),
            2 => corner * DVec3::new(1.0, rng.f64(), rng.f64()),
            _ => vector(&mut rng, 1.0),
        };
        let along = vector(&mut rng, 1.0);
        let origin = pose.transform_point(aim - along * [3.0, 0.1, 1000.0][number % 3]);
        let along = pose.transform_vector(along);
        let answers =
            shapes.each_ref().map(|shape| cast_ray(shape, pose, &Ray::new(origin, along, f64::INFINITY).unwrap()));
        for (answer, shape) in answers.iter().zip(&shapes) {
            answer.iter().for_each(|hit| check_numbers(hit, f64::INFINITY));
            assert!(agree(answers[0], *answer), "{number} {}: {:?} {answer:?}", shape.kind(), answers[0]);
        }
        hits += usize::from(answers[0].is_some());
    }
    assert!(hits > 1000);
}

#[test]
fn flat_shapes_are_proved_to_be_hit() {
    let flat = Shape::cuboid([1.0, 0.0, 1.0]).unwrap();
    let hull = Shape::hull(&[[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]]).unwrap();
    let triangle = Shape::triangle([3.0, 0.0, -1.0], [-3.0, 0.0, -1.0], [0.0, 0.0, 4.0]).unwrap();
    let disc = Shape::cylinder(Axis::Y, Radius(1.5), HalfHeight(0.0)).unwrap();
    let mut rng = Rng::with_seed(24);
    for _ in 0..rays(1000) {
        let pose = Pose::new(vector(&mut rng, 2.0), rotation(&mut rng));
        let at = DVec3::new(1.8 * rng.f64() - 0.9, 0.0, 1.8 * rng.f64() - 0.9);
        let mut along = vector(&mut rng, 1.0);
        along.y += if along.y < 0.0 { -0.1 } else { 0.1 };
        for shape in [&flat, &hull, &triangle, &disc] {
            let (origin, along) = (pose.transform_point(at - 3.0 * along), pose.transform_vector(along));
            let hit = cast_ray(shape, pose, &Ray::new(origin, along, 100.0).unwrap()).expect("at it");
            let length = 3.0 * along.length();
            let is_at_rim = matches!(shape, Shape::Triangle(_)) && at.x.abs() > 2.0 - at.z;
            assert!(hit.is_proved() || is_at_rim, "{} {hit:?}", shape.kind());
            assert!(
                hit.lower <= length + 1e-13 && length - 1e-13 <= hit.upper && hit.upper - hit.lower < 1e-11,
                "{hit:?}"
            );
            assert!(hit.normal.dot(along) < 0.0);
        }
    }
    // A body without an area is met, but never for sure.
    let segment = Shape::segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]).unwrap();
    let hit = cast_ray(&segment, Pose::IDENTITY, &Ray::new([0.25, 3.0, 0.0], [0.0, -1.0, 0.0], 10.0).unwrap())
        .expect("on it");
    assert!(!hit.is_proved() && hit.lower <= 3.0 && (hit.distance - 3.0).abs() < 1e-12);
    let hit = cast_ray(&Shape::point(), Pose::IDENTITY, &Ray::new([0.0, 3.0, 0.0], [0.0, -1.0, 0.0], 10.0).unwrap())
        .expect("on it");
    assert!(!hit.is_proved() && hit.lower <= 3.0);
    assert!(
        cast_ray(&Shape::point(), Pose::IDENTITY, &Ray::new([1e-9, 3.0, 0.0], [0.0, -1.0, 0.0], 10.0).unwrap())
            .is_none()
    );
}

#[derive(Debug)]
struct Lens(f64);

impl Convex for Lens {
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * self.0
    }

    fn radius(&self) -> f64 {
        0.25 * self.0
    }
}

/// One of every kind, of about that size.
fn kinds(unit: f64) -> Vec<Shape> {
    let mut rng = Rng::with_seed(25);
    let mut cloud = |count: usize| (0..count).map(|_| vector(&mut rng, unit)).collect::<Vec<DVec3>>();
    let hull = Shape::hull(&cloud(40)).unwrap();
    let corners = cloud(3);
    let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.4, 1.1, 0.0), DVec3::new(0.1, -0.3, 0.6));
    let cylinder = Shape::cylinder(Axis::Y, Radius(0.5 * unit), HalfHeight(unit)).unwrap();
    let cone = Shape::cone(Axis::Z, Radius(0.5 * unit), HalfHeight(unit)).unwrap();
    let parts = [
        (cylinder.clone(), Pose::from_translation(DVec3::X * unit)),
        (hull.clone(), Pose::from_translation(DVec3::Y * unit)),
        (box_mesh(DVec3::splat(0.4 * unit)), Pose::from_translation(DVec3::Z * unit)),
    ];
    vec![
        Shape::sphere(unit).unwrap(),
        Shape::cuboid([unit, 0.5 * unit, 0.25 * unit]).unwrap(),
        Shape::capsule(Axis::X, Radius(0.5 * unit), HalfHeight(unit)).unwrap(),
        cylinder.clone(),
        cone.clone(),
        Shape::ellipsoid([unit, 0.7 * unit, 0.3 * unit]).unwrap(),
        Shape::triangle(corners[0], corners[1], corners[2]).unwrap(),
        hull.clone(),
        Shape::affine(&hull, shear).unwrap(),
        Shape::affine(&cone, shear).unwrap(),
        Shape::rounded(&hull, 0.2 * unit).unwrap(),
        Shape::rounded(&cone, 0.2 * unit).unwrap(),
        Shape::affine(&Shape::rounded(&cylinder, 0.2 * unit).unwrap(), shear).unwrap(),
        Shape::custom(Lens(unit)).unwrap(),
        Shape::half_space([1.0, 2.0, 3.0], 0.5 * unit).unwrap(),
        box_mesh(DVec3::new(1.0, 0.5, 0.75) * unit),
        Shape::compound(parts).unwrap(),
    ]
}

/// A ray up to a distance is a segment, and the library knows distances.
#[test]
fn what_is_before_the_hit_is_apart_and_what_is_behind_is_not() {
    let mut rng = Rng::with_seed(26);
    for shape in kinds(1.0) {
        let (mut hits, mut unsure) = (0, 0);
        for number in 0..rays(200) {
            let pose = Pose::new(vector(&mut rng, 1.0), rotation(&mut rng));
            let along = vector(&mut rng, 1.0).normalize();
            let aim = pose.transform_point(vector(&mut rng, 1.0));
            let origin = aim - along * [4.0, 3.0, 0.2][number % 3];
            let max = 6.0;
            let hit = cast_ray(&shape, pose, &Ray::new(origin, along, max).unwrap());
            let until = |t: f64| {
                let segment = Shape::segment(DVec3::ZERO, along * t).unwrap();
                distance(&segment, Pose::from_translation(origin), &shape, pose)
            };
            let Some(hit) = hit else {
                assert!(until(max).upper > -1e-12, "{}: {origin} {along} {:?}", shape.kind(), until(max));
                continue;
            };
            check_numbers(&hit, max);
            (hits, unsure) = (hits + 1, unsure + usize::from(!hit.is_proved()));
            if hit.lower > 0.0 {
                assert!(until(hit.lower).upper > -1e-12, "{}: {hit:?} {:?}", shape.kind(), until(hit.lower));
            }
            if hit.is_proved() {
                assert!(until(hit.upper).lower <= 1e-12, "{}: {hit:?} {:?}", shape.kind(), until(hit.upper));
            }
            // Through it and on: what is behind an honest hit is inside, and the normal is that of the surface.
            if hit.is_proved() && !hit.is_inside {
                assert!(hit.upper - hit.lower < 1e-9, "{}: {hit:?}", shape.kind());
                assert!(hit.normal.dot(along) < 1e-6, "{}: {hit:?} {along}", shape.kind());
            }
        }
        assert!(hits > 5 && unsure * 20 <= hits, "{}: {hits} {unsure}", shape.kind());
    }
}

#[test]
fn a_ray_is_the_same_ray_in_any_unit() {
    for exponent in [-240, -190, -100, -20, 20, 100, 180] {
        let unit = 2.0_f64.powi(exponent);
        let mut rng = Rng::with_seed(27);
        for (one, other) in kinds(1.0).iter().zip(kinds(unit)) {
            for _ in 0..30 {
                let (at, turn) = (vector(&mut rng, 1.0), rotation(&mut rng));
                let along = vector(&mut rng, 1.0);
                let origin = vector(&mut rng, 1.0) - along.normalize() * 4.0;
                let a = cast_ray(one, Pose::new(at, turn), &Ray::new(origin, along, 10.0).unwrap());
                let b = cast_ray(
                    &other,
                    Pose::new(at * unit, turn),
                    &Ray::new(origin * unit, along * unit, 10.0 * unit).unwrap(),
                );
                let back = |mut hit: RayHit| {
                    for length in [&mut hit.distance, &mut hit.lower, &mut hit.upper] {
                        *length /= unit;
                    }
                    hit
                };
                let b = b.map(back);
                assert!(agree(a, b), "{} {exponent}: {a:?} {b:?}", one.kind());
                if let (Some(a), Some(b)) = (a, b) {
                    assert!((a.distance - b.distance).abs() < 1e-9, "{} {exponent}: {a:?} {b:?}", one.kind());
                }
            }
        }
    }
}

#[test]
fn from_far_away_a_bracket_is_as_tight_as_the_distance_can_be() {
    let mut rng = Rng::with_seed(28);
    for shape in kinds(1.0) {
        for _ in 0..50 {
            let along = vector(&mut rng, 1.0).normalize();
            let origin = vector(&mut rng, 0.1) - along * 1e8;
            let Some(hit) = cast_ray(&shape, Pose::IDENTITY, &Ray::new(origin, along, f64::INFINITY).unwrap()) else {
                continue;
            };
            if hit.is_proved() && !matches!(shape, Shape::Triangle(_) | Shape::HalfSpace(_)) {
                // A few units in the last place of the distance, where the surface is not seen from the side.
                let slant = hit.normal.dot(along).abs();
                assert!(hit.upper - hit.lower < 1e-7 / slant, "{}: {hit:?}", shape.kind());
            }
        }
    }
}

#[test]
fn a_bad_ray_is_refused_and_every_other_one_is_answered_in_numbers() {
    let nan = f64::NAN;
    let refused = |origin: [f64; 3], along: [f64; 3], max: f64| Ray::new(origin, along, max).is_err();
    for bad in [nan, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(refused([0.0, bad, 0.0], [1.0, 0.0, 0.0], 10.0));
        assert!(refused([0.0; 3], [1.0, bad, 0.0], 10.0));
    }
    assert!(refused([0.0; 3], [0.0; 3], 10.0));
    assert!(refused([0.0; 3], [1.0, 0.0, 0.0], nan));
    assert!(refused([0.0; 3], [1.0, 0.0, 0.0], -1.0));
    assert!(refused([1e61, 0.0, 0.0], [1.0, 0.0, 0.0], 10.0));
    for shape in kinds(1.0) {
        let cast = |origin: [f64; 3], along: [f64; 3], max: f64| {
            cast_ray(&shape, Pose::IDENTITY, &Ray::new(origin, along, max).unwrap())
        };
        // Directions of any length, distances of zero and without end.
        for length in [5e-324, 1e-300, 1e300] {
            let hit = cast([-5.0, 0.01, 0.02], [length, 0.0, 0.0], f64::INFINITY);
            let plain = cast([-5.0, 0.01, 0.02], [1.0, 0.0, 0.0], f64::INFINITY);
            assert!(agree(hit, plain), "{}: {hit:?} {plain:?}", shape.kind());
        }
        for origin in [DVec3::ZERO, DVec3::splat(1e60), DVec3::new(-1e60, 0.0, 1.0), DVec3::splat(1e-300)] {
            for aim in [DVec3::X, -origin.normalize_or(DVec3::Y)] {
                for max in [0.0, 1.0, f64::INFINITY] {
                    for found in [
                        cast_ray(&shape, Pose::IDENTITY, &Ray::new(origin, aim, max).unwrap()),
                        cast_ray_boundary(&shape, Pose::IDENTITY, &Ray::new(origin, aim, max).unwrap()),
                    ] {
                        found.iter().for_each(|hit| check_numbers(hit, max));
                    }
                }
            }
        }
    }
}

#[test]
fn a_world_finds_what_every_body_says() {
    let mut rng = Rng::with_seed(29);
    for kind in clearance::broad::BroadKind::ALL {
        let mut world = World::new(Config { margin: 0.1, broad: kind, ..Config::default() });
        let mut bodies = Vec::new();
        for number in 0..300 {
            let all = kinds(0.5);
            let shape = all[number % all.len()].clone();
            if matches!(shape, Shape::HalfSpace(_)) && number > 20 {
                continue;
            }
            let pose = Pose::new(vector(&mut rng, 10.0), rotation(&mut rng));
            bodies.push((world.insert(shape.clone(), pose), shape, pose));
        }
        for round in 0..4 {
            match round {
                1 => world.refresh(),
                2 => {
                    for (id, _, pose) in bodies.iter_mut().step_by(17) {
                        *pose = Pose::new(vector(&mut rng, 10.0), rotation(&mut rng));
                        world.set_pose(*id, *pose);
                    }
                }
                3 => {
                    world.update();
                    for (id, _, pose) in bodies.iter_mut().step_by(3) {
                        *pose = Pose::new(vector(&mut rng, 10.0), rotation(&mut rng));
                        world.set_pose(*id, *pose);
                    }
                }
                _ => {}
            }
            for ray in 0..60 {
                let (origin, along) = (vector(&mut rng, 15.0), vector(&mut rng, 1.0));
                let along = if ray % 5 == 0 { DVec3::X } else { along };
                let max = [f64::INFINITY, 12.0, 0.0][ray % 3];
                let mut expected: Vec<_> = bodies
                    .iter()
                    .filter_map(|(id, shape, pose)| {
                        cast_ray(shape, *pose, &Ray::new(origin, along, max).unwrap()).map(|hit| (*id, hit))
                    })
                    .collect();
                expected.sort_by(|(a, one), (b, other)| one.distance.total_cmp(&other.distance).then(a.cmp(b)));
                assert_eq!(
                    world.cast_ray_all(&Ray::new(origin, along, max).unwrap(), QueryFilter::ALL),
                    expected,
                    "{}",
                    kind.name()
                );
                let first = world.cast_ray(&Ray::new(origin, along, max).unwrap(), QueryFilter::ALL);
                assert_eq!(
                    first.map(|(id, hit)| (id, hit.distance)),
                    expected.first().map(|(id, hit)| (*id, hit.distance))
                );
            }
        }
    }
}
