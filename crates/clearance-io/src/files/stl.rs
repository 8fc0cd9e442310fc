//! STL, binary and ASCII: the corners of its triangles, each once. Coordinates have the precision of the format, f32.

use super::lines::{Fate, Lines, first_word};
use crate::error::{Error, Place};
use clearance::math::DVec3;
use std::collections::HashSet;
use std::io::{BufRead, Read, Seek, SeekFrom};

/// Bytes before the first triangle of a binary file, the last four of which count the triangles.
const HEADER: u64 = 84;
/// Bytes of a triangle in a binary file.
const TRIANGLE: u64 = 50;

pub(super) fn read<R: BufRead + Seek>(mut source: R, size: u64, name: &str) -> Result<Vec<DVec3>, Error> {
    let fail = |message: String| Err(Error::Mesh { place: Place::file(name), message });
    let io = |error: std::io::Error| Error::from_io(name.as_ref(), &error);
    let mut head = Vec::new();
    (&mut source).take(HEADER).read_to_end(&mut head).map_err(io)?;
    source.seek(SeekFrom::Start(0)).map_err(io)?;
    let claimed = head.get(80..84).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let promised = claimed.map(|triangles| HEADER + TRIANGLE * u64::from(triangles));
    // The size decides: the header of a binary file may begin with the word of an ASCII one.
    if promised == Some(size) {
        return read_binary(source, name);
    }
    if first_word(&head) == b"solid" {
        return read_ascii(source, name);
    }
    match (claimed, promised) {
        (Some(triangles), Some(promised)) => fail(format!(
            "the header claims {triangles} triangles, which are {promised} bytes, but the file has {size}; \
             it is cut off or damaged, export it again"
        )),
        _ => fail(format!("{size} bytes are too few for an STL file; export it again")),
    }
}

fn read_binary(mut source: impl BufRead + Seek, name: &str) -> Result<Vec<DVec3>, Error> {
    // `stl_io` would take a title that begins with "solid " for text, so it gets one that cannot be: a line's end.
    const TITLE: &[u8] = &[b'\n'; 80];
    let io = |error: std::io::Error| Error::from_io(name.as_ref(), &error);
    source.seek(SeekFrom::Start(TITLE.len() as u64)).map_err(io)?;
    let mut framed = Framed::new(TITLE, source);
    let mut corners = Corners::default();
    for (index, triangle) in stl_io::create_stl_reader(&mut framed).map_err(io)?.enumerate() {
        if !corners.add(&triangle.map_err(io)?) {
            let message =
                format!("triangle {index} (counted from 0) has a coordinate that is not a finite number; correct it");
            return Err(Error::Mesh { place: Place::file(name), message });
        }
    }
    Ok(corners.points)
}

/// Reads text of one or more solids; they are read as one.
fn read_ascii(source: impl BufRead, name: &str) -> Result<Vec<DVec3>, Error> {
    let mut is_open = false;
    // The frame of each solid is taken away and one beginning put back, since `stl_io` stops at the first end and
    // insists on a name.
    let lines = Lines::new(source, |line: &mut Vec<u8>| match first_word(line) {
        b"solid" => {
            is_open = true;
            Fate::Drop
        }
        b"endsolid" => {
            is_open = false;
            Fate::Drop
        }
        _ => Fate::Keep,
    });
    let mut framed = Framed::new(b"solid framed\n", lines);
    let mut corners = Corners::default();
    let mut read_all = |framed: &mut _| {
        stl_io::create_stl_reader(framed)?.try_for_each(|triangle| triangle.map(|triangle| _ = corners.add(&triangle)))
    };
    // There is always an error: the parser never sees an end.
    let Err(error): std::io::Result<()> = read_all(&mut framed) else { return Ok(corners.points) };
    let place = Place::file(name).at_line(framed.rest.number);
    let at_end = error.kind() == std::io::ErrorKind::UnexpectedEof;
    if at_end && !is_open && error.to_string().contains("facet or endsolid") {
        return Ok(corners.points);
    }
    let message = if at_end {
        "the text ends before its `endsolid`; the file is cut off, export it again".into()
    } else {
        format!("this is not STL text ({error}); export the file again")
    };
    Err(Error::Mesh { place, message })
}

