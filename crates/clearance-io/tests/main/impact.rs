//! Times of impact with their evidence, before the checker: honest ones are proved, spoiled ones never.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::motion::{Impact, Motion};
use clearance::{Interval, Pose, proof};
use clearance_io::proof::{contact_claim, impact_claim, written_pose};
use clearance_lab::Spec;
use clearance_lab::random::{direction, rotation, uniform, vector};
use clearance_verify as verify;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use verify::{ChainLink, ImpactClaim, ImpactEvidence, MovingQuery, Verdict};

/// A motion twice: as it is written, and as the library has it.
#[derive(Debug, Clone)]
pub struct Moves {
    pub pose: Pose,
    pub written: verify::Motion,
    pub motion: Motion,
}

impl Moves {
    pub fn fixed(pose: Pose) -> Self {
        Self { pose, written: verify::Motion::Fixed {}, motion: Motion::fixed(pose) }
    }

    pub fn ballistic(pose: Pose, [velocity, spin, gravity, center]: [DVec3; 4]) -> Self {
        let written = verify::Motion::Ballistic {
            velocity: velocity.to_array(),
            angular_velocity: spin.to_array(),
            gravity: gravity.to_array(),
            center: center.to_array(),
        };
        let motion = Motion::ballistic(pose, velocity, spin, gravity).unwrap();
        let motion = if center == DVec3::ZERO { motion } else { motion.about(center).unwrap() };
        Self { pose, written, motion }
    }

    pub fn linear(pose: Pose, velocity: DVec3, spin: DVec3) -> Self {
        let (velocity_of, angular_velocity, center) = (velocity.to_array(), spin.to_array(), [0.0; 3]);
        let written = verify::Motion::Linear { velocity: velocity_of, angular_velocity, center };
        Self { pose, written, motion: Motion::linear(pose, velocity, spin).unwrap() }
    }

    pub fn frames(frames: &[(f64, Pose)]) -> Self {
        let written = |&(time, pose): &(f64, Pose)| verify::Keyframe { time, pose: written_pose(&pose) };
        let written = verify::Motion::Keyframes(frames.iter().map(written).collect());
        Self { pose: Pose::IDENTITY, written, motion: Motion::key_frames(frames).unwrap() }
    }
}

/// Two shapes and their motions.
#[derive(Debug, Clone)]
pub struct Scene {
    pub kind: &'static str,
    pub shapes: [Spec; 2],
    pub moves: [Moves; 2],
    pub interval: [f64; 2],
}

impl Scene {
    pub fn query(&self) -> MovingQuery {
        let [a, b] = self.shapes.each_ref().map(Spec::written);
        let [pose_a, pose_b] = self.moves.each_ref().map(|moves| written_pose(&moves.pose));
        let [motion_a, motion_b] = self.moves.each_ref().map(|moves| moves.written.clone());
        let [from, until] = self.interval;
        MovingQuery { start: verify::Query { a, pose_a, b, pose_b }, motion_a, motion_b, from, until }
    }

    pub fn answer(&self) -> (Impact, ImpactClaim, ImpactEvidence) {
        let (found, claim, evidence) = self.answer_with_witness();
        (found, claim, evidence.motion.unwrap())
    }

    pub fn answer_with_witness(&self) -> (Impact, ImpactClaim, verify::Evidence) {
        let [a, b] = self.shapes.each_ref().map(Spec::build);
        let [from, until] = self.interval;
        let (found, proof) =
            proof::impact(&a, &self.moves[0].motion, &b, &self.moves[1].motion, Interval::new(from, until).unwrap());
        let evidence = proof.expect("these shapes have evidence");
        (found, impact_claim(&found), evidence)
    }
}

pub fn whole(evidence: &ImpactEvidence) -> verify::Evidence {
    verify::Evidence { motion: Some(evidence.clone()), ..verify::Evidence::default() }
}

pub fn judge(query: &MovingQuery, claim: &ImpactClaim, evidence: &ImpactEvidence) -> Verdict {
    verify::check_impact(query, claim, &whole(evidence))
}

