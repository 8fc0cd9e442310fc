//! Numbers in the code: each constant says what it is for.
//!
//! A *tuning constant* changes work or the width of a bracket, never the truth of an answer. It is in `tuning.rs` of its crate, with a
//! unit and the command whose rows react to it. Any other constant stands beside its formula and carries one of [`MARKERS`]. Error bounds
//! that several formulas share are in `math/rounding.rs`. One more number has one place: the zero that decides whether shapes are apart. Tests are not checked.

use crate::map;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose code is checked.
const CRATES: [&str; 7] = [
    "clearance",
    "clearance-io",
    "clearance-sim",
    "clearance-robot",
    "clearance-gpu",
    "clearance-cli",
    "clearance-verify",
];

/// The file of a crate that has the tuning constants.
const TUNING: &str = "src/tuning.rs";

/// The file with the error bounds that several formulas share.
const ROUNDING: &str = "clearance/src/math/rounding.rs";

/// The file that decides by a lower bound whether shapes are apart. The modules behind it have lower bounds of something else: the time at which a
/// ray enters, a penetration depth.
const APART: &str = "clearance/src/narrow/bracket.rs";
const OTHER_BOUNDS: [&str; 2] = ["clearance/src/cast/", "clearance/src/proof/depth.rs"];

/// One of these words begins the explanation of a constant outside of [`TUNING`]: a proof rests on it, it is a promise or a cap against
/// bad input, or it follows from a memory layout.
const MARKERS: [&str; 3] = ["Bound:", "Limit:", "Layout:"];

/// Words in the documentation of a tuning constant.
const OF_TUNING: [&str; 2] = ["Unit:", "Bench:"];

/// Literals up to this need a reason.
const SMALL: f64 = 1e-6;

/// Fails with all numbers that are not explained, a line each.
pub fn check() -> Result<(), String> {
    let commands = Commands::read()?;
    let mut faults = BTreeMap::new();
    let mut count = 0;
    for name in CRATES {
        let mut sources = Vec::new();
        files(&Path::new("crates").join(name).join("src"), &mut sources)?;
        let tests: BTreeSet<PathBuf> = sources.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
        for (path, text) in &sources {
            if !tests.iter().any(|test| path.with_extension("").starts_with(test)) {
                count += Source::new(path, text).check(&commands, &mut faults);
            }
        }
    }
    let sentences: Vec<String> =
        faults.into_iter().map(|((path, line), fault)| format!("crates/{path}:{line}: {fault}")).collect();
    if !sentences.is_empty() {
        return Err(format!("{} numbers are not explained\n{}", sentences.len(), sentences.join("\n")));
    }
    println!("{count} constants say what they are for");
    Ok(())
}

/// All files of code in a folder, with their text.
fn files(folder: &Path, found: &mut Vec<(PathBuf, String)>) -> Result<(), String> {
    let cannot = |path: &Path, error: std::io::Error| format!("{} cannot be read ({error})", path.display());
    for entry in fs::read_dir(folder).map_err(|error| cannot(folder, error))? {
        let path = entry.map_err(|error| cannot(folder, error))?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).map_err(|error| cannot(&path, error))?;
            found.push((path, text));
        }
    }
    Ok(())
}

/// The modules that a file declares for tests only, as paths without an ending.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = path.file_stem().is_some_and(|stem| stem == "mod" || stem == "lib" || stem == "main");
    let folder = if is_root { path.with_file_name("") } else { path.with_extension("") };
    let lines: Vec<&str> = text.lines().collect();
    let declared = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]").filter_map(|pair| {
        let name = pair[1].trim_start_matches("pub(crate) ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some(folder.join(name))
    });
    declared.collect()
}

/// A file, as far as its tests.
struct Source<'t> {
    /// Below `crates`.
    path: String,
    lines: Vec<&'t str>,
}

/// Faults by file and line, so that a line has at most one.
type Faults = BTreeMap<(String, usize), String>;

impl<'t> Source<'t> {
    fn new(path: &Path, text: &'t str) -> Self {
        let path = path.strip_prefix("crates").unwrap_or(path).to_string_lossy().replace('\\', "/");
        Self { path, lines: text.lines().take_while(|line| *line != "mod tests {").collect() }
    }

    /// Notes the faults of the file and counts its numeric constants.
    fn check(&self, commands: &Commands, faults: &mut Faults) -> usize {
        let is_tuning = self.path.ends_with(TUNING);
        let is_rounding = self.path == ROUNDING;
        let mut count = 0;
        for (number, line) in self.lines.iter().enumerate() {
            let code = code(line);
            let mut fault = None;
            if is_numeric_constant(code) {
                count += 1;
                let reason = self.reason(number);
                fault = if is_tuning {
                    commands.fault(&reason)
                } else if !is_rounding && !MARKERS.iter().any(|marker| reason.contains(marker)) {
                    Some("say behind \"Bound:\", \"Limit:\" or \"Layout:\" why the constant has this value".into())
                } else {
                    None
                };
            } else if is_rounding {
                continue;
            } else if code.contains("lower > 0.0") && self.decides_apart() {
                fault = Some(
                    "call Bracket::is_apart, or is_apart of the answer, to decide whether shapes are apart".into(),
                );
            } else if code.contains("ROUNDING * ") && code.contains("SMALLEST_LENGTH") {
                fault = Some("call math::rounding::of_pair for the rounding error of a pair".into());
            } else if is_small(code) && !line.contains("// ") && self.reason(number).is_empty() {
                fault =
                    Some("give the reason for the small number in a comment, or take a bound of math::rounding".into());
            }
            if let Some(fault) = fault {
                faults.insert((self.path.clone(), number + 1), fault);
            }
        }
        count
    }

