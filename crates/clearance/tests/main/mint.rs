//! Vectors and matrices of `mint` where those of glam are taken.

use clearance::math::DQuat;
use clearance::{Pose, Shape, distance};

#[test]
fn vectors_points_and_matrices_of_mint_are_taken() {
    let at = mint::Vector3 { x: 3.0, y: 0.0, z: 0.0 };
    let c = distance(&Shape::sphere(1.0).unwrap(), Pose::IDENTITY, &Shape::point(), Pose::from_translation(at));
    assert!((c.distance - 2.0).abs() < 1e-14);
    let ends = [mint::Point3 { x: 0.0, y: 0.0, z: 0.0 }, mint::Point3 { x: 1.0, y: 0.0, z: 0.0 }];
    assert!(Shape::hull(&ends).is_ok());
    let pose = Pose::new([1.0, 2.0, 3.0], DQuat::from_rotation_x(0.4));
    let matrix = mint::ColumnMatrix4::from(pose);
    assert_eq!([matrix.w.x, matrix.w.y, matrix.w.z], [1.0, 2.0, 3.0]);
    let back = Pose::try_from(matrix).unwrap();
    assert!(back.translation() == pose.translation() && back.rotation().dot(pose.rotation()) > 1.0 - 1e-15);
    let scaled = mint::ColumnMatrix4 { x: mint::Vector4 { x: 2.0, y: 0.0, z: 0.0, w: 0.0 }, ..matrix };
    assert!(Pose::try_from(scaled).unwrap_err().to_string().contains("not rigid"));
}
