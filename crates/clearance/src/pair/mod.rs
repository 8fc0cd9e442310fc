//! Queries about two shapes: the one-shot functions, and [`Pair`] which remembers.

mod cache;
mod clearance;
mod closed;
mod collision;
mod compound;
mod distance;
mod engine;
mod entry;
mod features;
mod half_space;
mod manifold;
mod mesh;
mod narrow_phase;
mod overlap;
mod separation;
#[cfg(feature = "serde")]
mod serialized;
mod unit;
mod visit;

pub use crate::narrow::Cost;
pub use clearance::{Clearance, Status};
pub use collision::Collision;
pub use engine::{Engine, UnknownEngine};
pub use manifold::{FeaturePair, Manifold, ManifoldPoint, ManifoldPoints};
pub use narrow_phase::{NarrowPhase, ProposedGap};

use crate::math::Pose;
use crate::shape::{Feature, Shape};
#[cfg(feature = "proof")]
use crate::trace::Trace;
pub(crate) use cache::PairCache;
#[cfg(feature = "proof")]
pub(crate) use compound::{Until, clearance as compound_clearance, meeting_parts, remembering};
pub(crate) use entry::{Remembered, clearance, within_once};
use glam::DVec3;
pub(crate) use manifold::Contacts;
#[cfg(feature = "proof")]
pub(crate) use mesh::escape_directions;
pub(crate) use separation::Separation;
pub(crate) use visit::PosedPair;

#[cfg(feature = "proof")]
use distance::DistanceQuery;
#[cfg(feature = "proof")]
use visit::visit;

/// The signed distance between two shapes, with witnesses and bracket: the gap, or minus the length of the shortest translation that
/// separates them.
///
/// ```
/// use clearance::{Pose, Shape, distance};
///
/// let cube = Shape::cuboid([0.5, 0.5, 0.5])?;
/// let ball = Shape::sphere(1.0)?;
/// let c = distance(&cube, Pose::IDENTITY, &ball, Pose::from_translation([3.0, 0.0, 0.0]));
/// assert!((c.distance - 1.5).abs() < 1e-14);
/// assert!(c.lower <= 1.5 && 1.5 <= c.upper && c.upper - c.lower < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "closest_points")]
#[doc(alias = "contact")]
#[must_use]
#[inline(always)]
pub fn distance(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Clearance {
    // Only this much in the caller's code: the poses are then read where they are, without a copy on the stack.
    entry::clearance_once(PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b })
}

/// Do the shapes share a point? Touching counts.
///
/// `false` is proved. `true` means that they overlap, or that their gap is below the resolution of the arithmetic: about 1e-14 of the sizes
/// and distances involved, and never more than 4e-14. For shapes that are computed from others (images of images, compounds in compounds,
/// roundings) their rounding errors are added. Half-spaces that are parallel only to rounding meet
/// somewhere.
///
/// ```
/// use clearance::{Pose, Shape, intersects};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = |x: f64| intersects(&ball, Pose::IDENTITY, &ball, Pose::from_translation([x, 0.0, 0.0]));
/// assert!(at(1.9) && at(2.0) && !at(2.1));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "intersection_test")]
#[doc(alias = "overlap")]
#[doc(alias = "collide")]
#[must_use]
pub fn intersects(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> bool {
    entry::intersects_once(PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b })
}

/// The clearance if it is at most `margin`. `None` is proved: the clearance is more.
///
/// A negative margin asks for overlaps at least that deep; a margin that is NaN is never met.
///
/// ```
/// use clearance::{Pose, Shape, within};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = |x: f64| within(&ball, Pose::IDENTITY, &ball, Pose::from_translation([x, 0.0, 0.0]), 0.5);
/// assert!(at(3.0).is_none());
/// assert!(at(2.25).is_some_and(|c| c.gap() == 0.25));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "proximity")]
#[doc(alias = "contact")]
#[must_use]
pub fn within(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64) -> Option<Clearance> {
    let pair = PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b };
    Some(entry::clearance(pair, margin, Engine::Auto, &mut PairCache::default())).filter(|c| c.lower <= margin)
}

/// Two shapes and a cache that is kept from call to call.
///
/// The cache makes calls with similar poses faster; it never changes an answer by more than its bracket.
///
/// A pair is five to ten times as fast as single queries where poses follow each other closely, frame after frame or along a motion. For
/// random poses it gains nothing. For many poses at once, on all cores, see [`Batch`](crate::Batch).
///
/// ```
/// use clearance::{Pair, Pose, Shape};
///
/// let rock = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
/// let mut pair = Pair::new(&rock, &rock);
/// for step in 0..10 {
///     let c = pair.distance(Pose::IDENTITY, Pose::from_translation([2.0 + 0.1 * f64::from(step), 0.0, 0.0]));
///     assert!((c.distance - (1.0 + 0.1 * f64::from(step))).abs() < 1e-12);
/// }
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pair {
    a: Shape,
    b: Shape,
    engine: Engine,
    /// The vector that separated the shapes at the last intersection test, with its heights.
    separation: Separation,
    cache: PairCache,
    /// The poses of the last frame of [`Pair::collide`], if the shapes were apart.
    apart_at: Option<[Pose; 2]>,
    /// The translation of A that freed it at the last [`Pair::depth`].
    pub(crate) escape: Option<DVec3>,
    /// The manifolds of the last [`Pair::manifolds`].
    contacts: Option<Box<Contacts>>,
}

