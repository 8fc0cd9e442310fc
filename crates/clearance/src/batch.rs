//! Many queries at once, on all cores.
//!
//! A [`Batch`] takes a slice of queries of one kind, and has a method for each question about them:
//!
//! | queries | meaning | questions |
//! |---|---|---|
//! | `&[(Pose, Pose)]` | poses of A and B | [`distance`](Batch::distance), [`intersects`](Batch::intersects), [`within`](Batch::within), [`depth`](Batch::depth) |
//! | `&[PosedShapes]` | pairs of shapes at poses | `distance`, `intersects`, `within` |
//! | `&[Ray]` | rays | [`cast_ray`](Batch::cast_ray), [`cast_ray_boundary`](Batch::cast_ray_boundary) |
//! | `&[DVec3]` | points | [`contains`](Batch::contains), [`project_point`](Batch::project_point), [`signed_distance_to_point`](Batch::signed_distance_to_point) |
//! | `&[Sweep]` | straight paths of B | [`cast_shape`](Batch::cast_shape) |
//! | `&[(Motion, Motion)]` | motions of A and B | [`time_of_impact`](Batch::time_of_impact), [`closest_approach`](Batch::closest_approach) |
//! | any other slice | | [`map`](Batch::map) with a function of your own, such as a query of a [`World`](crate::World) |
//!
//! **Contract.** The answers come in the order of the queries. Each is the same, bit for bit, as that of the function of the same name, for any
//! number of threads. No query fails or panics: poses, rays, sweeps and motions are checked when they are built ([`poses`] reads plain numbers). The
//! threads are those of the current `rayon` pool. A batch allocates lists of answers, and nothing for each query.
//!
//! **Warm starts.** Poses along a motion follow each other closely, and what a [`Pair`] remembers then makes a query five to ten times as fast.
//! [`Batch::warm`] is for them: a new [`Pair`] takes over after every 64 queries, so that answers do not depend on the number of threads. An answer
//! is then that of a [`Pair`] that knows the poses before it, back to the last multiple of 64, which may differ from a cold one within the bracket.

use crate::cast::{Ray, RayHit, cast_ray, cast_ray_boundary};
use crate::depth::{Depth, DepthBudget, depth};
use crate::error::BuildError;
use crate::math::Pose;
use crate::motion::{Impact, Interval, Motion, ShapeHit, Sweep, cast_shape, closest_approach, time_of_impact};
use crate::pair::{Clearance, Pair, distance, intersects, within};
use crate::parallel::prelude::*;
use crate::point::{PointProjection, contains, project_point, signed_distance_to_point};
use crate::shape::Shape;
use crate::tuning::world as tuning;
use glam::DVec3;

/// Warm queries that share one [`Pair`], answered by one thread. Limit: part of the contract, since answers may depend on what a pair remembers,
/// within their brackets.
const SHARED: usize = 64;

/// Many queries of one kind, on all cores, with the same bits as single queries. The [module](self) has examples.
///
/// ```
/// use clearance::{Batch, Pose, Ray, Shape};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?);
/// let poses: Vec<_> = (3..100).map(|x| (Pose::IDENTITY, Pose::from_translation([f64::from(x), 0.0, 0.0]))).collect();
/// let answers = Batch::new(&poses).distance(&ball, &cube);
/// assert!((answers[0].distance - 1.0).abs() < 1e-14 && (answers[96].distance - 97.0).abs() < 1e-12);
/// assert_eq!(Batch::new(&poses).within(&ball, &cube, 10.5).iter().flatten().count(), 10);
///
/// let rays: Vec<_> = (0..5).map(|y| Ray::new([-9.0, f64::from(y), 0.0], [1.0, 0.0, 0.0], 100.0)).collect::<Result<_, _>>()?;
/// assert_eq!(Batch::new(&rays).cast_ray(&cube, Pose::IDENTITY).iter().flatten().count(), 2);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug)]
pub struct Batch<'a, Q> {
    queries: &'a [Q],
    is_warm: bool,
}

impl<Q> Clone for Batch<'_, Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q> Copy for Batch<'_, Q> {}

