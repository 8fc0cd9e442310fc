//! A ray, checked when it is built.

use crate::error::{self, BuildError};
use crate::math::exact;
use crate::math::rounding::is_unit;
use glam::DVec3;

/// A ray of the world: all points `origin + t * direction` for t from zero to `max`.
///
/// The direction is a unit vector, so that t is a distance. A ray is checked when it is built; queries that take one cannot fail.
///
/// ```
/// use clearance::Ray;
///
/// let ray = Ray::new([0.0, 1.0, 0.0], [3.0, 0.0, 0.0], 10.0)?;
/// assert_eq!((ray.direction().to_array(), ray.point(2.0).to_array()), ([1.0, 0.0, 0.0], [2.0, 1.0, 0.0]));
/// let error = Ray::new([0.0; 3], [0.0; 3], 10.0).unwrap_err();
/// assert_eq!(error.to_string(), "direction has no direction because it is zero; give a vector of any positive length");
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    pub(super) origin: DVec3,
    /// The direction as it was given.
    pub(super) given: DVec3,
    /// A unit vector.
    pub(super) direction: DVec3,
    pub(super) max: f64,
    /// Was the direction given as a unit vector? Then `plain.rs` tries the simplest shapes first.
    pub(super) is_plain: bool,
}

impl Ray {
    /// The ray from a point along a direction, of any length but zero, that ends at the distance `max`, which may be infinite.
    pub fn new(origin: impl Into<DVec3>, direction: impl Into<DVec3>, max: f64) -> Result<Self, BuildError> {
        let (origin, given) = (error::vector(|| "origin".into(), origin.into())?, direction.into());
        for (axis, value) in ["x", "y", "z"].into_iter().zip(given.to_array()) {
            if !value.is_finite() {
                return Err(BuildError::NotFinite { field: format!("direction.{axis}"), value });
            }
        }
        if given == DVec3::ZERO {
            return Err(BuildError::ZeroDirection { field: "direction".into() });
        }
        if max.is_nan() {
            return Err(BuildError::NotFinite { field: "max".into(), value: max });
        }
        if max < 0.0 {
            return Err(BuildError::Negative { field: "max".into(), value: max });
        }
        let is_plain = is_unit(given);
        Ok(Self { origin, given, direction: if is_plain { given } else { unit(given) }, max, is_plain })
    }

    /// Where it begins.
    #[inline]
    #[must_use]
    pub const fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The unit vector along it.
    #[inline]
    #[must_use]
    pub const fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The distance at which it ends; may be infinite.
    #[inline]
    #[must_use]
    pub const fn max(&self) -> f64 {
        self.max
    }

    /// The point at a distance from the origin.
    #[inline]
    #[must_use]
    pub fn point(&self, distance: f64) -> DVec3 {
        self.origin + self.direction * distance
    }

    /// The direction as it was given, of any length.
    #[cfg(feature = "proof")]
    pub(crate) const fn given_direction(&self) -> DVec3 {
        self.given
    }

    /// This ray, ended at another distance, which is not negative.
    #[inline]
    pub(crate) const fn up_to(self, max: f64) -> Self {
        Self { max, ..self }
    }
}

/// The unit vector along a finite direction that is not zero.
fn unit(direction: DVec3) -> DVec3 {
    let largest = direction.abs().max_element();
    let is_ordinary = (1e-100..1e100).contains(&largest);
    if is_ordinary { direction * direction.length_recip() } else { exact::unit(direction) }
}
