//! The hash that remembers: section 2.2.
//!
//! Invariant: a placed box has its label in every tile it meets at its own and at every coarser resolution in use, and the
//! close counter of two boxes is the number of tiles that hold both at the coarser of their own resolutions.

use super::{Level, Tiles, corners, each_tile, is_hashable, level, may_stay};
use crate::broad::boxes::{Boxes, is_held};
use crate::broad::ledger::Ledger;
use crate::broad::{BroadPhase, Changes, SlotPair};
use crate::math::Aabb;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A resolution that nobody needs is kept for so many updates, in case someone comes back.
const PATIENCE: u32 = 32;

/// Tiles of one resolution.
#[derive(Debug, Clone, Default)]
struct Table {
    tiles: Tiles,
    /// How many boxes have this resolution, and for how many updates it was none.
    members: usize,
    idle: u32,
}

/// A box in the tables: one with the same tiles as the box in the slot, if not the same.
#[derive(Debug, Clone, Copy)]
struct Placed {
    own: Level,
    bounds: Aabb,
    /// Its corners in tiles of its own resolution.
    corners: [[i64; 3]; 2],
}

/// Pairs of boxes that meet in a tile, with the number of such tiles.
#[derive(Debug, Clone, Default)]
struct Close {
    /// With each pair: did the boxes overlap when last compared?
    pairs: Vec<(SlotPair, bool)>,
    /// The counter of a pair, and its place in `pairs`.
    counters: FxHashMap<SlotPair, (u32, u32)>,
}

impl Close {
    fn increment(&mut self, pair: SlotPair) {
        let place = self.pairs.len() as u32;
        let (count, _) = self.counters.entry(pair).or_insert((0, place));
        *count += 1;
        if *count == 1 {
            self.pairs.push((pair, false));
        }
    }

    fn decrement(&mut self, pair: SlotPair) {
        let Some((count, place)) = self.counters.get_mut(&pair) else {
            debug_assert!(false, "what leaves a tile was counted when it entered");
            return;
        };
        *count -= 1;
        if *count == 0 {
            let place = *place;
            self.counters.remove(&pair);
            self.pairs.swap_remove(place as usize);
            if let Some((moved, _)) = self.pairs.get(place as usize)
                && let Some(counter) = self.counters.get_mut(moved)
            {
                counter.1 = place;
            }
        }
    }
}

/// Hierarchical hashing with coherence.
#[derive(Debug, Clone, Default)]
pub struct CoherentHash {
    boxes: Boxes,
    ledger: Ledger,
    found: Vec<SlotPair>,
    /// The resolutions in use, fine ones first.
    tables: BTreeMap<Level, Table>,
    placed: Vec<Option<Placed>>,
    close: Close,
    outside: Vec<u32>,
}

/// Puts a label into a tile and counts whom it meets there.
fn enter(tiles: &mut Tiles, key: u64, at: Level, label: (u32, Level), close: &mut Close) {
    let bucket = tiles.entry(key).or_default();
    for &(other, level) in &*bucket {
        // Definition 1, with resolutions that grow with the tiles: the pair counts at the coarser of the two.
        if at == level.max(label.1) && other != label.0 {
            close.increment(SlotPair::new(other, label.0));
        }
    }
    bucket.push(label);
}

/// Takes a label out of a tile and counts whom it leaves.
fn leave(tiles: &mut Tiles, key: u64, at: Level, label: (u32, Level), close: &mut Close) {
    let Some(bucket) = tiles.get_mut(&key) else {
        debug_assert!(false, "a label is in the tiles of its box");
        return;
    };
    if let Some(place) = bucket.iter().position(|&other| other == label) {
        bucket.swap_remove(place);
    }
    if bucket.is_empty() {
        tiles.remove(&key);
        return;
    }
    for &(other, level) in &*bucket {
        if at == level.max(label.1) && other != label.0 {
            close.decrement(SlotPair::new(other, label.0));
        }
    }
}

