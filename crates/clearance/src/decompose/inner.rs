//! Inner pieces for the depth of solids: all of the solid, if that can be had.

use super::solid::{Budget, decompose};
use crate::shape::Mesh;
use crate::shape::mesh::MeshPieces;
use std::sync::Arc;

/// Convex pieces that are proved to be inside of a solid; none of a shell.
pub(crate) fn inner_pieces(mesh: &Mesh) -> MeshPieces {
    let found = decompose(mesh, Budget::default());
    MeshPieces { inner: found.inner.into_iter().map(Arc::new).collect(), is_exact: found.is_exact }
}
