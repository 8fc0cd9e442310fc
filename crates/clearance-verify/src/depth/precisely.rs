//! The search of `weights.rs` with exact numbers, for planes that are nearly parallel.
//!
//! Weights of such planes nearly cancel in `Σ λ_i n_i`, and what rounding leaves of it is no longer theirs. Cramer's rule needs no division, so that
//! weights that are balanced are exact numbers, and the proof rests on them as they are. Only the point that tells which half-space to
//! take up next is rounded.

use super::weights::{Half, Vector3, inner};
use crate::number::{Dyadic, Number, Vector, add, cross, dot, meter, scale, vector};
use std::cmp::Ordering;

/// Half-spaces with weights that may prove a bound, and the nearest point if they are all there is.
#[derive(Debug, Clone)]
struct Balance {
    places: Vec<usize>,
    height: Dyadic,
    sum: Vector<Dyadic>,
    bound: f64,
    point: Vector3,
}

impl Balance {
    /// `s >= r |v|`, exactly.
    fn proves(&self, enough: f64) -> bool {
        let is_longer = || {
            let square = Dyadic::of(enough).squared().times(&dot(&self.sum, &self.sum));
            self.height.squared().compare(&square).is_ok_and(Ordering::is_ge)
        };
        self.height.sign() == Ok(Ordering::Greater) && is_longer()
    }
}

/// The weights with which all planes go through the point nearest to the origin, but for a common factor; those with `Σ λ n = 0` if there is no
/// such point. `None` if one is negative.
fn balanced(places: &[usize], halves: &[Half]) -> Option<Balance> {
    let normals: Vec<Vector<Dyadic>> = places.iter().map(|&place| vector(halves[place].normal)).collect();
    let offsets: Vec<Dyadic> = places.iter().map(|&place| Dyadic::of(halves[place].offset)).collect();
    let height_of = |weights: &[Dyadic]| {
        weights.iter().zip(&offsets).fold(Dyadic::zero(), |sum, (weight, offset)| sum.plus(&weight.times(offset)))
    };
    let weights = match &normals[..] {
        [_] => vec![Dyadic::of(1.0)],
        // (n_i·n_j) λ = b.
        [p, q] => {
            let [pp, pq, qq] = [dot(p, p), dot(p, q), dot(q, q)];
            let [b, c] = [&offsets[0], &offsets[1]];
            vec![qq.times(b).minus(&pq.times(c)), pp.times(c).minus(&pq.times(b))]
        }
        // The point is x = Σ b_i (n_j × n_k) / det, and λ_i = (n_j × n_k)·x / det.
        [p, q, r] => {
            let across = [cross(q, r), cross(r, p), cross(p, q)];
            let parts = across.iter().zip(&offsets).map(|(across, offset)| scale(across, offset));
            let point = parts.fold(vector([0.0; 3]), |sum, part| add(&sum, &part));
            across.iter().map(|across| dot(across, &point)).collect()
        }
        // Σ ± det(the others) n = 0.
        [p, q, r, s] => {
            let (pq, rs) = (cross(p, q), cross(r, s));
            let weights = vec![dot(q, &rs), dot(p, &rs).negated(), dot(s, &pq), dot(r, &pq).negated()];
            let is_negative = height_of(&weights).sign() == Ok(Ordering::Less);
            if is_negative { weights.iter().map(Dyadic::negated).collect() } else { weights }
        }
        _ => return None,
    };
    if weights.iter().any(|weight| weight.sign() == Ok(Ordering::Less)) || meter::is_exhausted() {
        return None;
    }
    let height = height_of(&weights);
    let parts = normals.iter().zip(&weights).map(|(normal, weight)| scale(normal, weight));
    let sum = parts.fold(vector([0.0; 3]), |sum, part| add(&sum, &part));
    // Scaled so that squares of the rounded numbers stay finite.
    let power = -height.height();
    let (top, v) = (height.rounded(power), sum.each_ref().map(|x| x.rounded(power)));
    let square = inner(v, v);
    let bound = if square > 0.0 { top / square.sqrt() } else { f64::MAX };
    let point = v.map(|x| x * (top / square));
    let is_point = point.iter().all(|x| x.is_finite());
    // Written so that a NaN is no bound.
    (top > 0.0 && bound > 0.0).then(|| Balance {
        places: places.to_vec(),
        height,
        sum,
        bound,
        point: if is_point { point } else { [0.0; 3] },
    })
}

