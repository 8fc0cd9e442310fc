//! The commands of the program: findings of a scene, evidence for answers, and the check of evidence.

use crate::input::{Real, refused};
use crate::query::{margin, poses, search_weight};
use crate::recipe::written;
use crate::shape::Shape;
use crate::threads::{answer, pool};
use clearance::proof::written_pose;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use std::ffi::OsString;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The thread that called looks for signals this often. Limit: a person who presses Ctrl-C does not notice it.
const PATIENCE: Duration = Duration::from_millis(20);

/// Runs a command on threads of its own. A signal ends the waiting, not the command, which has nobody to tell then.
fn command<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<R, String> + Send + 'static,
) -> PyResult<R> {
    let pool = pool(None)?;
    py.detach(move || {
        let (is_done, done) = mpsc::channel();
        pool.spawn(move || {
            // Nobody listens after a signal.
            let _ = is_done.send(work());
        });
        loop {
            match done.recv_timeout(PATIENCE) {
                Ok(result) => return result.map_err(PyValueError::new_err),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the command has failed by a panic; please report it"));
                }
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            }
        }
    })
}

/// The program, with its arguments: the exit code.
#[pyfunction]
pub fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| clearance_cli::run(arguments))
}

/// The output of `clearance check --json`.
#[pyfunction]
pub fn check_json(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Bound<'_, PyBytes>> {
    let bytes = command(py, move || clearance_cli::check_json(arguments))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The output of `clearance verify --json` about lines.
#[pyfunction]
pub fn verify_json<'py>(py: Python<'py>, lines: Vec<u8>, arguments: Vec<OsString>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = command(py, move || clearance_cli::verify_json(&lines[..], arguments))?;
    Ok(PyBytes::new(py, &bytes))
}

/// A query as a line of `clearance query`.
#[derive(Serialize)]
struct Line {
    query: String,
    a: clearance_verify::Shape,
    pose_a: clearance_verify::Pose,
    b: clearance_verify::Shape,
    pose_b: clearance_verify::Pose,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<f64>,
}

/// The line of `clearance query --proof` about two shapes.
#[pyfunction]
pub fn evidence_line(
    py: Python<'_>,
    query: String,
    a: &Bound<'_, Shape>,
    b: &Bound<'_, Shape>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    margin: Option<Real>,
) -> PyResult<String> {
    let ([pose_a, pose_b], a, b) = (poses(pose_a, pose_b)?, a.get(), b.get());
    let of = |shape: &Shape, name: &str| {
        let why =
            || PyValueError::new_err(format!("{name} is a grown mesh or compound, which the checker does not know"));
        written(shape).ok_or_else(why)
    };
    let margin = margin.map(self::margin).transpose()?;
    let line = Line {
        query,
        a: of(a, "a")?,
        pose_a: written_pose(&pose_a),
        b: of(b, "b")?,
        pose_b: written_pose(&pose_b),
        margin,
    };
    let mut text = serde_json::to_string(&line).map_err(refused)?;
    text.push('\n');
    let lines =
        answer(py, search_weight(a, b), || clearance_cli::query_lines(text.as_bytes(), [OsString::from("--proof")]))?;
    String::from_utf8(lines.map_err(PyValueError::new_err)?).map_err(refused)
}
