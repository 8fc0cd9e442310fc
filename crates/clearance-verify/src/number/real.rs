//! Numbers that have roots, quotients, sines and cosines, as intervals that hold the true ones.

use super::{Interval, Number, Roots, Unclear, Vector, dot};

/// An interval of one kind or another.
pub(crate) trait Real: Number {
    /// How many levels of the nested series for sine and cosine leave less than rounding.
    const LEVELS: u32;

    /// π/2.
    fn quarter() -> Self;

    fn quotient(&self, other: &Self) -> Result<Self, Unclear>;

    /// The square root of a number that is not negative in truth, whatever its interval says.
    fn root(&self) -> Self;

    /// A double that is no larger.
    fn low(&self) -> f64;

    /// A double that is no less.
    fn high(&self) -> f64;

    /// Everything from one double to another, both finite.
    fn between(low: f64, high: f64) -> Self;

    /// Do the ends mean anything?
    fn is_known(&self) -> bool;

    /// A sum with roots as a number.
    fn value(sum: &Roots<Self>) -> Self {
        let terms = sum.roots.iter().map(|(factor, radicand)| factor.times(&radicand.root()));
        terms.fold(sum.plain.clone(), |sum, term| sum.plus(&term))
    }

    /// An upper bound that is a number by itself.
    fn top(&self) -> Result<Self, Unclear> {
        let high = self.high();
        if high.is_finite() { Ok(Self::of(high)) } else { Err(Unclear) }
    }
}

impl Real for Interval {
    /// Bound: 0.8^20 / 21! is 2.3e-22, far below the 2^-53 of doubles.
    const LEVELS: u32 = 10;

    fn quarter() -> Self {
        // π/2 is 6e-17 more than this double.
        Self { low: std::f64::consts::FRAC_PI_2, high: std::f64::consts::FRAC_PI_2.next_up() }
    }

    fn quotient(&self, other: &Self) -> Result<Self, Unclear> {
        let quotient = *self / *other;
        if quotient.low.is_finite() && quotient.high.is_finite() { Ok(quotient) } else { Err(Unclear) }
    }

    fn root(&self) -> Self {
        Self::root(self)
    }

    fn low(&self) -> f64 {
        self.low
    }

    fn high(&self) -> f64 {
        self.high
    }

