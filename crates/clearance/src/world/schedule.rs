//! The schedule of a world: which pair of bodies meets next, without a missed impact.
//!
//! Paper \[Two-Phase\] (Mirtich 1997), section 4 and figure 11: pairs wait in a heap, ordered by a lower bound on their time of impact. The schedule takes the
//! first one, and either proves a later bound or has found the next impact.
//!
//! **Phase 1, lower bounds.** Each body has a *time slab*, in which it travels about its size, and a box around all that it sweeps in that slab. Pairs of bodies
//! whose boxes overlap are searched, each until the earlier end of its two slabs. A pair that is proved apart until then has no event; one that may meet
//! has an event shortly before. When a slab ends, the body gets the next slab and a new box.
//!
//! **Phase 2, the answer.** When the event of a pair is the first one, the pair is searched again, from the start of the interval to its end. So each
//! answer is that of [`time_of_impact`](crate::motion::time_of_impact), bit for bit, and does not depend on slabs, on earlier calls or on threads.
//!
//! **Edits.** A body that changes loses its pairs and gets a new slab from the start of the next interval on. All other pairs keep their bounds. So an impact
//! costs as much as the neighbours of two bodies do, however many bodies there are. A pair whose boxes no longer overlap leaves the schedule with the next
//! slab of either body, so a floor does not collect all bodies that ever came near it.
//!
//! **Invariants**, for an interval [from, until]:
//!
//! - (S1) the slab of each body begins no later than the time of the first event, and ends with an event (a body at rest has no end);
//! - (S2) two bodies whose boxes do not overlap are apart while both slabs last;
//! - (S3) each pair whose boxes overlap is proved apart until [`ScheduledPair::apart_before`], and has an event there unless a slab ends no later;
//! - (S4) an answer is about the interval that `interval` names.
//!
//! Bounds of phase 1 are earlier than the time they found by [`MARGIN`], so that rounding does not change the order of answers. Two kinds of pairs are
//! not that well conditioned: those whose search uses up its steps, and those that stay as close as rounding for a long time. For them an earlier call
//! may have proved more than a search from the start of the interval does; then a kept schedule reports the impact later than a new one, and never too late.
//!
//! **Deviations.** Bounds are those of [`time_of_impact`](crate::motion::time_of_impact), of second order in time where the paper's are of first
//! order. The paper's variant with estimates that have to be rolled back is slower with these bounds: it is in `clearance-papers`.

use super::body::Bodies;
use super::gap::ImpactGap;
use super::heap::{EventHeap, EventOwner, EventRank, ScheduleEvent};
use super::impacts::{BodyImpact, ScheduleCost};
use super::rules::Rules;
use super::scheduled_pairs::{PairStage, ScheduledPair, ScheduledPairs};
use super::slabs::{SlabRule, TimeSlab};
use super::{Body, BodyId};
use crate::broad::{BroadPhase, SlotPair, Tree};
use crate::math::Aabb;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::motion::{Hit, Impact, Motion, Moving, Undecided};
use crate::parallel::prelude::*;
use crate::shape::Shape;
use crate::tuning::world::{MANY_SEARCHES, MAX_SLAB_GROWTH, SLABS_TOGETHER};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The time of an impact that a schedule reports.
pub(super) fn time_of(impact: &Impact) -> Option<f64> {
    match impact {
        Impact::Hit(hit) => Some(hit.lower),
        Impact::Undecided(undecided) => Some(undecided.from),
        Impact::Clear(_) | Impact::Touching(_) => None,
    }
}

/// The event of a pair is earlier than the time found by this part of the shorter slab of its bodies. Bound: in that time they travel about a
/// millionth of their size, which is far more than rounding.
const MARGIN: f64 = 1e-6;

/// And by this part of the time itself, for late times. Bound: a few units in its last place.
const LATE_MARGIN: f64 = 32.0 * f64::EPSILON;

/// A box is outside of a half-space if it is so by this part of all lengths. Bound: far more than rounding.
const OUTSIDE: f64 = 1e-9;

/// The bodies of a world and how they move: all that a schedule reads.
#[derive(Clone, Copy)]
pub(super) struct MovingScene<'a> {
    pub bodies: &'a Bodies,
    /// By slot; slots beyond its end have no motion.
    pub motions: &'a [Option<Motion>],
    pub rules: &'a Rules,
    /// Its shapes are the ones that searches are about.
    pub gap: &'a ImpactGap,
}

