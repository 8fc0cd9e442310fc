//! Maps rot unless something checks them: documents must name what is there, and ARCHITECTURE.md every module.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The documents whose paths and items must exist, beside the pages of the guide. The change log tells of what is gone.
const DOCUMENTS: [&str; 11] = [
    "ARCHITECTURE.md",
    "PAPERS.md",
    "DESIGN.md",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "COMPARE.md",
    "suite/README.md",
    "bench/README.md",
    "bench/papers/fidelity.md",
    "bench/papers/verdicts.md",
];

/// Where paths begin: in the repository, and for short in the library.
const ROOTS: [&str; 3] = ["", "crates", "crates/clearance/src"];

/// Where every folder is a module and belongs on the map; in the library the modules in modules too.
const FOLDERS: [(&str, bool); 2] = [("crates", false), ("crates/clearance/src", true)];

/// Fails when a path that a document names is gone, or a module is not on the map.
pub fn check() -> Result<(), String> {
    let mut count = 0;
    let names = file_names()?;
    let documents = documents()?;
    for document in &documents {
        let text = read(document)?;
        let is_there = |path: &str| ROOTS.iter().any(|root| Path::new(root).join(path).exists());
        // A page may name what it shows: `file=NAME` stands behind the language of the block.
        let is_shown = |path: &str| text.contains(&format!(" file={path}\n"));
        // Results of a build need not exist.
        let is_made = |path: &str| path.starts_with("target/");
        let is_known =
            |path: &str| is_there(path) || is_shown(path) || is_made(path) || is_name(path) && names.contains(path);
        let gone: Vec<&str> = paths(&text).into_iter().filter(|path| !is_known(path)).collect();
        if !gone.is_empty() {
            return Err(format!("{document} names what does not exist: {gone:?}; mend it"));
        }
        count += paths(&text).len();
    }
    let text = read("ARCHITECTURE.md")?;
    let named = paths(&text);
    for (folder, is_deep) in FOLDERS {
        for module in modules(folder, is_deep)? {
            let short = module.strip_prefix("crates/clearance/src/").unwrap_or(&module);
            if !named.iter().any(|path| [module.as_str(), short].contains(&path.trim_end_matches('/'))) {
                return Err(format!("{module} is not on the map; say in ARCHITECTURE.md what it is for"));
            }
        }
    }
    println!("{count} paths of {} documents are where they say", documents.len());
    Ok(())
}

/// All documents that are checked.
pub fn documents() -> Result<Vec<String>, String> {
    let guide = "docs/src";
    let entries = fs::read_dir(guide).map_err(|error| format!("{guide}: {error}"))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{guide}/{name}")).collect();
    pages.sort();
    Ok(DOCUMENTS.map(str::to_owned).into_iter().chain(pages).collect())
}

pub fn read(document: &str) -> Result<String, String> {
    fs::read_to_string(document).map_err(|error| format!("{document}: {error}"))
}

/// The paths of a text: quoted code with a slash or a known ending.
fn paths(text: &str) -> Vec<&str> {
    let is_path = |code: &&str| {
        let plain = !code.is_empty() && code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        let ending = [".md", ".toml", ".rs", ".jsonl"].iter().any(|ending| code.ends_with(ending));
        plain && (code.contains('/') || ending)
    };
    quoted(text).filter(is_path).collect()
}

/// Text between back-quotes, blocks of code apart.
pub fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

/// The name of a file, where the module is clear from what is around it?
fn is_name(path: &str) -> bool {
    !path.contains('/')
}

/// The names of all files.
fn file_names() -> Result<BTreeSet<String>, String> {
    let name = |path: &String| path.rsplit('/').next().unwrap_or(path).to_owned();
    Ok(files()?.iter().map(name).collect())
}

/// The paths of all files of the project, but for those at the root.
pub fn files() -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for folder in ["crates", "bench", "examples", "fuzz", "suite", "xtask"] {
        for module in modules(folder, true)?.iter().map(String::as_str).chain([folder]) {
            let entries = fs::read_dir(module).map_err(|error| format!("{module}: {error}"))?;
            let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
            let path = |entry: fs::DirEntry| format!("{module}/{}", entry.file_name().to_string_lossy());
            files.extend(entries.flatten().filter(is_file).map(path));
        }
    }
    files.sort();
    Ok(files)
}

/// The folders of a folder, and those in them if it is `deep`.
fn modules(folder: &str, deep: bool) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let mut modules = Vec::new();
    for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
        let module = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if deep {
            modules.extend(self::modules(&module, true)?);
        }
        modules.push(module);
    }
    modules.sort();
    Ok(modules)
}
