//! Numbers of 1024 bits, for truths: the error of an operation is 2^-1000 of its result, negligible beside any bracket.

use num_bigint::BigInt;
use std::cmp::Ordering;

const BITS: u64 = 1024;

/// An integer times a power of two.
#[derive(Debug, Clone)]
pub struct Big {
    mantissa: BigInt,
    exponent: i64,
}

impl Big {
    /// A finite double as it is.
    #[must_use]
    pub fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        let mantissa = BigInt::from(mantissa);
        Self { mantissa: if value < 0.0 { -mantissa } else { mantissa }, exponent }
    }

    fn rounded(mut mantissa: BigInt, mut exponent: i64) -> Self {
        let bits = mantissa.bits();
        if bits > BITS {
            mantissa >>= bits - BITS;
            exponent += (bits - BITS) as i64;
        }
        Self { mantissa, exponent }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let by = high.exponent - low.exponent;
        // A summand that is smaller by this factor does not change the result.
        if by > 8192 {
            return high.clone();
        }
        Self::rounded((&high.mantissa << by as u64) + &low.mantissa, low.exponent)
    }

    /// The negative.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self::rounded(&self.mantissa * &other.mantissa, self.exponent + other.exponent)
    }

    /// The quotient.
    ///
    /// # Panics
    ///
    /// If the divisor is zero.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        let by = 2 * BITS;
        Self::rounded((&self.mantissa << by) / &other.mantissa, self.exponent - other.exponent - by as i64)
    }

    /// The root; of a negative number, zero.
    #[must_use]
    pub fn root(&self) -> Self {
        if self.sign() != Ordering::Greater {
            return Self::of(0.0);
        }
        let by = 2 * BITS as i64 + (self.exponent.rem_euclid(2));
        Self::rounded((&self.mantissa << by as u64).sqrt(), (self.exponent - by) / 2)
    }

    /// The larger of two.
    #[must_use]
    pub fn larger(&self, other: &Self) -> Self {
        if self.compare(other) == Ordering::Less { other.clone() } else { self.clone() }
    }

    /// The value without its sign.
    #[must_use]
    pub fn size(&self) -> Self {
        if self.sign() == Ordering::Less { self.negated() } else { self.clone() }
    }

    /// The sign.
    #[must_use]
    pub fn sign(&self) -> Ordering {
        self.mantissa.cmp(&BigInt::from(0))
    }

    fn is_zero(&self) -> bool {
        self.sign() == Ordering::Equal
    }

    /// The comparison.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        self.minus(other).sign()
    }

    /// The determinant of three rows.
    #[must_use]
    pub fn determinant(rows: [[Self; 3]; 3]) -> Self {
        let [x, y, z] = rows;
        let minor = |i: usize, j: usize| y[i].times(&z[j]).minus(&y[j].times(&z[i]));
        x[0].times(&minor(1, 2)).plus(&x[1].times(&minor(2, 0))).plus(&x[2].times(&minor(0, 1)))
    }

    /// True if the value is at least `bound`. Infinities are allowed.
    #[must_use]
    pub fn is_at_least(&self, bound: f64) -> bool {
        bound == f64::NEG_INFINITY || bound.is_finite() && self.compare(&Self::of(bound)) != Ordering::Less
    }

    /// True if the value is at most `bound`. Infinities are allowed.
    #[must_use]
    pub fn is_at_most(&self, bound: f64) -> bool {
        self.negated().is_at_least(-bound)
    }

    /// The nearest double, for messages and margins.
    #[must_use]
    pub fn about(&self) -> f64 {
        let bits = self.mantissa.bits() as i64;
        let shift = (bits - 60).max(0);
        let top: i64 = (&self.mantissa >> shift as u64).try_into().unwrap_or(0);
        let exponent = (self.exponent + shift).clamp(-1900, 1900) as i32;
        top as f64 * 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
    }
}

/// Three of them.
pub type Vector = [Big; 3];

/// A vector of doubles as it is.
#[must_use]
pub fn vector(v: clearance::math::DVec3) -> Vector {
    v.to_array().map(Big::of)
}

/// The dot product.
#[must_use]
pub fn dot(a: &Vector, b: &Vector) -> Big {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

/// The cross product.
#[must_use]
pub fn cross(a: &Vector, b: &Vector) -> Vector {
    [[1, 2], [2, 0], [0, 1]].map(|[i, j]| a[i].times(&b[j]).minus(&a[j].times(&b[i])))
}

/// The sum.
#[must_use]
pub fn add(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|i| a[i].plus(&b[i]))
}

/// The difference.
#[must_use]
pub fn subtract(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|i| a[i].minus(&b[i]))
}

/// A multiple.
#[must_use]
pub fn scale(a: &Vector, by: &Big) -> Vector {
    a.each_ref().map(|x| x.times(by))
}

/// The length.
#[must_use]
pub fn length(a: &Vector) -> Big {
    dot(a, a).root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_numbers() {
        let (two, third) = (Big::of(2.0), Big::of(1.0).over(&Big::of(3.0)));
        let off = two.root().times(&two.root()).minus(&two);
        assert!(off.size().is_at_most(1e-300), "{}", off.about());
        let whole = third.plus(&third).plus(&third).minus(&Big::of(1.0));
        assert!(whole.size().is_at_most(1e-300));
        assert!(Big::of(-1.5e-310).about() == -1.5e-310 && Big::of(3e60).about() == 3e60);
        assert!(Big::of(0.1).is_at_least(0.1) && !Big::of(0.1).is_at_least(0.1_f64.next_up()));
        assert!(Big::of(2e-9).times(&Big::of(2e-9)).root().minus(&Big::of(2e-9)).size().is_at_most(1e-300));
    }
}
