//! The part of a triangle mesh or height field that is near another shape, as a shell of Clearance.
//!
//! A whole mesh cannot be compared with its source at each query, a few triangles can. parry's tree names the triangles in a box around the other shape. If they are those that the shell
//! was made of, bit by bit, it is used again, with the memory of its pair.
//!
//! The box is larger than the other shape and the prediction. So the shell has each triangle, edge and vertex that a contact can belong to, and all their neighbours. The rules against ghost
//! collisions (`pair/manifold/mesh.rs` of the library) decide as they do on the whole mesh.
//!
//! A mesh of parry is a surface, also where it is closed. One triangle without a size keeps the shell open, so that Clearance takes it for a surface too.

use crate::convert::vector;
use clearance::Shape;
use clearance::math::DVec3;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::{PackedFeatureId, Shape as ParryShape, TypedShape};
use rustc_hash::FxHashMap;

/// The box is larger than it must be by this part of its extent. Unit: the extent of the other shape; a larger part makes shells larger, a smaller one makes more of them.
const LARGER: f64 = 0.125;

/// A triangle of the source.
#[derive(Clone, Copy)]
struct Near {
    /// Its number there.
    id: u32,
    /// The numbers of its vertices there.
    vertices: [u32; 3],
    corners: [Vector; 3],
}

impl Near {
    fn is_same(&self, other: &Self) -> bool {
        let bits = |near: &Self| near.corners.map(|p| [p.x, p.y, p.z].map(f64::to_bits));
        self.id == other.id && self.vertices == other.vertices && bits(self) == bits(other)
    }
}

/// See the module.
#[derive(Clone)]
pub struct Patch {
    bounds: Aabb,
    /// In the order of their numbers.
    triangles: Vec<Near>,
    /// The numbers of the vertices in the source.
    vertices: Vec<u32>,
    shape: Option<Shape>,
}

/// Is it a surface that patches are made of?
pub fn has_patches(shape: &dyn ParryShape) -> bool {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(_) => crate::composite::surface(shape).is_some(),
        TypedShape::HeightField(_) => true,
        _ => false,
    }
}

impl Patch {
    /// The patch of a surface in a box that holds at least this one; the kept one if it still is that.
    pub fn update(kept: Option<Box<Self>>, surface: &dyn ParryShape, needed: &Aabb) -> (Box<Self>, bool) {
        let kept = kept.filter(|patch| patch.bounds.contains(needed));
        let bounds = kept.as_ref().map_or_else(|| larger(needed), |patch| patch.bounds);
        let triangles = near(surface, &bounds);
        let is_same = |patch: &Self| {
            let mut pairs = patch.triangles.iter().zip(&triangles);
            patch.triangles.len() == triangles.len() && pairs.all(|(one, other)| one.is_same(other))
        };
        match kept {
            Some(patch) if is_same(&patch) => (patch, false),
            _ => (Box::new(Self::new(bounds, triangles)), true),
        }
    }

    fn new(bounds: Aabb, triangles: Vec<Near>) -> Self {
        let mut numbers = FxHashMap::default();
        let (mut vertices, mut places) = (Vec::new(), Vec::<DVec3>::new());
        let mut corner = |(number, place): (u32, Vector)| {
            *numbers.entry(number).or_insert_with(|| {
                vertices.push(number);
                places.push(vector(place));
                places.len() as u32 - 1
            })
        };
        let mut indices: Vec<[u32; 3]> =
            triangles.iter().map(|near| [0, 1, 2].map(|k| corner((near.vertices[k], near.corners[k])))).collect();
        let shape = places.first().copied().and_then(|place| {
            // Three vertices at one place: their sides have no neighbours.
            let first = places.len() as u32;
            places.extend([place; 3]);
            indices.push([first, first + 1, first + 2]);
            Shape::mesh(&places, &indices).ok()
        });
        Self { bounds, triangles, vertices, shape }
    }

    /// None where no triangle is near.
    pub fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// The number in the source of a triangle of the shell.
    pub fn triangle(&self, number: u32) -> u32 {
        self.triangles.get(number as usize).map_or(number, |near| near.id)
    }

    /// Is a triangle of the source in it?
    pub fn has(&self, id: u32) -> bool {
        self.triangles.binary_search_by_key(&id, |near| near.id).is_ok()
    }

    /// The name in the source of a feature of the shell.
    pub fn name(&self, feature: PackedFeatureId) -> PackedFeatureId {
        /// Layout: two bits for the kind of a feature, thirty for its number.
        const NUMBER: u32 = (1 << 30) - 1;
        let number = feature.0 & NUMBER;
        let renamed = if feature.is_face() {
            self.triangle(number)
        } else if feature.is_edge() {
            3 * self.triangle(number / 3) + number % 3
        } else if feature.is_vertex() {
            self.vertices.get(number as usize).copied().unwrap_or(number)
        } else {
            number
        };
        PackedFeatureId(feature.0 & !NUMBER | renamed & NUMBER)
    }
}

fn larger(needed: &Aabb) -> Aabb {
    let margin = (needed.maxs - needed.mins) * LARGER;
    Aabb::new(needed.mins - margin, needed.maxs + margin)
}

/// The triangles of a surface whose boxes meet a box.
fn near(surface: &dyn ParryShape, bounds: &Aabb) -> Vec<Near> {
    let mut found = Vec::new();
    match surface.as_typed_shape() {
        TypedShape::TriMesh(mesh) => {
            let (places, indices) = (mesh.vertices(), mesh.indices());
            for id in mesh.bvh().intersect_aabb(bounds) {
                if let Some(&vertices) = indices.get(id as usize) {
                    found.push(Near { id, vertices, corners: vertices.map(|v| places[v as usize]) });
                }
            }
        }
        TypedShape::HeightField(field) => {
            field.map_elements_in_local_aabb(bounds, &mut |id, triangle| {
                if let Some(vertices) = field.triangle_vids_at_id(id) {
                    found.push(Near { id, vertices, corners: [triangle.a, triangle.b, triangle.c] });
                }
            });
        }
        _ => {}
    }
    found.sort_unstable_by_key(|near| near.id);
    found
}
