//! Two boxes: do they share a point, how far apart are they, and how deep do they overlap?
//!
//! **Intersection tests** by the fifteen separating axes \[Gottschalk, Lin, Manocha, *OBBTree*, 1996\]: the faces of A, the faces of
//! B, the nine products of an edge of A and an edge of B. B is in the frame of A, so all of them are sums of products
//! of entries of the rotation matrix. The axes are compared with a bound of the rounding error instead of adding an
//! epsilon to the matrix. They are computed in single precision first; what that leaves undecided is computed again, with
//! unit vectors.
//!
//! **Distance** (`distance`) as a small convex program, which also finds out that there is none.
//!
//! **Depth** (`depth`) as the least overlap along the same fifteen axes, which is the exact one.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | h_A, h_B | `half_a`, `half_b` | half extents |
//! | R, t | `b_in_a` | B in the frame of A |
//! | x, y | `x`, `y` | witnesses, each in the frame of its box |
//! | q | `q` | t + R y: the witness of B in the frame of A |
//! | v | `v` | x - q, a point of A - B |
//! | w | `w` | R^T v: v in the frame of B |
//!
//! Prefer another engine when: a distance within a few roundings of zero stays open, which [`distance()`] says.

mod depth;
mod distance;
#[cfg(test)]
mod tests;

pub use distance::{MAX_ITERATIONS, distance};

use crate::math::Frame;
use crate::math::rounding;
use glam::{DMat3, DVec3, Mat3A, Vec3A, Vec3Swizzles};

