//! Two convex bodies that neither turn nor go along a curve.
//!
//! Along a direction their gap changes at a constant rate, so that one height of each body says until when they are apart; and the least of
//! all those times is the contact. This is Newton's method on the distance, which is a convex function of time: it comes from one side, ends
//! after a few steps between polytopes, and doubles its digits between curved bodies.

use super::advance::{Advance, Advancement, CLOSE, Chain, Encounter, Link};
use super::envelope::{Direction, Moment};
use super::sight::{Seen, Sight};
use crate::error::MAX_COORDINATE;
use crate::math::rounding::sum_down;
use glam::DVec3;

impl<C: Chain> Advancement<'_, '_, C> {
    /// See [`advance`](Advancement::advance).
    pub(super) fn advance_straight(&mut self, from: f64, until: f64) -> Advance {
        let mut moment = self.pair.at(from);
        // Far away the line of centers is as good as the closest points, and is known.
        if let Some(n) = self.pair.between_centers(&moment) {
            moment = self.go(n, &moment, until).unwrap_or(moment);
        }
        while moment.time < until {
            let sight = match self.sight(&moment, until) {
                Seen::Apart(sight) => sight,
                Seen::Met(meeting) => return Advance::Met(meeting),
                Seen::Unknown => {
                    if self.is_lost(&moment) {
                        return self.give_up(&moment);
                    }
                    let contact = self.look(moment);
                    let Encounter { found, rounding, .. } = &contact;
                    let is_near = moment.is_within(MAX_COORDINATE);
                    let is_close = found.lower <= self.enough.max(CLOSE * rounding)
                        && !(self.pair.rate_of_centers(found.normal) >= 0.0);
                    if !(found.lower > *rounding && is_near) || is_close || found.lower <= self.enough {
                        return Advance::Contact(contact);
                    }
                    Sight::of(found, self.shapes, &moment)
                }
            };
            if self.steps == 0 {
                return Advance::Paused(moment.time);
            }
            match self.go(sight.normal, &moment, until) {
                Some(next) => moment = next,
                None => return Advance::Contact(self.look(moment)),
            }
        }
        Advance::Clear
    }

    /// As far as the gap along a direction allows.
    fn go(&mut self, n: DVec3, moment: &Moment, until: f64) -> Option<Moment> {
        let rate = self.pair.rate_of_centers(n);
        let wide = self.pair.gap_along(n, moment);
        // Without rounding it would be used up then.
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
        self.nearest.lower = self.nearest.lower.min(least);
        self.chain.push(Link::along(Direction::fixed(n), [moment.time, end]));
        Some(self.pair.later(moment, end))
    }
}
