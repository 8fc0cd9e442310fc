//! The triangles of a leaf, seen from a point, four at a time in doubles: the points nearest to it, and how far they reach along a vector.
//!
//! Nearest points by cases as in `narrow/triangles.rs`, without a branch: the foot on the face if it is within, else the nearest of the
//! three sides. With q the nearest point seen from the point, all of a triangle is at least min q·cₖ / ‖q‖ away, cₖ its corners, whatever
//! the rounding error of q.

use crate::shape::Mesh;
use crate::tree::{LEAF, by_axis};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};
use glam::DVec3;

/// Four vectors, by axis.
pub(super) type Vectors<S> = [f64x4<S>; 3];

#[inline(always)]
pub(super) fn dot<S: Simd>(u: &Vectors<S>, v: &Vectors<S>) -> f64x4<S> {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
pub(super) fn cross<S: Simd>([a, b, c]: &Vectors<S>, [d, e, f]: &Vectors<S>) -> Vectors<S> {
    [*b * *f - *c * *e, *c * *d - *a * *f, *a * *e - *b * *d]
}

#[inline(always)]
pub(super) fn sub<S: Simd>(u: &Vectors<S>, v: &Vectors<S>) -> Vectors<S> {
    by_axis(|k| u[k] - v[k])
}

#[inline(always)]
pub(super) fn least<S: Simd>(a: f64x4<S>, b: f64x4<S>, c: f64x4<S>) -> f64x4<S> {
    a.min(b).min(c)
}

#[inline(always)]
pub(super) fn most<S: Simd>(a: f64x4<S>, b: f64x4<S>, c: f64x4<S>) -> f64x4<S> {
    a.max(b).max(c)
}

/// A vector in all four lanes.
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, v: DVec3) -> Vectors<S> {
    by_axis(|k| f64x4::splat(simd, v[k]))
}

/// The point of a side nearest to the origin, given the inverse of the square of its length. (No closure: those are not always a part of
/// their caller, and what is not is compiled for every processor.)
#[inline(always)]
fn on_side<S: Simd>(corner: &Vectors<S>, side: &Vectors<S>, inverse: f64x4<S>) -> Vectors<S> {
    let simd = inverse.simd;
    let share = -dot(corner, side) * inverse;
    let share = share.max(f64x4::splat(simd, 0.0)).min(f64x4::splat(simd, 1.0));
    by_axis(|axis| corner[axis] + share * side[axis])
}

/// The triangles of a leaf, seen from a point; what is beyond the last one is that one again.
pub(crate) struct SeenTriangles<S: Simd> {
    simd: S,
    pub(super) corners: [Vectors<S>; 3],
}

/// The nearest points of four triangles.
pub(crate) struct NearestPoints<S: Simd> {
    /// From the point to them.
    ways: Vectors<S>,
    distances: f64x4<S>,
    lower: f64x4<S>,
}

impl<S: Simd> SeenTriangles<S> {
    #[inline(always)]
    pub fn new(simd: S, mesh: &Mesh, items: &[u32], point: DVec3) -> Self {
        let last = items.len() - 1;
        let (p, q) = (mesh.corners(items[0]), mesh.corners(items[last.min(1)]));
        let (r, s) = (mesh.corners(items[last.min(2)]), mesh.corners(items[last.min(3)]));
        let from = splat(simd, point);
        let corners = by_axis(|k| {
            by_axis(|axis| f64x4::load_array(simd, [p[k][axis], q[k][axis], r[k][axis], s[k][axis]]) - from[axis])
        });
        Self { simd, corners }
    }

    /// How far each reaches along a vector, seen from the point.
    #[inline(always)]
    pub fn tops(&self, along: DVec3) -> [f64; LEAF] {
        let along = splat(self.simd, along);
        let [a, b, c] = by_axis(|k| dot(&along, &self.corners[k]));
        most(a, b, c).to_array()
    }

    /// How far each is at least along a vector, seen from the point.
    #[inline(always)]
    pub fn lows(&self, along: DVec3) -> f64x4<S> {
        let along = splat(self.simd, along);
        let [a, b, c] = &self.corners;
        least(dot(&along, a), dot(&along, b), dot(&along, c))
    }

