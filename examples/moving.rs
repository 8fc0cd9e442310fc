//! Bodies that move: a bullet and a thin wall, and a schedule of impacts in which none is missed.
//!
//! `cargo run --release --example moving`

use clearance::motion::{Impact, Motion, closest_approach, time_of_impact};
use clearance::{Interval, Pose, Shape, World, intersects};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: bullet
    let (bullet, wall) = (Shape::sphere(0.005)?, Shape::cuboid([0.001, 1.0, 1.0])?);
    let flight = Motion::linear(Pose::from_translation([-100.0, 0.0, 0.0]), [900.0, 0.0, 0.0], [0.0; 3])?;
    let here = Motion::fixed(Pose::IDENTITY);

    // Samples at every millisecond miss it: it is there for 13 microseconds.
    let is_seen = |step: u32| intersects(&bullet, flight.pose(1e-3 * f64::from(step)), &wall, Pose::IDENTITY);
    assert!(!(0..1000).any(is_seen));
    // The time of impact is between bounds that are proved, and so is that there is none.
    let Impact::Hit(hit) = time_of_impact(&bullet, &flight, &wall, &here, Interval::UNIT) else {
        return Err("the bullet went through the wall".into());
    };
    println!("the bullet hits between {} s and {} s, at {}", hit.lower, hit.upper, hit.point_b);
    assert!(hit.lower <= 99.994 / 900.0 && 99.994 / 900.0 <= hit.upper && hit.upper - hit.lower < 1e-12);
    // ANCHOR_END: bullet
    let high =
        Motion::ballistic(Pose::from_translation([-3.0, 0.0, 0.0]), [3.0, 6.0, 0.0], [0.0; 3], [0.0, -6.0, 0.0])?;
    let Impact::Clear(approach) = closest_approach(&bullet, &high, &wall, &here, Interval::new(0.0, 2.0)?) else {
        return Err("a throw over the wall meets it".into());
    };
    println!("a throw over the wall stays between {} and {} away", approach.lower, approach.upper);

    // A world of moving bodies: its impacts, in the order of time.
    let mut world = World::default();
    let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY);
    let ball = Shape::sphere(0.1)?;
    let mut rng = fastrand::Rng::with_seed(1);
    for row in 0..100 {
        let place = Pose::from_translation([0.5 * f64::from(row % 10), 1.0 + rng.f64(), 0.5 * f64::from(row / 10)]);
        let id = world.insert(ball.clone(), place);
        let velocity = [rng.f64() - 0.5, 4.0 * rng.f64(), rng.f64() - 0.5];
        world.set_motion(id, Motion::ballistic(place, velocity, [0.0; 3], [0.0, -9.81, 0.0])?);
    }
    // ANCHOR: impacts
    let mut impacts = world.impacts(Interval::new(0.0, 3.0)?);
    let (mut last, mut landed, mut met) = (0.0, 0, 0);
    for impact in impacts.by_ref() {
        assert!(impact.time() >= last);
        last = impact.time();
        *(if impact.bodies.contains(&floor) { &mut landed } else { &mut met }) += 1;
    }
    // ANCHOR_END: impacts
    let cost = impacts.cost();
    println!("{landed} balls land, {met} pairs meet; {} checks in {} searches", cost.checks, cost.searches);
    assert!(landed == 100 && cost.searches < 20_000);
    Ok(())
}
