//! A ball that bounces, and a bullet that cannot miss a wall: simulations from impact to impact.

use clearance::{Pose, Shape};
use clearance_sim::{Body, Error, Mass, Material, Scene, Settings, Simulation, scenes};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: simulate
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Pose::IDENTITY));
    let rubber = Material { restitution: 0.8, ..Material::default() };
    let ball = Body::new("ball", Shape::sphere(0.1)?, Pose::from_translation([0.0, 1.1, 0.0]), Mass::Density(1100.0));
    let ball = scene.add(ball.material(rubber).moving([0.5, 0.0, 0.0], [0.0; 3]));
    let mut simulation = Simulation::new(&scene, Settings { keep_contacts: true, ..Settings::default() })?;
    simulation.advance(2.0)?;
    for contact in simulation.take_contacts().iter().take(3) {
        println!("at {:.4} s the ball meets the floor at {:.3} m/s", contact.time, contact.approach_speed);
    }
    assert!(simulation.events() >= 3 && simulation.pose(ball).translation().x > 0.5);
    // ANCHOR_END: simulate
    bullet()?;
    Ok(())
}

fn bullet() -> Result<(), Error> {
    let mut simulation = Simulation::new(&scenes::bullet(), Settings::default())?;
    simulation.advance(1.0)?;
    assert_eq!(simulation.events(), 1);
    Ok(())
}
