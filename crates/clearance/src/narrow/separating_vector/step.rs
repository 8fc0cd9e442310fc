//! The next vector of a search: the family (3.9) of the paper, and its two ends.
//!
//! All of them bring v closer to every axis that separates (lemmas 2, 5 and 7). The greedy one is right at once for two balls, and
//! the best on average; the conservative one is better for long thin shapes beside small ones.

use glam::DVec3;

/// How a vector that does not separate is replaced.
pub trait StepRule {
    /// The next v, of any length, from the last one and the unit vector r along its support point; `v·r` is negative.
    fn next(&self, v: DVec3, r: DVec3) -> DVec3;
}

/// The reflection (3.2): S' = S - 2 (r·S) r.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy;

/// The projection (3.5): S' = <(r × S) × r>, which is half way to the reflection and as high as r allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conservative;

/// The family (3.9): α of the greedy step and 1 - α of the conservative one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blend {
    /// From 0, which is [`Conservative`], to 1, which is [`Greedy`].
    pub alpha: f64,
}

impl StepRule for Greedy {
    #[inline]
    fn next(&self, v: DVec3, r: DVec3) -> DVec3 {
        // (3.2)
        v - 2.0 * r.dot(v) * r
    }
}

impl StepRule for Conservative {
    #[inline]
    fn next(&self, v: DVec3, r: DVec3) -> DVec3 {
        // (3.5): (r × v) × r = v - (r·v) r for a unit vector r. With v along -r there is nothing to project: any vector across r
        // is as good, and the greedy step, r itself, is the one that can separate.
        (v - r.dot(v) * r).try_normalize().unwrap_or(r)
    }
}

impl StepRule for Blend {
    #[inline]
    fn next(&self, v: DVec3, r: DVec3) -> DVec3 {
        // (3.9)
        self.alpha * Greedy.next(v, r) + (1.0 - self.alpha) * Conservative.next(v, r)
    }
}
