//! Newton's method on the direction: the distance between curved shapes that are apart.
//!
//! For a unit direction n, let s(n) be the support point of A - B and h(n) = n·s(n) its height. The plane of height h
//! bounds A - B, so -h(n) is at most the distance, and the distance is the maximum of -h over all n. GJK approaches it
//! on curved shapes with a constant factor per round, 30 to 40 rounds; Newton's method doubles the digits, in 4 to 6.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | n | `n` | unit direction, from A to B |
//! | s | `w` | support point of A - B along n; the gradient of h |
//! | H | `SphereHessian` | second derivative of h in the plane across n: that of A plus that of B |
//! | a₁, a₂ | `Crease` | where the farthest point of A is not unique, the ends of the line of farthest points |
//! | d | `Crease::across` | a₂ - a₁, with the sign it has in A - B |
//! | λ | `lambda` | where on that line the witness is |
//! | v | `v` | s + λ_A d_A + λ_B d_B, a point of A - B; the shortest for the λ in 0..=1 |
//!
//! **Smooth.** On the sphere the step is the vector t across n with (H - h) t = -(s - (n·s) n); H is positive
//! semidefinite and h negative, so there is exactly one. The same in the coordinates of a plane that touches the
//! sphere (`Chart`) saves a root and a basis per round.
//!
//! **Kinks.** On the normals of a straight line of the surface, the side of a cylinder or cone, h is the larger of two
//! smooth functions, and its maximum is often just there. Then n has to satisfy d·n = 0, and v takes the place of s:
//! (H(λ) - v·n) t + μ d = -(v - (n·v) n) with d·t = -d·n. A kink counts as active when the nearest point of the line
//! is not one of its ends, or when the step would leave the side on which the chosen end is farthest. Both shapes may
//! have one; then the two conditions alone determine t.
//!
//! **Caps.** The disc of a cylinder or cone has one normal. When the witness of the other shape lies over the disc, that
//! normal is tried as it is, with the nearest point of the disc as the witness.
//!
//! **Invariants.** I1: v is a difference of points of A and B, so |v| is at least the distance. I2: -h(n) is at most the
//! distance. Both hold for every n, however it was found, so the bracket is proved even where a step was wrong.
//!
//! **Ends.** At most [`MAX_ITERATIONS`] rounds, fewer if the bracket does not shrink; there is no attempt at convergence
//! from everywhere, because GJK can take over: from the best axis, which comes back as the error.
//!
//! **Deviations** from the textbook: a step that lowers -h is halved instead of searched along, and where no direction
//! separates yet, |v| stands in for -h, which keeps the equations definite.
//!
//! Prefer another engine when: the shapes overlap (there is no answer here), none is curved, or a closed form exists.

use super::Bracket;
use super::Difference;
use super::outcome::{Apart, Cost, Exit, Outcome};
use crate::math::Frame;
use crate::shape::{Branch, Cap, Convex, Curvature, Patch};
use crate::tuning::convex::FACE_ROUNDS;
use crate::tuning::convex::MAX_OVERLAPPING;
use crate::tuning::convex::MAX_STRIKES;
use crate::tuning::convex::RELATIVE;
use glam::{DVec2, DVec3};

/// Rounds of a search, at most. Limit: a search that takes more ends without an answer, and GJK gives one.
pub const MAX_ITERATIONS: u32 = 12;

/// How far from the normal a witness may be, in roundings. Bound: about 1e-12 of the scale, as for curved shapes that overlap.
const MAX_RESIDUAL: f64 = 128.0;

