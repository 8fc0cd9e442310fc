//! Answers as Python objects: immutable, comparable, with a readable `repr`, and made again by `pickle` from their fields.

use crate::input::{Real, Vector};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::borrow::Cow;

/// A field as `repr` shows it.
pub(crate) trait Show {
    fn show(&self) -> String;
}

impl Show for f64 {
    fn show(&self) -> String {
        match self {
            x if x.is_infinite() => if *x > 0.0 { "inf" } else { "-inf" }.into(),
            x => format!("{x:?}"),
        }
    }
}

impl Show for bool {
    fn show(&self) -> String {
        if *self { "True" } else { "False" }.into()
    }
}

impl Show for u32 {
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Show for u64 {
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Show for (u32, u32) {
    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl Show for (f64, f64) {
    fn show(&self) -> String {
        format!("({}, {})", self.0.show(), self.1.show())
    }
}

impl Show for (String, String) {
    fn show(&self) -> String {
        format!("('{}', '{}')", self.0.escape_default(), self.1.escape_default())
    }
}

impl Show for Vector {
    fn show(&self) -> String {
        let [x, y, z] = self.0.map(|x| x.show());
        format!("[{x}, {y}, {z}]")
    }
}

impl Show for Word {
    fn show(&self) -> String {
        format!("'{}'", self.0)
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "None".into(), Show::show)
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self) -> String {
        let items: Vec<String> = self.iter().map(Show::show).collect();
        format!("[{}]", items.join(", "))
    }
}

/// A word of the library, such as a status; only pickles have words of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Word(Cow<'static, str>);

impl From<&'static str> for Word {
    fn from(word: &'static str) -> Self {
        Self(Cow::Borrowed(word))
    }
}

impl<'py> FromPyObject<'_, 'py> for Word {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<String>().map(|word| Self(Cow::Owned(word)))
    }
}

impl<'py> IntoPyObject<'py> for Word {
    type Target = pyo3::types::PyString;
    type Output = Bound<'py, Self::Target>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        (&*self.0).into_pyobject(py)
    }
}

/// A class of immutable fields.
macro_rules! answer {
    ($(#[$meta:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $type:ty as $given:ty,)* } $($method:tt)*) => {
        $(#[$meta])*
        #[pyclass(frozen, eq, module = "clearance._native")]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$about])* #[pyo3(get)] pub $field: $type,)*
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*, $($field),*))]
            // As many arguments as there are fields.
            #[allow(clippy::too_many_arguments)]
            fn new($($field: $given),*) -> Self {
                Self { $($field: Give::give($field)),* }
            }

            #[classmethod]
            fn _restore(_class: &Bound<'_, PyType>, fields: ($($given,)*)) -> Self {
                let ($($field,)*) = fields;
                Self { $($field: Give::give($field)),* }
            }

            fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyTuple>,))> {
                let (py, fields) = (this.py(), this.get());
                let fields = [$(fields.$field.clone().into_bound_py_any(py)?),*];
                Ok((this.get_type().getattr("_restore")?, (PyTuple::new(py, fields)?,)))
            }

            fn __repr__(&self) -> String {
                self.show()
            }

            $($method)*
        }

        impl Show for $name {
            fn show(&self) -> String {
                let fields = [$(format!("{}={}", stringify!($field), self.$field.show())),*];
                format!("{}({})", stringify!($name), fields.join(", "))
            }
        }
    };
}

pub(crate) use answer;

/// An argument that becomes a field.
pub(crate) trait Give<T> {
    fn give(self) -> T;
}

impl<T> Give<T> for T {
    fn give(self) -> T {
        self
    }
}

impl Give<f64> for Real {
    fn give(self) -> f64 {
        self.0
    }
}

impl<T> Give<Option<T>> for Option<Restored<T>> {
    fn give(self) -> Option<T> {
        self.map(|answer| answer.0)
    }
}

impl<T> Give<Vec<T>> for Vec<Restored<T>> {
    fn give(self) -> Vec<T> {
        self.into_iter().map(|answer| answer.0).collect()
    }
}

