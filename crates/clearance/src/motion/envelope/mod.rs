//! The second-order bound: the separation of two moving convex bodies along a direction, over a whole interval of time.
//!
//! All quantities are in axes that do not rotate and whose origin moves with the center of A. There A only rotates, and the center of B is
//! at `c(s) = p + v s + ½ g s²`; common motion, as free fall, cancels.
//!
//! **The chord.** Let φ(t) be the height of one point of a body along a fixed unit vector n, and h(t) the largest of them all. If φ'' >= -K
//! for every point, then between two times at a distance of T
//!
//! h(t) <= (1-λ) h(t₀) + λ h(t₁) + 4 λ (1-λ) K T² / 8,
//!
//! since each φ is below its own chord and parabola, and a maximum of sums is at most the sum of the maxima. A point at r from the
//! center of a body that turns with ω has φ'' = -|ω|² (n⊥·r⊥), where ⊥ is what is across ω: K = |ω|² |n⊥| ρ, ρ being the largest |r⊥|. The
//! heights of the center itself are a parabola, whose K = -n·g is exact, of either sign.
//!
//! **A rotating direction.** Along the normal of a face, the height of a rotating body changes to first order at once, since another corner of the face becomes the
//! highest. So the direction may rotate with the closest features: n(t) = e^{η s} n, η at right angles to n. In
//! φ = n·x then φ'' = n''·x + 2 n'·x' + n·x'', and K = |η|² |r| + 2 |η| |ω| ρ + |ω|² ρ for the points of a body, |η|² |c| + 2 |η| |v| + |g| for
//! the center: of second order as before.
//!
//! **The swept body.** A rotating body stays within its swept volume: its height above its center is at most
//! `max (n·u)(r·u) + |n⊥| ρ`, u being the axis. For turns that are too fast for the chord this is the better bound, with K = 0. A body
//! that turns about an axis which it does not meet has another envelope yet, a ring (`around.rs`).
//!
//! **Invariants**: (E1) an interval goes forward in time (asserted in debug builds); (E2) bounds leave out rounding errors, which
//! [`MovingPair::rounding`] bounds and each proof subtracts.

mod around;
mod path;
mod straight;

pub(super) use around::Ring;
pub(super) use path::RelativePath;
pub(super) use straight::StraightPair;

use super::piece::{BodyPart, MotionPiece};
use super::segment::MotionSegment;
use super::{Trajectory, turn};
use crate::math::Pose;
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
use crate::shape::{Convex, Family, HalfSpace, MeshHull, Shape, Symmetry};
use glam::{DQuat, DVec3};

