//! What the searches for a lower bound have in common: the sums, the best free translation so far, and when to stop.
//!
//! All lengths are in a unit in which the two bodies and the way between them add up to less than one.

use super::bound::{Half, LeastNorm, exchanged, nearest};
use super::sum::Sums;
use crate::math::Aabb;
use crate::trace::Trace;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::time::{Duration, Instant};

/// A nearest point may violate a half-space by so much.
pub(super) const TOLERANCE: f64 = 2e-14;
/// A point is in a sum if it is deeper than this. It must be more than [`TOLERANCE`], or a node would be divided by the same facets
/// again and again.
pub(super) const DEPTH: f64 = 1e-13;
/// A bracket narrower than this is closed.
pub(super) const CLOSED: f64 = 4e-12;

/// Says whether a translation is free: a translation as good as the one that was asked about, if so, and an upper bound of its length.
pub(super) type Oracle<'o> = dyn FnMut(DVec3) -> Option<(DVec3, f64)> + 'o;

/// A sum with a point in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder {
    pub pair: u32,
    pub depth: f64,
}

pub(super) struct DepthSearch<'s, 'o> {
    pub sums: Sums<'s>,
    oracle: &'o mut Oracle<'o>,
    /// The length of the shortest translation that is known to be free, and that translation.
    pub upper: f64,
    pub witness: DVec3,
    /// How far below the upper bound it is not worth looking.
    pub width: f64,
    /// How many nodes were looked at, and how many may be.
    pub nodes: usize,
    pub max_nodes: usize,
    deadline: Option<Instant>,
    is_late: bool,
    held: Vec<(f64, u32)>,
    /// Places in no sum that are not known to be free.
    pub stuck: Vec<DVec3>,
    /// Do only places count that are reached from outside? Then boxes without a way in are as good as sums (`voids.rs`); they come after all
    /// sums.
    pub is_outside_only: bool,
    pub voids_tried: usize,
    pub voids_found: u32,
    sum_count: usize,
    pub trace: &'o mut dyn Trace,
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
        // A clock is only looked at by those who ask for it: there are machines without one.
        let deadline =
            if seconds < 1e9 { Instant::now().checked_add(Duration::from_secs_f64(seconds.max(0.0))) } else { None };
        let width = width.max(CLOSED);
        let sum_count = sums.pairs.len();
        Self {
            sums,
            oracle,
            upper,
            witness,
            width,
            nodes: 0,
            max_nodes,
            deadline,
            is_late: false,
            held: Vec::new(),
            stuck: Vec::new(),
            is_outside_only: false,
            voids_tried: 0,
            voids_found: 0,
            sum_count,
            trace,
        }
    }

    /// What reaches this is as good as the upper bound.
    pub fn enough(&self) -> f64 {
        self.upper - self.width
    }

    /// Counts a node; is there time for it?
    pub fn may_go_on(&mut self) -> bool {
        if self.nodes >= self.max_nodes {
            return false;
        }
        self.is_late = self.is_late || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.nodes += usize::from(!self.is_late);
        !self.is_late
    }

    /// Asks whether a translation is free that is in no sum, or one next to it that has a little more room.
    pub fn try_free(&mut self, x: DVec3) -> bool {
        // Planes are moved in by about 1.3e-13, and 6e-14 of room can be seen.
        const ROOMS: [f64; 3] = [3e-13, 1.2e-12, 1e-11];
        for room in ROOMS {
            let Some(place) = self.loosened(x, room) else { break };
            if let Some((free, length)) = (self.oracle)(place) {
                if length < self.upper {
                    (self.upper, self.witness) = (length, free);
                }
                return true;
            }
        }
        if self.stuck.len() < 8 {
            self.stuck.push(x);
        }
        false
    }

    /// The deepest of the sums that a point is in, among those given, or among all: some of them, and none only if it is in none.
    pub fn holders(&mut self, x: DVec3, among: Option<&[u32]>) -> ArrayVec<Holder, 4> {
        const FIRST: usize = 8;
        let mut held = std::mem::take(&mut self.held);
        held.clear();
        {
            let pairs = &self.sums.pairs;
            let mut look = |id: u32| {
                let bounds = &pairs[id as usize].bounds;
                let depth = (x - bounds.min).min(bounds.max - x).min_element();
                if depth > DEPTH {
                    held.push((depth, id));
                }
            };
            match among {
                Some(ids) => {
                    ids.iter().for_each(|&id| look(id));
                    (self.sum_count as u32..pairs.len() as u32).for_each(&mut look);
                }
                None => (0..pairs.len() as u32).for_each(&mut look),
            }
        }
        held.sort_unstable_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
        let mut found: ArrayVec<Holder, 4> = ArrayVec::new();
        for (i, &(bound, pair)) in held.iter().enumerate() {
            let least = found.last().map_or(f64::NEG_INFINITY, |holder| holder.depth);
            if i >= FIRST && !found.is_empty() || found.is_full() && bound <= least {
                break;
            }
            // One is enough to go on with: others are compared with it if they are known already, and not built for that.
            if !found.is_empty() && self.sums.known(pair).is_none() {
                continue;
            }
            let Some(depth) = self.sums.depth(pair, x, DEPTH) else { continue };
            if found.is_full() {
                if depth <= least {
                    continue;
                }
                found.pop();
            }
            let at = found.iter().position(|holder| depth > holder.depth).unwrap_or(found.len());
            found.insert(at, Holder { pair, depth });
        }
        self.held = held;
        found
    }

    /// The facets of a sum beyond which points of a node may be that are nearer than `enough`, at a first look: by each alone, by its plane and
    /// that of the node's own bound, and by the box that the node is in.
    ///
    /// A point of the node that is not in the sum is beyond one of its facets.
    pub fn candidates(&mut self, pair: u32, known: &LeastNorm, within: Option<&Aabb>, found: &mut Vec<u32>) {
        found.clear();
        let enough = self.enough();
        // All points of the node are above the plane of its own bound.
        let own = known
            .point
            .try_normalize()
            .map(|normal| Half { normal, offset: known.bound - 8.0 * f64::EPSILON * (known.bound + self.upper) });
        let within = within.map(|bounds| (bounds.center(), 0.5 * (bounds.max - bounds.min)));
        let facets = self.sums.facets(pair);
        for (facet, (&normal, &offset)) in (0..).zip(facets.normals.iter().zip(&facets.offsets)) {
            let alone = offset / (1.0 + 8.0 * f64::EPSILON);
            if alone >= enough {
                continue;
            }
            // The highest corner of the box, rounded up.
            let is_beyond = within.is_some_and(|(center, half)| {
                let size = (center.abs() + half).element_sum();
                normal.dot(center) + normal.abs().dot(half) + 16.0 * f64::EPSILON * size < offset
            });
            if !is_beyond && !own.is_some_and(|own| both(own, Half { normal, offset }) >= enough) {
                found.push(facet);
            }
        }
    }

    /// Those of some facets of a sum beyond which points of a node may be that are nearer than `enough`, and how near; nothing if there are more
    /// than `most`. `halves` are those of the node, and `known` is about them; a place is needed at their end.
    pub fn openings(
        &mut self,
        pair: u32,
        candidates: &[u32],
        halves: &mut Vec<Half>,
        known: &LeastNorm,
        most: usize,
    ) -> Option<Vec<Opening>> {
        let enough = self.enough();
        let place = halves.len();
        let facets = self.sums.facets(pair);
        let mut found = Vec::new();
        for &facet in candidates {
            let half = Half { normal: facets.normals[facet as usize], offset: facets.offsets[facet as usize] };
            halves.truncate(place);
            halves.push(half);
            // Only the new one is violated.
            let first = exchanged(known, halves, place as u32);
            if first.bound >= enough {
                continue;
            }
            let first = if first.bound > known.bound { first } else { known.clone() };
            let nearest = nearest(halves, &first, enough, TOLERANCE);
            if nearest.bound < enough {
                if found.len() >= most {
                    halves.truncate(place);
                    return None;
                }
                found.push(Opening { half, nearest });
            }
        }
        halves.truncate(place);
        Some(found)
    }
}

/// A facet of a sum beyond which a node goes on.
#[derive(Debug, Clone)]
pub(super) struct Opening {
    pub half: Half,
    pub nearest: LeastNorm,
}

/// The bound of two half-spaces.
fn both(p: Half, q: Half) -> f64 {
    let along = p.normal.dot(q.normal);
    let weights = [p.offset - along * q.offset, q.offset - along * p.offset];
    if weights[0] >= 0.0 && weights[1] >= 0.0 { super::bound::weighed(&weights, &[p, q]).0 } else { 0.0 }
}
