//! The nearest point of a simplex by trying all of its parts, in twice the precision: slow, and right on every sliver.
//!
//! Every part (vertex, edge, face, the inside) has one point nearest to the origin in its affine hull; it counts if its
//! weights are all positive, and the nearest that counts is the answer. Where lengths are equal to rounding the larger
//! part wins: with positive weights it is the nearer in truth, and its direction is the one that does not tilt. Besides
//! finishing what the fast methods cannot, this is what they are tested against.

use super::{Members, Nearest, Simplex};
use crate::math::double_double::{DoubleDouble, DoubleVec3};
use glam::DVec3;

/// Error of a point of a simplex of size one. Bound: numbers of twice the digits have 2^-104 = 5e-32; some ten operations.
const NOISE: f64 = 1e-30;

/// Thinner triangles (squared double area, at size one) are replaced by their edges. Bound: the height of such a triangle is below 1e-22, so
/// that its edges are as near as doubles can distinguish.
const THINNEST: f64 = 1e-44;

/// The nearest point of a part of the simplex.
#[derive(Clone, Copy)]
struct Offer {
    length_squared: DoubleDouble,
    v: DoubleVec3,
    weights: [f64; 4],
    part: u8,
}

/// The nearest point of up to four points, the weights that make it, and which of them are positive.
pub struct NearestPoint {
    pub v: DVec3,
    pub weights: [f64; 4],
    /// Bit i: point i is needed. All four: the origin is inside.
    pub part: u8,
}

/// The point of the hull of one to four points that is nearest to the origin.
pub fn nearest(points: &[DVec3]) -> NearestPoint {
    debug_assert!((1..=4).contains(&points.len()), "a simplex has one to four vertices");
    let unit = power_of_two_near(points.iter().fold(0.0, |most: f64, w| most.max(w.abs().max_element())));
    let mut w = [DoubleVec3::ZERO; 4];
    for (w, &point) in w.iter_mut().zip(points) {
        *w = (point / unit).into();
    }
    let w = &w[..points.len().min(4)];
    let mut best = vertex(w, 0);
    let mut offer = |other: Option<Offer>| {
        if let Some(other) = other
            && (other.length_squared - best.length_squared).value() <= NOISE * best.length_squared.value().sqrt()
        {
            best = other;
        }
    };
    // Larger parts come last, and need not be shorter.
    for i in 1..w.len() {
        offer(Some(vertex(w, i)));
    }
    for i in 0..w.len() {
        for j in i + 1..w.len() {
            offer(edge(w, i, j));
        }
    }
    for [i, j, k] in [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]] {
        if k < w.len() {
            offer(face(w, [i, j, k]));
        }
    }
    if let [a, b, c, d] = *w {
        offer(inside([a, b, c, d]));
    }
    NearestPoint { v: best.v.value() * unit, weights: best.weights, part: best.part }
}

/// Reduces a simplex, whatever it was reduced with before.
pub fn reduce(simplex: &mut Simplex) -> Nearest {
    let count = simplex.count();
    let points: [DVec3; 4] = std::array::from_fn(|i| simplex.w(i));
    if count == 0 || !points[..count].iter().all(|w| w.is_finite()) {
        return Nearest::Nothing;
    }
    let found = nearest(&points[..count]);
    let mut members = Members { weights: [0.0; 4], order: [0; 4], count: 0 };
    for i in (0..count).filter(|i| found.part >> i & 1 == 1) {
        members.order[usize::from(members.count)] = simplex.members.order[i];
        members.weights[usize::from(members.count)] = found.weights[i];
        members.count += 1;
    }
    simplex.members = members;
    if members.count == 4 {
        return Nearest::Inside;
    }
    Nearest::Outside { v: found.v, length_squared: found.v.dot(found.v) }
}

/// A power of two within a factor of two of a size, or one: dividing by it rounds nothing and keeps products in range.
fn power_of_two_near(size: f64) -> f64 {
    let exponent = size.to_bits() >> 52 & 0x7ff;
    if (1..0x7ff).contains(&exponent) { f64::from_bits(exponent << 52) } else { 1.0 }
}

fn vertex(w: &[DoubleVec3], i: usize) -> Offer {
    let mut weights = [0.0; 4];
    weights[i] = 1.0;
    Offer { length_squared: w[i].dot(w[i]), v: w[i], weights, part: 1 << i }
}

fn edge(w: &[DoubleVec3], i: usize, j: usize) -> Option<Offer> {
    let along = w[j] - w[i];
    let (to_j, to_i) = (-w[i].dot(along), w[j].dot(along));
    let square = along.dot(along);
    if !(to_i.is_positive() && to_j.is_positive() && square.is_positive()) {
        return None;
    }
    let share = to_j / square;
    let v = w[i] + along * share;
    let mut weights = [0.0; 4];
    weights[i] = (to_i / square).value();
    weights[j] = share.value();
    Some(Offer { length_squared: v.dot(v), v, weights, part: 1 << i | 1 << j })
}

fn face(w: &[DoubleVec3], [i, j, k]: [usize; 3]) -> Option<Offer> {
    let normal = (w[j] - w[i]).cross(w[k] - w[i]);
    let area = normal.dot(normal);
    // The volumes of the origin's projection with each side, along the normal.
    let shares = [normal.dot(w[j].cross(w[k])), normal.dot(w[k].cross(w[i])), normal.dot(w[i].cross(w[j]))];
    if !(shares.iter().all(|share| share.is_positive()) && area.value() > THINNEST) {
        return None;
    }
    let height = normal.dot(w[i]) / area;
    let v = normal * height;
    let mut weights = [0.0; 4];
    // Their sum is the area, but on a sliver not to all digits, and weights must be those of a point of the face.
    let sum = shares[0] + shares[1] + shares[2];
    for (corner, share) in [i, j, k].into_iter().zip(shares) {
        weights[corner] = (share / sum).value();
    }
    Some(Offer { length_squared: v.dot(v), v, weights, part: 1 << i | 1 << j | 1 << k })
}

fn inside([a, b, c, d]: [DoubleVec3; 4]) -> Option<Offer> {
    let volume = (b - a).dot((c - a).cross(d - a));
    // The volumes that the origin makes with the faces opposite a, b, c, d.
    let parts = [b.dot(c.cross(d)), -a.dot(c.cross(d)), a.dot(b.cross(d)), -a.dot(b.cross(c))];
    let shares = parts.map(|part| part / volume);
    if volume == DoubleDouble::ZERO || !shares.iter().all(|share| share.is_positive()) {
        return None;
    }
    Some(Offer {
        length_squared: DoubleDouble::ZERO,
        v: DoubleVec3::ZERO,
        weights: shares.map(DoubleDouble::value),
        part: 15,
    })
}
