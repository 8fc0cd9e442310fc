//! A broad phase around a method that finds pairs: it keeps the boxes and the list of pairs, and its queries visit every box.

use super::boxes::Boxes;
use super::pair_set::PairSet;
use super::{BroadPhase, Changes, SlotPair};
use crate::math::Aabb;

/// Which pairs a [`PairFinder`] has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundPairs {
    /// All that overlap.
    All,
    /// All that overlap now and did not at the last update; others may be among them.
    New,
}

/// A method that finds overlapping pairs of boxes.
pub trait PairFinder: std::fmt::Debug + Clone + Default + Send + Sync + 'static {
    /// Appends pairs of overlapping boxes to an empty list, in any order and with repetitions. It is called when a box has changed:
    /// [`Boxes::touched`] lists those that did since the last call.
    fn find(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) -> FoundPairs;
}

/// The boxes, the pairs that overlap, and the method that finds them.
#[derive(Debug, Clone, Default)]
pub struct PairTracker<F> {
    boxes: Boxes,
    pair_set: PairSet,
    found: Vec<SlotPair>,
    finder: F,
}

impl<F> PairTracker<F> {
    /// The method, with what it has counted.
    pub fn finder(&self) -> &F {
        &self.finder
    }
}

impl<F: PairFinder> BroadPhase for PairTracker<F> {
    fn set(&mut self, slot: u32, bounds: &Aabb) {
        self.boxes.set(slot, bounds);
    }

    fn remove(&mut self, slot: u32) {
        self.boxes.remove(slot);
    }

    fn bounds(&self, slot: u32) -> &Aabb {
        self.boxes.get(slot)
    }

    fn update(&mut self) -> Changes<'_> {
        self.pair_set.keep();
        if !self.boxes.touched().is_empty() {
            self.found.clear();
            match self.finder.find(&self.boxes, &mut self.found) {
                FoundPairs::All => self.pair_set.replace(&mut self.found, &self.boxes),
                FoundPairs::New => self.pair_set.amend(&mut self.found, &self.boxes),
            }
            self.boxes.settle();
        }
        self.pair_set.changes()
    }

    fn pairs(&self) -> &[SlotPair] {
        self.pair_set.pairs()
    }

    fn overlapping(&self, bounds: &Aabb, slots: &mut Vec<u32>) {
        self.boxes.scan_overlapping(bounds, slots);
    }

    fn nearest(&self, from: &Aabb, limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        self.boxes.scan_nearest(from, limit, visit);
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
