//! Places at which a climb begins: samples of both bodies, rated by the distance grid of the other one, and witnesses of earlier steps.

use super::body::Solid;
use crate::tuning::depth::witness as tuning;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::rc::Rc;

/// A point that may be deep in both bodies when A is moved by x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed {
    pub point: DVec3,
    /// The translation that it was made for.
    pub x: DVec3,
    /// The solids of A and of B.
    pub solids: [usize; 2],
}

/// A sample of a solid.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: DVec3,
    depth: f64,
    solid: u16,
    of_a: bool,
}

/// Samples that may be of use in a cell.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    all: Rc<Vec<Sample>>,
    chosen: Rc<Vec<u16>>,
}

impl Samples {
    /// Those of all solids.
    pub fn all(a: &[Solid<'_>], b: &[Solid<'_>]) -> Self {
        let mut all = Vec::new();
        for (solids, of_a) in [(a, true), (b, false)] {
            let most = tuning::SAMPLES / solids.len();
            for (number, solid) in solids.iter().enumerate() {
                let scale = solid.outward(DVec3::X).distance(solid.outward(DVec3::ZERO));
                all.extend(solid.field().samples.iter().take(most.max(8)).map(|&(at, depth)| Sample {
                    at: solid.outward(at),
                    depth: depth * scale,
                    solid: number as u16,
                    of_a,
                }));
            }
        }
        all.truncate(usize::from(u16::MAX));
        let chosen = Rc::new((0..all.len() as u16).collect());
        Self { all: Rc::new(all), chosen }
    }

    /// The value of a sample for a translation, with the best solid of the other body.
    fn rated(sample: &Sample, a: &[Solid<'_>], b: &[Solid<'_>], x: DVec3) -> (f64, Seed) {
        let (point, others) = if sample.of_a { (sample.at + x, b) } else { (sample.at, a) };
        let local = if sample.of_a { point } else { point - x };
        let mut best = (f64::NEG_INFINITY, 0);
        for (number, other) in others.iter().enumerate() {
            let depth = other.rough_depth(local);
            if depth > best.0 {
                best = (depth, number);
            }
        }
        let own = usize::from(sample.solid);
        let solids = if sample.of_a { [own, best.1] } else { [best.1, own] };
        (best.0.min(sample.depth), Seed { point, x, solids })
    }

    /// The best seeds for a translation, and how many were rated.
    pub fn best(
        &self,
        a: &[Solid<'_>],
        b: &[Solid<'_>],
        x: DVec3,
        hints: &[Seed],
    ) -> (ArrayVec<Seed, { tuning::SEEDS }>, usize) {
        let mut found: ArrayVec<(f64, Seed), { tuning::SEEDS }> = ArrayVec::new();
        let mut offer = |value: f64, seed: Seed| {
            // One of several next to each other is enough.
            let apart = 0.5 * value.abs();
            let near = |other: &(f64, Seed)| other.1.point.distance(seed.point) < apart;
            if let Some(other) = found.iter_mut().find(|other| near(other)) {
                if value > other.0 {
                    *other = (value, seed);
                }
            } else if found.is_full() {
                let least = (0..found.len()).min_by(|&i, &j| found[i].0.total_cmp(&found[j].0)).unwrap_or(0);
                if value > found[least].0 {
                    found[least] = (value, seed);
                }
            } else {
                found.push((value, seed));
            }
        };
        for &i in self.chosen.iter() {
            let (value, seed) = Self::rated(&self.all[usize::from(i)], a, b, x);
            offer(value, seed);
        }
        // Hints are exact where the grid is too coarse to rate them, so each has its place.
        let mut all: ArrayVec<(f64, Seed), { tuning::SEEDS }> = ArrayVec::new();
        for hint in hints.iter().rev() {
            let (solid_a, solid_b) = (&a[hint.solids[0]], &b[hint.solids[1]]);
            let moved = |share: f64| {
                let point = hint.point + share * (x - hint.x);
                let value = solid_a.rough_depth(point - x).min(solid_b.rough_depth(point));
                (value, Seed { point, x, solids: hint.solids })
            };
            let best = [moved(0.5), moved(0.0), moved(1.0)].into_iter().reduce(|p, q| if q.0 > p.0 { q } else { p });
            all.extend(best.filter(|_| !all.is_full()));
        }
        found.sort_by(|p, q| q.0.total_cmp(&p.0));
        for seed in found {
            if !all.is_full() {
                all.push(seed);
            }
        }
        let mut found = all;
        found.sort_by(|p, q| q.0.total_cmp(&p.0));
        (found.into_iter().map(|(_, seed)| seed).collect(), self.chosen.len())
    }

    /// Samples that may be in both bodies for a translation within a radius of x. A signed distance changes by no more than the way (it is
    /// 1-Lipschitz).
    pub fn near(&self, a: &[Solid<'_>], b: &[Solid<'_>], x: DVec3, radius: f64) -> Self {
        let step = a.iter().chain(b).map(Solid::step).fold(0.0, f64::max);
        let least = -(radius + 2.5 * step);
        let is_near = |&&i: &&u16| Self::rated(&self.all[usize::from(i)], a, b, x).0 > least;
        let chosen = Rc::new(self.chosen.iter().filter(is_near).copied().collect());
        Self { all: self.all.clone(), chosen }
    }
}
