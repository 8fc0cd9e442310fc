//! The farthest vertex by direction: a table of all vertices that can be farthest for any direction of a cell.
//!
//! Directions are the points of the octahedron |x| + |y| + |z| = 1. Each half of it (z >= 0 and z < 0) is a square when projected along z
//! and rotated by 45 degrees: a = x + y and b = x - y run from -1 to 1. That square is divided into cells. A cell lists every vertex that
//! is not *dominated*: p is dominated when one other vertex q is higher in all corner
//! directions of the cell, because then it is higher in every direction between them. So the farthest vertex of any direction is in the
//! list of its cell, and a look-up is a scan of a few vertices. There is no walk over the surface, no start to guess, and no plateau of
//! rounding to get stuck on, from which hill climbing suffers on hulls with tiny edges.
//!
//! Why an octahedron: finding the cell takes no choice of a largest component, hence no branch to mispredict.
//!
//! Built from the coarse to the fine, each cell from the list of the block that contains it: close to linear.

use glam::{DVec3, Vec3A, Vec4};
use wide::f32x4;

/// Vertex numbers by cell of direction.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionTable {
    /// Cells along a side: odd, so that one is in the middle and rounding to the nearest finds it.
    side: u32,
    /// Half of the side, rounded down.
    middle: u32,
    cells: Vec<[u16; LISTED]>,
    /// The lists of cells that hold more.
    long: Vec<u32>,
    rough: Vec<Vec3A>,
}

/// Vertices in the cell itself; a shorter list repeats its first. Layout: four 16-bit numbers are one load of eight bytes.
const LISTED: usize = 4;

/// The last place of a cell whose list is elsewhere: the first two places have its start, the third its length. Layout: no vertex has this
/// number, since tables have fewer than 65,535 vertices.
const ELSEWHERE: u16 = u16::MAX;

/// The finest table, in cells from the middle of a cube face to its border. Limit: 6 · 128² cells of eight bytes take 786 kB.
pub const MAX_RESOLUTION: u32 = 64;

/// Distance of a direction from the cell that it is looked up in. Bound: a coordinate of a direction, its quotient and the position in `f32`
/// round by 2^-24 each, at a position of up to 1; this is ten times their sum.
const MISPLACED: f64 = 2e-6;

impl DirectionTable {
    /// A table with `resolution` cells from the middle of its squares to the rim.
    #[must_use]
    pub fn new(vertices: &[DVec3], resolution: u32) -> Self {
        let middle = resolution.clamp(1, MAX_RESOLUTION);
        let side = 2 * middle + 1;
        let center = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
        let bounding_radius = vertices.iter().fold(0.0, |most: f64, v| most.max(v.length()));
        let radius = vertices.iter().fold(0.0, |most: f64, v| most.max((*v - center).length()));
        let mut builder = Builder {
            vertices,
            // The rounding of heights, and what a direction beside the cell can change of the difference of two.
            margin: 16.0 * f64::EPSILON * bounding_radius + 2.0 * MISPLACED * radius,
            table: Self {
                side,
                middle,
                cells: vec![[0; LISTED]; 2 * (side * side) as usize],
                long: Vec::new(),
                rough: vertices.iter().map(|v| v.as_vec3a()).collect(),
            },
        };
        let everyone: Vec<u32> = (0..vertices.len() as u32).collect();
        for half in 0..2 {
            builder.fill(&everyone, Block { half, columns: [0, side], rows: [0, side] });
        }
        builder.table
    }

    /// The number of the farthest of the vertices, which are those that the table was made for.
    #[inline(always)]
    #[must_use]
    pub fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> u32 {
        let cell = self.cell_of(direction);
        if cell[LISTED - 1] == ELSEWHERE {
            return self.farthest_of_long(cell, vertices, direction).1;
        }
        let [a, b, c, d] = cell.map(|number| (vertices[usize::from(number)].dot(direction), number));
        let higher = |x: (f64, u16), y: (f64, u16)| if y.0 > x.0 { y } else { x };
        u32::from(higher(higher(a, b), higher(c, d)).1)
    }

    /// How far the vertices reach along `direction`, times its length: the same without asking which one it is.
    #[inline]
    #[must_use]
    pub fn height(&self, vertices: &[DVec3], direction: DVec3) -> f64 {
        let cell = self.cell_of(direction);
        if cell[LISTED - 1] == ELSEWHERE {
            return self.farthest_of_long(cell, vertices, direction).0;
        }
        let higher = |x: f64, y: f64| if x > y { x } else { y };
        let [a, b, c, d] = cell.map(|number| vertices[usize::from(number)].dot(direction));
        higher(higher(a, b), higher(c, d))
    }

