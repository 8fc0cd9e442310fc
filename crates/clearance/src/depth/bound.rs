//! Least-norm point of an intersection of half-spaces, with a certified lower bound of its norm.
//!
//! **Weak duality.** Let all points x of a set have `n_i·x >= b_i`. For any weights `λ_i >= 0`,
//!
//! ```text
//! Σ λ_i b_i <= (Σ λ_i n_i)·x <= |Σ λ_i n_i| |x|,   so   |x| >= Σ λ_i b_i / |Σ λ_i n_i|.
//! ```
//!
//! The inequality holds for all non-negative weights, however they were computed; only the quotient has to be rounded down. The method therefore never
//! decides that a set is empty: an empty set merely has a bound above the cutoff. Rounding errors of the dual ascent that chooses the weights
//! cost width, never truth.
//!
//! **Nearly parallel planes.** A node between two facets whose normals differ by 7e-5 has weights of 1e4 that cancel. In doubles, the bound loses 1e-11
//! and the point leaves its planes by as much, far above the search's tolerance. No plane would seem to improve the bound, and the search would divide
//! the node by the same facets again. A step that doubles cannot take is therefore repeated in double-double arithmetic, which loses 1e-26.
//!
//! Invariants: (W1) every weight in a bound is non-negative; (W2) `LeastNorm::bound` never exceeds the true least norm; (W3) an ascent never lowers
//! the bound.

use crate::math::double_double::{DoubleDouble, DoubleVec3};
use crate::tuning::depth::ASCENT_ROUNDS;
use arrayvec::ArrayVec;
use glam::DVec3;

/// Half-space of all x with `normal·x >= offset`. The normal is a unit vector up to 4 ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Half {
    pub normal: DVec3,
    pub offset: f64,
}

