//! Symmetric pairs, which are equally deep in a whole circle or sphere of directions.
//!
//! A polytope closes such a bracket only by being fine all around: the last digits would take millions of faces. But the
//! symmetry itself leaves fewer dimensions to search.
//!
//! **Coaxial.** If both shapes are solids of revolution about the same line, so is A - B, and its height depends only on the angle
//! between a direction and the axis. The search for the least height is that of the [expanding polytope](super), with a polygon
//! in a half-plane that ends at the axis. A pair that is coaxial only to rounding differs from one that is by a known length, which
//! widens the bracket.
//!
//! **InnerParallel.** A ball of radius ρ rolls freely inside a smooth shape whose radii of curvature are at least ρ. Then the shape is the
//! sum of that ball and of another convex shape (Blaschke), whose support function is h - ρ: the same trick as with the rounding of
//! a capsule. Of an ellipsoid that is a ball only a point remains.

use super::improve::{goal, tighter};
use super::settle;
use crate::math::Frame;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::outcome::{Cost, Exit, Outcome};
use crate::narrow::{Difference, Vertex};
use crate::shape::{Convex, Symmetry};
use arrayvec::ArrayVec;
use glam::{DVec2, DVec3};

/// The depth of what is left when the balls that roll inside are taken off, counted as radii.
pub(super) fn shaved(a: &dyn Convex, b: &dyn Convex, b_in_a: &Frame) -> Outcome {
    let (a, b) = (InnerParallel::new(a), InnerParallel::new(b));
    if !(a.by + b.by > 0.0) {
        return super::unknown(Exit::Enclosed, Cost::default());
    }
    let out = gjk::distance(&a, &b, b_in_a, &mut WarmSimplex::default());
    if out.closed {
        return out;
    }
    let better = common_axis(&a, &b, b_in_a)
        .and_then(|axis| coaxial(&Difference::new(&a, &b, b_in_a), &axis, [a.radius(), b.radius()]));
    better.map_or(out, |better| tighter(out, better))
}

/// A line about which both shapes are solids of revolution.
pub(super) struct SymmetryAxis {
    /// Its direction, a unit vector in the frame of A.
    direction: DVec3,
    /// How far a point of B can be from where it would have to be.
    error: f64,
}

pub(super) fn common_axis(a: &dyn Convex, b: &dyn Convex, b_in_a: &Frame) -> Option<SymmetryAxis> {
    let beside = |offset: DVec3, u: DVec3| offset.reject_from_normalized(u).length();
    let (direction, error) = match (a.symmetry(), b.symmetry()) {
        (Symmetry::Axis { point, direction }, Symmetry::Axis { point: point_b, direction: direction_b }) => {
            let tilt = direction.cross(b_in_a.rotation * direction_b).length();
            let offset = b_in_a.point(point_b) - point;
            // No point of B is farther from its axis point than twice the bounding radius; the arc is longer than its sine.
            (direction, beside(offset, direction) + 4.0 * tilt * b.bounding_radius())
        }
        (Symmetry::Axis { point, direction }, Symmetry::Ball { center }) => {
            (direction, beside(b_in_a.point(center) - point, direction))
        }
        (Symmetry::Ball { center }, Symmetry::Axis { point, direction }) => {
            let direction = b_in_a.rotation * direction;
            (direction, beside(b_in_a.point(point) - center, direction))
        }
        (Symmetry::Ball { center }, Symmetry::Ball { center: center_b }) => {
            ((b_in_a.point(center_b) - center).normalize_or(DVec3::X), 0.0)
        }
        _ => return None,
    };
    // The polygon ends on the axis only if no tilt is near the 1e-9 by which its ends are searched on either side. With more, the rim of a
    // tilted face would stand for its middle. Cells do what is beyond.
    (error <= 1e-12 * (a.bounding_radius() + b.bounding_radius())).then_some(SymmetryAxis { direction, error })
}

/// A corner of the polygon: distance from the axis and height along it, and the point of A - B it stands for.
#[derive(Clone, Copy)]
struct ProfileCorner {
    at: DVec2,
    vertex: Vertex,
}

/// Corners of a profile, at most. Limit: a smooth profile takes about forty.
const MAX_CORNERS: usize = 128;

