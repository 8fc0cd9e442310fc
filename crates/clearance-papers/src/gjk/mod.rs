//! GJK and SOLID: G. van den Bergen, *A Fast and Robust GJK Implementation for Collision Detection of Convex Objects*, 1999.
//!
//! * [`johnson`]: Johnson's subalgorithm, as printed.
//! * [`counted`]: GJK with Johnson's subalgorithm and Enhanced GJK, with their operations counted.
//! * [`operations`]: the floating-point operations of a call of the library's GJK.
//! * [`iterations`]: sections 4 and 5. Iterations, exits, and the subsets that Johnson's subalgorithm tests.
//! * `tolerances`, `frames`: sections 2, 4 and 5. Absolute and relative tolerances, δ and μ, the loops of figure 3; the cost of an iteration and of a frame.
//! * [`i_collide`]: appendix B. The cost of a narrow-phase query in the simulation of I-COLLIDE.

pub mod counted;
mod frames;
pub mod i_collide;
pub mod iterations;
pub mod johnson;
pub mod operations;
mod rows;
mod tolerances;

pub use rows::experiments;
