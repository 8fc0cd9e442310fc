//! A dynamic tree of fat boxes.
//!
//! Leaves are boxes in single precision, a little larger than the boxes they stand for, so that a box that moves a little
//! leaves the tree as it is. A box that leaves its fat box gets a new one: in place when the two overlap, by removal and
//! insertion otherwise. After as many such changes as there are boxes the tree is built again.
//!
//! Pairs are found by asking the tree about every box that changed. When many did, that is slower than finding all pairs from
//! scratch in [columns](super::Prune), and so is keeping the tree in order: it hears of the changes when it is asked next.

mod nodes;

use super::boxes::{Boxes, gap, is_held};
use super::pair_set::PairSet;
use super::prune::Columns;
use super::rough::{Rough, is_bounded};
use super::{BroadPhase, Changes, SlotPair};
use crate::math::Aabb;
use nodes::Nodes;

/// A fat box is larger by this part of the box's longest side, on each side.
const FAT: f32 = 0.125;

/// When more than one in so many boxes changed, all pairs are found in one batch.
const BATCH: usize = 4;

/// The dynamic tree.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    boxes: Boxes,
    pair_set: PairSet,
    found: Vec<SlotPair>,
    nodes: Nodes,
    columns: Columns,
    /// Slots with boxes too large for single precision; they are looked at one by one.
    outside: Vec<u32>,
    /// Slots whose boxes changed since the tree last heard of them; and the same as flags.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    /// Any box may have changed since the tree last heard of it.
    behind: bool,
    /// What [`Boxes::changes`] was when the list of changes was gone through last.
    heard: u64,
    /// How many changes the tree has seen since it was built.
    edits: usize,
    leaves: Vec<(u32, Rough)>,
    stack: Vec<u32>,
}

fn fat(bounds: &Aabb) -> Rough {
    Rough::around(bounds, FAT * (bounds.max - bounds.min).max_element() as f32)
}

impl Tree {
    /// Tells the tree about one box.
    fn sync_one(&mut self, slot: u32) {
        let bounds = self.boxes.get(slot);
        let rough = (is_held(bounds) && is_bounded(bounds)).then(|| Rough::around(bounds, 0.0));
        let outside = is_held(bounds) && rough.is_none();
        // There are few boxes outside, if any.
        match self.outside.iter().position(|&other| other == slot) {
            Some(index) if !outside => {
                self.outside.swap_remove(index);
            }
            None if outside => self.outside.push(slot),
            _ => {}
        }
        match (self.nodes.contains(slot), rough) {
            (false, None) => {}
            (true, None) => {
                self.nodes.remove(slot);
            }
            (false, Some(_)) => {
                self.nodes.insert(slot, fat(bounds));
                self.edits += 1;
            }
            (true, Some(rough)) => {
                let old = *self.nodes.leaf(slot);
                let fat = fat(bounds);
                if !old.holds(&rough) {
                    if old.overlaps(&fat) {
                        self.nodes.refit(slot, fat);
                    } else {
                        self.nodes.remove(slot);
                        self.nodes.insert(slot, fat);
                    }
                    self.edits += 1;
                }
            }
        }
    }

    /// Tells the tree about all boxes that changed.
    fn sync(&mut self) {
        if self.behind {
            self.behind = false;
            (0..self.boxes.all().len() as u32).for_each(|slot| self.touch(slot));
        }
        if self.stale.is_empty() {
            return;
        }
        let stale = std::mem::take(&mut self.stale);
        let count = self.boxes.held();
        let fresh = stale.iter().filter(|&&slot| !self.nodes.contains(slot)).count();
        // Many insertions cost more than a new tree, and make a worse one.
        if fresh > 64 + count / 8 || self.edits > 256 + count {
            self.build();
        } else {
            stale.iter().for_each(|&slot| self.sync_one(slot));
        }
        for &slot in &stale {
            self.is_stale[slot as usize] = false;
        }
        self.stale = stale;
        self.stale.clear();
    }

    fn build(&mut self) {
        self.leaves.clear();
        self.outside.clear();
        for slot in self.boxes.slots() {
            let bounds = self.boxes.get(slot);
            if is_bounded(bounds) {
                self.leaves.push((slot, fat(bounds)));
            } else {
                self.outside.push(slot);
            }
        }
        self.nodes.build(&mut self.leaves);
        // Forty bytes for every box would be a waste to keep until the next time.
        self.leaves = Vec::new();
        self.edits = 0;
    }

    fn touch(&mut self, slot: u32) {
        let index = slot as usize;
        if index >= self.is_stale.len() {
            self.is_stale.resize(index + 1, false);
        }
        if !self.is_stale[index] {
            self.is_stale[index] = true;
            self.stale.push(slot);
        }
    }

