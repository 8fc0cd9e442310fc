//! Inner pieces for the depth of solids: all of the solid, if that can be had.
//!
//! Two ways lead there. Growing (`solid.rs`) finds few, fat pieces that overlap, which is best by far where faces lie in few planes: grates,
//! letters, lattice solids. Cutting along reflex edges (`reflex.rs`) finds pieces side by side, also of rings and the like, where no two faces
//! are in one plane and growing takes too long.

use super::reflex::reflex_pieces;
use super::solid::{Budget, decompose};
use crate::shape::Mesh;
use crate::shape::mesh::MeshPieces;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// With more planes than this a solid is cut before it is grown.
const FEW_PLANES: usize = 200;
/// The most pieces to cut a solid into.
const MOST_PIECES: usize = 400;

/// Convex pieces that are proved to be inside of a solid; none of a shell.
pub(crate) fn inner_pieces(mesh: &Mesh) -> MeshPieces {
    let made = |pieces: Vec<_>| MeshPieces { inner: pieces.into_iter().map(Arc::new).collect() };
    let turned = mesh.turned_outward();
    let mesh = turned.as_ref().unwrap_or(mesh);
    let have_few_planes = planes(mesh) <= FEW_PLANES;
    if !have_few_planes {
        let (pieces, is_complete) = reflex_pieces(mesh, MOST_PIECES);
        if is_complete {
            return made(pieces);
        }
    }
    let found = decompose(mesh, Budget::default());
    if have_few_planes && !found.is_exact && found.inner.len() != found.outer.len() {
        let (pieces, is_complete) = reflex_pieces(mesh, MOST_PIECES);
        if is_complete {
            return made(pieces);
        }
    }
    made(found.inner)
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
