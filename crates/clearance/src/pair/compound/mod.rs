//! Compounds: branch and bound over the trees of their parts, with the pair pipeline at the leaves.
//!
//! The distance of two unions is the least of all pairs of parts. A pair of nodes is pruned when a lower bound for everything in their
//! boxes is no less than the best answer so far, along their axes or along its normal. Two leaves are first held against that normal
//! and the way between their middles, which takes a support point each, and only then asked about.
//!
//! **Ties.** Parts on a face of a regular compound are often equally close. So that they need not all be queried, a bound prunes every pair
//! within three times its rounding of the best distance: `lower` is then less than the distance by rounding, as it is anyhow.
//!
//! **Invariants**, (C2) asserted in debug builds: (C1) every pair of parts is queried, or pruned by a bound that counts in `lower`; (C2) `lower <= upper`,
//! and the best answer is between them.
//!
//! **Cost.** Far apart a handful of pairs; close, those along the surfaces that face each other.

mod overlap;
mod parts;
#[cfg(test)]
mod tests;

use super::entry::{self, PosedPair};
use super::{Clearance, Cost, Engine, PairCache, Status};
use crate::math::Pose;
use crate::trace::Trace;
use glam::DVec3;
use parts::{PairVisit, PartPairs, PartsOf, are_vague, between_middles, rounding, separation, single_leaf};
use std::ops::ControlFlow;

/// The search for the closest (or deepest) pair of parts.
struct Closest<'r, T> {
    /// Pairs of parts that are farther need not be visited.
    limit: f64,
    engine: Engine,
    /// How much less than the best distance a bound may be that prunes.
    tie: f64,
    /// No smaller bound prunes.
    floor: f64,
    best: Option<Clearance>,
    /// Cache of the best pair.
    cache: PairCache,
    /// The pair that was asked about before all others, and the normal of its answer.
    first: Option<([u32; 2], DVec3)>,
    lower: f64,
    upper: f64,
    cost: Cost,
    /// Pairs that come from the trees are traced.
    is_in_trees: bool,
    trace: &'r mut T,
}

impl<T: Trace> Closest<'_, T> {
    /// All pairs, the one that was closest last time first: it gives a bound that spares most of the others.
    fn run(&mut self, pairs: &PartPairs<'_>, remembered: &PairCache) {
        // Compounds that are beyond the limit as a whole need no query of any part.
        if !pairs.bound().is_some_and(|bound| bound > self.limit)
            && let Some(first) = parts_of(remembered).or_else(|| pairs.facing())
            && let Some(normal) = self.ask(pairs, first, remembered.clone())
        {
            self.first = Some((first, normal));
        }
        pairs.visit(self);
    }

    /// Is everything in the trees pruned at once, by the hulls of the two shapes along the normal of the best answer? Far apart that
    /// is the rule.
    fn is_settled_by_hulls(&mut self, pairs: &PartPairs<'_>) -> bool {
        let Some(normal) = self.normal() else { return false };
        pairs.separation(normal).is_some_and(|bound| self.settles(bound, || normal))
    }

    /// Asks about two parts; the normal of the answer, if they are there.
    fn ask(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2], mut cache: PairCache) -> Option<DVec3> {
        let [a, b] = pairs.get(parts)?;
        let enough = self.best.as_ref().map_or(self.limit, |best| best.distance.min(self.limit));
        let pair = PosedPair { a: a.shape, pose_a: &a.pose, b: b.shape, pose_b: &b.pose };
        let mut answer = entry::clearance(pair, enough, self.engine, &mut cache);
        self.cost += answer.cost;
        answer.parts = parts;
        let rounding = rounding(&a, &b);
        answer.lower -= rounding;
        answer.upper += rounding;
        if are_vague(&a, &b) && answer.lower > f64::NEG_INFINITY {
            (answer.lower, answer.status) = (f64::NEG_INFINITY, Status::Stalled);
        }
        self.lower = self.lower.min(answer.lower);
        // A pair whose search ended because it is too far says nothing but its lower bound.
        if answer.lower > enough {
            return Some(answer.normal);
        }
        self.upper = self.upper.min(answer.upper);
        // Of equally close pairs the first counts, whichever was visited first.
        let is_better = self.best.as_ref().is_none_or(|best| {
            answer.distance < best.distance || answer.distance == best.distance && answer.parts < best.parts
        });
        if is_better {
            (self.best, self.cache) = (Some(answer), cache);
        }
        Some(answer.normal)
    }

    /// The answer about the closest pair.
    fn answer(&self) -> Clearance {
        let Self { best, lower, upper, cost, .. } = *self;
        match best {
            Some(best) => {
                debug_assert!(lower <= best.distance && lower <= upper, "C2: {lower} {upper} {best:?}");
                Clearance { lower, upper: upper.max(best.distance), cost, ..best }
            }
            // Everything is beyond the limit, which is all that is proved and of use.
            None => {
                let far = Clearance::unknown(&Pose::IDENTITY, cost);
                Clearance { distance: lower, lower, status: Status::Stalled, ..far }
            }
        }
    }
}

