//! Times of impact against closed forms, against distances at sampled times, and against each other.

use super::*;
use crate::shape::{Axis, HalfHeight, Radius};
use crate::{Interval, Shape, distance};
use fastrand::Rng;
use glam::DQuat;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn rotation(rng: &mut Rng) -> DQuat {
    DQuat::from_scaled_axis(vector(rng, 2.0))
}

fn hit(impact: Impact) -> Hit {
    match impact {
        Impact::Hit(hit) => hit,
        other => panic!("{other:?} is no hit"),
    }
}

/// One shape of every family, about one in size.
fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let hull = Shape::hull(&(0..16).map(|_| vector(rng, 0.5)).collect::<Vec<_>>()).unwrap();
    let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 0.4 } else { -0.3 }));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Shape::mesh(&(0..8).map(corner).collect::<Vec<_>>(), &triangles).unwrap();
    assert!(mesh.as_mesh().unwrap().is_solid());
    let cube = Shape::cuboid([0.3, 0.5, 0.2]).unwrap();
    let dumbbell = Shape::compound([
        (cube.clone(), Pose::new([0.6, 0.0, 0.0], rotation(rng))),
        (Shape::sphere(0.3).unwrap(), Pose::from_translation([-0.5, 0.1, 0.0])),
        (mesh.clone(), Pose::new([0.0, 0.6, 0.2], rotation(rng))),
    ])
    .unwrap();
    vec![
        Shape::sphere(0.4).unwrap(),
        cube,
        Shape::capsule(Axis::Y, Radius(0.2), HalfHeight(0.5)).unwrap(),
        Shape::cylinder(Axis::Y, Radius(0.4), HalfHeight(0.3)).unwrap(),
        Shape::cone(Axis::Y, Radius(0.4), HalfHeight(0.4)).unwrap(),
        Shape::ellipsoid([0.2, 0.5, 0.4]).unwrap(),
        Shape::triangle([0.5, 0.0, 0.0], [-0.4, 0.3, 0.0], [0.0, -0.5, 0.2]).unwrap(),
        hull,
        mesh,
        dumbbell,
        Shape::half_space([0.3, 1.0, 0.1], -0.2).unwrap(),
    ]
}

/// Asks, and holds the answer against distances at sampled times, which are proved by themselves.
fn checked_impact(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, until: f64, samples: u32) -> Impact {
    let impact = time_of_impact(a, motion_a, b, motion_b, Interval::new(0.0, until).unwrap());
    let at = |time: f64| distance(a, motion_a.pose(time), b, motion_b.pose(time));
    // Rounding of poses, for sizes and places of about ten.
    let rounding = 1e-12;
    let (last, least) = match impact {
        Impact::Hit(hit) => {
            assert!(0.0 <= hit.lower && hit.lower <= hit.upper, "{hit:?}");
            assert!(at(hit.lower).distance.abs() < 1e-9, "{hit:?} {:?}", at(hit.lower));
            if hit.is_proved() {
                assert!(at(hit.upper).lower <= rounding, "{hit:?}");
            }
            (hit.lower, -rounding)
        }
        Impact::Clear(approach) => {
            assert!(0.0 < approach.lower && approach.lower <= approach.upper + rounding, "{approach:?}");
            if approach.upper < f64::INFINITY {
                assert!(at(approach.time).distance <= approach.upper + rounding, "{approach:?}");
            }
            (until, approach.lower - rounding)
        }
        Impact::Touching(found) => {
            assert!(!(found.lower > rounding), "{found:?}");
            return impact;
        }
        Impact::Undecided(undecided) => (undecided.from, 0.0),
    };
    for k in 0..=samples {
        let time = last * f64::from(k) / f64::from(samples);
        assert!(at(time).upper > least, "at {time}: {:?}, {impact:?}", at(time));
    }
    impact
}

