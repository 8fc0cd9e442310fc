//! Motions that begin late: a clock of 1e9 seconds has steps of 1e-7 seconds, in which fast bodies pass thin ones.
//!
//! Bodies meet along the x axis. Where they are at a time, and so whether they overlap, is a sum of products of the doubles that were given, and
//! is computed with 1024 bits. A body is passed, a bound is late or a bracket is wrong as soon as one of the doubles of an answer is on the
//! wrong side of the first contact.
//!
//! Bodies that turn have no such formula: their evidence goes to the checker, which has sines of 256 bits.

use clearance::math::{DQuat, DVec3};
use clearance::motion::{Motion, closest_approach, time_of_impact};
use clearance::{Axis, HalfHeight, Impact, Interval, Pose, Radius, Shape, World, proof};
use clearance_io::proof::impact_claim;
use clearance_lab::derived::big::Big;
use clearance_verify as verify;
use fastrand::Rng;
use std::cmp::Ordering;

/// How many motions of each kind; `cargo xtask deep` asks for more.
fn count(otherwise: usize) -> usize {
    std::env::var("LATE").ok().and_then(|count| count.parse().ok()).unwrap_or(otherwise)
}

const STARTS: [f64; 13] = [0.0, 1.0, 10.0, 100.0, 1e3, 1e6, 1e9, 1e12, -10.0, -1e3, -1e6, -1e9, -1e12];

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())]
}

fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + rng.f64() * (high - low)
}

/// A path along x as it was given: x(t) = from + velocity s + ½ acceleration s², s = t - start.
#[derive(Debug)]
struct Path {
    start: f64,
    from: f64,
    velocity: Big,
    acceleration: f64,
}

impl Path {
    /// Where the body is at a time.
    fn at(&self, time: f64) -> Big {
        let s = difference(time, self.start);
        let fallen = Big::of(0.5 * self.acceleration).times(&s).times(&s);
        Big::of(self.from).plus(&self.velocity.times(&s)).plus(&fallen)
    }
}

fn difference(a: f64, b: f64) -> Big {
    Big::of(a).minus(&Big::of(b))
}

/// A body at the origin, and another one that comes closer along x until they meet.
struct Late {
    shapes: [Shape; 2],
    motions: [Motion; 2],
    path: Path,
    /// The middles are that far apart at the contact.
    reach: Big,
    interval: [f64; 2],
}

impl Late {
    /// Less than zero where the bodies overlap; exact, but for 2^-1000.
    fn gap(&self, time: f64) -> Big {
        self.path.at(time).size().minus(&self.reach)
    }

    fn overlaps(&self, time: f64) -> bool {
        self.gap(time).sign() == Ordering::Less
    }

    fn draw(rng: &mut Rng) -> Self {
        let size = pick(rng, &[1.0, 1.0, 1.0, 1e3, 1e-50, 1e20, 1e49]);
        let (flat, half) = target(rng, size);
        let (small, radius) = bullet(rng, size);
        let (start, time) = (pick(rng, &STARTS), pick(rng, &[0.125, 1.0, 10.0]));
        let until = start + time;
        let side = if rng.bool() { 1.0 } else { -1.0 };
        let (from, to) = (between(rng, 3.0, 9.0) * side * size, between(rng, -9.0, 3.0) * side * size);
        // Bullets pass a body in a part of a step of late clocks.
        let (from, to) = if rng.bool() { (from, to) } else { (100.0 * from, 200.0 * to) };
        let lateral = DVec3::new(0.0, between(rng, -0.5, 0.5), between(rng, -0.5, 0.5)) * size;
        let pose = |x: f64| Pose::from_translation(DVec3::X * x + lateral);
        let (motion, velocity, acceleration) = match rng.u8(0..4) {
            0 | 1 => {
                let motion = Motion::key_frames(&[(start, pose(from)), (until, pose(to))]).expect("key frames");
                (motion, difference(to, from).over(&difference(until, start)), 0.0)
            }
            2 => {
                let velocity = (to - from) / time;
                let motion = Motion::linear(pose(from), [velocity, 0.0, 0.0], [0.0; 3]).expect("finite");
                (motion.from_time(start).expect("a time"), Big::of(velocity), 0.0)
            }
            _ => {
                // Falling towards the other one all the time, so that it is passed once.
                let velocity = 0.5 * (to - from) / time;
                let gravity = velocity / time;
                let motion = Motion::ballistic(pose(from), [velocity, 0.0, 0.0], [0.0; 3], [gravity, 0.0, 0.0]);
                (motion.expect("finite").from_time(start).expect("a time"), Big::of(velocity), gravity)
            }
        };
        let path = Path { start, from, velocity, acceleration };
        let rest = Motion::fixed(Pose::IDENTITY);
        let (reach, interval) = (Big::of(half).plus(&Big::of(radius)), [start, until]);
        let (shapes, motions) = match rng.bool() {
            true => ([flat, small], [rest, motion]),
            false => ([small, flat], [motion, rest]),
        };
        Self { shapes, motions, path, reach, interval }
    }
}

