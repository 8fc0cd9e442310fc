//! Closed forms between two placed shapes: from poses to what the formulas need, and back to an answer in the world.
//!
//! A formula needs few vectors, so there is no frame here. One rotation takes the centre of a ball into the frame of a box and another one
//! takes the normal out. Segments are rotated into the axes of the world, where the answer is wanted.

use super::clearance::Contact;
use super::{Clearance, Cost, Status, unit};
use crate::math::Pose;
use crate::math::rounding::{OF_CLOSED_FORMS, SMALLEST_LENGTH};
use crate::narrow::closed_form::{self, Foot, Target, foot};
use crate::shape::{Convex, Segment, Sphere};
use glam::{DMat3, DQuat, DVec3};

/// Two shapes for which there is a formula.
pub(super) trait ClosedForm: Copy {
    /// The result of the formula, small enough for registers.
    type Solved: Solved;

    /// The two shapes, for when the formula does not answer.
    fn cores(&self) -> [&dyn Convex; 2];

    /// Evaluates the formula; `None` where it is not accurate enough, which is seldom.
    ///
    /// Poses come by value and stay out of memory: loading what was just stored in other pieces is a store-to-load forwarding
    /// stall, which takes as long as a square root.
    fn solve(&self, poses: [Pose; 2]) -> Option<Self::Solved>;
}

/// The result of a formula.
pub(super) trait Solved {
    /// The answer, with poses as they were for the formula.
    fn clearance(&self, poses: [Pose; 2]) -> Clearance;
}

/// Two balls, or points.
#[derive(Clone, Copy)]
pub(super) struct Balls<'a>(pub &'a Sphere, pub &'a Sphere);

/// A ball and a box or triangle.
#[derive(Clone, Copy)]
pub(super) struct BallFirst<'a, T>(pub &'a Sphere, pub &'a T);

/// A box or triangle and a ball.
#[derive(Clone, Copy)]
pub(super) struct BallSecond<'a, T>(pub &'a T, pub &'a Sphere);

/// Two segments with radii.
#[derive(Clone, Copy)]
pub(super) struct Segments<'a>(pub &'a Segment, pub &'a Segment);

/// A segment with a radius and a ball.
#[derive(Clone, Copy)]
pub(super) struct SegmentBall<'a>(pub &'a Segment, pub &'a Sphere);

/// A ball and a segment with a radius.
#[derive(Clone, Copy)]
pub(super) struct BallSegment<'a>(pub &'a Sphere, pub &'a Segment);

impl ClosedForm for Balls<'_> {
    type Solved = Self;

    fn cores(&self) -> [&dyn Convex; 2] {
        [self.0, self.1]
    }

    #[inline(always)]
    fn solve(&self, _: [Pose; 2]) -> Option<Self> {
        Some(*self)
    }
}

impl<T: Target + Convex> ClosedForm for BallFirst<'_, T>
where
    Self: Copy,
{
    type Solved = NearBall<true>;

    fn cores(&self) -> [&dyn Convex; 2] {
        [self.0, self.1]
    }

    #[inline(always)]
    fn solve(&self, [pose_a, pose_b]: [Pose; 2]) -> Option<NearBall<true>> {
        NearBall::new(self.1, pose_b, self.0, pose_a)
    }
}

impl<T: Target + Convex> ClosedForm for BallSecond<'_, T>
where
    Self: Copy,
{
    type Solved = NearBall<false>;

    fn cores(&self) -> [&dyn Convex; 2] {
        [self.0, self.1]
    }

    #[inline(always)]
    fn solve(&self, [pose_a, pose_b]: [Pose; 2]) -> Option<NearBall<false>> {
        NearBall::new(self.0, pose_a, self.1, pose_b)
    }
}

