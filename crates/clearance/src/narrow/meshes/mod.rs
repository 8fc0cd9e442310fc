//! Two surfaces of triangles, or one and something with a box: do they meet, how far are they apart?
//!
//! Both trees are walked at once, depth first, sixteen pairs of children at a time (`boxes.rs`, `walk.rs`). Leaves are pairs of up to four
//! triangles, settled in doubles (`narrow/triangles.rs`): apart is proved by a direction, and where no direction tells within rounding GJK
//! decides. What is no mesh is a tree of one leaf, and whoever walks says what its leaves are about.
//!
//! **Meaning.** "No" is proved; "yes" means that surfaces meet or that their gap is within rounding: touching counts, coplanar triangles
//! included. What is inside of a solid is not asked here, but where kinds of shapes meet (`pair/mesh`).

mod boxes;
mod distance;
mod front;
mod intersect;
mod lanes;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use boxes::SeparatingPlane;
pub use distance::{MeshDistance, distance};
pub(crate) use distance::{SurfaceSearch, closest_first, distance_or_bound};
pub(crate) use front::Front;
pub(crate) use intersect::{any_leaves, first_crossing};
pub use intersect::{crossing_triangles, intersects};

use crate::math::Frame;
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
use crate::shape::Mesh;

/// How far a corner of either mesh, put into the frame of A, may be from where it is.
fn rounding(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> f64 {
    let size = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    ROUNDING * size + SMALLEST_LENGTH + (a.slack() + b.slack())
}
