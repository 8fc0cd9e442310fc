//! Solids as triangle meshes: those of the papers about non-convex bodies, built from code at any resolution.
//!
//! Each is closed, consistently oriented, and crosses itself nowhere, with its outside where triangles turn counter-clockwise.

mod extrusion;
mod lattice;
mod letters;
mod round;
pub mod small;
#[cfg(test)]
mod tests;

pub use extrusion::{Outline, extrusion, gear, prism};
pub use lattice::{block, grate, lattice, lattice_solid};
pub use letters::{GLYPHS, glyph, outline};
pub use round::{noisy_sphere, sphere, torus, torus_without_dents, wrinkled_torus};

use clearance::math::DVec3;
use clearance::shape::Mesh;

/// Vertices, and triangles of three numbers of them each.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The vertices, each used.
    pub vertices: Vec<DVec3>,
    /// The triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Model {
    /// The model as the library has it.
    ///
    /// # Panics
    ///
    /// If a number is not that of a vertex or a coordinate not finite, which no model of this module has.
    #[must_use]
    pub fn mesh(&self) -> Mesh {
        Mesh::new(&self.vertices, &self.triangles).expect("models are meshes")
    }

    /// Vertices less edges and faces: 2 - 2g for a connected surface with g handles.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        // Every edge of a closed surface has two triangles.
        self.vertices.len() as i64 - self.triangles.len() as i64 / 2
    }

    /// Every vertex sent elsewhere; a map that turns space over turns the triangles, too, only if the caller does.
    #[must_use]
    pub fn map(mut self, to: impl Fn(DVec3) -> DVec3) -> Self {
        self.vertices.iter_mut().for_each(|vertex| *vertex = to(*vertex));
        self
    }
}
