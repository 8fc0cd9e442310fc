//! The schedule: which bodies meet next, in the order of time, none missed.
//!
//! Paper \[Two-Phase\] (Mirtich 1997), section 4 and figure 11: pairs wait in a heap, ordered by a time until which they surely do not
//! meet. The first of them is looked at, and goes back with a later time, or has arrived at its contact: then no other
//! pair meets earlier. A pair that is far away or slow is looked at seldom, and one that is about to meet often.
//!
//! The interval is cut into windows in which bodies move by about their size; in each, pairs whose [swept
//! boxes](Motion::swept_aabb) overlap are in the heap, and no others.
//!
//! **Deviations.** Bounds are those of [`time_of_impact`](crate::motion::time_of_impact), of second order in time where the paper's are of first
//! order; a pair is advanced by a few distances at a time, and its lower bound is proved. With these, the variant with estimates that have to be
//! rolled back is only slower: it is among the lab's experiments.

use super::{Body, BodyId, World};
use crate::broad::{BroadPhase, SlotPair, Tree};
use crate::error::BuildError;
use crate::math::Aabb;
use crate::motion::{Advanced, Hit, Impact, Motion, Moving, Undecided, checked};
use crate::pair::PairCache;
use crate::parallel::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

/// Two bodies of a world that meet, or that may meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyImpact {
    /// The two bodies, A and B of the impact; the one of the smaller slot is A.
    pub bodies: [BodyId; 2],
    /// [`Impact::Hit`], or [`Impact::Undecided`] where the search has used up its steps.
    pub impact: Impact,
}

impl BodyImpact {
    /// The bodies are proved apart before this time: that of the hit, or the one from which on nothing is known.
    #[must_use]
    pub fn time(&self) -> f64 {
        match self.impact {
            Impact::Hit(hit) => hit.lower,
            Impact::Undecided(undecided) => undecided.from,
            // Neither is scheduled.
            Impact::Clear(_) | Impact::Touching(_) => f64::INFINITY,
        }
    }
}

/// How much work a schedule was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScheduleCost {
    /// Distances that were asked for.
    pub checks: u64,
    /// Pairs that waited in the heap, counted once for every window.
    pub pairs: u64,
    /// Windows that the interval was cut into.
    pub windows: u64,
    /// How many checks fixed steps would have made of the same pairs that are short enough to see every overlap deeper than a
    /// hundredth of the smaller body.
    pub fixed_checks: f64,
}

/// How many distances a pair is advanced by before it waits again.
const AT_ONCE: u32 = 3;

/// The interval is cut into no more windows than this.
const MOST_WINDOWS: f64 = 4096.0;

/// A pair, and until when it surely does not meet.
struct ScheduledPair {
    time: f64,
    pair: SlotPair,
    state: Box<ScheduledState>,
}

#[derive(Default)]
struct ScheduledState {
    cache: PairCache,
    /// How many distances were asked for, in all windows.
    steps: u32,
    /// The contact that the pair has arrived at, or the end of its steps.
    impact: Option<Impact>,
}

impl Ord for ScheduledPair {
    /// The earliest is the greatest, as the heap wants it; of equal times the first pair.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for ScheduledPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ScheduledPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ScheduledPair {}

/// The impacts of a world in the order of time: see [`World::impacts`].
pub struct Impacts<'w> {
    world: &'w World,
    /// By slot.
    motions: Vec<Option<Motion>>,
    interval: [f64; 2],
    /// How long a window is.
    length: f64,
    /// When the current window ends; the start if there is none yet.
    end: f64,
    queue: BinaryHeap<ScheduledPair>,
    /// Pairs that have met, were in contact at the start, or are undecided.
    done: FxHashSet<SlotPair>,
    /// How many distances were asked for about pairs in earlier windows.
    steps: FxHashMap<SlotPair, u32>,
    cost: ScheduleCost,
}

