//! The combined algorithm: an intersection test per frame, and closest points only when a collision appears.

use super::entry;
use super::visit::PosedPair;
use super::{Clearance, Engine, Pair, PairCache};
use crate::math::Pose;

/// The answer of [`Pair::collide`] about a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // it is returned once and taken apart
pub enum Collision {
    /// The shapes are apart: proved.
    Apart,
    /// The shapes share a point, as [`intersects`](super::intersects) means it.
    #[non_exhaustive]
    Colliding {
        /// The closest points of the frame before, where the shapes were still apart: where they will have touched, for a
        /// response. `None` if that frame was a collision too, or if there was none.
        last_apart: Option<Clearance>,
    },
}

impl Collision {
    /// Do the shapes share a point?
    ///
    /// ```
    /// use clearance::{Pair, Pose, Shape};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let mut pair = Pair::new(&ball, &ball);
    /// assert!(!pair.collide(Pose::IDENTITY, Pose::from_translation([3.0, 0.0, 0.0])).is_colliding());
    /// assert!(pair.collide(Pose::IDENTITY, Pose::from_translation([1.0, 0.0, 0.0])).is_colliding());
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn is_colliding(&self) -> bool {
        matches!(self, Self::Colliding { .. })
    }
}

impl Pair {
    /// Do the shapes collide in this frame, and if so, where were they closest in the frame before?
    ///
    /// This is the combined algorithm of Q-COLLIDE (paper \[QC\], section 5.5) for shapes in motion. While they are apart a frame costs
    /// an intersection test, which is mostly the check of one remembered vector. In the first frame that collides it is too late for
    /// closest points, so those of the frame before are computed, from its poses, which are kept. They come from the pair's engine. (The
    /// paper's improved Gilbert algorithm is in `clearance-papers`.) The direction between them starts the next search for a
    /// separating vector.
    ///
    /// ```
    /// use clearance::{Collision, Pair, Pose, Shape};
    ///
    /// let rock = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
    /// let mut pair = Pair::new(&rock, &rock);
    /// for frame in 0..20 {
    ///     let falling = Pose::from_translation([0.2, 0.3, 2.0 - 0.15 * f64::from(frame)]);
    ///     if let Collision::Colliding { last_apart: Some(before), .. } = pair.collide(Pose::IDENTITY, falling) {
    ///         // The gap was less than the way of one frame.
    ///         assert!(before.distance > 0.0 && before.distance < 0.15);
    ///         assert!(before.normal.z > 0.5);
    ///         return Ok(());
    ///     }
    /// }
    /// panic!("they do meet");
    /// # #[allow(unreachable_code)]
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn collide(&mut self, pose_a: Pose, pose_b: Pose) -> Collision {
        if !self.intersects(pose_a, pose_b) {
            self.apart_at = Some([pose_a, pose_b]);
            return Collision::Apart;
        }
        Collision::Colliding { last_apart: self.apart_at.take().map(|poses| self.closest_at(poses)) }
    }

    /// The closest points at poses where the shapes were apart.
    #[cold]
    fn closest_at(&mut self, [pose_a, pose_b]: [Pose; 2]) -> Clearance {
        let pair = PosedPair { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        closest_before_contact(pair, self.engine, &mut self.cache)
    }
}

/// The closest points at the poses of the frame before, from what the search for a separating vector has left in the cache. The direction between them
/// starts the next search.
pub(crate) fn closest_before_contact(pair: PosedPair<'_>, engine: Engine, cache: &mut PairCache) -> Clearance {
    let found = entry::clearance(pair, f64::INFINITY, engine, cache);
    cache.gjk.aim(-pair.pose_a.inverse_transform_vector(found.normal));
    found
}
