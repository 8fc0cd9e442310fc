//! Penalty mode: bounces, energy, solids that are not convex, and results beside event mode.

use clearance::math::DVec3;
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Material, Mode, Scene, Settings, Simulation, scenes};

fn penalty() -> Settings {
    Settings { mode: Mode::Penalty, ..Settings::default() }
}

fn material(friction: f64, restitution: f64) -> Material {
    Material { friction, restitution, rolling_resistance: 0.0 }
}

fn floor() -> Body {
    Body::fixed("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY).material(material(0.5, 0.0))
}

/// A solid U of three bars, one apart.
fn u() -> Shape {
    let bar = |half: [f64; 3]| Shape::cuboid(half).unwrap();
    Shape::compound([
        (bar([1.5, 0.5, 0.5]), Pose::IDENTITY),
        (bar([0.5, 1.5, 0.5]), Pose::from_translation([-1.0, 1.0, 0.0])),
        (bar([0.5, 1.5, 0.5]), Pose::from_translation([1.0, 1.0, 0.0])),
    ])
    .unwrap()
}

#[test]
fn bounces_have_the_restitution_of_the_material() {
    for restitution in [0.2, 0.5, 0.8, 1.0] {
        let mut scene = Scene::new([0.0, -10.0, 0.0]);
        scene.add(floor());
        let place = Pose::from_translation([0.0, 5.5, 0.0]);
        let ball = Body::new("ball", Shape::sphere(0.5).unwrap(), place, Mass::Total(3.0));
        scene.add(ball.material(material(0.0, restitution)));
        let mut simulation = Simulation::new(&scene, penalty()).unwrap();
        let start = simulation.energy();
        simulation.advance(0.99).unwrap();
        let mut speed = 0.0_f64;
        for frame in 1..=40 {
            simulation.advance(0.99 + 0.005 * f64::from(frame)).unwrap();
            speed = speed.max(simulation.velocity(1).y);
            assert!(simulation.energy() <= start * (1.0 + 1e-12));
        }
        // It arrives at 10 m/s.
        assert!((speed - 10.0 * restitution).abs() < 0.15, "{restitution}: {speed}");
        let times = simulation.collision_times().unwrap();
        assert_eq!((times.by_cubics, times.by_bisection, times.by_proof), (1, 0, 0), "{times:?}");
        // A free fall is a polynomial of the second degree.
        assert_eq!(times.cubics, 1, "{times:?}");
    }
}

/// An elastic impact off the centers, with spin, has the velocities of the impulse in event mode.
#[test]
fn an_impact_is_that_of_event_mode() {
    let mut scene = Scene::new([0.0; 3]);
    let elastic = material(0.0, 1.0);
    let ball =
        Body::new("ball", Shape::sphere(0.4).unwrap(), Pose::from_translation([-2.0, 0.3, 0.1]), Mass::Total(1.0));
    scene.add(ball.material(elastic).moving([2.0, 0.0, 0.0], [0.0; 3]));
    let cube = Body::new("box", Shape::cuboid([0.5, 0.6, 0.7]).unwrap(), Pose::IDENTITY, Mass::Total(2.0));
    scene.add(cube.material(elastic));
    let run = |mode| {
        let mut simulation = Simulation::new(&scene, Settings { mode, ..Settings::default() }).unwrap();
        let momentum = (simulation.momentum(), simulation.angular_momentum());
        simulation.advance(1.2).unwrap();
        assert!(simulation.momentum().distance(momentum.0) < 1e-12);
        assert!(simulation.angular_momentum().distance(momentum.1) < 1e-5);
        (0..2).map(|body| (simulation.velocity(body), simulation.angular_velocity(body))).collect::<Vec<_>>()
    };
    for (one, other) in run(Mode::Event).into_iter().zip(run(Mode::Penalty)) {
        // The bodies turn by 0.04 radians while they touch.
        assert!(one.0.distance(other.0) < 0.05 && one.1.distance(other.1) < 0.08, "{one:?} {other:?}");
    }
}

/// Two U that fall into each other. The force follows the global depth, which changes its direction.
#[test]
fn solids_that_are_not_convex_keep_apart_and_energy_never_grows() {
    let mut scene = Scene::new([0.0, -9.81, 0.0]);
    scene.add(floor());
    let turned = Pose::from_axis_angle([1.0, 0.2, 0.0], 2.8).unwrap();
    for (name, place) in
        [("low", Pose::from_translation([0.0, 0.6, 0.0])), ("high", Pose::from_translation([0.6, 6.2, 0.1]) * turned)]
    {
        scene.add(Body::new(name, u(), place, Mass::Density(1.0)).material(material(0.4, 0.3)));
    }
    let mut simulation = Simulation::new(&scene, penalty()).unwrap();
    let (start, mut energy) = (simulation.energy(), simulation.energy());
    for frame in 1..=120 {
        simulation.advance(f64::from(frame) / 60.0).unwrap();
        assert!(simulation.energy() <= energy + 1e-9 * start, "{frame}: {} {energy}", simulation.energy());
        energy = simulation.energy();
        simulation.measure();
    }
    assert!(energy < 0.9 * start, "{energy} {start}");
    assert!(simulation.worst_penetration() < 0.2, "{}", simulation.worst_penetration());
    println!(
        "{} contacts, {:?}, worst {}",
        simulation.events(),
        simulation.collision_times(),
        simulation.worst_penetration()
    );
}

#[test]
fn a_box_rests_and_holds_on_a_slope() {
    for (friction, moves) in [(0.2, true), (0.6, false)] {
        let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], -20.0_f64.to_radians()).unwrap();
        let mut scene = Scene::new([0.0, -9.81, 0.0]);
        let slope = Body::fixed("slope", Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), turn);
        scene.add(slope.material(material(friction, 0.0)));
        let place = turn * Pose::from_translation([0.0, 0.5, 0.0]);
        let cube = Body::new("box", Shape::cuboid([0.5; 3]).unwrap(), place, Mass::Density(2.0));
        scene.add(cube.material(material(friction, 0.0)));
        let mut simulation = Simulation::new(&scene, penalty()).unwrap();
        // The spring takes its load in a tenth of a second.
        simulation.advance(0.3).unwrap();
        let speed = simulation.velocity(1).length();
        simulation.advance(1.0).unwrap();
        let gain = simulation.velocity(1).length() - speed;
        let travel = simulation.pose(1).translation().distance(place.translation());
        let truth = 0.7 * 9.81 * (20.0_f64.to_radians().sin() - friction * 20.0_f64.to_radians().cos());
        if moves {
            assert!((gain - truth).abs() < 0.01 * truth, "{gain} {truth}");
        } else {
            assert!(travel < 5e-3, "{travel}");
        }
        assert!(simulation.measure() < 5e-3, "{}", simulation.measure());
    }
}

