//! Numbers with a bound on their error.
//!
//! Where a needle is short, |Ln| is negligible beside the size of L, and so is any constant times ε of one of them beside the other. The
//! rounding error of a derivative, which divides by |Ln|, therefore has to be followed through the formulas. Every number here comes
//! with how far it can be from what it stands for. The roundings of these bounds themselves are far below a thousandth of them, which
//! is added where they are used ([`Near::off`]).

use super::sum::Length;
use glam::DVec3;
use std::ops::{Add, Div, Mul, Sub};

/// Bound: an operation of doubles rounds by ε/2 of its result; a whole ε has room for the rounding of the bound itself.
const OF_OPERATION: f64 = f64::EPSILON;

/// A number that differs from what it stands for by no more than `error`, but for the rounding of that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub value: f64,
    error: f64,
}

impl Near {
    pub const ZERO: Self = Self { value: 0.0, error: 0.0 };

    /// By how much it may be off.
    pub fn off(self) -> f64 {
        1.001 * self.error
    }

    /// At least the absolute value of what it stands for.
    pub fn most(self) -> f64 {
        self.value.abs() + self.off()
    }

    /// At most what it stands for.
    pub fn low(self) -> f64 {
        self.value - self.off()
    }

    /// The root, if it is known to be positive: |√x - √x'| <= |x - x'| / √x'.
    pub fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Self { value, error: self.error / value + OF_OPERATION * value }
    }
}

impl Add for Near {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        Self { value, error: self.error + other.error + OF_OPERATION * value.abs() }
    }
}

impl Sub for Near {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let value = self.value - other.value;
        Self { value, error: self.error + other.error + OF_OPERATION * value.abs() }
    }
}

impl Mul for Near {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        let error = self.error * (other.value.abs() + other.error) + self.value.abs() * other.error;
        Self { value, error: error + OF_OPERATION * value.abs() }
    }
}

/// By a number that is known.
impl Mul<f64> for Near {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        let value = self.value * by;
        Self { value, error: self.error * by.abs() + OF_OPERATION * value.abs() }
    }
}

/// By a positive number.
impl Div for Near {
    type Output = Self;

    fn div(self, by: Self) -> Self {
        let value = self.value / by.value;
        let error = (self.error + value.abs() * by.error) / (by.value - by.off());
        Self { value, error: error + OF_OPERATION * value.abs() }
    }
}

/// The image of a vector, with how far it can be from the exact one.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearVec {
    pub value: DVec3,
    pub length: f64,
    pub error: f64,
}

impl NearVec {
    /// L d, for a d whose coordinates are good to 2.5 ε each: sines and cosines, and products of two. The sum of three products rounds
    /// by 1.5 ε of their absolute values.
    pub fn image(length: &Length, d: DVec3) -> Self {
        let value = length.matrix * d;
        // 2.5 ε of the coordinates, 1.5 ε of the sum, and reserve.
        Self { value, length: value.length(), error: 5.0 * f64::EPSILON * length.columns.dot(d.abs()) }
    }

    pub fn dot(&self, other: &Self) -> Near {
        let error = self.error * (other.length + other.error) + self.length * other.error;
        // Three products and two sums round by less than 2 ε of the lengths.
        Near { value: self.value.dot(other.value), error: error + 2.0 * f64::EPSILON * self.length * other.length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::double_double::{DoubleDouble, DoubleVec3};
    use glam::{DMat3, DQuat};

    /// Needles in any axes, with directions across which most of their digits cancel, against numbers of twice the precision.
    #[test]
    fn what_a_number_stands_for_is_within_its_error() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut some = || rng.f64() - 0.5;
        for case in 0..20_000 {
            let thin = 10.0_f64.powf(20.0 * some());
            let turn = DMat3::from_quat(DQuat::from_xyzw(some(), some(), some(), some()).normalize());
            let length = Length::new(DMat3::from_diagonal(DVec3::new(thin, 1.0, thin)) * turn);
            let [x, y, z] = [0, 1, 2].map(|axis| turn.transpose().col(axis));
            let directions = [x + y * (thin * some()), z + y * (thin * some()), y + x * some()];
            let [u, v, w] = directions.map(|d| NearVec::image(&length, d));
            let rows = length.matrix.transpose();
            let exact = directions.map(|d| {
                let d = DoubleVec3::from(d);
                [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| DoubleVec3::from(row).dot(d))
            });
            let dot =
                |i: usize, j: usize| (0..3).fold(DoubleDouble::ZERO, |sum, row| sum + exact[i][row] * exact[j][row]);
            let two = DoubleDouble::from(2.0);
            let near = u.dot(&v) * 2.0 / u.dot(&u);
            let pairs = [
                (u.dot(&u), dot(0, 0)),
                (u.dot(&w), dot(0, 2)),
                (near, dot(0, 1) * two / dot(0, 0)),
                ((v.dot(&w) - near * u.dot(&w) * near) / u.dot(&u), {
                    let near = dot(0, 1) * two / dot(0, 0);
                    (dot(1, 2) - near * dot(0, 2) * near) / dot(0, 0)
                }),
            ];
            for (k, (found, exact)) in pairs.into_iter().enumerate() {
                let error = (DoubleDouble::from(found.value) - exact).value().abs();
                // As long as the number that is divided by is known to be positive.
                let is_known = k < 2 || u.dot(&u).low() > 0.0;
                assert!(!is_known || error <= found.off(), "case {case}, {k}: {error} above {}", found.off());
            }
            // √x by its square.
            let (root, x) = (u.dot(&u).sqrt(), dot(0, 0).value());
            assert!(root.low() <= x.sqrt() && x.sqrt() <= root.most(), "case {case}");
        }
    }
}