    #[inline(always)]
    pub fn nearest(&self) -> NearestPoints<S> {
        let corners = &self.corners;
        let (zero, one) = (f64x4::splat(self.simd, 0.0), f64x4::splat(self.simd, 1.0));
        let sides: [Vectors<S>; 3] = by_axis(|k| sub(&corners[(k + 1) % 3], &corners[k]));
        // One division for three. A triangle whose numbers overflow or vanish there is NaN, and is not close to anything.
        let [l, m, n] = by_axis(|k| dot(&sides[k], &sides[k]));
        let inverse = one / (l * m * n);
        let inverses = [m * n * inverse, n * l * inverse, l * m * inverse];
        let mut best = on_side(&corners[0], &sides[0], inverses[0]);
        let mut square = dot(&best, &best);
        for k in 1..3 {
            let other = on_side(&corners[k], &sides[k], inverses[k]);
            let other_square = dot(&other, &other);
            let is_less = other_square.simd_lt(square);
            best = by_axis(|axis| is_less.select(other[axis], best[axis]));
            square = other_square.min(square);
        }
        // As in `foot_in`, with the second side turned over. The share of each corner is not negative where the foot is within.
        let (u, back) = (&sides[0], &sides[2]);
        let normal = cross(back, u);
        let whole = dot(&normal, &normal);
        let w: Vectors<S> = by_axis(|axis| zero - corners[0][axis]);
        let (beta, gamma) = (dot(&cross(back, &w), &normal), dot(&cross(u, &w), &normal));
        let inverse = one / whole;
        let (s, t) = (beta * inverse, gamma * inverse);
        let foot: Vectors<S> = by_axis(|axis| corners[0][axis] + u[axis] * s - back[axis] * t);
        // Below that the normal has lost its digits: no foot is closer then.
        let is_over = least(beta, gamma, whole - beta - gamma).simd_ge(zero) & whole.simd_gt(1e-280);
        let is_better = is_over & dot(&foot, &foot).simd_lt(square);
        let ways: Vectors<S> = by_axis(|axis| is_better.select(foot[axis], best[axis]));
        let distances = dot(&ways, &ways).sqrt();
        let [a, b, c] = by_axis(|k| dot(&ways, &corners[k]));
        NearestPoints { ways, distances, lower: least(a, b, c) / distances }
    }
}

impl<S: Simd> NearestPoints<S> {
    /// From the point to the nearest ones.
    #[inline(always)]
    pub fn ways(&self) -> [DVec3; LEAF] {
        let [x, y, z] = by_axis(|axis| self.ways[axis].to_array());
        std::array::from_fn(|lane| DVec3::new(x[lane], y[lane], z[lane]))
    }

    /// How far they are.
    #[inline(always)]
    pub fn distances(&self) -> [f64; LEAF] {
        self.distances.to_array()
    }

    /// A lower bound of the distance of a triangle, by the direction; NaN where the point is on a triangle.
    #[inline(always)]
    pub fn lower(&self) -> [f64; LEAF] {
        self.lower.to_array()
    }

    /// Those of some lanes whose distance and the bound by their direction are no farther apart than that, a bit for each; and the least of
    /// their bounds. (Not those that are NaN.)
    #[inline(always)]
    pub fn to_rounding(&self, lanes: u32, rounding: f64) -> (u32, f64) {
        let known = (self.distances - self.lower).simd_le(rounding).to_bitmask() as u32 & lanes;
        let lower = self.lower.to_array();
        let bound = |lane: usize| if known >> lane & 1 == 1 { lower[lane] } else { f64::INFINITY };
        (known, bound(0).min(bound(1)).min(bound(2).min(bound(3))))
    }

    /// The nearest of some lanes, of which there is one, with the way from the point to it and how far it is.
    #[inline(always)]
    pub fn nearest_of(&self, lanes: u32) -> (usize, DVec3, f64) {
        let distances = self.distances.to_array();
        let far = |lane: usize| if lanes >> lane & 1 == 1 { distances[lane] } else { f64::INFINITY };
        let (a, b, c, d) = (far(0), far(1), far(2), far(3));
        let (first, second) = (if b < a { 1 } else { 0 }, if d < c { 3 } else { 2 });
        let lane = if c.min(d) < a.min(b) { second } else { first };
        let [x, y, z] = [self.ways[0].to_array(), self.ways[1].to_array(), self.ways[2].to_array()];
        (lane, DVec3::new(x[lane], y[lane], z[lane]), distances[lane])
    }

    /// The triangles that are not farther than that by their direction, a bit for each; and a lower bound of the distance of the others.
    #[inline(always)]
    pub fn within(&self, far: f64) -> (u32, f64) {
        let is_far = self.lower.simd_ge(far);
        let others = is_far.select(self.lower, f64x4::splat(self.lower.simd, f64::INFINITY)).to_array();
        let least = others[0].min(others[1]).min(others[2].min(others[3]));
        (!(is_far.to_bitmask() as u32) & 0xf, least)
    }
}
