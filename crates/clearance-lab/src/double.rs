//! Numbers of twice the precision: an unevaluated sum of two doubles, about 32 digits.
//!
//! The sums and products are the classical error-free transformations; one operation is good to a few units of 2^-104.
//! Numbers must stay within 1e-140..1e140, far beyond all numbers of the oracle.

use clearance::math::{DQuat, DVec3};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number `high + low` with `|low|` at most half a unit in the last place of `high`.
///
/// Normalised pairs compare like their values when compared part by part, hence the derived order.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };
    pub(crate) const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// The nearest double.
    pub(crate) fn value(self) -> f64 {
        self.high
    }

    pub(crate) fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// The square root of a number that is not negative.
    pub(crate) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::ZERO;
        }
        // One step of Newton's method doubles the digits of the double's root.
        let root = Self::from(self.high.sqrt());
        let rest = self - root * root;
        root + Self::from(rest.high / (2.0 * root.high))
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

/// The rounded sum and its rounding error, exactly.
fn two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let b_seen = sum - a;
    let low = (a - (sum - b_seen)) + (b - b_seen);
    Double { high: sum, low }
}

/// [`two_sum`] when `|a| >= |b|`.
fn quick_two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    Double { high: sum, low: b - (sum - a) }
}

/// A double as the exact sum of two numbers of 26 bits, whose products are exact.
fn split(a: f64) -> (f64, f64) {
    let scaled = a * 134_217_729.0; // 2^27 + 1
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// The rounded product and its rounding error, exactly. Not a fused operation, which many targets call a slow routine
/// for.
fn two_product(a: f64, b: f64) -> Double {
    let product = a * b;
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    let low = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    Double { high: product, low }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // The careful form: keeps its relative error under cancellation.
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let first = quick_two_sum(high.high, high.low + low.high);
        quick_two_sum(first.high, first.low + low.low)
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        quick_two_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        // Long division: three digits, each a double.
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        quick_two_sum(first, second) + Self::from(rest.high / other.high)
    }
}

/// A vector of three [`Double`]s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vector {
    pub(crate) x: Double,
    pub(crate) y: Double,
    pub(crate) z: Double,
}

impl Vector {
    pub(crate) const ZERO: Self = Self { x: Double::ZERO, y: Double::ZERO, z: Double::ZERO };

    pub(crate) fn dot(self, other: Self) -> Double {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    pub(crate) fn length_squared(self) -> Double {
        self.dot(self)
    }

    pub(crate) fn length(self) -> Double {
        self.length_squared().sqrt()
    }

    /// Rounded to doubles.
    pub(crate) fn value(self) -> DVec3 {
        DVec3::new(self.x.value(), self.y.value(), self.z.value())
    }
}

impl From<DVec3> for Vector {
    fn from(v: DVec3) -> Self {
        Self { x: v.x.into(), y: v.y.into(), z: v.z.into() }
    }
}

impl Add for Vector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Double> for Vector {
    type Output = Self;

    fn mul(self, factor: Double) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// The rotation by exactly the direction of the quaternion's four numbers, whatever its length.
pub(crate) struct Rotation {
    vector: Vector,
    w: Double,
    two_over_square: Double,
}

impl Rotation {
    pub(crate) fn new(q: DQuat) -> Self {
        let vector = Vector::from(DVec3::new(q.x, q.y, q.z));
        let w = Double::from(q.w);
        let square = vector.length_squared() + w * w;
        Self { vector, w, two_over_square: Double::from(2.0) / square }
    }

    pub(crate) fn apply(&self, v: Vector) -> Vector {
        // v + 2 (w (u x v) + u x (u x v)) / |q|^2 for q = (u, w).
        let once = self.vector.cross(v);
        v + (once * self.w + self.vector.cross(once)) * self.two_over_square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_more_digits_than_a_double_has() {
        let tiny = Double::from(2.0_f64.powi(-70));
        let one_and_a_bit = Double::ONE + tiny;
        assert_eq!(one_and_a_bit - Double::ONE, tiny);
        // (1 + e)^2 = 1 + 2 e + e^2, the last term below the precision.
        assert_eq!(one_and_a_bit * one_and_a_bit - Double::ONE, tiny + tiny);
        let third = Double::ONE / Double::from(3.0);
        assert!((third * Double::from(3.0) - Double::ONE).value().abs() < 1e-31);
        let root = Double::from(2.0).sqrt();
        assert!((root * root - Double::from(2.0)).value().abs() < 1e-31);
        assert!(one_and_a_bit > Double::ONE && Double::ONE - tiny < Double::ONE);
        assert_eq!(Double::ZERO.sqrt(), Double::ZERO);
    }

    #[test]
    fn rotation_keeps_lengths_to_thirty_digits() {
        let rotation = Rotation::new(DQuat::from_xyzw(0.1, -0.7, 0.4, 2.0));
        let v = Vector::from(DVec3::new(0.3, 5.0, -7.7));
        let turned = rotation.apply(v);
        assert!((turned.length_squared() - v.length_squared()).value().abs() < 1e-28);
        let plain = DQuat::from_xyzw(0.1, -0.7, 0.4, 2.0).normalize() * v.value();
        assert!((turned.value() - plain).length() < 1e-14);
    }
}
