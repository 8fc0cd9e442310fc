//! STL, binary and text: triangles, whose corners at exactly the same place are one vertex.
//!
//! Binary files hold single-precision numbers, which are doubles too. Text holds decimal digits, and the doubles nearest to
//! them are the part's: what a reader rounds to single precision is another part.

use super::content::{HEAD, begins_with_word, refuse_other_mesh};
use super::polygons::{Numbers, Polygons};
use super::text::{Lines, number, shown, words};
use crate::count::counted;
use crate::error::{Error, Place};
use clearance::math::DVec3;
use std::collections::HashMap;
use std::hash::Hash;

/// Bytes before the first triangle of a binary file. Layout: 80 bytes of text, and the number of triangles in 4.
const HEADER: u64 = 84;
/// Bytes of a triangle in a binary file. Layout: a normal and three corners, 12 floats, and 2 bytes of attributes.
const TRIANGLE: u64 = 50;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Polygons, Error> {
    read_as(bytes, bytes.len() as u64, name)
}

/// Reads a file of that size.
fn read_as(bytes: &[u8], size: u64, name: &str) -> Result<Polygons, Error> {
    let fail = |message: String| Err(Error::Mesh { place: Place::file(name), message });
    let head = &bytes[..bytes.len().min(HEAD)];
    let claimed = head.get(80..84).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let promised = claimed.map(|triangles| HEADER + TRIANGLE * u64::from(triangles));
    let is_solid = begins_with_word(head, "solid");
    // The size decides: the header of a binary file may begin with the word of text.
    if promised == Some(size) {
        if is_solid && read_text(bytes, name).is_ok() {
            return fail("the file can be read as text and as binary, with different parts; export it again".into());
        }
        return read_binary(bytes, name);
    }
    refuse_other_mesh(head, name)?;
    if is_solid {
        return read_text(bytes, name);
    }
    if ["v", "o", "g", "mtllib"].iter().any(|word| begins_with_word(head, word)) && !head.contains(&0) {
        let way_out = "give the file the ending .obj";
        return Err(Error::OtherContent { place: Place::file(name), what: "OBJ text", way_out });
    }
    match (claimed, promised) {
        (Some(_), _) if !head.contains(&0) => fail(
            "this is neither STL text, which begins with `solid`, nor binary STL, whose header tells its size; \
             export it again"
                .into(),
        ),
        (Some(triangles), Some(promised)) => fail(format!(
            "the header claims {}, {promised} bytes in all, but the file has {size}; \
             it is cut off or damaged, export it again",
            counted(triangles.into(), "triangle", "triangles")
        )),
        _ => fail(format!("a file of {} is too short for STL; export it again", counted(size, "byte", "bytes"))),
    }
}

fn read_binary(bytes: &[u8], name: &str) -> Result<Polygons, Error> {
    let mut corners = Corners::new(Numbers::Faces);
    for (index, triangle) in (0..).zip(bytes[HEADER as usize..].chunks_exact(TRIANGLE as usize)) {
        // A normal of 12 bytes, three corners of 12 bytes, and 2 bytes for the program that wrote them.
        for corner in triangle[12..48].chunks_exact(12) {
            let axis = |i: usize| f32::from_le_bytes([corner[i], corner[i + 1], corner[i + 2], corner[i + 3]]);
            let coordinates = [axis(0), axis(4), axis(8)];
            if !coordinates.iter().all(|coordinate| coordinate.is_finite()) {
                let message = format!(
                    "triangle {index} (counted from 0) has a coordinate that is not a finite number; correct it"
                );
                return Err(Error::Mesh { place: Place::file(name), message });
            }
            // Zero and minus zero are one place.
            corners.add(coordinates.map(|x| (x + 0.0).to_bits()), coordinates.map(f64::from));
        }
        corners.polygons.end_element(true, index);
    }
    Ok(corners.polygons)
}

/// The order of lines of a triangle in text.
const FACET: [Step; 21] = {
    use Step::{Corner, Ignored, Word};
    [
        Word("facet"),
        Word("normal"),
        Ignored,
        Ignored,
        Ignored,
        Word("outer"),
        Word("loop"),
        Word("vertex"),
        Corner(0),
        Corner(1),
        Corner(2),
        Word("vertex"),
        Corner(0),
        Corner(1),
        Corner(2),
        Word("vertex"),
        Corner(0),
        Corner(1),
        Corner(2),
        Word("endloop"),
        Word("endfacet"),
    ]
};