    fn between(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    fn is_known(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}

/// The sine of a larger angle is only known to be in [-1, 1]. Bound: below 2^50 the multiple of π/2 is less than 2^50 / 1.57, so that the error
/// of π/2 as an interval of doubles, 2^-52, moves the remainder by less than 0.2.
const FARTHEST: f64 = (1_u64 << 50) as f64;

/// The cosine and the sine of an angle.
///
/// The remainder r of the angle modulo π/2 is less than one, and there
/// sin r = r (1 - r²/(2·3) (1 - r²/(4·5) (...))), cos r = 1 - r²/(1·2) (1 - r²/(3·4) (...)). Each bracket is an alternating series with
/// falling terms, so between its first two partial sums: the innermost is between 0.99 and 1.
pub(crate) fn turn<N: Real>(angle: &N) -> [N; 2] {
    let any = || N::between(-1.0, 1.0);
    let (low, high) = (angle.low(), angle.high());
    if !(low.abs() < FARTHEST && high.abs() < FARTHEST) {
        return [any(), any()];
    }
    let count = ((0.5 * low + 0.5 * high) / std::f64::consts::FRAC_PI_2).round();
    let rest = angle.minus(&N::of(count).times(&N::quarter()));
    if !(rest.low() > -0.9 && rest.high() < 0.9) {
        return [any(), any()];
    }
    let square = rest.squared();
    // A square is not negative, and here it is less than one.
    let square = if square.low() < 0.0 { N::between(0.0, square.high().clamp(0.0, 1.0)) } else { square };
    let nested = |first: f64| {
        (1..=N::LEVELS).rev().fold(N::between(0.99, 1.0), |inner, m| {
            let n = 2.0 * f64::from(m) + first;
            // The divisor is not zero.
            let term = square.times(&inner).quotient(&N::of(n * (n + 1.0))).unwrap_or_else(|_| N::between(0.0, 1.0));
            N::of(1.0).minus(&term)
        })
    };
    let (sin, cos) = (rest.times(&nested(0.0)), nested(-1.0));
    match (count as i64).rem_euclid(4) {
        0 => [cos, sin],
        1 => [sin.negated(), cos],
        2 => [cos.negated(), sin.negated()],
        _ => [sin, cos.negated()],
    }
}

/// The length of a vector.
pub(crate) fn norm<N: Real>(v: &Vector<N>) -> N {
    dot(v, v).root()
}

#[cfg(test)]
mod tests {
    use super::super::Wide;
    use super::*;

    /// Sine and cosine of doubles by the addition theorem from a small part of the angle, with 1/k! as exact fractions: another way
    /// than the nested series on what is left of quarters.
    fn by_halves(angle: f64) -> [Wide; 2] {
        let halvings = (angle.abs().max(1e-300).log2().ceil() as i32 + 12).max(0);
        let small = Wide::of(angle).times(&Wide::of(2.0_f64.powi(-halvings)));
        let (mut sin, mut cos, mut term) = (Wide::zero(), Wide::of(1.0), Wide::of(1.0));
        for k in 1..=24_u32 {
            term = term.times(&small).quotient(&Wide::of(f64::from(k))).unwrap();
            let signed = if k / 2 % 2 == 1 { term.negated() } else { term.clone() };
            if k % 2 == 1 { sin = sin.plus(&signed) } else { cos = cos.plus(&signed) }
        }
        // The rest is less than (2^-12)^25.
        let rest = Wide::between(-2.0_f64.powi(-300), 2.0_f64.powi(-300));
        (sin, cos) = (sin.plus(&rest), cos.plus(&rest));
        for _ in 0..halvings {
            let twice = sin.times(&cos);
            cos = cos.squared().minus(&sin.squared());
            sin = twice.plus(&twice);
        }
        [cos, sin]
    }

    #[test]
    fn sines_and_cosines_hold_those_of_two_hundred_bits_after_many_turns() {
        let mut random = fastrand::Rng::with_seed(5);
        for round in 0..400 {
            let angle = match round % 4 {
                0 => (random.f64() - 0.5) * 20.0,
                1 => (random.f64() - 0.5) * 10_f64.powi(random.i32(0..14)),
                2 => f64::from(random.i32(-1000..1000)) * std::f64::consts::FRAC_PI_2,
                _ => (random.f64() - 0.5) * 10_f64.powi(-random.i32(0..200)),
            };
            let (truth, found, doubles) = (by_halves(angle), turn(&Wide::of(angle)), turn(&Interval::of(angle)));
            for i in 0..2 {
                let difference = truth[i].minus(&found[i]);
                // Both hold the number, so their difference holds zero; and both are thin.
                assert!(difference.sign().is_err() || difference.sign() == Ok(std::cmp::Ordering::Equal), "{angle}");
                let width = difference.high() - difference.low();
                assert!(width < 1e-40, "{angle}: {width:e}");
                assert!(doubles[i].low <= truth[i].high() && truth[i].low() <= doubles[i].high, "{angle}");
                assert!(doubles[i].high - doubles[i].low <= 1e-15 + 4.0 * f64::EPSILON * angle.abs(), "{angle}");
            }
        }
        let [cos, sin] = turn(&Interval::of(1e300));
        assert_eq!([cos.low, sin.high], [-1.0, 1.0]);
    }

    #[test]
    fn lengths_hold_the_truth() {
        let interval = norm(&[3.0, 4.0, 12.0].map(Interval::of));
        assert!(interval.low <= 13.0 && 13.0 <= interval.high && interval.high - interval.low < 1e-14);
        let wide = norm(&[3e-80, 4e-80, 12e-80].map(Wide::of));
        assert!(wide.low() <= 13e-80 && 12.999e-80 <= wide.high());
    }
}