impl World {
    /// The impacts of bodies that move ([`World::set_motion`]) within an interval, in the order of time; of equal times, in the
    /// order of slots.
    ///
    /// Each pair is reported once: at its first contact, or as [undecided](Impact::Undecided) from the time on at which its search has used up
    /// its steps. Pairs that are in contact at the start are not: they do not meet, they have
    /// met. Bodies without a motion rest at their pose. The same rules as for an update say which pairs are looked at; the margin of the
    /// world is of no matter.
    ///
    /// ```
    /// use clearance::motion::Motion;
    /// use clearance::{Pose, Shape, World};
    ///
    /// // Newton's cradle: the middle one is met first.
    /// let mut world = World::default();
    /// let ball = Shape::sphere(0.5)?;
    /// let [a, b, c] = [0.0, 3.0, 9.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// world.set_motion(a, Motion::linear(Pose::IDENTITY, [1.0, 0.0, 0.0], [0.0; 3])?);
    /// let impacts: Vec<_> = world.impacts(0.0..=10.0)?.collect();
    /// assert_eq!(impacts.iter().map(|impact| impact.bodies).collect::<Vec<_>>(), [[a, b], [a, c]]);
    /// assert!((impacts[0].time() - 2.0).abs() < 1e-12 && (impacts[1].time() - 8.0).abs() < 1e-12);
    /// assert!(impacts.iter().all(|impact| impact.impact.hit().is_some_and(|hit| hit.is_certain())));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn impacts(&self, interval: RangeInclusive<f64>) -> Result<Impacts<'_>, BuildError> {
        let [start, end] = checked(interval)?;
        let motions: Vec<Option<Motion>> = (0..self.changed.len() as u32)
            .map(|slot| {
                let body = self.bodies.body(slot)?;
                Some(self.motion_in(slot).cloned().unwrap_or_else(|| Motion::fixed(body.pose)))
            })
            .collect();
        let mut impacts = Impacts {
            world: self,
            motions,
            interval: [start, end],
            length: end - start,
            end: start,
            queue: BinaryHeap::new(),
            done: FxHashSet::default(),
            steps: FxHashMap::default(),
            cost: ScheduleCost::default(),
        };
        impacts.length = impacts.window_length();
        Ok(impacts)
    }

    /// The first impact from the [time](World::time) of the world on; see [`World::impacts`].
    ///
    /// ```
    /// use clearance::motion::Motion;
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
    /// let ball = world.insert(Shape::sphere(0.5)?, Pose::IDENTITY);
    /// let (mut pose, mut speed) = (Pose::from_translation([0.0, 5.5, 0.0]), 0.0);
    /// let mut bounces = 0;
    /// // A ball that bounces, and loses half of its speed each time.
    /// while bounces < 5 {
    ///     let start = world.time();
    ///     world.set_motion(ball, Motion::ballistic(pose, [0.0, speed, 0.0], [0.0; 3], [0.0, -10.0, 0.0])?.from_time(start)?);
    ///     let Some(impact) = world.next_impact(start + 100.0)? else { break };
    ///     speed = 0.5 * (10.0 * (impact.time() - start) - speed);
    ///     world.set_time(impact.time());
    ///     pose = Pose::from_translation([0.0, 0.5 + 1e-9, 0.0]);
    ///     bounces += 1;
    /// }
    /// assert_eq!(bounces, 5);
    /// // One second down, then twice half a second, a quarter, ... each: 2.75 in all.
    /// assert!((world.time() - 2.875).abs() < 1e-6, "{}", world.time());
    /// # let _ = floor;
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn next_impact(&self, until: f64) -> Result<Option<BodyImpact>, BuildError> {
        Ok(self.impacts(self.time()..=until)?.next())
    }
}