/// A number of any order between two.
pub fn sized(rng: &mut Rng, low: f64, high: f64) -> f64 {
    clearance_lab::random::magnitude(rng, low.log10(), high.log10())
}

pub fn shape(rng: &mut Rng) -> Spec {
    let size = |rng: &mut Rng| uniform(rng, 0.2, 1.2);
    match rng.u32(0..13) {
        0 => Spec::Sphere(size(rng)),
        1 => Spec::Cuboid(vector(rng, 0.2, 1.0)),
        2 => Spec::Capsule(uniform(rng, 0.1, 0.5), size(rng)),
        3 => Spec::Cylinder(size(rng), size(rng)),
        4 => Spec::Cone(size(rng), size(rng)),
        5 => Spec::Ellipsoid(vector(rng, 0.3, 1.2)),
        6 => Spec::Segment([vector(rng, -1.0, 1.0), vector(rng, -1.0, 1.0)]),
        7 => Spec::Triangle([0; 3].map(|_| vector(rng, -1.0, 1.0))),
        8 => Spec::Hull((0..rng.usize(4..30)).map(|_| vector(rng, -1.0, 1.0)).collect()),
        9 => Spec::Rounded(Box::new(Spec::Cuboid(vector(rng, 0.1, 0.6))), uniform(rng, 0.05, 0.4)),
        10 => {
            let matrix = DMat3::from_quat(rotation(rng)) * DMat3::from_diagonal(vector(rng, 0.5, 1.5));
            Spec::Affine(Box::new(Spec::Cylinder(size(rng), size(rng))), matrix)
        }
        11 => {
            let r = size(rng);
            Spec::Ellipsoid(DVec3::new(r, size(rng), r))
        }
        _ => Spec::Sphere(0.0),
    }
}

pub fn pose(rng: &mut Rng, far: f64) -> Pose {
    Pose::new(direction(rng) * far, rotation(rng))
}

pub fn free(rng: &mut Rng, pose: Pose, toward: DVec3) -> Moves {
    let (speed, wobble) = (uniform(rng, 0.5, 4.0), 0.4 * direction(rng));
    let velocity = (toward + wobble) * speed;
    let spin = direction(rng) * sized(rng, 0.1, 10.0);
    match rng.u32(0..4) {
        0 => Moves::linear(pose, velocity, DVec3::ZERO),
        1 => Moves::linear(pose, velocity, spin),
        2 => Moves::ballistic(pose, [velocity, spin, direction(rng) * 3.0, DVec3::ZERO]),
        _ => Moves::ballistic(pose, [velocity, spin, DVec3::ZERO, vector(rng, -0.7, 0.7)]),
    }
}

