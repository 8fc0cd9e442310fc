//! The traversal of one wide tree along a ray: four boxes at a time in single precision, the nearest first.
//!
//! **Invariants.** (1) Boxes and times are padded by more than single precision rounds: every leaf whose boxes the ray meets before the limit is visited. (2) Leaves are visited in the order in
//! which the ray enters their boxes, to rounding.

use super::wide::{MOST_LEVELS, WideNode};
use super::{WIDTH, WideView};
use arrayvec::ArrayVec;
use glam::DVec3;
use wide::f32x4;

/// A ray in the frame of a tree: the points `point + (start + t) along` for t ≥ 0.
pub(crate) struct TreeRay {
    pub point: DVec3,
    pub along: DVec3,
    pub start: f64,
    /// Bound on the error of a point of the ray.
    pub error: f64,
}

/// Relative error of a time in single precision. Bound: five roundings of 2^-24 are 3e-7.
const OF_TIMES: f32 = 1e-6;

/// Error of a place in single precision, relative to coordinates and the size of the tree. Bound: four roundings of 2^-24 are 2.4e-7.
const OF_PLACES: f64 = 1e-6;

/// Slopes along an axis count as at least this. Bound: its inverse times a coordinate below 1e18 units is finite in `f32`.
const SMALLEST_SLOPE: f64 = 1e-20;

/// Times in units of the tree are clamped to this. Bound: below the largest `f32`, 3.4e38, by more than a product with a slope error.
const LARGEST_TIME: f64 = 1e30;

/// The stack holds all but one child of each level, and the children of the last. Layout: from the depth of a tree.
const STACK: usize = MOST_LEVELS * (WIDTH - 1) + WIDTH;

/// Visits the leaves whose boxes a ray may meet until t = `max`, the nearest first. Each visit returns the upper bound of the first hit so far, behind which nothing is
/// visited.
pub(crate) fn along_ray(view: &WideView<'_>, ray: &TreeRay, max: f64, mut visit: impl FnMut(&[u32]) -> f64) {
    let Some(root) = view.nodes.first() else { return };
    let unit = view.unit;
    // In the unit of the tree, from its middle.
    let from = (ray.point - view.origin) / unit;
    let pad = (OF_PLACES * (from.abs().max_element() + f64::from(view.radius)) + 2.0 * ray.error / unit) as f32;
    let slope = |u: f64| {
        let small = if u.abs() < SMALLEST_SLOPE { SMALLEST_SLOPE.copysign(u) } else { u };
        (1.0 / small) as f32
    };
    let axes = [0, 1, 2].map(|axis| AxisRay {
        from: f32x4::splat(from[axis] as f32),
        inverse: f32x4::splat(slope(ray.along[axis])),
        sign: f32x4::splat(1.0_f32.copysign(ray.along[axis] as f32)),
        pad: f32x4::splat(pad),
    });
    let time = |t: f64| ((ray.start + t) / unit).clamp(-LARGEST_TIME, LARGEST_TIME) as f32;
    let begin = time(0.0);
    let begin = begin - OF_TIMES * begin.abs();
    let until = |upper: f64| {
        let end = time(upper.min(max));
        end + OF_TIMES * end.abs()
    };
    let mut end = until(f64::INFINITY);
    let mut stack = ArrayVec::<(u32, u8, f32), STACK>::new();
    let open = |node: &WideNode, end: f32, stack: &mut ArrayVec<(u32, u8, f32), STACK>| {
        let [near, far] = times(node, &axes).map(f32x4::to_array);
        let base = stack.len();
        for lane in 0..WIDTH {
            if near[lane] <= far[lane] && far[lane] >= begin && near[lane] <= end {
                // Kept in order, the nearest last.
                let entry = (node.first[lane], node.count[lane], near[lane]);
                let place = stack[base..].iter().position(|other| other.2 < entry.2).map_or(stack.len(), |i| base + i);
                stack.insert(place, entry);
            }
        }
    };
    open(root, end, &mut stack);
    while let Some((place, count, near)) = stack.pop() {
        if near > end {
            continue;
        }
        if count == 0 {
            open(&view.nodes[place as usize], end, &mut stack);
            continue;
        }
        end = until(visit(&view.items[place as usize..place as usize + usize::from(count)]));
    }
}

/// A ray along one axis, four times.
#[derive(Clone, Copy)]
struct AxisRay {
    from: f32x4,
    inverse: f32x4,
    sign: f32x4,
    pad: f32x4,
}

/// The times at which the ray enters and leaves the four boxes of a node. An absent child is left before it is entered.
#[inline(always)]
fn times(node: &WideNode, axes: &[AxisRay; 3]) -> [f32x4; 2] {
    let ends = [0, 1, 2].map(|k| {
        let AxisRay { from, inverse, sign, pad } = axes[k];
        let (center, half) = (f32x4::new(node.center[k]) - from, (f32x4::new(node.half[k]) + pad) * sign);
        [(center - half) * inverse, (center + half) * inverse]
    });
    let near = ends[0][0].max(ends[1][0]).max(ends[2][0]);
    let far = ends[0][1].min(ends[1][1]).min(ends[2][1]);
    let (less, more) = (f32x4::splat(1.0 - OF_TIMES), f32x4::splat(1.0 + OF_TIMES));
    [(near * less).min(near * more), (far * less).max(far * more)]
}
