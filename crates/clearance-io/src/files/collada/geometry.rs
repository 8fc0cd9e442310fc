//! The mesh of a geometry: sources of numbers, and the primitives that index them.
//!
//! The text of sources and of primitives is kept as slices of the file. Only sources of positions are parsed, so that an odd number among
//! normals or textures does no harm.

use super::super::polygons::{Numbers, Polygons, Weld};
use super::super::xml::{Fault, line_at};
use super::quoted;
use clearance::math::DVec3;
use std::collections::HashMap;

/// Numbers, and which of them are the coordinates of a vertex.
#[derive(Default)]
pub(super) struct Source<'a> {
    pub array: Vec<&'a str>,
    /// How many numbers the file claims.
    pub count: Option<u64>,
    pub stride: Option<u64>,
    pub offset: u64,
    /// Whether each parameter has a name; those without are passed over.
    pub named: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Triangles,
    Polylist,
    Polygons,
    Strips,
    Fans,
    Lines,
}

impl Kind {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "triangles" => Self::Triangles,
            "polylist" => Self::Polylist,
            "polygons" => Self::Polygons,
            "tristrips" => Self::Strips,
            "trifans" => Self::Fans,
            "lines" | "linestrips" => Self::Lines,
            _ => return None,
        })
    }
}

/// Faces of one material.
pub(super) struct Primitive<'a> {
    kind: Kind,
    line: u64,
    /// The id of the vertices, and the place of their numbers among those of a corner.
    pub vertex: Option<(String, usize)>,
    /// How many numbers a corner has.
    pub stride: usize,
    /// Each list of corners, as pieces of text.
    pub lists: Vec<Vec<&'a str>>,
    pub counts: Vec<&'a str>,
}

impl Primitive<'_> {
    pub fn new(kind: Kind, line: u64) -> Self {
        Self { kind, line, vertex: None, stride: 1, lists: Vec::new(), counts: Vec::new() }
    }
}

/// The mesh of a geometry.
pub(super) struct Mesh<'a> {
    pub name: Option<String>,
    pub line: u64,
    pub sources: HashMap<String, Source<'a>>,
    /// The sources of positions, by the ids of vertices.
    pub vertices: HashMap<String, String>,
    pub primitives: Vec<Primitive<'a>>,
}

impl<'a> Mesh<'a> {
    pub fn new(name: Option<String>, line: u64) -> Self {
        Self { name, line, sources: HashMap::new(), vertices: HashMap::new(), primitives: Vec::new() }
    }

    /// The faces, and how many primitives are lines.
    pub fn polygons(&self, text: &'a str, id: &str) -> Result<(Polygons, u64), Fault> {
        let mut polygons = Polygons::new(Numbers::Faces);
        polygons.part = format!("geometry {}, ", quoted(id));
        let mut weld = Weld::default();
        let mut numbers: HashMap<&str, Vec<u32>> = HashMap::new();
        let mut lines = 0;
        for primitive in &self.primitives {
            if primitive.kind == Kind::Lines {
                lines += 1;
                continue;
            }
            // An exporter may write a material without faces.
            if primitive.lists.iter().flatten().all(|words| words.trim_ascii().is_empty()) {
                continue;
            }
            let fail = |message: &str| Fault { line: primitive.line, message: message.into() };
            let Some((vertices, place)) = &primitive.vertex else {
                return Err(fail("faces have no input VERTEX; export the file again"));
            };
            let source = self.vertices.get(vertices).map_or(vertices.as_str(), String::as_str);
            if !numbers.contains_key(source) {
                let Some(positions) = self.sources.get(source) else {
                    return Err(fail("faces name vertices that are not there; export the file again"));
                };
                let positions = positions.positions(text, primitive.line)?;
                numbers.insert(source, positions.into_iter().map(|place| weld.number(&mut polygons, place)).collect());
            }
            let of_source = &numbers[source];
            let corners = Corners { text, numbers: of_source, stride: primitive.stride, place: *place };
            primitive.add(&corners, &mut polygons)?;
        }
        Ok((polygons, lines))
    }
}

