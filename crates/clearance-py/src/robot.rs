//! Robots as Python objects: read from URDF and SRDF, asked about configurations and edges.
//!
//! A robot is immutable. It keeps the checker of itself alone and that of the world of the last query, which is made again when the world has changed.
//! Single queries begin with nothing remembered, so that they are answered with the same bits in any order and from any thread.

use crate::batch::{fill, place, put};
use crate::input::{self, Count, Numbers, Real, kind_of, refused};
use crate::pose::Pose;
use crate::robot_answer::{RobotClearance, RobotContact, RobotEdge, RobotPath, RobotPlan};
use crate::shape::{Shape, count};
use crate::threads::{Weight, answer, run};
use crate::world::World;
use clearance_robot::{Checker, Collides, EdgeOptions, Options, Part, Plan, PlanOptions};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where a robot comes from, for pickles.
#[derive(Debug, Clone)]
struct Source {
    urdf: String,
    srdf: Option<String>,
    /// Are these two the texts, or the paths of the files?
    is_text: bool,
    options: Options,
}

/// A change of a robot since it was read, for pickles.
#[derive(Debug, Clone)]
enum Change {
    Attached { name: String, shape: Box<Shape>, link: String, pose: Pose, touching: Vec<String> },
    Base(Pose),
    Disabled(Vec<(String, String)>),
    Locked(BTreeMap<String, f64>),
}

/// A checker, and the names of the bodies of its world by their slots.
#[derive(Debug)]
struct Checks {
    /// The stamp of the world.
    stamp: Option<u64>,
    checker: Checker,
    bodies: Vec<String>,
}

impl Checks {
    fn name(&self, part: Part) -> String {
        match part {
            Part::Link(link) => {
                self.checker.robot().link_names().get(link).map_or_else(String::new, ToString::to_string)
            }
            Part::Obstacle(id) => self.bodies.get(id.slot() as usize).cloned().unwrap_or_default(),
        }
    }

    fn names(&self, [a, b]: [Part; 2]) -> (String, String) {
        (self.name(a), self.name(b))
    }

    fn clearance(&self, found: &clearance_robot::RobotClearance) -> RobotClearance {
        RobotClearance {
            distance: found.distance,
            lower: found.lower,
            upper: found.upper,
            links: self.names(found.parts),
            point_a: found.point_a.into(),
            point_b: found.point_b.into(),
            normal: found.normal.into(),
        }
    }

    fn edge(&self, edge: &clearance_robot::Edge) -> RobotEdge {
        let none = RobotEdge {
            free: edge.free(),
            lower: 0.0,
            upper: f64::INFINITY,
            at: 0.0,
            free_until: 0.0,
            contact: None,
            undecided: None,
            tests: 0,
        };
        match edge {
            clearance_robot::Edge::Free(free) => RobotEdge {
                lower: free.lower,
                upper: free.upper,
                at: free.at,
                free_until: 1.0,
                tests: free.tests,
                ..none
            },
            clearance_robot::Edge::Contact(contact) => {
                let found = &contact.found;
                let contact_at = RobotContact {
                    lower: contact.lower,
                    upper: contact.upper,
                    links: self.names(found.parts),
                    distance: found.distance,
                    point_a: found.point_a.into(),
                    point_b: found.point_b.into(),
                    normal: found.normal.into(),
                };
                RobotEdge { free_until: contact.lower, contact: Some(contact_at), tests: contact.tests, ..none }
            }
            clearance_robot::Edge::Undecided { from, parts, tests } => {
                RobotEdge { free_until: *from, undecided: Some(self.names(*parts)), tests: *tests, ..none }
            }
        }
    }
}

/// A number for a part in arrays: that of a link, or -1 less the number of a body of the world.
fn number(part: Part) -> f64 {
    match part {
        Part::Link(link) => link as f64,
        Part::Obstacle(id) => -1.0 - f64::from(id.slot()),
    }
}

