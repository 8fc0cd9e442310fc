//! The evidence file of a check: a header, a table of shapes, the lines of all pairs, and a trailer.
//!
//! ```text
//! {"format":"clearance-evidence/1","files":[…],"bodies":[…],"ignore":[…],"pairs":6,"margin":0.0,"until":2.0,…}
//! {"define":"0","shape":SHAPE}                      every different shape once
//! {"id":["gate","post"],"impact":…,"request":{"query":"impact","a":"2","b":"1",…},"proof":…}
//! {"end":"clearance-evidence/1","lines":11,"sha256":"…"}
//! ```
//!
//! The header says what was checked: which files with which bytes, which bodies, which pairs of them, and every option that changes
//! the question. A reader who has the scene makes the same header from it and compares. The trailer has the number of lines before it and
//! the SHA-256 of all bytes before it, so that a file which breaks off or was altered by accident is noticed without the scene. Hashes do not
//! stop a forger, who can compute them again: only the comparison with the scene does ([`EvidenceReader`](super::EvidenceReader)).

use crate::files::{FileHash, hexadecimal};
use crate::rules::Labels;
use crate::scene::Scene;
use crate::unit::Unit;
use clearance_verify as verify;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

/// The format that is written and read, as header and trailer state it.
pub const EVIDENCE_FORMAT: &str = "clearance-evidence/1";

/// The question of a check, beside the scene itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    /// The files that the scene was read from.
    pub files: Vec<FileHash>,
    /// Pairs within this distance are listed.
    pub margin: f64,
    /// The end of the interval of time, which begins at 0; `None` for bodies that rest.
    pub until: Option<f64>,
    /// Are mesh files replaced by their convex hulls?
    pub hull: bool,
    /// The factor of the lengths of mesh files.
    pub scale: Option<f64>,
    /// The unit that is checked in, if it is known.
    pub unit: Option<Unit>,
}

/// The first line of the evidence of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`EVIDENCE_FORMAT`].
    pub format: String,
    /// The files that the scene was read from, scenes and meshes, with their hashes.
    pub files: Vec<FileHash>,
    /// The bodies, in the order of the scene.
    pub bodies: Vec<HeaderBody>,
    /// Pairs of names that are not checked, in the order of the bodies.
    pub ignore: Vec<[String; 2]>,
    /// The rules, as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// How many pairs are checked: all but those of one group, those ignored and those that rules take out.
    pub pairs: u64,
    /// The margin; 0 if none was given.
    pub margin: f64,
    /// The end of the interval of time, or null for bodies that rest.
    pub until: Option<f64>,
    /// Are mesh files replaced by their convex hulls?
    pub hull: bool,
    /// The factor of the lengths of mesh files, or null.
    pub scale: Option<f64>,
    /// The symbol of the unit that was checked in, or null.
    pub unit: Option<String>,
}

/// A body in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderBody {
    /// Its name.
    pub name: String,
    /// The name of its shape in the table of shapes; `None` if the checker does not know such shapes.
    pub shape: Option<String>,
    /// Its group, whose bodies are not checked against each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its layer, if there are rules, which may select by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The file that it comes from, if there are rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl HeaderBody {
    /// The properties that rules select by.
    pub(super) fn labels(&self) -> Labels<'_> {
        let Self { name, group, layer, file, .. } = self;
        Labels { name, group: group.as_deref(), layer: layer.as_deref(), file: file.as_deref() }
    }
}

/// The last line of the evidence of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trailer {
    /// [`EVIDENCE_FORMAT`].
    pub end: String,
    /// How many lines there are before this one.
    pub lines: u64,
    /// The SHA-256 of all bytes before this line, in hexadecimal digits.
    pub sha256: String,
}

impl Header {
    /// The header of a check of a scene, whose bodies say how they were written.
    #[must_use]
    pub fn of(scene: &Scene, asked: &Asked) -> Self {
        let mut names = ShapeNames::default();
        let rules: Vec<String> = scene.rules.all().iter().map(ToString::to_string).collect();
        let label = |label: &Option<String>| label.clone().filter(|_| !rules.is_empty());
        let bodies: Vec<HeaderBody> = scene
            .bodies
            .iter()
            .map(|body| HeaderBody {
                name: body.name.clone(),
                shape: body.written.as_ref().map(|written| names.name(&written.shape)),
                group: body.group.clone(),
                layer: label(&body.tags.layer),
                file: label(&body.tags.file),
            })
            .collect();
        let mut ignore: Vec<[usize; 2]> = scene.ignore.iter().copied().collect();
        ignore.sort_unstable();
        let Asked { files, margin, until, hull, scale, unit } = asked.clone();
        Self {
            format: EVIDENCE_FORMAT.into(),
            files,
            bodies,
            ignore: ignore.into_iter().map(|pair| pair.map(|index| scene.bodies[index].name.clone())).collect(),
            rules,
            pairs: scene.count_checked(),
            margin,
            until,
            hull,
            scale,
            unit: unit.map(|unit| unit.symbol().to_owned()),
        }
    }

