//! Batches: all overlapping pairs from scratch, in columns of a grid.
//!
//! The time does not depend on how many boxes move. A query visits all of them.

mod columns;
mod sweep;

pub use columns::Columns;

use super::boxes::Boxes;
use super::pair_set::PairSet;
use super::{BroadPhase, Changes, SlotPair};
use crate::math::Aabb;

/// Finds all pairs anew in every update that changed something.
#[derive(Debug, Clone, Default)]
pub struct Prune {
    columns: Columns,
    boxes: Boxes,
    pair_set: PairSet,
    found: Vec<SlotPair>,
}

impl BroadPhase for Prune {
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
            self.columns.join(&self.boxes, &mut self.found);
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
