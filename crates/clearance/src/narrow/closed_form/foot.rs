//! The point of a core that is nearest to a given point.

use super::segments::{self, SegmentPoints};
use super::{SMALLEST_SQUARE, across, within_ends};
use crate::shape::{Cuboid, Triangle};
use glam::DVec3;

/// The feature of a core that faces a point, in the frame of the core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foot {
    /// The distance of the point; negative inside.
    pub core: f64,
    /// Unit vector from the core to the point; the escape direction if the point is inside.
    pub normal: DVec3,
    /// Vertex numbers that span the feature the nearest point is on.
    pub ids: [u32; 4],
    /// How many of them are in use.
    pub count: u8,
}

/// A core that is fixed in its own frame.
pub trait Target {
    /// Where the core is nearest to `point`, if that can be said within `rounding`.
    fn foot(&self, point: DVec3, rounding: f64) -> Option<Foot>;
}

impl Target for Cuboid {
    #[inline(always)]
    fn foot(&self, point: DVec3, _rounding: f64) -> Option<Foot> {
        let half = self.half_extents();
        let nearest = crate::narrow::cuboids::clamp(point, half);
        let gap = point - nearest;
        let square = gap.length_squared();
        // Differences to the bounds are exact, so the gap has its direction however short it is.
        if square > SMALLEST_SQUARE {
            let core = square.sqrt();
            let (ids, count) = crate::narrow::cuboids::spanning(nearest, half);
            return Some(Foot { core, normal: gap * (1.0 / core), ids, count });
        }
        // Every face is a way out; the nearest is the shortest.
        let room = half - point.abs();
        let axis = if room.x <= room.y && room.x <= room.z { 0 } else { 1 + usize::from(room.z < room.y) };
        let outward = 1.0_f64.copysign(point[axis]);
        let mut nearest = nearest;
        nearest[axis] = half[axis] * outward;
        let (ids, count) = crate::narrow::cuboids::spanning(nearest, half);
        let pick = |k: usize| if axis == k { outward } else { 0.0 };
        Some(Foot { core: -room[axis], normal: DVec3::new(pick(0), pick(1), pick(2)), ids, count })
    }
}

impl Target for Triangle {
    /// Region by region \[Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5\].
    #[inline]
    fn foot(&self, point: DVec3, rounding: f64) -> Option<Foot> {
        let [a, b, c] = self.corners();
        let (ab, ac) = (b - a, c - a);
        let (ap, bp, cp) = (point - a, point - b, point - c);
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
        let (gap, ids, count) = if d1 <= 0.0 && d2 <= 0.0 {
            (ap, [0; 4], 1)
        } else if d3 >= 0.0 && d4 <= d3 {
            (bp, [1; 4], 1)
        } else if d6 >= 0.0 && d5 <= d6 {
            (cp, [2; 4], 1)
        } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            (ap - ab * (d1 / (d1 - d3)), [0, 1, 1, 1], 2)
        } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            (ap - ac * (d2 / (d2 - d6)), [0, 2, 2, 2], 2)
        } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            (bp - (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), [1, 2, 2, 2], 2)
        } else {
            let inverse = 1.0 / (va + vb + vc);
            (ap - (ab * (vb * inverse) + ac * (vc * inverse)), [0, 1, 2, 2], 3)
        };
        let square = gap.length_squared();
        let height = ap.dot(gap).min(bp.dot(gap)).min(cp.dot(gap));
        let core = square.sqrt();
        // A NaN, from a triangle that is a segment, fails the test too.
        if square > SMALLEST_SQUARE && square - height <= rounding * core {
            return Some(Foot { core, normal: gap / core, ids, count });
        }
        careful_foot([ap, bp, cp], rounding)
    }
}

/// The foot by trying the three sides and the face, with directions made perpendicular to each. The corners are given by
/// the vectors from them to the point.
#[cold]
fn careful_foot(from: [DVec3; 3], rounding: f64) -> Option<Foot> {
    let mut best = Foot { core: f64::INFINITY, normal: DVec3::X, ids: [0; 4], count: 1 };
    let mut nearest = DVec3::ZERO;
    // The plane that is highest over the triangle, on the side of the point.
    let (mut height, mut normal) = (f64::NEG_INFINITY, DVec3::X);
    let mut offer = |n: DVec3| {
        let low = from[0].dot(n).min(from[1].dot(n)).min(from[2].dot(n));
        if n != DVec3::ZERO && low > height {
            (height, normal) = (low, n);
        }
    };
    let inverse_of = |square: f64| if square > SMALLEST_SQUARE { 1.0 / square } else { 0.0 };
    let mut longest = (0.0, DVec3::ZERO);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        // From the middle of a side: the point, and the second end.
        let (p, u) = (0.5 * (from[i] + from[j]), 0.5 * (from[i] - from[j]));
        let square = u.length_squared();
        let part = within_ends(u.dot(p) * inverse_of(square));
        let gap = p - u * part;
        let core = gap.length();
        if core < best.core {
            let (first, second) = (if part == 1.0 { j } else { i }, if part == -1.0 { i } else { j });
            best.ids = [first as u32, second as u32, second as u32, second as u32];
            best.count = 1 + u8::from(first != second);
            best.core = core;
            nearest = gap;
        }
        offer(gap.normalize_or_zero());
        offer(across(gap, u, inverse_of(square)).normalize_or_zero());
        if square > longest.0 {
            longest = (square, u);
        }
    }
    // The face: perpendicular to the longest side, and to what the corner over it has across that side.
    let (square, u) = longest;
    let sides = [from[0] - from[1], from[1] - from[2], from[2] - from[0]];
    let aside = sides.map(|side| across(side, u, inverse_of(square)));
    let aside = aside.into_iter().max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))?;
    match u.cross(aside).try_normalize() {
        Some(n) => {
            let above = from[0].dot(n);
            let flat = from.map(|p| p - above * n);
            let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| flat[i].cross(flat[j]).dot(n));
            let inside = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
            if inside && above.abs() < best.core {
                best = Foot { core: above.abs(), ids: [0, 1, 2, 2], count: 3, ..best };
                nearest = above * n;
            }
            offer(n);
            offer(-n);
        }
        None => offer(u.try_normalize().map_or(DVec3::X, DVec3::any_orthonormal_vector)),
    }
    best.normal = normal;
    // The way to the nearest point is along the normal, or the point is not known well enough.
    let is_along = (nearest - best.core * normal).length() <= 4.0 * rounding;
    (best.core - height <= rounding && is_along).then_some(best)
}

/// The foot of a point on a segment: `point` from its middle, `half` from there to its second end, and the inverse of the
/// square of that.
#[inline(always)]
pub fn on_segment(point: DVec3, half: DVec3, inverse_square: f64, rounding: f64) -> Option<SegmentPoints> {
    let part = within_ends(half.dot(point) * inverse_square);
    let gap = point - half * part;
    let square = gap.length_squared();
    let core = square.sqrt();
    let height = gap.dot(point) - gap.dot(half).abs();
    if square > SMALLEST_SQUARE && square - height <= rounding * core {
        return Some(SegmentPoints { core, normal: gap / core, parts: [part, 0.0] });
    }
    segments::careful([half, DVec3::ZERO], [inverse_square, 0.0], point, rounding)
}
