//! Every example is a test: each has a `main` that asserts what it shows.

#![cfg(test)]

#[path = "arm.rs"]
mod arm;
#[path = "bouncing.rs"]
mod bouncing;
#[path = "broad_phase.rs"]
mod broad_phase;
#[path = "contacts.rs"]
mod contacts;
#[path = "custom_shape.rs"]
mod custom_shape;
#[path = "depth_of_solids.rs"]
mod depth_of_solids;
#[path = "engines.rs"]
mod engines;
#[path = "events.rs"]
mod events;
#[path = "first_query.rs"]
mod first_query;
#[path = "gpu_batch.rs"]
mod gpu_batch;
#[path = "hull_of_a_cloud.rs"]
mod hull_of_a_cloud;
#[path = "interop.rs"]
mod interop;
#[path = "million_poses.rs"]
mod million_poses;
#[path = "moving.rs"]
mod moving;
#[path = "pieces.rs"]
mod pieces;
#[path = "proof.rs"]
mod proof;
#[path = "rays.rs"]
mod rays;
#[path = "robot.rs"]
mod robot;
#[path = "scene_file.rs"]
mod scene_file;
#[path = "shapes_of_shapes.rs"]
mod shapes_of_shapes;
#[path = "simulation.rs"]
mod simulation;
#[path = "solids.rs"]
mod solids;
#[path = "trajectories.rs"]
mod trajectories;
#[path = "two_parts.rs"]
mod two_parts;
#[path = "world_queries.rs"]
mod world_queries;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn an_arm_among_obstacles() -> Outcome {
    arm::main()
}

#[test]
fn from_impact_to_impact() -> Outcome {
    bouncing::main()
}

#[test]
fn points_of_contact() -> Outcome {
    contacts::main()
}

#[test]
fn a_simulation() -> Outcome {
    simulation::main()
}

#[test]
fn a_batch_on_a_gpu() -> Outcome {
    gpu_batch::main()
}

#[test]
fn a_robot() -> Outcome {
    robot::main()
}

#[test]
fn a_custom_shape() -> Outcome {
    custom_shape::main()
}

#[test]
fn how_deep_solids_are() -> Outcome {
    depth_of_solids::main()
}

#[test]
fn one_pair_and_every_engine() -> Outcome {
    engines::main()
}

#[test]
fn bodies_with_events() -> Outcome {
    events::main()
}

#[test]
fn a_first_query() -> Outcome {
    first_query::main()
}

#[test]
fn the_hull_of_a_cloud() -> Outcome {
    hull_of_a_cloud::main()
}

#[test]
fn json_and_other_vectors() -> Outcome {
    interop::main()
}

#[test]
fn a_million_poses() -> Outcome {
    million_poses::main()
}

#[test]
fn bodies_that_move() -> Outcome {
    moving::main()
}

#[test]
fn a_solid_as_pieces() -> Outcome {
    pieces::main()
}

#[test]
fn an_answer_and_its_proof() -> Outcome {
    proof::main()
}

#[test]
fn rays_and_moving_shapes() -> Outcome {
    rays::main()
}

#[test]
fn a_scene_from_a_file() -> Outcome {
    scene_file::main()
}

#[test]
fn shapes_made_of_shapes() -> Outcome {
    shapes_of_shapes::main()
}

#[test]
fn solids_as_meshes() -> Outcome {
    solids::main()
}

#[test]
fn the_gap_of_two_parts() -> Outcome {
    two_parts::main()
}

#[test]
fn questions_to_a_world() -> Outcome {
    world_queries::main()
}

#[test]
fn ways_of_ones_own() -> Outcome {
    trajectories::main()
}

#[test]
fn a_broad_phase_alone() -> Outcome {
    broad_phase::main()
}

/// The examples of the folder, by their names.
fn examples() -> BTreeSet<String> {
    let entries = fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap().flatten();
    let name =
        |entry: fs::DirEntry| entry.file_name().to_str().and_then(|name| name.strip_suffix(".rs")).map(str::to_owned);
    entries.filter_map(name).filter(|name| name != "lib").collect()
}

#[test]
fn every_example_is_shorter_than_a_page() {
    for name in examples() {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.rs"))).unwrap();
        let lines = text.lines().count();
        assert!(lines < 60, "{name} has {lines} lines");
    }
}

#[test]
fn every_example_is_run_here_and_is_in_the_table_of_the_examples() {
    let here = include_str!("lib.rs");
    let manifest = include_str!("Cargo.toml");
    let readme = include_str!("README.md");
    let listed = readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(".rs` | "));
    let listed: BTreeSet<String> = listed.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(listed, examples());
    for name in examples() {
        assert!(here.contains(&format!("{name}::main()")), "{name} is not run");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} cannot be run by its name");
    }
}
