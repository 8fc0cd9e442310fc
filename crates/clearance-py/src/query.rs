//! Single queries. The third argument is the pose of B, with A at the origin unless `pose_a` says otherwise.

use crate::answer::{Clearance, Depth, Impact, Manifold, ManifoldPoint, PointProjection, RayHit, ShapeHit};
use crate::input::{self, Count, Real, Vector, refused};
use crate::motion::{Motion, interval};
use crate::shape::Shape;
use crate::threads::{Weight, answer};
use clearance::depth::Scope;
use clearance::{DepthBudget, Ray, Sweep};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The poses of A and B.
pub fn poses(pose_a: Option<&Bound<'_, PyAny>>, pose_b: Option<&Bound<'_, PyAny>>) -> PyResult<[clearance::Pose; 2]> {
    Ok([input::pose(pose_a, "pose_a")?, input::pose(pose_b, "pose_b")?])
}

/// The weight of a query about two shapes.
pub fn weight(a: &Shape, b: &Shape) -> Weight {
    Weight::of(a.size.saturating_add(b.size))
}

/// A margin, which may be negative or infinite, but is a number.
pub fn margin(margin: Real) -> PyResult<f64> {
    if margin.0.is_nan() {
        return Err(PyValueError::new_err("margin is NaN, but must be a number"));
    }
    Ok(margin.0)
}

/// A budget of a depth.
pub fn budget(width: Real, nodes: Option<Count>, seconds: Option<Real>, scope: &str) -> PyResult<DepthBudget> {
    let scope = match scope {
        "any" => Scope::Any,
        "outside" => Scope::Outside,
        _ => return Err(PyValueError::new_err(format!("scope is {scope:?}, but must be one of \"any\", \"outside\""))),
    };
    let wrong =
        |name: &str, value: f64| Err(PyValueError::new_err(format!("{name} is {value}, but must not be negative")));
    if !(width.0 >= 0.0) {
        return wrong("width", width.0);
    }
    let seconds = seconds.map_or(f64::INFINITY, |seconds| seconds.0);
    if !(seconds >= 0.0) {
        return wrong("seconds", seconds);
    }
    let nodes = nodes.map_or(DepthBudget::default().nodes, |nodes| usize::try_from(nodes.0).unwrap_or(usize::MAX));
    Ok(DepthBudget { width: width.0, nodes, seconds, scope })
}

/// The signed distance between two shapes, with witness points and proven bounds: the gap, or minus the length of the shortest translation
/// that separates them.
///
/// >>> from clearance import Pose, Shape, distance
/// >>> cube, ball = Shape.box(size=[1.0, 1.0, 1.0]), Shape.sphere(radius=1.0)
/// >>> c = distance(cube, ball, Pose(translation=[3.0, 0.0, 0.0]))
/// >>> c.distance, c.point_a, c.point_b
/// (1.5, array([0.5, 0. , 0. ]), array([2., 0., 0.]))
/// >>> c.lower <= 1.5 <= c.upper and c.upper - c.lower < 1e-12
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, *, pose_a = None))]
pub fn distance(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
) -> PyResult<Clearance> {
    let ([pose_a, pose_b], a, b) = (poses(pose_a, pose_b)?, a.get(), b.get());
    let found = answer(py, weight(a, b), || clearance::distance(&a.shape, pose_a, &b.shape, pose_b))?;
    Ok((&found).into())
}

/// Do the shapes share a point? Touching counts. False is proved; True means that they overlap, or that their gap is within rounding.
///
/// >>> from clearance import Pose, Shape, intersects
/// >>> ball = Shape.sphere(radius=1.0)
/// >>> [intersects(ball, ball, Pose(translation=[x, 0.0, 0.0])) for x in (1.9, 2.0, 2.1)]
/// [True, True, False]
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, *, pose_a = None))]
pub fn intersects(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let ([pose_a, pose_b], a, b) = (poses(pose_a, pose_b)?, a.get(), b.get());
    answer(py, weight(a, b), || clearance::intersects(&a.shape, pose_a, &b.shape, pose_b))
}

