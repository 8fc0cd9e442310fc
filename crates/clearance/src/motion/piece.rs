//! A piece of the motion of a body, or of a part of a body: one segment, or a user-defined trajectory.

use super::segment::{MotionSegment, Slack};
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
    MotionSegment(MotionSegment),
    Custom(&'a dyn Trajectory, BodyPart),
}

impl<'a> MotionPiece<'a> {
    /// The piece at a time, and when it ends.
    pub fn at(motion: &'a Motion, time: f64) -> (Self, f64) {
        match (motion.segment(time), motion.trajectory()) {
            (Some((segment, end)), _) => (Self::MotionSegment(*segment), end),
            (None, Some(trajectory)) => (Self::Custom(trajectory, BodyPart::WHOLE), f64::INFINITY),
            (None, None) => (Self::MotionSegment(MotionSegment::at(Pose::IDENTITY)), f64::INFINITY),
        }
    }

    /// The piece of a part of the body.
    pub fn of_part(&self, part: &BodyPart) -> Self {
        match self {
            Self::MotionSegment(segment) => Self::MotionSegment(segment.of_part(&part.pose, part.moved, part.turned)),
            Self::Custom(trajectory, _) => Self::Custom(*trajectory, *part),
        }
    }

    /// The pose of the body or part.
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Self::MotionSegment(segment) => segment.pose(time),
            Self::Custom(trajectory, part) => trajectory.pose(time) * part.pose,
        }
    }

    /// The rounding error of a point at that distance from the origin of the body.
    pub fn rounding(&self, time: f64, radius: f64) -> f64 {
        match self {
            Self::MotionSegment(segment) => {
                let moved = segment.from(time);
                let slack = &moved.slack;
                slack.place + slack.turned * (radius + segment.center.length()) + COMPOSED * segment.center.length()
            }
            Self::Custom(_, part) => part.moved + part.turned * radius,
        }
    }

    pub fn segment(&self) -> Option<&MotionSegment> {
        match self {
            Self::MotionSegment(segment) => Some(segment),
            Self::Custom(..) => None,
        }
    }
}
