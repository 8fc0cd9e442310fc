//! The guide: built by mdBook where it is installed, and the figures on its pages that are measured.
//!
//! Its commands, links and includes are tested without mdBook (`crates/clearance-cli/tests/main/guide.rs`).

use crate::cargo;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// The version with which the pages were reviewed.
const VERSION: &str = "0.5.4";

/// Where the pictures are.
const IMAGES: &str = "docs/src/images";

/// Figures that `clearance-papers` writes and a page shows: counts, which are the same on every run.
const FIGURES: [&str; 6] = ["G5-1.svg", "P1-1.svg", "S1-1.svg", "T10-1.svg", "T7-1.svg", "V4-1.svg"];

/// Builds the book into `target/guide`; a warning is a failure. Without mdBook it says what is missing, in one line that is returned.
pub fn check() -> Result<Option<String>, String> {
    let output = match Command::new("mdbook").args(["build", "docs"]).output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let missing = format!(
                "the guide was not built: mdbook is not installed; `cargo install mdbook --locked --version {VERSION}` brings it"
            );
            println!("skipped: {missing}");
            return Ok(Some(missing));
        }
        Err(error) => return Err(format!("mdbook cannot be started ({error})")),
    };
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let is_clean = !text.lines().any(|line| line.contains("WARN") || line.contains("ERROR"));
    if !output.status.success() || !is_clean {
        return Err(format!("`mdbook build docs` warns or fails:\n{text}"));
    }
    println!("target/guide/index.html is the guide");
    Ok(None)
}

/// Measures the figures of the guide again, in about a minute.
pub fn figures() -> Result<(), String> {
    let folder = "target/reproduction";
    let run = ["run", "--quiet", "--release", "--package", "clearance-papers", "--", "--quick", "-o", folder];
    cargo(&run, &[])?;
    for figure in FIGURES {
        let (from, to) = (Path::new(folder).join(figure), Path::new(IMAGES).join(figure));
        fs::copy(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    println!("{} figures in {IMAGES}", FIGURES.len());
    Ok(())
}
