//! `clearance verify`: checks evidence line by line, and compares it with its scene.

use crate::args::{SceneArgs, VerifyArgs};
use crate::check::load::{Loaded, load};
use crate::check::progress::Progress;
use crate::query::cannot_read;
use crate::query::lines::{Line, Lines};
use crate::{Outcome, output};
use clearance_io::proof::{EvidenceReader, Judged, PairCounts, SceneDemand};
use clearance_io::{counted, open_stream};
use clearance_verify::Verdict;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// The verdicts about all lines.
#[derive(Default, Serialize)]
struct Summary {
    answers: u64,
    proved: u64,
    refuted: Vec<Named>,
    undecided: Vec<Named>,
    /// Lines that are errors, and no answers.
    errors: u64,
    /// Lines that cannot be read or do not belong there, and what the input as a whole lacks.
    bad: Vec<Named>,
    /// The pairs of a check that are proved clear, proved to meet, or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<PairCounts>,
}

/// A line that is not proved.
#[derive(Serialize)]
struct Named {
    /// Nothing for a fault of the input as a whole.
    line: Option<u64>,
    id: Option<Box<RawValue>>,
    reason: String,
}

impl Named {
    /// A line that cannot be read. The line is named beside the sentence, so the sentence keeps only the column of its place.
    fn bad(number: u64, id: Option<Box<RawValue>>, sentence: &str) -> Self {
        let rest = sentence.strip_prefix(&format!("line {number}")).unwrap_or(sentence);
        Self { line: Some(number), id, reason: rest.trim_start_matches([':', ',', ' ']).to_owned() }
    }
}

/// Runs the subcommand.
pub fn run(args: &VerifyArgs) -> Result<Outcome, String> {
    let input = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let summary = match input {
        Some(path) => {
            let size = std::fs::metadata(path).map_or(0, |data| data.len());
            let file = open_stream(path).map_err(|error| error.to_string())?;
            summary_of(file, args, &path.display().to_string(), Some(size))?
        }
        None => summary_of(io::stdin().lock(), args, "the standard input", None)?,
    };
    let is_open = !summary.undecided.is_empty() || summary.errors > 0;
    let outcome = if !summary.bad.is_empty() {
        Outcome::BadInput
    } else if !summary.refuted.is_empty() || args.strict && is_open {
        Outcome::Bad
    } else {
        Outcome::Good
    };
    output::written(print(&summary, args), outcome)
}

/// Checks lines as `clearance verify --json` does: the bytes that it would print.
pub fn to_json(lines: impl Read, args: &VerifyArgs) -> Result<Vec<u8>, String> {
    let summary = summary_of(lines, args, "the evidence", None)?;
    serde_json::to_vec(&summary).map_err(|error| error.to_string())
}

/// The verdicts about the lines of an input of that name, against the scene of the options if there is one.
fn summary_of(input: impl Read, args: &VerifyArgs, name: &str, size: Option<u64>) -> Result<Summary, String> {
    let loaded = if args.scene.is_empty() { None } else { Some(load(&scene_args(args), true)?) };
    let demand = loaded.as_ref().map(|loaded| {
        let Loaded { scene, .. } = loaded;
        SceneDemand::new(scene, &loaded.asked(&scene_args(args)))
    });
    check_all(BufReader::with_capacity(1 << 16, input), EvidenceReader::new(demand.as_ref()), name, size)
}

/// The options that say which check is demanded, as `clearance check` has them.
fn scene_args(args: &VerifyArgs) -> SceneArgs {
    let VerifyArgs { scene, margin, until, hull, scale, unit, allow, rules, .. } = args;
    let (inputs, margin, until, hull, scale, unit) = (scene.clone(), *margin, *until, *hull, *scale, *unit);
    let (allow, rules) = (allow.clone(), rules.clone());
    SceneArgs { inputs, margin, until, hull, scale, unit, allow, rules, ..SceneArgs::default() }
}

fn check_all<R: Read>(
    mut input: BufReader<R>,
    mut reader: EvidenceReader,
    name: &str,
    size: Option<u64>,
) -> Result<Summary, String> {
    let mut summary = Summary::default();
    // The length of a pipe is not known, so there is no bar for one.
    let mut progress = size.map(|size| (size as usize, Progress::new("verifying")));
    let mut read = 0;
    let mut lines = Lines::hashing();
    loop {
        match lines.next(&mut input).map_err(|error| cannot_read(name, &error))? {
            Line::End => break,
            Line::Bad(sentence, number) => summary.bad.push(Named::bad(number, None, &sentence)),
            Line::Text(text, number, before) => {
                read += text.len() + 1;
                match reader.read(text, number, before) {
                    Ok(None) => {}
                    Ok(Some(judged)) => summary.add(number, judged),
                    Err(failed) => {
                        summary.bad.push(Named::bad(number, failed.id, &failed.error.to_string()));
                    }
                }
            }
        }
        if let Some((size, progress)) = &mut progress {
            progress.at(read, *size);
        }
    }
    let (problems, pairs) = reader.finish();
    summary.bad.extend(problems.into_iter().map(|reason| Named { line: None, id: None, reason }));
    Ok(Summary { pairs, ..summary })
}

impl Summary {
    fn add(&mut self, number: u64, Judged { id, verdict }: Judged) {
        let line = Some(number);
        self.answers += u64::from(verdict.is_some());
        match verdict {
            None => self.errors += 1,
            Some(Verdict::Proved) => self.proved += 1,
            Some(Verdict::Refuted(reason)) => self.refuted.push(Named { line, id, reason }),
            Some(Verdict::Undecided(reason)) => self.undecided.push(Named { line, id, reason }),
        }
    }
}

fn print(summary: &Summary, args: &VerifyArgs) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer(&mut out, summary)?;
        writeln!(out)?;
        return out.flush();
    }
    let mut name = |word: &str, lines: &[Named]| {
        lines.iter().try_for_each(|Named { line, id, reason }| {
            let line = line.map_or(String::new(), |line| format!("line {line}"));
            let id = id.as_ref().map_or(String::new(), |id| format!(", id {}", id.get()));
            let place = format!("{line}{id}");
            let colon = if place.is_empty() { "" } else { ": " };
            writeln!(out, "{word}: {}", output::printable(&format!("{place}{colon}{reason}")))
        })
    };
    name("bad", &summary.bad)?;
    name("refuted", &summary.refuted)?;
    if args.undecided || args.strict {
        name("undecided", &summary.undecided)?;
    }
    let Summary { answers, proved, refuted, undecided, errors, bad, pairs } = summary;
    let (refuted, undecided, bad) = (refuted.len(), undecided.len(), bad.len());
    let (answers, errors) = (counted(*answers, "answer", "answers"), counted(*errors, "error", "errors"));
    let bad = if bad == 0 { String::new() } else { format!(", {} bad", bad) };
    writeln!(out, "{answers}: {proved} proved, {refuted} refuted, {undecided} undecided; {errors}{bad}")?;
    if let Some(PairCounts { pairs, clear, meet, open }) = pairs {
        let whose = if args.scene.is_empty() { "the header" } else { "the scene" };
        let pairs = counted(*pairs, "pair", "pairs");
        writeln!(out, "{pairs} of {whose}: {clear} proved clear, {meet} proved to meet, {open} open")?;
    }
    out.flush()
}
