//! An interval of time, checked when it is built.

use crate::error::{self, BuildError};
use std::ops::RangeInclusive;

/// An interval of time: a start and a later end, both finite.
///
/// ```
/// use clearance::Interval;
///
/// let interval = Interval::new(0.0, 2.5)?;
/// assert_eq!((interval.start(), interval.end(), interval.length()), (0.0, 2.5, 2.5));
/// assert_eq!(Interval::try_from(0.0..=2.5)?, interval);
/// let error = Interval::new(1.0, 0.0).unwrap_err();
/// assert_eq!(error.to_string(), "interval.end is 0, but must be later than 1");
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    start: f64,
    end: f64,
}

impl Interval {
    /// From zero to one: a whole step of a simulation, or the whole way between two poses.
    pub const UNIT: Self = Self { start: 0.0, end: 1.0 };

    /// From a time to a later one.
    pub fn new(start: f64, end: f64) -> Result<Self, BuildError> {
        let start = error::coordinate(|| "interval.start".into(), start)?;
        let end = error::coordinate(|| "interval.end".into(), end)?;
        if end <= start {
            return Err(BuildError::NotInOrder { field: "interval.end".into(), value: end, earlier: start });
        }
        Ok(Self { start, end })
    }

    /// The first time.
    #[must_use]
    pub const fn start(self) -> f64 {
        self.start
    }

    /// The last time.
    #[must_use]
    pub const fn end(self) -> f64 {
        self.end
    }

    /// How long it takes.
    #[must_use]
    pub fn length(self) -> f64 {
        self.end - self.start
    }

    /// The first and the last time.
    pub(crate) const fn ends(self) -> [f64; 2] {
        [self.start, self.end]
    }
}

impl TryFrom<RangeInclusive<f64>> for Interval {
    type Error = BuildError;

    fn try_from(range: RangeInclusive<f64>) -> Result<Self, BuildError> {
        Self::new(*range.start(), *range.end())
    }
}
