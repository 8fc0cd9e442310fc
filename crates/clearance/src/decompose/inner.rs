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
    let (pieces, is_whole) = if mesh.is_solid() { found_pieces(mesh, MAX_CUT_PIECES) } else { (Vec::new(), false) };
    MeshPieces { inner: pieces.into_iter().map(Arc::new).collect(), is_whole }
}

/// Convex pieces that are proved to be inside of a solid whose triangles are turned outward.
pub(super) fn pieces_of(mesh: &Mesh, most: usize) -> Vec<Polytope> {
    found_pieces(mesh, most).0
}

/// The pieces, and whether they leave out thin parts only.
fn found_pieces(mesh: &Mesh, most: usize) -> (Vec<Polytope>, bool) {
    let cut = |mesh: &Mesh| reflex_pieces(mesh, most).map(|pieces| (pieces, true));
    if !is_grown(mesh) {
        return cut(mesh).unwrap_or_else(|| (fat_pieces(mesh), false));
    }
    let (grown, is_whole) = grown_pieces(mesh, DecompositionBudget::default()).unwrap_or_default();
    let cut = if is_whole { None } else { cut(mesh) };
    cut.unwrap_or((grown, is_whole))
}

/// Whether growing finds pieces of a solid in time.
pub(super) fn is_grown(mesh: &Mesh) -> bool {
    mesh.triangles().len() <= FEW_TRIANGLES && !has_many_planes(mesh)
}

/// The most triangles of a mesh of many planes that is cut only to find out whether few pieces fill it. Limit: rings of the lab have fewer, and scans more.
const FEW_CUTS: usize = 4000;

/// May few convex pieces fill the solid? Decided without a decomposition; [`inner_pieces`] finds out.
pub(crate) fn may_be_whole(mesh: &Mesh) -> bool {
    mesh.triangles().len() <= FEW_CUTS || is_grown(mesh)
}

/// Are the triangles in more than [`FEW_PLANES`] planes, about?
fn has_many_planes(mesh: &Mesh) -> bool {
    let bounds = mesh.aabb();
    let size = (bounds.max - bounds.min).max_element();
    let mut seen: FxHashSet<[i64; 4]> = FxHashSet::default();
    for t in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(t);
        if let Some(normal) = (b - a).cross(c - a).try_normalize() {
            let rough = |x: f64| (x * 1e7).round() as i64;
            seen.insert([rough(normal.x), rough(normal.y), rough(normal.z), rough(normal.dot(a) / size)]);
            if seen.len() > FEW_PLANES {
                return true;
            }
        }
    }
    false
}
