//! The public surface of the library: a committed list of items, methods, variants and fields, which `cargo xtask test` compares.
//!
//! The list is read from the pages of `cargo doc`, so that it has what a user sees: hidden items are not part of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LIST: &str = "crates/clearance/API.txt";
const PAGES: &str = "target/doc/clearance";

/// Compares the list with the pages, which must be built.
pub fn check() -> Result<(), String> {
    let committed = fs::read_to_string(LIST).map_err(|error| format!("{LIST} cannot be read ({error})"))?;
    let found = surface()?;
    let committed: BTreeSet<&str> = committed.lines().collect();
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    if committed == found {
        println!("{} public items are those of {LIST}", found.len());
        return Ok(());
    }
    let list =
        |sign: &str, lines: Vec<&&str>| lines.iter().map(|line| format!("\n  {sign} {line}")).collect::<String>();
    let changes =
        list("-", committed.difference(&found).collect()) + &list("+", found.difference(&committed).collect());
    Err(format!("the public surface of the library has changed; if that is meant, run `cargo xtask api`:{changes}"))
}

/// Writes the list from the pages.
pub fn write() -> Result<(), String> {
    let lines: Vec<String> = surface()?.into_iter().collect();
    fs::write(LIST, lines.join("\n") + "\n").map_err(|error| format!("{LIST} cannot be written ({error})"))
}

/// Every public item, as `kind path`, and its methods, variants, fields and constants.
fn surface() -> Result<BTreeSet<String>, String> {
    let all = page("all.html")?;
    let mut found = BTreeSet::new();
    for link in all.split("<li><a href=\"").skip(1) {
        let Some((href, _)) = link.split_once('"') else { continue };
        let Some((folder, file)) = Some(href.rsplit_once('/').unwrap_or(("", href))) else { continue };
        let Some((kind, name)) = file.trim_end_matches(".html").split_once('.') else { continue };
        let path = if folder.is_empty() { name.to_owned() } else { format!("{}::{name}", folder.replace('/', "::")) };
        found.insert(format!("{kind} {path}"));
        let text = page(href)?;
        // Implementations of traits come behind the item's own.
        let own = text.split("id=\"trait-implementations\"").next().unwrap_or_default();
        for id in own.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if let Some((part, name)) = id.split_once('.')
                && ["method", "tymethod", "variant", "structfield", "associatedconstant"].contains(&part)
                && !name.contains('.')
            {
                found.insert(format!("{part} {path}::{name}"));
            }
        }
    }
    if found.is_empty() { Err(format!("{PAGES} has no pages; run `cargo doc` first")) } else { Ok(found) }
}

fn page(name: &str) -> Result<String, String> {
    let path = Path::new(PAGES).join(name);
    fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read ({error}); run `cargo doc` first", path.display()))
}
