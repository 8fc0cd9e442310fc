//! A ray and a compound: the first of the hits of its parts, over their tree.

use super::line::{Line, LocalRay};
use super::plain::steep;
use super::{Aim, LocalHit, convex, find};
use crate::shape::Compound;
use crate::tree::BoxNode;
use glam::DVec3;

/// The first hit; see [`find`].
#[inline(never)]
pub(super) fn cast(compound: &Compound, ray: &LocalRay, aim: Aim, max: f64) -> Option<LocalHit> {
    let mut best: Option<LocalHit> = None;
    let mut look = |number: u32, limit: f64| {
        let part = &compound.parts()[number as usize];
        let (middle, radius) = convex::middle(&part.shape);
        let (line, shift) = ray.line.in_part(part).recentered(middle);
        let ray = LocalRay { line, start: ray.start - shift };
        let limit = best.map_or(limit, |best: LocalHit| best.upper.min(limit));
        let room = radius + line.errors[0];
        // Past the ball around it; a box has room for more.
        if line.point.distance_squared(middle) * (1.0 - 16.0 * f64::EPSILON) > room * room + f64::MIN_POSITIVE {
            return limit;
        }
        if let Some(hit) = find(&part.shape, &ray, radius, aim, limit) {
            let hit = LocalHit { part: number, normal: part.pose.transform_vector(hit.normal), ..hit };
            best = Some(best.map_or(hit, |best| first(best, hit)));
        }
        best.map_or(max, |best| best.upper.min(max))
    };
    let mut limit = max;
    for &number in compound.unbounded() {
        limit = look(number, limit);
    }
    let inverse = steep(ray.line.along).recip();
    let bound = |node: &BoxNode| distance(node, &ray.line, inverse, ray.start);
    compound.tree().smallest_first(limit, bound, look);
    best
}

/// Of two hits what is true of the first: the earlier of the bounds. Of equals the first part.
fn first(a: LocalHit, b: LocalHit) -> LocalHit {
    let is_a = (a.at, a.part) <= (b.at, b.part);
    let mut hit = if is_a { a } else { b };
    (hit.lower, hit.upper) = (a.lower.min(b.lower), a.upper.min(b.upper));
    hit.at = hit.at.min(hit.upper);
    hit.is_inside = a.is_inside || b.is_inside;
    hit
}

/// A bound on the distance along a ray to a box; infinite if it does not meet it. `inverse` has one over each coordinate of its direction.
#[inline(always)]
fn distance(node: &BoxNode, line: &Line, inverse: DVec3, start: f64) -> f64 {
    let from = node.center - line.point;
    let far = from.abs().element_sum();
    // As far as the box may be away along the line.
    let reach = (far + node.half.element_sum()) * 2.0 / line.speed;
    // Eight times what the difference, the products and the quotient round.
    let pad = line.error(reach) + 8.0 * f64::EPSILON * (far + reach);
    let (center, size) = (from * inverse, (node.half + pad) * inverse.abs());
    let (enter, leave) = (largest(center - size, start), smallest(center + size));
    if enter > leave {
        return f64::INFINITY;
    }
    // Four operations on the time, ε/2 each with reserve, and the rounding of the start.
    (enter - start) * (1.0 - 4.0 * f64::EPSILON) - 2.0 * f64::EPSILON * start.abs()
}

/// The largest of three coordinates and a number; comparisons, since a maximum that handles NaN takes three times as long.
#[inline(always)]
fn largest(v: DVec3, least: f64) -> f64 {
    let most = if v.x > v.y { v.x } else { v.y };
    let most = if most > v.z { most } else { v.z };
    if most > least { most } else { least }
}

#[inline(always)]
fn smallest(v: DVec3) -> f64 {
    let least = if v.x < v.y { v.x } else { v.y };
    if least < v.z { least } else { v.z }
}
