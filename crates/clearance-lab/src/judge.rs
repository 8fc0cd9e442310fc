//! The contract of an answer: every answer fulfils it by itself, for all queries and engines. All suites judge by this.
//!
//! * All numbers are finite, except those that say otherwise: an open bracket may be unbounded, and two half-spaces may overlap infinitely.
//! * `lower <= distance <= upper`.
//! * The normal is a unit, and `point_b = point_a + distance * normal`.
//! * The status fits: a closed bracket is narrow, an answer with a bad support has no NaN, and an overlap is not proved to be apart.
//! * The witnesses of a closed answer are on their shapes, within the width of its bracket.
//! * The normal of a closed answer proves its lower bound: two planes across it, that far apart, separate the shapes.
//!
//! An oracle decides whether an answer is *true* ([`soak::judge`](crate::soak::judge)), or the checker, which shares no code with this.
//!
//! The library's own tests cannot depend on the lab, which depends on the library: they compile this file as a module of theirs.

use clearance::math::DVec3;
use clearance::{Clearance, Pose, Shape, Status};

/// Largest difference of the bounds of a closed bracket, as a part of the size; polytopes are much better.
pub const CLOSED: f64 = 1e-10;

/// Lengths below this count as zero everywhere in the library.
pub const NOTHING: f64 = 4e-75;

/// Largest distance of a closed answer's witnesses from their shapes, beside the width of its bracket, as a part of the size. Newton's method finds
/// the direction of curved shapes and stops at 1e-12.
const ASTRAY: f64 = 2e-12;

/// The numbers of an answer: from the library, or from a line of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The signed distance.
    pub distance: f64,
    /// Its bracket.
    pub lower: f64,
    /// Its bracket.
    pub upper: f64,
    /// The witness on A.
    pub point_a: DVec3,
    /// The witness on B.
    pub point_b: DVec3,
    /// From A to B.
    pub normal: DVec3,
    /// The status.
    pub status: Status,
}

impl From<&Clearance> for Answer {
    fn from(c: &Clearance) -> Self {
        let Clearance { distance, lower, upper, point_a, point_b, normal, status, .. } = *c;
        Self { distance, lower, upper, point_a, point_b, normal, status }
    }
}

impl Answer {
    /// True if the status says that the bracket is closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.status == Status::Converged
    }

    /// The fault of the numbers, if there is one; `size` is at least the lengths of the pair.
    #[must_use]
    pub fn fault(&self, size: f64) -> Option<&'static str> {
        let Self { distance, lower, upper, point_a, point_b, normal, status } = *self;
        let is_endless = [distance, lower, upper] == [f64::NEG_INFINITY; 3];
        if ![point_a, point_b, normal].iter().all(|point| point.is_finite()) || !(distance.is_finite() || is_endless) {
            return Some("a number is not finite");
        }
        // Written so that a NaN is outside.
        if !(lower <= distance && distance <= upper) {
            return Some("the distance is outside its bracket");
        }
        if (normal.length() - 1.0).abs() > 1e-14 {
            return Some("the normal is no unit");
        }
        // World points carry the rounding of their coordinates.
        let rounding = 8.0 * f64::EPSILON * (size + point_a.length() + point_b.length()) + NOTHING;
        if !is_endless && (point_a + distance * normal - point_b).length() > rounding {
            return Some("the witnesses are not apart by the distance along the normal");
        }
        let fits = match status {
            Status::Converged => is_endless || upper - lower <= CLOSED * size + NOTHING,
            Status::Open => lower <= 0.0,
            Status::BadSupport => [lower, upper] == [f64::NEG_INFINITY, f64::INFINITY],
            _ => true,
        };
        (!fits).then_some("the status does not fit the bracket")
    }
}

/// The fault of an answer about two shapes, if there is one: in its numbers, or in its points.
#[must_use]
pub fn fault(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, found: &Clearance) -> Option<String> {
    let answer = Answer::from(found);
    let between = pose_b.translation() - pose_a.translation();
    let size = bounding_radius(a, &pose_a) + bounding_radius(b, &pose_b) + between.length();
    let tell = |what: &str| Some(format!("{what}: {found:?}"));
    if let Some(what) = answer.fault(size) {
        return tell(what);
    }
    if !answer.is_closed() || !answer.distance.is_finite() {
        return None;
    }
    let [Some(part_a), Some(part_b)] =
        [(a, &pose_a, 0), (b, &pose_b, 1)].map(|(shape, pose, side)| Part::of(shape, pose, found.parts[side]))
    else {
        return tell("there are no such parts");
    };
    let places = 8.0 * f64::EPSILON * (found.point_a.length() + found.point_b.length());
    let slack = (found.upper - found.lower) + ASTRAY * size + places + NOTHING;
    for (part, point) in [(&part_a, found.point_a), (&part_b, found.point_b)] {
        let outside = part.outside(point, found.normal);
        if outside > slack {
            return tell(&format!("a witness is outside of its shape by {outside:e}"));
        }
    }
    let (Some(height_a), Some(height_b)) = (part_a.height(found.normal), part_b.height(-found.normal)) else {
        return None;
    };
    let apart = (part_b.origin - part_a.origin).dot(found.normal) - height_a - height_b;
    let rounding = 64.0 * f64::EPSILON * size + places + NOTHING;
    (apart < found.lower - rounding).then(|| format!("the normal separates by {apart:e} only: {found:?}"))
}

