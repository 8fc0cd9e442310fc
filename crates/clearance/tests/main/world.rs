//! A world is the plain query about every pair of its bodies, and what changed since the last time. (Rules, threads and long runs are
//! in the lab.)

use crate::judge;
use crate::kinds::{bounded, rotation, vector};
use clearance::broad::BroadKind;
use clearance::world::{Config, Detail};
use clearance::{Axis, BodyId, HalfHeight, Pose, QueryFilter, Radius, Shape, World, distance, intersects};
use std::collections::BTreeSet;

const MARGIN: f64 = 0.3;

/// Two worlds with one body of every kind, the one with clearances and the other with yes or no, and the bodies.
fn worlds(broad: BroadKind, rng: &mut fastrand::Rng) -> ([World; 2], Vec<(BodyId, Shape, Pose)>) {
    let mut worlds = [Detail::Clearance, Detail::Intersection]
        .map(|detail| World::new(Config { broad, detail, margin: MARGIN, ..Config::default() }));
    let mut bodies = Vec::new();
    for kind in bounded(0.5) {
        let pose = Pose::new(vector(rng, 1.2), rotation(rng));
        let ids = worlds.each_mut().map(|world| world.insert(kind.shape.clone(), pose));
        assert_eq!(ids[0], ids[1]);
        bodies.push((ids[0], kind.shape, pose));
    }
    (worlds, bodies)
}

