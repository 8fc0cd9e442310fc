//! Times of impact of random and structured motions compared with an oracle that samples distances, and worlds compared with all pairs.
//!
//! `MOTIONS=1000000 cargo test --release -p clearance-lab --test main impacts -- --nocapture` is the long form, and prints a table;
//! `BODIES=1000 SECONDS=10` that of the world.

use clearance::math::{DQuat, DVec3};
use clearance::motion::{Hit, Impact, Motion, time_of_impact};
use clearance::world::BodyImpact;
use clearance::{Axis, BodyId, HalfHeight, Interval, Pose, Radius, Shape, World, distance};
use clearance_lab::Rng;

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = vector(rng, 1.0);
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn rotation(rng: &mut Rng) -> DQuat {
    DQuat::from_scaled_axis(3.0 * rng.f64() * direction(rng))
}

/// A convex shape about one in size.
fn shape(rng: &mut Rng) -> Shape {
    let mut size = || 0.1 + 0.5 * rng.f64();
    let (r, h, x) = (size(), size(), size());
    match rng.usize(..8) {
        0 => Shape::sphere(r),
        1 | 2 => Shape::cuboid([r, h, x]),
        3 => Shape::capsule(Axis::Y, Radius(0.5 * r), HalfHeight(h)),
        4 => Shape::cylinder(Axis::Y, Radius(r), HalfHeight(h)),
        5 => Shape::cone(Axis::Y, Radius(r), HalfHeight(h)),
        6 => Shape::ellipsoid([r, h, x]),
        _ => Shape::hull(&(0..12).map(|_| vector(rng, 0.5)).collect::<Vec<_>>()),
    }
    .expect("sizes are positive")
}

/// Two shapes and their motions, with the end of the interval.
struct Case {
    shapes: [Shape; 2],
    motions: [Motion; 2],
    until: f64,
}

/// The kinds of cases: the first is random, the others are known hazards.
const FAMILIES: [&str; 8] =
    ["random", "random, with turns", "grazing", "parallel faces", "pure spin", "tunnelling", "resting", "far and fast"];

