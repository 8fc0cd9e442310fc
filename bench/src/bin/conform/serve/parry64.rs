//! `parry3d-f64`.

use parry3d_f64 as parry;

#[path = "parry.rs"]
mod adapter;

pub use adapter::answer;

pub fn about() -> serde_json::Value {
    // Meshes are surfaces to it, but for points and rays.
    serde_json::json!({"version": "parry3d-f64 0.31.1", "precision": "double", "lacks": ["solid"]})
}
