//! The one thing an engine asks of a convex shape: its farthest point in a direction.

use super::Feature;
use super::form::Form;
use glam::{DVec3, Vec3A};
use std::fmt::Debug;

/// A bounded convex set, given by its support mapping. Implement it for a custom shape.
///
/// The set is the Minkowski sum of a *core* and a ball of [`radius`](Convex::radius): engines work on the core and add
/// the radius afterwards, which makes spheres, capsules and everything rounded exact and fast. A shape without a
/// rounding is its own core and keeps the default radius of zero.
///
/// Contract: support points are finite and belong to the core, and none of its points is farther along the direction by
/// more than rounding. A direction may have any length. The radius, the bounding radius and the center are read once, when the shape is
/// built. Answers about a shape that breaks the contract carry the status [`BadSupport`](crate::Status::BadSupport) where that is detected:
/// a NaN, a point beyond the bounding radius, bounds that contradict each other. Otherwise they are meaningless; they are numbers all the
/// same, with `lower <= distance <= upper`.
///
/// ```
/// use clearance::{Convex, Pose, Shape, distance, math::DVec3};
///
/// /// A flat disc in the plane y = 0.
/// #[derive(Debug)]
/// struct Disc(f64);
///
/// impl Convex for Disc {
///     fn support(&self, direction: DVec3) -> DVec3 {
///         DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * self.0
///     }
/// }
///
/// let disc = Shape::custom(Disc(2.0))?;
/// let ball = Shape::sphere(0.5)?;
/// let c = distance(&disc, Pose::IDENTITY, &ball, Pose::from_translation([0.0, 3.0, 0.0]));
/// assert!((c.distance - 2.5).abs() < 1e-12);
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub trait Convex: Debug + Send + Sync {
    /// A point of the core that is farthest along `direction`, in the shape's own frame.
    fn support(&self, direction: DVec3) -> DVec3;

    /// Radius of the ball that is added to the core.
    fn radius(&self) -> f64 {
        0.0
    }

    /// A point of the core, preferably deep inside: where a first guess is aimed at.
    fn center(&self) -> DVec3 {
        let sum = AXES.iter().fold(DVec3::ZERO, |sum, &axis| sum + (self.support(axis) + self.support(-axis)));
        sum / (2.0 * AXES.len() as f64)
    }

    /// The radius of a ball about the [`center`](Convex::center) that is surely inside the core; zero if none is known.
    #[doc(hidden)]
    fn inner_radius(&self) -> f64 {
        0.0
    }

    /// A bound on the distance of any point of the core from the shape's origin: the scale of rounding errors.
    fn bounding_radius(&self) -> f64 {
        let corner = AXES
            .iter()
            .map(|&axis| axis * self.support(axis).dot(axis).abs().max(self.support(-axis).dot(axis).abs()))
            .sum::<DVec3>();
        corner.length()
    }

    /// Semi-axes, along the shape's own axes, of an ellipsoid about its origin that surely holds the core: like the
    /// [`bounding_radius`](Convex::bounding_radius), but closer to what is long and thin.
    #[doc(hidden)]
    fn semi_axes(&self) -> DVec3 {
        DVec3::splat(self.bounding_radius())
    }

    /// How far rounding may have moved a point or a height of the core, beyond what every engine allows for: for shapes that
    /// are computed from others.
    #[doc(hidden)]
    #[inline]
    fn slack(&self) -> f64 {
        0.0
    }

    /// The support point together with the number of the vertex it is.
    fn support_vertex(&self, direction: DVec3) -> SupportPoint {
        SupportPoint { point: self.support(direction), vertex: NO_VERTEX }
    }

    /// A support point in single precision, off by no more than a few roundings of the bounding radius, and its vertex number.
    #[doc(hidden)]
    fn support_f32(&self, direction: Vec3A) -> (Vec3A, u32) {
        let support = self.support_vertex(direction.as_dvec3());
        (support.point.as_vec3a(), support.vertex)
    }

    /// How far the core reaches along `direction`, times its length: the height of a support point.
    #[doc(hidden)]
    #[inline]
    fn height(&self, direction: DVec3) -> f64 {
        self.support(direction).dot(direction)
    }

    /// A matrix C such that the core is roughly the ellipsoid of support height `√(dᵀ C d)` about its center.
    #[doc(hidden)]
    fn spread(&self) -> Option<&glam::Mat3A> {
        None
    }

    /// Does the support point move smoothly with the direction, at least in places? It decides whether engines ask for
    /// [`patch`](Convex::patch), so a shape that says yes should answer that with more than the default.
    fn is_curved(&self) -> bool {
        false
    }

    /// The core around its farthest point along a direction, to second order. Derivatives are those at the direction as
    /// it is, so the second falls off with its length, and along the two vectors `across`, which may be any. The default is right for every
    /// shape whose farthest point is a vertex. A wrong answer costs time, not correctness, as long as the points are points of the core and
    /// the [branch](Patch::branch) is the farthest.
    fn patch(&self, direction: DVec3, across: [DVec3; 2]) -> Patch {
        let _ = across;
        Patch::vertex(self.support(direction))
    }

    /// How much the curvature at a unit direction changes nearby. On every great circle through the direction, up to an angle given as sine
    /// and cosine, the second derivative of each [branch](Patch::branch) is k to K times its value at the direction. Returns k and K.
    /// Nothing is promised by the default for a curved shape; a shape that is not curved has nothing to lose.
    #[doc(hidden)]
    fn curvature_range(&self, direction: DVec3, angle: [f64; 2]) -> [f64; 2] {
        let _ = (direction, angle);
        if self.is_curved() { [0.0, f64::INFINITY] } else { [1.0, 1.0] }
    }

    /// The symmetry of the core under rotations, to rounding.
    #[doc(hidden)]
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// The radius of a ball that can roll all around inside of the core's surface: at most its least radius of curvature.
    #[doc(hidden)]
    fn curvature_inradius(&self) -> f64 {
        0.0
    }

    /// The height of the core in closed form, if it has one of reasonable size.
    #[doc(hidden)]
    fn form(&self) -> Option<Form> {
        None
    }

    /// A flat round face whose normal is less than a right angle from the direction, if there is one.
    fn cap(&self, direction: DVec3) -> Option<Cap> {
        let _ = direction;
        None
    }

    /// The vertex of that number, if the core is a polytope and has one: what lets an engine start from the features of
    /// an earlier answer.
    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        let _ = vertex;
        None
    }

    /// The smallest feature that holds the given vertices.
    fn feature(&self, vertices: &[u32]) -> Feature {
        let _ = vertices;
        Feature::Surface
    }
}

