//! Names in the library: no two types share one, and no comment says of a thing only that it is the same as another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SOURCE: &str = "crates/clearance/src";

/// Fails with all that is wrong. Tests are not checked.
pub fn check() -> Result<(), String> {
    let (mut types, mut faults) = (BTreeMap::new(), Vec::new());
    look_at(Path::new(SOURCE), &mut types, &mut faults)?;
    for (name, places) in types.into_iter().filter(|(_, places)| places.len() > 1) {
        faults.push(format!("{name} is the name of several types: {}", places.join(", ")));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn look_at(path: &Path, types: &mut BTreeMap<String, Vec<String>>, faults: &mut Vec<String>) -> Result<(), String> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(|error| error.to_string())? {
            look_at(&entry.map_err(|error| error.to_string())?.path(), types, faults)?;
        }
        return Ok(());
    }
    if path.file_stem().is_some_and(|stem| stem == "tests") {
        return Ok(());
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read ({error})", path.display()))?;
    for (number, line) in (1..).zip(text.lines()).take_while(|(_, line)| *line != "mod tests {") {
        let place = format!("{}:{number}", path.display());
        if line.trim_start().starts_with("/// The same") {
            faults.push(format!("{place}: say what it is, not that it is the same"));
        }
        if let Some(name) = type_of(line) {
            types.entry(name).or_default().push(place);
        }
    }
    Ok(())
}

/// The name of the type that a line defines, if it defines one at the top of a file.
fn type_of(line: &str) -> Option<String> {
    let words = ["struct ", "enum ", "trait "];
    let rest = ["", "pub ", "pub(crate) ", "pub(super) "].iter().find_map(|visible| {
        line.strip_prefix(visible).filter(|rest| words.iter().any(|word| rest.starts_with(word)))
    })?;
    let name = rest.split_once(' ')?.1;
    Some(name.chars().take_while(|c| c.is_ascii_alphanumeric()).collect())
}
