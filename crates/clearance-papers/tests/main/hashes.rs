//! The hashes of the two-phase paper find the pairs that comparing all boxes finds, and drive a world.

use clearance::broad::BroadPhase;
use clearance::world::{Config, World};
use clearance::{Pose, Shape};
use clearance_lab::boxes::Kind;
use clearance_lab::broad_phases::follow_all;
use clearance_papers::two_phase::{CoherentHash, PlainHash};

fn hashes() -> Vec<(&'static str, Box<dyn BroadPhase>)> {
    vec![("coherent hash", Box::new(CoherentHash::default())), ("plain hash", Box::new(PlainHash::default()))]
}

#[test]
fn worlds_of_boxes_of_every_kind_are_followed() {
    for kind in Kind::ALL {
        follow_all(hashes, kind, 120, 120);
    }
}

#[test]
fn a_world_with_a_hash_finds_the_pairs_of_a_world_with_a_tree() {
    let [mut tree, mut hash] =
        [World::default(), World::with_broad_phase(Config::default(), Box::new(CoherentHash::default()))];
    let ball = Shape::sphere(0.6).expect("a radius");
    let place = |number: u32, frame: u32| {
        Pose::from_translation([f64::from(number % 5), f64::from(number / 5), 0.3 * f64::from(frame * number % 7)])
    };
    let ids: Vec<_> = (0..25)
        .map(|number| [&mut tree, &mut hash].map(|world| world.insert(ball.clone(), place(number, 0))))
        .collect();
    let mut overlaps = 0;
    for frame in 0..20 {
        for (number, [in_tree, in_hash]) in (0..).zip(&ids) {
            tree.set_pose(*in_tree, place(number, frame));
            hash.set_pose(*in_hash, place(number, frame));
        }
        let pairs = |world: &mut World| world.update().overlapping().map(|pair| [pair.a, pair.b]).collect::<Vec<_>>();
        let found = pairs(&mut tree);
        assert_eq!(found, pairs(&mut hash), "frame {frame}");
        overlaps += found.len();
    }
    assert!(overlaps > 100, "{overlaps}");
}
