//! `{"sphere": {"radius": 1}}` and all the other kinds.

use super::pose::PoseFields;
use super::{Fields, Found, Key, List, Named, Number, Object, Reader, Step, Text, Vector, required};
use crate::count::counted;
use crate::files::{MeshBody, MeshFile, written_pose};
use crate::unit::Unit;
use clearance::math::{DMat3, DVec3};
use clearance::{Axis, BuildError, HalfHeight, Pose, Radius, Shape};
use clearance_verify::Shape as Written;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The deepest nesting of shapes in `compound`, `affine` and `rounded`. Limit: a level of shapes takes up to three levels of JSON, and the JSON
/// parser refuses more than 128.
pub const MAX_SHAPE_DEPTH: u32 = 32;

pub(crate) const KINDS: &[&str] = &[
    "sphere",
    "cuboid",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "point",
    "segment",
    "triangle",
    "half_space",
    "hull",
    "mesh",
    "compound",
    "affine",
    "rounded",
];

/// Reads a shape.
#[derive(Clone, Copy)]
pub(crate) struct ShapeSeed<'r, 'c>(pub &'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for ShapeSeed<'_, '_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Limit: shapes, and points and triangles in notes, that names stand for in a text. Names of names come to an end there.
const MAX_NAMED: u64 = 1 << 23;

impl ShapeSeed<'_, '_> {
    /// Reads a shape that others may name.
    pub fn define<'de, A: MapAccess<'de>>(self, name: &str, map: &mut A) -> Result<NotedShape, A::Error> {
        let reader = self.0;
        let (depth, size) = (reader.depth.get(), reader.size.get());
        reader.deepest.set(depth);
        let shape = map.next_value_seed(self)?;
        let written = reader.noted_shape().map(Arc::new);
        let named = Named {
            shape: shape.clone(),
            written: written.clone(),
            depth: reader.deepest.get() - depth,
            size: reader.size.get() - size,
        };
        reader.names.borrow_mut().insert(name.to_owned(), named);
        Ok((shape, written))
    }
}

/// A shape, and how it was written if that was noted.
pub(crate) type NotedShape = (Shape, Option<Arc<Written>>);

impl<'de> Visitor<'de> for ShapeSeed<'_, '_> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a shape such as {\"sphere\": {\"radius\": 1}}")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Shape, E> {
        let reader = self.0;
        let names = reader.names.borrow();
        let place = || reader.name("shape");
        let Some(Named { shape, written, depth, size }) = names.get(name) else {
            let name = super::quoted(name);
            return Err(
                reader.fail(format!("{} is {name}, but no shape before it has that name; define it first", place()))
            );
        };
        let depth = reader.depth.get() + depth;
        if depth > MAX_SHAPE_DEPTH {
            return Err(
                reader.fail(format!("{} is nested more than {MAX_SHAPE_DEPTH} shapes deep; flatten it", place()))
            );
        }
        reader.deepest.set(reader.deepest.get().max(depth));
        reader.size.set(reader.size.get() + size);
        reader.copied.set(reader.copied.get() + size);
        if reader.copied.get() > MAX_NAMED {
            return Err(reader.fail(format!("{} repeats shapes too often; name fewer of them", place())));
        }
        reader.note_shape(|| written.as_deref().cloned());
        Ok(shape.clone())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let reader = self.0;
        if reader.depth.get() == MAX_SHAPE_DEPTH {
            let message =
                format!("{} is nested more than {MAX_SHAPE_DEPTH} shapes deep; flatten it", reader.name("shape"));
            return Err(reader.fail(message));
        }
        reader.depth.set(reader.depth.get() + 1);
        reader.deepest.set(reader.deepest.get().max(reader.depth.get()));
        reader.size.set(reader.size.get() + 1);
        let mut shape = None;
        while let Some(key) = map.next_key_seed(Key(KINDS))? {
            match key {
                Found::Known(kind) if shape.is_none() => shape = Some(read_kind(reader, KINDS[kind], &mut map)?),
                Found::Known(kind) => {
                    let message = format!(
                        "{} has {} as a second kind; a shape has one kind (several shapes together are a compound)",
                        reader.name("shape"),
                        KINDS[kind]
                    );
                    return Err(reader.fail(message));
                }
                Found::Comment => drop(map.next_value::<IgnoredAny>()?),
                Found::Unknown(name) => {
                    let message = format!(
                        "{} is of the unknown kind {}; a shape is one of {}",
                        reader.name("shape"),
                        super::quoted(&name),
                        KINDS.join(", ")
                    );
                    return Err(reader.fail(message));
                }
            }
        }
        reader.depth.set(reader.depth.get() - 1);
        shape.ok_or_else(|| {
            reader.fail(format!("{} is empty; a shape is one of {}", reader.name("shape"), KINDS.join(", ")))
        })
    }
}

