//! The engines: one question each, about two convex shapes, in the frame of the first.

pub mod closed_form;
pub mod cuboids;
pub mod depth;
pub(crate) mod double;
pub mod gilbert;
pub mod gjk;
pub mod lin_canny;
mod minkowski;
pub mod newton;
pub(crate) mod scout;
pub mod separating_vector;
pub mod simplex;
pub mod tally;
pub mod vclip;

pub use minkowski::{Difference, Vertex};
pub(crate) use minkowski::{ROUNDING, SMALLEST_LENGTH};