#[derive(Clone, Copy)]
enum Step {
    /// That word, in capitals or not.
    Word(&'static str),
    /// A coordinate of a corner.
    Corner(usize),
    /// A component of the normal, which the corners make superfluous; some programs write nonsense here.
    Ignored,
}

/// Reads text of one or more solids; they are read as one.
fn read_text(bytes: &[u8], name: &str) -> Result<Polygons, Error> {
    let mut lines = Lines::new(bytes, name);
    let mut solids = Solids { corners: Corners::new(Numbers::Lines), corner: [0.0; 3], step: None };
    while let Some((line, number)) = lines.next()? {
        solids.read_line(line, number).map_err(|message| lines.fail(number, message))?;
    }
    if solids.step.is_some() {
        let message = "the text ends before its `endsolid`; the file is cut off, export it again";
        return Err(lines.fail(lines.number, message));
    }
    Ok(solids.corners.polygons)
}

/// Text that was read so far.
struct Solids {
    corners: Corners<u64>,
    /// The corner that is being read.
    corner: [f64; 3],
    /// The next line, as an index of [`FACET`]; `None` outside solids.
    step: Option<usize>,
}

impl Solids {
    fn read_line(&mut self, line: &[u8], number_of_line: u64) -> Result<(), String> {
        let mut words = words(line);
        while let Some(word) = words.next() {
            let is = |wanted: &str| word.eq_ignore_ascii_case(wanted.as_bytes());
            let step = match self.step {
                None if is("solid") => {
                    self.step = Some(0);
                    return check_name(words);
                }
                Some(0) if is("endsolid") => {
                    self.step = None;
                    return check_name(words);
                }
                None => return Err(not_stl(word, "`solid` is")),
                Some(step) => step,
            };
            match FACET[step] {
                Step::Word(wanted) if is(wanted) => {}
                Step::Word(_) if step == 0 => return Err(not_stl(word, "`facet` or `endsolid` is")),
                Step::Word(wanted) => return Err(not_stl(word, &format!("`{wanted}` is"))),
                Step::Corner(axis) => {
                    self.corner[axis] = number(word).ok_or_else(|| not_stl(word, "a number is"))?;
                    if !self.corner[axis].is_finite() {
                        return Err("a coordinate is not a finite number; correct it".into());
                    }
                    if axis == 2 {
                        self.corners.add(self.corner.map(|x| (x + 0.0).to_bits()), self.corner);
                    }
                }
                Step::Ignored => {}
            }
            if step + 1 == FACET.len() {
                self.corners.polygons.end_element(true, number_of_line);
            }
            self.step = Some((step + 1) % FACET.len());
        }
        Ok(())
    }
}

fn not_stl(word: &[u8], wanted: &str) -> String {
    format!("this is not STL text ({} stands where {wanted} expected); export the file again", shown(word))
}

/// The name of a solid may be anything up to the end of its line, but not what looks like a triangle.
fn check_name<'a>(words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
    let mut before: &[u8] = b"";
    for word in words {
        if before.eq_ignore_ascii_case(b"facet") && word.eq_ignore_ascii_case(b"normal") {
            return Err("a facet stands in the line of the solid's name; put it into a line of its own".into());
        }
        before = word;
    }
    Ok(())
}

/// The corners met so far, without repetition: every vertex of a mesh belongs to about six triangles.
struct Corners<B> {
    seen: HashMap<[B; 3], u32>,
    polygons: Polygons,
}

impl<B: Eq + Hash> Corners<B> {
    fn new(numbers: Numbers) -> Self {
        Self { seen: HashMap::new(), polygons: Polygons::new(numbers) }
    }