impl Impacts<'_> {
    /// How much work it was so far.
    #[must_use]
    pub fn cost(&self) -> ScheduleCost {
        self.cost
    }

    fn body(&self, slot: u32) -> Option<(BodyId, &Body, &Motion)> {
        let (id, body) = self.world.bodies.at(slot)?;
        Some((id, body, self.motions[slot as usize].as_ref()?))
    }

    /// So long that a body in the middle of all moves by about its size.
    fn window_length(&self) -> f64 {
        let [start, end] = self.interval;
        let whole = end - start;
        let mut times: Vec<f64> = (0..self.motions.len() as u32)
            .filter_map(|slot| self.body(slot))
            .filter(|(_, body, motion)| !motion.is_fixed() && body.shape.bounding_radius().is_finite())
            .map(|(_, body, motion)| {
                let way = motion.pose(end).translation() - motion.pose(start).translation();
                let middle = motion.pose(0.5 * (start + end)).translation() - motion.pose(start).translation();
                whole * body.shape.bounding_radius() / way.length().max(2.0 * middle.length()).max(f64::MIN_POSITIVE)
            })
            .collect();
        times.sort_unstable_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).copied().unwrap_or(whole);
        2.0 * middle.clamp(0.5 * whole / MOST_WINDOWS, 0.5 * whole)
    }

    /// Opens the next window: all pairs whose swept boxes overlap wait.
    fn open(&mut self) {
        let [start, end] = self.interval;
        let from = self.end;
        let next = start + self.length * ((from - start) / self.length + 1.0).round();
        // What is left at the end is not cut off.
        let until = if next > from && next + 0.25 * self.length < end { next } else { end };
        (self.end, self.cost.windows) = (until, self.cost.windows + 1);
        let slots: Vec<u32> = (0..self.motions.len() as u32).filter(|&slot| self.body(slot).is_some()).collect();
        let bounds: Vec<Aabb> = slots
            .par_iter()
            .map(|&slot| match self.body(slot) {
                Some((_, body, motion)) => motion.swept(&body.shape, [from, until]),
                None => Aabb::EMPTY,
            })
            .collect();
        let mut tree = Tree::default();
        for (&slot, bounds) in slots.iter().zip(&bounds) {
            tree.set(slot, bounds);
        }
        let pairs: Vec<SlotPair> = tree.update().added.iter().copied().filter(|&pair| self.is_wanted(pair)).collect();
        self.cost.pairs += pairs.len() as u64;
        // The first look at each is a matter of its own.
        let looked: Vec<(Option<ScheduledPair>, u32)> = pairs
            .par_iter()
            .map(|&pair| {
                let steps = self.steps.get(&pair).copied().unwrap_or(0);
                let state = Box::new(ScheduledState { steps, ..ScheduledState::default() });
                self.advance(ScheduledPair { time: from, pair, state }, until)
            })
            .collect();
        for (&pair, looked) in pairs.iter().zip(looked) {
            self.cost.fixed_checks += self.fixed_checks(pair, until - from);
            self.wait(pair, looked);
        }
    }

    /// Counts the steps of a pair, which goes back to the heap unless it is clear until the end of the window.
    fn wait(&mut self, pair: SlotPair, (waiting, checks): (Option<ScheduledPair>, u32)) {
        self.cost.checks += u64::from(checks);
        if self.end < self.interval[1] && checks > 0 {
            let steps = self.steps.entry(pair).or_default();
            *steps = steps.saturating_add(checks);
        }
        self.queue.extend(waiting);
    }

    fn is_wanted(&self, pair: SlotPair) -> bool {
        let (Some((id_a, a, motion_a)), Some((id_b, b, motion_b))) = (self.body(pair.low()), self.body(pair.high()))
        else {
            return false;
        };
        let rests = motion_a.is_fixed() && motion_b.is_fixed();
        !(rests || self.done.contains(&pair)) && self.world.rules.allow((id_a, a), (id_b, b))
    }

    /// A pair, advanced by a few distances, and how many they were; nothing if it does not meet before the end of the window.
    fn advance(&self, mut waiting: ScheduledPair, until: f64) -> (Option<ScheduledPair>, u32) {
        let (Some((_, a, motion_a)), Some((_, b, motion_b))) =
            (self.body(waiting.pair.low()), self.body(waiting.pair.high()))
        else {
            return (None, 0);
        };
        let from = waiting.time;
        let moving = Moving { a: &a.shape, motion_a, b: &b.shape, motion_b };
        let state = &mut waiting.state;
        // In all windows together a pair has the steps of one query.
        let (mut step, mut checks) = if state.steps >= moving.most_steps() {
            (Advanced::Undecided(Undecided { from, steps: state.steps }), 0)
        } else {
            moving.step([from, until], AT_ONCE, &mut state.cache)
        };
        // The overlap that makes a hit certain may come after the window.
        let end = self.interval[1];
        if matches!(step, Advanced::Hit(hit) if !hit.is_certain()) && until < end {
            let (again, more) = moving.step([from, end], AT_ONCE, &mut state.cache);
            if let Advanced::Hit(_) = again {
                step = again;
            }
            checks += more;
        }
        state.steps = state.steps.saturating_add(checks);
        let (time, impact) = match step {
            Advanced::Clear => return (None, checks),
            Advanced::Paused(time) => (time, None),
            Advanced::Hit(hit) => (hit.lower, Some(Impact::Hit(hit))),
            // At the start of all the bodies have met before.
            Advanced::Touching(found) if from == self.interval[0] => (from, Some(Impact::Touching(found))),
            Advanced::Touching(found) => (from, Some(Impact::Hit(Hit::touching(from, &found)))),
            Advanced::Undecided(Undecided { from, .. }) => {
                (from, Some(Impact::Undecided(Undecided { from, steps: state.steps })))
            }
        };
        state.impact = impact;
        (Some(ScheduledPair { time, ..waiting }), checks)
    }

    /// See [`ScheduleCost::fixed_checks`].
    fn fixed_checks(&self, pair: SlotPair, time: f64) -> f64 {
        let (Some((_, a, motion_a)), Some((_, b, motion_b))) = (self.body(pair.low()), self.body(pair.high())) else {
            return 0.0;
        };
        let start = self.end - time;
        let radius = a.shape.bounding_radius().min(b.shape.bounding_radius());
        let speed = |motion: &Motion| {
            let step = 1e-3 * time;
            (motion.pose(start + step).translation() - motion.pose(start).translation()).length() / step
        };
        (time * (speed(motion_a) + speed(motion_b)) / (0.01 * radius)).ceil().max(1.0)
    }
}

impl Iterator for Impacts<'_> {
    type Item = BodyImpact;

    fn next(&mut self) -> Option<BodyImpact> {
        loop {
            let Some(mut waiting) = self.queue.pop() else {
                if self.end >= self.interval[1] {
                    return None;
                }
                self.open();
                continue;
            };
            let pair = waiting.pair;
            if let Some(impact) = waiting.state.impact.take() {
                self.done.insert(pair);
                if let (Some((a, ..)), Some((b, ..))) = (self.body(pair.low()), self.body(pair.high()))
                    && !matches!(impact, Impact::Touching(_))
                {
                    return Some(BodyImpact { bodies: [a, b], impact });
                }
                continue;
            }
            let advanced = self.advance(waiting, self.end);
            self.wait(pair, advanced);
        }
    }
}
