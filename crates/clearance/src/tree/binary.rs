//! Binary trees of boxes in doubles: the parts of a compound, and the parts of a body in evidence.
//!
//! **Invariants.** (T1) Nodes are in preorder: the left child follows its parent. (T2) A node's items are a contiguous range of
//! [`order`](BoxTree::order), split between its children. (T3) No leaf is deeper than [`MOST_LEVELS`], so the stack of a traversal has a
//! fixed size. (T4) The same boxes give the same tree.

use crate::math::Aabb;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::cmp::Ordering;

/// Limit: levels of a tree, whatever the boxes are. With 2^32 items a balanced tree has 33 levels.
pub(crate) const MOST_LEVELS: u32 = 48;

/// One box of a tree and what is below it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxNode {
    /// The middle of the box.
    pub center: DVec3,
    /// Its half extents, rounded up.
    pub half: DVec3,
    /// The number of the right child; zero for a leaf. The left child is the next node.
    pub(super) right: u32,
    /// Where its items begin in the order of the tree, and where they end.
    pub first: u32,
    pub last: u32,
}

impl BoxNode {
    /// A leaf around one item, for a shape without a tree.
    pub fn alone(bounds: &Aabb) -> Self {
        Self::around(bounds, 0..1)
    }

    fn around(bounds: &Aabb, range: std::ops::Range<usize>) -> Self {
        let center = bounds.center();
        // The differences round by half an ε of the coordinates, which the middle has too.
        let half =
            (bounds.max - center).max(center - bounds.min) + f64::EPSILON * (bounds.min.abs() + bounds.max.abs());
        Self { center, half, right: 0, first: range.start as u32, last: range.end as u32 }
    }

    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }

    /// The numbers of its children, if it has any; its own is `at`.
    pub fn children(&self, at: u32) -> Option<[u32; 2]> {
        (!self.is_leaf()).then_some([at + 1, self.right])
    }

    /// An upper bound of the height of the box along a vector, but for rounding.
    pub fn height(&self, along: DVec3) -> f64 {
        along.dot(self.center) + along.abs().dot(self.half)
    }

    /// A bound on the distance of any point of the box from the origin.
    pub fn bounding_radius(&self) -> f64 {
        (self.center.abs() + self.half).length()
    }
}

/// A tree of boxes.
#[derive(Debug, Clone, Default)]
pub(crate) struct BoxTree {
    nodes: Vec<BoxNode>,
    order: Vec<u32>,
}

impl BoxTree {
    /// Builds a tree of items with these numbers and bounded boxes.
    ///
    /// Items are sorted by the centres of their boxes along each axis and divided where the two boxes that result are smallest in
    /// sum, each counted as often as it has items. Size is the sum of the three extents: two boxes are close in proportion to it, and it
    /// is not zero for items in a line, whose surface areas are.
    pub fn build(items: impl IntoIterator<Item = (u32, Aabb)>) -> Self {
        let mut sizes = Vec::new();
        Self::built_by(items, |items| divide(items, &mut sizes))
    }

    /// Builds a tree of halves, for many items and few queries: each node is divided in the middle of its longest axis.
    #[cfg(feature = "proof")]
    pub fn build_halves(items: impl IntoIterator<Item = (u32, Aabb)>) -> Self {
        Self::built_by(items, halve)
    }

    fn built_by(
        items: impl IntoIterator<Item = (u32, Aabb)>,
        mut divide: impl FnMut(&mut [(u32, Aabb)]) -> usize,
    ) -> Self {
        let mut items: Vec<(u32, Aabb)> = items.into_iter().collect();
        let mut tree = Self { nodes: Vec::with_capacity(2 * items.len()), order: Vec::new() };
        if !items.is_empty() {
            tree.grow(&mut items, 0, 0, &mut divide);
        }
        tree.order = items.iter().map(|(item, _)| *item).collect();
        tree
    }

    /// Adds the node of some items and all below it. It calls itself no deeper than [`MOST_LEVELS`].
    fn grow(
        &mut self,
        items: &mut [(u32, Aabb)],
        first: usize,
        level: u32,
        divide: &mut impl FnMut(&mut [(u32, Aabb)]) -> usize,
    ) {
        let bounds = items.iter().fold(Aabb::EMPTY, |all, (_, one)| all.merged(one));
        let place = self.nodes.len();
        self.nodes.push(BoxNode::around(&bounds, first..first + items.len()));
        if items.len() == 1 {
            return;
        }
        // (T3) Halving needs that many more levels; where no more are left, the items are halved.
        let needed = usize::BITS - (items.len() - 1).leading_zeros();
        let at = if level + needed < MOST_LEVELS { divide(items) } else { halve(items) };
        let (left, right) = items.split_at_mut(at);
        self.grow(left, first, level + 1, divide);
        self.nodes[place].right = self.nodes.len() as u32;
        self.grow(right, first + at, level + 1, divide);
    }

