//! Triangles clipped to boxes, in doubles.

use crate::math::Aabb;
use glam::DVec3;

/// Clips a triangle to a box.
pub(super) fn clipped(corners: [DVec3; 3], bounds: &Aabb) -> Vec<DVec3> {
    let mut ring = corners.to_vec();
    for axis in 0..3 {
        for (sign, end) in [(1.0, bounds.max[axis]), (-1.0, bounds.min[axis])] {
            let height = |p: DVec3| sign * (p[axis] - end);
            if ring.iter().all(|&p| height(p) <= 0.0) {
                continue;
            }
            let mut left = Vec::with_capacity(ring.len() + 1);
            for (i, &p) in ring.iter().enumerate() {
                let q = ring[(i + 1) % ring.len()];
                if height(p) <= 0.0 {
                    left.push(p);
                }
                if height(p) * height(q) < 0.0 {
                    let mut at = p + (q - p) * (height(p) / (height(p) - height(q)));
                    at[axis] = end;
                    left.push(at);
                }
            }
            ring = left;
        }
    }
    ring
}
