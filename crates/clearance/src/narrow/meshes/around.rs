//! The triangles of a mesh around something small: one tree, four boxes at a time, the nearest to the middle first, or the nearest of all.
//!
//! What is asked about is a box in the axes of the mesh and a ball about a point in it, in single precision with its errors allowed for: six
//! differences for four children. A plane that is known to have all of it on one side passes over most of what is on the other. Its box in
//! its own axes is turned to the boxes of the tree as well, if that is cheap, or once a search goes on: what is long and lies aslant has a
//! large box here.

use super::boxes::{SeparatingPlane, by_axis};
use super::walk::for_each_bit;
use crate::math::{Aabb, Frame};
use crate::tree::{WIDE_LEVELS, WIDTH, WideNode, WideView};
use arrayvec::ArrayVec;
use fearless_simd::Simd;
use glam::DVec3;
use std::ops::ControlFlow;
use wide::f32x4;

/// A search of more steps goes on in the axes of both.
const FEW_STEPS: usize = 12;

/// What is so many times as far as both reach is not seen well in single precision.
const FAR: f64 = 256.0;

/// What leaves are looked for around, in the frame of the mesh.
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

/// A search for what is closest among the triangles of a mesh.
pub(crate) trait NearSearch {
    /// Nothing that is farther is of interest.
    fn enough(&self) -> f64;

    /// A plane above whose height all of it is.
    fn plane(&self) -> Option<SeparatingPlane>;

    /// Is nothing of interest any more?
    fn is_over(&self) -> bool;

    /// All that was passed over is at least that far.
    fn pass(&mut self, lower: f64);

    /// Looks at the triangles of a leaf.
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

/// A plane that has everything that is asked about on one side, relative to the middle and in the unit of a tree.
struct OnePlane {
    normal: [f32x4; 3],
    spread: [f32x4; 3],
    /// What is below is apart.
    height: f32x4,
}

/// What is asked about in the unit of a tree: the middle, how far it reaches from there, and what single precision may do to a difference.
struct PlacedShape {
    middle: [f32x4; 3],
    low: [f32x4; 3],
    high: [f32x4; 3],
    slack: f64,
}

/// A node, or a leaf of so many items, and the square of how far its box is, from the middle or from all of it.
#[derive(Clone, Copy)]
struct OpenNode {
    first: u32,
    count: u8,
    square: f32,
}

/// In units of a tree, sizes that single precision can add up and multiply by what is in a tree.
const MOST_UNITS: f64 = 1e30;

impl Around<'_> {
    #[inline(always)]
    fn placed(&self, view: &WideView<'_>) -> PlacedShape {
        let at = (self.middle - view.origin) / view.unit;
        let (low, high) = ((self.middle - self.bounds.min) / view.unit, (self.bounds.max - self.middle) / view.unit);
        let size = at.abs().max_element() + f64::from(view.radius) + low.max(high).max_element();
        // Beyond single precision nothing is told apart.
        if !(size < MOST_UNITS) {
            let all = lanes(DVec3::INFINITY);
            return PlacedShape { middle: lanes(DVec3::ZERO), low: all, high: all, slack: f64::INFINITY };
        }
        // Eight roundings to single precision of what goes in; in doubles the differences are off by an ε of coordinates.
        let coordinates = self.middle.abs().max_element() + view.origin.abs().max_element();
        let slack = 8.0 * f64::from(f32::EPSILON) * size + 8.0 * f64::EPSILON * coordinates / view.unit;
        PlacedShape { middle: lanes(at), low: lanes(low + slack), high: lanes(high + slack), slack }
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
        let PlacedShape { middle, low, high, slack } = self.placed(view);
        let radius = (self.radius / view.unit + slack) * (1.0 + 1e-6);
        let worst = f32x4::splat(((radius * radius) as f32).next_up());
        let mut own_box = Some(own_box);
        let mut own: Option<OwnBox> = None;
        let mut plane: Option<OnePlane> = None;
        let mut stack = ArrayVec::<OpenNode, { WIDE_LEVELS * (WIDTH - 1) + 1 }>::new();
        stack.push(OpenNode { first: 0, count: 0, square: 0.0 });
        // Of a box the axes are at hand, but at the root they tell little.
        let mut steps = if is_box { FEW_STEPS - 1 } else { 0 };
        while let Some(OpenNode { first, count, .. }) = stack.pop() {
            if count > 0 {
                if let Some(found) = visit(&view.items[first as usize..first as usize + usize::from(count)])? {
                    plane = self.plane(&found, view, slack);
                }
                continue;
            }
            steps += 1;
            if steps > FEW_STEPS
                && let Some(own_box) = own_box.take()
            {
                own = Some(self.own(&own_box(), view, slack));
            }
            let node = &view.nodes[first as usize];
            let [half_x, half_y, half_z] = by_axis(|k| f32x4::new(node.half[k]));
            let [x, y, z] = by_axis(|k| f32x4::new(node.center[k]) - middle[k]);
            let beside = |x: f32x4, half: f32x4, k: usize| (x - high[k]).fast_max(f32x4::ZERO - x - low[k]) - half;
            let most = beside(x, half_x, 0).fast_max(beside(y, half_y, 1)).fast_max(beside(z, half_z, 2));
            let gap = |x: f32x4, half: f32x4| (x.abs() - half).fast_max(f32x4::ZERO);
            let (gap_x, gap_y, gap_z) = (gap(x, half_x), gap(y, half_y), gap(z, half_z));
            let squares = gap_x * gap_x + gap_y * gap_y + gap_z * gap_z;
            let mut is_far = most.simd_gt(f32x4::ZERO) | squares.simd_gt(worst);
            if let Some(OnePlane { normal, spread, height }) = &plane {
                let top = normal[0] * x + normal[1] * y + normal[2] * z;
                let reach = spread[0] * half_x + spread[1] * half_y + spread[2] * half_z;
                is_far |= (top + reach).simd_lt(*height);
            }
            if let Some(own) = &own {
                let [x, y, z] = own.gaps(node);
                is_far |= x.fast_max(y).fast_max(z).simd_gt(f32x4::ZERO);
            }
            push_nearest_last(&mut stack, node, !is_far.to_bitmask() & node.lanes(), squares.to_array());
        }
        ControlFlow::Continue(())
    }

