//! Conservative advancement of two convex bodies that neither rotate nor accelerate relative to each other.
//!
//! The gap along a fixed direction changes at a constant rate, so one height of each body bounds the time for which they are separated. This is Newton's method
//! on the distance, a convex function of time: it converges from one side, ends after a few steps for polytopes, and quadratically for
//! curved bodies. The invariants are those of `advance.rs`.

use super::advance::{Advance, Advancement, CLOSE, Chain, Link, OpenContact};
use super::envelope::{Direction, Moment};
use super::guess::{ContactGuess, ProbeResult};
use crate::error::MAX_COORDINATE;
use crate::math::rounding::sum_down;
use glam::DVec3;

impl<C: Chain> Advancement<'_, '_, C> {
    /// See [`advance`](Advancement::advance).
    pub(super) fn advance_straight(&mut self, from: f64, until: f64) -> Advance {
        let mut moment = self.pair.at(from);
        // At a distance the line of centers is as good a direction as the closest points.
        if let Some(n) = self.pair.between_centers(&moment) {
            moment = self.go(n, &moment, until).unwrap_or(moment);
        }
        while moment.time < until {
            let guess = match self.probe(&moment, until) {
                ProbeResult::Apart(guess) => guess,
                ProbeResult::Met(meeting) => return Advance::Met(meeting),
                ProbeResult::Unknown => {
                    if self.is_lost(&moment) {
                        return self.give_up(&moment);
                    }
                    let contact = self.sample(moment);
                    let OpenContact { found, rounding, .. } = &contact;
                    let is_near = moment.is_within(MAX_COORDINATE);
                    let is_close = found.lower <= self.contact_gap.max(CLOSE * rounding)
                        && !(self.pair.rate_of_centers(found.normal) >= 0.0);
                    if !(found.lower > *rounding && is_near) || is_close || found.lower <= self.contact_gap {
                        return Advance::Contact(contact);
                    }
                    ContactGuess::of(found, self.shapes, &moment)
                }
            };
            if self.steps == 0 {
                return Advance::Paused(moment.time);
            }
            match self.go(guess.normal, &moment, until) {
                Some(next) => moment = next,
                None => return Advance::Contact(self.sample(moment)),
            }
        }
        Advance::Clear
    }

    /// Advances as far as the gap along a direction allows.
    fn go(&mut self, n: DVec3, moment: &Moment, until: f64) -> Option<Moment> {
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
            // The rate and the quotient round by less than 4 ε. The sum is rounded down: at late times a step may be as short as one unit in
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
        debug_assert!((n.length_squared() - 1.0).abs() < 1e-9, "A3: {n:?}");
        self.nearest.lower = self.nearest.lower.min(least);
        self.chain.push(Link::along(Direction::fixed(n), [moment.time, end]));
        Some(self.pair.later(moment, end))
    }
}
