//! The two loops of GJK, and what a search leaves behind.

use super::WarmSimplex;
use crate::narrow::Difference;
use crate::narrow::outcome::{Apart, Cost, Exit, Outcome};
use crate::narrow::simplex::{Nearest, Reducer, Simplex, Subalgorithm};
use crate::shape::Convex;
use crate::tuning::convex::RELATIVE;
use glam::DVec3;

/// Rounds of a search, at most. Limit: polytopes need fewer than twenty, quadrics about fifty.
pub const MAX_ITERATIONS: u32 = 128;

/// How a search ended; lengths are those of the cores. The simplex stays with the caller: it is too large to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    pub exit: Exit,
    /// The best point of A - B, a combination of the simplex.
    pub v: DVec3,
    /// The best height of a support plane, without allowance for rounding; negative infinity if there was none.
    pub lower: f64,
    /// The height of the support plane across `v` itself, which makes v the normal of an answer; negative infinity if it was not computed.
    pub height: f64,
    pub cost: Cost,
}

/// Algorithm 1 of the paper. Ends early once the cores are proved to be farther apart than `limit`.
#[inline]
pub(super) fn distance<S, A, B>(
    difference: &Difference<'_, A, B>,
    limit: f64,
    cache: &WarmSimplex,
    reducer: &mut Reducer<S>,
) -> Search
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut cost = Cost::default();
    let mut progress = Progress::new(difference, limit);
    let mut is_inside = false;
    let mut v = match recall(difference, reducer, cache) {
        Nearest::Outside { v, .. } => v,
        Nearest::Inside => {
            is_inside = true;
            DVec3::ZERO
        }
        Nearest::Nothing => {
            reducer.simplex.clear();
            let axis = first_axis(difference, cache);
            let vertex = difference.support(axis);
            progress.raise(axis.dot(vertex.w), axis.dot(axis));
            cost.iterations = 1;
            reducer.insert(vertex);
            vertex.w
        }
    };
    let mut length_squared = v.dot(v);
    let mut scaled = f64::NEG_INFINITY;

    let exit = loop {
        if is_inside {
            break Exit::Enclosed;
        }
        if length_squared <= progress.floor_squared {
            break Exit::NearZero;
        }
        // The very first support point was no number.
        if length_squared.is_nan() {
            break Exit::BadSupport;
        }
        if cost.iterations == MAX_ITERATIONS {
            break Exit::IterationLimit;
        }
        cost.iterations += 1;
        let vertex = difference.support(v);
        scaled = v.dot(vertex.w);
        if let Some(exit) = progress.stop(scaled, length_squared) {
            break exit;
        }
        match reducer.extend(vertex, length_squared) {
            Nearest::Outside { v: nearest, length_squared: shortened } if shortened < length_squared => {
                v = nearest;
                length_squared = shortened;
                scaled = f64::NEG_INFINITY;
            }
            Nearest::Inside => {
                v = DVec3::ZERO;
                break Exit::Enclosed;
            }
            _ if !vertex.w.is_finite() => break Exit::BadSupport,
            Nearest::Nothing => break Exit::NoSubset,
            // I3: rounding is all that is left to gain.
            Nearest::Outside { .. } if reducer.simplex.contains(vertex.w) => break Exit::RepeatedSupport,
            Nearest::Outside { .. } => break Exit::NoProgress,
        }
    };
    cost.support_calls = 2 * cost.iterations;
    Search { exit, v, lower: progress.lower(), height: scaled / length_squared.sqrt(), cost }
}

/// The bracket of a search in progress, and the stops that depend on it. Squares save the root in every round.
pub(super) struct Progress {
    /// μ², or zero if no height was positive.
    lower_squared: f64,
    /// The paper's ω: |v|² below this is zero.
    pub floor_squared: f64,
    /// The heights of one round differ by less than their worst-case error: what a round can still resolve.
    resolution_squared: f64,
    limit_squared: f64,
}

impl Progress {
    /// A bracket that knows nothing; heights above `limit` end the search.
    #[inline]
    pub(super) fn new<A, B>(difference: &Difference<'_, A, B>, limit: f64) -> Self
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        let floor_squared = difference.rounding * difference.rounding;
        // A negative limit is exceeded by every positive height.
        let limit = (limit + difference.rounding).max(0.0);
        Self {
            lower_squared: 0.0,
            floor_squared,
            resolution_squared: floor_squared / 64.0,
            limit_squared: limit * limit,
        }
    }

    /// Takes note of the height δ = v·w / |v|; only positive ones are of use.
    #[inline]
    pub(super) fn raise(&mut self, scaled: f64, length_squared: f64) {
        let squared = scaled * scaled / length_squared;
        if scaled > 0.0 && squared > self.lower_squared {
            self.lower_squared = squared;
        }
    }

    /// Takes note of the height v·w / |v| and says whether the search may end.
    #[inline]
    pub(super) fn stop(&mut self, scaled: f64, length_squared: f64) -> Option<Exit> {
        self.raise(scaled, length_squared);
        if scaled > 0.0 && scaled * scaled > self.limit_squared * length_squared {
            return Some(Exit::Beyond);
        }
        // |v| - δ <= ε |v|, or within what the heights can resolve.
        let gap = length_squared - scaled;
        let is_small = gap <= RELATIVE * length_squared || gap * gap <= self.resolution_squared * length_squared;
        is_small.then_some(Exit::Converged)
    }

