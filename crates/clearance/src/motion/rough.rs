//! Closest points of two convex bodies, without proof and in few operations: paper \[GJK\] in plain numbers, ended early.
//!
//! What an advancement needs of a distance is a direction; how far the bodies are apart along it is proved by their heights (`envelope.rs`),
//! whoever named it. So no bracket is closed here, and nothing is repaired: where the search does not end with what it should, there is no
//! answer, and the engines of `pair` are asked.
//!
//! The points of a simplex are points of the bodies, and stay so while these move: the next search starts from them.

use crate::math::Pose;
use crate::narrow::closed_form::between;
use crate::shape::{Convex, Segment};
use glam::{DMat3, DVec3};

/// A search that is not over by then is not worth its time.
const MAX_ROUNDS: usize = 24;

/// How much of the distance may be lost along the direction. A step gains a factor of so much, or doubles its digits.
const LOOSE: f64 = 1e-3;

/// Triangles thinner than this, by their area beside the square of their longest side, have no normal worth knowing.
const THIN: f64 = 1e-3;

/// A point of B - A, and the points it is the difference of, each in the frame of its own body.
#[derive(Debug, Clone, Copy, Default)]
struct Corner {
    w: DVec3,
    a: DVec3,
    b: DVec3,
}

/// Two segments, with a ball each: closed.
pub(super) fn of_segments([a, b]: [&Segment; 2], [pose_a, pose_b]: [&Pose; 2]) -> Option<Rough> {
    let ([middle_a, half_a], [middle_b, half_b]) = (a.turned(pose_a.rotation()), b.turned(pose_b.rotation()));
    let (middle_a, middle_b) = (middle_a + pose_a.translation(), middle_b + pose_b.translation());
    let found = between([half_a, half_b], [a.squares(), b.squares()], middle_b - middle_a, f64::MAX)?;
    let ([s, t], normal) = (found.parts, found.normal);
    let points = [middle_a + half_a * s + normal * a.radius(), middle_b + half_b * t - normal * b.radius()];
    Some(Rough { normal, points, distance: found.core - a.radius() - b.radius(), edges: None })
}

/// Up to four corners: what is remembered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RoughSearch {
    corners: [Corner; 4],
    count: usize,
}

/// A direction from A to B and nearly closest points, in the axes of the poses; radii are taken off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rough {
    pub normal: DVec3,
    pub points: [DVec3; 2],
    /// The distance of the points.
    pub distance: f64,
    /// The directions of two edges, if the points are on such.
    pub edges: Option<[DVec3; 2]>,
}

impl RoughSearch {
    /// Nothing if the cores meet or the search does not come to an end.
    ///
    /// The search ends when no more than a part of the gap is lost, radii taken off.
    pub fn closest(&mut self, [a, b]: [&dyn Convex; 2], [pose_a, pose_b]: [&Pose; 2]) -> Option<Rough> {
        let back = pose_a.rotation().conjugate();
        // From the frame of B to that of A.
        let turn = DMat3::from_quat(back * pose_b.rotation());
        let place = back * (pose_b.translation() - pose_a.translation());
        let inverse = turn.transpose();
        let radii = a.radius() + b.radius();
        let corner = |v: DVec3| {
            let (of_a, of_b) = (a.support(v), b.support(inverse * -v));
            Corner { w: turn * of_b + place - of_a, a: of_a, b: of_b }
        };
        if self.count == 0 {
            self.corners[0] = corner(turn * b.center() + place - a.center());
            self.count = 1;
        } else {
            for corner in &mut self.corners[..self.count] {
                corner.w = turn * corner.b + place - corner.a;
            }
        }
        let mut weights = self.reduce()?;
        let mut v = self.combination(weights);
        for _ in 0..MAX_ROUNDS {
            let square = v.length_squared();
            let length = square.sqrt();
            let next = corner(v);
            // Written so that a NaN ends it.
            if !(square - v.dot(next.w) > LOOSE * (length - radii).max(0.0) * length) || self.has(&next) {
                return self.answer([a, b], [pose_a, pose_b], weights, v);
            }
            self.corners[self.count] = next;
            self.count += 1;
            weights = self.reduce()?;
            let closer = self.combination(weights);
            if !(closer.length_squared() < square) {
                break;
            }
            v = closer;
        }
        self.count = 0;
        None
    }

    fn has(&self, next: &Corner) -> bool {
        self.corners[..self.count].iter().any(|corner| corner.a == next.a && corner.b == next.b)
    }

    fn combination(&self, weights: [f64; 4]) -> DVec3 {
        (0..self.count).fold(DVec3::ZERO, |sum, i| sum + self.corners[i].w * weights[i])
    }

