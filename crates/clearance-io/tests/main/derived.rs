//! Shapes made of shapes: the checker resolves what was written in exact arithmetic, so a rounding that the library made when
//! it built a shape is seen.
//!
//! Truths are computed here with whole numbers: rotations of Pythagorean triples, matrices of whole numbers.

use crate::common::{claims, claims_about};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_io::proof::{Written, written_pose};
use clearance_lab::{Rng, Spec};
use clearance_verify as verify;
use clearance_verify::{Claim, Cover, Evidence, Lower, Member, Query, Upper, Verdict, check};
use std::sync::Arc;

fn points(a: Member, b: Member) -> Evidence {
    Evidence {
        lower: Some(Lower::along([1.0, 0.0, 0.0])),
        upper: Some(Upper::Points { parts: [0; 2], a, b }),
        ..Evidence::default()
    }
}

#[test]
fn the_rounded_image_of_a_half_space_is_refuted() {
    // x + y <= 1 under a matrix that is all but singular is y <= 1 in the new x: the point (3, 0, 0) is 2 away.
    let half_space = verify::Shape::HalfSpace { normal: [1.0, 1.0, 0.0], offset: 1.0 };
    let matrix = [[1.0, 1.0, 0.0], [1.0, 1.0 + f64::EPSILON, 0.0], [0.0, 0.0, 1.0]];
    let a = verify::Shape::Affine { shape: Box::new(half_space.clone()), matrix };
    let pose_b = verify::Pose { translation: [3.0, 0.0, 0.0], ..verify::Pose::IDENTITY };
    let query = Query { a, pose_a: verify::Pose::IDENTITY, b: verify::Shape::Point {}, pose_b };
    let evidence = points(Member::Plane {}, Member::Vertex(0));
    let bracket = |lower: f64, upper: f64| check(&query, &Claim::Bracket { lower, upper }, &evidence);
    assert!(matches!(bracket(1.585_786_437_626_87, 1.585_786_437_626_94), Verdict::Refuted(_)));
    assert_eq!(bracket(2.0, 2.0), Verdict::Proved);
    for off in [2.0_f64.next_up(), 2.0_f64.next_down()] {
        assert!(matches!(bracket(off, off), Verdict::Refuted(_)));
    }
    // Rounded before and after: the first radius is stretched with the space, the second is not. |(1, 1, 0)| = √2.
    let round = |shape: verify::Shape, radius: f64| verify::Shape::Rounded { shape: Box::new(shape), radius };
    let stretched = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, -3.0]];
    let image = verify::Shape::Affine { shape: Box::new(round(half_space, 0.5)), matrix: stretched };
    // x + y <= 1 + √2/2 becomes x + y <= 2 + √2, then 2 + 1.25 √2; the point (3, 3, 0) is (4 - 1.25 √2) / √2 away.
    let pose_b = verify::Pose { translation: [3.0, 3.0, 0.0], ..verify::Pose::IDENTITY };
    let query = Query { a: round(image, 0.25), pose_b, ..query };
    let truth = 4.0 / 2.0_f64.sqrt() - 1.25;
    let bracket = |lower: f64, upper: f64| check(&query, &Claim::Bracket { lower, upper }, &evidence);
    assert_eq!(bracket(truth - 1e-15, truth + 1e-15), Verdict::Proved);
    assert!(matches!(bracket(truth + 1e-14, truth + 2e-14), Verdict::Refuted(_)));
    // A matrix without an inverse leaves no half-space.
    let flat = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let a = verify::Shape::Affine { shape: Box::new(query.a.clone()), matrix: flat };
    let verdict = check(&Query { a, ..query.clone() }, &Claim::Bracket { lower: 0.0, upper: 9.0 }, &evidence);
    assert!(matches!(verdict, Verdict::Undecided(reason) if reason.contains("without an inverse")));
}

