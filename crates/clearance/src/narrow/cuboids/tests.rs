//! Yes or no about two boxes at the edge of touching, and the three answers about one pair.

use super::*;
use crate::math::Pose;
use crate::shape::Cuboid;
use fastrand::Rng;
use glam::DQuat;

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

/// Which features of the two face each other.
#[derive(Clone, Copy, PartialEq)]
enum Contact {
    CornerOnFace,
    EdgeOnEdge,
}

/// Two boxes that are that far apart, or overlap by so much if it is negative: half extents and B in the frame of A.
fn facing(rng: &mut Rng, contact: Contact, gap: f64) -> ([DVec3; 2], Frame) {
    let half = [(); 2].map(|()| vector(rng, 1.0).abs() + 0.25);
    let corners = |half: DVec3| (0..8).map(move |i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)));
    if contact == Contact::CornerOnFace {
        let turn = DQuat::from_scaled_axis(vector(rng, 3.0));
        let lowest = corners(half[1]).map(|p| turn * p).min_by(|p, q| p.z.total_cmp(&q.z)).unwrap();
        let above = DVec3::new(0.1, -0.2, half[0].z + gap);
        return (half, Frame::from(Pose::new(above - lowest, turn)));
    }
    // Edges along x and y, crossing over the z axis after a turn of 45 degrees of each about its own edge.
    let (along_x, along_y) = (DQuat::from_rotation_x(0.7), DQuat::from_rotation_y(0.8));
    let highest = corners(half[0]).map(|p| (along_x * p).z).fold(f64::NEG_INFINITY, f64::max);
    let lowest = corners(half[1]).map(|p| (along_y * p).z).fold(f64::INFINITY, f64::min);
    // Where the edges are beside the axis.
    let top = corners(half[0]).map(|p| along_x * p).find(|p| p.z == highest).unwrap();
    let low = corners(half[1]).map(|p| along_y * p).find(|p| p.z == lowest).unwrap();
    let pose_b = Pose::new([-low.x, top.y, highest - lowest + gap], along_y);
    (half, Frame::relative(&Pose::new(DVec3::ZERO, along_x), &pose_b))
}

fn sign(i: u32, bit: u32) -> f64 {
    if i >> bit & 1 == 1 { 1.0 } else { -1.0 }
}

/// The allowance of [`careful_verdict`].
fn rounding([a, b]: [DVec3; 2], frame: &Frame) -> f64 {
    rounding::ROUNDING * (a + b + frame.translation.abs()).element_sum()
}

/// A height that rounding could have made is no proof, neither along a face nor across two edges; a larger one is.
#[test]
fn a_gap_within_rounding_is_not_apart_and_a_larger_one_is() {
    let mut rng = Rng::with_seed(1);
    for round in 0..400 {
        let contact = if round % 2 == 0 { Contact::CornerOnFace } else { Contact::EdgeOnEdge };
        for (roundings, answer) in [(0.3, true), (8.0, false), (-8.0, true)] {
            let mut same = rng.clone();
            let (half, frame) = facing(&mut same, contact, 0.0);
            let gap = roundings * rounding(half, &frame);
            let (half, frame) = facing(&mut rng.clone(), contact, gap);
            assert_eq!(intersects(half[0], half[1], &frame), answer, "{roundings}: {half:?} {frame:?}");
            assert_eq!(careful_verdict(half[0], half[1], &frame), answer, "{roundings}: {half:?} {frame:?}");
        }
        rng.u64(..);
    }
}

/// Single precision says yes or no only where its own rounding cannot have made it so.
#[test]
fn the_rough_verdict_proves_nothing_within_its_rounding() {
    let mut rng = Rng::with_seed(2);
    let mut decided = 0;
    for round in 0..8000 {
        let contact = if round % 2 == 0 { Contact::CornerOnFace } else { Contact::EdgeOnEdge };
        let size = 10.0_f64.powf(-9.0 + 5.0 * rng.f64());
        let gap = if round / 2 % 2 == 0 { size } else { -size };
        let (half, frame) = facing(&mut rng, contact, gap);
        let verdict = verdict_f32(half[0], half[1], &frame);
        assert_ne!(verdict, Some(gap > 0.0), "{gap:e}: {half:?} {frame:?}");
        decided += usize::from(verdict.is_some());
    }
    assert!((500..6000).contains(&decided), "representative: {decided}");
}

