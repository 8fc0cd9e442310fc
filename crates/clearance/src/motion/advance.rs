//! Conservative advancement of two convex bodies: step by step in time, each step proved free of contact.
//!
//! A step starts from the closest points. The gap along their normal and its rate predict when the gap is used up. The step goes nearly that far, and
//! the chord bound of `envelope` between its two ends proves it; a step that cannot be proved is shortened. The gap that remains is of second
//! order, as in Newton's method, so about ten steps reach a contact.
//!
//! Normals of rotating bodies rotate. From the second step on their rate is known, and the direction of a step rotates with them: a fixed one would
//! lose to first order where a face or an edge is closest.
//!
//! Before each step the search tries one link to a predicted contact (`predict`). Mostly it is the first and last link.
//!
//! **Invariants**, asserted in debug builds:
//!
//! - (A1) a link goes forward in time, and begins where the link before it ends;
//! - (A2) a link is pushed only if the bodies are apart in it by more than rounding;
//! - (A3) the direction of a link is a unit vector at its start.

use super::envelope::{Direction, Moment, MovingPair, Ring};
use super::guess::{ContactGuess, ProbeResult, ProvedContact};
use super::predict::Prediction;
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::pair::{Clearance, Engine, PairCache, PosedPair, clearance};
use crate::shape::Shape;
use crate::trace::Trace;
use glam::DVec3;

/// Distance queries of one search for two convex bodies, at most. Contacts take about ten; a gap that stays below 1e-7 of the size through a whole
/// turn takes more.
pub(super) const MAX_STEPS: u32 = 4096;

/// Attempts to shorten a step, before the bodies count as touching.
const MAX_TRIES: u32 = 40;

/// Attempts that use the root of the chord; later ones halve the step.
const MAX_GUESSES: u32 = 10;

/// Approaching bodies with a gap below this, in units of rounding, count as touching: no step would gain more.
pub(super) const CLOSE: f64 = 8.0;

/// From this rotation in a step on, in radians, the bound by swept volumes may be the better one.
const LEAP: f64 = 0.05;

/// Rings are tried if at least this rotation, in radians, is left in the interval.
const MANY_RADIANS: f64 = 10.0;

/// Bisection steps for the time until which a ring is clear.
const RING_ROUNDS: u32 = 32;

/// After this many steps all bounds are tried, and rings again.
const MANY_STEPS: u32 = 24;

/// One interval of a chain: the bodies are separated along the direction from one time to the other, or one body is a ring about the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    pub from: f64,
    pub to: f64,
    /// Of a ring: from its axis to the body, at the start.
    pub direction: Direction,
    /// The body that rotates about an axis which it does not meet, outside of a cylinder that holds the other body.
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
    /// The bodies are apart before this time; at it no gap can be proved.
    Contact(OpenContact),
    /// The bodies are apart before a time, and proved to overlap at another one soon after it.
    Met(ProvedContact),
    /// The bodies are apart until this time, at which the steps were used up.
    Paused(f64),
}

/// Two bodies at a time at which no gap is proved. Whether they meet is not decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenContact {
    pub moment: Moment,
    /// The clearance there, in the axes of the pair.
    pub found: Clearance,
    /// The rounding error of the poses, beside that in the bracket of the clearance.
    pub rounding: f64,
}

/// Bounds on the least distance, and the time of the upper one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClosestApproach {
    pub lower: f64,
    pub upper: f64,
    pub time: f64,
}

impl ClosestApproach {
    /// Before the first distance query, at this time.
    pub const fn none(start: f64) -> Self {
        Self { lower: f64::INFINITY, upper: f64::INFINITY, time: start }
    }

    pub fn see(&mut self, upper: f64, time: f64) {
        if upper < self.upper {
            (self.upper, self.time) = (upper, time);
        }
    }
}

