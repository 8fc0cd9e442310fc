//! The experiments of the V-Clip paper, run on our engines.
//!
//! `cargo run --release -p clearance-lab --bin experiments` prints their tables; `--quick` is a short form of it.
//!
//! * [`coherence`]: algorithm 9. How much work is a call when one body swings about the other, by how many degrees?
//! * [`degeneracy`]: algorithm 10. What happens at the very pose where the closest features change, for nearly parallel
//!   cubes?

pub mod coherence;
pub mod degeneracy;
