//! A lower bound of the signed distance of two sets in two boxes, with the boxes in frames of their own.
//!
//! Along any unit direction n, two sets in two boxes are apart by no less than the boxes are, be it a gap or an overlap. Along several orthogonal
//! directions the squares of gaps add up. The axes of A and those of B are tried.

use super::BoxNode;
use crate::math::Frame;
use crate::math::rounding;
use glam::{DMat3, DVec3};

/// Two frames, and the bound for pairs of boxes in them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    b_in_a: Frame,
    /// The absolute values of the rotation.
    spread: DMat3,
    /// The rounding error of a bound. The allowance of the engines, whose points go the same way, covers centres and extents too.
    pub slack: f64,
}

impl Gap {
    /// For boxes within these reaches of their origins.
    pub fn new(b_in_a: Frame, reaches: [f64; 2]) -> Self {
        let spread =
            DMat3::from_cols(b_in_a.rotation.x_axis.abs(), b_in_a.rotation.y_axis.abs(), b_in_a.rotation.z_axis.abs());
        let scale = reaches[0] + reaches[1] + b_in_a.translation.length();
        Self { b_in_a, spread, slack: rounding::of_pair(scale, 0.0) }
    }

    /// From the centre of A's box to that of B's, in both frames, and by how much the boxes are apart along the axes of A and of B.
    #[inline(always)]
    fn along_axes(&self, a: &BoxNode, b: &BoxNode) -> [[DVec3; 2]; 2] {
        let in_a = self.b_in_a.point(b.center) - a.center;
        let in_b = self.b_in_a.direction_in_b(in_a);
        let of_b = self.spread * b.half;
        let of_a =
            DVec3::new(self.spread.x_axis.dot(a.half), self.spread.y_axis.dot(a.half), self.spread.z_axis.dot(a.half));
        [[in_a, in_a.abs() - a.half - of_b], [in_b, in_b.abs() - b.half - of_a]]
    }

    /// The signed distance of any convex sets in the boxes is at least this.
    #[inline(always)]
    pub fn bound(&self, a: &BoxNode, b: &BoxNode) -> f64 {
        let [[_, of_a], [_, of_b]] = self.along_axes(a, b);
        size(of_a).max(size(of_b)) - self.slack
    }

    /// [`bound`](Self::bound) along the best single axis of A or B: smaller where corners face each other, and without a root.
    #[inline(always)]
    pub fn along_an_axis(&self, a: &BoxNode, b: &BoxNode) -> f64 {
        let [[_, of_a], [_, of_b]] = self.along_axes(a, b);
        of_a.max(of_b).max_element() - self.slack
    }

    /// The signed distance is at least this too, by a unit vector from A to B in the frame of A.
    #[inline(always)]
    pub fn along(&self, a: &BoxNode, b: &BoxNode, normal: DVec3) -> f64 {
        let between = self.b_in_a.point(b.center) - a.center;
        let of_b = self.b_in_a.direction_in_b(normal).abs().dot(b.half);
        normal.dot(between) - normal.abs().dot(a.half) - of_b - self.slack
    }

    /// The direction, in the frame of A, that proves the bound.
    pub fn direction(&self, a: &BoxNode, b: &BoxNode) -> DVec3 {
        let [[in_a, of_a], [in_b, of_b]] = self.along_axes(a, b);
        if size(of_a) >= size(of_b) { way(in_a, of_a) } else { self.b_in_a.rotation * way(in_b, of_b) }
    }
}

/// The length of a gap, or minus the least overlap.
#[inline(always)]
fn size(gap: DVec3) -> f64 {
    let most = gap.max_element();
    if most > 0.0 { gap.max(DVec3::ZERO).length() } else { most }
}

/// The direction of a gap, or the axis of the least overlap.
fn way(between: DVec3, gap: DVec3) -> DVec3 {
    let most = gap.max_element();
    let along = if most > 0.0 { gap.max(DVec3::ZERO) / most } else { DVec3::AXES[gap.max_position()] };
    along * between.signum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Aabb, Pose};
    use crate::{Shape, distance};
    use fastrand::Rng;
    use glam::DQuat;

    #[test]
    fn bounds_hold_and_their_directions_prove_them() {
        let mut rng = Rng::with_seed(5);
        let mut close = 0;
        for round in 0..2000 {
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let (half_a, half_b) = (vector(1.0).abs(), vector(1.0).abs());
            let (at_a, at_b) = (vector(3.0), vector(3.0));
            let turn = if round % 3 == 0 { DQuat::IDENTITY } else { DQuat::from_scaled_axis(vector(3.0)) };
            let pose_b = Pose::new(vector(4.0), turn);
            let node = |at: DVec3, half: DVec3| BoxNode::alone(&Aabb { min: at - half, max: at + half });
            let (a, b) = (node(at_a, half_a), node(at_b, half_b));
            let gap = Gap::new(Frame::from(pose_b), [a.bounding_radius(), b.bounding_radius()]);
            let bound = gap.bound(&a, &b);
            let [cuboid_a, cuboid_b] = [half_a, half_b].map(|half| Shape::cuboid(half).unwrap());
            let (pose_a, pose_b) = (Pose::from_translation(at_a), pose_b * Pose::from_translation(at_b));
            let truth = distance(&cuboid_a, pose_a, &cuboid_b, pose_b);
            assert!(bound <= truth.upper, "{bound} {truth:?}");
            close += u32::from(bound > truth.distance - 0.1);
            let n = gap.direction(&a, &b).normalize();
            let height = |half: DVec3, pose: &Pose, n: DVec3| {
                pose.translation().dot(n) + pose.inverse_transform_vector(n).abs().dot(half)
            };
            let apart = -height(half_a, &pose_a, n) - height(half_b, &pose_b, -n);
            assert!(apart >= bound, "{apart} {bound}");
            assert!((gap.along(&a, &b, n) - apart).abs() <= 2.0 * gap.slack);
        }
        assert!(close > 500, "{close}");
    }
}
