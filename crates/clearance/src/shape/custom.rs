//! A custom shape, guarded: engines only get numbers that they can compute with.
//!
//! Radius, bounding radius and center are read once, when the shape is built: a bracket is only worth something if they stay what they
//! are. Every point is checked: one that is not finite, or lies beyond the bounding radius, becomes a NaN, which every engine takes for a
//! broken contract ([`Status::BadSupport`](crate::Status::BadSupport)). Methods that only the library's own shapes are trusted
//! with, bounds on curvature and balls inside, are not called.

use super::convex::AXES;
use super::{Branch, Cap, Convex, Feature, Patch, SupportPoint};
use crate::error::{self, BuildError};
use glam::DVec3;

/// See [`Shape::custom`](super::Shape::custom).
#[derive(Debug)]
pub struct Custom {
    shape: Box<dyn Convex>,
    radius: f64,
    bounding_radius: f64,
    center: DVec3,
    /// The square of the bounding radius, and a little more for rounding: the caller's, not only ours.
    far: f64,
}

/// A shape may have points beyond the bounding radius that it states, by this part of it. Limit: the rounding error of careful user code, with
/// room.
const ROUNDING: f64 = 1e-9;

impl Custom {
    pub(super) fn new(shape: impl Convex + 'static) -> Result<Self, BuildError> {
        let radius = error::size(|| "radius".into(), shape.radius())?;
        let stated = error::size(|| "bounding_radius".into(), shape.bounding_radius());
        let center = error::vector(|| "center".into(), shape.center());
        let (stated, center) = match (stated, center) {
            (Ok(stated), Ok(center)) => (stated, center),
            // Both come from support points unless the shape has its own: then those are what is wrong.
            (stated, center) => {
                check_support(&shape)?;
                (stated?, center?)
            }
        };
        // A point that passes must be within the bounding radius.
        let bounding_radius = stated * (1.0 + ROUNDING);
        Ok(Self {
            shape: Box::new(shape),
            radius,
            bounding_radius,
            center,
            far: bounding_radius * bounding_radius + f64::MIN_POSITIVE,
        })
    }

    /// The shape itself.
    #[must_use]
    pub fn shape(&self) -> &dyn Convex {
        &*self.shape
    }

    /// The point, or a NaN if it cannot be one of this shape.
    #[inline]
    fn checked(&self, point: DVec3) -> DVec3 {
        // Written so that a NaN is none.
        if point.length_squared() <= self.far { point } else { DVec3::NAN }
    }
}

/// Are the support points along the axes numbers that can be computed with?
fn check_support(shape: &impl Convex) -> Result<(), BuildError> {
    for axis in AXES.into_iter().flat_map(|axis| [axis, -axis]) {
        let [x, y, z] = axis.to_array();
        error::vector(|| format!("support([{x:?}, {y:?}, {z:?}])"), shape.support(axis))?;
    }
    Ok(())
}

impl Convex for Custom {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.checked(self.shape.support(direction))
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        let SupportPoint { point, vertex } = self.shape.support_vertex(direction);
        SupportPoint { point: self.checked(point), vertex }
    }

    fn is_curved(&self) -> bool {
        self.shape.is_curved()
    }

    fn patch(&self, direction: DVec3, across: [DVec3; 2]) -> Patch {
        let Patch { branch, rival } = self.shape.patch(direction, across);
        let checked = |Branch { point, curvature }| Branch { point: self.checked(point), curvature };
        Patch { branch: checked(branch), rival: rival.map(checked) }
    }

    fn cap(&self, direction: DVec3) -> Option<Cap> {
        let Cap { center, normal, radius } = self.shape.cap(direction)?;
        let normal = normal.try_normalize()?;
        // All of its points have to be points of the shape.
        let is_inside = radius >= 0.0 && self.checked(center).length() + radius <= self.bounding_radius;
        is_inside.then_some(Cap { center, normal, radius })
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        self.shape.vertex(vertex).filter(|point| self.checked(*point).is_finite())
    }

    fn feature(&self, vertices: &[u32]) -> Feature {
        self.shape.feature(vertices)
    }
}