#[test]
fn every_pair_of_kinds_meets_when_distances_say_so() {
    let mut rng = Rng::with_seed(91);
    let shapes = shapes(&mut rng);
    let (mut hits, mut clear, mut touching, mut wide) = (0, 0, 0, 0);
    for round in 0..6 {
        for a in &shapes {
            for b in &shapes {
                let way = vector(&mut rng, 1.0).normalize() * (1.5 + 2.0 * rng.f64());
                let motion = |rng: &mut Rng, place: DVec3, velocity: DVec3| {
                    let (pose, spin) = (Pose::new(place, rotation(rng)), vector(rng, [0.0, 1.0, 4.0][round % 3]));
                    let gravity = if round % 4 == 3 { DVec3::new(0.0, -1.0, 0.5) } else { DVec3::ZERO };
                    let motion = Motion::ballistic(pose, velocity, spin, gravity).unwrap();
                    if round % 2 == 1 { motion.about(vector(rng, 0.3)).unwrap() } else { motion }
                };
                let first = motion(&mut rng, DVec3::ZERO, DVec3::ZERO);
                let aim = -way + vector(&mut rng, 1.0);
                let second = motion(&mut rng, way, aim);
                match checked_impact(a, &first, b, &second, 1.5, 30) {
                    Impact::Hit(hit) => {
                        hits += 1;
                        wide += usize::from(!(hit.upper - hit.lower < 1e-9));
                    }
                    Impact::Clear(_) => clear += 1,
                    Impact::Touching(_) => touching += 1,
                    Impact::Undecided(undecided) => panic!("{undecided:?}"),
                }
            }
        }
    }
    assert!(hits > 200 && clear > 60 && touching > 30, "representative: {hits} {clear} {touching}");
    assert!(wide * 200 < hits, "{wide} of {hits} are wide");
}

#[test]
fn balls_meet_at_the_root_of_a_quadratic() {
    let mut rng = Rng::with_seed(92);
    let (mut hits, mut clear) = (0, 0);
    for round in 0..2000 {
        let (r, s) = (0.1 + rng.f64(), 0.1 + rng.f64());
        let (a, b) = (Shape::sphere(r).unwrap(), Shape::sphere(s).unwrap());
        // Far from the origin, and fast, as the round says: what both have in common does not count.
        let far = [DVec3::ZERO, DVec3::new(1048576.0, -2097152.0, 524288.0)][round % 2];
        let fast = [DVec3::ZERO, DVec3::new(1024.0, 0.0, -512.0)][round / 2 % 2];
        // Whole multiples of 2^-20, so that sums with these are exact.
        let whole = |v: DVec3| (v * 1048576.0).round() / 1048576.0;
        let way = whole(vector(&mut rng, 3.0) + DVec3::new(3.0, 0.0, 0.0));
        let velocity = whole(-way + vector(&mut rng, 1.0));
        let gravity = vector(&mut rng, 10.0);
        let first =
            Motion::ballistic(Pose::new(far, rotation(&mut rng)), fast, vector(&mut rng, 9.0), gravity).unwrap();
        let second =
            Motion::ballistic(Pose::from_translation(far + way), fast + velocity, vector(&mut rng, 9.0), gravity)
                .unwrap();
        // |way + v t| = r + s.
        let (p, q, c) = (velocity.dot(velocity), velocity.dot(way), way.dot(way) - (r + s) * (r + s));
        let under = q * q - p * c;
        let impact = time_of_impact(&a, &first, &b, &second, Interval::new(0.0, 2.0).unwrap());
        match impact {
            Impact::Hit(hit) => {
                let truth = c / (-q + under.max(0.0).sqrt());
                let slack = 1e-13 / under.max(1e-26).sqrt();
                assert!(hit.lower <= truth + slack && truth - slack <= hit.upper, "{truth} {hit:?}");
                assert!(hit.upper - hit.lower < 1e-11 / under.max(1e-26).sqrt(), "{hit:?} {under}");
                hits += 1;
            }
            Impact::Clear(approach) => {
                assert!(under < 1e-12 || q > 0.0 || c / (-q + under.sqrt()) > 2.0, "{under} {impact:?}");
                assert!(approach.lower > 0.0);
                clear += 1;
            }
            Impact::Touching(_) => assert!(c <= 1e-12),
            Impact::Undecided(undecided) => panic!("{undecided:?}"),
        }
    }
    assert!(hits > 800 && clear > 200, "representative: {hits} {clear}");
}

