//! The hierarchical hash as printed (sections 2.1 and 2.2 of the two-phase paper), with alpha and beta as options and with close pairs as its answer.
//!
//! * **Resolutions.** The tiles of resolution k are `ρ_k` long, coarse ones first. They are chosen from sizes as in the proof of lemma 1: the finest is the smallest size over
//!   alpha, and each other one is `beta / alpha` times the one before. Resolutions that no box has are left out.
//! * **Close.** Two boxes are close if they have a tile in common at the coarser of their resolutions (definition 1). Nothing compares the boxes themselves.
//! * **Plain.** A box is entered at its resolution, and the buckets of its tiles at this and at coarser ones are searched. **Coherent.** Its label is stored in every
//!   bucket that is searched, counters say in how many tiles two boxes meet, and an update changes only tiles that were entered or left.
//!
//! A box keeps the resolution of the size that it was inserted with, as that of a body with a known radius is. The counters are in a map; the paper's square array is the one deviation.
//! The hash of the product ([`CoherentHash`](super::CoherentHash)) has fixed powers of four, and compares boxes before it reports them.
//!
//! Invariant: both variants have the same close pairs.

use clearance::math::Aabb;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// alpha, beta and the resolutions in use.
#[derive(Debug, Clone, PartialEq)]
pub struct Tiling {
    /// `alpha <= size / ρ <= beta`: formula (2).
    pub alpha: f64,
    /// See above.
    pub beta: f64,
    tiles: Vec<f64>,
}

impl Tiling {
    /// The resolutions of lemma 1 that boxes of these sizes need.
    ///
    /// # Panics
    ///
    /// If alpha is not between zero and one, if beta is less than one, or if there is no positive size.
    #[must_use]
    pub fn of_sizes(alpha: f64, beta: f64, sizes: &[f64]) -> Self {
        assert!(0.0 < alpha && alpha < 1.0 && beta >= 1.0, "0 < alpha < 1 <= beta");
        let least = sizes.iter().copied().filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
        let most = sizes.iter().copied().fold(0.0, f64::max);
        assert!(least <= most, "a positive size");
        let mut tiles = vec![least / alpha];
        while tiles[tiles.len() - 1] * beta < most {
            tiles.push(tiles[tiles.len() - 1] * beta / alpha);
        }
        tiles.reverse();
        let all = Self { alpha, beta, tiles };
        let used: BTreeSet<usize> = sizes.iter().map(|&size| all.resolution(size)).collect();
        Self { tiles: used.into_iter().map(|k| all.tiles[k]).collect(), ..all }
    }

    /// How many resolutions there are.
    #[must_use]
    pub fn resolutions(&self) -> usize {
        self.tiles.len()
    }

    /// Lemma 1: no more resolutions than that are needed for sizes of this ratio.
    #[must_use]
    pub fn bound(&self, ratio: f64) -> usize {
        (ratio.log(self.beta / self.alpha).ceil() as usize).max(1)
    }

    /// The coarsest resolution of a size that fulfils formula (2), counted from the coarsest; the finest one for sizes below all.
    #[must_use]
    pub fn resolution(&self, size: f64) -> usize {
        // By rounding a size at the edge of two resolutions may be in neither.
        let is_coarse_enough = |tile: &f64| size / tile >= self.alpha * (1.0 - 1e-12);
        self.tiles.iter().position(is_coarse_enough).unwrap_or(self.tiles.len() - 1)
    }

    /// Formula (1), for the least and the greatest corner of a box.
    fn corners(&self, bounds: &Aabb, k: usize) -> Cells {
        [bounds.min, bounds.max].map(|corner| (corner / self.tiles[k]).to_array().map(|x| x.floor() as i64))
    }
}

/// The tiles between two.
type Cells = [[i64; 3]; 2];

fn contains([low, high]: &Cells, cell: [i64; 3]) -> bool {
    (0..3).all(|i| low[i] <= cell[i] && cell[i] <= high[i])
}

fn each_cell([low, high]: Cells, mut visit: impl FnMut([i64; 3])) {
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                visit([x, y, z]);
            }
        }
    }
}

