//! The contract of an answer, for every pair of kinds of shape, whoever answers: apart, touching, shallow, deep and
//! concentric.
//!
//! * `point_b = point_a + distance * normal`, and both points are on the surfaces of their shapes;
//! * moving B by `-(distance ± eps) * normal` changes the intersection test;
//! * exchanging A and B, moving both, and another unit leave the answer;
//! * memory changes nothing where there is none to use, and nothing beyond the bracket elsewhere;
//! * a round shape and a fine hull inscribed in it differ by no more than the hull leaves out.

use crate::judge;
use crate::kinds::{Kind, bounded, half_space, rotation, vector};
use clearance::math::{DQuat, DVec3};
use clearance::{Axis, Clearance, Engine, HalfHeight, Pair, Pose, Radius, Shape, Status, distance, intersects, within};

/// Two kinds at their places.
struct Placed<'a> {
    what: String,
    a: &'a Kind,
    pose_a: Pose,
    b: &'a Kind,
    pose_b: Pose,
}

impl Placed<'_> {
    fn size(&self) -> f64 {
        self.a.size + self.b.size + (self.pose_b.translation() - self.pose_a.translation()).length()
    }

    fn ask(&self) -> Clearance {
        distance(&self.a.shape, self.pose_a, &self.b.shape, self.pose_b)
    }

    fn is_compound(&self) -> bool {
        [self.a, self.b].iter().any(|kind| matches!(kind.shape, Shape::Compound(_) | Shape::Mesh(_)))
    }

    /// B moved.
    fn shifted(&self, by: DVec3) -> Pose {
        Pose::new(self.pose_b.translation() + by, self.pose_b.rotation())
    }
}

/// The contract of every answer by itself; returns whether its bracket is closed.
fn check_answer(placed: &Placed<'_>, how: &str, c: &Clearance) -> bool {
    let what = format!("{}, {how}", placed.what);
    let fault = judge::fault(&placed.a.shape, placed.pose_a, &placed.b.shape, placed.pose_b, c);
    assert_eq!(fault, None, "{what}");
    assert!(c.lower.is_finite() && c.upper.is_finite(), "{what}: {c:?}");
    c.status == Status::Converged
}

/// How far the witnesses are from their shapes, as a part of the size: the worst that is outside, and inside.
fn stray(placed: &Placed<'_>, c: &Clearance) -> [f64; 2] {
    let off = |kind: &Kind, pose: Pose, point: DVec3| {
        let outside = (kind.outside)(pose.inverse_transform_vector(point - pose.translation()));
        // A part's surface may be inside another part.
        [outside, if matches!(kind.shape, Shape::Compound(_) | Shape::Mesh(_)) { 0.0 } else { -outside }]
    };
    let (a, b) = (off(placed.a, placed.pose_a, c.point_a), off(placed.b, placed.pose_b, c.point_b));
    [0, 1].map(|i| a[i].max(b[i]) / placed.size())
}

/// Counts of a run over the matrix.
#[derive(Default)]
struct Tally {
    answers: usize,
    open: usize,
    /// Answers with a witness that is not on its shape.
    strays: Vec<String>,
    /// Answers whose normal does not lead out.
    astray: Vec<String>,
}

