//! The folder that a text may name files in.

use super::log::FileLog;
use super::mesh::{CrossedFaces, MeshBody, MeshFile, hull_of, mesh_of, stated_points_of};
use crate::error::{Error, Place};
use crate::scene::MeshNumbers;
use crate::unit::Unit;
use clearance::Shape;
use clearance::math::DVec3;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A shape, and the file that it was made of.
type Solid = (Shape, Arc<MeshFile>);

/// The folder in which the mesh files named by a text are looked for; they cannot be anywhere else.
///
/// Files are remembered as what they were read as, so a stream may name the same one on every line.
#[derive(Debug, Default)]
pub struct Folder {
    base: Option<PathBuf>,
    /// Folders that the user allows besides.
    allowed: Vec<PathBuf>,
    hulls: RefCell<HashMap<PathBuf, Shape>>,
    /// By path and factor.
    solids: RefCell<HashMap<(PathBuf, u64), Solid>>,
    meshes: RefCell<HashMap<PathBuf, Arc<MeshFile>>>,
    /// Every file that is read from here is listed there.
    pub(super) log: FileLog,
}

impl Folder {
    /// No folder: a text that names a file is refused.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// That folder.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { base: Some(path.into()), ..Self::default() }
    }

    /// The folder that holds that file.
    #[must_use]
    pub fn of(file: &Path) -> Self {
        match file.parent() {
            Some(parent) if parent != Path::new("") => Self::new(parent),
            _ => Self::new("."),
        }
    }

    /// The same folder, and others that files may be in: a text may then name them by `..` or by their whole path.
    #[must_use]
    pub fn allowing(self, folders: &[PathBuf]) -> Self {
        Self { allowed: folders.to_vec(), ..self }
    }

    /// The same folder, whose files are listed in a log when they are read.
    #[must_use]
    pub fn logging(self, log: &FileLog) -> Self {
        Self { log: log.clone(), ..self }
    }

    /// The convex hull of a mesh file that a text names.
    pub fn hull(&self, name: &str) -> Result<Shape, Error> {
        let path = self.resolve(name)?;
        if let Some(shape) = self.hulls.borrow().get(&path) {
            return Ok(shape.clone());
        }
        let shape = hull_of(&path, name, &self.log)?;
        self.hulls.borrow_mut().insert(path, shape.clone());
        Ok(shape)
    }

    /// The triangles of a mesh file that a text names.
    pub fn mesh(&self, name: &str) -> Result<Arc<MeshFile>, Error> {
        let path = self.resolve(name)?;
        if let Some(mesh) = self.meshes.borrow().get(&path) {
            return Ok(Arc::clone(mesh));
        }
        let mesh = Arc::new(mesh_of(&path, name, &self.log)?);
        self.meshes.borrow_mut().insert(path, Arc::clone(&mesh));
        Ok(mesh)
    }

    /// The files with faces whose edges cross, of those that were read as meshes, by name.
    pub(crate) fn crossed(&self) -> Vec<CrossedFaces> {
        let mut crossed: Vec<_> = self.meshes.borrow().values().filter_map(|mesh| mesh.crossed.clone()).collect();
        crossed.sort_unstable_by(|one, other| one.first.cmp(&other.first));
        crossed
    }

    /// The notes of all files that were read as meshes, in the order of their sentences.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<_> = self.meshes.borrow().values().flat_map(|mesh| mesh.notes.clone()).collect();
        notes.sort_unstable();
        notes
    }

    /// How the files that were read as meshes count, by the meshes.
    pub(crate) fn numbers(&self) -> MeshNumbers {
        let mut numbers = MeshNumbers::default();
        for (shape, file) in self.solids.borrow().values() {
            // Their compounds have more parts than the file has bodies.
            if file.bodies.iter().any(MeshBody::has_primitives) {
                continue;
            }
            match shape {
                Shape::Compound(compound) => {
                    let parts = compound.parts().iter().zip(&file.bodies);
                    parts.for_each(|(part, body)| numbers.add(&part.shape, &body.numbers));
                }
                _ => file.bodies.iter().for_each(|body| numbers.add(shape, &body.numbers)),
            }
        }
        numbers
    }

    /// The shape of a mesh file that a text names: a solid or a shell, or a compound if it has several bodies.
    ///
    /// All lengths are multiplied by the factor.
    pub(crate) fn solid(&self, name: &str, factor: f64) -> Result<Solid, Error> {
        let mesh = self.mesh(name)?;
        let key = (self.resolve(name)?, factor.to_bits());
        if let Some(found) = self.solids.borrow().get(&key) {
            return Ok(found.clone());
        }
        let fail = |error: clearance::BuildError| Error::Mesh { place: Place::file(name), message: error.to_string() };
        let mesh = if factor == 1.0 { mesh } else { Arc::new(mesh.scaled(factor).map_err(fail)?) };
        let found = (mesh.shape().map_err(fail)?, mesh);
        self.solids.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// The points of a mesh file that a text names, in the order of the file, and the unit that it states.
    pub(crate) fn points(&self, name: &str) -> Result<(Vec<DVec3>, Option<Unit>), Error> {
        stated_points_of(&self.resolve(name)?, name, &self.log)
    }

    /// The true path of a named file, links followed, if it is inside the folder.
    pub(super) fn resolve(&self, name: &str) -> Result<PathBuf, Error> {
        let file = || name.to_owned();
        let relative = Path::new(name);
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if name.is_empty() || (!plain && self.allowed.is_empty()) {
            return Err(Error::Outside { file: if name.is_empty() { "the empty path".into() } else { file() } });
        }
        let Some(base) = &self.base else { return Err(Error::NoFolder { file: file() }) };
        let base = base.canonicalize().map_err(|error| Error::from_io(base, &error))?;
        let path = base.join(relative).canonicalize().map_err(|error| Error::from_io(relative, &error))?;
        // Links are followed on both sides, so that none leads out.
        let is_below = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| path.starts_with(folder));
        if path.starts_with(&base) || self.allowed.iter().any(is_below) {
            Ok(path)
        } else {
            Err(Error::Outside { file: file() })
        }
    }
}
