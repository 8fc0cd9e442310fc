//! Worlds: bodies with names.

use crate::answer::{Clearance, Depth, PointProjection, RayHit, ShapeHit};
use crate::input::{self, Count, Real, Vector, refused};
use crate::pose::Pose;
use crate::query::{budget, margin, point, ray, rename};
use crate::recipe;
use crate::shape::Shape;
use crate::threads::{Weight, answer};
use clearance::world::{Body, BodyId, CollisionLayers, Config};
use clearance::{QueryFilter, Sweep};
use clearance_io::Scene;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::RwLockExt;
use pyo3::types::PyType;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// Bodies from which on an update may be shared among threads. Limit: the least number for which the library asks how many there are.
const MANY_BODIES: usize = 16;

/// The world of the library, and the names of its bodies.
#[derive(Clone)]
pub struct Named {
    pub world: clearance::World,
    bodies: HashMap<String, (BodyId, Shape)>,
    /// By slot.
    pub names: Vec<String>,
    /// Changes with every change of the world, and is that of no other world with other bodies.
    pub stamp: u64,
}

/// A number that no world has had before.
fn next_stamp() -> u64 {
    static STAMPS: AtomicU64 = AtomicU64::new(0);
    STAMPS.fetch_add(1, Ordering::Relaxed)
}

impl Named {
    fn new(world: clearance::World) -> Self {
        Self { world, bodies: HashMap::new(), names: Vec::new(), stamp: next_stamp() }
    }

    fn id(&self, name: &str) -> PyResult<BodyId> {
        let found = self.bodies.get(name).map(|(id, _)| *id);
        found.ok_or_else(|| PyValueError::new_err(format!("no body has the name {name:?}")))
    }

    fn name(&self, id: BodyId) -> String {
        self.names.get(id.slot() as usize).cloned().unwrap_or_default()
    }

    fn insert(&mut self, name: String, shape: Shape, body: Body) -> PyResult<BodyId> {
        if self.bodies.contains_key(&name) {
            return Err(PyValueError::new_err(format!("a body has the name {name:?} already; choose another one")));
        }
        let id = self.world.insert_body(body);
        let slot = id.slot() as usize;
        if slot >= self.names.len() {
            self.names.resize(slot + 1, String::new());
        }
        self.names[slot].clone_from(&name);
        self.bodies.insert(name, (id, shape));
        Ok(id)
    }

    fn weight(&self) -> Weight {
        if self.world.len() < MANY_BODIES { Weight::Medium } else { Weight::Heavy }
    }
}

/// Bodies with names that move: their close pairs, what starts and ends to overlap, and queries among them.
///
/// >>> from clearance import Pose, Shape, World
/// >>> world = World(margin=0.5)
/// >>> world.add("floor", Shape.half_space(normal=[0.0, 0.0, 1.0]), fixed=True)
/// >>> world.add("ball", Shape.sphere(radius=1.0), Pose(translation=[0.0, 0.0, 1.25]))
/// >>> [(a, b, round(c.distance, 12)) for a, b, c in world.update().pairs]
/// [('floor', 'ball', 0.25)]
/// >>> world.set_pose("ball", Pose(translation=[0.0, 0.0, 0.5]))
/// >>> world.update().started
/// [('floor', 'ball')]
/// >>> world.cast_ray([0.0, 0.0, 9.0], [0.0, 0.0, -1.0])[0]
/// 'ball'
#[pyclass(frozen, module = "clearance._native")]
pub struct World {
    named: RwLock<Named>,
}

/// The result of an update: pairs of names, in the order in which the bodies came.
#[pyclass(frozen, get_all, module = "clearance._native")]
pub struct Update {
    /// The pairs that overlap or are within the margin, each with its clearance.
    pub pairs: Vec<(String, String, Clearance)>,
    /// The pairs that overlap or touch.
    pub overlapping: Vec<(String, String)>,
    /// The pairs that overlap and did not at the update before.
    pub started: Vec<(String, String)>,
    /// The pairs that overlapped at the update before and do not any more.
    pub ended: Vec<(String, String)>,
}

#[pymethods]
impl Update {
    fn __repr__(&self) -> String {
        let Self { pairs, overlapping, started, ended } = self;
        let [pairs, overlapping, started, ended] = [pairs.len(), overlapping.len(), started.len(), ended.len()];
        format!("<Update: {pairs} pairs, {overlapping} overlapping, {started} started, {ended} ended>")
    }
}