/// The clearance if it is at most `margin`. None is proved: the shapes are farther apart. A negative margin asks for overlaps at least that deep.
///
/// >>> from clearance import Pose, Shape, within
/// >>> ball, at = Shape.sphere(radius=1.0), Pose(translation=[2.25, 0.0, 0.0])
/// >>> within(ball, ball, 0.5, at).distance
/// 0.25
/// >>> within(ball, ball, 0.2, at) is None
/// True
#[pyfunction]
#[pyo3(signature = (a, b, margin, pose_b = None, *, pose_a = None))]
pub fn within(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    margin: Real,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Clearance>> {
    let ([pose_a, pose_b], a, b, margin) = (poses(pose_a, pose_b)?, a.get(), b.get(), self::margin(margin)?);
    let found = answer(py, weight(a, b), || clearance::within(&a.shape, pose_a, &b.shape, pose_b, margin))?;
    Ok(found.as_ref().map(Clearance::from))
}

/// The penetration depth of two bodies: the shortest translation of A that frees it, between bounds, also of solids that are not convex.
///
/// The search ends at a bracket of that `width`, after that number of `nodes`, or after that many `seconds`. With the `scope` "outside" only places
/// count as free that A can reach from far away.
///
/// >>> from clearance import Pose, Shape, depth
/// >>> ball = Shape.sphere(radius=1.0)
/// >>> d = depth(ball, ball, Pose(translation=[1.5, 0.0, 0.0]))
/// >>> d.lower <= 0.5 <= d.upper
/// True
/// >>> depth(ball, ball, Pose(translation=[3.0, 0.0, 0.0])).upper
/// 0.0
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, *, pose_a = None, width = Real(0.0), nodes = None, seconds = None, scope = "any"), text_signature = "(a, b, pose_b=None, *, pose_a=None, width=0.0, nodes=None, seconds=None, scope='any')")]
// As many arguments as Python has keywords for.
#[allow(clippy::too_many_arguments)]
pub fn depth(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    width: Real,
    nodes: Option<Count>,
    seconds: Option<Real>,
    scope: &str,
) -> PyResult<Depth> {
    let ([pose_a, pose_b], a, b) = (poses(pose_a, pose_b)?, a.get(), b.get());
    let budget = budget(width, nodes, seconds, scope)?;
    let found = answer(py, search_weight(a, b), || clearance::depth(&a.shape, pose_a, &b.shape, pose_b, budget))?;
    Ok((&found).into())
}

/// The weight of a search for a depth: that of solids cuts them into pieces first.
pub fn search_weight(a: &Shape, b: &Shape) -> Weight {
    let are_convex = a.shape.convex().is_some() && b.shape.convex().is_some();
    if are_convex { weight(a, b) } else { Weight::Heavy }
}

/// The distance with the certified depth of solids that overlap: as `distance`, and of meshes and compounds as `depth` has it.
///
/// >>> from clearance import Pose, Shape, signed_distance
/// >>> ball = Shape.sphere(radius=1.0)
/// >>> round(signed_distance(ball, ball, Pose(translation=[1.5, 0.0, 0.0])).distance, 12)
/// -0.5
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, *, pose_a = None, width = Real(0.0), nodes = None, seconds = None, scope = "any"), text_signature = "(a, b, pose_b=None, *, pose_a=None, width=0.0, nodes=None, seconds=None, scope='any')")]
// As many arguments as Python has keywords for.
#[allow(clippy::too_many_arguments)]
pub fn signed_distance(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    width: Real,
    nodes: Option<Count>,
    seconds: Option<Real>,
    scope: &str,
) -> PyResult<Clearance> {
    let ([pose_a, pose_b], a, b) = (poses(pose_a, pose_b)?, a.get(), b.get());
    let budget = budget(width, nodes, seconds, scope)?;
    let query = || clearance::depth::signed_distance(&a.shape, pose_a, &b.shape, pose_b, budget);
    Ok((&answer(py, search_weight(a, b), query)?).into())
}

/// When two moving shapes first touch, from the time `start` to the time `until`. The answer is about all times, not about samples.
///
/// >>> from clearance import Motion, Pose, Shape, time_of_impact
/// >>> wall, bullet = Shape.box(size=[0.02, 2.0, 2.0]), Shape.sphere(radius=0.005)
/// >>> shot = Motion.linear(Pose(translation=[-10.0, 0.0, 0.0]), velocity=[900.0, 0.0, 0.0])
/// >>> impact = time_of_impact(wall, Motion.fixed(), bullet, shot, until=1.0)
/// >>> impact.lower <= (10.0 - 0.015) / 900.0 <= impact.upper
/// True
#[pyfunction]
#[pyo3(signature = (a, motion_a, b, motion_b, *, until, start = Real(0.0)), text_signature = "(a, motion_a, b, motion_b, *, until, start=0.0)")]
pub fn time_of_impact(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    motion_a: &Bound<'_, Motion>,
    b: &Bound<'_, Shape>,
    motion_b: &Bound<'_, Motion>,
    until: Real,
    start: Real,
) -> PyResult<Impact> {
    let (a, b, [m, n]) = (a.get(), b.get(), [&motion_a.get().motion, &motion_b.get().motion]);
    let interval = interval(start.0, until.0)?;
    let weight = weight(a, b).max(Weight::Medium);
    let found = answer(py, weight, || clearance::time_of_impact(&a.shape, m, &b.shape, n, interval))?;
    Ok(Impact::of(&found, start.0))
}

