//! Heights of everything below a child along fixed directions, one byte each: bounds that see a tilted patch as the thin thing it is.
//!
//! A box of a patch of size s that is tilted against the axes is about s thick; the patch itself is about s² / (radius of curvature) thick. Dense
//! meshes are apart by far less than their leaves are long, so boxes leave most pairs of leaves near the closest points open, and heights
//! close them.
//!
//! **Directions.** The [`ROWS`] integer vectors k with |k_x| + |k_y| + |k_z| = [`ORDER`], the points of an octahedron's surface on a grid. Every
//! vector w is a combination of the three corners of a grid triangle, w = Σ β_m k_m with β_m ≥ 0 and Σ β_m = (|w_x| + |w_y| + |w_z|) / ORDER. So for all points x below a child with the middle c
//!
//! ```text
//! w·x ≤ w·c + Σ β_m h(k_m),   h(k) = max over x of k·(x - c)
//! ```
//!
//! and a bound along any direction takes three rows, however many rows there are. Along a unit vector the sum is above the true height by at most 0.35 of how
//! far the child extends from its middle (a flat disc across w attains that), 0.23 on average.
//!
//! **Invariants.** (H1) h is rounded up: `row × unit` is at least max k·(x - c), where c is the middle that the node stores and x any corner of an item below the child, in exact
//! arithmetic. (H2) Node for node: the heights of a child are in the lane of its box. (H3) Rows come in opposite pairs, 2 m and 2 m + 1.
//!
//! **Memory and time.** 280 bytes for a node. They are built on the first distance query; intersection tests do not need them.

use super::wide::WideNode;
use super::{WIDTH, WideView};
use glam::{DVec3, Vec3};
use wide::{f32x4, f32x8, i32x4};

/// The sum of the coordinates of a direction. Layout: with 3 a node takes 168 bytes and a distance 5 to 40 % longer, with 6 it takes 600 bytes and a distance 10 to 28 % less.
const ORDER: usize = 4;

/// How many directions there are. Layout: four faces of the octahedron and their opposites share edges and corners.
pub(crate) const ROWS: usize = 4 * ORDER * ORDER + 2;

/// Pairs of opposite directions. Layout: half of [`ROWS`].
const PAIRS: usize = ROWS / 2;

/// Registers of eight that hold one height for each pair of directions. Layout: the last one is padded.
const REGISTERS: usize = PAIRS.div_ceil(8);

/// Steps of a height in a byte; one more is for rounding up. Layout: 255 is the largest byte.
const STEPS: f32 = 254.0;

/// The directions: row 2 m has the vector `DIRECTIONS[m]`, row 2 m + 1 its opposite.
const DIRECTIONS: [[i8; 3]; PAIRS] = directions();

/// The row of a direction: bits 5 to 7 are the signs of its coordinates, the rest is 5 |x| + |y|. Layout: corners of grid triangles that are outside of the octahedron, whose shares are zero but for rounding, have
/// the row of a corner that is near.
const ROW_OF: [u8; 256] = row_table();

const fn directions() -> [[i8; 3]; PAIRS] {
    let mut all = [[0; 3]; PAIRS];
    let order = ORDER as i8;
    let (mut count, mut x) = (0, -order);
    while x <= order {
        let mut y = -order;
        while y <= order {
            let rest = order - x.abs() - y.abs();
            // The upper half, and of the equator those whose first coordinate that is not zero is positive.
            if rest > 0 || rest == 0 && (x > 0 || x == 0 && y > 0) {
                all[count] = [x, y, rest];
                count += 1;
            }
            y += 1;
        }
        x += 1;
    }
    assert!(count == PAIRS);
    all
}

const fn row_table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut x = ((at & 31) / 5) as i8;
        let mut y = ((at & 31) % 5) as i8;
        let order = ORDER as i8;
        // A corner outside.
        if x > order {
            x = order;
        }
        if x + y > order {
            y = order - x;
        }
        let mut k = [x, y, order - x - y];
        let mut axis = 0;
        while axis < 3 {
            if (at >> (5 + axis)) & 1 != 0 {
                k[axis] = -k[axis];
            }
            axis += 1;
        }
        let mut m = 0;
        while m < PAIRS {
            let d = DIRECTIONS[m];
            if k[0] == d[0] && k[1] == d[1] && k[2] == d[2] {
                table[at] = 2 * m as u8;
            } else if k[0] == -d[0] && k[1] == -d[1] && k[2] == -d[2] {
                table[at] = 2 * m as u8 + 1;
            }
            m += 1;
        }
        at += 1;
    }
    table
}

