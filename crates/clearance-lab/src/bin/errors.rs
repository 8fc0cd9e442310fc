//! Writes the guide's table of worst errors: `cargo run --release -p clearance-lab --bin errors -- [--quick] [FILE]`.

use clearance_lab::errors::{measure, page};
use std::process::ExitCode;

const USAGE: &str = "usage: errors [--quick] [FILE]

  --quick   30 pairs of each two kinds instead of 1000
  FILE      where to write the page; the standard output if it is left out";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, files): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    if flags.iter().any(|flag| *flag != "--quick") || files.len() > 1 {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let rows = measure(1, if flags.is_empty() { 1000 } else { 30 });
    let text = page(&rows, "cargo run --release -p clearance-lab --bin errors -- docs/src/errors.md");
    match files.first() {
        Some(file) => {
            if let Err(error) = std::fs::write(file, text) {
                eprintln!("error: {file} cannot be written ({})", error.kind());
                return ExitCode::from(2);
            }
        }
        None => print!("{text}"),
    }
    for line in rows.iter().filter_map(|row| row.outside.as_ref()) {
        eprintln!("outside: {line}");
    }
    if rows.iter().all(|row| row.outside.is_none()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
