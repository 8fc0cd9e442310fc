//! The lower bound by facets: the points of no sum, divided until each part is proved to be far from the origin.
//!
//! **Node.** An intersection of half-spaces, with a lower bound of how far its points are from the origin (`bound.rs`). The root is all of
//! space, or a box.
//!
//! **Step.** Take the node with the least bound. Its nearest point is in some sum; every point of the node that is in no sum is beyond a facet
//! of that one. Facets beyond which all points are as far as the upper bound are passed over. The others are the children, the nearest
//! first; each is also on the inner side of the facets before its own, so that no point is looked at twice. Of several sums
//! the one with the fewest children is taken; without any the node is done with.
//!
//! **End.** A nearest point in no sum is a free translation, if the pieces are all of the bodies: the oracle says. If it does not, the
//! node is *stuck*: nothing more is proved about it than its bound.
//!
//! **Invariant.** All points in no sum that are nearer than the upper bound (less the width that is asked for) are in nodes that are open
//! or stuck. So the least bound of those is a lower bound of the depth, at any time.

use super::bound::{Half, LeastNorm, nearest};
use super::search::{DepthSearch, Holder, Opening, TOLERANCE};
use super::voids::box_halves;
use crate::math::Aabb;
use crate::trace::CoverStep;
use arrayvec::ArrayVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A node: what it adds to its parent.
#[derive(Debug, Clone)]
struct FacetNode {
    parent: u32,
    /// The half-spaces of its siblings start here, the nearest first.
    siblings: u32,
    /// Which of them is its own; it is inside of those before it.
    rank: u32,
    nearest: LeastNorm,
}

const ROOT: u32 = u32::MAX;

/// An entry of the heap: the least bound first, then the oldest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HeapEntry {
    pub bound: f64,
    pub node: u32,
}

impl Eq for HeapEntry {}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.node.cmp(&self.node))
    }
}

/// What came of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Covered {
    /// All points in no sum are at least this far, or as far as is enough.
    pub bound: f64,
    /// Is nothing left open, but for what is stuck?
    pub is_finished: bool,
}

/// Whether a set of translations is in sums as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum SideGap {
    /// It is.
    None,
    /// It is not.
    Found,
    /// It was not found out.
    Unknown,
}

/// A search by facets; its lists are kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Branching {
    nodes: Vec<FacetNode>,
    /// The half-spaces of siblings, one set after the other.
    siblings: Vec<Half>,
    heap: BinaryHeap<HeapEntry>,
    halves: Vec<Half>,
    candidates: [Vec<u32>; 4],
    /// The box that the root is, if it is one.
    within: Option<Aabb>,
}

/// Of so many sums the one with the fewest children is taken.
const CHOICE: usize = 2;
/// A dive is made for so many nodes.
const DIVES: usize = 12;
/// With more open nodes than this, facets of all of space are given up: they are divided faster than they are done with.
const MOST_OPEN: usize = 400;

impl Branching {
    /// Bounds the points of a root that are in none of the sums, with no more than `most` nodes.
    pub fn run(
        &mut self,
        search: &mut DepthSearch<'_, '_>,
        root: Option<&Aabb>,
        among: Option<&[u32]>,
        most: usize,
    ) -> Covered {
        let found = self.search_bound(search, root, among, most);
        search.trace.cover(CoverStep::End { bound: found.bound });
        found
    }

