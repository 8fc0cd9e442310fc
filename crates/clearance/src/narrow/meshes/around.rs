//! The triangles of a mesh around something small: one tree, four boxes at a time, the nearest to the middle first.
//!
//! What is asked about is a box in the axes of the mesh and a ball about a point in it, in single precision with its errors allowed for: six
//! differences for four children. A plane that is known to have all of it on one side passes over most of what is on the other. Only a
//! search that goes on turns the boxes into the axes of what it is about as well: what is long and lies aslant has a large box here.

use super::boxes::{SeparatingPlane, by_axis};
use crate::math::{Aabb, Frame};
use crate::tree::{WIDE_LEVELS, WIDTH, WideNode, WideView};
use arrayvec::ArrayVec;
use glam::DVec3;
use std::ops::ControlFlow;
use wide::f32x4;

/// A search of more steps goes on in the axes of both.
const FEW_STEPS: usize = 12;

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

/// A node, or a leaf of so many items, and the square of how far its box is from the middle.
#[derive(Clone, Copy)]
struct OpenNode {
    first: u32,
    count: u8,
    square: f32,
}

impl Around<'_> {
    /// Visits all leaves whose boxes may share a point with it, until one says to stop; or one has a plane, above whose height all of it is.
    /// `own_box` is its box in its own frame.
    #[inline(always)]
    pub fn leaves(
        &self,
        view: &WideView<'_>,
        own_box: impl FnOnce() -> Aabb,
        mut visit: impl FnMut(&[u32]) -> ControlFlow<(), Option<SeparatingPlane>>,
    ) -> ControlFlow<()> {
        if view.nodes.is_empty() {
            return ControlFlow::Continue(());
        }
        let at = (self.middle - view.origin) / view.unit;
        let (low, high) = ((self.middle - self.bounds.min) / view.unit, (self.bounds.max - self.middle) / view.unit);
        let size = at.abs().max_element() + f64::from(view.radius) + low.max(high).max_element();
        // Eight roundings to single precision of what goes in; in doubles the differences are off by an ε of coordinates.
        let coordinates = self.middle.abs().max_element() + view.origin.abs().max_element();
        let slack = 8.0 * f64::from(f32::EPSILON) * size + 8.0 * f64::EPSILON * coordinates / view.unit;
        let lanes = |v: DVec3| by_axis(|k| f32x4::splat(v[k] as f32));
        let (middle, low, high) = (lanes(at), lanes(low + slack), lanes(high + slack));
        let radius = (self.radius / view.unit + slack) * (1.0 + 1e-6);
        let worst = f32x4::splat(((radius * radius) as f32).next_up());
        let mut own_box = Some(own_box);
        let mut own: Option<OwnBox> = None;
        let mut plane: Option<OnePlane> = None;
        let mut stack = ArrayVec::<OpenNode, { WIDE_LEVELS * (WIDTH - 1) + 1 }>::new();
        stack.push(OpenNode { first: 0, count: 0, square: 0.0 });
        let mut steps = 0;
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
                is_far |= own.are_beside(node);
            }
            let squares = squares.to_array();
            // The closest last, so that it is looked at first.
            let from = stack.len();
            super::walk::for_each_bit(!is_far.to_bitmask() & node.lanes(), |lane| {
                stack.push(OpenNode { first: node.first[lane], count: node.count[lane], square: squares[lane] });
                let mut k = stack.len() - 1;
                while k > from && stack[k - 1].square < stack[k].square {
                    stack.swap(k - 1, k);
                    k -= 1;
                }
            });
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn plane(&self, plane: &SeparatingPlane, view: &WideView<'_>, slack: f64) -> Option<OnePlane> {
        let normal = by_axis(|k| f32x4::splat(plane.normal[k] as f32));
        // Three products and sums for each of two terms.
        let height = (plane.height? - plane.normal.dot(self.middle)) / view.unit - 8.0 * slack;
        Some(OnePlane { normal, spread: by_axis(|k| normal[k].abs()), height: f32x4::splat(height as f32) })
    }

    /// Its box in its own frame.
    #[cold]
    fn own(&self, bounds: &Aabb, view: &WideView<'_>, slack: f64) -> OwnBox {
        let r = self.frame.rotation;
        let axes = [r.x_axis, r.y_axis, r.z_axis].map(|axis| by_axis(|k| f32x4::splat(axis[k] as f32)));
        let spread = axes.map(|axis| axis.map(f32x4::abs));
        let middle = (self.frame.point(bounds.center()) - view.origin) / view.unit;
        // Three products and sums for each of the two terms.
        let reach = 0.5 * (bounds.max - bounds.min) / view.unit + 8.0 * slack;
        let lanes = |v: DVec3| by_axis(|k| f32x4::splat(v[k] as f32));
        OwnBox { axes, spread, middle: lanes(middle), reach: lanes(reach) }
    }
}

impl OwnBox {
    /// Which of four boxes are beside it along one of its axes?
    #[inline(always)]
    fn are_beside(&self, node: &WideNode) -> f32x4 {
        let between = by_axis(|k| f32x4::new(node.center[k]) - self.middle[k]);
        let half = by_axis(|k| f32x4::new(node.half[k]));
        let dot = |u: &[f32x4; 3], v: &[f32x4; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        let [x, y, z] = by_axis(|k| dot(&self.axes[k], &between).abs() - self.reach[k] - dot(&self.spread[k], &half));
        x.fast_max(y).fast_max(z).simd_gt(f32x4::ZERO)
    }
}
