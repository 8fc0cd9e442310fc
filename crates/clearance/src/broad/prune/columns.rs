//! All overlapping pairs of many boxes at once.
//!
//! Space is cut into columns along one axis. Each box is entered into the columns it meets, each column is sorted along the
//! axis, and a box is compared with those that begin before it ends. Columns are a few box sizes wide, so that most boxes
//! are in one and few are compared in vain. Sorting along an axis alone is quadratic for boxes on a table (figure 6 of the
//! two-phase paper); in columns it is not.
//!
//! * **Sizes.** Boxes are put into classes of three octaves, each with columns of its own. A box is entered into those of its
//!   class and looks into those of coarser classes. The few largest boxes are compared with all.
//! * **Hashing.** Columns that share an entry of the table are one column: more comparisons, the same pairs.
//! * **Coherence.** Boxes are entered in the order that the last batch left, so that columns are almost sorted already and
//!   insertion sort has little to do; where it has much to do, it is given up.

use crate::broad::SlotPair;
use crate::broad::boxes::{Boxes, is_held};
use crate::broad::rough::{Rough, is_bounded};
use glam::DVec3;
use std::mem::swap;
use std::ops::Range;

/// The width of a column in lengths of the longest box of its class.
const WIDTH: f32 = 2.0;

/// Classes hold boxes with longest sides that differ by at most two to this power.
const OCTAVES: usize = 3;

/// Up to so many of the largest boxes are compared with all instead of getting columns of their own.
const GIANTS: usize = 8;

/// A class whose next finer neighbours are fewer than this part of all boxes takes them in.
const STRAGGLERS: usize = 16;

/// Boxes per entry of the table of columns, about.
const PER_COLUMN: usize = 16;

/// Finds all overlapping pairs; what it keeps from batch to batch is the order of the boxes.
#[derive(Debug, Clone)]
pub struct Columns {
    /// All slots in use: class by class, column by column, sorted along the axis, as far as they have not moved since.
    order: Vec<u32>,
    is_in_order: Vec<bool>,
    /// Along which axis columns are sorted.
    axis: usize,
    outside: Vec<u32>,
    /// One for each box, the sorted axis first, with the slot in the fourth lane; coarser classes first.
    entries: Vec<Rough>,
    unclassed: Vec<Rough>,
    /// The same in columns, with repetitions.
    columns: Vec<Rough>,
    /// Where columns begin.
    starts: Vec<u32>,
    /// How many boxes have their longest side in each octave of single precision.
    octaves: [u32; 256],
    classes: Vec<Class>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            is_in_order: Vec::new(),
            axis: 0,
            outside: Vec::new(),
            entries: Vec::new(),
            unclassed: Vec::new(),
            columns: Vec::new(),
            starts: Vec::new(),
            octaves: [0; 256],
            classes: Vec::new(),
        }
    }
}

/// The slot of an entry.
#[inline(always)]
fn slot(entry: &Rough) -> u32 {
    entry.min.to_array()[3].to_bits()
}

/// The octave of a box's longest side.
#[inline(always)]
fn octave(entry: &Rough) -> usize {
    let [x, y, z, _] = (entry.max - entry.min).to_array();
    (x.max(y).max(z).to_bits() >> 23) as usize
}

/// Columns of one width.
#[derive(Debug, Clone, Copy)]
struct Grid {
    /// One over the width.
    scale: f32,
    shift: u32,
}

impl Grid {
    fn new(width: f32, boxes: usize) -> Self {
        let bits = (boxes / PER_COLUMN).max(2).next_power_of_two().trailing_zeros().min(22);
        Self { scale: 1.0 / width, shift: 32 - bits }
    }

    fn len(&self) -> usize {
        1 << (32 - self.shift)
    }

    /// The cell of a coordinate. It never falls as the coordinate grows, which is all that is needed; that the cells on
    /// both sides of zero are one does no harm.
    #[inline(always)]
    fn cell(&self, coordinate: f32) -> i32 {
        (coordinate * self.scale) as i32
    }

    #[inline(always)]
    fn column(&self, y: i32, z: i32) -> usize {
        let key = (y as u32).wrapping_mul(0x9E37_79B1) ^ (z as u32).wrapping_mul(0x85EB_CA6B);
        (key.wrapping_mul(0xC2B2_AE35) >> self.shift) as usize
    }

