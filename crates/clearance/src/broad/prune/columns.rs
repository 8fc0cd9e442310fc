//! All overlapping pairs of many boxes at once.
//!
//! Space is cut into columns along one axis. Each box is a member of the columns it meets, each column is sorted along the
//! axis, and a box is compared with those that begin before it ends. Columns are a few box sizes wide, so that most boxes
//! are in one and few are compared in vain. Sorting along an axis alone is quadratic for boxes on a table (figure 6 of the
//! two-phase paper); in columns it is not.
//!
//! * **Coherence.** Columns are kept from batch to batch. A box that moved is found in the same columns most of the time, and the columns
//!   are almost sorted, so that insertion sort has little to do. Where it has much to do, it is given up.
//! * **Sizes.** Boxes are put into classes of three octaves, each with columns of its own. A box is a member of the columns of
//!   its class and looks into those of coarser classes. The few largest boxes are compared with all.
//! * **Hashing.** Columns that share a place in the table are one column: more comparisons, the same pairs.

use super::sweep::ColumnSweep;
use crate::broad::SlotPair;
use crate::broad::boxes::{Boxes, is_held};
use crate::broad::rough::Rough;
use crate::math::multiversioned;
use crate::tuning::broad as tuning;
use glam::DVec3;
use std::ops::Range;
use wide::{f32x4, i32x4};

/// Classes of slots that are in no class: without a box, compared with all, or too far out for single precision. Layout: the three largest
/// numbers of a byte.
const ABSENT: u8 = 255;
const GIANT: u8 = 254;
const OUTSIDE: u8 = 253;

/// Finds all overlapping pairs.
#[derive(Debug, Clone)]
pub struct Columns {
    /// By slot: the box, the sorted axis first, with the slot in the fourth lane.
    entries: Vec<Rough>,
    /// By slot: the cells of its corners, across the columns.
    cells: Vec<[i32; 4]>,
    /// By slot: its class, or what it is instead.
    kinds: Vec<u8>,
    /// Coarse ones first.
    classes: Vec<Class>,
    /// Along which axis columns are sorted.
    axis: usize,
    oversize: Vec<u32>,
    outside: Vec<u32>,
    /// Slots that are not where they were.
    moved: Vec<u32>,
    /// How many boxes and giants there were when the classes were made, and how many batches ago.
    built_for: [usize; 2],
    age: u32,
    /// How many boxes have their longest side in each octave of single precision, and how long these sides are in all.
    octaves: [u32; 256],
    lengths: [f32; 256],
    /// The column at work; all columns of a class where there are finer ones, and where they begin.
    sweep: ColumnSweep,
    sorted: Vec<Rough>,
    starts: Vec<u32>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            cells: Vec::new(),
            kinds: Vec::new(),
            classes: Vec::new(),
            axis: 0,
            oversize: Vec::new(),
            outside: Vec::new(),
            moved: Vec::new(),
            built_for: [0; 2],
            age: 0,
            octaves: [0; 256],
            lengths: [0.0; 256],
            sweep: ColumnSweep::default(),
            sorted: Vec::new(),
            starts: Vec::new(),
        }
    }
}

/// Set in slots that ride in a lane: as a number of single precision the slot alone would be subnormal, and processors compute with those a
/// hundred times slower. Layout: a bit above those of a slot.
const NORMAL: u32 = 1 << 30;

/// The slot of an entry.
#[inline(always)]
fn slot(entry: &Rough) -> u32 {
    entry.min.as_array()[3].to_bits() ^ NORMAL
}

/// Where an entry begins along the axis, and where it ends.
#[inline(always)]
pub fn begin(entry: &Rough) -> f32 {
    entry.min.as_array()[0]
}

#[inline(always)]
fn end(entry: &Rough) -> f32 {
    entry.max.as_array()[0]
}

/// The longest side of an entry.
#[inline(always)]
fn longest(entry: &Rough) -> f32 {
    let [x, y, z, _] = (entry.max - entry.min).to_array();
    let longer = if x > y { x } else { y };
    if longer > z { longer } else { z }
}

