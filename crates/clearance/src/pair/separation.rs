//! The separating vector that a pair remembers, and the shortest proof that two shapes are still apart.
//!
//! Paper \[QC\], section 3.6, keeps the vector S of the last frame and looks for its supporting vertices again. Here the heights
//! that were found are kept too: with u = Rᵀ S the vector in the frame of a shape, its support function changes by
//!
//! ```text
//! h(u') <= h(u) + h(u' - u) <= h(u) + |E (u' - u)|
//! ```
//!
//! where E are the semi-axes of an ellipsoid around the shape, so that `S·(t_B - t_A) - h_A(u_A) - h_B(-u_B)`, less the two changes, is still a lower bound of the gap. That takes two
//! rotations of a vector and no look at the shapes. If it does not suffice, the heights are taken anew; if S does not separate any
//! more, an engine looks for another vector.
//!
//! Everything is in the axes of the world, which only the translations' difference and the two rotations enter: a body that
//! tumbles in its place changes no S that is good for the other one.

use crate::math::Pose;
use crate::narrow::{ROUNDING, SMALLEST_LENGTH};
use crate::shape::{Convex, Shape};
use glam::DVec3;
use wide::f64x2;

/// A vector in the frames of A and B: each coordinate of the two side by side.
type Both = [f64x2; 3];

/// A vector that separated two shapes, and how far they reach along it. It belongs to these two shapes: unlike directions and
/// vertex numbers, heights are not safe with others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Separation {
    /// S, a unit vector from A to B in the axes of the world; zero if there is none.
    vector: DVec3,
    /// The sum of the heights of A along it and of B against it, radii included. Infinite if not known.
    height: f64,
    /// The vector in the frames of A and B when the heights were taken.
    turned: Both,
    /// The semi-axes of ellipsoids around the shapes' cores.
    axes: Both,
    /// The part of the rounding that does not depend on where the shapes are.
    rounding: f64,
}

impl Default for Separation {
    fn default() -> Self {
        Self {
            vector: DVec3::ZERO,
            height: f64::INFINITY,
            turned: [f64x2::ZERO; 3],
            axes: [f64x2::ZERO; 3],
            rounding: 0.0,
        }
    }
}

impl Separation {
    /// A vector from A to B of any length, in the axes of the world; heights are not known yet.
    #[inline]
    pub fn along(vector: DVec3) -> Self {
        Self { vector: vector.normalize_or_zero(), ..Self::default() }
    }

    /// Is there a vector?
    #[inline(always)]
    pub fn is_known(&self) -> bool {
        // Written so that a NaN is none.
        self.vector.dot(self.vector) > 0.0
    }

    /// Are its heights known too?
    #[inline(always)]
    pub fn is_measured(&self) -> bool {
        self.height < f64::INFINITY
    }

    /// The vector from A to B.
    pub fn vector(&self) -> DVec3 {
        self.vector
    }

    /// Are the shapes proved to be farther apart than `limit` by what is known of their heights?
    ///
    /// A turned vector is off by 10 ε, a height by that and 2 ε of the reach, the difference of two turned vectors by as much again:
    /// less than [`ROUNDING`] of the reaches and of the way between the shapes, for each of the two.
    #[inline(always)]
    pub fn holds(&self, pose_a: &Pose, pose_b: &Pose, limit: f64) -> bool {
        let between = pose_b.translation() - pose_a.translation();
        let [x, y, z] = turned(self.vector, pose_a, pose_b);
        let (dx, dy, dz) = (x - self.turned[0], y - self.turned[1], z - self.turned[2]);
        let (dx, dy, dz) = (dx * self.axes[0], dy * self.axes[1], dz * self.axes[2]);
        let [a, b] = (dx * dx + dy * dy + dz * dz).sqrt().to_array();
        let gap = self.vector.dot(between) - self.height - (a + b);
        gap > limit + (self.rounding + ROUNDING * between.abs().element_sum())
    }

    /// Takes the heights anew: are the shapes proved to be farther apart than `limit`?
    #[inline]
    pub fn look<A, B>(&mut self, a: &A, pose_a: &Pose, b: &B, pose_b: &Pose, limit: f64) -> bool
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        let between = pose_b.translation() - pose_a.translation();
        self.turned = turned(self.vector, pose_a, pose_b);
        let [[ax, bx], [ay, by], [az, bz]] = self.turned.map(f64x2::to_array);
        let heights = a.height(DVec3::new(ax, ay, az)) + b.height(-DVec3::new(bx, by, bz));
        let radius = a.radius() + b.radius();
        self.height = heights + radius;
        let (axes_a, axes_b) = (a.semi_axes(), b.semi_axes());
        self.axes = [[axes_a.x, axes_b.x], [axes_a.y, axes_b.y], [axes_a.z, axes_b.z]].map(f64x2::new);
        self.rounding = ROUNDING * (a.reach() + b.reach() + radius) + SMALLEST_LENGTH;
        // A height that is no number proves nothing, now or later.
        if self.height.is_nan() {
            *self = Self::default();
        }
        self.vector.dot(between) - self.height > limit + (self.rounding + ROUNDING * between.abs().element_sum())
    }

    /// [`look`](Self::look) for shapes of any kind. Apart from its callers, which seldom need it.
    #[inline(never)]
    pub fn look_at(&mut self, [a, b]: [&Shape; 2], [pose_a, pose_b]: [&Pose; 2], limit: f64) -> bool {
        match (a, b) {
            (Shape::Polytope(a), Shape::Polytope(b)) => self.look(&**a, pose_a, &**b, pose_b, limit),
            _ => match (a.convex(), b.convex()) {
                (Some(a), Some(b)) => self.look(a, pose_a, b, pose_b, limit),
                _ => false,
            },
        }
    }
}

/// A vector of the world in the frames of A and B, both at once: `v - w t + q × t` with `t = 2 q × v`, for q and w of the two
/// rotations.
#[inline(always)]
fn turned(v: DVec3, pose_a: &Pose, pose_b: &Pose) -> Both {
    let (p, q) = (pose_a.rotation(), pose_b.rotation());
    let both = |a: f64, b: f64| f64x2::new([a, b]);
    let (a, b, c, w) = (both(p.x, q.x), both(p.y, q.y), both(p.z, q.z), both(p.w, q.w));
    let (x, y, z) = (f64x2::splat(v.x), f64x2::splat(v.y), f64x2::splat(v.z));
    let (tx, ty, tz) = (b * z - c * y, c * x - a * z, a * y - b * x);
    let (tx, ty, tz) = (tx + tx, ty + ty, tz + tz);
    [(x - w * tx) + (b * tz - c * ty), (y - w * ty) + (c * tx - a * tz), (z - w * tz) + (a * ty - b * tx)]
}
