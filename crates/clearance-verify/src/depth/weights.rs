//! How far the points of an intersection of half-spaces are from the origin, at least, by weights.
//!
//! **Weak duality.** Let all points x of a set have `n_i·x >= b_i`, and let weights `λ_i >= 0` have `s = Σ λ_i b_i > 0` and `v = Σ λ_i n_i`. Then
//! `s <= v·x <= |v| |x|`: with `s >= r |v|` no point of the set is nearer to the origin than r. (If v is zero the set is empty.) Planes,
//! weights and r are doubles, so that this is decided exactly; the weights come from a search in plain doubles that may find what it likes.

use crate::number::{Dyadic, Interval, Number, Unclear, dot, meter, vector};
use std::cmp::Ordering;

pub(super) type Vector3 = [f64; 3];

pub(super) fn inner(a: Vector3, b: Vector3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn product(a: Vector3, b: Vector3) -> Vector3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn combination(weights: &[f64], vectors: &[Vector3]) -> Vector3 {
    std::array::from_fn(|i| weights.iter().zip(vectors).map(|(weight, vector)| weight * vector[i]).sum())
}

/// All x with `normal·x >= offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Half {
    pub normal: Vector3,
    pub offset: f64,
}

impl Half {
    /// The other side of the plane.
    pub fn complement(self) -> Self {
        Self { normal: self.normal.map(|x| -x), offset: -self.offset }
    }
}

/// Weights of up to four half-spaces, and what they seem to prove.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    pub bound: f64,
    point: Vector3,
    active: Vec<(usize, f64)>,
}

impl Weights {
    pub const NONE: Self = Self { bound: 0.0, point: [0.0; 3], active: Vec::new() };

    /// The best of what some weights of planes give, to rounding.
    fn consider(&mut self, places: &[usize], weights: &[f64], halves: &[Half]) {
        if weights.iter().any(|weight| !(*weight >= 0.0 && *weight < 1e150)) {
            return;
        }
        let chosen: Vec<Half> = places.iter().map(|&place| halves[place]).collect();
        let normals: Vec<Vector3> = chosen.iter().map(|half| half.normal).collect();
        let sum = combination(weights, &normals);
        let height: f64 = weights.iter().zip(&chosen).map(|(weight, half)| weight * half.offset).sum();
        let square = inner(sum, sum);
        // Normals that cancel to rounding prove that the set is empty, and their bound is NaN.
        let total: f64 = weights.iter().sum();
        // The sum of the weighted normals rounds by less than 1e-15 of the total weight, so the length is an upper bound.
        let length = square.sqrt() + 1e-15 * total;
        let bound = height / length;
        if bound > self.bound && bound.is_finite() {
            let point = sum.map(|x| x * (height / square));
            let point = if point.iter().all(|x| x.is_finite()) { point } else { [0.0; 3] };
            *self = Self { bound, point, active: places.iter().copied().zip(weights.iter().copied()).collect() };
        }
    }
}

/// The best weights of planes that are active and one more.
fn exchanged(known: &Weights, halves: &[Half], violated: usize) -> Weights {
    let mut best = Weights::NONE;
    let active: Vec<usize> = known.active.iter().take(3).map(|active| active.0).collect();
    let v = halves[violated];
    best.consider(&[violated], &[1.0], halves);
    for (k, &p) in active.iter().enumerate() {
        let half = halves[p];
        // λ with both planes through the nearest point: (n_i·n_j) λ = b by Cramer's rule.
        let [pp, pv, vv] = [inner(half.normal, half.normal), inner(half.normal, v.normal), inner(v.normal, v.normal)];
        let weights = [vv * half.offset - pv * v.offset, pp * v.offset - pv * half.offset];
        best.consider(&[p, violated], &weights, halves);
        for &q in &active[..k] {
            // The point on three planes is x = Σ b_i (n_j × n_k) / det, and λ_i = (n_j × n_k)·x / det.
            let three = [halves[q], half, v];
            let across = [1, 2, 0].map(|i: usize| product(three[i].normal, three[(i + 1) % 3].normal));
            let point = combination(&three.map(|half| half.offset), &across);
            best.consider(&[q, p, violated], &across.map(|across| inner(across, point)), halves);
        }
    }
    if let [p, q, r] = active[..] {
        // Four normals are dependent: Σ ± det(the others) n = 0.
        let [n, m, o] = [p, q, r].map(|place| halves[place].normal);
        let (nm, ov) = (product(n, m), product(o, v.normal));
        let weights = [inner(m, ov), -inner(n, ov), inner(v.normal, nm), -inner(o, nm)];
        let places = [p, q, r, violated];
        best.consider(&places, &weights, halves);
        best.consider(&places, &weights.map(|weight| -weight), halves);
    }
    best
}

/// Looks for weights that prove that no point of all half-spaces is nearer than `enough`, from some that are known.
pub(super) fn search(halves: &[Half], known: &Weights, enough: f64) -> Weights {
    /// Limit: exchanges of weights. A node without a proof after this many is refused.
    const ROUNDS: usize = 64;
    let mut best = known.clone();
    for _ in 0..ROUNDS {
        if !meter::charge(8 + halves.len() as u64 / 4) || best.bound > enough {
            break;
        }
        let slack = |half: &Half| inner(half.normal, best.point) - half.offset;
        let worst = (0..halves.len()).min_by(|&i, &j| slack(&halves[i]).total_cmp(&slack(&halves[j])));
        let Some(worst) = worst.filter(|&i| slack(&halves[i]) < 0.0) else { break };
        let next = exchanged(&best, halves, worst);
        if !(next.bound > best.bound) {
            break;
        }
        best = next;
    }
    best
}

/// Is it true of these weights?
pub(super) fn proves(halves: &[Half], weights: &Weights, enough: f64) -> bool {
    let planes: Vec<(Half, f64)> = weights.active.iter().map(|&(place, weight)| (halves[place], weight)).collect();
    are_proof(&planes, enough)
}

/// Do half-spaces with weights prove that nothing in all of them is nearer than `enough`?
pub(super) fn are_proof(planes: &[(Half, f64)], enough: f64) -> bool {
    meter::charge(8);
    let is_usable = planes.iter().all(|(_, weight)| *weight >= 0.0 && weight.is_finite());
    is_usable && decided::<Interval>(planes, enough).or_else(|Unclear| decided::<Dyadic>(planes, enough)) == Ok(true)
}

fn decided<N: Number>(planes: &[(Half, f64)], enough: f64) -> Result<bool, Unclear> {
    let (mut height, mut sum) = (N::zero(), vector::<N>([0.0; 3]));
    for (half, weight) in planes {
        let weight = N::of(*weight);
        height = height.plus(&weight.times(&N::of(half.offset)));
        sum = std::array::from_fn(|i| sum[i].plus(&weight.times(&N::of(half.normal[i]))));
    }
    if height.sign()? != Ordering::Greater {
        return Ok(false);
    }
    Ok(height.squared().compare(&N::of(enough).squared().times(&dot(&sum, &sum)))?.is_ge())
}
