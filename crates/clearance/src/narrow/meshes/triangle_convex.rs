//! One triangle against one convex shape, in the frame of the triangle: the closed form for balls, GJK for all others.
//!
//! **Invariants.** (1) An answer holds for the triangle and the shape as they are given; callers add the slack of a mesh. (2) An answer about a
//! user-defined shape that contradicts itself becomes "unknown".

use crate::math::Frame;
use crate::math::rounding::{OF_CLOSED_FORMS, SMALLEST_LENGTH};
use crate::narrow::closed_form::Target;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::scaled::{ScaledPair, is_ordinary};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::{Cost, Exit, Outcome, depth};
use crate::shape::{Convex, NO_VERTEX, Shape, Sphere, Triangle};
use glam::DVec3;

/// A convex shape that triangles are compared with, and its pose in their frame.
#[derive(Clone, Copy)]
pub(super) struct ConvexShape<'a> {
    pub core: &'a dyn Convex,
    pub frame: &'a Frame,
    /// A ball and its centre in the frame of the triangles: it has a closed form.
    ball: Option<(&'a Sphere, DVec3)>,
    /// A user-defined shape, whose support function need not be consistent.
    pub is_custom: bool,
}

impl<'a> ConvexShape<'a> {
    /// `None` for shapes that are not convex. `center` is the origin of the shape in the frame of the triangles, to rounding.
    pub fn new(shape: &'a Shape, frame: &'a Frame, center: DVec3) -> Option<Self> {
        let ball = match shape {
            Shape::Sphere(ball) => Some((ball, center)),
            _ => None,
        };
        Some(Self { core: shape.convex()?, frame, ball, is_custom: shape.is_foreign() })
    }

    /// A triangle of another mesh.
    pub fn of_triangle(triangle: &'a Triangle, frame: &'a Frame) -> Self {
        Self { core: triangle, frame, ball: None, is_custom: false }
    }

    pub fn is_ball(&self) -> bool {
        self.ball.is_some()
    }

    /// The total size of the triangle and the shape.
    fn size(&self, triangle: &Triangle) -> f64 {
        triangle.bounding_radius() + self.core.bounding_radius() + self.frame.translation.abs().element_sum()
    }

    /// The signed distance from a triangle, up to `limit`.
    pub fn distance(&self, triangle: &Triangle, limit: f64, cache: &mut WarmSimplex) -> Outcome {
        if let Some(out) = self.ball.and_then(|(ball, center)| to_ball(triangle, ball, center)) {
            return out;
        }
        let size = self.size(triangle);
        if !is_ordinary(size) && size > 0.0 && size < f64::INFINITY {
            return match size < SMALLEST_LENGTH {
                true => coincident(),
                false => ScaledPair::new(triangle, self.core, self.frame, size).distance(limit, cache),
            };
        }
        let mut out =
            gjk::distance_up_to::<SignedVolumes, dyn Convex, dyn Convex>(triangle, self.core, self.frame, limit, cache);
        if !out.closed && out.distance < 0.0 {
            out = depth::improve(triangle, self.core, self.frame, out);
        }
        if self.is_custom && !is_sound(&out) { unknown(out.cost) } else { out }
    }

    /// Do a triangle and the shape share a point?
    pub fn intersects(&self, triangle: &Triangle, cache: &mut WarmSimplex) -> bool {
        if let Some(out) = self.ball.and_then(|(ball, center)| to_ball(triangle, ball, center)) {
            return !out.is_apart();
        }
        let size = triangle.bounding_radius() + self.core.bounding_radius();
        if !is_ordinary(size) && size > 0.0 {
            let size = self.size(triangle);
            return size < SMALLEST_LENGTH || ScaledPair::new(triangle, self.core, self.frame, size).intersects(cache);
        }
        gjk::intersects_here::<true, SignedVolumes, dyn Convex, dyn Convex>(triangle, self.core, self.frame, cache)
    }
}

/// The closed form for a triangle and a ball; `None` where it is not accurate enough.
fn to_ball(triangle: &Triangle, ball: &Sphere, center: DVec3) -> Option<Outcome> {
    let radius = ball.radius();
    let size = triangle.bounding_radius() + center.abs().element_sum() + radius;
    if !is_ordinary(size) {
        return None;
    }
    let rounding = OF_CLOSED_FORMS * size + SMALLEST_LENGTH;
    let foot = triangle.foot(center, rounding)?;
    let distance = foot.core - radius;
    let point_a = center - (radius + distance) * foot.normal;
    Some(Outcome {
        distance,
        point_a,
        point_b: point_a + distance * foot.normal,
        normal: foot.normal,
        // The plane's height may be one rounding error below the length, and has another one of its own.
        lower: distance - 2.0 * rounding,
        upper: distance + rounding,
        ids: foot.ids.map(|id| [id, 0]),
        count: foot.count,
        exit: Exit::Converged,
        closed: true,
        cost: Cost::default(),
    })
}

/// Is an answer free of contradictions? Checked for user-defined shapes only, so that errors of ours are not hidden.
#[cold]
fn is_sound(out: &Outcome) -> bool {
    let is_unit = (out.normal.length_squared() - 1.0).abs() <= UNIT_TOLERANCE;
    let is_finite = out.point_a.is_finite() && out.point_b.is_finite();
    out.lower <= out.distance && out.distance <= out.upper && is_unit && is_finite
}

/// Error of the squared length of a normal that counts as a unit vector. Limit: against inconsistent user-defined shapes; rounding errors are 1e-15.
const UNIT_TOLERANCE: f64 = 1e-9;

/// The answer about a user-defined shape that contradicts itself.
fn unknown(cost: Cost) -> Outcome {
    Outcome {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        exit: Exit::BadSupport,
        closed: false,
        cost,
        ..coincident()
    }
}

/// The answer for a pair smaller than [`SMALLEST_LENGTH`]: both count as one point.
fn coincident() -> Outcome {
    Outcome {
        distance: 0.0,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
        normal: DVec3::X,
        lower: -SMALLEST_LENGTH,
        upper: SMALLEST_LENGTH,
        ids: [[NO_VERTEX; 2]; 4],
        count: 0,
        exit: Exit::Converged,
        closed: true,
        cost: Cost::default(),
    }
}
