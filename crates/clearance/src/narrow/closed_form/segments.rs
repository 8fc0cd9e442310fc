//! The distance between two segments.
//!
//! With middles r apart and half vectors u and v, minimise |g|, g = r + t v - s u, over s and t in [-1, 1]. Where neither
//! is at its bound,
//!
//! ```text
//! s u·u - t u·v = u·r,   t v·v - s u·v = -v·r
//! ```
//!
//! else one is, and the other is the foot on the other segment \[Ericson, *Real-Time Collision Detection*, 2005, section
//! 5.1.9; middles instead of ends, because capsules have theirs at the origin\]. No separating plane across a unit vector n
//! is better than n·r - |n·u| - |n·v|; the answer is given when the length of g meets that.

use super::{SMALLEST_SQUARE, across, within_ends};
use crate::tuning::convex::CROSSING_SINE_SQUARED;
use glam::DVec3;

/// Two nearest points of two segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentPoints {
    /// Their distance.
    pub core: f64,
    /// Unit vector from the first to the second; where they cross, across both.
    pub normal: DVec3,
    /// Where they are, from -1 at the first end to 1 at the second.
    pub parts: [f64; 2],
}

/// Two segments given by their half vectors, the squares of those and one over them (zero both for no length), and the
/// vector from middle to middle; nothing if that cannot be said within `rounding`.
#[inline(always)]
pub fn between([u, v]: [DVec3; 2], squares: [[f64; 2]; 2], r: DVec3, rounding: f64) -> Option<SegmentPoints> {
    let ([uu, inverse_u], [vv, inverse_v]) = (squares[0], squares[1]);
    let uv = u.dot(v);
    let (ur, vr) = (u.dot(r), v.dot(r));
    let determinant = uu * vv - uv * uv;
    let s = if determinant > CROSSING_SINE_SQUARED * (uu * vv) {
        within_ends((ur * vv - uv * vr) / determinant)
    } else {
        0.0
    };
    let t = within_ends((uv * s - vr) * inverse_v);
    let s = within_ends((ur + uv * t) * inverse_u);
    let gap = (r - u * s) + v * t;
    let square = gap.length_squared();
    let core = square.sqrt();
    let (along_u, along_v) = (gap.dot(u), gap.dot(v));
    let height = gap.dot(r) - (along_u.abs() + along_v.abs());
    if square > SMALLEST_SQUARE && square - height <= rounding * core {
        return Some(SegmentPoints { core, normal: gap * (1.0 / core), parts: [s, t] });
    }
    // The gap has the rounding error of r, which turns it when it is short. The same equations once more, for what it has
    // left along the segments, leave it the error of its own length.
    let (free_u, free_v) = (s.abs() < 1.0, t.abs() < 1.0);
    let (more_s, more_t) = if !(free_u && free_v) {
        (if free_u { along_u * inverse_u } else { 0.0 }, if free_v { -along_v * inverse_v } else { 0.0 })
    } else if determinant > CROSSING_SINE_SQUARED * (uu * vv) {
        ((along_u * vv - uv * along_v) / determinant, (uv * along_u - uu * along_v) / determinant)
    } else {
        (0.0, 0.0)
    };
    let gap = (gap - u * more_s) + v * more_t;
    let square = gap.length_squared();
    let core = square.sqrt();
    let height = gap.dot(r) - (gap.dot(u).abs() + gap.dot(v).abs());
    let parts = [within_ends(s + more_s), within_ends(t + more_t)];
    // Moving a parameter back to an end changes the gap.
    let is_real = ((r - u * parts[0]) + v * parts[1] - gap).length() <= 4.0 * rounding;
    if is_real && square > SMALLEST_SQUARE && square - height <= rounding * core {
        return Some(SegmentPoints { core, normal: gap * (1.0 / core), parts });
    }
    careful([u, v], [inverse_u, inverse_v], r, rounding)
}

/// The nearest points by trying ends and crossing, with directions that are made perpendicular to the segments.
#[cold]
pub(super) fn careful([u, v]: [DVec3; 2], inverse: [f64; 2], r: DVec3, rounding: f64) -> Option<SegmentPoints> {
    let on_u = |t: f64| within_ends(u.dot(r + v * t) * inverse[0]);
    let on_v = |s: f64| within_ends(v.dot(u * s - r) * inverse[1]);
    // The crossing, by what the shorter has across the longer: that keeps its digits at any angle.
    let is_u_longer = u.length_squared() >= v.length_squared();
    let (long, aside) = if is_u_longer { (u, across(v, u, inverse[0])) } else { (v, across(u, v, inverse[1])) };
    let square = aside.length_squared();
    let shorter = u.length_squared().min(v.length_squared());
    // The part of v across u is off by less than 8 ε of v: shorter is only rounding.
    let is_parallel = square <= (8.0 * f64::EPSILON).powi(2) * shorter || square <= SMALLEST_SQUARE;
    let part = if is_parallel { 0.0 } else { within_ends(aside.dot(r) / square) };
    let crossing = if is_u_longer {
        let s = on_u(-part);
        [[s, -part], [s, on_v(s)]]
    } else {
        let t = on_v(part);
        [[part, t], [on_u(t), t]]
    };
    let ends = [[-1.0, on_v(-1.0)], [1.0, on_v(1.0)], [on_u(-1.0), -1.0], [on_u(1.0), 1.0]];
    let candidates = || ends.into_iter().chain(crossing);
    let gap = |[s, t]: [f64; 2]| r - u * s + v * t;
    let nearest = candidates().fold(ends[0], |x, y| if gap(y).length() < gap(x).length() { y } else { x });
    let core = gap(nearest).length();
    // As it is, across either, and across both: next to an end, rounding decides which of them is the right one.
    let (across_u, across_v) = (across(gap(nearest), u, inverse[0]), across(gap(nearest), v, inverse[1]));
    let directions = [
        gap(nearest),
        across_u,
        across_v,
        across(across_u, v, inverse[1]),
        across(across_v, u, inverse[0]),
        if is_parallel { DVec3::ZERO } else { long.cross(aside) },
        long.try_normalize().map_or(DVec3::X, DVec3::any_orthonormal_vector),
    ];
    let mut height = f64::NEG_INFINITY;
    let mut normal = DVec3::X;
    for n in directions {
        let n = n.normalize_or_zero();
        let n = if n.dot(r) < 0.0 { -n } else { n };
        let found = n.dot(r) - (n.dot(u).abs() + n.dot(v).abs());
        if n != DVec3::ZERO && found > height {
            (height, normal) = (found, n);
        }
    }
    if !(core - height <= rounding) {
        return None;
    }
    // Segments that are almost parallel have several points that are nearest to rounding: of these, two along the normal.
    let is_along = |&parts: &[f64; 2]| (gap(parts) - core * normal).length() <= 4.0 * rounding;
    let parts = std::iter::once(nearest).chain(candidates()).find(is_along)?;
    Some(SegmentPoints { core, normal, parts })
}
