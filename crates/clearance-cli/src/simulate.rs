//! `clearance simulate`: a scene that advances in time, with a summary, a recording and a page that plays it.

use crate::args::SimulateArgs;
use crate::check::progress::Progress;
use crate::output::printable;
use crate::replace::Replacement;
use crate::report::{self, Summary};
use crate::{Outcome, output};
use clearance_io::{Keyframe, Motion, Unit, counted};
use clearance_sim::{Error, Kind, Recording, Scene, Settings, Simulation, rigid_ipc, scenes};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;

/// The scene without arguments.
const BUILT_IN: &str = "cradle";

/// Seconds, where neither the command nor the scene says. Limit: the patience of someone who tries the command.
const SECONDS: f64 = 2.0;

/// Frames per second of recordings and pages. Limit: the rate of a screen.
const RATE: f64 = 60.0;

/// A scene to simulate, with its name for the summary.
struct Chosen {
    name: String,
    scene: Scene,
    seconds: f64,
}

/// Energy, momentum and time, at the start or the end.
struct Account {
    energy: f64,
    momentum: [f64; 3],
}

impl Account {
    fn of(simulation: &Simulation) -> Self {
        Self { energy: simulation.energy(), momentum: simulation.momentum().to_array() }
    }

    fn json(&self) -> Value {
        json!({"energy": self.energy, "momentum": self.momentum})
    }
}

/// Runs the subcommand.
pub fn run(args: &SimulateArgs) -> Result<Outcome, String> {
    if args.list {
        let lines: Vec<String> = scenes::NAMES.iter().map(|(name, about)| format!("{name:14}{about}")).collect();
        return output::written(writeln!(io::stdout(), "{}", lines.join("\n")), Outcome::Good);
    }
    let chosen = chosen(args)?;
    let settings = Settings { mode: args.mode.into(), envelope: args.epsilon, rate: args.rate, ..Settings::default() };
    let mut simulation = Simulation::new(&chosen.scene, settings).map_err(|error| error.to_string())?;
    let start = Account::of(&simulation);
    simulation.measure();
    let mut recording = Recording::new(&simulation, RATE).map_err(|error| error.to_string())?;
    let stopped = advance(&mut simulation, &mut recording, chosen.seconds);
    if let Some(path) = &args.output {
        let fault = |error: io::Error| format!("{} cannot be written: {error}", path.display());
        let mut file = Replacement::create(path).map_err(fault)?;
        recording.write(&mut file).map_err(fault)?;
        file.finish().map_err(fault)?;
    }
    if let Some(path) = &args.report {
        page(path, &chosen, &simulation, &recording).map_err(|sentence| format!("{}: {sentence}", path.display()))?;
    }
    let text = if args.json {
        summary_json(&chosen, &simulation, &start, stopped.as_ref()).to_string()
    } else {
        summary(&chosen, &simulation, &start)
    };
    let outcome = if stopped.is_some() { Outcome::Undecided } else { Outcome::Good };
    let written = output::written(writeln!(io::stdout(), "{text}"), outcome);
    if let Some(error) = stopped.filter(|_| !args.json) {
        output::complain(&error.to_string());
    }
    written
}

/// Advances frame by frame; the error that ended it early, if any.
fn advance(simulation: &mut Simulation, recording: &mut Recording, seconds: f64) -> Option<Error> {
    let mut progress = Progress::new("simulating");
    let frames = (seconds * RATE).ceil().max(1.0);
    for frame in 1..=frames as u64 {
        let until = (frame as f64 / RATE).min(seconds);
        let before = simulation.time();
        let stopped = simulation.advance(until).err();
        simulation.measure();
        if simulation.time() > before {
            recording.add(simulation);
        }
        if stopped.is_some() {
            return stopped;
        }
        progress.at(frame as usize, frames as usize);
    }
    None
}

fn chosen(args: &SimulateArgs) -> Result<Chosen, String> {
    let name = args.scene.clone().unwrap_or_else(|| BUILT_IN.into());
    let (scene, of_file) = match scenes::by_name(&name) {
        Some(scene) => (scene, None),
        None if Path::new(&name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) => {
            let read = rigid_ipc::read(Path::new(&name), args.meshes.as_deref()).map_err(|error| error.to_string())?;
            (read.scene, read.seconds)
        }
        None => {
            let names: Vec<&str> = scenes::NAMES.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "{name:?} is neither a built-in scene ({}) nor a file that ends in .json",
                names.join(", ")
            ));
        }
    };
    Ok(Chosen { name, scene, seconds: args.seconds.or(of_file).unwrap_or(SECONDS) })
}

