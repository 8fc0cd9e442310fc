//! Compounds: every part of one against every part of the other, as few as the bounds allow.

use super::dispatch::{self, Placed};
use super::{Clearance, Cost, Engine, Memory, Status};
use crate::math::Pose;
use crate::shape::{COMPOSED, Part, Shape};
use glam::{DQuat, DVec3};
use smallvec::SmallVec;

/// A part at its place in the world, with a ball around it.
struct WorldPart<'a> {
    shape: &'a Shape,
    pose: Pose,
    radius: f64,
    /// How far rounding may have moved a point of it; of a half-space, its origin.
    rounding: f64,
    /// How far rounding may have turned it.
    turn: f64,
    /// Is it a half-space whose rotation is rounded, so that it cannot be told whether it is parallel to another?
    is_vague: bool,
}

/// The parts of a shape; a shape that is no compound is its own only part.
///
/// They are placed in the world moved by `-origin`: a part's own pose must not be rounded to the coordinates of a world far
/// away.
fn world_parts<'a>(shape: &'a Shape, pose: &Pose, origin: DVec3) -> SmallVec<[WorldPart<'a>; 8]> {
    let pose = pose.moved_by(-origin);
    let far = pose.translation().length();
    match shape {
        Shape::Compound(compound) => {
            let place = |part: &'a Part| {
                let radius = part.shape.reach();
                let is_plane = matches!(part.shape, Shape::HalfSpace(_));
                // Putting poses together rounds by a part of the lengths that go in (those that come out may have cancelled), and
                // turns a part by as much: what the pair of parts knows nothing of.
                let lengths = far + part.pose.translation().length() + if is_plane { 0.0 } else { radius };
                let are_turned = [&pose, &part.pose].iter().all(|pose| pose.rotation() != DQuat::IDENTITY);
                WorldPart {
                    shape: &part.shape,
                    pose: pose.after(&part.pose),
                    // The ball is about the origin of the part.
                    radius,
                    rounding: COMPOSED * lengths + part.slack(),
                    turn: COMPOSED + part.turn(),
                    is_vague: is_plane && (are_turned || part.is_turned_twice()),
                }
            };
            compound.parts().iter().map(place).collect()
        }
        _ => {
            let rounding = f64::EPSILON * far;
            let alone = WorldPart { shape, pose, radius: shape.reach(), rounding, turn: 0.0, is_vague: false };
            std::iter::once(alone).collect()
        }
    }
}

/// The distance of the origins of two parts.
fn between(a: &WorldPart<'_>, b: &WorldPart<'_>) -> f64 {
    (b.pose.translation() - a.pose.translation()).length()
}

/// A lower bound of the distance between two parts, less what rounding may have added.
fn lower_bound(a: &WorldPart<'_>, b: &WorldPart<'_>) -> f64 {
    between(a, b) * (1.0 - 1e-12) - (a.radius + b.radius) * (1.0 + 1e-12) - (a.rounding + b.rounding)
}

/// Are they half-spaces of which it cannot be told whether they are parallel? If they are not they meet.
fn are_vague(a: &WorldPart<'_>, b: &WorldPart<'_>) -> bool {
    (a.is_vague || b.is_vague) && a.radius == f64::INFINITY && b.radius == f64::INFINITY
}

/// By how much rounding may have changed the distance between two parts before anything is computed about them.
fn rounding(a: &WorldPart<'_>, b: &WorldPart<'_>) -> f64 {
    // A half-space that is turned moves as far as the other part is away.
    let of_turn = |plane: &WorldPart<'_>, other: &WorldPart<'_>| {
        let is_plane = plane.radius == f64::INFINITY;
        let size = if other.radius.is_finite() { other.radius } else { 0.0 };
        if is_plane { plane.turn * (between(a, b) + size) } else { 0.0 }
    };
    a.rounding + b.rounding + of_turn(a, b) + of_turn(b, a)
}

