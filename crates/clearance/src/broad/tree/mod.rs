//! A dynamic tree of fat boxes.
//!
//! Leaves are boxes in single precision, a little larger than the boxes they stand for, so that a box that moves a little
//! leaves the tree as it is. A box that leaves its fat box gets a new one: in place when the two overlap, by removal and
//! insertion otherwise. After as many such changes as there are boxes the tree is built again.
//!
//! Pairs are found by asking the tree about every box that changed. When many did, that is slower than finding all pairs from
//! scratch in [columns](super::Prune), and so is keeping the tree in order: it hears of the changes when an update needs it next.
//! Queries until then have a tree of their own, which the first of them builds: whoever asks none does not pay for it.

mod nodes;

use super::boxes::{Boxes, gap, is_held, ray_distance};
use super::pair_set::PairSet;
use super::prune::Columns;
use super::rough::{Rough, is_bounded};
use super::{BroadPhase, Changes, SlotPair};
use crate::math::{Aabb, DVec3};
use crate::tuning::broad as tuning;
use nodes::{Nodes, Stack};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The dynamic tree.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    boxes: Boxes,
    pair_set: PairSet,
    found: Vec<SlotPair>,
    index: Index,
    columns: Columns,
    /// Slots whose boxes changed since the tree last heard of them; and the same as flags.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    /// Any box may have changed since the tree last heard of it.
    behind: bool,
    /// While it is: what the first query built, of the boxes as they were then.
    lookup: OnceLock<Index>,
    /// The value of [`Boxes::changes`] when the list of changes was last processed.
    heard: u64,
    /// How many changes the tree has seen since it was built.
    edits: usize,
    stack: Vec<u32>,
}

/// Where to look for boxes.
#[derive(Debug, Clone, Default)]
struct Index {
    nodes: Nodes,
    /// Slots with boxes too large for single precision; they are visited one by one.
    outside: Vec<u32>,
}

fn fat(bounds: &Aabb) -> Rough {
    Rough::around(bounds, tuning::FAT * (bounds.max - bounds.min).max_element() as f32)
}

impl Index {
    fn build(&mut self, boxes: &Boxes) {
        // Not kept: forty bytes for every box would be a waste until the next time.
        let mut leaves = Vec::with_capacity(boxes.held());
        self.outside.clear();
        for slot in boxes.slots() {
            let bounds = boxes.get(slot);
            if is_bounded(bounds) {
                leaves.push((slot, fat(bounds)));
            } else {
                self.outside.push(slot);
            }
        }
        self.nodes.build(&mut leaves);
    }

    /// Hears of one box; was that an edit of the tree?
    fn set(&mut self, slot: u32, bounds: &Aabb) -> bool {
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
            (false, None) => false,
            (true, None) => {
                self.nodes.remove(slot);
                false
            }
            (false, Some(_)) => {
                self.nodes.insert(slot, fat(bounds));
                true
            }
            (true, Some(rough)) => {
                let old = *self.nodes.leaf(slot);
                let fat = fat(bounds);
                if old.holds(&rough) {
                    return false;
                }
                if old.overlaps(&fat) {
                    self.nodes.refit(slot, fat);
                } else {
                    self.nodes.remove(slot);
                    self.nodes.insert(slot, fat);
                }
                true
            }
        }
    }

    /// All slots whose boxes may overlap a proper box; the index must be in order.
    fn each_near(&self, boxes: &Boxes, bounds: &Aabb, stack: &mut impl Stack, mut visit: impl FnMut(u32)) {
        if is_bounded(bounds) {
            self.nodes.query(&Rough::around(bounds, 0.0), stack, &mut visit);
            self.outside.iter().for_each(|&slot| visit(slot));
        } else {
            boxes.slots().for_each(visit);
        }
    }
}

