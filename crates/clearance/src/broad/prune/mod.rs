//! Batches: all overlapping pairs from scratch, in columns of a grid.
//!
//! The time does not depend on how many boxes move. A query visits all of them.

mod columns;
mod sweep;

pub use columns::Columns;

use super::SlotPair;
use super::boxes::Boxes;
use super::pair_tracker::{FoundPairs, PairFinder, PairTracker};

/// Finds all pairs anew in every update that changed something.
pub type Prune = PairTracker<Columns>;

impl PairFinder for Columns {
    fn find(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) -> FoundPairs {
        self.join(boxes, found);
        FoundPairs::All
    }
}
