//! GJK in half precision: a scout that answers clear cases and finds a good start for the others.
//!
//! It works in `f32` because a vector then fits one SIMD register of every x86-64 machine, which makes a round two to three
//! times cheaper than in `f64`. What it says is proved all the same: coordinates and heights are off by at most
//! [`ROUNDING`] times the scale of the pair, so a height beyond that is a separating axis, and an origin that lies deeper
//! than that in a tetrahedron is inside A - B. Everything else is "unclear" and goes to the `f64` engine, which the scout
//! leaves its simplex as vertex numbers and its axis as a direction. Neither can change the answer, only the time it
//! takes.

use super::Difference;
use crate::math::Frame;
use crate::shape::Convex;
use glam::{DVec3, Mat3A, Vec3A};

/// How far rounding can move what the scout computes, relative to the scale of the pair: a coordinate is rounded to `f32`,
/// rotated, translated, subtracted and multiplied, which is about ten roundings of 2^-24 each. The rest is reserve.
const ROUNDING: f64 = 64.0 * 5.96e-8;

/// The scales for which all products in here stay far inside the range of `f32`.
const SCALES: std::ops::Range<f64> = 1e-5..1e5;

/// No search runs longer; what is left to do is left to the engine.
const MAX_ITERATIONS: u32 = 24;

/// What a scout found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The shapes are proved to be apart.
    Apart,
    /// The shapes are proved to overlap.
    Overlapping,
    /// Neither is proved.
    Unclear,
}

/// A scout's report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Report {
    pub verdict: Verdict,
    /// The last v: a separating axis if the shapes are apart.
    pub axis: DVec3,
    /// Vertex numbers of the last simplex.
    pub ids: [[u32; 2]; 4],
    pub count: u8,
    pub iterations: u32,
}

/// B in the frame of A, and back, in half precision.
struct RoughFrame {
    rotation: Mat3A,
    inverse: Mat3A,
    translation: Vec3A,
}

impl RoughFrame {
    #[inline]
    fn new(frame: &Frame) -> Self {
        let column = |v: DVec3| Vec3A::new(v.x as f32, v.y as f32, v.z as f32);
        let r = &frame.rotation;
        let rotation = Mat3A::from_cols(column(r.x_axis), column(r.y_axis), column(r.z_axis));
        Self { rotation, inverse: rotation.transpose(), translation: column(frame.translation) }
    }
}

/// Searches from `axis`, for a separating axis only or for the nearest simplex.
#[inline]
pub(crate) fn scout<const NEAREST: bool, A, B>(difference: &Difference<'_, A, B>, axis: DVec3) -> Report
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut report = Report { verdict: Verdict::Unclear, axis, ids: [[0; 2]; 4], count: 0, iterations: 0 };
    if !SCALES.contains(&difference.scale) {
        return report;
    }
    let rounding = (ROUNDING * difference.scale) as f32;
    let frame = RoughFrame::new(difference.b_in_a);
    let mut simplex = Simplex { w: [Vec3A::ZERO; 4], ids: [[0; 2]; 4], count: 0 };
    let mut v = Vec3A::new(axis.x as f32, axis.y as f32, axis.z as f32);
    let mut length_squared = f32::INFINITY;
    report.verdict = loop {
        report.iterations += 1;
        let (a, id_a) = difference.a.rough_support(-v);
        let (b, id_b) = difference.b.rough_support(frame.inverse * v);
        let w = a - (frame.rotation * b + frame.translation);
        let height = v.dot(w);
        if NEAREST {
            // Half of the digits are right once the gap is down to rounding; the engine does the rest.
            if height >= 0.99999 * length_squared {
                break Verdict::Apart;
            }
        } else if height > 0.0 && height * height > rounding * rounding * v.dot(v) {
            break Verdict::Apart;
        }
        let before = simplex;
        simplex.push(w, [id_a, id_b]);
        let Some((nearest, shortened)) = simplex.reduce() else {
            break if simplex.holds_origin(rounding) { Verdict::Overlapping } else { Verdict::Unclear };
        };
        // Written so that a NaN ends the search.
        if !(shortened < length_squared) || report.iterations == MAX_ITERATIONS {
            if NEAREST {
                simplex = before;
            }
            break Verdict::Unclear;
        }
        v = nearest;
        length_squared = shortened;
    };
    report.axis = DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    report.ids = simplex.ids;
    report.count = simplex.count;
    report
}

#[derive(Clone, Copy)]
struct Simplex {
    w: [Vec3A; 4],
    ids: [[u32; 2]; 4],
    count: u8,
}

impl Simplex {
    #[inline]
    fn push(&mut self, w: Vec3A, ids: [u32; 2]) {
        let last = usize::from(self.count & 3);
        self.w[last] = w;
        self.ids[last] = ids;
        self.count += 1;
    }

