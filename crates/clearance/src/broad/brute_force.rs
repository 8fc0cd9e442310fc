//! Every box against every other: the oracle.

use super::boxes::Boxes;
use super::pair_set::PairSet;
use super::{BroadPhase, Changes, SlotPair};
use crate::math::Aabb;

/// Compares all pairs in every update that changed something.
#[derive(Debug, Clone, Default)]
pub struct BruteForce {
    boxes: Boxes,
    pair_set: PairSet,
    found: Vec<SlotPair>,
}

impl BroadPhase for BruteForce {
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
            for i in self.boxes.slots() {
                let above = self.boxes.all().len() as u32;
                self.found.extend((i + 1..above).filter(|&j| self.boxes.overlap(i, j)).map(|j| SlotPair::new(i, j)));
            }
            self.pair_set.replace(&mut self.found, &self.boxes);
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
