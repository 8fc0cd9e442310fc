//! The half-space, the one unbounded shape.
//!
//! Queries are about the plane as it was written: a normal of any length, mapped and rounded any number of times. It is kept
//! to some hundred bits ([`Plane`]), since a map that is nearly singular makes a large angle of a small one, and only its unit
//! normal and offset are rounded. By how much they may be off all the same is known, and added to every bracket.

use crate::error::{self, BuildError};
use crate::math::expansion::{Expansion, cross, dot};
use glam::{DMat3, DVec3};

/// All points with `normal` · x <= `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    normal: DVec3,
    offset: f64,
    plane: Plane,
    turn: f64,
    shift: f64,
}

/// A plane n · x = d, in numbers of two doubles each. The largest coordinate of n is between 1/2 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    normal: [[f64; 2]; 3],
    offset: [f64; 2],
    /// How far the normal may be off, and the offset: zero if they are exact.
    errors: [f64; 2],
}

/// Relative error of a number of two doubles. Bound: the sum of two doubles has 106 bits, of which operations lose less than 6.
const LACK: f64 = 1.0 / (1u128 << 100) as f64;

/// Products of three numbers above `SAFE` are exact. Bound: 2^-900 times the 106 bits of an expansion stays above 2^-1074. The error of smaller
/// products is below `LOST`.
const SAFE: f64 = power_of_two(-300);
const LOST: f64 = power_of_two(-1000);

/// The largest error of a normal, relative to its length. Limit: a plane with a larger error is refused.
const MAX_TURN: f64 = 1e-6;

/// 2^exponent, for exponents of normal numbers.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The power of two that brings a number that is not zero to [1/2, 1), as two factors: one may be too large.
fn to_unit(largest: f64) -> [f64; 2] {
    // A subnormal number has no exponent of its own.
    let (normal, shift) = if largest < f64::MIN_POSITIVE { (largest * power_of_two(64), 64) } else { (largest, 0) };
    let exponent = 1022 - (normal.to_bits() >> 52) as i32 + shift;
    [power_of_two(exponent / 2), power_of_two(exponent - exponent / 2)]
}

impl Plane {
    /// Scales what was computed; `errors` are its own.
    fn of(normal: &[Expansion; 3], offset: &Expansion, errors: [f64; 2]) -> Option<Self> {
        let pairs = normal.each_ref().map(Expansion::pair);
        let largest = pairs.iter().fold(0.0, |largest: f64, ([high, _], _)| largest.max(high.abs()));
        if largest == 0.0 {
            return None;
        }
        let [up, more] = to_unit(largest);
        let mut is_lost = false;
        let mut scaled = |x: f64| {
            let y = x * up * more;
            is_lost |= x != 0.0 && y.abs() < SAFE * SAFE * SAFE;
            y
        };
        let (offset, is_whole) = offset.pair();
        let lack = |high: f64, is_whole: bool| if is_whole { 0.0 } else { LACK * high.abs() };
        let [mut normal_error, mut offset_error] = errors.map(|error| error * up * more);
        normal_error += pairs.iter().map(|&([high, _], is_whole)| lack(high, is_whole)).sum::<f64>() * up * more;
        offset_error += lack(offset[0], is_whole) * up * more;
        let (normal, offset) = (pairs.map(|(pair, _)| pair.map(&mut scaled)), offset.map(&mut scaled));
        if is_lost {
            normal_error += LOST;
            offset_error += LOST;
        }
        Some(Self { normal, offset, errors: [normal_error, offset_error] })
    }

    /// The normal as it was written, but for a factor.
    #[inline]
    pub(crate) fn normal(&self) -> [Expansion; 3] {
        self.normal.map(Expansion::from)
    }

    /// Is the normal exactly what was written, and its last bit above 2^-202? Then products with it can be too.
    pub(crate) fn is_exact(&self) -> bool {
        self.errors[0] == 0.0 && self.normal.as_flattened().iter().all(|&x| x == 0.0 || x.abs() >= power_of_two(-150))
    }

    /// Are all numbers large enough for exact products?
    fn is_safe(&self) -> bool {
        self.normal.iter().flatten().chain(&self.offset).all(|&x| x == 0.0 || x.abs() >= SAFE)
    }

    /// The length of the normal: a double and what it lacks.
    fn length(&self) -> [f64; 2] {
        let normal = self.normal();
        let square = dot(&normal, &normal);
        let root = square.value().sqrt();
        let rest = &square - &(&Expansion::from(root) * &Expansion::from(root));
        [root, rest.value() / (2.0 * root)]
    }
}

impl HalfSpace {
    /// The half-space below a plane; the normal may have any positive length, which scales the offset with it.
    pub fn new(normal: DVec3, offset: f64) -> Result<Self, BuildError> {
        let normal = error::vector(|| "normal".into(), normal)?;
        let offset = error::coordinate(|| "offset".into(), offset)?;
        let written = normal.to_array().map(Expansion::from);
        match Plane::of(&written, &offset.into(), [0.0; 2]) {
            Some(plane) => Self::below(plane, false),
            None => Err(BuildError::ZeroDirection { field: "normal".into() }),
        }
    }

