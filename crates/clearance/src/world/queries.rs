//! Queries about a world that need no update: the nearest body, the closest pair, what is at a place.
//!
//! They see bodies where they are now. Bodies that have changed since the last update of the broad phase are tested one by one if they are few.
//! Else the first query puts their boxes into a second tree, which is kept up to date. If half of the bodies or more have changed, that tree has
//! all bodies and replaces the broad phase.

use super::{Body, BodyId, QueryFilter, World};
use crate::broad::{BroadPhase, Tree, gap};
use crate::depth::{Depth, DepthBudget, depth, depth_from};
use crate::math::{Aabb, Pose};
use crate::pair::{Clearance, PosedPair, within_once};
use crate::point::{PointProjection, project_point};
use crate::shape::Shape;
use crate::tuning::world as tuning;
use glam::{DQuat, DVec3};

/// The boxes of bodies as they are now.
#[derive(Debug, Clone)]
pub(super) struct CurrentBoxes {
    pub tree: Tree,
    /// Does the tree have all bodies, and not only those whose boxes have changed?
    pub has_all: bool,
}

/// The closest body of a search.
#[derive(Debug, Clone, Copy)]
struct ClosestBody {
    id: BodyId,
    clearance: Clearance,
}

impl ClosestBody {
    /// Visits another body, if it may be as close as the best one.
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
    /// The body that is closest to a body, or deepest in it, of all that it is checked against and that the filter accepts. The clearance
    /// is from the one that was named (A) to the other (B). Of several the one with the smallest slot.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [a, b, _] = [0.0, 3.0, 7.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let (nearest, clearance) = world.nearest(a, QueryFilter::ALL).expect("there are others");
    /// assert!(nearest == b && (clearance.distance - 1.0).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn nearest(&self, id: BodyId, filter: QueryFilter<'_>) -> Option<(BodyId, Clearance)> {
        let best = self.nearest_within(id, f64::INFINITY, |id, body| filter.accepts(id, body));
        best.map(|ClosestBody { id, clearance }| (id, clearance))
    }

    /// How far body `a` has to move to be free of body `b`, whether the rules check the pair or not: [`depth()`](crate::depth::depth()), also for
    /// solids that are not convex. `start` is a translation that freed it in the last frame, if there is one ([`Depth::translation`]), and makes the
    /// next answer faster. `None` if a body is not there.
    ///
    /// ```
    /// use clearance::{DepthBudget, Pose, Shape, World};
    ///
    /// let bar = |half: [f64; 3]| Shape::cuboid(half);
    /// let cross = Shape::compound([(bar([3.0, 1.0, 1.0])?, Pose::IDENTITY), (bar([1.0, 3.0, 1.0])?, Pose::IDENTITY)])?;
    /// let mut world = World::default();
    /// let (a, b) = (world.insert(bar([1.0; 3])?, Pose::from_translation([2.5, 0.0, 0.0])), world.insert(cross, Pose::IDENTITY));
    /// let mut last = None;
    /// for frame in 0..4 {
    ///     let x = 2.5 + 0.25 * f64::from(frame);
    ///     world.set_pose(a, Pose::from_translation([x, 0.0, 0.0]));
    ///     let depth = world.depth(a, b, DepthBudget::default(), last).expect("both are there");
    ///     assert!(depth.lower <= 4.0 - x && 4.0 - x <= depth.upper && depth.width() < 1e-9);
    ///     last = Some(depth.translation);
    /// }
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn depth(&self, a: BodyId, b: BodyId, budget: DepthBudget, start: Option<DVec3>) -> Option<Depth> {
        let (a, b) = (self.bodies.get(a)?, self.bodies.get(b)?);
        Some(match start {
            Some(start) => depth_from(&a.shape, a.pose, &b.shape, b.pose, budget, start),
            None => depth(&a.shape, a.pose, &b.shape, b.pose, budget),
        })
    }

    /// The closest of the bodies that `wanted` lets through, at most `limit` away.
    fn nearest_within(&self, id: BodyId, limit: f64, wanted: impl Fn(BodyId, &Body) -> bool) -> Option<ClosestBody> {
        let body = self.bodies.get(id)?;
        let mut best = None;
        self.nearest_first(&body.bounds(self.config.margin), limit.max(0.0), &mut |slot| {
            if let Some(other) = self.bodies.at(slot)
                && other.0 != id
                && wanted(other.0, other.1)
                && self.rules.allow((id, body), other)
            {
                ClosestBody::improve(&mut best, body, other, limit);
            }
            ClosestBody::limit(&best, limit)
        });
        best
    }

    /// Calls back with the slots of bodies in about the order of the distance of their boxes from a box, which returns how far away a box may be and still matter.
    fn nearest_first(&self, from: &Aabb, mut reach: f64, look: &mut dyn FnMut(u32) -> f64) {
        let current = self.current_boxes();
        if let Some(CurrentBoxes { tree, has_all: true }) = current {
            tree.nearest(from, reach, &mut |slot, _| look(slot));
            return;
        }
        self.broad.nearest(from, reach, &mut |slot, _| {
            if !self.is_pending(slot) {
                reach = look(slot);
            }
            reach
        });
        match current {
            Some(CurrentBoxes { tree, .. }) => tree.nearest(from, reach, &mut |slot, _| look(slot)),
            None => {
                for &slot in &self.pending_bounds {
                    if let Some(other) = self.bodies.body(slot)
                        && gap(from, &other.bounds(self.config.margin)) <= reach
                    {
                        reach = look(slot);
                    }
                }
            }
        }
    }

    /// The nearest point of the surface of a body: see [`project_point`]. `None` if the body is not there, or the point is not finite.
    #[must_use]
    pub fn project_point(&self, id: BodyId, point: impl Into<DVec3>) -> Option<PointProjection> {
        let body = self.bodies.get(id)?;
        project_point(&body.shape, body.pose, point)
    }

    /// The body whose surface or inside is nearest to a point, of those that the filter accepts, with the nearest point of its surface: the one with the least signed distance. Of several
    /// the one with the smallest slot. `None` for a point that is not finite.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [a, b] = [0.0, 5.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let (nearest, found) = world.nearest_to_point([3.0, 0.0, 0.0], QueryFilter::ALL).expect("there are bodies");
    /// assert!(nearest == b && (found.distance - 1.0).abs() < 1e-14 && (found.point.x - 4.0).abs() < 1e-14);
    /// assert!(world.project_point(a, [3.0, 0.0, 0.0]).is_some_and(|found| (found.distance - 2.0).abs() < 1e-14));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn nearest_to_point(
        &self,
        point: impl Into<DVec3>,
        filter: QueryFilter<'_>,
    ) -> Option<(BodyId, PointProjection)> {
        let point = point.into();
        let at = Pose::try_new(point, DQuat::IDENTITY).ok()?;
        let mut best: Option<(BodyId, PointProjection)> = None;
        self.nearest_first(&Body::new(Shape::point(), at).bounds(self.config.margin), f64::INFINITY, &mut |slot| {
            if let Some((id, body)) = self.bodies.at(slot).filter(|(id, body)| filter.accepts(*id, body))
                && let Some(found) = project_point(&body.shape, body.pose, point)
            {
                let is_better = best
                    .as_ref()
                    .is_none_or(|(other, best)| found.distance.total_cmp(&best.distance).then(id.cmp(other)).is_lt());
                if is_better {
                    best = Some((id, found));
                }
            }
            best.as_ref().map_or(f64::INFINITY, |(_, best)| best.upper.max(0.0))
        });
        best
    }

    /// The pair with the least clearance of all that are checked, of bodies that the filter accepts: the two that are closest, or deepest in each
    /// other.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [a, b, _] = [0.0, 1.5, 7.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let (pair, clearance) = world.closest_pair(QueryFilter::ALL).expect("there are two bodies");
    /// assert!(pair == [a, b] && (clearance.distance + 0.5).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn closest_pair(&self, filter: QueryFilter<'_>) -> Option<([BodyId; 2], Clearance)> {
        let mut closest: Option<([BodyId; 2], Clearance)> = None;
        for (id, _) in self.bodies.iter().filter(|(id, body)| filter.accepts(*id, body)) {
            let limit = closest.as_ref().map_or(f64::INFINITY, |(_, clearance)| clearance.distance);
            // Each pair is visited from its first body.
            if let Some(best) = self.nearest_within(id, limit, |other, body| other > id && filter.accepts(other, body))
                && closest.as_ref().is_none_or(|(_, clearance)| best.clearance.distance < clearance.distance)
            {
                closest = Some(([id, best.id], best.clearance));
            }
        }
        closest
    }

    /// The bodies at most `margin` from a shape at a pose that the filter accepts, in the order of their slots, with the clearance from the shape
    /// (A) to the body (B).
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let wall = world.insert(Shape::cuboid([0.1, 5.0, 5.0])?, Pose::from_translation([2.0, 0.0, 0.0]));
    /// let near = world.within(&Shape::sphere(1.0)?, Pose::IDENTITY, 1.0, QueryFilter::ALL);
    /// assert!(near.len() == 1 && near[0].0 == wall && (near[0].1.distance - 0.9).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn within(&self, shape: &Shape, pose: Pose, margin: f64, filter: QueryFilter<'_>) -> Vec<(BodyId, Clearance)> {
        let close = self.slots_near(shape, pose, margin);
        let clearance = |slot: u32| {
            let (id, body) = self.bodies.at(slot).filter(|(id, body)| filter.accepts(*id, body))?;
            crate::within(shape, pose, &body.shape, body.pose, margin).map(|clearance| (id, clearance))
        };
        close.into_iter().filter_map(clearance).collect()
    }

    /// The bodies that overlap or touch a shape at a pose and that the filter accepts, in the order of their slots.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// let probe = Shape::cuboid([0.5, 0.5, 0.5])?;
    /// assert_eq!(world.intersect_shape(&probe, Pose::from_translation([1.2, 0.0, 0.0]), QueryFilter::ALL), [ball]);
    /// assert_eq!(world.intersect_shape(&probe, Pose::from_translation([1.8, 0.0, 0.0]), QueryFilter::ALL), []);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn intersect_shape(&self, shape: &Shape, pose: Pose, filter: QueryFilter<'_>) -> Vec<BodyId> {
        let close = self.slots_near(shape, pose, 0.0);
        let overlaps = |slot: u32| {
            let (id, body) = self.bodies.at(slot).filter(|(id, body)| filter.accepts(*id, body))?;
            crate::intersects(shape, pose, &body.shape, body.pose).then_some(id)
        };
        close.into_iter().filter_map(overlaps).collect()
    }

    /// The bodies that a point is in and that the filter accepts, in the order of their slots. A point with a coordinate that is not finite or
    /// beyond 1e60 is in none.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// assert_eq!(world.intersect_point([0.5, 0.5, 0.5], QueryFilter::ALL), [ball]);
    /// assert_eq!(world.intersect_point([0.9, 0.9, 0.9], QueryFilter::ALL), []);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn intersect_point(&self, point: impl Into<DVec3>, filter: QueryFilter<'_>) -> Vec<BodyId> {
        match Pose::try_new(point, DQuat::IDENTITY) {
            Ok(pose) => self.intersect_shape(&Shape::point(), pose, filter),
            Err(_) => Vec::new(),
        }
    }

    /// The bodies whose boxes overlap a box and that the filter accepts, in the order of their slots. The boxes are those of the broad phase: around
    /// everything within half the margin of a body. [`World::intersect_shape`] knows it exactly.
    ///
    /// ```
    /// use clearance::math::{Aabb, DVec3};
    /// use clearance::{Pose, QueryFilter, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// let corner = Aabb { min: DVec3::splat(0.9), max: DVec3::splat(2.0) };
    /// assert_eq!(world.intersect_aabb(&corner, QueryFilter::ALL), [ball]);                 // its box, not the ball
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn intersect_aabb(&self, bounds: &Aabb, filter: QueryFilter<'_>) -> Vec<BodyId> {
        let slots = self.slots_overlapping(bounds);
        let found = slots.into_iter().filter_map(|slot| self.bodies.at(slot));
        found.filter(|(id, body)| filter.accepts(*id, body)).map(|(id, _)| id).collect()
    }

    fn slots_near(&self, shape: &Shape, pose: Pose, margin: f64) -> Vec<u32> {
        // Twice the margin, because a body's bounds take half of it and the boxes of this world have their own.
        self.slots_overlapping(&Body::new(shape.clone(), pose).bounds(2.0 * margin.max(0.0)))
    }

    /// The slots of the bodies whose boxes overlap a box, ascending.
    pub(super) fn slots_overlapping(&self, bounds: &Aabb) -> Vec<u32> {
        let mut slots = Vec::new();
        let current = self.current_boxes();
        if let Some(CurrentBoxes { tree, has_all: true }) = current {
            tree.overlapping(bounds, &mut slots);
            return slots;
        }
        self.broad.overlapping(bounds, &mut slots);
        if self.pending_bounds.is_empty() {
            return slots;
        }
        slots.retain(|&slot| !self.is_pending(slot));
        match current {
            Some(CurrentBoxes { tree, .. }) => {
                let mut pending = Vec::new();
                tree.overlapping(bounds, &mut pending);
                slots.extend(pending);
            }
            None if bounds.min.cmple(bounds.max).all() => {
                slots.extend(self.pending_bounds.iter().copied().filter(|&slot| {
                    self.bodies.body(slot).is_some_and(|body| body.bounds(self.config.margin).overlaps(bounds))
                }));
            }
            None => {}
        }
        slots.sort_unstable();
        slots
    }

    /// Is the body in a slot elsewhere than the broad phase has it?
    #[inline]
    pub(super) fn is_pending(&self, slot: u32) -> bool {
        self.changed[slot as usize].has_pending_bounds
    }

    /// The boxes of all such bodies, if they are not few.
    pub(super) fn current_boxes(&self) -> Option<&CurrentBoxes> {
        (self.pending_bounds.len() >= tuning::MANY_PENDING).then(|| {
            self.pending_tree.get_or_init(|| {
                let has_all = 2 * self.pending_bounds.len() >= self.bodies.len();
                let tree = match has_all {
                    true => self.tree(self.bodies.iter().map(|(id, _)| id.slot())),
                    false => self.tree(self.pending_bounds.iter().copied()),
                };
                CurrentBoxes { tree, has_all }
            })
        })
    }

    /// The boxes of the bodies in these slots as they are, in order.
    pub(super) fn tree(&self, slots: impl Iterator<Item = u32>) -> Tree {
        let mut tree = Tree::default();
        for slot in slots {
            if let Some(body) = self.bodies.body(slot) {
                tree.set(slot, &body.bounds(self.config.margin));
            }
        }
        tree.settle(0);
        tree
    }
}
