//! Meshes beside parry's `TriMesh`, in one process: intersection tests and distances at the poses of the harness's W6, against convex
//! shapes, and along coherent motions.
//!
//! `cargo bench-meshes [QUERIES]` prints microseconds per query, the best of three passes of every few, and the ratio to parry. It also prints the
//! time to build a mesh and the bytes per triangle. Against convex shapes there are ten times as many queries: they are short, and their times depend
//! on the poses. A motion has five times as many frames. Both libraries answer the same queries, and must agree. `--ours` leaves parry out. The parts
//! are `meshes`, `boxes` (RAPID's tree beside the default), `convex`, `motion` and `threads`; without names it prints all of them. `--match TEXT`
//! runs only the rows of `convex` whose names ("torus 2k box") have the text.
//!
//! `CLEARANCE_MODELS=FOLDER cargo bench-meshes models` runs distances and intersection tests of the real meshes in a folder, each with itself and
//! with the next one, and of the named workloads (`FILE.cdw`) of the harness. `--poses FOLDER` writes poses and times there, for
//! `bench/coal_meshes.py`.

#[path = "../run_ours/cdw.rs"]
#[allow(dead_code, reason = "the reader has parts for simulations")]
mod cdw;
mod models;

use clearance::internals::narrow::meshes;
use clearance::math::Frame;
use clearance::math::{DQuat, DVec3};
use clearance::shape::Mesh;
use clearance::{Axis, HalfHeight, Pair, Pose, Radius, Shape, distance, intersects};
use clearance_lab::Rng;
use clearance_lab::meshes::{Model, grate, noisy_sphere, torus};
use clearance_papers::rapid::{ObbAnswer, ObbTree};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, ConvexPolyhedron, Cuboid, Cylinder, Shape as ParryShape, TriMesh};
use std::f64::consts::TAU;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_parry = !arguments.iter().any(|argument| argument == "--ours");
    let queries = arguments.iter().find_map(|text| text.parse().ok()).unwrap_or(200);
    let only = arguments.iter().position(|argument| argument == "--match").and_then(|at| arguments.get(at + 1));
    let names = ["meshes", "boxes", "convex", "motion", "threads", "models"];
    let is_any = arguments.iter().any(|argument| names.contains(&argument.as_str()));
    let is_wanted = |name: &str| !is_any || arguments.iter().any(|argument| argument == name);
    let folder = std::env::var_os("CLEARANCE_MODELS").map(PathBuf::from);
    let files: Vec<PathBuf> = arguments.iter().filter(|text| text.ends_with(".cdw")).map(PathBuf::from).collect();
    if is_wanted("models") && (folder.is_some() || !files.is_empty()) {
        let out = arguments.iter().position(|argument| argument == "--poses").and_then(|at| arguments.get(at + 1));
        let only = only.map_or("", String::as_str);
        if let Err(error) = models::run(folder.as_deref(), &files, out.map(Path::new), only) {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    }
    // Each part has its own random numbers, so that they do not depend on the choice of parts.
    let drawn = || Rng::with_seed(66);
    let models = [
        Subject::new("torus 2k", torus(50, 20, 1.0, 0.25), linked),
        Subject::new("torus 2k random", torus(50, 20, 1.0, 0.25), random),
        Subject::new("grate 8k", grate([20, 20], 0.05, 0.15, 0.05), crossed),
        Subject::new("noisy sphere 70k", noisy_sphere(187, 187, 0.02, 7), beside),
        Subject::new("torus 70k", torus(350, 100, 1.0, 0.25), random),
    ];
    if is_wanted("meshes") {
        println!("two meshes, us per query");
        println!(
            "{:<17} {:>9} | {:>8} {:>9} {:>6} | {:>9} {:>11} {:>6} | {:>9} {:>9} | {:>9} {:>9}",
            "",
            "triangles",
            "meet",
            "parry",
            "ratio",
            "distance",
            "parry",
            "ratio",
            "build ms",
            "parry ms",
            "bytes/tri",
            "parry"
        );
        let mut rng = drawn();
        models.iter().for_each(|subject| subject.against_itself(&mut rng, queries, with_parry));
    }
    if is_wanted("boxes") {
        println!("\ndo two meshes meet? the default tree, and RAPID's oriented boxes; us per query");
        println!(
            "{:<17} | {:>8} {:>8} {:>6} | {:>9} {:>9} | {:>9} {:>9}",
            "", "default", "RAPID", "ratio", "box tests", "tri tests", "build ms", "bytes/tri"
        );
        let mut rng = drawn();
        models.iter().for_each(|subject| subject.with_oriented_boxes(&mut rng, queries));
    }
    if is_wanted("convex") {
        println!("\na mesh and a convex shape, us per query");
        println!(
            "{:<17} {:<8} | {:>8} {:>9} {:>6} | {:>9} {:>11} {:>6}",
            "", "", "meet", "parry", "ratio", "distance", "parry", "ratio"
        );
        let mut rng = drawn();
        for subject in [&models[0], &models[2], &models[3]] {
            subject.against_convex(&mut rng, 10 * queries, with_parry, only.map_or("", String::as_str));
        }
    }
    if is_wanted("motion") {
        println!("\na coherent motion, us per frame: a search from the roots, and one from the kept front");
        println!(
            "{:<17} {:>7} | {:>8} {:>8} {:>6} | {:>9} {:>9} {:>6}",
            "", "degrees", "meet", "kept", "ratio", "distance", "kept", "ratio"
        );
        for subject in [&models[0], &models[2], &models[3]] {
            for degrees in [1.0, 0.1, 0.01] {
                subject.in_motion(degrees, 5 * queries);
            }
        }
    }
    if is_wanted("threads") {
        println!("\nall crossing triangles of two meshes, ms, by threads");
        models[3..].iter().for_each(Subject::among_threads);
    }
}

