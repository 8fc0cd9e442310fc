//! Feeds a parser one line at a time, so that the line of an error is known although the parser does not tell it.

use std::io::{self, BufRead, Read};

/// What becomes of a line on its way to the parser.
pub(super) enum Fate {
    /// The parser gets it, as the filter left it.
    Keep,
    /// The parser never sees it.
    Drop,
}

/// A reader whose buffer never holds more than one line of the source.
pub(super) struct Lines<R, F> {
    source: R,
    filter: F,
    line: Vec<u8>,
    used: usize,
    /// The number of the line the parser is at, counted from 1; zero before the first.
    pub number: u64,
}

impl<R: BufRead, F: FnMut(&mut Vec<u8>) -> Fate> Lines<R, F> {
    pub fn new(source: R, filter: F) -> Self {
        Self { source, filter, line: Vec::new(), used: 0, number: 0 }
    }
}

impl<R: BufRead, F: FnMut(&mut Vec<u8>) -> Fate> BufRead for Lines<R, F> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.used == self.line.len() {
            self.line.clear();
            self.used = 0;
            if self.source.read_until(b'\n', &mut self.line)? == 0 {
                break;
            }
            self.number += 1;
            if let Fate::Drop = (self.filter)(&mut self.line) {
                self.line.clear();
            }
        }
        Ok(&self.line[self.used..])
    }

    fn consume(&mut self, amount: usize) {
        self.used = (self.used + amount).min(self.line.len());
    }
}

impl<R: BufRead, F: FnMut(&mut Vec<u8>) -> Fate> Read for Lines<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let line = self.fill_buf()?;
        let count = line.len().min(buffer.len());
        buffer[..count].copy_from_slice(&line[..count]);
        self.consume(count);
        Ok(count)
    }
}

/// The first word of a line.
pub(super) fn first_word(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default()
}
