//! The program and the suite, one module for each query; one executable, because linking takes longer than most of the tests.

mod bad_input;
mod bound;
mod check;
mod common;
mod conformance;
mod depth;
mod evidence;
mod findings;
mod forged;
mod guide;
mod motion;
mod outcomes;
mod outputs;
mod pieces;
mod query;
mod report;
mod robot;
mod rules;
mod simulate;
mod suite;
mod truths;
mod verify;
