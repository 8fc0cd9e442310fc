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
    Table(DirectionTable, Vec<Vec3A>),
}

impl SupportMap {
    pub(crate) fn new(vertices: &[DVec3], reach: f64) -> Self {
        if vertices.len() <= SCAN_UP_TO {
            return Self::Scan(Scan::new(vertices));
        }
        let rough = vertices.iter().map(|v| v.as_vec3a()).collect();
        Self::Table(DirectionTable::new(vertices, reach, resolution(vertices.len())), rough)
    }

    /// The number of a vertex that is farthest along `direction`.
    #[inline]
    pub(crate) fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> u32 {
        match self {
            Self::Scan(scan) => scan.farthest(direction),
            Self::Table(table, _) => {
                let mut best = (f64::NEG_INFINITY, 0);
                for &candidate in table.candidates(direction) {
                    let height = vertices[candidate as usize].dot(direction);
                    if height > best.0 {
                        best = (height, candidate);
                    }
                }
                best.1
            }
        }
    }

    /// A vertex that is farthest in half precision, with its rounded coordinates.
    #[inline]
    pub(crate) fn roughly_farthest(&self, direction: Vec3A) -> (Vec3A, u32) {
        match self {
            Self::Scan(scan) => scan.roughly_farthest(direction),
            Self::Table(table, rough) => {
                let mut best = (f32::NEG_INFINITY, 0, Vec3A::ZERO);
                for &candidate in table.candidates(direction.as_dvec3()) {
                    let point = rough[candidate as usize];
                    let height = point.dot(direction);
                    if height > best.0 {
                        best = (height, candidate, point);
                    }
                }
                (best.2, best.1)
            }
        }
    }
}

/// Cells per side of the cube: about as many cells as make lists of half a dozen vertices.
fn resolution(vertex_count: usize) -> u32 {
    let side = (vertex_count as f64 / 2.0).sqrt();
    (side as u32).next_power_of_two().clamp(4, MAX_RESOLUTION)
}
