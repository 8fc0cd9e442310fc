//! Batches: arrays of the caller are read where they are, and answers are written into arrays that the caller has made.
//!
//! The package on top (`clearance/_batch.py`) does the shapes of arrays: it hands over flat arrays in C order.
//!
//! **Contract.** Each answer is that of the single query of the same name, bit for bit, for any number of threads. With `warm`, a new
//! [`Pair`] takes over after every 64 queries, as in [`clearance::Batch`]. The first bad pose, ray or point of a batch is named, whatever the threads
//! did first. Until the end of a batch its answers must not be read.

use crate::input::{self, Count, Numbers, Real, Vector, refused};
use crate::query;
use crate::shape::{Shape, count, shapes};
use crate::threads;
use crate::world::World;
use clearance::{BuildError, Pair, Pose, Ray};
use numpy::{PyArray1, PyArrayMethods, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Queries of one task: warm queries share a pair. Limit: that of [`clearance::Batch`], since warm answers may depend on it.
const SHARED: usize = 64;

/// The first fault of a batch.
#[derive(Default)]
struct Faults {
    /// The number of its query, and why it cannot be asked.
    sentence: Mutex<Option<(usize, String)>>,
}

/// Fills rows of numbers, one for each query: by tasks of 64 queries, each with a state of its own.
pub(crate) fn fill<T: Send, S>(
    py: Python<'_>,
    threads: Option<u64>,
    out: &mut [T],
    width: usize,
    state: impl Fn() -> S + Sync,
    answer: impl Fn(&mut S, usize, &mut [T]) -> Result<(), String> + Sync,
) -> PyResult<()> {
    let (first, faults) = (AtomicUsize::new(usize::MAX), Faults::default());
    threads::run(py, threads, |is_stopped: &AtomicBool| {
        out.par_chunks_mut(SHARED * width).enumerate().for_each(|(task, rows)| {
            let start = task * SHARED;
            // The fault of the earliest query is reported.
            if start > first.load(Ordering::Relaxed) {
                return;
            }
            let mut state = state();
            for (query, row) in (start..).zip(rows.chunks_mut(width)) {
                if is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(sentence) = answer(&mut state, query, row) {
                    first.fetch_min(query, Ordering::Relaxed);
                    let mut known = faults.sentence.lock().unwrap_or_else(PoisonError::into_inner);
                    if known.as_ref().is_none_or(|(other, _)| query < *other) {
                        *known = Some((query, sentence));
                    }
                    return;
                }
            }
        });
    })?;
    match faults.sentence.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, sentence)) => Err(PyValueError::new_err(sentence)),
        None => Ok(()),
    }
}

/// The place of a query in an array of that shape, for sentences.
pub(crate) fn place(mut number: usize, shape: &[usize]) -> String {
    let mut indices = Vec::new();
    for &length in shape.iter().rev() {
        let length = length.max(1);
        indices.push((number % length).to_string());
        number /= length;
    }
    indices.reverse();
    if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) }
}

/// Poses of an argument: one for all queries, or one for each.
enum Poses<'a> {
    Fixed(Pose),
    Rows(&'a [f64]),
    Sevens(&'a [f64]),
}

impl<'a> Poses<'a> {
    /// A flat array of the shape (1 or N, 16 or 7).
    fn of(numbers: Option<&'a Numbers<'_, f64>>, queries: usize, name: &str) -> PyResult<Self> {
        let Some(numbers) = numbers else { return Ok(Self::Fixed(Pose::IDENTITY)) };
        let values = numbers.numbers();
        match *numbers.shape() {
            [1, 16] => input::pose_of_rows(values).map(Self::Fixed).map_err(input::refused_in(name)),
            [1, 7] => input::pose_of_seven(values).map(Self::Fixed).map_err(input::refused_in(name)),
            [n, 16] if n == queries => Ok(Self::Rows(values)),
            [n, 7] if n == queries => Ok(Self::Sevens(values)),
            ref shape => {
                Err(PyValueError::new_err(format!("{name} has the flat shape {shape:?} for {queries} queries")))
            }
        }
    }

    #[inline]
    fn get(&self, query: usize) -> Result<Pose, BuildError> {
        match self {
            Self::Fixed(pose) => Ok(*pose),
            Self::Rows(numbers) => input::pose_of_rows(&numbers[16 * query..16 * query + 16]),
            Self::Sevens(numbers) => input::pose_of_seven(&numbers[7 * query..7 * query + 7]),
        }
    }
}

/// The shapes of an argument: one for all queries, one for each, or numbers of a list.
struct Chosen<'a> {
    shapes: Vec<Shape>,
    numbers: Option<&'a [i64]>,
}

