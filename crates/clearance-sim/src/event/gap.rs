//! When the gap of two bodies falls through the collision envelope.

use super::{EventMode, SLOWEST_HOP};
use clearance::Clearance;

/// Halvings of the gap at which a pair collides, when it would approach too slowly. Bound: the gap stays above a thousandth of ε, far above rounding.
const MOST_HALVINGS: u32 = 10;

/// Width of the gap that is found, relative to it. Bound: positions at impacts repeat to 1e-10 of ε when time runs backwards.
const WIDTH: f64 = 1e-10;

/// Part of the speed at the contact that a pair has to approach with when it collides. Bound: a pair that grazes the envelope collides at half of the gap, where it is faster.
const GRAZING: f64 = 0.125;

/// Steps of a search. Bound: bisection to the last bit.
const MOST_STEPS: u32 = 80;

/// A time before the contact, and the clearance then.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    pub time: f64,
    pub clearance: Clearance,
    /// The speed of a fall through the envelope with the acceleration of this pair, be it from gravity or from rotation.
    pub hop: f64,
}

impl EventMode {
    /// The last time before a contact at which the gap is ε; or half of it, a quarter, and so on, if the approach is slow until then.
    ///
    /// A pair whose gap is less than ε now collides at its gap, so that it does not come closer from hop to hop.
    pub(super) fn crossing(&self, pair: [usize; 2], contact: f64) -> Crossing {
        let start = self.fleet.clearance(pair, self.fleet.now);
        let at_contact = self.fleet.clearance(pair, contact);
        let contact_speed = -self.fleet.separation_speed(pair, contact, &at_contact);
        let slowest = (SLOWEST_HOP * self.hop).max(GRAZING * contact_speed);
        let mut level = self.envelope.min(start.lower);
        let mut found = Crossing { time: self.fleet.now, clearance: start, hop: self.hop };
        for _ in 0..=MOST_HALVINGS {
            found = self.falls_through(pair, level, found, (contact, at_contact.lower, contact_speed));
            let speed = -self.fleet.separation_speed(pair, found.time, &found.clearance);
            // v² at the contact less v² here is twice the acceleration times the gap.
            let gain = (contact_speed * contact_speed - speed * speed).max(0.0);
            found.hop = self.hop.max((gain * self.envelope / found.clearance.lower).sqrt());
            if speed > 0.0 && speed >= slowest {
                break;
            }
            level *= 0.5;
        }
        found
    }

    /// The last time at which the gap is at least `level`, between one at which it is and the contact, which has a time, a gap and an approach speed.
    fn falls_through(&self, pair: [usize; 2], level: f64, early: Crossing, end: (f64, f64, f64)) -> Crossing {
        let (contact, mut gap_high, speed) = end;
        let (mut low, mut high) = (early, contact);
        if high <= low.time {
            return low;
        }
        // Backwards from the contact: the gap may have several maxima before it.
        let whole = high - low.time;
        let mut step = if speed > 0.0 { (level / speed).min(whole) } else { whole };
        for _ in 0..MOST_STEPS {
            let time = (contact - step).max(early.time);
            let clearance = if time > early.time { self.fleet.clearance(pair, time) } else { early.clearance };
            if clearance.lower >= level || time <= early.time {
                low = Crossing { time, clearance, ..early };
                break;
            }
            (high, gap_high) = (time, clearance.lower);
            step *= 2.0;
        }
        // The secant, with bisection where it does not halve the interval.
        let mut is_bisecting = false;
        for _ in 0..MOST_STEPS {
            let excess = low.clearance.lower - level;
            if excess <= WIDTH * level {
                break;
            }
            let width = high - low.time;
            let fall = low.clearance.lower - gap_high;
            let share = if is_bisecting || !(fall > 0.0) { 0.5 } else { (excess / fall).clamp(0.0, 1.0) };
            // A little early, so that the gap is not below the level by rounding alone.
            let time = low.time + width * share * (1.0 - 0.5 * WIDTH);
            if !(time > low.time && time < high) {
                break;
            }
            let clearance = self.fleet.clearance(pair, time);
            if clearance.lower >= level {
                low = Crossing { time, clearance, ..early };
            } else {
                (high, gap_high) = (time, clearance.lower);
            }
            is_bisecting = high - low.time > 0.5 * width;
        }
        low
    }
}
