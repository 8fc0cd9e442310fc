//! The library from outside, one module for each query; one executable, because linking takes longer than most of the tests.

mod axes;
mod batch;
mod cast;
mod contracts;
mod derived;
mod hull;
// The contract of an answer, which all suites judge by. The lab depends on the library, so its file is borrowed.
#[path = "../../../clearance-lab/src/judge.rs"]
mod judge;
mod kinds;
mod manifolds;
mod mass;
mod matrix;
#[cfg(feature = "mint")]
mod mint;
mod scales;
#[cfg(feature = "serde")]
mod serialized;
mod shapes;
mod witness;
mod world;
mod world_events;
mod world_queries;
mod world_schedule;