impl<T: Trace> PairVisit for Closest<'_, T> {
    fn settles(&mut self, bound: f64, prove: impl Fn() -> DVec3) -> bool {
        let is_far = |best: &Clearance| bound >= (best.distance - self.tie).max(self.floor);
        if !(bound > self.limit || self.best.as_ref().is_some_and(is_far)) {
            return false;
        }
        self.lower = self.lower.min(bound);
        if self.is_in_trees && self.trace.is_on() {
            self.trace.prune(prove());
        }
        true
    }

    fn normal(&self) -> Option<DVec3> {
        self.best.as_ref().map(|best| best.normal)
    }

    fn parts(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2]) -> ControlFlow<()> {
        let normal = match (self.first, self.normal()) {
            (Some((first, normal)), _) if first == parts => Some(normal),
            (_, Some(normal)) if self.is_settled_along(pairs, parts, normal) => return ControlFlow::Continue(()),
            _ => self.ask(pairs, parts, PairCache::default()),
        };
        if self.is_in_trees {
            self.trace.ask(parts, normal.unwrap_or_default());
        }
        ControlFlow::Continue(())
    }

    fn enter_trees(&mut self, pairs: &PartPairs<'_>) -> ControlFlow<()> {
        self.is_in_trees = true;
        if self.is_settled_by_hulls(pairs) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn split(&mut self, side: usize, at: u32, is_right_first: bool) {
        self.trace.split(side, at, is_right_first);
    }
}

impl<T: Trace> Closest<'_, T> {
    /// Does the normal of the best answer prune two parts, or the direction between their middles, which is nearly that between their
    /// closest points where they are small?
    fn is_settled_along(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2], normal: DVec3) -> bool {
        let Some([a, b]) = pairs.get(parts) else { return false };
        let mut settles =
            |normal: DVec3| separation(&a, &b, normal).is_some_and(|bound| self.settles(bound, || normal));
        settles(normal) || between_middles(&a, &b).is_some_and(settles)
    }
}

/// The parts that were closest when the cache was filled.
fn parts_of(cache: &PairCache) -> Option<[u32; 2]> {
    let [a, b] = cache.parts;
    Some([a.checked_sub(1)?, b.checked_sub(1)?])
}

/// Takes two shapes apart, in the world moved so that A's origin is zero.
fn with_pairs<T>(placed: PosedPair<'_>, ask: impl FnOnce(&PartPairs<'_>) -> T) -> T {
    let origin = placed.pose_a.translation();
    let leaves = [placed.a, placed.b].map(single_leaf);
    let a = PartsOf::new(placed.a, &leaves[0], placed.pose_a, origin);
    let b = PartsOf::new(placed.b, &leaves[1], placed.pose_b, origin);
    ask(&PartPairs::new(a, b))
}

/// How much is to be found out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until {
    /// Farther pairs are not visited.
    pub limit: f64,
    /// A bound that prunes a pair while parts are apart shall be no less than this: for evidence of a lower bound that is known.
    pub floor: f64,
}

/// The cache of a pair whose closest parts are known.
#[cfg(feature = "proof")]
pub(crate) fn remembering(parts: [u32; 2]) -> PairCache {
    PairCache { parts: parts.map(|part| part.saturating_add(1)), ..PairCache::default() }
}

