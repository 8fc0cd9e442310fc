//! Stacks and piles like those of rapier's examples run on `clearance-parry`, and stay as stable as with parry's own dispatcher.
#![cfg(feature = "rapier")]

use clearance_rapier::{Engine, EngineKind, Record, Watch, scenes};
use clearance_sim::Scene;

/// A scene after some seconds.
fn run(kind: EngineKind, scene: &Scene, length: f64, floor: f64, seconds: u32) -> Record {
    let mut engine = Engine::new(kind, scene, length);
    let mut watch = Watch::new(scene, &engine, floor);
    for frame in 1..=60 * seconds {
        assert!(engine.advance(frame));
        watch.see(&engine);
    }
    watch.record().clone()
}

/// Our contacts, then parry's.
fn both(scene: &Scene, length: f64, floor: f64, seconds: u32) -> [Record; 2] {
    let found =
        [EngineKind::RapierOnClearance, EngineKind::Rapier].map(|kind| run(kind, scene, length, floor, seconds));
    println!("{found:#?}");
    found
}

#[test]
fn a_stack_of_ten_boxes_stands() {
    let [ours, theirs] = both(&scenes::stack(10), 1.0, 0.5, 10);
    assert!(ours.drift <= theirs.drift.max(0.005), "the boxes have moved by {}", ours.drift);
    assert_eq!(ours.sleeping, 10);
    assert!(ours.rise <= theirs.rise.max(1e-4) && ours.penetration <= 1.1 * theirs.penetration);
}

#[test]
fn a_pyramid_of_fifty_five_boxes_stands() {
    let [ours, theirs] = both(&scenes::pyramid(10), 1.0, 0.5, 10);
    assert!(ours.drift <= theirs.drift.max(0.01), "the boxes have moved by {}", ours.drift);
    assert_eq!(ours.sleeping, 55);
    assert!(ours.rise <= theirs.rise.max(1e-4) && ours.penetration <= 1.1 * theirs.penetration);
}

#[test]
fn a_pile_of_stones_comes_to_rest() {
    let [ours, theirs] = both(&scenes::pile(45), 0.8, 0.3, 12);
    assert_eq!((ours.missed, theirs.missed), (0, 0));
    assert!(ours.sleeping >= theirs.sleeping, "{} sleep, {} with parry", ours.sleeping, theirs.sleeping);
    assert!(ours.rise <= theirs.rise.max(1e-2) && ours.penetration <= 1.2 * theirs.penetration.max(0.01));
}