answer! {
    /// The signed distance of two shapes, with the points that are nearest and the interval that is proved to hold it.
    ///
    /// A negative distance is minus the depth: the length of the shortest translation that separates the two. Points and the normal are in
    /// world coordinates, and `point_b = point_a + distance * normal` to rounding.
    ///
    /// >>> from clearance import Shape, Pose, distance
    /// >>> ball = Shape.sphere(radius=1.0)
    /// >>> c = distance(ball, ball, Pose(translation=[3.0, 0.0, 0.0]))
    /// >>> c.distance, c.normal, c.is_apart
    /// (1.0, array([1., 0., 0.]), True)
    /// >>> c.lower <= 1.0 <= c.upper
    /// True
    Clearance {
        /// The gap, or minus the depth: always within `lower` and `upper`.
        distance: f64 as Real,
        /// The true signed distance is at least this.
        lower: f64 as Real,
        /// The true signed distance is at most this.
        upper: f64 as Real,
        /// The point of A nearest to B, or deepest in it.
        point_a: Vector as Vector,
        /// The point of B nearest to A, or deepest in it.
        point_b: Vector as Vector,
        /// Unit vector from A to B.
        normal: Vector as Vector,
        /// Which parts of two compounds the answer is about; zero for other shapes.
        parts: (u32, u32) as (u32, u32),
        /// How tight the bracket is: converged, open, stalled or bad_support.
        status: Word as Word,
    }
    /// Are the shapes proved to be apart? Touching is not.
    #[getter]
    fn is_apart(&self) -> bool {
        self.lower > 0.0
    }

    /// Do the shapes overlap or touch, or come so close that no gap can be proved?
    #[getter]
    fn is_overlapping(&self) -> bool {
        !self.is_apart()
    }

    /// How far apart the shapes are; zero when they overlap.
    #[getter]
    fn gap(&self) -> f64 {
        self.distance.max(0.0)
    }

    /// Proven bounds of the penetration depth, at least and at most; both are zero when the shapes are apart.
    #[getter]
    fn depth_bounds(&self) -> (f64, f64) {
        ((-self.upper).max(0.0), (-self.lower).max(0.0))
    }

    /// This answer with the roles of A and B exchanged.
    ///
    /// >>> from clearance import Shape, Pose, distance
    /// >>> ball = Shape.sphere(radius=1.0)
    /// >>> distance(ball, ball, Pose(translation=[3.0, 0.0, 0.0])).swapped().normal
    /// array([-1., -0., -0.])
    fn swapped(&self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: Vector(self.normal.0.map(|x| -x)),
            parts: (self.parts.1, self.parts.0),
            ..self.clone()
        }
    }
}

impl From<&clearance::Clearance> for Clearance {
    fn from(c: &clearance::Clearance) -> Self {
        Self {
            distance: c.distance,
            lower: c.lower,
            upper: c.upper,
            point_a: c.point_a.into(),
            point_b: c.point_b.into(),
            normal: c.normal.into(),
            parts: c.parts.into(),
            status: c.status.name().into(),
        }
    }
}

answer! {
    /// How far A has to move to come free of B, between proven bounds.
    ///
    /// >>> from clearance import Shape, Pose, depth
    /// >>> cube = Shape.box(size=[2.0, 2.0, 2.0])
    /// >>> d = depth(cube, cube, Pose(translation=[1.5, 0.0, 0.0]))
    /// >>> d.lower <= 0.5 <= d.upper, d.translation.round(9)
    /// (True, array([-0.5,  0. ,  0. ]))
    Depth {
        /// No shorter translation frees A.
        lower: f64 as Real,
        /// The length of `translation`, rounded up; infinite if none is known to free A.
        upper: f64 as Real,
        /// A translation of A, in world axes, that is proved to free it.
        translation: Vector as Vector,
        /// Which parts of compounds it is about.
        parts: (u32, u32) as (u32, u32),
        /// Why the search stopped: width, nodes, seconds, stuck, no_interior or crosses_itself.
        end: Word as Word,
    }
}

impl From<&clearance::Depth> for Depth {
    fn from(depth: &clearance::Depth) -> Self {
        Self {
            lower: depth.lower,
            upper: depth.upper,
            translation: depth.translation.into(),
            parts: depth.parts.into(),
            end: depth.end.name().into(),
        }
    }
}