    /// How many vertices a look-up in that direction compares: what it costs.
    #[must_use]
    pub fn candidates(&self, direction: DVec3) -> usize {
        let cell = self.cell_of(direction);
        if cell[LISTED - 1] == ELSEWHERE { self.long(cell).len() } else { LISTED }
    }

    #[inline(always)]
    fn cell_of(&self, direction: DVec3) -> [u16; LISTED] {
        /// Bound: doubles at 2^52 are integers, so that adding it leaves the nearest integer in the last bits.
        const SHIFT: f64 = 4_503_599_627_370_496.0;
        let size = direction.abs();
        let middle = f64::from(self.middle);
        let scale = middle / (size.x + size.y + size.z);
        let column = ((direction.x + direction.y) * scale + (SHIFT + middle)).to_bits() as u32;
        let row = ((direction.x - direction.y) * scale + (SHIFT + middle)).to_bits() as u32;
        self.cell((direction.z.to_bits() >> 63) as u32, row, column)
    }

    /// A vertex that is farthest in single precision, with its rounded coordinates.
    #[inline(always)]
    #[must_use]
    pub fn farthest_f32(&self, direction: Vec3A) -> (Vec3A, u32) {
        /// Bound: singles at 2^23 are integers, as above.
        const SHIFT: f32 = 8_388_608.0;
        let size = direction.abs();
        let middle = self.middle as f32;
        let scale = middle / (size.x + size.y + size.z);
        let shift = SHIFT + middle;
        let column = ((direction.x + direction.y) * scale + shift).to_bits();
        let row = ((direction.x - direction.y) * scale + shift).to_bits();
        let cell = self.cell(direction.z.to_bits() >> 31, row, column);
        if cell[LISTED - 1] == ELSEWHERE {
            return self.farthest_of_long_f32(cell, direction);
        }
        let point = |place: usize| {
            let point = self.rough.get(usize::from(cell[place])).copied().unwrap_or_default();
            f32x4::new(Vec4::from((point, 0.0)).to_array())
        };
        let [x, y, z, _] = f32x4::transpose([point(0), point(1), point(2), point(3)]);
        let splat = |value: f32| f32x4::splat(value);
        let heights = x * splat(direction.x) + y * splat(direction.y) + z * splat(direction.z);
        // The last bits of a height make room for its place, so that one maximum finds both.
        let places = f32x4::new([0, 1, 2, 3].map(f32::from_bits));
        let keys = (heights & splat(f32::from_bits(!3))) | places;
        let best = Vec4::from_array(keys.to_array()).max_element().to_bits() & 3;
        let number = cell[best as usize];
        (self.rough.get(usize::from(number)).copied().unwrap_or_default(), u32::from(number))
    }

    /// The cell of a half; the last bits of `row` and `column` count.
    #[inline(always)]
    fn cell(&self, half: u32, row: u32, column: u32) -> [u16; LISTED] {
        // Numbers end up within the square; what is not a number may end up anywhere.
        let mask = 4 * MAX_RESOLUTION - 1;
        let index = ((half * self.side + (row & mask)) * self.side + (column & mask)) as usize;
        self.cells.get(index).copied().unwrap_or_default()
    }

    /// The list of a cell that is elsewhere.
    fn long(&self, cell: [u16; LISTED]) -> &[u32] {
        let start = usize::from(cell[0]) | usize::from(cell[1]) << 16;
        // A length that does not fit its place stands for all that follows: more than needed, and none missing.
        let list = &self.long[start..];
        let length = if cell[2] == u16::MAX { list.len() } else { usize::from(cell[2]) };
        &list[..length]
    }

    // Directions go to these two by value: a reference to one would keep it in memory on the short way too.
    #[cold]
    fn farthest_of_long(&self, cell: [u16; LISTED], vertices: &[DVec3], direction: DVec3) -> (f64, u32) {
        let list = self.long(cell);
        let mut best = (f64::NEG_INFINITY, list[0]);
        for &number in list {
            let height = vertices[number as usize].dot(direction);
            if height > best.0 {
                best = (height, number);
            }
        }
        best
    }

    #[cold]
    fn farthest_of_long_f32(&self, cell: [u16; LISTED], direction: Vec3A) -> (Vec3A, u32) {
        let list = self.long(cell);
        let mut best = (f32::NEG_INFINITY, list[0]);
        for &number in list {
            let height = self.rough[number as usize].dot(direction);
            if height > best.0 {
                best = (height, number);
            }
        }
        (self.rough[best.1 as usize], best.1)
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.cells[..]) + size_of_val(&self.long[..]) + size_of_val(&self.rough[..])
    }

    /// How many cells there are, and how many of them list more vertices than fit.
    #[must_use]
    pub fn cell_counts(&self) -> [usize; 2] {
        let long = self.cells.iter().filter(|cell| cell[LISTED - 1] == ELSEWHERE).count();
        [self.cells.len(), long]
    }
}