#[test]
fn a_point_on_an_arm_meets_a_plane_where_the_sine_says_so() {
    let mut rng = Rng::with_seed(93);
    for round in 0..500 {
        let (length, rate) = (0.5 + rng.f64(), [1.0, 30.0, 3000.0][round % 3] * (0.2 + rng.f64()));
        let height = length * (0.1 + 0.85 * rng.f64());
        let arm = Shape::segment([0.0; 3], [length, 0.0, 0.0]).unwrap();
        let ceiling = Shape::half_space([0.0, -1.0, 0.0], -height).unwrap();
        let turning = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, rate]).unwrap();
        let still = Motion::fixed(Pose::IDENTITY);
        let truth = (height / length).asin() / rate;
        // The other way round, the plane turns about the arm.
        let back = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, -rate]).unwrap();
        for found in [
            time_of_impact(&arm, &turning, &ceiling, &still, Interval::new(0.0, 10.0).unwrap()),
            time_of_impact(&ceiling, &still, &arm, &turning, Interval::new(0.0, 10.0).unwrap()),
            time_of_impact(&arm, &still, &ceiling, &back, Interval::new(0.0, 10.0).unwrap()),
        ] {
            let hit = hit(found);
            let slack = 1e-14 / rate / (1.0 - (height / length).powi(2)).sqrt();
            assert!(hit.lower <= truth + slack && truth - slack <= hit.upper, "{truth} {hit:?}");
            assert!(hit.upper - hit.lower < 1e-10 / rate, "{hit:?}");
        }
    }
}

#[test]
fn a_plane_that_turns_in_itself_stays_where_it_is() {
    // The plane y = 3, seen from a center that is not on it; a ball of radius one falls on it from seven.
    let floor = Shape::half_space([0.0, 1.0, 0.0], 3.0).unwrap();
    let ball = Shape::sphere(1.0).unwrap();
    for rate in [0.0, 2.0, -1e5] {
        let turning = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, rate, 0.0]).unwrap();
        let falling =
            Motion::linear(Pose::from_translation([0.5, 7.0, 0.0]), [0.0, -1.5, 0.0], [9.0, 0.0, 0.0]).unwrap();
        for found in [
            time_of_impact(&floor, &turning, &ball, &falling, Interval::new(0.0, 5.0).unwrap()),
            time_of_impact(&ball, &falling, &floor, &turning, Interval::new(0.0, 5.0).unwrap()),
        ] {
            let hit = hit(found);
            assert!(hit.lower <= 2.0 && 2.0 <= hit.upper && hit.upper - hit.lower < 1e-9, "{rate}: {hit:?}");
        }
    }
}

#[test]
fn planes_meet_as_soon_as_one_of_them_turns() {
    let (floor, ceiling) =
        (Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Shape::half_space([0.0, -1.0, 0.0], -2.0).unwrap());
    let moving = |velocity: [f64; 3], spin: [f64; 3]| Motion::linear(Pose::IDENTITY, velocity, spin).unwrap();
    let ask = |a: &Motion, b: &Motion| time_of_impact(&floor, a, &ceiling, b, Interval::new(0.0, 10.0).unwrap());
    let still = moving([0.0; 3], [0.0; 3]);
    assert!(matches!(ask(&still, &still), Impact::Clear(approach) if (approach.lower - 2.0).abs() < 1e-12));
    let down = hit(ask(&still, &moving([0.0, -0.5, 0.0], [0.0, 3.0, 0.0])));
    assert!(down.lower <= 4.0 && 4.0 <= down.upper && down.upper - down.lower < 1e-9, "{down:?}");
    for [a, b] in [[0.0, 1e-3], [1e-3, 0.0], [1.0, -1.0]] {
        let tilted = hit(ask(&moving([0.0; 3], [a, 0.0, 0.0]), &moving([0.0; 3], [b, 0.0, 0.0])));
        assert!(tilted.lower == 0.0 && tilted.upper < 1e-6, "{tilted:?}");
    }
}

