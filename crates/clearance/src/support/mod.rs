//! Farthest vertices of polytopes, fast: a scan of all vertices for small ones, a table by direction for large ones.
//!
//! The thresholds were measured with `cargo bench-support`, which anyone can run again.

mod climb;
mod scan;
mod table;

pub use climb::climb;
pub use scan::{MAX_SCAN, Scan};
pub use table::{DirectionTable, MAX_RESOLUTION};

use glam::{DVec3, Vec3A};

/// Up to this many vertices a scan is faster than a table.
pub const SCAN_UP_TO: usize = 32;

/// How a polytope finds its farthest vertices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SupportMap {
    Scan(Scan),
    Table(DirectionTable),
}

impl SupportMap {
    pub(crate) fn new(vertices: &[DVec3]) -> Self {
        if vertices.len() <= SCAN_UP_TO {
            return Self::Scan(Scan::new(vertices));
        }
        Self::Table(DirectionTable::new(vertices, resolution(vertices.len())))
    }

    /// The number of a vertex that is farthest along `direction`.
    #[inline]
    pub(crate) fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> u32 {
        match self {
            Self::Scan(scan) => scan.farthest(direction),
            Self::Table(table) => table.farthest(vertices, direction),
        }
    }

    /// A vertex that is farthest in half precision, with its rounded coordinates.
    #[inline(always)]
    pub(crate) fn roughly_farthest(&self, direction: Vec3A) -> (Vec3A, u32) {
        match self {
            Self::Scan(scan) => scan.roughly_farthest(direction),
            Self::Table(table) => table.roughly_farthest(direction),
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
pub(crate) fn spread(vertices: &[DVec3], center: DVec3) -> glam::Mat3A {
    let mut sum = glam::DMat3::ZERO;
    for &vertex in vertices {
        let arm = vertex - center;
        sum += glam::DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }
    let mean = sum * (3.0 / vertices.len() as f64);
    let column = |v: DVec3| v.as_vec3a();
    glam::Mat3A::from_cols(column(mean.x_axis), column(mean.y_axis), column(mean.z_axis))
}
