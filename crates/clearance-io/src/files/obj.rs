//! Wavefront OBJ: its faces, lines and points, as the doubles nearest to the text.
//!
//! Groups and objects (`g`, `o`) are not told apart: they are how a file is ordered, and two of them may share an edge of one
//! closed surface. The file is one body.
//!
//! Only what is known to have no part in the geometry is passed over. Any other word is refused by its line: a vertex that is
//! lost would be a collision that is missed.

use super::content::{HEAD, begins_with_word, refuse_other_mesh};
use super::polygons::{Numbers, Polygons, missing};
use super::text::{Lines, number, shown, words};
use crate::error::{Error, Place};
use clearance::math::DVec3;
use std::io::BufRead;

/// Words that say nothing about where the part is.
const PASSED_OVER: &[&str] = &[
    "vt",
    "vn",
    "vp",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "lod",
    "bevel",
    "c_interp",
    "d_interp",
    "shadow_obj",
    "trace_obj",
];

/// Words of curves and curved surfaces.
const FREE_FORM: &[&str] = &[
    "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con",
    "ctech", "stech", "bsp", "bzp", "cdc", "cdp", "res",
];

/// Words that make a reader go elsewhere.
const COMMANDS: &[&str] = &["call", "csh"];

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Polygons, Error> {
    let head = &bytes[..bytes.len().min(HEAD)];
    refuse_other_mesh(head, name)?;
    if begins_with_word(head, "solid") {
        let way_out = "give the file the ending .stl";
        return Err(Error::OtherContent { place: Place::file(name), what: "STL text", way_out });
    }
    let mut lines = Lines::new(bytes, name);
    let polygons = Polygons::new(Numbers::Lines).with_vertices_from(1);
    let mut mesh = Mesh { polygons, bad_name: None };
    let mut joined = Vec::new();
    while let Some((line, number)) = lines.next()? {
        let read = if let [start @ .., b'\\'] = line {
            joined.clear();
            joined.extend_from_slice(start);
            join(&mut lines, &mut joined)?;
            mesh.read_line(&joined, number)
        } else {
            mesh.read_line(line, number)
        };
        read.map_err(|Fault { line, message }| lines.fail(line, message))?;
    }
    mesh.finish().map_err(|Fault { line, message }| lines.fail(line, message))
}

/// Appends the lines that a line is continued on by a backslash at its end.
fn join<R: BufRead>(lines: &mut Lines<'_, R>, joined: &mut Vec<u8>) -> Result<(), Error> {
    loop {
        let before = lines.number;
        let Some((line, _)) = lines.next()? else {
            return Err(lines.fail(before, "the text ends in a backslash; the file is cut off, export it again"));
        };
        // After a comment or a name, a backslash may have been meant as nothing but a backslash.
        if words(line).next().is_some_and(is_keyword) {
            let message = "a backslash ends this line, but the next one looks complete; remove the backslash";
            return Err(lines.fail(before, message));
        }
        let is_space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        if !is_space(joined.last()) && !is_space(line.first()) {
            let message =
                "it is doubtful whether the backslash joins two words or two halves of one; put a space before it";
            return Err(lines.fail(before, message));
        }
        let (line, goes_on) = line.strip_suffix(b"\\").map_or((line, false), |start| (start, true));
        joined.extend_from_slice(line);
        if !goes_on {
            return Ok(());
        }
    }
}

fn is_keyword(word: &[u8]) -> bool {
    let known = [&["v", "f", "fo", "l", "p"], PASSED_OVER, FREE_FORM, COMMANDS];
    known.iter().any(|list| has(list, word))
}

fn has(list: &[&str], word: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == word)
}

/// The fault of a line.
struct Fault {
    line: u64,
    message: String,
}

/// State of the reader.
struct Mesh {
    polygons: Polygons,
    /// The first line with a name that no vertex can ever have.
    bad_name: Option<u64>,
}

