//! Half-spaces, in closed form: the deepest point of the other shape decides.

use super::clearance::Contact;
use super::{Clearance, Cost, Status};
use crate::math::expansion::{Expansion, cross, dot};
use crate::math::rounding::{self, ROUNDING};
use crate::math::{Frame, Pose};
use crate::shape::{Convex, HalfSpace};
use glam::{DQuat, DVec3};

/// A half-space and a bounded convex shape: exact on both sides of zero.
pub(super) fn to_convex(a: &HalfSpace, b: &dyn Convex, b_in_a: &Frame, pose_a: &Pose) -> Clearance {
    let normal = a.normal();
    let deepest = b.support_vertex(b_in_a.direction_in_b(-normal));
    let core = b_in_a.point(deepest.point);
    let distance = normal.dot(core) - a.offset() - b.radius();
    let point_b = core - b.radius() * normal;
    let far = b.bounding_radius() + b.radius() + b_in_a.translation.length();
    let rounding = rounding::of_pair(far + a.offset().abs(), a.turn() * far + a.shift() + b.slack());
    let contact = Contact::Vertices { ids: [[0, deepest.vertex], [0; 2], [0; 2], [0; 2]], count: 1 };
    let cost = Cost { iterations: 0, support_calls: 1, fallbacks: 0 };
    if !distance.is_finite() {
        return Clearance { normal: pose_a.transform_vector(normal), ..Clearance::unknown(pose_a, cost) };
    }
    answer(distance, point_b - distance * normal, normal, rounding, pose_a, contact, cost)
}

/// Two half-spaces: a gap or an overlap between parallel planes that face each other, else an overlap without end.
///
/// Planes that are parallel to rounding may meet far away. Where they are not exactly parallel as they were given, there is no
/// lower bound.
pub(super) fn to_half_space(a: &HalfSpace, b: &HalfSpace, [pose_a, pose_b]: [&Pose; 2]) -> Clearance {
    let b_in_a = &Frame::relative(pose_a, pose_b);
    let (normal, other) = (a.normal(), b_in_a.rotation * b.normal());
    // In the frame of A, B is all x with other · x <= offset.
    let offset = b.offset() + other.dot(b_in_a.translation);
    let line = normal.cross(other);
    let parallel = ROUNDING + (a.turn() + b.turn());
    if line.length() <= parallel && normal.dot(other) < 0.0 {
        let far = b_in_a.translation.length();
        let scale = a.offset().abs() + b.offset().abs() + far;
        let derived = (a.turn() + b.turn()) * far + (a.shift() + b.shift());
        let rounding = rounding::of_pair(scale, derived);
        let distance = -(a.offset() + offset);
        let (contact, cost) = (Contact::default(), Cost::default());
        let found = answer(distance, a.offset() * normal, normal, rounding, pose_a, contact, cost);
        return if are_opposite([a, b], [pose_a, pose_b]) {
            found
        } else {
            Clearance { lower: f64::NEG_INFINITY, status: Status::Stalled, ..found }
        };
    }
    // A point on both planes if they cross (of the line they share, the one nearest to the origin), else one below both.
    let common = if line.length() > parallel {
        (a.offset() * other.cross(line) + offset * line.cross(normal)) / line.length_squared()
    } else {
        a.offset().min(offset) * normal
    };
    let point = pose_a.transform_point(common);
    Clearance {
        distance: f64::NEG_INFINITY,
        point_a: point,
        point_b: point,
        lower: f64::NEG_INFINITY,
        upper: f64::NEG_INFINITY,
        status: Status::Converged,
        normal: pose_a.transform_vector(normal),
        ..Clearance::unknown(pose_a, Cost::default())
    }
}

/// Smallest part of a quaternion for the exact formula. Bound: products of four parts above 1e-30 and of two normals have no bit below
/// 2^-1012.
const SMALLEST_PART: f64 = 1e-30;

/// Do the normals point exactly away from each other, in the numbers that were written?
fn are_opposite(planes: [&HalfSpace; 2], poses: [&Pose; 2]) -> bool {
    // Equal rotations cancel.
    let is_turned = poses[0].rotation() != poses[1].rotation();
    // Of numbers that are so small something could get lost: it may then be otherwise.
    let is_large = |pose: &Pose| pose.rotation().to_array().iter().all(|&x| x == 0.0 || x.abs() >= SMALLEST_PART);
    if planes.iter().any(|plane| !plane.plane().is_exact()) || is_turned && !poses.iter().all(|pose| is_large(pose)) {
        return false;
    }
    let place = |side: usize| {
        let normal = planes[side].plane().normal();
        if is_turned { turned(poses[side].rotation(), &normal) } else { normal }
    };
    let (a, b) = (place(0), place(1));
    cross(&a, &b).iter().all(Expansion::is_zero) && dot(&a, &b).value() < 0.0
}

/// A vector turned by a quaternion of length l, times l²: (w² - |v|²) n + 2 (v·n) v + 2 w (v × n).
fn turned(q: DQuat, n: &[Expansion; 3]) -> [Expansion; 3] {
    let v = [q.x, q.y, q.z].map(Expansion::from);
    let (w, two) = (Expansion::from(q.w), Expansion::from(2.0));
    let along = &(&w * &w) - &dot(&v, &v);
    let by = &two * &dot(&v, n);
    let aside = cross(&v, n).map(|x| &(&two * &w) * &x);
    [0, 1, 2].map(|i| &(&(&along * &n[i]) + &(&by * &v[i])) + &aside[i])
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
        point_a: pose_a.transform_point(point_a),
        point_b: pose_a.transform_point(point_a + distance * normal),
        lower: distance - rounding,
        upper: distance + rounding,
        status: Status::Converged,
        contact,
        cost,
        normal: pose_a.transform_vector(normal),
        ..Clearance::unknown(pose_a, Cost::default())
    }
}
