//! Documents name types, functions and fields in back-quotes; what they name must be in the code.
//!
//! `Type::member` needs a file that defines or implements the type and has the member; any other name needs to be a word of the
//! code, outside of comments. That is weaker than a compiler, and catches what happens: something was renamed.

use crate::map;
use std::collections::BTreeSet;
use std::fs;

/// The words of a file of code, and the types that it defines or implements something for.
struct Source {
    words: BTreeSet<String>,
    types: BTreeSet<String>,
}

/// Fails when a document names an item that is not in the code.
pub fn check() -> Result<(), String> {
    let sources = sources()?;
    let mut count = 0;
    let mut faults = Vec::new();
    for document in map::documents()? {
        let text = without_others(&map::read(&document)?);
        let items: Vec<&str> = map::quoted(&text).filter(|code| is_item(code)).collect();
        let gone: Vec<&str> = items.iter().copied().filter(|item| !is_known(item, &sources)).collect();
        if !gone.is_empty() {
            faults.push(format!("{document} names items that are not in the code: {gone:?}; mend it"));
        }
        count += items.len();
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    println!("{count} items of the documents are in the code");
    Ok(())
}

/// A text without the first column of the tables under "Coming from": what other libraries call it.
fn without_others(text: &str) -> String {
    let mut is_other = false;
    let line = |line: &str| {
        if line.starts_with("## ") {
            is_other = line.starts_with("## Coming from ");
        }
        let rest = line.strip_prefix("| ").and_then(|row| row.split_once(" | "));
        match rest {
            Some((_, ours)) if is_other => ours.to_owned(),
            _ => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// `name`, `path::name` or `name()`.
fn is_item(code: &str) -> bool {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    code.strip_suffix("()").unwrap_or(code).split("::").all(is_name)
}

fn is_known(item: &str, sources: &[Source]) -> bool {
    let names: Vec<&str> = item.trim_end_matches("()").split("::").collect();
    let is_word = |name: &str| sources.iter().any(|source| source.words.contains(name));
    let is_member = |owner: &str, member: &str| {
        let of_owner = |source: &&Source| source.types.contains(owner);
        !owner.starts_with(char::is_uppercase)
            || sources.iter().filter(of_owner).any(|source| source.words.contains(member))
    };
    names.iter().all(|name| is_word(name)) && names.windows(2).all(|pair| is_member(pair[0], pair[1]))
}

/// All code; the manifests, the data of the suite and its adapters count as words too.
fn sources() -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    for path in map::files()? {
        let is_code = path.ends_with(".rs");
        let has_words = [".toml", ".json", ".jsonl", ".py"].iter().any(|ending| path.ends_with(ending));
        if !is_code && !has_words {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let mut source = Source { words: BTreeSet::new(), types: BTreeSet::new() };
        for line in text.lines().filter(|line| !is_code || !line.trim_start().starts_with("//")) {
            let code = if is_code { line.split(" // ").next().unwrap_or(line) } else { line };
            let words = || code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            source.words.extend(words().map(str::to_owned));
            if ["struct", "enum", "trait", "impl", "type"].iter().any(|keyword| words().any(|word| word == *keyword)) {
                source.types.extend(words().filter(|word| word.starts_with(char::is_uppercase)).map(str::to_owned));
            }
        }
        sources.push(source);
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_must_be_where_its_type_is() {
        let source = |words: &[&str], types: &[&str]| Source {
            words: words.iter().map(|&word| word.to_owned()).collect(),
            types: types.iter().map(|&word| word.to_owned()).collect(),
        };
        let sources = [source(&["Pose", "inverse"], &["Pose"]), source(&["Pose", "forget"], &["Pair"])];
        assert!(is_known("Pose::inverse", &sources) && is_known("inverse()", &sources) && is_known("Pose", &sources));
        assert!(!is_known("Pose::forget", &sources) && !is_known("after", &sources));
    }

    #[test]
    fn names_of_other_libraries_are_left_out() {
        let text = "`Here`\n## Coming from parry\n| `TriMesh` | `Shape` |\n## More\n| `World` | `Body` |";
        let text = without_others(text);
        assert_eq!(map::quoted(&text).collect::<Vec<_>>(), ["Here", "Shape", "World", "Body"]);
    }

    #[test]
    fn only_names_are_items() {
        assert!(is_item("World::update()") && is_item("narrow::gjk") && is_item("lower"));
        assert!(!is_item("cargo xtask map") && !is_item("lower..=upper") && !is_item("--json") && !is_item("a.rs"));
    }
}
