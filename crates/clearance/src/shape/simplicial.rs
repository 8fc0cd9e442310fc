//! Shapes whose core is a point, a segment or a triangle: exact once an engine has the core's answer.

use super::form::Form;
use super::{Axis, Convex, Feature, HalfHeight, Radius, SupportPoint, Symmetry};
use crate::error::{self, BuildError};
use crate::math::rounding::SMALLEST_LENGTH;
use glam::{DQuat, DVec3};

/// A ball about the origin; with radius zero a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// The single point at the origin.
    pub const POINT: Self = Self { radius: 0.0 };

    /// A ball of that radius.
    pub fn new(radius: f64) -> Result<Self, BuildError> {
        Ok(Self { radius: error::size(|| "radius".into(), radius)? })
    }
}

impl Convex for Sphere {
    fn support(&self, _direction: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Ball { center: DVec3::ZERO }
    }

    fn form(&self) -> Option<Form> {
        Form::hull([DVec3::ZERO])
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        0.0
    }

    fn support_vertex(&self, _direction: DVec3) -> SupportPoint {
        SupportPoint { point: DVec3::ZERO, vertex: 0 }
    }

    fn vertex(&self, _vertex: u32) -> Option<DVec3> {
        Some(DVec3::ZERO)
    }

    /// A core of one point is as smooth as can be.
    fn is_curved(&self) -> bool {
        true
    }

    fn curvature_range(&self, _direction: DVec3, _angle: [f64; 2]) -> [f64; 2] {
        [1.0, 1.0]
    }

    fn feature(&self, _vertices: &[u32]) -> Feature {
        if self.radius == 0.0 { Feature::Vertex(0) } else { Feature::Surface }
    }
}

/// A straight line from `a` to `b` with a radius: segment (radius zero) and capsule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    ends: [DVec3; 2],
    radius: f64,
    bounding_radius: f64,
    /// The square of half its length and one over it; both zero for a segment that is a point.
    squares: [f64; 2],
    /// Half its length, the root of the square.
    half_length: f64,
    /// Is it a capsule's, along the y axis and about the origin?
    is_upright: bool,
}

impl Segment {
    /// The segment from `a` to `b`.
    pub fn new(a: DVec3, b: DVec3) -> Result<Self, BuildError> {
        let ends = [error::vector(|| "a".into(), a)?, error::vector(|| "b".into(), b)?];
        Ok(Self::of(ends, 0.0))
    }

    /// The capsule about an axis: all points within the radius of the segment from -`half_height` to `half_height`.
    pub fn capsule(
        axis: Axis,
        Radius(radius): Radius,
        HalfHeight(half_height): HalfHeight,
    ) -> Result<Self, BuildError> {
        let radius = error::size(|| "radius".into(), radius)?;
        let half_height = error::size(|| "half_height".into(), half_height)?;
        let top = half_height * axis.direction();
        Ok(Self::of([-top, top], radius))
    }

    /// The capsule between two points: all points within the radius of the segment from `a` to `b`.
    pub fn capsule_between(a: DVec3, b: DVec3, Radius(radius): Radius) -> Result<Self, BuildError> {
        let segment = Self::new(a, b)?;
        Ok(Self { radius: error::size(|| "radius".into(), radius)?, ..segment })
    }

    fn of(ends: [DVec3; 2], radius: f64) -> Self {
        let square = (0.5 * (ends[1] - ends[0])).length_squared();
        let squares = if square > SMALLEST_LENGTH * SMALLEST_LENGTH { [square, 1.0 / square] } else { [0.0; 2] };
        let is_upright = ends[1] == -ends[0] && ends[1].x == 0.0 && ends[1].z == 0.0;
        let bounding_radius = ends[0].length().max(ends[1].length());
        Self { ends, radius, bounding_radius, squares, half_length: squares[0].sqrt(), is_upright }
    }

    /// The two ends of the core.
    #[inline]
    #[must_use]
    pub fn ends(&self) -> [DVec3; 2] {
        self.ends
    }

    /// The middle of the core and the vector from there to its second end, turned.
    #[inline(always)]
    pub(crate) fn turned(&self, q: DQuat) -> [DVec3; 2] {
        let [a, b] = self.ends;
        if self.is_upright {
            // The second column of the rotation matrix.
            let axis = DVec3::new(q.x * q.y - q.w * q.z, 0.5 - (q.x * q.x + q.z * q.z), q.y * q.z + q.w * q.x);
            return [DVec3::ZERO, axis * (2.0 * b.y)];
        }
        [q * (0.5 * (a + b)), q * (0.5 * (b - a))]
    }

    /// The square of half its length and one over it; both zero for a segment that is a point.
    #[inline(always)]
    pub(crate) fn squares(&self) -> [f64; 2] {
        self.squares
    }

    /// Half its length, to rounding; zero for a segment that is a point.
    #[inline(always)]
    pub(crate) fn half_length(&self) -> f64 {
        self.half_length
    }
}

impl Convex for Segment {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::of_segment(self.ends[0], self.ends[1])
    }

    fn form(&self) -> Option<Form> {
        Form::hull(self.ends)
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.ends[0] + self.ends[1])
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let vertex = usize::from((self.ends[1] - self.ends[0]).dot(direction) > 0.0);
        SupportPoint { point: self.ends[vertex], vertex: vertex as u32 }
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.ends.get(vertex as usize).copied()
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        match (self.radius == 0.0, vertices) {
            (false, _) | (_, []) => Feature::Surface,
            (true, [first, rest @ ..]) if rest.iter().all(|v| v == first) => Feature::Vertex(*first),
            (true, _) => Feature::Edge(0),
        }
    }
}

/// A flat triangle. Edge `e0` runs from `a` to `b`, `e1` from `b` to `c`, `e2` from `c` to `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    corners: [DVec3; 3],
}

impl Triangle {
    /// The triangle of three points; it may be degenerate.
    pub fn new(a: DVec3, b: DVec3, c: DVec3) -> Result<Self, BuildError> {
        let corners =
            [error::vector(|| "a".into(), a)?, error::vector(|| "b".into(), b)?, error::vector(|| "c".into(), c)?];
        Ok(Self { corners })
    }

    /// The three corners.
    #[inline]
    #[must_use]
    pub fn corners(&self) -> [DVec3; 3] {
        self.corners
    }
}

impl Convex for Triangle {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support_vertex(direction).point
    }

    fn form(&self) -> Option<Form> {
        Form::hull(self.corners)
    }

    fn center(&self) -> DVec3 {
        (self.corners[0] + self.corners[1] + self.corners[2]) / 3.0
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.corners.iter().fold(0.0, |bounding_radius, c| bounding_radius.max(c.length()))
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let [a, b, c] = self.corners.map(|corner| corner.dot(direction));
        let vertex = if a >= b && a >= c { 0 } else { 1 + usize::from(c > b) };
        SupportPoint { point: self.corners[vertex], vertex: vertex as u32 }
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.corners.get(vertex as usize).copied()
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        let present = vertices.iter().fold(0_u32, |bits, v| bits | 1 << (v & 3));
        match present {
            0b001 => Feature::Vertex(0),
            0b010 => Feature::Vertex(1),
            0b100 => Feature::Vertex(2),
            0b011 => Feature::Edge(0),
            0b110 => Feature::Edge(1),
            0b101 => Feature::Edge(2),
            _ => Feature::Face(0),
        }
    }
}