fn scene(rng: &mut Rng, index: usize) -> Scene {
    let shapes = [shape(rng), shape(rng)];
    let way = direction(rng) * uniform(rng, 3.0, 6.0);
    let place = Pose::new(way, rotation(rng));
    let interval = [0.0, uniform(rng, 1.0, 6.0)];
    let scene = |kind: &'static str, shapes: [Spec; 2], moves: [Moves; 2]| Scene { kind, shapes, moves, interval };
    match index % 12 {
        0 | 1 => {
            let moves = [free(rng, Pose::IDENTITY, way / 8.0), free(rng, place, -way / 4.0)];
            scene("free", shapes, moves)
        }
        2 => {
            // Past each other, by about as much as they reach.
            let side = way.any_orthonormal_vector() * uniform(rng, 0.5, 3.0);
            let start = Pose::new(way + side, rotation(rng));
            let spin = direction(rng) * sized(rng, 0.1, 5.0);
            scene("past", shapes, [Moves::fixed(pose(rng, 0.0)), Moves::linear(start, -way * 0.7, spin)])
        }
        3 => {
            let spins = [direction(rng), direction(rng)].map(|axis| axis * sized(rng, 0.5, 50.0));
            let near = Pose::new(way.normalize() * uniform(rng, 1.0, 3.0), rotation(rng));
            scene(
                "spin",
                shapes,
                [Moves::linear(Pose::IDENTITY, DVec3::ZERO, spins[0]), Moves::linear(near, DVec3::ZERO, spins[1])],
            )
        }
        4 => {
            // Many turns.
            let spin = direction(rng) * sized(rng, 100.0, 1e5);
            scene("fast", shapes, [Moves::linear(Pose::IDENTITY, DVec3::ZERO, spin), free(rng, place, -way / 6.0)])
        }
        5 => {
            let frames = |rng: &mut Rng, start: DVec3, end: DVec3| -> Moves {
                let count = rng.usize(2..6);
                let frame = |k: usize, rng: &mut Rng| {
                    let share = k as f64 / (count - 1) as f64;
                    let rotation = if k % 3 == 2 { DQuat::IDENTITY } else { rotation(rng) };
                    (0.2 + 3.0 * share, Pose::new(start.lerp(end, share) + 0.3 * direction(rng), rotation))
                };
                let frames: Vec<_> = (0..count).map(|k| frame(k, rng)).collect();
                Moves::frames(&frames)
            };
            let end = way * uniform(rng, 0.0, 0.8);
            let moves = [frames(rng, -way, DVec3::ZERO), frames(rng, way, end)];
            scene("frames", shapes, moves)
        }
        6 => {
            // Far away, and moving together.
            let origin = direction(rng) * sized(rng, 1e3, 1e7);
            let drift = direction(rng) * 30.0;
            let spin = direction(rng);
            let a = Moves::linear(Pose::new(origin, rotation(rng)), drift, spin);
            let b = Moves::linear(Pose::new(origin + way, rotation(rng)), drift - way * 0.4, -spin);
            scene("far", shapes, [a, b])
        }
        7 => {
            let plane = Spec::HalfSpace(direction(rng), uniform(rng, -1.0, 1.0));
            let Spec::HalfSpace(normal, _) = plane else { unreachable!() };
            let start = Pose::new(normal * 6.0, rotation(rng));
            let falls = Moves::ballistic(start, [direction(rng), direction(rng) * 3.0, -normal * 2.0, DVec3::ZERO]);
            scene("floor", [plane, shapes[1].clone()], [Moves::fixed(Pose::IDENTITY), falls])
        }
        8 => {
            // Faces that slide along each other at a distance.
            let [a, b] = [vector(rng, 0.3, 1.0), vector(rng, 0.3, 1.0)];
            let gap = sized(rng, 1e-12, 0.1);
            let start = Pose::from_translation([-4.0, a.y + b.y + gap, 0.0]);
            let moves = [Moves::fixed(Pose::IDENTITY), Moves::linear(start, DVec3::X * 3.0, DVec3::ZERO)];
            scene("slide", [Spec::Cuboid(a), Spec::Cuboid(b)], moves)
        }
        9 => {
            // Cylinders and cones that turn about themselves.
            let upright = if rng.bool() { Spec::Cylinder(0.7, 0.9) } else { Spec::Cone(0.7, 0.9) };
            let turned = rotation(rng);
            let spin = turned * DVec3::Y * sized(rng, 1.0, 1e3);
            let a = Moves::linear(Pose::new(DVec3::ZERO, turned), DVec3::ZERO, spin);
            scene("about itself", [upright, shapes[1].clone()], [a, free(rng, place, -way / 4.0)])
        }
        10 => {
            let thin = Spec::Cuboid(DVec3::new(sized(rng, 1e-9, 1e-3), 2.0, 2.0));
            let start = Pose::from_translation([-50.0, uniform(rng, -2.5, 2.5), 0.0]);
            let shot = Moves::linear(start, DVec3::X * sized(rng, 30.0, 1e4), direction(rng));
            scene("bullet", [thin, Spec::Sphere(0.01)], [Moves::fixed(Pose::IDENTITY), shot])
        }
        _ => {
            // Grazing: a ball along a plane or another ball, by hardly anything.
            let (r, gap) = (uniform(rng, 0.3, 1.0), sized(rng, 1e-14, 1e-6) * if rng.bool() { 1.0 } else { -1.0 });
            let start = Pose::from_translation([-3.0, r + 0.5 + gap, 0.0]);
            let moves = [Moves::fixed(Pose::IDENTITY), Moves::linear(start, DVec3::X * 2.0, direction(rng))];
            scene("graze", [Spec::Sphere(0.5), Spec::Sphere(r)], moves)
        }
    }
}