/// How close two moving shapes come, from the time `start` to the time `until`, or when they first touch.
///
/// >>> from clearance import Motion, Pose, Shape, closest_approach
/// >>> ball = Shape.sphere(radius=1.0)
/// >>> passing = Motion.linear(Pose(translation=[-10.0, 3.0, 0.0]), velocity=[1.0, 0.0, 0.0])
/// >>> found = closest_approach(ball, passing, ball, Motion.fixed(), until=20.0)
/// >>> found.hit, found.approach.lower <= 1.0 <= found.approach.upper
/// (False, True)
#[pyfunction]
#[pyo3(signature = (a, motion_a, b, motion_b, *, until, start = Real(0.0)), text_signature = "(a, motion_a, b, motion_b, *, until, start=0.0)")]
pub fn closest_approach(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    motion_a: &Bound<'_, Motion>,
    b: &Bound<'_, Shape>,
    motion_b: &Bound<'_, Motion>,
    until: Real,
    start: Real,
) -> PyResult<Impact> {
    let (a, b, [m, n]) = (a.get(), b.get(), [&motion_a.get().motion, &motion_b.get().motion]);
    let interval = interval(start.0, until.0)?;
    let weight = weight(a, b).max(Weight::Medium);
    let found = answer(py, weight, || clearance::closest_approach(&a.shape, m, &b.shape, n, interval))?;
    Ok(Impact::of(&found, start.0))
}

/// A ray, whose end the caller calls `max_distance`.
pub fn ray(origin: Vector, direction: Vector, max_distance: Real) -> PyResult<Ray> {
    let ray = Ray::new(origin, direction, max_distance.0);
    ray.map_err(|error| PyValueError::new_err(rename(&error.to_string())))
}

/// A sentence of the library about `max`.
pub fn rename(sentence: &str) -> String {
    match sentence.strip_prefix("max ") {
        Some(rest) => format!("max_distance {rest}"),
        None => sentence.to_owned(),
    }
}

/// Where a ray first meets a shape. None is proved: it does not, up to `max_distance`. A ray that begins inside hits at zero, and with `boundary` where
/// it leaves.
///
/// >>> from clearance import Shape, cast_ray
/// >>> ball = Shape.sphere(radius=1.0)
/// >>> cast_ray(ball, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]).is_inside
/// True
/// >>> cast_ray(ball, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], boundary=True).distance
/// 1.0
/// >>> cast_ray(ball, [0.0, 5.0, 0.0], [1.0, 0.0, 0.0]) is None
/// True
#[pyfunction]
#[pyo3(signature = (shape, origin, direction, *, max_distance = Real(f64::INFINITY), pose = None, boundary = false), text_signature = "(shape, origin, direction, *, max_distance=..., pose=None, boundary=False)")]
// As many arguments as Python has keywords for.
#[allow(clippy::too_many_arguments)]
pub fn cast_ray(
    py: Python<'_>,
    shape: &Bound<'_, Shape>,
    origin: Vector,
    direction: Vector,
    max_distance: Real,
    pose: Option<&Bound<'_, PyAny>>,
    boundary: bool,
) -> PyResult<Option<RayHit>> {
    let (shape, pose, ray) = (shape.get(), input::pose(pose, "pose")?, ray(origin, direction, max_distance)?);
    let hit = answer(py, Weight::of(shape.size), || match boundary {
        true => clearance::cast_ray_boundary(&shape.shape, pose, &ray),
        false => clearance::cast_ray(&shape.shape, pose, &ray),
    })?;
    Ok(hit.as_ref().map(RayHit::from))
}

