//! Collision detection and proximity queries whose answers carry a provable bracket.

pub mod error;
pub mod hull;
pub mod math;
pub mod shape;

pub use error::BuildError;
