//! How far does a solid have to move to come free of another, when neither is convex?
//!
//! `cargo run --release --example depth_of_solids`

use clearance::depth::{DepthBudget, Scope, depth};
use clearance::math::DVec3;
use clearance::{Pose, Shape, distance, intersects};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: frame
    // A square frame of four bars around a hole of 4 x 4, and a pin of 1 x 1 that stands a quarter deep in one side of it.
    let bar = |half: [f64; 3], x: f64, y: f64| -> Result<(Shape, Pose), clearance::BuildError> {
        Ok((Shape::cuboid(half)?, Pose::from_translation([x, y, 0.0])))
    };
    let frame = Shape::compound([
        bar([3.0, 0.5, 0.5], 0.0, -2.5)?,
        bar([3.0, 0.5, 0.5], 0.0, 2.5)?,
        bar([0.5, 3.0, 0.5], -2.5, 0.0)?,
        bar([0.5, 3.0, 0.5], 2.5, 0.0)?,
    ])?;
    let pin = Shape::cuboid([0.5, 0.5, 9.0])?;
    let at = Pose::from_translation([1.75, 0.0, 0.0]);

    let d = depth(&pin, at, &frame, Pose::IDENTITY, DepthBudget::default());
    println!("the pin comes free by {}, which is {} long; no shorter way than {}", d.translation, d.upper, d.lower);
    assert!((d.upper - 0.25).abs() < 1e-9 && d.width() < 1e-9);
    // Back into the hole, not out of the frame: proved by the shapes themselves.
    assert!(d.translation.x < 0.0);
    let moved = Pose::from_translation(at.translation() + (1.0 + 1e-9) * d.translation);
    assert!(!intersects(&pin, moved, &frame, Pose::IDENTITY));
    // ANCHOR_END: frame

    // ANCHOR: open
    // `distance` takes microseconds and leaves the bracket of such an overlap open.
    let c = distance(&pin, at, &frame, Pose::IDENTITY);
    println!("distance says between {} and {}", -c.upper, -c.lower);
    assert!(-c.upper <= d.upper && d.lower <= -c.lower);
    // ANCHOR_END: open

    // ANCHOR: budget
    // Any budget gives a valid bracket. A tenth is narrow enough here, and only places count that are reached from outside.
    let budget = DepthBudget { width: 0.1, nodes: 500, scope: Scope::Outside, ..DepthBudget::default() };
    let rough = depth(&pin, at, &frame, Pose::IDENTITY, budget);
    assert!(rough.lower <= 0.25 && 0.25 <= rough.upper && rough.width() <= 0.1);
    assert_ne!(rough.translation, DVec3::ZERO);
    // ANCHOR_END: budget
    Ok(())
}
