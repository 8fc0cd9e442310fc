//! Where the height of a symmetric body is least, and which of its points is there.
//!
//! The farthest point of the body along n is c + Σ Lᵀv with v = Ln / |Ln|, or any v that is no longer than one where Ln vanishes: at a
//! *kink*. Where h is least on the sphere that point is a multiple of n. Newton's method treats the v as unknowns of their own (Andersen
//! 1996), with |Ln| slightly rounded off: next to a kink it then jumps onto it instead of zigzagging across.

use super::{CentredBody, MOST};
use crate::tuning::convex::FOOT_ROUNDS;
use arrayvec::ArrayVec;
use glam::{DMat3, DVec2, DVec3};

/// A direction where the height has no slope.
#[derive(Debug, Clone)]
pub(super) struct EllipsoidFoot {
    pub direction: DVec3,
    /// The v of each length.
    pub ends: ArrayVec<DVec3, MOST>,
    /// Shorter lengths count as vanishing.
    pub vanishing: f64,
}

/// Lengths are rounded off by this part of the size, or by more where the goal allows it; shorter than a tenth of that they count as vanishing.
/// Bound: below the goal of curved depth, which is the same number.
const HAIR: f64 = 1e-12;

/// A symmetric matrix of the plane across a direction.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Across {
    pub xx: f64,
    pub xy: f64,
    pub yy: f64,
}

impl Across {
    /// The product with its inverse, kept from a division by zero by `little` of its trace.
    pub fn solve(self, v: DVec2, little: f64) -> DVec2 {
        let more = little * (self.xx + self.yy);
        let (xx, yy) = (self.xx + more, self.yy + more);
        DVec2::new(yy * v.x - self.xy * v.y, xx * v.y - self.xy * v.x) / (xx * yy - self.xy * self.xy)
    }

    /// Adds MᵀM for the matrix with these two columns.
    pub fn add_square(&mut self, x: DVec3, y: DVec3) {
        self.xx += x.dot(x);
        self.xy += x.dot(y);
        self.yy += y.dot(y);
    }
}

/// Walks downhill from a direction, to a height that need not be the least by some part of `goal`. Counts functions evaluated.
pub(super) fn find(body: &CentredBody, near: DVec3, goal: f64, work: &mut u32) -> EllipsoidFoot {
    let mut n = start(body, near);
    let hair = (HAIR * body.size).max(0.5 * goal);
    let rounded = |v: DVec3| (v.length_squared() + hair * hair).sqrt();
    let height = |n: DVec3| body.lengths.iter().fold(body.centre.dot(n), |sum, l| sum + rounded(*l * n));
    let mut least = height(n);
    let mut ends: ArrayVec<DVec3, MOST> = body.lengths.iter().map(|l| (*l * n) / rounded(*l * n)).collect();
    for _ in 0..FOOT_ROUNDS {
        *work += 1;
        let (x, y) = n.any_orthonormal_pair();
        let mut point = body.centre;
        let mut form = Across::default();
        // Of each length: its value, the end along n, and how that changes along x and y.
        let mut changes = ArrayVec::<(f64, DVec3, DVec3, DVec3), MOST>::new();
        for (length, end) in body.lengths.iter().zip(&ends) {
            let v = *length * n;
            let value = rounded(v);
            let toward = v / value;
            point += length.transpose() * toward;
            let (mx, my) = (*length * x, *length * y);
            let (ax, ay) = (mx - *end * toward.dot(mx), my - *end * toward.dot(my));
            form.xx += mx.dot(ax) / value;
            form.xy += 0.5 * (mx.dot(ay) + my.dot(ax)) / value;
            form.yy += my.dot(ay) / value;
            changes.push((value, toward, ax, ay));
        }
        // On the sphere the second derivative is that of h, less h itself.
        let level = point.dot(n);
        (form.xx, form.yy) = (form.xx - level, form.yy - level);
        let (mean, half) = (0.5 * (form.xx + form.yy), 0.5 * (form.xx - form.yy));
        let lowest = mean - (half * half + form.xy * form.xy).sqrt();
        // Keeps the second derivative positive by more than its rounding error.
        let floor = 1e-13 * body.size;
        if lowest < floor {
            // No minimum near: bend it upwards.
            let lift = floor + (-2.0 * lowest).max(0.0);
            (form.xx, form.yy) = (form.xx + lift, form.yy + lift);
        }
        let step = -form.solve(DVec2::new(point.dot(x), point.dot(y)), 0.0);
        let length = step.length();
        let mut step = if length > 0.5 { step * (0.5 / length) } else { step };
        // All of the way, or to a kink on it.
        let along = x * step.x + y * step.y;
        let kinks = body.lengths.iter().map(|length| {
            let (v, change) = (*length * n, *length * along);
            -v.dot(change) / change.length_squared()
        });
        let mut best = (height((n + along).normalize()), 1.0);
        for part in kinks.filter(|part| *part > 0.0 && *part < 1.5) {
            let value = height((n + along * part).normalize());
            best = if value < best.0 { (value, part) } else { best };
        }
        step *= best.1;
        *work += 1;
        let mut next = None;
        for _ in 0..8 {
            *work += 1;
            let there = (n + x * step.x + y * step.y).normalize();
            let value = height(there);
            // A height rounds by less than 2 ε of the size.
            if value <= least + 2.0 * f64::EPSILON * body.size {
                next = Some((there, value));
                break;
            }
            step *= 0.25;
        }
        let Some((there, value)) = next else { break };
        for (end, (value, toward, ax, ay)) in ends.iter_mut().zip(&changes) {
            *end = (*toward + (*ax * step.x + *ay * step.y) / *value).clamp_length_max(1.0);
        }
        (n, least) = (there, least.min(value));
        // The direction moves by rounding only.
        if !(length > 1e-15) {
            break;
        }
    }
    let direction = onto_kinks(body, n, hair);
    let mut foot = EllipsoidFoot { direction, ends: ArrayVec::new(), vanishing: 0.1 * hair };
    foot.ends = ends_at(body, &foot);
    foot
}

