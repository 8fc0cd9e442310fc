//! State that the two branch-and-bound searches share: the sums, the shortest free translation, and the stopping rules.
//!
//! All lengths are in a unit in which the two bodies and their offset add up to less than one, so that absolute tolerances are relative to the size.
//!
//! Invariants:
//! * (S1) `upper` is the length of `witness`, rounded up, and the oracle has proved `witness` free.
//! * (S2) `upper` never grows, except inside `Branching::find_gap`, which restores it.
//! * (S3) The search prunes a region only if its points in no sum are at least `cutoff()` from the origin.

use super::DepthEnd;
use super::bound::{Half, LeastNorm, exchange, nearest};
use super::sum::Sums;
use crate::math::Aabb;
use crate::narrow::goals;
use crate::trace::Trace;
use crate::tuning::depth::{self as tuning, TOLERANCE};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::time::{Duration, Instant};

/// Proves that a translation is free, and then returns it with an upper bound on its length.
pub(super) type Oracle<'o> = dyn FnMut(DVec3) -> Option<(DVec3, f64)> + 'o;

/// A sum that contains a given point, and the depth of the point in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContainingSum {
    pub pair: u32,
    pub depth: f64,
}

pub(super) struct DepthSearch<'s, 'o> {
    pub sums: Sums<'s>,
    oracle: &'o mut Oracle<'o>,
    /// The length of the shortest translation known to be free, and that translation.
    pub upper: f64,
    pub witness: DVec3,
    /// Width of the bracket at which the search stops.
    pub width: f64,
    /// Number of visited nodes, and its limit.
    pub nodes: usize,
    pub max_nodes: usize,
    /// The best lower bound so far, for a trace that watches.
    pub proved: f64,
    deadline: Option<Instant>,
    is_expired: bool,
    /// Scratch list of `containing_sums`: the margin of the point in a bounding box, and the sum.
    boxed: Vec<(f64, u32)>,
    /// Places in no sum that the oracle could not prove free.
    pub stuck: Vec<DVec3>,
    /// Only places that are reached from outside count as free. Then boxes around cavities act as sums (`voids.rs`), with numbers after those of all sums.
    pub is_outside_only: bool,
    pub voids_tried: usize,
    pub voids_found: u32,
    sum_count: usize,
    pub trace: &'o mut dyn Trace,
}

/// When a time limit ends. The clock is read only if there is one: some targets have no clock.
pub(super) fn deadline(seconds: f64) -> Option<Instant> {
    if seconds < 1e9 { Instant::now().checked_add(Duration::from_secs_f64(seconds.max(0.0))) } else { None }
}

impl<'s, 'o> DepthSearch<'s, 'o> {
    pub fn new(
        sums: Sums<'s>,
        oracle: &'o mut Oracle<'o>,
        (witness, upper): (DVec3, f64),
        width: f64,
        max_nodes: usize,
        seconds: f64,
        trace: &'o mut dyn Trace,
    ) -> Self {
        let deadline = deadline(seconds);
        let width = width.max(goals::SOLID_SEARCH);
        let sum_count = sums.pairs.len();
        Self {
            sums,
            oracle,
            upper,
            witness,
            width,
            nodes: 0,
            max_nodes,
            proved: 0.0,
            deadline,
            is_expired: false,
            boxed: Vec::new(),
            stuck: Vec::new(),
            is_outside_only: false,
            voids_tried: 0,
            voids_found: 0,
            sum_count,
            trace,
        }
    }

    /// Why it stopped, with a lower bound.
    pub fn end(&self, lower: f64) -> DepthEnd {
        if lower >= self.cutoff() {
            DepthEnd::Width
        } else if self.is_expired {
            DepthEnd::Seconds
        } else if self.nodes >= self.max_nodes {
            DepthEnd::Nodes
        } else {
            DepthEnd::Stuck
        }
    }

    /// Distance from the origin at which a region is pruned: the upper bound less the width of the budget.
    pub fn cutoff(&self) -> f64 {
        self.upper - self.width
    }

    /// Counts a node, unless a limit of nodes or time is reached.
    pub fn charge_node(&mut self) -> bool {
        if self.nodes >= self.max_nodes {
            return false;
        }
        self.is_expired = self.is_expired
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.trace.bracket(self.proved, self.upper).is_break();
        self.nodes += usize::from(!self.is_expired);
        !self.is_expired
    }

    /// Queries the oracle about a translation in no sum, pushed off the sums by increasing gaps. Records it as stuck if no query proves it free.
    pub fn try_free(&mut self, x: DVec3) -> bool {
        for gap in tuning::PUSH_OFF_GAPS {
            let Some(place) = self.push_off(x, gap) else { break };
            if let Some((free, length)) = (self.oracle)(place) {
                if length < self.upper {
                    (self.upper, self.witness) = (length, free);
                }
                return true;
            }
        }
        if self.stuck.len() < tuning::STUCK_PLACES {
            self.stuck.push(x);
        }
        false
    }

