//! Times of impact of compounds and meshes with their evidence, before the checker: honest ones are proved, spoiled ones never.

use crate::impact::{Moves, Scene, count, free, is_false, judge, prove_approaches, shape, sized};
use clearance::Pose;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::motion::Impact;
use clearance_io::proof::contact_claim;
use clearance_lab::Spec;
use clearance_lab::meshes::small::{hollow, lattice, random_mesh, torus};
use clearance_lab::random::{direction, rotation, uniform, vector};
use clearance_verify as verify;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use verify::{ChainLink, ImpactClaim, ImpactEvidence, ImpactNode, Verdict};

/// A few parts at random places, nested now and then.
fn compound(rng: &mut Rng, may_nest: bool) -> Spec {
    let count = rng.usize(2..7);
    let part = |rng: &mut Rng| {
        let at = Pose::new(vector(rng, -1.2, 1.2), rotation(rng));
        match rng.u32(0..8) {
            0 if may_nest => (compound(rng, false), at),
            1 => (random_mesh(rng).1, at),
            2 => (shape(rng), Pose::from_translation(at.translation())),
            _ => (shape(rng), at),
        }
    };
    Spec::Compound((0..count).map(|_| part(rng)).collect())
}

pub fn body(rng: &mut Rng) -> Spec {
    match rng.u32(0..6) {
        0 | 1 => compound(rng, true),
        2 | 3 => random_mesh(rng).1,
        4 => {
            let matrix = DMat3::from_quat(rotation(rng)) * DMat3::from_diagonal(vector(rng, 0.5, 1.5));
            let mirrored = if rng.bool() { DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)) } else { DMat3::IDENTITY };
            Spec::Affine(Box::new(random_mesh(rng).1), matrix * mirrored)
        }
        _ => shape(rng),
    }
}

fn mesh_of((vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>)) -> Spec {
    Spec::Mesh(vertices, triangles)
}

