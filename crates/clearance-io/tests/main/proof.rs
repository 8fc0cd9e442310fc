//! The library's own answers, with the library's own evidence, before the exact checker: none is refuted, and nearly all
//! are proved.
//!
//! `PAIRS` in the environment sets how many pairs of each kind are drawn.

use crate::common::{Judged, judge};
use clearance::Pose;
use clearance::math::{DMat3, DQuat};
use clearance_lab::pairs::{self, Case};
use clearance_lab::{Rng, Spec, random};

fn count(default: usize) -> usize {
    std::env::var("PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// One of every kind of shape, of about unit size, and some that are flat or nested.
fn shapes() -> Vec<(&'static str, Spec)> {
    let cone = Spec::Cone(0.6, 0.7);
    let capsule = Spec::Capsule(0.3, 0.6);
    let cuboid = Spec::Cuboid([0.5, 0.4, 0.7].into());
    let shear = DMat3::from_cols([1.1, 0.1, 0.0].into(), [0.3, 0.8, -0.2].into(), [0.0, 0.25, 0.9].into());
    // Axes change places; the transpose brings y to z.
    let about_x = DMat3::from_cols([0.0, 0.0, 1.0].into(), [1.0, 0.0, 0.0].into(), [0.0, 1.0, 0.0].into());
    // A third of the points are inside.
    let hull = |seed: u64| {
        let corners = clearance_lab::models::random_hull(&mut Rng::with_seed(seed), 24);
        Spec::Hull(corners.iter().enumerate().flat_map(|(i, &p)| [p * (0.1 * (i % 7) as f64), p]).collect())
    };
    let affine = |spec: &Spec| Spec::Affine(Box::new(spec.clone()), shear);
    let rounded = |spec: &Spec, radius: f64| Spec::Rounded(Box::new(spec.clone()), radius);
    vec![
        ("point", Spec::Sphere(0.0)),
        ("sphere", Spec::Sphere(0.8)),
        ("cuboid", cuboid.clone()),
        ("flat cuboid", Spec::Cuboid([0.8, 0.0, 0.5].into())),
        ("segment", Spec::Segment([[0.1, -0.7, 0.2].into(), [-0.3, 0.5, 0.4].into()])),
        ("capsule", capsule.clone()),
        ("triangle", Spec::Triangle([[0.7, 0.1, 0.0].into(), [-0.3, 0.6, 0.2].into(), [-0.4, -0.5, -0.3].into()])),
        ("cylinder", Spec::Cylinder(0.5, 0.7)),
        ("cone", cone.clone()),
        ("ellipsoid", Spec::Ellipsoid([0.9, 0.5, 0.7].into())),
        ("hull", hull(1)),
        ("cone about x", Spec::Affine(Box::new(cone.clone()), about_x)),
        ("cylinder about z", Spec::Affine(Box::new(Spec::Cylinder(0.4, 0.6)), about_x.transpose())),
        ("affine cone", affine(&cone)),
        ("affine capsule", affine(&capsule)),
        ("affine cuboid", affine(&cuboid)),
        ("affine hull", affine(&hull(3))),
        ("affine rounded rounded cuboid", affine(&rounded(&rounded(&cuboid, 0.1), 0.05))),
        ("rounded cuboid", rounded(&cuboid, 0.1)),
        ("rounded rounded cone", rounded(&rounded(&cone, 0.1), 0.2)),
        ("rounded capsule", rounded(&capsule, 0.1)),
        ("half-space", Spec::HalfSpace([0.3, -0.5, 0.8].into(), 0.2)),
        (
            "compound",
            Spec::Compound(vec![
                (cuboid.clone(), Pose::new([0.4, 0.0, 0.1], DQuat::from_xyzw(0.1, 0.2, -0.1, 0.9))),
                (Spec::Sphere(0.4), Pose::from_translation([-0.5, 0.2, 0.0])),
                (hull(2), Pose::new([0.0, -0.9, 0.3], DQuat::from_xyzw(0.4, 0.1, 0.1, 0.8))),
            ]),
        ),
    ]
}

/// Places at which something particular happens, beside random ones.
fn placements(rng: &mut Rng) -> Vec<(&'static str, Pose, Pose)> {
    let turned = |rng: &mut Rng, at: [f64; 3]| Pose::new(at, random::rotation(rng));
    let mut all = vec![
        ("same place", Pose::IDENTITY, Pose::IDENTITY),
        ("beside", Pose::IDENTITY, Pose::from_translation([3.0, 0.0, 0.0])),
        ("aligned, overlapping", Pose::IDENTITY, Pose::from_translation([0.25, 0.125, 0.0])),
        ("far away", Pose::from_translation([1e7, -3e6, 2e6]), Pose::from_translation([1e7 + 2.5, -3e6, 2e6])),
        ("far from each other", Pose::IDENTITY, Pose::from_translation([4e5, -3e6, 2e6])),
    ];
    for _ in 0..2 {
        let offset = random::direction(rng) * random::uniform(rng, 0.0, 3.0);
        all.push(("random", turned(rng, [0.3, -0.2, 0.1]), turned(rng, offset.to_array())));
    }
    let offset = random::direction(rng) * 1.5;
    let far = Pose::new([5e6, 1e6, -2e6], random::rotation(rng));
    all.push(("random and far", far, Pose::new(far.translation() + offset, random::rotation(rng))));
    all
}

#[test]
fn honest_answers_about_every_pair_of_kinds() {
    let mut rng = Rng::with_seed(41);
    let shapes = shapes();
    let mut judged = Judged::default();
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for (place, pose_a, pose_b) in placements(&mut rng) {
                judge(&mut judged, &format!("{name_a} / {name_b} / {place}"), a, pose_a, b, pose_b);
            }
        }
    }
    // Nothing is wrong, and nearly nothing is left open: only solids of revolution about one axis, which are as deep in a
    // whole circle of directions. No finite surface comes close enough to that.
    judged.require(judged.proved / 100);
    assert!(judged.undecided.iter().all(|line| line.starts_with("upper: ") && line.contains("/ same place /")));
}

