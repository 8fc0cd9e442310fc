//! Capsules, cylinders and cones about x and z are as good as those about y that are turned there.

use crate::kinds::vector;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, Shape, Status, distance, intersects};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// The rotation from y to an axis. Its quaternion is exact: axes change places in a circle.
fn turn(axis: Axis) -> DQuat {
    match axis {
        Axis::X => DQuat::from_xyzw(-0.5, -0.5, -0.5, 0.5),
        Axis::Y => DQuat::IDENTITY,
        Axis::Z => DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
    }
}

fn all(axis: Axis, radius: f64, half_height: f64) -> [Shape; 3] {
    let (radius, half_height) = (Radius(radius), HalfHeight(half_height));
    let capsule = Shape::capsule(axis, radius, half_height);
    [capsule, Shape::cylinder(axis, radius, half_height), Shape::cone(axis, radius, half_height)].map(Result::unwrap)
}

#[test]
fn support_points_are_those_of_the_upright_shape_to_the_bit() {
    let mut rng = fastrand::Rng::with_seed(141);
    for axis in AXES {
        let matrix = DMat3::from_quat(turn(axis));
        assert_eq!(matrix * DVec3::Y, axis.direction());
        for (shape, upright) in all(axis, 0.3, 0.7).iter().zip(&all(Axis::Y, 0.3, 0.7)) {
            let (core, twin) = (shape.convex().unwrap(), upright.convex().unwrap());
            assert_eq!((core.slack(), core.radius(), core.center()), (0.0, twin.radius(), matrix * twin.center()));
            assert_eq!(shape.bounding_radius(), upright.bounding_radius());
            for _ in 0..200 {
                let d = vector(&mut rng, 1.0);
                assert_eq!(core.support(matrix * d), matrix * twin.support(d), "{} about {axis:?}", upright.kind());
                let cap = |cap: clearance::shape::Cap| (cap.center, cap.normal, cap.radius);
                let turned = twin.cap(d).map(cap).map(|(center, normal, r)| (matrix * center, matrix * normal, r));
                assert_eq!(core.cap(matrix * d).map(cap), turned);
            }
        }
    }
}

#[test]
fn answers_are_those_about_the_turned_upright_shape() {
    let mut rng = fastrand::Rng::with_seed(142);
    let others = [
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid([0.3, 0.5, 0.4]).unwrap(),
        Shape::cone(Axis::Y, Radius(0.5), HalfHeight(0.4)).unwrap(),
        Shape::ellipsoid([0.3, 0.6, 0.4]).unwrap(),
        Shape::half_space([1.0, 2.0, 3.0], 0.0).unwrap(),
        Shape::hull(&[[0.5, 0.0, 0.0], [-0.4, 0.3, 0.0], [0.0, -0.5, 0.2], [0.1, 0.1, 0.6]]).unwrap(),
    ];
    for axis in [Axis::X, Axis::Z] {
        for (shape, upright) in all(axis, 0.4, 0.6).iter().zip(&all(Axis::Y, 0.4, 0.6)) {
            let lying = all(axis, 0.3, 0.5);
            for other in others.iter().chain(&lying) {
                for round in 0..40 {
                    let reach = [0.3, 3.0][round % 2];
                    let quaternion = DQuat::from_xyzw(rng.f64(), rng.f64(), rng.f64(), rng.f64() - 0.5);
                    let pose = Pose::new(vector(&mut rng, reach), quaternion);
                    let c = distance(shape, Pose::IDENTITY, other, pose);
                    let twin = distance(upright, Pose::new([0.0; 3], turn(axis)), other, pose);
                    let what = format!("{} about {axis:?} and {}: {c:?} {twin:?}", upright.kind(), other.kind());
                    assert!(c.lower.max(twin.lower) <= c.upper.min(twin.upper), "{what}");
                    assert!((c.distance - twin.distance).abs() < 1e-11, "{what}");
                    assert_eq!((c.status, twin.status), (Status::Converged, Status::Converged), "{what}");
                    // Closed is 1e-12 for depths of curved shapes, and rounding for all else.
                    let closed = if c.is_apart() { 1e-14 } else { 2e-12 };
                    assert!(c.upper - c.lower <= 2.0 * (twin.upper - twin.lower) + closed, "{what}");
                    assert_eq!(intersects(shape, Pose::IDENTITY, other, pose), !c.is_apart(), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_capsule_between_two_points_is_a_rounded_segment() {
    let mut rng = fastrand::Rng::with_seed(143);
    for _ in 0..200 {
        let [a, b] = [vector(&mut rng, 1.0), vector(&mut rng, 1.0)];
        let capsule = Shape::capsule_between(a, b, Radius(0.25)).unwrap();
        assert_eq!(capsule.kind(), "capsule");
        let twin = Shape::rounded(&Shape::segment(a, b).unwrap(), 0.25).unwrap();
        let arm = Shape::capsule(Axis::Z, Radius(0.1), HalfHeight(0.5)).unwrap();
        let pose = Pose::from_translation(vector(&mut rng, 2.0));
        let [c, d] = [&capsule, &twin].map(|shape| distance(shape, Pose::IDENTITY, &arm, pose));
        assert!((c.distance - d.distance).abs() < 1e-13, "{c:?} {d:?}");
        assert!(c.lower.max(d.lower) <= c.upper.min(d.upper) && c.status == Status::Converged, "{c:?} {d:?}");
    }
    let along_y = Shape::capsule_between([0.0, -0.5, 0.0], [0.0, 0.5, 0.0], Radius(0.1)).unwrap();
    assert_eq!(along_y, Shape::capsule(Axis::Y, Radius(0.1), HalfHeight(0.5)).unwrap());
}

#[test]
fn the_largest_sizes_fit_every_axis() {
    for axis in AXES {
        assert!(all(axis, 1e60, 1e60).iter().all(|shape| shape.bounding_radius() < 2.1e60));
    }
}

#[test]
fn only_exchanges_of_axes_are_exact() {
    let cone = Shape::cone(Axis::Y, Radius(0.5), HalfHeight(1.0)).unwrap();
    let slack = |shape: &Shape, columns: [DVec3; 3]| {
        let [x, y, z] = columns;
        let image = Shape::affine(shape, DMat3::from_cols(x, y, z)).unwrap();
        image.convex().unwrap().slack()
    };
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    for exact in [[x, y, z], [y, -x, z], [-z, -y, -x], [y, z, x]] {
        assert_eq!(slack(&cone, exact), 0.0, "{exact:?}");
        // A ball has to become part of the image, which rounds.
        assert!(slack(&Shape::sphere(1.0).unwrap(), exact) > 0.0);
    }
    let nearly = DVec3::new(1.0, 1e-300, 0.0);
    for other in [[x, x, z], [x, y, DVec3::ZERO], [nearly, y, z], [2.0 * x, y, z], [x + y, y, z]] {
        assert!(slack(&cone, other) > 0.0, "{other:?}");
    }
}