/// The search for two convex bodies.
pub(super) struct Advancement<'a, 'c, C> {
    pub pair: &'a MovingPair<'a>,
    pub shapes: [&'a Shape; 2],
    pub cache: &'c mut PairCache,
    pub chain: &'c mut C,
    /// Distance queries that are left.
    pub steps: u32,
    /// Gap at which a pair counts as touching: 0 for parts, positive for bounding boxes.
    pub contact_gap: f64,
    pub nearest: ClosestApproach,
    /// May a shared point certify a contact, without a distance query?
    pub may_certify: bool,
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// The clearance at a moment, in the axes of the pair, without the rounding error of the poses.
    fn clearance(&mut self, moment: &Moment) -> Clearance {
        self.steps = self.steps.saturating_sub(1);
        let [pose_a, pose_b]: [&Pose; 2] = moment.poses.each_ref();
        let pair = PosedPair { a: self.shapes[0], pose_a, b: self.shapes[1], pose_b };
        clearance(pair, f64::INFINITY, Engine::Auto, self.cache)
    }

    /// A distance query at a moment, which also bounds the closest approach.
    pub fn sample(&mut self, moment: Moment) -> OpenContact {
        let (found, rounding) = (self.clearance(&moment), self.pair.rounding(moment.time));
        self.nearest.see((found.upper + rounding).max(0.0), moment.time);
        OpenContact { moment, found, rounding }
    }

    /// Advances from a time until another one, or until the contact.
    pub fn advance(&mut self, from: f64, until: f64) -> Advance {
        if self.pair.is_straight() {
            return self.advance_straight(from, until);
        }
        let mut moment = self.pair.at(from);
        // At a distance the line of centers is as good a direction as the closest points. The normal of the predicted contact mostly proves by itself
        // that there is no earlier one.
        let mut goal = None;
        if let Some(n) = self.pair.between_centers(&moment) {
            let time = self.leap_time(n, &moment, until).unwrap_or(0.0);
            let is_short = moment.time + time < until;
            let near = if is_short && time > 0.0 { self.pair.at(moment.time + time) } else { moment };
            if is_short {
                goal = self.predict(&near, until);
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
            if let Some(met) = self.link_to(&mut goal, &mut moment) {
                return Advance::Met(met);
            }
            let rounding = self.pair.rounding(moment.time);
            let guess = match self.probe(&moment, until) {
                ProbeResult::Apart(guess) => guess,
                ProbeResult::Met(meeting) => return Advance::Met(meeting),
                ProbeResult::Unknown => {
                    let contact = self.sample(moment);
                    let found = &contact.found;
                    if self.is_lost(&moment) {
                        return self.give_up(&moment);
                    }
                    let is_near = moment.is_within(MAX_COORDINATE);
                    if !(found.lower > rounding && is_near) {
                        return Advance::Contact(contact);
                    }
                    let guess = ContactGuess::of(found, self.shapes, &moment);
                    // Steps would be as short as rounding.
                    let is_close = found.lower <= self.contact_gap.max(CLOSE * rounding);
                    if is_close
                        && (found.lower <= self.contact_gap
                            || self.pair.rate(found.normal, &moment, guess.points) < 0.0)
                    {
                        return Advance::Contact(contact);
                    }
                    guess
                }
            };
            if self.steps == 0 {
                return Advance::Paused(moment.time);
            }
            let n = guess.normal;
            let rate = self.pair.rate(n, &moment, guess.points);
            if self.pair.is_turning() {
                let plan = self.plan(guess.gap, rate, self.pair.bend(n), &moment).min(until - moment.time);
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
                    let gap = guess.gap / rounding;
                    turn = turn_between(last, n, moment.time - time, gap, fastest).unwrap_or(turn);
                }
                before = Some((moment.time, n));
            }
            match self.step(&guess, rate, &moment, turn, longest, until) {
                Some(next) => {
                    // A user-defined trajectory does not say how long the next step may be.
                    longest = if self.pair.is_custom() { 4.0 * (next.time - moment.time) } else { f64::INFINITY };
                    moment = next;
                }
                // A trajectory whose bound does not shrink with the interval proves nothing from here on.
                None if self.pair.is_custom() && guess.gap > CLOSE * rounding => return self.give_up(&moment),
                None => return Advance::Contact(self.sample(moment)),
            }
        }
        Advance::Clear
    }

    /// Poses beyond [`MAX_COORDINATE`] prove nothing. (The parts in a bounding box may be nearer.)
    pub fn is_lost(&self, moment: &Moment) -> bool {
        self.contact_gap == 0.0 && !moment.is_within(MAX_COORDINATE)
    }

    /// Ends the search: no more steps will help.
    pub fn give_up(&mut self, moment: &Moment) -> Advance {
        self.steps = 0;
        Advance::Paused(moment.time)
    }

    /// Links to the predicted contact, directly or by way of its waypoints, as far as that is proved. Returns the contact, if it is certified.
    fn link_to(&mut self, goal: &mut Option<Prediction>, moment: &mut Moment) -> Option<ProvedContact> {
        let Prediction { moment: to, guess, met, waypoints } = goal.as_ref()?;
        loop {
            let here = waypoints.at(moment.time);
            if self.link(here, moment, (to, guess.normal)) {
                *moment = *to;
                let met = *met;
                *goal = None;
                return met;
            }
            let (time, normal) = waypoints.after(moment.time)?;
            let next = self.pair.at(time);
            if !self.link(here, moment, (&next, normal)) {
                return None;
            }
            *moment = next;
        }
    }

    /// Links to a moment along the direction there, or along one that rotates from the direction here to it.
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

    /// Leaps as far as the gap between the swept volumes of the rotations allows, if that is farther than planned: for distant bodies and fast
    /// rotations.
    fn leap(&mut self, n: DVec3, moment: &Moment, until: f64, plan: f64) -> Option<Moment> {
        let rest = until - moment.time;
        let mut time = self.leap_time(n, moment, until)?;
        // The bound by chords is lower than that by the parabola; then a shorter leap.
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

    /// Leaps as far as a ring stays clear of the other body, if that is farther than planned: for many turns.
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
            // The clearance of the ring decreases with time, so bisection finds the longest one.
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

    /// The time, nearly, for which the swept volumes of the rotations are separated along n; `None` if they are not at the moment.
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

    /// The length of a step, from a gap, its rate, and a bound on how fast the rate may fall.
    fn plan(&self, gap: f64, rate: f64, bend: f64, moment: &Moment) -> f64 {
        let bend = bend.max(0.0);
        // The longest provable chord: with f₁ = 0 it needs 4 β < f₀, with f₁ = f₀ it needs β < f₀, where β = K T² / 8.
        if !(rate < 0.0) {
            return (7.0 * gap / bend).sqrt();
        }
        // To the root of the gap, less the loss of second order and rounding.
        let root = gap / -rate;
        let short = (0.5 * bend * root * root + 4.0 * self.pair.rounding(moment.time)) / -rate;
        (root - short.min(0.5 * root)).min((1.9 * gap / bend).sqrt())
    }

    /// A step toward the root of the gap, shortened until it is proved.
    fn step(
        &mut self,
        guess: &ContactGuess,
        rate: f64,
        moment: &Moment,
        turn: DVec3,
        longest: f64,
        until: f64,
    ) -> Option<Moment> {
        let (gap, n) = (guess.gap, guess.normal);
        let rest = (until - moment.time).min(longest);
        let plan = |bend: f64| self.plan(gap, rate, bend, moment).min(rest);
        let (mut time, mut direction) = (plan(self.pair.bend(n)), Direction::fixed(n));
        if turn != DVec3::ZERO {
            // Only the component at right angles to the normal rotates it.
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
            // If the chord ends below zero, back to before its root; else the loss of second order was too large.
            let over = (4.0 * self.pair.rounding(to.time) - f1) / (f0 - f1);
            // The root of a chord that spans a turn means nothing: halve after a few attempts.
            let longest = if attempt < MAX_GUESSES { 0.999 } else { 0.5 };
            time *= if over > 0.0 { (1.0 - 1.5 * over).clamp(0.1, longest) } else { 0.6_f64.min(longest) };
        }
        None
    }

    /// Proves that a step keeps the bodies apart, and records it. (Moments are large, so they are passed by reference.)
    fn prove(&mut self, direction: &Direction, from: &Moment, to: &Moment) -> bool {
        if !(to.time > from.time) {
            return false;
        }
        let least = self.pair.separation(direction, [from, to]).least;
        self.is_apart(direction, least, [from, to])
    }

    /// Records a link if its least separation exceeds rounding.
    fn is_apart(&mut self, direction: &Direction, least: f64, [from, to]: [&Moment; 2]) -> bool {
        let least = least - self.pair.rounding(from.time).max(self.pair.rounding(to.time));
        if !(least > 0.0) {
            return false;
        }
        debug_assert!(from.time < to.time, "A1: {} {}", from.time, to.time);
        debug_assert!((direction.start.length_squared() - 1.0).abs() < 1e-9, "A3: {direction:?}");
        self.nearest.lower = self.nearest.lower.min(least);
        self.chain.push(Link::along(*direction, [from.time, to.time]));
        true
    }

    /// The fate of a contact at which no gap was proved: a time soon after it at which the bodies are proved to overlap, or to be apart again.
    pub fn overlap_after(&mut self, contact: &OpenContact, until: f64) -> AfterContact {
        let OpenContact { moment, found, rounding } = contact;
        // Poses beyond `MAX_COORDINATE` prove nothing.
        if !moment.is_within(MAX_COORDINATE) {
            return AfterContact::Unknown;
        }
        // At rest, the contact itself may prove it.
        if found.upper + rounding <= 0.0 {
            return AfterContact::Proved(moment.time);
        }
        let rate = self.pair.rate(found.normal, moment, [found.point_a, found.point_b]);
        // The next double: at late times a body may pass another one in a few of these.
        let least = moment.time.next_up() - moment.time;
        let deep = found.upper.max(0.0) + 32.0 * rounding;
        let mut time = if rate < 0.0 { deep / -rate } else { 1e-12 * (until - moment.time) }.max(least);
        let (n, meeting) = (found.normal, ContactGuess::of(found, self.shapes, moment).carried(moment));
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

/// The rings of a pair, computed once, and when they are tried next.
#[derive(Default)]
struct RingSearch {
    found: Option<[Option<Ring>; 2]>,
    /// Rings are tried again when no more than this many steps are left.
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

/// The angular velocity of a normal between two times: zero if it jumped, as when other features become the closest. `None` if the normals are not
/// known well enough (`gap` is in units of rounding).
fn turn_between(last: DVec3, now: DVec3, time: f64, gap: f64, fastest: f64) -> Option<DVec3> {
    let way = now - last;
    // The error of a normal is the rounding of the closest points over their distance.
    let is_known = way.length() * gap > 100.0 && time > 0.0;
    let turn = now.cross(way) / time;
    is_known.then_some(if turn.length() < fastest { turn } else { DVec3::ZERO })
}

/// The time after a contact at which no gap was proved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AfterContact {
    /// The bodies are proved to overlap at this time.
    Proved(f64),
    /// They are proved to be apart again at this time.
    Apart(f64),
    /// Neither was proved until the end.
    Unknown,
}
