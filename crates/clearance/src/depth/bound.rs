//! How far the points of an intersection of half-spaces are from the origin, at least.
//!
//! **Weak duality.** Let all points x of a set have `n_i·x >= b_i`. For any weights `λ_i >= 0`,
//!
//! ```text
//! Σ λ_i b_i <= (Σ λ_i n_i)·x <= |Σ λ_i n_i| |x|,   so   |x| >= Σ λ_i b_i / |Σ λ_i n_i|.
//! ```
//!
//! Whatever the weights are and however they were found, this holds; only the quotient has to be rounded down. That a set is empty is
//! never said: it is a bound that is larger than anything of interest. A program that finds the best weights may therefore be wrong in
//! any way that rounding likes, and costs no more than a weaker bound.
//!
//! **Nearly parallel planes.** A node between two facets of nearly one direction (of two bars, 7e-5 apart) has weights of 1e4 that cancel: what
//! rounding takes off the bound, and how far its point is off the planes that it is meant to be on, is then 1e-11, far more than a
//! point may be off. It would seem that no plane helps, and a node would be divided by the same facets again and again. A step that plain numbers do
//! not take is therefore taken with numbers of twice the precision, which leave 1e-26 of such weights.

use crate::math::double_double::{DoubleDouble, DoubleVec3};
use arrayvec::ArrayVec;
use glam::DVec3;

/// All x with `normal·x >= offset`. The normal is a unit but for 4 ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Half {
    pub normal: DVec3,
    pub offset: f64,
}

