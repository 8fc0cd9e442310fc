//! Numbers of twice the precision, for the little that plain ones cannot decide.
//!
//! A number is the unevaluated sum of two doubles, made by error-free sums and products; an operation is good to about
//! 2^-100. The products split their factors instead of fusing, so that every machine takes the same time and gives the
//! same bits. Numbers are expected within 1e-60..1e60: the callers scale.

use glam::DVec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// The nearest double.
    pub(crate) fn value(self) -> f64 {
        self.high
    }

    pub(crate) fn is_positive(self) -> bool {
        self.high > 0.0
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

/// A sum and its rounding error.
fn exact_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let part = high - a;
    DoubleDouble { high, low: (a - (high - part)) + (b - part) }
}

/// A sum and what it lacks, for `|a| >= |b|`.
fn renormalized(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    DoubleDouble { high, low: b - (high - a) }
}

/// A product and its rounding error.
fn exact_product(a: f64, b: f64) -> DoubleDouble {
    // Halves of 26 bits, whose products are exact.
    let halves = |x: f64| {
        let shifted = 134_217_729.0 * x;
        let top = shifted - (shifted - x);
        (top, x - top)
    };
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    let high = a * b;
    DoubleDouble { high, low: a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2) }
}

impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // Both low parts go through exact sums too: a difference of close numbers keeps its digits.
        let (high, low) = (exact_sum(self.high, other.high), exact_sum(self.low, other.low));
        let sum = renormalized(high.high, high.low + low.high);
        renormalized(sum.high, sum.low + low.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = exact_product(self.high, other.high);
        renormalized(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        renormalized(first, second) + Self::from(rest.high / other.high)
    }
}

/// Three [`DoubleDouble`]s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DoubleVec3 {
    x: DoubleDouble,
    y: DoubleDouble,
    z: DoubleDouble,
}

impl DoubleVec3 {
    pub(crate) const ZERO: Self = Self { x: DoubleDouble::ZERO, y: DoubleDouble::ZERO, z: DoubleDouble::ZERO };

    pub(crate) fn dot(self, other: Self) -> DoubleDouble {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Rounded.
    pub(crate) fn value(self) -> DVec3 {
        DVec3::new(self.x.value(), self.y.value(), self.z.value())
    }
}

impl From<DVec3> for DoubleVec3 {
    fn from(v: DVec3) -> Self {
        Self { x: v.x.into(), y: v.y.into(), z: v.z.into() }
    }
}

impl Add for DoubleVec3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for DoubleVec3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<DoubleDouble> for DoubleVec3 {
    type Output = Self;

    fn mul(self, factor: DoubleDouble) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_twice_the_digits() {
        let one = DoubleDouble::from(1.0);
        let tiny = DoubleDouble::from(2.0_f64.powi(-80));
        assert_eq!((one + tiny) - one, tiny);
        assert_eq!((one + tiny) * (one - tiny) - one, DoubleDouble::ZERO - tiny * tiny * DoubleDouble::ZERO);
        let third = one / DoubleDouble::from(3.0);
        assert!((third + third + third - one).value().abs() < 1e-31);
        // 0.1 is not a tenth: the product with ten shows by how much.
        let off = DoubleDouble::from(0.1) * DoubleDouble::from(10.0) - one;
        assert_eq!(off.value(), 2.0_f64.powi(-54));
    }

    #[test]
    fn a_cross_product_is_perpendicular_to_thirty_digits() {
        let (a, b) = (DVec3::new(0.1, 0.7, -0.3), DVec3::new(0.1, 0.7, -0.3 + 1e-9));
        let normal = DoubleVec3::from(a).cross(b.into());
        let slant = normal.dot(a.into()).value().abs() / normal.value().length();
        assert!(slant < 1e-22, "{slant:e}");
        assert_eq!((normal * DoubleDouble::from(2.0) - normal - normal).value(), DVec3::ZERO);
    }
}
