//! The lower bound by boxes: where facets alone branch too much, the ball is cut into boxes first.
//!
//! A box that is inside of one sum is done with. Else every point of it that is in no sum is beyond one of the facets that cut it, which bounds
//! how near it is. Boxes that reach only few sums, or are small, are searched by facets (`branch.rs`) between their six planes; the
//! others are cut across their longest side. The list of sums that reach into a box shrinks with it.
//!
//! The invariant is that of `branch.rs`: the least bound of the boxes that are open or stuck bounds the depth, at any time.

use super::branch::{Branching, HeapEntry};
use super::search::DepthSearch;
use crate::math::Aabb;
use crate::trace::CoverStep;
use glam::DVec3;
use std::collections::BinaryHeap;

#[derive(Debug, Clone, Copy)]
struct BoxCell {
    min: DVec3,
    max: DVec3,
    bound: f64,
    /// The sums that reach into it are these of the list.
    first: u32,
    len: u32,
}

impl BoxCell {
    fn bounds(&self) -> Aabb {
        Aabb { min: self.min, max: self.max }
    }

    /// How far it is from the origin, rounded down.
    fn distance(&self) -> f64 {
        self.min.max(-self.max).max(DVec3::ZERO).length() * (1.0 - 4.0 * f64::EPSILON)
    }
}

/// A lower bound of how far the points in no sum are, or as far as is enough.
pub(super) fn bound(search: &mut DepthSearch<'_, '_>, branching: &mut Branching) -> f64 {
    let radius = search.upper;
    let mut lists: Vec<u32> = (0..search.sums.pairs.len() as u32).collect();
    let all = lists.len() as u32;
    let mut cells =
        vec![BoxCell { min: DVec3::splat(-radius), max: DVec3::splat(radius), bound: 0.0, first: 0, len: all }];
    let mut heap = BinaryHeap::from([HeapEntry { bound: 0.0, node: 0 }]);
    let mut stuck = f64::INFINITY;
    let mut few = FEW_FACETS;
    while let Some(HeapEntry { bound, node }) = heap.pop() {
        if bound >= search.enough() {
            break;
        }
        if lists.len() > MOST_LISTED || !search.may_go_on() {
            return bound.min(stuck);
        }
        let parent = cells[node as usize];
        let size = parent.max - parent.min;
        let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
        let middle = 0.5 * (parent.min[axis] + parent.max[axis]);
        if !(middle > parent.min[axis] && middle < parent.max[axis]) {
            // It cannot be cut any more.
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
            if cell.bound >= search.enough() {
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
            let settled = settle(search, branching, &mut cell, &lists, radius, &mut few);
            let is_open = match settled {
                Settled::Done => false,
                Settled::Stuck => {
                    stuck = stuck.min(cell.bound);
                    false
                }
                Settled::Open => cell.bound < search.enough(),
            };
            if is_open {
                heap.push(HeapEntry { bound: cell.bound, node: cells.len() as u32 });
                cells.push(cell);
            } else {
                lists.truncate(cell.first as usize);
            }
        }
    }
    stuck.min(search.enough()).max(0.0)
}

/// The lists of all boxes together have no more entries, which is a matter of memory.
const MOST_LISTED: usize = 1 << 25;
/// Boxes that reach sums with no more facets than this, about, are searched by facets, whatever their size; with twice as many as
/// one that was soon done with, and half as many after one that was not.
const FEW_FACETS: f64 = 30_000.0;
/// A search in a large box may take so many nodes.
const SHORT: usize = 12;

enum Settled {
    /// No point of it in no sum is nearer than is enough.
    Done,
    /// Nothing more will be proved about it.
    Stuck,
    Open,
}

/// Looks at a box, and raises its bound.
fn settle(
    search: &mut DepthSearch<'_, '_>,
    branching: &mut Branching,
    cell: &mut BoxCell,
    lists: &[u32],
    radius: f64,
    few: &mut f64,
) -> Settled {
    let list = &lists[cell.first as usize..(cell.first + cell.len) as usize];
    let (center, half) = (0.5 * (cell.min + cell.max), 0.5 * (cell.max - cell.min));
    // Sums whose boxes hold all of it, by how much.
    let mut around: Vec<(f64, u32)> = Vec::new();
    for &pair in list {
        let bounds = &search.sums.pairs[pair as usize].bounds;
        let margin = (cell.min - bounds.min).min(bounds.max - cell.max).min_element();
        if margin > 0.0 {
            around.push((margin, pair));
        }
    }
    around.sort_unstable_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
    for &(_, pair) in around.iter().take(8) {
        let facets = search.sums.facets(pair);
        let mut least = f64::INFINITY;
        for (n, &b) in facets.normals.iter().zip(&facets.offsets) {
            // The highest corner of the box, rounded up.
            let top = n.dot(center) + n.abs().dot(half);
            if top + 16.0 * f64::EPSILON * (center.abs() + half).element_sum() >= b {
                least = least.min(b / (1.0 + 8.0 * f64::EPSILON));
            }
        }
        let least = least.min(search.upper);
        if least > cell.bound {
            cell.bound = least;
            let pieces = search.sums.pieces_of(pair);
            search.trace.cover(CoverStep::Boxed { within: cell.bounds(), pieces, bound: least });
        }
        if cell.bound >= search.enough() {
            return Settled::Done;
        }
    }
    let largest = half.max_element();
    let reached = list.len() as f64 * search.sums.usual_facets();
    // Small ones are searched to the end: where many sums meet in a corner, cutting alone does not.
    let most = if largest < 0.004 * radius {
        usize::MAX
    } else if largest < 0.12 * radius {
        64
    } else if reached <= *few {
        SHORT
    } else {
        return Settled::Open;
    };
    let before = search.nodes;
    let found = branching.run(search, Some(&cell.bounds()), Some(list), most);
    cell.bound = cell.bound.max(found.bound);
    if found.is_finished && search.nodes - before <= SHORT {
        *few = few.max(2.0 * reached);
    } else if most == SHORT {
        *few = (0.5 * *few).max(FEW_FACETS);
    }
    match found.is_finished {
        true if cell.bound >= search.enough() => Settled::Done,
        true => Settled::Stuck,
        false => Settled::Open,
    }
}