impl<'a, Q: Sync> Batch<'a, Q> {
    /// These queries, each by itself.
    #[must_use]
    pub const fn new(queries: &'a [Q]) -> Self {
        Self { queries, is_warm: false }
    }

    /// The answer of a function to each query.
    ///
    /// ```
    /// use clearance::{Batch, Pose, QueryFilter, Ray, Shape, World};
    ///
    /// let mut world = World::default();
    /// let ball = world.insert(Shape::sphere(1.0)?, Pose::IDENTITY);
    /// let rays = [0.0, 0.5, 1.5].map(|y| Ray::new([-9.0, y, 0.0], [1.0, 0.0, 0.0], 100.0));
    /// let rays = rays.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let hits = Batch::new(&rays).map(|ray| world.cast_ray(ray, QueryFilter::ALL).map(|(id, _)| id));
    /// assert_eq!(hits, [Some(ball), Some(ball), None]);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn map<R: Send>(self, answer: impl Fn(&Q) -> R + Sync + Send) -> Vec<R> {
        if self.queries.len() <= tuning::FEW_QUERIES {
            return self.queries.iter().map(answer).collect();
        }
        self.queries.par_iter().map(answer).collect()
    }

    /// The answer of a pair to each query, which knows the queries before it, back to the last multiple of [`SHARED`].
    fn map_warm<R: Send>(self, pair: &Pair, answer: impl Fn(&mut Pair, &Q) -> R + Sync + Send) -> Vec<R> {
        let mut answers: Vec<Option<R>> = Vec::new();
        answers.resize_with(self.queries.len(), || None);
        answers.par_chunks_mut(SHARED).zip(self.queries.par_chunks(SHARED)).for_each(|(answers, queries)| {
            let mut pair = pair.clone();
            for (place, query) in answers.iter_mut().zip(queries) {
                *place = Some(answer(&mut pair, query));
            }
        });
        let mut list = Vec::with_capacity(answers.len());
        list.extend(answers.into_iter().flatten());
        list
    }
}

/// Poses of A and of B.
impl Batch<'_, (Pose, Pose)> {
    /// These queries, each from the one before: for poses along a motion.
    ///
    /// ```
    /// use clearance::{Batch, Pose, Shape};
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// let path: Vec<_> = (0..1000).map(|i| (Pose::IDENTITY, Pose::from_translation([3.0 + 0.01 * f64::from(i), 0.0, 0.0]))).collect();
    /// let answers = Batch::new(&path).warm().distance(&cube, &cube);
    /// let closest = answers.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
    /// assert!((closest - 1.0).abs() < 1e-14);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub const fn warm(self) -> Self {
        Self { is_warm: true, ..self }
    }

    /// The distance of two shapes at each pair of poses: see [`distance`](fn@distance).
    #[must_use]
    pub fn distance(self, a: &Shape, b: &Shape) -> Vec<Clearance> {
        if self.is_warm {
            return self.map_warm(&Pair::new(a, b), |pair, (pose_a, pose_b)| pair.distance(*pose_a, *pose_b));
        }
        self.map(|(pose_a, pose_b)| distance(a, *pose_a, b, *pose_b))
    }

    /// Whether two shapes share a point at each pair of poses: see [`intersects`].
    ///
    /// ```
    /// use clearance::{Batch, Pose, Shape};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let poses = [1.0, 2.0, 3.0].map(|x| (Pose::IDENTITY, Pose::from_translation([x, 0.0, 0.0])));
    /// assert_eq!(Batch::new(&poses).intersects(&ball, &ball), [true, true, false]);        // touching counts
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn intersects(self, a: &Shape, b: &Shape) -> Vec<bool> {
        if self.is_warm {
            return self.map_warm(&Pair::new(a, b), |pair, (pose_a, pose_b)| pair.intersects(*pose_a, *pose_b));
        }
        self.map(|(pose_a, pose_b)| intersects(a, *pose_a, b, *pose_b))
    }

    /// The clearance of two shapes at each pair of poses at which it is at most `margin`: see [`within`].
    #[must_use]
    pub fn within(self, a: &Shape, b: &Shape, margin: f64) -> Vec<Option<Clearance>> {
        if self.is_warm {
            return self.map_warm(&Pair::new(a, b), |pair, (pose_a, pose_b)| pair.within(*pose_a, *pose_b, margin));
        }
        self.map(|(pose_a, pose_b)| within(a, *pose_a, b, *pose_b, margin))
    }

    /// The penetration depth of two solids at each pair of poses: see [`depth`](fn@depth). With a budget of [seconds](DepthBudget::seconds) brackets may differ
    /// from run to run.
    #[must_use]
    pub fn depth(self, a: &Shape, b: &Shape, budget: DepthBudget) -> Vec<Depth> {
        if self.is_warm {
            return self.map_warm(&Pair::new(a, b), |pair, (pose_a, pose_b)| pair.depth(*pose_a, *pose_b, budget));
        }
        self.map(|(pose_a, pose_b)| depth(a, *pose_a, b, *pose_b, budget))
    }
}

