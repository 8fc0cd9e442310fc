//! Poses as Python objects.

use crate::input::{self, Real, Vector, refused, refused_in};
use clearance::math::DQuat;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// A rigid placement, world from local: first rotate, then translate.
///
/// The order of a quaternion is in the name of the argument. It may have any positive length.
///
/// >>> from clearance import Pose
/// >>> turned = Pose(translation=[1.0, 2.0, 3.0], quaternion_xyzw=[0.0, 0.0, 1.0, 1.0])
/// >>> turned.translation
/// array([1., 2., 3.])
/// >>> turned.matrix.round(12)
/// array([[ 0., -1.,  0.,  1.],
///        [ 1.,  0.,  0.,  2.],
///        [ 0.,  0.,  1.,  3.],
///        [ 0.,  0.,  0.,  1.]])
/// >>> (turned @ turned.inverse()).translation.round(12) + 0.0
/// array([0., 0., 0.])
/// >>> Pose(translation=[0.0, float("nan"), 0.0])
/// Traceback (most recent call last):
/// ValueError: translation.y is NaN, but must be a finite number
#[pyclass(frozen, eq, module = "clearance._native")]
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    pub pose: clearance::Pose,
}

impl From<clearance::Pose> for Pose {
    fn from(pose: clearance::Pose) -> Self {
        Self { pose }
    }
}

#[pymethods]
impl Pose {
    #[new]
    #[pyo3(signature = (translation = None, *, quaternion_xyzw = None, quaternion_wxyz = None))]
    fn new(
        translation: Option<Vector>,
        quaternion_xyzw: Option<[Real; 4]>,
        quaternion_wxyz: Option<[Real; 4]>,
    ) -> PyResult<Self> {
        let [x, y, z, w] = match (quaternion_xyzw, quaternion_wxyz) {
            (None, None) => [0.0, 0.0, 0.0, 1.0],
            (Some(xyzw), None) => xyzw.map(|number| number.0),
            (None, Some(wxyz)) => [1, 2, 3, 0].map(|i: usize| wxyz[i].0),
            (Some(_), Some(_)) => {
                return Err(PyTypeError::new_err("a pose has one quaternion; leave one of the two out"));
            }
        };
        let translation = translation.unwrap_or(Vector([0.0; 3]));
        clearance::Pose::try_new(translation, DQuat::from_xyzw(x, y, z, w)).map(Self::from).map_err(refused)
    }

    /// A pose from a 4 x 4 matrix, rigid to 1e-6, with the translation in the last column.
    ///
    /// >>> import numpy as np
    /// >>> Pose.from_matrix(2.0 * np.eye(4))
    /// Traceback (most recent call last):
    /// ValueError: matrix is not rigid: its last row is 0, 0, 0, 2, but must be 0, 0, 0, 1
    #[classmethod]
    fn from_matrix(_class: &Bound<'_, PyType>, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numbers = input::floats(matrix, "matrix")?;
        match numbers.shape() {
            [4, 4] => input::pose_of_rows(numbers.numbers()).map(Self::from).map_err(refused),
            shape => Err(PyValueError::new_err(format!("matrix has the shape {shape:?}, but must have [4, 4]"))),
        }
    }

    /// A pose that turns by an angle in radians about an axis through the origin, and then moves.
    ///
    /// >>> Pose.from_axis_angle([0, 0, 2], 0.0) == Pose()
    /// True
    #[classmethod]
    #[pyo3(signature = (axis, angle, translation = None))]
    fn from_axis_angle(
        _class: &Bound<'_, PyType>,
        axis: Vector,
        angle: Real,
        translation: Option<Vector>,
    ) -> PyResult<Self> {
        let turn = clearance::Pose::from_axis_angle(axis, angle.0).map_err(refused)?;
        let pose = clearance::Pose::try_new(translation.unwrap_or(Vector([0.0; 3])), turn.rotation());
        pose.map(Self::from).map_err(refused)
    }

    /// The translation.
    #[getter]
    fn translation(&self) -> Vector {
        self.pose.translation().into()
    }

    /// The rotation as a unit quaternion x, y, z, w.
    #[getter]
    fn quaternion_xyzw<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.pose.rotation().to_array())
    }

    /// The rotation as a unit quaternion w, x, y, z.
    #[getter]
    fn quaternion_wxyz<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let [x, y, z, w] = self.pose.rotation().to_array();
        PyArray1::from_slice(py, &[w, x, y, z])
    }

    /// The 4 x 4 matrix.
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows: Vec<Vec<f64>> = self.pose.to_rows().iter().map(|row| row.to_vec()).collect();
        PyArray2::from_vec2(py, &rows).map_err(refused)
    }

    /// The 4 x 4 matrix, for `numpy.asarray`.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("a pose has no matrix that could be shared; it is made by a copy"));
        }
        let matrix = self.matrix(py)?.into_any();
        match dtype {
            Some(dtype) => matrix.call_method1("astype", (dtype,)),
            None => Ok(matrix),
        }
    }

    /// The pose that undoes this one.
    ///
    /// >>> Pose(translation=[1.0, 2.0, 3.0]).inverse().translation
    /// array([-1., -2., -3.])
    fn inverse(&self) -> Self {
        self.pose.inverse().into()
    }

    /// Points of the local frame in world coordinates: an array of the shape (..., 3).
    ///
    /// >>> Pose(translation=[1.0, 0.0, 0.0]).transform([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    /// array([[1., 0., 0.],
    ///        [1., 2., 0.]])
    fn transform<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = input::floats(points, "points")?;
        if numbers.shape().last() != Some(&3) {
            let shape = numbers.shape();
            return Err(PyValueError::new_err(format!(
                "points has the shape {shape:?}, but the last length must be 3"
            )));
        }
        let moved =
            numbers.numbers().as_chunks::<3>().0.iter().flat_map(|&point| self.pose.transform_point(point).to_array());
        PyArray1::from_iter(py, moved).into_any().call_method1("reshape", (numbers.shape().to_vec(),))
    }

    /// First the right pose, then the left one, as products of matrices do.
    fn __matmul__(&self, inner: &Self) -> PyResult<Self> {
        let pose = self.pose * inner.pose;
        // A product may be too far away to compute with.
        clearance::Pose::try_new(pose.translation(), pose.rotation()).map(Self::from).map_err(refused)
    }

    fn __repr__(&self) -> String {
        let list = |numbers: &[f64]| numbers.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
        let seven = self.pose.to_array();
        format!("Pose(translation=[{}], quaternion_xyzw=[{}])", list(&seven[..3]), list(&seven[3..]))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, ([f64; 7],))> {
        Ok((this.get_type().getattr("_restore")?, (this.get().pose.to_array(),)))
    }

    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, numbers: [Real; 7]) -> PyResult<Self> {
        input::pose_of_seven(&numbers.map(|number| number.0)).map(Self::from).map_err(refused_in("pose"))
    }

    fn __copy__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __deepcopy__<'py>(this: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        this
    }
}
