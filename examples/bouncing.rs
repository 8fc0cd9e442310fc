//! From impact to impact: balls in a box that bounce off each other and off the walls, and no contact is missed.
//!
//! `cargo run --release --example bouncing`

use clearance::math::DVec3;
use clearance::{Motion, Pose, Shape, World};

const RADIUS: f64 = 0.1;

/// What it shows, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: world
    let mut world = World::default();
    for axis in DVec3::AXES {
        for normal in [axis, -axis] {
            world.insert(Shape::half_space(normal, -1.0)?, Pose::IDENTITY); // a wall, one away from the middle
        }
    }
    let mut rng = fastrand::Rng::with_seed(4);
    let mut balls = Vec::new();
    for i in 0..8 {
        let place = DVec3::from_array([0, 1, 2].map(|k| f64::from(i >> k & 1) - 0.5));
        let velocity = DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        balls.push((world.insert(Shape::sphere(RADIUS)?, Pose::from_translation(place)), place, velocity));
    }
    // ANCHOR_END: world
    let energy = |balls: &[(_, DVec3, DVec3)]| balls.iter().map(|ball| ball.2.length_squared()).sum::<f64>();
    let before = energy(&balls);

    // ANCHOR: step
    let mut bounces = 0;
    while bounces < 200 {
        let now = world.time();
        for &(id, place, velocity) in &balls {
            world.set_motion(id, Motion::linear(Pose::from_translation(place), velocity, [0.0; 3])?.from_time(now)?);
        }
        let Some(impact) = world.next_impact(now + 100.0)? else { break };
        let hit = impact.impact.hit().expect("balls that do not turn are always decided");
        let (then, normal) = (hit.lower, hit.normal); // apart until then: proved
        balls.iter_mut().for_each(|(_, place, velocity)| *place += (then - now) * *velocity);
        let [a, b] = impact.bodies.map(|id| balls.iter().position(|ball| ball.0 == id));
        let speed = |ball: Option<usize>| ball.map_or(0.0, |ball| balls[ball].2.dot(normal));
        // Equal masses swap their speeds along the normal; a wall sends them back.
        let change = (speed(a) - speed(b)) * normal * if a.is_some() && b.is_some() { 1.0 } else { 2.0 };
        a.inspect(|&ball| balls[ball].2 -= change);
        b.inspect(|&ball| balls[ball].2 += change);
        world.set_time(then);
        bounces += 1;
    }
    // ANCHOR_END: step
    println!(
        "{bounces} bounces in {:.3} s; the energy is what it was to {:.0e}",
        world.time(),
        energy(&balls) - before
    );
    assert!(bounces == 200 && (energy(&balls) - before).abs() < 1e-9);
    assert!(balls.iter().all(|ball| ball.1.abs().max_element() < 1.0 - RADIUS + 1e-9));
    Ok(())
}
