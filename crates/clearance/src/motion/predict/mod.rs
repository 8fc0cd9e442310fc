//! Contact prediction for rotating bodies: an uncertified guess (time, normal, points) that `advance.rs` then certifies.
//!
//! A prediction is a time t shortly before the contact, at which a gap of a few roundings is left along a unit vector n. One link of the chain along n mostly
//! proves everything before t: n stays fixed, the bodies rotate, and the chord of `envelope` loses K T² / 8, which is little beside the
//! distance that is still to close. A chain that goes forward needs seven to nine links with a distance query each, since a normal that is best at
//! the start of a link does not stay so. Backward from the contact, one direction serves for long.
//!
//! The method is Newton's on the time. A [`DirectionFinder`] names a direction at a moment, with points that face each other along it; their gap and
//! its rate give the next time.
//!
//! | shapes | direction | file |
//! |---|---|---|
//! | capsules | that of the closest points, in closed form | here |
//! | boxes | the best of the fifteen separating axes | `boxes.rs` |
//! | polytopes | the normal of the closest features, which rotates with them | `polytopes.rs` |
//! | two curved bodies | one Newton step on the direction for each step on the time | `rounds.rs` |
//!
//! All finders also work for bodies that overlap a little, so a step may go too far. Nothing relies on a prediction: an error costs time only.

mod boxes;
mod polytopes;
mod rounds;
#[cfg(test)]
mod tests;

use super::advance::{Advancement, CLOSE, Chain};
use super::envelope::Moment;
use super::guess::{ContactGuess, ProvedContact, of_segments};
use super::inside::MetBy;
use crate::error::MAX_COORDINATE;
use crate::shape::{Segment, Shape};
use glam::DVec3;

/// Newton steps on the time, at most.
const MAX_ROUNDS: u32 = 16;

/// The gap to leave, in units of rounding, and the least acceptable one. A proof takes off one unit.
const AIM: f64 = 4.0;
const LEAST: f64 = 1.5;

/// Below this, in units of rounding, the gap is computed from heights, as in a proof.
const NEAR: f64 = 256.0;

/// Attempts to find a time at which the bodies overlap.
const MAX_TRIES: u32 = 4;

/// Waypoints that are kept: with more links, a distance query after the first one is as good.
const MAX_WAYPOINTS: usize = 6;

/// No prediction with fewer steps left than this: it may use some of them.
const FEWEST_STEPS: u32 = 8;

/// A moment shortly before a contact, with the guess there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prediction {
    pub moment: Moment,
    pub guess: ContactGuess,
    /// The contact, if a point is inside both bodies soon after.
    pub met: Option<ProvedContact>,
    /// Earlier times at which the bodies were found apart.
    pub waypoints: Waypoints,
}

/// The first few times at which the bodies were found apart, each with a separating direction. (Times and not moments, which are large, and few of
/// which are used again.)
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Waypoints {
    seen: [(f64, DVec3); MAX_WAYPOINTS],
    count: usize,
}

impl Waypoints {
    fn push(&mut self, time: f64, normal: DVec3) {
        let is_later = self.seen().last().is_none_or(|&(last, _)| last < time);
        if self.count < MAX_WAYPOINTS && is_later {
            self.seen[self.count] = (time, normal);
            self.count += 1;
        }
    }

    fn seen(&self) -> &[(f64, DVec3)] {
        &self.seen[..self.count]
    }

    /// The direction at a time, if that is a waypoint.
    pub fn at(&self, time: f64) -> Option<DVec3> {
        self.seen().iter().find(|seen| seen.0 == time).map(|seen| seen.1)
    }

    /// The next waypoint after a time.
    pub fn after(&self, time: f64) -> Option<(f64, DVec3)> {
        self.seen().iter().find(|seen| seen.0 > time).copied()
    }
}

/// A method to find a direction.
trait DirectionFinder {
    /// A direction at a moment, with points that face each other along it, and their gap, negative if they overlap.
    fn guess(&mut self, moment: &Moment) -> Option<(ContactGuess, Confidence)>;
}

