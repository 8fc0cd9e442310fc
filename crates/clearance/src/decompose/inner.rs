//! Inner pieces for the depth of solids: all of the solid, if that can be had.
//!
//! Two ways lead there. Growing (`solid.rs`) finds few, fat pieces that overlap, which is best by far where faces lie in few planes: grates,
//! letters, lattice solids. Cutting along reflex edges (`reflex.rs`) finds pieces side by side, also of rings and the like, where no two faces
//! are in one plane and growing takes too long. Where both would take thousands of pieces, as of a rough surface, some that keep a little away from it
//! have most of the volume (`fat.rs`).

use super::fat::fat_pieces;
use super::reflex::reflex_pieces;
use super::solid::{DecompositionBudget, grown_pieces};
use crate::shape::mesh::MeshPieces;
use crate::shape::{Mesh, Polytope};
use crate::tuning::decompose::{FEW_PLANES, FEW_TRIANGLES, MAX_CUT_PIECES};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Convex pieces that are proved to be inside of a solid; none of a shell.
pub(crate) fn inner_pieces(mesh: &Mesh) -> MeshPieces {
    let turned = mesh.turned_outward();
    let mesh = turned.as_ref().unwrap_or(mesh);
    let pieces = if mesh.is_solid() { pieces_of(mesh, MAX_CUT_PIECES) } else { Vec::new() };
    MeshPieces { inner: pieces.into_iter().map(Arc::new).collect() }
}

/// Convex pieces that are proved to be inside of a solid whose triangles are turned outward.
pub(super) fn pieces_of(mesh: &Mesh, most: usize) -> Vec<Polytope> {
    if !is_grown(mesh) {
        return reflex_pieces(mesh, most).unwrap_or_else(|| fat_pieces(mesh));
    }
    let (grown, is_whole) = grown_pieces(mesh, DecompositionBudget::default()).unwrap_or_default();
    let cut = if is_whole { None } else { reflex_pieces(mesh, most) };
    cut.unwrap_or(grown)
}

/// Whether growing finds pieces of a solid in time.
pub(super) fn is_grown(mesh: &Mesh) -> bool {
    mesh.triangles().len() <= FEW_TRIANGLES && planes(mesh) <= FEW_PLANES
}

/// How many planes the triangles are in, about.
fn planes(mesh: &Mesh) -> usize {
    let bounds = mesh.aabb();
    let size = (bounds.max - bounds.min).max_element();
    let mut seen: FxHashSet<[i64; 4]> = FxHashSet::default();
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(t);
        if let Some(normal) = (b - a).cross(c - a).try_normalize() {
            let rough = |x: f64| (x * 1e7).round() as i64;
            seen.insert([rough(normal.x), rough(normal.y), rough(normal.z), rough(normal.dot(a) / size)]);
        }
    }
    seen.len()
}
