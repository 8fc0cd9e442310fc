//! Recognizes the kind of a file by its first bytes, so that one of another kind is refused by its name instead of being misread.

use crate::error::{Error, Place};

/// Bytes of a file that are read to recognize its format. Limit: enough for a comment before the first keyword.
pub(super) const HEAD: usize = 1024;

/// The byte-order mark of UTF-8, which is skipped. Layout: U+FEFF in UTF-8.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Remedies for files of another kind.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Archive,
    Encoding,
    /// A mesh that is read under another ending: which, and how to say so.
    Mesh(&'static str, &'static str),
    /// Surfaces that are no triangles: how to make some of them.
    Cad(&'static str),
    /// A text that stands for the file.
    Pointer,
    Other,
}

const FROM_STEP: &str = "export the part as STL, 3MF or glTF, or convert it with `gmsh FILE -2 -o part.stl`";
const FROM_IFC: &str = "export it as glTF or COLLADA, or convert it with `IfcConvert FILE model.glb`";
const FROM_OTHER: &str = "export the part as STL, 3MF or glTF";

/// Endings of files that hold no triangles, or hold them in a format that is not read.
const OTHER_ENDINGS: &[(&str, &str, &str)] = &[
    ("step", "a STEP file", FROM_STEP),
    ("stp", "a STEP file", FROM_STEP),
    ("stpz", "a STEP file", FROM_STEP),
    ("iges", "an IGES file", FROM_STEP),
    ("igs", "an IGES file", FROM_STEP),
    ("brep", "a BREP file", FROM_STEP),
    ("ifc", "an IFC file", FROM_IFC),
    ("ifczip", "an IFC file", FROM_IFC),
    ("fbx", "an FBX file", FROM_OTHER),
    ("blend", "a Blender file", FROM_OTHER),
    ("x3d", "an X3D file", FROM_OTHER),
    ("amf", "an AMF file", FROM_OTHER),
    ("dxf", "a DXF file", FROM_OTHER),
    ("sldprt", "a SolidWorks file", FROM_OTHER),
    ("fcstd", "a FreeCAD file", FROM_OTHER),
];

/// The kind of a file by its ending, and how to make triangles of it.
pub(super) fn other_ending(ending: &str) -> Option<(&'static str, &'static str)> {
    OTHER_ENDINGS.iter().find(|(known, ..)| *known == ending).map(|&(_, what, way_out)| (what, way_out))
}

/// Beginnings that tell what a file is. Longer ones come before shorter ones that they begin with.
const BEGINNINGS: &[(&[u8], &str, Kind)] = &[
    (b"\x1f\x8b", "a gzip archive", Kind::Archive),
    (b"PK\x03\x04", "a zip archive (3MF files are such)", Kind::Archive),
    (b"PK\x05\x06", "an empty zip archive", Kind::Archive),
    (b"BZh", "a bzip2 archive", Kind::Archive),
    (b"\xfd7zXZ\x00", "an xz archive", Kind::Archive),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", Kind::Archive),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", Kind::Archive),
    (b"\xff\xfe\x00\x00", "UTF-32 text", Kind::Encoding),
    (b"\x00\x00\xfe\xff", "UTF-32 text", Kind::Encoding),
    (b"\xff\xfe", "UTF-16 text", Kind::Encoding),
    (b"\xfe\xff", "UTF-16 text", Kind::Encoding),
    (b"glTF", "a binary glTF file", Kind::Mesh(".glb", "give the file the ending .glb")),
    (b"ply\n", "a PLY file", Kind::Mesh(".ply", "give the file the ending .ply")),
    (b"ply\r", "a PLY file", Kind::Mesh(".ply", "give the file the ending .ply")),
    (b"Kaydara FBX", "an FBX file", Kind::Other),
    (b"BLENDER", "a Blender file", Kind::Other),
    (b"ISO-10303-21", "a STEP or IFC file", Kind::Cad(FROM_STEP)),
    (b"#VRML", "a VRML file", Kind::Mesh(".wrl", "give the file the ending .wrl")),
    (b"%PDF", "a PDF file", Kind::Other),
    (b"OFF\n", "an OFF file", Kind::Mesh(".off", "give the file the ending .off")),
    (b"OFF\r", "an OFF file", Kind::Mesh(".off", "give the file the ending .off")),
    (b"version https://git-lfs", "a pointer of Git LFS, not the file itself", Kind::Pointer),
    (b"<", "HTML or XML text", Kind::Other),
    (b"{", "JSON text", Kind::Other),
];

fn beginning(head: &[u8]) -> Option<(&'static str, Kind)> {
    let found = |bytes: &[u8]| BEGINNINGS.iter().find(|(start, ..)| bytes.starts_with(start));
    let text = head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start();
    found(head).or_else(|| found(text)).map(|&(_, what, kind)| (what, kind))
}

/// Refuses a mesh that is of another kind than its name says.
pub(super) fn refuse_other_mesh(head: &[u8], name: &str) -> Result<(), Error> {
    let Some((what, kind)) = beginning(head) else { return Ok(()) };
    let way_out = match kind {
        Kind::Archive => "unpack it first",
        Kind::Encoding => "save it as UTF-8",
        Kind::Mesh(ending, _) if name.to_ascii_lowercase().ends_with(ending) => return Ok(()),
        Kind::Mesh(_, way_out) => way_out,
        Kind::Cad(way_out) => way_out,
        Kind::Pointer => "fetch the file with `git lfs pull`",
        Kind::Other => "export the part as OBJ or STL",
    };
    Err(Error::OtherContent { place: Place::file(name), what, way_out })
}

/// Description of first bytes that are not UTF-8 text, and the remedy, such as "a gzip archive; unpack it first".
#[must_use]
pub fn other_than_text(head: &[u8]) -> Option<(&'static str, &'static str)> {
    match beginning(head)? {
        (what, Kind::Archive) => Some((what, "unpack it first")),
        (what, Kind::Encoding) => Some((what, "save it as UTF-8")),
        (what, Kind::Pointer) => Some((what, "fetch the file with `git lfs pull`")),
        (_, Kind::Mesh(..) | Kind::Cad(_) | Kind::Other) => None,
    }
}

/// Does the text begin with that word, in capitals or not?
pub(super) fn begins_with_word(head: &[u8], word: &str) -> bool {
    let text = head.strip_prefix(MARK).unwrap_or(head);
    super::text::words(text).next().is_some_and(|first| first.eq_ignore_ascii_case(word.as_bytes()))
}
