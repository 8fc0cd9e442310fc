//! The depth of two boxes: the least overlap of their shadows along fifteen axes.
//!
//! A - B is a zonotope: the sum of the segments ±h_A,i e_i and ±h_B,j R_j, moved by -t. Its faces are spanned by pairs of
//! those segments, so their normals are the faces of A, the faces of B, and the products e_i x R_j; the origin leaves it
//! by the nearest face. The depth is therefore the least of
//!
//! ```text
//! overlap(n) = h_A·|n| + h_B·|R^T n| - |t·n|
//! ```
//!
//! over fifteen unit vectors. Boxes without a thickness make a zonotope of fewer segments. Axes that are then no normals of faces bound the
//! depth from above like any other direction, and a flat zonotope has its normal among the fifteen.
//!
//! **Edges that are nearly parallel** need no exception. (1) The coordinates of e_i x R_j are entries of R, so the product and its length
//! are good to a rounding however short it is. Only where its square underflows it is left out; turning B by less than 1e-100 makes the
//! edges parallel then. (2) R itself is rounded, which changes the direction of a short product by any amount. But the depth is the least
//! of the support heights of A - B, and moving the points of a set by at most δ moves the least of its heights by at most δ. So the fifteen
//! axes of the computed R give the depth for the computed R, and that is the true one to the rounding of the points of B.
//!
//! **Bracket.** Every unit vector bounds the depth from above: one rounding. The other side needs the right vectors. By (2) that costs the
//! rounding of R once for the points of B. R_k is taken for the normal R_i x R_j, which costs up to thrice that for this direction: 30 ε of
//! |h_A| + |t|. Two roundings of 32 ε cover it.
//!
//! **Witnesses.** The foot of the origin on the nearest face of A - B is a difference of points of two features. A vertex over a face and
//! two crossing edges are solved directly, parallel features by the convex program of `distance`. It always exists: a ball of the depth's
//! radius fits into A - B, so depth·n is a point of it.

use super::distance::{newton, step_length};
use super::{ROUGH_ROUNDING, ROUGH_SIZES, clamp, gap_along, matrix_f32, rough, spanning, transposed};
use crate::math::Frame;
use crate::narrow::outcome::{Cost, Exit, Outcome};
use crate::tuning::convex::WITNESS_ROUNDS;
use crate::tuning::convex::WITNESS_SLACK;
use glam::{DVec3, Vec3A, Vec3Swizzles};

/// Two boxes, B in the frame of A.
#[derive(Clone, Copy)]
pub(super) struct BoxPair<'a> {
    pub half_a: DVec3,
    pub half_b: DVec3,
    pub b_in_a: &'a Frame,
    /// A bound on the error of every height.
    pub rounding: f64,
}

/// One of the fifteen axes, by number: three faces of A, three of B, then e_0 x R_0, e_1 x R_0, e_2 x R_0, e_0 x R_1, …
#[derive(Clone, Copy)]
struct BoxAxis {
    number: u32,
    /// Unit vector, from A to B.
    normal: DVec3,
    /// How far the boxes are apart along it.
    gap: f64,
}

/// The signed distance of two boxes that overlap, or touch to rounding.
///
/// Nothing if the fifteen axes do not prove that they overlap; but boxes that are `touching`, which says that two of their
/// points are known that coincide to rounding, always get an answer.
#[inline(never)]
pub(super) fn depth(boxes: &BoxPair<'_>, iterations: u32, touching: bool) -> Option<Outcome> {
    let rounding = boxes.rounding;
    let (axis, widest) = boxes.widest();
    let mut upper = widest + 2.0 * rounding;
    if upper > 0.0 {
        if !touching {
            return None;
        }
        upper = upper.max(2.0 * rounding);
    }
    let (x, y) = boxes.witnesses(&axis);
    let (ids_a, count_a) = spanning(x, boxes.half_a);
    let (ids_b, count_b) = spanning(y, boxes.half_b);
    Some(Outcome {
        distance: axis.gap,
        point_a: x,
        point_b: x + axis.gap * axis.normal,
        normal: axis.normal,
        lower: axis.gap - rounding,
        upper,
        ids: [0, 1, 2, 3].map(|i| [ids_a[i], ids_b[i]]),
        count: count_a.max(count_b),
        exit: Exit::Converged,
        closed: true,
        cost: Cost { iterations, support_calls: 2 * iterations, fallbacks: 0 },
    })
}

