//! The queries without memory: intersection, distance, closest points, contact. Casts are in `cast.rs`, contact manifolds in `manifolds.rs`.

use crate::composite::{Surface, surface};
use crate::convert::{self, Converted, Small, pose, to_parry};
use clearance::{Clearance, Pose, Shape, distance, intersects, within};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::{
    ClosestPoints, Contact, NonlinearRigidMotion, QueryDispatcher, ShapeCastHit, ShapeCastOptions, ShapeDistance,
    ShapeIntersection, Unsupported, details,
};
use parry3d_f64::shape::{Shape as ParryShape, TriMeshFlags};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Convex polyhedra and compounds that a dispatcher keeps. Limit: memory, some kilobytes each; beyond it all are dropped and built again when they are next used.
const MOST_KEPT: usize = 4096;

/// parry's query dispatcher with the answers of Clearance; the front page has the shapes.
///
/// It keeps convex polyhedra and compounds that it has seen. Clones share them.
#[derive(Clone, Default)]
pub struct ClearanceDispatcher {
    kept: Arc<Mutex<FxHashMap<u64, Vec<Arc<Converted>>>>>,
}

impl ClearanceDispatcher {
    /// The shape as one of Clearance; none if it has none.
    pub(crate) fn shape_of(&self, shape: &dyn ParryShape) -> Option<Shape> {
        match Small::of(shape) {
            Some(small) => small.shape(),
            None => self.large(shape).map(|large| large.shape.clone()),
        }
    }

    /// Likewise, with what it was made of.
    pub(crate) fn converted(&self, shape: &dyn ParryShape) -> Option<Arc<Converted>> {
        match Small::of(shape) {
            Some(small) => Converted::small(small).map(Arc::new),
            None => self.large(shape),
        }
    }

    /// A convex polyhedron or a compound.
    fn large(&self, shape: &dyn ParryShape) -> Option<Arc<Converted>> {
        let key = convert::key(shape)?;
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept().get(&key).and_then(|same| same.iter().find(|entry| entry.is_of(shape))) {
            return Some(found.clone());
        }
        // Not while the lock is held: parts are looked up, too, and building takes long.
        let built = Arc::new(Converted::large(shape, |part| self.shape_of(part))?);
        let mut kept = kept();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.entry(key).or_default().push(built.clone());
        Some(built)
    }

    /// The two shapes and the pose of the second in the frame of the first.
    pub(crate) fn pair(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
    ) -> Result<Posed, Unsupported> {
        let posed = || Some(Posed { a: self.shape_of(g1)?, b: self.shape_of(g2)?, pose_b: pose(pos12)? });
        posed().ok_or(Unsupported)
    }

    /// Can all queries about the shape, whole or in parts, be answered? parry's traversals of trees pass over a part without an answer, so this is found out before.
    pub(crate) fn can_answer(&self, shape: &dyn ParryShape) -> bool {
        surface(shape).is_some() || self.shape_of(shape).is_some()
    }
}

/// Two shapes, the first in its own frame.
pub struct Posed {
    pub a: Shape,
    pub b: Shape,
    pub pose_b: Pose,
}

impl Posed {
    fn distance(&self) -> Clearance {
        distance(&self.a, Pose::IDENTITY, &self.b, self.pose_b)
    }

    fn within(&self, margin: f64) -> Option<Clearance> {
        within(&self.a, Pose::IDENTITY, &self.b, self.pose_b, margin)
    }
}

/// A ball against an oriented mesh: parry takes the mesh for a solid there, and for a surface everywhere else.
fn is_ball_in_solid(ball: &dyn ParryShape, mesh: &dyn ParryShape) -> bool {
    ball.as_ball().is_some() && mesh.as_trimesh().is_some_and(|mesh| mesh.flags().contains(TriMeshFlags::ORIENTED))
}