/// The clearance of the closest (or deepest) pair of parts; pairs that are proved to be farther than `limit` are not looked
/// at any closer.
///
/// When parts overlap this is the depth of the deepest pair of parts, which is not the depth of the union: moving by it
/// may push the shape into another part.
pub(super) fn clearance(placed: Placed<'_>, limit: f64, engine: Engine, memory: &mut Memory) -> Clearance {
    let origin = placed.pose_a.translation();
    let parts_a = world_parts(placed.a, placed.pose_a, origin);
    let parts_b = world_parts(placed.b, placed.pose_b, origin);
    let mut best: Option<Clearance> = None;
    let (mut lower, mut upper) = (f64::INFINITY, f64::INFINITY);
    let mut cost = Cost::default();
    let mut consider = |i: usize, j: usize, memory: &mut Memory| {
        let (Some(a), Some(b)) = (parts_a.get(i), parts_b.get(j)) else { return };
        let enough = best.as_ref().map_or(limit, |best| best.distance);
        // The first pair is always asked about: there has to be an answer.
        if best.is_some() && lower_bound(a, b) > enough {
            return;
        }
        let pair = Placed { a: a.shape, pose_a: &a.pose, b: b.shape, pose_b: &b.pose };
        let mut answer = dispatch::clearance(pair, enough, engine, memory);
        cost += answer.cost;
        answer.parts = [i as u32, j as u32];
        let rounding = rounding(a, b);
        answer.lower -= rounding;
        answer.upper += rounding;
        if are_vague(a, b) && answer.lower > f64::NEG_INFINITY {
            (answer.lower, answer.status) = (f64::NEG_INFINITY, Status::Stalled);
        }
        lower = lower.min(answer.lower);
        upper = upper.min(answer.upper);
        // Of equally close pairs the first counts, whichever was looked at first. A pair whose search ended because it is
        // too far says nothing but its lower bound.
        let is_better = best.as_ref().is_none_or(|best| {
            answer.lower <= enough
                && (answer.distance < best.distance || answer.distance == best.distance && answer.parts < best.parts)
        });
        if is_better {
            best = Some(answer);
        }
    };
    // The pair that was closest last time gives a bound that spares most of the others.
    let remembered = memory.parts.map(|part| part as usize);
    let first = if remembered[0] < parts_a.len() && remembered[1] < parts_b.len() { remembered } else { [0; 2] };
    consider(first[0], first[1], memory);
    for i in 0..parts_a.len() {
        for j in 0..parts_b.len() {
            if [i, j] != first {
                consider(i, j, &mut Memory::default());
            }
        }
    }
    let best = best.expect("a compound has parts");
    if best.parts.map(|part| part as usize) != first {
        *memory = Memory { parts: best.parts, ..Memory::default() };
    }
    let point_a = best.point_a + origin;
    let moved = if best.distance.is_finite() { best.distance * best.normal } else { DVec3::ZERO };
    Clearance { lower, upper: upper.max(best.distance), cost, point_a, point_b: point_a + moved, ..best }
}

/// Does any part of one share a point with any part of the other?
pub(super) fn intersects(placed: Placed<'_>, engine: Engine, memory: &mut Memory) -> bool {
    let origin = placed.pose_a.translation();
    let parts_a = world_parts(placed.a, placed.pose_a, origin);
    let parts_b = world_parts(placed.b, placed.pose_b, origin);
    let meet = |i: usize, j: usize, memory: &mut Memory| {
        let (Some(a), Some(b)) = (parts_a.get(i), parts_b.get(j)) else { return false };
        let pair = Placed { a: a.shape, pose_a: &a.pose, b: b.shape, pose_b: &b.pose };
        if lower_bound(a, b) > 0.0 {
            return false;
        }
        // "No" needs a gap beyond the rounding of the poses; where there is one, few ask twice.
        let rounding = rounding(a, b);
        are_vague(a, b)
            || dispatch::intersects(pair, engine, memory)
            || dispatch::clearance(pair, rounding, engine, memory).lower <= rounding
    };
    // Parts that met last time probably still do.
    let remembered = memory.parts;
    if meet(remembered[0] as usize, remembered[1] as usize, memory) {
        return true;
    }
    for i in 0..parts_a.len() {
        for j in 0..parts_b.len() {
            if [i as u32, j as u32] != remembered && meet(i, j, &mut Memory::default()) {
                *memory = Memory { parts: [i as u32, j as u32], ..Memory::default() };
                return true;
            }
        }
    }
    false
}