/// The ends of the step show no overlap: the proved time stops it.
#[test]
fn a_bullet_does_not_pass_a_thin_wall() {
    let mut simulation = Simulation::new(&scenes::bullet(), penalty()).unwrap();
    let start = simulation.energy();
    simulation.advance(0.3).unwrap();
    assert!(simulation.velocity(0).x < -890.0, "{}", simulation.velocity(0));
    assert!(simulation.energy() <= start * (1.0 + 1e-12));
    let times = simulation.collision_times().unwrap();
    assert_eq!((times.by_cubics, times.by_bisection, times.by_proof), (0, 0, 1), "{times:?}");
}

/// A peg deep in a slot that is too narrow: the global depth pushes it out along the slot, not into an arm.
#[test]
fn a_peg_leaves_a_slot_by_the_shortest_way() {
    let mut scene = Scene::new([0.0; 3]);
    scene.add(Body::fixed("u", u(), Pose::IDENTITY));
    let peg = Shape::cuboid([0.375, 1.0, 0.5]).unwrap();
    let place = Pose::from_translation([0.0, 1.4975, 0.0]);
    scene.add(Body::new("peg", peg, place, Mass::Total(1.0)).material(material(0.0, 1.0)));
    let mut simulation = Simulation::new(&scene, penalty()).unwrap();
    let start = simulation.energy();
    simulation.advance(2.0).unwrap();
    let found = simulation.pose(1).translation();
    assert!(found.y > 1.5 && (found - DVec3::Y * found.y).length() < 1e-6, "{found}");
    assert!(simulation.energy() <= start * (1.0 + 1e-12) && simulation.measure() == 0.0);
}
