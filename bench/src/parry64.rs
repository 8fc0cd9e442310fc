//! The turn of `parry3d-f64`.

use parry3d_f64 as parry;

#[path = "parry.rs"]
mod runner;

pub use runner::pass;