impl Pair {
    /// A pair with an empty cache.
    #[must_use]
    pub fn new(a: &Shape, b: &Shape) -> Self {
        Self {
            a: a.clone(),
            b: b.clone(),
            engine: Engine::Auto,
            separation: Separation::default(),
            cache: PairCache::default(),
            apart_at: None,
            escape: None,
            contacts: None,
        }
    }

    /// This pair, answered by that engine, with an empty cache.
    ///
    /// ```
    /// use clearance::{Engine, Pair, Pose, Shape};
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// let far = Pose::from_translation([5.0, 0.0, 0.0]);
    /// for engine in Engine::ALL {
    ///     assert!((Pair::new(&cube, &cube).engine(engine).distance(Pose::IDENTITY, far).distance - 3.0).abs() < 1e-13);
    /// }
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.reset();
        Self { engine, ..self }
    }

    /// See [`distance`](fn@distance).
    #[inline(always)]
    pub fn distance(&mut self, pose_a: Pose, pose_b: Pose) -> Clearance {
        // Only this much in the caller's code: the poses are then read where they are, without a copy on the stack.
        self.distance_at(&pose_a, &pose_b)
    }

    fn distance_at(&mut self, pose_a: &Pose, pose_b: &Pose) -> Clearance {
        if self.engine == Engine::SeparatingVector && self.separation.is_known() {
            self.cache.gjk.aim(-pose_a.inverse_transform_vector(self.separation.vector()));
        }
        let pair = PosedPair { a: &self.a, pose_a, b: &self.b, pose_b };
        entry::clearance(pair, f64::INFINITY, self.engine, &mut self.cache)
    }

    /// The clearance, with a trace of the search among the parts of compounds.
    #[cfg(feature = "proof")]
    pub(crate) fn traced<T: Trace>(&mut self, pose_a: &Pose, pose_b: &Pose, limit: f64, trace: T) -> (Clearance, T) {
        let pair = &PosedPair { a: &self.a, pose_a, b: &self.b, pose_b };
        let Self { engine, cache, .. } = self;
        let mut query = DistanceQuery { pair, limit, engine: *engine, cache, trace };
        (visit(pair.a, pair.b, &mut query), query.trace)
    }

    /// See [`intersects`].
    #[inline]
    pub fn intersects(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        // Only this much in the caller's code, and nothing that needs the address of a pose: they are read where the caller has
        // them. A copy on the stack would be a store-to-load forwarding stall, which takes longer than all the rest.
        !self.separation.is_apart(&pose_a, &pose_b) && self.intersects_again(pose_a, pose_b)
    }

    #[inline(never)]
    fn intersects_again(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        let pair = PosedPair { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        Remembered { separation: &mut self.separation, cache: &mut self.cache }.intersects(pair, self.engine)
    }

    /// See [`within`].
    #[inline]
    pub fn within(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> Option<Clearance> {
        let separation = &self.separation;
        if separation.is_measured() && separation.bound_holds(&pose_a, &pose_b, margin) {
            return None;
        }
        self.within_again(pose_a, pose_b, margin)
    }

    #[inline(never)]
    fn within_again(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> Option<Clearance> {
        let pair = PosedPair { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        Remembered { separation: &mut self.separation, cache: &mut self.cache }.within(pair, margin, self.engine)
    }

    /// The features at which V-Clip's last march ended. Of polytopes that are apart these are the closest features. Of polytopes that
    /// overlap they are the witness of the penetration: an edge of one that goes through a face of the other. Or they are a vertex of one
    /// inside the other, with a face of that. `None` if the last query ended without V-Clip. [`Engine::VClip`] always starts with it.
    ///
    /// ```
    /// use clearance::{Engine, Feature, Pair, Pose, Shape};
    ///
    /// let rock = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
    /// let mut pair = Pair::new(&rock, &rock).engine(Engine::VClip);
    /// assert!(pair.intersects(Pose::IDENTITY, Pose::from_translation([0.2, 0.2, 0.2])));
    /// assert!(matches!(pair.vclip_features(), Some([Feature::Face(_), Feature::Vertex(_)])));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn vclip_features(&self) -> Option<[Feature; 2]> {
        self.cache.vclip.is_known().then(|| self.cache.vclip.features())
    }

    /// The shapes, and what the engines remember about them.
    pub(crate) fn parts(&mut self) -> ([&Shape; 2], &mut PairCache) {
        ([&self.a, &self.b], &mut self.cache)
    }

    /// Empties the cache: the next call is a cold one.
    ///
    /// ```
    /// use clearance::{Pair, Pose, Shape};
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// let (here, there) = (Pose::IDENTITY, Pose::from_translation([5.0, 0.0, 0.0]));
    /// let mut pair = Pair::new(&cube, &cube);
    /// let cold = pair.distance(here, there);
    /// pair.distance(here, there);
    /// pair.reset();
    /// assert_eq!(pair.distance(here, there), cold);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn reset(&mut self) {
        (self.separation, self.cache) = (Separation::default(), PairCache::default());
        (self.apart_at, self.escape) = (None, None);
        if let Some(contacts) = &mut self.contacts {
            contacts.clear();
        }
    }
}