    /// Visits the columns a box meets, the one of its least corner first.
    #[inline(always)]
    fn each(&self, entry: &Rough, mut visit: impl FnMut(usize)) {
        let ([_, y0, z0, _], [_, y1, z1, _]) = (entry.min.to_array(), entry.max.to_array());
        let (y0, y1, z0, z1) = (self.cell(y0), self.cell(y1), self.cell(z0), self.cell(z1));
        if y0 == y1 && z0 == z1 {
            visit(self.column(y0, z0));
            return;
        }
        for y in y0..=y1 {
            for z in z0..=z1 {
                visit(self.column(y, z));
            }
        }
    }

    /// The column of the least common corner of two boxes: of all columns they share, the one that reports the pair.
    #[inline(always)]
    fn reporter(&self, a: &Rough, b: &Rough) -> usize {
        let [_, y, z, _] = a.min.fast_max(b.min).to_array();
        self.column(self.cell(y), self.cell(z))
    }
}

/// Takes an entry pair that overlaps in single precision; looks at the boxes themselves only when that leaves doubt.
#[inline(always)]
fn report(a: &Rough, b: &Rough, boxes: &Boxes, found: &mut Vec<SlotPair>) {
    let (i, j) = (slot(a), slot(b));
    if a.surely_overlaps(b) || boxes.overlap(i, j) {
        found.push(SlotPair::new(i, j));
    }
}

/// A range of octaves of sizes.
#[derive(Debug, Clone)]
struct Class {
    octaves: Range<usize>,
    /// Few enough to be compared with all.
    giant: bool,
}

/// Cuts the sizes into classes, coarse ones first.
fn classes(octaves: &[u32; 256], classes: &mut Vec<Class>) {
    let sum = |range: Range<usize>| octaves[range].iter().map(|&count| count as usize).sum::<usize>();
    classes.clear();
    let (all, mut top) = (sum(0..256), 256);
    while let Some(highest) = octaves[..top].iter().rposition(|&count| count > 0) {
        let end = highest + 1;
        let mut start = end.saturating_sub(OCTAVES);
        if sum(0..start) < all / STRAGGLERS {
            start = 0;
        }
        classes.push(Class { octaves: start..end, giant: start > 0 && sum(start..end) <= GIANTS });
        top = start;
    }
}

impl Columns {
    /// Adds all overlapping pairs to `found`, some of them more than once.
    pub fn join(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        self.gather(boxes);
        for (index, &i) in self.outside.iter().enumerate() {
            let others = self.outside[..index].iter().copied().chain(self.unclassed.iter().map(slot));
            found.extend(others.filter(|&j| boxes.overlap(i, j)).map(|j| SlotPair::new(i, j)));
        }
        let mut classes = std::mem::take(&mut self.classes);
        self::classes(&self.octaves, &mut classes);
        self.entries.clear();
        if classes.len() == 1 {
            swap(&mut self.entries, &mut self.unclassed);
        } else {
            for class in &classes {
                self.entries.extend(self.unclassed.iter().filter(|entry| class.octaves.contains(&octave(entry))));
            }
        }
        self.order.clear();
        let mut start = 0;
        for class in &classes {
            let count: u32 = self.octaves[class.octaves.clone()].iter().sum();
            let end = start + count as usize;
            if class.giant {
                self.join_giants(start..end, boxes, found);
            } else {
                // Longest sides in this class are below this.
                let reach = f32::from_bits((class.octaves.end as u32) << 23);
                self.join_class(start..end, reach, boxes, found);
            }
            start = end;
        }
        for index in 0..self.outside.len() {
            self.put_in_order(self.outside[index]);
        }
        self.classes = classes;
    }

    /// Makes entries of all boxes, in the order of the last batch.
    fn gather(&mut self, boxes: &Boxes) {
        let all = boxes.all();
        self.is_in_order.resize(all.len(), false);
        self.order.retain(|&slot| {
            let held = is_held(&all[slot as usize]);
            self.is_in_order[slot as usize] = held;
            held
        });
        if self.order.len() < boxes.held() {
            self.order.extend(boxes.slots().filter(|&slot| !self.is_in_order[slot as usize]));
        }
        self.unclassed.clear();
        self.outside.clear();
        self.octaves = [0; 256];
        let (mut sum, mut squares) = (DVec3::ZERO, DVec3::ZERO);
        let axes = [self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3];
        for &slot in &self.order {
            self.is_in_order[slot as usize] = false;
            let bounds = &all[slot as usize];
            if is_bounded(bounds) {
                sum += bounds.min;
                squares += bounds.min * bounds.min;
                let entry = Rough::turned(bounds, axes, f32::from_bits(slot));
                self.octaves[octave(&entry)] += 1;
                self.unclassed.push(entry);
            } else {
                self.outside.push(slot);
            }
        }
        // The axis of the next batch is the one in which the boxes are spread most now.
        let count = self.unclassed.len() as f64;
        let spread = squares * count - sum * sum;
        if spread.max_element() > 1.5 * spread[self.axis] {
            self.axis = if spread.x >= spread.y && spread.x >= spread.z { 0 } else { 1 + usize::from(spread.z > spread.y) };
        }
    }

