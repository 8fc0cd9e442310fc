//! Queries about points that are answered without rounding error.
//!
//! The predicates rest on floating-point expansions (crate `robust`), which are exact as long as nothing overflows
//! or underflows. [`Scale`] makes sure of that: it multiplies all coordinates by one power of two, so that the
//! largest lies in [1/2, 1), and sets to zero what is then smaller than 2^-250. Every remaining coordinate is a
//! multiple of 2^-302, every product of three differences a multiple of 2^-906, and the error bounds inside the
//! predicates (down to 2^-103 times such a product) stay normal numbers.

use glam::DVec3;
use robust::{Coord, Coord3D};

/// Coordinates smaller than this, relative to the largest one, count as zero. Bound: 2^-250, from the derivation in the module head.
pub const NEGLIGIBLE: f64 = f64::from_bits((1023 - 250) << 52);

/// A change of unit by a power of two, which is exact.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    exponent: i32,
}

impl Scale {
    /// The scale under which the largest coordinate of the points is in [1/2, 1).
    ///
    /// A polytope and any point set of which it is the hull have the same scale: the largest coordinate of a set is
    /// reached at an extreme point.
    pub fn of(points: &[DVec3]) -> Self {
        let largest = points.iter().fold(0.0_f64, |largest, p| largest.max(p.abs().max_element()));
        if largest == 0.0 {
            return Self { exponent: 0 };
        }
        // A subnormal number has no exponent of its own; 2^64 makes it normal.
        let (normal, shift) = if largest < f64::MIN_POSITIVE { (largest * power_of_two(64), 64) } else { (largest, 0) };
        let biased = (normal.to_bits() >> 52) as i32;
        Self { exponent: biased - 1022 - shift }
    }

    /// A point in the scaled unit: largest coordinate below 1, negligible coordinates (and -0.0) set to +0.0.
    pub fn point(self, point: DVec3) -> DVec3 {
        let (first, second) = halves(-self.exponent);
        let scaled = point * first * second;
        let coordinate = |x: f64| if x.abs() < NEGLIGIBLE { 0.0 } else { x };
        DVec3::new(coordinate(scaled.x), coordinate(scaled.y), coordinate(scaled.z))
    }

    /// A scaled length in the unit of the input.
    pub fn length(self, scaled: f64) -> f64 {
        let (first, second) = halves(self.exponent);
        scaled * first * second
    }
}

/// 2^exponent for exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Two factors whose product is 2^exponent: the power itself may be too large for one number.
fn halves(exponent: i32) -> (f64, f64) {
    (power_of_two(exponent / 2), power_of_two(exponent - exponent / 2))
}

/// Positive if `p` is above the plane through `a`, `b`, `c`, which turn counter-clockwise seen from above; negative
/// below, zero on the plane. The sign is exact for scaled points, the magnitude about six times a volume.
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let [a, b, c, p] = [a, b, c, p].map(|v| Coord3D { x: v.x, y: v.y, z: v.z });
    // The crate counts "below" as positive.
    -robust::orient3d(a, b, c, p)
}

/// Exact turn of three points in the projection along an axis: positive if they turn counter-clockwise for a viewer
/// on the positive side of that axis. It is a component of `(b - a) × (c - a)`.
pub fn orient2d(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p[u], y: p[v] });
    robust::orient2d(a, b, c)
}

/// The axis along which three points are seen best, if they are not exactly collinear.
pub fn widest_projection(a: DVec3, b: DVec3, c: DVec3) -> Option<usize> {
    let turn = [0, 1, 2].map(|axis| orient2d(axis, a, b, c).abs());
    let best = if turn[0] >= turn[1] && turn[0] >= turn[2] {
        0
    } else if turn[1] >= turn[2] {
        1
    } else {
        2
    };
    (turn[best] > 0.0).then_some(best)
}

/// The unit normal of a triangle of scaled points that is not exactly collinear, right to about 1e-14 however thin
/// the triangle is.
pub fn unit_normal(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    // The corner between the two shorter sides has the best conditioned cross product.
    let (ab, bc, ca) = (a.distance_squared(b), b.distance_squared(c), c.distance_squared(a));
    let (a, b, c) = if bc >= ab && bc >= ca {
        (a, b, c)
    } else if ca >= ab {
        (b, c, a)
    } else {
        (c, a, b)
    };
    let (u, v) = (b - a, c - a);
    let cross = u.cross(v);
    // The rounding error is about 2^-52 |u||v|: negligible unless the sides are nearly parallel. The second condition
    // keeps the squares away from underflow.
    let (area, bound) = (cross.length_squared(), u.length_squared() * v.length_squared());
    // Squares above 1e-250 are sums of normal numbers.
    if area > 0.01 * bound && area > 1e-250 { cross / area.sqrt() } else { unit(exact_cross(a, b, c)) }
}

/// A vector of any positive length made a unit, without overflow or underflow on the way.
pub fn unit(vector: DVec3) -> DVec3 {
    (vector / vector.abs().max_element()).normalize()
}

/// The length of a vector, without overflow or underflow on the way.
pub fn length(vector: DVec3) -> f64 {
    let largest = vector.abs().max_element();
    if largest == 0.0 { 0.0 } else { largest * (vector / largest).length() }
}

/// `(b - a) × (c - a)`, each component correct to one rounding.
fn exact_cross(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let difference = |p: DVec3| [0, 1, 2].map(|i| two_sum(p[i], -a[i]));
    let (u, v) = (difference(b), difference(c));
    DVec3::from_array([0, 1, 2].map(|axis| {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut sum = ExactSum::default();
        for (sign, left, right) in [(1.0, u[i], v[j]), (-1.0, u[j], v[i])] {
            for x in [left.0, left.1] {
                for y in [right.0, right.1] {
                    sum.add_product(sign * x, y);
                }
            }
        }
        sum.value()
    }))
}