impl<'a> Chosen<'a> {
    fn of(shapes: Vec<Shape>, numbers: Option<&'a Numbers<'_, i64>>, queries: usize, name: &str) -> PyResult<Self> {
        let numbers = numbers.map(Numbers::numbers);
        let count = shapes.len();
        if let Some(numbers) = numbers {
            if numbers.len() != queries {
                return Err(PyValueError::new_err(format!(
                    "{} numbers of {name} for {queries} queries",
                    numbers.len()
                )));
            }
            if let Some(bad) = numbers.iter().find(|&&number| usize::try_from(number).map_or(true, |n| n >= count)) {
                let sentence = format!("a pair has the number {bad}, but there are {count} {name}, counted from 0");
                return Err(PyValueError::new_err(sentence));
            }
        } else if count != 1 && count != queries {
            return Err(PyValueError::new_err(format!("{name} has {count} shapes for {queries} queries")));
        }
        Ok(Self { shapes, numbers })
    }

    #[inline]
    fn get(&self, query: usize) -> &clearance::Shape {
        let number = match self.numbers {
            Some(numbers) => numbers[query] as usize,
            None if self.shapes.len() == 1 => 0,
            None => query,
        };
        &self.shapes[number].shape
    }

    /// The one shape of all queries.
    fn only(&self) -> Option<&clearance::Shape> {
        match (&self.shapes[..], self.numbers) {
            ([only], None) => Some(&only.shape),
            _ => None,
        }
    }
}

/// Two sides of a batch about pairs of shapes.
#[derive(FromPyObject)]
pub struct Pairs<'py> {
    #[pyo3(item)]
    a: Bound<'py, PyAny>,
    #[pyo3(item)]
    b: Bound<'py, PyAny>,
    #[pyo3(item)]
    numbers_a: Option<Bound<'py, PyAny>>,
    #[pyo3(item)]
    numbers_b: Option<Bound<'py, PyAny>>,
    #[pyo3(item)]
    pose_a: Option<Bound<'py, PyAny>>,
    #[pyo3(item)]
    pose_b: Option<Bound<'py, PyAny>>,
    /// The shape of the answers.
    #[pyo3(item)]
    shape: Vec<usize>,
    #[pyo3(item)]
    warm: bool,
    #[pyo3(item)]
    threads: Option<Bound<'py, PyAny>>,
}

/// A query of two shapes at two poses: with what a pair remembers, or without.
trait Question<T>: Sync {
    fn warm(&self, pair: &mut Pair, poses: [Pose; 2], row: &mut [T]);
    fn cold(&self, shapes: [&clearance::Shape; 2], poses: [Pose; 2], row: &mut [T]);
}

