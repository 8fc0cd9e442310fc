//! The files of the command line as one scene.

use super::progress::Progress;
use super::repair::{self, FilledHole};
use crate::args::SceneArgs;
use crate::output;
use clearance::math::DVec3;
use clearance::{Axis, Pose, Shape};
use clearance_io::proof::{Asked, WrittenBody, written_pose};
use clearance_io::rules::{Action, Rule};
use clearance_io::{Body, FileHash, FileLog, Folder, MeshFile, Motion, Scene, Tags, Unit, is_mesh_name, read_hull};
use clearance_verify as verify;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The loaded input.
#[derive(Default)]
pub struct Loaded {
    pub scene: Scene,
    /// The bodies that stand for a mesh of the command line as its convex hull.
    pub hulls: Vec<String>,
    /// The unit that is checked in, if a file or the command line says so.
    pub unit: Option<Unit>,
    /// The boundary loops that `--fill-holes` closed.
    pub holes: Vec<FilledHole>,
    /// A sentence for each file that `--skip-bad` left out.
    pub skipped: Vec<String>,
    /// The axes that mesh files of the command line call up.
    pub axes: Vec<Axis>,
    /// The files that were read, if bodies say how they were written.
    pub files: Vec<FileHash>,
}

impl Loaded {
    /// Which way is up, if the files that say so agree.
    pub fn up(&self) -> Option<DVec3> {
        let first = *self.axes.first()?;
        let way = [(Axis::X, DVec3::X), (Axis::Y, DVec3::Y), (Axis::Z, DVec3::Z)];
        let is_same = self.axes.iter().all(|&axis| axis == first);
        way.into_iter().find(|(axis, _)| *axis == first && is_same).map(|(_, way)| way)
    }

    /// The question that these options ask about the scene, for evidence.
    pub fn asked(&self, args: &SceneArgs) -> Asked {
        let SceneArgs { margin, until, hull, scale, .. } = *args;
        // All pairs are searched within the largest margin.
        let margin = margin.into_iter().chain(self.scene.rules.largest_margin()).fold(0.0, f64::max);
        Asked { files: self.files.clone(), margin, until, hull, scale, unit: self.unit }
    }
}

/// Reads the files of the command line into one scene, whose bodies say how they were written if that is wanted.
///
/// All files are read before a bad one ends the check, so that all bad ones are named at once.
pub fn load(args: &SceneArgs, with_written: bool) -> Result<Loaded, String> {
    let mut bad = Vec::new();
    let inputs = files(&args.inputs, &mut bad);
    let count = inputs.len() + bad.len();
    let mut progress = Progress::new("reading");
    let log = if with_written { FileLog::on() } else { FileLog::off() };
    let loaded = Loaded::default();
    let mut loader = Loader {
        args,
        with_written,
        log: log.clone(),
        numbers: HashMap::new(),
        stated: None,
        rules: Vec::new(),
        loaded,
    };
    for (index, input) in inputs.iter().enumerate() {
        progress.at(index, inputs.len());
        bad.extend(loader.add(input).err());
    }
    drop(progress);
    if !args.skip_bad && bad.len() == 1 {
        return Err(bad.remove(0));
    }
    bad.iter().for_each(|sentence| output::complain(sentence));
    if !args.skip_bad && !bad.is_empty() {
        return Err(format!("{} of {count} files cannot be checked; --skip-bad checks the others", bad.len()));
    }
    let unit = args.unit.or(loader.stated.map(|(_, unit)| unit));
    let mut loaded = Loaded { unit, skipped: bad, files: log.files(), ..std::mem::take(&mut loader.loaded) };
    if args.fill_holes {
        loaded.holes = repair::fill_holes(&mut loaded.scene)?;
    }
    // Those of the command line come last, so that they decide.
    let rules = [&loader.rules[..], &args.rules].concat();
    let bounds_depth = |rule: &&Rule| matches!(rule.action(), Action::Allow(Some(_)));
    if let (Some(rule), Some(_)) = (rules.iter().find(bounds_depth), args.until) {
        return Err(format!(
            "the rule {:?} allows a depth, but --until finds times and no depths; leave the depth out",
            rule.to_string()
        ));
    }
    loaded.scene.set_rules(rules)?;
    Ok(loaded)
}

