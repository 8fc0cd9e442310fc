//! PLY, the Stanford format: a head of text that describes what follows, as text or binary in either order of bytes.
//!
//! The part is made of the properties `x`, `y` and `z` of vertices, and of the lists `vertex_indices` (or `vertex_index`) of faces and of
//! `tristrips`. Other properties and elements are skipped. Digits of text become the nearest doubles whatever type the head gives them; binary
//! numbers are kept exactly.

mod header;

use super::content::{HEAD, refuse_other_mesh};
use super::polygons::{Numbers, Polygons};
use super::text::{Lines, coordinate, number, shown, whole, words};
use crate::count::counted;
use crate::error::{Error, Place};
use clearance::math::DVec3;
use header::{Element, Encoding, Header, Kind, Role, Scalar};

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Polygons, Error> {
    refuse_other_mesh(&bytes[..bytes.len().min(HEAD)], name)?;
    let header = Header::read(bytes, name)?;
    let polygons = match header.encoding {
        Encoding::Text => read_text(bytes, &header, name)?,
        Encoding::LittleEndian | Encoding::BigEndian => read_binary(bytes, &header, name)?,
    };
    polygons.check(name, 0)?;
    Ok(polygons)
}

/// Reads a line for each element.
fn read_text(bytes: &[u8], header: &Header, name: &str) -> Result<Polygons, Error> {
    let mut polygons = Polygons::new(Numbers::Lines).with_vertices_from(0);
    let mut lines = Lines::new(bytes, name);
    for _ in 0..header.lines {
        lines.next()?;
    }
    for element in &header.elements {
        // A line has a byte for each of its words, and one more but for the last.
        let least = element.count.saturating_mul(element.properties.len().max(1) as u64);
        element
            .bound(least, (bytes.len() - header.size) as u64 + 1)
            .map_err(|message| lines.fail(lines.number, message))?;
        for _ in 0..element.count {
            let (line, number) = loop {
                match lines.next()? {
                    Some((line, number)) if words(line).next().is_some() => break (line, number),
                    Some(_) => {}
                    None => {
                        let message = format!(
                            "the text ends before the {} that the head claims; it is cut off, export it again",
                            element.claim()
                        );
                        return Err(lines.fail(lines.number, message));
                    }
                }
            };
            read_line(line, element, &mut polygons, number).map_err(|message| lines.fail(number, message))?;
        }
    }
    while let Some((line, number)) = lines.next()? {
        if words(line).next().is_some() {
            let message = "there is more here than the head counts; correct the head or remove the line";
            return Err(lines.fail(number, message));
        }
    }
    Ok(polygons)
}

fn read_line(line: &[u8], element: &Element, polygons: &mut Polygons, number_of_line: u64) -> Result<(), String> {
    let mut words = words(line);
    let mut next = || words.next().ok_or("this line has fewer numbers than the head describes; correct it");
    let mut place = [0.0; 3];
    for property in &element.properties {
        match (property.role, property.count_type) {
            (Role::Axis(axis), _) => place[axis] = coordinate(next()?)?,
            (Role::Corners, Some(_)) => {
                let count = next()?;
                let count =
                    whole(count).ok_or_else(|| format!("{} is no number of corners; correct it", shown(count)))?;
                let mut corners = Corners::new(element.kind);
                for _ in 0..count {
                    let word = next()?;
                    let corner = whole(word).map(|corner| u32::try_from(corner).unwrap_or(u32::MAX));
                    let is_end = word == b"-1" && element.kind == Kind::Strip;
                    if corner.is_none() && !is_end {
                        return Err("a face needs whole numbers as indices; correct the line".into());
                    }
                    corners.add(corner, polygons, number_of_line);
                }
                corners.end(polygons, number_of_line);
            }
            (_, count_type) => {
                let count = if count_type.is_some() { next().map(whole)? } else { Some(1) };
                let count = count.ok_or("the length of a list is no whole number; correct the line")?;
                for _ in 0..count {
                    let word = next()?;
                    number(word).ok_or_else(|| format!("{} is no number; correct the line", shown(word)))?;
                }
            }
        }
    }
    if words.next().is_some() {
        return Err("this line has more numbers than the head describes; correct it".into());
    }
    if element.kind == Kind::Vertex {
        polygons.vertices.push(DVec3::from_array(place));
    }
    Ok(())
}