/// The clearance of two shapes of which one is a compound, traced.
///
/// Apart, it is that of the closest pair of parts. If they overlap the answer is about the deepest pair, and the bracket about the
/// shortest translation that separates all of them, see [`overlap`].
pub(crate) fn clearance<T: Trace>(
    placed: PosedPair<'_>,
    until: Until,
    engine: Engine,
    cache: &mut PairCache,
    trace: &mut T,
) -> Clearance {
    let origin = placed.pose_a.translation();
    let found = with_pairs(placed, |pairs| {
        trace.restart(DVec3::ZERO);
        // How deep parts overlap says little about how deep the unions do: a negative limit is for the whole.
        let parts = Until { limit: until.limit.max(0.0), ..until };
        let found = search(pairs, parts, engine, cache, trace);
        if found.is_apart() { found } else { overlap::bounded(pairs, found, engine, trace) }
    });
    let point_a = found.point_a + origin;
    let moved = if found.distance.is_finite() { found.distance * found.normal } else { DVec3::ZERO };
    Clearance { point_a, point_b: point_a + moved, ..found }
}

/// The clearance of the closest (or deepest) pair of parts, in the world moved so that A's origin is zero.
fn search<T: Trace>(
    pairs: &PartPairs<'_>,
    until: Until,
    engine: Engine,
    cache: &mut PairCache,
    trace: &mut T,
) -> Clearance {
    let Until { limit, floor } = until;
    let mut search = Closest {
        limit,
        floor,
        engine,
        tie: 3.0 * pairs.gap.slack,
        best: None,
        cache: PairCache::default(),
        first: None,
        lower: f64::INFINITY,
        upper: f64::INFINITY,
        cost: Cost::default(),
        is_in_trees: false,
        trace,
    };
    search.run(pairs, cache);
    if let Some(best) = &search.best {
        *cache = PairCache { parts: best.parts.map(|part| part + 1), ..std::mem::take(&mut search.cache) };
    }
    search.answer()
}

/// The search for two parts that share a point.
struct Meeting {
    engine: Engine,
    first: Option<[u32; 2]>,
    found: Option<([u32; 2], PairCache)>,
}

impl Meeting {
    fn meet(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2], mut cache: PairCache) -> bool {
        let Some([a, b]) = pairs.get(parts) else { return false };
        let pair = PosedPair { a: a.shape, pose_a: &a.pose, b: b.shape, pose_b: &b.pose };
        // "No" needs a gap beyond the rounding of the poses; where there is one, few ask twice.
        let rounding = rounding(&a, &b);
        let meet = are_vague(&a, &b)
            || entry::intersects(pair, self.engine, &mut cache)
            || entry::clearance(pair, rounding, self.engine, &mut cache).lower <= rounding;
        if meet {
            self.found = Some((parts, cache));
        }
        meet
    }
}

impl PairVisit for Meeting {
    fn settles(&mut self, bound: f64, _: impl Fn() -> DVec3) -> bool {
        bound > 0.0
    }

    fn parts(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2]) -> ControlFlow<()> {
        match self.first != Some(parts) && self.meet(pairs, parts, PairCache::default()) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Two parts that share a point, if there are any.
#[cfg(feature = "proof")]
pub(crate) fn meeting_parts(placed: PosedPair<'_>) -> Option<[u32; 2]> {
    let mut cache = PairCache::default();
    if intersects(placed, Engine::Auto, &mut cache) { parts_of(&cache) } else { None }
}

/// Does any part of one share a point with any part of the other?
pub(super) fn intersects(placed: PosedPair<'_>, engine: Engine, cache: &mut PairCache) -> bool {
    with_pairs(placed, |pairs| {
        // Parts that met last time probably still do.
        let is_far = pairs.bound().is_some_and(|bound| bound > 0.0);
        let first = parts_of(cache).filter(|_| !is_far);
        let mut search = Meeting { engine, first, found: None };
        if !first.is_some_and(|first| search.meet(pairs, first, cache.clone())) {
            pairs.visit(&mut search);
        }
        let Some((parts, found)) = search.found else { return false };
        *cache = PairCache { parts: parts.map(|part| part + 1), ..found };
        true
    })
}
