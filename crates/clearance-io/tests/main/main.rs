//! Files and evidence, one module for each query; one executable, because linking takes longer than most of the tests.

mod casts;
mod common;
mod damaged;
mod derived;
mod formats;
mod hostile;
mod impact;
mod meshes;
mod moving_parts;
mod proof;
mod solids;
mod start;
mod tampered;