#[test]
fn compounds_in_compounds_are_put_together_exactly() {
    // Out by 1000, turned by the triangle 3-4-5 doubled (cos = 7/25, sin = 24/25), brought back, turned back.
    let ball = verify::Shape::Sphere { radius: 1.0 };
    let there = verify::Pose { translation: [1000.0, 0.0, 0.0], rotation: [0.0, 0.0, -3.0, 4.0] };
    let back = verify::Pose { translation: [-280.0, -960.0, 0.0], rotation: [0.0, 0.0, 3.0, 4.0] };
    let decoy = verify::Part {
        shape: ball.clone(),
        pose: verify::Pose { translation: [0.0, 90.0, 0.0], ..verify::Pose::IDENTITY },
    };
    let inner = verify::Shape::Compound(vec![decoy.clone(), verify::Part { shape: ball.clone(), pose: there }]);
    let a = verify::Shape::Compound(vec![decoy.clone(), verify::Part { shape: inner, pose: back }, decoy]);
    let pose_b = verify::Pose { translation: [4.0, 0.0, 0.0], ..verify::Pose::IDENTITY };
    let query = Query { a, pose_a: verify::Pose::IDENTITY, b: ball, pose_b };
    // The ball at the origin is the third part, counted depth first. The decoys are beside and far away.
    let upper = |part: u32| Upper::Points { parts: [part, 0], a: Member::Vertex(0), b: Member::Vertex(0) };
    let aside = Cover::Along([4.0, -90.0, 0.0]);
    let near = Cover::Along([1.0, 0.0, 0.0]);
    let cover = vec![Cover::SplitA(1), aside, Cover::SplitA(3), near, aside];
    let with = |part: u32| Evidence {
        lower: Some(Lower { cover: cover.clone(), ..Lower::default() }),
        upper: Some(upper(part)),
        ..Evidence::default()
    };
    let bracket = |lower: f64, upper: f64| check(&query, &Claim::Bracket { lower, upper }, &with(2));
    assert_eq!(bracket(2.0, 2.0), Verdict::Proved);
    for off in [2.0_f64.next_up(), 2.0_f64.next_down()] {
        assert!(matches!(bracket(off, off), Verdict::Refuted(_)));
    }
    let verdict = check(&query, &Claim::Bracket { lower: 2.0, upper: 2.0 }, &with(0));
    assert_ne!(verdict, Verdict::Proved, "the first part is 90 away");
}

/// The library's answer about a pair whose distance is known to that error: an answer that leaves the truth out is refuted, and one that
/// holds it is not.
fn compare(shapes: [&Shape; 2], pose_b: Pose, written: &Written, truth: f64, error: f64) -> Option<bool> {
    let (query, claim, evidence) = claims_about(shapes, [Pose::IDENTITY, pose_b], written).remove(0);
    let Claim::Distance(distance) = &claim else { panic!("{claim:?}") };
    let verdict = check(&query, &claim, &evidence);
    let holds = distance.lower <= truth - error && truth + error <= distance.upper;
    let fails = distance.lower > truth + error || truth - error > distance.upper;
    if fails {
        assert!(
            matches!(verdict, Verdict::Refuted(_)),
            "{truth:e} is outside, but {verdict:?}: {claim:?} of {query:?}"
        );
        return Some(false);
    }
    if holds {
        assert!(!matches!(verdict, Verdict::Refuted(_)), "{truth:e} is inside: {verdict:?}: {claim:?} of {query:?}");
        return Some(true);
    }
    None
}

/// The query about a shape at the origin and another that is only moved.
fn written(a: verify::Shape, b: verify::Shape, pose_b: Pose) -> Written {
    let (a, b) = (Arc::new(a), Arc::new(b));
    Written { a, pose_a: verify::Pose::IDENTITY, b, pose_b: written_pose(&pose_b) }
}

/// A rotation about an axis by a whole triangle, and its cosine and sine as fractions.
fn turn(rng: &mut Rng) -> (DQuat, [i64; 3]) {
    // The quaternion (0, 0, m, n) turns by the angle with cosine (n² - m²) / (n² + m²).
    let (m, n) = (rng.i64(-9..=9), rng.i64(1..=9));
    (DQuat::from_xyzw(0.0, 0.0, m as f64, n as f64), [n * n - m * m, 2 * m * n, n * n + m * m])
}

#[test]
fn what_the_library_says_about_nested_compounds_is_judged_by_the_truth() {
    let mut rng = Rng::with_seed(1211);
    let mut counts = [0; 2];
    for _ in 0..400 {
        // Where the innermost part is, as a fraction: over the product of all denominators.
        let (mut at, mut divisor) = ([0_i128; 3], 1_i128);
        let (mut shape, mut as_written) = (Shape::sphere(0.5).unwrap(), verify::Shape::Sphere { radius: 0.5 });
        for level in 0..rng.usize(2..=3) {
            let (rotation, [cos, sin, over]) = turn(&mut rng);
            let far = if level == 0 { 1000 } else { 1 };
            let [x, y, z] = at;
            let (cos, sin, over) = (i128::from(cos), i128::from(sin), i128::from(over));
            at = [cos * x - sin * y, sin * x + cos * y, over * z];
            divisor *= over;
            // Out at first; then back to where it came from, about.
            let step = match level {
                0 => [(); 3].map(|()| rng.i32(-far..=far)),
                _ => at.map(|x| -((x / divisor) as i32) + rng.i32(-1..=1)),
            };
            let translation = step.map(f64::from);
            at = std::array::from_fn(|i| at[i] + i128::from(step[i]) * divisor);
            // The library makes a unit of the quaternion, which rounds; the checker takes it as it is.
            shape = Shape::compound([(shape, Pose::new(translation, rotation))]).unwrap();
            let pose = verify::Pose { translation, rotation: rotation.to_array() };
            as_written = verify::Shape::Compound(vec![verify::Part { shape: as_written, pose }]);
        }
        let away = [(); 3].map(|()| rng.i32(-3..=3));
        let between: [i128; 3] = std::array::from_fn(|i| i128::from(away[i]) * divisor - at[i]);
        let square: i128 = between.iter().map(|x| x * x).sum();
        let truth = (square as f64).sqrt() / divisor as f64 - 0.75;
        let pose_b = Pose::from_translation(away.map(f64::from));
        let written = written(as_written, verify::Shape::Sphere { radius: 0.25 }, pose_b);
        let shapes = [&shape, &Shape::sphere(0.25).unwrap()];
        if let Some(holds) = compare(shapes, pose_b, &written, truth, 4e-15) {
            counts[usize::from(holds)] += 1;
        }
    }
    println!("nested compounds: the truth is outside of {} brackets, inside of {}", counts[0], counts[1]);
    assert!(counts[0] == 0 && counts[1] > 300, "{counts:?}");
}

