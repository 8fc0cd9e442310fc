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

/// A tower of ten boxes.
fn tower() -> Scene {
    let mut scene = Scene::new([0.0, -9.8, 0.0]);
    scene.add(floor(0.5));
    for number in 0..10 {
        let place = Pose::from_translation([0.0, 0.5 + f64::from(number), 0.0]);
        scene.add(Body::new(format!("box {number}"), Shape::cuboid([0.5; 3]).unwrap(), place, Mass::Density(1.0)));
    }
    scene
}

#[test]
fn a_stack_of_ten_boxes_stands_for_a_minute_active_and_asleep() {
    for keep_active in [true, false] {
        stands(&Settings { keep_active, ..steps() });
    }
}

fn stands(settings: &Settings) {
    let mut simulation = Simulation::new(&tower(), *settings).unwrap();
    // Its sway dies within ten seconds.
    simulation.advance(10.0).unwrap();
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
fn a_tower_at_rest_sleeps_at_no_cost_and_a_ball_activates_it() {
    let mut scene = tower();
    let far = Pose::from_translation([-30.0, 1.5, 0.0]);
    let ball = Body::new("ball", Shape::sphere(0.5).unwrap(), far, Mass::Total(2.0)).moving([6.0, 0.0, 0.0], [0.0; 3]);
    // It flies straight on.
    let ball = scene.add(Body { force: DVec3::new(0.0, 2.0 * 9.8, 0.0), ..ball });
    let mut simulation = Simulation::new(&scene, steps()).unwrap();
    simulation.advance(4.0).unwrap();
    assert_eq!(simulation.sleeping(), 10);
    let (checks, energy) = (simulation.checks(), simulation.energy());
    let poses: Vec<_> = (1..=10).map(|number| simulation.pose(number).to_array()).collect();
    simulation.advance(4.5).unwrap();
    // The ball and the floor take one or two queries.
    assert_eq!(simulation.sleeping(), 10);
    assert!(simulation.checks() - checks < 10, "{}", simulation.checks() - checks);
    assert_eq!(poses, (1..=10).map(|number| simulation.pose(number).to_array()).collect::<Vec<_>>());
    assert!((simulation.energy() - energy).abs() < 1e-9 * energy);
    // The ball is there after 29 m at 6 m/s.
    simulation.advance(5.2).unwrap();
    assert_eq!(simulation.sleeping(), 0);
    assert!(simulation.velocity(ball).x < 5.9 && simulation.pose(2).translation().x > 1e-3);
    // Boxes that fell lie on the floor, and sleep again.
    simulation.advance(20.0).unwrap();
    assert!(simulation.sleeping() >= 9, "{}", simulation.sleeping());
}

/// A body in slow free flight does not sleep, nor one that begins to slide slowly.
#[test]
fn bodies_that_move_slowly_do_not_sleep() {
    let mut scene = Scene::new([0.0; 3]);
    let drifting = Body::new("stone", Shape::sphere(0.5).unwrap(), Pose::IDENTITY, Mass::Total(1.0));
    scene.add(drifting.moving([1e-4, 0.0, 0.0], [0.0; 3]));
    let mut simulation = Simulation::new(&scene, steps()).unwrap();
    simulation.advance(10.0).unwrap();
    assert_eq!(simulation.sleeping(), 0);
    assert!((simulation.pose(0).translation().x - 1e-3).abs() < 1e-9);
    // tan is larger than the friction by 0.0035.
    let sliding = slid(26.565, 0.4965);
    let angle = 26.565_f64.to_radians();
    let truth = (angle.sin() - 0.4965 * angle.cos()) * 9.8 * 2.0;
    assert!((sliding - truth).abs() < 0.2 * truth, "{sliding} {truth}");
}

/// Stones that fall on each other press until the solver has braked them. A stone that stops within a step must not let the next one fall into it.
#[test]
fn stones_of_a_pile_do_not_fall_into_each_other() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut scene = Scene::new([0.0, -9.8, 0.0]);
    scene.add(floor(0.6));
    for number in 0..36 {
        let mut vector = || DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let points: Vec<DVec3> = (0..16).map(|_| vector().normalize() * 0.4).collect();
        let place = DVec3::new(f64::from(number % 2), f64::from(number / 4) + 1.0, f64::from(number / 2 % 2)) * 0.88;
        let pose = Pose::from_translation(place + vector() * 0.05);
        let body = Body::new(format!("{number}"), Shape::hull(&points).unwrap(), pose, Mass::Density(1000.0));
        scene.add(body.material(material(0.6, 0.0)).moving([0.0, -4.0, 0.0], [0.0; 3]));
    }
    let mut simulation = Simulation::new(&scene, steps()).unwrap();
    let start = simulation.energy();
    for frame in 1..=120 {
        simulation.advance(f64::from(frame) / 60.0).unwrap();
        simulation.measure();
        assert!(simulation.energy() <= start);
    }
    println!("worst {} last {}", simulation.worst_penetration(), simulation.measure());
    assert!(simulation.worst_penetration() < 0.12, "{}", simulation.worst_penetration());
    assert!(simulation.measure() < 0.005);
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
