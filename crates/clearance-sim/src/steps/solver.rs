//! The contact solver of fixed steps: soft normal constraints, a friction cone for each point, rolling resistance for each manifold.
//!
//! Groups with bodies of very different mass are solved at once (`direct.rs`).

use super::StepBody;
use super::patch::{Patch, SoftPoint, Twist};
use clearance::math::DVec3;
use std::f64::consts::TAU;

/// Frequency of a soft contact, relative to the rate of the sub-steps. Limit: the choice of box3d; at 240 sub-steps a second it is 30 Hz.
const STIFFNESS: f64 = 0.25;

/// Damping ratio of a soft contact. Limit: the choice of box3d; overlaps decay without bouncing.
const DAMPING: f64 = 10.0;

/// Part of the skin in which contacts of meshes are soft. Limit: half, so that the other half is left for the error that the passes of a sub-step leave.
const SOFT_RANGE: f64 = 0.5;

/// Overlaps are pushed out at most at this many sizes of the smallest body per second. Limit: faster would be seen as a jump.
const PUSH_OUT: f64 = 3.0;

/// Part of a shortfall that hard contacts push out in a sub-step. Limit: all of it at once would overshoot where several contacts share it.
const HARD_PUSH: f64 = 0.2;

/// The coefficients of a soft constraint for one sub-step.
#[derive(Debug, Clone, Copy)]
struct Soft {
    bias_rate: f64,
    mass_scale: f64,
    impulse_scale: f64,
}

impl Soft {
    /// A damped spring, integrated implicitly.
    fn new(frequency: f64, h: f64) -> Self {
        let omega = TAU * frequency;
        let a = 2.0 * DAMPING + h * omega;
        let b = h * omega * a;
        Self { bias_rate: omega / a, mass_scale: b / (1.0 + b), impulse_scale: 1.0 / (1.0 + b) }
    }
}

/// See the module.
pub(super) struct Solver {
    h: f64,
    moving: Soft,
    fixed: Soft,
    push_out: f64,
    soft_range: f64,
}

impl Solver {
    pub fn new(h: f64, size: f64, skin: f64) -> Self {
        let frequency = STIFFNESS / h;
        Self {
            h,
            moving: Soft::new(frequency, h),
            fixed: Soft::new(2.0 * frequency, h),
            push_out: PUSH_OUT * size,
            soft_range: SOFT_RANGE * skin,
        }
    }

    /// Applies the impulses of the sub-step before.
    pub fn warm_start(&self, patch: &Patch, points: &[SoftPoint], bodies: &[StepBody], twists: &mut [Twist]) {
        let [mut a, mut b] = patch.bodies.map(|body| twists[body]);
        for point in &points[patch.points.clone()] {
            point.normal.push(patch.linear[0], [&mut a, &mut b], point.impulse);
            for (k, row) in point.across.iter().enumerate() {
                row.push(patch.linear[k + 1], [&mut a, &mut b], point.tangential[k]);
            }
        }
        if patch.rolling > 0.0 {
            let [one, other] = patch.bodies.map(|body| bodies[body].moving.inverse_inertia);
            a.spin -= one * patch.rolling_impulse;
            b.spin += other * patch.rolling_impulse;
        }
        put(twists, patch.bodies, [a, b]);
    }

    /// One pass. Relaxation ends with friction, whose bound is the normal impulse without the bias.
    pub fn solve(
        &self,
        patch: &mut Patch,
        points: &mut [SoftPoint],
        bodies: &[StepBody],
        twists: &mut [Twist],
        has_bias: bool,
    ) {
        let mut both = patch.bodies.map(|body| twists[body]);
        if has_bias {
            self.rub(patch, points, bodies, &mut both);
            self.push_apart(patch, points, &mut both, true);
        } else {
            self.push_apart(patch, points, &mut both, false);
            self.rub(patch, points, bodies, &mut both);
        }
        put(twists, patch.bodies, both);
    }

    /// The speed that a contact adds to its separation speed, for contacts that are solved without softness.
    pub fn hard_bias(&self, separation: f64, has_bias: bool) -> f64 {
        if separation > 0.0 {
            separation / self.h
        } else if has_bias {
            (HARD_PUSH * separation / self.h).max(-self.push_out)
        } else {
            0.0
        }
    }

