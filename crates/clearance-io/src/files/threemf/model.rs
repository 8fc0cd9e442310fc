//! The XML of a model: meshes, components, and what is built of them.

use super::super::mesh::label;
use super::super::placement::Placement;
use super::super::polygons::{Numbers, Polygons};
use super::super::xml::{self, Fault, Item, attributes, each_attribute, given_twice, parsed};
use crate::unit::Unit;
use clearance::math::{DMat3, DVec3};
use quick_xml::events::BytesStart;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The relationship that leads to the model.
const MODEL: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// Extensions that may be required without being triangles: other files in the archive, materials, sets of triangles.
const HARMLESS: [&str; 3] = [
    "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
];

/// Elements of extensions that are parts of a body.
const REFUSED: [&str; 5] = ["beamlattice", "slicestack", "booleanshape", "displacementmesh", "levelset"];

pub(super) struct Model {
    pub unit: Unit,
    pub objects: HashMap<u32, Object>,
    /// The items to build.
    pub items: Vec<Component>,
}

#[derive(Default)]
pub(super) struct Object {
    pub name: Option<String>,
    pub polygons: Option<Arc<Polygons>>,
    pub components: Vec<Component>,
}

/// An object at a place.
pub(super) struct Component {
    pub object: u32,
    /// The part of the archive that has the object, if it is another one.
    pub path: Option<String>,
    pub place: Placement,
}

/// The path of the first model, from the relationships of the archive.
pub(super) fn root(text: &str) -> Result<String, String> {
    let mut target = None;
    walk(text, |_, element| {
        if element.local_name().as_ref() == "Relationship" {
            let [kind, path] = attributes(element, ["Type", "Target"])?;
            if kind.as_deref() == Some(MODEL) && target.is_none() {
                target = path.map(Cow::into_owned);
            }
        }
        Ok(())
    })?;
    target.ok_or_else(|| "line 1: no 3D model is named; export the file again".into())
}

impl Model {
    pub fn read(text: &str) -> Result<Self, String> {
        let mut model = Self { unit: Unit::Millimetre, objects: HashMap::new(), items: Vec::new() };
        let mut builder = Builder::default();
        walk(text, |path, element| model.read_element(path, element, &mut builder))?;
        model.close(&mut builder);
        for (id, object) in &model.objects {
            if let Some(triangle) = object.polygons.as_ref().and_then(|polygons| polygons.first_bad()) {
                return Err(format!(
                    "object {id}: triangle {triangle} (counted from 0) names a vertex that is not there; export the file again"
                ));
            }
        }
        Ok(model)
    }

    fn read_element(&mut self, path: &[Tag], element: &BytesStart<'_>, builder: &mut Builder) -> Result<(), String> {
        use Tag::{
            Build, Component as ComponentTag, Components, Item, Mesh, Object as ObjectTag, Resources, Triangle,
            Triangles, Vertex, Vertices,
        };
        let name = element.local_name();
        if let Some(name) = REFUSED.iter().find(|&&refused| name.as_ref() == refused) {
            return Err(format!("a {name} is not read; export the part as triangles"));
        }
        match *path {
            [Tag::Model] => self.read_root(element)?,
            [Tag::Model, Resources, ObjectTag] => {
                self.close(builder);
                let [id, name] = attributes(element, ["id", "name"])?;
                let id = parsed(id, "id")?;
                builder.id = Some(id);
                builder.object.name = name.as_deref().map(label);
                if self.objects.contains_key(&id) {
                    return Err(format!("there are two objects {id}; export the file again"));
                }
            }
            [Tag::Model, Resources, ObjectTag, Mesh] => {
                builder.polygons = Some(Polygons::new(Numbers::Faces).with_vertices_from(0));
            }
            [Tag::Model, Resources, ObjectTag, Mesh, Vertices, Vertex] => {
                let [x, y, z] = attributes(element, ["x", "y", "z"])?;
                let place = DVec3::new(parsed(x, "x")?, parsed(y, "y")?, parsed(z, "z")?);
                if !place.is_finite() {
                    return Err("a coordinate is not a finite number; correct it".into());
                }
                builder.mesh()?.vertices.push(place);
            }
            [Tag::Model, Resources, ObjectTag, Mesh, Triangles, Triangle] => {
                let [a, b, c] = attributes(element, ["v1", "v2", "v3"])?;
                let corners = [parsed(a, "v1")?, parsed(b, "v2")?, parsed(c, "v3")?];
                let mesh = builder.mesh()?;
                mesh.add_triangle(corners, mesh.element_count() as u64);
            }
            [Tag::Model, Resources, ObjectTag, Components, ComponentTag] => {
                builder.object.components.push(component(element)?);
            }
            [Tag::Model, Build, Item] => self.items.push(component(element)?),
            _ => {}
        }
        Ok(())
    }