/// A robot from URDF, with the pairs of links that an SRDF leaves out: a tree of links with bodies that can collide.
///
/// A configuration has a value for each of `joint_names`: radians or metres. Values outside the limits are answered about, too: see `outside_limits`.
/// Neighbours are not checked. A mesh is a solid if it is closed, and a shell otherwise: see `notes`. Robots are immutable; `attached`, `at`,
/// `locked` and `without_pairs` return new ones.
///
/// >>> from clearance import Robot, Shape, World
/// >>> bar = '<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>'
/// >>> turn = '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
///
/// >>> joint = f'<joint name="shoulder" type="continuous">{turn}</joint>'
/// >>> robot = Robot.parse(f'<robot name="arm"><link name="base"/><link name="arm">{bar}</link>{joint}</robot>')
/// >>> world = World()
///
/// >>> world.add("ball", Shape.sphere(radius=0.5), [2.0, 0, 0, 0, 0, 0, 1])
/// >>> found = robot.clearance([0.0], world)
/// >>> round(found.distance, 12), found.links
/// (0.5, ('ball', 'arm'))
/// >>> robot.in_collision([0.0], world)
/// False
/// >>> robot.edge([0.0], [1.5], world).free
/// True
#[pyclass(frozen, module = "clearance._native")]
pub struct Robot {
    robot: clearance_robot::Robot,
    source: Source,
    changes: Vec<Change>,
    alone: Mutex<Option<Arc<Checks>>>,
    around: Mutex<Option<Arc<Checks>>>,
}

impl Robot {
    fn read(py: Python<'_>, source: Source) -> PyResult<Self> {
        let Source { urdf, srdf, is_text, options } = &source;
        let robot = answer(py, Weight::Heavy, || match is_text {
            true => {
                let srdf = srdf.as_ref().map(|text| (text.as_str(), "the SRDF"));
                clearance_robot::Robot::parse(urdf, "the URDF", srdf, options)
            }
            false => clearance_robot::Robot::load(FilePath::new(urdf), srdf.as_ref().map(FilePath::new), options),
        })?;
        Ok(Self::new(robot.map_err(refused)?, source, Vec::new()))
    }

    fn new(robot: clearance_robot::Robot, source: Source, changes: Vec<Change>) -> Self {
        Self { robot, source, changes, alone: Mutex::default(), around: Mutex::default() }
    }

    fn link(&self, name: &str) -> PyResult<usize> {
        self.robot.link(name).ok_or_else(|| PyValueError::new_err(format!("no link has the name {name:?}")))
    }

    /// This robot, changed.
    fn changed(&self, change: Change) -> PyResult<Self> {
        let mut robot = self.robot.clone();
        match &change {
            Change::Attached { name, shape, link, pose, touching } => {
                let touching = touching.iter().map(|name| self.link(name)).collect::<PyResult<Vec<_>>>()?;
                robot.attach(self.link(link)?, name, shape.shape.clone(), pose.pose, &touching).map_err(refused)?;
            }
            Change::Base(pose) => robot = robot.at(pose.pose),
            Change::Locked(values) => {
                let values: Vec<_> = values.iter().map(|(name, &value)| (name.as_str(), value)).collect();
                robot.lock(&values).map_err(refused)?;
            }
            Change::Disabled(pairs) => {
                for (one, other) in pairs {
                    robot.disable(self.link(one)?, self.link(other)?);
                }
            }
        }
        let changes = self.changes.iter().cloned().chain([change]).collect();
        Ok(Self::new(robot, self.source.clone(), changes))
    }

