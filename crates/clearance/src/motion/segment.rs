//! A motion segment: constant acceleration and constant angular velocity.
//!
//! The *center*, a point c of the body, moves along a parabola, and the body rotates about it at a constant rate:
//!
//! x(t) = p + v s + ½ g s² + e^{ω s} R (x - c),  s = t - start.
//!
//! All motions but user-defined ones consist of segments.

use super::free::spin_between;
use super::turn;
use crate::math::Pose;
use crate::math::rounding::COMPOSED;
use glam::{DQuat, DVec3};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionSegment {
    /// The time at which `place`, `velocity` and `rotation` hold; minus infinity for the rest before the first key frame.
    pub start: f64,
    /// The point of the body that it turns about, in its own frame: c.
    pub center: DVec3,
    /// Where the center is at the start: p.
    pub place: DVec3,
    /// v.
    pub velocity: DVec3,
    /// g.
    pub acceleration: DVec3,
    /// R, the rotation at the start.
    pub rotation: DQuat,
    /// ω, in the axes of the world.
    pub spin: DVec3,
    /// Error bounds relative to the motion as it was given.
    pub slack: Slack,
}

/// Error bounds of the numbers of a segment, which are computed from those that were given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Slack {
    /// Of `place`: a length.
    pub place: f64,
    /// Of `velocity`: a length per unit of time since the start.
    pub drift: f64,
    /// Of `rotation`: radians.
    pub turned: f64,
}

impl MotionSegment {
    /// A body at rest.
    pub fn at(pose: Pose) -> Self {
        Self {
            start: 0.0,
            center: DVec3::ZERO,
            place: pose.translation(),
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            rotation: pose.rotation(),
            spin: DVec3::ZERO,
            slack: Slack::default(),
        }
    }

    /// Straight from one pose to another, by the shortest arc.
    pub fn between((start, from): (f64, Pose), (end, to): (f64, Pose)) -> Self {
        let time = end - start;
        let way = to.translation() - from.translation();
        let spin = spin_between(from.rotation(), to.rotation(), time);
        // Rounding of the differences, quotients and the product of rotations.
        let length = way.abs().element_sum();
        // The difference of two places and the quotient round by ε/2 each.
        let slack = Slack { place: 0.0, drift: 2.0 * f64::EPSILON * length / time, turned: COMPOSED };
        Self { start, velocity: way / time, spin, slack, ..Self::at(from) }
    }

    /// The segment whose center is another point of the body.
    pub fn about(self, center: DVec3) -> Self {
        let arm = self.rotation * (center - self.center);
        let reach = self.place.abs().element_sum() + center.length() + self.center.length();
        let slack = Slack { place: self.slack.place + COMPOSED * reach, ..self.slack };
        Self { center, place: self.place + arm, slack, ..self }
    }

    /// The segment of a part, whose frame has that pose in the body's.
    pub fn of_part(&self, pose: &Pose, slack: f64, turned: f64) -> Self {
        // A translation of the frame rounds only the center.
        if !pose.is_turned() {
            let center = self.center - pose.translation();
            // One difference.
            let rounding = f64::EPSILON * center.abs().element_sum();
            return Self { center, slack: Slack { place: self.slack.place + rounding + slack, ..self.slack }, ..*self };
        }
        let reach = self.center.length() + pose.translation().length();
        let Slack { place, turned: before, .. } = self.slack;
        Self {
            center: pose.inverse_transform_point(self.center),
            rotation: self.rotation * pose.rotation(),
            slack: Slack { place: place + COMPOSED * reach + slack, turned: before + COMPOSED + turned, ..self.slack },
            ..*self
        }
    }

    #[inline]
    pub fn is_fixed(&self) -> bool {
        self.velocity == DVec3::ZERO && self.acceleration == DVec3::ZERO && self.spin == DVec3::ZERO
    }

    /// The time since the start; zero for a body that has always rested.
    #[inline]
    fn elapsed(&self, time: f64) -> f64 {
        if self.start == f64::NEG_INFINITY { 0.0 } else { time - self.start }
    }

    /// Where the center is.
    #[inline]
    pub fn place_at(&self, time: f64) -> DVec3 {
        let s = self.elapsed(time);
        self.place + (self.velocity + self.acceleration * (0.5 * s)) * s
    }

    /// The pose of the body.
    pub fn pose(&self, time: f64) -> Pose {
        let s = self.elapsed(time);
        let rotation = if self.spin == DVec3::ZERO { self.rotation } else { turn(self.spin * s) * self.rotation };
        let place = self.place_at(time) - rotation * self.center;
        // Speeds of 1e60 for times of 1e60 overflow, as may a center that is as far from the origin as the body is from that of the world; no
        // query uses such a pose.
        Pose::try_new(place, rotation).unwrap_or_else(|_| Pose::of_unit(self.place, self.rotation))
    }

    /// This segment, with another time as its start.
    pub fn from(&self, time: f64) -> Self {
        if self.is_fixed() || self.start == time {
            return Self { start: time, ..*self };
        }
        let s = self.elapsed(time);
        let place = self.place_at(time);
        let lengths = self.place.abs() + (self.velocity.abs() + self.acceleration.abs() * s.abs()) * s.abs();
        let angle = self.spin.length() * s.abs();
        let velocity = self.velocity + self.acceleration * s;
        let Slack { place: before, drift, turned } = self.slack;
        Self {
            start: time,
            place,
            velocity,
            rotation: (turn(self.spin * s) * self.rotation).normalize(),
            slack: Slack {
                // Two products and two sums to a coordinate.
                place: before + drift * s.abs() + 4.0 * f64::EPSILON * lengths.element_sum(),
                drift: drift
                    // A product and a sum.
                    + 2.0 * f64::EPSILON * (self.velocity.abs() + self.acceleration.abs() * s.abs()).element_sum(),
                // The angle, its sine and cosine round by less than 8 ε.
                turned: turned + 2.0 * COMPOSED + 8.0 * f64::EPSILON * angle,
            },
            ..*self
        }
    }
}
