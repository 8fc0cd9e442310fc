//! Farthest vertices of polytopes, fast.

mod scan;

pub use scan::Scan;