/// The rounded sum and its error, which together are the exact sum.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// The rounded product and its error, which together are the exact product.
///
/// By halves of 26 bits, whose products are exact. A fused multiply-add would do in one step, but where the machine
/// has none it is slow, and on some platforms not exact.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let halves = |x: f64| {
        let shifted = 134_217_729.0 * x;
        let high = shifted - (shifted - x);
        (high, x - high)
    };
    let (product, (a1, a0), (b1, b0)) = (a * b, halves(a), halves(b));
    (product, a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0))
}

/// An exact sum of up to sixteen numbers, kept as parts of growing size that do not overlap.
#[derive(Default)]
struct ExactSum {
    parts: [f64; 16],
    len: usize,
}

impl ExactSum {
    fn add_product(&mut self, a: f64, b: f64) {
        let (product, error) = two_product(a, b);
        self.add(error);
        self.add(product);
    }

    fn add(&mut self, mut carry: f64) {
        for part in &mut self.parts[..self.len] {
            (carry, *part) = two_sum(carry, *part);
        }
        self.parts[self.len] = carry;
        self.len += 1;
    }

    /// Adding from the smallest part up rounds only at the end of the largest.
    fn value(&self) -> f64 {
        self.parts[..self.len].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_point(rng: &mut fastrand::Rng, size: i64) -> [i64; 3] {
        [(); 3].map(|()| rng.i64(-size..=size))
    }

    /// Six times the signed volume in integers: positive if `p` is above.
    fn integer_orient3d(a: [i64; 3], b: [i64; 3], c: [i64; 3], p: [i64; 3]) -> i128 {
        let [u, v, w] = [b, c, p].map(|q| [0, 1, 2].map(|i| i128::from(q[i] - a[i])));
        w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0])
    }

    fn real(p: [i64; 3]) -> DVec3 {
        DVec3::from_array(p.map(|x| x as f64))
    }

    #[test]
    fn above_is_positive_and_counter_clockwise_is_positive() {
        let above = orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.2, 0.3, 1.0));
        assert!(above > 0.0);
        for axis in 0..3 {
            let (mut u, mut v) = (DVec3::ZERO, DVec3::ZERO);
            u[(axis + 1) % 3] = 1.0;
            v[(axis + 2) % 3] = 1.0;
            assert!(orient2d(axis, DVec3::ZERO, u, v) > 0.0);
        }
    }

    #[test]
    fn signs_agree_with_integer_arithmetic_also_next_to_degeneracy() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut zeros = 0;
        for _ in 0..20_000 {
            let [a, b, c] = [(); 3].map(|()| random_point(&mut rng, 1 << 36));
            // A lattice point on the plane, then perhaps one step off it: the determinant is of size 2^36 or zero
            // while its terms are of size 2^112.
            let (s, t) = (rng.i64(-2..3), rng.i64(-2..3));
            let mut p = [0, 1, 2].map(|i| a[i] + s * (b[i] - a[i]) + t * (c[i] - a[i]));
            p[rng.usize(..3)] += rng.i64(-1..2);
            let expected = integer_orient3d(a, b, c, p).signum();
            let found = orient3d(real(a), real(b), real(c), real(p));
            assert_eq!(found.partial_cmp(&0.0), Some(expected.cmp(&0)), "{a:?} {b:?} {c:?} {p:?}");
            zeros += usize::from(expected == 0);
        }
        assert!((2_000..18_000).contains(&zeros), "representative: {zeros}");
    }

    #[test]
    fn the_error_of_a_product_is_exact() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..10_000 {
            let [a, b] = [(); 2].map(|()| rng.i64(-(1 << 52)..1 << 52));
            let (product, error) = two_product(a as f64, b as f64);
            assert_eq!(product as i128 + error as i128, i128::from(a) * i128::from(b));
        }
    }

    #[test]
    fn scaling_is_exact_from_the_smallest_to_the_largest_number() {
        for largest in [5e-324, 1e-310, 1e-200, 0.5, 1.0, 3.0, 1e7, 1e60] {
            let points = [DVec3::new(-largest, 0.0, -0.0)];
            let scale = Scale::of(&points);
            let scaled = scale.point(points[0]);
            assert!((0.5..1.0).contains(&-scaled.x), "{largest}: {scaled}");
            assert!(scaled.z.is_sign_positive());
            assert_eq!(scale.length(-scaled.x), largest);
        }
        assert_eq!(Scale::of(&[DVec3::ZERO]).point(DVec3::ZERO), DVec3::ZERO);
    }

    #[test]
    fn the_normal_of_a_sliver_is_right_to_rounding() {
        // Three lattice points 2^26 apart and one unit off the common line: the plain cross product is lost to
        // rounding once the points are moved away from the origin, the exact one is not.
        let shift = DVec3::new(1.0, 1.0, 1.0);
        let [a, b, c] = [[0, 0, 0], [1 << 26, 1 << 26, 1], [1 << 27, (1 << 27) + 1, 2]]
            .map(|p: [i64; 3]| shift + real(p) * power_of_two(-52));
        let expected = [[1 << 26, 1 << 26, 1], [1 << 27, (1 << 27) + 1, 2]].map(|p: [i64; 3]| p.map(i128::from));
        let [u, v] = expected;
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let expected = DVec3::from_array(cross.map(|x| x as f64)).normalize();
        assert!(unit_normal(a, b, c).abs_diff_eq(expected, 1e-15));
        assert!(unit_normal(b, c, a).abs_diff_eq(expected, 1e-15));
    }
}
