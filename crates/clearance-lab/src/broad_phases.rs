//! Broad phases against a comparison of all boxes, frame after frame.

use crate::boxes::{Change, Kind, World};
use clearance::broad::{BroadPhase, SlotPair};
use clearance::math::{Aabb, DVec3};
use std::collections::BTreeSet;

/// Do two boxes overlap? Written again, so that the library does not judge itself.
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

/// The expected report of an update: pairs of slots with a new body are removed and added.
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

/// Puts a world of boxes into broad phases, which have names, and compares all that they report with a comparison of all boxes.
///
/// # Panics
///
/// If a broad phase reports other pairs, changes or slots, or reports them in another order.
pub fn follow(phases: &mut [(&str, Box<dyn BroadPhase>)], kind: Kind, slots: usize, frames: usize, seed: u64) {
    let mut world = World::new(kind, slots, seed);
    let mut before = BTreeSet::new();
    let (mut total, mut changed) = (0, 0);
    for frame in 0..frames {
        let old = world.boxes().to_vec();
        let changes = world.frame();
        let mut renewed = BTreeSet::new();
        for change in &changes {
            match *change {
                Change::Set(slot, bounds) => phases.iter_mut().for_each(|(_, phase)| phase.set(slot, &bounds)),
                Change::Remove(slot) => {
                    if world.boxes()[slot as usize].is_some() && old[slot as usize].is_some() {
                        renewed.insert(slot);
                    }
                    phases.iter_mut().for_each(|(_, phase)| phase.remove(slot));
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
        for (name, phase) in phases.iter_mut() {
            let what = format!("{name} in frame {frame} of {kind:?}, seed {seed}");
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

/// [`follow`] for worlds of several sizes; the phases are built anew for each.
pub fn follow_all(
    build: impl Fn() -> Vec<(&'static str, Box<dyn BroadPhase>)>,
    kind: Kind,
    slots: usize,
    frames: usize,
) {
    follow(&mut build(), kind, slots, frames, 1);
    follow(&mut build(), kind, 12, 4 * frames, 2);
    // Enough for batches, rebuilt trees and shrinking tables.
    follow(&mut build(), kind, 6 * slots, frames / 12, 3);
}
