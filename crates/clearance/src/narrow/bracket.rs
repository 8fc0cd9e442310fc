//! Certified bounds of a signed distance, and the one meaning of *closed*.
//!
//! An engine computes two numbers: `least`, the height of a pair of support planes (no two points of the shapes are closer along
//! it), and `most`, the length of a difference of two points of the shapes. For shapes that overlap they are minus the depth along
//! a direction, which is an upper bound of the depth, and minus the radius of a ball inside of A - B, which is a lower one. In exact
//! arithmetic the distance is between them; each is computed to `rounding` ([`math::rounding`](crate::math::rounding)), so the
//! bracket is wider by that on either side.

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

    /// Is a bracket closed: do `least` and `most` differ by no more than their rounding explains, and by `goal`, which is zero
    /// but for the depth of curved shapes? Not if one of them is NaN.
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