/// A convex body, by its support heights.
#[derive(Clone, Copy)]
enum Core<'a> {
    Convex(&'a dyn Convex),
    Hull(MeshHull<'a>),
    Plane(&'a HalfSpace),
}

impl<'a> Core<'a> {
    /// The core of a shape that is convex, a half-space, or a mesh, of which the hull is meant.
    ///
    /// # Panics
    ///
    /// For a compound, which has no single body: its parts are queried.
    fn new(shape: &'a Shape) -> Self {
        match shape.family() {
            Family::Convex(core) => Self::Convex(core),
            Family::HalfSpace(plane) => Self::Plane(plane),
            Family::Mesh(mesh) => Self::Hull(MeshHull(mesh)),
            Family::Compound(_) => unreachable!("compounds are asked about by their parts"),
        }
    }

    fn convex(&self) -> Option<&dyn Convex> {
        match self {
            Self::Convex(core) => Some(*core),
            Self::Hull(hull) => Some(hull),
            Self::Plane(_) => None,
        }
    }
}

/// The rotation of a body, or its whole motion if that is user-defined.
#[derive(Clone, Copy)]
enum Turning<'a> {
    /// None, or one that leaves the body as it is.
    Still,
    /// About an axis: its unit vector in the world, and how fast.
    Axis { axis: DVec3, rate: f64 },
    /// User-defined, translation included; the body is a part at that pose.
    Custom(&'a dyn Trajectory, Pose),
}

/// One of the two bodies.
pub(super) struct MovingBody<'a> {
    shape: &'a Shape,
    core: Core<'a>,
    center: DVec3,
    rotation: DQuat,
    turning: Turning<'a>,
    /// Along the axis: from here to there, seen from the center; across it: ρ.
    along: [f64; 2],
    across: f64,
    /// How far any point of the core may be from the center, and of the body from its origin.
    reach: f64,
    radius: f64,
    bounding_radius: f64,
    /// The rounding error of a height.
    rounding: f64,
    /// The error bound of the rotation that was given, in radians.
    turned: f64,
    /// For a user-defined motion: the origin of its places.
    shift: DVec3,
}

impl<'a> MovingBody<'a> {
    pub fn new(shape: &'a Shape, segment: &MotionSegment) -> Self {
        let core = Core::new(shape);
        let mut body = Self {
            shape,
            core,
            center: segment.center,
            rotation: segment.rotation,
            turning: Turning::Still,
            along: [0.0; 2],
            across: 0.0,
            reach: 0.0,
            radius: 0.0,
            bounding_radius: shape.bounding_radius(),
            rounding: SMALLEST_LENGTH,
            turned: segment.slack.turned,
            shift: DVec3::ZERO,
        };
        let rate = segment.spin.length();
        match core.convex() {
            Some(convex) => {
                body.radius = convex.radius();
                body.reach = convex.bounding_radius() + segment.center.length();
                body.rounding += (ROUNDING + segment.slack.turned) * (body.reach + body.radius) + convex.slack();
                if rate > 0.0 {
                    body.measure(convex, segment.spin / rate, rate);
                }
            }
            // A plane that turns across its own normal stays what it is; twice this tilt is in its rounding.
            None if rate > 0.0
                && (segment.rotation * body.normal()).cross(segment.spin / rate).length() > 0.25 * ROUNDING =>
            {
                body.turning = Turning::Axis { axis: segment.spin / rate, rate };
            }
            None => {}
        }
        body
    }

    fn custom(shape: &'a Shape, trajectory: &'a dyn Trajectory, part: BodyPart, shift: DVec3) -> Self {
        let rest = MotionSegment { slack: part.slack(), ..MotionSegment::at(Pose::IDENTITY) };
        let body = Self::new(shape, &rest);
        let bounding_radius = body.bounding_radius + part.pose.translation().length();
        Self { turning: Turning::Custom(trajectory, part.pose), shift, bounding_radius, ..body }
    }

    /// The volume that the body sweeps as it rotates.
    fn measure(&mut self, core: &dyn Convex, axis: DVec3, rate: f64) {
        let local = self.rotation.conjugate() * axis;
        let span = |d: DVec3| {
            let origin = d.dot(self.center);
            [-core.height(-d) - origin, core.height(d) - origin]
        };
        let (x, y) = local.any_orthonormal_pair();
        let farthest = |[low, high]: [f64; 2]| high.max(-low);
        let box_across = diagonal(farthest(span(x)), farthest(span(y)));
        // Written so that a NaN, of a user-defined shape, leaves the ball.
        self.across = if box_across <= self.reach { box_across } else { self.reach };
        let ([low, high], rounding) = (span(local), ROUNDING * self.reach);
        self.along = if low <= high { [low - rounding, high + rounding] } else { [-self.reach, self.reach] };
        if self.across <= self.rounding {
            // The rotating core is as thin as rounding: the point of a ball, the segment of a capsule about itself.
            self.rounding += 2.0 * self.across;
            return;
        }
        if let Symmetry::Axis { point, direction } = core.symmetry() {
            // A cylinder that rotates about its axis sweeps itself; about a line close to it, little more.
            let off = (self.center - point).reject_from_normalized(direction).length();
            let moved = 2.0 * (off + local.cross(direction).length() * self.reach);
            if moved <= ROUNDING * self.reach {
                self.rounding += moved;
                return;
            }
        }
        self.across += rounding;
        self.turning = Turning::Axis { axis, rate };
    }

    /// The rotation at a time after the start; its own pose for a user-defined motion.
    fn rotation(&self, s: f64) -> DQuat {
        match self.turning {
            Turning::Still | Turning::Custom(..) => self.rotation,
            Turning::Axis { axis, rate } => {
                // The sines of the system differ from machine to machine.
                let (sine, cosine) = libm::sincos(0.5 * rate * s);
                let part = axis * sine;
                let q = DQuat::from_xyzw(part.x, part.y, part.z, cosine) * self.rotation;
                // A product of units is one to a few roundings; one step of Newton's method makes it one to half of one.
                q * (1.5 - 0.5 * q.length_squared())
            }
        }
    }

    /// The height of the body above its center along a unit vector, at a time.
    fn height(&self, n: DVec3, rotation: DQuat) -> f64 {
        let local = rotation.conjugate() * n;
        match self.core.convex() {
            Some(core) => core.height(local) - local.dot(self.center) + self.radius,
            None => self.plane_height(),
        }
    }

    /// How far the plane of a half-space is above its center, whose normal the direction is.
    fn plane_height(&self) -> f64 {
        match self.core {
            Core::Plane(plane) => plane.offset() - plane.normal().dot(self.center),
            Core::Convex(_) | Core::Hull(_) => f64::INFINITY,
        }
    }

    /// The normal of a half-space, in its own frame.
    fn normal(&self) -> DVec3 {
        match self.core {
            Core::Plane(plane) => plane.normal(),
            Core::Convex(_) | Core::Hull(_) => DVec3::ZERO,
        }
    }

    /// The height of the swept volume along a unit vector.
    fn swept_height(&self, n: DVec3, axis: DVec3) -> f64 {
        let along = n.dot(axis);
        let across = n.cross(axis).length();
        let [low, high] = self.along;
        (along * high).max(along * low) + across * self.across + self.radius
    }

    /// How far the body reaches from its center against and along the axes of the world, at the most, within a time from the start on.
    pub fn span_over(&self, time: f64) -> [DVec3; 2] {
        let ends = [self.rotation(0.0), self.rotation(time)];
        let height = |n: DVec3| {
            let [first, last] = ends.map(|rotation| self.height(n, rotation));
            match self.turning {
                Turning::Still | Turning::Custom(..) => first,
                Turning::Axis { axis, rate } => {
                    let angle = rate * time;
                    let bulge = 0.125 * angle * angle * n.cross(axis).length() * self.across;
                    // Along and across are of different points: together they may be more than the ball, which is the paper's bound.
                    self.swept_height(n, axis).min(first.max(last) + bulge).min(self.reach + self.radius)
                }
            }
        };
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        [DVec3::from_array(axes.map(|n| height(-n))), DVec3::from_array(axes.map(height))]
    }

    /// The rounding error of [`span_over`](Self::span_over).
    pub fn slack_over(&self, time: f64) -> f64 {
        let turned = match self.turning {
            // The angle is a product that rounds, and its sine and cosine are right to 2 ε each, as is the rotation.
            Turning::Axis { rate, .. } => 8.0 * f64::EPSILON * rate * time,
            Turning::Still | Turning::Custom(..) => 0.0,
        };
        self.rounding + turned * (self.reach + self.radius)
    }

    /// The speed of the fastest point due to rotation.
    fn speed(&self) -> f64 {
        match self.turning {
            Turning::Axis { rate, .. } => rate * self.across,
            Turning::Still | Turning::Custom(..) => 0.0,
        }
    }
}

/// The diagonal of a rectangle, to rounding, and no less where squares would underflow.
fn diagonal(x: f64, y: f64) -> f64 {
    /// Bound: squares above 1e-280 do not underflow.
    const SQUARABLE: f64 = 1e-140;
    if x.max(y) > SQUARABLE { (x * x + y * y).sqrt() } else { x + y }
}

/// Two convex bodies, each in one piece of its motion.
pub(super) struct MovingPair<'a> {
    a: MovingBody<'a>,
    b: MovingBody<'a>,
    /// c(s): the center of B relative to that of A.
    path: RelativePath,
    /// The center of A in the world.
    segment_a: Option<MotionSegment>,
    shift: DVec3,
}

