//! The schedule that a world keeps: after any edits its next impact is that of a new schedule and the first of all pairs, the same bits.
//!
//! `EDITS=100000 cargo test --release -p clearance --test main world_schedule` is the long form.

use crate::kinds::{rotation, vector};
use clearance::math::DVec3;
use clearance::motion::Trajectory;
use clearance::world::{Body, BodyImpact, CollisionLayers};
use clearance::{BodyId, Impact, Interval, Motion, Pose, Shape, World, distance, time_of_impact};

fn shape(rng: &mut fastrand::Rng) -> Shape {
    let size = 0.15 + 0.25 * rng.f64();
    match rng.u32(..12) {
        0..5 => Shape::sphere(size).unwrap(),
        5..8 => Shape::cuboid([size, 0.2, 0.3]).unwrap(),
        8 => Shape::hull(&(0..12).map(|_| vector(rng, 0.4)).collect::<Vec<DVec3>>()).unwrap(),
        9 => {
            Shape::compound([-0.2, 0.2].map(|x| (Shape::sphere(size).unwrap(), Pose::from_translation([x, 0.0, 0.0]))))
                .unwrap()
        }
        10 => tetrahedron(),
        _ => Shape::half_space(vector(rng, 1.0), -4.0).unwrap(),
    }
}