    fn search_bound(
        &mut self,
        search: &mut DepthSearch<'_, '_>,
        root: Option<&Aabb>,
        among: Option<&[u32]>,
        most: usize,
    ) -> Covered {
        self.start(search, root);
        let mut stuck = f64::INFINITY;
        let mut count = 0;
        while let Some(&HeapEntry { bound, node }) = self.heap.peek() {
            if bound >= search.enough() {
                break;
            }
            let is_hopeless = among.is_none() && self.heap.len() > MOST_OPEN;
            // What has few nodes open for all that it has looked at is nearly done.
            let is_long = count >= most && (among.is_some() || 4 * self.heap.len() > count || count >= 4 * most);
            if is_hopeless || is_long || !search.may_go_on() {
                return Covered { bound: bound.min(stuck), is_finished: false };
            }
            count += 1;
            self.heap.pop();
            let known = self.nodes[node as usize].nearest.clone();
            self.gather(node);
            if count % DIVES == 1 && among.is_none() {
                self.dive(search, &known);
                if bound >= search.enough() {
                    break;
                }
            }
            let holders = search.holders(known.point, among);
            if holders.is_empty() {
                let is_free = search.try_free(known.point);
                if !is_free && search.enclose(known.point) {
                    // It is in a box now.
                    self.heap.push(HeapEntry { bound, node });
                } else if !(is_free && bound >= search.enough()) {
                    stuck = stuck.min(bound);
                }
                continue;
            }
            let (pair, openings) = self.fewest_openings(search, &holders, &known);
            self.divide(search, node, pair, openings);
        }
        Covered { bound: stuck.min(search.enough()).max(0.0), is_finished: true }
    }

    /// The openings of that one of some sums that has the fewest, as far as they are looked at: those with the fewest candidates are.
    fn fewest_openings(
        &mut self,
        search: &mut DepthSearch<'_, '_>,
        sums: &[Holder],
        known: &LeastNorm,
    ) -> (u32, Vec<Opening>) {
        let mut choice: ArrayVec<(usize, usize), 4> = ArrayVec::new();
        for (k, (holder, list)) in sums.iter().zip(&mut self.candidates).enumerate() {
            search.candidates(holder.pair, known, self.within.as_ref(), list);
            choice.push((list.len(), k));
        }
        choice.sort_unstable();
        let mut best: Option<(u32, Vec<Opening>)> = None;
        for &(_, k) in choice.iter().take(CHOICE) {
            let most = best.as_ref().map_or(usize::MAX, |best| best.1.len().saturating_sub(1));
            let list = &self.candidates[k];
            if let Some(openings) = search.openings(sums[k].pair, list, &mut self.halves, known, most) {
                let is_empty = openings.is_empty();
                best = Some((sums[k].pair, openings));
                if is_empty {
                    break;
                }
            }
        }
        best.unwrap_or_default()
    }

    /// Whether a root has a point that is in none of the sums, wherever it is.
    pub fn find_gap(&mut self, search: &mut DepthSearch<'_, '_>, root: &Aabb, among: &[u32], most: usize) -> SideGap {
        // All of the root is nearer than this: what is farther is not there.
        const FAR: f64 = 64.0;
        let upper = std::mem::replace(&mut search.upper, FAR);
        let gap = self.search_gap(search, root, among, most);
        search.upper = upper;
        gap
    }

    fn search_gap(&mut self, search: &mut DepthSearch<'_, '_>, root: &Aabb, among: &[u32], most: usize) -> SideGap {
        self.start(search, Some(root));
        let mut count = 0;
        while let Some(HeapEntry { node, .. }) = self.heap.pop() {
            if count >= most || !search.may_go_on() {
                return SideGap::Unknown;
            }
            count += 1;
            let known = self.nodes[node as usize].nearest.clone();
            self.gather(node);
            let holders = search.holders(known.point, Some(among));
            if holders.is_empty() {
                return SideGap::Found;
            }
            let (pair, openings) = self.fewest_openings(search, &holders, &known);
            self.divide(search, node, pair, openings);
        }
        SideGap::None
    }

    /// Begins with a root.
    fn start(&mut self, search: &mut DepthSearch<'_, '_>, within: Option<&Aabb>) {
        search.trace.cover(CoverStep::Root { within: within.copied() });
        self.within = within.copied();
        let planes = within.map(box_halves);
        let root = planes.as_ref().map_or(&[][..], |planes| &planes[..]);
        self.nodes.clear();
        self.siblings.clear();
        self.heap.clear();
        self.siblings.extend_from_slice(root);
        let first = nearest(root, &LeastNorm::NOTHING, search.enough(), TOLERANCE);
        if first.bound < search.enough() {
            self.heap.push(HeapEntry { bound: first.bound, node: 0 });
            self.nodes.push(FacetNode { parent: ROOT, siblings: 0, rank: root.len() as u32, nearest: first });
        }
    }