#[test]
fn beyond_all_bounds_nothing_is_proved() {
    let ball = Shape::sphere(1.0).unwrap();
    let fast = |x: f64, speed: f64| {
        Motion::linear(Pose::from_translation([x, 0.0, 0.0]), [speed, 0.0, 0.0], [0.0; 3]).unwrap()
    };
    // Both leave what can be computed with, side by side; and one passes the other at any speed.
    let found = time_of_impact(&ball, &fast(0.0, 1e59), &ball, &fast(5.0, 1e59), Interval::new(0.0, 1e6).unwrap());
    assert!(matches!(found, Impact::Clear(_)), "{found:?}");
    #[derive(Debug)]
    struct Rest;
    impl Trajectory for Rest {
        fn pose(&self, _: f64) -> Pose {
            Pose::IDENTITY
        }
        fn displacement(&self, _: f64, _: f64, _: f64) -> f64 {
            0.0
        }
    }
    for found in [
        time_of_impact(&ball, &Motion::custom(Rest), &ball, &fast(5.0, 1e60), Interval::new(0.0, 1e60).unwrap()),
        time_of_impact(&ball, &fast(0.0, 1e60), &ball, &fast(1e59, -1e60), Interval::new(0.0, 1e60).unwrap()),
        time_of_impact(&ball, &fast(0.0, -1e60), &ball, &fast(1e59, 1e60), Interval::new(0.0, 1e60).unwrap()),
    ] {
        assert!(!matches!(found, Impact::Touching(_)), "{found:?}");
    }
    // Parts of a compound that are 1e60 apart: doubles do not tell how far they are from a ball, but it is not clear.
    let far = Shape::triangle([0.0; 3], [0.0, 1e60, 0.0], [1.0, 0.0, 0.0]).unwrap();
    let near = Shape::cuboid([1.0; 3]).unwrap();
    let parts = [(far, [0.0, 1e60, 0.0]), (near, [4.0, 0.0, 0.0])];
    let compound = Shape::compound(parts.map(|(shape, place)| (shape, Pose::from_translation(place)))).unwrap();
    let rest = Motion::fixed(Pose::IDENTITY);
    let found = time_of_impact(&compound, &fast(0.0, -1.0), &ball, &rest, Interval::new(0.0, 5.0).unwrap());
    assert!(!matches!(found, Impact::Clear(_)), "{found:?}");
}

/// Without a distance query, too: a direction alone shows whether bodies pass or recede, and the time of their closest approach is then the
/// start.
#[test]
fn no_answer_has_a_number_that_is_none() {
    let mut rng = Rng::with_seed(97);
    let shapes = shapes(&mut rng);
    let mut without_distance = 0;
    for round in 0..8 {
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            let place = vector(&mut rng, 1.0).normalize() * 4.0;
            let velocity = [place, -place, vector(&mut rng, 6.0), DVec3::ZERO][round % 4];
            let spin = if round < 4 { DVec3::ZERO } else { vector(&mut rng, 2.0) };
            let first = Motion::fixed(Pose::new([0.0; 3], rotation(&mut rng)));
            let second = Motion::linear(Pose::new(place, rotation(&mut rng)), velocity, spin).unwrap();
            for end in [0.25 + 1e-9, 1.75] {
                match time_of_impact(a, &first, b, &second, Interval::new(0.25, end).unwrap()) {
                    Impact::Clear(approach) => {
                        assert!(approach.lower > 0.0 && approach.lower <= approach.upper + 1e-12, "{approach:?}");
                        assert!((0.25..=end).contains(&approach.time), "{approach:?}");
                        if approach.upper == f64::INFINITY {
                            assert_eq!(approach.time, 0.25);
                            without_distance += 1;
                        }
                    }
                    Impact::Hit(hit) => {
                        assert!(0.25 <= hit.lower && hit.lower <= hit.upper, "{hit:?}");
                        assert!([hit.point_a, hit.point_b, hit.normal].iter().all(|v| v.is_finite()), "{hit:?}");
                    }
                    Impact::Touching(found) => {
                        assert!(found.lower <= found.distance && found.distance <= found.upper, "{found:?}");
                        let vectors = [found.point_a, found.point_b, found.normal];
                        assert!(vectors.iter().all(|v| !v.is_nan()), "{found:?}");
                    }
                    Impact::Undecided(undecided) => panic!("{undecided:?}"),
                }
            }
        }
    }
    assert!(without_distance > 100, "representative: {without_distance}");
}

#[test]
fn no_wall_is_too_thin_and_no_bullet_too_fast() {
    for thin in [1e-3, 1e-6, 1e-9, 0.0] {
        for speed in [1.0, 1e3, 1e6, 1e12, 1e30] {
            let (bullet, wall) = (Shape::sphere(0.01).unwrap(), Shape::cuboid([thin, 5.0, 5.0]).unwrap());
            let spin = [0.0, 300.0, 7.0];
            let flight = Motion::linear(Pose::from_translation([-1.0, 0.1, 0.2]), [speed, 0.0, 0.0], spin).unwrap();
            // A wall that leans, and turns a little in its own plane.
            let still = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.25, 0.0, 0.0]).unwrap();
            let truth = (1.0 - 0.01 - thin) / speed;
            let found = time_of_impact(&bullet, &flight, &wall, &still, Interval::new(0.0, 4.0).unwrap());
            let hit = hit(found);
            assert!(hit.lower <= truth * (1.0 + 1e-12) && truth * (1.0 - 1e-12) <= hit.upper, "{truth} {hit:?}");
            assert!((hit.upper - hit.lower) * speed < 1e-10, "{hit:?}");
            // Tests at fixed steps do not see it.
            let missed = (0..=100).all(|k| {
                let pose = flight.pose(0.04 * f64::from(k));
                distance(&bullet, pose, &wall, Pose::IDENTITY).is_apart()
            });
            assert_eq!(missed, speed > 1.0, "{speed}");
        }
    }
}

