//! Streams of queries about pairs, one JSON object per line.

use crate::error::{Error, Place};
use crate::files::Folder;
use crate::json::motion::{Motion, MotionFields};
use crate::json::pose::PoseFields;
use crate::json::shape::ShapeSeed;
use crate::json::{Fields, Number, Object, Reader, Step, Text, Vector, bounded, finite, quoted, required};
use crate::proof::{Noted, Written, WrittenNames};
use crate::scene::{ShapeOrName, ShapeOrNameSeed, unknown_name};
use clearance::depth::Scope;
use clearance::math::{DQuat, DVec3};
use clearance::{BuildError, DepthBudget, Engine, Pose, Shape, UnknownEngine};
use serde::de::{self, MapAccess};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A query about two shapes.
#[derive(Debug, Clone)]
pub struct Query {
    /// The mark of the answer, exactly as it was written.
    pub id: Option<Box<RawValue>>,
    /// The kind of the query.
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

/// The query about the two shapes.
#[derive(Debug, Clone, PartialEq)]
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
    /// How far must A move to come free of B?
    Depth(DepthBudget),
    /// When do they first touch, moving?
    Impact(Box<MotionsOfPair>),
    /// Where does B meet A, moving straight?
    CastShape {
        /// Where to; not zero.
        direction: DVec3,
        /// How far at most; not negative.
        max: f64,
    },
    /// Where does a ray meet A? It begins at B, which is a point.
    CastRay {
        /// Where to; not zero.
        direction: DVec3,
        /// How far at most; not negative.
        max: f64,
    },
}

/// How the two shapes of a query move, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionsOfPair {
    /// The motion of the first shape.
    pub a: Motion,
    /// That of the second.
    pub b: Motion,
    /// From when on.
    pub from: f64,
    /// Until when; later than that.
    pub until: f64,
}

impl MotionsOfPair {
    /// The motions of shapes that have these poses at time zero.
    pub fn of_poses(&self, pose_a: Pose, pose_b: Pose) -> Result<[clearance::Motion; 2], BuildError> {
        Ok([self.a.of_pose(pose_a)?, self.b.of_pose(pose_b)?])
    }
}

