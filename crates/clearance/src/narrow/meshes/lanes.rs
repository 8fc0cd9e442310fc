//! Eight pairs of triangles at a time, in single precision: lower bounds of their distances.
//!
//! The algorithm of `narrow/triangles.rs`, which is in doubles, without a branch. The closest of all candidates, a corner over a face or
//! points of two sides, gives a direction. Along it all six corners are compared, which proves a bound whatever the rounding error of the
//! direction.

use super::leaves::UNDERFLOW;
use crate::tree::by_axis;
use glam::Vec3;
use wide::f32x8;

/// How many pairs at a time. Layout: lanes of `f32x8`.
pub(super) const LANES: usize = 8;

#[derive(Clone, Copy)]
struct Vectors([f32x8; 3]);

impl Vectors {
    #[inline(always)]
    fn dot(&self, other: &Self) -> f32x8 {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    #[inline(always)]
    fn cross(&self, other: &Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Self(by_axis(|k| self.0[k] - other.0[k]))
    }

    /// This and so much of another one.
    #[inline(always)]
    fn plus(&self, share: f32x8, other: &Self) -> Self {
        Self(by_axis(|k| self.0[k] + share * other.0[k]))
    }
}

/// A part of a whole, between zero and one, whatever they are.
#[inline(always)]
fn share(part: f32x8, whole: f32x8) -> f32x8 {
    // Of a number and none these return the second.
    (part / whole).fast_max(f32x8::ZERO).fast_min(f32x8::ONE)
}

/// The shortest vector from A to B that was found.
struct Shortest {
    square: f32x8,
    way: Vectors,
}

impl Shortest {
    #[inline(always)]
    fn offer(&mut self, way: &Vectors, is_there: f32x8) {
        let square = way.dot(way);
        let is_better = square.simd_lt(self.square) & is_there;
        self.square = is_better.select(square, self.square);
        self.way = Vectors(by_axis(|k| is_better.select(way.0[k], self.way.0[k])));
    }
}

/// Pairs of triangles relative to a point near both.
pub(super) struct TriangleLanes {
    /// By corner, axis and lane.
    a: [[[f32; LANES]; 3]; 3],
    b: [[[f32; LANES]; 3]; 3],
    /// Rounding error of a height in single precision.
    slack: f32,
}

impl TriangleLanes {
    pub const EMPTY: Self = Self { a: [[[0.0; LANES]; 3]; 3], b: [[[0.0; LANES]; 3]; 3], slack: 0.0 };

    #[inline(always)]
    pub fn put(&mut self, lane: usize, a: &[Vec3; 3], b: &[[f32; 3]; 3], slack: f32) {
        for k in 0..3 {
            for axis in 0..3 {
                self.a[k][axis][lane] = a[k][axis];
                self.b[k][axis][lane] = b[k][axis];
            }
        }
        self.slack = slack;
    }