impl Mesh {
    fn read_line(&mut self, line: &[u8], number: u64) -> Result<(), Fault> {
        let fail = |message: String| Err(Fault { line: number, message });
        // A comment may also stand behind what it explains.
        let mut words = words(line).take_while(|word| !word.starts_with(b"#"));
        let Some(word) = words.next() else { return Ok(()) };
        let result = match word {
            b"v" => self.read_vertex(words),
            b"f" | b"fo" => self.read_element(words, number, true),
            b"l" | b"p" => self.read_element(words, number, false),
            _ if has(PASSED_OVER, word) => Ok(()),
            _ if has(FREE_FORM, word) => Err(format!(
                "{} belongs to curves or curved surfaces, which are not read; export the part as polygons",
                shown(word)
            )),
            _ if has(COMMANDS, word) => {
                Err(format!("{} is a command, which is not obeyed; remove the line", shown(word)))
            }
            _ => Err(format!("{} is no word of an OBJ file; correct the line or remove it", shown(word))),
        };
        match result {
            Err(_) if std::str::from_utf8(line).is_err() => {
                fail("this is not UTF-8 text; export the file again as OBJ text".into())
            }
            Err(message) => fail(message),
            Ok(()) => Ok(()),
        }
    }

    fn read_vertex<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        // Three coordinates, and a weight or a colour; one more tells that there are too many.
        let mut numbers = [0.0; 7];
        let mut count = 0;
        for word in words.take(numbers.len()) {
            numbers[count] = match number(word) {
                Some(number) => number,
                None if count < 3 => return Err("a vertex needs 3 numbers; correct the line".into()),
                None => return Err(TOO_MANY.into()),
            };
            count += 1;
        }
        let [x, y, z, weight, ..] = numbers;
        let mut vertex = DVec3::new(x, y, z);
        match count {
            0..3 => return Err("a vertex needs 3 numbers; correct the line".into()),
            3 | 6 => {}
            4 => vertex = unweighted(vertex, weight)?,
            _ => return Err(TOO_MANY.into()),
        }
        if !vertex.is_finite() {
            return Err("a coordinate is not a finite number; correct it".into());
        }
        self.polygons.vertices.push(vertex);
        Ok(())
    }

    fn read_element<'a>(
        &mut self,
        corners: impl Iterator<Item = &'a [u8]>,
        line: u64,
        is_face: bool,
    ) -> Result<(), String> {
        let mut is_empty = true;
        for corner in corners {
            is_empty = false;
            let index = vertex_of(corner).ok_or("a face needs whole numbers as indices; correct the line")?;
            // Negative ones count back from the last vertex so far; others may name a vertex that comes later.
            let there = self.polygons.vertices.len() as i64;
            let index = if index < 0 { index.checked_add(there) } else { Some(index - 1) };
            match index.and_then(|index| u32::try_from(index).ok()) {
                Some(index) => self.polygons.add_corner(index),
                None => self.bad_name = self.bad_name.or(Some(line)),
            }
        }
        self.polygons.end_element(is_face, line);
        if is_empty { Err("a face needs whole numbers as indices; correct the line".into()) } else { Ok(()) }
    }

    fn finish(self) -> Result<Polygons, Fault> {
        if let Some(line) = self.polygons.first_bad().into_iter().chain(self.bad_name).min() {
            return Err(Fault { line, message: missing(self.polygons.vertices.len(), 1) });
        }
        Ok(self.polygons)
    }
}

const TOO_MANY: &str = "a vertex needs 3 numbers, and may have a weight or 3 numbers of colour; correct the line";

/// A vertex divided by its weight, if that can be done without rounding.
fn unweighted(vertex: DVec3, weight: f64) -> Result<DVec3, String> {
    if weight == 0.0 {
        return Err("the weight of a vertex is zero; correct the line".into());
    }
    let is_power_of_two = weight.is_normal() && weight.to_bits() & ((1 << 52) - 1) == 0;
    let divided = vertex / weight;
    // A quotient too small or too large for a double does not come back.
    if weight != 1.0 && vertex.is_finite() && !(is_power_of_two && divided * weight == vertex) {
        return Err(format!("dividing by the weight {weight} would round the vertex; write it without a weight"));
    }
    Ok(divided)
}

