//! Instruments for the tests and measurements of Clearance: models of the papers, coherent motion, pairs of polytopes with known hazards, and an
//! oracle for their distance.
//!
//! Everything is seeded: the same seed gives the same numbers in the same order.
//!
//! The [`oracle`] uses the library's vector types and poses and no other code of it, so that a mistake in a hull or an engine cannot hide in the
//! number that it is compared with.
//!
//! ```
//! use clearance_lab::{Rng, oracle, pairs};
//!
//! let case = pairs::structured(&mut Rng::with_seed(7), 0);
//! let truth = oracle::distance(&case.points_a, case.pose_a, &case.points_b, case.pose_b);
//! assert!(case.expect.admits(truth.distance()), "{}", case.what);
//! ```

pub mod boxes;
pub mod broad_phases;
pub mod brute_force;
pub mod contacts;
pub mod depth;
pub mod derived;
mod double;
pub mod errors;
pub mod fingerprint;
pub mod fuzz;
pub mod hostile;
pub mod judge;
pub mod meshes;
pub mod models;
pub mod motion;
pub mod oracle;
pub mod pairs;
pub mod random;
pub mod soak;
pub mod solids;
pub mod spec;
pub mod swarm;

pub use fastrand::Rng;
pub use spec::Spec;

/// The examples of the README are tests. Here, because a package cannot name a file outside of its folder.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;
