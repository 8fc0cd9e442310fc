//! Where a body is: a rotation and a translation.

use crate::error::{self, BuildError};
use glam::{DQuat, DVec3};
use wide::f64x2;

/// A rigid placement, world from local: first rotate, then translate.
///
/// The rotation has unit length (to rounding) and the translation is finite, by construction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    rotation: DQuat,
    translation: DVec3,
}

impl Pose {
    /// The pose that leaves everything where it is.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A pose from trusted numbers; the quaternion (x, y, z, w) may have any positive length.
    ///
    /// # Panics
    ///
    /// Where [`Pose::try_new`] would give an error.
    #[must_use]
    pub fn new(translation: impl Into<DVec3>, rotation: DQuat) -> Self {
        match Self::try_new(translation, rotation) {
            Ok(pose) => pose,
            Err(error) => panic!("not a pose: {error}"),
        }
    }

    /// A pose from untrusted numbers: finite, and with a quaternion that is not zero.
    pub fn try_new(translation: impl Into<DVec3>, rotation: DQuat) -> Result<Self, BuildError> {
        let translation = error::vector(|| "translation".into(), translation.into())?;
        for (axis, value) in ["x", "y", "z", "w"].into_iter().zip(rotation.to_array()) {
            if !value.is_finite() {
                return Err(BuildError::NotFinite { field: format!("rotation.{axis}"), value });
            }
        }
        // Scaling by the largest component first keeps the length from overflowing or vanishing.
        let largest = rotation.to_array().into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            return Err(BuildError::ZeroDirection { field: "rotation".into() });
        }
        // A quaternion that is a unit already is kept to the bit, so that a pose survives being written and read.
        let is_unit = (rotation.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        let rotation =
            if is_unit { rotation } else { DQuat::from_array(rotation.to_array().map(|x| x / largest)).normalize() };
        Ok(Self { rotation, translation })
    }

    /// A pose that only moves.
    ///
    /// # Panics
    ///
    /// If the translation is not finite.
    #[must_use]
    pub fn from_translation(translation: impl Into<DVec3>) -> Self {
        Self::new(translation, DQuat::IDENTITY)
    }

    /// The rotation, a unit quaternion.
    #[must_use]
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// The translation.
    #[must_use]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// A local point in world coordinates.
    #[inline]
    #[must_use]
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// A local direction in world coordinates.
    #[inline]
    #[must_use]
    pub fn direction(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    /// A local point and a local direction in world coordinates: the two at once, one in each half of a register.
    ///
    /// `v + w t + q × t` with `t = 2 q × v`, q being the vector part of the rotation and w its scalar.
    #[inline(always)]
    pub(crate) fn point_and_direction(&self, point: DVec3, direction: DVec3) -> (DVec3, DVec3) {
        let both = |p: f64, d: f64| f64x2::new([p, d]);
        let (x, y, z) = (both(point.x, direction.x), both(point.y, direction.y), both(point.z, direction.z));
        let q = self.rotation;
        let (a, b, c, w) = (both(q.x, q.x), both(q.y, q.y), both(q.z, q.z), both(q.w, q.w));
        let (tx, ty, tz) = (b * z - c * y, c * x - a * z, a * y - b * x);
        let (tx, ty, tz) = (tx + tx, ty + ty, tz + tz);
        let shift = self.translation;
        let [px, dx] = (x + w * tx + (b * tz - c * ty) + both(shift.x, 0.0)).to_array();
        let [py, dy] = (y + w * ty + (c * tx - a * tz) + both(shift.y, 0.0)).to_array();
        let [pz, dz] = (z + w * tz + (a * ty - b * tx) + both(shift.z, 0.0)).to_array();
        (DVec3::new(px, py, pz), DVec3::new(dx, dy, dz))
    }

    /// A world direction in local coordinates.
    #[inline]
    #[must_use]
    pub fn inverse_direction(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * world
    }

    /// This pose after `inner`: maps `x` to `self(inner(x))`.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        // What only one of them turns is turned as it says, to the bit.
        let rotation = if self.rotation == DQuat::IDENTITY {
            inner.rotation
        } else if inner.rotation == DQuat::IDENTITY {
            self.rotation
        } else {
            (self.rotation * inner.rotation).normalize()
        };
        // Twice the largest admitted translation is still far from overflow.
        Self { rotation, translation: self.rotation * inner.translation + self.translation }
    }

    /// This rotation somewhere else: the translation plus a vector of the world.
    pub(crate) fn moved_by(&self, by: DVec3) -> Self {
        Self { rotation: self.rotation, translation: self.translation + by }
    }

    /// The pose that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { rotation, translation: -(rotation * self.translation) }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_numbers_are_refused_by_name() {
        let nan = Pose::try_new([0.0, f64::NAN, 0.0], DQuat::IDENTITY).unwrap_err();
        assert_eq!(nan.to_string(), "translation.y is NaN, but must be a finite number");
        let zero = Pose::try_new([0.0; 3], DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).unwrap_err();
        assert!(zero.to_string().starts_with("rotation has no direction"));
        let huge = Pose::try_new([1e61, 0.0, 0.0], DQuat::IDENTITY).unwrap_err();
        assert!(matches!(huge, BuildError::TooLarge { .. }));
        assert!(Pose::try_new([0.0; 3], DQuat::from_xyzw(0.0, f64::INFINITY, 0.0, 0.0)).is_err());
    }

    #[test]
    fn a_quaternion_of_any_length_becomes_a_unit() {
        for scale in [1e-300, 1e-3, 7.0, 1e300] {
            let q = Pose::new([0.0; 3], DQuat::from_xyzw(0.0, 0.0, scale, scale)).rotation();
            assert!((q.length() - 1.0).abs() < 1e-15, "{scale}: {q}");
            assert!((q.z - 0.5_f64.sqrt()).abs() < 1e-15);
        }
    }

    #[test]
    fn composition_and_inverse_agree_with_application() {
        let a = Pose::new([1.0, 2.0, 3.0], DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9));
        let b = Pose::new([-4.0, 0.5, 2.0], DQuat::from_xyzw(0.5, 0.5, -0.5, 0.5));
        let x = DVec3::new(0.3, -1.0, 2.0);
        assert!((a.after(&b).point(x) - a.point(b.point(x))).length() < 1e-14);
        assert!((a.inverse().point(a.point(x)) - x).length() < 1e-14);
    }
}
