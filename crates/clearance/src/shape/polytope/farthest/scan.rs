//! The farthest of a few vertices by looking at all of them, several at a time.

use crate::math::Span;
use glam::{DMat3, DVec3, Vec3A, Vec4};
use wide::{f32x4, f64x2};

/// The coordinates of some vertices in blocks for SIMD, in double and in single precision.
///
/// A block that is not full is filled up with the first vertex, which cannot win a comparison it does not win already.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    exact: Vec<[[f64x2; 3]; 2]>,
    /// Coordinates, and the numbers of the vertices as bits.
    rough: Vec<[f32x4; 4]>,
    points: Vec<Vec3A>,
}

/// The largest number of vertices of a scan. Layout: a power of two; vertex numbers take the last five bits of a height.
pub const MAX_SCAN: usize = 32;

/// Error of a height in single precision, in parts of the bounding radius. Bound: a coordinate and an entry of the matrix are rounded, then
/// come a product and two sums, 5 roundings of 2^-24, for each of three coordinates whose sum is at most √3 of the bounding radius.
pub const ROUGH: f64 = 16.0 / 16_777_216.0;

/// Bounding radii of a scan in single precision. Bound: products of two lengths stay below the largest and above the smallest normal `f32`.
pub const ROUGH_REACH: std::ops::Range<f64> = 1e-30..1e30;

/// The bits of a height that hold a vertex number. Layout: all below [`MAX_SCAN`], a power of two.
const NUMBER_BITS: u32 = MAX_SCAN as u32 - 1;

impl Scan {
    /// A scan over at most [`MAX_SCAN`] vertices; there must be at least one.
    #[must_use]
    pub fn new(vertices: &[DVec3]) -> Self {
        debug_assert!((1..=MAX_SCAN).contains(&vertices.len()));
        let at = |index: usize| vertices.get(index).copied().unwrap_or(vertices[0]);
        let exact = (0..vertices.len().div_ceil(4)).map(|block| {
            let lane = |axis: usize| std::array::from_fn(|lane| at(4 * block + lane)[axis]);
            let pair = |axis: usize, half: usize| {
                let lanes: [f64; 4] = lane(axis);
                f64x2::new([lanes[2 * half], lanes[2 * half + 1]])
            };
            [0, 1].map(|half| [pair(0, half), pair(1, half), pair(2, half)])
        });
        let rough = (0..vertices.len().div_ceil(4)).map(|block| {
            let lane = |axis: usize| std::array::from_fn(|lane| at(4 * block + lane)[axis] as f32);
            let number = |lane: usize| if 4 * block + lane < vertices.len() { 4 * block + lane } else { 0 };
            let numbers = std::array::from_fn(|lane| f32::from_bits(number(lane) as u32));
            [f32x4::new(lane(0)), f32x4::new(lane(1)), f32x4::new(lane(2)), f32x4::new(numbers)]
        });
        let points = vertices.iter().map(|v| v.as_vec3a()).collect();
        Self { exact: exact.collect(), rough: rough.collect(), points }
    }

    /// The first vertex that is farthest along `direction`.
    #[inline(always)]
    #[must_use]
    pub fn farthest(&self, direction: DVec3) -> u32 {
        let (x, y, z) = (f64x2::splat(direction.x), f64x2::splat(direction.y), f64x2::splat(direction.z));
        let mut heights = [[f64x2::ZERO; 2]; MAX_SCAN / 4];
        let mut best = [f64x2::splat(f64::NEG_INFINITY); 2];
        for (block, heights) in self.exact.iter().zip(&mut heights) {
            for half in 0..2 {
                let [bx, by, bz] = block[half];
                let height = bx * x + by * y + bz * z;
                heights[half] = height;
                best[half] = best[half].fast_max(height);
            }
        }
        let best = best[0].fast_max(best[1]).to_array();
        let highest = f64x2::splat(if best[1] > best[0] { best[1] } else { best[0] });
        let mut hits = 0;
        for (place, [left, right]) in (0..).step_by(4).zip(&heights[..self.exact.len().min(MAX_SCAN / 4)]) {
            hits |= (left.simd_eq(highest).to_bitmask() | right.simd_eq(highest).to_bitmask() << 2) << place;
        }
        // No hit at all: the heights are NaN.
        hits.trailing_zeros() % MAX_SCAN as u32
    }