/// The files, and for a folder all scenes and meshes in it, by name; a sentence for each path that is none.
fn files(inputs: &[PathBuf], bad: &mut Vec<String>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for input in inputs {
        // An argument named like a file is meant to be one.
        if is_input(input) || !input.is_dir() {
            files.push(input.clone());
            continue;
        }
        let entries = fs::read_dir(input).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                bad.push(format!("{} cannot be read: {error}", input.display()));
                continue;
            }
        };
        let mut found: Vec<PathBuf> =
            entries.into_iter().map(|entry| entry.path()).filter(|path| is_input(path)).collect();
        if found.is_empty() {
            bad.push(format!("{} is a folder without scenes or meshes; {INPUTS}", input.display()));
        }
        found.sort_unstable();
        // A part that cannot be opened is a part that is not checked: it is named, and not left out.
        for path in found {
            match not_a_file(&path) {
                Some(what) => bad.push(format!("{} is {what}, not a file; remove it or replace it", path.display())),
                None => files.push(path),
            }
        }
    }
    files
}

/// Why an entry of a folder cannot be read as a file. A pipe would be waited for without an end.
fn not_a_file(path: &Path) -> Option<&'static str> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => None,
        Ok(metadata) if metadata.is_dir() => Some("a folder"),
        Ok(_) => Some("a device or a pipe"),
        Err(_) if path.is_symlink() => Some("a link to nothing"),
        // The reader says why.
        Err(_) => None,
    }
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
    /// The names of bodies, each with the number that the next body of that name gets.
    numbers: HashMap<String, u64>,
    /// The first mesh file that says what unit it is in, and which.
    stated: Option<(PathBuf, Unit)>,
    /// The rules of all scenes.
    rules: Vec<Rule>,
    loaded: Loaded,
}

