//! Worlds over long intervals: rotors that turn thousands of times about hubs, frames about pegs, and what slides into them.
//!
//! An impact is missed if bodies overlap at a time at which the world says that they do not. Distances at single times are proved by themselves,
//! so that they are the judges: at random times, and at the ends. Then the world is compared with what each pair says alone.

use clearance::math::{DQuat, DVec3};
use clearance::motion::{Motion, time_of_impact};
use clearance::{Axis, BodyId, HalfHeight, Impact, Interval, Pose, Radius, Shape, World, distance, proof};
use clearance_io::proof::impact_claim;
use clearance_verify as verify;
use fastrand::Rng;

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())]
}

fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + rng.f64() * (high - low)
}

/// A square frame as a mesh: the half width of its hole, that of the frame, and half its height.
fn frame(hole: f64, width: f64, height: f64) -> Shape {
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for z in [-height, height] {
        for half in [width, hole] {
            corners.extend([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]]);
        }
    }
    for i in 0..4_u32 {
        let j = (i + 1) % 4;
        let (a, b, c, d) = (i, j, j + 4, i + 4);
        triangles.extend([[a, c, b], [a, d, c], [a + 8, b + 8, c + 8], [a + 8, c + 8, d + 8]]);
        triangles.extend([[a, b, b + 8], [a, b + 8, a + 8], [c, d, d + 8], [c, d + 8, c + 8]]);
    }
    Shape::mesh(&corners, &triangles).expect("a frame")
}

/// A body that turns about z and leaves the axis free, and how far it is from it.
fn rotor(rng: &mut Rng) -> (Shape, Motion, f64) {
    let spin = [0.0, 0.0, pick(rng, &[1.0, 10.0, 100.0, 1000.0, 1e4]) * if rng.bool() { 1.0 } else { -1.0 }];
    let tilt = DQuat::from_rotation_z(between(rng, -3.0, 3.0));
    let turning = |pose: Pose| Motion::linear(pose, [0.0; 3], spin).expect("finite");
    let bar = Shape::cuboid([0.1, 0.1, 1.0]).expect("a box");
    match rng.u8(0..4) {
        0 => (frame(1.0, 2.0, 0.5), turning(Pose::from_rotation(tilt)), 1.0),
        1 => {
            let bars = [4.0, -4.0].map(|x| (bar.clone(), Pose::from_translation([x, 0.0, 0.0])));
            (Shape::compound(bars).expect("parts"), turning(Pose::from_rotation(tilt)), 3.9)
        }
        2 => {
            let pose = Pose::from_translation([3.0, 0.0, 0.0]);
            (bar, turning(pose).about([-3.0, 0.0, 0.0]).expect("a point"), 2.9)
        }
        _ => {
            let ball = Shape::sphere(0.5).expect("a ball");
            let pose = Pose::from_translation([0.0, 2.5, 0.3]);
            (ball, turning(pose).about([0.0, -2.5, 0.0]).expect("a point"), 2.0)
        }
    }
}

/// A body within a radius of the z axis; sometimes it slides out of it late, sometimes all the time.
fn hub(rng: &mut Rng, radius: f64, until: f64) -> (Shape, Motion) {
    let far = between(rng, 0.3, 0.99) * radius;
    let side = far * 0.5_f64.sqrt();
    let shape = match rng.u8(0..4) {
        0 => Shape::cuboid([side, side, 3.0]),
        1 => Shape::cylinder(Axis::Z, Radius(0.99 * far), HalfHeight(2.0)),
        2 => Shape::sphere(far),
        _ => Shape::capsule(Axis::Z, Radius(far), HalfHeight(1.0)),
    };
    let aside = DVec3::new(between(rng, 0.5, 1.5) * radius, between(rng, -0.3, 0.3) * radius, 0.0);
    let motion = match rng.u8(0..3) {
        0 => Ok(Motion::fixed(Pose::IDENTITY)),
        1 => {
            let late = between(rng, 0.5, 0.99) * until;
            let places = [(0.0, DVec3::ZERO), (late, DVec3::ZERO), (until, aside)];
            Motion::key_frames(&places.map(|(time, place)| (time, Pose::from_translation(place))))
        }
        _ => Motion::linear(Pose::IDENTITY, aside / until, [0.0; 3]),
    };
    (shape.expect("a hub"), motion.expect("finite"))
}

