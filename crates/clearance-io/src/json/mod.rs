//! Strict reading of JSON with the path of every field.
//!
//! Types that are written as JSON objects implement [`Fields`]; [`Object`] then does what is the same for all of them.
//! A [`Reader`] knows where in the text the parser is, so that an error can name the field even when the JSON parser
//! itself raised it. Segments are pushed on the way in and popped only on success: after a failure the path still names
//! the place.

pub(crate) mod motion;
mod notes;
pub(crate) mod pose;
pub(crate) mod shape;
mod values;

pub(crate) use notes::Notes;
pub(crate) use values::{List, Number, Quaternion, Text, Vector, bounded, finite};

use crate::error::{Error, Place};
use crate::files::Folder;
use crate::unit::Unit;
use clearance::{BuildError, Shape};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::marker::PhantomData;
use std::sync::Arc;

/// Where the parser is, and what went wrong.
pub(crate) struct Reader<'c> {
    /// Where mesh files are looked for.
    pub folder: &'c Folder,
    path: RefCell<String>,
    problem: RefCell<Option<String>>,
    pub(super) depth: Cell<u32>,
    /// The named shapes of the text, as far as it was read.
    pub(super) names: RefCell<HashMap<String, Named>>,
    /// How deep the shapes were since it was reset, and how large: see [`Named`].
    pub(super) deepest: Cell<u32>,
    pub(super) size: Cell<u64>,
    /// The sizes of all shapes that names stand for.
    pub(super) copied: Cell<u64>,
    /// A path at which to stop with [`Reader::problem`] of its own: how a fault found late gets its line.
    stop: Option<(String, String)>,
    /// The value as written, for callers who want it beside its meaning.
    pub notes: Option<Notes>,
    /// The unit of the text. Mesh files that state another one are converted.
    pub unit: Option<Unit>,
}

/// A shape that others may name.
pub(super) struct Named {
    shape: Shape,
    written: Option<Arc<clearance_verify::Shape>>,
    /// How many shapes are nested in it, itself included.
    depth: u32,
    /// How many shapes it has; if notes are kept, with the points and triangles that a note copies.
    size: u64,
}

/// One step of a path.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

impl<'c> Reader<'c> {
    pub fn new(folder: &'c Folder) -> Self {
        Self {
            folder,
            path: RefCell::default(),
            problem: RefCell::default(),
            depth: Cell::new(0),
            names: RefCell::default(),
            deepest: Cell::new(0),
            size: Cell::new(0),
            copied: Cell::new(0),
            stop: None,
            notes: None,
            unit: None,
        }
    }

    /// A reader that keeps notes.
    pub fn noting(folder: &'c Folder) -> Self {
        Self { notes: Some(Notes::default()), ..Self::new(folder) }
    }

    /// A reader that fails with `message` when it comes to `path`.
    pub fn stopping(folder: &'c Folder, path: String, message: String) -> Self {
        Self { stop: Some((path, message)), ..Self::new(folder) }
    }

    /// Reads a child; the path is longer by `step` meanwhile, and stays so when reading fails.
    pub fn inside<T, E: de::Error>(&self, step: Step, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mark = self.path.borrow().len();
        {
            let mut path = self.path.borrow_mut();
            match step {
                Step::Field(name) => {
                    if mark > 0 {
                        path.push('.');
                    }
                    // A name of the user's may be long or have line breaks; a message is one line.
                    let is_plain = name.len() <= MOST_LETTERS && !name.contains(char::is_control);
                    path.push_str(&if is_plain { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) });
                }
                // Writing to a string cannot fail.
                Step::Index(index) => drop(write!(path, "[{index}]")),
            }
        }
        let value = read()?;
        if let Some((stop, message)) = &self.stop
            && *stop == *self.path.borrow()
        {
            return Err(self.fail(message.clone()));
        }
        self.path.borrow_mut().truncate(mark);
        Ok(value)
    }

    /// The path of the value being read, or `what` at the top.
    pub fn name(&self, what: &str) -> String {
        let path = self.path.borrow();
        if path.is_empty() { format!("the {what}") } else { path.clone() }
    }

    /// An error with a sentence of ours.
    pub fn fail<E: de::Error>(&self, message: String) -> E {
        *self.problem.borrow_mut() = Some(message);
        E::custom("refused")
    }

    /// The library's error, with the path of the value being read in front of its field.
    pub fn refuse<E: de::Error>(&self, error: BuildError) -> E {
        let path = self.path.borrow();
        let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
        drop(path);
        self.fail(error.prefixed(&prefix).to_string())
    }

    /// Reads a whole text.
    pub fn read<'de, S: DeserializeSeed<'de>>(&self, seed: S, text: &'de str, place: Place) -> Result<S::Value, Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = seed.deserialize(&mut deserializer);
        value.and_then(|value| deserializer.end().map(|()| value)).map_err(|error| self.explain(&error, text, place))
    }

    /// Turns the parser's error into a sentence.
    fn explain(&self, error: &serde_json::Error, text: &str, place: Place) -> Error {
        let (line, column) = (error.line(), error.column());
        let place = match (line, place.line) {
            (0, _) => place,
            // A line of a stream is a text of its own, and always its first line.
            (_, Some(_)) => place.at_column(column as u64),
            (_, None) => place.at_line(line as u64).at_column(column as u64),
        };
        if let Some(message) = self.problem.borrow_mut().take() {
            return Error::Field { place, message };
        }
        let message = error.to_string();
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        match error.classify() {
            serde_json::error::Category::Data => Error::Field { place, message: mismatch(&self.name("text"), message) },
            serde_json::error::Category::Eof => {
                let path = self.path.borrow();
                let inside = if path.is_empty() { String::new() } else { format!(" inside {path}") };
                Error::Syntax {
                    place,
                    message: format!("the JSON text ends too early{inside}; it seems to be cut off"),
                }
            }
            _ => Error::Syntax { place, message: bad_syntax(message, text, line, column) },
        }
    }
}

