//! The checker from outside; one executable.

mod bounds;
mod claims;
mod depth;