    /// All slots whose boxes may overlap a proper box, through the tree; it must be in order.
    fn each_near(&self, bounds: &Aabb, stack: &mut Vec<u32>, mut visit: impl FnMut(u32)) {
        if is_bounded(bounds) {
            self.nodes.query(&Rough::around(bounds, 0.0), stack, &mut visit);
            self.outside.iter().for_each(|&slot| visit(slot));
        } else {
            self.boxes.slots().for_each(visit);
        }
    }
}

impl BroadPhase for Tree {
    #[inline]
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
        if self.boxes.touched().is_empty() {
            return self.pair_set.changes();
        }
        self.found.clear();
        if self.boxes.touched().len() * BATCH > self.boxes.held() {
            self.behind = true;
            self.columns.join(&self.boxes, &mut self.found);
            self.pair_set.replace(&mut self.found, &self.boxes);
            self.boxes.settle();
            return self.pair_set.changes();
        }
        self.hear();
        self.sync();
        let (mut found, mut stack) = (std::mem::take(&mut self.found), std::mem::take(&mut self.stack));
        for &slot in self.boxes.touched() {
            let bounds = self.boxes.get(slot);
            if is_held(bounds) {
                self.each_near(bounds, &mut stack, |other| {
                    if other != slot && self.boxes.overlap(slot, other) {
                        found.push(SlotPair::new(slot, other));
                    }
                });
            }
        }
        self.pair_set.amend(&mut found, &self.boxes);
        (self.found, self.stack) = (found, stack);
        self.boxes.settle();
        self.pair_set.changes()
    }

    fn pairs(&self) -> &[SlotPair] {
        self.pair_set.pairs()
    }

    fn overlapping(&mut self, bounds: &Aabb, slots: &mut Vec<u32>) {
        slots.clear();
        if bounds.min.cmple(bounds.max).all() {
            self.hear();
            self.sync();
            let mut stack = std::mem::take(&mut self.stack);
            self.each_near(bounds, &mut stack, |slot| {
                if self.boxes.get(slot).overlaps(bounds) {
                    slots.push(slot);
                }
            });
            self.stack = stack;
            slots.sort_unstable();
        }
    }

    fn nearest(&mut self, from: &Aabb, mut limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        if !from.min.cmple(from.max).all() {
            return;
        }
        self.hear();
        self.sync();
        for &slot in &self.outside {
            let distance = gap(from, self.boxes.get(slot));
            if distance <= limit {
                limit = visit(slot, distance);
            }
        }
        let (nodes, boxes) = (&mut self.nodes, &self.boxes);
        let mut bound = limit;
        nodes.nearest(from, limit, |slot| {
            let distance = gap(from, boxes.get(slot));
            (distance <= bound).then(|| {
                bound = visit(slot, distance);
                bound
            })
        });
    }
}

impl Tree {
    /// Notes what changed since the last update for the tree.
    fn hear(&mut self) {
        // Queries come in great numbers between two updates, and must not go through the same changes again.
        if self.heard == self.boxes.changes() {
            return;
        }
        self.heard = self.boxes.changes();
        for index in 0..self.boxes.touched().len() {
            self.touch(self.boxes.touched()[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Insertion, refitting, removal, rebuilding and being told late all leave boxes that hold what is below them.
    #[test]
    fn the_tree_holds_together_whatever_happens_to_it() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut tree = Tree::default();
        for round in 0..600 {
            // Now and then everything moves, and the tree hears of it later.
            let count = if round % 50 == 49 { 300 } else { rng.usize(0..12) };
            for _ in 0..count {
                let slot = rng.u32(0..200);
                let min = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 20.0;
                match rng.u32(0..10) {
                    0 => tree.remove(slot),
                    1 => tree.set(slot, &Aabb { min: min * 1e40, max: DVec3::INFINITY }),
                    2..6 => tree.set(slot, &Aabb { min, max: min + 1.0 }),
                    _ => {
                        let old = *tree.bounds(slot);
                        tree.set(slot, &Aabb { min: old.min + 0.2, max: old.max + 0.2 });
                    }
                }
            }
            tree.update();
            let mut slots = Vec::new();
            tree.overlapping(&Aabb::EVERYTHING, &mut slots);
            assert_eq!(slots, tree.boxes.slots().collect::<Vec<_>>());
            tree.nodes.validate();
            for slot in slots {
                let bounds = tree.boxes.get(slot);
                if is_bounded(bounds) {
                    assert!(tree.nodes.leaf(slot).holds(&Rough::around(bounds, 0.0)));
                } else {
                    assert!(tree.outside.contains(&slot) && !tree.nodes.contains(slot));
                }
            }
        }
    }
}
