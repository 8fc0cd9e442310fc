//! The result of an engine about two convex shapes, in the frame of the first.

use super::Bracket;
use crate::math::rounding::OF_RADII;
use crate::shape::NO_VERTEX;
use glam::DVec3;

/// Why a search ended. The first four are the stops of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// |v| - μ is within rounding.
    Converged,
    /// |v| itself is within rounding of zero: the shapes touch or overlap.
    NearZero,
    /// The support point is one the search has just had.
    RepeatedSupport,
    /// The subalgorithm found no subset.
    NoSubset,
    /// The subalgorithm could not shorten v any more.
    NoProgress,
    /// The origin is inside the tetrahedron: the shapes overlap.
    Enclosed,
    /// The shapes are proved to be farther apart than asked for.
    Beyond,
    /// The bound on iterations was reached.
    IterationLimit,
    /// A support point was not a number.
    BadSupport,
}

/// The answer in the frame of A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Signed distance, within `lower..=upper`.
    pub distance: f64,
    /// Witness on A.
    pub point_a: DVec3,
    /// Witness on B: `point_a + distance * normal`.
    pub point_b: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// Proved lower bound of the signed distance.
    pub lower: f64,
    /// Proved upper bound of the signed distance.
    pub upper: f64,
    /// Vertex numbers in A and B of the final simplex.
    pub ids: [[u32; 2]; 4],
    /// How many of them are in use: none if there is no simplex.
    pub count: u8,
    /// Why the search ended.
    pub exit: Exit,
    /// Is the bracket closed to rounding?
    pub closed: bool,
    /// Work of the search.
    pub cost: Cost,
}

impl Outcome {
    /// Are the shapes proved to be apart? See [`Clearance::is_apart`](crate::Clearance::is_apart).
    #[inline(always)]
    #[must_use]
    pub fn is_apart(&self) -> bool {
        Bracket::is_apart(self.lower)
    }
}

/// Two cores that are apart: what an engine has found out, before radii and rounding are taken into account.
pub struct Apart {
    /// Witness on the core of A.
    pub core_a: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// The distance of the cores, as well as it is known.
    pub length: f64,
    /// The best height of a support plane, and the length of the best point of A - B.
    pub bounds: [f64; 2],
}

impl Apart {
    /// The answer for the shapes; `rounding` is that of the cores.
    #[inline(always)]
    pub fn outcome(&self, radii: [f64; 2], rounding: f64, exit: Exit, cost: Cost) -> Outcome {
        let radius = radii[0] + radii[1];
        let rounding = rounding + OF_RADII * radius;
        // I1 and I2.
        let bounds = self.bounds.map(|bound| bound - radius);
        let bracket = Bracket::around(bounds, rounding);
        let distance = bracket.nearest(self.length - radius);
        let point_a = self.core_a + radii[0] * self.normal;
        Outcome {
            distance,
            point_a,
            point_b: point_a + distance * self.normal,
            normal: self.normal,
            lower: bracket.lower,
            upper: bracket.upper,
            ids: [[NO_VERTEX; 2]; 4],
            count: 0,
            exit,
            closed: Bracket::is_closed(bounds, rounding, 0.0),
            cost,
        }
    }
}

/// The work of an answer, in counted steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// Rounds of the engine's main loop.
    pub iterations: u32,
    /// Support points computed, both shapes counted.
    pub support_calls: u32,
    /// Times an engine had to hand a stalled search to a more careful method.
    pub fallbacks: u32,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.support_calls += other.support_calls;
        self.fallbacks += other.fallbacks;
    }
}
