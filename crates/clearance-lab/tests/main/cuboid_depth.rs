//! The depth of two boxes compared with every direction of a face of their difference, in 32 digits: random boxes, and boxes placed where formulas
//! go wrong. Witnesses, bracket, swap and common motion are checked for every case.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Clearance, Pose, Shape, Status, distance, intersects};
use clearance_lab::{Rng, depth, models, pairs, random};

#[derive(Clone, Copy)]
struct Case {
    half: [DVec3; 2],
    pose: [Pose; 2],
}

impl Case {
    /// The largest number of the case: permitted errors are parts of it.
    fn size(&self) -> f64 {
        let apart = (self.pose[1].translation() - self.pose[0].translation()).length();
        self.half[0].length() + self.half[1].length() + apart
    }

    fn ask(&self) -> Clearance {
        let [a, b] = self.half.map(|half| Shape::cuboid(half).expect("finite"));
        distance(&a, self.pose[0], &b, self.pose[1])
    }

    fn truth(&self) -> f64 {
        let [a, b] = self.half.map(models::cuboid);
        depth::widest_gap(&a, self.pose[0], &b, self.pose[1])
    }

    fn swapped(&self) -> Self {
        Self { half: [self.half[1], self.half[0]], pose: [self.pose[1], self.pose[0]] }
    }

    fn moved(&self, by: &Pose) -> Self {
        Self { pose: self.pose.map(|pose| *by * pose), ..*self }
    }
}

/// The contract of the answer to an overlapping or touching pair; returns the truth.
fn check(case: &Case, what: &str) -> f64 {
    let (truth, answer, size) = (case.truth(), case.ask(), case.size());
    let complain = |text: &str| panic!("{what}: {text}: {answer:?}, truth {truth:e}; {:?} {:?}", case.half, case.pose);
    // World coordinates round by their own size, not by that of the boxes.
    let world = size + case.pose[0].translation().length();
    // The last term is for boxes that are points.
    let slack = 1e-13 * size + 1e-70;
    if answer.status != Status::Converged {
        complain("open");
    }
    // A touching pair may be apart by less than the resolution of the widest gap, which is rounding.
    let truth_is_exact = truth <= 0.0;
    if answer.lower > truth + 1e-20 * size || (truth_is_exact && answer.upper < truth) {
        complain("the bracket misses");
    }
    if answer.upper - answer.lower > slack || !(answer.lower..=answer.upper).contains(&answer.distance) {
        complain("the bracket is wide, or without the answer");
    }
    if (answer.distance - truth).abs() > slack {
        complain("off");
    }
    let [n, d] = [answer.normal, answer.point_a + answer.distance * answer.normal - answer.point_b];
    if (n.length() - 1.0).abs() > 1e-14 || d.length() > 1e-15 * world {
        complain("the witnesses do not fit");
    }
    for (k, (point, outward)) in [(answer.point_a, n), (answer.point_b, -n)].into_iter().enumerate() {
        let local = case.pose[k].inverse_transform_vector(point - case.pose[k].translation());
        let outward = case.pose[k].inverse_transform_vector(outward);
        let slack = 1e-13 * size + 1e-15 * world;
        if (local.abs() - case.half[k]).max_element() > slack {
            complain("a witness is outside its box");
        }
        if case.half[k].dot(outward.abs()) - local.dot(outward) > slack {
            complain("a witness is not the deepest along the normal");
        }
    }
    let [a, b] = case.half.map(|half| Shape::cuboid(half).expect("finite"));
    if truth_is_exact && !intersects(&a, case.pose[0], &b, case.pose[1]) {
        complain("said to be apart");
    }
    truth
}

/// The case, swapped, and moved by a common motion.
fn check_all(rng: &mut Rng, case: &Case, what: &str) {
    let first = check(case, what);
    check(&case.swapped(), what);
    let motion = Pose::new(random::vector(rng, -2.0, 2.0) * case.size(), random::rotation(rng));
    let moved = check(&case.moved(&motion), what);
    assert!((moved - first).abs() <= 1e-14 * case.size(), "{what}: {first} {moved}");
}

