//! Surfaces of triangles against each other, against convex shapes and against points: do they meet, how far are they apart?
//!
//! The traversals are in `tree`. Leaves are pairs of up to four triangles, pruned in single precision and decided in doubles
//! (`narrow/triangles.rs`): a direction proves that two triangles are apart, and where no direction separates them within rounding, GJK
//! decides. A single triangle is a tree of one leaf.
//!
//! **Meaning.** "No" is proved; "yes" means that surfaces meet or that their gap is within rounding: touching counts, coplanar triangles
//! included. Whether one solid is inside the other is the question of `pair/mesh`.

mod boxed;
mod distance;
mod entries;
mod front;
mod heights;
mod intersect;
mod kept;
mod lanes;
mod leaves;
mod mesh_convex;
mod mesh_convex_overlap;
mod near_pairs;
mod point;
mod resting;
mod seen;
#[cfg(test)]
pub(crate) mod tests;
mod triangle_convex;

pub(crate) use distance::distance_or_bound;
pub use distance::{MeshDistance, distance};
#[cfg(test)]
pub(crate) use front::{ENTRY_BYTES, FRONT_BYTES};
pub(crate) use front::{Front, MAX_ENTRIES as MAX_FRONT_ENTRIES};
pub(crate) use intersect::first_crossing;
pub use intersect::{crossing_triangles, intersects};
pub(crate) use mesh_convex::MeshPair;
pub(crate) use mesh_convex_overlap::{MeshAndConvex, SurfaceOverlap};
pub(crate) use near_pairs::{crossing_points, visit_near_pairs};
pub(crate) use point::nearest_to_point;
use point::triangle_near;
use seen::SeenTriangles;
use shared::in_a;

use crate::math::{Aabb, Frame};
use crate::narrow::triangles::Corners;
use crate::shape::Mesh;
use crate::tree::{LoneBox, WideView, by_axis};

/// The second of two surfaces: the triangles of a mesh, or a single one, which a point or a segment may be as well.
#[derive(Clone, Copy)]
pub(crate) enum Triangles<'a> {
    Mesh(&'a Mesh),
    Single(&'a SingleTriangle),
}

/// A triangle with its box.
pub(crate) struct SingleTriangle {
    corners: Corners,
    bounds: LoneBox,
}

impl SingleTriangle {
    pub fn new(corners: Corners) -> Self {
        Self { corners, bounds: LoneBox::new(&Aabb::of_points(corners)) }
    }
}

impl<'a> Triangles<'a> {
    #[inline(always)]
    fn corners(&self, number: u32) -> Corners {
        match self {
            Self::Mesh(mesh) => mesh.corners(number),
            Self::Single(single) => single.corners,
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::Single(_) => 1,
        }
    }

    /// With heights, if there are any.
    fn view_for_distances(&self) -> WideView<'a> {
        match self {
            Self::Mesh(mesh) => mesh.tree_with_heights(),
            Self::Single(single) => single.bounds.view(),
        }
    }

    fn view(&self) -> WideView<'a> {
        match self {
            Self::Mesh(mesh) => mesh.tree().view(),
            Self::Single(single) => single.bounds.view(),
        }
    }

    fn bounding_radius(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.bounding_radius(),
            Self::Single(single) => single.corners.iter().fold(0.0, |most: f64, corner| most.max(corner.length())),
        }
    }

    fn slack(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.slack(),
            Self::Single(_) => 0.0,
        }
    }
}

/// Parts of the search that RAPID's trees share, for comparison.
#[doc(hidden)]
pub mod shared {
    pub use super::intersect::meet;
    use super::{Corners, Frame, Mesh, Triangles, by_axis};

    /// The corners of a triangle of B in the frame of A.
    #[must_use]
    #[inline(always)]
    pub fn in_a(frame: &Frame, corners: Corners) -> Corners {
        by_axis(|k| frame.point(corners[k]))
    }

    /// The rounding error of a corner of either surface in the frame of A.
    #[must_use]
    pub fn rounding(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> f64 {
        super::rounding(a, &Triangles::Mesh(b), b_in_a)
    }
}

/// How far a corner of either surface, put into the frame of A, may be from where it is.
fn rounding(a: &Mesh, b: &Triangles<'_>, b_in_a: &Frame) -> f64 {
    let size = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    crate::math::rounding::of_pair(size, a.slack() + b.slack())
}