impl<'a> MovingScene<'a> {
    /// A body and its motion; a body without one rests at its pose.
    fn body(&self, slot: u32) -> Option<(BodyId, &'a Body, Cow<'a, Motion>)> {
        let (id, body) = self.bodies.at(slot)?;
        let motion = self.motions.get(slot as usize).and_then(Option::as_ref);
        Some((id, body, motion.map_or_else(|| Cow::Owned(Motion::fixed(body.pose)), Cow::Borrowed)))
    }

    fn is_at_rest(&self, slot: u32) -> bool {
        self.motions.get(slot as usize).and_then(Option::as_ref).is_none_or(Motion::is_fixed)
    }

    /// Can the pair meet, and do the rules allow it?
    fn is_wanted(&self, pair: SlotPair) -> bool {
        let [a, b] = [pair.low(), pair.high()];
        match (self.bodies.at(a), self.bodies.at(b)) {
            (Some(one), Some(other)) => !(self.is_at_rest(a) && self.is_at_rest(b)) && self.rules.allow(one, other),
            _ => false,
        }
    }

    /// Is a body a half-space at rest, and a box outside of it? Its own box is unbounded and overlaps all others.
    fn is_outside(&self, bounds: &Aabb, slot: u32) -> bool {
        let Some(Body { shape, pose, .. }) = self.bodies.body(slot) else { return false };
        let Some(Shape::HalfSpace(plane)) = self.gap.shape(slot, shape) else { return false };
        if !self.is_at_rest(slot) {
            return false;
        }
        let normal = pose.rotation() * plane.normal();
        let height = (normal * bounds.min).min(normal * bounds.max).element_sum() - normal.dot(pose.translation());
        let far = bounds.min.abs().max(bounds.max.abs()).element_sum() + pose.translation().abs().element_sum();
        let slack = (OUTSIDE + plane.turn()) * (far + plane.offset().abs()) + plane.shift() + SMALLEST_LENGTH;
        // Written so that a NaN is not outside.
        height - plane.offset() > slack
    }

    pub fn named(&self, pair: SlotPair, impact: Impact) -> Option<BodyImpact> {
        let [(a, _), (b, _)] = [self.bodies.at(pair.low())?, self.bodies.at(pair.high())?];
        Some(BodyImpact { bodies: [a, b], impact })
    }

    /// The time of impact of a pair, and the steps that a search for it may take.
    fn search(&self, pair: SlotPair, interval: [f64; 2]) -> Option<(Impact, u32)> {
        let (_, a, motion_a) = self.body(pair.low())?;
        let (_, b, motion_b) = self.body(pair.high())?;
        let slots = [pair.low(), pair.high()];
        let (Some(shape_a), Some(shape_b)) = (self.gap.shape(slots[0], &a.shape), self.gap.shape(slots[1], &b.shape))
        else {
            return Some((Impact::Undecided(Undecided { from: interval[0], steps: 0 }), 0));
        };
        let moving = Moving { a: shape_a, motion_a: &motion_a, b: shape_b, motion_b: &motion_b };
        Some((self.gap.of_bodies(slots, moving.cold_impact(interval)), moving.most_steps()))
    }
}

/// A search of phase 1 that is due.
#[derive(Debug, Clone, Copy)]
struct SearchTask {
    /// The number of the pair.
    pair: u32,
    bodies: SlotPair,
    interval: [f64; 2],
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Schedule {
    /// The interval of the last call; answers are about it.
    interval: [f64; 2],
    /// All bounds hold from this time on, or from an earlier one.
    begin: f64,
    /// The latest time at which a slab begins.
    latest_slab: f64,
    /// The median radius of the bodies at the last rebuild.
    median_radius: f64,
    /// The boxes, by slot.
    tree: Tree,
    slabs: Vec<TimeSlab>,
    pairs: ScheduledPairs,
    events: EventHeap,
    /// By the number of the pair.
    answers: FxHashMap<u32, Impact>,
    /// Slots that have changed since the last call.
    edited: Vec<u32>,
    is_built: bool,
    pub cost: ScheduleCost,
}

impl Schedule {
    /// Forgets all pairs of a body, before the next call.
    pub fn edit(&mut self, slot: u32) {
        // Twice the same slot is harmless; the list stays shorter than a few entries per slot.
        if self.edited.last() != Some(&slot) {
            self.edited.push(slot);
        }
        if self.edited.len() > 16 + 4 * self.slabs.len() {
            self.is_built = false;
            self.edited.clear();
        }
    }

