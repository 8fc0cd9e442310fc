//! Intervals with ends of 256 bits, for what intervals of doubles leave open.

use super::{Dyadic, Number, Real, Roots, Unclear, meter};
use num_bigint::BigInt;
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Bits of the ends. Limit: five times a double: rotations whose sign 256 bits leave open are undecided.
const BITS: u64 = 256;

/// Everything from `low` to `high`; the true number is in it.
#[derive(Debug, Clone)]
pub(crate) struct Wide {
    low: Dyadic,
    high: Dyadic,
}

fn down(x: &Dyadic) -> Dyadic {
    x.cut_down(BITS)
}

fn up(x: &Dyadic) -> Dyadic {
    x.negated().cut_down(BITS).negated()
}

fn order(a: &Dyadic, b: &Dyadic) -> Ordering {
    // Without work left nothing is known, and the verdict is another one anyway.
    a.compare(b).unwrap_or(Ordering::Equal)
}

fn least(a: Dyadic, b: Dyadic) -> Dyadic {
    if order(&a, &b).is_le() { a } else { b }
}

fn most(a: Dyadic, b: Dyadic) -> Dyadic {
    if order(&a, &b).is_ge() { a } else { b }
}

impl Wide {
    fn is_point(&self) -> bool {
        order(&self.low, &self.high).is_eq()
    }

    fn signs(&self) -> [Ordering; 2] {
        [&self.low, &self.high].map(|end| end.sign().unwrap_or(Ordering::Equal))
    }

    /// The least and the largest of what two operations find, one rounded down and one up.
    fn hull(ends: impl IntoIterator<Item = [Dyadic; 2]>) -> Option<Self> {
        let all = ends.into_iter().map(|[low, high]| Self { low, high });
        all.reduce(|a, b| Self { low: least(a.low, b.low), high: most(a.high, b.high) })
    }
}

impl Number for Wide {
    fn of(value: f64) -> Self {
        Self { low: Dyadic::of(value), high: Dyadic::of(value) }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { low: down(&self.low.plus(&other.low)), high: up(&self.high.plus(&other.high)) }
    }

    fn minus(&self, other: &Self) -> Self {
        Self { low: down(&self.low.minus(&other.high)), high: up(&self.high.minus(&other.low)) }
    }

    fn times(&self, other: &Self) -> Self {
        let product = |a: &Dyadic, b: &Dyadic| {
            let exact = a.times(b);
            [down(&exact), up(&exact)]
        };
        let ends = |a: &Self, b: &Self| match (a.is_point(), b.is_point()) {
            (true, true) => vec![product(&a.low, &b.low)],
            (true, false) => vec![product(&a.low, &b.low), product(&a.low, &b.high)],
            (false, true) => vec![product(&a.low, &b.low), product(&a.high, &b.low)],
            (false, false) => match (a.signs(), b.signs()) {
                // Neither is negative.
                ([Ordering::Greater | Ordering::Equal, _], [Ordering::Greater | Ordering::Equal, _]) => {
                    vec![product(&a.low, &b.low), product(&a.high, &b.high)]
                }
                _ => {
                    let pairs = [(&a.low, &b.low), (&a.low, &b.high), (&a.high, &b.low), (&a.high, &b.high)];
                    pairs.into_iter().map(|(x, y)| product(x, y)).collect()
                }
            },
        };
        Self::hull(ends(self, other)).unwrap_or_else(Self::zero)
    }

    fn larger(&self, other: &Self) -> Self {
        Self { low: most(self.low.clone(), other.low.clone()), high: most(self.high.clone(), other.high.clone()) }
    }

    fn sign(&self) -> Result<Ordering, Unclear> {
        match (self.low.sign()?, self.high.sign()?) {
            (Ordering::Greater, _) => Ok(Ordering::Greater),
            (_, Ordering::Less) => Ok(Ordering::Less),
            (Ordering::Equal, Ordering::Equal) => Ok(Ordering::Equal),
            _ => Err(Unclear),
        }
    }

    fn sign_of(sum: &Roots<Self>) -> Result<Ordering, Unclear> {
        Self::value(sum).sign()
    }
}

impl Real for Wide {
    /// Bound: 0.8^52 / 53! is about 2^-248.
    const LEVELS: u32 = 26;

    fn quarter() -> Self {
        static QUARTER: OnceLock<[BigInt; 2]> = OnceLock::new();
        let [low, high] = QUARTER.get_or_init(quarter_turn);
        let end = |x: &BigInt| Dyadic::scaled(x.clone(), -(PI_BITS as i64));
        Self { low: end(low), high: end(high) }
    }

    fn quotient(&self, other: &Self) -> Result<Self, Unclear> {
        if other.sign()?.is_eq() {
            return Err(Unclear);
        }
        let ends = |a: &Dyadic, b: &Dyadic| {
            let above = a.negated().quotient_down(b, BITS).negated();
            [a.quotient_down(b, BITS), above]
        };
        let tops = if self.is_point() { vec![&self.low] } else { vec![&self.low, &self.high] };
        let bottoms = if other.is_point() { vec![&other.low] } else { vec![&other.low, &other.high] };
        let all = tops.into_iter().flat_map(|a| bottoms.iter().map(move |b| ends(a, b)));
        Self::hull(all).ok_or(Unclear)
    }