    /// The normal impulses.
    fn push_apart(&self, patch: &Patch, points: &mut [SoftPoint], [a, b]: &mut [Twist; 2], has_bias: bool) {
        let soft = if patch.is_held { self.fixed } else { self.moving };
        for point in &mut points[patch.points.clone()] {
            let separation = point.separation;
            let (bias, mass_scale, impulse_scale) = if separation > 0.0 {
                (separation / self.h, 1.0, 0.0)
            } else if !has_bias {
                (0.0, 1.0, 0.0)
            } else if patch.is_surface && separation < -self.soft_range {
                // The soft range is used up: all of the load is carried from here on.
                ((HARD_PUSH * (separation + self.soft_range) / self.h).max(-self.push_out), 1.0, 0.0)
            } else {
                ((soft.bias_rate * separation).max(-self.push_out), soft.mass_scale, soft.impulse_scale)
            };
            let along = patch.normal.dot(b.velocity - a.velocity);
            let speed = point.normal.speed(along, [a, b]);
            let step = -point.normal_mass * mass_scale * (speed + bias) - impulse_scale * point.impulse;
            let next = (point.impulse + step).max(0.0);
            let change = next - point.impulse;
            // A point that is far apart is not pushed in most passes.
            if change != 0.0 {
                point.normal.push(patch.linear[0], [a, b], change);
                point.impulse = next;
                point.largest = point.largest.max(next);
            }
        }
    }

    /// Friction, within the cone of the normal impulse of each point, and resistance to rolling.
    fn rub(&self, patch: &mut Patch, points: &mut [SoftPoint], bodies: &[StepBody], both: &mut [Twist; 2]) {
        if patch.rolling > 0.0 {
            let total: f64 = points[patch.points.clone()].iter().map(|point| point.impulse).sum();
            resist_rolling(patch, bodies, both, total);
        }
        if !(patch.friction > 0.0) {
            return;
        }
        let [a, b] = both;
        for point in &mut points[patch.points.clone()] {
            let old = point.tangential;
            if point.impulse == 0.0 && old == [0.0; 2] {
                continue;
            }
            let relative = b.velocity - a.velocity;
            let wanted: [f64; 2] = std::array::from_fn(|k| {
                let speed = point.across[k].speed(patch.tangents[k].dot(relative), [a, b]);
                old[k] - point.tangent_mass * speed
            });
            let most = patch.friction * point.impulse;
            let square = wanted[0] * wanted[0] + wanted[1] * wanted[1];
            let part = if square > most * most { most / square.sqrt() } else { 1.0 };
            for k in 0..2 {
                let next = wanted[k] * part;
                point.across[k].push(patch.linear[k + 1], [a, b], next - old[k]);
                point.tangential[k] = next;
            }
        }
    }

    /// Points that approached faster than the threshold, and were pushed, separate with their part of that speed.
    pub fn restitute(&self, patch: &Patch, points: &mut [SoftPoint], twists: &mut [Twist], threshold: f64) {
        if patch.restitution <= 0.0 {
            return;
        }
        let [mut a, mut b] = patch.bodies.map(|body| twists[body]);
        for point in &mut points[patch.points.clone()] {
            if point.speed > -threshold || point.largest == 0.0 {
                continue;
            }
            let speed = point.normal.speed(patch.normal.dot(b.velocity - a.velocity), [&a, &b]);
            let step = -point.normal_mass * (speed + patch.restitution * point.speed);
            let next = (point.impulse + step).max(0.0);
            point.normal.push(patch.linear[0], [&mut a, &mut b], next - point.impulse);
            point.impulse = next;
            point.largest = point.largest.max(next);
        }
        put(twists, patch.bodies, [a, b]);
    }
}

fn put(twists: &mut [Twist], [a, b]: [usize; 2], both: [Twist; 2]) {
    (twists[a], twists[b]) = (both[0], both[1]);
}

fn resist_rolling(patch: &mut Patch, bodies: &[StepBody], [a, b]: &mut [Twist; 2], total: f64) {
    let [one, other] = patch.bodies.map(|body| bodies[body].moving.inverse_inertia);
    let step: DVec3 = -((one + other).inverse() * (b.spin - a.spin));
    if !step.is_finite() {
        return;
    }
    let (wanted, most) = (patch.rolling_impulse + step, patch.rolling * total);
    let clipped = if wanted.length() > most { wanted * (most / wanted.length()) } else { wanted };
    let change = clipped - patch.rolling_impulse;
    a.spin -= one * change;
    b.spin += other * change;
    patch.rolling_impulse = clipped;
}
