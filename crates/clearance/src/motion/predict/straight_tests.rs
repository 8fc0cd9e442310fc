//! Every closed form against the chain, on ways at random and on structured ones.

use crate::motion::advance::Link;
use crate::motion::envelope::Direction;
use crate::motion::{Impact, Motion, Moving};
use crate::pair::PairCache;
use crate::{Axis, HalfHeight, Pose, Radius, Shape, distance};
use fastrand::Rng;
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

impl crate::trace::Trace for Vec<Link> {
    fn link(&mut self, [from, to]: [f64; 2], start: DVec3, turn: DVec3, ring: Option<usize>) {
        self.push(Link { from, to, direction: Direction { start, turn }, ring });
    }
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn pairs() -> Vec<[Shape; 2]> {
    let ball = |r: f64| Shape::sphere(r).unwrap();
    let capsule = |r: f64, h: f64| Shape::capsule(Axis::Y, Radius(r), HalfHeight(h)).unwrap();
    let cuboid = |h: [f64; 3]| Shape::cuboid(h).unwrap();
    let mut rng = Rng::with_seed(72);
    let mut hull = |n: usize| {
        let cloud: Vec<DVec3> = (0..n).map(|_| 0.5 * vector(&mut rng, 1.0).normalize()).collect();
        Shape::hull(&cloud).unwrap()
    };
    let octahedron: Vec<DVec3> = DVec3::AXES.iter().flat_map(|&axis| [0.5 * axis, -0.5 * axis]).collect();
    let (twenty, hundred) = (hull(20), hull(100));
    let square = Shape::hull(&[[0.5, 0.0, 0.5], [-0.5, 0.0, 0.5], [-0.5, 0.0, -0.5], [0.5, 0.0, -0.5]]).unwrap();
    let sliver = Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.6, 0.0], [0.0, 0.0, 1e-4]]).unwrap();
    let cylinder = |r: f64, h: f64| Shape::cylinder(Axis::Y, Radius(r), HalfHeight(h)).unwrap();
    let cone = |r: f64, h: f64| Shape::cone(Axis::Y, Radius(r), HalfHeight(h)).unwrap();
    let between = |a: DVec3, b: DVec3, r: f64| Shape::capsule_between(a, b, Radius(r)).unwrap();
    vec![
        [ball(0.5), ball(0.4)],
        [capsule(0.2, 0.3), capsule(0.25, 0.4)],
        [between(DVec3::X, DVec3::new(0.2, 0.5, 0.1), 0.1), capsule(0.3, 0.0)],
        [cuboid([0.5, 0.4, 0.3]), cuboid([0.45, 0.25, 0.5])],
        [cuboid([1.0, 0.01, 1.0]), cuboid([0.1, 0.1, 0.1])],
        [twenty.clone(), hundred.clone()],
        [Shape::hull(&octahedron).unwrap(), Shape::hull(&octahedron).unwrap()],
        [square, twenty.clone()],
        [hundred, sliver],
        [cuboid([0.5, 0.4, 0.3]), twenty.clone()],
        [twenty, cuboid([0.1, 0.4, 0.3])],
        [cylinder(0.3, 0.4), cylinder(0.4, 0.2)],
        [cylinder(0.5, 0.01), cylinder(0.05, 0.5)],
        [cone(0.3, 0.4), cone(0.4, 0.3)],
    ]
}