impl ClosedForm for Segments<'_> {
    type Solved = SegmentGap;

    fn cores(&self) -> [&dyn Convex; 2] {
        [self.0, self.1]
    }

    #[inline(always)]
    fn solve(&self, [pose_a, pose_b]: [Pose; 2]) -> Option<SegmentGap> {
        SegmentGap::of(self.0, pose_a, self.1, pose_b)
    }
}

impl ClosedForm for SegmentBall<'_> {
    type Solved = SegmentGap;

    fn cores(&self) -> [&dyn Convex; 2] {
        [self.0, self.1]
    }

    #[inline(always)]
    fn solve(&self, [pose_a, pose_b]: [Pose; 2]) -> Option<SegmentGap> {
        SegmentGap::to_ball(self.0, pose_a, self.1, pose_b)
    }
}

impl ClosedForm for BallSegment<'_> {
    type Solved = SegmentGap;

    fn cores(&self) -> [&dyn Convex; 2] {
        [self.0, self.1]
    }

    #[inline(always)]
    fn solve(&self, [pose_a, pose_b]: [Pose; 2]) -> Option<SegmentGap> {
        SegmentGap::from_ball(self.0, pose_a, self.1, pose_b)
    }
}

/// The matrix of a quaternion, as glam makes it, but always here: a call would put the quaternion on the stack.
#[inline(always)]
fn matrix(q: DQuat) -> DMat3 {
    let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
    let (xx, xy, xz) = (q.x * x2, q.x * y2, q.x * z2);
    let (yy, yz, zz) = (q.y * y2, q.y * z2, q.z * z2);
    let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
    DMat3::from_cols(
        DVec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        DVec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

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
        cost: Cost { iterations: 0, support_calls: 0, fallbacks: 0 },
        contact,
    }
}

impl Solved for Balls<'_> {
    #[inline(always)]
    fn clearance(&self, [pose_a, pose_b]: [Pose; 2]) -> Clearance {
        let Self(a, b) = self;
        let between = pose_b.translation() - pose_a.translation();
        let radius = a.radius() + b.radius();
        let rounding = OF_CLOSED_FORMS * (bound(between) + radius) + SMALLEST_LENGTH;
        let core = between.length();
        // Two points that coincide leave the direction open.
        let normal = if core > SMALLEST_LENGTH { between / core } else { DVec3::X };
        let contact = Contact::Vertices { ids: [[0; 2]; 4], count: 1 };
        answer(core - radius, pose_a.translation() + a.radius() * normal, normal, rounding, contact)
    }
}

/// A ball beside or inside another shape: the first or the second of the two.
pub(super) struct NearBall<const IS_FIRST: bool> {
    foot: Foot,
    /// From the frame of the other shape to the axes of the world.
    turn: DMat3,
    /// Of the other shape, and of the ball.
    radii: [f64; 2],
    rounding: f64,
}

impl<const IS_FIRST: bool> NearBall<IS_FIRST> {
    #[inline(always)]
    fn new<T: Target + Convex>(other: &T, pose: Pose, ball: &Sphere, pose_ball: Pose) -> Option<Self> {
        // A matrix, though only two vectors need it: it is computed while the loads of the translations are under way.
        let turn = matrix(pose.rotation());
        let between = pose_ball.translation() - pose.translation();
        let center = DVec3::new(turn.x_axis.dot(between), turn.y_axis.dot(between), turn.z_axis.dot(between));
        let radii = [other.radius(), ball.radius()];
        let scale = other.bounding_radius() + bound(center) + (radii[0] + radii[1]);
        if !unit::is_ordinary(scale) {
            return None;
        }
        let rounding = OF_CLOSED_FORMS * scale + SMALLEST_LENGTH;
        Some(Self { foot: other.foot(center, rounding)?, turn, radii, rounding })
    }
}

