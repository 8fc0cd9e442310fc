//! Collision detection and proximity queries whose answers carry a provable bracket.

pub mod error;
pub mod math;

pub use error::BuildError;
