//! Smooth surfaces: a proof that covers a whole cap of directions, where triangles would have to be halved again and again.
//!
//! For a unit direction n, let h(n) be the height of A - B and s(n) its support point, as in [`newton`](super::super::newton).
//! The depth is the least h. Newton's method finds a *foot*: a direction m where s(m) is along m, so that h has no slope
//! there.
//!
//! **Inside the cap.** On a great circle through m, at the angle φ from it, let g(φ) = h(n(φ)). Then g'' + g = R, where R is the
//! second derivative of h along the circle: the radius of curvature of A - B in its plane. With g(0) = h(m), g'(0) = 0 and
//! R >= ρ up to the angle θ, Sturm's comparison with the solution for constant ρ gives
//!
//! > g(φ) >= h(m) cos φ + ρ (1 - cos φ), which is at least h(m) if ρ >= h(m).
//!
//! A kink of h only adds to g'. So no direction of the cap is better than m, if the surface is nowhere in it more sharply
//! curved than a ball of radius h(m). [`Convex::curvature_hold`] says how much of the curvature at m is left within θ.
//!
//! **Outside the cap.** Let d be slightly less than h(m), w the vertices of the inner polytope, and P all x with w·x <= d for
//! all w. The polytope reaches d in every unit direction that is not inside P. P is the polar of the polytope: its corners
//! are x = (d / distance) n for the faces of the polytope, and longer than one for the faces that are too near. Cut P with
//! the plane m·x = cos θ. If every corner of the part away from m, old and new, is at most one long, then so is all of that
//! part, and the polytope reaches d everywhere outside the cap. The new corners are on edges of P, between neighboring faces.
//! So the least cap is found by one pass over the faces that are too near and their neighbors.

use super::surface::Surface;
use crate::narrow::Difference;
use crate::shape::{Convex, Curvature};
use glam::DVec3;

/// Newton's method ends sooner, or is given up.
const MAX_ROUNDS: u32 = 6;

/// A direction in which A - B is met at a right angle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foot {
    /// The direction, a unit vector.
    pub normal: DVec3,
    /// h.
    pub height: f64,
    /// How far the support point is beside the direction: what is left of the slope.
    slope: f64,
    pub point_a: DVec3,
    /// The curvatures of A and B, each in the same two directions across.
    curvature: [Curvature; 2],
}

/// Looks for a foot near a direction. Counts the support points.
pub(super) fn foot<A, B>(difference: &Difference<'_, A, B>, near: DVec3, supports: &mut u32) -> Option<Foot>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let (a, b, frame) = (difference.a, difference.b, difference.b_in_a);
    let mut normal = near;
    for _ in 0..MAX_ROUNDS {
        *supports += 2;
        let (x, y) = normal.any_orthonormal_pair();
        let in_b = |v: DVec3| frame.direction_in_b(v);
        let (patch_a, patch_b) = (a.patch(normal, [x, y]), b.patch(-in_b(normal), [in_b(x), in_b(y)]));
        let point_a = patch_a.branch.point;
        let s = point_a - frame.point(patch_b.branch.point);
        let (height, sx, sy) = (normal.dot(s), x.dot(s), y.dot(s));
        let curvature = [patch_a.branch.curvature, patch_b.branch.curvature];
        let slope = (sx * sx + sy * sy).sqrt();
        if slope <= difference.rounding {
            return Some(Foot { normal, height, slope, point_a, curvature });
        }
        // On the sphere the second derivative is that of h, less h itself; at a minimum it is positive definite.
        let [p, q] = &curvature;
        let (xx, xy, yy) = (p.xx + q.xx - height, p.xy + q.xy, p.yy + q.yy - height);
        let determinant = xx * yy - xy * xy;
        if !(determinant > 0.0 && xx > 0.0) {
            return None;
        }
        let (tx, ty) = ((xy * sy - yy * sx) / determinant, (xy * sx - xx * sy) / determinant);
        if !(tx * tx + ty * ty < 0.25) {
            return None;
        }
        normal = (normal + x * tx + y * ty).normalize();
    }
    None
}

/// The depth that is proved by a foot and the polytope together, if it comes within `goal` of the foot's height.
pub(super) fn proved<A, B>(difference: &Difference<'_, A, B>, surface: &Surface, foot: &Foot, goal: f64) -> Option<f64>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let cos = surface.polar_cap(foot.normal, foot.height - 0.5 * goal, 0.25 * goal)?;
    // A little more, against the roundings on the way.
    let cos = cos - 1e-9;
    if !(cos > 0.5) {
        return None;
    }
    let sin = (1.0 - cos * cos).sqrt();
    let hold_a = difference.a.curvature_hold(foot.normal, [sin, cos]);
    let hold_b = difference.b.curvature_hold(-difference.b_in_a.direction_in_b(foot.normal), [sin, cos]);
    let [p, q] = &foot.curvature;
    let mix = |p: f64, q: f64| hold_a * p + hold_b * q;
    // The smaller eigenvalue of the sum: ρ.
    let (xx, xy, yy) = (mix(p.xx, q.xx), mix(p.xy, q.xy), mix(p.yy, q.yy));
    let half = 0.5 * (xx - yy);
    let least = 0.5 * (xx + yy) - (half * half + xy * xy).sqrt();
    (least >= foot.height * (1.0 + 1e-9)).then(|| foot.height - goal - foot.slope)
}
