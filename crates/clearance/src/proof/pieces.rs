//! The parts that evidence counts: those of a compound in their order, and in place of a mesh all of its triangles.
//!
//! What is a part to the library, and several to evidence if it is a mesh, is a *body* here. This is the one place that knows how the one is
//! numbered by the other.

use super::PartPair;
use super::member::Member;
use super::witness;
use crate::math::{Frame, Pose};
use crate::shape::{Feature, Mesh, Shape, Triangle};
use glam::DVec3;
use std::ops::Range;

/// With more parts than this in a shape nothing is written: no checker would read it.
const MOST_PARTS: u64 = 1 << 24;

/// The shape that has the part which evidence gives that number: the shape itself, or a part of a compound.
///
/// ```
/// use clearance::{Pose, Shape, proof};
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let both = Shape::compound([(mesh, Pose::IDENTITY), (Shape::sphere(1.0)?, Pose::from_translation([3.0, 0.0, 0.0]))])?;
/// // The four triangles are parts 0 to 3.
/// assert_eq!(proof::shape_of_part(&both, 3).kind(), "mesh");
/// assert_eq!(proof::shape_of_part(&both, 4).kind(), "sphere");
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn shape_of_part(shape: &Shape, number: u32) -> &Shape {
    let Shape::Compound(compound) = shape else { return shape };
    let mut first = 0_u64;
    let found = compound.parts().iter().find(|part| {
        first += u64::from(count(&part.shape));
        u64::from(number) < first
    });
    found.map_or(shape, |part| &part.shape)
}

/// How many parts a body has.
fn count(shape: &Shape) -> u32 {
    shape.as_mesh().map_or(1, |mesh| mesh.triangles().len() as u32)
}

/// Is a shape a mesh, or does it have one among its parts?
pub(super) fn has_mesh(shape: &Shape) -> bool {
    match shape {
        Shape::Compound(compound) => compound.parts().iter().any(|part| part.shape.as_mesh().is_some()),
        _ => shape.as_mesh().is_some(),
    }
}

/// Has a shape so few parts that they can be written about?
pub(super) fn is_countable(shape: &Shape) -> bool {
    let total = match shape {
        Shape::Compound(compound) => compound.parts().iter().map(|part| u64::from(count(&part.shape))).sum(),
        _ => u64::from(count(shape)),
    };
    total <= MOST_PARTS
}

/// A body in the world that is moved so that A's origin is zero.
#[derive(Clone, Copy)]
pub(super) struct PosedBody<'a> {
    pub shape: &'a Shape,
    pub pose: Pose,
    /// The number of its first part.
    pub first: u32,
}

/// The bodies of one of two shapes.
pub(super) struct PosedBodies<'a>(pub Vec<PosedBody<'a>>);

/// A part, and which one it is.
#[derive(Clone)]
pub(super) struct PartPiece<'a> {
    pub number: u32,
    pub body: PosedBody<'a>,
    /// The triangle, if the body is a mesh.
    triangle: Option<Shape>,
}

impl<'a> PosedBodies<'a> {
    pub fn new(shape: &'a Shape, pose: Pose, origin: DVec3) -> Self {
        let pose = pose.moved_by(-origin);
        let mut first = 0;
        let mut body = |shape: &'a Shape, pose: Pose| {
            let body = PosedBody { shape, pose, first };
            first += count(shape);
            body
        };
        Self(match shape {
            Shape::Compound(compound) => {
                compound.parts().iter().map(|part| body(&part.shape, pose * part.pose)).collect()
            }
            _ => vec![body(shape, pose)],
        })
    }

    /// The part of that number, which evidence has given it.
    pub fn piece(&self, number: u32) -> Option<PartPiece<'a>> {
        let after = self.0.partition_point(|body| body.first <= number);
        let body = *self.0.get(after.checked_sub(1)?)?;
        body.numbers().contains(&number).then(|| body.piece(number))
    }
}

impl<'a> PosedBody<'a> {
    /// The numbers of its parts.
    pub fn numbers(&self) -> Range<u32> {
        self.first..self.first + count(self.shape)
    }

    fn piece(self, number: u32) -> PartPiece<'a> {
        let corners = self.shape.as_mesh().map(|mesh| mesh.corners(number - self.first));
        let triangle = corners.and_then(|[a, b, c]| Triangle::new(a, b, c).ok()).map(Shape::Triangle);
        PartPiece { number, body: self, triangle }
    }

    /// The part with a witness: by its feature, or because it is nearest to the point.
    pub fn part_at(&self, feature: Feature, point: DVec3) -> u32 {
        match (self.shape.as_mesh(), feature) {
            (None, _) => self.first,
            (Some(mesh), Feature::Face(triangle)) if (triangle as usize) < mesh.triangles().len() => {
                self.first + triangle
            }
            (Some(mesh), _) => self.first + nearest_triangle(mesh, self.pose.inverse_transform_point(point)).0,
        }
    }
}

/// The triangle of a mesh that is nearest to a point of its frame, and how far it is, to rounding.
pub(super) fn nearest_triangle(mesh: &Mesh, point: DVec3) -> (u32, f64) {
    let (at, probe) = (Pose::from_translation(point), Shape::point());
    let distance = |number: u32| {
        let [a, b, c] = mesh.corners(number);
        // What is beyond its box is not worth a closer look.
        let triangle = Triangle::new(a, b, c).ok().map(Shape::Triangle);
        triangle.map_or(f64::INFINITY, |triangle| crate::distance(&triangle, Pose::IDENTITY, &probe, at).distance)
    };
    let mut best = (0, f64::INFINITY);
    for number in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(number);
        let beyond = (a.min(b).min(c) - point).max(point - a.max(b).max(c)).max(DVec3::ZERO).length();
        if beyond < best.1 {
            let found = distance(number);
            if found < best.1 {
                best = (number, found);
            }
        }
    }
    best
}

impl PartPiece<'_> {
    pub fn shape(&self) -> &Shape {
        self.triangle.as_ref().unwrap_or(self.body.shape)
    }

    /// A member with the vertices as they were written: a mesh that is mirrored has its triangles turned over.
    pub fn written(&self, member: &Member) -> Member {
        let is_turned = self.body.shape.as_mesh().is_some_and(Mesh::is_turned);
        if is_turned { turned(member) } else { member.clone() }
    }

    /// The vertices of a feature; those of triangles need not be told.
    pub fn spanning(&self, feature: Feature) -> Vec<u32> {
        if self.triangle.is_some() { Vec::new() } else { witness::spanning(self.body.shape, feature) }
    }
}

fn turned(member: &Member) -> Member {
    match member {
        Member::Vertex(vertex @ 1..=2) => Member::Vertex(3 - vertex),
        Member::Mix(terms) => Member::Mix(terms.iter().map(|(share, term)| (*share, turned(term))).collect()),
        _ => member.clone(),
    }
}

/// A part of each of two shapes.
pub(super) fn part_pair<'p>(a: &'p PartPiece<'_>, b: &'p PartPiece<'_>) -> PartPair<'p> {
    let (pose_a, pose_b) = (a.body.pose, b.body.pose);
    PartPair {
        parts: [a.number, b.number],
        a: a.shape(),
        pose_a,
        b: b.shape(),
        pose_b,
        b_in_a: Frame::relative(&pose_a, &pose_b),
    }
}
