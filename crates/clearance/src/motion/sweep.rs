//! A straight path of a shape, checked when it is built.

use super::segment::{MotionSegment, Slack};
use super::{Kind, Motion};
use crate::error::{self, BuildError};
use crate::math::{Pose, exact};
use glam::DVec3;

/// The straight path of a shape that is cast: from a pose along a direction, without rotation, by at most a distance.
///
/// ```
/// use clearance::{Pose, Sweep};
///
/// let sweep = Sweep::new(Pose::IDENTITY, [0.0, 2.0, 0.0], 10.0)?;
/// assert_eq!((sweep.direction().to_array(), sweep.max()), ([0.0, 1.0, 0.0], 10.0));
/// assert_eq!(sweep.pose(4.0), Pose::from_translation([0.0, 4.0, 0.0]));
/// let error = Sweep::new(Pose::IDENTITY, [0.0, 2.0, 0.0], f64::INFINITY).unwrap_err();
/// assert_eq!(error.to_string(), "max is inf, but must be a finite number");
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    start: Pose,
    /// A unit vector.
    direction: DVec3,
    max: f64,
}

impl Sweep {
    /// From a pose along a direction, of any length but zero, by at most the distance `max`.
    pub fn new(start: Pose, direction: impl Into<DVec3>, max: f64) -> Result<Self, BuildError> {
        let direction = error::vector(|| "direction".into(), direction.into())?;
        if direction == DVec3::ZERO {
            return Err(BuildError::ZeroDirection { field: "direction".into() });
        }
        let max = error::size(|| "max".into(), max)?;
        Ok(Self { start, direction: exact::unit(direction), max })
    }

    /// Where the shape is at first.
    #[must_use]
    pub const fn start(&self) -> Pose {
        self.start
    }

    /// The unit vector along which it moves.
    #[must_use]
    pub const fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The distance by which it moves at most.
    #[must_use]
    pub const fn max(&self) -> f64 {
        self.max
    }

    /// The pose after a distance.
    #[must_use]
    pub fn pose(&self, distance: f64) -> Pose {
        self.motion().pose(distance)
    }

    /// The motion at unit speed: times are distances.
    pub(crate) fn motion(&self) -> Motion {
        // The unit vector is rounded: its length and each of its coordinates by less than 4 ε.
        let slack = Slack { drift: 4.0 * f64::EPSILON, ..Slack::default() };
        Motion {
            kind: Kind::Single(MotionSegment { velocity: self.direction, slack, ..MotionSegment::at(self.start) }),
        }
    }
}
