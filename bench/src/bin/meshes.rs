//! Two meshes beside parry's `TriMesh`, in one process: intersection tests and distances at random poses.
//!
//! `cargo bench-meshes` prints microseconds per query and the ratio, and how long building took. Poses are drawn so that the boxes of
//! the bodies meet; both answer the same queries, and must agree.

use clearance::Pose;
use clearance::math::{DVec3, Frame};
use clearance::narrow::meshes;
use clearance::shape::Mesh;
use clearance_lab::Rng;
use clearance_lab::meshes::{Model, torus};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::TriMesh;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let queries: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    println!(
        "{:<14} {:>9} | {:>9} {:>9} {:>6} | {:>9} {:>10} {:>6} | {:>9} {:>9}",
        "us", "triangles", "meet", "parry", "ratio", "distance", "parry", "ratio", "build ms", "parry ms"
    );
    let models = [("torus", torus(50, 20, 2.0, 0.6)), ("torus 70k", torus(350, 100, 2.0, 0.6))];
    for (name, Model { vertices, triangles }) in models {
        let start = Instant::now();
        let mesh = Mesh::new(&vertices, &triangles).expect("a mesh");
        let build = start.elapsed();
        let points: Vec<Vector> = vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        let start = Instant::now();
        let other = TriMesh::new(points, triangles.clone()).expect("a mesh");
        let other_build = start.elapsed();
        let mut rng = Rng::with_seed(6);
        let poses: Vec<Pose> = (0..queries).map(|_| pose(&mut rng)).collect();
        let frames: Vec<Frame> = poses.iter().map(|pose| Frame::relative(&Pose::IDENTITY, pose)).collect();
        let theirs: Vec<ParryPose> = poses.iter().map(parry_pose).collect();
        let few = if triangles.len() > 10_000 { queries.min(4) } else { queries.min(40) };
        let (meet, found) = timed(queries, |i| meshes::intersects(&mesh, &mesh, &frames[i]));
        let (parry_meet, parry_found) = timed(queries, |i| {
            query::intersection_test(&ParryPose::IDENTITY, &other, &theirs[i], &other).expect("supported").intersecting
        });
        let differ = found.iter().zip(&parry_found).filter(|(a, b)| a != b).count();
        let (far, gaps) = timed(queries, |i| {
            meshes::distance(&mesh, &mesh, &frames[i], f64::INFINITY, None)
                .map_or(f64::INFINITY, |found| found.distance)
        });
        let (parry_far, parry_gaps) = timed(few, |i| {
            query::distance(&ParryPose::IDENTITY, &other, &theirs[i], &other).expect("supported").distance
        });
        let worst = gaps.iter().zip(&parry_gaps).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!(
            "{name:<14} {:>9} | {meet:>9.2} {parry_meet:>9.2} {:>6.1} | {far:>9.1} {parry_far:>10.1} {:>6.1} | {:>9.2} {:>9.2}   {differ} differ, {} meet, distances differ by {worst:.1e}",
            triangles.len(),
            parry_meet / meet,
            parry_far / far,
            build.as_secs_f64() * 1e3,
            other_build.as_secs_f64() * 1e3,
            found.iter().filter(|found| **found).count(),
        );
    }
}

/// Microseconds per query, the best of three passes, and the answers.
fn timed<T>(count: usize, ask: impl Fn(usize) -> T) -> (f64, Vec<T>) {
    let mut best = f64::INFINITY;
    let mut answers = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        answers = (0..count).map(|i| black_box(ask(i))).collect();
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / count as f64);
    }
    (best, answers)
}

fn pose(rng: &mut Rng) -> Pose {
    let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)));
    let axis = vector(1.0);
    Pose::from_translation(vector(4.0)) * Pose::from_axis_angle(axis, 3.0 * axis.length()).expect("an axis")
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let (q, t) = (pose.rotation(), pose.translation());
    let rotation = parry3d_f64::math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), rotation)
}
