//! Points against faces: the region of a face, and the escape from under it (algorithm 3).
//!
//! A face of many sides is not tested all around. A circle inside of it decides most points. For the others the sector in which the point
//! lies, seen from the middle, is found by walking from the last one, and the closest side by walking on from there.

use super::placement::Placement;
use super::regions::Region;
use super::{Tally, cost};
use crate::shape::polytope::{FEW_SIDES, FaceView, SidePlane};
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// Is a point above or below a face, and if not, which side or corner is closest? A probe does not go around a face of many sides.
#[inline(always)]
pub(super) fn face_region<'a, P: Placement<'a>>(
    placed: &mut P,
    y: &Polytope,
    f: u32,
    sides: &[SidePlane],
    normal: DVec3,
    p: DVec3,
) -> Region {
    let rounding = placed.rounding();
    if is_above(y, f, sides, normal, p, rounding) {
        return Region::Inside;
    }
    if sides.len() <= FEW_SIDES {
        return most_violated_side(y, f, p, placed.tally()).map_or(Region::Unclear, Region::Beyond);
    }
    if P::PROBES {
        return Region::Unclear;
    }
    let mut cursor = *placed.cursor();
    let region = region_of_many_sides(y, f, p, rounding, &mut cursor, placed.tally());
    *placed.cursor() = cursor;
    region
}

/// Is a point inside of all sides of a face, by more than rounding? For a face of many sides a circle inside of it
/// answers most often, and a "no" is then only a "not in the circle".
#[inline(always)]
pub(super) fn is_above(y: &Polytope, f: u32, sides: &[SidePlane], normal: DVec3, p: DVec3, rounding: f64) -> bool {
    if sides.len() > FEW_SIDES
        && let Some(hub) = y.hub(f)
    {
        let arm = p - hub.center;
        let flat = arm - normal.dot(arm) * normal;
        let radius = hub.inner_radius - rounding;
        return flat.dot(flat) < radius * radius && radius > 0.0;
    }
    for side in sides {
        if !(side.normal.dot(p) - side.offset >= rounding) {
            return false;
        }
    }
    true
}

/// The edge of a face of few sides that is closest to a point which is not above or below the face: the one whose plane is
/// violated most. None if the point is on a side, as far as rounding lets us see.
#[cold]
#[inline(never)]
fn most_violated_side<K: Tally>(y: &Polytope, f: u32, p: DVec3, tally: &mut K) -> Option<Feature> {
    let face = y.face_view(f);
    tally.planes(face.sides.len());
    let mut worst = (0.0, None);
    for (side, &edge) in face.sides.iter().zip(face.edges) {
        let value = side.normal.dot(p) - side.offset;
        if value < worst.0 {
            worst = (value, Some(Feature::Edge(edge)));
        }
    }
    worst.1
}

/// Where a point is, seen from a face of many sides: the edge or vertex of the face that is closest to it, if it is not above or below.
///
/// The distance from an outside point has only one minimum along the sides it can see, so going downhill from the side at hand
/// ends where it should.
#[cold]
#[inline(never)]
pub(super) fn region_of_many_sides<K: Tally>(
    y: &Polytope,
    f: u32,
    p: DVec3,
    rounding: f64,
    cursor: &mut u32,
    tally: &mut K,
) -> Region {
    let face = y.face_view(f);
    let Some(hub) = y.hub(f) else { return Region::Inside };
    let sector = sector(y, &face, hub.center, p - hub.center, *cursor, tally);
    *cursor = face.start + sector as u32;
    let side = &face.sides[sector];
    let value = side.normal.dot(p) - side.offset;
    tally.planes(1);
    if value >= 0.0 {
        return if value >= rounding { Region::Inside } else { Region::Unclear };
    }
    // The side can be seen from the point. Downhill along the sides: at most once around.
    let mut i = sector;
    let mut came_from = None;
    for _ in 0..face.sides.len() {
        let Some(edge) = y.tracked_edge(face.edges[i]) else { break };
        let along = (p - edge.tail).dot(edge.direction);
        tally.planes(2);
        let end = if along < 0.0 {
            edge.ends.tail
        } else if along > edge.length {
            edge.ends.head
        } else {
            break;
        };
        // Which of the two sides that meet there is the other one?
        let next = if end == face.vertices[i] { face.before(i) } else { face.next(i) };
        if came_from == Some(next) {
            // Beyond this end of the one side and that of the other: the corner between them.
            *cursor = face.start + i as u32;
            return Region::Beyond(Feature::Vertex(end));
        }
        came_from = Some(i);
        i = next;
    }
    *cursor = face.start + i as u32;
    Region::Beyond(Feature::Edge(face.edges[i]))
}

/// The side of a face that is crossed when going from its middle in the direction `arm`.
fn sector<K: Tally>(y: &Polytope, face: &FaceView<'_>, center: DVec3, arm: DVec3, cursor: u32, tally: &mut K) -> usize {
    // Is the point to the left of the spoke from the middle to corner i? `arm × n` saves a cross product for each.
    let across = arm.cross(face.normal);
    let is_left = |i: usize| (y.vertex(face.vertices[i]) - center).dot(across) >= 0.0;
    let mut i = cursor.wrapping_sub(face.start) as usize;
    if i >= face.sides.len() {
        i = 0;
    }
    let mut spokes = 1;
    if is_left(i) {
        for _ in 0..face.sides.len() {
            let next = face.next(i);
            spokes += 1;
            if !is_left(next) {
                break;
            }
            i = next;
        }
    } else {
        for _ in 0..face.sides.len() {
            i = face.before(i);
            spokes += 1;
            if is_left(i) {
                break;
            }
        }
    }
    tally.planes(spokes);
    i
}

/// Algorithm 3: a face that the point is above, or none if it is inside.
///
/// Of all faces the ray from the centre through the point leaves by the one with the largest `n·(p - c) / (offset - n·c)`, a linear
/// function on the vertices of the polar dual of the polytope. Hill climbing from neighbour to neighbour leads there, and a start at the
/// face at hand is near. The point is inside if and only if the largest is at most 1.
#[cold]
#[inline(never)]
pub(super) fn escape<K: Tally>(y: &Polytope, f: u32, p: DVec3, tally: &mut K) -> Option<u32> {
    if y.dimension() < 3 {
        // A flat polygon has a face on the other side.
        let other = 1 - f.min(1);
        let face = y.face_view(other);
        return (face.normal.dot(p) - face.offset > 0.0).then_some(other);
    }
    let center = y.center();
    let arm = p - center;
    let mut value = |f: u32| {
        let face = y.face_view(f);
        cost::RAY_AND_FACE.count(tally);
        let depth = face.offset - face.normal.dot(center);
        // A polytope so flat that its centre is in a plane by rounding: that face is infinitely far up or down.
        face.normal.dot(arm) / depth.max(f64::MIN_POSITIVE)
    };
    let mut best = (f, value(f));
    for _ in 0..y.face_count() {
        let before = best;
        for &e in y.face_view(before.0).edges {
            let edge = y.edge(e);
            let other = if edge.left == before.0 { edge.right } else { edge.left };
            let there = value(other);
            if there > best.1 {
                best = (other, there);
            }
        }
        if best.0 == before.0 {
            break;
        }
    }
    let face = y.face_view(best.0);
    (best.0 != f && face.normal.dot(p) - face.offset > 0.0).then_some(best.0)
}
