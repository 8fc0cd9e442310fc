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
//!
//! For those who compare there are also hill climbing ([`climb`]), the table of starts of paper \[QC\] ([`ThesisTable`]) and
//! the hierarchy of Dobkin and Kirkpatrick ([`Hierarchy`]), which alone has a cost of O(log n) on every kind of hull. The
//! second part of `cargo bench-support` measures them; points of an ellipsoid / corners of a prism, random directions, the
//! best of two runs on a busy machine:
//!
//! | vertices | 20 | 100 | 1000 | 10,000 | 100,000 |
//! |---|---|---|---|---|---|
//! | scan, ns | 15 | 64 | 624 | 6400 | 61,000 |
//! | table, ns | 7.8 / 7.8 | 8.0 / 8.3 | 8.6 / 19 | 11 / 71 | 62 / 750 |
//! | hierarchy, ns | 23 / 31 | 40 / 76 | 126 / 153 | 274 / 226 | 775 / 935 |
//! | thesis table, ns | 36 / 28 | 42 / 34 | 57 / 142 | 160 / 920 | 1500 / 17,000 |
//! | hierarchy, vertices looked at | 16 / 16 | 26 / 25 | 41 / 41 | 53 / 54 | 67 / 68 |
//! | table, bytes per vertex | 251 / 255 | 68 / 84 | 58 / 214 | 52 / 528 | 35 / 504 |
//! | hierarchy, bytes per vertex | 46 / 47 | 56 / 57 | 58 / 59 | 58 / 59 | 59 / 59 |
//!
//! The rim of a prism gathers many vertices in few cells, so there the table grows with the number of corners, and from
//! 50,000 to 100,000 of them on the hierarchy is level with it or faster. The engines use the table all the same: another
//! kind of map would be a branch in every call of every search.

mod climb;
mod hierarchy;
mod lat_long;
mod scan;
mod table;
#[cfg(test)]
mod tests;

pub use climb::climb;
pub use hierarchy::{COARSEST, CROWD, Found, Hierarchy, MAX_DEGREE};
pub use lat_long::ThesisTable;
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
    #[inline(always)]
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

    /// The same, in single precision if that is faster; and how far off it is, in parts of the reach.
    #[inline(always)]
    pub(crate) fn loose_span(&self, vertices: &[DVec3], rows: &DMat3, reach: f64) -> (Span, f64) {
        match self {
            Self::Scan(scan) if scan::ROUGH_REACH.contains(&reach) => (scan.rough_span(rows), scan::ROUGH),
            _ => (self.span(vertices, rows), 0.0),
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
