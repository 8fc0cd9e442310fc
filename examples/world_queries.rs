//! What is near a shape, at a point, in a box? Questions to a world, from as many threads as you like.
//!
//! `cargo run --release --example world_queries`

use clearance::math::{Aabb, DVec3};
use clearance::world::{Body, CollisionLayers, Config, World};
use clearance::{Pose, QueryFilter, Ray, Shape};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: rules
    // Shelves of boxes; boxes of one shelf are a group, and are not checked against each other.
    let mut world = World::new(Config { margin: 0.05, ..Config::default() });
    let item = Shape::cuboid([0.4, 0.4, 0.4])?;
    for shelf in 0..10_u32 {
        for place in 0..20 {
            let at = Pose::from_translation([f64::from(place), f64::from(shelf), 0.0]);
            let number = u64::from(100 * shelf + place);
            world.insert_body(Body::new(item.clone(), at).fixed().group(shelf).user_data(number));
        }
    }
    // A ghost is on a layer that nothing is checked against: a zone to ask about, not an obstacle.
    let zone = Body::new(Shape::sphere(3.0)?, Pose::IDENTITY).layers(CollisionLayers::new(2, 0));
    world.insert_body(zone);
    assert_eq!(world.update().overlapping().count(), 0);
    // ANCHOR_END: rules

    // ANCHOR: queries
    let gripper = Shape::sphere(0.12)?;
    let near = world.within(&gripper, Pose::from_translation([4.5, 3.5, 0.0]), 0.1, QueryFilter::ALL);
    println!("{} boxes are within 0.1 of the gripper, which is between four of them", near.len());
    assert!(near.len() == 4 && near.iter().all(|(_, c)| c.lower > 0.02 && c.upper < 0.03));
    assert_eq!(world.intersect_point([4.0, 3.0, 0.0], QueryFilter::ALL).len(), 1);
    let room = Aabb { min: DVec3::new(3.5, 2.5, -1.0), max: DVec3::new(5.5, 3.5, 1.0) };
    assert_eq!(world.intersect_aabb(&room, QueryFilter::ALL).len(), 2);
    // ANCHOR_END: queries

    // ANCHOR: filter
    // Only what a robot on layer 1 is checked against, less the first box that the gripper is near.
    let robot = QueryFilter::ALL.layers(CollisionLayers::new(1, 1));
    let place = Pose::from_translation([4.5, 3.5, 0.0]);
    assert_eq!(world.within(&gripper, place, 0.1, robot.exclude(&[near[0].0])).len(), 3);
    let ray = Ray::new([4.5, 3.5, -9.0], [0.0, 0.0, 1.0], 100.0)?;
    assert!(world.cast_ray(&ray, robot).is_none(), "between the boxes");
    // ANCHOR_END: filter

    // ANCHOR: threads
    // All of these take `&self`: threads share the world, and every one gets the same answer.
    let place = |row: u32| Pose::from_translation([4.5, f64::from(row), 0.0]);
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let ask = |row: u32| world.intersect_shape(&gripper, place(row), QueryFilter::ALL).len();
        let jobs: Vec<_> = (0..8).map(|row| scope.spawn(move || ask(row))).collect();
        jobs.into_iter().map(|job| job.join().expect("no query panics")).collect()
    });
    println!("bodies that a gripper between two boxes touches, by shelf: {counts:?}");
    assert!(counts.iter().all(|&count| count >= 2));
    // ANCHOR_END: threads
    Ok(())
}
