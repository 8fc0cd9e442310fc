//! Motions, and the times at which moving bodies meet.
//!
//! A [`Motion`] gives the pose of a body at any time. [`time_of_impact`] brackets the time at which two moving bodies first touch between proved
//! bounds, or proves that they do not touch at any time of the interval.
//!
//! ```
//! use clearance::{Impact, Interval, Motion, Pose, Shape, time_of_impact};
//!
//! // A bullet and a thin wall: a test at fixed times would miss it.
//! let (bullet, wall) = (Shape::sphere(0.005)?, Shape::cuboid([1e-6, 1.0, 1.0])?);
//! let flight = Motion::linear(Pose::from_translation([-100.0, 0.0, 0.0]), [900.0, 0.0, 0.0], [0.0; 3])?;
//! let still = Motion::fixed(Pose::IDENTITY);
//! let Impact::Hit(hit) = time_of_impact(&bullet, &flight, &wall, &still, Interval::UNIT) else { panic!() };
//! let truth = (100.0 - 0.005 - 1e-6) / 900.0;
//! assert!(hit.lower <= truth && truth <= hit.upper && hit.upper - hit.lower < 1e-12);
//! # Ok::<(), clearance::BuildError>(())
//! ```
//!
//! **Method: conservative advancement with a second-order bound.** Fix a direction n and a rigid body that rotates at a constant rate ω.
//! The height of a point has a second derivative of at most ω² times the distance of the point from the axis. So bodies that are separated
//! along n at two times are separated in between, up to the sag of a parabola below the chord (`envelope`). A *chain* of such intervals
//! from the start on proves that no contact is missed (`advance.rs`); it is the evidence that the checker reads. The normal at the contact
//! separates the bodies long before it, so the search predicts the contact first, without proof (`predict`), and then certifies the
//! prediction (`certify`).
//!
//! Paper \[Two-Phase\] (Mirtich 1997), section 4, schedules checks by lower bounds on the time of impact. Its bound uses the fastest point of a body for all of
//! it, which is of first order and closes a gap by a fraction in each step. The bound used here converges like Newton's method.

mod advance;
mod cast;
mod certify;
mod closest;
mod envelope;
mod free;
mod impact;
mod interval;
mod parts;
mod piece;
mod predict;
mod segment;
mod sweep;
mod swept;
#[cfg(test)]
mod tests;
mod trajectory;

pub use cast::{ShapeHit, cast_shape};
pub use closest::closest_approach;
pub use impact::{Approach, Hit, Impact, Undecided, time_of_impact};
pub use interval::Interval;
pub use sweep::Sweep;
pub use trajectory::Trajectory;

#[cfg(feature = "proof")]
pub(crate) use advance::Chain;
pub(crate) use impact::Moving;
pub(crate) use segment::MotionSegment;

use crate::error::{self, BuildError};
use crate::math::Pose;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// The pose of a body as a function of time.
///
/// Times are in any unit, say seconds; velocities are lengths per unit of time, angular velocities radians per unit of time, in
/// the axes of the world. The pose that a constructor takes is the one at time zero.
///
/// ```
/// use clearance::Pose;
/// use clearance::motion::Motion;
///
/// let thrown = Motion::ballistic(Pose::IDENTITY, [1.0, 5.0, 0.0], [0.0, 0.0, 3.0], [0.0, -10.0, 0.0])?;
/// assert!(thrown.pose(1.0).translation().distance([1.0, 0.0, 0.0].into()) < 1e-15);
/// let error = Motion::linear(Pose::IDENTITY, [f64::NAN, 0.0, 0.0], [0.0; 3]).unwrap_err();
/// assert_eq!(error.to_string(), "velocity.x is NaN, but must be a finite number");
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Motion {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// One segment for all times.
    Single(MotionSegment),
    /// Segments sorted by their starts. Before the first and after the last the body is at rest.
    Segments(Arc<[MotionSegment]>),
    /// Segments of a torque-free flight: the first is at rest until the flight begins.
    Free(Arc<[MotionSegment]>),
    /// User-defined.
    Custom(Arc<dyn Trajectory>),
}

impl Motion {
    /// No motion at all.
    #[must_use]
    pub fn fixed(pose: Pose) -> Self {
        Self { kind: Kind::Single(MotionSegment::at(pose)) }
    }

