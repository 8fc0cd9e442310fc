//! A bracket on the depth of shapes that overlap: not the exact depth, but a proof on both sides.
//!
//! Every unit direction n bounds the depth from above: moving B by the height of A - B along n separates the shapes. The
//! tetrahedron that holds the origin bounds it from below: the origin is at least as deep in A - B as in there.

use super::search::Search;
use super::{Exit, Outcome};
use crate::narrow::Difference;
use crate::narrow::simplex::Simplex;
use crate::shape::Convex;
use glam::DVec3;

#[cold]
pub(super) fn outcome<A, B>(
    difference: &Difference<'_, A, B>,
    search: &Search,
    simplex: &Simplex,
    radii: [f64; 2],
) -> Outcome
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let radius = radii[0] + radii[1];
    let rounding = difference.rounding + 4.0 * f64::EPSILON * radius;
    let (core_a, v) = simplex.combination();
    let (ids, count) = simplex.ids();
    let mut out = Outcome {
        distance: 0.0,
        point_a: core_a,
        point_b: core_a,
        normal: DVec3::X,
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        ids,
        count,
        exit: search.exit,
        closed: false,
        cost: search.cost,
    };
    if search.exit == Exit::BadSupport {
        // The simplex may hold the point that was no number.
        (out.point_a, out.point_b, out.count) = (DVec3::ZERO, DVec3::ZERO, 0);
        return out;
    }
    let mut best = (f64::INFINITY, DVec3::X, DVec3::ZERO);
    let mut try_direction = |direction: DVec3| {
        let normal = direction.normalize_or_zero();
        if normal == DVec3::ZERO {
            return;
        }
        for normal in [normal, -normal] {
            out.cost.support_calls += 2;
            let vertex = difference.support(-normal);
            let height = vertex.w.dot(normal);
            if height < best.0 {
                best = (height, normal, vertex.point_a);
            }
        }
    };
    try_direction(difference.center());
    let rotation = difference.b_in_a.rotation;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z, rotation.x_axis, rotation.y_axis, rotation.z_axis] {
        try_direction(axis);
    }
    let mut w = [DVec3::ZERO; 4];
    let count = simplex.count();
    for (w, (_, vertex)) in w.iter_mut().zip(simplex.weighted()) {
        *w = vertex.w;
    }
    // The faces of the simplex, or the one plane or line that it spans.
    let mut inner = f64::INFINITY;
    for [i, j, k] in [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]] {
        if i.max(j).max(k) < count {
            let normal = (w[j] - w[i]).cross(w[k] - w[i]);
            try_direction(normal);
            inner = inner.min(normal.normalize_or_zero().dot(w[i]).abs());
        }
    }
    if count == 2 {
        try_direction((w[1] - w[0]).any_orthogonal_vector());
    }
    let (depth, normal, point_a) = best;
    if !depth.is_finite() {
        return Outcome { exit: Exit::BadSupport, ..out };
    }
    let residue = v.length();
    let inner = if count == 4 { (inner - residue).max(0.0) } else { 0.0 };
    out.lower = -depth - radius - rounding;
    out.upper = (residue - inner).min(residue) - radius + rounding;
    out.distance = (-depth - radius).clamp(out.lower, out.upper.max(out.lower));
    out.normal = normal;
    out.point_a = point_a + radii[0] * normal;
    out.point_b = out.point_a + out.distance * normal;
    out.closed = out.upper - out.lower <= 4.0 * rounding;
    out
}