/// Two shapes at two poses: one query of a [`Batch`] about many pairs of shapes.
#[derive(Debug, Clone, Copy)]
pub struct PosedShapes<'a> {
    /// A.
    pub a: &'a Shape,
    /// The pose of A.
    pub pose_a: Pose,
    /// B.
    pub b: &'a Shape,
    /// The pose of B.
    pub pose_b: Pose,
}

/// Pairs of shapes, each at its own poses.
impl Batch<'_, PosedShapes<'_>> {
    /// The distance of each pair of shapes: see [`distance`](fn@distance).
    ///
    /// ```
    /// use clearance::batch::PosedShapes;
    /// use clearance::{Batch, Pose, Shape};
    ///
    /// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?);
    /// let pose_b = Pose::from_translation([4.0, 0.0, 0.0]);
    /// let queries = [&ball, &cube].map(|b| PosedShapes { a: &ball, pose_a: Pose::IDENTITY, b, pose_b });
    /// assert!(Batch::new(&queries).distance().iter().all(|c| (c.distance - 2.0).abs() < 1e-14));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn distance(self) -> Vec<Clearance> {
        self.map(|query| distance(query.a, query.pose_a, query.b, query.pose_b))
    }

    /// Whether the shapes of each pair share a point: see [`intersects`].
    #[must_use]
    pub fn intersects(self) -> Vec<bool> {
        self.map(|query| intersects(query.a, query.pose_a, query.b, query.pose_b))
    }

    /// The clearance of each pair of shapes that is at most `margin`: see [`within`].
    #[must_use]
    pub fn within(self, margin: f64) -> Vec<Option<Clearance>> {
        self.map(|query| within(query.a, query.pose_a, query.b, query.pose_b, margin))
    }
}

/// Rays at one shape.
impl Batch<'_, Ray> {
    /// Where each ray meets a shape: see [`cast_ray`].
    #[must_use]
    pub fn cast_ray(self, shape: &Shape, pose: Pose) -> Vec<Option<RayHit>> {
        self.map(|ray| cast_ray(shape, pose, ray))
    }

    /// Where each ray meets the boundary of a shape: see [`cast_ray_boundary`].
    #[must_use]
    pub fn cast_ray_boundary(self, shape: &Shape, pose: Pose) -> Vec<Option<RayHit>> {
        self.map(|ray| cast_ray_boundary(shape, pose, ray))
    }
}

/// Points around one shape, in world coordinates.
impl Batch<'_, DVec3> {
    /// Whether each point is in a shape or on it: see [`contains`].
    #[must_use]
    pub fn contains(self, shape: &Shape, pose: Pose) -> Vec<bool> {
        self.map(|point| contains(shape, pose, *point))
    }

    /// The nearest point of the surface of a shape to each point: see [`project_point`].
    ///
    /// ```
    /// use clearance::math::DVec3;
    /// use clearance::{Batch, Pose, Shape};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let points: Vec<DVec3> = (1..100).map(|x| DVec3::new(f64::from(x), 0.0, 0.0)).collect();
    /// let found = Batch::new(&points).project_point(&ball, Pose::IDENTITY);
    /// assert!(found.iter().flatten().all(|found| (found.point - DVec3::X).length() < 1e-14));
    /// assert_eq!(Batch::new(&points).contains(&ball, Pose::IDENTITY).iter().filter(|is_in| **is_in).count(), 1);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn project_point(self, shape: &Shape, pose: Pose) -> Vec<Option<PointProjection>> {
        self.map(|point| project_point(shape, pose, *point))
    }

    /// Bounds of the signed distance of each point to the surface of a shape: see [`signed_distance_to_point`].
    #[must_use]
    pub fn signed_distance_to_point(self, shape: &Shape, pose: Pose) -> Vec<Option<[f64; 2]>> {
        self.map(|point| signed_distance_to_point(shape, pose, *point))
    }
}