/// Everything that must hold of one pair at one place.
fn check(placed: &Placed<'_>, rng: &mut fastrand::Rng, tally: &mut Tally) {
    let (a, b) = (&placed.a.shape, &placed.b.shape);
    let (what, pose_a, pose_b, size) = (&placed.what, placed.pose_a, placed.pose_b, placed.size());
    let c = placed.ask();
    let closed = check_answer(placed, "asked", &c);
    tally.answers += 1;
    tally.open += usize::from(!closed);
    let slack = 1e-13 * size;
    let meets = |other: &Clearance, slack: f64| other.lower <= c.upper + slack && c.lower <= other.upper + slack;

    // A point of a curved surface is known as well as a bracket of one is promised to be closed.
    let [outside, inside] = stray(placed, &c);
    if closed && (outside > 1e-10 || inside > 1e-10) {
        tally.strays.push(format!("{what}: outside by {outside:e} and inside by {inside:e} of the size: {c:?}"));
    }

    // The intersection test, and how it changes. At the surface itself either is right.
    let eps = 1e-9 * size;
    if c.distance.abs() > eps {
        assert_eq!(intersects(a, pose_a, b, pose_b), c.distance < 0.0, "{what}: {c:?}");
    }
    // Where the bracket of a compound is open only the deepest pair of parts is freed, and may be pushed into others.
    if c.distance > 0.0 || !placed.is_compound() || closed {
        let free = placed.shifted(-(c.lower - eps) * c.normal);
        if intersects(a, pose_a, b, free) {
            tally.astray.push(format!("{what}: {c:?}"));
        }
    }
    let into = placed.shifted(-(c.upper + eps) * c.normal);
    if c.distance < -2.0 * eps {
        assert!(!closed || intersects(a, pose_a, b, into), "{what}: {c:?}");
    } else {
        // Corners may pass each other.
        let past = distance(a, pose_a, b, into);
        assert!(past.lower <= 2.0 * eps, "{what}: {past:?} after {c:?}");
    }

    assert!(within(a, pose_a, b, pose_b, c.upper).is_some(), "{what}: {c:?}");
    if closed {
        assert!(within(a, pose_a, b, pose_b, c.lower - eps).is_none(), "{what}: {c:?}");
    }

    let swapped = distance(b, pose_b, a, pose_a).swapped();
    check_answer(placed, "swapped", &swapped);
    assert!(meets(&swapped, 0.0), "{what}: swapped {swapped:?} against {c:?}");

    let motion = Pose::new(vector(rng, 100.0), rotation(rng));
    let moved = distance(a, motion * pose_a, b, motion * pose_b);
    // The poses themselves are rounded by the motion.
    assert!(meets(&moved, 1e-13 * 100.0 + slack), "{what}: moved {moved:?} against {c:?}");

    let elsewhere = [(); 3].map(|()| vector(rng, 1.0));
    for (i, engine) in Engine::ALL.into_iter().enumerate() {
        let mut pair = Pair::new(a, b).engine(engine);
        let cold = pair.distance(pose_a, pose_b);
        let warm = pair.distance(pose_a, pose_b);
        pair.distance(pose_a, placed.shifted(elsewhere[i % 3]));
        let other = pair.distance(pose_a, pose_b);
        for (how, found) in [("cold", cold), ("warm", warm), ("after another", other)] {
            check_answer(placed, how, &found);
            assert!(meets(&found, 0.0), "{what}, {how} by {engine:?}: {found:?} against {c:?}");
        }
        if engine == Engine::Auto {
            assert_eq!(cold, c, "{what}: the one-shot query is a cold one");
            if has_closed_form(placed.a, placed.b) {
                assert_eq!((warm, other), (cold, cold), "{what}: a closed form has no memory");
            }
        }
    }
}

/// Is there a formula for the two kinds, without a search and without a memory?
fn has_closed_form(a: &Kind, b: &Kind) -> bool {
    let is = |kind: &Kind, names: &[&str]| names.contains(&kind.name);
    let round = ["point", "sphere"];
    let against = ["point", "sphere", "capsule", "segment", "cuboid", "rectangle"];
    let plane = is(a, &["half-space"]) && !is(b, &["compound"]) || is(b, &["half-space"]) && !is(a, &["compound"]);
    plane || is(a, &round) && is(b, &against) || is(b, &round) && is(a, &against)
}

