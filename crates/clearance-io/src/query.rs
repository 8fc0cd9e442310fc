//! Streams of queries about pairs, one JSON object per line.

use crate::error::{Error, Place};
use crate::files::Folder;
use crate::json::pose::PoseFields;
use crate::json::shape::ShapeSeed;
use crate::json::{Fields, Number, Object, Reader, Text, finite, quoted, required};
use crate::proof::{Noted, Written, WrittenNames};
use crate::scene::{ShapeOrName, ShapeOrNameSeed, unknown_name};
use clearance::{Engine, Pose, Shape, UnknownEngine};
use serde::de::{self, MapAccess};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A query about two shapes.
#[derive(Debug, Clone)]
pub struct Query {
    /// What the answer is to be marked with, exactly as it was written.
    pub id: Option<Box<RawValue>>,
    /// What is asked.
    pub kind: QueryKind,
    /// The first shape.
    pub a: Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// The second shape.
    pub b: Shape,
    /// Where it is.
    pub pose_b: Pose,
    /// Who is to answer; nothing leaves the choice to the reader of the stream.
    pub engine: Option<Engine>,
    /// The name of the cache to share with other queries.
    pub pair: Option<String>,
    /// The shapes and poses as they were written; kept by [`Definitions::with_written`] only.
    pub written: Option<Box<Written>>,
}

/// What is asked about the two shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QueryKind {
    /// Do they share a point?
    Intersects,
    /// How far apart are they?
    Distance,
    /// Are they closer than the margin, and how close?
    Within {
        /// The margin.
        margin: f64,
    },
}

/// Why a line has no answer.
#[derive(Debug, Clone)]
pub struct LineError {
    /// The line's id, if it could be read.
    pub id: Option<Box<RawValue>>,
    /// What is wrong.
    pub error: Error,
}

/// The shapes that the lines of a stream have named so far.
#[derive(Debug, Default)]
pub struct Definitions {
    shapes: BTreeMap<String, Shape>,
    /// The same shapes as they were written, if that is wanted.
    written: Option<WrittenNames>,
}

impl Definitions {
    /// No shapes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No shapes yet; queries will say how their shapes and poses were written, for evidence.
    #[must_use]
    pub fn with_written() -> Self {
        Self { written: Some(WrittenNames::default()), ..Self::default() }
    }

    /// Reads a line of the stream, of that number counted from 1.
    ///
    /// A line that defines a shape is kept here and gives nothing; a later definition of the same name replaces the
    /// earlier one for the lines after it.
    pub fn read(&mut self, line: &str, number: u64, folder: &Folder) -> Result<Option<Query>, LineError> {
        // Some editors put a byte-order mark before UTF-8 text.
        let line = if number == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let reader = if self.written.is_some() { Reader::noting(folder) } else { Reader::new(folder) };
        let place = Place::line(number);
        let raw = match reader.read(Object::<LineFields>::new(&reader), line, place.clone()) {
            Ok(raw) => raw,
            Err(error) => return Err(LineError { id: find_id(line), error }),
        };
        match raw {
            Raw::Define { name, shape, written } => {
                if let Some(names) = &mut self.written {
                    names.define(&name, written);
                }
                self.shapes.insert(name, shape);
                Ok(None)
            }
            Raw::Query { id, kind, a, pose_a, b, pose_b, engine, pair, written: noted } => {
                let written = self.written.as_ref().and_then(|names| names.query([&a, &b], *noted)).map(Box::new);
                let shape = |field: &str, shape| match shape {
                    ShapeOrName::Shape(shape) => Ok(shape),
                    ShapeOrName::Name(name) => self.shapes.get(&name).cloned().ok_or_else(|| {
                        let rest = unknown_name(&name, self.shapes.keys().map(String::as_str));
                        Error::Field { place: place.clone(), message: format!("{field} {rest}") }
                    }),
                };
                match (shape("a", a), shape("b", b)) {
                    (Ok(a), Ok(b)) => Ok(Some(Query { id, kind, a, pose_a, b, pose_b, engine, pair, written })),
                    (Err(error), _) | (_, Err(error)) => Err(LineError { id, error }),
                }
            }
        }
    }
}

