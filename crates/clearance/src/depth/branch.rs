//! Lower bound by facets: branch and bound over the translations that are in no sum.
//!
//! **Node.** An intersection of half-spaces, with a lower bound on the distance of its points from the origin (`bound.rs`). The root is all of space,
//! or a box.
//!
//! **Step.** Take the node with the least bound. Its nearest point is in some sum. Every point of the node outside that sum is beyond one of the
//! sum's facets. A facet is pruned if all points of the node beyond it are as far as the cutoff. The other facets become children, nearest first. A
//! child is also on the inner side of the facets of its earlier siblings, so that children are disjoint. Of several sums the search takes the one
//! with the fewest children. A node without children is finished.
//!
//! **End.** A nearest point in no sum is a free translation, if the pieces fill the bodies. The oracle decides. If it does not confirm, the node is
//! *stuck*: its bound is final.
//!
//! **Invariants.**
//! * (B1) All points of the root that are in no sum and nearer than the cutoff are in nodes that are open (in the heap) or stuck. So the least bound
//!   of these nodes is a lower bound of the depth at any time.
//! * (B2) A child's bound is at least its parent's, up to rounding.
//! * (B3) `halves` holds the half-spaces of the node that `gather` collected last; every method that pushes onto it truncates it again.

use super::bound::{Half, LeastNorm, nearest};
use super::search::{ContainingSum, DepthSearch, OpenFacet};
use super::voids::box_halves;
use crate::math::{Aabb, LeastFirst, QueueItem, Total};
use crate::trace::CoverStep;
use crate::tuning::depth::{self as tuning, TOLERANCE};
use arrayvec::ArrayVec;
use std::collections::BinaryHeap;

/// A node, as the half-spaces that it adds to its parent.
#[derive(Debug, Clone)]
struct FacetNode {
    parent: u32,
    /// Index of the half-space of its first sibling; siblings are in order of their bounds.
    siblings: u32,
    /// Its own half-space is `siblings + rank`. It is on the inner side of those before.
    rank: u32,
    nearest: LeastNorm,
}

/// Parent of the root. Layout: no index of a node.
const ROOT: u32 = u32::MAX;

/// An entry of the heap: least bound first, then the oldest node.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeapEntry {
    pub bound: f64,
    pub node: u32,
}

impl QueueItem for HeapEntry {
    type Key = (Total, u32);

    fn key(&self) -> Self::Key {
        (Total(self.bound), self.node)
    }
}

/// Result of a search by facets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Covered {
    /// Lower bound on the norm of all points in no sum, at most the cutoff.
    pub bound: f64,
    /// True if no node is open. Stuck nodes may remain.
    pub is_finished: bool,
}

/// Does a set of translations have a point in no sum?
#[derive(Debug, Clone, Copy)]
pub(super) enum SideGap {
    /// Sums cover the set.
    None,
    /// A point in no sum was found.
    Found,
    /// The node limit was reached.
    Unknown,
}

/// A search by facets. Its lists are reused by the next search.
#[derive(Debug, Default)]
pub(super) struct Branching {
    nodes: Vec<FacetNode>,
    /// The half-spaces of all nodes, one run of siblings after the other.
    siblings: Vec<Half>,
    heap: BinaryHeap<LeastFirst<HeapEntry>>,
    halves: Vec<Half>,
    candidates: [Vec<u32>; 4],
    /// The box of the root; `None` for all of space.
    within: Option<Aabb>,
}

