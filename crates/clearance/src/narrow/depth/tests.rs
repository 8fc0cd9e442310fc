//! The engine against a search through all directions that can matter. The minimum of h(n) over the normals of the faces of A and of B and
//! over the cross products of their edges is the depth, because every facet of A - B has one of them.

use crate::math::{Frame, Pose};
use crate::narrow::gjk::{self, WarmSimplex};
use crate::pair::{Status, distance};
use crate::shape::{Axis, Convex, HalfHeight, Polytope, Radius, Shape};
use glam::{DMat3, DQuat, DVec3};

fn hull(points: &[DVec3]) -> Polytope {
    crate::shape::polytope::convex_hull(points).expect("points are finite")
}

fn direction(rng: &mut fastrand::Rng) -> DVec3 {
    loop {
        let v = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        if v.length() > 0.1 && v.length() < 1.0 {
            return v.normalize();
        }
    }
}

fn all_directions(a: &Polytope, b: &Polytope, frame: &Frame) -> f64 {
    let height = |n: DVec3| {
        let n = n.normalize();
        let (top, bottom) = (a.support(n).dot(n), frame.point(b.support(frame.direction_in_b(-n))).dot(n));
        top - bottom
    };
    let mut best = f64::INFINITY;
    for f in 0..a.face_count() as u32 {
        best = best.min(height(a.face(f).normal));
    }
    for f in 0..b.face_count() as u32 {
        best = best.min(height(-(frame.rotation * b.face(f).normal)));
    }
    for e in 0..a.edge_count() as u32 {
        for g in 0..b.edge_count() as u32 {
            let cross = a.edge_direction(e).cross(frame.rotation * b.edge_direction(g));
            if cross.length() > 1e-9 {
                best = best.min(height(cross)).min(height(-cross));
            }
        }
    }
    best
}

#[test]
fn slow_random_hulls_have_the_depth_of_the_best_direction() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut rounds = 0;
    for n in [4, 6, 12, 30, 60] {
        for _ in 0..40 {
            let [a, b] = [(); 2].map(|()| {
                let points: Vec<_> = (0..n).map(|_| direction(&mut rng) * DVec3::new(1.0, 1.4, 0.6)).collect();
                hull(&points)
            });
            let pose = Pose::new(
                direction(&mut rng) * 0.6 * rng.f64(),
                DQuat::from_axis_angle(direction(&mut rng), 3.0 * rng.f64()),
            );
            let frame = Frame::relative(&Pose::IDENTITY, &pose);
            let out = gjk::distance(&a, &b, &frame, &mut WarmSimplex::default());
            if out.distance >= 0.0 {
                continue;
            }
            let truth = -all_directions(&a, &b, &frame);
            assert!((out.distance - truth).abs() < 1e-13, "{} {truth} {out:?}", out.distance);
            assert!(out.lower <= truth + 1e-15 && truth - 1e-15 <= out.upper && out.closed, "{truth} {out:?}");
            rounds += out.cost.iterations;
            // Both witnesses are on their shapes: no farther along any of many directions than the shapes are.
            let point_b = frame.inverse().point(out.point_b);
            for _ in 0..50 {
                let n = direction(&mut rng);
                assert!(out.point_a.dot(n) <= a.support(n).dot(n) + 1e-13);
                assert!(point_b.dot(n) <= b.support(n).dot(n) + 1e-13);
            }
        }
    }
    println!("{rounds} rounds");
}

/// How far B has to move along n to be clear of A.
fn height(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, n: DVec3) -> f64 {
    let (core_a, core_b) = (a.convex().expect("convex"), b.convex().expect("convex"));
    let top = pose_a.transform_point(core_a.support(pose_a.inverse_transform_vector(n))).dot(n) + core_a.radius();
    let bottom = pose_b.transform_point(core_b.support(pose_b.inverse_transform_vector(-n))).dot(n) - core_b.radius();
    top - bottom
}

/// No walk downhill is longer.
const MOST_STEPS: u32 = 150;

