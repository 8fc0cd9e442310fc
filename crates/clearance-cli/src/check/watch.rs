//! `clearance check --watch`: checks again whenever a file changes.

use super::{load, once};
use crate::args::CheckArgs;
use crate::{Outcome, output};
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Who writes a file writes it in steps: so long nothing must have changed before it is read.
const QUIET: Duration = Duration::from_millis(150);

/// Checks, and again after every change. Only a closed pipe or a watch that cannot be set up end it.
pub fn run(args: &CheckArgs) -> Result<Outcome, String> {
    let (send, changes) = mpsc::channel();
    let tell = move |event: notify::Result<Event>| {
        // The receiver lives as long as this watcher.
        let _ = send.send(event);
    };
    let fault = |error: notify::Error| format!("files cannot be watched: {error}");
    let mut watcher = notify::recommended_watcher(tell).map_err(fault)?;
    for (folder, has_below) in folders(&args.scene.inputs) {
        // A folder may have more below it than a system can watch.
        let is_watched = has_below && watcher.watch(&folder, RecursiveMode::Recursive).is_ok();
        if !is_watched {
            watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(fault)?;
        }
    }
    loop {
        if let Err(sentence) = once(args) {
            output::complain(&sentence);
        }
        let Some(changed) = next(&changes) else { return Ok(Outcome::Good) };
        if !args.json {
            let name = changed.file_name().unwrap_or(changed.as_os_str()).to_string_lossy().into_owned();
            let line = writeln!(io::stdout().lock(), "\n{} has changed.\n", output::printable(&name));
            if line.is_err() {
                return Ok(Outcome::Good);
            }
        }
    }
}

/// The folders of the files, since many programs replace a file instead of writing to it; and whether those below matter as well: scenes
/// name meshes in them.
fn folders(inputs: &[PathBuf]) -> BTreeMap<PathBuf, bool> {
    let mut folders = BTreeMap::new();
    for input in inputs {
        let is_folder = input.is_dir() && !load::is_input(input);
        let parent = input.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = if is_folder { input } else { parent };
        *folders.entry(folder.to_owned()).or_default() |= is_folder || load::is_scene(input);
    }
    folders
}

/// Waits until a file has changed that a check may read, and nothing more changes. Nothing if the watch has ended.
fn next(changes: &Receiver<notify::Result<Event>>) -> Option<PathBuf> {
    let mut changed = None;
    loop {
        let event = match changed {
            None => changes.recv().ok()?,
            Some(_) => match changes.recv_timeout(QUIET) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => return changed,
                Err(RecvTimeoutError::Disconnected) => return None,
            },
        };
        let Ok(event) = event else { continue };
        // Reading is no change, or every check would be the reason for the next.
        if matches!(event.kind, EventKind::Access(_)) {
            continue;
        }
        // The numbers of a glTF file may be in a file of their own.
        let matters = |path: &&PathBuf| load::is_input(path) || path.extension().is_some_and(|ending| ending == "bin");
        changed = event.paths.iter().find(matters).cloned().or(changed);
    }
}
