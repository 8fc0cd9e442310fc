//! 3MF: XML in a zip archive. Every mesh that the build names, directly or as a component, is a body, in the unit of the file.
//!
//! Objects in other parts of the archive (the production extension) are found. Elements that would be a part of the body without being a
//! triangle (beams, slices, volumes) are refused by name. The size of the archive bounds its content, so that a zip bomb is refused.
//!
//! Why not a crate for 3MF: `threemf` unpacks without a bound and passes over what it does not know, `lib3mf-core` comes with
//! encryption and a model of everything. `zip` and `quick-xml` do what is difficult.

mod model;

use super::content::{HEAD, refuse_other_mesh};
use super::mesh::{Contents, Part};
use super::placement::Placement;
use super::text::one_line;
use crate::error::{Error, Place};
use model::{Component, Model, Object};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::sync::Arc;
use zip::ZipArchive;
use zip::result::ZipError;

/// XML may take `MULTIPLE` times the bytes of the archive, or `SMALL` bytes if that is more. Limit: an archive of a few bytes must not expand
/// without end; exporters reach about 15.
const MULTIPLE: u64 = 64;
const SMALL: u64 = 1 << 24;

/// Instances of objects, at most. Limit: nested components double with every level, so that 20 levels would make a million.
const MAX_INSTANCES: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Contents, Error> {
    let fail = |message: String| Error::Mesh { place: Place::file(name), message };
    if !bytes.starts_with(b"PK\x03\x04") {
        refuse_other_mesh(&bytes[..bytes.len().min(HEAD)], name)?;
        return Err(fail("this is no zip archive, which 3MF files are; export it again".into()));
    }
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| fail(unreadable(&error)))?;
    let left = (MULTIPLE * bytes.len() as u64).clamp(SMALL, super::MAX_FILE_BYTES);
    let mut package = Package { archive, left, models: HashMap::new() };
    let root = package.root().map_err(fail)?;
    package.load(&root).map_err(fail)?;
    let parts = package.parts(&root).map_err(fail)?;
    let unit = package.models[&root].unit;
    Ok(Contents { unit: Some(unit), ..Contents::new(parts, bytes.len()) })
}

fn unreadable(error: &ZipError) -> String {
    format!("the archive cannot be read ({}); the file is damaged, export it again", one_line(error))
}

/// The archive, and what was read of it.
struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// How many bytes may still come out of it.
    left: u64,
    models: HashMap<String, Model>,
}

impl Package<'_> {
    /// A part of the archive, as text.
    fn text(&mut self, path: &str) -> Result<String, String> {
        let shown = crate::json::quoted(path);
        let file = self.archive.by_name(path).map_err(|error| match error {
            ZipError::FileNotFound => format!("the archive has no part {shown}; export the file again"),
            error => unreadable(&error),
        })?;
        let mut bytes = Vec::new();
        let read = file.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| {
            format!("the part {shown} cannot be unpacked ({}); export the file again", one_line(error))
        })?;
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(format!("the part {shown} is {MULTIPLE} times as large as the archive; it was made to burst"));
        };
        self.left = left;
        String::from_utf8(bytes).map_err(|_| format!("the part {shown} is not UTF-8 text; export the file again"))
    }

    /// The path of the model to begin with.
    fn root(&mut self) -> Result<String, String> {
        let text = self.text("_rels/.rels")?;
        let target = model::root(&text).map_err(|message| format!("_rels/.rels, {message}"))?;
        Ok(plain(&target))
    }

    /// Reads a model and those that it names, each once.
    fn load(&mut self, root: &str) -> Result<(), String> {
        let mut open = vec![root.to_owned()];
        while let Some(path) = open.pop() {
            if self.models.contains_key(&path) {
                continue;
            }
            let text = self.text(&path)?;
            let model = Model::read(&text).map_err(|message| format!("{}, {message}", one_line(&path)))?;
            let components = model.objects.values().flat_map(|object| &object.components).chain(&model.items);
            open.extend(components.filter_map(|component| component.path.as_deref()).map(plain));
            self.models.insert(path, model);
        }
        Ok(())
    }

    /// Every mesh of the build, placed.
    fn parts(&self, root: &str) -> Result<Vec<Part>, String> {
        let mut parts = Vec::new();
        let mut instances = 0;
        let mut open = Vec::new();
        let mut add =
            |open: &mut Vec<_>, path: &Arc<str>, list: &[Component], outer: Placement, name: Option<&String>| {
                instances += list.len();
                if instances > MAX_INSTANCES {
                    return Err(
                        "there are more than 65536 instances, or an object is inside itself; export the file again",
                    );
                }
                open.extend(list.iter().rev().map(|component| {
                    let path = component.path.as_deref().map_or_else(|| Arc::clone(path), |path| plain(path).into());
                    (path, component.object, outer.of(component.place), name.cloned())
                }));
                Ok(())
            };
        add(&mut open, &root.into(), &self.models[root].items, Placement::HERE, None)?;
        while let Some((path, id, place, outer_name)) = open.pop() {
            let object = self.models.get(&*path).and_then(|model| model.objects.get(&id));
            let Object { name, polygons, components } = object
                .ok_or_else(|| format!("{}: object {id} is not there; export the file again", one_line(&path)))?;
            let name = name.clone().or(outer_name);
            add(&mut open, &path, components, place, name.as_ref())?;
            if let Some(polygons) = polygons {
                let (matrix, pose) =
                    place.split().map_err(|error| format!("{}: the place of object {id}: {error}", one_line(&path)))?;
                parts.push(Part { name, polygons: Arc::clone(polygons), matrix, pose, exact: None });
            }
        }
        Ok(parts)
    }
}

/// A path of the archive as it is stored there: without the slash in front.
fn plain(path: &str) -> String {
    path.strip_prefix('/').unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests;
