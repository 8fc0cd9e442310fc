//! Sizes and axes with names, so that two numbers cannot be given in the wrong order.

use glam::{DMat3, DVec3};

/// The axis that a capsule, cylinder or cone is about.
///
/// ```
/// use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
///
/// let lying = Shape::cylinder(Axis::X, Radius(0.1), HalfHeight(0.5))?;
/// let top = lying.aabb(&Pose::IDENTITY).max;
/// assert!((top.x - 0.5).abs() < 1e-12 && (top.y - 0.1).abs() < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    Z,
}

impl Axis {
    /// The unit vector along the axis.
    ///
    /// ```
    /// assert_eq!(clearance::Axis::Z.direction().to_array(), [0.0, 0.0, 1.0]);
    /// ```
    #[must_use]
    pub fn direction(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }

    /// The rotation that takes the y axis here: the axes change places in a circle, and no number is rounded.
    pub(super) fn turn_of_y(self) -> DMat3 {
        match self {
            Self::X => DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y),
            Self::Y => DMat3::IDENTITY,
            Self::Z => DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X),
        }
    }
}

/// The radius of a capsule, cylinder or cone.
///
/// ```
/// use clearance::{Axis, HalfHeight, Radius, Shape};
///
/// let error = Shape::cone(Axis::Y, Radius(-1.0), HalfHeight(0.5)).unwrap_err();
/// assert_eq!(error.to_string(), "radius is -1, but a size cannot be negative (zero is allowed)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Radius(pub f64);

/// Half the height of a capsule (without its round ends), cylinder or cone.
///
/// ```
/// use clearance::{Axis, HalfHeight, Radius, Shape};
///
/// let error = Shape::cone(Axis::Y, Radius(1.0), HalfHeight(f64::NAN)).unwrap_err();
/// assert_eq!(error.to_string(), "half_height is NaN, but must be a finite number");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct HalfHeight(pub f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_is_reached_by_a_rotation() {
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            let turn = axis.turn_of_y();
            assert_eq!(turn * DVec3::Y, axis.direction());
            assert_eq!((turn.determinant(), turn.transpose() * turn), (1.0, DMat3::IDENTITY));
        }
    }
}
