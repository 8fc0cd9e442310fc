//! Whole worlds beside parry: boxes, broad phase and an intersection test for every candidate, frame by frame.
//!
//! `cargo bench-worlds` prints the tables; `--quick` is a short form. `--match TEXT` measures only rows whose names hold the text (`1000x20`, or
//! `growth` for the last table). `--million` is a world of a million boxes of which one percent moves, with the memory it took.
//!
//! The frames are those of the multi-body simulation without a response, so that every library gets the same poses. Hulls fill five percent of a
//! cube, move by 5 % of their radius and turn by 10 degrees per frame. The library parry updates, refits and improves its tree, traverses it, and
//! calls `intersection_test` for every pair of leaves, as the measuring harness does. Both libraries have one thread, except in our last column.

use clearance::math::{DQuat, DVec3};
use clearance::world::{Config, Detail};
use clearance::{BodyId, Pose, Shape, World};
use clearance_lab::boxes::Drift;
use clearance_lab::swarm::{Setting, Swarm};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d_f64::query::intersection_test;
use parry3d_f64::shape::ConvexPolyhedron;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The poses of all bodies, frame by frame.
struct Recording {
    shapes: Vec<Shape>,
    /// By body.
    shape_of: Vec<usize>,
    frames: Vec<Vec<Pose>>,
}

impl Recording {
    fn new(setting: &Setting, frames: usize) -> Self {
        let mut swarm = Swarm::new(setting, 6);
        let bodies = 0..swarm.len();
        let frame = |_| {
            let poses = bodies.clone().map(|body| swarm.pose(body)).collect();
            swarm.step();
            poses
        };
        let frames = (0..frames).map(frame).collect();
        let shape_of = bodies.clone().map(|body| swarm.shape_of(body)).collect();
        Self { shapes: swarm.shapes().to_vec(), shape_of, frames }
    }
}

/// The result of a pass: the number of overlapping pairs in each frame, and the mean time of all frames but the first.
type Pass = (Vec<usize>, Duration);

fn play(frames: usize, mut frame: impl FnMut(usize) -> usize) -> Pass {
    let mut time = Duration::ZERO;
    let count = |number: usize| {
        let start = Instant::now();
        let count = frame(number);
        // The first one fills empty tables.
        if number > 0 {
            time += start.elapsed();
        }
        count
    };
    let counts = (0..frames).map(count).collect();
    (counts, time / (frames as u32 - 1))
}

fn ours(recording: &Recording) -> Pass {
    let mut world = World::new(Config { detail: Detail::Intersection, ..Config::default() });
    let insert = |(&shape, &pose): (&usize, &Pose)| world.insert(recording.shapes[shape].clone(), pose);
    let ids: Vec<BodyId> = recording.shape_of.iter().zip(&recording.frames[0]).map(insert).collect();
    play(recording.frames.len(), |frame| {
        for (&id, &pose) in ids.iter().zip(&recording.frames[frame]) {
            world.set_pose(id, pose);
        }
        world.update().overlapping().count()
    })
}

/// A hull and poses as parry has them.
struct Theirs {
    shapes: Vec<ConvexPolyhedron>,
    frames: Vec<Vec<ParryPose>>,
}

impl Theirs {
    fn new(recording: &Recording) -> Self {
        let vector = |v: DVec3| Vector::new(v.x, v.y, v.z);
        let hull = |shape: &Shape| {
            let Shape::Polytope(hull) = shape else { panic!("a swarm has hulls only") };
            let points: Vec<Vector> = hull.vertices().iter().map(|&v| vector(v)).collect();
            ConvexPolyhedron::from_convex_hull(&points).expect("a solid")
        };
        let pose = |pose: &Pose| {
            let DQuat { x, y, z, w } = pose.rotation();
            ParryPose::from_parts(vector(pose.translation()), Rotation::from_xyzw(x, y, z, w))
        };
        let frames = recording.frames.iter().map(|poses| poses.iter().map(pose).collect()).collect();
        Self { shapes: recording.shapes.iter().map(hull).collect(), frames }
    }

    fn play(&self, shape_of: &[usize]) -> Pass {
        let shape = |body: usize| &self.shapes[shape_of[body]];
        let (mut tree, mut workspace) = (Bvh::new(), BvhWorkspace::default());
        for (body, pose) in self.frames[0].iter().enumerate() {
            tree.insert(shape(body).aabb(pose), body as u32);
        }
        tree.rebuild(&mut workspace, BvhBuildStrategy::Binned);
        play(self.frames.len(), |frame| {
            let poses = &self.frames[frame];
            for (body, pose) in poses.iter().enumerate() {
                tree.insert_or_update_partially(shape(body).aabb(pose), body as u32, 0.0);
            }
            tree.refit(&mut workspace);
            tree.optimize_incremental(&mut workspace);
            let mut count = 0;
            tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| {
                let (a, b) = (a as usize, b as usize);
                let meet = intersection_test(&poses[a], shape(a), &poses[b], shape(b));
                count += usize::from(meet.is_ok_and(|meet| meet.intersecting));
            });
            count
        })
    }
}

/// Runs something as it would on a machine with one processor.
fn on_one_thread<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started").install(run)
}

