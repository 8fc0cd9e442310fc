//! Traversals of one wide tree around a convex shape: all leaves that may meet it, the nearest to its middle first, or the leaves closest to it.
//!
//! The shape is a box in the axes of the tree and a ball around a point in it, in single precision with its errors allowed for: six
//! differences for four children. A plane that has the whole shape on one side prunes most boxes on the other. The box of the shape in its
//! own axes is compared with the boxes of the tree as well, if it is at hand, or after some steps. A long shape that lies oblique has a
//! large box in the axes of the tree.

use super::dual::TreeSearch;
use super::frames::{SeparatingPlane, by_axis};
use super::pairs::for_each_bit;
use super::wide::{MOST_LEVELS, WideNode};
use super::{WIDTH, WideView};
use crate::math::{Aabb, Frame};
use crate::tuning::meshes as tuning;
use arrayvec::ArrayVec;
use fearless_simd::Simd;
use glam::DVec3;
use std::ops::ControlFlow;
use wide::f32x4;

/// The shape around which leaves are visited, in the frame of the tree.
pub(crate) struct Around<'a> {
    /// All of it is in this box.
    pub bounds: Aabb,
    /// A point in the box: leaves that are near it come first.
    pub middle: DVec3,
    /// Nothing is farther from the middle.
    pub radius: f64,
    /// The frame in which it has a box of its own.
    pub frame: &'a Frame,
}

/// A search of one tree.
pub(crate) trait NearSearch: TreeSearch {
    /// Visits the items of a leaf.
    fn leaf<S: Simd>(&mut self, simd: S, items: &[u32]);
}

/// A box in the axes of another frame, in the unit of a tree.
struct OwnBox {
    /// The axes, and their absolute values.
    axes: [[f32x4; 3]; 3],
    spread: [[f32x4; 3]; 3],
    middle: [f32x4; 3],
    reach: [f32x4; 3],
}

/// A plane that has the whole shape on one side, relative to the middle and in the unit of a tree.
struct OnePlane {
    normal: [f32x4; 3],
    spread: [f32x4; 3],
    /// Smaller values are proved to be apart.
    height: f32x4,
}

/// The shape in the unit of a tree: its middle, its half extents, and the error of a difference in single precision.
struct PlacedShape {
    middle: [f32x4; 3],
    /// Its box, which need not be about the middle.
    box_middle: [f32x4; 3],
    reach: [f32x4; 3],
    slack: f64,
}

/// Data of the whole shape, besides its box and its ball.
struct Limits {
    own: Option<OwnBox>,
    plane: Option<OnePlane>,
}

/// Open children of a node by their distance: the bits of the squares, the last two of which are the lane. (As
/// unsigned numbers, so that the nearest is found without a branch; a child that is taken or closed comes after all others.)
#[derive(Clone, Copy)]
struct OpenChildren([u32; WIDTH]);

/// The key of a closed child, after all others. Layout: all bits but the two of the lane number.
const LANE_MASK: u32 = !0b11;

/// A node, or a leaf of that many items, and the square of a lower bound of its distance.
#[derive(Clone, Copy)]
struct OpenNode {
    first: u32,
    count: u8,
    square: f32,
}

/// In units of a tree, sizes that single precision can add up and multiply by what is in a tree. Bound: its product with a number up to 1e8
/// is below the largest `f32`, 3.4e38.
const MOST_UNITS: f64 = 1e30;

