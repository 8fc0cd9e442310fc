//! Half-spaces, in closed form: the deepest point of the other shape decides.

use super::clearance::Contact;
use super::{Clearance, Cost, Status};
use crate::math::{Frame, Pose};
use crate::narrow::{ROUNDING, SMALLEST_LENGTH};
use crate::shape::{Convex, HalfSpace};
use glam::DVec3;

/// A half-space and a bounded convex shape: exact on both sides of zero.
pub(super) fn to_convex(a: &HalfSpace, b: &dyn Convex, b_in_a: &Frame, pose_a: &Pose) -> Clearance {
    let normal = a.normal();
    let deepest = b.support_vertex(b_in_a.direction_in_b(-normal));
    let core = b_in_a.point(deepest.point);
    let distance = normal.dot(core) - a.offset() - b.radius();
    let point_b = core - b.radius() * normal;
    let scale = b.reach() + b.radius() + b_in_a.translation.length() + a.offset().abs();
    let contact = Contact { ids: [[0, deepest.vertex], [0; 2], [0; 2], [0; 2]], count: 1 };
    let cost = Cost { iterations: 0, support_calls: 1, rescues: 0 };
    if !distance.is_finite() {
        return Clearance { cost, ..unknown(pose_a, normal) };
    }
    answer(distance, point_b - distance * normal, normal, ROUNDING * scale + SMALLEST_LENGTH, pose_a, contact, cost)
}

/// Two half-spaces: a gap or an overlap between parallel planes that face each other, else an overlap without end.
///
/// Planes that are parallel to rounding are taken for parallel.
pub(super) fn to_half_space(a: &HalfSpace, b: &HalfSpace, b_in_a: &Frame, pose_a: &Pose) -> Clearance {
    let (normal, other) = (a.normal(), b_in_a.rotation * b.normal());
    // In the frame of A, B is all x with other · x <= offset.
    let offset = b.offset() + other.dot(b_in_a.translation);
    let scale = a.offset().abs() + b.offset().abs() + b_in_a.translation.length();
    let line = normal.cross(other);
    if line.length() <= ROUNDING && normal.dot(other) < 0.0 {
        let rounding = ROUNDING * scale + SMALLEST_LENGTH;
        let distance = -(a.offset() + offset);
        return answer(distance, a.offset() * normal, normal, rounding, pose_a, Contact::default(), Cost::default());
    }
    // A point on both planes if they cross (of the line they share, the one nearest to the origin), else one below both.
    let common = if line.length() > ROUNDING {
        (a.offset() * other.cross(line) + offset * line.cross(normal)) / line.length_squared()
    } else {
        a.offset().min(offset) * normal
    };
    let point = pose_a.point(common);
    Clearance {
        distance: f64::NEG_INFINITY,
        point_a: point,
        point_b: point,
        lower: f64::NEG_INFINITY,
        upper: f64::NEG_INFINITY,
        status: Status::Converged,
        ..unknown(pose_a, normal)
    }
}

fn answer(
    distance: f64,
    point_a: DVec3,
    normal: DVec3,
    rounding: f64,
    pose_a: &Pose,
    contact: Contact,
    cost: Cost,
) -> Clearance {
    Clearance {
        distance,
        point_a: pose_a.point(point_a),
        point_b: pose_a.point(point_a + distance * normal),
        lower: distance - rounding,
        upper: distance + rounding,
        status: Status::Converged,
        contact,
        cost,
        ..unknown(pose_a, normal)
    }
}

/// The answer of a support point that is no number.
fn unknown(pose_a: &Pose, normal: DVec3) -> Clearance {
    Clearance {
        distance: 0.0,
        point_a: pose_a.translation(),
        point_b: pose_a.translation(),
        normal: pose_a.direction(normal),
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        parts: [0; 2],
        status: Status::BadSupport,
        cost: Cost::default(),
        contact: Contact::default(),
    }
}
