//! The tree itself: nodes with two boxes each, insertion, removal, refitting, building, asking.

use crate::broad::boxes::ray_distance;
use crate::broad::rough::Rough;
use crate::math::{Aabb, DVec3};
use smallvec::SmallVec;

/// No child, no place, no node. Layout: the largest index.
const NONE: u32 = u32::MAX;

/// Marks a child that is a leaf; the other bits are its slot. Layout: the bit above those of a slot.
const LEAF: u32 = 1 << 31;

/// End of the free list and of walks upward. Layout: the largest index.
const ROOT: u32 = u32::MAX;

/// The nodes that a query has still to visit: memory that is kept from query to query, or the query's own.
pub trait Stack {
    fn clear(&mut self);
    fn push(&mut self, child: u32);
    fn pop(&mut self) -> Option<u32>;
}

impl Stack for Vec<u32> {
    #[inline(always)]
    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn push(&mut self, child: u32) {
        self.push(child);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<u32> {
        self.pop()
    }
}

impl Stack for SmallVec<[u32; 64]> {
    #[inline(always)]
    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn push(&mut self, child: u32) {
        self.push(child);
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<u32> {
        self.pop()
    }
}

/// An inner node: two children with their boxes, so that a visit of a node costs one place in memory and not three.
#[derive(Debug, Clone, Copy)]
struct Node {
    boxes: [Rough; 2],
    children: [u32; 2],
    /// The node and side (lowest bit) this one hangs at; [`ROOT`] at the top. The next free one when the node is free.
    parent: u32,
}

/// A binary tree of boxes in single precision.
///
/// Invariants, checked by [`Nodes::validate`]: the box of a child holds the boxes below it; `places` leads to every leaf.
#[derive(Debug, Clone)]
pub struct Nodes {
    nodes: Vec<Node>,
    root: u32,
    /// The box of the root, which no node holds.
    whole: Rough,
    /// By slot: the node and side its leaf hangs at; [`ROOT`] when the leaf is the root, [`NONE`] when there is none.
    places: Vec<u32>,
    present: Vec<bool>,
    free: u32,
    count: usize,
}

impl Default for Nodes {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            root: NONE,
            whole: Rough::NOTHING,
            places: Vec::new(),
            present: Vec::new(),
            free: NONE,
            count: 0,
        }
    }
}