/// The best of a direction and of those where segments have kinks or ends.
fn start(body: &CentredBody, near: DVec3) -> DVec3 {
    // Of two opposite directions the better one.
    let better = |n: DVec3| if body.centre.dot(n) > 0.0 { -n } else { n };
    let segments = body.lengths.iter().filter(|length| is_segment(length));
    let segments: ArrayVec<DVec3, 2> = segments.map(|length| length.transpose().x_axis).take(2).collect();
    let crossing = (segments.len() == 2).then(|| segments[0].cross(segments[1]));
    let others = segments.iter().copied().chain(crossing).filter_map(DVec3::try_normalize).map(better);
    others.fold(better(near), |best, n| if body.height(n) < body.height(best) { n } else { best })
}

/// A direction next to one at which short lengths vanish altogether, if that is no higher: all of them, or only segments, as a
/// needle is short across without vanishing anywhere.
fn onto_kinks(body: &CentredBody, n: DVec3, hair: f64) -> DVec3 {
    let (x, y) = n.any_orthonormal_pair();
    let allowed = 0.1 * (hair - HAIR * body.size);
    // Two heights round by less than 2 ε of the size each.
    let most = body.height(n) + 4.0 * f64::EPSILON * body.size + allowed;
    for only_segments in [false, true] {
        let (mut form, mut slope) = (Across::default(), DVec2::ZERO);
        for length in body.lengths.iter().filter(|length| !only_segments || is_segment(length)) {
            let v = *length * n;
            if v.length() < 1e3 * hair {
                let (mx, my) = (*length * x, *length * y);
                form.add_square(mx, my);
                slope += DVec2::new(mx.dot(v), my.dot(v));
            }
        }
        if form.xx + form.yy > 0.0 {
            // Regularizes flat directions; the result is used only if it is no higher.
            let step = -form.solve(slope, 1e-10);
            let there = (n + x * step.x + y * step.y).normalize();
            if body.height(there) <= most {
                return there;
            }
        }
    }
    n
}

/// Does a length have a matrix of one row?
fn is_segment(length: &DMat3) -> bool {
    let rows = length.transpose();
    rows.y_axis == DVec3::ZERO && rows.z_axis == DVec3::ZERO
}

/// The ends of all lengths. Those of vanishing ones are chosen so that the farthest point is along the direction.
fn ends_at(body: &CentredBody, foot: &EllipsoidFoot) -> ArrayVec<DVec3, MOST> {
    let n = foot.direction;
    let (x, y) = n.any_orthonormal_pair();
    let mut point = body.centre;
    let mut form = Across::default();
    let mut ends: ArrayVec<DVec3, MOST> = ArrayVec::new();
    for length in &body.lengths {
        let v = *length * n;
        let value = v.length();
        if value < foot.vanishing {
            form.add_square(*length * x, *length * y);
            ends.push(DVec3::ZERO);
        } else {
            ends.push(v / value);
            point += length.transpose() * (v / value);
        }
    }
    spread(body, foot, [x, y], -DVec2::new(point.dot(x), point.dot(y)), form, &mut ends);
    ends
}

/// Gives vanishing lengths vectors v, no longer than one, so that the parts of Σ Lᵀv across n are as given; `form` is theirs.
pub(super) fn spread(
    body: &CentredBody,
    foot: &EllipsoidFoot,
    [x, y]: [DVec3; 2],
    needed: DVec2,
    form: Across,
    ends: &mut ArrayVec<DVec3, MOST>,
) {
    if !(form.xx + form.yy > 0.0) {
        return;
    }
    // Regularizes flat directions by less than the rounding error of the sum.
    let z = form.solve(needed, 1e-14);
    for (length, end) in body.lengths.iter().zip(ends) {
        if (*length * foot.direction).length() < foot.vanishing {
            *end = (*length * (x * z.x + y * z.y)).clamp_length_max(1.0);
        }
    }
}
