//! Wavefront OBJ: the points of its faces.
//!
//! The `tobj` crate parses; only the lines that matter for points reach it. That also keeps it from reading material
//! files, which could be anywhere, and from the normals and texture coordinates, whose indices it does not bound.

use super::lines::{Fate, Lines, first_word};
use crate::error::{Error, Place};
use clearance::math::DVec3;
use std::io::{BufRead, Seek};
use tobj::LoadError;

pub(super) fn read<R: BufRead + Seek>(mut source: R, _size: u64, name: &str) -> Result<Vec<DVec3>, Error> {
    let mut has_faces = false;
    let points = parse(&mut source, name, |line| match first_word(line) {
        b"v" => Fate::Keep,
        b"f" | b"l" => {
            has_faces = true;
            Fate::Keep
        }
        _ => Fate::Drop,
    })?;
    if has_faces {
        return Ok(points);
    }
    // A cloud of points: a face of one corner behind every vertex makes the parser hand all of them out.
    rewind(&mut source, name)?;
    parse(&mut source, name, |line| {
        if first_word(line) != b"v" {
            return Fate::Drop;
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        line.extend_from_slice(b"f -1\n");
        Fate::Keep
    })
}

fn rewind(source: &mut impl Seek, name: &str) -> Result<(), Error> {
    source.rewind().map_err(|error| Error::from_io(name.as_ref(), &error))
}

fn parse<R: BufRead + Seek>(
    source: &mut R,
    name: &str,
    filter: impl FnMut(&mut Vec<u8>) -> Fate,
) -> Result<Vec<DVec3>, Error> {
    let mut lines = Lines::new(&mut *source, filter);
    let no_materials = |_: &std::path::Path| Err(LoadError::OpenFileFailed);
    let parsed = tobj::load_obj_buf(&mut lines, &tobj::LoadOptions::default(), no_materials);
    let line = lines.number;
    let fail = |line: Option<u64>, message: &str| {
        let place = Place::file(name);
        Err(Error::Mesh { place: line.map_or(place.clone(), |line| place.at_line(line)), message: message.into() })
    };
    match parsed {
        Ok((models, _)) => {
            let numbers = models.iter().flat_map(|model| model.mesh.positions.chunks_exact(3));
            let points: Vec<DVec3> = numbers.map(DVec3::from_slice).collect();
            if points.iter().all(|point| point.is_finite()) {
                return Ok(points);
            }
            let line = find(source, name, |words, _| words[0] == "v" && !has_finite_numbers(words))?;
            fail(line, "a coordinate is not a finite number; correct it")
        }
        Err(LoadError::FaceVertexOutOfBounds) => {
            let count = count_vertices(source, name)?;
            let line = find(source, name, |words, before| words[0] != "v" && names_missing(words, before, count))?;
            fail(
                line,
                &format!("a face names a vertex that is not there; the file has {count} vertices, counted from 1"),
            )
        }
        Err(LoadError::FaceColorOutOfBounds) => fail(None, "only some vertices have a colour; remove the colours"),
        Err(LoadError::PositionParseError) => fail(Some(line), "a vertex needs 3 numbers; correct the line"),
        Err(LoadError::ScalingByZeroError) => fail(Some(line), "the weight of a vertex is zero; correct the line"),
        Err(LoadError::ColorParseError) => {
            fail(Some(line), "a vertex needs 3 numbers, and may have a weight or 3 numbers of colour; correct the line")
        }
        Err(LoadError::FaceParseError) => fail(Some(line), "a face needs whole numbers as indices; correct the line"),
        Err(LoadError::ReadError) => fail(Some(line), "this is not UTF-8 text; export the file again as OBJ text"),
        Err(error) => fail(Some(line), &format!("the OBJ text is damaged ({error}); export the file again")),
    }
}

/// After a failure: the first line of vertices, faces or lines that `is_bad`, told its words and the vertices before it.
fn find<R: BufRead + Seek>(
    source: &mut R,
    name: &str,
    mut is_bad: impl FnMut(&[&str], i64) -> bool,
) -> Result<Option<u64>, Error> {
    rewind(source, name)?;
    let mut vertices = 0;
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.map_err(|error| Error::from_io(name.as_ref(), &error))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["v" | "f" | "l", ..] = words[..] {
            if is_bad(&words, vertices) {
                return Ok(Some(number));
            }
            vertices += i64::from(words[0] == "v");
        }
    }
    Ok(None)
}

fn has_finite_numbers(words: &[&str]) -> bool {
    words.iter().skip(1).take(3).all(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
}

fn count_vertices<R: BufRead + Seek>(source: &mut R, name: &str) -> Result<i64, Error> {
    let mut count = 0;
    find(source, name, |words, _| {
        count += i64::from(words[0] == "v");
        false
    })?;
    Ok(count)
}

/// Does a face name a vertex outside 1..=count, or count back further than there are vertices?
fn names_missing(words: &[&str], before: i64, count: i64) -> bool {
    let indices = words.iter().skip(1).filter_map(|word| word.split('/').next()?.parse::<i64>().ok());
    indices.into_iter().any(|index| index == 0 || index > count || index < -before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read_text(text: &[u8]) -> Result<Vec<DVec3>, String> {
        read(Cursor::new(text), text.len() as u64, "part.obj").map_err(|error| error.to_string())
    }

    #[test]
    fn faces_choose_the_vertices_and_a_cloud_has_all() {
        let mesh =
            b"# comment\nmtllib ../../secret.mtl\nv 0 0 0\nv 1 0 0\nv 9 9 9\nv 0 1 0.1\nvn 0 0 1\nf 1//1 2//1 4//1\n";
        assert_eq!(read_text(mesh).unwrap(), [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 0.1)]);
        assert_eq!(read_text(b"v 0 0 0\nv 1 0 0").unwrap(), [DVec3::ZERO, DVec3::X]);
        assert_eq!(read_text(b"v 0 0 0\nv 1 0 0\nf -1 -2\n").unwrap().len(), 2);
        assert_eq!(read_text(b"").unwrap(), []);
    }

    #[test]
    fn damage_is_named_by_its_line() {
        let start = |text: &[u8]| read_text(text).unwrap_err();
        assert!(start(b"v 0 0 0\nv 1 zero 0\n").starts_with("part.obj, line 2: a vertex needs 3 numbers"));
        assert!(start(b"v 0 0 0\n\nv 0 nan 0\nv 1 0 0\nf 1 2 3\n").starts_with("part.obj, line 3: a coordinate"));
        assert!(start(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n").starts_with("part.obj, line 5: a face names"));
        assert!(start(b"v 0 0 0\nf 0 1 1\n").starts_with("part.obj, line 2: a face names"));
        assert!(start(b"v 0 0 0\nf 1 1 x\n").starts_with("part.obj, line 2: a face needs whole numbers"));
        assert!(start(b"v 0 0 0\nv \xff 0 0\n").starts_with("part.obj, line 2: this is not UTF-8"));
        // Indices whose products would overflow, in every place of a corner.
        assert!(start(b"v 0 0 0\nvn 0 0 1\nf 9223372036854775807 1 1\n").contains("line 3: a face names"));
        let far =
            b"v 0 0 0\nvn 0 0 1\nvt 0 0\nf 1/9223372036854775807/9223372036854775807 1/-9223372036854775808/2 1\n";
        assert_eq!(read_text(far).unwrap(), [DVec3::ZERO]);
    }
}