/// Signed distance, witnesses and bracket of shapes that are apart, from a first `axis` (from B to A, any length; zero if
/// unknown). A search that proves more than `limit` ends with [`Exit::Beyond`], and only its `lower` is then of use.
///
/// The error is not a failure but a hint: the best axis found, in the same sense, for another engine to start from.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::internals::narrow::newton;
/// use clearance::shape::Ellipsoid;
/// use clearance::math::DVec3;
///
/// let (egg, b_in_a) = (
///     Ellipsoid::new([1.0, 2.0, 3.0].into())?,
///     Frame::relative(&Pose::IDENTITY, &Pose::from_translation([5.0, 0.0, 0.0])),
/// );
/// let out = newton::distance(&egg, &egg, &b_in_a, DVec3::ZERO, f64::INFINITY).expect("it converges");
/// assert!((out.distance - 3.0).abs() < 1e-13);
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn distance<A, B>(a: &A, b: &B, b_in_a: &Frame, axis: DVec3, limit: f64) -> Result<Outcome, DVec3>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let difference = Difference::new(a, b, b_in_a);
    let radii = [a.radius(), b.radius()];
    let beyond = limit + radii[0] + radii[1] + difference.rounding;
    let mut chart = Chart::new(first_direction(&difference, axis), b_in_a);
    let mut t = DVec2::ZERO;
    let mut best = BestBounds::new(chart.n);
    let mut cost = Cost::default();
    let mut face = None;
    let mut tried_faces = false;
    let mut after_face = chart.n;
    let mut strikes = 0;
    let mut last_gap = f64::INFINITY;

    while cost.iterations < MAX_ITERATIONS {
        cost.iterations += 1;
        let d = chart.direction(t);
        let patch_a = a.patch(d, [chart.x, chart.y]);
        let patch_b = b.patch(-chart.direction_in_b(t), [chart.x_in_b, chart.y_in_b]);
        let point_a = patch_a.branch.point;
        let point_b = b_in_a.point(patch_b.branch.point);
        let n = d * (1.0 / (1.0 + t.length_squared()).sqrt());
        // I2: the height of the support plane.
        let height = -n.dot(point_a - point_b);
        let is_higher = best.raise(height, n);
        let sides = [ShapeSide::new(&patch_a, |d| d), ShapeSide::new(&patch_b, |d| -(b_in_a.rotation * d))];
        let witness = match face {
            None => nearest_on_lines(&sides, point_a, point_b),
            Some(which) => nearest_on_face(which, &caps(a, b, n, b_in_a), point_a, point_b),
        };
        // I1: v is a point of A - B.
        best.lower_to(&witness);
        if best.lower > beyond && best.upper.is_finite() {
            return Ok(best.outcome(-best.axis, difference.rounding, radii, Exit::Beyond, cost));
        }
        let gap = best.upper - best.lower;
        if gap <= RELATIVE * best.upper || gap <= 0.125 * difference.rounding {
            break;
        }
        strikes += u32::from(gap > 0.9 * last_gap);
        last_gap = gap;
        if strikes > MAX_STRIKES || (best.lower <= 0.0 && cost.iterations >= MAX_OVERLAPPING) {
            break;
        }
        let restart = if face.take().is_some() {
            // The witness is not over the disc after all, but v still leads to its nearest point.
            Some(if is_higher { -witness.v } else { after_face })
        } else if !is_higher {
            // The step was too long: go back half of the way.
            Some(n - best.axis)
        } else {
            t += step(&chart, t, &witness, &sides);
            if !tried_faces && cost.iterations <= FACE_ROUNDS {
                face = face_under(&caps(a, b, n, b_in_a), &sides, point_a, point_b, best.lower.max(0.0));
            }
            match face {
                Some((_, normal)) => {
                    tried_faces = true;
                    after_face = chart.direction(t);
                    Some(normal)
                }
                // Far from its middle a chart stretches too much; written so that a NaN ends the search.
                None if t.length_squared() <= WIDEST * WIDEST => None,
                None => Some(chart.direction(t)),
            }
        };
        if let Some(direction) = restart {
            let Some(n) = direction.try_normalize() else { break };
            chart = Chart::new(n, b_in_a);
            t = DVec2::ZERO;
        }
    }
    best.settled(&difference, radii, cost)
}

/// Directions as points of the plane that touches the sphere at n: n + t.x x + t.y y. Their length does not matter to a
/// support function, so they are never made units, and the plane stays the same from round to round.
pub(super) struct Chart {
    pub n: DVec3,
    pub x: DVec3,
    pub y: DVec3,
    pub n_in_b: DVec3,
    pub x_in_b: DVec3,
    pub y_in_b: DVec3,
}