impl Nodes {
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.present.get(slot as usize).is_some_and(|&there| there)
    }

    /// The fat box of a leaf.
    #[inline]
    pub fn leaf(&self, slot: u32) -> &Rough {
        self.at(self.places[slot as usize])
    }

    #[inline]
    fn at(&self, place: u32) -> &Rough {
        if place == ROOT { &self.whole } else { &self.nodes[place as usize >> 1].boxes[place as usize & 1] }
    }

    /// Hangs a child with its box at a place.
    fn hang(&mut self, place: u32, child: u32, bounds: Rough) {
        if place == ROOT {
            (self.root, self.whole) = (child, bounds);
        } else {
            let node = &mut self.nodes[place as usize >> 1];
            node.children[place as usize & 1] = child;
            node.boxes[place as usize & 1] = bounds;
        }
        if child & LEAF != 0 {
            self.places[(child & !LEAF) as usize] = place;
        } else {
            self.nodes[child as usize].parent = place;
        }
    }

    fn child(&self, place: u32) -> u32 {
        if place == ROOT { self.root } else { self.nodes[place as usize >> 1].children[place as usize & 1] }
    }

    fn new_node(&mut self) -> u32 {
        if self.free != NONE {
            let node = self.free;
            self.free = self.nodes[node as usize].parent;
            return node;
        }
        self.nodes.push(Node { boxes: [Rough::NOTHING; 2], children: [NONE; 2], parent: ROOT });
        self.nodes.len() as u32 - 1
    }

    fn reserve(&mut self, slot: u32) {
        let length = slot as usize + 1;
        if length > self.places.len() {
            self.places.resize(length, NONE);
            self.present.resize(length, false);
        }
    }

    /// Adds a leaf beside the one (or the node) where the boxes on the way grow least.
    pub fn insert(&mut self, slot: u32, bounds: Rough) {
        debug_assert!(!self.contains(slot));
        self.reserve(slot);
        self.present[slot as usize] = true;
        self.count += 1;
        if self.root == NONE {
            self.hang(ROOT, LEAF | slot, bounds);
            return;
        }
        let mut place = ROOT;
        loop {
            let (child, here) = (self.child(place), *self.at(place));
            if child & LEAF != 0 {
                break;
            }
            let together = here.merged(&bounds).area();
            let growth = together - here.area();
            let node = &self.nodes[child as usize];
            let cost = |side: usize| {
                let grown = node.boxes[side].merged(&bounds).area();
                if node.children[side] & LEAF != 0 { grown } else { grown - node.boxes[side].area() }
            };
            let costs = [cost(0), cost(1)];
            let side = usize::from(costs[1] < costs[0]);
            if together < growth + costs[side] {
                break;
            }
            place = child << 1 | side as u32;
        }
        let (sibling, beside) = (self.child(place), *self.at(place));
        let node = self.new_node();
        self.hang(place, node, beside.merged(&bounds));
        self.hang(node << 1, sibling, beside);
        self.hang(node << 1 | 1, LEAF | slot, bounds);
        self.grow_above(place, &bounds);
    }

    /// Makes the boxes above a place hold `bounds`.
    fn grow_above(&mut self, mut place: u32, bounds: &Rough) {
        while place != ROOT {
            place = self.nodes[place as usize >> 1].parent;
            let here = *self.at(place);
            if here.holds(bounds) {
                break;
            }
            self.resize(place, here.merged(bounds));
        }
    }

    fn resize(&mut self, place: u32, bounds: Rough) {
        if place == ROOT {
            self.whole = bounds;
        } else {
            self.nodes[place as usize >> 1].boxes[place as usize & 1] = bounds;
        }
    }

    /// Computes the boxes above a place again, as far as they change.
    fn shrink_above(&mut self, mut place: u32) {
        while place != ROOT {
            let node = &self.nodes[place as usize >> 1];
            let bounds = node.boxes[0].merged(&node.boxes[1]);
            place = node.parent;
            if bounds.holds(self.at(place)) {
                break;
            }
            self.resize(place, bounds);
        }
    }

    /// Takes a leaf away.
    pub fn remove(&mut self, slot: u32) {
        debug_assert!(self.contains(slot));
        self.present[slot as usize] = false;
        self.count -= 1;
        let place = self.places[slot as usize];
        if place == ROOT {
            (self.root, self.whole) = (NONE, Rough::NOTHING);
            return;
        }
        let node = place >> 1;
        let sibling = place & 1 ^ 1;
        let Node { boxes, children, parent } = self.nodes[node as usize];
        self.hang(parent, children[sibling as usize], boxes[sibling as usize]);
        self.nodes[node as usize].parent = self.free;
        self.free = node;
        self.shrink_above(parent);
    }

    /// Gives a leaf another box and leaves it where it is.
    pub fn refit(&mut self, slot: u32, bounds: Rough) {
        let place = self.places[slot as usize];
        self.resize(place, bounds);
        if place == ROOT {
            return;
        }
        let mut place = place;
        while place != ROOT {
            let node = &self.nodes[place as usize >> 1];
            let bounds = node.boxes[0].merged(&node.boxes[1]);
            place = node.parent;
            let here = self.at(place);
            if bounds.holds(here) && here.holds(&bounds) {
                break;
            }
            self.resize(place, bounds);
        }
    }

    /// Builds the tree again from scratch: halves along the axis in which the centres spread most.
    pub fn build(&mut self, leaves: &mut [(u32, Rough)]) {
        self.nodes.clear();
        self.nodes.reserve(leaves.len());
        (self.root, self.whole, self.free, self.count) = (NONE, Rough::NOTHING, NONE, leaves.len());
        self.present.fill(false);
        for &(slot, _) in &*leaves {
            self.reserve(slot);
            self.present[slot as usize] = true;
        }
        if !leaves.is_empty() {
            self.build_below(ROOT, leaves);
        }
    }

    fn build_below(&mut self, place: u32, leaves: &mut [(u32, Rough)]) {
        if let [(slot, bounds)] = *leaves {
            self.hang(place, LEAF | slot, bounds);
            return;
        }
        // Centres doubled.
        let mut centers = Rough::NOTHING;
        let mut bounds = Rough::NOTHING;
        for (_, leaf) in &*leaves {
            let center = leaf.min + leaf.max;
            centers = centers.merged(&Rough { min: center, max: center });
            bounds = bounds.merged(leaf);
        }
        let [x, y, z, _] = (centers.max - centers.min).to_array();
        let axis = if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) };
        let center = |leaf: &Rough| leaf.min.to_array()[axis] + leaf.max.to_array()[axis];
        let half = leaves.len() / 2;
        // The slot breaks ties, so that the tree depends on the boxes only.
        leaves.select_nth_unstable_by(half, |(i, a), (j, b)| center(a).total_cmp(&center(b)).then(i.cmp(j)));
        let node = self.new_node();
        self.hang(place, node, bounds);
        let (left, right) = leaves.split_at_mut(half);
        self.build_below(node << 1, left);
        self.build_below(node << 1 | 1, right);
    }

    /// Visits the leaves whose fat boxes overlap a box.
    #[inline]
    pub fn query(&self, bounds: &Rough, stack: &mut impl Stack, mut visit: impl FnMut(u32)) {
        if self.root == NONE || !self.whole.overlaps(bounds) {
            return;
        }
        stack.clear();
        let mut child = self.root;
        loop {
            if child & LEAF != 0 {
                visit(child & !LEAF);
            } else {
                let node = &self.nodes[child as usize];
                match (node.boxes[0].overlaps(bounds), node.boxes[1].overlaps(bounds)) {
                    (true, both) => {
                        if both {
                            stack.push(node.children[1]);
                        }
                        child = node.children[0];
                        continue;
                    }
                    (false, true) => {
                        child = node.children[1];
                        continue;
                    }
                    (false, false) => {}
                }
            }
            match stack.pop() {
                Some(next) => child = next,
                None => return,
            }
        }
    }

    /// Visits leaves at most `limit` away, near ones first where the tree tells; `visit` returns the new limit.
    pub fn nearest(&self, from: &Aabb, mut limit: f64, mut visit: impl FnMut(u32) -> Option<f64>) {
        let mut stack: SmallVec<[(u32, f64); 64]> = SmallVec::new();
        if self.root != NONE {
            stack.push((self.root, self.whole.distance(from)));
        }
        while let Some((child, distance)) = stack.pop() {
            if distance > limit {
                continue;
            }
            if child & LEAF != 0 {
                if let Some(new) = visit(child & !LEAF) {
                    limit = new;
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let distances = [node.boxes[0].distance(from), node.boxes[1].distance(from)];
            let near = usize::from(distances[1] < distances[0]);
            for side in [1 - near, near] {
                if distances[side] <= limit {
                    stack.push((node.children[side], distances[side]));
                }
            }
        }
    }

    /// Visits the slots whose boxes a ray may meet within a limit, which every visit returns anew; the nearer of two boxes first.
    pub fn cast_ray(&self, origin: DVec3, direction: DVec3, mut limit: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let distance = |rough: &Rough| {
            let corner = |v: wide::f32x4| DVec3::from_array([0, 1, 2].map(|axis| f64::from(v.to_array()[axis])));
            ray_distance(&Aabb { min: corner(rough.min), max: corner(rough.max) }, origin, direction)
        };
        let mut stack: SmallVec<[(u32, f64); 64]> = SmallVec::new();
        if self.root != NONE {
            stack.extend(distance(&self.whole).map(|distance| (self.root, distance)));
        }
        while let Some((child, from)) = stack.pop() {
            if from > limit {
                continue;
            }
            if child & LEAF != 0 {
                limit = visit(child & !LEAF, limit);
                continue;
            }
            let node = &self.nodes[child as usize];
            let distances = [0, 1].map(|side| distance(&node.boxes[side]).unwrap_or(f64::INFINITY));
            let near = usize::from(distances[1] < distances[0]);
            for side in [1 - near, near] {
                if distances[side] < f64::INFINITY && distances[side] <= limit {
                    stack.push((node.children[side], distances[side]));
                }
            }
        }
    }

    /// Checks the invariants; for tests.
    #[cfg(test)]
    pub fn validate(&self) {
        let mut leaves = 0;
        let mut stack = if self.root == NONE { vec![] } else { vec![(ROOT, self.root)] };
        while let Some((place, child)) = stack.pop() {
            if child & LEAF != 0 {
                leaves += 1;
                assert_eq!(self.places[(child & !LEAF) as usize], place);
                assert!(self.contains(child & !LEAF));
            } else {
                let node = &self.nodes[child as usize];
                assert_eq!(node.parent, place);
                for side in 0..2 {
                    assert!(self.at(place).holds(&node.boxes[side]));
                    stack.push((child << 1 | side as u32, node.children[side]));
                }
            }
        }
        assert_eq!(leaves, self.count);
        assert_eq!(leaves, self.present.iter().filter(|&&there| there).count());
    }
}
