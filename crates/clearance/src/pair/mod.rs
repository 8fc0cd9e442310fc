//! Questions about two shapes: the one-shot functions, and [`Pair`] which remembers.

mod clearance;
mod closed;
mod collision;
mod compound;
mod dispatch;
mod half_space;
mod separation;
mod unit;

pub use clearance::{Clearance, Cost, Status};
pub use collision::Collision;

use crate::math::Pose;
use crate::shape::Shape;
pub(crate) use compound::{Record, Until, recorded, remembering};
pub(crate) use dispatch::Placed;
use separation::Separation;

/// The algorithm that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Engine {
    /// A closed form where there is one, else the fastest engine that is right for the pair.
    #[default]
    Auto,
    /// GJK with the accurate subalgorithm (signed volumes).
    Gjk,
    /// GJK with Johnson's subalgorithm as its paper has it, for comparison.
    GjkJohnson,
    /// V-Clip for two polytopes ([`Shape::hull`]), which walks from the features that were closest; GJK for all others.
    VClip,
    /// Lin-Canny for two polytopes, for comparison: it fails in known ways, is then helped out by GJK, and says so in
    /// [`Cost::rescues`]. GJK for all others.
    LinCanny,
    /// The separating-vector search for yes/no and [`within`]: reflections of a vector until it separates. Distances are GJK's, from
    /// the vector that was found.
    SeparatingVector,
}

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
#[must_use]
#[inline(always)]
pub fn distance(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Clearance {
    // Only this much in the caller's code: the poses are then read where they are, without a copy on the stack.
    dispatch::clearance_once(a, &pose_a, b, &pose_b)
}

/// Do the shapes share a point? Touching counts.
///
/// `false` is proved; `true` means that they overlap, or that their gap is too small for the arithmetic to see, which is
/// about 1e-14 of the sizes and distances involved, and never more than 4e-14; for shapes that are computed from others (images of
/// images, compounds in compounds, roundings) by what that rounds more. Half-spaces that are parallel only to rounding meet
/// somewhere.
#[must_use]
pub fn intersects(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> bool {
    dispatch::intersects_once(Placed { a, pose_a: &pose_a, b, pose_b: &pose_b })
}

/// The clearance if it is at most `margin`, else nothing. That it is more is proved before nothing is returned.
///
/// A negative margin asks for overlaps at least that deep; a margin that is NaN is never met.
#[must_use]
pub fn within(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, margin: f64) -> Option<Clearance> {
    let placed = Placed { a, pose_a: &pose_a, b, pose_b: &pose_b };
    clearance_within(placed, margin, Engine::Auto, &mut Memory::default())
}

/// The clearance, unless it is proved to be more than `margin`.
fn clearance_within(placed: Placed<'_>, margin: f64, engine: Engine, memory: &mut Memory) -> Option<Clearance> {
    Some(dispatch::clearance(placed, margin, engine, memory)).filter(|c| c.lower <= margin)
}

/// Questions of a pair, and of a world, which keeps shapes, poses and memories in places of its own. The memory is that of these two
/// shapes.
/// Two shapes and what is remembered about them from call to call.
///
/// The memory makes calls with similar poses faster; it never changes an answer by more than its bracket.
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
    memory: Memory,
    /// The poses of the last frame of [`Pair::collide`], if the shapes were apart.
    apart_at: Option<[Pose; 2]>,
}

/// What a pair remembers: small, made of indices and a direction, safe when stale.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Memory {
    gjk: crate::narrow::gjk::Cache,
    vclip: crate::narrow::vclip::Cache,
    /// The vector that separated the shapes when a yes or no was asked, with its heights.
    separation: Separation,
    /// The axis in `gjk` separated the shapes when a yes or no was asked last.
    is_aimed: bool,
    /// The parts of two compounds that were closest, which are looked at first, counted from one; zero if there are none.
    parts: [u32; 2],
    lin_canny: crate::narrow::lin_canny::Cache,
}

