//! The wide tree, for many items: four children to a node, boxes in single precision rounded outward.
//!
//! Boxes are relative to the middle of all items and in a unit that is a power of two near their size, so that single
//! precision serves geometry of any size and at any place. A node is two cache lines: middles and half extents of its children by axis,
//! four to a register.
//!
//! **Build.** From the top: the items of a node are divided three times, which gives four children. Each division takes the surface-area heuristic over 16 bins along the axis on which
//! the middles spread most [Wald, *On fast Construction of SAH-based Bounding Volume
//! Hierarchies*, 2007]. The same boxes give the same tree.
//!
//! **Invariants.** (W1) A child comes after its parent. (W2) The items below a child are a contiguous range of [`items`](WideTree::items).
//! (W3) No leaf is deeper than [`MOST_LEVELS`]: a division that leaves nearly everything on one side is replaced by halves.
//! (W4) A box contains the boxes of its items, in exact arithmetic.

use super::heights::{self, HeightNode};
use crate::math::Aabb;
use crate::tuning::tree as tuning;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use wide::f32x4;

/// Layout: children of a node, the lanes of `f32x4`.
pub(crate) const WIDTH: usize = 4;

/// Layout: items of a leaf at most, the lanes of a leaf pair.
pub(crate) const LEAF: usize = 4;

/// Limit: levels of a tree. Each leaves at most 15/16 of the items of a division on one side, or halves them.
pub(crate) const MOST_LEVELS: usize = 64;

/// Four children with their boxes.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct WideNode {
    /// The middles of the boxes, by axis.
    pub center: [[f32; WIDTH]; 3],
    /// Their half extents, rounded up; minus infinity for a child that is not there.
    pub half: [[f32; WIDTH]; 3],
    /// The place of a child that is a node, or of the first item of one that is a leaf.
    pub first: [u32; WIDTH],
    /// How many items a child has that is a leaf; zero for a node.
    pub count: [u8; WIDTH],
}

impl WideNode {
    const EMPTY: Self =
        Self { center: [[0.0; WIDTH]; 3], half: [[f32::NEG_INFINITY; WIDTH]; 3], first: [0; WIDTH], count: [0; WIDTH] };

    /// The lanes with a child, a bit for each.
    #[inline(always)]
    pub fn lanes(&self) -> u32 {
        f32x4::new(self.half[0]).simd_ge(f32x4::ZERO).to_bitmask()
    }

    /// Is there a child in that lane?
    pub fn has(&self, lane: usize) -> bool {
        self.half[0][lane] >= 0.0
    }
}

/// The tree.
#[derive(Debug, Clone)]
pub(crate) struct WideTree {
    nodes: Vec<WideNode>,
    items: Vec<u32>,
    origin: DVec3,
    unit: f64,
    /// Half the extent of everything, in the unit.
    radius: f32,
    /// Node for node, since the first distance query.
    heights: OnceLock<Box<[HeightNode]>>,
}

/// An item to be divided: its box in the unit of the tree, and its number.
#[derive(Debug, Clone, Copy)]
struct Entry {
    min: [f32; 3],
    max: [f32; 3],
    item: u32,
}

impl Entry {
    /// A box among others, which are all in `all`.
    fn new(bounds: &Aabb, all: &Aabb, origin: DVec3, unit: f64, item: u32) -> Self {
        // (W4) The difference rounds by half an ε of a coordinate, which is more than single precision does where everything is far away.
        let slack = f64::EPSILON * all.min.abs().max(all.max.abs()).max_element() / unit;
        let small = |point: DVec3| ((point - origin) / unit).to_array();
        let (min, max) = (small(bounds.min).map(|x| below(x - slack)), small(bounds.max).map(|x| above(x + slack)));
        Self { min, max, item }
    }

    /// Twice the middle along an axis.
    fn key(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// A box that grows.
#[derive(Debug, Clone, Copy)]
struct GrowingBox {
    min: [f32; 3],
    max: [f32; 3],
}

impl GrowingBox {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    fn add(&mut self, min: &[f32; 3], max: &[f32; 3]) {
        for k in 0..3 {
            self.min[k] = self.min[k].min(min[k]);
            self.max[k] = self.max[k].max(max[k]);
        }
    }

    /// Half the surface; of an empty one zero. A little is added for items in a line, whose surface is zero.
    fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| (self.max[k] - self.min[k]).max(0.0));
        // It decides between boxes that all have no surface, and no others.
        x * y + y * z + z * x + 1e-6 * (x + y + z)
    }
}