/// The heights of the four children of a node, beside its [`WideNode`].
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct HeightNode {
    /// One step of a height, by child.
    unit: [f32; WIDTH],
    heights: [[u8; WIDTH]; ROWS],
}

/// A vector as a combination of three directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Combination {
    pub vector: [f32; 3],
    shares: [f32; 3],
    rows: [u8; 3],
}

/// Four vectors, by axis, as combinations.
///
/// In exact arithmetic w = Σ β_m k_m. With u = 2^-24: the sum |w_x| + |w_y| + |w_z| = s is off by 2 u s, its quotient and the products u_x and u_y by 4 u of themselves; whole parts
/// and rests are exact; a share is off by 2 u. So Σ β_m k_m is off by less than 10 u s, and each β_m by 3 u of itself more.
#[inline(always)]
pub(crate) fn combinations(vectors: &[f32x4; 3]) -> [Combination; 4] {
    let [x, y, z] = vectors.map(f32x4::abs);
    let order = f32x4::splat(ORDER as f32);
    let sum = (x + y + z).fast_max(f32x4::splat(f32::MIN_POSITIVE));
    let to_grid = order / sum;
    let (x, y) = (x * to_grid, y * to_grid);
    let (i, j) = (x.fast_trunc_int(), y.fast_trunc_int());
    let (f, g) = (x - i.round_float(), y - j.round_float());
    let one = f32x4::ONE;
    let is_upper = (f + g).simd_gt(one);
    let first = is_upper.select(f + g - one, one - f - g).fast_max(f32x4::ZERO);
    let second = is_upper.select(one - g, f);
    let third = is_upper.select(one - f, g);
    let scale = sum * f32x4::splat(1.0 / ORDER as f32);
    let [first, second, third] = [first, second, third].map(|share| (share * scale).to_array());
    // (A product with 5 of small numbers.)
    let place = (i + i + i + i + i + j).to_array();
    let upper = is_upper.to_bitmask();
    let signs = vectors.map(|v| v.simd_lt(f32x4::ZERO).to_bitmask());
    let v = vectors.map(f32x4::to_array);
    let of = |lane: usize| {
        let sign = |axis: usize| (signs[axis] >> lane & 1) << (5 + axis);
        let at = place[lane] as u32 + (sign(0) | sign(1) | sign(2));
        let corner = |step: u32| ROW_OF[usize::from((at + step) as u8)];
        Combination {
            vector: [v[0][lane], v[1][lane], v[2][lane]],
            shares: [first[lane], second[lane], third[lane]],
            rows: [corner(6 * (upper >> lane & 1)), corner(5), corner(1)],
        }
    };
    // (`from_fn` is not always a part of its caller.)
    [of(0), of(1), of(2), of(3)]
}

impl HeightNode {
    /// How high the children of a node reach along a vector from the middle of the tree, in its unit.
    #[inline(always)]
    pub fn tops(&self, node: &WideNode, along: &Combination) -> f32x4 {
        let Combination { vector, shares, rows } = along;
        let axis = |k: usize| f32x4::splat(vector[k]) * f32x4::new(node.center[k]);
        let row = |m: usize| {
            let [a, b, c, d] = self.heights[usize::from(rows[m])];
            // (As integers first: that is one instruction for four.)
            i32x4::new([a.into(), b.into(), c.into(), d.into()]).round_float() * f32x4::splat(shares[m])
        };
        (axis(0) + axis(1) + axis(2)) + (row(0) + row(1) + row(2)) * f32x4::new(self.unit)
    }
}

/// The extents of points along one direction of each pair, relative to the middle of the tree and in its unit.
#[derive(Clone, Copy)]
struct Extents {
    high: [f32x8; REGISTERS],
    low: [f32x8; REGISTERS],
}

/// The directions by coordinate, padded with zeros.
fn axes() -> [[f32x8; REGISTERS]; 3] {
    std::array::from_fn(|axis| {
        std::array::from_fn(|register| {
            f32x8::new(std::array::from_fn(|lane| {
                DIRECTIONS.get(8 * register + lane).map_or(0.0, |k| f32::from(k[axis]))
            }))
        })
    })
}

impl Extents {
    const EMPTY: Self = Self {
        high: [f32x8::new([f32::NEG_INFINITY; 8]); REGISTERS],
        low: [f32x8::new([f32::INFINITY; 8]); REGISTERS],
    };

