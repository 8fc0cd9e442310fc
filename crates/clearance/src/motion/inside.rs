//! A lower bound on the depth of a point inside a convex shape: a cheap proof of an overlap.

use crate::math::rounding::{ROUNDING, UNIT_MARGIN};
use crate::shape::{Convex, Shape};
use glam::DVec3;

/// The features by which two bodies meet.
#[derive(Debug, Clone, Copy)]
pub(super) enum MetBy {
    /// Not known.
    Anything,
    /// Two edges of these directions.
    Edges([DVec3; 2]),
    /// A corner of the body of that number, and a face of the other.
    CornerOf(usize),
}

/// Points that may be inside both bodies shortly after the points a of A and b of B met along n: halfway between them, for curved bodies; at the corner, less half of its
/// depth; at the crossing of two edges.
pub(super) fn candidates(n: DVec3, [a, b]: [DVec3; 2], by: MetBy) -> impl Iterator<Item = DVec3> {
    let way = b - a;
    let deep = n * (0.5 * n.dot(way));
    let (first, second, third) = match by {
        // |way + t f - s e| is least where s e² - t e·f = way·e and s e·f - t f² = way·f.
        MetBy::Edges([e, f]) => {
            let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
            let s = (way.dot(e) * ff - way.dot(f) * ef) / (ee * ff - ef * ef);
            (a + e * s + deep, None, None)
        }
        MetBy::CornerOf(0) => (a + deep, None, None),
        MetBy::CornerOf(_) => (b - deep, None, None),
        MetBy::Anything => (a + 0.5 * way, Some(b - deep), Some(a + deep)),
    };
    [Some(first), second, third].into_iter().flatten()
}

/// A lower bound of the distance of a point of the shape's own frame from everything outside, if there is one: only of points inside.
pub(super) fn depth_of_point(shape: &Shape, p: DVec3) -> Option<f64> {
    let (depth, size) = match shape {
        Shape::Sphere(ball) => (ball.radius() - p.length(), ball.radius()),
        Shape::Cuboid(cuboid) => ((cuboid.half_extents() - p.abs()).min_element(), cuboid.bounding_radius()),
        Shape::Segment(segment) => {
            let [a, b] = segment.ends();
            let way = b - a;
            let along =
                if way == DVec3::ZERO { 0.0 } else { ((p - a).dot(way) / way.length_squared()).clamp(0.0, 1.0) };
            (segment.radius() - (p - a).distance(way * along), segment.bounding_radius() + segment.radius())
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
