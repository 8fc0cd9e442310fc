//! Predictions against the chain without them, and cases without a prediction.

use crate::motion::advance::Advancement;
use crate::motion::certify::Toi;
use crate::motion::envelope::MovingPair;
use crate::motion::piece::MotionPiece;
use crate::motion::predict::Times;
use crate::motion::{Approach, Impact, Motion, time_of_impact};
use crate::pair::PairCache;
use crate::tuning::motion::MAX_STEPS;
use crate::{Axis, HalfHeight, Interval, Pose, Radius, Shape, distance};
use fastrand::Rng;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

/// Two shapes of each kind that is predicted, and how many of a hundred contacts should be.
fn kinds() -> Vec<([Shape; 2], usize)> {
    let capsule = |r: f64, h: f64| Shape::capsule(Axis::Y, Radius(r), HalfHeight(h)).unwrap();
    let cuboid = |h: [f64; 3]| Shape::cuboid(h).unwrap();
    let cylinder = |r: f64, h: f64| Shape::cylinder(Axis::Y, Radius(r), HalfHeight(h)).unwrap();
    let cone = |r: f64, h: f64| Shape::cone(Axis::Y, Radius(r), HalfHeight(h)).unwrap();
    let mut rng = Rng::with_seed(31);
    let mut hull = |n: usize| {
        let cloud: Vec<DVec3> = (0..n).map(|_| 0.5 * vector(&mut rng, 1.0).normalize()).collect();
        Shape::hull(&cloud).unwrap()
    };
    let hulls = [hull(20), hull(60)];
    vec![
        ([capsule(0.2, 0.3), capsule(0.25, 0.4)], 90),
        ([cuboid([0.5, 0.4, 0.3]), cuboid([0.45, 0.25, 0.5])], 90),
        (hulls, 90),
        ([cylinder(0.3, 0.4), cylinder(0.4, 0.2)], 90),
        ([cone(0.3, 0.4), cone(0.4, 0.3)], 80),
        ([cone(0.3, 0.4), cylinder(0.4, 0.2)], 80),
        ([Shape::ellipsoid([0.5, 0.3, 0.2]).unwrap(), cylinder(0.3, 0.3)], 85),
    ]
}

/// The contact that is predicted for the interval from 0 to 1, with its direction, and the one that the chain finds without a prediction.
fn both(shapes: &[Shape; 2], motions: &[Motion; 2]) -> (Option<(f64, DVec3)>, Option<f64>) {
    let [piece_a, piece_b] = [0, 1].map(|side| MotionPiece::at(&motions[side], 0.0).0);
    let shapes = [&shapes[0], &shapes[1]];
    let pair = MovingPair::new(shapes, [&piece_a, &piece_b]);
    let mut cache = PairCache::default();
    let mut advancement = Advancement {
        pair: &pair,
        shapes,
        cache: &mut cache,
        chain: &mut (),
        steps: MAX_STEPS,
        has_given_up: false,
        contact_gap: 0.0,
        nearest: Approach::at_least(f64::INFINITY, 0.0),
        may_certify: true,
    };
    let predicted = advancement.predict(&pair.at(0.0), 1.0);
    advancement.may_certify = false;
    let plain = match advancement.advance(0.0, 1.0) {
        Toi::Contact(hit, _) | Toi::Touching(_, hit, _) => Some(hit.lower),
        Toi::Paused(time) => Some(time),
        Toi::Clear => None,
    };
    (predicted.map(|found| (found.moment.time, found.guess.normal)), plain)
}

fn flight(rng: &mut Rng, spin: f64) -> [Motion; 2] {
    let way = vector(rng, 1.0).normalize() * (2.0 + rng.f64());
    let velocity = -1.3 * way + vector(rng, 0.4);
    let mut motion = |place: DVec3, velocity: DVec3| {
        let pose = Pose::new(place, DQuat::from_scaled_axis(vector(rng, 2.0)));
        Motion::linear(pose, velocity, vector(rng, 1.0).normalize() * spin).unwrap()
    };
    [motion(DVec3::ZERO, DVec3::ZERO), motion(way, velocity)]
}

#[test]
fn what_is_foreseen_is_the_first_contact() {
    for (shapes, share) in kinds() {
        let mut rng = Rng::with_seed(32);
        let (mut hits, mut predicted) = (0, 0);
        for round in 0..200 {
            let motions = flight(&mut rng, [1.0, 3.0][round % 2]);
            let (ahead, plain) = both(&shapes, &motions);
            let Some(time) = plain else { continue };
            hits += 1;
            let Some((when, n)) = ahead else { continue };
            // Another contact than the first is allowed, and is refused by the proof; a time before it is not.
            assert!(when > time - 1e-9, "{shapes:?} {when} {time}");
            let poses = motions.each_ref().map(|motion| motion.pose(when));
            let found = distance(&shapes[0], poses[0], &shapes[1], poses[1]);
            if (when - time).abs() < 1e-9 {
                predicted += 1;
                assert!(found.lower.abs() < 1e-11 && (n.length() - 1.0).abs() < 1e-12, "{shapes:?} {found:?}");
            }
        }
        assert!(hits > 150 && predicted * 100 >= hits * share, "{shapes:?}: {predicted} of {hits}");
    }
}