impl World {
    /// Queries that change nothing; any number of threads may ask at once.
    pub fn read<R>(&self, py: Python<'_>, then: impl FnOnce(&Named) -> PyResult<R>) -> PyResult<R> {
        // Without the interpreter while it waits: the thread that has the world may need that.
        then(&self.named.read_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    fn write<R>(&self, py: Python<'_>, then: impl FnOnce(&mut Named) -> PyResult<R>) -> PyResult<R> {
        let mut named = self.named.write_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        named.stamp = next_stamp();
        then(&mut named)
    }

    /// A scene query, with the bodies that it sees.
    fn query<R: Send>(
        &self,
        py: Python<'_>,
        exclude: &[String],
        layers: CollisionLayers,
        ask: impl FnOnce(&Named, QueryFilter<'_>) -> R + Send,
    ) -> PyResult<R> {
        self.read(py, |named| {
            let excluded: Vec<BodyId> = exclude.iter().map(|name| named.id(name)).collect::<PyResult<_>>()?;
            let filter = QueryFilter::ALL.exclude(&excluded);
            let filter = if layers == CollisionLayers::ALL { filter } else { filter.layers(layers) };
            answer(py, named.weight(), || ask(named, filter))
        })
    }
}

/// Layers by two masks of 32 bits.
fn layers(memberships: Option<Count>, mask: Option<Count>) -> PyResult<CollisionLayers> {
    let bits = |name: &str, bits: Option<Count>| match bits {
        None => Ok(u32::MAX),
        Some(Count(bits)) => {
            u32::try_from(bits).map_err(|_| PyValueError::new_err(format!("{name} is {bits}, but has only 32 bits")))
        }
    };
    Ok(CollisionLayers::new(bits("memberships", memberships)?, bits("mask", mask)?))
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (*, margin = Real(0.0)))]
    fn new(margin: Real) -> PyResult<Self> {
        let world = clearance::World::new(Config { margin: size("margin", margin)?, ..Config::default() });
        Ok(Self { named: RwLock::new(Named::new(world)) })
    }

    /// The bodies of a scene file where their poses have them, with its groups and ignored pairs.
    #[classmethod]
    #[pyo3(signature = (path, *, margin = Real(0.0)), text_signature = "($cls, path, *, margin=0.0)")]
    fn load(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf, margin: Real) -> PyResult<Self> {
        let margin = size("margin", margin)?;
        let made = answer(py, Weight::Heavy, || -> Result<Named, String> {
            let scene = Scene::read_with_written(&path).map_err(|error| error.to_string())?;
            let world = clearance::World::new(Config { margin, ..Config::default() });
            let mut named = Named::new(world);
            let (mut groups, mut ids): (HashMap<String, u32>, Vec<BodyId>) = (HashMap::new(), Vec::new());
            for body in scene.bodies {
                let next = groups.len() as u32;
                let group = body.group.map(|name| *groups.entry(name).or_insert(next));
                let written = body.written.ok_or_else(|| format!("{:?} has no shape as it was written", body.name))?;
                let shape = recipe::built((*written.shape).clone()).map_err(|error| error.to_string())?;
                let inserted = Body { group, ..Body::new(shape.shape.clone(), body.pose) };
                ids.push(named.insert(body.name, shape, inserted).map_err(|error| error.to_string())?);
            }
            for [a, b] in scene.ignore {
                named.world.set_ignored(ids[a], ids[b], true);
            }
            Ok(named)
        })?;
        Ok(Self { named: RwLock::new(made.map_err(PyValueError::new_err)?) })
    }

    /// Puts a body into the world. Two fixed bodies are not checked against each other, nor are bodies of the same group. Two bodies are checked if
    /// each is on a layer that the other one's mask has: `memberships` and `mask` are numbers of 32 bits, all of them set by default.
    #[pyo3(signature = (name, shape, pose = None, *, fixed = false, group = None, memberships = None, mask = None))]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        py: Python<'_>,
        name: String,
        shape: &Bound<'_, Shape>,
        pose: Option<&Bound<'_, PyAny>>,
        fixed: bool,
        group: Option<Count>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<()> {
        let (shape, pose) = (shape.get().clone(), input::pose(pose, "pose")?);
        let layers = layers(memberships, mask)?;
        let group = group.map(|Count(group)| {
            u32::try_from(group).map_err(|_| PyValueError::new_err(format!("group is {group}, but has only 32 bits")))
        });
        let body = Body { is_fixed: fixed, group: group.transpose()?, layers, ..Body::new(shape.shape.clone(), pose) };
        self.write(py, |named| named.insert(name, shape, body).map(drop))
    }

    /// Takes a body out of the world.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.write(py, |named| {
            let id = named.id(name)?;
            named.world.remove(id);
            named.bodies.remove(name);
            Ok(())
        })
    }

    /// The names of all bodies, in the order of their places.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |named| Ok(named.world.bodies().map(|(id, _)| named.name(id)).collect()))
    }

    /// The shape of a body.
    fn shape(&self, py: Python<'_>, name: &str) -> PyResult<Shape> {
        self.read(py, |named| {
            named.id(name)?;
            Ok(named.bodies[name].1.clone())
        })
    }

    /// The pose of a body.
    fn pose(&self, py: Python<'_>, name: &str) -> PyResult<Pose> {
        self.read(py, |named| {
            let id = named.id(name)?;
            Ok(named.world.body(id).map_or(clearance::Pose::IDENTITY, |body| body.pose).into())
        })
    }

    /// Puts a body at a pose.
    fn set_pose(&self, py: Python<'_>, name: &str, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = input::pose(Some(pose), "pose")?;
        self.write(py, |named| {
            let id = named.id(name)?;
            named.world.set_pose(id, pose);
            Ok(())
        })
    }

    /// Puts many bodies at poses, an array of the shape (N, 4, 4) or (N, 7), or nothing if one of them is bad.
    ///
    /// >>> import numpy as np
    /// >>> from clearance import Shape, World
    /// >>> world = World()
    /// >>> for name in "ab":
    /// ...     world.add(name, Shape.sphere(radius=1.0))
    /// >>> world.set_poses(["a", "b"], np.array([[0.0, 0, 0, 0, 0, 0, 1], [3.0, 0, 0, 0, 0, 0, 1]]))
    /// >>> world.distance("a", "b").distance
    /// 1.0
    fn set_poses(&self, py: Python<'_>, names: Vec<String>, poses: &Bound<'_, PyAny>) -> PyResult<()> {
        let numbers = input::floats(poses, "poses")?;
        let count = names.len();
        let width = match *numbers.shape() {
            [n, 4, 4] if n == count => 16,
            [n, 7] if n == count => 7,
            ref shape => {
                let sentence = format!("poses has the shape {shape:?}, but must have [{count}, 4, 4] or [{count}, 7]");
                return Err(PyValueError::new_err(sentence));
            }
        };
        let read = if width == 16 { input::pose_of_rows } else { input::pose_of_seven };
        let pose = |(i, numbers)| read(numbers).map_err(input::refused_in(&format!("poses[{i}]")));
        let poses: Vec<_> = numbers.numbers().chunks(width).enumerate().map(pose).collect::<PyResult<_>>()?;
        self.write(py, |named| {
            let ids: Vec<_> = names.iter().map(|name| named.id(name)).collect::<PyResult<_>>()?;
            for (id, pose) in ids.into_iter().zip(poses) {
                named.world.set_pose(id, pose);
            }
            Ok(())
        })
    }

    /// Gives a body another shape.
    fn set_shape(&self, py: Python<'_>, name: &str, shape: &Bound<'_, Shape>) -> PyResult<()> {
        self.write(py, |named| {
            let id = named.id(name)?;
            named.world.set_shape(id, shape.get().shape.clone());
            named.bodies.insert(name.to_owned(), (id, shape.get().clone()));
            Ok(())
        })
    }

    /// Changes the layers of a body; see `add`.
    #[pyo3(signature = (name, *, memberships = None, mask = None))]
    fn set_layers(&self, py: Python<'_>, name: &str, memberships: Option<Count>, mask: Option<Count>) -> PyResult<()> {
        let layers = layers(memberships, mask)?;
        self.write(py, |named| {
            let id = named.id(name)?;
            named.world.set_layers(id, layers);
            Ok(())
        })
    }

    /// From now on two bodies are not checked against each other, or are again.
    #[pyo3(signature = (a, b, ignored = true))]
    fn ignore(&self, py: Python<'_>, a: &str, b: &str, ignored: bool) -> PyResult<()> {
        self.write(py, |named| {
            let (a, b) = (named.id(a)?, named.id(b)?);
            named.world.set_ignored(a, b, ignored);
            Ok(())
        })
    }

    /// Updates the close pairs and their answers. Pairs of which neither body has moved cost nothing.
    fn update(&self, py: Python<'_>) -> PyResult<Update> {
        self.write(py, |named| {
            let weight = named.weight();
            let named = &mut *named;
            answer(py, weight, move || {
                let Named { world, names, .. } = named;
                let name = |id: BodyId| names.get(id.slot() as usize).cloned().unwrap_or_default();
                let margin = world.config().margin;
                let update = world.update();
                let both = |list: &[[BodyId; 2]]| list.iter().map(|&[a, b]| (name(a), name(b))).collect();
                let pair = |pair: clearance::world::ProximityPair<'_>| {
                    pair.clearance.map(|clearance| (name(pair.a), name(pair.b), clearance.into()))
                };
                Update {
                    pairs: update.within(margin).filter_map(pair).collect(),
                    overlapping: update.overlapping().map(|pair| (name(pair.a), name(pair.b))).collect(),
                    started: both(update.started()),
                    ended: both(update.ended()),
                }
            })
        })
    }

    /// The distance of two bodies; see `clearance.distance`.
    fn distance(&self, py: Python<'_>, a: &str, b: &str) -> PyResult<Clearance> {
        self.read(py, |named| {
            let [a, b] = [named.id(a)?, named.id(b)?].map(|id| named.world.body(id));
            let (Some(a), Some(b)) = (a, b) else { return Err(PyValueError::new_err("a body is gone")) };
            let query = || clearance::distance(&a.shape, a.pose, &b.shape, b.pose);
            Ok((&answer(py, Weight::Heavy, query)?).into())
        })
    }

    /// The penetration depth of two bodies; see `clearance.depth`.
    #[pyo3(signature = (a, b, *, width = Real(0.0), nodes = None, seconds = None, scope = "any"), text_signature = "($self, a, b, *, width=0.0, nodes=None, seconds=None, scope='any')")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn depth(
        &self,
        py: Python<'_>,
        a: &str,
        b: &str,
        width: Real,
        nodes: Option<Count>,
        seconds: Option<Real>,
        scope: &str,
    ) -> PyResult<Depth> {
        let budget = budget(width, nodes, seconds, scope)?;
        self.read(py, |named| {
            let (a, b) = (named.id(a)?, named.id(b)?);
            let found = answer(py, Weight::Heavy, || named.world.depth(a, b, budget, None))?;
            found.as_ref().map(Depth::from).ok_or_else(|| PyValueError::new_err("a body is gone"))
        })
    }

    /// The body that is nearest to a body, of those that the filter sees, with its clearance; None if there is no other.
    #[pyo3(signature = (name, *, exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, name, *, exclude=..., memberships=None, mask=None)")]
    fn nearest(
        &self,
        py: Python<'_>,
        name: &str,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Option<(String, Clearance)>> {
        let id = self.read(py, |named| named.id(name))?;
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            named.world.nearest(id, filter).map(|(other, found)| (named.name(other), (&found).into()))
        })
    }

    /// The pair with the least clearance of all that are checked; None if there is none.
    #[pyo3(signature = (*, exclude = Vec::new()), text_signature = "($self, *, exclude=...)")]
    fn closest_pair(&self, py: Python<'_>, exclude: Vec<String>) -> PyResult<Option<(String, String, Clearance)>> {
        self.query(py, &exclude, CollisionLayers::ALL, |named, filter| {
            let found = named.world.closest_pair(filter);
            found.map(|([a, b], found)| (named.name(a), named.name(b), (&found).into()))
        })
    }

    /// The bodies that are at most `margin` from a shape, each with the clearance from the shape to it.
    #[pyo3(signature = (shape, margin, pose = None, *, exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, shape, margin, pose=None, *, exclude=..., memberships=None, mask=None)")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn within(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, Shape>,
        margin: Real,
        pose: Option<&Bound<'_, PyAny>>,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Vec<(String, Clearance)>> {
        let (shape, pose, margin) = (shape.get(), input::pose(pose, "pose")?, self::margin(margin)?);
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            let found = named.world.within(&shape.shape, pose, margin, filter);
            found.iter().map(|(id, found)| (named.name(*id), found.into())).collect()
        })
    }

    /// The bodies that share a point with a shape.
    #[pyo3(signature = (shape, pose = None, *, exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, shape, pose=None, *, exclude=..., memberships=None, mask=None)")]
    fn intersect_shape(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, Shape>,
        pose: Option<&Bound<'_, PyAny>>,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Vec<String>> {
        let (shape, pose) = (shape.get(), input::pose(pose, "pose")?);
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            let found = named.world.intersect_shape(&shape.shape, pose, filter);
            found.into_iter().map(|id| named.name(id)).collect()
        })
    }

    /// The bodies that a point is in.
    #[pyo3(signature = (point, *, exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, point, *, exclude=..., memberships=None, mask=None)")]
    fn intersect_point(
        &self,
        py: Python<'_>,
        point: Vector,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Vec<String>> {
        let point = self::point(point, "point")?;
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            named.world.intersect_point(point, filter).into_iter().map(|id| named.name(id)).collect()
        })
    }

    /// The body with the least signed distance to a point, with the nearest point of its surface; None in an empty world.
    #[pyo3(signature = (point, *, exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, point, *, exclude=..., memberships=None, mask=None)")]
    fn nearest_to_point(
        &self,
        py: Python<'_>,
        point: Vector,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Option<(String, PointProjection)>> {
        let point = self::point(point, "point")?;
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            let found = named.world.nearest_to_point(point, filter);
            found.map(|(id, found)| (named.name(id), (&found).into()))
        })
    }

    /// The first body that a ray meets, and where; None is proved.
    #[pyo3(signature = (origin, direction, *, max_distance = Real(f64::INFINITY), exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, origin, direction, *, max_distance=..., exclude=..., memberships=None, mask=None)")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn cast_ray(
        &self,
        py: Python<'_>,
        origin: Vector,
        direction: Vector,
        max_distance: Real,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Option<(String, RayHit)>> {
        let ray = ray(origin, direction, max_distance)?;
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            named.world.cast_ray(&ray, filter).map(|(id, hit)| (named.name(id), (&hit).into()))
        })
    }

    /// The first body that a shape meets that moves straight from a pose, and where; None is proved.
    #[pyo3(signature = (shape, pose = None, *, direction, max_distance, exclude = Vec::new(), memberships = None, mask = None), text_signature = "($self, shape, pose=None, *, direction, max_distance, exclude=..., memberships=None, mask=None)")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn cast_shape(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, Shape>,
        pose: Option<&Bound<'_, PyAny>>,
        direction: Vector,
        max_distance: Real,
        exclude: Vec<String>,
        memberships: Option<Count>,
        mask: Option<Count>,
    ) -> PyResult<Option<(String, ShapeHit)>> {
        let (shape, pose) = (shape.get(), input::pose(pose, "pose")?);
        let sweep = Sweep::new(pose, direction, max_distance.0);
        let sweep = sweep.map_err(|error| PyValueError::new_err(rename(&error.to_string())))?;
        self.query(py, &exclude, layers(memberships, mask)?, |named, filter| {
            let found = named.world.cast_shape(&shape.shape, &sweep, filter);
            found.map(|(id, hit)| (named.name(id), (&hit).into()))
        })
    }

    /// The names of bodies by the numbers that batches give.
    fn name_of(&self, py: Python<'_>, number: Count) -> PyResult<String> {
        self.read(py, |named| {
            let body = named.world.bodies().find(|(id, _)| u64::from(id.slot()) == number.0);
            let wrong = || PyValueError::new_err(format!("no body has the number {}", number.0));
            body.map(|(id, _)| named.name(id)).ok_or_else(wrong)
        })
    }

    /// An independent world with the same bodies and warm starts.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.read(py, |named| Ok(Self { named: RwLock::new(named.clone()) }))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |named| Ok(named.world.len()))
    }

    fn __contains__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        self.read(py, |named| Ok(named.bodies.contains_key(name)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<World: {} bodies>", self.__len__(py)?))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a World keeps warm starts and cannot be pickled; pickle its shapes and poses, and add them to another World",
        ))
    }
}

/// A size that is not negative and can be computed with.
fn size(name: &str, value: Real) -> PyResult<f64> {
    clearance::Shape::sphere(value.0).map_err(|error| refused(error.to_string().replacen("radius", name, 1)))?;
    Ok(value.0)
}
