//! The first tetrahedron: from whatever simplex there is, be it a point, a segment or a triangle.
//!
//! It need not hold the origin, as the expansion goes on until the polytope does. It need only not be flat.

use crate::math::double_double::DoubleVec3;
use crate::narrow::{Difference, Vertex};
use crate::shape::Convex;
use arrayvec::ArrayVec;
use glam::DVec3;

/// The symmetry of A - B.
pub(super) enum Extent {
    /// It has an inside, and these are four of its points.
    Solid([Vertex; 4]),
    /// It is flat to rounding: this is its unit normal.
    Flat(DVec3),
    /// A support point was no number.
    Bad,
}

/// Adds support points to the given ones until four of them span a tetrahedron. Counts the support points.
pub(super) fn tetrahedron<A, B>(
    difference: &Difference<'_, A, B>,
    seeds: impl Iterator<Item = Vertex>,
    supports: &mut u32,
) -> Extent
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut points = ArrayVec::<Vertex, 4>::new();
    let flat = difference.rounding;
    for seed in seeds.take(4) {
        if spread(&points, seed.w) > flat {
            points.push(seed);
        }
    }
    while points.len() < 4 {
        let mut best: Option<(f64, Vertex)> = None;
        for direction in directions(&points) {
            *supports += 2;
            // The support along a direction is the farthest point along its negative.
            for vertex in [difference.support(direction), difference.support(-direction)] {
                let spread = spread(&points, vertex.w);
                if !vertex.w.is_finite() {
                    return Extent::Bad;
                }
                if best.is_none_or(|(most, _)| spread > most) {
                    best = Some((spread, vertex));
                }
            }
        }
        match best {
            Some((spread, vertex)) if spread > flat || points.is_empty() => points.push(vertex),
            // Nothing sticks out of the point, line or plane of what there is.
            _ => return Extent::Flat(directions(&points)[0]),
        }
    }
    match points.into_inner() {
        Ok(points) => Extent::Solid(points),
        Err(_) => Extent::Bad,
    }
}

/// Unit directions out of the affine hull of some points.
fn directions(points: &[Vertex]) -> ArrayVec<DVec3, 3> {
    let mut all = ArrayVec::new();
    match *points {
        [a, b] => {
            let (x, y) = (b.w - a.w).normalize().any_orthonormal_pair();
            all.extend([x, y]);
        }
        [a, b, c, ..] => all.push(normal(a.w, b.w, c.w)),
        _ => all.extend([DVec3::X, DVec3::Y, DVec3::Z]),
    }
    all
}

/// The unit normal of a triangle, with twice the digits: it may be as thin as the difference of two segments that are all but
/// parallel.
pub(super) fn normal(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, ac) = (DoubleVec3::from(b) - a.into(), DoubleVec3::from(c) - a.into());
    ab.cross(ac).value().normalize_or(DVec3::X)
}

/// How far a point is from the affine hull of the others.
fn spread(points: &[Vertex], w: DVec3) -> f64 {
    match *points {
        [] => f64::INFINITY,
        [a] => (w - a.w).length(),
        [a, b] => (w - a.w).reject_from_normalized((b.w - a.w).normalize()).length(),
        [a, b, c, ..] => (w - a.w).dot(normal(a.w, b.w, c.w)).abs(),
    }
}
