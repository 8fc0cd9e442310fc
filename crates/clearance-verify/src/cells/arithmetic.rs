//! Interval arithmetic for functions of angles: operators, quotients, powers, sines and cosines with a proved remainder.
//!
//! Nothing is taken from the platform's mathematics but the four operations and the square root, which are rounded
//! correctly everywhere.

use crate::number::{Interval, Number};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// π/2 is `HIGH` + `MIDDLE` + a number between `LOW` and the next multiple of 2^-96. Bound: the digits of π/2 are 1.921FB544 42D18469 898CC517
/// 01B839A2... in base 16; multiples of `HIGH` and `MIDDLE` by small integers are exact.
const HIGH: f64 = 0x1_921F_B544_u64 as f64 / (1_u64 << 32) as f64;
const MIDDLE: f64 = 0x42D1_8469_u32 as f64 / (1_u128 << 64) as f64;
const LOW: Interval = Interval {
    low: 0x898C_C517_u32 as f64 / (1_u128 << 96) as f64,
    high: 0x898C_C518_u32 as f64 / (1_u128 << 96) as f64,
};

/// The largest double below π/2. Bound: `FRAC_PI_2` is π/2 rounded, and the digits of π/2 after it are positive (6.1e-17).
pub const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(&other)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.minus(&other)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.times(&other)
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if other.is_one() || self.low == 0.0 && self.high == 0.0 {
            return self;
        }
        if !(other.low > 0.0 || other.high < 0.0) {
            return Self::EVERYTHING;
        }
        let all = [self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high];
        if all.iter().any(|x| x.is_nan()) {
            return Self::EVERYTHING;
        }
        Self::around(all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }
}

impl Interval {
    /// All numbers that are no farther from zero than this.
    pub fn within(size: f64) -> Self {
        Self { low: -size, high: size }
    }

    /// The product with a power of two.
    pub fn scaled(self, power: f64) -> Self {
        let [low, high] = [self.low * power, self.high * power];
        // Exact, except where numbers leave the normal range.
        let fine = |x: f64, from: f64| x == 0.0 && from == 0.0 || x.is_finite() && x.abs() > 1e-290;
        if fine(low, self.low) && fine(high, self.high) { Self { low, high } } else { Self::around(low, high) }
    }

    pub fn square(self) -> Self {
        let Self { low, high } = self * self;
        Self { low: low.max(0.0), high }
    }

    /// The largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// A double near the middle; zero where there is no middle.
    pub fn middle(self) -> f64 {
        let middle = 0.5 * self.low + 0.5 * self.high;
        if middle.is_finite() { middle } else { 0.0 }
    }

    /// The intersection of two intervals for the same number. They cannot be apart; if they were, nothing should be concluded.
    pub fn and(self, other: Self) -> Self {
        let both = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.low <= both.high { both } else { Self::EVERYTHING }
    }
}

/// The cosine and the sine of an angle, or of all angles of a range.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub cos: Interval,
    pub sin: Interval,
}

impl Turn {
    const ANY: Self = Self { cos: Interval { low: -1.0, high: 1.0 }, sin: Interval { low: -1.0, high: 1.0 } };

    /// The turn by an angle.
    pub fn by(angle: f64) -> Self {
        if !(angle.abs() < 7.0) {
            return Self::ANY;
        }
        let count = (angle / QUARTER).round();
        let rest = if count == 0.0 {
            Interval::of(angle)
        } else {
            // angle - count π/2: the first difference with its exact error, then the small parts.
            let step = count * HIGH;
            let main = angle - step;
            let back = main - angle;
            let error = (angle - (main - back)) + (-step - back);
            let small = Interval::of(error) - Interval::of(count * MIDDLE) - Interval::of(count) * LOW;
            Interval::of(main) + small
        };
        if rest.magnitude() > 0.9 {
            return Self::ANY;
        }
        // sin r = r (1 - r²/(2·3) (1 - r²/(4·5) (...))), cos r = 1 - r²/(1·2) (1 - r²/(3·4) (...)). Each bracket is an
        // alternating series with falling terms, so between its first two partial sums: here in [0.99, 1].
        let square = rest.square();
        let nested = |first: f64| {
            (1..=9).rev().fold(Interval { low: 0.99, high: 1.0 }, |inner, m| {
                let n = 2.0 * f64::from(m) + first;
                Interval::of(1.0) - square * inner / Interval::of(n * (n + 1.0))
            })
        };
        let sin = (rest * nested(0.0)).and(Self::ANY.sin);
        let cos = nested(-1.0).and(Self::ANY.cos);
        Self { cos, sin }.quarters(count as i64)
    }