impl<'a> Source<'a> {
    fn positions(&self, text: &'a str, line: u64) -> Result<Vec<DVec3>, Fault> {
        let fail = |message: String| Fault { line, message };
        let mut values: Vec<f64> = Vec::new();
        for word in words(&self.array) {
            let number: Option<f64> = word.parse().ok();
            let message = || format!("{} is no number; correct it", quoted(word));
            let number = number.ok_or_else(|| Fault { line: line_of(text, word), message: message() })?;
            if !number.is_finite() {
                let message = "a coordinate is not a finite number; correct it".into();
                return Err(Fault { line: line_of(text, word), message });
            }
            values.push(number);
        }
        if let Some(count) = self.count
            && count != values.len() as u64
        {
            let message = format!(
                "a list of positions claims {count} numbers, but has {}; it is cut off or damaged, export the file again",
                values.len()
            );
            return Err(fail(message));
        }
        // Without an accessor, or with one that names nothing, x, y and z follow each other.
        let mut axes: Vec<usize> = (0..self.named.len()).filter(|&place| self.named[place]).take(3).collect();
        if axes.is_empty() {
            axes = vec![0, 1, 2];
        }
        let stride = self.stride.unwrap_or(3);
        let &[x, y, z] = &axes[..] else {
            return Err(fail("positions need three coordinates; export the file again".into()));
        };
        if stride <= z as u64 {
            return Err(fail("positions need three coordinates; export the file again".into()));
        }
        let values = values.get(usize::try_from(self.offset).unwrap_or(usize::MAX)..).unwrap_or_default();
        let chunks = values.chunks_exact(usize::try_from(stride).unwrap_or(usize::MAX));
        Ok(chunks.map(|chunk| DVec3::new(chunk[x], chunk[y], chunk[z])).collect())
    }
}

/// How the numbers of a primitive become corners.
struct Corners<'m, 'a> {
    text: &'a str,
    numbers: &'m [u32],
    stride: usize,
    place: usize,
}

impl<'m, 'a> Corners<'m, 'a> {
    /// The corners of a list.
    fn of<'l>(&'l self, list: &'l [&'a str]) -> impl Iterator<Item = Result<u32, Fault>> + 'l {
        let index = words(list).skip(self.place).step_by(self.stride);
        index.map(|word| {
            let corner = word.parse().ok().and_then(|index: usize| self.numbers.get(index).copied());
            corner.ok_or_else(|| {
                let message =
                    format!("{} is no vertex; there are {}, counted from 0", quoted(word), self.numbers.len());
                Fault { line: line_of(self.text, word), message }
            })
        })
    }
}

impl<'a> Primitive<'a> {
    fn add(&self, corners: &Corners<'_, 'a>, polygons: &mut Polygons) -> Result<(), Fault> {
        let fail = |message: &str| Fault { line: self.line, message: message.into() };
        if let Some(list) = self.lists.iter().find(|list| !words(list).count().is_multiple_of(self.stride)) {
            let line = words(list).last().map_or(self.line, |word| line_of(corners.text, word));
            let message = "the corners of a face are not whole; the file is damaged, export it again";
            return Err(Fault { line, message: message.into() });
        }
        let end = |polygons: &mut Polygons| polygons.end_element(true, polygons.element_count() as u64);
        match self.kind {
            Kind::Triangles => {
                for list in &self.lists {
                    let mut count = 0_u64;
                    for corner in corners.of(list) {
                        polygons.add_corner(corner?);
                        count += 1;
                        if count.is_multiple_of(3) {
                            end(polygons);
                        }
                    }
                    if !count.is_multiple_of(3) {
                        return Err(fail(
                            "the corners do not make whole triangles; the file is damaged, export it again",
                        ));
                    }
                }
            }
            Kind::Polygons => {
                for list in &self.lists {
                    corners.of(list).try_for_each(|corner| corner.map(|corner| polygons.add_corner(corner)))?;
                    end(polygons);
                }
            }
            Kind::Polylist => {
                let mut all = self.lists.iter().flat_map(|list| corners.of(list));
                for word in words(&self.counts) {
                    let short = || Fault {
                        line: line_of(corners.text, word),
                        message: format!("a polygon of {} corners has fewer; export the file again", quoted(word)),
                    };
                    let count: u64 = word.parse().map_err(|_| short())?;
                    for _ in 0..count {
                        polygons.add_corner(all.next().ok_or_else(short)??);
                    }
                    end(polygons);
                }
                if all.next().is_some() {
                    return Err(fail("there are more corners than vcount says; export the file again"));
                }
            }
            Kind::Strips | Kind::Fans => {
                for list in &self.lists {
                    let ring: Vec<u32> = corners.of(list).collect::<Result<_, _>>()?;
                    for (i, edge) in ring.windows(3).enumerate() {
                        let triangle = match self.kind {
                            Kind::Fans => [ring[0], edge[1], edge[2]],
                            // Every other triangle of a strip is turned over.
                            _ if i.is_multiple_of(2) => [edge[0], edge[1], edge[2]],
                            _ => [edge[0], edge[2], edge[1]],
                        };
                        polygons.add_triangle(triangle, polygons.element_count() as u64);
                    }
                }
            }
            Kind::Lines => {}
        }
        Ok(())
    }
}

fn words<'l, 'a>(list: &'l [&'a str]) -> impl Iterator<Item = &'a str> + use<'l, 'a> {
    list.iter().flat_map(|words| words.split_ascii_whitespace())
}

/// The line of a word, which is a part of the text.
fn line_of(text: &str, word: &str) -> u64 {
    line_at(text, (word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize))
}