/// The depth by a polygon in the half-plane beside the axis.
pub(super) fn coaxial<A, B>(difference: &Difference<'_, A, B>, axis: &SymmetryAxis, radii: [f64; 2]) -> Option<Outcome>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let up = axis.direction;
    let side = up.any_orthonormal_vector();
    let goal = goal(difference);
    let mut cost = Cost::default();
    let mut supports = 0;
    let mut support = |n: DVec2| {
        supports += 2;
        let vertex = difference.support(-(side * n.x + up * n.y));
        ProfileCorner { at: DVec2::new(side.dot(vertex.w), up.dot(vertex.w)), vertex }
    };
    // On the axis: between two points that are each other's mirror image.
    let mut middle = |y: f64| {
        // A direction this close to the axis decides between two points that mirror each other.
        let (right, left) = (support(DVec2::new(1e-9, y)), support(DVec2::new(-1e-9, y)));
        let half = |p: DVec3, q: DVec3| 0.5 * (p + q);
        let vertex = Vertex {
            w: half(right.vertex.w, left.vertex.w),
            point_a: half(right.vertex.point_a, left.vertex.point_a),
            ..right.vertex
        };
        ProfileCorner { at: DVec2::new(side.dot(vertex.w), up.dot(vertex.w)), vertex }
    };
    let mut corners = ArrayVec::<ProfileCorner, MAX_CORNERS>::new();
    corners.extend([middle(-1.0), middle(1.0)]);
    corners.insert(1, support(DVec2::X));
    let mut best = (f64::INFINITY, DVec2::X);
    // Counter-clockwise from the lower end of the axis to the upper.
    let inner = loop {
        let edges = corners.windows(2).map(|ends| edge_bound(ends[0].at, ends[1].at, difference.scale));
        let nearest =
            edges.enumerate().fold((0, f64::INFINITY), |least, (i, d)| if d < least.1 { (i, d) } else { least });
        let (edge, inner) = nearest;
        let [p, q] = [corners[edge].at, corners[edge + 1].at];
        let normal = -(q - p).perp().try_normalize()?;
        cost.iterations += 1;
        let corner = support(normal);
        let height = normal.dot(corner.at);
        if !height.is_finite() {
            return None;
        }
        if height < best.0 {
            best = (height, normal);
        }
        // The new corner has to be beyond the edge, or nothing is gained.
        if best.0 - inner <= goal || (q - p).perp_dot(corner.at - p) >= 0.0 || corners.is_full() {
            break inner;
        }
        corners.insert(edge + 1, corner);
    };
    cost.support_calls += supports;
    let normal = (side * best.1.x + up * best.1.y).normalize();
    // The height as everybody measures it, without the detour through the half-plane.
    let outer = normal.dot(difference.support(-normal).w);
    let point_a = nearest_point(&corners, best.0 * best.1);
    // The half-plane that was searched differs from a body of revolution by the error, and that from the rest of A - B again.
    let inner = inner - 2.0 * axis.error - difference.rounding;
    let out = settle(difference, normal, point_a, [inner.min(outer), outer], goal, radii, cost);
    Some(Outcome { exit: Exit::Enclosed, ..out })
}

/// The point of the polygon's boundary that is nearest to a place in the half-plane, as a point of A. The last edge that was visited need
/// not be the one that gave the best direction.
fn nearest_point(corners: &[ProfileCorner], place: DVec2) -> DVec3 {
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    for ends in corners.windows(2) {
        let [p, q] = [ends[0], ends[1]];
        let along = q.at - p.at;
        let share = (place - p.at).dot(along) / along.length_squared();
        // Written so that an edge without length has its first end.
        let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
        let distance = (p.at + share * along - place).length();
        if distance < nearest.0 {
            nearest = (distance, p.vertex.point_a + share * (q.vertex.point_a - p.vertex.point_a));
        }
    }
    nearest.1
}

/// A lower bound of the distance of an edge from the origin, which is on its left. The corners are taken as they are: that
/// they are points of the profile only to rounding is accounted for at the end.
fn edge_bound(p: DVec2, q: DVec2, scale: f64) -> f64 {
    let along = q - p;
    let length = along.length();
    let line = p.perp_dot(along) / length;
    // An edge so short that it has no direction is as far away as its ends.
    let distance = if length > 0.0 { line } else { p.length() };
    // A height in the half-plane has two products, a difference and a quotient: less than 8 ε of the scale.
    distance - 8.0 * f64::EPSILON * scale
}

/// A shape less the ball that rolls inside of it, which is counted as its rounding.
#[derive(Debug)]
struct InnerParallel<'a> {
    shape: &'a dyn Convex,
    by: f64,
}

impl<'a> InnerParallel<'a> {
    fn new(shape: &'a dyn Convex) -> Self {
        Self { shape, by: shape.curvature_inradius() }
    }
}

impl Convex for InnerParallel<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.shape.support(direction) - self.by * direction.normalize_or_zero()
    }

    fn radius(&self) -> f64 {
        self.shape.radius() + self.by
    }

    fn center(&self) -> DVec3 {
        self.shape.center()
    }

    fn bounding_radius(&self) -> f64 {
        self.shape.bounding_radius()
    }

    fn slack(&self) -> f64 {
        self.shape.slack()
    }

    fn symmetry(&self) -> Symmetry {
        self.shape.symmetry()
    }
}
