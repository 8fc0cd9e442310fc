//! Bounds on rounding that proofs rest on, each with its derivation.
//!
//! Those of vectors that are turned are `RotationPair::ERROR` and its neighbours, beside the formula that
//! they are about.

use glam::DVec3;

/// How far rounding can move what an engine computes, relative to the largest coordinate it computes with.
///
/// In units of ε/2 and of the bounding radius of B: the product of two unit quaternions is off by 8, the rotation by twice that. Making a
/// matrix of it adds 20, multiplying a point 6, the translation and the difference one each. That is 44, or
/// 22 ε. The translation itself, subtracted and rotated, is off by 7 ε of its length, and a height, which is a dot
/// product, by 2 ε of all. Reaches and translation add up to the scale, so 24 ε of it are a bound. Quaternions that had to be made
/// units turn by 2 ε each, which is 4 more; the rest is reserve for roots and quotients. The engines' proof checks brackets with
/// this allowance against 32 digits, and the lab's derived shapes against a thousand bits.
pub const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Lengths below this are taken for zero: their squares and the products of those with the squares of sizes must not
/// underflow.
pub const SMALLEST_LENGTH: f64 = 1e-75;

/// The rounding error of a pair: of every height and length that an engine computes about two shapes.
///
/// `size` bounds the coordinates and lengths of the computation, mostly the bounding radii and the distance of the origins together.
/// `slack` is the sum of the error bounds that shapes bring along: affine images, roundings, parts of compounds.
#[inline(always)]
pub fn of_pair(size: f64, slack: f64) -> f64 {
    ROUNDING * size + (SMALLEST_LENGTH + slack)
}

/// Rounding error of a height or length of two cores to which the radii of both shapes are added, relative to the sum of the radii.
///
/// In units of ε/2: the sum of the radii rounds by 1, twice where it is computed for each side. Its sum with the height rounds by 1 of the
/// radii beyond the share of the height, which [`ROUNDING`] has. That is 3; the rest is reserve.
pub const OF_RADII: f64 = 4.0 * f64::EPSILON;

/// Rounding error of a side of a box, in parts of all lengths involved.
///
/// In units of ε/2: a quaternion may be off its unit by 8, of which the matrix keeps less than one. An entry of the matrix is off by 9,
/// hence a height by 16 of the bounding radius (the sum of a vector's coordinates is at most √3 of its length) and by 3 for the products
/// and sums. The translation and the radius add one each. That is 21, or 11 ε.
pub const OF_BOXES: f64 = 16.0 * f64::EPSILON;

/// Error of a point after two poses are composed, in parts of their translations and of the bounding radius.
///
/// In units of ε: a vector rotated by a quaternion that is a unit to 4 is off by 13. The product of two quaternions is off by 4, which
/// rotates by twice as much, and by 2 more when it is made a unit.
pub const COMPOSED: f64 = 20.0 * f64::EPSILON;

/// How far a rotation may be from the one that was written: making a unit of a quaternion rounds every part of it twice, which
/// turns by 2 ε.
pub const NORMALIZED: f64 = 3.0 * f64::EPSILON;

/// Is a vector a unit, as far as making one of it would tell? Its square is computed to 1.5 ε, and its length is off by half of what that is:
/// by less than 3 ε, as is that of a vector that was made a unit. It takes no root and no quotient.
#[inline(always)]
pub fn is_unit(vector: DVec3) -> bool {
    (vector.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON
}

/// The sum of two doubles, rounded down: the end of an interval of time that is proved must not be later than what was proved.
///
/// The error of a sum is a double (Knuth's TwoSum), so that its sign is exact. A NaN stays one.
#[inline(always)]
pub fn sum_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    if error < 0.0 { sum.next_down() } else { sum }
}

/// [`ROUNDING`] of a closed form, which has less on the way: turning a vector by a quaternion that is a unit only to
/// rounding is off by 10 ε, a foot and a height by 3.
pub const OF_CLOSED_FORMS: f64 = 16.0 * f64::EPSILON;

/// A bound on the error of a scalar product of a stored unit vector with a vector no longer than 1.
///
/// Directions of edges are right to 4 ε. Normals of faces, and so those of their sides, are right to 25 ε (the triangle
/// they are made from has an angle of at least 0.1 or is computed exactly). Their scalar product rounds by 2 ε more. That is 27 ε, or
/// 54 ε where two of them must agree.
pub const UNIT_MARGIN: f64 = 64.0 * f64::EPSILON;

/// How far a height over a plane is off whose normal is as good as plain numbers allow, relative to the scale: two dot
/// products and the length of the normal.
pub const OF_HEIGHTS: f64 = 8.0 * f64::EPSILON;

/// Rounding error of heights that are computed from forms, for cells of directions and for ellipsoids, relative to the sizes involved:
/// there are fewer than 100 operations to each number.
pub const OF_FORMS: f64 = 128.0 * f64::EPSILON;