fn count() -> usize {
    std::env::var("PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

fn half(rng: &mut Rng) -> DVec3 {
    random::vector(rng, 0.3, 1.0)
}

#[test]
fn random_boxes_are_as_deep_as_the_nearest_face_of_their_difference() {
    let mut rng = Rng::with_seed(401);
    let (mut by_face, mut by_edge) = (0, 0);
    for _ in 0..count() {
        let half = [half(&mut rng), half(&mut rng)];
        let farthest = |half: DVec3| move |d: DVec3| half.copysign(d);
        let (a, b) = pairs::place_overlapping(&mut rng, &farthest(half[0]), &farthest(half[1]));
        let case = Case { half, pose: [a, b] };
        check(&case, "random");
        let local = [0, 1].map(|k| case.pose[k].inverse_transform_vector(case.ask().normal).abs().max_element());
        *(if local[0].max(local[1]) > 1.0 - 1e-12 { &mut by_face } else { &mut by_edge }) += 1;
    }
    println!("{by_face} by a face, {by_edge} by two edges");
    assert!(by_face * 20 > count() && by_edge * 20 > count(), "{by_face} by a face, {by_edge} by two edges");
}

/// A rotation that permutes the axes.
fn quarter_turn(rng: &mut Rng) -> DQuat {
    let turns = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0], [1.0; 4]];
    DQuat::from_array(turns[rng.usize(..turns.len())]).normalize()
}

/// The special placements of two boxes.
const KINDS: [&str; 14] = [
    "parallel",
    "nearly parallel",
    "one edge parallel",
    "one edge nearly parallel",
    "concentric",
    "equal",
    "inside",
    "flat",
    "both flat",
    "needles",
    "sizes apart",
    "touching",
    "sliver of overlap",
    "whole numbers",
];

fn special(rng: &mut Rng, kind: usize) -> Case {
    let mut half = [half(rng), half(rng)];
    let mut turn = random::rotation(rng);
    let small = random::magnitude(rng, -17.0, -2.0);
    let quarter = quarter_turn(rng);
    let mut center = random::vector(rng, -0.6, 0.6);
    match kind {
        0 => turn = quarter,
        1 => turn = DQuat::from_axis_angle(random::direction(rng), small) * quarter,
        2 => turn = DQuat::from_axis_angle(DVec3::AXES[rng.usize(..3)], random::uniform(rng, 0.0, 3.0)),
        3 => {
            let tilt = DQuat::from_axis_angle(random::direction(rng), small);
            turn = tilt * DQuat::from_axis_angle(DVec3::AXES[rng.usize(..3)], random::uniform(rng, 0.0, 3.0));
        }
        4 => center = DVec3::ZERO,
        5 => {
            half[1] = half[0];
            (center, turn) = (DVec3::ZERO, if rng.bool() { DQuat::IDENTITY } else { quarter });
        }
        6 => {
            half[1] *= 0.2;
            center = random::vector(rng, -1.0, 1.0) * half[0];
            turn = if rng.bool() { turn } else { quarter };
        }
        7 => half[1][rng.usize(..3)] = 0.0,
        8 => {
            // Two rectangles across each other, or in one plane.
            (half[0].z, half[1].z) = (0.0, 0.0);
            if rng.bool() {
                (center.z, turn) = (0.0, DQuat::from_rotation_z(random::uniform(rng, 0.0, 3.0)));
            } else {
                center *= 0.2;
            }
        }
        9 => {
            half[0] *= DVec3::new(1e-5, 1.0, 1e3);
            half[1] *= DVec3::new(1e3, 1e-4, 1e-4);
            center *= 1e-5;
        }
        10 => {
            half[1] *= 1e-6;
            center = random::vector(rng, -1.0, 1.0) * half[0];
        }
        11 | 12 => {
            let axis = rng.usize(..3);
            turn = if rng.bool() { turn } else { quarter };
            let reach = half[1].dot((turn.conjugate() * DVec3::AXES[axis]).abs());
            let overlap = if kind == 11 { 0.0 } else { random::magnitude(rng, -15.0, -3.0) };
            center *= 0.3;
            center[axis] = half[0][axis] + reach - overlap;
        }
        _ => {
            half = half.map(|half| (4.0 * half).round());
            (center, turn) = ((5.0 * center).round(), quarter);
        }
    }
    Case { half, pose: [Pose::IDENTITY, Pose::new(center, turn)] }
}

#[test]
fn special_boxes_are_as_deep_as_the_nearest_face_of_their_difference() {
    let mut rng = Rng::with_seed(402);
    let mut overlapping = [0; KINDS.len()];
    let rounds = count() / 8;
    for round in 0..rounds * KINDS.len() {
        let kind = round % KINDS.len();
        let case = special(&mut rng, kind);
        // Only boxes that overlap, or touch to rounding, are tested here.
        if case.ask().lower > 0.0 {
            continue;
        }
        overlapping[kind] += 1;
        check_all(&mut rng, &case, KINDS[kind]);
    }
    for (kind, overlapping) in KINDS.iter().zip(overlapping) {
        println!("{kind}: {overlapping} of {rounds}");
        assert!(overlapping * 3 >= rounds, "{kind}: {overlapping} of {rounds}");
    }
}

