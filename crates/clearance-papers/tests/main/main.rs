//! The claims of the papers, the page about them, and the engines that are here for comparison.

mod experiments;
mod hashes;
mod page;
mod separating_vector;
mod tracking;
mod verdicts;