/// The slope at which a chart is replaced by a new one. Bound: at slope 2 the chart stretches angles by 1 + 2² = 5 at most.
pub(super) const WIDEST: f64 = 2.0;

impl Chart {
    #[inline]
    pub fn new(n: DVec3, b_in_a: &Frame) -> Self {
        let (x, y) = n.any_orthonormal_pair();
        let [n_in_b, x_in_b, y_in_b] = [n, x, y].map(|d| b_in_a.direction_in_b(d));
        Self { n, x, y, n_in_b, x_in_b, y_in_b }
    }

    #[inline]
    pub fn direction(&self, t: DVec2) -> DVec3 {
        self.n + (self.x * t.x + self.y * t.y)
    }

    #[inline]
    fn direction_in_b(&self, t: DVec2) -> DVec3 {
        self.n_in_b + (self.x_in_b * t.x + self.y_in_b * t.y)
    }

    #[inline]
    pub fn across(&self, v: DVec3) -> DVec2 {
        DVec2::new(v.dot(self.x), v.dot(self.y))
    }
}

/// A point of A - B.
pub(super) struct NewtonWitness {
    /// Where it is on the lines of A and B.
    pub lambda: [f64; 2],
    pub point_a: DVec3,
    pub v: DVec3,
}

/// The best of both bounds, and where they come from; lengths are those of the cores.
struct BestBounds {
    lower: f64,
    axis: DVec3,
    upper: f64,
    v: DVec3,
    point_a: DVec3,
}

impl BestBounds {
    #[inline]
    fn new(n: DVec3) -> Self {
        let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { lower, axis: -n, upper, v: DVec3::ZERO, point_a: DVec3::ZERO }
    }

    #[inline]
    fn raise(&mut self, height: f64, n: DVec3) -> bool {
        let is_higher = height > self.lower;
        if is_higher {
            (self.lower, self.axis) = (height, -n);
        }
        is_higher
    }

    #[inline]
    fn lower_to(&mut self, witness: &NewtonWitness) {
        let length = witness.v.length();
        if length < self.upper {
            (self.upper, self.v, self.point_a) = (length, witness.v, witness.point_a);
        }
    }

    /// The answer if its bracket is closed to rounding, its witnesses are along its normal and the shapes are apart; else the
    /// axis.
    #[inline]
    fn settled<A, B>(&self, difference: &Difference<'_, A, B>, radii: [f64; 2], cost: Cost) -> Result<Outcome, DVec3>
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        let error = difference.rounding;
        // A shape that breaks its contract can make the bounds cross; it is not for this engine to say so.
        let are_in_order = self.lower - self.upper <= 2.0 * error;
        let is_closed = are_in_order && Bracket::is_closed([self.lower, self.upper], error, 0.0);
        if !(is_closed && self.lower > error) {
            return Err(self.axis);
        }
        // The axis separates by the lower bound, and v ends at the witness of B. When the bounds meet these two differ by up to the
        // root of the rounding; then v is the normal, if it separates as well. (It does but for flat or close surfaces.)
        let mut normal = -self.axis;
        if !((self.v - self.upper * self.axis).length() <= MAX_RESIDUAL * error) {
            let unit = self.v / self.upper;
            if !Bracket::is_closed([difference.height(unit), self.upper], error, 0.0) {
                return Err(self.axis);
            }
            normal = -unit;
        }
        Ok(self.outcome(normal, error, radii, Exit::Converged, cost))
    }

    fn outcome(&self, normal: DVec3, error: f64, radii: [f64; 2], exit: Exit, mut cost: Cost) -> Outcome {
        cost.support_calls = 2 * cost.iterations;
        debug_assert!(
            exit == Exit::Beyond || self.lower - error <= self.upper + error,
            "I1 and I2: the bracket is not empty"
        );
        let apart = Apart { core_a: self.point_a, normal, length: self.upper, bounds: [self.lower, self.upper] };
        apart.outcome(radii, error, exit, cost)
    }
}

