//! The two kinds of numbers that every check is written for: intervals, which are fast and may not know, and dyadic
//! rationals, which are exact.
//!
//! A check is a function over [`Number`]. It runs with intervals first; where the sign of something is unclear it runs
//! again with exact numbers. Divisions do not occur: denominators are carried along (see [`crate::pose`]), so sums and
//! products of doubles are all there is, and those are exact as multiples of powers of two.
//!
//! Rotating bodies have sines, which are not dyadic. Checks of motions are functions over [`Real`]: intervals of
//! doubles first, then intervals of 256 bits.

mod dyadic;
mod interval;
pub(crate) mod meter;
mod real;
mod wide;

pub(crate) use dyadic::Dyadic;
pub(crate) use interval::Interval;
pub(crate) use real::{Real, norm, turn};
pub(crate) use wide::Wide;

use std::cmp::Ordering;

/// A sign that this kind of number cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unclear;

/// The operations that checks use.
pub(crate) trait Number: Clone {
    /// A finite double as it is.
    fn of(value: f64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// The larger of the two.
    fn larger(&self, other: &Self) -> Self;
    /// Is it less than, equal to or greater than zero?
    fn sign(&self) -> Result<Ordering, Unclear>;
    /// The sign of a sum with square roots.
    fn sign_of(sum: &Roots<Self>) -> Result<Ordering, Unclear>;

    fn zero() -> Self {
        Self::of(0.0)
    }

    fn negated(&self) -> Self {
        Self::zero().minus(self)
    }

    fn squared(&self) -> Self {
        self.times(self)
    }

    fn compare(&self, other: &Self) -> Result<Ordering, Unclear> {
        self.minus(other).sign()
    }
}

/// `plain + Σ factor √radicand`, with radicands that are not negative.
#[derive(Debug, Clone)]
pub(crate) struct Roots<N> {
    pub plain: N,
    pub roots: Vec<(N, N)>,
}

impl<N: Number> Roots<N> {
    pub fn plain(plain: N) -> Self {
        Self { plain, roots: Vec::new() }
    }

    /// The sum with `factor √radicand` added.
    pub fn and_root(mut self, factor: N, radicand: N) -> Self {
        self.roots.push((factor, radicand));
        self
    }

    pub fn plus(&self, other: &Self) -> Self {
        let roots = self.roots.iter().chain(&other.roots).cloned().collect();
        Self { plain: self.plain.plus(&other.plain), roots }
    }

    pub fn times(&self, factor: &N) -> Self {
        let roots = self.roots.iter().map(|(of, radicand)| (of.times(factor), radicand.clone())).collect();
        Self { plain: self.plain.times(factor), roots }
    }

    pub fn sign(&self) -> Result<Ordering, Unclear> {
        N::sign_of(self)
    }
}

/// Vectors of any kind of number.
pub(crate) type Vector<N> = [N; 3];

pub(crate) fn vector<N: Number>(v: [f64; 3]) -> Vector<N> {
    v.map(N::of)
}

pub(crate) fn dot<N: Number>(a: &Vector<N>, b: &Vector<N>) -> N {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

pub(crate) fn cross<N: Number>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    let minor = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

pub(crate) fn add<N: Number>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|i| a[i].plus(&b[i]))
}

pub(crate) fn subtract<N: Number>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|i| a[i].minus(&b[i]))
}

pub(crate) fn scale<N: Number>(a: &Vector<N>, factor: &N) -> Vector<N> {
    std::array::from_fn(|i| a[i].times(factor))
}

pub(crate) fn negate<N: Number>(a: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|i| a[i].negated())
}

/// A 3 x 3 matrix by rows.
pub(crate) type Matrix<N> = [Vector<N>; 3];

pub(crate) fn map<N: Number>(m: &Matrix<N>, v: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|i| dot(&m[i], v))
}

pub(crate) fn transpose<N: Number>(m: &Matrix<N>) -> Matrix<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i].clone()))
}
