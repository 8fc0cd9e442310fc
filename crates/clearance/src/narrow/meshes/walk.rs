//! The step of every walk: two nodes, or a node and a leaf, into the pairs of their children.

use super::boxes::{BoxFrames, Boxes4, TurnedBoxes};
use crate::tree::{WIDE_LEVELS, WIDTH, WideNode, WideView};
use glam::Vec3;
use wide::f32x4;

/// A node, or a leaf: a few items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SubTree {
    /// The number of a node, or the place of the first item.
    first: u32,
    /// How many items; zero for a node.
    count: u8,
    /// Where the box of a leaf is: the lane of its parent, and the parent's number.
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

/// Two of them, and what is known about everything below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SubTreePair {
    pub a: SubTree,
    pub b: SubTree,
    /// A lower bound, whatever it is of.
    pub bound: f32,
}

impl SubTreePair {
    /// The bound of leaves that are among the closest: a search has looked at them and found no direction along which they are far enough. Layout: a mark in the field of the bound.
    pub const CLOSE: f32 = f32::MIN;

    pub const ROOTS: Self = Self { a: SubTree::ROOT, b: SubTree::ROOT, bound: f32::NEG_INFINITY };

    pub fn are_leaves(&self) -> bool {
        self.a.is_leaf() && self.b.is_leaf()
    }
}

/// Every level of either tree leaves fifteen pairs at most. Layout: depth of the stack that holds them all.
pub(super) const STACK: usize = 2 * WIDE_LEVELS * (WIDTH * WIDTH - 1) + 1;

/// Two trees and how they lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoTrees<'a> {
    pub a: WideView<'a>,
    pub b: WideView<'a>,
    pub frames: BoxFrames,
    /// The one box of B, if it has no more: it need not be turned at every step.
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

    /// Offers pairs of children of a pair that are not two leaves, each with its bound by `measure`: of four at a time those that are
    /// chosen by their bounds, a bit for each, among those that are there.
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
        let below_a = |node: Option<&WideNode>, i: usize| node.map_or(at_a, |node| SubTree::child(node, at_a.first, i));
        let below_b = |node: Option<&WideNode>, j: usize| node.map_or(at_b, |node| SubTree::child(node, at_b.first, j));
        match (node_a, node_b) {
            (Some(in_a), Some(in_b)) => {
                let there = in_b.lanes();
                for i in (0..WIDTH).filter(|&i| in_a.has(i)) {
                    let bounds = measure(&of_a.only(i), &of_b, &turned);
                    let chosen = choose(bounds, there);
                    if chosen == 0 {
                        continue;
                    }
                    let (a, bounds) = (below_a(node_a, i), bounds.to_array());
                    for_each_bit(chosen, |j| offer(SubTreePair { a, b: below_b(node_b, j), bound: bounds[j] }));
                }
            }
            // One box of the leaf beside the four of the node.
            _ => {
                let bounds = measure(&of_a, &of_b, &turned);
                let chosen = choose(bounds, node_a.or(node_b).map_or(0, WideNode::lanes));
                let bounds = bounds.to_array();
                for_each_bit(chosen, |lane| {
                    offer(SubTreePair { a: below_a(node_a, lane), b: below_b(node_b, lane), bound: bounds[lane] });
                });
            }
        }
    }
}

/// The numbers of the lanes whose bits are set.
#[inline(always)]
pub(super) fn for_each_bit(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        // (The remainder says that it is a lane.)
        each(bits.trailing_zeros() as usize % WIDTH);
        bits &= bits - 1;
    }
}
