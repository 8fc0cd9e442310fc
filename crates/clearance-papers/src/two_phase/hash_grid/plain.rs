//! The hash that is filled again for every update: section 2.1.

use super::{HashWork, Level, Tiles, corners, each_tile, is_hashable, level};
use clearance::broad::{BroadPhase, Changes, SlotPair};
use clearance::internals::broad::{Boxes, PairSet};
use clearance::math::Aabb;
use std::collections::BTreeMap;

/// Hierarchical hashing without memory.
#[derive(Debug, Clone, Default)]
pub struct PlainHash {
    boxes: Boxes,
    pair_set: PairSet,
    found: Vec<SlotPair>,
    /// The resolutions in use, fine ones first.
    tables: BTreeMap<Level, Tiles>,
    order: Vec<(Level, u32)>,
    work: HashWork,
}

impl PlainHash {
    /// What was done so far.
    #[must_use]
    pub fn work(&self) -> HashWork {
        self.work
    }

    fn find(&mut self) {
        let Self { boxes, found, tables, order, work, .. } = self;
        order.clear();
        for slot in super::outside(boxes) {
            let others = boxes.slots().filter(|&other| other != slot && boxes.overlap(slot, other));
            found.extend(others.map(|other| SlotPair::new(slot, other)));
        }
        for slot in boxes.slots().filter(|&slot| is_hashable(boxes.get(slot))) {
            order.push((level(boxes.get(slot)), slot));
        }
        // Coarse ones first, so that a box finds all that are not finer.
        order.sort_unstable_by(|a, b| b.cmp(a));
        tables.values_mut().for_each(Tiles::clear);
        for &(own, slot) in &*order {
            tables.entry(own).or_default();
            let bounds = boxes.get(slot);
            for (&at, tiles) in tables.range_mut(own..) {
                each_tile(corners(bounds, at), None, |key| {
                    let bucket = tiles.get(&key).map_or(&[][..], |bucket| &bucket[..]);
                    work.buckets += 1;
                    work.read += bucket.len() as u64;
                    for &(other, _) in bucket {
                        if other != slot && bounds.overlaps(boxes.get(other)) {
                            found.push(SlotPair::new(slot, other));
                        }
                    }
                    if at == own {
                        work.entered += 1;
                        tiles.entry(key).or_default().push((slot, own));
                    }
                });
            }
        }
        tables.retain(|_, tiles| !tiles.is_empty());
    }
}

impl BroadPhase for PlainHash {
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
            self.find();
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