pub fn count(name: &str, short: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(short)
}

/// Tells the time and the size of checks, too (with `--nocapture`).
#[test]
fn honest_times_of_impact_are_proved() {
    let total = count("IMPACTS", 600);
    let mut rng = Rng::with_seed(160);
    let mut verdicts: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    let (mut asked, mut checked, mut links, mut bytes, mut work) = (Duration::ZERO, Duration::ZERO, 0, 0, 0);
    let (mut longest, mut open) = (Duration::ZERO, Vec::new());
    for index in 0..total {
        let scene = scene(&mut rng, index);
        let start = Instant::now();
        let (found, claim, whole) = scene.answer_with_witness();
        asked += start.elapsed();
        let query = scene.query();
        let start = Instant::now();
        let (mut verdict, spent) = verify::check_impact_counted(&query, &claim, &whole);
        if let (Verdict::Proved, Impact::Hit(hit)) = (&verdict, &found) {
            verdict = verify::check_contact(&query, &contact_claim(hit), &whole);
        }
        let evidence = whole.motion.as_ref().unwrap();
        (checked, longest) = (checked + start.elapsed(), longest.max(start.elapsed()));
        links += evidence.chain.len();
        bytes += serde_json::to_string(&whole).unwrap().len();
        work += spent;
        let (kind, is_graze) = match found {
            Impact::Hit(hit) if hit.is_proved() => ("hit", false),
            Impact::Hit(_) => ("graze", true),
            Impact::Clear(_) => ("clear", false),
            Impact::Touching(_) => ("touching", false),
            Impact::Undecided(_) => ("undecided", true),
        };
        let counts = verdicts.entry((scene.kind, kind)).or_default();
        match verdict {
            Verdict::Proved => counts[0] += 1,
            Verdict::Undecided(reason) if is_graze => {
                // All but that they meet.
                assert_eq!(reason, "upper is null, which claims nothing", "{index}");
                counts[1] += 1;
            }
            Verdict::Undecided(reason) => {
                counts[2] += 1;
                open.push(format!(
                    "{index} {} {kind}: {reason}, {:?}, {:?}",
                    scene.kind, scene.shapes, evidence.meeting
                ));
            }
            Verdict::Refuted(reason) => {
                counts[3] += 1;
                open.push(format!("{index} {} {kind}: REFUTED {reason}", scene.kind));
            }
        }
    }
    for ((kind, answer), [proved, grazes, undecided, refuted]) in &verdicts {
        println!(
            "{kind:>12} {answer:<8} {proved} proved, {grazes} but for a graze, {undecided} undecided, {refuted} refuted"
        );
    }
    let each = |sum: f64| sum / total as f64;
    println!(
        "{total} answers: {:.1} links, {:.0} bytes, {:.3} ms to answer with evidence, {:.3} ms and {:.0} operations to check, the longest {:.1} ms",
        each(links as f64),
        each(bytes as f64),
        each(1e3 * asked.as_secs_f64()),
        each(1e3 * checked.as_secs_f64()),
        each(work as f64),
        1e3 * longest.as_secs_f64()
    );
    open.iter().take(60).for_each(|line| println!("{line}"));
    assert!(verdicts.values().all(|counts| counts[3] == 0));
    let undecided: usize = verdicts.values().map(|counts| counts[2]).sum();
    assert!(undecided * 50 <= total, "{undecided} of {total} are undecided");
}

