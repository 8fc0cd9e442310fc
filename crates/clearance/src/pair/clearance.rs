//! The answer to "how far apart, or how deep?".

use crate::shape::Feature;
use glam::DVec3;

/// The signed distance between two shapes, with its witnesses and the interval that is proved to hold it.
///
/// Points and the normal are in world coordinates, and `point_b = point_a + distance * normal` to rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clearance {
    /// The gap, or minus the depth when the shapes overlap: always within `lower..=upper`.
    pub distance: f64,
    /// The point of A nearest to B (apart), or deepest inside B along the normal (overlapping).
    pub point_a: DVec3,
    /// The point of B nearest to A, or deepest inside A along the normal.
    pub point_b: DVec3,
    /// Unit vector from A to B: moving B along it widens the gap.
    pub normal: DVec3,
    /// The true signed distance is at least this.
    pub lower: f64,
    /// The true signed distance is at most this.
    pub upper: f64,
    /// What the witness points lie on: a vertex, edge or face of A and of B.
    pub features: [Feature; 2],
    /// Which parts of a compound the answer is about, zero for other shapes.
    pub parts: [u32; 2],
    /// How the answer was reached.
    pub status: Status,
    /// What it cost.
    pub cost: Cost,
}

impl Clearance {
    /// The same answer with the roles of A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            features: [self.features[1], self.features[0]],
            parts: [self.parts[1], self.parts[0]],
            ..self
        }
    }
}

/// How an answer was reached; its bracket holds in every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The bracket is closed: lower and upper differ by rounding only.
    Converged,
    /// The shapes overlap (or touch within rounding) and the bracket on the depth is open.
    Overlapping,
    /// The search stopped before the bracket closed, because rounding or the bound on iterations ended it.
    Stalled,
    /// A shape of the caller's own returned a support point that is not a number; the bracket is all numbers.
    BadSupport,
}

impl Status {
    /// The word for it in files: `converged`, `overlapping`, `stalled`, `bad_support`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Overlapping => "overlapping",
            Self::Stalled => "stalled",
            Self::BadSupport => "bad_support",
        }
    }
}

/// How much work an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cost {
    /// Rounds of the engine's main loop.
    pub iterations: u32,
    /// Support points computed, both shapes counted.
    pub support_calls: u32,
    /// Times an engine had to hand a stalled search to a more careful method.
    pub rescues: u32,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.support_calls += other.support_calls;
        self.rescues += other.rescues;
    }
}