/// A body that comes from outside, slowly, or stays there.
fn guest(rng: &mut Rng, until: f64) -> (Shape, Motion) {
    let half = between(rng, 0.2, 0.6);
    let shape = if rng.bool() { Shape::cuboid([half, half, 1.0]) } else { Shape::sphere(half) };
    let place = DQuat::from_rotation_z(between(rng, 0.0, 6.0)) * DVec3::new(between(rng, 7.0, 9.0), 0.0, 0.0);
    let velocity = if rng.bool() { -place * between(rng, 0.3, 0.9) / until } else { DVec3::ZERO };
    let spin = if rng.bool() { [0.0, 0.0, between(rng, -50.0, 50.0)] } else { [0.0; 3] };
    (shape.expect("a shape"), Motion::linear(Pose::from_translation(place), velocity, spin).expect("finite"))
}

#[test]
fn no_impact_is_missed_over_thousands_of_turns() {
    let count: usize = std::env::var("TURNS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut rng = Rng::with_seed(311);
    let (mut hits, mut clear, mut undecided, mut other) = (0, 0, 0, 0);
    for round in 0..count {
        let until = pick(&mut rng, &[1.0, 10.0, 60.0]);
        let (shape, motion, radius) = rotor(&mut rng);
        let mut bodies = vec![(shape, motion), hub(&mut rng, radius, until)];
        bodies.extend((0..rng.usize(..2)).map(|_| guest(&mut rng, until)));
        rng.shuffle(&mut bodies);
        let mut world = World::default();
        let ids: Vec<BodyId> = bodies
            .iter()
            .map(|(shape, motion)| {
                let id = world.insert(shape.clone(), motion.pose(0.0));
                world.set_motion(id, motion.clone());
                id
            })
            .collect();
        let found: Vec<_> = world.impacts(Interval::new(0.0, until).expect("an interval")).collect();
        assert!(found.is_sorted_by(|one, other| one.time() <= other.time()), "{round}: in the order of time");
        for (i, (a, motion_a)) in bodies.iter().enumerate() {
            for (j, (b, motion_b)) in bodies.iter().enumerate().skip(i + 1) {
                let impact = found.iter().find(|impact| impact.bodies == [ids[i], ids[j]]);
                let what = || format!("{round}: {a:?} {motion_a:?} {b:?} {motion_b:?} until {until}: {impact:?}");
                // No overlap occurs before the stated time, or at all.
                let until_then = impact.map_or(until, |impact| impact.time());
                let at = |time: f64| distance(a, motion_a.pose(time), b, motion_b.pose(time));
                let times = (0..40).map(|_| rng.f64() * until_then).chain([until_then]);
                // Poses at late times round by as much as the angle does.
                let rounding = 1e-9;
                for time in times {
                    assert!(at(time).upper > -rounding, "overlap at {time}: {}", what());
                }
                let alone = time_of_impact(a, motion_a, b, motion_b, Interval::new(0.0, until).expect("an interval"));
                match (alone, impact.map(|impact| impact.impact)) {
                    (Impact::Clear(_), None) => clear += 1,
                    (Impact::Hit(one), Some(Impact::Hit(other))) => {
                        hits += 1;
                        assert!(one.lower <= other.upper && other.lower <= one.upper, "{one:?} {}", what());
                        if other.is_proved() {
                            assert!(at(other.upper).lower < rounding, "{}", what());
                        }
                    }
                    (Impact::Undecided(_), Some(Impact::Undecided(_))) => undecided += 1,
                    // The steps are divided in another way: one of the two may get farther.
                    (Impact::Undecided(_), Some(Impact::Hit(_)) | None) => other += 1,
                    (Impact::Hit(_) | Impact::Clear(_), Some(Impact::Undecided(_))) => other += 1,
                    (alone, _) => panic!("{alone:?} {}", what()),
                }
            }
        }
    }
    println!("{count} worlds: {hits} hits, {clear} clear, {undecided} undecided, {other} by one of the two");
    assert!(hits * 4 > count && clear * 2 > count, "representative: {hits} {clear}");
    assert!((undecided + other) * 10 < hits + clear, "{undecided} undecided, {other} by one of the two");
}

/// A rotor that never comes close takes as few steps for a million turns as for one.
#[test]
fn a_rotor_about_its_hub_is_proved_clear_by_its_ring() {
    let (hub, bar) = (Shape::cuboid([1.0; 3]).expect("a box"), Shape::cuboid([0.1, 0.1, 1.0]).expect("a box"));
    let rest = Motion::fixed(Pose::IDENTITY);
    for (rate, until) in [(10.0, 10.0), (1e3, 10.0), (1e3, 1e4), (1e7, 1.0)] {
        let pose = Pose::from_translation([4.0, 0.0, 0.0]);
        let turning = Motion::linear(pose, [0.0; 3], [0.0, 0.0, rate]).expect("finite");
        let turning = turning.about([-4.0, 0.0, 0.0]).expect("a point");
        for (a, motion_a, b, motion_b) in [(&hub, &rest, &bar, &turning), (&bar, &turning, &hub, &rest)] {
            let impact = time_of_impact(a, motion_a, b, motion_b, Interval::new(0.0, until).expect("an interval"));
            let Impact::Clear(approach) = impact else { panic!("{rate} {until}: {impact:?}") };
            // From the corner of the hub to the cylinder that the bar stays out of.
            assert!(approach.lower > 2.4 && approach.lower < 2.9 && approach.steps < 16, "{rate}: {approach:?}");
        }
        let mut world = World::default();
        world.insert(hub.clone(), Pose::IDENTITY);
        let id = world.insert(bar.clone(), pose);
        world.set_motion(id, turning);
        let mut impacts = world.impacts(Interval::new(0.0, until).expect("an interval"));
        assert!(impacts.by_ref().next().is_none() && impacts.cost().checks < 100, "{rate}: {:?}", impacts.cost());
    }
}

/// Two squares whose corners sweep discs that overlap by a millionth of their size: they meet only when both corners point at each other.
/// That uses up the steps, and is neither a hit nor clear; a world has no more work with it than a query.
#[test]
fn bodies_that_are_close_for_too_many_turns_are_undecided() {
    let square = Shape::cuboid([1.0, 1.0, 0.1]).expect("a box");
    let spin = |x: f64, angle: f64, rate: f64| {
        let pose = Pose::new([x, 0.0, 0.0], DQuat::from_rotation_z(angle));
        Motion::linear(pose, [0.0; 3], [0.0, 0.0, rate]).expect("finite")
    };
    let far = 2.0 * 2.0_f64.sqrt() * (1.0 - 1e-6);
    let motions = [spin(0.0, 0.0, 1e7), spin(far, 0.1, -0.7e7)];
    let impact = time_of_impact(&square, &motions[0], &square, &motions[1], Interval::UNIT);
    let Impact::Undecided(alone) = impact else { panic!("{impact:?}") };
    assert!(alone.from > 0.0 && alone.from < 1.0, "{alone:?}");
    let mut world = World::default();
    for motion in motions {
        let id = world.insert(square.clone(), motion.pose(0.0));
        world.set_motion(id, motion);
    }
    let mut impacts = world.impacts(Interval::UNIT);
    let found: Vec<_> = impacts.by_ref().collect();
    assert!(matches!(found[..], [one] if matches!(one.impact, Impact::Undecided(_))), "{found:?}");
    assert!(impacts.cost().checks <= 2 * u64::from(alone.steps), "{:?} {alone:?}", impacts.cost());
    let next = world.next_impact(Interval::UNIT).expect("it is not known that there is none");
    assert_eq!(next.time(), found[0].time());
}

/// Rings with random directions, true and false ones: where the checker proves a gap, distances at single times are no smaller; and it proves
/// the rings that the library finds.
#[test]
fn rings_that_are_proved_keep_their_gap_at_all_times() {
    let count: usize = std::env::var("RINGS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut rng = Rng::with_seed(312);
    let (mut proved, mut refused, mut rings) = (0, 0, 0);
    for round in 0..count {
        let mut vector = |size: f64| DVec3::from_array([0.0; 3].map(|_: f64| size * between(&mut rng, -1.0, 1.0)));
        let (spin, center, drift, inner) = (vector(1.0) * 30.0, vector(4.0), vector(0.3), vector(0.4));
        let (half_a, half_b) = (vector(0.4).abs() + 0.05, vector(0.8).abs() + 0.05);
        let shapes = match round % 3 {
            0 => (Shape::cuboid(half_a), verify::Shape::Cuboid { half_extents: half_a.to_array() }),
            1 => (Shape::sphere(half_a.x), verify::Shape::Sphere { radius: half_a.x }),
            _ => (Shape::ellipsoid(half_a), verify::Shape::Ellipsoid { radii: half_a.to_array() }),
        };
        let (a, written_a) = (shapes.0.expect("a shape"), shapes.1);
        let (b, written_b) = match round % 2 {
            0 => (Shape::cuboid(half_b), verify::Shape::Cuboid { half_extents: half_b.to_array() }),
            _ => (
                Shape::cylinder(Axis::Y, Radius(half_b.x), HalfHeight(half_b.y)),
                verify::Shape::Cylinder { radius: half_b.x, half_height: half_b.y },
            ),
        };
        let b = b.expect("a shape");
        // A turns about a point beside it, which B is near.
        let (pose_a, pose_b) = (Pose::from_translation(-center), Pose::from_translation(inner));
        let motion_a = Motion::linear(pose_a, [0.0; 3], spin).expect("finite").about(center).expect("a point");
        let motion_b = Motion::linear(pose_b, drift, [0.0; 3]).expect("finite");
        let pose = |pose: &Pose| verify::Pose { translation: pose.translation().to_array(), ..verify::Pose::IDENTITY };
        let start = verify::Query { a: written_a, pose_a: pose(&pose_a), b: written_b, pose_b: pose(&pose_b) };
        let (zero, until) = ([0.0; 3], 2.0);
        let of_a =
            verify::Motion::Linear { velocity: zero, angular_velocity: spin.to_array(), center: center.to_array() };
        let of_b = verify::Motion::Linear { velocity: drift.to_array(), angular_velocity: zero, center: zero };
        let query = verify::MovingQuery { start, motion_a: of_a, motion_b: of_b, from: 0.0, until };
        let along = -center + vector(0.5);
        let ring = Some(verify::RingBody::A);
        let link = verify::ChainLink { from: 0.0, to: until, along: along.to_array(), turn: zero, ring };
        let motion = Some(verify::ImpactEvidence { chain: vec![link], ..verify::ImpactEvidence::default() });
        let evidence = verify::Evidence { motion, ..verify::Evidence::default() };
        let is_proved = |gap: f64| {
            let claim = verify::ImpactClaim::Clear { lower: Some(gap), upper: None };
            verify::check_impact(&query, &claim, &evidence) == verify::Verdict::Proved
        };
        if is_proved(0.0) {
            proved += 1;
            let (mut low, mut high) = (0.0, 10.0);
            for _ in 0..16 {
                let middle = 0.5 * (low + high);
                if is_proved(middle) { low = middle } else { high = middle }
            }
            for k in 0..=200 {
                let time = until * f64::from(k) / 200.0;
                let seen = distance(&a, motion_a.pose(time), &b, motion_b.pose(time));
                assert!(seen.upper >= low - 1e-9, "{round}: {low} is proved, {seen:?} at {time}");
            }
        } else {
            refused += 1;
        }
        // The checker proves the answers of the library, rings among them.
        let (found, evidence) =
            proof::impact(&a, &motion_a, &b, &motion_b, Interval::new(0.0, until).expect("an interval"));
        let evidence = evidence.expect("there is evidence for all of these");
        let chain = evidence.motion.as_ref().map_or(&[][..], |motion| &motion.chain);
        rings += usize::from(chain.iter().any(|link| link.ring.is_some()));
        let verdict = verify::check_impact(&query, &impact_claim(&found), &evidence);
        let is_graze = found.hit().is_some_and(|hit| !hit.is_proved());
        assert!(verdict == verify::Verdict::Proved || is_graze, "{round}: {verdict:?} {found:?}");
    }
    println!("{count} rings: {proved} proved, {refused} refused; the library found {rings}");
    assert!(
        proved * 5 > count && refused * 20 > count && rings * 5 > count,
        "representative: {proved} {refused} {rings}"
    );
}
