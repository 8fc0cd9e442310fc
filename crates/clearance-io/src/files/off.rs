//! OFF, the Object File Format of Geomview, as text: a head with two counts, a line for each vertex, a line for each face.
//!
//! The prefixes ST, C and N (texture, colour, normal) put more numbers behind the three of a vertex; they are passed over, and
//! so are colours of faces. Vertices of four or n dimensions and binary files are refused by name.

use super::content::{HEAD, refuse_other_mesh};
use super::polygons::Polygons;
use super::text::{Lines, coordinate, number, shown, whole, words};
use crate::error::Error;
use clearance::math::DVec3;

/// The most numbers in the line of a vertex. Layout: position, normal, colour, texture coordinates.
const MOST: usize = 3 + 3 + 4 + 2;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Polygons, Error> {
    refuse_other_mesh(&bytes[..bytes.len().min(HEAD)], name)?;
    let mut lines = Lines::new(bytes, name);
    let mut reader = Reader::default();
    while let Some((line, number)) = lines.next()? {
        // A comment may also stand behind what it explains.
        let mut words = words(line).take_while(|word| !word.starts_with(b"#")).peekable();
        if words.peek().is_some() {
            reader.read_line(words, number, bytes.len() as u64).map_err(|message| lines.fail(number, message))?;
        }
    }
    if let Some(message) = reader.missing() {
        return Err(lines.fail(lines.number.max(1), message));
    }
    reader.polygons.check(name, 0)?;
    Ok(reader.polygons)
}

/// State of the reader.
#[derive(Default)]
struct Reader {
    /// Whether vertices have more than three numbers, as the first word tells.
    has_more: Option<bool>,
    counts: Option<[u64; 2]>,
    polygons: Polygons,
}

impl Reader {
    fn read_line<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>, line: u64, size: u64) -> Result<(), String> {
        if self.has_more.is_none() {
            self.has_more = Some(read_prefix(words.next().unwrap_or_default())?);
            // The counts may follow in the same line.
            let rest: Vec<&[u8]> = words.collect();
            return if rest.is_empty() { Ok(()) } else { self.read_counts(rest.into_iter(), size) };
        }
        let Some([vertices, faces]) = self.counts else { return self.read_counts(words, size) };
        if (self.polygons.vertices.len() as u64) < vertices {
            self.read_vertex(words)
        } else if (self.polygons.element_count() as u64) < faces {
            self.read_face(words, line)
        } else {
            Err("there is more here than the head counts; correct the head or remove the line".into())
        }
    }

    fn read_counts<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, size: u64) -> Result<(), String> {
        let counts: Option<Vec<u64>> = words.map(whole).collect();
        let counts = counts.filter(|counts| (2..=3).contains(&counts.len()));
        let Some([vertices, faces, ..]) = counts.as_deref() else {
            return Err("the numbers of vertices, faces and edges are expected here; correct the line".into());
        };
        // The shortest lines are `0 0 0` and `0`, with a line end each but for the last.
        let least = vertices.saturating_mul(6).saturating_add(faces.saturating_mul(2));
        if least > size + 1 {
            return Err(format!(
                "the head claims {vertices} vertices and {faces} faces, but the file has only {size} bytes; \
                 it is cut off or damaged, export it again"
            ));
        }
        self.counts = Some([*vertices, *faces]);
        Ok(())
    }

    fn read_vertex<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let mut place = [0.0; 3];
        let mut count = 0;
        for word in words {
            match place.get_mut(count) {
                Some(axis) => *axis = coordinate(word)?,
                None if number(word).is_some() => {}
                None => return Err(format!("{} is no number; correct the line", shown(word))),
            }
            count += 1;
        }
        let is_right = if self.has_more == Some(true) { (3..=MOST).contains(&count) } else { count == 3 };
        if !is_right {
            return Err("a vertex needs 3 numbers; more need the prefix ST, C or N before OFF".into());
        }
        self.polygons.vertices.push(DVec3::from_array(place));
        Ok(())
    }

    fn read_face<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), String> {
        let count = words.next().and_then(whole).filter(|&count| count > 0);
        let count = count.ok_or("a face begins with the number of its corners; correct the line")?;
        for _ in 0..count {
            let corner = words.next().ok_or("this face has fewer corners than its first number says")?;
            let corner = whole(corner).ok_or("a face needs whole numbers as indices; correct the line")?;
            // No file has that many vertices; the error is reported when their number is known.
            self.polygons.add_corner(u32::try_from(corner).unwrap_or(u32::MAX));
        }
        self.polygons.end_element(true, line);
        Ok(())
    }

    /// Names the elements that are missing at the end.
    fn missing(&self) -> Option<String> {
        let Some([vertices, faces]) = self.counts else {
            return Some("the text ends before the numbers of vertices and faces; export it again".into());
        };
        let [vertices_there, faces_there] = [self.polygons.vertices.len() as u64, self.polygons.element_count() as u64];
        ([vertices, faces] != [vertices_there, faces_there]).then(|| {
            format!(
                "the head claims {vertices} vertices and {faces} faces, but there are {vertices_there} and \
                 {faces_there}; the file is cut off, export it again"
            )
        })
    }
}

