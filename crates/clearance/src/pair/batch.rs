//! Many queries at once, on all cores.
//!
//! | function | what is asked | how |
//! |---|---|---|
//! | [`distances`], [`intersections`] | one pair of shapes at many poses | each by itself |
//! | [`distances_along`], [`intersections_along`] | one pair of shapes along a motion | each from the one before |
//! | [`distances_of`], [`intersections_of`] | many pairs of shapes | each by itself |
//! | [`try_distances`], [`try_intersections`] | as the first, at poses that are untrusted numbers | refused, or all answered |
//!
//! **Which one?** What a [`Pair`] remembers makes a query five to ten times as fast where poses follow each other closely, as along
//! a motion, and nothing where they are drawn at random. So the queries of the first and third row are cold: their answers are those
//! of [`distance`](fn@crate::distance) and [`intersects`](crate::intersects), bit for bit. The second row is for motions.
//!
//! **Threads.** The threads are those of the current `rayon` pool. Answers come in the order of the queries, and are the same bits for
//! any number of threads: along a motion a new [`Pair`] takes over after every [`STRETCH`] poses, however many threads there are.

use super::entry::{clearance_once, intersects_once};
use super::{Clearance, Pair, PosedPair};
use crate::error::BuildError;
use crate::math::Pose;
use crate::parallel::prelude::*;
use crate::shape::Shape;
use crate::tuning::world as tuning;

/// Queries along a motion that share one cache, answered by one thread. Limit: part of the contract, since answers may depend on the cache
/// within their brackets.
pub const STRETCH: usize = 64;

/// The distance of two shapes at each of many poses of A and B: [`distance`](fn@crate::distance), many times.
///
/// ```
/// use clearance::pair::batch::distances;
/// use clearance::{Pose, Shape};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?);
/// let poses: Vec<_> = (3..100).map(|x| (Pose::IDENTITY, Pose::from_translation([f64::from(x), 0.0, 0.0]))).collect();
/// let answers = distances(&ball, &cube, &poses);
/// assert!((answers[0].distance - 1.0).abs() < 1e-14 && (answers[96].distance - 97.0).abs() < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn distances(a: &Shape, b: &Shape, poses: &[(Pose, Pose)]) -> Vec<Clearance> {
    each(poses, |(pose_a, pose_b)| clearance_once(PosedPair { a, pose_a, b, pose_b }))
}

/// Whether two shapes share a point at each of many poses of A and B: [`intersects`](crate::intersects), many times.
///
/// ```
/// use clearance::pair::batch::intersections;
/// use clearance::{Pose, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let poses = [1.0, 2.0, 3.0].map(|x| (Pose::IDENTITY, Pose::from_translation([x, 0.0, 0.0])));
/// assert_eq!(intersections(&ball, &ball, &poses), [true, true, false]);        // touching counts
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn intersections(a: &Shape, b: &Shape, poses: &[(Pose, Pose)]) -> Vec<bool> {
    each(poses, |(pose_a, pose_b)| intersects_once(PosedPair { a, pose_a, b, pose_b }))
}

/// The distance of two shapes along a motion: each answer is that of a [`Pair`] that knows the poses before, back to the last
/// multiple of [`STRETCH`].
///
/// ```
/// use clearance::pair::batch::distances_along;
/// use clearance::{Pose, Shape};
///
/// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
/// let motion: Vec<_> = (0..1000).map(|i| (Pose::IDENTITY, Pose::from_translation([3.0 + 0.01 * f64::from(i), 0.0, 0.0]))).collect();
/// let closest = distances_along(&cube, &cube, &motion).into_iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
/// assert!((closest - 1.0).abs() < 1e-14);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn distances_along(a: &Shape, b: &Shape, motion: &[(Pose, Pose)]) -> Vec<Clearance> {
    along(a, b, motion, |pair, (pose_a, pose_b)| pair.distance(pose_a, pose_b))
}

/// Whether two shapes share a point along a motion; see [`distances_along`].
///
/// ```
/// use clearance::pair::batch::intersections_along;
/// use clearance::{Pose, Shape};
///
/// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
/// let motion: Vec<_> = (0..500).map(|i| (Pose::IDENTITY, Pose::from_translation([0.01 * f64::from(i), 0.0, 0.0]))).collect();
/// assert_eq!(intersections_along(&cube, &cube, &motion).iter().position(|&overlap| !overlap), Some(201));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn intersections_along(a: &Shape, b: &Shape, motion: &[(Pose, Pose)]) -> Vec<bool> {
    along(a, b, motion, |pair, (pose_a, pose_b)| pair.intersects(pose_a, pose_b))
}

