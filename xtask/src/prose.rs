//! Prose: comments, rustdoc and documents are plain technical English.
//!
//! Three rules can be checked by a program. A sentence has at most [`MAX_WORDS`] words. It does not begin with a relative clause, which would
//! hide the noun. It has none of the [`WORDS`], for which the field has a term. Tests are checked as well; code blocks, formulas and quotations in
//! back-quotes are not.

use crate::map;
use std::collections::BTreeMap;

/// Limit: a sentence of more words has two ideas. Questions of style below this are a reviewer's.
const MAX_WORDS: usize = 35;

/// Beginnings of sentences whose subject is a relative clause. A question may begin so.
const CLAUSES: [&str; 8] =
    ["what ", "whatever ", "whoever ", "whichever ", "those that ", "those who ", "those whose ", "that which "];

/// Words of a private dialect, each with the term to write. A word stands for itself only, unless a `*` ends it.
const WORDS: &[(&str, &str)] = &[
    ("foresee*", "predict"),
    ("foresight", "prediction"),
    ("glance*", "Newton step, probe"),
    ("awake", "active"),
    ("wakes", "becomes active"),
    ("woken", "activated"),
    ("settle*", "decide, prune, skip"),
    ("loosen*", "push off, separate"),
    ("disguise*", "transformed variant"),
    ("twin", "mirrored copy"),
    ("twins", "mirrored copies"),
    ("is no number", "is NaN"),
    ("are no numbers", "are NaN"),
    ("hang together", "are connected"),
    ("hangs together", "is connected"),
    ("told from", "relative to"),
    ("told in", "expressed in"),
    ("told of", "notified of"),
    ("is told", "name who passes it"),
    ("are told", "name who passes them"),
    ("is asked", "query, pass"),
    ("are asked", "query, pass"),
    ("asks anew", "queries again"),
    ("is looked at", "visit, test"),
    ("are looked at", "visit, test"),
    ("looks at", "visits, tests"),
    ("look at", "visit, test"),
    ("looked at", "visit, test"),
    ("is held against", "is compared with"),
    ("are held against", "are compared with"),
    ("so many", "N, or the name of the constant"),
    ("so often", "N times"),
    ("next to nothing", "negligible"),
    ("a hair", "slightly"),
    ("the caller's own", "custom, user-defined"),
    ("on the way to", "toward"),
    ("the way out", "the escape translation"),
    ("what is rounded", "the rounding error"),
    ("what rounding may do", "the rounding error"),
];

/// Folders whose Rust files are checked.
const SOURCES: [&str; 5] = ["crates/", "xtask/", "bench/", "examples/", "fuzz/"];

/// Fails with all sentences that break a rule, a line each.
pub fn check() -> Result<(), String> {
    let mut faults = BTreeMap::new();
    let mut count = 0;
    for path in map::files()? {
        if path.ends_with(".rs") && SOURCES.iter().any(|folder| path.starts_with(folder)) {
            count += check_blocks(&path, comments(&map::read(&path)?), &mut faults);
        }
    }
    for path in map::documents()? {
        count += check_blocks(&path, blocks(map::read(&path)?.lines().zip(1..)), &mut faults);
    }
    let sentences: Vec<String> =
        faults.into_iter().map(|((path, line, _), fault)| format!("{path}:{line}: {fault}")).collect();
    if !sentences.is_empty() {
        return Err(format!("{} sentences are not plain\n{}", sentences.len(), sentences.join("\n")));
    }
    println!("{count} sentences are plain");
    Ok(())
}

/// A paragraph, a list item or a table cell: its words, each with its line.
type Block = Vec<(String, usize)>;

/// Faults by file, line and place in the line.
type Faults = BTreeMap<(String, usize, usize), String>;

/// The blocks of all comments of a file.
fn comments(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines: Vec<(String, usize)> = Vec::new();
    for (line, number) in text.lines().zip(1..).chain([("", 0)]) {
        let line = line.trim_start();
        let marker = ["///", "//!", "//"].into_iter().find(|marker| line.starts_with(marker));
        let behind = || line.split_once(" // ").filter(|(code, _)| !code.contains('"')).map(|(_, comment)| comment);
        match marker {
            Some(marker) => lines.push((line[marker.len()..].to_owned(), number)),
            None => {
                found.extend(blocks(lines.iter().map(|(line, number)| (line.as_str(), *number))));
                lines.clear();
                found.extend(behind().map(|comment| words(comment, number)));
            }
        }
    }
    found
}

/// The blocks of Markdown.
fn blocks<'t>(lines: impl Iterator<Item = (&'t str, usize)>) -> Vec<Block> {
    let mut found = vec![Block::new()];
    let mut is_code = false;
    for (line, number) in lines {
        let text = line.trim_start();
        if text.starts_with("```") {
            is_code = !is_code;
            found.push(Block::new());
        } else if is_code || text.is_empty() || line.starts_with("     ") {
            found.push(Block::new());
        } else if let Some(row) = text.strip_prefix('|') {
            found.extend(row.split('|').map(|cell| words(cell, number)));
            found.push(Block::new());
        } else {
            let is_numbered = text.split_once(". ").is_some_and(|(digits, _)| digits.parse::<u32>().is_ok());
            if is_numbered || ["* ", "- ", "#", "> "].iter().any(|mark| text.starts_with(mark)) {
                found.push(Block::new());
            }
            let block = found.last_mut().expect("a block is open");
            block.extend(words(text.trim_start_matches(['*', '-', '#', '>', ' ']), number));
            if text.starts_with('#') {
                found.push(Block::new());
            }
        }
    }
    found
}

