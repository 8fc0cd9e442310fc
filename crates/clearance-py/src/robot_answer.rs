//! Answers about robots as Python objects.

use crate::answer::{Give, Restored, Show, Word, answer};
use crate::input::{Real, Vector, floats, refused};
use clearance_robot::Plan;
use numpy::PyArray2;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

answer! {
    /// The clearance of a robot at a configuration: that of its closest pair of parts.
    ///
    /// `lower` and `upper` hold for the exact poses of the configuration: the rounding of the kinematics is in them.
    RobotClearance {
        /// The signed distance of the closest pair.
        distance: f64 as Real,
        /// The true distance of every checked pair is at least this.
        lower: f64 as Real,
        /// That of the closest pair is at most this.
        upper: f64 as Real,
        /// The names of the two parts: links, and bodies of the world, which come first.
        links: (String, String) as (String, String),
        /// The point of the first part nearest to the second, in the world.
        point_a: Vector as Vector,
        /// The point of the second part nearest to the first.
        point_b: Vector as Vector,
        /// Unit vector from the first part to the second.
        normal: Vector as Vector,
    }
    /// Are all checked pairs proved to be apart? Touching is not.
    #[getter]
    fn is_apart(&self) -> bool {
        self.lower > 0.0
    }
}

answer! {
    /// The first contact on an edge, in fractions of it.
    RobotContact {
        /// All pairs are proved apart before this fraction.
        lower: f64 as Real,
        /// Two parts are proved to overlap at this fraction.
        upper: f64 as Real,
        /// The names of the two parts.
        links: (String, String) as (String, String),
        /// Minus the depth of the two parts at `upper`.
        distance: f64 as Real,
        /// The point of the first part that is deepest in the second, at `upper`.
        point_a: Vector as Vector,
        /// The point of the second part that is deepest in the first.
        point_b: Vector as Vector,
        /// Unit vector from the first part to the second.
        normal: Vector as Vector,
    }
}

answer! {
    /// Whether a robot moves freely along a straight edge in joint space.
    RobotEdge {
        /// True: no checked pair touches at any time, which is proved. False: a contact is proved. None: neither, for a graze or where the budget ended.
        free: Option<bool> as Option<bool>,
        /// No checked pair comes closer than this on a free edge; zero on others, and infinite if no pair is checked.
        lower: f64 as Real,
        /// The closest pair of a free edge comes at least this close.
        upper: f64 as Real,
        /// The fraction of a free edge where that is.
        at: f64 as Real,
        /// All pairs are proved apart before this fraction: 1 on a free edge.
        free_until: f64 as Real,
        /// The first contact, if there is one.
        contact: Option<RobotContact> as Option<Restored<RobotContact>>,
        /// The parts that are neither proved apart nor in contact, if `free` is None.
        undecided: Option<(String, String)> as Option<(String, String)>,
        /// Tests of a pair at a configuration.
        tests: u64 as u64,
    }
}

answer! {
    /// Whether a robot moves freely along a path of edges.
    RobotPath {
        /// Is every edge proved free? None if the first one that is not free is undecided.
        free: Option<bool> as Option<bool>,
        /// No checked pair comes closer than this on the edges that are free.
        lower: f64 as Real,
        /// The edges, up to the first one that is not free.
        edges: Vec<RobotEdge> as Vec<Restored<RobotEdge>>,
    }
}

/// Configurations as the rows of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoints(Vec<Vec<f64>>);

impl Show for Waypoints {
    fn show(&self) -> String {
        self.0.show()
    }
}

impl<'py> FromPyObject<'_, 'py> for Waypoints {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let numbers = floats(&value, "waypoints")?;
        match *numbers.shape() {
            [count, width] => {
                Ok(Self((0..count).map(|row| numbers.numbers()[row * width..][..width].to_vec()).collect()))
            }
            _ => Ok(Self(Vec::new())),
        }
    }
}

impl<'py> IntoPyObject<'py> for Waypoints {
    type Target = PyArray2<f64>;
    type Output = Bound<'py, PyArray2<f64>>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        PyArray2::from_vec2(py, &self.0).map_err(refused)
    }
}

answer! {
    /// A path that a planner found, or why it found none.
    RobotPlan {
        /// Is there a path? All of its edges are proved free. False does not mean that there is none.
        found: bool as bool,
        /// The configurations, an array of the shape (N, dof): the first is the start, the last the goal. Empty if none was found.
        waypoints: Waypoints as Waypoints,
        /// No checked pair comes closer than this on the whole path; zero if none was found.
        lower: f64 as Real,
        /// The length, in the Euclidean norm of configurations.
        length: f64 as Real,
        /// The bounds of the least clearance of each edge, at least and at most.
        edges: Vec<(f64, f64)> as Vec<(f64, f64)>,
        /// The end that is not proved free, "start" or "goal", if there is one.
        blocked: Option<Word> as Option<Word>,
        /// How many random configurations were drawn.
        samples: u64 as u64,
        /// How many edges were tested.
        tested: u64 as u64,
    }
}

impl From<Plan> for RobotPlan {
    fn from(plan: Plan) -> Self {
        let none = Self {
            found: false,
            waypoints: Waypoints(Vec::new()),
            lower: 0.0,
            length: 0.0,
            edges: Vec::new(),
            blocked: None,
            samples: 0,
            tested: 0,
        };
        match plan {
            Plan::Found(path) => Self {
                found: true,
                lower: path.lower,
                length: path.length(),
                edges: path.edges.iter().map(|edge| (edge.lower, edge.upper)).collect(),
                samples: path.samples,
                tested: path.tested,
                waypoints: Waypoints(path.waypoints),
                ..none
            },
            Plan::Blocked { end, .. } => Self { blocked: Some(["start", "goal"][end.min(1)].into()), ..none },
            Plan::NotFound { samples } => Self { samples, ..none },
        }
    }
}