fn summary(chosen: &Chosen, simulation: &Simulation, start: &Account) -> String {
    let end = Account::of(simulation);
    let bodies = counted(chosen.scene.bodies.len() as u64, "body", "bodies");
    let [x, y, z] = end.momentum;
    let [before_x, before_y, before_z] = start.momentum;
    format!(
        "{}: {bodies}, {} s in mode {}\n{}, {}\nworst penetration {:e}\nenergy {:.9} -> {:.9}\nmomentum ({before_x:.6}, {before_y:.6}, {before_z:.6}) -> ({x:.6}, {y:.6}, {z:.6})",
        printable(&chosen.name),
        simulation.time(),
        simulation.mode().name(),
        counted(simulation.events(), "impact", "impacts"),
        counted(simulation.checks(), "distance query", "distance queries"),
        simulation.worst_penetration(),
        start.energy,
        end.energy,
    )
}

fn summary_json(chosen: &Chosen, simulation: &Simulation, start: &Account, stopped: Option<&Error>) -> Value {
    let pose = |number: usize| {
        let pose = simulation.pose(number);
        json!({"translation": pose.translation().to_array(), "rotation": pose.rotation().to_array()})
    };
    let names = chosen.scene.bodies.iter().enumerate();
    let poses: Map<String, Value> = names.map(|(number, body)| (body.name.clone(), pose(number))).collect();
    json!({
        "format": "clearance-simulate/1",
        "scene": chosen.name,
        "mode": simulation.mode().name(),
        "seconds": simulation.time(),
        "steps": simulation.steps(),
        "events": simulation.events(),
        "checks": simulation.checks(),
        "worst_penetration": simulation.worst_penetration(),
        "epsilon": simulation.envelope(),
        "start": start.json(),
        "end": Account::of(simulation).json(),
        "collision_times": simulation.collision_times().map(|times| {
            json!({"by_cubics": times.by_cubics, "by_bisection": times.by_bisection, "by_proof": times.by_proof})
        }),
        "stopped": stopped.map(ToString::to_string),
        "poses": poses,
    })
}

/// Writes the page that plays the recording.
fn page(path: &Path, chosen: &Chosen, simulation: &Simulation, recording: &Recording) -> Result<(), String> {
    let mut scene = clearance_io::Scene { unit: Some(Unit::Metre), ..clearance_io::Scene::default() };
    for (number, body) in chosen.scene.bodies.iter().enumerate() {
        let keys = recording.keys(number);
        let motion = match (body.kind, keys.len()) {
            (Kind::Fixed, _) | (_, 0 | 1) => Motion::Fixed,
            _ => Motion::Keyframes(keys.into_iter().map(|(time, pose)| Keyframe::new(time, pose)).collect()),
        };
        let (name, shape, pose) = (body.name.clone(), body.shape.clone(), body.pose);
        scene.bodies.push(clearance_io::Body {
            name,
            shape,
            pose,
            group: None,
            motion,
            tags: clearance_io::Tags::default(),
            written: None,
        });
    }
    let gravity = chosen.scene.gravity;
    let summary = Summary {
        title: format!("Simulation: {}", chosen.name),
        unit: scene.unit,
        margin: None,
        until: Some(simulation.time()),
        checked: simulation.checks(),
        overlaps: 0,
        undecided: 0,
        within: 0,
        impacts: simulation.events(),
        fail_within: None,
        too_close: 0,
        shells: Vec::new(),
        filled_holes: Vec::new(),
        notes: vec![format!("Simulated in mode {}: {} impacts.", simulation.mode().name(), simulation.events())],
        plot: None,
        up: gravity.try_normalize().map(|down| -down),
    };
    let mut file = Replacement::create(path).map_err(|error| error.to_string())?;
    report::write(&mut file, &scene, &summary, &[])?;
    file.finish().map_err(|error| output::cannot_write(&error))
}
