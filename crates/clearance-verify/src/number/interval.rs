//! Intervals of doubles, rounded outward: the filter.

use super::{Number, Roots, Unclear};
use std::cmp::Ordering;

/// Everything from `low` to `high`; the true number is in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub const EVERYTHING: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval between two results that were rounded to nearest: one step outward holds the true ones.
    pub fn around(low: f64, high: f64) -> Self {
        if low.is_nan() || high.is_nan() {
            return Self::EVERYTHING;
        }
        Self { low: low.next_down(), high: high.next_up() }
    }

    fn is_zero(&self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    pub fn is_one(&self) -> bool {
        self.low == 1.0 && self.high == 1.0
    }

    /// The quotient by a number that is positive in truth.
    pub fn over(&self, positive: &Self) -> Self {
        if positive.is_one() {
            return *self;
        }
        if !(positive.low > 0.0) {
            return Self::EVERYTHING;
        }
        // The farther end of each side, over the smaller divisor if that is farther from zero.
        let low = self.low / if self.low < 0.0 { positive.low } else { positive.high };
        let high = self.high / if self.high > 0.0 { positive.low } else { positive.high };
        if self.is_zero() { *self } else { Self::around(low, high) }
    }

    pub fn root(&self) -> Self {
        // A radicand is not negative in truth, whatever its interval says. The correctly rounded root is at most half a
        // step off, and so at most one step outward is needed.
        let Self { low, high } = Self::around(self.low.max(0.0).sqrt(), self.high.max(0.0).sqrt());
        Self { low: low.max(0.0), high }
    }
}

impl Number for Interval {
    fn of(value: f64) -> Self {
        Self { low: value, high: value }
    }

    fn plus(&self, other: &Self) -> Self {
        // Exact zeros are frequent (poses that do not turn), and should stay exact.
        match (self.is_zero(), other.is_zero()) {
            (true, _) => *other,
            (_, true) => *self,
            _ => Self::around(self.low + other.low, self.high + other.high),
        }
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { low: -other.high, high: -other.low })
    }

    fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::of(0.0);
        }
        if self.is_one() {
            return *other;
        }
        if other.is_one() {
            return *self;
        }
        let products = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        if products.iter().any(|x| x.is_nan()) {
            return Self::EVERYTHING;
        }
        let low = products.iter().copied().fold(f64::INFINITY, f64::min);
        let high = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self::around(low, high)
    }

    fn larger(&self, other: &Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    fn sign(&self) -> Result<Ordering, Unclear> {
        match (self.low, self.high) {
            (low, _) if low > 0.0 => Ok(Ordering::Greater),
            (_, high) if high < 0.0 => Ok(Ordering::Less),
            (0.0, 0.0) => Ok(Ordering::Equal),
            _ => Err(Unclear),
        }
    }

    fn sign_of(sum: &Roots<Self>) -> Result<Ordering, Unclear> {
        sum.value().sign()
    }
}

impl Roots<Interval> {
    /// The sum as a number.
    pub fn value(&self) -> Interval {
        let terms = self.roots.iter().map(|(factor, radicand)| factor.times(&radicand.root()));
        terms.fold(self.plain, |sum, term| sum.plus(&term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_only_when_they_are_certain() {
        let third = Interval::of(1.0).times(&Interval { low: 0.333, high: 0.334 });
        assert_eq!(third.minus(&Interval::of(0.4)).sign(), Ok(Ordering::Less));
        assert_eq!(third.minus(&Interval::of(0.3335)).sign(), Err(Unclear));
        assert_eq!(Interval::of(0.1).minus(&Interval::of(0.1)).sign(), Err(Unclear), "the filter need not know");
        assert_eq!(Interval::zero().times(&Interval::EVERYTHING).sign(), Ok(Ordering::Equal));
        let huge = Interval::of(1e300).times(&Interval::of(1e300));
        assert_eq!(huge.sign(), Ok(Ordering::Greater));
        assert_eq!(huge.minus(&huge).sign(), Err(Unclear));
    }
}
