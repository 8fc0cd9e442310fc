//! The result of feature tracking: the closest points of two polytopes, with their proof.
//!
//! **Invariant.** B1: A and B have points that are no farther apart than `most`, and all of A - B is beyond the plane across the normal
//! at `length - slack`, each but for the rounding of the pair. So once [`ClosestPoints::close`] has said yes, the distance is
//! between `lower` and `upper`, which are four roundings apart at most.

use super::Bracket;
use super::outcome::{Cost, Exit, Outcome};
use glam::DVec3;

/// The closest points of two polytopes. A caller hands in an empty one, so that nothing large is moved.
///
/// Vectors are in the axes of A, or in those of the world where features are only probed ([`vclip`](super::vclip)).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClosestPoints {
    /// The witness on A, as seen from the origin of A.
    pub point_a: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// The distance of the planes across the normal that touch A and B.
    pub length: f64,
    /// A proved lower bound of the distance.
    pub lower: f64,
    /// A proved upper bound of the distance.
    pub upper: f64,
    /// The distance of two points of A and B, as far as that is known without rounding.
    pub most: f64,
    /// How far A or B may reach through their planes because the normal is rounded.
    pub slack: f64,
    /// Have all tests been passed by more than rounding, so that they prove that those planes support A and B?
    pub strict: bool,
    /// Feature pairs visited.
    pub steps: u32,
    /// Support points computed, both shapes counted.
    pub support_calls: u32,
}

impl ClosestPoints {
    /// Empty, after a number of steps.
    pub fn after(steps: u32) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Closes the bracket, if that can be done: the polytopes must be apart, and the gap between what is proved from above and from
    /// below no more than twice the rounding.
    #[inline(always)]
    pub fn close(&mut self, rounding: f64) -> bool {
        let gap = self.most - self.length;
        // Written so that a NaN leaves it open.
        if !(self.length > rounding && Bracket::is_closed([-self.slack, gap], rounding, 0.0)) {
            return false;
        }
        self.lower = self.length - self.slack.max(0.0) - rounding;
        self.upper = self.length + gap.max(0.0) + rounding;
        debug_assert!(self.lower <= self.length && self.length <= self.upper, "B1: {self:?}");
        // The square of a unit vector that was rounded is off by a few ε.
        debug_assert!((self.normal.length_squared() - 1.0).abs() < 1e-9, "the normal is a unit vector: {self:?}");
        true
    }

    /// The cost of the search.
    #[inline(always)]
    pub fn cost(&self) -> Cost {
        Cost { iterations: self.steps, support_calls: self.support_calls, fallbacks: 0 }
    }

    /// The answer, for features whose vertices are these.
    pub fn outcome(&self, (ids, count): ([[u32; 2]; 4], u8)) -> Outcome {
        Outcome {
            distance: self.length,
            point_a: self.point_a,
            point_b: self.point_a + self.length * self.normal,
            normal: self.normal,
            lower: self.lower,
            upper: self.upper,
            ids,
            count,
            exit: Exit::Converged,
            closed: true,
            cost: self.cost(),
        }
    }
}