    #[inline(always)]
    fn add_point(&mut self, axes: &[[f32x8; REGISTERS]; 3], point: Vec3) {
        let [x, y, z] = point.to_array().map(f32x8::splat);
        let [of_x, of_y, of_z] = axes;
        for (register, (high, low)) in self.high.iter_mut().zip(&mut self.low).enumerate() {
            let height = of_x[register] * x + of_y[register] * y + of_z[register] * z;
            *high = high.fast_max(height);
            *low = low.fast_min(height);
        }
    }

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        for register in 0..REGISTERS {
            self.high[register] = self.high[register].fast_max(other.high[register]);
            self.low[register] = self.low[register].fast_min(other.low[register]);
        }
    }
}

/// The heights under construction.
struct HeightBuilder<'a, C> {
    view: WideView<'a>,
    corners: C,
    axes: [[f32x8; REGISTERS]; 3],
    inverse: f64,
    /// The rounding error of a height.
    slack: f32,
    nodes: Vec<HeightNode>,
}

/// The heights of all nodes, from the corners of the items.
pub(crate) fn build(view: &WideView<'_>, largest: f64, corners: impl Fn(u32) -> [DVec3; 3]) -> Box<[HeightNode]> {
    // A coordinate: ε of the largest one there is, in doubles, then u = 2^-24 of the radius. A product with a whole number up to 4 and the sum of three: 3 u of
    // four radii, for points and for middles; their difference is off by u of eight radii. That is 4 + 12 + 12 + 8 = 36 u, and 4 times the first.
    let unit = 0.5 * f64::from(f32::EPSILON);
    // The 36 u above, rounded up, and 8 ε for the 4.
    let slack = 64.0 * unit * f64::from(view.radius) + 8.0 * f64::EPSILON * largest / view.unit;
    debug_assert!(view.heights.is_empty(), "heights are built once");
    let empty = HeightNode { unit: [0.0; WIDTH], heights: [[0; WIDTH]; ROWS] };
    let mut builder = HeightBuilder {
        view: *view,
        corners,
        axes: axes(),
        inverse: 1.0 / view.unit,
        slack: (slack as f32).next_up(),
        nodes: vec![empty; view.nodes.len()],
    };
    if !view.nodes.is_empty() {
        builder.measure(0);
    }
    builder.nodes.into_boxed_slice()
}

impl<C: Fn(u32) -> [DVec3; 3]> HeightBuilder<'_, C> {
    /// The extents of everything below a node, whose heights are written down. It calls itself no deeper than the tree is.
    fn measure(&mut self, at: u32) -> Extents {
        let mut all = Extents::EMPTY;
        let node = &self.view.nodes[at as usize];
        for lane in (0..WIDTH).filter(|&lane| node.has(lane)) {
            let first = node.first[lane];
            let extents = match node.count[lane] {
                0 => self.measure(first),
                count => self.measure_leaf(first as usize..first as usize + usize::from(count)),
            };
            self.write(at as usize, lane, &extents);
            all.add(&extents);
        }
        all
    }

    fn measure_leaf(&self, items: std::ops::Range<usize>) -> Extents {
        let mut extents = Extents::EMPTY;
        for &item in &self.view.items[items] {
            for corner in (self.corners)(item) {
                extents.add_point(&self.axes, ((corner - self.view.origin) * self.inverse).as_vec3());
            }
        }
        extents
    }

    fn write(&mut self, at: usize, lane: usize, extents: &Extents) {
        let node = &self.view.nodes[at];
        let [x, y, z] = [0, 1, 2].map(|axis| f32x8::splat(node.center[axis][lane]));
        let slack = f32x8::splat(self.slack);
        let mut most = f32x8::splat(SMALLEST_UNIT);
        let heights: [[f32x8; 2]; REGISTERS] = std::array::from_fn(|register| {
            let [kx, ky, kz] = [0, 1, 2].map(|axis| self.axes[axis][register]);
            let middle = kx * x + ky * y + kz * z;
            let (up, down) = (extents.high[register] - middle + slack, middle - extents.low[register] + slack);
            most = most.fast_max(up).fast_max(down);
            [up, down]
        });
        let most = most.to_array().into_iter().fold(0.0, f32::max);
        // (H1) Rounded up by more than the two quotients are off.
        let unit = most / STEPS * (1.0 + 4.0 * f32::EPSILON);
        let inverse = f32x8::splat(1.0 / unit);
        let out = &mut self.nodes[at];
        out.unit[lane] = unit;
        debug_assert!(unit > 0.0 && unit.is_finite(), "H1: a step of {unit}");
        for (register, pair) in heights.into_iter().enumerate() {
            // The product is off by 3 u of 254, which is less than a thousandth: the whole part of it and 1.001 is no less than the exact quotient, and no more than 255.
            let [up, down] =
                pair.map(|height| (height * inverse + f32x8::splat(1.001)).fast_max(f32x8::ZERO).to_array());
            for i in 0..8.min(PAIRS - 8 * register) {
                out.heights[2 * (8 * register + i)][lane] = up[i] as u8;
                out.heights[2 * (8 * register + i) + 1][lane] = down[i] as u8;
            }
        }
    }
}

