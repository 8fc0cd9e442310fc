//! A scene from a file, and what is close in it: `clearance check` in a few lines.
//!
//! `cargo run --release --example scene_file [SCENE.json]`

use clearance::depth::DepthBudget;
use clearance_io::{Folder, Scene, read_mesh};
use std::path::{Path, PathBuf};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let named = std::env::args().nth(1).map(PathBuf::from).filter(|path| path.exists());
    // ANCHOR: read
    // Files are untrusted: what is wrong with one is an error of one sentence, with its place.
    let scene = Scene::read(&named.clone().unwrap_or_else(|| data.join("cell.json")))?;
    let bad = r#"{"format": "clearance-scene/1", "bodies": [{"name": "ball", "shape": {"sphere": {"radius": -1}}}]}"#;
    let fault = Scene::parse(bad, "bad.json", &Folder::none()).unwrap_err().to_string();
    println!("{fault}");
    assert!(fault.starts_with("bad.json, line 1, column "));
    // ANCHOR_END: read

    // ANCHOR: check
    let mut world = scene.to_world(0.05);
    let names: Vec<_> = world.bodies().map(|(id, _)| id).zip(scene.bodies.iter().map(|body| &body.name)).collect();
    let name = |id| names.iter().find(|(other, _)| *other == id).map_or("?", |(_, name)| name.as_str());
    world.update();
    for pair in world.last_update().within(0.05) {
        let c = pair.clearance.ok_or("a world answers with clearances")?;
        println!("{} and {}: {} in [{}, {}]", name(pair.a), name(pair.b), c.distance, c.lower, c.upper);
        if c.is_overlapping()
            && let Some(way) = world.depth(pair.a, pair.b, DepthBudget::default(), None)
        {
            println!("  {} comes free by {}", name(pair.a), way.translation);
        }
    }
    // ANCHOR_END: check
    if named.is_none() {
        assert_eq!(
            (world.len(), world.last_update().overlapping().count(), world.last_update().within(0.05).count()),
            (4, 1, 2)
        );
    }

    // ANCHOR: mesh
    // A mesh file is a list of bodies: triangles, a name, a pose.
    let file = read_mesh(&data.join("pin.stl"))?;
    let pin = file.shape()?; // all bodies as one shape
    println!("pin.stl: {} bodies, {:?}", file.bodies.len(), pin.as_mesh().map(|mesh| mesh.report()));
    // ANCHOR_END: mesh
    assert!(pin.as_mesh().is_some_and(|mesh| mesh.is_solid()));
    Ok(())
}
