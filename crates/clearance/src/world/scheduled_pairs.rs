//! The pairs of a schedule, found by both of their bodies or by one of them.
//!
//! **Invariants**, checked by `is_valid` in the tests:
//!
//! - (P1) `numbers` maps the bodies of each pair to its number, and has no others;
//! - (P2) the list of each body has the numbers of its pairs, each at the position that the pair stores;
//! - (P3) a number in `free` belongs to no pair.
//!
//! So a pair enters and leaves in O(1), also where one body has many pairs, as a floor does.

use crate::broad::SlotPair;
use rustc_hash::FxHashMap;

/// A pair of bodies whose boxes overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScheduledPair {
    pub bodies: SlotPair,
    /// The bodies are proved apart before this time, from where the schedule or the later one of their edits began.
    pub apart_before: f64,
    /// Steps of all searches of phase 1. When they reach the budget of a single query, phase 2 decides.
    pub steps: u32,
    pub stage: PairStage,
    /// The positions of this pair in the lists of its lower and its higher body.
    positions: [u32; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairStage {
    /// Proved apart until a slab ends; the next slab continues from there.
    Apart,
    /// As `Apart`, but the end of an interval came first: there is an event at it.
    Paused,
    /// The bodies may meet soon after `apart_before`, where the event is.
    Predicted,
    /// The answer about the interval is known. It has an event, unless the bodies are in contact at the start.
    Answered,
    /// Reported already, by an iterator that reports each pair once.
    Reported,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct ScheduledPairs {
    /// By number; numbers in `free` have a pair that has left.
    pairs: Vec<ScheduledPair>,
    free: Vec<u32>,
    numbers: FxHashMap<SlotPair, u32>,
    /// By slot: the numbers of the pairs of a body.
    of_body: Vec<Vec<u32>>,
}

impl ScheduledPairs {
    /// The number of a pair.
    pub fn number(&self, bodies: SlotPair) -> Option<u32> {
        self.numbers.get(&bodies).copied()
    }

    /// The pair of a number.
    pub fn get(&self, number: u32) -> &ScheduledPair {
        &self.pairs[number as usize]
    }

    /// The pair of a number, to be changed.
    pub fn get_mut(&mut self, number: u32) -> &mut ScheduledPair {
        &mut self.pairs[number as usize]
    }

    /// The numbers of the pairs of a body.
    pub fn of_body(&self, slot: u32) -> &[u32] {
        self.of_body.get(slot as usize).map_or(&[], Vec::as_slice)
    }

    /// Adds a pair that is not there yet, apart before a time; its number.
    pub fn insert(&mut self, bodies: SlotPair, apart_before: f64) -> u32 {
        let most = bodies.high() as usize + 1;
        if self.of_body.len() < most {
            self.of_body.resize_with(most, Vec::new);
        }
        let positions = [bodies.low(), bodies.high()].map(|slot| self.of_body[slot as usize].len() as u32);
        let pair = ScheduledPair { bodies, apart_before, steps: 0, stage: PairStage::Apart, positions };
        let number = match self.free.pop() {
            Some(number) => {
                self.pairs[number as usize] = pair;
                number
            }
            None => {
                self.pairs.push(pair);
                self.pairs.len() as u32 - 1
            }
        };
        for slot in [bodies.low(), bodies.high()] {
            self.of_body[slot as usize].push(number);
        }
        let previous = self.numbers.insert(bodies, number);
        debug_assert!(previous.is_none(), "P1: {bodies:?} is there already");
        number
    }

    /// Removes a pair.
    pub fn remove(&mut self, number: u32) {
        let ScheduledPair { bodies, positions, .. } = self.pairs[number as usize];
        for (slot, position) in [bodies.low(), bodies.high()].into_iter().zip(positions) {
            let list = &mut self.of_body[slot as usize];
            list.swap_remove(position as usize);
            if let Some(&moved) = list.get(position as usize) {
                let moved = &mut self.pairs[moved as usize];
                moved.positions[usize::from(moved.bodies.low() != slot)] = position;
            }
        }
        self.numbers.remove(&bodies);
        self.free.push(number);
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    #[cfg(test)]
    pub fn is_valid(&self) -> bool {
        let is_listed = |(&bodies, &number): (&SlotPair, &u32)| {
            let pair = self.get(number);
            let at = |slot: u32, position: u32| self.of_body(slot).get(position as usize) == Some(&number);
            pair.bodies == bodies && at(bodies.low(), pair.positions[0]) && at(bodies.high(), pair.positions[1])
        };
        let listed: usize = self.of_body.iter().map(Vec::len).sum();
        self.numbers.iter().all(is_listed)
            && listed == 2 * self.numbers.len()
            && self.free.len() + self.numbers.len() == self.pairs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn pairs_enter_and_leave_and_are_found_by_either_body() {
        let (mut pairs, mut all) = (ScheduledPairs::default(), BTreeSet::new());
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..4000 {
            let bodies = SlotPair::new(rng.u32(0..9), 9 + rng.u32(0..3));
            match pairs.number(bodies) {
                Some(number) => {
                    pairs.remove(number);
                    all.remove(&bodies);
                }
                None => {
                    pairs.insert(bodies, 0.0);
                    all.insert(bodies);
                }
            }
            assert!(pairs.is_valid());
            let slot = rng.u32(0..12);
            let found: BTreeSet<SlotPair> =
                pairs.of_body(slot).iter().map(|&number| pairs.get(number).bodies).collect();
            let wanted = all.iter().copied().filter(|bodies| [bodies.low(), bodies.high()].contains(&slot));
            assert_eq!(found, wanted.collect());
        }
    }
}
