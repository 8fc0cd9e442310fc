//! The JSON text of a glTF file, as far as it tells where faces are, and the chunks of a binary one.

use super::super::content::{HEAD, MARK, refuse_other_mesh};
use super::super::text::one_line;
use crate::error::{Error, Place};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;

/// The most objects in the text. Limit: each takes about 100 bytes of memory however short its text is, so that all take at most 400 MB.
const MAX_OBJECTS: usize = 1 << 22;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Asset,
    scene: Option<u32>,
    #[serde(default)]
    scenes: Vec<Scene>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<View>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub extensions_required: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Asset {
    pub version: String,
}

#[derive(Debug, Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    pub mesh: Option<u32>,
    #[serde(default)]
    pub children: Vec<u32>,
    pub matrix: Option<Box<[f64; 16]>>,
    pub translation: Option<Box<[f64; 3]>>,
    pub rotation: Option<Box<[f64; 4]>>,
    pub scale: Option<Box<[f64; 3]>>,
    pub skin: Option<u32>,
    #[serde(default)]
    pub weights: Vec<f64>,
    #[serde(default)]
    pub extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Extensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    instancing: Option<IgnoredAny>,
}

impl Extensions {
    pub fn has_instancing(&self) -> bool {
        self.instancing.is_some()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
    #[serde(default)]
    pub weights: Vec<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<u32>,
    /// Triangles, if the file does not say.
    #[serde(default = "triangles")]
    pub mode: u32,
    #[serde(default)]
    targets: Vec<IgnoredAny>,
}

impl Primitive {
    pub fn has_targets(&self) -> bool {
        !self.targets.is_empty()
    }
}

const fn triangles() -> u32 {
    4
}

#[derive(Debug, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<u32>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub buffer: u32,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: u64,
}

impl Document {
    /// Does the file choose among its nodes?
    pub fn has_scene(&self) -> bool {
        !self.scenes.is_empty()
    }

    /// The nodes to begin with: those of the scene that is to be shown, or of the first, or all that are inside of no other.
    pub fn roots(&self) -> Result<Vec<u32>, String> {
        if let Some(scene) = self.scenes.get(self.scene.unwrap_or(0) as usize) {
            return Ok(scene.nodes.clone());
        }
        if let Some(scene) = self.scene {
            return Err(format!("scenes[{scene}] is not there; export the file again"));
        }
        let mut is_root = vec![true; self.nodes.len()];
        for &child in self.nodes.iter().flat_map(|node| &node.children) {
            if let Some(is_root) = is_root.get_mut(child as usize) {
                *is_root = false;
            }
        }
        Ok((0..).zip(is_root).filter(|(_, is_root)| *is_root).map(|(index, _)| index).collect())
    }
}

/// The text of a file, and the bytes behind it in a binary one.
pub(super) fn read<'a>(bytes: &'a [u8], name: &str) -> Result<(Document, Option<&'a [u8]>), Error> {
    let is_binary = name.to_ascii_lowercase().ends_with(".glb");
    let head = &bytes[..bytes.len().min(HEAD)];
    let (text, chunk) = if is_binary {
        refuse_other_mesh(head, name)?;
        split(bytes).map_err(|(byte, message)| Error::Mesh { place: Place::file(name).at_byte(byte), message })?
    } else {
        let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
        if !text.trim_ascii_start().starts_with(b"{") {
            refuse_other_mesh(head, name)?;
        }
        (text, None)
    };
    if text.iter().filter(|&&byte| byte == b'{').count() > MAX_OBJECTS {
        let message = format!("the text has more than {MAX_OBJECTS} objects; split the file");
        return Err(Error::Mesh { place: Place::file(name), message });
    }
    let document = serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        // Version 1 has objects where version 2 has lists.
        if message.starts_with("invalid type: map, expected a sequence") {
            let message = "this is glTF 1.0; export it as glTF 2.0".into();
            return Error::Mesh { place: Place::file(name), message };
        }
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        let way_out = if error.classify() == Category::Eof { "it is cut off" } else { "it is damaged" };
        let place = Place::file(name).at_line(line as u64).at_column(column as u64);
        let message = format!("this is no glTF text ({}); {way_out}, export it again", one_line(message));
        Error::Mesh { place, message }
    })?;
    Ok((document, chunk))
}

/// The text of a binary file, and the bytes behind it.
type Chunks<'a> = (&'a [u8], Option<&'a [u8]>);

/// The chunks of a binary file: text, and bytes if there are any. Chunks of other kinds may follow and are passed over.
fn split(bytes: &[u8]) -> Result<Chunks<'_>, (u64, String)> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    let (Some(b"glTF"), Some(version), Some(length)) = (bytes.get(..4), word(4), word(8)) else {
        return Err((0, "a binary glTF file begins with glTF and 8 bytes more; export it again".into()));
    };
    if version != 2 {
        return Err((4, format!("this is version {version} of binary glTF; export it as glTF 2.0")));
    }
    if u64::from(length) != bytes.len() as u64 {
        return Err((
            8,
            format!(
                "the head claims {length} bytes, but the file has {}; it is cut off or damaged, export it again",
                bytes.len()
            ),
        ));
    }
    let chunk = |at: usize, kind: &[u8; 4]| {
        let length = word(at)? as usize;
        let is_right = bytes.get(at + 4..at + 8)? == kind;
        is_right.then(|| bytes.get(at + 8..(at + 8).checked_add(length)?)).flatten()
    };
    let Some(text) = chunk(12, b"JSON") else {
        return Err((12, "there is no whole chunk JSON here; the file is damaged, export it again".into()));
    };
    let next = 20 + text.len();
    if next == bytes.len() {
        return Ok((text, None));
    }
    match chunk(next, b"BIN\0") {
        Some(chunk) => Ok((text, Some(chunk))),
        None => Err((next as u64, "there is no whole chunk BIN here; the file is damaged, export it again".into())),
    }
}
