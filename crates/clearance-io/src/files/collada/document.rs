//! The elements of a COLLADA file: its unit, geometries, skins, nodes and scenes.

use super::super::placement::Placement;
use super::super::xml::{Fault, Item, attributes, walk};
use super::geometry::{Kind, Mesh, Primitive, Source};
use super::{local, quoted};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, Pose};
use quick_xml::events::BytesStart;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A file before ids are resolved.
#[derive(Default)]
pub(super) struct Document<'a> {
    /// How many metres the unit has.
    pub metres: f64,
    pub up: Option<Axis>,
    /// By id.
    pub meshes: BTreeMap<String, Mesh<'a>>,
    /// Geometries that are no meshes.
    pub others: HashSet<String>,
    skins: HashMap<String, Skin>,
    pub nodes: Vec<Node>,
    ids: HashMap<String, usize>,
    scenes: Vec<(String, Vec<usize>)>,
    /// The scene that is to be shown, and the line that says so.
    shown: Option<(String, u64)>,
}

/// A deformer of a geometry, and the place of the geometry before it.
#[derive(Default)]
struct Skin {
    geometry: String,
    bind: Option<Placement>,
}

pub(super) struct Node {
    pub name: Option<String>,
    pub place: Placement,
    pub children: Vec<Child>,
}

pub(super) struct Child {
    pub target: Target,
    pub line: u64,
}

/// A child of a node.
pub(super) enum Target {
    Node(usize),
    NamedNode(String),
    Geometry(String),
    Controller(String),
}

impl<'a> Document<'a> {
    pub fn read(text: &'a str) -> Result<Self, Fault> {
        let mut reader = Reader { document: Self { metres: 1.0, ..Self::default() }, ..Reader::default() };
        walk(text, |item, line| reader.item(item, line))?;
        if !reader.is_collada {
            let message = "a COLLADA file begins with the element COLLADA; export it again";
            return Err(Fault { line: 1, message: message.into() });
        }
        Ok(reader.document)
    }

    /// The nodes to begin with; none if the file has no scene.
    pub fn roots(&self) -> Result<Option<&[usize]>, Fault> {
        match &self.shown {
            Some((url, line)) => {
                let id = local(url, *line)?;
                let scene = self.scenes.iter().find(|(name, _)| name == id);
                let message = || format!("the scene {} is not there; export the file again", quoted(id));
                let (_, nodes) = scene.ok_or_else(|| Fault { line: *line, message: message() })?;
                Ok(Some(nodes))
            }
            None => Ok(self.scenes.first().map(|(_, nodes)| &nodes[..])),
        }
    }

    pub fn node(&self, url: &str, line: u64) -> Result<usize, Fault> {
        let id = local(url, line)?;
        let message = || format!("the node {} is not there; export the file again", quoted(id));
        self.ids.get(id).copied().ok_or_else(|| Fault { line, message: message() })
    }

    /// The geometry that a controller deforms.
    pub fn skinned<'s>(&'s self, url: &'s str, line: u64) -> Result<(&'s str, Placement), Fault> {
        let mut id = local(url, line)?;
        let mut bind = Placement::HERE;
        // A skin may deform the output of a morph target.
        for _ in 0..4 {
            let Some(skin) = self.skins.get(id) else { break };
            bind = bind.of(skin.bind.unwrap_or(Placement::HERE));
            id = local(&skin.geometry, line)?;
        }
        Ok((id, bind))
    }
}

/// Elements that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tag {
    Collada,
    Asset,
    Unit,
    UpAxis,
    Geometry,
    Mesh,
    NoMesh,
    Source,
    FloatArray,
    Accessor,
    Param,
    Vertices,
    Primitive,
    Input,
    Corners,
    Counts,
    Holes,
    Controller,
    Skin,
    BindShape,
    VisualScene,
    Node,
    Matrix,
    Translate,
    Rotate,
    Scale,
    Refused,
    InstanceNode,
    InstanceGeometry,
    InstanceController,
    InstanceScene,
    Other,
}

