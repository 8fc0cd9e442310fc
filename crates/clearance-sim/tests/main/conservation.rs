//! Momentum is kept to rounding, and energy never grows.

use clearance::math::DVec3;
use clearance::{Pose, Shape};
use clearance_sim::{Body, Mass, Material, Mode, Scene, Settings, Simulation, scenes};

/// Boxes, balls and hulls in free space, which collide with friction and any restitution.
fn cloud(seed: u64, restitution: f64) -> Scene {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut scene = Scene::new([0.0; 3]);
    for number in 0..12 {
        let place = DVec3::new(f64::from(number % 3), f64::from(number / 3 % 2), f64::from(number / 6)) * 1.6;
        let mut vector = |size: f64| DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * size;
        let shape = match number % 3 {
            0 => Shape::sphere(0.4).unwrap(),
            1 => Shape::cuboid([0.2, 0.3, 0.4]).unwrap(),
            _ => Shape::hull(&(0..10).map(|_| vector(1.0)).collect::<Vec<_>>()).unwrap(),
        };
        // Towards the middle.
        let velocity = (DVec3::splat(1.2) - place) + vector(0.5);
        let material = Material { friction: 0.4, restitution, rolling_resistance: 0.01 };
        let body = Body::new(format!("{number}"), shape, Pose::from_translation(place), Mass::Density(2.0));
        scene.add(body.material(material).moving(velocity, vector(3.0)));
    }
    scene
}

#[test]
fn momentum_is_kept_and_energy_never_grows() {
    for (seed, restitution) in [(1, 1.0), (2, 0.5), (3, 0.0)] {
        let scene = cloud(seed, restitution);
        let mut simulation = Simulation::new(&scene, Settings::default()).unwrap();
        let (momentum, angular) = (simulation.momentum(), simulation.angular_momentum());
        let mut energy = simulation.energy();
        for step in 1..=60 {
            simulation.advance(0.05 * f64::from(step)).unwrap();
            assert!(simulation.momentum().distance(momentum) < 1e-11, "{seed} {step}");
            // Bodies that tumble keep their energy to rounding, and their angular momentum to the square of a step of 0.01 radians.
            let error = simulation.angular_momentum().distance(angular);
            assert!(error < 1e-6, "{seed} {step}: {error}");
            assert!(simulation.energy() <= energy * (1.0 + 1e-10), "{seed} {step}: {} {energy}", simulation.energy());
            energy = simulation.energy();
            assert_eq!(simulation.measure(), 0.0, "{seed} {step}");
        }
        assert!(simulation.events() >= 10, "{}", simulation.events());
    }
}

#[test]
fn coins_keep_apart_and_lose_energy() {
    let mut simulation = Simulation::new(&scenes::coins(), Settings::default()).unwrap();
    let start = simulation.energy();
    let mut energy = start;
    for step in 1..=20 {
        simulation.advance(0.02 * f64::from(step)).unwrap();
        assert!(simulation.energy() <= energy + 1e-9 * start, "{step}: {} {energy}", simulation.energy());
        energy = simulation.energy();
        assert_eq!(simulation.measure(), 0.0);
    }
    assert!(energy < 0.9 * start, "{energy} {start}");
}

/// The built-in scenes but for those of meshes, which have a test of their own, in all modes.
#[test]
fn energy_does_not_grow_in_any_mode() {
    for (name, _) in scenes::NAMES.into_iter().filter(|(name, _)| !["letters", "digits"].contains(name)) {
        let scene = scenes::by_name(name).unwrap();
        for mode in Mode::ALL {
            // Bodies that rest take very many impulses of springs.
            if mode == Mode::Penalty && !["cradle", "bullet", "box-of-balls"].contains(&name) {
                continue;
            }
            let mut simulation = Simulation::new(&scene, Settings { mode, ..Settings::default() }).unwrap();
            let start = simulation.energy();
            for frame in 1..=18 {
                simulation.advance(f64::from(frame) / 60.0).unwrap();
                let now = simulation.energy();
                assert!(now <= start + 1e-9 * start.abs(), "{name} {} {frame}: {now} {start}", mode.name());
            }
        }
    }
}

#[test]
fn same_scene_same_bits() {
    let run = || {
        let mut simulation = Simulation::new(&cloud(7, 0.7), Settings::default()).unwrap();
        simulation.advance(1.5).unwrap();
        (0..12).map(|body| simulation.pose(body).to_array()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

/// The work per impact of a thousand balls and of eight. Most impacts of eight balls are with walls, and a ball of a thousand flies longer between two impacts, which costs checks, too: 9.8 and 23.9 of them per
/// impact.
#[test]
fn an_impact_among_a_thousand_balls_takes_about_as_much_work_as_among_eight() {
    let work = |count: usize, seconds: f64| {
        let mut simulation = Simulation::new(&scenes::box_of_balls(count), Settings::default()).unwrap();
        simulation.advance(1.0).unwrap();
        let (checks, events) = (simulation.checks(), simulation.events());
        simulation.advance(seconds).unwrap();
        (simulation.checks() - checks) as f64 / (simulation.events() - events) as f64
    };
    let (few, many) = (work(8, 80.0), work(1000, 2.0));
    assert!(many < 3.0 * few, "{few} {many}");
}
