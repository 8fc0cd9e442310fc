//! Reasons for which there is no answer, a sentence each.

use clearance::BuildError;
use std::fmt;

/// Why a batch has no answers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no CUDA device, or its driver is too old.
    NoDevice(String),
    /// The driver refused a call.
    Driver(String),
    /// A pose is refused, as [`Pose::try_new`](clearance::Pose::try_new) refuses it.
    Pose {
        /// Its number.
        index: usize,
        /// The reason.
        error: BuildError,
    },
    /// A pair names a body that is not there.
    Body {
        /// The number of the pair.
        index: usize,
        /// The number of the body.
        body: u32,
    },
    /// A margin is negative or not finite.
    Margin(f64),
    /// There are more queries, bodies or vertices than one call takes.
    TooMany(usize),
    /// An arm that the kernels do not take, or angles that are none of it.
    Arm(String),
    /// Two lists differ in length.
    Lengths(usize, usize),
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice(reason) => write!(f, "no GPU is used: {reason}"),
            Self::Driver(reason) => write!(f, "the CUDA driver refused a call: {reason}"),
            Self::Pose { index, error } => write!(f, "poses[{index}].{error}"),
            Self::Body { index, body } => write!(f, "pairs[{index}] names body {body}, which is not there"),
            Self::Margin(margin) => write!(f, "margin is {margin}, but must be a finite number that is not negative"),
            Self::TooMany(count) => {
                write!(f, "{count} is more than one call takes; at most {} fit", crate::MAX_QUERIES)
            }
            Self::Arm(reason) => write!(f, "the arm is refused: {reason}"),
            Self::Lengths(queries, answers) => {
                write!(f, "there are {queries} queries, but {answers} places for answers")
            }
        }
    }
}

impl std::error::Error for GpuError {}
