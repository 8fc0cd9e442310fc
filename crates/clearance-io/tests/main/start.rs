//! Contacts at the start of an interval, before the checker: at key frames, between them, and after a time on another way. The answer about
//! the clearance there is proved, and no false one is.

use crate::impact::{Moves, Scene, count, shape, sized};
use crate::moving_parts::body;
use clearance::math::DVec3;
use clearance::motion::Impact;
use clearance::{Clearance, Pose, Status};
use clearance_io::Answer;
use clearance_io::proof::claim;
use clearance_lab::Spec;
use clearance_lab::random::{direction, rotation, uniform, vector};
use clearance_verify as verify;
use fastrand::Rng;
use std::collections::BTreeMap;
use verify::{Distance, Evidence, MovingQuery, Verdict};

/// Bodies that overlap at the start, or nearly so.
fn scene(rng: &mut Rng, index: usize) -> Scene {
    let has_parts = index % 5 == 4;
    let mut shapes = if has_parts { [body(rng), body(rng)] } else { [shape(rng), shape(rng)] };
    if index % 7 == 3 {
        shapes[index % 2] = Spec::HalfSpace(direction(rng), uniform(rng, -0.5, 0.5));
    }
    let far = if index % 6 == 5 { direction(rng) * sized(rng, 1e2, 1e6) } else { DVec3::ZERO };
    let place = |rng: &mut Rng| Pose::new(far + vector(rng, -0.4, 0.4), rotation(rng));
    let times: Vec<f64> = (0..4).map(|k| f64::from(k) + uniform(rng, -1.0, -0.6)).collect();
    let frames = |rng: &mut Rng| Moves::frames(&times.iter().map(|&time| (time, place(rng))).collect::<Vec<_>>());
    let both = |rng: &mut Rng| [frames(rng), frames(rng)];
    let free = |rng: &mut Rng| {
        let (velocity, spin) = (0.2 * direction(rng), direction(rng) * sized(rng, 0.1, 5.0));
        Moves::ballistic(place(rng), [velocity, spin, 0.1 * direction(rng), vector(rng, -0.3, 0.3)])
    };
    let between = 0.5 * (times[0] + times[1]) + uniform(rng, -0.3, 0.3);
    let (kind, moves, from) = match rng.u32(0..7) {
        0 => ("at a frame", both(rng), times[rng.usize(0..3)]),
        1 => ("between frames", both(rng), between),
        2 => ("before all frames", both(rng), times[0] - 1.0),
        3 => ("after all frames", both(rng), times[3] + 0.5),
        4 => ("frames and rest", [frames(rng), Moves::fixed(place(rng))], between),
        5 => ("later on a way", [free(rng), Moves::fixed(place(rng))], uniform(rng, 0.1, 2.0)),
        _ => ("frames and a way", [frames(rng), free(rng)], if rng.bool() { 0.0 } else { between }),
    };
    Scene { kind, shapes, moves, interval: [from, from + 1.0] }
}

/// The answer about the start, if the bodies touch there.
fn touching(scene: &Scene) -> Option<(MovingQuery, Clearance, Distance, Evidence)> {
    let (found, _, evidence) = scene.answer_with_witness();
    let Impact::Touching(found) = found else { return None };
    let [a, b] = scene.shapes.each_ref().map(Spec::build);
    let Some(verify::Claim::Distance(distance)) = claim(&Answer::Distance(found), None, [&a, &b]) else {
        panic!("a clearance is a distance")
    };
    Some((scene.query(), found, distance, evidence))
}

#[test]
fn contacts_at_the_start_are_proved_wherever_the_bodies_are_then() {
    let total = count("STARTS", 700);
    let mut rng = Rng::with_seed(410);
    let mut verdicts: BTreeMap<(&str, bool), [usize; 3]> = BTreeMap::new();
    let mut open = Vec::new();
    for index in 0..total {
        let scene = scene(&mut rng, index);
        let Some((query, found, distance, evidence)) = touching(&scene) else { continue };
        let is_touching = verify::check_impact(&query, &verify::ImpactClaim::Touching, &evidence);
        let verdict = match is_touching {
            Verdict::Proved => verify::check_start(&query, &distance, &evidence),
            other => other,
        };
        let counts = verdicts.entry((scene.kind, found.status == Status::Converged)).or_default();
        match verdict {
            Verdict::Proved => counts[0] += 1,
            Verdict::Undecided(reason) => {
                counts[1] += 1;
                open.push(format!(
                    "{index} {} {:?} {}: {reason}",
                    scene.kind,
                    found.status,
                    scene.shapes.each_ref().map(|s| s.to_string()).join(" | ")
                ));
            }
            Verdict::Refuted(reason) => {
                counts[2] += 1;
                open.push(format!("{index} {} {:?}: REFUTED {reason} {:?}", scene.kind, found.status, scene.shapes));
            }
        }
    }
    for ((kind, is_closed), [proved, undecided, refuted]) in &verdicts {
        println!("{kind:>18}, closed {is_closed:<5} {proved} proved, {undecided} undecided, {refuted} refuted");
    }
    open.iter().take(60).for_each(|line| println!("{line}"));
    let sum = |k: usize| verdicts.values().map(|counts| counts[k]).sum::<usize>();
    assert_eq!(sum(2), 0);
    assert!(verdicts.len() >= 14 && sum(0) > total / 2, "{verdicts:?}");
    // Depths of solids that are not convex, which a distance leaves open.
    assert!(sum(1) * 100 <= sum(0), "{} of {} are undecided", sum(1), sum(0) + sum(1));
}

