//! Lower bound by boxes: a ball of translations is cut into boxes where facets alone branch too much.
//!
//! A box inside one sum is pruned. Else every point of the box in no sum is beyond one of the facets that cut the box, which bounds its distance from
//! the origin. Boxes that meet few sums, and small boxes, are searched by facets (`branch.rs`) between their six planes. The others are halved across
//! their longest side. Each box has a list of the sums that meet it, a subset of its parent's.
//!
//! Invariants:
//! * (X1) All translations in no sum and nearer than the cutoff are in boxes that are open (in the heap) or stuck. So the least bound of these boxes is
//!   a lower bound of the depth at any time.
//! * (X2) A box's bound is at least its parent's.

use super::branch::{Branching, HeapEntry};
use super::search::DepthSearch;
use crate::math::{Aabb, LeastFirst};
use crate::trace::CoverStep;
use crate::tuning::depth as tuning;
use glam::DVec3;
use std::collections::BinaryHeap;

#[derive(Debug, Clone, Copy)]
struct BoxCell {
    min: DVec3,
    max: DVec3,
    bound: f64,
    /// The sums that meet it are `lists[first..first + len]`.
    first: u32,
    len: u32,
}

impl BoxCell {
    fn bounds(&self) -> Aabb {
        Aabb { min: self.min, max: self.max }
    }

    /// Its distance from the origin, rounded down.
    fn distance(&self) -> f64 {
        self.min.max(-self.max).max(DVec3::ZERO).length() * (1.0 - 4.0 * f64::EPSILON)
    }
}

/// A lower bound on the norm of all points in no sum, at most the cutoff.
pub(super) fn bound(search: &mut DepthSearch<'_, '_>, branching: &mut Branching) -> f64 {
    let radius = search.upper;
    let mut lists: Vec<u32> = (0..search.sums.pairs.len() as u32).collect();
    let all = lists.len() as u32;
    let mut cells =
        vec![BoxCell { min: DVec3::splat(-radius), max: DVec3::splat(radius), bound: 0.0, first: 0, len: all }];
    let mut heap = BinaryHeap::from([LeastFirst(HeapEntry { bound: 0.0, node: 0 })]);
    let mut stuck = f64::INFINITY;
    let mut few = tuning::FEW_FACETS;
    while let Some(LeastFirst(HeapEntry { bound, node })) = heap.pop() {
        if bound >= search.cutoff() {
            break;
        }
        search.proved = search.proved.max(bound.min(stuck));
        if lists.len() > MOST_LISTED || !search.charge_node() {
            return bound.min(stuck);
        }
        let parent = cells[node as usize];
        let size = parent.max - parent.min;
        let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
        let middle = 0.5 * (parent.min[axis] + parent.max[axis]);
        if !(middle > parent.min[axis] && middle < parent.max[axis]) {
            // Its longest side is one unit in the last place.
            stuck = stuck.min(bound);
            continue;
        }
        search.trace.cover(CoverStep::Cut { within: parent.bounds(), axis, at: middle });
        for side in 0..2 {
            let mut cell = parent;
            if side == 0 {
                cell.max[axis] = middle;
            } else {
                cell.min[axis] = middle;
            }
            cell.bound = parent.bound.max(cell.distance());
            debug_assert!(cell.bound >= parent.bound, "(X2)");
            if cell.bound >= search.cutoff() {
                continue;
            }
            cell.first = lists.len() as u32;
            for at in parent.first..parent.first + parent.len {
                let pair = lists[at as usize];
                let bounds = &search.sums.pairs[pair as usize].bounds;
                if bounds.min.cmplt(cell.max).all() && cell.min.cmplt(bounds.max).all() {
                    lists.push(pair);
                }
            }
            cell.len = lists.len() as u32 - cell.first;
            let state = probe_box(search, branching, &mut cell, &lists, radius, &mut few);
            let is_open = match state {
                BoxState::Pruned => false,
                BoxState::Stuck => {
                    stuck = stuck.min(cell.bound);
                    false
                }
                BoxState::Open => cell.bound < search.cutoff(),
            };
            if is_open {
                heap.push(LeastFirst(HeapEntry { bound: cell.bound, node: cells.len() as u32 }));
                cells.push(cell);
            } else {
                lists.truncate(cell.first as usize);
            }
        }
    }
    stuck.min(search.cutoff()).max(0.0)
}

/// Capacity of the lists of all boxes together. Limit: 128 MiB of memory; the search stops there with the bound it has.
const MOST_LISTED: usize = 1 << 25;

enum BoxState {
    /// All of its points in no sum are at least as far as the cutoff.
    Pruned,
    /// Its bound is final.
    Stuck,
    Open,
}

/// Raises the bound of a box by the sums around it and by a search by facets.
fn probe_box(
    search: &mut DepthSearch<'_, '_>,
    branching: &mut Branching,
    cell: &mut BoxCell,
    lists: &[u32],
    radius: f64,
    few: &mut f64,
) -> BoxState {
    let list = &lists[cell.first as usize..(cell.first + cell.len) as usize];
    let (center, half) = (0.5 * (cell.min + cell.max), 0.5 * (cell.max - cell.min));
    // Sums whose bounding boxes contain the box, with their margins.
    let mut around: Vec<(f64, u32)> = Vec::new();
    for &pair in list {
        let bounds = &search.sums.pairs[pair as usize].bounds;
        let margin = (cell.min - bounds.min).min(bounds.max - cell.max).min_element();
        if margin > 0.0 {
            around.push((margin, pair));
        }
    }
    around.sort_unstable_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
    for &(_, pair) in around.iter().take(tuning::SUMS_AROUND_BOX) {
        let facets = search.sums.facets(pair);
        let mut least = f64::INFINITY;
        for (n, &b) in facets.normals.iter().zip(&facets.offsets) {
            // The highest corner of the box, rounded up.
            let top = n.dot(center) + n.abs().dot(half);
            // Bound: a height of a box is off by less than 8 ε of its size, and so is the offset.
            if top + 16.0 * f64::EPSILON * (center.abs() + half).element_sum() >= b {
                // Bound: the length of a unit normal is off by less than 4 ε.
                least = least.min(b / (1.0 + 8.0 * f64::EPSILON));
            }
        }
        let least = least.min(search.upper);
        if least > cell.bound {
            cell.bound = least;
            let pieces = search.sums.pieces_of(pair);
            search.trace.cover(CoverStep::Boxed { within: cell.bounds(), pieces, bound: least });
        }
        if cell.bound >= search.cutoff() {
            return BoxState::Pruned;
        }
    }
    let largest = half.max_element();
    let facet_count = list.len() as f64 * search.sums.usual_facets();
    let most = if largest < tuning::SMALL_BOX * radius {
        usize::MAX
    } else if largest < tuning::MEDIUM_BOX * radius {
        tuning::MEDIUM_BOX_NODES
    } else if facet_count <= *few {
        tuning::LARGE_BOX_NODES
    } else {
        return BoxState::Open;
    };
    let before = search.nodes;
    let found = branching.run(search, Some(&cell.bounds()), Some(list), most);
    cell.bound = cell.bound.max(found.bound);
    if found.is_finished && search.nodes - before <= tuning::LARGE_BOX_NODES {
        *few = few.max(2.0 * facet_count);
    } else if most == tuning::LARGE_BOX_NODES {
        *few = (0.5 * *few).max(tuning::FEW_FACETS);
    }
    match found.is_finished {
        true if cell.bound >= search.cutoff() => BoxState::Pruned,
        true => BoxState::Stuck,
        false => BoxState::Open,
    }
}