    /// The first impact of an interval, and its pair. A second call with the same interval has the same answer, unless there was an edit or a
    /// [report](Self::report).
    pub fn first(&mut self, scene: MovingScene<'_>, interval: [f64; 2]) -> Option<(SlotPair, Impact)> {
        self.first_before(scene, interval, f64::INFINITY)
    }

    /// The first impact of an interval, and all others of it that are at most `window` later, in their order. They stay in the schedule.
    pub fn first_within(&mut self, scene: MovingScene<'_>, interval: [f64; 2], window: f64) -> Vec<(SlotPair, Impact)> {
        let (mut found, mut last) = (Vec::new(), f64::INFINITY);
        while let Some((bodies, impact)) = self.first_before(scene, interval, last) {
            let Some(time) = time_of(&impact) else { break };
            if found.is_empty() {
                last = time + window;
            }
            found.push((bodies, impact));
            self.report(bodies);
        }
        for &(bodies, impact) in &found {
            if let (Some(pair), Some(time)) = (self.pairs.number(bodies), time_of(&impact)) {
                self.keep_answer(pair, bodies, impact, time);
            }
        }
        found
    }

    /// [`first`](Self::first), if it is no later than a limit.
    fn first_before(&mut self, scene: MovingScene<'_>, interval: [f64; 2], limit: f64) -> Option<(SlotPair, Impact)> {
        self.prepare(scene, interval);
        let [from, until] = interval;
        loop {
            let event = self.events.first()?;
            if event.time > limit {
                return None;
            }
            let pair = event.owner.index();
            if event.rank == EventRank::Answer {
                return self.answers.get(&pair).map(|&impact| (event.bodies, impact));
            }
            // An event of a pair is earlier than the time it predicts, and all else is proved until its event, inclusively.
            if event.time >= until {
                return self.answer_at(until);
            }
            if event.rank == EventRank::SlabEnd {
                self.begin_slabs(scene, event.time.max(from));
            } else if self.pairs.get(pair).stage == PairStage::Predicted {
                self.answer(scene, pair);
            } else {
                let task = self.task(pair, event.time.max(from));
                self.search(scene, task.as_slice());
            }
        }
    }

    /// The first pair with an answer at the end of the interval: an event of another kind may come before it.
    fn answer_at(&self, until: f64) -> Option<(SlotPair, Impact)> {
        let answers = self.answers.iter().filter(|(_, impact)| time_of(impact).is_some_and(|time| time <= until));
        let named = answers.map(|(&pair, &impact)| (self.pairs.get(pair).bodies, impact));
        named.min_by_key(|(bodies, _)| *bodies)
    }

    /// The pair is not reported again.
    pub fn report(&mut self, bodies: SlotPair) {
        let Some(pair) = self.pairs.number(bodies) else { return };
        self.events.remove(EventOwner::of_pair(pair));
        self.answers.remove(&pair);
        self.pairs.get_mut(pair).stage = PairStage::Reported;
    }

    /// Takes edits and a new interval into account.
    fn prepare(&mut self, scene: MovingScene<'_>, interval: [f64; 2]) {
        let from = interval[0];
        // Slabs that begin later than an edit do not cover it.
        let is_too_early = from < self.begin || !self.edited.is_empty() && from < self.latest_slab;
        if !self.is_built || is_too_early {
            return self.build(scene, interval);
        }
        // From here on nothing is proved about earlier times.
        self.begin = from;
        if interval != self.interval {
            self.interval = interval;
            // Answers about the interval before become predictions.
            for (pair, impact) in std::mem::take(&mut self.answers) {
                // Bodies in contact at the start of the last interval: where they are now decides.
                self.predict(pair, time_of(&impact).unwrap_or(f64::NEG_INFINITY));
            }
        }
        if !self.edited.is_empty() {
            let mut edited = std::mem::take(&mut self.edited);
            edited.sort_unstable();
            edited.dedup();
            edited.iter().for_each(|&slot| self.forget(slot));
            self.place(scene, &edited, from);
        }
    }

    /// Starts again with all bodies.
    fn build(&mut self, scene: MovingScene<'_>, interval: [f64; 2]) {
        let mut radii: Vec<f64> = scene.bodies.iter().map(|(_, body)| body.shape.bounding_radius()).collect();
        radii.retain(|radius| radius.is_finite());
        radii.sort_unstable_by(f64::total_cmp);
        let median_radius = radii.get(radii.len() / 2).copied().unwrap_or(0.0);
        let (begin, latest_slab) = (interval[0], f64::NEG_INFINITY);
        *self =
            Self { interval, begin, latest_slab, median_radius, is_built: true, cost: self.cost, ..Self::default() };
        let slots: Vec<u32> = scene.bodies.iter().map(|(id, _)| id.slot()).collect();
        self.place(scene, &slots, interval[0]);
    }

