//! Shapes as Python objects.

use crate::input::{self, Count, Real, Vector, refused};
use crate::obstacles;
use crate::pose::Pose;
use crate::recipe::{self, Recipe};
use crate::threads::{self, Weight};
use clearance::math::DMat3;
use clearance::{Axis, BuildError, HalfHeight, Radius};
use clearance_io::{MAX_SHAPE_DEPTH, read_mesh, read_points};
use numpy::PyArray2;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Why a shape cannot be made.
pub struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<BuildError> for Refusal {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

/// An immutable shape in its own frame. Make one by the class methods; lengths have the unit that you choose.
///
/// Sizes of zero are legitimate: a flat box is a rectangle. Bad input is refused here, with one sentence, so that queries cannot fail.
///
/// >>> from clearance import Shape
/// >>> Shape.box(size=[2.0, 0.0, 4.0])
/// Shape.box(half_extents=[1.0, 0.0, 2.0])
/// >>> Shape.sphere(radius=-1.0)
/// Traceback (most recent call last):
/// ValueError: radius is -1, but a size cannot be negative (zero is allowed)
#[pyclass(frozen, eq, module = "clearance._native")]
#[derive(Debug, Clone)]
pub struct Shape {
    pub shape: clearance::Shape,
    /// How it was made.
    pub recipe: Arc<Recipe>,
    /// How many shapes are nested in each other. Limit: queries are recursive.
    pub depth: u32,
    /// Triangles and parts, or 1.
    pub size: usize,
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

impl Shape {
    /// A shape that has no others inside.
    pub fn new(shape: clearance::Shape, recipe: Recipe) -> Self {
        let size = shape.as_mesh().map_or(1, |mesh| mesh.triangles().len().max(3));
        Self { shape, recipe: Arc::new(recipe), depth: 1, size }
    }

    /// A shape made of this one.
    fn around(&self, shape: clearance::Shape, recipe: Recipe) -> Result<Self, Refusal> {
        Ok(Self { depth: deeper(self.depth)?, size: self.size, ..Self::new(shape, recipe) })
    }

    /// This shape under a linear map.
    pub fn mapped(&self, matrix: [[f64; 3]; 3]) -> Result<Self, Refusal> {
        let columns = DMat3::from_cols_array_2d(&matrix).transpose();
        let shape = clearance::Shape::affine(&self.shape, columns)?;
        self.around(shape, Recipe::Transformed { shape: self.clone(), matrix })
    }

    /// Everything within a radius of this convex shape.
    pub fn rounded_by(&self, radius: f64) -> Result<Self, Refusal> {
        // A rounded segment is a capsule, which has its own closed forms.
        if let Recipe::Segment { ends } = &*self.recipe {
            let shape = clearance::Shape::capsule_between(ends[0], ends[1], Radius(radius))?;
            return Ok(Self::new(shape, Recipe::Capsule { ends: *ends, radius }));
        }
        let shape = clearance::Shape::rounded(&self.shape, radius)?;
        self.around(shape, Recipe::Rounded { shape: self.clone(), radius })
    }

    /// A union of parts.
    pub fn union(parts: Vec<(Self, clearance::Pose)>) -> Result<Self, Refusal> {
        let depth = deeper(parts.iter().map(|(part, _)| part.depth).max().unwrap_or(0))?;
        let size = parts.iter().fold(2, |sum: usize, (part, _)| sum.saturating_add(part.size));
        let shape = clearance::Shape::compound(parts.iter().map(|(part, pose)| (part.shape.clone(), *pose)))?;
        Ok(Self { depth, size, ..Self::new(shape, Recipe::Compound { parts }) })
    }
}

/// The depth of a shape around one of that depth.
fn deeper(depth: u32) -> Result<u32, Refusal> {
    if depth < MAX_SHAPE_DEPTH {
        return Ok(depth + 1);
    }
    Err(Refusal(format!("a shape is nested more than {MAX_SHAPE_DEPTH} shapes deep; flatten it")))
}

/// Half of a length, or the half that is given.
fn half(length: Option<f64>, half_length: Option<f64>) -> PyResult<f64> {
    match (length, half_length) {
        (Some(length), None) => Ok(0.5 * length),
        (None, Some(half)) => Ok(half),
        _ => Err(PyTypeError::new_err("give either length or half_length")),
    }
}

/// A size that is checked by the name that the caller knows.
fn checked(name: &str, value: Real) -> PyResult<f64> {
    if value.0 < 0.0 && value.0.is_finite() {
        return Err(refused(BuildError::Negative { field: name.into(), value: value.0 }));
    }
    if !value.0.is_finite() {
        return Err(refused(BuildError::NotFinite { field: name.into(), value: value.0 }));
    }
    Ok(value.0)
}

/// An upright shape: its axis, half its length, and the name of the axis.
fn upright(axis: &str, length: Option<Real>, half_length: Option<Real>) -> PyResult<(Axis, f64, char)> {
    let length = length.map(|length| checked("length", length)).transpose()?;
    let half_length = half_length.map(|half| checked("half_length", half)).transpose()?;
    let half = half(length, half_length)?;
    Ok((input::axis(axis)?, half, axis.chars().next().unwrap_or('y')))
}

#[pymethods]
impl Shape {
    /// The point at the origin.
    ///
    /// >>> Shape.point().kind
    /// 'point'
    #[staticmethod]
    fn point() -> Self {
        Self::new(clearance::Shape::point(), Recipe::Point)
    }

    /// A ball about the origin.
    ///
    /// >>> round(Shape.sphere(radius=1.0).volume, 6)
    /// 4.18879
    #[staticmethod]
    fn sphere(radius: Real) -> PyResult<Self> {
        let radius = radius.0;
        let shape = clearance::Shape::sphere(radius).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Sphere { radius }))
    }

    /// A box about the origin, by the lengths of its sides or by half of them.
    ///
    /// >>> Shape.box(size=[2.0, 4.0, 6.0]) == Shape.box(half_extents=[1.0, 2.0, 3.0])
    /// True
    #[staticmethod]
    #[pyo3(name = "box", signature = (*, size = None, half_extents = None))]
    fn cuboid(size: Option<Vector>, half_extents: Option<Vector>) -> PyResult<Self> {
        let half_extents = match (size, half_extents) {
            (Some(size), None) => {
                for (axis, value) in ["x", "y", "z"].into_iter().zip(size.0) {
                    checked(&format!("size.{axis}"), Real(value))?;
                }
                size.0.map(|side| 0.5 * side)
            }
            (None, Some(half_extents)) => half_extents.0,
            _ => return Err(PyTypeError::new_err("give either size or half_extents")),
        };
        let shape = clearance::Shape::cuboid(half_extents).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Box { half_extents }))
    }

    /// A capsule about an axis through the origin: everything within the radius of a segment of that length.
    ///
    /// >>> arm = Shape.capsule(radius=0.1, length=1.0, axis="x")
    /// >>> arm.aabb()
    /// array([[-0.6, -0.1, -0.1],
    ///        [ 0.6,  0.1,  0.1]])
    #[staticmethod]
    #[pyo3(signature = (*, radius, length = None, half_length = None, axis = "z"))]
    fn capsule(radius: Real, length: Option<Real>, half_length: Option<Real>, axis: &str) -> PyResult<Self> {
        let (axis, half, _) = upright(axis, length, half_length)?;
        let shape = clearance::Shape::capsule(axis, Radius(radius.0), HalfHeight(half)).map_err(refused)?;
        let end = (axis.direction() * half).to_array();
        Ok(Self::new(shape, Recipe::Capsule { ends: [end.map(|x| -x), end], radius: radius.0 }))
    }

    /// A capsule between two points.
    ///
    /// >>> Shape.capsule_between([0, 0, 0], [3, 4, 0], radius=0.5).kind
    /// 'capsule'
    #[staticmethod]
    fn capsule_between(a: Vector, b: Vector, radius: Real) -> PyResult<Self> {
        let shape = clearance::Shape::capsule_between(a, b, Radius(radius.0)).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Capsule { ends: [a.0, b.0], radius: radius.0 }))
    }

    /// A cylinder about an axis through the origin.
    ///
    /// >>> Shape.cylinder(radius=0.5, length=2.0).aabb()
    /// array([[-0.5, -0.5, -1. ],
    ///        [ 0.5,  0.5,  1. ]])
    #[staticmethod]
    #[pyo3(signature = (*, radius, length = None, half_length = None, axis = "z"))]
    fn cylinder(radius: Real, length: Option<Real>, half_length: Option<Real>, axis: &str) -> PyResult<Self> {
        let (along, half_length, axis) = upright(axis, length, half_length)?;
        let shape = clearance::Shape::cylinder(along, Radius(radius.0), HalfHeight(half_length)).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Cylinder { axis, radius: radius.0, half_length }))
    }

    /// A cone about an axis through the origin, which is half way up: the apex is in the direction of the axis.
    ///
    /// >>> Shape.cone(radius=0.5, length=2.0, axis="y").aabb()[1]
    /// array([0.5, 1. , 0.5])
    #[staticmethod]
    #[pyo3(signature = (*, radius, length = None, half_length = None, axis = "z"))]
    fn cone(radius: Real, length: Option<Real>, half_length: Option<Real>, axis: &str) -> PyResult<Self> {
        let (along, half_length, axis) = upright(axis, length, half_length)?;
        let shape = clearance::Shape::cone(along, Radius(radius.0), HalfHeight(half_length)).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Cone { axis, radius: radius.0, half_length }))
    }

    /// An ellipsoid about the origin.
    ///
    /// >>> Shape.ellipsoid(radii=[1.0, 2.0, 3.0]).kind
    /// 'ellipsoid'
    #[staticmethod]
    fn ellipsoid(radii: Vector) -> PyResult<Self> {
        let shape = clearance::Shape::ellipsoid(radii).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Ellipsoid { radii: radii.0 }))
    }

    /// The segment between two points.
    ///
    /// >>> Shape.segment([0, 0, 0], [1, 0, 0]).kind
    /// 'segment'
    #[staticmethod]
    fn segment(a: Vector, b: Vector) -> PyResult<Self> {
        let shape = clearance::Shape::segment(a, b).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Segment { ends: [a.0, b.0] }))
    }

    /// The triangle of three points.
    ///
    /// >>> Shape.triangle([0, 0, 0], [1, 0, 0], [0, 1, 0]).kind
    /// 'triangle'
    #[staticmethod]
    fn triangle(a: Vector, b: Vector, c: Vector) -> PyResult<Self> {
        let shape = clearance::Shape::triangle(a, b, c).map_err(refused)?;
        Ok(Self::new(shape, Recipe::Triangle { corners: [a.0, b.0, c.0] }))
    }

    /// The solid of all points x with `normal` . x <= `offset`; the normal may have any positive length.
    ///
    /// >>> floor = Shape.half_space(normal=[0.0, 0.0, 1.0], offset=0.0)
    /// >>> floor.kind
    /// 'half_space'
    #[staticmethod]
    #[pyo3(signature = (normal, offset = Real(0.0)), text_signature = "(normal, offset=0.0)")]
    fn half_space(normal: Vector, offset: Real) -> PyResult<Self> {
        let shape = clearance::Shape::half_space(normal, offset.0).map_err(refused)?;
        Ok(Self::new(shape, Recipe::HalfSpace { normal: normal.0, offset: offset.0 }))
    }

    /// The convex hull of points, an array of the shape (N, 3).
    ///
    /// >>> hull = Shape.hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
    /// >>> len(hull.vertices)
    /// 4
    #[staticmethod]
    fn hull(py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let points = input::points(points, "points")?;
        let shape =
            threads::answer(py, Weight::of(points.len()), || clearance::Shape::hull(&points))?.map_err(refused)?;
        Ok(Self::new(shape, Recipe::Hull { points }))
    }

    /// A triangle mesh: vertices of the shape (N, 3), and faces of the shape (M, 3), each three numbers of vertices, counter-clockwise seen from
    /// outside.
    ///
    /// If its surface is closed and consistently oriented it is a solid; any other mesh is a shell, its surface and nothing else.
    ///
    /// >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    /// >>> Shape.mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).is_solid
    /// True
    /// >>> Shape.mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3]]).is_solid
    /// False
    #[staticmethod]
    fn mesh(py: Python<'_>, vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let vertices = input::points(vertices, "vertices")?;
        let faces = input::integers(faces, "faces")?;
        let triangles = match faces.shape() {
            [_, 3] | [0] => faces.numbers().as_chunks::<3>().0,
            shape => return Err(PyValueError::new_err(format!("faces has the shape {shape:?}, but must have (M, 3)"))),
        };
        let mut numbers = Vec::with_capacity(triangles.len());
        for (i, triangle) in triangles.iter().enumerate() {
            for (j, &corner) in triangle.iter().enumerate() {
                if usize::try_from(corner).is_err() || corner >= i64::from(u32::MAX) {
                    let count = vertices.len();
                    let sentence =
                        format!("faces[{i}][{j}] is {corner}, but there are {count} vertices, counted from 0");
                    return Err(PyValueError::new_err(sentence));
                }
            }
            numbers.push(triangle.map(|corner| corner as u32));
        }
        let make = || clearance::Shape::mesh(&vertices, &numbers);
        let shape = threads::answer(py, Weight::of(numbers.len()), make)?
            .map_err(|error| PyValueError::new_err(error.to_string().replace("triangles", "faces")))?;
        Ok(Self::new(shape, Recipe::Mesh))
    }

    /// The shape of a mesh of the package trimesh, or of anything else with `vertices` and `faces`.
    ///
    /// >>> from types import SimpleNamespace
    /// >>> sheet = SimpleNamespace(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces=[[0, 1, 2]])
    /// >>> Shape.from_trimesh(sheet).kind
    /// 'mesh'
    #[staticmethod]
    fn from_trimesh(py: Python<'_>, mesh: &Bound<'_, PyAny>) -> PyResult<Self> {
        let field = |name: &str| {
            mesh.getattr(name).map_err(|_| {
                let kind = input::kind_of(mesh);
                PyTypeError::new_err(format!("a mesh has vertices and faces, but a {kind} has no {name}"))
            })
        };
        Self::mesh(py, &field("vertices")?, &field("faces")?)
    }

    /// The shape in a file: OBJ, STL, PLY, OFF, glTF, GLB, 3MF, COLLADA or VRML, by its ending.
    ///
    /// Several bodies become a compound. Lengths are multiplied by `scale`; `hull` makes the convex hull of everything.
    ///
    /// >>> import pathlib, tempfile
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = pathlib.Path(folder, "part.obj")
    /// ...     _ = path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    /// ...     part = Shape.load(path, scale=0.001)
    /// >>> part.vertices[1]
    /// array([0.001, 0.   , 0.   ])
    #[staticmethod]
    #[pyo3(signature = (path, *, hull = false, scale = Real(1.0)), text_signature = "(path, *, hull=False, scale=1.0)")]
    fn load(py: Python<'_>, path: PathBuf, hull: bool, scale: Real) -> PyResult<Self> {
        let factor = checked("scale", scale)?;
        let pool = threads::pool(None)?;
        let made: Result<Self, String> = py.detach(|| {
            pool.install(|| {
                if hull {
                    let (points, _) = read_points(&path).map_err(|error| error.to_string())?;
                    let points: Vec<[f64; 3]> = points.iter().map(|&point| (point * factor).to_array()).collect();
                    let shape = clearance::Shape::hull(&points).map_err(|error| error.to_string())?;
                    return Ok(Self::new(shape, Recipe::Hull { points }));
                }
                let file = read_mesh(&path).map_err(|error| error.to_string())?;
                let of_file = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
                let file = if factor == 1.0 { file } else { file.scaled(factor).map_err(|error| of_file(&error))? };
                // Instances of one part share their triangles.
                let mut made: Vec<(*const clearance_io::Surface, Self)> = Vec::new();
                let mut parts = Vec::new();
                for body in &file.bodies {
                    let key = Arc::as_ptr(&body.surface);
                    let known = made.iter().find(|(other, _)| *other == key).map(|(_, shape)| shape.clone());
                    let shape = match known {
                        Some(shape) => shape,
                        None => recipe::built(body.written()).map_err(|error| of_file(&error))?,
                    };
                    made.push((key, shape.clone()));
                    parts.push((shape, body.pose));
                }
                match &parts[..] {
                    [(shape, pose)] if *pose == clearance::Pose::IDENTITY => Ok(shape.clone()),
                    _ => Self::union(parts).map_err(|error| of_file(&error)),
                }
            })
        });
        made.map_err(PyValueError::new_err)
    }

    /// A union of shapes, each with its pose in the frame of the compound: pairs of a shape and a pose, or shapes alone.
    ///
    /// >>> from clearance import Pose
    /// >>> bar = Shape.box(size=[1.0, 0.1, 0.1])
    /// >>> Shape.compound([bar, (bar, Pose(translation=[0.0, 1.0, 0.0]))]).aabb()
    /// array([[-0.5 , -0.05, -0.05],
    ///        [ 0.5 ,  1.05,  0.05]])
    #[staticmethod]
    fn compound(py: Python<'_>, parts: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let part = |(number, part): (usize, &Bound<'_, PyAny>)| {
            if let Ok(shape) = part.cast::<Self>() {
                return Ok((shape.get().clone(), clearance::Pose::IDENTITY));
            }
            let pair = part.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
            let pair = pair.ok().and_then(|(shape, pose)| Some((shape.cast::<Self>().ok()?.get().clone(), pose)));
            let Some((shape, pose)) = pair else {
                return Err(PyTypeError::new_err(format!(
                    "parts[{number}] is neither a Shape nor a Shape with a pose"
                )));
            };
            Ok((shape, input::pose(Some(&pose), &format!("parts[{number}].pose"))?))
        };
        let parts: Vec<_> = parts.iter().enumerate().map(part).collect::<PyResult<_>>()?;
        let size = parts.iter().map(|(part, _)| part.size).fold(0, usize::saturating_add);
        threads::answer(py, Weight::of(size), || Self::union(parts))?.map_err(refused)
    }

    /// Everything within a radius of points, an array of the shape (N, 3): a compound of balls, with the tree of the library. For the clouds of depth cameras.
    ///
    /// >>> from clearance import Pose, distance
    /// >>> cloud = Shape.point_cloud([[0, 0, 0], [0, 0, 1]], radius=0.25)
    /// >>> distance(cloud, Shape.point(), Pose(translation=[1.0, 0.0, 1.0])).distance
    /// 0.75
    #[staticmethod]
    #[pyo3(signature = (points, *, radius))]
    fn point_cloud(py: Python<'_>, points: &Bound<'_, PyAny>, radius: Real) -> PyResult<Self> {
        let points = input::points(points, "points")?;
        threads::answer(py, Weight::of(points.len()), || obstacles::point_cloud(&points, radius.0))?.map_err(refused)
    }

    /// The voxels of a grid that are set, an array of three axes of bool: a compound of as few boxes as runs allow. `size` is that of a voxel, a number or one for each
    /// axis; `origin` is the corner of the first voxel.
    ///
    /// >>> import numpy as np
    /// >>> wall = Shape.voxels(np.ones((2, 30, 20), dtype=bool), size=0.1, origin=[1.0, 0.0, 0.0])
    /// >>> wall.aabb().round(9) + 0.0
    /// array([[1. , 0. , 0. ],
    ///        [1.2, 3. , 2. ]])
    #[staticmethod]
    #[pyo3(signature = (filled, *, size, origin = None))]
    fn voxels(filled: &Bound<'_, PyAny>, size: &Bound<'_, PyAny>, origin: Option<Vector>) -> PyResult<Self> {
        obstacles::voxels(filled, size, origin)
    }

    /// This shape under a linear map, a 3 x 3 matrix: scaled, sheared or mirrored.
    ///
    /// >>> import numpy as np
    /// >>> Shape.sphere(radius=1.0).transformed(np.diag([1.0, 2.0, 3.0])).aabb()[1]
    /// array([1., 2., 3.])
    fn transformed(&self, py: Python<'_>, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numbers = input::floats(matrix, "matrix")?;
        let ([3, 3], [a, b, c]) = (numbers.shape(), numbers.numbers().as_chunks::<3>().0) else {
            let shape = numbers.shape();
            return Err(PyValueError::new_err(format!("matrix has the shape {shape:?}, but must have [3, 3]")));
        };
        let rows = [*a, *b, *c];
        threads::answer(py, Weight::of(self.size), || self.mapped(rows))?.map_err(refused)
    }

    /// This shape with all lengths multiplied by a factor.
    ///
    /// >>> Shape.box(size=[1.0, 1.0, 1.0]).scaled(0.001).aabb()[1]
    /// array([0.0005, 0.0005, 0.0005])
    fn scaled(&self, py: Python<'_>, factor: Real) -> PyResult<Self> {
        let f = checked("factor", factor)?;
        let rows = [[f, 0.0, 0.0], [0.0, f, 0.0], [0.0, 0.0, f]];
        threads::answer(py, Weight::of(self.size), || self.mapped(rows))?.map_err(refused)
    }

    /// Everything within `radius` of this shape, which is convex or a half-space.
    ///
    /// >>> Shape.box(size=[1.0, 1.0, 1.0]).rounded(0.1).kind
    /// 'rounded'
    fn rounded(&self, radius: Real) -> PyResult<Self> {
        self.rounded_by(radius.0).map_err(refused)
    }

    /// Everything within `margin` of this shape, of any kind. A mesh becomes a compound of itself and its rounded triangles.
    ///
    /// >>> from clearance import Pose, distance
    /// >>> sheet = Shape.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> round(distance(sheet.grown(0.25), Shape.point(), Pose([0.2, 0.2, 1.0])).distance, 12)
    /// 0.75
    fn grown(&self, py: Python<'_>, margin: Real) -> PyResult<Self> {
        let shape = threads::answer(py, Weight::of(self.size), || self.shape.grown(margin.0))?.map_err(refused)?;
        self.around(shape, Recipe::Grown { shape: self.clone(), margin: margin.0 }).map_err(refused)
    }

    /// The word for this kind of shape, as the file formats spell it.
    ///
    /// >>> Shape.box(size=[1.0, 1.0, 1.0]).kind
    /// 'cuboid'
    #[getter]
    fn kind(&self) -> &'static str {
        self.shape.kind()
    }

    /// Is it a solid? Only meshes that are not closed, and shapes without a volume by nature, are not.
    #[getter]
    fn is_solid(&self) -> bool {
        match &self.shape {
            clearance::Shape::Mesh(mesh) => mesh.is_solid(),
            clearance::Shape::Segment(_) | clearance::Shape::Triangle(_) => {
                self.shape.volume().is_some_and(|v| v > 0.0)
            }
            _ => true,
        }
    }

    /// The volume; None if it is not known, as for half-spaces and shells.
    #[getter]
    fn volume(&self) -> Option<f64> {
        self.shape.volume()
    }

    /// The center of mass of a body of constant density; None if the volume is not known.
    #[getter]
    fn centroid(&self) -> Option<Vector> {
        self.shape.centroid().map(Vector::from)
    }

    /// The vertices of a hull or a mesh as an array; None for other shapes.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let points: Vec<Vec<f64>> = match &self.shape {
            clearance::Shape::Mesh(mesh) => mesh.vertices().iter().map(|&v| v.to_array().to_vec()).collect(),
            clearance::Shape::Polytope(hull) => hull.vertices().iter().map(|&v| v.to_array().to_vec()).collect(),
            _ => return Ok(None),
        };
        PyArray2::from_vec2(py, &points).map(Some).map_err(refused)
    }

    /// The faces of a mesh as an array of three numbers each; None for other shapes.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i64>>>> {
        let Some(mesh) = self.shape.as_mesh() else { return Ok(None) };
        let faces: Vec<Vec<i64>> = mesh.triangles().iter().map(|t| t.map(i64::from).to_vec()).collect();
        PyArray2::from_vec2(py, &faces).map(Some).map_err(refused)
    }

    /// The axis-aligned bounding box at a pose: an array of the least and the largest corner.
    ///
    /// >>> from clearance import Pose
    /// >>> Shape.sphere(radius=1.0).aabb(Pose(translation=[5.0, 0.0, 0.0]))
    /// array([[ 4., -1., -1.],
    ///        [ 6.,  1.,  1.]])
    #[pyo3(signature = (pose = None))]
    fn aabb<'py>(&self, py: Python<'py>, pose: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let bounds = self.shape.aabb(&input::pose(pose, "pose")?);
        PyArray2::from_vec2(py, &[bounds.min.to_array().to_vec(), bounds.max.to_array().to_vec()]).map_err(refused)
    }

    /// The faults of a mesh: how many edges and triangles have each kind; None for other shapes.
    ///
    /// >>> sheet = Shape.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> sheet.mesh_report()["open_edges"]
    /// 3
    fn mesh_report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(mesh) = self.shape.as_mesh() else { return Ok(None) };
        let report = threads::answer(py, Weight::of(self.size), || mesh.report())?;
        let counts = [
            ("open_edges", report.open_edges.count),
            ("non_manifold_edges", report.non_manifold_edges.count),
            ("flipped_edges", report.flipped_edges.count),
            ("degenerate_triangles", report.degenerate_triangles.count),
            ("duplicate_triangles", report.duplicate_triangles.count),
            ("crossing_triangles", report.crossing_triangles.count),
            ("unused_vertices", report.unused_vertices.count),
        ];
        let found = PyDict::new(py);
        found.set_item("is_closed", report.is_closed())?;
        found.set_item("is_inside_out", report.is_inside_out)?;
        for (name, count) in counts {
            found.set_item(name, count)?;
        }
        Ok(Some(found))
    }

    fn __repr__(&self) -> String {
        let list =
            |numbers: &[f64]| format!("[{}]", numbers.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", "));
        match &*self.recipe {
            Recipe::Point => "Shape.point()".into(),
            Recipe::Sphere { radius } => format!("Shape.sphere(radius={radius:?})"),
            Recipe::Box { half_extents } => format!("Shape.box(half_extents={})", list(half_extents)),
            Recipe::Capsule { ends: [a, b], radius } => {
                format!("Shape.capsule_between({}, {}, radius={radius:?})", list(a), list(b))
            }
            Recipe::Cylinder { axis, radius, half_length } => {
                format!("Shape.cylinder(radius={radius:?}, half_length={half_length:?}, axis='{axis}')")
            }
            Recipe::Cone { axis, radius, half_length } => {
                format!("Shape.cone(radius={radius:?}, half_length={half_length:?}, axis='{axis}')")
            }
            Recipe::Ellipsoid { radii } => format!("Shape.ellipsoid(radii={})", list(radii)),
            Recipe::Segment { ends: [a, b] } => format!("Shape.segment({}, {})", list(a), list(b)),
            Recipe::Triangle { corners: [a, b, c] } => format!("Shape.triangle({}, {}, {})", list(a), list(b), list(c)),
            Recipe::HalfSpace { normal, offset } => {
                format!("Shape.half_space(normal={}, offset={offset:?})", list(normal))
            }
            Recipe::Hull { points } => format!("<Shape: hull of {} points>", points.len()),
            Recipe::Mesh => format!("<Shape: mesh of {} triangles>", self.size),
            Recipe::Transformed { .. } => format!("<Shape: transformed {}>", self.kind()),
            Recipe::Rounded { radius, .. } => format!("<Shape: rounded by {radius:?}>"),
            Recipe::Grown { margin, .. } => format!("<Shape: grown by {margin:?}>"),
            Recipe::Compound { parts } => format!("<Shape: compound of {} parts>", parts.len()),
        }
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, shape) = (this.py(), this.get());
        let arguments = shape.arguments(py)?;
        let rebuild = py.import("clearance._native")?.getattr("rebuild_shape")?;
        Ok((rebuild, arguments))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        this
    }
}