/// Where B, which moves straight from `pose_b` along a direction, first meets A. None is proved: it does not, up to `max_distance`.
///
/// >>> from clearance import Pose, Shape, cast_shape
/// >>> cube = Shape.box(size=[2.0, 2.0, 2.0])
/// >>> hit = cast_shape(cube, cube, Pose(translation=[9.0, 0.5, 0.0]), direction=[-1.0, 0.0, 0.0], max_distance=100.0)
/// >>> hit.lower <= 7.0 <= hit.upper
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, *, direction, max_distance, pose_a = None))]
pub fn cast_shape(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    direction: Vector,
    max_distance: Real,
    pose_a: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<ShapeHit>> {
    let ([pose_a, pose_b], a, b) = (poses(pose_a, pose_b)?, a.get(), b.get());
    let sweep = Sweep::new(pose_b, direction, max_distance.0);
    let sweep = sweep.map_err(|error| PyValueError::new_err(rename(&error.to_string())))?;
    let weight = weight(a, b).max(Weight::Medium);
    let hit = answer(py, weight, || clearance::cast_shape(&a.shape, pose_a, &b.shape, &sweep))?;
    Ok(hit.as_ref().map(ShapeHit::from))
}

impl From<&clearance::Manifold> for Manifold {
    fn from(manifold: &clearance::Manifold) -> Self {
        let point = |point: &clearance::ManifoldPoint| ManifoldPoint {
            point_a: point.point_a.into(),
            point_b: point.point_b.into(),
            distance: point.distance,
            lower: point.lower,
            upper: point.upper,
            id: point.id.to_bits(),
            persisted: point.persisted,
        };
        Self {
            normal: manifold.normal.into(),
            points: manifold.points().iter().map(point).collect(),
            parts: manifold.parts.into(),
            rounding: manifold.rounding,
        }
    }
}

/// The contact manifold of two shapes: a normal and at most four points that are at most `margin` apart. None is proved: the shapes are farther
/// apart. Of meshes and compounds it is the one with the deepest point; `Pair.manifolds` has all.
///
/// >>> from clearance import Pose, Shape, manifold
/// >>> table, pin = Shape.box(size=[4.0, 0.2, 4.0]), Shape.capsule(radius=0.25, length=1.0, axis="x")
/// >>> m = manifold(table, pin, Pose(translation=[0.0, 0.351, 0.0]), margin=0.01)
/// >>> [round(point.distance, 12) for point in m.points]
/// [0.001, 0.001]
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, *, pose_a = None, margin = Real(0.0)), text_signature = "(a, b, pose_b=None, *, pose_a=None, margin=0.0)")]
pub fn manifold(
    py: Python<'_>,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    margin: Real,
) -> PyResult<Option<Manifold>> {
    let ([pose_a, pose_b], a, b, margin) = (poses(pose_a, pose_b)?, a.get(), b.get(), self::margin(margin)?);
    answer(py, weight(a, b), || {
        clearance::Pair::new(&a.shape, &b.shape).manifold(pose_a, pose_b, margin).map(Manifold::from)
    })
}

/// A point that the library can compute with.
pub fn point(point: Vector, name: &str) -> PyResult<Vector> {
    clearance::Pose::try_new(point, clearance::math::DQuat::IDENTITY)
        .map(|_| point)
        .map_err(|error| refused(error.to_string().replacen("translation", name, 1)))
}

/// Is a point in a shape or on it? False is proved; True means that it is, or that its gap is within rounding.
///
/// >>> from clearance import Shape, contains
/// >>> ball = Shape.sphere(radius=1.0)
/// >>> contains(ball, [0.5, 0.5, 0.0]), contains(ball, [1.0, 0.0, 0.0]), contains(ball, [1.1, 0.0, 0.0])
/// (True, True, False)
#[pyfunction]
#[pyo3(signature = (shape, point, *, pose = None))]
pub fn contains(
    py: Python<'_>,
    shape: &Bound<'_, Shape>,
    point: Vector,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let (shape, pose, point) = (shape.get(), input::pose(pose, "pose")?, self::point(point, "point")?);
    answer(py, Weight::of(shape.size), || clearance::contains(&shape.shape, pose, point))
}

/// The nearest point of the surface of a shape, with the signed distance to it: negative inside.
///
/// >>> from clearance import Shape, project_point
/// >>> found = project_point(Shape.box(size=[2.0, 2.0, 2.0]), [0.5, 0.0, 0.0])
/// >>> found.point, found.distance, found.is_inside
/// (array([1., 0., 0.]), -0.5, True)
#[pyfunction]
#[pyo3(signature = (shape, point, *, pose = None))]
pub fn project_point(
    py: Python<'_>,
    shape: &Bound<'_, Shape>,
    point: Vector,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PointProjection> {
    let (shape, pose, point) = (shape.get(), input::pose(pose, "pose")?, self::point(point, "point")?);
    let weight = if shape.shape.convex().is_some() {
        Weight::of(shape.size)
    } else {
        Weight::of(shape.size).max(Weight::Medium)
    };
    let found = answer(py, weight, || clearance::project_point(&shape.shape, pose, point))?;
    found.as_ref().map(PointProjection::from).ok_or_else(|| PyValueError::new_err("point is no point"))
}

/// Proven bounds of the signed distance of a point to the surface of a shape: at least and at most.
///
/// >>> from clearance import Shape, signed_distance_to_point
/// >>> floor = Shape.half_space(normal=[0.0, 0.0, 1.0])
/// >>> lower, upper = signed_distance_to_point(floor, [5.0, 1.0, -2.0])
/// >>> lower <= -2.0 <= upper
/// True
#[pyfunction]
#[pyo3(signature = (shape, point, *, pose = None))]
pub fn signed_distance_to_point(
    py: Python<'_>,
    shape: &Bound<'_, Shape>,
    point: Vector,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<(f64, f64)> {
    let found = project_point(py, shape, point, pose)?;
    Ok((found.lower, found.upper))
}