fn read_kind<'de, A: MapAccess<'de>>(reader: &Reader, kind: &str, map: &mut A) -> Result<Shape, A::Error> {
    if kind == "compound" {
        let mark = reader.noted_parts();
        let item = Object::<PartFields>::new(reader);
        let parts = reader.inside(Step::Field(kind), || {
            map.next_value_seed(List { reader, item, of: "parts {\"shape\": …, \"pose\": …}" })
        })?;
        // The library's error names the list itself, so it belongs one step up.
        let count = parts.len();
        let shape = Shape::compound(parts).map_err(|error| reader.refuse(error))?;
        let written = reader.take_parts(mark);
        reader.note_shape(|| (written.len() == count).then_some(Written::Compound(written)));
        return Ok(shape);
    }
    reader.inside(Step::Field(kind), || match kind {
        "sphere" => map.next_value_seed(Object::<Sphere>::new(reader)),
        "cuboid" => map.next_value_seed(Object::<Cuboid>::new(reader)),
        "capsule" => map.next_value_seed(Object::<AboutAxis<Capsule>>::new(reader)),
        "cylinder" => map.next_value_seed(Object::<AboutAxis<Cylinder>>::new(reader)),
        "cone" => map.next_value_seed(Object::<AboutAxis<Cone>>::new(reader)),
        "ellipsoid" => map.next_value_seed(Object::<Ellipsoid>::new(reader)),
        "point" => map.next_value_seed(Object::<Point>::new(reader)),
        "segment" => map.next_value_seed(Object::<Segment>::new(reader)),
        "triangle" => map.next_value_seed(Object::<Triangle>::new(reader)),
        "half_space" => map.next_value_seed(Object::<HalfSpace>::new(reader)),
        "hull" => map.next_value_seed(Object::<Hull>::new(reader)),
        "mesh" => map.next_value_seed(Object::<Mesh>::new(reader)),
        "affine" => map.next_value_seed(Object::<Affine>::new(reader)),
        _ => map.next_value_seed(Object::<Rounded>::new(reader)),
    })
}

/// Declares a shape whose fields are read by one seed each and handed to a constructor, and to one of what was written. That gets the
/// note of a shape among the fields as well.
macro_rules! plain_shape {
    ($kind:ident, $what:literal, { $($field:ident: $type:ty = $seed:expr),* }, $build:expr, $written:expr) => {
        #[derive(Default)]
        struct $kind {
            $($field: Option<$type>,)*
            inner: Option<Written>,
        }

        impl Fields for $kind {
            type Output = Shape;
            const WHAT: &'static str = $what;
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            #[allow(unused_variables)] // a point has no fields
            fn read<'de, A: MapAccess<'de>>(
                &mut self,
                reader: &Reader,
                field: usize,
                map: &mut A,
            ) -> Result<(), A::Error> {
                $(
                    if Self::NAMES[field] == stringify!($field) {
                        self.$field = Some(map.next_value_seed(($seed)(reader))?);
                        self.inner = reader.noted_shape().or(self.inner.take());
                    }
                )*
                Ok(())
            }

            fn finish<E: Error>(self, reader: &Reader) -> Result<Shape, E> {
                $(let $field = required(reader, $what, stringify!($field), self.$field)?;)*
                let written: fn(Option<Written>, $(&$type),*) -> Option<Written> = $written;
                let inner = self.inner;
                let note = reader.notes.is_some().then(|| written(inner, $(&$field),*)).flatten();
                let build: fn($($type),*) -> Result<Shape, BuildError> = $build;
                let shape = build($($field),*).map_err(|error| reader.refuse(error))?;
                reader.note_shape(|| note);
                Ok(shape)
            }
        }
    };
}