fn scene(rng: &mut Rng, index: usize) -> Scene {
    let mut shapes = [body(rng), if rng.bool() { body(rng) } else { compound(rng, true) }];
    if rng.bool() {
        shapes.reverse();
    }
    let way = direction(rng) * uniform(rng, 4.0, 8.0);
    let place = Pose::new(way, rotation(rng));
    let interval = [0.0, uniform(rng, 1.0, 5.0)];
    let scene = |kind: &'static str, shapes: [Spec; 2], moves: [Moves; 2]| Scene { kind, shapes, moves, interval };
    let rest = Moves::fixed(Pose::IDENTITY);
    match index % 12 {
        0 | 1 => scene("free", shapes, [free(rng, Pose::IDENTITY, way / 8.0), free(rng, place, -way / 4.0)]),
        2 => {
            let side = way.any_orthonormal_vector() * uniform(rng, 0.5, 4.0);
            let start = Pose::new(way + side, rotation(rng));
            scene("past", shapes, [rest, Moves::linear(start, -way * 0.7, direction(rng) * sized(rng, 0.1, 5.0))])
        }
        3 => {
            let spins = [direction(rng), direction(rng)].map(|axis| axis * sized(rng, 0.5, 20.0));
            let near = Pose::new(way.normalize() * uniform(rng, 2.0, 4.0), rotation(rng));
            let moves =
                [Moves::linear(Pose::IDENTITY, DVec3::ZERO, spins[0]), Moves::linear(near, DVec3::ZERO, spins[1])];
            scene("spin", shapes, moves)
        }
        4 => {
            let spin = direction(rng) * sized(rng, 50.0, 1e4);
            scene("fast", shapes, [Moves::linear(Pose::IDENTITY, DVec3::ZERO, spin), free(rng, place, -way / 6.0)])
        }
        5 => {
            let frames = |rng: &mut Rng, start: DVec3, end: DVec3| {
                let frame = |k: usize, rng: &mut Rng| {
                    let share = k as f64 / 3.0;
                    let rotation = if k == 2 { DQuat::IDENTITY } else { rotation(rng) };
                    (0.2 + 3.0 * share, Pose::new(start.lerp(end, share) + 0.3 * direction(rng), rotation))
                };
                Moves::frames(&[0, 1, 2, 3].map(|k| frame(k, rng)))
            };
            let end = way * uniform(rng, 0.0, 0.8);
            scene("frames", shapes, [frames(rng, -way, DVec3::ZERO), frames(rng, way, end)])
        }
        6 => {
            let (origin, drift, spin) = (direction(rng) * sized(rng, 1e3, 1e6), direction(rng) * 30.0, direction(rng));
            let a = Moves::linear(Pose::new(origin, rotation(rng)), drift, spin);
            let b = Moves::linear(Pose::new(origin + way, rotation(rng)), drift - way * 0.4, -spin);
            scene("far", shapes, [a, b])
        }
        7 => {
            // A floor, alone or with something on it.
            let normal = direction(rng);
            let mut floor = Spec::HalfSpace(normal, uniform(rng, -1.0, 1.0));
            if rng.bool() {
                let on = Pose::new(direction(rng), rotation(rng));
                floor =
                    Spec::Compound(vec![(shape(rng), on), (floor, Pose::new(0.1 * direction(rng), DQuat::IDENTITY))]);
            }
            let start = Pose::new(normal * 9.0, rotation(rng));
            let falls = Moves::ballistic(start, [direction(rng), direction(rng) * 3.0, -normal * 3.0, DVec3::ZERO]);
            scene("floor", [floor, shapes[1].clone()], [rest, falls])
        }
        8 => {
            // Solids of cubes that slide along each other at a distance.
            let gap = sized(rng, 1e-11, 0.1);
            let start = Pose::from_translation([-5.0, 1.0 + gap, 0.25]);
            let row = || mesh_of(lattice(&[[0, 0, 0], [1, 0, 0], [2, 0, 0]]));
            scene("slide", [row(), row()], [rest, Moves::linear(start, DVec3::X * 3.0, DVec3::ZERO)])
        }
        9 => {
            // Inside of a solid with a cavity, to its wall or not, without and with turning.
            let small = Spec::Compound(vec![
                (Spec::Cuboid(DVec3::splat(0.1)), Pose::from_translation([0.1, 0.0, 0.0])),
                (Spec::Sphere(0.1), Pose::from_translation([-0.1, 0.0, 0.0])),
            ]);
            let (vertices, _) = hollow();
            let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
            let spin = if rng.bool() { DVec3::ZERO } else { direction(rng) * 2.0 };
            let moves = [
                Moves::linear(Pose::IDENTITY, DVec3::ZERO, spin),
                Moves::linear(Pose::new(middle, rotation(rng)), direction(rng) * sized(rng, 0.01, 1.0), -spin),
            ];
            scene("cavity", [mesh_of(hollow()), small], moves)
        }
        10 => {
            // A ring and a rod that goes through it, or not.
            let rod = Spec::Compound(vec![
                (Spec::Cuboid(DVec3::new(0.05, 0.05, 1.5)), Pose::IDENTITY),
                (Spec::Sphere(0.15), Pose::from_translation([0.0, 0.0, 1.5])),
            ]);
            let start = Pose::from_translation([uniform(rng, -0.8, 0.8), 0.0, -5.0]);
            let ring = Moves::linear(Pose::IDENTITY, DVec3::ZERO, DVec3::Z * uniform(rng, 0.0, 3.0));
            let moves = [ring, Moves::linear(start, DVec3::Z * 3.0, direction(rng) * 0.1)];
            scene("ring", [mesh_of(torus(12, 8, 1.0, 0.3)), rod], moves)
        }
        _ => {
            let thin = DVec3::new(sized(rng, 1e-8, 1e-3), 1.0, 1.0);
            let wall = Spec::Compound(vec![
                (Spec::Cuboid(thin), Pose::from_translation([0.0, 1.0, 0.0])),
                (Spec::Cuboid(thin), Pose::from_translation([0.0, -1.1, 0.0])),
            ]);
            let start = Pose::from_translation([-50.0, uniform(rng, -2.5, 2.5), 0.0]);
            let shot = Moves::linear(start, DVec3::X * sized(rng, 30.0, 1e4), direction(rng));
            scene("bullet", [wall, Spec::Sphere(0.01)], [rest, shot])
        }
    }
}