/// Both bodies at one time, in the axes of the pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub time: f64,
    /// c(s).
    place: DVec3,
    rotations: [DQuat; 2],
    pub poses: [Pose; 2],
}

impl Moment {
    /// Are the bodies within that distance of each other along each axis?
    pub fn is_within(&self, bound: f64) -> bool {
        self.poses.iter().all(|pose| pose.translation().abs().max_element() < bound)
    }
}

impl<'a> MovingPair<'a> {
    /// Two convex shapes, half-spaces or hulls of meshes among them, but no compounds.
    pub fn new([a, b]: [&'a Shape; 2], [motion_a, motion_b]: [&MotionPiece<'a>; 2]) -> Self {
        let segments = [motion_a.segment(), motion_b.segment()];
        // Two segments with the same start keep all their digits.
        let start = match segments {
            [Some(a), Some(b)] if a.start.is_finite() && (b.is_fixed() || a.start == b.start) => a.start,
            [Some(_), Some(b)] if b.start.is_finite() => b.start,
            [Some(segment), None] | [None, Some(segment)] if segment.start.is_finite() => segment.start,
            _ => 0.0,
        };
        let segments = segments.map(|segment| segment.map(|segment| segment.from(start)));
        // Common digits cancel before anything is rounded.
        let shift = match (&segments, motion_a, motion_b) {
            ([Some(a), _], _, _) => a.place,
            ([_, Some(b)], _, _) => b.place,
            (_, MotionPiece::Custom(a, _), _) => a.pose(start).translation(),
            _ => DVec3::ZERO,
        };
        let zero = MotionSegment { place: shift, ..MotionSegment::at(Pose::IDENTITY) };
        let [segment_a, segment_b] = segments.map(|segment| segment.unwrap_or(zero));
        let place = segment_b.place - segment_a.place;
        let slack = [
            // A difference rounds once, each place once before.
            segment_a.slack.place + segment_b.slack.place + 2.0 * f64::EPSILON * place.abs().element_sum(),
            segment_a.slack.drift + segment_b.slack.drift,
        ];
        let body = |shape: &'a Shape, motion: &MotionPiece<'a>, segment: &MotionSegment| match motion {
            MotionPiece::MotionSegment(_) => MovingBody::new(shape, segment),
            MotionPiece::Custom(trajectory, part) => MovingBody::custom(shape, *trajectory, *part, shift),
        };
        let mut pair = Self {
            a: body(a, motion_a, &segment_a),
            b: body(b, motion_b, &segment_b),
            path: RelativePath {
                start,
                place,
                velocity: segment_b.velocity - segment_a.velocity,
                acceleration: segment_b.acceleration - segment_a.acceleration,
                roundings: [0.0; 3],
            },
            segment_a: matches!(motion_a, MotionPiece::MotionSegment(_)).then_some(segment_a),
            shift,
        };
        pair.path.roundings = pair.roundings(slack);
        pair
    }