/// Do two boxes share a point? Touching counts: `false` is proved, `true` means overlap or a gap within rounding.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::internals::narrow::cuboids;
/// use clearance::math::DVec3;
///
/// let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([1.5, 0.0, 0.0]));
/// assert!(cuboids::intersects(DVec3::ONE, DVec3::ONE, &b_in_a));
/// assert!(!cuboids::intersects(DVec3::splat(0.7), DVec3::splat(0.7), &b_in_a));
/// ```
#[inline]
#[must_use]
pub fn intersects(half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> bool {
    match verdict_f32(half_a, half_b, b_in_a) {
        Some(answer) => answer,
        None => careful_verdict(half_a, half_b, b_in_a),
    }
}

/// Rounding error of the test in single precision, relative to the sizes. Bound: about ten roundings of 2^-24 each; this is sixty.
const ROUGH_ROUNDING: f32 = 32.0 * f32::EPSILON;

/// Sizes for the test in single precision. Bound: products of two stay below the largest and above the smallest normal `f32`.
const ROUGH_SIZES: std::ops::Range<f32> = 1e-30..1e30;

/// The fifteen axes in single precision, in which a vector fits a SIMD register: the answer if it is beyond rounding.
#[inline]
fn verdict_f32(half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> Option<bool> {
    let (half_a, half_b, t) = (rough(half_a), rough(half_b), rough(b_in_a.translation));
    let r = matrix_f32(&b_in_a.rotation);
    let (m, inverse) = (r.abs(), r.transpose());
    let size = (half_a + half_b + t.abs()).element_sum();
    let rounding = Vec3A::splat(ROUGH_ROUNDING * size);

    // Faces of A: |t_i| > h_A,i + sum_j |R_ij| h_B,j. Faces of B: |t·b_j| > h_B,j + sum_i |R_ij| h_A,i.
    let faces_a = t.abs() - (half_a + m * half_b);
    let faces_b = (inverse * t).abs() - (half_b + inverse.abs() * half_a);
    let mut widest = faces_a.max(faces_b);
    if widest.cmpgt(rounding).any() {
        return ROUGH_SIZES.contains(&size).then_some(false);
    }
    // Edges e_i x b_j for the three e_i at once. The coordinates of such an axis are entries of b_j, and so are its products with the other
    // edges of A; those with the other edges of B are entries of the third edge.
    let (half_yzx, half_zxy) = (half_a.yzx(), half_a.zxy());
    for (b, s, third, second, half) in [
        (r.x_axis, m.x_axis, m.z_axis, m.y_axis, [half_b.y, half_b.z]),
        (r.y_axis, m.y_axis, m.x_axis, m.z_axis, [half_b.z, half_b.x]),
        (r.z_axis, m.z_axis, m.y_axis, m.x_axis, [half_b.x, half_b.y]),
    ] {
        let reach_a = half_yzx * s.zxy() + half_zxy * s.yzx();
        let reach_b = third * half[0] + second * half[1];
        widest = widest.max(t.cross(b).abs() - (reach_a + reach_b));
    }
    let apart = widest.cmpgt(rounding).any();
    let overlapping = widest.cmplt(-rounding).all();
    (ROUGH_SIZES.contains(&size) && apart != overlapping).then_some(overlapping)
}

#[inline]
fn rough(v: DVec3) -> Vec3A {
    Vec3A::new(v.x as f32, v.y as f32, v.z as f32)
}

#[inline]
fn matrix_f32(r: &DMat3) -> Mat3A {
    Mat3A::from_cols(rough(r.x_axis), rough(r.y_axis), rough(r.z_axis))
}

/// The fifteen axes in full precision; the edges as unit vectors, because those of edges that are nearly parallel would
/// be short, and their heights lost in the rounding error of the others.
#[cold]
fn careful_verdict(half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> bool {
    let t = b_in_a.translation;
    // |h| and |t| are at most the sums of their coordinates.
    let size = half_a.element_sum() + half_b.element_sum() + t.abs().element_sum();
    let rounding = rounding::of_pair(size, 0.0);
    let gap = |n: DVec3| gap_along(n, half_a, half_b, b_in_a);
    let columns = [b_in_a.rotation.x_axis, b_in_a.rotation.y_axis, b_in_a.rotation.z_axis];
    let faces = DVec3::AXES.into_iter().chain(columns).map(gap).fold(f64::NEG_INFINITY, f64::max);
    if faces > rounding {
        return false;
    }
    for a in DVec3::AXES {
        for b in columns {
            let edge = a.cross(b);
            let length = edge.length();
            if length <= PARALLEL && faces < -4.0 * PARALLEL * size {
                // Rotating B by that angle would make the edges parallel, and two prisms with parallel edges overlap as deep as the
                // shallowest of their faces. The rotation moves no point of B and no face by as much.
                return true;
            }
            // A product of unit vectors is off by a few ε, so that a shorter one has no direction.
            if length > 16.0 * f64::EPSILON && gap(edge / length) > rounding {
                return false;
            }
        }
    }
    true
}

/// The angle between edges below which only faces matter, if they leave that much room. Bound: see the comment in `careful_verdict`.
const PARALLEL: f64 = 1e-6;

/// How far the boxes are apart along a unit vector; negative if their shadows overlap.
fn gap_along(n: DVec3, half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> f64 {
    let in_b = b_in_a.direction_in_b(n);
    n.dot(b_in_a.translation).abs() - half_a.dot(n.abs()) - half_b.dot(in_b.abs())
}

/// The vertices that span the feature a point of a box is on, padded with the first of them.
#[inline(always)]
pub(super) fn spanning(point: DVec3, half: DVec3) -> ([u32; 4], u8) {
    let sign = |x: f64, bit: u32| u32::from(x > 0.0) << bit;
    let varies = |x: f64, half: f64, bit: u32| u32::from(x.abs() < half) << bit;
    let first = sign(point.x, 0) | sign(point.y, 1) | sign(point.z, 2);
    let bits = varies(point.x, half.x, 0) | varies(point.y, half.y, 1) | varies(point.z, half.z, 2);
    // The lowest bit, the next one, the last: zero when there are no more, which repeats the first vertex.
    let lowest = |bits: u32| bits & bits.wrapping_neg();
    let one = lowest(bits);
    let two = lowest(bits ^ one);
    let three = bits ^ one ^ two;
    ([first, first ^ one, first ^ two, first ^ three], 1 + bits.count_ones() as u8)
}

// The standard minimum and maximum also look after NaN, which costs more than the rest; there is none in here.
#[inline]
fn bounded(x: f64, half: f64) -> f64 {
    let x = if x > -half { x } else { -half };
    if x < half { x } else { half }
}

#[inline(always)]
pub(super) fn clamp(point: DVec3, half: DVec3) -> DVec3 {
    DVec3::new(bounded(point.x, half.x), bounded(point.y, half.y), bounded(point.z, half.z))
}

/// R^T v.
#[inline]
fn transposed(r: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(r.x_axis.dot(v), r.y_axis.dot(v), r.z_axis.dot(v))
}
