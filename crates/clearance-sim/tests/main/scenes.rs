//! The built-in scenes do what they are named for.

use clearance_sim::{Mode, Scene, Settings, Simulation, scenes};

fn steps(scene: &Scene) -> Simulation {
    Simulation::new(scene, Settings { mode: Mode::Steps, ..Settings::default() }).unwrap()
}

/// Spun against its grain it comes to a halt and turns the other way; along its grain it goes on.
#[test]
fn a_rattleback_reverses_its_spin_one_way_only() {
    let mut scene = scenes::rattleback();
    let spin_after = |scene: &Scene| {
        let mut simulation = Simulation::new(scene, Settings::default()).unwrap();
        let start = simulation.energy();
        simulation.advance(5.0).unwrap();
        assert!(simulation.energy() <= start * (1.0 + 1e-9));
        simulation.angular_velocity(1).z
    };
    let against = spin_after(&scene);
    scene.bodies[1].angular_velocity *= -1.0;
    let along = spin_after(&scene);
    assert!(against > 2.0 && along > 4.0, "{against} {along}");
}

#[test]
fn parts_slide_down_to_the_stop_in_their_order() {
    let scene = scenes::part_feeder();
    let mut simulation = steps(&scene);
    let start = simulation.energy();
    for frame in 1..=240 {
        simulation.advance(f64::from(frame) / 60.0).unwrap();
        simulation.measure();
    }
    let slope = scene.bodies[0].pose.rotation();
    let along: Vec<f64> = (4..13).map(|part| (slope.conjugate() * simulation.pose(part).translation()).x).collect();
    // The stop is at 0.6, and nine parts of 0.03 or 0.04 are a queue of 0.35.
    assert!(along.iter().all(|x| (0.1..0.6).contains(x)), "{along:?}");
    assert!(along.windows(2).all(|pair| pair[0] < pair[1] + 0.02), "{along:?}");
    assert!(simulation.energy() < start && simulation.worst_penetration() < 0.01, "{}", simulation.worst_penetration());
}

#[test]
fn a_house_of_cards_stands_for_a_minute() {
    let scene = scenes::card_house();
    let mut simulation = steps(&scene);
    simulation.advance(5.0).unwrap();
    let rested: Vec<_> = (1..8).map(|card| simulation.pose(card).translation()).collect();
    simulation.advance(60.0).unwrap();
    for (card, rested) in (1..8).zip(rested) {
        let drift = simulation.pose(card).translation().distance(rested);
        assert!(drift < 1e-3, "{card}: {drift}");
    }
}

/// Meshes that are not convex fall on each other. `LETTERS=SECONDS` lets all 200 fall for that long, and prints the time of a frame.
#[test]
fn letters_and_digits_do_not_sink_into_each_other() {
    let long: Option<f64> = std::env::var("LETTERS").ok().map(|seconds| seconds.parse().unwrap());
    let all = [(scenes::digits(), 0.35), (scenes::letters(if long.is_some() { 200 } else { 12 }), 0.4)];
    for (scene, seconds) in all {
        let mut simulation = steps(&scene);
        let (start, clock) = (simulation.energy(), std::time::Instant::now());
        let frames = (60.0 * long.unwrap_or(seconds)) as u32;
        for frame in 1..=frames {
            simulation.advance(f64::from(frame) / 60.0).unwrap();
            simulation.measure();
        }
        println!(
            "{} bodies, {:.3} s a frame, worst penetration {:e}, energy {start} -> {}",
            scene.bodies.len(),
            clock.elapsed().as_secs_f64() / f64::from(frames),
            simulation.worst_penetration(),
            simulation.energy()
        );
        assert!(simulation.events() > 0 && simulation.worst_penetration() < 5e-3, "{}", simulation.worst_penetration());
        assert!(simulation.energy() <= start, "{} {start}", simulation.energy());
    }
}
