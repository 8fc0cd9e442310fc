//! The rounding errors of the kernels, bounded.
//!
//! Notation: u = 2^-24 is the largest relative error of one operation. R_A and R_B are the bounding radii of the cores, t the vector from the
//! origin of A to that of B, σ = R_A + R_B + |t|. All steps are to first order in u; second-order terms are below 1e-6 of the first and are covered by
//! the reserve. Underflow adds at most 2^-149 to a result, which the sizes in [`SIZES`] make negligible.
//!
//! # One rotation: 29 u
//!
//! With n = |q|² the matrix has entries 2 (xy ± zw) / n and 1 - 2 (yy + zz) / n.
//! 1. n: squares and three sums of positive numbers, 4 u relative; s = 2 / n: 5 u relative.
//! 2. Off the diagonal: |xy| + |zw| ≤ n / 2, so the sum of products is off by 2 u (|xy| + |zw|) ≤ u n, the entry by 2 u + 6 u |R_ij|. Over six
//!    entries, in the Frobenius norm: 2 √6 u + 6 √3 u = 15.3 u.
//! 3. On the diagonal: 8 u (1 - R_ii) + u |R_ii|. The numbers 1 - R_ii are (1 - cos θ)(1 - a_i²) for a unit axis a, and their vector has length at
//!    most 2 √2. Together 8 · 2.83 u + √3 u = 24.4 u.
//! 4. The root of the sum of both squares is 28.8 u. One entry is off by at most 17 u.
//!
//! # A height: 43 u σ
//!
//! For a direction v (exact: whatever number it is) the height of A - B is min v·a - max v·b - v·t over the vertices.
//! 1. The direction in the frame of a shape, Mᵀ v: the matrix gives 29 u |v|; three products and two sums for each coordinate give
//!    3 u |column| |v|, 5.2 u |v| over three coordinates.
//! 2. A vertex is rounded to `f32` (u R), the scalar product rounds by 3 u |v| R. So v·a is off by 38.2 u |v| R_A, v·b by 38.2 u |v| R_B. The
//!    minimum of the computed numbers bounds the minimum of the true ones; it does not matter which vertex attains it.
//! 3. t is a difference of two `f32` vectors, rounded once for each coordinate (u |t|), and v·t rounds by 3 u |v||t|: 4 u |v||t|.
//! 4. Two sums: at most 2 u |v| σ. The length of v, squared, summed and rooted, is off by 2.5 u, and so is a quotient by it but for one more.
//!
//! Together at most (38.2 + 2 + 2.5) u |v| σ ≤ 43 u |v| σ. A product of poses, as a robot has, is bounded in `arm`.
//!
//! # A point of A - B: 40 u σ
//!
//! M a: 29 u R from the matrix, 5.2 u R from products and sums, u R from the vertex; the difference of the two and t: 2 u σ; t itself: u |t|. Together
//! 37.2 u σ, and 40 u σ with reserve.
//!
//! # The nearest point of a simplex: 20 u σ more
//!
//! The point n + α (a - n) + β (b - n) has α, β ≥ 0 and α + β ≤ 1 + 2 u: differences round by 2 u L each, products by 2 u L, sums by 3 u L, the
//! excess of the sum moves it by 4 u L; together 14 u L for points no longer than L ≤ σ (1 + 40 u). Its length rounds by 2.5 u L.
//!
//! # An origin inside of a tetrahedron
//!
//! Move the vertices of a triple product p·(q×r) by δ each, all no longer than L: it changes by at most 3 δ L² + 3 δ² L + δ³. Computing it rounds by
//! (2 √2 + 3) u L³ ≤ 6 u σ L². With δ = 40 u σ and a volume above 4 · [`ERROR`] σ L² (so that L > 4 · [`ERROR`] σ ≥ 9 δ) the change is at most
//! 3 δ L² (1 + 1/9 + 1/243) ≤ 134 u σ L², and 140 u σ L² with the rounding. [`ERROR`] has 384. Four volumes of one sign that no such motion
//! changes put the origin inside of the tetrahedron of the true points, which are points of A - B.
//!
//! # Balls: 8 u σ
//!
//! A core is inside of the ball of its bounding radius about its origin, at any rotation, and a ball about its origin may be inside of it. So the gap is at
//! least |t| less the bounding radii, and at most |t| less the inner ones. t rounds by u |t|, its squared length by 3 u relative, the sums of radii and their
//! square by 4 u.
//!
//! # The library's promise
//!
//! [`intersects`](clearance::intersects) says `false` for gaps above 4e-14 of the sizes, and never above its own bound; a proof here has a
//! gap of more than 20 u σ, so both agree. A proved overlap is one that the library cannot deny, since its `false` is a proof.

/// Error bound of heights and of points, relative to σ and the margin: 96 u. Bound: 43 u for heights, 40 u + 20 u for the length of a nearest point,
/// 2 u for the sum of the margin and this bound; the rest is reserve.
pub const ERROR: f32 = 96.0 * UNIT;

/// Error bound of the fifteen axes of two boxes, relative to the sum of all half extents and coordinates of t: 32 u. Bound: each length is
/// multiplied by one entry of the matrix, which is off by 17 u, and goes through at most 6 roundings.
pub const BOX_ERROR: f32 = 32.0 * UNIT;

/// The largest relative error of an operation, 2^-24. Bound: half a unit in the last place of 24 bits.
pub const UNIT: f32 = 5.960_464_5e-8;

/// Sizes σ with which the search works, in units of the larger shape. Bound: products of four lengths stay in the range of `f32`, and
/// 2^-149 is below 1e-12 of the error bound times the shortest vector, [`SHORTEST`].
pub const SIZES: core::ops::Range<f32> = 1e-5..1e8;

/// Squares of lengths of directions below this end a search. Bound: σ is at least 1e-5 and its error bound 5e-11, below which nothing is
/// proved; 1e-26 is the square of 1e-13.
pub const SHORTEST: f32 = 1e-26;

/// Sizes of boxes and translations with which the test of boxes works, which forms products of two numbers. Bound: far inside of the range of `f32`, so that 2^-149
/// is below 1e-20 of the error bound.
pub const BOX_SIZES: core::ops::Range<f32> = 1e-15..1e15;
