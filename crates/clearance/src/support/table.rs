//! The farthest vertex by direction: a table of all vertices that can be farthest for any direction of a cell.
//!
//! Directions are sorted into the cells of a cube: six faces of `resolution` by `resolution` squares. A cell lists every
//! vertex that is not *dominated*: p is dominated when one other vertex q is higher in all four corner directions of the
//! cell, because then it is higher in every direction between them. So the farthest vertex of any direction is in the list
//! of its cell, and a look-up is a scan of a few vertices: no walk over the surface, no start to guess, and no plateau of
//! rounding to get stuck on, which is what hill climbing suffers from on hulls with tiny edges.
//!
//! Built from the coarse to the fine, each cell from the list of the cell that contains it: close to linear.

use glam::DVec3;

/// Vertex numbers by cell of direction.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionTable {
    resolution: u32,
    half: f64,
    /// Cell c holds `candidates[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    candidates: Vec<u32>,
}

/// Tables finer than this cost more memory than they save time.
pub const MAX_RESOLUTION: u32 = 128;

/// Corners are moved outwards by this much of a cube's half side, far more than the rounding of a look-up.
const OVERLAP: f64 = 1e-9;

impl DirectionTable {
    /// A table with `resolution` (a power of two) cells along each side of the cube.
    ///
    /// `reach` is the largest length of a vertex.
    #[must_use]
    pub fn new(vertices: &[DVec3], reach: f64, resolution: u32) -> Self {
        let resolution = resolution.clamp(1, MAX_RESOLUTION).next_power_of_two();
        let mut builder = Builder {
            vertices,
            // Heights of corners, which are no longer than the square root of three, are off by less than this.
            margin: 16.0 * f64::EPSILON * reach,
            cells: vec![Vec::new(); 6 * (resolution * resolution) as usize],
            resolution,
        };
        let everyone: Vec<u32> = (0..vertices.len() as u32).collect();
        for face in 0..6 {
            builder.fill(&everyone, Square { face, x: 0, y: 0, size: resolution });
        }
        let mut starts = Vec::with_capacity(builder.cells.len() + 1);
        starts.push(0);
        let mut candidates = Vec::with_capacity(builder.cells.iter().map(Vec::len).sum());
        for cell in &builder.cells {
            candidates.extend_from_slice(cell);
            starts.push(candidates.len() as u32);
        }
        Self { resolution, half: 0.5 * f64::from(resolution), starts, candidates }
    }

    /// The vertices that can be farthest along `direction`: at least one.
    #[inline]
    #[must_use]
    pub fn candidates(&self, direction: DVec3) -> &[u32] {
        let magnitude = direction.abs();
        // The largest component chooses the face, its sign the side; the other two choose the cell.
        let (face, major, u, v) = if magnitude.x >= magnitude.y && magnitude.x >= magnitude.z {
            (0, direction.x, direction.y, direction.z)
        } else if magnitude.y >= magnitude.z {
            (2, direction.y, direction.z, direction.x)
        } else {
            (4, direction.z, direction.x, direction.y)
        };
        let face = face + u32::from(major < 0.0);
        let scale = self.half / major.abs();
        // A conversion saturates, and takes NaN (a zero direction) to zero: every direction has a cell.
        let column = ((u * scale + self.half) as u32).min(self.resolution - 1);
        let row = ((v * scale + self.half) as u32).min(self.resolution - 1);
        let cell = ((face * self.resolution + row) * self.resolution + column) as usize;
        &self.candidates[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The average number of candidates of a cell.
    #[must_use]
    pub fn mean_candidates(&self) -> f64 {
        self.candidates.len() as f64 / (self.starts.len() - 1) as f64
    }
}

/// A square block of cells on one face of the cube.
#[derive(Clone, Copy)]
struct Square {
    face: u32,
    x: u32,
    y: u32,
    size: u32,
}

struct Builder<'a> {
    vertices: &'a [DVec3],
    margin: f64,
    cells: Vec<Vec<u32>>,
    resolution: u32,
}

impl Builder<'_> {
    fn fill(&mut self, parent: &[u32], square: Square) {
        let own = self.undominated(parent, square);
        if square.size == 1 {
            let cell = (square.face * self.resolution + square.y) * self.resolution + square.x;
            self.cells[cell as usize] = own;
            return;
        }
        let size = square.size / 2;
        for (dx, dy) in [(0, 0), (size, 0), (0, size), (size, size)] {
            self.fill(&own, Square { face: square.face, x: square.x + dx, y: square.y + dy, size });
        }
    }

    /// The vertices of the list that are farthest for some direction of the square, and a few more.
    fn undominated(&self, list: &[u32], square: Square) -> Vec<u32> {
        let corners = self.corners(square);
        let heights: Vec<[f64; 4]> = list.iter().map(|&v| corners.map(|c| c.dot(self.vertices[v as usize]))).collect();
        // The highest at each corner and over all corners dominate almost everything that can be dominated.
        let champion = |measure: &dyn Fn(&[f64; 4]) -> f64| {
            let best = heights.iter().max_by(|a, b| measure(a).total_cmp(&measure(b)));
            *best.expect("a list is never empty")
        };
        let champions = [
            champion(&|h| h[0]),
            champion(&|h| h[1]),
            champion(&|h| h[2]),
            champion(&|h| h[3]),
            champion(&|h| h.iter().sum()),
        ];
        let is_dominated = |h: &[f64; 4]| champions.iter().any(|q| q.iter().zip(h).all(|(q, h)| q - h > self.margin));
        list.iter().zip(&heights).filter(|(_, h)| !is_dominated(h)).map(|(&v, _)| v).collect()
    }

    /// The four corner directions of a square; every direction of the square is a sum of positive multiples of them.
    fn corners(&self, square: Square) -> [DVec3; 4] {
        let at = |cell: u32| 2.0 * f64::from(cell) / f64::from(self.resolution) - 1.0;
        let (x0, x1) = (at(square.x) - OVERLAP, at(square.x + square.size) + OVERLAP);
        let (y0, y1) = (at(square.y) - OVERLAP, at(square.y + square.size) + OVERLAP);
        let side = if square.face & 1 == 0 { 1.0 } else { -1.0 };
        [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(|(u, v)| match square.face / 2 {
            0 => DVec3::new(side, u, v),
            1 => DVec3::new(v, side, u),
            _ => DVec3::new(u, v, side),
        })
    }
}
