//! Rigid bodies that move, collide and rest, on the proved times of impact of [`clearance`].
//!
//! A [`Scene`] has bodies with masses and materials; a [`Simulation`] advances it. In [event mode](Mode::Event) bodies fly freely from impact to impact, at the times that the kept
//! schedule of a [`World`](clearance::World) proves: no impact is missed at any speed, and no two bodies ever overlap. [Steps](Mode::Steps) with soft contacts are for piles and for all that rests. [Penalty mode](Mode::Penalty) has
//! springs along the penetration depth of solids.
//!
//! ```
//! use clearance_sim::{Settings, Simulation, scenes};
//!
//! let mut simulation = Simulation::new(&scenes::cradle(), Settings::default())?;
//! let before = simulation.energy();
//! simulation.advance(2.0)?;
//! assert!(simulation.events() > 0 && simulation.energy() <= before * (1.0 + 1e-9));
//! # Ok::<(), clearance_sim::Error>(())
//! ```

mod body;
mod complementarity;
mod contact;
mod error;
mod event;
mod fleet;
mod flight;
mod impact;
mod overlap;
mod penalty;
mod recording;
pub mod rigid_ipc;
mod scene;
pub mod scenes;
mod simulation;
mod start;
mod steps;

pub use body::{Body, Kind, Mass, Material};
pub use error::Error;
pub use penalty::CollisionTimes;
pub use recording::{Frame, Recording};
pub use scene::Scene;
pub use simulation::{ContactEvent, Mode, Settings, Simulation};

/// The example of the package's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