impl Tag {
    fn of(name: &str) -> Self {
        match name {
            "COLLADA" => Self::Collada,
            "asset" => Self::Asset,
            "unit" => Self::Unit,
            "up_axis" => Self::UpAxis,
            "geometry" => Self::Geometry,
            "mesh" | "convex_mesh" => Self::Mesh,
            "spline" | "brep" => Self::NoMesh,
            "source" => Self::Source,
            "float_array" => Self::FloatArray,
            "accessor" => Self::Accessor,
            "param" => Self::Param,
            "vertices" => Self::Vertices,
            "input" => Self::Input,
            "p" => Self::Corners,
            "vcount" => Self::Counts,
            "ph" => Self::Holes,
            "controller" => Self::Controller,
            "skin" | "morph" => Self::Skin,
            "bind_shape_matrix" => Self::BindShape,
            "visual_scene" => Self::VisualScene,
            "node" => Self::Node,
            "matrix" => Self::Matrix,
            "translate" => Self::Translate,
            "rotate" => Self::Rotate,
            "scale" => Self::Scale,
            "lookat" | "skew" => Self::Refused,
            "instance_node" => Self::InstanceNode,
            "instance_geometry" => Self::InstanceGeometry,
            "instance_controller" => Self::InstanceController,
            "instance_visual_scene" => Self::InstanceScene,
            name if Kind::of(name).is_some() => Self::Primitive,
            _ => Self::Other,
        }
    }
}

/// The state while a text is read from its beginning to its end.
#[derive(Default)]
struct Reader<'a> {
    is_collada: bool,
    document: Document<'a>,
    path: Vec<Tag>,
    /// The geometry that is open: its id, and its mesh once there is one.
    geometry: Option<(String, Option<String>)>,
    mesh: Option<Mesh<'a>>,
    source: Option<(String, Source<'a>)>,
    /// The id of the list of vertices that is open.
    vertices: Option<String>,
    primitive: Option<Primitive<'a>>,
    skin: Option<(String, Skin)>,
    /// The nodes that are open, from the outermost on.
    nodes: Vec<usize>,
    /// The numbers of a transform that is open.
    numbers: Vec<f64>,
    /// Does the item before end in a word?
    is_in_word: bool,
}

impl<'a> Reader<'a> {
    fn item(&mut self, item: Item<'_, 'a>, line: u64) -> Result<(), String> {
        let was_in_word = std::mem::take(&mut self.is_in_word);
        match item {
            Item::Open(element) => {
                let tag = Tag::of(element.local_name().as_ref());
                self.path.push(tag);
                self.open(tag, element, line)
            }
            Item::Text(words) => {
                let is_blank = |place: Option<char>| place.is_none_or(|letter| letter.is_ascii_whitespace());
                if was_in_word && !is_blank(words.chars().next()) && self.is_in_numbers() {
                    return Err("a comment interrupts a number; export the file again".into());
                }
                self.is_in_word = !is_blank(words.chars().next_back());
                self.words(words)
            }
            Item::Entity if self.is_in_numbers() => {
                Err("an entity such as &#48; stands among numbers, which is not read; export the file again".into())
            }
            Item::Entity => Ok(()),
            Item::Close => match self.path.pop() {
                Some(tag) => self.close(tag),
                None => Ok(()),
            },
        }
    }

    /// Whether the text of the open element is numbers.
    fn is_in_numbers(&self) -> bool {
        let tag = self.path.last();
        tag.is_some_and(|tag| {
            use Tag::{BindShape, Corners, Counts, FloatArray, Matrix, Rotate, Scale, Translate};
            matches!(tag, FloatArray | Corners | Counts | Matrix | Translate | Rotate | Scale | BindShape)
        })
    }

    fn parent(&self) -> Tag {
        self.path.len().checked_sub(2).map_or(Tag::Other, |at| self.path[at])
    }

