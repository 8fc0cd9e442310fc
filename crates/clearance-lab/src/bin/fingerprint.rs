//! Prints hashes of the bits of many answers: see [`clearance_lab::fingerprint`].
//!
//! `cargo run --release -p clearance-lab --bin fingerprint [COUNT]`, before and after a change. With `--write` the short form replaces the
//! committed hashes, for an intended change of answers.

use clearance_lab::fingerprint::{SHORT, lines, written};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--write"] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fingerprint.txt");
        return match std::fs::write(path, written(&lines(SHORT))) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {path}: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let count = match &arguments[..] {
        [] => Some(20_000),
        [count] => count.parse().ok(),
        _ => None,
    };
    let Some(count) = count else {
        eprintln!("error: usage: fingerprint [COUNT | --write]; COUNT is the number of pairs, 20000 by default");
        return ExitCode::from(2);
    };
    print!("{}", written(&lines(count)));
    ExitCode::SUCCESS
}
