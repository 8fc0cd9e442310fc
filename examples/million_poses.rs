//! A million pose checks in one call, on all cores: where does a part fit?
//!
//! `cargo run --release --example million_poses`

use clearance::math::DQuat;
use clearance::{Batch, Pose, Shape};
use std::time::Instant;

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bracket = Shape::compound([
        (Shape::cuboid([1.0, 0.1, 0.5])?, Pose::IDENTITY),
        (Shape::cuboid([0.1, 1.0, 0.5])?, Pose::from_translation([-0.9, 0.9, 0.0])),
    ])?;
    let pin = Shape::hull(&[[0.0, 0.0, 0.4], [0.2, 0.0, -0.4], [-0.1, 0.2, -0.4], [-0.1, -0.2, -0.4]])?;

    let mut rng = fastrand::Rng::with_seed(7);
    let mut unit = || 2.0 * rng.f64() - 1.0;
    let poses: Vec<(Pose, Pose)> = (0..1_000_000)
        .map(|_| {
            let turn = DQuat::from_xyzw(unit(), unit(), unit(), unit());
            (Pose::IDENTITY, Pose::new([2.0 * unit(), 2.0 * unit(), unit()], turn))
        })
        .collect();

    // ANCHOR: batch
    let start = Instant::now();
    let collides = Batch::new(&poses).intersects(&bracket, &pin);
    let count = collides.iter().filter(|&&collides| collides).count();
    println!("{count} of {} poses collide, found in {:.0?}", poses.len(), start.elapsed());
    // ANCHOR_END: batch
    assert!(count > 100_000 && count < 900_000);

    // Of the first hundred that are free: how much room is there?
    let free: Vec<(Pose, Pose)> =
        poses.iter().zip(&collides).filter(|(_, collides)| !**collides).map(|(pose, _)| *pose).take(100).collect();
    let gaps = Batch::new(&free).distance(&bracket, &pin);
    let least = gaps.iter().map(|c| c.lower).fold(f64::INFINITY, f64::min);
    println!("of 100 free ones the tightest has a gap of at least {least}");
    assert!(least > 0.0 && gaps.iter().all(|c| c.is_apart()));
    Ok(())
}
