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

/// Period in which folders are compared with those that were watched: one that is renamed and made again sends no events of its own.
const ROUND: Duration = Duration::from_millis(500);

/// Checks, and again after every change. Only a closed pipe or a watch that cannot be set up end it.
pub fn run(args: &CheckArgs) -> Result<Outcome, String> {
    let (send, changes) = mpsc::channel();
    let tell = move |event: notify::Result<Event>| {
        // The receiver lives as long as this watcher.
        let _ = send.send(event);
    };
    let fault = |error: notify::Error| format!("files cannot be watched: {error}");
    let watcher = notify::recommended_watcher(tell).map_err(fault)?;
    let folders =
        folders(&args.scene.inputs).into_iter().map(|(path, has_below)| Watched { path, has_below, id: None });
    let mut watch = Watch { watcher, folders: folders.collect(), changes };
    for index in 0..watch.folders.len() {
        watch.begin(index).map_err(fault)?;
    }
    loop {
        if let Err(sentence) = once(args) {
            output::complain(&sentence);
        }
        let Some(changed) = watch.next() else { return Ok(Outcome::Good) };
        if !args.json {
            let name = changed.file_name().unwrap_or(changed.as_os_str()).to_string_lossy().into_owned();
            let line = writeln!(io::stdout().lock(), "\n{} has changed.\n", output::printable(&name));
            if line.is_err() {
                return Ok(Outcome::Good);
            }
        }
    }
}

struct Watch<W> {
    watcher: W,
    folders: Vec<Watched>,
    changes: Receiver<notify::Result<Event>>,
}

/// A folder that is watched.
struct Watched {
    path: PathBuf,
    /// Do folders below it matter as well?
    has_below: bool,
    /// Which folder it was when the watch began; `None` if it was not there.
    id: Option<FolderId>,
}

/// The identity of a folder: another one of the same name has another.
type FolderId = (u64, u64);

#[cfg(unix)]
fn id_of(folder: &Path) -> Option<FolderId> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// By the time when it was made.
#[cfg(not(unix))]
fn id_of(folder: &Path) -> Option<FolderId> {
    let made = std::fs::metadata(folder).and_then(|metadata| metadata.created()).ok()?;
    let since = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((since.as_secs(), since.subsec_nanos().into()))
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

impl<W: Watcher> Watch<W> {
    /// Watches a folder as it is now.
    fn begin(&mut self, index: usize) -> notify::Result<()> {
        let Watched { path, has_below, id } = &mut self.folders[index];
        *id = id_of(path);
        // A folder may have more below it than a system can watch.
        let is_watched = *has_below && self.watcher.watch(path, RecursiveMode::Recursive).is_ok();
        if is_watched { Ok(()) } else { self.watcher.watch(path, RecursiveMode::NonRecursive) }
    }

    /// Waits until a file has changed that a check may read, and nothing more changes. `None` if the watch has ended.
    fn next(&mut self) -> Option<PathBuf> {
        let mut changed = None;
        loop {
            let patience = if changed.is_some() { QUIET } else { ROUND };
            let event = match self.changes.recv_timeout(patience) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => {
                    let replaced = self.replaced();
                    if changed.is_some() && replaced.is_none() {
                        return changed;
                    }
                    changed = replaced.or(changed);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            };
            let Ok(event) = event else { continue };
            // Reading is no change, or every check would be the reason for the next.
            if matches!(event.kind, EventKind::Access(_)) {
                continue;
            }
            // The numbers of a glTF file may be in a file of their own.
            let matters =
                |path: &&PathBuf| load::is_input(path) || path.extension().is_some_and(|ending| ending == "bin");
            changed = event.paths.iter().find(matters).cloned().or(changed);
        }
    }

    /// A folder that is another one than when its watch began, or gone; it is watched anew if it is there.
    fn replaced(&mut self) -> Option<PathBuf> {
        let is_replaced = |folder: &Watched| id_of(&folder.path) != folder.id;
        let index = self.folders.iter().position(is_replaced)?;
        // The old watch may have ended with its folder.
        let _ = self.watcher.unwatch(&self.folders[index].path);
        // A folder that is not there is looked for in the next round.
        let _ = self.begin(index);
        Some(self.folders[index].path.clone())
    }
}
