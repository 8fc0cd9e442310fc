//! Points against faces: the sides of a face, and the way out from under it.

use super::{Tally, Walker};
use crate::shape::polytope::{FEW_SIDES, FaceView, SidePlane};
use crate::shape::{Feature, Polytope};
use glam::DVec3;

impl<K: Tally> Walker<'_, K> {
    /// The edge or vertex of a face of many sides that is closest to a point which is not above or below the face; `strict`
    /// is lost if it is on a side, as far as rounding lets us see.
    ///
    /// The sector in which the point lies, seen from the middle, is found by walking from where it was last time, and the
    /// closest edge by walking on from there. The distance from an outside point has only one minimum along the
    /// sides it can see, so that walk ends where it should.
    #[cold]
    #[inline(never)]
    pub(super) fn many_sides(&mut self, y: &Polytope, f: u32, p: DVec3, strict: &mut bool) -> Option<Feature> {
        let face = y.face_view(f);
        let arm = p - y.hub(f)?.center;
        let sector = self.sector(y, f, &face, arm);
        self.side = face.start + sector as u32;
        let side = &face.sides[sector];
        let value = side.normal.dot(p) - side.offset;
        self.tally.planes(1);
        if value >= 0.0 {
            *strict &= value >= self.rounding;
            return None;
        }
        // The side can be seen from the point. Downhill along the sides: at most once around.
        let mut i = sector;
        let mut came_from = None;
        for _ in 0..face.sides.len() {
            let Some(edge) = y.tracked_edge(face.edges[i]) else { break };
            let along = (p - edge.tail).dot(edge.direction);
            self.tally.planes(2);
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
                self.side = face.start + i as u32;
                return Some(Feature::Vertex(end));
            }
            came_from = Some(i);
            i = next;
        }
        self.side = face.start + i as u32;
        Some(Feature::Edge(face.edges[i]))
    }

    /// The side of a face that is crossed on the way from the hub in the direction `arm`.
    pub(super) fn sector(&mut self, y: &Polytope, f: u32, face: &FaceView<'_>, arm: DVec3) -> usize {
        let Some(hub) = y.hub(f) else { return 0 };
        // Is the point to the left of the spoke from the hub to corner i? `n × arm` saves a cross product for each.
        let across = arm.cross(face.normal);
        let is_left = |i: usize| (y.vertex(face.vertices[i]) - hub.center).dot(across) >= 0.0;
        let mut i = (self.side.wrapping_sub(face.start)) as usize;
        if i >= face.sides.len() {
            i = 0;
        }
        let mut looks = 1;
        if is_left(i) {
            for _ in 0..face.sides.len() {
                let next = face.next(i);
                looks += 1;
                if !is_left(next) {
                    break;
                }
                i = next;
            }
        } else {
            for _ in 0..face.sides.len() {
                i = face.before(i);
                looks += 1;
                if is_left(i) {
                    break;
                }
            }
        }
        self.tally.planes(looks);
        i
    }

    /// Algorithm 3: a face that the point is above, or none if it is inside.
    ///
    /// Of all faces the ray from the centre through the point leaves by the one with the largest
    /// `n·(p - c) / (offset - n·c)`, which is a linear function on the vertices of the polar dual of the polytope: uphill
    /// from neighbour to neighbour leads there, and starting at the face at hand that is near. The point is inside if and
    /// only if the largest is at most 1.
    #[cold]
    #[inline(never)]
    pub(super) fn escape(&mut self, y: &Polytope, f: u32, p: DVec3) -> Option<u32> {
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
            self.tally.dots(2);
            self.tally.flops(3);
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
}

/// Is a point inside of all sides of a face, by more than rounding? For a face of many sides a circle inside of it
/// answers most often, and a "no" is then only a "not in the circle".
#[inline(always)]
pub(super) fn is_above<K: Tally>(
    y: &Polytope,
    f: u32,
    sides: &[SidePlane],
    normal: DVec3,
    p: DVec3,
    rounding: f64,
    tally: &mut K,
) -> bool {
    if sides.len() > FEW_SIDES
        && let Some(hub) = y.hub(f)
    {
        let arm = p - hub.center;
        let flat = arm - normal.dot(arm) * normal;
        let radius = hub.inner_radius - rounding;
        tally.dots(2);
        tally.flops(12);
        return flat.dot(flat) < radius * radius && radius > 0.0;
    }
    tally.planes(sides.len());
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
pub(super) fn outside_of<K: Tally>(y: &Polytope, f: u32, p: DVec3, tally: &mut K) -> Option<Feature> {
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
