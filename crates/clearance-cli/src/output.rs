//! Writing to the outside: errors that are one sentence, and pipes that may close.

use crate::Outcome;
use std::io::{self, Write};

/// Prints `error: sentence` on the standard error.
pub fn complain(sentence: &str) {
    // If not even that can be written there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "error: {}", printable(sentence));
}

/// A text from a file as a terminal may see it: names cannot move the cursor or begin a new line.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The outcome after writing: a reader that has gone away ends the program quietly.
pub fn written(result: io::Result<()>, outcome: Outcome) -> Result<Outcome, String> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(&error)),
        _ => Ok(outcome),
    }
}

/// The sentence for output that cannot be written.
pub fn cannot_write(error: &io::Error) -> String {
    format!("the output cannot be written ({}); check the disk or the pipe", error.kind())
}