impl Around<'_> {
    #[inline(always)]
    fn placed(&self, view: &WideView<'_>) -> PlacedShape {
        // (A power of two.)
        let inverse = 1.0 / view.unit;
        let at = (self.middle - view.origin) * inverse;
        let Aabb { min, max } = self.bounds;
        let (box_at, reach) = ((self.bounds.center() - view.origin) * inverse, 0.5 * (max - min) * inverse);
        let size = at.abs().max(box_at.abs()).max_element() + f64::from(view.radius) + reach.max_element();
        // Beyond single precision nothing is distinguished.
        if !(size < MOST_UNITS) {
            let nowhere = lanes(DVec3::ZERO);
            let reach = lanes(DVec3::INFINITY);
            return PlacedShape { middle: nowhere, box_middle: nowhere, reach, slack: f64::INFINITY };
        }
        // Eight roundings to single precision of what goes in; in doubles the differences are off by an ε of coordinates.
        let coordinates =
            self.middle.abs().max(min.abs()).max(max.abs()).max_element() + view.origin.abs().max_element();
        // The eight roundings and the ε.
        let slack = 8.0 * f64::from(f32::EPSILON) * size + 8.0 * f64::EPSILON * coordinates * inverse;
        PlacedShape { middle: lanes(at), box_middle: lanes(box_at), reach: lanes(reach + slack), slack }
    }

    /// Visits all leaves whose boxes may share a point with it, until one says to stop; or one has a plane, above whose height all of it is.
    /// `own_box` is its box in its own frame, and whether it is at hand.
    #[inline(always)]
    pub fn leaves(
        &self,
        view: &WideView<'_>,
        is_box: bool,
        own_box: impl FnOnce() -> Aabb,
        mut visit: impl FnMut(&[u32]) -> ControlFlow<(), Option<SeparatingPlane>>,
    ) -> ControlFlow<()> {
        if view.nodes.is_empty() {
            return ControlFlow::Continue(());
        }
        let placed = self.placed(view);
        // The quotient and the sum are off by an ε each, far below 1e-6.
        let radius = (self.radius / view.unit + placed.slack) * (1.0 + 1e-6);
        let worst = f32x4::splat(((radius * radius) as f32).next_up());
        let mut own_box = Some(own_box);
        let mut limits = Limits { own: None, plane: None };
        let mut stack = ArrayVec::<(u32, OpenChildren), MOST_LEVELS>::new();
        let mut steps = 0;
        let mut at = 0;
        let mut children = placed.children(&view.nodes[0], worst, &limits);
        loop {
            let Some(lane) = children.take_nearest() else {
                let Some(open) = stack.pop() else { return ControlFlow::Continue(()) };
                (at, children) = open;
                // More may be known than when it was put there.
                children.close(limits.are_beside(&view.nodes[at as usize], &placed.middle));
                continue;
            };
            let node = &view.nodes[at as usize];
            let (first, count) = (node.first[lane], usize::from(node.count[lane]));
            let is_leaf = count > 0;
            if is_leaf && let Some(found) = visit(&view.items[first as usize..first as usize + count])? {
                limits.plane = self.plane(&found, view, placed.slack);
            }
            // Of a box the axes are at hand, but where the first leaf tells they are not needed.
            steps += if !is_leaf {
                1
            } else if is_box {
                tuning::AROUND_STEPS + 1
            } else {
                0
            };
            if steps > tuning::AROUND_STEPS
                && let Some(own_box) = own_box.take()
            {
                limits.own = Some(self.own(&own_box(), view, placed.slack));
            }
            if is_leaf {
                children.close(limits.are_beside(node, &placed.middle));
                continue;
            }
            if children.is_any() {
                stack.push((at, children));
            }
            at = first;
            children = placed.children(&view.nodes[at as usize], worst, &limits);
        }
    }

    /// Is the mesh close enough for [`closest`](Self::closest), compared with how far both reach?
    pub fn is_near(&self, view: &WideView<'_>) -> bool {
        let reach = self.radius / view.unit + f64::from(view.radius);
        ((self.middle - view.origin) / view.unit).abs().max_element() <= tuning::FAR_SHAPE * reach
    }

    /// Walks all leaves that may be closer to it than is enough, the closest boxes first.
    #[inline(always)]
    pub fn closest<S: Simd>(&self, simd: S, view: &WideView<'_>, own_box: &Aabb, search: &mut impl NearSearch) {
        if view.nodes.is_empty() {
            return;
        }
        let placed @ PlacedShape { slack, .. } = &self.placed(view);
        let own = self.own(own_box, view, *slack);
        let worst_of = |cutoff: f64| (((cutoff / view.unit) * (cutoff / view.unit)) as f32).next_up();
        let mut cutoff = search.cutoff();
        let mut worst = worst_of(cutoff);
        let mut plane = search.plane().and_then(|plane| self.plane(&plane, view, *slack));
        // The closest that was passed over.
        let mut passed = f32x4::splat(f32::INFINITY);
        let mut stack = ArrayVec::<OpenNode, { MOST_LEVELS * (WIDTH - 1) + 1 }>::new();
        stack.push(OpenNode { first: 0, count: 0, square: 0.0 });
        while let Some(OpenNode { first, count, square }) = stack.pop() {
            if square > worst {
                passed = passed.fast_min(f32x4::splat(square));
                continue;
            }
            if count > 0 {
                search.leaf(simd, &view.items[first as usize..first as usize + usize::from(count)]);
                if search.is_over() {
                    return;
                }
                if search.cutoff() != cutoff {
                    cutoff = search.cutoff();
                    worst = worst_of(cutoff);
                    plane = search.plane().and_then(|plane| self.plane(&plane, view, *slack));
                }
                continue;
            }
            let node = &view.nodes[first as usize];
            let squares = placed.squares(node, &own, plane.as_ref());
            let is_far = squares.simd_gt(f32x4::splat(worst));
            // A missing child is NaN, or as far as can be.
            passed = passed.fast_min(is_far.select(squares, f32x4::splat(f32::INFINITY)));
            push_nearest_last(&mut stack, node, !is_far.to_bitmask() & node.lanes(), squares.to_array());
        }
        let passed = passed.to_array().into_iter().fold(f32::INFINITY, f32::min);
        if passed < f32::INFINITY {
            // A root rounds by an ε; the product with a power of two does not.
            search.prune(f64::from(passed).sqrt() * (1.0 - 1e-15) * view.unit);
        }
    }

    #[inline(always)]
    fn plane(&self, plane: &SeparatingPlane, view: &WideView<'_>, slack: f64) -> Option<OnePlane> {
        let normal = by_axis(|k| f32x4::splat(plane.normal[k] as f32));
        // Three products and sums for each of two terms.
        let height = (plane.height? - plane.normal.dot(self.middle)) / view.unit - 8.0 * slack;
        Some(OnePlane { normal, spread: by_axis(|k| normal[k].abs()), height: f32x4::splat(height as f32) })
    }

    /// Its box in its own frame.
    #[inline(always)]
    fn own(&self, bounds: &Aabb, view: &WideView<'_>, slack: f64) -> OwnBox {
        let r = self.frame.rotation;
        let axes = [lanes(r.x_axis), lanes(r.y_axis), lanes(r.z_axis)];
        let spread = by_axis(|axis| by_axis(|k| axes[axis][k].abs()));
        let middle = (self.frame.point(bounds.center()) - view.origin) / view.unit;
        // Three products and sums for each of the two terms.
        let reach = 0.5 * (bounds.max - bounds.min) / view.unit + 8.0 * slack;
        OwnBox { axes, spread, middle: lanes(middle), reach: lanes(reach) }
    }
}