answer! {
    /// Where a ray meets a shape.
    ///
    /// >>> from clearance import Shape, cast_ray
    /// >>> hit = cast_ray(Shape.sphere(radius=1.0), [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    /// >>> hit.distance, hit.point, hit.normal, hit.is_proved
    /// (4.0, array([-1.,  0.,  0.]), array([-1.,  0.,  0.]), True)
    RayHit {
        /// The distance along the ray.
        distance: f64 as Real,
        /// The ray has no point of the shape before this.
        lower: f64 as Real,
        /// It has one up to this; infinite if rounding cannot tell a graze from a miss.
        upper: f64 as Real,
        /// The point.
        point: Vector as Vector,
        /// Unit vector away from the shape there.
        normal: Vector as Vector,
        /// The part of a compound that is hit; zero for other shapes.
        part: u32 as u32,
        /// Does the ray begin inside?
        is_inside: bool as bool,
    }
    /// Is it proved that the ray meets the shape? Else rounding cannot tell a graze from a miss.
    #[getter]
    fn is_proved(&self) -> bool {
        self.upper < f64::INFINITY
    }
}

impl From<&clearance::RayHit> for RayHit {
    fn from(hit: &clearance::RayHit) -> Self {
        Self {
            distance: hit.distance,
            lower: hit.lower,
            upper: hit.upper,
            point: hit.point.into(),
            normal: hit.normal.into(),
            part: hit.part,
            is_inside: hit.is_inside,
        }
    }
}

answer! {
    /// Where a shape that moves straight first meets another.
    ///
    /// >>> from clearance import Shape, Pose, cast_shape
    /// >>> ball = Shape.sphere(radius=1.0)
    /// >>> hit = cast_shape(ball, ball, Pose(translation=[-9.0, 0.0, 0.0]), direction=[1.0, 0.0, 0.0], max_distance=100.0)
    /// >>> hit.lower <= 7.0 <= hit.upper
    /// True
    ShapeHit {
        /// How far B gets: `lower`, where nothing overlaps yet.
        distance: f64 as Real,
        /// The shapes are apart before.
        lower: f64 as Real,
        /// They are proved to overlap there; infinite for a graze.
        upper: f64 as Real,
        /// The point of A that is met.
        point_a: Vector as Vector,
        /// The point of B that meets it, once B has moved.
        point_b: Vector as Vector,
        /// Unit vector from A to B there.
        normal: Vector as Vector,
        /// Which parts of compounds meet.
        parts: (u32, u32) as (u32, u32),
        /// Do they touch or overlap before anything has moved?
        is_touching: bool as bool,
        /// Did the search use up its steps? The way is free up to `distance`, and nothing is known beyond.
        is_undecided: bool as bool,
    }
    /// Is it proved that the shapes meet?
    #[getter]
    fn is_proved(&self) -> bool {
        self.upper < f64::INFINITY
    }
}

impl From<&clearance::ShapeHit> for ShapeHit {
    fn from(hit: &clearance::ShapeHit) -> Self {
        Self {
            distance: hit.distance,
            lower: hit.lower,
            upper: hit.upper,
            point_a: hit.point_a.into(),
            point_b: hit.point_b.into(),
            normal: hit.normal.into(),
            parts: hit.parts.into(),
            is_touching: hit.is_touching(),
            is_undecided: hit.is_undecided,
        }
    }
}

answer! {
    /// The nearest point of the surface of a shape.
    ///
    /// >>> from clearance import Shape, project_point
    /// >>> found = project_point(Shape.sphere(radius=1.0), [3.0, 0.0, 0.0])
    /// >>> found.point, found.distance, found.is_inside
    /// (array([1., 0., 0.]), 2.0, False)
    PointProjection {
        /// The point of the surface that is nearest.
        point: Vector as Vector,
        /// The signed distance to it: negative inside.
        distance: f64 as Real,
        /// The true signed distance is at least this.
        lower: f64 as Real,
        /// The true signed distance is at most this.
        upper: f64 as Real,
        /// Unit vector away from the shape there.
        normal: Vector as Vector,
        /// The part of a compound that has the point.
        part: u32 as u32,
    }
    /// Is the point in the shape or on it, or so close that no gap can be proved?
    #[getter]
    fn is_inside(&self) -> bool {
        !(self.lower > 0.0)
    }
}

