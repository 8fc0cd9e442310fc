//! Certified bounds of a signed distance, and the one meaning of *apart* and of *closed*.
//!
//! An engine computes two numbers. `least` is the height of a pair of support planes: no two points of the shapes are closer along its
//! normal. `most` is the length of a difference of two points of the shapes. For shapes that overlap, `least` is minus the depth along a
//! direction, and `most` is minus the radius of a ball inside A - B. In exact arithmetic the distance is between them. Each is computed to
//! `rounding` ([`math::rounding`](crate::math::rounding)), so the bracket is wider by that on either side.
//!
//! Two shapes are *apart* if the lower bound is positive ([`Bracket::is_apart`]). A bracket is *closed* if its ends differ by no more than twice their rounding and a goal ([`Bracket::is_closed`]). [`goals`] lists all
//! goals: zero for distances, a part of the size or of the distance for searches that converge slowly.

/// Certified bounds: the true signed distance is in `lower..=upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// The true signed distance is at least this.
    pub lower: f64,
    /// The true signed distance is at most this.
    pub upper: f64,
}

impl Bracket {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// The bracket of two numbers, each computed to `rounding`.
    #[inline(always)]
    pub(crate) fn around([least, most]: [f64; 2], rounding: f64) -> Self {
        Self { lower: least - rounding, upper: most + rounding }
    }

    /// Whether a lower bound proves a gap. Touching is not apart, and neither is NaN.
    #[inline(always)]
    pub(crate) fn is_apart(lower: f64) -> bool {
        lower > 0.0
    }

    /// Whether the bounds `least` and `most` differ by no more than their rounding and `goal`, an absolute length.
    ///
    /// `rounding` bounds the error of either end. A bracket that is already widened by `n` roundings on either side passes
    /// `n + 1` roundings. `goal` is a constant of [`goals`] times the length that the constant names, or 0. A NaN is not closed.
    #[inline(always)]
    pub(crate) fn is_closed([least, most]: [f64; 2], rounding: f64, goal: f64) -> bool {
        most - least <= goal + 2.0 * rounding
    }

    /// The number of the bracket that is nearest to `distance`.
    #[inline(always)]
    pub(crate) fn nearest(self, distance: f64) -> f64 {
        distance.clamp(self.lower, self.upper.max(self.lower))
    }
}

/// Widths of closed brackets, as parts of a length. Zero is the goal of every query that this list leaves out.
pub(crate) mod goals {
    /// Depth of curved convex shapes, as a part of the scale of the pair. Limit: `Status::Converged` promises 1e-11 of the size.
    pub const CURVED_DEPTH: f64 = 1e-12;

    /// Depth of two unions of convex parts, as a part of the sum of the bounding radii. Limit: twice the width that
    /// `Status::Converged` promises, since two pairs of parts may bound the two ends.
    pub const UNION_DEPTH: f64 = 2e-11;

    /// Search for the depth of two solids, as a part of the size that the search scales to 1. Bound: rounding of planes and vertices leaves about
    /// this much (`depth::search`), so that a narrower goal would keep the search running without end.
    pub const SOLID_SEARCH: f64 = 4e-12;

    /// Depth of two solids, as a part of the sum of the bounding radii. Limit: `Status::Converged` of `signed_distance`. It is 25 times
    /// [`SOLID_SEARCH`], whose size is larger by the offset of the bodies.
    pub const SOLID_DEPTH: f64 = 1e-10;

    /// Clearance at poses of a motion, which are rounded, as a part of the size. Limit: the width that `Status::Converged` promises.
    pub const MOVING: f64 = 1e-11;

    /// Distance of a closest approach, as a part of that distance. Limit: a search that slices time converges to
    /// this with a few dozen slices; the bracket says how far it came.
    pub const APPROACH: f64 = 1e-6;
}
