//! Pairs of subtrees of two wide trees, and the step of every dual traversal: two nodes, or a node and a leaf, into the pairs of their children.
//!
//! **Invariants.** (P1) Each item below a pair is below exactly one of the pairs that a step offers, or its lane was not chosen. (P2) The bound of an offered pair is at most the
//! distance of all its items, in the sense of the measure.

use super::directions::PairDirections;
use super::frames::{BoxFrames, Boxes4, TurnedBoxes, by_axis};
use super::heights::{Combination, HeightNode};
use super::wide::{MOST_LEVELS, WideNode};
use super::{WIDTH, WideView};
use arrayvec::ArrayVec;
use glam::Vec3;
use wide::f32x4;

/// A node, or a leaf: a few items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SubTree {
    /// The number of a node, or the place of the first item.
    first: u32,
    /// How many items; zero for a node.
    count: u8,
    /// Where its box is: the lane of its parent, and the parent's number.
    lane: u8,
    parent: u32,
}

impl SubTree {
    const ROOT: Self = Self { first: 0, count: 0, lane: 0, parent: 0 };

    fn child(node: &WideNode, parent: u32, lane: usize) -> Self {
        Self { first: node.first[lane], count: node.count[lane], lane: lane as u8, parent }
    }

    /// The place of the first item of a leaf.
    pub fn place(self) -> u32 {
        self.first
    }

    fn is_leaf(self) -> bool {
        self.count > 0
    }

    pub fn items<'a>(self, view: &WideView<'a>) -> &'a [u32] {
        &view.items[self.first as usize..self.first as usize + usize::from(self.count)]
    }

    /// All items below it.
    #[cfg(test)]
    pub fn all_items(self, view: &WideView<'_>) -> Vec<u32> {
        if self.is_leaf() {
            return self.items(view).to_vec();
        }
        let node = &view.nodes[self.first as usize];
        let children = (0..WIDTH).filter(|&lane| node.has(lane)).map(|lane| Self::child(node, self.first, lane));
        children.flat_map(|child| child.all_items(view)).collect()
    }

    /// Its own box, middle and half extents, in the frame and the unit of the tree; not of the root.
    pub fn own_box(self, view: &WideView<'_>) -> (Vec3, Vec3) {
        let (node, lane) = (&view.nodes[self.parent as usize], usize::from(self.lane));
        let of = |of: &[[f32; WIDTH]; 3]| Vec3::new(of[0][lane], of[1][lane], of[2][lane]);
        (of(&node.center), of(&node.half))
    }

    /// The boxes of its children; of a leaf its own box, four times.
    #[inline(always)]
    fn boxes<'a>(self, view: &WideView<'a>, scale: f32) -> (Option<&'a WideNode>, Boxes4) {
        if self.is_leaf() {
            return (None, Boxes4::of(&view.nodes[self.parent as usize], scale).only(usize::from(self.lane)));
        }
        let node = &view.nodes[self.first as usize];
        (Some(node), Boxes4::of(node, scale))
    }
}

/// Two subtrees with a bound for all pairs of their items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SubTreePair {
    pub a: SubTree,
    pub b: SubTree,
    /// A lower bound; its meaning is that of the traversal.
    pub bound: f32,
}

impl SubTreePair {
    /// The bound of leaves that are among the closest: a search has visited them and found no direction along which they are far enough. Layout: a mark in the field of the bound.
    pub const CLOSE: f32 = f32::MIN;

    pub const ROOTS: Self = Self { a: SubTree::ROOT, b: SubTree::ROOT, bound: f32::NEG_INFINITY };

    pub fn are_leaves(&self) -> bool {
        self.a.is_leaf() && self.b.is_leaf()
    }
}

/// Every level of either tree leaves fifteen pairs at most. Layout: depth of the stack that holds them all.
pub(super) const STACK: usize = 2 * MOST_LEVELS * (WIDTH * WIDTH - 1) + 1;

/// Pushes the children of a pair by their bounds, the closest last, so that it is visited first. Of equal bounds the first found is pushed first.
#[inline(always)]
pub(super) fn push_closest_last(
    stack: &mut ArrayVec<SubTreePair, STACK>,
    found: &ArrayVec<SubTreePair, { WIDTH * WIDTH }>,
) {
    // An insertion sort of keys that are one word each: the bound, turned over and in the order of `total_cmp`, then the place.
    let mut order = [0_u64; WIDTH * WIDTH];
    for (place, pair) in found.iter().enumerate() {
        let bits = pair.bound.to_bits();
        let falling = if bits >> 31 == 0 { !(bits | 1 << 31) } else { bits };
        let key = u64::from(falling) << 32 | place as u64;
        let mut at = place;
        while at > 0 && order[at - 1] > key {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = key;
    }
    for key in &order[..found.len()] {
        stack.push(found[*key as u32 as usize]);
    }
}

/// Two trees and their relative frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoTrees<'a> {
    pub a: WideView<'a>,
    pub b: WideView<'a>,
    pub frames: BoxFrames,
    /// The box of B, if it has only one: it need not be rotated at every step.
    lone_b: Option<(Boxes4, TurnedBoxes)>,
}

