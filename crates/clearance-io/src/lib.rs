//! Reads the input of Clearance: scenes, streams of queries, and the mesh files they name.
//!
//! Everything here is untrusted input, so every reader is strict. A field that is not known is an error, unless its name starts with `_`,
//! which is a comment. Sizes in a header are compared with the size of the file before anything is allocated. A path inside a scene cannot
//! leave the scene's folder. The output is built from the library's own checked
//! types, so no query on it can fail.
//!
//! Meshes are OBJ, STL, PLY, OFF, glTF (.gltf, .glb) and 3MF: [`read_mesh`] has their triangles as bodies ([`MeshFile`]), [`read_hull`]
//! the convex hull of everything. [`write_obj`], [`write_stl`] and [`write_ply`] write triangles.
//!
//! ```
//! use clearance_io::{Folder, Scene};
//!
//! let text = r#"{"format": "clearance-scene/1", "bodies": [
//!     {"name": "ball", "shape": {"sphere": {"radius": 0.5}}},
//!     {"name": "box", "shape": {"cuboid": {"half_extents": [1, -1, 1]}}}]}"#;
//! let error = Scene::parse(text, "cell.json", &Folder::none()).unwrap_err().to_string();
//! assert!(error.starts_with("cell.json, line 3, column "));
//! assert!(error.ends_with("bodies[1].shape.cuboid.half_extents.y is -1, but a size cannot be negative (zero is allowed)"));
//! ```

mod answer;
mod count;
mod error;
mod files;
mod json;
pub mod proof;
mod query;
pub mod rules;
mod scene;
mod unit;

pub use answer::{
    Answer, CheckedPair, ImpactOfPair, PairIssue, PairReview, PairUntil, Witness, WrittenApproach, WrittenDepth,
    WrittenHit,
};
pub use count::counted;
pub use error::{Error, Place};
pub use files::{
    CrossedFaces, FileHash, FileLog, FileNumbers, Folder, MAX_FILE_BYTES, MeshBody, MeshFile, Surface, is_mesh_name,
    open_stream, other_than_text, read_hull, read_mesh, read_points, read_text, write_obj, write_ply, write_stl,
};
pub use json::motion::{Keyframe, Motion};
pub use json::shape::MAX_SHAPE_DEPTH;
pub use query::{Definitions, LineError, MotionsOfPair, Query, QueryKind};
pub use scene::{Body, MeshNumbers, SCENE_SCHEMA, Scene, Tags};
pub use unit::{Unit, UnknownUnit};

/// The example of the package's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
