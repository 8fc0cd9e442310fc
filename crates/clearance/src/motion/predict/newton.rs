//! Portals of curved bodies: Newton's method on the direction, and flat round faces.
//!
//! Where D = A - B is curved, portals shrink by a constant factor from round to round. Let o be a point of the line, u = -v/|v|, and m a vector across u.
//! The height of the support plane of n = u + m at the line, n·(w(n) - o), is a convex function of m. Its slope is q, the part across u of
//! w - o, and its second derivative is that of the two heights. Its minimum is the contact, and Newton's method doubles the digits. As in
//! `narrow/newton.rs`, straight lines of the surface are kinks. There any point of a line is a support point, and the minimum may be where
//! q + λ d is zero for a λ between 0 and 1, n being across the line.
//!
//! The portal is then three points of D next to the contact: those of directions next to n, the corners of a parallelogram where two lines
//! cross, or points of a disc. Nothing relies on any of this: `certify` proves the contact.

use crate::motion::certify::PortalCorner;
use crate::motion::envelope::StraightPair;
use crate::shape::{Branch, Cap, Convex, Curvature};
use crate::tuning::motion as tuning;
use glam::{DMat3, DVec2, DVec3};

/// The support point of D along a direction, relative to the line.
struct SupportAlong {
    /// The slope, with what lines add to it, and the second derivative.
    slope: DVec2,
    curvature: Curvature,
    /// The points of A and of B.
    points: [DVec3; 2],
    /// From there to the other end of the line of A, and of B with the sign that it has in D; where on it the support point is.
    lines: [Option<DVec3>; 2],
    shares: [f64; 2],
    /// The height of the support plane at the line.
    value: f64,
}

/// The axes across the velocity and against it, a point of the line, and the rotations of the bodies.
pub(super) struct LineFrame<'a> {
    pub axes: &'a DMat3,
    pub origin: DVec3,
    pub turns: &'a [DMat3; 2],
}

impl LineFrame<'_> {
    fn direction(&self, m: DVec2) -> DVec3 {
        self.axes.z_axis + self.axes.x_axis * m.x + self.axes.y_axis * m.y
    }

    fn across(&self, v: DVec3) -> DVec2 {
        DVec2::new(v.dot(self.axes.x_axis), v.dot(self.axes.y_axis))
    }

    /// Corners in the order in which they go around the line to the left, if it goes through them.
    fn in_order(&self, mut corners: [PortalCorner; 3]) -> Option<[PortalCorner; 3]> {
        let [p, q, r] = corners.map(|corner| self.across(corner.w - self.origin));
        let turns = [p.perp_dot(q), q.perp_dot(r), r.perp_dot(p)];
        if turns.iter().sum::<f64>() < 0.0 {
            corners.swap(1, 2);
            return turns.iter().all(|&turn| turn <= 0.0).then_some(corners);
        }
        (turns.iter().all(|&turn| turn >= 0.0) && turns != [0.0; 3]).then_some(corners)
    }
}