/// Every kind against every kind, at places that `place` chooses.
fn over_the_matrix(
    seed: u64,
    what: &str,
    rounds: usize,
    place: impl Fn(&mut fastrand::Rng, &Kind, &Kind, usize) -> [Pose; 2],
) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut kinds = bounded(1.0);
    kinds.push(half_space(1.0));
    let mut tally = Tally::default();
    for a in &kinds {
        for b in &kinds {
            if a.name == "half-space" && b.name == "half-space" {
                continue; // Infinitely deep, or a case of its own: see contracts.rs.
            }
            for round in 0..rounds {
                let [pose_a, pose_b] = place(&mut rng, a, b, round);
                let what = format!("{} and {}, {what}, round {round}", a.name, b.name);
                check(&Placed { what, a, pose_a, b, pose_b }, &mut rng, &mut tally);
            }
        }
    }
    let Tally { answers, open, strays, astray } = tally;
    let counts = format!("{} witnesses and {} normals astray", strays.len(), astray.len());
    println!("{what}: {answers} answers, {open} open, {counts}");
    let first = [&strays[..strays.len().min(8)], &astray[..astray.len().min(8)]].concat();
    assert!(first.is_empty(), "{counts} of {answers}:\n{}", first.join("\n"));
}

fn anywhere(rng: &mut fastrand::Rng) -> Pose {
    Pose::new(vector(rng, 1.0), rotation(rng))
}

#[test]
fn apart() {
    over_the_matrix(1, "apart", 3, |rng, _, _, _| {
        let pose_a = anywhere(rng);
        // Half-spaces reach everywhere; against them this is any place.
        let far = vector(rng, 1.0).normalize() * (5.0 + 4.0 * rng.f64());
        [pose_a, Pose::new(pose_a.translation() + far, rotation(rng))]
    });
}

/// Poses at which the distance is this, by the answer to a query about other poses.
fn at_distance(rng: &mut fastrand::Rng, a: &Kind, b: &Kind, aim: f64) -> [Pose; 2] {
    let pose_a = anywhere(rng);
    let far = vector(rng, 1.0).normalize() * 6.0;
    let pose_b = Pose::new(pose_a.translation() + far, rotation(rng));
    let c = distance(&a.shape, pose_a, &b.shape, pose_b);
    [pose_a, Pose::new(pose_b.translation() + (aim - c.distance) * c.normal, pose_b.rotation())]
}

#[test]
fn touching() {
    over_the_matrix(2, "touching", 3, |rng, a, b, _| at_distance(rng, a, b, 0.0));
}

#[test]
fn shallow() {
    over_the_matrix(3, "shallow", 3, |rng, a, b, round| at_distance(rng, a, b, [-1e-6, -1e-3, -0.05][round]));
}

#[test]
fn deep() {
    over_the_matrix(4, "deep", 3, |rng, _, _, _| {
        let pose_a = anywhere(rng);
        [pose_a, Pose::new(pose_a.translation() + vector(rng, 0.25), rotation(rng))]
    });
}

#[test]
fn concentric() {
    let quarter = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    over_the_matrix(5, "concentric", 4, |rng, _, _, round| {
        let pose_a = if round == 0 { Pose::IDENTITY } else { anywhere(rng) };
        let turn = [DQuat::IDENTITY, pose_a.rotation(), pose_a.rotation() * quarter, rotation(rng)][round];
        [pose_a, Pose::new(pose_a.translation(), turn)]
    });
}

#[test]
fn another_unit() {
    let mut rng = fastrand::Rng::with_seed(6);
    for scale in [1e-3, 1e3] {
        for (a, big_a) in bounded(1.0).iter().zip(&bounded(scale)) {
            for (b, big_b) in bounded(1.0).iter().zip(&bounded(scale)) {
                for reach in [0.0, 1.0, 6.0] {
                    let (pose_a, turn) = (anywhere(&mut rng), rotation(&mut rng));
                    let pose_b = Pose::new(pose_a.translation() + reach * vector(&mut rng, 1.0), turn);
                    let scaled = |pose: Pose| Pose::new(pose.translation() * scale, pose.rotation());
                    let c = distance(&a.shape, pose_a, &b.shape, pose_b);
                    let big = distance(&big_a.shape, scaled(pose_a), &big_b.shape, scaled(pose_b));
                    // Sizes times a thousand are rounded.
                    let slack = 1e-14 * 10.0;
                    let fits = big.lower / scale <= c.upper + slack && c.lower <= big.upper / scale + slack;
                    assert!(fits, "{} and {} times {scale:e}: {big:?} against {c:?}", a.name, b.name);
                }
            }
        }
    }
}

