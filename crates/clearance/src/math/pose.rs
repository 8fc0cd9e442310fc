//! Where a body is: a rotation and a translation.

use crate::error::{self, BuildError};
use glam::{DMat3, DMat4, DQuat, DVec3};
use std::ops::Mul;
use wide::f64x2;

/// A rigid placement, world from local: first rotate, then translate.
///
/// The rotation has unit length (to rounding) and the translation is finite, by construction. Answers are about the pose as it
/// is: what a constructor rounds, such as the sine of an angle or a matrix that is rigid to six digits only, is rounded before.
///
/// ```
/// use clearance::Pose;
///
/// let turned = Pose::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2)?;
/// let pose = Pose::from_translation([1.0, 2.0, 3.0]) * turned;       // first turn, then move
/// let x = pose.transform_point([1.0, 0.0, 0.0]);
/// assert!(x.distance([1.0, 3.0, 3.0].into()) < 1e-15);
/// assert!(pose.inverse_transform_point(x).distance([1.0, 0.0, 0.0].into()) < 1e-15);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "super::serialized::PoseFields", into = "super::serialized::PoseFields")
)]
pub struct Pose {
    rotation: DQuat,
    translation: DVec3,
}

/// Largest deviation of a matrix from a rigid one. Limit: single precision leaves 1e-7 of it; a product of a few such matrices is accepted.
const RIGID: f64 = 1e-6;

impl Pose {
    /// The pose that leaves everything where it is.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A pose from trusted numbers; the quaternion (x, y, z, w) may have any positive length.
    ///
    /// ```
    /// use clearance::Pose;
    /// use clearance::math::DQuat;
    ///
    /// let pose = Pose::new([1.0, 0.0, 0.0], DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0));
    /// assert!((pose.rotation().z - 0.5_f64.sqrt()).abs() < 1e-15);
    /// ```
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
    ///
    /// ```
    /// use clearance::Pose;
    /// use clearance::math::DQuat;
    ///
    /// let error = Pose::try_new([0.0, f64::NAN, 0.0], DQuat::IDENTITY).unwrap_err();
    /// assert_eq!(error.to_string(), "translation.y is NaN, but must be a finite number");
    /// ```
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

    /// A pose from a rotation that is a unit to rounding, and a place that is brought back to what can be computed with.
    #[inline]
    pub(crate) fn of_unit(translation: DVec3, rotation: DQuat) -> Self {
        debug_assert!((rotation.length_squared() - 1.0).abs() < 1e-12, "{rotation} is no unit");
        let most = DVec3::splat(error::MAX_COORDINATE);
        // Written so that a NaN is brought back, too.
        let is_far = !translation.abs().cmple(most).all();
        Self { rotation, translation: if is_far { translation.max(-most).min(most) } else { translation } }
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

    /// A pose that only turns; the quaternion may have any positive length.
    ///
    /// # Panics
    ///
    /// If the quaternion is zero or not finite.
    #[must_use]
    pub fn from_rotation(rotation: DQuat) -> Self {
        Self::new(DVec3::ZERO, rotation)
    }

    /// A pose that turns by an angle in radians about an axis of any positive length, counterclockwise when the axis points at
    /// the viewer.
    ///
    /// ```
    /// use clearance::Pose;
    ///
    /// let half = Pose::from_axis_angle([0.0, 2.0, 0.0], std::f64::consts::PI)?;
    /// assert!(half.transform_point([1.0, 5.0, 0.0]).distance([-1.0, 5.0, 0.0].into()) < 1e-15);
    /// let error = Pose::from_axis_angle([0.0; 3], 1.0).unwrap_err();
    /// assert!(error.to_string().starts_with("axis has no direction"));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn from_axis_angle(axis: impl Into<DVec3>, angle: f64) -> Result<Self, BuildError> {
        let axis = error::vector(|| "axis".into(), axis.into())?;
        if !angle.is_finite() {
            return Err(BuildError::NotFinite { field: "angle".into(), value: angle });
        }
        // Scaling first keeps the length from overflowing or vanishing.
        let largest = axis.abs().max_element();
        if largest == 0.0 {
            return Err(BuildError::ZeroDirection { field: "axis".into() });
        }
        // The sines of the system differ from machine to machine.
        let (sine, cosine) = libm::sincos(0.5 * angle);
        let part = (axis / largest).normalize() * sine;
        Self::try_new(DVec3::ZERO, DQuat::from_xyzw(part.x, part.y, part.z, cosine))
    }

