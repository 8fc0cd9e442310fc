//! The matrix form of a relative pose, made once per query.

use super::Pose;
use glam::{DMat3, DVec3};
use wide::f64x2;

/// The placement of B in the frame of A, as a matrix: what every engine works with.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::math::DVec3;
///
/// let (a, b) = (Pose::from_translation([1.0, 0.0, 0.0]), Pose::from_translation([5.0, 0.0, 0.0]));
/// assert_eq!(Frame::relative(&a, &b).point(DVec3::ZERO), DVec3::new(4.0, 0.0, 0.0));
/// ```
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
    ///
    /// Two numbers at a time, in the pairs in which a pose lies in memory: reading back other
    /// pairs right after a pose was written is a store-to-load forwarding stall.
    #[inline(always)]
    pub(crate) fn relative_here(pose_a: &Pose, pose_b: &Pose) -> Self {
        let pair = |x: f64, y: f64| f64x2::new([x, y]);
        let (a, b) = (pose_a.rotation(), pose_b.rotation());
        // The product of the conjugate of a with b: (x, y), then (z, w).
        let (ax, ay, az, aw) = (f64x2::splat(a.x), f64x2::splat(a.y), f64x2::splat(a.z), f64x2::splat(a.w));
        let (b_xy, b_zw) = (pair(b.x, b.y), pair(b.z, b.w));
        let (turned_xy, turned_zw) = (pair(b.y, -b.x), pair(b.w, -b.z));
        let xy = (aw * b_xy - ax * turned_zw) + (az * turned_xy - ay * b_zw);
        let zw = (aw * b_zw - ax * turned_xy) + (ay * b_xy - az * turned_zw);
        Self { rotation: rotation_matrix(xy, zw), translation: Self::place_here(pose_a, pose_b) }
    }

    /// The translation of [`Frame::relative`] alone: the origin of B in the frame of A.
    #[inline(always)]
    pub(crate) fn place_here(pose_a: &Pose, pose_b: &Pose) -> DVec3 {
        // Back by the rotation of a: v + w t + t × q with t = 2 v × q. In the same pairs as there.
        let pair = |x: f64, y: f64| f64x2::new([x, y]);
        let (a, ta, tb) = (pose_a.rotation(), pose_a.translation(), pose_b.translation());
        let [qx, qy] = pair(a.x, a.y).to_array();
        let [qz, w] = pair(a.z, a.w).to_array();
        // Of x, y and z of a cross product with q the first two, and the last.
        let turned_q = pair(qy, -qx);
        let cross_xy = |[x, y]: [f64; 2], z: f64| pair(y, -x) * f64x2::splat(qz) - f64x2::splat(z) * turned_q;
        let cross_z = |[x, y]: [f64; 2]| x * qy - y * qx;
        let (v_xy, v_z) = (pair(tb.x, tb.y) - pair(ta.x, ta.y), tb.z - ta.z);
        let (t_xy, t_z) = (cross_xy(v_xy.to_array(), v_z), cross_z(v_xy.to_array()));
        let (t_xy, t_z) = (t_xy + t_xy, t_z + t_z);
        let [x, y] = (v_xy + f64x2::splat(w) * t_xy + cross_xy(t_xy.to_array(), t_z)).to_array();
        DVec3::new(x, y, v_z + w * t_z + cross_z(t_xy.to_array()))
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
        let q = pose.rotation();
        let rotation = rotation_matrix(f64x2::new([q.x, q.y]), f64x2::new([q.z, q.w]));
        Self { rotation, translation: pose.translation() }
    }
}

/// The rotation matrix of a quaternion (x, y), (z, w) whose length is one but for the rounding of a product.
///
/// Dividing by the squared length keeps the columns orthonormal to rounding; next to one, 1 / x is 2 - x.
#[inline(always)]
fn rotation_matrix(xy: f64x2, zw: f64x2) -> DMat3 {
    let ([x, y], [z, w]) = (xy.to_array(), zw.to_array());
    let (squares, more_squares) = (xy * xy, zw * zw);
    let [sum, other_sum] = (squares + more_squares).to_array();
    let ([xx, yy], [zz, _]) = (squares.to_array(), more_squares.to_array());
    let s = 2.0 * (2.0 - (sum + other_sum));
    let [xz, yw] = (xy * zw).to_array();
    let [xw, yz] = (xy * f64x2::new([w, z])).to_array();
    let (x_y, z_w) = (x * y, z * w);
    let (mixed, with_w, scale) = (f64x2::new([xz, yz]), f64x2::new([yw, xw]), f64x2::splat(s));
    let [xz_plus, yz_plus] = (scale * (mixed + with_w)).to_array();
    let [xz_minus, yz_minus] = (scale * (mixed - with_w)).to_array();
    DMat3::from_cols(
        DVec3::new(1.0 - s * (yy + zz), s * (x_y + z_w), xz_minus),
        DVec3::new(s * (x_y - z_w), 1.0 - s * (xx + zz), yz_plus),
        DVec3::new(xz_plus, yz_minus, 1.0 - s * (xx + yy)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn relative_frame_maps_like_the_two_poses() {
        let a = Pose::new([10.0, -2.0, 3.0], DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9));
        let b = Pose::new([-4.0, 0.5, 2.0], DQuat::from_xyzw(0.5, 0.4, -0.5, 0.5));
        let frame = Frame::relative(&a, &b);
        let x = DVec3::new(0.3, -1.0, 2.0);
        assert!((a.transform_point(frame.point(x)) - b.transform_point(x)).length() < 1e-14);
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