    /// Both bodies at a time.
    pub fn at(&self, time: f64) -> Moment {
        let (s, place) = (time - self.path.start, self.path.place_at(time));
        let rotations = [self.a.rotation(s), self.b.rotation(s)];
        let pose = |body: &MovingBody<'_>, rotation: DQuat, place: DVec3| match body.turning {
            Turning::Custom(trajectory, part) => {
                let pose = trajectory.pose(time);
                Pose::of_unit(pose.translation() - body.shift + place, pose.rotation()) * part
            }
            Turning::Still | Turning::Axis { .. } if body.center == DVec3::ZERO => Pose::of_unit(place, rotation),
            Turning::Still | Turning::Axis { .. } => Pose::of_unit(place - rotation * body.center, rotation),
        };
        let poses = [pose(&self.a, rotations[0], DVec3::ZERO), pose(&self.b, rotations[1], place)];
        Moment { time, place, rotations, poses }
    }

    /// A pair in straight motion at a later time: only the place of B differs.
    pub fn later(&self, moment: &Moment, time: f64) -> Moment {
        let place = self.path.straight_place_at(time);
        let rotation = moment.rotations[1];
        let pose_b = Pose::of_unit(place - rotation * self.b.center, rotation);
        Moment { time, place, poses: [moment.poses[0], pose_b], ..*moment }
    }

    /// Is the relative motion straight, without visible rotation?
    pub fn is_straight(&self) -> bool {
        self.path.acceleration == DVec3::ZERO
            && matches!((self.a.turning, self.b.turning), (Turning::Still, Turning::Still))
    }

    /// The rate of the gap along n, for straight motion.
    pub fn rate_of_centers(&self, n: DVec3) -> f64 {
        n.dot(self.path.velocity)
    }

    /// The gap along n.
    pub fn gap_along(&self, n: DVec3, moment: &Moment) -> f64 {
        let [a, b] = moment.rotations;
        n.dot(moment.place) - self.a.height(n, a) - self.b.height(-n, b)
    }

    /// A point in the axes of the pair, in those of the world.
    pub fn to_world(&self, point: DVec3, time: f64) -> DVec3 {
        point + self.segment_a.map_or(self.shift, |segment| segment.place_at(time))
    }

    /// The rounding error of a distance along a direction at a time.
    #[inline]
    pub fn rounding(&self, time: f64) -> f64 {
        self.path.rounding(time)
    }

    /// The coefficients of [`rounding`](Self::rounding) by powers of the time since the start.
    ///
    /// `slack` has the error bound of the places that were given, and its growth per unit of time.
    fn roundings(&self, [slack, drift]: [f64; 2]) -> [f64; 3] {
        let path = [self.path.place, self.path.velocity, 0.5 * self.path.acceleration].map(|v| v.abs().element_sum());
        // A place has three terms with two products and two sums: less than 8 ε.
        let mut sum = path.map(|length| 8.0 * f64::EPSILON * length);
        sum[0] += self.a.rounding + self.b.rounding + slack;
        sum[1] += drift;
        for (body, other) in [(&self.a, &self.b), (&self.b, &self.a)] {
            // The error of the rotation, per unit of time.
            let turned = match body.turning {
                // The angle is a product that rounds, and its sine and cosine are right to 2 ε each, as is the rotation.
                Turning::Axis { rate, .. } => 8.0 * f64::EPSILON * rate,
                Turning::Still | Turning::Custom(..) => 0.0,
            };
            match body.core {
                Core::Convex(_) | Core::Hull(_) => sum[1] += turned * (body.reach + body.radius),
                // The error of a rotated plane grows with the distance from its origin.
                Core::Plane(plane) => {
                    let off = ROUNDING + plane.turn() + body.turned;
                    let near = path[0] + other.reach + other.radius + body.center.length();
                    sum[0] += off * near + ROUNDING * plane.offset().abs() + plane.shift();
                    sum[1] += off * path[1] + turned * near;
                    // Terms of higher order are smaller than those before them.
                    sum[2] += 2.0 * (off * path[2] + turned * (path[1] + path[2]));
                }
            }
        }
        sum
    }

    /// The velocity of the center of B relative to that of A.
    fn velocity_at(&self, moment: &Moment) -> DVec3 {
        self.path.velocity_at(moment.time)
    }

    /// The rate of the gap along a unit vector from A to B, at the closest points.
    pub fn rate(&self, n: DVec3, moment: &Moment, points: [DVec3; 2]) -> f64 {
        let turning = |body: &MovingBody<'_>, arm: DVec3| match body.turning {
            Turning::Axis { axis, rate } => rate * axis.cross(arm).dot(n),
            Turning::Still | Turning::Custom(..) => 0.0,
        };
        self.velocity_at(moment).dot(n) + turning(&self.b, points[1] - moment.place) - turning(&self.a, points[0])
    }

    /// K: a bound on how fast the rate may fall.
    pub fn bend(&self, n: DVec3) -> f64 {
        let of_body = |body: &MovingBody<'_>| match body.turning {
            Turning::Axis { axis, rate } => rate * rate * n.cross(axis).length() * body.across,
            Turning::Still | Turning::Custom(..) => 0.0,
        };
        of_body(&self.a) + of_body(&self.b) - n.dot(self.path.acceleration)
    }

    /// Is one of the motions user-defined?
    pub fn is_custom(&self) -> bool {
        [&self.a, &self.b].iter().any(|body| matches!(body.turning, Turning::Custom(..)))
    }

    /// Does one of the bodies visibly rotate?
    pub fn is_turning(&self) -> bool {
        [&self.a, &self.b].iter().any(|body| matches!(body.turning, Turning::Axis { .. }))
    }

    /// The sum of the angular speeds.
    pub fn turning_rate(&self) -> f64 {
        let rate = |body: &MovingBody<'_>| match body.turning {
            Turning::Axis { rate, .. } => rate,
            Turning::Still | Turning::Custom(..) => 0.0,
        };
        rate(&self.a) + rate(&self.b)
    }

    /// May the direction rotate as well? Not for a half-space, which has one direction, or a user-defined motion.
    pub fn may_turn(&self) -> bool {
        self.is_turning()
            && [&self.a, &self.b]
                .iter()
                .all(|body| !matches!(body.turning, Turning::Custom(..)) && !matches!(body.core, Core::Plane(_)))
    }

    /// The unit vector from the center of A to that of B, unless one of them is a half-space: that has but one direction.
    pub fn between_centers(&self, moment: &Moment) -> Option<DVec3> {
        let is_bounded = self.a.core.convex().is_some() && self.b.core.convex().is_some();
        if is_bounded { moment.place.try_normalize() } else { None }
    }

    /// The gap between the swept volumes along n.
    pub fn swept_gap(&self, n: DVec3, moment: &Moment) -> f64 {
        let height = |body: &MovingBody<'_>, n: DVec3, side: usize| match body.turning {
            Turning::Axis { axis, .. } if body.core.convex().is_some() => body.swept_height(n, axis),
            Turning::Still => body.height(n, moment.rotations[side]),
            Turning::Axis { .. } | Turning::Custom(..) => f64::INFINITY,
        };
        n.dot(moment.place) - height(&self.a, n, 0) - height(&self.b, -n, 1)
    }

    /// The velocity and the acceleration of the center of B as seen from that of A, along n.
    pub fn center_rates(&self, n: DVec3, moment: &Moment) -> [f64; 2] {
        [n.dot(self.velocity_at(moment)), n.dot(self.path.acceleration)]
    }

    /// The separation along a direction at both times, and a lower bound in between: proved up to [`rounding`](Self::rounding).
    pub fn separation(&self, direction: &Direction, [from, to]: [&Moment; 2]) -> SeparationOver {
        debug_assert!(!(to.time < from.time), "E1: {} {}", from.time, to.time);
        let n = direction.start;
        if let Some(found) = self.plane_separation([from, to]) {
            return found;
        }
        let time = to.time - from.time;
        if direction.turn == DVec3::ZERO {
            let (ends_a, bulge_a) = self.heights(&self.a, n, [from, to], 0);
            let (ends_b, bulge_b) = self.heights(&self.b, -n, [from, to], 1);
            let of_place = 0.125 * n.dot(self.path.acceleration) * time * time;
            let end = |k: usize, moment: &Moment| n.dot(moment.place) - ends_a[k] - ends_b[k];
            return SeparationOver::new([end(0, from), end(1, to)], bulge_a + bulge_b + of_place);
        }
        let end = direction.after(time);
        // The factor covers the rounding of eight operations.
        let bulge = 0.125 * self.turned_bend(direction.turn.length(), [from, to]) * time * time * (1.0 + 1e-12);
        SeparationOver::new([self.gap_along(n, from), self.gap_along(end, to)], bulge)
    }

    /// K along a direction that rotates at that rate.
    pub fn turned_bend(&self, turn: f64, [from, to]: [&Moment; 2]) -> f64 {
        let of_body = |body: &MovingBody<'_>| match body.turning {
            Turning::Still => turn * turn * body.reach,
            Turning::Axis { rate, .. } => turn * turn * body.reach + (2.0 * turn + rate) * rate * body.across,
            Turning::Custom(..) => f64::INFINITY,
        };
        let time = to.time - from.time;
        let speed = |moment: &Moment| self.velocity_at(moment).length();
        // The greatest distance of a parabola from its chord.
        let farthest =
            from.place.length().max(to.place.length()) + 0.125 * self.path.acceleration.length() * time * time;
        of_body(&self.a)
            + of_body(&self.b)
            + turn * turn * farthest
            + 2.0 * turn * speed(from).max(speed(to))
            + self.path.acceleration.length()
    }

    /// An upper bound on the heights of a body over an interval: those at its ends, whose chord bounds the others up to a bulge.
    fn heights(&self, body: &MovingBody<'_>, n: DVec3, [from, to]: [&Moment; 2], side: usize) -> ([f64; 2], f64) {
        let start = body.height(n, from.rotations[side]);
        match body.turning {
            Turning::Still => ([start; 2], 0.0),
            Turning::Axis { axis, rate } => {
                let angle = rate * (to.time - from.time);
                // K T² / 8, a little more for rounding.
                let bulge = 0.125 * angle * angle * n.cross(axis).length() * body.across * (1.0 + 1e-12);
                let swept = body.swept_height(n, axis);
                if bulge > swept - start {
                    return ([swept; 2], 0.0);
                }
                ([start, body.height(n, to.rotations[side])], bulge)
            }
            Turning::Custom(trajectory, _) => {
                let pose = from.poses[side];
                let own = pose.translation() - if side == 1 { from.place } else { DVec3::ZERO };
                let height = body.height(n, pose.rotation()) + n.dot(own);
                let rounding = ROUNDING * (own.length() + body.reach);
                let moved = trajectory.displacement(from.time, to.time, body.bounding_radius);
                // Written so that a NaN bounds nothing.
                let moved = if moved >= 0.0 { moved } else { f64::INFINITY };
                // The whole displacement may happen at once.
                ([height + rounding + moved; 2], 0.0)
            }
        }
    }

    /// The separation if one of the two is a half-space that turns: along its normal, which turns with it.
    ///
    /// φ = n·(x - c) has φ'' = n''·(x - c) + 2 n'·(x - c)' + n·x'', which is at most ω² D + 2 ω V + K.
    fn plane_separation(&self, [from, to]: [&Moment; 2]) -> Option<SeparationOver> {
        let (plane, other, side) = match (&self.a.core, &self.b.core) {
            // Planes of which one turns meet somewhere, as soon as it does.
            (Core::Plane(_), Core::Plane(_)) if self.is_turning() => {
                return Some(SeparationOver { ends: [f64::NEG_INFINITY; 2], least: f64::NEG_INFINITY });
            }
            (Core::Plane(_), _) => (&self.a, &self.b, 0),
            (_, Core::Plane(_)) => (&self.b, &self.a, 1),
            _ => return None,
        };
        let Turning::Axis { rate, .. } = plane.turning else { return None };
        let sign = [1.0, -1.0][side];
        let outward = |moment: &Moment| moment.rotations[side] * plane.normal();
        let gap = |moment: &Moment| {
            let normal = outward(moment);
            sign * normal.dot(moment.place) - other.height(-normal, moment.rotations[1 - side]) - plane.plane_height()
        };
        let time = to.time - from.time;
        let speed = |moment: &Moment| self.velocity_at(moment).length();
        let fastest = speed(from).max(speed(to)) + other.speed();
        let farthest = from.place.length() + fastest * time + other.reach + other.radius;
        let of_other = match other.turning {
            Turning::Axis { rate, .. } => rate * rate * other.across,
            Turning::Still => 0.0,
            Turning::Custom(..) => f64::INFINITY,
        };
        let bend = rate * rate * farthest + 2.0 * rate * fastest + of_other + self.path.acceleration.length();
        // The factor covers the rounding of eight operations.
        Some(SeparationOver::new([gap(from), gap(to)], 0.125 * bend * time * time * (1.0 + 1e-12)))
    }
}

