//! 2,000 bodies that move about in a box, and what begins and ends.
//!
//! `cargo run --release --example events`

use clearance::math::{DQuat, DVec3};
use clearance::world::{Body, Config, World};
use clearance::{Pose, Shape};

const BODIES: u64 = 2000;
const FRAMES: usize = 60;
const SIDE: f64 = 40.0;

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
    let shapes = [
        Shape::sphere(0.5)?,
        Shape::cuboid([0.4, 0.5, 0.6])?,
        Shape::hull(&[[0.0, 0.0, 0.8], [0.6, 0.0, -0.4], [-0.4, 0.6, -0.4], [-0.4, -0.6, -0.4]])?,
    ];
    let mut world = World::new(Config { margin: 0.1, ..Config::default() });
    let mut flights = Vec::new();
    for number in 0..BODIES {
        let pose = Pose::new(vector(0.5 * SIDE), DQuat::from_scaled_axis(vector(3.0)));
        // The data of a body is yours: here its number.
        let body = Body::new(shapes[number as usize % shapes.len()].clone(), pose).user_data(number);
        flights.push((world.insert_body(body), pose, vector(0.2)));
    }

    let (mut began, mut ended, mut overlapping) = (0, 0, 0_usize);
    for _ in 0..FRAMES {
        for (id, pose, velocity) in &mut flights {
            let to = pose.translation() + *velocity;
            // Off the walls.
            *velocity *= DVec3::select(to.abs().cmpgt(DVec3::splat(0.5 * SIDE)), DVec3::NEG_ONE, DVec3::ONE);
            *pose = Pose::new(pose.translation() + *velocity, pose.rotation());
            world.set_pose(*id, *pose);
        }
        // Its result would borrow the world for changes; this one only reads.
        // ANCHOR: frame
        world.update();
        let update = world.last_update();
        began += update.started().len();
        ended += update.ended().len();
        overlapping = update.overlapping().count();
        // ANCHOR_END: frame
        for &[a, b] in update.started() {
            let [a, b] = [a, b].map(|id| world.body(id).map(|body| body.user_data));
            assert!(a.is_some() && a < b);
        }
    }
    println!("{began} overlaps began and {ended} ended in {FRAMES} frames; {overlapping} are left");
    assert!(began > 100 && began - ended == overlapping);
    Ok(())
}
