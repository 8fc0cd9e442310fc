//! A search for the closest triangles that starts from a kept front, and keeps the front for the next call.
//!
//! [`TriangleSearch`] visits triangles and knows nothing of fronts; [`Front`] stores pairs of subtrees with bounds and knows nothing of triangles. This module joins them in four
//! phases:
//!
//! 1. **Advance.** Leaf pairs that were among the closest are compared along the normal of the best answer, or visited. Then the front is brought to
//!    the new frame of B; the pairs whose bounds no longer suffice come out as starts.
//! 2. **Seed.** Without a front that holds, the start is the pair of roots.
//! 3. **Keep.** The traversal goes on from the starts, and hands every pair that it prunes or visits to the front.
//! 4. **Finish.** New entries get directions, and the work is compared with that of a search without a front.
//!
//! **Invariant.** When the search is over and nothing meets, every pair of triangles is below a pair of the front, whose bound holds in the frame of B.

use super::distance::TriangleSearch;
use super::entries::{FrontEntry, shortened};
use super::front::{Front, FrontPlace, LookedAt};
use super::heights::HeightOf;
use crate::math::multiversioned;
use crate::narrow::triangles::{Corners, TrianglePoints};
use crate::tree::{DualSearch, SeparatingPlane, SubTreePair, TreeSearch, WideView, closest_from};
use glam::{DVec3, Vec3};

/// A search with its front.
pub(super) struct KeptSearch<'s, 'a> {
    pub search: &'s mut TriangleSearch<'a>,
    pub front: &'s mut Front,
}

impl TreeSearch for KeptSearch<'_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f64 {
        self.search.cutoff()
    }

    #[inline(always)]
    fn plane(&self) -> Option<SeparatingPlane> {
        self.search.plane()
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.search.is_over()
    }

    #[inline(always)]
    fn prune(&mut self, lower: f64) {
        self.search.prune(lower);
    }
}

impl DualSearch for KeptSearch<'_, '_> {
    #[inline(always)]
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> f64 {
        self.search.leaves(a, b)
    }

    #[inline(always)]
    fn has_front(&self) -> bool {
        true
    }

    #[inline(always)]
    fn keep(&mut self, pair: SubTreePair, lower: f64) {
        let TriangleSearch { cutoff, rounding, .. } = *self.search;
        // A pair that may sleep needs no direction.
        if !self.front.puts_to_rest(pair, lower - rounding, cutoff + rounding) {
            self.front.keep_new(pair, &self.trees());
        }
    }

    #[inline(always)]
    fn keep_leaves(&mut self, pair: SubTreePair, lower: f64) {
        let TriangleSearch { cutoff, rounding, .. } = *self.search;
        if !self.front.keeps_leaves(pair, lower - rounding, cutoff + rounding) {
            self.keep_by_corners(pair);
        }
    }
}