/// Sends closest approaches through the checker, which proves them: how many there are, and how many are narrower than those of times of impact.
pub fn prove_approaches(seed: u64, total: usize, scene: fn(&mut Rng, usize) -> Scene) -> [usize; 2] {
    let mut rng = Rng::with_seed(seed);
    let mut counts = [0; 2];
    for index in 0..total {
        let scene = scene(&mut rng, index);
        let ([a, b], [from, until]) = (scene.shapes.each_ref().map(Spec::build), scene.interval);
        let [motion_a, motion_b] = scene.moves.each_ref().map(|moves| &moves.motion);
        let (found, proof) =
            proof::approach(&a, motion_a, &b, motion_b, Interval::new(from, until).unwrap(), f64::INFINITY);
        let (first, _, _) = scene.answer();
        let Impact::Clear(approach) = found else {
            // Bodies that meet are reported as by a time of impact.
            assert_eq!(found, first, "{index}");
            continue;
        };
        let Impact::Clear(first) = first else { panic!("{index}: {first:?}") };
        let evidence = proof.unwrap();
        let verdict = verify::check_impact(&scene.query(), &impact_claim(&found), &evidence);
        assert_eq!(verdict, Verdict::Proved, "{index} {}: {approach:?}", scene.kind);
        assert!(approach.lower >= first.lower && approach.upper <= first.upper.max(approach.lower), "{index}");
        let truth =
            clearance::motion::closest_approach(&a, motion_a, &b, motion_b, Interval::new(from, until).unwrap());
        let Impact::Clear(truth) = truth else { panic!("{index}: {truth:?}") };
        assert!(approach.lower <= truth.upper && truth.lower <= approach.upper, "{index}: {approach:?} {truth:?}");
        // More than is true, with the same evidence.
        let more = ImpactClaim::Clear { lower: Some(1.0001 * truth.upper + 1e-9), upper: None };
        assert_ne!(verify::check_impact(&scene.query(), &more, &evidence), Verdict::Proved, "{index}");
        counts[0] += 1;
        counts[1] += usize::from(approach.upper - approach.lower <= 1e-5 * approach.upper);
    }
    println!("{counts:?}");
    counts
}

#[test]
fn narrow_approaches_are_proved() {
    let [clear, narrow] = prove_approaches(164, count("APPROACHES", 300), scene);
    assert!(clear > 60 && 4 * narrow > 3 * clear, "{narrow} of {clear}");
}

/// The library's answer to a query is enough to know that a claim is false.
pub fn is_false(claim: &ImpactClaim, truth: &Impact) -> bool {
    match (claim, truth) {
        (ImpactClaim::Hit { lower, .. }, Impact::Hit(hit)) if hit.is_proved() && hit.upper < *lower => true,
        (ImpactClaim::Hit { upper, .. }, Impact::Hit(hit)) => *upper < hit.lower,
        (ImpactClaim::Hit { upper, .. }, Impact::Clear(_)) => upper.is_finite(),
        (ImpactClaim::Hit { lower, .. }, Impact::Touching(found)) => found.upper < 0.0 && *lower > 0.0,
        (ImpactClaim::Clear { .. }, Impact::Hit(hit)) => hit.is_proved(),
        (ImpactClaim::Clear { lower, upper }, Impact::Clear(approach)) => {
            lower.is_some_and(|lower| lower > approach.upper) || upper.is_some_and(|upper| upper < approach.lower)
        }
        (ImpactClaim::Clear { .. }, Impact::Touching(found)) => found.upper < 0.0,
        (ImpactClaim::Touching, Impact::Clear(approach)) => approach.lower > 1e-9,
        (ImpactClaim::Touching, _) | (_, Impact::Undecided(_)) => false,
    }
}

