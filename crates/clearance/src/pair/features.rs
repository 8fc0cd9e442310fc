//! Two polytopes by their features: are those that were closest still the closest, and if not, which ones are?

use super::distance::Distance;
use super::visit::PosedPair;
use super::{Clearance, Engine, PairCache};
use crate::math::multiversioned;
use crate::narrow::vclip::{self, State};
use crate::narrow::{Bracket, ClosestPoints, Cost, gjk};
use crate::shape::Polytope;
use crate::tuning::convex as tuning;

/// The clearance of two polytopes whose closest features are known.
#[inline(always)]
pub(super) fn confirm(
    a: &Polytope,
    b: &Polytope,
    pair: &PosedPair<'_>,
    limit: f64,
    engine: Engine,
    cache: &mut PairCache,
) -> Clearance {
    let tracked = &mut Tracked { a, b, pair, limit, engine, cache };
    // Each state is a function of its own, which needs few registers and little of the stack.
    macro_rules! in_state {
        ($($state:ident)*) => {
            match tracked.cache.vclip.state() {
                $(State::$state => multiversioned(
                    #[inline(always)]
                    || tracked.confirm_in(State::$state),
                ),)*
                _ => tracked.track_from(tracked.cache.vclip),
            }
        };
    }
    in_state!(VV EE EV VE FV VF)
}

/// Two polytopes whose closest features are known. It is used by reference and never copied: a copy right after field-by-field writes is
/// a store-to-load forwarding stall, which takes long beside a confirmed answer.
struct Tracked<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    pair: &'a PosedPair<'a>,
    limit: f64,
    engine: Engine,
    cache: &'a mut PairCache,
}

impl Tracked<'_> {
    /// The clearance, for features of these kinds. It is made where it was found, in registers, and written once.
    #[inline(always)]
    fn confirm_in(&mut self, state: State) -> Clearance {
        let poses = [self.pair.pose_a, self.pair.pose_b];
        match vclip::confirm(state, [self.a, self.b], poses, &self.cache.vclip) {
            Ok((points, features)) => Clearance::confirmed(&points, features, self.pair.pose_a),
            Err(start) => self.track_from(start),
        }
    }

    /// The clearance, if the features have changed: a probe has taken the first step.
    #[cold]
    #[inline(never)]
    fn track_from(&mut self, start: vclip::ClosestFeatures) -> Clearance {
        self.cache.vclip = start;
        let query = Distance { pair: self.pair, limit: self.limit, engine: self.engine, cache: self.cache };
        query.track(self.a, self.b, 1)
    }
}

/// V-Clip's intersection test. That shapes are apart is proved by the march; that they are not is for GJK to confirm, since a face may be
/// so narrow that rounding puts an edge through it. The features are kept: the closest ones, or those that witness the penetration.
#[cold]
#[inline(never)]
pub(super) fn intersect(a: &Polytope, b: &Polytope, pair: &PosedPair<'_>, cache: &mut PairCache) -> bool {
    let frame = &pair.frame();
    if !cache.vclip.is_known() {
        cache.vclip = vclip::first_guess(a, b, frame, &mut ());
    }
    let mut points = ClosestPoints::default();
    match vclip::track(a, b, frame, &mut cache.vclip, vclip::MAX_STEPS, &mut (), &mut points) {
        vclip::Ended::Apart if Bracket::is_apart(points.lower) => return false,
        vclip::Ended::Apart | vclip::Ended::Penetrating => {}
        vclip::Ended::Unfinished => cache.vclip.forget(),
    }
    gjk::intersects(a, b, frame, &mut gjk::WarmSimplex::default())
}

impl Distance<'_> {
    /// The clearance of two polytopes by V-Clip from the features that were closest, or by GJK if they overlap or that fails.
    #[inline(never)]
    pub(super) fn track(self, a: &Polytope, b: &Polytope, steps: u32) -> Clearance {
        let frame = &self.pair.frame();
        let is_auto = self.engine == Engine::Auto;
        let most_steps = if is_auto { tuning::MARCH_STEPS } else { vclip::MAX_STEPS };
        let mut points = ClosestPoints::after(steps);
        let cache = &mut self.cache.vclip;
        let may_restart = is_auto && a.vertex_count() + b.vertex_count() > tuning::RESTART_VERTICES;
        let has_restarted = may_restart && cache.restart(a, b, frame);
        let ended = vclip::track(a, b, frame, cache, most_steps, &mut (), &mut points);
        if ended == vclip::Ended::Penetrating && !is_auto {
            return self.witnessed(a, b);
        }
        if ended != vclip::Ended::Apart {
            cache.forget();
            let fallbacks = u32::from(ended == vclip::Ended::Unfinished);
            return self.fall_back(a, b, Cost { fallbacks, ..Cost::default() });
        }
        if may_restart {
            cache.learn(has_restarted, points.steps);
        }
        Clearance::of_features(&points, cache.features(), self.pair.pose_a)
    }

    /// The clearance of two polytopes that V-Clip has found to overlap. GJK computes the depth, and the features of the answer are
    /// those of its witness points. V-Clip's features, a vertex inside or an edge through a face, stay in the cache: the next march
    /// starts there, and [`Pair::vclip_features`](super::Pair::vclip_features) returns them.
    #[cold]
    #[inline(never)]
    fn witnessed(self, a: &Polytope, b: &Polytope) -> Clearance {
        let Self { pair, limit, engine, cache } = self;
        let mut found = Distance { pair, limit, engine, cache: &mut *cache }.fall_back(a, b, Cost::default());
        if found.is_apart() {
            // No witness after all.
            cache.vclip.forget();
            found.cost.fallbacks += 1;
        }
        found
    }

    /// GJK's clearance, from the start: what it remembers is older than what tracking has seen. That has cost so much already.
    #[cold]
    #[inline(never)]
    fn fall_back(self, a: &Polytope, b: &Polytope, spent: Cost) -> Clearance {
        self.cache.gjk = gjk::WarmSimplex::default();
        let mut clearance = self.search(a, b);
        clearance.cost += spent;
        clearance
    }
}
