//! The facets of Minkowski sums of pieces.
//!
//! With P a piece of A and Q one of B, P moved by x overlaps Q in more than their boundaries for the x in the interior of `M = Q - P`. A facet of M has the normal
//! of a face of Q, or against that of a face of P, or across an edge of each, where both have their highest points along an edge. So the
//! planes with all these normals that support M are all its facets, and some more that are no harm: what is below all of them is inside.
//!
//! **Rounding.** Let a normal n, a unit, be known as n' with |n - n'| <= ε, the vertices of both pieces to e together, and let the height of M along n'
//! be h' from those, with |v| <= R for the vertices of M. Then `n'·x < h' - δ` and |x| <= r have `n·x < h' - δ + ε r <= h + e + ε (R + r) - δ`: with
//! δ no less than `e + ε (R + r)` and what the height itself is rounded by, x is below the true plane.

use super::piece::Piece;
use super::weights::{Half, Vector3, inner};
use crate::number::{Dyadic, Interval, Number, Vector, cross, dot, meter};
use crate::shape::Trouble;
use std::cmp::Ordering;

/// The relative error of a normal above which it is computed exactly. Limit: this error is below the width of the narrowest brackets, 4e-12 of
/// the size.
const ROUGH: f64 = 1e-13;

/// A unit vector, and how far it is from the true one.
struct Unit {
    normal: Vector3,
    error: f64,
}

/// A direction as a unit vector; by the exact one where intervals are too wide. `None` if it is zero.
fn unit(rough: &Vector<Interval>, exact: impl FnOnce() -> Vector<Dyadic>) -> Result<Option<Unit>, Trouble> {
    let middle = rough.each_ref().map(|x| 0.5 * (x.low + x.high));
    let width: Vector3 = std::array::from_fn(|i| (rough[i].high - middle[i]).max(middle[i] - rough[i].low));
    let (length, off) = (inner(middle, middle).sqrt(), inner(width, width).sqrt());
    // |v / |v| - m / |m|| <= 2 |v - m| / |m|.
    if off < ROUGH * length && length > 1e-100 && length < 1e100 {
        // The quotient and the root round by 2 ε, which is less than 1e-15.
        return Ok(Some(Unit { normal: middle.map(|x| x / length), error: 2.0 * off / length + 1e-15 }));
    }
    let exact = exact();
    if meter::is_exhausted() {
        return Err(Trouble::Unclear);
    }
    let Some(power) = exact.iter().filter(|x| x.sign() != Ok(Ordering::Equal)).map(Dyadic::height).max() else {
        return Ok(None);
    };
    let middle = exact.each_ref().map(|x| x.rounded(-power));
    let length = inner(middle, middle).sqrt();
    // The rounded integers, the root and the quotient add less than 8 ε, which is less than 2e-15.
    Ok(Some(Unit { normal: middle.map(|x| x / length), error: 2e-15 }))
}

/// Planes such that whatever is strictly below all of them, and no farther than `reach`, is in the interior of the sum of two pieces. A plane is
/// given as the half-space beyond it.
pub(super) fn facets(p: &Piece, q: &Piece, reach: f64) -> Result<Vec<Half>, Trouble> {
    let farthest = |piece: &Piece| piece.points.iter().map(|v| inner(*v, *v).sqrt()).fold(0.0, f64::max);
    let radius = farthest(p) + farthest(q) + p.error + q.error;
    let mut found: Vec<Half> = Vec::new();
    let mut add = |unit: Unit| {
        meter::charge((p.points.len() + q.points.len()) as u64 / 4);
        let heights = |piece: &Piece, normal: Vector3| {
            piece.points.iter().map(|v| inner(normal, *v)).fold(f64::NEG_INFINITY, f64::max)
        };
        let height = heights(q, unit.normal) + heights(p, unit.normal.map(|x| -x));
        // A height has three products and two sums, 3 ε of |normal| times |point|; heights of both pieces and their sum take less than 4e-15.
        let moved = p.error + q.error + (unit.error + 4e-15) * (radius + reach);
        // The product and the sums round by less than 1e-12 of `moved`.
        found.push(Half { normal: unit.normal, offset: height - moved * (1.0 + 1e-12) });
    };
    // No face is without a plane: the middle of its piece is off it.
    for (face, normal) in &q.faces {
        add(unit(normal, || q.exact_normal(*face))?.ok_or(Trouble::Unclear)?);
    }
    for (face, normal) in &p.faces {
        let Unit { normal, error } = unit(normal, || p.exact_normal(*face))?.ok_or(Trouble::Unclear)?;
        add(Unit { normal: normal.map(|x| -x), error });
    }
    for edge in &q.edges {
        for other in &p.edges {
            if !meter::charge(4) {
                return Err(Trouble::Unclear);
            }
            let normal = cross(&edge.direction, &other.direction);
            // Along the normal, Q falls from its edge and P rises, or the other way round.
            let (mut is_up, mut is_down) = (true, true);
            for (into, is_of_q) in [(&edge.into, true), (&other.into, false)] {
                for way in into {
                    match dot(&normal, way).sign() {
                        Ok(Ordering::Greater) if is_of_q => is_up = false,
                        Ok(Ordering::Less) if is_of_q => is_down = false,
                        Ok(Ordering::Greater) => is_down = false,
                        Ok(Ordering::Less) => is_up = false,
                        _ => {}
                    }
                }
                if !(is_up || is_down) {
                    break;
                }
            }
            if !(is_up || is_down) {
                continue;
            }
            let exact = || cross(&q.exact_direction(edge), &p.exact_direction(other));
            // Edges that are parallel have no plane of their own.
            let Some(Unit { normal, error }) = unit(&normal, exact)? else { continue };
            if is_up {
                add(Unit { normal, error });
            }
            if is_down {
                add(Unit { normal: normal.map(|x| -x), error });
            }
        }
    }
    Ok(found)
}