/// Tells the time and the size of checks, too (with `--nocapture`).
#[test]
fn honest_times_of_impact_of_parts_are_proved() {
    let total = count("PARTS", 240);
    let mut rng = Rng::with_seed(260);
    let mut verdicts: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    let (mut asked, mut checked, mut links, mut nodes, mut bytes, mut work) =
        (Duration::ZERO, Duration::ZERO, 0, 0, 0, 0);
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
        (checked, longest) = (checked + start.elapsed(), longest.max(start.elapsed()));
        let evidence = whole.motion.as_ref().unwrap();
        links += evidence.cover.iter().flatten().map(|node| node.chain.len()).sum::<usize>() + evidence.chain.len();
        nodes += evidence.cover.iter().map(Vec::len).sum::<usize>();
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
                let [a, b] = &scene.shapes;
                open.push(format!("{index} {} {kind}: {reason}, {a} {b}", scene.kind));
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
        "{total} answers: {:.1} nodes, {:.1} links, {:.0} bytes, {:.3} ms to answer with evidence, {:.3} ms and {:.0} operations to check, the longest {:.1} ms",
        each(nodes as f64),
        each(links as f64),
        each(bytes as f64),
        each(1e3 * asked.as_secs_f64()),
        each(1e3 * checked.as_secs_f64()),
        each(work as f64),
        1e3 * longest.as_secs_f64()
    );
    open.iter().take(60).for_each(|line| println!("{}", line.chars().take(400).collect::<String>()));
    assert!(verdicts.values().all(|counts| counts[3] == 0));
    let undecided: usize = verdicts.values().map(|counts| counts[2]).sum();
    assert!(undecided * 50 <= total, "{undecided} of {total} are undecided");
}

/// Every link of some evidence, in the order of its trees.
fn links(evidence: &mut ImpactEvidence) -> impl Iterator<Item = &mut ChainLink> {
    let ImpactEvidence { chain, cover, .. } = evidence;
    chain.iter_mut().chain(cover.iter_mut().flatten().flat_map(|node| &mut node.chain))
}