impl Shape {
    /// The arguments of [`rebuild_shape`].
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let of = |kind: &str, arguments: &[Bound<'py, PyAny>]| {
            PyTuple::new(py, [&[kind.into_bound_py_any(py)?], arguments].concat())
        };
        let any = |shape: &Self| shape.clone().into_bound_py_any(py);
        let flat = |numbers: &[f64]| numbers.to_vec().into_bound_py_any(py);
        match &*self.recipe {
            Recipe::Point => of("point", &[]),
            Recipe::Sphere { radius } => of("sphere", &[flat(&[*radius])?]),
            Recipe::Box { half_extents } => of("box", &[flat(half_extents)?]),
            Recipe::Capsule { ends: [a, b], radius } => of("capsule", &[flat(&[&a[..], b, &[*radius]].concat())?]),
            Recipe::Cylinder { axis, radius, half_length } => {
                of("cylinder", &[flat(&[*radius, *half_length])?, axis.into_bound_py_any(py)?])
            }
            Recipe::Cone { axis, radius, half_length } => {
                of("cone", &[flat(&[*radius, *half_length])?, axis.into_bound_py_any(py)?])
            }
            Recipe::Ellipsoid { radii } => of("ellipsoid", &[flat(radii)?]),
            Recipe::Segment { ends } => of("segment", &[flat(&ends.concat())?]),
            Recipe::Triangle { corners } => of("triangle", &[flat(&corners.concat())?]),
            Recipe::HalfSpace { normal, offset } => of("half_space", &[flat(&[&normal[..], &[*offset]].concat())?]),
            Recipe::Hull { points } => {
                let rows: Vec<Vec<f64>> = points.iter().map(|point| point.to_vec()).collect();
                of("hull", &[PyArray2::from_vec2(py, &rows).map_err(refused)?.into_any()])
            }
            Recipe::Mesh => {
                let (vertices, faces) = (self.vertices(py)?, self.faces(py)?);
                of("mesh", &[vertices.into_bound_py_any(py)?, faces.into_bound_py_any(py)?])
            }
            Recipe::Transformed { shape, matrix } => of("transformed", &[flat(&matrix.concat())?, any(shape)?]),
            Recipe::Rounded { shape, radius } => of("rounded", &[flat(&[*radius])?, any(shape)?]),
            Recipe::Grown { shape, margin } => of("grown", &[flat(&[*margin])?, any(shape)?]),
            Recipe::Compound { parts } => {
                let part = |(shape, pose): &(Self, clearance::Pose)| (shape.clone(), Pose::from(*pose));
                let parts: Vec<(Self, Pose)> = parts.iter().map(part).collect();
                of("compound", &[parts.into_bound_py_any(py)?])
            }
        }
    }
}

