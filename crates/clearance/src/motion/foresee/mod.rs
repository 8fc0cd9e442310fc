//! The contact of bodies that turn, foreseen: when, along which direction and at which points they will meet.
//!
//! Nothing here is proved, and nobody relies on it. What is foreseen is a time t so shortly before the contact that a gap of a few
//! roundings is left along a unit vector n. Then one link of a chain mostly proves all that is before it: n stays where it is, the bodies
//! turn beneath it, and the chord of `envelope` loses K T² / 8, which is little beside the way that they still have to go
//! to each other. A chain that goes forward needs seven to nine links and a proved distance for each, since normals that were the
//! best ones at their start do not stay so; going back from the contact, one direction is good for long.
//!
//! How it is found: Newton's method on the time. A [`Viewer`] names a direction at a moment, with points that face each other along it; the gap
//! between these and the rate at which they close say when they would meet. Which direction:
//!
//! | shapes | direction | file |
//! |---|---|---|
//! | capsules | that of the closest points, in closed form | here |
//! | boxes | the best of the fifteen separating axes | `boxes.rs` |
//! | polytopes | the normal of the closest features, which turns with them | `polytopes.rs` |
//! | two curved bodies | one step of Newton's method on the direction beside each step on the time | `rounds.rs` |
//!
//! All of these are defined for bodies that overlap a little, so that a step may go too far.

mod boxes;
mod polytopes;
mod rounds;
#[cfg(test)]
mod tests;

use super::advance::{Advancement, CLOSE, Chain};
use super::envelope::Moment;
use super::inside::MetBy;
use super::sight::{Sight, TimedContact, of_segments};
use crate::error::MAX_COORDINATE;
use crate::shape::{Segment, Shape};
use glam::DVec3;

/// Time is stepped no more often.
const MAX_ROUNDS: u32 = 16;

/// The gap that is to be left, in units of rounding, and the least that will do: more than what is taken off for rounding, which is one.
const AIM: f64 = 4.0;
const LEAST: f64 = 1.5;

/// Below this, in units of rounding, a gap is taken from the heights that proofs ask for.
const NEAR: f64 = 256.0;

/// How often the time at which bodies are to overlap is put off.
const MAX_TRIES: u32 = 4;

/// More than these are not worth a proof: with so many links, a look from where the first one ends is as good.
const MAX_WAYPOINTS: usize = 6;

/// With fewer steps left than this nothing is foreseen: it may use some of them up.
const FEWEST_STEPS: u32 = 8;

/// A moment shortly before a contact, and what meets there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foreseen {
    pub moment: Moment,
    pub sight: Sight,
    /// The contact, if there is a point that is inside of both bodies soon after.
    pub met: Option<TimedContact>,
    /// What was seen on the way there.
    pub way: Waypoints,
}

/// The first few times at which bodies were seen apart, each with a direction that separates them. Moments are large, are copied with what
/// is foreseen, and few of these are asked for again.
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

    /// The direction at a time, if they were seen then.
    pub fn at(&self, time: f64) -> Option<DVec3> {
        self.seen().iter().find(|seen| seen.0 == time).map(|seen| seen.1)
    }

    /// When they were seen next after a time, and the direction then.
    pub fn after(&self, time: f64) -> Option<(f64, DVec3)> {
        self.seen().iter().find(|seen| seen.0 > time).copied()
    }
}

/// One of the ways to find a direction.
trait Viewer {
    /// A direction at a moment, with points that face each other along it, and how far these are apart: negative if they overlap. Nothing if
    /// none is known.
    fn view(&mut self, moment: &Moment) -> Option<(Sight, Trust)>;
}

/// How well a direction is known.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trust {
    /// To rounding.
    Settled,
    /// Well enough for a step.
    Rough,
    /// Not so well: a gap that is none along it may be one along another.
    Lost,
}

impl<C: Chain> Advancement<'_, '_, C> {
    /// The first contact, if one is foreseen: from a moment on at which the bodies are apart, until a time.
    pub fn foresee(&mut self, from: &Moment, until: f64) -> Option<Foreseen> {
        let is_plain = self.meets && self.steps >= FEWEST_STEPS && self.pair.may_turn();
        if !is_plain || !from.is_within(MAX_COORDINATE) {
            return None;
        }
        match self.shapes {
            [Shape::Segment(a), Shape::Segment(b)] => self.approach(&mut Capsules { a, b }, from, until),
            [Shape::Cuboid(a), Shape::Cuboid(b)] => self.approach(&mut boxes::BoxAxes { a, b }, from, until),
            [Shape::Polytope(a), Shape::Polytope(b)] => self.foresee_polytopes([a, b], from, until),
            [a, b] => match (a.convex(), b.convex()) {
                (Some(a), Some(b)) if a.is_curved() && b.is_curved() => {
                    self.approach(&mut rounds::Rounds::new([a, b], from), from, until)
                }
                _ => None,
            },
        }
    }

    /// Newton's method on the time.
    fn approach(&mut self, viewer: &mut impl Viewer, from: &Moment, until: f64) -> Option<Foreseen> {
        let mut moment = *from;
        let mut times = Times::new(from.time, until);
        let mut way = Waypoints::default();
        for round in 0..MAX_ROUNDS {
            let (view, trust) = viewer.view(&moment)?;
            let rounding = self.pair.rounding(moment.time);
            let is_near = view.gap.abs() <= NEAR * rounding;
            let gap = if is_near { self.pair.gap_along(view.normal, &moment) } else { view.gap };
            // What is close from the start on is for those who prove it.
            if round == 0 && !(gap > CLOSE * rounding) {
                return None;
            }
            if trust == Trust::Settled && gap >= LEAST * rounding && gap <= CLOSE * rounding {
                let found = self.foreseen(moment, Sight { gap, ..view }, MAX_TRIES, until);
                return Some(Foreseen { way, ..found });
            }
            if gap > 0.0 && trust != Trust::Lost {
                way.push(moment.time, view.normal);
            }
            if trust == Trust::Lost && gap <= 0.0 {
                moment = self.pair.at(times.back(moment.time)?);
                continue;
            }
            if !self.step_closer(&Sight { gap, ..view }, &mut moment, &mut times) {
                return None;
            }
        }
        None
    }

    /// A contact that is to come soon after a moment.
    fn foreseen(&self, moment: Moment, sight: Sight, tries: u32, until: f64) -> Foreseen {
        let met = self.meet(&moment, sight.normal, &sight.carried(&moment), tries, until);
        Foreseen { moment, sight, met, way: Waypoints::default() }
    }

    /// Goes to the moment at which the gap of a view would be used up but for [`AIM`]; false if that is never.
    fn step_closer(&self, view: &Sight, moment: &mut Moment, times: &mut Times) -> bool {
        let gap = view.gap - AIM * self.pair.rounding(moment.time);
        let rate = self.pair.rate(view.normal, moment, view.points);
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

impl Viewer for Capsules<'_> {
    fn view(&mut self, moment: &Moment) -> Option<(Sight, Trust)> {
        let (normal, points, gap) = of_segments([self.a, self.b], moment.poses.each_ref())?;
        Some((Sight { normal, points, gap, by: MetBy::Anything }, Trust::Settled))
    }
}
