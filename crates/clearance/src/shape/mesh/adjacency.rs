//! Neighbours of triangles, and the flat faces that they make together: for contacts, which must not see the inner edges of a flat face.

use super::Mesh;
use super::topology::Forest;
use glam::DVec3;
use rustc_hash::FxHashMap;

/// Stands for a side without a neighbour, or with several. Layout: sides are numbered in 32 bits, and no mesh has 2^32 - 1.
const NONE: u32 = u32::MAX;

/// Neighbours in one plane: the sine of the angle between them is at most this. Limit: meshes whose corners are rounded to single precision are
/// bent by less. A contact point keeps the plane of its own triangle.
const FLAT: f64 = 1e-5;

/// See the module. Side `k` of a triangle is from its corner `k` to the next.
#[derive(Debug, Clone)]
pub(crate) struct Adjacency {
    /// Three times the triangle and the side that is on the other side of each side.
    twins: Vec<[u32; 3]>,
    /// The triangle with the smallest number in the same flat face.
    faces: Vec<u32>,
    /// Do the normals of a solid point inward?
    pub is_inside_out: bool,
}

impl Adjacency {
    pub fn of(mesh: &Mesh) -> Self {
        let mut at = FxHashMap::default();
        // Vertices at one place are one; zero and minus zero are one place.
        let place = |vertex: &DVec3| (*vertex + DVec3::ZERO).to_array().map(f64::to_bits);
        let vertices = mesh.vertices().iter().enumerate();
        let welded: Vec<u32> =
            vertices.map(|(number, vertex)| *at.entry(place(vertex)).or_insert(number as u32)).collect();
        let triangles = mesh.triangles();
        let mut sides: Vec<(u64, u32)> = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in (0..).zip(triangles) {
            for k in 0..3 {
                let ends = [corners[k], corners[(k + 1) % 3]].map(|v| u64::from(welded[v as usize]));
                sides.push((ends[0].min(ends[1]) << 32 | ends[0].max(ends[1]), 3 * t + k as u32));
            }
        }
        sides.sort_unstable();
        let mut twins = vec![[NONE; 3]; triangles.len()];
        for same in sides.chunk_by(|one, other| one.0 == other.0) {
            if let [(_, one), (_, other)] = *same {
                twins[one as usize / 3][one as usize % 3] = other;
                twins[other as usize / 3][other as usize % 3] = one;
            }
        }
        let mut adjacency = Self { twins, faces: Vec::new(), is_inside_out: false };
        let mut forest = Forest::new(triangles.len());
        for t in 0..triangles.len() as u32 {
            for k in 0..3 {
                if let Some(side) = adjacency.twin(t, k).filter(|side| side / 3 > t)
                    && is_flat(mesh, t, side)
                {
                    forest.join(t, side / 3);
                }
            }
        }
        adjacency.faces = (0..triangles.len() as u32).map(|t| forest.root(t)).collect();
        adjacency.is_inside_out = mesh.is_solid() && mesh.volume() < 0.0;
        adjacency
    }

    /// The side on the other side of a side: three times its triangle, and its number there.
    pub fn twin(&self, triangle: u32, side: usize) -> Option<u32> {
        Some(self.twins[triangle as usize][side]).filter(|&twin| twin != NONE)
    }

    /// The flat face that a triangle is in, by the smallest number of its triangles.
    pub fn face(&self, triangle: u32) -> u32 {
        self.faces[triangle as usize]
    }

    /// Is a side inside of a flat face?
    pub fn is_inner(&self, triangle: u32, side: usize) -> bool {
        self.twin(triangle, side).is_some_and(|twin| self.face(twin / 3) == self.face(triangle))
    }

    /// The number of an edge: the smaller of its sides.
    pub fn edge(&self, triangle: u32, side: usize) -> u32 {
        let own = 3 * triangle + side as u32;
        self.twin(triangle, side).map_or(own, |twin| twin.min(own))
    }
}

/// Is a triangle in one plane with the triangle of another side?
fn is_flat(mesh: &Mesh, t: u32, side: u32) -> bool {
    let normal = |t: u32| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(c - a).try_normalize()
    };
    let (Some(one), Some(other)) = (normal(t), normal(side / 3)) else { return false };
    // Sides that run the same way are of triangles that are turned over, which are no face together.
    one.dot(other) > 0.0 && one.cross(other).length() <= FLAT
}
