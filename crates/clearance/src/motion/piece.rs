//! A piece of the motion of a body, or of a part of a body: one leg, or a user-defined trajectory.

use super::leg::{Leg, Slack};
use super::{Motion, Trajectory};
use crate::math::Pose;
use crate::math::rounding::COMPOSED;

/// A part of a body: its pose in the body's frame, with error bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyPart {
    pub pose: Pose,
    pub moved: f64,
    pub turned: f64,
}

impl BodyPart {
    /// The body itself.
    pub const WHOLE: Self = Self { pose: Pose::IDENTITY, moved: 0.0, turned: 0.0 };

    pub fn slack(&self) -> Slack {
        Slack { place: self.moved, drift: 0.0, turned: self.turned }
    }
}

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(super) enum MotionPiece<'a> {
    Leg(Leg),
    Custom(&'a dyn Trajectory, BodyPart),
}

impl<'a> MotionPiece<'a> {
    /// The piece at a time, and when it ends.
    pub fn at(motion: &'a Motion, time: f64) -> (Self, f64) {
        match (motion.leg(time), motion.trajectory()) {
            (Some((leg, end)), _) => (Self::Leg(*leg), end),
            (None, Some(trajectory)) => (Self::Custom(trajectory, BodyPart::WHOLE), f64::INFINITY),
            (None, None) => (Self::Leg(Leg::at(Pose::IDENTITY)), f64::INFINITY),
        }
    }

    /// The piece of a part of the body.
    pub fn of_part(&self, part: &BodyPart) -> Self {
        match self {
            Self::Leg(leg) => Self::Leg(leg.of_part(&part.pose, part.moved, part.turned)),
            Self::Custom(trajectory, _) => Self::Custom(*trajectory, *part),
        }
    }

    /// The pose of the body or part.
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Leg(leg) => leg.pose(time),
            Self::Custom(trajectory, part) => trajectory.pose(time) * part.pose,
        }
    }

    /// The rounding error of a point at that distance from the origin of the body.
    pub fn rounding(&self, time: f64, radius: f64) -> f64 {
        match self {
            Self::Leg(leg) => {
                let moved = leg.from(time);
                let slack = &moved.slack;
                slack.place + slack.turned * (radius + leg.center.length()) + COMPOSED * leg.center.length()
            }
            Self::Custom(_, part) => part.moved + part.turned * radius,
        }
    }

    pub fn leg(&self) -> Option<&Leg> {
        match self {
            Self::Leg(leg) => Some(leg),
            Self::Custom(..) => None,
        }
    }
}