#[test]
fn false_times_of_impact_are_never_proved() {
    let total = count("SPOILED", 400);
    let mut rng = Rng::with_seed(161);
    let (mut spoiled, mut refuted) = (0, 0);
    for index in 0..total {
        let honest = scene(&mut rng, index);
        let (found, claim, evidence) = honest.answer();
        let [from, until] = honest.interval;
        let query = honest.query();
        let mut try_one = |what: &str, query: &MovingQuery, claim: &ImpactClaim, evidence: &ImpactEvidence| {
            spoiled += 1;
            match judge(query, claim, evidence) {
                Verdict::Proved => panic!("{index} {} {what}: proved, {claim:?}", honest.kind),
                Verdict::Refuted(_) => refuted += 1,
                Verdict::Undecided(_) => {}
            }
        };
        // A hit that is said to be later, with the chain that there is, one that goes on, and a link that is longer.
        if let (Impact::Hit(hit), ImpactClaim::Hit { .. }) = (&found, claim)
            && hit.is_proved()
            && hit.upper < until
        {
            for share in [1e-9, 1e-3, 0.5] {
                let late = hit.upper + share * (until - hit.upper);
                let later = ImpactClaim::Hit { lower: late, upper: until };
                try_one("a later lower", &query, &later, &evidence);
                let alone = ImpactEvidence { meeting: None, ..evidence.clone() };
                try_one("a later lower without an overlap", &query, &later, &alone);
                let mut longer = alone.clone();
                if let Some(last) = longer.chain.last_mut() {
                    last.to = late;
                }
                try_one("a longer link", &query, &later, &longer);
                let mut more = alone.clone();
                let along = direction(&mut rng).to_array();
                more.chain.push(ChainLink { from: hit.lower, to: late, along, turn: [0.0; 3], ring: None });
                try_one("one link more", &query, &later, &more);
                let turn = (direction(&mut rng) * sized(&mut rng, 1e-3, 1e3)).to_array();
                if let Some(last) = more.chain.last_mut() {
                    last.turn = turn;
                }
                try_one("one that turns", &query, &later, &more);
            }
            let clear = ImpactClaim::Clear { lower: None, upper: None };
            try_one("clear, of a hit", &query, &clear, &evidence);
            let early = ImpactClaim::Hit { lower: from, upper: from + 0.5 * (hit.lower - from) };
            if hit.lower > from {
                try_one("an earlier upper", &query, &early, &evidence);
            }
        }
        // A hole, and directions that point the other way.
        if evidence.chain.len() > 1 {
            let mut hole = evidence.clone();
            hole.chain.remove(rng.usize(0..hole.chain.len()));
            try_one("a link left out", &query, &claim, &hole);
        }
        let is_plane = matches!(honest.shapes[0], Spec::HalfSpace(..));
        if !evidence.chain.is_empty() && !is_plane {
            let mut turned = evidence.clone();
            let at = rng.usize(0..turned.chain.len());
            turned.chain[at].along = turned.chain[at].along.map(|x| -x);
            try_one("a direction that points the other way", &query, &claim, &turned);
        }
        if let ImpactClaim::Clear { lower: Some(_), upper: Some(upper) } = claim
            && upper < f64::INFINITY
        {
            let closer = ImpactClaim::Clear { lower: Some(upper * 1.001 + 1e-12), upper: Some(upper * 1.01 + 1e-11) };
            try_one("a wider gap", &query, &closer, &evidence);
        }
        // Other motions: of the same evidence only what is still true may be proved.
        for _ in 0..4 {
            let mut other = honest.clone();
            let side = rng.usize(0..2);
            let pose = other.moves[side].pose;
            let nudge = direction(&mut rng) * sized(&mut rng, 1e-6, 3.0);
            other.moves[side] = match (&other.moves[side].written, rng.bool()) {
                (verify::Motion::Linear { velocity, angular_velocity: spin, .. }, true) => {
                    Moves::linear(pose, DVec3::from(*velocity) + nudge, DVec3::from(*spin))
                }
                (verify::Motion::Linear { velocity, angular_velocity: spin, .. }, false) => {
                    Moves::linear(pose, DVec3::from(*velocity), DVec3::from(*spin) + nudge)
                }
                (verify::Motion::Fixed {}, _) => Moves::linear(pose, nudge, nudge),
                _ => Moves::fixed(Pose::new(pose.translation() + nudge, pose.rotation())),
            };
            let (truth, ..) = other.answer();
            if is_false(&claim, &truth) {
                try_one("another motion", &other.query(), &claim, &evidence);
            }
        }
    }
    println!("{spoiled} spoiled, {refuted} of them refuted, none proved");
    assert!(spoiled > 4 * total);
}

