//! Are two shapes the same, number for number?

use clearance::{Convex, Shape};
use std::sync::Arc;

/// Are the shapes of the same kind with the same numbers? A shape of a caller's own equals only its clones.
#[must_use]
pub fn same_shape(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => a == b,
        (Shape::Cuboid(a), Shape::Cuboid(b)) => a == b,
        (Shape::Segment(a), Shape::Segment(b)) => a == b,
        (Shape::Triangle(a), Shape::Triangle(b)) => a == b,
        (Shape::Cylinder(a), Shape::Cylinder(b)) => a == b,
        (Shape::Cone(a), Shape::Cone(b)) => a == b,
        (Shape::Ellipsoid(a), Shape::Ellipsoid(b)) => a == b,
        (Shape::HalfSpace(a), Shape::HalfSpace(b)) => a == b,
        // The hull of the same vertices is the same hull.
        (Shape::Polytope(a), Shape::Polytope(b)) => Arc::ptr_eq(a, b) || a.vertices() == b.vertices(),
        (Shape::Affine(a), Shape::Affine(b)) => {
            Arc::ptr_eq(a, b) || a.matrix() == b.matrix() && same_shape(a.shape(), b.shape())
        }
        (Shape::Rounded(a), Shape::Rounded(b)) => {
            Arc::ptr_eq(a, b) || a.radius() == b.radius() && same_shape(a.shape(), b.shape())
        }
        (Shape::Custom(a), Shape::Custom(b)) => Arc::ptr_eq(a, b),
        (Shape::Compound(a), Shape::Compound(b)) => {
            let (a, b) = (a.parts(), b.parts());
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.pose == b.pose && same_shape(&a.shape, &b.shape))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Pose;
    use clearance::math::DMat3;

    #[test]
    fn equal_numbers_are_equal_shapes_and_others_are_not() {
        let build = |size: f64| {
            let cube = Shape::cuboid([size, 1.0, 1.0]).unwrap();
            let hull = Shape::hull(&[[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
            let parts = [(cube.clone(), Pose::IDENTITY), (hull.clone(), Pose::from_translation([size, 0.0, 0.0]))];
            let affine = Shape::affine(&hull, DMat3::from_diagonal([2.0, 1.0, size].into())).unwrap();
            vec![
                Shape::sphere(size).unwrap(),
                cube,
                Shape::capsule(size, 1.0).unwrap(),
                Shape::half_space([0.0, 1.0, 0.0], size).unwrap(),
                Shape::rounded(&affine, 0.1).unwrap(),
                affine,
                hull,
                Shape::compound(parts).unwrap(),
            ]
        };
        let (one, again, two) = (build(1.0), build(1.0), build(2.0));
        for (i, shape) in one.iter().enumerate() {
            for (j, other) in again.iter().enumerate() {
                assert_eq!(same_shape(shape, other), i == j, "{i} {j}");
            }
            assert!(!same_shape(shape, &two[i]), "{i}");
        }
    }
}