impl Branching {
    /// Bounds the norm of the points of a root that are in none of the sums, with about `most` nodes.
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
        while let Some(&LeastFirst(HeapEntry { bound, node })) = self.heap.peek() {
            if bound >= search.cutoff() {
                break;
            }
            if among.is_none() {
                search.proved = search.proved.max(bound.min(stuck));
            }
            let is_hopeless = among.is_none() && self.heap.len() > tuning::MAX_OPEN_NODES;
            // A search with few open nodes for its number of visited ones is nearly finished.
            let is_long = count >= most && (among.is_some() || 4 * self.heap.len() > count || count >= 4 * most);
            if is_hopeless || is_long || !search.charge_node() {
                return Covered { bound: bound.min(stuck), is_finished: false };
            }
            count += 1;
            self.heap.pop();
            let known = self.nodes[node as usize].nearest.clone();
            self.gather(node);
            if count % tuning::DIVE_PERIOD == 1 && among.is_none() {
                self.dive(search, &known);
                if bound >= search.cutoff() {
                    break;
                }
            }
            let containing = search.containing_sums(known.point, among);
            if containing.is_empty() {
                let is_free = search.try_free(known.point);
                if !is_free && search.enclose(known.point) {
                    // The box around the cavity contains the point from now on.
                    self.heap.push(LeastFirst(HeapEntry { bound, node }));
                } else if !(is_free && bound >= search.cutoff()) {
                    stuck = stuck.min(bound);
                }
                continue;
            }
            let (pair, open_facets) = self.fewest_open_facets(search, &containing, &known);
            self.divide(search, node, pair, open_facets);
        }
        Covered { bound: stuck.min(search.cutoff()).max(0.0), is_finished: true }
    }

    /// The sum with the fewest open facets, and these. Only the `COMPETING_SUMS` with the fewest candidates compete.
    fn fewest_open_facets(
        &mut self,
        search: &mut DepthSearch<'_, '_>,
        sums: &[ContainingSum],
        known: &LeastNorm,
    ) -> (u32, Vec<OpenFacet>) {
        let mut choice: ArrayVec<(usize, usize), 4> = ArrayVec::new();
        for (k, (sum, list)) in sums.iter().zip(&mut self.candidates).enumerate() {
            search.candidates(sum.pair, known, self.within.as_ref(), list);
            choice.push((list.len(), k));
        }
        choice.sort_unstable();
        let mut best: Option<(u32, Vec<OpenFacet>)> = None;
        for &(_, k) in choice.iter().take(tuning::COMPETING_SUMS) {
            let most = best.as_ref().map_or(usize::MAX, |best| best.1.len().saturating_sub(1));
            let list = &self.candidates[k];
            if let Some(open_facets) = search.open_facets(sums[k].pair, list, &mut self.halves, known, most) {
                let is_empty = open_facets.is_empty();
                best = Some((sums[k].pair, open_facets));
                if is_empty {
                    break;
                }
            }
        }
        best.unwrap_or_default()
    }

    /// Does a root have a point in none of the sums, at any distance from the origin?
    pub fn find_gap(&mut self, search: &mut DepthSearch<'_, '_>, root: &Aabb, among: &[u32], most: usize) -> SideGap {
        /// Limit: above the norm of every point of a root. A void box is at most 2 wide per axis before its last growth, around a point of norm below 4.
        const FAR: f64 = 64.0;
        debug_assert!(root.min.abs().max(root.max.abs()).length() < FAR);
        let upper = std::mem::replace(&mut search.upper, FAR);
        let gap = self.search_gap(search, root, among, most);
        search.upper = upper;
        gap
    }

    fn search_gap(&mut self, search: &mut DepthSearch<'_, '_>, root: &Aabb, among: &[u32], most: usize) -> SideGap {
        self.start(search, Some(root));
        let mut count = 0;
        while let Some(LeastFirst(HeapEntry { node, .. })) = self.heap.pop() {
            if count >= most || !search.charge_node() {
                return SideGap::Unknown;
            }
            count += 1;
            let known = self.nodes[node as usize].nearest.clone();
            self.gather(node);
            let containing = search.containing_sums(known.point, Some(among));
            if containing.is_empty() {
                return SideGap::Found;
            }
            let (pair, open_facets) = self.fewest_open_facets(search, &containing, &known);
            self.divide(search, node, pair, open_facets);
        }
        SideGap::None
    }

    /// Resets the search to one root.
    fn start(&mut self, search: &mut DepthSearch<'_, '_>, within: Option<&Aabb>) {
        search.trace.cover(CoverStep::Root { within: within.copied() });
        self.within = within.copied();
        let planes = within.map(box_halves);
        let root = planes.as_ref().map_or(&[][..], |planes| &planes[..]);
        self.nodes.clear();
        self.siblings.clear();
        self.heap.clear();
        self.siblings.extend_from_slice(root);
        let first = nearest(root, &LeastNorm::WHOLE_SPACE, search.cutoff(), TOLERANCE);
        if first.bound < search.cutoff() {
            self.heap.push(LeastFirst(HeapEntry { bound: first.bound, node: 0 }));
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

    /// Makes children of the open facets of a node whose half-spaces are gathered.
    fn divide(&mut self, search: &mut DepthSearch<'_, '_>, parent: u32, pair: u32, mut open_facets: Vec<OpenFacet>) {
        open_facets.sort_by(|p, q| p.nearest.bound.total_cmp(&q.nearest.bound));
        let first = self.siblings.len() as u32;
        self.siblings.extend(open_facets.iter().map(|open_facet| open_facet.half));
        let place = self.halves.len() as u32;
        let mut children = Vec::new();
        let planes = |open_facet: &OpenFacet| (open_facet.half.normal, open_facet.half.offset);
        let beyond = search.trace.is_on().then(|| open_facets.iter().map(planes).collect());
        for (rank, open_facet) in (0..).zip(open_facets) {
            // The half-spaces of the child: those of the parent, the complements of earlier siblings, its own.
            self.halves.push(open_facet.half);
            let mut known = open_facet.nearest;
            for active in &mut known.active {
                if *active == place {
                    *active = place + rank;
                }
            }
            let nearest = nearest(&self.halves, &known, search.cutoff(), TOLERANCE);
            debug_assert!(nearest.bound >= self.nodes[parent as usize].nearest.bound, "(B2)");
            let mut child = None;
            if nearest.bound < search.cutoff() {
                let node = self.nodes.len() as u32;
                self.heap.push(LeastFirst(HeapEntry { bound: nearest.bound, node }));
                self.nodes.push(FacetNode { parent, siblings: first, rank, nearest });
                child = Some(node);
            }
            if beyond.is_some() {
                children.push(child);
            }
            self.halves.pop();
            self.halves.push(open_facet.half.complement());
        }
        self.halves.truncate(place as usize);
        if let Some(beyond) = beyond {
            let pieces = search.sums.pieces_of(pair);
            search.trace.cover(CoverStep::Divided { node: parent, pieces, beyond, children });
        }
    }

    /// Diving heuristic for an upper bound: follows the nearest facet of the deepest sum, from a node whose half-spaces are gathered.
    fn dive(&mut self, search: &mut DepthSearch<'_, '_>, from: &LeastNorm) {
        let place = self.halves.len();
        let mut known = from.clone();
        for _ in 0..tuning::DIVE_LENGTH {
            let containing = search.containing_sums(known.point, None);
            let Some(sum) = containing.first() else {
                search.try_free(known.point);
                break;
            };
            let list = &mut self.candidates[0];
            search.candidates(sum.pair, &known, None, list);
            let found = search.open_facets(sum.pair, list, &mut self.halves, &known, usize::MAX);
            let open_facets = found.unwrap_or_default();
            let nearer = |p: &&OpenFacet, q: &&OpenFacet| p.nearest.bound.total_cmp(&q.nearest.bound);
            let Some(open_facet) = open_facets.iter().min_by(nearer) else { break };
            self.halves.push(open_facet.half);
            known = open_facet.nearest.clone();
        }
        self.halves.truncate(place);
    }
}