    fn answer(
        &self,
        [a, b]: [&dyn Convex; 2],
        [pose_a, pose_b]: [&Pose; 2],
        weights: [f64; 4],
        v: DVec3,
    ) -> Option<Rough> {
        // Close by, the difference of the points is all rounding; what it is across is not.
        let [p, q, r] = [0, 1, 2].map(|i| self.corners[i].w);
        let normal = match self.count {
            2 => {
                let edge = q - p;
                v - edge * (v.dot(edge) / edge.length_squared())
            }
            3 => {
                let (x, y) = (q - p, r - p);
                let across = x.cross(y);
                let long = x.length_squared().max(y.length_squared());
                if across.length_squared() > THIN * THIN * long * long { across * v.dot(across).signum() } else { v }
            }
            _ => v,
        };
        let normal = (pose_a.rotation() * normal).try_normalize()?;
        let sum = |of: fn(&Corner) -> DVec3| (0..self.count).fold(DVec3::ZERO, |sum, i| sum + of(&self.corners[i]) * weights[i]);
        let [point_a, point_b] = [pose_a.transform_point(sum(|c| c.a)), pose_b.transform_point(sum(|c| c.b))];
        let points = [point_a + normal * a.radius(), point_b - normal * b.radius()];
        let distance = v.length() - a.radius() - b.radius();
        let edges = self.edges().map(|[e, f]| [pose_a.rotation() * e, pose_b.rotation() * f]);
        Some(Rough { normal, points, distance, edges })
    }

    /// The directions of an edge of A and one of B, each in its own frame, if the corners are a part of what these two span.
    fn edges(&self) -> Option<[DVec3; 2]> {
        if self.count != 3 {
            return None;
        }
        let other = |of: fn(&Corner) -> DVec3| {
            let [p, q, r] = [0, 1, 2].map(|i| of(&self.corners[i]));
            // Two of the three are the same point.
            match (p == q, p == r, q == r) {
                (true, false, false) => Some(r - p),
                (false, true, false) | (false, false, true) => Some(q - p),
                _ => None,
            }
        };
        Some([other(|corner| corner.a)?, other(|corner| corner.b)?])
    }

    /// Leaves the corners of the face that is closest to the origin, with the weights of the closest point; nothing if the origin is inside.
    fn reduce(&mut self) -> Option<[f64; 4]> {
        let w = self.corners.map(|corner| corner.w);
        let (keep, weights): ([usize; 4], [f64; 4]) = match self.count {
            1 => return Some([1.0, 0.0, 0.0, 0.0]),
            2 => segment(&w, [0, 1]),
            3 => triangle(&w, [0, 1, 2]),
            _ => tetrahedron(&w)?,
        };
        let corners = self.corners;
        self.count = 0;
        let mut kept = [0.0; 4];
        for (&i, &weight) in keep.iter().zip(&weights) {
            if weight > 0.0 {
                self.corners[self.count] = corners[i];
                kept[self.count] = weight;
                self.count += 1;
            }
        }
        (self.count > 0).then_some(kept)
    }
}

/// The weights of the point of a segment that is closest to the origin.
fn segment(w: &[DVec3; 4], [i, j]: [usize; 2]) -> ([usize; 4], [f64; 4]) {
    let edge = w[j] - w[i];
    let t = (-w[i].dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
    // Two corners that are one.
    let t = if t.is_nan() { 0.0 } else { t };
    ([i, j, 0, 0], [1.0 - t, t, 0.0, 0.0])
}

/// That of a triangle, by the regions of \[Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5\].
fn triangle(w: &[DVec3; 4], [i, j, k]: [usize; 3]) -> ([usize; 4], [f64; 4]) {
    let (a, b, c) = (w[i], w[j], w[k]);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let sum = va + vb + vc;
    if va > 0.0 && vb > 0.0 && vc > 0.0 && sum > 0.0 {
        let share = 1.0 / sum;
        return ([i, j, k, 0], [va * share, vb * share, vc * share, 0.0]);
    }
    // The closest of the sides that the origin is beyond; of all, if rounding says of none.
    let far = |(keep, weights): &([usize; 4], [f64; 4])| {
        (w[keep[0]] * weights[0] + w[keep[1]] * weights[1]).length_squared()
    };
    let is_none = va > 0.0 && vb > 0.0 && vc > 0.0;
    let mut best: Option<([usize; 4], [f64; 4])> = None;
    for (side, beyond) in [([i, j], vc), ([i, k], vb), ([j, k], va)] {
        if beyond <= 0.0 || is_none {
            let found = segment(w, side);
            if best.as_ref().is_none_or(|best| far(&found) < far(best)) {
                best = Some(found);
            }
        }
    }
    best.unwrap_or_else(|| segment(w, [i, j]))
}

/// That of a tetrahedron: of the faces that the origin is beyond, the closest; nothing if there is none.
fn tetrahedron(w: &[DVec3; 4]) -> Option<([usize; 4], [f64; 4])> {
    let far = |(keep, weights): &([usize; 4], [f64; 4])| {
        (0..3).fold(DVec3::ZERO, |sum, i| sum + w[keep[i]] * weights[i]).length_squared()
    };
    let mut best: Option<([usize; 4], [f64; 4])> = None;
    // The last corner is new, and the face without it is not the closest.
    for (face, other) in [([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
        let [p, q, r] = face.map(|i| w[i]);
        let across = (q - p).cross(r - p);
        let (origin, inner) = (-across.dot(p), across.dot(w[other] - p));
        if origin * inner <= 0.0 {
            let found = triangle(w, face);
            if best.as_ref().is_none_or(|best| far(&found) < far(best)) {
                best = Some(found);
            }
        }
    }
    best
}
