//! The guide and the README as a reader meets them: their commands are run, their links followed.
//!
//! The commands in a block marked `console` are typed into a shell, in a folder of the page's own, with the program on the path:
//!
//! * A line that begins with `$ ` is a command, and those that begin with `> ` go on with it. The text below has to come out, on either
//!   stream. `…` stands
//!   for any text in a line, and alone on a line for any lines. A table may leave out its last columns, as a narrow terminal does.
//! * A command ends with 0, unless `$ echo $?` below it tells what with.
//! * A block with `file=NAME` behind its language is written to that file first. `<!-- files: PATH … -->` copies files of the repository.
//! * `sh` is a script that ends with 0. `not-run` is behind the language of blocks that cannot be run here; they are counted below.

#![cfg(unix)]

use crate::common::empty_folder;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many blocks of each page are shown and not run: what installs, what needs a browser, what never ends, what takes minutes.
const NOT_RUN: [(&str, usize); 7] = [
    ("checking.md", 1),
    ("distributed.md", 2),
    ("errors.md", 1),
    ("first-steps.md", 1),
    ("python.md", 1),
    ("report.md", 2),
    ("robots.md", 1),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> PathBuf {
    root().join("docs/src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of the guide, by their names in its folder.
fn names() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![pages()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the guide is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path.strip_prefix(pages()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A block of code.
struct Block<'t> {
    /// The text behind the fence: the language, and marks.
    info: &'t str,
    text: String,
    line: usize,
}

impl Block<'_> {
    fn language(&self) -> &str {
        self.info.split([' ', ',']).next().unwrap_or_default()
    }

    fn file(&self) -> Option<&str> {
        self.info.split(' ').find_map(|word| word.strip_prefix("file="))
    }

    fn is_run(&self) -> bool {
        !self.info.split(' ').any(|word| word == "not-run")
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                found.push(Block { info, text: String::new(), line: number + 1 });
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let block = found.last_mut().expect("one is open");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a block has no end");
    found
}

/// A text with what it includes: `{{#include FILE}}` or `{{#include FILE:ANCHOR}}`, on lines of their own.
fn included(text: &str, folder: &Path) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let name = line.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
        let Some(name) = name else {
            assert!(!line.contains("{{#"), "{line}: this test knows includes on lines of their own");
            out += line;
            out.push('\n');
            continue;
        };
        let (file, anchor) = name.split_once(':').map_or((name, None), |(file, anchor)| (file, Some(anchor)));
        let whole = read(&folder.join(file));
        let lines: Vec<&str> = match anchor {
            None => whole.lines().collect(),
            Some(anchor) => {
                // `// ANCHOR: name` in Rust, `<!-- ANCHOR: name -->` in Markdown.
                let at = |mark: &str| {
                    let wanted = format!("{mark}: {anchor}");
                    whole.lines().position(|line| line.trim_end_matches(" -->").ends_with(&wanted))
                };
                let (from, to) = (at("ANCHOR"), at("ANCHOR_END"));
                let (Some(from), Some(to)) = (from, to) else { panic!("{file} has no anchor {anchor}") };
                assert!(from + 1 < to, "{file}: nothing between the anchors of {anchor}");
                whole.lines().skip(from + 1).take(to - from - 1).collect()
            }
        };
        out += &lines.join("\n");
        out.push('\n');
    }
    out
}

/// Is this what was to come out?
fn matches(wanted: &[&str], found: &[&str]) -> bool {
    match wanted.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|from| matches(rest, &found[from..])),
        Some((line, rest)) => {
            found.split_first().is_some_and(|(first, others)| is_line(line, first) && matches(rest, others))
        }
    }
}