fn ask<T: Send>(
    py: Python<'_>,
    pairs: &Pairs<'_>,
    out: &mut [T],
    width: usize,
    question: &impl Question<T>,
) -> PyResult<()> {
    let queries = out.len() / width;
    let flat_a = pairs.pose_a.as_ref().map(|value| input::floats(value, "pose_a")).transpose()?;
    let flat_b = pairs.pose_b.as_ref().map(|value| input::floats(value, "pose_b")).transpose()?;
    let numbers_a = pairs.numbers_a.as_ref().map(|value| input::integers(value, "pairs")).transpose()?;
    let numbers_b = pairs.numbers_b.as_ref().map(|value| input::integers(value, "pairs")).transpose()?;
    let a = Chosen::of(shapes(&pairs.a, "a")?, numbers_a.as_ref(), queries, "shapes")?;
    let b = Chosen::of(shapes(&pairs.b, "b")?, numbers_b.as_ref(), queries, "shapes")?;
    let pose_a = Poses::of(flat_a.as_ref(), queries, "pose_a")?;
    let pose_b = Poses::of(flat_b.as_ref(), queries, "pose_b")?;
    let threads = pairs.threads.as_ref().map(|threads| threads.extract::<Count>()).transpose()?;
    let threads = count(threads);
    let shape = &pairs.shape[..];
    let named = |query: usize, name: &'static str| {
        move |error: BuildError| error.prefixed(&format!("{name}{}.", place(query, shape))).to_string()
    };
    let poses = |query: usize| -> Result<[Pose; 2], String> {
        Ok([pose_a.get(query).map_err(named(query, "pose_a"))?, pose_b.get(query).map_err(named(query, "pose_b"))?])
    };
    if pairs.warm {
        let (Some(a), Some(b)) = (a.only(), b.only()) else {
            return Err(PyValueError::new_err("warm queries are about one pair of shapes; leave warm out"));
        };
        return fill(
            py,
            threads,
            out,
            width,
            || Pair::new(a, b),
            |pair, query, row| {
                question.warm(pair, poses(query)?, row);
                Ok(())
            },
        );
    }
    fill(
        py,
        threads,
        out,
        width,
        || (),
        |(), query, row| {
            question.cold([a.get(query), b.get(query)], poses(query)?, row);
            Ok(())
        },
    )
}

/// The array that answers are written into.
fn rows<'py, T: numpy::Element>(out: &Bound<'py, PyArray1<T>>) -> PyResult<PyReadwriteArray1<'py, T>> {
    out.try_readwrite().map_err(refused)
}

fn slice<'a, T: numpy::Element>(rows: &'a mut PyReadwriteArray1<'_, T>) -> PyResult<&'a mut [T]> {
    rows.as_slice_mut().map_err(refused)
}

/// Numbers of a full answer: distance, lower, upper, two points and the normal.
const FULL: usize = 12;

/// Writes vectors one after the other.
pub(crate) fn put(row: &mut [f64], vectors: &[clearance::math::DVec3]) {
    for (place, vector) in row.as_chunks_mut::<3>().0.iter_mut().zip(vectors) {
        *place = vector.to_array();
    }
}

struct Distance;

impl Distance {
    fn put(found: &clearance::Clearance, row: &mut [f64]) {
        row[0] = found.distance;
        if row.len() == FULL {
            (row[1], row[2]) = (found.lower, found.upper);
            put(&mut row[3..], &[found.point_a, found.point_b, found.normal]);
        }
    }
}

impl Question<f64> for Distance {
    fn warm(&self, pair: &mut Pair, [pose_a, pose_b]: [Pose; 2], row: &mut [f64]) {
        Self::put(&pair.distance(pose_a, pose_b), row);
    }

    fn cold(&self, [a, b]: [&clearance::Shape; 2], [pose_a, pose_b]: [Pose; 2], row: &mut [f64]) {
        Self::put(&clearance::distance(a, pose_a, b, pose_b), row);
    }
}

struct Intersection;

impl Question<bool> for Intersection {
    fn warm(&self, pair: &mut Pair, [pose_a, pose_b]: [Pose; 2], row: &mut [bool]) {
        row[0] = pair.intersects(pose_a, pose_b);
    }

    fn cold(&self, [a, b]: [&clearance::Shape; 2], [pose_a, pose_b]: [Pose; 2], row: &mut [bool]) {
        row[0] = clearance::intersects(a, pose_a, b, pose_b);
    }
}

struct Within(f64);

impl Question<bool> for Within {
    fn warm(&self, pair: &mut Pair, [pose_a, pose_b]: [Pose; 2], row: &mut [bool]) {
        row[0] = pair.within(pose_a, pose_b, self.0).is_some();
    }

    fn cold(&self, [a, b]: [&clearance::Shape; 2], [pose_a, pose_b]: [Pose; 2], row: &mut [bool]) {
        row[0] = clearance::within(a, pose_a, b, pose_b, self.0).is_some();
    }
}

struct Depth(clearance::DepthBudget);

impl Depth {
    fn put(found: &clearance::Depth, row: &mut [f64]) {
        (row[0], row[1]) = (found.lower, found.upper);
        put(&mut row[2..], &[found.translation]);
    }
}

impl Question<f64> for Depth {
    fn warm(&self, pair: &mut Pair, [pose_a, pose_b]: [Pose; 2], row: &mut [f64]) {
        Self::put(&pair.depth(pose_a, pose_b, self.0), row);
    }

