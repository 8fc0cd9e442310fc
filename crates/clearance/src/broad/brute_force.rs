//! Every box against every other: the oracle.

use super::SlotPair;
use super::boxes::Boxes;
use super::pair_tracker::{FoundPairs, PairFinder, PairTracker};

/// Compares all pairs in every update that changed something.
pub type BruteForce = PairTracker<AllPairs>;

/// The method of [`BruteForce`].
#[derive(Debug, Clone, Default)]
pub struct AllPairs;

impl PairFinder for AllPairs {
    fn find(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) -> FoundPairs {
        let above = boxes.all().len() as u32;
        for i in boxes.slots() {
            found.extend((i + 1..above).filter(|&j| boxes.overlap(i, j)).map(|j| SlotPair::new(i, j)));
        }
        FoundPairs::All
    }
}
