//! Lower bounds of pairs of boxes of two wide trees, four at a time, in single precision with its errors allowed for.
//!
//! A box of B is rotated into the axes of A. Along the axes of either frame, boxes are apart by no less than their middles, less the half extents
//! (`gap.rs` does the same in doubles). Everything is in one unit, that of the larger tree, so that nothing overflows.

use super::wide::WideNode;
use super::{WIDTH, WideView};
use crate::math::Frame;
use crate::tuning::meshes as tuning;
use glam::DVec3;
use wide::f32x4;

/// One for each axis, or corner. (The `map` of arrays is not always a part of its caller, which these loops are slow without.)
#[inline(always)]
pub(crate) fn by_axis<T>(one: impl Fn(usize) -> T) -> [T; 3] {
    [one(0), one(1), one(2)]
}

/// Middles and half extents of up to four boxes, by axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Boxes4 {
    pub center: [f32x4; 3],
    pub half: [f32x4; 3],
}

impl Boxes4 {
    /// The children of a node, in the common unit.
    #[inline(always)]
    pub fn of(node: &WideNode, scale: f32) -> Self {
        let lanes = |of: &[f32; WIDTH]| f32x4::new(*of) * f32x4::splat(scale);
        Self { center: by_axis(|k| lanes(&node.center[k])), half: by_axis(|k| lanes(&node.half[k])) }
    }

    /// One of them, four times.
    #[inline(always)]
    pub fn only(&self, lane: usize) -> Self {
        let same = |of: f32x4| f32x4::splat(of.to_array()[lane]);
        Self { center: by_axis(|k| same(self.center[k])), half: by_axis(|k| same(self.half[k])) }
    }
}

/// How the boxes of B lie in those of A.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxFrames {
    /// The rows of the rotation from B to A, and their absolute values.
    rotation: [[f32x4; 3]; 3],
    spread: [[f32x4; 3]; 3],
    /// From the middle of A's tree to that of B's, in the axes of A.
    shift: [f32x4; 3],
    /// From the units of the trees to the common one.
    pub scales: [f32; 2],
    /// The common unit.
    pub unit: f64,
    /// How far the middles are apart, if that is far.
    pub apart: Option<f64>,
    /// Rounding error of a gap in single precision.
    slack: f32x4,
    /// The way from middle to middle, for meshes that are far apart.
    way: Way,
    /// From middle to middle, in the unit and the axes of A.
    between: DVec3,
    /// A direction in the axes of A and of B, and how far the middles are apart along it.
    normal: Option<([f32x4; 3], [f32x4; 3], f32x4)>,
}

/// A unit vector from A to B in the axes of both, along which boxes are compared. The distance of the middles along it is left out and
/// kept in doubles, so that single precision is spent on what differs from pair to pair.
#[derive(Debug, Clone, Copy)]
struct Way {
    in_a: [f32x4; 3],
    in_b: [f32x4; 3],
    slack: f32x4,
}

impl BoxFrames {
    pub fn new(a: &WideView<'_>, b: &WideView<'_>, b_in_a: &Frame) -> Self {
        let unit = a.unit.max(b.unit);
        let r = b_in_a.rotation;
        let shift = (b_in_a.point(b.origin) - a.origin) / unit;
        let scales = [(a.unit / unit) as f32, (b.unit / unit) as f32];
        let row = |k: usize| [r.x_axis[k], r.y_axis[k], r.z_axis[k]].map(|x| f32x4::splat(x as f32));
        let rotation = [row(0), row(1), row(2)];
        let spread = rotation.map(|row| row.map(f32x4::abs));
        let size = shift.abs().element_sum() as f32 + 3.0 * (scales[0] * a.radius + scales[1] * b.radius);
        // Each of a dozen roundings is at most 2^-24 of the largest number in a gap; the rotation, the shift and the middles are rounded to
        // single precision too. Thirty-two of them, of everything that is added up.
        let slack = f32x4::splat(32.0 * 0.5 * f32::EPSILON * size + f32::MIN_POSITIVE);
        debug_assert!(!(size < 0.0), "a size of {size}");
        let sizes = scales[0] * a.radius + scales[1] * b.radius;
        let length = shift.length();
        let is_far = length > tuning::FAR_MESH * f64::from(sizes);
        let n = if is_far { shift / length } else { DVec3::ZERO };
        let lanes = |v: DVec3| by_axis(|k| f32x4::splat(v[k] as f32));
        let way = Way {
            // The same 32 roundings of 2^-24, of the three products of a height.
            in_a: lanes(n),
            in_b: lanes(b_in_a.direction_in_b(n)),
            slack: f32x4::splat(32.0 * 0.5 * f32::EPSILON * 3.0 * sizes + f32::MIN_POSITIVE),
        };
        // The middles are as far apart along the rounded vector as this says, but for an ε of the length; the vector is too long by one.
        let apart = is_far.then_some(length * (1.0 - 8.0 * f64::EPSILON));
        Self { rotation, spread, shift: lanes(shift), scales, unit, slack, way, apart, between: shift, normal: None }
    }

    /// From the middle of A's tree to that of B's, in the common unit and the axes of A.
    pub fn between(&self) -> DVec3 {
        self.between
    }

