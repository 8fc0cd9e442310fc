//! `clearance verify`: a stream of answers with their evidence, checked line by line.

use crate::args::VerifyArgs;
use crate::check::progress::Progress;
use crate::query::cannot_read;
use crate::query::lines::{Line, Lines};
use crate::{Outcome, output};
use clearance_io::proof::{Claimed, read_claim};
use clearance_io::{counted, open_stream};
use clearance_verify::Verdict;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// What was found out about a stream.
#[derive(Default, Serialize)]
struct Summary {
    answers: u64,
    proved: u64,
    refuted: Vec<Named>,
    undecided: Vec<Named>,
    /// Lines that are errors, and no answers.
    errors: u64,
}

/// A line that is not proved.
#[derive(Serialize)]
struct Named {
    line: u64,
    id: Option<Box<RawValue>>,
    reason: String,
}

/// Runs the subcommand.
pub fn run(args: &VerifyArgs) -> Result<Outcome, String> {
    let input = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let summary = match input {
        Some(path) => {
            let size = std::fs::metadata(path).map_or(0, |data| data.len());
            let file = open_stream(path).map_err(|error| error.to_string())?;
            check_all(BufReader::with_capacity(1 << 16, file), &path.display().to_string(), Some(size))?
        }
        None => check_all(BufReader::new(io::stdin().lock()), "the standard input", None)?,
    };
    let outcome = if summary.refuted.is_empty() { Outcome::Good } else { Outcome::Bad };
    output::written(print(&summary, args), outcome)
}

fn check_all<R: Read>(mut input: BufReader<R>, name: &str, size: Option<u64>) -> Result<Summary, String> {
    let mut summary = Summary::default();
    // The length of a pipe is not known, so there is no bar for one.
    let mut progress = size.map(|size| (size as usize, Progress::new("verifying")));
    let mut read = 0;
    let mut lines = Lines::new();
    loop {
        let (text, number) = match lines.next(&mut input).map_err(|error| cannot_read(name, &error))? {
            Line::End => return Ok(summary),
            Line::Bad(sentence) => return Err(format!("{name}, {sentence}")),
            Line::Text(text, number) => (text, number),
        };
        read += text.len() + 1;
        let Claimed { id, content } = read_claim(text, number).map_err(|error| format!("{name}, {error}"))?;
        let verdict = content.verdict();
        summary.answers += u64::from(verdict.is_some());
        match verdict {
            None => summary.errors += 1,
            Some(Verdict::Proved) => summary.proved += 1,
            Some(Verdict::Refuted(reason)) => summary.refuted.push(Named { line: number, id, reason }),
            Some(Verdict::Undecided(reason)) => summary.undecided.push(Named { line: number, id, reason }),
        }
        if let Some((size, progress)) = &mut progress {
            progress.at(read, *size);
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
            let id = id.as_ref().map_or(String::new(), |id| format!(", id {}", id.get()));
            writeln!(out, "{word}: {}", output::printable(&format!("line {line}{id}: {reason}")))
        })
    };
    name("refuted", &summary.refuted)?;
    if args.undecided {
        name("undecided", &summary.undecided)?;
    }
    let Summary { answers, proved, refuted, undecided, errors } = summary;
    let (refuted, undecided) = (refuted.len(), undecided.len());
    let (answers, errors) = (counted(*answers, "answer", "answers"), counted(*errors, "error", "errors"));
    writeln!(out, "{answers}: {proved} proved, {refuted} refuted, {undecided} undecided; {errors}")?;
    out.flush()
}
