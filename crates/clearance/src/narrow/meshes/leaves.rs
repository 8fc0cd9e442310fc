//! The triangles of two leaves, in single precision: one triangle of A beside the four of B at a time.
//!
//! Most pairs of triangles are pruned along a direction that costs little: from middle to middle, or a normal. A direction proves a bound
//! whatever its own rounding errors are, so that only errors of corners and of their heights are allowed for.

use super::Triangles;
use super::lanes::TriangleLanes;
use crate::math::Frame;
use crate::narrow::triangles::Corners;
use crate::shape::Mesh;
use crate::tree::{LEAF, by_axis};
use glam::{DVec3, Vec3};
use wide::f32x4;

/// Coordinates from here on are not compared in single precision: a normal times a corner is 24 cubes of them, which has to be finite. Bound: 24
/// cubes of 2^40 are below 2^125, which `f32` holds.
const LARGEST: f32 = (1_u64 << 40) as f32;

/// More than underflow does to the difference of two heights along a vector, or to the square of its length. Each product is off by 2^-150 at
/// most, and sums of numbers that small are exact. (A normal number: subnormal ones are slow on some processors.) Bound: six products are off by 6 ·
/// 2^-150 together, far below 2^-126.
pub(super) const UNDERFLOW: f32 = f32::MIN_POSITIVE;

/// Four vectors, by axis.
type Vectors = [f32x4; 3];

