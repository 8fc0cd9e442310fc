//! The Minkowski difference A - B, whose distance from the origin is the distance between A and B.

use crate::math::Frame;
use crate::math::rounding;
use crate::shape::Convex;
use glam::DVec3;

/// The cores of two convex shapes in the frame of A.
#[derive(Debug)]
pub struct Difference<'a, A: ?Sized, B: ?Sized> {
    /// The first shape.
    pub a: &'a A,
    /// The second shape.
    pub b: &'a B,
    /// B in the frame of A.
    pub b_in_a: &'a Frame,
    /// A bound on every coordinate and length that occurs.
    pub scale: f64,
    /// A bound on the error of every height and length computed from this difference.
    pub rounding: f64,
}

/// A point of A - B, with the point of A it comes from; in the frame of A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// The point of A minus the point of B.
    pub w: DVec3,
    /// The point of A; that of B is `point_a - w`.
    pub point_a: DVec3,
    /// Vertex numbers in A and B, or [`NO_VERTEX`](crate::shape::NO_VERTEX).
    pub ids: [u32; 2],
}

impl Vertex {
    pub(crate) const ORIGIN: Self = Self { w: DVec3::ZERO, point_a: DVec3::ZERO, ids: [0; 2] };
}

impl<'a, A: Convex + ?Sized, B: Convex + ?Sized> Difference<'a, A, B> {
    /// The difference of two shapes.
    #[inline(always)]
    pub fn new(a: &'a A, b: &'a B, b_in_a: &'a Frame) -> Self {
        let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
        let rounding = rounding::of_pair(scale, a.slack() + b.slack());
        Self { a, b, b_in_a, scale, rounding }
    }

    /// The point of A - B farthest along `-v`: the one that decides whether `v` can get shorter.
    #[inline]
    pub fn support(&self, v: DVec3) -> Vertex {
        let a = self.a.support_vertex(-v);
        let b = self.b.support_vertex(self.b_in_a.direction_in_b(v));
        let point_b = self.b_in_a.point(b.point);
        Vertex { w: a.point - point_b, point_a: a.point, ids: [a.vertex, b.vertex] }
    }

    /// The height of that point: `v·w`, without asking which point it is.
    #[inline]
    pub fn height(&self, v: DVec3) -> f64 {
        let (a, b) = (self.a.height(-v), self.b.height(self.b_in_a.direction_in_b(v)));
        -(a + (b + v.dot(self.b_in_a.translation)))
    }

    /// The point of A - B that belongs to two vertices by number, if the shapes have them.
    #[inline]
    pub fn vertex(&self, ids: [u32; 2]) -> Option<Vertex> {
        let (point_a, b) = (self.a.vertex(ids[0])?, self.b.vertex(ids[1])?);
        let point_b = self.b_in_a.point(b);
        Some(Vertex { w: point_a - point_b, point_a, ids })
    }

    /// The vector from the centre of B to the centre of A: a point of A - B, and the usual first guess.
    #[inline]
    pub fn center(&self) -> DVec3 {
        self.a.center() - self.b_in_a.point(self.b.center())
    }
}
