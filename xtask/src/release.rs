//! Addresses of a release: the repository has placeholders for its own address and for that of the site with guide and API.
//!
//! `cargo xtask release REPOSITORY SITE` fills them. The site has the folders `guide` and `doc` of `target`.

use crate::map;

/// Layout: the address of the site begins with that of the repository, so it is replaced first.
const SITE: &str = "https://example.com/clearance/site";
const REPOSITORY: &str = "https://example.com/clearance";

/// Files with placeholders.
const FILES: [&str; 7] = [
    "Cargo.toml",
    "CITATION.cff",
    "SECURITY.md",
    "docs/book.toml",
    "docs/src/introduction.md",
    "docs/workflows/clearance.yml",
    "crates/clearance/src/lib.rs",
];

/// Writes the addresses into all files. A second call finds no placeholders and fails.
pub fn fill(repository: &str, site: &str) -> Result<(), String> {
    for address in [repository, site] {
        if !address.starts_with("https://") || address.ends_with('/') || address.contains(char::is_whitespace) {
            return Err(format!("\"{address}\" is no address; write https://… without a slash at the end"));
        }
    }
    let mut texts = Vec::new();
    for path in FILES {
        let text = filled(&map::read(path)?, repository, site);
        texts.push((path, text.ok_or_else(|| format!("{path} has no placeholder; it was filled before"))?));
    }
    for (path, text) in texts {
        std::fs::write(path, text).map_err(|error| format!("{path} cannot be written ({error})"))?;
        println!("{path}");
    }
    Ok(())
}

/// The text with addresses, or `None` if it has no placeholder.
fn filled(text: &str, repository: &str, site: &str) -> Option<String> {
    text.contains(REPOSITORY).then(|| text.replace(SITE, site).replace(REPOSITORY, repository))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_addresses_are_filled_once() {
        let text = format!("clone {REPOSITORY}.git, read {SITE}/guide");
        let wanted = "clone https://git.org/a.git, read https://pages.org/guide";
        assert_eq!(filled(&text, "https://git.org/a", "https://pages.org").as_deref(), Some(wanted));
        assert_eq!(filled(wanted, "https://git.org/a", "https://pages.org"), None);
        assert!(fill("git.org", "https://pages.org").is_err());
    }

    #[test]
    fn every_file_has_a_placeholder() {
        for path in FILES {
            let text = std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).expect(path);
            assert!(filled(&text, "https://git.org/a", "https://pages.org").is_some(), "{path}");
        }
    }
}
