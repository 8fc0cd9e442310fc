//! A ray in the frame of a shape: a straight line whose zero is next to the middle of the shape.
//!
//! The rounding error of a ray grows with the distance from its origin to the shape. So the line is given by its point next to the middle
//! of the shape, q = p + t₀ u, and the place on it by s = t - t₀, which is as small as the shape. Turned and moved in plain numbers, q is
//! good to 40 ε of that way; in numbers of twice the digits ([`LocalRay::precise`]) to ε of q itself, however far away the ray begins.

use crate::math::Pose;
use crate::math::double_double::{DoubleDouble, DoubleVec3};
use crate::math::rounding::NORMALIZED;
use crate::shape::Part;
use glam::{DMat3, DVec3};
use wide::f64x2;

/// Error of a vector that is rotated by a quaternion. Bound: 13 ε for the rotation, and 3 ε since the quaternion is a unit up to rounding.
pub(super) const TURNED: f64 = 16.0 * f64::EPSILON;

/// Error of the square of a length that underflows, as a length. Bound: 1e-300 is above the smallest normal number, 2.2e-308.
pub(super) const LEAST: f64 = 1e-150;

/// Error of numbers of twice the digits after some 60 operations. Bound: 60 times 2^-104 is 3e-30.
const LACK: f64 = 1e-28;

/// The points `point + s * along`. There is a true line, straight too, of which these are the rounded numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub point: DVec3,
    pub along: DVec3,
    /// How far the true point at s = 0 may be from `point`, and the true vector from `along`.
    pub errors: [f64; 2],
    /// The length of `along`, to rounding: one unless the line is that before a map.
    pub speed: f64,
}

impl Line {
    pub fn at(&self, s: f64) -> DVec3 {
        self.point + self.along * s
    }

    /// How far the true point of any s up to `reach` may be from [`Line::at`], before that is rounded.
    #[inline(always)]
    pub fn error(&self, reach: f64) -> f64 {
        self.errors[0] + self.errors[1] * reach
    }

    /// This line run the other way, with -s for s.
    pub fn reversed(&self) -> Self {
        Self { along: -self.along, ..*self }
    }

    /// The line in the frame of a part of a compound.
    #[inline(always)]
    pub fn in_part(&self, part: &Part) -> Self {
        let between = self.point - part.pose.translation();
        // No less than the length, and no root.
        let far = between.abs().element_sum();
        let turned = TURNED + part.turn();
        let point_error = self.errors[0] + turned * far + part.shift();
        let along_error = self.errors[1] + turned * self.speed;
        // Many parts are only moved; the formula would leave the vectors as they are.
        let [point, along] = if part.pose.is_turned() {
            both_turned_back(&part.pose, between, self.along)
        } else {
            [between, self.along]
        };
        Self { point, along, errors: [point_error, along_error], speed: self.speed }
    }

    /// The line whose image under a linear map this one is; nothing if the map is so close to singular that it says little.
    ///
    /// X is the computed inverse of M and R = 1 - X M. Then M⁻¹ = (1 - R)⁻¹ X, so that M⁻¹ - X is no larger than |R| |X| / (1 - |R|).
    pub fn before(&self, matrix: DMat3) -> Option<Self> {
        let inverse = matrix.inverse();
        let size = |m: DMat3| m.to_cols_array().into_iter().map(|x| x * x).sum::<f64>().sqrt();
        let length = size(inverse);
        // Three products and two sums to an entry of a product of matrices, with reserve.
        let off = size(inverse * matrix - DMat3::IDENTITY) + 16.0 * f64::EPSILON * length * size(matrix);
        // Written so that a NaN is refused.
        if !(off < 1e-3) {
            return None;
        }
        let [point, along] = [self.point, self.along].map(|v| inverse * v);
        // A product with X rounds by 4 ε of its lengths.
        let off = 2.0 * off + 4.0 * f64::EPSILON;
        let error = |error: f64, of: DVec3| length * ((1.0 + off) * error + off * of.length());
        let errors = [error(self.errors[0], self.point), error(self.errors[1], self.along)];
        Some(Self { point, along, errors, speed: along.length() })
    }

    /// This line with its zero at another place, the point of it that is next to a given one, and the s of that.
    #[inline(always)]
    pub fn recentered(&self, middle: DVec3) -> (Self, f64) {
        let shift = (middle - self.point).dot(self.along) / (self.speed * self.speed);
        if !shift.is_finite() {
            return (*self, 0.0);
        }
        // A product and a sum for each coordinate.
        let rounded = 2.0 * f64::EPSILON * (self.point.abs().element_sum() + shift.abs() * self.speed);
        let errors = [self.error(shift.abs()) + rounded, self.errors[1]];
        (Self { point: self.at(shift), errors, ..*self }, shift)
    }
}

/// A line, and where on it a ray begins: the distance along the ray is s - `start`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalRay {
    pub line: Line,
    pub start: f64,
}

