//! A decomposition in a few numbers.

use super::{Decomposition, Inclusion};
use crate::shape::{Mesh, Shape};
use std::fmt;
use std::sync::Arc;

/// A decomposition in a few numbers, to be printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many triangles the mesh has.
    pub triangles: usize,
    /// How many pieces are inside.
    pub inner: usize,
    /// How many pieces cover it, or are meant to.
    pub outer: usize,
    /// Whether they were proved to.
    pub outer_proof: Inclusion,
    /// Is the union of the pieces the solid?
    pub is_exact: bool,
    /// The volume of the solid.
    pub volume: f64,
    /// The sum of the volumes of the outer pieces, which may overlap.
    pub outer_volume: f64,
}

impl Decomposition {
    /// This decomposition of a mesh in a few numbers.
    #[must_use]
    pub fn summary(&self, mesh: &Mesh) -> Summary {
        let volume = |piece: &crate::shape::Polytope| Shape::Polytope(Arc::new(piece.clone())).volume().unwrap_or(0.0);
        Summary {
            triangles: mesh.triangles().len(),
            inner: self.inner.len(),
            outer: self.outer.len(),
            outer_proof: self.outer_proof,
            is_exact: self.is_exact,
            volume: mesh.volume().abs(),
            outer_volume: self.outer.iter().map(volume).sum(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = |count: usize| if count == 1 { "1 piece".into() } else { format!("{count} pieces") };
        write!(f, "{} triangles, volume {:.6}: ", self.triangles, self.volume)?;
        if self.is_exact {
            return write!(f, "exactly the union of {}", pieces(self.outer));
        }
        write!(
            f,
            "{} inside (proved), {} around it, volume {:.6}",
            pieces(self.inner),
            pieces(self.outer),
            self.outer_volume
        )?;
        match self.outer_proof {
            Inclusion::Proven => f.write_str(" (proved)"),
            Inclusion::NotProven(doubt) => write!(f, " (not proved: {doubt})"),
        }
    }
}