    /// The checker for a world as it is now.
    fn checks(&self, py: Python<'_>, world: Option<&Bound<'_, World>>) -> PyResult<Arc<Checks>> {
        let kept = |place: &Mutex<Option<Arc<Checks>>>, stamp: Option<u64>| {
            let kept = place.lock().unwrap_or_else(PoisonError::into_inner);
            kept.as_ref().filter(|checks| checks.stamp == stamp).map(Arc::clone)
        };
        let keep = |place: &Mutex<Option<Arc<Checks>>>, checks: Checks| {
            let checks = Arc::new(checks);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&checks));
            checks
        };
        let Some(world) = world else {
            return Ok(match kept(&self.alone, None) {
                Some(checks) => checks,
                None => {
                    let checker = py.detach(|| Checker::new(&self.robot, None));
                    keep(&self.alone, Checks { stamp: None, checker, bodies: Vec::new() })
                }
            });
        };
        world.get().read(py, |named| {
            let stamp = Some(named.stamp);
            Ok(match kept(&self.around, stamp) {
                Some(checks) => checks,
                None => {
                    let checker = py.detach(|| Checker::new(&self.robot, Some(&named.world)));
                    keep(&self.around, Checks { stamp, checker, bodies: named.names.clone() })
                }
            })
        })
    }

    /// One configuration.
    fn configuration(&self, q: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
        let given = self.configurations(q, name)?;
        match given.numbers.shape() {
            [_] => Ok(given.rows().get(0).to_vec()),
            shape => {
                Err(PyValueError::new_err(format!("{name} has the shape {shape:?}, but must be one configuration")))
            }
        }
    }

    /// Configurations along the last axis.
    fn configurations<'py>(&self, q: &Bound<'py, PyAny>, name: &str) -> PyResult<Configurations<'py>> {
        let numbers = input::floats(q, name)?;
        match numbers.shape().last() {
            Some(&dof) if dof == self.robot.dof() => Ok(Configurations { numbers, dof }),
            _ => Err(PyValueError::new_err(format!(
                "{name} has the shape {:?}, but its last axis must have the {} values of joint_names",
                numbers.shape(),
                self.robot.dof()
            ))),
        }
    }

    /// Asks about one configuration.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, World>>,
        query: impl FnOnce(&mut Checker, &[f64]) -> Result<R, clearance_robot::Error> + Send,
    ) -> PyResult<(Arc<Checks>, R)> {
        let q = self.configuration(q, "q")?;
        let checks = self.checks(py, world)?;
        let found = answer(py, Weight::Medium, || query(&mut checks.checker.fresh(), &q))?;
        Ok((checks, found.map_err(refused)?))
    }

    /// An array of rows, one for each query of that leading shape.
    fn ask_batch<'py>(
        &self,
        py: Python<'py>,
        lead: &[usize],
        checks: &Checks,
        width: usize,
        threads: Option<Count>,
        query: impl Fn(&mut Checker, usize, &mut [f64]) -> Result<(), clearance_robot::Error> + Sync,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let mut out = vec![0.0; lead.iter().product::<usize>() * width];
        fill(
            py,
            count(threads),
            &mut out,
            width,
            || checks.checker.fresh(),
            |checker, number, row| {
                query(checker, number, row).map_err(|error| format!("query {}: {error}", place(number, lead)))
            },
        )?;
        array(py, out, [lead, &[width]].concat())
    }
}

/// Configurations of an argument.
struct Configurations<'py> {
    numbers: Numbers<'py, f64>,
    dof: usize,
}

/// Their rows, for threads without the interpreter.
#[derive(Clone, Copy)]
struct Rows<'a> {
    numbers: &'a [f64],
    lead: &'a [usize],
    dof: usize,
}

impl Configurations<'_> {
    fn rows(&self) -> Rows<'_> {
        let shape = self.numbers.shape();
        Rows { numbers: self.numbers.numbers(), lead: &shape[..shape.len() - 1], dof: self.dof }
    }
}

impl<'a> Rows<'a> {
    /// The configuration of a query, or the one for all.
    fn get(&self, query: usize) -> &'a [f64] {
        let at = if self.lead.is_empty() { 0 } else { query * self.dof };
        &self.numbers[at..at + self.dof]
    }
}

/// An array of that shape.
fn array<'py>(py: Python<'py>, numbers: Vec<f64>, shape: Vec<usize>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    PyArray1::from_vec(py, numbers).reshape(shape)
}

/// Calls something of `clearance._robot`, which has the tuples of arrays.
fn packed<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("clearance._robot")?.getattr(name)?.call1(arguments)
}

fn edge_options(resolution: Real, tests: Count) -> PyResult<EdgeOptions> {
    if !(0.0..=1.0).contains(&resolution.0) {
        let given = resolution.0;
        return Err(PyValueError::new_err(format!(
            "resolution is {given}, but must be a fraction of the edge, 0 to 1"
        )));
    }
    Ok(EdgeOptions { resolution: resolution.0, tests: tests.0, ..EdgeOptions::default() })
}

/// Folders of an argument: one path or some.
fn folders(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Vec<PathBuf>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(Vec::new()) };
    let paths = match value.extract::<PathBuf>() {
        Ok(path) => vec![path],
        Err(_) => value.extract::<Vec<PathBuf>>().map_err(|_| {
            PyTypeError::new_err(format!("{name} is a {}, but must be a list of folders", kind_of(value)))
        })?,
    };
    paths.iter().map(|path| absolute(path)).collect()
}

/// A path that stays what it is in a process with another working folder.
fn absolute(path: &FilePath) -> PyResult<PathBuf> {
    std::path::absolute(path).map_err(|error| PyValueError::new_err(format!("{}: {error}", path.display())))
}

fn text_of(path: PathBuf) -> PyResult<String> {
    let wrong = |path: std::ffi::OsString| PyValueError::new_err(format!("the path {path:?} is no text; rename it"));
    absolute(&path)?.into_os_string().into_string().map_err(wrong)
}

