//! Sweep and prune: the ends of all boxes in three sorted lists, section 2.3 of the two-phase paper.
//!
//! Each update sorts the lists again by insertion, which is fast when little changed. Boxes that come to overlap do so along
//! some axis: there the beginning of one passes the end of the other, and then the boxes are compared. Boxes that cease to
//! are found in the list of pairs.
//!
//! **Deviations.** No counters of axes for every two boxes: boxes that overlap along an axis are many more than those that
//! overlap. When many boxes are new, everything is sorted and swept at once.
//!
//! Where ends are crowded along an axis (figure 6), as for parts on a table, they change places in great numbers. That is
//! the nature of this method; [`super::Prune`] and the hashes do not have it.

use super::SlotPair;
use super::boxes::{Boxes, is_held};
use super::pair_tracker::{FoundPairs, PairFinder, PairTracker};
use std::cmp::Ordering;

/// Marks the upper end of an interval. Layout: the bit above those of a slot.
const UPPER: u32 = 1 << 31;

/// One end of a box along an axis.
#[derive(Debug, Clone, Copy)]
struct End {
    value: f64,
    /// The slot, and [`UPPER`].
    label: u32,
}

impl End {
    fn of(boxes: &Boxes, label: u32, axis: usize) -> Self {
        let bounds = boxes.get(label & !UPPER);
        let value = if label & UPPER == 0 { bounds.min[axis] } else { bounds.max[axis] };
        Self { value, label }
    }

    fn is_upper(self) -> bool {
        self.label & UPPER != 0
    }

    /// Lower ends come first where values are equal, because touching counts.
    fn precedes(self, other: Self) -> bool {
        self.value < other.value || (self.value == other.value && !self.is_upper() && other.is_upper())
    }
}

/// Three sorted axes.
pub type SweepPrune = PairTracker<SortedAxes>;

/// The method of [`SweepPrune`]: the ends of all boxes in three lists.
#[derive(Debug, Clone, Default)]
pub struct SortedAxes {
    axes: [Vec<End>; 3],
    /// By slot: are its ends in the lists?
    listed: Vec<bool>,
    exchanges: u64,
}

impl SortedAxes {
    /// How many times two ends have changed places so far.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Brings the lists up to date, end by end, and notes the pairs that may be new.
    fn insert_and_sort(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        let Self { axes, listed, exchanges } = self;
        for (axis, ends) in axes.iter_mut().enumerate() {
            ends.retain(|end| is_held(boxes.get(end.label & !UPPER)));
            for &slot in boxes.touched() {
                if is_held(boxes.get(slot)) && !listed[slot as usize] {
                    ends.extend([slot, slot | UPPER].map(|label| End::of(boxes, label, axis)));
                }
            }
            for next in 0..ends.len() {
                let mut end = ends[next];
                if boxes.is_touched(end.label & !UPPER) {
                    end = End::of(boxes, end.label, axis);
                    ends[next] = end;
                }
                let mut place = next;
                while place > 0 && end.precedes(ends[place - 1]) {
                    let passed = ends[place - 1];
                    ends[place] = passed;
                    place -= 1;
                    if !end.is_upper() && passed.is_upper() {
                        let (i, j) = (end.label, passed.label & !UPPER);
                        if i != j && boxes.overlap(i, j) {
                            found.push(SlotPair::new(i, j));
                        }
                    }
                }
                ends[place] = end;
                *exchanges += (next - place) as u64;
            }
        }
        for &slot in boxes.touched() {
            listed[slot as usize] = is_held(boxes.get(slot));
        }
    }

    /// Sorts everything and finds all pairs along the axis on which the fewest boxes overlap.
    fn sort_and_sweep(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        let Self { axes, listed, .. } = self;
        let mut costs = [0_usize; 3];
        for (axis, ends) in axes.iter_mut().enumerate() {
            ends.clear();
            ends.extend(boxes.slots().flat_map(|slot| [slot, slot | UPPER]).map(|label| End::of(boxes, label, axis)));
            // There is no NaN in a proper box.
            let by_value = |a: &End, b: &End| a.value.partial_cmp(&b.value).unwrap_or(Ordering::Equal);
            ends.sort_unstable_by(|a, b| {
                by_value(a, b).then(a.is_upper().cmp(&b.is_upper())).then(a.label.cmp(&b.label))
            });
            let mut open = 0;
            for end in &*ends {
                if end.is_upper() {
                    open -= 1;
                } else {
                    costs[axis] += open;
                    open += 1;
                }
            }
        }
        let axis = (0..3).min_by_key(|&axis| costs[axis]).unwrap_or(0);
        let mut open: Vec<u32> = Vec::new();
        for end in &axes[axis] {
            let slot = end.label & !UPPER;
            if end.is_upper() {
                open.retain(|&other| other != slot);
            } else {
                let hits = open.iter().filter(|&&other| boxes.overlap(slot, other));
                found.extend(hits.map(|&other| SlotPair::new(slot, other)));
                open.push(slot);
            }
        }
        listed.fill(false);
        boxes.slots().for_each(|slot| listed[slot as usize] = true);
    }
}

impl PairFinder for SortedAxes {
    fn find(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) -> FoundPairs {
        self.listed.resize(boxes.all().len(), false);
        let fresh = boxes.touched().iter().filter(|&&slot| !self.listed[slot as usize]).count();
        if fresh > 16 + boxes.held() / 16 {
            self.sort_and_sweep(boxes, found);
            FoundPairs::All
        } else {
            self.insert_and_sort(boxes, found);
            FoundPairs::New
        }
    }
}
