//! Moves a translation that only just frees A to a place with a positive gap.
//!
//! The nearest point in no sum is on planes of several sums, often of more than determine it: dozens of planes of a lattice meet in one corner. A
//! best-first search finds a displacement off all of them: each step picks a sum that is too close and branches over its facets, moved out by `gap`.
//! A slit without width has no such displacement.
//!
//! Invariant: (P1) a returned place is at most `tuning::PUSH_OFF_RADIUS` from x and at least `gap` outside every sum, up to rounding. The oracle
//! decides whether it is free.

use super::bound::{Half, LeastNorm, nearest};
use super::search::DepthSearch;
use crate::tuning::depth::{self as tuning, PUSH_OFF_RADIUS, TOLERANCE};
use glam::DVec3;

impl DepthSearch<'_, '_> {
    /// The place next to x that is at least `gap` outside all sums, if one is found.
    pub fn push_off(&mut self, x: DVec3, gap: f64) -> Option<DVec3> {
        let near: Vec<u32> = (0..self.sums.pairs.len() as u32)
            .filter(|&id| {
                let bounds = self.sums.pairs[id as usize].bounds.grown(PUSH_OFF_RADIUS);
                bounds.min.cmple(x).all() && x.cmple(bounds.max).all()
            })
            .collect();
        // Open nodes: a displacement from x, and the half-spaces that it satisfies.
        let mut open: Vec<(LeastNorm, Vec<Half>)> = vec![(LeastNorm::WHOLE_SPACE, Vec::new())];
        for _ in 0..tuning::PUSH_OFF_PLACES {
            let nearer = |&i: &usize, &j: &usize| open[i].0.bound.total_cmp(&open[j].0.bound);
            let best = (0..open.len()).min_by(nearer)?;
            let (known, halves) = open.swap_remove(best);
            let place = x + known.point;
            let too_close = near.iter().copied().find(|&pair| self.sums.depth(pair, place, -gap).is_some());
            let Some(pair) = too_close else {
                debug_assert!(known.point.length() < 2.0 * PUSH_OFF_RADIUS, "(P1)");
                return Some(place);
            };
            let facets = self.sums.facets(pair);
            for (&normal, &offset) in facets.normals.iter().zip(&facets.offsets) {
                // Beyond the gap by a few tolerances, so that the child is not too close to the same sum again.
                let half = Half { normal, offset: offset + gap + 4.0 * TOLERANCE - normal.dot(x) };
                if half.offset < PUSH_OFF_RADIUS {
                    let mut all = halves.clone();
                    all.push(half);
                    let known = nearest(&all, &known, PUSH_OFF_RADIUS, TOLERANCE);
                    if known.bound < PUSH_OFF_RADIUS {
                        open.push((known, all));
                    }
                }
            }
        }
        None
    }
}
