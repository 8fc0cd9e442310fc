//! The layers of the library: no module uses one above it.

use std::fs;
use std::path::Path;

/// The modules of the library from the bottom to the top; each may use those before it.
const LAYERS: [&str; 19] = [
    "error",
    "parallel",
    "tuning",
    "math",
    "trace",
    "tree",
    "hull",
    "shape",
    "narrow",
    "decompose",
    "pair",
    "depth",
    "point",
    "cast",
    "motion",
    "batch",
    "proof",
    "broad",
    "world",
];

const SOURCE: &str = "crates/clearance/src";

/// Every module stands in the list, and no line of its code names a module that comes later. (Tests may.)
pub fn check() -> Result<(), String> {
    let mut faults = Vec::new();
    for entry in fs::read_dir(SOURCE).map_err(|error| format!("{SOURCE} cannot be read ({error})"))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let module = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if module == "lib" {
            continue;
        }
        match LAYERS.iter().position(|&layer| layer == module) {
            Some(layer) => look_at(&path, layer, &mut faults)?,
            None => faults.push(format!("{SOURCE}/{module} has no place in the list of layers")),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn look_at(path: &Path, layer: usize, faults: &mut Vec<String>) -> Result<(), String> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(|error| error.to_string())? {
            look_at(&entry.map_err(|error| error.to_string())?.path(), layer, faults)?;
        }
        return Ok(());
    }
    if path.file_stem().is_some_and(|stem| stem == "tests") {
        return Ok(());
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read ({error})", path.display()))?;
    // Tests inside of a file stand at its end.
    let lines = text.lines().enumerate().take_while(|(_, line)| *line != "mod tests {");
    for (number, line) in lines.filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for above in LAYERS[layer + 1..].iter().filter(|above| line.contains(&format!("crate::{above}"))) {
            let place = format!("{}:{}", path.display(), number + 1);
            faults.push(format!("{place}: {} is below {above} and must not use it", LAYERS[layer]));
        }
    }
    Ok(())
}