fn number(_: &Reader) -> Number {
    Number
}

plain_shape!(Sphere, "sphere", { radius: f64 = number }, Shape::sphere, |_, radius| {
    Some(Written::Sphere { radius: *radius })
});
plain_shape!(Cuboid, "cuboid", { half_extents: DVec3 = Vector }, |half| Shape::cuboid(half), |_, half| {
    Some(Written::Cuboid { half_extents: half.to_array() })
});
plain_shape!(Ellipsoid, "ellipsoid", { radii: DVec3 = Vector }, |radii| Shape::ellipsoid(radii), |_, radii| {
    Some(Written::Ellipsoid { radii: radii.to_array() })
});
plain_shape!(Point, "point", {}, || Ok(Shape::point()), |_| Some(Written::Point {}));
plain_shape!(Segment, "segment", { a: DVec3 = Vector, b: DVec3 = Vector }, |a, b| Shape::segment(a, b), |_, a, b| {
    Some(Written::Segment { a: a.to_array(), b: b.to_array() })
});
plain_shape!(
    Triangle,
    "triangle",
    { a: DVec3 = Vector, b: DVec3 = Vector, c: DVec3 = Vector },
    |a, b, c| Shape::triangle(a, b, c),
    |_, a, b, c| Some(Written::Triangle { a: a.to_array(), b: b.to_array(), c: c.to_array() })
);
plain_shape!(
    HalfSpace,
    "half space",
    { normal: DVec3 = Vector, offset: f64 = number },
    |normal, offset| Shape::half_space(normal, offset),
    |_, normal, offset| Some(Written::HalfSpace { normal: normal.to_array(), offset: *offset })
);
plain_shape!(
    Rounded,
    "rounded shape",
    { shape: Shape = ShapeSeed, radius: f64 = number },
    |shape, radius| Shape::rounded(&shape, radius),
    |inner, _, radius| Some(Written::Rounded { shape: Box::new(inner?), radius: *radius })
);
plain_shape!(
    Affine,
    "affine image",
    { shape: Shape = ShapeSeed, matrix: DMat3 = Matrix },
    |shape, matrix| Shape::affine(&shape, matrix),
    |inner, _, matrix| {
        let matrix = [0, 1, 2].map(|row| matrix.row(row).to_array());
        Some(Written::Affine { shape: Box::new(inner?), matrix })
    }
);

fn vertices<'r, 'c>(reader: &'r Reader<'c>) -> List<'r, 'c, Vector<'r, 'c>> {
    List { reader, item: Vector(reader), of: "vertices [x, y, z]" }
}

fn triangles<'r, 'c>(reader: &'r Reader<'c>) -> List<'r, 'c, Corners<'r, 'c>> {
    List { reader, item: Corners(reader), of: "triangles [i, j, k]" }
}

/// Reads the numbers of the three corners of a triangle.
#[derive(Clone, Copy)]
struct Corners<'r, 'c>(&'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for Corners<'_, '_> {
    type Value = [u32; 3];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<[u32; 3], D::Error> {
        let list = List { reader: self.0, item: Number, of: "3 numbers of vertices [i, j, k]" };
        let numbers = list.deserialize(deserializer)?;
        let fail = |what: String| Err(self.0.fail(format!("{} {what}", self.0.name("triangle"))));
        let [i, j, k] = numbers[..] else {
            return fail(format!("has {}, but must have 3", counted(numbers.len() as u64, "corner", "corners")));
        };
        match [i, j, k].into_iter().find(|x| x.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(x)) {
            Some(other) => fail(format!("has a corner {other}, but corners are numbers of vertices, counted from 0")),
            None => Ok([i, j, k].map(|x| x as u32)),
        }
    }
}

