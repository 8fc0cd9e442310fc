//! The short way: the simplex that is remembered, or that the f32 prefilter has found, is often the right one already.
//!
//! Its nearest point is computed as if nothing had changed, and one support height tells whether nothing has: then the
//! bracket is closed and that is the answer. Otherwise the [search](super::search) starts from the same simplex, which
//! has cost little more than a round. This is fast since it leaves out most work: no simplex to reduce, no case but one.
//!
//! For an intersection test the same holds of four vertices that had the origin between them. Two bodies that overlap mostly continue to do
//! so, and the four are proved to surround the origin without any search.

use super::WarmSimplex;
use crate::narrow::Difference;
use crate::narrow::outcome::{Apart, Cost, Exit, Outcome};
use crate::shape::Convex;
use glam::DVec3;

/// How far from the normal a witness may be, in roundings, squared. Bound: four roundings, so that the witnesses fit the promise of 1e-11.
const MAX_RESIDUAL_SQUARED: f64 = 16.0;

/// A simplex that was confirmed: what the answer is made of.
pub(super) struct ConfirmedSimplex {
    apart: Apart,
    axis: DVec3,
}

/// The answer, if the simplex of the cache is still the nearest and its nearest point is inside of it.
#[inline(always)]
pub(super) fn confirm<A, B>(difference: &Difference<'_, A, B>, cache: &WarmSimplex) -> Option<ConfirmedSimplex>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let NearestCandidate { direction, w, combination, point_a: core_a } = match cache.count {
        1 => point(difference, cache)?,
        2 => edge(difference, cache)?,
        3 => face(difference, cache)?,
        _ => return None,
    };
    // The support height needs a direction but not its length, so it need not wait for roots and divisions.
    let height = difference.height(direction);
    let inverse = 1.0 / direction.length();
    let length = direction.dot(w) * inverse;
    // Written so that a NaN goes the long way.
    if !(length > difference.rounding) {
        return None;
    }
    // I1 and I2: the combination is a point of A - B, and the plane at this height supports it.
    let (least, most) = (height * inverse, combination.length());
    if !(most - least <= difference.rounding) {
        return None;
    }
    let unit = direction * inverse;
    // The weights of a sliver can be off by more than its height shows: the point must be where the normal leads.
    let residual = combination - length * unit;
    if !(residual.length_squared() <= MAX_RESIDUAL_SQUARED * (difference.rounding * difference.rounding)) {
        return None;
    }
    let apart = Apart { core_a, normal: -unit, length, bounds: [least, most] };
    Some(ConfirmedSimplex { apart, axis: direction })
}

/// Does the tetrahedron of the cache, if it holds one, still hold the origin? Then the shapes overlap.
///
/// It does when the four volumes that the origin makes with the faces have one sign that no rounding can change. Moving the vertices of
/// p·(q×r) by δ each changes it by at most 3 δ L² + 3 δ² L + δ³, with L the longest of them. That is less than 4 δ L² as long as δ is a
/// quarter of L at most. Where it is more, the threshold is above L³, which no volume reaches. Computing a volume is off by a few
/// ε L³, and ε L is a 32nd of δ at most.
#[inline]
pub(super) fn still_overlap<A, B>(difference: &Difference<'_, A, B>, cache: &WarmSimplex) -> bool
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let [Some(a), Some(b), Some(c), Some(d)] = cache.ids.map(|ids| difference.vertex(ids)) else { return false };
    let [a, b, c, d] = [a.w, b.w, c.w, d.w];
    let (ab, cd) = (a.cross(b), c.cross(d));
    let volumes = [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)];
    let longest = a.dot(a).max(b.dot(b)).max(c.dot(c)).max(d.dot(d));
    let threshold = 5.0 * difference.rounding * longest;
    // Written so that a NaN is outside.
    volumes.iter().all(|&volume| volume > threshold) || volumes.iter().all(|&volume| volume < -threshold)
}

impl ConfirmedSimplex {
    /// The answer for the shapes, after `prefiltered` rounds of the f32 prefilter.
    #[inline(always)]
    pub(super) fn outcome<A, B>(
        &self,
        difference: &Difference<'_, A, B>,
        cache: &mut WarmSimplex,
        radii: [f64; 2],
        limit: f64,
        prefiltered: u32,
    ) -> Outcome
    where
        A: Convex + ?Sized,
        B: Convex + ?Sized,
    {
        cache.axis = self.axis;
        let rounds = 1 + prefiltered;
        let cost = Cost { iterations: rounds, support_calls: 2 * rounds, fallbacks: 0 };
        let mut outcome = self.apart.outcome(radii, difference.rounding, Exit::Converged, cost);
        if outcome.lower > limit {
            outcome.exit = Exit::Beyond;
        }
        (outcome.ids, outcome.count) = (cache.ids, cache.count);
        outcome
    }
}

/// A nearest point: as accurate a direction as can be had, the combination that proves it, and the same on A.
struct NearestCandidate {
    /// Along v, of any length.
    direction: DVec3,
    /// A vertex of the simplex: all are equally far along the direction.
    w: DVec3,
    combination: DVec3,
    point_a: DVec3,
}

#[inline(always)]
fn point<A, B>(difference: &Difference<'_, A, B>, cache: &WarmSimplex) -> Option<NearestCandidate>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let only = difference.vertex(cache.ids[0])?;
    Some(NearestCandidate { direction: only.w, w: only.w, combination: only.w, point_a: only.point_a })
}

#[inline(always)]
fn edge<A, B>(difference: &Difference<'_, A, B>, cache: &WarmSimplex) -> Option<NearestCandidate>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let (a, b) = (difference.vertex(cache.ids[0])?, difference.vertex(cache.ids[1])?);
    let edge = a.w - b.w;
    let (along, square) = (-b.w.dot(edge), edge.dot(edge));
    if !(along > 0.0 && along < square) {
        return None;
    }
    let weight = along / square;
    Some(NearestCandidate {
        direction: square * b.w + along * edge,
        w: b.w,
        combination: b.w + weight * edge,
        point_a: b.point_a + weight * (a.point_a - b.point_a),
    })
}

#[inline(always)]
fn face<A, B>(difference: &Difference<'_, A, B>, cache: &WarmSimplex) -> Option<NearestCandidate>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let [a, b] = [difference.vertex(cache.ids[0])?, difference.vertex(cache.ids[1])?];
    let c = difference.vertex(cache.ids[2])?;
    let (ca, cb) = (a.w - c.w, b.w - c.w);
    let normal = ca.cross(cb);
    let area = normal.dot(normal);
    // As in the subalgorithm of signed volumes.
    let lever = c.w.cross(normal);
    let (area_a, area_b) = (cb.dot(lever), -ca.dot(lever));
    if !(area_a > 0.0 && area_b > 0.0 && area_a + area_b < area) {
        return None;
    }
    let inverse = 1.0 / area;
    let (x, y) = (area_a * inverse, area_b * inverse);
    Some(NearestCandidate {
        direction: if normal.dot(c.w) < 0.0 { -normal } else { normal },
        w: c.w,
        combination: c.w + x * ca + y * cb,
        point_a: c.point_a + x * (a.point_a - c.point_a) + y * (b.point_a - c.point_a),
    })
}
