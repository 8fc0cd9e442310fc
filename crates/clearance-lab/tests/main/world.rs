//! Worlds compared with the plain query for every pair: the same overlaps, the same events, the same bits for any broad phase and any number of
//! threads. `FRAMES=2000` in the environment is the long form.

use clearance::broad::BroadKind;
use clearance::math::{Aabb, DVec3};
use clearance::world::{Body, Config, Detail};
use clearance::{Axis, BodyId, Engine, HalfHeight, Pose, QueryFilter, Radius, Shape, World};
use clearance_lab::{Rng, models, random};
use std::collections::BTreeSet;

fn frames() -> usize {
    std::env::var("FRAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

fn shape(rng: &mut Rng) -> Shape {
    let size = random::magnitude(rng, -1.5, 0.3);
    match rng.usize(..7) {
        0 => Shape::sphere(size).unwrap(),
        1 => Shape::cuboid(random::vector(rng, 0.1, 1.0) * size).unwrap(),
        2 => Shape::capsule(Axis::Y, Radius(0.3 * size), HalfHeight(size)).unwrap(),
        3 => Shape::cylinder(Axis::Y, Radius(size), HalfHeight(0.5 * size)).unwrap(),
        4 => Shape::cone(Axis::Y, Radius(size), HalfHeight(size)).unwrap(),
        5 => {
            let part = Shape::cuboid([size, 0.1 * size, 0.1 * size]).unwrap();
            let other = Shape::sphere(0.3 * size).unwrap();
            Shape::compound([(part, Pose::IDENTITY), (other, Pose::from_translation([size, 0.0, 0.0]))]).unwrap()
        }
        _ => {
            let points: Vec<DVec3> = models::random_hull(rng, 30).into_iter().map(|p| p * size).collect();
            Shape::hull(&points).unwrap()
        }
    }
}

fn pose(rng: &mut Rng) -> Pose {
    Pose::new(random::vector(rng, -3.0, 3.0), random::rotation(rng))
}

/// The bodies as the test models them, and the expected results of the rules.
#[derive(Default)]
struct Model {
    bodies: Vec<(BodyId, Body)>,
    ignored: BTreeSet<[BodyId; 2]>,
    odd_only: bool,
}

impl Model {
    fn is_checked(&self, (i, a): &(BodyId, Body), (j, b): &(BodyId, Body)) -> bool {
        let same_group = a.group.is_some() && a.group == b.group;
        let kept_apart = self.odd_only && (i.slot() + j.slot()).is_multiple_of(2);
        !(same_group || kept_apart || a.is_fixed && b.is_fixed || self.ignored.contains(&[*i.min(j), *i.max(j)]))
    }

    /// All pairs that are checked, the smaller slot first.
    fn pairs(&self) -> impl Iterator<Item = (&(BodyId, Body), &(BodyId, Body))> {
        let all = self.bodies.iter().flat_map(move |a| self.bodies.iter().map(move |b| (a, b)));
        all.filter(|(a, b)| a.0 < b.0 && self.is_checked(a, b))
    }
}

/// A random change, applied to the model and to the worlds.
fn disturb(rng: &mut Rng, model: &mut Model, worlds: &mut [World]) {
    let each = |worlds: &mut [World], act: &mut dyn FnMut(&mut World) -> bool| {
        for world in worlds {
            assert!(act(world), "the body is there");
        }
    };
    if model.bodies.len() < 20 || rng.usize(..12) == 0 && model.bodies.len() < 60 {
        let mut body = Body::new(shape(rng), pose(rng));
        match rng.usize(..6) {
            0 => body = body.fixed(),
            1 => body = body.group(rng.u32(..3)),
            _ => {}
        }
        let ids: Vec<BodyId> = worlds.iter_mut().map(|world| world.insert_body(body.clone())).collect();
        assert!(ids.iter().all(|id| *id == ids[0]));
        model.bodies.push((ids[0], body));
        return;
    }
    let chosen = rng.usize(..model.bodies.len());
    let other = model.bodies[rng.usize(..model.bodies.len())].0;
    let (id, body) = &mut model.bodies[chosen];
    let id = *id;
    match rng.usize(..40) {
        0 => {
            for world in worlds.iter_mut() {
                assert!(world.remove(id).is_some() && world.remove(id).is_none());
                assert!(
                    !world.set_pose(id, Pose::IDENTITY)
                        && world.body(id).is_none()
                        && world.nearest(id, QueryFilter::ALL).is_none()
                );
            }
            model.bodies.remove(chosen);
        }
        1 => {
            body.shape = shape(rng);
            each(worlds, &mut |world| world.set_shape(id, body.shape.clone()));
        }
        2 => {
            body.group = rng.bool().then(|| rng.u32(..3));
            each(worlds, &mut |world| world.set_group(id, body.group));
        }
        3 => {
            body.is_fixed = rng.bool();
            each(worlds, &mut |world| world.set_fixed(id, body.is_fixed));
        }
        4 if other != id => {
            let is_ignored = rng.bool();
            let pair = [id.min(other), id.max(other)];
            if is_ignored {
                model.ignored.insert(pair)
            } else {
                model.ignored.remove(&pair)
            };
            worlds.iter_mut().for_each(|world| world.set_ignored(id, other, is_ignored));
        }
        5 => {
            model.odd_only = rng.bool();
            for world in worlds {
                match model.odd_only {
                    true => world.set_filter(|(i, _), (j, _)| !(i.slot() + j.slot()).is_multiple_of(2)),
                    false => world.clear_filter(),
                }
            }
        }
        6 => {
            body.pose = pose(rng);
            each(worlds, &mut |world| world.set_pose(id, body.pose));
        }
        _ => {
            let step = 0.1 * random::direction(rng);
            body.pose = Pose::new(body.pose.translation() + step, body.pose.rotation());
            each(worlds, &mut |world| world.set_pose(id, body.pose));
        }
    }
}

/// Random worlds with every kind of change: all pairs within the margin are listed, none that is farther, and the events are the difference of the
/// frames.
#[test]
fn a_world_answers_what_asking_every_pair_answers() {
    for (seed, margin) in [(1, 0.0), (2, 0.25), (3, 2.0)] {
        let mut rng = Rng::with_seed(seed);
        let mut worlds: Vec<World> = BroadKind::ALL
            .into_iter()
            .map(|broad| World::new(Config { broad, margin, ..Config::default() }))
            .chain([World::new(Config { engine: Engine::Gjk, margin, ..Config::default() })])
            .collect();
        let floor = Body::new(Shape::half_space([0.0, 1.0, 0.0], -2.9).unwrap(), Pose::IDENTITY).fixed();
        let mut model = Model::default();
        let ids: Vec<BodyId> = worlds.iter_mut().map(|world| world.insert_body(floor.clone())).collect();
        model.bodies.push((ids[0], floor));
        let mut before = BTreeSet::new();
        let mut met = 0;
        for frame in 0..frames() {
            for _ in 0..rng.usize(..30) {
                disturb(&mut rng, &mut model, &mut worlds);
            }
            let last = worlds.len() - 1;
            let found: Vec<String> = worlds[..last].iter_mut().map(summary).collect();
            assert!(found.iter().all(|text| *text == found[0]), "frame {frame}: {found:#?}");
            for world in &mut worlds[last..] {
                world.update();
            }
            for world in [&worlds[0], &worlds[last]] {
                let (mut near, mut overlapping) = (BTreeSet::new(), BTreeSet::new());
                for pair in world.last_update().within(margin) {
                    near.insert([pair.a, pair.b]);
                }
                for pair in world.last_update().overlapping() {
                    overlapping.insert([pair.a, pair.b]);
                }
                for ((i, a), (j, b)) in model.pairs() {
                    let truth = clearance::distance(&a.shape, a.pose, &b.shape, b.pose);
                    let is_near = near.contains(&[*i, *j]);
                    assert!(
                        is_near || truth.upper > margin - 1e-12,
                        "frame {frame}: {i:?} {j:?} are missing: {truth:?}"
                    );
                    assert!(
                        !is_near || truth.lower <= margin + 1e-12,
                        "frame {frame}: {i:?} {j:?} are too far: {truth:?}"
                    );
                    let overlaps = overlapping.contains(&[*i, *j]);
                    assert!(overlaps || truth.upper > -1e-12, "frame {frame}: {i:?} {j:?} overlap: {truth:?}");
                    assert!(!overlaps || truth.lower <= 1e-12, "frame {frame}: {i:?} {j:?} do not overlap: {truth:?}");
                }
                let checked: BTreeSet<_> = model.pairs().map(|(a, b)| [a.0, b.0]).collect();
                assert!(near.is_subset(&checked) && overlapping.is_subset(&near));
            }
            let update = worlds[0].last_update();
            let now: BTreeSet<_> = update.overlapping().map(|pair| [pair.a, pair.b]).collect();
            assert!(update.started().iter().eq(now.difference(&before)), "frame {frame}");
            assert!(update.ended().iter().eq(before.difference(&now)), "frame {frame}");
            met += update.started().len() + update.ended().len();
            before = now;
        }
        assert!(met > frames() / 4, "{met} events make a weak test");
    }
}

/// All results of an update, to the last bit.
fn summary(world: &mut World) -> String {
    let margin = world.config().margin;
    let update = world.update();
    let near: Vec<String> = update.within(margin).map(|pair| format!("{pair:?}")).collect();
    format!("{near:?} {:?} {:?} {}", update.started(), update.ended(), update.candidates())
}

/// Every pair is answered by itself, so the number of threads changes nothing.
#[test]
fn the_results_are_the_same_bits_for_one_two_and_eight_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut rng = Rng::with_seed(8);
            let mut world = World::new(Config { margin: 0.1, ..Config::default() });
            let ids: Vec<BodyId> = (0..400).map(|_| world.insert(shape(&mut rng), pose(&mut rng))).collect();
            let mut text = String::new();
            let mut most = 0;
            for _ in 0..8 {
                for &id in &ids {
                    let step = 0.05 * random::direction(&mut rng);
                    let pose = world.body(id).unwrap().pose;
                    world.set_pose(id, Pose::new(pose.translation() + step, pose.rotation()));
                }
                text += &summary(&mut world);
                most = most.max(world.last_update().queries());
            }
            assert!(most > 1000, "{most} queries would not be shared");
            text
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
}

/// Yes or no agrees with the clearances, and has no distances.
#[test]
fn yes_and_no_are_those_of_the_clearances() {
    let mut rng = Rng::with_seed(5);
    let mut worlds =
        [Detail::Clearance, Detail::Intersection].map(|detail| World::new(Config { detail, ..Config::default() }));
    let bodies: Vec<Body> = (0..150).map(|_| Body::new(shape(&mut rng), pose(&mut rng))).collect();
    let ids: Vec<BodyId> =
        bodies.iter().map(|body| worlds.each_mut().map(|w| w.insert_body(body.clone()))[0]).collect();
    for _ in 0..20 {
        for &id in &ids {
            let pose = worlds[0].body(id).unwrap().pose;
            let pose = Pose::new(pose.translation() + 0.02 * random::direction(&mut rng), pose.rotation());
            worlds.iter_mut().for_each(|world| assert!(world.set_pose(id, pose)));
        }
        let [full, short] = worlds.each_mut().map(|world| {
            let update = world.update();
            update.overlapping().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>()
        });
        assert!(!full.is_empty());
        assert_eq!(full, short);
        assert!(worlds[1].last_update().overlapping().all(|pair| pair.clearance.is_none()));
    }
}

/// A world without motion runs no query; one body that moves concerns its own pairs only.
#[test]
fn what_rests_is_not_asked_again() {
    let mut rng = Rng::with_seed(6);
    let mut world = World::new(Config { margin: 0.2, ..Config::default() });
    let ids: Vec<BodyId> = (0..100).map(|_| world.insert(shape(&mut rng), pose(&mut rng))).collect();
    let all = world.update().queries();
    assert_eq!(all, world.last_update().candidates());
    let first = summary(&mut world);
    assert_eq!(world.last_update().queries(), 0);
    assert!(world.last_update().started().is_empty() && world.last_update().ended().is_empty());
    assert_eq!(first, summary(&mut world));
    let pose = world.body(ids[0]).unwrap().pose;
    world.set_pose(ids[0], pose);
    assert_eq!(world.update().queries(), 0, "the same pose again is no motion");
    world.set_pose(ids[0], Pose::new(pose.translation() + DVec3::splat(1e-3), pose.rotation()));
    let asked = world.update().queries();
    assert!(0 < asked && asked < all / 5, "{asked} of {all}");
}

#[test]
fn the_nearest_and_the_closest_are_those_of_all_pairs() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let spread = if seed % 2 == 0 { 1.0 } else { 6.0 };
        let mut worlds = BroadKind::ALL.map(|broad| World::new(Config { broad, margin: 0.3, ..Config::default() }));
        let mut model = Model::default();
        for k in 0..40 {
            let place = pose(&mut rng);
            let mut body = Body::new(shape(&mut rng), Pose::new(spread * place.translation(), place.rotation()));
            if k % 5 == 0 {
                body = body.group(1);
            }
            let ids = worlds.each_mut().map(|world| world.insert_body(body.clone()));
            model.bodies.push((ids[0], body));
        }
        let distance = |a: &Body, b: &Body| clearance::distance(&a.shape, a.pose, &b.shape, b.pose).distance;
        for world in &mut worlds {
            for one in &model.bodies {
                let others = model.bodies.iter().filter(|other| other.0 != one.0 && model.is_checked(one, other));
                let truth = others.map(|other| distance(&one.1, &other.1)).fold(f64::INFINITY, f64::min);
                let (id, clearance) = world.nearest(one.0, QueryFilter::ALL).unwrap();
                assert!((clearance.distance - truth).abs() < 1e-10, "{clearance:?}, and not {truth}");
                let there = &model.bodies.iter().find(|other| other.0 == id).unwrap().1;
                assert!((distance(&one.1, there) - truth).abs() < 1e-10);
            }
            let truth = model.pairs().map(|(a, b)| distance(&a.1, &b.1)).fold(f64::INFINITY, f64::min);
            let (_, clearance) = world.closest_pair(QueryFilter::ALL).unwrap();
            assert!((clearance.distance - truth).abs() < 1e-10, "{clearance:?}, and not {truth}");
        }
    }
}

