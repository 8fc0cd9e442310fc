//! Broad phases beside parry's tree: milliseconds per frame, and how many times as fast.
//!
//! `cargo bench-broad` prints the table; `--quick` is a short form, `--match NAME` measures only some, and `--million` is a
//! world of a million boxes of which one percent moves, with the memory it took.
//!
//! In the rows "all move" every box moves in every frame, and the frame ends with a list of all overlapping pairs. parry updates, refits, improves
//! and traverses its tree, as its documentation recommends. In the rows "1 % move" parry's traversal visits changes only, and ours returns the
//! differences.

use clearance::broad::{BroadKind, BroadPhase};
use clearance::math::Aabb;
use clearance_lab::boxes::Drift;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use std::time::{Duration, Instant};

/// The boxes that move in a frame.
type Frame = Vec<(u32, Aabb)>;

struct Scene {
    start: Vec<Aabb>,
    /// Played forward, then backward, so that a pass ends where it began.
    frames: Vec<Frame>,
}

impl Scene {
    fn new(count: usize, every: usize, frames: usize) -> Self {
        let mut drift = Drift::new(count, 7);
        let start: Vec<Aabb> = (0..count).map(|body| drift.bounds(body)).collect();
        let mut now = start.clone();
        let (mut forward, mut backward) = (Vec::new(), Vec::new());
        for frame in 0..frames {
            let bodies = (frame % every..count).step_by(every);
            backward.push(bodies.clone().map(|body| (body as u32, now[body])).collect::<Frame>());
            for body in bodies.clone() {
                drift.step(body);
                now[body] = drift.bounds(body);
            }
            forward.push(bodies.map(|body| (body as u32, now[body])).collect::<Frame>());
        }
        forward.extend(backward.into_iter().rev());
        Self { start, frames: forward }
    }
}

/// Something that plays frames; it returns how many pairs it has reported.
trait Player {
    fn play(&mut self, frame: &Frame) -> usize;
    /// The number of all overlapping pairs.
    fn count(&mut self) -> usize;
}

struct Ours {
    phase: Box<dyn BroadPhase>,
    all: bool,
}

impl Ours {
    fn new(kind: BroadKind, scene: &Scene, all: bool) -> Self {
        let mut phase = kind.build();
        scene.start.iter().zip(0..).for_each(|(bounds, slot)| phase.set(slot, bounds));
        phase.update();
        Self { phase, all }
    }
}

impl Player for Ours {
    fn play(&mut self, frame: &Frame) -> usize {
        for (slot, bounds) in frame {
            self.phase.set(*slot, bounds);
        }
        let changes = self.phase.update();
        let changed = changes.added.len() + changes.removed.len();
        if self.all { self.phase.pairs().len() } else { changed }
    }

    fn count(&mut self) -> usize {
        self.phase.pairs().len()
    }
}

struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    all: bool,
}

fn convert(bounds: &Aabb) -> ParryAabb {
    let vector = |v: clearance::math::DVec3| Vector::new(v.x, v.y, v.z);
    ParryAabb::new(vector(bounds.min), vector(bounds.max))
}

impl Parry {
    fn new(scene: &Scene, all: bool) -> Self {
        let (mut tree, mut workspace) = (Bvh::new(), BvhWorkspace::default());
        scene.start.iter().zip(0..).for_each(|(bounds, slot)| tree.insert(convert(bounds), slot));
        tree.rebuild(&mut workspace, BvhBuildStrategy::Binned);
        Self { tree, workspace, all }
    }
}

impl Player for Parry {
    fn play(&mut self, frame: &Frame) -> usize {
        for (slot, bounds) in frame {
            self.tree.insert_or_update_partially(convert(bounds), *slot, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        let mut count = 0;
        if self.all {
            self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |_, _| count += 1);
        } else {
            self.tree.traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut |_, _| count += 1);
        }
        count
    }

    fn count(&mut self) -> usize {
        let mut count = 0;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |_, _| count += 1);
        count
    }
}

