//! COLLADA (.dae): XML. Every geometry that a node of the scene shows is a body, in the unit that the file states.
//!
//! Triangles, lists of polygons, strips and fans are read; lines are counted. Vertices at exactly the same place are made one, since most
//! exporters split them where a normal has an edge. A skin or a morph target would deform the part; the part is read without it, with a
//! note. Polygons with holes, `lookat`, `skew` and geometry in other files are refused.
//!
//! The axis that the file calls up is kept as a fact ([`MeshFile::up`](super::MeshFile::up)), and nothing is turned: URDF viewers take
//! the coordinates as they stand, too.
//!
//! Why not a crate for COLLADA: `dae-parser` and `collada` take counts from the file, round to single precision, or panic. `quick-xml`
//! does what is difficult.

mod document;
mod geometry;

use super::content::{HEAD, MARK, refuse_other_mesh};
use super::mesh::{Contents, Part, label};
use super::placement::Placement;
use super::polygons::Polygons;
use super::text::one_line;
use super::xml::Fault;
use crate::count::counted;
use crate::error::{Error, Place};
use crate::unit::Unit;
use clearance::math::{DMat3, DVec3};
use document::{Child, Document, Target};
use std::collections::HashMap;
use std::sync::Arc;

/// Limit: instances of nodes and geometries, beyond those of the file. Nodes in nodes in nodes come to an end there.
const MAX_INSTANCES: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Contents, Error> {
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    if !text.trim_ascii_start().starts_with(b"<") {
        refuse_other_mesh(&bytes[..bytes.len().min(HEAD)], name)?;
    }
    let text = std::str::from_utf8(text).map_err(|error| Error::NotUtf8 {
        place: Place::file(name).at_line(1 + super::count_newlines(&text[..error.valid_up_to()])),
    })?;
    let at_line = |Fault { line, message }| Error::Mesh { place: Place::file(name).at_line(line), message };
    let document = Document::read(text).map_err(at_line)?;
    let mut meshes = HashMap::new();
    let mut skipped = 0;
    for (id, mesh) in &document.meshes {
        let (polygons, lines) = mesh.polygons(text, id).map_err(at_line)?;
        skipped += lines;
        meshes.insert(id.as_str(), Arc::new(polygons));
    }
    let (unit, scale) = unit(document.metres);
    let root = Placement::new(DMat3::from_diagonal(DVec3::splat(scale)), DVec3::ZERO);
    let root = root.map_err(|error| Error::Mesh { place: Place::file(name), message: error.to_string() })?;
    let mut scene =
        Scene { document: &document, meshes, parts: Vec::new(), instances: 0, skinned: 0, is_library: false };
    scene.read(root).map_err(at_line)?;
    let Scene { parts, skinned, is_library, .. } = scene;
    let mut contents = Contents { unit: Some(unit), up: document.up, skipped, ..Contents::new(parts, bytes.len()) };
    if skinned > 0 {
        let parts = counted(
            skinned,
            "part that a skin or a morph target deforms is",
            "parts that skins or morph targets deform are",
        );
        contents.notes.push(format!("{name}: {parts} read without it"));
    }
    if is_library {
        contents
            .notes
            .push(format!("{name}: no scene places the geometries, so that each is where its coordinates have it"));
    }
    Ok(contents)
}

/// The unit of that length in metres. A length that is no known unit becomes a factor to metres.
fn unit(metres: f64) -> (Unit, f64) {
    let known = Unit::ALL.into_iter().find(|unit| (unit.factor_to(Unit::Metre) - metres).abs() <= 1e-9 * metres);
    known.map_or((Unit::Metre, metres), |unit| (unit, 1.0))
}

/// The nodes that are shown, with all that they name.
struct Scene<'d> {
    document: &'d Document<'d>,
    meshes: HashMap<&'d str, Arc<Polygons>>,
    parts: Vec<Part>,
    instances: usize,
    skinned: u64,
    /// Does no scene say where the geometries are?
    is_library: bool,
}

impl<'d> Scene<'d> {
    fn read(&mut self, root: Placement) -> Result<(), Fault> {
        let document = self.document;
        let Some(roots) = document.roots()? else { return self.library(root) };
        let mut open: Vec<(usize, Placement, u64)> = roots.iter().rev().map(|&node| (node, root, 1)).collect();
        while let Some((index, outer, line)) = open.pop() {
            self.count(line)?;
            let node = &document.nodes[index];
            let place = outer.of(node.place);
            // Children that are nodes come after what the node itself shows.
            let mut nodes = Vec::new();
            for Child { target, line } in &node.children {
                match target {
                    Target::Node(child) => nodes.push((*child, place, *line)),
                    Target::NamedNode(url) => nodes.push((document.node(url, *line)?, place, *line)),
                    Target::Geometry(url) => {
                        self.add(local(url, *line)?, node.name.as_deref(), place, *line)?;
                    }
                    Target::Controller(url) => {
                        let (id, bind) = document.skinned(url, *line)?;
                        self.skinned += 1;
                        self.add(id, node.name.as_deref(), place.of(bind), *line)?;
                    }
                }
            }
            open.extend(nodes.into_iter().rev());
        }
        // Physics exporters write geometries that only a physics scene shows.
        if self.parts.is_empty() { self.library(root) } else { Ok(()) }
    }

    /// All geometries, for a file without a scene, or whose scene shows none. They are in the order of their ids.
    fn library(&mut self, root: Placement) -> Result<(), Fault> {
        let document = self.document;
        self.is_library = !document.meshes.is_empty();
        for (id, mesh) in &document.meshes {
            self.add(id, mesh.name.as_deref(), root, mesh.line)?;
        }
        Ok(())
    }

    fn count(&mut self, line: u64) -> Result<(), Fault> {
        self.instances += 1;
        if self.instances <= MAX_INSTANCES + self.document.nodes.len() + self.document.meshes.len() {
            return Ok(());
        }
        let message = "there are more than 65536 instances, or a node is inside itself; export the file again";
        Err(Fault { line, message: message.into() })
    }

    /// A body of a geometry.
    fn add(&mut self, id: &str, name: Option<&str>, place: Placement, line: u64) -> Result<(), Fault> {
        let fail = |message: String| Fault { line, message };
        self.count(line)?;
        let Some(polygons) = self.meshes.get(id) else {
            // Curves and boundary representations are no meshes; a geometry that is not there at all is a fault.
            return if self.document.others.contains(id) {
                Err(fail(format!("the geometry {} is no mesh; export the part as triangles", quoted(id))))
            } else {
                Err(fail(format!("the geometry {} is not there; export the file again", quoted(id))))
            };
        };
        let (matrix, pose) = place.split().map_err(|error| fail(format!("the place of {}: {error}", quoted(id))))?;
        let of_mesh = self.document.meshes.get(id).and_then(|mesh| mesh.name.as_deref());
        let name = name.or(of_mesh).map(label);
        self.parts.push(Part { name, polygons: Arc::clone(polygons), matrix, pose, exact: None });
        Ok(())
    }
}

/// The id that a URL names in the same file.
fn local(url: &str, line: u64) -> Result<&str, Fault> {
    url.trim().strip_prefix('#').ok_or_else(|| {
        let message = format!("{} is in another file, which is not read; export all into one file", quoted(url));
        Fault { line, message }
    })
}

fn quoted(id: &str) -> String {
    crate::json::quoted(&one_line(id))
}

#[cfg(test)]
mod tests;