/// Removing or adding evidence leaves an honest line unproved: nodes, splits, links with their times and directions, orders, and the proof
/// that the bodies meet. And nothing that is false is proved by evidence that says more than is true.
#[test]
fn spoiled_evidence_about_parts_is_refused() {
    let total = count("SPOILED", 120);
    let mut rng = Rng::with_seed(261);
    let mut spoiled: BTreeMap<&str, usize> = BTreeMap::new();
    for index in 0..total {
        let scene = scene(&mut rng, index);
        let (found, claim, honest) = scene.answer();
        let query = scene.query();
        if judge(&query, &claim, &honest) != Verdict::Proved {
            continue;
        }
        let has_plane = scene.shapes.iter().any(|spec| match spec {
            Spec::HalfSpace(..) => true,
            Spec::Compound(parts) => parts.iter().any(|(part, _)| matches!(part, Spec::HalfSpace(..))),
            _ => false,
        });
        let mut try_one = |what: &'static str, claim: &ImpactClaim, evidence: &ImpactEvidence| {
            *spoiled.entry(what).or_default() += 1;
            let verdict = judge(&query, claim, evidence);
            assert_ne!(verdict, Verdict::Proved, "{index} {} {what}", scene.kind);
        };
        let count = links(&mut honest.clone()).count();
        let nodes = honest.cover.first().map_or(0, Vec::len);
        if nodes > 0 {
            let mut less = honest.clone();
            less.cover[0].remove(rng.usize(0..nodes));
            try_one("a node less", &claim, &less);
            let mut more = honest.clone();
            more.cover[0].push(ImpactNode::default());
            try_one("a node more", &claim, &more);
            let splits: Vec<usize> = (0..nodes).filter(|&at| honest.cover[0][at].split_a.is_some()).collect();
            if !splits.is_empty() {
                let at = splits[rng.usize(0..splits.len())];
                for place in [0, u32::MAX] {
                    let mut other = honest.clone();
                    other.cover[0][at].split_a = Some(place);
                    try_one("a split elsewhere", &claim, &other);
                }
                let mut both = honest.clone();
                both.cover[0][at].split_b = Some(1);
                try_one("a split of both", &claim, &both);
            }
            let mut beside = honest.clone();
            let whole = links(&mut honest.clone()).next().copied();
            if let Some(link) = whole {
                beside.chain.push(link);
                try_one("a chain beside a cover", &claim, &beside);
            }
        }
        for order in 0..2 {
            let mut twice = honest.clone();
            let of = if order == 0 { &mut twice.a } else { &mut twice.b };
            if of.len() > 1 {
                of[0] = of[1];
                try_one("a part twice", &claim, &twice);
                let of = if order == 0 { &mut twice.a } else { &mut twice.b };
                of.pop();
                try_one("a part less", &claim, &twice);
                let of = if order == 0 { &mut twice.a } else { &mut twice.b };
                of.push(u32::MAX);
                try_one("a part that is not there", &claim, &twice);
            }
        }
        if count > 0 {
            for _ in 0..3 {
                let at = rng.usize(0..count);
                let with = |change: &dyn Fn(&mut ChainLink)| {
                    let mut other = honest.clone();
                    change(links(&mut other).nth(at).unwrap());
                    other
                };
                try_one("a hole", &claim, &with(&|link| link.from = 0.5 * (link.from + link.to)));
                try_one("an empty link", &claim, &with(&|link| link.to = link.from));
                try_one("no end", &claim, &with(&|link| link.to = f64::NAN));
                try_one("before the start", &claim, &with(&|link| (link.from, link.to) = (-9.0, -8.0)));
                if !has_plane {
                    try_one("the other way", &claim, &with(&|link| link.along = link.along.map(|x| -x)));
                    try_one("no direction", &claim, &with(&|link| link.along = [0.0; 3]));
                    try_one("an endless turn", &claim, &with(&|link| link.turn = [f64::INFINITY, 0.0, 0.0]));
                }
            }
        }
        // More than is true: all chains go on to the end, along what they have last.
        let until = scene.interval[1];
        let mut longer = honest.clone();
        for chain in longer.cover.iter_mut().flatten().map(|node| &mut node.chain) {
            if let Some(link) = chain.last_mut() {
                link.to = until;
            }
        }
        match found {
            Impact::Hit(hit) if hit.is_proved() && hit.upper < until => {
                let later = ImpactClaim::Hit { lower: 0.5 * (hit.upper + until), upper: until };
                let clear = ImpactClaim::Clear { lower: None, upper: None };
                for claim in [later, clear] {
                    assert!(is_false(&claim, &found));
                    try_one("more than is true", &claim, &longer);
                    try_one("more than is true", &claim, &honest);
                    let alone = ImpactEvidence { meeting: None, ..longer.clone() };
                    try_one("more than is true, and no meeting", &claim, &alone);
                }
                let sooner =
                    ImpactClaim::Hit { lower: scene.interval[0], upper: 0.5 * (scene.interval[0] + hit.lower) };
                try_one("sooner than is true", &sooner, &honest);
                let meeting = honest.meeting.clone().unwrap();
                let mut with = |what: &'static str, change: &dyn Fn(&mut verify::Meeting)| {
                    let mut other = meeting.clone();
                    change(&mut other);
                    let other = ImpactEvidence { meeting: Some(other), ..honest.clone() };
                    try_one(what, &sooner, &other);
                    if what != "an earlier meeting" {
                        try_one(what, &claim, &other);
                    }
                };
                let early = 0.5 * (scene.interval[0] + hit.lower);
                with("an earlier meeting", &|meeting| meeting.time = early);
                with("a meeting elsewhere", &|meeting| meeting.pose_b.translation[0] += 7.0);
                with("a meeting turned", &|meeting| meeting.pose_a.rotation = [f64::NAN, 0.0, 0.0, 1.0]);
                with("a deeper meeting", &|meeting| meeting.bound = -50.0);
                with("a meeting of no parts", &|meeting| match &mut meeting.upper {
                    verify::Upper::Points { parts, .. }
                    | verify::Upper::Simplex { parts, .. }
                    | verify::Upper::Surface { parts, .. }
                    | verify::Upper::Cells { parts, .. }
                    | verify::Upper::Ellipsoid { parts, .. }
                    | verify::Upper::Inside { parts, .. } => *parts = [u32::MAX; 2],
                });
            }
            Impact::Clear(approach) => {
                let wider = ImpactClaim::Clear { lower: Some(1.001 * approach.upper.min(1e9) + 1e-9), upper: None };
                try_one("a wider gap", &wider, &honest);
                if approach.upper < f64::INFINITY {
                    let closer = ImpactClaim::Clear { lower: None, upper: Some(0.5 * approach.lower) };
                    try_one("a closer approach", &closer, &honest);
                }
            }
            _ => {}
        }
    }
    println!("{spoiled:?}");
    assert!(spoiled.len() > 20 && spoiled.values().all(|times| *times > 0), "{spoiled:?}");
}

