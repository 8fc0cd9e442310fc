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
use super::search::{DepthSearch, Opening, TOLERANCE};
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

/// A search by facets; its lists are kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Branching {
    nodes: Vec<FacetNode>,
    /// The half-spaces of siblings, one set after the other.
    siblings: Vec<Half>,
    heap: BinaryHeap<HeapEntry>,
    halves: Vec<Half>,
}

/// Of so many sums the one with the fewest children is taken.
const CHOICE: usize = 4;
/// A dive is made for so many nodes.
const DIVES: usize = 24;

impl Branching {
    /// Bounds the points of a root that are in none of the sums, with no more than `most` nodes.
    pub fn run(
        &mut self,
        search: &mut DepthSearch<'_, '_>,
        root: &[Half],
        among: Option<&[u32]>,
        most: usize,
    ) -> Covered {
        self.nodes.clear();
        self.siblings.clear();
        self.heap.clear();
        self.siblings.extend_from_slice(root);
        let first = nearest(root, &LeastNorm::NOTHING, search.enough(), TOLERANCE);
        let mut stuck = f64::INFINITY;
        if first.bound < search.enough() {
            self.nodes.push(FacetNode { parent: ROOT, siblings: 0, rank: root.len() as u32, nearest: first });
            self.heap.push(HeapEntry { bound: self.nodes[0].nearest.bound, node: 0 });
        }
        let mut count = 0;
        while let Some(&HeapEntry { bound, node }) = self.heap.peek() {
            if bound >= search.enough() {
                break;
            }
            if count >= most || !search.may_go_on() {
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
                if !(is_free && bound >= search.enough()) {
                    stuck = stuck.min(bound);
                }
                continue;
            }
            let mut best: Option<Vec<Opening>> = None;
            for holder in holders.iter().take(CHOICE) {
                let most = best.as_ref().map_or(usize::MAX, |best| best.len().saturating_sub(1));
                if let Some(openings) = search.openings(holder.pair, &mut self.halves, &known, most) {
                    let is_empty = openings.is_empty();
                    best = Some(openings);
                    if is_empty {
                        break;
                    }
                }
            }
            self.divide(search, node, best.unwrap_or_default());
        }
        Covered { bound: stuck.min(search.enough()).max(0.0), is_finished: true }
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
    fn divide(&mut self, search: &DepthSearch<'_, '_>, parent: u32, mut openings: Vec<Opening>) {
        openings.sort_by(|p, q| p.nearest.bound.total_cmp(&q.nearest.bound));
        let first = self.siblings.len() as u32;
        self.siblings.extend(openings.iter().map(|opening| opening.half));
        let place = self.halves.len() as u32;
        for (rank, opening) in (0..).zip(openings) {
            // The half-spaces of the parent, the facets before this one from their inner side, and this one.
            self.halves.push(opening.half);
            let mut known = opening.nearest;
            for active in &mut known.active {
                if active.0 == place {
                    active.0 = place + rank;
                }
            }
            let nearest = nearest(&self.halves, &known, search.enough(), TOLERANCE);
            if nearest.bound < search.enough() {
                let node = self.nodes.len() as u32;
                self.heap.push(HeapEntry { bound: nearest.bound, node });
                self.nodes.push(FacetNode { parent, siblings: first, rank, nearest });
            }
            self.halves.pop();
            self.halves.push(opening.half.complement());
        }
        self.halves.truncate(place as usize);
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
            let openings = search.openings(holder.pair, &mut self.halves, &known, usize::MAX).unwrap_or_default();
            let nearer = |p: &&Opening, q: &&Opening| p.nearest.bound.total_cmp(&q.nearest.bound);
            let Some(opening) = openings.iter().min_by(nearer) else { break };
            self.halves.push(opening.half);
            known = opening.nearest.clone();
        }
        self.halves.truncate(place);
    }
}
