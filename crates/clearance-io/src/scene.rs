//! Scenes: named bodies with shapes and poses (`clearance-scene/1`).

use crate::count::counted;
use crate::error::{Error, Place};
use crate::files::{CrossedFaces, FileLog, FileNumbers, Folder, read_text};
use crate::json::motion::{Motion, MotionFields};
use crate::json::pose::PoseFields;
use crate::json::shape::{NotedShape, ShapeSeed};
use crate::json::{Fields, List, Object, Reader, Step, Text, quoted, required};
use crate::proof::{WrittenBody, written_motion, written_pose};
use crate::rules::{Labels, Rule, RuleCounts, Rules};
use crate::unit::{Unit, UnknownUnit};
use clearance::shape::Mesh;
use clearance::world::{self, Config};
use clearance::{BodyId, BuildError, Pose, Shape, World};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The format that is read, as a scene states it.
const FORMAT: &str = "clearance-scene/1";

/// A JSON Schema of scenes, with which editors complete and check them. Units, names and files are checked by [`Scene::read`] only.
pub const SCENE_SCHEMA: &str = include_str!("../scene.schema.json");

/// Bodies that are checked against each other.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The bodies; their names are unique.
    pub bodies: Vec<Body>,
    /// Pairs of indices into `bodies`, smaller first, that are not checked.
    pub ignore: HashSet<[usize; 2]>,
    /// The mesh files that have faces whose edges cross.
    pub crossed: Vec<CrossedFaces>,
    /// Sentences about differences between mesh files and the bodies: see [`MeshFile::notes`](crate::MeshFile::notes).
    pub notes: Vec<String>,
    /// The unit of all lengths, if the scene states one. Mesh files that state another one are converted to it.
    pub unit: Option<Unit>,
    /// How mesh files count the vertices and faces of their meshes.
    pub numbers: MeshNumbers,
    /// The rules, with the bodies that they were made for: see [`Scene::set_rules`].
    pub rules: Rules,
}

/// How files count the vertices and faces of meshes: for those meshes that were read from a file.
#[derive(Debug, Clone, Default)]
pub struct MeshNumbers {
    /// By the address of the mesh, which the shape keeps alive.
    by_mesh: HashMap<usize, (Shape, Arc<FileNumbers>)>,
}

impl MeshNumbers {
    /// How the file of a mesh counts, if it was read from one.
    #[must_use]
    pub fn of(&self, mesh: &Mesh) -> Option<&Arc<FileNumbers>> {
        self.by_mesh.get(&std::ptr::from_ref(mesh).addr()).map(|(_, numbers)| numbers)
    }

    /// Adds a mesh; other shapes have no numbers.
    pub fn add(&mut self, shape: &Shape, numbers: &Arc<FileNumbers>) {
        if let Some(mesh) = shape.as_mesh() {
            self.by_mesh.insert(std::ptr::from_ref(mesh).addr(), (shape.clone(), Arc::clone(numbers)));
        }
    }

    /// Adds all meshes of another list.
    pub fn extend(&mut self, other: Self) {
        self.by_mesh.extend(other.by_mesh);
    }
}

/// One body of a scene.
#[derive(Debug, Clone)]
pub struct Body {
    /// The name of the body; not empty.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Where it is at time zero; key frames have their own places.
    pub pose: Pose,
    /// Bodies of the same group are not checked against each other.
    pub group: Option<String>,
    /// How it moves.
    pub motion: Motion,
    /// Where it comes from.
    pub tags: Tags,
    /// All of that as it was written; kept by [`Scene::read_with_written`] and [`Scene::parse_with_written`] only.
    pub written: Option<WrittenBody>,
}

/// Properties of a body that answers do not depend on: rules select by them, and findings name them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// The layer, storey or discipline that it belongs to.
    pub layer: Option<String>,
    /// Its identifier in the model that it was exported from.
    pub guid: Option<String>,
    /// The file that it was read from, as the command line names it.
    pub file: Option<String>,
}