impl Half {
    /// The closed complement.
    pub fn complement(self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

/// Approximate least-norm point of a set, with a certified lower bound of the norm.
#[derive(Debug, Clone)]
pub(super) struct LeastNorm {
    /// Certified: no point of the set has a smaller norm.
    pub bound: f64,
    /// The least-norm point, uncertified.
    pub point: DVec3,
    /// Active set: the half-spaces with positive weights.
    pub active: ArrayVec<u32, 4>,
}

impl LeastNorm {
    /// The least-norm point of all of space: the origin.
    pub const WHOLE_SPACE: Self = Self { bound: 0.0, point: DVec3::ZERO, active: ArrayVec::new_const() };
}

/// The dual bound of given weights, rounded down, and the point `Σ λ_i b_i / |Σ λ_i n_i|² Σ λ_i n_i`, which attains it if it is in the set.
///
/// Rounding in units of ε, for at most four terms: a sum of products is off by at most 2.5 times the sum of their magnitudes. A coordinate of the vector is
/// off by 2.5 times the sum of weights, and the vector by twice that. Its length and the quotient are off by 2 more, relative to themselves.
#[inline(always)]
pub(super) fn dual_bound(weights: &[f64], halves: &[Half]) -> (f64, DVec3) {
    /// Bound: the relative rounding error of two operations.
    const E: f64 = f64::EPSILON;
    let (mut height, mut size, mut sum, mut total) = (0.0, 0.0, DVec3::ZERO, 0.0);
    for (&weight, half) in weights.iter().zip(halves) {
        height += weight * half.offset;
        size += weight * half.offset.abs();
        sum += weight * half.normal;
        total += weight;
    }
    let square = sum.length_squared();
    let length = square.sqrt();
    let bound = (height - 4.0 * E * size) / ((length + 8.0 * E * total) * (1.0 + 8.0 * E));
    // Weights that overflow or vanish give NaN, and prove nothing.
    let bound = if bound > 0.0 && total < f64::MAX { bound } else { 0.0 };
    let point = sum * (height / square);
    (bound, if point.is_finite() { point } else { DVec3::ZERO })
}

/// Weights of two active planes, up to a common factor: the Gram system `(n_i·n_j) λ = b` by Cramer's rule. If the planes have no common point, the weights
/// satisfy `Σ λ n = 0`. The same holds for three and four planes.
fn active_weights_2([p, q]: [Half; 2]) -> [f64; 2] {
    let (pp, pq, qq) = (p.normal.length_squared(), p.normal.dot(q.normal), q.normal.length_squared());
    [qq * p.offset - pq * q.offset, pp * q.offset - pq * p.offset]
}

/// Weights of three active planes: x = N⁻¹ b and λ = N⁻ᵀ x, both multiplied by det N. The common factor det² N is positive.
fn active_weights_3([p, q, r]: [Half; 3]) -> [f64; 3] {
    let across = [q.normal.cross(r.normal), r.normal.cross(p.normal), p.normal.cross(q.normal)];
    let point = across[0] * p.offset + across[1] * q.offset + across[2] * r.offset;
    across.map(|n| n.dot(point))
}

/// Weights of four active planes. Four normals are linearly dependent: Σ ± det(the other three) n = 0.
fn active_weights_4([p, q, r, s]: [Half; 4]) -> [f64; 4] {
    let (pq, rs) = (p.normal.cross(q.normal), r.normal.cross(s.normal));
    let weights = [q.normal.dot(rs), -p.normal.dot(rs), s.normal.dot(pq), -r.normal.dot(pq)];
    let height = weights[0] * p.offset + weights[1] * q.offset + weights[2] * r.offset + weights[3] * s.offset;
    if height < 0.0 { weights.map(|weight| -weight) } else { weights }
}

/// The bound and the point of an active set, if no weight is negative.
#[inline(always)]
fn active_bound(planes: &[Half]) -> Option<(f64, DVec3)> {
    let of = |weights: &[f64]| weights.iter().all(|weight| *weight >= 0.0).then(|| dual_bound(weights, planes));
    match *planes {
        [_] => of(&[1.0]),
        [p, q] => of(&active_weights_2([p, q])),
        [p, q, r] => of(&active_weights_3([p, q, r])),
        [p, q, r, s] => of(&active_weights_4([p, q, r, s])),
        _ => None,
    }
}

/// [`active_bound`] in double-double arithmetic: the same equations.
fn precise_active_bound(planes: &[Half]) -> Option<(f64, DVec3)> {
    /// Bound: the relative rounding error of two operations.
    const E: f64 = f64::EPSILON;
    /// Bound: in double-double arithmetic a sum of four products is off by less than 2^-96 times the sum of their magnitudes.
    const TINY: f64 = E * E * 256.0;
    let normals: ArrayVec<DoubleVec3, 4> = planes.iter().map(|plane| plane.normal.into()).collect();
    let offsets: ArrayVec<DoubleDouble, 4> = planes.iter().map(|plane| plane.offset.into()).collect();
    let weights: ArrayVec<DoubleDouble, 4> = match (&normals[..], &offsets[..]) {
        ([_], _) => [DoubleDouble::from(1.0)].into_iter().collect(),
        (&[p, q], &[b, c]) => {
            let (pp, pq, qq) = (p.dot(p), p.dot(q), q.dot(q));
            [qq * b - pq * c, pp * c - pq * b].into_iter().collect()
        }
        (&[p, q, r], &[b, c, d]) => {
            let across = [q.cross(r), r.cross(p), p.cross(q)];
            let point = across[0] * b + across[1] * c + across[2] * d;
            across.into_iter().map(|n| n.dot(point)).collect()
        }
        (&[p, q, r, s], &[b, c, d, e]) => {
            let (pq, rs) = (p.cross(q), r.cross(s));
            let weights = [q.dot(rs), -p.dot(rs), s.dot(pq), -r.dot(pq)];
            let height = weights[0] * b + weights[1] * c + weights[2] * d + weights[3] * e;
            let is_negative = height.value() < 0.0;
            weights.into_iter().map(|weight| if is_negative { -weight } else { weight }).collect()
        }
        _ => return None,
    };
    if !weights.iter().all(|weight| weight.value() >= 0.0) {
        return None;
    }
    let (mut height, mut size, mut total) = (DoubleDouble::ZERO, 0.0, 0.0);
    let mut sum = DoubleVec3::ZERO;
    for ((&weight, &normal), &offset) in weights.iter().zip(&normals).zip(&offsets) {
        height = height + weight * offset;
        size += weight.value() * offset.value().abs();
        sum = sum + normal * weight;
        total += weight.value();
    }
    let square = sum.dot(sum);
    let length = sum.value().length();
    let bound = (height.value() - TINY * size) / ((length + TINY * total) * (1.0 + 8.0 * E)) * (1.0 - 2.0 * E);
    let bound = if bound > 0.0 && total < f64::MAX { bound } else { 0.0 };
    let point = (sum * (height / square)).value();
    Some((bound, if point.is_finite() { point } else { DVec3::ZERO }))
}

/// Exchange step of the dual ascent: the best bound of an active set and one more half-space, which its point violates.
///
/// The optimal weights of four half-spaces are those of some active subset, and of all four only if the intersection is empty. Every bound is valid, so the
/// largest bound over all subsets is optimal. A subset of an active set with non-negative weights has no better bound and is skipped.
pub(super) fn exchange(known: &LeastNorm, halves: &[Half], violated: u32) -> LeastNorm {
    exchange_by(&active_bound, known, halves, violated)
}

#[inline(always)]
fn exchange_by<B: Fn(&[Half]) -> Option<(f64, DVec3)>>(
    balance: &B,
    known: &LeastNorm,
    halves: &[Half],
    violated: u32,
) -> LeastNorm {
    let mut best = LeastNorm::WHOLE_SPACE;
    let v = halves[violated as usize];
    // A point may violate one of its own active planes by rounding.
    let ids: ArrayVec<u32, 3> = known.active.iter().copied().filter(|&id| id != violated).take(3).collect();
    let at = |k: usize| halves[ids[k] as usize];
    let mut take = |chosen: &[usize], planes: &[Half]| {
        let Some((bound, point)) = balance(planes) else { return false };
        if bound > best.bound {
            best = LeastNorm { bound, point, active: chosen.iter().map(|&k| ids[k]).chain([violated]).collect() };
        }
        true
    };
    if ids.len() == 3 {
        take(&[0, 1, 2], &[at(0), at(1), at(2), v]);
    }
    // Planes that are in an active triple with non-negative weights.
    let mut is_done = [false; 3];
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if j < ids.len() && take(&[i, j], &[at(i), at(j), v]) {
            (is_done[i], is_done[j]) = (true, true);
        }
    }
    let mut is_any = is_done.contains(&true);
    for k in (0..ids.len()).filter(|&k| !is_done[k]) {
        is_any |= take(&[k], &[at(k), v]);
    }
    if !is_any {
        take(&[], &[v]);
    }
    best
}

/// The least-norm point of an intersection of half-spaces, from a warm start for some of them. Early exit once the bound reaches `cutoff`.
///
/// If doubles stall at a point that violates a half-space, double-double arithmetic continues from its active set. It starts over if that set, chosen by
/// rounding, has a negative weight.
pub(super) fn nearest(halves: &[Half], known: &LeastNorm, cutoff: f64, tolerance: f64) -> LeastNorm {
    /// Bound: the relative rounding error of two operations.
    const E: f64 = f64::EPSILON;
    let (found, is_done) = dual_ascent((active_bound, 1.0 + E), halves, known.clone(), cutoff, tolerance);
    if is_done {
        return found;
    }
    let planes: ArrayVec<Half, 4> = found.active.iter().map(|&id| halves[id as usize]).collect();
    let start = match precise_active_bound(&planes) {
        Some((bound, point)) => LeastNorm { bound, point, active: found.active },
        None => LeastNorm::WHOLE_SPACE,
    };
    // A plane that moves the point sideways leaves the bound unchanged up to its rounding.
    let (precise, _) = dual_ascent((precise_active_bound, 1.0 - 32.0 * E), halves, start, cutoff, tolerance);
    debug_assert!(found.bound >= known.bound, "(W3)");
    LeastNorm { bound: precise.bound.max(found.bound), ..precise }
}

/// Dual ascent: exchanges the most violated half-space into the active set, round by round. Returns whether the ascent converged or reached the cutoff.
///
/// With a `growth` above one no active set occurs twice, so the ascent is finite. Else the number of rounds ends it.
#[inline(always)]
fn dual_ascent<B: Fn(&[Half]) -> Option<(f64, DVec3)>>(
    (balance, growth): (B, f64),
    halves: &[Half],
    from: LeastNorm,
    cutoff: f64,
    tolerance: f64,
) -> (LeastNorm, bool) {
    let mut best = from;
    for _ in 0..ASCENT_ROUNDS {
        if best.bound >= cutoff {
            return (best, true);
        }
        let mut worst = (-tolerance, u32::MAX);
        for (i, half) in halves.iter().enumerate() {
            let height = half.normal.dot(best.point) - half.offset;
            if height < worst.0 {
                worst = (height, i as u32);
            }
        }
        if worst.1 == u32::MAX {
            return (best, true);
        }
        let next = exchange_by(&balance, &best, halves, worst.1);
        if !(next.bound >= best.bound * growth && next.bound > 0.0) {
            break;
        }
        best = LeastNorm { bound: next.bound.max(best.bound), ..next };
    }
    (best, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direction(rng: &mut fastrand::Rng) -> DVec3 {
        loop {
            let v = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// The bound is that of the best of all subsets of up to three planes. Each is solved in another way: by moving to the feasible point
    /// of least length among all meeting points of planes, lines and feet.
    #[test]
    fn the_nearest_point_is_the_best_of_all_that_are_feasible() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut empty = 0;
        for _ in 0..3000 {
            let count = rng.usize(1..9);
            let halves: Vec<Half> =
                (0..count).map(|_| Half { normal: direction(&mut rng), offset: rng.f64() * 1.5 - 0.5 }).collect();
            let mut truth = f64::INFINITY;
            let mut look = |x: DVec3| {
                if x.is_finite() && halves.iter().all(|half| half.normal.dot(x) >= half.offset - 1e-9) {
                    truth = truth.min(x.length());
                }
            };
            look(DVec3::ZERO);
            for (i, p) in halves.iter().enumerate() {
                look(p.normal * p.offset);
                for (j, q) in halves[..i].iter().enumerate() {
                    let along = p.normal.cross(q.normal);
                    let foot =
                        (p.offset * q.normal.cross(along) + q.offset * along.cross(p.normal)) / along.length_squared();
                    look(foot);
                    for r in &halves[..j] {
                        let det = along.dot(r.normal);
                        let x = p.offset * q.normal.cross(r.normal)
                            + q.offset * r.normal.cross(p.normal)
                            + r.offset * p.normal.cross(q.normal);
                        look(x / det);
                    }
                }
            }
            let found = nearest(&halves, &LeastNorm::WHOLE_SPACE, 1e3, 1e-12);
            if truth < 50.0 {
                assert!(found.bound <= truth + 1e-8, "{} {truth}", found.bound);
                assert!(found.bound >= truth - 1e-7 * (1.0 + truth), "{} {truth}", found.bound);
            } else {
                empty += usize::from(truth == f64::INFINITY);
                assert!(found.bound > 20.0, "{} {truth}", found.bound);
            }
        }
        assert!((100..2500).contains(&empty), "representative: {empty}");
    }

    /// Nearly parallel planes that face each other leave a point far off: an emptiness that is only apparent proves no more than is
    /// true.
    #[test]
    fn nearly_parallel_planes_prove_no_more_than_is_true() {
        for exponent in 1..60 {
            let tilt = 0.5_f64.powi(exponent);
            // x >= 1 and -x + tilt y >= 1: the nearest point is at (1, 2 / tilt).
            let other = DVec3::new(-1.0, tilt, 0.0);
            let halves = [
                Half { normal: DVec3::X, offset: 1.0 },
                Half { normal: other / other.length(), offset: 1.0 / other.length() },
            ];
            let found = nearest(&halves, &LeastNorm::WHOLE_SPACE, f64::INFINITY, 0.0);
            assert!(found.bound <= (1.0 + 4.0 / (tilt * tilt)).sqrt(), "{tilt} {}", found.bound);
        }
    }

    /// Between facets of nearly one direction the nearest point is on its planes all the same, and its bound is nearly its length. So a
    /// node that is divided by facets that its point violates would come back as it was.
    #[test]
    fn the_nearest_point_between_nearly_parallel_planes_violates_none() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut between = 0;
        for round in 0..4000 {
            let tilt = 0.1_f64.powi(2 + round % 6);
            // A point on the first two planes; the others pass close to it, most of them nearly parallel to those, some from the other side.
            let at = direction(&mut rng) * (0.2 + 0.5 * rng.f64());
            let mut halves: Vec<Half> = Vec::new();
            for i in 0..rng.usize(3..8) {
                let duplicate = (i > 0 && rng.u8(..3) > 0).then(|| halves[rng.usize(..i)].normal);
                let normal = match duplicate {
                    Some(duplicate) => {
                        (duplicate * if rng.bool() { 1.0 } else { -1.0 } + direction(&mut rng) * tilt).normalize()
                    }
                    None => direction(&mut rng),
                };
                let normal = if duplicate.is_none() && normal.dot(at) < 0.0 { -normal } else { normal };
                // No rounding takes the point out.
                let off = 1e-15 + if i < 2 { 0.0 } else { 1e-10 * rng.f64() };
                halves.push(Half { normal, offset: normal.dot(at) - off });
            }
            let found = nearest(&halves, &LeastNorm::WHOLE_SPACE, 10.0, 2e-14);
            assert!(found.bound <= at.length(), "{round}: {found:?}");
            let worst = halves.iter().map(|half| half.normal.dot(found.point) - half.offset).fold(0.0, f64::min);
            assert!(worst >= -2e-14, "{round}: {worst:e} {found:?}");
            between += usize::from(found.active.len() == 3);
        }
        assert!(between > 500, "representative: {between}");
    }
}