/// The defaults of [`EdgeOptions`], for signatures.
const RESOLUTION: f64 = 1.0 / (1_u64 << 20) as f64;
const TESTS: u64 = 1 << 20;

#[pymethods]
impl Robot {
    /// Reads a robot from files. `package_dirs` are the folders that hold the packages of `package://`. Other meshes are relative to the URDF, in its folder or in
    /// one of `allow`. `fill_holes` closes the holes of meshes.
    #[classmethod]
    #[pyo3(signature = (urdf, srdf = None, package_dirs = None, *, allow = None, fill_holes = false),
           text_signature = "($cls, urdf, srdf=None, package_dirs=(), *, allow=(), fill_holes=False)")]
    fn load(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        urdf: PathBuf,
        srdf: Option<PathBuf>,
        package_dirs: Option<&Bound<'_, PyAny>>,
        allow: Option<&Bound<'_, PyAny>>,
        fill_holes: bool,
    ) -> PyResult<Self> {
        let options = Options {
            package_dirs: folders(package_dirs, "package_dirs")?,
            allowed: folders(allow, "allow")?,
            fill_holes,
        };
        let (urdf, srdf) = (text_of(urdf)?, srdf.map(text_of).transpose()?);
        Self::read(py, Source { urdf, srdf, is_text: false, options })
    }

    /// Reads a robot from the text of a URDF, and of an SRDF. Meshes come from packages only.
    #[classmethod]
    #[pyo3(signature = (urdf, srdf = None, package_dirs = None, *, fill_holes = false),
           text_signature = "($cls, urdf, srdf=None, package_dirs=(), *, fill_holes=False)")]
    fn parse(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        urdf: String,
        srdf: Option<String>,
        package_dirs: Option<&Bound<'_, PyAny>>,
        fill_holes: bool,
    ) -> PyResult<Self> {
        let options =
            Options { package_dirs: folders(package_dirs, "package_dirs")?, fill_holes, ..Options::default() };
        Self::read(py, Source { urdf, srdf, is_text: true, options })
    }

    /// The name of the robot.
    #[getter]
    fn name(&self) -> &str {
        self.robot.name()
    }

    /// How many values a configuration has.
    #[getter]
    fn dof(&self) -> usize {
        self.robot.dof()
    }

    /// The names of the values of a configuration: the joints that move and mimic no other, in the order of the file. A planar joint `j` has `j/x`, `j/y` and
    /// `j/turn`; a floating one `j/x`, `j/y`, `j/z`, `j/yaw`, `j/pitch` and `j/roll`.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.robot.joint_names()
    }

    /// The names of all links, in the order of the file.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        self.robot.link_names()
    }

    /// The lowest value of each joint, minus infinity where there is none.
    #[getter]
    fn lower_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.robot.lower_limits())
    }

    /// The highest value of each joint, infinity where there is none.
    #[getter]
    fn upper_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.robot.upper_limits())
    }

    /// Sentences about files that are not quite as a robot's should be: meshes that are no solids, rules about links that do not exist.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.robot.notes().to_vec()
    }

    /// The pairs of links that are checked against each other.
    #[getter]
    fn checked_pairs(&self) -> Vec<(&str, &str)> {
        let names = self.robot.link_names();
        self.robot.checked_pairs().iter().map(|&[one, other]| (names[one], names[other])).collect()
    }

    /// The names of the joints whose values are outside their limits.
    fn outside_limits(&self, q: &Bound<'_, PyAny>) -> PyResult<Vec<&str>> {
        let q = self.configuration(q, "q")?;
        let names = self.robot.joint_names();
        Ok(self.robot.outside_limits(&q).into_iter().map(|joint| names[joint]).collect())
    }

    /// A configuration within the limits, the same for the same seed. A turn without limits is within pi, a slide without limits within 1.
    #[pyo3(signature = (seed = Count(0)), text_signature = "($self, seed=0)")]
    fn random_configuration<'py>(&self, py: Python<'py>, seed: Count) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.robot.random_configuration(seed.0))
    }

    /// The poses of all links, in the order of `link_names`: 4 x 4 matrices in an array of the leading shape of q and (links, 4, 4).
    fn link_poses<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let q = self.configurations(q, "q")?;
        let q = q.rows();
        let checks = self.checks(py, None)?;
        let links = self.robot.link_names().len();
        let rows = self.ask_batch(py, q.lead, &checks, 16 * links, None, |checker, query, row| {
            for (place, pose) in
                row.as_chunks_mut::<16>().0.iter_mut().zip(checker.robot().forward_kinematics(q.get(query))?)
            {
                place.copy_from_slice(pose.to_rows().as_flattened());
            }
            Ok(())
        })?;
        rows.reshape([q.lead, &[links, 4, 4]].concat())
    }

    /// The clearance at a configuration, against itself and the bodies of a world; None if no pair is checked.
    #[pyo3(signature = (q, world = None))]
    fn clearance(
        &self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, World>>,
    ) -> PyResult<Option<RobotClearance>> {
        let (checks, found) = self.ask(py, q, world, Checker::clearance)?;
        Ok(found.map(|found| checks.clearance(&found)))
    }

    /// The clearance, and its derivatives by the joints, for optimizers: those of the closest pair at its closest points. These are not proved.
    #[pyo3(signature = (q, world = None))]
    fn clearance_and_gradient<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        world: Option<&Bound<'py, World>>,
    ) -> PyResult<Option<(RobotClearance, Bound<'py, PyArray1<f64>>)>> {
        let (checks, found) = self.ask(py, q, world, Checker::clearance_and_gradient)?;
        Ok(found.map(|(found, gradient)| (checks.clearance(&found), PyArray1::from_vec(py, gradient))))
    }

    /// Does the robot collide at a configuration? False is proved. A touch within rounding is a collision, as in `intersects`; `clearance` has the bracket.
    #[pyo3(signature = (q, world = None))]
    fn in_collision(&self, py: Python<'_>, q: &Bound<'_, PyAny>, world: Option<&Bound<'_, World>>) -> PyResult<bool> {
        Ok(self.ask(py, q, world, Checker::in_collision)?.1 != Collides::No)
    }

    /// The clearances at many configurations, an array of the shape (..., dof): distances of the same leading shape, infinite if no pair is checked. `full` adds
    /// bounds, parts, points, normals and gradients.
    ///
    /// A configuration starts from those before it, which may change an answer within its bracket. The bits are the same for any number of threads.
    #[pyo3(signature = (q, world = None, *, full = false, threads = None))]
    fn clearance_batch<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        world: Option<&Bound<'py, World>>,
        full: bool,
        threads: Option<Count>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let q = self.configurations(q, "q")?;
        let q = q.rows();
        let checks = self.checks(py, world)?;
        if !full {
            let rows = self.ask_batch(py, q.lead, &checks, 1, threads, |checker, query, row| {
                row[0] = checker.clearance(q.get(query))?.map_or(f64::INFINITY, |found| found.distance);
                Ok(())
            })?;
            return Ok(rows.reshape(q.lead.to_vec())?.into_any());
        }
        let rows = self.ask_batch(py, q.lead, &checks, 14 + self.robot.dof(), threads, |checker, query, row| {
            let Some((found, gradient)) = checker.clearance_and_gradient(q.get(query))? else {
                row[..3].fill(f64::INFINITY);
                row[3..5].fill(f64::NAN);
                return Ok(());
            };
            row[..3].copy_from_slice(&[found.distance, found.lower, found.upper]);
            row[3..5].copy_from_slice(&found.parts.map(number));
            put(&mut row[5..14], &[found.point_a, found.point_b, found.normal]);
            row[14..].copy_from_slice(&gradient);
            Ok(())
        })?;
        packed(py, "clearances", (rows,))
    }

    /// Whether the robot collides at many configurations: see `in_collision`.
    #[pyo3(signature = (q, world = None, *, threads = None))]
    fn in_collision_batch<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        world: Option<&Bound<'py, World>>,
        threads: Option<Count>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let q = self.configurations(q, "q")?;
        let q = q.rows();
        let checks = self.checks(py, world)?;
        let rows = self.ask_batch(py, q.lead, &checks, 1, threads, |checker, query, row| {
            row[0] = f64::from(u8::from(checker.in_collision(q.get(query))? != Collides::No));
            Ok(())
        })?;
        packed(py, "truths", (rows,))
    }

    /// The name of a part by its number in arrays: links count from 0, bodies of the world down from -1.
    #[pyo3(signature = (number, world = None))]
    fn name_of(&self, py: Python<'_>, number: &Bound<'_, PyAny>, world: Option<&Bound<'_, World>>) -> PyResult<String> {
        let number: i64 =
            number.extract().map_err(|error: PyErr| match error.is_instance_of::<PyOverflowError>(py) {
                true => PyValueError::new_err(format!("no part has the number {number}")),
                false => PyTypeError::new_err(format!("a whole number is needed, not {}", kind_of(number))),
            })?;
        let checks = self.checks(py, world)?;
        let found = match usize::try_from(number) {
            Ok(link) => self.robot.link_names().get(link).map(ToString::to_string),
            Err(_) => usize::try_from(-1 - number).ok().and_then(|slot| checks.bodies.get(slot).cloned()),
        };
        found.ok_or_else(|| PyValueError::new_err(format!("no part has the number {number}")))
    }

    /// Is the straight edge between two configurations free? All values change at constant rates. `resolution` is the width of the bracket of a contact, as a
    /// fraction of the edge; with 1 the search ends at the first contact that it samples. `tests` is the budget, in tests of a pair.
    #[pyo3(signature = (q0, q1, world = None, *, resolution = Real(RESOLUTION), tests = Count(TESTS)),
           text_signature = "($self, q0, q1, world=None, *, resolution=9.5367431640625e-07, tests=1048576)")]
    fn edge(
        &self,
        py: Python<'_>,
        q0: &Bound<'_, PyAny>,
        q1: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, World>>,
        resolution: Real,
        tests: Count,
    ) -> PyResult<RobotEdge> {
        let (q0, q1) = (self.configuration(q0, "q0")?, self.configuration(q1, "q1")?);
        let options = edge_options(resolution, tests)?;
        let checks = self.checks(py, world)?;
        let found = answer(py, Weight::Medium, || checks.checker.fresh().edge(&q0, &q1, &options))?;
        Ok(checks.edge(&found.map_err(refused)?))
    }

    /// Whether many straight edges are free: `q0` and `q1` have the shape (..., dof), or one of them is one configuration.
    #[pyo3(signature = (q0, q1, world = None, *, resolution = Real(RESOLUTION), tests = Count(TESTS), threads = None),
           text_signature = "($self, q0, q1, world=None, *, resolution=9.5367431640625e-07, tests=1048576, threads=None)")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn edge_batch<'py>(
        &self,
        py: Python<'py>,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        world: Option<&Bound<'py, World>>,
        resolution: Real,
        tests: Count,
        threads: Option<Count>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (q0, q1) = (self.configurations(q0, "q0")?, self.configurations(q1, "q1")?);
        let (q0, q1) = (q0.rows(), q1.rows());
        let (one, other) = (q0.lead, q1.lead);
        if one != other && !one.is_empty() && !other.is_empty() {
            let sentence =
                format!("the leading shapes of q0 and q1 are {one:?} and {other:?}; give as many ends as starts");
            return Err(PyValueError::new_err(sentence));
        }
        let lead = if one.is_empty() { other } else { one };
        let (options, checks) = (edge_options(resolution, tests)?, self.checks(py, world)?);
        let rows = self.ask_batch(py, lead, &checks, 5, threads, |checker, query, row| {
            let found = match checker.edge(q0.get(query), q1.get(query), &options)? {
                clearance_robot::Edge::Free(free) => [1.0, free.lower, free.upper, 1.0, f64::INFINITY],
                clearance_robot::Edge::Contact(contact) => [0.0, 0.0, f64::INFINITY, contact.lower, contact.upper],
                clearance_robot::Edge::Undecided { from, .. } => [0.0, 0.0, f64::INFINITY, from, f64::INFINITY],
            };
            row.copy_from_slice(&found);
            Ok(())
        })?;
        packed(py, "edges", (rows,))
    }

    /// Are the straight edges between waypoints, an array of the shape (N, dof), free? The search ends with the first edge that is not.
    ///
    /// >>> bar = '<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>'
    /// >>> turn = '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
    ///
    /// >>> joint = f'<joint name="shoulder" type="continuous">{turn}</joint>'
    /// >>> robot = Robot.parse(f'<robot name="arm"><link name="base"/><link name="arm">{bar}</link>{joint}</robot>')
    /// >>> world = World()
    ///
    /// >>> world.add("ball", Shape.sphere(radius=0.2), [0.0, 0.9, 0, 0, 0, 0, 1])
    /// >>> found = robot.path([[0.0], [0.7], [1.5]], world)
    /// >>> found.free, [edge.free for edge in found.edges]
    /// (False, [True, False])
    /// >>> contact = found.edges[-1].contact
    /// >>> contact.links, contact.upper - contact.lower < 1e-5
    /// (('ball', 'arm'), True)
    #[pyo3(signature = (waypoints, world = None, *, resolution = Real(RESOLUTION), tests = Count(TESTS)),
           text_signature = "($self, waypoints, world=None, *, resolution=9.5367431640625e-07, tests=1048576)")]
    fn path(
        &self,
        py: Python<'_>,
        waypoints: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, World>>,
        resolution: Real,
        tests: Count,
    ) -> PyResult<RobotPath> {
        let given = self.configurations(waypoints, "waypoints")?;
        let points = given.rows();
        let &[count] = points.lead else {
            let shape = given.numbers.shape();
            return Err(PyValueError::new_err(format!("waypoints has the shape {shape:?}, but must have (N, dof)")));
        };
        let (options, checks) = (edge_options(resolution, tests)?, self.checks(py, world)?);
        let points: Vec<&[f64]> = (0..count).map(|number| points.get(number)).collect();
        for (number, point) in points.iter().enumerate() {
            let refused = |error| PyValueError::new_err(format!("waypoints[{number}]: {error}"));
            self.robot.forward_kinematics(point).map_err(refused)?;
        }
        let mut checker = checks.checker.fresh();
        let mut path = RobotPath { free: Some(true), lower: f64::INFINITY, edges: Vec::new() };
        // A single waypoint is an edge that does not move.
        let last = points.len().saturating_sub(1);
        for number in 0..points.len().min(last.max(1)) {
            py.check_signals()?;
            let ends = [points[number], points[(number + 1).min(last)]];
            let found = py.detach(|| checker.edge(ends[0], ends[1], &options)).map_err(refused)?;
            let edge = checks.edge(&found);
            path.free = edge.free;
            path.edges.push(edge);
            match found {
                clearance_robot::Edge::Free(free) => path.lower = path.lower.min(free.lower),
                _ => break,
            }
        }
        Ok(path)
    }

    /// A path from one configuration to another, proved edge by edge: by RRT-Connect and shortcuts, with the same path for the same `seed`.
    ///
    /// `step` is the longest edge of the search, `samples` its budget, `shortcuts` how many are tried. Edges whose clearance is `clearance_weight` cost twice their length; with 0 only the
    /// length counts. `seconds` ends the search early; a path that is found then has fewer shortcuts.
    #[pyo3(signature = (start, goal, world = None, *, seed = Count(0), step = Real(1.0), samples = Count(100_000), shortcuts = Count(200), clearance_weight = Real(0.02), seconds = None),
           text_signature = "($self, start, goal, world=None, *, seed=0, step=1.0, samples=100000, shortcuts=200, clearance_weight=0.02, seconds=None)")]
    // As many arguments as Python has keywords for.
    #[allow(clippy::too_many_arguments)]
    fn plan(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        world: Option<&Bound<'_, World>>,
        seed: Count,
        step: Real,
        samples: Count,
        shortcuts: Count,
        clearance_weight: Real,
        seconds: Option<Real>,
    ) -> PyResult<RobotPlan> {
        let (start, goal) = (self.configuration(start, "start")?, self.configuration(goal, "goal")?);
        let end = match seconds {
            Some(Real(seconds)) if !(0.0..=1e9).contains(&seconds) => {
                return Err(PyValueError::new_err(format!("seconds is {seconds}, but must be a number from 0 to 1e9")));
            }
            _ => seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.0)),
        };
        let options = PlanOptions {
            seed: seed.0,
            step: step.0,
            samples: samples.0,
            shortcuts: shortcuts.0,
            clearance_weight: clearance_weight.0,
        };
        let checks = self.checks(py, world)?;
        let mut found = None;
        run(py, Some(1), |is_stopped| {
            let is_late = || end.is_some_and(|end| Instant::now() > end);
            let stop = || is_stopped.load(Ordering::Relaxed) || is_late();
            found = Some(checks.checker.plan_until(&start, &goal, &options, stop));
        })?;
        let found = found.unwrap_or(Ok(Plan::NotFound { samples: 0 })).map_err(refused)?;
        Ok(RobotPlan::from(found))
    }

    /// The robot with an object fixed to a link, as a link of its own with that name. It is not checked against the links in `touching`.
    #[pyo3(signature = (name, shape, *, link, pose = None, touching = Vec::new()),
           text_signature = "($self, name, shape, *, link, pose=None, touching=())")]
    fn attached(
        &self,
        name: String,
        shape: &Bound<'_, Shape>,
        link: String,
        pose: Option<&Bound<'_, PyAny>>,
        touching: Vec<String>,
    ) -> PyResult<Self> {
        let pose = input::pose(pose, "pose")?.into();
        self.changed(Change::Attached { name, shape: Box::new(shape.get().clone()), link, pose, touching })
    }

    /// The robot with its root link at a pose.
    fn at(&self, pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.changed(Change::Base(input::pose(Some(pose), "pose")?.into()))
    }

    /// The robot without the check of some pairs of links.
    fn without_pairs(&self, pairs: Vec<(String, String)>) -> PyResult<Self> {
        self.changed(Change::Disabled(pairs))
    }

    /// The robot with some joints fixed at values: a dictionary of names and numbers. They are no longer part of configurations, nor are joints that mimic them.
    fn locked(&self, values: BTreeMap<String, Real>) -> PyResult<Self> {
        self.changed(Change::Locked(values.into_iter().map(|(name, value)| (name, value.0)).collect()))
    }

    /// The text of an SRDF that leaves out neighbours and the pairs that collide in no sample or in all of them, as MoveIt's assistant does. It is a proposal: a
    /// rare collision may be in none of the samples.
    #[pyo3(signature = (samples = Count(10_000), seed = Count(0)), text_signature = "($self, samples=10000, seed=0)")]
    fn propose_srdf(&self, py: Python<'_>, samples: Count, seed: Count) -> PyResult<String> {
        /// Limit: a configuration of each is in memory.
        const MOST: u64 = 10_000_000;
        if samples.0 > MOST {
            return Err(PyValueError::new_err(format!("samples is {}, but at most {MOST} are supported", samples.0)));
        }
        let found = answer(py, Weight::Heavy, || self.robot.propose_disabled(samples.0 as usize, seed.0))?;
        Ok(self.robot.srdf(&found.map_err(refused)?))
    }

    fn __repr__(&self) -> String {
        let (joints, links) = (self.robot.dof(), self.robot.link_names().len());
        format!("<Robot {:?}: {joints} joints, {links} links>", self.robot.name())
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, Self { source, changes, .. }) = (this.py(), this.get());
        let folders = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        let Options { package_dirs, allowed, fill_holes } = &source.options;
        let changes = changes
            .iter()
            .map(|change| match change {
                Change::Attached { name, shape, link, pose, touching } => {
                    (name, Shape::clone(shape), link, pose.clone(), touching).into_pyobject(py)
                }
                Change::Base(pose) => (pose.clone(),).into_pyobject(py),
                Change::Disabled(pairs) => ("without_pairs", pairs).into_pyobject(py),
                Change::Locked(values) => ("locked", values).into_pyobject(py),
            })
            .collect::<PyResult<Vec<_>>>()?;
        let folders = (folders(package_dirs), folders(allowed), *fill_holes);
        let arguments = (&source.urdf, &source.srdf, source.is_text, folders, changes).into_pyobject(py)?;
        Ok((py.import("clearance._native")?.getattr("rebuild_robot")?, arguments))
    }
}