    /// How far the vertices reach along `direction`, times its length: the same without asking which one it is.
    #[inline]
    #[must_use]
    pub fn height(&self, direction: DVec3) -> f64 {
        let (x, y, z) = (f64x2::splat(direction.x), f64x2::splat(direction.y), f64x2::splat(direction.z));
        let mut best = [f64x2::splat(f64::NEG_INFINITY); 2];
        for block in &self.exact {
            for half in 0..2 {
                let [bx, by, bz] = block[half];
                best[half] = best[half].fast_max(bx * x + by * y + bz * z);
            }
        }
        let best = best[0].fast_max(best[1]).to_array();
        if best[1] > best[0] { best[1] } else { best[0] }
    }

    /// How far the vertices reach along the rows of a matrix, and against them: the three lowest and the three highest heights, in one
    /// pass.
    #[inline]
    #[must_use]
    pub fn span(&self, rows: &DMat3) -> Span {
        let [x, y, z] = [rows.x_axis, rows.y_axis, rows.z_axis].map(|column| column.to_array().map(f64x2::splat));
        let mut low = [f64x2::splat(f64::INFINITY); 3];
        let mut high = [f64x2::splat(f64::NEG_INFINITY); 3];
        for [bx, by, bz] in self.exact.as_flattened() {
            for row in 0..3 {
                let height = *bx * x[row] + *by * y[row] + *bz * z[row];
                low[row] = low[row].fast_min(height);
                high[row] = high[row].fast_max(height);
            }
        }
        let lower = |pair: f64x2| {
            let [a, b] = pair.to_array();
            if b < a { b } else { a }
        };
        let higher = |pair: f64x2| {
            let [a, b] = pair.to_array();
            if b > a { b } else { a }
        };
        [DVec3::from_array(low.map(lower)), DVec3::from_array(high.map(higher))]
    }

    /// [`Self::span`] in single precision, off by no more than [`ROUGH`] of the bounding radius, which must be within [`ROUGH_REACH`].
    #[inline(always)]
    #[must_use]
    pub fn span_f32(&self, rows: &DMat3) -> Span {
        let splat = |column: DVec3| column.to_array().map(|entry| f32x4::splat(entry as f32));
        let (x, y, z) = (splat(rows.x_axis), splat(rows.y_axis), splat(rows.z_axis));
        let mut low = [f32x4::splat(f32::INFINITY); 3];
        let mut high = [f32x4::splat(f32::NEG_INFINITY); 3];
        for [bx, by, bz, _] in &self.rough {
            for row in 0..3 {
                let height = *bx * x[row] + *by * y[row] + *bz * z[row];
                low[row] = low[row].fast_min(height);
                high[row] = high[row].fast_max(height);
            }
        }
        // Lanes of a row become rows of lanes, so that all three are reduced at once.
        let rows = |[x, y, z]: [f32x4; 3]| f32x4::transpose([x, y, z, z]);
        let widened = |lanes: f32x4| {
            let [x, y, z, _] = lanes.to_array();
            DVec3::new(f64::from(x), f64::from(y), f64::from(z))
        };
        let ([a, b, c, d], [e, f, g, h]) = (rows(low), rows(high));
        let lowest = a.fast_min(b).fast_min(c.fast_min(d));
        let highest = e.fast_max(f).fast_max(g.fast_max(h));
        [widened(lowest), widened(highest)]
    }

    /// A vertex that is farthest but for the rounding of single precision, and its rounded coordinates.
    ///
    /// The last bits of a height are replaced by the number of its vertex, so that one maximum finds both: heights are
    /// compared to 2^-17 of their size.
    #[inline(always)]
    #[must_use]
    pub fn farthest_f32(&self, direction: Vec3A) -> (Vec3A, u32) {
        let (x, y, z) = (f32x4::splat(direction.x), f32x4::splat(direction.y), f32x4::splat(direction.z));
        let high_bits = f32x4::splat(f32::from_bits(!NUMBER_BITS));
        let mut best = f32x4::splat(f32::MIN);
        for [bx, by, bz, number] in &self.rough {
            let height = *bx * x + *by * y + *bz * z;
            best = best.fast_max((height & high_bits) | *number);
        }
        let vertex = Vec4::from_array(best.to_array()).max_element().to_bits() & NUMBER_BITS;
        // Heights that are NaN can yield a number of no vertex.
        self.points.get(vertex as usize).map_or((self.points[0], 0), |&point| (point, vertex))
    }
}