impl Half {
    /// What is not strictly inside.
    pub fn complement(self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

/// A point that is nearest to the origin, as far as is known, and the weights that prove how near one can be.
#[derive(Debug, Clone)]
pub(super) struct LeastNorm {
    /// No point of the set is nearer: proved.
    pub bound: f64,
    /// About the nearest point.
    pub point: DVec3,
    /// Which half-spaces have weights.
    pub active: ArrayVec<u32, 4>,
}

impl LeastNorm {
    /// What is known without any half-space.
    pub const NOTHING: Self = Self { bound: 0.0, point: DVec3::ZERO, active: ArrayVec::new_const() };
}

/// The bound of some weights, and `Σ λ_i b_i / |Σ λ_i n_i|² Σ λ_i n_i`, the point that has it if it is in the set.
///
/// In units of ε, for four terms: sums of products are off by 2.5 of the sum of sizes, a coordinate of the vector by 2.5 of the
/// sum of weights, and the vector by twice that; its length and the quotient by 2 more of themselves.
#[inline(always)]
pub(super) fn weighed(weights: &[f64], halves: &[Half]) -> (f64, DVec3) {
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
    // Nothing is known of weights that overflow or vanish: their quotient is no number.
    let bound = if bound > 0.0 && total < f64::MAX { bound } else { 0.0 };
    let point = sum * (height / square);
    (bound, if point.is_finite() { point } else { DVec3::ZERO })
}

/// The weights with which two planes both go through the point nearest to the origin, up to a common factor: `(n_i·n_j) λ = b` by Cramer's rule.
/// Where no point is on both they are those with `Σ λ n = 0`; so it is for three and four.
fn balanced_2([p, q]: [Half; 2]) -> [f64; 2] {
    let (pp, pq, qq) = (p.normal.length_squared(), p.normal.dot(q.normal), q.normal.length_squared());
    [qq * p.offset - pq * q.offset, pp * q.offset - pq * p.offset]
}

/// Three planes: x = N⁻¹ b and λ = N⁻ᵀ x, both but for the determinant of N, whose square is positive.
fn balanced_3([p, q, r]: [Half; 3]) -> [f64; 3] {
    let across = [q.normal.cross(r.normal), r.normal.cross(p.normal), p.normal.cross(q.normal)];
    let point = across[0] * p.offset + across[1] * q.offset + across[2] * r.offset;
    across.map(|n| n.dot(point))
}

/// Four planes: their normals are dependent, Σ ± det(the others) n = 0.
fn balanced_4([p, q, r, s]: [Half; 4]) -> [f64; 4] {
    let (pq, rs) = (p.normal.cross(q.normal), r.normal.cross(s.normal));
    let weights = [q.normal.dot(rs), -p.normal.dot(rs), s.normal.dot(pq), -r.normal.dot(pq)];
    let height = weights[0] * p.offset + weights[1] * q.offset + weights[2] * r.offset + weights[3] * s.offset;
    if height < 0.0 { weights.map(|weight| -weight) } else { weights }
}

/// The bound and the point of planes that are balanced, if no weight is negative.
#[inline(always)]
fn balanced(planes: &[Half]) -> Option<(f64, DVec3)> {
    let of = |weights: &[f64]| weights.iter().all(|weight| *weight >= 0.0).then(|| weighed(weights, planes));
    match *planes {
        [_] => of(&[1.0]),
        [p, q] => of(&balanced_2([p, q])),
        [p, q, r] => of(&balanced_3([p, q, r])),
        [p, q, r, s] => of(&balanced_4([p, q, r, s])),
        _ => None,
    }
}

/// [`balanced`], with twice the precision: the same equations.
///
/// Sums of four products are off by less than 2^-96 of the sum of sizes.
fn balanced_twice(planes: &[Half]) -> Option<(f64, DVec3)> {
    const E: f64 = f64::EPSILON;
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

/// The best bound of a set of half-spaces that is known and one more, which its point violates.
///
/// The best weights of four half-spaces are balanced on some of them (on four only if the set is empty), and every bound is
/// valid: so the largest of all subsets is the one. Those of a subset are no better than its own if that is balanced.
pub(super) fn exchanged(known: &LeastNorm, halves: &[Half], violated: u32) -> LeastNorm {
    exchanged_by(&balanced, known, halves, violated)
}

#[inline(always)]
fn exchanged_by<B: Fn(&[Half]) -> Option<(f64, DVec3)>>(
    balance: &B,
    known: &LeastNorm,
    halves: &[Half],
    violated: u32,
) -> LeastNorm {
    let mut best = LeastNorm::NOTHING;
    let v = halves[violated as usize];
    // A point that rounding has put off the planes that it is on may violate one of those.
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
    // Which pairs, and which single ones, are in a set that is balanced.
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

/// The nearest point of an intersection of half-spaces, from what is known about some of them. It ends as soon as `enough` is proved.
///
/// Where plain numbers get no farther than a point that violates something, numbers of twice the precision go on from the planes that it is
/// meant to be on; from the beginning, if those are not balanced and were chosen by rounding.
pub(super) fn nearest(halves: &[Half], known: &LeastNorm, enough: f64, tolerance: f64) -> LeastNorm {
    const E: f64 = f64::EPSILON;
    let (found, is_done) = ascended((balanced, 1.0 + E), halves, known.clone(), enough, tolerance);
    if is_done {
        return found;
    }
    let planes: ArrayVec<Half, 4> = found.active.iter().map(|&id| halves[id as usize]).collect();
    let start = match balanced_twice(&planes) {
        Some((bound, point)) => LeastNorm { bound, point, active: found.active },
        None => LeastNorm::NOTHING,
    };
    // A plane that moves the point across and not away leaves the bound what it is but for its own rounding.
    let (precise, _) = ascended((balanced_twice, 1.0 - 32.0 * E), halves, start, enough, tolerance);
    LeastNorm { bound: precise.bound.max(found.bound), ..precise }
}

/// Takes up the half-space that is violated most, again and again; says whether that came to an end.
///
/// If the bound has to grow from round to round, no set of planes comes twice; else the number of rounds ends it.
#[inline(always)]
fn ascended<B: Fn(&[Half]) -> Option<(f64, DVec3)>>(
    (balance, growth): (B, f64),
    halves: &[Half],
    from: LeastNorm,
    enough: f64,
    tolerance: f64,
) -> (LeastNorm, bool) {
    const ROUNDS: usize = 64;
    let mut best = from;
    for _ in 0..ROUNDS {
        if best.bound >= enough {
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
        let next = exchanged_by(&balance, &best, halves, worst.1);
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

    /// The bound is that of the best of all subsets of up to three planes, each solved in another way: by moving to the feasible
    /// point of least length among all meeting points of planes, lines and feet.
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
            let found = nearest(&halves, &LeastNorm::NOTHING, 1e3, 1e-12);
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
            let found = nearest(&halves, &LeastNorm::NOTHING, f64::INFINITY, 0.0);
            assert!(found.bound <= (1.0 + 4.0 / (tilt * tilt)).sqrt(), "{tilt} {}", found.bound);
        }
    }

    /// Between facets of nearly one direction the nearest point is on its planes all the same, and what it proves is nearly its length:
    /// a node that is divided by facets that its point violates would come back as it was.
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
                let twin = (i > 0 && rng.u8(..3) > 0).then(|| halves[rng.usize(..i)].normal);
                let normal = match twin {
                    Some(twin) => (twin * if rng.bool() { 1.0 } else { -1.0 } + direction(&mut rng) * tilt).normalize(),
                    None => direction(&mut rng),
                };
                let normal = if twin.is_none() && normal.dot(at) < 0.0 { -normal } else { normal };
                // No rounding takes the point out.
                let off = 1e-15 + if i < 2 { 0.0 } else { 1e-10 * rng.f64() };
                halves.push(Half { normal, offset: normal.dot(at) - off });
            }
            let found = nearest(&halves, &LeastNorm::NOTHING, 10.0, 2e-14);
            assert!(found.bound <= at.length(), "{round}: {found:?}");
            let worst = halves.iter().map(|half| half.normal.dot(found.point) - half.offset).fold(0.0, f64::min);
            assert!(worst >= -2e-14, "{round}: {worst:e} {found:?}");
            between += usize::from(found.active.len() == 3);
        }
        assert!(between > 500, "representative: {between}");
    }
}
