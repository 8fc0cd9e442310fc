//! GJK in single precision: the prefilter that answers clear cases and finds a good start for the others.
//!
//! It works in `f32` because a vector then fits one SIMD register of every x86-64 machine, which makes a round two to three
//! times cheaper than in `f64`. Its results are proved all the same: coordinates and heights are off by at most [`ROUNDING`] times the
//! scale of the pair. So a height beyond that is a separating axis, and an origin that lies deeper than that in a tetrahedron is inside A -
//! B. Everything else is "unclear" and goes to the `f64` engine, which the f32 prefilter
//! leaves its simplex as vertex numbers and its axis as a direction. Neither can change the answer, only the time it
//! takes.
//!
//! **Tried and dropped.** Ending the search for the nearest simplex one round earlier, when a round gains less than three per cent, and
//! letting the engine find out whether that was enough. The rounds that were saved cost less than the attempts that failed. Starting from
//! the nearest points of the bounding boxes: no fewer rounds, because the first simplex is a
//! single vertex whatever direction it came from. Dropping a remembered simplex that is far off in favour of a fresh start: 776 to 520 ns
//! on the sphere of 642 vertices at 25 degrees a frame. But it is a fifth slower on every cold search of a small hull, because the loop no
//! longer fits its registers.

use super::Difference;
use crate::math::Frame;
use crate::shape::Convex;
use crate::tuning::convex::PREFILTER_ROUNDS;
use glam::{DVec3, Mat3A, Vec3A};

/// Rounding error of the f32 prefilter, relative to the scale of the pair. Bound: a coordinate is rounded to `f32`, rotated, translated,
/// subtracted and multiplied, which is about ten roundings of 2^-24 each; this has 64 of them. A scan chooses the farthest vertex by heights
/// without their last six bits, which adds 192.
pub(crate) const ROUNDING: f64 = (64.0 + 192.0) * 5.96e-8;

/// The scales for which the prefilter runs. Bound: products of four lengths stay inside the range of `f32`.
pub(crate) const SCALES: std::ops::Range<f64> = 1e-5..1e5;

/// Result of the prefilter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterVerdict {
    /// The shapes are proved to be apart.
    Apart,
    /// The shapes are proved to overlap.
    Overlapping,
    /// Neither is proved.
    Unclear,
}

/// The prefilter's report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FilterReport {
    pub verdict: FilterVerdict,
    /// The last v: a separating axis if the shapes are apart.
    pub axis: DVec3,
    /// Vertex numbers of the last simplex.
    pub ids: [[u32; 2]; 4],
    pub count: u8,
    pub iterations: u32,
}

/// B in the frame of A, and back, in single precision.
pub(crate) struct FrameF32 {
    rotation: Mat3A,
    inverse: Mat3A,
    translation: Vec3A,
}

impl FrameF32 {
    #[inline(always)]
    pub fn new(frame: &Frame) -> Self {
        let column = |v: DVec3| Vec3A::new(v.x as f32, v.y as f32, v.z as f32);
        let r = &frame.rotation;
        let rotation = Mat3A::from_cols(column(r.x_axis), column(r.y_axis), column(r.z_axis));
        Self { rotation, inverse: rotation.transpose(), translation: column(frame.translation) }
    }

    /// A point of B in the frame of A.
    #[inline(always)]
    pub fn point(&self, local: Vec3A) -> Vec3A {
        self.rotation * local + self.translation
    }

    /// A direction of the frame of A in that of B.
    #[inline(always)]
    pub fn direction_in_b(&self, direction: Vec3A) -> Vec3A {
        self.inverse * direction
    }
}

/// Searches from `axis`, for a separating axis only or for the nearest simplex; `seed` are vertex numbers of a simplex to
/// start from instead, if there are any.
#[inline(always)]
pub(crate) fn prefilter<const NEAREST: bool, A, B>(
    difference: &Difference<'_, A, B>,
    axis: DVec3,
    seed: &[[u32; 2]],
) -> FilterReport
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search::<NEAREST, false, A, B>(difference, axis, seed)
}

/// The prefilter for a separating axis, from one that is no more than a guess. The second axis is the first one's reflection, as in
/// the separating-vector search: a tenth faster for hulls that are apart, level for those that overlap. The point that then counts
/// as nearest may lie beyond the first vertex; going back to that instead costs more than it saves.
///
/// A remembered axis that has just failed must not be reflected: the new one soon fails again.
#[inline(always)]
pub(crate) fn prefilter_cold<A, B>(difference: &Difference<'_, A, B>, axis: DVec3) -> FilterReport
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    search::<false, true, A, B>(difference, axis, &[])
}

