//! A large convex piece around a point of a solid.
//!
//! Starting from a box around the mesh, the piece is cut by the planes of triangles, the nearest triangle first, until no triangle enters it.
//! IRIS does the same with planes that touch ellipsoids (Deits, Tedrake, *Computing large convex regions of obstacle-free space
//! through semidefinite programming*, 2015). Planes of triangles make the pieces fit exactly. The metric of "nearest" is then
//! taken from the extent of the piece in each direction, which makes long pieces longer.
//!
//! Invariants:
//! * A piece is a union of cells of the arrangement of all planes, and contains the cell around the point. So finitely many pieces cover the solid.
//! * The anchor is strictly inside every half-space that has cut the piece.

use super::cell::ConvexCell;
use super::context::{Context, Fragment};
use super::space::Space;
use crate::tuning::decompose::GROWTH_ROUNDS;
use glam::{DMat3, DVec3};

/// A large convex cell of the solid around a position, which is strictly inside and in the unit of the space.
/// `None` if the position is on the plane of a triangle that cuts the cell.
pub(super) fn piece_around(
    context: &mut Context,
    all: &[Fragment],
    whole: &ConvexCell,
    seed: DVec3,
) -> Option<ConvexCell> {
    let anchor = context.space.coarse_point(seed);
    let mut best = grown(context, all, whole, seed, DMat3::IDENTITY, anchor)?;
    let mut volume = best.volume(&context.space);
    for _ in 0..GROWTH_ROUNDS {
        let (middle, metric) = measure(&best, &context.space);
        let Some(cell) = grown(context, all, whole, middle, metric, anchor) else { break };
        let larger = cell.volume(&context.space);
        // A round that gains less than a billionth is the last.
        if larger <= volume * (1.0 + 1e-9) {
            break;
        }
        (best, volume) = (cell, larger);
    }
    Some(best)
}

/// Cuts by the planes of triangles in the order of their distance from a position, measured by a metric. The anchor stays inside.
fn grown(
    context: &mut Context,
    all: &[Fragment],
    whole: &ConvexCell,
    middle: DVec3,
    metric: DMat3,
    anchor: u32,
) -> Option<ConvexCell> {
    let center = context.space.coarse_point(middle);
    let mut order: Vec<(i64, i64, usize)> = all
        .iter()
        .enumerate()
        .map(|(i, fragment)| {
            let corners = context.corners(fragment.triangle).map(|corner| metric * ((corner - middle) / Space::size()));
            let distance = closest_to_origin(corners).length();
            let plane =
                context.behind[fragment.triangle as usize].map_or(0.0, |half| context.space.height(half, middle));
            // Ties are common at edges. The triangle whose plane is farther away comes first.
            let whole = |x: f64| (x * f64::from(1 << 30)).round() as i64;
            (whole(distance), -whole(plane.abs() / Space::size()), i)
        })
        .collect();
    order.sort_unstable();
    let mut alive: Vec<Option<Fragment>> = order.iter().map(|&(_, _, i)| Some(all[i].clone())).collect();
    let mut cell = whole.clone();
    for i in 0..alive.len() {
        let Some(fragment) = &alive[i] else { continue };
        let behind = context.behind[fragment.triangle as usize]?;
        let half = match context.space.outside(behind, center) {
            -1 => behind,
            1 => behind.complement(),
            _ => return None,
        };
        if context.space.outside(half, anchor) >= 0 {
            return None;
        }
        cell = cell.cut(&mut context.space, half)?;
        for slot in &mut alive[i..] {
            let Some(fragment) = slot.take() else { continue };
            *slot = context.cut(&[fragment], half).pop();
        }
    }
    Some(cell)
}

/// The centre of a cell's corners, and the metric in which its extent is about the same in all directions.
fn measure(cell: &ConvexCell, space: &Space) -> (DVec3, DMat3) {
    let middle = cell.middle(space);
    let points = cell.points();
    let arms: Vec<DVec3> = points.iter().map(|&point| (space.position(point) - middle) / Space::size()).collect();
    (middle, metric_of(&arms))
}

/// The metric in which the spread of some points is about the same in all directions, scaled to keep their mean distance.
pub(super) fn metric_of(arms: &[DVec3]) -> DMat3 {
    let mut spread = DMat3::ZERO;
    for &arm in arms {
        spread += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z) * (1.0 / arms.len() as f64);
    }
    // By Cholesky: spread = L Lᵀ, and the metric is the inverse of L, times the mean size so that distances stay comparable.
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    // Keeps the root and its quotients finite for a flat cell; the metric only steers the growth.
    let least = 1e-12 * trace;
    let l00 = spread.x_axis.x.max(least).sqrt();
    let (l10, l20) = (spread.x_axis.y / l00, spread.x_axis.z / l00);
    let l11 = (spread.y_axis.y - l10 * l10).max(least).sqrt();
    let l21 = (spread.y_axis.z - l20 * l10) / l11;
    let l22 = (spread.z_axis.z - l20 * l20 - l21 * l21).max(least).sqrt();
    let lower = DMat3::from_cols(DVec3::new(l00, l10, l20), DVec3::new(0.0, l11, l21), DVec3::new(0.0, 0.0, l22));
    lower.inverse() * trace.sqrt()
}

/// The point of a triangle that is closest to the origin, to rounding.
pub(super) fn closest_to_origin([a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let on_side = |u: DVec3, v: DVec3| {
        let along = v - u;
        let t = (-u.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        u + along * if t.is_nan() { 0.0 } else { t }
    };
    let is_over = [[a, b], [b, c], [c, a]].into_iter().all(|[u, v]| (v - u).cross(-u).dot(normal) >= 0.0);
    if is_over && normal != DVec3::ZERO {
        return normal * (a.dot(normal) / normal.length_squared());
    }
    let sides = [on_side(a, b), on_side(b, c), on_side(c, a)];
    sides.into_iter().min_by(|p, q| p.length_squared().total_cmp(&q.length_squared())).unwrap_or(a)
}
