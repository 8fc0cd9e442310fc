//! The project's own chores. `cargo xtask test` is the one test command.

mod layers;
mod map;
mod program;

use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask test|map|soak

  test   everything that must pass: formatting, clippy, documentation, all tests and doctests, the map, the program
  map    only the checks that the paths named in ARCHITECTURE.md exist, that every room is on it, and that no module uses one
         above it
  soak   random and dangerous pairs against every engine, every answer checked: [--minutes N] [--threads T] [--seed S]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["test"] => test(),
        ["map"] => map::check().and_then(|()| layers::check()),
        ["soak", ref rest @ ..] => soak(rest),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every check in turn and stops at the first that fails.
fn test() -> Result<(), String> {
    let start = Instant::now();
    step("formatting", || cargo(&["fmt", "--all", "--check"], &[]))?;
    step("the map", map::check)?;
    step("the layers", layers::check)?;
    let deny = ["--", "-D", "warnings"];
    step("clippy", || cargo(&[&["clippy", "--workspace", "--all-targets", "--quiet"], &deny[..]].concat(), &[]))?;
    let doc = ["doc", "--workspace", "--no-deps", "--quiet"];
    step("documentation", || cargo(&doc, &[("RUSTDOCFLAGS", "-D warnings")]))?;
    step("tests and doctests", || cargo(&["test", "--workspace", "--quiet"], &[]))?;
    step("the program", program::check)?;
    step("the bench, quickly", || {
        let bench = ["run", "--quiet", "--package", "clearance-bench", "--bin", "clearance-bench"];
        cargo(&[&bench[..], &["--", "--quick", "--match", "cuboid"]].concat(), &[])
    })?;
    println!("\nall checks passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The soak itself is a program of the lab.
fn soak(arguments: &[&str]) -> Result<(), String> {
    let run = ["run", "--quiet", "--release", "--package", "clearance-lab", "--bin", "soak", "--"];
    cargo(&[&run[..], arguments].concat(), &[])
}

fn step(name: &str, check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("\n--- {name}");
    let start = Instant::now();
    check().map_err(|sentence| format!("{name}: {sentence}"))?;
    println!("--- {name}: {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs cargo, and tells how to run the same again if it fails.
fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).envs(environment.iter().copied());
    let status = command.status().map_err(|error| format!("cargo cannot be started ({error})"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", arguments.join(" "))) }
}