impl WideTree {
    /// Builds the tree of items 0, 1, … with these bounded boxes.
    pub fn build(boxes: impl Iterator<Item = Aabb> + Clone) -> Self {
        let all = boxes.clone().fold(Aabb::EMPTY, |all, one| all.merged(&one));
        let (origin, unit) = frame_of(&all);
        let mut entries: Vec<Entry> =
            boxes.enumerate().map(|(item, bounds)| Entry::new(&bounds, &all, origin, unit, item as u32)).collect();
        let most = Entry::new(&all, &all, origin, unit, 0);
        let most = [0, 1, 2].map(|axis| f64::from(most.max[axis].abs().max(most.min[axis].abs())));
        let mut tree = Self {
            nodes: Vec::with_capacity(entries.len() / 4 + 1),
            items: Vec::new(),
            origin,
            unit,
            radius: above(DVec3::from_array(most).length()),
            heights: OnceLock::new(),
        };
        if !entries.is_empty() {
            let count = entries.len();
            tree.grow(&mut entries, 0, 0);
            debug_assert_eq!(entries.len(), count);
        }
        tree.items = entries.iter().map(|entry| entry.item).collect();
        tree
    }

    /// Adds the node of these entries, the first of which is at that place of the order, and all below; returns its number.
    fn grow(&mut self, entries: &mut [Entry], first: usize, level: usize) -> u32 {
        let number = self.nodes.len();
        self.nodes.push(WideNode::EMPTY);
        // Four parts, by dividing the largest of those there are.
        let mut ends = vec![0, entries.len()];
        while ends.len() <= WIDTH {
            let widest = (0..ends.len() - 1).filter(|&i| ends[i + 1] - ends[i] > LEAF);
            let area = |i: usize| extent(&entries[ends[i]..ends[i + 1]]).area();
            // Of equals the first.
            let Some((_, i)) =
                widest.map(|i| (area(i), i)).fold(None, |best: Option<(f32, usize)>, found| match best {
                    Some(best) if best.0 >= found.0 => Some(best),
                    _ => Some(found),
                })
            else {
                break;
            };
            // (W3) Halving takes that many more levels.
            let is_deep = level + depth_of(entries.len()) >= MOST_LEVELS;
            let at = divide(&mut entries[ends[i]..ends[i + 1]], is_deep);
            ends.insert(i + 1, ends[i] + at);
        }
        for lane in 0..ends.len() - 1 {
            let part = &mut entries[ends[lane]..ends[lane + 1]];
            debug_assert!(!part.is_empty(), "W2: a child without items");
            self.nodes[number].put(lane, &extent(part));
            let at = first + ends[lane];
            if part.len() <= LEAF {
                (self.nodes[number].first[lane], self.nodes[number].count[lane]) = (at as u32, part.len() as u8);
            } else {
                self.nodes[number].first[lane] = self.grow(part, at, level + 1);
            }
        }
        number as u32
    }