/// Shapes about an axis, which share their fields.
trait Kind: 'static {
    const WHAT: &'static str;
    fn build(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Shape, BuildError>;
    /// About the y axis, which is the only one that the checker has.
    fn upright(radius: f64, half_height: f64) -> Written;

    /// About another axis: the rows of the matrix are those of the rotation that the library takes, which exchanges axes.
    fn written(axis: Axis, radius: f64, half_height: f64) -> Written {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let matrix = match axis {
            Axis::X => [y, z, x],
            Axis::Y => return Self::upright(radius, half_height),
            Axis::Z => [z, x, y],
        };
        Written::Affine { shape: Box::new(Self::upright(radius, half_height)), matrix }
    }
}

struct Capsule;

impl Kind for Capsule {
    const WHAT: &'static str = "capsule";

    fn build(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Shape, BuildError> {
        Shape::capsule(axis, radius, half_height)
    }

    fn upright(radius: f64, half_height: f64) -> Written {
        Written::Capsule { radius, half_height }
    }

    // A rounded segment, since evidence is about the two ends of the core.
    fn written(axis: Axis, radius: f64, half_height: f64) -> Written {
        if axis == Axis::Y {
            return Self::upright(radius, half_height);
        }
        let end = half_height * axis.direction();
        let core = Written::Segment { a: (-end).to_array(), b: end.to_array() };
        Written::Rounded { shape: Box::new(core), radius }
    }
}

struct Cylinder;

impl Kind for Cylinder {
    const WHAT: &'static str = "cylinder";

    fn build(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Shape, BuildError> {
        Shape::cylinder(axis, radius, half_height)
    }

    fn upright(radius: f64, half_height: f64) -> Written {
        Written::Cylinder { radius, half_height }
    }
}

struct Cone;

impl Kind for Cone {
    const WHAT: &'static str = "cone";

    fn build(axis: Axis, radius: Radius, half_height: HalfHeight) -> Result<Shape, BuildError> {
        Shape::cone(axis, radius, half_height)
    }