    fn open(&mut self, tag: Tag, element: &BytesStart<'_>, line: u64) -> Result<(), String> {
        let parent = self.parent();
        match (parent, tag) {
            (_, Tag::Collada) if self.path.len() == 1 => self.is_collada = true,
            (Tag::Asset, Tag::Unit) if self.path.len() == 3 => {
                let [metres] = attributes(element, ["meter"])?;
                if let Some(metres) = metres {
                    // Exporters that follow the language of the system write a decimal comma.
                    let metres: f64 = metres.trim().replace(',', ".").parse().unwrap_or(f64::NAN);
                    if !(metres > 0.0 && metres.is_finite()) {
                        return Err("the unit needs a number of metres above 0; correct it".into());
                    }
                    self.document.metres = metres;
                }
            }
            (_, Tag::Geometry) => {
                let [id, name] = attributes(element, ["id", "name"])?;
                let id = id.ok_or("a geometry has no id; export the file again")?.into_owned();
                self.geometry = Some((id, name.map(Cow::into_owned)));
            }
            (Tag::Geometry, Tag::NoMesh) => {
                if let Some((id, _)) = &self.geometry {
                    self.document.others.insert(id.clone());
                }
            }
            (Tag::Geometry, Tag::Mesh) => {
                if let Some((_, name)) = &self.geometry {
                    self.mesh = Some(Mesh::new(name.clone(), line));
                }
            }
            (Tag::Mesh, Tag::Source) => {
                let [id] = attributes(element, ["id"])?;
                self.source = id.map(|id| (id.into_owned(), Source::default()));
            }
            (Tag::Source, Tag::FloatArray) => {
                let [count] = attributes(element, ["count"])?;
                if let Some((_, source)) = &mut self.source {
                    source.count = count.and_then(|count| count.trim().parse().ok());
                }
            }
            (_, Tag::Accessor) => {
                let [stride, offset] = attributes(element, ["stride", "offset"])?;
                let number =
                    |value: Option<Cow<'_, str>>, usual: u64| value.map_or(Some(usual), |v| v.trim().parse().ok());
                let (stride, offset) = (number(stride, 1), number(offset, 0));
                if let (Some((_, source)), Some(stride), Some(offset)) = (&mut self.source, stride, offset) {
                    (source.stride, source.offset) = (Some(stride), offset);
                }
            }
            (Tag::Accessor, Tag::Param) => {
                let [name] = attributes(element, ["name"])?;
                if let Some((_, source)) = &mut self.source {
                    source.named.push(name.is_some_and(|name| !name.is_empty()));
                }
            }
            (Tag::Mesh, Tag::Vertices) => {
                let [id] = attributes(element, ["id"])?;
                self.vertices = id.map(Cow::into_owned);
            }
            (Tag::Mesh, Tag::Primitive) => {
                let kind = Kind::of(element.local_name().as_ref());
                self.primitive = kind.map(|kind| Primitive::new(kind, line));
            }
            (Tag::Vertices | Tag::Primitive, Tag::Input) => self.input(parent, element)?,
            (Tag::Primitive, Tag::Corners) => {
                self.primitive.iter_mut().for_each(|primitive| primitive.lists.push(Vec::new()));
            }
            (Tag::Primitive, Tag::Holes) => {
                return Err("a polygon with holes is not read; export the part as triangles".into());
            }
            (_, Tag::Controller) => {
                let [id] = attributes(element, ["id"])?;
                self.skin = id.map(|id| (id.into_owned(), Skin::default()));
            }
            (Tag::Controller, Tag::Skin) => {
                let [source] = attributes(element, ["source"])?;
                if let (Some((_, skin)), Some(source)) = (&mut self.skin, source) {
                    skin.geometry = source.into_owned();
                }
            }
            (_, Tag::VisualScene) => {
                let [id] = attributes(element, ["id"])?;
                self.document.scenes.push((id.map(Cow::into_owned).unwrap_or_default(), Vec::new()));
                self.nodes.clear();
            }
            (_, Tag::Node) => self.node(parent, element, line)?,
            (Tag::Node, Tag::Refused) => {
                let name = element.local_name();
                let name: &str = name.as_ref();
                return Err(format!("a node is placed by {name}, which is not read; export the file with matrices"));
            }
            (Tag::Node, Tag::InstanceNode | Tag::InstanceGeometry | Tag::InstanceController) => {
                let [url] = attributes(element, ["url"])?;
                let url = url.ok_or("an instance has no url; export the file again")?.into_owned();
                let target = match tag {
                    Tag::InstanceNode => Target::NamedNode(url),
                    Tag::InstanceGeometry => Target::Geometry(url),
                    _ => Target::Controller(url),
                };
                if let Some(&node) = self.nodes.last() {
                    self.document.nodes[node].children.push(Child { target, line });
                }
            }
            (_, Tag::InstanceScene) => {
                let [url] = attributes(element, ["url"])?;
                self.document.shown = url.map(|url| (url.into_owned(), line));
            }
            _ => {}
        }
        Ok(())
    }

