//! Fixed steps: slopes, rolling, stacks, bounces, fast bodies.

use clearance::math::DVec3;
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Material, Mode, Scene, Settings, Simulation, scenes};

fn steps() -> Settings {
    Settings { mode: Mode::Steps, ..Settings::default() }
}

fn material(friction: f64, restitution: f64) -> Material {
    Material { friction, restitution, rolling_resistance: 0.0 }
}

fn floor(friction: f64) -> Body {
    let floor = Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY);
    floor.material(material(friction, 0.0))
}

/// How far a box slides down a slope of that many degrees in two seconds.
fn slid(degrees: f64, friction: f64) -> f64 {
    let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], -degrees.to_radians()).unwrap();
    let mut scene = Scene::new([0.0, -9.8, 0.0]);
    let plane = Body::fixed("slope", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), turn);
    scene.add(plane.material(material(friction, 0.0)));
    let start = turn * Pose::from_translation([0.0, 0.5, 0.0]);
    let cube = Body::new("box", Shape::cuboid([0.5; 3]).unwrap(), start, Mass::Density(1000.0));
    scene.add(cube.material(material(friction, 0.0)));
    let mut simulation = Simulation::new(&scene, steps()).unwrap();
    // The start has a gap that the scene has not.
    let start = simulation.pose(1).translation();
    simulation.advance(2.0).unwrap();
    simulation.pose(1).translation().distance(start)
}

#[test]
fn a_box_slides_exactly_when_the_slope_is_steeper_than_its_friction() {
    let (holds, slides) = (slid(26.565, 0.5), slid(26.565, 0.49));
    // At the very limit the slip of the first step remains.
    assert!(holds < 0.01, "{holds}");
    // s = (sin - μ cos) g t² / 2.
    let angle = 26.565_f64.to_radians();
    let truth = (angle.sin() - 0.49 * angle.cos()) * 9.8 * 2.0;
    assert!((slides - truth).abs() < 0.05 * truth, "{slides} {truth}");
    assert!(slid(15.0, 0.3) < 1e-3 && slid(15.0, 0.2) > 0.1);
}

#[test]
fn a_ball_rolls_down_a_slope_without_slipping() {
    let angle = 20.0_f64.to_radians();
    let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], -angle).unwrap();
    let mut scene = Scene::new([0.0, -9.8, 0.0]);
    let plane = Body::fixed("slope", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), turn);
    scene.add(plane.material(material(0.8, 0.0)));
    let start = turn * Pose::from_translation([0.0, 0.5, 0.0]);
    scene.add(Body::new("ball", Shape::sphere(0.5).unwrap(), start, Mass::Total(1.0)).material(material(0.8, 0.0)));
    let mut simulation = Simulation::new(&scene, steps()).unwrap();
    simulation.advance(2.0).unwrap();
    // a = 5/7 g sin.
    let truth = 5.0 / 7.0 * 9.8 * angle.sin() * 2.0;
    let found = simulation.pose(1).translation().distance(start.translation());
    assert!((found - truth).abs() < 0.01 * truth, "{found} {truth}");
}

#[test]
fn a_stack_of_ten_boxes_stands_for_a_minute() {
    let mut scene = Scene::new([0.0, -9.8, 0.0]);
    scene.add(floor(0.5));
    for number in 0..10 {
        let place = Pose::from_translation([0.0, 0.5 + f64::from(number), 0.0]);
        scene.add(Body::new(format!("box {number}"), Shape::cuboid([0.5; 3]).unwrap(), place, Mass::Density(1.0)));
    }
    let mut simulation = Simulation::new(&scene, steps()).unwrap();
    simulation.advance(5.0).unwrap();
    let rested: Vec<DVec3> = (1..=10).map(|number| simulation.pose(number).translation()).collect();
    simulation.advance(60.0).unwrap();
    for (number, rested) in (1..=10).zip(rested) {
        let drift = simulation.pose(number).translation().distance(rested);
        assert!(drift < 1e-3, "{number}: {drift}");
    }
    let sunk = simulation.scene().bodies[10].pose.translation().distance(simulation.pose(10).translation());
    let worst = simulation.measure();
    assert!(sunk < 0.05 && worst < 0.01, "{sunk} {worst}");
}

