//! Members next to the witness points of an answer, and the vertices of their features.

use super::member::{ProvableCore, vertex_number};
use super::nearest::nearest;
use crate::math::{Frame, Pose};
use crate::shape::{Feature, Shape};
use clearance_verify::Member;
use glam::DVec3;

/// A member of a core and its place, in the frame of the core and to rounding.
pub(super) struct PlacedMember {
    pub member: Member,
    pub place: DVec3,
}

/// A member of a core within the radius of a point, to rounding. `outward` is the direction out of the shape there.
pub(super) fn beside(core: &ProvableCore<'_>, pose: &Pose, point: DVec3, outward: DVec3) -> Option<PlacedMember> {
    let origin = Shape::point();
    let place = Pose::try_new(point, glam::DQuat::IDENTITY).ok()?;
    let frame = Frame::relative(pose, &place);
    let toward = pose.inverse_transform_vector(outward);
    // On a smooth surface the support point is nearest, on a face a mean of corners.
    let (corner, farthest) = core.support(toward);
    let behind = frame.translation - toward * core.radius();
    let found = nearest(core, &ProvableCore::new(&origin)?, &frame, toward);
    let [member, _] = found.witnesses();
    let is_better = (corner - behind).length() <= (found.distance() - core.radius()).max(0.0);
    Some(match is_better {
        true => PlacedMember { member: farthest, place: corner },
        false => PlacedMember { member, place: frame.translation + found.difference() },
    })
}

/// The vertices of an edge or a face as evidence numbers them; none for other features.
pub(super) fn spanning(shape: &Shape, feature: Feature) -> Vec<u32> {
    let mut vertices = vertices(shape, feature);
    vertices.iter_mut().for_each(|vertex| *vertex = vertex_number(shape, *vertex));
    vertices
}

fn vertices(shape: &Shape, feature: Feature) -> Vec<u32> {
    match (shape, feature) {
        (Shape::Rounded(rounded), _) => vertices(rounded.shape(), feature),
        (Shape::Affine(affine), _) => vertices(affine.shape(), feature),
        (Shape::Segment(_), Feature::Edge(0)) => vec![0, 1],
        (Shape::Triangle(_), Feature::Edge(number)) if number < 3 => vec![number, (number + 1) % 3],
        (Shape::Triangle(_), Feature::Face(0)) => vec![0, 1, 2],
        // As the box numbers them: along x, y, z, then by the signs of the other two coordinates.
        (Shape::Cuboid(_), Feature::Edge(number @ 0..4)) => vec![number << 1, number << 1 | 1],
        (Shape::Cuboid(_), Feature::Edge(number @ 4..8)) => {
            let first = number & 1 | (number & 2) << 1;
            vec![first, first | 2]
        }
        (Shape::Cuboid(_), Feature::Edge(number @ 8..12)) => vec![number & 3, number & 3 | 4],
        (Shape::Cuboid(_), Feature::Face(number @ 0..6)) => {
            (0..8).filter(|v| v >> (number >> 1) & 1 == number & 1).collect()
        }
        (Shape::Polytope(polytope), Feature::Edge(number)) if (number as usize) < polytope.edge_count() => {
            let edge = polytope.edge(number);
            vec![edge.tail, edge.head]
        }
        (Shape::Polytope(polytope), Feature::Face(number)) if (number as usize) < polytope.face_count() => {
            polytope.face(number).vertices.to_vec()
        }
        _ => Vec::new(),
    }
}