    fn cold(&self, [a, b]: [&clearance::Shape; 2], [pose_a, pose_b]: [Pose; 2], row: &mut [f64]) {
        Self::put(&clearance::depth(a, pose_a, b, pose_b, self.0), row);
    }
}

/// Distances, or full answers of twelve numbers.
#[pyfunction]
pub fn fill_distances(py: Python<'_>, pairs: Pairs<'_>, out: &Bound<'_, PyArray1<f64>>, full: bool) -> PyResult<()> {
    ask(py, &pairs, slice(&mut rows(out)?)?, if full { FULL } else { 1 }, &Distance)
}

/// Whether shapes share a point.
#[pyfunction]
pub fn fill_intersections(py: Python<'_>, pairs: Pairs<'_>, out: &Bound<'_, PyArray1<bool>>) -> PyResult<()> {
    ask(py, &pairs, slice(&mut rows(out)?)?, 1, &Intersection)
}

/// Whether shapes are at most a margin apart.
#[pyfunction]
pub fn fill_within(py: Python<'_>, pairs: Pairs<'_>, out: &Bound<'_, PyArray1<bool>>, margin: Real) -> PyResult<()> {
    ask(py, &pairs, slice(&mut rows(out)?)?, 1, &Within(query::margin(margin)?))
}

/// Depths: the two bounds and a translation each.
#[pyfunction]
pub fn fill_depths(
    py: Python<'_>,
    pairs: Pairs<'_>,
    out: &Bound<'_, PyArray1<f64>>,
    width: Real,
    nodes: Option<Count>,
    seconds: Option<Real>,
    scope: &str,
) -> PyResult<()> {
    let budget = query::budget(width, nodes, seconds, scope)?;
    ask(py, &pairs, slice(&mut rows(out)?)?, 5, &Depth(budget))
}