#[test]
fn what_starts_in_contact_rests_slides_or_spins_is_ordinary() {
    let cube = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]);
    let still = Motion::fixed(Pose::IDENTITY);
    let moving = |x: f64, velocity: [f64; 3], spin: [f64; 3]| Motion::linear(at(x), velocity, spin).unwrap();
    let ask = |motion: &Motion| time_of_impact(&cube, &still, &cube, motion, Interval::UNIT);
    // In contact and receding, overlapping, at rest.
    assert!(matches!(ask(&moving(1.0, [1.0, 0.0, 0.0], [0.0; 3])), Impact::Touching(_)));
    assert!(matches!(ask(&moving(0.7, [1.0, 0.0, 0.0], [0.0; 3])), Impact::Touching(c) if c.distance < -0.29));
    assert!(matches!(ask(&moving(1.5, [0.0; 3], [0.0; 3])), Impact::Clear(a) if a.lower > 0.499 && a.steps <= 1));
    // Faces that slide along each other, slightly apart.
    for gap in [1e-3, 1e-9, 1e-12] {
        let Impact::Clear(approach) = ask(&moving(1.0 + gap, [0.0, 0.3, -0.7], [0.0; 3])) else { panic!("{gap}") };
        assert!((approach.lower - gap).abs() < 1e-13, "{gap} {approach:?}");
    }
    // A cylinder that spins about itself beside a wall, and a disc that does so on a table.
    let wheel = Shape::cylinder(Axis::Y, Radius(0.4), HalfHeight(0.2)).unwrap();
    let beside = Motion::linear(at(0.9 + 1e-9), [0.0; 3], [0.0, 1e4, 0.0]).unwrap();
    let found = time_of_impact(&cube, &still, &wheel, &beside, Interval::new(0.0, 10.0).unwrap());
    assert!(matches!(found, Impact::Clear(a) if a.lower > 0.99e-9 && a.steps < 10), "{found:?}");
    let above = Pose::from_translation([0.0, 0.7 + 1e-9, 0.0]);
    let on_top = Motion::linear(above, [0.0; 3], [0.0, 1e4, 0.0]).unwrap();
    let found = time_of_impact(
        &cube,
        &still,
        &cube,
        &Motion::linear(above, [0.0, 0.3, 0.0], [0.0, 1e4, 0.0]).unwrap(),
        Interval::UNIT,
    );
    assert!(matches!(found, Impact::Touching(_)));
    let found = time_of_impact(&cube, &still, &wheel, &on_top, Interval::new(0.0, 10.0).unwrap());
    assert!(matches!(found, Impact::Clear(a) if a.lower > 0.99e-9 && a.steps < 10), "{found:?}");
    // Many turns within the interval: a rod that is never met, but for its sweep.
    let rod = Shape::cuboid([2.0, 0.05, 0.05]).unwrap();
    let whirl = Motion::linear(Pose::IDENTITY, [0.0; 3], [0.0, 0.0, 1e6]).unwrap();
    let falling = |x: f64| {
        Motion::ballistic(Pose::from_translation([x, 9.0, 0.0]), [0.0; 3], [0.0; 3], [0.0, -2.0, 0.0]).unwrap()
    };
    let found = time_of_impact(&rod, &whirl, &Shape::point(), &falling(2.002), Interval::new(0.0, 10.0).unwrap());
    assert!(matches!(found, Impact::Clear(a) if a.steps < 50), "{found:?}");
    let hit = hit(time_of_impact(&rod, &whirl, &Shape::point(), &falling(1.0), Interval::new(0.0, 10.0).unwrap()));
    // It is met when it enters the circle, within a turn of the rod.
    let enters = (9.0 - (2.0_f64.powi(2) + 0.05_f64.powi(2) - 1.0).sqrt()).sqrt();
    assert!(hit.lower >= enters && hit.upper < enters + 1e-5 && hit.upper - hit.lower < 1e-9, "{enters} {hit:?}");
}

