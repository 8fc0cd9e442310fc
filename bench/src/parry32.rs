//! The turn of `parry3d`, in single precision.

use parry3d as parry;

#[path = "parry.rs"]
mod runner;

pub use runner::pass;
