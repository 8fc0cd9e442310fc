//! Scene queries of a world that is shared: right at any time, the same bits for all who ask. Copies of a world.

use crate::kinds::{rotation, vector};
use clearance::broad::BroadKind;
use clearance::math::{Aabb, DVec3};
use clearance::world::{Body, CollisionLayers, Config};
use clearance::{
    BodyId, Clearance, Impact, Interval, Motion, Pose, QueryFilter, Ray, Shape, ShapeHit, Sweep, World, cast_shape,
    closest_approach, distance,
};

const MARGIN: f64 = 0.3;

fn shape(rng: &mut fastrand::Rng) -> Shape {
    match rng.u32(..4) {
        0 => Shape::sphere(0.2 + 0.3 * rng.f64()).unwrap(),
        1 => Shape::cuboid([0.1 + 0.4 * rng.f64(), 0.3, 0.2]).unwrap(),
        2 => Shape::half_space([0.0, 1.0, 0.2], -3.5).unwrap(),
        _ => Shape::hull(&(0..12).map(|_| vector(rng, 0.5)).collect::<Vec<DVec3>>()).unwrap(),
    }
}

fn pose(rng: &mut fastrand::Rng) -> Pose {
    Pose::new(vector(rng, 3.0), rotation(rng))
}

fn world(broad: BroadKind, bodies: usize, rng: &mut fastrand::Rng) -> (World, Vec<BodyId>) {
    let mut world = World::new(Config { broad, margin: MARGIN, ..Config::default() });
    let ids = (0..bodies).map(|_| world.insert(shape(rng), pose(rng))).collect();
    (world, ids)
}

/// All queries of a world, to the bit.
#[derive(Debug, PartialEq)]
struct Look {
    nearest: Vec<Option<(BodyId, Clearance)>>,
    closest: Option<([BodyId; 2], Clearance)>,
    within: Vec<(BodyId, Clearance)>,
    touching: Vec<BodyId>,
    holding: Vec<BodyId>,
    boxed: [Vec<BodyId>; 3],
}

fn look(world: &World, seed: u64) -> Look {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (probe, at, point) = (Shape::cuboid([0.6, 0.5, 0.7]).unwrap(), pose(&mut rng), vector(&mut rng, 3.0));
    let everything = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    let none = Aabb { min: DVec3::ONE, max: DVec3::ZERO };
    Look {
        nearest: world.bodies().map(|(id, _)| world.nearest(id, QueryFilter::ALL)).collect(),
        closest: world.closest_pair(QueryFilter::ALL),
        within: world.within(&probe, at, 0.5, QueryFilter::ALL),
        touching: world.intersect_shape(&probe, at, QueryFilter::ALL),
        holding: world.intersect_point(point, QueryFilter::ALL),
        boxed: [Aabb { min: point, max: point + 1.0 }, everything, none]
            .map(|bounds| world.intersect_aabb(&bounds, QueryFilter::ALL)),
    }
}

/// The least of a body's clearances, without a broad phase.
fn least(world: &World, id: BodyId) -> f64 {
    let body = world.body(id).expect("it is there");
    let others = world.bodies().filter(|(other, _)| *other != id);
    others.map(|(_, b)| distance(&body.shape, body.pose, &b.shape, b.pose).distance).fold(f64::INFINITY, f64::min)
}