#[test]
fn places_are_found_whatever_has_moved_since_the_last_update() {
    let mut rng = Rng::with_seed(12);
    let mut world = World::new(Config { margin: 0.5, ..Config::default() });
    let ids: Vec<BodyId> = (0..80).map(|_| world.insert(shape(&mut rng), pose(&mut rng))).collect();
    world.update();
    let probe = Shape::cuboid([0.3, 0.2, 0.4]).unwrap();
    for _ in 0..50 {
        for &id in &ids[..20] {
            world.set_pose(id, pose(&mut rng));
        }
        let (point, at) = (random::vector(&mut rng, -3.0, 3.0), pose(&mut rng));
        let bounds = Aabb { min: point, max: point + DVec3::splat(0.5) };
        let bodies: Vec<(BodyId, Body)> = world.bodies().map(|(id, body)| (id, body.clone())).collect();
        let ids_of = |wanted: &dyn Fn(&Body) -> bool| -> Vec<BodyId> {
            bodies.iter().filter(|(_, body)| wanted(body)).map(|(id, _)| *id).collect()
        };
        let inside = ids_of(&|body| {
            clearance::intersects(&Shape::point(), Pose::from_translation(point), &body.shape, body.pose)
        });
        assert_eq!(world.intersect_point(point, QueryFilter::ALL), inside);
        let touching = ids_of(&|body| clearance::intersects(&probe, at, &body.shape, body.pose));
        assert_eq!(world.intersect_shape(&probe, at, QueryFilter::ALL), touching);
        let near = ids_of(&|body| clearance::within(&probe, at, &body.shape, body.pose, 0.7).is_some());
        assert_eq!(
            world.within(&probe, at, 0.7, QueryFilter::ALL).into_iter().map(|(id, _)| id).collect::<Vec<_>>(),
            near
        );
        let boxed = world.intersect_aabb(&bounds, QueryFilter::ALL);
        let sure = ids_of(&|body| body.shape.aabb(&body.pose).overlaps(&bounds));
        assert!(sure.iter().all(|id| boxed.contains(id)));
    }
}

