//! Errors of shapes and poses, each in one sentence.

use std::fmt;

/// The largest coordinate or size that a shape or a pose may have. Limit: engines form products of up to four lengths, and the product of
/// four numbers of at most 1e60, times sums of a few hundred terms, stays below the largest double. Larger numbers are refused when a shape
/// is built.
pub const MAX_COORDINATE: f64 = 1e60;

/// The reason why a shape, pose, motion, ray, sweep or interval was refused, as one sentence.
///
/// Every variant names the field at fault as a path (`half_extents.y`, `points[7].x`) and the value found there.
///
/// ```
/// use clearance::{BuildError, Shape};
///
/// let error = Shape::sphere(-1.0).unwrap_err();
/// assert_eq!(error, BuildError::Negative { field: "radius".into(), value: -1.0 });
/// assert_eq!(error.prefixed("bodies[3].").to_string(), "bodies[3].radius is -1, but a size cannot be negative (zero is allowed)");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// A number is NaN or infinite.
    NotFinite {
        /// Path of the number, such as `points[7].x`.
        field: String,
        /// The number found there.
        value: f64,
    },
    /// A size is below zero.
    Negative {
        /// Path of the number.
        field: String,
        /// The number found there.
        value: f64,
    },
    /// A number is too large to compute with, see [`MAX_COORDINATE`].
    TooLarge {
        /// Path of the number.
        field: String,
        /// The number found there.
        value: f64,
    },
    /// A vector that must give a direction is zero.
    ZeroDirection {
        /// Path of the vector or quaternion.
        field: String,
    },
    /// A list that needs at least one entry is empty.
    Empty {
        /// Path of the list.
        field: String,
    },
    /// A list is longer than its indices can count.
    TooMany {
        /// Path of the list.
        field: String,
        /// How many entries there are.
        len: usize,
        /// How many there may be.
        max: usize,
    },
    /// A number stands for an entry of a list that it does not have.
    NoSuchEntry {
        /// Path of the number.
        field: String,
        /// The number.
        index: usize,
        /// How many entries there are.
        len: usize,
    },
    /// A time is not later than the one that comes before it.
    NotInOrder {
        /// Path of the time.
        field: String,
        /// The time found there.
        value: f64,
        /// The one that it must be later than.
        earlier: f64,
    },
    /// A time is so soon after the one before it that the velocity in between is beyond [`MAX_COORDINATE`].
    TooFast {
        /// Path of the time.
        field: String,
        /// The time found there.
        value: f64,
        /// The one before it.
        earlier: f64,
    },
    /// A matrix that must be a rotation and a translation is not.
    NotRigid {
        /// Path of the matrix.
        field: String,
        /// The reason.
        reason: String,
    },
    /// The operation is not defined for that kind of shape.
    WrongKind {
        /// Path of the shape.
        field: String,
        /// The kind of shape found there.
        kind: &'static str,
        /// Why it cannot stand there, and what can: the end of a sentence that goes "shape is a compound, but …".
        reason: &'static str,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { field, value } => write!(f, "{field} is {value}, but must be a finite number"),
            Self::Negative { field, value } => {
                write!(f, "{field} is {value}, but a size cannot be negative (zero is allowed)")
            }
            Self::TooLarge { field, value } => {
                write!(f, "{field} is {value:e}, which is beyond 1e60; choose a larger unit of length")
            }
            Self::ZeroDirection { field } => {
                write!(f, "{field} has no direction because it is zero; give a vector of any positive length")
            }
            Self::Empty { field } => write!(f, "{field} is empty, but needs at least one entry"),
            Self::TooMany { field, len, max } => {
                write!(f, "{field} has {len} entries, but at most {max} are supported")
            }
            Self::NoSuchEntry { field, index, len } => {
                write!(f, "{field} is {index}, but there are {len} entries, counted from 0")
            }
            Self::NotInOrder { field, value, earlier } => {
                write!(f, "{field} is {value}, but must be later than {earlier}")
            }
            Self::TooFast { field, value, earlier } => write!(
                f,
                "{field} is {value:e}, so soon after {earlier:e} that the body is faster than 1e60 in between; leave more time"
            ),
            Self::NotRigid { field, reason } => write!(f, "{field} is not rigid: {reason}"),
            Self::WrongKind { field, kind, reason } => write!(f, "{field} is a {kind}, but {reason}"),
        }
    }
}

impl std::error::Error for BuildError {}

impl BuildError {
    /// This error with `prefix` put in front of the field's path: how a container names the part at fault.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Self {
        let (Self::NotFinite { field, .. }
        | Self::Negative { field, .. }
        | Self::TooLarge { field, .. }
        | Self::ZeroDirection { field }
        | Self::Empty { field }
        | Self::TooMany { field, .. }
        | Self::NoSuchEntry { field, .. }
        | Self::NotInOrder { field, .. }
        | Self::TooFast { field, .. }
        | Self::NotRigid { field, .. }
        | Self::WrongKind { field, .. }) = &mut self;
        field.insert_str(0, prefix);
        self
    }
}

/// Checks that a coordinate is finite and can be computed with.
pub(crate) fn coordinate(field: impl FnOnce() -> String, value: f64) -> Result<f64, BuildError> {
    if !value.is_finite() {
        return Err(BuildError::NotFinite { field: field(), value });
    }
    if value.abs() > MAX_COORDINATE {
        return Err(BuildError::TooLarge { field: field(), value });
    }
    Ok(value)
}

/// Checks that a size is finite, not negative, and can be computed with.
pub(crate) fn size(field: impl FnOnce() -> String, value: f64) -> Result<f64, BuildError> {
    // A NaN is not negative, so it reaches the check for finite numbers.
    if value < 0.0 && value.is_finite() {
        return Err(BuildError::Negative { field: field(), value });
    }
    coordinate(field, value)
}

/// Checks the entries of a matrix, which are named by row and column.
pub(crate) fn matrix(matrix: glam::DMat3) -> Result<(), BuildError> {
    for row in 0..3 {
        for column in 0..3 {
            coordinate(|| format!("matrix[{row}][{column}]"), matrix.col(column)[row])?;
        }
    }
    Ok(())
}

/// Checks the three coordinates of a point or vector.
pub(crate) fn vector(field: impl Fn() -> String, value: glam::DVec3) -> Result<glam::DVec3, BuildError> {
    for (axis, component) in ["x", "y", "z"].into_iter().zip(value.to_array()) {
        coordinate(|| format!("{}.{axis}", field()), component)?;
    }
    Ok(value)
}