    /// Takes a corner in, known by its bits.
    fn add(&mut self, bits: [B; 3], point: [f64; 3]) {
        let next = self.polygons.vertices.len() as u32;
        let number = *self.seen.entry(bits).or_insert(next);
        if number == next {
            self.polygons.vertices.push(DVec3::from_array(point));
        }
        self.polygons.add_corner(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_bytes(bytes: &[u8]) -> Result<Vec<DVec3>, String> {
        read(bytes, "part.stl").map(|polygons| polygons.points()).map_err(|error| error.to_string())
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
        assert!(message.contains("claims 200000000 triangles, 10000000084 bytes in all, but the file has 184"));
        assert!(read_bytes(&binary(b"", 1, &TWO)).unwrap_err().contains("export it again"));
        assert!(read_bytes(b"short").unwrap_err().contains("a file of 5 bytes is too short for STL"));
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
        let spoiled = |from: &str, to: &str| read_bytes(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err();
        for bad in ["nan", "inf", "-Infinity", "1e999"] {
            let message = spoiled("vertex 1 0 0", &format!("vertex 1 {bad} 0"));
            assert!(message.starts_with("part.stl, line 5: a coordinate is not a finite number"), "{message}");
        }
        let message = spoiled("vertex 1 0 0", "vertex 1 O 0");
        assert!(
            message.contains("line 5: this is not STL text (\"O\" stands where a number is expected)"),
            "{message}"
        );
        let message = spoiled("vertex 1 0 0", "vertex 1 0 0 0");
        assert!(message.contains("line 5: this is not STL text (\"0\" stands where `vertex` is"), "{message}");
        let message = spoiled("vertex 1 0 0", "vertex 1 0");
        assert!(message.contains("line 6: this is not STL text (\"vertex\" stands where a number is"), "{message}");
        let message = spoiled("endsolid", "");
        assert!(message.contains("line 10: this is not STL text (\"solid\" stands where `facet` or"), "{message}");
        let message = spoiled("solid second", "");
        assert!(message.contains("line 11: this is not STL text (\"facet\" stands where `solid` is"), "{message}");
        let message = spoiled("solid", "solid facet normal 0 0 1 outer loop");
        assert!(message.contains("line 1: a facet stands in the line of the solid's name"), "{message}");
        assert!(spoiled("vertex 1 0 0", "vertex 1 0\0 0").contains("line 5: there is a byte 0 here"));
    }

    #[test]
    fn text_keeps_all_its_digits() {
        let text = TEXT.replace("2.5e0", "0.1234567890123456789");
        assert_eq!(read_bytes(text.as_bytes()).unwrap()[3].z, 0.123_456_789_012_345_68);
        // In single precision both numbers are 16777216.
        let text = TEXT.replacen("vertex 1 0 0", "vertex 16777217 0 0", 1).replace("2.5e0", "16777216");
        let points = read_bytes(text.as_bytes()).unwrap();
        assert!(points.contains(&DVec3::new(16_777_217.0, 0.0, 0.0)), "{points:?}");
    }

    #[test]
    fn files_of_another_kind_are_refused_by_name() {
        let message = |bytes: &[u8]| read_bytes(bytes).unwrap_err();
        let mut gzip = binary(b"\x1f\x8b\x08", 7, &TWO);
        assert_eq!(message(&gzip), "part.stl: this is a gzip archive; unpack it first");
        gzip[..4].copy_from_slice(b"PK\x03\x04");
        assert!(message(&gzip).contains("this is a zip archive (3MF files are such); unpack it first"));
        assert_eq!(message(b"\xff\xfes\0o\0"), "part.stl: this is UTF-16 text; save it as UTF-8");
        assert_eq!(message(b"glTF\x02\0\0\0"), "part.stl: this is a binary glTF file; give the file the ending .glb");
        assert_eq!(message(b"v 0 0 0\n"), "part.stl: this is OBJ text; give the file the ending .obj");
        let pointer = message(b"version https://git-lfs.github.com/spec/v1\n");
        assert!(pointer.contains("a pointer of Git LFS, not the file itself; fetch the file with `git lfs pull`"));
        assert!(message(&[b'x'; 100]).contains("neither STL text, which begins with `solid`, nor binary STL"));
    }

    #[test]
    fn what_fits_both_kinds_is_refused() {
        // The name runs over the bytes that count the triangles: 0x01010101 times 50 bytes would be one possible size, a
        // smaller one needs a byte 0, which is no text. So only a file of more than 838 MB can be both; it stands here with
        // its size claimed.
        let mut text = [&b"solid "[..], &[b'x'; 74], &[1, 1, 1, 1], b"\n"].concat();
        text.extend(TEXT.lines().skip(1).flat_map(|line| [line.as_bytes(), b"\n"].concat()));
        let size = HEADER + TRIANGLE * 0x0101_0101;
        let error = read_as(&text, size, "part.stl").unwrap_err().to_string();
        assert!(error.contains("can be read as text and as binary"), "{error}");
    }
}
