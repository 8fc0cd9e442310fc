//! The coherent hash: section 2.2.
//!
//! Invariant: a placed box has its label in every tile that it meets at its own and at every coarser resolution in use. The close counter of two
//! boxes is the number of tiles that hold both at the coarser of their own resolutions.

use super::{HashWork, Level, Tiles, corners, each_tile, is_hashable, level, may_stay};
use clearance::broad::SlotPair;
use clearance::internals::broad::{Boxes, FoundPairs, PairFinder, PairTracker, is_held};
use clearance::math::Aabb;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Limit: updates for which an unused resolution is kept, in case a box needs it again.
const PATIENCE: u32 = 32;

/// Tiles of one resolution.
#[derive(Debug, Clone, Default)]
struct Table {
    tiles: Tiles,
    /// The number of boxes of this resolution, and the number of updates without any.
    members: usize,
    idle: u32,
}

/// A box in the tables: one with the same tiles as the box in the slot, if not the same.
#[derive(Debug, Clone, Copy)]
struct PlacedBox {
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
    work: HashWork,
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
pub type CoherentHash = PairTracker<CoherentTables>;

/// The method of [`CoherentHash`].
#[derive(Debug, Clone, Default)]
pub struct CoherentTables {
    /// The resolutions in use, fine ones first.
    tables: BTreeMap<Level, Table>,
    placed: Vec<Option<PlacedBox>>,
    close: Close,
    outside: Vec<u32>,
}

/// Puts a label into a tile and counts the boxes that it meets there.
fn enter(tiles: &mut Tiles, key: u64, at: Level, label: (u32, Level), close: &mut Close) {
    let bucket = tiles.entry(key).or_default();
    for &(other, level) in &*bucket {
        // Definition 1, with resolutions that grow with the tiles: the pair counts at the coarser of the two.
        if at == level.max(label.1) && other != label.0 {
            close.increment(SlotPair::new(other, label.0));
        }
    }
    close.work.buckets += 1;
    close.work.entered += 1;
    close.work.read += bucket.len() as u64;
    bucket.push(label);
}

/// Removes a label from a tile and counts the boxes that it leaves.
fn leave(tiles: &mut Tiles, key: u64, at: Level, label: (u32, Level), close: &mut Close) {
    let Some(bucket) = tiles.get_mut(&key) else {
        debug_assert!(false, "a label is in the tiles of its box");
        return;
    };
    close.work.buckets += 1;
    close.work.read += bucket.len() as u64;
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

impl CoherentTables {
    /// The work so far.
    #[must_use]
    pub fn work(&self) -> HashWork {
        self.close.work
    }

    /// The pairs that share a tile, unordered: those that hashing cannot separate, whether or not their boxes overlap.
    pub fn close_pairs(&self) -> impl ExactSizeIterator<Item = SlotPair> + '_ {
        self.close.pairs.iter().map(|&(pair, _)| pair)
    }

    /// The lengths of the tiles at the resolutions in use, fine ones first.
    pub fn resolutions(&self) -> impl Iterator<Item = f64> + '_ {
        self.tables.keys().map(|&at| super::power(at))
    }

