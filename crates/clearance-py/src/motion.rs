//! Motions as Python objects.

use crate::answer::{Approach, Impact};
use crate::input::{self, Real, Vector, refused};
use crate::pose::Pose;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Where a body is at any time. Velocities are lengths per unit of time, angular velocities radians per unit of time, in the axes of the world.
///
/// >>> from clearance import Motion, Pose
/// >>> thrown = Motion.linear(velocity=[1.0, 5.0, 0.0], acceleration=[0.0, -10.0, 0.0])
/// >>> thrown.pose(1.0).translation
/// array([1., 0., 0.])
/// >>> Motion.linear(velocity=[float("nan"), 0.0, 0.0])
/// Traceback (most recent call last):
/// ValueError: velocity.x is NaN, but must be a finite number
#[pyclass(frozen, eq, module = "clearance._native")]
#[derive(Debug, Clone)]
pub struct Motion {
    pub motion: clearance::Motion,
    recipe: Recipe,
}

/// The arguments of a constructor.
#[derive(Debug, Clone, PartialEq)]
enum Recipe {
    Fixed(clearance::Pose),
    /// Velocity, angular velocity, acceleration and center.
    Linear(clearance::Pose, [[f64; 3]; 4]),
    Keyframes(Vec<(f64, clearance::Pose)>),
}

impl PartialEq for Motion {
    fn eq(&self, other: &Self) -> bool {
        self.recipe == other.recipe
    }
}

impl Motion {
    fn new(recipe: Recipe) -> PyResult<Self> {
        let motion = match &recipe {
            Recipe::Fixed(pose) => Ok(clearance::Motion::fixed(*pose)),
            Recipe::Linear(pose, [velocity, spin, acceleration, center]) => {
                clearance::Motion::ballistic(*pose, *velocity, *spin, *acceleration)
                    .and_then(|motion| if *center == [0.0; 3] { Ok(motion) } else { motion.about(*center) })
            }
            Recipe::Keyframes(frames) => clearance::Motion::key_frames(frames),
        };
        let motion =
            motion.map_err(|error| PyValueError::new_err(error.to_string().replace("gravity", "acceleration")))?;
        Ok(Self { motion, recipe })
    }
}

#[pymethods]
impl Motion {
    /// No motion at all.
    ///
    /// >>> Motion.fixed() == Motion.fixed(Pose())
    /// True
    #[staticmethod]
    #[pyo3(signature = (pose = None))]
    fn fixed(pose: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::new(Recipe::Fixed(input::pose(pose, "pose")?))
    }

    /// A constant velocity, angular velocity and acceleration of one point of the body, the `center` in its own frame; the pose is that at time zero.
    ///
    /// >>> door = Motion.linear(angular_velocity=[0.0, 0.0, 1.5707963267948966], center=[-0.5, 0.0, 0.0])
    /// >>> door.pose(1.0).translation.round(12)
    /// array([-0.5,  0.5,  0. ])
    #[staticmethod]
    #[pyo3(signature = (pose = None, *, velocity = None, angular_velocity = None, acceleration = None, center = None))]
    fn linear(
        pose: Option<&Bound<'_, PyAny>>,
        velocity: Option<Vector>,
        angular_velocity: Option<Vector>,
        acceleration: Option<Vector>,
        center: Option<Vector>,
    ) -> PyResult<Self> {
        let numbers = [velocity, angular_velocity, acceleration, center].map(|vector| vector.map_or([0.0; 3], |v| v.0));
        Self::new(Recipe::Linear(input::pose(pose, "pose")?, numbers))
    }