impl OwnBox {
    /// How far four boxes are beside it along each of its axes.
    #[inline(always)]
    fn gaps(&self, node: &WideNode) -> [f32x4; 3] {
        let between = by_axis(|k| f32x4::new(node.center[k]) - self.middle[k]);
        let half = by_axis(|k| f32x4::new(node.half[k]));
        let dot = |u: &[f32x4; 3], v: &[f32x4; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        by_axis(|k| dot(&self.axes[k], &between).abs() - self.reach[k] - dot(&self.spread[k], &half))
    }
}

impl Limits {
    /// Which boxes of a node are beside all of it, as masks?
    #[inline(always)]
    fn are_beside(&self, node: &WideNode, middle: &[f32x4; 3]) -> f32x4 {
        let mut are_beside = f32x4::ZERO;
        if let Some(OnePlane { normal, spread, height }) = &self.plane {
            let [x, y, z] = by_axis(|k| f32x4::new(node.center[k]) - middle[k]);
            let top = normal[0] * x + normal[1] * y + normal[2] * z;
            let reach = spread[0] * f32x4::new(node.half[0])
                + spread[1] * f32x4::new(node.half[1])
                + spread[2] * f32x4::new(node.half[2]);
            are_beside |= (top + reach).simd_lt(*height);
        }
        if let Some(own) = &self.own {
            let [x, y, z] = own.gaps(node);
            are_beside |= x.fast_max(y).fast_max(z).simd_gt(f32x4::ZERO);
        }
        are_beside
    }
}

impl OpenChildren {
    /// All but those of a mask, that far.
    #[inline(always)]
    fn new(squares: f32x4, are_closed: f32x4) -> Self {
        let [a, b, c, d] = (squares | are_closed).to_array();
        Self([
            a.to_bits() & LANE_MASK,
            b.to_bits() & LANE_MASK | 1,
            c.to_bits() & LANE_MASK | 2,
            d.to_bits() & LANE_MASK | 3,
        ])
    }

    #[inline(always)]
    fn nearest(&self) -> u32 {
        let [a, b, c, d] = self.0;
        a.min(b).min(c.min(d))
    }

