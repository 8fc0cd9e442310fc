//! Clearance and parry on the same inputs, in one process, taking turns.
//!
//! `cargo bench-pairs` prints nanoseconds per query, the ratio to parry in both precisions, the largest difference of the answers, and whether the
//! required ratio is met.

#![allow(clippy::duplicate_mod)] // parry.rs is compiled once for each precision

mod ours;
mod parry32;
mod parry64;
mod section;
mod table;
mod timing;
mod workloads;

use clap::Parser;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use table::Line;
use timing::Effort;
use workloads::Row;

/// Clearance and parry side by side: nanoseconds per query, ratios, disagreements.
#[derive(Debug, Parser)]
#[command(name = "cargo bench-pairs")]
struct Options {
    /// Few queries and repeats: tests that every row runs, and measures nothing
    #[arg(long)]
    quick: bool,
    /// Only rows whose workload or query contains this.
    #[arg(long = "match", value_name = "TEXT", default_value = "")]
    only: String,
    /// Write the numbers to this file too.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Put the table into its section of this file too.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Afterwards build for this machine's processor (target-cpu=native) and measure that as well.
    #[arg(long)]
    native: bool,
    /// Add to the numbers instead of replacing them, and write the other section; the native build is called with it.
    #[arg(long, hide = true)]
    append: bool,
}

/// The text before the table of the default build. Each build has a section of its own in the file.
const TITLE: &str = "## How fast

Written by `cargo bench-pairs --native --markdown bench/tables/pairs.md`: Clearance and parry on the same inputs in one process; `bench/README.md`
explains the rows and how to set Clearance beside Coal, FCL, libccd, Bullet and Jolt. Only the ratios mean anything, and those change
by a tenth from run to run. Where answers differ by more than 1e-6, ours are proved. A depth is too deep if a shorter translation is
proved to free the shapes.

";

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let share = if options.quick { 0.05 } else { 1.0 };
    let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
    let wanted = |row: &Row| row.scene.name.contains(&options.only) || row.kind.name().contains(&options.only);
    let rows: Vec<Row> = workloads::rows(share).into_iter().filter(wanted).collect();
    if rows.is_empty() {
        return Err(format!("no row has \"{}\" in its workload or query; leave --match out to see all", options.only));
    }
    println!("{}\n{}", made_by(), table::text_heading());
    let mut lines = Vec::with_capacity(rows.len());
    for row in &rows {
        let line = measure(row, effort);
        println!("{}", table::text_line(&line));
        lines.push(line);
    }
    println!("{}", summary(&lines));
    if let Some(path) = &options.csv {
        write(path, &table::csv(&lines, build(), !options.append), options.append)?;
    }
    if let Some(path) = &options.markdown {
        let table = table::markdown(&lines, &made_by());
        let (name, body) = if options.append { ("speed-native", table) } else { ("speed", format!("{TITLE}{table}")) };
        section::write(path, name, &body)?;
    }
    if options.native { run_native(options) } else { Ok(()) }
}

fn measure(row: &Row, effort: Effort) -> Line {
    let count = row.scene.queries.len();
    let [mut ours, mut parry64, mut parry32] = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
    let times = timing::best_of(
        effort,
        &mut [ours::pass(row, &mut ours), parry64::pass(row, &mut parry64), parry32::pass(row, &mut parry32)],
    );
    let per_query = |k: usize| times[k].as_secs_f64() * 1e9 / count as f64;
    Line::new(row, [per_query(0), per_query(1), per_query(2)], &ours, &parry64)
}

fn summary(lines: &[Line]) -> String {
    let asked = lines.iter().filter(|line| line.required.is_some()).count();
    let met = lines.iter().filter(|line| line.met() == Some(true)).count();
    let wrong = lines.iter().filter(|line| !line.agrees()).count();
    let wrong =
        if wrong == 0 { String::new() } else { format!(" In {wrong} rows more than 1 % of the answers contradict.") };
    format!("{met} of the {asked} required ratios are met.{wrong}")
}

/// Which build this is.
fn build() -> &'static str {
    if cfg!(target_feature = "avx2") { "native" } else { "default" }
}

/// The line about the compiler and the build. It has no date, so that the same numbers give the same file.
fn made_by() -> String {
    let compiler = Command::new("rustc").arg("--version").output();
    let compiler = compiler.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let compiler = if compiler.is_empty() { "an unknown compiler" } else { compiler.trim() };
    let features = match build() {
        "native" => "target-cpu=native (AVX2 or more)",
        _ => "default flags",
    };
    format!(
        "Made by `cargo bench-pairs`: {compiler}, {}, {features}, fat LTO; against parry3d-f64 and parry3d 0.31.1. \
         The best pass of each counts, the libraries taking turns.",
        std::env::consts::ARCH
    )
}

fn write(path: &Path, text: &str, append: bool) -> Result<(), String> {
    let mut how = std::fs::OpenOptions::new();
    let how = how.create(true).write(true).append(append).truncate(!append);
    let written = how.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// Builds and runs this program again for the processor at hand, in a target directory of its own.
fn run_native(options: &Options) -> Result<(), String> {
    // Cargo sets both when it runs a program.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("bench"), PathBuf::from);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| package.join("../target"), PathBuf::from);
    let mut command = Command::new(cargo);
    command.args(["run", "--profile", "bench-pairs", "--bin", "clearance-bench", "--manifest-path"]);
    command.arg(package.join("Cargo.toml")).arg("--target-dir").arg(target.join("native"));
    command.env("RUSTFLAGS", "-C target-cpu=native").args(["--", "--append", "--match", &options.only]);
    if options.quick {
        command.arg("--quick");
    }
    for (name, path) in [("--csv", &options.csv), ("--markdown", &options.markdown)] {
        if let Some(path) = path {
            command.arg(name).arg(path);
        }
    }
    let status = command.status().map_err(|error| format!("cargo cannot be started for the native build: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the native build ended with {status}")) }
}
