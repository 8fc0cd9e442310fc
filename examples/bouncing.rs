//! From impact to impact: balls in a box that bounce off each other and off the walls, and no contact is missed.
//!
//! `cargo run --release --example bouncing`

use clearance::math::DVec3;
use clearance::world::{Body, ProximityPair};
use clearance::{Interval, Motion, Pose, Shape, World};
use std::collections::BTreeMap;

const RADIUS: f64 = 0.06;
const BALLS: u32 = 200;
const BOUNCES: u32 = 1000;

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: world
    let mut world = World::default();
    for normal in DVec3::AXES.into_iter().chain(DVec3::AXES.map(|axis| -axis)) {
        world.insert_body(Body::new(Shape::half_space(normal, -1.0)?, Pose::IDENTITY).fixed());
    }
    let mut rng = fastrand::Rng::with_seed(4);
    let mut balls = BTreeMap::new();
    for i in 0..BALLS {
        let place = DVec3::from_array([i % 6, i / 6 % 6, i / 36].map(|k| (f64::from(k) - 2.5) / 3.0));
        let velocity = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        let pose = Pose::from_translation(place);
        let id = world.insert(Shape::sphere(RADIUS)?, pose);
        world.set_motion(id, Motion::linear(pose, velocity, [0.0; 3])?);
        balls.insert(id, velocity);
    }
    // ANCHOR_END: world

    // ANCHOR: step
    let mut now = 0.0;
    for _ in 0..BOUNCES {
        // The world keeps its schedule: only the pairs of the two bodies that changed are searched again.
        let impact = world.next_impact(Interval::new(now, now + 100.0)?).ok_or("balls in a box meet something")?;
        let hit = impact.impact.hit().ok_or("balls that do not turn are always decided")?;
        now = hit.lower; // apart until then: proved
        let [a, b] = impact.bodies.map(|id| balls.get(&id).copied());
        let speed = |velocity: Option<DVec3>| velocity.map_or(0.0, |velocity| velocity.dot(hit.normal));
        // Equal masses swap their speeds along the normal; a wall sends them back.
        let change = (speed(a) - speed(b)) * hit.normal * if a.is_some() && b.is_some() { 1.0 } else { 2.0 };
        for (id, change) in impact.bodies.into_iter().zip([-change, change]) {
            if let (Some(velocity), Some(motion)) = (balls.get_mut(&id), world.motion(id)) {
                *velocity += change;
                world.set_motion(id, Motion::linear(motion.pose(now), *velocity, [0.0; 3])?.from_time(now)?);
            }
        }
    }
    world.set_time(now); // the poses of updates and scene queries
    // ANCHOR_END: step
    let searches = world.schedule_cost().searches / u64::from(BOUNCES);
    println!("{BOUNCES} bounces of {BALLS} balls in {now:.3} s, with {searches} searches for each");
    assert!(searches < 40);
    let is_deep = |pair: &ProximityPair<'_>| pair.clearance.is_some_and(|found| found.distance < -1e-9);
    assert_eq!(world.update().overlapping().filter(is_deep).count(), 0, "none has passed into another");
    Ok(())
}
