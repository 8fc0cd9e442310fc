//! The list of overlapping pairs, and how it changes.

use super::boxes::Boxes;
use super::{Changes, SlotPair};
use std::mem::swap;

/// All pairs that overlap, sorted, and the differences of the last update.
#[derive(Debug, Clone, Default)]
pub struct PairSet {
    pairs: Vec<SlotPair>,
    next: Vec<SlotPair>,
    added: Vec<SlotPair>,
    removed: Vec<SlotPair>,
}

impl PairSet {
    /// All pairs, sorted.
    pub fn pairs(&self) -> &[SlotPair] {
        &self.pairs
    }

    /// The changes of the last update.
    pub fn changes(&self) -> Changes<'_> {
        Changes { added: &self.added, removed: &self.removed }
    }

    /// Nothing changed.
    pub fn keep(&mut self) {
        self.added.clear();
        self.removed.clear();
    }

    /// The pairs are now `found`, in any order and with repetitions; it comes back with useless contents.
    pub fn replace(&mut self, found: &mut Vec<SlotPair>, boxes: &Boxes) {
        self.keep();
        found.sort_unstable();
        found.dedup();
        let mut old = self.pairs.iter().copied().peekable();
        for &pair in &*found {
            while let Some(gone) = old.next_if(|&other| other < pair) {
                self.removed.push(gone);
            }
            if old.next_if_eq(&pair).is_none() {
                self.added.push(pair);
            } else if boxes.any_renewed() && renewed(boxes, pair) {
                self.removed.push(pair);
                self.added.push(pair);
            }
        }
        self.removed.extend(old);
        swap(&mut self.pairs, found);
    }

    /// Pairs of touched boxes that no longer overlap are dropped, and `found` are added: overlapping pairs in any order,
    /// with repetitions, among them all that were not there before.
    pub fn amend(&mut self, found: &mut Vec<SlotPair>, boxes: &Boxes) {
        self.keep();
        found.sort_unstable();
        found.dedup();
        for &pair in &self.pairs {
            if !boxes.is_touched(pair.low()) && !boxes.is_touched(pair.high()) {
                continue;
            }
            let overlap = boxes.overlap(pair.low(), pair.high());
            if !overlap || (boxes.any_renewed() && renewed(boxes, pair)) {
                self.removed.push(pair);
                if overlap {
                    self.added.push(pair);
                }
            }
        }
        let again = self.added.len();
        // A few new ones are looked up in the many old ones, faster than by walking along both.
        let mut rest = &self.pairs[..];
        for &pair in &*found {
            debug_assert!(boxes.overlap(pair.low(), pair.high()), "what is found overlaps");
            rest = &rest[rest.partition_point(|&other| other < pair)..];
            if rest.first() != Some(&pair) {
                self.added.push(pair);
            }
        }
        if again > 0 {
            self.added.sort_unstable();
        }
        if !self.added.is_empty() || !self.removed.is_empty() {
            self.merge();
        }
    }

    /// Carries the differences out.
    fn merge(&mut self) {
        self.next.clear();
        let (mut added, mut removed) = (self.added.iter().copied().peekable(), self.removed.iter().peekable());
        for &pair in &self.pairs {
            while let Some(new) = added.next_if(|&new| new <= pair) {
                self.next.push(new);
            }
            if removed.next_if(|&&gone| gone == pair).is_none() {
                self.next.push(pair);
            }
        }
        self.next.extend(added);
        swap(&mut self.pairs, &mut self.next);
    }
}

fn renewed(boxes: &Boxes, pair: SlotPair) -> bool {
    boxes.is_renewed(pair.low()) || boxes.is_renewed(pair.high())
}
