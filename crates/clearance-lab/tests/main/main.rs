//! The library against oracles, one module for each query; one executable, because linking takes longer than most of the tests.
//!
//! `allocation.rs` is an executable of its own: it counts the allocations of the whole process.

mod broad;
mod closed_forms;
mod contacts;
mod cuboid_depth;
mod cuboids;
mod decompose;
mod depth;
mod depth_evidence;
mod derived;
mod engines;
mod errors;
mod fingerprint;
mod hostile;
mod impacts;
mod late;
mod meshes;
mod near_symmetry;
mod smooth;
mod turns;
mod world;
