//! V-Clip, with Lin-Canny: B. Mirtich, *V-Clip: Fast and Robust Polyhedral Collision Detection*, 1997.
//!
//! * [`lin_canny`]: the predecessor of V-Clip, with its tolerances and its faults.
//! * [`printed`]: algorithms 1 to 8 line by line, in plain doubles, counted.
//! * [`coherence`]: algorithm 9. The work of a call when one body swings about the other by a number of degrees.
//! * [`degeneracy`]: algorithm 10. Nearly parallel cubes at the pose where the closest features change.
//! * [`three_algorithms`], [`boundary_cases`]: both again with V-Clip, Lin-Canny and Enhanced GJK before any repair.
//! * [`penetration_witness`]: figure 8. The features that witness a penetration, and the cost of finding them.
//! * [`arrows`]: figure 2. Every arrow of the state diagram makes the distance smaller.

pub mod arrows;
pub mod boundary_cases;
pub mod coherence;
pub mod degeneracy;
pub mod lin_canny;
pub mod penetration_witness;
pub mod printed;
mod rows;
pub mod three_algorithms;

pub use rows::experiments;
