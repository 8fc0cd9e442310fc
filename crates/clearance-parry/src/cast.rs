//! Moving shapes: straight casts, and motions that turn.
//!
//! The time of a hit is the proved lower end of its bracket: the shapes are apart before it, and apart by no more than rounding at it. A search that ends without a decision returns
//! `ShapeCastStatus::OutOfIterations` and the time until which the shapes are proved apart.

use crate::ClearanceDispatcher;
use crate::composite::Surface;
use crate::convert::{pose, to_parry, vector};
use crate::dispatcher::Posed;
use clearance::math::DVec3;
use clearance::{Clearance, Impact, Interval, Motion, Pose, Shape, distance, time_of_impact};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::{NonlinearRigidMotion, ShapeCastHit, ShapeCastOptions, ShapeCastStatus, Unsupported, details};
use parry3d_f64::shape::Shape as ParryShape;

impl ClearanceDispatcher {
    /// See `QueryDispatcher::cast_shapes`.
    pub(crate) fn cast(
        &self,
        pos12: &ParryPose,
        velocity: Vector,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        if let Some(field) = g1.as_heightfield().filter(|_| self.can_answer(g2)) {
            return details::cast_shapes_heightfield_shape(self, pos12, velocity, field, g2, options);
        }
        if let Some(field) = g2.as_heightfield().filter(|_| self.can_answer(g1)) {
            return details::cast_shapes_shape_heightfield(self, pos12, velocity, g1, field, options);
        }
        match self.first_surface(g1, g2)? {
            Some(Surface::First(parts)) => {
                Ok(details::cast_shapes_composite_shape_shape(self, pos12, velocity, parts, g2, options))
            }
            Some(Surface::Second(parts)) => {
                Ok(details::cast_shapes_shape_composite_shape(self, pos12, velocity, g1, parts, options))
            }
            None => cast_whole(&self.pair(pos12, g1, g2)?, vector(velocity), options).ok_or(Unsupported),
        }
    }

    /// See `QueryDispatcher::cast_shapes_nonlinear`. Where shapes touch at the start and may go on, parry weighs their velocities against thicknesses; the next dispatcher of the chain does that.
    pub(crate) fn cast_turning(
        &self,
        [(motion1, g1), (motion2, g2)]: [(&NonlinearRigidMotion, &dyn ParryShape); 2],
        [start, end]: [f64; 2],
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let surface = self.first_surface(g1, g2)?;
        if surface.is_some() && !stop_at_penetration {
            return Err(Unsupported);
        }
        let built = || Some(([motion(motion1)?, motion(motion2)?], Interval::new(start, end).ok()?));
        let (motions, interval) = built().ok_or(Unsupported)?;
        match surface {
            Some(Surface::First(parts)) => Ok(details::cast_shapes_nonlinear_composite_shape_shape(
                self,
                motion1,
                parts,
                motion2,
                g2,
                start,
                end,
                stop_at_penetration,
            )),
            Some(Surface::Second(parts)) => Ok(details::cast_shapes_nonlinear_shape_composite_shape(
                self,
                motion1,
                g1,
                motion2,
                parts,
                start,
                end,
                stop_at_penetration,
            )),
            None => {
                let shapes = [g1, g2].map(|shape| self.shape_of(shape));
                let [Some(a), Some(b)] = &shapes else { return Err(Unsupported) };
                let impact = time_of_impact(a, &motions[0], b, &motions[1], interval);
                if matches!(impact, Impact::Touching(_)) && !stop_at_penetration {
                    return Err(Unsupported);
                }
                Ok(hit_of(&impact, [a, b], &motions, start))
            }
        }
    }
}

/// None if parry's motion has a number that is not finite.
fn motion(given: &NonlinearRigidMotion) -> Option<Motion> {
    let linear = Motion::linear(pose(&given.start)?, vector(given.linvel), vector(given.angvel)).ok()?;
    linear.about(vector(given.local_center)).ok()
}