/// The least height along any direction, by brute force: directions all over the sphere, and from the best of them downhill
/// in ever smaller steps. Never too small; in a narrow valley it may get stuck early.
fn downhill(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> f64 {
    let height = |n: DVec3| height(a, pose_a, b, pose_b, n);
    let count = 1000;
    let mut starts: Vec<(f64, DVec3)> = (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
            let (sin, cos) = (f64::from(i) * 2.399_963_229_728_653).sin_cos();
            let r = (1.0 - z * z).sqrt();
            let n = DVec3::new(r * cos, r * sin, z);
            (height(n), n)
        })
        .collect();
    starts.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut least = f64::INFINITY;
    for &(mut best, mut n) in &starts[..4] {
        let (mut step, mut turn) = (0.05, 0.0);
        // Along a valley without an end it could go on for long.
        for _ in 0..MOST_STEPS {
            if step <= 1e-6 {
                break;
            }
            // Turned every time: where h has a kink, only directions along it lead on.
            turn += 0.1;
            let (x, y) = n.any_orthonormal_pair();
            let around = (0..32).map(|i| {
                let (sin, cos) = (turn + f64::from(i) * std::f64::consts::PI / 16.0).sin_cos();
                (n + (x * cos + y * sin) * step).normalize()
            });
            let better = around.map(|n| (height(n), n)).min_by(|p, q| p.0.total_cmp(&q.0)).expect("some");
            if better.0 < best - 1e-13 { (best, n) = better } else { step *= 0.5 }
        }
        least = least.min(best);
    }
    least
}

/// One shape of every bounded kind, and some that are flat.
fn zoo() -> Vec<Shape> {
    let ellipsoid = Shape::ellipsoid([0.4, 0.7, 1.0]).expect("sizes are fine");
    let cylinder = Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.8)).expect("sizes are fine");
    let shear = DMat3::from_cols(DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.3, 0.8, -0.1), DVec3::new(0.0, 0.1, 1.3));
    let all = [
        Shape::sphere(0.6),
        Shape::cuboid([0.4, 0.6, 0.9]),
        Shape::capsule(Axis::Y, Radius(0.3), HalfHeight(0.7)),
        Shape::cone(Axis::Y, Radius(0.7), HalfHeight(0.6)),
        Shape::cylinder(Axis::Y, Radius(0.9), HalfHeight(0.1)),
        Shape::ellipsoid([0.5, 0.5, 0.9]),
        Shape::ellipsoid([0.8, 0.0, 0.6]),
        Shape::triangle([0.9, 0.0, 0.0], [-0.5, 0.7, 0.1], [-0.3, -0.6, 0.2]),
        Shape::segment([0.1, -0.8, 0.0], [0.0, 0.7, 0.3]),
        Shape::hull(&[[0.9, 0.0, 0.0], [-0.4, 0.8, 0.1], [-0.5, -0.6, 0.3], [0.0, 0.1, 0.9], [0.2, 0.0, -0.7]]),
        Shape::affine(&ellipsoid, shear),
        Shape::affine(&cylinder, shear),
        Shape::affine(&Shape::capsule(Axis::Y, Radius(0.3), HalfHeight(0.5)).expect("sizes are fine"), shear),
        Shape::rounded(&cylinder, 0.2),
        Ok(ellipsoid),
        Ok(cylinder),
    ];
    all.into_iter().map(|shape| shape.expect("sizes are fine")).collect()
}

#[test]
fn no_direction_is_better_than_the_bracket_of_any_two_kinds() {
    let mut rng = fastrand::Rng::with_seed(2);
    let shapes = zoo();
    let (mut asked, mut open) = (0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            for _ in 0..2 {
                let mut pose = |reach: f64| {
                    let turn = DQuat::from_axis_angle(direction(&mut rng), 3.0 * rng.f64());
                    Pose::new(direction(&mut rng) * reach * rng.f64(), turn)
                };
                let (pose_a, pose_b) = (pose(0.3), pose(0.3));
                let c = distance(a, pose_a, b, pose_b);
                if c.distance >= 0.0 {
                    continue;
                }
                asked += 1;
                let truth = -downhill(a, pose_a, b, pose_b);
                let what = format!("{} {} {truth} {c:?}", a.kind(), b.kind());
                // A direction that the search has found refutes an upper end that is lower.
                assert!(truth <= c.upper + 1e-14, "{what}");
                // And its own direction proves the other end, as far as a normal between close cores has digits.
                let own = -height(a, pose_a, b, pose_b, c.normal);
                assert!((c.distance - own).abs() < 1e-12 && c.lower <= own + 1e-12, "{own} {what}");
                open += u32::from(c.status != Status::Converged);
                assert!(c.upper - c.lower < 1e-10 || c.status != Status::Converged, "{what}");
            }
        }
    }
    assert!(asked > 180, "{asked}");
    assert_eq!(open, 0, "of {asked}");
}

