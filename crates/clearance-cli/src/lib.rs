//! The `clearance` program: reads, asks the library, prints.
//!
//! [`run`] is the whole program, for `main.rs` and for the script of the Python package. [`check_json`], [`query_lines`] and [`verify_json`] are
//! three of its commands for callers that go on with the answer.

mod args;
mod bcf;
mod check;
mod output;
mod pieces;
mod query;
mod replace;
mod report;
mod robot;
mod simulate;
mod verify;
mod view;

use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io::Read;

/// The result of the program, as its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing overlaps; every line was answered; nothing is refuted.
    Good = 0,
    /// Something overlaps; some line had no answer; something is refuted.
    Bad = 1,
    /// The input was read in part only, as was asked for. Input that cannot be read at all is an error, with the same code.
    BadInput = 2,
    /// Nothing is known to overlap, but some pair is undecided.
    Undecided = 3,
}

/// Runs the program with these arguments, of which the first is its own name: the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help goes to the standard output, a mistake to the standard error. A closed pipe has nobody left to tell.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(Outcome::BadInput as u8);
        }
    };
    let outcome = match args.command {
        Command::Check(args) => check::run(&args),
        Command::View(args) => view::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Hull(args) => pieces::hull(&args),
        Command::Decompose(args) => pieces::run(&args),
    };
    match outcome {
        Ok(outcome) => outcome as u8,
        Err(sentence) => {
            output::complain(&sentence);
            Outcome::BadInput as u8
        }
    }
}

/// The output of `clearance check` with these arguments and `--json`: one JSON object, also where something overlaps.
///
/// # Errors
///
/// One sentence, for bad arguments and for input that cannot be read.
pub fn check_json(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<u8>, String> {
    match parse("check", arguments)? {
        Command::Check(args) => check::to_json(&args),
        _ => Err("only a check has findings".into()),
    }
}

/// The output of `clearance query` with these arguments: a line of JSON for each query, also where it cannot be answered.
///
/// # Errors
///
/// One sentence, for bad arguments.
pub fn query_lines(lines: impl Read, arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<u8>, String> {
    match parse("query", arguments)? {
        Command::Query(args) => query::to_lines(lines, &args),
        _ => Err("only queries are answered".into()),
    }
}

/// The output of `clearance verify` with these arguments and `--json`: one JSON object, also where something is refuted.
///
/// # Errors
///
/// One sentence, for bad arguments and for input that cannot be read.
pub fn verify_json(lines: impl Read, arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<u8>, String> {
    match parse("verify", arguments)? {
        Command::Verify(args) => verify::to_json(lines, &args),
        _ => Err("only evidence is verified".into()),
    }
}

/// The options of a command, or the first line of the complaint about them.
fn parse(command: &str, arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let words = ["clearance", command].map(OsString::from);
    Args::try_parse_from(words.into_iter().chain(arguments)).map(|args| args.command).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("error: ").unwrap_or(first).to_owned()
    })
}