/// A unit vector that may rotate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Direction {
    /// Where it points at the start of an interval.
    pub start: DVec3,
    /// Its angular velocity η.
    pub turn: DVec3,
}

impl Direction {
    pub fn fixed(n: DVec3) -> Self {
        Self { start: n, turn: DVec3::ZERO }
    }

    /// From one unit vector to another in a time, by the shortest arc.
    pub fn between(start: DVec3, end: DVec3, time: f64) -> Option<Self> {
        let across = start.cross(end);
        let sine = across.length();
        // The arcs of the system differ from machine to machine.
        let angle = libm::atan2(sine, start.dot(end));
        (sine > 0.0 && time > 0.0).then(|| Self { start, turn: across * (angle / (sine * time)) })
    }

    /// Its direction after a time.
    pub fn after(&self, time: f64) -> DVec3 {
        turn(self.turn * time) * self.start
    }
}

/// The separation of two bodies along a direction over an interval: a lower bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeparationOver {
    pub ends: [f64; 2],
    pub least: f64,
}

impl SeparationOver {
    /// The least value of (1-λ) f₀ + λ f₁ - 4 λ (1-λ) β.
    fn new([f0, f1]: [f64; 2], bulge: f64) -> Self {
        let rise = f1 - f0;
        let steep = 4.0 * bulge - rise;
        // The vertex of the parabola, if it is in between.
        let least = if bulge > 0.0 && steep > 0.0 && steep < 8.0 * bulge {
            f0 - steep * steep / (16.0 * bulge)
        } else {
            f0.min(f1)
        };
        // The rounding error of the differences, squares and quotients.
        let rounding = 16.0 * f64::EPSILON * (f0.abs() + f1.abs() + bulge.abs());
        // Written so that a NaN bounds nothing.
        let least = if least - rounding > f64::NEG_INFINITY { least - rounding } else { f64::NEG_INFINITY };
        Self { ends: [f0, f1], least }
    }
}