    /// The tree as a traversal sees it.
    #[inline(always)]
    pub fn view(&self) -> WideView<'_> {
        let Self { nodes, items, origin, unit, radius, .. } = self;
        WideView { nodes, items, heights: &[], origin: *origin, unit: *unit, radius: *radius }
    }

    /// The tree with heights, if they have been built.
    #[inline]
    pub fn view_with_known_heights(&self) -> WideView<'_> {
        WideView { heights: self.heights.get().map_or(&[], |heights| heights), ..self.view() }
    }

    /// The tree as a traversal for distances sees it, with heights, which are built from the corners of the items on the first call. No coordinate is larger than `largest`.
    #[inline(always)]
    pub fn view_with_heights(&self, largest: f64, corners: impl Fn(u32) -> [DVec3; 3]) -> WideView<'_> {
        let view = self.view();
        WideView { heights: self.heights.get_or_init(|| heights::build(&view, largest, corners)), ..view }
    }

    /// The highest item along a direction, and its height by `height`; `None` if there is none but NaN.
    pub fn highest(&self, direction: DVec3, mut height: impl FnMut(u32) -> f64) -> Option<(u32, f64)> {
        let up = direction * self.unit;
        let [x, y, z] = up.to_array();
        let base = direction.dot(self.origin);
        // Products and sums of doubles round by a few ε of what goes in.
        let slack =
            8.0 * f64::EPSILON * (up.length() * f64::from(self.radius) + direction.abs().dot(self.origin.abs()));
        let mut best: Option<(u32, f64)> = None;
        let mut stack = ArrayVec::<(u32, f64), { MOST_LEVELS * (WIDTH - 1) + 1 }>::new();
        if !self.nodes.is_empty() {
            stack.push((0, f64::INFINITY));
        }
        let is_lower = |best: &Option<(u32, f64)>, bound: f64| best.is_some_and(|(_, most)| bound < most);
        while let Some((at, bound)) = stack.pop() {
            if is_lower(&best, bound) {
                continue;
            }
            let node = &self.nodes[at as usize];
            let reach = |lane: usize| {
                let [c, h] = [&node.center, &node.half].map(|of| [0, 1, 2].map(|axis| f64::from(of[axis][lane])));
                let middle = x * c[0] + y * c[1] + z * c[2];
                base + middle + (x.abs() * h[0] + y.abs() * h[1] + z.abs() * h[2]) + slack
            };
            let mut lanes: ArrayVec<(usize, f64), WIDTH> =
                (0..WIDTH).filter(|&lane| node.has(lane)).map(|lane| (lane, reach(lane))).collect();
            // The highest last, so that it is visited first; of leaves, the highest first.
            lanes.sort_unstable_by(|one, other| one.1.total_cmp(&other.1));
            for &(lane, bound) in lanes.iter().rev().filter(|(lane, _)| node.count[*lane] > 0) {
                if is_lower(&best, bound) {
                    continue;
                }
                let first = node.first[lane] as usize;
                for &item in &self.items[first..first + usize::from(node.count[lane])] {
                    let height = height(item);
                    if best.is_none_or(|(_, most)| height > most) && !height.is_nan() {
                        best = Some((item, height));
                    }
                }
            }
            for &(lane, bound) in lanes.iter().filter(|(lane, _)| node.count[*lane] == 0) {
                if !is_lower(&best, bound) {
                    stack.push((node.first[lane], bound));
                }
            }
        }
        best
    }

    /// Visits the items of all leaves whose boxes may share a point with a box, which may be unbounded, until one says to stop.
    pub fn overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        // The ends of a node's box, computed from its middle, round by an ε of the radius, and so does the given box.
        let slack = f64::from(4.0 * f32::EPSILON * self.radius);
        let small = |point: DVec3| (point - self.origin) / self.unit;
        let min = small(bounds.min).to_array().map(|x| below(x - slack));
        let max = small(bounds.max).to_array().map(|x| above(x + slack));
        let mut stack = ArrayVec::<u32, { MOST_LEVELS * (WIDTH - 1) + 1 }>::new();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            let meet = (0..3).fold(node.lanes(), |lanes, axis| {
                let (center, half) = (f32x4::new(node.center[axis]), f32x4::new(node.half[axis]));
                let is_low = (center - half).simd_le(f32x4::splat(max[axis]));
                let is_high = (center + half).simd_ge(f32x4::splat(min[axis]));
                lanes & (is_low & is_high).to_bitmask()
            });
            for lane in (0..WIDTH).filter(|lane| meet >> lane & 1 != 0) {
                let first = node.first[lane];
                if node.count[lane] == 0 {
                    stack.push(first);
                    continue;
                }
                for &item in &self.items[first as usize..first as usize + usize::from(node.count[lane])] {
                    if visit(item).is_break() {
                        return;
                    }
                }
            }
        }
    }

    /// The memory that it takes, in bytes, with heights that have been built.
    pub fn bytes(&self) -> usize {
        let heights = self.heights.get().map_or(0, |heights| size_of_val(&**heights));
        size_of::<WideNode>() * self.nodes.capacity() + size_of::<u32>() * self.items.capacity() + heights
    }
}

/// A tree as a traversal sees it; also one box, as a tree of one leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WideView<'a> {
    /// All nodes; the root is the first.
    pub nodes: &'a [WideNode],
    /// The items in the order of the leaves.
    pub items: &'a [u32],
    /// The heights of the children, node for node; empty for a search by boxes.
    pub heights: &'a [HeightNode],
    /// The middle of all boxes.
    pub origin: DVec3,
    /// The unit of the boxes.
    pub unit: f64,
    /// No point of a box is farther from the middle than this, in the unit.
    pub radius: f32,
}

impl WideView<'_> {
    /// How many items are below a node: those from its first to its last, by (W2).
    pub fn count_below(&self, node: u32) -> usize {
        let (mut low, mut high) = (node as usize, node as usize);
        let lanes = |at: usize| (0..WIDTH).filter(move |&lane| self.nodes[at].has(lane));
        let first = loop {
            let Some(lane) = lanes(low).next() else { return 0 };
            match self.nodes[low].count[lane] {
                0 => low = self.nodes[low].first[lane] as usize,
                _ => break self.nodes[low].first[lane] as usize,
            }
        };
        let end = loop {
            let Some(lane) = lanes(high).next_back() else { return 0 };
            match self.nodes[high].count[lane] {
                0 => high = self.nodes[high].first[lane] as usize,
                count => break self.nodes[high].first[lane] as usize + usize::from(count),
            }
        };
        end - first
    }
}