/// The id of a line that is wrong somewhere else; nothing if even that cannot be read.
fn find_id(line: &str) -> Option<Box<RawValue>> {
    #[derive(serde::Deserialize)]
    struct Id {
        id: Option<Box<RawValue>>,
    }
    if let Ok(Id { id }) = serde_json::from_str(line) {
        return id;
    }
    // The line breaks off: the id usually comes first and is whole.
    let rest = line.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"id\"")?.trim_start();
    let mut values = serde_json::Deserializer::from_str(rest.strip_prefix(':')?).into_iter::<Box<RawValue>>();
    let id = values.next()?.ok()?;
    // A number at the very end of a line may itself be cut off.
    let is_whole = rest.len() > 1 + values.byte_offset();
    is_whole.then_some(id)
}

/// A line before names are looked up; there is only ever one, so its size does not matter.
#[allow(clippy::large_enum_variant)]
enum Raw {
    Define {
        name: String,
        shape: Shape,
        written: Option<clearance_verify::Shape>,
    },
    Query {
        id: Option<Box<RawValue>>,
        kind: QueryKind,
        a: ShapeOrName,
        pose_a: Pose,
        b: ShapeOrName,
        pose_b: Pose,
        engine: Option<Engine>,
        pair: Option<String>,
        written: Box<Noted>,
    },
}

#[derive(Default)]
struct LineFields {
    noted: Noted,
    define: Option<String>,
    shape: Option<Shape>,
    id: Option<Box<RawValue>>,
    query: Option<String>,
    a: Option<ShapeOrName>,
    pose_a: Pose,
    b: Option<ShapeOrName>,
    pose_b: Pose,
    engine: Option<Engine>,
    pair: Option<String>,
    margin: Option<f64>,
}