fn is_line(wanted: &str, found: &str) -> bool {
    let cells = |line: &str| -> Vec<String> { line.split(['│', '┆']).map(|cell| cell.trim().to_owned()).collect() };
    if wanted.starts_with(['┌', '╞', '└']) {
        return wanted.chars().next() == found.chars().next();
    }
    if wanted.starts_with('│') {
        let (wanted, found) = (cells(wanted), cells(found));
        let is_skipped = wanted.get(1).is_some_and(|cell| cell == "…");
        // The last is what is behind the last line of the table.
        return is_skipped || wanted.len() <= found.len() && wanted[..wanted.len() - 1] == found[..wanted.len() - 1];
    }
    let mut parts = wanted.split('…');
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = wanted.contains('…').then(|| wanted.rsplit('…').next().unwrap_or_default()) else {
        return rest.is_empty();
    };
    let middle: Vec<&str> = parts.collect();
    for part in &middle[..middle.len() - 1] {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A table row that stands for any rows is as good as a line that does.
fn wanted_lines(output: &[&str]) -> Vec<String> {
    let is_skipped = |line: &str| line.starts_with('│') && line.trim_start_matches(['│', ' ']).starts_with("… ");
    output.iter().map(|line| if is_skipped(line) { "…".to_owned() } else { (*line).to_owned() }).collect()
}

/// Runs a script in a folder, with the program on the path.
fn run(folder: &Path, script: &str) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_clearance"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .expect("there is a shell");
    let text = String::from_utf8(output.stdout).expect("the program writes UTF-8");
    (output.status.code().expect("no signal ended it"), text)
}

/// Faults of the commands of a page; how many there were, and how many blocks were left out.
fn run_page(name: &str, text: &str) -> (Vec<String>, usize, usize) {
    let folder = empty_folder(&format!("guide {name}"));
    for list in text.split("<!-- files: ").skip(1) {
        for file in list.split(" -->").next().unwrap_or_default().split_whitespace() {
            let to = folder.join(Path::new(file).file_name().expect("a file has a name"));
            fs::copy(root().join(file), to).unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
        }
    }
    let (mut faults, mut commands, mut left_out) = (Vec::new(), 0, 0);
    for block in blocks(text) {
        let at = format!("{name}:{}", block.line);
        if let Some(file) = block.file() {
            let to = folder.join(file);
            fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("a test can make folders");
            fs::write(to, &block.text).expect("a test can write files");
        }
        if !block.is_run() {
            left_out += 1;
            continue;
        }
        match block.language() {
            "sh" | "bash" => {
                let (exit, output) = run(&folder, &format!("set -e\n{}", block.text));
                commands += 1;
                if exit != 0 {
                    faults.push(format!("{at}: ended with {exit}\n{output}"));
                }
            }
            "console" => {
                let lines: Vec<&str> = block.text.lines().collect();
                let starts: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with("$ ")).collect();
                assert_eq!(starts.first(), Some(&0), "{at}: a console begins with a command");
                let mut exit = 0;
                for (k, &start) in starts.iter().enumerate() {
                    let end = starts.get(k + 1).copied().unwrap_or(lines.len());
                    let goes_on = lines[start + 1..end].iter().take_while(|line| line.starts_with("> ")).count();
                    let rest = lines[start + 1..=start + goes_on].iter();
                    let command = rest.fold(lines[start][2..].to_owned(), |all, line| format!("{all}\n{}", &line[2..]));
                    let wanted = wanted_lines(&lines[start + 1 + goes_on..end]);
                    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
                    if command == "echo $?" {
                        if wanted != [exit.to_string()] {
                            faults.push(format!("{at}: ended with {exit}, not with {wanted:?}"));
                        }
                        continue;
                    }
                    let found = run(&folder, &command);
                    exit = found.0;
                    commands += 1;
                    let is_told = starts.get(k + 1).is_some_and(|&next| lines[next] == "$ echo $?");
                    if exit != 0 && !is_told {
                        faults.push(format!("{at}: `{command}` ended with {exit}, of which the page says nothing"));
                    }
                    if !matches(&wanted, &found.1.lines().collect::<Vec<_>>()) {
                        faults.push(format!("{at}: `{command}` printed\n{}", found.1));
                    }
                }
            }
            _ if block.text.lines().any(|line| line.starts_with("$ ")) => {
                faults.push(format!("{at}: commands in a block that is no console"));
            }
            _ => {}
        }
    }
    (faults, commands, left_out)
}