#[test]
#[cfg(feature = "proof")]
fn one_or_two_links_prove_most_of_it() {
    for (shapes, _) in kinds() {
        let mut rng = Rng::with_seed(33);
        let (mut hits, mut short) = (0, 0);
        for _ in 0..100 {
            let motions = flight(&mut rng, 3.0);
            let (impact, proof) =
                crate::proof::impact(&shapes[0], &motions[0], &shapes[1], &motions[1], Interval::UNIT);
            let Impact::Hit(hit) = impact else { continue };
            let Some(proof) = proof.and_then(|proof| proof.motion) else { continue };
            hits += 1;
            short += usize::from(proof.chain.len() <= 3);
            // From the start on to the contact, without a gap.
            assert_eq!(proof.chain.first().map(|link| link.from), Some(0.0));
            assert_eq!(proof.chain.last().map(|link| link.to), Some(hit.lower));
            assert!(proof.chain.windows(2).all(|pair| pair[0].to == pair[1].from), "{proof:?}");
        }
        assert!(hits > 70 && short * 10 >= hits * 8, "{shapes:?}: {short} of {hits}");
    }
}

#[test]
fn answers_are_the_same_with_the_bodies_exchanged() {
    for (shapes, _) in kinds() {
        let mut rng = Rng::with_seed(34);
        for _ in 0..40 {
            let [first, second] = flight(&mut rng, 3.0);
            let [a, b] = &shapes;
            let there = time_of_impact(a, &first, b, &second, Interval::UNIT);
            let back = time_of_impact(b, &second, a, &first, Interval::UNIT);
            match (there, back) {
                (Impact::Hit(there), Impact::Hit(back)) => {
                    assert!((there.lower - back.lower).abs() < 1e-10, "{there:?} {back:?}");
                    assert!(there.lower <= back.upper && back.lower <= there.upper, "{there:?} {back:?}");
                }
                (Impact::Clear(_), Impact::Clear(_)) => {}
                other => panic!("{shapes:?} {other:?}"),
            }
        }
    }
}

/// Faces that meet in parallel, what rests or leaves, what overlaps: whatever is predicted, distances at sampled times say the same, and the points
/// that meet are next to each other.
#[test]
fn structured_motions_are_answered_as_well() {
    let up = |y: f64| Pose::from_translation([0.0, y, 0.0]);
    let about_y = |rate: f64| DVec3::new(0.0, rate, 0.0);
    let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 0.4 } else { -0.4 }));
    let cube = Shape::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let others = [([cube.clone(), cube.clone()], 0), ([Shape::cuboid([0.4; 3]).unwrap(), cube], 0)];
    for (shapes, _) in kinds().into_iter().chain(others) {
        let spinning = |pose: Pose, velocity: [f64; 3]| Motion::linear(pose, velocity, about_y(2.0)).unwrap();
        let still = spinning(Pose::IDENTITY, [0.0; 3]);
        let far = shapes[0].bounding_radius() + shapes[1].bounding_radius();
        let cases = [
            // Down onto each other, both turning about the same line: flat ends meet flat ends.
            [still.clone(), spinning(up(far + 0.5), [0.0, -far - 0.5, 0.0])],
            // The same, tipped over by a quarter turn.
            [
                still.clone(),
                spinning(Pose::new([far + 0.5, 0.0, 0.0], DQuat::from_rotation_z(FRAC_PI_2)), [-far, 0.0, 0.0]),
            ],
            // Away.
            [still.clone(), spinning(up(far + 0.1), [0.0, 1.0, 0.0])],
            // From inside.
            [still.clone(), spinning(Pose::IDENTITY, [0.0, 1.0, 0.0])],
            // In place.
            [still.clone(), spinning(up(far + 1e-9), [0.0; 3])],
        ];
        for motions in &cases {
            let [a, b] = &shapes;
            let impact = time_of_impact(a, &motions[0], b, &motions[1], Interval::UNIT);
            let at = |time: f64| distance(a, motions[0].pose(time), b, motions[1].pose(time));
            match impact {
                Impact::Hit(hit) => {
                    assert!(at(hit.lower).distance.abs() < 1e-9, "{hit:?}");
                    assert!(hit.point_a.distance(hit.point_b) < 1e-9, "{hit:?}");
                    assert!((0..50).all(|k| at(hit.lower * f64::from(k) / 50.0).upper > 0.0), "{hit:?}");
                    assert!(!hit.is_proved() || at(hit.upper).lower <= 1e-13, "{hit:?}");
                }
                Impact::Clear(found) => {
                    assert!((0..=50).all(|k| at(f64::from(k) / 50.0).upper >= found.lower), "{found:?}");
                }
                Impact::Touching(found) => assert!(found.lower <= 1e-13, "{found:?}"),
                Impact::Undecided(_) => panic!("{impact:?}"),
            }
        }
    }
}

#[test]
fn times_stay_between_where_bodies_were_apart_and_where_not() {
    let mut times = Times::new(0.0, 1.0);
    // Newton's root, the end if that is beyond it, the chord once both ends are known.
    assert_eq!(times.next(0.0, 1.0, -2.0), Some(0.5));
    assert_eq!(times.next(0.0, 1.0, -0.5), Some(1.0));
    assert_eq!(times.next(0.0, 1.0, 1.0), None);
    assert_eq!(times.next(0.5, -1.0, 0.0), Some(0.25));
    assert_eq!(times.next(0.25, -0.1, -1.0), Some(0.15));
    assert_eq!(times.back(0.25), Some(0.125));
    let root = times.next(0.125, 0.1, 0.0).unwrap();
    assert!(root > 0.125 && root < 0.25);
    assert_eq!(times.next(f64::NAN, f64::NAN, f64::NAN), None);
    // Apart at the end: nothing to predict.
    assert_eq!(Times::new(0.0, 1.0).next(1.0, 0.5, -0.1), None);
}
