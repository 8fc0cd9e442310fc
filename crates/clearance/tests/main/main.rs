//! The library from outside, one module for each question; one executable, because linking takes longer than most of the tests.

mod contracts;
mod derived;
mod hull;
mod kinds;
mod matrix;
mod scales;
mod shapes;