impl<const IS_FIRST: bool> Solved for NearBall<IS_FIRST> {
    #[inline(always)]
    fn clearance(&self, [pose_a, pose_b]: [Pose; 2]) -> Clearance {
        let distance = self.foot.core - (self.radii[0] + self.radii[1]);
        let outward = self.turn * self.foot.normal;
        let ids = self.foot.ids;
        // The points are on the line through the centre of the ball.
        if IS_FIRST {
            let center = pose_a.translation();
            let contact = Contact::Vertices { ids: ids.map(|id| [0, id]), count: self.foot.count };
            answer(distance, center - self.radii[1] * outward, -outward, self.rounding, contact)
        } else {
            let center = pose_b.translation();
            let contact = Contact::Vertices { ids: ids.map(|id| [id, 0]), count: self.foot.count };
            answer(distance, center - (self.radii[1] + distance) * outward, outward, self.rounding, contact)
        }
    }
}

/// Two segments with radii, or one and a ball, in the axes of the world.
pub(super) struct SegmentGap {
    between: closed_form::SegmentPoints,
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

impl SegmentGap {
    #[inline(always)]
    fn of(a: &Segment, pose_a: Pose, b: &Segment, pose_b: Pose) -> Option<Self> {
        let ([middle_a, half_a], [middle_b, half_b]) = (a.turned(pose_a.rotation()), b.turned(pose_b.rotation()));
        let r = (pose_b.translation() - pose_a.translation()) + (middle_b - middle_a);
        let radii = [a.radius(), b.radius()];
        let scale = (a.bounding_radius() + b.bounding_radius()) + bound(r) + (radii[0] + radii[1]);
        if !unit::is_ordinary(scale) {
            return None;
        }
        let rounding = OF_CLOSED_FORMS * scale + SMALLEST_LENGTH;
        let between = closed_form::between([half_a, half_b], [a.squares(), b.squares()], r, rounding)?;
        let [s, t] = between.parts;
        let ([i, k], [j, l]) = (ends(s), ends(t));
        let contact =
            Contact::Vertices { ids: [[i, j], [k, l], [k, l], [k, l]], count: 1 + u8::from(i != k || j != l) };
        let core_a = pose_a.translation() + (middle_a + half_a * s);
        Some(Self { between, core_a, radii, rounding, contact })
    }

    #[inline(always)]
    fn to_ball(a: &Segment, pose_a: Pose, b: &Sphere, pose_b: Pose) -> Option<Self> {
        let [middle, half] = a.turned(pose_a.rotation());
        let r = (pose_b.translation() - pose_a.translation()) - middle;
        let radii = [a.radius(), b.radius()];
        let scale = a.bounding_radius() + bound(r) + (radii[0] + radii[1]);
        if !unit::is_ordinary(scale) {
            return None;
        }
        let rounding = OF_CLOSED_FORMS * scale + SMALLEST_LENGTH;
        let between = foot::on_segment(r, half, a.squares()[1], rounding)?;
        let [i, k] = ends(between.parts[0]);
        let contact = Contact::Vertices { ids: [[i, 0], [k, 0], [k, 0], [k, 0]], count: 1 + u8::from(i != k) };
        let core_a = pose_a.translation() + (middle + half * between.parts[0]);
        Some(Self { between, core_a, radii, rounding, contact })
    }

    #[inline(always)]
    fn from_ball(a: &Sphere, pose_a: Pose, b: &Segment, pose_b: Pose) -> Option<Self> {
        let mut bars = Self::to_ball(b, pose_b, a, pose_a)?;
        bars.between.normal = -bars.between.normal;
        bars.core_a = pose_a.translation();
        bars.radii = [a.radius(), b.radius()];
        bars.contact = bars.contact.swapped();
        Some(bars)
    }
}

impl Solved for SegmentGap {
    #[inline(always)]
    fn clearance(&self, _: [Pose; 2]) -> Clearance {
        let distance = self.between.core - (self.radii[0] + self.radii[1]);
        let normal = self.between.normal;
        answer(distance, self.core_a + self.radii[0] * normal, normal, self.rounding, self.contact)
    }
}
