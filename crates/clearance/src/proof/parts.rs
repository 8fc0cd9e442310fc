//! Parts as evidence counts them: those of a compound in their order, and in place of a mesh each of its triangles.
//!
//! A *body* is a part in the sense of the library: a mesh is one body and as many parts as it has triangles. Invariants:
//!
//! 1. The parts of a body have consecutive numbers, from [`PosedBody::first`] on, and bodies are in the order of the compound.
//! 2. All poses are relative to one origin that both shapes share, so that no digits are lost far from the world's origin.
//! 3. Directions are those of the world.

use super::part_pair::PartPair;
use super::witness;
use crate::math::{Frame, Pose};
use crate::shape::{Feature, Mesh, Shape, Triangle};
use glam::DVec3;
use std::ops::Range;

/// A shape with more parts has no evidence. Limit: the checker refuses more than 2^20 triangles, and its budget ends before 2^24 parts.
const MAX_PARTS: u64 = 1 << 24;

/// The number of parts of a body.
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

/// Does a shape have at most `MAX_PARTS` parts?
pub(super) fn is_countable(shape: &Shape) -> bool {
    let total = match shape {
        Shape::Compound(compound) => compound.parts().iter().map(|part| u64::from(count(&part.shape))).sum(),
        _ => u64::from(count(shape)),
    };
    total <= MAX_PARTS
}

/// A body at its pose.
#[derive(Clone, Copy)]
pub(super) struct PosedBody<'a> {
    pub shape: &'a Shape,
    pub pose: Pose,
    /// The number of its first part.
    pub first: u32,
}

/// The bodies of one of two shapes.
pub(super) struct PosedBodies<'a>(pub Vec<PosedBody<'a>>);

/// A part of a body.
#[derive(Clone)]
pub(super) struct PosedPart<'a> {
    pub number: u32,
    pub body: PosedBody<'a>,
    /// The triangle, if the body is a mesh.
    triangle: Option<Shape>,
}

impl<'a> PosedBodies<'a> {
    /// The bodies of a shape, relative to an origin.
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

    /// The bodies of two shapes, relative to the origin of the first.
    pub fn of_both([a, b]: [&'a Shape; 2], [pose_a, pose_b]: [Pose; 2]) -> [Self; 2] {
        let origin = pose_a.translation();
        [Self::new(a, pose_a, origin), Self::new(b, pose_b, origin)]
    }

    /// The part of that number.
    pub fn part(&self, number: u32) -> Option<PosedPart<'a>> {
        let after = self.0.partition_point(|body| body.first <= number);
        let body = *self.0.get(after.checked_sub(1)?)?;
        body.numbers().contains(&number).then(|| body.part(number))
    }
}

impl<'a> PosedBody<'a> {
    /// The numbers of its parts.
    pub fn numbers(&self) -> Range<u32> {
        self.first..self.first + count(self.shape)
    }

    fn part(self, number: u32) -> PosedPart<'a> {
        debug_assert!(self.numbers().contains(&number));
        let corners = self.shape.as_mesh().map(|mesh| mesh.corners(number - self.first));
        let triangle = corners.and_then(|[a, b, c]| Triangle::new(a, b, c).ok()).map(Shape::Triangle);
        PosedPart { number, body: self, triangle }
    }

    /// The part with a feature, if that names a triangle of a mesh or the body has one part only.
    pub fn part_of(&self, feature: Feature) -> Option<u32> {
        match (self.shape.as_mesh(), feature) {
            (None, _) => Some(self.first),
            (Some(mesh), Feature::Face(triangle)) if (triangle as usize) < mesh.triangles().len() => {
                Some(self.first + triangle)
            }
            _ => None,
        }
    }

    /// The part with the least height along a unit vector, and that height.
    pub fn lowest(&self, along: DVec3) -> (f64, u32) {
        let local = self.pose.inverse_transform_vector(along);
        let base = self.pose.translation().dot(along);
        if let Some(mesh) = self.shape.as_mesh() {
            let height = |number: u32| mesh.corners(number - self.first).map(|corner| corner.dot(local));
            let heights =
                self.numbers().map(|number| (height(number).into_iter().fold(f64::INFINITY, f64::min), number));
            let (lowest, number) = heights.min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or((f64::INFINITY, self.first));
            return (base + lowest, number);
        }
        // Half-spaces have no lowest point.
        let lowest = self.shape.convex().map_or(f64::NEG_INFINITY, |core| -core.height(-local) - core.radius());
        (base + lowest, self.first)
    }

    /// The part with a witness point: that of its feature, or the triangle nearest to the point.
    pub fn part_at(&self, feature: Feature, point: DVec3) -> u32 {
        self.part_of(feature).unwrap_or_else(|| match self.shape.as_mesh() {
            Some(mesh) => self.first + nearest_triangle(mesh, self.pose.inverse_transform_point(point)).0,
            None => self.first,
        })
    }
}

/// The triangle of a mesh that is nearest to a point of its frame, and their distance to rounding.
pub(super) fn nearest_triangle(mesh: &Mesh, point: DVec3) -> (u32, f64) {
    let (at, probe) = (Pose::from_translation(point), Shape::point());
    let distance = |number: u32| {
        let [a, b, c] = mesh.corners(number);
        let triangle = Triangle::new(a, b, c).ok().map(Shape::Triangle);
        triangle.map_or(f64::INFINITY, |triangle| crate::distance(&triangle, Pose::IDENTITY, &probe, at).distance)
    };
    let mut best = (0, f64::INFINITY);
    for number in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(number);
        let to_box = (a.min(b).min(c) - point).max(point - a.max(b).max(c)).max(DVec3::ZERO).length();
        if to_box < best.1 {
            let found = distance(number);
            if found < best.1 {
                best = (number, found);
            }
        }
    }
    best
}

impl<'a> PosedPart<'a> {
    pub fn shape(&self) -> &Shape {
        self.triangle.as_ref().unwrap_or(self.body.shape)
    }

    /// The mesh that the part is a triangle of.
    pub fn mesh(&self) -> Option<&'a Mesh> {
        self.body.shape.as_mesh()
    }

    /// The vertices of a feature. Evidence leaves out those of triangles.
    pub fn spanning(&self, feature: Feature) -> Vec<u32> {
        if self.triangle.is_some() { Vec::new() } else { witness::spanning(self.body.shape, feature) }
    }

    /// This part of A and a part of B.
    pub fn with(self, other: Self) -> PartPair<'a> {
        let b_in_a = Frame::relative(&self.body.pose, &other.body.pose);
        PartPair { a: self, b: other, b_in_a }
    }
}
