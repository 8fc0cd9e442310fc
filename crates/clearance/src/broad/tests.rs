//! Every broad phase against all pairs of boxes, compared one by one by a few lines that share nothing with it.

use super::*;
use fastrand::Rng;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

/// Boxes of many sizes, on a coarse grid now and then so that they touch; some are points, flat, unbounded, or none.
fn draw(rng: &mut Rng) -> Aabb {
    let size = 10.0_f64.powf(2.0 * rng.f64() - 1.5);
    let min = vector(rng, 4.0);
    let max = min + size * (vector(rng, 0.5) + 0.5);
    match rng.u32(..24) {
        0 => Aabb { min, max: min },
        1 => Aabb { min, max: DVec3::new(max.x, min.y, max.z) },
        2 => Aabb { min, max: DVec3::new(f64::INFINITY, max.y, max.z) },
        3 => Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, f64::INFINITY, max.z) },
        4 => Aabb { min: max + 1.0, max: min },
        5 => Aabb { min: DVec3::NAN, max },
        6..12 => Aabb { min: min.round(), max: min.round() + (2.0 * (max - min)).ceil() },
        _ => Aabb { min, max },
    }
}

/// The definition: closed boxes, of which one that is empty overlaps nothing.
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    let is_box = |a: &Aabb| (0..3).all(|i| a.min[i] <= a.max[i]);
    is_box(a) && is_box(b) && (0..3).all(|i| a.min[i] <= b.max[i] && b.min[i] <= a.max[i])
}

fn pairs(boxes: &BTreeMap<u32, Aabb>) -> BTreeSet<SlotPair> {
    let all = boxes.iter().flat_map(|(i, a)| boxes.iter().map(move |(j, b)| ((i, a), (j, b))));
    all.filter(|((i, a), (j, b))| i < j && overlap(a, b)).map(|((i, _), (j, _))| SlotPair::new(*i, *j)).collect()
}

/// The distance of two boxes that are none of the empty ones.
fn gap(a: &Aabb, b: &Aabb) -> f64 {
    let apart = |i: usize| (b.min[i] - a.max[i]).max(a.min[i] - b.max[i]).max(0.0);
    [0, 1, 2].map(apart).map(|x| x * x).iter().sum::<f64>().sqrt()
}

/// After any changes, the pairs are those that overlap, sorted, and the changes are the differences. A slot that was given to another box
/// in between ends its pairs and begins them anew.
#[test]
fn every_broad_phase_finds_the_pairs_that_overlap_and_what_changed() {
    for kind in BroadKind::ALL {
        let mut rng = Rng::with_seed(1);
        let mut broad = kind.build();
        let mut boxes = BTreeMap::new();
        let mut before = BTreeSet::new();
        let mut seen = [0; 3];
        for frame in 0..120 {
            let what = format!("{}, frame {frame}", kind.name());
            let mut renewed = BTreeSet::new();
            // Calm frames, and some in which everything moves: both ways of the tree.
            let share = if frame % 10 < 7 { 6 } else { 40 };
            for slot in 0..40 {
                match rng.u32(..40) {
                    0 => {
                        broad.remove(slot);
                        boxes.remove(&slot);
                    }
                    1 => {
                        // Another body in the same slot, and sometimes at the same place.
                        broad.remove(slot);
                        let bounds = boxes.get(&slot).copied().filter(|_| rng.bool()).unwrap_or_else(|| draw(&mut rng));
                        broad.set(slot, &bounds);
                        boxes.insert(slot, bounds);
                        renewed.insert(slot);
                    }
                    2 => {
                        let bounds = draw(&mut rng);
                        broad.set(slot, &bounds);
                        boxes.insert(slot, bounds);
                    }
                    chance if chance < share => {
                        if let Some(bounds) = boxes.get_mut(&slot) {
                            let by = vector(&mut rng, 0.2);
                            *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
                            broad.set(slot, bounds);
                        }
                    }
                    _ => {}
                }
            }
            let now = pairs(&boxes);
            let is_renewed = |pair: &&SlotPair| renewed.contains(&pair.low()) || renewed.contains(&pair.high());
            let again: BTreeSet<SlotPair> = now.intersection(&before).filter(is_renewed).copied().collect();
            let added: Vec<SlotPair> =
                now.difference(&before).chain(&again).copied().collect::<BTreeSet<_>>().into_iter().collect();
            let removed: Vec<SlotPair> =
                before.difference(&now).chain(&again).copied().collect::<BTreeSet<_>>().into_iter().collect();
            let changes = broad.update();
            assert_eq!((changes.added, changes.removed), (&added[..], &removed[..]), "{what}");
            assert_eq!(broad.pairs(), now.iter().copied().collect::<Vec<_>>(), "{what}");
            let calm = broad.update();
            assert!(calm.added.is_empty() && calm.removed.is_empty(), "{what}: nothing has changed since");
            seen = [seen[0] + added.len(), seen[1] + removed.len(), seen[2] + again.len()];
            before = now;
        }
        assert!(seen.iter().all(|&count| count > 20), "representative: {seen:?}");
    }
}

