//! Shapes.

mod feature;
pub mod polytope;

pub use feature::Feature;
pub use polytope::Polytope;