impl Body {
    /// The properties that rules select by.
    #[must_use]
    pub fn labels(&self) -> Labels<'_> {
        let Tags { layer, file, .. } = &self.tags;
        Labels { name: &self.name, group: self.group.as_deref(), layer: layer.as_deref(), file: file.as_deref() }
    }
}

impl Scene {
    /// Reads a scene from a file; the mesh files it names are looked for in the same folder.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&read_text(path)?, &path.display().to_string(), &Folder::of(path))
    }

    /// The same; bodies will say how they were written, for evidence.
    pub fn read_with_written(path: &Path) -> Result<Self, Error> {
        Self::read_logged(path, &FileLog::off())
    }

    /// The same; the scene and the mesh files that it names are listed in a log.
    pub fn read_logged(path: &Path, log: &FileLog) -> Result<Self, Error> {
        let folder = Folder::of(path).logging(log);
        Self::parse_with_written(&log.read_text(path)?, &path.display().to_string(), &folder)
    }

    /// Reads a scene from a text; `origin` is what messages call it.
    pub fn parse(text: &str, origin: &str, folder: &Folder) -> Result<Self, Error> {
        Self::parse_by(Reader::new(folder), text, origin, folder)
    }

    /// The same; bodies will say how they were written, for evidence.
    pub fn parse_with_written(text: &str, origin: &str, folder: &Folder) -> Result<Self, Error> {
        Self::parse_by(Reader::noting(folder), text, origin, folder)
    }

    fn parse_by(mut reader: Reader<'_>, text: &str, origin: &str, folder: &Folder) -> Result<Self, Error> {
        // Some editors put a byte order mark before UTF-8 text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // The order of fields is free, and mesh files need the unit when they are read.
        reader.unit = unit_of(text);
        let mut raw = reader.read(Object::<SceneFields>::new(&reader), text, Place::file(origin))?;
        if raw.unit != reader.unit {
            // The scan does not read what is nested very deep, such as a comment.
            reader.unit = raw.unit;
            raw = reader.read(Object::<SceneFields>::new(&reader), text, Place::file(origin))?;
        }
        let reader = &reader;
        let scene = raw.resolve().map_err(|Late { path, message }| {
            // The fault is known but not its line: reading again up to that field tells it.
            let unit = reader.unit;
            let mut reader = Reader::stopping(folder, path, message.clone());
            reader.unit = unit;
            let again = reader.read(Object::<SceneFields>::new(&reader), text, Place::file(origin));
            again.err().unwrap_or(Error::Field { place: Place::file(origin), message })
        })?;
        Ok(Self { crossed: folder.crossed(), notes: folder.notes(), numbers: folder.numbers(), ..scene })
    }

    /// Are the bodies of these indices checked against each other?
    #[must_use]
    pub fn is_checked(&self, a: usize, b: usize) -> bool {
        let same_group = self.bodies[a].group.is_some() && self.bodies[a].group == self.bodies[b].group;
        a != b && !same_group && !self.ignore.contains(&[a.min(b), a.max(b)]) && self.rules.is_checked(a, b)
    }

    /// Replaces the rules. They are about the bodies that the scene has now: set them again when bodies come or go.
    ///
    /// # Errors
    ///
    /// A sentence, if there are more than [`MAX_RULES`](crate::rules::MAX_RULES).
    pub fn set_rules(&mut self, rules: Vec<Rule>) -> Result<(), String> {
        self.rules = Rules::new(rules, self.bodies.iter().map(Body::labels))?;
        Ok(())
    }

    /// How many pairs each rule decides.
    #[must_use]
    pub fn count_by_rule(&self) -> RuleCounts {
        let groups: Vec<Option<&str>> = self.bodies.iter().map(|body| body.group.as_deref()).collect();
        self.rules.count(&groups, &self.ignore)
    }

    /// How many pairs are checked: all, less those of one group, those ignored and those that a rule takes out.
    #[must_use]
    pub fn count_checked(&self) -> u64 {
        self.rules.checked(&self.count_by_rule())
    }

    /// The bodies as a world with that margin, each where its pose has it; the slot of a body is its index.
    #[must_use]
    pub fn to_world(&self, margin: f64) -> World {
        self.fill(margin).0
    }

    /// The same world at time zero of the motions, which it has: see [`World::impacts`].
    pub fn to_moving_world(&self, margin: f64) -> Result<World, BuildError> {
        let (mut world, ids) = self.fill(margin);
        for (index, (&id, body)) in ids.iter().zip(&self.bodies).enumerate() {
            if body.motion != Motion::Fixed {
                let motion = body.motion.of_pose(body.pose);
                world.set_motion(id, motion.map_err(|error| error.prefixed(&format!("bodies[{index}].motion.")))?);
            }
        }
        Ok(world)
    }

    fn fill(&self, margin: f64) -> (World, Vec<BodyId>) {
        let mut world = World::new(Config { margin, ..Config::default() });
        let mut groups: HashMap<&str, u32> = HashMap::new();
        let bodies = self.bodies.iter().map(|body| {
            let next = groups.len() as u32;
            let group = body.group.as_deref().map(|name| *groups.entry(name).or_insert(next));
            world.insert_body(world::Body { group, ..world::Body::new(body.shape.clone(), body.pose) })
        });
        let ids: Vec<BodyId> = bodies.collect();
        for &[a, b] in &self.ignore {
            world.set_ignored(ids[a], ids[b], true);
        }
        if !self.rules.all().is_empty() {
            let rules = self.rules.clone();
            world.set_filter(move |(a, _), (b, _)| rules.is_checked(a.slot() as usize, b.slot() as usize));
        }
        (world, ids)
    }
}

