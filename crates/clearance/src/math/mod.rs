//! Positions and boxes: [`Pose`] for callers, [`Frame`] for engines, [`Aabb`] for bounds. Vectors are glam's.

mod aabb;
pub(crate) mod double_double;
#[doc(hidden)]
pub mod exact;
pub(crate) mod expansion;
mod frame;
#[cfg(feature = "mint")]
mod mint;
mod pose;
mod processor;
mod queue;
mod rotation_pair;
#[doc(hidden)]
pub mod rounding;
#[cfg(feature = "serde")]
mod serialized;
mod span;

pub use aabb::Aabb;
pub use frame::Frame;
pub use glam::{DMat3, DMat4, DQuat, DVec3};
pub use pose::Pose;
#[doc(hidden)]
pub use processor::multiversioned;
pub(crate) use processor::{Vectorized, vectorized};
pub(crate) use queue::{LeastFirst, QueueItem, Total};
pub(crate) use rotation_pair::{RotationPair, Vec3Pair};
pub(crate) use span::{Span, span_by_heights};
