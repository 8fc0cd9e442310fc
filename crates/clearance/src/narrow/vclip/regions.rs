//! Voronoi regions of vertices and edges, and the proof that a test makes.
//!
//! A test that is passed by more than the error of its products is passed exactly. A linear function that does not grow along any edge at a
//! vertex does not grow anywhere on a convex polytope. So a direction in the region of a vertex is the normal of a plane that supports the
//! polytope there: theorem 1, in numbers.

use super::placement::Placement;
use super::{Tally, cost};
use crate::math::rounding::UNIT_MARGIN;
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// The least decrease for which an arrow to a feature of higher dimension is followed (I3), as a part of the margin. Bound: 8 ε. The same
/// stored vector decides in both directions, so that its own error does not matter, only that of the two products, 2 ε each, and of the
/// rotated vector. Generic motion takes the same steps without it; it is for degenerate positions.
pub(super) const WORTHWHILE: f64 = 0.125;

/// Where a point is, seen from a feature.
pub(super) enum Region {
    /// In the feature's own region, by more than rounding.
    Inside,
    /// In it, as far as rounding lets us see.
    Unclear,
    /// In that of another feature, or nearer to it.
    Beyond(Feature),
}

/// Is a point in direction `d` in the region of a vertex, and if not, which feature is closer?
#[inline(always)]
pub(super) fn vertex_region<'a, P: Placement<'a>>(placed: &mut P, polytope: &Polytope, v: u32, d: DVec3) -> Region {
    let margin = placed.margin();
    if P::PROBES {
        // Inside, mostly, and then it does not matter which plane is next.
        if vertex_region_test(polytope, v, d, margin) {
            return Region::Inside;
        }
        let target = polytope.vertex(v) + d;
        let next = hill_climb(polytope, v, d, target, WORTHWHILE * margin, placed.tally());
        return next.map_or(Region::Unclear, Region::Beyond);
    }
    let Some((i, along)) = steepest(polytope, v, d, -margin) else { return Region::Inside };
    if along <= WORTHWHILE * margin {
        return Region::Unclear;
    }
    let edge = polytope.vertex_edges(v)[i];
    if along <= polytope.edge_length(edge) {
        return Region::Beyond(Feature::Edge(edge));
    }
    let (next, target) = (polytope.neighbors(v)[i], polytope.vertex(v) + d);
    let d = target - polytope.vertex(next);
    let further = hill_climb(polytope, next, d, target, WORTHWHILE * margin, placed.tally());
    Region::Beyond(further.unwrap_or(Feature::Vertex(next)))
}

/// Is a point in direction `d` in the region of a vertex, by more than the margin?
#[inline(always)]
pub(super) fn vertex_region_test(polytope: &Polytope, v: u32, d: DVec3, margin: f64) -> bool {
    let Some(directions) = polytope.star_directions(v) else { return false };
    for u in directions {
        if u.dot(d) > -margin {
            return false;
        }
    }
    true
}

/// From a vertex to the edge or vertex that is closest to a point, along the steepest edges, from vertex to vertex. `None` if no edge at
/// the first one leads there by more than the margin. `d` is the direction of the point from the first vertex.
///
/// These are many arrows of the diagram in one: beyond the plane of an edge, and then beyond the plane of its other end.
#[cold]
#[inline(never)]
fn hill_climb<K: Tally>(
    polytope: &Polytope,
    v: u32,
    d: DVec3,
    target: DVec3,
    margin: f64,
    tally: &mut K,
) -> Option<Feature> {
    let (mut at, mut d) = (v, d);
    // Each vertex is closer than the one before, so none comes twice; the bound guards against rounding.
    for _ in 0..polytope.vertex_count() {
        cost::vertex_region(polytope, at).count(tally);
        let Some((i, along)) = steepest(polytope, at, d, margin) else { break };
        let edge = polytope.vertex_edges(at)[i];
        if along <= polytope.edge_length(edge) {
            return Some(Feature::Edge(edge));
        }
        at = polytope.neighbors(at)[i];
        d = target - polytope.vertex(at);
    }
    (at != v).then_some(Feature::Vertex(at))
}

/// The edge at a vertex that leads most in direction `d`, by more than rounding, and its other end.
#[cold]
#[inline(never)]
pub(super) fn ascent_edge<K: Tally>(polytope: &Polytope, v: u32, d: DVec3, tally: &mut K) -> Option<(u32, u32)> {
    cost::vertex_region(polytope, v).count(tally);
    let (i, _) = steepest(polytope, v, d, WORTHWHILE * UNIT_MARGIN)?;
    Some((polytope.vertex_edges(v)[i], polytope.neighbors(v)[i]))
}

/// The place of the edge at a vertex that leads most in direction `d`, and how far; none if that is no more than the margin.
#[inline(always)]
fn steepest(polytope: &Polytope, v: u32, d: DVec3, margin: f64) -> Option<(usize, f64)> {
    let mut best = (margin, usize::MAX);
    for (i, u) in polytope.star_directions(v).unwrap_or_default().iter().enumerate() {
        let along = u.dot(d);
        if along > best.0 {
            best = (along, i);
        }
    }
    (best.1 != usize::MAX).then_some((best.1, best.0))
}

/// Is a direction away from both faces of an edge, by more than rounding?
#[inline(always)]
pub(super) fn is_between_faces(sides: Option<&[DVec3; 2]>, d: DVec3) -> bool {
    match sides {
        Some([left, right]) => left.dot(d) <= -UNIT_MARGIN && right.dot(d) <= -UNIT_MARGIN,
        None => true,
    }
}

/// The face of an edge that a direction leads above, or least below: how far, and is it the left (0) or the right one (1)?
#[inline(always)]
pub(super) fn most_violated_face(sides: Option<&[DVec3; 2]>, d: DVec3) -> (f64, usize) {
    let Some([left, right]) = sides else { return (f64::NEG_INFINITY, 0) };
    let (left, right) = (left.dot(d), right.dot(d));
    if left >= right { (left, 0) } else { (right, 1) }
}

/// The length of a vector and one over it: the root and the quotient do not wait for each other.
#[inline(always)]
pub(super) fn length_and_inverse(d: DVec3) -> (f64, f64) {
    let square = d.dot(d);
    let length = square.sqrt();
    (length, length * (1.0 / square))
}
