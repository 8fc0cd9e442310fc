//! Scenes of `clearance-sim` in its fixed steps, in its event mode, in rapier, and in rapier with the contacts of `clearance-parry`: one interface to advance and to measure them.
//!
//! Everything needs the feature `rapier`.
#![cfg(feature = "rapier")]

mod engine;
pub mod scenes;
mod watch;

pub use engine::{Engine, EngineKind};
pub use watch::{Record, Watch};
