//! Conservative advancement of two convex bodies: step by step in time, each step proved free of contact.
//!
//! A step starts from the closest points. The gap along their normal and its rate predict when the gap is used up. The step goes nearly that far, and
//! a bound between its two ends proves it.
//!
//! - **Straight motion** is the case without spin. The gap along a fixed direction changes at a constant rate, so one height of each body bounds the
//!   time for which they are separated. This is Newton's method on the distance, a convex function of time: it converges from one side, ends
//!   after a few steps for polytopes, and quadratically for curved bodies.
//! - **Rotating bodies** need the chord bound of `envelope`; a step that it does not prove is shortened. The gap that remains is of second order, so
//!   about ten steps reach a contact. Normals rotate with the bodies. From the second step on their rate is known, and the direction of a step
//!   rotates with them: a fixed one would lose to first order where a face or an edge is closest. Before each step the search tries one link to a
//!   predicted contact (`predict`). Mostly it is the first and last link.
//!
//! **Invariants**, asserted in debug builds:
//!
//! - (A1) a link goes forward in time, and begins where the link before it ends;
//! - (A2) a link is pushed only if the bodies are apart in it by more than rounding;
//! - (A3) the direction of a link is a unit vector at its start.

use super::certify::{AfterContact, ProvedContact, Toi};
use super::envelope::{Direction, Moment, MovingPair, Ring};
use super::impact::{Approach, Hit};
use super::predict::{ContactGuess, Prediction};
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::math::rounding::sum_down;
use crate::pair::{Clearance, Engine, PairCache, PosedPair, clearance};
use crate::shape::Shape;
use crate::trace::Trace;
use crate::tuning::motion as tuning;
use glam::DVec3;

/// Bound: approaching bodies with a gap below this, in units of rounding, count as touching. A step takes off up to four units, so that none would gain
/// more.
pub(super) const CLOSE: f64 = 8.0;

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