/// A fault that shows only when everything has been read.
struct Late {
    path: String,
    message: String,
}

/// A scene whose names are not looked up yet, since the order of fields is free.
struct RawScene {
    shapes: BTreeMap<String, NotedShape>,
    bodies: Vec<RawBody>,
    ignore: Vec<[String; 2]>,
    rules: Vec<Rule>,
    unit: Option<Unit>,
}

/// The unit that a scene states; none if the text is no scene, which is found out later.
fn unit_of(text: &str) -> Option<Unit> {
    #[derive(serde::Deserialize)]
    struct Head {
        unit: String,
    }
    // A scan is cheaper than a parse, and few scenes state a unit.
    if !text.contains("\"unit\"") {
        return None;
    }
    serde_json::from_str::<Head>(text).ok()?.unit.parse().ok()
}

struct RawBody {
    name: String,
    shape: ShapeOrName,
    pose: Pose,
    group: Option<String>,
    motion: Motion,
    tags: Tags,
    /// Notes of the reader: a shape that is no name, and the pose, which is the one above if none was written.
    noted_shape: Option<Arc<clearance_verify::Shape>>,
    noted_pose: clearance_verify::Pose,
}

impl RawScene {
    fn resolve(self) -> Result<Scene, Late> {
        let late = |path: String, rest: String| Late { message: format!("{path} {rest}"), path };
        let mut indices = HashMap::new();
        for (index, body) in self.bodies.iter().enumerate() {
            if let Some(first) = indices.insert(body.name.clone(), index) {
                let rest = format!("is {}, as is bodies[{first}].name; rename one", quoted(&body.name));
                return Err(late(format!("bodies[{index}].name"), rest));
            }
        }
        let mut ignore = HashSet::new();
        for (index, names) in self.ignore.iter().enumerate() {
            let find = |name: &String| {
                indices.get(name).copied().ok_or_else(|| {
                    late(format!("ignore[{index}]"), format!("names {}, but no body has that name", quoted(name)))
                })
            };
            let (a, b) = (find(&names[0])?, find(&names[1])?);
            if a == b {
                let rest = format!("names {} twice; name two bodies", quoted(&names[0]));
                return Err(late(format!("ignore[{index}]"), rest));
            }
            ignore.insert([a.min(b), a.max(b)]);
        }
        let mut bodies = Vec::with_capacity(self.bodies.len());
        for (index, body) in self.bodies.into_iter().enumerate() {
            let RawBody { name, shape, pose, group, motion, tags, noted_shape, noted_pose } = body;
            let (shape, noted_shape) = match shape {
                ShapeOrName::Shape(shape) => (shape, noted_shape),
                ShapeOrName::Name(name) => self.shapes.get(&name).cloned().ok_or_else(|| {
                    let rest = unknown_name(&name, self.shapes.keys().map(String::as_str));
                    late(format!("bodies[{index}].shape"), rest)
                })?,
            };
            let of_shape = |shape| WrittenBody { shape, pose: noted_pose, motion: written_motion(&motion) };
            let written = noted_shape.map(of_shape);
            bodies.push(Body { name, shape, pose, group, motion, tags, written });
        }
        let mut scene = Scene { bodies, ignore, unit: self.unit, ..Scene::default() };
        scene.set_rules(self.rules).map_err(|rest| Late { path: "rules".into(), message: format!("rules: {rest}") })?;
        Ok(scene)
    }
}