/// The contribution of one shape to A - B around a support point.
pub(super) struct ShapeSide {
    curvature: Curvature,
    pub line: Option<Crease>,
}

/// A straight line of the surface.
pub(super) struct Crease {
    /// From the support point to the other end, in A - B.
    pub across: DVec3,
    /// The curvature there.
    curvature: Curvature,
}

impl ShapeSide {
    /// With the vectors of A as they are, and those of B turned and negative.
    #[inline]
    pub fn new(patch: &Patch, place: impl Fn(DVec3) -> DVec3) -> Self {
        let Branch { point, curvature } = patch.branch;
        let line = |rival: Branch| Crease { across: place(rival.point - point), curvature: rival.curvature };
        Self { curvature, line: patch.rival.map(line) }
    }

    /// H(λ).
    #[inline]
    pub fn curvature(&self, lambda: f64) -> Curvature {
        let Some(line) = &self.line else { return self.curvature };
        let (c, r) = (&self.curvature, &line.curvature);
        let mix = |c: f64, r: f64| c + lambda * (r - c);
        Curvature { xx: mix(c.xx, r.xx), xy: mix(c.xy, r.xy), yy: mix(c.yy, r.yy) }
    }

    #[inline]
    fn across(&self) -> DVec3 {
        self.line.as_ref().map_or(DVec3::ZERO, |line| line.across)
    }
}

/// The shortest v and its λ: the nearest points of two segments, of a segment and a point, or of two points.
#[inline(always)]
fn nearest_on_lines(sides: &[ShapeSide; 2], point_a: DVec3, point_b: DVec3) -> NewtonWitness {
    let w = point_a - point_b;
    let along = |numerator: f64, denominator: f64| {
        let lambda = if denominator > 0.0 { numerator / denominator } else { 0.0 };
        let lambda = if lambda > 0.0 { lambda } else { 0.0 };
        if lambda < 1.0 { lambda } else { 1.0 }
    };
    match (&sides[0].line, &sides[1].line) {
        (None, None) => NewtonWitness { lambda: [0.0; 2], point_a, v: w },
        (Some(a), None) => {
            let lambda = along(-w.dot(a.across), a.across.length_squared());
            let shift = lambda * a.across;
            NewtonWitness { lambda: [lambda, 0.0], point_a: point_a + shift, v: w + shift }
        }
        (None, Some(b)) => {
            let lambda = along(-w.dot(b.across), b.across.length_squared());
            NewtonWitness { lambda: [0.0, lambda], point_a, v: w + lambda * b.across }
        }
        (Some(a), Some(b)) => {
            let (aa, bb, ab) = (a.across.length_squared(), b.across.length_squared(), a.across.dot(b.across));
            let (wa, wb) = (w.dot(a.across), w.dot(b.across));
            // The minimum over the square: of the first alone, the second for it, and the first again.
            let first = along(ab * wb - bb * wa, aa * bb - ab * ab);
            let second = along(-wb - ab * first, bb);
            let first = along(-wa - ab * second, aa);
            let shift = first * a.across;
            NewtonWitness { lambda: [first, second], point_a: point_a + shift, v: w + shift + second * b.across }
        }
    }
}

/// The witness when n is the normal of a cap: the nearest point of the disc, and of the other's if that is parallel.
pub(super) fn nearest_on_face(
    (which, _): (usize, DVec3),
    caps: &[Option<Cap>; 2],
    point_a: DVec3,
    point_b: DVec3,
) -> NewtonWitness {
    let mut points = [point_a, point_b];
    if let Some(disc) = &caps[which] {
        points[which] = nearest_on_disc(disc, points[1 - which]);
        if let Some(other) = &caps[1 - which]
            // The normals are opposite to rounding.
            && disc.normal.dot(other.normal) <= -1.0 + f64::EPSILON
        {
            points[which] = nearest_on_disc(disc, other.center);
            points[1 - which] = nearest_on_disc(other, points[which]);
        }
    }
    NewtonWitness { lambda: [0.0; 2], point_a: points[0], v: points[0] - points[1] }
}

