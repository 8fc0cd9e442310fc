//! Files that are written as a whole or not at all: the one way in which the program writes files.
//!
//! A file is written under a name of its own beside its target and renamed when it is complete. So a full disk, a fault or a signal leaves
//! the old file as it was, and no other file is touched. The new file has the permissions of the old one. A link stays a link: the file
//! that it leads to is replaced. A target that is no regular file, such as a pipe or a device, is written to directly.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};
use tempfile::TempPath;

/// A file that is not complete yet. Dropped before [`Replacement::finish`], it leaves nothing behind.
pub struct Replacement {
    out: BufWriter<File>,
    /// Where it is written and where it will be; nothing for a target that is written to directly.
    places: Option<(TempPath, PathBuf)>,
}

/// The unfinished files, for the handler of signals.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Replacement {
    /// Begins a file; who cannot write it learns so at once.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = followed(path);
        let old = match fs::metadata(&target) {
            Ok(metadata) if metadata.is_file() => Some(metadata.permissions()),
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                let file = File::options().write(true).open(&target)?;
                return Ok(Self { out: BufWriter::new(file), places: None });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // A file that may not be written to is not replaced either.
        if old.is_some() {
            File::options().append(true).open(&target)?;
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::create_in(folder, ".clearance-", "", old)
            .map(|(file, beside)| Self { out: BufWriter::with_capacity(1 << 16, file), places: Some((beside, target)) })
    }

    /// A new file of no other name, which is kept when it is finished.
    pub fn create_new(folder: &Path, prefix: &str, suffix: &str) -> io::Result<(Self, PathBuf)> {
        let (file, place) = Self::create_in(folder, prefix, suffix, private())?;
        let target = place.to_path_buf();
        Ok((Self { out: BufWriter::with_capacity(1 << 16, file), places: Some((place, target.clone())) }, target))
    }

    fn create_in(
        folder: &Path,
        prefix: &str,
        suffix: &str,
        permissions: Option<Permissions>,
    ) -> io::Result<(File, TempPath)> {
        remove_on_signals();
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).suffix(suffix);
        if let Some(permissions) = shared() {
            builder.permissions(permissions);
        }
        // The handler must not come between the file and its entry in the list.
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, place) = builder.tempfile_in(folder)?.into_parts();
        unfinished.push(place.to_path_buf());
        drop(unfinished);
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        Ok((file, place))
    }

    /// Puts the complete file in its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some((place, target)) = self.places.take() else { return Ok(()) };
        let beside = place.to_path_buf();
        // Disks that are full or gone may say so only now.
        let result = self.out.get_ref().sync_all().and_then(|()| match beside == target {
            true => place.keep().map(drop).map_err(io::Error::from),
            false => place.persist(&target).map_err(io::Error::from),
        });
        forget(&beside);
        result
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // The file itself goes with its path.
        if let Some((place, _)) = self.places.take() {
            forget(&place);
        }
    }
}

/// Do two paths lead to one file that is there?
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Where a path leads, links followed; also of a link to a file that is not there yet.
fn followed(path: &Path) -> PathBuf {
    /// Limit: links to follow, as in the kernel of Linux (`MAXSYMLINKS`), so that a cycle of links ends.
    const MOST: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&target) else { break };
        // An absolute path replaces what is before it.
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

fn forget(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
}

/// From now on, a signal that ends the program removes the unfinished files before.
fn remove_on_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler a signal leaves a file behind, which is no reason not to write.
        let _ = ctrlc::set_handler(|| {
            // The lock is kept to the end, so that no file is begun after.
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            for path in unfinished.iter() {
                let _ = fs::remove_file(path);
            }
            std::process::exit(INTERRUPTED);
        });
    });
}

/// The exit code of a program that Ctrl-C stopped. Limit: shells define it as 128 and the number of the signal, which is 2.
const INTERRUPTED: i32 = 130;

/// The permissions of a new file, before the mask of the process.
#[cfg(unix)]
fn shared() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

/// Only by who made it.
#[cfg(unix)]
fn private() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn shared() -> Option<Permissions> {
    None
}

#[cfg(not(unix))]
fn private() -> Option<Permissions> {
    None
}