/// Queries see bodies where they are, whichever bodies were added, moved, reshaped or removed since the last update. The answers are the
/// same bits, for every broad phase, updated or not.
#[test]
fn a_query_is_the_same_before_and_after_the_update() {
    for broad in BroadKind::ALL {
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut world, mut ids) = world(broad, 100, &mut rng);
        let mut seen = [0; 3];
        for frame in 0..30 {
            // Few changes and many: trees are kept in order or fall behind.
            for change in 0..[0, 3, 250][frame % 3] {
                // When many have changed, and a query has been asked, more change.
                if change == 180 {
                    let mut copy = world.clone();
                    copy.refresh();
                    assert_eq!(look(&world, 7), look(&copy, 7), "{}, frame {frame}", broad.name());
                }
                let chosen = rng.usize(..ids.len());
                match rng.u32(..12) {
                    0 => {
                        world.remove(ids[chosen]).expect("it is there");
                        ids[chosen] = world.insert(shape(&mut rng), pose(&mut rng));
                    }
                    1 => {
                        world.set_shape(ids[chosen], shape(&mut rng));
                    }
                    2 if ids.len() > 90 => {
                        world.remove(ids.swap_remove(chosen)).expect("it is there");
                    }
                    3 => ids.push(world.insert(shape(&mut rng), pose(&mut rng))),
                    _ => {
                        world.set_pose(ids[chosen], pose(&mut rng));
                    }
                }
            }
            if frame % 10 == 9 {
                world.set_margin(if frame % 20 == 9 { 1.0 } else { MARGIN });
            }
            let what = format!("{}, frame {frame}", broad.name());
            let before = look(&world, frame as u64);
            let mut copy = world.clone();
            copy.refresh();
            assert_eq!(look(&copy, frame as u64), before, "{what}: refreshed");
            world.update();
            assert_eq!(look(&world, frame as u64), before, "{what}: updated");
            world.refresh();
            assert_eq!(look(&world, frame as u64), before, "{what}: updated and refreshed");
            for (found, (id, _)) in before.nearest.iter().zip(world.bodies()) {
                let (_, clearance) = found.expect("there are others");
                // Two half-spaces that are not parallel overlap without end.
                let truth = least(&world, id);
                assert!(clearance.distance == truth || (clearance.distance - truth).abs() < 1e-9, "{what}: {truth}");
            }
            assert!(before.boxed[1].len() == world.len() && before.boxed[2].is_empty(), "{what}");
            seen[0] += before.within.len();
            seen[1] += before.touching.len();
            seen[2] += before.holding.len();
        }
        assert!(seen.iter().all(|&count| count > 20), "representative: {seen:?}");
    }
}

/// A world may be sent to and shared by threads.
#[test]
fn a_world_is_clone_send_and_sync() {
    fn check<T: Clone + Send + Sync>() {}
    check::<World>();
}

/// Many threads ask one world, which nobody has put in order: what they get is what one thread gets.
#[test]
fn threads_that_share_a_world_get_the_same_bits() {
    for broad in BroadKind::ALL {
        let mut rng = fastrand::Rng::with_seed(2);
        let (mut world, ids) = world(broad, 100, &mut rng);
        // All move, so that a tree falls behind; then many are pending.
        world.update();
        ids.iter().for_each(|&id| assert!(world.set_pose(id, pose(&mut rng))));
        world.update();
        ids[..80].iter().for_each(|&id| assert!(world.set_pose(id, pose(&mut rng))));
        let alone: Vec<Look> = {
            let copy = world.clone();
            (0..6).map(|seed| look(&copy, seed)).collect()
        };
        let world = &world;
        let together: Vec<Vec<Look>> = std::thread::scope(|scope| {
            let threads = [(); 8].map(|()| scope.spawn(|| (0..6).map(|seed| look(world, seed)).collect()));
            threads.into_iter().map(|thread| thread.join().expect("no query panics")).collect()
        });
        assert!(together.iter().all(|looks| *looks == alone), "{}", broad.name());
    }
}

/// A copy and its original go separate ways: each is what it would be without the other, memory and rules included.
#[test]
fn a_clone_and_its_original_go_separate_ways() {
    /// One frame: some bodies move, some bodies are queried.
    fn step(world: &mut World, ids: &[BodyId], rng: &mut fastrand::Rng) -> String {
        for &id in ids {
            if rng.bool() {
                let pose = world.body(id).expect("it is there").pose;
                world.set_pose(id, Pose::new(pose.translation() + vector(rng, 0.1), pose.rotation()));
            }
        }
        let update = world.update();
        format!("{:?} {:?}", update.within(MARGIN).collect::<Vec<_>>(), update.events().collect::<Vec<_>>())
    }
    for broad in BroadKind::ALL {
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut original, ids) = world(broad, 60, &mut rng);
        original.set_filter(|(i, _), (j, _)| !(i.slot() + j.slot()).is_multiple_of(5));
        original.set_ignored(ids[0], ids[1], true);
        (0..5).for_each(|_| assert!(!step(&mut original, &ids, &mut rng).is_empty()));
        let (mut copy, mut twin) = (original.clone(), original.clone());
        let (mut one, mut other, mut again) = (rng.clone(), fastrand::Rng::with_seed(9), rng.clone());
        let mut differ = 0;
        for frame in 0..10 {
            let here = step(&mut original, &ids, &mut one);
            let there = step(&mut copy, &ids, &mut other);
            assert_eq!(here, step(&mut twin, &ids, &mut again), "{}, frame {frame}", broad.name());
            differ += usize::from(here != there);
        }
        assert!(differ > 5, "{}: they go different ways", broad.name());
        copy.clear_filter();
        copy.remove(ids[3]);
        let before = original.update().candidates();
        assert!(copy.update().candidates() != before && original.body(ids[3]).is_some(), "{}", broad.name());
    }
}

