//! The signed distance of two shapes in numbers of 32 digits, from the definitions of the shapes.
//!
//! * A shape is a core and a radius. While the cores are apart, the search of the [oracle] bounds their distance by two numbers, also for curved
//!   cores. It takes one support point after the other, and its certificate is a plane.
//! * The depth of overlapping polytopes is the least over all directions of faces of their difference ([`depth`]).
//! * A half-space has one direction to test.
//!
//! Overlapping curved cores have no truth here: the exact checker judges the bracket instead.

use crate::double::{Double, Rotation, Vector};
use crate::oracle::{self, ConvexSet};
use crate::{Spec, depth};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};

/// The proved bounds of the signed distance, in 32 digits and then rounded outward.
pub type Truth = [f64; 2];

/// Difference of the bounds of a search among curved sets, as a part of the size: a thousandth of the precision of a double.
const ENOUGH: f64 = 1e-19;

/// Limit: with more pairs of lines than this there are too many directions to try.
const MOST_LINES: usize = 120;

/// The signed distance of two shapes at their poses, if it can be computed here.
#[must_use]
pub fn truth(a: &Spec, pose_a: Pose, b: &Spec, pose_b: Pose) -> Option<Truth> {
    let origin = pose_a.translation();
    match (a, b) {
        (Spec::HalfSpace(..), Spec::HalfSpace(..)) => None,
        (Spec::HalfSpace(normal, offset), _) => above(*normal, *offset, pose_a, &Placed::new(b, pose_b, origin)?),
        (_, Spec::HalfSpace(normal, offset)) => {
            above(*normal, *offset, pose_b, &Placed::new(a, pose_a, pose_b.translation())?)
        }
        _ => {
            let both = Both { a: Placed::new(a, pose_a, origin)?, b: Placed::new(b, pose_b, origin)? };
            let radii = both.a.radius() + both.b.radius();
            if let Some(ends) = oracle::bounds(&both, ENOUGH) {
                return Some(outward(ends.map(|end| end - radii)));
            }
            let (Core::Points(points_a), Core::Points(points_b)) = (&both.a.core, &both.b.core) else { return None };
            let lines = |points: &[DVec3]| points.len() * (points.len() - 1) / 2;
            if lines(points_a) + lines(points_b) > MOST_LINES {
                return None;
            }
            let gap = Double::from(depth::widest_gap(points_a, pose_a, points_b, pose_b).min(0.0));
            Some(outward([gap - radii, gap - radii]))
        }
    }
}

/// The height of a shape above the plane of a half-space.
fn above(normal: DVec3, offset: f64, pose: Pose, other: &Placed) -> Option<Truth> {
    let normal = Rotation::new(pose.rotation()).apply(normal.into());
    let lowest = other.support(normal * Double::from(-1.0)).dot(normal);
    let height = (lowest - Double::from(offset)) / normal.length() - other.radius();
    Some(outward([height, height]))
}

/// To doubles, and one unit in the last place further.
fn outward([lower, upper]: [Double; 2]) -> Truth {
    [lower.value().next_down(), upper.value().next_up()]
}

/// The core of a shape in its own frame.
enum Core {
    Points(Vec<DVec3>),
    /// Radius and half height, about the y axis.
    Cylinder(f64, f64),
    /// Radius and half height, the apex up.
    Cone(f64, f64),
    Ellipsoid(DVec3),
}

/// A shape at its pose, relative to an origin.
struct Placed {
    core: Core,
    radius: f64,
    forth: Rotation,
    back: Rotation,
    offset: Vector,
}

impl Placed {
    fn new(spec: &Spec, pose: Pose, origin: DVec3) -> Option<Self> {
        let (core, radius) = match spec {
            Spec::Sphere(radius) => (Core::Points(vec![DVec3::ZERO]), *radius),
            Spec::Capsule(radius, half) => (Core::Points(vec![DVec3::Y * -*half, DVec3::Y * *half]), *radius),
            Spec::Cylinder(radius, half) => (Core::Cylinder(*radius, *half), 0.0),
            Spec::Cone(radius, half) => (Core::Cone(*radius, *half), 0.0),
            Spec::Ellipsoid(radii) => (Core::Ellipsoid(*radii), 0.0),
            Spec::Rounded(inner, radius) => (Core::Points(inner.points()?), *radius),
            _ => (Core::Points(spec.points()?), 0.0),
        };
        let q = pose.rotation();
        // The translations are subtracted first: their difference is exact to 32 digits.
        let offset = Vector::from(pose.translation()) - Vector::from(origin);
        let back = DQuat::from_xyzw(-q.x, -q.y, -q.z, q.w);
        Some(Self { core, radius, forth: Rotation::new(q), back: Rotation::new(back), offset })
    }