/// The search for two convex bodies.
pub(super) struct Advancement<'a, 'c, C> {
    pub pair: &'a MovingPair<'a>,
    pub shapes: [&'a Shape; 2],
    pub cache: &'c mut PairCache,
    pub chain: &'c mut C,
    /// Distance queries that are left.
    pub steps: u32,
    /// More queries would not decide the rest of the interval.
    pub has_given_up: bool,
    /// Gap at which a pair counts as touching: 0 for parts, positive for bounding boxes.
    pub contact_gap: f64,
    pub nearest: Approach,
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
    pub fn sample(&mut self, moment: &Moment) -> Clearance {
        let (found, rounding) = (self.clearance(moment), self.pair.rounding(moment.time));
        self.nearest.see((found.upper + rounding).max(0.0), moment.time);
        found
    }

    /// Advances from a time until another one, or until the contact.
    pub fn advance(&mut self, from: f64, until: f64) -> Toi {
        let is_straight = self.pair.is_straight();
        let mut moment = self.pair.at(from);
        // At a distance the line of centers is as good a direction as the closest points. The normal of the predicted contact mostly proves by itself
        // that there is no earlier one.
        let mut goal = None;
        if let Some(n) = self.pair.between_centers(&moment) {
            if is_straight {
                moment = self.straight_step(n, &moment, until).unwrap_or(moment);
            } else {
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
        }
        let mut turning = TurningSteps { longest: until - from, budget: self.steps, ..TurningSteps::default() };
        while moment.time < until {
            if let Some(met) = self.link_to(&mut goal, &mut moment) {
                return Toi::met(met, self.pair);
            }
            let guess = match self.guess(&moment, [from, until]) {
                Ok(guess) => guess,
                Err(end) => return end,
            };
            if self.steps == 0 {
                return Toi::Paused(moment.time);
            }
            let next = if is_straight {
                self.straight_step(guess.normal, &moment, until)
            } else {
                self.turning_step(&guess, &moment, until, &mut turning)
            };
            match next {
                Some(next) => {
                    debug_assert!(next.time > moment.time, "A1: {} {}", moment.time, next.time);
                    moment = next;
                }
                // A trajectory whose bound does not shrink with the interval proves nothing from here on.
                None if self.pair.is_custom() && guess.gap > CLOSE * self.pair.rounding(moment.time) => {
                    return self.give_up(&moment);
                }
                None => {
                    let found = self.sample(&moment);
                    return self.contact(&moment, found, [from, until]);
                }
            }
        }
        Toi::Clear
    }

    /// The normal, the points and the gap to continue with at a moment; or the end of the search.
    #[allow(clippy::result_large_err)] // the end of a search is no error
    fn guess(&mut self, moment: &Moment, interval: [f64; 2]) -> Result<ContactGuess, Toi> {
        let rounding = self.pair.rounding(moment.time);
        if let Some((guess, distance)) = self.probe(moment) {
            let is_close = guess.gap <= CLOSE * rounding && self.pair.rate(guess.normal, moment, guess.points) < 0.0;
            if !is_close {
                self.steps -= 1;
                self.nearest.see((distance + 2.0 * rounding).max(0.0), moment.time);
                return Ok(guess);
            }
            if let Some(met) = self.meet(moment, &guess.carried(moment), tuning::PROBE_OVERLAP_TRIES, interval[1]) {
                return Err(Toi::met(met, self.pair));
            }
        }
        let found = self.sample(moment);
        if self.is_lost(moment) {
            return Err(self.give_up(moment));
        }
        if !(found.lower > rounding && moment.is_within(MAX_COORDINATE)) {
            return Err(self.contact(moment, found, interval));
        }
        let guess = ContactGuess::of(&found, self.shapes, moment);
        // Steps would be as short as rounding.
        let is_close = found.lower <= CLOSE * rounding && self.pair.rate(found.normal, moment, guess.points) < 0.0;
        if is_close || found.lower <= self.contact_gap {
            return Err(self.contact(moment, found, interval));
        }
        Ok(guess)
    }

    /// A contact at a moment, before which the bodies are proved apart, and its fate. (For bounding boxes the fate does not matter.)
    fn contact(&mut self, moment: &Moment, found: Clearance, [from, until]: [f64; 2]) -> Toi {
        let hit = Hit::unproved(&found, moment.time, self.pair);
        let is_part = self.contact_gap == 0.0;
        let after = if is_part { self.overlap_after(moment, &found, until) } else { AfterContact::Unknown };
        if moment.time == from && !(found.lower > self.pair.rounding(from)) {
            return Toi::Touching(found, hit, after);
        }
        Toi::Contact(hit, after)
    }

    /// A step of straight motion, as far as the gap along a direction allows.
    fn straight_step(&mut self, n: DVec3, moment: &Moment, until: f64) -> Option<Moment> {
        let rate = self.pair.rate_of_centers(n);
        let wide = self.pair.gap_along(n, moment);
        // The root of the gap, without rounding.
        let root = if rate < 0.0 { moment.time + wide / -rate } else { f64::INFINITY };
        let rounding = self.pair.rounding(moment.time).max(self.pair.rounding(root.min(until)));
        let gap = wide - rounding;
        // Written so that a NaN is no gap.
        if !(gap > 0.0) {
            return None;
        }
        let (end, least) = if rate < 0.0 {
            // Bound: the rate and the quotient round by less than 4 ε. The sum is rounded down: at late times a step may be as short as one unit in
            // the last place of the time.
            let time = (gap - 2.0 * rounding) / -rate * (1.0 - 4.0 * f64::EPSILON);
            let end = sum_down(moment.time, time).min(until);
            (end, gap + rate * (end - moment.time))
        } else {
            (until, gap)
        };
        if !(end > moment.time && least > 0.0) {
            return None;
        }
        // The square of a unit vector that was rounded is off by a few ε.
        debug_assert!((n.length_squared() - 1.0).abs() < 1e-9, "A3: {n:?}");
        self.nearest.lower = self.nearest.lower.min(least);
        self.chain.push(Link::along(Direction::fixed(n), [moment.time, end]));
        Some(self.pair.later(moment, end))
    }

    /// A step of rotating bodies: a leap if one goes farther than the plan, else one along a direction that rotates with the normals.
    fn turning_step(
        &mut self,
        guess: &ContactGuess,
        moment: &Moment,
        until: f64,
        state: &mut TurningSteps,
    ) -> Option<Moment> {
        let n = guess.normal;
        let rate = self.pair.rate(n, moment, guess.points);
        if self.pair.is_turning() {
            let plan = self.plan(guess.gap, rate, self.pair.bend(n), moment).min(until - moment.time);
            let is_long = state.budget - self.steps > tuning::MANY_STEPS;
            if plan * self.pair.turning_rate() > tuning::LEAP || is_long {
                let leap = self.leap(n, moment, until, plan);
                let leap = leap.or_else(|| self.leap_apart(moment, until, plan));
                if let Some(next) = leap.or_else(|| self.leap_around(state, moment, until, plan)) {
                    state.before = None;
                    return Some(next);
                }
            }
        }
        if self.pair.may_turn() {
            if let Some((time, last)) = state.before {
                let fastest = 4.0 * self.pair.turning_rate();
                let gap = guess.gap / self.pair.rounding(moment.time);
                state.turn = turn_between(last, n, moment.time - time, gap, fastest).unwrap_or(state.turn);
            }
            state.before = Some((moment.time, n));
        }
        let next = self.step(guess, rate, moment, state, until)?;
        // A user-defined trajectory does not say how long the next step may be.
        state.longest = if self.pair.is_custom() { 4.0 * (next.time - moment.time) } else { f64::INFINITY };
        Some(next)
    }

    /// Poses beyond [`MAX_COORDINATE`] prove nothing. (The parts in a bounding box may be nearer.)
    pub fn is_lost(&self, moment: &Moment) -> bool {
        self.contact_gap == 0.0 && !moment.is_within(MAX_COORDINATE)
    }

    /// Ends the search: no more steps will help.
    pub fn give_up(&mut self, moment: &Moment) -> Toi {
        self.has_given_up = true;
        Toi::Paused(moment.time)
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
    fn leap_around(&mut self, state: &mut TurningSteps, moment: &Moment, until: f64, plan: f64) -> Option<Moment> {
        let rest = until - moment.time;
        if !(self.pair.turning_rate() * rest > tuning::MANY_RADIANS) || !state.is_ring_time(self.steps) {
            return None;
        }
        let [a, b] = *state.rings.get_or_insert_with(|| self.pair.rings(moment, self.shapes));
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
                for _ in 0..if best.is_some() { tuning::RING_ROUNDS } else { 0 } {
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
        &TurningSteps { turn, longest, .. }: &TurningSteps,
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
        for attempt in 0..tuning::STEP_TRIES {
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
            let longest = if attempt < tuning::CHORD_TRIES { 0.999 } else { 0.5 };
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
        // The square of a unit vector that was rounded is off by a few ε.
        debug_assert!((direction.start.length_squared() - 1.0).abs() < 1e-9, "A3: {direction:?}");
        self.nearest.lower = self.nearest.lower.min(least);
        self.chain.push(Link::along(*direction, [from.time, to.time]));
        true
    }

    /// The fate of a contact at which no gap was proved: a time soon after it at which the bodies are proved to overlap, or to be apart again.
    fn overlap_after(&mut self, moment: &Moment, found: &Clearance, until: f64) -> AfterContact {
        let rounding = self.pair.rounding(moment.time);
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
        // Bodies that do not approach are tested a little later: a trillionth of the time left.
        let mut time = if rate < 0.0 { deep / -rate } else { 1e-12 * (until - moment.time) }.max(least);
        let guess = ContactGuess::of(found, self.shapes, moment).carried(moment);
        let start = moment.time;
        while self.steps > 0 {
            let end = start + time;
            let is_last = !(end < until);
            let moment = self.pair.at(if is_last { until } else { end });
            let rounding = self.pair.rounding(moment.time);
            if self.shared_point(&moment, &guess).is_some() {
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

/// The state of the steps of rotating bodies.
#[derive(Default)]
struct TurningSteps {
    /// The last moment without a leap after it, with its normal.
    before: Option<(f64, DVec3)>,
    /// The angular velocity of the normal.
    turn: DVec3,
    /// The longest next step.
    longest: f64,
    /// The steps that were left at the start.
    budget: u32,
    /// The rings of the pair, computed once.
    rings: Option<[Option<Ring>; 2]>,
    /// Rings are tried again when no more than this many steps are left.
    next_ring: Option<u32>,
}

impl TurningSteps {
    fn is_ring_time(&mut self, steps: u32) -> bool {
        let is_time = self.next_ring.is_none_or(|next| steps <= next);
        if is_time {
            self.next_ring = Some(steps.saturating_sub(tuning::MANY_STEPS));
        }
        is_time
    }
}

/// The angular velocity of a normal between two times: zero if it jumped, as when other features become the closest. `None` if the normals are not
/// known well enough (`gap` is in units of rounding).
fn turn_between(last: DVec3, now: DVec3, time: f64, gap: f64, fastest: f64) -> Option<DVec3> {
    let change = now - last;
    // The error of a normal is the rounding of the closest points over their distance.
    let is_known = change.length() * gap > 100.0 && time > 0.0;
    let turn = now.cross(change) / time;
    is_known.then_some(if turn.length() < fastest { turn } else { DVec3::ZERO })
}
