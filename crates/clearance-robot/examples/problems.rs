//! Planning problems of MotionBenchMaker: ends judged, paths planned and proved, time per configuration and per edge.
//!
//! ```sh
//! python bench/motion_bench_maker.py FOLDER --robots panda --plain | cargo run --release -p clearance-robot --example problems -- 10 3000
//! ```
//!
//! Every tenth problem is planned, with at most 3,000 samples. Times are those of one thread; each problem has its own configurations and edges near its path.

use clearance::{Axis, HalfHeight, Pose, Radius, Shape, World};
use clearance_robot::{Checker, Collides, Edge, EdgeOptions, Options, Plan, PlanOptions, Robot};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, stdin};
use std::path::{Path, PathBuf};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// A problem as it is read.
#[derive(Default)]
struct Problem {
    name: String,
    locks: Vec<(String, f64)>,
    disabled: Vec<[String; 2]>,
    obstacles: Vec<(Shape, Pose)>,
    ends: Vec<f64>,
}

#[derive(Default)]
struct Totals {
    counts: BTreeMap<String, u64>,
    times: BTreeMap<&'static str, Vec<f64>>,
    /// Times of edges that are proved free, in the batches of a checker that is warm.
    configurations: usize,
}

impl Totals {
    fn count(&mut self, name: impl Into<String>) {
        *self.counts.entry(name.into()).or_default() += 1;
    }

    fn time(&mut self, name: &'static str, seconds: f64) {
        self.times.entry(name).or_default().push(seconds * 1e6);
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [every, samples] = &arguments[..] else {
        return Err("give N, to plan every N-th problem, and the samples of a plan".into());
    };
    let (every, samples): (u64, u64) = (every.parse()?, samples.parse()?);
    let mut whole: Option<Robot> = None;
    let mut robots: HashMap<String, Robot> = HashMap::new();
    let (mut problem, mut totals, mut number) = (Problem::default(), Totals::default(), 0);
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, rest @ ..] = &words[..] else { continue };
        let numbers = |words: &[&str]| words.iter().map(|word| word.parse::<f64>()).collect::<Result<Vec<_>, _>>();
        match (*kind, rest) {
            ("robot", [urdf, srdf, packages]) => {
                let options = Options { package_dirs: vec![PathBuf::from(packages)], ..Options::default() };
                whole = Some(Robot::load(Path::new(urdf), Some(Path::new(srdf)), &options)?);
            }
            ("problem", [name]) => problem = Problem { name: (*name).to_owned(), ..Problem::default() },
            ("lock", [name, value]) => problem.locks.push(((*name).to_owned(), value.parse()?)),
            ("disable", [one, other]) => problem.disabled.push([(*one).to_owned(), (*other).to_owned()]),
            ("box" | "cylinder" | "sphere", rest) => {
                let numbers = numbers(rest)?;
                let (sizes, pose) = numbers.split_at(numbers.len().saturating_sub(7));
                let shape = match (*kind, sizes) {
                    ("box", &[x, y, z]) => Shape::cuboid([0.5 * x, 0.5 * y, 0.5 * z])?,
                    ("cylinder", &[radius, length]) => {
                        Shape::cylinder(Axis::Z, Radius(radius), HalfHeight(0.5 * length))?
                    }
                    ("sphere", &[radius]) => Shape::sphere(radius)?,
                    _ => return Err(line.into()),
                };
                problem.obstacles.push((shape, Pose::from_array(pose.try_into()?)?));
            }
            ("ends", rest) => problem.ends = numbers(rest)?,
            ("end", []) => {
                let whole = whole.as_ref().ok_or("no robot is named")?;
                let key = format!("{:?} {:?}", problem.locks, problem.disabled);
                let robot = match robots.entry(key) {
                    std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                    std::collections::hash_map::Entry::Vacant(entry) => entry.insert(prepared(whole, &problem)?),
                };
                solve(robot, &problem, (number % every == 0).then_some(samples), number, &mut totals)?;
                number += 1;
            }
            _ => return Err(line.into()),
        }
    }
    println!("{number} problems: {:?}; {} configurations timed", totals.counts, totals.configurations);
    for (name, mut times) in totals.times {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((share * times.len() as f64) as usize).min(times.len() - 1)];
        println!("{name}: median {:.1} us, 95 % {:.1} us, of {}", at(0.5), at(0.95), times.len());
    }
    Ok(())
}