/// Points on the unit sphere such that no direction is farther than the angle from one of them.
fn sphere_points() -> (Vec<DVec3>, f64) {
    let (rows, columns) = (24_u32, 48_u32);
    let step = std::f64::consts::PI / f64::from(rows);
    let mut points = vec![DVec3::Y, DVec3::NEG_Y];
    for row in 1..rows {
        for column in 0..columns {
            let (sin, cos) = (step * f64::from(row)).sin_cos();
            let (east, north) = (std::f64::consts::TAU * f64::from(column) / f64::from(columns)).sin_cos();
            points.push(DVec3::new(sin * east, cos, sin * north));
        }
    }
    // Half a step in each direction, and steps along a parallel are no longer than on the equator.
    (points, (0.5 * step).hypot(std::f64::consts::PI / f64::from(columns)))
}

/// A round shape, a hull inscribed in it, and how much the hull leaves out.
fn tessellated() -> Vec<(&'static str, Shape, Shape, f64)> {
    let (sphere, angle) = sphere_points();
    let lost = 1.0 - angle.cos();
    let hull = |points: Vec<DVec3>| Shape::hull(&points).unwrap();
    let sides = 240;
    let ring = |r: f64, y: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(sides)).sin_cos();
            DVec3::new(r * sin, y, r * cos)
        })
    };
    let sagitta = 1.0 - (std::f64::consts::PI / f64::from(sides)).cos();
    let radii = DVec3::new(0.5, 1.0, 0.75);
    let capsule = sphere.iter().flat_map(|&p| [p * 0.25 + DVec3::Y, p * 0.25 - DVec3::Y]).collect();
    vec![
        ("sphere", Shape::sphere(0.75).unwrap(), hull(sphere.iter().map(|&p| p * 0.75).collect()), 0.75 * lost),
        // A linear map stretches what is left out by at most its largest factor.
        ("ellipsoid", Shape::ellipsoid(radii).unwrap(), hull(sphere.iter().map(|&p| p * radii).collect()), lost),
        ("capsule", Shape::capsule(Axis::Y, Radius(0.25), HalfHeight(1.0)).unwrap(), hull(capsule), 0.25 * lost),
        (
            "cylinder",
            Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.75)).unwrap(),
            hull(ring(0.5, 0.75).chain(ring(0.5, -0.75)).collect()),
            0.5 * sagitta,
        ),
        (
            "cone",
            Shape::cone(Axis::Y, Radius(0.75), HalfHeight(0.5)).unwrap(),
            hull(ring(0.75, -0.5).chain([DVec3::Y * 0.5]).collect()),
            0.75 * sagitta,
        ),
    ]
}

#[test]
fn a_round_shape_and_the_fine_hull_inside_it_agree_to_what_the_hull_leaves_out() {
    let mut rng = fastrand::Rng::with_seed(7);
    for (name, round, hull, lost) in tessellated() {
        for other in bounded(1.0).iter().chain([&half_space(1.0)]) {
            for reach in [0.0, 0.5, 2.0, 6.0] {
                let (pose, at) = (anywhere(&mut rng), anywhere(&mut rng));
                let at = Pose::new(pose.translation() + reach * at.translation(), at.rotation());
                let smooth = distance(&round, pose, &other.shape, at);
                let fine = distance(&hull, pose, &other.shape, at);
                let what = format!("{name} and {} at {reach}: {smooth:?}, hull {fine:?}", other.name);
                // The heights of the two differ by 0 to `lost` in every direction, and so do their distances.
                assert!(smooth.lower <= fine.upper + 1e-13, "{what}: the hull is inside");
                assert!(fine.lower <= smooth.upper + lost + 1e-13, "{what}: more than {lost:e} left out");
            }
        }
    }
}