fn draw(rng: &mut Rng, family: usize) -> Case {
    let place = direction(rng) * (1.5 + 2.0 * rng.f64());
    let linear = |pose: Pose, velocity: DVec3, spin: DVec3| Motion::linear(pose, velocity, spin).expect("a motion");
    let still = Motion::fixed(Pose::from_rotation(rotation(rng)));
    let (shapes, motions, until) = match family {
        0 => {
            let velocity = -place + vector(rng, 1.0);
            let motion = linear(Pose::new(place, rotation(rng)), velocity, DVec3::ZERO);
            ([shape(rng), shape(rng)], [still, motion], 1.5)
        }
        1 => {
            let spin = 10.0_f64.powf(3.0 * rng.f64() - 1.0);
            let gravity = vector(rng, 2.0) * f64::from(rng.u32(..2));
            let mut motion = |place: DVec3, velocity: DVec3| {
                let pose = Pose::new(place, rotation(rng));
                let motion = Motion::ballistic(pose, velocity, spin * direction(rng), gravity).expect("a motion");
                motion.about(vector(rng, 0.3)).expect("a point")
            };
            let motions = [motion(DVec3::ZERO, DVec3::ZERO), motion(place, -0.9 * place)];
            ([shape(rng), shape(rng)], motions, 1.5)
        }
        // Balls and edges that pass each other closely, on either side.
        2 => {
            let (r, s) = (0.2 + 0.5 * rng.f64(), 0.2 + 0.5 * rng.f64());
            let hair = 10.0_f64.powf(-1.0 - 13.0 * rng.f64()) * if rng.bool() { 1.0 } else { -1.0 };
            let (along, spin) = (2.0 + rng.f64(), vector(rng, 3.0));
            let start = Pose::from_translation([-along, r + s + hair, 0.0]);
            let motion = linear(start, DVec3::new(2.0 * along, 0.0, 0.0), spin);
            let first = if rng.bool() { Shape::sphere(r) } else { Shape::cuboid([r; 3]) };
            let shapes = [first.expect("a size"), Shape::sphere(s).expect("a size")];
            (shapes, [Motion::fixed(Pose::IDENTITY), motion], 1.0)
        }
        // Boxes whose faces slide along each other, slightly apart or in contact.
        3 => {
            let gap = [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3][rng.usize(..6)];
            let half = [0.5, 0.25, 1.0];
            let cube = Shape::cuboid(half).expect("a size");
            let turn = if rng.bool() { DQuat::IDENTITY } else { DQuat::from_rotation_y(rng.f64()) };
            let motion = linear(
                Pose::new(DVec3::new(0.3, 0.5 + gap, 0.1), turn),
                DVec3::new(rng.f64(), 0.0, rng.f64()),
                DVec3::new(0.0, rng.f64(), 0.0),
            );
            ([cube.clone(), cube], [Motion::fixed(Pose::IDENTITY), motion], 1.0)
        }
        // Bodies that turn in place: beside a wall, in a ring of others, about their own axis.
        4 => {
            let (a, b) = (shape(rng), shape(rng));
            let far = (a.bounding_radius() + b.bounding_radius()) * (0.6 + 0.5 * rng.f64());
            let rate = 10.0_f64.powf(4.0 * rng.f64() - 1.0);
            let motion = linear(Pose::new(far * direction(rng), rotation(rng)), DVec3::ZERO, rate * direction(rng));
            ([a, b], [still, motion], 2.0)
        }
        // Thin walls, and bullets at any speed.
        5 => {
            let thin = [0.0, 1e-9, 1e-6, 1e-3][rng.usize(..4)];
            let wall = Shape::cuboid([thin, 2.0, 2.0]).expect("a size");
            let speed = 10.0_f64.powf(6.0 * rng.f64());
            let pose = Pose::new(DVec3::new(-1.5, 0.0, 0.0), rotation(rng));
            let motion = linear(pose, DVec3::new(speed, 0.2 * rng.f64(), 0.0), vector(rng, 10.0));
            ([wall, shape(rng)], [Motion::fixed(Pose::IDENTITY), motion], 3.0)
        }
        // Bodies that rest on each other, or nearly, and stay, or leave.
        6 => {
            let (a, b) = (shape(rng), shape(rng));
            let (pose, way) = (Pose::from_rotation(rotation(rng)), direction(rng));
            let apart = distance(&a, pose, &b, Pose::from_translation(3.0 * way));
            let gap = [0.0, 1e-12, 1e-7, -1e-9][rng.usize(..4)];
            let start = 3.0 * way - (apart.distance - gap) * apart.normal;
            let velocity = apart.normal * [0.0, 0.5, -0.1][rng.usize(..3)];
            ([a, b], [Motion::fixed(pose), linear(Pose::from_translation(start), velocity, DVec3::ZERO)], 1.0)
        }
        _ => {
            let far = vector(rng, 1e6);
            let fast = vector(rng, 1e3);
            let spin = vector(rng, 2.0);
            let first = linear(Pose::new(far, rotation(rng)), fast, spin);
            let second = linear(Pose::new(far + place, rotation(rng)), fast - 0.9 * place, -spin);
            ([shape(rng), shape(rng)], [first, second], 1.5)
        }
    };
    let mut case = Case { shapes, motions, until };
    if rng.bool() {
        case.shapes.reverse();
        case.motions.reverse();
    }
    case
}

impl Case {
    /// A bound on the speed at which any two points of the bodies approach each other.
    fn fastest(&self) -> f64 {
        // Motions are smooth: a hundred samples of the travel, and a reserve.
        let step = self.until / 100.0;
        let speed = |side: usize| {
            let radius = self.shapes[side].bounding_radius();
            let of = |k: u32| {
                let [now, next] = [0.0, 1e-6].map(|d| self.motions[side].pose(f64::from(k) * step + d * step));
                let turn = next.rotation() * now.rotation().conjugate();
                let angle = 2.0 * DVec3::new(turn.x, turn.y, turn.z).length().min(1.0).asin();
                ((next.translation() - now.translation()).length() + angle * radius) / (1e-6 * step)
            };
            (0..100).map(of).fold(0.0, f64::max)
        };
        1.1 * (speed(0) + speed(1)) + 1e-9
    }

