//! The `clearance` program: reads, asks the library, prints.

mod args;
mod check;
mod output;
mod pieces;
mod query;
mod report;
mod reproduce;
mod verify;
mod view;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

/// What the program found, as its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing overlaps; every line was answered; nothing is refuted.
    Good,
    /// Something overlaps; some line had no answer; something is refuted.
    Bad,
    /// The input is not what it must be, as a report on the standard output says.
    Unusable,
}

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Check(args) => check::run(&args),
        Command::View(args) => view::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Hull(args) => pieces::hull(&args),
        Command::Decompose(args) => pieces::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
    };
    match outcome {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Bad) => ExitCode::from(1),
        Ok(Outcome::Unusable) => ExitCode::from(2),
        Err(sentence) => {
            output::complain(&sentence);
            ExitCode::from(2)
        }
    }
}