#[test]
fn what_the_library_says_about_images_of_half_spaces_is_judged_by_the_truth() {
    let mut rng = Rng::with_seed(1212);
    let mut counts = [0; 2];
    for _ in 0..400 {
        // Whole rows, the last almost in the plane of the others: the determinant is small beside the cofactors.
        let mut row = |most: i128| [(); 3].map(|()| i128::from(rng.i64(-(most as i64)..=most as i64)));
        let ([x, y], near) = ([row(300_000_000), row(300_000_000)], row(1000));
        let rows = [x, y, std::array::from_fn(|i| x[i] + y[i] + near[i])];
        let normal = row(5);
        let at = row(20);
        let cross = |a: [i128; 3], b: [i128; 3]| -> [i128; 3] {
            std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
        };
        let dot = |a: [i128; 3], b: [i128; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i128>();
        let cofactors = [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])];
        let determinant = dot(rows[0], cofactors[0]);
        let image = cofactors.map(|row| determinant.signum() * dot(row, normal));
        let (offset, radius) = (rng.i32(-4..=4), f64::from(rng.i32(0..=1)) * 0.5);
        // ± C n · y - |det| (d + r |n|), over the length of C n.
        let height = dot(image, at) - determinant.abs() * i128::from(offset);
        let real = |v: [i128; 3]| DVec3::from_array(v.map(|x| x as f64));
        let lift = determinant.abs() as f64 * radius * real(normal).length();
        let truth = (height as f64 - lift) / real(image).length();
        let error = 1e-15 * (height as f64).abs().max(lift) / real(image).length();
        let point = real(at);
        let plane = Spec::HalfSpace(real(normal), f64::from(offset));
        let plane = if radius > 0.0 { Spec::Rounded(Box::new(plane), radius) } else { plane };
        let matrix = DMat3::from_cols(real(rows[0]), real(rows[1]), real(rows[2])).transpose();
        let shape = Spec::Affine(Box::new(plane), matrix);
        let Ok(built) = shape.try_build() else { continue };
        let pose_b = Pose::from_translation(point);
        let written = written(shape.written(), verify::Shape::Point {}, pose_b);
        if let Some(holds) = compare([&built, &Shape::point()], pose_b, &written, truth, error) {
            counts[usize::from(holds)] += 1;
        }
    }
    println!("images of half-spaces: the truth is outside of {} brackets, inside of {}", counts[0], counts[1]);
    assert!(counts[0] == 0 && counts[1] > 200, "{counts:?}");
}

#[test]
fn hulls_are_named_by_the_points_that_were_written() {
    // Points inside and twice: the vertices are the third and later, and the evidence says so.
    let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -1.0, -1.0]].map(DVec3::from_array);
    let inside = [DVec3::ZERO, DVec3::splat(0.1), corners[0] * 0.5];
    let written: Vec<DVec3> = inside.iter().chain(&corners).chain(&corners).copied().collect();
    let (hull, ball) = (Spec::Hull(written), Spec::Sphere(0.5));
    let far = Pose::from_translation([4.0, 0.0, 0.0]);
    for (query, claim, evidence) in claims(&hull, Pose::IDENTITY, &ball, far) {
        let verify::Shape::Hull { points } = &query.a else { panic!("{query:?}") };
        assert_eq!(points.len(), 11);
        assert_eq!(check(&query, &claim, &evidence), Verdict::Proved, "{claim:?}");
        if let Claim::Distance(distance) = claim {
            assert_eq!(distance.features[0], verify::Feature::Vertex(3));
        }
    }
}
