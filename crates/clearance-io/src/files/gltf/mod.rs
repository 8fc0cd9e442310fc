//! glTF 2.0, as text (.gltf) and binary (.glb): every node with a mesh is a body, in metres.
//!
//! Triangles, strips and fans are read; lines and points are counted. Vertices at exactly the same place are made one, since
//! glTF splits them wherever a normal or a texture has an edge, so that not even a box would be closed. Animations are ignored: the part is
//! where its nodes say. Features that would deform it (skins, morph targets with weights) or hide faces from us
//! (compression, sparse accessors, instancing by extension) are refused by name.
//!
//! The crate `gltf` is not used: it rounds the numbers of nodes to single precision. And every position and size in a file must be checked
//! before it is queried for them, so that only its tables of names would remain.

mod buffers;
mod document;

use super::Folder;
use super::mesh::{Contents, Part, Room, label};
use super::placement::Placement;
use super::polygons::{Numbers, Polygons};
use crate::error::{Error, Place};
use crate::unit::Unit;
use buffers::Buffers;
use clearance::math::{DMat3, DMat4, DQuat, DVec3};
use clearance::{Axis, BuildError, Pose};
use document::{Document, Mesh, Node, Primitive};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Extensions that a file may require without changing where the part is.
const HARMLESS: [&str; 6] =
    ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_punctual", "KHR_mesh_quantization", "KHR_xmp"];

pub(super) fn read(bytes: &[u8], name: &str, folder: &Folder) -> Result<Contents, Error> {
    let fail = |message: String| Error::Mesh { place: Place::file(name), message };
    let (document, chunk) = document::read(bytes, name)?;
    document.check().map_err(fail)?;
    let buffers = Buffers::read(&document, chunk, name, folder)?;
    let size = bytes.len() as u64 + buffers.bytes_elsewhere;
    let mut reader =
        Reader { document: &document, buffers: &buffers, room: Room::new(size), meshes: HashMap::new(), skipped: 0 };
    let parts = reader.read().map_err(fail)?;
    let (unit, up, skipped) = (Some(Unit::Metre), Some(Axis::Y), reader.skipped);
    Ok(Contents { parts, unit, skipped, size, up, notes: Vec::new() })
}

impl Document {
    fn check(&self) -> Result<(), String> {
        if !self.asset.version.starts_with("2.") {
            return Err(format!("this is glTF {}; export it as glTF 2.0", crate::json::quoted(&self.asset.version)));
        }
        for extension in &self.extensions_required {
            if !HARMLESS.iter().any(|known| extension.starts_with(known)) {
                let extension = crate::json::quoted(extension);
                return Err(format!(
                    "the extension {extension} is required, which is not read; export the part without it"
                ));
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
    /// Meshes may share their vertices in the file, but not here.
    room: Room,
    meshes: HashMap<u32, Arc<Polygons>>,
    skipped: u64,
}

impl Reader<'_> {
    /// Walks the nodes of the scene, without recursion, each once.
    fn read(&mut self) -> Result<Vec<Part>, String> {
        let document = self.document;
        let mut parts = Vec::new();
        if document.nodes.is_empty() {
            // A library of meshes without a scene.
            for index in 0..document.meshes.len() as u32 {
                parts.push(self.part(index, None, Placement::HERE)?);
            }
            return Ok(parts);
        }
        let mut was_seen = vec![false; document.nodes.len()];
        let mut open: Vec<(u32, Placement)> =
            document.roots()?.into_iter().rev().map(|root| (root, Placement::HERE)).collect();
        while let Some((index, outer)) = open.pop() {
            let node = document.nodes.get(index as usize).ok_or_else(|| format!("nodes[{index}] is not there"))?;
            if std::mem::replace(&mut was_seen[index as usize], true) {
                return Err(format!("nodes[{index}] has two parents, or is inside itself; export the file again"));
            }
            let place = node.placement().map_err(|message| format!("nodes[{index}] {message}"))?;
            let place = outer.of(place);
            if let Some(mesh) = node.mesh {
                node.refuse_deformed().map_err(|message| format!("nodes[{index}] {message}"))?;
                parts.push(self.part(mesh, node.name.as_ref(), place)?);
            }
            open.extend(node.children.iter().rev().map(|&child| (child, place)));
        }
        // A ring of nodes has no root, and would be lost.
        if let Some(index) = was_seen.iter().position(|seen| !seen).filter(|_| !document.has_scene()) {
            return Err(format!("nodes[{index}] is inside itself; export the file again"));
        }
        Ok(parts)
    }

    fn part(&mut self, index: u32, name: Option<&String>, place: Placement) -> Result<Part, String> {
        let mesh = self.document.meshes.get(index as usize).ok_or_else(|| format!("meshes[{index}] is not there"))?;
        let polygons = match self.meshes.get(&index) {
            Some(polygons) => Arc::clone(polygons),
            None => {
                let polygons = Arc::new(self.mesh(mesh).map_err(|message| format!("meshes[{index}].{message}"))?);
                self.meshes.insert(index, Arc::clone(&polygons));
                polygons
            }
        };
        let (matrix, pose) = place.split().map_err(|error| format!("the place of meshes[{index}]: {error}"))?;
        Ok(Part { name: name.or(mesh.name.as_ref()).map(|name| label(name)), polygons, matrix, pose, exact: None })
    }

    fn mesh(&mut self, mesh: &Mesh) -> Result<Polygons, String> {
        let mut polygons = Polygons::new(Numbers::Faces);
        let mut welded = HashMap::new();
        // Primitives of different materials often share their vertices.
        let mut accessors: HashMap<u32, Vec<u32>> = HashMap::new();
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            let fail = |message: String| format!("primitives[{index}]: {message}");
            let Some(accessor) = primitive.attributes.position.filter(|_| (4..=6).contains(&primitive.mode)) else {
                self.skipped += 1;
                continue;
            };
            if primitive.has_targets() && mesh.weights.iter().any(|&weight| weight != 0.0) {
                return Err(fail("morph targets are not read; export the part without them".into()));
            }
            let numbers = match accessors.entry(accessor) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let positions = self.buffers.positions(accessor).map_err(fail)?;
                    self.room.take(positions.len()).map_err(|message| fail(message.into()))?;
                    let numbers = positions.iter().map(|position| {
                        // Zero and minus zero are one place.
                        let key = position.map(|x| (x + 0.0).to_bits());
                        *welded.entry(key).or_insert_with(|| {
                            polygons.vertices.push(DVec3::from_array(*position));
                            polygons.vertices.len() as u32 - 1
                        })
                    });
                    new.insert(numbers.collect())
                }
            };
            let corners = self.corners(primitive, numbers).map_err(fail)?;
            self.room.take(corners.len()).map_err(|message| fail(message.into()))?;
            let mut number = polygons.element_count() as u64;
            each_triangle(primitive.mode, &corners, |triangle| {
                polygons.add_triangle(triangle, number);
                number += 1;
            })
            .map_err(fail)?;
        }
        Ok(polygons)
    }

    /// The vertices that a primitive runs through, by their new numbers.
    fn corners(&self, primitive: &Primitive, numbers: &[u32]) -> Result<Vec<u32>, String> {
        let Some(accessor) = primitive.indices else { return Ok(numbers.to_vec()) };
        let look_up = |index: u32| numbers.get(index as usize).copied();
        let indices = self.buffers.indices(accessor)?;
        let corners: Option<Vec<u32>> = indices.into_iter().map(look_up).collect();
        corners.ok_or_else(|| format!("accessors[{accessor}] names a vertex that is not there; export the file again"))
    }
}