impl<'a> TwoTrees<'a> {
    pub fn new(a: WideView<'a>, b: WideView<'a>, frames: BoxFrames) -> Self {
        let lone_b = (b.items.len() == 1).then(|| {
            let only = Boxes4::of(&b.nodes[0], frames.scales[1]).only(0);
            (only, frames.turned(&only))
        });
        Self { a, b, frames, lone_b }
    }

    /// Offers pairs of children of a pair that is not two leaves, each with its bound by `measure`. `choose` gets four bounds and the lanes that exist, and returns the lanes to
    /// offer, a bit for each.
    #[inline(always)]
    pub fn expand(
        &self,
        pair: &SubTreePair,
        measure: impl Fn(&Boxes4, &Boxes4, &TurnedBoxes) -> f32x4,
        mut choose: impl FnMut(f32x4, u32) -> u32,
        mut offer: impl FnMut(SubTreePair),
    ) {
        let SubTreePair { a: at_a, b: at_b, .. } = *pair;
        let (node_a, of_a) = at_a.boxes(&self.a, self.frames.scales[0]);
        let (node_b, of_b, turned) = match self.lone_b {
            Some((of_b, turned)) if at_b.is_leaf() => (None, of_b, turned),
            _ => {
                let (node_b, of_b) = at_b.boxes(&self.b, self.frames.scales[1]);
                (node_b, of_b, self.frames.turned(&of_b))
            }
        };
        match (node_a, node_b) {
            (Some(in_a), Some(in_b)) => {
                let there = in_b.lanes();
                for i in (0..WIDTH).filter(|&i| in_a.has(i)) {
                    let bounds = measure(&of_a.only(i), &of_b, &turned);
                    offer_row(pair, [in_a, in_b], i, bounds, choose(bounds, there), &mut offer);
                }
            }
            // One box of the leaf beside the four of the node.
            _ => {
                let bounds = measure(&of_a, &of_b, &turned);
                let chosen = choose(bounds, node_a.or(node_b).map_or(0, WideNode::lanes));
                offer_beside_leaf(pair, [node_a, node_b], bounds, chosen, &mut offer);
            }
        }
    }

    /// As [`expand`](Self::expand), with bounds along the directions of the pair, which are lengths. Where these leave one of four open that may be no farther than `worst`,
    /// the four have the bounds that `with_boxes` makes of theirs and of the boxes.
    #[inline(always)]
    pub fn expand_along(
        &self,
        pair: &SubTreePair,
        along: &PairDirections,
        worst: f32,
        with_boxes: impl Fn(f32x4, &Boxes4, &Boxes4, &TurnedBoxes) -> f32x4,
        mut choose: impl FnMut(f32x4, u32) -> u32,
        mut offer: impl FnMut(SubTreePair),
    ) {
        let SubTreePair { a: at_a, b: at_b, .. } = *pair;
        debug_assert!(!pair.are_leaves(), "two leaves have no children");
        let (a, b) = (at_a.block(&self.a), at_b.block(&self.b));
        let directions = along.directions(at_a.middle(&self.a), at_b.middle(&self.b));
        let worst = f32x4::splat(worst);
        let [scale_a, scale_b] = self.frames.scales;
        if let (ChildBlock { lane: None, .. }, ChildBlock { lane: None, .. }) = (&a, &b) {
            let mut rows = [f32x4::splat(f32::NEG_INFINITY); WIDTH];
            for direction in &directions {
                let tops = a.tops(&direction.in_a, scale_a).to_array();
                let bottoms = f32x4::splat(direction.between) - b.tops(&direction.in_b, scale_b);
                for (row, top) in rows.iter_mut().zip(tops) {
                    *row = row.fast_max(bottoms - f32x4::splat(top));
                }
            }
            let there = b.node.lanes();
            let boxes_a = Boxes4::of(a.node, scale_a);
            let mut boxes_b = None;
            for (i, mut bounds) in rows.into_iter().enumerate() {
                if !a.node.has(i) {
                    continue;
                }
                if !bounds.simd_gt(worst).to_bitmask() & there != 0 {
                    let (of_b, turned) = boxes_b.get_or_insert_with(|| {
                        let of_b = Boxes4::of(b.node, scale_b);
                        (of_b, self.frames.turned(&of_b))
                    });
                    bounds = with_boxes(bounds, &boxes_a.only(i), of_b, turned);
                }
                offer_row(pair, [a.node, b.node], i, bounds, choose(bounds, there), &mut offer);
            }
            return;
        }
        // A leaf beside a node: its height is that of its lane.
        let mut bounds = f32x4::splat(f32::NEG_INFINITY);
        for direction in &directions {
            let sum = a.tops(&direction.in_a, scale_a) + b.tops(&direction.in_b, scale_b);
            bounds = bounds.fast_max(f32x4::splat(direction.between) - sum);
        }
        let there = if a.lane.is_none() { a.node.lanes() } else { b.node.lanes() };
        if !bounds.simd_gt(worst).to_bitmask() & there != 0 {
            let (of_a, of_b) = (a.boxes(scale_a), b.boxes(scale_b));
            bounds = with_boxes(bounds, &of_a, &of_b, &self.frames.turned(&of_b));
        }
        let nodes = [&a, &b].map(|block| block.lane.is_none().then_some(block.node));
        offer_beside_leaf(pair, nodes, bounds, choose(bounds, there), &mut offer);
    }
}

