//! Answers and evidence that were tampered with: none is proved, and what is false is refuted where the evidence, or the
//! exact distance of polytopes, shows it.

use crate::common::claims;
use clearance::Pose;
use clearance::math::{DMat3, DQuat};
use clearance_lab::{Rng, Spec, random};
use clearance_verify::{
    Claim, Cover, Distance, Evidence, Feature, InnerEllipsoid, Member, Query, Status, Upper, Verdict, check,
};

fn shapes() -> Vec<Spec> {
    let hull = clearance_lab::models::random_hull(&mut Rng::with_seed(3), 20);
    let cuboid = Spec::Cuboid([0.5, 0.4, 0.7].into());
    vec![
        Spec::Sphere(0.6),
        cuboid.clone(),
        Spec::Capsule(0.3, 0.5),
        Spec::Cylinder(0.5, 0.6),
        Spec::Cone(0.6, 0.6),
        Spec::Ellipsoid([0.7, 0.5, 0.6].into()),
        Spec::Hull(hull),
        Spec::Rounded(Box::new(cuboid), 0.1),
        Spec::HalfSpace([0.1, 0.9, -0.3].into(), 0.4),
    ]
}

/// Every pair of kinds, once apart and once overlapping.
fn all(mut look: impl FnMut(&Query, &Claim, &Evidence)) {
    let mut rng = Rng::with_seed(17);
    let shapes = shapes();
    for a in &shapes {
        for b in &shapes {
            for gap in [2.5, 0.4] {
                let pose_a = Pose::new(random::vector(&mut rng, -1.0, 1.0), random::rotation(&mut rng));
                let offset = random::direction(&mut rng) * gap;
                let pose_b = Pose::new(pose_a.translation() + offset, random::rotation(&mut rng));
                for (query, claim, evidence) in claims(a, pose_a, b, pose_b) {
                    if check(&query, &claim, &evidence) == Verdict::Proved {
                        look(&query, &claim, &evidence);
                    }
                }
            }
        }
    }
}

/// Distances whose bracket is closed: only those cannot bear to be moved.
fn closed(mut look: impl FnMut(&Query, &Distance, &Evidence)) {
    all(|query, claim, evidence| {
        if let Claim::Distance(honest) = claim
            && honest.upper - honest.lower < 1e-9
        {
            look(query, honest, evidence);
        }
    });
}

fn is_refuted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Refuted(_))
}

/// The same distance, longer by that: everything that belongs together is moved together.
fn shifted(claim: &Distance, by: f64) -> Distance {
    let Distance { distance, point_a, normal, lower, upper, .. } = *claim;
    let distance = distance + by;
    let point_b = std::array::from_fn(|i| point_a[i] + distance * normal[i]);
    Distance { distance, point_b, lower: lower + by, upper: upper + by, ..*claim }
}

#[test]
fn a_distance_that_is_too_large_or_too_small_is_refuted() {
    let mut count = [0; 2];
    closed(|query, honest, evidence| {
        // Just wide enough to leave the bracket, and grossly.
        for by in [2.0 * (honest.upper - honest.lower) + 1e-12, 1e-3, 10.0] {
            for (side, by) in [by, -by].into_iter().enumerate() {
                let verdict = check(query, &Claim::Distance(shifted(honest, by)), evidence);
                assert!(is_refuted(&verdict), "{by:e}: {verdict:?} for {honest:?} about {query:?}");
                count[side] += 1;
            }
        }
    });
    assert!(count.iter().all(|&count| count > 300), "{count:?}");
}

#[test]
fn a_bound_that_is_moved_past_the_truth_is_never_proved() {
    let mut count = 0;
    closed(|query, honest, evidence| {
        let width = 2.0 * (honest.upper - honest.lower) + 1e-12;
        // The other bound and the distance give way, so that nothing looks wrong from outside.
        let distance = honest.lower + width;
        let raised = Distance { upper: distance, ..shifted(honest, distance - honest.distance) };
        let raised = Distance { lower: distance, ..raised };
        let distance = honest.upper - width;
        let lowered = Distance { lower: distance, ..shifted(honest, distance - honest.distance) };
        let lowered = Distance { upper: distance, ..lowered };
        for tampered in [raised, lowered] {
            let verdict = check(query, &Claim::Distance(tampered), evidence);
            assert!(is_refuted(&verdict), "{verdict:?} for {tampered:?}");
            count += 1;
        }
    });
    assert!(count > 200, "{count}");
}

#[test]
fn a_flipped_yes_or_no_is_refuted() {
    let mut count = [0; 4];
    all(|query, claim, evidence| {
        let (kind, flipped) = match claim {
            Claim::Intersects(yes) => (usize::from(*yes), Claim::Intersects(!yes)),
            Claim::Beyond { margin } => {
                // Beyond the margin is proved; then within is a distance that cannot be honest.
                let at = Distance {
                    distance: 0.9 * margin,
                    point_a: [0.0; 3],
                    point_b: [0.9 * margin, 0.0, 0.0],
                    normal: [1.0, 0.0, 0.0],
                    lower: 0.8 * margin,
                    upper: *margin,
                    status: Status::Stalled,
                    features: [Feature::Surface; 2],
                };
                (2, Claim::Within { margin: *margin, distance: at })
            }
            Claim::Within { margin, distance } if distance.upper <= *margin => (3, Claim::Beyond { margin: *margin }),
            _ => return,
        };
        let verdict = check(query, &flipped, evidence);
        assert!(is_refuted(&verdict), "{verdict:?} for {flipped:?} about {query:?}");
        count[kind] += 1;
    });
    assert!(count.iter().all(|&count| count > 20), "{count:?}");
}

