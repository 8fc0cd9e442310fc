//! Branch and bound over two binary trees at once.
//!
//! A pair of nodes stands for all pairs of their items. A pair that the visitor's bound does not prune is split: the larger box
//! into its children. The closer child is visited first, so that a good answer is found early and prunes most of the
//! rest. Depth first: with trees of bounded depth the stack has a fixed size, and nothing is allocated.

use super::{BoxNode, MOST_LEVELS};
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

/// A query about pairs of items.
pub(crate) trait Visit {
    /// A lower bound for all pairs of items below two nodes.
    fn bound(&mut self, a: &BoxNode, b: &BoxNode) -> f64;

    /// Is a pair with that bound pruned?
    fn is_settled(&mut self, a: &BoxNode, b: &BoxNode, bound: f64) -> bool;

    /// Visits two leaves that are not pruned. A break ends the traversal.
    fn leaves(&mut self, a: &BoxNode, b: &BoxNode) -> ControlFlow<()>;

    /// The node of A (0) or B (1) is split at that place of the tree's order; its children come as they are, or the right one first.
    fn split(&mut self, side: usize, at: u32, is_right_first: bool) {
        let _ = (side, at, is_right_first);
    }
}

/// Layout: by T3, every level of either tree leaves one pair on the stack, and the last one two.
const STACK: usize = 2 * MOST_LEVELS as usize + 2;

/// Visits the pairs of items of two trees, given by their nodes.
pub(crate) fn traverse(a: &[BoxNode], b: &[BoxNode], visit: &mut impl Visit) {
    let mut stack = ArrayVec::<([u32; 2], f64), STACK>::new();
    if let (Some(root_a), Some(root_b)) = (a.first(), b.first()) {
        stack.push(([0; 2], visit.bound(root_a, root_b)));
    }
    while let Some(([i, j], bound)) = stack.pop() {
        let (node_a, node_b) = (&a[i as usize], &b[j as usize]);
        if visit.is_settled(node_a, node_b, bound) {
            continue;
        }
        let is_larger = node_a.half.element_sum() >= node_b.half.element_sum();
        let children = match (node_a.is_leaf(), node_b.is_leaf()) {
            (true, true) => match visit.leaves(node_a, node_b) {
                ControlFlow::Continue(()) => continue,
                ControlFlow::Break(()) => return,
            },
            (false, is_leaf) if is_leaf || is_larger => [[i + 1, j], [node_a.right, j]],
            _ => [[i, j + 1], [i, node_b.right]],
        };
        let [left, right] = children.map(|[i, j]| ([i, j], visit.bound(&a[i as usize], &b[j as usize])));
        let is_right_first = right.1 < left.1;
        let [[left_a, left_b], _] = children;
        let (side, at) = if left_a == i { (1, b[left_b as usize].last) } else { (0, a[left_a as usize].last) };
        visit.split(side, at, is_right_first);
        debug_assert!(stack.remaining_capacity() >= 2, "T3: a tree is deeper than it may be");
        stack.extend(if is_right_first { [left, right] } else { [right, left] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Aabb, Frame};
    use crate::tree::{BoxTree, Gap};
    use fastrand::Rng;
    use glam::DVec3;

    /// The closest pair of points.
    struct Closest<'a> {
        gap: Gap,
        a: &'a [DVec3],
        b: &'a [DVec3],
        orders: [&'a [u32]; 2],
        best: f64,
        looks: usize,
    }

    impl Visit for Closest<'_> {
        fn bound(&mut self, a: &BoxNode, b: &BoxNode) -> f64 {
            self.gap.bound(a, b)
        }

        fn is_settled(&mut self, _: &BoxNode, _: &BoxNode, bound: f64) -> bool {
            bound > self.best
        }

        fn leaves(&mut self, a: &BoxNode, b: &BoxNode) -> ControlFlow<()> {
            self.looks += 1;
            let [i, j] = [(self.orders[0], a), (self.orders[1], b)].map(|(order, node)| order[node.first as usize]);
            self.best = self.best.min((self.a[i as usize] - self.b[j as usize]).length());
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn the_closest_pair_is_that_of_all_pairs() {
        let mut rng = Rng::with_seed(6);
        for count in [1, 2, 7, 50, 300] {
            let mut points = |at: f64| -> Vec<DVec3> {
                (0..count).map(|_| DVec3::from_array([(); 3].map(|()| rng.f64())) + at * DVec3::X).collect()
            };
            let (a, b) = (points(0.0), points(0.8));
            let tree = |points: &[DVec3]| {
                BoxTree::build(points.iter().enumerate().map(|(i, &point)| (i as u32, Aabb { min: point, max: point })))
            };
            let (tree_a, tree_b) = (tree(&a), tree(&b));
            let gap = Gap::new(Frame::IDENTITY, [2.0, 3.0]);
            let orders = [tree_a.order(), tree_b.order()];
            let mut closest = Closest { gap, a: &a, b: &b, orders, best: f64::INFINITY, looks: 0 };
            traverse(tree_a.nodes(), tree_b.nodes(), &mut closest);
            let all = a.iter().flat_map(|p| b.iter().map(move |q| (*p - *q).length()));
            assert_eq!(closest.best, all.fold(f64::INFINITY, f64::min));
            assert!(closest.looks <= 20 + count, "{count}: {}", closest.looks);
        }
    }
}
