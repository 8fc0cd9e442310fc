//! Sections of a Markdown file that programs write, each its own, between two comments; the rest of the file is left as it is.
//! The comments are those by which mdBook includes a part of a file.

use std::path::Path;

fn begin(name: &str) -> String {
    format!("<!-- ANCHOR: {name} -->")
}

fn end(name: &str) -> String {
    format!("<!-- ANCHOR_END: {name} -->")
}

/// The text with the section replaced, or with the section behind it if there was none.
pub fn replaced(text: &str, name: &str, body: &str) -> String {
    let (begin, end) = (begin(name), end(name));
    let section = format!("{begin}\n\n{}\n\n{end}", body.trim());
    let found = text.find(&begin).and_then(|from| {
        let to = from + text[from..].find(&end)? + end.len();
        Some(format!("{}{section}{}", &text[..from], &text[to..]))
    });
    found.unwrap_or_else(|| format!("{}\n\n{section}\n", text.trim_end()).trim_start().to_owned())
}

/// Writes a section of a file, which need not exist.
pub fn write(path: &Path, name: &str, body: &str) -> Result<(), String> {
    let fail = |what: &str, error: std::io::Error| format!("{} cannot be {what}: {error}", path.display());
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(fail("read", error)),
    };
    std::fs::write(path, replaced(&text, name, body)).map_err(|error| fail("written", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_replaced_and_nothing_else() {
        let first = replaced("# Title\n\nWords.\n", "speed", "old\n");
        assert_eq!(first, "# Title\n\nWords.\n\n<!-- ANCHOR: speed -->\n\nold\n\n<!-- ANCHOR_END: speed -->\n");
        let both = replaced(&first, "right", "table");
        assert!(both.starts_with(first.trim_end()) && both.contains("<!-- ANCHOR: right -->\n\ntable\n"), "{both}");
        let again = replaced(&both, "speed", "new, and longer");
        assert_eq!(again, both.replace("old", "new, and longer"));
        assert_eq!(replaced(&again, "speed", "old"), both);
        assert_eq!(replaced("", "speed", "x"), "<!-- ANCHOR: speed -->\n\nx\n\n<!-- ANCHOR_END: speed -->\n");
    }

    #[test]
    fn a_section_without_its_end_is_left_alone() {
        let broken = "<!-- ANCHOR: speed -->\nwords";
        assert!(replaced(broken, "speed", "x").starts_with(broken));
    }
}