impl QueryDispatcher for ClearanceDispatcher {
    fn intersection_test(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
    ) -> Result<ShapeIntersection, Unsupported> {
        if is_ball_in_solid(g1, g2) || is_ball_in_solid(g2, g1) {
            return Err(Unsupported);
        }
        match self.first_surface(g1, g2)? {
            Some(Surface::First(parts)) => Ok(details::intersection_test_composite_shape_shape(self, pos12, parts, g2)),
            Some(Surface::Second(parts)) => {
                Ok(details::intersection_test_shape_composite_shape(self, pos12, g1, parts))
            }
            None => {
                let pair = self.pair(pos12, g1, g2)?;
                let is_meeting = intersects(&pair.a, Pose::IDENTITY, &pair.b, pair.pose_b);
                let is_compound = |shape: &Shape| matches!(shape, Shape::Compound(_));
                let parts = if is_meeting && (is_compound(&pair.a) || is_compound(&pair.b)) {
                    pair.distance().parts
                } else {
                    [0; 2]
                };
                Ok(ShapeIntersection::new(is_meeting).with_subshapes(parts[0], parts[1]))
            }
        }
    }

    fn distance(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
    ) -> Result<ShapeDistance, Unsupported> {
        match self.first_surface(g1, g2)? {
            Some(Surface::First(parts)) => Ok(details::distance_composite_shape_shape(self, pos12, parts, g2)),
            Some(Surface::Second(parts)) => Ok(details::distance_shape_composite_shape(self, pos12, g1, parts)),
            None => {
                let found = self.pair(pos12, g1, g2)?.distance();
                Ok(ShapeDistance::new(found.gap()).with_subshapes(found.parts[0], found.parts[1]))
            }
        }
    }

    fn contact(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        prediction: f64,
    ) -> Result<Option<Contact>, Unsupported> {
        if let Some(field) = g1.as_heightfield().filter(|_| self.can_answer(g2)) {
            return Ok(details::contact_heightfield_shape(self, pos12, field, g2, prediction));
        }
        if let Some(field) = g2.as_heightfield().filter(|_| self.can_answer(g1)) {
            return Ok(details::contact_shape_heightfield(self, pos12, g1, field, prediction));
        }
        match self.first_surface(g1, g2)? {
            Some(Surface::First(parts)) => {
                Ok(details::contact_composite_shape_shape(self, pos12, parts, g2, prediction))
            }
            Some(Surface::Second(parts)) => {
                Ok(details::contact_shape_composite_shape(self, pos12, g1, parts, prediction))
            }
            None => {
                let pair = self.pair(pos12, g1, g2)?;
                let contact = |found: Clearance| {
                    Contact::new(
                        to_parry(found.point_a),
                        to_parry(pair.pose_b.inverse_transform_point(found.point_b)),
                        to_parry(found.normal),
                        to_parry(-pair.pose_b.inverse_transform_vector(found.normal)),
                        found.distance,
                    )
                    .with_subshapes(found.parts[0], found.parts[1])
                };
                Ok(pair.within(prediction).map(contact))
            }
        }
    }

    fn closest_points(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        max_dist: f64,
    ) -> Result<ClosestPoints, Unsupported> {
        match self.first_surface(g1, g2)? {
            Some(Surface::First(parts)) => {
                Ok(details::closest_points_composite_shape_shape(self, pos12, parts, g2, max_dist))
            }
            Some(Surface::Second(parts)) => {
                Ok(details::closest_points_shape_composite_shape(self, pos12, g1, parts, max_dist))
            }
            None => {
                let pair = self.pair(pos12, g1, g2)?;
                Ok(match pair.within(max_dist) {
                    None => ClosestPoints::Disjoint,
                    Some(found) if !found.is_apart() => ClosestPoints::Intersecting,
                    Some(found) => ClosestPoints::WithinMargin(
                        to_parry(found.point_a),
                        to_parry(pair.pose_b.inverse_transform_point(found.point_b)),
                    ),
                })
            }
        }
    }

    fn cast_shapes(
        &self,
        pos12: &ParryPose,
        local_vel12: Vector,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        self.cast(pos12, local_vel12, g1, g2, options)
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn ParryShape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn ParryShape,
        start_time: f64,
        end_time: f64,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        self.cast_turning([(motion1, g1), (motion2, g2)], [start_time, end_time], stop_at_penetration)
    }
}