/// A reader with other bytes before it.
///
/// `stl_io` looks at the beginning and then seeks back to it; a read never goes past the bytes that were put before, so
/// going back is as simple as sending them again.
struct Framed<R> {
    before: &'static [u8],
    sent: usize,
    rest: R,
}

impl<R> Framed<R> {
    fn new(before: &'static [u8], rest: R) -> Self {
        Self { before, sent: 0, rest }
    }
}

impl<R: Read> Read for Framed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut before = &self.before[self.sent..];
        if before.is_empty() {
            return self.rest.read(buffer);
        }
        let count = before.read(buffer)?;
        self.sent += count;
        Ok(count)
    }
}

impl<R> Seek for Framed<R> {
    fn seek(&mut self, _to_the_start: SeekFrom) -> std::io::Result<u64> {
        self.sent = 0;
        Ok(0)
    }
}

/// The corners met so far, without repetition: every vertex of a mesh belongs to about six triangles.
#[derive(Default)]
struct Corners {
    seen: HashSet<[u32; 3]>,
    points: Vec<DVec3>,
}

impl Corners {
    /// Takes a triangle in; false if it has a coordinate that is not finite.
    fn add(&mut self, triangle: &stl_io::Triangle) -> bool {
        triangle.vertices.iter().all(|vertex| {
            let coordinates = vertex.0;
            if self.seen.insert(coordinates.map(f32::to_bits)) {
                self.points.push(DVec3::from_array(coordinates.map(f64::from)));
            }
            coordinates.iter().all(|coordinate| coordinate.is_finite())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read_bytes(bytes: &[u8]) -> Result<Vec<DVec3>, String> {
        read(Cursor::new(bytes), bytes.len() as u64, "part.stl").map_err(|error| error.to_string())
    }

    fn binary(title: &[u8], claimed: u32, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes[..title.len()].copy_from_slice(title);
        bytes.extend(claimed.to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    const TWO: [[[f32; 3]; 3]; 2] =
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.5]]];

    const TEXT: &str = "solid
        facet normal 0 0 1
            outer loop
                vertex 0 0 0
                vertex 1 0 0
                vertex 0 1 0
            endloop
        endfacet
        endsolid
        solid second
        facet normal 0 0 1
            outer loop
                vertex 0 0 0
                vertex 1 0 0
                vertex 0 0 2.5e0
            endloop
        endfacet
        endsolid second\n";

    #[test]
    fn both_kinds_give_every_corner_once() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.0, 0.0, 2.5)];
        assert_eq!(read_bytes(&binary(b"", 2, &TWO)).unwrap(), corners);
        assert_eq!(read_bytes(&binary(b"solid that is binary", 2, &TWO)).unwrap(), corners);
        assert_eq!(read_bytes(TEXT.as_bytes()).unwrap(), corners);
        assert_eq!(read_bytes(TEXT.replace('\n', "\r\n").as_bytes()).unwrap(), corners);
    }

    #[test]
    fn a_header_cannot_claim_more_than_the_file_has() {
        let message = read_bytes(&binary(b"", 200_000_000, &TWO)).unwrap_err();
        assert!(message.contains("claims 200000000 triangles, which are 10000000084 bytes, but the file has 184"));
        assert!(read_bytes(&binary(b"", 1, &TWO)).unwrap_err().contains("export it again"));
        assert!(read_bytes(b"short").unwrap_err().contains("5 bytes are too few"));
    }

    #[test]
    fn damage_is_named_by_its_line_or_triangle() {
        let mut bad = TWO;
        bad[1][2][0] = f32::NAN;
        assert!(read_bytes(&binary(b"", 2, &bad)).unwrap_err().contains("triangle 1"));
        for last in ["vertex", "endloop", "endsolid"] {
            let cut = TEXT.rsplit_once(last).unwrap().0;
            assert!(read_bytes(cut.as_bytes()).unwrap_err().contains("cut off"));
        }
        let message = read_bytes(TEXT.replacen("vertex 1 0 0", "vertex 1 nan 0", 1).as_bytes()).unwrap_err();
        assert!(message.starts_with("part.stl, line 5: this is not STL text"), "{message}");
    }
}