#[test]
fn a_ball_bounces_and_loses_energy() {
    let mut scene = Scene::new([0.0, -10.0, 0.0]);
    scene.add(floor(0.5));
    let ball =
        Body::new("ball", Shape::sphere(0.5).unwrap(), Pose::from_translation([0.0, 5.5, 0.0]), Mass::Total(1.0));
    scene.add(ball.material(material(0.5, 0.5)));
    let mut simulation = Simulation::new(&scene, Settings { rate: Some(240.0), ..steps() }).unwrap();
    let mut highest = 0.0_f64;
    let start = simulation.energy();
    for step in 1..=130 {
        simulation.advance(1.05 + f64::from(step) / 140.0).unwrap();
        highest = highest.max(simulation.pose(1).translation().y - 0.5);
    }
    assert!((highest - 1.25).abs() < 0.08, "{highest}");
    assert!(simulation.energy() < start && simulation.events() >= 1);
}

#[test]
fn a_bullet_does_not_pass_a_wall() {
    let mut simulation = Simulation::new(&scenes::bullet(), steps()).unwrap();
    simulation.advance(1.0).unwrap();
    assert!(simulation.pose(0).translation().x < 0.0, "{}", simulation.pose(0).translation());
}

#[test]
fn bowling_pins_fall_and_nothing_sinks_in() {
    let mut simulation = Simulation::new(&scenes::bowling(), steps()).unwrap();
    for frame in 1..=120 {
        simulation.advance(f64::from(frame) / 60.0).unwrap();
        simulation.measure();
    }
    let upright = |number: usize| simulation.pose(number).transform_vector([0.0, 1.0, 0.0]).y > 0.9;
    let standing = (2..12).filter(|&number| upright(number)).count();
    assert!(standing < 8, "{standing}");
    assert!(simulation.worst_penetration() < 0.02, "{}", simulation.worst_penetration());
}

#[test]
fn momentum_is_kept_and_same_scene_has_same_bits() {
    let run = || {
        let mut scene = Scene::new([0.0; 3]);
        for number in 0..6 {
            let place = Pose::from_translation([f64::from(number) * 1.5, 0.1 * f64::from(number % 2), 0.0]);
            let body =
                Body::new(format!("{number}"), Shape::cuboid([0.3, 0.4, 0.5]).unwrap(), place, Mass::Density(1.0));
            let speed = 2.0 - f64::from(number);
            scene.add(body.material(material(0.3, 0.5)).moving([speed, 0.0, 0.0], [0.3, 0.2, 1.0]));
        }
        let mut simulation = Simulation::new(&scene, steps()).unwrap();
        let before = simulation.momentum();
        simulation.advance(3.0).unwrap();
        assert!(simulation.momentum().distance(before) < 1e-11 && simulation.events() > 0);
        (0..6).map(|body| simulation.pose(body).to_array()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn zero_steps_are_refused() {
    let wrong = Settings { rate: Some(0.0), ..steps() };
    let error = Simulation::new(&scenes::bullet(), wrong).err().unwrap().to_string();
    assert_eq!(error, "the number of steps per second is 0, but must be a positive number");
}

/// Coins are thin: they tip about their rims faster than their thickness in a step.
#[test]
fn coins_lie_down_without_sinking_into_the_floor() {
    let mut simulation = Simulation::new(&scenes::coins(), steps()).unwrap();
    for frame in 1..=120 {
        simulation.advance(f64::from(frame) / 60.0).unwrap();
        simulation.measure();
    }
    println!("worst {}", simulation.worst_penetration());
    assert!(simulation.worst_penetration() < 2.5e-4, "{}", simulation.worst_penetration());
}