fn octave(entry: &Rough) -> usize {
    (longest(entry).to_bits() >> 23) as usize
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
        let bits = (boxes / tuning::PER_COLUMN).max(2).next_power_of_two().trailing_zeros().min(22);
        Self { scale: 1.0 / width, shift: 32 - bits }
    }

    fn len(&self) -> usize {
        1 << (32 - self.shift)
    }

    /// The cells of the corners. A cell never falls as the coordinate grows, which is all that is needed; that the cells on
    /// both sides of zero are one does no harm. Entries are at least two units in the last place of their coordinates
    /// long and columns as wide as the longest, so cells are below 2^23 in size.
    #[inline(always)]
    fn cells(&self, entry: &Rough) -> [i32; 4] {
        let scale = f32x4::splat(self.scale);
        let [_, y0, z0, _] = (entry.min * scale).fast_trunc_int().to_array();
        let [_, y1, z1, _] = (entry.max * scale).fast_trunc_int().to_array();
        [y0, z0, y1, z1]
    }

    #[inline(always)]
    fn column(&self, y: i32, z: i32) -> usize {
        let key = (y as u32).wrapping_mul(0x9E37_79B1) ^ (z as u32).wrapping_mul(0x85EB_CA6B);
        (key.wrapping_mul(0xC2B2_AE35) >> self.shift) as usize
    }

    /// The columns between two corners; the same column may come more than once.
    fn columns(&self, [y0, z0, y1, z1]: [i32; 4]) -> impl Iterator<Item = usize> + use<> {
        let grid = *self;
        (y0..=y1).flat_map(move |y| (z0..=z1).map(move |z| grid.column(y, z)))
    }

    /// The column of the least common corner of two boxes: of all columns they share, the one that reports the pair.
    #[inline(always)]
    fn reporter(&self, a: &Rough, b: &Rough) -> usize {
        let corner = a.min.fast_max(b.min);
        let [y, z, ..] = self.cells(&Rough { min: corner, max: corner });
        self.column(y, z)
    }
}

/// Takes two entries that overlap in single precision; tests the boxes themselves only when that leaves doubt.
#[inline(always)]
fn report(a: &Rough, b: &Rough, boxes: &Boxes, found: &mut Vec<SlotPair>) {
    let (i, j) = (slot(a), slot(b));
    if i != j && (a.surely_overlaps(b) || boxes.overlap(i, j)) {
        found.push(SlotPair::new(i, j));
    }
}

/// Boxes of similar size and their columns.
#[derive(Debug, Clone)]
struct Class {
    /// The longest sides are below this.
    reach: f32,
    grid: Grid,
    /// The slots in each column, sorted along the axis as they were last seen there.
    columns: Vec<Vec<u32>>,
}

/// Cuts the sizes into ranges of octaves for classes, coarse ones first. Boxes of sizes that are in none are giants.
fn cut(octaves: &[u32; 256]) -> Vec<Range<usize>> {
    let sum = |range: Range<usize>| octaves[range].iter().map(|&count| count as usize).sum::<usize>();
    let mut ranges = Vec::new();
    let (all, mut top) = (sum(0..256), 256);
    while let Some(highest) = octaves[..top].iter().rposition(|&count| count > 0) {
        let end = highest + 1;
        let mut start = end.saturating_sub(tuning::CLASS_OCTAVES);
        if sum(0..start) < all / tuning::STRAGGLERS {
            start = 0;
        }
        // Giants are those above all classes, so one class below another is never left out.
        if !ranges.is_empty() || start == 0 || sum(start..end) > tuning::GIANTS {
            ranges.push(start..end);
        }
        top = start;
    }
    ranges
}

impl Columns {
    /// Adds all overlapping pairs to `found`, some of them more than once.
    pub fn join(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        self.refresh(boxes);
        self.age += 1;
        let ([count, oversize], held) = (self.built_for, boxes.held());
        let outgrown = held > 2 * count || held < count / 4 || self.oversize.len() > oversize + tuning::GIANTS;
        if outgrown || self.age > tuning::REVIEW {
            self.review(boxes, outgrown);
        }
        self.join_outside(boxes, found);
        self.join_giants(boxes, found);
        for class in 0..self.classes.len() {
            multiversioned(
                #[inline(always)]
                || self.join_class(class, boxes, found),
            );
        }
    }