/// The intersection test, the bracket of the distance and the witnesses are about the same two boxes.
#[test]
fn yes_or_no_and_the_distance_agree() {
    let mut rng = Rng::with_seed(3);
    let mut seen = [0; 2];
    for _ in 0..2000 {
        let half = [(); 2].map(|()| vector(&mut rng, 1.0).abs());
        let pose = Pose::new(vector(&mut rng, 1.5), DQuat::from_scaled_axis(vector(&mut rng, 3.0)));
        let frame = Frame::from(pose);
        let [a, b] = half.map(|half| Cuboid::new(half).unwrap());
        let out = distance(&a, &b, &frame).expect("not within a few roundings of touching");
        let answer = intersects(half[0], half[1], &frame);
        seen[usize::from(answer)] += 1;
        assert!(if answer { out.lower <= 0.0 } else { out.upper > 0.0 }, "{out:?}");
        assert!(out.lower <= out.distance && out.distance <= out.upper && out.closed, "{out:?}");
        assert!((out.normal.length() - 1.0).abs() < 1e-14);
        // The witnesses are points of the boxes.
        let in_b = frame.direction_in_b(out.point_b - frame.translation);
        assert!((out.point_a.abs() - half[0]).max_element() < 1e-13, "{out:?}");
        assert!((in_b.abs() - half[1]).max_element() < 1e-13, "{out:?}");
        // The plane across the normal bounds both: the lower bound is its height.
        assert!(out.normal.dot(out.point_b - out.point_a) >= out.lower - 1e-14, "{out:?}");
    }
    assert!(seen.iter().all(|&count| count > 300), "representative: {seen:?}");
}

/// Witnesses of a closed depth are points of their boxes to rounding, however nearly parallel faces and edges are.
#[test]
fn witnesses_of_nearly_parallel_boxes_are_on_them() {
    let mut rng = Rng::with_seed(71);
    let found = {
        let half = DVec3::new(0.677774159650979, 0.9042467767955777, 0.8492716354632648);
        let pose_a = Pose::new(
            [-1.425149995282196, -2.3051406327756907, -0.614879503594064],
            DQuat::from_xyzw(0.6470217312798086, 0.31818369081460907, 0.29847751510384196, 0.6253264676380719),
        );
        let pose_b = Pose::new(
            [-1.851158186109203, -0.21583723363022395, 1.162404712428946],
            DQuat::from_xyzw(0.6470217309944396, 0.3181836999429094, 0.29847751261069866, 0.6253264644786194),
        );
        ([half; 2], Frame::relative(&pose_a, &pose_b))
    };
    let drawn = (0..20_000).map(|_| {
        let mut half = [(); 2].map(|()| vector(&mut rng, 1.0).abs() + 0.25);
        if rng.bool() {
            half[1] = half[0];
        }
        let tilt = 10.0_f64.powf(-13.0 + 10.0 * rng.f64());
        let depth = tilt * rng.f64() * if rng.bool() { 1.0 } else { 1e-2 };
        let mut place = vector(&mut rng, 0.9) * (half[0] + half[1]);
        place.z = half[0].z + half[1].z - depth;
        (half, Frame::from(Pose::new(place, DQuat::from_scaled_axis(tilt * vector(&mut rng, 1.0)))))
    });
    let mut overlaps = 0;
    for ([a, b], frame) in std::iter::once(found).chain(drawn) {
        let [box_a, box_b] = [a, b].map(|half| Cuboid::new(half).unwrap());
        let Some(out) = distance(&box_a, &box_b, &frame).filter(|out| out.distance < 0.0) else { continue };
        overlaps += 1;
        let rounding = rounding([a, b], &frame);
        let in_b = frame.direction_in_b(out.point_b - frame.translation);
        for (point, half) in [(out.point_a, a), (in_b, b)] {
            let outside = (point.abs() - half).max_element();
            assert!(outside <= 8.0 * rounding, "{outside:e} of {rounding:e}: {out:?} {a} {b} {frame:?}");
        }
    }
    assert!(overlaps > 5_000, "{overlaps}");
}