#[test]
fn every_command_of_the_guide_does_what_the_page_shows() {
    let (mut faults, mut commands, mut left_out) = (Vec::new(), 0, Vec::new());
    let readme = ("README.md".to_owned(), root().join("README.md"));
    for (name, path) in names().into_iter().map(|name| (name.clone(), pages().join(name))).chain([readme]) {
        let text = included(&read(&path), path.parent().unwrap());
        let found = run_page(&name, &text);
        faults.extend(found.0);
        commands += found.1;
        if found.2 > 0 {
            left_out.push((name, found.2));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let left_out: Vec<(&str, usize)> = left_out.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(left_out, NOT_RUN, "blocks that are not run");
    assert!(commands >= 30, "{commands} commands");
}

/// The steps of a workflow that are commands, but for those that install.
fn steps(workflow: &str) -> Vec<String> {
    let lines: Vec<&str> = workflow.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut steps = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        match line.trim_start().strip_prefix("run: ") {
            Some("|") => {
                let rest = lines[number + 1..].iter().take_while(|next| indent(next) > indent(line));
                steps.push(rest.map(|next| next.trim()).collect::<Vec<_>>().join("\n"));
            }
            Some(command) => steps.push(command.to_owned()),
            None => {}
        }
    }
    steps.retain(|step| !step.starts_with("cargo install"));
    steps
}

#[test]
fn the_steps_of_the_workflow_pass_and_fail_as_they_should() {
    let steps = steps(&read(&root().join("docs/workflows/clearance.yml")));
    assert_eq!(steps.len(), 3, "{steps:?}");
    let page = read(&pages().join("ci.md"));
    let shown = blocks(&page);
    let file = |name: &str| &shown.iter().find(|block| block.file() == Some(name)).expect("the page shows it").text;
    let (scene, questions) = (file("cell.json"), file("questions.jsonl"));
    let crash = scene.replace("[0.5, 0.9, 0]", "[0, 0.7, 0]");
    let slip = questions.replace("\"distance\"", "\"distanze\"");
    assert!(crash != *scene && slip != *questions);
    // The scene, the margin, the questions, and how the steps end.
    let cases = [
        ("as it is", scene, "0.001", questions, [0, 0, 0]),
        ("too close", scene, "0.005", questions, [1, 0, 0]),
        ("a crash", &crash, "0.001", questions, [1, 0, 0]),
        ("a bad question", scene, "0.001", &slip, [0, 0, 1]),
    ];
    for (what, scene, margin, questions, wanted) in cases {
        let folder = empty_folder(&format!("workflow {what}"));
        fs::write(folder.join("cell.json"), scene).expect("a test can write files");
        fs::write(folder.join("questions.jsonl"), questions).expect("a test can write files");
        // As GitHub runs a step of bash: it ends with the first command that fails.
        fs::write(folder.join("environment"), format!("SCENE=cell.json MARGIN={margin}\n"))
            .expect("a test can write files");
        let run = |step: &String| {
            fs::write(folder.join("step"), step).expect("a test can write files");
            run(&folder, "exec bash -e -c '. ./environment; . ./step'").0
        };
        assert_eq!(steps.iter().map(run).collect::<Vec<_>>(), wanted, "{what}");
        assert!(folder.join("report.html").exists() && folder.join("verdict.txt").exists(), "{what}");
    }
}

/// The targets of the links and pictures of a text, outside of code.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect();
    prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

/// The names that mdBook gives to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let id = |heading: &str| -> String {
        let letters = heading.trim().to_lowercase();
        let kept = letters.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
            _ => None,
        });
        kept.collect()
    };
    prose.lines().filter(|line| line.starts_with('#')).map(|line| id(line.trim_start_matches('#'))).collect()
}