/// "invalid type: string "x", expected a number" as a sentence about a field.
fn mismatch(name: &str, message: &str) -> String {
    let known = ["invalid type: ", "invalid value: "].iter().find_map(|prefix| message.strip_prefix(prefix));
    let Some((found, wanted)) = known.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return format!("{name}: {message}");
    };
    let found = match found {
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        "null" => "null".to_owned(),
        _ => format!("the {found}"),
    };
    format!("{name} is {found}, but must be {wanted}")
}

fn bad_syntax(message: &str, text: &str, line: usize, column: usize) -> String {
    if message == "number out of range" {
        return "a number here is too large for a 64-bit float; every number must be finite".into();
    }
    // Columns count bytes, and may point at any byte of the token or just behind it.
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default().as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let at = column.saturating_sub(1).min(line.len());
    let start = at - line[..at].iter().rev().take_while(|byte| is_word(byte)).count();
    let word: String = line[start..].iter().take_while(|byte| is_word(byte)).map(|&byte| char::from(byte)).collect();
    let bare = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if ["nan", "inf", "infinity"].contains(&bare.as_str()) {
        return format!("{word} is not a JSON number; every number must be finite");
    }
    format!("this is not JSON ({message}); correct the text here")
}

/// A type that is written as a JSON object.
pub(crate) trait Fields: Default {
    /// Its target type.
    type Output;
    /// Its name in "expected a pose".
    const WHAT: &'static str;
    /// The names of its fields; a field is known by its index here.
    const NAMES: &'static [&'static str];

    /// Reads the value of a field.
    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error>;

    /// The error of a field in [`NAMES`](Self::NAMES) that [`read`](Self::read) leaves out: a fault of this crate, found by the first test that
    /// has the field.
    fn unread<E: de::Error>(reader: &Reader, field: usize) -> E {
        debug_assert!(false, "the field {} of a {} has no reader", Self::NAMES[field], Self::WHAT);
        reader.fail(format!("{} cannot be read", Self::NAMES[field]))
    }

    /// Puts the fields together; errors go through [`Reader::fail`] and [`Reader::refuse`].
    fn finish<E: de::Error>(self, reader: &Reader) -> Result<Self::Output, E>;
}

/// Reads a [`Fields`] type: refuses unknown and repeated fields, skips those that start with `_`.
pub(crate) struct Object<'r, 'c, T>(&'r Reader<'c>, PhantomData<T>);

impl<'r, 'c, T> Object<'r, 'c, T> {
    pub fn new(reader: &'r Reader<'c>) -> Self {
        Self(reader, PhantomData)
    }
}

impl<T> Clone for Object<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Object<'_, '_, T> {}

impl<'de, T: Fields> DeserializeSeed<'de> for Object<'_, '_, T> {
    type Value = T::Output;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Output, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Fields> Visitor<'de> for Object<'_, '_, T> {
    type Value = T::Output;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "an object ({})", T::WHAT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T::Output, A::Error> {
        let mut value = T::default();
        let mut seen = 0_u32;
        while let Some(key) = map.next_key_seed(Key(T::NAMES))? {
            match key {
                Found::Known(index) if seen >> index & 1 == 1 => {
                    let message = format!("{} has the field {} twice; keep one", self.0.name(T::WHAT), T::NAMES[index]);
                    return Err(self.0.fail(message));
                }
                Found::Known(index) => {
                    seen |= 1 << index;
                    self.0.inside(Step::Field(T::NAMES[index]), || value.read(self.0, index, &mut map))?;
                }
                Found::Comment => drop(map.next_value::<IgnoredAny>()?),
                Found::Unknown(name) => return Err(self.0.fail(unknown(self.0, T::WHAT, &name, T::NAMES))),
            }
        }
        value.finish(self.0)
    }
}

fn unknown(reader: &Reader, what: &str, name: &str, names: &[&str]) -> String {
    let known = match names {
        [] => "it takes none".to_owned(),
        _ => format!("it takes {}", names.join(", ")),
    };
    format!(
        "{} has the unknown field {}; {known} (a name starting with _ is a comment)",
        reader.name(what),
        quoted(name)
    )
}

/// Letters of a name that a sentence quotes. Limit: a sentence of an error stays readable whatever a file contains.
const MOST_LETTERS: usize = 60;

/// A name of the user's, short enough for a sentence and without control characters.
pub(crate) fn quoted(name: &str) -> String {
    let short: String = name.chars().take(MOST_LETTERS).collect();
    let dots = if short.len() < name.len() { "…" } else { "" };
    format!("{short:?}{dots}")
}

/// Reads the name of a field without keeping the text of those that are known.
#[derive(Clone, Copy)]
pub(crate) struct Key(pub &'static [&'static str]);

/// Which field a name stands for.
pub(crate) enum Found {
    Known(usize),
    Comment,
    Unknown(String),
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Found, E> {
        Ok(match self.0.iter().position(|known| *known == name) {
            Some(index) => Found::Known(index),
            None if name.starts_with('_') => Found::Comment,
            None => Found::Unknown(name.to_owned()),
        })
    }
}

/// The value of a field that must be there.
pub(crate) fn required<T, E: de::Error>(reader: &Reader, what: &str, field: &str, value: Option<T>) -> Result<T, E> {
    value.ok_or_else(|| reader.fail(format!("{} has no field {field}; add it", reader.name(what))))
}