impl<A: Convex, B: Convex> StraightPair<'_, A, B> {
    /// A portal next to the contact, from a direction next to its normal.
    pub(super) fn curved_portal(&self, frame: &LineFrame<'_>, near: DVec3) -> Option<[PortalCorner; 3]> {
        let [to_a, to_b] = [frame.turns[0].transpose(), frame.turns[1].transpose()];
        let unit = near * near.length_recip();
        if let Some(cap) = self.a.cap(to_a * unit)
            && let Some(portal) = self.on_disc(frame, 0, &cap, unit)
        {
            return Some(portal);
        }
        if let Some(cap) = self.b.cap(to_b * -unit)
            && let Some(portal) = self.on_disc(frame, 1, &cap, unit)
        {
            return Some(portal);
        }
        let steep = near.dot(frame.axes.z_axis);
        let mut m = frame.across(near) / steep;
        let mut best = (f64::INFINITY, m);
        for _ in 0..tuning::NEWTON_ROUNDS {
            let guess = self.guess(frame, m);
            // A value that is equal up to rounding counts as progress.
            if !(guess.value < best.0 + 1e-12 * guess.points[0].length()) {
                // Too far: half of the way back. Written so that a NaN ends the search.
                if !(guess.value > best.0) || m.distance(best.1) < tuning::NEWTON_STEP {
                    break;
                }
                m = 0.5 * (m + best.1);
                continue;
            }
            best = (guess.value, m);
            let change = guess.step(frame, m);
            if !change.is_finite() {
                return None;
            }
            m += change;
            if change.length() <= tuning::NEWTON_STEP * (1.0 + m.length()) {
                let guess = self.guess(frame, m);
                return self.around(frame, m, &guess);
            }
        }
        None
    }

    fn guess(&self, frame: &LineFrame<'_>, m: DVec2) -> SupportAlong {
        let n = frame.direction(m);
        let DMat3 { x_axis: x, y_axis: y, .. } = *frame.axes;
        let [to_a, to_b] = [frame.turns[0].transpose(), frame.turns[1].transpose()];
        let a = self.a.patch(to_a * n, [to_a * x, to_a * y]);
        let b = self.b.patch(to_b * -n, [to_b * x, to_b * y]);
        let points = [frame.turns[0] * a.branch.point, frame.turns[1] * b.branch.point];
        let lines = [
            a.rival.map(|rival| frame.turns[0] * (rival.point - a.branch.point)),
            b.rival.map(|rival| frame.turns[1] * (b.branch.point - rival.point)),
        ];
        let w = points[0] - points[1] - frame.origin;
        let flat = lines.map(|line| {
            let line = line.filter(|line| -n.dot(*line) <= tuning::NEWTON_LINE_TILT * line.length());
            frame.across(line.unwrap_or(DVec3::ZERO))
        });
        let q = frame.across(w);
        let shares = nearest(q, flat);
        let curvature =
            sum(mixed(&a.branch, a.rival.as_ref(), shares[0]), mixed(&b.branch, b.rival.as_ref(), shares[1]));
        SupportAlong {
            slope: q + flat[0] * shares[0] + flat[1] * shares[1],
            curvature,
            points,
            lines,
            shares,
            value: n.dot(w),
        }
    }

    /// A portal of points next to those of a direction.
    fn around(&self, frame: &LineFrame<'_>, m: DVec2, guess: &SupportAlong) -> Option<[PortalCorner; 3]> {
        let is_between = |side: usize| guess.shares[side] > 0.0 && guess.shares[side] < 1.0;
        let [a, b] = guess.points;
        if let [Some(line_a), Some(line_b)] = guess.lines
            && is_between(0)
            && is_between(1)
        {
            // The lines cross: half of a parallelogram.
            let (far_a, far_b) = (a + line_a, b - line_b);
            return frame.in_order(if guess.shares[0] + guess.shares[1] <= 1.0 {
                [PortalCorner::new(a, b), PortalCorner::new(far_a, b), PortalCorner::new(a, far_b)]
            } else {
                [PortalCorner::new(far_a, far_b), PortalCorner::new(a, far_b), PortalCorner::new(far_a, b)]
            });
        }
        let size = a.length() + b.length();
        let Curvature { xx, xy, yy } = guess.curvature;
        // A step that is not lost in rounding, and stays local; a prediction proves nothing.
        let length = |of: f64| (2.0 * tuning::NEWTON_FLATNESS * size / of).sqrt().clamp(1e-9, 1e-4);
        let corners = |next: [DVec2; 3]| next.map(|m| self.corner_along(frame, frame.direction(m)));
        let Some((side, line)) =
            (0..2).find(|&side| is_between(side)).and_then(|side| Some((side, guess.lines[side]?)))
        else {
            // All around.
            let (s, t) = (DVec2::X * length(xx + yy), DVec2::Y * length(xx + yy));
            return frame.in_order(corners([m - s * 0.6 + t, m - s * 0.6 - t, m + s]));
        };
        // Two along the line and to the side on which one end of it is farther, one to the other side. The first two are close to each other:
        // with a short side and a long one the normal is across the line to the last digit. The nearer end first; but an apex does not move.
        let d = frame.across(line).try_normalize()?;
        let d = if guess.shares[side] < 0.5 { d } else { -d };
        let t = d.perp();
        let t = t * length(xx * t.x * t.x + 2.0 * xy * t.x * t.y + yy * t.y * t.y);
        let s = d * (0.02 * t.length());
        let portal = frame.in_order(corners([m - s + t, m - s - t, m + s]));
        portal.or_else(|| frame.in_order(corners([m + s + t, m + s - t, m - s])))
    }

    fn corner_along(&self, frame: &LineFrame<'_>, n: DVec3) -> PortalCorner {
        let [turn_a, turn_b] = frame.turns;
        let (a, b) = (self.a.support(turn_a.transpose() * n), self.b.support(turn_b.transpose() * -n));
        PortalCorner::new(*turn_a * a, *turn_b * b)
    }

    /// A portal on the disc of one body, where the other meets that.
    fn on_disc(&self, frame: &LineFrame<'_>, side: usize, cap: &Cap, unit: DVec3) -> Option<[PortalCorner; 3]> {
        let turn = frame.turns[side];
        let outwards = turn * cap.normal;
        let n = if side == 0 { outwards } else { -outwards };
        if !(n.dot(unit) > tuning::DISC_COSINE && n.dot(self.path.velocity) < 0.0) {
            return None;
        }
        let [to_a, to_b] = [frame.turns[0].transpose(), frame.turns[1].transpose()];
        let center = turn * cap.center;
        // The point that meets the disc, and where it does: w on the line, in the plane of D across n.
        let other = if side == 0 {
            frame.turns[1] * self.b.support(to_b * -n)
        } else {
            frame.turns[0] * self.a.support(to_a * n)
        };
        let corner =
            |point: DVec3| if side == 0 { PortalCorner::new(point, other) } else { PortalCorner::new(other, point) };
        let high = n.dot(corner(center).w - frame.origin);
        let met = frame.origin + self.path.velocity * (high / n.dot(self.path.velocity));
        let place = if side == 0 { met + other } else { other - met };
        let from_center = place - center;
        let flat = from_center - outwards * outwards.dot(from_center);
        let (place, margin) = (center + flat, cap.radius - flat.length());
        // Points of the disc all around that place; next to its rim others know more. A point far from the plane is on it to fewer digits.
        if !(margin > 1e-6 * cap.radius && from_center.length() < 2.0 * cap.radius) {
            return None;
        }
        let (x, y) = n.any_orthonormal_pair();
        let (x, y) = (x * (0.9 * margin), y * (0.9 * margin));
        let (mut one, mut two) = (corner(place - x * 0.5 + y * 0.8), corner(place - x * 0.5 - y * 0.8));
        // Around the normal to the left; what is subtracted goes around as what is added does, half a turn ahead.
        let three = corner(place + x);
        if (two.w - one.w).cross(three.w - one.w).dot(n) < 0.0 {
            (one, two) = (two, one);
        }
        Some([one, two, three])
    }
}

