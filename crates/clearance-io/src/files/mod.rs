//! Files from the disk: which may be read, how large they may be, and what they hold.

mod collada;
mod content;
mod folder;
mod gltf;
mod log;
mod mesh;
mod obj;
mod off;
mod placement;
mod plane;
mod ply;
mod polygon;
mod polygons;
mod primitive;
mod stl;
mod text;
mod threemf;
mod vrml;
mod write;
mod xml;

pub use content::other_than_text;
pub use folder::Folder;
pub(crate) use log::hexadecimal;
pub use log::{FileHash, FileLog};
pub(crate) use mesh::written_pose;
pub use mesh::{CrossedFaces, FileNumbers, MeshBody, MeshFile, Surface, read_hull, read_mesh, read_points};
pub use write::{write_obj, write_ply, write_stl};

use crate::error::{Error, Place};
use mesh::Contents;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The largest file that is read: 1 GiB. Limit: files are read into memory as a whole.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

const MESH_TYPES: &str = "ending in .obj, .stl, .ply, .off, .gltf, .glb, .3mf, .dae or .wrl";

/// A format of mesh files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Obj,
    Stl,
    Ply,
    Off,
    /// As text or binary.
    Gltf,
    ThreeMf,
    Collada,
    Vrml,
}

impl Format {
    /// The format that the ending of a name tells.
    fn of(name: &str) -> Result<Self, Error> {
        let ending = Path::new(name).extension().map(|ending| ending.to_ascii_lowercase());
        Ok(match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("obj") => Self::Obj,
            Some("stl") => Self::Stl,
            Some("ply") => Self::Ply,
            Some("off") => Self::Off,
            Some("gltf" | "glb") => Self::Gltf,
            Some("3mf") => Self::ThreeMf,
            Some("dae") => Self::Collada,
            Some("wrl") => Self::Vrml,
            other => {
                return Err(match other.and_then(content::other_ending) {
                    Some((what, way_out)) => Error::OtherContent { place: Place::file(name), what, way_out },
                    None => Error::UnknownType { file: name.to_owned(), wanted: MESH_TYPES },
                });
            }
        })
    }

    fn read(self, bytes: &[u8], name: &str, folder: &Folder) -> Result<Contents, Error> {
        let polygons = match self {
            Self::Obj => obj::read(bytes, name),
            Self::Stl => stl::read(bytes, name),
            Self::Ply => ply::read(bytes, name),
            Self::Off => off::read(bytes, name),
            Self::Gltf => return gltf::read(bytes, name, folder),
            Self::ThreeMf => return threemf::read(bytes, name),
            Self::Collada => return collada::read(bytes, name),
            Self::Vrml => return vrml::read(bytes, name),
        };
        polygons.map(|polygons| Contents::single(polygons, bytes.len()))
    }
}

/// Does the name end like that of a mesh file?
#[must_use]
pub fn is_mesh_name(path: &Path) -> bool {
    Format::of(&path.to_string_lossy()).is_ok()
}

/// The text of a file, which must be UTF-8; a byte-order mark is left out.
pub fn read_text(path: &Path) -> Result<String, Error> {
    FileLog::off().read_text(path)
}

fn read_text_logged(path: &Path, log: &FileLog) -> Result<String, Error> {
    let name = path.display().to_string();
    let (file, _) = open(path, &name, "ending in .json", Special::Allowed)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits, also for a pipe.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| Error::from_io(path, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::TooLarge { file: name, limit: MAX_FILE_BYTES });
    }
    log.add(&name, &bytes);
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