    #[inline(always)]
    fn is_any(&self) -> bool {
        self.nearest() < LANE_MASK
    }

    /// The lane of the nearest one, which is open no more.
    #[inline(always)]
    fn take_nearest(&mut self) -> Option<usize> {
        let nearest = self.nearest();
        for key in &mut self.0 {
            *key |= if *key == nearest { LANE_MASK } else { 0 };
        }
        (nearest < LANE_MASK).then_some(nearest as usize % WIDTH)
    }

    /// Closes those of a mask.
    #[inline(always)]
    fn close(&mut self, are_closed: f32x4) {
        let closed = are_closed.to_array();
        for (key, closed) in self.0.iter_mut().zip(closed) {
            *key |= closed.to_bits() & LANE_MASK;
        }
    }
}

impl PlacedShape {
    /// The children of a node whose boxes may share a point with it, and are no farther from the middle than is worth while.
    #[inline(always)]
    fn children(&self, node: &WideNode, worst: f32x4, limits: &Limits) -> OpenChildren {
        let [x, y, z] = by_axis(|k| {
            let between = f32x4::new(node.center[k]) - self.middle[k];
            (between.abs() - f32x4::new(node.half[k])).fast_max(f32x4::ZERO)
        });
        let squares = x * x + y * y + z * z;
        let [x, y, z] = self.beside(node);
        let is_there = f32x4::new(node.half[0]).simd_ge(f32x4::ZERO);
        let is_far = x.fast_max(y).fast_max(z).simd_gt(f32x4::ZERO) | squares.simd_gt(worst) | !is_there;
        OpenChildren::new(squares, is_far | limits.are_beside(node, &self.middle))
    }

    /// How far the boxes of a node are beside its box, along each axis.
    #[inline(always)]
    fn beside(&self, node: &WideNode) -> [f32x4; 3] {
        let beside = |k: usize| {
            let between = f32x4::new(node.center[k]) - self.box_middle[k];
            between.abs() - (f32x4::new(node.half[k]) + self.reach[k])
        };
        [beside(0), beside(1), beside(2)]
    }