    /// Removes a body and its pairs.
    fn forget(&mut self, slot: u32) {
        self.events.remove(EventOwner::of_body(slot));
        self.tree.remove(slot);
        if let Some(slab) = self.slabs.get_mut(slot as usize) {
            slab.growth = 1.0;
        }
        while let Some(&pair) = self.pairs.of_body(slot).last() {
            self.drop_pair(pair);
        }
    }

    /// Removes a pair.
    fn drop_pair(&mut self, pair: u32) {
        self.pairs.remove(pair);
        self.answers.remove(&pair);
        self.events.remove(EventOwner::of_pair(pair));
    }

    /// The next slabs of bodies whose slabs end at a time or soon after it.
    fn begin_slabs(&mut self, scene: MovingScene<'_>, from: f64) {
        let mut slots = Vec::new();
        let mut last = from;
        while let Some(event) = self.events.first()
            && event.rank == EventRank::SlabEnd
            && event.time <= last
        {
            let slot = event.owner.index();
            if slots.is_empty() {
                let slab = self.slabs[slot as usize];
                last = from + SLABS_TOGETHER * (slab.until - slab.from);
            }
            self.events.remove(event.owner);
            slots.push(slot);
        }
        slots.sort_unstable();
        self.place(scene, &slots, from);
    }

    /// Gives bodies, in ascending order, their slabs from a time on, and searches their pairs.
    fn place(&mut self, scene: MovingScene<'_>, slots: &[u32], from: f64) {
        debug_assert!(slots.is_sorted());
        debug_assert!(from >= self.interval[0] && from >= self.latest_slab, "S1: {from} {}", self.latest_slab);
        let rule = SlabRule { interval: self.interval, median_radius: self.median_radius };
        let placed = |&slot: &u32| {
            let (_, body, motion) = scene.body(slot)?;
            let growth = self.slabs.get(slot as usize).map_or(1.0, |slab| slab.growth.max(1.0));
            let slab = |shape| rule.slab(shape, &motion, growth, from);
            Some(scene.gap.shape(slot, &body.shape).map(slab).unwrap_or_else(|| {
                // A shape that cannot be grown is undecided with all others whose boxes its own box comes near.
                let (slab, bounds) = slab(&body.shape);
                (slab, bounds.grown(scene.gap.gap()))
            }))
        };
        let placed: Vec<Option<(TimeSlab, Aabb)>> = if slots.len() < MANY_SEARCHES {
            slots.iter().map(placed).collect()
        } else {
            slots.par_iter().map(placed).collect()
        };
        self.latest_slab = self.latest_slab.max(from);
        if let Some(&last) = slots.last()
            && last as usize >= self.slabs.len()
        {
            self.slabs.resize(last as usize + 1, TimeSlab::default());
        }
        for (&slot, placed) in slots.iter().zip(&placed) {
            let Some((slab, bounds)) = placed else { continue };
            self.slabs[slot as usize] = *slab;
            self.tree.set(slot, bounds);
            if slab.until < f64::INFINITY {
                let (bodies, owner) = (SlotPair::new(slot, slot), EventOwner::of_body(slot));
                self.events.set(ScheduleEvent { time: slab.until, rank: EventRank::SlabEnd, bodies, owner });
            }
            self.cost.boxes += 1;
        }
        self.tree.settle(0);
        let mut tasks = Vec::new();
        let mut others = Vec::new();
        for &slot in slots {
            let bounds = *self.tree.bounds(slot);
            self.tree.overlapping(&bounds, &mut others);
            others.retain(|&other| {
                let is_apart = scene.is_outside(&bounds, other) || scene.is_outside(self.tree.bounds(other), slot);
                other != slot && !is_apart
            });
            let growth = &mut self.slabs[slot as usize].growth;
            *growth = if others.is_empty() { (2.0 * *growth).min(MAX_SLAB_GROWTH) } else { (0.5 * *growth).max(1.0) };
            self.drop_distant(slot, &others);
            for &other in &others {
                // A pair of two of these bodies is found twice.
                let is_second = other < slot && slots.binary_search(&other).is_ok();
                if !is_second && let Some(pair) = self.pair_of(scene, SlotPair::new(slot, other), from) {
                    tasks.extend(self.task(pair, from));
                }
            }
        }
        self.search(scene, &tasks);
    }

