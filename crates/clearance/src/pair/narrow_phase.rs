//! Narrow-phase algorithms from outside of the library, run by a [`Pair`] and certified by it.
//!
//! An algorithm proposes a direction and a distance. The library trusts neither.
//!
//! 1. GJK starts from the proposed direction. If that is right, its first support points are those of the answer, so the proof costs one or
//!    two rounds. The bracket, the witness points and the features are GJK's.
//! 2. A proposal whose distance is outside of the proved bracket, and a query without a proposal, counts as a fallback
//!    ([`Cost::fallbacks`](super::Cost::fallbacks)).

use super::visit::PosedPair;
use super::{Clearance, Engine, Pair, entry};
use crate::math::{Frame, Pose};
use crate::narrow::gjk;
use crate::shape::Shape;
use glam::DVec3;

/// Largest deviation of a proposal from the proved bracket, as a part of the pair's size. Limit: a custom engine that is farther off is
/// wrong.
const AGREES: f64 = 1e-9;

/// A narrow-phase algorithm of your own, to be compared with those of the library: see [`Pair::distance_by`].
///
/// `clearance-papers` has Lin-Canny, GJK with Johnson's subalgorithm and the improved Gilbert algorithm in this form.
pub trait NarrowPhase {
    /// Finds the closest points of two shapes; `b_in_a` is the frame of B in that of A. `None` if the shapes overlap, if the algorithm does
    /// not know their kinds, or if it fails. An algorithm may keep caches: a wrong proposal costs time and no more.
    fn closest(&mut self, a: &Shape, b: &Shape, b_in_a: &Frame) -> Option<ProposedGap>;
}

/// The closest points of two shapes that are apart, as an algorithm claims them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProposedGap {
    /// The distance.
    pub distance: f64,
    /// The direction from A to B in the frame of A, of any length.
    pub normal: DVec3,
}

impl Pair {
    /// The clearance by an algorithm of your own, with the bracket that the library proves.
    ///
    /// ```
    /// use clearance::math::{DVec3, Frame};
    /// use clearance::{NarrowPhase, Pair, Pose, ProposedGap, Shape};
    ///
    /// /// Two balls, whose closest points are on the line of their centres.
    /// struct Balls;
    ///
    /// impl NarrowPhase for Balls {
    ///     fn closest(&mut self, a: &Shape, b: &Shape, b_in_a: &Frame) -> Option<ProposedGap> {
    ///         let between = b_in_a.translation;
    ///         let distance = between.length() - a.bounding_radius() - b.bounding_radius();
    ///         (distance > 0.0).then_some(ProposedGap { distance, normal: between })
    ///     }
    /// }
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let mut pair = Pair::new(&ball, &ball);
    /// let found = pair.distance_by(&mut Balls, Pose::IDENTITY, Pose::from_translation([3.0, 0.0, 4.0]));
    /// assert!(found.lower <= 3.0 && 3.0 <= found.upper && found.cost.fallbacks == 0);
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn distance_by(&mut self, algorithm: &mut dyn NarrowPhase, pose_a: Pose, pose_b: Pose) -> Clearance {
        let frame = Frame::relative(&pose_a, &pose_b);
        let proposal = algorithm.closest(&self.a, &self.b, &frame);
        self.start_from(proposal);
        let pair = PosedPair { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        let mut found = entry::clearance(pair, f64::INFINITY, Engine::Gjk, &mut self.cache);
        let size = self.a.bounding_radius() + self.b.bounding_radius() + frame.translation.length();
        let agrees = proposal.is_some_and(|proposal| {
            (found.lower - AGREES * size..=found.upper + AGREES * size).contains(&proposal.distance)
        });
        found.cost.fallbacks += u32::from(!agrees);
        found
    }

    /// Do the shapes share a point, by an algorithm of your own? "No" is proved by a plane across the proposed direction, or by GJK from
    /// there; "yes" is GJK's.
    ///
    /// ```
    /// use clearance::math::{DVec3, Frame};
    /// use clearance::{NarrowPhase, Pair, Pose, ProposedGap, Shape};
    ///
    /// /// An algorithm that is always wrong.
    /// struct Wrong;
    ///
    /// impl NarrowPhase for Wrong {
    ///     fn closest(&mut self, _: &Shape, _: &Shape, _: &Frame) -> Option<ProposedGap> {
    ///         Some(ProposedGap { distance: 5.0, normal: DVec3::X })
    ///     }
    /// }
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// assert!(Pair::new(&cube, &cube).intersects_by(&mut Wrong, Pose::IDENTITY, Pose::from_translation([0.0, 1.5, 0.0])));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn intersects_by(&mut self, algorithm: &mut dyn NarrowPhase, pose_a: Pose, pose_b: Pose) -> bool {
        let proposal = algorithm.closest(&self.a, &self.b, &Frame::relative(&pose_a, &pose_b));
        self.start_from(proposal);
        let pair = PosedPair { a: &self.a, pose_a: &pose_a, b: &self.b, pose_b: &pose_b };
        entry::intersects(pair, Engine::Gjk, &mut self.cache)
    }

    /// GJK starts from the direction of a proposal; one of NaN or of length zero is none.
    fn start_from(&mut self, proposal: Option<ProposedGap>) {
        let normal = proposal.and_then(|found| found.normal.try_normalize());
        self.cache.gjk = normal.map_or_else(gjk::WarmSimplex::default, |normal| gjk::WarmSimplex::of_axis(-normal));
    }
}
