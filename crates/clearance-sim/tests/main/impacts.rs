//! Impacts have closed forms: bounces, two bodies, the cradle, symmetric and reversed billiards.

use clearance::math::DVec3;
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Material, Scene, Settings, Simulation, scenes};

const ELASTIC: Material = Material { friction: 0.0, restitution: 1.0, rolling_resistance: 0.0 };

fn tiny() -> Settings {
    Settings { envelope: Some(1e-9), ..Settings::default() }
}

fn ball(name: &str, place: [f64; 3], mass: f64) -> Body {
    Body::new(name, Shape::sphere(0.5).unwrap(), Pose::from_translation(place), Mass::Total(mass))
}

#[test]
fn bounces_reach_the_heights_of_the_closed_form() {
    for restitution in [0.3, 0.6, 0.9, 1.0] {
        let mut scene = Scene::new([0.0, -10.0, 0.0]);
        scene.add(Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY));
        let material = Material { friction: 0.5, restitution, rolling_resistance: 0.0 };
        scene.add(ball("ball", [0.0, 5.5, 0.0], 1.0).material(material));
        let mut simulation = Simulation::new(&scene, tiny()).unwrap();
        // One second down, then e up and e down, e² up and e² down.
        let (mut time, mut height) = (1.0, 5.0);
        for bounce in 1..=3 {
            let up = restitution.powi(bounce);
            height *= restitution * restitution;
            simulation.advance(time + up).unwrap();
            assert_eq!(simulation.events(), bounce as u64);
            let reached = simulation.pose(1).translation().y - 0.5;
            assert!((reached - height).abs() < 1e-8, "{restitution} {bounce}: {reached} {height}");
            time += 2.0 * up;
        }
    }
}

#[test]
fn two_bodies_exchange_their_momentum_exactly() {
    for (mass, restitution) in [(1.0, 1.0), (3.0, 1.0), (1e4, 1.0), (2.0, 0.5), (0.3, 0.0)] {
        let mut scene = Scene::new([0.0; 3]);
        let material = Material { restitution, ..ELASTIC };
        scene.add(ball("a", [0.0; 3], 1.0).material(material).moving([2.0, 0.0, 0.0], [0.0; 3]));
        scene.add(ball("b", [3.0, 0.0, 0.0], mass).material(material).moving([-1.0, 0.0, 0.0], [0.0; 3]));
        let mut simulation = Simulation::new(&scene, tiny()).unwrap();
        simulation.advance(2.0).unwrap();
        let mean = (2.0 - mass) / (1.0 + mass);
        let relative = -3.0 * restitution;
        let truth = [mean + relative * mass / (1.0 + mass), mean - relative / (1.0 + mass)];
        for (body, truth) in truth.into_iter().enumerate() {
            assert!((simulation.velocity(body).x - truth).abs() < 1e-12, "{mass} {restitution} {body}");
        }
        assert_eq!(simulation.events(), 1);
    }
}

#[test]
fn a_cradle_moves_its_last_ball_only() {
    let mut simulation = Simulation::new(&scenes::cradle(), tiny()).unwrap();
    simulation.advance(0.4).unwrap();
    for body in 0..4 {
        assert!(simulation.velocity(body).length() < 1e-12, "{body}: {}", simulation.velocity(body));
    }
    assert!((simulation.velocity(4).x - 0.5).abs() < 1e-12);
}

#[test]
fn balls_in_contact_pass_the_impulse_on_at_once() {
    let mut scene = Scene::new([0.0; 3]);
    for (number, x) in [-2.0, 0.0, 1.0, 2.0].into_iter().enumerate() {
        let speed = if number == 0 { 1.0 } else { 0.0 };
        scene.add(ball(&format!("{number}"), [x, 0.0, 0.0], 1.0).material(ELASTIC).moving([speed, 0.0, 0.0], [0.0; 3]));
    }
    let mut simulation = Simulation::new(&scene, tiny()).unwrap();
    simulation.advance(1.5).unwrap();
    let speeds: Vec<f64> = (0..4).map(|body| simulation.velocity(body).x).collect();
    assert!((speeds[3] - 1.0).abs() < 1e-12 && speeds[..3].iter().all(|speed| speed.abs() < 1e-12), "{speeds:?}");
    assert_eq!(simulation.events(), 1);
}

/// A ball that meets two others at the same time. One after the other would break the symmetry.
#[test]
fn simultaneous_impacts_keep_the_symmetry() {
    let mut scene = Scene::new([0.0; 3]);
    scene.add(ball("cue", [-3.0, 0.0, 0.0], 1.0).material(ELASTIC).moving([1.0, 0.0, 0.0], [0.0; 3]));
    for z in [-0.5, 0.5] {
        scene.add(ball(&format!("{z}"), [0.0, 0.0, z * 1.001], 1.0).material(ELASTIC));
    }
    let mut simulation = Simulation::new(&scene, tiny()).unwrap();
    simulation.advance(4.0).unwrap();
    let [cue, left, right] = [0, 1, 2].map(|body| simulation.velocity(body));
    assert!(
        cue.z.abs() < 1e-9 && (left.x - right.x).abs() < 1e-9 && (left.z + right.z).abs() < 1e-9,
        "{cue} {left} {right}"
    );
    assert!((simulation.energy() - 0.5).abs() < 1e-9);
    assert_eq!(simulation.events(), 1);
}

/// Elastic billiards without friction: with all velocities reversed the balls come back.
#[test]
fn billiards_run_backwards_to_their_start() {
    let mut scene = scenes::box_of_balls(8);
    let start: Vec<DVec3> = scene.bodies.iter().map(|body| body.pose.translation()).collect();
    let settings = Settings { envelope: Some(1e-6), ..Settings::default() };
    let mut forwards = Simulation::new(&scene, settings).unwrap();
    forwards.advance(6.0).unwrap();
    assert!(forwards.events() > 20, "{}", forwards.events());
    for (number, body) in scene.bodies.iter_mut().enumerate() {
        (body.pose, body.velocity) = (forwards.pose(number), -forwards.velocity(number));
    }
    let mut backwards = Simulation::new(&scene, settings).unwrap();
    backwards.advance(6.0).unwrap();
    assert_eq!(backwards.events(), forwards.events());
    for (number, &start) in start.iter().enumerate() {
        let error = backwards.pose(number).translation().distance(start);
        assert!(error < 1e-6, "{number}: {error}");
    }
}

#[test]
fn a_bullet_does_not_miss_a_thin_wall() {
    let mut simulation = Simulation::new(&scenes::bullet(), tiny()).unwrap();
    simulation.advance(1.0).unwrap();
    assert_eq!(simulation.events(), 1);
    assert!((simulation.velocity(0).x + 900.0).abs() < 1e-9);
}

#[test]
fn a_turntable_takes_a_ball_along() {
    let mut scene = Scene::new([0.0, -10.0, 0.0]);
    scene.add(Body::kinematic(
        "table",
        Shape::cuboid([5.0, 0.1, 5.0]).unwrap(),
        Pose::IDENTITY,
        [0.0; 3],
        [0.0, 1.0, 0.0],
    ));
    let material = Material { friction: 1.0, restitution: 0.0, rolling_resistance: 0.0 };
    scene.add(ball("ball", [2.0, 0.7, 0.0], 1.0).material(material));
    let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
    simulation.advance(0.5).unwrap();
    // Before it grips nothing moves it; then the table, which moves by -2 along z there, gives it two sevenths of that.
    assert!((simulation.velocity(1).z + 4.0 / 7.0).abs() < 0.05, "{}", simulation.velocity(1));
}
