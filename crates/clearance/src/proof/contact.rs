//! Evidence for contact manifolds: the planes that bound the gap, and members of the cores next to each point.
//!
//! 1. The planes are those of the two contact faces, or for witness points those across the normal. The checker computes their heights.
//! 2. Meshes have none: a manifold has points of many triangles, and its claims are about each of them.

use super::parts::{PosedBodies, has_mesh};
use super::{Evidence, pair_of};
use crate::math::Pose;
use crate::pair::Manifold;
use crate::shape::Shape;
use clearance_verify::{Feature, ManifoldClaim, ManifoldEvidence, ManifoldPointClaim};

/// Part of the size by which the points of two nearly parallel edges may be apart across the normal. Limit: part of the contract of a manifold.
const ALONG_EDGES: f64 = 2e-3;

/// The claims of a manifold as the checker takes them.
#[must_use]
pub fn written_manifold(a: &Shape, b: &Shape, manifold: &Manifold) -> ManifoldClaim {
    let feature = |feature: crate::Feature| match feature {
        crate::Feature::Surface => Feature::Surface,
        crate::Feature::Vertex(number) => Feature::Vertex(number),
        crate::Feature::Edge(number) => Feature::Edge(number),
        crate::Feature::Face(number) => Feature::Face(number),
    };
    let size = a.bounding_radius().min(b.bounding_radius());
    let claim = |point: &crate::ManifoldPoint| {
        let features = point.id.features();
        let has_face = features.iter().any(|feature| matches!(feature, crate::Feature::Face(_)));
        ManifoldPointClaim {
            point_a: point.point_a.to_array(),
            point_b: point.point_b.to_array(),
            distance: point.distance,
            lower: point.lower,
            upper: point.upper,
            across: if has_face || !size.is_finite() {
                manifold.rounding
            } else {
                manifold.rounding + ALONG_EDGES * size
            },
            features: features.map(feature),
        }
    };
    ManifoldClaim {
        normal: manifold.normal.to_array(),
        parts: manifold.parts,
        rounding: manifold.rounding,
        points: manifold.patch().iter().map(claim).collect(),
    }
}

/// The evidence for all points of a manifold of these two shapes at these poses; for meshes and custom shapes there is none.
///
/// ```
/// use clearance::{Pair, Pose, Shape, proof};
///
/// let (floor, crate_) = (Shape::cuboid([5.0, 1.0, 5.0])?, Shape::cuboid([0.5; 3])?);
/// let (pose_a, pose_b) = (Pose::IDENTITY, Pose::from_translation([0.0, 1.5, 0.0]));
/// let mut pair = Pair::new(&floor, &crate_);
/// let manifold = pair.manifold(pose_a, pose_b, 0.01).expect("they touch");
/// let evidence = proof::of_manifold(&floor, pose_a, &crate_, pose_b, manifold).contact.expect("two boxes");
/// assert_eq!(evidence.planes[0], [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]);
/// assert_eq!(evidence.members.len(), 4);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn of_manifold(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, manifold: &Manifold) -> Evidence {
    if has_mesh(a) || has_mesh(b) {
        return Evidence::default();
    }
    let bodies = PosedBodies::of_both([a, b], [pose_a, pose_b]);
    let Some(pair) = pair_of(&bodies, manifold.parts) else { return Evidence::default() };
    let normal = manifold.normal;
    let mut planes = Vec::new();
    if let Some(found) = manifold.planes([pair.a.shape(), pair.b.shape()], [&pair.a.body.pose, &pair.b.body.pose]) {
        planes.push(found.map(|plane| plane.to_array()));
    }
    planes.push([normal.to_array(), (-normal).to_array()]);
    let origin = pose_a.translation();
    let place = |pose: Pose, point| pose.moved_by(-origin).transform_point(point);
    let members = manifold.patch().iter().map(|point| {
        let placed = pair.witness([place(pose_a, point.point_a), place(pose_b, point.point_b)], normal)?;
        Some([placed.witness.a, placed.witness.b])
    });
    let members: Option<Vec<_>> = members.collect();
    let contact = ManifoldEvidence { planes, members: members.unwrap_or_default() };
    Evidence { contact: Some(contact), ..Evidence::default() }
}
