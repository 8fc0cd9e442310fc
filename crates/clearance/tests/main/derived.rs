//! Derived shapes: the truth is what the caller wrote.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape, Status, distance, intersects};

#[test]
fn the_image_of_a_half_space_is_right_for_a_matrix_that_is_all_but_singular() {
    let plane = Shape::half_space([1.0, 1.0, 0.0], 1.0).unwrap();
    let tilt = 1.0 + f64::EPSILON;
    let matrix = DMat3::from_cols([1.0, 1.0, 0.0].into(), [1.0, tilt, 0.0].into(), DVec3::Z);
    let image = Shape::affine(&plane, matrix).unwrap();
    let c = distance(&image, Pose::IDENTITY, &Shape::point(), Pose::from_translation([3.0, 0.0, 0.0]));
    assert!(c.lower <= 2.0 && 2.0 <= c.upper && c.upper - c.lower < 1e-13, "{c:?}");
    // The same twice, and back by the inverse, which has integers and the power of two only.
    let twice = Shape::affine(&image, matrix).unwrap();
    let back = DMat3::from_cols([tilt, -1.0, 0.0].into(), [-1.0, 1.0, 0.0].into(), DVec3::new(0.0, 0.0, f64::EPSILON));
    let back = Shape::affine(&Shape::affine(&twice, back).unwrap(), back).unwrap();
    // ε² M^-1 M^-1 M M: x + y <= ε².
    let c = distance(&back, Pose::IDENTITY, &Shape::point(), Pose::from_translation([3.0, 1.0, 0.0]));
    let truth = 4.0 / 2.0_f64.sqrt();
    assert!((c.distance - truth).abs() < 1e-14 && c.lower <= truth && truth <= c.upper && c.upper - c.lower < 1e-12);
    let singular = DMat3::from_cols([1.0, 1.0, 0.0].into(), [1.0, 1.0, 0.0].into(), DVec3::Z);
    assert!(Shape::affine(&plane, singular).is_err());
}

#[test]
fn planes_that_are_parallel_only_to_rounding_may_meet() {
    let floor = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    for tilt in [1e-15, -1e-15, 1e-17, 1e-100] {
        let ceiling = Shape::half_space([tilt, -1.0, 0.0], -1.0).unwrap();
        let c = distance(&floor, Pose::IDENTITY, &ceiling, Pose::IDENTITY);
        assert!(c.lower == f64::NEG_INFINITY && c.upper >= 1.0 && c.status == Status::Stalled, "{c:?}");
        assert!(c.lower <= c.distance && c.distance <= c.upper);
        assert!(intersects(&floor, Pose::IDENTITY, &ceiling, Pose::IDENTITY));
        let parts = Shape::compound([(ceiling, Pose::IDENTITY)]).unwrap();
        assert!(intersects(&floor, Pose::IDENTITY, &parts, Pose::IDENTITY));
    }
}

#[test]
fn planes_that_are_exactly_parallel_have_a_closed_bracket() {
    let floor = Shape::half_space([0.1, 0.3, -0.7], 0.0).unwrap();
    let ceiling = Shape::half_space([-0.1, -0.3, 0.7], -1.0).unwrap();
    let length = DVec3::new(0.1, 0.3, -0.7).length();
    let q = DQuat::from_xyzw(0.3, -0.2, 0.7, 0.4);
    let half_turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    let upright = Shape::half_space([0.0, 3.0, 0.0], 0.0).unwrap();
    let scaled = Shape::affine(&ceiling, DMat3::from_diagonal(DVec3::splat(4.0))).unwrap();
    let cases = [
        (&floor, Pose::IDENTITY, &ceiling, Pose::IDENTITY, 1.0 / length),
        (&floor, Pose::new([0.0; 3], q), &ceiling, Pose::new([0.0; 3], q), 1.0 / length),
        (&upright, Pose::IDENTITY, &upright, Pose::new([0.0, 2.0, 0.0], half_turn), 2.0),
        (&floor, Pose::IDENTITY, &scaled, Pose::IDENTITY, 4.0 / length),
    ];
    for (a, pose_a, b, pose_b, truth) in cases {
        let c = distance(a, pose_a, b, pose_b);
        assert!(c.lower <= truth && truth <= c.upper && c.upper - c.lower < 1e-13, "{c:?}");
        assert!(c.status == Status::Converged && !intersects(a, pose_a, b, pose_b));
    }
}

#[test]
fn chains_of_derived_shapes_end_before_the_stack_does() {
    let mut shape = Shape::sphere(1.0).unwrap();
    let error = loop {
        let next = Shape::affine(&shape, DMat3::IDENTITY).and_then(|image| Shape::rounded(&image, 1e-3));
        match next {
            Ok(next) => shape = next,
            Err(error) => break error,
        }
    };
    let sentence = "the chain of affine and rounded shapes has 257 entries, but at most 256 are supported";
    assert_eq!(error.to_string(), sentence);
    let c = distance(&shape, Pose::IDENTITY, &Shape::point(), Pose::from_translation([3.0, 0.0, 0.0]));
    let truth = 3.0 - 1.128;
    assert!(c.lower <= truth && truth <= c.upper && c.upper - c.lower < 1e-10, "{c:?}");
}

#[test]
fn what_every_image_of_an_image_rounds_adds_up_in_the_bracket() {
    // A factor next to one by which every product is rounded the same way, by half a last place.
    let factor = 1.0_f64.next_down();
    let mut shape = Shape::hull(&[[1.01; 3]]).unwrap();
    for _ in 0..250 {
        shape = Shape::affine(&shape, DMat3::from_diagonal(DVec3::splat(factor))).unwrap();
    }
    let truth = 3.0_f64.sqrt() * 1.01 * (1.0 - 250.0 * 0.5 * f64::EPSILON);
    let c = distance(&shape, Pose::IDENTITY, &Shape::point(), Pose::IDENTITY);
    assert!((c.distance - truth).abs() > 100.0 * f64::EPSILON, "representative: {c:?}");
    assert!(c.lower <= truth && truth <= c.upper, "{truth}: {c:?}");
}
