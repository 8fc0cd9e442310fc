//! Shapes: what is refused and with which sentence, and that support points are what they claim to be.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, BuildError, Convex, Feature, HalfHeight, Pose, Radius, Shape, distance};

fn sentence<T: std::fmt::Debug>(result: Result<T, BuildError>) -> String {
    result.expect_err("it must be refused").to_string()
}

#[test]
fn bad_numbers_are_refused_by_the_name_of_their_field() {
    let nan = f64::NAN;
    let cases = [
        (sentence(Shape::sphere(-1.0)), "radius is -1, but a size cannot be negative (zero is allowed)"),
        (sentence(Shape::sphere(nan)), "radius is NaN, but must be a finite number"),
        (sentence(Shape::cuboid([1.0, 1.0, f64::INFINITY])), "half_extents.z is inf, but must be a finite number"),
        (
            sentence(Shape::capsule(Axis::Y, Radius(1.0), HalfHeight(f64::NEG_INFINITY))),
            "half_height is -inf, but must be a finite number",
        ),
        (
            sentence(Shape::cylinder(Axis::Y, Radius(-0.5), HalfHeight(1.0))),
            "radius is -0.5, but a size cannot be negative (zero is allowed)",
        ),
        (
            sentence(Shape::cone(Axis::Y, Radius(1.0), HalfHeight(-1.0))),
            "half_height is -1, but a size cannot be negative (zero is allowed)",
        ),
        (sentence(Shape::ellipsoid([1.0, nan, 1.0])), "radii.y is NaN, but must be a finite number"),
        (sentence(Shape::segment([0.0; 3], [0.0, nan, 0.0])), "b.y is NaN, but must be a finite number"),
        (sentence(Shape::triangle([0.0; 3], [0.0; 3], [0.0, 0.0, nan])), "c.z is NaN, but must be a finite number"),
        (
            sentence(Shape::half_space([0.0; 3], 1.0)),
            "normal has no direction because it is zero; give a vector of any positive length",
        ),
        (sentence(Shape::half_space([0.0, 1.0, 0.0], nan)), "offset is NaN, but must be a finite number"),
        (sentence(Shape::hull::<DVec3>(&[])), "points is empty, but needs at least one entry"),
        (sentence(Shape::hull(&[[0.0; 3], [0.0, nan, 0.0]])), "points[1].y is NaN, but must be a finite number"),
        (sentence(Shape::compound([])), "compound is empty, but needs at least one entry"),
        (
            sentence(Shape::cuboid([1.0, 1e61, 1.0])),
            "half_extents.y is 1e61, which is beyond 1e60; choose a larger unit of length",
        ),
        (
            sentence(Shape::rounded(&Shape::point(), -1.0)),
            "radius is -1, but a size cannot be negative (zero is allowed)",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let ball = Shape::sphere(1.0).unwrap();
    let matrix = DMat3::from_cols(DVec3::X, DVec3::new(0.0, nan, 0.0), DVec3::Z);
    assert_eq!(sentence(Shape::affine(&ball, matrix)), "matrix[1][1] is NaN, but must be a finite number");
    let compound = Shape::compound([(ball, Pose::IDENTITY)]).unwrap();
    assert!(sentence(Shape::rounded(&compound, 1.0)).contains("only convex shapes can be rounded"));
    let ground = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    assert!(sentence(Shape::affine(&ground, DMat3::ZERO)).contains("invertible"));
}

/// Shapes with a test that a point belongs to the core, to a slack.
type Inside = Box<dyn Fn(DVec3, f64) -> bool>;

fn cores() -> Vec<(Shape, Inside)> {
    let radial = |p: DVec3| p.x.hypot(p.z);
    vec![
        (Shape::sphere(2.0).unwrap(), Box::new(|p, e| p.length() <= e)),
        (
            Shape::cuboid([1.0, 2.0, 3.0]).unwrap(),
            Box::new(|p, e| (p.abs() - DVec3::new(1.0, 2.0, 3.0)).max_element() <= e),
        ),
        (
            Shape::capsule(Axis::Y, Radius(1.0), HalfHeight(2.0)).unwrap(),
            Box::new(move |p, e| radial(p) <= e && p.y.abs() <= 2.0 + e),
        ),
        (
            Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(2.0)).unwrap(),
            Box::new(move |p, e| radial(p) <= 1.0 + e && p.y.abs() <= 2.0 + e),
        ),
        (
            Shape::cone(Axis::Y, Radius(1.0), HalfHeight(2.0)).unwrap(),
            Box::new(move |p, e| p.y.abs() <= 2.0 + e && radial(p) <= 0.25 * (2.0 - p.y) + e),
        ),
        (
            Shape::ellipsoid([1.0, 2.0, 3.0]).unwrap(),
            Box::new(|p, e| (p / DVec3::new(1.0, 2.0, 3.0)).length() <= 1.0 + e),
        ),
        (Shape::cylinder(Axis::Y, Radius(0.0), HalfHeight(0.0)).unwrap(), Box::new(|p, e| p.length() <= e)),
    ]
}

#[test]
fn support_points_belong_to_the_shape_and_nothing_is_farther() {
    let mut rng = fastrand::Rng::with_seed(8);
    let mut vector = || DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
    for (shape, inside) in cores() {
        let core = shape.convex().unwrap();
        let mut samples: Vec<DVec3> = (0..2000).map(|_| 3.5 * vector()).filter(|&p| inside(p, 0.0)).collect();
        samples.push(core.center());
        let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z, DVec3::ZERO];
        let directions: Vec<DVec3> = axes.into_iter().chain((0..500).map(|_| vector() * 1e3)).collect();
        for d in directions {
            let p = core.support(d);
            assert!(inside(p, 1e-14), "{} at {d}: {p}", shape.kind());
            assert!(p.length() <= core.bounding_radius() * (1.0 + 1e-15), "{} at {d}", shape.kind());
            let height = p.dot(d) + 1e-13 * d.length();
            assert!(samples.iter().all(|s| s.dot(d) <= height), "{} at {d}", shape.kind());
            // A direction has no length.
            assert!((core.support(1e-3 * d) - p).length() < 1e-14, "{} at {d}", shape.kind());
        }
    }
}

