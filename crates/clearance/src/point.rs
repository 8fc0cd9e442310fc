//! Queries about a point and a shape: is it inside, how far is the surface, and where is the nearest point of it?
//!
//! A shape is what is inside of it: a solid mesh has an inside, a shell has none, and the inside of a compound is that of all its parts together. The signed
//! distance of a point is the distance to the nearest point of the surface, with a minus inside.
//!
//! **Proofs.** Outside of everything it is the [distance](fn@distance) of the shape and a point. Inside a convex shape it is minus the depth of the point,
//! and in a solid mesh minus the distance to the nearest triangle, with the exact winding number for the sign. Inside a compound the nearest surface of a part may be inside of
//! another part. There it is the [depth](fn@depth()) of the point, whose bracket may be open; the point is then the nearest that is known.

use crate::depth::{DepthBudget, depth};
use crate::math::Pose;
use crate::narrow::Bracket;
use crate::pair::{Clearance, PosedPair, Status, distance, intersects, surface_and_side};
use crate::shape::{Feature, Shape};
use glam::{DQuat, DVec3};

/// The nearest point of the surface of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointProjection {
    /// The point of the surface that is nearest, in world coordinates.
    pub point: DVec3,
    /// The signed distance to it: negative if the point that was given is inside.
    pub distance: f64,
    /// The true signed distance is at least this.
    pub lower: f64,
    /// The true signed distance is at most this.
    pub upper: f64,
    /// Unit vector away from the shape at the nearest point: from there to a point outside, and from a point inside to there.
    pub normal: DVec3,
    /// The part of a compound that has the point; zero for other shapes.
    pub part: u32,
    /// The feature that has the nearest point: of a mesh the triangle, of a compound a feature of the part.
    pub feature: Feature,
}

impl PointProjection {
    /// Is the point in the shape or on it, or so close that no gap can be proved? See [`contains`].
    #[must_use]
    pub fn is_inside(&self) -> bool {
        !Bracket::is_apart(self.lower)
    }

    fn of(found: &Clearance, shape: &Shape) -> Self {
        let [feature, _] = found.features(shape, &Shape::point());
        let Clearance { point_a, distance, lower, upper, normal, .. } = *found;
        Self { point: point_a, distance, lower, upper, normal, part: found.parts[0], feature }
    }
}

/// A point that is far enough from infinity to have a pose.
fn pose_of(point: DVec3) -> Option<Pose> {
    Pose::try_new(point, DQuat::IDENTITY).ok()
}

/// Is a point in a shape or on it? `false` is proved; `true` means that it is, or that its gap is within rounding. A point with a coordinate that is not finite or beyond
/// 1e60 is in nothing.
///
/// ```
/// use clearance::{Pose, Shape, contains};
///
/// let ball = Shape::sphere(1.0)?;
/// let pose = Pose::from_translation([3.0, 0.0, 0.0]);
/// assert!(contains(&ball, pose, [3.5, 0.5, 0.0]) && contains(&ball, pose, [4.0, 0.0, 0.0]));
/// assert!(!contains(&ball, pose, [4.1, 0.0, 0.0]) && !contains(&ball, pose, [f64::NAN, 0.0, 0.0]));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "contains_point")]
#[must_use]
pub fn contains(shape: &Shape, pose: Pose, point: impl Into<DVec3>) -> bool {
    pose_of(point.into()).is_some_and(|at| intersects(shape, pose, &Shape::point(), at))
}

/// The nearest point of the surface of a shape. `None` for a point with a coordinate that is not finite or beyond 1e60.
///
/// ```
/// use clearance::{Feature, Pose, Shape, project_point};
///
/// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
/// let found = project_point(&cube, Pose::IDENTITY, [0.7, 0.1, 0.2]).expect("a finite point");
/// assert!((found.distance + 0.3).abs() < 1e-14 && found.is_inside());
/// assert!((found.point.x - 1.0).abs() < 1e-14 && found.feature == Feature::Face(1));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "closest_point")]
#[must_use]
pub fn project_point(shape: &Shape, pose: Pose, point: impl Into<DVec3>) -> Option<PointProjection> {
    let at = pose_of(point.into())?;
    let other = &Shape::point();
    if matches!(shape, Shape::Mesh(_)) {
        let pair = PosedPair { a: shape, pose_a: &pose, b: other, pose_b: &at };
        let (found, is_inside) = surface_and_side(pair);
        let found = PointProjection::of(&found, shape);
        return Some(if is_inside { found.turned() } else { found });
    }
    let found = distance(shape, pose, other, at);
    let outside = PointProjection::of(&found, shape);
    // Of parts that overlap the deepest may be what is nearest, and the answer then says so.
    if !matches!(shape, Shape::Compound(_)) || found.is_apart() || found.status == Status::Converged {
        return Some(outside);
    }
    let inside = depth(other, at, shape, pose, DepthBudget::default());
    let [lower, upper] = [-inside.upper, outside.upper.min(-inside.lower)];
    let Some(normal) = inside.translation.try_normalize().filter(|_| lower <= upper) else { return Some(outside) };
    let distance = -inside.translation.length();
    Some(PointProjection {
        point: at.translation() + inside.translation,
        distance: distance.clamp(lower, upper),
        lower,
        upper,
        normal,
        part: inside.parts[1],
        feature: inside.features()[1],
    })
}

impl PointProjection {
    /// The answer for a point inside, from that about the surface alone.
    fn turned(self) -> Self {
        Self { distance: -self.distance, lower: -self.upper, upper: -self.lower, normal: -self.normal, ..self }
    }
}

/// The signed distance of a point to the surface of a shape: its certified bounds, at least and at most. `None` as for [`project_point`], which returns the
/// distance itself as well.
///
/// ```
/// use clearance::{Pose, Shape, signed_distance_to_point};
///
/// let plane = Shape::half_space([0.0, 1.0, 0.0], 0.0)?;
/// let [lower, upper] = signed_distance_to_point(&plane, Pose::IDENTITY, [5.0, -2.0, 1.0]).expect("a finite point");
/// assert!(lower <= -2.0 && -2.0 <= upper && upper - lower < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn signed_distance_to_point(shape: &Shape, pose: Pose, point: impl Into<DVec3>) -> Option<[f64; 2]> {
    project_point(shape, pose, point).map(|found| [found.lower, found.upper])
}
