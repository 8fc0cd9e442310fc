//! An arm of capsules among obstacles: many configurations, on all cores, in one world that all threads share.
//!
//! `cargo run --release --example arm`

use clearance::world::World;
use clearance::{Axis, HalfHeight, Pose, QueryFilter, Radius, Shape};
use std::f64::consts::PI;
use std::thread;

const LINKS: usize = 6;
const LENGTH: f64 = 0.4;
const CONFIGURATIONS: usize = 20_000;

/// Where the middles of the links are, for the angles of the joints. Joints turn about z and y in turn.
fn links(angles: &[f64; LINKS]) -> [Pose; LINKS] {
    let half = Pose::from_translation([0.0, 0.0, 0.5 * LENGTH]);
    let mut base = Pose::IDENTITY;
    std::array::from_fn(|i| {
        let axis = if i % 2 == 0 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
        base = base * Pose::from_axis_angle(axis, angles[i]).expect("a joint has an axis");
        let middle = base * half;
        base = middle * half;
        middle
    })
}

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::default();
    for i in 0..24 {
        let angle = f64::from(i) * PI / 12.0;
        let at = Pose::from_translation([1.6 * angle.cos(), 1.6 * angle.sin(), 0.3 * f64::from(i % 5)]);
        world.insert(Shape::cuboid([0.1, 0.1, 0.25])?, at);
    }
    world.insert(Shape::half_space([0.0, 0.0, 1.0], -0.1)?, Pose::IDENTITY);
    world.update();

    let link = Shape::capsule(Axis::Z, Radius(0.05), HalfHeight(0.5 * LENGTH))?;
    let mut rng = fastrand::Rng::with_seed(3);
    let mut angle = || 0.75 * PI * (2.0 * rng.f64() - 1.0);
    let samples: Vec<[f64; LINKS]> = (0..CONFIGURATIONS).map(|_| [(); LINKS].map(|()| angle())).collect();

    // The world is only read: every thread asks it at the same time.
    let is_free = |angles: &[f64; LINKS]| {
        links(angles).iter().all(|pose| world.intersect_shape(&link, *pose, QueryFilter::ALL).is_empty())
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let free: usize = thread::scope(|scope| {
        let parts = samples.chunks(CONFIGURATIONS.div_ceil(threads));
        let jobs: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().filter(|a| is_free(a)).count())).collect();
        jobs.into_iter().map(|job| job.join().expect("no query panics")).sum()
    });
    println!("{free} of {CONFIGURATIONS} configurations are free");
    assert_eq!(free, samples.iter().filter(|a| is_free(a)).count());
    assert!(free > 0 && free < CONFIGURATIONS);
    Ok(())
}