#[test]
fn slow_coaxial_pairs_close_and_tilted_ones_keep_the_truth() {
    let all = [
        (
            Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(0.5)),
            Shape::capsule(Axis::Y, Radius(0.1), HalfHeight(0.5)),
            1.1,
        ),
        (
            Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(1.0)),
            Shape::cylinder(Axis::Y, Radius(1.0), HalfHeight(1.0)),
            2.0,
        ),
        (Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(2.0)), Shape::sphere(0.75), 1.25),
        (Shape::ellipsoid([1.0, 3.0, 1.0]), Shape::ellipsoid([0.5, 0.6, 0.5]), 1.5),
        (Shape::ellipsoid([2.0, 2.0, 2.0]), Shape::ellipsoid([2.0, 2.0, 2.0]), 4.0),
        // The height of a right triangle of sides 5 and 12 over its third is 60/13; here it is between two parallel sides.
        (
            Shape::cone(Axis::Y, Radius(5.0), HalfHeight(6.0)),
            Shape::cone(Axis::Y, Radius(5.0), HalfHeight(6.0)),
            120.0 / 13.0,
        ),
    ];
    let turn = DQuat::from_axis_angle(DVec3::new(2.0, -3.0, 6.0) / 7.0, 1.0);
    for (a, b, depth) in all {
        let (a, b) = (a.expect("sizes are fine"), b.expect("sizes are fine"));
        for tilt in [0.0, 1e-16, 1e-14, 1e-9, 1e-6, 1e-3] {
            let pose_a = Pose::new([3.0, -2.0, 5.0], turn);
            let pose_b = Pose::new([3.0, -2.0, 5.0], turn * DQuat::from_rotation_x(tilt));
            let c = distance(&a, pose_a, &b, pose_b);
            let what = format!("{} {} {tilt:e} {c:?}", a.kind(), b.kind());
            // No point moves by more than the tilt times its distance from the middle.
            let slack = 13.0 * tilt + 1e-13;
            assert!(c.lower <= -depth + slack && -depth - slack <= c.upper, "{what}");
            assert!((c.distance + depth).abs() <= slack + 1e-6, "{what}");
            assert!(-downhill(&a, pose_a, &b, pose_b) <= c.upper + 1e-14, "{what}");
            if tilt <= 1e-14 {
                assert!(c.status == Status::Converged && c.upper - c.lower < 1e-10, "{what}");
            }
        }
    }
}

/// The tip of an ellipsoid in the flat face of a disc that is tilted a little: the soak found a bracket without width.
#[test]
fn a_tip_in_a_tilted_face_keeps_its_bracket() {
    let a = crate::Shape::ellipsoid([0.25, 0.7483659129064548, 0.25]).unwrap();
    let b = crate::Shape::rounded(
        &crate::Shape::cylinder(crate::Axis::Y, crate::Radius(0.5), crate::HalfHeight(0.125)).unwrap(),
        0.09375,
    )
    .unwrap();
    let turn = glam::DQuat::from_xyzw(
        0.00023204537572997947,
        0.0001109674806328545,
        -6.503525336845382e-5,
        0.9999999648057882,
    );
    let pose_b = crate::Pose::new([0.0, 0.12590993516105042, 0.0], turn);
    let found = crate::distance(&a, crate::Pose::IDENTITY, &b, pose_b);
    // Along the axis of the disc: a direction is a lower bound of the signed distance.
    let n = pose_b.transform_vector(DVec3::Y);
    let height =
        (DVec3::new(0.25, 0.7483659129064548, 0.25) * n).length() - pose_b.translation().dot(n) + 0.125 + 0.09375;
    assert!(found.lower <= -height + 1e-15 && -height <= found.upper, "{height} {found:?}");
    assert!(found.upper - found.lower > 1e-15, "{found:?}");
}