/// A model as a shape of both libraries, and where the second of two is put.
struct Subject {
    name: &'static str,
    shape: Shape,
    bytes: f64,
    build: f64,
    other: TriMesh,
    other_build: f64,
    place: fn(&mut Rng) -> Pose,
}

impl Subject {
    fn new(name: &'static str, Model { vertices, triangles }: Model, place: fn(&mut Rng) -> Pose) -> Self {
        let start = Instant::now();
        let mesh = Mesh::new(&vertices, &triangles).expect("a mesh");
        let build = start.elapsed().as_secs_f64() * 1e3;
        let points: Vec<Vector> = vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        let start = Instant::now();
        let other = TriMesh::new(points, triangles.clone()).expect("a mesh");
        let other_build = start.elapsed().as_secs_f64() * 1e3;
        let bytes = mesh.bytes() as f64 / triangles.len() as f64;
        // Whether it is closed is found out once, on the first query that needs it.
        assert!(mesh.is_solid());
        Self { name, shape: Shape::Mesh(Arc::new(mesh)), bytes, build, other, other_build, place }
    }

    fn triangles(&self) -> usize {
        self.other.indices().len()
    }

    fn against_itself(&self, rng: &mut Rng, queries: usize, with_parry: bool) {
        let poses: Vec<Pose> = (0..queries).map(|_| (self.place)(rng)).collect();
        let theirs: Vec<ParryPose> = poses.iter().map(parry_pose).collect();
        let (shape, other) = (&self.shape, &self.other);
        let (meet, found) = timed(&poses, |pose| intersects(shape, Pose::IDENTITY, shape, *pose));
        let (far, gaps) = timed(&poses, |pose| distance(shape, Pose::IDENTITY, shape, *pose));
        // parry's distance takes milliseconds, on the large ones seconds.
        let few = if self.triangles() > 10_000 { 3 } else { queries.min(30) };
        let (parry_meet, parry_far) = match with_parry {
            false => (f64::NAN, f64::NAN),
            true => {
                let (meet, answers) = timed(&theirs, |pose| {
                    query::intersection_test(&ParryPose::IDENTITY, other, pose, other).expect("known").intersecting
                });
                let differ = found.iter().zip(&answers).filter(|(a, b)| a != b).count();
                // parry's meshes are shells here: they do not meet bodies inside of them.
                assert!(differ * 50 <= queries, "{differ} of {queries} intersection tests differ");
                let (far, answers) = timed(&theirs[..few.min(queries)], |pose| {
                    query::distance(&ParryPose::IDENTITY, other, pose, other).expect("known").distance
                });
                let of_both = gaps.iter().zip(&answers).filter(|(ours, _)| ours.is_apart());
                let worst = of_both.map(|(a, b)| (a.distance - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-9, "distances differ by {worst}");
                (meet, far)
            }
        };
        let parry_bytes = parry_bytes(other) / self.triangles() as f64;
        println!(
            "{:<17} {:>9} | {meet:>8.2} {parry_meet:>9.2} {:>6.1} | {far:>9.1} {parry_far:>11.1} {:>6.1} | {:>9.2} {:>9.2} | {:>9.0} {:>9.0}",
            self.name,
            self.triangles(),
            parry_meet / meet,
            parry_far / far,
            self.build,
            self.other_build,
            self.bytes,
            parry_bytes
        );
    }

    /// Yes or no by both trees, which must agree.
    fn with_oriented_boxes(&self, rng: &mut Rng, queries: usize) {
        let frames: Vec<Frame> = (0..queries).map(|_| Frame::from((self.place)(rng))).collect();
        let mesh = self.mesh();
        let start = Instant::now();
        let tree = ObbTree::new(mesh);
        let build = start.elapsed().as_secs_f64() * 1e3;
        let (default, found) = timed(&frames, |frame| meshes::intersects(mesh, mesh, frame));
        let (rapid, answers) = timed(&frames, |frame| tree.intersects(&tree, frame));
        assert!(found.iter().zip(&answers).all(|(found, answer)| *found == answer.meet), "the trees differ");
        let mean = |of: fn(&ObbAnswer) -> usize| answers.iter().map(of).sum::<usize>() as f64 / queries as f64;
        println!(
            "{:<17} | {default:>8.2} {rapid:>8.2} {:>6.1} | {:>9.1} {:>9.1} | {build:>9.2} {:>9.0}",
            self.name,
            rapid / default,
            mean(|answer| answer.box_tests),
            mean(|answer| answer.triangle_tests),
            tree.bytes() as f64 / self.triangles() as f64
        );
    }

    /// In itself, turned a little.
    fn among_threads(&self) {
        let frame = Frame::from(Pose::new(DVec3::new(0.02, 0.01, 0.03), DQuat::from_axis_angle(DVec3::Z, 0.1)));
        let mut alone: Option<Vec<[u32; 2]>> = None;
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut best = f64::INFINITY;
            for _ in 0..5 {
                let start = Instant::now();
                let found = pool.install(|| meshes::crossing_triangles(self.mesh(), self.mesh(), &frame));
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
                assert_eq!(&found, alone.get_or_insert_with(|| found.clone()), "pairs differ");
            }
            let pairs = alone.as_ref().map_or(0, Vec::len);
            println!("{:<17} {threads} threads: {best:>8.2} ms, {pairs} pairs", self.name);
        }
    }

