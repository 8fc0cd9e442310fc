//! Bounds for the depth of an overlap with a mesh.
//!
//! **Above.** Two triangles that meet are separated by no translation shorter than the depth of these two, and a point inside by none shorter than its
//! distance from the surface. **Below.** A translation that separates the hulls separates the meshes; a few directions are tried. The bracket is
//! closed if the two bounds agree, else open.

use super::{Clearance, Mesh, PosedPair, Shape, Status, is_ordinary, rounding};
use crate::math::Pose;
use crate::narrow::Bracket;
use crate::shape::Convex;
use glam::DVec3;

/// The answer about two shapes that overlap, or of which nothing tells that they are apart: `parts` is about two of their parts, of which
/// only the upper bound counts.
pub(super) fn overlapping(pair: PosedPair<'_>, parts: Clearance) -> Clearance {
    if parts.status == Status::BadSupport {
        return Clearance::unknown(pair.pose_a, parts.cost);
    }
    let rounding = rounding(&pair);
    // Out of balls about the origins, if nothing better is known.
    let balls = -(pair.a.bounding_radius() + pair.b.bounding_radius()) * (1.0 + 4.0 * f64::EPSILON);
    let hulls = Hulls::new(&pair);
    let along = |direction: DVec3| hulls.as_ref().map_or(balls, |hulls| hulls.apart(direction) - rounding);
    let along_parts = along(parts.normal);
    // The hulls are as deep as the parts: nothing is left open.
    let is_closed = Bracket::is_closed([along_parts, parts.upper], 4.0 * rounding, 0.0);
    let most = match &hulls {
        Some(_) if !is_closed => escape_directions(&pair).map(along).fold(along_parts, f64::max),
        _ => along_parts,
    };
    let lower = most.max(balls).min(parts.upper);
    // A pair that is not apart has no gap.
    let distance = parts.distance.min(0.0).clamp(lower, parts.upper);
    let point_b = parts.point_a + distance * parts.normal;
    let status = if is_closed { Status::Converged } else { Status::Open };
    Clearance { distance, point_b, lower, status, ..parts }
}

/// The convex hulls of two shapes, by their heights only: computing how deep they overlap takes as long as all other work, and says little
/// about how deep meshes do.
struct Hulls<'a> {
    pair: &'a PosedPair<'a>,
    shapes: [Shape; 2],
    slack: f64,
}

impl<'a> Hulls<'a> {
    /// Nothing for what cannot be computed with.
    fn new(pair: &'a PosedPair<'a>) -> Option<Self> {
        if !is_ordinary(pair) {
            return None;
        }
        let slack = |shape: &Shape| shape.as_mesh().map_or(0.0, Mesh::slack);
        let shapes = [pair.a.convex_hull()?, pair.b.convex_hull()?];
        Some(Self { pair, shapes, slack: slack(pair.a) + slack(pair.b) })
    }

    /// How far they are apart along a unit vector of the world, to rounding; negative where they overlap, without end if that is not known.
    fn apart(&self, direction: DVec3) -> f64 {
        let height = |shape: &Shape, pose: &Pose, direction: DVec3| {
            let local = pose.inverse_transform_vector(direction);
            shape.convex().map_or(f64::INFINITY, |hull| hull.height(local) + hull.radius() * local.length())
        };
        let PosedPair { pose_a, pose_b, .. } = *self.pair;
        let between = pose_b.translation() - pose_a.translation();
        let [a, b] = &self.shapes;
        let apart = direction.dot(between) - height(a, pose_a, direction) - height(b, pose_b, -direction) - self.slack;
        if apart.is_nan() { f64::NEG_INFINITY } else { apart }
    }
}

/// Directions along which two shapes that overlap may be freed: the axes of both, and the way between their middles.
pub(crate) fn escape_directions(pair: &PosedPair<'_>) -> impl Iterator<Item = DVec3> {
    let PosedPair { a, pose_a, b, pose_b } = *pair;
    let middle = |shape: &Shape, pose: &Pose| match shape.as_mesh() {
        Some(mesh) => pose.transform_point(mesh.aabb().center()),
        None => pose.transform_point(shape.convex().map_or(DVec3::ZERO, Convex::center)),
    };
    let way = middle(b, pose_b) - middle(a, pose_a);
    let axes = |pose: &Pose| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.transform_vector(axis));
    let towards = move |axis: DVec3| if axis.dot(way) < 0.0 { -axis } else { axis };
    axes(pose_a).into_iter().chain(axes(pose_b)).map(towards).chain(way.try_normalize())
}
