//! Files from the disk: which may be read, how large they may be, and what they hold.

mod content;
mod obj;
mod stl;
mod text;

pub use content::other_than_text;

use crate::error::{Error, Place};
use clearance::Shape;
use clearance::math::DVec3;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};

/// The largest file that is read: 1 GiB.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

const MESH_TYPES: &str = "ending in .obj or .stl";

/// The folder in which the mesh files named by a text are looked for; they cannot be anywhere else.
///
/// Hulls of files are remembered, so a stream may name the same file on every line.
#[derive(Debug, Default)]
pub struct Folder {
    base: Option<PathBuf>,
    hulls: RefCell<HashMap<PathBuf, Shape>>,
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
        Self { base: Some(path.into()), hulls: RefCell::default() }
    }

    /// The folder that holds that file.
    #[must_use]
    pub fn of(file: &Path) -> Self {
        match file.parent() {
            Some(parent) if parent != Path::new("") => Self::new(parent),
            _ => Self::new("."),
        }
    }

    /// The convex hull of a mesh file that a text names.
    pub fn hull(&self, name: &str) -> Result<Shape, Error> {
        let path = self.resolve(name)?;
        if let Some(shape) = self.hulls.borrow().get(&path) {
            return Ok(shape.clone());
        }
        let shape = hull_of(&path, name)?;
        self.hulls.borrow_mut().insert(path, shape.clone());
        Ok(shape)
    }

    /// The true path of a named file, links followed, if it is inside the folder.
    /// The points of a mesh file that a text names, in the order of the file.
    pub(crate) fn points(&self, name: &str) -> Result<Vec<DVec3>, Error> {
        points_of(&self.resolve(name)?, name)
    }

    fn resolve(&self, name: &str) -> Result<PathBuf, Error> {
        let file = || name.to_owned();
        let relative = Path::new(name);
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !plain || name.is_empty() {
            return Err(Error::Outside { file: if name.is_empty() { "the empty path".into() } else { file() } });
        }
        let Some(base) = &self.base else { return Err(Error::NoFolder { file: file() }) };
        let base = base.canonicalize().map_err(|error| Error::from_io(base, &error))?;
        let path = base.join(relative).canonicalize().map_err(|error| Error::from_io(relative, &error))?;
        if path.starts_with(&base) { Ok(path) } else { Err(Error::Outside { file: file() }) }
    }
}

/// The convex hull of a mesh file (.obj or .stl).
pub fn read_hull(path: &Path) -> Result<Shape, Error> {
    hull_of(path, &path.display().to_string())
}

/// The vertices of a mesh file (.obj or .stl), as the file has them.
///
/// Of an OBJ file these are the vertices that its faces, lines and points use, or all of them when it has none of these.
/// Decimal digits become the nearest doubles; binary STL has single precision, which is kept exactly.
pub fn read_points(path: &Path) -> Result<Vec<DVec3>, Error> {
    points_of(path, &path.display().to_string())
}

/// The text of a file, which must be UTF-8; a byte-order mark is left out.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let name = path.display().to_string();
    let (file, _) = open(path, &name, "ending in .json", Special::Allowed)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits, also for a pipe.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| Error::from_io(path, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::TooLarge { file: name, limit: MAX_FILE_BYTES });
    }
    if let Some((what, way_out)) = other_than_text(&bytes) {
        return Err(Error::OtherContent { place: Place::file(name), what, way_out });
    }
    if bytes.starts_with(content::MARK) {
        bytes.drain(..content::MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Error::NotUtf8 { place: Place::file(name).at_line(1 + count_newlines(good)) }
    })
}

/// Opens a file of query lines, of any size; a pipe will do as well.
pub fn open_stream(path: &Path) -> Result<File, Error> {
    let name = path.display().to_string();
    let (file, _) = open(path, &name, "of query lines, or - for the standard input", Special::Stream)?;
    Ok(file)
}

fn count_newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn hull_of(path: &Path, name: &str) -> Result<Shape, Error> {
    let points = points_of(path, name)?;
    Shape::hull(&points)
        .map_err(|error| Error::Mesh { place: Place::file(name), message: format!("as a list of points, {error}") })
}

/// Reads a mesh; `name` is what messages call the file.
fn points_of(path: &Path, name: &str) -> Result<Vec<DVec3>, Error> {
    let extension = Path::new(name).extension().map(|extension| extension.to_ascii_lowercase());
    let read = match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("obj") => obj::read,
        Some("stl") => stl::read,
        _ => {
            // A folder or a missing file is the more likely mistake, and the clearer message.
            open(path, name, MESH_TYPES, Special::Refused)?;
            return Err(Error::UnknownType { file: name.to_owned(), wanted: MESH_TYPES });
        }
    };
    let (file, size) = open(path, name, MESH_TYPES, Special::Refused)?;
    let points = read(BufReader::with_capacity(1 << 16, file), size, name)?;
    if points.is_empty() {
        let message = "the file holds no vertices; export it again with its geometry".into();
        return Err(Error::Mesh { place: Place::file(name), message });
    }
    Ok(points)
}

/// May the path be a pipe or a device?
#[derive(PartialEq)]
enum Special {
    Allowed,
    Refused,
    /// Yes, and it is read bit by bit, so its size has no bound.
    Stream,
}

/// Opens a file after looking what it is: opening a pipe that nobody writes to would wait for ever.
fn open(path: &Path, name: &str, wanted: &'static str, special: Special) -> Result<(File, u64), Error> {
    let shown = Path::new(name);
    let metadata = fs::metadata(path).map_err(|error| Error::from_io(shown, &error))?;
    if metadata.is_dir() {
        return Err(Error::NotAFile { file: name.to_owned(), kind: "a directory", wanted });
    }
    if !metadata.is_file() && special == Special::Refused {
        return Err(Error::NotAFile { file: name.to_owned(), kind: "a device or a pipe", wanted });
    }
    if metadata.len() > MAX_FILE_BYTES && special != Special::Stream {
        return Err(Error::TooLarge { file: name.to_owned(), limit: MAX_FILE_BYTES });
    }
    let file = File::open(path).map_err(|error| Error::from_io(shown, &error))?;
    Ok((file, metadata.len()))
}
