//! Torque-free rotation: the angular momentum is constant, the angular velocity is not.
//!
//! Euler's equations, I ω' = (I ω) × ω in the axes of the body, are integrated once, when the motion is made, into segments with constant
//! angular velocities. Answers are about these segments, which agree with the integration at their ends. Segments are [`FREE_STEP`] radians long, and the error per radian is about
//! the fifth power of that.

use super::segment::{MotionSegment, Slack};
use super::{Kind, Motion};
use crate::error::{self, BuildError};
use crate::math::Pose;
use crate::shape::MassProperties;
use crate::tuning::motion::FREE_STEP;
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// Motion segments of one flight, at most. Limit: a segment takes about 200 bytes.
const MAX_SEGMENTS: usize = 1 << 20;

impl Motion {
    /// Free flight from time zero on. The center of mass of the body is thrown with a velocity and falls. The body rotates without torque,
    /// beginning with an angular velocity in the axes of the world. After the end it goes on with what it then has.
    ///
    /// ```
    /// use clearance::motion::Motion;
    /// use clearance::{Pose, Shape};
    ///
    /// // A box about its middle axis turns over and over: the intermediate axis theorem.
    /// let book = Shape::cuboid([0.1, 0.2, 0.03])?;
    /// let solid = book.mass_properties().expect("a solid");
    /// let toss = Motion::torque_free(Pose::IDENTITY, [0.0; 3], [6.0, 0.01, 0.0], [0.0; 3], &solid, 20.0)?;
    /// let faces_back = (0..200).any(|k| toss.pose(0.1 * f64::from(k)).transform_vector([1.0, 0.0, 0.0]).x < -0.99);
    /// assert!(faces_back);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn torque_free(
        pose: Pose,
        velocity: impl Into<DVec3>,
        angular_velocity: impl Into<DVec3>,
        gravity: impl Into<DVec3>,
        solid: &MassProperties,
        until: f64,
    ) -> Result<Self, BuildError> {
        let velocity = error::vector(|| "velocity".into(), velocity.into())?;
        let spin = error::vector(|| "angular_velocity".into(), angular_velocity.into())?;
        let acceleration = error::vector(|| "gravity".into(), gravity.into())?;
        let until = error::size(|| "until".into(), until)?;
        let inertia = solid.inertia;
        let inverse = inertia.inverse();
        // The fastest that it can turn, by its energy: |ω|² <= 2 E / the least moment, which the trace of the inverse bounds.
        let local = pose.rotation().conjugate() * spin;
        let fastest = (local.dot(inertia * local) * trace(inverse)).sqrt().max(spin.length());
        let count = (fastest * until / FREE_STEP).ceil().max(1.0);
        if !(count <= MAX_SEGMENTS as f64) || !inverse.is_finite() {
            let len = if count.is_finite() { count as usize } else { usize::MAX };
            return Err(BuildError::TooMany { field: "turns".into(), len, max: MAX_SEGMENTS });
        }
        let step = until / count;
        let whole = MotionSegment { velocity, acceleration, ..MotionSegment::at(pose).about(solid.centroid) };
        let (mut turn, mut rate) = (pose.rotation(), local);
        let mut segments = vec![MotionSegment { start: f64::NEG_INFINITY, ..MotionSegment::at(pose) }];
        for k in 0..count as usize {
            let start = step * k as f64;
            let at = MotionSegment { start: 0.0, ..whole }.from(start);
            let (next, next_rate) = extrapolate(turn, rate, step, &inertia, &inverse);
            let spin = spin_between(turn, next, step);
            let slack = Slack { turned: 0.0, ..at.slack };
            segments.push(MotionSegment { start, rotation: turn, spin, slack, ..at });
            (turn, rate) = (next, next_rate);
        }
        Ok(Self { kind: Kind::Free(segments.into()) })
    }
}

/// The segments of a flight that begins at another time than zero.
///
/// The second segment begins at time zero. It has the place and the velocity there, from which those of the others follow.
pub(super) fn shifted(segments: &[MotionSegment], start: f64) -> Arc<[MotionSegment]> {
    let [rest, first, ..] = segments else { return segments.into() };
    let whole = MotionSegment { start, ..*first };
    let flying = segments[1..].iter().map(|segment| {
        let at = whole.from(start + segment.start);
        let slack = Slack { turned: segment.slack.turned, ..at.slack };
        MotionSegment { rotation: segment.rotation, spin: segment.spin, slack, ..at }
    });
    [*rest].into_iter().chain(flying).collect()
}

/// One step by Richardson's extrapolation: two half steps of fourth order, less 1/15 of their difference from the whole step, are of fifth order.
fn extrapolate(q: DQuat, w: DVec3, step: f64, inertia: &DMat3, inverse: &DMat3) -> (DQuat, DVec3) {
    let (coarse, coarse_rate) = integrate(q, w, step, inertia, inverse);
    let (half, half_rate) = integrate(q, w, 0.5 * step, inertia, inverse);
    let (fine, fine_rate) = integrate(half, half_rate, 0.5 * step, inertia, inverse);
    let turn = fine + (fine - coarse) * (1.0 / 15.0);
    (turn.normalize(), fine_rate + (fine_rate - coarse_rate) / 15.0)
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// One step of the classical method of fourth order for q' = ½ q (ω, 0) and Euler's equations.
fn integrate(q: DQuat, w: DVec3, step: f64, inertia: &DMat3, inverse: &DMat3) -> (DQuat, DVec3) {
    let slope =
        |q: DQuat, w: DVec3| (q * DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * 0.5, *inverse * (*inertia * w).cross(w));
    let ahead = |(dq, dw): (DQuat, DVec3), by: f64| (q + dq * by, w + dw * by);
    let first = slope(q, w);
    let (q2, w2) = ahead(first, 0.5 * step);
    let second = slope(q2, w2);
    let (q3, w3) = ahead(second, 0.5 * step);
    let third = slope(q3, w3);
    let (q4, w4) = ahead(third, step);
    let fourth = slope(q4, w4);
    let sixth = step / 6.0;
    let q = q + (first.0 + second.0 * 2.0 + third.0 * 2.0 + fourth.0) * sixth;
    let w = w + (first.1 + 2.0 * second.1 + 2.0 * third.1 + fourth.1) * sixth;
    (q.normalize(), w)
}

/// The constant angular velocity, in the axes of the world, that takes one rotation to another in a time.
pub(super) fn spin_between(from: DQuat, to: DQuat, time: f64) -> DVec3 {
    let mut arc = to * from.conjugate();
    if arc.w < 0.0 {
        arc = -arc;
    }
    let axis = DVec3::new(arc.x, arc.y, arc.z);
    let sine = axis.length();
    // Twice the angle of the quaternion, which the tangent knows best.
    let angle = 2.0 * libm::atan2(sine, arc.w);
    if sine > 0.0 { axis * (angle / sine / time) } else { DVec3::ZERO }
}
