//! Points inside both bodies: the cheap proof of an overlap.
//!
//! [`candidates`] and [`inward`] propose points, and [`depth_of_point`] proves that one is inside a convex shape.

use crate::math::rounding::{ROUNDING, UNIT_MARGIN};
use crate::shape::{Convex, Shape};
use glam::DVec3;

/// The features by which two bodies meet.
#[derive(Debug, Clone, Copy)]
pub(in crate::motion) enum MetBy {
    /// Not known.
    Anything,
    /// Two edges of these directions.
    Edges([DVec3; 2]),
    /// A corner of the body of that number, and a face of the other.
    CornerOf(usize),
    /// They do not meet: `then` separates them from where the normal of the guess ceases to. Neither vector need be a unit.
    Nothing { then: DVec3 },
}

/// Points that may be inside both bodies shortly after the points a of A and b of B met along n.
///
/// For curved bodies: halfway between the two. For a corner: the corner, less half of its depth. For two edges: their crossing.
pub(in crate::motion) fn candidates(n: DVec3, [a, b]: [DVec3; 2], by: MetBy) -> impl Iterator<Item = DVec3> {
    let offset = b - a;
    let deep = n * (0.5 * n.dot(offset));
    let (first, second, third) = match by {
        MetBy::Edges(edges) => (crossing(a, offset, edges) + deep, None, None),
        MetBy::CornerOf(0) => (a + deep, None, None),
        MetBy::CornerOf(_) => (b - deep, None, None),
        MetBy::Anything | MetBy::Nothing { .. } => (a + 0.5 * offset, Some(b - deep), Some(a + deep)),
    };
    [Some(first), second, third].into_iter().flatten()
}

/// Points that may be inside both bodies shortly after they met along n. Unlike [`candidates`] they are displaced toward the centers of the
/// bodies, by half of the overlap: from the apex of a cone, the normal of a face may lead out of it at once.
pub(super) fn inward(
    n: DVec3,
    [a, b]: [DVec3; 2],
    by: MetBy,
    [middle_a, middle_b]: [DVec3; 2],
) -> impl Iterator<Item = DVec3> {
    let half = -0.5 * n.dot(b - a);
    let (to_a, to_b) = (middle_a - a, middle_b - b);
    let from_a = a - to_a * (half / n.dot(to_a));
    let from_b = b + to_b * (half / n.dot(to_b));
    let (first, second) = match by {
        MetBy::Edges(edges) => (crossing(from_a, from_b - from_a, edges), None),
        MetBy::CornerOf(0) => (from_a, None),
        MetBy::CornerOf(_) => (from_b, None),
        MetBy::Anything | MetBy::Nothing { .. } => (from_a, Some(from_b)),
    };
    [Some(first), second].into_iter().flatten()
}

/// The point of a line through a along e that is closest to one along f, `offset` from a.
pub(in crate::motion) fn crossing(a: DVec3, offset: DVec3, [e, f]: [DVec3; 2]) -> DVec3 {
    // |offset + t f - s e| is least where s e² - t e·f = offset·e and s e·f - t f² = offset·f.
    let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
    a + e * ((offset.dot(e) * ff - offset.dot(f) * ef) / (ee * ff - ef * ef))
}

/// A lower bound on the distance of a point of the shape's own frame from everything outside; `None` for points that are not proved inside.
pub(super) fn depth_of_point(shape: &Shape, p: DVec3) -> Option<f64> {
    let (depth, size) = match shape {
        Shape::Sphere(ball) => (ball.radius() - p.length(), ball.radius()),
        Shape::Cuboid(cuboid) => ((cuboid.half_extents() - p.abs()).min_element(), cuboid.bounding_radius()),
        Shape::Segment(segment) => {
            let [a, b] = segment.ends();
            let offset = b - a;
            let along = if offset == DVec3::ZERO {
                0.0
            } else {
                ((p - a).dot(offset) / offset.length_squared()).clamp(0.0, 1.0)
            };
            (segment.radius() - (p - a).distance(offset * along), segment.bounding_radius() + segment.radius())
        }
        Shape::Cylinder(cylinder) => {
            let across = cylinder.base_radius() - p.x.hypot(p.z);
            (across.min(cylinder.half_height() - p.y.abs()), cylinder.bounding_radius())
        }
        Shape::Cone(cone) => {
            let (r, h) = (cone.base_radius(), cone.half_height());
            // The apex is at (0, h), the rim at (r, -h): its normal is (2 h, r).
            let side = (r * (h - p.y) - 2.0 * h * p.x.hypot(p.z)) / r.hypot(2.0 * h);
            (side.min(p.y + h), cone.bounding_radius())
        }
        // |p / r| grows by no more than 1 / the least radius for every unit of length.
        Shape::Ellipsoid(ellipsoid) => {
            let least = ellipsoid.radii().min_element();
            (least * (1.0 - (p / ellipsoid.radii()).length()), ellipsoid.bounding_radius())
        }
        Shape::Polytope(polytope) if polytope.dimension() == 3 => {
            (polytope.depth_of_point(p), UNIT_MARGIN / ROUNDING * polytope.bounding_radius())
        }
        Shape::HalfSpace(plane) => {
            let far = p.length();
            let slack = plane.turn() * far + plane.shift();
            (plane.offset() - plane.normal().dot(p) - slack, far + plane.offset().abs())
        }
        Shape::Polytope(_)
        | Shape::Triangle(_)
        | Shape::Affine(_)
        | Shape::Rounded(_)
        | Shape::Custom(_)
        | Shape::Mesh(_)
        | Shape::Compound(_) => return None,
    };
    // Written so that a NaN is `None`.
    let proved = depth - ROUNDING * (size + p.length());
    (proved > 0.0).then_some(proved)
}
