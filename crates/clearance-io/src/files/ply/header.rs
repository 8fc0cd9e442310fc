//! The head of a PLY file.

use super::super::text::{shown, whole, words};
use crate::count::counted;
use crate::error::{Error, Place};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scalar {
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Float32,
    Float64,
}

impl Scalar {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::Int8,
            b"uchar" | b"uint8" => Self::UInt8,
            b"short" | b"int16" => Self::Int16,
            b"ushort" | b"uint16" => Self::UInt16,
            b"int" | b"int32" => Self::Int32,
            b"uint" | b"uint32" => Self::UInt32,
            b"float" | b"float32" => Self::Float32,
            b"double" | b"float64" => Self::Float64,
            _ => return None,
        })
    }

    pub fn size(self) -> usize {
        match self {
            Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }

    fn is_whole(self) -> bool {
        !matches!(self, Self::Float32 | Self::Float64)
    }
}

/// The meaning of a property for the part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Role {
    /// A coordinate of a vertex.
    Axis(usize),
    /// The corners of a face or a strip.
    Corners,
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Property {
    pub role: Role,
    /// The type of the length, for a list.
    pub count_type: Option<Scalar>,
    pub scalar: Scalar,
}

/// The meaning of an element for the part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Vertex,
    Face,
    /// Triangles that share edges with those before them.
    Strip,
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct Element {
    name: String,
    pub kind: Kind,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// How many there are said to be.
    pub fn claim(&self) -> String {
        match self.kind {
            Kind::Vertex => counted(self.count, "vertex", "vertices"),
            Kind::Face => counted(self.count, "face", "faces"),
            Kind::Strip => counted(self.count, "triangle strip", "triangle strips"),
            Kind::Other => format!("{} × {}", self.count, crate::json::quoted(&self.name)),
        }
    }

    /// One of them.
    pub fn one(&self, index: u64) -> String {
        let name = match self.kind {
            Kind::Vertex => "vertex".into(),
            Kind::Face => "face".into(),
            Kind::Strip => "triangle strip".into(),
            Kind::Other => crate::json::quoted(&self.name),
        };
        format!("{name} {index} (counted from 0)")
    }

    pub fn cut_off(&self, index: u64) -> String {
        format!("the file ends in {}; it is cut off, export it again", self.one(index))
    }

    /// Refuses a count that takes more bytes than there are.
    pub fn bound(&self, least: u64, left: u64) -> Result<(), String> {
        if least <= left {
            return Ok(());
        }
        Err(format!(
            "the head claims {}, at least {least} bytes, but {} left; it is cut off or damaged, export it again",
            self.claim(),
            counted(left, "byte is", "bytes are")
        ))
    }

    fn has(&self, role: Role) -> bool {
        self.properties.iter().any(|property| property.role == role)
    }
}

pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// The bytes and lines before the data.
    pub size: usize,
    pub lines: u64,
}

