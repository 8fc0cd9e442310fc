//! Lines of text from untrusted files, with their numbers, and the words of a line.

use super::content::MARK;
use crate::error::{Error, Place};
use std::io::BufRead;

/// The lines of a text without their ends, which may be those of any system: LF, CR LF or CR. A byte-order mark is skipped.
pub(super) struct Lines<'a, R> {
    source: R,
    name: &'a str,
    /// The text up to a line feed; more than one line if carriage returns are the ends.
    chunk: Vec<u8>,
    used: usize,
    /// The number of the line that came last, counted from 1; zero before the first.
    pub number: u64,
}

impl<'a, R: BufRead> Lines<'a, R> {
    pub fn new(source: R, name: &'a str) -> Self {
        Self { source, name, chunk: Vec::new(), used: 0, number: 0 }
    }

    /// The next line and its number.
    pub fn next(&mut self) -> Result<Option<(&[u8], u64)>, Error> {
        if self.used == self.chunk.len() {
            self.chunk.clear();
            self.used = 0;
            let read = self.source.read_until(b'\n', &mut self.chunk);
            if read.map_err(|error| Error::from_io(self.name.as_ref(), &error))? == 0 {
                return Ok(None);
            }
            if self.number == 0 && self.chunk.starts_with(MARK) {
                self.used = MARK.len();
            }
        }
        self.number += 1;
        let rest = &self.chunk[self.used..];
        let length = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(rest.len());
        let end = match rest[length..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let start = self.used;
        self.used += length + end;
        let line = &self.chunk[start..start + length];
        if line.contains(&0) {
            return Err(self.fail(self.number, "there is a byte 0 here, so this is no text; export the file again"));
        }
        Ok(Some((line, self.number)))
    }

    /// An error at a line of this text.
    pub fn fail(&self, line: u64, message: impl Into<String>) -> Error {
        Error::Mesh { place: Place::file(self.name).at_line(line), message: message.into() }
    }
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The double that is nearest to a decimal number; it may be infinite or NaN if the word says so or is too large.
pub(super) fn number(word: &[u8]) -> Option<f64> {
    // The parser of the standard library rounds correctly, whatever the number of digits.
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A coordinate of a vertex.
pub(super) fn coordinate(word: &[u8]) -> Result<f64, String> {
    let coordinate = number(word).ok_or_else(|| format!("{} is no number; correct the line", shown(word)))?;
    if coordinate.is_finite() { Ok(coordinate) } else { Err("a coordinate is not a finite number; correct it".into()) }
}

/// A whole number that is not negative.
pub(super) fn whole(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word as a sentence may show it.
pub(super) fn shown(word: &[u8]) -> String {
    crate::json::quoted(&String::from_utf8_lossy(word))
}

/// Text of another library or an untrusted file, as part of a sentence: one line, and not too long.
pub(super) fn one_line(text: impl std::fmt::Display) -> String {
    /// Limit: a sentence of an error stays readable whatever a file contains.
    const MOST: usize = 200;
    let text = text.to_string();
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}
