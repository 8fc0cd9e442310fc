//! The papers' engines by name, in the form that a [`Pair`](clearance::Pair) runs and certifies.
//!
//! ```
//! use clearance::{Pair, Pose, Shape};
//! use clearance_papers::engines;
//!
//! let rock = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
//! let mut pair = Pair::new(&rock, &rock);
//! for name in engines::NAMES {
//!     let mut engine = engines::named(name).expect("one of the names");
//!     let found = pair.distance_by(&mut *engine, Pose::IDENTITY, Pose::from_translation([3.0, 0.0, 0.0]));
//!     assert!(found.lower <= 2.0 && 2.0 <= found.upper && found.cost.fallbacks == 0);
//! }
//! # Ok::<(), clearance::BuildError>(())
//! ```

use crate::gjk::johnson;
use crate::separating_vector::gilbert;
use crate::vclip::lin_canny::{self, LastFeatures};
use clearance::internals::narrow::Outcome;
use clearance::internals::narrow::gjk::WarmSimplex;
use clearance::internals::narrow::separating_vector::Start;
use clearance::math::Frame;
use clearance::{NarrowPhase, ProposedGap, Shape};

/// The names of [`named`].
pub const NAMES: [&str; 3] = ["gjk_johnson", "lin_canny", "gilbert"];

/// The engine of a name, cold.
#[must_use]
pub fn named(name: &str) -> Option<Box<dyn NarrowPhase>> {
    match name {
        "gjk_johnson" => Some(Box::new(GjkJohnson::default())),
        "lin_canny" => Some(Box::new(LinCanny::default())),
        "gilbert" => Some(Box::new(Gilbert::default())),
        _ => None,
    }
}

/// An outcome of shapes that are apart, as a proposal.
fn proposal(found: &Outcome) -> Option<ProposedGap> {
    found.is_apart().then_some(ProposedGap { distance: found.distance, normal: found.normal })
}

/// GJK with Johnson's subalgorithm, for any two convex shapes.
#[derive(Debug, Clone, Copy, Default)]
pub struct GjkJohnson(WarmSimplex);

impl NarrowPhase for GjkJohnson {
    fn closest(&mut self, a: &Shape, b: &Shape, b_in_a: &Frame) -> Option<ProposedGap> {
        proposal(&johnson::distance(a.convex()?, b.convex()?, b_in_a, &mut self.0))
    }
}

/// Lin-Canny, for two polytopes.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinCanny(LastFeatures);

impl NarrowPhase for LinCanny {
    fn closest(&mut self, a: &Shape, b: &Shape, b_in_a: &Frame) -> Option<ProposedGap> {
        let (a, b) = (a.as_polytope()?, b.as_polytope()?);
        lin_canny::proved(a, b, b_in_a, &mut self.0).as_ref().and_then(proposal)
    }
}

/// The improved Gilbert algorithm, for two polytopes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gilbert(Start);

impl NarrowPhase for Gilbert {
    fn closest(&mut self, a: &Shape, b: &Shape, b_in_a: &Frame) -> Option<ProposedGap> {
        proposal(&gilbert::distance(a.as_polytope()?, b.as_polytope()?, b_in_a, &mut self.0))
    }
}