/// Both ends of a link are fine, and the bodies pass through each other in between: only the bound on what a turn does can tell.
#[test]
fn a_link_over_whole_turns_is_not_proved() {
    let (rod, ball) = (Spec::Cuboid(DVec3::new(2.0, 0.1, 0.1)), Spec::Sphere(0.5));
    for turns in [0.5, 1.0, 2.0, 1000.0] {
        let spin = DVec3::Z * std::f64::consts::TAU;
        let moves =
            [Moves::linear(Pose::IDENTITY, DVec3::ZERO, spin), Moves::fixed(Pose::from_translation([0.0, 1.5, 0.0]))];
        let scene = Scene { kind: "rod", shapes: [rod.clone(), ball.clone()], moves, interval: [0.0, turns] };
        let query = scene.query();
        for turn in [DVec3::ZERO, spin, -spin, 2.0 * spin, 1e9 * DVec3::X] {
            let link = ChainLink { from: 0.0, to: turns, along: [0.0, 1.0, 0.0], turn: turn.to_array(), ring: None };
            let evidence = ImpactEvidence { chain: vec![link], ..ImpactEvidence::default() };
            let clear = ImpactClaim::Clear { lower: None, upper: None };
            assert!(matches!(judge(&query, &clear, &evidence), Verdict::Undecided(_)), "{turns} {turn}");
        }
    }
    // Out of reach of all that the rod sweeps, one link is enough for any number of turns.
    let moves = [
        Moves::linear(Pose::IDENTITY, DVec3::ZERO, DVec3::Z * 1e3),
        Moves::fixed(Pose::from_translation([0.0, 2.6, 0.0])),
    ];
    let scene = Scene { kind: "rod", shapes: [rod, ball], moves, interval: [0.0, 1e6] };
    let link = ChainLink { from: 0.0, to: 1e6, along: [0.0, 3.0, 0.0], turn: [0.0; 3], ring: None };
    let evidence = ImpactEvidence { chain: vec![link], ..ImpactEvidence::default() };
    let clear = |lower: f64| ImpactClaim::Clear { lower: Some(lower), upper: None };
    assert_eq!(judge(&scene.query(), &clear(0.0), &evidence), Verdict::Proved);
    // The corner of the rod is at √(4.01 + 0.0...) = 2.0025 from the axis.
    assert_eq!(judge(&scene.query(), &clear(0.0975), &evidence), Verdict::Proved);
    assert!(matches!(judge(&scene.query(), &clear(0.0976), &evidence), Verdict::Undecided(_)));
}

/// The numbers of a line may be anything: nothing panics, and what is not finite proves nothing.
#[test]
fn hostile_numbers_prove_nothing() {
    let mut rng = Rng::with_seed(162);
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e308, -1e308, 5e-324, 1e60, 1e-200];
    for index in 0..count("ODD", 300) {
        let honest = scene(&mut rng, index);
        let (_, claim, mut evidence) = honest.answer();
        let mut query = honest.query();
        let number = odd[rng.usize(0..odd.len())];
        let kind = rng.u32(0..7);
        match kind {
            0 => query.until = number,
            1 => {
                query.motion_a = verify::Motion::Linear {
                    velocity: [number; 3],
                    angular_velocity: [1.0, number, 0.0],
                    center: [0.0; 3],
                }
            }
            2 => {
                query.motion_b = verify::Motion::Ballistic {
                    velocity: [1.0; 3],
                    angular_velocity: [number; 3],
                    gravity: [number; 3],
                    center: [number, 0.0, 0.0],
                }
            }
            3 => {
                query.motion_a =
                    verify::Motion::Keyframes(vec![verify::Keyframe { time: number, pose: query.start.pose_a }; 2])
            }
            4 => evidence.chain.iter_mut().for_each(|link| link.along[index % 3] = number),
            5 => evidence.chain.iter_mut().for_each(|link| link.turn[index % 3] = number),
            _ => {
                if let Some(meeting) = &mut evidence.meeting {
                    meeting.pose_a.rotation[index % 4] = number;
                    meeting.bound = -number;
                }
            }
        }
        let verdict = judge(&query, &claim, &evidence);
        if !number.is_finite()
            && kind < 6
            && !evidence.chain.is_empty()
            && !matches!(honest.shapes[0], Spec::HalfSpace(..))
        {
            assert_ne!(verdict, Verdict::Proved, "{index} {number} {kind}");
        }
    }
}

