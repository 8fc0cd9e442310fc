//! A robot from a URDF: its clearance at a configuration, and edges in joint space that are proved.

use clearance::{Pose, Shape, World};
use clearance_robot::{Checker, Collides, Edge, EdgeOptions, Options, Robot};
use std::path::Path;

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/arm.urdf");
    // ANCHOR: clearance
    let robot = Robot::load(&file, None, &Options::default())?;
    assert_eq!(robot.joint_names(), ["shoulder", "elbow"]);

    let mut world = World::default();
    world.insert(Shape::sphere(0.1)?, Pose::from_translation([0.7, 0.0, 0.4]));
    let mut checker = Checker::new(&robot, Some(&world));
    let Some(found) = checker.clearance(&[0.0, 1.0])? else { return Err("nothing is checked".into()) };
    let [one, other] = checker.names(found.parts);
    println!("{one} and {other} are {:.4} m apart", found.distance);
    assert!(found.lower <= found.distance && found.distance <= found.upper);
    assert_eq!(checker.in_collision(&[0.0, 1.0])?, Collides::No);
    // ANCHOR_END: clearance

    // ANCHOR: edge
    match checker.edge(&[0.0, 1.0], &[1.5, 1.0], &EdgeOptions::default())? {
        Edge::Free(free) => println!("free, and never closer than {} m", free.lower),
        Edge::Contact(hit) => {
            println!("free until {:.6} of the edge, in contact at {:.6}", hit.lower, hit.upper);
            assert!(hit.upper - hit.lower < 1e-5);
        }
        Edge::Undecided { from, .. } => println!("free until {from}; not decided from there on"),
    }
    let detour = [[0.0, 1.0], [0.0, -1.0], [1.0, -2.0]];
    let answer = checker.path(&detour, &EdgeOptions::default())?;
    assert!(answer.free() == Some(true) && answer.lower > 0.0);
    // ANCHOR_END: edge
    Ok(())
}