    fn upright(radius: f64, half_height: f64) -> Written {
        Written::Cone { radius, half_height }
    }
}

struct AboutAxis<K> {
    axis: Axis,
    radius: Option<f64>,
    half_height: Option<f64>,
    kind: PhantomData<K>,
}

impl<K> Default for AboutAxis<K> {
    fn default() -> Self {
        Self { axis: Axis::Y, radius: None, half_height: None, kind: PhantomData }
    }
}

impl<K: Kind> Fields for AboutAxis<K> {
    type Output = Shape;
    const WHAT: &'static str = K::WHAT;
    const NAMES: &'static [&'static str] = &["radius", "half_height", "axis"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => self.radius = Some(map.next_value_seed(Number)?),
            1 => self.half_height = Some(map.next_value_seed(Number)?),
            2 => self.axis = read_axis(reader, map)?,
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Shape, E> {
        let radius = required(reader, K::WHAT, "radius", self.radius)?;
        let half_height = required(reader, K::WHAT, "half_height", self.half_height)?;
        let shape = K::build(self.axis, Radius(radius), HalfHeight(half_height));
        let shape = shape.map_err(|error| reader.refuse(error))?;
        reader.note_shape(|| Some(K::written(self.axis, radius, half_height)));
        Ok(shape)
    }
}

fn read_axis<'de, A: MapAccess<'de>>(reader: &Reader, map: &mut A) -> Result<Axis, A::Error> {
    let name = map.next_value_seed(Text)?;
    match name.as_str() {
        "x" => Ok(Axis::X),
        "y" => Ok(Axis::Y),
        "z" => Ok(Axis::Z),
        _ => {
            let (axis, name) = (reader.name("axis"), super::quoted(&name));
            Err(reader.fail(format!("{axis} is {name}, but must be \"x\", \"y\" or \"z\"")))
        }
    }
}

/// Reads a matrix by rows.
#[derive(Clone, Copy)]
struct Matrix<'r, 'c>(&'r Reader<'c>);

impl<'de> DeserializeSeed<'de> for Matrix<'_, '_> {
    type Value = DMat3;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DMat3, D::Error> {
        let list = List { reader: self.0, item: Vector(self.0), of: "3 rows of 3 numbers" };
        let rows = list.deserialize(deserializer)?;
        let [x, y, z] = rows[..] else {
            let message = format!("{} has {} rows, but must have 3", self.0.name("matrix"), rows.len());
            return Err(self.0.fail(message));
        };
        Ok(DMat3::from_cols(x, y, z).transpose())
    }
}

#[derive(Default)]
struct PartFields {
    shape: Option<Shape>,
    pose: Pose,
    written: Option<Written>,
    written_pose: Option<clearance_verify::Pose>,
}

impl Fields for PartFields {
    type Output = (Shape, Pose);
    const WHAT: &'static str = "part";
    const NAMES: &'static [&'static str] = &["shape", "pose"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => {
                self.shape = Some(map.next_value_seed(ShapeSeed(reader))?);
                self.written = reader.noted_shape();
            }
            1 => {
                self.pose = map.next_value_seed(Object::<PoseFields>::new(reader))?;
                self.written_pose = reader.noted_pose();
            }
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<(Shape, Pose), E> {
        let shape = required(reader, Self::WHAT, "shape", self.shape)?;
        let pose = self.written_pose.unwrap_or(clearance_verify::Pose::IDENTITY);
        reader.note_part(self.written.map(|shape| clearance_verify::Part { shape, pose }));
        Ok((shape, self.pose))
    }
}

#[derive(Default)]
struct Hull {
    points: Option<Vec<DVec3>>,
    file: Option<(String, Shape)>,
    scale: Option<f64>,
}

impl Fields for Hull {
    type Output = Shape;
    const WHAT: &'static str = "hull";
    const NAMES: &'static [&'static str] = &["points", "file", "scale"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => {
                let list = List { reader, item: Vector(reader), of: "points [x, y, z]" };
                self.points = Some(map.next_value_seed(list)?);
            }
            1 => self.file = Some(read_file(reader, map)?),
            2 => self.scale = Some(read_scale(reader, map)?),
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Shape, E> {
        let note = |points: &[DVec3]| {
            reader.size.set(reader.size.get() + points.len() as u64);
            Written::Hull { points: points.iter().map(DVec3::to_array).collect() }
        };
        match (self.points, self.file) {
            (Some(points), None) if self.scale.is_none() => {
                let shape = Shape::hull(&points).map_err(|error| reader.refuse(error))?;
                reader.note_shape(|| Some(note(&points)));
                Ok(shape)
            }
            (None, Some((name, shape))) => {
                // The shape is remembered for many lines that name the file; its points are not.
                if reader.unit.is_none() && self.scale.is_none() && reader.notes.is_none() {
                    return Ok(shape);
                }
                let fail = |error: &dyn fmt::Display| reader.fail(format!("{}: {error}", reader.name("hull")));
                let (mut points, stated) = reader.folder.points(&name).map_err(|error| fail(&error))?;
                let factor = factor(reader, stated, self.scale);
                points.iter_mut().for_each(|point| *point *= factor);
                let shape = if factor == 1.0 { shape } else { Shape::hull(&points).map_err(|error| fail(&error))? };
                reader.note_shape(|| Some(note(&points)));
                Ok(shape)
            }
            _ => Err(reader
                .fail(format!("{} must have either points or file, and scale only with file", reader.name("hull")))),
        }
    }
}

/// A mesh: vertices and triangles, or a file. Of a file with several bodies it is all of them, as a compound.
#[derive(Default)]
struct Mesh {
    vertices: Option<Vec<DVec3>>,
    triangles: Option<Vec<[u32; 3]>>,
    file: Option<(String, Arc<MeshFile>)>,
    scale: Option<f64>,
}

impl Fields for Mesh {
    type Output = Shape;
    const WHAT: &'static str = "mesh";
    const NAMES: &'static [&'static str] = &["vertices", "triangles", "file", "scale"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => self.vertices = Some(map.next_value_seed(vertices(reader))?),
            1 => self.triangles = Some(map.next_value_seed(triangles(reader))?),
            2 => {
                let name = map.next_value_seed(Text)?;
                let found = reader.folder.mesh(&name);
                let found = found.map_err(|error| reader.fail(format!("{}: {error}", reader.name("file"))))?;
                self.file = Some((name, found));
            }
            3 => self.scale = Some(read_scale(reader, map)?),
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Shape, E> {
        let note = |vertices: &[DVec3], triangles: &[[u32; 3]]| {
            reader.size.set(reader.size.get() + vertices.len() as u64 + triangles.len() as u64);
            let vertices = vertices.iter().map(DVec3::to_array).collect();
            Written::Mesh { vertices, triangles: triangles.to_vec() }
        };
        match (self.vertices, self.triangles, self.file) {
            (vertices, triangles, None) if self.scale.is_none() => {
                let vertices = required(reader, Self::WHAT, "vertices", vertices)?;
                let triangles = required(reader, Self::WHAT, "triangles", triangles)?;
                let shape = Shape::mesh(&vertices, &triangles).map_err(|error| reader.refuse(error))?;
                reader.note_shape(|| Some(note(&vertices, &triangles)));
                Ok(shape)
            }
            (None, None, Some((name, file))) => {
                let found = reader.folder.solid(&name, factor(reader, file.unit, self.scale));
                let (shape, file) =
                    found.map_err(|error| reader.fail(format!("{}.file: {error}", reader.name("mesh"))))?;
                reader.note_shape(|| {
                    let part = |body: &MeshBody| {
                        reader.size.set(reader.size.get() + body.size());
                        clearance_verify::Part { shape: body.written(), pose: written_pose(&body.pose) }
                    };
                    let mut parts: Vec<_> = file.bodies.iter().map(part).collect();
                    Some(match (&file.bodies[..], parts.pop()) {
                        ([body], Some(only)) if body.pose == Pose::IDENTITY => only.shape,
                        (_, last) => Written::Compound(parts.into_iter().chain(last).collect()),
                    })
                });
                Ok(shape)
            }
            _ => Err(reader.fail(format!(
                "{} must have either vertices and triangles or file, and scale only with file",
                reader.name("mesh")
            ))),
        }
    }
}

/// The factor of the lengths of a file: its scale, and from the unit that it states to that of the text.
fn factor(reader: &Reader, stated: Option<Unit>, scale: Option<f64>) -> f64 {
    let factor = stated.zip(reader.unit).map_or(1.0, |(stated, wanted)| stated.factor_to(wanted));
    scale.unwrap_or(1.0) * factor
}

fn read_scale<'de, A: MapAccess<'de>>(reader: &Reader, map: &mut A) -> Result<f64, A::Error> {
    let scale = map.next_value_seed(Number)?;
    if scale > 0.0 && scale.is_finite() {
        return Ok(scale);
    }
    Err(reader.fail(format!("{} is {scale}, but must be a number above 0", reader.name("scale"))))
}

/// The name of a file and the hull of its points.
fn read_file<'de, A: MapAccess<'de>>(reader: &Reader, map: &mut A) -> Result<(String, Shape), A::Error> {
    let file = map.next_value_seed(Text)?;
    let shape = reader.folder.hull(&file);
    let shape = shape.map_err(|error| reader.fail(format!("{}: {error}", reader.name("file"))))?;
    Ok((file, shape))
}