/// Are there weights that prove that no point of all half-spaces is nearer than `enough`?
pub(super) fn is_far(halves: &[Half], enough: f64) -> bool {
    ascended(halves, enough).is_some_and(|best| best.proves(enough))
}

/// Takes up the half-space that is violated most, with the best of those that are active, until nothing is violated or enough seems to be proved.
fn ascended(halves: &[Half], enough: f64) -> Option<Balance> {
    /// Limit: exchanges of half-spaces. A node without a proof after this many is refused.
    const ROUNDS: usize = 64;
    let mut best: Option<Balance> = None;
    for _ in 0..ROUNDS {
        let (bound, point, active) =
            best.as_ref().map_or((0.0, [0.0; 3], &[][..]), |best| (best.bound, best.point, &best.places[..]));
        if bound >= enough || !meter::charge(8 + halves.len() as u64 / 4) {
            break;
        }
        let slack = |&place: &usize| inner(halves[place].normal, point) - halves[place].offset;
        let others = (0..halves.len()).filter(|place| !active.contains(place));
        let violated = others.min_by(|i, j| slack(i).total_cmp(&slack(j))).filter(|place| slack(place) < 0.0);
        let Some(violated) = violated else { break };
        // Of four that are balanced nothing is left; their point is none.
        let active = &active[..active.len().min(3)];
        let subset = |chosen: u32| (0..active.len()).filter(move |k| chosen >> k & 1 == 1).map(|k| active[k]);
        let candidates = (0..1 << active.len()).filter_map(|chosen| {
            let places: Vec<usize> = subset(chosen).chain([violated]).collect();
            balanced(&places, halves)
        });
        let next = candidates.max_by(|p, q| p.bound.total_cmp(&q.bound));
        // A plane that moves the point across and not away leaves the bound what it is but for rounding.
        let Some(next) = next.filter(|next| next.bound >= bound * (1.0 - 1e-14)) else { break };
        best = Some(next);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::weights::{Weights, proves, search};
    use super::*;

    fn unit(v: Vector3) -> Vector3 {
        let length = inner(v, v).sqrt();
        v.map(|x| x / length)
    }

    /// Sets of planes nearly parallel, all close to a point: nothing that is farther than the point is proved of them, and more than
    /// weights in doubles can prove.
    #[test]
    fn planes_that_are_nearly_parallel_prove_what_is_true_and_no_more() {
        let mut state = 7_u64;
        let mut drawn = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let (mut lost, mut reached) = (0, 0);
        for round in 0..600 {
            let tilt = 0.1_f64.powi(round % 12);
            let at = [drawn(), drawn(), drawn()];
            let length = inner(at, at).sqrt();
            let first = unit([drawn(), drawn(), 1.5]);
            let halves: Vec<Half> = (0..6)
                .map(|k| {
                    let side = if k % 2 == 0 { 1.0 } else { -1.0 };
                    let normal = first.map(|x| side * x + tilt * drawn());
                    // Rounding does not take the point out.
                    Half { normal, offset: inner(normal, at) - 1e-15 }
                })
                .collect();
            assert!(!is_far(&halves, length * (1.0 + 1e-12)), "{round}");
            let bound = ascended(&halves, f64::INFINITY).map_or(0.0, |best| best.bound);
            let enough = bound * (1.0 - 1e-12);
            assert!(enough == 0.0 || is_far(&halves, enough), "{round}");
            lost += usize::from(!proves(&halves, &search(&halves, &Weights::NONE, enough), enough));
            reached += usize::from(bound > 0.9 * length);
        }
        assert!(lost > 20 && reached > 50, "representative: {lost}, {reached}");
    }
}