    fn mesh(&self) -> &Mesh {
        match &self.shape {
            Shape::Mesh(mesh) => mesh,
            _ => unreachable!("a mesh was put in"),
        }
    }

    fn against_convex(&self, rng: &mut Rng, queries: usize, with_parry: bool, only: &str) {
        let cloud: Vec<DVec3> = (0..20).map(|_| 0.2 * direction(rng)).collect();
        let points = cloud.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect::<Vec<_>>();
        let hull = ConvexPolyhedron::from_convex_hull(&points).expect("a hull");
        let pairs: [(&str, Shape, Box<dyn ParryShape>); 4] = [
            ("ball", Shape::sphere(0.2).expect("a ball"), Box::new(Ball::new(0.2))),
            (
                "box",
                Shape::cuboid([0.1, 0.2, 0.15]).expect("a box"),
                Box::new(Cuboid::new(Vector::new(0.1, 0.2, 0.15))),
            ),
            (
                "cylinder",
                Shape::cylinder(Axis::Y, Radius(0.1), HalfHeight(0.2)).expect("a cylinder"),
                Box::new(Cylinder::new(0.2, 0.1)),
            ),
            ("hull 20", Shape::hull(&cloud).expect("a hull"), Box::new(hull)),
        ];
        let poses: Vec<Pose> = (0..queries).map(|_| Pose::new(vector(rng, 1.5), rotation(rng))).collect();
        let theirs: Vec<ParryPose> = poses.iter().map(parry_pose).collect();
        for (name, shape, other) in pairs.iter().filter(|(name, ..)| format!("{} {name}", self.name).contains(only)) {
            let (meet, _) = timed(&poses, |pose| intersects(&self.shape, Pose::IDENTITY, shape, *pose));
            let (far, gaps) = timed(&poses, |pose| distance(&self.shape, Pose::IDENTITY, shape, *pose));
            let (parry_meet, parry_far) = match with_parry {
                false => (f64::NAN, f64::NAN),
                true => {
                    let (mesh, here) = (&self.other, &ParryPose::IDENTITY);
                    let (meet, _) = timed(&theirs, |pose| {
                        query::intersection_test(here, mesh, pose, &**other).expect("known").intersecting
                    });
                    let (far, answers) =
                        timed(&theirs, |pose| query::distance(here, mesh, pose, &**other).expect("known").distance);
                    let of_both = gaps.iter().zip(&answers).filter(|(ours, _)| ours.is_apart());
                    let worst = of_both.map(|(a, b)| (a.distance - b).abs()).fold(0.0, f64::max);
                    assert!(worst < 1e-4, "distances differ by {worst}");
                    (meet, far)
                }
            };
            println!(
                "{:<17} {name:<8} | {meet:>8.2} {parry_meet:>9.2} {:>6.1} | {far:>9.1} {parry_far:>11.1} {:>6.1}",
                self.name,
                parry_meet / meet,
                parry_far / far
            );
        }
    }

