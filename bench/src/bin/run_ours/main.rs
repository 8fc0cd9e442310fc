//! Clearance's runner for the harness that measures libraries side by side.
//!
//! `run_ours OUTDIR MODE,MODE,... FILE...` answers the pair workloads (`.cdw`) in the modes `bool`, `dist` and
//! `distwarm`, prints `lib,group,mode,n,reps,min_ns,median_ns,nan,thrown,checksum` per file and mode, and writes the
//! answers to `OUTDIR/lib/group.mode.f64`. Other modes and files are passed over. The environment: `LIBNAME` renames
//! the library, `REP_S` is the time in seconds to spend on each line, `MAXQ` bounds the queries.

mod cdw;

use cdw::{Query, Workload};
use clearance::Pair;
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
        if path.extension().is_none_or(|extension| extension != "cdw") {
            return Ok(());
        }
        let bytes = std::fs::read(path).map_err(|error| at(path, error))?;
        let Some(Workload { track, shapes, mut queries }) = cdw::read(&bytes).map_err(|error| at(path, error))? else {
            println!("# SKIPPED {},{}: triangle meshes", self.library, path.display());
            return Ok(());
        };
        queries.truncate(self.most_queries);
        let group = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if self.wants("bool") {
            self.measure(&group, "bool", 1, &queries, |_, q, out| {
                let found = clearance::intersects(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b);
                out[0] = f64::from(u8::from(found));
            })?;
        }
        if self.wants("dist") {
            self.measure(&group, "dist", 7, &queries, |_, q, out| {
                put(clearance::distance(&shapes[q.a], q.pose_a, &shapes[q.b], q.pose_b), out);
            })?;
        }
        if let (true, Some(first)) = (self.wants("distwarm") && track > 0, queries.first()) {
            let mut pair = Pair::new(&shapes[first.a], &shapes[first.b]);
            self.measure(&group, "distwarm", 7, &queries, |index, q, out| {
                if index % track == 0 {
                    pair = Pair::new(&shapes[q.a], &shapes[q.b]);
                }
                put(pair.distance(q.pose_a, q.pose_b), out);
            })?;
        }
        Ok(())
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
        times.sort_by(f64::total_cmp);
        let firsts = || answers.iter().step_by(width);
        let nan = firsts().filter(|value| value.is_nan()).count();
        let sum: f64 = firsts().filter(|value| !value.is_nan()).sum();
        let (library, n, passes, median) = (&self.library, queries.len(), times.len(), times[times.len() / 2]);
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
