//! Tuning constants of the library: numbers that change the work of a search or the width of a bracket, never the truth of an answer.
//!
//! Each constant has a unit and names the bench row that moved it. Numbers that a proof rests on are in [`math::rounding`](crate::math::rounding), or
//! beside the formula that they bound. `cargo xtask numbers` checks both.

/// Bounding volume hierarchies: build and traversal.
pub(crate) mod tree {}

/// Mesh queries and the front that a pair keeps.
pub(crate) mod meshes {}

/// Compounds.
pub(crate) mod compounds {}

/// Times of impact, shape casts and closest approaches.
pub(crate) mod motion {}

/// Penetration depth of solids.
pub(crate) mod depth {}

/// Convex decomposition.
pub(crate) mod decompose {}

/// Rays.
pub(crate) mod cast {}

/// Evidence.
pub(crate) mod proof {}

/// Engines of convex pairs.
pub(crate) mod convex {}

/// Polytopes and their support tables.
pub(crate) mod shape {}

/// Broad phases.
pub(crate) mod broad {}

/// Worlds and their schedules.
pub(crate) mod world {}
