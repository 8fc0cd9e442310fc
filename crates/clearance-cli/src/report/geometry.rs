//! The geometry of a page: one buffer of numbers, in which each shape lies once (`viewer/FORMAT.md`).

use super::surface::Surface;
use clearance::Shape;
use clearance::math::{Aabb, DVec3, Pose};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};

/// Where something is in the buffer: a byte offset and how many there are.
pub type Place = [usize; 2];

/// A shape as a page has it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum DrawnShape {
    /// Everything below a plane.
    HalfSpace { kind: &'static str, normal: [f64; 3], offset: f64 },
    /// Any other.
    Bounded {
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        solid: Option<bool>,
        origin: [f64; 3],
        smooth: bool,
        vertices: Place,
        triangles: Place,
        #[serde(skip_serializing_if = "Option::is_none")]
        lines: Option<Place>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pieces: Vec<usize>,
    },
}

/// The numbers of a page, and the shapes made of them.
pub struct Geometry {
    /// The length that the buffer measures in.
    radius: f64,
    bytes: Vec<u8>,
    /// The triangles that are drawn for bodies, which bound what a page can show.
    pub triangles: usize,
    pub shapes: Vec<DrawnShape>,
    /// Which shape was drawn where: the same surface again is the same shape.
    known: HashMap<Key, usize>,
}

/// Key of shapes that are drawn the same: common data, with a hash of their numbers.
type Key = (&'static str, [u64; 3], [usize; 3], u64);

/// Compounds and meshes with more triangles are drawn without their pieces. Limit: pieces would double the size of a page of several MB.
const MOST_WITH_PIECES: usize = 100_000;

impl Geometry {
    pub fn new(radius: f64) -> Self {
        Self { radius, bytes: Vec::new(), triangles: 0, shapes: Vec::new(), known: HashMap::new() }
    }

    /// The number of a shape, drawn now if it was not before.
    pub fn shape(&mut self, shape: &Shape) -> usize {
        if let Shape::HalfSpace(plane) = shape {
            let (normal, offset) = (plane.normal().to_array(), plane.offset());
            self.shapes.push(DrawnShape::HalfSpace { kind: shape.kind(), normal, offset });
            return self.shapes.len() - 1;
        }
        let surface = Surface::of(shape);
        let is_small = surface.triangles.len() <= MOST_WITH_PIECES;
        let pieces = if is_small { self.pieces(shape) } else { Vec::new() };
        self.put(shape.kind(), is_solid(shape), &surface, pieces)
    }

    /// The convex pieces of a shape, if they are known: the parts of a compound, and what the search for a depth cut a mesh into.
    fn pieces(&mut self, shape: &Shape) -> Vec<usize> {
        match shape {
            Shape::Compound(compound) => {
                let parts = compound.parts().iter();
                let bounded = parts.filter(|part| !matches!(part.shape, Shape::HalfSpace(_)));
                bounded.map(|part| self.piece(part.shape.kind(), &Surface::of(&part.shape), &part.pose)).collect()
            }
            Shape::Mesh(mesh) => {
                let pieces = mesh.kept_pieces().unwrap_or_default().iter();
                pieces.map(|piece| self.piece("hull", &Surface::polytope(piece), &Pose::IDENTITY)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn piece(&mut self, kind: &'static str, surface: &Surface, pose: &Pose) -> usize {
        self.put(kind, None, &surface.clone().placed(pose), Vec::new())
    }

    fn put(&mut self, kind: &'static str, solid: Option<bool>, surface: &Surface, pieces: Vec<usize>) -> usize {
        let bounds = Aabb::of_points(surface.vertices.iter().copied());
        let origin = if surface.vertices.is_empty() { DVec3::ZERO } else { bounds.center() };
        let start = self.bytes.len();
        let radius = self.radius;
        let corners = surface.vertices.iter().flat_map(|&v| ((v - origin) / radius).to_array());
        let vertices = self.floats(corners, 3);
        let triangles = self.numbers(surface.triangles.iter().flatten(), 3);
        let lines = self.numbers(surface.lines.iter().flatten(), 2);
        let counts = [vertices, triangles, lines].map(|[_, count]| count);
        let key = (kind, origin.to_array().map(f64::to_bits), counts, fnv(&self.bytes[start..]));
        if let Some(&known) = self.known.get(&key) {
            self.bytes.truncate(start);
            return known;
        }
        self.triangles += counts[1];
        let lines = (counts[2] > 0).then_some(lines);
        let origin = origin.to_array();
        let smooth = surface.is_smooth;
        self.shapes.push(DrawnShape::Bounded { kind, solid, origin, smooth, vertices, triangles, lines, pieces });
        self.known.insert(key, self.shapes.len() - 1);
        self.shapes.len() - 1
    }

    /// Where a body is at increasing times, as seen from `origin`.
    pub fn track(&mut self, keys: &[(f64, Pose)], origin: DVec3) -> Place {
        let radius = self.radius;
        let numbers = keys.iter().flat_map(|(time, pose)| {
            let ([x, y, z], r) = (((pose.translation() - origin) / radius).to_array(), pose.rotation());
            [*time, x, y, z, r.x, r.y, r.z, r.w]
        });
        self.floats(numbers, 8)
    }

    fn floats(&mut self, numbers: impl Iterator<Item = f64>, per_item: usize) -> Place {
        let start = self.bytes.len();
        numbers.for_each(|x| self.bytes.extend((x as f32).clamp(f32::MIN, f32::MAX).to_le_bytes()));
        [start, (self.bytes.len() - start) / (4 * per_item)]
    }

    fn numbers<'a>(&mut self, numbers: impl Iterator<Item = &'a u32>, per_item: usize) -> Place {
        let start = self.bytes.len();
        numbers.for_each(|x| self.bytes.extend(x.to_le_bytes()));
        [start, (self.bytes.len() - start) / (4 * per_item)]
    }

    /// Writes the buffer, compressed.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut encoder = ZlibEncoder::new(out, Compression::new(4));
        encoder.write_all(&self.bytes)?;
        encoder.finish().map(drop)
    }
}

/// Whether a mesh is closed; `Some(false)` for a compound of which a mesh is not.
fn is_solid(shape: &Shape) -> Option<bool> {
    match shape {
        Shape::Mesh(mesh) => Some(mesh.is_solid()),
        Shape::Compound(compound) => {
            compound.parts().iter().find_map(|part| is_solid(&part.shape).filter(|is_solid| !is_solid))
        }
        _ => None,
    }
}

/// The hash of Fowler, Noll and Vo, eight bytes at a time.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}
