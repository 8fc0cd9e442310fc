//! Boxes around all that a moving body sweeps in an interval of time.

use super::envelope::MovingBody;
use super::{Interval, Motion, MotionSegment};
use crate::math::Aabb;
use crate::shape::{Family, Shape};
use glam::DVec3;

impl Motion {
    /// A box around a body at all times of an interval: ballistic arcs with their apex, turns with the true extent of what is swept.
    ///
    /// ```
    /// use clearance::{Interval, Motion, Pose, Shape};
    ///
    /// let ball = Shape::sphere(0.5)?;
    /// let thrown = Motion::ballistic(Pose::IDENTITY, [3.0, 4.0, 0.0], [0.0; 3], [0.0, -2.0, 0.0])?;
    /// let bounds = thrown.swept_aabb(&ball, Interval::new(0.0, 4.0)?);
    /// assert!((bounds.max.y - 4.5).abs() < 1e-12);              // the apex, after two seconds
    /// assert!((bounds.max.x - 12.5).abs() < 1e-12 && (bounds.min.y + 0.5).abs() < 1e-12);
    ///
    /// // A rod that turns about its own axis, and one that whirls.
    /// let rod = Shape::cuboid([3.0, 0.1, 0.1])?;
    /// let spun = |axis: [f64; 3]| Motion::linear(Pose::IDENTITY, [0.0; 3], axis);
    /// assert!(spun([1.0, 0.0, 0.0])?.swept_aabb(&rod, Interval::UNIT).max.y < 0.15);
    /// assert!(spun([0.0, 0.0, 9.0])?.swept_aabb(&rod, Interval::UNIT).max.y > 2.99);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn swept_aabb(&self, shape: &Shape, interval: Interval) -> Aabb {
        self.swept(shape, interval.ends())
    }

    pub(crate) fn swept(&self, shape: &Shape, [from, until]: [f64; 2]) -> Aabb {
        if let Some(trajectory) = self.trajectory() {
            let moved = trajectory.displacement(from, until, shape.bounding_radius());
            let bounds = shape.aabb(&trajectory.pose(from));
            // Written so that a NaN is a bound that says nothing.
            return if moved >= 0.0 && moved.is_finite() { bounds.grown(moved.next_up()) } else { Aabb::EVERYTHING };
        }
        let mut all = Aabb::EMPTY;
        let mut time = from;
        while time < until
            && let Some((segment, end)) = self.segment(time)
        {
            let end = end.min(until);
            all = all.merged(&swept_by(shape, segment, [time, end]));
            time = end;
        }
        all
    }
}

/// The box around all that a shape sweeps in one segment.
fn swept_by(shape: &Shape, segment: &MotionSegment, [from, until]: [f64; 2]) -> Aabb {
    match shape.family() {
        Family::HalfSpace(_) => Aabb::EVERYTHING,
        Family::Compound(compound) => compound.parts().iter().fold(Aabb::EMPTY, |all, part| {
            let segment = segment.of_part(&part.pose, part.slack(), part.turn());
            all.merged(&swept_by(&part.shape, &segment, [from, until]))
        }),
        Family::Convex(_) | Family::Mesh(_) => {
            let segment = segment.from(from);
            let body = MovingBody::new(shape, &segment);
            let time = until - from;
            let [low, high] = path(&segment, time);
            let heights = body.span_over(time);
            let slack = body.slack_over(time) + segment.slack.place + segment.slack.drift * time;
            let lengths = (segment.place.abs() + (segment.velocity.abs() + segment.acceleration.abs() * time) * time)
                .element_sum();
            let bounds = Aabb { min: low - heights[0], max: high + heights[1] };
            // A place has three terms with two products and two sums: less than 8 ε.
            let grown = bounds.grown(slack + 8.0 * f64::EPSILON * lengths);
            // A user-defined shape may have NaN as a height: then its box is unbounded.
            if grown.min.cmple(grown.max).all() { grown } else { Aabb::EVERYTHING }
        }
    }
}

/// The box around the way of the center: both ends, and along each axis the apex of its parabola.
fn path(segment: &MotionSegment, time: f64) -> [DVec3; 2] {
    let place =
        |s: f64, axis: usize| segment.place[axis] + (segment.velocity[axis] + 0.5 * segment.acceleration[axis] * s) * s;
    let range = |axis: usize| {
        let apex = (-segment.velocity[axis] / segment.acceleration[axis]).clamp(0.0, time);
        // An apex that is none, 0/0, is passed over by both.
        let places = [0.0, time, apex].map(|s| place(s, axis));
        places.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)])
    };
    let [x, y, z] = [0, 1, 2].map(range);
    [DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1])]
}