    fn input(&mut self, parent: Tag, element: &BytesStart<'_>) -> Result<(), String> {
        let [semantic, source, offset] = attributes(element, ["semantic", "source", "offset"])?;
        let (Some(semantic), Some(source)) = (semantic, source) else {
            return Err("an input has no semantic or no source; export the file again".into());
        };
        let id = source.trim().strip_prefix('#').unwrap_or(source.trim()).to_owned();
        if parent == Tag::Vertices {
            if let (Some(mesh), Some(vertices), "POSITION") = (&mut self.mesh, &self.vertices, &*semantic) {
                mesh.vertices.insert(vertices.clone(), id);
            }
            return Ok(());
        }
        let offset: Option<u64> = offset.map_or(Some(0), |offset| offset.trim().parse().ok());
        let offset = offset.filter(|&offset| offset < 1 << 16).ok_or("the offset of an input is no such number")?;
        if let Some(primitive) = &mut self.primitive {
            primitive.stride = primitive.stride.max(offset as usize + 1);
            if semantic == "VERTEX" {
                primitive.vertex = Some((id, offset as usize));
            }
        }
        Ok(())
    }

    fn node(&mut self, parent: Tag, element: &BytesStart<'_>, line: u64) -> Result<(), String> {
        let [id, name] = attributes(element, ["id", "name"])?;
        let index = self.document.nodes.len();
        if let Some(id) = &id {
            self.document.ids.entry(id.clone().into_owned()).or_insert(index);
        }
        let name = name.or(id).map(Cow::into_owned).filter(|name| !name.is_empty());
        self.document.nodes.push(Node { name, place: Placement::HERE, children: Vec::new() });
        match (parent, self.nodes.last(), self.document.scenes.last_mut()) {
            (Tag::Node, Some(&outer), _) => {
                self.document.nodes[outer].children.push(Child { target: Target::Node(index), line });
            }
            (Tag::VisualScene, _, Some((_, roots))) => roots.push(index),
            // A library of nodes, which instances name.
            _ => {}
        }
        self.nodes.push(index);
        Ok(())
    }

