//! `clearance check` with a URDF: the closest pair at a configuration, or a path that is proved edge by edge.

mod page;
mod print;
mod values;

use crate::args::{CheckArgs, SceneArgs};
use crate::check::load;
use crate::check::progress::Progress;
use crate::{Outcome, output};
use clearance_io::Scene;
use clearance_robot::{Checker, Edge, EdgeOptions, Options, Part, Robot, RobotClearance};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Everything that is known about a robot among obstacles.
struct Checked {
    robot: Robot,
    /// The obstacles.
    scene: Scene,
    checker: Checker,
    asked: Asked,
    notes: Vec<String>,
    fail_within: Option<f64>,
}

/// The question with its answer.
enum Asked {
    Configuration { q: Vec<f64>, found: Option<RobotClearance> },
    Path { waypoints: Vec<Vec<f64>>, edges: Vec<Edge> },
}

/// The states of a robot, as outputs name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Contact,
    TooClose,
    Undecided,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Contact => "contact",
            Self::TooClose => "too_close",
            Self::Undecided => "undecided",
        }
    }

    /// Only a proof gives zero.
    const fn outcome(self) -> Outcome {
        match self {
            Self::Free => Outcome::Good,
            Self::Contact | Self::TooClose => Outcome::Bad,
            Self::Undecided => Outcome::Undecided,
        }
    }
}

fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("urdf"))
}

/// Is the check about a robot?
pub fn is_asked(args: &CheckArgs) -> bool {
    let robot = &args.robot;
    args.scene.inputs.iter().any(|path| is_urdf(path))
        || robot.srdf.is_some()
        || robot.joints.is_some()
        || robot.path.is_some()
        || !robot.packages.is_empty()
}

/// Checks, writes the page if it is wanted, and prints.
pub fn run(args: &CheckArgs) -> Result<Outcome, String> {
    let checked = Checked::new(args)?;
    let state = checked.state();
    if let Some(path) = &args.report {
        page::write(path, &checked, args)?;
    }
    let mut out = io::stdout().lock();
    let result = if args.json { writeln!(out, "{}", print::json(&checked)) } else { print::text(&mut out, &checked) };
    output::written(result.and_then(|()| out.flush()), state.outcome())
}

/// The bytes that `--json` would print.
pub fn to_json(args: &CheckArgs) -> Result<Vec<u8>, String> {
    let checked = Checked::new(args)?;
    if let Some(path) = &args.report {
        page::write(path, &checked, args)?;
    }
    Ok(format!("{}\n", print::json(&checked)).into_bytes())
}

impl Checked {
    fn new(args: &CheckArgs) -> Result<Self, String> {
        let (urdf, others) = inputs(args)?;
        let options = Options {
            package_dirs: args.robot.packages.clone(),
            allowed: args.scene.allow.clone(),
            fill_holes: args.scene.fill_holes,
        };
        let robot = Robot::load(&urdf, args.robot.srdf.as_deref(), &options).map_err(|error| error.to_string())?;
        let scene = if others.is_empty() {
            Scene::default()
        } else {
            load::load(&SceneArgs { inputs: others, ..args.scene.clone() }, false)?.scene
        };
        let checker = Checker::new(&robot, Some(&scene.to_world(0.0)));
        let notes = [robot.notes(), &scene.notes].concat();
        let start = values::configuration(&robot, args.robot.joints.as_deref())?;
        let mut checked = Self {
            asked: Asked::Configuration { q: start, found: None },
            robot,
            scene,
            checker,
            notes,
            fail_within: args.fail_within,
        };
        checked.ask(args.robot.path.as_deref())?;
        Ok(checked)
    }

    fn ask(&mut self, path: Option<&Path>) -> Result<(), String> {
        let sentence = |error: clearance_robot::Error| error.to_string();
        let Asked::Configuration { q, found } = &mut self.asked else { return Ok(()) };
        let Some(path) = path else {
            *found = self.checker.clearance(q).map_err(sentence)?;
            return Ok(());
        };
        let waypoints = values::path(path, &self.robot, q)?;
        let at_least = self.fail_within.unwrap_or(0.0);
        let options = EdgeOptions { at_least, ..EdgeOptions::default() };
        let mut progress = Progress::new("proving edges");
        let mut edges = Vec::new();
        // A path of one configuration is an edge that does not move.
        let last = waypoints.len() - 1;
        for number in 0..last.max(1) {
            progress.at(number, last.max(1));
            let [from, to] = [&waypoints[number], &waypoints[(number + 1).min(last)]];
            let edge = self.checker.edge(from, to, &options).map_err(sentence)?;
            edges.push(edge);
            if edge.free() != Some(true) {
                break;
            }
        }
        self.asked = Asked::Path { waypoints, edges };
        Ok(())
    }

    /// No checked pair comes closer than this on the edges that are free.
    fn lower(&self) -> f64 {
        match &self.asked {
            Asked::Configuration { found, .. } => found.map_or(f64::INFINITY, |found| found.lower),
            Asked::Path { edges, .. } => edges
                .iter()
                .map(|edge| if let Edge::Free(free) = edge { free.lower } else { f64::INFINITY })
                .fold(f64::INFINITY, f64::min),
        }
    }

    fn state(&self) -> State {
        let is_close = self.fail_within.is_some_and(|least| self.lower() < least);
        let of_edge = |edge: &Edge| match edge {
            Edge::Free(_) => State::Free,
            Edge::Contact(_) => State::Contact,
            Edge::Undecided { .. } => State::Undecided,
        };
        let state = match &self.asked {
            Asked::Configuration { found: None, .. } => State::Free,
            Asked::Configuration { found: Some(found), .. } if found.lower > 0.0 => State::Free,
            Asked::Configuration { found: Some(found), .. } if found.upper < 0.0 => State::Contact,
            Asked::Configuration { .. } => State::Undecided,
            Asked::Path { edges, .. } => edges.last().map_or(State::Free, of_edge),
        };
        match state {
            State::Free if is_close => State::TooClose,
            // An undecided graze is closer than any margin.
            State::Undecided if self.fail_within.is_some_and(|least| least > 0.0) => State::TooClose,
            state => state,
        }
    }

    /// The name of a part: a link, or a body of the scene.
    fn name(&self, part: Part) -> &str {
        match part {
            Part::Link(link) => self.robot.link_names()[link],
            // A world that only grows gives out slots in order.
            Part::Obstacle(id) => &self.scene.bodies[id.slot() as usize].name,
        }
    }

    fn names(&self, parts: [Part; 2]) -> [&str; 2] {
        parts.map(|part| self.name(part))
    }
}

/// The robot, and the other files.
fn inputs(args: &CheckArgs) -> Result<(PathBuf, Vec<PathBuf>), String> {
    let (mut robots, others): (Vec<PathBuf>, Vec<PathBuf>) =
        args.scene.inputs.iter().cloned().partition(|path| is_urdf(path));
    let Some(urdf) = robots.pop() else {
        return Err("--srdf, --joints, --path and --packages are about a robot; name its .urdf file".into());
    };
    if !robots.is_empty() {
        return Err("two robots are given; name one .urdf file".into());
    }
    let scene = &args.scene;
    let refused = [
        ("--margin", scene.margin.is_some()),
        ("--until", scene.until.is_some()),
        ("--proof", args.proof.is_some()),
        ("--csv", args.csv),
        ("--watch", args.watch),
        ("--explain", args.explain),
        ("--surfaces", scene.surfaces),
        ("--skip-bad", scene.skip_bad),
    ];
    match refused.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(format!("{name} is not for robots; leave it out")),
        None => Ok((urdf, others)),
    }
}
