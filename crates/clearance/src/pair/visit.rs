//! The one match over pairs of kinds of shapes: it calls the method of a query for the family of the pair.
//!
//! A query ([`PairQuery`]) says what it does with each family of pairs; [`visit`] finds the family. There is no arm for "all the rest": a new
//! kind of shape does not compile until every pair that it makes has a family.

use super::closed::{self, ClosedForm};
use crate::math::{Frame, Pose};
use crate::shape::{Convex, Cuboid, Family, HalfSpace, MeshHull, Polytope, Shape};

/// Two shapes at their poses.
#[derive(Clone, Copy)]
pub(crate) struct PosedPair<'a> {
    pub a: &'a Shape,
    pub pose_a: &'a Pose,
    pub b: &'a Shape,
    pub pose_b: &'a Pose,
}

impl<'a> PosedPair<'a> {
    /// The pair with the roles of A and B exchanged.
    pub(super) fn swapped(&self) -> Self {
        Self { a: self.b, pose_a: self.pose_b, b: self.a, pose_b: self.pose_a }
    }

    #[inline]
    pub(super) fn frame(&self) -> Frame {
        Frame::relative(self.pose_a, self.pose_b)
    }

    /// Is one of the two, or a shape that it is derived from, custom?
    #[inline]
    pub(super) fn is_foreign(&self) -> bool {
        self.a.is_foreign() || self.b.is_foreign()
    }

    /// Are the balls about the origins of the two shapes apart? That needs no rotation.
    #[inline]
    pub(super) fn are_far(&self) -> bool {
        self.is_farther_than(self.far())
    }

    #[inline]
    pub(super) fn is_farther_than(&self, far: f64) -> bool {
        (self.pose_b.translation() - self.pose_a.translation()).length_squared() > far
    }

    /// The square of the distance of the origins from which on the balls are apart.
    #[inline]
    pub(super) fn far(&self) -> f64 {
        let reach = self.a.bounding_radius() + self.b.bounding_radius();
        // The allowance covers the rounding of the reaches and of the squares.
        reach * reach * (1.0 + 1e-12) + f64::MIN_POSITIVE
    }
}

/// A query about two shapes, with a method for each family of pairs.
///
/// Nothing wraps an answer: a clearance is large, and moving it takes as long as a round of an engine. Queries are not moved either: a
/// copy right after field-by-field writes is a store-to-load forwarding stall.
pub(super) trait PairQuery {
    type Answer;

    /// Two convex shapes whose types are known, where speed counts most.
    fn convex<A: Convex + ?Sized, B: Convex + ?Sized>(&mut self, a: &A, b: &B) -> Self::Answer;

    /// Two convex shapes through their vtables, custom shapes among them.
    #[inline]
    fn others(&mut self, a: &dyn Convex, b: &dyn Convex) -> Self::Answer {
        self.convex(a, b)
    }

    /// Two convex shapes for which there is a closed form.
    #[inline]
    fn closed_form<F: ClosedForm>(&mut self, form: F) -> Self::Answer {
        let [a, b] = form.cores();
        self.others(a, b)
    }

    /// Two boxes.
    #[inline]
    fn boxes(&mut self, a: &Cuboid, b: &Cuboid) -> Self::Answer {
        self.convex(a, b)
    }

    /// Two polytopes.
    #[inline]
    fn polytopes(&mut self, a: &Polytope, b: &Polytope) -> Self::Answer {
        self.convex(a, b)
    }

    /// A half-space and a bounded convex shape (or the hull of a mesh), which is the second if `IS_FIRST`.
    fn half_space<const IS_FIRST: bool>(&mut self, plane: &HalfSpace, other: &dyn Convex) -> Self::Answer;

    /// Two half-spaces.
    fn half_spaces(&mut self, a: &HalfSpace, b: &HalfSpace) -> Self::Answer;

    /// Two bounded shapes of which at least one is a mesh and none a compound.
    fn meshes(&mut self) -> Self::Answer;

    /// Two shapes of which at least one is a compound.
    fn compounds(&mut self) -> Self::Answer;
}

/// Puts a query to the two shapes.
#[inline(always)]
pub(super) fn visit<Q: PairQuery>(a: &Shape, b: &Shape, query: &mut Q) -> Q::Answer {
    // Polytopes are the most frequent pair: they skip the indirect jump and the stack frame of the others.
    if let (Shape::Polytope(a), Shape::Polytope(b)) = (a, b) {
        return query.polytopes(a, b);
    }
    table(a, b, query)
}

