//! The ways into the pair pipeline: with a cache or without, all of it or only what the remembered vector leaves open.
//!
//! **Invariants** of every answer, asserted in debug builds:
//!
//! - (E1) `lower <= distance <= upper`, and none of them is NaN, unless `lower` exceeds the limit;
//! - (E2) the normal is a unit vector.

use super::cache::Cold;
use super::distance::DistanceQuery;
use super::overlap::OverlapQuery;
use super::separation::{IsBeyond, Separation};
pub(super) use super::visit::PosedPair;
use super::visit::visit;
use super::{Clearance, Engine, PairCache, mesh};
use glam::DVec3;

/// The clearance. If its `lower` exceeds `limit`, only that bound is meaningful.
#[inline]
pub(crate) fn clearance(pair: PosedPair<'_>, limit: f64, engine: Engine, cache: &mut PairCache) -> Clearance {
    checked(visit(pair.a, pair.b, &mut DistanceQuery { pair: &pair, limit, engine, cache, trace: () }), limit)
}

/// The answer, after the invariants have been asserted.
#[inline(always)]
fn checked(answer: Clearance, limit: f64) -> Clearance {
    let Clearance { lower, distance, upper, normal, .. } = answer;
    debug_assert!(lower > limit || lower <= distance && distance <= upper, "E1: {answer:?}");
    debug_assert!(lower > limit || normal.is_normalized(), "E2: {answer:?}");
    answer
}

/// The clearance, without a cache.
#[inline(always)]
pub(super) fn clearance_once(pair: PosedPair<'_>) -> Clearance {
    let mut query = DistanceQuery { pair: &pair, limit: f64::INFINITY, engine: Engine::Auto, cache: Cold, trace: () };
    checked(visit(pair.a, pair.b, &mut query), f64::INFINITY)
}

/// Do the shapes share a point?
#[inline]
pub(super) fn intersects(pair: PosedPair<'_>, engine: Engine, cache: &mut PairCache) -> bool {
    !pair.are_far() && visit(pair.a, pair.b, &mut OverlapQuery { pair: &pair, engine, cache })
}

/// Do the shapes share a point? Without a cache.
#[inline]
pub(super) fn intersects_once(pair: PosedPair<'_>) -> bool {
    // A mesh and a simple shape skip the indirect jump: bounding volumes separate most of them at once.
    if mesh::is_simple(pair.a, pair.b) {
        return mesh::intersects(&pair, Engine::Auto, &mut Cold);
    }
    !pair.are_far() && visit(pair.a, pair.b, &mut OverlapQuery { pair: &pair, engine: Engine::Auto, cache: Cold })
}

/// The clearance by that engine if it is at most `margin`, without a cache.
pub(crate) fn within_once(pair: PosedPair<'_>, margin: f64, engine: Engine) -> Option<Clearance> {
    let (separation, cache) = (&mut Separation::default(), &mut PairCache::default());
    Remembered { separation, cache }.within(pair, margin, engine)
}

/// The caches of a pair: the separating vector, which is tried first, and the warm starts of the engines.
pub(crate) struct Remembered<'a> {
    pub separation: &'a mut Separation,
    pub cache: &'a mut PairCache,
}

impl Remembered<'_> {
    /// Do the shapes share a point, when what is known of the heights along the remembered vector does not tell?
    #[inline(never)]
    pub(crate) fn intersects(self, pair: PosedPair<'_>, engine: Engine) -> bool {
        let Self { separation, cache } = self;
        let far = pair.far();
        if pair.is_farther_than(far) {
            separation.remember_far(far);
            return false;
        }
        if is_still_beyond(&pair, 0.0, separation, cache) {
            return false;
        }
        let answer = visit(pair.a, pair.b, &mut OverlapQuery { pair: &pair, engine, cache: &mut *cache });
        // The next query computes the vector from the axis; a pair that is queried once never needs it.
        let has_axis = cache.gjk.axis() != DVec3::ZERO;
        cache.has_separating_axis = !answer && has_axis && matches!(engine, Engine::Auto | Engine::SeparatingVector);
        answer
    }

    /// The clearance if it is at most `margin`, for a pair whose remembered vector does not show at once that it is more.
    #[inline(never)]
    pub(crate) fn within(self, pair: PosedPair<'_>, margin: f64, engine: Engine) -> Option<Clearance> {
        let Self { separation, cache } = self;
        if is_still_beyond(&pair, margin, separation, cache) {
            return None;
        }
        if engine == Engine::SeparatingVector
            && let Some(axis) = visit(pair.a, pair.b, &mut IsBeyond { pair: &pair, margin, axis: cache.gjk.axis() })
        {
            *separation = Separation::along(-pair.pose_a.transform_vector(axis));
            return None;
        }
        let clearance = clearance(pair, margin, engine, cache);
        if clearance.lower <= margin {
            return Some(clearance);
        }
        if matches!(engine, Engine::Auto | Engine::SeparatingVector) {
            *separation = Separation::along(clearance.normal);
        }
        None
    }
}

/// Does the vector that is remembered show that the shapes are farther apart than `limit`? One that does not is forgotten, and
/// is where the next search starts.
#[inline]
fn is_still_beyond(pair: &PosedPair<'_>, limit: f64, separation: &mut Separation, cache: &mut PairCache) -> bool {
    if cache.has_separating_axis && !separation.is_known() {
        *separation = Separation::along(-pair.pose_a.transform_vector(cache.gjk.axis()));
    }
    if !separation.is_known() {
        return false;
    }
    if separation.remeasure(pair, limit) {
        return true;
    }
    cache.gjk.aim(-pair.pose_a.inverse_transform_vector(separation.vector()));
    (*separation, cache.has_separating_axis) = (Separation::default(), false);
    false
}
