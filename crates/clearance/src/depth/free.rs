//! Proof that a translation is free, by distance queries about the shapes themselves. No piece and no sum is involved.
//!
//! A translation is free if the distance query about the two shapes, with A moved by it, proves a gap. A touching pair has no gap that rounding
//! can resolve. So a translation that only just frees A is lengthened by the resolution, 1e-13 of the size or a little more.
//!
//! **Reached from outside** ([`Scope::Outside`]). A place is reached from outside if A can leave it along a straight line until the bounding boxes are
//! apart. Conservative advancement proves this: with a gap g at one place, all places nearer than g are free. A cavity fails the test. So does a place
//! to which only a bent path leads; this makes the upper bound larger, but not wrong.
//!
//! Invariant: (F1) [`Placed::is_free`] returns true only if the distance query proved a gap of at least `margin`.

use super::Scope;
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::pair::{distance, within};
use crate::shape::Shape;
use crate::tuning::depth as tuning;
use glam::DVec3;

/// Two shapes at their poses, with the origin at the position of A.
#[derive(Debug)]
pub struct Placed<'a> {
    /// The first shape.
    pub a: &'a Shape,
    /// The second shape.
    pub b: &'a Shape,
    /// The pose of A.
    pub pose_a: Pose,
    /// The pose of B.
    pub pose_b: Pose,
    /// Factor from world lengths to lengths of the search, a power of two.
    pub unit: f64,
    /// Sum of both radii and the offset of the bodies, in that unit.
    pub size: f64,
    /// Which places count as free.
    pub scope: Scope,
    /// The origin in world coordinates.
    pub origin: DVec3,
}

impl<'a> Placed<'a> {
    /// Places two shapes, of which at least one is bounded.
    pub fn new(a: &'a Shape, pose_a: Pose, b: &'a Shape, pose_b: Pose, scope: Scope) -> Self {
        let origin = pose_a.translation();
        let (pose_a, pose_b) = (pose_a.moved_by(-origin), pose_b.moved_by(-origin));
        let finite = [a, b].map(Shape::bounding_radius).into_iter().filter(|radius| radius.is_finite()).sum::<f64>();
        let size = (finite + pose_b.translation().length()).clamp(1e3 * SMALLEST_LENGTH, 1e3 * MAX_COORDINATE);
        // 2^-e with size in [2^(e-1), 2^e).
        let unit = f64::from_bits((2045 - (size.to_bits() >> 52)) << 52);
        Self { a, b, pose_a, pose_b, unit, size: size * unit, scope, origin }
    }

    /// Converts a translation of the search to world units and axes.
    pub fn to_world(&self, x: DVec3) -> DVec3 {
        self.pose_a.transform_vector(x / self.unit)
    }

    /// Upper bound on the length of a translation, in the unit of the search.
    pub fn length(&self, x: DVec3) -> f64 {
        self.to_world(x).length() * (1.0 + 4.0 * f64::EPSILON) * self.unit
    }

    /// Gap that a free place must have. Moving B instead of A rounds by 4 ε; the rest lets a caller who moves A confirm the gap.
    fn margin(&self, by: DVec3) -> f64 {
        256.0 * f64::EPSILON * (self.size / self.unit + by.length())
    }

    /// Is A proved free after this translation?
    pub fn is_free(&self, x: DVec3) -> bool {
        let by = self.to_world(x);
        if !by.is_finite() {
            return false;
        }
        let is_apart = within(self.a, self.pose_a, self.b, self.pose_b.moved_by(-by), self.margin(by)).is_none();
        // A shape outside a half-space can leave along its normal.
        let is_plane = |shape: &Shape| matches!(shape, Shape::HalfSpace(_));
        let is_reached = self.scope == Scope::Any || is_plane(self.a) || is_plane(self.b);
        is_apart && (is_reached || self.straight_escape(by).is_some())
    }

    /// This translation, or one that is longer by a nudge, if it is free; with an upper bound on its length.
    pub fn freed(&self, x: DVec3) -> Option<(DVec3, f64)> {
        let direction = x.try_normalize().unwrap_or(DVec3::ZERO);
        let moved = tuning::NUDGES.iter().map(|&nudge| x + direction * nudge).find(|&moved| self.is_free(moved))?;
        Some((moved, self.length(moved)))
    }

    /// A free place along a ray, by bisection between a place that is not free and one that is.
    pub fn first_free(&self, along: DVec3, from: f64, to: f64) -> Option<(DVec3, f64)> {
        if !self.is_free(along * to) {
            return None;
        }
        let (mut low, mut high) = (from, to);
        for _ in 0..tuning::BISECTIONS {
            let middle = 0.5 * (low + high);
            if !(high - low > tuning::BISECTION_WIDTH) {
                break;
            }
            if self.is_free(along * middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let length = self.length(along * high);
        (length < to).then_some((along * high, length))
    }

    /// The displacement along a straight line from a free place to where the bounding boxes are apart, if one is found. It proves that the place is
    /// reached from outside.
    pub fn straight_escape(&self, by: DVec3) -> Option<DVec3> {
        // The most promising directions first: along the gap, along the translation, between the centres, along the axes.
        let gap = distance(self.a, self.pose_a, self.b, self.pose_b.moved_by(-by));
        let middle = |shape: &Shape, pose: &Pose| shape.aabb(pose).center();
        let between = middle(self.a, &self.pose_a) + by - middle(self.b, &self.pose_b);
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let directions = [-gap.normal, by, between].into_iter().chain(axes.into_iter().flat_map(|axis| [axis, -axis]));
        let own = |pose: &Pose| axes.map(|axis| pose.transform_vector(axis));
        let turned = own(&self.pose_a).into_iter().chain(own(&self.pose_b)).flat_map(|axis| [axis, -axis]);
        directions.chain(turned).filter_map(DVec3::try_normalize).find_map(|direction| self.escape_along(by, direction))
    }

    /// Conservative advancement of A along a line, until the bounding boxes are apart and stay so.
    fn escape_along(&self, by: DVec3, direction: DVec3) -> Option<DVec3> {
        /// Limit: progress below this fraction of the travelled length ends the advancement. A path along a wall would take steps without end.
        const LEAST_PROGRESS: f64 = 1e-3;
        let (box_a, box_b) = (self.a.aabb(&self.pose_a), self.b.aabb(&self.pose_b));
        let mut at = 0.0;
        for _ in 0..tuning::ESCAPE_STEPS {
            let by = by + direction * at;
            let moved = crate::math::Aabb { min: box_a.min + by, max: box_a.max + by };
            // Separated along an axis, and moving away or sideways.
            let is_beyond = (0..3).any(|axis| {
                moved.min[axis] > box_b.max[axis] && direction[axis] >= 0.0
                    || moved.max[axis] < box_b.min[axis] && direction[axis] <= 0.0
            });
            if is_beyond {
                return Some(direction * at);
            }
            let here = distance(self.a, self.pose_a, self.b, self.pose_b.moved_by(-by));
            // Bound: the place is off by less than 8 ε of the coordinates.
            let step = here.lower - 8.0 * f64::EPSILON * (self.size / self.unit + by.length());
            if !(step > 0.0) || at > 0.0 && step < LEAST_PROGRESS * at {
                return None;
            }
            // Bound: the direction is a unit vector up to 4 ε.
            at += step * (1.0 - 8.0 * f64::EPSILON);
        }
        None
    }
}