#[test]
fn every_size_and_place_is_as_good_as_another() {
    let mut rng = Rng::with_seed(403);
    for round in 0..count() / 4 {
        let mut case = special(&mut rng, round % KINDS.len());
        if case.ask().lower > 0.0 {
            continue;
        }
        for scale in [1e-6, 1e6, 1e-50, 1e50] {
            let half = case.half.map(|half| half * scale);
            let pose = case.pose.map(|pose| Pose::new(pose.translation() * scale, pose.rotation()));
            check(&Case { half, pose }, "scaled");
        }
        // Far away, at coordinates that lose no digits of the difference.
        let far = DVec3::new(3.0e8, -2.0e8, 1.0e8);
        let center = ((case.pose[1].translation() * 1024.0).round()) / 1024.0;
        case.pose = [Pose::from_translation(far), Pose::new(far + center, case.pose[1].rotation())];
        if case.ask().lower <= 0.0 {
            check(&case, "far away");
        }
    }
}

/// Boxes that touch: equal, turned by the same rotation that no double holds exactly, one behind the other.
#[test]
fn kissing_boxes_have_the_gap_they_were_given() {
    let k = DMat3::from_cols_array(&[
        0.940_960_632_174_177_6,
        -0.235_698_368_412_998_8,
        -0.242_980_179_903_263_9,
        0.292_968_400_372_895,
        0.926_615_235_958_484_3,
        0.235_698_368_412_998_85,
        0.169_595_415_861_748_12,
        -0.292_968_400_372_895_07,
        0.940_960_632_174_177_6,
    ]);
    let turn = DQuat::from_mat3(&k).normalize();
    for d in [0.01, 0.25, 0.5, 10.0, 100.0, 1000.0] {
        for part in [0.0, 2.5e-16, 1e-15, 1e-9, 1e-6] {
            for sign in [1.0, -1.0] {
                let gap = sign * part * f64::max(1.0, d);
                let at = DVec3::new(0.0, 0.0, 5.0 * d);
                let pose = [Pose::new(at, turn), Pose::new(at + k * DVec3::new(0.0, d + gap, 0.0), turn)];
                let case = Case { half: [DVec3::splat(0.5 * d); 2], pose };
                let answer = case.ask();
                assert_eq!(answer.status, Status::Converged, "{d} {gap}: {answer:?}");
                assert!((answer.distance - gap).abs() <= 1e-14 * f64::max(1.0, 6.0 * d), "{d} {gap}: {answer:?}");
                if answer.lower <= 0.0 {
                    check(&case, "kissing");
                }
            }
        }
    }
}

#[test]
fn the_boxes_of_the_bug_reports_have_their_depths() {
    let boxes = |full: [[f64; 3]; 2], at: [[f64; 3]; 2]| Case {
        half: full.map(|full| 0.5 * DVec3::from(full)),
        pose: at.map(Pose::from_translation),
    };
    let cube = [1.0; 3];
    let zero = [0.0; 3];
    for (case, truth) in [
        (boxes([[0.614, 3.0, 0.37], [0.494, 0.552, 0.01]], [[-0.675, 0.0, 0.9115], [-0.692, 0.0, 0.935]]), -0.1665),
        (
            boxes([[200.0, 200.0, 0.5], [0.2; 3]], [[0.0, 0.0, 0.25], [0.0, 0.0, 0.599_245_786_666_87]]),
            -7.542_133_331_3e-4,
        ),
        (boxes([cube, cube], [zero, [0.0, 1.0 - 2.5e-4, 0.0]]), -2.5e-4),
        (boxes([cube, cube], [zero, zero]), -1.0),
        (boxes([[1.0, 1.0, 0.0]; 2], [zero, [0.5, 0.0, 0.0]]), 0.0),
        (boxes([zero, cube], [[0.1, 0.2, 0.3], zero]), -0.2),
        (boxes([zero, zero], [zero, zero]), 0.0),
    ] {
        let mut rng = Rng::with_seed(404);
        assert!((case.ask().distance - truth).abs() <= 1e-14 * case.size(), "{:?} {truth}", case.ask());
        check_all(&mut rng, &case, "reported");
    }
}