/// A rectangle of cells in one half, from the first to before the second.
#[derive(Clone, Copy)]
struct Block {
    half: u32,
    columns: [u32; 2],
    rows: [u32; 2],
}

struct Builder<'a> {
    vertices: &'a [DVec3],
    margin: f64,
    table: DirectionTable,
}

impl Builder<'_> {
    fn fill(&mut self, parent: &[u32], block: Block) {
        let own = self.undominated(parent, block);
        let (width, height) = (block.columns[1] - block.columns[0], block.rows[1] - block.rows[0]);
        if width == 1 && height == 1 {
            let side = self.table.side;
            let cell = (block.half * side + block.rows[0]) * side + block.columns[0];
            self.table.cells[cell as usize] = self.listed(&own);
            return;
        }
        let halves = |range: [u32; 2]| {
            let cut = range[0] + (range[1] - range[0]).div_ceil(2);
            [[range[0], cut], [cut, range[1]]]
        };
        for columns in halves(block.columns) {
            for rows in halves(block.rows) {
                if columns[0] < columns[1] && rows[0] < rows[1] {
                    self.fill(&own, Block { half: block.half, columns, rows });
                }
            }
        }
    }

    /// A cell with these vertices, at least one.
    fn listed(&mut self, list: &[u32]) -> [u16; LISTED] {
        let mut cell = [0; LISTED];
        let first = list.first().copied().unwrap_or(0);
        if list.len() <= LISTED && list.iter().all(|&number| number < u32::from(ELSEWHERE)) {
            for (place, number) in cell.iter_mut().enumerate() {
                *number = list.get(place).copied().unwrap_or(first) as u16;
            }
            return cell;
        }
        let start = self.table.long.len() as u32;
        self.table.long.extend_from_slice(list);
        let length = u16::try_from(list.len()).unwrap_or(u16::MAX);
        [start as u16, (start >> 16) as u16, length, ELSEWHERE]
    }

    /// The vertices of the list that are farthest for some direction of the block, and a few more.
    fn undominated(&self, list: &[u32], block: Block) -> Vec<u32> {
        let corners = self.corners(block);
        let count = corners.len();
        let mut heights = Vec::with_capacity(list.len() * count);
        for &number in list {
            heights.extend(corners.iter().map(|corner| corner.dot(self.vertices[number as usize])));
        }
        let heights: Vec<&[f64]> = heights.chunks_exact(count).collect();
        // The highest at each corner and over all corners dominate almost everything that can be dominated.
        let champion = |measure: &dyn Fn(&[f64]) -> f64| {
            heights.iter().copied().max_by(|a, b| measure(a).total_cmp(&measure(b))).unwrap_or(&[])
        };
        let mut champions: Vec<&[f64]> = (0..count).map(|corner| champion(&|h| h[corner])).collect();
        champions.push(champion(&|h| h.iter().sum()));
        let is_dominated = |h: &[f64]| champions.iter().any(|q| q.iter().zip(h).all(|(q, h)| q - h > self.margin));
        list.iter().zip(&heights).filter(|(_, h)| !is_dominated(h)).map(|(&number, _)| number).collect()
    }

    /// Directions such that every direction of the block is a sum of positive multiples of them.
    ///
    /// They are the corners of the block and those of the octahedron's faces in it: where the fold |a| = |b| crosses the
    /// rim of the block, and the middle.
    fn corners(&self, block: Block) -> Vec<DVec3> {
        let middle = f64::from(self.table.middle);
        let at = |cell: u32| ((f64::from(cell) - 0.5 - middle) / middle).clamp(-1.0, 1.0);
        let [a, b] = [block.columns, block.rows].map(|range| range.map(at));
        let mut points = vec![[a[0], b[0]], [a[1], b[0]], [a[0], b[1]], [a[1], b[1]]];
        let inside = |x: f64, range: [f64; 2]| range[0] < x && x < range[1];
        for end in 0..2 {
            for sign in [-1.0, 1.0] {
                if inside(sign * a[end], b) {
                    points.push([a[end], sign * a[end]]);
                }
                if inside(sign * b[end], a) {
                    points.push([sign * b[end], b[end]]);
                }
            }
        }
        if inside(0.0, a) && inside(0.0, b) {
            points.push([0.0, 0.0]);
        }
        let side = if block.half == 0 { 1.0 } else { -1.0 };
        let direction =
            |[a, b]: [f64; 2]| DVec3::new(0.5 * (a + b), 0.5 * (a - b), side * (1.0 - a.abs().max(b.abs())));
        points.into_iter().map(direction).collect()
    }
}