fn nearest_on_disc(disc: &Cap, point: DVec3) -> DVec3 {
    let offset = point - disc.center;
    let radial = offset - disc.normal * disc.normal.dot(offset);
    let length = radial.length();
    disc.center + if length > disc.radius { radial * (disc.radius / length) } else { radial }
}

/// The shape that has a cap under the other, and the direction in which its normal is from A to B.
#[inline(always)]
pub(super) fn face_under(
    caps: &[Option<Cap>; 2],
    sides: &[ShapeSide; 2],
    point_a: DVec3,
    point_b: DVec3,
    least: f64,
) -> Option<(usize, DVec3)> {
    // Of the two ends of the other's line the lower one counts.
    let over = |cap: &Option<Cap>, point: DVec3, across: DVec3| {
        cap.filter(|cap| {
            let lower = if cap.normal.dot(across) < 0.0 { 1.0 } else { 0.0 };
            let offset = point + across * lower - cap.center;
            let height = cap.normal.dot(offset);
            (height > least) & (offset.length_squared() - height * height <= cap.radius * cap.radius)
        })
    };
    if let Some(cap) = over(&caps[0], point_b, -sides[1].across()) {
        Some((0, cap.normal))
    } else {
        over(&caps[1], point_a, sides[0].across()).map(|cap| (1, -cap.normal))
    }
}

/// The caps of both shapes that face the other, in the frame of A.
#[inline(always)]
pub(super) fn caps<A, B>(a: &A, b: &B, n: DVec3, b_in_a: &Frame) -> [Option<Cap>; 2]
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let placed =
        |cap: Cap| Cap { center: b_in_a.point(cap.center), normal: b_in_a.rotation * cap.normal, radius: cap.radius };
    [a.cap(n), b.cap(b_in_a.direction_in_b(-n)).map(placed)]
}

/// The change of t.
///
/// With d = n + t and its square L = 1 + |t|², the slope across d is v - (v·d / L) d. v·d / L takes the place of h: in coordinates of the
/// chart, H - (v·d / L) (1 - t t^T / L).
#[inline(always)]
fn step(chart: &Chart, t: DVec2, witness: &NewtonWitness, sides: &[ShapeSide; 2]) -> DVec2 {
    let NewtonWitness { lambda, v, .. } = witness;
    let inverse = 1.0 / (1.0 + t.length_squared());
    let (v_across, v_along) = (chart.across(*v), v.dot(chart.n));
    let height = -(v_along + t.dot(v_across)) * inverse;
    // As long as d does not separate, v's length damps the step instead of its height.
    let damping = if height > 0.0 { height } else { v.length() };
    let [a, b] = [sides[0].curvature(lambda[0]), sides[1].curvature(lambda[1])];
    let quadratic = SphereHessian {
        xx: a.xx + b.xx + damping * (1.0 - t.x * t.x * inverse),
        xy: a.xy + b.xy - damping * (t.x * t.y * inverse),
        yy: a.yy + b.yy + damping * (1.0 - t.y * t.y * inverse),
    };
    let right = -(v_across + t * height);
    let lines = [line(chart, t, &sides[0]), line(chart, t, &sides[1])];
    // A step that crosses a kink to where the end chosen is no longer farthest has to stay on it.
    let crosses = |i: usize, change: DVec2| match &lines[i] {
        Some(kink) => (kink.0.dot(change) > kink.1) != (lambda[i] > 0.0),
        None => false,
    };
    let inside = |i: usize| lines[i].is_some() && lambda[i] > 0.0 && lambda[i] < 1.0;
    let mut active = [inside(0), inside(1)];
    let mut change = quadratic.solve_on(right, &lines, active);
    for i in [0, 1] {
        if !active[i] && crosses(i, change) {
            active[i] = true;
            change = quadratic.solve_on(right, &lines, active);
        }
    }
    change
}