    /// The first difference from the header that a scene has, as a sentence; files are compared by their bytes and not by their names.
    #[must_use]
    pub fn difference(&self, scene: &Self) -> Option<String> {
        let Self { format, files, bodies, ignore, rules, pairs, margin, until, hull, scale, unit } = self;
        if *format != scene.format {
            return Some(format!("the format is {format:?}, but only {EVIDENCE_FORMAT:?} can be checked"));
        }
        let of = |value: Option<f64>| value.map_or("none".to_owned(), |value| value.to_string());
        if *until != scene.until {
            let (found, wanted) = (of(*until), of(scene.until));
            return Some(format!("the evidence has until = {found}, but until = {wanted} is demanded; see --until"));
        }
        if *margin != scene.margin {
            let wanted = scene.margin;
            return Some(format!(
                "the evidence has margin = {margin}, but margin = {wanted} is demanded; see --margin"
            ));
        }
        if (*hull, scale, unit) != (scene.hull, &scene.scale, &scene.unit) {
            let text = |hull: bool, scale: Option<f64>, unit: &Option<String>| {
                format!("hull = {hull}, scale = {}, unit = {}", of(scale), unit.as_deref().unwrap_or("none"))
            };
            let (found, wanted) = (text(*hull, *scale, unit), text(scene.hull, scene.scale, &scene.unit));
            return Some(format!("the evidence has {found}, but the scene is read with {wanted}"));
        }
        if *rules != scene.rules {
            return Some("the rules are not those of the scene and of --rule; check again".into());
        }
        let names = |header: &Self| header.bodies.iter().map(|body| body.name.clone()).collect::<Vec<_>>();
        if names(self) != names(scene) {
            return Some("the bodies are not those of the scene; it is evidence of another scene".into());
        }
        if let Some(changed) = scene.files.iter().zip(files).find(|(wanted, found)| wanted.sha256 != found.sha256) {
            let name = &changed.0.name;
            return Some(format!("{name} is not the file that was checked: its bytes have changed; check again"));
        }
        if files.len() != scene.files.len() {
            return Some("the scene was read from another number of files; check again".into());
        }
        if (bodies, ignore, pairs) != (&scene.bodies, &scene.ignore, &scene.pairs) {
            return Some("the groups, ignored pairs or shapes of bodies are not those of the scene".into());
        }
        None
    }

    /// Every shape of the table with its name, once.
    pub fn shapes<'s>(&self, scene: &'s Scene) -> Vec<(String, &'s Arc<verify::Shape>)> {
        let mut shapes: Vec<(String, &Arc<verify::Shape>)> = Vec::new();
        for (of, body) in self.bodies.iter().zip(&scene.bodies) {
            // Names are numbers that count up, so a shape is new if its number is the next one.
            if let (Some(name), Some(written)) = (&of.shape, &body.written)
                && *name == shapes.len().to_string()
            {
                shapes.push((name.clone(), &written.shape));
            }
        }
        shapes
    }
}

/// Shapes by their contents, with numbers for names.
#[derive(Default)]
struct ShapeNames {
    by_address: HashMap<*const verify::Shape, usize>,
    by_content: HashMap<[u8; 32], usize>,
}

impl ShapeNames {
    fn name(&mut self, shape: &Arc<verify::Shape>) -> String {
        let number = *self.by_address.entry(Arc::as_ptr(shape)).or_insert_with(|| {
            let mut hash = HashWriter::default();
            // Hashing cannot fail, and shapes are numbers and names.
            let _ = serde_json::to_writer(&mut hash, &**shape);
            let next = self.by_content.len();
            *self.by_content.entry(hash.0.finalize().into()).or_insert(next)
        });
        number.to_string()
    }
}

#[derive(Default)]
struct HashWriter(Sha256);

impl Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts and hashes lines: what a trailer says, and what it is compared with.
#[derive(Debug, Clone, Default)]
pub struct LineHash {
    lines: u64,
    hash: Sha256,
}

impl LineHash {
    /// Adds a line with its line break.
    pub fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        self.hash.update(line);
    }

    /// The trailer behind these lines.
    #[must_use]
    pub fn trailer(&self) -> Trailer {
        let sha256 = hexadecimal(&self.hash.clone().finalize());
        Trailer { end: EVIDENCE_FORMAT.into(), lines: self.lines, sha256 }
    }
}

/// Writes the evidence of a check.
pub struct EvidenceWriter<W> {
    out: W,
    written: LineHash,
}

#[derive(Serialize)]
struct Definition<'a> {
    define: &'a str,
    shape: &'a verify::Shape,
}

impl<W: Write> EvidenceWriter<W> {
    /// Writes the header and the table of shapes.
    pub fn new(out: W, header: &Header, scene: &Scene) -> io::Result<Self> {
        let mut writer = Self { out, written: LineHash::default() };
        writer.line(&serde_json::to_string(header)?)?;
        for (name, shape) in header.shapes(scene) {
            writer.line(&serde_json::to_string(&Definition { define: &name, shape })?)?;
        }
        Ok(writer)
    }

    /// Writes a line, which is given without its line break.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        let line = [text.as_bytes(), b"\n"].concat();
        self.written.add(&line);
        self.out.write_all(&line)
    }

    /// Writes the trailer.
    pub fn finish(mut self) -> io::Result<()> {
        let trailer = self.written.trailer();
        self.line(&serde_json::to_string(&trailer)?)
    }
}