    /// Sums that contain a point, deepest first, among those given or among all. The list may be incomplete, but is empty only if no sum contains the point.
    pub fn containing_sums(&mut self, x: DVec3, among: Option<&[u32]>) -> ArrayVec<ContainingSum, 4> {
        let mut boxed = std::mem::take(&mut self.boxed);
        boxed.clear();
        {
            let pairs = &self.sums.pairs;
            let mut visit = |id: u32| {
                let bounds = &pairs[id as usize].bounds;
                let depth = (x - bounds.min).min(bounds.max - x).min_element();
                if depth > tuning::INSIDE {
                    boxed.push((depth, id));
                }
            };
            match among {
                Some(ids) => {
                    ids.iter().for_each(|&id| visit(id));
                    (self.sum_count as u32..pairs.len() as u32).for_each(&mut visit);
                }
                None => (0..pairs.len() as u32).for_each(&mut visit),
            }
        }
        boxed.sort_unstable_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
        let mut found: ArrayVec<ContainingSum, 4> = ArrayVec::new();
        for (i, &(bound, pair)) in boxed.iter().enumerate() {
            let least = found.last().map_or(f64::NEG_INFINITY, |sum| sum.depth);
            if i >= tuning::FIRST_SUMS && !found.is_empty() || found.is_full() && bound <= least {
                break;
            }
            // One sum suffices to divide a node. Others compete only if their facets are built already.
            if !found.is_empty() && self.sums.known(pair).is_none() {
                continue;
            }
            let Some(depth) = self.sums.depth(pair, x, tuning::INSIDE) else { continue };
            if found.is_full() {
                if depth <= least {
                    continue;
                }
                found.pop();
            }
            let at = found.iter().position(|sum| depth > sum.depth).unwrap_or(found.len());
            found.insert(at, ContainingSum { pair, depth });
        }
        self.boxed = boxed;
        found
    }

    /// Candidate facets of a sum: those beyond which cheap bounds leave points of a node nearer than the cutoff. The bounds are the offset of the facet, the
    /// dual bound of its plane with that of the node's bound, and the box around the node.
    ///
    /// A point of the node that is not in the sum is beyond one of the candidates, or as far as the cutoff.
    pub fn candidates(&mut self, pair: u32, known: &LeastNorm, within: Option<&Aabb>, found: &mut Vec<u32>) {
        found.clear();
        let cutoff = self.cutoff();
        // The supporting plane at the node's nearest point, moved in by its rounding: all points of the node are beyond it.
        let own = known
            .point
            .try_normalize()
            .map(|normal| Half { normal, offset: known.bound - 8.0 * f64::EPSILON * (known.bound + self.upper) });
        let within = within.map(|bounds| (bounds.center(), 0.5 * (bounds.max - bounds.min)));
        let facets = self.sums.facets(pair);
        for (facet, (&normal, &offset)) in (0..).zip(facets.normals.iter().zip(&facets.offsets)) {
            // Bound: the length of a unit normal is off by less than 4 ε.
            let alone = offset / (1.0 + 8.0 * f64::EPSILON);
            if alone >= cutoff {
                continue;
            }
            // The support height of the box, rounded up.
            let is_beyond = within.is_some_and(|(center, half)| {
                let size = (center.abs() + half).element_sum();
                // Bound: a height of a box is off by less than 8 ε of its size, and so is the offset.
                normal.dot(center) + normal.abs().dot(half) + 16.0 * f64::EPSILON * size < offset
            });
            if !is_beyond && !own.is_some_and(|own| both(own, Half { normal, offset }) >= cutoff) {
                found.push(facet);
            }
        }
    }

    /// The open facets among the candidates, with the least-norm point of the node beyond each; `None` if there are more than `most`. `halves` are the
    /// half-spaces of the node, `known` is their least-norm point. The list is extended during the call and restored (B3).
    pub fn open_facets(
        &mut self,
        pair: u32,
        candidates: &[u32],
        halves: &mut Vec<Half>,
        known: &LeastNorm,
        most: usize,
    ) -> Option<Vec<OpenFacet>> {
        let cutoff = self.cutoff();
        let place = halves.len();
        let facets = self.sums.facets(pair);
        let mut found = Vec::new();
        for &facet in candidates {
            let half = Half { normal: facets.normals[facet as usize], offset: facets.offsets[facet as usize] };
            halves.truncate(place);
            halves.push(half);
            // A warm start: the node's point violates only the new half-space.
            let first = exchange(known, halves, place as u32);
            if first.bound >= cutoff {
                continue;
            }
            let first = if first.bound > known.bound { first } else { known.clone() };
            let nearest = nearest(halves, &first, cutoff, TOLERANCE);
            if nearest.bound < cutoff {
                if found.len() >= most {
                    halves.truncate(place);
                    return None;
                }
                found.push(OpenFacet { half, nearest });
            }
        }
        halves.truncate(place);
        Some(found)
    }
}

/// A facet of a sum beyond which a node has points nearer than the cutoff.
#[derive(Debug, Clone)]
pub(super) struct OpenFacet {
    pub half: Half,
    pub nearest: LeastNorm,
}

/// The dual bound of two half-spaces.
fn both(p: Half, q: Half) -> f64 {
    let along = p.normal.dot(q.normal);
    let weights = [p.offset - along * q.offset, q.offset - along * p.offset];
    if weights[0] >= 0.0 && weights[1] >= 0.0 { super::bound::dual_bound(&weights, &[p, q]).0 } else { 0.0 }
}
