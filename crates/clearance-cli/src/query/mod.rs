//! `clearance query`: a stream of queries, answered line by line in bounded memory.

pub mod lines;
mod pairs;
mod session;

use crate::args::QueryArgs;
use crate::{Outcome, output};
use clearance_io::{Answer, Folder, open_stream};
use lines::{Line, Lines};
use serde::Serialize;
use session::{Session, Task};
use std::hint::black_box;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// Runs the subcommand.
pub fn run(args: &QueryArgs) -> Result<Outcome, String> {
    let input = args.input.as_deref().filter(|path| *path != Path::new("-"));
    match input {
        Some(path) => {
            let file = open_stream(path).map_err(|error| error.to_string())?;
            answer_all(BufReader::with_capacity(1 << 16, file), &path.display().to_string(), Folder::of(path), args)
        }
        None => answer_all(BufReader::new(io::stdin().lock()), "the standard input", Folder::new("."), args),
    }
}

fn answer_all<R: io::Read>(
    input: BufReader<R>,
    name: &str,
    folder: Folder,
    args: &QueryArgs,
) -> Result<Outcome, String> {
    let session = Session::new(folder, args.engine, args.proof);
    match args.time {
        None => stream(input, name, session, BufWriter::with_capacity(1 << 16, io::stdout().lock())),
        Some(repeats) => measure(input, name, session.keeping_all_pairs(), repeats),
    }
}

pub fn cannot_read(name: &str, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::InvalidData {
        return format!("{name}: this is {error}");
    }
    format!("{name} cannot be read ({}); check that it is a readable file", error.kind())
}

/// The answers to lines as `clearance query` prints them; mesh files are looked for in the current folder.
pub fn to_lines(lines: impl io::Read, args: &QueryArgs) -> Result<Vec<u8>, String> {
    let session = Session::new(Folder::new("."), args.engine, args.proof);
    let mut bytes = Vec::new();
    stream(BufReader::new(lines), "the queries", session, &mut bytes)?;
    Ok(bytes)
}

/// Answers each line before it reads the next.
fn stream<R: io::Read>(
    mut input: BufReader<R>,
    name: &str,
    mut session: Session,
    mut out: impl Write,
) -> Result<Outcome, String> {
    let mut outcome = Outcome::Good;
    let mut lines = Lines::new();
    let mut write = |input: &mut BufReader<R>| -> io::Result<Result<(), String>> {
        loop {
            // A caller who writes one query at a time into a pipe waits for its answer before the next.
            if !input.buffer().contains(&b'\n') {
                out.flush()?;
            }
            let task = match lines.next(input) {
                Ok(Line::End) => break,
                Ok(Line::Text(text, number, _)) => session.read(text, number),
                Ok(Line::Bad(sentence, _)) => Some(Task::failed(None, sentence)),
                Err(error) => {
                    out.flush()?;
                    return Ok(Err(cannot_read(name, &error)));
                }
            };
            if let Some(task) = task {
                let answer = session.answer(&task);
                if matches!(answer.answer, Answer::Error(_)) {
                    outcome = Outcome::Bad;
                }
                let mut line = session.to_line(&task, &answer);
                line.push('\n');
                out.write_all(line.as_bytes())?;
            }
        }
        out.flush()?;
        Ok(Ok(()))
    };
    match write(&mut input) {
        Ok(Ok(())) => Ok(outcome),
        Ok(Err(sentence)) => Err(sentence),
        Err(error) => output::written(Err(error), outcome),
    }
}

/// The output of `--time`.
#[derive(Serialize)]
struct Timing {
    queries: usize,
    repeats: u32,
    /// Nanoseconds per query in the fastest of the repeats; null when there was no query.
    best_ns: Option<f64>,
    /// Nanoseconds per query in the repeat in the middle.
    median_ns: Option<f64>,
}

/// Reads everything, answers everything `repeats` times, then prints the answers once and the time to stderr.
fn measure(mut input: impl BufRead, name: &str, mut session: Session, repeats: u32) -> Result<Outcome, String> {
    let mut tasks = Vec::new();
    let mut lines = Lines::new();
    loop {
        match lines.next(&mut input).map_err(|error| cannot_read(name, &error))? {
            Line::End => break,
            Line::Text(text, number, _) => tasks.extend(session.read(text, number)),
            Line::Bad(sentence, _) => tasks.push(Task::failed(None, sentence)),
        }
    }
    let queries = tasks.iter().filter(|task| !task.has_failed()).count();
    let mut passes = Vec::new();
    for _ in 0..repeats {
        // Every repeat starts from the same knowledge: none.
        session.forget();
        let start = Instant::now();
        for task in tasks.iter().filter(|task| !task.has_failed()) {
            black_box(session.answer(task));
        }
        passes.push(start.elapsed().as_nanos() as f64 / queries as f64);
    }
    passes.sort_by(f64::total_cmp);
    let pick = |index: usize| passes.get(index).copied().filter(|_| queries > 0);
    let timing = Timing { queries, repeats, best_ns: pick(0), median_ns: pick(passes.len() / 2) };

    session.forget();
    let mut outcome = Outcome::Good;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = || -> io::Result<()> {
        for task in &tasks {
            let answer = session.answer(task);
            if matches!(answer.answer, Answer::Error(_)) {
                outcome = Outcome::Bad;
            }
            writeln!(out, "{}", session.to_line(task, &answer))?;
        }
        out.flush()
    };
    let result = write();
    // The time is worth telling even if nobody wants the answers.
    let text = serde_json::to_string(&timing).map_err(|error| format!("the time cannot be written: {error}"))?;
    let _ = writeln!(io::stderr().lock(), "{text}");
    output::written(result, outcome)
}