/// Two boxes whose gap is the margin to the last bits, far from the origin: neither phase may lose the pair.
#[test]
fn no_phase_forgets_the_margin() {
    let cube = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    for broad in BroadKind::ALL {
        for away in [0.0, 1e3, 1e9] {
            for gap in [0.1, 1.0, 12.5] {
                let mut world = World::new(Config { broad, margin: gap, ..Config::default() });
                let origin = DVec3::splat(away);
                let a = world.insert(cube.clone(), Pose::from_translation(origin));
                let b = world.insert(cube.clone(), Pose::from_translation(origin + DVec3::X * (1.0 + gap)));
                let c = world.insert(cube.clone(), Pose::from_translation(origin - DVec3::Z * (1.01 + gap)));
                let near: Vec<_> = world.update().within(gap).map(|pair| [pair.a, pair.b]).collect();
                let real = (origin.x + (1.0 + gap)) - origin.x - 1.0;
                assert!(near == [[a, b]] || real > gap && near.is_empty(), "{broad:?} {away} {gap}: {near:?}");
                world.set_margin(2.0 * gap + 2.0);
                assert_eq!(world.update().within(f64::INFINITY).count(), 3, "{broad:?} {away} {gap}");
                world.set_margin(0.0);
                assert_eq!(world.update().within(f64::INFINITY).count(), 0);
                assert!(world.remove(c).is_some());
            }
        }
    }
}