    /// Finds a time before `until` at which the bodies overlap by more than rounding. It halves intervals until the distance in their middle is
    /// more than the bodies can close, or until a limit on their number.
    fn overlap_before(&self, until: f64, rounding: f64, mut samples: u32) -> Option<f64> {
        let fastest = self.fastest();
        let mut stack = vec![[0.0, until]];
        while let Some([from, to]) = stack.pop() {
            let middle = 0.5 * (from + to);
            let [a, b] = [0, 1].map(|side| self.motions[side].pose(middle));
            let found = distance(&self.shapes[0], a, &self.shapes[1], b);
            if found.upper < -rounding {
                return Some(middle);
            }
            samples -= 1;
            if samples == 0 {
                return None;
            }
            if found.lower < 0.5 * (to - from) * fastest && to - from > 1e-9 * until {
                stack.extend([[middle, to], [from, middle]]);
            }
        }
        None
    }
}

#[test]
fn no_hit_is_missed_and_no_time_is_too_late() {
    let count = number("MOTIONS").unwrap_or(1600);
    println!(
        "{:<20} {:>8} {:>8} {:>8} {:>9} {:>7} {:>7} {:>7}",
        "", "hits", "clear", "touching", "uncertain", "wide", "steps", "most"
    );
    let (mut all_hits, mut all_wide) = (0, 0);
    for (family, name) in FAMILIES.iter().enumerate() {
        let [mut hits, mut clear, mut touching, mut uncertain, mut wide] = [0; 5];
        let (mut steps, mut most) = (0_u64, 0);
        for k in 0..count / FAMILIES.len() {
            let mut rng = Rng::with_seed(((family as u64) << 40) + k as u64);
            let case = draw(&mut rng, family);
            let impact = time_of_impact(
                &case.shapes[0],
                &case.motions[0],
                &case.shapes[1],
                &case.motions[1],
                Interval::new(0.0, case.until).expect("an interval"),
            );
            let what = || format!("{name} {k}: {impact:?}");
            // The rounding error of the sampled poses, which the answer does not have: places of 1e6 are known to 1e-10.
            let size = case.motions.iter().fold(1.0, |size: f64, motion| {
                size + motion.pose(0.0).translation().length() + motion.pose(case.until).translation().length()
            });
            let rounding = 1e-13 * size;
            let asked = match impact {
                Impact::Hit(hit) => {
                    hits += 1;
                    assert!(0.0 <= hit.lower && hit.lower <= case.until && hit.lower <= hit.upper, "{}", what());
                    assert_eq!(case.overlap_before(hit.lower, rounding, 60), None, "{}", what());
                    if hit.is_proved() {
                        let poses = case.motions.each_ref().map(|motion| motion.pose(hit.upper));
                        let there = distance(&case.shapes[0], poses[0], &case.shapes[1], poses[1]);
                        assert!(there.lower <= rounding, "{}: {there:?}", what());
                    } else {
                        uncertain += 1;
                    }
                    wide += usize::from(!(hit.upper - hit.lower <= 1e-9 * case.until));
                    hit.steps
                }
                Impact::Clear(approach) => {
                    clear += 1;
                    assert!(approach.lower > 0.0, "{}", what());
                    assert_eq!(case.overlap_before(case.until, rounding, 120), None, "{}", what());
                    approach.steps
                }
                Impact::Touching(found) => {
                    touching += 1;
                    assert!(found.lower <= rounding, "{}", what());
                    0
                }
                Impact::Undecided(_) => panic!("{}", what()),
            };
            steps += u64::from(asked);
            most = most.max(asked);
        }
        let mean = steps as f64 / (count / FAMILIES.len()) as f64;
        println!("{name:<20} {hits:>8} {clear:>8} {touching:>8} {uncertain:>9} {wide:>7} {mean:>7.1} {most:>7}");
        // The bound on work: a limit on the number of distances.
        assert!(most <= 4096, "{name}: {most} steps");
        // The gap of balls that pass each other by 1e-12 closes like a root. So their time is known to a root of rounding, and no better. A body
        // that turns a thousand times a second beside a wall may use up its work.
        let allowed = match *name {
            "grazing" => hits,
            "pure spin" => 5 + hits / 50,
            // The gap is as small as rounding, and one body approaches so slowly that no overlap is proved in time.
            "resting" => 5 + hits / 150,
            _ => hits / 1000,
        };
        assert!(wide <= allowed, "{name}: {wide} of {hits} are wide");
        (all_hits, all_wide) = (all_hits + hits, all_wide + wide);
        assert!(hits + clear + touching == count / FAMILIES.len());
    }
    println!("{all_wide} of {all_hits} hits have a bracket wider than 1e-9 of the interval");
    assert!(all_hits * 4 > count, "representative: {all_hits} hits");
    assert!(all_wide * 10 < all_hits, "{all_wide} of {all_hits} are wide");
}