impl Loader<'_> {
    fn add(&mut self, input: &Path) -> Result<(), String> {
        if is_scene(input) {
            return self.scene(input);
        }
        if !is_mesh_name(input) {
            return Err(unknown_input(input));
        }
        let bodies = self.mesh(input)?;
        self.loaded.scene.bodies.extend(bodies);
        Ok(())
    }

    fn scene(&mut self, path: &Path) -> Result<(), String> {
        let folder = Folder::of(path).logging(&self.log).allowing(&self.args.allow);
        let name = path.display().to_string();
        let parse = if self.with_written { Scene::parse_with_written } else { Scene::parse };
        let read = self.log.read_text(path).and_then(|text| parse(&text, &name, &folder));
        let read = read.map_err(|error| error.to_string())?;
        self.rules.extend_from_slice(read.rules.all());
        let Scene { mut bodies, ignore, crossed, notes, unit, numbers, .. } = read;
        bodies.iter_mut().for_each(|body| body.tags.file = Some(name.clone()));
        if let Some(wanted) = self.args.unit
            && unit.is_some_and(|unit| unit != wanted)
        {
            return Err(format!(
                "{}: the scene has another unit than --unit {wanted}; leave --unit out",
                path.display()
            ));
        }
        self.state(path, unit)?;
        if let Some(Body { name, .. }) = bodies.iter().find(|body| self.numbers.contains_key(&body.name)) {
            let path = path.display();
            return Err(format!("{path}: the body {name:?} is also in a file named before it; rename one of the two"));
        }
        self.numbers.extend(bodies.iter().map(|body| (body.name.clone(), 2)));
        let scene = &mut self.loaded.scene;
        let shift = scene.bodies.len();
        scene.ignore.extend(ignore.into_iter().map(|pair| pair.map(|index| index + shift)));
        scene.bodies.extend(bodies);
        scene.crossed.extend(crossed);
        scene.notes.extend(notes);
        scene.numbers.extend(numbers);
        Ok(())
    }

    /// The bodies of a mesh file, called by its path.
    fn mesh(&mut self, path: &Path) -> Result<Vec<Body>, String> {
        let of_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        if self.args.hull {
            let (mut points, unit) = self.log.read_points(path).map_err(|error| error.to_string())?;
            let factor = self.factor(path, unit)?;
            if factor != 1.0 {
                points.iter_mut().for_each(|point| *point *= factor);
            }
            let shape = Shape::hull(&points).map_err(|error| of_file(&format!("as a list of points, {error}")))?;
            let written = || Arc::new(verify::Shape::Hull { points: points.iter().map(DVec3::to_array).collect() });
            let written = self.with_written.then(written);
            let body = self.body(path, path.display().to_string(), shape, Pose::IDENTITY, written);
            self.loaded.hulls.push(body.name.clone());
            return Ok(vec![body]);
        }
        let file = self.log.read_mesh(path).map_err(|error| error.to_string())?;
        let factor = self.factor(path, file.unit)?;
        let file = if factor == 1.0 { file } else { file.scaled(factor).map_err(|error| of_file(&error))? };
        let bodies = self.bodies(path, &file).map_err(|error| of_file(&error))?;
        self.loaded.axes.extend(file.up);
        self.loaded.scene.crossed.extend(file.crossed);
        self.loaded.scene.notes.extend(file.notes);
        Ok(bodies)
    }

    /// The factor of the lengths of a file.
    fn factor(&mut self, path: &Path, stated: Option<Unit>) -> Result<f64, String> {
        let scale = self.args.scale.unwrap_or(1.0);
        let Some(stated) = stated else { return Ok(scale) };
        if let Some(wanted) = self.args.unit {
            return Ok(scale * stated.factor_to(wanted));
        }
        self.state(path, Some(stated))?;
        Ok(scale)
    }

    /// Compares the unit that a file states with those of the files before it.
    fn state(&mut self, path: &Path, stated: Option<Unit>) -> Result<(), String> {
        let Some(stated) = stated else { return Ok(()) };
        match &self.stated {
            Some((first, unit)) if *unit != stated => Err(format!(
                "{} is in {unit}s and {} in {stated}s; say with --unit which unit to check in",
                first.display(),
                path.display()
            )),
            _ => {
                self.stated.get_or_insert_with(|| (path.to_owned(), stated));
                Ok(())
            }
        }
    }

    fn bodies(&mut self, origin: &Path, file: &MeshFile) -> Result<Vec<Body>, clearance::BuildError> {
        let path = origin.display();
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
                Arc::clone(surface.or_insert_with(|| Arc::new(body.written())))
            };
            let written = self.with_written.then(written);
            self.loaded.scene.numbers.add(&shape, &body.numbers);
            bodies.push(self.body(origin, name, shape, body.pose, written));
        }
        Ok(bodies)
    }

    /// A body of its own; the same name again gets a number.
    fn body(
        &mut self,
        origin: &Path,
        name: String,
        shape: Shape,
        pose: Pose,
        written: Option<Arc<verify::Shape>>,
    ) -> Body {
        let tags = Tags { file: Some(origin.display().to_string()), ..Tags::default() };
        let name = self.free_name(name);
        let of_shape = |shape| WrittenBody { shape, pose: written_pose(&pose), motion: verify::Motion::Fixed {} };
        Body { name, shape, pose, group: None, motion: Motion::Fixed, tags, written: written.map(of_shape) }
    }

    /// The name, or the name with the first number that is free. Numbers only grow, so that many equal names take linear time.
    fn free_name(&mut self, name: String) -> String {
        let Some(&number) = self.numbers.get(&name) else {
            self.numbers.insert(name.clone(), 2);
            return name;
        };
        let numbered = |number: u64| format!("{name} ({number})");
        let free = (number..).find(|&number| !self.numbers.contains_key(&numbered(number))).unwrap_or(number);
        let chosen = numbered(free);
        self.numbers.insert(name, free + 1);
        self.numbers.insert(chosen.clone(), 2);
        chosen
    }
}

const INPUTS: &str =
    "name a scene (.json), a mesh (.obj, .stl, .ply, .off, .gltf, .glb, .3mf, .dae, .wrl) or a folder of them";

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