    /// The turns by all angles from one to another.
    pub fn over(low: f64, high: f64) -> Self {
        if !(low.abs() < 7.0 && high.abs() < 7.0) {
            return Self::ANY;
        }
        let [a, b] = [low, high].map(Self::by);
        let mut all = Self { cos: hull(a.cos, b.cos), sin: hull(a.sin, b.sin) };
        // Where sine and cosine turn back: at multiples of π/2.
        let quarter = Interval::of(HIGH) + (Interval::of(MIDDLE) + LOW);
        for count in -5..=5_i64 {
            let at = quarter * Interval::of(count as f64);
            if low <= at.high && high >= at.low {
                let turn = Self { cos: Interval::of(1.0), sin: Interval::of(0.0) }.quarters(count);
                all = Self { cos: hull(all.cos, turn.cos), sin: hull(all.sin, turn.sin) };
            }
        }
        all
    }

    /// The same, but no farther than the pole: a latitude beyond π/2 is taken for π/2 itself.
    pub fn to_pole(latitude: f64) -> Self {
        match latitude {
            x if x > QUARTER => Self { cos: Interval::of(0.0), sin: Interval::of(1.0) },
            x if x < -QUARTER => Self { cos: Interval::of(0.0), sin: Interval::of(-1.0) },
            x => Self::by(x),
        }
    }

    /// Turned on by quarters. A derivative of the sine or cosine is the same function a quarter further on.
    pub fn quarters(self, count: i64) -> Self {
        let Self { cos, sin } = self;
        match count.rem_euclid(4) {
            0 => self,
            1 => Self { cos: -sin, sin: cos },
            2 => Self { cos: -cos, sin: -sin },
            _ => Self { cos: sin, sin: -cos },
        }
    }
}

fn hull(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.min(b.low), high: a.high.max(b.high) }
}

/// a cos kθ + b sin kθ with k = 1 or 2.
#[derive(Debug, Clone, Copy)]
pub struct Wave {
    a: Interval,
    b: Interval,
    k: i32,
    /// How far it goes up and down at most.
    size: f64,
}

impl Wave {
    pub fn new(a: Interval, b: Interval, k: i32) -> Self {
        Self { a, b, k, size: (a.square() + b.square()).root().high }
    }

    /// The derivative of an order by θ, from the turn by kθ. Each is the wave a quarter further on, times k.
    pub fn derivative(&self, turn: Turn, order: u32) -> Interval {
        let turn = turn.quarters(i64::from(order));
        let one = (self.a * turn.cos + self.b * turn.sin).and(Interval::within(self.size));
        one.scaled(f64::from(self.k.pow(order)))
    }
}

