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
pub(crate) mod depth {
    /// Narrowest bracket that the search aims at; rounding of planes and vertices leaves about this much. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const RELATIVE_GOAL: f64 = 4e-12;
    /// Violation of a half-space that a nearest point may have. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const TOLERANCE: f64 = 2e-14;
    /// Depth from which a point counts as inside a sum; above [`TOLERANCE`], or a node would be divided by the same facets again. Unit: size of the pair. Bench:
    /// `cargo bench-depth`.
    pub const INSIDE: f64 = 1e-13;
    /// Gaps that a free translation is given, in this order, until the oracle confirms it. Planes are moved in by about 1.3e-13, and a distance query resolves a gap
    /// of 6e-14. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const PUSH_OFF_GAPS: [f64; 3] = [3e-13, 1.2e-12, 1e-11];
    /// Longest displacement that gives a free translation such a gap. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const PUSH_OFF_RADIUS: f64 = 1e-9;
    /// Limits the places that the search for this displacement visits. Unit: places. Bench: `cargo bench-depth`.
    pub const PUSH_OFF_PLACES: usize = 200;
    /// Lengths added to a translation until it is proved free. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const NUDGES: [f64; 5] = [0.0, 2e-13, 1e-12, 1e-11, 1e-10];
    /// Limits the bisection of a ray between a place that is not free and one that is. Unit: distance queries. Bench: `cargo bench-depth`.
    pub const BISECTIONS: usize = 40;
    /// Width at which this bisection stops. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const BISECTION_WIDTH: f64 = 1e-12;
    /// Limits the conservative advancement of A along a straight escape. Unit: distance queries. Bench: tests `depth::tests` of cavities.
    pub const ESCAPE_STEPS: usize = 100;
    /// Stuck places from which a ray is bisected. Unit: places. Bench: `cargo bench-depth`.
    pub const STUCK_PLACES: usize = 8;
    /// Facet tests that the search by facets alone may spend before boxes, divided by the expected facets of a sum. Unit: facets. Bench: `cargo bench-depth`.
    pub const FACET_TESTS: f64 = 40_000.0;
    /// Least and most nodes of the search by facets alone; bars of grates need some hundred. Unit: nodes. Bench: `cargo bench-depth`.
    pub const FACET_NODES: [f64; 2] = [150.0, 1000.0];
    /// Sums that compete to divide a node; the one with the fewest children wins. Unit: sums. Bench: `cargo bench-depth`.
    pub const COMPETING_SUMS: usize = 2;
    /// Sums, by the margin of their boxes, among which a search for a sum around a point stops once it has one. Unit: sums. Bench: `cargo bench-depth`.
    pub const FIRST_SUMS: usize = 8;
    /// Nodes between two dives for an upper bound. Unit: nodes. Bench: `cargo bench-depth`.
    pub const DIVE_PERIOD: usize = 12;
    /// Limits the length of a dive. Unit: facets. Bench: `cargo bench-depth`.
    pub const DIVE_LENGTH: usize = 48;
    /// Open nodes above which the search by facets over all of space gives up for boxes. Unit: nodes. Bench: `cargo bench-depth`.
    pub const MAX_OPEN_NODES: usize = 400;
    /// Limits the rounds of the dual ascent. Unit: exchanges. Bench: `cargo bench-depth`.
    pub const ASCENT_ROUNDS: usize = 64;
    /// Facets of the sums that meet a box, up to which the box is searched by facets whatever its size. Doubled after a search that ended soon, halved
    /// after one that did not. Unit: facets. Bench: `cargo bench-depth`.
    pub const FEW_FACETS: f64 = 30_000.0;
    /// Limits the search by facets in a large box. Unit: nodes. Bench: `cargo bench-depth`.
    pub const LARGE_BOX_NODES: usize = 12;
    /// Limits the search by facets in a medium box. Unit: nodes. Bench: `cargo bench-depth`.
    pub const MEDIUM_BOX_NODES: usize = 64;
    /// Half-width below which a box is medium. Unit: upper bound of the depth. Bench: `cargo bench-depth`.
    pub const MEDIUM_BOX: f64 = 0.12;
    /// Half-width below which a box is small, and searched to the end: where many sums meet in a corner, halving does not end. Unit: upper bound of the
    /// depth. Bench: `cargo bench-depth`.
    pub const SMALL_BOX: f64 = 0.004;
    /// Sums around a box whose facets may prove its bound. Unit: sums. Bench: `cargo bench-depth`.
    pub const SUMS_AROUND_BOX: usize = 8;
    /// Limits the boxes around cavities that one search tries. Unit: boxes. Bench: tests `depth::tests` of cavities.
    pub const MAX_VOIDS: usize = 6;
    /// Limits the growth of such a box. Unit: rounds over its six sides. Bench: tests `depth::tests` of cavities.
    pub const VOID_GROWTHS: usize = 60;
    /// Limits the search for a gap in one side. Unit: nodes. Bench: tests `depth::tests` of cavities.
    pub const VOID_SIDE_NODES: usize = 120;
    /// Reflections of the vector that separates a point from a sum before its facets are built. Unit: support pairs. Bench: `cargo bench-depth`.
    pub const REFLECTIONS: usize = 8;
    /// Grid steps from the middle to the border of a cube face, whose points are the directions of an inscribed polytope. Unit: steps. Bench: `cargo bench-depth`.
    pub const INSCRIBED_STEPS: i32 = 4;
}

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