    /// Lower bounds of the distances, of the corners as they were put in; those of lanes without triangles mean nothing. Infinite or no
    /// numbers where coordinates are too large, or too small.
    #[inline(always)]
    pub fn lower_bounds(&self) -> [f32; LANES] {
        let vectors = |t: &[[[f32; LANES]; 3]; 3]| -> [Vectors; 3] {
            by_axis(|k| Vectors(by_axis(|axis| f32x8::new(t[k][axis]))))
        };
        let (a, b) = (vectors(&self.a), vectors(&self.b));
        let sides = |t: &[Vectors; 3]| -> [Vectors; 3] { by_axis(|k| t[(k + 1) % 3].sub(&t[k])) };
        let (of_a, of_b) = (sides(&a), sides(&b));
        let squares = |of: &[Vectors; 3]| -> [f32x8; 3] { by_axis(|k| of[k].dot(&of[k])) };
        let (squares_a, squares_b) = (squares(&of_a), squares(&of_b));
        let always = f32x8::ZERO.simd_eq(f32x8::ZERO);
        let start = b[0].sub(&a[0]);
        let mut best = Shortest { square: start.dot(&start), way: start };
        for i in 0..3 {
            for j in 0..3 {
                // As in `between_sides`.
                let (u, v, r) = (&of_a[i], &of_b[j], b[j].sub(&a[i]));
                let (uu, vv, uv) = (squares_a[i], squares_b[j], u.dot(v));
                let (ur, vr) = (u.dot(&r), v.dot(&r));
                let s = share(ur * vv - vr * uv, uu * vv - uv * uv);
                let t = share(s * uv - vr, vv);
                let s = share(ur + t * uv, uu);
                best.offer(&r.plus(t, v).plus(f32x8::ZERO - s, u), always);
            }
        }
        // Corners of B over the face of A, then corners of A over that of B, from where the way is the other one.
        for (face, sides, corners, sign) in [(&a, &of_a, &b, 1.0), (&b, &of_b, &a, -1.0)] {
            // The sides from the first corner, the second turned over.
            let (u, back) = (&sides[0], &sides[2]);
            let normal = back.cross(u);
            let square = normal.dot(&normal);
            let least = f32x8::ZERO;
            let factor = f32x8::splat(sign) / square;
            for corner in corners {
                let w = corner.sub(&face[0]);
                let beta = back.cross(&w).dot(&normal);
                let gamma = u.cross(&w).dot(&normal);
                let is_over = beta.simd_ge(least) & gamma.simd_ge(least) & (beta + gamma).simd_le(square);
                let part = w.dot(&normal) * factor;
                best.offer(&Vectors(by_axis(|k| normal.0[k] * part)), is_over);
            }
        }
        let n = &best.way;
        let [a0, a1, a2] = [n.dot(&a[0]), n.dot(&a[1]), n.dot(&a[2])];
        let [b0, b1, b2] = [n.dot(&b[0]), n.dot(&b[1]), n.dot(&b[2])];
        let apart = b0.fast_min(b1).fast_min(b2) - a0.fast_max(a1).fast_max(a2);
        let (slack, underflow) = (f32x8::splat(self.slack), f32x8::splat(UNDERFLOW));
        // As in `LeafPair::lower_bounds`.
        ((apart - underflow) / (n.dot(n) + underflow).sqrt() - slack).to_array()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::triangles::Corners;
    use crate::{Pose, Shape, distance};
    use fastrand::Rng;
    use glam::DVec3;

    /// Bounds are no more than the distances, of slivers, in one plane, touching and crossing; and nearly as much where they are apart.
    #[test]
    fn bounds_hold_for_triangles_of_any_form() {
        let mut rng = Rng::with_seed(91);
        let (mut apart, mut close) = (0, 0);
        for round in 0..4000 {
            let flat = [1.0, 1e-3, 1e-7, 0.0][round % 4];
            let far = [0.0, 1.0, 30.0, 1e4][round / 4 % 4];
            let size = [1.0, 1e-6, 1e12][round % 3];
            let mut draw = |at: DVec3| -> Corners {
                by_axis(|_| ()).map(|()| {
                    let point = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
                    size * (at + point * DVec3::new(1.0, flat, [1.0, 1e-5][round / 2 % 2]))
                })
            };
            let mut lanes = TriangleLanes::EMPTY;
            let pairs: [[Corners; 2]; LANES] = std::array::from_fn(|_| [draw(DVec3::ZERO), draw(DVec3::X * far)]);
            let small = |t: &Corners| t.map(|corner| (corner - pairs[0][0][0]).as_vec3());
            let largest = |t: &Corners| small(t).iter().fold(0.0, |most: f32, v| most.max(v.abs().max_element()));
            let largest = pairs.iter().flatten().fold(0.0, |most: f32, t| most.max(largest(t)));
            for (lane, [a, b]) in pairs.iter().enumerate() {
                lanes.put(lane, &small(a), &small(b).map(|v| v.to_array()), 32.0 * f32::EPSILON * largest);
            }
            for (bound, [a, b]) in lanes.lower_bounds().into_iter().zip(&pairs) {
                let [a, b] = [a, b].map(|t| Shape::triangle(t[0], t[1], t[2]).unwrap());
                let truth = distance(&a, Pose::IDENTITY, &b, Pose::IDENTITY);
                assert!(!bound.is_finite() || f64::from(bound) <= truth.upper.max(0.0), "{bound} {truth:?}");
                if truth.lower > 1e-2 * size {
                    apart += 1;
                    close += usize::from(f64::from(bound) > 0.99 * truth.lower - 1e-4 * (far + 1.0) * size);
                }
            }
        }
        assert!(apart > 10_000 && close * 100 > apart * 90, "{close} of {apart}");
    }
}