#[test]
fn answers_do_not_depend_on_the_order_or_on_a_common_motion() {
    let mut rng = Rng::with_seed(94);
    let shapes = shapes(&mut rng);
    let mut hits = 0;
    for _ in 0..400 {
        let (a, b) = (&shapes[rng.usize(..10)], &shapes[rng.usize(..10)]);
        let way = vector(&mut rng, 1.0).normalize() * 3.0;
        let (pose_a, pose_b) = (Pose::from_rotation(rotation(&mut rng)), Pose::new(way, rotation(&mut rng)));
        let (velocity, spin_a, spin_b) = (-way + vector(&mut rng, 1.0), vector(&mut rng, 3.0), vector(&mut rng, 3.0));
        // A common drift, turn of the axes and place.
        let (drift, turn, place) = (vector(&mut rng, 5.0), rotation(&mut rng), vector(&mut rng, 20.0));
        let moved = |pose: Pose, velocity: DVec3, spin: DVec3| {
            let pose = Pose::new(turn * pose.translation() + place, turn * pose.rotation());
            Motion::linear(pose, turn * velocity + drift, turn * spin).unwrap()
        };
        let plain =
            [Motion::linear(pose_a, DVec3::ZERO, spin_a).unwrap(), Motion::linear(pose_b, velocity, spin_b).unwrap()];
        let other = [moved(pose_a, DVec3::ZERO, spin_a), moved(pose_b, velocity, spin_b)];
        let found = [
            time_of_impact(a, &plain[0], b, &plain[1], Interval::new(0.0, 1.5).unwrap()),
            time_of_impact(b, &plain[1], a, &plain[0], Interval::new(0.0, 1.5).unwrap()),
            time_of_impact(a, &other[0], b, &other[1], Interval::new(0.0, 1.5).unwrap()),
        ];
        match found {
            [Impact::Hit(one), Impact::Hit(swapped), Impact::Hit(together)] => {
                hits += 1;
                for again in [swapped, together] {
                    assert!(again.lower <= one.upper + 1e-11 && one.lower <= again.upper + 1e-11, "{one:?} {again:?}");
                }
            }
            [Impact::Clear(_), Impact::Clear(_), Impact::Clear(_)] => {}
            [Impact::Touching(_), Impact::Touching(_), Impact::Touching(_)] => {}
            _ => panic!("{found:?}"),
        }
    }
    assert!(hits > 150, "representative: {hits}");
}

#[test]
fn key_frames_are_segments_one_after_the_other() {
    let mut rng = Rng::with_seed(95);
    let shapes = shapes(&mut rng);
    let mut hits = 0;
    for _ in 0..200 {
        let (a, b) = (&shapes[rng.usize(..10)], &shapes[rng.usize(..10)]);
        let mut frames = |near: f64| {
            let mut time = -1.0 - rng.f64();
            (0..6)
                .map(|_| {
                    time += 0.2 + rng.f64();
                    (time, Pose::new(vector(&mut rng, 2.0) + DVec3::X * near, rotation(&mut rng)))
                })
                .collect::<Vec<_>>()
        };
        let (first, second) = (frames(-1.5), frames(1.5));
        let motions = [&first, &second].map(|frames| Motion::key_frames(frames).unwrap());
        for (frames, motion) in [&first, &second].into_iter().zip(&motions) {
            for &(time, pose) in frames {
                let found = motion.pose(time);
                assert!(found.translation().distance(pose.translation()) < 1e-14);
                assert!(found.rotation().dot(pose.rotation()).abs() > 1.0 - 1e-14);
            }
        }
        let impact = checked_impact(a, &motions[0], b, &motions[1], 4.0, 40);
        hits += usize::from(matches!(impact, Impact::Hit(_)));
    }
    assert!(hits > 20, "representative: {hits}");
}

