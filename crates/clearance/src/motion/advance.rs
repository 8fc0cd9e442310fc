//! Advancement: two convex bodies, step by step, each step proved free of contact.
//!
//! A step starts from the closest points. Along their normal the gap and the rate at which it closes say where it would be used up: the
//! step goes nearly there, and is proved by the chord of `envelope` between its two ends. A step that cannot be proved is
//! taken shorter. What is left of the gap after a step is of second order, as with Newton's method, so that a handful of steps
//! reach the contact; a straight motion of two convex bodies is Newton's method on a convex function.
//!
//! Bodies that turn have normals that turn. From the second step on it is known how fast, and the direction of a step turns with
//! them: a fixed one would lose to first order wherever a face or an edge is closest.
//!
//! All of this is for bodies whose contact is not foreseen (`foresee`), or not from where they are: a link to what is foreseen is tried
//! before every step, and mostly it is the first and last one.

use super::envelope::{Direction, Moment, MovingPair, Ring};
use super::foresee::Foreseen;
use super::sight::{Seen, Sight, TimedContact};
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::pair::{Clearance, Engine, PairCache, PosedPair, clearance};
use crate::shape::Shape;
use crate::trace::Trace;
use glam::DVec3;

/// No two convex bodies are looked at more often in one query. Contacts take about ten steps; what takes more is a gap that stays as
/// small as 1e-7 of the size through a whole turn.
pub(super) const MAX_STEPS: u32 = 4096;

/// How often a step is shortened before the bodies count as touching.
const MAX_TRIES: u32 = 40;

/// How often the chord of a step is asked where to end it; from then on the step is halved.
const MAX_GUESSES: u32 = 10;

/// Bodies that approach each other and are this close, in units of rounding, count as touching: a step could gain no more than that.
pub(super) const CLOSE: f64 = 8.0;

/// By so much turning in a step, in radians, what bodies sweep when they turn may be the better bound.
const LEAP: f64 = 0.05;

/// With more turning to come than this, in radians, a body may be a ring about the other one.
const MANY_RADIANS: f64 = 10.0;

/// How often the time that a ring is clear for is halved.
const RING_ROUNDS: u32 = 32;

/// After this many steps every envelope is tried, and rings are tried again.
const MANY_STEPS: u32 = 24;

/// One interval of a chain: the bodies are apart along the direction from the one time to the other, or one is a ring about the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    pub from: f64,
    pub to: f64,
    /// Of a ring: from its axis to the body, at the start.
    pub direction: Direction,
    /// Which of the two bodies turns about an axis that it does not meet, and is outside of a cylinder that the other one is in.
    pub ring: Option<usize>,
}

impl Link {
    /// The bodies are apart along a direction.
    pub fn along(direction: Direction, [from, to]: [f64; 2]) -> Self {
        Self { from, to, direction, ring: None }
    }
}

/// A trace of the intervals that have been proved.
pub(crate) trait Chain: Trace {
    /// Reports an interval of the selected set of pairs.
    #[inline]
    fn push(&mut self, Link { from, to, direction, ring }: Link) {
        self.link([from, to], direction.start, direction.turn, ring);
    }
}

impl<T: Trace> Chain for T {}

/// Where an advancement ends.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::large_enum_variant)] // it is returned once and taken apart
pub(super) enum Advance {
    /// The bodies are apart until the end.
    Clear,
    /// They are apart before this time; at it no gap can be proved.
    Contact(Encounter),
    /// They are apart before a time, and proved to overlap at another, soon after it.
    Met(TimedContact),
    /// They are apart before this time, and at it; then the steps were used up.
    Paused(f64),
}

/// Two bodies at a time at which an advancement ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Encounter {
    pub moment: Moment,
    /// The clearance there, in the axes of the pair.
    pub found: Clearance,
    /// What rounding may do to it, beside what is in its bracket.
    pub rounding: f64,
}

/// How close bodies come: bounds on the least distance, and when the upper one was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClosestApproach {
    pub lower: f64,
    pub upper: f64,
    pub time: f64,
}

impl ClosestApproach {
    /// Nothing was seen of them from this time on.
    pub const fn none(start: f64) -> Self {
        Self { lower: f64::INFINITY, upper: f64::INFINITY, time: start }
    }