/// Two bodies are checked if each is on a layer of the other's mask, in updates, surveys and the nearest alike; nobody's number is
/// touched by any of it.
#[test]
fn layers_and_numbers_are_the_bodies_own() {
    let ball = Shape::sphere(1.0).unwrap();
    let mut rng = fastrand::Rng::with_seed(5);
    let mut world = World::default();
    let mut bodies: Vec<(BodyId, CollisionLayers)> = Vec::new();
    let draw = |rng: &mut fastrand::Rng| CollisionLayers::new(rng.u32(..8), rng.u32(..8));
    for i in 0..30 {
        let layers = if i == 0 { CollisionLayers::default() } else { draw(&mut rng) };
        let body = Body::new(ball.clone(), Pose::IDENTITY).layers(layers).user_data(1000 + i);
        bodies.push((world.insert_body(body), layers));
    }
    for round in 0..20 {
        let checked =
            |a: CollisionLayers, b: CollisionLayers| a.memberships & b.mask != 0 && b.memberships & a.mask != 0;
        let pairs = bodies.iter().flat_map(|a| bodies.iter().map(move |b| (a, b)));
        let mut expected: Vec<_> =
            pairs.filter(|(a, b)| a.0 < b.0 && checked(a.1, b.1)).map(|(a, b)| [a.0, b.0]).collect();
        expected.sort_unstable();
        let mut surveyed = Vec::new();
        world.all_pairs_within(&|_, _| {}, |pair, _| surveyed.push(pair));
        let updated: Vec<_> = world.update().overlapping().map(|pair| [pair.a, pair.b]).collect();
        assert!(surveyed == expected && updated == expected && expected.len() > 50, "round {round}");
        for &(id, layers) in &bodies {
            let is_lonely = !bodies.iter().any(|b| b.0 != id && checked(layers, b.1));
            assert_eq!(world.nearest(id, QueryFilter::ALL).is_none(), is_lonely, "round {round}");
        }
        let chosen = rng.usize(..30);
        bodies[chosen].1 = draw(&mut rng);
        assert!(world.set_layers(bodies[chosen].0, bodies[chosen].1));
    }
    for (i, &(id, layers)) in bodies.iter().enumerate() {
        let body = world.remove(id).expect("it is there");
        assert_eq!((body.user_data, body.layers), (1000 + i as u64, layers));
        assert!(!world.set_user_data(id, 7) && !world.set_layers(id, CollisionLayers::ALL), "it is gone");
        let again = world.insert_body(body);
        assert_eq!(world.body(again).map(|body| body.user_data), Some(1000 + i as u64));
        assert!(world.set_user_data(again, u64::MAX));
        assert_eq!(world.body(again).map(|body| body.user_data), Some(u64::MAX));
    }
}

#[test]
fn a_moving_shape_meets_what_it_meets_without_a_broad_phase() {
    let mut rng = fastrand::Rng::with_seed(164);
    let (mut hits, mut misses, mut touching) = (0, 0, 0);
    for broad in BroadKind::ALL {
        let mut world = World::new(Config { broad, margin: MARGIN, ..Config::default() });
        // One half-space, which is met from nearly everywhere, is enough.
        let shapes = std::iter::repeat_with(|| shape(&mut rng)).filter(|shape| !matches!(shape, Shape::HalfSpace(_)));
        let mut shapes: Vec<Shape> = shapes.take(90).collect();
        shapes.push(Shape::half_space([0.0, 1.0, 0.2], -6.0).unwrap());
        let ids: Vec<BodyId> = shapes.into_iter().map(|shape| world.insert(shape, pose(&mut rng))).collect();
        // First no box is known to the broad phase, then all, then all but a few, then all but many.
        for round in 0..4 {
            let moved = [0, 0, 5, 80][round];
            if round == 1 {
                world.update();
            }
            for &id in &ids[..moved] {
                world.set_pose(id, pose(&mut rng));
            }
            for _ in 0..12 {
                let (probe, at) = (shape(&mut rng), Pose::new(vector(&mut rng, 5.0), rotation(&mut rng)));
                let (direction, max) = (vector(&mut rng, 1.0), [0.0, 0.5, 3.0, 1e6][rng.usize(..4)]);
                let mut expected: Vec<(BodyId, ShapeHit)> = world
                    .bodies()
                    .filter_map(|(id, body)| {
                        let hit = cast_shape(&body.shape, body.pose, &probe, &Sweep::new(at, direction, max).unwrap());
                        hit.map(|hit| (id, hit))
                    })
                    .collect();
                expected.sort_by(|(a, p), (b, q)| p.distance.total_cmp(&q.distance).then(a.cmp(b)));
                assert_eq!(
                    world.cast_shape_all(&probe, &Sweep::new(at, direction, max).unwrap(), QueryFilter::ALL),
                    expected
                );
                assert_eq!(
                    world.cast_shape(&probe, &Sweep::new(at, direction, max).unwrap(), QueryFilter::ALL),
                    expected.first().copied()
                );
                hits += expected.iter().filter(|(_, hit)| !hit.is_touching()).count();
                touching += expected.iter().filter(|(_, hit)| hit.is_touching()).count();
                misses += usize::from(expected.is_empty());
            }
        }
    }
    assert!(hits > 300 && misses > 10 && touching > 50, "{hits} {misses} {touching}");
}