impl BoxPair<'_> {
    /// The axis to report, and the widest gap along any of the fifteen: that of the axis, or more by a rounding.
    #[inline]
    fn widest(&self) -> (BoxAxis, f64) {
        let mut left = self.candidates();
        let mut best = BoxAxis { number: 0, normal: DVec3::X, gap: f64::NEG_INFINITY };
        let mut widest = best.gap;
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left - 1;
            let Some(normal) = self.axis(number) else { continue };
            let gap = gap_along(normal, self.half_a, self.half_b, self.b_in_a);
            // A face counts before edges that are not better: its witnesses are the better determined ones.
            let handicap = if number < 6 { 0.0 } else { self.rounding };
            if gap > best.gap + handicap {
                best = BoxAxis { number, normal, gap };
            }
            widest = widest.max(gap);
        }
        if best.normal.dot(self.b_in_a.translation) < 0.0 {
            best.normal = -best.normal;
        }
        (best, widest)
    }

    /// The unit vector of that number; nothing for the product of parallel edges.
    #[inline]
    fn axis(&self, number: u32) -> Option<DVec3> {
        let r = &self.b_in_a.rotation;
        if number < 3 {
            return Some(DVec3::AXES[number as usize]);
        }
        let b = r.col((number % 3) as usize);
        if number < 6 {
            return Some(b);
        }
        let b = r.col(((number - 6) / 3) as usize);
        let product = match number % 3 {
            0 => DVec3::new(0.0, -b.z, b.y),
            1 => DVec3::new(b.z, 0.0, -b.x),
            _ => DVec3::new(-b.y, b.x, 0.0),
        };
        let square = product.length_squared();
        (square > PARALLEL_SQUARED).then(|| product / square.sqrt())
    }

    /// The axes along which the gap can be the widest, as bits: all fifteen in single precision, and those kept that come
    /// within the error of the best.
    #[inline]
    fn candidates(&self) -> u32 {
        let (half_a, half_b, t) = (rough(self.half_a), rough(self.half_b), rough(self.b_in_a.translation));
        let r = matrix_f32(&self.b_in_a.rotation);
        let (m, inverse) = (r.abs(), r.transpose());
        let size = (half_a + half_b + t.abs()).element_sum();
        if !ROUGH_SIZES.contains(&size) {
            return ALL;
        }
        let rounding = Vec3A::splat(ROUGH_ROUNDING * size);
        let faces_a = t.abs() - (half_a + m * half_b);
        let faces_b = (inverse * t).abs() - (half_b + inverse.abs() * half_a);
        // As in `verdict_f32`; what is divided by the length of a product has its error divided too.
        let (half_yzx, half_zxy) = (half_a.yzx(), half_a.zxy());
        let edges = |b: Vec3A, s: Vec3A, third: Vec3A, second: Vec3A, half: [f32; 2]| {
            let (s_zxy, s_yzx) = (s.zxy(), s.yzx());
            let square = s_zxy * s_zxy + s_yzx * s_yzx;
            let inverse = square.max(Vec3A::splat(SHORT_SQUARED)).sqrt().recip();
            let reach = half_yzx * s_zxy + half_zxy * s_yzx + (third * half[0] + second * half[1]);
            let gap = (t.cross(b).abs() - reach) * inverse;
            let error = rounding * inverse;
            // A product that is too short to tell may be anything.
            let is_short = square.cmple(Vec3A::splat(SHORT_SQUARED));
            let low = Vec3A::select(is_short, Vec3A::NEG_INFINITY, gap - error);
            let high = Vec3A::select(is_short, Vec3A::INFINITY, gap + error);
            (low, high)
        };
        let (low_x, high_x) = edges(r.x_axis, m.x_axis, m.z_axis, m.y_axis, [half_b.y, half_b.z]);
        let (low_y, high_y) = edges(r.y_axis, m.y_axis, m.x_axis, m.z_axis, [half_b.z, half_b.x]);
        let (low_z, high_z) = edges(r.z_axis, m.z_axis, m.y_axis, m.x_axis, [half_b.x, half_b.y]);
        let low = (faces_a.max(faces_b) - rounding).max(low_x.max(low_y).max(low_z));
        let least = Vec3A::splat(low.max_element());
        let bits = |high: Vec3A| high.cmpge(least).bitmask();
        bits(faces_a + rounding)
            | bits(faces_b + rounding) << 3
            | bits(high_x) << 6
            | bits(high_y) << 9
            | bits(high_z) << 12
    }

    /// A point of A and a point of B, each in the frame of its box, with x + gap n = t + R y.
    #[inline]
    fn witnesses(&self, axis: &BoxAxis) -> (DVec3, DVec3) {
        let BoxAxis { number, normal, gap } = *axis;
        let (r, t) = (&self.b_in_a.rotation, self.b_in_a.translation);
        let w = transposed(r, normal);
        // The vertices that are farthest along n and against it.
        let mut x = self.half_a.copysign(normal);
        let mut y = -self.half_b.copysign(w);
        if number < 3 {
            // A vertex of B behind the face of A.
            let k = number as usize;
            let on_face = x[k];
            x = *r * y + (t - gap * normal);
            x[k] = on_face;
        } else if number < 6 {
            let k = number as usize - 3;
            let on_face = y[k];
            y = transposed(r, x + (gap * normal - t));
            y[k] = on_face;
        } else {
            // The lines x + s e_i and q + u R_j, projected along n = e_i x R_j, cross at u |R_j|² = -m·R_j with m = q - x, where m and R_j
            // are taken across e_i. Along e_i, s = m_i + u R_ij. Nothing cancels, even if the edges are nearly parallel.
            let (i, j) = (number as usize % 3, (number as usize - 6) / 3);
            let b = r.col(j);
            (x[i], y[j]) = (0.0, 0.0);
            let m = *r * y + (t - x);
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            let u = -(m[k] * b[k] + m[l] * b[l]) / (b[k] * b[k] + b[l] * b[l]);
            x[i] = m[i] + u * b[i];
            y[j] = u;
        }
        let slack = DVec3::splat(WITNESS_SLACK * self.rounding);
        let fits = x.abs().cmple(self.half_a + slack).all() & y.abs().cmple(self.half_b + slack).all();
        if fits { (clamp(x, self.half_a), clamp(y, self.half_b)) } else { self.parallel_witnesses(axis, w) }
    }

    /// The witnesses where the features are parallel, or nearly so: any of many points, if they are within both.
    ///
    /// Coordinates are free to move as far as they lose no more height than rounding.
    #[cold]
    fn parallel_witnesses(&self, axis: &BoxAxis, w: DVec3) -> (DVec3, DVec3) {
        let BoxAxis { normal, gap, .. } = *axis;
        let (r, t) = (&self.b_in_a.rotation, self.b_in_a.translation);
        let slack = WITNESS_SLACK * self.rounding;
        // A division by zero is an infinite room to move.
        let free = |half: DVec3, n: DVec3| (slack / n.abs()).min(2.0 * half) * 0.5;
        let (free_a, free_b) = (free(self.half_a, normal), free(self.half_b, w));
        let center_a = (self.half_a - free_a).copysign(normal);
        let center_b = -(self.half_b - free_b).copysign(w);
        // The convex program for two smaller boxes, which have a point in common.
        let shift = *r * center_b + (t - center_a) - gap * normal;
        let mut y = clamp(transposed(r, -shift), free_b);
        let mut q = *r * y + shift;
        let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
        for _ in 0..WITNESS_ROUNDS {
            let x = clamp(q, free_a);
            let v = x - q;
            let square = v.length_squared();
            if square < best.0 {
                best = (square, x, y);
            }
            if square <= self.rounding * self.rounding {
                break;
            }
            let change = newton(r, &q, y, free_a, free_b, transposed(r, v));
            let part = step_length(*r * change, q, v, free_a);
            // And back and forth, which helps where the step is poor.
            y = clamp(y + change * part, free_b);
            y = clamp(transposed(r, clamp(*r * y + shift, free_a) - shift), free_b);
            q = *r * y + shift;
        }
        let (_, x, y) = best;
        // Clamped, because the centre and the rest of a coordinate may round to more than the half extent.
        (clamp(center_a + x, self.half_a), clamp(center_b + y, self.half_b))
    }
}

/// A bit for each axis. Layout: 3 + 3 face normals and 9 products of edges.
const ALL: u32 = (1 << 15) - 1;

/// Products of edges whose squared length is less are left out. Bound: a product of entries of a rotation that is not zero is above ε² or is
/// rounding; this only excludes zero.
const PARALLEL_SQUARED: f64 = 1e-200;

/// Products of edges whose squared length is less are not compared in single precision. Bound: the product is off by about 2^-22, which is 0.2
/// % of its length then.
const SHORT_SQUARED: f32 = 1e-8;