/// The number of the vertex in a corner such as 7, 7/1, 7//3 or 7/1/3.
fn vertex_of(corner: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(corner).ok()?;
    let mut parts = text.split('/');
    let vertex = parts.next()?.parse().ok()?;
    // Normals and texture coordinates are not looked up, but must be indices.
    let is_index = |part: &str| part.is_empty() || part.parse::<i64>().is_ok();
    (parts.clone().count() <= 2 && parts.all(is_index)).then_some(vertex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &[u8]) -> Result<Vec<DVec3>, String> {
        read(text, "part.obj").map(|polygons| polygons.points()).map_err(|error| error.to_string())
    }

    #[test]
    fn faces_choose_the_vertices_and_a_cloud_has_all() {
        let mesh =
            b"# comment\nmtllib ../../secret.mtl\nv 0 0 0\nv 1 0 0\nv 9 9 9\nv 0 1 0.1\nvn 0 0 1\nf 1//1 2//1 4//1\n";
        assert_eq!(read_text(mesh).unwrap(), [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 0.1)]);
        assert_eq!(read_text(b"v 0 0 0\nv 1 0 0").unwrap(), [DVec3::ZERO, DVec3::X]);
        assert_eq!(read_text(b"v 0 0 0\nv 1 0 0\nf -1 -2\n").unwrap(), [DVec3::X, DVec3::ZERO]);
        assert_eq!(read_text(b"").unwrap(), []);
        // The points of `p` belong to the part; a face may name what comes later; numbering is by first use.
        assert_eq!(read_text(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\np 3\n").unwrap().len(), 3);
        let early = b"f 2 1\nv 0 0 0\nf 1 -1\nv 1 0 0\nl 2 1\nv 5 5 5\n";
        assert_eq!(read_text(early).unwrap(), [DVec3::X, DVec3::ZERO]);
    }

    #[test]
    fn faces_of_any_number_of_corners_become_triangles() {
        let cut = |text: &str| {
            read(text.as_bytes(), "part.obj")
                .and_then(|polygons| polygons.triangles("part.obj"))
                .map_err(|error| error.to_string())
        };
        let square = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 0.5 0\n";
        assert_eq!(cut(&format!("{square}f 1 2 3 4\n")).unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(cut(&format!("{square}f 4/1/2 3/1/2 2//7 1\n")).unwrap().triangles, [[3, 2, 1], [3, 1, 0]]);
        // Not convex: a diagonal from the first corner would be outside.
        assert_eq!(cut(&format!("{square}f 1 5 2 3\n")).unwrap().triangles, [[2, 0, 4], [2, 4, 1]]);
        // Lines, points and faces without an area are counted, not read; one with three corners is kept.
        let some = cut(&format!("{square}l 1 2 3\np 4\nf 1 2\nf 1 1 2\n")).unwrap();
        assert_eq!((&some.triangles[..], some.skipped, some.crossed), (&[[0, 0, 1]][..], 3, None));
        // A crossed quad is cut and reported, by its line; so is a face of five corners.
        let crossed = cut(&format!("{square}f 1 2 3\nf 1 3 2 4\nf 4 2 3 1\n")).unwrap();
        assert_eq!(crossed.triangles[1..3], [[0, 2, 1], [0, 1, 3]]);
        let sentence =
            "part.obj, line 7: the edges of this face cross; it was cut into triangles, as were 1 other like it";
        assert_eq!(crossed.crossed.unwrap().to_string(), sentence);
        let five = cut(&format!("{square}f 1 2 3\nf 1 3 2 4 5\n")).unwrap();
        assert_eq!((five.triangles.len(), five.crossed.unwrap().count), (4, 1));
        let bent = cut("v 0 0 0\nv 1 0 0\nv 1 1 0.04\nv 0 1 0\nf 1 2 3 4\n").unwrap().bent.unwrap().to_string();
        assert_eq!(bent, "part.obj, line 5: this face is not plane, by 9.996e-3; it was cut into triangles");
    }

    #[test]
    fn damage_is_named_by_its_line() {
        let start = |text: &[u8]| read_text(text).unwrap_err();
        assert!(start(b"v 0 0 0\nv 1 zero 0\n").starts_with("part.obj, line 2: a vertex needs 3 numbers"));
        assert!(start(b"v 0 0 0\n\nv 0 nan 0\nv 1 0 0\nf 1 2 3\n").starts_with("part.obj, line 3: a coordinate"));
        assert!(start(b"v 0 0 0\rv 0 -inf 0\r").starts_with("part.obj, line 2: a coordinate"));
        assert!(start(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n").starts_with("part.obj, line 5: a face names"));
        assert!(start(b"v 0 0 0\nf 0 1 1\n").starts_with("part.obj, line 2: a face names"));
        assert!(start(b"v 0 0 0\nf -2 1 1\n").starts_with("part.obj, line 2: a face names"));
        assert!(start(b"v 0 0 0\nf 1 1 x\n").starts_with("part.obj, line 2: a face needs whole numbers"));
        assert!(start(b"v 0 0 0\nf\n").starts_with("part.obj, line 2: a face needs whole numbers"));
        assert!(start(b"v 0 0 0\nf 1/1/1/1 1 1\n").starts_with("part.obj, line 2: a face needs whole numbers"));
        assert!(start(b"v 0 0 0\nv \xff 0 0\n").starts_with("part.obj, line 2: this is not UTF-8"));
        // Indices whose products would overflow, in every place of a corner.
        assert!(start(b"v 0 0 0\nvn 0 0 1\nf 9223372036854775807 1 1\n").contains("line 3: a face names"));
        assert!(start(b"v 0 0 0\nf -9223372036854775808 1 1\n").contains("line 2: a face names"));
        let far =
            b"v 0 0 0\nvn 0 0 1\nvt 0 0\nf 1/9223372036854775807/9223372036854775807 1/-9223372036854775808/2 1\n";
        assert_eq!(read_text(far).unwrap(), [DVec3::ZERO]);
    }

    #[test]
    fn what_could_lose_a_vertex_is_refused() {
        let message = |text: &[u8]| read_text(text).unwrap_err();
        assert!(message(b"v 0 0 0\nV 1 0 0\n").contains("line 2: \"V\" is no word of an OBJ file"));
        assert!(message("v 0 0 0\n\u{feff}v 1 0 0\n".as_bytes()).contains("line 2: \"\\u{feff}v\" is no word"));
        assert!(message(b"v 0 0 0\nsurf 0 1 0 1 1\n").contains("line 2: \"surf\" belongs to curves"));
        assert!(message(b"call more.obj\n").contains("line 1: \"call\" is a command"));
        // Does the comment go on? Does the name? Is it 12 or 1 and 2?
        for text in ["# in C:\\\nv 1 0 0\n", "g C:\\\nv 1 0 0\n", "v 0 0 0 # \\\nv 1 0 0\n"] {
            assert!(message(text.as_bytes()).contains("line 1: a backslash ends this line"), "{text}");
        }
        assert!(message(b"v 0 0 1\\\n2\n").contains("line 1: it is doubtful whether the backslash"));
        assert!(message(b"v 0 0 \\\n").contains("line 1: the text ends in a backslash"));
        assert!(message(b"v 0 0 0\nv 0 0\x00 1\n").contains("line 2: there is a byte 0 here"));
    }

    #[test]
    fn weights_divide_exactly_or_are_refused() {
        let vertices = read_text(b"v 1 2 3 1\nv 1 2 3 2\nv 1 2 3 -0.25\nv 1 2 3 0.9 0.5 0.1\n").unwrap();
        let base = DVec3::new(1.0, 2.0, 3.0);
        assert_eq!(vertices, [base, base / 2.0, base * -4.0, base]);
        let message = |text: &[u8]| read_text(text).unwrap_err();
        assert!(message(b"v 1 2 3 3\n").contains("line 1: dividing by the weight 3 would round"));
        assert!(message(b"v 1 2 5e-324 2\n").contains("would round"));
        assert!(message(b"v 1 2 3 inf\n").contains("would round") && message(b"v 1 2 3 nan\n").contains("would round"));
        assert!(message(b"v 1 2 3 0\n").contains("weight of a vertex is zero"));
        assert!(message(b"v 1 2 3 4 5\n").contains("may have a weight or 3 numbers of colour"));
        assert!(message(b"v 1 2 3 4 5 6 7\n").contains("may have a weight or 3 numbers of colour"));
        assert!(message(b"v 1 2 3 red green blue\n").contains("may have a weight or 3 numbers of colour"));
    }

    #[test]
    fn files_of_another_kind_are_refused_by_name() {
        let message = |text: &[u8]| read_text(text).unwrap_err();
        assert_eq!(message(b"\x1f\x8b\x08\0\0v 0 0 0\n"), "part.obj: this is a gzip archive; unpack it first");
        assert!(message(b"PK\x03\x04....").contains("zip archive (3MF files are such); unpack it first"));
        assert_eq!(message(b"SOLID part\nENDSOLID\n"), "part.obj: this is STL text; give the file the ending .stl");
        assert_eq!(message(b"\xff\xfev\0 \0"), "part.obj: this is UTF-16 text; save it as UTF-8");
        assert!(message(b"\n<!DOCTYPE html>").contains("HTML or XML text; export the part as OBJ or STL"));
        assert!(message(&[0; 134]).contains("line 1: there is a byte 0 here"));
    }
}
