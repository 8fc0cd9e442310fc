//! Active entries of a kept front, eight at a time: how a motion changes their bounds, and bounds along new directions.
//!
//! **Motion.** Let everything of a pair be apart by s along a vector n no longer than one. When B moves from R x + t to R' x + t', a point x of B moves by n·((R' - R) x + (t' - t)) along n.
//! With m = (R' - R)ᵀ n that is n·(t' - t) + m·x, and at least n·(t' - t) + m·c - |m|·h for all points of
//! a box with the middle c and the half extents h. So s changes by no less. In single
//! precision the error is relative to the motion, not to the bodies.
//!
//! **New directions.** Two boxes are apart along n by n·(b - a) - |n|·h_a - |Rᵀ n|·h_b, with their middles a and b. The normal of the closest triangles is tried
//! first, along which most pairs are as far apart. Entries for which it does not suffice take the best of three: from middle to middle, and across the gap
//! of the boxes along the axes of A and of B. These are doubles, so that it works for bodies that are far from each other too.

use crate::math::Frame;
use crate::tree::{SubTreePair, WideView, by_axis};
use glam::{DMat3, DVec3, Vec3};
use wide::{f32x8, f64x4};

/// Layout: lanes of `f32x8`.
pub(super) const LANES: usize = 8;

/// Entries that are computed with at a time in doubles. Layout: lanes of `f64x4`.
const HALF: usize = LANES / 2;

/// A unit vector times this is no longer than one in single precision. Bound: single precision rounds each coordinate by 2^-24 of it, 6e-8, and so the length.
const SHORTER: f64 = 1.0 - 1e-6;

/// A unit vector as a direction of entries: in single precision, and no longer than one.
pub(super) fn shortened(unit: DVec3) -> Vec3 {
    (unit * SHORTER).as_vec3()
}

/// Eight entries, by lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FrontLanes {
    normal: [[f32; LANES]; 3],
    /// The box of B, middle and half extents, in the frame and the unit of its tree.
    b: [[[f32; LANES]; 3]; 2],
    /// A lower bound of the separation along the normal, for the frames as they are in numbers.
    pub bound: [f64; LANES],
    /// The box of A, likewise in its own tree.
    a: [[[f32; LANES]; 3]; 2],
    pub pairs: [SubTreePair; LANES],
}

impl FrontLanes {
    pub const EMPTY: Self = Self {
        normal: [[0.0; LANES]; 3],
        b: [[[0.0; LANES]; 3]; 2],
        // An absent entry is far.
        bound: [f64::INFINITY; LANES],
        a: [[[0.0; LANES]; 3]; 2],
        pairs: [SubTreePair::ROOTS; LANES],
    };

