//! The rotations of two bodies, side by side.

use super::Pose;
use glam::DVec3;
use wide::f64x2;

/// A vector of A and one of B: each coordinate of the two in one register, that of A in the lower half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vec3Pair([f64x2; 3]);

impl Vec3Pair {
    pub const ZERO: Self = Self([f64x2::ZERO; 3]);

    #[inline(always)]
    pub fn new(a: DVec3, b: DVec3) -> Self {
        Self([f64x2::new([a.x, b.x]), f64x2::new([a.y, b.y]), f64x2::new([a.z, b.z])])
    }

    /// One vector twice.
    #[inline(always)]
    pub fn splat(v: DVec3) -> Self {
        Self([f64x2::splat(v.x), f64x2::splat(v.y), f64x2::splat(v.z)])
    }

    /// The lengths of the two.
    #[inline(always)]
    pub fn lengths(self) -> [f64; 2] {
        let [x, y, z] = self.0;
        (x * x + y * y + z * z).sqrt().to_array()
    }

    /// The two vectors.
    #[inline(always)]
    pub fn parts(self) -> [DVec3; 2] {
        let [[ax, bx], [ay, by], [az, bz]] = self.0.map(f64x2::to_array);
        [DVec3::new(ax, ay, az), DVec3::new(bx, by, bz)]
    }
}

impl std::ops::Sub for Vec3Pair {
    type Output = Self;

    #[inline(always)]
    fn sub(self, Self([x, y, z]): Self) -> Self {
        let [a, b, c] = self.0;
        Self([a - x, b - y, c - z])
    }
}

/// Coordinate by coordinate.
impl std::ops::Mul for Vec3Pair {
    type Output = Self;

    #[inline(always)]
    fn mul(self, Self([x, y, z]): Self) -> Self {
        let [a, b, c] = self.0;
        Self([a * x, b * y, c * z])
    }
}

/// The rotations of A and B at work together: turning a vector of each takes as long as turning one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RotationPair {
    x: f64x2,
    y: f64x2,
    z: f64x2,
    w: f64x2,
    /// 2 over the squared length of the quaternion, which is one but for rounding.
    twice: f64x2,
}

impl RotationPair {
    /// A vector that is turned, there or back, is off by no more than this part of its length.
    ///
    /// A cross product of vectors is off by √2 ε of their lengths. So c is off by that, `q × c` by twice that, and what is in brackets,
    /// which is no longer than v, by 4 ε at most with the other product and the sum. The factor s, about 2, is right to 2 ε: 8 ε and 4 ε in
    /// all, and 1 ε for the last product and sum. Bound: the sum of these, 13 ε.
    pub const ERROR: f64 = 13.0 * f64::EPSILON;

    #[inline(always)]
    pub fn new(pose_a: &Pose, pose_b: &Pose) -> Self {
        let turns = Self::unscaled(pose_a, pose_b);
        let Self { x, y, z, w, .. } = turns;
        let square = (x * x + y * y) + (z * z + w * w);
        // Next to one, 1 / x is 2 - x.
        Self { twice: f64x2::splat(4.0) - (square + square), ..turns }
    }

    /// The quaternions taken for units, which they are to 4 ε: sooner made, and vectors are off by 18 ε at most.
    #[inline(always)]
    pub fn unscaled(pose_a: &Pose, pose_b: &Pose) -> Self {
        let (p, q) = (pose_a.rotation(), pose_b.rotation());
        let both = |a: f64, b: f64| f64x2::new([a, b]);
        let (x, y, z, w) = (both(p.x, q.x), both(p.y, q.y), both(p.z, q.z), both(p.w, q.w));
        Self { x, y, z, w, twice: f64x2::splat(2.0) }
    }

    /// Vectors of A and B in the axes of the world: `v + s (w c + q × c)` with `c = q × v`, q and w being the parts of the
    /// quaternion and s two over its squared length, which is waited for last.
    #[inline(always)]
    pub fn to_world(self, v: Vec3Pair) -> Vec3Pair {
        let (Vec3Pair([x, y, z]), s) = (v, self.twice);
        let ([a, b, c], [d, e, f]) = self.products(v);
        Vec3Pair([x + s * (self.w * a + d), y + s * (self.w * b + e), z + s * (self.w * c + f)])
    }

    /// Vectors of the world in the axes of A and B: the same with -w for w.
    #[inline(always)]
    pub fn to_local(self, v: Vec3Pair) -> Vec3Pair {
        let (Vec3Pair([x, y, z]), s) = (v, self.twice);
        let ([a, b, c], [d, e, f]) = self.products(v);
        Vec3Pair([x + s * (d - self.w * a), y + s * (e - self.w * b), z + s * (f - self.w * c)])
    }

    /// `c = q × v` and `q × c`.
    #[inline(always)]
    fn products(self, Vec3Pair([x, y, z]): Vec3Pair) -> ([f64x2; 3], [f64x2; 3]) {
        let (p, q, r) = (self.x, self.y, self.z);
        let (a, b, c) = (q * z - r * y, r * x - p * z, p * y - q * x);
        ([a, b, c], [q * c - r * b, r * a - p * c, p * b - q * a])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use glam::DQuat;

    #[test]
    fn both_turns_are_those_of_the_poses_and_undo_each_other() {
        let mut rng = Rng::with_seed(81);
        let mut number = |size: f64| size * (2.0 * rng.f64() - 1.0);
        for round in 0..2000 {
            // Quaternions whose length is a few units off in the last place, about axes of all kinds.
            let mut pose = || {
                let axis = DVec3::new(number(1.0), number(1.0), if round % 3 == 0 { 0.0 } else { number(1.0) });
                Pose::new(DVec3::ZERO, DQuat::from_scaled_axis(axis * if round % 2 == 0 { 3.1 } else { 0.01 }))
            };
            let (pose_a, pose_b) = (pose(), pose());
            let mut vector = || DVec3::new(number(2.0), number(2.0), number(2.0));
            let (a, b) = (vector(), vector());
            let (scaled, unscaled) = (RotationPair::new(&pose_a, &pose_b), RotationPair::unscaled(&pose_a, &pose_b));
            for (turns, error) in [(scaled, RotationPair::ERROR), (unscaled, 18.0 * f64::EPSILON)] {
                let world = turns.to_world(Vec3Pair::new(a, b));
                let [world_a, world_b] = world.parts();
                for (v, turned, pose) in [(a, world_a, pose_a), (b, world_b, pose_b)] {
                    assert!((turned - pose.transform_vector(v)).length() <= 2.0 * error * v.length());
                }
                let [back_a, back_b] = turns.to_local(world).parts();
                assert!((back_a - a).length() <= 2.0 * error * a.length());
                assert!((back_b - b).length() <= 2.0 * error * b.length());
            }
        }
    }
}