    fn read_root(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let [unit, required] = attributes(element, ["unit", "requiredextensions"])?;
        if let Some(unit) = unit {
            self.unit = unit.parse().map_err(|error: crate::UnknownUnit| error.to_string())?;
        }
        let Some(required) = required else { return Ok(()) };
        // One pass over the attributes: the list may name millions of prefixes, and each may be a long attribute away.
        let spaces = name_spaces(element)?;
        for prefix in required.split_ascii_whitespace() {
            let uri = spaces.get(prefix);
            if !uri.is_some_and(|uri| HARMLESS.contains(&&**uri)) {
                let uri = crate::json::quoted(uri.map_or(prefix, |uri| uri));
                return Err(format!("the extension {uri} is required, which is not read; export the part without it"));
            }
        }
        Ok(())
    }

    /// Puts the object that was read to the others.
    fn close(&mut self, builder: &mut Builder) {
        let Builder { id, mut object, polygons } = std::mem::take(builder);
        if let Some(id) = id {
            object.polygons = polygons.map(Arc::new);
            self.objects.insert(id, object);
        }
    }
}

/// The object that is being read.
#[derive(Default)]
struct Builder {
    id: Option<u32>,
    object: Object,
    polygons: Option<Polygons>,
}

impl Builder {
    fn mesh(&mut self) -> Result<&mut Polygons, String> {
        self.polygons.as_mut().ok_or_else(|| "there is no mesh here; export the file again".into())
    }
}

fn component(element: &BytesStart<'_>) -> Result<Component, String> {
    // The path has the prefix of the production extension, whatever the file calls that.
    let [object, transform, path] = attributes(element, ["objectid", "transform", "*:path"])?;
    let place = transform.as_deref().map_or(Ok(Placement::HERE), placement)?;
    Ok(Component { object: parsed(object, "objectid")?, path: path.map(Cow::into_owned), place })
}

/// Four rows of three numbers, by which rows are multiplied: the last row is the translation.
fn placement(text: &str) -> Result<Placement, String> {
    let numbers: Option<Vec<f64>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let numbers: Option<[f64; 12]> = numbers.and_then(|numbers| numbers.try_into().ok());
    let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
    let Some([a, b, c, d, e, f, g, h, i, x, y, z]) = numbers else {
        return Err("a transform needs 12 numbers; export the file again".into());
    };
    let matrix = DMat3::from_cols_array(&[a, b, c, d, e, f, g, h, i]);
    Placement::new(matrix, DVec3::new(x, y, z)).map_err(|error| format!("a transform has no place: {error}"))
}

/// Elements that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tag {
    Model,
    Resources,
    Object,
    Mesh,
    Vertices,
    Vertex,
    Triangles,
    Triangle,
    Components,
    Component,
    Build,
    Item,
    Other,
}

impl Tag {
    fn of(name: &str) -> Self {
        match name {
            "model" => Self::Model,
            "resources" => Self::Resources,
            "object" => Self::Object,
            "mesh" => Self::Mesh,
            "vertices" => Self::Vertices,
            "vertex" => Self::Vertex,
            "triangles" => Self::Triangles,
            "triangle" => Self::Triangle,
            "components" => Self::Components,
            "component" => Self::Component,
            "build" => Self::Build,
            "item" => Self::Item,
            _ => Self::Other,
        }
    }
}

/// Shows every element, with those that it is inside of; itself is the last. A fault gets its line.
fn walk(text: &str, mut visit: impl FnMut(&[Tag], &BytesStart<'_>) -> Result<(), String>) -> Result<(), String> {
    let mut path = Vec::new();
    let walked = xml::walk(text, |item, _| match item {
        Item::Open(element) => {
            path.push(Tag::of(element.local_name().as_ref()));
            visit(&path, element)
        }
        Item::Text(_) | Item::Entity => Ok(()),
        Item::Close => {
            path.pop();
            Ok(())
        }
    });
    walked.map_err(|Fault { line, message }| format!("line {line}: {message}"))
}

/// The name spaces that an element declares, by their prefixes.
fn name_spaces<'e>(element: &'e BytesStart<'_>) -> Result<HashMap<String, Cow<'e, str>>, String> {
    let mut spaces = HashMap::new();
    each_attribute(element, |key, value| {
        let Some(prefix) = key.strip_prefix("xmlns:") else { return Ok(()) };
        match spaces.insert(prefix.to_owned(), value()?) {
            Some(_) => Err(given_twice(key)),
            None => Ok(()),
        }
    })?;
    Ok(spaces)
}