/// The mean time of a frame for each player, of the shortest time that each frame ever took: on a machine that others use
/// too, a frame is undisturbed more often than a pass.
fn best(players: &mut [Box<dyn Player>], scene: &Scene, rounds: usize, all: bool) -> Vec<Duration> {
    let mut best = vec![vec![Duration::MAX; scene.frames.len()]; players.len()];
    for _ in 0..rounds {
        let mut reported = Vec::new();
        for (player, best) in players.iter_mut().zip(&mut best) {
            let mut count = 0;
            for (frame, best) in scene.frames.iter().zip(best) {
                let start = Instant::now();
                count += player.play(frame);
                *best = start.elapsed().min(*best);
            }
            reported.push(count);
        }
        // The libraries report different sets of changes; all pairs must agree in the end.
        let counts = players.iter_mut().map(|player| player.count()).collect::<Vec<_>>();
        assert!(counts.iter().all(|&count| count == counts[0]), "the libraries do not agree: {counts:?} pairs");
        assert!(!all || reported.iter().all(|&count| count == reported[0]), "they report {reported:?} pairs");
    }
    best.iter().map(|frames| frames.iter().sum::<Duration>() / frames.len() as u32).collect()
}

/// The largest share of memory this process ever had, in MiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

fn million(kind: BroadKind) {
    const COUNT: usize = 1_000_000;
    let mut drift = Drift::new(COUNT, 7);
    let mut phase = kind.build();
    let start = Instant::now();
    (0..COUNT).for_each(|body| phase.set(body as u32, &drift.bounds(body)));
    phase.update();
    let first = start.elapsed();
    let (mut changes, start) = (0, Instant::now());
    let mut worst = Duration::ZERO;
    for frame in 0..100 {
        let start = Instant::now();
        for body in (frame..COUNT).step_by(100) {
            drift.step(body);
            phase.set(body as u32, &drift.bounds(body));
        }
        let found = phase.update();
        changes += found.added.len() + found.removed.len();
        worst = worst.max(start.elapsed());
    }
    println!(
        "{}: 1,000,000 boxes, 10,000 move in each of 100 frames: {:.0} ms for the first update, then {:.2} ms per frame (longest \
         {:.1}), {} pairs, {changes} changes, peak memory {} MiB",
        kind.name(),
        first.as_secs_f64() * 1e3,
        start.elapsed().as_secs_f64() * 10.0,
        worst.as_secs_f64() * 1e3,
        phase.pairs().len(),
        peak_memory().map_or("unknown".into(), |mib| mib.to_string()),
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let only = arguments.iter().position(|argument| argument == "--match").and_then(|at| arguments.get(at + 1));
    let wanted = |kind: BroadKind| only.is_none_or(|name| kind.name() == name);
    if has("--million") {
        million(BroadKind::ALL.into_iter().find(|&kind| wanted(kind)).unwrap_or_default());
        return;
    }
    let quick = has("--quick");
    println!("milliseconds per frame (how many times as fast as parry3d-f64's tree)\n");
    print!("{:>8} {:>9} {:>8} {:>10}", "boxes", "", "pairs", "parry f64");
    let kinds: Vec<BroadKind> = BroadKind::ALL.into_iter().filter(|&kind| wanted(kind)).collect();
    kinds.iter().for_each(|kind| print!(" {:>17}", kind.name()));
    println!();
    for (every, what) in [(1, "all move"), (100, "1 % move")] {
        for count in [1_000, 10_000, 100_000] {
            if quick && count > 1_000 {
                continue;
            }
            let scene = Scene::new(count, every, if quick { 4 } else { (2_000_000 / count).clamp(10, 100) });
            // Broad phases that take seconds for one frame are left out.
            let measured: Vec<BroadKind> = kinds.iter().copied().filter(|kind| sensible(*kind, count)).collect();
            let all = every == 1;
            let mut players: Vec<Box<dyn Player>> = vec![Box::new(Parry::new(&scene, all))];
            players.extend(measured.iter().map(|&kind| Box::new(Ours::new(kind, &scene, all)) as Box<dyn Player>));
            let times = best(&mut players, &scene, if quick { 1 } else { 5 }, all);
            let parry = times[0].as_secs_f64() * 1e3;
            print!("{count:>8} {what:>9} {:>8} {parry:>10.3}", players[0].count());
            let mut times = times[1..].iter();
            for kind in &kinds {
                let cell = if measured.contains(kind) {
                    let time = times.next().expect("one for each").as_secs_f64() * 1e3;
                    format!("{time:.3} ({:.2})", parry / time)
                } else {
                    "-".into()
                };
                print!(" {cell:>17}");
            }
            println!();
        }
    }
}

fn sensible(kind: BroadKind, count: usize) -> bool {
    match kind {
        BroadKind::BruteForce => count <= 1_000,
        _ => true,
    }
}
