//! The `clearance` program: reads, asks the library, prints.

mod args;
mod check;
mod output;
mod pieces;
mod query;
mod replace;
mod report;
mod simulate;
mod verify;
mod view;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

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

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Check(args) => check::run(&args),
        Command::View(args) => view::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Hull(args) => pieces::hull(&args),
        Command::Decompose(args) => pieces::run(&args),
    };
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(sentence) => {
            output::complain(&sentence);
            ExitCode::from(Outcome::BadInput as u8)
        }
    }
}