/// A bound on the coordinates of a shape, as the scale of lengths. For a half-space it is the distance of its plane.
fn bounding_radius(shape: &Shape, pose: &Pose) -> f64 {
    match shape {
        Shape::HalfSpace(plane) => plane.offset().abs() + pose.translation().length(),
        _ => Some(shape.bounding_radius())
            .filter(|reach| reach.is_finite())
            .unwrap_or_else(|| pose.translation().length()),
    }
}

/// A shape, or the part of a compound that an answer is about, at its pose.
struct Part<'a> {
    shape: &'a Shape,
    /// Its axes in the world.
    axes: Pose,
    /// Its origin in the world.
    origin: DVec3,
}

impl<'a> Part<'a> {
    fn of(shape: &'a Shape, pose: &Pose, index: u32) -> Option<Self> {
        let axes = |pose: &Pose| Pose::new(DVec3::ZERO, pose.rotation());
        match shape {
            Shape::Compound(compound) => {
                let part = compound.parts().get(index as usize)?;
                let placed = *pose * part.pose;
                Some(Self { shape: &part.shape, axes: axes(&placed), origin: placed.translation() })
            }
            _ => Some(Self { shape, axes: axes(pose), origin: pose.translation() }),
        }
    }

    /// The height along a direction from its origin, if it is finite.
    fn height(&self, direction: DVec3) -> Option<f64> {
        let core = self.shape.convex()?;
        let d = self.axes.inverse_transform_vector(direction);
        Some(core.support(d).dot(d) + core.radius())
    }

    /// The distance of a point beyond the part, by support planes: those across the normal and across the coordinate axes.
    fn outside(&self, point: DVec3, normal: DVec3) -> f64 {
        let arm = point - self.origin;
        if let Shape::HalfSpace(plane) = self.shape {
            return self.axes.inverse_transform_vector(arm).dot(plane.normal()) - plane.offset();
        }
        let directions = DVec3::AXES.into_iter().chain([normal]).flat_map(|d| [d, -d]);
        let beyond = directions.filter_map(|d| Some(arm.dot(d) - self.height(d)?));
        beyond.fold(f64::NEG_INFINITY, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::distance;

    /// Every clause has an answer that breaks it and no other.
    #[test]
    fn a_spoiled_answer_is_found_out() {
        let cube = Shape::cuboid([1.0, 1.0, 1.0]).unwrap();
        let beside = Pose::from_translation([3.0, 0.0, 0.0]);
        let right = distance(&cube, Pose::IDENTITY, &cube, beside);
        let judge = |found: &Clearance| fault(&cube, Pose::IDENTITY, &cube, beside, found);
        assert_eq!(judge(&right), None);
        let spoiled = |spoil: &dyn Fn(&mut Clearance)| {
            let mut found = right;
            spoil(&mut found);
            judge(&found).unwrap_or_default()
        };
        assert!(spoiled(&|c| c.point_a.x = f64::NAN).starts_with("a number is not finite"));
        assert!(spoiled(&|c| c.distance = f64::INFINITY).starts_with("a number is not finite"));
        assert!(spoiled(&|c| c.lower = 1.5).starts_with("the distance is outside"));
        assert!(spoiled(&|c| c.upper = f64::NAN).starts_with("the distance is outside"));
        assert!(spoiled(&|c| c.normal *= 1.0 + 1e-13).starts_with("the normal is no unit"));
        assert!(spoiled(&|c| c.point_b.y += 1e-13).starts_with("the witnesses are not apart"));
        assert!(spoiled(&|c| c.lower = 0.9).starts_with("the status does not fit"));
        assert!(spoiled(&|c| c.status = Status::Open).starts_with("the status does not fit"));
        assert!(spoiled(&|c| c.status = Status::BadSupport).starts_with("the status does not fit"));
        let aside = spoiled(&|c| {
            c.point_a.y += 2.0;
            c.point_b.y += 2.0;
        });
        assert!(aside.starts_with("a witness is outside"), "{aside}");
        // A plane slightly tilted about the witnesses, whose bracket is as narrow as before.
        let tilted = spoiled(&|c| {
            c.normal = DVec3::new(1.0, 1e-9, 0.0).normalize();
            c.point_b = c.point_a + c.distance * c.normal;
        });
        assert!(tilted.starts_with("the normal separates by"), "{tilted}");
    }
}