#[test]
fn all_approaches_have_every_pair_that_meets_or_comes_within_the_margin() {
    let mut rng = fastrand::Rng::with_seed(165);
    let (mut world, ids) = world(BroadKind::default(), 40, &mut rng);
    for &id in &ids[..25] {
        let motion =
            Motion::ballistic(pose(&mut rng), vector(&mut rng, 3.0), vector(&mut rng, 1.0), vector(&mut rng, 1.0));
        world.set_motion(id, motion.unwrap());
    }
    world.set_ignored(ids[0], ids[1], true);
    let motion = |id: BodyId| {
        world.motion(id).cloned().unwrap_or_else(|| Motion::fixed(world.body(id).expect("it is there").pose))
    };
    let mut found = Vec::new();
    world.all_approaches_within(Interval::UNIT, &|_, _| {}, |pair, start, impact| found.push((pair, *start, *impact)));
    let (mut hits, mut clear, mut touching, mut at) = (0, 0, 0, found.iter());
    for (i, &a) in ids.iter().enumerate() {
        for &b in &ids[i + 1..] {
            if [a, b] == [ids[0], ids[1]] {
                continue;
            }
            let [body_a, body_b] = [a, b].map(|id| world.body(id).expect("it is there"));
            let impact = closest_approach(&body_a.shape, &motion(a), &body_b.shape, &motion(b), Interval::UNIT);
            if matches!(&impact, Impact::Clear(approach) if approach.lower > MARGIN) {
                continue;
            }
            let (pair, start, told) = at.next().expect("a pair that comes close");
            assert_eq!(*pair, [a, b]);
            match (&impact, told) {
                (Impact::Clear(one), Impact::Clear(other)) => {
                    clear += 1;
                    assert!((one.lower - other.lower).abs() < 1e-6 && one.upper >= other.lower, "{one:?} {other:?}");
                }
                _ => assert_eq!(&impact, told),
            }
            hits += usize::from(matches!(told, Impact::Hit(_)));
            if let Impact::Touching(clearance) = told {
                touching += 1;
                assert_eq!(start, clearance);
            } else {
                assert!(start.lower > 0.0, "{start:?}");
            }
        }
    }
    assert!(at.next().is_none());
    assert!(hits > 20 && clear > 5 && touching > 20, "{hits} {clear} {touching}");
}