    fn put_in_order(&mut self, slot: u32) {
        if !self.is_in_order[slot as usize] {
            self.is_in_order[slot as usize] = true;
            self.order.push(slot);
        }
    }

    /// Compares a few entries with all that are not coarser.
    fn join_giants(&mut self, class: Range<usize>, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        for index in class {
            let giant = self.entries[index];
            for other in &self.entries[index + 1..] {
                if giant.overlaps(other) {
                    report(&giant, other, boxes, found);
                }
            }
            self.put_in_order(slot(&giant));
        }
    }

    /// Puts a class into columns and compares its entries with each other and with all finer ones.
    fn join_class(&mut self, class: Range<usize>, reach: f32, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        let (residents, visitors) = self.entries[class.start..].split_at(class.len());
        let grid = Grid::new(WIDTH * reach, residents.len());
        // A counting sort: how many in each column, where the next one goes, where the column ends.
        self.starts.clear();
        self.starts.resize(grid.len() + 1, 0);
        let starts = &mut self.starts;
        residents.iter().for_each(|entry| grid.each(entry, |column| starts[column + 1] += 1));
        for column in 1..starts.len() {
            starts[column] += starts[column - 1];
        }
        let total = starts[grid.len()] as usize;
        self.columns.resize(total.max(self.columns.len()), Rough::NOTHING);
        for entry in residents {
            grid.each(entry, |column| {
                self.columns[starts[column] as usize] = *entry;
                starts[column] += 1;
            });
        }
        // Scattering moved every start to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
        for column in 0..grid.len() {
            let entries = &mut self.columns[starts[column] as usize..starts[column + 1] as usize];
            sort(entries);
            prune(entries, column, &grid, boxes, found);
            for entry in entries {
                let slot = slot(entry);
                if !self.is_in_order[slot as usize] {
                    self.is_in_order[slot as usize] = true;
                    self.order.push(slot);
                }
            }
        }
        for visitor in visitors {
            let (begin, end) = (visitor.min.to_array()[0], visitor.max.to_array()[0]);
            // Who begins before this ends before the visitor begins. The rest is for rounding.
            let early = begin - 1.01 * reach - 1e-6 * begin.abs();
            grid.each(visitor, |column| {
                let entries = &self.columns[starts[column] as usize..starts[column + 1] as usize];
                let first = entries.partition_point(|entry| entry.min.to_array()[0] < early);
                for entry in &entries[first..] {
                    if entry.min.to_array()[0] > end {
                        break;
                    }
                    if entry.overlaps(visitor) && grid.reporter(entry, visitor) == column {
                        report(entry, visitor, boxes, found);
                    }
                }
            });
        }
    }
}

/// Sorts entries by where they begin: by insertion, unless that takes long.
fn sort(entries: &mut [Rough]) {
    let mut patience = 16 + 8 * entries.len();
    for next in 1..entries.len() {
        let entry = entries[next];
        let key = entry.min.to_array()[0];
        let mut place = next;
        while place > 0 && entries[place - 1].min.to_array()[0] > key {
            entries[place] = entries[place - 1];
            place -= 1;
        }
        entries[place] = entry;
        let moved = next - place;
        if moved > patience {
            entries.sort_unstable_by(|a, b| a.min.to_array()[0].total_cmp(&b.min.to_array()[0]));
            return;
        }
        patience -= moved;
    }
}

/// Compares every entry of a sorted column with those that begin before it ends.
fn prune(entries: &[Rough], column: usize, grid: &Grid, boxes: &Boxes, found: &mut Vec<SlotPair>) {
    for (index, entry) in entries.iter().enumerate() {
        let end = entry.max.to_array()[0];
        for other in &entries[index + 1..] {
            if other.min.to_array()[0] > end {
                break;
            }
            if entry.overlaps(other) && grid.reporter(entry, other) == column && slot(entry) != slot(other) {
                report(entry, other, boxes, found);
            }
        }
    }
}