    fn root(&self) -> Self {
        let [low, _] = self.low.root_between(BITS);
        let [_, high] = self.high.root_between(BITS);
        Self { low, high }
    }

    fn low(&self) -> f64 {
        // The nearest double and its neighbours hold the number.
        self.low.rounded(0).next_down().next_down().next_down()
    }

    fn high(&self) -> f64 {
        self.high.rounded(0).next_up().next_up().next_up()
    }

    fn between(low: f64, high: f64) -> Self {
        Self { low: Dyadic::of(low), high: Dyadic::of(high) }
    }

    fn is_known(&self) -> bool {
        !meter::is_exhausted()
    }
}

/// Bits of π. Layout: twice [`BITS`], so that the reduction of an angle below 2^50 keeps all of them.
const PI_BITS: u64 = 512;

/// π/2 between two multiples of 2^-512, by Machin's formula: π/4 = 4 arctan 1/5 - arctan 1/239.
fn quarter_turn() -> [BigInt; 2] {
    // With bits to spare: each of fewer than 300 quotients of either series is less than one unit too small.
    let spare = 32;
    let arctan = |n: u32| {
        let (square, mut power) = (BigInt::from(n) * n, (BigInt::from(1) << (PI_BITS + spare)) / n);
        let (mut sum, mut k) = (power.clone(), 1_u32);
        while power != BigInt::ZERO {
            power /= &square;
            let term = &power / (2 * k + 1);
            sum = if k % 2 == 1 { sum - term } else { sum + term };
            k += 1;
        }
        sum
    };
    let half = (arctan(5) * 4 - arctan(239)) * 2;
    // 2 (4 · 600 + 600) units at the most, of 2^32.
    let off = BigInt::from(6000);
    [(&half - &off) >> spare, ((&half + &off) >> spare) + 1]
}

#[cfg(test)]
mod tests {
    use super::super::Interval;
    use super::*;

    fn digits(x: &Wide) -> [String; 2] {
        // To forty digits behind the point.
        let ten = (0..40).fold(Dyadic::of(1.0), |x, _| x.times(&Dyadic::of(10.0)));
        [&x.low, &x.high].map(|end| {
            let scaled = end.times(&ten);
            let floor = scaled.quotient_down(&Dyadic::of(1.0), 0);
            format!("{:.30e}", floor.rounded(0))
        })
    }

    #[test]
    fn a_quarter_turn_is_what_everybody_knows() {
        let quarter = Wide::quarter();
        // π/2 = 1.5707963267948966192313216916397514420985846996875...
        let known = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_5e-33];
        let sum = known.iter().fold(Dyadic::zero(), |sum, x| sum.plus(&Dyadic::of(*x)));
        let off = quarter.minus(&Wide { low: sum.clone(), high: sum });
        assert!(off.low().abs() < 1e-48 && off.high().abs() < 1e-48, "{:?}", digits(&quarter));
        assert!(quarter.high.minus(&quarter.low).rounded(0) < 1e-150);
    }

    #[test]
    fn ends_hold_exact_sums_products_quotients_and_roots() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..3000 {
            let mut number = || (random.f64() - 0.5) * 2.0_f64.powi(random.i32(-40..40));
            let [a, b, c, d] = [0; 4].map(|_| number());
            let wide = |a: f64, b: f64| Wide::between(a.min(b), a.max(b));
            let (x, y) = (wide(a, b), wide(c, d));
            let [p, q] = [Dyadic::of(a), Dyadic::of(c)];
            let holds = |x: &Wide, p: &Dyadic| order(&x.low, p).is_le() && order(p, &x.high).is_le();
            assert!(holds(&x.plus(&y), &p.plus(&q)));
            assert!(holds(&x.minus(&y), &p.minus(&q)));
            assert!(holds(&x.times(&y), &p.times(&q)));
            assert!(holds(&x.larger(&y), &p.larger(&q)));
            if let Ok(quotient) = x.quotient(&y) {
                // x = (x / y) y.
                assert!(holds(&quotient.times(&y), &p));
            }
            let square = x.squared();
            let root = square.root();
            assert!(holds(&root, &if a < 0.0 { p.negated() } else { p.clone() }) || square.sign().is_err());
            // Both kinds of intervals hold the same number.
            let interval = Interval { low: a.min(b), high: a.max(b) }.times(&Interval::of(c));
            let same = x.times(&Wide::of(c));
            assert!(interval.low <= same.high() && same.low() <= interval.high);
        }
        let third = Wide::of(1.0).quotient(&Wide::of(3.0)).unwrap();
        assert!(third.low() < 1.0 / 3.0 && 1.0 / 3.0 < third.high());
        assert!(third.high.minus(&third.low).rounded(0) < 1e-75);
        assert!(Wide::of(1.0).quotient(&Wide::between(-1.0, 1.0)).is_err());
    }
}