/// The condition d·(n + t) = 0 for the change of t: its coefficients and its right side.
#[inline(always)]
fn line(chart: &Chart, t: DVec2, side: &ShapeSide) -> Option<(DVec2, f64)> {
    side.line.as_ref().map(|line| {
        let across = chart.across(line.across);
        (across, -(line.across.dot(chart.n) + across.dot(t)))
    })
}

/// Two kinks at a smaller angle are one. Bound: the crossing of two lines is off by the rounding error over their angle, 1e-10 of the scale
/// here.
pub(super) const PARALLEL: f64 = 1e-6;

/// H - v·n in the plane across n: symmetric, positive definite.
#[derive(Clone, Copy)]
pub(super) struct SphereHessian {
    pub xx: f64,
    pub xy: f64,
    pub yy: f64,
}

impl SphereHessian {
    #[inline]
    pub fn times(&self, t: DVec2) -> DVec2 {
        DVec2::new(self.xx * t.x + self.xy * t.y, self.xy * t.x + self.yy * t.y)
    }

    /// (H - h) t = right.
    #[inline]
    pub fn solve(&self, right: DVec2) -> DVec2 {
        let determinant = self.xx * self.yy - self.xy * self.xy;
        DVec2::new(self.yy * right.x - self.xy * right.y, self.xx * right.y - self.xy * right.x) / determinant
    }

    /// (H - h) t = right on one kink or on both, if they are active.
    #[inline(always)]
    fn solve_on(&self, right: DVec2, lines: &[Option<(DVec2, f64)>; 2], active: [bool; 2]) -> DVec2 {
        match (lines[0].filter(|_| active[0]), lines[1].filter(|_| active[1])) {
            (None, None) => self.solve(right),
            (Some(line), None) | (None, Some(line)) => self.solve_on_line(right, line),
            (Some((a, height_a)), Some((b, height_b))) => {
                let determinant = a.perp_dot(b);
                let (aa, bb) = (a.length_squared(), b.length_squared());
                if determinant * determinant > PARALLEL * PARALLEL * (aa * bb) {
                    DVec2::new(height_a * b.y - height_b * a.y, height_b * a.x - height_a * b.x) / determinant
                } else {
                    self.solve_on_line(right, if bb > aa { (b, height_b) } else { (a, height_a) })
                }
            }
        }
    }

    /// (H - h) t + μ d = right, d·t = height.
    #[inline]
    pub fn solve_on_line(&self, right: DVec2, (d, height): (DVec2, f64)) -> DVec2 {
        let square = d.length_squared();
        if square == 0.0 {
            return self.solve(right);
        }
        let base = d * (height / square);
        let c = d.perp();
        base + c * (c.dot(right - self.times(base)) / c.dot(self.times(c)))
    }
}

#[inline]
fn first_direction<A, B>(difference: &Difference<'_, A, B>, axis: DVec3) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let unit = |v: DVec3| v.try_normalize();
    unit(-axis).or_else(|| unit(-difference.center())).unwrap_or(DVec3::X)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds are the best of the search, with the axis and the point they come from.
    #[test]
    fn a_worse_round_changes_no_bound() {
        let mut best = BestBounds::new(DVec3::Z);
        assert!(best.raise(2.0, DVec3::X) && !best.raise(1.0, DVec3::Y) && !best.raise(f64::NAN, DVec3::Y));
        assert_eq!((best.lower, best.axis), (2.0, DVec3::NEG_X));
        assert!(best.raise(2.5, DVec3::Y));
        assert_eq!((best.lower, best.axis), (2.5, DVec3::NEG_Y));
        let witness = |v: DVec3| NewtonWitness { lambda: [0.0; 2], point_a: 0.5 * v, v };
        for length in [4.0, 3.0, 3.5, 7.0] {
            best.lower_to(&witness(length * DVec3::Z));
        }
        assert_eq!((best.upper, best.v, best.point_a), (3.0, 3.0 * DVec3::Z, 1.5 * DVec3::Z));
    }
}