impl CoherentHash {
    /// Carries one slot's change over to the tables.
    fn place(&mut self, slot: u32) {
        let index = slot as usize;
        if index >= self.placed.len() {
            self.placed.resize(index + 1, None);
        }
        let bounds = *self.boxes.get(slot);
        let hashable = is_held(&bounds) && is_hashable(&bounds);
        match self.outside.iter().position(|&other| other == slot) {
            Some(at) if hashable || !is_held(&bounds) => {
                self.outside.swap_remove(at);
            }
            None if is_held(&bounds) && !hashable => self.outside.push(slot),
            _ => {}
        }
        if let Some(Placed { own, bounds: old, corners }) = self.placed[index] {
            if hashable && may_stay(&bounds, own) {
                // The usual case: most tiles stay, often all of them. Coarser tiles are made of whole finer ones, so what
                // stays in the same tiles here stays in the same tiles there.
                let now = super::corners(&bounds, own);
                if corners == now {
                    return;
                }
                self.placed[index] = Some(Placed { own, bounds, corners: now });
                for (&at, table) in self.tables.range_mut(own..) {
                    let (before, now) = (super::corners(&old, at), super::corners(&bounds, at));
                    if before != now {
                        let (tiles, close) = (&mut table.tiles, &mut self.close);
                        each_tile(before, Some(now), |key| leave(tiles, key, at, (slot, own), close));
                        each_tile(now, Some(before), |key| enter(tiles, key, at, (slot, own), close));
                    }
                }
                return;
            }
            for (&at, table) in self.tables.range_mut(own..) {
                let (tiles, close) = (&mut table.tiles, &mut self.close);
                each_tile(super::corners(&old, at), None, |key| leave(tiles, key, at, (slot, own), close));
                table.members -= usize::from(at == own);
            }
            self.placed[index] = None;
        }
        if hashable {
            let own = level(&bounds);
            self.open(own);
            for (&at, table) in self.tables.range_mut(own..) {
                let (tiles, close) = (&mut table.tiles, &mut self.close);
                each_tile(corners(&bounds, at), None, |key| enter(tiles, key, at, (slot, own), close));
                table.members += usize::from(at == own);
            }
            self.placed[index] = Some(Placed { own, bounds, corners: corners(&bounds, own) });
        }
    }

    /// Takes a resolution into use: all finer boxes get labels there.
    fn open(&mut self, at: Level) {
        if self.tables.contains_key(&at) {
            return;
        }
        let mut table = Table::default();
        for (placed, slot) in self.placed.iter().zip(0..) {
            if let Some(Placed { own, bounds, .. }) = placed
                && *own < at
            {
                each_tile(corners(bounds, at), None, |key| {
                    enter(&mut table.tiles, key, at, (slot, *own), &mut self.close);
                });
            }
        }
        self.tables.insert(at, table);
    }

    /// Gives up resolutions that nobody has needed for a while. No counter counts there.
    fn close_idle(&mut self) {
        self.tables.retain(|_, table| {
            table.idle = if table.members > 0 { 0 } else { table.idle + 1 };
            table.idle <= PATIENCE
        });
    }
}

impl BroadPhase for CoherentHash {
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
        self.ledger.keep();
        if self.boxes.touched().is_empty() {
            return self.ledger.changes();
        }
        for index in 0..self.boxes.touched().len() {
            self.place(self.boxes.touched()[index]);
        }
        self.close_idle();
        self.found.clear();
        let boxes = &self.boxes;
        for (pair, overlap) in &mut self.close.pairs {
            let (i, j) = (pair.low(), pair.high());
            if boxes.is_touched(i) || boxes.is_touched(j) {
                let before = std::mem::replace(overlap, boxes.overlap(i, j));
                if *overlap && !before {
                    self.found.push(*pair);
                }
            }
        }
        for &slot in &self.outside {
            let others = boxes.slots().filter(|&other| other != slot && boxes.overlap(slot, other));
            self.found.extend(others.map(|other| SlotPair::new(slot, other)));
        }
        self.ledger.amend(&mut self.found, &self.boxes);
        self.boxes.settle();
        self.ledger.changes()
    }

    fn pairs(&self) -> &[SlotPair] {
        self.ledger.pairs()
    }

    fn overlapping(&mut self, bounds: &Aabb, slots: &mut Vec<u32>) {
        self.boxes.scan_overlapping(bounds, slots);
    }

    fn nearest(&mut self, from: &Aabb, limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        self.boxes.scan_nearest(from, limit, visit);
    }
}
