//! Rays through a world: the first body along one, or all.
//!
//! As all scene queries they see bodies where they are now, and any number of threads may ask.

use super::queries::CurrentBoxes;
use super::{BodyId, World};
use crate::broad::{BroadPhase, ray_distance};
use crate::cast::{Aim, Ray, RayHit};
use glam::DVec3;

impl World {
    /// The first body along a ray, and where it is hit: see [`cast_ray`](crate::cast_ray). No rule excludes any.
    ///
    /// It is the one of the smallest [`distance`](RayHit::distance), and of several the one with the smallest handle. Where that hit is not
    /// [proved](RayHit::is_proved) the ray may pass; [`World::cast_ray_all`] tells what comes next.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [near, _] = [5.0, 9.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let (first, hit) = world.cast_ray([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 100.0).expect("two balls ahead");
    /// assert!(first == near && hit.lower <= 4.0 && 4.0 <= hit.upper);
    /// assert!(world.cast_ray([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 3.9).is_none());
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max: f64,
    ) -> Option<(BodyId, RayHit)> {
        let ray = Ray::new(origin.into(), direction.into(), max)?;
        let mut best: Option<(BodyId, RayHit)> = None;
        self.along(&ray, &mut |slot, limit| {
            if let Some((id, body)) = self.bodies.at(slot)
                && let Some(hit) = ray.up_to(limit).cast(&body.shape, &body.pose, Aim::Solid)
                && best.as_ref().is_none_or(|best| is_before(&(id, hit), best))
            {
                best = Some((id, hit));
            }
            best.as_ref().map_or(limit, |(_, hit)| hit.distance.min(limit))
        });
        best
    }

    /// All bodies along a ray, sorted by [`distance`](RayHit::distance) and then by handle.
    ///
    /// ```
    /// use clearance::{Pose, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [a, b, c] = [9.0, 5.0, -5.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let hits = world.cast_ray_all([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 100.0);
    /// assert_eq!(hits.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [b, a]);        // c is behind
    /// # let _ = c;
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_ray_all(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max: f64,
    ) -> Vec<(BodyId, RayHit)> {
        let mut hits = Vec::new();
        let Some(ray) = Ray::new(origin.into(), direction.into(), max) else { return hits };
        self.along(&ray, &mut |slot, limit| {
            if let Some((id, body)) = self.bodies.at(slot) {
                hits.extend(ray.cast(&body.shape, &body.pose, Aim::Solid).map(|hit| (id, hit)));
            }
            limit
        });
        hits.sort_unstable_by(|(a, one), (b, other)| one.distance.total_cmp(&other.distance).then(a.cmp(b)));
        hits
    }

    /// Visits the bodies whose boxes a ray may meet within a limit, which every visit may make shorter.
    fn along(&self, ray: &Ray, visit: &mut dyn FnMut(u32, f64) -> f64) {
        let (origin, direction, mut limit) = (ray.origin, ray.direction, ray.max);
        let current = self.current_boxes();
        if let Some(CurrentBoxes { tree, has_all: true }) = current {
            tree.cast_ray(origin, direction, limit, &mut |slot, _| {
                limit = visit(slot, limit);
                limit
            });
            return;
        }
        self.broad.cast_ray(origin, direction, limit, &mut |slot, _| {
            if !self.is_pending(slot) {
                limit = visit(slot, limit);
            }
            limit
        });
        match current {
            Some(CurrentBoxes { tree, .. }) => tree.cast_ray(origin, direction, limit, &mut |slot, _| {
                limit = visit(slot, limit);
                limit
            }),
            None => {
                for &slot in &self.pending_bounds {
                    if let Some(body) = self.bodies.body(slot)
                        && ray_distance(&body.bounds(self.config.margin), origin, direction).is_some_and(|d| d <= limit)
                    {
                        limit = visit(slot, limit);
                    }
                }
            }
        }
    }
}

fn is_before((a, one): &(BodyId, RayHit), (b, other): &(BodyId, RayHit)) -> bool {
    one.distance.total_cmp(&other.distance).then(a.cmp(b)).is_lt()
}