/// A shape at a pose, or the bodies of a world.
enum Target<'a> {
    Shape(&'a Shape, Pose),
    World(&'a clearance::World),
}

/// Runs a batch about a shape or a world.
fn with_target<R>(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    then: impl FnOnce(Target<'_>) -> PyResult<R>,
) -> PyResult<R> {
    if let Ok(world) = target.cast::<World>() {
        return world.get().read(py, |named| then(Target::World(&named.world)));
    }
    let Ok(shape) = target.cast::<Shape>() else {
        let kind = input::kind_of(target);
        return Err(pyo3::exceptions::PyTypeError::new_err(format!("a Shape or a World is needed, not a {kind}")));
    };
    then(Target::Shape(shape.get(), input::pose(pose, "pose")?))
}

/// A point of a flat array, or the one for all queries.
#[inline]
fn vector(numbers: &[f64], query: usize) -> [f64; 3] {
    let at = if numbers.len() == 3 { 0 } else { 3 * query };
    [numbers[at], numbers[at + 1], numbers[at + 2]]
}

/// Refuses a flat array that is neither for one query nor for each.
fn fits(numbers: &[f64], width: usize, queries: usize, name: &str) -> PyResult<()> {
    if numbers.len() == width || numbers.len() == width * queries {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} has {} numbers for {queries} queries", numbers.len())))
}

/// Where rays meet a shape or the bodies of a world: rows of the distance, its bounds, whether the ray begins inside, and the number of the part or body. With
/// eleven numbers there are the point and the normal, too. A miss is infinitely far.
#[pyfunction]
#[pyo3(signature = (target, pose, origins, directions, max_distance, out, *, full, boundary, shape, threads))]
// As many arguments as the package on top has to say.
#[allow(clippy::too_many_arguments)]
pub fn fill_rays(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
    max_distance: &Bound<'_, PyAny>,
    out: &Bound<'_, PyArray1<f64>>,
    full: bool,
    boundary: bool,
    shape: Vec<usize>,
    threads: Option<Count>,
) -> PyResult<()> {
    let width = if full { 11 } else { 1 };
    let mut rows = rows(out)?;
    let out = slice(&mut rows)?;
    let queries = out.len() / width;
    let (origins, directions) = (input::floats(origins, "origins")?, input::floats(directions, "directions")?);
    let limits = input::floats(max_distance, "max_distance")?;
    let (origins, directions, limits) = (origins.numbers(), directions.numbers(), limits.numbers());
    fits(origins, 3, queries, "origins")?;
    fits(directions, 3, queries, "directions")?;
    fits(limits, 1, queries, "max_distance")?;
    with_target(py, target, pose, |target| {
        fill(
            py,
            count(threads),
            out,
            width,
            || (),
            |(), query, row| {
                let limit = if limits.len() == 1 { limits[0] } else { limits[query] };
                let ray = Ray::new(vector(origins, query), vector(directions, query), limit);
                let ray = ray.map_err(|error| {
                    let sentence = query::rename(&error.to_string());
                    // The field is named as the argument is, with the place in the array.
                    let (field, rest) = sentence.split_at(sentence.find(['.', ' ']).unwrap_or(0));
                    let plural = if field == "max_distance" { "" } else { "s" };
                    format!("{field}{plural}{}{rest}", place(query, &shape))
                })?;
                let (hit, body) = match target {
                    Target::Shape(shape, pose) if boundary => {
                        (clearance::cast_ray_boundary(&shape.shape, pose, &ray), None)
                    }
                    Target::Shape(shape, pose) => (clearance::cast_ray(&shape.shape, pose, &ray), None),
                    Target::World(world) => match world.cast_ray(&ray, clearance::QueryFilter::ALL) {
                        Some((body, hit)) => (Some(hit), Some(body.slot())),
                        None => (None, None),
                    },
                };
                row[0] = hit.map_or(f64::INFINITY, |hit| hit.distance);
                if full {
                    let Some(hit) = hit else {
                        row.fill(0.0);
                        row[..3].fill(f64::INFINITY);
                        row[4] = -1.0;
                        return Ok(());
                    };
                    (row[1], row[2], row[3]) = (hit.lower, hit.upper, f64::from(u8::from(hit.is_inside)));
                    row[4] = f64::from(body.unwrap_or(hit.part));
                    put(&mut row[5..], &[hit.point, hit.normal]);
                }
                Ok(())
            },
        )
    })
}

/// The signed distances of points to a shape or to the nearest body of a world. A row is the distance, or the distance, its bounds, the number of the
/// part or body, the nearest point and the normal. An empty world is infinitely far.
#[pyfunction]
#[pyo3(signature = (target, pose, points, out, *, full, shape, threads))]
// As many arguments as the package on top has to say.
#[allow(clippy::too_many_arguments)]
pub fn fill_points(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    points: &Bound<'_, PyAny>,
    out: &Bound<'_, PyArray1<f64>>,
    full: bool,
    shape: Vec<usize>,
    threads: Option<Count>,
) -> PyResult<()> {
    let width = if full { 10 } else { 1 };
    let mut rows = rows(out)?;
    let out = slice(&mut rows)?;
    let queries = out.len() / width;
    let points = input::floats(points, "points")?;
    let points = points.numbers();
    fits(points, 3, queries, "points")?;
    with_target(py, target, pose, |target| {
        fill(
            py,
            count(threads),
            out,
            width,
            || (),
            |(), query, row| {
                let point = vector(points, query);
                let (found, body) = match target {
                    Target::Shape(shape, pose) => (clearance::project_point(&shape.shape, pose, point), None),
                    Target::World(world) => match world.nearest_to_point(point, clearance::QueryFilter::ALL) {
                        Some((body, found)) => (Some(found), Some(body.slot())),
                        None => (None, None),
                    },
                };
                let Some(found) = found else {
                    // A bad point has no answer, nor has an empty world.
                    let name = format!("points{}", place(query, &shape));
                    query::point(Vector(point), &name)
                        .map_err(|error| Python::attach(|py| error.value(py).to_string()))?;
                    row.fill(0.0);
                    row[..width.min(3)].fill(f64::INFINITY);
                    if full {
                        row[3] = -1.0;
                    }
                    return Ok(());
                };
                row[0] = found.distance;
                if full {
                    (row[1], row[2]) = (found.lower, found.upper);
                    row[3] = f64::from(body.unwrap_or(found.part));
                    put(&mut row[4..], &[found.point, found.normal]);
                }
                Ok(())
            },
        )
    })
}