/// A box as a tree of one item, without an allocation.
#[derive(Debug, Clone)]
pub(crate) struct LoneBox {
    node: WideNode,
    origin: DVec3,
    unit: f64,
    radius: f32,
}

impl LoneBox {
    /// A bounded box.
    pub fn new(bounds: &Aabb) -> Self {
        let (origin, unit) = frame_of(bounds);
        let entry = Entry::new(bounds, bounds, origin, unit, 0);
        let mut node = WideNode::EMPTY;
        node.put(0, &GrowingBox { min: entry.min, max: entry.max });
        node.count[0] = 1;
        let most = [0, 1, 2].map(|axis| f64::from(entry.max[axis].abs().max(entry.min[axis].abs())));
        Self { node, origin, unit, radius: above(DVec3::from_array(most).length()) }
    }

    pub fn view(&self) -> WideView<'_> {
        let Self { node, origin, unit, radius } = self;
        WideView {
            nodes: std::slice::from_ref(node),
            items: &[0],
            heights: &[],
            origin: *origin,
            unit: *unit,
            radius: *radius,
        }
    }
}

impl WideNode {
    fn put(&mut self, lane: usize, extent: &GrowingBox) {
        for axis in 0..3 {
            let (min, max) = (extent.min[axis], extent.max[axis]);
            let center = 0.5 * (min + max);
            self.center[axis][lane] = center;
            // (W4) The differences round; the next number covers that.
            self.half[axis][lane] = (max - center).max(center - min).next_up();
        }
    }
}

/// The middle of a box, and a power of two that is at least its half extent and less than four times that.
fn frame_of(all: &Aabb) -> (DVec3, f64) {
    if !(all.min.is_finite() && all.max.is_finite()) {
        return (DVec3::ZERO, 1.0);
    }
    let size = (0.5 * (all.max - all.min)).max_element();
    // A point, or nearly one: any unit will do that is not too small for its coordinates.
    let size = size.max(1e-12 * all.min.abs().max(all.max.abs()).max_element()).max(1e-290);
    let exponent = (size.to_bits() >> 52) as i32 - 1023 + 1;
    (all.center(), f64::from_bits(((1023 + exponent) as u64) << 52))
}

/// A single-precision number that is less.
fn below(x: f64) -> f32 {
    (x as f32).next_down()
}

/// A single-precision number that is more.
fn above(x: f64) -> f32 {
    (x as f32).next_up()
}

fn extent(entries: &[Entry]) -> GrowingBox {
    let mut all = GrowingBox::EMPTY;
    entries.iter().for_each(|entry| all.add(&entry.min, &entry.max));
    all
}

/// Levels that halving takes.
fn depth_of(count: usize) -> usize {
    (usize::BITS - count.leading_zeros()) as usize
}

/// Puts the entries into an order in which those before the returned place are one part and the rest the other.
fn divide(entries: &mut [Entry], is_deep: bool) -> usize {
    let mut middles = GrowingBox::EMPTY;
    for entry in &*entries {
        let key = [0, 1, 2].map(|axis| entry.key(axis));
        middles.add(&key, &key);
    }
    let spread = [0, 1, 2].map(|axis| middles.max[axis] - middles.min[axis]);
    let axis = if spread[0] >= spread[1] && spread[0] >= spread[2] {
        0
    } else if spread[1] >= spread[2] {
        1
    } else {
        2
    };
    if !(spread[axis] > 0.0) || is_deep {
        return halve(entries, axis);
    }
    let (low, step) = (middles.min[axis], tuning::BINS as f32 / spread[axis]);
    let bin = |entry: &Entry| (((entry.key(axis) - low) * step) as usize).min(tuning::BINS - 1);
    let mut bins = [(GrowingBox::EMPTY, 0_usize); tuning::BINS];
    for entry in &*entries {
        let (extent, count) = &mut bins[bin(entry)];
        extent.add(&entry.min, &entry.max);
        *count += 1;
    }
    // Costs from the right, then from the left.
    let mut right = [(0.0_f32, 0_usize); tuning::BINS];
    let (mut all, mut count) = (GrowingBox::EMPTY, 0);
    for i in (1..tuning::BINS).rev() {
        all.add(&bins[i].0.min, &bins[i].0.max);
        count += bins[i].1;
        right[i] = (all.area(), count);
    }
    let (mut all, mut count) = (GrowingBox::EMPTY, 0);
    let mut best = (f32::INFINITY, 0);
    for i in 1..tuning::BINS {
        all.add(&bins[i - 1].0.min, &bins[i - 1].0.max);
        count += bins[i - 1].1;
        let cost = all.area() * count as f32 + right[i].0 * right[i].1 as f32;
        if count > 0 && right[i].1 > 0 && cost < best.0 {
            best = (cost, i);
        }
    }
    if best.1 == 0 {
        return halve(entries, axis);
    }
    partition(entries, |entry| bin(entry) < best.1)
}

