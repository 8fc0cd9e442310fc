//! Non-convex bodies as convex pieces.
mod boxes;
mod cell;
mod context;
mod cover;
mod grow;
mod number;
mod proof;
mod solid;
mod space;

pub use proof::{Doubt, MAX_CELLS, Proof, prove_inner, prove_outer};
pub use solid::{Budget, Decomposition, decompose};
