//! The library's own answers, with the library's own evidence, before the exact checker: none is refuted, and nearly all
//! are proved.
//!
//! `PAIRS` in the environment sets how many pairs of each kind are drawn.

mod common;

use clearance::math::{DMat3, DQuat};
use clearance::{Pose, Shape};
use clearance_lab::pairs::{self, Case};
use clearance_lab::{Rng, random};
use common::{Judged, judge};

fn count(default: usize) -> usize {
    std::env::var("PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// One of every kind of bounded convex shape, of about unit size, and some that are flat or nested.
fn shapes() -> Vec<(&'static str, Shape)> {
    let cone = Shape::cone(0.6, 0.7).unwrap();
    let capsule = Shape::capsule(0.3, 0.6).unwrap();
    let cuboid = Shape::cuboid([0.5, 0.4, 0.7]).unwrap();
    let shear = DMat3::from_cols([1.1, 0.1, 0.0].into(), [0.3, 0.8, -0.2].into(), [0.0, 0.25, 0.9].into());
    let hull = |rng: &mut Rng| Shape::hull(&clearance_lab::models::random_hull(rng, 24)).unwrap();
    vec![
        ("point", Shape::point()),
        ("sphere", Shape::sphere(0.8).unwrap()),
        ("cuboid", cuboid.clone()),
        ("flat cuboid", Shape::cuboid([0.8, 0.0, 0.5]).unwrap()),
        ("segment", Shape::segment([0.1, -0.7, 0.2], [-0.3, 0.5, 0.4]).unwrap()),
        ("capsule", capsule.clone()),
        ("triangle", Shape::triangle([0.7, 0.1, 0.0], [-0.3, 0.6, 0.2], [-0.4, -0.5, -0.3]).unwrap()),
        ("cylinder", Shape::cylinder(0.5, 0.7).unwrap()),
        ("cone", cone.clone()),
        ("ellipsoid", Shape::ellipsoid([0.9, 0.5, 0.7]).unwrap()),
        ("hull", hull(&mut Rng::with_seed(1))),
        ("affine cone", Shape::affine(&cone, shear).unwrap()),
        ("affine capsule", Shape::affine(&capsule, shear).unwrap()),
        ("affine cuboid", Shape::affine(&cuboid, shear).unwrap()),
        ("rounded cuboid", Shape::rounded(&cuboid, 0.1).unwrap()),
        ("rounded cone", Shape::rounded(&cone, 0.1).unwrap()),
        ("rounded capsule", Shape::rounded(&capsule, 0.1).unwrap()),
        ("half-space", Shape::half_space([0.3, -0.5, 0.8], 0.2).unwrap()),
        (
            "compound",
            Shape::compound([
                (cuboid.clone(), Pose::new([0.4, 0.0, 0.1], DQuat::from_xyzw(0.1, 0.2, -0.1, 0.9))),
                (Shape::sphere(0.4).unwrap(), Pose::from_translation([-0.5, 0.2, 0.0])),
                (hull(&mut Rng::with_seed(2)), Pose::new([0.0, -0.9, 0.3], DQuat::from_xyzw(0.4, 0.1, 0.1, 0.8))),
            ])
            .unwrap(),
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
    // Nothing is wrong, and nearly nothing is left open: overlaps of curved shapes that are as deep in all directions.
    judged.require(20);
}

fn shape(points: &[clearance::math::DVec3]) -> Shape {
    Shape::hull(points).unwrap()
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
            judge(&mut judged, &what, &shape(&points_a), pose_a, &shape(&points_b), pose_b);
        }
    }
    // What is left open are pairs said to touch, turned, whose exact gap is too small for doubles.
    judged.require(judged.proved / 100);
    assert!(judged.undecided.iter().all(|line| line.starts_with("they are apart, but by less than doubles can see")));
}