impl TwoTrees<'_> {
    /// Lower bounds of the distances of four pairs, of which some along directions are given.
    #[inline(always)]
    pub fn longest(&self, along: f32x4, a: &Boxes4, b: &Boxes4, turned: &TurnedBoxes) -> f32x4 {
        along.fast_max(self.frames.least_squares(a, b, turned).sqrt())
    }

    /// The largest gaps of four pairs of boxes, or infinity for those that are proved to be farther apart along a direction than a limit. (A NaN proves nothing.)
    #[inline(always)]
    pub fn gaps_unless_beyond(&self, limit: f32, along: f32x4, a: &Boxes4, turned: &TurnedBoxes) -> f32x4 {
        let is_beyond = along.simd_gt(f32x4::splat(limit));
        is_beyond.select(f32x4::splat(f32::INFINITY), self.frames.largest_gaps(a, turned))
    }

    /// Two leaves below a pair that are near each other: from level to level the child whose middle is next to that of the other side.
    pub fn near_leaves(&self, pair: &SubTreePair, along: &PairDirections) -> [SubTree; 2] {
        let [scale_a, scale_b] = self.frames.scales;
        let (mut a, mut b) = (pair.a, pair.b);
        while !(a.is_leaf() && b.is_leaf()) {
            a = a.nearest_child(&self.a, scale_a, || along.in_axes_of_a(b.middle(&self.b)));
            b = b.nearest_child(&self.b, scale_b, || along.in_axes_of_b(a.middle(&self.a)));
        }
        [a, b]
    }
}

/// The children of a node, or a leaf as one lane of its parent.
struct ChildBlock<'a> {
    node: &'a WideNode,
    heights: &'a HeightNode,
    lane: Option<usize>,
}

impl ChildBlock<'_> {
    /// How high they reach along a vector; a leaf four times.
    #[inline(always)]
    fn tops(&self, along: &Combination, scale: f32) -> f32x4 {
        let tops = self.heights.tops(self.node, along) * f32x4::splat(scale);
        match self.lane {
            None => tops,
            Some(lane) => f32x4::splat(tops.to_array()[lane]),
        }
    }

    #[inline(always)]
    fn boxes(&self, scale: f32) -> Boxes4 {
        let boxes = Boxes4::of(self.node, scale);
        self.lane.map_or(boxes, |lane| boxes.only(lane))
    }
}

/// Offers the chosen pairs of one child of A's node with those of B's, each with its bound.
#[inline(always)]
fn offer_row(
    pair: &SubTreePair,
    [in_a, in_b]: [&WideNode; 2],
    row: usize,
    bounds: f32x4,
    chosen: u32,
    offer: &mut impl FnMut(SubTreePair),
) {
    let (a, bounds) = (SubTree::child(in_a, pair.a.first, row), bounds.to_array());
    for_each_bit(chosen, |lane| {
        offer(SubTreePair { a, b: SubTree::child(in_b, pair.b.first, lane), bound: bounds[lane] });
    });
}

