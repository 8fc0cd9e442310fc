//! Mesh files that a URDF names: where they may be, and which shapes they become.
//!
//! `package://NAME/REST` is looked for as `NAME/REST` in each package folder, and as `REST` in a package folder called NAME. Other names are relative to the
//! folder of the URDF. A file elsewhere is read only from folders that the user allows.

use crate::error::Error;
use crate::xml::quoted;
use clearance::math::DVec3;
use clearance::shape::Mesh;
use clearance::{Axis, Pose, Shape};
use clearance_io::{Folder, MeshFile, Place, Unit, counted};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which files a robot may name, and how its meshes are read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Folders of ROS packages, which `package://` names.
    pub package_dirs: Vec<PathBuf>,
    /// Folders besides that of the URDF from which files may be named by `..`, `file://` or their whole path.
    pub allowed: Vec<PathBuf>,
    /// Are holes of meshes filled? Else a mesh with holes is a shell: its surface, and nothing else.
    pub fill_holes: bool,
}

/// Reads meshes, each file once.
pub struct Meshes<'o> {
    options: &'o Options,
    beside: Folder,
    packages: Vec<(Option<String>, Folder)>,
    made: HashMap<(String, [u64; 3]), Made>,
}

/// Shapes of a file with their poses, and a sentence about what is no solid.
pub type Made = (Vec<(Shape, Pose)>, Vec<String>);

impl<'o> Meshes<'o> {
    /// Meshes of a robot whose file is in that folder; without one, only packages are known.
    pub fn new(options: &'o Options, folder: Option<&Path>) -> Self {
        let beside = folder.map_or_else(Folder::none, Folder::new).allowing(&options.allowed);
        let package = |dir: &PathBuf| {
            let name = dir.file_name().and_then(|name| name.to_str()).map(str::to_owned);
            (name, Folder::new(dir).allowing(&options.allowed))
        };
        let packages = options.package_dirs.iter().map(package).collect();
        Self { options, beside, packages, made: HashMap::new() }
    }

    /// The shapes of a file, and sentences about those that are no solids. The place is that of the collision geometry.
    pub fn shapes(&mut self, name: &str, scale: [f64; 3], place: &Place) -> Result<Made, Error> {
        let key = (name.to_owned(), scale.map(f64::to_bits));
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let fault = |message: String| Error::File { place: place.clone(), message };
        let file = self.file(name).map_err(fault)?;
        let made = self.made_of(&file, name, scale).map_err(fault)?;
        self.made.insert(key, made.clone());
        Ok(made)
    }

    fn file(&self, name: &str) -> Result<Arc<MeshFile>, String> {
        let Some(rest) = name.strip_prefix("package://") else {
            let path = name.strip_prefix("file://").unwrap_or(name);
            return self.beside.mesh(path).map_err(|error| error.to_string());
        };
        // Some robots have a third slash, which ROS skips.
        let rest = rest.trim_start_matches('/');
        let Some((package, path)) = rest.split_once('/') else {
            return Err(format!("{} names no file of a package; write package://NAME/FILE", quoted(name)));
        };
        if self.packages.is_empty() {
            return Err(format!("the package {} is not known; give the folder that holds it", quoted(package)));
        }
        for (own, folder) in &self.packages {
            let mut names = vec![rest];
            if own.as_deref() == Some(package) {
                names.push(path);
            }
            for name in names {
                match folder.mesh(name) {
                    Err(clearance_io::Error::Missing { .. }) => {}
                    found => return found.map_err(|error| error.to_string()),
                }
            }
        }
        let folders = counted(self.packages.len() as u64, "package folder", "package folders");
        Err(format!("{} is in none of the {folders} given; check the name and the folders", quoted(name)))
    }

    fn made_of(&self, file: &MeshFile, name: &str, scale: [f64; 3]) -> Result<Made, String> {
        // URDF is in metres. Formats without a unit are taken to be in metres, too.
        let factor = file.unit.map_or(1.0, |unit| unit.factor_to(Unit::Metre));
        let mut made: Made = (Vec::new(), file.notes.clone());
        if file.up == Some(Axis::Y) && file.unit != Some(Unit::Metre) && name.to_ascii_lowercase().ends_with(".dae") {
            made.1.push(format!("{name} says that y is up; its coordinates are used as they are"));
        }
        for body in &file.bodies {
            // The pose of a body is inside the scale, so it goes into the vertices.
            let map = |vertex: DVec3| body.pose.transform_point(vertex) * factor * DVec3::from(scale);
            let vertices: Vec<DVec3> = body.surface.vertices.iter().map(|&vertex| map(vertex)).collect();
            let is_mirrored = scale.iter().filter(|factor| **factor < 0.0).count() % 2 == 1;
            let turned = |&[a, b, c]: &[u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
            let triangles: Vec<[u32; 3]> = body.surface.triangles.iter().map(turned).collect();
            let mut mesh = Mesh::new(&vertices, &triangles).map_err(|error| format!("{name}: {error}"))?;
            if !mesh.is_solid() {
                mesh = mesh.welded();
            }
            let called = body.name.as_ref().map_or_else(|| name.to_owned(), |body| format!("{name}, {}", quoted(body)));
            if !mesh.is_solid() {
                let note = if self.options.fill_holes {
                    let filled = mesh.filled();
                    mesh = filled.mesh;
                    let holes = counted(filled.filled.len() as u64, "hole was", "holes were");
                    if mesh.is_solid() {
                        format!("{holes} filled")
                    } else {
                        format!("{holes} filled, and it is a shell still")
                    }
                } else {
                    let report = mesh.report();
                    let (open, flipped) = (report.open_edges.count as u64, report.flipped_edges.count as u64);
                    let open = counted(open, "open edge", "open edges");
                    format!("it is a shell, not a solid: it has {open} and {flipped} with a flipped triangle")
                };
                made.1.push(format!("{called}: {note}"));
            }
            made.0.push((Shape::Mesh(Arc::new(mesh)), Pose::IDENTITY));
        }
        Ok(made)
    }
}
