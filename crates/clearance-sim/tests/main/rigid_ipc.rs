//! The public scenes of Rigid IPC. They are not part of the repository: `RIGID_IPC=FOLDER` names the folder with `fixtures` and `meshes`.

use clearance_sim::{Error, Kind, Mode, Settings, Simulation, rigid_ipc};
use std::path::{Path, PathBuf};

/// The folder, or nothing and a line that says so.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("RIGID_IPC").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/rigid-ipc");
    let found = named.into_iter().chain([beside]).find(|folder| folder.join("fixtures").is_dir());
    if found.is_none() {
        println!("skipped: the scenes of Rigid IPC are not there; RIGID_IPC=FOLDER names them");
    }
    found
}

fn scenes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => scenes(&path, found),
            path if path.extension().is_some_and(|ending| ending == "json") => found.push(path),
            _ => {}
        }
    }
    found.sort();
}

#[test]
fn every_scene_is_read_or_refused_by_a_sentence() {
    let Some(folder) = folder() else { return };
    let mut all = Vec::new();
    scenes(&folder.join("fixtures/3D/unit-tests"), &mut all);
    scenes(&folder.join("fixtures/3D/friction/turntable"), &mut all);
    assert!(all.len() > 15);
    let mut read = 0;
    for path in &all {
        match rigid_ipc::read(path, None) {
            // Open meshes have no volume, and so no mass.
            Ok(found) => match found.scene.check() {
                Ok(()) => read += 1,
                Err(error) => assert!(error.to_string().contains("without a volume"), "{path:?}: {error}"),
            },
            Err(Error::File(sentence)) => assert!(sentence.contains("cannot be simulated"), "{sentence}"),
            Err(error) => panic!("{path:?}: {error}"),
        }
    }
    assert!(read >= 15, "{read}");
}

#[test]
fn nothing_tunnels_through_walls() {
    let Some(folder) = folder() else { return };
    for (name, least) in [("tunneling.json", 1), ("tunnel/2-walls.json", 0)] {
        let read = rigid_ipc::read(&folder.join("fixtures/3D/unit-tests").join(name), None).unwrap();
        let mut simulation = Simulation::new(&read.scene, Settings::default()).unwrap();
        simulation.advance(0.5).unwrap();
        assert!(simulation.events() >= least && simulation.measure() == 0.0, "{name}: {}", simulation.events());
    }
}

#[test]
fn what_cannot_be_simulated_is_refused_and_missing_meshes_are_named() {
    let folder = std::env::temp_dir().join(format!("clearance-sim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |body: &str| {
        let path = folder.join("scene.json");
        std::fs::write(&path, format!(r#"{{"rigid_body_problem": {{"rigid_bodies": [{body}]}}}}"#)).unwrap();
        rigid_ipc::read(&path, None)
    };
    let poses = write(r#"{"mesh": "a.obj", "kinematic_poses": [{"position": [0, 1, 0]}]}"#).unwrap_err().to_string();
    assert!(poses.ends_with("rigid_bodies[0].kinematic_poses cannot be simulated; leave it out"), "{poses}");
    let missing = write(r#"{"mesh": "nowhere.obj"}"#).unwrap_err().to_string();
    assert!(missing.ends_with("rigid_bodies[0].mesh is \"nowhere.obj\", but there is no such file"), "{missing}");
    let outside = write(r#"{"mesh": "../scene.json"}"#).unwrap_err().to_string();
    assert!(outside.contains("there is no such file"), "{outside}");
    std::fs::write(folder.join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        .unwrap();
    let read = write(r#"{"mesh": "a.obj", "position": [0, 2, 0], "scale": 2, "is_dof_fixed": [true, true, true, true, false, true]}"#).unwrap();
    let body = &read.scene.bodies[0];
    assert!((body.shape.volume().unwrap() - 8.0 / 6.0).abs() < 1e-12 && matches!(body.kind, Kind::Dynamic(_)));
    assert_eq!((body.shape.kind(), body.locked_rotation), ("hull", [true, false, true]));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// How far bodies have moved, and how fast they are.
fn outcome(simulation: &Simulation) -> String {
    let bodies = &simulation.scene().bodies;
    let dynamic = || (0..bodies.len()).filter(|&body| matches!(bodies[body].kind, Kind::Dynamic(_)));
    let travel = |body: usize| simulation.pose(body).translation().distance(bodies[body].pose.translation());
    let fastest = dynamic().map(|body| simulation.velocity(body).length()).fold(0.0, f64::max);
    let farthest = dynamic().map(travel).fold(0.0, f64::max);
    format!("farthest {farthest:.2e}, fastest {fastest:.1e}")
}

/// Scenes in all modes: `SCENES=SECONDS[,NAME] MODES=event,steps cargo test -p clearance-sim --test main table -- --ignored --nocapture`. A scene that takes more than `WALL` seconds (3) of wall time is broken off; the row has the
/// time that it reached.
#[test]
#[ignore = "a table for people, a few minutes"]
fn table() {
    let Some(folder) = folder() else { return };
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.into());
    let chosen = variable("SCENES", "1");
    let (seconds, part) = chosen.split_once(',').unwrap_or((&chosen, ""));
    let (seconds, wall): (f64, f64) = (seconds.parse().unwrap(), variable("WALL", "3").parse().unwrap());
    let modes = variable("MODES", "event,steps,penalty");
    let mut all = Vec::new();
    scenes(&folder.join("fixtures/3D"), &mut all);
    for path in all.iter().filter(|path| path.to_string_lossy().contains(part)) {
        let name = path.strip_prefix(folder.join("fixtures/3D")).unwrap_or(path).display().to_string();
        let read = match rigid_ipc::read(path, None) {
            Ok(read) => read,
            Err(error) => {
                println!("| {name} | {} |", error.to_string().rsplit(": ").next().unwrap_or_default());
                continue;
            }
        };
        for mode in Mode::ALL.into_iter().filter(|mode| modes.split(',').any(|name| name == mode.name())) {
            let clock = std::time::Instant::now();
            let settings = Settings { mode, ..Settings::default() };
            let mut simulation = match Simulation::new(&read.scene, settings) {
                Ok(simulation) => simulation,
                Err(error) => {
                    println!("| {name} | {} | refused: {error} |", mode.name());
                    continue;
                }
            };
            let (start, mut highest) = (simulation.energy(), 0.0_f64);
            let mut stopped = String::new();
            let seconds = if seconds > 0.0 { seconds } else { read.seconds.unwrap_or(2.0) };
            for frame in 1..=(60.0 * seconds) as u32 {
                if let Err(error) = simulation.advance(f64::from(frame) / 60.0) {
                    stopped = error.to_string();
                    break;
                }
                simulation.measure();
                highest = highest.max(simulation.energy() - start);
                if clock.elapsed().as_secs_f64() >= wall {
                    stopped = "out of wall time".into();
                    break;
                }
            }
            println!(
                "| {name} | {} | {} | {:.3} s in {:.2} s | {:.1e} | gain {:.1e} of {:.1e} | {} {stopped} |",
                mode.name(),
                read.scene.bodies.len(),
                simulation.time(),
                clock.elapsed().as_secs_f64(),
                simulation.worst_penetration(),
                highest,
                start.abs(),
                outcome(&simulation),
            );
        }
    }
}
