//! Farthest vertices of polytopes, fast: a scan of all vertices for small ones, a table by direction for large ones.
//!
//! The thresholds were measured with `cargo bench-support`, which anyone can run again; nanoseconds per call for random
//! directions, in double and in single precision, on a shared machine whose clock moves a figure by a third:
//!
//! | vertices | 8 | 16 | 32 | 64 | 500 | 5000 |
//! |---|---|---|---|---|---|---|
//! | scan | 5.0 / 3.1 | 8.2 / 7.2 | 20 / 12 | 56 | 307 | 3313 |
//! | table | 7.4 / 8.5 | 10 / 14 | 11 / 13 | 13 / 13 | 8.6 / 10 | 17 / 17 |
//! | hill climbing from a fixed start | 21 | 35 | 52 | 67 | 145 | 602 |
//! | hill climbing, direction turned by one degree | 5.6 | 12 | 12 | 7.4 | 8.7 | 15 |
//!
//! A search makes most of its calls in single precision, where a scan of 32 is level with a table that has to be fetched
//! from memory first.

mod climb;
mod scan;
mod table;
#[cfg(test)]
mod tests;

pub use climb::climb;
pub use scan::{MAX_SCAN, Scan};
pub use table::{DirectionTable, MAX_RESOLUTION};

use crate::shape::{Span, span_by_heights};
use glam::{DMat3, DVec3, Mat3A, Vec3A};

/// Up to this many vertices a scan is faster than a table.
pub const SCAN_UP_TO: usize = 32;

/// How a polytope finds its farthest vertices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SupportMap {
    Scan(Scan),
    Table(DirectionTable, Mat3A),
}

impl SupportMap {
    pub(crate) fn new(vertices: &[DVec3]) -> Self {
        if vertices.len() <= SCAN_UP_TO {
            return Self::Scan(Scan::new(vertices));
        }
        Self::Table(DirectionTable::new(vertices, resolution(vertices.len())), spread(vertices))
    }

    /// The number of a vertex that is farthest along `direction`.
    #[inline]
    pub(crate) fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> u32 {
        match self {
            Self::Scan(scan) => scan.farthest(direction),
            Self::Table(table, _) => table.farthest(vertices, direction),
        }
    }

    /// How far the vertices reach along `direction`, times its length.
    #[inline]
    pub(crate) fn height(&self, vertices: &[DVec3], direction: DVec3) -> f64 {
        match self {
            Self::Scan(scan) => scan.height(direction),
            Self::Table(table, _) => table.height(vertices, direction),
        }
    }

    /// How far the vertices reach along the rows of a matrix, and against them.
    #[inline]
    pub(crate) fn span(&self, vertices: &[DVec3], rows: &DMat3) -> Span {
        match self {
            Self::Scan(scan) => scan.span(rows),
            Self::Table(table, _) => span_by_heights(rows, |direction| table.height(vertices, direction)),
        }
    }

    /// See [`Convex::spread`](crate::Convex::spread). Not for few vertices: there it takes longer than the rounds it saves.
    #[inline]
    pub(crate) fn spread(&self) -> Option<&Mat3A> {
        match self {
            Self::Scan(_) => None,
            Self::Table(_, spread) => Some(spread),
        }
    }

    /// A vertex that is farthest in single precision, with its rounded coordinates.
    #[inline(always)]
    pub(crate) fn roughly_farthest(&self, direction: Vec3A) -> (Vec3A, u32) {
        match self {
            Self::Scan(scan) => scan.roughly_farthest(direction),
            Self::Table(table, _) => table.roughly_farthest(direction),
        }
    }
}

/// Cells from the middle to the rim: about four cells to a vertex, so that few of them list more than fits.
#[must_use]
pub fn resolution(vertex_count: usize) -> u32 {
    let side = (2.0 * vertex_count as f64).sqrt();
    (0.5 * side).ceil().clamp(8.0, f64::from(MAX_RESOLUTION)) as u32
}

/// The ellipsoid that has the second moments of the vertices, as a matrix.
fn spread(vertices: &[DVec3]) -> Mat3A {
    let count = vertices.len().max(1) as f64;
    let center = vertices.iter().sum::<DVec3>() / count;
    let mut sum = DMat3::ZERO;
    for &vertex in vertices {
        let arm = vertex - center;
        sum += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }
    // Points all over a sphere of radius one have a mean square of a third along every axis.
    let [x, y, z] = (sum * (3.0 / count)).to_cols_array_2d().map(|column| DVec3::from_array(column).as_vec3a());
    Mat3A::from_cols(x, y, z)
}
