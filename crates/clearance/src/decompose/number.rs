//! Exact numbers of any size: whole numbers times a power of 2^64.
//!
//! They suit sums and products of many digits, as exact corners of cells need them (about 500 bits): a hundred times faster than
//! the sums of doubles in `math/expansion.rs`, which are better for a few digits.
//!
//! Invariant: the first and the last limb are not zero; zero has no limbs.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// `± limbs · 2^(64 exponent)`, the least limb first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Number {
    is_negative: bool,
    exponent: i32,
    limbs: SmallVec<[u64; 8]>,
}

impl Number {
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    pub fn sign(&self) -> i8 {
        match (self.is_zero(), self.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// The number with a relative error of at most 2^-52. It must be in the range of doubles.
    pub fn value(&self) -> f64 {
        let n = self.limbs.len();
        if n == 0 {
            return 0.0;
        }
        let limb = |i: usize| if i < n { self.limbs[n - 1 - i] as f64 } else { 0.0 };
        let top = limb(0) + limb(1) / 18_446_744_073_709_551_616.0;
        let exponent = 64 * (self.exponent + n as i32 - 1);
        // In two steps: the power itself may be too small for a double.
        let half = exponent / 2;
        let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
        let size = top * power(half) * power(exponent - half);
        if self.is_negative { -size } else { size }
    }

    /// Whether [`Number::value`] is exact.
    pub fn is_double(&self) -> bool {
        match self.limbs[..] {
            [] => true,
            [limb] => limb >> limb.trailing_zeros() < 1 << 53,
            _ => false,
        }
    }

    fn trimmed(mut self) -> Self {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        let zeros = self.limbs.iter().take_while(|&&limb| limb == 0).count();
        if zeros > 0 {
            self.limbs.drain(..zeros);
            self.exponent += zeros as i32;
        }
        if self.limbs.is_empty() { Self::default() } else { self }
    }

    /// The limb of 2^(64 place).
    fn limb(&self, place: i32) -> u64 {
        usize::try_from(place - self.exponent).ok().and_then(|i| self.limbs.get(i)).copied().unwrap_or(0)
    }

    fn end(&self) -> i32 {
        self.exponent + self.limbs.len() as i32
    }

    fn compare_sizes(&self, other: &Self) -> Ordering {
        let (low, high) = (self.exponent.min(other.exponent), self.end().max(other.end()));
        (low..high)
            .rev()
            .map(|place| self.limb(place).cmp(&other.limb(place)))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// The sum, or the difference of sizes if the larger is first, with the sign of the first.
    fn combined(&self, other: &Self, is_sum: bool) -> Self {
        let (low, high) = (self.exponent.min(other.exponent), self.end().max(other.end()));
        let mut limbs = SmallVec::with_capacity((high - low) as usize + 1);
        let mut carry = false;
        for place in low..high {
            let (a, b) = (self.limb(place), other.limb(place));
            let (first, over) = if is_sum { a.overflowing_add(b) } else { a.overflowing_sub(b) };
            let (second, again) =
                if is_sum { first.overflowing_add(u64::from(carry)) } else { first.overflowing_sub(u64::from(carry)) };
            limbs.push(second);
            carry = over || again;
        }
        if carry {
            limbs.push(1);
        }
        Self { is_negative: self.is_negative, exponent: low, limbs }.trimmed()
    }

    fn plus(&self, other: &Self, is_other_negative: bool) -> Self {
        if other.is_zero() {
            return self.clone();
        }
        if self.is_zero() {
            return Self { is_negative: is_other_negative, ..other.clone() };
        }
        if self.is_negative == is_other_negative {
            return self.combined(other, true);
        }
        match self.compare_sizes(other) {
            Ordering::Equal => Self::default(),
            Ordering::Greater => self.combined(other, false),
            Ordering::Less => Self { is_negative: is_other_negative, ..other.combined(self, false) },
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value == 0.0 {
            return Self::default();
        }
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        // value = mantissa · 2^power.
        let (mantissa, power) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        let exponent = power.div_euclid(64);
        let wide = u128::from(mantissa) << power.rem_euclid(64);
        let limbs = SmallVec::from_slice(&[wide as u64, (wide >> 64) as u64]);
        Self { is_negative: value < 0.0, exponent, limbs }.trimmed()
    }
}

impl Add for &Number {
    type Output = Number;

    fn add(self, other: Self) -> Number {
        self.plus(other, other.is_negative)
    }
}

impl Sub for &Number {
    type Output = Number;

    fn sub(self, other: Self) -> Number {
        self.plus(other, !other.is_negative)
    }
}

impl Neg for &Number {
    type Output = Number;

    fn neg(self) -> Number {
        Number { is_negative: !self.is_negative && !self.is_zero(), ..self.clone() }
    }
}

impl Mul for &Number {
    type Output = Number;

    fn mul(self, other: Self) -> Number {
        if self.is_zero() || other.is_zero() {
            return Number::default();
        }
        let mut limbs: SmallVec<[u64; 8]> = SmallVec::from_elem(0, self.limbs.len() + other.limbs.len());
        for (i, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0_u128;
            for (j, &b) in other.limbs.iter().enumerate() {
                // Below 2^128: (2^64 - 1)^2 + 2 (2^64 - 1).
                let sum = u128::from(a) * u128::from(b) + u128::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u64;
                carry = sum >> 64;
            }
            limbs[i + other.limbs.len()] = carry as u64;
        }
        let is_negative = self.is_negative != other.is_negative;
        Number { is_negative, exponent: self.exponent + other.exponent, limbs }.trimmed()
    }
}

/// The cross product of two vectors.
pub(super) fn cross(a: &[Number; 3], b: &[Number; 3]) -> [Number; 3] {
    [[1, 2], [2, 0], [0, 1]].map(|[i, j]| &(&a[i] * &b[j]) - &(&a[j] * &b[i]))
}

/// The dot product of two vectors.
pub(super) fn dot(a: &[Number; 3], b: &[Number; 3]) -> Number {
    let [x, y, z] = [0, 1, 2].map(|i| &a[i] * &b[i]);
    &(&x + &y) + &z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polynomials of whole numbers with up to 40 bits, which i128 knows, at any power of two.
    #[test]
    fn sums_and_products_are_exact() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..20_000 {
            let shift = f64::from_bits((1023 + rng.u64(0..600) - 300) << 52);
            let [a, b, c] = [(); 3].map(|()| rng.i64(..) >> rng.u32(23..63));
            let [x, y, z] = [a, b, c].map(|n| Number::from(n as f64 * shift));
            let found = &(&(&x * &y) * &z) - &(&(&x * &x) * &y);
            let [a, b, c] = [a, b, c].map(i128::from);
            let truth = a * b * c - a * a * b;
            let mut rest = found.clone();
            for piece in 0..4 {
                let piece = (truth >> (32 * piece) & if piece == 3 { -1 } else { 0xffff_ffff }) << (32 * piece);
                let unit = Number::from(shift);
                rest = &rest - &(&(&Number::from(piece as f64) * &unit) * &(&unit * &unit));
            }
            assert!(rest.is_zero(), "{rest:?}");
            assert_eq!(found.sign(), truth.signum() as i8);
            let near = truth as f64 * shift * shift * shift;
            if near.is_normal() {
                assert!((found.value() - near).abs() <= 4e-16 * near.abs(), "{} {near}", found.value());
            }
        }
        for value in [5e-324, 1.0, -0.1, 1e300, -3.5e-200] {
            assert_eq!(Number::from(value).value(), value);
            assert!((&Number::from(value) + &-&Number::from(value)).is_zero());
        }
    }
}