/// The answer of the closed form, if there is one: it must agree with that of the chain, and its links must follow each other from the start
/// to its end.
fn checked(shapes: &[Shape; 2], motions: &[Motion; 2], interval: [f64; 2]) -> Option<Impact> {
    let [a, b] = shapes;
    let moving = Moving { a, motion_a: &motions[0], b, motion_b: &motions[1] };
    let mut links: Vec<Link> = Vec::new();
    let found = moving.certified(interval, &mut links).map(|certified| certified.impact(interval[0]));
    let advanced = moving.advanced(interval, &mut PairCache::default(), &mut ());
    let size = interval[1] - interval[0];
    let Some(found) = found else {
        assert!(links.is_empty(), "what is not answered leaves nothing behind");
        return None;
    };
    let end = match (&found, &advanced) {
        (Impact::Hit(hit), Impact::Hit(other)) => {
            assert!(hit.lower <= other.upper && other.lower <= hit.upper, "{hit:?}\n{other:?}");
            assert!(hit.is_proved() && interval[0] < hit.lower && hit.upper <= interval[1], "{hit:?}");
            assert!((hit.lower - other.lower).abs() <= 1e-9 * size, "{hit:?}\n{other:?}");
            hit.lower
        }
        // Pairs that only seem to come close are proved to pass.
        (Impact::Clear(_), Impact::Hit(other)) => {
            assert!(!other.is_proved(), "{found:?}\n{advanced:?}");
            interval[1]
        }
        (Impact::Clear(approach), Impact::Clear(other)) => {
            assert!(approach.lower <= other.upper && approach.lower >= 0.0, "{approach:?}\n{other:?}");
            interval[1]
        }
        _ => panic!("{found:?}\n{advanced:?}"),
    };
    let mut time = interval[0];
    for link in &links {
        assert!(link.from == time && link.to > time, "{links:?}");
        time = link.to;
    }
    assert!(time == end, "{links:?} {found:?}");
    Some(found)
}