/// Moves the entries for which a predicate holds to the front; returns their number. The order depends on the entries alone.
fn partition(entries: &mut [Entry], is_first: impl Fn(&Entry) -> bool) -> usize {
    let mut at = 0;
    for i in 0..entries.len() {
        if is_first(&entries[i]) {
            entries.swap(at, i);
            at += 1;
        }
    }
    at
}

fn halve(entries: &mut [Entry], axis: usize) -> usize {
    let middle = entries.len() / 2;
    let order = |a: &Entry, b: &Entry| a.key(axis).total_cmp(&b.key(axis)).then(a.item.cmp(&b.item));
    entries.select_nth_unstable_by(middle, order);
    middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// W1 to W4.
    fn check(tree: &WideTree, boxes: &[Aabb]) {
        let mut seen = tree.items.to_vec();
        seen.sort_unstable();
        assert_eq!(seen, (0..boxes.len() as u32).collect::<Vec<_>>());
        let mut covered = 0;
        let mut stack = vec![(0_u32, 0_usize, [DVec3::NEG_INFINITY, DVec3::INFINITY])];
        while let Some((at, level, _)) = stack.pop() {
            assert!(level < MOST_LEVELS);
            let node = &tree.nodes[at as usize];
            for lane in (0..WIDTH).filter(|&lane| node.has(lane)) {
                let of = |of: &[[f32; WIDTH]; 3]| DVec3::from_array([0, 1, 2].map(|axis| f64::from(of[axis][lane])));
                let (center, half) = (of(&node.center), of(&node.half));
                let range = items_below(tree, node, lane);
                for &item in &tree.items[range.clone()] {
                    let [min, max] = [boxes[item as usize].min, boxes[item as usize].max]
                        .map(|point| (point - tree.origin) / tree.unit);
                    assert!((center - half).cmple(min).all() && max.cmple(center + half).all());
                }
                match node.count[lane] {
                    0 => {
                        assert!(node.first[lane] > at);
                        stack.push((node.first[lane], level + 1, [center - half, center + half]));
                    }
                    count => covered += usize::from(count),
                }
            }
        }
        assert_eq!(covered, boxes.len());
    }

    fn items_below(tree: &WideTree, node: &WideNode, lane: usize) -> std::ops::Range<usize> {
        let first = node.first[lane] as usize;
        if node.count[lane] > 0 {
            return first..first + usize::from(node.count[lane]);
        }
        let child = &tree.nodes[first];
        let parts = (0..WIDTH).filter(|&lane| child.has(lane)).map(|lane| items_below(tree, child, lane));
        parts.reduce(|all, part| all.start.min(part.start)..all.end.max(part.end)).unwrap_or(0..0)
    }

    #[test]
    fn trees_hold_their_boxes_at_any_size_and_place() {
        let mut rng = Rng::with_seed(21);
        for count in [1, 3, 4, 5, 17, 100, 2000] {
            for (place, size) in [(0.0, 1.0), (1e7, 1.0), (0.0, 1e-70), (0.0, 1e59), (-1e3, 1e-9)] {
                let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
                let boxes: Vec<Aabb> = (0..count)
                    .map(|_| {
                        let at = vector(size) + place;
                        Aabb { min: at, max: at }.grown(0.02 * vector(size).x.abs())
                    })
                    .collect();
                check(&WideTree::build(boxes.iter().copied()), &boxes);
                // All at one spot, and in a line with ever longer gaps.
                let spot = vec![boxes[0]; count];
                check(&WideTree::build(spot.iter().copied()), &spot);
                let gaps: Vec<Aabb> = (0..count.min(120))
                    .map(|i| place + DVec3::X * size * 3.0_f64.powi(i as i32 - 120))
                    .map(|at| Aabb { min: at, max: at })
                    .collect();
                check(&WideTree::build(gaps.iter().copied()), &gaps);
            }
        }
    }
}
