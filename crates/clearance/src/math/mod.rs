//! Positions and boxes: [`Pose`] for callers, [`Frame`] for engines, [`Aabb`] for bounds. Vectors are glam's.

mod aabb;
pub(crate) mod double;
pub(crate) mod exact;
pub(crate) mod expansion;
mod frame;
mod pose;
mod processor;
pub(crate) mod rounding;
mod span;
mod turns;

pub use aabb::Aabb;
pub use frame::Frame;
pub use glam::{DMat3, DQuat, DVec3};
pub use pose::Pose;
pub(crate) use processor::tuned;
pub(crate) use span::{Span, span_by_heights};
pub(crate) use turns::{Both, Turns};
