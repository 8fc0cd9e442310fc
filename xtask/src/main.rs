//! The project's own tasks. `cargo xtask test` is the one test command.

mod api;
mod deep;
mod guide;
mod items;
mod kernels;
mod layers;
mod map;
mod names;
mod numbers;
mod package;
mod program;
mod prose;
mod python;
mod release;
mod viewer;

use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask quick|test|deep|map|numbers|prose|api|guide|ptx|python|viewer|soak|release

  quick  the checks after every change: formatting, the map, clippy and the fast tests of the library, the suite of pairs
  test   everything that must pass: formatting, clippy, documentation, all tests and doctests, the map, the program
  deep   the steps that take hours: soak, long forms, experiments, mutation testing; [--list] or names of steps
  map    only these checks: paths and items named in the documents exist, every module is in ARCHITECTURE.md, no module uses one
         above it, no two types of the library share a name
  numbers only the check that every constant has a reason: a bound, a limit, a layout, or a unit and a bench
  prose  only the check that sentences are short, begin with a noun and use the words of the field
  api    writes the list of the library's public items, crates/clearance/API.txt, which `test` compares
  guide  builds the guide with mdBook into target/guide; `guide figures` measures its figures again
  ptx    compiles the kernels of clearance-gpu to PTX, with a nightly compiler; [test] only tests that it is current
  python builds the Python package into a virtual environment in target, and tests it; prints a line without Python
  viewer builds the report page from viewer/ (needs Node.js); [test] only tests it, in a browser
  soak   random and dangerous pairs against every engine, every answer checked: [--minutes N] [--threads T] [--seed S]
  release REPOSITORY SITE  writes the two addresses where the files have placeholders";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["quick"] => quick(),
        ["test"] => test(),
        ["deep", ref names @ ..] => deep::run(names),
        ["map"] => {
            map::check().and_then(|()| items::check()).and_then(|()| layers::check()).and_then(|()| names::check())
        }
        ["numbers"] => numbers::check(),
        ["prose"] => prose::check(),
        ["api"] => cargo(&["doc", "--workspace", "--no-deps", "--quiet"], &[]).and_then(|()| api::write()),
        ["guide"] => guide::check().map(drop),
        ["guide", "figures"] => guide::figures(),
        ["ptx"] => kernels::write(),
        ["ptx", "test"] => kernels::check().map(drop),
        ["python"] => python::check().map(drop),
        ["viewer"] => viewer::build(),
        ["viewer", "test"] => viewer::fresh()
            .and_then(|()| cargo(&["build", "--quiet", "--package", "clearance-cli"], &[]))
            .and_then(|()| viewer::browser())
            .map(|_| ()),
        ["soak", ref rest @ ..] => soak(rest),
        ["release", repository, site] => release::fill(repository, site),
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

/// Names of tests that take long without optimisation contain this. `cargo xtask test` runs them with optimisation;
/// `cargo xtask quick` and `.cargo/mutants.toml` skip them.
const SLOW: &str = "slow_";

/// The checks after every change: compiled in seconds, without optimisation.
fn quick() -> Result<(), String> {
    let start = Instant::now();
    step("formatting", || cargo(&["fmt", "--all", "--check"], &[]))?;
    step("the map", map::check)?;
    step("items in documents", items::check)?;
    step("the layers", layers::check)?;
    step("names", names::check)?;
    step("numbers", numbers::check)?;
    step("prose", prose::check)?;
    step("long forms have a deep step", deep::check)?;
    step("the report page is built", viewer::fresh)?;
    step("clippy of the library", || {
        let features = ["--features", "proof", "--all-targets", "--quiet", "--", "-D", "warnings"];
        cargo(&[&["clippy", "--package", "clearance"], &features[..]].concat(), &[])
    })?;
    let test = ["test", "--profile", "quick", "--quiet", "--package"];
    step("the library's own tests, the fast ones", || {
        cargo(&[&test[..], &["clearance", "--features", "proof", "--lib", "--", "--skip", SLOW]].concat(), &[])
    })?;
    step("the suite of pairs", || cargo(&[&test[..], &["clearance-cli", "--test", "main", "suite::"]].concat(), &[]))?;
    println!("\nall quick checks passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs every check in turn and stops at the first that fails.
fn test() -> Result<(), String> {
    let start = Instant::now();
    let mut skipped = Skipped::new();
    step("formatting", || cargo(&["fmt", "--all", "--check"], &[]))?;
    step("the map", map::check)?;
    step("items in documents", items::check)?;
    step("the layers", layers::check)?;
    step("names", names::check)?;
    step("numbers", numbers::check)?;
    step("prose", prose::check)?;
    step("long forms have a deep step", deep::check)?;
    step("the report page is built", viewer::fresh)?;
    let deny = ["--", "-D", "warnings"];
    // The Python package is checked without an interpreter, which may not be there.
    let python = ["--features", "clearance-py/python"];
    let clippy = [&["clippy", "--workspace", "--all-targets", "--quiet"], &python[..], &deny].concat();
    step("clippy", || cargo(&clippy, &[("PYO3_NO_PYTHON", "1"), ("PYO3_BUILD_EXTENSION_MODULE", "1")]))?;
    let doc = ["doc", "--workspace", "--no-deps", "--quiet"];
    step("documentation", || cargo(&doc, &[("RUSTDOCFLAGS", "-D warnings")]))?;
    step("the public surface of the library", api::check)?;
    // Examples are run as tests of their package; programs of their own need not be linked.
    let test = ["test", "--workspace", "--quiet"];
    step("tests", || cargo(&[&test[..], &["--tests"]].concat(), &[]))?;
    step("doctests", || cargo(&[&test[..], &["--doc"]].concat(), &[]))?;
    step("features", package::features)?;
    step("the oldest compiler", package::oldest_compiler)?;
    step("other processors", package::other_processors)?;
    step("packages", package::contents)?;
    step("the program", program::check)?;
    step("the report page in a browser", || {
        skipped.extend(viewer::browser()?.map(|missing| format!("the browser tests were skipped: {missing}")));
        Ok(())
    })?;
    step("the kernels for GPUs", || {
        skipped.extend(kernels::check()?);
        Ok(())
    })?;
    step("the Python package", || {
        skipped.extend(python::check()?.map(|missing| format!("the Python package was not tested: {missing}")));
        Ok(())
    })?;
    step("the bench, quickly", || {
        // With the features of the tests: alone it would build the libraries again.
        cargo(&["build", "--quiet", "--workspace", "--tests", "--bin", "clearance-bench"], &[])?;
        let status = program::command("clearance-bench")?.args(["--quick", "--match", "cuboid"]).status();
        if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err("the bench of cuboids failed".into()) }
    })?;
    step("the guide", || guide::check().map(|missing| skipped.extend(missing)))?;
    println!("\nall checks passed in {:.0} s", start.elapsed().as_secs_f64());
    for missing in skipped {
        println!("but {missing}");
    }
    Ok(())
}

/// Checks that were skipped because something is not installed: a sentence each, which the summary repeats.
type Skipped = Vec<String>;

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