impl Header {
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let fail = |line: u64, message: String| Error::Mesh { place: Place::file(name).at_line(line), message };
        let marked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // Where binary data begin must not be doubtful, so all lines end like the first.
        let line_end: &[u8] = match marked {
            [b'p', b'l', b'y', b'\r', b'\n', ..] => b"\r\n",
            [b'p', b'l', b'y', b'\r', ..] => b"\r",
            [b'p', b'l', b'y', b'\n', ..] => b"\n",
            _ => return Err(fail(1, "a PLY file begins with a line `ply`; export it again".into())),
        };
        let mut header =
            Self { encoding: Encoding::Text, elements: Vec::new(), size: bytes.len() - marked.len(), lines: 0 };
        let mut has_encoding = false;
        loop {
            let rest = &bytes[header.size..];
            let length = rest.windows(line_end.len()).position(|window| window == line_end);
            header.lines += 1;
            let Some(length) = length else {
                return Err(fail(
                    header.lines,
                    "the head has no line `end_header`; the file is cut off, export it again".into(),
                ));
            };
            header.size += length + line_end.len();
            let mut words = words(&rest[..length]);
            let word = words.next().unwrap_or_default();
            match word {
                b"end_header" => break,
                b"ply" if header.lines == 1 => Ok(()),
                b"comment" | b"obj_info" => Ok(()),
                b"format" if !has_encoding => {
                    has_encoding = true;
                    read_encoding(words).map(|encoding| header.encoding = encoding)
                }
                b"element" => header.read_element(words),
                b"property" => header.read_property(words),
                _ => Err(format!("{} is not expected in the head of a PLY file; correct the line", shown(word))),
            }
            .map_err(|message| fail(header.lines, message))?;
        }
        if !has_encoding {
            return Err(fail(header.lines, "the head has no line `format`; export the file again".into()));
        }
        header.check().map_err(|message| fail(header.lines, message))?;
        Ok(header)
    }

    fn read_element<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let (name, count) = (words.next(), words.next().and_then(whole));
        let (Some(name), Some(count), None) = (name, count, words.next()) else {
            return Err("an element needs a name and a whole number; correct the line".into());
        };
        let kind = match name {
            b"vertex" => Kind::Vertex,
            b"face" => Kind::Face,
            b"tristrips" => Kind::Strip,
            _ => Kind::Other,
        };
        if kind != Kind::Other && self.elements.iter().any(|element| element.kind == kind) {
            return Err(format!("there are two elements {}; export the file again", shown(name)));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        self.elements.push(Element { name, kind, count, properties: Vec::new() });
        Ok(())
    }

    fn read_property<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let Some(element) = self.elements.last_mut() else {
            return Err("a property stands before the first element; export the file again".into());
        };
        let malformed = "a property needs a type (or `list` and two types) and a name; correct the line";
        let words: Vec<&[u8]> = words.collect();
        let (count_type, scalar, name) = match words[..] {
            [b"list", count_type, scalar, name] => {
                (Some(Scalar::of(count_type).ok_or(malformed)?), Scalar::of(scalar).ok_or(malformed)?, name)
            }
            [scalar, name] => (None, Scalar::of(scalar).ok_or(malformed)?, name),
            _ => return Err(malformed.into()),
        };
        let role = match (element.kind, name) {
            (Kind::Vertex, b"x") => Role::Axis(0),
            (Kind::Vertex, b"y") => Role::Axis(1),
            (Kind::Vertex, b"z") => Role::Axis(2),
            (Kind::Face | Kind::Strip, b"vertex_indices" | b"vertex_index") => Role::Corners,
            _ => Role::Other,
        };
        let is_right = match role {
            Role::Axis(_) => count_type.is_none(),
            Role::Corners => scalar.is_whole() && count_type.is_some(),
            Role::Other => true,
        };
        if !is_right || count_type.is_some_and(|count| !count.is_whole()) {
            return Err(format!("the property {} cannot have this type; export the file again", shown(name)));
        }
        if role != Role::Other && element.has(role) {
            return Err(format!("there are two properties {}; export the file again", shown(name)));
        }
        element.properties.push(Property { role, count_type, scalar });
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let find = |kind: Kind| self.elements.iter().find(|element| element.kind == kind);
        let Some(vertices) = find(Kind::Vertex) else {
            return Err("the head has no `element vertex`; export the file again with its geometry".into());
        };
        if let Some(axis) = (0..3).find(|&axis| !vertices.has(Role::Axis(axis))) {
            return Err(format!("the vertices have no property {}; export the file again", ["x", "y", "z"][axis]));
        }
        for (kind, name) in [(Kind::Face, "faces"), (Kind::Strip, "triangle strips")] {
            if find(kind).is_some_and(|faces| faces.count > 0 && !faces.has(Role::Corners)) {
                return Err(format!("the {name} have no list `vertex_indices`; export the file again"));
            }
        }
        Ok(())
    }
}

fn read_encoding<'a>(words: impl Iterator<Item = &'a [u8]>) -> Result<Encoding, String> {
    match words.collect::<Vec<_>>()[..] {
        [b"ascii", b"1.0"] => Ok(Encoding::Text),
        [b"binary_little_endian", b"1.0"] => Ok(Encoding::LittleEndian),
        [b"binary_big_endian", b"1.0"] => Ok(Encoding::BigEndian),
        _ => Err("the format must be ascii, binary_little_endian or binary_big_endian, and 1.0".into()),
    }
}