#[test]
fn every_link_of_the_guide_leads_somewhere_and_every_page_is_in_its_contents() {
    let names = names();
    let (mut faults, mut followed) = (Vec::new(), 0);
    for name in &names {
        let path = pages().join(name);
        let folder = path.parent().unwrap();
        // Every include is found.
        let text = included(&read(&path), folder);
        for link in links(&text) {
            followed += 1;
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let to = if file.is_empty() { path.clone() } else { folder.join(file) };
            if !to.exists() {
                faults.push(format!("{name}: {link} leads nowhere"));
            } else if !to.canonicalize().unwrap().starts_with(pages().canonicalize().unwrap()) {
                faults.push(format!("{name}: {link} is outside of the book, where a browser does not find it"));
            } else if let Some(anchor) = anchor
                && !anchors(&included(&read(&to), to.parent().unwrap())).contains(anchor)
            {
                faults.push(format!("{name}: {link} names no heading"));
            }
        }
    }
    let contents = read(&pages().join("SUMMARY.md"));
    let listed: BTreeSet<String> = links(&contents).into_iter().collect();
    let there: BTreeSet<String> = names.into_iter().filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, there, "the contents and the pages");
    let images = fs::read_dir(pages().join("images")).expect("there are figures").flatten();
    let text: String = there.iter().map(|name| read(&pages().join(name))).collect();
    for image in images.map(|image| image.file_name().to_str().unwrap().to_owned()) {
        assert!(!image.ends_with(".svg") || text.contains(&image), "no page shows images/{image}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(followed > 40, "{followed} links");
}

#[test]
fn the_links_of_the_documents_lead_somewhere() {
    let documents =
        ["README.md", "ARCHITECTURE.md", "COMPARE.md", "CONTRIBUTING.md", "DESIGN.md", "PAPERS.md", "SECURITY.md"];
    let mut followed = 0;
    for document in documents {
        for link in links(&read(&root().join(document))) {
            let file = link.split('#').next().unwrap_or_default();
            let is_elsewhere = file.is_empty() || file.starts_with("https://");
            assert!(is_elsewhere || root().join(file).exists(), "{document}: {link} leads nowhere");
            followed += 1;
        }
    }
    assert!(followed > 15, "{followed} links");
}

#[test]
fn what_is_compared_is_compared() {
    let is = |wanted: &str, found: &str| {
        let wanted = wanted_lines(&wanted.lines().collect::<Vec<_>>());
        matches(&wanted.iter().map(String::as_str).collect::<Vec<_>>(), &found.lines().collect::<Vec<_>>())
    };
    assert!(is("a\n…\nd", "a\nb\nc\nd") && is("a\n…\nd", "a\nd") && !is("a\n…\nd", "a\nb"));
    assert!(is("1 … 3", "1 2 3") && !is("1 … 3", "1 2 4") && !is("1", "1 2") && is("…: …!", "x: y!"));
    assert!(is("│ a ┆ b │", "│ a   ┆ b ┆ c │") && !is("│ a ┆ c │", "│ a ┆ b ┆ c │") && is("┌─┐", "┌──┬─┐"));
    assert!(is("│ … ┆   │", "│ a ┆ b │\n│ c ┆ d │"));
    let page = "```console\n$ clearance --version\nclearance …\n$ clearance chekc\n…\n$ echo $?\n2\n```\n";
    assert_eq!(run_page("itself", page), (vec![], 2, 0));
    let wrong = run_page("itself, wrong", "```console\n$ clearance --version\nclarence\n$ clearance chekc\n…\n```\n");
    assert_eq!(wrong.0.len(), 2, "{:?}", wrong.0);
    let left_out = "```sh not-run\nfalse\n```\n```json file=a.json\n{}\n```\n```sh\ntest -f a.json\n```\n";
    assert_eq!(run_page("left out", left_out), (vec![], 1, 1));
    assert_eq!(links("a [b](c.md#d) `[e](f)` ![g](h.svg)"), ["c.md#d", "h.svg"]);
    assert!(anchors("# How a *proof* works, `x`\n").contains("how-a-proof-works-x"));
}