/// "is "rok", but no shape has that name; there are rock, arm", with as many names as a sentence can bear.
pub(crate) fn unknown_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    /// Limit: names of an error, which is one sentence.
    const MOST: usize = 8;
    let mut known: Vec<&str> = known.take(MOST + 1).collect();
    let more = if known.len() > MOST { ", …" } else { "" };
    known.truncate(MOST);
    let there = if known.is_empty() { "none is defined".into() } else { format!("there are {}", known.join(", ")) };
    format!("is {}, but no shape has that name; {there}{more}", quoted(name))
}

#[derive(Default)]
struct SceneFields {
    format: bool,
    shapes: BTreeMap<String, NotedShape>,
    bodies: Option<Vec<RawBody>>,
    ignore: Vec<[String; 2]>,
    rules: Vec<Rule>,
    unit: Option<Unit>,
}

impl Fields for SceneFields {
    type Output = RawScene;
    const WHAT: &'static str = "scene";
    const NAMES: &'static [&'static str] = &["format", "shapes", "bodies", "ignore", "unit", "rules", "$schema"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => {
                let format = map.next_value_seed(Text)?;
                if format != FORMAT {
                    let found = quoted(&format);
                    return Err(reader.fail(format!("format is {found}, but only {FORMAT:?} can be read")));
                }
                self.format = true;
            }
            1 => self.shapes = map.next_value_seed(Shapes(reader))?,
            2 => {
                let item = Object::<BodyFields>::new(reader);
                self.bodies = Some(map.next_value_seed(List { reader, item, of: "bodies" })?);
            }
            3 => self.ignore = map.next_value_seed(List { reader, item: TwoNames(reader), of: "pairs of names" })?,
            4 => {
                let unit = map.next_value_seed(Text)?.parse();
                self.unit = Some(unit.map_err(|error: UnknownUnit| reader.fail(format!("unit: {error}")))?);
            }
            5 => self.rules = map.next_value_seed(List { reader, item: RuleSeed(reader), of: "rules" })?,
            // For editors.
            _ => drop(map.next_value_seed(Text)?),
        }
        Ok(())
    }

    fn finish<E: de::Error>(self, reader: &Reader) -> Result<RawScene, E> {
        if !self.format {
            return Err(reader.fail(format!("the scene has no field format; add \"format\": {FORMAT:?}")));
        }
        let bodies = required(reader, Self::WHAT, "bodies", self.bodies)?;
        let Self { shapes, ignore, rules, unit, .. } = self;
        Ok(RawScene { shapes, bodies, ignore, rules, unit })
    }
}

#[derive(Default)]
struct BodyFields {
    name: Option<String>,
    shape: Option<ShapeOrName>,
    pose: Option<Pose>,
    group: Option<String>,
    motion: Motion,
    tags: Tags,
    noted_shape: Option<clearance_verify::Shape>,
    noted_pose: Option<clearance_verify::Pose>,
}

