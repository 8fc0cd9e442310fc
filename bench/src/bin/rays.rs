//! Rays beside parry's `cast_ray`, in one process, on every kind of shape that both have.
//!
//! `cargo bench-rays [RAYS] [--match NAME]` prints nanoseconds per ray, the best of several passes in turns. parry has two columns: its distance
//! alone, and with the normal, which ours always has. The last columns count the faults of parry's answers: proved hits that it misses, hits that are
//! proved misses, and distances outside of the bracket by more than 1e-6 and 1e-9 of the size. Rays come from 3 to 5 away and are aimed at the shape,
//! which is about one in size, or a little beside it.

use clearance::math::{DQuat, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, RayHit, Shape, cast_ray};
use clearance_lab::Rng;
use clearance_lab::meshes::{Model, noisy_sphere, torus};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::Ray;
use parry3d_f64::shape::{self, Shape as ParryShape, SharedShape};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = arguments.iter().position(|argument| argument == "--match").and_then(|i| arguments.get(i + 1));
    let count = arguments.iter().find_map(|text| text.parse().ok()).unwrap_or(4000);
    println!(
        "{:<16} {:>5} | {:>8} | {:>8} {:>6} | {:>11} {:>6} | {:>6} {:>5} {:>6} {:>6} | {:>7}",
        "ns per ray",
        "hits",
        "ours",
        "cast_ray",
        "ratio",
        "with normal",
        "ratio",
        "missed",
        "false",
        "> 1e-6",
        "> 1e-9",
        "unsure"
    );
    let mut rng = Rng::with_seed(16);
    for (name, shape, other) in subjects(&mut rng) {
        let mut rng = Rng::with_seed(17);
        if wanted.is_none_or(|wanted| name.contains(wanted.as_str())) {
            row(name, &shape, &*other, count, &mut rng);
        }
    }
}

