//! How a polytope finds its farthest vertices: a scan of all of them when they are few, a table by direction when they are many.
//!
//! `separating_vector/support` of `clearance-papers` has the measurements behind this, and other methods.

mod scan;
mod table;

pub use scan::{MAX_SCAN, Scan};
pub use table::{DirectionTable, MAX_RESOLUTION};

use crate::math::{Span, span_by_heights};
use crate::tuning::shape::SCAN_VERTICES;
use glam::{DMat3, DVec3, Mat3A, Vec3A};

/// How a polytope finds its farthest vertices.
#[derive(Debug, Clone, PartialEq)]
pub enum SupportMap {
    Scan(Scan),
    Table(DirectionTable, Mat3A),
}

impl SupportMap {
    pub fn new(vertices: &[DVec3]) -> Self {
        if vertices.len() <= SCAN_VERTICES {
            return Self::Scan(Scan::new(vertices));
        }
        Self::Table(DirectionTable::new(vertices, resolution(vertices.len())), spread(vertices))
    }

    /// The number of a vertex that is farthest along `direction`.
    #[inline(always)]
    pub fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> u32 {
        match self {
            Self::Scan(scan) => scan.farthest(direction),
            Self::Table(table, _) => table.farthest(vertices, direction),
        }
    }

    /// How far the vertices reach along `direction`, times its length.
    #[inline]
    pub fn height(&self, vertices: &[DVec3], direction: DVec3) -> f64 {
        match self {
            Self::Scan(scan) => scan.height(direction),
            Self::Table(table, _) => table.height(vertices, direction),
        }
    }

    /// How far the vertices reach along the rows of a matrix, and against them.
    #[inline]
    pub fn span(&self, vertices: &[DVec3], rows: &DMat3) -> Span {
        match self {
            Self::Scan(scan) => scan.span(rows),
            Self::Table(table, _) => span_by_heights(rows, |direction| table.height(vertices, direction)),
        }
    }

    /// [`Self::span`] in single precision if that is faster; and how far off it is, in parts of the bounding radius.
    #[inline(always)]
    pub fn loose_span(&self, vertices: &[DVec3], rows: &DMat3, bounding_radius: f64) -> (Span, f64) {
        match self {
            Self::Scan(scan) if scan::ROUGH_REACH.contains(&bounding_radius) => (scan.span_f32(rows), scan::ROUGH),
            _ => (self.span(vertices, rows), 0.0),
        }
    }

    /// See [`Convex::spread`](crate::Convex::spread). Not for few vertices: there it takes longer than the rounds it saves.
    #[inline]
    pub fn spread(&self) -> Option<&Mat3A> {
        match self {
            Self::Scan(_) => None,
            Self::Table(_, spread) => Some(spread),
        }
    }

    /// A vertex that is farthest in single precision, with its rounded coordinates.
    #[inline(always)]
    pub fn farthest_f32(&self, direction: Vec3A) -> (Vec3A, u32) {
        match self {
            Self::Scan(scan) => scan.farthest_f32(direction),
            Self::Table(table, _) => table.farthest_f32(direction),
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
pub fn spread(vertices: &[DVec3]) -> Mat3A {
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