#[test]
fn a_filter_excludes_bodies_from_every_query() {
    let mut rng = fastrand::Rng::with_seed(166);
    let mut world = World::default();
    let ids: Vec<BodyId> = (0..120)
        .map(|number| {
            let layers = CollisionLayers::new(1 << (number % 3), [u32::MAX, 0, 5][number as usize / 3 % 3]);
            let mut body = Body::new(shape(&mut rng), pose(&mut rng)).layers(layers);
            body.is_fixed = number % 5 == 0;
            body.group = (number % 4 == 0).then_some(number % 8);
            world.insert_body(body)
        })
        .collect();
    let excluded: Vec<BodyId> = ids.iter().copied().step_by(7).collect();
    let odd = |id: BodyId, _: &Body| id.slot() % 2 == 1;
    let filters = [
        QueryFilter::ALL,
        QueryFilter::ALL.layers(CollisionLayers::new(1, 3)),
        QueryFilter::ALL.exclude_group(4),
        QueryFilter::ALL.exclude_fixed(),
        QueryFilter::ALL.only_fixed(),
        QueryFilter::ALL.exclude(&excluded),
        QueryFilter::ALL.predicate(&odd),
        QueryFilter::ALL.exclude(&excluded).predicate(&odd).exclude_fixed(),
    ];
    assert!(ids.iter().all(|&id| QueryFilter::ALL.accepts(id, world.body(id).expect("it is there"))));
    let mut seen = 0;
    for filter in filters {
        let wanted = |id: &BodyId| filter.accepts(*id, world.body(*id).expect("it is there"));
        let count = ids.iter().filter(|id| wanted(id)).count();
        assert!(count > 0, "representative");
        for _ in 0..20 {
            let (probe, at) = (shape(&mut rng), pose(&mut rng));
            let point = at.translation();
            let ids_of = |all: Vec<BodyId>| all.into_iter().filter(wanted).collect::<Vec<_>>();
            let touching = world.intersect_shape(&probe, at, filter);
            assert_eq!(touching, ids_of(world.intersect_shape(&probe, at, QueryFilter::ALL)));
            let holding = world.intersect_point(point, filter);
            assert_eq!(holding, ids_of(world.intersect_point(point, QueryFilter::ALL)));
            let bounds = Aabb { min: point, max: point + 1.0 };
            assert_eq!(world.intersect_aabb(&bounds, filter), ids_of(world.intersect_aabb(&bounds, QueryFilter::ALL)));
            let mut near = world.within(&probe, at, 1.0, QueryFilter::ALL);
            near.retain(|(id, _)| wanted(id));
            assert_eq!(world.within(&probe, at, 1.0, filter), near);
            let ray = Ray::new(point, vector(&mut rng, 1.0), 20.0).unwrap();
            let mut hits = world.cast_ray_all(&ray, QueryFilter::ALL);
            hits.retain(|(id, _)| wanted(id));
            assert_eq!(world.cast_ray_all(&ray, filter), hits);
            assert_eq!(world.cast_ray(&ray, filter).map(|(id, _)| id), hits.first().map(|(id, _)| *id));
            let sweep = Sweep::new(at, vector(&mut rng, 1.0), 5.0).unwrap();
            let mut met = world.cast_shape_all(&probe, &sweep, QueryFilter::ALL);
            met.retain(|(id, _)| wanted(id));
            assert_eq!(world.cast_shape_all(&probe, &sweep, filter), met);
            assert_eq!(world.cast_shape(&probe, &sweep, filter), met.first().copied());
            seen += touching.len() + hits.len() + met.len();
        }
        // The rules of pairs hold beside the filter.
        for &id in &ids[..20] {
            let nearest = world.nearest(id, filter);
            assert!(nearest.is_none_or(|(other, _)| wanted(&other) && other != id));
        }
        if let Some((pair, closest)) = world.closest_pair(filter) {
            assert!(pair.iter().all(wanted));
            for &id in ids.iter().filter(|id| wanted(id)) {
                let nearest = world.nearest(id, filter);
                assert!(nearest.is_none_or(|(_, clearance)| closest.distance <= clearance.distance + 1e-9));
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// A ball that comes from a billion away and is at 1/3 at the time of the query: its place is known to 1e-7 only, and the bracket says so.
#[test]
fn approaches_between_key_frames_know_the_rounding_error_of_the_places() {
    let mut world = World::default();
    let ball = Shape::sphere(1.0).unwrap();
    let [a, _] = [0.0, 5.0].map(|x| world.insert(ball.clone(), Pose::from_translation([x, 0.0, 0.0])));
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]);
    world.set_motion(a, Motion::key_frames(&[(0.0, at(-1e9)), (3.0, at(2e9 + 1.0))]).unwrap());
    let mut starts = Vec::new();
    world
        .all_approaches_within(Interval::new(1.0, 1.0 + 1e-12).unwrap(), &|_, _| {}, |_, start, _| starts.push(*start));
    assert!(starts.is_empty(), "nothing comes within a margin of zero");
    world.all_approaches_within(Interval::new(1.0, 2.0).unwrap(), &|_, _| {}, |_, start, _| starts.push(*start));
    // 5 - 1/3 - 2, times three.
    let [start] = starts[..] else { panic!("{starts:?}") };
    assert!(3.0 * start.lower <= 8.0 && 8.0 <= 3.0 * start.upper, "{start:?}");
    assert!(start.upper - start.lower < 1e-5, "{start:?}");
}