#[inline(always)]
fn dot(u: &Vectors, v: &Vectors) -> f32x4 {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
fn cross([a, b, c]: &Vectors, [d, e, f]: &Vectors) -> Vectors {
    [b * f - c * e, c * d - a * f, a * e - b * d]
}

#[inline(always)]
fn sub(u: &Vectors, v: &Vectors) -> Vectors {
    by_axis(|k| u[k] - v[k])
}

#[inline(always)]
fn splat(v: Vec3) -> Vectors {
    by_axis(|k| f32x4::splat(v[k]))
}

/// The rows of a rotation, four times.
pub(super) fn turn(b_in_a: &Frame) -> [Vectors; 3] {
    let r = b_in_a.rotation;
    by_axis(|k| [r.x_axis[k], r.y_axis[k], r.z_axis[k]].map(|x| f32x4::splat(x as f32)))
}

/// The corners of one leaf's triangles and of another's, in the axes of A, relative to a corner of A's.
pub(super) struct LeafPair {
    a: [[Vec3; 3]; LEAF],
    /// By corner. Lanes beyond the last triangle repeat it.
    b: [Vectors; 3],
    /// The rounding error of a height along a unit vector in single precision; infinite beyond [`LARGEST`].
    slack: f32,
}

impl LeafPair {
    #[inline(always)]
    pub fn new(a: &Mesh, of_a: &[u32], b: &Triangles<'_>, of_b: &[u32], b_in_a: &Frame, turn: &[Vectors; 3]) -> Self {
        let origin = a.corners(of_a[0])[0];
        let mut corners_a = [[Vec3::ZERO; 3]; LEAF];
        let mut largest = Vec3::ZERO;
        for (&i, corners) in of_a.iter().zip(&mut corners_a) {
            let exact = a.corners(i);
            *corners = by_axis(|k| (exact[k] - origin).as_vec3());
            largest = largest.max(corners[0].abs()).max(corners[1].abs()).max(corners[2].abs());
        }
        // Relative to a corner of B's leaf, turned, and moved to A's.
        let first = b.corners(of_b[0])[0];
        let shift = (b_in_a.point(first) - origin).as_vec3();
        let mut local = [[[0.0; LEAF]; 3]; 3];
        for lane in 0..LEAF {
            let exact = b.corners(of_b[lane.min(of_b.len() - 1)]);
            for (corner, of) in exact.iter().zip(&mut local) {
                let corner = (corner - first).as_vec3();
                (of[0][lane], of[1][lane], of[2][lane]) = (corner.x, corner.y, corner.z);
            }
        }
        let shift = splat(shift);
        let mut largest = splat(largest);
        let mut corners_b = [shift; 3];
        for (local, turned) in local.iter().zip(&mut corners_b) {
            let local = by_axis(|k| f32x4::new(local[k]));
            *turned = by_axis(|k| dot(&turn[k], &local) + shift[k]);
            let more = |k: usize| local[k].abs().fast_max(turned[k].abs()).fast_max(shift[k].abs());
            largest = by_axis(|k| largest[k].fast_max(more(k)));
        }
        let [x, y, z, w] = largest[0].fast_max(largest[1]).fast_max(largest[2]).to_array();
        // With u = 2^-24 and the largest coordinate L: a rotated corner is off by 5 u of its length √3 L, for inputs, products and sums,
        // and by 4 u of L for the shift, along each axis. That is 23 u L in all; one of A is off by 2 u L. A height along a unit vector rounds by 3 u
        // of √3 L, twice; their difference, a root and a quotient by 4 u of 2 √3 L: below 64 u L.
        let largest = x.max(y).max(z.max(w));
        // The 64 u L above, and underflow.
        let slack = 64.0 * 0.5 * f32::EPSILON * largest + f32::MIN_POSITIVE;
        // Written so that a NaN proves nothing either.
        let slack = if largest < LARGEST { slack } else { f32::INFINITY };
        Self { a: corners_a, b: corners_b, slack }
    }

    /// The corners of a triangle of A, four times.
    #[inline(always)]
    fn of_a(&self, x: usize) -> [Vectors; 3] {
        by_axis(|k| splat(self.a[x][k]))
    }

    /// How far four pairs are apart along vectors from A to B, times their lengths.
    #[inline(always)]
    fn beyond(&self, a: &[Vectors; 3], along: &Vectors) -> f32x4 {
        let [a0, a1, a2] = by_axis(|k| dot(along, &a[k]));
        let [b0, b1, b2] = by_axis(|k| dot(along, &self.b[k]));
        b0.fast_min(b1).fast_min(b2) - a0.fast_max(a1).fast_max(a2)
    }

    /// From the middle of a triangle of A to those of B, three times that long.
    #[inline(always)]
    fn middles(&self, a: &[Vectors; 3]) -> Vectors {
        by_axis(|k| (self.b[0][k] + self.b[1][k] + self.b[2][k]) - (a[0][k] + a[1][k] + a[2][k]))
    }

    /// Lower bounds of how far a triangle of A is from those of B: along a unit vector that is given, and from middle to middle. The second is what they may be apart along the given one at most.
    #[inline(always)]
    pub fn lower_bounds(&self, x: usize, normal: &Vectors) -> [f32x4; 2] {
        let a = self.of_a(x);
        let (way, slack) = (self.middles(&a), f32x4::splat(self.slack));
        let underflow = f32x4::splat(UNDERFLOW);
        // Positive only if it is without underflow, and then no larger.
        let between = (self.beyond(&a, &way) - underflow) / (dot(&way, &way) + underflow).sqrt();
        let along = self.beyond(&a, normal);
        [between.fast_max(along) - slack, along + slack]
    }

    /// Puts a pair into a lane.
    #[inline(always)]
    pub fn put(&self, lanes: &mut TriangleLanes, lane: usize, x: usize, y: usize) {
        let b = self.b.map(|corner| corner.map(|axis| axis.to_array()[y]));
        lanes.put(lane, &self.a[x], &b, self.slack);
    }

    /// Boxes, normals and middles of B's triangles, for [`may_meet`](Self::may_meet).
    #[inline(always)]
    pub fn around_b(&self) -> AroundB {
        let [b0, b1, b2] = &self.b;
        let normal = cross(&sub(b1, b0), &sub(b2, b0));
        AroundB {
            low: by_axis(|k| b0[k].fast_min(b1[k]).fast_min(b2[k])),
            high: by_axis(|k| b0[k].fast_max(b1[k]).fast_max(b2[k])),
            heights: HeightRange::of(&self.b, &normal),
            normal,
            sum: by_axis(|k| b0[k] + b1[k] + b2[k]),
        }
    }

    /// The triangles of B, a bit for each, that one of A may share a point with: those that no direction at hand is proved to separate, by
    /// corners that are each `rounding` off already.
    #[inline(always)]
    pub fn may_meet(&self, x: usize, around_b: &AroundB, rounding: f32) -> u32 {
        /// Layout: a bit for each lane. Most triangles are done once their boxes are compared.
        const ALL: u32 = (1 << LEAF) - 1;
        let corners = &self.a[x];
        let allowed = f32x4::splat(self.slack + 2.0 * rounding);
        let low = splat(corners[0].min(corners[1]).min(corners[2]));
        let high = splat(corners[0].max(corners[1]).max(corners[2]));
        let [x_gap, y_gap, z_gap] = by_axis(|k| (around_b.low[k] - high[k]).fast_max(low[k] - around_b.high[k]));
        let mut are_apart = x_gap.fast_max(y_gap).fast_max(z_gap).simd_gt(allowed).to_bitmask();
        if are_apart == ALL {
            return 0;
        }
        let a = by_axis(|k| splat(corners[k]));
        let underflow = f32x4::splat(UNDERFLOW);
        // Along a vector of any length; the sum of its coordinates is no less than that.
        let apart = |along: &Vectors, of_b: &HeightRange| {
            let of_a = HeightRange::of(&a, along);
            let length = along[0].abs() + along[1].abs() + along[2].abs();
            let gap = (of_b.low - of_a.high).fast_max(of_a.low - of_b.high);
            gap.simd_gt(allowed * length + underflow).to_bitmask()
        };
        let normal = splat((corners[1] - corners[0]).cross(corners[2] - corners[0]));
        are_apart |= apart(&normal, &HeightRange::of(&self.b, &normal));
        if are_apart == ALL {
            return 0;
        }
        are_apart |= apart(&around_b.normal, &around_b.heights);
        if are_apart == ALL {
            return 0;
        }
        let between = sub(&around_b.sum, &splat(corners[0] + corners[1] + corners[2]));
        are_apart |= apart(&between, &HeightRange::of(&self.b, &between));
        !are_apart & ALL
    }
}

/// Boxes, normals and middles of four triangles, the last ones three times as long.
pub(super) struct AroundB {
    low: Vectors,
    high: Vectors,
    normal: Vectors,
    /// Along the normals.
    heights: HeightRange,
    sum: Vectors,
}

/// The lowest and the highest corners of four triangles, each along its own vector.
struct HeightRange {
    low: f32x4,
    high: f32x4,
}

impl HeightRange {
    #[inline(always)]
    fn of(corners: &[Vectors; 3], along: &Vectors) -> Self {
        let [a, b, c] = by_axis(|k| dot(along, &corners[k]));
        Self { low: a.fast_min(b).fast_min(c), high: a.fast_max(b).fast_max(c) }
    }
}

/// A unit vector halfway between the normals of two triangles that face each other, from the first to the second.
pub(super) fn facing_normal(a: &Corners, b: &Corners) -> Option<DVec3> {
    let between = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
    // Surfaces need not be oriented.
    let normal = |t: &Corners| {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
        if normal.dot(between) < 0.0 { -normal } else { normal }
    };
    (normal(a) + normal(b)).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::narrow::triangles::closest_points;
    use fastrand::Rng;
    use glam::DQuat;

    /// Bounds are no more than the distances, nothing that meets is called apart, and most that is apart is seen to be.
    #[test]
    fn bounds_hold_for_triangles_of_two_leaves() {
        let mut rng = Rng::with_seed(93);
        let (mut apart, mut close, mut seen, mut met) = (0, 0, 0, 0);
        for round in 0..3000 {
            let size = [1.0, 1e-9, 1e9][round % 3];
            let far = [0.0, 0.6, 3.0, 1e3][round / 3 % 4];
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
            let mut mesh = |count: u32| {
                let place = vector(20.0);
                let flat = DVec3::new(1.0, [1.0, 1e-6][round % 2], 1.0);
                let corners: Vec<DVec3> = (0..3 * count).map(|_| size * (place + flat * vector(1.0))).collect();
                (
                    Mesh::new(&corners, &(0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>()),
                    size * place,
                )
            };
            let counts = [1 + round as u32 % 4, 1 + round as u32 / 4 % 4];
            let ((Ok(a), at_a), (Ok(b), at_b)) = (mesh(counts[0]), mesh(counts[1])) else { continue };
            let turn = DQuat::from_scaled_axis(vector(3.0));
            let frame = Frame::from(Pose::new(at_a + far * size * vector(1.0) - turn * at_b, turn));
            let items: Vec<u32> = (0..4).collect();
            let (of_a, of_b) = (&items[..counts[0] as usize], &items[..counts[1] as usize]);
            let surface = Triangles::Mesh(&b);
            let leaves = LeafPair::new(&a, of_a, &surface, of_b, &frame, &super::turn(&frame));
            let rounding = super::super::rounding(&a, &surface, &frame);
            let normal = vector(1.0).normalize();
            let around_b = leaves.around_b();
            for x in 0..of_a.len() {
                let bounds = leaves.lower_bounds(x, &by_axis(|k| f32x4::splat(normal[k] as f32)));
                let [lower, along] = bounds.map(f32x4::to_array);
                let open = leaves.may_meet(x, &around_b, (rounding as f32).next_up());
                for y in 0..of_b.len() {
                    let (t, u) = (a.corners(x as u32), b.corners(y as u32).map(|corner| frame.point(corner)));
                    let truth = closest_points(&t, &u).distance;
                    assert!(lower[y].is_nan() || f64::from(lower[y]) <= truth + 2.0 * rounding, "{} {truth}", lower[y]);
                    assert!(f64::from(along[y]) >= crate::narrow::triangles::beyond(&t, &u, normal) - 2.0 * rounding);
                    let do_meet = super::super::intersect::meet(&t, &u, rounding);
                    assert!(!do_meet || open >> y & 1 != 0);
                    met += usize::from(do_meet);
                    if truth > 0.5 * size && !do_meet {
                        apart += 1;
                        close += usize::from(f64::from(lower[y]) > 0.5 * truth);
                        seen += usize::from(open >> y & 1 == 0);
                    }
                }
            }
        }
        assert!(
            met > 300 && apart > 3000 && 2 * close > apart && 10 * seen > 9 * apart,
            "{met} {apart} {close} {seen}"
        );
    }
}
