//! Exact numbers: integers times powers of two. Sums and products of doubles are such numbers.

use super::{Number, Roots, Unclear, meter};
use num_bigint::{BigInt, BigUint, Sign};
use std::cmp::Ordering;

/// Precisions of square roots, in bits, tried in this order. Limit: the cost grows with the precision. The sign of a sum that 8192 bits leave
/// open is undecided.
const PRECISIONS: [u64; 4] = [128, 512, 2048, 8192];

/// The cost of an operation beside its words. Limit: an allocation, in operations.
const OVERHEAD: u64 = 8;

/// `mantissa * 2^exponent`.
#[derive(Debug, Clone)]
pub(crate) struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

impl Dyadic {
    fn is_zero(&self) -> bool {
        self.mantissa.sign() == Sign::NoSign
    }

    fn ordering(&self) -> Ordering {
        match self.mantissa.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    /// The mantissa if the number is written with a smaller exponent.
    fn at(&self, exponent: i64) -> BigInt {
        &self.mantissa << (self.exponent - exponent) as u64
    }

    /// Where its highest bit is: its size is between half of 2 to the power of this and that.
    pub fn height(&self) -> i64 {
        self.exponent + self.mantissa.bits() as i64
    }

    /// About itself times a power of two, as a double.
    pub fn rounded(&self, power: i64) -> f64 {
        let spare = self.mantissa.bits().saturating_sub(64);
        let top = (self.mantissa.magnitude() >> spare).iter_u64_digits().next().unwrap_or(0) as f64;
        let power = (self.exponent + spare as i64 + power).clamp(-1100, 1100) as i32;
        // In two steps, since either half may be all that a double can hold.
        let size = top * 2.0_f64.powi(power / 2) * 2.0_f64.powi(power - power / 2);
        if self.ordering() == Ordering::Less { -size } else { size }
    }

    /// Rounds down to `bits` bits.
    pub fn cut_down(&self, bits: u64) -> Self {
        let spare = self.mantissa.bits().saturating_sub(bits);
        if spare == 0 {
            return self.clone();
        }
        // Shifts of negative integers round down too.
        Self { mantissa: &self.mantissa >> spare, exponent: self.exponent + spare as i64 }
    }

    /// The quotient, rounded down at about `bits` bits. The divisor is not zero.
    pub fn quotient_down(&self, other: &Self, bits: u64) -> Self {
        let more = (bits + other.mantissa.bits()).saturating_sub(self.mantissa.bits());
        let words = (self.words() + more / 64 + 1).saturating_mul(other.words());
        if other.is_zero() || !meter::charge(OVERHEAD + words) {
            return Self::ZERO;
        }
        let (top, bottom) = (&self.mantissa << more, &other.mantissa);
        let mut mantissa = &top / bottom;
        // Quotients of integers are rounded towards zero.
        if &mantissa * bottom != top && (top.sign() == Sign::Minus) != (bottom.sign() == Sign::Minus) {
            mantissa -= 1;
        }
        Self { mantissa, exponent: self.exponent - other.exponent - more as i64 }
    }

    /// The square root of a number that is not negative, rounded down at about `bits` bits, and one step above that.
    pub fn root_between(&self, bits: u64) -> [Self; 2] {
        let more = (2 * bits).saturating_sub(self.mantissa.bits());
        let more = more + ((self.exponent - more as i64) & 1) as u64;
        let words = self.words() + more / 64 + 1;
        if self.ordering() != Ordering::Greater || !meter::charge(OVERHEAD + words.saturating_mul(words)) {
            return [Self::ZERO, Self::ZERO];
        }
        let exponent = (self.exponent - more as i64) / 2;
        let root = BigInt::from((self.mantissa.magnitude() << more).sqrt());
        [Self { mantissa: root.clone(), exponent }, Self { mantissa: root + 1, exponent }]
    }

    /// An integer times a power of two.
    pub fn scaled(mantissa: BigInt, exponent: i64) -> Self {
        Self { mantissa, exponent }
    }

    fn words(&self) -> u64 {
        self.mantissa.bits() / 64 + 1
    }

    const ZERO: Self = Self { mantissa: BigInt::ZERO, exponent: 0 };

    fn combine(&self, other: &Self, apply: impl Fn(&BigInt, &BigInt) -> BigInt) -> Self {
        // One of the two is written with as many words more as the exponents are apart.
        let apart = self.exponent.abs_diff(other.exponent) / 64;
        if !meter::charge(OVERHEAD + self.words() + other.words() + apart) {
            return Self::ZERO;
        }
        match self.exponent.cmp(&other.exponent) {
            Ordering::Equal => Self { mantissa: apply(&self.mantissa, &other.mantissa), exponent: self.exponent },
            Ordering::Less => {
                Self { mantissa: apply(&self.mantissa, &other.at(self.exponent)), exponent: self.exponent }
            }
            Ordering::Greater => {
                Self { mantissa: apply(&self.at(other.exponent), &other.mantissa), exponent: other.exponent }
            }
        }
    }

    /// Itself as `m * 4^k` with an m that is not a multiple of four.
    fn without_fours(&self) -> (BigUint, i64) {
        let magnitude = self.mantissa.magnitude();
        let odd = (self.exponent & 1) as u64;
        let magnitude = magnitude << odd;
        let zeros = magnitude.trailing_zeros().unwrap_or(0) & !1;
        (magnitude >> zeros, (self.exponent - odd as i64 + zeros as i64) / 2)
    }
}

impl Number for Dyadic {
    fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i64;
        debug_assert!(biased != 0x7ff, "only finite numbers are checked");
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (magnitude, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        if magnitude == 0 {
            return Self::ZERO;
        }
        let zeros = magnitude.trailing_zeros();
        let magnitude = magnitude >> zeros;
        let signed = if value < 0.0 { -magnitude } else { magnitude };
        Self { mantissa: BigInt::from(signed), exponent: exponent + i64::from(zeros) }
    }

