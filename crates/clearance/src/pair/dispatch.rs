//! Which engine answers for which two kinds of shape.

use super::{Clearance, Cost, Engine, Memory, Status};
use crate::math::{Frame, Pose};
use crate::narrow::gjk;
use crate::narrow::simplex::{Johnson, SignedVolumes};
use crate::shape::{Convex, Feature, Shape};

pub(super) fn distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    engine: Engine,
    memory: &mut Memory,
) -> Clearance {
    let frame = Frame::relative(pose_a, pose_b);
    match (a, b) {
        (Shape::Polytope(x), Shape::Polytope(y)) => solve(&**x, &**y, &frame, pose_a, engine, memory),
        (Shape::Cuboid(x), Shape::Cuboid(y)) => solve(x, y, &frame, pose_a, engine, memory),
        _ => {
            let (Some(x), Some(y)) = (a.convex(), b.convex()) else { todo!() };
            solve(x, y, &frame, pose_a, engine, memory)
        }
    }
}

fn solve<A: Convex + ?Sized, B: Convex + ?Sized>(
    a: &A,
    b: &B,
    frame: &Frame,
    pose_a: &Pose,
    engine: Engine,
    memory: &mut Memory,
) -> Clearance {
    let out = match engine {
        Engine::GjkJohnson => gjk::distance_up_to::<Johnson, A, B>(a, b, frame, f64::INFINITY, &mut memory.gjk),
        _ => gjk::distance_up_to::<SignedVolumes, A, B>(a, b, frame, f64::INFINITY, &mut memory.gjk),
    };
    Clearance {
        distance: out.distance,
        point_a: pose_a.point(out.point_a),
        point_b: pose_a.point(out.point_b),
        normal: pose_a.direction(out.normal),
        lower: out.lower,
        upper: out.upper,
        features: [Feature::Surface; 2],
        parts: [0; 2],
        status: if out.closed { Status::Converged } else { Status::Stalled },
        cost: out.cost,
    }
}

pub(super) fn intersects(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    _engine: Engine,
    memory: &mut Memory,
) -> bool {
    let frame = Frame::relative(pose_a, pose_b);
    match (a, b) {
        (Shape::Polytope(x), Shape::Polytope(y)) => gjk::intersects(&**x, &**y, &frame, &mut memory.gjk),
        (Shape::Cuboid(x), Shape::Cuboid(y)) => gjk::intersects(x, y, &frame, &mut memory.gjk),
        _ => {
            let (Some(x), Some(y)) = (a.convex(), b.convex()) else { todo!() };
            gjk::intersects(x, y, &frame, &mut memory.gjk)
        }
    }
}

pub(super) fn within(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f64,
    engine: Engine,
    memory: &mut Memory,
) -> Option<Clearance> {
    let _ = Cost::default();
    Some(distance(a, pose_a, b, pose_b, engine, memory)).filter(|c| c.distance <= margin)
}