    /// μ.
    pub(super) fn lower(&self) -> f64 {
        self.lower_squared.sqrt()
    }

    /// Takes over what an earlier search proved.
    pub(super) fn resume(&mut self, lower: f64) {
        self.lower_squared = lower * lower;
    }
}

/// Algorithm 2 of the paper with the axis of the last call (ISA-GJK): nothing if rounding kept it from an answer.
#[inline]
pub(super) fn separating_axis<S, A, B>(difference: &Difference<'_, A, B>, cache: &mut WarmSimplex) -> Option<bool>
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let floor_squared = difference.rounding * difference.rounding;
    // v·w > 0 by more than rounding: v is a separating axis.
    let separates = |v: DVec3, w: DVec3| {
        let height = v.dot(w);
        height > 0.0 && height * height > floor_squared * v.dot(v)
    };
    let mut v = first_axis(difference, cache);
    let first = difference.support(v);
    if separates(v, first.w) {
        cache.axis = v;
        return Some(false);
    }
    let mut reducer = Reducer::<S>::default();
    reducer.insert(first);
    v = first.w;
    let mut length_squared = v.dot(v);
    for _ in 1..MAX_ITERATIONS {
        if length_squared <= floor_squared {
            return touches(&reducer.simplex, floor_squared);
        }
        let vertex = difference.support(v);
        if separates(v, vertex.w) {
            cache.axis = v;
            return Some(false);
        }
        match reducer.extend(vertex, length_squared) {
            Nearest::Outside { v: nearest, length_squared: shortened } if shortened < length_squared => {
                v = nearest;
                length_squared = shortened;
            }
            Nearest::Inside => return touches(&reducer.simplex, floor_squared),
            _ => return None,
        }
    }
    None
}

/// A sliver could claim to come near the origin or to hold it; the combination of its vertices cannot lie.
fn touches(simplex: &Simplex, floor_squared: f64) -> Option<bool> {
    let residue = simplex.combination().1;
    (residue.dot(residue) <= floor_squared).then_some(true)
}

/// The nearest point of the simplex of the last call, if there was one.
#[inline]
fn recall<S, A, B>(difference: &Difference<'_, A, B>, reducer: &mut Reducer<S>, cache: &WarmSimplex) -> Nearest
where
    S: Subalgorithm,
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    for ids in cache.ids.iter().take(usize::from(cache.count)) {
        if let Some(vertex) = difference.vertex(*ids)
            && !reducer.simplex.contains(vertex.w)
        {
            reducer.insert(vertex);
        }
    }
    reducer.nearest()
}

/// The axis of the last call, else the line of centres, else any direction.
#[inline]
pub(super) fn first_axis<A, B>(difference: &Difference<'_, A, B>, cache: &WarmSimplex) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    // Written so that a NaN is no axis.
    let is_axis = |v: DVec3| v.dot(v) > 0.0;
    if is_axis(cache.axis) {
        return cache.axis;
    }
    let center = difference.center();
    if is_axis(center) { center } else { DVec3::X }
}

impl Search {
    /// Did the search stop before its bracket closed? `combination` is that of the simplex, which cannot lie, while `v` of a
    /// sliver can. For witnesses and a normal it must be the same point, and the plane across it must close the bracket.
    #[inline]
    pub(super) fn is_open<const WITNESSES: bool>(&self, combination: DVec3, rounding: f64) -> bool {
        let upper = combination.length();
        match self.exit {
            Exit::Beyond | Exit::BadSupport => false,
            Exit::Enclosed | Exit::NearZero => upper > rounding,
            // Written so that a NaN is open.
            _ if WITNESSES => !(upper - self.height <= rounding && (combination - self.v).length() <= rounding),
            _ => upper - self.lower > rounding,
        }
    }

    /// Keeps the simplex and the axis for the next call.
    #[inline]
    pub(super) fn remember(&self, simplex: &Simplex, cache: &mut WarmSimplex) {
        (cache.ids, cache.count) = simplex.ids();
        cache.axis = self.v;
    }

    /// The answer for shapes whose cores are apart: the cores' answer and the two radii. `combination` is that of the simplex.
    #[inline]
    pub(super) fn outcome<A, B>(
        &self,
        difference: &Difference<'_, A, B>,
        simplex: &Simplex,
        combination: (DVec3, DVec3),
        radii: [f64; 2],
    ) -> Outcome
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        debug_assert!(simplex.count() > 0, "I1: v is a combination of the simplex");
        let (core_a, v) = combination;
        let length = self.v.length();
        let apart = Apart { core_a, normal: -self.v / length, length, bounds: [self.lower, v.length()] };
        let (ids, count) = simplex.ids();
        let found = apart.outcome(radii, difference.rounding, self.exit, self.cost);
        // A bracket that an earlier axis has closed is as good, but then the normal is not what proves it.
        let is_own = self.lower - self.height <= difference.rounding;
        Outcome { ids, count, closed: found.closed && is_own, ..found }
    }
}
