//! The hash that is filled again for every update: section 2.1.

use super::{HashWork, Level, Tiles, corners, each_tile, is_hashable, level};
use clearance::broad::SlotPair;
use clearance::internals::broad::{Boxes, FoundPairs, PairFinder, PairTracker};
use std::collections::BTreeMap;

/// Hierarchical hashing without coherence.
pub type PlainHash = PairTracker<PlainTables>;

/// The method of [`PlainHash`].
#[derive(Debug, Clone, Default)]
pub struct PlainTables {
    /// The resolutions in use, fine ones first.
    tables: BTreeMap<Level, Tiles>,
    order: Vec<(Level, u32)>,
    work: HashWork,
}

impl PlainTables {
    /// The work so far.
    #[must_use]
    pub fn work(&self) -> HashWork {
        self.work
    }
}

impl PairFinder for PlainTables {
    fn find(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) -> FoundPairs {
        let Self { tables, order, work } = self;
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
        FoundPairs::All
    }
}