    /// Visits all boxes, and puts those that crossed a border into their new columns.
    fn refresh(&mut self, boxes: &Boxes) {
        self.entries.resize(boxes.all().len(), Rough::NOTHING);
        self.cells.resize(boxes.all().len(), [0; 4]);
        self.kinds.resize(boxes.all().len(), ABSENT);
        self.oversize.clear();
        self.outside.clear();
        multiversioned(
            #[inline(always)]
            || match self.axis {
                0 => self.look::<0, 1, 2>(boxes),
                1 => self.look::<1, 2, 0>(boxes),
                _ => self.look::<2, 0, 1>(boxes),
            },
        );
        let moved = std::mem::take(&mut self.moved);
        for &number in &moved {
            let (index, held) = (number as usize, is_held(boxes.get(number)));
            if held && self.entries[index].is_bounded() {
                self.move_over(index);
                continue;
            }
            self.leave(index);
            self.entries[index] = Rough::NOTHING;
            if held {
                self.kinds[index] = OUTSIDE;
                self.outside.push(number);
            }
        }
        self.moved = moved;
    }

    /// Makes an entry of every box, its axes in the order X, Y, Z, and lists those that are not in the columns they were in.
    #[inline(always)]
    fn look<const X: usize, const Y: usize, const Z: usize>(&mut self, boxes: &Boxes) {
        self.moved.clear();
        let state = self.entries.iter_mut().zip(&self.cells).zip(&self.kinds);
        for ((bounds, number), ((entry, cells), &kind)) in boxes.all().iter().zip(0..).zip(state) {
            let new = Rough::turned::<X, Y, Z>(bounds, f32::from_bits(number | NORMAL));
            *entry = new;
            if let Some(class) = self.classes.get(usize::from(kind))
                && new.is_bounded() & new.is_shorter(class.reach)
                && i32x4::new(class.grid.cells(&new)).simd_eq(i32x4::new(*cells)).to_bitmask() == 15
            {
                continue;
            }
            self.moved.push(number);
        }
    }

    /// Finds new columns for a slot.
    fn move_over(&mut self, index: usize) {
        let entry = self.entries[index];
        let size = longest(&entry);
        let kind = self.kinds[index];
        if !self.classes.get(usize::from(kind)).is_some_and(|class| size < class.reach) {
            // It was in no class or has outgrown its own; the finest that it fits into is the last.
            self.leave(index);
            match self.classes.iter().rposition(|class| size < class.reach) {
                Some(class) => {
                    let cells = self.classes[class].grid.cells(&entry);
                    self.cells[index] = cells;
                    self.kinds[index] = class as u8;
                    let class = &mut self.classes[class];
                    class.grid.columns(cells).for_each(|column| class.columns[column].push(index as u32));
                }
                None => {
                    self.kinds[index] = GIANT;
                    self.oversize.push(index as u32);
                }
            }
            return;
        }
        let class = &mut self.classes[usize::from(kind)];
        let (old, new) = (self.cells[index], class.grid.cells(&entry));
        // Most often one row or column of cells is entered or left, and the others stay.
        let within = |[y0, z0, y1, z1]: [i32; 4], y: i32, z: i32| y0 <= y && y <= y1 && z0 <= z && z <= z1;
        for y in old[0]..=old[2] {
            for z in old[1]..=old[3] {
                if !within(new, y, z) {
                    take(&mut class.columns[class.grid.column(y, z)], index as u32);
                }
            }
        }
        for y in new[0]..=new[2] {
            for z in new[1]..=new[3] {
                if !within(old, y, z) {
                    class.columns[class.grid.column(y, z)].push(index as u32);
                }
            }
        }
        self.cells[index] = new;
    }

    /// Takes a slot out of its columns.
    fn leave(&mut self, index: usize) {
        if let Some(class) = self.classes.get_mut(usize::from(self.kinds[index])) {
            for column in class.grid.columns(self.cells[index]) {
                take(&mut class.columns[column], index as u32);
            }
        }
        self.kinds[index] = ABSENT;
    }

