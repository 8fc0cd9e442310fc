//! The content of a mesh file, in its order: vertices, and the faces, lines and points between them.
//!
//! A hull needs the vertices that are used, a mesh the triangles; so faces are kept as they were written until it is known
//! what they are wanted for. That also lets a face name a vertex which comes later.

use super::mesh::CrossedFaces;
use super::polygon::{Cutter, Outline, bend};
use crate::count::counted;
use crate::error::{Error, Place};
use clearance::math::DVec3;
use std::collections::HashMap;
use std::fmt;

/// The elements that the numbers count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Numbers {
    /// Lines of text, from 1.
    #[default]
    Lines,
    /// Faces, from 0.
    Faces,
}

/// A face, a line or a point.
#[derive(Debug, Clone, Copy)]
struct Element {
    /// Where its corners end; they begin where those of the one before end.
    end: u32,
    /// Its line, or its own number. A file of a gibibyte has less than 2^32 of either.
    number: u32,
    is_face: bool,
}

/// The faces of a file as triangles.
#[derive(Debug, Default)]
pub(super) struct Triangles {
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle the number of its face.
    pub faces: Vec<u32>,
    /// How many elements are no faces: lines, points, and faces of one or two corners.
    pub skipped: u64,
    pub crossed: Option<CrossedFaces>,
    pub bent: Option<BentFaces>,
}

/// Faces that are not plane: how many, and the one that is farthest from it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct BentFaces {
    count: u64,
    place: String,
    bend: f64,
}

impl BentFaces {
    pub fn join(self, other: Self) -> Self {
        let count = self.count + other.count;
        let worse = if other.bend > self.bend { other } else { self };
        Self { count, ..worse }
    }
}

impl fmt::Display for BentFaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, place, bend } = self;
        write!(f, "{place}: this face is not plane, by {bend:.3e}; it was cut into triangles")?;
        match count {
            0 | 1 => Ok(()),
            count => write!(f, ", as were {} that are bent less", counted(count - 1, "other", "others")),
        }
    }
}

/// Vertices and what is made of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Polygons {
    pub vertices: Vec<DVec3>,
    pub numbers: Numbers,
    /// The number of the first vertex, in formats that number vertices as they are here.
    pub first_vertex: Option<u32>,
    /// Which part of the file this is, as a sentence begins: "geometry "arm", ". Empty if there is only one.
    pub part: String,
    corners: Vec<u32>,
    elements: Vec<Element>,
}

impl Polygons {
    pub fn new(numbers: Numbers) -> Self {
        Self { numbers, ..Self::default() }
    }

    /// Of a format whose numbers of vertices are those here, from that one.
    pub fn with_vertices_from(self, first: u32) -> Self {
        Self { first_vertex: Some(first), ..self }
    }

    /// Adds a corner to the element that is being read.
    pub fn add_corner(&mut self, vertex: u32) {
        self.corners.push(vertex);
    }

    /// Ends the element whose corners were added.
    pub fn end_element(&mut self, is_face: bool, number: u64) {
        self.elements.push(Element { end: self.corners.len() as u32, number: number as u32, is_face });
    }

    pub fn add_triangle(&mut self, corners: [u32; 3], number: u64) {
        self.corners.extend(corners);
        self.end_element(true, number);
    }

    pub fn element_count(&self) -> usize {
        self.elements.len()
    }

    /// The elements with their corners.
    fn elements(&self) -> impl Iterator<Item = (Element, &[u32])> {
        let mut start = 0;
        self.elements.iter().map(move |&element| {
            let end = element.end as usize;
            (element, &self.corners[std::mem::replace(&mut start, end)..end])
        })
    }

    /// The number of the first element that names a vertex which is not there.
    pub fn first_bad(&self) -> Option<u64> {
        let count = self.vertices.len() as u64;
        let is_bad = |corners: &[u32]| corners.iter().any(|&corner| u64::from(corner) >= count);
        self.elements().find(|(_, corners)| is_bad(corners)).map(|(element, _)| element.number.into())
    }

    /// Checks that every vertex that is named is there; `from` is the number of the first one.
    pub fn check(&self, name: &str, from: u32) -> Result<(), Error> {
        let Some(number) = self.first_bad() else { return Ok(()) };
        Err(self.fail(name, number, &missing(self.vertices.len(), from)))
    }

    /// The vertices that are used, in the order of their first use, or all if there are only vertices.
    pub fn points(&self) -> Vec<DVec3> {
        if self.elements.is_empty() {
            return self.vertices.clone();
        }
        let mut is_used = vec![false; self.vertices.len()];
        let is_new = |corner: &&u32| !std::mem::replace(&mut is_used[**corner as usize], true);
        self.corners.iter().filter(is_new).map(|&corner| self.vertices[corner as usize]).collect()
    }

    /// All faces as triangles.
    pub fn triangles(&self, name: &str) -> Result<Triangles, Error> {
        let mut cutter = Cutter::default();
        let mut all = Triangles::default();
        let mut worst = 0;
        for (element, corners) in self.elements() {
            if !element.is_face || corners.len() < 3 {
                all.skipped += 1;
                continue;
            }
            let outline = cutter
                .cut(corners, &self.vertices, &mut all.triangles)
                .map_err(|message| self.fail(name, element.number.into(), &message))?;
            all.faces.resize(all.triangles.len(), element.number);
            if outline == Outline::Crossed {
                let first = || CrossedFaces { count: 0, first: self.place(name, element.number.into()) };
                all.crossed.get_or_insert_with(first).count += 1;
            } else if let Some(bend) = bend(corners, &self.vertices) {
                let bent = all.bent.get_or_insert_default();
                bent.count += 1;
                if bend > bent.bend {
                    (bent.bend, worst) = (bend, element.number);
                }
            }
        }
        if let Some(bent) = &mut all.bent {
            bent.place = self.place(name, worst.into());
        }
        Ok(all)
    }

    /// Where an element is, in words.
    fn place(&self, name: &str, number: u64) -> String {
        match self.numbers {
            Numbers::Lines => Place::file(name).at_line(number).to_string(),
            Numbers::Faces => format!("{name}: {}face {number} (counted from 0)", self.part),
        }
    }

    fn fail(&self, name: &str, number: u64, message: &str) -> Error {
        let place = Place::file(name);
        match self.numbers {
            Numbers::Lines => Error::Mesh { place: place.at_line(number), message: message.into() },
            Numbers::Faces => {
                Error::Mesh { place, message: format!("{}face {number} (counted from 0): {message}", self.part) }
            }
        }
    }
}

/// Makes vertices at exactly the same place one. Zero and minus zero are one place.
#[derive(Debug, Default)]
pub(super) struct Weld(HashMap<[u64; 3], u32>);

impl Weld {
    /// The number of the vertex at that place, which is added if it is new.
    pub fn number(&mut self, polygons: &mut Polygons, place: DVec3) -> u32 {
        *self.0.entry(place.to_array().map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            polygons.vertices.push(place);
            polygons.vertices.len() as u32 - 1
        })
    }
}

/// The message for a face that names a vertex which is not there.
pub(super) fn missing(count: usize, from: u32) -> String {
    let vertices = counted(count as u64, "vertex", "vertices");
    format!("a face names a vertex that is not there; the file has {vertices}, counted from {from}")
}
