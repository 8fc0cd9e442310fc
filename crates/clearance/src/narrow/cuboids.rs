//! Two boxes: do they share a point, and how far apart are they?
//!
//! **Yes or no** by the fifteen separating axes \[Gottschalk, Lin, Manocha, *OBBTree*, 1996\]: the faces of A, the faces of
//! B, the nine products of an edge of A and an edge of B. B is in the frame of A, so all of them are sums of products
//! of entries of the rotation matrix.
//!
//! **Distance** as a small convex program. With x in box A and y in box B, both in their own coordinates,
//!
//! ```text
//! minimise |v|, v = x - q, q = t + R y,  -h_A <= x <= h_A,  -h_B <= y <= h_B
//! ```
//!
//! For a given y the best x is q clamped to box A, so three unknowns are left. Where a coordinate of q is inside A, that
//! coordinate of v is zero and stays so; the others make |v|² a quadratic function of y: one step of Newton's method over
//! the coordinates of y that are free to move, clamped to box B, lands on the answer once it is known which coordinates
//! are at their bounds. That takes two or three rounds.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | h_A, h_B | `half_a`, `half_b` | half extents |
//! | R, t | `b_in_a` | B in the frame of A |
//! | x, y | `x`, `y` | witnesses, each in the frame of its box |
//! | v | `v` | x - q, a point of A - B |
//! | w | `w` | R^T v: v in the frame of B |
//!
//! **Invariants.** I1: x and y are in their boxes, so |v| is at least the distance. I2: no point of A - B has a height along
//! v of less than -h_A·|v| - t·v - h_B·|w| (moduli of coordinates). The answer is given when the two meet to rounding, and
//! by nothing else: parallel edges and faces make the equations singular, and then a step may be poor, but not an answer.
//!
//! **Deviations.** The fifteen axes are compared with a bound of the rounding error instead of adding an epsilon to the
//! matrix. They are computed in single precision first; what that leaves undecided is computed again, with unit vectors.
//!
//! Prefer another engine when: the boxes overlap and their depth is asked for; there is no answer here.

use super::gjk::{Exit, Outcome};
use super::minkowski::{ROUNDING, SMALLEST_LENGTH};
use crate::math::Frame;
use crate::pair::Cost;
use crate::shape::{Convex, Cuboid};
use glam::{DMat3, DVec3, Mat3A, Vec3A, Vec3Swizzles};

/// No search for the distance runs longer.
pub const MAX_ITERATIONS: u32 = 8;

/// The relative error of |v| at which a search ends; that of GJK.
const RELATIVE: f64 = 4.0 * f64::EPSILON;

