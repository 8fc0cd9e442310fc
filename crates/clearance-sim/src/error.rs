//! Errors of scenes and simulations, each in one sentence.

use std::fmt;

/// Why a scene cannot be simulated, or cannot be simulated any further.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A body, a scene or a setting is not usable.
    Input(String),
    /// Two bodies overlap at the start.
    Overlap {
        /// Their names.
        bodies: [String; 2],
        /// How deep they are proved to overlap.
        depth: f64,
    },
    /// Event mode does not get on: infinitely many impacts within a finite time, or bodies that are crushed.
    Stuck {
        /// The time that was reached.
        time: f64,
        /// Two bodies that collide there.
        bodies: [String; 2],
        /// The reason.
        reason: String,
    },
    /// The time of impact of two bodies could not be decided within the budget of the search.
    Undecided {
        /// The bodies are proved apart before this time.
        time: f64,
        /// Their names.
        bodies: [String; 2],
    },
    /// A file or a recording cannot be read.
    File(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(sentence) | Self::File(sentence) => f.write_str(sentence),
            Self::Overlap { bodies: [a, b], depth } => write!(
                f,
                "{a:?} and {b:?} overlap at the start, at least {depth:.3e} deep; move them apart or let the scene ignore the pair"
            ),
            Self::Stuck { time, bodies: [a, b], reason } => {
                write!(f, "the simulation cannot go on at time {time}, where {a:?} and {b:?} collide: {reason}")
            }
            Self::Undecided { time, bodies: [a, b] } => write!(
                f,
                "the simulation cannot go on at time {time}: whether {a:?} and {b:?} meet there is undecided within the steps of a search"
            ),
        }
    }
}

impl std::error::Error for Error {}

impl From<clearance::BuildError> for Error {
    fn from(error: clearance::BuildError) -> Self {
        Self::Input(error.to_string())
    }
}
