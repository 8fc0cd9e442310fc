//! Smooth surfaces: a proof that covers a whole cap of directions, where triangles would have to be halved again and again.
//!
//! For a unit direction n, let h(n) be the height of A - B and s(n) its support point, as in [`newton`](super::super::newton).
//! The depth is the least h. Newton's method finds a *foot*: a direction m such that the point h(m) m is on the surface.
//!
//! **Inside the cap, smooth.** On a great circle through m, at the angle φ from it, let g(φ) = h(n(φ)). Then g'' + g = R, where
//! R is the second derivative of h along the circle: the radius of curvature of A - B in its plane. With g(0) = h(m), g'(0) = 0
//! and R >= ρ up to the angle θ, Sturm's comparison with the solution for constant ρ gives
//!
//! > g(φ) >= h(m) cos φ + ρ (1 - cos φ), which is at least h(m) if ρ >= h(m).
//!
//! So no direction of the cap is better than m if the surface is nowhere in it more sharply curved than a ball of radius h(m).
//! [`Convex::curvature_range`] says how much of the curvature at m is left within θ.
//!
//! **Inside the cap, on a straight line of the surface.** Let the foot be on the line between the points of two branches h₁ and
//! h₂ of h, at λ, and d be the vector from one to the other, across m. The mix (1 - λ) h₁ + λ h₂ is smooth, at most h, and has no slope at
//! m: the above holds for it. h exceeds it by at least μ |h₂ - h₁| with μ = min(λ, 1 - λ). On the circle that starts along t, h₂ - h₁ is
//! d·t sin φ, bent back by at most r (1 - cos φ) where r bounds its second derivative. With q = tan(θ/2)
//! it is enough that, across d, ρ is still h(m) plus some rest, and that along d
//!
//! > μ' |d| >= q (h(m) - ρ + μ' r), with the μ' <= μ that the rest can bear: μ' r <= ρ - h(m) across d.
//!
//! **Outside the cap.** Let d be slightly less than h(m), w the vertices of the inner polytope, and P all x with w·x <= d for
//! all w. The polytope reaches d in every unit direction that is not inside P. P is the polar of the polytope: its corners
//! are x = (d / distance) n for the faces of the polytope, and longer than one for the faces that are too near. Cut P with
//! the plane m·x = cos θ. If every corner of the part away from m, old and new, is at most one long, then so is all of that
//! part, and the polytope reaches d everywhere outside the cap. The new corners are on edges of P, between neighboring faces.
//! So the least cap is found by one pass over the faces that are too near and their neighbors.

use super::surface::ExpandingPolytope;
use crate::narrow::Difference;
use crate::shape::{Convex, Curvature, Patch};
use crate::tuning::convex::CAP_ROUNDS;
use glam::{DVec2, DVec3};

/// A direction whose multiple by the height of A - B is on the surface of A - B.
#[derive(Debug, Clone, Copy)]
pub(super) struct CapFoot {
    /// The direction, a unit vector.
    pub normal: DVec3,
    /// h.
    pub height: f64,
    /// How far the point is beside the direction, which rounding has left.
    slope: f64,
    pub point_a: DVec3,
    /// The curvatures of A and B, in the same two directions across.
    curvature: [CapForm; 2],
    /// The straight line that it is on.
    line: Option<KinkLine>,
}

/// A symmetric form in the plane across a direction.
#[derive(Debug, Clone, Copy)]
struct CapForm {
    xx: f64,
    xy: f64,
    yy: f64,
}

/// A straight line of the surface of A - B.
#[derive(Debug, Clone, Copy)]
struct KinkLine {
    /// Whose it is: 0 for A, 1 for B.
    side: usize,
    /// From the support point to the other end, along the two directions across.
    across: DVec2,
    /// Where the foot is on it.
    lambda: f64,
    /// How much the curvatures of its ends differ, in any direction.
    bend: f64,
}

impl CapForm {
    fn new(c: &Curvature) -> Self {
        Self { xx: c.xx, xy: c.xy, yy: c.yy }
    }

    fn plus(self, other: Self, factor: f64) -> Self {
        let (xx, xy) = (self.xx + factor * other.xx, self.xy + factor * other.xy);
        Self { xx, xy, yy: self.yy + factor * other.yy }
    }

    fn times(self, factor: f64) -> Self {
        Self { xx: factor * self.xx, xy: factor * self.xy, yy: factor * self.yy }
    }

    fn of(self, u: DVec2, v: DVec2) -> f64 {
        self.xx * u.x * v.x + self.xy * (u.x * v.y + u.y * v.x) + self.yy * u.y * v.y
    }

    /// The smaller and the larger eigenvalue.
    fn eigenvalues(self) -> [f64; 2] {
        let (mean, half) = (0.5 * (self.xx + self.yy), 0.5 * (self.xx - self.yy));
        let root = (half * half + self.xy * self.xy).sqrt();
        [mean - root, mean + root]
    }
}

