//! Errors of a file or a line of a stream, each in one sentence.

use std::fmt;
use std::io;
use std::path::Path;

/// Why something could not be read.
///
/// Every sentence begins with the place and ends with a remedy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file.
    Missing {
        /// The path as it was given.
        file: String,
    },
    /// A directory, a device or a pipe stands where a file must be.
    NotAFile {
        /// The path as it was given.
        file: String,
        /// The text that was found there instead.
        kind: &'static str,
        /// Which files can be read there.
        wanted: &'static str,
    },
    /// The operating system refuses to let the file be read.
    Unreadable {
        /// The path as it was given.
        file: String,
        /// The system's reason.
        reason: String,
    },
    /// The file is larger than any reader here accepts.
    TooLarge {
        /// The path as it was given.
        file: String,
        /// The largest size that is accepted.
        limit: u64,
    },
    /// A file names a path outside its own folder.
    Outside {
        /// The path as it was given.
        file: String,
    },
    /// A text names a mesh file where no folder is known to find it in.
    NoFolder {
        /// The path as it was given.
        file: String,
    },
    /// The name of a file does not say what it holds.
    UnknownType {
        /// The path as it was given.
        file: String,
        /// Which files can be read there.
        wanted: &'static str,
    },
    /// Bytes that are no UTF-8 text.
    NotUtf8 {
        /// Where the first bad byte is.
        place: Place,
    },
    /// The file is of another kind than its name says.
    OtherContent {
        /// The file.
        place: Place,
        /// The kind of file.
        what: &'static str,
        /// The remedy.
        way_out: &'static str,
    },
    /// The text is not JSON, or breaks off.
    Syntax {
        /// Where reading stopped.
        place: Place,
        /// The fault there.
        message: String,
    },
    /// A field of the JSON text is wrong; the message begins with the path of the field.
    Field {
        /// Where reading stopped, just behind the fault.
        place: Place,
        /// The fault, such as `bodies[3].shape.cuboid.half_extents.y is -2, but …`.
        message: String,
    },
    /// A mesh file is damaged.
    Mesh {
        /// The file, and the line where there are lines.
        place: Place,
        /// The fault there.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { file } => write!(f, "{file} does not exist; check the name and the folder"),
            Self::NotAFile { file, kind, wanted } => write!(f, "{file} is {kind}, not a file; name a file {wanted}"),
            Self::Unreadable { file, reason } => {
                write!(f, "{file} cannot be read ({reason}); check that it is readable")
            }
            Self::TooLarge { file, limit } => {
                write!(
                    f,
                    "{file} is larger than {limit} bytes, the most that is read from one file; split it or simplify the mesh"
                )
            }
            Self::Outside { file } => {
                write!(
                    f,
                    "{file} leaves the folder of the file that names it; give a relative path inside that folder, without `..`, or allow its folder (--allow)"
                )
            }
            Self::NoFolder { file } => {
                write!(
                    f,
                    "{file} cannot be found because this text was not read from a folder; give the points themselves"
                )
            }
            Self::UnknownType { file, wanted } => write!(f, "{file} is of no known type; name a file {wanted}"),
            Self::NotUtf8 { place } => {
                write!(f, "{place}: this is not UTF-8 text; save the file with the encoding UTF-8")
            }
            Self::OtherContent { place, what, way_out } => write!(f, "{place}: this is {what}; {way_out}"),
            Self::Syntax { place, message } | Self::Field { place, message } | Self::Mesh { place, message } => {
                write!(f, "{place}: {message}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The error for a path that could not be opened or examined.
    pub(crate) fn from_io(file: &Path, error: &io::Error) -> Self {
        let file = file.display().to_string();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing { file },
            kind => Self::Unreadable { file, reason: kind.to_string() },
        }
    }
}

/// A place in a text: file, line and column as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file as it was given; nothing for a stream that has no name.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The column in bytes, counted from 1.
    pub column: Option<u64>,
    /// The byte of a file that has no lines, counted from 0.
    pub byte: Option<u64>,
}

impl Place {
    /// A place in a file of which no line is known.
    #[must_use]
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..Self::default() }
    }

    /// A line of a stream.
    #[must_use]
    pub fn line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// The same file, at that line.
    #[must_use]
    pub fn at_line(self, line: u64) -> Self {
        Self { line: Some(line), column: None, ..self }
    }

    /// The same line, at that column.
    #[must_use]
    pub fn at_column(self, column: u64) -> Self {
        Self { column: Some(column), ..self }
    }

    /// The same file, at that byte.
    #[must_use]
    pub fn at_byte(self, byte: u64) -> Self {
        Self { byte: Some(byte), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            separator = ", ";
        }
        for (word, number) in [("line", self.line), ("column", self.column), ("byte", self.byte)] {
            if let Some(number) = number {
                write!(f, "{separator}{word} {number}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