    /// All nodes; the root is the first.
    pub fn nodes(&self) -> &[BoxNode] {
        &self.nodes
    }

    /// The numbers of the items in the order of the leaves.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Visits items in the order of a bound of their boxes, the smallest first, until all that are left are above the limit, which each visit
    /// returns anew. Infinity means that a box is not of interest. A NaN is visited.
    #[inline(always)]
    pub fn smallest_first(
        &self,
        mut limit: f64,
        bound: impl Fn(&BoxNode) -> f64,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let mut stack = ArrayVec::<(u32, f64), { MOST_LEVELS as usize + 1 }>::new();
        stack.extend(self.nodes.first().map(|root| (0, bound(root))));
        while let Some((at, from)) = stack.pop() {
            if from > limit || from == f64::INFINITY {
                continue;
            }
            let node = &self.nodes[at as usize];
            let Some([left, right]) = node.children(at) else {
                limit = visit(self.order[node.first as usize], limit);
                continue;
            };
            let one = (left, bound(&self.nodes[left as usize]));
            let two = (right, bound(&self.nodes[right as usize]));
            // The smaller one last, so that it is visited first.
            let (near, far) = if one.1 < two.1 { (one, two) } else { (two, one) };
            debug_assert!(stack.remaining_capacity() >= 2, "T3: the tree is deeper than {MOST_LEVELS}");
            stack.extend([far, near]);
        }
    }

    /// The item that reaches highest along a direction, and its height by `height`, which is no more than that of its box.
    pub fn highest(&self, direction: DVec3, mut height: impl FnMut(u32) -> f64) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        self.smallest_first(
            f64::INFINITY,
            |node| -node.height(direction),
            |item, _| {
                let found = height(item);
                if best.is_none_or(|(of, best)| found > best || found == best && item < of) {
                    best = Some((item, found));
                }
                best.map_or(f64::INFINITY, |(_, best)| -best)
            },
        );
        best
    }
}

/// The order along an axis; ties are decided by number, so that there is one order only.
fn order_along(axis: usize) -> impl Fn(&(u32, Aabb), &(u32, Aabb)) -> Ordering {
    let key = move |bounds: &Aabb| bounds.min[axis] + bounds.max[axis];
    move |(i, a), (j, b)| key(a).total_cmp(&key(b)).then(i.cmp(j))
}

/// Sorts the items so that a good place to divide them is the one returned.
fn divide(items: &mut [(u32, Aabb)], sizes: &mut Vec<f64>) -> usize {
    let size = |bounds: &Aabb| (bounds.max - bounds.min).element_sum();
    let (mut best, mut sorted) = ((f64::INFINITY, 0, 0, 0), 0);
    for axis in 0..3 {
        items.sort_unstable_by(order_along(axis));
        sorted = axis;
        // From the right, then from the left.
        sizes.clear();
        let mut right = Aabb::EMPTY;
        sizes.extend(items.iter().rev().map(|(_, one)| {
            right = right.merged(one);
            size(&right)
        }));
        let mut left = Aabb::EMPTY;
        for at in 1..items.len() {
            left = left.merged(&items[at - 1].1);
            let rest = items.len() - at;
            let cost = size(&left) * at as f64 + sizes[rest - 1] * rest as f64;
            // Of equals the most even: items at one spot have nothing but their number to divide them by.
            let found = (cost, at.abs_diff(rest), axis, at);
            if found.0 < best.0 || found.0 == best.0 && found.1 < best.1 {
                best = found;
            }
        }
    }
    let (_, _, axis, at) = best;
    if axis != sorted {
        items.sort_unstable_by(order_along(axis));
    }
    // Sizes that overflow compare with nothing.
    if at == 0 { items.len() / 2 } else { at }
}