/// A body with a flat face across x, and half its thickness.
fn target(rng: &mut Rng, size: f64) -> (Shape, f64) {
    let half = pick(rng, &[0.0, 0.5, 0.0625]) * size;
    let corners = |x: f64| [[x, -size, -size], [x, size, -size], [x, size, size], [x, -size, size]];
    let sheet = Shape::mesh(&corners(0.0), &[[0, 1, 2], [0, 2, 3]]).expect("a mesh");
    let both = [corners(-half), corners(half)].concat();
    let shape = match rng.u8(0..4) {
        0 => return (sheet, 0.0),
        1 => return (Shape::compound([(sheet, Pose::IDENTITY)]).expect("a part"), 0.0),
        2 => Shape::cuboid([half, size, size]),
        _ => Shape::hull(&both),
    };
    (shape.expect("a shape"), half)
}

/// A body that meets a flat face by its middle, and how far that is from its surface.
fn bullet(rng: &mut Rng, size: f64) -> (Shape, f64) {
    let thin = 0.1 * size;
    let half = pick(rng, &[0.5, 0.25, 1.0 / 1048576.0]) * size;
    let (radius, height) = (Radius(half), HalfHeight(thin));
    let shape = match rng.u8(0..7) {
        0 => return (Shape::point(), 0.0),
        1 => return (Shape::segment([0.0, -thin, 0.0], [0.0, thin, 0.0]).expect("a segment"), 0.0),
        2 => return (Shape::triangle([0.0, -thin, 0.0], [0.0, thin, 0.0], [0.0, 0.0, thin]).expect("three"), 0.0),
        3 => Shape::sphere(half),
        4 => Shape::capsule(Axis::Y, radius, height),
        5 => Shape::cylinder(Axis::X, Radius(thin), HalfHeight(half)),
        _ => Shape::cuboid([half, thin, thin]),
    };
    (shape.expect("a shape"), half)
}