/// Do two boxes share a point? Touching counts: `false` is proved, `true` means overlap or a gap within rounding.
#[inline]
#[must_use]
pub fn intersects(half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> bool {
    match rough_verdict(half_a, half_b, b_in_a) {
        Some(answer) => answer,
        None => careful_verdict(half_a, half_b, b_in_a),
    }
}

/// How far rounding can move what is computed in single precision: about ten roundings of 2^-24 each, and reserve.
const ROUGH_ROUNDING: f32 = 32.0 * f32::EPSILON;

/// The sizes for which all products stay in the range of `f32`.
const ROUGH_SIZES: std::ops::Range<f32> = 1e-30..1e30;

/// The fifteen axes in single precision, in which a vector fits a SIMD register: the answer if it is beyond rounding.
#[inline]
fn rough_verdict(half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> Option<bool> {
    let rough = |v: DVec3| Vec3A::new(v.x as f32, v.y as f32, v.z as f32);
    let (half_a, half_b, t) = (rough(half_a), rough(half_b), rough(b_in_a.translation));
    let r =
        Mat3A::from_cols(rough(b_in_a.rotation.x_axis), rough(b_in_a.rotation.y_axis), rough(b_in_a.rotation.z_axis));
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
    // Edges e_i x b_j for the three e_i at once: the coordinates of such an axis are entries of b_j, and so are its
    // products with the other edges of A; those with the other edges of B are entries of the third edge.
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

/// The fifteen axes in full precision; the edges as unit vectors, because those of edges that are nearly parallel would
/// be short, and their heights lost in the rounding error of the others.
#[cold]
fn careful_verdict(half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> bool {
    let t = b_in_a.translation;
    // |h| and |t| are at most the sums of their coordinates.
    let size = half_a.element_sum() + half_b.element_sum() + t.abs().element_sum();
    let rounding = ROUNDING * size + SMALLEST_LENGTH;
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
                // Turning B by that angle would make the edges parallel, and two prisms with parallel edges overlap
                // as deep as the shallowest of their faces; the turn moves no point of B and no face by as much.
                return true;
            }
            if length > 16.0 * f64::EPSILON && gap(edge / length) > rounding {
                return false;
            }
        }
    }
    true
}

/// The angle between edges below which only faces matter, if they leave that much room.
const PARALLEL: f64 = 1e-6;

/// How far the boxes are apart along a unit vector; negative if their shadows overlap.
fn gap_along(n: DVec3, half_a: DVec3, half_b: DVec3, b_in_a: &Frame) -> f64 {
    let in_b = b_in_a.direction_in_b(n);
    n.dot(b_in_a.translation).abs() - half_a.dot(n.abs()) - half_b.dot(in_b.abs())
}

/// Distance, witnesses and bracket of two boxes; nothing if they touch or overlap, or if rounding keeps the bracket open.
///
/// The vertex numbers of the outcome span the features the witnesses are on: what [`Convex::feature`] names, and what GJK
/// can start from. They are not a simplex around the witnesses.
#[inline]
#[must_use]
pub fn distance(a: &Cuboid, b: &Cuboid, b_in_a: &Frame) -> Option<Outcome> {
    let (half_a, half_b) = (a.half_extents(), b.half_extents());
    let (r, t) = (&b_in_a.rotation, b_in_a.translation);
    let rounding = ROUNDING * (a.reach() + b.reach() + t.length()) + SMALLEST_LENGTH;
    let floor_squared = rounding * rounding;
    // The heights of one round differ by less than their worst-case error: what a round can still resolve.
    let resolution_squared = floor_squared / 64.0;
    // From the centre of A to the nearest point of B, and back and forth: two clamps are the cheapest guess.
    let mut y = clamp(transposed(r, -t), half_b);
    let mut x = clamp(*r * y + t, half_a);
    y = clamp(transposed(r, x - t), half_b);
    x = clamp(*r * y + t, half_a);
    y = clamp(transposed(r, x - t), half_b);

    let mut q = *r * y + t;
    for iteration in 1..=MAX_ITERATIONS {
        x = clamp(q, half_a);
        let v = x - q;
        let w = transposed(r, v);
        let length_squared = v.dot(v);
        // They touch or overlap; a NaN, which valid input cannot make, ends the search too.
        if length_squared <= floor_squared || length_squared.is_nan() {
            return None;
        }
        // I2: the height of the support plane, times |v|.
        let height = -(half_a.dot(v.abs()) + t.dot(v) + half_b.dot(w.abs()));
        let gap = length_squared - height;
        if gap <= RELATIVE * length_squared || gap * gap <= resolution_squared * length_squared {
            let length = length_squared.sqrt();
            let inverse = 1.0 / length;
            let bracket = Bracket { x, y, lower: height * inverse, upper: length, normal: v * -inverse };
            return Some(bracket.outcome(half_a, half_b, rounding, iteration));
        }
        let change = newton(r, &q, y, half_a, half_b, w);
        let motion = *r * change;
        let part = step_length(motion, q, v, half_a);
        y += change * part;
        q += motion * part;
    }
    exact_normal(x, y, half_a, half_b, b_in_a, rounding)
}

/// The step over the free coordinates of y: R^T P R d = w, with P the coordinates in which q is outside A.
#[inline]
fn newton(r: &DMat3, q: &DVec3, y: DVec3, half_a: DVec3, half_b: DVec3, w: DVec3) -> DVec3 {
    let outside = |q: f64, half: f64| if q.abs() > half { 1.0 } else { 0.0 };
    let p = DVec3::new(outside(q.x, half_a.x), outside(q.y, half_a.y), outside(q.z, half_a.z));
    // A coordinate at its bound that wants to go beyond is kept: its row and column become those of the identity.
    let free = |y: f64, half: f64, w: f64| if y.abs() < half || y * w < 0.0 { 1.0 } else { 0.0 };
    let f = DVec3::new(free(y.x, half_b.x, w.x), free(y.y, half_b.y, w.y), free(y.z, half_b.z, w.z));
    let (px, py, pz) = (p * r.x_axis, p * r.y_axis, p * r.z_axis);
    let (kept, regular) = (DVec3::ONE - f, if f == DVec3::ONE { REGULAR_FULL } else { REGULAR });
    let xx = f.x * (r.x_axis.dot(px) + regular) + kept.x;
    let yy = f.y * (r.y_axis.dot(py) + regular) + kept.y;
    let zz = f.z * (r.z_axis.dot(pz) + regular) + kept.z;
    let xy = f.x * f.y * r.x_axis.dot(py);
    let xz = f.x * f.z * r.x_axis.dot(pz);
    let yz = f.y * f.z * r.y_axis.dot(pz);
    // By cofactors, which need one division.
    let (cxx, cyy, czz) = (yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy);
    let (cxy, cxz, cyz) = (xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz);
    let inverse = 1.0 / (xx * cxx + (xy * cxy + xz * cxz));
    let b = f * w;
    let whole = DVec3::new(
        (cxx * b.x + (cxy * b.y + cxz * b.z)) * inverse,
        (cxy * b.x + (cyy * b.y + cyz * b.z)) * inverse,
        (cxz * b.x + (cyz * b.y + czz * b.z)) * inverse,
    );
    let mut d = clamp(y + whole, half_b) - y;
    if (y + whole).abs().cmpgt(half_b).any() {
        // The coordinates that stay within the box were solved for others that do not: solve again, one by one.
        let (ix, iy, iz) = (1.0 / xx, 1.0 / yy, 1.0 / zz);
        for _ in 0..SWEEPS {
            d.x = bounded(y.x + (b.x - xy * d.y - xz * d.z) * ix, half_b.x) - y.x;
            d.y = bounded(y.y + (b.y - xy * d.x - yz * d.z) * iy, half_b.y) - y.y;
            d.z = bounded(y.z + (b.z - xz * d.x - yz * d.y) * iz, half_b.z) - y.z;
        }
    }
    d
}

/// Rounds over the coordinates of a step that left the box.
const SWEEPS: u32 = 1;

/// How much of a change of q to make: all of it, unless a coordinate would leave box A on the way. From there on it
/// counts, so the minimum comes earlier: |v - s d|² plus the squares of what such coordinates are beyond their bounds.
#[inline]
fn step_length(d: DVec3, q: DVec3, v: DVec3, half_a: DVec3) -> f64 {
    let after = q + d;
    let leaves = |i: usize| q[i].abs() <= half_a[i] && after[i].abs() > half_a[i];
    if !(leaves(0) | leaves(1) | leaves(2)) {
        return 1.0;
    }
    let (mut slope, mut curvature) = (0.0, 0.0);
    for i in 0..3 {
        if leaves(i) {
            // s d leads beyond the bound by s d - inner.
            let inner = half_a[i].copysign(d[i]) - q[i];
            slope += d[i] * inner;
            curvature += d[i] * d[i];
        } else if q[i].abs() > half_a[i] {
            slope += v[i] * d[i];
            curvature += d[i] * d[i];
        }
    }
    (slope / curvature).clamp(0.1, 1.0)
}

/// Added to the diagonal, whose entries are at most 1: directions in which nothing changes then get a small step instead
/// of none or any. It stays above the rounding error of a determinant of two rows.
const REGULAR: f64 = 1e-14;

/// The same where all three are free: the determinant must stay above its rounding error.
const REGULAR_FULL: f64 = 1e-5;

/// The last resort for gaps so small that v has lost its direction: the normal that belongs to the features.
#[cold]
fn exact_normal(x: DVec3, y: DVec3, half_a: DVec3, half_b: DVec3, b_in_a: &Frame, rounding: f64) -> Option<Outcome> {
    let v = x - b_in_a.point(y);
    let upper = v.length();
    let mut best: Option<(f64, DVec3)> = None;
    let mut consider = |n: DVec3| {
        let n = if n.dot(v) > 0.0 { -n } else { n };
        let height = n.dot(b_in_a.translation) - half_a.dot(n.abs()) - half_b.dot(b_in_a.direction_in_b(n).abs());
        if best.is_none_or(|(most, _)| height > most) {
            best = Some((height, n));
        }
    };
    let columns = [b_in_a.rotation.x_axis, b_in_a.rotation.y_axis, b_in_a.rotation.z_axis];
    for i in 0..3 {
        consider(DVec3::AXES[i]);
        consider(columns[i]);
        if x[i].abs() < half_a[i] {
            // Along an edge of A: the part of v across it, or the product with an edge of B.
            for j in 0..3 {
                if y[j].abs() < half_b[j]
                    && let Some(n) = DVec3::AXES[i].cross(columns[j]).try_normalize()
                {
                    consider(n);
                }
            }
        }
    }
    let (lower, normal) = best?;
    let closed = upper - lower <= 2.0 * rounding && lower > rounding;
    closed.then(|| Bracket { x, y, lower, upper, normal }.outcome(half_a, half_b, rounding, MAX_ITERATIONS))
}

/// A proved answer.
struct Bracket {
    x: DVec3,
    y: DVec3,
    lower: f64,
    upper: f64,
    normal: DVec3,
}

impl Bracket {
    #[inline]
    fn outcome(&self, half_a: DVec3, half_b: DVec3, rounding: f64, iterations: u32) -> Outcome {
        let (lower, upper) = (self.lower - rounding, self.upper + rounding);
        debug_assert!(lower <= upper, "I1 and I2: the bracket is not empty");
        let (ids_a, count_a) = spanning(self.x, half_a);
        let (ids_b, count_b) = spanning(self.y, half_b);
        Outcome {
            distance: self.upper,
            point_a: self.x,
            point_b: self.x + self.upper * self.normal,
            normal: self.normal,
            lower,
            upper,
            exit: Exit::Converged,
            closed: upper - lower <= 4.0 * rounding,
            ids: [0, 1, 2, 3].map(|i| [ids_a[i], ids_b[i]]),
            count: count_a.max(count_b),
            cost: Cost { iterations, support_calls: 2 * iterations, rescues: 0 },
        }
    }
}

/// The vertices that span the feature a point of a box is on, padded with the first of them.
#[inline]
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

#[inline]
fn clamp(point: DVec3, half: DVec3) -> DVec3 {
    DVec3::new(bounded(point.x, half.x), bounded(point.y, half.y), bounded(point.z, half.z))
}

/// R^T v.
#[inline]
fn transposed(r: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(r.x_axis.dot(v), r.y_axis.dot(v), r.z_axis.dot(v))
}