    /// Applies the change of one slot to the tables.
    fn place(&mut self, slot: u32, boxes: &Boxes) {
        let index = slot as usize;
        if index >= self.placed.len() {
            self.placed.resize(index + 1, None);
        }
        let bounds = *boxes.get(slot);
        let hashable = is_held(&bounds) && is_hashable(&bounds);
        match self.outside.iter().position(|&other| other == slot) {
            Some(at) if hashable || !is_held(&bounds) => {
                self.outside.swap_remove(at);
            }
            None if is_held(&bounds) && !hashable => self.outside.push(slot),
            _ => {}
        }
        if let Some(PlacedBox { own, bounds: old, corners }) = self.placed[index] {
            if hashable && may_stay(&bounds, own) {
                // The usual case: most tiles stay, often all of them. Coarser tiles consist of whole finer ones, so a box that stays in the same
                // tiles here stays in the same tiles there.
                let now = super::corners(&bounds, own);
                if corners == now {
                    return;
                }
                self.placed[index] = Some(PlacedBox { own, bounds, corners: now });
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
            self.placed[index] = Some(PlacedBox { own, bounds, corners: corners(&bounds, own) });
        }
    }

    /// Takes a resolution into use: all finer boxes get labels there.
    fn open(&mut self, at: Level) {
        if self.tables.contains_key(&at) {
            return;
        }
        let mut table = Table::default();
        for (placed, slot) in self.placed.iter().zip(0..) {
            if let Some(PlacedBox { own, bounds, .. }) = placed
                && *own < at
            {
                each_tile(corners(bounds, at), None, |key| {
                    enter(&mut table.tiles, key, at, (slot, *own), &mut self.close);
                });
            }
        }
        self.tables.insert(at, table);
    }

    /// Removes resolutions that no box has needed for a while. No counter uses them.
    fn close_idle(&mut self) {
        self.tables.retain(|_, table| {
            table.idle = if table.members > 0 { 0 } else { table.idle + 1 };
            table.idle <= PATIENCE
        });
    }
}

impl PairFinder for CoherentTables {
    fn find(&mut self, boxes: &Boxes, found: &mut Vec<SlotPair>) -> FoundPairs {
        for &slot in boxes.touched() {
            self.place(slot, boxes);
        }
        self.close_idle();
        for (pair, overlap) in &mut self.close.pairs {
            let (i, j) = (pair.low(), pair.high());
            if boxes.is_touched(i) || boxes.is_touched(j) {
                let before = std::mem::replace(overlap, boxes.overlap(i, j));
                if *overlap && !before {
                    found.push(*pair);
                }
            }
        }
        for &slot in &self.outside {
            let others = boxes.slots().filter(|&other| other != slot && boxes.overlap(slot, other));
            found.extend(others.map(|other| SlotPair::new(slot, other)));
        }
        FoundPairs::New
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::broad::BroadPhase;
    use clearance::internals::glam::DVec3;
    use fastrand::Rng;
    use rustc_hash::FxHashSet;

    fn vector(rng: &mut Rng, size: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
    }

    /// Boxes of sizes from 0.1 to 10 in a world of 20, some of them unbounded or points.
    fn draw(rng: &mut Rng) -> Aabb {
        let min = vector(rng, 10.0);
        match rng.u32(..40) {
            0 => Aabb { min, max: DVec3::splat(f64::INFINITY) },
            1 => Aabb { min, max: min },
            _ => Aabb { min, max: min + DVec3::splat(10.0_f64.powf(2.0 * rng.f64() - 1.0)) },
        }
    }

    fn moved(bounds: &Aabb, by: DVec3) -> Aabb {
        Aabb { min: bounds.min + by, max: bounds.max + by }
    }

    /// The tiles that a box meets.
    fn tiles(bounds: &Aabb, at: Level) -> FxHashSet<u64> {
        let mut keys = FxHashSet::default();
        each_tile(corners(bounds, at), None, |key| {
            keys.insert(key);
        });
        keys
    }

    /// The close counters by their definition: the tiles that hold both boxes at the coarser of their own resolutions.
    fn counted(hash: &CoherentHash) -> FxHashMap<SlotPair, u32> {
        let all: Vec<(u32, Level)> =
            (0..).zip(&hash.finder().placed).filter_map(|(i, p)| Some((i, (*p)?.own))).collect();
        let mut counters = FxHashMap::default();
        for (index, &(i, own)) in all.iter().enumerate() {
            for &(j, other) in &all[index + 1..] {
                let at = own.max(other);
                let shared = tiles(hash.bounds(i), at).intersection(&tiles(hash.bounds(j), at)).count();
                if shared > 0 {
                    counters.insert(SlotPair::new(i, j), shared as u32);
                }
            }
        }
        counters
    }

    /// The invariant of the module: after any change of boxes the counters are those of the present tiles, and no other pair has one.
    #[test]
    fn close_counters_are_the_shared_tiles_after_every_update() {
        let mut rng = Rng::with_seed(1);
        let mut hash = CoherentHash::default();
        let mut most = 0;
        for frame in 0..300 {
            for slot in 0..40 {
                match rng.u32(..20) {
                    // Most move a little; some jump, change their size, come or go.
                    0..10 => hash.set(slot, &moved(&hash.bounds(slot).clone(), vector(&mut rng, 0.3))),
                    10 => hash.set(slot, &draw(&mut rng)),
                    11 => hash.remove(slot),
                    _ => {}
                }
            }
            hash.update();
            let truth = counted(&hash);
            let counters = hash.finder().close.counters.iter().map(|(pair, (count, _))| (*pair, *count));
            assert_eq!(counters.collect::<FxHashMap<_, _>>(), truth, "frame {frame}");
            assert_eq!(hash.finder().close.pairs.len(), truth.len(), "frame {frame}");
            for (place, (pair, _)) in hash.finder().close.pairs.iter().enumerate() {
                assert_eq!(hash.finder().close.counters[pair].1 as usize, place, "frame {frame}");
            }
            most = most.max(truth.len());
        }
        assert!(most > 50, "representative: {most}");
        (0..40).for_each(|slot| hash.remove(slot));
        hash.update();
        assert!(
            hash.finder().close.pairs.is_empty() && hash.finder().close.counters.is_empty(),
            "nothing is close to nothing"
        );
    }

    /// Coherence, in counted work: a box is entered in its new tiles, not in those where it is already, and not at all while it stays in the same
    /// ones.
    #[test]
    fn only_tiles_that_a_box_comes_to_are_entered() {
        let mut rng = Rng::with_seed(2);
        let mut hash = CoherentHash::default();
        for slot in 0..100 {
            let min = vector(&mut rng, 10.0);
            hash.set(slot, &Aabb { min, max: min + DVec3::splat([0.3, 0.9, 3.0][slot as usize % 3]) });
        }
        hash.update();
        let (first, mut all) = (hash.finder().close.work.entered, 0);
        let mut expected = first;
        for frame in 0..100 {
            for slot in 0..100 {
                let before = *hash.bounds(slot);
                let now = moved(&before, vector(&mut rng, 0.02));
                let own = hash.finder().placed[slot as usize].expect("all are hashed").own;
                for (&at, _) in hash.finder().tables.range(own..) {
                    expected += tiles(&now, at).difference(&tiles(&before, at)).count() as u64;
                    all += tiles(&now, at).len() as u64;
                }
                hash.set(slot, &now);
            }
            hash.update();
            assert_eq!(hash.finder().close.work.entered, expected, "frame {frame}");
        }
        let entered = expected - first;
        assert!(entered > 100 && 20 * entered < all, "{entered} of {all}");
    }
}