/// The accuracy of a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Confidence {
    /// To rounding.
    Settled,
    /// Sufficient for a step.
    Rough,
    /// Insufficient: bodies that overlap along it may be separated along another one.
    Lost,
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// Predicts the first contact after a moment at which the bodies are apart, until a time.
    pub fn predict(&mut self, from: &Moment, until: f64) -> Option<Prediction> {
        let is_plain = self.may_certify && self.steps >= FEWEST_STEPS && self.pair.may_turn();
        if !is_plain || !from.is_within(MAX_COORDINATE) {
            return None;
        }
        match self.shapes {
            [Shape::Segment(a), Shape::Segment(b)] => self.approach(&mut Capsules { a, b }, from, until),
            [Shape::Cuboid(a), Shape::Cuboid(b)] => self.approach(&mut boxes::BoxAxes { a, b }, from, until),
            [Shape::Polytope(a), Shape::Polytope(b)] => self.predict_polytopes([a, b], from, until),
            [a, b] => match (a.convex(), b.convex()) {
                (Some(a), Some(b)) if a.is_curved() && b.is_curved() => {
                    self.approach(&mut rounds::Rounds::new([a, b], from), from, until)
                }
                _ => None,
            },
        }
    }

    /// Newton's method on the time.
    fn approach(&mut self, finder: &mut impl DirectionFinder, from: &Moment, until: f64) -> Option<Prediction> {
        let mut moment = *from;
        let mut times = Times::new(from.time, until);
        let mut waypoints = Waypoints::default();
        for round in 0..MAX_ROUNDS {
            let (guess, confidence) = finder.guess(&moment)?;
            let rounding = self.pair.rounding(moment.time);
            let is_near = guess.gap.abs() <= NEAR * rounding;
            let gap = if is_near { self.pair.gap_along(guess.normal, &moment) } else { guess.gap };
            // Already within `CLOSE` at the start: leave it to the certified search.
            if round == 0 && !(gap > CLOSE * rounding) {
                return None;
            }
            if confidence == Confidence::Settled && gap >= LEAST * rounding && gap <= CLOSE * rounding {
                let found = self.prediction(moment, ContactGuess { gap, ..guess }, MAX_TRIES, until);
                return Some(Prediction { waypoints, ..found });
            }
            if gap > 0.0 && confidence != Confidence::Lost {
                waypoints.push(moment.time, guess.normal);
            }
            if confidence == Confidence::Lost && gap <= 0.0 {
                moment = self.pair.at(times.back(moment.time)?);
                continue;
            }
            if !self.step_closer(&ContactGuess { gap, ..guess }, &mut moment, &mut times) {
                return None;
            }
        }
        None
    }

    /// The prediction of a contact soon after a moment.
    fn prediction(&self, moment: Moment, guess: ContactGuess, tries: u32, until: f64) -> Prediction {
        let met = self.meet(&moment, guess.normal, &guess.carried(&moment), tries, until);
        Prediction { moment, guess, met, waypoints: Waypoints::default() }
    }

    /// Goes to the moment at which the gap of a view would be used up but for [`AIM`]; false if that is never.
    fn step_closer(&self, guess: &ContactGuess, moment: &mut Moment, times: &mut Times) -> bool {
        let gap = guess.gap - AIM * self.pair.rounding(moment.time);
        let rate = self.pair.rate(guess.normal, moment, guess.points);
        let Some(time) = times.next(moment.time, gap, rate) else { return false };
        *moment = self.pair.at(time);
        moment.is_within(MAX_COORDINATE)
    }
}

/// The last time at which bodies were apart and the first one at which they were not, as far as has been seen, with the gaps: the contact is
/// between these.
struct Times {
    last: f64,
    last_gap: f64,
    first: f64,
    first_gap: f64,
}

impl Times {
    fn new(from: f64, until: f64) -> Self {
        Self { last: from, last_gap: 0.0, first: until, first_gap: 0.0 }
    }

    /// Halfway back to where the bodies were apart.
    fn back(&self, time: f64) -> Option<f64> {
        let half = 0.5 * (self.last + time);
        (half > self.last && half < time).then_some(half)
    }

    /// The root of the line of that rate, or of the chord if that is not between the two.
    fn next(&mut self, time: f64, gap: f64, rate: f64) -> Option<f64> {
        if gap > 0.0 {
            (self.last, self.last_gap) = (time, gap);
        } else {
            (self.first, self.first_gap) = (time, gap);
        }
        let root = time - gap / rate;
        // Written so that a NaN is not between.
        if rate < 0.0 && root >= self.last && root <= self.first {
            return Some(root);
        }
        // Nothing is known of the end yet: if they approach at all, it may be there.
        if !(self.first_gap < 0.0) {
            return (rate < 0.0 && time < self.first).then_some(self.first);
        }
        let share = (self.last_gap / (self.last_gap - self.first_gap)).clamp(0.1, 0.9);
        let root = self.last + share * (self.first - self.last);
        (root > self.last && root < self.first).then_some(root)
    }
}

/// Capsules: the segments in them have closest points in closed form.
struct Capsules<'a> {
    a: &'a Segment,
    b: &'a Segment,
}

impl DirectionFinder for Capsules<'_> {
    fn guess(&mut self, moment: &Moment) -> Option<(ContactGuess, Confidence)> {
        let (normal, points, gap) = of_segments([self.a, self.b], moment.poses.each_ref())?;
        Some((ContactGuess { normal, points, gap, by: MetBy::Anything }, Confidence::Settled))
    }
}
