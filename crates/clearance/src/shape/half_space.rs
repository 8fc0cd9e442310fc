//! The half-space, the one unbounded shape.

use crate::error::{self, BuildError};
use glam::{DMat3, DVec3};

/// All points with `normal` · x <= `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    normal: DVec3,
    offset: f64,
}

impl HalfSpace {
    /// The half-space below a plane; the normal may have any positive length, which scales the offset with it.
    pub fn new(normal: DVec3, offset: f64) -> Result<Self, BuildError> {
        let normal = error::vector(|| "normal".into(), normal)?;
        let offset = error::coordinate(|| "offset".into(), offset)?;
        // Dividing by the largest component first keeps tiny normals from vanishing when squared.
        let largest = normal.abs().max_element();
        if largest == 0.0 {
            return Err(BuildError::ZeroDirection { field: "normal".into() });
        }
        let scaled = normal / largest;
        let offset = error::coordinate(|| "offset divided by the length of normal".into(), {
            offset / largest / scaled.length()
        })?;
        Ok(Self { normal: scaled.normalize(), offset })
    }

    /// The unit normal, pointing out of the solid.
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The distance of the plane from the origin along the normal.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Everything within `radius` of the half-space.
    pub(super) fn rounded(&self, radius: f64) -> Result<Self, BuildError> {
        let radius = error::size(|| "radius".into(), radius)?;
        Ok(Self {
            normal: self.normal,
            offset: error::coordinate(|| "offset plus radius".into(), self.offset + radius)?,
        })
    }

    /// The image under an invertible linear map: y with n · M^-1 y <= offset.
    pub(super) fn affine(&self, matrix: DMat3) -> Result<Self, BuildError> {
        let inverse = matrix.inverse();
        if !inverse.is_finite() || matrix.determinant() == 0.0 {
            return Err(BuildError::WrongKind {
                field: "shape".into(),
                kind: "half_space",
                reason: "can only be mapped by an invertible matrix",
            });
        }
        Self::new(inverse.transpose() * self.normal, self.offset)
    }
}