    /// A constant velocity of the body's origin and a constant angular velocity about it.
    pub fn linear(
        pose: Pose,
        velocity: impl Into<DVec3>,
        angular_velocity: impl Into<DVec3>,
    ) -> Result<Self, BuildError> {
        Self::ballistic(pose, velocity, angular_velocity, DVec3::ZERO)
    }

    /// Free flight: [`linear`](Self::linear), with an acceleration of the body's origin.
    pub fn ballistic(
        pose: Pose,
        velocity: impl Into<DVec3>,
        angular_velocity: impl Into<DVec3>,
        gravity: impl Into<DVec3>,
    ) -> Result<Self, BuildError> {
        let velocity = error::vector(|| "velocity".into(), velocity.into())?;
        let spin = error::vector(|| "angular_velocity".into(), angular_velocity.into())?;
        let acceleration = error::vector(|| "gravity".into(), gravity.into())?;
        Ok(Self { kind: Kind::Single(MotionSegment { velocity, acceleration, spin, ..MotionSegment::at(pose) }) })
    }

    /// This motion, but about another point of the body than its origin: the velocity and the acceleration are those of that point, and the
    /// body turns about it. The point is in the body's own frame. Poses at time zero stay what they are.
    ///
    /// ```
    /// use clearance::Pose;
    /// use clearance::motion::Motion;
    ///
    /// // A door of width one about its hinge at the left.
    /// let door = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, std::f64::consts::FRAC_PI_2])?.about([-0.5, 0.0, 0.0])?;
    /// assert!(door.pose(1.0).translation().distance([-0.5, 0.5, 0.0].into()) < 1e-15);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    ///
    /// Key frames and user-defined motions stay as they are: their places are given.
    pub fn about(self, center: impl Into<DVec3>) -> Result<Self, BuildError> {
        let center = error::vector(|| "center".into(), center.into())?;
        Ok(match self.kind {
            Kind::Single(segment) => Self { kind: Kind::Single(segment.about(center)) },
            kind => Self { kind },
        })
    }

    /// This motion, shifted in time: it starts at another time than zero.
    ///
    /// ```
    /// use clearance::Pose;
    /// use clearance::motion::Motion;
    ///
    /// let late = Motion::linear(Pose::IDENTITY, [1.0, 0.0, 0.0], [0.0; 3])?.from_time(5.0)?;
    /// assert_eq!(late.pose(7.0), Pose::from_translation([2.0, 0.0, 0.0]));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    ///
    /// Key frames and user-defined motions stay as they are: their times are given.
    pub fn from_time(self, start: f64) -> Result<Self, BuildError> {
        let start = error::coordinate(|| "start".into(), start)?;
        Ok(match self.kind {
            Kind::Single(segment) => Self { kind: Kind::Single(MotionSegment { start, ..segment }) },
            Kind::Free(segments) => Self { kind: Kind::Free(free::shifted(&segments, start)) },
            kind => Self { kind },
        })
    }

    /// From one pose to another in a given time: the origin along a straight line, the rotation along the shortest arc, both at
    /// constant rates. Before and after, the body is at rest.
    pub fn between(start: Pose, end: Pose, time: f64) -> Result<Self, BuildError> {
        let time = error::size(|| "time".into(), time)?;
        if time == 0.0 {
            return Err(BuildError::NotInOrder { field: "time".into(), value: time, earlier: 0.0 });
        }
        Self::key_frames(&[(0.0, start), (time, end)])
    }

