//! Which translations are free, decided on the shapes themselves: no piece and no sum has a say here.
//!
//! A translation is free if the query about the two shapes, with A moved by it, proves a gap. What touches has none that rounding lets
//! see; so a translation that only just frees A is made longer by what rounding takes, 1e-13 of the size or a little more.
//!
//! **Outside.** A place is reached from outside if A can be drawn back from it along a straight line, to where boxes are apart: with a gap g at
//! one place, all places nearer than g are free, and so on from there. Places in cavities fail that; so do some that a bent way would
//! reach, which makes the upper bound larger and not wrong.

use super::Scope;
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::pair::{distance, within};
use crate::shape::Shape;
use glam::DVec3;

/// Two shapes at their poses, with the origin where A is.
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
    /// Lengths of the search are multiplied by this, a power of two.
    pub unit: f64,
    /// What both bodies and the way between them add up to, in that unit.
    pub size: f64,
    /// Which places count as free.
    pub scope: Scope,
    /// Where the origin is in the world.
    pub origin: DVec3,
}

/// By so much of the size a translation is made longer until it is proved to be free.
const NUDGES: [f64; 5] = [0.0, 2e-13, 1e-12, 1e-11, 1e-10];

impl<'a> Placed<'a> {
    /// Two shapes where they are, of which at least one is bounded.
    pub fn new(a: &'a Shape, pose_a: Pose, b: &'a Shape, pose_b: Pose, scope: Scope) -> Self {
        let origin = pose_a.translation();
        let (pose_a, pose_b) = (pose_a.moved_by(-origin), pose_b.moved_by(-origin));
        let finite = [a, b].map(Shape::bounding_radius).into_iter().filter(|radius| radius.is_finite()).sum::<f64>();
        let size = (finite + pose_b.translation().length()).clamp(1e3 * SMALLEST_LENGTH, 1e3 * MAX_COORDINATE);
        // 2^-e with size in [2^(e-1), 2^e).
        let unit = f64::from_bits((2045 - (size.to_bits() >> 52)) << 52);
        Self { a, b, pose_a, pose_b, unit, size: size * unit, scope, origin }
    }

    /// A translation of the search in the units and axes of the world.
    pub fn to_world(&self, x: DVec3) -> DVec3 {
        self.pose_a.transform_vector(x / self.unit)
    }

    /// A bound on the length of a translation, in the unit of the search.
    pub fn length(&self, x: DVec3) -> f64 {
        self.to_world(x).length() * (1.0 + 4.0 * f64::EPSILON) * self.unit
    }

    /// How much room a free place has: more than moving B instead of A rounds (4 ε), and enough for a caller who moves A and asks.
    fn margin(&self, by: DVec3) -> f64 {
        256.0 * f64::EPSILON * (self.size / self.unit + by.length())
    }

    /// Is A free when it is moved by exactly this?
    pub fn is_free(&self, x: DVec3) -> bool {
        let by = self.to_world(x);
        if !by.is_finite() {
            return false;
        }
        let is_apart = within(self.a, self.pose_a, self.b, self.pose_b.moved_by(-by), self.margin(by)).is_none();
        // Clear of a half-space, A goes on along its normal for ever.
        let is_plane = |shape: &Shape| matches!(shape, Shape::HalfSpace(_));
        let is_reached = self.scope == Scope::Any || is_plane(self.a) || is_plane(self.b);
        is_apart && (is_reached || self.way_out(by).is_some())
    }

    /// This translation, or one that is a little longer, if it is free; with a bound on its length.
    pub fn freed(&self, x: DVec3) -> Option<(DVec3, f64)> {
        let way = x.try_normalize().unwrap_or(DVec3::ZERO);
        let moved = NUDGES.iter().map(|&nudge| x + way * nudge).find(|&moved| self.is_free(moved))?;
        Some((moved, self.length(moved)))
    }

    /// The first free place that is found along a ray, between a place that is not free and one that is.
    pub fn first_free(&self, along: DVec3, from: f64, to: f64) -> Option<(DVec3, f64)> {
        const ROUNDS: usize = 40;
        if !self.is_free(along * to) {
            return None;
        }
        let (mut low, mut high) = (from, to);
        for _ in 0..ROUNDS {
            let middle = 0.5 * (low + high);
            if !(high - low > 1e-12) {
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

    /// A straight way from a free place to where boxes are apart, if one is found: then the place is reached from far away.
    pub fn way_out(&self, by: DVec3) -> Option<DVec3> {
        // Away from B first: along the gap, along the translation, along the axes.
        let gap = distance(self.a, self.pose_a, self.b, self.pose_b.moved_by(-by));
        let middle = |shape: &Shape, pose: &Pose| shape.aabb(pose).center();
        let between = middle(self.a, &self.pose_a) + by - middle(self.b, &self.pose_b);
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let ways = [-gap.normal, by, between].into_iter().chain(axes.into_iter().flat_map(|axis| [axis, -axis]));
        let own = |pose: &Pose| axes.map(|axis| pose.transform_vector(axis));
        let turned = own(&self.pose_a).into_iter().chain(own(&self.pose_b)).flat_map(|axis| [axis, -axis]);
        ways.chain(turned).filter_map(DVec3::try_normalize).find_map(|way| self.gets_away(by, way))
    }

    /// How far A goes from a free place along a line to where it can go on for ever, if it can.
    fn gets_away(&self, by: DVec3, way: DVec3) -> Option<DVec3> {
        const STEPS: usize = 100;
        let (box_a, box_b) = (self.a.aabb(&self.pose_a), self.b.aabb(&self.pose_b));
        let mut at = 0.0;
        for _ in 0..STEPS {
            let by = by + way * at;
            let moved = crate::math::Aabb { min: box_a.min + by, max: box_a.max + by };
            // Beyond B along an axis, and going on.
            let is_beyond = (0..3).any(|axis| {
                moved.min[axis] > box_b.max[axis] && way[axis] >= 0.0
                    || moved.max[axis] < box_b.min[axis] && way[axis] <= 0.0
            });
            if is_beyond {
                return Some(way * at);
            }
            let here = distance(self.a, self.pose_a, self.b, self.pose_b.moved_by(-by));
            let step = here.lower - 8.0 * f64::EPSILON * (self.size / self.unit + by.length());
            // A way along a wall gets nowhere.
            if !(step > 0.0) || at > 0.0 && step < 1e-3 * at {
                return None;
            }
            at += step * (1.0 - 8.0 * f64::EPSILON);
        }
        None
    }
}