    /// Is it a file of the library whose lower bounds are those of distances?
    fn decides_apart(&self) -> bool {
        self.path.starts_with("clearance/src/")
            && self.path != APART
            && !OTHER_BOUNDS.iter().any(|path| self.path.starts_with(path))
    }

    /// The comment directly above the statement that has a line in it, or above the constants or the function that it is directly below.
    fn reason(&self, number: usize) -> String {
        let is_comment = |line: &str| line.trim_start().starts_with("//");
        let mut first = number;
        while first > 0 {
            let above = self.lines[first - 1].trim();
            let is_attribute = above.starts_with("#[");
            let is_list = is_numeric_constant(self.lines[number].trim()) && is_numeric_constant(above);
            let is_head = above.ends_with('{') && (above.contains("fn ") || above.starts_with(')'));
            let is_statement = !above.is_empty() && !above.ends_with([';', '{', '}']);
            if is_comment(above) || !(is_attribute || is_list || is_head || is_statement) {
                break;
            }
            first -= 1;
        }
        let comment = self.lines[..first].iter().rev().take_while(|line| is_comment(line));
        let mut words: Vec<&str> = comment.map(|line| line.trim().trim_start_matches('/').trim()).collect();
        words.reverse();
        words.join(" ")
    }
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

/// Whether a line defines a constant that is a number, an array or a range of numbers. One without a value is declared by a trait.
fn is_numeric_constant(code: &str) -> bool {
    let visible = ["pub(crate) ", "pub(super) ", "pub "].iter().find_map(|word| code.strip_prefix(word));
    let Some((name, rest)) = visible.unwrap_or(code).strip_prefix("const ").and_then(|rest| rest.split_once(": "))
    else {
        return false;
    };
    let Some((kind, _)) = rest.split_once(" =") else {
        return false;
    };
    const NUMBERS: [&str; 12] =
        ["f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize", "i32", "i64", "i128", "isize"];
    let words = || kind.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_part = |word: &str| {
        NUMBERS.contains(&word)
            || ["std", "ops", "Range", "RangeInclusive"].contains(&word)
            // The length of an array.
            || word.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
    };
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && words().any(|word| NUMBERS.contains(&word))
        && words().all(is_part)
}

/// Whether code has a machine epsilon or a literal of at most [`SMALL`].
fn is_small(code: &str) -> bool {
    if code.contains("::EPSILON") {
        return true;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_' || c == '-';
    let words = code.split(|c: char| !is_part(c));
    let literals = words.map(|word| word.trim_start_matches('-').replace('_', "")).filter(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && (word.contains("e-") || word.starts_with("0.0000"))
    });
    literals
        .filter_map(|word| word.trim_end_matches("f64").trim_end_matches("f32").parse::<f64>().ok())
        .any(|value| value > 0.0 && value <= SMALL)
}

/// All that a tuning constant may name as its bench.
struct Commands {
    aliases: BTreeSet<String>,
    programs: BTreeSet<String>,
    /// The names of all functions, tests among them.
    functions: BTreeSet<String>,
}

impl Commands {
    fn read() -> Result<Self, String> {
        let first = |line: &str, end: char| line.split(end).next().unwrap_or_default().trim().to_owned();
        let aliases = map::read(".cargo/config.toml")?
            .lines()
            .filter(|line| line.contains(" = "))
            .map(|line| first(line, '='))
            .collect();
        let mut programs = BTreeSet::new();
        let mut functions = BTreeSet::new();
        for path in map::files()? {
            let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.ends_with("Cargo.toml") {
                let text = map::read(&path)?;
                programs.extend(
                    text.lines().filter_map(|line| line.strip_prefix("name = ")).map(|name| name.replace('"', "")),
                );
            } else if path.ends_with(".rs") {
                if path.contains("/bin/") {
                    programs.insert(name.clone());
                }
                if path.contains("tests/") {
                    functions.insert(name);
                }
                functions.extend(
                    map::read(&path)?.lines().filter_map(|line| Some(first(line.trim().strip_prefix("fn ")?, '('))),
                );
            }
        }
        Ok(Self { aliases, programs, functions })
    }