/// Which of the two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Section 2.1: filled anew for each update.
    Plain,
    /// Section 2.2.
    Coherent,
}

/// A body in the hash.
#[derive(Debug, Clone)]
struct Entry {
    resolution: usize,
    /// The tiles of the last update, for each resolution up to its own: the state that the coherent form keeps. Empty before the first one.
    tiles: Vec<Cells>,
}

type Table = FxHashMap<[i64; 3], Vec<u32>>;

/// The hash: boxes in, close pairs out.
#[derive(Debug, Clone)]
pub struct PrintedHash {
    tiling: Tiling,
    form: Form,
    entries: Vec<Entry>,
    tables: Vec<Table>,
    /// In how many tiles two boxes meet, the smaller number first.
    counters: FxHashMap<[u32; 2], u32>,
    /// Buckets that were searched or changed.
    buckets: u64,
    labels: usize,
}

impl PrintedHash {
    /// A hash of boxes whose sizes are known.
    #[must_use]
    pub fn new(form: Form, tiling: Tiling, sizes: &[f64]) -> Self {
        let entry = |&size: &f64| Entry { resolution: tiling.resolution(size), tiles: Vec::new() };
        let entries: Vec<Entry> = sizes.iter().map(entry).collect();
        let tables = vec![Table::default(); tiling.resolutions()];
        Self { tiling, form, entries, tables, counters: FxHashMap::default(), buckets: 0, labels: 0 }
    }

    /// Buckets that were searched or changed so far.
    #[must_use]
    pub fn buckets(&self) -> u64 {
        self.buckets
    }

    /// Labels that are stored.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// How many pairs are close.
    #[must_use]
    pub fn close_count(&self) -> usize {
        self.counters.len()
    }

    /// The close pairs, in order.
    #[must_use]
    pub fn close_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = self.counters.keys().copied().collect();
        pairs.sort_unstable();
        pairs
    }

    /// New boxes for all bodies, in the order of the sizes.
    pub fn update(&mut self, all: &[Aabb]) {
        match self.form {
            Form::Plain => self.fill(all),
            Form::Coherent => all.iter().zip(0..).for_each(|(bounds, label)| self.change(label, bounds)),
        }
    }

    /// Section 2.1: boxes in the order of their resolutions, coarse ones first.
    fn fill(&mut self, all: &[Aabb]) {
        self.counters.clear();
        self.tables.iter_mut().for_each(Table::clear);
        self.labels = 0;
        let Self { tiling, entries, tables, counters, buckets, labels, .. } = self;
        for own in 0..tiling.resolutions() {
            for (_, label) in entries.iter().zip(0_u32..).filter(|(entry, _)| entry.resolution == own) {
                for (k, table) in tables.iter_mut().enumerate().take(own + 1) {
                    each_cell(tiling.corners(&all[label as usize], k), |cell| {
                        *buckets += 1;
                        if k == own {
                            let bucket = table.entry(cell).or_default();
                            bucket.iter().for_each(|&other| *counters.entry(pair(label, other)).or_default() += 1);
                            bucket.push(label);
                            *labels += 1;
                        } else if let Some(bucket) = table.get(&cell) {
                            bucket.iter().for_each(|&other| *counters.entry(pair(label, other)).or_default() += 1);
                        }
                    });
                }
            }
        }
    }

    /// Section 2.2: the labels of one box, in tiles that it entered or left.
    fn change(&mut self, label: u32, bounds: &Aabb) {
        let Self { tiling, entries, tables, counters, buckets, labels, .. } = self;
        let own = entries[label as usize].resolution;
        for (k, table) in tables.iter_mut().enumerate().take(own + 1) {
            let now = tiling.corners(bounds, k);
            let last = entries[label as usize].tiles.get(k).copied();
            if last == Some(now) {
                continue;
            }
            // A pair is counted where k is the coarser of its resolutions.
            let counts = |other: u32| own.min(entries[other as usize].resolution) == k;
            if let Some(last) = last {
                each_cell(last, |cell| {
                    if contains(&now, cell) {
                        return;
                    }
                    *buckets += 1;
                    let Some(bucket) = table.get_mut(&cell) else { return };
                    bucket.retain(|&other| other != label);
                    *labels -= 1;
                    for &other in bucket.iter().filter(|&&other| counts(other)) {
                        let key = pair(label, other);
                        if let Some(count) = counters.get_mut(&key) {
                            *count -= 1;
                            if *count == 0 {
                                counters.remove(&key);
                            }
                        }
                    }
                    if bucket.is_empty() {
                        table.remove(&cell);
                    }
                });
            }
            each_cell(now, |cell| {
                if last.is_some_and(|last| contains(&last, cell)) {
                    return;
                }
                *buckets += 1;
                let bucket = table.entry(cell).or_default();
                for &other in bucket.iter().filter(|&&other| counts(other)) {
                    *counters.entry(pair(label, other)).or_default() += 1;
                }
                bucket.push(label);
                *labels += 1;
            });
            let tiles = &mut entries[label as usize].tiles;
            match tiles.get_mut(k) {
                Some(last) => *last = now,
                None => tiles.push(now),
            }
        }
    }
}