/// The largest height of a child is taken to be at least this, so that its inverse is finite. Bound: 254 divided by it is below the largest `f32`.
const SMALLEST_UNIT: f32 = 1e-30;

/// [`HeightNode::tops`] in doubles: the same combination of the same bytes.
#[cfg(test)]
impl HeightNode {
    pub(super) fn tops_in_doubles(&self, node: &WideNode, along: DVec3) -> [f64; WIDTH] {
        let sum = along.abs().element_sum();
        let at = along.abs() * (ORDER as f64 / sum);
        let (i, j) = (at.x.floor(), at.y.floor());
        let (f, g) = (at.x - i, at.y - j);
        let corners = if f + g > 1.0 {
            [(i + 1.0, j + 1.0, f + g - 1.0), (i + 1.0, j, 1.0 - g), (i, j + 1.0, 1.0 - f)]
        } else {
            [(i, j, 1.0 - f - g), (i + 1.0, j, f), (i, j + 1.0, g)]
        };
        std::array::from_fn(|lane| {
            let middle = DVec3::from_array([0, 1, 2].map(|axis| f64::from(node.center[axis][lane])));
            let mut top = along.dot(middle);
            for (x, y, share) in corners {
                let corner = DVec3::new(x, y, ORDER as f64 - x - y) * along.signum();
                // A corner outside of the octahedron has no share but for rounding.
                if let Some(row) = (0..ROWS).find(|&row| direction(row) == corner) {
                    let height = f64::from(self.heights[row][lane]) * f64::from(self.unit[lane]);
                    top += share * sum / ORDER as f64 * height;
                }
            }
            top
        })
    }
}

