//! Every example is a test: each has a `main` that asserts what it shows.

#![cfg(test)]

#[path = "arm.rs"]
mod arm;
#[path = "custom_shape.rs"]
mod custom_shape;
#[path = "events.rs"]
mod events;
#[path = "hull_of_a_cloud.rs"]
mod hull_of_a_cloud;
#[path = "million_poses.rs"]
mod million_poses;
#[path = "moving.rs"]
mod moving;
#[path = "rays.rs"]
mod rays;
#[path = "solids.rs"]
mod solids;
#[path = "two_parts.rs"]
mod two_parts;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn the_gap_of_two_parts() -> Outcome {
    two_parts::main()
}

#[test]
fn an_arm_among_obstacles() -> Outcome {
    arm::main()
}

#[test]
fn bodies_with_events() -> Outcome {
    events::main()
}

#[test]
fn a_custom_shape() -> Outcome {
    custom_shape::main()
}

#[test]
fn the_hull_of_a_cloud() -> Outcome {
    hull_of_a_cloud::main()
}

#[test]
fn a_million_poses() -> Outcome {
    million_poses::main()
}

#[test]
fn every_example_is_shorter_than_a_page() {
    for entry in std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "rs") && path.file_name().unwrap() != "lib.rs" {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines < 60, "{} has {lines} lines", path.display());
        }
    }
}

#[test]
fn solids_as_meshes() -> Outcome {
    solids::main()
}

#[test]
fn bodies_that_move() -> Outcome {
    moving::main()
}

#[test]
fn rays_and_moving_shapes() -> Outcome {
    rays::main()
}