    fn words(&mut self, words: &'a str) -> Result<(), String> {
        let tag = self.path.last().copied().unwrap_or(Tag::Other);
        match (tag, &mut self.source, &mut self.primitive) {
            (Tag::FloatArray, Some((_, source)), _) => source.array.push(words),
            (Tag::Corners, _, Some(primitive)) => {
                primitive.lists.last_mut().into_iter().for_each(|list| list.push(words));
            }
            (Tag::Counts, _, Some(primitive)) => primitive.counts.push(words),
            (Tag::Matrix | Tag::Translate | Tag::Rotate | Tag::Scale | Tag::BindShape, ..) => {
                for word in words.split_ascii_whitespace() {
                    let number = word.parse().ok().filter(|number: &f64| number.is_finite());
                    self.numbers.push(number.ok_or_else(|| format!("{} is no number; correct it", quoted(word)))?);
                    if self.numbers.len() > 16 {
                        return Err("a transform has more than 16 numbers; export the file again".into());
                    }
                }
            }
            (Tag::UpAxis, ..) if self.path.len() == 3 => {
                self.document.up = Some(match words.trim() {
                    "X_UP" => Axis::X,
                    "Y_UP" => Axis::Y,
                    "Z_UP" => Axis::Z,
                    other => return Err(format!("up_axis is {}, but must be X_UP, Y_UP or Z_UP", quoted(other))),
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, tag: Tag) -> Result<(), String> {
        let outer = self.path.last().copied().unwrap_or(Tag::Other);
        match tag {
            Tag::Source => {
                if let (Some(mesh), Some((id, source))) = (&mut self.mesh, self.source.take()) {
                    mesh.sources.insert(id, source);
                }
            }
            Tag::Vertices => self.vertices = None,
            Tag::Primitive => {
                if let (Some(mesh), Some(primitive)) = (&mut self.mesh, self.primitive.take()) {
                    mesh.primitives.push(primitive);
                }
            }
            Tag::Geometry => {
                let (geometry, mesh) = (self.geometry.take(), self.mesh.take());
                if let (Some((id, _)), Some(mesh)) = (geometry, mesh)
                    && self.document.meshes.insert(id.clone(), mesh).is_some()
                {
                    return Err(format!("there are two geometries {}; export the file again", quoted(&id)));
                }
            }
            Tag::BindShape => {
                let bind = self.transform(Tag::Matrix)?;
                self.skin.iter_mut().for_each(|(_, skin)| skin.bind = Some(bind));
            }
            Tag::Controller => self.document.skins.extend(self.skin.take()),
            Tag::Node => drop(self.nodes.pop()),
            Tag::Matrix | Tag::Translate | Tag::Rotate | Tag::Scale if outer == Tag::Node => {
                let step = self.transform(tag)?;
                if let Some(&node) = self.nodes.last() {
                    let place = &mut self.document.nodes[node].place;
                    *place = place.of(step);
                }
            }
            // Elements of these names elsewhere are no transforms of nodes.
            Tag::Matrix | Tag::Translate | Tag::Rotate | Tag::Scale => self.numbers.clear(),
            _ => {}
        }
        Ok(())
    }

    /// The transform whose numbers were read.
    fn transform(&mut self, tag: Tag) -> Result<Placement, String> {
        let numbers = std::mem::take(&mut self.numbers);
        let wrong = |error: clearance::BuildError| format!("a node has no place: {error}");
        match (tag, &numbers[..]) {
            (Tag::Matrix, &[a, b, c, x, d, e, f, y, g, h, i, z, 0.0, 0.0, 0.0, 1.0]) => {
                let matrix = DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]);
                Placement::new(matrix, DVec3::new(x, y, z)).map_err(wrong)
            }
            (Tag::Matrix, [_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _]) => {
                Err("a matrix has a last row that is not 0, 0, 0, 1; export the file again".into())
            }
            (Tag::Translate, &[x, y, z]) => {
                Pose::try_new(DVec3::new(x, y, z), DQuat::IDENTITY).map(Placement::Rigid).map_err(wrong)
            }
            (Tag::Rotate, &[x, y, z, degrees]) => {
                let axis = DVec3::new(x, y, z);
                if degrees == 0.0 {
                    return Ok(Placement::HERE);
                }
                let axis = axis.try_normalize().ok_or("a rotation has an axis without a direction; correct it")?;
                let rotation = DQuat::from_axis_angle(axis, degrees.to_radians());
                Pose::try_new(DVec3::ZERO, rotation).map(Placement::Rigid).map_err(wrong)
            }
            (Tag::Scale, &[x, y, z]) => {
                Placement::new(DMat3::from_diagonal(DVec3::new(x, y, z)), DVec3::ZERO).map_err(wrong)
            }
            (_, numbers) => Err(format!(
                "a transform has {} numbers, which is not their count; export the file again",
                numbers.len()
            )),
        }
    }
}