/// Why a line has no answer.
#[derive(Debug, Clone)]
pub struct LineError {
    /// The line's id, if it could be read.
    pub id: Option<Box<RawValue>>,
    /// The fault.
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
        match self.parse(line, number, folder)? {
            Raw::Define { name, shape, written } => {
                if let Some(names) = &mut self.written {
                    names.define(&name, written);
                }
                self.shapes.insert(name, shape);
                Ok(None)
            }
            Raw::Query(query) => self.resolve(query, number).map(Some),
        }
    }

    /// Reads a line that must be a query, and neither defines a shape nor names a file.
    pub(crate) fn read_query(&self, line: &str, number: u64) -> Result<Query, LineError> {
        match self.parse(line, number, &Folder::none())? {
            Raw::Define { .. } => {
                let message = "this defines a shape, but must be a query".into();
                Err(LineError { id: None, error: Error::Field { place: Place::line(number), message } })
            }
            Raw::Query(query) => self.resolve(query, number),
        }
    }

    /// Is a shape of that name defined?
    pub(crate) fn has(&self, name: &str) -> bool {
        self.shapes.contains_key(name)
    }

    fn parse(&self, line: &str, number: u64, folder: &Folder) -> Result<Raw, LineError> {
        // Some editors put a byte-order mark before UTF-8 text.
        let line = if number == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let reader = if self.written.is_some() { Reader::noting(folder) } else { Reader::new(folder) };
        let raw = reader.read(Object::<LineFields>::new(&reader), line, Place::line(number));
        raw.map_err(|error| LineError { id: find_id(line), error })
    }

    /// Looks up the names of a query's shapes.
    fn resolve(&self, query: RawQuery, number: u64) -> Result<Query, LineError> {
        let RawQuery { id, kind, a, pose_a, b, pose_b, engine, pair, written: noted } = query;
        let written = self.written.as_ref().and_then(|names| names.query([&a, &b], noted)).map(Box::new);
        let shape = |field: &str, shape| match shape {
            ShapeOrName::Shape(shape) => Ok(shape),
            ShapeOrName::Name(name) => self.shapes.get(&name).cloned().ok_or_else(|| {
                let rest = unknown_name(&name, self.shapes.keys().map(String::as_str));
                Error::Field { place: Place::line(number), message: format!("{field} {rest}") }
            }),
        };
        match (shape("a", a), shape("b", b)) {
            (Ok(a), Ok(b)) => Ok(Query { id, kind, a, pose_a, b, pose_b, engine, pair, written }),
            (Err(error), _) | (_, Err(error)) => Err(LineError { id, error }),
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
    Define { name: String, shape: Shape, written: Option<clearance_verify::Shape> },
    Query(RawQuery),
}

struct RawQuery {
    id: Option<Box<RawValue>>,
    kind: QueryKind,
    a: ShapeOrName,
    pose_a: Pose,
    b: ShapeOrName,
    pose_b: Pose,
    engine: Option<Engine>,
    pair: Option<String>,
    written: Noted,
}

#[derive(Default)]
struct LineFields {
    noted: Noted,
    define: Option<String>,
    shape: Option<Shape>,
    id: Option<Box<RawValue>>,
    query: Option<String>,
    a: Option<ShapeOrName>,
    pose_a: Option<Pose>,
    motion_a: Option<Motion>,
    b: Option<ShapeOrName>,
    pose_b: Option<Pose>,
    motion_b: Option<Motion>,
    engine: Option<Engine>,
    pair: Option<String>,
    margin: Option<f64>,
    from: Option<f64>,
    until: Option<f64>,
    origin: Option<DVec3>,
    direction: Option<DVec3>,
    max: Option<f64>,
    scope: Option<Scope>,
    budget: Option<DepthBudget>,
}

impl Fields for LineFields {
    type Output = Raw;
    const WHAT: &'static str = "query";
    const NAMES: &'static [&'static str] = &[
        "define",
        "shape",
        "id",
        "query",
        "a",
        "pose_a",
        "b",
        "pose_b",
        "engine",
        "pair",
        "margin",
        "motion_a",
        "motion_b",
        "from",
        "until",
        "origin",
        "direction",
        "max",
        "scope",
        "budget",
    ];

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
                self.pose_a = Some(map.next_value_seed(Object::<PoseFields>::new(reader))?);
                self.noted.poses[0] = reader.noted_pose();
            }
            "b" => {
                self.b = Some(map.next_value_seed(ShapeOrNameSeed(reader))?);
                self.noted.shapes[1] = reader.noted_shape();
            }
            "pose_b" => {
                self.pose_b = Some(map.next_value_seed(Object::<PoseFields>::new(reader))?);
                self.noted.poses[1] = reader.noted_pose();
            }
            "engine" => {
                let name = map.next_value_seed(Text)?;
                self.engine = Some(name.parse().map_err(|unknown: UnknownEngine| reader.fail(unknown.to_string()))?);
            }
            "pair" => self.pair = Some(map.next_value_seed(Text)?),
            "margin" => self.margin = Some(finite(reader, map.next_value_seed(Number)?)?),
            "motion_a" => self.motion_a = Some(map.next_value_seed(Object::<MotionFields>::new(reader))?),
            "motion_b" => self.motion_b = Some(map.next_value_seed(Object::<MotionFields>::new(reader))?),
            "from" => self.from = Some(bounded(reader, map.next_value_seed(Number)?)?),
            "until" => self.until = Some(bounded(reader, map.next_value_seed(Number)?)?),
            "origin" => {
                let origin = map.next_value_seed(Vector(reader))?;
                // A pose's own check refuses what cannot be computed with.
                let pose = Pose::try_new(origin, DQuat::IDENTITY);
                pose.map_err(|error| reader.fail(error.to_string().replacen("translation", "origin", 1)))?;
                self.origin = Some(origin);
            }
            "direction" => {
                let direction = map.next_value_seed(Vector(reader))?;
                for (axis, value) in ["x", "y", "z"].into_iter().zip(direction.to_array()) {
                    reader.inside(Step::Field(axis), || bounded(reader, value))?;
                }
                if direction == DVec3::ZERO {
                    return Err(reader.fail(BuildError::ZeroDirection { field: "direction".into() }.to_string()));
                }
                self.direction = Some(direction);
            }
            "scope" => {
                let name = map.next_value_seed(Text)?;
                self.scope = Some(match name.as_str() {
                    "any" => Scope::Any,
                    "outside" => Scope::Outside,
                    _ => {
                        let message = format!("scope is {}, but must be one of any, outside", quoted(&name));
                        return Err(reader.fail(message));
                    }
                });
            }
            "budget" => self.budget = Some(map.next_value_seed(Object::<BudgetFields>::new(reader))?),
            "max" => self.max = Some(not_negative(reader, "max", map.next_value_seed(Number)?)?),
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: de::Error>(mut self, reader: &Reader) -> Result<Raw, E> {
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
        let query = required(reader, "line", "query", self.query.take())?;
        let kind = match query.as_str() {
            "intersects" => QueryKind::Intersects,
            "distance" => QueryKind::Distance,
            "within" => QueryKind::Within { margin: required(reader, "query", "margin", self.margin)? },
            "depth" => {
                let (scope, budget) = (self.scope.take().unwrap_or_default(), self.budget.take().unwrap_or_default());
                QueryKind::Depth(DepthBudget { scope, ..budget })
            }
            "impact" => self.impact(reader)?,
            "cast" => self.cast(reader)?,
            _ => {
                let found = quoted(&query);
                let kinds = "intersects, distance, within, depth, impact, cast";
                return Err(reader.fail(format!("query is {found}, but must be one of {kinds}")));
            }
        };
        // A field that a query ignores would be believed to matter.
        if let Some(field) = self.beside(&kind) {
            let message = format!("the query has {field}, of which {query} takes no notice; leave it out");
            return Err(reader.fail(message));
        }
        Ok(Raw::Query(RawQuery {
            id: self.id,
            kind,
            a: required(reader, "query", "a", self.a)?,
            pose_a: self.pose_a.unwrap_or_default(),
            b: required(reader, "query", "b", self.b)?,
            pose_b: self.pose_b.unwrap_or_default(),
            engine: self.engine,
            pair: self.pair,
            written: self.noted,
        }))
    }
}

