//! Boxes, balls, cylinders and cones that a file gives by their sizes, and the linear map that it applies to them.
//!
//! They stay what they are under affine maps and are never cut into triangles (the GJK paper, sections 1 and 3).

use clearance::math::{DMat3, DVec3};
use clearance::{Axis, BuildError, HalfHeight, Radius, Shape};
use clearance_verify::Shape as Written;

/// A shape that a file gives by its sizes, under a linear map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Primitive {
    pub sizes: Sizes,
    pub matrix: DMat3,
}

/// The sizes of a shape about the origin; cylinders and cones are about y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sizes {
    Box { half_extents: DVec3 },
    Sphere { radius: f64 },
    Cylinder { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
}

impl Primitive {
    pub fn new(sizes: Sizes) -> Self {
        Self { sizes, matrix: DMat3::IDENTITY }
    }

    pub fn mapped(self, matrix: DMat3) -> Self {
        Self { matrix: matrix * self.matrix, ..self }
    }

    pub fn shape(&self) -> Result<Shape, BuildError> {
        let shape = match self.sizes {
            Sizes::Box { half_extents } => Shape::cuboid(half_extents),
            Sizes::Sphere { radius } => Shape::sphere(radius),
            Sizes::Cylinder { radius, half_height } => {
                Shape::cylinder(Axis::Y, Radius(radius), HalfHeight(half_height))
            }
            Sizes::Cone { radius, half_height } => Shape::cone(Axis::Y, Radius(radius), HalfHeight(half_height)),
        }?;
        if self.matrix == DMat3::IDENTITY { Ok(shape) } else { Shape::affine(&shape, self.matrix) }
    }

    /// The same for evidence.
    pub fn written(&self) -> Written {
        let shape = match self.sizes {
            Sizes::Box { half_extents } => Written::Cuboid { half_extents: half_extents.to_array() },
            Sizes::Sphere { radius } => Written::Sphere { radius },
            Sizes::Cylinder { radius, half_height } => Written::Cylinder { radius, half_height },
            Sizes::Cone { radius, half_height } => Written::Cone { radius, half_height },
        };
        if self.matrix == DMat3::IDENTITY {
            return shape;
        }
        Written::Affine { shape: Box::new(shape), matrix: [0, 1, 2].map(|row| self.matrix.row(row).to_array()) }
    }
}