pub(super) const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

/// The vertex number of a support point that is not a vertex. Layout: vertex numbers are 32 bits, and no polytope has 2^32 - 1 vertices.
pub const NO_VERTEX: u32 = u32::MAX;

/// A farthest point of a shape, and which vertex it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportPoint {
    /// The point, in the shape's own frame.
    pub point: DVec3,
    /// Its vertex number, or [`NO_VERTEX`].
    pub vertex: u32,
}

/// The core around a support point: enough for a step of Newton's method on the direction.
///
/// The support function h(d) = max d·x over the core is smooth except where the farthest point is not unique: in the
/// direction of an edge or face. Next to such a kink it is the larger of two smooth functions, whose points are both
/// given here, since the answer often lies exactly on the kink: on the line between the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// The farthest point.
    pub branch: Branch,
    /// The other end of a straight line on the surface, farthest of its kind: it takes over when the direction crosses
    /// the normals of that line.
    pub rival: Option<Branch>,
}

/// One smooth piece of a support function at a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// Its gradient: the point of the core that is farthest on this piece.
    pub point: DVec3,
    /// Its second derivative along the vectors asked for.
    pub curvature: Curvature,
}

/// A second derivative H of a support function along two vectors x and y.
///
/// H is symmetric, positive semidefinite, and maps the direction d itself to zero. A vertex has none; a ball of radius r
/// has r (1 - d d^T) at a unit direction, the inverse of the curvature of its surface, and 1 / |d| of that at others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature {
    /// x^T H x.
    pub xx: f64,
    /// x^T H y.
    pub xy: f64,
    /// y^T H y.
    pub yy: f64,
}

impl Curvature {
    /// That of a vertex.
    pub const ZERO: Self = Self { xx: 0.0, xy: 0.0, yy: 0.0 };
}

/// Rotations that leave a core as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Symmetry {
    /// None that are known.
    None,
    /// All about a line.
    Axis {
        /// A point of the line.
        point: DVec3,
        /// Its unit direction.
        direction: DVec3,
    },
    /// All about a point.
    Ball {
        /// The point.
        center: DVec3,
    },
}

impl Symmetry {
    /// That of a segment, or of the point that it may be.
    pub(super) fn of_segment(point: DVec3, end: DVec3) -> Self {
        match (end - point).try_normalize() {
            Some(direction) => Self::Axis { point, direction },
            None => Self::Ball { center: point },
        }
    }
}

/// A flat round face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// The middle of the disc.
    pub center: DVec3,
    /// Its unit normal, outward.
    pub normal: DVec3,
    /// Its radius.
    pub radius: f64,
}

impl Patch {
    /// A corner: the support point does not move at all.
    #[inline]
    #[must_use]
    pub fn vertex(point: DVec3) -> Self {
        Self::smooth(point, Curvature::ZERO)
    }

    /// A smooth piece of surface, away from every kink.
    #[inline]
    #[must_use]
    pub fn smooth(point: DVec3, curvature: Curvature) -> Self {
        Self { branch: Branch { point, curvature }, rival: None }
    }
}
