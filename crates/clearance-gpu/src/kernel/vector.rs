//! Vectors and rotations in single precision.

use core::ops::{Add, Mul, Neg, Sub};

/// A vector, or a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vec3 {
    /// First coordinate.
    pub x: f32,
    /// Second coordinate.
    pub y: f32,
    /// Third coordinate.
    pub z: f32,
}

impl Vec3 {
    /// The origin.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);

    /// From its coordinates.
    #[inline(always)]
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    /// The scalar product: three products, two sums from the left.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// The absolute values of the coordinates.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self::new(self.x.abs(), self.y.abs(), self.z.abs())
    }

    /// The sum of the coordinates.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        self.x + self.y + self.z
    }
}

impl Add for Vec3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vec3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Neg for Vec3 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl Mul<f32> for Vec3 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

/// The larger of two numbers, the second if one is NaN: written out, since `f32::max` may choose either zero.
#[inline(always)]
pub fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The square root, rounded to nearest.
#[inline(always)]
pub fn root(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    return x.sqrt();
}

/// A rotation matrix, by columns.
#[derive(Debug, Clone, Copy)]
pub struct Rotation {
    /// The images of the axes.
    pub columns: [Vec3; 3],
}

/// Squared lengths of quaternions that [`Rotation::of_quaternion`] takes. Bound: the squares and products of their parts neither
/// overflow nor lose a digit that matters beside the largest one.
const QUATERNION_SQUARES: core::ops::Range<f32> = 1e-12..1e12;

impl Rotation {
    /// No rotation.
    pub const IDENTITY: Self =
        Self { columns: [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)] };

    /// The rotation of a quaternion x, y, z, w of any length between 1e-6 and 1e6, else `None`: 1 - s (y² + z²) and so on with s = 2 / |q|².
    #[inline(always)]
    pub fn of_quaternion([x, y, z, w]: [f32; 4]) -> Option<Self> {
        let (xx, yy, zz) = (x * x, y * y, z * z);
        let square = xx + yy + zz + w * w;
        // A NaN is in no range.
        if !QUATERNION_SQUARES.contains(&square) {
            return None;
        }
        let s = 2.0 / square;
        let (xy, xz, yz) = (x * y, x * z, y * z);
        let (xw, yw, zw) = (x * w, y * w, z * w);
        Some(Self {
            columns: [
                Vec3::new(1.0 - s * (yy + zz), s * (xy + zw), s * (xz - yw)),
                Vec3::new(s * (xy - zw), 1.0 - s * (xx + zz), s * (yz + xw)),
                Vec3::new(s * (xz + yw), s * (yz - xw), 1.0 - s * (xx + yy)),
            ],
        })
    }

    /// A vector, rotated.
    #[inline(always)]
    pub fn apply(&self, v: Vec3) -> Vec3 {
        let [a, b, c] = self.columns;
        a * v.x + b * v.y + c * v.z
    }

    /// A vector, rotated back.
    #[inline(always)]
    pub fn back(&self, v: Vec3) -> Vec3 {
        let [a, b, c] = self.columns;
        Vec3::new(a.dot(v), b.dot(v), c.dot(v))
    }
}

/// The seven numbers of a pose: translation x, y, z and quaternion x, y, z, w.
pub type PoseNumbers = [f32; 7];

/// The points of a core, wherever they lie in memory.
pub trait Points: Copy {
    /// Their number, at least one.
    fn count(self) -> u32;
    /// One of them; the origin where there is none.
    fn point(self, index: u32) -> Vec3;
}

/// A vertex in a table. Layout: sixteen bytes, which a GPU loads at once; the fourth number is unused.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Its coordinates, and zero.
    pub numbers: [f32; 4],
}

impl Points for &[Vertex] {
    #[inline(always)]
    fn count(self) -> u32 {
        self.len() as u32
    }

    #[inline(always)]
    fn point(self, index: u32) -> Vec3 {
        match self.get(index as usize) {
            Some(&Vertex { numbers: [x, y, z, _] }) => Vec3::new(x, y, z),
            None => Vec3::ZERO,
        }
    }
}
