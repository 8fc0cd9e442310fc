//! Rays and shapes that are cast, with their evidence, before the checker: honest answers are proved, spoiled ones never.

use crate::impact::{count, shape, sized};
use clearance::math::{DMat3, DVec3};
use clearance::{Pose, Ray, RayHit, Sweep, proof};
use clearance_io::proof::{cast_claim, ray_claim, written_pose};
use clearance_lab::Spec;
use clearance_lab::meshes::small::{hollow, random_mesh, torus};
use clearance_lab::random::{direction, rotation, uniform, vector};
use clearance_verify as verify;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use verify::{Evidence, MovingQuery, RayClaim, RayQuery, Verdict};

fn body(rng: &mut Rng) -> (&'static str, Spec) {
    match rng.u32(0..8) {
        0..=3 => ("convex", shape(rng)),
        4 => ("mesh", random_mesh(rng).1),
        5 => {
            let matrix = DMat3::from_quat(rotation(rng)) * DMat3::from_diagonal(vector(rng, 0.5, 1.5));
            ("image", Spec::Affine(Box::new(random_mesh(rng).1), matrix))
        }
        6 => ("half-space", Spec::HalfSpace(direction(rng), uniform(rng, -1.0, 1.0))),
        _ => {
            let part = |rng: &mut Rng| match rng.u32(0..5) {
                0 => (random_mesh(rng).1, Pose::new(vector(rng, -1.5, 1.5), rotation(rng))),
                1 => (Spec::HalfSpace(direction(rng), -3.0), Pose::IDENTITY),
                _ => (shape(rng), Pose::new(vector(rng, -1.5, 1.5), rotation(rng))),
            };
            ("compound", Spec::Compound((0..rng.usize(2..6)).map(|_| part(rng)).collect()))
        }
    }
}

/// A shape and a ray.
#[derive(Debug, Clone)]
struct Shot {
    kind: &'static str,
    spec: Spec,
    pose: Pose,
    origin: DVec3,
    direction: DVec3,
    max: f64,
}

impl Shot {
    fn query(&self) -> RayQuery {
        RayQuery {
            a: self.spec.written(),
            pose_a: written_pose(&self.pose),
            origin: self.origin.to_array(),
            direction: self.direction.to_array(),
            max: self.max,
        }
    }

    fn answer(&self) -> (Option<RayHit>, RayClaim, Evidence) {
        let a = self.spec.build();
        let (hit, proof) = proof::cast_ray(&a, self.pose, &Ray::new(self.origin, self.direction, self.max).unwrap());
        let evidence = proof.expect("these shapes have evidence");
        (hit, ray_claim(hit.as_ref()), evidence)
    }
}

fn shot(rng: &mut Rng, index: usize) -> Shot {
    let (kind, spec) = body(rng);
    let pose = Pose::new(vector(rng, -2.0, 2.0), rotation(rng));
    let origin = pose.translation() + direction(rng) * uniform(rng, 0.0, 6.0);
    let toward = pose.translation() + vector(rng, -1.0, 1.0) - origin;
    let length = [1.0, 1e-3, 1e6, 1e-100, 1e40][rng.usize(0..5)];
    let direction = toward * length;
    let shot = Shot { kind, spec, pose, origin, direction, max: uniform(rng, 3.0, 30.0) };
    match index % 8 {
        0..=3 => shot,
        // Along axes, at boxes and solids of cubes that are not turned: through faces, edges and corners, along faces.
        4 => {
            let half = DVec3::new(1.0, 0.5, 2.0);
            let spec = if rng.bool() { Spec::Cuboid(half) } else { random_mesh(rng).1 };
            let step = |rng: &mut Rng| f64::from(rng.i32(-4..5)) * 0.25;
            let origin = DVec3::new(step(rng), step(rng), -5.0);
            let along = DVec3::new(0.0, 0.0, 1.0) * length;
            Shot { kind: "axes", spec, pose: Pose::IDENTITY, origin, direction: along, ..shot }
        }
        // From inside of a cavity, and of a ring.
        5 => {
            let (vertices, triangles) = if rng.bool() { hollow() } else { torus(10, 6, 1.0, 0.4) };
            let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
            let at = shot.pose.transform_point(middle + vector(rng, -0.2, 0.2));
            Shot { kind: "cavity", spec: Spec::Mesh(vertices, triangles), origin: at, ..shot }
        }
        // From far away.
        6 => {
            let origin = pose.translation() - toward.normalize() * sized(rng, 1e2, 1e6);
            let far = pose.translation() + vector(rng, -0.5, 0.5) - origin;
            Shot { kind: "far away", origin, direction: far * length, max: 2e6, ..shot }
        }
        // Past, by little.
        _ => {
            let (r, gap) = (uniform(rng, 0.3, 1.0), sized(rng, 1e-12, 1e-2) * if rng.bool() { 1.0 } else { -1.0 });
            let side = toward.any_orthonormal_vector();
            let origin = pose.translation() + side * (r + gap) - toward;
            Shot { kind: "past", spec: Spec::Sphere(r), origin, ..shot }
        }
    }
}