/// A slot that is used again is another body: its overlap ends and starts, under different names.
#[test]
fn a_body_in_the_place_of_another_is_not_taken_for_it() {
    let mut world = World::default();
    let ball = Shape::sphere(1.0).unwrap();
    let a = world.insert(ball.clone(), Pose::IDENTITY);
    let b = world.insert(ball.clone(), Pose::from_translation([0.5, 0.0, 0.0]));
    assert_eq!(world.update().started(), [[a, b]]);
    world.remove(b);
    let c = world.insert(ball, Pose::from_translation([0.5, 0.0, 0.0]));
    assert!(c != b && c.slot() == b.slot());
    let update = world.update();
    assert_eq!((update.started(), update.ended()), (&[[a, c]][..], &[[a, b]][..]));
    assert_eq!(world.update().overlapping().count(), 1);
}

/// The results of `all_pairs_within` are those of a fresh world, bit for bit, and the query leaves the updated world unchanged.
#[test]
fn a_survey_is_the_first_update_of_a_fresh_world() {
    let mut rng = Rng::with_seed(29);
    for broad in BroadKind::ALL {
        let config = Config { broad, margin: 0.2, ..Config::default() };
        let mut model = Model::default();
        let mut worlds = [World::new(config), World::new(config)];
        for frame in 0..frames() {
            for _ in 0..12 {
                disturb(&mut rng, &mut model, &mut worlds);
            }
            let [surveyed, plain] = &mut worlds;
            let mut found = Vec::new();
            surveyed.all_pairs_within(&|done, total| assert!(done <= total), |ids, clearance| {
                found.push((ids, *clearance))
            });
            let mut expected = Vec::new();
            let mut bodies: Vec<_> = model.pairs().collect();
            bodies.sort_by_key(|(a, b)| [a.0, b.0]);
            for (a, b) in bodies {
                let mut pair = clearance::Pair::new(&a.1.shape, &b.1.shape);
                expected.extend(pair.within(a.1.pose, b.1.pose, 0.2).map(|clearance| ([a.0, b.0], clearance)));
            }
            assert_eq!(found, expected, "{broad:?} frame {frame}");
            let (left, right) = (surveyed.update(), plain.update());
            assert!(left.within(0.2).eq(right.within(0.2)), "{broad:?} frame {frame}");
            assert_eq!((left.started(), left.ended()), (right.started(), right.ended()), "{broad:?} frame {frame}");
        }
    }
}