#[test]
fn no_straight_or_falling_body_is_passed_at_any_time() {
    let count = count(4000);
    let mut rng = Rng::with_seed(301);
    let (mut hits, mut certain, mut clear, mut wrong) = (0, 0, 0, Vec::new());
    for round in 0..count {
        let case = Late::draw(&mut rng);
        let ([a, b], [motion_a, motion_b], [from, until]) = (&case.shapes, &case.motions, case.interval);
        let impact = time_of_impact(a, motion_a, b, motion_b, Interval::new(from, until).expect("an interval"));
        let mut fail = |what: &str| {
            let bodies = case.shapes.each_ref().map(Shape::kind);
            wrong.push(format!("{what}: {bodies:?} {:?} in {:?}: {impact:?}", case.motions, case.interval));
        };
        match impact {
            Impact::Hit(hit) => {
                hits += 1;
                certain += usize::from(hit.is_proved());
                if case.overlaps(hit.lower) {
                    fail("lower is late");
                }
                if hit.is_proved() && case.gap(hit.upper).sign() == Ordering::Greater {
                    fail("upper is early");
                }
                // A graze is one of bodies that change sides, touch or come as close as rounding and one step of the clock.
                let is_passed = case.path.at(from).sign() != case.path.at(until).sign();
                if !hit.is_proved() && !is_passed && case.gap(until).is_at_least(1e-6 * case.path.from.abs()) {
                    fail("there is no contact");
                }
            }
            Impact::Clear(approach) => {
                clear += 1;
                // Bodies that meet and do not part again overlap at the end; thin ones have changed sides.
                if case.overlaps(until) || case.path.at(from).sign() != case.path.at(until).sign() {
                    fail("a contact is missed");
                } else if case.gap(until).minus(&Big::of(approach.lower)).sign() == Ordering::Less {
                    fail("they come closer");
                }
                let closest =
                    closest_approach(a, motion_a, b, motion_b, Interval::new(from, until).expect("an interval"));
                match closest {
                    Impact::Clear(found) if case.gap(until).is_at_least(found.lower) => {}
                    _ => fail("they come closer than their closest approach"),
                }
            }
            Impact::Touching(_) | Impact::Undecided(_) => fail("neither hit nor clear"),
        }
        // The same in a world, which takes much longer: it has windows for bodies that pass many times their size.
        if round % 16 != 0 {
            continue;
        }
        let mut world = World::default();
        let ids = [(a, motion_a), (b, motion_b)].map(|(shape, motion)| {
            let id = world.insert(shape.clone(), motion.pose(from));
            world.set_motion(id, motion.clone());
            id
        });
        let found: Vec<_> = world.impacts(Interval::new(from, until).expect("an interval")).collect();
        match (impact, &found[..]) {
            (Impact::Clear(_), []) => {}
            (Impact::Hit(hit), [one]) if one.bodies == ids => match one.impact {
                Impact::Hit(other) if other.lower <= hit.upper && hit.lower <= other.upper => {
                    if case.overlaps(other.lower) {
                        fail("lower is late in a world");
                    }
                }
                _ => fail("a world has another answer"),
            },
            _ => fail("a world has another answer"),
        }
    }
    println!("{count} late motions: {hits} hits, {certain} of them certain, {clear} clear, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(hits * 3 > count && clear * 10 > count && certain * 3 > hits, "representative: {hits} {certain} {clear}");
}

#[test]
fn balls_meet_at_the_root_of_a_quadratic_at_any_time() {
    let count = count(4000);
    let mut rng = Rng::with_seed(302);
    let (mut hits, mut clear, mut wrong) = (0, 0, Vec::new());
    for _ in 0..count {
        let size = pick(&mut rng, &[1.0, 1.0, 1e3, 1e-50, 1e20]);
        let [r, s] = [0.0; 2].map(|_: f64| between(&mut rng, 0.01, 1.0) * size);
        let (start, time) = (pick(&mut rng, &STARTS), pick(&mut rng, &[0.125, 1.0, 10.0]));
        let mut vector = |far: f64| DVec3::from_array([0.0; 3].map(|_: f64| far * between(&mut rng, -1.0, 1.0) * size));
        let from = vector(5.0);
        let velocity = (vector(2.0) - 1.5 * from) / time;
        if from.length() < 2.1 * size {
            continue;
        }
        let motion = Motion::linear(Pose::from_translation(from), velocity, [0.0; 3]).expect("finite");
        let motion = motion.from_time(start).expect("a time");
        // |from + velocity s|² - (r + s)².
        let gap = |time: f64| {
            let elapsed = Big::of(time).minus(&Big::of(start));
            let square = |axis: usize| {
                let x = Big::of(from[axis]).plus(&Big::of(velocity[axis]).times(&elapsed));
                x.times(&x)
            };
            let reach = Big::of(r).plus(&Big::of(s));
            square(0).plus(&square(1)).plus(&square(2)).minus(&reach.times(&reach))
        };
        let (a, b) = (Shape::sphere(r).expect("a ball"), Shape::sphere(s).expect("a ball"));
        let until = start + time;
        let impact = time_of_impact(
            &a,
            &Motion::fixed(Pose::IDENTITY),
            &b,
            &motion,
            Interval::new(start, until).expect("times"),
        );
        let mut fail = |what: &str| wrong.push(format!("{what}: {from} {velocity} from {start} {impact:?}"));
        // When they are closest, or the end.
        let nearest = start + (-from.dot(velocity) / velocity.length_squared()).clamp(0.0, until - start);
        match impact {
            Impact::Hit(hit) => {
                hits += 1;
                if gap(hit.lower).sign() == Ordering::Less {
                    fail("lower is late");
                }
                if hit.is_proved() && gap(hit.upper).sign() == Ordering::Greater {
                    fail("upper is early");
                }
            }
            Impact::Clear(_) => {
                clear += 1;
                if gap(nearest).sign() == Ordering::Less || gap(until).sign() == Ordering::Less {
                    fail("a contact is missed");
                }
            }
            Impact::Touching(_) | Impact::Undecided(_) => fail("neither hit nor clear"),
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(hits * 20 > count && clear * 10 > count, "representative: {hits} {clear}");
}

/// Key frames that turn, late, before the checker.
#[test]
fn late_turns_are_proved_by_their_evidence() {
    let count = count(4000) / 20;
    let mut rng = Rng::with_seed(303);
    let (mut proved, mut undecided, mut hits) = (0, Vec::new(), 0);
    for _ in 0..count {
        let start = pick(&mut rng, &STARTS);
        let time = pick(&mut rng, &[0.125, 1.0, 10.0]);
        let mut vector = |size: f64| DVec3::from_array([0.0; 3].map(|_: f64| size * between(&mut rng, -1.0, 1.0)));
        let poses = [vector(1.0).normalize() * 4.0, vector(2.0)]
            .map(|place| Pose::new(place, DQuat::from_scaled_axis(vector(1.5))));
        let frames = [(start, poses[0]), (start + time, poses[1])];
        let (a, b) = (Shape::cuboid([0.9, 0.4, 0.6]).expect("a box"), Shape::cuboid([0.3, 0.8, 0.5]).expect("a box"));
        let motion = Motion::key_frames(&frames).expect("key frames");
        let rest = Motion::fixed(Pose::IDENTITY);
        let (found, evidence) =
            proof::impact(&a, &rest, &b, &motion, Interval::new(start, start + time).expect("an interval"));
        let pose = |pose: &Pose| verify::Pose {
            translation: pose.translation().to_array(),
            rotation: pose.rotation().to_array(),
        };
        let keyframe = |(time, at): &(f64, Pose)| verify::Keyframe { time: *time, pose: pose(at) };
        let query = verify::MovingQuery {
            start: verify::Query {
                a: verify::Shape::Cuboid { half_extents: [0.9, 0.4, 0.6] },
                pose_a: verify::Pose::IDENTITY,
                b: verify::Shape::Cuboid { half_extents: [0.3, 0.8, 0.5] },
                pose_b: verify::Pose::IDENTITY,
            },
            motion_a: verify::Motion::Fixed {},
            motion_b: verify::Motion::Keyframes(frames.iter().map(keyframe).collect()),
            from: start,
            until: start + time,
        };
        let evidence = evidence.expect("boxes have evidence");
        hits += usize::from(found.hit().is_some());
        match verify::check_impact(&query, &impact_claim(&found), &evidence) {
            verify::Verdict::Proved => proved += 1,
            verify::Verdict::Undecided(why) => undecided.push(format!("{why}: {frames:?} {found:?}")),
            verify::Verdict::Refuted(why) => panic!("{why}: {frames:?} {found:?}"),
        }
    }
    println!("{proved} of {count} proved, {hits} hits");
    assert!(hits * 4 > count, "representative: {hits}");
    assert!(undecided.len() * 20 <= count, "{} undecided:\n{}", undecided.len(), undecided[..3].join("\n"));
}
