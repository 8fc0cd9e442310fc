//! VRML 2.0 (VRML97, .wrl): text. The shapes of a grouping node are a body, with the pose of the transforms that it is inside of.
//!
//! Exporters write a shape for each colour of a part, so that shapes side by side are one body. Boxes, spheres, cylinders and cones stay what
//! they are, under any linear map; a body of several shapes is a compound of them. Where triangles are wanted (pictures, hulls, convex pieces) the round
//! ones are polyhedra around them, at most 0.5 % larger. A cylinder or cone without one of its faces is such a polyhedron, too. Lines, points and
//! texts are counted. `Inline`, `PROTO`, extrusions and elevation grids are refused.
//!
//! The standard says metres, but exporters do not keep to it, so no unit is taken from it.

mod node;
mod solids;
mod syntax;

use super::content::{HEAD, MARK, refuse_other_mesh};
use super::mesh::{Contents, Part, PartExact, Room, label};
use super::placement::Placement;
use super::polygons::{Numbers, Polygons, Weld};
use super::primitive::Primitive;
use super::xml::Fault;
use crate::count::counted;
use crate::error::{Error, Place};
use clearance::Axis;
use node::{Node, Role};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Limit: instances of nodes, beyond the nodes of the file. `USE` in `USE` in `USE` comes to an end there.
const MAX_INSTANCES: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Contents, Error> {
    let at_line = |Fault { line, message }| Error::Mesh { place: Place::file(name).at_line(line), message };
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    if !text.starts_with(b"#VRML V2.0") {
        let fail = |message: &str| Err(at_line(Fault { line: 1, message: message.into() }));
        if text.starts_with(b"#VRML V1.0") || text.starts_with(b"#Inventor") {
            return fail("this is VRML 1.0 or Inventor; export it as VRML 2.0 (VRML97)");
        }
        if text.starts_with(b"#X3D") {
            return fail("this is X3D; export it as VRML 2.0 (VRML97)");
        }
        refuse_other_mesh(&bytes[..bytes.len().min(HEAD)], name)?;
        return fail("a VRML file begins with `#VRML V2.0 utf8`; export it again");
    }
    let (roots, nodes) = syntax::read(text).map_err(at_line)?;
    let room = Some(Room::new(bytes.len() as u64));
    let mut scene = Scene { room, most: MAX_INSTANCES + nodes, ..Scene::default() };
    scene.read(&roots).map_err(at_line)?;
    let Scene { parts, skipped, open_rounds, .. } = scene;
    let mut contents = Contents { up: Some(Axis::Y), skipped, ..Contents::new(parts, bytes.len()) };
    if open_rounds > 0 {
        let one = "cylinder or cone without all of its faces is read as a polyhedron around it";
        let shapes = counted(
            open_rounds,
            one,
            "cylinders and cones without all of their faces are read as polyhedra around them",
        );
        contents.notes.push(format!("{name}: {shapes}, at most 0.5 % larger"));
    }
    Ok(contents)
}

/// A node, where it is, and the name of the group that it is in.
type Placed = (Rc<Node>, Placement, Option<Rc<str>>);

/// The bodies that were found.
#[derive(Default)]
struct Scene {
    parts: Vec<Part>,
    /// The faces of a group, which may be used several times, and its primitives.
    made: HashMap<*const Node, (Arc<Polygons>, Option<PartExact>)>,
    instances: usize,
    /// The most of them.
    most: usize,
    /// Capacity for faces.
    room: Option<Room>,
    skipped: u64,
    /// Cylinders and cones that lack a face.
    open_rounds: u64,
}