    /// Puts an entry into a lane; the trees are those of A and B.
    pub fn put(&mut self, lane: usize, entry: &FrontEntry, [a, b]: &[WideView<'_>; 2]) {
        let FrontEntry { pair, normal, bound } = entry;
        let ((middle_a, half_a), (middle_b, half_b)) = (pair.a.own_box(a), pair.b.own_box(b));
        for k in 0..3 {
            self.normal[k][lane] = normal[k];
            (self.a[0][k][lane], self.a[1][k][lane]) = (middle_a[k], half_a[k]);
            (self.b[0][k][lane], self.b[1][k][lane]) = (middle_b[k], half_b[k]);
        }
        (self.bound[lane], self.pairs[lane]) = (*bound, *pair);
    }

    /// Moves an entry from one lane to another.
    #[inline(always)]
    pub fn copy(blocks: &mut [Self], from: usize, to: usize) {
        let ((source, x), (place, y)) = ((from / LANES, from % LANES), (to / LANES, to % LANES));
        for k in 0..3 {
            blocks[place].normal[k][y] = blocks[source].normal[k][x];
            for part in 0..2 {
                blocks[place].a[part][k][y] = blocks[source].a[part][k][x];
                blocks[place].b[part][k][y] = blocks[source].b[part][k][x];
            }
        }
        blocks[place].bound[y] = blocks[source].bound[x];
        blocks[place].pairs[y] = blocks[source].pairs[x];
    }

    /// Moves eight entries.
    #[inline(always)]
    pub fn advance(&mut self, step: &FrontMotion) {
        let [a, b, c, d, e, f, g, h] = step.change(self).map(f64::from);
        let unit = f64x4::splat(step.unit);
        let first = self.bounds(0) + f64x4::new([a, b, c, d]) * unit;
        let second = self.bounds(1) + f64x4::new([e, f, g, h]) * unit;
        let ([a, b, c, d], [e, f, g, h]) = (first.to_array(), second.to_array());
        self.bound = [a, b, c, d, e, f, g, h];
    }

    /// Four bounds, the first or the second.
    #[inline(always)]
    fn bounds(&self, part: usize) -> f64x4 {
        let of = &self.bound[HALF * part..][..HALF];
        f64x4::new([of[0], of[1], of[2], of[3]])
    }

    /// Are four bounds enough?
    #[inline(always)]
    fn half_is_enough(&self, part: usize, enough: f64) -> bool {
        self.bounds(part).simd_ge(f64x4::splat(enough)).all()
    }

    /// Are all bounds enough?
    #[inline(always)]
    pub fn are_enough(&self, enough: f64) -> bool {
        let enough = f64x4::splat(enough);
        (self.bounds(0).simd_ge(enough) & self.bounds(1).simd_ge(enough)).all()
    }

    /// The least of eight bounds; none is NaN.
    #[inline(always)]
    pub fn least(&self) -> f64 {
        let [a, b, c, d] = self.bounds(0).fast_min(self.bounds(1)).to_array();
        a.min(b).min(c.min(d))
    }

    /// Is any bound of an entry more?
    #[inline(always)]
    pub fn is_any_above(&self, bound: f64) -> bool {
        let is_above = |of: f64x4| of.simd_gt(f64x4::splat(bound)) & of.simd_lt(f64x4::splat(f64::INFINITY));
        (is_above(self.bounds(0)) | is_above(self.bounds(1))).any()
    }

    /// Takes four bounds and their directions where they are better.
    #[inline(always)]
    fn offer(&mut self, part: usize, bounds: f64x4, normal: &[[f32; HALF]; 3]) {
        let bounds = bounds.to_array();
        for i in 0..HALF {
            let lane = HALF * part + i;
            if bounds[i] > self.bound[lane] {
                self.bound[lane] = bounds[i];
                for (of, new) in self.normal.iter_mut().zip(normal) {
                    of[lane] = new[i];
                }
            }
        }
    }
}

/// Four lanes in doubles, the first or the second.
#[inline(always)]
fn four(of: &[[f32; LANES]; 3], part: usize) -> [f64x4; 3] {
    let at = |k: usize, i: usize| f64::from(of[k][HALF * part + i]);
    by_axis(|k| f64x4::new([at(k, 0), at(k, 1), at(k, 2), at(k, 3)]))
}

/// A pair of subtrees with its direction and bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrontEntry {
    pub pair: SubTreePair,
    /// No longer than one, in the frame of A.
    pub normal: Vec3,
    /// A lower bound of the separation along it, for the frame of B as it is in numbers.
    pub bound: f64,
}

/// The motion of B from one call to the next, in the unit of its tree.
pub(super) struct FrontMotion {
    /// By column.
    turn: [[f32x8; 3]; 3],
    shift: [f32x8; 3],
    /// The error of an entry in single precision.
    slack: f32x8,
    unit: f64,
    /// No point of B moves farther.
    pub farthest: f64,
}

impl FrontMotion {
    pub fn new(last: &Frame, now: &Frame, b: &WideView<'_>) -> Self {
        let turn = now.rotation - last.rotation;
        let shift = (now.point(b.origin) - last.point(b.origin)) / b.unit;
        let squares = |m: DMat3| m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared();
        // The difference of two rotations by an angle θ stretches all that is across its axis by 2 sin(θ/2), and has a Frobenius norm √2 times
        // that. In numbers either is off by 22 ε at most (`math/rounding.rs`), the difference by twice that, and its Frobenius norm by √3 times
        // as much: 44 (1 + √(3/2)) ε are less than 128.
        let norm = (0.5 * squares(turn)).sqrt() * (1.0 + 1e-6) + 128.0 * f64::EPSILON;
        let column = |m: DVec3| [m.x, m.y, m.z].map(|x| f32x8::splat(x as f32));
        // Each of a dozen roundings is 2^-24 of a product with a vector that is no longer than this; 1e-5 is more than that of all.
        let slack = 1e-5 * (shift.length() + 3.0 * norm * f64::from(b.radius)) + f64::from(f32::MIN_POSITIVE);
        // Beyond single precision no bound holds.
        let slack = if slack < 1e25 { slack } else { f64::INFINITY };
        Self {
            // The length, the product and the sum are off by a few ε, far below 1e-6.
            turn: [column(turn.x_axis), column(turn.y_axis), column(turn.z_axis)],
            shift: column(shift),
            slack: f32x8::splat(slack as f32),
            unit: b.unit,
            farthest: (shift.length() + norm * f64::from(b.radius)) * (1.0 + 1e-6) * b.unit,
        }
    }

