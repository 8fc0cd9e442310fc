//! The experiments of the papers, run on our engines.
//!
//! `cargo run --release -p clearance-lab --bin experiments` prints their tables; `--quick` is a short form of it.
//!
//! * [`coherence`]: algorithm 9. How much work is a call when one body swings about the other, by how many degrees?
//! * [`degeneracy`]: algorithm 10. What happens at the very pose where the closest features change, for nearly parallel
//!   cubes?
//!
//! And those of Q-COLLIDE, on a [`scene`] of many bodies that is recorded once and asked about by every algorithm:
//!
//! * [`vector_steps`]: figures 6.3 to 6.5. How many vectors does a separating-vector search ask about?
//! * [`multi_body`]: figures 6.6 to 6.11. What does a question cost, as speed, rotation and density grow?

pub mod coherence;
pub mod degeneracy;
pub mod multi_body;
pub mod scene;
pub mod vector_steps;
