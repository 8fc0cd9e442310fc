//! Points and shapes: inside or not, how far to the surface, and the nearest point of it.

use clearance::batch::Batch;
use clearance::math::{DQuat, DVec3};
use clearance::{
    Axis, HalfHeight, Pose, QueryFilter, Radius, Shape, World, contains, distance, project_point,
    signed_distance_to_point,
};
use fastrand::Rng;

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * (2.0 * size)
}

fn pose(rng: &mut Rng) -> Pose {
    Pose::new(vector(rng, 2.0), DQuat::from_scaled_axis(vector(rng, 3.0)))
}

/// A tetrahedron of triangles, and its corners.
fn solid() -> (Shape, Vec<[DVec3; 3]>) {
    let corners = [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, 1.2, 0.0], [0.1, 0.2, 1.0]].map(DVec3::from);
    let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let faces = triangles.iter().map(|t: &[u32; 3]| t.map(|v| corners[v as usize])).collect();
    (Shape::mesh(&corners, &triangles).unwrap(), faces)
}

fn kinds() -> Vec<Shape> {
    let cuboid = Shape::cuboid([0.6, 0.4, 0.5]).unwrap();
    let rock: Vec<DVec3> =
        (0..20).map(f64::from).map(|t| DVec3::new(t.sin(), (1.7 * t).cos(), (0.6 * t).sin())).collect();
    vec![
        cuboid.clone(),
        Shape::sphere(0.7).unwrap(),
        Shape::capsule(Axis::X, Radius(0.3), HalfHeight(0.5)).unwrap(),
        Shape::cylinder(Axis::Z, Radius(0.5), HalfHeight(0.4)).unwrap(),
        Shape::cone(Axis::Y, Radius(0.5), HalfHeight(0.6)).unwrap(),
        Shape::ellipsoid([0.5, 0.3, 0.8]).unwrap(),
        Shape::hull(&rock).unwrap(),
        Shape::rounded(&cuboid, 0.1).unwrap(),
        Shape::half_space([0.3, 1.0, 0.1], 0.2).unwrap(),
        solid().0,
        Shape::compound([
            (Shape::cuboid([0.9, 0.3, 0.3]).unwrap(), Pose::IDENTITY),
            (Shape::cuboid([0.3, 0.9, 0.3]).unwrap(), Pose::IDENTITY),
        ])
        .unwrap(),
    ]
}

#[test]
fn projections_of_every_kind_are_on_the_surface_and_nearest() {
    let mut rng = Rng::with_seed(21);
    for shape in kinds() {
        let mut inside = 0;
        for round in 0..250 {
            let at = pose(&mut rng);
            let point = at.translation() + vector(&mut rng, 1.0);
            let found = project_point(&shape, at, point).unwrap();
            let what = format!("{} {round}: {found:?}", shape.kind());
            assert!(found.lower <= found.distance && found.distance <= found.upper, "{what}");
            assert!(found.upper - found.lower < 1e-9, "{what}");
            assert_eq!(found.is_inside(), contains(&shape, at, point), "{what}");
            assert_eq!(signed_distance_to_point(&shape, at, point), Some([found.lower, found.upper]), "{what}");
            inside += u32::from(found.is_inside());
            // As far as it says, on the surface, and the shape ends there.
            assert!(((found.point - point).length() - found.distance.abs()).abs() < 1e-9, "{what}");
            let again = project_point(&shape, at, found.point).unwrap();
            assert!(again.distance.abs() < 1e-9, "{what}: {again:?}");
            assert!(!contains(&shape, at, found.point + 1e-6 * found.normal), "{what}");
            assert!((found.normal.length() - 1.0).abs() < 1e-12, "{what}");
            // No point of the surface is nearer: points outside are no nearer to one inside, and the other way round.
            for _ in 0..40 {
                let other = point + vector(&mut rng, found.distance.abs());
                let is_near = (other - point).length() < found.distance.abs() - 1e-9;
                assert!(!is_near || contains(&shape, at, other) == found.is_inside(), "{what}");
            }
        }
        assert!(inside > 2, "{}: {inside}", shape.kind());
    }
}

#[test]
fn points_in_a_solid_are_as_deep_as_the_nearest_triangle() {
    let (shape, faces) = solid();
    let mut rng = Rng::with_seed(4);
    for _ in 0..2000 {
        let point = vector(&mut rng, 1.5);
        let found = project_point(&shape, Pose::IDENTITY, point).unwrap();
        let to = |[a, b, c]: &[DVec3; 3]| {
            let triangle = Shape::triangle(*a, *b, *c).unwrap();
            distance(&triangle, Pose::IDENTITY, &Shape::point(), Pose::from_translation(point)).distance
        };
        let nearest = faces.iter().map(to).fold(f64::INFINITY, f64::min);
        assert!((found.distance.abs() - nearest).abs() < 1e-13, "{found:?} {nearest}");
        let is_in = faces.iter().all(|[a, b, c]| (*b - *a).cross(*c - *a).dot(point - *a) < 0.0);
        assert_eq!(found.is_inside(), is_in || nearest < 1e-14);
    }
}

#[test]
fn worlds_and_batches_answer_like_single_bodies() {
    let mut rng = Rng::with_seed(9);
    let (kinds, mut world) = (kinds(), World::default());
    let bodies: Vec<_> = (0..40)
        .map(|k| {
            let (shape, at) = (kinds[k % 8].clone(), Pose::from_translation(vector(&mut rng, 5.0)));
            (world.insert(shape.clone(), at), shape, at)
        })
        .collect();
    for round in 0..200 {
        let point = vector(&mut rng, 6.0);
        if round == 100 {
            world.update();
        }
        let filter = QueryFilter::ALL;
        let (nearest, found) = world.nearest_to_point(point, filter).unwrap();
        let all = bodies.iter().map(|(id, shape, at)| (project_point(shape, *at, point).unwrap(), *id));
        let best = all.min_by(|p, q| p.0.distance.total_cmp(&q.0.distance).then(p.1.cmp(&q.1))).unwrap();
        assert_eq!((found, nearest), best);
        assert_eq!(world.project_point(nearest, point), Some(found));
        let excluded = [nearest];
        let other = world.nearest_to_point(point, filter.exclude(&excluded)).unwrap();
        assert!(other.0 != nearest && other.1.distance >= found.distance);
    }
    let points: Vec<DVec3> = (0..500).map(|_| vector(&mut rng, 2.0)).collect();
    let batch = Batch::new(&points);
    for shape in &kinds {
        let at = pose(&mut rng);
        let single = |point: &DVec3| project_point(shape, at, *point);
        assert_eq!(batch.project_point(shape, at), points.iter().map(single).collect::<Vec<_>>());
        let is_in: Vec<bool> = points.iter().map(|point| contains(shape, at, *point)).collect();
        assert_eq!(batch.contains(shape, at), is_in);
    }
}

#[test]
fn points_that_are_none_are_nowhere() {
    for point in [[f64::NAN, 0.0, 0.0], [0.0, f64::INFINITY, 0.0], [1e61, 0.0, 0.0]] {
        for shape in kinds() {
            assert!(!contains(&shape, Pose::IDENTITY, point));
            assert!(project_point(&shape, Pose::IDENTITY, point).is_none());
        }
        assert!(World::default().nearest_to_point(point, QueryFilter::ALL).is_none());
    }
}