impl Fields for BodyFields {
    type Output = RawBody;
    const WHAT: &'static str = "body";
    const NAMES: &'static [&'static str] = &["name", "shape", "pose", "group", "motion", "layer", "guid"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => {
                let name = map.next_value_seed(Text)?;
                if name.is_empty() {
                    return Err(reader.fail(format!("{} is empty; give the body a name", reader.name("name"))));
                }
                self.name = Some(name);
            }
            1 => {
                self.shape = Some(map.next_value_seed(ShapeOrNameSeed(reader))?);
                self.noted_shape = reader.noted_shape();
            }
            2 => {
                self.pose = Some(map.next_value_seed(Object::<PoseFields>::new(reader))?);
                self.noted_pose = reader.noted_pose();
            }
            3 => self.group = Some(map.next_value_seed(Text)?),
            4 => self.motion = map.next_value_seed(Object::<MotionFields>::new(reader))?,
            5 => self.tags.layer = Some(map.next_value_seed(Text)?),
            6 => self.tags.guid = Some(map.next_value_seed(Text)?),
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: de::Error>(self, reader: &Reader) -> Result<RawBody, E> {
        let name = required(reader, Self::WHAT, "name", self.name)?;
        let shape = required(reader, Self::WHAT, "shape", self.shape)?;
        // Key frames say where a body is, so that it need not be said twice.
        let pose = self.pose.or_else(|| self.motion.start()).unwrap_or_default();
        let noted_pose = self.noted_pose.unwrap_or_else(|| written_pose(&pose));
        let noted_shape = self.noted_shape.map(Arc::new);
        let Self { group, motion, tags, .. } = self;
        Ok(RawBody { name, shape, pose, group, motion, tags, noted_shape, noted_pose })
    }
}

/// A shape, or the name of one.
pub(crate) enum ShapeOrName {
    Shape(Shape),
    Name(String),
}