/// A line with its evidence is read back and checked; so is one whose numbers were changed.
#[test]
fn lines_are_read_back_and_checked() {
    use clearance_io::proof::{Content, Written, WrittenImpact, attach_impact, read_claim};
    use std::sync::Arc;
    let mut rng = Rng::with_seed(163);
    let mut read = [0; 2];
    for index in 0..60 {
        let scene = scene(&mut rng, index);
        let [a, b] = scene.shapes.each_ref().map(Spec::build);
        let [from, until] = scene.interval;
        let (found, proof) =
            proof::impact(&a, &scene.moves[0].motion, &b, &scene.moves[1].motion, Interval::new(from, until).unwrap());
        let query = scene.query();
        let start = Written {
            a: Arc::new(query.start.a.clone()),
            pose_a: query.start.pose_a,
            b: Arc::new(query.start.b.clone()),
            pose_b: query.start.pose_b,
        };
        let motions = [query.motion_a.clone(), query.motion_b.clone()];
        let written = WrittenImpact { start: &start, motions, interval: scene.interval };
        let attached = serde_json::to_value(attach_impact(&written, proof.unwrap())).unwrap();
        let mut line = match found {
            Impact::Hit(hit) if hit.is_proved() => {
                let [point_a, point_b, normal] = [hit.point_a, hit.point_b, hit.normal].map(|v| v.to_array());
                serde_json::json!({"impact": "hit", "time": hit.lower, "lower": hit.lower, "upper": hit.upper,
                    "point_a": point_a, "point_b": point_b, "normal": normal})
            }
            Impact::Clear(approach) => {
                let closest =
                    serde_json::json!({"lower": approach.lower, "upper": approach.upper, "time": approach.time});
                serde_json::json!({"impact": "clear", "closest_approach": closest})
            }
            _ => continue,
        };
        line["id"] = index.into();
        line["request"] = attached["request"].clone();
        line["proof"] = attached["proof"].clone();
        let judged = |line: &serde_json::Value| read_claim(&line.to_string(), 1).unwrap().content;
        assert!(matches!(judged(&line), Content::Impact(..)), "{line}");
        assert_eq!(judged(&line).verdict(), Some(Verdict::Proved), "{index}");
        if line["impact"] == "hit" {
            read[0] += 1;
            let mut points = line.clone();
            points["point_a"] = serde_json::json!([1, 2, 3]);
            assert!(matches!(judged(&points).verdict(), Some(Verdict::Refuted(_))));
            points["point_a"] = serde_json::Value::Null;
            assert!(matches!(judged(&points).verdict(), Some(Verdict::Undecided(_))));
            line["time"] = serde_json::json!(from - 1.0);
            assert!(matches!(judged(&line).verdict(), Some(Verdict::Refuted(_))));
        } else {
            read[1] += 1;
            line["closest_approach"]["lower"] = serde_json::json!(1e6);
            line["closest_approach"]["upper"] = serde_json::json!(1e7);
            assert!(!matches!(judged(&line).verdict(), Some(Verdict::Proved)));
        }
        line["impact"] = "never".into();
        assert!(matches!(judged(&line).verdict(), Some(Verdict::Refuted(_))));
    }
    assert!(read[0] > 10 && read[1] > 10, "{read:?}");
}
