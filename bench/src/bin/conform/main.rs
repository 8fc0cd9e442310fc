//! The conformance suite against any collision library: its verdict on each case is right, wrong, crash, hang or unsupported.
//!
//! `cargo conform --against NAME…` runs the adapter of each library as a process, sends it every question of `suite` in every variant, and starts it
//! again when it dies or hangs. The rules are in `judge.rs`.

#![allow(clippy::duplicate_mod)] // parry.rs is compiled once for each precision

mod adapter;
mod case;
mod judge;
mod report;
#[path = "../../section.rs"]
mod section;
mod serve;
mod variants;

use adapter::{Adapter, Failure, KNOWN};
use case::Question;
use clap::Parser;
use judge::{Reply, Verdict, judge, not_asked};
use report::{Column, Outcome};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Runs the conformance suite against collision libraries: who is right, wrong, crashes or hangs.
#[derive(Debug, Parser)]
#[command(name = "cargo conform")]
struct Options {
    /// Which libraries: clearance, parry3d-f64, parry3d, coal, python-fcl, mujoco. All of them if neither this nor --adapter is given.
    #[arg(long, value_name = "NAME", num_args = 1..)]
    against: Vec<String>,
    /// A library of your own: its name, and the command of its adapter, whose words are separated by spaces.
    #[arg(long, value_name = "NAME=COMMAND")]
    adapter: Vec<String>,
    /// The Python that has the packages of coal, python-fcl and mujoco; CONFORM_PYTHON in the environment, or python3.
    #[arg(long, value_name = "PROGRAM")]
    python: Option<String>,
    /// Only cases whose file or id contains this.
    #[arg(long = "match", value_name = "TEXT", default_value = "")]
    only: String,
    /// How long an answer may take before it counts as a hang.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    seconds: f64,
    /// Tell the verdict on every case.
    #[arg(long)]
    verbose: bool,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Put the tables into their section of this file.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// The folder of the suite.
    #[arg(long, value_name = "FOLDER")]
    suite: Option<PathBuf>,
    /// Be the adapter of a library: lines in, answers out.
    #[arg(long, value_name = "NAME", hide = true)]
    serve: Option<String>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.serve {
        Some(name) => serve::run(name).map(|()| true),
        None => run(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// False if Clearance took part and is wrong somewhere. Faults of the other libraries do not fail the run.
fn run(options: &Options) -> Result<bool, String> {
    let suite = options.suite.clone().unwrap_or_else(|| {
        // Cargo sets it when it runs a program.
        std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| "suite".into(), |bench| PathBuf::from(bench).join("../suite"))
    });
    let mut questions = case::read_all(&suite)?;
    questions.retain(|question| format!("{}/{}", question.file, question.id).contains(&options.only));
    if questions.is_empty() {
        return Err(format!("no case has \"{}\" in its file or id; leave --match out to see all", options.only));
    }
    if !(options.seconds > 0.0 && options.seconds < 1e6) {
        return Err("--seconds must be a time, such as 10".to_owned());
    }
    let patience = Duration::from_secs_f64(options.seconds);
    let (mut columns, mut skipped) = (Vec::new(), Vec::new());
    for (name, command) in commands(options, &suite)? {
        match Adapter::start(&name, command, patience) {
            Ok(mut adapter) => {
                if !options.json {
                    eprintln!("{}: {} questions", adapter.about.version, questions.len());
                }
                columns.push(column(&mut adapter, &questions));
            }
            Err(Failure::Missing(how)) => {
                eprintln!("{name} is left out: {how}");
                skipped.push((name, how));
            }
            Err(Failure::Broken(what)) => {
                eprintln!("{name} is left out: its adapter does not work ({what})");
                skipped.push((name, what));
            }
        }
    }
    if options.json {
        println!("{}", report::json(&questions, &columns, &skipped));
    } else {
        print!("{}", report::text(&questions, &columns, options.verbose));
    }
    if let Some(path) = &options.markdown {
        section::write(path, "conformance", &report::markdown(&questions, &columns))?;
    }
    let mut ours = columns.iter().filter(|column| column.name == "clearance");
    Ok(ours.all(|column| report::count(&questions, column, |_| true).is_all_right()))
}

/// The names and commands of all adapters of the run.
fn commands(options: &Options, suite: &std::path::Path) -> Result<Vec<(String, Vec<String>)>, String> {
    let python = options.python.clone().or_else(|| std::env::var("CONFORM_PYTHON").ok());
    let python = python.unwrap_or_else(|| "python3".to_owned());
    let mut own = Vec::new();
    for adapter in &options.adapter {
        let (name, command) =
            adapter.split_once('=').ok_or_else(|| format!("--adapter {adapter}: write NAME=COMMAND"))?;
        own.push((name.to_owned(), command.split_whitespace().map(str::to_owned).collect()));
    }
    let is_own = |name: &str| own.iter().any(|(known, _): &(String, Vec<String>)| known == name);
    let wanted: Vec<String> = match &options.against[..] {
        [] if own.is_empty() => KNOWN.map(str::to_owned).to_vec(),
        names => names.iter().filter(|name| !is_own(name)).cloned().collect(),
    };
    let mut all = Vec::new();
    for name in wanted {
        let command = adapter::command(&name, suite, &python)?;
        all.push((name, command));
    }
    all.extend(own);
    Ok(all)
}

/// Sends all questions to a library.
fn column(adapter: &mut Adapter, questions: &[Question]) -> Column {
    let outcomes = questions.iter().map(|question| outcome(adapter, question)).collect();
    Column { name: adapter.name.clone(), about: adapter.about.clone(), outcomes }
}

fn outcome(adapter: &mut Adapter, question: &Question) -> Outcome {
    let tolerances = adapter.about.tolerances();
    if let Some(why) = not_asked(question, &adapter.about.lacks, tolerances) {
        let verdict = Verdict::Unsupported(why);
        return Outcome { verdict: verdict.clone(), as_written: verdict, bad: None };
    }
    let (mut all, mut as_written, mut bad) = (None, None, None);
    for variant in variants::all(question) {
        let reply = adapter.ask(&variant.line);
        let verdict = judge(question, &variant.line, &reply, tolerances);
        let is_bad = matches!(verdict, Verdict::Wrong(_) | Verdict::Crash(_) | Verdict::Hang);
        if is_bad && bad.is_none() {
            bad = Some((variant.how, told(&reply)));
        }
        // The other variants cannot change these verdicts: a library lacks a query in every variant, and a crash or a hang stays one.
        let is_done = matches!(verdict, Verdict::Unsupported(_) | Verdict::Crash(_) | Verdict::Hang);
        as_written.get_or_insert_with(|| verdict.clone());
        all = Some(match all {
            None => verdict,
            Some(before) => Verdict::and(before, verdict),
        });
        if is_done {
            break;
        }
    }
    let nothing = || Verdict::Unsupported("nothing was asked".to_owned());
    Outcome { verdict: all.unwrap_or_else(nothing), as_written: as_written.unwrap_or_else(nothing), bad }
}

fn told(reply: &Reply) -> String {
    match reply {
        Reply::Line(answer) => answer.to_string(),
        Reply::Garbled(text) => text.clone(),
        Reply::Died(how) => how.clone(),
        Reply::Hung => "nothing".to_owned(),
    }
}