/// Straight paths of B toward A, which rests.
impl Batch<'_, Sweep> {
    /// Where B meets A on each path: see [`cast_shape`].
    ///
    /// ```
    /// use clearance::{Batch, Pose, Shape, Sweep};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let start = Pose::from_translation([-9.0, 0.0, 0.0]);
    /// let sweeps = [0.0, 1.0].map(|y| Sweep::new(start, [1.0, y, 0.0], 100.0));
    /// let sweeps = sweeps.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let hits = Batch::new(&sweeps).cast_shape(&ball, Pose::IDENTITY, &ball);
    /// assert!(hits[0].is_some_and(|hit| hit.lower <= 7.0 && 7.0 <= hit.upper) && hits[1].is_none());
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_shape(self, a: &Shape, pose_a: Pose, b: &Shape) -> Vec<Option<ShapeHit>> {
        self.map(|sweep| cast_shape(a, pose_a, b, sweep))
    }
}

/// Motions of A and of B.
impl Batch<'_, (Motion, Motion)> {
    /// When two shapes first touch, for each pair of motions: see [`time_of_impact`].
    ///
    /// ```
    /// use clearance::{Batch, Interval, Motion, Pose, Shape};
    ///
    /// let ball = Shape::sphere(0.5)?;
    /// let still = Motion::fixed(Pose::IDENTITY);
    /// let shot = |speed: f64| Motion::linear(Pose::from_translation([-9.0, 0.0, 0.0]), [speed, 0.0, 0.0], [0.0; 3]);
    /// let motions = [(still.clone(), shot(1.0)?), (still.clone(), shot(4.0)?)];
    /// let impacts = Batch::new(&motions).time_of_impact(&ball, &ball, Interval::new(0.0, 4.0)?);
    /// assert!(impacts[0].hit().is_none() && impacts[1].hit().is_some_and(|hit| hit.lower <= 2.0 && 2.0 <= hit.upper));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn time_of_impact(self, a: &Shape, b: &Shape, interval: Interval) -> Vec<Impact> {
        self.map(|(motion_a, motion_b)| time_of_impact(a, motion_a, b, motion_b, interval))
    }

    /// How close two shapes come, for each pair of motions: see [`closest_approach`].
    #[must_use]
    pub fn closest_approach(self, a: &Shape, b: &Shape, interval: Interval) -> Vec<Impact> {
        self.map(|(motion_a, motion_b)| closest_approach(a, motion_a, b, motion_b, interval))
    }
}

/// Poses of A and B from plain numbers, as [`Pose::from_array`] takes them. The first number that is wrong is named.
///
/// ```
/// use clearance::batch::poses;
/// use clearance::{Batch, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let mut numbers = [[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]; 20];
/// assert_eq!(Batch::new(&poses(&numbers)?).distance(&ball, &ball).len(), 20);
/// numbers[17][1][1] = f64::NAN;
/// let error = poses(&numbers).unwrap_err();
/// assert_eq!(error.to_string(), "poses[17][1].translation.y is NaN, but must be a finite number");
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn poses(numbers: &[[[f64; 7]; 2]]) -> Result<Vec<(Pose, Pose)>, BuildError> {
    let pose = |i: usize, side: usize| {
        Pose::from_array(numbers[i][side]).map_err(|error| error.prefixed(&format!("poses[{i}][{side}].")))
    };
    (0..numbers.len()).map(|i| Ok((pose(i, 0)?, pose(i, 1)?))).collect()
}
