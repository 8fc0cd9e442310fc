//! The files of the command line as one scene.

use super::progress::Progress;
use crate::args::SceneArgs;
use clearance::math::DVec3;
use clearance::{Pose, Shape};
use clearance_io::proof::{Asked, WrittenBody, written_pose};
use clearance_io::{Body, FileHash, FileLog, MeshFile, Motion, Scene, Surface, Unit, is_mesh_name, read_hull};
use clearance_verify as verify;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was read.
#[derive(Default)]
pub struct Loaded {
    pub scene: Scene,
    /// The bodies that stand for a mesh of the command line as its convex hull.
    pub hulls: Vec<String>,
    /// The unit that is checked in, if a file or the command line says so.
    pub unit: Option<Unit>,
    /// The files that were read, if bodies say how they were written.
    pub files: Vec<FileHash>,
}

impl Loaded {
    /// What these options ask about the scene, for evidence.
    pub fn asked(&self, args: &SceneArgs) -> Asked {
        let SceneArgs { margin, until, hull, scale, .. } = *args;
        Asked { files: self.files.clone(), margin: margin.unwrap_or(0.0), until, hull, scale, unit: self.unit }
    }
}

/// Reads the files of the command line into one scene, whose bodies say how they were written if that is wanted.
pub fn load(args: &SceneArgs, with_written: bool) -> Result<Loaded, String> {
    let inputs = files(&args.inputs)?;
    let mut progress = Progress::new("reading");
    let log = if with_written { FileLog::on() } else { FileLog::off() };
    let loaded = Loaded::default();
    let mut loader = Loader { args, with_written, log: log.clone(), names: HashSet::new(), stated: None, loaded };
    for (index, input) in inputs.iter().enumerate() {
        progress.at(index, inputs.len());
        loader.add(input)?;
    }
    let unit = args.unit.or(loader.stated.map(|(_, unit)| unit));
    Ok(Loaded { unit, files: log.files(), ..loader.loaded })
}

/// The files, and for a folder all scenes and meshes in it, by name.
fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for input in inputs {
        // What is named like a file is meant to be one.
        if is_input(input) || !input.is_dir() {
            files.push(input.clone());
            continue;
        }
        let entries = fs::read_dir(input).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let entries = entries.map_err(|error| format!("{} cannot be read: {error}", input.display()))?;
        let mut found: Vec<PathBuf> =
            entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_file() && is_input(path)).collect();
        if found.is_empty() {
            return Err(format!("{} is a folder without scenes or meshes; {INPUTS}", input.display()));
        }
        found.sort_unstable();
        files.extend(found);
    }
    Ok(files)
}

pub fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

pub fn is_input(path: &Path) -> bool {
    is_scene(path) || is_mesh_name(path)
}

struct Loader<'a> {
    args: &'a SceneArgs,
    with_written: bool,
    log: FileLog,
    /// The names of bodies that are meshes.
    names: HashSet<String>,
    /// The first mesh file that says what unit it is in, and which.
    stated: Option<(PathBuf, Unit)>,
    loaded: Loaded,
}

