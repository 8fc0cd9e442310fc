//! The ring, a solid of revolution, that a body sweeps as it turns about an axis it does not meet: a rotor about its hub, a frame about a peg.
//!
//! No plane separates a ring from its hub for a whole turn, and a direction that turns with the body is proved for a part of a turn only. But
//! every point of a body X keeps its distance from the axis that X turns about. So if all points of X have n·(x - c) >= r at one time, for a
//! unit vector n at right angles to the axis u through the center c, X stays outside of the cylinder of radius r about the axis at all times.
//! If the other body Y stays within the radius R < r of the same axis, they are apart by r - R, however often X turns.
//!
//! **R.** The distance from a line is a convex function. So Y, which does not rotate or only about its own axis, is farthest from the line
//! at an end of a straight path; a parabola is no farther than |g| T²/8 from its chord. At one time, the farthest point of a polytope is a
//! vertex. For any other core, let h be its height along [`DIRECTIONS`] unit vectors across u, evenly spaced: the farthest point p is within
//! an angle of π/N of one of them, so that |p| cos(π/N) <= h there.

use super::{Core, Moment, MovingBody, MovingPair, Turning};
use crate::error::MAX_COORDINATE;
use crate::math::Pose;
use crate::math::rounding::ROUNDING;
use crate::pair::{Engine, PairCache, PosedPair, clearance};
use crate::shape::{Convex, Shape};
use crate::tuning::motion::RING_VERTICES;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Heights that bound a curved core across an axis. Bound: neighbours are 11.25 degrees apart; the bound is 0.5 % too long at most, and the
/// checker takes as many.
const DIRECTIONS: u32 = 32;

/// A body that stays outside of a cylinder about its own axis.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Ring {
    /// Which of the two bodies it is.
    pub side: usize,
    /// The unit vector from the axis to the body, in its own frame.
    inward: DVec3,
}

impl MovingPair<'_> {
    /// The bodies of the pair that turn about an axis they do not meet. Nothing is proved by it: see [`around`](Self::around).
    pub fn rings(&self, moment: &Moment, shapes: [&Shape; 2]) -> [Option<Ring>; 2] {
        [0, 1].map(|side| {
            let body = [&self.a, &self.b][side];
            let Turning::Axis { axis, .. } = body.turning else { return None };
            body.core.convex()?;
            let rotation = moment.rotations[side];
            let far = 2.0 * body.reach + body.radius;
            // A segment of the axis that reaches beyond the body at both ends.
            let line = Shape::segment(axis * -far, axis * far).ok()?;
            let pose = Pose::try_new(rotation * -body.center, rotation).ok()?;
            let pair = PosedPair { a: &line, pose_a: &Pose::IDENTITY, b: shapes[side], pose_b: &pose };
            let found = clearance(pair, f64::INFINITY, Engine::Auto, &mut PairCache::default());
            let across = found.normal.reject_from_normalized(axis).try_normalize()?;
            found.is_apart().then(|| Ring { side, inward: rotation.conjugate() * across })
        })
    }

    /// The direction of a ring at a time: from the axis to the body.
    pub fn outward(&self, ring: &Ring, moment: &Moment) -> DVec3 {
        moment.rotations[ring.side] * ring.inward
    }

    /// How far the bodies are apart at the least from one time to another, because one of them is outside of a cylinder that the other one
    /// is in: proved, but for [`rounding`](Self::rounding).
    pub fn around(&self, ring: &Ring, [from, to]: [&Moment; 2]) -> f64 {
        let (body, other) = if ring.side == 0 { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let Turning::Axis { axis, .. } = body.turning else { return f64::NEG_INFINITY };
        // Beyond all bounds places are not what they should be.
        if !(from.is_within(MAX_COORDINATE) && to.is_within(MAX_COORDINATE)) {
            return f64::NEG_INFINITY;
        }
        let outside = -body.height(-self.outward(ring, from), from.rotations[ring.side]);
        let time = to.time - from.time;
        let bulge = 0.125 * self.path.acceleration.cross(axis).length() * time * time;
        let sign = if ring.side == 0 { 1.0 } else { -1.0 };
        let within = |moment: &Moment| other.farthest(axis, sign * moment.place, moment.rotations[1 - ring.side]);
        let inside = within(from).max(within(to)) + bulge;
        // Cross products, roots and the axis itself, beside what heights round.
        let size = from.place.length() + to.place.length() + body.reach + other.reach + inside;
        outside - inside - 2.0 * ROUNDING * size
    }
}

impl MovingBody<'_> {
    /// The largest distance of a point of the body from a line along a unit vector, when the center of the body is at `place` as seen from
    /// a point of the line. Of a body that turns it is the largest at all times.
    fn farthest(&self, axis: DVec3, place: DVec3, rotation: DQuat) -> f64 {
        let across = |v: DVec3| v.cross(axis).length();
        let Some(core) = self.core.convex() else { return f64::INFINITY };
        match self.turning {
            Turning::Custom(..) => f64::INFINITY,
            Turning::Axis { axis: own, .. } => {
                let [low, high] = self.along;
                let swept = across(own) * high.max(-low) + self.across;
                across(place) + swept.min(self.reach) + self.radius
            }
            Turning::Still => {
                let to_vertex = |vertex: DVec3| across(place + rotation * (vertex - self.center));
                self.radius
                    + self.of_vertices(to_vertex).unwrap_or_else(|| self.of_heights(core, axis, place, rotation))
            }
        }
    }

    /// The largest value of a function at the vertices of the core, if it has a few.
    fn of_vertices(&self, value: impl Fn(DVec3) -> f64) -> Option<f64> {
        let largest = |vertices: &[DVec3]| vertices.iter().map(|&vertex| value(vertex)).fold(0.0, f64::max);
        if matches!(self.core, Core::Hull(_)) {
            return None;
        }
        match self.shape {
            Shape::Sphere(_) => Some(value(DVec3::ZERO)),
            Shape::Segment(segment) => Some(largest(&segment.ends())),
            Shape::Triangle(triangle) => Some(largest(&triangle.corners())),
            Shape::Cuboid(cuboid) => {
                let signs = |bits: u8| DVec3::from_array([1, 2, 4].map(|bit| if bits & bit == 0 { -1.0 } else { 1.0 }));
                let vertices: [DVec3; 8] = std::array::from_fn(|bits| signs(bits as u8) * cuboid.half_extents());
                Some(largest(&vertices))
            }
            Shape::Polytope(polytope) if polytope.vertices().len() <= RING_VERTICES => {
                Some(largest(polytope.vertices()))
            }
            _ => None,
        }
    }

    /// A bound on the largest distance from the line by heights across it.
    fn of_heights(&self, core: &dyn Convex, axis: DVec3, place: DVec3, rotation: DQuat) -> f64 {
        let (x, y) = axis.any_orthonormal_pair();
        let height = |number: u32| {
            let (sine, cosine) = libm::sincos(2.0 * PI * f64::from(number) / f64::from(DIRECTIONS));
            let direction = x * cosine + y * sine;
            let local = rotation.conjugate() * direction;
            core.height(local) - local.dot(self.center) + direction.dot(place)
        };
        let largest = (0..DIRECTIONS).map(height).fold(0.0, |most, height| {
            // A custom shape may have a NaN as its height, which bounds nothing.
            if height <= most {
                most
            } else if height > most {
                height
            } else {
                f64::INFINITY
            }
        });
        largest / libm::cos(PI / f64::from(DIRECTIONS))
    }
}
