//! The adapters that are written in Rust: this program as a process of its own, lines in and answers out.

mod ours;
mod parry32;
mod parry64;

use crate::case::FORMAT;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// Answers lines of the standard input until there are no more.
pub fn run(name: &str) -> Result<(), String> {
    let (about, answer): (Value, fn(&str) -> String) = match name {
        "clearance" => (ours::about(), ours::answer),
        "parry3d-f64" => (parry64::about(), parry64::answer),
        "parry3d" => (parry32::about(), parry32::answer),
        other => return Err(format!("{other} is served by another program")),
    };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let is_greeting = line.contains("\"protocol\"") && line.contains(FORMAT);
        let answer = if is_greeting { about.to_string() } else { answer(&line) };
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A number that JSON may not have.
fn number(value: f64) -> Value {
    match value {
        _ if value.is_nan() => json!("NaN"),
        f64::NEG_INFINITY => Value::Null,
        _ if value.is_infinite() => json!("inf"),
        _ => json!(value),
    }
}
