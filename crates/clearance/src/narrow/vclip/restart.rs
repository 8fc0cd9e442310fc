//! When motion is fast, the closest features are so far from those that were closest that it is shorter to start anew.
//!
//! The other start is a pair of vertices that face each other along the line of centres. It costs a support point of each
//! polytope, about as much as [`SUPPORT_COST`], and is near the end for shapes that are round. Which start is the better one
//! is not known beforehand, so a cache keeps how many steps each took when it was tried, and slowly forgets.
//!
//! The constants are tuned and touch no answer. The row of `cargo bench-pairs` that reacts is the sphere at 25 degrees: 40 % slower with a
//! [`SUPPORT_COST`] of 8 steps or a [`PRIOR_COST`] of 12. With a [`SUPPORT_COST`] of 0 it gains a tenth and the disk at 5 degrees loses 5
//! %.

use super::{ClosestFeatures, first_guess};
use crate::math::Frame;
use crate::shape::Polytope;
use crate::tuning::convex::LONGEST_MARCH;
use crate::tuning::convex::PRIOR_COST;
use crate::tuning::convex::SUPPORT_COST;

/// One step, in the unit of the averages. Layout: a byte, of which a quarter of a step is forgotten at a time.
const STEP: u8 = 4;

/// How long the marches from the two starts were, on an average that favours the last ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StartCosts {
    from_features: u8,
    from_centers: u8,
}

impl Default for StartCosts {
    fn default() -> Self {
        Self { from_features: 0, from_centers: PRIOR_COST }
    }
}

impl ClosestFeatures {
    /// Makes the better start of the two, when the features that were closest are not any more; was it the line of centres?
    #[inline]
    pub(crate) fn restart(&mut self, a: &Polytope, b: &Polytope, b_in_a: &Frame) -> bool {
        let StartCosts { from_features, from_centers } = self.starts;
        let restarts = from_features > from_centers.saturating_add(SUPPORT_COST);
        if restarts {
            *self = Self { starts: self.starts, ..first_guess(a, b, b_in_a, &mut ()) };
        }
        restarts
    }

    /// Learns how long a march was.
    #[inline]
    pub(crate) fn learn(&mut self, has_restarted: bool, steps: u32) {
        let length = u8::try_from(steps).unwrap_or(u8::MAX).saturating_mul(STEP).min(LONGEST_MARCH);
        let StartCosts { from_features, from_centers } = &mut self.starts;
        let (tried, other, prior) =
            if has_restarted { (from_centers, from_features, 0) } else { (from_features, from_centers, PRIOR_COST) };
        // No larger than `LONGEST_MARCH`, so this fits.
        *tried = *tried - *tried / 4 + length / 4;
        // Towards what it was before anything was known: motion may have become slow, or a long march was bad luck.
        *other = if *other > prior { *other - 1 } else { prior };
    }
}