    fn plus(&self, other: &Self) -> Self {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => self.combine(other, |a, b| a + b),
        }
    }

    fn minus(&self, other: &Self) -> Self {
        match (self.is_zero(), other.is_zero()) {
            (_, true) => self.clone(),
            (true, _) => Self { mantissa: -&other.mantissa, exponent: other.exponent },
            _ => self.combine(other, |a, b| a - b),
        }
    }

    fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() || !meter::charge(OVERHEAD + self.words().saturating_mul(other.words())) {
            return Self::ZERO;
        }
        Self { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }

    fn larger(&self, other: &Self) -> Self {
        if self.minus(other).ordering() == Ordering::Less { other.clone() } else { self.clone() }
    }

    fn sign(&self) -> Result<Ordering, Unclear> {
        if meter::is_exhausted() { Err(Unclear) } else { Ok(self.ordering()) }
    }

    fn sign_of(sum: &Roots<Self>) -> Result<Ordering, Unclear> {
        let sign = sign_of(sum)?;
        if meter::is_exhausted() { Err(Unclear) } else { Ok(sign) }
    }
}

fn sign_of(sum: &Roots<Dyadic>) -> Result<Ordering, Unclear> {
    let (plain, roots) = simplified(sum)?;
    match roots.as_slice() {
        [] => Ok(plain.ordering()),
        [(factor, radicand)] => {
            let radicand = Dyadic { mantissa: radicand.clone().into(), exponent: 0 };
            let (signs, square) = ((plain.ordering(), factor.ordering()), factor.squared().times(&radicand));
            Ok(match signs {
                (a, b) if a == b || a == Ordering::Equal => b,
                // Opposite signs: the larger square wins.
                (a, b) => match plain.squared().minus(&square).ordering() {
                    Ordering::Greater => a,
                    Ordering::Less => b,
                    Ordering::Equal => Ordering::Equal,
                },
            })
        }
        _ => PRECISIONS.iter().find_map(|&bits| sign_to(&plain, &roots, bits)).ok_or(Unclear),
    }
}

/// The same sum without roots of squares, and with every radicand only once, as an integer.
fn simplified(sum: &Roots<Dyadic>) -> Result<(Dyadic, Vec<(Dyadic, BigUint)>), Unclear> {
    let mut plain = sum.plain.clone();
    let mut roots: Vec<(Dyadic, BigUint)> = Vec::new();
    for (factor, radicand) in &sum.roots {
        if factor.is_zero() || radicand.is_zero() {
            continue;
        }
        if !meter::charge(radicand.words().saturating_mul(radicand.words())) {
            return Err(Unclear);
        }
        let (rest, exponent) = radicand.without_fours();
        let factor = Dyadic { mantissa: factor.mantissa.clone(), exponent: factor.exponent + exponent };
        let root = rest.sqrt();
        if &root * &root == rest {
            plain = plain.plus(&factor.times(&Dyadic { mantissa: root.into(), exponent: 0 }));
        } else if let Some((same, _)) = roots.iter_mut().find(|(_, other)| *other == rest) {
            *same = same.plus(&factor);
        } else {
            roots.push((factor, rest));
        }
    }
    roots.retain(|(factor, _)| !factor.is_zero());
    Ok((plain, roots))
}

