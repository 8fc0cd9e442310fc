//! The evidence as it is written.

use serde::{Deserialize, Serialize};

/// A node of the tree of cells.
///
/// A shape reaches the largest of its *branches* p·n + Σ |L n| along n. They are numbered. Vertices of a polytope, a ball or a capsule are
/// those of [`crate::Member::Vertex`] (of a capsule 0 is the lower end). Of a cylinder 0 is the lower end, 1 the upper; of a cone 0 is the
/// apex, 1 the base. An ellipsoid has one; images and rounded shapes have those of the shape inside. Any numbers, weights and lines give a
/// true bound; only good ones give a good bound.
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

impl Node {
    /// How many numbers it is written with.
    pub(crate) fn numbers(&self) -> u64 {
        match self {
            Self::Longitude(_) | Self::Latitude(_) => 1,
            Self::Plane { .. } => 2,
            Self::Strip { mixes, lines, .. } => {
                let terms: usize = mixes.iter().map(|mix| mix.a.len() + mix.b.len()).sum();
                (1 + 2 * (terms + lines.len())) as u64
            }
        }
    }
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