#[test]
fn a_world_in_time_sees_what_all_pairs_see_in_the_same_order() {
    let (bodies, seconds) = (number("BODIES").unwrap_or(120), number("SECONDS").unwrap_or(4) as f64);
    let mut rng = Rng::with_seed(16);
    let mut world = World::default();
    let room = 1.6 * (bodies as f64).cbrt();
    let mut ids = Vec::new();
    for k in 0..bodies {
        let pose = Pose::new(vector(&mut rng, room), rotation(&mut rng));
        let id = world.insert(shape(&mut rng), pose);
        ids.push(id);
        // One in ten rests.
        if k % 10 > 0 {
            let (velocity, spin) = (vector(&mut rng, 0.8), vector(&mut rng, 2.0));
            let gravity = if k % 3 == 0 { DVec3::new(0.0, -0.1, 0.0) } else { DVec3::ZERO };
            world.set_motion(id, Motion::ballistic(pose, velocity, spin, gravity).expect("a motion"));
        }
    }
    let mut impacts = world.impacts(Interval::new(0.0, seconds).expect("an interval"));
    let found: Vec<BodyImpact> = impacts.by_ref().collect();
    let cost = impacts.cost();
    println!("{bodies} bodies, {seconds} s: {} impacts, {cost:?}", found.len());
    assert!(found.is_sorted_by(|one, other| one.time() <= other.time()), "in the order of time");
    // The first again, alone.
    assert_eq!(world.next_impact(Interval::new(0.0, seconds).expect("an interval")), found.first().copied());
    let mut truth: Vec<([BodyId; 2], Hit)> = Vec::new();
    for (i, &a) in ids.iter().enumerate() {
        for &b in &ids[i + 1..] {
            let [one, other] = [a, b].map(|id| world.body(id).expect("it is there"));
            let still = |id: BodyId| Motion::fixed(world.body(id).expect("it is there").pose);
            let [motion_a, motion_b] = [a, b].map(|id| world.motion(id).cloned().unwrap_or_else(|| still(id)));
            let impact =
                time_of_impact(&one.shape, &motion_a, &other.shape, &motion_b, Interval::new(0.0, seconds).unwrap());
            if let Impact::Hit(hit) = impact {
                truth.push(([a, b], hit));
            }
        }
    }
    truth.sort_by(|one, other| one.1.lower.total_cmp(&other.1.lower).then(one.0.cmp(&other.0)));
    assert_eq!(found.len(), truth.len(), "none is missed, none is made up");
    assert!(truth.len() * 10 > bodies, "representative: {}", truth.len());
    for (impact, (pair, hit)) in found.iter().zip(&truth) {
        assert_eq!((impact.bodies, impact.impact), (*pair, Impact::Hit(*hit)), "the same bits");
    }
    // Thirty checks of all pairs in a second would miss impacts and cost more.
    assert!((cost.checks as f64) < 30.0 * seconds * (bodies * bodies / 2) as f64, "{cost:?}");
    // Same bits for any number of threads.
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let again: Vec<BodyImpact> =
            pool.install(|| world.impacts(Interval::new(0.0, seconds).expect("an interval")).collect());
        assert_eq!(again, found, "{threads} threads");
    }
}