impl Scene {
    fn read(&mut self, roots: &Rc<Node>) -> Result<(), Fault> {
        let mut open: Vec<Placed> = vec![(Rc::clone(roots), Placement::HERE, None)];
        while let Some((group, outer, name)) = open.pop() {
            self.count(&group)?;
            let Role::Group { place, children } = group.role()? else { continue };
            let place = outer.of(place);
            let name = group.name.clone().or(name);
            let mut shapes = Vec::new();
            let mut groups = Vec::new();
            for child in children {
                match child.role()? {
                    Role::Group { .. } => groups.push((Rc::clone(child), place, name.clone())),
                    Role::Shape => {
                        self.count(child)?;
                        shapes.push(Rc::clone(child));
                    }
                    // It takes a step, too.
                    Role::Nothing => self.count(child)?,
                }
            }
            open.extend(groups.into_iter().rev());
            let own = shapes.iter().find_map(|shape| shape.name.clone());
            self.body(&group, &shapes, place, name.or(own))?;
        }
        Ok(())
    }

    fn count(&mut self, node: &Node) -> Result<(), Fault> {
        self.instances += 1;
        if self.instances <= self.most {
            return Ok(());
        }
        Err(node.fail("there are more than 65536 instances of nodes; split the file"))
    }

    /// A body of all shapes of a group.
    fn body(
        &mut self,
        group: &Rc<Node>,
        shapes: &[Rc<Node>],
        place: Placement,
        name: Option<Rc<str>>,
    ) -> Result<(), Fault> {
        let key = Rc::as_ptr(group);
        let (polygons, exact) = match self.made.get(&key) {
            Some(made) => made.clone(),
            None => {
                let new = || {
                    let mut polygons = Polygons::new(Numbers::Faces);
                    polygons.part = format!("the group of line {}, ", group.line);
                    polygons
                };
                let (mut polygons, mut weld, mut primitives) = (new(), Weld::default(), Vec::new());
                for shape in shapes {
                    primitives.extend(self.add(shape, &mut polygons, &mut weld)?);
                }
                let exact = if primitives.is_empty() {
                    None
                } else {
                    // The faces of all shapes but the primitives.
                    let (mut faces, mut weld) = (new(), Weld::default());
                    let counted = (self.skipped, self.open_rounds);
                    for shape in shapes.iter().filter(|shape| shape.primitive().is_ok_and(|found| found.is_none())) {
                        self.add(shape, &mut faces, &mut weld)?;
                    }
                    (self.skipped, self.open_rounds) = counted;
                    let faces = (faces.element_count() > 0).then(|| Arc::new(faces));
                    Some(PartExact { primitives, faces })
                };
                let made = (Arc::new(polygons), exact);
                self.made.insert(key, made.clone());
                made
            }
        };
        if polygons.element_count() == 0 {
            return Ok(());
        }
        let (matrix, pose) = place.split().map_err(|error| group.fail(format!("the place of a group: {error}")))?;
        self.parts.push(Part { name: name.as_deref().map(label), polygons, matrix, pose, exact });
        Ok(())
    }

    /// Adds the faces of a shape, and returns what it is if it is a primitive.
    fn add(&mut self, shape: &Node, polygons: &mut Polygons, weld: &mut Weld) -> Result<Option<Primitive>, Fault> {
        let Some(geometry) = shape.node("geometry")? else { return Ok(None) };
        let primitive = shape.primitive()?;
        match &*geometry.kind {
            "IndexedFaceSet" => geometry.add_faces(polygons, weld)?,
            "Box" => geometry.add_box(polygons, weld)?,
            "Sphere" | "Cylinder" | "Cone" => {
                geometry.add_round(polygons, weld)?;
                self.open_rounds += u64::from(primitive.is_none());
            }
            "IndexedLineSet" | "PointSet" | "Text" => self.skipped += 1,
            kind => {
                let kind = crate::json::quoted(kind);
                return Err(geometry.fail(format!("the geometry {kind} is not read; export the part as faces")));
            }
        }
        // A set of faces that several groups use is copied into each of them.
        let numbers = geometry.size().max(1000);
        self.room.as_mut().map_or(Ok(()), |room| room.take(numbers)).map_err(|message| shape.fail(message))?;
        Ok(primitive)
    }
}

#[cfg(test)]
mod tests;
