//! Errors of robots, each in one sentence.

use clearance_io::Place;
use std::fmt;

/// Why a robot could not be read, or a question about it not be answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A file is wrong.
    File {
        /// The file, and the line where it has lines.
        place: Place,
        /// The fault there, and its remedy.
        message: String,
    },
    /// A query has arguments that are wrong.
    Argument(String),
}

impl Error {
    pub(crate) fn at(place: &Place, line: u64, message: impl Into<String>) -> Self {
        Self::File { place: place.clone().at_line(line), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { place, message } if *place == Place::default() => write!(f, "{message}"),
            Self::File { place, message } => write!(f, "{place}: {message}"),
            Self::Argument(message) => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for Error {}

/// The sentence of a file that could not be opened has its place in it already.
impl From<clearance_io::Error> for Error {
    fn from(error: clearance_io::Error) -> Self {
        Self::File { place: Place::default(), message: error.to_string() }
    }
}