#[test]
fn ways_at_random_are_answered_as_the_chain_does() {
    let mut rng = Rng::with_seed(71);
    for shapes in pairs() {
        let (mut answered, mut hits) = (0, 0);
        for _ in 0..1000 {
            let way = vector(&mut rng, 1.0).normalize() * (2.0 + 2.0 * rng.f64());
            let velocity = -1.2 * way + vector(&mut rng, 1.0);
            let share = rng.f64();
            let motions =
                [(DVec3::ZERO, -share * velocity), (way, (1.0 - share) * velocity)].map(|(place, velocity)| {
                    let pose = Pose::new(place, DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
                    Motion::linear(pose, velocity, [0.0; 3]).unwrap()
                });
            if let Some(found) = checked(&shapes, &motions, [0.0, 1.0]) {
                answered += 1;
                if let Impact::Hit(hit) = found {
                    hits += 1;
                    assert!(hit.upper - hit.lower < 1e-10, "{hit:?}");
                    let [pose_a, pose_b] = motions.each_ref().map(|motion| motion.pose(hit.lower));
                    let there = distance(&shapes[0], pose_a, &shapes[1], pose_b);
                    assert!(there.distance.abs() < 1e-12 && hit.point_a.distance(hit.point_b) < 1e-12, "{hit:?}");
                    assert!(hit.point_a.distance(there.point_a) < 1e-3 || there.normal.dot(hit.normal) > 0.999);
                }
            }
        }
        println!("{} {answered} {hits}", shapes[0].kind());
        assert!(answered > 800 && hits > 200, "{answered} {hits}");
    }
}

/// In a simulation each motion begins at the last impact of its body, and all bodies fall.
#[test]
fn bodies_that_started_at_different_times_are_answered_as_the_chain_does() {
    let mut rng = Rng::with_seed(73);
    for shapes in pairs() {
        let (mut answered, mut hits) = (0, 0);
        for round in 0..400 {
            let gravity = if round % 2 == 0 { DVec3::ZERO } else { 10.0 * vector(&mut rng, 1.0) };
            let way = vector(&mut rng, 1.0).normalize() * (2.0 + 2.0 * rng.f64());
            let velocity = -1.2 * way + vector(&mut rng, 1.0);
            let share = rng.f64();
            let far = if round % 4 < 2 { DVec3::ZERO } else { 1e3 * vector(&mut rng, 1.0) };
            let now = [0.0, 1e2][round % 3 / 2];
            let motions = [(far, -share * velocity), (far + way, (1.0 - share) * velocity)].map(|(place, velocity)| {
                let s = -2.0 * rng.f64();
                let place = place + velocity * s + gravity * (0.5 * s * s);
                let pose = Pose::new(place, DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
                let motion = Motion::ballistic(pose, velocity + gravity * s, [0.0; 3], gravity).unwrap();
                motion.from_time(now + s).unwrap()
            });
            if let Some(found) = checked(&shapes, &motions, [now, now + 1.0]) {
                answered += 1;
                hits += usize::from(matches!(found, Impact::Hit(_)));
            }
        }
        assert!(answered > 300 && hits > 60, "{} {answered} {hits}", shapes[0].kind());
    }
}

/// Poses and velocities in which nothing is general: parallel and crossed edges, faces, corners, sliding, touching, at rest, away.
#[test]
fn slow_structured_ways_are_answered_as_the_chain_does() {
    let turns = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(FRAC_PI_2),
        DQuat::from_rotation_z(FRAC_PI_4),
        DQuat::from_rotation_y(FRAC_PI_4) * DQuat::from_rotation_x(FRAC_PI_4),
    ];
    let places =
        [[3.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 3.0, 0.9], [0.9, 0.0, 0.0], [0.95, 0.0, 0.0], [0.1, 0.2, 0.0]];
    let velocities = [
        [0.0, 0.0, 0.0],
        [-4.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, -4.0, 0.0],
        [-3.0, -3.0, 0.0],
        [-1e30, 0.0, 0.0],
        [-1e-30, 0.0, 0.0],
        [-1.0, -1e-9, 0.0],
    ];
    let (mut answered, mut all) = (0, 0);
    for shapes in pairs() {
        for (turn_a, turn_b) in turns.iter().flat_map(|a| turns.iter().map(move |b| (*a, *b))) {
            for (place, velocity) in places.iter().flat_map(|p| velocities.iter().map(move |v| (*p, *v))) {
                // Far from the origin, too: what both have in common is not seen.
                for origin in [DVec3::ZERO, DVec3::new(1e8, -1e8, 1e8)] {
                    let still = Motion::fixed(Pose::new(origin, turn_a));
                    let moving =
                        Motion::linear(Pose::new(origin + DVec3::from(place), turn_b), velocity, [0.0; 3]).unwrap();
                    all += 2;
                    let swapped = [shapes[1].clone(), shapes[0].clone()];
                    answered += usize::from(checked(&swapped, &[moving.clone(), still.clone()], [0.0, 1.0]).is_some());
                    answered += usize::from(checked(&shapes, &[still, moving], [0.0, 1.0]).is_some());
                }
            }
        }
    }
    println!("{answered} {all}");
    assert!(2 * answered > all, "{answered} of {all}");
}

#[test]
fn nothing_thick_is_needed() {
    // A plate, a needle and a point have no inside that a point could be in: the chain answers, and nothing is claimed here.
    let plate = Shape::cuboid([1.0, 0.0, 1.0]).unwrap();
    let needle = Shape::capsule(Axis::Y, Radius(0.0), HalfHeight(0.5)).unwrap();
    let point = Shape::point();
    for shapes in [[plate.clone(), plate], [needle.clone(), needle], [point.clone(), point]] {
        for (start, velocity, may_certify) in
            [([0.0, 3.0, 0.0], [0.0, -4.0, 0.0], true), ([5.0, 3.0, 0.0], [0.0, -4.0, 0.0], false)]
        {
            let moving = Motion::linear(Pose::from_translation(start), velocity, [0.0; 3]).unwrap();
            match checked(&shapes, &[Motion::fixed(Pose::IDENTITY), moving], [0.0, 1.0]) {
                Some(Impact::Clear(_)) => assert!(!may_certify),
                None => {}
                other => panic!("{other:?}"),
            }
        }
    }
}