/// The vector of a row.
#[cfg(test)]
pub(super) fn direction(row: usize) -> DVec3 {
    let [x, y, z] = DIRECTIONS[row / 2].map(f64::from);
    if row.is_multiple_of(2) { DVec3::new(x, y, z) } else { -DVec3::new(x, y, z) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Aabb;
    use crate::tree::WideTree;
    use fastrand::Rng;

    /// 2^-24.
    const U: f64 = 0.5 * f32::EPSILON as f64;

    /// Any vector of about unit length: random, with zeros, nearly in a plane of two axes, or a direction itself.
    fn vector(rng: &mut Rng) -> DVec3 {
        let mut random = || DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        let v = random();
        let chosen = match rng.usize(0..5) {
            0 => v * DVec3::new(1.0, 0.0, 1.0),
            1 => v * DVec3::new(1e-9, 1.0, 1.0),
            2 => direction(rng.usize(0..ROWS)),
            3 => DVec3::AXES[rng.usize(0..3)] + 1e-6 * v,
            _ => v,
        };
        chosen.try_normalize().unwrap_or(DVec3::X)
    }

    #[test]
    fn directions_are_distinct_and_found_by_their_signs() {
        let rows: Vec<[i64; 3]> = (0..ROWS).map(|row| direction(row).to_array().map(|x| x as i64)).collect();
        for (i, k) in rows.iter().enumerate() {
            assert_eq!(k.iter().map(|x| x.abs()).sum::<i64>(), ORDER as i64);
            assert!(!rows[..i].contains(k), "{k:?} is there twice");
            let signs = (0..3).map(|axis| usize::from(k[axis] < 0) << (5 + axis)).sum::<usize>();
            assert_eq!(usize::from(ROW_OF[signs + (5 * k[0].abs() + k[1].abs()) as usize]), i);
        }
    }

    /// The errors that the comment of [`combinations`] counts.
    #[test]
    fn a_combination_is_its_vector_to_rounding() {
        let mut rng = Rng::with_seed(301);
        for _ in 0..100_000 {
            let w = vector(&mut rng).as_vec3();
            let lanes = w.to_array().map(f32x4::splat);
            let Combination { vector, shares, rows } = combinations(&lanes)[0];
            assert_eq!(vector, w.to_array());
            assert!(shares.iter().all(|&share| share >= 0.0), "{shares:?}");
            let sum: DVec3 = (0..3).map(|m| f64::from(shares[m]) * direction(usize::from(rows[m]))).sum();
            let size = w.as_dvec3().abs().element_sum();
            assert!((sum - w.as_dvec3()).abs().max_element() <= 10.0 * U * size + 1e-37, "{w:?} {sum:?}");
        }
    }

    /// Triangles in a flat cloud, of any size and at any place.
    fn triangles(rng: &mut Rng, count: usize, [size, place, extent]: [f64; 3]) -> Vec<[DVec3; 3]> {
        let mut vector = |most: f64| DVec3::from_array([(); 3].map(|()| most * (2.0 * rng.f64() - 1.0)));
        let flat = vector(1.0);
        let place = vector(place);
        let one = |vector: &mut dyn FnMut(f64) -> DVec3| {
            let at = vector(1.0);
            let corner = |vector: &mut dyn FnMut(f64) -> DVec3| {
                let v = at + vector(extent);
                size * (place + v - 0.99 * flat * v.dot(flat) / flat.length_squared())
            };
            [corner(vector), corner(vector), corner(vector)]
        };
        (0..count).map(|_| one(&mut vector)).collect()
    }

    /// H1: rows are above the heights of all corners, by no more than the directions, the bytes and rounding explain.
    #[test]
    fn heights_are_above_all_corners_and_not_far_above() {
        let mut rng = Rng::with_seed(302);
        let (mut excess, mut largest, mut count) = (0.0, 0.0_f64, 0.0);
        for round in 0..120 {
            let (size, place) = [(1.0, 0.0), (1e-70, 0.0), (1e59, 0.0), (1.0, 1e7), (1e-9, 1e3)][round % 5];
            // Dust has heights far below what single precision rounds.
            let extent = if round % 3 == 0 { 1e-8 } else { 0.2 };
            let items = triangles(&mut rng, [1, 3, 20, 150][round / 5 % 4], [size, place, extent]);
            let tree = WideTree::build(items.iter().map(|corners| Aabb::of_points(*corners)));
            let largest_coordinate =
                items.iter().flatten().fold(0.0, |most: f64, corner| most.max(corner.abs().max_element()));
            let view = tree.view_with_heights(largest_coordinate, |item| items[item as usize]);
            assert_eq!(view.heights.len(), view.nodes.len());
            // The errors of a height in single precision that are counted in `build` and in `directions.rs`.
            let off = 160.0 * U * f64::from(view.radius) + 1e-14 * largest_coordinate / view.unit;
            for _ in 0..40 {
                let w = vector(&mut rng).as_vec3();
                let along = combinations(&w.to_array().map(f32x4::splat))[0];
                for (number, (node, heights)) in view.nodes.iter().zip(view.heights).enumerate() {
                    let tops = heights.tops(node, &along).to_array();
                    for lane in (0..WIDTH).filter(|&lane| node.has(lane)) {
                        let below = items_below(&view, number, lane);
                        let middle = DVec3::from_array([0, 1, 2].map(|axis| f64::from(node.center[axis][lane])));
                        let points = below.iter().flat_map(|&item| items[item as usize]);
                        let (mut height, mut reach) = (f64::NEG_INFINITY, 0.0_f64);
                        for point in points {
                            let point = (point - view.origin) / view.unit;
                            height = height.max(point.dot(w.as_dvec3()));
                            reach = reach.max(point.distance(middle));
                        }
                        let over = f64::from(tops[lane]) - height;
                        // The slack of a height is 64 u of the radius for each direction, whose shares are at least 1/4 together; products and sums need a part of that.
                        assert!(over >= 0.0, "round {round}: {over:e} of {reach:e}");
                        assert!(over <= (0.36 + 3.5 / 254.0) * reach + off, "round {round}: {over} of {reach}");
                        if reach > 1e-2 * f64::from(view.radius) {
                            (excess, count) = (excess + over / reach, count + 1.0);
                            largest = largest.max(over / reach);
                        }
                    }
                }
            }
        }
        assert!(count > 1e4 && excess / count < 0.2 && largest > 0.2, "{} and at most {largest}", excess / count);
    }

    /// The items below a child of a node.
    fn items_below(view: &WideView<'_>, number: usize, lane: usize) -> Vec<u32> {
        let node = &view.nodes[number];
        let first = node.first[lane] as usize;
        match usize::from(node.count[lane]) {
            0 => (0..WIDTH)
                .filter(|&lane| view.nodes[first].has(lane))
                .flat_map(|lane| items_below(view, first, lane))
                .collect(),
            count => view.items[first..first + count].to_vec(),
        }
    }
}