#[test]
fn approaches_of_parts_are_proved() {
    let [clear, _] = prove_approaches(264, count("APPROACHES", 100), scene);
    assert!(clear > 15, "{clear}");
}

/// A cube and a small box in its middle: their surfaces are apart for all time, and yet the one is in the other. In a cavity it is not.
#[test]
fn what_is_inside_at_the_start_stays_inside() {
    let cube = mesh_of(lattice(&[[0, 0, 0]]));
    let spin = DVec3::new(0.3, -0.2, 0.7);
    for (solid, middle, is_inside) in [(cube, DVec3::splat(0.5), true), (mesh_of(hollow()), DVec3::splat(1.5), false)] {
        let Spec::Mesh(vertices, triangles) = &solid else { unreachable!() };
        for from in [0.0, 1.0, -2.5] {
            // Both turn together about the middle of the one, so that the same direction of a triangle goes on to be its normal.
            let a = Moves::ballistic(Pose::IDENTITY, [DVec3::ZERO, spin, DVec3::ZERO, middle]);
            let b = Moves::linear(Pose::from_translation(middle), DVec3::ZERO, spin);
            let small = Spec::Cuboid(DVec3::splat(0.01));
            let shapes = [solid.clone(), small];
            let scene = Scene { kind: "inside", shapes, moves: [a, b], interval: [from, from + 0.25] };
            let pose = scene.moves[0].motion.pose(from);
            let last = triangles.len() - 1;
            let mut nodes = Vec::new();
            for (number, corners) in triangles.iter().enumerate() {
                let [p, q, r] = corners.map(|corner| vertices[corner as usize]);
                let normal = (q - p).cross(r - p).normalize();
                let way = normal * (middle - p).dot(normal).signum();
                let along = pose.transform_vector(way).to_array();
                let link = ChainLink { from, to: from + 0.25, along, turn: spin.to_array(), ring: None };
                if number < last {
                    nodes.push(ImpactNode { split_a: Some(number as u32 + 1), ..ImpactNode::default() });
                }
                nodes.push(ImpactNode { chain: vec![link], ..ImpactNode::default() });
            }
            let evidence = ImpactEvidence { cover: vec![nodes], ..ImpactEvidence::default() };
            let clear = ImpactClaim::Clear { lower: None, upper: None };
            match judge(&scene.query(), &clear, &evidence) {
                Verdict::Undecided(reason) if is_inside => assert!(reason.contains("inside of the other"), "{reason}"),
                verdict => assert_eq!((verdict, is_inside), (Verdict::Proved, false), "{from}"),
            }
        }
    }
}