impl Memory {
    /// Does what is remembered show, without a look at the shapes and without a branch, that they are farther apart than `limit`?
    #[inline(always)]
    pub(crate) fn shows_apart(&self, pose_a: &Pose, pose_b: &Pose, limit: f64) -> bool {
        self.separation.is_measured() & self.separation.holds(pose_a, pose_b, limit)
    }
}

impl Placed<'_> {
    /// Do they share a point, when [`Memory::shows_apart`] does not know?
    #[inline(always)]
    pub(crate) fn intersects_again(self, engine: Engine, memory: &mut Memory) -> bool {
        dispatch::intersects_again(self, engine, memory)
    }

    /// The clearance if it is at most `margin`, when [`Memory::shows_apart`] does not know.
    #[inline(always)]
    pub(crate) fn within_again(self, margin: f64, engine: Engine, memory: &mut Memory) -> Option<Clearance> {
        dispatch::within_again(self, margin, engine, memory)
    }
}

impl Pair {
    /// A pair that knows nothing yet.
    #[must_use]
    pub fn new(a: &Shape, b: &Shape) -> Self {
        Self { a: a.clone(), b: b.clone(), engine: Engine::Auto, memory: Memory::default(), apart_at: None }
    }

    /// The same pair, answered by that engine. What the engine before has learned is forgotten.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine, memory: Memory::default(), apart_at: None, ..self }
    }

    /// See [`distance`](fn@distance).
    #[inline(always)]
    pub fn distance(&mut self, pose_a: Pose, pose_b: Pose) -> Clearance {
        // Only this much in the caller's code: the poses are then read where they are, without a copy on the stack.
        self.distance_at(&pose_a, &pose_b)
    }

    fn distance_at(&mut self, pose_a: &Pose, pose_b: &Pose) -> Clearance {
        let placed = Placed { a: &self.a, pose_a, b: &self.b, pose_b };
        dispatch::clearance(placed, f64::INFINITY, self.engine, &mut self.memory)
    }

    /// The clearance, with a record of the search among the parts of compounds.
    pub(crate) fn recorded<R: Record>(
        &mut self,
        pose_a: &Pose,
        pose_b: &Pose,
        limit: f64,
        record: &mut R,
    ) -> Clearance {
        let placed = Placed { a: &self.a, pose_a, b: &self.b, pose_b };
        match (placed.a, placed.b) {
            (Shape::Compound(_), _) | (_, Shape::Compound(_)) => {
                let until = Until { limit, floor: f64::NEG_INFINITY };
                recorded(placed, until, self.engine, &mut self.memory, record)
            }
            _ => dispatch::clearance(placed, limit, self.engine, &mut self.memory),
        }
    }

    /// See [`intersects`].
    #[inline]
    pub fn intersects(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        // Only this much in the caller's code, and nothing that needs the address of a pose: they are read where the caller has
        // them. A copy on the stack, written and read back in other pieces, takes longer than all the rest.
        !self.memory.separation.is_apart(&pose_a, &pose_b) && self.intersects_again(pose_a, pose_b)
    }

    #[inline(never)]
    fn intersects_again(&mut self, pose_a: Pose, pose_b: Pose) -> bool {
        let placed = Placed { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        dispatch::intersects_again(placed, self.engine, &mut self.memory)
    }

    /// See [`within`].
    #[inline]
    pub fn within(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> Option<Clearance> {
        let separation = &self.memory.separation;
        if separation.is_measured() && separation.holds(&pose_a, &pose_b, margin) {
            return None;
        }
        self.within_again(pose_a, pose_b, margin)
    }

    #[inline(never)]
    fn within_again(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> Option<Clearance> {
        let placed = Placed { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        dispatch::within_again(placed, margin, self.engine, &mut self.memory)
    }

    /// Forgets what was learned: the next call is a cold one.
    pub fn forget(&mut self) {
        self.memory = Memory::default();
        self.apart_at = None;
    }
}