    /// Drops the pairs of a body that are proved apart and whose boxes no longer overlap: (S2) covers them. `others` are the bodies, in ascending order,
    /// whose boxes overlap that of the body.
    fn drop_distant(&mut self, slot: u32, others: &[u32]) {
        debug_assert!(others.is_sorted());
        let mut position = 0;
        while let Some(&pair) = self.pairs.of_body(slot).get(position) {
            let &ScheduledPair { bodies, stage, .. } = self.pairs.get(pair);
            let other = if bodies.low() == slot { bodies.high() } else { bodies.low() };
            if stage == PairStage::Apart && others.binary_search(&other).is_err() {
                self.drop_pair(pair);
            } else {
                position += 1;
            }
        }
    }

    /// The pair of two bodies whose boxes overlap from a time on, if it is wanted.
    fn pair_of(&mut self, scene: MovingScene<'_>, bodies: SlotPair, from: f64) -> Option<u32> {
        let known = self.pairs.number(bodies);
        known.or_else(|| scene.is_wanted(bodies).then(|| self.pairs.insert(bodies, from)))
    }

    /// The search of a pair from a time on, if one is due.
    fn task(&mut self, pair: u32, from: f64) -> Option<SearchTask> {
        let &ScheduledPair { bodies, apart_before, stage, .. } = self.pairs.get(pair);
        if !matches!(stage, PairStage::Apart | PairStage::Paused) {
            return None;
        }
        let start = apart_before.max(from);
        let until = self.slab_end(bodies).min(self.interval[1]);
        if start < until {
            return Some(SearchTask { pair, bodies, interval: [start, until] });
        }
        // Proved until the end of a slab, or of the interval.
        self.prove_until(pair, start);
        None
    }

    /// The earlier end of the slabs of two bodies.
    fn slab_end(&self, bodies: SlotPair) -> f64 {
        self.slabs[bodies.low() as usize].until.min(self.slabs[bodies.high() as usize].until)
    }

    /// Phase 1: searches pairs until their slabs end.
    fn search(&mut self, scene: MovingScene<'_>, tasks: &[SearchTask]) {
        let search = |task: &SearchTask| scene.search(task.bodies, task.interval);
        let found: Vec<Option<(Impact, u32)>> = if tasks.len() < MANY_SEARCHES {
            tasks.iter().map(search).collect()
        } else {
            tasks.par_iter().map(search).collect()
        };
        for (&SearchTask { pair, interval: [from, until], .. }, found) in tasks.iter().zip(&found) {
            let Some((impact, budget)) = found else { continue };
            let state = self.pairs.get_mut(pair);
            state.steps = state.steps.saturating_add(steps_of(impact));
            let is_spent = state.steps >= *budget;
            self.count(impact);
            match impact {
                Impact::Clear(_) if is_spent => self.predict(pair, until),
                Impact::Clear(_) => self.prove_until(pair, until),
                Impact::Hit(_) | Impact::Undecided(_) | Impact::Touching(_) => {
                    self.predict(pair, time_of(impact).unwrap_or(from));
                }
            }
        }
    }

    /// Phase 2: the answer about a pair.
    fn answer(&mut self, scene: MovingScene<'_>, pair: u32) {
        let owner = EventOwner::of_pair(pair);
        self.events.remove(owner);
        let &ScheduledPair { bodies, apart_before, .. } = self.pairs.get(pair);
        let Some(mut impact) = self.counted(scene, bodies, self.interval) else { return };
        // Phase 1 may have got farther than one search does; then the answer is about what is left.
        if time_of(&impact).is_some_and(|time| time < apart_before) {
            impact = self.improved(scene, bodies, impact, apart_before);
        }
        if let Impact::Clear(_) = impact {
            return self.prove_until(pair, self.interval[1]);
        }
        match time_of(&impact) {
            Some(time) => {
                debug_assert!(time >= apart_before, "{time} {apart_before}");
                self.keep_answer(pair, bodies, impact, time);
            }
            None => {
                self.pairs.get_mut(pair).stage = PairStage::Answered;
                self.answers.insert(pair, impact);
            }
        }
    }