type Subject = (&'static str, Shape, Box<dyn ParryShape>);

fn subjects(rng: &mut Rng) -> Vec<Subject> {
    let mut all: Vec<Subject> = vec![
        ("ball", Shape::sphere(0.5).expect("a ball"), Box::new(shape::Ball::new(0.5))),
        (
            "box",
            Shape::cuboid([0.5, 0.4, 0.6]).expect("a box"),
            Box::new(shape::Cuboid::new(Vector::new(0.5, 0.4, 0.6))),
        ),
        (
            "capsule",
            Shape::capsule(Axis::Y, Radius(0.3), HalfHeight(0.4)).expect("a capsule"),
            Box::new(shape::Capsule::new_y(0.4, 0.3)),
        ),
        (
            "cylinder",
            Shape::cylinder(Axis::Y, Radius(0.3), HalfHeight(0.5)).expect("a cylinder"),
            Box::new(shape::Cylinder::new(0.5, 0.3)),
        ),
        (
            "cone",
            Shape::cone(Axis::Y, Radius(0.4), HalfHeight(0.5)).expect("a cone"),
            Box::new(shape::Cone::new(0.5, 0.4)),
        ),
        (
            "half-space",
            Shape::half_space([0.0, 1.0, 0.0], 0.0).expect("a half-space"),
            Box::new(shape::HalfSpace::new(Vector::new(0.0, 1.0, 0.0))),
        ),
        (
            "rounded box",
            Shape::rounded(&Shape::cuboid([0.4, 0.3, 0.5]).expect("a box"), 0.1).expect("a rounding"),
            Box::new(shape::RoundCuboid {
                inner_shape: shape::Cuboid::new(Vector::new(0.4, 0.3, 0.5)),
                border_radius: 0.1,
            }),
        ),
    ];
    let [a, b, c] = [DVec3::new(-0.5, -0.4, 0.1), DVec3::new(0.6, -0.3, -0.2), DVec3::new(0.0, 0.6, 0.1)];
    let point = |v: &DVec3| Vector::new(v.x, v.y, v.z);
    let flat = shape::Triangle::new(point(&a), point(&b), point(&c));
    all.push(("triangle", Shape::triangle(a, b, c).expect("a triangle"), Box::new(flat)));
    let mut hull = |count: usize, size: f64| {
        let cloud: Vec<DVec3> = (0..count).map(|_| size * direction(rng)).collect();
        let points: Vec<Vector> = cloud.iter().map(point).collect();
        let theirs = shape::ConvexPolyhedron::from_convex_hull(&points).expect("a hull");
        (Shape::hull(&cloud).expect("a hull"), theirs)
    };
    for (name, count) in [("hull of 8", 8), ("hull of 20", 20), ("hull of 100", 100), ("hull of 500", 500)] {
        let (ours, theirs) = hull(count, 0.5);
        all.push((name, ours, Box::new(theirs)));
    }
    let (mut parts, mut theirs) = (Vec::new(), Vec::new());
    for k in 0..60 {
        let (ours, other) = hull(16, 0.08);
        let angle = f64::from(k) * 2.4;
        let height = (f64::from(k) - 29.5) / 30.0;
        let round = (1.0 - height * height).max(0.0).sqrt();
        let pose = Pose::from_translation(DVec3::new(round * angle.cos(), height, round * angle.sin()) * 0.5);
        theirs.push((parry_pose(&pose), SharedShape::new(other)));
        parts.push((ours, pose));
    }
    all.push(("60 hulls", Shape::compound(parts).expect("a compound"), Box::new(shape::Compound::new(theirs))));
    for (name, Model { vertices, triangles }) in
        [("torus of 2k", torus(50, 20, 0.4, 0.15)), ("sphere of 70k", noisy_sphere(187, 187, 0.02, 7))]
    {
        let ours = Shape::mesh(&vertices, &triangles).expect("a mesh");
        assert!(ours.as_mesh().is_some_and(clearance::shape::Mesh::is_solid));
        let points: Vec<Vector> = vertices.iter().map(point).collect();
        let theirs = shape::TriMesh::new(points, triangles).expect("a mesh");
        all.push((name, ours, Box::new(theirs)));
    }
    let ellipsoid = Shape::ellipsoid([0.5, 0.3, 0.4]).expect("an ellipsoid");
    // parry has none: the time of its ball.
    all.push(("ellipsoid", ellipsoid, Box::new(shape::Ball::new(0.5))));
    all
}

fn row(name: &str, shape: &Shape, other: &dyn ParryShape, count: usize, rng: &mut Rng) {
    let size = if shape.bounding_radius().is_finite() { shape.bounding_radius() } else { 1.0 };
    const FAR: f64 = 100.0;
    let rays: Vec<(Pose, clearance::Ray)> = (0..count)
        .map(|_| {
            let pose = Pose::new(vector(rng, 2.0), rotation(rng));
            let aim = pose.transform_point(vector(rng, 0.8 * size));
            let along = direction(rng);
            let origin = aim - along * (3.0 + 2.0 * rng.f64());
            (pose, clearance::Ray::new(origin, along, FAR).expect("a ray"))
        })
        .collect();
    let theirs: Vec<(ParryPose, Ray)> = rays
        .iter()
        .map(|(pose, ray)| {
            let v = |v: DVec3| Vector::new(v.x, v.y, v.z);
            (parry_pose(pose), Ray::new(v(ray.origin()), v(ray.direction())))
        })
        .collect();
    let mut times = [f64::INFINITY; 3];
    let ours: Vec<Option<RayHit>> = rays.iter().map(|(pose, ray)| cast_ray(shape, *pose, ray)).collect();
    let parrys: Vec<Option<f64>> = theirs.iter().map(|(pose, ray)| other.cast_ray(pose, ray, FAR, true)).collect();
    for _ in 0..7 {
        times[0] = pass(&rays, |(pose, ray)| cast_ray(shape, *pose, ray)).min(times[0]);
        times[1] = pass(&theirs, |(pose, ray)| other.cast_ray(pose, ray, FAR, true)).min(times[1]);
        times[2] = pass(&theirs, |(pose, ray)| other.cast_ray_and_get_normal(pose, ray, FAR, true)).min(times[2]);
    }
    let (mut hits, mut missed, mut none, mut far, mut off, mut unsure) = (0, 0, 0, 0, 0, 0);
    for (ours, theirs) in ours.iter().zip(&parrys) {
        hits += usize::from(ours.is_some());
        match (ours, theirs) {
            (Some(hit), None) => missed += usize::from(hit.is_proved()),
            (None, Some(_)) => none += 1,
            (Some(hit), Some(at)) => {
                let beyond = (hit.lower - at).max(at - hit.upper);
                far += usize::from(beyond > 1e-6);
                off += usize::from(beyond > 1e-9);
            }
            (None, None) => {}
        }
        unsure += usize::from(ours.is_some_and(|hit| !hit.is_proved()));
    }
    let [a, b, c] = times.map(|time| time * 1e9 / count as f64);
    println!(
        "{name:<16} {hits:>5} | {a:>8.1} | {b:>8.1} {:>6.2} | {c:>11.1} {:>6.2} | {missed:>6} {none:>5} {far:>6} {off:>6} | {unsure:>7}",
        b / a,
        c / a
    );
}

/// The seconds that all rays take, one after the other.
///
/// By itself: of a slice that is lent to it the compiler knows that nobody changes it meanwhile, and hands on where its numbers are. Where
/// it does not know that, it copies what is handed over by value, and then that is measured.
#[inline(never)]
fn pass<T, R>(rays: &[T], cast: impl Fn(&T) -> R) -> f64 {
    let start = Instant::now();
    for ray in rays {
        // By reference, for the same reason.
        black_box(&cast(ray));
    }
    start.elapsed().as_secs_f64()
}

fn vector(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = vector(rng, 1.0);
        if (0.1..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

fn rotation(rng: &mut Rng) -> DQuat {
    DQuat::from_array([(); 4].map(|()| 2.0 * rng.f64() - 1.0)).normalize()
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let (q, t) = (pose.rotation(), pose.translation());
    let rotation = parry3d_f64::math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), rotation)
}
