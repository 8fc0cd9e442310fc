//! Traversals of one wide tree around a point.
//!
//! A point has no box and needs no frame, so bounds are computed in doubles: a bound is then the distance to the box but for rounding.

use super::frames::by_axis;
use super::near::NearSearch;
use super::wide::{MOST_LEVELS, WideNode};
use super::{WIDTH, WideView};
use arrayvec::ArrayVec;
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use glam::DVec3;

/// Four vectors, by axis.
type Vectors<S> = [f64x4<S>; 3];

/// The items of a leaf that is near to a point: from the root to the nearest box at each node.
#[inline(always)]
pub(crate) fn leaf_near_point<'a, S: Simd>(simd: S, view: &WideView<'a>, point: DVec3) -> Option<&'a [u32]> {
    let at = splat(simd, (point - view.origin) / view.unit);
    let mut place = 0;
    loop {
        let node = view.nodes.get(place as usize)?;
        let squares = squares_of(simd, node, &at, f64x4::splat(simd, 0.0)).to_array();
        let there = (0..WIDTH).filter(|&lane| node.has(lane));
        let nearest = there.min_by(|&x, &y| squares[x].total_cmp(&squares[y]))?;
        let (first, count) = (node.first[nearest], usize::from(node.count[nearest]));
        if count > 0 {
            return Some(&view.items[first as usize..first as usize + count]);
        }
        place = first;
    }
}

/// A node, or a leaf of that many items, and the square of a lower bound of its distance, in the unit of the tree.
#[derive(Clone, Copy)]
struct Open {
    first: u32,
    count: u8,
    bound: f64,
}

/// Visits all leaves that may be closer to a point than the cutoff, the closest boxes first.
#[inline(always)]
pub(crate) fn nearest_first<S: Simd>(simd: S, view: &WideView<'_>, point: DVec3, search: &mut impl NearSearch) {
    if view.nodes.is_empty() {
        return;
    }
    // (A power of two.)
    let inverse = 1.0 / view.unit;
    let at = (point - view.origin) * inverse;
    let sizes = point.abs().max_element() + view.origin.abs().max_element();
    // The difference, its coordinates and the gaps: four roundings of ε.
    let slack = 4.0 * f64::EPSILON * (sizes * inverse + at.abs().max_element() + f64::from(view.radius));
    let (at, slack) = (splat(simd, at), f64x4::splat(simd, slack));
    // Two quotients, a product and the sum of three squares: less than 8 roundings.
    let worst_of = |cutoff: f64| (cutoff * inverse) * (cutoff * inverse) * (1.0 + 8.0 * f64::EPSILON);
    let mut worst = worst_of(search.cutoff());
    // The closest that was pruned.
    let infinite = f64x4::splat(simd, f64::INFINITY);
    let mut pruned = infinite;
    let mut stack = ArrayVec::<Open, { MOST_LEVELS * (WIDTH - 1) + 1 }>::new();
    let mut next = Some(Open { first: 0, count: 0, bound: 0.0 });
    while let Some(Open { first, count, bound }) = next {
        if bound > worst {
            pruned = pruned.min(f64x4::splat(simd, bound));
            next = stack.pop();
            continue;
        }
        if count > 0 {
            search.leaf(simd, &view.items[first as usize..first as usize + usize::from(count)]);
            worst = worst_of(search.cutoff());
            next = stack.pop();
            continue;
        }
        let node = &view.nodes[first as usize];
        let squares = squares_of(simd, node, &at, slack);
        let is_there = doubles(simd, &node.half[0]).simd_ge(0.0);
        // (A NaN is not far.)
        let is_far = squares.simd_gt(worst);
        pruned = pruned.min((is_far & is_there).select(squares, infinite));
        let children = sorted(is_there.select(is_far.select(closed(simd), squares), closed(simd)));
        // The closest is visited next; the others are pushed so that the closest of them comes first.
        for &child in children[1..].iter().rev().filter(|&&child| child < LANE_MASK) {
            stack.push(open(node, child));
        }
        next = if children[0] < LANE_MASK { Some(open(node, children[0])) } else { stack.pop() };
    }
    let pruned = pruned.to_array();
    let pruned = pruned[0].min(pruned[1]).min(pruned[2].min(pruned[3]));
    // A root and a product round by an ε; the square does twice.
    search.prune(pruned.sqrt() * view.unit * (1.0 - 8.0 * f64::EPSILON));
}

/// Children of a node in the order of their distances: the bits of the squares, the last two of which are the lane.
type Children = [u64; WIDTH];

/// The key of a child that is absent or pruned, after all others. Layout: all bits but the two of the lane number.
const LANE_MASK: u64 = !0b11;

#[inline(always)]
fn closed<S: Simd>(simd: S) -> f64x4<S> {
    f64x4::splat(simd, f64::from_bits(LANE_MASK))
}

/// By a sorting network, without a branch: which child is closer cannot be predicted.
#[inline(always)]
fn sorted<S: Simd>(squares: f64x4<S>) -> Children {
    let [a, b, c, d] = squares.to_array();
    let key = |square: f64, lane: u64| square.to_bits() & LANE_MASK | lane;
    let (a, b, c, d) = (key(a, 0), key(b, 1), key(c, 2), key(d, 3));
    let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
    let (a, b, c, d) = (a.min(c), b.min(d), a.max(c), b.max(d));
    [a, b.min(c), b.max(c), d]
}

/// A child as it is pushed: without its last bits the bound is no more than it was.
#[inline(always)]
fn open(node: &WideNode, child: u64) -> Open {
    let lane = child as usize % WIDTH;
    Open { first: node.first[lane], count: node.count[lane], bound: f64::from_bits(child & LANE_MASK) }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, v: DVec3) -> Vectors<S> {
    by_axis(|k| f64x4::splat(simd, v[k]))
}

#[inline(always)]
fn doubles<S: Simd>(simd: S, of: &[f32; WIDTH]) -> f64x4<S> {
    f64x4::load_array(simd, [of[0].into(), of[1].into(), of[2].into(), of[3].into()])
}

/// The squares of lower bounds of the distances of the boxes of a node from a point, in the unit of the tree.
#[inline(always)]
fn squares_of<S: Simd>(simd: S, node: &WideNode, at: &Vectors<S>, slack: f64x4<S>) -> f64x4<S> {
    let [x, y, z] = by_axis(|k| {
        let middle = doubles(simd, &node.center[k]) - at[k];
        (middle.abs() - doubles(simd, &node.half[k]) - slack).max(f64x4::splat(simd, 0.0))
    });
    // A square that overflows counts as the largest number.
    (x * x + y * y + z * z).min(f64::MAX)
}