/// One row: parry and we take turns, the shortest pass counts.
fn row(setting: &Setting, frames: usize, rounds: usize, required: Option<f64>) {
    let recording = Recording::new(setting, frames);
    let theirs = Theirs::new(&recording);
    let mut best = [Duration::MAX; 3];
    let mut counts = Vec::new();
    for _ in 0..rounds {
        let passes = [theirs.play(&recording.shape_of), on_one_thread(|| ours(&recording)), ours(&recording)];
        assert_eq!(passes[1].0, passes[2].0, "the number of threads changes nothing");
        for (best, pass) in best.iter_mut().zip(&passes) {
            *best = pass.1.min(*best);
        }
        counts = passes.map(|pass| pass.0).to_vec();
    }
    let [parry, own, shared] = best.map(|time| time.as_secs_f64() * 1e6);
    let ratio = parry / own;
    let verdict = match required {
        Some(required) if ratio < required => format!("  MISSED {required}"),
        Some(required) => format!("  met {required}"),
        None => String::new(),
    };
    let (bodies, vertices) = (setting.bodies, setting.vertices);
    let differing = counts[0].iter().zip(&counts[1]).filter(|(a, b)| a != b).count();
    let overlapping = counts[1].iter().sum::<usize>() as f64 / frames as f64;
    println!(
        "{bodies:>8} {vertices:>9} {overlapping:>12.1} {parry:>12.1} {own:>12.1} {ratio:>8.2} {shared:>12.1}{verdict}"
    );
    if differing > 0 {
        let sums = [&counts[0], &counts[1]].map(|counts| counts.iter().sum::<usize>());
        println!(
            "         the counts differ in {differing} of {frames} frames; in all {} (parry) and {}",
            sums[0], sums[1]
        );
    }
}

/// Time per frame and body as the number of bodies grows, the density being the same.
fn growth(counts: &[usize], rounds: usize) {
    println!("\n  bodies  microseconds per frame  nanoseconds per body   (20 vertices, one thread)");
    for &bodies in counts {
        // As many frames for all: in the first ones there is little to remember yet.
        let recording = Recording::new(&Setting { bodies, ..Setting::USUAL }, 24);
        let rounds = rounds * (20_000 / bodies).max(1);
        let time = (0..rounds).map(|_| on_one_thread(|| ours(&recording).1)).min().unwrap_or_default().as_secs_f64();
        println!("{bodies:>8} {:>23.1} {:>21.1}", time * 1e6, time * 1e9 / bodies as f64);
    }
}

/// The largest share of memory this process ever had, in MiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

fn million(detail: Detail) {
    const COUNT: usize = 1_000_000;
    let mut drift = Drift::new(COUNT, 7);
    let mut world = World::new(Config { detail, ..Config::default() });
    let before = peak_memory();
    // Boxes that are turned a little, so that the narrow phase is needed.
    let turn = DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9).normalize();
    let pose = |drift: &Drift, body: usize| Pose::new(drift.bounds(body).center(), turn);
    let start = Instant::now();
    let ids: Vec<BodyId> = (0..COUNT)
        .map(|body| {
            let bounds = drift.bounds(body);
            let half = 0.5 * (bounds.max - bounds.min);
            world.insert(Shape::cuboid(half).expect("sizes are positive"), pose(&drift, body))
        })
        .collect();
    let first_overlaps = world.update().overlapping().count();
    let first = start.elapsed();
    let (mut times, mut events) = (Vec::new(), 0);
    for frame in 0..100 {
        let bodies = (frame..COUNT).step_by(100);
        bodies.clone().for_each(|body| drift.step(body));
        let start = Instant::now();
        for body in bodies {
            world.set_pose(ids[body], pose(&drift, body));
        }
        let update = world.update();
        events += black_box(update.started().len() + update.ended().len());
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let mib = |memory: Option<u64>| memory.map_or("unknown".into(), |mib| mib.to_string());
    println!(
        "1,000,000 boxes, {detail:?}, 10,000 move in each of 100 frames: {:.0} ms for the first update, then {:.2} ms per frame (median; \
         longest {:.1}), {first_overlaps} pairs overlap at first, {} candidates, {events} events; peak memory {} MiB, of which {} for the \
         drawing of the boxes",
        first.as_secs_f64() * 1e3,
        times[times.len() / 2],
        times[times.len() - 1],
        world.last_update().candidates(),
        mib(peak_memory()),
        mib(before),
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let only = arguments.iter().position(|argument| argument == "--match").and_then(|at| arguments.get(at + 1));
    if has("--million") {
        million(if has("--clearance") { Detail::Clearance } else { Detail::Intersection });
        return;
    }
    let quick = has("--quick");
    println!("microseconds per frame: boxes, broad phase, yes or no\n");
    println!("  bodies  vertices  overlapping    parry f64    clearance    ratio  all threads");
    for (vertices, required) in [(20, 2.5), (500, 6.0)] {
        for bodies in [100, 1000, 5000] {
            if quick && bodies > 1000 || only.is_some_and(|text| !format!("{bodies}x{vertices}").contains(text)) {
                continue;
            }
            let setting = Setting { bodies, vertices, ..Setting::USUAL };
            let frames = if quick { 5 } else { (100_000 / bodies).clamp(20, 200) };
            row(&setting, frames, if quick { 1 } else { 5 }, (bodies == 1000).then_some(required));
        }
    }
    if only.is_none_or(|text| text == "growth") {
        growth(if quick { &[1_000] } else { &[1_000, 10_000, 100_000] }, if quick { 1 } else { 3 });
    }
}