    /// A pose from seven numbers: the translation x, y, z and the quaternion x, y, z, w, as [`Pose::to_array`] gives them.
    ///
    /// ```
    /// use clearance::Pose;
    ///
    /// let pose = Pose::from_array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])?;
    /// assert_eq!(pose, Pose::from_translation([1.0, 2.0, 3.0]));
    /// assert_eq!(Pose::from_array(pose.to_array())?, pose);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn from_array([x, y, z, a, b, c, w]: [f64; 7]) -> Result<Self, BuildError> {
        Self::try_new([x, y, z], DQuat::from_xyzw(a, b, c, w))
    }

    /// The translation and the quaternion, seven numbers.
    #[must_use]
    pub fn to_array(&self) -> [f64; 7] {
        let ([x, y, z], [a, b, c, w]) = (self.translation.to_array(), self.rotation.to_array());
        [x, y, z, a, b, c, w]
    }

    /// A pose from a 4 × 4 matrix of glam, which maps columns: `matrix * (x, 1)`. See [`Pose::from_rows`] for arrays.
    ///
    /// A matrix that is not rigid to 1e-6 is refused: one that scales, shears or mirrors belongs to the shape
    /// ([`Shape::affine`](crate::Shape::affine)).
    ///
    /// ```
    /// use clearance::Pose;
    /// use clearance::math::{DMat4, DVec3};
    ///
    /// let pose = Pose::from_matrix(DMat4::from_translation(DVec3::X))?;
    /// assert_eq!(pose, Pose::from_translation([1.0, 0.0, 0.0]));
    /// let error = Pose::from_matrix(DMat4::from_scale(DVec3::splat(2.0))).unwrap_err();
    /// assert_eq!(error.to_string(), "matrix is not rigid: column x has length 2, but must have length 1; scale the shape instead");
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn from_matrix(matrix: DMat4) -> Result<Self, BuildError> {
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
        for (column, place) in columns.iter().zip(["x", "y", "z", "translation"]) {
            error::vector(|| format!("matrix.{place}"), column.truncate())?;
        }
        let refuse = |reason: String| Err(BuildError::NotRigid { field: "matrix".into(), reason });
        let last = matrix.row(3);
        if last.to_array() != [0.0, 0.0, 0.0, 1.0] {
            let [x, y, z, w] = last.to_array();
            return refuse(format!("its last row is {x}, {y}, {z}, {w}, but must be 0, 0, 0, 1"));
        }
        let turn = DMat3::from_mat4(matrix);
        let axes = [("x", turn.x_axis), ("y", turn.y_axis), ("z", turn.z_axis)];
        for (name, axis) in axes {
            let length = axis.length();
            if !((length - 1.0).abs() <= RIGID) {
                return refuse(format!(
                    "column {name} has length {length}, but must have length 1; scale the shape instead"
                ));
            }
        }
        for [(name, axis), (other_name, other)] in [[axes[0], axes[1]], [axes[0], axes[2]], [axes[1], axes[2]]] {
            let cosine = axis.dot(other);
            if !(cosine.abs() <= RIGID) {
                return refuse(format!(
                    "columns {name} and {other_name} are not at right angles (the cosine is {cosine})"
                ));
            }
        }
        if turn.determinant() < 0.0 {
            return refuse("it mirrors; mirror the shape instead".into());
        }
        Self::try_new(matrix.w_axis.truncate(), DQuat::from_mat3(&turn))
    }

    /// The 4 × 4 matrix of glam.
    #[must_use]
    pub fn to_matrix(&self) -> DMat4 {
        DMat4::from_rotation_translation(self.rotation, self.translation)
    }

    /// A pose from the rows of a 4 × 4 matrix, as numpy and most papers write it: the translation is the last column.
    ///
    /// ```
    /// use clearance::Pose;
    ///
    /// let rows = [[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0]];
    /// let pose = Pose::from_rows(rows)?;
    /// assert!(pose.transform_point([1.0, 0.0, 0.0]).distance([5.0, 7.0, 7.0].into()) < 1e-15);
    /// assert!(pose.to_rows()[0][3] == 5.0);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn from_rows(rows: [[f64; 4]; 4]) -> Result<Self, BuildError> {
        Self::from_matrix(DMat4::from_cols_array_2d(&rows).transpose())
    }

    /// The rows of the 4 × 4 matrix.
    #[must_use]
    pub fn to_rows(&self) -> [[f64; 4]; 4] {
        self.to_matrix().transpose().to_cols_array_2d()
    }

    /// The rotation, a unit quaternion.
    #[inline]
    #[must_use]
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Does the rotation change any vector? A scalar part of 1 does not say so: it belongs to every angle below 3e-8, too.
    #[inline]
    pub(crate) fn is_turned(&self) -> bool {
        let DQuat { x, y, z, w } = self.rotation;
        !(x == 0.0 && y == 0.0 && z == 0.0 && w.abs() == 1.0)
    }

    /// The translation.
    #[inline]
    #[must_use]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// A local point in world coordinates.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, local: impl Into<DVec3>) -> DVec3 {
        self.rotation * local.into() + self.translation
    }

    /// A local direction in world coordinates: turned, not moved.
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, local: impl Into<DVec3>) -> DVec3 {
        self.rotation * local.into()
    }

    /// A world point in local coordinates.
    #[inline]
    #[must_use]
    pub fn inverse_transform_point(&self, world: impl Into<DVec3>) -> DVec3 {
        self.rotation.conjugate() * (world.into() - self.translation)
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
    pub fn inverse_transform_vector(&self, world: impl Into<DVec3>) -> DVec3 {
        self.rotation.conjugate() * world.into()
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

/// `outer * inner` first places by `inner`, then by `outer`, as products of matrices do.
///
/// ```
/// use clearance::Pose;
///
/// let shoulder = Pose::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2)?;
/// let elbow = Pose::from_translation([2.0, 0.0, 0.0]);
/// let hand = (shoulder * elbow).transform_point([1.0, 0.0, 0.0]);
/// assert!(hand.distance([0.0, 3.0, 0.0].into()) < 1e-15);
/// # Ok::<(), clearance::BuildError>(())
/// ```
impl Mul for Pose {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        // Vectors that only one of them rotates are exact, to the bit.
        let rotation = if !self.is_turned() {
            inner.rotation
        } else if !inner.is_turned() {
            self.rotation
        } else {
            (self.rotation * inner.rotation).normalize()
        };
        // Twice the largest admitted translation is still far from overflow.
        Self { rotation, translation: self.rotation * inner.translation + self.translation }
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
    fn matrices_that_are_not_rigid_are_refused_with_the_column_at_fault() {
        let refused = |rows: [[f64; 4]; 4]| Pose::from_rows(rows).unwrap_err().to_string();
        let last = [0.0, 0.0, 0.0, 1.0];
        let (x, y, z) = ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]);
        assert!(refused([x, [0.1, 1.0, 0.0, 0.0], z, last]).contains("column x has length 1.00"));
        assert!(refused([[1.0, 1e-5, 0.0, 0.0], y, z, last]).contains("columns x and y are not at right angles"));
        assert!(refused([x, y, [0.0, 0.0, -1.0, 0.0], last]).contains("it mirrors"));
        assert!(refused([x, y, z, [0.0, 0.0, 0.0, 2.0]]).contains("its last row is 0, 0, 0, 2"));
        assert!(refused([[f64::NAN, 0.0, 0.0, 0.0], y, z, last]).contains("matrix.x.x is NaN"));
        assert!(refused([x, [0.0, 1.0, 0.0, 1e61], z, last]).contains("matrix.translation.y is 1e61"));
        // Single precision is rigid enough.
        let turn = glam::Mat4::from_rotation_x(0.3).as_dmat4();
        assert!(Pose::from_matrix(turn).unwrap().transform_point(DVec3::Y).distance(turn.y_axis.truncate()) < 1e-6);
    }

    #[test]
    fn every_way_to_write_a_pose_is_the_same_pose() {
        let mut rng = fastrand::Rng::with_seed(14);
        let mut draw = || rng.f64() * 2.0 - 1.0;
        for _ in 0..1000 {
            let pose = Pose::new([draw(), draw(), draw()], DQuat::from_xyzw(draw(), draw(), draw(), draw()));
            assert_eq!(Pose::from_array(pose.to_array()).unwrap(), pose);
            let x = DVec3::new(draw(), draw(), draw());
            for again in [Pose::from_matrix(pose.to_matrix()).unwrap(), Pose::from_rows(pose.to_rows()).unwrap()] {
                assert!((again.transform_point(x) - pose.transform_point(x)).length() < 1e-14);
            }
            assert!((pose.inverse_transform_point(pose.transform_point(x)) - x).length() < 1e-14);
            let (axis, angle) = pose.rotation().to_axis_angle();
            let turned = Pose::from_axis_angle(1e-200 * axis, angle).unwrap();
            assert!((turned.transform_point(x) - pose.transform_vector(x)).length() < 1e-14);
        }
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
        assert!(((a * b).transform_point(x) - a.transform_point(b.transform_point(x))).length() < 1e-14);
        assert!((a.inverse().transform_point(a.transform_point(x)) - x).length() < 1e-14);
    }
}