fn read_binary(bytes: &[u8], header: &Header, name: &str) -> Result<Polygons, Error> {
    let mut polygons = Polygons::new(Numbers::Faces).with_vertices_from(0);
    let mut bytes = Bytes { bytes, at: header.size, is_big: header.encoding == Encoding::BigEndian };
    let fail = |at: usize, message: String| Error::Mesh { place: Place::file(name).at_byte(at as u64), message };
    for element in &header.elements {
        let least = element.properties.iter().map(|property| property.count_type.unwrap_or(property.scalar).size());
        let least = element.count.saturating_mul(least.sum::<usize>() as u64);
        element.bound(least, bytes.left()).map_err(|message| fail(bytes.at, message))?;
        if element.properties.is_empty() {
            continue;
        }
        for index in 0..element.count {
            let at = bytes.at;
            read_element(&mut bytes, element, &mut polygons, index).map_err(|message| fail(at, message))?;
        }
    }
    if bytes.left() > 0 {
        let left = counted(bytes.left(), "byte follows", "bytes follow");
        return Err(fail(bytes.at, format!("{left} what the head counts; the file is damaged, export it again")));
    }
    Ok(polygons)
}

fn read_element(bytes: &mut Bytes<'_>, element: &Element, polygons: &mut Polygons, index: u64) -> Result<(), String> {
    let mut place = [0.0; 3];
    for property in &element.properties {
        let Some(count_type) = property.count_type else {
            let value = bytes.number(property.scalar).ok_or_else(|| element.cut_off(index))?;
            if let Role::Axis(axis) = property.role {
                if !value.is_finite() {
                    return Err(format!(
                        "{} has a coordinate that is not a finite number; correct it",
                        element.one(index)
                    ));
                }
                place[axis] = value;
            }
            continue;
        };
        let count = bytes.number(count_type).ok_or_else(|| element.cut_off(index))?;
        // Whole and not too many, as numbers of any type; checked before anything is taken.
        if count < 0.0 || count * property.scalar.size() as f64 > bytes.left() as f64 {
            return Err(format!(
                "{} has a list of {count} entries, but {} left; the file is cut off or damaged, export it again",
                element.one(index),
                counted(bytes.left(), "byte is", "bytes are")
            ));
        }
        if property.role != Role::Corners {
            bytes.at += count as usize * property.scalar.size();
            continue;
        }
        let mut corners = Corners::new(element.kind);
        for _ in 0..count as u64 {
            let corner = bytes.number(property.scalar).ok_or_else(|| element.cut_off(index))?;
            // A negative number and one beyond 32 bits name no vertex either.
            let is_end = corner == -1.0 && element.kind == Kind::Strip;
            let corner = if corner < 0.0 { u32::MAX } else { corner as u32 };
            corners.add((!is_end).then_some(corner), polygons, index);
        }
        corners.end(polygons, index);
    }
    if element.kind == Kind::Vertex {
        polygons.vertices.push(DVec3::from_array(place));
    }
    Ok(())
}

/// The corners of a list as they come: those of a face, or of strips, in which every corner makes a triangle with the two before it.
enum Corners {
    Face,
    Strip { before: [Option<u32>; 2], is_turned: bool },
}

impl Corners {
    fn new(kind: Kind) -> Self {
        if kind == Kind::Strip { Self::Strip { before: [None; 2], is_turned: false } } else { Self::Face }
    }

    /// Adds a corner; none ends a strip, and the next one begins.
    fn add(&mut self, corner: Option<u32>, polygons: &mut Polygons, number: u64) {
        match (&mut *self, corner) {
            (Self::Face, corner) => polygons.add_corner(corner.unwrap_or(u32::MAX)),
            (Self::Strip { .. }, None) => *self = Self::new(Kind::Strip),
            (Self::Strip { before, is_turned }, Some(c)) => {
                if let [Some(a), Some(b)] = *before {
                    // Triangles without an area lead from one strip to the next.
                    if a != b && b != c && c != a {
                        polygons.add_triangle(if *is_turned { [b, a, c] } else { [a, b, c] }, number);
                    }
                    *is_turned = !*is_turned;
                }
                *before = [before[1], Some(c)];
            }
        }
    }

    fn end(self, polygons: &mut Polygons, number: u64) {
        if matches!(self, Self::Face) {
            polygons.end_element(true, number);
        }
    }
}

/// Numbers in binary.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    is_big: bool,
}

impl Bytes<'_> {
    fn left(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    /// The next number. All types fit into a double.
    fn number(&mut self, scalar: Scalar) -> Option<f64> {
        let size = scalar.size();
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(self.bytes.get(self.at..self.at + size)?);
        self.at += size;
        if self.is_big {
            bytes[..size].reverse();
        }
        let [a, b, c, d, ..] = bytes;
        Some(match scalar {
            Scalar::Int8 => (a as i8).into(),
            Scalar::UInt8 => a.into(),
            Scalar::Int16 => i16::from_le_bytes([a, b]).into(),
            Scalar::UInt16 => u16::from_le_bytes([a, b]).into(),
            Scalar::Int32 => i32::from_le_bytes([a, b, c, d]).into(),
            Scalar::UInt32 => u32::from_le_bytes([a, b, c, d]).into(),
            Scalar::Float32 => f32::from_le_bytes([a, b, c, d]).into(),
            Scalar::Float64 => f64::from_le_bytes(bytes),
        })
    }
}

#[cfg(test)]
mod tests;