    /// Everything below a plane, which may be derived from others.
    fn below(plane: Plane, is_derived: bool) -> Result<Self, BuildError> {
        let [length, _] = plane.length();
        let high = DVec3::from_array(plane.normal.map(|[high, _]| high));
        let (normal, offset) = (high / length, plane.offset[0] / length);
        let offset = error::coordinate(|| "offset divided by the length of normal".into(), offset)?;
        let [turn, shift] = plane.errors.map(|error| error / length);
        if turn > MAX_TURN {
            return Err(singular(
                "a matrix so close to singular leaves its normal no direction; give one that is clearly invertible",
            ));
        }
        // A written plane is rounded by less than 3 ε, which every answer allows for; a derived plane states its own error.
        let rounding = if is_derived { 3.0 * f64::EPSILON } else { 0.0 };
        let shift = 2.0 * (shift + turn * offset.abs()) + rounding * offset.abs();
        Ok(Self { normal, offset, plane, turn: 2.0 * turn + rounding, shift })
    }

    /// The unit normal, pointing out of the solid.
    #[inline]
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The distance of the plane from the origin along the normal.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The plane as it was written.
    pub(crate) fn plane(&self) -> &Plane {
        &self.plane
    }

    /// How far the normal may be from what was written, beyond what every answer allows for.
    #[inline]
    pub(crate) fn turn(&self) -> f64 {
        self.turn
    }

    /// How far the offset may be.
    #[inline]
    pub(crate) fn shift(&self) -> f64 {
        self.shift
    }

    /// Everything within `radius` of the half-space.
    pub(super) fn rounded(&self, radius: f64) -> Result<Self, BuildError> {
        let radius = error::size(|| "radius".into(), radius)?;
        error::coordinate(|| "offset plus radius".into(), self.offset + radius)?;
        let plane = &self.plane;
        // The plane moves by the radius times the length of its normal.
        let length = plane.length();
        let by = &Expansion::from(radius) * &Expansion::from(length);
        let [normal_error, offset_error] = plane.errors;
        // A normal along an axis has a length without a root: of the square of a double it is exact.
        let is_along_axis = plane.normal.iter().filter(|part| **part != [0.0; 2]).count() == 1
            && plane.normal.iter().all(|[_, low]| *low == 0.0);
        let lack = if is_along_axis { 0.0 } else { LACK * length[0] };
        let mut error = offset_error + 2.0 * radius * (normal_error + lack);
        if !plane.is_safe() || (radius > 0.0 && radius < SAFE) {
            error += LOST;
        }
        let offset = &Expansion::from(plane.offset) + &by;
        match Plane::of(&plane.normal(), &offset, [normal_error, error]) {
            Some(plane) => Self::below(plane, true),
            None => Err(singular("its normal has no direction; give a vector of any positive length")),
        }
    }

    /// The image under an invertible linear map M: y with n · M^-1 y <= d. Times the determinant, that is
    /// cof(M) n · y <= det(M) d, turned around if det(M) is negative: no inverse, only products.
    pub(super) fn affine(&self, matrix: DMat3) -> Result<Self, BuildError> {
        let mut largest = 0.0_f64;
        for row in 0..3 {
            for column in 0..3 {
                let entry = error::coordinate(|| format!("matrix[{row}][{column}]"), matrix.col(column)[row])?;
                largest = largest.max(entry.abs());
            }
        }
        const NOT_INVERTIBLE: &str =
            "only an invertible matrix can map one; give a matrix whose determinant is not zero";
        if largest == 0.0 {
            return Err(singular(NOT_INVERTIBLE));
        }
        // In a unit in which the largest entry is about one, s M has the cofactors s² cof(M) and the determinant s³ det(M).
        let scale = to_unit(largest);
        let scaled = matrix.to_cols_array_2d().map(|column| column.map(|x| x * scale[0] * scale[1]));
        let is_safe = |x: f64| x == 0.0 || x.abs() >= SAFE;
        let mut are_safe = self.plane.is_safe();
        for (before, after) in matrix.to_cols_array().into_iter().zip(scaled.as_flattened()) {
            are_safe &= is_safe(*after) && (before == 0.0) == (*after == 0.0);
        }
        let [x, y, z] = scaled.map(|column| column.map(Expansion::from));
        let cofactors = [cross(&y, &z), cross(&z, &x), cross(&x, &y)];
        let determinant = dot(&x, &cofactors[0]);
        // The lost part may be the whole number.
        let certain = if are_safe { 0.0 } else { LOST };
        if determinant.value().abs() <= certain {
            return Err(singular(NOT_INVERTIBLE));
        }
        let (normal, [mut normal_error, mut offset_error]) = (self.plane.normal(), self.plane.errors);
        let row = |i: usize| dot(&cofactors.each_ref().map(|column| column[i].clone()), &normal);
        let mut image = [row(0), row(1), row(2)];
        let size = determinant.value().abs();
        if determinant.value() < 0.0 {
            image = image.each_ref().map(|x| -x);
        }
        // In the unit of the matrix again: the offset is a length. Two factors, one after the other, keep it from overflowing.
        let determinant = if determinant.value() < 0.0 { -&determinant } else { determinant };
        let back = scale.map(|factor| Expansion::from(1.0 / factor));
        let offset = &(&(&determinant * &Expansion::from(self.plane.offset)) * &back[0]) * &back[1];
        // The factor covers the rounding of nine roots.
        let stretch = cofactors.iter().flatten().fold(0.0, |norm: f64, x| norm.hypot(x.value())) * (1.0 + 1e-9);
        normal_error = normal_error * stretch + certain;
        // The factor covers the rounding of the sums before it.
        offset_error = (offset_error * size * (1.0 + 1e-9) + certain) / scale[0] / scale[1];
        match Plane::of(&image, &offset, [normal_error, offset_error]) {
            Some(plane) => Self::below(plane, true),
            None => Err(singular(NOT_INVERTIBLE)),
        }
    }
}

fn singular(reason: &'static str) -> BuildError {
    BuildError::WrongKind { field: "shape".into(), kind: "half_space", reason }
}
