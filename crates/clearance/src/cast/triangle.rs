//! A line and a triangle.
//!
//! Seen along the line the triangle's sides are passed on the left or on the right, as u · (A × E) says, A being the way from the line to an
//! end of the side and E the side. The line goes through the triangle if it passes all three on the same hand. A point that is off by E₀
//! changes that number by E₀ |E|: within that nothing is decided, and the triangle counts as met. So a line through a common side
//! or corner meets every triangle there, and never slips through.

use super::chord::Between;
use super::line::Line;
use glam::DVec3;

/// How a line and a triangle lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LineCrossing {
    /// Proved not to meet.
    Miss,
    /// Proved to meet.
    Hit { s: Between },
    /// They may meet, at a side or a corner.
    Near { s: Between },
    /// The line is nearly in the plane, or there is none.
    Unclear,
}

/// Where a line meets a triangle; `error` is that of its points for |s| up to `reach`.
#[inline(always)]
pub(super) fn crossing([a, b, c]: [DVec3; 3], line: &Line, error: f64, reach: f64) -> LineCrossing {
    let Line { point: q, along: u, .. } = *line;
    let [p, r, t] = [a - q, b - q, c - q];
    let [ab, bc, ca] = [b - a, c - b, a - c];
    let sides = [u.dot(p.cross(ab)), u.dot(r.cross(bc)), u.dot(t.cross(ca))];
    // Differences and products: 8 ε of the distances, which are at most those of the corners.
    let far = p.abs().max(r.abs()).max(t.abs()).element_sum();
    // The factor covers the rounding of the speed, a root of three products.
    let speed = line.speed * (1.0 + 1e-12);
    // Products of differences; twice the 8 ε above.
    let off = (error + 16.0 * f64::EPSILON * (far + speed * reach)) * speed + line.errors[1] * far;
    let bounds = [ab, bc, ca].map(|side| off * side.abs().element_sum());
    let is_left = [0, 1, 2].map(|i| sides[i] > bounds[i]);
    let is_right = [0, 1, 2].map(|i| sides[i] < -bounds[i]);
    let (any_left, any_right) = (is_left[0] | is_left[1] | is_left[2], is_right[0] | is_right[1] | is_right[2]);
    if any_left && any_right {
        return LineCrossing::Miss;
    }
    let is_proved = is_left[0] & is_left[1] & is_left[2] | is_right[0] & is_right[1] & is_right[2];
    // s = n·(a - q) / n·u with n = ab × ac = ca × ab. The sum of the three numbers above is n·u.
    let normal = ca.cross(ab);
    let facing = normal.dot(u);
    let size = ca.abs().element_sum() * ab.abs().element_sum();
    // A product of two differences, three times, for the normal and its product with u.
    let doubt = 16.0 * f64::EPSILON * size;
    let least = facing.abs() - doubt * speed;
    if !(least > 0.0) {
        return LineCrossing::Unclear;
    }
    let s = normal.dot(p) / facing;
    let width = (error * normal.abs().element_sum() + doubt * (far + speed * s.abs()) + f64::MIN_POSITIVE) / least
        // The quotient and its reading round by 4 ε.
        + 4.0 * f64::EPSILON * s.abs();
    let s = Between { low: s - width, high: s + width };
    if is_proved { LineCrossing::Hit { s } } else { LineCrossing::Near { s } }
}
