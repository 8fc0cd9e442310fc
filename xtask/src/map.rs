//! Maps rot unless something checks them: ARCHITECTURE.md must name what is there, and nothing that is not.

use std::fs;
use std::path::Path;

/// Where every folder is a room and belongs on the map.
const HOUSES: [&str; 2] = ["crates", "crates/clearance/src"];

/// Fails when a path that ARCHITECTURE.md names is gone, or a room is not on it.
pub fn check() -> Result<(), String> {
    let text = fs::read_to_string("ARCHITECTURE.md").map_err(|error| format!("ARCHITECTURE.md: {error}"))?;
    // Every second piece between back-quotes is code; those with a slash or a known ending are paths.
    let is_path = |code: &&str| {
        let plain = code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        plain && (code.contains('/') || code.ends_with(".md") || code.ends_with(".toml"))
    };
    let paths: Vec<&str> = text.split('`').skip(1).step_by(2).filter(is_path).collect();
    let gone: Vec<_> = paths.iter().filter(|path| !Path::new(path).exists()).collect();
    if !gone.is_empty() {
        return Err(format!("ARCHITECTURE.md names what does not exist: {gone:?}; mend the map"));
    }
    for house in HOUSES {
        let rooms = fs::read_dir(house).map_err(|error| format!("{house}: {error}"))?;
        for room in rooms.flatten().filter(|room| room.path().is_dir()) {
            let path = format!("{house}/{}", room.file_name().to_string_lossy());
            if !paths.iter().any(|named| named.trim_end_matches('/') == path) {
                return Err(format!("{path} is not on the map; say in ARCHITECTURE.md what it is for"));
            }
        }
    }
    println!("{} paths are where ARCHITECTURE.md says", paths.len());
    Ok(())
}