/// Reads a shape or a name.
#[derive(Clone, Copy)]
pub(crate) struct ShapeOrNameSeed<'r, 'c>(pub &'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for ShapeOrNameSeed<'_, '_> {
    type Value = ShapeOrName;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ShapeOrName, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ShapeOrNameSeed<'_, '_> {
    type Value = ShapeOrName;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a shape such as {\"sphere\": {\"radius\": 1}} or the name of one")
    }

    fn visit_str<E>(self, name: &str) -> Result<ShapeOrName, E> {
        Ok(ShapeOrName::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ShapeOrName, A::Error> {
        ShapeSeed(self.0).visit_map(map).map(ShapeOrName::Shape)
    }
}

/// Reads `{"NAME": SHAPE, …}`.
struct Shapes<'r, 'c>(&'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for Shapes<'_, '_> {
    type Value = BTreeMap<String, NotedShape>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Shapes<'_, '_> {
    type Value = BTreeMap<String, NotedShape>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of named shapes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut shapes = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if name.starts_with('_') {
                map.next_value::<de::IgnoredAny>()?;
                continue;
            }
            let shape = self.0.inside(Step::Field(&name), || ShapeSeed(self.0).define(&name, &mut map))?;
            if shapes.insert(name.clone(), shape).is_some() {
                return Err(self.0.fail(format!("shapes has the name {} twice; rename one", quoted(&name))));
            }
        }
        Ok(shapes)
    }
}

/// Reads a rule.
#[derive(Clone, Copy)]
struct RuleSeed<'r, 'c>(&'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for RuleSeed<'_, '_> {
    type Value = Rule;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Rule, D::Error> {
        let rule = Text.deserialize(deserializer)?.parse();
        rule.map_err(|error: String| self.0.fail(format!("{}: {error}", self.0.name("rules"))))
    }
}

/// Reads `["arm", "base"]`.
#[derive(Clone, Copy)]
struct TwoNames<'r, 'c>(&'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for TwoNames<'_, '_> {
    type Value = [String; 2];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<[String; 2], D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for TwoNames<'_, '_> {
    type Value = [String; 2];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of 2 names")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<[String; 2], A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element_seed(Text)? {
            names.push(name);
        }
        let count = names.len();
        names.try_into().map_err(|_| {
            let entries = counted(count as u64, "entry", "entries");
            self.0.fail(format!("{} has {entries}, but must be a list of 2 names", self.0.name("ignore")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::math::DVec3;

    fn parse(rest: &str) -> Result<Scene, String> {
        let text = format!("{{\"format\": \"clearance-scene/1\",\n{rest}}}");
        Scene::parse(&text, "s.json", &Folder::none()).map_err(|error| error.to_string())
    }

    /// The schema has the fields that are read, no more and no fewer.
    #[test]
    fn the_schema_has_the_fields_of_the_readers() {
        let schema: serde_json::Value = serde_json::from_str(SCENE_SCHEMA).unwrap();
        let agrees = |at: &str, names: &[&str]| {
            let properties = schema.pointer(&format!("{at}/properties")).and_then(|value| value.as_object());
            let mut found: Vec<&str> =
                properties.unwrap_or_else(|| panic!("{at}")).keys().map(String::as_str).collect();
            let mut names = names.to_vec();
            found.sort_unstable();
            names.sort_unstable();
            assert_eq!(found, names, "{at}");
        };
        agrees("", SceneFields::NAMES);
        agrees("/$defs/body", BodyFields::NAMES);
        agrees("/$defs/pose", PoseFields::NAMES);
        agrees("/$defs/motion", MotionFields::NAMES);
        agrees("/$defs/shape", crate::json::shape::KINDS);
        agrees("/$defs/shape/properties/mesh", &["vertices", "triangles", "file", "scale"]);
    }

    /// Readers accept the least number that the schema allows, and refuse smaller ones.
    #[test]
    fn the_schema_has_the_bounds_of_the_readers() {
        let schema: serde_json::Value = serde_json::from_str(SCENE_SCHEMA).unwrap();
        let shapes = schema["$defs"]["shape"]["properties"].as_object().unwrap();
        let mut count = 0;
        for kind in ["sphere", "capsule", "cylinder", "cone", "rounded"] {
            let properties = shapes[kind]["properties"].as_object().unwrap();
            for (name, property) in properties.iter().filter(|(_, property)| property.get("type").is_some()) {
                let with = |bound: f64| {
                    let value = |of: &str| match of {
                        "shape" => serde_json::json!({"point": {}}),
                        _ if of == name => bound.into(),
                        _ => 1.0.into(),
                    };
                    let required = shapes[kind]["required"].as_array().unwrap().iter();
                    let fields: serde_json::Map<_, _> =
                        required.map(|of| of.as_str().unwrap()).map(|of| (of.to_owned(), value(of))).collect();
                    let shape = serde_json::json!({kind: fields});
                    parse(&format!("\"bodies\": [{{\"name\": \"a\", \"shape\": {shape}}}]")).map(drop)
                };
                let least = property["minimum"].as_f64().unwrap();
                assert_eq!((with(least), with(least - 1.0).is_err()), (Ok(()), true), "{kind}.{name}");
                count += 1;
            }
        }
        assert_eq!(count, 8);
    }

    #[test]
    fn order_is_free_and_comments_are_skipped_everywhere() {
        let scene = parse(
            r#""_note": {"deep": [1, {"x": null}]},
               "ignore": [["a", "c"]],
               "bodies": [{"name": "c", "shape": "ball", "_why": 1, "group": "g"},
                          {"name": "a", "shape": {"_kind": "round", "cuboid": {"_unit": "m", "half_extents": [1, 2, 3]}},
                           "pose": {"_frame": "world", "translation": [1, 2, 3]}, "group": "h"},
                          {"name": "b", "shape": {"point": {"_p": 0}}, "group": "g"}],
               "shapes": {"_list": [], "ball": {"sphere": {"radius": 2}}}"#,
        )
        .unwrap();
        assert_eq!(scene.bodies.len(), 3);
        assert!(
            !scene.is_checked(0, 1) && !scene.is_checked(0, 2) && scene.is_checked(1, 2) && !scene.is_checked(1, 1)
        );
        assert_eq!(scene.bodies[1].pose.translation(), [1.0, 2.0, 3.0].into());
    }

    #[test]
    fn faults_found_late_still_have_their_line() {
        let missing = parse("\"bodies\": [\n{\"name\": \"a\", \"shape\": \"rok\"}],\n\"shapes\": {}").unwrap_err();
        assert!(missing.starts_with("s.json, line 3, column "), "{missing}");
        assert!(
            missing.contains("bodies[0].shape is \"rok\", but no shape has that name; none is defined"),
            "{missing}"
        );
        let two = r#"{"name": "a", "shape": {"point": {}}}, {"name": "a", "shape": {"point": {}}}"#;
        let twice = parse(&format!("\n\"bodies\": [{two}]")).unwrap_err();
        assert!(twice.contains("line 3, ") && twice.contains("bodies[1].name is \"a\""), "{twice}");
        let ignored = parse("\"bodies\": [],\n\"ignore\": [[\"x\", \"y\"]]").unwrap_err();
        assert!(ignored.contains("line 3, ") && ignored.contains("ignore[0] names \"x\""), "{ignored}");
    }

    #[test]
    fn nesting_has_a_bound_of_its_own() {
        let nested = |depth: usize, open: &str, close: &str| {
            let shape = format!("{}{{\"point\": {{}}}}{}", open.repeat(depth), close.repeat(depth));
            parse(&format!("\"bodies\": [{{\"name\": \"a\", \"shape\": {shape}}}]"))
        };
        let compound = ("{\"compound\": [{\"shape\": ", "}]}");
        let rounded = ("{\"rounded\": {\"radius\": 0.1, \"shape\": ", "}}");
        for (open, close) in [compound, rounded] {
            assert!(nested(31, open, close).is_ok());
            for depth in [32, 60, 5_000] {
                let message = nested(depth, open, close).unwrap_err();
                assert!(message.contains("is nested more than 32 shapes deep"), "{message}");
            }
        }
        // A comment may be as deep as it likes.
        let deep = format!("\"bodies\": [], \"_c\": {}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(parse(&deep).is_ok());
    }

    #[test]
    fn numbers_survive_to_the_last_bit() {
        let scene = parse(
            r#""bodies": [{"name": "a", "shape": {"point": {}},
                "pose": {"translation": [0.1, 1.2345678901234567e-200, 9007199254740993.0]}}]"#,
        )
        .unwrap();
        let expected = [0.1, 1.234_567_890_123_456_7e-200, 9_007_199_254_740_992.0];
        assert_eq!(scene.bodies[0].pose.translation().to_array(), expected);
    }

    #[test]
    fn motion_is_checked_and_kept() {
        let body = |motion: &str| {
            parse(&format!("\"bodies\": [{{\"name\": \"a\", \"shape\": {{\"point\": {{}}}}, \"motion\": {motion}}}]"))
        };
        let linear = body(r#"{"linear": {"velocity": [1, 0, 0], "angular_velocity": [0, 2, 0]}}"#).unwrap();
        let (velocity, angular_velocity) = ([1.0, 0.0, 0.0].into(), [0.0, 2.0, 0.0].into());
        let expected = Motion::Linear { velocity, angular_velocity, center: [0.0; 3].into() };
        assert_eq!(linear.bodies[0].motion, expected);
        assert!(body(r#"{"ballistic": {"gravity": [0, -9.81, 0]}}"#).is_ok());
        assert!(body(r#"{"keyframes": [{"time": 0, "pose": {}}, {"time": 1}]}"#).is_ok());
        let unsorted = body(r#"{"keyframes": [{"time": 2}, {"time": 1}]}"#).unwrap_err();
        assert!(
            unsorted.contains("bodies[0].motion.keyframes[1].time is 1, but the frame before is at 2"),
            "{unsorted}"
        );
        let huge = body(r#"{"linear": {"velocity": [0, 1e70, 0]}}"#).unwrap_err();
        assert!(huge.contains("bodies[0].motion.linear.velocity.y is 1e70"), "{huge}");
        assert!(body(r#"{"linear": {"gravity": [0, 1, 0]}}"#).unwrap_err().contains("unknown field \"gravity\""));
        assert!(body("{}").unwrap_err().contains("a motion is one of fixed"));
    }

    #[test]
    fn every_spelling_of_a_motion_moves_its_body_as_it_says() {
        let scene = parse(
            r#""bodies": [
            {"name": "rest", "shape": {"point": {}}, "pose": {"translation": [1, 0, 0]}, "motion": {"fixed": {"_why": 1}}},
            {"name": "straight", "shape": {"point": {}}, "pose": {"translation": [1, 0, 0]}, "motion": {"linear": {"velocity": [0, 2, 0]}}},
            {"name": "door", "shape": {"point": {}}, "motion": {"linear": {"angular_velocity": [0, 0, 1.5707963267948966], "center": [-1, 0, 0]}}},
            {"name": "thrown", "shape": {"point": {}}, "motion": {"ballistic": {"velocity": [1, 5, 0], "gravity": [0, -10, 0]}}},
            {"name": "flung", "shape": {"point": {}}, "motion": {"ballistic": {"angular_velocity": [0, 0, 3.141592653589793], "center": [0, 1, 0], "gravity": [2, 0, 0]}}},
            {"name": "framed", "shape": {"point": {}}, "motion": {"keyframes": [{"time": -1, "pose": {"translation": [0, 0, 3]}}, {"time": 3, "pose": {"translation": [4, 0, 3]}}]}},
            {"name": "alone", "shape": {"point": {}}, "motion": {"keyframes": [{"time": 7, "pose": {"translation": [0, 8, 0]}}]}},
            {"name": "elsewhere", "shape": {"point": {}}, "pose": {"translation": [9, 0, 0]}, "motion": {"keyframes": [{"time": 0}]}},
            {"name": "still", "shape": {"point": {}}, "group": "g"}]"#,
        )
        .unwrap();
        let places = |world: &World| -> Vec<[f64; 3]> {
            let rounded = |pose: Pose| pose.translation().to_array().map(|x| (x * 1e9).round() / 1e9 + 0.0);
            world.bodies().map(|(_, body)| rounded(body.pose)).collect()
        };
        let origin = [0.0; 3];
        let still = scene.to_world(0.5);
        let start = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], origin, origin, origin, [1.0, 0.0, 3.0], [0.0, 8.0, 0.0]];
        assert_eq!(places(&still)[..7], start);
        // Where its pose has it, until it moves.
        assert_eq!(places(&still)[7..], [[9.0, 0.0, 0.0], origin]);
        let mut world = scene.to_moving_world(0.5).unwrap();
        assert_eq!(places(&world)[7..], [origin, origin]);
        world.set_time(1.0);
        let later = [
            [1.0, 0.0, 0.0],
            [1.0, 2.0, 0.0],
            [-1.0, 1.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 2.0, 0.0],
            [2.0, 0.0, 3.0],
            [0.0, 8.0, 0.0],
            origin,
            origin,
        ];
        assert_eq!(places(&world), later);
        // A wrong value in a scene that was made by hand is refused by name.
        let mut bad = scene;
        bad.bodies[1].motion =
            Motion::Linear { velocity: DVec3::NAN, angular_velocity: DVec3::ZERO, center: DVec3::ZERO };
        let error = bad.to_moving_world(0.0).unwrap_err().to_string();
        assert_eq!(error, "bodies[1].motion.velocity.x is NaN, but must be a finite number");
    }
}