    /// Past itself, turning by `degrees` a frame, apart all the time.
    fn in_motion(&self, degrees: f64, frames: usize) {
        let radius = self.shape.bounding_radius();
        let pose = |frame: usize| {
            let angle = degrees.to_radians() * frame as f64;
            let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
            Pose::new(DVec3::new(2.2 * radius * angle.cos(), 2.2 * radius * angle.sin(), 0.2 * radius), turn)
        };
        let poses: Vec<Pose> = (0..frames).map(pose).collect();
        let shape = &self.shape;
        let (meet, _) = timed(&poses, |pose| intersects(shape, Pose::IDENTITY, shape, *pose));
        let (far, cold) = timed(&poses, |pose| distance(shape, Pose::IDENTITY, shape, *pose).distance);
        let begin = || Pair::new(shape, shape);
        let (kept_meet, _) = timed_with(&poses, begin, |pair, pose| pair.intersects(Pose::IDENTITY, *pose));
        let (kept_far, warm) = timed_with(&poses, begin, |pair, pose| pair.distance(Pose::IDENTITY, *pose).distance);
        let worst = cold.iter().zip(&warm).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "answers differ by {worst}");
        println!(
            "{:<17} {degrees:>7} | {meet:>8.2} {kept_meet:>8.2} {:>6.1} | {far:>9.1} {kept_far:>9.1} {:>6.1}",
            self.name,
            meet / kept_meet,
            far / kept_far
        );
    }
}

/// Microseconds per query, and the answers; see [`timed_with`].
fn timed<Q, T>(queries: &[Q], mut ask: impl FnMut(&Q) -> T) -> (f64, Vec<T>) {
    timed_with(queries, || (), |(), query| ask(query))
}

/// Microseconds per query, the best of three passes for every few queries, and the answers; each pass begins with a state of its own. A few queries
/// fit between two interruptions by other processes, a whole pass does not. They take long enough that the time to read the clock is negligible.
///
/// A function of its own: the compiler then knows that no other code changes the borrowed slice, and need not copy a pose that is passed by value.
#[inline(never)]
fn timed_with<Q, S, T>(queries: &[Q], begin: impl Fn() -> S, mut ask: impl FnMut(&mut S, &Q) -> T) -> (f64, Vec<T>) {
    let (start, mut state) = (Instant::now(), begin());
    queries.iter().for_each(|query| drop(black_box(ask(&mut state, query))));
    let of_each = start.elapsed().as_secs_f64() / queries.len() as f64;
    let few = ((20e-6 / of_each) as usize).clamp(10, queries.len().max(10));
    let mut best = vec![f64::INFINITY; queries.len().div_ceil(few)];
    let mut answers = Vec::with_capacity(queries.len());
    for _ in 0..3 {
        answers.clear();
        let mut state = begin();
        for (block, best) in queries.chunks(few).zip(&mut best) {
            let start = Instant::now();
            answers.extend(block.iter().map(|query| black_box(ask(&mut state, query))));
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    (best.iter().sum::<f64>() * 1e6 / queries.len() as f64, answers)
}

/// The memory of parry's mesh: its tree, its vertices and its indices.
fn parry_bytes(mesh: &TriMesh) -> f64 {
    let tree = mesh.bvh().heap_memory_size();
    (tree + size_of_val(mesh.vertices()) + size_of_val(mesh.indices())) as f64
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

/// The second ring goes through the first.
fn linked(rng: &mut Rng) -> Pose {
    let upright = DQuat::from_axis_angle(DVec3::X, TAU / 4.0);
    let turn = DQuat::from_axis_angle(direction(rng), 0.5 * rng.f64());
    Pose::new(DVec3::X + vector(rng, 0.55), turn * upright)
}

fn random(rng: &mut Rng) -> Pose {
    Pose::new(direction(rng) * (0.5 + 2.3 * rng.f64()), rotation(rng))
}

/// A grate over a grate, a little turned.
fn crossed(rng: &mut Rng) -> Pose {
    let turn = DQuat::from_axis_angle(direction(rng), 0.3 * rng.f64());
    Pose::new(DVec3::new(0.4 * rng.f64() - 0.2, 0.4 * rng.f64() - 0.2, 0.05 + 0.9 * rng.f64()), turn)
}

fn beside(rng: &mut Rng) -> Pose {
    Pose::new(direction(rng) * (1.6 + 0.8 * rng.f64()), rotation(rng))
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let (q, t) = (pose.rotation(), pose.translation());
    let rotation = parry3d_f64::math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), rotation)
}