    /// Chooses classes and axis; when they are others, everything finds its columns again.
    fn review(&mut self, boxes: &Boxes, outgrown: bool) {
        self.age = 0;
        self.octaves = [0; 256];
        self.lengths = [0.0; 256];
        let (mut count, mut sum, mut squares) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for ((bounds, entry), &kind) in boxes.all().iter().zip(&self.entries).zip(&self.kinds) {
            if kind != ABSENT && kind != OUTSIDE {
                self.octaves[octave(entry)] += 1;
                self.lengths[octave(entry)] += longest(entry);
                (count, sum, squares) = (count + 1.0, sum + bounds.min, squares + bounds.min * bounds.min);
            }
        }
        // A column is long where the boxes are spread most.
        let spread = squares * count - sum * sum;
        let mut axis = self.axis;
        if spread.max_element() > 1.5 * spread[axis] {
            axis = if spread.x >= spread.y && spread.x >= spread.z { 0 } else { 1 + usize::from(spread.z > spread.y) };
        }
        let ranges = cut(&self.octaves);
        let reaches = ranges.iter().map(|range| f32::from_bits((range.end as u32) << 23));
        if outgrown || axis != self.axis || !reaches.clone().eq(self.classes.iter().map(|class| class.reach)) {
            self.axis = axis;
            self.classes.clear();
            for (range, reach) in ranges.iter().zip(reaches) {
                let members: u32 = self.octaves[range.clone()].iter().sum();
                let length: f32 = self.lengths[range.clone()].iter().sum();
                let width = (tuning::COLUMN_WIDTH * length / members.max(1) as f32).max(reach);
                let grid = Grid::new(width, members as usize);
                self.classes.push(Class { reach, grid, columns: vec![Vec::new(); grid.len()] });
            }
            self.kinds.fill(ABSENT);
            self.refresh(boxes);
            self.built_for = [boxes.held(), self.oversize.len()];
        }
    }

    /// Compares boxes that are too far out for single precision with all.
    fn join_outside(&self, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        for &i in &self.outside {
            let others = (0..boxes.all().len() as u32).filter(|&j| j != i && boxes.overlap(i, j));
            found.extend(others.map(|j| SlotPair::new(i, j)));
        }
    }

    /// Compares a few entries with all.
    fn join_giants(&self, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        for &giant in &self.oversize {
            let giant = &self.entries[giant as usize];
            for other in &self.entries {
                if giant.overlaps(other) {
                    report(giant, other, boxes, found);
                }
            }
        }
    }

    /// Compares the entries of a class with each other and with all finer ones.
    #[inline(always)]
    fn join_class(&mut self, number: usize, boxes: &Boxes, found: &mut Vec<SlotPair>) {
        let finest = number + 1 == self.classes.len();
        let class = &mut self.classes[number];
        self.sorted.clear();
        self.starts.clear();
        for (place, slots) in class.columns.iter_mut().enumerate() {
            if !slots.is_empty() {
                self.sweep.gather(slots, &self.entries);
                self.sweep.each_pair(slots, |i, j| {
                    let (a, b) = (&self.entries[i as usize], &self.entries[j as usize]);
                    if class.grid.reporter(a, b) == place {
                        report(a, b, boxes, found);
                    }
                });
            }
            if !finest {
                self.starts.push(self.sorted.len() as u32);
                self.sorted.extend(slots.iter().map(|&slot| self.entries[slot as usize]));
            }
        }
        if finest {
            return;
        }
        self.starts.push(self.sorted.len() as u32);
        let (grid, reach) = (class.grid, class.reach);
        for (visitor, &kind) in self.entries.iter().zip(&self.kinds) {
            if usize::from(kind) <= number || usize::from(kind) >= self.classes.len() {
                continue;
            }
            // Who begins before this ends before the visitor begins; a bit earlier for rounding.
            let early = begin(visitor) - 1.01 * reach - 1e-6 * begin(visitor).abs();
            for column in grid.columns(grid.cells(visitor)) {
                let entries = &self.sorted[self.starts[column] as usize..self.starts[column + 1] as usize];
                let first = entries.partition_point(|entry| begin(entry) < early);
                for entry in entries[first..].iter().take_while(|entry| begin(entry) <= end(visitor)) {
                    if entry.overlaps(visitor) && grid.reporter(entry, visitor) == column {
                        report(entry, visitor, boxes, found);
                    }
                }
            }
        }
    }
}

/// Takes one entry of a slot out of a column and leaves the others in their order.
fn take(column: &mut Vec<u32>, slot: u32) {
    let place = column.iter().position(|&other| other == slot);
    debug_assert!(place.is_some(), "a box is in the columns of its cells");
    if let Some(place) = place {
        column.remove(place);
    }
}
