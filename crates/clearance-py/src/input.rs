//! Arguments from Python: numbers, vectors, poses and arrays. Each is refused in one sentence, as a `ValueError` or a `TypeError`.
//!
//! Invariant: what a reader returns is an aligned array of C order and of the dtype that was asked for, whatever was passed in.

use crate::pose::Pose;
use clearance::math::DVec3;
use clearance::{Axis, BuildError};
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt::Display;

/// A `ValueError` with the sentence of an error of the library.
pub fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The error of a part of an argument.
pub fn refused_in(name: &str) -> impl Fn(BuildError) -> PyErr {
    move |error| refused(error.prefixed(&format!("{name}.")))
}

/// A real number. A whole number that no double can hold is a `ValueError`, not Python's `OverflowError`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Real(pub f64);

impl<'py> FromPyObject<'_, 'py> for Real {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<f64>() {
            Ok(number) => Ok(Self(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
                Err(PyValueError::new_err("a number is too large for a double; choose a larger unit of length"))
            }
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
                Err(PyTypeError::new_err(format!("a number is needed, not {}", kind_of(&value))))
            }
            Err(error) => Err(error),
        }
    }
}

/// A count, which is not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count(pub u64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<u64>().map(Self).map_err(|error| match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => PyValueError::new_err("a count is negative, or beyond 64 bits"),
            false => PyTypeError::new_err(format!("a whole number is needed, not {}", kind_of(&value))),
        })
    }
}

/// The name of the type of a value.
pub fn kind_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "that".into(), |name| name.to_string())
}

/// Three numbers: an array, a list or a tuple. Answers give them as arrays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vector(pub [f64; 3]);

impl From<DVec3> for Vector {
    fn from(vector: DVec3) -> Self {
        Self(vector.to_array())
    }
}

impl From<Vector> for DVec3 {
    fn from(vector: Vector) -> Self {
        vector.0.into()
    }
}

impl<'py> FromPyObject<'_, 'py> for Vector {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(numbers) = value.extract::<[Real; 3]>() {
            return Ok(Self(numbers.map(|number| number.0)));
        }
        let numbers = floats(&value, "a vector")?;
        match *numbers.numbers() {
            [x, y, z] if numbers.shape().len() == 1 => Ok(Self([x, y, z])),
            _ => Err(PyValueError::new_err(format!("a vector has three numbers, not the shape {:?}", numbers.shape()))),
        }
    }
}

impl<'py> IntoPyObject<'py> for Vector {
    type Target = PyArray1<f64>;
    type Output = Bound<'py, PyArray1<f64>>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyArray1::from_slice(py, &self.0))
    }
}

/// An array of numbers in C order.
pub struct Numbers<'py, T: Element>(PyReadonlyArrayDyn<'py, T>);

impl<T: Element> Numbers<'_, T> {
    /// The lengths along its axes.
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// All of it, without a copy.
    pub fn numbers(&self) -> &[T] {
        self.0.as_slice().unwrap_or(&[])
    }
}

/// Reads real numbers: an array of doubles in C order as it is, any other array of real numbers as a copy.
pub fn floats<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Numbers<'py, f64>> {
    read(value, name, "float64", &["f", "i", "u"], "real numbers")
}

/// Reads whole numbers.
pub fn integers<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Numbers<'py, i64>> {
    read(value, name, "int64", &["i", "u"], "whole numbers")
}

fn read<'py, T: Element>(
    value: &Bound<'py, PyAny>,
    name: &str,
    dtype: &str,
    kinds: &[&str],
    wanted: &str,
) -> PyResult<Numbers<'py, T>> {
    if let Ok(array) = value.cast::<PyArrayDyn<T>>()
        && array.is_c_contiguous()
        && array.data().is_aligned()
    {
        return array.try_readonly().map(Numbers).map_err(refused);
    }
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|error| {
        let is_ours = error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py);
        let sentence = format!("{name} is no array of {wanted}: {}", error.value(py));
        if is_ours { PyValueError::new_err(sentence) } else { error }
    })?;
    let given = array.getattr("dtype")?;
    // An empty list has no dtype of its own.
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !is_empty && !kinds.contains(&given.getattr("kind")?.extract::<String>()?.as_str()) {
        return Err(PyTypeError::new_err(format!("{name} has the dtype {given}, but must have {wanted}")));
    }
    let settings = PyDict::new(py);
    settings.set_item("dtype", dtype)?;
    settings.set_item("requirements", ["C", "A"])?;
    let array = numpy.call_method("require", (array,), Some(&settings))?;
    let array = array.cast_into::<PyArrayDyn<T>>()?;
    array.try_readonly().map(Numbers).map_err(refused)
}

/// Points, the last axis of an array: three numbers each.
pub fn points(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[f64; 3]>> {
    let numbers = floats(value, name)?;
    match numbers.shape() {
        // A list without points has no second axis.
        [_, 3] | [0] => Ok(numbers.numbers().as_chunks::<3>().0.to_vec()),
        shape => Err(PyValueError::new_err(format!("{name} has the shape {shape:?}, but must have (N, 3)"))),
    }
}

/// A pose: `None`, a [`Pose`], a 4 x 4 matrix, or a translation with a quaternion x, y, z, w.
pub fn pose(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<clearance::Pose> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(clearance::Pose::IDENTITY) };
    if let Ok(pose) = value.cast::<Pose>() {
        return Ok(pose.get().pose);
    }
    let numbers = floats(value, name)?;
    match (numbers.shape(), numbers.numbers()) {
        ([4, 4], rows) => pose_of_rows(rows),
        ([7], numbers) => pose_of_seven(numbers),
        (shape, _) => {
            return Err(PyValueError::new_err(format!(
                "{name} has the shape {shape:?}, but must be a 4 x 4 matrix, or a translation and a quaternion x, y, z, w"
            )));
        }
    }
    .map_err(refused_in(name))
}

/// A pose from the sixteen numbers of a matrix, row by row.
#[inline]
pub fn pose_of_rows(numbers: &[f64]) -> Result<clearance::Pose, BuildError> {
    let row = |i: usize| [numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]];
    clearance::Pose::from_rows([row(0), row(4), row(8), row(12)])
}

/// A pose from a translation and a quaternion.
#[inline]
pub fn pose_of_seven(numbers: &[f64]) -> Result<clearance::Pose, BuildError> {
    let [x, y, z, a, b, c, w] = [0, 1, 2, 3, 4, 5, 6].map(|i: usize| numbers[i]);
    clearance::Pose::from_array([x, y, z, a, b, c, w])
}

/// An axis by its name.
pub fn axis(name: &str) -> PyResult<Axis> {
    match name {
        "x" => Ok(Axis::X),
        "y" => Ok(Axis::Y),
        "z" => Ok(Axis::Z),
        _ => Err(PyValueError::new_err(format!("axis is {name:?}, but must be one of \"x\", \"y\", \"z\""))),
    }
}
