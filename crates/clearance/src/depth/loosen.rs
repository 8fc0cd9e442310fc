//! From a translation that only just frees A to one with a little room.
//!
//! The nearest point in no sum is on planes of several sums, often of more than hold it there: of a lattice, dozens meet in a corner. A way off
//! all of them is looked for in the same way as the point itself, among the sums grown by the room that is wanted: beyond a facet
//! of each, the nearest first. A slit without width has no such way.

use super::bound::{Half, LeastNorm, nearest};
use super::search::{DepthSearch, TOLERANCE};
use glam::DVec3;

/// No farther than this away.
const FARTHEST: f64 = 1e-9;
/// A search looks at so many places at most.
const PLACES: usize = 200;

impl DepthSearch<'_, '_> {
    /// A place next to x that is `room` away from all sums.
    pub fn loosened(&mut self, x: DVec3, room: f64) -> Option<DVec3> {
        let near: Vec<u32> = (0..self.sums.pairs.len() as u32)
            .filter(|&id| {
                let bounds = self.sums.pairs[id as usize].bounds.grown(FARTHEST);
                bounds.min.cmple(x).all() && x.cmple(bounds.max).all()
            })
            .collect();
        // Displacements from x, each with what it has to be beyond.
        let mut open: Vec<(LeastNorm, Vec<Half>)> = vec![(LeastNorm::NOTHING, Vec::new())];
        for _ in 0..PLACES {
            let nearer = |&i: &usize, &j: &usize| open[i].0.bound.total_cmp(&open[j].0.bound);
            let best = (0..open.len()).min_by(nearer)?;
            let (known, halves) = open.swap_remove(best);
            let place = x + known.point;
            let holder = near.iter().copied().find(|&pair| self.sums.depth(pair, place, -room).is_some());
            let Some(pair) = holder else { return Some(place) };
            let facets = self.sums.facets(pair);
            for (&normal, &offset) in facets.normals.iter().zip(&facets.offsets) {
                // A little more, so that rounding does not bring it back.
                let half = Half { normal, offset: offset + room + 4.0 * TOLERANCE - normal.dot(x) };
                if half.offset < FARTHEST {
                    let mut all = halves.clone();
                    all.push(half);
                    let known = nearest(&all, &known, FARTHEST, TOLERANCE);
                    if known.bound < FARTHEST {
                        open.push((known, all));
                    }
                }
            }
        }
        None
    }
}