/// No pair within the margin is missed and none is made up; what is said of a pair fulfils the contract of an answer; what has started
/// and ended is the difference of two updates.
#[test]
fn an_update_is_the_plain_query_about_every_pair() {
    for broad in BroadKind::ALL {
        let mut rng = fastrand::Rng::with_seed(1);
        let ([mut world, mut yes_no], mut bodies) = worlds(broad, &mut rng);
        let mut before = BTreeSet::new();
        let mut seen = [0; 2];
        for frame in 0..12 {
            let what = format!("{}, frame {frame}", broad.name());
            let update = world.update();
            let near: Vec<_> = update.within(MARGIN).map(|e| ([e.a, e.b], *e.clearance.expect("asked for"))).collect();
            let overlapping: BTreeSet<_> = update.overlapping().map(|e| [e.a, e.b]).collect();
            let (started, ended) = (update.started().to_vec(), update.ended().to_vec());
            for (i, (id_a, a, pose_a)) in bodies.iter().enumerate() {
                for (id_b, b, pose_b) in &bodies[i + 1..] {
                    let truth = distance(a, *pose_a, b, *pose_b);
                    let found = near.iter().find(|(pair, _)| *pair == [*id_a, *id_b]);
                    assert!(found.is_some() || truth.upper > MARGIN, "{what}: missed {truth:?}");
                    if let Some((_, c)) = found {
                        assert_eq!(judge::fault(a, *pose_a, b, *pose_b, c), None, "{what}");
                        assert!(c.lower <= truth.upper && truth.lower <= c.upper, "{what}: {c:?} {truth:?}");
                        assert!(c.lower <= MARGIN, "{what}: {c:?}");
                    }
                    // Within rounding of touching either is right.
                    if truth.distance.abs() > 1e-12 {
                        let overlaps = overlapping.contains(&[*id_a, *id_b]);
                        assert_eq!(overlaps, intersects(a, *pose_a, b, *pose_b), "{what}: {truth:?}");
                        seen[usize::from(overlaps)] += 1;
                    }
                }
            }
            let difference = |a: &BTreeSet<_>, b: &BTreeSet<_>| a.difference(b).copied().collect::<Vec<[BodyId; 2]>>();
            assert_eq!(started, difference(&overlapping, &before), "{what}");
            assert_eq!(ended, difference(&before, &overlapping), "{what}");
            assert_eq!(
                yes_no.update().overlapping().map(|e| [e.a, e.b]).collect::<BTreeSet<_>>(),
                overlapping,
                "{what}"
            );
            before = overlapping;
            // Nothing moves, no query runs and nothing happens.
            let idle = world.update();
            assert!(idle.queries() == 0 && idle.started().is_empty() && idle.ended().is_empty(), "{what}");
            for (id, _, pose) in &mut bodies {
                *pose = Pose::new(pose.translation() + vector(&mut rng, 0.2), rotation(&mut rng));
                assert!(world.set_pose(*id, *pose) && yes_no.set_pose(*id, *pose));
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "representative: {seen:?}");
    }
}

/// The nearest body and the closest pair are the least of all the plain answers.
#[test]
fn nearest_and_closest_are_the_least_of_all() {
    for broad in BroadKind::ALL {
        let mut rng = fastrand::Rng::with_seed(2);
        let ([world, _], bodies) = worlds(broad, &mut rng);
        let mut least = f64::INFINITY;
        for (id, shape, pose) in &bodies {
            let others = bodies.iter().filter(|(other, ..)| other != id);
            let truth =
                others.map(|(_, b, pose_b)| distance(shape, *pose, b, *pose_b).distance).fold(f64::INFINITY, f64::min);
            let (_, found) = world.nearest(*id, QueryFilter::ALL).expect("there are others");
            assert!((found.distance - truth).abs() < 1e-9, "{}: {found:?} {truth}", broad.name());
            least = least.min(truth);
        }
        let (_, found) = world.closest_pair(QueryFilter::ALL).expect("there are two");
        assert!((found.distance - least).abs() < 1e-9, "{}: {found:?} {least}", broad.name());
    }
}

/// A body that was removed is gone from every answer, and its name from every query.
#[test]
fn a_removed_body_is_gone() {
    for broad in BroadKind::ALL {
        let mut world = World::new(Config { broad, ..Config::default() });
        let ball = Shape::sphere(1.0).unwrap();
        let [a, b] = [(); 2].map(|()| world.insert(ball.clone(), Pose::IDENTITY));
        assert_eq!(world.update().started(), [[a, b]]);
        assert!(world.remove(a).is_some() && world.remove(a).is_none());
        let update = world.update();
        assert_eq!((update.ended(), update.overlapping().count()), (&[[a, b]][..], 0), "{}", broad.name());
        assert!(
            world.nearest(a, QueryFilter::ALL).is_none()
                && world.nearest(b, QueryFilter::ALL).is_none()
                && world.closest_pair(QueryFilter::ALL).is_none()
        );
        // The slot is another body's now.
        let c = world.insert(ball.clone(), Pose::IDENTITY);
        assert!(c != a && world.body(a).is_none());
        assert_eq!(world.update().started().len(), 1, "{}", broad.name());
    }
}

/// The bits of some updates, as one number. It is the same with and without the feature `parallel`, and on every processor.
#[test]
fn a_world_has_the_same_bits_with_and_without_threads() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut world = World::new(Config { margin: MARGIN, ..Config::default() });
    // None is made with a sine of the system, and there are enough that the work is shared, boxes as well as pairs.
    let shapes = [
        Shape::sphere(0.5),
        Shape::cuboid([0.5, 0.3, 0.4]),
        Shape::capsule(Axis::Y, Radius(0.2), HalfHeight(0.4)),
        Shape::cylinder(Axis::Y, Radius(0.3), HalfHeight(0.4)),
        Shape::ellipsoid([0.3, 0.4, 0.5]),
        Shape::hull(&[[0.5, 0.0, 0.0], [-0.5, 0.1, 0.0], [0.0, 0.5, 0.1], [0.0, 0.0, 0.5], [0.1, -0.4, -0.4]]),
    ]
    .map(|shape| shape.expect("sizes are good"));
    let ids: Vec<BodyId> = (0..700)
        .map(|i| world.insert(shapes[i % shapes.len()].clone(), Pose::new(vector(&mut rng, 8.0), rotation(&mut rng))))
        .collect();
    let (mut hash, mut count) = (0_u64, 0);
    for _ in 0..3 {
        for pair in world.update().within(MARGIN) {
            let c = pair.clearance.expect("asked for");
            let bits =
                [c.distance, c.lower, c.upper].into_iter().chain(c.point_a.to_array()).chain(c.normal.to_array());
            for x in bits.map(f64::to_bits).chain([pair.a.slot().into(), pair.b.slot().into()]) {
                hash = (hash.rotate_left(5) ^ x).wrapping_mul(0x517c_c1b7_2722_0a95);
            }
            count += 1;
        }
        for &id in &ids {
            world.set_pose(id, Pose::new(vector(&mut rng, 8.0), rotation(&mut rng)));
        }
    }
    let mut surveyed = 0;
    world.update();
    world.all_pairs_within(&|_, _| {}, |_, _| surveyed += 1);
    assert!(count > 1_000 && surveyed > 300, "{count} {surveyed}");
    assert_eq!(hash, 0x8736_c600_89ca_cf8e, "{hash:#x}");
}
