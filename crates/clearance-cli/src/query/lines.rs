//! Lines of bounded length from an input of unbounded length.

use clearance_io::other_than_text;
use clearance_io::proof::LineHash;
use std::io::{self, BufRead, Read};

/// Longest line that is read: 64 MiB. Limit: a line without an end must not take all memory; a mesh of a million triangles fits.
const MAX_LINE: usize = 64 << 20;
/// A larger buffer is released after its line. Limit: one long line must not hold memory for the rest of a session.
const KEEP: usize = 1 << 20;

/// The next line.
pub enum Line<'a> {
    /// A line that is not blank, its number, counted from 1, and the hash of all lines before it, if lines are hashed.
    Text(&'a str, u64, &'a LineHash),
    /// A line that is no text or too long; one sentence that begins with its place, and its number.
    Bad(String, u64),
    /// There are no more lines.
    End,
}

/// Reads line by line into one buffer.
pub struct Lines {
    buffer: Vec<u8>,
    number: u64,
    is_hashing: bool,
    /// All lines before the current one, and all lines up to it.
    before: LineHash,
    upto: LineHash,
}

impl Lines {
    pub fn new() -> Self {
        let (before, upto) = (LineHash::default(), LineHash::default());
        Self { buffer: Vec::new(), number: 0, is_hashing: false, before, upto }
    }

    /// The same, and hashes the lines for the trailer of evidence.
    pub fn hashing() -> Self {
        Self { is_hashing: true, ..Self::new() }
    }

    /// The next line that is not blank. An input that is packed or in another encoding is an error that names it.
    pub fn next(&mut self, input: &mut impl BufRead) -> io::Result<Line<'_>> {
        loop {
            self.buffer.clear();
            self.buffer.shrink_to(KEEP);
            // One byte more than allowed tells a line that is too long from one that just fits.
            if input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(Line::End);
            }
            self.number += 1;
            let number = self.number;
            if self.is_hashing {
                self.before = self.upto.clone();
                self.upto.add(&self.buffer);
            }
            if number == 1
                && let Some((what, way_out)) = other_than_text(&self.buffer)
            {
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{what}; {way_out}")));
            }
            let is_whole = self.buffer.pop_if(|last| *last == b'\n').is_some();
            if self.buffer.len() > MAX_LINE {
                if !is_whole {
                    skip_line(input)?;
                }
                let sentence = format!("line {number}: the line is longer than 64 MiB; put large hulls into a file");
                return Ok(Line::Bad(sentence, number));
            }
            if self.number == 1 && self.buffer.starts_with("\u{feff}".as_bytes()) {
                self.buffer.drain(..3);
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        let number = self.number;
        Ok(match std::str::from_utf8(&self.buffer) {
            Ok(text) => Line::Text(text, number, &self.before),
            Err(error) => {
                let column = error.valid_up_to() + 1;
                let sentence =
                    format!("line {number}, column {column}: this is not UTF-8 text; write the stream as UTF-8");
                Line::Bad(sentence, number)
            }
        })
    }
}

/// Reads up to the end of the line without keeping it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            return Ok(());
        }
        match chunk.iter().position(|&byte| byte == b'\n') {
            Some(end) => {
                input.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = chunk.len();
                input.consume(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn blank_long_and_broken_lines() {
        let long = vec![b'x'; MAX_LINE + 10];
        let fits = vec![b'y'; MAX_LINE];
        let input = [b"\xef\xbb\xbf{}\n\n  \r\n", &long[..], b"\n", &fits[..], b"\na\xffb\nlast"].concat();
        let mut input = BufReader::new(input.as_slice());
        let mut lines = Lines::new();
        assert!(matches!(lines.next(&mut input), Ok(Line::Text("{}", 1, _))));
        assert!(matches!(lines.next(&mut input), Ok(Line::Bad(s, 4)) if s.starts_with("line 4: the line is longer")));
        assert!(matches!(lines.next(&mut input), Ok(Line::Text(text, 5, _)) if text.len() == MAX_LINE));
        assert!(
            matches!(lines.next(&mut input), Ok(Line::Bad(s, 6)) if s.starts_with("line 6, column 2: this is not UTF-8"))
        );
        assert!(matches!(lines.next(&mut input), Ok(Line::Text("last", 7, _))));
        assert!(matches!(lines.next(&mut input), Ok(Line::End)));
    }

    #[test]
    fn packed_and_wide_streams_are_named() {
        for (start, what) in
            [(&b"\xff\xfe{\0"[..], "UTF-16 text"), (b"\xfe\xff\0{", "UTF-16"), (b"\x1f\x8b\x08", "gzip")]
        {
            let error = Lines::new().next(&mut BufReader::new(start)).err().unwrap();
            assert!(error.kind() == io::ErrorKind::InvalidData && error.to_string().contains(what), "{error}");
        }
    }
}