#[test]
fn an_affine_image_has_the_support_points_of_the_mapped_hull() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut vector = || DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
    for _ in 0..50 {
        let points: Vec<DVec3> = (0..12).map(|_| vector()).collect();
        let matrix = DMat3::from_cols(vector(), vector(), vector());
        let image = Shape::affine(&Shape::hull(&points).unwrap(), matrix).unwrap();
        let mapped: Vec<DVec3> = points.iter().map(|&p| matrix * p).collect();
        let d = vector();
        let truth = mapped.iter().fold(f64::NEG_INFINITY, |h, p| h.max(p.dot(d)));
        let core = image.convex().unwrap();
        assert!((core.support(d).dot(d) - truth).abs() < 1e-14);
        assert!(mapped.iter().all(|p| p.length() <= core.bounding_radius()));
    }
    // A ball that is stretched to an ellipsoid.
    let radii = DVec3::new(1.0, 2.0, 3.0);
    let image = Shape::affine(&Shape::sphere(1.0).unwrap(), DMat3::from_diagonal(radii)).unwrap();
    let twin = Shape::ellipsoid(radii).unwrap();
    let d = DVec3::new(0.3, -0.5, 0.8);
    assert!((image.convex().unwrap().support(d) - twin.convex().unwrap().support(d)).length() < 1e-15);
}

#[test]
fn boxes_hold_their_shapes_at_any_pose() {
    let mut rng = fastrand::Rng::with_seed(10);
    for (shape, _) in cores() {
        for _ in 0..50 {
            let mut number = || 2.0 * rng.f64() - 1.0;
            let turn = DQuat::from_xyzw(number(), number(), number(), number()).normalize();
            let pose = Pose::new(1e6 * DVec3::new(number(), number(), number()), turn);
            let core = shape.convex().unwrap();
            let direction = DVec3::new(number(), number(), number());
            let point = core.support(direction) + core.radius() * direction.normalize();
            assert!(shape.aabb(&pose).contains(pose.transform_point(point)), "{}", shape.kind());
        }
    }
    let ground = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    assert!(ground.aabb(&Pose::IDENTITY).contains(DVec3::splat(1e300)));
}

#[test]
fn features_name_what_the_witnesses_lie_on() {
    let cube = Shape::cuboid([1.0; 3]).unwrap();
    let hull = Shape::hull(&[
        [-1., -1., -1.],
        [1., -1., -1.],
        [-1., 1., -1.],
        [1., 1., -1.],
        [-1., -1., 1.],
        [1., -1., 1.],
        [-1., 1., 1.],
        [1., 1., 1.],
    ])
    .unwrap();
    let point = Shape::point();
    for shape in [&cube, &hull] {
        let name = |at: [f64; 3]| {
            distance(shape, Pose::IDENTITY, &point, Pose::from_translation(at)).features(shape, &point)[0]
        };
        assert_eq!(name([2.0, 3.0, 4.0]), Feature::Vertex(7));
        assert_eq!(name([-2.0, -3.0, -4.0]), Feature::Vertex(0));
        assert!(matches!(name([2.0, 2.0, 0.3]), Feature::Edge(_)));
        assert!(matches!(name([0.2, 0.3, 5.0]), Feature::Face(_)));
    }
    let triangle = Shape::triangle([0., 0., 0.], [1., 0., 0.], [0., 1., 0.]).unwrap();
    let c = distance(&triangle, Pose::IDENTITY, &point, Pose::from_translation([0.2, 0.2, 1.0]));
    assert_eq!(c.features(&triangle, &point), [Feature::Face(0), Feature::Vertex(0)]);
    let c = distance(&triangle, Pose::IDENTITY, &cube, Pose::from_translation([5.0, 0.0, 0.0]));
    assert_eq!(c.features(&triangle, &cube)[0], Feature::Vertex(1));
}

/// A shape whose support points are not numbers.
#[derive(Debug)]
struct Nowhere;

impl Convex for Nowhere {
    fn support(&self, _: DVec3) -> DVec3 {
        DVec3::new(0.0, f64::NAN, 0.0)
    }
}

#[test]
fn what_a_shape_cannot_be_made_of_is_said_in_a_sentence() {
    let two = Shape::compound([(Shape::point(), Pose::IDENTITY), (Shape::point(), Pose::IDENTITY)]).unwrap();
    let floor = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    let sentences = [
        (
            Shape::affine(&two, DMat3::IDENTITY),
            "shape is a compound, but only its parts can be mapped; map those instead",
        ),
        (
            Shape::rounded(&two, 0.1),
            "shape is a compound, but only convex shapes can be rounded; round its parts instead",
        ),
        (
            Shape::affine(&floor, DMat3::ZERO),
            "shape is a half_space, but only an invertible matrix can map one; give a matrix whose determinant is not zero",
        ),
        // Its bounding radius and center are NaN as well, but that is not where the fault is.
        (Shape::custom(Nowhere), "support([1.0, 0.0, 0.0]).y is NaN, but must be a finite number"),
    ];
    for (shape, sentence) in sentences {
        assert_eq!(shape.unwrap_err().to_string(), sentence);
    }
}