    /// Is the mesh close enough for [`closest`](Self::closest), compared with how far both reach?
    pub fn is_near(&self, view: &WideView<'_>) -> bool {
        let reach = self.radius / view.unit + f64::from(view.radius);
        ((self.middle - view.origin) / view.unit).abs().max_element() <= FAR * reach
    }

    /// Walks all leaves that may be closer to it than is enough, the closest boxes first.
    #[inline(always)]
    pub fn closest<S: Simd>(&self, simd: S, view: &WideView<'_>, own_box: &Aabb, search: &mut impl NearSearch) {
        if view.nodes.is_empty() {
            return;
        }
        let placed @ PlacedShape { slack, .. } = &self.placed(view);
        let own = self.own(own_box, view, *slack);
        let worst_of = |enough: f64| (((enough / view.unit) * (enough / view.unit)) as f32).next_up();
        let mut enough = search.enough();
        let mut worst = worst_of(enough);
        let mut plane = search.plane().and_then(|plane| self.plane(&plane, view, *slack));
        // The closest that was passed over.
        let mut passed = f32x4::splat(f32::INFINITY);
        let mut stack = ArrayVec::<OpenNode, { WIDE_LEVELS * (WIDTH - 1) + 1 }>::new();
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
                if search.enough() != enough {
                    enough = search.enough();
                    worst = worst_of(enough);
                    plane = search.plane().and_then(|plane| self.plane(&plane, view, *slack));
                }
                continue;
            }
            let node = &view.nodes[first as usize];
            let squares = placed.squares(node, &own, plane.as_ref());
            let is_far = squares.simd_gt(f32x4::splat(worst));
            // What is not there is no number, or as far as can be.
            passed = passed.fast_min(is_far.select(squares, f32x4::splat(f32::INFINITY)));
            push_nearest_last(&mut stack, node, !is_far.to_bitmask() & node.lanes(), squares.to_array());
        }
        let passed = passed.to_array().into_iter().fold(f32::INFINITY, f32::min);
        if passed < f32::INFINITY {
            // A root rounds by an ε; the product with a power of two does not.
            search.pass(f64::from(passed).sqrt() * (1.0 - 1e-15) * view.unit);
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

impl PlacedShape {
    /// The squares of lower bounds of how far the boxes of a node are: along the axes of the tree, its own, and the normal of the plane.
    #[inline(always)]
    fn squares(&self, node: &WideNode, own: &OwnBox, plane: Option<&OnePlane>) -> f32x4 {
        let Self { middle, low, high, .. } = self;
        let half = by_axis(|k| f32x4::new(node.half[k]));
        let between = by_axis(|k| f32x4::new(node.center[k]) - middle[k]);
        let square = |gaps: [f32x4; 3]| {
            let [x, y, z] = by_axis(|k| gaps[k].fast_max(f32x4::ZERO));
            x * x + y * y + z * z
        };
        let beside = |k: usize| (between[k] - high[k]).fast_max(f32x4::ZERO - between[k] - low[k]) - half[k];
        let mut most = square(by_axis(beside)).fast_max(square(own.gaps(node)));
        if let Some(OnePlane { normal, spread, height }) = plane {
            let top = normal[0] * between[0] + normal[1] * between[1] + normal[2] * between[2];
            let reach = spread[0] * half[0] + spread[1] * half[1] + spread[2] * half[2];
            let along = (*height - top - reach).fast_max(f32x4::ZERO);
            most = most.fast_max(along * along);
        }
        // The squares and sums round by 2^-22 together. What is too large for a square is at least as far as the largest of them.
        (most * f32x4::splat(1.0 - 1e-6)).fast_min(f32x4::splat(f32::MAX))
    }
}

#[inline(always)]
fn lanes(v: DVec3) -> [f32x4; 3] {
    by_axis(|k| f32x4::splat(v[k] as f32))
}

/// Puts children of a node on the stack, the nearest last, so that it is looked at first.
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
