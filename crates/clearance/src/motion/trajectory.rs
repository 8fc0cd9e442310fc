//! User-defined motions.

use crate::math::Pose;
use std::fmt::Debug;

/// A motion that is known by its poses and by how far they may be from each other. Implement it to bring your own: a robot's arm, a
/// recording, a spline.
///
/// Times of impact are right if the bounds are. A bound that is too small may give wrong times, one that is too large takes longer; no
/// bound whatsoever makes a query panic or hang.
///
/// ```
/// use clearance::motion::Trajectory;
/// use clearance::{Impact, Interval, Motion, Pose, Shape, time_of_impact};
///
/// /// A pendulum of length one: x = sin t.
/// #[derive(Debug)]
/// struct Shaker;
///
/// impl Trajectory for Shaker {
///     fn pose(&self, time: f64) -> Pose {
///         Pose::from_translation([time.sin(), 0.0, 0.0])
///     }
///     fn displacement(&self, from: f64, to: f64, _radius: f64) -> f64 {
///         // It is never faster than one, and never farther than two.
///         (to - from).min(2.0)
///     }
/// }
///
/// let (ball, wall) = (Shape::sphere(0.1)?, Shape::half_space([1.0, 0.0, 0.0], -0.6)?);
/// let (shaking, still) = (Motion::custom(Shaker), Motion::fixed(Pose::IDENTITY));
/// let Impact::Hit(hit) = time_of_impact(&ball, &shaking, &wall, &still, Interval::new(0.0, 10.0)?) else { panic!() };
/// let truth = std::f64::consts::PI + 0.5_f64.asin();
/// assert!(hit.lower <= truth && truth <= hit.upper);
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub trait Trajectory: Debug + Send + Sync {
    /// Where the body is at a time.
    fn pose(&self, time: f64) -> Pose;

    /// A bound on how far any point of the body that is within `radius` of its origin gets away, at any time from `from` to `to`, from where
    /// it is at `from`. The radius is infinite for half-spaces.
    fn displacement(&self, from: f64, to: f64, radius: f64) -> f64;
}
