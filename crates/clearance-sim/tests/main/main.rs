//! The promises of the simulation: closed forms of mechanics, conservation, refusals.

mod bad_input;
mod conservation;
mod free_flight;
mod impacts;
mod penalty;
mod resting;
mod rigid_ipc;
mod scenes;
mod steps;