/// The sign, if roots to that many bits behind the point decide it.
fn sign_to(plain: &Dyadic, roots: &[(Dyadic, BigUint)], bits: u64) -> Option<Ordering> {
    let (mut low, mut high) = (plain.clone(), plain.clone());
    for (factor, radicand) in roots {
        let words = (radicand.bits() + 2 * bits) / 64 + 1;
        if !meter::charge(words.saturating_mul(words)) {
            return None;
        }
        let root = BigInt::from((radicand << (2 * bits)).sqrt());
        let under = Dyadic { mantissa: root.clone(), exponent: -(bits as i64) }.times(factor);
        let over = Dyadic { mantissa: root + 1, exponent: -(bits as i64) }.times(factor);
        let (less, more) = if factor.ordering() == Ordering::Greater { (under, over) } else { (over, under) };
        (low, high) = (low.plus(&less), high.plus(&more));
    }
    match (low.ordering(), high.ordering()) {
        (Ordering::Greater, _) => Some(Ordering::Greater),
        (_, Ordering::Less) => Some(Ordering::Less),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: f64) -> Dyadic {
        Dyadic::of(value)
    }

    fn roots(plain: f64, terms: &[(f64, f64)]) -> Roots<Dyadic> {
        let all = terms.iter().map(|&(factor, radicand)| (number(factor), number(radicand)));
        Roots { plain: number(plain), roots: all.collect() }
    }

    #[test]
    fn sums_and_products_are_exact() {
        // 0.1 + 0.2 is not 0.3 in doubles, and here the difference is seen without rounding.
        let sum = number(0.1).plus(&number(0.2));
        assert_eq!(sum.compare(&number(0.3)), Ok(Ordering::Greater));
        assert_eq!(sum.minus(&number(0.2)).compare(&number(0.1)), Ok(Ordering::Equal));
        let tiny = number(5e-324);
        assert_eq!(tiny.times(&tiny).sign(), Ok(Ordering::Greater));
        assert_eq!(number(1e300).plus(&tiny).compare(&number(1e300)), Ok(Ordering::Greater));
        assert_eq!(number(-1.5).times(&number(4.0)).compare(&number(-6.0)), Ok(Ordering::Equal));
    }

    #[test]
    fn what_is_rounded_is_close() {
        for value in [1.0, -0.1, 1e300, -5e-324, 123_456.789, 0.0] {
            assert_eq!(number(value).rounded(0), value);
        }
        let huge = number(1e300).times(&number(1e300)).plus(&number(1.0));
        let power = -huge.height();
        assert!((0.5..=1.0).contains(&huge.rounded(power)), "{}", huge.rounded(power));
        assert!((number(1e300).rounded(power) / huge.rounded(power) - 1e-300).abs() < 1e-314);
    }

    #[test]
    fn roots_are_compared_exactly() {
        assert_eq!(roots(-3.0, &[(1.0, 9.0)]).sign(), Ok(Ordering::Equal));
        assert_eq!(roots(-3.0, &[(1.0, 9.0_f64.next_up())]).sign(), Ok(Ordering::Greater));
        // √2 + √8 - 3√2 = 0: equal radicands are seen to be equal.
        assert_eq!(roots(0.0, &[(1.0, 2.0), (1.0, 8.0), (-3.0, 2.0)]).sign(), Ok(Ordering::Equal));
        assert_eq!(roots(0.0, &[(1.0, 0.125), (-1.0, 2.0)]).sign(), Ok(Ordering::Less));
        // √2 + √3 = 3.14626...
        assert_eq!(roots(-3.146_264_369_941_972, &[(1.0, 2.0), (1.0, 3.0)]).sign(), Ok(Ordering::Greater));
        assert_eq!(roots(-3.146_264_369_941_973, &[(1.0, 2.0), (1.0, 3.0)]).sign(), Ok(Ordering::Less));
        // √6 = √2 √3, so √2 + √3 - √(5 + 2 √6) cannot be written here; √12 = 2√3 over two more roots can, and is zero.
        assert_eq!(roots(0.0, &[(2.0, 3.0), (1.0, 5.0), (-1.0, 12.0), (-1.0, 5.0)]).sign(), Ok(Ordering::Equal));
    }
}
