//! The library's types as the checker's: the same numbers under other names.

use clearance::math::DVec3;
use clearance::proof::{Member, Proof, Upper};
use clearance::{Clearance, Convex, Pose, Shape};
use clearance_verify as verify;

/// A shape as the checker takes it; nothing for one of the caller's own.
///
/// Numbers are those that the library computes with: the points of a hull are its vertices, the normal of a half-space is a
/// unit vector, nested roundings are one, and compounds in compounds are taken apart.
#[must_use]
pub fn asked_shape(shape: &Shape) -> Option<verify::Shape> {
    Some(match shape {
        Shape::Sphere(sphere) if sphere.radius() == 0.0 => verify::Shape::Point {},
        Shape::Sphere(sphere) => verify::Shape::Sphere { radius: sphere.radius() },
        Shape::Cuboid(cuboid) => verify::Shape::Cuboid { half_extents: cuboid.half_extents().to_array() },
        Shape::Segment(segment) if segment.radius() == 0.0 => core(shape)?,
        Shape::Segment(segment) => {
            verify::Shape::Capsule { radius: segment.radius(), half_height: segment.ends()[1].y }
        }
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.corners().map(|corner| corner.to_array());
            verify::Shape::Triangle { a, b, c }
        }
        Shape::Cylinder(cylinder) => {
            verify::Shape::Cylinder { radius: cylinder.base_radius(), half_height: cylinder.half_height() }
        }
        Shape::Cone(cone) => verify::Shape::Cone { radius: cone.base_radius(), half_height: cone.half_height() },
        Shape::Ellipsoid(ellipsoid) => verify::Shape::Ellipsoid { radii: ellipsoid.radii().to_array() },
        Shape::Polytope(polytope) => {
            verify::Shape::Hull { points: polytope.vertices().iter().map(|v| v.to_array()).collect() }
        }
        Shape::Affine(affine) => {
            let matrix = affine.matrix();
            let rows = [0, 1, 2].map(|row| matrix.row(row).to_array());
            verify::Shape::Affine { shape: Box::new(asked_shape(affine.shape())?), matrix: rows }
        }
        Shape::Rounded(rounded) => {
            verify::Shape::Rounded { shape: Box::new(core(rounded.shape())?), radius: rounded.radius() }
        }
        Shape::HalfSpace(plane) => {
            verify::Shape::HalfSpace { normal: plane.normal().to_array(), offset: plane.offset() }
        }
        Shape::Compound(compound) => {
            let part = |part: &clearance::shape::Part| {
                Some(verify::Part { shape: asked_shape(&part.shape)?, pose: pose(&part.pose) })
            };
            verify::Shape::Compound(compound.parts().iter().map(part).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// The core of a shape as a shape.
fn core(shape: &Shape) -> Option<verify::Shape> {
    match shape {
        Shape::Sphere(_) => Some(verify::Shape::Point {}),
        Shape::Segment(segment) => {
            let [a, b] = segment.ends().map(|end| end.to_array());
            Some(verify::Shape::Segment { a, b })
        }
        Shape::Rounded(rounded) => core(rounded.shape()),
        _ => asked_shape(shape),
    }
}

/// The numbers of a pose.
pub(crate) fn pose(pose: &Pose) -> verify::Pose {
    verify::Pose { translation: pose.translation().to_array(), rotation: pose.rotation().to_array() }
}

pub(super) fn distance(c: &Clearance) -> verify::Distance {
    verify::Distance {
        distance: c.distance,
        point_a: c.point_a.to_array(),
        point_b: c.point_b.to_array(),
        normal: c.normal.to_array(),
        lower: c.lower,
        upper: c.upper,
    }
}

/// Evidence as the checker takes it.
#[must_use]
pub fn evidence(proof: &Proof) -> verify::Evidence {
    let pairs = |points: &[[Member; 2]]| points.iter().map(|[a, b]| [member(a), member(b)]).collect();
    let upper = proof.upper.as_ref().map(|upper| match upper {
        Upper::Points { parts, points: [a, b] } => verify::Upper::Points { parts: *parts, a: member(a), b: member(b) },
        Upper::Simplex { parts, points } => verify::Upper::Simplex { parts: *parts, points: pairs(points) },
        Upper::Surface { parts, points, triangles } => {
            verify::Upper::Surface { parts: *parts, points: pairs(points), triangles: triangles.clone() }
        }
    });
    verify::Evidence { lower: proof.lower.iter().map(DVec3::to_array).collect(), upper }
}

fn member(of: &Member) -> verify::Member {
    match of {
        Member::Vertex(number) => verify::Member::Vertex(*number),
        Member::At(point) => verify::Member::At(point.to_array()),
        Member::Mix(terms) => verify::Member::Mix(terms.iter().map(|(share, of)| (*share, member(of))).collect()),
        Member::Image(of) => verify::Member::Image(Box::new(member(of))),
        Member::Offset { core, offset } => {
            verify::Member::Offset { core: Box::new(member(core)), offset: offset.to_array() }
        }
        Member::Plane => verify::Member::Plane {},
    }
}