impl From<&clearance::PointProjection> for PointProjection {
    fn from(found: &clearance::PointProjection) -> Self {
        Self {
            point: found.point.into(),
            distance: found.distance,
            lower: found.lower,
            upper: found.upper,
            normal: found.normal.into(),
            part: found.part,
        }
    }
}

answer! {
    /// How close two moving shapes come: the least distance lies between two bounds.
    Approach {
        /// They are never closer.
        lower: f64 as Real,
        /// They come at least this close.
        upper: f64 as Real,
        /// A time at which they are that close.
        time: f64 as Real,
    }
}

answer! {
    /// When two moving shapes first touch, or that they do not.
    ///
    /// >>> from clearance import Motion, Pose, Shape, time_of_impact
    /// >>> ball = Shape.sphere(radius=0.5)
    /// >>> still = Motion.fixed()
    /// >>> shot = Motion.linear(Pose(translation=[-9.0, 0.0, 0.0]), velocity=[4.0, 0.0, 0.0])
    /// >>> impact = time_of_impact(ball, still, ball, shot, until=4.0)
    /// >>> impact.hit, impact.lower <= 2.0 <= impact.upper
    /// (True, True)
    /// >>> time_of_impact(ball, still, ball, shot, until=1.0).hit
    /// False
    Impact {
        /// hit, clear, touching (at the start) or undecided.
        state: Word as Word,
        /// The shapes are proved apart before this time; infinite if they do not meet.
        lower: f64 as Real,
        /// They are proved to overlap at this time; infinite for a graze, and if they are not known to meet.
        upper: f64 as Real,
        /// The point of A that meets B.
        point_a: Option<Vector> as Option<Vector>,
        /// The point of B that meets A.
        point_b: Option<Vector> as Option<Vector>,
        /// Unit vector from A to B there.
        normal: Option<Vector> as Option<Vector>,
        /// How close they come, if they do not meet.
        approach: Option<Approach> as Option<Restored<Approach>>,
        /// The clearance at the start, if they touch there.
        clearance: Option<Clearance> as Option<Restored<Clearance>>,
    }
    /// Do they meet? None if the search could not decide it.
    #[getter]
    fn hit(&self) -> Option<bool> {
        match &*self.state.0 {
            "undecided" => None,
            state => Some(state != "clear"),
        }
    }
}

answer! {
    /// A point at which two shapes touch or nearly do.
    ManifoldPoint {
        /// The point of A.
        point_a: Vector as Vector,
        /// The point of B.
        point_b: Vector as Vector,
        /// The signed distance along the normal.
        distance: f64 as Real,
        /// It is at least this.
        lower: f64 as Real,
        /// It is at most this.
        upper: f64 as Real,
        /// The pair of features that makes the point: its name from frame to frame.
        id: u64 as u64,
        /// Was it there at the call before? Only a Pair knows.
        persisted: bool as bool,
    }
}

answer! {
    /// A normal and the points at which two shapes touch or nearly do.
    ///
    /// >>> from clearance import Pose, Shape, manifold
    /// >>> cube = Shape.box(size=[1.0, 1.0, 1.0])
    /// >>> m = manifold(cube, cube, Pose(translation=[0.0, 0.0, 1.001]), margin=0.01)
    /// >>> m.normal, len(m.points), round(m.points[0].distance, 9)
    /// (array([0., 0., 1.]), 4, 0.001)
    Manifold {
        /// Unit vector from A to B.
        normal: Vector as Vector,
        /// The points, at most four, counter-clockwise about the normal.
        points: Vec<ManifoldPoint> as Vec<Restored<ManifoldPoint>>,
        /// The parts of compounds that touch.
        parts: (u32, u32) as (u32, u32),
        /// How far rounding may have moved a point from the surface that it is on.
        rounding: f64 as Real,
    }
}

/// An answer inside another one, as an argument.
pub struct Restored<T>(T);

impl<'py, T: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Clone + Sync> FromPyObject<'_, 'py>
    for Restored<T>
{
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(value.cast::<T>()?.get().clone()))
    }
}