#[inline(always)]
fn search<const NEAREST: bool, const REFLECT: bool, A, B>(
    difference: &Difference<'_, A, B>,
    axis: DVec3,
    seed: &[[u32; 2]],
) -> FilterReport
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut report = FilterReport { verdict: FilterVerdict::Unclear, axis, ids: [[0; 2]; 4], count: 0, iterations: 0 };
    if !SCALES.contains(&difference.scale) {
        return report;
    }
    let rounding = (ROUNDING * difference.scale) as f32;
    let frame = FrameF32::new(difference.b_in_a);
    let mut old = Older { w: [Vec3A::ZERO; 3], count: 0 };
    let mut v = Vec3A::new(axis.x as f32, axis.y as f32, axis.z as f32);
    let mut length_squared = f32::INFINITY;
    for &id in seed {
        let Some(vertex) = difference.vertex(id) else { break };
        let near = old.nearest(vertex.w.as_vec3a());
        // Not the nearest point if the newest vertex is not needed, but a point to start from.
        if near.is_inside() || !near.length_squared.is_finite() {
            break;
        }
        (v, length_squared) = (near.v, near.length_squared);
        old.keep(&mut report.ids, near.corners, vertex.w.as_vec3a(), id);
    }
    if NEAREST
        && old.count == 0
        && let (Some(a), Some(b)) = (difference.a.spread(), difference.b.spread())
    {
        v = aim(v, a, b, &frame);
    }
    report.verdict = loop {
        report.iterations += 1;
        let (a, id_a) = difference.a.support_f32(-v);
        let (b, id_b) = difference.b.support_f32(frame.direction_in_b(v));
        let w = a - frame.point(b);
        let height = v.dot(w);
        if NEAREST {
            // Half of the digits are right once the gap is down to rounding; the engine does the rest.
            if height >= 0.99999 * length_squared {
                break FilterVerdict::Apart;
            }
        } else if height > 0.0 && height * height > rounding * rounding * v.dot(v) {
            break FilterVerdict::Apart;
        }
        let near = old.nearest(w);
        if near.is_inside() {
            report.ids[3] = [id_a, id_b];
            report.count = 4;
            break if old.hold_origin(w, rounding) { FilterVerdict::Overlapping } else { FilterVerdict::Unclear };
        }
        // Written so that a NaN ends the search.
        if !(near.length_squared < length_squared) || report.iterations == PREFILTER_ROUNDS {
            break FilterVerdict::Unclear;
        }
        if REFLECT && report.iterations == 1 {
            v -= w * (2.0 * height / near.length_squared);
        } else {
            v = near.v;
            length_squared = near.length_squared;
        }
        old.keep(&mut report.ids, near.corners, w, [id_a, id_b]);
    };
    if report.count == 0 {
        report.count = old.count;
    }
    report.axis = DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    report
}

/// Where two ellipsoids of the shapes' spreads would be nearest: a better first guess than the line of centers.
#[inline(always)]
fn aim(center: Vec3A, a: &Mat3A, b: &Mat3A, frame: &FrameF32) -> Vec3A {
    let b = frame.rotation * *b * frame.inverse;
    let square = center.dot(center);
    let (qa, qb) = ((*a * center).dot(center), (b * center).dot(center));
    // The extents along the line of centers, times its length.
    let (ea, eb) = (qa.sqrt(), qb.sqrt());
    let extent = ea + eb;
    // The ellipsoid around the sum of the two that is tight along the line of centers.
    let q = *a * (extent / ea) + b * (extent / eb);
    // Its point nearest to the origin is μ (Q + μ)⁻¹ c; μ is exact on the line of centers.
    let along = extent * extent / square;
    let mu = (extent - along).max(0.1 * along);
    let m = q + Mat3A::from_diagonal(glam::Vec3::splat(mu));
    let v = Vec3A::new(
        m.y_axis.cross(m.z_axis).dot(center),
        m.z_axis.cross(m.x_axis).dot(center),
        m.x_axis.cross(m.y_axis).dot(center),
    );
    if v.dot(center) > 0.0 { v } else { center }
}

/// The vertices of the simplex before the newest; their numbers are in the report.
struct Older {
    w: [Vec3A; 3],
    count: u8,
}

/// A bit for each member of the simplex. Layout: the newest vertex has none.
const A: u8 = 1;
const B: u8 = 2;
const C: u8 = 4;

/// The nearest point of a part of the simplex that holds the newest vertex.
#[derive(Clone, Copy)]
struct NearF32 {
    v: Vec3A,
    length_squared: f32,
    /// Which of the older vertices are needed too.
    corners: u8,
}

impl NearF32 {
    const INSIDE: Self = Self { v: Vec3A::ZERO, length_squared: f32::INFINITY, corners: A | B | C };

    #[inline(always)]
    fn point(w: Vec3A) -> Self {
        Self { v: w, length_squared: w.dot(w), corners: 0 }
    }

    #[inline(always)]
    fn is_inside(&self) -> bool {
        self.corners == A | B | C
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.length_squared < self.length_squared { other } else { self }
    }
}

