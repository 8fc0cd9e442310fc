//! The signed distance of two boxes: a small convex program, and where it ends at zero, the depth.
//!
//! With x in box A and y in box B, both in their own coordinates,
//!
//! ```text
//! minimise |v|, v = x - q, q = t + R y,  -h_A <= x <= h_A,  -h_B <= y <= h_B
//! ```
//!
//! For a given y the best x is q clamped to box A, so three unknowns are left. Where a coordinate of q is inside A, that coordinate of v is
//! zero and stays zero. The others make |v|² a quadratic function of y. One step of Newton's method over the free coordinates of y, clamped
//! to box B, gives the answer once it is known which coordinates are at their bounds. That takes two or three rounds.
//!
//! **Invariants.** I1: x and y are in their boxes, so |v| is at least the distance. I2: no point of A - B has a height along
//! v of less than -h_A·|v| - t·v - h_B·|w| (moduli of coordinates). The answer is given when the two meet to rounding, and
//! by nothing else: parallel edges and faces make the equations singular, and then a step may be poor, but not an answer.

use super::depth::{self, BoxPair};
use super::{bounded, clamp, spanning, transposed};
use crate::math::Frame;
use crate::math::rounding;
use crate::narrow::Bracket;
use crate::narrow::outcome::{Cost, Exit, Outcome};
use crate::shape::{Convex, Cuboid};
use crate::tuning::convex::CUBOID_SWEEPS;
use crate::tuning::convex::RELATIVE;
use glam::{DMat3, DVec3};

/// Steps of a search for the distance. Limit: a search that takes more ends without an answer, and GJK gives one.
pub const MAX_ITERATIONS: u32 = 8;

/// Signed distance, witnesses and bracket of two boxes; nothing if rounding keeps the bracket open, which takes a gap of
/// a few roundings.
///
/// The vertex numbers of the outcome span the features the witnesses are on: what [`Convex::feature`] names, and what GJK
/// can start from. They are not a simplex around the witnesses.
#[inline]
#[must_use]
pub fn distance(a: &Cuboid, b: &Cuboid, b_in_a: &Frame) -> Option<Outcome> {
    let (half_a, half_b) = (a.half_extents(), b.half_extents());
    let (r, t) = (&b_in_a.rotation, b_in_a.translation);
    let rounding = rounding::of_pair(a.bounding_radius() + b.bounding_radius() + t.length(), 0.0);
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
            let boxes = BoxPair { half_a, half_b, b_in_a, rounding };
            return depth::depth(&boxes, iteration, length_squared <= floor_squared);
        }
        // I2: the height of the support plane, times |v|.
        let height = -(half_a.dot(v.abs()) + t.dot(v) + half_b.dot(w.abs()));
        let gap = length_squared - height;
        if gap <= RELATIVE * length_squared || gap * gap <= resolution_squared * length_squared {
            let length = length_squared.sqrt();
            let inverse = 1.0 / length;
            let proved = Proved { x, y, bounds: [height * inverse, length], normal: v * -inverse };
            return Some(proved.outcome(half_a, half_b, rounding, iteration));
        }
        let change = newton(r, &q, y, half_a, half_b, w);
        let motion = *r * change;
        let part = step_length(motion, q, v, half_a);
        y += change * part;
        q += motion * part;
    }
    let boxes = BoxPair { half_a, half_b, b_in_a, rounding };
    exact_normal(x, y, &boxes).or_else(|| depth::depth(&boxes, MAX_ITERATIONS, false))
}

/// The step over the free coordinates of y: R^T P R d = w, with P the coordinates in which q is outside A.
#[inline]
pub(super) fn newton(r: &DMat3, q: &DVec3, y: DVec3, half_a: DVec3, half_b: DVec3, w: DVec3) -> DVec3 {
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
        for _ in 0..CUBOID_SWEEPS {
            d.x = bounded(y.x + (b.x - xy * d.y - xz * d.z) * ix, half_b.x) - y.x;
            d.y = bounded(y.y + (b.y - xy * d.x - yz * d.z) * iy, half_b.y) - y.y;
            d.z = bounded(y.z + (b.z - xz * d.x - yz * d.y) * iz, half_b.z) - y.z;
        }
    }
    d
}

/// How much of a change of q to make: all of it, unless a coordinate would leave box A on the way. From there on it
/// counts, so the minimum comes earlier: |v - s d|² plus the squares of what such coordinates are beyond their bounds.
#[inline]
pub(super) fn step_length(d: DVec3, q: DVec3, v: DVec3, half_a: DVec3) -> f64 {
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

/// Added to the diagonal, whose entries are at most 1: directions without a change get a small step instead of an infinite one or none. Bound:
/// it stays above the rounding error of a determinant of two rows, 4 ε.
const REGULAR: f64 = 1e-14;

/// Added to the diagonal where all three coordinates are free. Bound: the determinant, at least its cube 1e-15, stays above its rounding error.
const REGULAR_FULL: f64 = 1e-5;

/// The last resort for gaps so small that v has lost its direction: the normal that belongs to the features.
#[cold]
fn exact_normal(x: DVec3, y: DVec3, boxes: &BoxPair<'_>) -> Option<Outcome> {
    let BoxPair { half_a, half_b, b_in_a, rounding } = *boxes;
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
    let is_closed = Bracket::is_closed([lower, upper], rounding, 0.0) && lower > rounding;
    is_closed.then(|| Proved { x, y, bounds: [lower, upper], normal }.outcome(half_a, half_b, rounding, MAX_ITERATIONS))
}

/// A proved answer.
struct Proved {
    x: DVec3,
    y: DVec3,
    /// The height of the support planes, and the distance of the points.
    bounds: [f64; 2],
    normal: DVec3,
}

impl Proved {
    #[inline]
    fn outcome(&self, half_a: DVec3, half_b: DVec3, rounding: f64, iterations: u32) -> Outcome {
        let Bracket { lower, upper } = Bracket::around(self.bounds, rounding);
        let length = self.bounds[1];
        debug_assert!(lower <= upper, "I1 and I2: the bracket is not empty");
        let (ids_a, count_a) = spanning(self.x, half_a);
        let (ids_b, count_b) = spanning(self.y, half_b);
        Outcome {
            distance: length,
            point_a: self.x,
            point_b: self.x + length * self.normal,
            normal: self.normal,
            lower,
            upper,
            exit: Exit::Converged,
            closed: Bracket::is_closed(self.bounds, rounding, 0.0),
            ids: [0, 1, 2, 3].map(|i| [ids_a[i], ids_b[i]]),
            count: count_a.max(count_b),
            cost: Cost { iterations, support_calls: 2 * iterations, fallbacks: 0 },
        }
    }
}
