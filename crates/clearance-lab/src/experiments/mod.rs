//! The experiments of the papers, run on our engines and broad phases.
//!
//! `cargo run --release -p clearance-lab --bin experiments` prints their tables; `--quick` is a short form of it.
//!
//! * [`coherence`]: algorithm 9. How much work is a call when one body swings about the other, by how many degrees?
//! * [`degeneracy`]: algorithm 10. What happens at the very pose where the closest features change, for nearly parallel
//!   cubes?
//! * [`hashing`]: table 1 and figure 6 of the two-phase paper. What does coherence save in hashing, and what do crowded
//!   coordinates cost in sorting?
//! * [`simulation`]: the multi-body simulation of I-COLLIDE and Q-COLLIDE. What does a frame of a whole world cost, with which broad
//!   phase and which engine?

pub mod coherence;
pub mod degeneracy;
pub mod hashing;
pub mod simulation;
