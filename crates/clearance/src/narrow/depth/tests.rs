//! The engine against a search through all directions that can matter: the minimum of h(n) over the normals of the faces
//! of A and of B and over the cross products of their edges is the depth, because every facet of A - B has one of them.

use crate::math::{Frame, Pose};
use crate::narrow::gjk::{self, Cache};
use crate::shape::{Convex, Polytope};
use glam::{DQuat, DVec3};

fn hull(points: &[DVec3]) -> Polytope {
    crate::hull::convex_hull(points).expect("points are finite")
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
fn random_hulls_have_the_depth_of_the_best_direction() {
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
            let out = gjk::distance(&a, &b, &frame, &mut Cache::default());
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