/// None if the cast cannot be represented.
fn cast_whole(pair: &Posed, velocity: DVec3, options: ShapeCastOptions) -> Option<Option<ShapeCastHit>> {
    let target = options.target_distance;
    // The time at which the gap is the target distance is that of a larger shape.
    let a = if target > 0.0 { pair.a.grown(target).ok()? } else { pair.a.clone() };
    let motions = [Motion::fixed(Pose::IDENTITY), Motion::linear(pair.pose_b, velocity, DVec3::ZERO).ok()?];
    let shapes = [&a, &pair.b];
    let end = options.max_time_of_impact.min(last_time(shapes, pair.pose_b.translation(), velocity));
    let hit = match Interval::new(0.0, end) {
        Ok(interval) => hit_of(&time_of_impact(&a, &motions[0], &pair.b, &motions[1], interval), shapes, &motions, 0.0),
        // Nothing moves, or the cast has no length.
        Err(_) if end >= 0.0 => {
            let found = distance(&a, Pose::IDENTITY, &pair.b, pair.pose_b);
            (!found.is_apart()).then(|| hit_at(&found, &pair.pose_b, 0.0, touching(&found)))
        }
        Err(_) => return if end < 0.0 { Some(None) } else { None },
    };
    let Some(mut hit) = hit else { return Some(None) };
    let is_leaving = hit.normal1.dot(to_parry(velocity)) >= 0.0;
    if hit.time_of_impact == 0.0 && !options.stop_at_penetration && is_leaving {
        return Some(None);
    }
    hit.witness1 -= hit.normal1 * target.max(0.0);
    Some(Some(hit))
}

/// A time after which two shapes cannot meet any more. Half-spaces, and shapes without a speed, have none but the last that an interval may have.
fn last_time(shapes: [&Shape; 2], from: DVec3, velocity: DVec3) -> f64 {
    /// Limit: the largest coordinate of the library.
    const LAST: f64 = clearance::error::MAX_COORDINATE;
    let reach = from.length() + shapes.iter().map(|shape| shape.bounding_radius()).sum::<f64>();
    // Twice as long covers all rounding. A NaN is replaced, too.
    (2.0 * reach / velocity.length()).min(LAST)
}

fn hit_of(impact: &Impact, [a, b]: [&Shape; 2], motions: &[Motion; 2], start: f64) -> Option<ShapeCastHit> {
    let at = |time: f64| {
        let poses = [motions[0].pose(time), motions[1].pose(time)];
        let found = distance(a, poses[0], b, poses[1]);
        (found, poses)
    };
    match impact {
        Impact::Clear(_) => None,
        Impact::Hit(hit) => {
            let poses = [motions[0].pose(hit.lower), motions[1].pose(hit.lower)];
            let mut found = local_hit([hit.point_a, hit.point_b], hit.normal, &poses);
            (found.time_of_impact, found.status) = (hit.lower, ShapeCastStatus::Converged);
            (found.subshape1, found.subshape2) = (hit.parts[0], hit.parts[1]);
            Some(found)
        }
        Impact::Touching(found) => {
            let poses = [motions[0].pose(start), motions[1].pose(start)];
            Some(in_frames(found, &poses, start, touching(found)))
        }
        Impact::Undecided(undecided) => {
            let (found, poses) = at(undecided.from);
            Some(in_frames(&found, &poses, undecided.from, ShapeCastStatus::OutOfIterations))
        }
    }
}

/// Shapes that only touch have converged, as parry says it.
fn touching(found: &Clearance) -> ShapeCastStatus {
    if found.upper < 0.0 { ShapeCastStatus::PenetratingOrWithinTargetDist } else { ShapeCastStatus::Converged }
}

fn hit_at(found: &Clearance, pose_b: &Pose, time: f64, status: ShapeCastStatus) -> ShapeCastHit {
    in_frames(found, &[Pose::IDENTITY, *pose_b], time, status)
}

fn in_frames(found: &Clearance, poses: &[Pose; 2], time: f64, status: ShapeCastStatus) -> ShapeCastHit {
    let mut hit = local_hit([found.point_a, found.point_b], found.normal, poses);
    (hit.time_of_impact, hit.status) = (time, status);
    (hit.subshape1, hit.subshape2) = (found.parts[0], found.parts[1]);
    hit
}

/// Points and normal in the frames of the two shapes.
fn local_hit(points: [DVec3; 2], normal: DVec3, [pose_a, pose_b]: &[Pose; 2]) -> ShapeCastHit {
    ShapeCastHit {
        time_of_impact: 0.0,
        witness1: to_parry(pose_a.inverse_transform_point(points[0])),
        witness2: to_parry(pose_b.inverse_transform_point(points[1])),
        normal1: to_parry(pose_a.inverse_transform_vector(normal)),
        normal2: to_parry(-pose_b.inverse_transform_vector(normal)),
        status: ShapeCastStatus::Converged,
        subshape1: 0,
        subshape2: 0,
    }
}