/// A mesh.
fn tetrahedron() -> Shape {
    let points = [[0.0, 0.0, 0.4], [0.4, 0.0, -0.3], [-0.3, 0.3, -0.3], [-0.3, -0.3, -0.3]].map(DVec3::from_array);
    Shape::mesh(&points, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap()
}

/// To and fro along a line.
#[derive(Debug)]
struct Shaker(DVec3, DVec3);

impl Trajectory for Shaker {
    fn pose(&self, time: f64) -> Pose {
        Pose::from_translation(self.0 + self.1 * time.sin())
    }

    fn displacement(&self, from: f64, to: f64, _radius: f64) -> f64 {
        self.1.length() * (to - from).min(2.0)
    }
}

fn motion(rng: &mut fastrand::Rng, shape: &Shape, place: DVec3, now: f64) -> Motion {
    let pose = Pose::new(place, rotation(rng));
    let speed = 10.0_f64.powf(2.0 * rng.f64() - 1.0);
    let velocity = vector(rng, speed);
    let motion = match rng.u32(..16) {
        // A half-space that turns sweeps everything.
        _ if shape.bounding_radius().is_infinite() => Motion::linear(pose, velocity, [0.0; 3]).unwrap(),
        0 => Motion::custom(Shaker(place, velocity)),
        1..3 => Motion::linear(pose, velocity, vector(rng, 20.0)).unwrap(),
        3..5 => Motion::ballistic(pose, velocity, vector(rng, 2.0), [0.0, -1.0, 0.0]).unwrap(),
        5..7 => {
            let frames = [0.0, 0.7, 2.0].map(|time| (now + time, Pose::new(place + time * velocity, rotation(rng))));
            Motion::key_frames(&frames).unwrap()
        }
        7..9 => Motion::linear(pose, [0.0; 3], vector(rng, 5.0)).unwrap(),
        _ => Motion::linear(pose, velocity, [0.0; 3]).unwrap(),
    };
    motion.from_time(now).unwrap()
}

fn motion_of(world: &World, id: BodyId) -> Motion {
    world.motion(id).cloned().unwrap_or_else(|| Motion::fixed(world.body(id).unwrap().pose))
}

/// The first impact of all pairs, each by itself.
#[derive(Default)]
struct FirstOfAll {
    first: Option<BodyImpact>,
    /// A pair is undecided: a kept schedule may know more about it.
    has_undecided: bool,
    /// By this time, two bodies overlap.
    overlap: Option<f64>,
}

fn first_of_all(world: &World, ignored: &[[BodyId; 2]], [from, until]: [f64; 2]) -> FirstOfAll {
    let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
    let mut all = FirstOfAll::default();
    for (i, &a) in ids.iter().enumerate() {
        for &b in &ids[i + 1..] {
            let (one, other) = (world.body(a).unwrap(), world.body(b).unwrap());
            let [motion_a, motion_b] = [a, b].map(|id| motion_of(world, id));
            let is_ignored = ignored.contains(&[a, b]) || one.group.is_some() && one.group == other.group;
            if is_ignored || !one.layers.check(other.layers) || motion_a.is_fixed() && motion_b.is_fixed() {
                continue;
            }
            let impact =
                time_of_impact(&one.shape, &motion_a, &other.shape, &motion_b, Interval::new(from, until).unwrap());
            match impact {
                Impact::Hit(hit) if hit.is_proved() => {
                    all.overlap = Some(all.overlap.map_or(hit.upper, |time| time.min(hit.upper)));
                }
                Impact::Undecided(_) => all.has_undecided = true,
                Impact::Hit(_) => {}
                Impact::Clear(_) | Impact::Touching(_) => continue,
            }
            let found = BodyImpact { bodies: [a, b], impact };
            if all.first.is_none_or(|first| found.time() < first.time()) {
                all.first = Some(found);
            }
        }
    }
    all
}

/// Edits a world at random, and asks for the next impact after each; hands out all answers.
fn edits(seed: u64, count: usize, check: impl FnMut(&World, &[[BodyId; 2]], [f64; 2], Option<BodyImpact>)) {
    edits_of(World::default(), seed, count, check);
}

/// [`edits`] of a world that is given.
fn edits_of(
    mut world: World,
    seed: u64,
    count: usize,
    mut check: impl FnMut(&World, &[[BodyId; 2]], [f64; 2], Option<BodyImpact>),
) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut ids: Vec<BodyId> = Vec::new();
    let mut ignored: Vec<[BodyId; 2]> = Vec::new();
    let mut now = [0.0, 1e4][rng.usize(..2)];
    for round in 0..count {
        // At the beginning many bodies, later one edit or two.
        for _ in 0..if round == 0 { 16 } else { rng.usize(..3) } {
            let place = vector(&mut rng, 3.0);
            match rng.u32(if round == 0 { 0..4 } else { 0..14 }) {
                0..2 => ids.push(world.insert(shape(&mut rng), Pose::new(place, rotation(&mut rng)))),
                2..4 => {
                    let group = (rng.u32(..4) == 0).then(|| rng.u32(..3));
                    let body = Body { group, ..Body::new(shape(&mut rng), Pose::from_translation(place)) };
                    let motion = motion(&mut rng, &body.shape, place, now);
                    let id = world.insert_body(body);
                    world.set_motion(id, motion);
                    ids.push(id);
                }
                _ if ids.is_empty() => {}
                edit => {
                    let index = rng.usize(..ids.len());
                    let id = ids[index];
                    match edit {
                        4..8 => {
                            let motion = motion(&mut rng, &world.body(id).unwrap().shape, place, now);
                            world.set_motion(id, motion);
                        }
                        8 => drop(world.set_pose(id, Pose::from_translation(place))),
                        9 => drop(world.remove(ids.swap_remove(index))),
                        10 => drop(world.set_shape(id, shape(&mut rng))),
                        11 => drop(world.set_layers(id, CollisionLayers::new(rng.u32(1..4), rng.u32(1..4)))),
                        12 => drop(world.clear_motion(id)),
                        _ => {
                            let other = ids[rng.usize(..ids.len())];
                            if other != id {
                                let pair = [id.min(other), id.max(other)];
                                world.set_ignored(id, other, !ignored.contains(&pair));
                                match ignored.iter().position(|known| *known == pair) {
                                    Some(known) => drop(ignored.swap_remove(known)),
                                    None => ignored.push(pair),
                                }
                            }
                        }
                    }
                }
            }
        }
        ignored.retain(|pair| pair.iter().all(|id| world.body(*id).is_some()));
        let interval = [now, now + [0.1, 1.0, 4.0][rng.usize(..3)]];
        let found = world.next_impact(Interval::new(interval[0], interval[1]).unwrap());
        check(&world, &ignored, interval, found);
        // On to the impact, or not as far, or to the end; seldom back.
        let time = found.map_or(interval[1], |impact| impact.time());
        now = match rng.u32(..16) {
            0 => now - 0.1,
            1..5 => now + rng.f64() * (time - now),
            5 => now,
            _ => time,
        };
    }
}