    /// The reason why the documentation of a tuning constant is not enough, if it is not.
    fn fault(&self, documentation: &str) -> Option<String> {
        if let Some(missing) = OF_TUNING.iter().find(|word| !documentation.contains(*word)) {
            return Some(format!("a tuning constant needs \"{missing}\""));
        }
        let behind = documentation.split_once("Bench:").map_or("", |(_, behind)| behind);
        let Some(command) = behind.split('`').nth(1) else {
            return Some("name a command in back-quotes behind \"Bench:\"".into());
        };
        (!self.has(command)).then(|| format!("`{command}` is no command, program or test of this workspace"))
    }

    /// Whether a command exists: `cargo ALIAS …`, `python FILE …`, `cargo run … --bin PROGRAM`, `cargo test … TEST`, or the name of a test.
    fn has(&self, command: &str) -> bool {
        let words: Vec<&str> = command.split_whitespace().collect();
        let is_test =
            |word: &&str| self.functions.contains(word.rsplit("::").find(|part| !part.is_empty()).unwrap_or(word));
        match words[..] {
            ["cargo", "test", ref rest @ ..] => rest.last().is_some_and(is_test),
            ["cargo", "run", ref rest @ ..] => rest
                .windows(2)
                .any(|pair| ["--bin", "-p", "--package"].contains(&pair[0]) && self.programs.contains(pair[1])),
            ["python", script, ..] => Path::new(script).is_file(),
            ["cargo", alias, ..] => self.aliases.contains(alias),
            [test] => is_test(&test),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let commands = Commands {
            aliases: ["bench-pairs".to_owned()].into(),
            programs: ["soak".to_owned()].into(),
            functions: ["a_test".to_owned()].into(),
        };
        let mut faults = Faults::new();
        Source::new(Path::new(path), text).check(&commands, &mut faults);
        faults.into_iter().map(|((_, line), fault)| format!("{line}: {fault}")).collect()
    }

    #[test]
    fn a_constant_needs_a_marker() {
        let path = "crates/clearance/src/pair/mod.rs";
        assert_eq!(faults(path, "/// Many.\nconst MANY: usize = 8;").len(), 1);
        assert_eq!(faults(path, "const BITS: [u8; 3] = [1, 2, 4];").len(), 1);
        assert_eq!(faults(path, "    pub(super) const SIZES: std::ops::Range<f64> = 1.0..2.0;").len(), 1);
        assert!(
            faults(path, "/// Many. Limit: files\n/// are short.\n#[allow(unused)]\nconst MANY: usize = 8;").is_empty()
        );
        assert!(faults(path, "/// Bits. Layout: a byte.\nconst A: u8 = 1;\nconst B: u8 = 2;").is_empty());
        assert!(faults(path, "const NAME: &str = \"x\";\nconst ALL: Self = Self(1);\nconst ERROR: f64;").is_empty());
        assert!(faults(path, "mod tests {\n    const MANY: usize = 8;").is_empty());
    }

    #[test]
    fn a_tuning_constant_needs_a_unit_and_a_command() {
        let about =
            |words: &str| faults("crates/clearance/src/tuning.rs", &format!("/// {words}\npub const MANY: usize = 8;"));
        assert!(about("Unit: boxes. Bench: `cargo bench-pairs`.").is_empty());
        assert!(about("Unit: boxes. Bench: `cargo test -p clearance-lab --test main a_test`.").is_empty());
        assert!(about("Unit: boxes. Bench: `cargo run -p clearance-lab --bin soak`.").is_empty());
        for words in [
            "Unit: boxes.",
            "Bench: `cargo bench-pairs`.",
            "Unit: boxes. Bench: `cargo bench-none`.",
            "Unit: 1. Bench: all",
        ] {
            assert_eq!(about(words).len(), 1, "{words}");
        }
    }

    #[test]
    fn a_small_number_needs_a_reason() {
        let path = "crates/clearance/src/pair/mod.rs";
        for line in ["let a = 1e-6;", "let a = b + 2.0 * f64::EPSILON;", "if a < 1.5e-9f64 {", "if a < 0.000_001 {"] {
            assert_eq!(faults(path, line).len(), 1, "{line}");
            assert!(faults(path, &format!("{line} // A reason.")).is_empty());
            assert!(faults(path, &format!("// A reason.\n{line}")).is_empty());
            assert!(faults(path, &format!("// A reason.\nlet c =\n{line}")).is_empty());
            assert_eq!(faults(path, &format!("// A reason.\nlet c = 1;\n{line}")).len(), 1);
            assert!(faults("crates/clearance/src/math/rounding.rs", line).is_empty());
        }
        assert!(faults(path, "let a = 1e-5 + 2e6 + x.e-9;").is_empty());
        assert_eq!(faults(path, "// A reason.\nlet r = ROUNDING * size + SMALLEST_LENGTH;").len(), 1);
    }

    #[test]
    fn one_place_decides_whether_shapes_are_apart() {
        let line = "if found.lower > 0.0 {";
        assert_eq!(faults("crates/clearance/src/pair/mod.rs", line).len(), 1);
        assert!(faults("crates/clearance/src/narrow/bracket.rs", line).is_empty());
        assert!(faults("crates/clearance/src/cast/plain.rs", line).is_empty());
    }
}