/// A number that is finite and not below zero.
fn not_negative<E: de::Error>(reader: &Reader, field: &str, value: f64) -> Result<f64, E> {
    let value = bounded(reader, value)?;
    if value < 0.0 {
        return Err(reader.fail(BuildError::Negative { field: field.into(), value }.to_string()));
    }
    Ok(value)
}

/// How much a depth may cost: what is left out is as the library has it.
#[derive(Default)]
struct BudgetFields(DepthBudget);

impl Fields for BudgetFields {
    type Output = DepthBudget;
    const WHAT: &'static str = "budget";
    const NAMES: &'static [&'static str] = &["width", "nodes", "seconds"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        let path = format!("budget.{}", Self::NAMES[field]);
        let value = not_negative(reader, &path, map.next_value_seed(Number)?)?;
        match field {
            0 => self.0.width = value,
            // A number beyond every search is no bound.
            1 => self.0.nodes = value as usize,
            2 => self.0.seconds = value,
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: de::Error>(self, _: &Reader) -> Result<DepthBudget, E> {
        Ok(self.0)
    }
}

impl LineFields {
    /// When two moving shapes meet.
    fn impact<E: de::Error>(&mut self, reader: &Reader) -> Result<QueryKind, E> {
        let from = self.from.take().unwrap_or(0.0);
        let until = required(reader, "query", "until", self.until.take())?;
        if until <= from {
            let error = BuildError::NotInOrder { field: "until".into(), value: until, earlier: from };
            return Err(reader.fail(error.to_string()));
        }
        let [a, b] = [&mut self.motion_a, &mut self.motion_b].map(|motion| motion.take().unwrap_or_default());
        Ok(QueryKind::Impact(Box::new(MotionsOfPair { a, b, from, until })))
    }

    /// Where a ray, or a shape that moves straight, meets another shape.
    fn cast<E: de::Error>(&mut self, reader: &Reader) -> Result<QueryKind, E> {
        let direction = required(reader, "query", "direction", self.direction.take())?;
        let max = required(reader, "query", "max", self.max.take())?;
        match (self.origin.take(), &self.b) {
            (Some(_), Some(_)) => {
                Err(reader.fail("the query has both origin and b; a ray has an origin, a shape that moves is b".into()))
            }
            (None, None) => {
                Err(reader.fail("the query has neither origin nor b; give a ray an origin, or a shape as b".into()))
            }
            (None, Some(_)) => Ok(QueryKind::CastShape { direction, max }),
            (Some(_), None) if self.pose_b.is_some() => {
                Err(reader.fail("the query has pose_b but no b; a ray begins at its origin".into()))
            }
            (Some(origin), None) => {
                self.b = Some(ShapeOrName::Shape(Shape::point()));
                self.pose_b = Some(Pose::from_translation(origin));
                self.noted.shapes[1] = Some(clearance_verify::Shape::Point {});
                let translation = origin.to_array();
                self.noted.poses[1] = Some(clearance_verify::Pose { translation, ..clearance_verify::Pose::IDENTITY });
                Ok(QueryKind::CastRay { direction, max })
            }
        }
    }

    /// A field that is left over and belongs to queries of other kinds.
    fn beside(&self, kind: &QueryKind) -> Option<&'static str> {
        let has_no_engine = matches!(
            kind,
            QueryKind::Depth(_) | QueryKind::Impact(_) | QueryKind::CastShape { .. } | QueryKind::CastRay { .. }
        );
        let given = [
            ("motion_a", self.motion_a.is_some()),
            ("motion_b", self.motion_b.is_some()),
            ("from", self.from.is_some()),
            ("until", self.until.is_some()),
            ("origin", self.origin.is_some()),
            ("direction", self.direction.is_some()),
            ("max", self.max.is_some()),
            ("scope", self.scope.is_some()),
            ("budget", self.budget.is_some()),
            ("margin", has_no_engine && self.margin.is_some()),
            ("engine", has_no_engine && self.engine.is_some_and(|engine| engine != Engine::Auto)),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
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
        let end = "the engine \"epa\" is unknown; use one of auto, gjk, vclip, separating_vector";
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

    #[test]
    fn depths_are_understood_and_their_budgets_checked() {
        let query = |rest: &str| read(&format!(r#"{{"query": "depth", {PAIR}{rest}}}"#));
        assert_eq!(query("").unwrap().unwrap().kind, QueryKind::Depth(DepthBudget::default()));
        let all = query(r#", "scope": "outside", "budget": {"width": 0.5, "nodes": 7, "seconds": 2}"#);
        let budget = DepthBudget { width: 0.5, nodes: 7, seconds: 2.0, scope: Scope::Outside };
        assert_eq!(all.unwrap().unwrap().kind, QueryKind::Depth(budget));
        let refused = |rest: &str, end: &str| {
            let (_, message) = query(rest).unwrap_err();
            assert!(message.ends_with(end), "{message}");
        };
        refused(r#", "scope": "inside""#, r#"scope is "inside", but must be one of any, outside"#);
        refused(r#", "budget": {"width": -1}"#, "budget.width is -1, but a size cannot be negative (zero is allowed)");
        refused(r#", "margin": 1"#, "the query has margin, of which depth takes no notice; leave it out");
        let (_, message) = read(&format!(r#"{{"query": "distance", {PAIR}, "scope": "any"}}"#)).unwrap_err();
        assert!(message.ends_with("the query has scope, of which distance takes no notice; leave it out"), "{message}");
    }

    #[test]
    fn impacts_and_casts_are_understood() {
        let query = read(&format!(
            r#"{{"query": "impact", {PAIR}, "motion_a": {{"linear": {{"velocity": [1, 0, 0], "center": [0, 2, 0]}}}}, "from": -1, "until": 2}}"#
        ));
        let query = query.unwrap().unwrap();
        let a = Motion::Linear { velocity: DVec3::X, angular_velocity: DVec3::ZERO, center: 2.0 * DVec3::Y };
        let motions = MotionsOfPair { a, b: Motion::Fixed, from: -1.0, until: 2.0 };
        let [moving, resting] = motions.of_poses(Pose::IDENTITY, Pose::from_translation([5.0, 0.0, 0.0])).unwrap();
        assert_eq!(moving.pose(3.0).translation(), 3.0 * DVec3::X);
        assert!(resting.is_fixed() && resting.pose(1.0).translation() == 5.0 * DVec3::X);
        assert_eq!(query.kind, QueryKind::Impact(Box::new(motions)));
        let line = format!(r#"{{"query": "cast", {PAIR}, "direction": [0, 0, 2], "max": 0}}"#);
        assert_eq!(read(&line).unwrap().unwrap().kind, QueryKind::CastShape { direction: 2.0 * DVec3::Z, max: 0.0 });
        let ray = r#"{"query": "cast", "a": "rock", "origin": [1, 2, 3], "direction": [0, 0, 2], "max": 9}"#;
        let ray = read(ray).unwrap().unwrap();
        assert_eq!(ray.kind, QueryKind::CastRay { direction: 2.0 * DVec3::Z, max: 9.0 });
        assert_eq!(ray.pose_b.translation().to_array(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn fields_that_belong_to_other_questions_are_refused() {
        let refused = |query: &str, fields: &str| {
            let (_, message) = read(&format!(r#"{{"query": "{query}", {PAIR}, {fields}}}"#)).unwrap_err();
            message.split(": ").nth(1).unwrap().to_owned()
        };
        let way_out = "; leave it out";
        for (query, field, value) in [
            ("distance", "until", "1"),
            ("intersects", "max", "1"),
            ("distance", "direction", "[1, 0, 0]"),
            ("distance", "motion_a", r#"{"fixed": {}}"#),
        ] {
            let message = refused(query, &format!("\"{field}\": {value}"));
            assert_eq!(message, format!("the query has {field}, of which {query} takes no notice{way_out}"));
        }
        for (field, value) in [("engine", "\"gjk\""), ("margin", "1"), ("max", "1")] {
            let message = refused("impact", &format!("\"until\": 1, \"{field}\": {value}"));
            assert_eq!(message, format!("the query has {field}, of which impact takes no notice{way_out}"));
        }
        assert_eq!(refused("impact", r#""from": 3, "until": 3"#), "until is 3, but must be later than 3");
        assert!(
            refused("cast", r#""direction": [1, 0, 0], "max": 1, "origin": [0, 0, 0]"#).contains("both origin and b")
        );
    }
}
