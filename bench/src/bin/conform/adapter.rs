//! A library behind an adapter: a process that reads a query line and writes an answer line. The driver starts it again when it dies or hangs.
//!
//! The first line is `{"protocol": "clearance-conformance/1"}`, and its answer names the library. A program without this protocol, like `clearance
//! query`, answers with an error. The driver then assumes double precision and support for all queries.

use crate::case::FORMAT;
use crate::judge::{Reply, Tolerances};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long a library may take to start: some of them load for seconds.
const START: Duration = Duration::from_secs(120);

/// The description of a library by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// The library and its version.
    pub version: String,
    pub is_single: bool,
    /// The needs of questions that the library does not have. Such questions are left out.
    pub lacks: Vec<String>,
}

impl About {
    fn of(name: &str, answer: &Value) -> Self {
        let lacks = answer["lacks"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Self {
            version: answer["version"].as_str().map_or_else(|| name.to_owned(), str::to_owned),
            is_single: answer["precision"] == "single",
            lacks: lacks.collect(),
        }
    }

    pub fn tolerances(&self) -> Tolerances {
        if self.is_single { Tolerances::SINGLE } else { Tolerances::DOUBLE }
    }
}

/// The reason why a library cannot answer at all.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// Its package is not installed; the way to get it.
    Missing(String),
    /// The adapter does not work.
    Broken(String),
}

/// A process that is running.
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A library that answers.
pub struct Adapter {
    pub name: String,
    pub about: About,
    command: Vec<String>,
    running: Option<Running>,
    patience: Duration,
}

impl Adapter {
    /// Starts the process and reads the description of the library.
    pub fn start(name: &str, command: Vec<String>, patience: Duration) -> Result<Self, Failure> {
        let mut adapter = Self { name: name.to_owned(), about: About::default(), command, running: None, patience };
        let answer = adapter.greet()?;
        adapter.about = About::of(name, &answer);
        Ok(adapter)
    }

    /// Starts the process if it is not running.
    fn greet(&mut self) -> Result<Value, Failure> {
        let broken = |what: String| Failure::Broken(what);
        self.running = Some(spawn(&self.command).map_err(broken)?);
        match self.exchange(&json!({"protocol": FORMAT}).to_string(), START) {
            Reply::Line(answer) => match answer["missing"].as_str() {
                Some(what) => Err(Failure::Missing(what.to_owned())),
                None => Ok(answer),
            },
            Reply::Garbled(text) => Err(broken(format!("it answered {text}"))),
            Reply::Died(how) => Err(broken(format!("it did not start: {how}"))),
            Reply::Hung => Err(broken("it did not say who it is".to_owned())),
        }
    }

    /// The answer to a line; starts the process again if it has ended.
    pub fn ask(&mut self, line: &Value) -> Reply {
        if self.running.is_none()
            && let Err(failure) = self.greet()
        {
            return Reply::Died(format!("it could not be started again: {failure:?}"));
        }
        self.exchange(&line.to_string(), self.patience)
    }

    /// Writes one line and reads one. Removes a process that died or hangs.
    fn exchange(&mut self, line: &str, patience: Duration) -> Reply {
        let Some(running) = &mut self.running else { return Reply::Died("it is not running".to_owned()) };
        let sent = writeln!(running.input, "{line}").and_then(|()| running.input.flush());
        let reply = match running.lines.recv_timeout(patience) {
            Ok(text) => match serde_json::from_str(&text) {
                Ok(answer) => return Reply::Line(answer),
                Err(_) => return Reply::Garbled(text.chars().take(200).collect()),
            },
            Err(RecvTimeoutError::Timeout) => Reply::Hung,
            Err(RecvTimeoutError::Disconnected) => Reply::Died(how_it_ended(running, sent.is_err())),
        };
        self.running = None;
        reply
    }
}

/// The end of a process in words.
fn how_it_ended(running: &mut Running, is_early: bool) -> String {
    match running.child.wait() {
        Ok(status) if is_early => format!("{status}, before it could be asked"),
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }
}

fn spawn(command: &[String]) -> Result<Running, String> {
    let (program, arguments) = command.split_first().ok_or("the command is empty")?;
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Warnings of libraries are no answers.
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("{program} cannot be started ({error})"))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no pipes".to_owned());
    };
    let (sender, lines) = channel();
    // A thread of its own, so that waiting for a line can end. It ends with the process.
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Ok(Running { child, input, lines })
}

/// The libraries that have an adapter here, and the command of each.
pub const KNOWN: [&str; 6] = ["clearance", "parry3d-f64", "parry3d", "coal", "python-fcl", "mujoco"];

/// The command of a known library: this program itself, or a Python program of the suite.
pub fn command(name: &str, suite: &Path, python: &str) -> Result<Vec<String>, String> {
    match name {
        "clearance" | "parry3d-f64" | "parry3d" => {
            let own = std::env::current_exe().map_err(|error| format!("this program cannot find itself ({error})"))?;
            Ok(vec![own.to_string_lossy().into_owned(), "--serve".to_owned(), name.to_owned()])
        }
        "coal" | "python-fcl" | "mujoco" => {
            let file = format!("{}.py", name.trim_start_matches("python-"));
            let path = suite.join("adapters").join(format!("adapt_{file}"));
            Ok(vec![python.to_owned(), path.to_string_lossy().into_owned()])
        }
        other => {
            Err(format!("no library is called {other:?}; there are {}, and --adapter NAME=COMMAND", KNOWN.join(", ")))
        }
    }
}