impl SupportAlong {
    /// The change of m: H δ = -slope, and on lines that are met between their ends d·(n + δ) = 0.
    fn step(&self, frame: &LineFrame<'_>, m: DVec2) -> DVec2 {
        let Curvature { xx, xy, yy } = self.curvature;
        // A flat direction has no minimum of its own: add a little more curvature than rounding.
        let little = 1e-12 * (xx + yy) + f64::MIN_POSITIVE;
        let (xx, yy) = (xx + little, yy + little);
        let solve = |g: DVec2| DVec2::new(xy * g.y - yy * g.x, xy * g.x - xx * g.y) / (xx * yy - xy * xy);
        let n = frame.direction(m);
        let condition = |side: usize| self.lines[side].map(|line| (frame.across(line), -line.dot(n)));
        let conditions = [condition(0), condition(1)];
        let is_between = |side: usize| self.shares[side] > 0.0 && self.shares[side] < 1.0;
        let on_lines =
            |active: [bool; 2]| match (conditions[0].filter(|_| active[0]), conditions[1].filter(|_| active[1])) {
                (None, None) => solve(self.slope),
                (Some(line), None) | (None, Some(line)) => on_line([xx, xy, yy], self.slope, line),
                (Some((a, height_a)), Some((b, height_b))) => {
                    let det = a.perp_dot(b);
                    // Lines at an angle below 1e-6 have no crossing that is worth a try.
                    if det * det > 1e-12 * (a.length_squared() * b.length_squared()) {
                        DVec2::new(height_a * b.y - height_b * a.y, height_b * a.x - height_a * b.x) / det
                    } else {
                        on_line([xx, xy, yy], self.slope, (a, height_a))
                    }
                }
            };
        // A step to where the other end of a line is farther has to stay on the line.
        let crosses = |side: usize, change: DVec2| {
            conditions[side].is_some_and(|(d, height)| (d.dot(change) > height) != (self.shares[side] > 0.0))
        };
        let mut active = [is_between(0), is_between(1)];
        let mut change = on_lines(active);
        for side in [0, 1] {
            if !active[side] && crosses(side, change) {
                active[side] = true;
                change = on_lines(active);
            }
        }
        change
    }
}

/// H δ + μ d = -slope, d·δ = height.
fn on_line([xx, xy, yy]: [f64; 3], slope: DVec2, (d, height): (DVec2, f64)) -> DVec2 {
    let times = |t: DVec2| DVec2::new(xx * t.x + xy * t.y, xy * t.x + yy * t.y);
    let base = d * (height / d.length_squared());
    let c = d.perp();
    base - c * (c.dot(slope + times(base)) / c.dot(times(c)))
}

/// The λ for which q + λ d + μ e is shortest, each between 0 and 1; zero for a vector that is.
fn nearest(q: DVec2, [d, e]: [DVec2; 2]) -> [f64; 2] {
    let along = |numerator: f64, denominator: f64| {
        if denominator > 0.0 { (numerator / denominator).clamp(0.0, 1.0) } else { 0.0 }
    };
    let (dd, ee, de, qd, qe) = (d.length_squared(), e.length_squared(), d.dot(e), q.dot(d), q.dot(e));
    let first = along(de * qe - ee * qd, dd * ee - de * de);
    let second = along(-qe - de * first, ee);
    [along(-qd - de * second, dd), second]
}

/// The second derivative between the ends of a line.
fn mixed(branch: &Branch, rival: Option<&Branch>, share: f64) -> Curvature {
    let c = branch.curvature;
    let Some(r) = rival.map(|rival| rival.curvature) else { return c };
    let mix = |c: f64, r: f64| c + share * (r - c);
    Curvature { xx: mix(c.xx, r.xx), xy: mix(c.xy, r.xy), yy: mix(c.yy, r.yy) }
}

fn sum(a: Curvature, b: Curvature) -> Curvature {
    Curvature { xx: a.xx + b.xx, xy: a.xy + b.xy, yy: a.yy + b.yy }
}