    /// The answer about a pair that meets at a time, and its event.
    fn keep_answer(&mut self, pair: u32, bodies: SlotPair, impact: Impact, time: f64) {
        self.pairs.get_mut(pair).stage = PairStage::Answered;
        let owner = EventOwner::of_pair(pair);
        self.events.set(ScheduleEvent { time, rank: EventRank::Answer, bodies, owner });
        self.answers.insert(pair, impact);
    }

    /// The answer about a pair that is proved apart before a time, which is later than that of its impact.
    fn improved(&mut self, scene: MovingScene<'_>, bodies: SlotPair, impact: Impact, apart_before: f64) -> Impact {
        match impact {
            Impact::Hit(hit) => Impact::Hit(Hit { lower: apart_before, ..hit }),
            Impact::Undecided(undecided) => {
                let rest = [apart_before, self.interval[1]];
                match self.counted(scene, bodies, rest) {
                    Some(found @ (Impact::Clear(_) | Impact::Hit(_) | Impact::Undecided(_))) => found,
                    _ => Impact::Undecided(Undecided { from: apart_before, ..undecided }),
                }
            }
            impact => impact,
        }
    }

    /// The time of impact of a pair, counted.
    fn counted(&mut self, scene: MovingScene<'_>, bodies: SlotPair, interval: [f64; 2]) -> Option<Impact> {
        let (impact, _) = scene.search(bodies, interval)?;
        self.count(&impact);
        Some(impact)
    }

    fn count(&mut self, impact: &Impact) {
        self.cost.searches += 1;
        self.cost.checks += u64::from(steps_of(impact).max(1));
    }

    /// A pair is proved apart until a time. It waits for the next slab of one of its bodies, or for a later interval if that comes first.
    fn prove_until(&mut self, pair: u32, time: f64) {
        let bodies = self.pairs.get(pair).bodies;
        let is_paused = time < self.slab_end(bodies);
        let (state, owner) = (self.pairs.get_mut(pair), EventOwner::of_pair(pair));
        state.apart_before = time;
        if is_paused {
            state.stage = PairStage::Paused;
            self.events.set(ScheduleEvent { time, rank: EventRank::Search, bodies, owner });
        } else {
            state.stage = PairStage::Apart;
            self.events.remove(owner);
        }
    }

    /// A pair may meet at a time, and not before. Its event is a little earlier, see [`MARGIN`].
    fn predict(&mut self, pair: u32, time: f64) {
        let bodies = self.pairs.get(pair).bodies;
        let [a, b] = [bodies.low(), bodies.high()].map(|slot| self.slabs[slot as usize]);
        let slab = (a.until - a.from).min(b.until - b.from);
        let margin = (MARGIN * slab).max(LATE_MARGIN * time.abs()).max(f64::MIN_POSITIVE);
        debug_assert!(margin.is_finite() || time == f64::NEG_INFINITY, "one of the bodies moves");
        let (state, owner) = (self.pairs.get_mut(pair), EventOwner::of_pair(pair));
        (state.stage, state.apart_before) = (PairStage::Predicted, time - margin);
        self.events.set(ScheduleEvent { time: state.apart_before, rank: EventRank::Search, bodies, owner });
    }
}

/// The distance queries of a search.
fn steps_of(impact: &Impact) -> u32 {
    match impact {
        Impact::Hit(hit) => hit.steps,
        Impact::Clear(approach) => approach.steps,
        Impact::Undecided(undecided) => undecided.steps,
        Impact::Touching(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::BuildError;
    use crate::math::Pose;
    use crate::motion::Interval;
    use crate::world::World;

    /// A ball passes 200 others at a distance of 0.13, so that its box overlaps those of a few of them at a time.
    #[test]
    fn pairs_that_are_left_behind_leave_the_schedule() -> Result<(), BuildError> {
        let mut world = World::default();
        for i in 0..200 {
            world.insert(Shape::sphere(0.5)?, Pose::from_translation([f64::from(i), 0.8, 0.8]));
        }
        let ball = world.insert(Shape::sphere(0.5)?, Pose::IDENTITY);
        world.set_motion(ball, Motion::linear(Pose::IDENTITY, [1.0, 0.0, 0.0], [0.0; 3])?);
        let mut most = 0;
        for i in 0..200 {
            assert_eq!(world.next_impact(Interval::new(f64::from(i), f64::from(i + 1))?), None);
            let pairs = &world.schedule.as_ref().expect("a schedule").pairs;
            assert!(pairs.is_valid());
            most = most.max(pairs.len());
        }
        assert!((1..16).contains(&most), "{most}");
        Ok(())
    }
}