/// Two shapes at two poses: one query of [`distances_of`] and [`intersections_of`].
#[derive(Debug, Clone, Copy)]
pub struct PosedShapes<'a> {
    /// A.
    pub a: &'a Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// B.
    pub b: &'a Shape,
    /// Where it is.
    pub pose_b: Pose,
}

impl PosedShapes<'_> {
    fn pair(&self) -> PosedPair<'_> {
        PosedPair { a: self.a, pose_a: &self.pose_a, b: self.b, pose_b: &self.pose_b }
    }
}

/// The distance of each of many pairs of shapes.
///
/// ```
/// use clearance::pair::batch::{PosedShapes, distances_of};
/// use clearance::{Pose, Shape};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?);
/// let pose_b = Pose::from_translation([4.0, 0.0, 0.0]);
/// let queries = [&ball, &cube].map(|b| PosedShapes { a: &ball, pose_a: Pose::IDENTITY, b, pose_b });
/// assert!(distances_of(&queries).iter().all(|c| (c.distance - 2.0).abs() < 1e-14));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn distances_of(queries: &[PosedShapes<'_>]) -> Vec<Clearance> {
    each(queries, |query| clearance_once(query.pair()))
}

/// Whether the two shapes of each of many pairs share a point; see [`distances_of`].
///
/// ```
/// use clearance::pair::batch::{PosedShapes, intersections_of};
/// use clearance::{Pose, Shape};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid([1.0, 1.0, 1.0])?);
/// let pose_b = Pose::from_translation([1.5, 1.5, 0.0]);
/// let queries = [&ball, &cube].map(|b| PosedShapes { a: &ball, pose_a: Pose::IDENTITY, b, pose_b });
/// assert_eq!(intersections_of(&queries), [false, true]);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn intersections_of(queries: &[PosedShapes<'_>]) -> Vec<bool> {
    each(queries, |query| intersects_once(query.pair()))
}

/// [`distances`] at poses from untrusted numbers: the poses of A and of B as [`Pose::from_array`] takes them. The first number that is
/// wrong is named, and then nothing is answered.
///
/// ```
/// use clearance::Shape;
/// use clearance::pair::batch::try_distances;
///
/// let ball = Shape::sphere(1.0)?;
/// let mut poses = [[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]; 20];
/// assert_eq!(try_distances(&ball, &ball, &poses)?.len(), 20);
/// poses[17][1][1] = f64::NAN;
/// let error = try_distances(&ball, &ball, &poses).unwrap_err();
/// assert_eq!(error.to_string(), "poses[17][1].translation.y is NaN, but must be a finite number");
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn try_distances(a: &Shape, b: &Shape, poses: &[[[f64; 7]; 2]]) -> Result<Vec<Clearance>, BuildError> {
    Ok(distances(a, b, &read(poses)?))
}

/// [`intersections`] at poses from untrusted numbers; see [`try_distances`].
///
/// ```
/// use clearance::Shape;
/// use clearance::pair::batch::try_intersections;
///
/// let ball = Shape::sphere(1.0)?;
/// let poses = [[[0.0; 7]; 2]];
/// let error = try_intersections(&ball, &ball, &poses).unwrap_err();
/// assert!(error.to_string().starts_with("poses[0][0].rotation has no direction because it is zero"));
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn try_intersections(a: &Shape, b: &Shape, poses: &[[[f64; 7]; 2]]) -> Result<Vec<bool>, BuildError> {
    Ok(intersections(a, b, &read(poses)?))
}

/// The poses that numbers stand for, or the first that is none.
fn read(poses: &[[[f64; 7]; 2]]) -> Result<Vec<(Pose, Pose)>, BuildError> {
    let pose = |i: usize, side: usize| {
        Pose::from_array(poses[i][side]).map_err(|error| error.within(&format!("poses[{i}][{side}].")))
    };
    (0..poses.len()).map(|i| Ok((pose(i, 0)?, pose(i, 1)?))).collect()
}

/// Answers each query by itself.
fn each<Q: Sync, R: Send>(queries: &[Q], answer: impl Fn(&Q) -> R + Sync + Send) -> Vec<R> {
    if queries.len() <= tuning::FEW_QUERIES {
        return queries.iter().map(answer).collect();
    }
    queries.par_iter().map(answer).collect()
}

/// Answers each query from the one before.
fn along<R: Send>(
    a: &Shape,
    b: &Shape,
    motion: &[(Pose, Pose)],
    answer: impl Fn(&mut Pair, (Pose, Pose)) -> R + Sync + Send,
) -> Vec<R> {
    let stretch = |poses: &[(Pose, Pose)]| {
        let mut pair = Pair::new(a, b);
        poses.iter().map(|&poses| answer(&mut pair, poses)).collect::<Vec<R>>()
    };
    let stretches: Vec<Vec<R>> = motion.par_chunks(STRETCH).map(stretch).collect();
    stretches.into_iter().flatten().collect()
}