/// Divides the items in the middle of the longest axis of their centres.
fn halve(items: &mut [(u32, Aabb)]) -> usize {
    let centers = Aabb::of_points(items.iter().map(|(_, bounds)| bounds.center()));
    let (axis, middle) = ((centers.max - centers.min).max_position(), items.len() / 2);
    items.select_nth_unstable_by(middle, order_along(axis));
    middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Visit, traverse};
    use fastrand::Rng;

    fn boxes(rng: &mut Rng, count: usize, line: bool) -> Vec<(u32, Aabb)> {
        let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
        let place = |i: usize| {
            let at = if line { DVec3::X * f64::from(i as u32) } else { vector(10.0) };
            (i as u32, Aabb { min: at, max: at }.grown(if line { 0.0 } else { vector(1.0).x.abs() }))
        };
        (0..count).map(place).collect()
    }

    /// Prunes nothing.
    #[derive(Default)]
    struct Count(usize);

    impl Visit for Count {
        fn bound(&mut self, _: &BoxNode, _: &BoxNode) -> f64 {
            0.0
        }

        fn is_settled(&mut self, _: &BoxNode, _: &BoxNode, _: f64) -> bool {
            false
        }

        fn leaves(&mut self, _: &BoxNode, _: &BoxNode) -> std::ops::ControlFlow<()> {
            self.0 += 1;
            std::ops::ControlFlow::Continue(())
        }
    }

    /// T1 to T3, and that boxes hold what is below them.
    fn check(tree: &BoxTree, items: &[(u32, Aabb)]) {
        let mut seen: Vec<u32> = tree.order().to_vec();
        seen.sort_unstable();
        assert_eq!(seen, (0..items.len() as u32).collect::<Vec<_>>());
        assert_eq!(tree.nodes().len(), 2 * items.len() - 1);
        let mut stack = vec![(0_usize, 0, items.len() as u32, 0)];
        while let Some((at, first, last, level)) = stack.pop() {
            let node = tree.nodes()[at];
            assert!(level <= MOST_LEVELS && (node.first, node.last) == (first, last));
            for &item in &tree.order()[first as usize..last as usize] {
                let bounds = items[item as usize].1;
                assert!((node.center - node.half).cmple(bounds.min).all());
                assert!((node.center + node.half).cmpge(bounds.max).all());
            }
            if node.is_leaf() {
                assert_eq!(last - first, 1);
            } else {
                let middle = tree.nodes()[at + 1].last;
                stack.push((at + 1, first, middle, level + 1));
                stack.push((node.right as usize, middle, last, level + 1));
            }
        }
    }

    #[test]
    fn trees_are_well_formed_and_no_deeper_than_the_stack() {
        let mut rng = Rng::with_seed(3);
        for count in [1, 2, 3, 10, 100, 1000] {
            for line in [false, true] {
                let items = boxes(&mut rng, count, line);
                check(&BoxTree::build(items.clone()), &items);
                check(&BoxTree::built_by(items.clone(), halve), &items);
            }
            // All at one spot; and each ten times as large as the one before, which wants to be divided one by one.
            let spot = Aabb { min: DVec3::ZERO, max: DVec3::ZERO };
            let items: Vec<_> = (0..count as u32).map(|i| (i, spot)).collect();
            check(&BoxTree::build(items.clone()), &items);
            let grow = |i: u32| spot.grown(10.0_f64.powi(i as i32 % 60));
            let items: Vec<_> = (0..count as u32).map(|i| (i, grow(i))).collect();
            check(&BoxTree::build(items.clone()), &items);
        }
        // Each three times as far away as the one before: 120 levels, if nothing ended that.
        let at = |i: i32| DVec3::X * 3.0_f64.powi(i);
        let items: Vec<_> = (0..120).map(|i| (i as u32, Aabb { min: at(i), max: at(i) })).collect();
        let tree = BoxTree::build(items.clone());
        check(&tree, &items);
        let highest = tree.highest(DVec3::X, |item| items[item as usize].1.max.x);
        assert_eq!(highest, Some((119, items[119].1.max.x)));
        let mut count = Count::default();
        traverse(tree.nodes(), tree.nodes(), &mut count);
        assert_eq!(count.0, 120 * 120);
        assert!(BoxTree::build([]).nodes().is_empty());
    }

    #[test]
    fn the_highest_item_is_found_without_a_look_at_most() {
        let mut rng = Rng::with_seed(4);
        let items = boxes(&mut rng, 1000, false);
        let tree = BoxTree::build(items.clone());
        let mut looks = 0;
        for _ in 0..100 {
            let direction = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
            // Items that are the centres of their boxes.
            let height = |item: u32| direction.dot(items[item as usize].1.center());
            let best = (0..1000).map(height).fold(f64::NEG_INFINITY, f64::max);
            let found = tree.highest(direction, |item| {
                looks += 1;
                height(item)
            });
            assert_eq!(found.map(|(item, _)| height(item)), Some(best));
        }
        assert!(looks < 100 * 100, "{looks}");
    }
}
