//! The claims of the papers, the page about them, and the engines that are here for comparison.

mod experiments;
mod glyphs;
mod hashes;
mod linear_program;
mod page;
mod separating_vector;
mod tracking;
mod verdicts;