#[test]
fn honest_answers_about_random_and_structured_hulls() {
    let mut rng = Rng::with_seed(42);
    let mut judged = Judged::default();
    for index in 0..count(40) * pairs::KINDS {
        let mut cases = vec![pairs::structured(&mut rng, index)];
        if index % 8 == 0 {
            cases.extend([pairs::separated(&mut rng), pairs::overlapping(&mut rng)]);
        }
        for Case { points_a, pose_a, points_b, pose_b, what, .. } in cases {
            judge(&mut judged, &what, &Spec::Hull(points_a), pose_a, &Spec::Hull(points_b), pose_b);
        }
    }
    // The pairs left open are said to touch, rotated, and their exact gap is too small for doubles.
    judged.require(judged.proved / 100);
    assert!(judged.undecided.iter().all(|line| line.starts_with("they are apart, but by less than doubles can see")));
}

/// A ball of small hulls.
fn cloud(rng: &mut Rng, count: usize, size: f64) -> Spec {
    let part = |rng: &mut Rng| {
        let points = (0..10).map(|_| random::direction(rng) * size).collect();
        let at = random::direction(rng) * random::uniform(rng, 0.0, 1.0).cbrt();
        (Spec::Hull(points), Pose::new(at, random::rotation(rng)))
    };
    Spec::Compound((0..count).map(|_| part(rng)).collect())
}

#[test]
fn a_thousand_parts_against_a_thousand_are_proved_by_covers_as_long_as_the_search() {
    let mut rng = Rng::with_seed(43);
    let (a, b) = (cloud(&mut rng, 1000, 0.05), cloud(&mut rng, 1000, 0.05));
    // Far apart, close, and into each other.
    for (distance, most) in [(30.0, 3_000), (4.0, 3_000), (2.2, 20_000), (1.9, 40_000), (1.5, 40_000)] {
        let pose = Pose::new(random::direction(&mut rng) * distance, random::rotation(&mut rng));
        for (query, claim, evidence) in crate::common::claims(&a, Pose::IDENTITY, &b, pose) {
            let length = evidence.lower.as_ref().map_or(0, |lower| lower.cover.len());
            assert!(length < most, "{distance}: {length} nodes");
            let (verdict, operations) = clearance_verify::check_counted(&query, &claim, &evidence);
            assert_eq!(verdict, clearance_verify::Verdict::Proved, "{distance}: {claim:?}");
            assert!(operations < 100_000_000, "{distance}: {operations}");
        }
    }
}

#[test]
fn recorded_searches_are_evidence_as_they_are() {
    let mut rng = Rng::with_seed(44);
    let mut judged = Judged::default();
    for round in 0..200 {
        let (a, b) = (cloud(&mut rng, 1 + round % 9, 0.4), cloud(&mut rng, 1 + round % 4, 0.6));
        let (shape_a, shape_b) = (a.build(), b.build());
        let mut pair = clearance::Pair::new(&shape_a, &shape_b);
        for _ in 0..3 {
            let at = random::direction(&mut rng) * random::uniform(&mut rng, 0.0, 3.0);
            let (pose_a, pose_b) = (Pose::IDENTITY, Pose::new(at, random::rotation(&mut rng)));
            let mut trail = clearance::proof::Trail::default();
            let c = clearance::proof::distance(&mut pair, pose_a, pose_b, &mut trail);
            let evidence = clearance::proof::of_recorded(&shape_a, pose_a, &shape_b, pose_b, &c, &trail);
            let [written_a, written_b] = [pose_a, pose_b].map(|pose| clearance_io::proof::written_pose(&pose));
            let query =
                clearance_verify::Query { a: a.written(), pose_a: written_a, b: b.written(), pose_b: written_b };
            let answer = clearance_io::Answer::Distance(c);
            let claim = clearance_io::proof::claim(&answer, None, [&shape_a, &shape_b]).unwrap();
            judged.add(format!("round {round}: {c:?}"), clearance_verify::check(&query, &claim, &evidence));
        }
    }
    judged.require(0);
}