/// Offers the chosen pairs of a leaf with the children of a node, each with its bound; of the leaf there is no node.
#[inline(always)]
fn offer_beside_leaf(
    pair: &SubTreePair,
    [in_a, in_b]: [Option<&WideNode>; 2],
    bounds: f32x4,
    chosen: u32,
    offer: &mut impl FnMut(SubTreePair),
) {
    let below =
        |at: SubTree, node: Option<&WideNode>, lane| node.map_or(at, |node| SubTree::child(node, at.first, lane));
    let bounds = bounds.to_array();
    for_each_bit(chosen, |lane| {
        offer(SubTreePair { a: below(pair.a, in_a, lane), b: below(pair.b, in_b, lane), bound: bounds[lane] });
    });
}

impl SubTree {
    #[inline(always)]
    fn block<'a>(self, view: &WideView<'a>) -> ChildBlock<'a> {
        let (number, lane) =
            if self.is_leaf() { (self.parent, Some(usize::from(self.lane))) } else { (self.first, None) };
        ChildBlock { node: &view.nodes[number as usize], heights: &view.heights[number as usize], lane }
    }

    /// The child whose middle is next to a point, which is given in the axes of the tree and the common unit; a leaf itself.
    #[inline(always)]
    fn nearest_child(self, view: &WideView<'_>, scale: f32, to: impl FnOnce() -> Vec3) -> Self {
        if self.is_leaf() {
            return self;
        }
        let (node, to) = (&view.nodes[self.first as usize], to());
        let [x, y, z] = by_axis(|k| f32x4::new(node.center[k]) * f32x4::splat(scale) - f32x4::splat(to[k]));
        let squares = (x * x + y * y + z * z).to_array();
        // The first lane of a node has a child.
        let nearer =
            |best: usize, lane: usize| if node.has(lane) && squares[lane] < squares[best] { lane } else { best };
        Self::child(node, self.first, (1..WIDTH).fold(0, nearer))
    }

    /// The middle of its box, in the frame and the unit of the tree.
    #[inline(always)]
    fn middle(self, view: &WideView<'_>) -> Vec3 {
        // (W1) No child is node 0.
        if self.first == 0 && !self.is_leaf() { Vec3::ZERO } else { self.own_box(view).0 }
    }
}

/// The numbers of the lanes whose bits are set.
#[inline(always)]
pub(crate) fn for_each_bit(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        // (The remainder says that it is a lane.)
        each(bits.trailing_zeros() as usize % WIDTH);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Aabb, DQuat, DVec3, Frame, Pose};
    use crate::tree::WideTree;
    use fastrand::Rng;

    /// A dive ends at two leaves below its pair. Of two curved sheets that nearly touch in one place, these are near that place.
    #[test]
    fn a_dive_finds_leaves_near_each_other() {
        let mut rng = Rng::with_seed(322);
        let mut near = 0;
        for round in 0..60 {
            let unit = [1.0, 1e-60, 1e40][round % 3];
            let mut sheet = |up: f64| -> Vec<Aabb> {
                let mut point = || {
                    let (x, y) = (2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0);
                    unit * DVec3::new(x, y, up * (x * x + y * y))
                };
                (0..[1, 3, 700][round / 3 % 3]).map(|_| Aabb::of_points([point()])).collect()
            };
            let (items_a, items_b) = (sheet(-1.0), sheet(1.0));
            let turn = DQuat::from_rotation_z(0.1 * round as f64);
            let frame = Frame::from(Pose::new(unit * DVec3::new(0.2, -0.1, 0.01), turn));
            let (tree_a, tree_b) = (WideTree::build(items_a.iter().copied()), WideTree::build(items_b.iter().copied()));
            let view_a = tree_a.view_with_heights(unit, |item| [items_a[item as usize].min; 3]);
            let view_b = tree_b.view_with_heights(unit, |item| [items_b[item as usize].min; 3]);
            let frames = BoxFrames::new(&view_a, &view_b, &frame);
            let along = PairDirections::new(&frames, &frame);
            let [a, b] = TwoTrees::new(view_a, view_b, frames).near_leaves(&SubTreePair::ROOTS, &along);
            assert!(a.is_leaf() && b.is_leaf() && !a.items(&view_a).is_empty() && !b.items(&view_b).is_empty());
            let at_a = items_a[a.items(&view_a)[0] as usize].min;
            let at_b = frame.point(items_b[b.items(&view_b)[0] as usize].min);
            // Of 700 places drawn from an area of 4 some are within 0.1 of each other near the middle, and a random pair is 1.5 apart.
            near += usize::from(round / 3 % 3 == 2 && at_a.distance(at_b) < 0.4 * unit);
        }
        assert!(near >= 16, "{near} of 20");
    }
}
