//! Bounds on rounding that proofs rest on, each with its derivation.

/// How far rounding can move what an engine computes, relative to the largest coordinate it computes with.
///
/// In units of ε/2 and of the reach of B: the product of two unit quaternions is off by 8, the rotation by twice that;
/// making a matrix of it adds 20, multiplying a point 6, the translation and the difference one each. That is 44, or
/// 22 ε. The translation itself, subtracted and rotated, is off by 7 ε of its length, and a height, which is a dot
/// product, by 2 ε of all. Reaches and translation add up to the scale, so 24 ε of it are a bound. Quaternions that had to be made
/// units turn by 2 ε each, which is 4 more; the rest is reserve for roots and quotients. The engines' proof checks brackets with
/// this allowance against 32 digits, and the lab's derived shapes against a thousand bits.
pub(crate) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Lengths below this are taken for zero: their squares and the products of those with the squares of sizes must not
/// underflow.
pub(crate) const SMALLEST_LENGTH: f64 = 1e-75;
