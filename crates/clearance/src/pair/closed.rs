//! Closed forms between two placed shapes: from poses to what the formulas need, and back to an answer in the world.
//!
//! A formula needs few vectors, so there is no frame here: one rotation takes the centre of a ball into the frame of a box
//! and another one takes the normal out; segments are turned into the axes of the world, where the answer is wanted.

use super::clearance::Contact;
use super::{Clearance, Cost, Status, unit};
use crate::math::Pose;
use crate::math::rounding::SMALLEST_LENGTH;
use crate::narrow::closed_form::{self, Foot, Target, foot};
use crate::shape::{Convex, Segment, Shape, Sphere};
use glam::{DMat3, DVec3};

/// Hands the answer to `done` if there is a closed form for the two shapes, else asks `otherwise`.
///
/// Nothing wraps the answer: it is large, and moving it would take as long as some of the formulas. Poses come by value
/// and stay out of memory: loading what was just stored in other pieces stalls for as long as a square root takes.
#[inline(always)]
pub(super) fn ask<R>(
    [a, b]: [&Shape; 2],
    [pose_a, pose_b]: [Pose; 2],
    done: impl FnOnce(Clearance) -> R,
    otherwise: impl FnOnce() -> R,
) -> R {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => done(balls([a, b], [pose_a, pose_b])),
        (Shape::Cuboid(a), Shape::Sphere(b)) => match to_ball(a, pose_a, b, pose_b) {
            Some(near) => done(near.clearance::<false>(pose_b)),
            None => otherwise(),
        },
        (Shape::Sphere(a), Shape::Cuboid(b)) => match to_ball(b, pose_b, a, pose_a) {
            Some(near) => done(near.clearance::<true>(pose_a)),
            None => otherwise(),
        },
        (Shape::Triangle(a), Shape::Sphere(b)) => match to_ball(a, pose_a, b, pose_b) {
            Some(near) => done(near.clearance::<false>(pose_b)),
            None => otherwise(),
        },
        (Shape::Sphere(a), Shape::Triangle(b)) => match to_ball(b, pose_b, a, pose_a) {
            Some(near) => done(near.clearance::<true>(pose_a)),
            None => otherwise(),
        },
        (Shape::Segment(a), Shape::Segment(b)) => match Bars::of(a, pose_a, b, pose_b) {
            Some(bars) => done(bars.clearance()),
            None => otherwise(),
        },
        (Shape::Segment(a), Shape::Sphere(b)) => match Bars::to_ball(a, pose_a, b, pose_b) {
            Some(bars) => done(bars.clearance()),
            None => otherwise(),
        },
        (Shape::Sphere(a), Shape::Segment(b)) => match Bars::from_ball(a, pose_a, b, pose_b) {
            Some(bars) => done(bars.clearance()),
            None => otherwise(),
        },
        _ => otherwise(),
    }
}

/// As the constant of the same name for engines, with less on the way: turning a vector by a quaternion that is a unit only to
/// rounding is off by 10 ε, a foot and a height by 3.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A bound on the length of a vector, without a root.
#[inline]
fn bound(v: DVec3) -> f64 {
    v.abs().element_sum()
}

/// The answer from the distance of the shapes, a point of A, the normal, and the rounding of what led to them.
#[inline(always)]
fn answer(distance: f64, point_a: DVec3, normal: DVec3, rounding: f64, contact: Contact) -> Clearance {
    Clearance {
        distance,
        point_a,
        point_b: point_a + distance * normal,
        normal,
        // The height of the plane may be a rounding less than the length, and is off by another.
        lower: distance - 2.0 * rounding,
        upper: distance + rounding,
        parts: [0; 2],
        status: Status::Converged,
        cost: Cost { iterations: 0, support_calls: 0, rescues: 0 },
        contact,
    }
}

/// Two balls, or points.
#[inline(always)]
fn balls([a, b]: [&Sphere; 2], [pose_a, pose_b]: [Pose; 2]) -> Clearance {
    let between = pose_b.translation() - pose_a.translation();
    let radius = a.radius() + b.radius();
    let rounding = ROUNDING * (bound(between) + radius) + SMALLEST_LENGTH;
    let core = between.length();
    // Two points that coincide leave the direction open.
    let normal = if core > SMALLEST_LENGTH { between / core } else { DVec3::X };
    let contact = Contact { ids: [[0; 2]; 4], count: 1 };
    answer(core - radius, pose_a.translation() + a.radius() * normal, normal, rounding, contact)
}

/// A ball beside or inside another shape.
struct NearBall {
    foot: Foot,
    /// From the frame of the other shape to the axes of the world.
    turn: DMat3,
    radii: [f64; 2],
    rounding: f64,
}