/// Hands over the triangles of a list (4), a strip (5) or a fan (6).
fn each_triangle(mode: u32, corners: &[u32], mut take: impl FnMut([u32; 3])) -> Result<(), String> {
    match mode {
        4 if !corners.len().is_multiple_of(3) => {
            Err(format!("{} corners do not make whole triangles; the file is damaged, export it again", corners.len()))
        }
        4 => {
            corners.chunks_exact(3).for_each(|c| take([c[0], c[1], c[2]]));
            Ok(())
        }
        5 => {
            // Every other triangle of a strip is turned over.
            let turned =
                |i: usize, c: &[u32]| if i.is_multiple_of(2) { [c[0], c[1], c[2]] } else { [c[0], c[2], c[1]] };
            corners.windows(3).enumerate().for_each(|(i, c)| take(turned(i, c)));
            Ok(())
        }
        _ => {
            corners.get(1..).unwrap_or_default().windows(2).for_each(|c| take([c[0], c[1], corners[0]]));
            Ok(())
        }
    }
}

impl Node {
    fn placement(&self) -> Result<Placement, String> {
        let wrong = |error: BuildError| format!("has no place: {error}");
        if let Some(matrix) = &self.matrix {
            let matrix = DMat4::from_cols_array(matrix);
            if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
                return Err("has a matrix whose last row is not 0, 0, 0, 1; export the file again".into());
            }
            return Placement::new(DMat3::from_mat4(matrix), matrix.w_axis.truncate()).map_err(wrong);
        }
        let vector = |numbers: &Option<Box<[f64; 3]>>, usual: DVec3| {
            numbers.as_ref().map_or(usual, |numbers| DVec3::from_array(**numbers))
        };
        let rotation = self.rotation.as_ref().map_or(DQuat::IDENTITY, |numbers| DQuat::from_array(**numbers));
        let pose = Pose::try_new(vector(&self.translation, DVec3::ZERO), rotation).map_err(wrong)?;
        let scale = vector(&self.scale, DVec3::ONE);
        if scale == DVec3::ONE {
            return Ok(Placement::Rigid(pose));
        }
        let scale = Placement::new(DMat3::from_diagonal(scale), DVec3::ZERO).map_err(wrong)?;
        Ok(Placement::Rigid(pose).of(scale))
    }

    fn refuse_deformed(&self) -> Result<(), String> {
        let what = if self.skin.is_some() {
            "is deformed by a skin"
        } else if self.weights.iter().any(|&weight| weight != 0.0) {
            "is deformed by morph targets"
        } else if self.extensions.has_instancing() {
            "is repeated by EXT_mesh_gpu_instancing"
        } else {
            return Ok(());
        };
        Err(format!("{what}, which is not read; export the part without it"))
    }
}

#[cfg(test)]
mod tests;
