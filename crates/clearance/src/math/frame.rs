//! The matrix form of a relative pose, made once per query.

use super::Pose;
use glam::{DMat3, DQuat, DVec3};

/// The placement of B in the frame of A, as a matrix: what every engine works with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Rotation that takes directions of B to directions of A.
    pub rotation: DMat3,
    /// Origin of B in the frame of A.
    pub translation: DVec3,
}

impl Frame {
    /// The frame of two bodies that share one pose.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// B in the frame of A.
    ///
    /// The translations are subtracted before anything else happens to them, so two bodies far from the world's
    /// origin keep the precision of their distance, not of their coordinates.
    #[inline]
    #[must_use]
    pub fn relative(pose_a: &Pose, pose_b: &Pose) -> Self {
        Self::relative_here(pose_a, pose_b)
    }

    /// [`Frame::relative`] for a caller that keeps the matrix in registers.
    #[inline(always)]
    pub(crate) fn relative_here(pose_a: &Pose, pose_b: &Pose) -> Self {
        let to_a = pose_a.rotation().conjugate();
        Self {
            rotation: rotation_matrix(to_a * pose_b.rotation()),
            translation: to_a * (pose_b.translation() - pose_a.translation()),
        }
    }

    /// A point of B in the frame of A.
    #[inline]
    #[must_use]
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// A direction of A in the frame of B.
    #[inline]
    #[must_use]
    pub fn direction_in_b(&self, direction: DVec3) -> DVec3 {
        // The transpose times a vector: three dot products with the columns.
        DVec3::new(
            self.rotation.x_axis.dot(direction),
            self.rotation.y_axis.dot(direction),
            self.rotation.z_axis.dot(direction),
        )
    }

    /// A in the frame of B.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }
}

impl From<Pose> for Frame {
    fn from(pose: Pose) -> Self {
        Self { rotation: rotation_matrix(pose.rotation()), translation: pose.translation() }
    }
}

/// The rotation matrix of a quaternion whose length is one but for the rounding of a product.
///
/// Dividing by the squared length keeps the columns orthonormal to rounding; next to one, 1 / x is 2 - x.
#[inline]
fn rotation_matrix(q: DQuat) -> DMat3 {
    let s = 2.0 * (2.0 - q.length_squared());
    // The products do not wait for the length.
    let (xx, xy, xz) = (q.x * q.x, q.x * q.y, q.x * q.z);
    let (yy, yz, zz) = (q.y * q.y, q.y * q.z, q.z * q.z);
    let (wx, wy, wz) = (q.w * q.x, q.w * q.y, q.w * q.z);
    DMat3::from_cols(
        DVec3::new(1.0 - s * (yy + zz), s * (xy + wz), s * (xz - wy)),
        DVec3::new(s * (xy - wz), 1.0 - s * (xx + zz), s * (yz + wx)),
        DVec3::new(s * (xz + wy), s * (yz - wx), 1.0 - s * (xx + yy)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_frame_maps_like_the_two_poses() {
        let a = Pose::new([10.0, -2.0, 3.0], DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9));
        let b = Pose::new([-4.0, 0.5, 2.0], DQuat::from_xyzw(0.5, 0.4, -0.5, 0.5));
        let frame = Frame::relative(&a, &b);
        let x = DVec3::new(0.3, -1.0, 2.0);
        assert!((a.point(frame.point(x)) - b.point(x)).length() < 1e-14);
        assert!((frame.inverse().point(frame.point(x)) - x).length() < 1e-14);
        let orthonormal = frame.rotation.transpose() * frame.rotation;
        assert!(orthonormal.abs_diff_eq(DMat3::IDENTITY, 4.0 * f64::EPSILON));
    }

    #[test]
    fn two_bodies_far_away_keep_their_relative_precision() {
        // The gap of 2^-20 is exact at 2^30 from the origin, and must come through exactly.
        let far = 2.0_f64.powi(30);
        let a = Pose::from_translation([far, 0.0, 0.0]);
        let b = Pose::from_translation([far + 2.0_f64.powi(-20), 0.0, 0.0]);
        assert_eq!(Frame::relative(&a, &b).translation, DVec3::new(2.0_f64.powi(-20), 0.0, 0.0));
    }
}