/// Tells the time and the size of checks, too (with `--nocapture`).
#[test]
fn honest_rays_are_proved() {
    let total = count("CASTS", 1200);
    let mut rng = Rng::with_seed(360);
    let mut verdicts: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    let (mut checked, mut bytes, mut work, mut longest) = (Duration::ZERO, 0, 0, Duration::ZERO);
    let mut open = Vec::new();
    for index in 0..total {
        let shot = shot(&mut rng, index);
        let (hit, claim, evidence) = shot.answer();
        let query = shot.query();
        let start = Instant::now();
        let (verdict, spent) = verify::check_ray_counted(&query, &claim, &evidence);
        (checked, longest, work) = (checked + start.elapsed(), longest.max(start.elapsed()), work + spent);
        bytes += serde_json::to_string(&evidence).unwrap().len();
        let (answer, is_graze) = match hit {
            None => ("miss", false),
            Some(hit) if !hit.is_proved() => ("graze", true),
            Some(hit) if hit.is_inside => ("inside", false),
            Some(_) => ("hit", false),
        };
        let counts = verdicts.entry((shot.kind, answer)).or_default();
        match verdict {
            Verdict::Proved => counts[0] += 1,
            Verdict::Undecided(reason) if is_graze && reason == "upper is null, which claims nothing" => counts[1] += 1,
            Verdict::Undecided(reason) => {
                counts[2] += 1;
                open.push(format!("{index} {} {answer}: {reason}, {hit:?} {evidence:?} {}", shot.kind, shot.spec));
            }
            Verdict::Refuted(reason) => {
                counts[3] += 1;
                open.push(format!("{index} {} {answer}: REFUTED {reason} {hit:?} {:?}", shot.kind, shot.spec));
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
        "{total} rays: {:.0} bytes, {:.3} ms and {:.0} operations to check, the longest {:.1} ms",
        each(bytes as f64),
        each(1e3 * checked.as_secs_f64()),
        each(work as f64),
        1e3 * longest.as_secs_f64()
    );
    open.iter().take(40).for_each(|line| println!("{}", line.chars().take(900).collect::<String>()));
    assert!(verdicts.values().all(|counts| counts[3] == 0));
    let undecided: usize = verdicts.values().map(|counts| counts[2]).sum();
    assert!(undecided * 50 <= total, "{undecided} of {total} are undecided");
}

/// Two shapes, of which the second moves straight.
#[derive(Debug, Clone)]
struct Throw {
    kind: &'static str,
    shapes: [Spec; 2],
    poses: [Pose; 2],
    direction: DVec3,
    max: f64,
}

impl Throw {
    fn query(&self) -> MovingQuery {
        let [a, b] = self.shapes.each_ref().map(Spec::written);
        let [pose_a, pose_b] = self.poses.each_ref().map(written_pose);
        let motion_b = verify::Motion::Straight { direction: self.direction.to_array() };
        let start = verify::Query { a, pose_a, b, pose_b };
        MovingQuery { start, motion_a: verify::Motion::Fixed {}, motion_b, from: 0.0, until: self.max }
    }
}

fn throw(rng: &mut Rng, index: usize) -> Throw {
    let ((kind, a), (other, mut b)) = (body(rng), body(rng));
    // Two half-spaces that move cannot be checked.
    let is_half_space = |spec: &Spec| matches!(spec, Spec::HalfSpace(..));
    if is_half_space(&b) || other == "compound" && kind != "convex" {
        b = shape(rng);
    }
    let pose = Pose::new(vector(rng, -2.0, 2.0), rotation(rng));
    let from = pose.translation() + direction(rng) * uniform(rng, 3.0, 8.0);
    let toward = pose.translation() + vector(rng, -1.5, 1.5) - from;
    let direction = toward * [1.0, 1e-3, 1e6, 1e-100, 1e40][rng.usize(0..5)];
    let shapes = if rng.bool() || kind == "half-space" { [a, b] } else { [b, a] };
    let max = uniform(rng, 2.0, 20.0);
    let throw = Throw { kind, shapes, poses: [pose, Pose::new(from, rotation(rng))], direction, max };
    match index % 5 {
        0..=2 => throw,
        3 => {
            let half = vector(rng, 0.3, 1.0);
            let shapes = [Spec::Cuboid(half), Spec::Cuboid(vector(rng, 0.3, 1.0))];
            let start = Pose::from_translation([-4.0, uniform(rng, -1.5, 1.5), 0.0]);
            let poses = [Pose::IDENTITY, start];
            Throw { kind: "boxes", shapes, poses, direction: DVec3::X * sized(rng, 1e-3, 1e3), ..throw }
        }
        _ => {
            // They touch or overlap already.
            let near = Pose::new(pose.translation() + 0.3 * vector(rng, -1.0, 1.0), rotation(rng));
            Throw { kind: "near", poses: [pose, near], ..throw }
        }
    }
}

#[test]
fn honest_casts_of_shapes_are_proved() {
    let total = count("CASTS", 600);
    let mut rng = Rng::with_seed(361);
    let mut verdicts: BTreeMap<(&str, &str), [usize; 4]> = BTreeMap::new();
    let (mut checked, mut bytes, mut longest) = (Duration::ZERO, 0, Duration::ZERO);
    let mut why: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut open = Vec::new();
    for index in 0..total {
        let throw = throw(&mut rng, index);
        let [a, b] = throw.shapes.each_ref().map(Spec::build);
        let (hit, proof) =
            proof::cast_shape(&a, throw.poses[0], &b, &Sweep::new(throw.poses[1], throw.direction, throw.max).unwrap());
        let evidence = proof.expect("these shapes have evidence");
        let (claim, contact) = cast_claim(hit.as_ref());
        let query = throw.query();
        let start = Instant::now();
        let mut verdict = verify::check_impact(&query, &claim, &evidence);
        if let (Verdict::Proved, Some(contact)) = (&verdict, &contact) {
            verdict = verify::check_contact(&query, contact, &evidence);
        }
        (checked, longest) = (checked + start.elapsed(), longest.max(start.elapsed()));
        bytes += serde_json::to_string(&evidence).unwrap().len();
        let (answer, is_graze) = match hit {
            None => ("clear", false),
            Some(hit) if hit.is_touching() => ("touching", true),
            Some(hit) if !hit.is_proved() => ("graze", true),
            Some(_) => ("hit", false),
        };
        let counts = verdicts.entry((throw.kind, answer)).or_default();
        match verdict {
            Verdict::Proved => counts[0] += 1,
            Verdict::Undecided(reason) if is_graze => {
                counts[1] += 1;
                *why.entry((
                    answer,
                    reason
                        .split(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'][..])
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                ))
                .or_insert(0) += 1;
            }
            Verdict::Undecided(reason) => {
                counts[2] += 1;
                open.push(format!(
                    "{index} {} {answer}: {reason}, {} {}",
                    throw.kind, throw.shapes[0], throw.shapes[1]
                ));
            }
            Verdict::Refuted(reason) => {
                counts[3] += 1;
                open.push(format!("{index} {} {answer}: REFUTED {reason} {hit:?}", throw.kind));
            }
        }
    }
    for ((kind, answer), [proved, grazes, undecided, refuted]) in &verdicts {
        println!(
            "{kind:>12} {answer:<8} {proved} proved, {grazes} but for a graze or an overlap, {undecided} undecided, {refuted} refuted"
        );
    }
    let each = |sum: f64| sum / total as f64;
    why.iter().for_each(|((answer, reason), times)| println!("{times} {answer}: {reason}"));
    println!(
        "{total} casts: {:.0} bytes, {:.3} ms to check, the longest {:.1} ms",
        each(bytes as f64),
        each(1e3 * checked.as_secs_f64()),
        1e3 * longest.as_secs_f64()
    );
    open.iter().take(40).for_each(|line| println!("{}", line.chars().take(700).collect::<String>()));
    assert!(verdicts.values().all(|counts| counts[3] == 0));
    let undecided: usize = verdicts.values().map(|counts| counts[2]).sum();
    assert!(undecided * 50 <= total, "{undecided} of {total} are undecided");
}

/// No other claim is proved by honest evidence, and no evidence that was changed proves more than is true.
#[test]
fn spoiled_rays_are_refused() {
    let mut rng = Rng::with_seed(362);
    let mut spoiled: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for index in 0..count("SPOILED", 600) {
        let shot = shot(&mut rng, index);
        let (hit, claim, honest) = shot.answer();
        let query = shot.query();
        if verify::check_ray(&query, &claim, &honest) != Verdict::Proved {
            continue;
        }
        let mut try_one = |what: &'static str, query: &RayQuery, claim: &RayClaim, evidence: &Evidence| {
            let verdict = verify::check_ray(query, claim, evidence);
            assert_ne!(verdict, Verdict::Proved, "{index} {} {what} {hit:?}", shot.kind);
            let counts = spoiled.entry(what).or_default();
            counts[usize::from(matches!(verdict, Verdict::Refuted(_)))] += 1;
        };
        let ray = honest.ray.unwrap();
        let with_ray = |ray: verify::RayEvidence| Evidence { ray: Some(ray), ..honest.clone() };
        let length = shot.direction.length();
        if hit.is_none() {
            // A longer way than is shown to be free.
            try_one("a longer way", &RayQuery { max: 1.01 * query.max, ..query.clone() }, &claim, &honest);
            try_one(
                "a shorter piece",
                &query,
                &claim,
                &with_ray(verify::RayEvidence { free: ray.free.map(|s| 0.9 * s), ..ray }),
            );
            try_one("no piece", &query, &claim, &with_ray(verify::RayEvidence { free: None, ..ray }));
            try_one(
                "a piece that is none",
                &query,
                &claim,
                &with_ray(verify::RayEvidence { free: Some(f64::NAN), ..ray }),
            );
            try_one(
                "a piece that is endless",
                &query,
                &claim,
                &with_ray(verify::RayEvidence { free: Some(f64::INFINITY), ..ray }),
            );
            let there = verify::RayHitClaim {
                distance: 1.0,
                lower: 0.5,
                upper: 2.0,
                point: (shot.origin + shot.direction / length).to_array(),
                normal: (-shot.direction / length).to_array(),
                inside: false,
            };
            for met in [None, Some(0.0), Some(2.0 / length)] {
                let evidence = with_ray(verify::RayEvidence { met, ..ray });
                try_one("a hit that is none", &query, &RayClaim::Hit(there), &evidence);
                let inside = verify::RayHitClaim { inside: true, distance: 0.0, lower: 0.0, upper: 0.0, ..there };
                try_one("inside of what it misses", &query, &RayClaim::Hit(inside), &evidence);
            }
            continue;
        }
        let RayClaim::Hit(told) = claim else { unreachable!() };
        let width = told.upper - told.lower;
        let with = |change: &dyn Fn(&mut verify::RayHitClaim)| {
            let mut other = told;
            change(&mut other);
            RayClaim::Hit(other)
        };
        try_one("a miss", &query, &RayClaim::Miss, &honest);
        let free = Some(1.01 * query.max / length);
        try_one("a miss, and a longer piece", &query, &RayClaim::Miss, &with_ray(verify::RayEvidence { free, ..ray }));
        let later = with(&|hit| {
            hit.lower += 2.0 * width + 1e-9;
            (hit.distance, hit.upper) = (hit.lower, hit.lower + 1.0);
        });
        try_one("later", &query, &later, &honest);
        let longer = Some((told.upper + 3.0 * width + 1e-8) / length);
        try_one("later, and a longer piece", &query, &later, &with_ray(verify::RayEvidence { free: longer, ..ray }));
        if told.lower > 0.0 {
            let sooner = with(&|hit| (hit.lower, hit.distance, hit.upper) = (0.0, 0.0, 0.999 * told.lower));
            try_one("sooner", &query, &sooner, &honest);
            let met = Some(0.99 * told.lower / length);
            try_one("sooner, and a shorter piece", &query, &sooner, &with_ray(verify::RayEvidence { met, ..ray }));
            try_one("a shorter piece that meets", &query, &claim, &with_ray(verify::RayEvidence { met, ..ray }));
            try_one("inside", &query, &with(&|hit| hit.inside = true), &honest);
            try_one("no piece", &query, &claim, &with_ray(verify::RayEvidence { free: None, ..ray }));
        }
        try_one("no piece that meets", &query, &claim, &with_ray(verify::RayEvidence { met: None, ..ray }));
        try_one("a part that is not there", &query, &claim, &with_ray(verify::RayEvidence { part: u32::MAX, ..ray }));
        try_one("nothing about pieces", &query, &claim, &Evidence { ray: None, ..honest.clone() });
        try_one("a point elsewhere", &query, &with(&|hit| hit.point[index % 3] += 1e-3), &honest);
        try_one("a longer normal", &query, &with(&|hit| hit.normal = hit.normal.map(|x| 1.001 * x)), &honest);
        try_one("the other normal", &query, &with(&|hit| hit.normal = hit.normal.map(|x| -x)), &honest);
        try_one("no number", &query, &with(&|hit| hit.distance = f64::NAN), &honest);
        try_one("out of order", &query, &with(&|hit| hit.distance = hit.upper + 1.0), &honest);
        if matches!(shot.spec, Spec::Sphere(_) | Spec::Cuboid(_) | Spec::Ellipsoid(_)) && !told.inside {
            let tilted = DVec3::from(told.normal) + 1e-3 * DVec3::from(told.normal).any_orthonormal_vector();
            try_one("another normal", &query, &with(&|hit| hit.normal = tilted.normalize().to_array()), &honest);
        }
    }
    println!("{spoiled:?}");
    assert!(spoiled.len() > 18, "{spoiled:?}");
}

/// Straight ways: what is said of one is not proved of another, nor more than is true.
#[test]
fn spoiled_casts_of_shapes_are_refused() {
    let mut rng = Rng::with_seed(363);
    let (mut tried, mut refuted) = (0, 0);
    for index in 0..count("SPOILED", 200) {
        let throw = throw(&mut rng, index);
        let [a, b] = throw.shapes.each_ref().map(Spec::build);
        let answer = |throw: &Throw| {
            let (hit, proof) = proof::cast_shape(
                &a,
                throw.poses[0],
                &b,
                &Sweep::new(throw.poses[1], throw.direction, throw.max).unwrap(),
            );
            (hit, proof.unwrap())
        };
        let (hit, evidence) = answer(&throw);
        let query = throw.query();
        let mut try_one = |what: &str, query: &MovingQuery, claim: &verify::ImpactClaim, evidence: &Evidence| {
            let verdict = verify::check_impact(query, claim, evidence);
            assert_ne!(verdict, Verdict::Proved, "{index} {what} {hit:?}");
            tried += 1;
            refuted += usize::from(matches!(verdict, Verdict::Refuted(_)));
        };
        match hit {
            Some(hit) if hit.is_proved() && !hit.is_touching() => {
                let clear = verify::ImpactClaim::Clear { lower: None, upper: None };
                try_one("clear", &query, &clear, &evidence);
                // As if the direction had the length that it has, and not one: that is another speed.
                let velocity = throw.direction.to_array();
                if (throw.direction.length() - 1.0).abs() > 0.1 {
                    let motion_b = verify::Motion::Linear { velocity, angular_velocity: [0.0; 3], center: [0.0; 3] };
                    let faster = MovingQuery { motion_b, ..query.clone() };
                    let (claim, _) = cast_claim(Some(&hit));
                    try_one("another speed", &faster, &claim, &evidence);
                }
                let back = verify::Motion::Straight { direction: velocity.map(|x| -x) };
                let (claim, _) = cast_claim(Some(&hit));
                try_one("backwards", &MovingQuery { motion_b: back, ..query.clone() }, &claim, &evidence);
                for direction in [[0.0; 3], [f64::NAN, 0.0, 0.0]] {
                    let motion_b = verify::Motion::Straight { direction };
                    try_one("no direction", &MovingQuery { motion_b, ..query.clone() }, &claim, &evidence);
                }
            }
            None => {
                let longer = Throw { max: 4.0 * throw.max, ..throw.clone() };
                if answer(&longer).0.is_some_and(|hit| hit.is_proved()) {
                    let clear = verify::ImpactClaim::Clear { lower: None, upper: None };
                    try_one("farther", &longer.query(), &clear, &evidence);
                }
            }
            _ => {}
        }
    }
    println!("{tried} spoiled, {refuted} of them refuted, none proved");
    assert!(tried > 300 || count("SPOILED", 200) < 200, "{tried}");
}
