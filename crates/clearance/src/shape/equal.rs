//! When two shapes are the same: kind for kind and number for number, as they were written.

use super::{Affine, Compound, Convex, Part, Rounded, Shape};
use std::sync::Arc;

/// Shapes are equal if they are of the same kind and were written with the same numbers. A shape of a caller's own equals only its
/// clones.
impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        match self {
            Self::Sphere(a) => matches!(other, Self::Sphere(b) if a == b),
            Self::Cuboid(a) => matches!(other, Self::Cuboid(b) if a == b),
            Self::Segment(a) => matches!(other, Self::Segment(b) if a == b),
            Self::Triangle(a) => matches!(other, Self::Triangle(b) if a == b),
            Self::Cylinder(a) => matches!(other, Self::Cylinder(b) if a == b),
            Self::Cone(a) => matches!(other, Self::Cone(b) if a == b),
            Self::Ellipsoid(a) => matches!(other, Self::Ellipsoid(b) if a == b),
            // The hull of the same vertices is the same hull.
            Self::Polytope(a) => {
                matches!(other, Self::Polytope(b) if Arc::ptr_eq(a, b) || a.vertices() == b.vertices())
            }
            Self::Affine(a) => matches!(other, Self::Affine(b) if Arc::ptr_eq(a, b) || a == b),
            Self::Rounded(a) => matches!(other, Self::Rounded(b) if Arc::ptr_eq(a, b) || a == b),
            Self::Custom(a) => matches!(other, Self::Custom(b) if Arc::ptr_eq(a, b)),
            Self::HalfSpace(a) => matches!(other, Self::HalfSpace(b) if a == b),
            Self::Mesh(a) => matches!(other, Self::Mesh(b) if Arc::ptr_eq(a, b) || a == b),
            Self::Compound(a) => matches!(other, Self::Compound(b) if Arc::ptr_eq(a, b) || a == b),
        }
    }
}

impl PartialEq for Affine {
    fn eq(&self, other: &Self) -> bool {
        self.matrix() == other.matrix() && self.shape() == other.shape()
    }
}

impl PartialEq for Rounded {
    fn eq(&self, other: &Self) -> bool {
        self.radius() == other.radius() && self.shape() == other.shape()
    }
}

impl PartialEq for Compound {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.pose == other.pose && self.shape == other.shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, HalfHeight, Pose, Radius};
    use glam::DMat3;

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
                Shape::capsule(Axis::Y, Radius(size), HalfHeight(1.0)).unwrap(),
                Shape::triangle([0.0; 3], [size, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap(),
                Shape::cylinder(Axis::Y, Radius(size), HalfHeight(1.0)).unwrap(),
                Shape::cone(Axis::Y, Radius(size), HalfHeight(1.0)).unwrap(),
                Shape::ellipsoid([size, 1.0, 1.0]).unwrap(),
                Shape::half_space([0.0, 1.0, 0.0], size).unwrap(),
                Shape::rounded(&affine, 0.1).unwrap(),
                affine,
                hull,
                Shape::mesh(&[[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap(),
                Shape::compound(parts).unwrap(),
            ]
        };
        let (one, again, two) = (build(1.0), build(1.0), build(2.0));
        for (i, shape) in one.iter().enumerate() {
            for (j, other) in again.iter().enumerate() {
                assert_eq!(shape == other, i == j, "{i} {j}");
            }
            assert!(*shape != two[i], "{i}");
        }
    }
}
