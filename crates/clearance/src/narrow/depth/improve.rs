//! Methods that are tried when the expanding polytope has left a bracket open: the pair is symmetric, or nearly so.
//!
//! First the dimensions that an exact symmetry leaves (`symmetric.rs`), which is cheapest, then cells of directions (`cells`).
//! Every proof holds by itself, so what they say is put together.

use super::cells::Cells;
use super::settle;
use super::symmetric::{coaxial, common_axis, shaved};
use crate::math::Frame;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::outcome::{Cost, Exit, Outcome};
use crate::narrow::{Difference, goals};
use crate::shape::Convex;
use glam::DVec3;

/// A better answer about overlapping shapes than one whose bracket is open, if symmetry has one. Not for hot paths.
#[cold]
#[inline(never)]
pub(crate) fn improve(a: &dyn Convex, b: &dyn Convex, b_in_a: &Frame, open: Outcome) -> Outcome {
    let mut best = open;
    let radii = [a.radius(), b.radius()];
    // Of shapes whose heights are known: proofs about others are as good as their support points are.
    let is_known = a.form().is_some() && b.form().is_some();
    let tighter = |one: Outcome, other: Outcome| {
        debug_assert!(!is_known || agree(&one, &other), "two proofs contradict each other: {one:?} {other:?}");
        tighter(one, other)
    };
    if let Some(axis) = common_axis(a, b, b_in_a)
        && let Some(out) = coaxial(&Difference::new(a, b, b_in_a), &axis, radii)
    {
        best = tighter(best, provable(out, a, b, b_in_a));
    }
    // Before the cells where there is a polytope, which has more pieces than cells can tell apart.
    let has_polytope = a.vertex(0).is_some() || b.vertex(0).is_some();
    if !best.closed && has_polytope {
        best = tighter(best, provable(shaved(a, b, b_in_a), a, b, b_in_a));
    }
    if !best.closed
        && let Some(out) = by_cells(a, b, b_in_a, best.normal)
    {
        best = tighter(best, out);
    }
    if !best.closed && !has_polytope {
        best = tighter(best, provable(shaved(a, b, b_in_a), a, b, b_in_a));
    }
    best
}

/// An outcome with room for evidence: symmetry is none for a checker that knows the shapes as they are written, which are symmetric to
/// rounding only. Only cells remain, and those come no closer to the truth than this.
fn provable(out: Outcome, a: &dyn Convex, b: &dyn Convex, b_in_a: &Frame) -> Outcome {
    Outcome { upper: out.upper + 0.5 * goal(&Difference::new(a, b, b_in_a)), ..out }
}

/// The depth by cells of directions, if the cores have forms.
fn by_cells(a: &dyn Convex, b: &dyn Convex, b_in_a: &Frame, near: DVec3) -> Option<Outcome> {
    let difference = Difference::new(a, b, b_in_a);
    let goal = goal(&difference);
    let found = Cells::new(a, b, b_in_a, difference.scale)?.least(near, 0.5 * goal)?;
    let normal = found.direction;
    let outer = normal.dot(difference.support(-normal).w);
    let core_a = touching_point(&difference, normal, outer, goal);
    let cost = Cost { support_calls: 2 * found.work, ..Cost::default() };
    let radii = [a.radius(), b.radius()];
    // With as much room for evidence as the search has left.
    let inner = found.inner.min(outer) - 0.5 * goal;
    let out = settle(&difference, normal, core_a, [inner, outer], goal, radii, cost);
    Some(Outcome { exit: Exit::Enclosed, ..out })
}

/// The point of the core of A where the cores touch when B is moved out along the normal. A small gap is left between them, so that the
/// search for the distance gets two shapes that are apart.
fn touching_point(
    difference: &Difference<'_, dyn Convex + '_, dyn Convex + '_>,
    normal: DVec3,
    depth: f64,
    hair: f64,
) -> DVec3 {
    let (a, b, frame) = (difference.a, difference.b, difference.b_in_a);
    let apart = Frame { translation: frame.translation + normal * (depth + hair), ..*frame };
    let out = gjk::distance(a, b, &apart, &mut WarmSimplex::of_axis(-normal));
    out.point_a - a.radius() * out.normal
}

/// Do two brackets have a number in common, as they must if both hold the truth?
fn agree(one: &Outcome, other: &Outcome) -> bool {
    one.lower.max(other.lower) <= one.upper.min(other.upper)
}

/// Two proofs about one pair, combined. Both brackets hold the truth.
pub(super) fn tighter(one: Outcome, other: Outcome) -> Outcome {
    let mut cost = one.cost;
    cost += other.cost;
    let exit = one.exit;
    // An answer that is closed has better witnesses; else the direction that needs the shorter way out is the better one.
    let other_is_better = if one.closed == other.closed { other.lower > one.lower } else { other.closed };
    let (best, rest) = if other_is_better { (other, one) } else { (one, other) };
    // The lower bound of a closed answer is that of its own normal; the other's could be slightly better.
    let lower = if best.closed { best.lower } else { best.lower.max(rest.lower) };
    let upper = best.upper.min(rest.upper).max(lower);
    // The common bracket is within either.
    let distance = best.distance.clamp(lower, upper);
    Outcome { distance, lower, upper, closed: one.closed || other.closed, exit, cost, ..best }
}

/// How narrow a bracket is called closed.
pub(super) fn goal<A: Convex + ?Sized, B: Convex + ?Sized>(difference: &Difference<'_, A, B>) -> f64 {
    (goals::CURVED_DEPTH * difference.scale).max(2.0 * difference.rounding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::depth::unknown;

    #[test]
    fn brackets_that_do_not_meet_are_told_from_those_that_do() {
        let bracket =
            |lower: f64, upper: f64| Outcome { lower, upper, ..unknown(Exit::Enclosed, crate::pair::Cost::default()) };
        assert!(agree(&bracket(-2.0, -1.0), &bracket(-1.5, 0.0)));
        assert!(agree(&bracket(-2.0, -1.0), &bracket(-1.0, 0.0)));
        assert!(!agree(&bracket(-2.0, -1.0), &bracket(-0.9, 0.0)));
        assert!(!agree(&bracket(-0.9, 0.0), &bracket(-2.0, -1.0)));
        // For callers' own shapes the result is a bracket all the same.
        let both = tighter(bracket(-2.0, -1.0), bracket(-0.9, 0.0));
        assert!(both.lower <= both.distance && both.distance <= both.upper);
    }
}
