//! Collision detection and proximity queries whose answers carry a provable bracket.

pub mod error;
pub mod hull;
pub mod math;
pub mod narrow;
pub mod pair;
pub mod shape;
pub mod support;

pub use error::BuildError;
pub use math::Pose;
pub use pair::{Clearance, Cost, Engine, Pair, Status, distance, intersects, within};
pub use shape::{Convex, Feature, Shape};