    /// Lower bounds of the changes of eight bounds.
    #[inline(always)]
    fn change(&self, block: &FrontLanes) -> [f32; LANES] {
        let n = by_axis(|k| f32x8::new(block.normal[k]));
        let dot = |u: &[f32x8; 3], v: &[f32x8; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        let mut change = dot(&n, &self.shift) - self.slack;
        for k in 0..3 {
            let m = dot(&self.turn[k], &n);
            change += m * f32x8::new(block.b[0][k]) - m.abs() * f32x8::new(block.b[1][k]);
        }
        change.to_array()
    }
}

/// How two trees lie, for bounds along new directions.
pub(super) struct Directions {
    /// The columns of the rotation, its absolute values, and the vector from the middle of A's tree to that of B's.
    columns: [[f64x4; 3]; 3],
    spread: [[f64x4; 3]; 3],
    between: [f64x4; 3],
    /// The units of the trees.
    units: [f64x4; 2],
    /// The rounding error of a bound.
    off: f64x4,
    /// The normal of the closest triangles, if it is known.
    normal: Option<CommonDirection>,
}

/// A direction that is the same for all entries: everything but the terms of their boxes is computed once.
struct CommonDirection {
    normal: [[f32; HALF]; 3],
    apart: f64x4,
    /// In the axes of A and of B, in the units of their trees, and the absolute values.
    in_a: [f64x4; 3],
    in_b: [f64x4; 3],
    reach_a: [f64x4; 3],
    reach_b: [f64x4; 3],
}

#[inline(always)]
fn dot(u: &[f64x4; 3], v: &[f64x4; 3]) -> f64x4 {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
fn abs(v: &[f64x4; 3]) -> [f64x4; 3] {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

#[inline(always)]
fn scaled(v: &[f64x4; 3], by: f64x4) -> [f64x4; 3] {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// A linear combination of three vectors.
#[inline(always)]
fn combined(columns: &[[f64x4; 3]; 3], v: &[f64x4; 3]) -> [f64x4; 3] {
    let at = |k: usize| columns[0][k] * v[0] + columns[1][k] * v[1] + columns[2][k] * v[2];
    [at(0), at(1), at(2)]
}

impl Directions {
    /// `normal` is the unit vector from A to B along which the closest triangles are apart, if it is known. `rounding` is the error of a point in a frame.
    pub fn new(b_in_a: &Frame, [a, b]: &[WideView<'_>; 2], normal: Option<DVec3>, rounding: f64) -> Self {
        let lanes = |v: DVec3| [v.x, v.y, v.z].map(f64x4::splat);
        let r = b_in_a.rotation;
        let between = b_in_a.point(b.origin) - a.origin;
        let normal = normal.map(|unit| {
            let short = shortened(unit);
            let n = short.as_dvec3();
            let in_b = b_in_a.direction_in_b(n);
            CommonDirection {
                normal: [short.x, short.y, short.z].map(|x| [x; HALF]),
                apart: f64x4::splat(n.dot(between)),
                in_a: lanes(n * a.unit),
                in_b: lanes(in_b * b.unit),
                reach_a: lanes((n * a.unit).abs()),
                reach_b: lanes((in_b * b.unit).abs()),
            }
        });
        Self {
            columns: [r.x_axis, r.y_axis, r.z_axis].map(lanes),
            spread: [r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs()].map(lanes),
            between: lanes(between),
            units: [f64x4::splat(a.unit), f64x4::splat(b.unit)],
            // A sum along a vector is at most six times the extents of both and the distance of the middles, and rounds less than ten times by
            // ε/2; this allows 64.
            off: f64x4::splat(2.0 * rounding),
            normal,
        }
    }

    /// Finds new directions for the entries of a block whose bounds are not enough; the work in eighths of a traversal step.
    #[inline(always)]
    pub fn renew(&self, block: &mut FrontLanes, enough: f64) -> usize {
        let mut work = 0;
        for part in 0..2 {
            if !block.half_is_enough(part, enough) {
                work += 2;
                self.along_normal(block, part);
                if !block.half_is_enough(part, enough) {
                    work += 6;
                    self.along_others(block, part);
                }
            }
        }
        work
    }

    /// Four bounds along the normal of the closest triangles, where that is better.
    #[inline(always)]
    fn along_normal(&self, block: &mut FrontLanes, part: usize) {
        let Some(common) = &self.normal else { return };
        let (a, half_a) = (four(&block.a[0], part), four(&block.a[1], part));
        let (b, half_b) = (four(&block.b[0], part), four(&block.b[1], part));
        let middles = common.apart + dot(&common.in_b, &b) - dot(&common.in_a, &a);
        let bounds = middles - dot(&common.reach_a, &half_a) - dot(&common.reach_b, &half_b) - self.off;
        block.offer(part, bounds, &common.normal);
    }

    /// Four bounds along the best of three directions of their own, where that is better.
    #[inline(always)]
    fn along_others(&self, block: &mut FrontLanes, part: usize) {
        let in_unit = |of: &[[f32; LANES]; 3], unit: f64x4| scaled(&four(of, part), unit);
        let (a, half_a) = (in_unit(&block.a[0], self.units[0]), in_unit(&block.a[1], self.units[0]));
        let (b, half_b) = (in_unit(&block.b[0], self.units[1]), in_unit(&block.b[1], self.units[1]));
        let turned = combined(&self.columns, &b);
        let way = by_axis(|k| turned[k] + self.between[k] - a[k]);
        let in_b = |v: &[f64x4; 3]| by_axis(|k| dot(&self.columns[k], v));
        let way_in_b = in_b(&way);
        let spread_b = combined(&self.spread, &half_b);
        let spread_a = by_axis(|k| dot(&self.spread[k], &half_a));
        // The part of the vector between the middles that is gap, along each axis.
        let gap = |way: f64x4, reach: f64x4| {
            let size = (way.abs() - reach).fast_max(f64x4::ZERO);
            way.simd_lt(f64x4::ZERO).bitselect(f64x4::ZERO - size, size)
        };
        let of_a = by_axis(|k| gap(way[k], half_a[k] + spread_b[k]));
        let of_b = by_axis(|k| gap(way_in_b[k], half_b[k] + spread_a[k]));
        let (square_a, square_b, square) = (dot(&of_a, &of_a), dot(&of_b, &of_b), dot(&way, &way));
        // The choice need not be safe: the bound along the chosen direction is.
        let tiny = f64x4::splat(f64::MIN_POSITIVE);
        let length = square.fast_max(tiny).sqrt();
        let along_way = length - (dot(&abs(&way), &half_a) + dot(&abs(&way_in_b), &half_b)) / length;
        let longest = square_a.fast_max(square_b).sqrt();
        let of_b = combined(&self.columns, &of_b);
        let is_a = square_a.simd_ge(square_b);
        let across = by_axis(|k| is_a.bitselect(of_a[k], of_b[k]));
        let is_across = longest.simd_ge(along_way);
        let vector = by_axis(|k| is_across.bitselect(across[k], way[k]));
        let factor = f64x4::splat(SHORTER) / dot(&vector, &vector).fast_max(tiny).sqrt();
        let vector = scaled(&vector, factor);
        let normal = by_axis(|k| {
            let [x, y, z, w] = vector[k].to_array();
            [x as f32, y as f32, z as f32, w as f32]
        });
        let n = by_axis(|k| {
            let [x, y, z, w] = normal[k];
            f64x4::new([f64::from(x), f64::from(y), f64::from(z), f64::from(w)])
        });
        let bounds = dot(&n, &way) - dot(&abs(&n), &half_a) - dot(&abs(&in_b(&n)), &half_b) - self.off;
        block.offer(part, bounds, &normal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use fastrand::Rng;
    use glam::DQuat;

    /// No point of an entry goes farther back along its normal than the bound does, for steps of any size; and bounds follow them closely.
    #[test]
    fn bounds_follow_every_point_of_an_entry() {
        let mut rng = Rng::with_seed(95);
        let mut close = 0;
        for round in 0..4000 {
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let size = [1.0, 1e-12, 1e20][round % 3];
            let step = [1.0, 1e-3, 1e-9][round / 3 % 3];
            let (unit, origin) = (size, vector(3.0 * size));
            let view = WideView { nodes: &[], items: &[], heights: &[], origin, unit, radius: 2.0 };
            let last = Pose::new(vector(5.0 * size), DQuat::from_scaled_axis(vector(3.0)));
            let turn = DQuat::from_scaled_axis(vector(step)) * last.rotation();
            let now = Pose::new(last.translation() + vector(step * size), turn);
            let [last, now] = [last, now].map(Frame::from);
            let mut block = FrontLanes::EMPTY;
            let (middle, radius) = (vector(1.0).as_vec3(), [0.0, 1e-3, 0.3][round / 9 % 3]);
            let half = vector(radius).abs().as_vec3();
            let normal = (vector(1.0).normalize() * (1.0 - 1e-6)).as_vec3();
            for k in 0..3 {
                (block.normal[k], block.b[0][k]) = ([normal[k]; LANES], [middle[k]; LANES]);
                block.b[1][k] = [half[k]; LANES];
            }
            let change = f64::from(FrontMotion::new(&last, &now, &view).change(&block)[round % LANES]) * unit;
            // Error of the numbers of both frames.
            let rounding = 1e-14 * size * 20.0;
            for _ in 0..20 {
                let corner = half.as_dvec3() * vector(1.0).signum();
                let point = origin + (middle.as_dvec3() + corner) * unit;
                let moved = normal.as_dvec3().dot(now.point(point) - last.point(point));
                assert!(change <= moved + rounding, "{change} {moved}");
                close += usize::from(change > moved - 3.0 * step * size * (radius + 1e-4) - rounding);
            }
        }
        assert!(close > 60_000, "{close}");
    }

    /// Along the directions that are found boxes are apart by their bounds, by their corners, at any size and however far. The vectors are
    /// no longer than one. Boxes that are clearly apart have a positive bound.
    #[test]
    fn bounds_along_new_directions_hold_and_tell() {
        let mut rng = Rng::with_seed(97);
        let (mut apart, mut seen) = (0, 0);
        for round in 0..4000 {
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let size = [1.0, 1e-12, 1e20][round % 3];
            let far = [0.5, 3.0, 1e3, 1e6][round / 3 % 4];
            // Units differ by powers of two.
            let (units, origins) = ([size, size * [1.0, 0.125, 8.0][round % 3]], [vector(size), vector(size)]);
            let view = |k: usize| WideView {
                nodes: &[],
                items: &[],
                heights: &[],
                origin: origins[k],
                unit: units[k],
                radius: 2.0,
            };
            let views = [view(0), view(1)];
            let frame = Frame::from(Pose::new(vector(far * size), DQuat::from_scaled_axis(vector(3.0))));
            let rounding = 32.0 * f64::EPSILON * (10.0 * size + frame.translation.length());
            let normal = (round % 4 > 0).then(|| match round % 2 {
                0 => vector(1.0).normalize(),
                _ => frame.translation.normalize(),
            });
            let mut block = FrontLanes { bound: [f64::NEG_INFINITY; LANES], ..FrontLanes::EMPTY };
            for lane in 0..LANES {
                for k in 0..3 {
                    (block.a[0][k][lane], block.b[0][k][lane]) = (vector(1.0).x as f32, vector(1.0).x as f32);
                    (block.a[1][k][lane], block.b[1][k][lane]) =
                        (vector(0.3).x.abs() as f32, vector(0.3).x.abs() as f32);
                }
            }
            Directions::new(&frame, &views, normal, rounding).renew(&mut block, f64::INFINITY);
            for lane in 0..LANES {
                let of = |of: &[[f32; LANES]; 3]| DVec3::from_array([0, 1, 2].map(|k| f64::from(of[k][lane])));
                let n = of(&block.normal);
                assert!(n.length() <= 1.0 && block.bound[lane].is_finite());
                let corners = |of_box: &[[[f32; LANES]; 3]; 2], k: usize| -> [DVec3; 8] {
                    std::array::from_fn(|i| {
                        let side = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                        let sign = DVec3::new(side(0), side(1), side(2));
                        origins[k] + units[k] * (of(&of_box[0]) + sign * of(&of_box[1]))
                    })
                };
                let top = corners(&block.a, 0).iter().map(|x| n.dot(*x)).fold(f64::NEG_INFINITY, f64::max);
                let bottom = corners(&block.b, 1).iter().map(|x| n.dot(frame.point(*x))).fold(f64::INFINITY, f64::min);
                assert!(block.bound[lane] <= bottom - top, "{} {}", block.bound[lane], bottom - top);
                // Balls around the boxes.
                let middle = |of_box: &[[[f32; LANES]; 3]; 2], k: usize| origins[k] + units[k] * of(&of_box[0]);
                let between = frame.point(middle(&block.b, 1)) - middle(&block.a, 0);
                let reach = units[0] * of(&block.a[1]).length() + units[1] * of(&block.b[1]).length();
                if between.length() > 2.0 * reach {
                    apart += 1;
                    seen +=
                        usize::from(block.bound[lane] >= (between.length() - reach) * (1.0 - 1e-5) - 3.0 * rounding);
                }
            }
        }
        assert!(apart > 10_000 && seen == apart, "{seen} of {apart}");
    }
}