impl LocalRay {
    /// A ray of the world, whose direction is a unit to rounding, in the frame of a shape whose middle is given.
    #[inline(always)]
    pub fn plain(pose: &Pose, origin: DVec3, direction: DVec3, middle: DVec3) -> Self {
        let between = origin - pose.translation();
        let [point, along] = both_turned_back(pose, between, direction);
        let to_middle = (middle - point).dot(along);
        // The difference, the turn, the step and their sum; what the direction is off by is taken along the way.
        let far = between.abs().element_sum() + to_middle.abs();
        // See above: a difference, a step and their sum add 4 ε.
        let errors = [(TURNED + 4.0 * f64::EPSILON) * far + LEAST, TURNED];
        Self { line: Line { point: point + along * to_middle, along, errors, speed: 1.0 }, start: -to_middle }
    }

    /// A ray at what is round about its origin: in the axes of the world.
    #[inline(always)]
    pub fn unturned(pose: &Pose, origin: DVec3, direction: DVec3) -> Self {
        let between = origin - pose.translation();
        let to_middle = -between.dot(direction);
        let far = between.abs().element_sum() + to_middle.abs();
        // Without a rotation: the difference, three products and the step round by less than 12 ε.
        let errors = [12.0 * f64::EPSILON * far + LEAST, 4.0 * f64::EPSILON];
        Self {
            line: Line { point: between + direction * to_middle, along: direction, errors, speed: 1.0 },
            start: -to_middle,
        }
    }

    /// A ray in the frame of a shape by numbers of twice the digits. `direction` is as it was written, of about any length but zero.
    #[cold]
    pub fn precise(pose: &Pose, origin: DVec3, direction: DVec3, middle: DVec3) -> Self {
        // A power of two changes no direction.
        let exponent = direction.abs().max_element().to_bits() & (2047 << 52);
        let factor = f64::from_bits((2045 << 52) - exponent.clamp(1 << 52, 2044 << 52));
        let direction = direction * factor;
        let between = DoubleVec3::from(origin) - DoubleVec3::from(pose.translation());
        let (point, along) = (turned_back(pose, between), turned_back(pose, direction.into()));
        // 1 / √x: a double, and a step of Newton's method on it.
        let square = along.dot(along);
        let root = DoubleDouble::from(1.0 / square.value().sqrt());
        let half = DoubleDouble::from(0.5);
        let inverse = root + root * half * (DoubleDouble::from(1.0) - square * root * root);
        let along = along * inverse;
        let to_middle = (DoubleVec3::from(middle) - point).dot(along).value();
        let near = point + along * DoubleDouble::from(to_middle);
        let far = between.value().length() + to_middle.abs();
        let rounded = near.value();
        // A rotation that was not a unit has been made one, once, when the pose was: that is what the pose is.
        let errors = [f64::EPSILON * rounded.length() + LACK * far + LEAST, 2.0 * f64::EPSILON];
        Self { line: Line { point: rounded, along: along.value(), errors, speed: 1.0 }, start: -to_middle }
    }
}

/// Two vectors of the world in the frame of a rotation x, y, z, w, one in each half of a register, by coordinate: v + w t - q × t with
/// t = -2 q × v.
#[inline(always)]
pub(super) fn pairs_turned_back(turn: [f64; 4], one: DVec3, other: DVec3) -> [f64x2; 3] {
    let both = |a: f64, b: f64| f64x2::new([a, b]);
    let (x, y, z) = (both(one.x, other.x), both(one.y, other.y), both(one.z, other.z));
    let [a, b, c, w] = turn.map(f64x2::splat);
    let (tx, ty, tz) = (c * y - b * z, a * z - c * x, b * x - a * y);
    let (tx, ty, tz) = (tx + tx, ty + ty, tz + tz);
    [x + w * tx + (c * ty - b * tz), y + w * ty + (a * tz - c * tx), z + w * tz + (b * tx - a * ty)]
}

/// Two vectors of the world in the frame of a pose.
#[inline(always)]
pub(super) fn both_turned_back(pose: &Pose, one: DVec3, other: DVec3) -> [DVec3; 2] {
    let [x, y, z] = pairs_turned_back(pose.rotation().to_array(), one, other).map(f64x2::to_array);
    [DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1])]
}

/// A vector of the world in the frame of a pose: x + 2 (w t + v × t) / |q|² with t = v × x and the conjugate (v, w) of the rotation.
fn turned_back(pose: &Pose, x: DoubleVec3) -> DoubleVec3 {
    let q = pose.rotation().conjugate();
    let (v, w) = (DoubleVec3::from(DVec3::new(q.x, q.y, q.z)), DoubleDouble::from(q.w));
    let t = v.cross(x);
    let twice = DoubleDouble::from(2.0) / (v.dot(v) + w * w);
    x + (v.cross(t) + t * w) * twice
}

// The direction is made a unit by two roundings for each coordinate, which turns it by no more than a rotation made a unit.
const _: () = assert!(NORMALIZED <= TURNED);