    /// Rounding error of a gap in single precision.
    pub fn slack(&self) -> f32 {
        self.slack.to_array()[0]
    }

    /// Lower bounds of how much farther than the middles four pairs are apart along the way, for meshes that are far apart.
    #[inline(always)]
    pub fn along_way(&self, a: &Boxes4, b: &Boxes4) -> f32x4 {
        let Way { in_a, in_b, slack } = &self.way;
        between_boxes(in_a, in_b, a, b) - *slack
    }

    /// Boxes of B in the axes of A: middles relative to that of A's tree, and how far they reach along each axis.
    #[inline(always)]
    pub fn turned(&self, b: &Boxes4) -> TurnedBoxes {
        let along = |rows: &[[f32x4; 3]; 3], v: &[f32x4; 3]| {
            by_axis(|k| rows[k][0] * v[0] + rows[k][1] * v[1] + rows[k][2] * v[2])
        };
        let turned = along(&self.rotation, &b.center);
        let center = by_axis(|k| turned[k] + self.shift[k]);
        TurnedBoxes { center, reach: along(&self.spread, &b.half), half: b.half }
    }

    /// The gaps of four pairs along the axes of A and of B: positive where they are apart.
    #[inline(always)]
    fn gaps(&self, a: &Boxes4, b: &TurnedBoxes) -> [[f32x4; 3]; 2] {
        let between = by_axis(|k| b.center[k] - a.center[k]);
        let of_a = by_axis(|k| between[k].abs() - a.half[k] - b.reach[k] - self.slack);
        let of_b = by_axis(|k| {
            let column =
                |rows: &[[f32x4; 3]; 3], v: &[f32x4; 3]| rows[0][k] * v[0] + rows[1][k] * v[1] + rows[2][k] * v[2];
            column(&self.rotation, &between).abs() - b.half[k] - column(&self.spread, &a.half) - self.slack
        });
        [of_a, of_b]
    }

    /// The largest gaps of four pairs along any axis: those that may share a point have none above zero.
    #[inline(always)]
    pub fn largest_gaps(&self, a: &Boxes4, b: &TurnedBoxes) -> f32x4 {
        let [of_a, of_b] = self.gaps(a, b);
        let most = |of: [f32x4; 3]| of[0].fast_max(of[1]).fast_max(of[2]);
        most(of_a).fast_max(most(of_b))
    }

    /// A direction of A along which boxes are compared too: the normal of what is closest so far, along which most of the rest is at
    /// least as far.
    pub fn compare_along(&mut self, plane: &SeparatingPlane, b_in_a: &Frame, origin: DVec3) {
        let lanes = |v: DVec3| by_axis(|k| f32x4::splat(v[k] as f32));
        let normal = plane.normal;
        let (in_b, offset) = match plane.height {
            None => (b_in_a.direction_in_b(normal), self.between.dot(normal)),
            // All of B is above that height: its boxes do not matter.
            Some(height) => (DVec3::ZERO, (height - normal.dot(origin)) / self.unit),
        };
        self.normal = Some((lanes(normal), lanes(in_b), f32x4::splat(offset as f32)));
    }

    /// Lower bounds along the direction that was given; what single precision does is allowed for.
    #[inline(always)]
    fn along_normal(&self, a: &Boxes4, b: &Boxes4) -> f32x4 {
        let Some((in_a, in_b, offset)) = &self.normal else { return f32x4::ZERO };
        offset + between_boxes(in_a, in_b, a, b) - self.slack
    }

    /// The squares of lower bounds of the distances of four pairs.
    #[inline(always)]
    pub fn least_squares(&self, a: &Boxes4, boxes_b: &Boxes4, b: &TurnedBoxes) -> f32x4 {
        let square = |gaps: [f32x4; 3]| {
            let [x, y, z] = by_axis(|k| gaps[k].fast_max(f32x4::ZERO));
            x * x + y * y + z * z
        };
        let [of_a, of_b] = self.gaps(a, b);
        // The squares and sums round by 2^-22 together.
        let along = self.along_normal(a, boxes_b).fast_max(f32x4::ZERO);
        // The squares and sums round by 2^-22 together, which is less than 1e-6.
        square(of_a).fast_max(square(of_b)).fast_max(along * along) * f32x4::splat(1.0 - 1e-6)
    }
}

/// By how much more than their middles four pairs of boxes are apart along a vector, given in the axes of both.
#[inline(always)]
fn between_boxes(in_a: &[f32x4; 3], in_b: &[f32x4; 3], a: &Boxes4, b: &Boxes4) -> f32x4 {
    let dot = |u: &[f32x4; 3], v: &[f32x4; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let reach = |u: &[f32x4; 3], v: &[f32x4; 3]| dot(&by_axis(|k| u[k].abs()), v);
    dot(in_b, &b.center) - dot(in_a, &a.center) - reach(in_a, &a.half) - reach(in_b, &b.half)
}

/// Between two surfaces, in the frame of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeparatingPlane {
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// All of B is at least that high along it, if that is known to rounding.
    pub height: Option<f64>,
}

/// Boxes of B in the axes of A.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnedBoxes {
    center: [f32x4; 3],
    reach: [f32x4; 3],
    half: [f32x4; 3],
}