#[test]
fn a_motion_of_the_callers_own_is_bracketed_and_cannot_hang() {
    #[derive(Debug)]
    struct Own(Motion, f64);
    impl Trajectory for Own {
        fn pose(&self, time: f64) -> Pose {
            self.0.pose(time)
        }
        fn displacement(&self, from: f64, to: f64, _: f64) -> f64 {
            self.1 * (to - from)
        }
    }
    let mut rng = Rng::with_seed(96);
    let shapes = shapes(&mut rng);
    for _ in 0..24 {
        let (a, b) = (&shapes[rng.usize(..10)], &shapes[rng.usize(..11)]);
        let pose = Pose::new([4.0, 0.0, 0.0], rotation(&mut rng));
        let motion = Motion::linear(pose, [-3.0, 0.2, 0.1], vector(&mut rng, 1.0)).unwrap();
        let fixed = Motion::fixed(Pose::from_rotation(rotation(&mut rng)));
        // Speed and turns: no point of these shapes is faster.
        let own = Motion::custom(Own(motion.clone(), 3.1 + 1.8 * 1.3));
        let known = time_of_impact(a, &motion, b, &fixed, Interval::new(0.0, 1.5).unwrap());
        let found = checked_impact(a, &own, b, &fixed, 1.5, 30);
        if let (Impact::Hit(one), Impact::Hit(other)) = (known, found) {
            assert!(one.lower <= other.upper && other.lower <= one.upper + 1e-9, "{one:?} {other:?}");
        }
        for nonsense in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            let custom = Motion::custom(Own(motion.clone(), nonsense));
            let _ = time_of_impact(a, &custom, b, &fixed, Interval::new(0.0, 1.5).unwrap());
        }
    }
}

/// A bound that does not shrink with the interval proves nothing: that is seen after a few steps, and is not a contact.
#[test]
fn a_trajectory_without_a_bound_is_undecided_at_once() {
    #[derive(Debug)]
    struct Unbounded(std::sync::Arc<AtomicU32>);
    impl Trajectory for Unbounded {
        fn pose(&self, _: f64) -> Pose {
            self.0.fetch_add(1, Relaxed);
            Pose::from_translation([4.0, 0.0, 0.0])
        }
        fn displacement(&self, _: f64, _: f64, _: f64) -> f64 {
            f64::NAN
        }
    }
    let mut rng = Rng::with_seed(98);
    let shapes = shapes(&mut rng);
    for (a, b) in shapes.iter().flat_map(|a| shapes[..10].iter().map(move |b| (a, b))) {
        let asked = std::sync::Arc::new(AtomicU32::new(0));
        let (rest, moving) = (Motion::fixed(Pose::IDENTITY), Motion::custom(Unbounded(asked.clone())));
        let impact = time_of_impact(a, &rest, b, &moving, Interval::new(0.0, 1.5).unwrap());
        assert!(matches!(impact, Impact::Undecided(found) if found.from == 0.0), "{impact:?}");
        let closest = closest_approach(a, &rest, b, &moving, Interval::new(0.0, 1.5).unwrap());
        assert!(matches!(closest, Impact::Undecided(_)), "{closest:?}");
        assert!(asked.load(Relaxed) < 1000, "{} {}: {asked:?}", a.kind(), b.kind());
    }
}

#[test]
fn a_free_symmetric_top_precesses_as_the_closed_form_says() {
    // With moments I, I, J about z: R(t) = e^{L t / I} R(0) e^{z w (1 - J / I) t}, w being the rate about its own axis.
    let solid = Shape::cuboid([0.2, 0.2, 0.5]).unwrap().mass_properties().unwrap();
    let (i, j) = (solid.inertia.x_axis.x, solid.inertia.z_axis.z);
    let mut rng = Rng::with_seed(97);
    for _ in 0..10 {
        let (start, spin) = (rotation(&mut rng), vector(&mut rng, 4.0));
        let top =
            Motion::torque_free(Pose::from_rotation(start), [1.0, 0.0, 0.0], spin, [0.0; 3], &solid, 5.0).unwrap();
        let local = start.conjugate() * spin;
        let momentum = start * (solid.inertia * local);
        for k in 0..=10 {
            let time = 0.5 * f64::from(k);
            let own = DVec3::Z * (local.z * (1.0 - j / i) * time);
            let truth = turn(momentum * (time / i)) * start * turn(own);
            let found = top.pose(time);
            assert!(found.rotation().dot(truth).abs() > 1.0 - 1e-12, "{time}: {found:?} {truth}");
            assert!(found.translation().distance(DVec3::new(time, 0.0, 0.0)) < 1e-12);
        }
    }
    let error = Motion::torque_free(Pose::IDENTITY, [0.0; 3], [1e9, 0.0, 0.0], [0.0; 3], &solid, 1e9).unwrap_err();
    assert!(error.to_string().starts_with("turns has "), "{error}");
}