/// A lower bound of a cos x + b sin x for all x from one angle to another; `turn` gives the cosines and sines.
pub fn least_wave(a: Interval, b: Interval, [from, to]: [f64; 2], turn: fn(f64) -> Turn) -> f64 {
    // In a stretch shorter than π the slope changes its sign at most once: a trough inside has a slope that falls at the
    // start and rises at the end.
    let count = (((to - from) / 2.5).ceil()).clamp(1.0, 4.0);
    let mut least = f64::INFINITY;
    let mut start = turn(from);
    for piece in 1..=count as u32 {
        let end = if piece == count as u32 { to } else { from + (to - from) * (f64::from(piece) / count) };
        let end = turn(end);
        let value = |at: Turn| (a * at.cos + b * at.sin).low;
        let slope = |at: Turn| b * at.cos - a * at.sin;
        least = least.min(value(start)).min(value(end));
        if slope(start).low < 0.0 && slope(end).high > 0.0 {
            least = least.min(-(a.square() + b.square()).root().high);
        }
        start = end;
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sine and cosine of x = k / 64 by the addition theorem would be circular; the identities below are not.
    #[test]
    fn sines_and_cosines_are_thin_and_hold_what_they_should() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..20_000 {
            let x = match round % 4 {
                0 => (random.f64() - 0.5) * 13.0,
                1 => (random.f64() - 0.5) * 10_f64.powi(-random.i32(0..20)),
                2 => f64::from(random.i32(-4..=4)) * QUARTER + (random.f64() - 0.5) * 10_f64.powi(-random.i32(2..18)),
                _ => f64::from(random.i32(-4..=4)) * QUARTER,
            };
            let turn = Turn::by(x);
            for (found, rough) in [(turn.cos, x.cos()), (turn.sin, x.sin())] {
                // The platform's functions are good to a few units in the last place.
                let slack = 4.0 * f64::EPSILON * rough.abs();
                assert!(found.low - slack <= rough && rough <= found.high + slack, "{x}: {found:?}, {rough}");
                assert!(found.high - found.low <= 1e-15, "{x}: {found:?}");
            }
            let one = turn.cos.square() + turn.sin.square();
            assert!(one.low <= 1.0 && 1.0 <= one.high);
            if x != 0.0 && x.abs() < 0.7 {
                let relative = (turn.sin.high - turn.sin.low) / x.abs();
                assert!(relative <= 1e-15, "{x}: {:?}", turn.sin);
            }
            // sin 2x = 2 sin x cos x where the double is exact.
            let twice = Turn::by(2.0 * x);
            if x.abs() < 3.4 {
                let product = (turn.sin * turn.cos).scaled(2.0);
                assert!(twice.sin.low <= product.high && product.low <= twice.sin.high);
            }
            let far = x + random.f64() * 3.0;
            if far < 6.9 && x > -6.9 {
                let (range, inside) = (Turn::over(x, far), Turn::by(x + (far - x) * random.f64()));
                assert!(range.cos.low <= inside.cos.high && inside.cos.low <= range.cos.high);
                assert!(range.sin.low <= inside.sin.high && inside.sin.low <= range.sin.high);
            }
        }
    }

    #[test]
    fn the_parts_of_a_quarter_add_up() {
        assert_eq!(HIGH + MIDDLE, QUARTER);
        // sin π is known to 1e-25 although π is not a double: the double is 1.2246467991473532e-16 short of it.
        let sin = Turn::by(std::f64::consts::PI).sin;
        assert!(sin.low <= 1.224_646_799_147_353_2e-16 && 1.224_646_799_147_353_1e-16 <= sin.high, "{sin:?}");
        assert!(sin.high - sin.low < 1e-25, "{sin:?}");
    }

    #[test]
    fn the_least_of_a_wave_is_below_it_and_near() {
        let mut random = fastrand::Rng::with_seed(8);
        for _ in 0..5000 {
            let [a, b] = [0; 2].map(|_| (random.f64() - 0.5) * 4.0);
            let from = (random.f64() - 0.5) * 6.0;
            let to = (from + random.f64().powi(3) * 6.2).min(6.9);
            let bound = least_wave(Interval::of(a), Interval::of(b), [from, to], Turn::by);
            let samples = (0..=400).map(|k| from + (to - from) * f64::from(k) / 400.0);
            let least = samples.map(|x| a * x.cos() + b * x.sin()).fold(f64::INFINITY, f64::min);
            assert!(bound <= least + 1e-14 && bound >= least - 1e-3, "{a} {b} {from} {to}: {bound} {least}");
        }
    }

    #[test]
    fn quotients_and_squares_hold_the_truth() {
        let mut random = fastrand::Rng::with_seed(9);
        for _ in 0..10_000 {
            let [a, b, c, d] = [0; 4].map(|_| (random.f64() - 0.5) * 4.0);
            let (x, y) = (Interval { low: a.min(b), high: a.max(b) }, Interval { low: c.min(d), high: c.max(d) });
            let (p, q) = (x.low + (x.high - x.low) * random.f64(), y.low + (y.high - y.low) * random.f64());
            let quotient = x / y;
            assert!(quotient.low <= p / q && p / q <= quotient.high);
            let square = x.square();
            assert!(square.low <= p * p && p * p <= square.high && square.low >= 0.0);
        }
        assert_eq!(Interval::of(1.0) / Interval { low: 0.0, high: 1.0 }, Interval::EVERYTHING);
        assert_eq!(Interval::of(3.0).scaled(0.25), Interval::of(0.75));
    }
}