/// The words of a line. A quotation in back-quotes is one word.
fn words(line: &str, number: usize) -> Block {
    let mut plain = String::new();
    for (part, is_quoted) in line.split('`').zip([false, true].into_iter().cycle()) {
        plain.push_str(if is_quoted { "`_`" } else { part });
    }
    plain.split_whitespace().map(|word| (word.to_owned(), number)).collect()
}

/// Notes the faults of blocks and counts their sentences.
fn check_blocks(path: &str, blocks: Vec<Block>, faults: &mut Faults) -> usize {
    let mut count = 0;
    for block in blocks {
        for sentence in sentences(&block) {
            count += 1;
            for (number, fault) in faults_of(sentence).into_iter().enumerate() {
                faults.insert((path.to_owned(), sentence[0].1, 10 * count + number), fault);
            }
        }
    }
    count
}

/// Divides a block into sentences, behind a full stop, a question mark or an exclamation mark, before a capital or a bracket.
fn sentences(block: &[(String, usize)]) -> Vec<&[(String, usize)]> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in 1..=block.len() {
        let word = block[end - 1].0.trim_end_matches(['`', ')', '"', '*', '_']);
        let is_end = word.ends_with(['.', '?', '!']) && !["e.g.", "i.e.", "etc.", "al.", "cf."].contains(&word);
        let is_begin = block.get(end).is_none_or(|(next, _)| {
            next.starts_with('(')
                || next.trim_start_matches(['"', '*', '[']).starts_with(|c: char| c.is_uppercase() || c == '`')
        });
        if end == block.len() || is_end && is_begin {
            found.push(&block[start..end]);
            start = end;
        }
    }
    found
}

/// All rules that a sentence breaks.
fn faults_of(sentence: &[(String, usize)]) -> Vec<String> {
    let mut found = Vec::new();
    // Symbols of formulas are no words.
    let is_word = |word: &&(String, usize)| {
        let parts = word.0.split(|c: char| !c.is_alphabetic());
        word.0.contains('`') || word.0 == "a" || parts.into_iter().any(|part| part.chars().count() > 1)
    };
    let count = sentence.iter().filter(is_word).count();
    let text = sentence.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ");
    let shown: String = text.chars().take(50).collect();
    if count > MAX_WORDS {
        found.push(format!("{count} words in a sentence, at most {MAX_WORDS}: \"{shown} …\""));
    }
    let small = text.to_lowercase();
    let begin = small.trim_start_matches(|c: char| !c.is_alphanumeric());
    if CLAUSES.iter().any(|clause| begin.starts_with(clause)) && !small.ends_with('?') {
        found.push(format!("begin with a noun, not with a relative clause: \"{shown} …\""));
    }
    let plain = format!(" {} ", small.replace(|c: char| !c.is_alphanumeric() && c != '\'', " "));
    let plain = plain.split_whitespace().fold(String::from(" "), |all, word| all + word + " ");
    for (word, instead) in WORDS {
        let is_there = match word.strip_suffix('*') {
            Some(stem) => plain.contains(&format!(" {stem}")),
            None => plain.contains(&format!(" {word} ")),
        };
        if is_there {
            found.push(format!("\"{word}\" is private dialect, write {instead}: \"{shown} …\""));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let mut faults = Faults::new();
        let blocks = if path.ends_with(".rs") { comments(text) } else { blocks(text.lines().zip(1..)) };
        check_blocks(path, blocks, &mut faults);
        faults.into_iter().map(|((_, line, _), fault)| format!("{line}: {fault}")).collect()
    }

    #[test]
    fn a_long_sentence_is_found_across_lines() {
        let words = ["word"; 18].join(" ");
        assert_eq!(faults("a.rs", &format!("//! One.\n//! Two {words}\n//! {words}.")).len(), 1);
        assert!(faults("a.rs", &format!("/// One {words}.\n/// Two {words}.")).is_empty());
        assert!(faults("a.rs", &format!("let a = \"{words} {words}\";")).is_empty());
        assert!(faults("a.md", &format!("* {words}\n* {words}\n\n| {words} | {words} |")).is_empty());
        assert!(faults("a.md", &format!("```\n{words}\n{words}\n```\n`{words} {words}`")).is_empty());
    }

    #[test]
    fn a_sentence_begins_with_a_noun() {
        assert_eq!(faults("a.rs", "    // What is far is not visited.")[0].split(':').next(), Some("1"));
        assert_eq!(faults("a.rs", "/// A node.\n/// Those that are far sleep.")[0].split(':').next(), Some("2"));
        assert!(faults("a.md", "What if they touch? The nodes that are far sleep.").is_empty());
    }

    #[test]
    fn dialect_is_found() {
        assert_eq!(faults("a.md", "The contact is foreseen.").len(), 1);
        assert_eq!(faults("a.rs", "let a = 1; // so many nodes").len(), 1);
        assert!(faults("a.md", "The constant `foreseen` sets a record. A settee is no settlement of it.").len() == 1);
    }
}
