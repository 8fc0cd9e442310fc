//! Resting contact by micro-collisions: bodies stay where they are, slide as fast as their friction allows, and Zeno's paradox is named.

use clearance::{Pose, Shape};
use clearance_sim::{Body, Error, Mass, Material, Scene, Settings, Simulation};

fn floor() -> Body {
    Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY)
}

#[test]
fn a_ball_comes_to_rest_and_stays() {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(floor());
    let material = Material { friction: 0.5, restitution: 0.5, rolling_resistance: 0.0 };
    scene.add(
        Body::new("ball", Shape::sphere(0.5).unwrap(), Pose::from_translation([0.0, 1.0, 0.0]), Mass::Total(1.0))
            .material(material),
    );
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    let start = simulation.energy();
    simulation.advance(6.0).unwrap();
    let height = simulation.pose(1).translation().y - 0.5;
    assert!(height > 0.0 && height < 3.0 * simulation.envelope(), "{height}");
    assert!(simulation.energy() < start);
    assert!(simulation.events() < 2000, "{}", simulation.events());
}

/// A ball that slides and then rolls: it rolls at 5/7 of its speed, from v / (3.5 μ g) on.
#[test]
fn a_sliding_ball_begins_to_roll() {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(floor().material(Material { friction: 0.2, ..Material::default() }));
    let material = Material { friction: 0.2, restitution: 0.0, rolling_resistance: 0.0 };
    let ball =
        Body::new("ball", Shape::sphere(0.5).unwrap(), Pose::from_translation([0.0, 0.5, 0.0]), Mass::Total(1.0));
    scene.add(ball.material(material).moving([2.0, 0.0, 0.0], [0.0; 3]));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    // Half way to rolling it has lost half of two sevenths.
    let whole = 2.0 / (3.5 * 0.2 * 9.81);
    simulation.advance(0.5 * whole).unwrap();
    let speed = simulation.velocity(1).x;
    assert!((speed - 2.0 * (1.0 - 1.0 / 7.0)).abs() < 0.02 * 2.0, "{speed}");
    simulation.advance(4.0 * whole).unwrap();
    let start = simulation.pose(1).translation().x;
    simulation.advance(6.0 * whole).unwrap();
    let speed = (simulation.pose(1).translation().x - start) / (2.0 * whole);
    assert!((speed - 10.0 / 7.0).abs() < 0.01 * 10.0 / 7.0, "{speed}");
}

/// s = (sin - μ cos) g t² / 2. Micro-collisions add to it: 0.076 m at friction 0.4, less at others, which the guide says.
#[test]
fn a_box_slides_as_fast_as_its_friction_allows() {
    let angle = 26.565_f64.to_radians();
    for friction in [0.1, 0.2, 0.3, 0.4] {
        let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], -angle).unwrap();
        let material = Material { friction, restitution: 0.0, rolling_resistance: 0.0 };
        let mut scene = Scene::new([0.0, -9.81, 0.0]);
        scene.add(Body::fixed("slope", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), turn).material(material));
        let start = turn * Pose::from_translation([0.0, 0.5, 0.0]);
        let cube = Body::new("box", Shape::cuboid([0.5; 3]).unwrap(), start, Mass::Density(1000.0));
        scene.add(cube.material(material));
        let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
        simulation.advance(1.0).unwrap();
        let slid = simulation.pose(1).translation().distance(start.translation());
        let truth = (angle.sin() - friction * angle.cos()) * 9.81 * 0.5;
        assert!((slid - truth).abs() < 0.1, "{friction}: {slid} {truth}");
    }
}

#[test]
fn a_ball_in_a_shrinking_gap_is_named() {
    let mut scene = Scene::new([0.0; 3]);
    scene.add(Body::fixed("wall", Shape::half_space([1.0, 0.0, 0.0], 0.0).unwrap(), Pose::IDENTITY));
    let piston = Pose::from_translation([3.0, 0.0, 0.0]);
    scene.add(Body::kinematic("piston", Shape::cuboid([0.5, 1.0, 1.0]).unwrap(), piston, [-1.0, 0.0, 0.0], [0.0; 3]));
    scene.add(Body::new(
        "ball",
        Shape::sphere(0.5).unwrap(),
        Pose::from_translation([1.0, 0.0, 0.0]),
        Mass::Total(1.0),
    ));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    let error = simulation.advance(5.0).unwrap_err();
    let Error::Stuck { time, bodies, .. } = &error else { panic!("{error}") };
    assert!((time - 1.5).abs() < 0.01 && bodies.contains(&"ball".to_string()), "{error}");
    assert!(simulation.time() == *time && simulation.measure() == 0.0);
    // It stays where it is.
    assert!(simulation.advance(5.0).is_err());
}

#[test]
fn bodies_that_touch_at_the_start_get_a_gap() {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(floor());
    for number in 0..3 {
        let place = Pose::from_translation([0.0, 0.5 + f64::from(number), 0.0]);
        scene.add(Body::new(format!("ball {number}"), Shape::sphere(0.5).unwrap(), place, Mass::Density(1.0)));
    }
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    assert_eq!(simulation.measure(), 0.0);
    simulation.advance(0.5).unwrap();
    assert_eq!(simulation.measure(), 0.0);
    for number in 1..=3 {
        let height = simulation.pose(number).translation().y - (number as f64 - 0.5);
        assert!(height > 0.0 && height < 12.0 * simulation.envelope(), "{number}: {height}");
    }
}

#[test]
fn a_box_that_falls_on_an_edge_comes_to_rest_on_a_face() {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(floor());
    let place = Pose::from_translation([0.0, 0.8, 0.0]) * Pose::from_axis_angle([0.0, 0.1, 1.0], 0.6).unwrap();
    let material = Material { friction: 0.5, restitution: 0.2, rolling_resistance: 0.0 };
    scene.add(Body::new("box", Shape::cuboid([0.5, 0.4, 0.3]).unwrap(), place, Mass::Density(1.0)).material(material));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    let mut energy = simulation.energy();
    for step in 1..=30 {
        simulation.advance(0.1 * f64::from(step)).unwrap();
        assert_eq!(simulation.measure(), 0.0, "{step}");
        // But for a hop through the envelope, of energy that impacts have taken before.
        let hop = 0.48 * 9.81 * simulation.envelope();
        assert!(simulation.energy() <= energy + hop, "{step}: {} {energy}", simulation.energy());
        energy = simulation.energy();
    }
    let height = simulation.pose(1).translation().y - 0.4;
    assert!(height > 0.0 && height < 4.0 * simulation.envelope(), "{height}");
}

#[test]
fn a_stack_of_boxes_stands() {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(floor());
    for number in 0..3 {
        let place = Pose::from_translation([0.0, 0.5 + f64::from(number), 0.0]);
        scene.add(Body::new(format!("box {number}"), Shape::cuboid([0.5; 3]).unwrap(), place, Mass::Density(1.0)));
    }
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    simulation.advance(0.5).unwrap();
    assert_eq!(simulation.measure(), 0.0);
    for number in 1..=3 {
        let moved = simulation.pose(number).translation() - simulation.scene().bodies[number].pose.translation();
        assert!(moved.length() < 12.0 * simulation.envelope(), "{number}: {moved}");
    }
}