/// The numbers of a pickle that say how files are read.
type Written = (Vec<PathBuf>, Vec<PathBuf>, bool);

/// A robot from its pickle: the files are read again.
#[pyfunction]
pub fn rebuild_robot(
    py: Python<'_>,
    urdf: String,
    srdf: Option<String>,
    is_text: bool,
    folders: Written,
    changes: Vec<Bound<'_, PyTuple>>,
) -> PyResult<Robot> {
    let (package_dirs, allowed, fill_holes) = folders;
    let options = Options { package_dirs, allowed, fill_holes };
    let mut robot = Robot::read(py, Source { urdf, srdf, is_text, options })?;
    for change in changes {
        let change = match change.len() {
            1 => Change::Base(input::pose(Some(&change.get_item(0)?), "pose")?.into()),
            2 if change.get_item(0)?.eq("locked")? => Change::Locked(change.get_item(1)?.extract()?),
            2 => Change::Disabled(change.get_item(1)?.extract()?),
            _ => {
                let (name, shape, link, pose, touching) =
                    change.extract::<(String, Bound<'_, Shape>, String, Bound<'_, PyAny>, Vec<String>)>()?;
                let pose = input::pose(Some(&pose), "pose")?.into();
                Change::Attached { name, shape: Box::new(shape.get().clone()), link, pose, touching }
            }
        };
        robot = robot.changed(change)?;
    }
    Ok(robot)
}
