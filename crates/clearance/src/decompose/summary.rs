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
    /// How many pieces cover the components that are no solid.
    pub approximate: usize,
    /// No point of a piece that covers is farther from the mesh than this: a proved upper bound.
    pub concavity: f64,
    /// The longest side of the box around the mesh.
    pub size: f64,
    /// Is the union of the pieces the solid?
    pub is_exact: bool,
    /// The volume of the solid.
    pub volume: f64,
    /// The sum of the volumes of the outer pieces, which may overlap.
    pub outer_volume: f64,
}

impl Decomposition {
    /// How far each piece that covers reaches beyond the mesh: outer pieces, then approximate ones.
    pub fn concavities(&self) -> impl Iterator<Item = f64> {
        self.outer_concavity.iter().copied().chain(self.approximate.iter().map(|piece| piece.concavity))
    }

    /// This decomposition of a mesh in a few numbers.
    #[must_use]
    pub fn summary(&self, mesh: &Mesh) -> Summary {
        let volume = |piece: &crate::shape::Polytope| Shape::Polytope(Arc::new(piece.clone())).volume().unwrap_or(0.0);
        Summary {
            triangles: mesh.triangles().len(),
            inner: self.inner.len(),
            outer: self.outer.len(),
            outer_proof: self.outer_proof,
            approximate: self.approximate.len(),
            concavity: self.concavities().fold(0.0, f64::max),
            size: (mesh.aabb().max - mesh.aabb().min).max_element(),
            is_exact: self.is_exact,
            volume: mesh.volume().abs(),
            outer_volume: self.outer.iter().map(volume).sum(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = |count: usize| if count == 1 { "1 piece".into() } else { format!("{count} pieces") };
        write!(f, "{} triangles", self.triangles)?;
        if self.volume > 0.0 {
            write!(f, ", volume {:.6}", self.volume)?;
        }
        f.write_str(": ")?;
        if self.is_exact {
            return write!(f, "exactly the union of {}", pieces(self.outer));
        }
        let mut separator = "";
        if self.inner > 0 {
            write!(f, "{} inside (proved)", pieces(self.inner))?;
            separator = ", ";
        }
        if self.outer > 0 {
            write!(f, "{separator}{} around it, volume {:.6} (proved)", pieces(self.outer), self.outer_volume)?;
            separator = ", ";
        }
        if self.approximate > 0 {
            let of = if self.outer > 0 { " of open parts" } else { "" };
            write!(
                f,
                "{separator}{}{of} (approximate: they cover the surface, and nothing is proved inside)",
                pieces(self.approximate)
            )?;
        }
        if self.concavity > 0.0 {
            let percent = 100.0 * self.concavity / self.size;
            write!(f, "; at most {:.4} beyond the mesh ({percent:.2} % of its size)", self.concavity)?;
        }
        Ok(())
    }
}
