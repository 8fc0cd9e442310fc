//! The files that were read, with hashes of their bytes: evidence is bound to them.

use super::mesh::{MeshFile, mesh_of, stated_points_of};
use super::read_text_logged;
use crate::error::Error;
use crate::unit::Unit;
use clearance::math::DVec3;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileHash {
    /// The path as it was named.
    pub name: String,
    /// The SHA-256 of its bytes in hexadecimal digits, as `sha256sum` prints it.
    pub sha256: String,
}

/// A list of the files that were read, in the order of reading; clones share one list.
///
/// A log that is [off](Self::off) hashes nothing, so readers without evidence do not pay for it.
#[derive(Debug, Clone, Default)]
pub struct FileLog(Option<Arc<Mutex<Vec<FileHash>>>>);

impl FileLog {
    /// A log that stays empty.
    #[must_use]
    pub fn off() -> Self {
        Self(None)
    }

    /// An empty log.
    #[must_use]
    pub fn on() -> Self {
        Self(Some(Arc::default()))
    }

    /// Does it keep anything?
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The files that were read. A file that was read again is listed again only if its bytes had changed.
    #[must_use]
    pub fn files(&self) -> Vec<FileHash> {
        self.0.as_ref().map_or_else(Vec::new, |list| list.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    pub(crate) fn add(&self, name: &str, bytes: &[u8]) {
        let Some(list) = &self.0 else { return };
        let file = FileHash { name: name.to_owned(), sha256: hexadecimal(&Sha256::digest(bytes)) };
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.contains(&file) {
            list.push(file);
        }
    }

    /// [`read_mesh`](crate::read_mesh), logged with the files that a glTF file names.
    pub fn read_mesh(&self, path: &Path) -> Result<MeshFile, Error> {
        mesh_of(path, &path.display().to_string(), self)
    }

    /// [`read_points`](crate::read_points), logged likewise.
    pub fn read_points(&self, path: &Path) -> Result<(Vec<DVec3>, Option<Unit>), Error> {
        stated_points_of(path, &path.display().to_string(), self)
    }

    /// [`read_text`](crate::read_text), logged.
    pub fn read_text(&self, path: &Path) -> Result<String, Error> {
        read_text_logged(path, self)
    }
}

/// Two digits for every byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
