//! Clearance's runner for the harness that measures libraries side by side.
//!
//! `run_ours OUTDIR MODE,MODE,... FILE...` answers the pair workloads (`.cdw`) in the modes `bool`, `dist`, `distwarm` and `pd`, simulations (`.cds`)
//! in the mode `sim`, and boxes (`.cdb`) in the modes `bp_tree`, `bp_prune` and `bp_sweep_prune`. It prints
//! `lib,group,mode,n,reps,min_ns,median_ns,nan,thrown,checksum` per file and mode, and writes the answers to `OUTDIR/lib/group.mode.f64`. It ignores
//! other modes and files.
//!
//! Four variables change a run. `LIBNAME` renames the library. `REP_S` is the time in seconds for each line (four times that for simulations and
//! boxes). `MAXQ` limits the queries, and `RAYON_NUM_THREADS` the threads of a simulation; the harness's other libraries have one.

mod cdw;
mod frames;

use cdw::{Query, Workload};
use clearance::broad::BroadKind;
use clearance::world::{Config, Detail};
use clearance::{BodyId, Pair, World};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, modes, files @ ..] = &arguments[..] else {
        eprintln!("usage: run_ours OUTDIR MODE,MODE,... FILE...");
        return ExitCode::from(2);
    };
    match Runner::new(out, modes).and_then(|runner| files.iter().try_for_each(|file| runner.answer(Path::new(file)))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

struct Runner {
    library: String,
    folder: PathBuf,
    modes: Vec<String>,
    seconds: f64,
    most_queries: usize,
}

impl Runner {
    fn new(out: &str, modes: &str) -> Result<Self, String> {
        let library = std::env::var("LIBNAME").unwrap_or_else(|_| "clearance".into());
        let folder = Path::new(out).join(&library);
        std::fs::create_dir_all(&folder).map_err(|error| at(&folder, error))?;
        Ok(Self {
            library,
            folder,
            modes: modes.split(',').map(String::from).collect(),
            seconds: number("REP_S", 0.3)?,
            most_queries: number("MAXQ", usize::MAX)?,
        })
    }

    fn wants(&self, mode: &str) -> bool {
        self.modes.iter().any(|wanted| wanted == mode || wanted == "all")
    }

    fn answer(&self, path: &Path) -> Result<(), String> {
        let read = || std::fs::read(path).map_err(|error| at(path, error));
        let group = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("cdw") => self.answer_pairs(&group, cdw::read(&read()?).map_err(|error| at(path, error))?),
            Some("cds") if self.wants("sim") => {
                self.simulate(&group, &frames::read_simulation(&read()?).map_err(|error| at(path, error))?)
            }
            Some("cdb") => self.sort_boxes(&group, &frames::read_boxes(&read()?).map_err(|error| at(path, error))?),
            _ => Ok(()),
        }
    }

    fn answer_pairs(&self, group: &str, workload: Workload) -> Result<(), String> {
        let Workload { track, shapes, mut queries } = workload;
        queries.truncate(self.most_queries);
        if self.wants("bool") {
            self.measure(group, "bool", 1, &queries, |_, q, out| {
                let found = clearance::intersects(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b);
                out[0] = f64::from(u8::from(found));
            })?;
        }
        if self.wants("dist") {
            self.measure(group, "dist", 7, &queries, |_, q, out| {
                put(clearance::distance(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b), out);
            })?;
        }
        if let (true, Some(first)) = (self.wants("distwarm") && track > 0, queries.first()) {
            let mut pair = Pair::new(&shapes[first.a], &shapes[first.b]);
            self.measure(group, "distwarm", 7, &queries, |index, q, out| {
                if index % track == 0 {
                    pair = Pair::new(&shapes[q.a], &shapes[q.b]);
                }
                put(pair.distance(q.pose_a, q.pose_b), out);
            })?;
        }
        if self.wants("pd") {
            self.measure(group, "pd", 4, &queries, |_, q, out| {
                let found = clearance::distance(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b);
                // Shapes that are apart have no depth.
                out[0] = if found.distance <= 0.0 { -found.distance } else { f64::NAN };
                out[1..4].copy_from_slice(&found.normal.to_array());
            })?;
        }
        Ok(())
    }

    /// Boxes, broad phase and yes or no, frame by frame: how many pairs overlap?
    fn simulate(&self, group: &str, simulation: &frames::Simulation) -> Result<(), String> {
        let frames = &simulation.frames;
        if frames.is_empty() {
            return Ok(());
        }
        let setup = || {
            let mut world = World::new(Config { detail: Detail::Intersection, ..Config::default() });
            let bodies = simulation.shapes.iter().zip(&frames[0]);
            let ids: Vec<BodyId> = bodies.map(|(shape, &pose)| world.insert(shape.clone(), pose)).collect();
            (world, ids)
        };
        self.measure_frames(group, "sim", frames.len(), setup, |(world, ids), frame| {
            for (&id, &pose) in ids.iter().zip(&frames[frame]) {
                world.set_pose(id, pose);
            }
            world.update().overlapping().count()
        })
    }

    /// New boxes for all, frame by frame: how many pairs overlap?
    fn sort_boxes(&self, group: &str, frames: &[Vec<clearance::math::Aabb>]) -> Result<(), String> {
        for kind in if frames.is_empty() { &[][..] } else { &BroadKind::ALL } {
            let mode = format!("bp_{}", kind.name());
            // Every pair of 100,000 boxes takes a minute a frame.
            if *kind == BroadKind::BruteForce || !self.wants(&mode) {
                continue;
            }
            let setup = || {
                let mut phase = kind.build();
                frames[0].iter().zip(0..).for_each(|(bounds, slot)| phase.set(slot, bounds));
                phase
            };
            self.measure_frames(group, &mode, frames.len(), setup, |phase, frame| {
                frames[frame].iter().zip(0..).for_each(|(bounds, slot)| phase.set(slot, bounds));
                phase.update();
                phase.pairs().len()
            })?;
        }
        Ok(())
    }

    /// Passes over all frames until the time is spent; then the line and the file. A pass starts anew, which is not timed.
    fn measure_frames<S>(
        &self,
        group: &str,
        mode: &str,
        frames: usize,
        mut setup: impl FnMut() -> S,
        mut play: impl FnMut(&mut S, usize) -> usize,
    ) -> Result<(), String> {
        let (mut counts, mut times, started) = (vec![0.0; frames], Vec::new(), Instant::now());
        while times.is_empty() || (started.elapsed().as_secs_f64() < 4.0 * self.seconds && times.len() < 50) {
            let mut state = setup();
            let mut seconds = 0.0;
            for (frame, count) in counts.iter_mut().enumerate() {
                let start = Instant::now();
                *count = play(&mut state, frame) as f64;
                seconds += start.elapsed().as_secs_f64();
            }
            times.push(seconds * 1e9 / frames.max(1) as f64);
        }
        self.report(group, mode, 1, times, &counts)
    }

    /// Passes over all queries until the time is spent, at least three; then the line and the file.
    fn measure(
        &self,
        group: &str,
        mode: &str,
        width: usize,
        queries: &[Query],
        mut answer: impl FnMut(usize, &Query, &mut [f64]),
    ) -> Result<(), String> {
        if queries.is_empty() {
            return Ok(());
        }
        let mut answers = vec![f64::NAN; width * queries.len()];
        let mut times = Vec::new();
        let started = Instant::now();
        // The first pass warms the machine and is not counted.
        let mut counted = false;
        while times.len() < 3 || (started.elapsed().as_secs_f64() < self.seconds && times.len() < 1000) {
            let start = Instant::now();
            for (index, (query, out)) in queries.iter().zip(answers.chunks_exact_mut(width)).enumerate() {
                answer(index, query, out);
            }
            if counted {
                times.push(start.elapsed().as_secs_f64() * 1e9 / queries.len() as f64);
            }
            counted = true;
        }
        self.report(group, mode, width, times, &answers)
    }

    /// The line and the file; an answer is `width` numbers.
    fn report(
        &self,
        group: &str,
        mode: &str,
        width: usize,
        mut times: Vec<f64>,
        answers: &[f64],
    ) -> Result<(), String> {
        times.sort_by(f64::total_cmp);
        let firsts = || answers.iter().step_by(width);
        let nan = firsts().filter(|value| value.is_nan()).count();
        let sum: f64 = firsts().filter(|value| !value.is_nan()).sum();
        let (library, n, passes, median) = (&self.library, answers.len() / width, times.len(), times[times.len() / 2]);
        println!("{library},{group},{mode},{n},{passes},{:.1},{median:.1},{nan},0,{sum:.9}", times[0]);
        let path = self.folder.join(format!("{group}.{mode}.f64"));
        let bytes: Vec<u8> = answers.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(&path, bytes).map_err(|error| at(&path, error))
    }
}

/// Distance, point on A, point on B.
fn put(found: clearance::Clearance, out: &mut [f64]) {
    out[0] = found.distance;
    out[1..4].copy_from_slice(&found.point_a.to_array());
    out[4..7].copy_from_slice(&found.point_b.to_array());
}

fn number<T: std::str::FromStr>(name: &str, default: T) -> Result<T, String> {
    match std::env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is \"{text}\" in the environment, but must be a number")),
        Err(_) => Ok(default),
    }
}

fn at(path: &Path, error: impl Display) -> String {
    format!("{}: {error}", path.display())
}