fn count(few: usize) -> usize {
    std::env::var("EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(few)
}

#[test]
fn a_kept_schedule_answers_as_a_new_one_and_as_all_pairs_do() {
    let (mut hits, mut clear, mut undecided) = (0, 0, 0);
    let per_world = 40;
    for seed in 0..count(400) / per_world {
        edits(seed as u64, per_world, |world, ignored, interval, found| {
            let all = first_of_all(world, ignored, interval);
            if all.has_undecided {
                undecided += 1;
                let is_late = |time: f64| found.is_none_or(|found| found.time() > time);
                assert!(!all.overlap.is_some_and(is_late), "seed {seed}, {interval:?}: {found:?}");
                return;
            }
            let fresh = world.impacts(Interval::new(interval[0], interval[1]).unwrap()).next();
            assert_eq!(found, fresh, "seed {seed}, {interval:?}: a new schedule");
            assert_eq!(found, all.first, "seed {seed}, {interval:?}: all pairs");
            let again = world.clone().next_impact(Interval::new(interval[0], interval[1]).unwrap());
            assert_eq!(found, again, "seed {seed}: a copy of the world, and the same question again");
            *(if found.is_some() { &mut hits } else { &mut clear }) += 1;
        });
    }
    println!("{hits} hits, {clear} without an impact, {undecided} with undecided pairs");
    assert!(
        hits > 10 * clear.min(5) && clear > 0 && undecided * 10 < hits,
        "representative: {hits} {clear} {undecided}"
    );
}

/// Impacts to a gap, through edits: those of a world of grown bodies, and the bodies are that far apart then.
#[test]
fn impacts_to_a_gap_are_those_of_grown_bodies() {
    let mut seen = [0; 3];
    for seed in 0..6 {
        let gap = [0.02, 0.1, 0.3][seed as usize % 3];
        let mut world = World::default();
        world.set_impact_gap(gap);
        edits_of(world, seed, 30, |world, _, interval, found| {
            let time = Interval::new(interval[0], interval[1]).unwrap();
            let fresh = world.impacts(time).next();
            let is_decided = |found: &BodyImpact| found.impact.hit().is_some();
            if !found.iter().chain(&fresh).all(is_decided) {
                return;
            }
            assert_eq!(found, fresh, "seed {seed}, {interval:?}");
            let mut grown = world.clone();
            grown.set_impact_gap(0.0);
            for (id, body) in world.bodies() {
                grown.set_shape(id, body.shape.grown(0.5 * gap).unwrap());
            }
            let of_grown = grown.next_impact(time);
            assert_eq!(
                found.map(|found| (found.bodies, found.time())),
                of_grown.map(|found| (found.bodies, found.time()))
            );
            let Some((bodies, hit)) = found.and_then(|found| Some((found.bodies, *found.impact.hit()?))) else {
                return;
            };
            let [(a, pose_a), (b, pose_b)] =
                bodies.map(|id| (&world.body(id).unwrap().shape, motion_of(world, id).pose(hit.lower)));
            let apart = distance(a, pose_a, b, pose_b);
            let slack = 1e-9 * (1.0 + hit.lower.abs());
            assert!(apart.upper > gap - slack && apart.lower < gap + slack, "seed {seed}: {apart:?} {gap}");
            // The points are on the surfaces, and the triangles are those of the meshes.
            assert!(((hit.point_b - hit.point_a).length() - gap).abs() < slack);
            for (shape, pose, point, triangle) in
                [(a, pose_a, hit.point_a, hit.triangles[0]), (b, pose_b, hit.point_b, hit.triangles[1])]
            {
                let off = distance(shape, pose, &Shape::point(), Pose::from_translation(point));
                assert!(off.distance.abs() < slack, "seed {seed}: {off:?}");
                assert_eq!(triangle.is_some(), shape.as_mesh().is_some());
                seen[1] += usize::from(triangle.is_some());
            }
            seen[0] += 1;
            seen[2] += usize::from(hit.lower > interval[0]);
        });
    }
    assert!(seen[0] > 60 && seen[1] > 5 && seen[2] > 20, "representative: {seen:?}");
}

/// A shape that is derived too many times cannot be grown: the pair is undecided, not forgotten.
#[test]
fn a_shape_that_cannot_be_grown_is_undecided() {
    let mut nested = Shape::sphere(0.5).unwrap();
    while let Ok(next) = Shape::rounded(&nested, 0.01) {
        nested = next;
    }
    let mut world = World::default();
    world.set_impact_gap(0.1);
    let deep = world.insert(nested, Pose::IDENTITY);
    let ball = world.insert(Shape::sphere(0.5).unwrap(), Pose::IDENTITY);
    let motion = Motion::linear(Pose::from_translation([5.0, 0.0, 0.0]), [-1.0, 0.0, 0.0], [0.0; 3]).unwrap();
    world.set_motion(ball, motion);
    let found = world.next_impact(Interval::new(0.0, 9.0).unwrap()).expect("a pair to look at");
    assert!(found.bodies == [deep, ball] && matches!(found.impact, Impact::Undecided(_)));
}

#[test]
fn a_kept_schedule_has_the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut all = Vec::new();
        pool.install(|| edits(7, 60, |_, _, _, found| all.push(found)));
        all
    };
    let one = run(1);
    assert!(one.iter().flatten().count() > 30);
    assert!([2, 8].iter().all(|&threads| run(threads) == one));
}