/// A shape from its pickle.
#[pyfunction]
#[pyo3(signature = (kind, *arguments))]
pub fn rebuild_shape(py: Python<'_>, kind: &str, arguments: &Bound<'_, PyTuple>) -> PyResult<Shape> {
    let broken = || PyValueError::new_err(format!("the pickle of a {kind} is broken"));
    let numbers = || -> PyResult<Vec<f64>> { arguments.get_item(0)?.extract() };
    let inner = || -> PyResult<Shape> {
        let shape = arguments.get_item(1)?;
        Ok(shape.cast::<Shape>().map_err(|_| broken())?.get().clone())
    };
    let axis = || -> PyResult<String> { arguments.get_item(1)?.extract() };
    match kind {
        "point" => return Ok(Shape::point()),
        "hull" => return Shape::hull(py, &arguments.get_item(0)?),
        "mesh" => return Shape::mesh(py, &arguments.get_item(0)?, &arguments.get_item(1)?),
        "compound" => return Shape::compound(py, arguments.get_item(0)?.extract()?),
        _ => {}
    }
    let numbers = numbers()?;
    let half = |half: f64| Some(Real(half));
    match (kind, &numbers[..]) {
        ("sphere", &[radius]) => Shape::sphere(Real(radius)),
        ("box", &[x, y, z]) => Shape::cuboid(None, Some(Vector([x, y, z]))),
        ("capsule", &[a, b, c, d, e, f, radius]) => {
            Shape::capsule_between(Vector([a, b, c]), Vector([d, e, f]), Real(radius))
        }
        ("cylinder", &[radius, length]) => Shape::cylinder(Real(radius), None, half(length), &axis()?),
        ("cone", &[radius, length]) => Shape::cone(Real(radius), None, half(length), &axis()?),
        ("ellipsoid", &[x, y, z]) => Shape::ellipsoid(Vector([x, y, z])),
        ("segment", &[a, b, c, d, e, f]) => Shape::segment(Vector([a, b, c]), Vector([d, e, f])),
        ("triangle", &[a, b, c, d, e, f, g, h, i]) => {
            Shape::triangle(Vector([a, b, c]), Vector([d, e, f]), Vector([g, h, i]))
        }
        ("half_space", &[x, y, z, offset]) => Shape::half_space(Vector([x, y, z]), Real(offset)),
        ("transformed", &[a, b, c, d, e, f, g, h, i]) => {
            inner()?.mapped([[a, b, c], [d, e, f], [g, h, i]]).map_err(refused)
        }
        ("rounded", &[radius]) => inner()?.rounded(Real(radius)),
        ("grown", &[margin]) => inner()?.grown(py, Real(margin)),
        _ => Err(broken()),
    }
}

/// Shapes of an argument: one for all queries, or one for each.
pub fn shapes(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Shape>> {
    if let Ok(shape) = value.cast::<Shape>() {
        return Ok(vec![shape.get().clone()]);
    }
    let wrong = |item: &Bound<'_, PyAny>, place: &str| {
        PyTypeError::new_err(format!("{name}{place} is a {}, but must be a Shape", input::kind_of(item)))
    };
    let items = value.try_iter().map_err(|_| wrong(value, ""))?;
    items
        .enumerate()
        .map(|(number, item)| {
            let item = item?;
            match item.cast::<Shape>() {
                Ok(shape) => Ok(shape.get().clone()),
                Err(_) => Err(wrong(&item, &format!("[{number}]"))),
            }
        })
        .collect()
}

/// The count of an optional argument.
pub fn count(value: Option<Count>) -> Option<u64> {
    value.map(|count| count.0)
}
