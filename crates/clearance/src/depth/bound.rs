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
    /// Which half-spaces have weights, and those.
    pub active: ArrayVec<(u32, f64), 4>,
}

impl LeastNorm {
    /// What is known without any half-space.
    pub const NOTHING: Self = Self { bound: 0.0, point: DVec3::ZERO, active: ArrayVec::new_const() };
}

/// The bound of some weights, and `Σ λ_i b_i / |Σ λ_i n_i|² Σ λ_i n_i`, the point that has it if it is in the set.
///
/// In units of ε, for four terms: sums of products are off by 2.5 of the sum of sizes, a coordinate of the vector by 2.5 of the
/// sum of weights, and the vector by twice that; its length and the quotient by 2 more of themselves.
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

/// The best bound of a set of half-spaces that is known and one more, which its point violates.
///
/// The best weights of four half-spaces are balanced on some of them (on four only if the set is empty), and every bound is
/// valid: so the largest of all subsets is the one. Those of a subset are no better than its own if that is balanced.
pub(super) fn exchanged(known: &LeastNorm, halves: &[Half], violated: u32) -> LeastNorm {
    let mut best = LeastNorm::NOTHING;
    let v = halves[violated as usize];
    let ids: ArrayVec<u32, 3> = known.active.iter().take(3).map(|active| active.0).collect();
    let at = |k: usize| halves[ids[k] as usize];
    let mut take = |chosen: &[usize], weights: &[f64], planes: &[Half]| {
        if weights.iter().any(|weight| !(*weight >= 0.0)) {
            return false;
        }
        let (bound, point) = weighed(weights, planes);
        if bound > best.bound {
            let chosen = chosen.iter().map(|&k| ids[k]).chain([violated]);
            best = LeastNorm { bound, point, active: chosen.zip(weights.iter().copied()).collect() };
        }
        true
    };
    if ids.len() == 3 {
        let all = [at(0), at(1), at(2), v];
        take(&[0, 1, 2], &balanced_4(all), &all);
    }
    // Which pairs, and which single ones, are in a set that is balanced.
    let mut is_done = [false; 3];
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if j < ids.len() {
            let three = [at(i), at(j), v];
            if take(&[i, j], &balanced_3(three), &three) {
                (is_done[i], is_done[j]) = (true, true);
            }
        }
    }
    let mut is_any = is_done.contains(&true);
    for k in (0..ids.len()).filter(|&k| !is_done[k]) {
        let two = [at(k), v];
        is_any |= take(&[k], &balanced_2(two), &two);
    }
    if !is_any {
        take(&[], &[1.0], &[v]);
    }
    best
}

/// The nearest point of an intersection of half-spaces, from what is known about some of them. It ends as soon as `enough` is proved.
///
/// Each round takes up the half-space that is violated most; the bound grows from round to round, so that no set of planes comes twice.
pub(super) fn nearest(halves: &[Half], known: &LeastNorm, enough: f64, tolerance: f64) -> LeastNorm {
    const ROUNDS: usize = 64;
    let mut best = known.clone();
    for _ in 0..ROUNDS {
        if best.bound >= enough {
            break;
        }
        let mut worst = (-tolerance, u32::MAX);
        for (i, half) in halves.iter().enumerate() {
            let height = half.normal.dot(best.point) - half.offset;
            if height < worst.0 {
                worst = (height, i as u32);
            }
        }
        if worst.1 == u32::MAX {
            break;
        }
        let next = exchanged(&best, halves, worst.1);
        if !(next.bound > best.bound) {
            break;
        }
        best = next;
    }
    best
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
}
