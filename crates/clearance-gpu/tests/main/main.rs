//! Integration tests, one executable.

mod arms;
mod batches;
mod cases;
mod proofs;