impl Older {
    /// Keeps the needed vertices and adds the newest. Moves are cheaper than the branches that could save them.
    #[inline(always)]
    fn keep(&mut self, ids: &mut [[u32; 2]; 4], corners: u8, w: Vec3A, id: [u32; 2]) {
        /// The members that become the first and the second, and the place of the newest. Layout: indexed by the bits of the members that are
        /// kept.
        const PLACES: [[u8; 3]; 8] =
            [[0, 1, 0], [0, 1, 1], [1, 1, 1], [0, 1, 2], [2, 1, 1], [0, 2, 2], [2, 1, 2], [0, 1, 2]];
        let [first, second, last] = PLACES[usize::from(corners & 7)].map(usize::from);
        (self.w[0], self.w[1]) = (self.w[first], self.w[second]);
        (ids[0], ids[1]) = (ids[first], ids[second]);
        self.w[last] = w;
        ids[last] = id;
        self.count = last as u8 + 1;
    }

    /// The nearest point of the simplex with a new vertex, which is known to be needed.
    #[inline(always)]
    fn nearest(&self, newest: Vec3A) -> NearF32 {
        match self.count {
            0 => NearF32::point(newest),
            1 => segment(self.w[0], newest, A),
            2 => triangle(self.w[0], self.w[1], newest, [A, B]),
            _ => self.tetrahedron(newest),
        }
    }

    #[inline(always)]
    fn tetrahedron(&self, d: Vec3A) -> NearF32 {
        let [a, b, c] = self.w;
        let (da, db, dc) = (a - d, b - d, c - d);
        let (bc, ca, ab) = (db.cross(dc), dc.cross(da), da.cross(db));
        let volume = da.dot(bc);
        // Outside of a face: on the other side of it than the vertex that is opposite.
        let outside = |normal: Vec3A| d.dot(normal) * volume >= 0.0;
        let (outside_a, outside_b, outside_c) = (outside(bc), outside(ca), outside(ab));
        let mut near = NearF32::INSIDE;
        if outside_c {
            near = near.or(face(da, db, d, ab, [A, B]));
        }
        if outside_b {
            near = near.or(face(dc, da, d, ca, [C, A]));
        }
        if outside_a {
            near = near.or(face(db, dc, d, bc, [B, C]));
        }
        near
    }

    /// Is the origin inside every tetrahedron whose vertices are within `rounding` of these and `d`?
    ///
    /// It is when the four volumes it makes with the faces have one sign that no such motion can change. Moving the vertices of p·(q×r) by
    /// δ each changes it by at most 3 δ |w|² and smaller terms, its own rounding by far less.
    fn hold_origin(&self, d: Vec3A, rounding: f32) -> bool {
        let [a, b, c] = self.w;
        let (ab, cd) = (a.cross(b), c.cross(d));
        let volumes = [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)];
        let longest = a.dot(a).max(b.dot(b)).max(c.dot(c)).max(d.dot(d));
        let threshold = 4.0 * rounding * longest;
        // Written so that a NaN is outside.
        volumes.iter().all(|&volume| volume > threshold) || volumes.iter().all(|&volume| volume < -threshold)
    }
}

/// The nearest point of the edge from `a` to the newest vertex, knowing that this one is needed.
#[inline(always)]
fn segment(a: Vec3A, newest: Vec3A, name: u8) -> NearF32 {
    edge(a - newest, newest, name)
}

/// The nearest point of an edge that is given as a vector.
#[inline(always)]
fn edge(to_a: Vec3A, newest: Vec3A, name: u8) -> NearF32 {
    let (along, square) = (-newest.dot(to_a), to_a.dot(to_a));
    // A share of zero is the newest vertex alone; written so that a NaN is too.
    let is_between = along > 0.0;
    let share = if is_between { along / square } else { 0.0 };
    let v = newest + to_a * share;
    NearF32 { v, length_squared: v.dot(v), corners: if is_between { name } else { 0 } }
}

/// The nearest point of the triangle of `a`, `b` and the newest vertex, knowing that this one is needed.
#[inline(always)]
fn triangle(a: Vec3A, b: Vec3A, newest: Vec3A, names: [u8; 2]) -> NearF32 {
    let (to_a, to_b) = (a - newest, b - newest);
    face(to_a, to_b, newest, to_a.cross(to_b), names)
}

/// The nearest point of a triangle that is given by its edges and its normal.
#[inline(always)]
fn face(to_a: Vec3A, to_b: Vec3A, newest: Vec3A, normal: Vec3A, [a, b]: [u8; 2]) -> NearF32 {
    let lever = newest.cross(normal);
    let (area_a, area_b) = (to_b.dot(lever), -to_a.dot(lever));
    if area_a > 0.0 && area_b > 0.0 {
        let v = normal * (normal.dot(newest) / normal.dot(normal));
        return NearF32 { v, length_squared: v.dot(v), corners: a | b };
    }
    if area_a > 0.0 {
        return edge(to_a, newest, a);
    }
    if area_b > 0.0 {
        return edge(to_b, newest, b);
    }
    edge(to_a, newest, a).or(edge(to_b, newest, b))
}
