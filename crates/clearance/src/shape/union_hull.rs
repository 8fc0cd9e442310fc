//! The convex hull of a compound's bounded parts, by its support mapping: the part that reaches highest decides.

use super::{Compound, Convex};
use crate::math::rounding::COMPOSED;
use glam::DVec3;

/// The hull of the parts of a compound, none of which is unbounded. The core is the hull of their cores, less the ball that all of
/// them have at least.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnionHull<'a> {
    compound: &'a Compound,
    radius: f64,
}

impl<'a> UnionHull<'a> {
    pub fn new(compound: &'a Compound) -> Self {
        let cores = compound.parts().iter().filter_map(|part| part.shape.with_hull(|hull| hull.radius()));
        let radius = cores.fold(f64::INFINITY, f64::min);
        Self { compound, radius: if radius.is_finite() { radius } else { 0.0 } }
    }

    /// A point of a part's core, with what its ball has more than the hull's.
    fn point(&self, number: u32, direction: DVec3) -> DVec3 {
        let part = &self.compound.parts()[number as usize];
        let local = part.pose.inverse_transform_vector(direction);
        let Some((point, radius)) = part.shape.with_hull(|core| (core.support(local), core.radius())) else {
            return DVec3::ZERO;
        };
        part.pose.transform_point(point) + (radius - self.radius) * direction.normalize_or_zero()
    }
}

impl Convex for UnionHull<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        let highest = self.compound.tree().highest(direction, |number| self.compound.height(number, direction));
        highest.map_or(DVec3::ZERO, |(number, _)| self.point(number, direction))
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn center(&self) -> DVec3 {
        let centers = self
            .compound
            .parts()
            .iter()
            .filter_map(|part| Some(part.pose.transform_point(part.shape.with_hull(|hull| hull.center())?)));
        let (sum, count) = centers.fold((DVec3::ZERO, 0.0), |(sum, count), center| (sum + center, count + 1.0));
        if count > 0.0 { sum / count } else { DVec3::ZERO }
    }

    fn bounding_radius(&self) -> f64 {
        self.compound.bounding_radius()
    }

    fn slack(&self) -> f64 {
        self.compound.slack() + COMPOSED * self.compound.bounding_radius()
    }
}