/// Four balls reach two walls and each other at the same time: pairs come in the order of their slots.
#[test]
fn equal_times_are_in_the_order_of_the_slots() {
    let mut world = World::default();
    let ball = Shape::sphere(0.5).unwrap();
    let at = |x: f64, y: f64| Pose::from_translation([x, y, 0.0]);
    let ids: Vec<BodyId> = (0..4)
        .map(|k| {
            let (x, y) = (if k % 2 == 0 { 0.0 } else { 5.0 }, 10.0 * f64::from(k / 2));
            let id = world.insert(ball.clone(), at(x, y));
            let velocity = if k % 2 == 0 { 1.0 } else { -1.0 };
            world.set_motion(id, Motion::linear(at(x, y), [velocity, 0.0, 0.0], [0.0; 3]).unwrap());
            id
        })
        .collect();
    let impacts: Vec<_> = world.impacts(Interval::new(0.0, 4.0).unwrap()).collect();
    assert_eq!(impacts.iter().map(|impact| impact.bodies).collect::<Vec<_>>(), [[ids[0], ids[1]], [ids[2], ids[3]]]);
    assert_eq!(impacts[0].time(), impacts[1].time());
    assert_eq!(world.next_impact(Interval::new(0.0, 4.0).unwrap()), Some(impacts[0]));
    // An edit of the first pair leaves the second one, which comes next.
    world.set_pose(ids[0], at(0.0, -50.0));
    assert_eq!(world.next_impact(Interval::new(0.0, 4.0).unwrap()), Some(impacts[1]));
}

/// An impact costs as much as the neighbours of its bodies do, however many bodies there are.
#[test]
fn an_impact_costs_no_more_in_a_larger_world() {
    let work = |side: u32| {
        let mut world = World::default();
        let ball = Shape::sphere(0.2).unwrap();
        let mut rng = fastrand::Rng::with_seed(1);
        for k in 0..side.pow(3) {
            let place = DVec3::from_array([k % side, k / side % side, k / side / side].map(f64::from));
            let id = world.insert(ball.clone(), Pose::from_translation(place));
            let motion = Motion::linear(Pose::from_translation(place), vector(&mut rng, 1.0), [0.0; 3]);
            world.set_motion(id, motion.unwrap());
        }
        let mut now = 0.0;
        let mut bounce = |world: &mut World| {
            let impact =
                world.next_impact(Interval::new(now, now + 100.0).unwrap()).expect("a ball that meets another one");
            now = impact.time();
            let normal = impact.impact.hit().expect("balls are decided").normal;
            for (id, sign) in impact.bodies.into_iter().zip([-1.0, 1.0]) {
                let pose = world.motion(id).unwrap().pose(now);
                world.set_motion(id, Motion::linear(pose, sign * normal, [0.0; 3]).unwrap().from_time(now).unwrap());
            }
        };
        bounce(&mut world);
        let before = world.schedule_cost();
        (0..20).for_each(|_| bounce(&mut world));
        world.schedule_cost().searches - before.searches
    };
    let (few, many) = (work(5), work(10));
    println!("{few} searches among 125 balls, {many} among 1000");
    assert!(many < 2 * few + 100, "{few} searches among 125 balls, {many} among 1000");
}