    fn radius(&self) -> Double {
        Double::from(self.radius)
    }

    /// The farthest point of the core along a direction.
    fn support(&self, direction: Vector) -> Vector {
        self.forth.apply(self.core.support(self.back.apply(direction))) + self.offset
    }
}

impl Core {
    /// The farthest point along a direction, by definition.
    fn support(&self, d: Vector) -> Vector {
        // A rim, along the component of the direction across the axis.
        let rim = |radius: f64, y: f64| {
            let across = (d.x * d.x + d.z * d.z).sqrt();
            let flat = if across == Double::ZERO { Double::ZERO } else { Double::from(radius) / across };
            Vector { x: d.x * flat, y: y.into(), z: d.z * flat }
        };
        match self {
            Self::Points(points) => {
                let best = points.iter().map(|&point| (Vector::from(point), Vector::from(point).dot(d)));
                best.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("a core has a point").0
            }
            Self::Cylinder(radius, half) => rim(*radius, if d.y < Double::ZERO { -half } else { *half }),
            Self::Cone(radius, half) => {
                let (apex, base) = (Vector::from(DVec3::Y * *half), rim(*radius, -half));
                if apex.dot(d) >= base.dot(d) { apex } else { base }
            }
            Self::Ellipsoid(radii) => {
                let [x, y, z] = radii.to_array().map(Double::from);
                let stretched = Vector { x: d.x * x, y: d.y * y, z: d.z * z };
                let length = stretched.length();
                if length == Double::ZERO {
                    return Vector::ZERO;
                }
                let over = Double::ONE / length;
                Vector { x: stretched.x * x * over, y: stretched.y * y * over, z: stretched.z * z * over }
            }
        }
    }

    /// A bound on the distance of all points from the origin of the frame.
    fn reach(&self) -> f64 {
        match self {
            Self::Points(points) => crate::models::bounding_radius(points),
            Self::Cylinder(radius, half) | Self::Cone(radius, half) => radius + half,
            Self::Ellipsoid(radii) => radii.max_element(),
        }
    }
}

struct Both {
    a: Placed,
    b: Placed,
}

impl ConvexSet for Both {
    fn first(&self) -> Vector {
        self.least(Vector::from(DVec3::X))
    }

    fn least(&self, direction: Vector) -> Vector {
        self.b.support(direction * Double::from(-1.0)) - self.a.support(direction)
    }

    fn size(&self) -> Double {
        Double::from(self.a.core.reach() + self.b.core.reach()) + (self.b.offset - self.a.offset).length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(a: &Spec, b: &Spec, at: [f64; 3]) -> f64 {
        let [lower, upper] = truth(a, Pose::IDENTITY, b, Pose::from_translation(at)).expect("it is known");
        // Closed to 1e-19 of the size, then rounded outward by a unit on each side.
        assert!(lower <= upper && upper - lower <= 4.0 * f64::EPSILON * upper.abs().max(1.0), "[{lower}, {upper}]");
        0.5 * (lower + upper)
    }

    #[test]
    fn curved_shapes_have_the_distances_of_the_textbook() {
        let (drum, hat) = (Spec::Cylinder(1.0, 2.0), Spec::Cone(1.0, 1.0));
        let (egg, ball) = (Spec::Ellipsoid(DVec3::new(1.0, 2.0, 3.0)), Spec::Sphere(0.5));
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 2e-15, "{found}, not {wanted}");
        near(gap(&drum, &drum, [5.0, 1.0, 0.0]), 3.0); // side by side
        near(gap(&drum, &drum, [0.0, 5.0, 0.3]), 1.0); // one above the other
        near(gap(&drum, &ball, [4.0, 6.0, 0.0]), 4.5); // the rim: 3, 4
        near(gap(&hat, &ball, [0.0, 4.0, 0.0]), 2.5); // the apex
        near(gap(&hat, &ball, [3.0, 2.0, 0.0]), 7.0 / 5.0_f64.sqrt() - 0.5); // the slant, 2x + y = 1
        near(gap(&egg, &egg, [0.0, 0.0, 7.0]), 1.0); // two apices
        near(gap(&egg, &ball, [0.0, 0.0, 4.0]), 0.5);
        near(gap(&Spec::HalfSpace(DVec3::Y * 2.0, 1.0), &hat, [0.0, 3.0, 0.0]), 1.5);
        near(gap(&ball, &Spec::Capsule(0.25, 1.0), [0.5, 0.0, 0.0]), -0.25);
        near(gap(&Spec::Cuboid(DVec3::ONE), &Spec::Cuboid(DVec3::ONE), [1.5, 0.0, 0.0]), -0.5);
        assert!(truth(&egg, Pose::IDENTITY, &egg, Pose::IDENTITY).is_none());
    }
}