#[test]
fn witnesses_that_do_not_fit_are_refuted() {
    closed(|query, honest, evidence| {
        let mut moved = *honest;
        moved.point_b[1] += 1e-6;
        let stretched = Distance { normal: honest.normal.map(|x| 1.001 * x), ..*honest };
        let outside = Distance { distance: honest.upper + 1e-3, ..*honest };
        let broken = Distance { point_a: [f64::NAN; 3], ..*honest };
        for tampered in [moved, stretched, outside, broken] {
            assert!(is_refuted(&check(query, &Claim::Distance(tampered), evidence)), "{tampered:?}");
        }
    });
}

/// Evidence with something done to its members.
fn with_members(evidence: &Evidence, change: &mut impl FnMut(&mut Member)) -> Evidence {
    let mut evidence = evidence.clone();
    match &mut evidence.upper {
        Some(Upper::Points { a, b, .. }) => [a, b].into_iter().for_each(change),
        Some(Upper::Simplex { points, .. } | Upper::Surface { points, .. }) => {
            points.iter_mut().flatten().for_each(change);
        }
        Some(Upper::Cells { .. } | Upper::Ellipsoid { .. } | Upper::Inside { .. }) | None => {}
    }
    evidence
}

#[test]
fn spoiled_evidence_proves_no_distance() {
    let mut counts = [0; 6];
    closed(|query, honest, evidence| {
        let claim = &Claim::Distance(*honest);
        let mut expect = |kind: usize, what: &str, spoiled: &Evidence| {
            if spoiled == evidence {
                return;
            }
            let verdict = check(query, claim, spoiled);
            assert!(matches!(verdict, Verdict::Undecided(_)), "{what}: {verdict:?} for {claim:?} about {query:?}");
            counts[kind] += 1;
        };
        let has_plane =
            [&query.a, &query.b].iter().any(|shape| matches!(shape, clearance_verify::Shape::HalfSpace { .. }));
        if !has_plane {
            let mut leaning = evidence.clone();
            for node in leaning.lower.iter_mut().flat_map(|lower| &mut lower.cover) {
                if let Cover::Along(n) = node {
                    *n = [n[0] + 0.3, n[1] - 0.2, n[2] + 0.25];
                }
            }
            expect(0, "another direction", &leaning);
        }
        expect(1, "no points", &Evidence { upper: None, ..evidence.clone() });
        let negative = with_members(evidence, &mut |member| {
            if let Member::Mix(terms) = member {
                let last = terms.len() - 1;
                terms[0].0 += 1.5 * terms[last].0;
                terms[last].0 *= -0.5;
            }
        });
        expect(2, "a negative weight", &negative);
        let outside = with_members(evidence, &mut |member| match member {
            Member::At(point) => *point = point.map(|x| 1.5 * x),
            Member::Mix(terms) => terms.iter_mut().for_each(|(_, term)| {
                if let Member::At(point) = term {
                    *point = point.map(|x| 1.5 * x);
                }
            }),
            _ => {}
        });
        expect(3, "points outside", &outside);
        let strange = with_members(evidence, &mut |member| *member = Member::Vertex(1_000_000));
        if !has_plane {
            expect(4, "vertices that are not there", &strange);
        }
        if let Some(Upper::Surface { parts, points, triangles }) = &evidence.upper {
            let surface = |triangles: Vec<[u32; 3]>| Evidence {
                upper: Some(Upper::Surface { parts: *parts, points: points.clone(), triangles }),
                ..evidence.clone()
            };
            let swap = |[p, q, r]: [u32; 3]| [p, r, q];
            expect(5, "an open surface", &surface(triangles[1..].to_vec()));
            let mut one_turned = triangles.clone();
            one_turned[0] = swap(one_turned[0]);
            expect(5, "a triangle turned over", &surface(one_turned));
            expect(5, "a surface inside out", &surface(triangles.iter().map(|t| swap(*t)).collect()));
            expect(5, "no surface", &surface(Vec::new()));
            let both = triangles[..1].iter().flat_map(|t| [*t, swap(*t)]).collect();
            expect(5, "a surface that is not around the origin", &surface(both));
            let mut strange = triangles.clone();
            strange[0][0] = points.len() as u32;
            expect(5, "a corner that is not there", &surface(strange));
        }
    });
    // Surfaces are for depths; those are counted where their brackets are closed.
    assert!(counts[..5].iter().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn a_ball_has_only_its_centre_for_a_core() {
    // Taking the ball itself for the core counts its radius twice.
    let ball = clearance_verify::Shape::Sphere { radius: 1.0 };
    let pose_b = clearance_verify::Pose { translation: [3.0, 0.0, 0.0], ..clearance_verify::Pose::IDENTITY };
    let query = Query { a: ball.clone(), pose_a: clearance_verify::Pose::IDENTITY, b: ball, pose_b };
    for member in
        [Member::At([1.0, 0.0, 0.0]), Member::Offset { core: Box::new(Member::Vertex(0)), offset: [1.0, 0.0, 0.0] }]
    {
        let upper = Some(Upper::Points { parts: [0; 2], a: member, b: Member::Vertex(0) });
        let evidence = Evidence { upper, ..Evidence::default() };
        // The gap is 1: an exact distance of polytopes refutes what the evidence cannot prove.
        assert!(is_refuted(&check(&query, &Claim::Intersects(true), &evidence)));
    }
}

#[test]
fn polytopes_are_decided_without_evidence() {
    let none = Evidence::default();
    let mut count = 0;
    all(|query, claim, _| {
        let core = |shape: &clearance_verify::Shape| {
            use clearance_verify::Shape as S;
            matches!(
                shape,
                S::Sphere { .. } | S::Cuboid { .. } | S::Capsule { .. } | S::Hull { .. } | S::Rounded { .. }
            )
        };
        if !core(&query.a) || !core(&query.b) {
            return;
        }
        match claim {
            Claim::Intersects(yes) => {
                assert_eq!(check(query, claim, &none), Verdict::Proved, "{claim:?}");
                assert!(is_refuted(&check(query, &Claim::Intersects(!yes), &none)), "{claim:?}");
                count += 1;
            }
            Claim::Distance(honest) if honest.distance > 0.0 => {
                for by in [1e-9, -1e-9] {
                    assert!(is_refuted(&check(query, &Claim::Distance(shifted(honest, by)), &none)));
                }
                assert!(matches!(check(query, claim, &none), Verdict::Undecided(_)), "a distance needs evidence");
                count += 1;
            }
            _ => {}
        }
    });
    assert!(count > 40, "{count}");
}

#[test]
fn a_spoiled_ellipsoid_proves_no_depth() {
    let ellipsoid = |x: f64, y: f64, z: f64| Spec::Ellipsoid([x, y, z].into());
    let (cylinder, capsule) = (Spec::Cylinder(1.0, 2.0), Spec::Capsule(0.25, 1.0));
    let matrix = DMat3::from_cols([1.0, 0.1, 0.0].into(), [0.0, 1.0, 0.0].into(), [0.0, 0.0, 1.25].into());
    let image = Spec::Affine(Box::new(Spec::Rounded(Box::new(capsule.clone()), 0.5)), matrix);
    let pairs = [
        (ellipsoid(1.0, 2.0, 1.5), ellipsoid(1.0, 2.0, 1.5)),
        (ellipsoid(1.0, 1.0, 1.0 + 1e-6), ellipsoid(0.5, 0.75, 0.5)),
        (cylinder.clone(), capsule.clone()),
        (cylinder.clone(), cylinder),
        (image, ellipsoid(0.5, 0.75, 0.5)),
    ];
    let mut seen = 0;
    for (a, b) in pairs {
        let pose = Pose::new([1e-5, 2e-5, -1e-5], DQuat::from_rotation_x(1e-4));
        for (query, claim, evidence) in claims(&a, Pose::IDENTITY, &b, pose) {
            let (Claim::Distance(honest), Some(Upper::Ellipsoid { share, inner, .. })) = (&claim, &evidence.upper)
            else {
                continue;
            };
            seen += 1;
            let verdict = |share: f64, inner: &[InnerEllipsoid], upper: f64| {
                let ellipsoid = Upper::Ellipsoid { parts: [0; 2], share, inner: inner.to_vec() };
                let evidence = Evidence { upper: Some(ellipsoid), ..evidence.clone() };
                check(&query, &Claim::Bracket { lower: honest.lower, upper }, &evidence)
            };
            let is_undecided = |verdict: Verdict| matches!(verdict, Verdict::Undecided(_));
            assert_eq!(verdict(*share, inner, honest.upper), Verdict::Proved, "{query:?} {evidence:?}");
            // Not even by the width of the bracket.
            assert_ne!(verdict(*share, inner, honest.lower - 1e-12), Verdict::Proved);
            for other in [0.0, 1.0, 0.5 * share, -share, f64::NAN] {
                assert!(is_undecided(verdict(other, inner, honest.upper)), "{other}");
            }
            for k in 0..inner.len() {
                let mut fewer = inner.clone();
                fewer.remove(k);
                assert!(is_undecided(verdict(*share, &fewer, honest.upper)));
                let mut larger = inner.clone();
                larger[k].matrix = larger[k].matrix.map(|row| row.map(|x| 1.01 * x));
                larger[k].centre = larger[k].centre.map(|x| 1.01 * x);
                let is_tight = larger[k].matrix.iter().flatten().any(|x| x.abs() > 0.9);
                assert!(!is_tight || is_undecided(verdict(*share, &larger, honest.upper)), "length {k} of {inner:?}");
            }
        }
    }
    assert!(seen >= 3, "{seen}");
}