/// Queries for overlaps and neighbours use the current boxes, before any update.
#[test]
fn every_broad_phase_answers_queries_about_the_boxes_as_they_are() {
    for kind in BroadKind::ALL {
        let mut rng = Rng::with_seed(2);
        let mut broad = kind.build();
        let mut boxes = BTreeMap::new();
        for round in 0..200 {
            for _ in 0..3 {
                let (slot, bounds) = (rng.u32(..60), draw(&mut rng));
                broad.set(slot, &bounds);
                boxes.insert(slot, bounds);
            }
            if rng.u32(..4) == 0 {
                let slot = rng.u32(..60);
                broad.remove(slot);
                boxes.remove(&slot);
            }
            // A tree is behind after some updates and in order after others and after a refresh; queries build what they need.
            match rng.u32(..12) {
                0 => {
                    broad.update();
                }
                1 => broad.refresh(),
                2 => broad = broad.clone(),
                _ => {}
            }
            let what = format!("{}, round {round}", kind.name());
            let probe = draw(&mut rng);
            let mut found = vec![77];
            broad.overlapping(&probe, &mut found);
            let expected: Vec<u32> = boxes.iter().filter(|(_, b)| overlap(&probe, b)).map(|(slot, _)| *slot).collect();
            assert_eq!(found, expected, "{what}");
            for (&slot, bounds) in &boxes {
                let held = if overlap(bounds, bounds) { *bounds } else { Aabb::EMPTY };
                assert_eq!(*broad.bounds(slot), held, "{what}");
            }
            if !overlap(&probe, &probe) || !(probe.max - probe.min).is_finite() {
                continue;
            }
            // With a limit that shrinks to the best so far, the nearest is found, with its distance.
            let near = |b: &&Aabb| overlap(b, b) && (b.max - b.min).is_finite();
            let least = boxes.values().filter(near).map(|b| gap(&probe, b)).fold(f64::INFINITY, f64::min);
            let (mut best, mut all) = (f64::INFINITY, BTreeSet::new());
            broad.nearest(&probe, f64::INFINITY, &mut |slot, distance| {
                all.insert(slot);
                best = best.min(distance);
                best
            });
            assert!(best <= least && all.iter().all(|slot| boxes.contains_key(slot)), "{what}: {best} of {least}");
            // With a limit that stays, all within it and no other.
            let mut within = BTreeSet::new();
            broad.nearest(&probe, 1.0, &mut |slot, distance| {
                assert!((distance - gap(&probe, &boxes[&slot])).abs() <= 1e-12 || !distance.is_finite(), "{what}");
                within.insert(slot);
                1.0
            });
            let close = |(_, b): &(&u32, &Aabb)| overlap(b, b) && gap(&probe, b) <= 1.0;
            let expected: BTreeSet<u32> = boxes.iter().filter(close).map(|(slot, _)| *slot).collect();
            assert_eq!(within, expected, "{what}");
        }
    }
}

/// Slots beyond the end hold nothing, and are no trouble.
#[test]
fn a_slot_that_there_cannot_be_holds_nothing() {
    let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    for kind in BroadKind::ALL {
        let mut broad = kind.build();
        broad.set(SLOTS, &unit);
        broad.remove(SLOTS);
        broad.remove(5);
        broad.set(3, &unit);
        assert!(broad.update().added.is_empty() && *broad.bounds(SLOTS) == Aabb::EMPTY, "{}", kind.name());
        assert_eq!(BroadKind::ALL.iter().filter(|other| other.name() == kind.name()).count(), 1);
    }
}