    pub fn see(&mut self, upper: f64, time: f64) {
        if upper < self.upper {
            (self.upper, self.time) = (upper, time);
        }
    }
}

/// Two convex bodies on their way.
pub(super) struct Advancement<'a, 'c, C> {
    pub pair: &'a MovingPair<'a>,
    pub shapes: [&'a Shape; 2],
    pub cache: &'c mut PairCache,
    pub chain: &'c mut C,
    /// How many more distances may be asked for.
    pub steps: u32,
    /// Bodies that are this close count as touching: zero, but for boxes around many.
    pub enough: f64,
    pub nearest: ClosestApproach,
    /// May contacts be proved by shared points, without another look?
    pub meets: bool,
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// The clearance at a moment, in the axes of the pair. What the poses round is not in it.
    fn clearance(&mut self, moment: &Moment) -> Clearance {
        self.steps = self.steps.saturating_sub(1);
        let [pose_a, pose_b]: [&Pose; 2] = moment.poses.each_ref();
        let pair = PosedPair { a: self.shapes[0], pose_a, b: self.shapes[1], pose_b };
        clearance(pair, f64::INFINITY, Engine::Auto, self.cache)
    }

    /// The bodies at a moment, looked at.
    pub fn look(&mut self, moment: Moment) -> Encounter {
        let (found, rounding) = (self.clearance(&moment), self.pair.rounding(moment.time));
        self.nearest.see((found.upper + rounding).max(0.0), moment.time);
        Encounter { moment, found, rounding }
    }

    /// From a time on, until another or the contact.
    pub fn advance(&mut self, from: f64, until: f64) -> Advance {
        if self.pair.is_straight() {
            return self.advance_straight(from, until);
        }
        let mut moment = self.pair.at(from);
        // Far away the line of centers is as good as the closest points, and is known; what will be the contact mostly proves by
        // itself that there is none before it.
        let mut goal = None;
        if let Some(n) = self.pair.between_centers(&moment) {
            let time = self.leap_time(n, &moment, until).unwrap_or(0.0);
            let is_short = moment.time + time < until;
            let near = if is_short && time > 0.0 { self.pair.at(moment.time + time) } else { moment };
            if is_short {
                goal = self.foresee(&near, until);
            }
            if self.prove(&Direction::fixed(n), &moment, &near) {
                moment = near;
            } else if let Some(next) = self.leap(n, &moment, until, 0.0) {
                moment = next;
            }
        }
        let mut longest = until - from;
        let mut before: Option<(f64, DVec3)> = None;
        let mut turn = DVec3::ZERO;
        let mut rings = RingSearch::default();
        let all = self.steps;
        while moment.time < until {
            if let Some(met) = self.reach(&mut goal, &mut moment) {
                return Advance::Met(met);
            }
            let rounding = self.pair.rounding(moment.time);
            let sight = match self.sight(&moment, until) {
                Seen::Apart(sight) => sight,
                Seen::Met(meeting) => return Advance::Met(meeting),
                Seen::Unknown => {
                    let contact = self.look(moment);
                    let found = &contact.found;
                    if self.is_lost(&moment) {
                        return self.give_up(&moment);
                    }
                    let is_near = moment.is_within(MAX_COORDINATE);
                    if !(found.lower > rounding && is_near) {
                        return Advance::Contact(contact);
                    }
                    let sight = Sight::of(found, self.shapes, &moment);
                    // So close that steps are as long as rounding.
                    let is_close = found.lower <= self.enough.max(CLOSE * rounding);
                    if is_close
                        && (found.lower <= self.enough || self.pair.rate(found.normal, &moment, sight.points) < 0.0)
                    {
                        return Advance::Contact(contact);
                    }
                    sight
                }
            };
            if self.steps == 0 {
                return Advance::Paused(moment.time);
            }
            let n = sight.normal;
            let rate = self.pair.rate(n, &moment, sight.points);
            if self.pair.is_turning() {
                let plan = self.plan(sight.gap, rate, self.pair.bend(n), &moment).min(until - moment.time);
                if plan * self.pair.turning_rate() > LEAP || all - self.steps > MANY_STEPS {
                    let leap = self.leap(n, &moment, until, plan);
                    let leap = leap.or_else(|| self.leap_apart(&moment, until, plan));
                    if let Some(next) = leap.or_else(|| self.leap_around(&mut rings, &moment, until, plan)) {
                        (moment, before) = (next, None);
                        continue;
                    }
                }
            }
            if self.pair.may_turn() {
                if let Some((time, last)) = before {
                    let fastest = 4.0 * self.pair.turning_rate();
                    let gap = sight.gap / rounding;
                    turn = turn_between(last, n, moment.time - time, gap, fastest).unwrap_or(turn);
                }
                before = Some((moment.time, n));
            }
            match self.step(&sight, rate, &moment, turn, longest, until) {
                Some(next) => {
                    // A motion of the caller's own says nothing about how long the next step may be.
                    longest = if self.pair.is_custom() { 4.0 * (next.time - moment.time) } else { f64::INFINITY };
                    moment = next;
                }
                // A trajectory whose bound does not shrink with the interval proves nothing from here on, however far the bodies are apart.
                None if self.pair.is_custom() && sight.gap > CLOSE * rounding => return self.give_up(&moment),
                None => return Advance::Contact(self.look(moment)),
            }
        }
        Advance::Clear
    }

    /// Beyond all bounds poses are no longer what they should be, and nothing can be proved; of boxes, what is in them may be nearer.
    pub fn is_lost(&self, moment: &Moment) -> bool {
        self.enough == 0.0 && !moment.is_within(MAX_COORDINATE)
    }

    /// No more steps will help.
    pub fn give_up(&mut self, moment: &Moment) -> Advance {
        self.steps = 0;
        Advance::Paused(moment.time)
    }

    /// To what is foreseen, by one link or by way of what was seen before it, if that can be proved; and the contact there, if that is.
    fn reach(&mut self, goal: &mut Option<Foreseen>, moment: &mut Moment) -> Option<TimedContact> {
        let Foreseen { moment: to, sight, met, way } = goal.as_ref()?;
        loop {
            let here = way.at(moment.time);
            if self.link(here, moment, (to, sight.normal)) {
                *moment = *to;
                let met = *met;
                *goal = None;
                return met;
            }
            let (time, normal) = way.after(moment.time)?;
            let next = self.pair.at(time);
            if !self.link(here, moment, (&next, normal)) {
                return None;
            }
            *moment = next;
        }
    }

    /// Is there one link to a moment, along the direction that is right there, or along one that turns to it from the one that is right here?
    fn link(&mut self, here: Option<DVec3>, moment: &Moment, (to, there): (&Moment, DVec3)) -> bool {
        if self.prove(&Direction::fixed(there), moment, to) {
            return true;
        }
        let turning = here.and_then(|here| Direction::between(here, there, to.time - moment.time));
        turning.is_some_and(|direction| self.prove(&direction, moment, to))
    }

    /// A leap along the line of centers.
    fn leap_apart(&mut self, moment: &Moment, until: f64, plan: f64) -> Option<Moment> {
        self.leap(self.pair.between_centers(moment)?, moment, until, plan)
    }

    /// As far as the gap between what the bodies sweep by turning allows, if that is farther than planned: for bodies that are far
    /// apart, and those that turn fast.
    fn leap(&mut self, n: DVec3, moment: &Moment, until: f64, plan: f64) -> Option<Moment> {
        let rest = until - moment.time;
        let mut time = self.leap_time(n, moment, until)?;
        // A chord of a parabola that opens upward is below it: then a shorter one.
        for _ in 0..3 {
            if time < plan {
                break;
            }
            let to = self.pair.at(if time < rest { moment.time + time } else { until });
            if self.prove(&Direction::fixed(n), moment, &to) {
                return Some(to);
            }
            time *= 0.5;
        }
        None
    }

    /// As far as a ring stays about the other body, if that is farther than planned: for bodies that turn many times.
    fn leap_around(&mut self, rings: &mut RingSearch, moment: &Moment, until: f64, plan: f64) -> Option<Moment> {
        let rest = until - moment.time;
        if !(self.pair.turning_rate() * rest > MANY_RADIANS) || !rings.is_time(self.steps) {
            return None;
        }
        let [a, b] = *rings.found.get_or_insert_with(|| self.pair.rings(moment, self.shapes));
        for ring in [a, b].into_iter().flatten() {
            let is_clear = |time: f64| {
                let to = self.pair.at(if time < rest { moment.time + time } else { until });
                let rounding = self.pair.rounding(moment.time).max(self.pair.rounding(to.time));
                let least = self.pair.around(&ring, [moment, &to]) - rounding;
                (to.time > moment.time && least > 0.0).then_some((to, least))
            };
            // The farther the other body gets from the axis, the less is left: there is one longest time.
            let [mut long, mut too_long] = [plan, rest];
            let mut best = is_clear(rest);
            if best.is_none() {
                best = is_clear(plan);
                for _ in 0..if best.is_some() { RING_ROUNDS } else { 0 } {
                    let middle = 0.5 * (long + too_long);
                    match is_clear(middle) {
                        Some(found) => (best, long) = (Some(found), middle),
                        None => too_long = middle,
                    }
                }
            }
            if let Some((to, least)) = best {
                self.nearest.lower = self.nearest.lower.min(least);
                let direction = Direction::fixed(self.pair.outward(&ring, moment));
                self.chain.push(Link { from: moment.time, to: to.time, direction, ring: Some(ring.side) });
                return Some(to);
            }
        }
        None
    }

    /// How long what the bodies sweep by turning is apart along n, or nearly so long; nothing if it is not even at first.
    fn leap_time(&self, n: DVec3, moment: &Moment, until: f64) -> Option<f64> {
        let gap = self.pair.swept_gap(n, moment);
        if !(gap > 0.0) {
            return None;
        }
        let [rate, bend] = self.pair.center_rates(n, moment);
        // The first root of gap + rate t + ½ bend t², if there is one.
        let under = rate * rate - 2.0 * bend * gap;
        let root =
            if under < 0.0 || (rate >= 0.0 && bend >= 0.0) { f64::INFINITY } else { 2.0 * gap / (under.sqrt() - rate) };
        Some((0.999 * root).min(until - moment.time))
    }

    /// How long a step may be, going by a gap, the rate at which it changes, and by how much that may fall in a unit of time.
    fn plan(&self, gap: f64, rate: f64, bend: f64, moment: &Moment) -> f64 {
        let bend = bend.max(0.0);
        // How far a chord can be proved: with f₁ = 0 it needs 4 β < f₀, with f₁ = f₀ it needs β < f₀, where β = K T² / 8.
        if !(rate < 0.0) {
            return (7.0 * gap / bend).sqrt();
        }
        // To where the gap is used up, but for what the second order may take, and rounding.
        let root = gap / -rate;
        let short = (0.5 * bend * root * root + 4.0 * self.pair.rounding(moment.time)) / -rate;
        (root - short.min(0.5 * root)).min((1.9 * gap / bend).sqrt())
    }

    /// A step to where the gap would be used up, or the longest shorter one that can be proved.
    fn step(
        &mut self,
        sight: &Sight,
        rate: f64,
        moment: &Moment,
        turn: DVec3,
        longest: f64,
        until: f64,
    ) -> Option<Moment> {
        let (gap, n) = (sight.gap, sight.normal);
        let rest = (until - moment.time).min(longest);
        let plan = |bend: f64| self.plan(gap, rate, bend, moment).min(rest);
        let (mut time, mut direction) = (plan(self.pair.bend(n)), Direction::fixed(n));
        if turn != DVec3::ZERO {
            // At right angles to the normal, of which the rest is not seen.
            let turning = turn - n * turn.dot(n);
            let bend = self.pair.turned_bend(turning.length(), [moment, moment]);
            if plan(bend) >= 0.5 * time {
                (time, direction) = (plan(bend), Direction { start: n, turn: turning });
            }
        }
        for attempt in 0..MAX_TRIES {
            let end = moment.time + time;
            let to = self.pair.at(if end < until { end } else { until });
            if !(to.time > moment.time) {
                return None;
            }
            let separation = self.pair.separation(&direction, [moment, &to]);
            let [f0, f1] = separation.ends;
            if self.is_apart(&direction, separation.least, [moment, &to]) {
                return Some(to);
            }
            // Too far: back to before the root of the chord. Else it was the parabola.
            let over = (4.0 * self.pair.rounding(to.time) - f1) / (f0 - f1);
            // A chord between two turns says nothing about its root: what has not helped often is not tried for ever.
            let longest = if attempt < MAX_GUESSES { 0.999 } else { 0.5 };
            time *= if over > 0.0 { (1.0 - 1.5 * over).clamp(0.1, longest) } else { 0.6_f64.min(longest) };
        }
        None
    }

    /// Can it be proved that a step keeps the bodies apart? (Moments are large, and are not handed around.)
    fn prove(&mut self, direction: &Direction, from: &Moment, to: &Moment) -> bool {
        if !(to.time > from.time) {
            return false;
        }
        let least = self.pair.separation(direction, [from, to]).least;
        self.is_apart(direction, least, [from, to])
    }

    /// Is that a separation that rounding leaves something of? Then it is a link of the chain.
    fn is_apart(&mut self, direction: &Direction, least: f64, [from, to]: [&Moment; 2]) -> bool {
        let least = least - self.pair.rounding(from.time).max(self.pair.rounding(to.time));
        if !(least > 0.0) {
            return false;
        }
        self.nearest.lower = self.nearest.lower.min(least);
        self.chain.push(Link::along(*direction, [from.time, to.time]));
        true
    }

    /// A time at which the bodies are proved to overlap, soon after one at which no gap could be proved; or one at which they are apart
    /// again.
    pub fn overlap_after(&mut self, contact: &Encounter, until: f64) -> AfterContact {
        let Encounter { moment, found, rounding } = contact;
        // Beyond all bounds poses are not what they should be, and prove nothing.
        if !moment.is_within(MAX_COORDINATE) {
            return AfterContact::Unknown;
        }
        // At the contact itself it may be proved already, where nothing moves.
        if found.upper + rounding <= 0.0 {
            return AfterContact::Proved(moment.time);
        }
        let rate = self.pair.rate(found.normal, moment, [found.point_a, found.point_b]);
        // The next time that is a double: at late times a body may be passed in a few of these.
        let least = moment.time.next_up() - moment.time;
        let deep = found.upper.max(0.0) + 32.0 * rounding;
        let mut time = if rate < 0.0 { deep / -rate } else { 1e-12 * (until - moment.time) }.max(least);
        let (n, meeting) = (found.normal, Sight::of(found, self.shapes, moment).carried(moment));
        let start = moment.time;
        while self.steps > 0 {
            let end = start + time;
            let is_last = !(end < until);
            let moment = self.pair.at(if is_last { until } else { end });
            let rounding = self.pair.rounding(moment.time);
            if self.shared_point(&moment, n, &meeting).is_some() {
                return AfterContact::Proved(moment.time);
            }
            let found = self.clearance(&moment);
            if found.upper + rounding <= 0.0 {
                return AfterContact::Proved(moment.time);
            }
            if found.lower > rounding {
                return AfterContact::Apart(moment.time);
            }
            if is_last {
                break;
            }
            time *= 4.0;
        }
        AfterContact::Unknown
    }
}

/// The rings of a pair, once they have been looked for, and when they are tried.
#[derive(Default)]
struct RingSearch {
    found: Option<[Option<Ring>; 2]>,
    /// How many steps are left when they are tried again: not before some more steps were made.
    next: Option<u32>,
}

impl RingSearch {
    fn is_time(&mut self, steps: u32) -> bool {
        let is_time = self.next.is_none_or(|next| steps <= next);
        if is_time {
            self.next = Some(steps.saturating_sub(MANY_STEPS));
        }
        is_time
    }
}

/// How fast a normal turns that was one vector and is another: not at all, as far as is known, if other features have become the closest.
/// Nothing if the normals are not known well enough (`gap` is in units of rounding).
fn turn_between(last: DVec3, now: DVec3, time: f64, gap: f64, fastest: f64) -> Option<DVec3> {
    let way = now - last;
    // A normal of points that are g apart is known to the rounding of these points, over g.
    let is_known = way.length() * gap > 100.0 && time > 0.0;
    let turn = now.cross(way) / time;
    is_known.then_some(if turn.length() < fastest { turn } else { DVec3::ZERO })
}

/// What comes after a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AfterContact {
    /// At this time the bodies are proved to overlap.
    Proved(f64),
    /// At this time they are proved to be apart again.
    Apart(f64),
    /// Neither could be proved until the end.
    Unknown,
}