    /// Collects the half-spaces of a node, those of the root first.
    fn gather(&mut self, node: u32) {
        let mut chain: smallvec::SmallVec<[u32; 32]> = smallvec::SmallVec::new();
        let mut at = node;
        while at != ROOT {
            chain.push(at);
            at = self.nodes[at as usize].parent;
        }
        self.halves.clear();
        for &at in chain.iter().rev() {
            let node = &self.nodes[at as usize];
            let first = node.siblings as usize;
            let own = first + node.rank as usize;
            if node.parent == ROOT {
                self.halves.extend_from_slice(&self.siblings[first..own]);
            } else {
                self.halves.extend(self.siblings[first..own].iter().map(|half| half.complement()));
                self.halves.push(self.siblings[own]);
            }
        }
    }

    /// Makes children of the openings of a node, whose half-spaces are gathered.
    fn divide(&mut self, search: &mut DepthSearch<'_, '_>, parent: u32, pair: u32, mut openings: Vec<Opening>) {
        openings.sort_by(|p, q| p.nearest.bound.total_cmp(&q.nearest.bound));
        let first = self.siblings.len() as u32;
        self.siblings.extend(openings.iter().map(|opening| opening.half));
        let place = self.halves.len() as u32;
        let mut children = Vec::new();
        let planes = |opening: &Opening| (opening.half.normal, opening.half.offset);
        let beyond = search.trace.is_on().then(|| openings.iter().map(planes).collect());
        for (rank, opening) in (0..).zip(openings) {
            // The half-spaces of the parent, the facets before this one from their inner side, and this one.
            self.halves.push(opening.half);
            let mut known = opening.nearest;
            for active in &mut known.active {
                if *active == place {
                    *active = place + rank;
                }
            }
            let nearest = nearest(&self.halves, &known, search.enough(), TOLERANCE);
            let mut child = None;
            if nearest.bound < search.enough() {
                let node = self.nodes.len() as u32;
                self.heap.push(HeapEntry { bound: nearest.bound, node });
                self.nodes.push(FacetNode { parent, siblings: first, rank, nearest });
                child = Some(node);
            }
            if beyond.is_some() {
                children.push(child);
            }
            self.halves.pop();
            self.halves.push(opening.half.complement());
        }
        self.halves.truncate(place as usize);
        if let Some(beyond) = beyond {
            let pieces = search.sums.pieces_of(pair);
            search.trace.cover(CoverStep::Divided { node: parent, pieces, beyond, children });
        }
    }

    /// Goes straight on from a node whose half-spaces are gathered, through the nearest facet of the deepest sum each time: an upper bound.
    fn dive(&mut self, search: &mut DepthSearch<'_, '_>, from: &LeastNorm) {
        const LONGEST: usize = 48;
        let place = self.halves.len();
        let mut known = from.clone();
        for _ in 0..LONGEST {
            let holders = search.holders(known.point, None);
            let Some(holder) = holders.first() else {
                search.try_free(known.point);
                break;
            };
            let list = &mut self.candidates[0];
            search.candidates(holder.pair, &known, None, list);
            let found = search.openings(holder.pair, list, &mut self.halves, &known, usize::MAX);
            let openings = found.unwrap_or_default();
            let nearer = |p: &&Opening, q: &&Opening| p.nearest.bound.total_cmp(&q.nearest.bound);
            let Some(opening) = openings.iter().min_by(nearer) else { break };
            self.halves.push(opening.half);
            known = opening.nearest.clone();
        }
        self.halves.truncate(place);
    }
}
