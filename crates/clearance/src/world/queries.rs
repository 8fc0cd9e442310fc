//! Queries about a world that need no update: the nearest body, the closest pair, what is at a place.

use super::body::Bodies;
use super::{Body, BodyId, World};
use crate::math::{Aabb, Pose};
use crate::pair::{Clearance, PosedPair, within_once};
use crate::shape::Shape;
use glam::{DQuat, DVec3};

/// The closest that was found so far.
#[derive(Debug, Clone, Copy)]
struct ClosestBody {
    id: BodyId,
    clearance: Clearance,
}

impl ClosestBody {
    /// Looks at another body, if it may be as close as the best one.
    fn improve(best: &mut Option<Self>, body: &Body, other: (BodyId, &Body), limit: f64) {
        let pair = PosedPair { a: &body.shape, pose_a: &body.pose, b: &other.1.shape, pose_b: &other.1.pose };
        let limit = best.as_ref().map_or(limit, |best| best.clearance.distance.min(limit));
        let Some(clearance) = within_once(pair, limit, crate::Engine::Auto) else { return };
        let is_better = best.as_ref().is_none_or(|best| {
            let order = clearance.distance.total_cmp(&best.clearance.distance);
            order.then(other.0.cmp(&best.id)).is_lt()
        });
        if is_better && clearance.distance <= limit {
            *best = Some(Self { id: other.0, clearance });
        }
    }

    /// How far away a box may be and still matter.
    fn limit(best: &Option<Self>, limit: f64) -> f64 {
        best.as_ref().map_or(limit, |best| best.clearance.upper.min(limit)).max(0.0)
    }
}

impl World {
    /// The body that is closest to a body, or deepest in it, of all that it is checked against; with the clearance from the
    /// one that was named (A) to the other (B). Of several the one with the smallest slot.
    pub fn nearest(&mut self, id: BodyId) -> Option<(BodyId, Clearance)> {
        self.flush();
        let best = self.nearest_within(id, f64::INFINITY, |_| true);
        best.map(|ClosestBody { id, clearance }| (id, clearance))
    }

    /// The closest of the bodies that `wanted` lets through, at most `limit` away.
    fn nearest_within(&mut self, id: BodyId, limit: f64, wanted: impl Fn(BodyId) -> bool) -> Option<ClosestBody> {
        let Self { bodies, broad, rules, .. } = self;
        let bodies: &Bodies = bodies;
        let body = bodies.get(id)?;
        let from = *broad.bounds(id.slot());
        let mut best = None;
        broad.nearest(&from, limit.max(0.0), &mut |slot, _| {
            if let Some(other) = bodies.at(slot)
                && other.0 != id
                && wanted(other.0)
                && rules.allow((id, body), other)
            {
                ClosestBody::improve(&mut best, body, other, limit);
            }
            ClosestBody::limit(&best, limit)
        });
        best
    }

    /// The pair with the least clearance of all that are checked: the two that are closest, or deepest in each other.
    pub fn closest_pair(&mut self) -> Option<([BodyId; 2], Clearance)> {
        self.flush();
        let ids: Vec<BodyId> = self.bodies.iter().map(|(id, _)| id).collect();
        let mut closest: Option<([BodyId; 2], Clearance)> = None;
        for id in ids {
            let limit = closest.as_ref().map_or(f64::INFINITY, |(_, clearance)| clearance.distance);
            // Each pair is looked at from its first body.
            if let Some(best) = self.nearest_within(id, limit, |other| other > id)
                && closest.as_ref().is_none_or(|(_, clearance)| best.clearance.distance < clearance.distance)
            {
                closest = Some(([id, best.id], best.clearance));
            }
        }
        closest
    }

    /// The bodies at most `margin` from a shape at a pose, in the order of their slots, with the clearance from the shape
    /// (A) to the body (B). No rule excludes any: the shape is not of this world.
    pub fn within(&mut self, shape: &Shape, pose: Pose, margin: f64) -> Vec<(BodyId, Clearance)> {
        let close = self.slots_near(shape, pose, margin);
        let clearance = |slot: u32| {
            let (id, body) = self.bodies.at(slot)?;
            crate::within(shape, pose, &body.shape, body.pose, margin).map(|clearance| (id, clearance))
        };
        close.into_iter().filter_map(clearance).collect()
    }

    /// The bodies that overlap or touch a shape at a pose, in the order of their slots.
    pub fn intersect_shape(&mut self, shape: &Shape, pose: Pose) -> Vec<BodyId> {
        let close = self.slots_near(shape, pose, 0.0);
        let overlaps = |slot: u32| {
            let (id, body) = self.bodies.at(slot)?;
            crate::intersects(shape, pose, &body.shape, body.pose).then_some(id)
        };
        close.into_iter().filter_map(overlaps).collect()
    }

    /// The bodies that a point is in, in the order of their slots. A point that is no place, because a coordinate is not finite or
    /// beyond [`MAX_COORDINATE`](crate::error::MAX_COORDINATE), is in none.
    pub fn intersect_point(&mut self, point: impl Into<DVec3>) -> Vec<BodyId> {
        match Pose::try_new(point, DQuat::IDENTITY) {
            Ok(pose) => self.intersect_shape(&Shape::point(), pose),
            Err(_) => Vec::new(),
        }
    }

    /// The bodies whose boxes overlap a box, in the order of their slots. The boxes are those of the broad phase: around
    /// everything within half the margin of a body. [`World::intersect_shape`] knows it exactly.
    pub fn intersect_aabb(&mut self, bounds: &Aabb) -> Vec<BodyId> {
        self.flush();
        let mut slots = Vec::new();
        self.broad.overlapping(bounds, &mut slots);
        slots.into_iter().filter_map(|slot| self.bodies.at(slot)).map(|(id, _)| id).collect()
    }

    fn slots_near(&mut self, shape: &Shape, pose: Pose, margin: f64) -> Vec<u32> {
        self.flush();
        let mut slots = Vec::new();
        // Twice the margin, because a body's bounds take half of it and the boxes of this world have their own.
        let bounds = Body::new(shape.clone(), pose).bounds(2.0 * margin.max(0.0));
        self.broad.overlapping(&bounds, &mut slots);
        slots
    }
}
