//! Sleeping entries of a kept front: pairs of subtrees that are far enough apart, whatever the motion, until B has travelled a certain way.
//!
//! They are in no order. Each block has a lower bound of its wake-up travel; a call visits the blocks whose bound has been reached. A heap would keep an
//! order that no query needs.
//!
//! **Invariant.** (S1) `least` of a block is at most `until` of each of its entries.

use crate::tree::SubTreePair;
use crate::tuning::meshes as tuning;

/// Sleeping entries; the default is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Resting {
    /// The bound of an entry plus the travel at which it was computed. Less the travel by now, the pair is at least that far apart.
    until: Vec<f64>,
    pairs: Vec<SubTreePair>,
    /// By block: a lower bound of `until`. (An entry that had it may be gone.)
    least: Vec<f64>,
}

impl Resting {
    pub fn len(&self) -> usize {
        self.until.len()
    }

    /// The memory of its lists.
    pub fn bytes(&self) -> usize {
        let each = size_of::<f64>() * (self.until.capacity() + self.least.capacity());
        each + size_of::<SubTreePair>() * self.pairs.capacity()
    }

    pub fn clear(&mut self) {
        self.until.clear();
        self.pairs.clear();
        self.least.clear();
    }

    /// Lets a pair sleep.
    #[inline]
    pub fn push(&mut self, pair: SubTreePair, until: f64) {
        if self.len().is_multiple_of(tuning::BLOCK) {
            self.least.push(f64::INFINITY);
        }
        if let Some(least) = self.least.last_mut() {
            *least = least.min(until);
        }
        self.until.push(until);
        self.pairs.push(pair);
    }

    /// All pairs, and lower bounds of their distances after that travel.
    #[cfg(test)]
    pub fn facts(&self, travelled: f64) -> impl Iterator<Item = (SubTreePair, f64)> {
        self.pairs.iter().copied().zip(self.until.iter().map(move |until| until - travelled))
    }

    /// Takes out all entries whose bound is below `enough` after that travel; returns a lower bound of the distance of the others.
    pub fn wake(&mut self, travelled: f64, enough: f64, mut woken: impl FnMut(SubTreePair)) -> f64 {
        let mut rest = f64::INFINITY;
        // From the last: the entry that takes the place of a removed one has been visited.
        for block in (0..self.least.len()).rev() {
            if !(self.least[block] - travelled >= enough) {
                self.wake_of(block, |until| !(until - travelled >= enough), &mut woken);
            }
            rest = rest.min(self.least[block]);
        }
        self.least.truncate(self.len().div_ceil(tuning::BLOCK));
        rest - travelled
    }

    /// Takes out the expired entries of a block, after all later blocks.
    #[inline]
    fn wake_of(&mut self, block: usize, is_due: impl Fn(f64) -> bool, woken: &mut impl FnMut(SubTreePair)) {
        let first = tuning::BLOCK * block;
        for at in (first..self.len().min(first + tuning::BLOCK)).rev() {
            if is_due(self.until[at]) {
                woken(self.pairs[at]);
                self.until.swap_remove(at);
                self.pairs.swap_remove(at);
            }
        }
        let left = &self.until[first.min(self.len())..self.len().min(first + tuning::BLOCK)];
        self.least[block] = left.iter().fold(f64::INFINITY, |least, until| least.min(*until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Expired entries become active, and no others; none is lost or there twice; and the bounds of the others hold.
    #[test]
    fn what_is_due_wakes_and_nothing_else() {
        let mut rng = Rng::with_seed(96);
        let mut woken_in_all = 0;
        for round in 0..60 {
            let (mut resting, mut due) = (Resting::default(), 0.0);
            // By number: how long it rests, unless it woke.
            let mut all: Vec<Option<f64>> = Vec::new();
            for _ in 0..200 {
                for _ in 0..rng.usize(0..[3, 12, 60][round % 3]) {
                    let until = due + (16.0 * rng.f64()).round() / 4.0;
                    resting.push(SubTreePair { bound: all.len() as f32, ..SubTreePair::ROOTS }, until);
                    all.push(Some(until));
                }
                due += 0.3 * rng.f64();
                // Due is what is less than has been travelled and what is enough together.
                let enough = 0.25 * rng.f64();
                let rest = resting.wake(due - enough, enough, |pair| {
                    let until = all[pair.bound as usize].take().expect("it wakes once");
                    assert!(until < due + 1e-12, "it wakes too early");
                    woken_in_all += 1;
                });
                let left = || all.iter().flatten().map(|until| until - (due - enough));
                assert!(left().all(|bound| bound >= enough && bound >= rest), "it should have woken");
                assert_eq!(left().count(), resting.len());
                assert!(rest >= enough && (rest < f64::INFINITY || left().next().is_none()));
            }
            resting.clear();
            assert_eq!(resting.wake(0.0, f64::INFINITY, |_| unreachable!()), f64::INFINITY);
        }
        assert!(woken_in_all > 10_000, "{woken_in_all}");
    }
}