    /// Through poses at given times, each time later than the one before. In between, the origin moves along a straight line and the rotation
    /// along the shortest arc, at constant rates; before and after, the body rests.
    ///
    /// >>> lift = Motion.keyframes([0.0, 2.0], [Pose(), Pose(translation=[0.0, 0.0, 1.0])])
    /// >>> lift.pose(1.0).translation
    /// array([0. , 0. , 0.5])
    #[staticmethod]
    fn keyframes(times: Vec<Real>, poses: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        if times.len() != poses.len() {
            let (times, poses) = (times.len(), poses.len());
            return Err(PyValueError::new_err(format!("there are {times} times, but {poses} poses")));
        }
        let frame = |(number, (time, pose)): (usize, (&Real, &Bound<'_, PyAny>))| {
            Ok((time.0, input::pose(Some(pose), &format!("poses[{number}]"))?))
        };
        let frames = times.iter().zip(&poses).enumerate().map(frame).collect::<PyResult<_>>()?;
        Self::new(Recipe::Keyframes(frames))
    }

    /// The pose at a time.
    ///
    /// >>> Motion.linear(velocity=[2.0, 0.0, 0.0]).pose(3.0).translation
    /// array([6., 0., 0.])
    fn pose(&self, time: Real) -> Pose {
        self.motion.pose(time.0).into()
    }

    fn __repr__(&self) -> String {
        match &self.recipe {
            Recipe::Fixed(_) => "<Motion: fixed>".into(),
            Recipe::Linear(_, [velocity, spin, acceleration, _]) => {
                format!("<Motion: velocity {velocity:?}, angular velocity {spin:?}, acceleration {acceleration:?}>")
            }
            Recipe::Keyframes(frames) => format!("<Motion: {} key frames>", frames.len()),
        }
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = this.py();
        let (numbers, poses): (Vec<f64>, Vec<Pose>) = match &this.get().recipe {
            Recipe::Fixed(pose) => (Vec::new(), vec![(*pose).into()]),
            Recipe::Linear(pose, numbers) => (numbers.concat(), vec![(*pose).into()]),
            Recipe::Keyframes(frames) => frames.iter().map(|&(time, pose)| (time, Pose::from(pose))).unzip(),
        };
        let kind = match &this.get().recipe {
            Recipe::Fixed(_) => "fixed",
            Recipe::Linear(..) => "linear",
            Recipe::Keyframes(_) => "keyframes",
        };
        let rebuild = py.import("clearance._native")?.getattr("rebuild_motion")?;
        Ok((rebuild, (kind, numbers, poses).into_pyobject(py)?))
    }
}

/// A motion from its pickle.
#[pyfunction]
pub fn rebuild_motion(kind: &str, numbers: Vec<Real>, poses: Vec<Bound<'_, Pose>>) -> PyResult<Motion> {
    let (numbers, poses): (Vec<f64>, Vec<clearance::Pose>) =
        (numbers.iter().map(|number| number.0).collect(), poses.iter().map(|pose| pose.get().pose).collect());
    Motion::new(match (kind, &numbers[..], &poses[..]) {
        ("fixed", [], &[pose]) => Recipe::Fixed(pose),
        ("linear", &[a, b, c, d, e, f, g, h, i, j, k, l], &[pose]) => {
            Recipe::Linear(pose, [[a, b, c], [d, e, f], [g, h, i], [j, k, l]])
        }
        ("keyframes", times, poses) if times.len() == poses.len() => {
            Recipe::Keyframes(times.iter().copied().zip(poses.iter().copied()).collect())
        }
        _ => return Err(PyValueError::new_err("the pickle of a motion is broken")),
    })
}

/// An interval of time.
pub fn interval(start: f64, until: f64) -> PyResult<clearance::Interval> {
    clearance::Interval::new(start, until).map_err(refused)
}

impl Impact {
    /// The answer of the library, about an interval that begins at a time.
    pub fn of(impact: &clearance::Impact, start: f64) -> Self {
        let nothing = Self {
            state: "undecided".into(),
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            point_a: None,
            point_b: None,
            normal: None,
            approach: None,
            clearance: None,
        };
        match impact {
            clearance::Impact::Hit(hit) => Self {
                state: "hit".into(),
                lower: hit.lower,
                upper: hit.upper,
                point_a: Some(hit.point_a.into()),
                point_b: Some(hit.point_b.into()),
                normal: Some(hit.normal.into()),
                ..nothing
            },
            clearance::Impact::Clear(found) => {
                let approach = Approach { lower: found.lower, upper: found.upper, time: found.time };
                Self { state: "clear".into(), approach: Some(approach), ..nothing }
            }
            clearance::Impact::Touching(found) => Self {
                state: "touching".into(),
                lower: start,
                upper: start,
                point_a: Some(found.point_a.into()),
                point_b: Some(found.point_b.into()),
                normal: Some(found.normal.into()),
                clearance: Some(found.into()),
                ..nothing
            },
            clearance::Impact::Undecided(found) => Self { lower: found.from, ..nothing },
        }
    }
}
