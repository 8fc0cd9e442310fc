//! The evidence as it is written.

use serde::{Deserialize, Serialize};

/// A node of the tree of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Node {
    /// The cell is split at this longitude, which is inside it.
    Longitude(f64),
    /// The cell is split at this latitude, which is inside it.
    Latitude(f64),
    /// A leaf that is bounded by a plane: by the branches of both shapes of these numbers, and by the tangent planes of
    /// their norms for the direction in the middle of the cell.
    Plane {
        /// The branch of A.
        a: u32,
        /// The branch of B.
        b: u32,
    },
    /// A leaf that is bounded by expansions about a circle of latitude. With τ the longitude less that of the middle and
    /// b the sine of the latitude less `at`, mix i is used for all (τ, b) above line i - 1 and below line i.
    Strip {
        /// The latitude of the circle, inside the cell and no more than a quarter away from its ends.
        at: f64,
        /// One more than the lines.
        mixes: Vec<Mix>,
        /// At most 8 lines b = m τ + c, as [m, c].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lines: Vec<[f64; 2]>,
    },
}

/// Means of the branches of both shapes: the numbers of at most 64 branches each with weights, which are not negative and
/// are divided by their sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Branches of A.
    pub a: Vec<(u32, f64)>,
    /// Branches of B.
    pub b: Vec<(u32, f64)>,
}