    /// Through poses at given times, each time later than the one before: between two of them as in [`between`](Self::between).
    ///
    /// ```
    /// use clearance::Pose;
    /// use clearance::motion::Motion;
    ///
    /// let frames = [0.0, 1.0, 3.0].map(|x| (x, Pose::from_translation([x * x, 0.0, 0.0])));
    /// assert_eq!(Motion::key_frames(&frames)?.pose(2.0), Pose::from_translation([5.0, 0.0, 0.0]));
    /// let error = Motion::key_frames(&[frames[1], frames[0]]).unwrap_err();
    /// assert_eq!(error.to_string(), "key_frames[1].time is 0, but must be later than 1");
    /// let error = Motion::key_frames(&[frames[0], (1e-300, frames[1].1)]).unwrap_err();
    /// assert!(error.to_string().starts_with("key_frames[1].time is 1e-300, so soon after 0e0 that the body is faster than 1e60"));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn key_frames(frames: &[(f64, Pose)]) -> Result<Self, BuildError> {
        let Some(&(_, first)) = frames.first() else { return Err(BuildError::Empty { field: "key_frames".into() }) };
        for (number, &(time, _)) in frames.iter().enumerate() {
            let field = || format!("key_frames[{number}].time");
            error::coordinate(field, time)?;
            let earlier = number.checked_sub(1).map_or(f64::NEG_INFINITY, |before| frames[before].0);
            if time <= earlier {
                return Err(BuildError::NotInOrder { field: field(), value: time, earlier });
            }
        }
        if frames.len() == 1 {
            return Ok(Self::fixed(first));
        }
        let mut segments = vec![MotionSegment { start: f64::NEG_INFINITY, ..MotionSegment::at(first) }];
        for (number, pair) in frames.windows(2).enumerate() {
            let segment = MotionSegment::between(pair[0], pair[1]);
            // Written so that a NaN is too fast. Velocities that are given have the same bound.
            let most = DVec3::splat(error::MAX_COORDINATE);
            if !(segment.velocity.abs().cmple(most).all() && segment.spin.abs().cmple(most).all()) {
                let field = format!("key_frames[{}].time", number + 1);
                return Err(BuildError::TooFast { field, value: pair[1].0, earlier: pair[0].0 });
            }
            segments.push(segment);
        }
        let (end, last) = frames[frames.len() - 1];
        segments.push(MotionSegment { start: end, ..MotionSegment::at(last) });
        Ok(Self { kind: Kind::Segments(segments.into()) })
    }

    /// A user-defined motion, see [`Trajectory`].
    #[must_use]
    pub fn custom(trajectory: impl Trajectory + 'static) -> Self {
        Self { kind: Kind::Custom(Arc::new(trajectory)) }
    }

    /// The pose at a time; at a time that is NaN or beyond all bounds, the pose at time zero.
    #[must_use]
    pub fn pose(&self, time: f64) -> Pose {
        let time = if time.abs() <= error::MAX_COORDINATE { time } else { 0.0 };
        match &self.kind {
            Kind::Custom(trajectory) => trajectory.pose(time),
            _ => self.segment(time).map_or(Pose::IDENTITY, |(segment, _)| segment.pose(time)),
        }
    }

    /// Is the body at rest at all times?
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        matches!(&self.kind, Kind::Single(segment) if segment.is_fixed())
    }

    /// The segment at a time, and when it ends. `None` for a user-defined motion.
    #[inline]
    pub(crate) fn segment(&self, time: f64) -> Option<(&MotionSegment, f64)> {
        match &self.kind {
            Kind::Single(segment) => Some((segment, f64::INFINITY)),
            Kind::Segments(segments) | Kind::Free(segments) => {
                // The last one that has begun.
                let number = segments.partition_point(|segment| segment.start <= time).max(1) - 1;
                Some((&segments[number], segments.get(number + 1).map_or(f64::INFINITY, |next| next.start)))
            }
            Kind::Custom(_) => None,
        }
    }

    /// The trajectory of a user-defined motion.
    pub(crate) fn trajectory(&self) -> Option<&dyn Trajectory> {
        match &self.kind {
            Kind::Custom(trajectory) => Some(&**trajectory),
            Kind::Single(_) | Kind::Segments(_) | Kind::Free(_) => None,
        }
    }
}

/// The rotation by |v| about v, right to about 4 ε and 2 ε of the angle.
pub(crate) fn turn(v: DVec3) -> DQuat {
    // Scaled, so that the square of no angle vanishes.
    let largest = v.abs().max_element();
    if largest < f64::MIN_POSITIVE {
        return DQuat::IDENTITY;
    }
    let scaled = v / largest;
    let length = scaled.length();
    // The sines of the system differ from machine to machine.
    let (sine, cosine) = libm::sincos(0.5 * length * largest);
    let part = scaled * (sine / length);
    DQuat::from_xyzw(part.x, part.y, part.z, cosine)
}
