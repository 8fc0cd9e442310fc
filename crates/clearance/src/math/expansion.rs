//! Numbers without rounding: sums of doubles that stand for their exact sum (Shewchuk 1997).
//!
//! For what is computed once, when a shape is built, or seldom: sums and products are exact as long as no product of two parts
//! is below 2^-960 or overflows. The callers scale.

use std::ops::{Add, Mul, Neg, Sub};

/// An exact sum of doubles, none of which has a bit in the place of another; the smallest first, none of them zero.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expansion(Vec<f64>);

/// A sum and its rounding error.
fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

/// A product and its rounding error, by halves of 26 bits.
fn two_product(a: f64, b: f64) -> [f64; 2] {
    let halves = |x: f64| {
        let shifted = 134_217_729.0 * x;
        let top = shifted - (shifted - x);
        (top, x - top)
    };
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    let product = a * b;
    [product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)]
}

impl Expansion {
    /// Adds a double.
    fn grow(&mut self, by: f64) {
        let mut carry = by;
        self.0.retain_mut(|part| {
            let [sum, error] = two_sum(carry, *part);
            (carry, *part) = (sum, error);
            error != 0.0
        });
        if carry != 0.0 {
            self.0.push(carry);
        }
    }

    /// Makes the parts as few as they can be, so that each is all but the rounding of the sum of those up to it.
    fn compressed(mut self) -> Self {
        let Some(mut carry) = self.0.pop() else { return self };
        let mut large = Vec::with_capacity(self.0.len() + 1);
        for part in self.0.drain(..).rev() {
            let [sum, error] = two_sum(carry, part);
            carry = sum;
            if error != 0.0 {
                large.push(sum);
                carry = error;
            }
        }
        for part in large.into_iter().rev() {
            let [sum, error] = two_sum(part, carry);
            if error != 0.0 {
                self.0.push(error);
            }
            carry = sum;
        }
        self.0.push(carry);
        self
    }

    /// The nearest double, but for the last place.
    pub(crate) fn value(&self) -> f64 {
        self.0.last().copied().unwrap_or(0.0)
    }

    /// Two doubles whose sum is the number but for 2^-100 of it, and whether they are all of it.
    pub(crate) fn pair(&self) -> ([f64; 2], bool) {
        let mut parts = self.0.iter().rev();
        let mut next = || parts.next().copied().unwrap_or(0.0);
        ([next(), next()], self.0.len() <= 2)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<f64> for Expansion {
    fn from(value: f64) -> Self {
        let mut zero = Self::default();
        zero.grow(value);
        zero
    }
}

/// The sum of two doubles.
impl From<[f64; 2]> for Expansion {
    fn from([high, low]: [f64; 2]) -> Self {
        let mut sum = Self::from(high);
        sum.grow(low);
        sum
    }
}

impl Add for &Expansion {
    type Output = Expansion;

    fn add(self, other: Self) -> Expansion {
        let mut sum = self.clone();
        for &part in &other.0 {
            sum.grow(part);
        }
        sum.compressed()
    }
}

impl Neg for &Expansion {
    type Output = Expansion;

    fn neg(self) -> Expansion {
        Expansion(self.0.iter().map(|part| -part).collect())
    }
}

impl Sub for &Expansion {
    type Output = Expansion;

    fn sub(self, other: Self) -> Expansion {
        self + &-other
    }
}

impl Mul for &Expansion {
    type Output = Expansion;

    fn mul(self, other: Self) -> Expansion {
        let mut product = Expansion::default();
        for &a in &self.0 {
            for &b in &other.0 {
                let [high, low] = two_product(a, b);
                product.grow(low);
                product.grow(high);
            }
        }
        product.compressed()
    }
}

/// The cross product of two vectors.
pub(crate) fn cross(a: &[Expansion; 3], b: &[Expansion; 3]) -> [Expansion; 3] {
    [[1, 2], [2, 0], [0, 1]].map(|[i, j]| &(&a[i] * &b[j]) - &(&a[j] * &b[i]))
}

/// The dot product of two vectors.
pub(crate) fn dot(a: &[Expansion; 3], b: &[Expansion; 3]) -> Expansion {
    let [x, y, z] = [0, 1, 2].map(|i| &a[i] * &b[i]);
    &(&x + &y) + &z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_exact() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            // Integers of up to 100 bits, which i128 knows exactly, in two parts that overlap.
            let mut number = |bits: u32| {
                let (high, low) = (rng.i64(..) >> (63 - bits), rng.i64(..) >> 12);
                let shift = rng.u32(0..12);
                let sum = (i128::from(high) << shift) + i128::from(low);
                let high = high as f64 * f64::from(1 << shift);
                (Expansion::from([high, low as f64]), sum)
            };
            let (a, a_true) = number(50);
            let (b, b_true) = number(50);
            let (c, c_true) = number(10);
            let found = &(&(&a * &b) + &c) - &(&b * &c);
            let truth = a_true * b_true + c_true - b_true * c_true;
            // Exactly: what is left after subtracting the truth in pieces is nothing.
            let mut rest = found;
            for piece in 0..4 {
                let piece = (truth >> (32 * piece) & if piece == 3 { -1 } else { 0xffff_ffff }) << (32 * piece);
                rest = &rest - &Expansion::from(piece as f64);
            }
            assert!(rest.is_zero(), "{rest:?}");
        }
    }

    #[test]
    fn two_parts_hold_a_hundred_bits() {
        let third = 1.0 / 3.0;
        let square = &Expansion::from([third, third * 2.0_f64.powi(-60)]) * &Expansion::from(third);
        let ([high, low], is_all) = square.pair();
        let rest = &(&square - &Expansion::from(high)) - &Expansion::from(low);
        assert!(!is_all && rest.value().abs() <= 2.0_f64.powi(-100) * high);
        assert!(Expansion::from([1.0, 2.0_f64.powi(-300)]).pair() == ([1.0, 2.0_f64.powi(-300)], true));
    }
}