impl Fields for LineFields {
    type Output = Raw;
    const WHAT: &'static str = "query";
    const NAMES: &'static [&'static str] =
        &["define", "shape", "id", "query", "a", "pose_a", "b", "pose_b", "engine", "pair", "margin"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match Self::NAMES[field] {
            "define" => self.define = Some(map.next_value_seed(Text)?),
            "shape" => {
                self.shape = Some(map.next_value_seed(ShapeSeed(reader))?);
                self.noted.shapes[0] = reader.noted_shape();
            }
            "id" => self.id = Some(map.next_value()?),
            "query" => self.query = Some(map.next_value_seed(Text)?),
            "a" => {
                self.a = Some(map.next_value_seed(ShapeOrNameSeed(reader))?);
                self.noted.shapes[0] = reader.noted_shape();
            }
            "pose_a" => {
                self.pose_a = map.next_value_seed(Object::<PoseFields>::new(reader))?;
                self.noted.poses[0] = reader.noted_pose();
            }
            "b" => {
                self.b = Some(map.next_value_seed(ShapeOrNameSeed(reader))?);
                self.noted.shapes[1] = reader.noted_shape();
            }
            "pose_b" => {
                self.pose_b = map.next_value_seed(Object::<PoseFields>::new(reader))?;
                self.noted.poses[1] = reader.noted_pose();
            }
            "engine" => {
                let name = map.next_value_seed(Text)?;
                self.engine = Some(name.parse().map_err(|unknown: UnknownEngine| reader.fail(unknown.to_string()))?);
            }
            "pair" => self.pair = Some(map.next_value_seed(Text)?),
            _ => self.margin = Some(finite(reader, map.next_value_seed(Number)?)?),
        }
        Ok(())
    }

    fn finish<E: de::Error>(self, reader: &Reader) -> Result<Raw, E> {
        if let Some(name) = self.define {
            if self.query.is_some() {
                return Err(reader.fail("the line has both define and query; write two lines".into()));
            }
            let shape = required(reader, "definition", "shape", self.shape)?;
            let [written, _] = self.noted.shapes;
            return Ok(Raw::Define { name, shape, written });
        }
        if self.shape.is_some() {
            return Err(reader.fail("the line has shape but no define; name the shape or call it a or b".into()));
        }
        let query = required(reader, "line", "query", self.query)?;
        let kind = match query.as_str() {
            "intersects" => QueryKind::Intersects,
            "distance" => QueryKind::Distance,
            "within" => QueryKind::Within { margin: required(reader, "query", "margin", self.margin)? },
            _ => {
                let found = quoted(&query);
                let kinds = "intersects, distance, within";
                return Err(reader.fail(format!("query is {found}, but must be one of {kinds}")));
            }
        };
        Ok(Raw::Query {
            id: self.id,
            kind,
            a: required(reader, "query", "a", self.a)?,
            pose_a: self.pose_a,
            b: required(reader, "query", "b", self.b)?,
            pose_b: self.pose_b,
            engine: self.engine,
            pair: self.pair,
            written: Box::new(self.noted),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Query>, (Option<String>, String)> {
        let mut definitions = Definitions::new();
        let folder = Folder::none();
        definitions.read(r#"{"define": "rock", "shape": {"sphere": {"radius": 1}}}"#, 1, &folder).unwrap();
        definitions
            .read(line, 2, &folder)
            .map_err(|LineError { id, error }| (id.map(|id| id.get().to_owned()), error.to_string()))
    }

    const PAIR: &str = r#""a": "rock", "b": {"point": {}}"#;

    #[test]
    fn a_whole_line_is_understood() {
        let line = format!(r#"{{"id": 1e2, "query": "within", "margin": -1, {PAIR}, "engine": "gjk", "pair": "p"}}"#);
        let query = read(&line).unwrap().unwrap();
        assert_eq!(query.id.unwrap().get(), "1e2");
        assert_eq!(query.kind, QueryKind::Within { margin: -1.0 });
        assert_eq!((query.engine, query.pair.as_deref()), (Some(Engine::Gjk), Some("p")));
    }

    #[test]
    fn a_bad_line_keeps_its_id_wherever_it_stands() {
        for line in [
            r#"{"id": "x", "query": "distance", "a": "rok", "b": "rock"}"#.to_owned(),
            format!(r#"{{"query": "distanse", {PAIR}, "id": "x"}}"#),
            format!(r#"{{"id": "x", "query": "distance", {PAIR}, "unknown": 1}}"#),
            format!(r#"{{"query": "distance", {PAIR}, "engine": "sat", "id": "x"}}"#),
            r#" { "id" : "x", "query": "dist"#.to_owned(),
            r#"{"id": "x", "a": NaN}"#.to_owned(),
        ] {
            let (id, message) = read(&line).unwrap_err();
            assert_eq!(id.as_deref(), Some("\"x\""), "{line}");
            assert!(message.starts_with("line 2"), "{message}");
        }
        assert_eq!(read(r#"{"id": 12"#).unwrap_err().0, None);
        assert_eq!(read(r#"[1, 2]"#).unwrap_err().0, None);
    }

    #[test]
    fn sentences_name_the_place_and_the_way_out() {
        let message = |line: &str| read(line).unwrap_err().1;
        let sentence = message(&format!(r#"{{"query": "distance", {PAIR}, "engine": "epa"}}"#));
        let end =
            "the engine \"epa\" is unknown; use one of auto, gjk, gjk_johnson, vclip, lin_canny, separating_vector";
        assert!(sentence.ends_with(end), "{sentence}");
        assert!(message(&format!(r#"{{"query": "within", {PAIR}}}"#)).contains("the query has no field margin"));
        assert!(message(r#"{"query": "distance", "a": "rock"}"#).contains("the query has no field b"));
        assert!(message("7").contains("must be an object"));
        assert!(message(r#"{"query": "distance", "a": {"sphere": {"radius": Infinity}}}"#).contains("Infinity is not"));
        assert!(message(r#"{"query": "distance", "a": {"sphere": {"radius": 1e400}}}"#).contains("too large"));
        assert!(
            message(r#"{"query": "distance", "a": {"sphere": {"radius": "NaN"}}}"#)
                .contains(r#"a.sphere.radius is the string "NaN", but must be a number"#)
        );
    }
}
