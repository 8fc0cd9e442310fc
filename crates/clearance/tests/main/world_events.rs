//! The events of an update are the difference of two updates, by the plain query about every pair: through motion, removal, rules and
//! margins.

use crate::kinds::{rotation, vector};
use clearance::broad::BroadKind;
use clearance::world::{Body, CollisionLayers, Config, Detail, PairEvent};
use clearance::{BodyId, Pose, Shape, World, distance};
use std::collections::{BTreeMap, BTreeSet};

type Pairs = BTreeSet<[BodyId; 2]>;

fn shape(rng: &mut fastrand::Rng) -> Shape {
    if rng.bool() { Shape::sphere(0.4).unwrap() } else { Shape::cuboid([0.2, 0.5, 0.3]).unwrap() }
}

/// The pairs that overlap and those within the margin, asked one by one. `None` where rounding decides.
fn brute_force(world: &World, ignored: &Pairs) -> Option<[Pairs; 2]> {
    let mut found = [Pairs::new(), Pairs::new()];
    let bodies: Vec<_> = world.bodies().collect();
    for (i, (id, a)) in bodies.iter().enumerate() {
        for (other, b) in &bodies[i + 1..] {
            if ignored.contains(&[*id, *other]) || !a.layers.check(b.layers) {
                continue;
            }
            let d = distance(&a.shape, a.pose, &b.shape, b.pose).distance;
            let limits = [0.0, if world.config().detail == Detail::Clearance { world.config().margin } else { 0.0 }];
            for (found, limit) in found.iter_mut().zip(limits) {
                if (d - limit).abs() < 1e-9 {
                    return None;
                }
                if d < limit {
                    found.insert([*id, *other]);
                }
            }
        }
    }
    Some(found)
}

fn follow(broad: BroadKind, detail: Detail, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut world = World::new(Config { broad, detail, margin: 0.4, ..Config::default() });
    let mut ids: Vec<BodyId> = Vec::new();
    let (mut before, mut ignored) = ([Pairs::new(), Pairs::new()], Pairs::new());
    let mut seen = [0; 4];
    // The bodies of the last update, and those that are new or have another shape since.
    let (mut last, mut is_new, mut met_before) = (BTreeMap::<BodyId, Body>::new(), BTreeSet::<BodyId>::new(), 0);
    for frame in 0..150 {
        let what = format!("{} {detail:?}, frame {frame}", broad.name());
        // Few changes and many; now and then bodies take the places and slots of others.
        for _ in 0..[2, 5, 40][frame % 3] {
            let drawn = Pose::new(vector(&mut rng, 1.6), rotation(&mut rng));
            if ids.len() < 16 {
                ids.push(world.insert(shape(&mut rng), drawn));
                continue;
            }
            let chosen = rng.usize(..ids.len());
            let (id, other) = (ids[chosen], ids[rng.usize(..ids.len())]);
            match rng.u32(..20) {
                0 => {
                    let body = world.remove(id).expect("it is there");
                    ids[chosen] = world.insert_body(body);
                    ignored.retain(|pair| !pair.contains(&id));
                }
                1 => {
                    world.remove(ids.swap_remove(chosen)).expect("it is there");
                    ignored.retain(|pair| !pair.contains(&id));
                }
                2 if id != other => {
                    let is_ignored = rng.bool();
                    let pair = [id.min(other), id.max(other)];
                    world.set_ignored(id, other, is_ignored);
                    if is_ignored {
                        ignored.insert(pair)
                    } else {
                        ignored.remove(&pair)
                    };
                }
                3 => assert!(world.set_layers(id, CollisionLayers::new(u32::MAX, rng.u32(..2)))),
                4 => assert!(world.set_layers(id, CollisionLayers::ALL)),
                5 => {
                    assert!(world.set_shape(id, shape(&mut rng)));
                    is_new.insert(id);
                }
                6 => assert!(world.set_pose(id, drawn)),
                _ => {
                    let pose = world.body(id).expect("it is there").pose;
                    world.set_pose(id, Pose::new(pose.translation() + vector(&mut rng, 0.15), pose.rotation()));
                }
            }
        }
        if frame % 15 == 14 {
            world.set_margin([0.0, 0.8, 0.4][frame / 15 % 3]);
        }
        let Some(now) = brute_force(&world, &ignored) else {
            panic!("{what}: rounding decides; draw another seed");
        };
        let update = world.update();
        let difference = |a: &Pairs, b: &Pairs| a.difference(b).copied().collect::<Vec<_>>();
        let expected = [
            difference(&now[1], &before[1]),
            difference(&now[0], &before[0]),
            difference(&before[0], &now[0]),
            difference(&before[1], &now[1]),
        ];
        let lists = [update.entered(), update.started(), update.ended(), update.left()];
        assert_eq!(lists.map(<[_]>::to_vec), expected, "{what}");
        // The events are these lists, in the order of pairs and for one pair in the order of events.
        let mut events: Vec<([BodyId; 2], PairEvent)> = Vec::new();
        for (list, event) in expected.iter().zip(PairEvent::ALL) {
            events.extend(list.iter().map(|&pair| (pair, event)));
        }
        events.sort_unstable();
        assert!(update.events().map(|(event, pair)| (pair, event)).eq(events), "{what}");
        // Pairs that began to overlap: their clearance where both bodies were before, if they were there, with these shapes.
        let looked_back: Vec<_> =
            update.started_from().map(|pair| ([pair.a, pair.b], pair.clearance.map(|found| found.distance))).collect();
        let of_before: Vec<_> = update
            .started()
            .iter()
            .filter(|_| detail == Detail::Collision)
            .map(|pair| {
                let [a, b] = pair.map(|id| last.get(&id).filter(|_| !is_new.contains(&id)));
                let gap = a.zip(b).map(|(a, b)| distance(&a.shape, a.pose, &b.shape, b.pose));
                (*pair, gap.filter(|gap| gap.is_apart()).map(|gap| gap.distance))
            })
            .collect();
        assert_eq!(looked_back.len(), of_before.len(), "{what}");
        for ((pair, found), (of, wanted)) in looked_back.iter().zip(&of_before) {
            let differ = found.zip(*wanted).map_or(0.0, |(found, wanted)| (found - wanted).abs());
            assert!(pair == of && found.is_some() == wanted.is_some() && differ < 1e-9, "{what}: {found:?} {wanted:?}");
            met_before += usize::from(found.is_some());
        }
        is_new.clear();
        last = world.bodies().map(|(id, body)| (id, body.clone())).collect();
        let calm = world.update();
        assert_eq!(calm.started_from().count(), 0, "{what}");
        assert_eq!(calm.events().count(), 0, "{what}: nothing has happened since");
        for (seen, list) in seen.iter_mut().zip(&expected) {
            *seen += list.len();
        }
        before = now;
    }
    assert_eq!(met_before > 50, detail == Detail::Collision, "representative: {met_before}");
    assert!(seen.iter().all(|&count| count > 100), "representative: {seen:?}");
    let differ = seen[0] != seen[1];
    assert_eq!(differ, detail == Detail::Clearance, "yes or no knows no margin: {seen:?}");
}

#[test]
fn events_are_the_differences_of_updates_for_every_broad_phase() {
    for broad in BroadKind::ALL {
        for detail in [Detail::Clearance, Detail::Intersection, Detail::Collision] {
            follow(broad, detail, 1);
        }
    }
}