/// The ball is the second here.
#[inline(always)]
fn to_ball<T: Target + Convex>(other: &T, pose: Pose, ball: &Sphere, pose_ball: Pose) -> Option<NearBall> {
    // A matrix, though it is used for two vectors only: it can be made while the way there is waited for.
    let turn = DMat3::from_quat(pose.rotation());
    let between = pose_ball.translation() - pose.translation();
    let center = DVec3::new(turn.x_axis.dot(between), turn.y_axis.dot(between), turn.z_axis.dot(between));
    let radii = [other.radius(), ball.radius()];
    let scale = other.reach() + bound(center) + (radii[0] + radii[1]);
    if !unit::is_ordinary(scale) {
        return None;
    }
    let rounding = ROUNDING * scale + SMALLEST_LENGTH;
    Some(NearBall { foot: other.foot(center, rounding)?, turn, radii, rounding })
}

impl NearBall {
    /// The answer, with the ball as A if `BALL_FIRST`.
    #[inline(always)]
    fn clearance<const BALL_FIRST: bool>(&self, pose_ball: Pose) -> Clearance {
        let distance = self.foot.core - (self.radii[0] + self.radii[1]);
        let outward = self.turn * self.foot.normal;
        let ids = self.foot.ids;
        // The points are on the line through the centre of the ball.
        let center = pose_ball.translation();
        if BALL_FIRST {
            let contact = Contact { ids: ids.map(|id| [0, id]), count: self.foot.count };
            answer(distance, center - self.radii[1] * outward, -outward, self.rounding, contact)
        } else {
            let contact = Contact { ids: ids.map(|id| [id, 0]), count: self.foot.count };
            answer(distance, center - (self.radii[1] + distance) * outward, outward, self.rounding, contact)
        }
    }
}

/// Two segments with radii, or one and a ball, in the axes of the world.
struct Bars {
    between: closed_form::Between,
    /// The point of the core of A.
    core_a: DVec3,
    radii: [f64; 2],
    rounding: f64,
    contact: Contact,
}

/// The vertices that span what a point of a segment is on.
#[inline(always)]
fn ends(part: f64) -> [u32; 2] {
    [u32::from(part >= 1.0), u32::from(part > -1.0)]
}

impl Bars {
    #[inline(always)]
    fn of(a: &Segment, pose_a: Pose, b: &Segment, pose_b: Pose) -> Option<Self> {
        let ([middle_a, half_a], [middle_b, half_b]) = (a.turned(pose_a.rotation()), b.turned(pose_b.rotation()));
        let r = (pose_b.translation() - pose_a.translation()) + (middle_b - middle_a);
        let radii = [a.radius(), b.radius()];
        let scale = (a.reach() + b.reach()) + bound(r) + (radii[0] + radii[1]);
        if !unit::is_ordinary(scale) {
            return None;
        }
        let rounding = ROUNDING * scale + SMALLEST_LENGTH;
        let between = closed_form::between([half_a, half_b], [a.squares(), b.squares()], r, rounding)?;
        let [s, t] = between.parts;
        let ([i, k], [j, l]) = (ends(s), ends(t));
        let contact = Contact { ids: [[i, j], [k, l], [k, l], [k, l]], count: 1 + u8::from(i != k || j != l) };
        let core_a = pose_a.translation() + (middle_a + half_a * s);
        Some(Self { between, core_a, radii, rounding, contact })
    }

    #[inline(always)]
    fn to_ball(a: &Segment, pose_a: Pose, b: &Sphere, pose_b: Pose) -> Option<Self> {
        let [middle, half] = a.turned(pose_a.rotation());
        let r = (pose_b.translation() - pose_a.translation()) - middle;
        let radii = [a.radius(), b.radius()];
        let scale = a.reach() + bound(r) + (radii[0] + radii[1]);
        if !unit::is_ordinary(scale) {
            return None;
        }
        let rounding = ROUNDING * scale + SMALLEST_LENGTH;
        let between = foot::on_segment(r, half, a.squares()[1], rounding)?;
        let [i, k] = ends(between.parts[0]);
        let contact = Contact { ids: [[i, 0], [k, 0], [k, 0], [k, 0]], count: 1 + u8::from(i != k) };
        let core_a = pose_a.translation() + (middle + half * between.parts[0]);
        Some(Self { between, core_a, radii, rounding, contact })
    }

    #[inline(always)]
    fn from_ball(a: &Sphere, pose_a: Pose, b: &Segment, pose_b: Pose) -> Option<Self> {
        let mut bars = Self::to_ball(b, pose_b, a, pose_a)?;
        bars.between.normal = -bars.between.normal;
        bars.core_a = pose_a.translation();
        bars.radii = [a.radius(), b.radius()];
        bars.contact.ids = bars.contact.ids.map(|[i, j]| [j, i]);
        Some(bars)
    }

    #[inline(always)]
    fn clearance(&self) -> Clearance {
        let distance = self.between.core - (self.radii[0] + self.radii[1]);
        let normal = self.between.normal;
        answer(distance, self.core_a + self.radii[0] * normal, normal, self.rounding, self.contact)
    }
}