    #[inline]
    fn keep<const N: usize>(&mut self, members: [usize; N]) {
        let (w, ids) = (self.w, self.ids);
        for (to, &from) in members.iter().enumerate() {
            self.w[to] = w[from & 3];
            self.ids[to] = ids[from & 3];
        }
        self.count = N as u8;
    }

    /// The nearest point, knowing that the newest vertex, the last, is needed; nothing if the origin is inside.
    #[inline]
    fn reduce(&mut self) -> Option<(Vec3A, f32)> {
        let w = self.w;
        match self.count {
            1 => Some((w[0], w[0].dot(w[0]))),
            2 => {
                let edge = segment(w[0], w[1]);
                if !edge.is_inside {
                    self.keep([1]);
                }
                Some((edge.v, edge.length_squared))
            }
            3 => {
                let face = triangle(w[0], w[1], w[2]);
                match face.corners {
                    0 => self.keep([2]),
                    1 => self.keep([0, 2]),
                    2 => self.keep([1, 2]),
                    _ => {}
                }
                Some((face.v, face.length_squared))
            }
            _ => self.reduce_tetrahedron(),
        }
    }

    fn reduce_tetrahedron(&mut self) -> Option<(Vec3A, f32)> {
        let [a, b, c, d] = self.w;
        let (da, db, dc) = (a - d, b - d, c - d);
        let (bc, ca, ab) = (db.cross(dc), dc.cross(da), da.cross(db));
        let sign = if da.dot(bc) < 0.0 { -1.0 } else { 1.0 };
        let outside = [d.dot(bc) * sign >= 0.0, d.dot(ca) * sign >= 0.0, d.dot(ab) * sign >= 0.0];
        let faces = [[1, 2, 3], [0, 2, 3], [0, 1, 3]];
        let mut best: Option<(Face, [usize; 3])> = None;
        for (is_outside, members) in outside.into_iter().zip(faces) {
            if is_outside {
                let face = triangle(self.w[members[0]], self.w[members[1]], d);
                if best.is_none_or(|(nearest, _)| face.length_squared < nearest.length_squared) {
                    best = Some((face, members));
                }
            }
        }
        let (face, [i, j, k]) = best?;
        match face.corners {
            0 => self.keep([k]),
            1 => self.keep([i, k]),
            2 => self.keep([j, k]),
            _ => self.keep([i, j, k]),
        }
        Some((face.v, face.length_squared))
    }

    /// Is the origin inside every tetrahedron whose vertices are within `rounding` of these?
    ///
    /// It is when the four volumes it makes with the faces have one sign that no such motion can change: moving the
    /// vertices of p·(q×r) by δ each changes it by at most 3 δ |w|² and smaller terms, its own rounding by far less.
    fn holds_origin(&self, rounding: f32) -> bool {
        let [a, b, c, d] = self.w;
        let (ab, cd) = (a.cross(b), c.cross(d));
        let volumes = [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)];
        let longest = a.dot(a).max(b.dot(b)).max(c.dot(c)).max(d.dot(d));
        let threshold = 4.0 * rounding * longest;
        // Written so that a NaN is outside.
        volumes.iter().all(|&volume| volume > threshold) || volumes.iter().all(|&volume| volume < -threshold)
    }
}

struct Edge {
    v: Vec3A,
    length_squared: f32,
    /// Is the older end needed too?
    is_inside: bool,
}

#[derive(Clone, Copy)]
struct Face {
    v: Vec3A,
    length_squared: f32,
    /// Which of the older corners are needed: bit 0 and bit 1.
    corners: u8,
}

#[inline]
fn segment(a: Vec3A, b: Vec3A) -> Edge {
    let edge = a - b;
    let (along, square) = (-b.dot(edge), edge.dot(edge));
    if !(along > 0.0 && square > 0.0) {
        return Edge { v: b, length_squared: b.dot(b), is_inside: false };
    }
    let v = b + edge * (along / square);
    Edge { v, length_squared: v.dot(v), is_inside: true }
}

#[inline]
fn triangle(a: Vec3A, b: Vec3A, c: Vec3A) -> Face {
    let (ca, cb) = (a - c, b - c);
    let normal = ca.cross(cb);
    let lever = c.cross(normal);
    let (area_a, area_b) = (cb.dot(lever), -ca.dot(lever));
    if area_a > 0.0 && area_b > 0.0 {
        let scale = normal.dot(c) / normal.dot(normal);
        let v = normal * scale;
        return Face { v, length_squared: v.dot(v), corners: 3 };
    }
    let face = |edge: Edge, corners: u8| Face {
        v: edge.v,
        length_squared: edge.length_squared,
        corners: if edge.is_inside { corners } else { 0 },
    };
    if !(area_b > 0.0) {
        let with_a = face(segment(a, c), 1);
        if !(area_a > 0.0) {
            let with_b = face(segment(b, c), 2);
            if with_b.length_squared < with_a.length_squared {
                return with_b;
            }
        }
        return with_a;
    }
    face(segment(b, c), 2)
}
