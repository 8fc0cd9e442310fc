//! Rays and moving shapes through a world: the first body on their path, or all.
//!
//! As all scene queries they see bodies where they are now, and any number of threads may call them.

use super::queries::CurrentBoxes;
use super::{Body, BodyId, QueryFilter, World};
use crate::broad::{BroadPhase, ray_distance};
use crate::cast::{Aim, Ray, RayHit};
use crate::math::Aabb;
use crate::motion::{ShapeHit, Sweep};
use crate::shape::Shape;
use std::cmp::Ordering;

impl World {
    /// The first body along a ray that the filter accepts, and where the ray hits it: see [`cast_ray`](crate::cast_ray).
    ///
    /// It is the body of the smallest [`distance`](RayHit::distance), and of several the one with the smallest handle. Where that hit is not
    /// [proved](RayHit::is_proved) the ray may pass; [`World::cast_ray_all`] has the next ones.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Ray, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [near, far] = [5.0, 9.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0], 100.0)?;
    /// let (first, hit) = world.cast_ray(&ray, QueryFilter::ALL).expect("two balls ahead");
    /// assert!(first == near && hit.lower <= 4.0 && 4.0 <= hit.upper);
    /// let (second, _) = world.cast_ray(&ray, QueryFilter::ALL.exclude(&[near])).expect("one ball ahead");
    /// assert_eq!(second, far);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_ray(&self, ray: &Ray, filter: QueryFilter<'_>) -> Option<(BodyId, RayHit)> {
        let mut best: Option<(BodyId, RayHit)> = None;
        self.along(ray, &mut |slot, limit| {
            if let Some((id, body)) = self.bodies.at(slot)
                && filter.accepts(id, body)
                && let Some(hit) = ray.up_to(limit).cast(&body.shape, &body.pose, Aim::Solid)
                && best.as_ref().is_none_or(|best| is_before(&(id, hit), best))
            {
                best = Some((id, hit));
            }
            best.as_ref().map_or(limit, |(_, hit)| hit.distance.min(limit))
        });
        best
    }

    /// All bodies along a ray that the filter accepts, sorted by [`distance`](RayHit::distance) and then by handle.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Ray, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let [a, b, c] = [9.0, 5.0, -5.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let hits = world.cast_ray_all(&Ray::new([0.0; 3], [1.0, 0.0, 0.0], 100.0)?, QueryFilter::ALL);
    /// assert_eq!(hits.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [b, a]);        // c is behind
    /// # let _ = c;
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_ray_all(&self, ray: &Ray, filter: QueryFilter<'_>) -> Vec<(BodyId, RayHit)> {
        let mut hits = Vec::new();
        self.along(ray, &mut |slot, limit| {
            if let Some((id, body)) = self.bodies.at(slot)
                && filter.accepts(id, body)
            {
                hits.extend(ray.cast(&body.shape, &body.pose, Aim::Solid).map(|hit| (id, hit)));
            }
            limit
        });
        hits.sort_unstable_by(|(a, one), (b, other)| one.distance.total_cmp(&other.distance).then(a.cmp(b)));
        hits
    }

    /// The first body on the straight path of a shape that the filter accepts, and where the shape meets it: see
    /// [`cast_shape`](crate::cast_shape), of which the body is A and the shape B.
    ///
    /// It is the body of the smallest [`distance`](ShapeHit::distance), and of several the one with the smallest handle.
    ///
    /// ```
    /// use clearance::{Pose, QueryFilter, Shape, Sweep, World};
    ///
    /// let mut world = World::default();
    /// let post = Shape::cuboid([0.2, 2.0, 0.2])?;
    /// let [near, far] = [4.0, 9.0].map(|x| world.insert(post.clone(), Pose::from_translation([x, 0.0, 0.0])));
    /// let ball = Shape::sphere(0.5)?;
    /// let sweep = Sweep::new(Pose::IDENTITY, [1.0, 0.0, 0.0], 100.0)?;
    /// let (first, hit) = world.cast_shape(&ball, &sweep, QueryFilter::ALL).expect("two posts ahead");
    /// assert!(first == near && hit.lower <= 3.3 && 3.3 <= hit.upper);
    /// let all = world.cast_shape_all(&ball, &sweep, QueryFilter::ALL);
    /// assert_eq!(all.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [near, far]);
    /// let short = Sweep::new(Pose::IDENTITY, [1.0, 0.0, 0.0], 3.2)?;
    /// assert!(world.cast_shape(&ball, &short, QueryFilter::ALL).is_none());                        // proved
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_shape(&self, shape: &Shape, sweep: &Sweep, filter: QueryFilter<'_>) -> Option<(BodyId, ShapeHit)> {
        let mut best: Option<(BodyId, ShapeHit)> = None;
        for (least, slot) in self.in_the_way(shape, sweep) {
            // The remaining bodies come no sooner.
            if best.as_ref().is_some_and(|(_, hit)| hit.distance < least) {
                break;
            }
            if let Some(hit) = self.meet(slot, shape, sweep, &filter)
                && best.as_ref().is_none_or(|best| order(&hit, best).is_lt())
            {
                best = Some(hit);
            }
        }
        best
    }

    /// All bodies on the straight path of a shape that the filter accepts, as if none stopped it, sorted by [`distance`](ShapeHit::distance) and
    /// then by handle; see [`World::cast_shape`].
    #[must_use]
    pub fn cast_shape_all(&self, shape: &Shape, sweep: &Sweep, filter: QueryFilter<'_>) -> Vec<(BodyId, ShapeHit)> {
        let close = self.in_the_way(shape, sweep);
        let mut hits: Vec<_> =
            close.into_iter().filter_map(|(_, slot)| self.meet(slot, shape, sweep, &filter)).collect();
        hits.sort_unstable_by(order);
        hits
    }

    fn meet(&self, slot: u32, shape: &Shape, sweep: &Sweep, filter: &QueryFilter<'_>) -> Option<(BodyId, ShapeHit)> {
        let (id, body) = self.bodies.at(slot)?;
        if !filter.accepts(id, body) {
            return None;
        }
        Some((id, sweep.cast(shape, &body.shape, body.pose)?))
    }

    /// The bodies whose boxes that of a moving shape may meet, each with a distance before which it does not, the first ones first.
    fn in_the_way(&self, shape: &Shape, sweep: &Sweep) -> Vec<(f64, u32)> {
        let start = Body::new(shape.clone(), sweep.start()).bounds(0.0);
        let swept = sweep.motion().swept(shape, [0.0, sweep.max()]).merged(&start);
        let (center, half) = (start.center(), 0.5 * (start.max - start.min));
        let least = |slot: u32| {
            let bounds = self.bodies.body(slot)?.bounds(self.config.margin);
            // More than a hit may be early by, and than these sums round by. A box without an end is met at once.
            let reach = center.abs() + half + bounds.min.abs().max(bounds.max.abs());
            // A thousand times the rounding error of these sums.
            let room = half + 1e-12 * reach;
            let grown = Aabb { min: bounds.min - room, max: bounds.max + room };
            ray_distance(&grown, center, sweep.direction())
        };
        let close = self.slots_overlapping(&swept).into_iter();
        let mut close: Vec<(f64, u32)> = close.filter_map(|slot| Some((least(slot)?, slot))).collect();
        close.retain(|(least, _)| !(*least > sweep.max()));
        close.sort_unstable_by(|(one, a), (other, b)| one.total_cmp(other).then(a.cmp(b)));
        close
    }

    /// Visits the bodies whose boxes a ray may meet within a limit, which every visit may make shorter.
    fn along(&self, ray: &Ray, visit: &mut dyn FnMut(u32, f64) -> f64) {
        let (origin, direction, mut limit) = (ray.origin(), ray.direction(), ray.max());
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

fn order((a, one): &(BodyId, ShapeHit), (b, other): &(BodyId, ShapeHit)) -> Ordering {
    one.distance.total_cmp(&other.distance).then(a.cmp(b))
}

fn is_before((a, one): &(BodyId, RayHit), (b, other): &(BodyId, RayHit)) -> bool {
    one.distance.total_cmp(&other.distance).then(a.cmp(b)).is_lt()
}