#[test]
fn false_contacts_at_the_start_are_never_proved() {
    let mut rng = Rng::with_seed(411);
    let mut spoiled: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for index in 0..count("SPOILED_STARTS", 250) {
        let scene = scene(&mut rng, index);
        let Some((query, found, honest, evidence)) = touching(&scene) else { continue };
        if verify::check_start(&query, &honest, &evidence) != Verdict::Proved || !found.lower.is_finite() {
            continue;
        }
        let width = honest.upper - honest.lower;
        let step = 4.0 * width + 1e-9;
        let mut try_one = |what: &'static str, query: &MovingQuery, claim: &Distance, evidence: &Evidence| {
            let verdict = verify::check_start(query, claim, evidence);
            assert_ne!(verdict, Verdict::Proved, "{index} {}: {what}", scene.kind);
            let counts = spoiled.entry(what).or_default();
            counts[usize::from(matches!(verdict, Verdict::Refuted(_)))] += 1;
        };
        let along = |by: f64| {
            let [point_a, normal] = [honest.point_a, honest.normal].map(DVec3::from);
            let distance = honest.distance + by;
            let point_b = (point_a + distance * normal).to_array();
            Distance { distance, lower: honest.lower + by, upper: honest.upper + by, point_b, ..honest }
        };
        try_one("less deep", &query, &along(step), &evidence);
        try_one("deeper", &query, &along(-step), &evidence);
        try_one(
            "a lower bound beyond the upper one",
            &query,
            &Distance { lower: honest.upper + step, ..honest },
            &evidence,
        );
        if found.status == Status::Converged {
            let narrow = |lower: f64, upper: f64| Distance { distance: 0.5 * (lower + upper), lower, upper, ..honest };
            try_one("all above", &query, &narrow(honest.upper + 1e-9, honest.upper + 2e-9), &evidence);
            try_one("all below", &query, &narrow(honest.lower - 2e-9, honest.lower - 1e-9), &evidence);
            // Small beside the world, large beside the bracket.
            let size = 1e-6 * (1.0 + DVec3::from(honest.point_a).length());
            let off = (DVec3::from(honest.point_a) + size * DVec3::from(honest.normal)).to_array();
            try_one("a point elsewhere", &query, &Distance { point_a: off, ..honest }, &evidence);
            // Another start: what is said is about the one that was.
            let mut moved = query.clone();
            let by = (2.0 * size + step) * DVec3::from(honest.normal);
            let push = |translation: &mut [f64; 3]| *translation = (DVec3::from(*translation) + by).to_array();
            match &mut moved.motion_a {
                verify::Motion::Keyframes(frames) => {
                    frames.iter_mut().for_each(|frame| push(&mut frame.pose.translation))
                }
                _ => push(&mut moved.start.pose_a.translation),
            }
            try_one("A elsewhere", &moved, &honest, &evidence);
        }
        // Evidence for nothing.
        try_one("no directions", &query, &honest, &Evidence { lower: None, ..evidence.clone() }.without_planes(&scene));
        try_one("no upper bound", &query, &honest, &Evidence { upper: None, ..evidence.clone() });
        let mut none = query.clone();
        none.from = f64::NAN;
        try_one("no time", &none, &honest, &evidence);
    }
    println!("{spoiled:?}");
    assert!(spoiled.len() >= 10, "{spoiled:?}");
    for what in ["less deep", "deeper", "all above", "all below", "a point elsewhere", "A elsewhere"] {
        assert!(spoiled[what].iter().sum::<usize>() > 20, "{what}: {spoiled:?}");
    }
}

trait WithoutPlanes {
    fn without_planes(self, scene: &Scene) -> Self;
}

impl WithoutPlanes for Evidence {
    /// Half-spaces bring their own directions: without the points there is nothing left.
    fn without_planes(self, scene: &Scene) -> Self {
        let has_plane = format!("{:?}", scene.shapes).contains("HalfSpace");
        if has_plane { Self { upper: None, ..self } } else { self }
    }
}
