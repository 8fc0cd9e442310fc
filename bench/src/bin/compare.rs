//! The tables of the other benches: meshes, depths, times of impact and rays, each in a section of its own, as printed.
//!
//! `cargo bench-compare FILE [NAME…]` runs all of them, or the named ones, and puts their output into the sections of the file. It takes some
//! minutes.

#[path = "../section.rs"]
mod section;

use std::path::Path;
use std::process::{Command, ExitCode};

/// A bench, its arguments, and the text above its table.
struct Part {
    name: &'static str,
    arguments: &'static [&'static str],
    title: &'static str,
    text: &'static str,
}

const PARTS: [Part; 4] = [
    Part {
        name: "meshes",
        arguments: &["200"],
        title: "Meshes",
        text: "Beside parry's `TriMesh`, which is a surface: ours are solids, which also meet bodies inside of them. Microseconds per query. The ratio is parry's \
               time divided by ours; in the table of motions it is the gain of a kept front.",
    },
    Part {
        name: "depth",
        arguments: &["60"],
        title: "Depth of solids",
        text: "No other library has this query. Width 1e-6 of the size; CPU milliseconds, median and worst. The paper's own times are for an estimate without \
               bounds, on a processor of 2002.",
    },
    Part {
        name: "impacts",
        arguments: &["300"],
        title: "Times of impact",
        text: "Beside parry's `cast_shapes` (straight) and `cast_shapes_nonlinear` (turning). Ours are proved brackets.",
    },
    Part {
        name: "rays",
        arguments: &[],
        title: "Rays",
        text: "Beside parry's `cast_ray`, which returns a distance, and `cast_ray_and_get_normal`. Ours has the point, the normal, the face and a bracket.",
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, names)) = arguments.split_first() else {
        eprintln!("usage: cargo bench-compare FILE [{}]", PARTS.map(|part| part.name).join("|"));
        return ExitCode::from(2);
    };
    if let Some(unknown) = names.iter().find(|name| PARTS.iter().all(|part| part.name != name.as_str())) {
        eprintln!("error: {unknown} is no part; there are {}", PARTS.map(|part| part.name).join(", "));
        return ExitCode::from(2);
    }
    let is_wanted = |part: &&Part| names.is_empty() || names.iter().any(|name| name == part.name);
    match PARTS.iter().filter(is_wanted).try_for_each(|part| write(Path::new(file), part)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a bench and writes its section.
fn write(file: &Path, part: &Part) -> Result<(), String> {
    let run = ["run", "--quiet", "--profile", "bench-pairs", "--package", "clearance-bench", "--bin", part.name, "--"];
    println!("cargo bench-{} {}", part.name, part.arguments.join(" "));
    let output = Command::new(env!("CARGO")).args(run).args(part.arguments).output();
    let output = output.map_err(|error| format!("cargo cannot be started ({error})"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("bench-{} failed:\n{printed}{}", part.name, String::from_utf8_lossy(&output.stderr)));
    }
    let command = format!("cargo bench-{} {}", part.name, part.arguments.join(" "));
    let body = format!(
        "## {}\n\nPrinted by `{}`, put here by `cargo bench-compare {} {}`. {}\n\n```text\n{}\n```",
        part.title,
        command.trim_end(),
        file.display(),
        part.name,
        part.text,
        printed.trim_end()
    );
    section::write(file, part.name, &body)
}
