//! The front of a search, kept from call to call: pairs of subtrees that cover all pairs of triangles, each with how far it was apart.
//!
//! What was `bound` apart when the bodies had travelled `w` against each other is at least `bound - (w' - w)` apart when they have
//! travelled `w'`. So an entry keeps the sum `bound + w`, its *expiry*: while that is no less than `enough + w'`, nothing in it can be closer
//! than `enough`, and it need not be looked at. In a coherent motion most of the front is passed over by one comparison each; what
//! has expired is taken up from there, not from the roots.
//!
//! Entries are facts about two meshes, whatever was asked: intersection tests and distances share one front.
//!
//! **How far they travel.** A point x of B goes from R x + t to R' x + t'. With the middle m of B's tree and its radius ρ, that is no farther
//! than |(R' m + t') - (R m + t)| + ‖R' - R‖ ρ. Two rotations that differ by an angle θ differ by 2 sin(θ/2) in that norm, and by √2 times as
//! much in Frobenius's.

use super::walk::SubTreePair;
use crate::math::Frame;
use glam::{DMat3, DVec3};

/// A front with more entries is dropped: it takes longer than a search from the roots, and much memory.
const MOST_ENTRIES: usize = 1 << 15;

/// What is kept; the default is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Front {
    /// All pairs of subtrees, and beside them when they expire.
    pairs: Vec<SubTreePair>,
    expiries: Vec<f64>,
    /// How far the bodies have travelled against each other, in all.
    travelled: f64,
    /// Where B was at the last call.
    last: Option<Frame>,
    /// How many entries there were when it was made from the roots.
    first_len: usize,
    /// So many calls go without a front, since the motion is too fast for one.
    rest: u8,
}

/// How many calls go without a front when more than a quarter of it has expired in one step.
const REST: u8 = 16;

impl Front {
    /// Is this call one that goes without a front?
    pub fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        rests
    }

    /// Is there one?
    pub fn is_known(&self) -> bool {
        self.last.is_some()
    }

    /// Brings the front to a new place of B, whose tree has that middle and radius. `rounding` is what the frame is off by.
    pub fn travel(&mut self, b_in_a: &Frame, middle: DVec3, radius: f64, rounding: f64) {
        let Some(last) = self.last.replace(*b_in_a) else { return };
        let turn = b_in_a.rotation - last.rotation;
        let squares = |m: DMat3| m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared();
        let norm = |m: DMat3| (0.5 * squares(m)).sqrt();
        let moved = b_in_a.point(middle).distance(last.point(middle));
        // A place that has not changed is not off.
        let is_same = last == *b_in_a;
        self.travelled += if is_same { 0.0 } else { (moved + norm(turn) * radius) * (1.0 + 1e-12) + 2.0 * rounding };
    }

    /// Takes out all pairs that may be closer than `enough`, and says how far the others are apart at least. All of them, and nothing is
    /// left, if the front is to be made anew: it has not been made, or has grown too much. If too much of it does not hold any more, the
    /// search is from the roots, and the next calls are without a front.
    pub fn take_expired(&mut self, enough: f64, expired: &mut Vec<SubTreePair>) -> f64 {
        // Differences round by an ε of the larger; what is kept is farther than `enough` beyond that.
        let latest = (enough + self.travelled) * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE;
        let count = self.expiries.iter().filter(|&&expiry| !(expiry >= latest)).count();
        if 4 * count > self.expiries.len() {
            *self = Self { rest: REST, ..Self::default() };
            expired.push(SubTreePair::ROOTS);
            return f64::INFINITY;
        }
        if self.pairs.is_empty() || self.pairs.len() > 3 * self.first_len + 64 {
            self.pairs.clear();
            self.expiries.clear();
            self.first_len = 0;
            expired.push(SubTreePair::ROOTS);
            return f64::INFINITY;
        }
        let mut least = f64::INFINITY;
        let mut kept = 0;
        for i in 0..self.pairs.len() {
            if self.expiries[i] >= latest {
                least = least.min(self.expiries[i]);
                (self.pairs[kept], self.expiries[kept]) = (self.pairs[i], self.expiries[i]);
                kept += 1;
            } else {
                expired.push(self.pairs[i]);
            }
        }
        self.pairs.truncate(kept);
        self.expiries.truncate(kept);
        (least - self.travelled) - 2.0 * f64::EPSILON * least
    }

    /// Everything in a pair is at least that far apart.
    pub fn keep(&mut self, pair: SubTreePair, lower: f64) {
        if self.rest > 0 {
            return;
        }
        self.pairs.push(pair);
        self.expiries.push(lower + self.travelled - 2.0 * f64::EPSILON * (lower + self.travelled));
    }

    /// The search is over, and all pairs are covered again.
    pub fn close(&mut self) {
        if self.rest == 0 && self.first_len == 0 {
            self.first_len = self.pairs.len();
        }
        if self.pairs.len() > MOST_ENTRIES {
            *self = Self::default();
        }
    }

    /// Begins a front at that place of B.
    pub fn begin(&mut self, b_in_a: &Frame) {
        *self = Self { last: Some(*b_in_a), ..Self::default() };
    }

    /// The entries.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }
}