/// Looks for a foot near a direction. Counts the support points.
pub(super) fn foot<A, B>(difference: &Difference<'_, A, B>, near: DVec3, supports: &mut u32) -> Option<CapFoot>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let (a, b, frame) = (difference.a, difference.b, difference.b_in_a);
    let mut normal = near;
    for _ in 0..CAP_ROUNDS {
        *supports += 2;
        let (x, y) = normal.any_orthonormal_pair();
        let in_b = |v: DVec3| frame.direction_in_b(v);
        let (patch_a, patch_b) = (a.patch(normal, [x, y]), b.patch(-in_b(normal), [in_b(x), in_b(y)]));
        let mut point_a = patch_a.branch.point;
        let mut v = point_a - frame.point(patch_b.branch.point);
        let height = normal.dot(v);
        let mut curvature = [CapForm::new(&patch_a.branch.curvature), CapForm::new(&patch_b.branch.curvature)];
        // A line counts when the foot is between its ends and the direction about across it.
        let mut line = None;
        for (side, patch) in [&patch_a, &patch_b].into_iter().enumerate() {
            let Some((vector, other)) = rival(patch) else { continue };
            let vector = if side == 0 { vector } else { -(frame.rotation * vector) };
            let square = vector.length_squared();
            let (along, lambda) = (normal.dot(vector), -(v - normal * height).dot(vector) / square);
            if !(lambda > 0.0 && lambda < 1.0 && along * along < 0.1 * square) {
                continue;
            }
            // On two lines at once the foot is on a flat piece of surface, which triangles cover.
            if line.is_some() {
                return None;
            }
            v += lambda * vector;
            if side == 0 {
                point_a += lambda * vector;
            }
            let change = other.plus(curvature[side], -1.0);
            curvature[side] = curvature[side].plus(change, lambda);
            let [low, high] = change.eigenvalues();
            let across = DVec2::new(vector.dot(x), vector.dot(y));
            line = Some((KinkLine { side, across, lambda, bend: high.max(-low) }, along));
        }
        let across = DVec2::new(x.dot(v), y.dot(v));
        let slope = across.length();
        let off = line.map_or(0.0, |(_, along)| along.abs());
        if slope <= difference.rounding && off <= difference.rounding {
            let line = line.map(|(line, _)| line);
            return Some(CapFoot { normal, height, slope, point_a, curvature, line });
        }
        // On the sphere the second derivative is that of h, less h itself.
        let form = curvature[0].plus(curvature[1], 1.0).plus(CapForm { xx: 1.0, xy: 0.0, yy: 1.0 }, -height);
        let step = match line {
            None => form.smooth_step(across)?,
            Some((line, along)) => form.step_on(line.across, along, across)?,
        };
        if !(step.length_squared() < 0.25) {
            return None;
        }
        normal = (normal + x * step.x + y * step.y).normalize();
    }
    None
}

/// The vector to the other end of a line, and the curvature there.
fn rival(patch: &Patch) -> Option<(DVec3, CapForm)> {
    let rival = patch.rival?;
    let vector = rival.point - patch.branch.point;
    (vector != DVec3::ZERO).then(|| (vector, CapForm::new(&rival.curvature)))
}

impl CapForm {
    /// Newton's step against a slope, if this is positive definite, as at a minimum.
    fn smooth_step(self, slope: DVec2) -> Option<DVec2> {
        let determinant = self.xx * self.yy - self.xy * self.xy;
        let step = DVec2::new(self.xy * slope.y - self.yy * slope.x, self.xy * slope.x - self.xx * slope.y);
        (determinant > 0.0 && self.xx > 0.0).then(|| step / determinant)
    }

    /// Newton's step with `along` + line·step = 0: across a line, where this need only be positive across it.
    fn step_on(self, line: DVec2, along: f64, slope: DVec2) -> Option<DVec2> {
        let base = line * (-along / line.length_squared());
        let across = line.perp();
        let stiffness = self.of(across, across);
        let step = base - across * ((across.dot(slope) + self.of(across, base)) / stiffness);
        (stiffness > 0.0).then_some(step)
    }
}

/// The depth that is proved by a foot and the polytope together, if it comes within `goal` of the foot's height.
pub(super) fn proved<A, B>(
    difference: &Difference<'_, A, B>,
    surface: &ExpandingPolytope,
    foot: &CapFoot,
    goal: f64,
) -> Option<f64>
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
    let ranges = [
        difference.a.curvature_range(foot.normal, [sin, cos]),
        difference.b.curvature_range(-difference.b_in_a.direction_in_b(foot.normal), [sin, cos]),
    ];
    let form = foot.curvature[0].times(ranges[0][0]).plus(foot.curvature[1], ranges[1][0]);
    // The roundings in curvatures are many digits smaller than this.
    let height = foot.height * (1.0 + 1e-9);
    let holds = form.eigenvalues()[0] >= height
        || foot.line.is_some_and(|line| {
            let bend = if line.bend > 0.0 { line.bend * ranges[line.side][1] } else { 0.0 };
            line.holds(form, height, bend, sin / (1.0 + cos))
        });
    holds.then_some(foot.height - goal - foot.slope)
}

impl KinkLine {
    /// The condition of the module for a foot on a line; `q` is the tangent of half the angle.
    fn holds(&self, form: CapForm, height: f64, bend: f64, q: f64) -> bool {
        let length = self.across.length();
        let (along, across) = (self.across / length, self.across.perp() / length);
        let rest = form.of(across, across) - height;
        if !(rest > 0.0) {
            return false;
        }
        let mut mu = self.lambda.min(1.0 - self.lambda);
        if mu * bend > rest {
            mu = rest / bend;
        }
        // In between, the condition is a concave function of the angle's cosine, so the two ends decide.
        let least = form.of(along, along).min(rest + height) - 2.0 * form.of(along, across).abs();
        mu * length >= q * (height - least + mu * bend)
    }
}
