//! Every broad phase finds the pairs that comparing all boxes finds, frame after frame, and reports their differences in
//! the same order.
//!
//! `FRAMES=5000 SLOTS=300 cargo test --release -p clearance-lab --test main broad` is the long form.

use clearance::broad::{BroadKind, BroadPhase, SlotPair};
use clearance::math::{Aabb, DVec3};
use clearance_lab::boxes::{Change, Kind, World};
use std::collections::BTreeSet;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Decided here and not by the library: do two boxes overlap?
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| {
        let proper = a.min[k] <= a.max[k] && b.min[k] <= b.max[k];
        proper && a.min[k] <= b.max[k] && b.min[k] <= a.max[k]
    })
}

fn all_pairs(boxes: &[Option<Aabb>]) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if let (Some(a), Some(b)) = (a, b)
                && overlap(a, b)
            {
                pairs.insert((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn plain(pairs: &[SlotPair]) -> Vec<(u32, u32)> {
    pairs.iter().map(|pair| (pair.low(), pair.high())).collect()
}

/// What an update must report: pairs of slots that changed hands are reported twice.
fn differences(
    before: &BTreeSet<(u32, u32)>,
    now: &BTreeSet<(u32, u32)>,
    renewed: &BTreeSet<u32>,
) -> [Vec<(u32, u32)>; 2] {
    let changed_hands = |&&(i, j): &&(u32, u32)| renewed.contains(&i) || renewed.contains(&j);
    let added = now.iter().filter(|pair| !before.contains(pair) || changed_hands(pair));
    let removed = before.iter().filter(|pair| !now.contains(pair) || changed_hands(pair));
    [added.copied().collect(), removed.copied().collect()]
}

fn follow(kind: Kind, slots: usize, frames: usize, seed: u64) {
    let mut world = World::new(kind, slots, seed);
    let mut phases: Vec<Box<dyn BroadPhase>> = BroadKind::ALL.iter().map(|kind| kind.build()).collect();
    let mut before = BTreeSet::new();
    let (mut total, mut changed) = (0, 0);
    for frame in 0..frames {
        let old = world.boxes().to_vec();
        let changes = world.frame();
        let mut renewed = BTreeSet::new();
        for change in &changes {
            match *change {
                Change::Set(slot, bounds) => phases.iter_mut().for_each(|phase| phase.set(slot, &bounds)),
                Change::Remove(slot) => {
                    if world.boxes()[slot as usize].is_some() && old[slot as usize].is_some() {
                        renewed.insert(slot);
                    }
                    phases.iter_mut().for_each(|phase| phase.remove(slot));
                }
            }
        }
        let now = all_pairs(world.boxes());
        let [added, removed] = differences(&before, &now, &renewed);
        total += now.len();
        changed += added.len() + removed.len();
        let around = world.boxes()[frame % slots].unwrap_or(Aabb { min: DVec3::ZERO, max: DVec3::splat(2.0) });
        let hits: Vec<u32> = (0..slots as u32)
            .filter(|&slot| world.boxes()[slot as usize].is_some_and(|bounds| overlap(&bounds, &around)))
            .collect();
        for (phase, kind_of) in phases.iter_mut().zip(BroadKind::ALL) {
            let what = format!("{} in frame {frame} of {kind:?}, seed {seed}", kind_of.name());
            // Before the update and after it: queries see the boxes as they are.
            let mut found = vec![7];
            if frame % 2 == 0 {
                phase.overlapping(&around, &mut found);
                assert_eq!(found, hits, "{what}");
            }
            let changes = phase.update();
            assert_eq!(plain(changes.added), added, "{what}: added");
            assert_eq!(plain(changes.removed), removed, "{what}: removed");
            assert!(phase.pairs().iter().map(|pair| (pair.low(), pair.high())).eq(now.iter().copied()), "{what}");
            phase.overlapping(&around, &mut found);
            assert_eq!(found, hits, "{what}");
            assert_nearest(phase.as_mut(), world.boxes(), &around, &what);
            if frame % 16 == 0 {
                let again = phase.update();
                assert!(again.added.is_empty() && again.removed.is_empty(), "{what}: nothing changed");
            }
        }
        before = now;
    }
    assert!(total > frames && changed > frames / 8, "{kind:?}: {total} pairs and {changed} changes make a weak test");
}

/// The least distance to another box, as found by narrowing the limit, is that of a search through all.
fn assert_nearest(phase: &mut dyn BroadPhase, boxes: &[Option<Aabb>], from: &Aabb, what: &str) {
    let proper = |bounds: &Aabb| overlap(bounds, bounds);
    let distance = |a: &Aabb, b: &Aabb| {
        let gap = |k: usize| {
            let (up, down) = (b.min[k] > a.max[k], a.min[k] > b.max[k]);
            if up {
                b.min[k] - a.max[k]
            } else if down {
                a.min[k] - b.max[k]
            } else {
                0.0
            }
        };
        (gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2)).sqrt()
    };
    // The boxes that are apart: the nearest of all is often the box itself.
    let apart = |d: f64| d > 0.0;
    let candidates = boxes.iter().flatten().filter(|b| proper(from) && proper(b)).map(|b| distance(from, b));
    let truth = candidates.filter(|&d| apart(d)).fold(f64::INFINITY, f64::min);
    let mut found = f64::INFINITY;
    phase.nearest(from, f64::INFINITY, &mut |slot, d| {
        let bounds = boxes[slot as usize].as_ref().expect("only slots in use are visited");
        assert_eq!(d, distance(from, bounds), "{what}");
        if apart(d) && d < found {
            found = d;
        }
        found
    });
    assert_eq!(found, truth, "{what}: nearest");
}

fn run(kind: Kind) {
    let (slots, frames) = (setting("SLOTS", 120), setting("FRAMES", 120));
    follow(kind, slots, frames, 1);
    follow(kind, 12, 4 * frames, 2);
    // Enough for batches, rebuilt trees and shrinking tables.
    follow(kind, 6 * slots, frames / 12, 3);
}

#[test]
fn random_worlds_are_followed() {
    run(Kind::Random);
}

#[test]
fn clustered_worlds_are_followed() {
    run(Kind::Clustered);
}

#[test]
fn sizes_of_six_orders_of_magnitude_are_followed() {
    run(Kind::Mixed);
}

#[test]
fn jumping_boxes_are_followed() {
    run(Kind::Teleporting);
}

#[test]
fn worlds_in_which_little_moves_are_followed() {
    run(Kind::Static);
}

#[test]
fn points_flat_unbounded_empty_and_identical_boxes_are_followed() {
    run(Kind::Degenerate);
}