/// Every pair of kinds and its family. Closed forms may be a part of it, where poses stay in registers; searches are not.
#[inline(never)]
fn table<Q: PairQuery>(a: &Shape, b: &Shape, query: &mut Q) -> Q::Answer {
    use Shape::{
        Affine, Compound, Cone, Cuboid, Custom, Cylinder, Ellipsoid, HalfSpace, Mesh, Polytope, Rounded, Segment,
        Sphere, Triangle,
    };
    // The first shape through its vtable, for pairs without a family of their own.
    let other: &dyn Convex = match a {
        Sphere(x) => match b {
            Sphere(y) => return query.closed_form(closed::Balls(x, y)),
            Cuboid(y) => return query.closed_form(closed::BallFirst(x, y)),
            Triangle(y) => return query.closed_form(closed::BallFirst(x, y)),
            Segment(y) => return query.closed_form(closed::BallSegment(x, y)),
            Cylinder(_) | Cone(_) | Ellipsoid(_) | Polytope(_) | Affine(_) | Rounded(_) | Custom(_) => x,
            HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Cuboid(x) => match b {
            Sphere(y) => return query.closed_form(closed::BallSecond(x, y)),
            Cuboid(y) => return query.boxes(x, y),
            Polytope(y) => return query.convex(x, &**y),
            Segment(_) | Triangle(_) | Cylinder(_) | Cone(_) | Ellipsoid(_) | Affine(_) | Rounded(_) | Custom(_) => x,
            HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Segment(x) => match b {
            Sphere(y) => return query.closed_form(closed::SegmentBall(x, y)),
            Segment(y) => return query.closed_form(closed::Segments(x, y)),
            Cuboid(_) | Triangle(_) | Cylinder(_) | Cone(_) | Ellipsoid(_) | Polytope(_) => x,
            Affine(_) | Rounded(_) | Custom(_) | HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Triangle(x) => match b {
            Sphere(y) => return query.closed_form(closed::BallSecond(x, y)),
            Cuboid(_) | Segment(_) | Triangle(_) | Cylinder(_) | Cone(_) | Ellipsoid(_) | Polytope(_) => x,
            Affine(_) | Rounded(_) | Custom(_) | HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Cylinder(x) => match b {
            Cylinder(y) => return query.convex(x, y),
            Cone(y) => return query.convex(x, y),
            Ellipsoid(y) => return query.convex(x, y),
            Sphere(_) | Cuboid(_) | Segment(_) | Triangle(_) | Polytope(_) => x,
            Affine(_) | Rounded(_) | Custom(_) | HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Cone(x) => match b {
            Cylinder(y) => return query.convex(x, y),
            Cone(y) => return query.convex(x, y),
            Ellipsoid(y) => return query.convex(x, y),
            Sphere(_) | Cuboid(_) | Segment(_) | Triangle(_) | Polytope(_) => x,
            Affine(_) | Rounded(_) | Custom(_) | HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Ellipsoid(x) => match b {
            Cylinder(y) => return query.convex(x, y),
            Cone(y) => return query.convex(x, y),
            Ellipsoid(y) => return query.convex(x, y),
            Sphere(_) | Cuboid(_) | Segment(_) | Triangle(_) | Polytope(_) => x,
            Affine(_) | Rounded(_) | Custom(_) | HalfSpace(_) | Mesh(_) | Compound(_) => x,
        },
        Polytope(x) => match b {
            Polytope(y) => return query.polytopes(x, y),
            Cuboid(y) => return query.convex(&**x, y),
            Sphere(_) | Segment(_) | Triangle(_) | Cylinder(_) | Cone(_) | Ellipsoid(_) => &**x,
            Affine(_) | Rounded(_) | Custom(_) | HalfSpace(_) | Mesh(_) | Compound(_) => &**x,
        },
        Affine(x) => &**x,
        Rounded(x) => &**x,
        Custom(x) => &**x,
        HalfSpace(x) => {
            return match b.family() {
                Family::Convex(y) => query.half_space::<true>(x, y),
                Family::HalfSpace(y) => query.half_spaces(x, y),
                // Of what is on one side of a plane only the hull counts.
                Family::Mesh(y) => query.half_space::<true>(x, &MeshHull(y)),
                Family::Compound(_) => query.compounds(),
            };
        }
        Mesh(x) => {
            return match b.family() {
                Family::Convex(_) | Family::Mesh(_) => query.meshes(),
                Family::HalfSpace(y) => query.half_space::<false>(y, &MeshHull(x)),
                Family::Compound(_) => query.compounds(),
            };
        }
        Compound(_) => match b.family() {
            Family::Convex(_) | Family::HalfSpace(_) | Family::Mesh(_) | Family::Compound(_) => {
                return query.compounds();
            }
        },
    };
    match b.family() {
        Family::Convex(y) => query.others(other, y),
        Family::HalfSpace(y) => query.half_space::<false>(y, other),
        Family::Mesh(_) => query.meshes(),
        Family::Compound(_) => query.compounds(),
    }
}
