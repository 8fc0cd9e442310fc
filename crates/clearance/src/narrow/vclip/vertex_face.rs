//! Algorithm 6: a vertex of X and a face of Y.
//!
//! Step 6 as it must be read: an edge that *heads for* the plane of the face, from above or from below. The printed test compares the
//! distances of the two ends from the plane. An edge that starts a little above it and ends far below passes that, and a gap is reported
//! where there is penetration.

use super::faces::{escape, face_region, is_above};
use super::placement::{Exchanged, Placement};
use super::regions::{Region, ascent_edge, vertex_region_test};
use super::{Step, cost};
use crate::narrow::ClosestPoints;
use crate::shape::{Feature, Polytope};
use glam::DVec3;

#[inline(always)]
pub(super) fn vertex_face<'a, const X_IS_A: bool, P: Placement<'a>>(
    placed: &mut P,
    v: u32,
    f: u32,
    points: &mut ClosestPoints,
) -> Step {
    let [x, y] = placed.x_and_y::<X_IS_A>();
    let (Some(&vertex), Some((normal, offset)), Some(sides)) =
        (x.vertices().get(v as usize), y.face_plane(f), y.side_planes(f))
    else {
        return Step::Stale;
    };
    let go = |x: Feature, y: Feature| Step::go(if X_IS_A { [x, y] } else { [y, x] });
    let seen = placed.exchange::<X_IS_A>(vertex, normal);
    let p = seen.point_y;
    let mut strict = true;
    // Steps 1 to 4.
    match face_region(placed, y, f, sides, normal, p) {
        Region::Inside => {}
        Region::Unclear if P::PROBES => return Step::Unsettled,
        Region::Unclear => strict = false,
        Region::Beyond(next) => return go(Feature::Vertex(v), next),
    }
    let height = normal.dot(p) - offset;
    if P::PROBES && !(height > 0.0) {
        return Step::Unsettled;
    }
    // Steps 6 to 9: towards the plane from where the vertex is, does an edge come closer?
    let towards = if height > 0.0 { -seen.normal_x } else { seen.normal_x };
    if !vertex_region_test(x, v, towards, P::NORMAL_MARGIN) {
        if P::PROBES {
            return Step::Unsettled;
        }
        match approach::<X_IS_A, P>(placed, v, f, towards, height) {
            Some(next) => return go(next, Feature::Face(f)),
            None => strict = false,
        }
    }
    // Step 12.
    if !(height > 0.0) {
        return match escape(y, f, p, placed.tally()) {
            Some(face) => go(Feature::Vertex(v), Feature::Face(face)),
            None => Step::Penetrating,
        };
    }
    let most = if strict { height } else { distance_near_side(y, f, p, placed.rounding()) };
    // The stored normal is right to 25 ε, at both ends of the difference.
    let slack = 50.0 * f64::EPSILON * y.bounding_radius() + 4.0 * P::turning(x.bounding_radius());
    let Exchanged { point, normal, .. } = seen;
    let (point_a, normal) = if X_IS_A { (point, -normal) } else { (point - height * normal, normal) };
    *points = ClosestPoints { point_a, normal, length: height, most, slack, strict, ..ClosestPoints::default() };
    Step::Done
}

/// The edge at a vertex that heads for the face; or its other end, if that is above the face too: then it is closer, and the edge need not
/// be visited.
#[cold]
#[inline(never)]
fn approach<'a, const X_IS_A: bool, P: Placement<'a>>(
    placed: &mut P,
    v: u32,
    f: u32,
    towards: DVec3,
    height: f64,
) -> Option<Feature> {
    let [x, y] = placed.x_and_y::<X_IS_A>();
    let (e, other) = ascent_edge(x, v, towards, placed.tally())?;
    let ((normal, offset), sides) = (y.face_plane(f)?, y.side_planes(f)?);
    let q = placed.exchange::<X_IS_A>(x.vertex(other), normal).point_y;
    cost::POINT.count(placed.tally());
    if !(normal.dot(q) - offset > 0.0 && height > 0.0) {
        return Some(Feature::Edge(e));
    }
    cost::face_region(sides.len()).count(placed.tally());
    Some(if is_above(y, f, sides, normal, q, placed.rounding()) { Feature::Vertex(other) } else { Feature::Edge(e) })
}

/// The distance of a point above a face from the face, when its projection is on a side or next to it. It is that from the nearest point of
/// the nearest side, which is known to be a point of the face.
#[cold]
#[inline(never)]
fn distance_near_side(y: &Polytope, f: u32, p: DVec3, rounding: f64) -> f64 {
    let face = y.face_view(f);
    let projection = p - (face.normal.dot(p) - face.offset) * face.normal;
    let value = |i: usize| face.sides[i].normal.dot(projection - y.vertex(face.vertices[i]));
    let nearest = (0..face.sides.len()).min_by(|&i, &j| value(i).total_cmp(&value(j))).unwrap_or(0);
    if value(nearest) > rounding {
        return face.normal.dot(p) - face.offset;
    }
    let Some(edge) = y.tracked_edge(face.edges[nearest]) else { return f64::INFINITY };
    let along = (p - edge.tail).dot(edge.direction).clamp(0.0, edge.length);
    (p - edge.tail - along * edge.direction).length()
}
