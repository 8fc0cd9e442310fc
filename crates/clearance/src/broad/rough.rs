//! Boxes in single precision, rounded outward: they filter, and never decide.

use crate::math::Aabb;
use wide::f32x4;

/// A box in single precision that holds a box in double precision; the fourth lanes are free for other use.
#[derive(Debug, Clone, Copy)]
pub struct Rough {
    pub min: f32x4,
    pub max: f32x4,
}

/// Boxes with coordinates beyond this, infinite ones among them, are not made rough, so that areas and the like stay finite in single
/// precision times double. Bound: below 3.4e38, the largest `f32`, with room for sums and margins.
const FAR: f64 = 1e30;

/// Can the box be made rough?
#[inline]
pub fn is_bounded(bounds: &Aabb) -> bool {
    // A proper box: the other two corners follow.
    bounds.min.min_element() >= -FAR && bounds.max.max_element() <= FAR
}

impl Rough {
    /// The neutral element of [`Rough::merged`].
    pub const NOTHING: Self = Self { min: f32x4::new([f32::INFINITY; 4]), max: f32x4::new([f32::NEG_INFINITY; 4]) };

    /// The box grown by `margin` and rounded outward; it must be bounded.
    #[inline(always)]
    pub fn around(bounds: &Aabb, margin: f32) -> Self {
        Self::outward(bounds.min.to_array(), bounds.max.to_array(), margin)
    }

    #[inline(always)]
    fn outward(a: [f64; 3], b: [f64; 3], margin: f32) -> Self {
        // A one in the fourth lanes, not a zero: what is computed with it stays clear of subnormal numbers, which are slow.
        let min = f32x4::new([a[0] as f32, a[1] as f32, a[2] as f32, 1.0]);
        let max = f32x4::new([b[0] as f32, b[1] as f32, b[2] as f32, 1.0]);
        // Rounding to nearest moved the numbers by half a unit in the last place at most, and this is a whole one. The
        // least normal number is there for what became zero or subnormal.
        let (unit, least) = (f32x4::splat(f32::EPSILON), f32x4::splat(f32::MIN_POSITIVE + margin));
        Self { min: min - (min.abs() * unit + least), max: max + (max.abs() * unit + least) }
    }

    /// The box rounded outward, with its axes in the order X, Y, Z and `mark` in the fourth lane of `min`.
    #[inline(always)]
    pub fn turned<const X: usize, const Y: usize, const Z: usize>(bounds: &Aabb, mark: f32) -> Self {
        let (a, b) = (bounds.min.to_array(), bounds.max.to_array());
        let Self { min, max } = Self::outward([a[X], a[Y], a[Z]], [b[X], b[Y], b[Z]], 0.0);
        // Not lane by lane: the compiler would write them one by one, and who reads them together would wait.
        let three = f32x4::new([f32::from_bits(u32::MAX), f32::from_bits(u32::MAX), f32::from_bits(u32::MAX), 0.0]);
        Self { min: min & three | f32x4::new([0.0, 0.0, 0.0, mark]), max }
    }

    /// Are all sides shorter than that?
    #[inline(always)]
    pub fn is_shorter(&self, length: f32) -> bool {
        (self.max - self.min).simd_lt(f32x4::splat(length)).to_bitmask() & 7 == 7
    }

    /// Do the boxes in double precision overlap for sure? "No" may mean "unclear".
    ///
    /// A rough coordinate is within 4 units of 2^-23 of the true one, relative to its own size, and slightly more for tiny ones.
    /// Differences must be eight times as large as both together.
    #[inline(always)]
    pub fn surely_overlaps(&self, other: &Self) -> bool {
        let (unit, least) = (f32x4::splat(64.0 * f32::EPSILON), f32x4::splat(1e-36));
        let slack = (self.min.abs() + self.max.abs() + other.min.abs() + other.max.abs()) * unit + least;
        let deep = (other.max - self.min).simd_ge(slack) & (self.max - other.min).simd_ge(slack);
        deep.to_bitmask() & 7 == 7
    }

    /// Are all coordinates far from the ends of single precision? Made from an infinite coordinate, they are not.
    #[inline(always)]
    pub fn is_bounded(&self) -> bool {
        let far = f32x4::splat(FAR as f32);
        (self.min.simd_ge(-far) & self.max.simd_le(far)).to_bitmask() & 7 == 7
    }

    /// Might the boxes in double precision overlap?
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        (self.min.simd_le(other.max) & other.min.simd_le(self.max)).to_bitmask() & 7 == 7
    }

    /// Is the other one inside?
    #[inline(always)]
    pub fn holds(&self, other: &Self) -> bool {
        (self.min.simd_le(other.min) & other.max.simd_le(self.max)).to_bitmask() & 7 == 7
    }

    #[inline(always)]
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.fast_min(other.min), max: self.max.fast_max(other.max) }
    }

    /// Half the surface.
    #[inline(always)]
    pub fn area(&self) -> f32 {
        let [x, y, z, _] = (self.max - self.min).to_array();
        x * y + y * z + z * x
    }

    /// A lower bound on the distance of the boxes in double precision.
    pub fn distance(&self, other: &Aabb) -> f64 {
        let (min, max) = (self.min.to_array(), self.max.to_array());
        let mut square = 0.0;
        for axis in 0..3 {
            let apart = (other.min[axis] - f64::from(max[axis])).max(f64::from(min[axis]) - other.max[axis]).max(0.0);
            square += apart * apart;
        }
        // A few roundings less.
        square.sqrt() * (1.0 - 1e-15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_rough_box_holds_its_box_at_every_scale() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..100_000 {
            let mut draw = || (rng.f64() - 0.5) * 10f64.powi(rng.i32(-60..30));
            let (p, q) = (DVec3::new(draw(), draw(), 0.0), DVec3::new(draw(), draw(), -0.0));
            let bounds = Aabb { min: p.min(q), max: p.max(q) };
            let rough = Rough::around(&bounds, 0.0);
            for axis in 0..3 {
                assert!(f64::from(rough.min.to_array()[axis]) <= bounds.min[axis], "{bounds:?}");
                assert!(f64::from(rough.max.to_array()[axis]) >= bounds.max[axis], "{bounds:?}");
            }
        }
    }
}
