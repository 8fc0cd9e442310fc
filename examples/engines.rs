//! One pair in coherent motion, asked of every engine: the same answer, and what it took.
//!
//! `cargo run --release --example engines`

use clearance::math::DQuat;
use clearance::{Engine, Pair, Pose, Shape};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: pair
    let rock =
        Shape::hull(&[[0.0, 0.0, 1.0], [0.9, 0.0, -0.3], [-0.5, 0.8, -0.3], [-0.5, -0.8, -0.3], [0.2, 0.1, -0.9]])?;
    let crate_ = Shape::cuboid([0.5, 0.4, 0.3])?;
    let motion = |frame: u32| {
        let t = 0.01 * f64::from(frame);
        Pose::new([2.0 * t.cos(), 2.0 * t.sin(), 0.5], DQuat::from_rotation_z(3.0 * t))
    };
    for engine in Engine::ALL {
        let mut pair = Pair::new(&rock, &crate_).engine(engine);
        let mut auto = Pair::new(&rock, &crate_);
        let (mut iterations, mut fallbacks) = (0, 0);
        for frame in 0..300 {
            let found = pair.distance(Pose::IDENTITY, motion(frame));
            let same = auto.distance(Pose::IDENTITY, motion(frame));
            // Both brackets hold the truth, so they meet.
            assert!(found.lower <= same.upper && same.lower <= found.upper);
            iterations += found.cost.iterations;
            fallbacks += found.cost.fallbacks;
        }
        println!("{engine:<18} {iterations:>5} iterations in 300 frames, {fallbacks} answered by another engine");
    }
    // ANCHOR_END: pair

    // ANCHOR: plain
    // A pair keeps the simplex at which GJK ended, and starts from it.
    let mut pair = Pair::new(&rock, &crate_).engine(Engine::Gjk);
    let first = pair.distance(Pose::IDENTITY, motion(0));
    let again = pair.distance(Pose::IDENTITY, motion(0));
    println!("GJK alone: {} iterations, from its last simplex {}", first.cost.iterations, again.cost.iterations);
    assert!(first.lower <= again.upper && again.cost.iterations <= first.cost.iterations);
    // ANCHOR_END: plain
    Ok(())
}
