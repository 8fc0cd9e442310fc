//! Axis-aligned boxes.

use glam::DVec3;

/// A box with sides along the coordinate axes; closed, and possibly unbounded (for a half-space).
///
/// ```
/// use clearance::math::Aabb;
///
/// let [a, b] = [0.0, 3.0].map(|x| Aabb::of_points([[x, 0.0, 0.0].into(), [x + 1.0, 1.0, 1.0].into()]));
/// assert!(!a.overlaps(&b) && a.distance(&b) == 2.0);
/// assert!(a.grown(2.0).overlaps(&b) && a.merged(&b).contains(b.center()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "super::serialized::AabbFields", into = "super::serialized::AabbFields"))]
pub struct Aabb {
    /// Corner of the smallest coordinates.
    pub min: DVec3,
    /// Corner of the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that holds nothing; the neutral element of [`Aabb::merged`].
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box that holds everything.
    pub const EVERYTHING: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box around some points.
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `margin` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// Do the boxes share a point? Touching counts.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The distance between the boxes, zero when they share a point.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        (other.min - self.max).max(self.min - other.max).max(DVec3::ZERO).length()
    }

    /// Is the point in the box?
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The centre of a bounded box.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_overlap_and_empty_ones_never_do() {
        let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let beside = Aabb { min: DVec3::new(1.0, 0.0, 0.0), max: DVec3::new(2.0, 1.0, 1.0) };
        assert!(unit.overlaps(&beside) && unit.distance(&beside) == 0.0);
        assert!(!unit.overlaps(&Aabb::EMPTY) && unit.overlaps(&Aabb::EVERYTHING));
        assert_eq!(unit.merged(&Aabb::EMPTY), unit);
        let away = Aabb { min: DVec3::new(4.0, 5.0, 0.0), max: DVec3::new(5.0, 6.0, 1.0) };
        assert_eq!(unit.distance(&away), 5.0);
    }
}
