//! Two triangle meshes: do their surfaces meet, how far are they apart?
//!
//! Both trees are walked at once, depth first, sixteen pairs of children at a time (`boxes.rs`). Leaves are pairs of up to four triangles,
//! settled in doubles (`narrow/triangles.rs`): apart is proved by a direction, and where no direction tells within rounding GJK decides.
//!
//! **Meaning.** "No" is proved; "yes" means that surfaces meet or that their gap is within rounding: touching counts, coplanar triangles
//! included. What is inside of a solid is not asked here.

mod boxes;
mod distance;
#[cfg(test)]
mod tests;
mod walk;

pub use distance::{MeshDistance, distance};
pub use walk::{crossing_triangles, intersects};

use crate::math::Frame;
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
use crate::shape::Mesh;

/// How far a corner of either mesh, put into the frame of A, may be from where it is.
fn rounding(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> f64 {
    ROUNDING * (a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length()) + SMALLEST_LENGTH
}