impl<'a> KeptSearch<'_, 'a> {
    /// Visits everything that may be closer than the cutoff: from the front, or from the roots.
    pub fn run(&mut self, views: [WideView<'_>; 2]) {
        self.front.heights.forget();
        let mut starts = self.front.take_starts();
        // The closest so far come first: with a small cutoff more of the front stays as it is.
        let (mut close, mut looked_at) = self.front.take_close();
        close.retain(|&pair| self.stays_close(pair, &mut starts, &mut looked_at));
        self.front.put_close(close);
        let mut steps = looked_at.len();
        if !self.search.is_over() {
            self.advance_front(&mut starts, &mut looked_at);
            let b_in_a = self.search.b_in_a;
            steps += closest_from(&starts, views, b_in_a, self);
        }
        let (is_over, place) = (self.search.is_over(), self.place());
        self.front.finish(steps, is_over, (starts, looked_at), &place);
    }

    /// The frame of B, and what is known about it so far.
    fn place(&self) -> FrontPlace<'a> {
        let TriangleSearch { b_in_a, rounding, .. } = *self.search;
        let normal = self.search.best.as_ref().map(|(_, best)| best.normal);
        FrontPlace { b_in_a, trees: self.trees(), normal, rounding }
    }

    fn trees(&self) -> [WideView<'a>; 2] {
        [self.search.a.tree().view(), self.search.b.view()]
    }

    /// Moves the front to the frame of B; `starts` becomes the pairs that are not far enough, or the roots if the front is made anew.
    fn advance_front(&mut self, starts: &mut Vec<SubTreePair>, looked_at: &mut Vec<LookedAt>) {
        let (cutoff, place) = (self.search.cutoff, self.place());
        let Some(kept) = self.front.advance(&place, cutoff, starts) else {
            self.front.seed(place.b_in_a);
            starts.clear();
            starts.push(SubTreePair::ROOTS);
            return;
        };
        self.search.prune(kept);
        // (Only now: their bounds hold in this frame.)
        looked_at.drain(..).for_each(|LookedAt { pair, lower }| self.keep_leaves(pair, lower));
        // Most pairs that boxes do not prove far enough corners do, and the closest ones the normal.
        starts.retain(|&pair| !self.holds_by_corners(pair));
        starts.sort_by_key(|pair| !pair.are_leaves());
    }

    /// Are two leaves that were among the closest still among them? If not, they are visited; or, if they are farther along the normal, they get
    /// a direction once the front is in this frame.
    fn stays_close(&mut self, pair: SubTreePair, starts: &mut Vec<SubTreePair>, looked_at: &mut Vec<LookedAt>) -> bool {
        if self.search.is_over() {
            return true;
        }
        let Some(apart) = self.apart_along_normal(pair) else {
            let [a, b] = self.trees();
            let lower = multiversioned(
                #[inline(always)]
                || self.search.leaves(pair.a.items(&a), pair.b.items(&b)),
            );
            looked_at.push(LookedAt { pair, lower });
            return false;
        };
        self.search.prune(apart);
        let is_beyond = self.front.is_beyond_close(apart, self.search.cutoff);
        if is_beyond {
            starts.push(pair);
        }
        !is_beyond
    }

    /// Is an expired pair far enough apart by the corners of its triangles? Then it is kept.
    fn holds_by_corners(&mut self, pair: SubTreePair) -> bool {
        if !pair.are_leaves() {
            return false;
        }
        if pair.bound == SubTreePair::CLOSE {
            return self.settles_along_normal(pair);
        }
        let entry = self.entry(pair);
        let TriangleSearch { cutoff, rounding, .. } = *self.search;
        let holds = entry.bound - rounding >= cutoff && entry.bound > rounding;
        self.front.count_by_corners();
        if holds {
            self.search.prune(entry.bound - rounding);
            self.front.keep(&entry, cutoff + rounding, &self.trees());
        }
        holds
    }

    /// The separation of two leaves that were among the closest, along the normal of the best pair, if it equals that of the best pair
    /// to rounding; see `TriangleSearch::is_beyond_normal`.
    fn apart_along_normal(&mut self, pair: SubTreePair) -> Option<f64> {
        let (_, TrianglePoints { normal, .. }) = self.search.best?;
        let TriangleSearch { cutoff, rounding, .. } = *self.search;
        // Corners are off by two roundings, and a height in the axes of B by less than another one.
        let apart = self.beyond_by_corners(pair, normal, Some([HeightOf::A, HeightOf::B])) - 3.0 * rounding;
        (apart >= (cutoff - 4.0 * rounding).max(0.5 * rounding)).then_some(apart)
    }

    /// Are two leaves that were among the closest far enough apart along the normal? Then they are kept.
    fn settles_along_normal(&mut self, pair: SubTreePair) -> bool {
        let Some(apart) = self.apart_along_normal(pair) else { return false };
        self.search.prune(apart);
        let is_beyond = self.front.is_beyond_close(apart, self.search.cutoff);
        if !(is_beyond && self.holds_by_corners(SubTreePair { bound: 0.0, ..pair })) {
            self.front.keep_close(pair);
        }
        true
    }

    /// Keeps two leaves that were visited: with a direction along which their corners are far enough, or among the closest.
    #[inline(never)]
    fn keep_by_corners(&mut self, pair: SubTreePair) {
        let entry = self.entry(pair);
        let needed = self.search.cutoff + self.search.rounding;
        self.front.count_by_corners();
        if entry.bound <= needed {
            self.front.keep_close(pair);
        } else {
            let entry = FrontEntry { pair: SubTreePair { bound: 0.0, ..pair }, ..entry };
            self.front.keep(&entry, needed, &self.trees());
        }
    }

    /// The separation of two leaves along a vector by the corners of their triangles, times its length. Heights are cached for vectors along which many pairs
    /// are compared.
    fn beyond_by_corners(&mut self, pair: SubTreePair, along: DVec3, remembered: Option<[HeightOf; 2]>) -> f64 {
        let TriangleSearch { a, b, b_in_a, best, .. } = &*self.search;
        let heights = &mut self.front.heights;
        let top = || highest(|i| a.corners(i), pair.a.items(&a.tree().view()), along);
        let bottom = || -highest(|j| b.corners(j), pair.b.items(&b.view()), -b_in_a.direction_in_b(along));
        let (top, bottom) = match (remembered, best) {
            (Some([of_a, of_b]), Some((_, best))) => {
                heights.turn_to(best.normal);
                (heights.of(of_a, pair.a.place(), top), heights.of(of_b, pair.b.place(), bottom))
            }
            _ => (top(), bottom()),
        };
        along.dot(b_in_a.translation) + bottom - top
    }

    /// A direction along which the corners of two leaves are apart: the normal of the closest triangles, along which everything
    /// moves with it; or from middle to middle, if that is not enough.
    fn entry(&mut self, pair: SubTreePair) -> FrontEntry {
        let TriangleSearch { b_in_a, rounding, cutoff, .. } = *self.search;
        let normal = self.search.best.as_ref().map_or(DVec3::ZERO, |(_, best)| best.normal);
        let mut entry = FrontEntry { pair, normal: shortened(normal), bound: f64::NEG_INFINITY };
        // Corners of either are off by one rounding.
        let off = 2.0 * rounding;
        let of_leaves = Some([HeightOf::ShortA, HeightOf::ShortB]);
        entry.bound = self.beyond_by_corners(pair, entry.normal.as_dvec3(), of_leaves) - off;
        if entry.bound - rounding > cutoff {
            return entry;
        }
        let [view_a, view_b] = self.trees();
        let middle = |view: &WideView<'_>, center: Vec3| view.origin + center.as_dvec3() * view.unit;
        let (center_a, center_b) = (pair.a.own_box(&view_a).0, pair.b.own_box(&view_b).0);
        let between = b_in_a.point(middle(&view_b, center_b)) - middle(&view_a, center_a);
        let normal = shortened(between.normalize_or_zero());
        let bound = self.beyond_by_corners(pair, normal.as_dvec3(), None) - off;
        if bound > entry.bound {
            (entry.normal, entry.bound) = (normal, bound);
        }
        entry
    }
}

/// The height of triangles along a vector. (A plain loop: it runs for a dozen leaves in every call.)
#[inline(always)]
pub(super) fn highest(corners: impl Fn(u32) -> Corners, items: &[u32], along: DVec3) -> f64 {
    let mut top = f64::NEG_INFINITY;
    for &item in items {
        for corner in corners(item) {
            let height = along.dot(corner);
            top = if height > top { height } else { top };
        }
    }
    top
}
