//! The engines: one question each, about two convex shapes, in the frame of the first.

// Comparisons are negated where a NaN must take the safe branch, and say so.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod gjk;
mod minkowski;
pub(crate) mod scout;
pub mod simplex;

pub use minkowski::{Difference, Vertex};