impl Tree {
    /// Tells the tree about all boxes that changed.
    fn sync(&mut self) {
        if std::mem::take(&mut self.behind) {
            match self.lookup.take() {
                // Later changes are on the list of changes.
                Some(index) => (self.index, self.edits) = (index, 0),
                None => (0..self.boxes.all().len() as u32).for_each(|slot| self.touch(slot)),
            }
        }
        if self.stale.is_empty() {
            return;
        }
        let stale = std::mem::take(&mut self.stale);
        let count = self.boxes.held();
        let fresh = stale.iter().filter(|&&slot| !self.index.nodes.contains(slot)).count();
        // Many insertions cost more than a new tree, and make a worse one.
        if fresh > 64 + count / 8 || self.edits > 256 + count {
            self.index.build(&self.boxes);
            self.edits = 0;
        } else {
            for &slot in &stale {
                self.edits += usize::from(self.index.set(slot, self.boxes.get(slot)));
            }
        }
        for &slot in &stale {
            self.is_stale[slot as usize] = false;
        }
        self.stale = stale;
        self.stale.clear();
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

    /// The tree for queries, and the slots whose boxes may have changed since it was put in order.
    fn ordered(&self) -> (&Index, &[u32]) {
        let index = if self.behind {
            self.lookup.get_or_init(|| {
                let mut index = Index::default();
                index.build(&self.boxes);
                index
            })
        } else {
            &self.index
        };
        (index, if self.heard == self.boxes.changes() { &[] } else { self.boxes.touched() })
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
        if self.boxes.touched().len() * tuning::BATCH > self.boxes.held() {
            self.behind = true;
            self.lookup.take();
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
                self.index.each_near(&self.boxes, bounds, &mut stack, |other| {
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

    fn refresh(&mut self) {
        self.hear();
        self.sync();
    }

    fn overlapping(&self, bounds: &Aabb, slots: &mut Vec<u32>) {
        slots.clear();
        if bounds.min.cmple(bounds.max).all() {
            let (index, late) = self.ordered();
            let overlaps = |slot: u32| self.boxes.get(slot).overlaps(bounds);
            let mut stack: SmallVec<[u32; 64]> = SmallVec::new();
            index.each_near(&self.boxes, bounds, &mut stack, |slot| {
                if overlaps(slot) && (late.is_empty() || !self.boxes.is_touched(slot)) {
                    slots.push(slot);
                }
            });
            slots.extend(late.iter().copied().filter(|&slot| is_held(self.boxes.get(slot)) && overlaps(slot)));
            slots.sort_unstable();
        }
    }

    fn nearest(&self, from: &Aabb, mut limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        if !from.min.cmple(from.max).all() {
            return;
        }
        let (index, late) = self.ordered();
        let is_late = |slot: u32| !late.is_empty() && self.boxes.is_touched(slot);
        let held = late.iter().filter(|&&slot| is_held(self.boxes.get(slot)));
        for &slot in index.outside.iter().filter(|&&slot| !is_late(slot)).chain(held) {
            let distance = gap(from, self.boxes.get(slot));
            if distance <= limit {
                limit = visit(slot, distance);
            }
        }
        let mut bound = limit;
        index.nodes.nearest(from, limit, |slot| {
            let distance = gap(from, self.boxes.get(slot));
            (distance <= bound && !is_late(slot)).then(|| {
                bound = visit(slot, distance);
                bound
            })
        });
    }

    fn cast_ray(&self, origin: DVec3, direction: DVec3, mut limit: f64, visit: &mut dyn FnMut(u32, f64) -> f64) {
        let (index, late) = self.ordered();
        let is_late = |slot: u32| !late.is_empty() && self.boxes.is_touched(slot);
        let held = late.iter().filter(|&&slot| is_held(self.boxes.get(slot)));
        let distance = |slot: u32| ray_distance(self.boxes.get(slot), origin, direction);
        for &slot in index.outside.iter().filter(|&&slot| !is_late(slot)).chain(held) {
            if let Some(distance) = distance(slot).filter(|&distance| distance <= limit) {
                limit = visit(slot, distance);
            }
        }
        index.nodes.cast_ray(origin, direction, limit, |slot, limit| match distance(slot) {
            Some(distance) if distance <= limit && !is_late(slot) => visit(slot, distance),
            _ => limit,
        });
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}

impl Tree {
    /// For a tree that is only queried: from this many changes on they are put in order and forgotten, and no update gets them.
    pub(crate) fn settle(&mut self, many: usize) {
        if self.boxes.touched().len() >= many {
            self.refresh();
            self.boxes.settle();
        }
    }

    /// Notes what changed since the last update for the tree.
    fn hear(&mut self) {
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
            // The tree may be behind; what a query then builds is taken over half of the time.
            if rng.bool() {
                tree.overlapping(&Aabb::EVERYTHING, &mut slots);
                assert_eq!(slots, tree.boxes.slots().collect::<Vec<_>>());
            }
            tree.refresh();
            tree.overlapping(&Aabb::EVERYTHING, &mut slots);
            assert_eq!(slots, tree.boxes.slots().collect::<Vec<_>>());
            tree.index.nodes.validate();
            for slot in slots {
                let bounds = tree.boxes.get(slot);
                if is_bounded(bounds) {
                    assert!(tree.index.nodes.leaf(slot).holds(&Rough::around(bounds, 0.0)));
                } else {
                    assert!(tree.index.outside.contains(&slot) && !tree.index.nodes.contains(slot));
                }
            }
        }
    }
}