/// Reads the first word; true if vertices have more than their place.
fn read_prefix(word: &[u8]) -> Result<bool, String> {
    let Some(prefix) = word.strip_suffix(b"OFF") else {
        return Err(format!("an OFF file begins with OFF, not with {}; export it again", shown(word)));
    };
    let rest = prefix.strip_prefix(b"ST").unwrap_or(prefix);
    let rest = rest.strip_prefix(b"C").unwrap_or(rest);
    let rest = rest.strip_prefix(b"N").unwrap_or(rest);
    if !rest.is_empty() {
        return Err(format!(
            "{} has vertices that are not of three dimensions; export the part as plain OFF",
            shown(word)
        ));
    }
    Ok(!prefix.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), String> {
        read(text.as_bytes(), "part.off")
            .and_then(|polygons| Ok((polygons.points(), polygons.triangles("part.off")?.triangles)))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn all_spellings_mean_the_same() {
        let places = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.1), DVec3::Y];
        let expected = Ok((places, vec![[0, 1, 2], [0, 2, 3]]));
        for text in [
            "OFF\n4 1 4\n0 0 0\n1 0 0\n1 1 0.1\n0 1 0\n4 0 1 2 3\n",
            "OFF 4 1 0\n0 0 0\n1 0 0\n1 1 0.1\n0 1 0\n4 0 1 2 3",
            "# made by hand\r\nOFF # yes\r\n\r\n4 1\r\n0 0 0 # a\r\n1 0 0\r\n1 1 1e-1\r\n0 1 0\r\n4 0 1 2 3 255 0 0\r\n",
            "COFF\n4 1 0\n0 0 0 255 0 0 255\n1 0 0 0 0 0 0\n1 1 .1 1 1 1 1\n0 1 0 1 1 1 1\n4 0 1 2 3 0.5 0.5 0.5\n",
            "STCNOFF\n4 1 0\n0 0 0 0 0 1 1 1 1 1 0 0\n1 0 0\n1 1 .1\n0 1 0\n4 0 1 2 3\n",
            "\u{feff}NOFF\r4 1 0\r0 0 0 0 0 1\r1 0 0 0 0 1\r1 1 .1 0 0 1\r0 1 0 0 0 1\r4 0 1 2 3\r",
        ] {
            assert_eq!(read_text(text), expected, "{text}");
        }
    }

    #[test]
    fn damage_is_named_by_its_line() {
        let start = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
        for (text, sentence) in [
            ("", "part.off, line 1: the text ends before the numbers"),
            ("OFF\n", "part.off, line 1: the text ends before the numbers"),
            ("nOFF\n", "line 1: \"nOFF\" has vertices that are not of three dimensions"),
            ("off\n", "line 1: an OFF file begins with OFF, not with \"off\""),
            ("4OFF\n", "line 1: \"4OFF\" has vertices that are not of three dimensions"),
            ("OFF BINARY\n", "line 1: the numbers of vertices, faces and edges"),
            ("3 1 0\n", "line 1: an OFF file begins with OFF, not with \"3\""),
            ("OFF\n3\n", "line 2: the numbers of vertices, faces and edges"),
            ("OFF\n-3 1 0\n", "line 2: the numbers of vertices, faces and edges"),
            (
                "OFF\n4000000000 1 0\n",
                "line 2: the head claims 4000000000 vertices and 1 faces, but the file has only 19",
            ),
            ("OFF\n1 18446744073709551615 0\n", "line 2: the head claims 1 vertices and 18446744073709551615 faces"),
            ("OFF\n3 1 0\n0 0 0\n", "line 2: the head claims 3 vertices"),
            ("OFF\n2 0 0\n0 0 0\n1 0\n", "line 4: a vertex needs 3 numbers"),
            ("OFF\n2 0 0\n0 0 0\n1 0 0 0\n", "line 4: a vertex needs 3 numbers; more need the prefix"),
            ("OFF\n2 0 0\n0 0 0\n1 zero 0\n", "line 4: \"zero\" is no number; correct the line"),
            ("OFF\n2 0 0\n0 0 0\n1 inf 0\n", "line 4: a coordinate is not a finite number"),
            (&format!("{start}3 0 1 3\n"), "line 6: a face names a vertex that is not there; the file has 3 vertices"),
            (&format!("{start}3 0 1 99999999999\n"), "line 6: a face names a vertex that is not there"),
            (&format!("{start}3 0 1\n"), "line 6: this face has fewer corners"),
            (&format!("{start}3 0 1 -1\n"), "line 6: a face needs whole numbers"),
            (&format!("{start}0\n"), "line 6: a face begins with the number of its corners"),
            (&format!("{start}3 0 1 2\n3 0 1 2\n"), "line 7: there is more here than the head counts"),
            (start, "line 5: the head claims 3 vertices and 1 faces, but there are 3 and 0"),
        ] {
            let message = read_text(text).unwrap_err();
            assert!(message.contains(sentence), "{text:?}: {message}");
        }
    }
}