impl Loader<'_> {
    fn add(&mut self, input: &Path) -> Result<(), String> {
        let more = if is_scene(input) {
            let read = if self.with_written { Scene::read_logged(input, &self.log) } else { Scene::read(input) };
            read.map_err(|error| error.to_string())?
        } else if !is_mesh_name(input) {
            return Err(unknown_input(input));
        } else {
            Scene { bodies: self.mesh(input)?, ..Scene::default() }
        };
        self.loaded.scene.append(more).map_err(|name| {
            format!("{}: the body {name:?} is also in a file named before it; rename one of the two", input.display())
        })
    }

    /// The bodies of a mesh file, called by its path.
    fn mesh(&mut self, path: &Path) -> Result<Vec<Body>, String> {
        let of_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        if self.args.hull {
            let factor = self.args.scale.unwrap_or(1.0);
            let mut shape = read_hull(path).map_err(|error| error.to_string())?;
            let mut points = match self.with_written {
                true => self.log.read_points(path).map_err(|error| error.to_string())?,
                false => Vec::new(),
            };
            if factor != 1.0 {
                let vertices = shape.as_polytope().into_iter().flat_map(|hull| hull.vertices());
                points = vertices.map(|&point| point * factor).collect();
                shape = Shape::hull(&points).map_err(|error| of_file(&error))?;
            }
            let written = || Arc::new(verify::Shape::Hull { points: points.iter().map(DVec3::to_array).collect() });
            let written = self.with_written.then(written);
            let body = self.body(path.display().to_string(), shape, Pose::IDENTITY, written);
            self.loaded.hulls.push(body.name.clone());
            return Ok(vec![body]);
        }
        let file = self.log.read_mesh(path).map_err(|error| error.to_string())?;
        let factor = self.factor(path, file.unit)?;
        let file = if factor == 1.0 { file } else { file.scaled(factor).map_err(|error| of_file(&error))? };
        self.bodies(path, &file).map_err(|error| of_file(&error))
    }

    /// What the lengths of a file are multiplied by.
    fn factor(&mut self, path: &Path, stated: Option<Unit>) -> Result<f64, String> {
        let scale = self.args.scale.unwrap_or(1.0);
        let Some(stated) = stated else { return Ok(scale) };
        if let Some(wanted) = self.args.unit {
            return Ok(scale * stated.factor_to(wanted));
        }
        match &self.stated {
            Some((first, unit)) if *unit != stated => Err(format!(
                "{} is in {unit}s and {} in {stated}s; say with --unit which unit to check in",
                first.display(),
                path.display()
            )),
            _ => {
                self.stated.get_or_insert_with(|| (path.to_owned(), stated));
                Ok(scale)
            }
        }
    }

    fn bodies(&mut self, path: &Path, file: &MeshFile) -> Result<Vec<Body>, clearance::BuildError> {
        let path = path.display();
        let mut bodies = Vec::with_capacity(file.bodies.len());
        // Instances of one part share what was written as well.
        let mut surfaces = HashMap::new();
        for (body, shape) in file.bodies.iter().zip(file.shapes()?) {
            let name = match &body.name {
                Some(name) if file.bodies.len() > 1 || !name.is_empty() => format!("{path}: {name}"),
                _ => path.to_string(),
            };
            let written = || {
                let surface = surfaces.entry(Arc::as_ptr(&body.surface));
                Arc::clone(surface.or_insert_with(|| Arc::new(written_mesh(&body.surface))))
            };
            let written = self.with_written.then(written);
            bodies.push(self.body(name, shape, body.pose, written));
        }
        Ok(bodies)
    }

    /// A body of its own; the same name again gets a number.
    fn body(&mut self, name: String, shape: Shape, pose: Pose, written: Option<Arc<verify::Shape>>) -> Body {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.names.contains(name));
        let name = free.unwrap_or(name);
        self.names.insert(name.clone());
        let of_shape = |shape| WrittenBody { shape, pose: written_pose(&pose), motion: verify::Motion::Fixed {} };
        Body { name, shape, pose, group: None, motion: Motion::Fixed, written: written.map(of_shape) }
    }
}

/// The triangles of a file, for evidence.
fn written_mesh(surface: &Surface) -> verify::Shape {
    let vertices = surface.vertices.iter().map(DVec3::to_array).collect();
    verify::Shape::Mesh { vertices, triangles: surface.triangles.clone() }
}

const INPUTS: &str = "name a scene (.json), a mesh (.obj, .stl, .ply, .off, .gltf, .glb, .3mf) or a folder of them";

fn unknown_input(path: &Path) -> String {
    // Reading it as a mesh finds what is really wrong with it: missing, a directory, or of no known type.
    match read_hull(path) {
        Err(clearance_io::Error::UnknownType { file, .. }) => {
            format!("{file} is of no known type; {INPUTS}")
        }
        Err(clearance_io::Error::NotAFile { file, kind, .. }) => {
            format!("{file} is {kind}, not a file; {INPUTS}")
        }
        Err(error) => error.to_string(),
        Ok(_) => format!("{} is of no known type; {INPUTS}", path.display()),
    }
}