fn pair(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::super::tiles::{boxes, gap, size};
    use super::*;
    use clearance::math::DVec3;
    use clearance_lab::{Rng, random};

    /// Definition 1, for all pairs.
    fn brute(tiling: &Tiling, sizes: &[f64], all: &[Aabb]) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        for i in 0..all.len() {
            for j in i + 1..all.len() {
                let k = tiling.resolution(sizes[i]).min(tiling.resolution(sizes[j]));
                let [a, b] = [i, j].map(|n| tiling.corners(&all[n], k));
                if (0..3).all(|axis| a[0][axis] <= b[1][axis] && b[0][axis] <= a[1][axis]) {
                    found.push([i as u32, j as u32]);
                }
            }
        }
        found
    }

    /// Both forms have the close pairs of definition 1 while boxes move, for any alpha and beta; overlapping boxes are close, and close ones are within theorem 3.
    #[test]
    fn both_forms_have_the_close_pairs_of_the_definition() {
        let mut rng = Rng::with_seed(21);
        let mut seen = 0;
        for (alpha, beta) in [(0.25, 1.0), (0.5, 1.0), (0.25, 2.0), (0.75, 1.5)] {
            let mut all = boxes(&mut rng, 60, 50.0);
            let sizes: Vec<f64> = all.iter().map(size).collect();
            let tiling = Tiling::of_sizes(alpha, beta, &sizes);
            let ratio = sizes.iter().copied().fold(0.0, f64::max) / sizes.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(tiling.resolutions() <= tiling.bound(ratio), "lemma 1");
            let [mut plain, mut coherent] =
                [Form::Plain, Form::Coherent].map(|form| PrintedHash::new(form, tiling.clone(), &sizes));
            for frame in 0..30 {
                plain.update(&all);
                coherent.update(&all);
                let truth = brute(&tiling, &sizes, &all);
                assert_eq!(plain.close_pairs(), truth, "{alpha} {beta} {frame}");
                assert_eq!(coherent.close_pairs(), truth, "{alpha} {beta} {frame}");
                for i in 0..all.len() {
                    for j in i + 1..all.len() {
                        let is_close = truth.binary_search(&[i as u32, j as u32]).is_ok();
                        assert!(is_close || !all[i].overlaps(&all[j]));
                        let bound = 3f64.sqrt() / alpha * sizes[i].max(sizes[j]);
                        assert!(!is_close || gap(&all[i], &all[j]) <= bound * (1.0 + 1e-9));
                    }
                }
                seen += truth.len();
                for bounds in &mut all {
                    let step: DVec3 = random::vector(&mut rng, -0.3, 0.3);
                    (bounds.min, bounds.max) = (bounds.min + step, bounds.max + step);
                }
            }
            assert!(coherent.buckets() < plain.buckets() && coherent.labels() >= plain.labels());
        }
        assert!(seen > 1000, "{seen}");
    }
}