fn prepared(whole: &Robot, problem: &Problem) -> Result<Robot, Failure> {
    let mut robot = whole.clone();
    for pair in &problem.disabled {
        if let [Some(one), Some(other)] = [&pair[0], &pair[1]].map(|name| robot.link(name)) {
            robot.disable(one, other);
        }
    }
    let locks: Vec<(&str, f64)> = problem.locks.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    robot.lock(&locks)?;
    Ok(robot)
}

fn solve(
    robot: &Robot,
    problem: &Problem,
    samples: Option<u64>,
    seed: u64,
    totals: &mut Totals,
) -> Result<(), Failure> {
    let mut world = World::default();
    for (shape, pose) in &problem.obstacles {
        world.insert(shape.clone(), *pose);
    }
    let mut checker = Checker::new(robot, Some(&world));
    let (start, goal) = problem.ends.split_at(problem.ends.len() / 2);
    let mut is_valid = true;
    for (name, q) in [("start", start), ("goal", goal)] {
        let found = checker.clearance(q)?.ok_or("no pair is checked")?;
        let state = if found.lower > 0.0 {
            "valid"
        } else if found.upper < 0.0 {
            "invalid"
        } else {
            "unknown"
        };
        if state != "valid" {
            let [a, b] = checker.names(found.parts);
            totals.count(format!("{name} {state}: {a} - {b}"));
        }
        is_valid &= state == "valid";
    }
    let scenario = problem.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    totals.count(format!("{scenario} {}", if is_valid { "valid" } else { "not valid" }));
    let Some(samples) = samples.filter(|_| is_valid) else { return Ok(()) };
    let begun = Instant::now();
    let plan = checker.plan(start, goal, &PlanOptions { samples, seed, ..PlanOptions::default() })?;
    totals.time("plan with shortcuts", begun.elapsed().as_secs_f64());
    totals.count("planned");
    let path = match plan {
        Plan::Found(path) => {
            totals.count("solved");
            if checker.path(&path.waypoints, &EdgeOptions { share: 0.0, ..EdgeOptions::default() })?.free()
                == Some(true)
            {
                totals.count("solved and proved again by another checker");
            }
            path.waypoints
        }
        _ => {
            println!("not solved: {}", problem.name);
            vec![start.to_vec(), goal.to_vec()]
        }
    };
    // Configurations around the path, each joint up to half a radian from it, and edges between neighbours of half a radian at most.
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut near = || -> Vec<f64> {
        let edge = rng.usize(..path.len() - 1);
        let share = rng.f64();
        path[edge].iter().zip(&path[edge + 1]).map(|(a, b)| a + share * (b - a) + rng.f64() - 0.5).collect()
    };
    let all: Vec<Vec<f64>> = (0..256).map(|_| near()).collect();
    let begun = Instant::now();
    let answers = all.iter().map(|q| checker.in_collision(q)).collect::<Result<Vec<_>, _>>()?;
    totals.time("configuration", begun.elapsed().as_secs_f64() / all.len() as f64);
    totals.configurations += all.len();
    let free: Vec<&Vec<f64>> = all.iter().zip(&answers).filter(|(_, a)| **a == Collides::No).map(|(q, _)| q).collect();
    for pair in free.windows(2) {
        let length = pair[0].iter().zip(pair[1]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let share = (0.5 / length).min(1.0);
        let to: Vec<f64> = pair[0].iter().zip(pair[1]).map(|(a, b)| a + share * (b - a)).collect();
        for (name, options) in [
            ("edge, with a bound on the clearance", EdgeOptions::default()),
            ("edge, yes or no", EdgeOptions { share: 0.0, resolution: 1.0, ..EdgeOptions::default() }),
        ] {
            let begun = Instant::now();
            let edge = checker.edge(pair[0], &to, &options)?;
            let seconds = begun.elapsed().as_secs_f64();
            let kind = match edge {
                Edge::Free(_) => "free",
                Edge::Contact(_) => "contact",
                Edge::Undecided { .. } => "undecided",
            };
            if kind == "free" {
                totals.time(name, seconds);
            }
            totals.count(format!("{name}: {kind}"));
        }
    }
    Ok(())
}