    /// The squares of lower bounds of how far the boxes of a node are: along the axes of the tree, its own, and the normal of the plane.
    #[inline(always)]
    fn squares(&self, node: &WideNode, own: &OwnBox, plane: Option<&OnePlane>) -> f32x4 {
        let half = by_axis(|k| f32x4::new(node.half[k]));
        let between = by_axis(|k| f32x4::new(node.center[k]) - self.middle[k]);
        let square = |gaps: [f32x4; 3]| {
            let [x, y, z] = by_axis(|k| gaps[k].fast_max(f32x4::ZERO));
            x * x + y * y + z * z
        };
        let mut most = square(self.beside(node)).fast_max(square(own.gaps(node)));
        if let Some(OnePlane { normal, spread, height }) = plane {
            let top = normal[0] * between[0] + normal[1] * between[1] + normal[2] * between[2];
            let reach = spread[0] * half[0] + spread[1] * half[1] + spread[2] * half[2];
            let along = (*height - top - reach).fast_max(f32x4::ZERO);
            most = most.fast_max(along * along);
        }
        // The squares and sums round by 2^-22 together. Numbers that are too large for a square are at least as far as the largest of them.
        (most * f32x4::splat(1.0 - 1e-6)).fast_min(f32x4::splat(f32::MAX))
    }
}

#[inline(always)]
fn lanes(v: DVec3) -> [f32x4; 3] {
    by_axis(|k| f32x4::splat(v[k] as f32))
}

/// Puts children of a node on the stack, the nearest last, so that it is visited first.
#[inline(always)]
fn push_nearest_last<const N: usize>(
    stack: &mut ArrayVec<OpenNode, N>,
    node: &WideNode,
    children: u32,
    squares: [f32; WIDTH],
) {
    let from = stack.len();
    for_each_bit(children, |lane| {
        stack.push(OpenNode { first: node.first[lane], count: node.count[lane], square: squares[lane] });
        let mut k = stack.len() - 1;
        while k > from && stack[k - 1].square < stack[k].square {
            stack.swap(k - 1, k);
            k -= 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rounding;
    use crate::math::{DQuat, Pose};
    use crate::shape::Mesh;
    use crate::{Shape, distance};
    use fastrand::Rng;

    #[test]
    fn children_are_taken_from_the_nearest_on() {
        let mut rng = Rng::with_seed(181);
        for round in 0..1000 {
            let mut squares = [0.0; WIDTH];
            squares.fill_with(|| [0.0, 1e-42, rng.f32(), 1e30 * rng.f32(), f32::INFINITY][rng.usize(0..5)]);
            let mut closed = [false; WIDTH];
            closed.fill_with(|| rng.usize(0..3) == 0);
            let mask = |closed: bool| if closed { f32::from_bits(u32::MAX) } else { 0.0 };
            let [first, second] = [[closed[0], closed[1], false, false], [false, false, closed[2], closed[3]]];
            let masks = |of: [bool; WIDTH]| f32x4::new([mask(of[0]), mask(of[1]), mask(of[2]), mask(of[3])]);
            let mut children = OpenChildren::new(f32x4::new(squares), masks(first));
            children.close(masks(second));
            let mut last = 0.0;
            let mut taken = [false; WIDTH];
            while children.is_any() {
                let lane = children.take_nearest().unwrap();
                assert!(!taken[lane] && !closed[lane], "{round}");
                // But for the bits that are the lane's.
                assert!(squares[lane] >= last * (1.0 - 1e-6) - 1e-44, "{round}: {squares:?}");
                (last, taken[lane]) = (squares[lane].min(f32::MAX), true);
            }
            assert_eq!(children.take_nearest(), None);
            assert!((0..WIDTH).all(|lane| taken[lane] != closed[lane]), "{round}");
        }
    }

    /// A box, or a ball, among triangles: every triangle that meets it is found, whichever planes are added in between, and few others are.
    #[test]
    fn what_meets_is_never_passed_over() {
        let mut rng = Rng::with_seed(182);
        let (mut met, mut shown, mut all) = (0, 0, 0);
        for round in 0..600 {
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let size = [1.0, 1e-30, 1e30, 1e-9][round % 4];
            // The mesh may be away from its origin.
            let place = vector([0.0, 1.0, 1e3, 1e6][round / 4 % 4]);
            let mut corners = Vec::new();
            for _ in 0..150 {
                let (at, flat) = (vector(1.0), DVec3::new(1.0, [1.0, 0.0][round % 2], 1.0));
                corners.extend((0..3).map(|_| size * (place + at * flat + vector(0.1))));
            }
            let triangles: Vec<[u32; 3]> = (0..150).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::new(&corners, &triangles).unwrap();
            let is_box = round % 3 != 0;
            let half = size * (vector(0.5).abs() * DVec3::new(0.6, 0.2, 1.0) + 0.01);
            let shape = if is_box { Shape::cuboid(half).unwrap() } else { Shape::sphere(half.x).unwrap() };
            let turn = DQuat::from_scaled_axis(vector(3.0));
            let pose = Pose::new(size * (place + vector(0.8)), turn);
            let frame = Frame::relative(&Pose::IDENTITY, &pose);
            let reach = shape.bounding_radius();
            let rounding = rounding::of_pair(mesh.bounding_radius() + reach + pose.translation().length(), 0.0);
            let around = Around {
                bounds: shape.aabb_in(&frame).unwrap().grown(rounding),
                middle: frame.translation,
                radius: reach + rounding,
                frame: &frame,
            };
            let core = shape.convex().unwrap();
            let mut is_shown = [false; 150];
            let seen = around.leaves(
                &mesh.tree().view(),
                is_box,
                || shape.aabb(&Pose::IDENTITY).grown(rounding),
                |items| {
                    items.iter().for_each(|&item| is_shown[item as usize] = true);
                    let normal = vector(1.0).normalize();
                    let below = core.height(frame.direction_in_b(-normal)) + core.radius();
                    let height = Some(normal.dot(frame.translation) - below - 2.0 * rounding);
                    ControlFlow::Continue((round % 5 != 0).then_some(SeparatingPlane { normal, height }))
                },
            );
            assert!(seen.is_continue());
            for (i, &is_shown) in is_shown.iter().enumerate() {
                let [a, b, c] = mesh.corners(i as u32);
                let triangle = Shape::triangle(a, b, c).unwrap();
                let truth = distance(&triangle, Pose::IDENTITY, &shape, pose);
                assert!(is_shown || truth.upper > 0.0, "{round} {i}: {truth:?}");
                met += usize::from(!(truth.lower > 0.0));
                shown += usize::from(is_shown);
                all += 1;
            }
        }
        assert!(met > 400 && 10 * shown < all, "{met} of {shown} of {all}");
    }
}
