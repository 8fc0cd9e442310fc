//! Two shapes with a warm start.

use crate::answer::{Clearance, Depth, Impact, Manifold};
use crate::input::{Count, Real};
use crate::motion::{Motion, interval};
use crate::query::{budget, margin, poses, search_weight, weight};
use crate::shape::Shape;
use crate::threads::{Weight, answer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, PoisonError};

/// Two shapes and a cache that is kept from call to call: five to ten times as fast as single queries where poses follow each other closely, as
/// along a motion. It never changes an answer by more than its bracket.
///
/// >>> from clearance import Pair, Pose, Shape
/// >>> pair = Pair(Shape.capsule(radius=0.1, length=1.0), Shape.box(size=[0.4, 0.4, 0.4]))
/// >>> [round(pair.distance(Pose(translation=[x, 0.0, 0.0])).distance, 9) for x in (1.0, 0.9, 0.8)]
/// [0.7, 0.6, 0.5]
#[pyclass(frozen, module = "clearance._native")]
pub struct Pair {
    a: Shape,
    b: Shape,
    pair: Mutex<clearance::Pair>,
}

impl Pair {
    /// Asks the pair; other threads that ask it wait.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        weight: Weight,
        query: impl FnOnce(&mut clearance::Pair) -> R + Send,
    ) -> PyResult<R> {
        // Without the interpreter while it waits: the thread that has the pair may need that.
        let mut pair = self.pair.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let pair = &mut *pair;
        answer(py, weight, move || query(pair))
    }

    fn weight(&self) -> Weight {
        weight(&self.a, &self.b)
    }
}

#[pymethods]
impl Pair {
    #[new]
    fn new(a: &Bound<'_, Shape>, b: &Bound<'_, Shape>) -> Self {
        let (a, b) = (a.get().clone(), b.get().clone());
        let pair = Mutex::new(clearance::Pair::new(&a.shape, &b.shape));
        Self { a, b, pair }
    }

    /// The first shape.
    #[getter]
    fn a(&self) -> Shape {
        self.a.clone()
    }

    /// The second shape.
    #[getter]
    fn b(&self) -> Shape {
        self.b.clone()
    }

    /// See `clearance.distance`.
    #[pyo3(signature = (pose_b = None, *, pose_a = None))]
    fn distance(
        &self,
        py: Python<'_>,
        pose_b: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Clearance> {
        let [pose_a, pose_b] = poses(pose_a, pose_b)?;
        self.ask(py, self.weight(), |pair| Clearance::from(&pair.distance(pose_a, pose_b)))
    }

    /// See `clearance.intersects`.
    #[pyo3(signature = (pose_b = None, *, pose_a = None))]
    fn intersects(
        &self,
        py: Python<'_>,
        pose_b: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let [pose_a, pose_b] = poses(pose_a, pose_b)?;
        self.ask(py, self.weight(), |pair| pair.intersects(pose_a, pose_b))
    }

    /// See `clearance.within`.
    #[pyo3(signature = (margin, pose_b = None, *, pose_a = None))]
    fn within(
        &self,
        py: Python<'_>,
        margin: Real,
        pose_b: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Clearance>> {
        let ([pose_a, pose_b], margin) = (poses(pose_a, pose_b)?, self::margin(margin)?);
        self.ask(py, self.weight(), |pair| pair.within(pose_a, pose_b, margin).as_ref().map(Clearance::from))
    }

    /// See `clearance.depth`; the search begins with the translation that freed A at the call before.
    #[pyo3(signature = (pose_b = None, *, pose_a = None, width = Real(0.0), nodes = None, seconds = None, scope = "any"), text_signature = "($self, pose_b=None, *, pose_a=None, width=0.0, nodes=None, seconds=None, scope='any')")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn depth(
        &self,
        py: Python<'_>,
        pose_b: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
        width: Real,
        nodes: Option<Count>,
        seconds: Option<Real>,
        scope: &str,
    ) -> PyResult<Depth> {
        let ([pose_a, pose_b], budget) = (poses(pose_a, pose_b)?, budget(width, nodes, seconds, scope)?);
        let weight = search_weight(&self.a, &self.b);
        self.ask(py, weight, |pair| Depth::from(&pair.depth(pose_a, pose_b, budget)))
    }

    /// See `clearance.time_of_impact`.
    #[pyo3(signature = (motion_a, motion_b, *, until, start = Real(0.0)), text_signature = "($self, motion_a, motion_b, *, until, start=0.0)")]
    fn time_of_impact(
        &self,
        py: Python<'_>,
        motion_a: &Bound<'_, Motion>,
        motion_b: &Bound<'_, Motion>,
        until: Real,
        start: Real,
    ) -> PyResult<Impact> {
        let ([m, n], interval) = ([&motion_a.get().motion, &motion_b.get().motion], interval(start.0, until.0)?);
        let weight = self.weight().max(Weight::Medium);
        self.ask(py, weight, |pair| Impact::of(&pair.time_of_impact(m, n, interval), start.0))
    }

    /// See `clearance.manifold`; the points know which of them were there at the call before.
    ///
    /// >>> from clearance import Pair, Pose, Shape
    /// >>> pair = Pair(Shape.half_space(normal=[0.0, 0.0, 1.0]), Shape.box(size=[1.0, 1.0, 1.0]))
    /// >>> frames = [pair.manifold(Pose(translation=[x, 0.0, 0.499]), margin=0.01) for x in (0.0, 0.01)]
    /// >>> [[point.persisted for point in frame.points] for frame in frames]
    /// [[False, False, False, False], [True, True, True, True]]
    #[pyo3(signature = (pose_b = None, *, pose_a = None, margin = Real(0.0)), text_signature = "($self, pose_b=None, *, pose_a=None, margin=0.0)")]
    fn manifold(
        &self,
        py: Python<'_>,
        pose_b: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
        margin: Real,
    ) -> PyResult<Option<Manifold>> {
        let ([pose_a, pose_b], margin) = (poses(pose_a, pose_b)?, self::margin(margin)?);
        self.ask(py, self.weight(), |pair| pair.manifold(pose_a, pose_b, margin).map(Manifold::from))
    }

    /// All contact manifolds: of compounds and meshes one for each pair of parts that are at most `margin` apart.
    #[pyo3(signature = (pose_b = None, *, pose_a = None, margin = Real(0.0)), text_signature = "($self, pose_b=None, *, pose_a=None, margin=0.0)")]
    fn manifolds(
        &self,
        py: Python<'_>,
        pose_b: Option<&Bound<'_, PyAny>>,
        pose_a: Option<&Bound<'_, PyAny>>,
        margin: Real,
    ) -> PyResult<Vec<Manifold>> {
        let ([pose_a, pose_b], margin) = (poses(pose_a, pose_b)?, self::margin(margin)?);
        self.ask(py, self.weight(), |pair| pair.manifolds(pose_a, pose_b, margin).iter().map(Manifold::from).collect())
    }

    /// Empties the cache: the next call is a cold one.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, Weight::Light, clearance::Pair::reset)
    }

    fn __repr__(&self) -> String {
        format!("<Pair: {} and {}>", self.a.shape.kind(), self.b.shape.kind())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Pair keeps a cache and cannot be pickled; pickle its shapes a and b, and make another Pair",
        ))
    }
}
