//! The search in single precision, for polytopes: it finds the face that decides, and double precision proves it.
//!
//! A vertex of A - B is known by two vertex numbers, so a surface that was found roughly can be computed again precisely. Every rough
//! vertex is within δ of the true one, so every triangle is too. All rough triangles are farther than δ from the origin and turn their
//! outside away from it. Hence the true ones, which close up in the same way, surround the origin as well: every ray from the origin meets
//! one of them, at a point of A - B. Their least distance bounds the depth from below. For most triangles the
//! rough plane, less δ, is bound enough; those about as near as the nearest are computed again.
//!
//! An error of single precision, a vertex that is not the farthest or a dent in the surface, shows at the end. The bracket does not close,
//! there is no answer, and the search is repeated in double precision.

use super::surface::{ExpandingPolytope, Growth, Point};
use super::{BestDirection, settle, witness};
use crate::narrow::gjk_f32::{FilterReport, FrameF32, SCALES};
use crate::narrow::outcome::{Cost, Outcome};
use crate::narrow::{Difference, Vertex};
use crate::shape::Convex;
use glam::{DVec3, Vec3A};

/// Rounding error of a vertex, relative to the scale. Bound: ten roundings of 2^-24; this is 64.
const COORDINATE: f64 = 64.0 * 5.96e-8;

/// Error of a height over a plane whose normal is as good as single precision allows. Bound: two dot products and the length of the normal.
const CERTAIN: f32 = 8.0 * f32::EPSILON;

/// A vertex of A - B in single precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct VertexF32 {
    w: Vec3A,
    ids: [u32; 2],
}

impl Point for VertexF32 {
    type Vector = Vec3A;

    #[inline(always)]
    fn plane([a, b, c]: [&Self; 3], scale: f64) -> (Vec3A, f64, f64) {
        let (ab, ac) = (b.w - a.w, c.w - a.w);
        let cross = ab.cross(ac);
        let inverse = 1.0 / cross.length();
        let normal = cross * inverse;
        // The cross product of two edges is off by 3 ε of the squares of their lengths.
        let slack = CERTAIN + 3.0 * f32::EPSILON * (ab.dot(ab) + ac.dot(ac)) * inverse;
        (normal, f64::from(normal.dot(a.w)), scale * f64::from(slack))
    }

    #[inline(always)]
    fn along(&self, normal: Vec3A) -> f64 {
        f64::from(normal.dot(self.w))
    }

    fn is_just_above(&self, _triangle: [&Self; 3]) -> bool {
        false
    }
}

/// The depth of two polytopes of which the f32 prefilter says that they overlap, if single precision is good enough for it.
#[inline(never)]
pub(crate) fn outcome<A, B>(
    difference: &Difference<'_, A, B>,
    report: &FilterReport,
    radii: [f64; 2],
) -> Option<Outcome>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if !SCALES.contains(&difference.scale) || report.count != 4 {
        return None;
    }
    let frame = FrameF32::new(difference.b_in_a);
    let mut vertices = [Vertex::ORIGIN; 4];
    for (vertex, &ids) in vertices.iter_mut().zip(&report.ids) {
        *vertex = difference.vertex(ids)?;
    }
    let [a, b, c, d] = vertices.map(|vertex| vertex.w);
    if (b - a).cross(c - a).dot(d - a) > 0.0 {
        vertices.swap(0, 1);
    }
    let mut surface = ExpandingPolytope::<VertexF32>::new(difference.scale);
    surface.begin(vertices.map(|vertex| VertexF32 { w: vertex.w.as_vec3a(), ids: vertex.ids }));
    let mut cost = Cost { iterations: report.iterations, support_calls: 2 * report.iterations, fallbacks: 0 };
    loop {
        let (face, distance) = surface.nearest();
        let normal = surface.get(face).normal;
        cost.iterations += 1;
        cost.support_calls += 2;
        let (a, id_a) = difference.a.support_f32(normal);
        let (b, id_b) = difference.b.support_f32(frame.direction_in_b(-normal));
        let vertex = VertexF32 { w: a - frame.point(b), ids: [id_a, id_b] };
        // A vertex that the face has already, or one in its plane, tells that the face is on the boundary.
        let is_known = surface.triangle(face).iter().any(|corner| corner.ids == vertex.ids);
        if is_known || !(vertex.along(normal) - distance > 2.0 * surface.get(face).slack) {
            return proved(difference, &surface, face, radii, cost);
        }
        if surface.grow(vertex, face) != Growth::Grown || !surface.is_whole() {
            return None;
        }
    }
}

/// The answer, if the nearest face and its surroundings are what they seem.
fn proved<A, B>(
    difference: &Difference<'_, A, B>,
    surface: &ExpandingPolytope<VertexF32>,
    face: usize,
    radii: [f64; 2],
    mut cost: Cost,
) -> Option<Outcome>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let exact = |vertex: &VertexF32| difference.vertex(vertex.ids);
    let plane = |face: usize| -> Option<(DVec3, f64, f64)> {
        let [a, b, c] = surface.triangle(face);
        Some(Vertex::plane([&exact(a)?, &exact(b)?, &exact(c)?], difference.scale))
    };
    let goal = 2.0 * difference.rounding;
    let coordinate = COORDINATE * difference.scale;
    let (normal, _, _) = plane(face)?;
    cost.support_calls += 2;
    let outer = -difference.height(-normal);
    let mut inner = f64::INFINITY;
    for (i, &distance) in surface.distances().iter().enumerate() {
        if !(distance > 2.0 * coordinate) {
            return None;
        }
        let mut bound = distance - coordinate;
        if bound < outer {
            let (_, height, slack) = plane(i)?;
            bound = height - slack;
        }
        inner = if bound < inner { bound } else { inner };
    }
    // Written so that a NaN is no proof.
    if !(outer - inner <= goal) {
        return None;
    }
    let best = BestDirection { depth: outer, normal };
    let witness = witness(surface, face, &best, |vertex| exact(vertex).unwrap_or(Vertex::ORIGIN));
    if !(witness.residue <= goal + 4.0 * difference.rounding) {
        return None;
    }
    let out = settle(difference, normal, witness.point_a, [inner, outer], goal, radii, cost);
    Some(Outcome { ids: witness.ids, count: 3, ..out })
}
