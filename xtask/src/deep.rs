//! Long checks: the soak, the long forms of the tests, the papers' experiments, mutation testing.

use super::{cargo, step};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// One step.
struct Step {
    name: &'static str,
    /// An estimate of the time on two cores.
    minutes: u32,
    /// Environment variables, as `NAME=value`, and the arguments of cargo.
    variables: &'static str,
    command: &'static str,
    about: &'static str,
}

const STEPS: &[Step] = &[
    Step {
        name: "packages",
        minutes: 3,
        variables: "",
        command: "package --allow-dirty -p clearance -p clearance-verify -p clearance-io -p clearance-sim -p clearance-robot -p clearance-cli",
        about: "every package that users get, unpacked and built by itself",
    },
    Step {
        name: "conform",
        minutes: 8,
        variables: "",
        command: "run --release -p clearance-bench --bin conform --",
        about: "the conformance suite against every library that is there; suite/README.md says how to get them",
    },
    Step {
        name: "soak",
        minutes: 20,
        variables: "",
        command: "run --release -p clearance-lab --bin soak -- --minutes 20",
        about: "pairs without end, every engine, every answer checked",
    },
    Step {
        name: "robots",
        minutes: 1,
        variables: "CLEARANCE_ROBOT_EDGES=10000",
        command: "test --release -p clearance-robot --test main",
        about: "random edges of a robot against dense samples; CLEARANCE_ROBOTS names a folder with the unpacked wheel example-robot-data",
    },
    Step {
        name: "engines",
        minutes: 3,
        variables: "PAIRS=100000",
        command: "test --release -p clearance-lab --test main engines::",
        about: "random and structured pairs against the oracle",
    },
    Step {
        name: "letters",
        minutes: 10,
        variables: "LETTERS=2",
        command: "test --release -p clearance-sim --test main letters_and_digits -- --nocapture",
        about: "200 letters through a funnel and ten digits in a bowl, with the time of a frame",
    },
    Step {
        name: "rigid_ipc",
        minutes: 30,
        variables: "SCENES=0 MODES=event,steps WALL=30",
        command: "test --release -p clearance-sim --test main table -- --ignored --nocapture",
        about: "the scenes of Rigid IPC for as long as their files say: time, worst penetration, gain of energy",
    },
    Step {
        name: "errors",
        minutes: 3,
        variables: "",
        command: "run --release -p clearance-lab --bin errors -- docs/src/errors.md",
        about: "the guide's table of worst errors, written again; it fails if a truth is outside of its bracket",
    },
    Step {
        name: "separating_vector",
        minutes: 2,
        variables: "PAIRS=1000000",
        command: "test --release -p clearance-papers --test main separating_vector::",
        about: "the separating-vector search against GJK and the oracle",
    },
    Step {
        name: "closed_forms",
        minutes: 1,
        variables: "PAIRS=100000",
        command: "test --release -p clearance-lab --test main closed_forms::",
        about: "pairs that have a formula",
    },
    Step {
        name: "contacts",
        minutes: 10,
        variables: "CONTACTS=100000",
        command: "test --release -p clearance-lab --test main contacts::",
        about: "contact manifolds of every two kinds in every placement, each point against 32 digits",
    },
    Step {
        name: "rapier_check",
        minutes: 3,
        variables: "",
        command: "check -p clearance-rapier --features rapier --all-targets",
        about: "the benchmark and tests beside rapier compile; the test command leaves that feature out",
    },
    Step {
        name: "rapier",
        minutes: 8,
        variables: "",
        command: "test --release -p clearance-rapier --features rapier",
        about: "rapier's stacks, pyramids and piles on clearance-parry, as stable as with parry's contacts",
    },
    Step {
        name: "cuboids",
        minutes: 1,
        variables: "PAIRS=100000",
        command: "test --release -p clearance-lab --test main cuboids::",
        about: "two boxes apart",
    },
    Step {
        name: "cuboid_depth",
        minutes: 1,
        variables: "PAIRS=20000",
        command: "test --release -p clearance-lab --test main cuboid_depth::",
        about: "two boxes in each other",
    },
    Step {
        name: "near_symmetry",
        minutes: 30,
        variables: "PAIRS=100000 PROOFS=10000",
        command: "test --release -p clearance-lab --test main near_symmetry::",
        about: "depths of nearly symmetric pairs, some of them before the checker",
    },
    Step {
        name: "derived",
        minutes: 10,
        variables: "CASES=100000",
        command: "test --release -p clearance-lab --test main derived::",
        about: "shapes of shapes, turned by 1e-17 to 1, against truths of a thousand bits",
    },
    Step {
        name: "hostile",
        minutes: 2,
        variables: "CASES=100000",
        command: "test --release -p clearance-lab --test main hostile::",
        about: "shapes that break their contract",
    },
    Step {
        name: "broad",
        minutes: 5,
        variables: "FRAMES=5000 SLOTS=300",
        command: "test --release -p clearance-lab --test main broad::",
        about: "worlds of boxes in every broad phase",
    },
    Step {
        name: "tracking",
        minutes: 5,
        variables: "TRACKING=full",
        command: "test --release -p clearance-papers --test main tracking::",
        about: "moving polytopes by features, in the papers' size",
    },
    Step {
        name: "scales",
        minutes: 5,
        variables: "SCALES=full MESHES=100000",
        command: "test --release -p clearance --test main scales::",
        about: "every kind in every power of two, and meshes in all decades against their triangles",
    },
    Step {
        name: "late",
        minutes: 5,
        variables: "LATE=100000",
        command: "test --release -p clearance-lab --test main late::",
        about: "motions that start at 0 to 1e12, against 1024 bits and the checker",
    },
    Step {
        name: "turns",
        minutes: 10,
        variables: "TURNS=10000 RINGS=3000",
        command: "test --release -p clearance-lab --test main turns::",
        about: "worlds over thousands of turns, against distances at single times and pairs alone",
    },
    Step {
        name: "schedule",
        minutes: 5,
        variables: "EDITS=12000",
        command: "test --release -p clearance --test main world_schedule::",
        about: "the kept schedule of a world after random edits, against a new one and against all pairs",
    },
    Step {
        name: "impacts",
        minutes: 5,
        variables: "MOTIONS=1000000 BODIES=1000 SECONDS=10",
        command: "test --release -p clearance-lab --test main impacts::",
        about: "times of impact against sampled distances, worlds against all pairs",
    },
    Step {
        name: "meshes",
        minutes: 10,
        variables: "POSES=1000",
        command: "test --release -p clearance-lab --test main meshes::",
        about: "lab models against all pairs of their triangles",
    },
    Step {
        name: "depths",
        minutes: 20,
        variables: "POSES=100",
        command: "test --release -p clearance-lab --test main depth::",
        about: "depths of solids against free places found at random",
    },
    Step {
        name: "depth_evidence",
        minutes: 10,
        variables: "CASES=20",
        command: "test --release -p clearance-lab --test main depth_evidence::",
        about: "evidence of depths before the checker; MODELS=folder adds real models",
    },
    Step {
        name: "worlds",
        minutes: 5,
        variables: "FRAMES=2000",
        command: "test --release -p clearance-lab --test main world::",
        about: "worlds against all pairs, frame by frame",
    },
    Step {
        name: "rays",
        minutes: 10,
        variables: "RAYS=100000",
        command: "test --release -p clearance --test main cast::",
        about: "rays against thirty digits, and worlds against every body",
    },
    Step {
        name: "supports",
        minutes: 5,
        variables: "DIRECTIONS=1000000",
        command: "test --release -p clearance --lib hierarchy",
        about: "the hierarchy of support points on hulls of 100,000 vertices",
    },
    Step {
        name: "checker",
        minutes: 5,
        variables: "CELLS=1000000",
        command: "test --release -p clearance-verify --lib soundness",
        about: "cells of directions against the heights in them",
    },
    Step {
        name: "links",
        minutes: 2,
        variables: "LINKS=10000",
        command: "test --release -p clearance-verify --lib motion::",
        about: "proved links against the gaps at times in between",
    },
    Step {
        name: "false_lines",
        minutes: 60,
        variables: "HOSTILE=100000 HONEST=1000000",
        command: "test --release -p clearance-io --test main hostile::",
        about: "false lines and true ones before the checker",
    },
    Step {
        name: "proofs",
        minutes: 10,
        variables: "PAIRS=100000",
        command: "test --release -p clearance-io --test main proof::",
        about: "evidence of distances of drawn pairs",
    },
    Step {
        name: "mesh_evidence",
        minutes: 20,
        variables: "MESHES=10000 TORUS=4",
        command: "test --release -p clearance-io --test main solids::",
        about: "evidence of meshes, also large ones, and the same spoiled",
    },
    Step {
        name: "impact_evidence",
        minutes: 20,
        variables: "IMPACTS=10000 SPOILED=10000 APPROACHES=10000",
        command: "test --release -p clearance-io --test main impact::",
        about: "evidence of impacts and closest approaches, and the same spoiled",
    },
    Step {
        name: "start_evidence",
        minutes: 10,
        variables: "STARTS=10000 SPOILED_STARTS=10000",
        command: "test --release -p clearance-io --test main start::",
        about: "evidence of contacts at the start",
    },
    Step {
        name: "part_evidence",
        minutes: 20,
        variables: "PARTS=10000 SPOILED=10000 APPROACHES=10000",
        command: "test --release -p clearance-io --test main moving_parts::",
        about: "evidence of moving compounds and meshes",
    },
    Step {
        name: "cast_evidence",
        minutes: 10,
        variables: "CASTS=10000 SPOILED=10000",
        command: "test --release -p clearance-io --test main casts::",
        about: "evidence of casts of rays and shapes",
    },
    Step {
        name: "damaged_files",
        minutes: 10,
        variables: "DAMAGED=400000",
        command: "test --release -p clearance-io --test main damaged::",
        about: "damaged files of each format",
    },
    Step {
        name: "forged_evidence",
        minutes: 40,
        variables: "CASES=100000",
        command: "test --release -p clearance-cli --test main forged::",
        about: "evidence of checks, forged, truncated, reordered and mixed",
    },
    Step {
        name: "scene_evidence",
        minutes: 10,
        variables: "SCENES=200",
        command: "test --release -p clearance-cli --test main bound::the_evidence_of_drawn_scenes",
        about: "evidence of drawn scenes compared with them; MESH_FOLDER=folder adds real .obj files",
    },
    Step {
        name: "experiments",
        minutes: 30,
        variables: "",
        command: "run --release -p clearance-papers -- --tables",
        about: "the tables of the papers, in full",
    },
    Step {
        name: "mutants_broad",
        minutes: 180,
        variables: "",
        command: "mutants -p clearance -f crates/clearance/src/broad/**",
        about: "does every small change to a broad phase fail a test? (.cargo/mutants.toml)",
    },
    Step {
        name: "mutants_pairs",
        minutes: 1300,
        variables: "",
        command: "mutants -p clearance -f crates/clearance/src/pair/** -f crates/clearance/src/narrow/**",
        about: "does every small change to a pair or an engine fail a test?",
    },
];

/// Runs the steps of these names, or all; `--list` prints them.
pub fn run(names: &[&str]) -> Result<(), String> {
    if names == ["--list"] {
        for Step { name, minutes, variables, command, about } in STEPS {
            println!("{name} (about {minutes} min): {about}\n    {variables} cargo {command}");
        }
        return Ok(());
    }
    if let Some(unknown) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        return Err(format!("there is no step {unknown}; `cargo xtask deep --list` prints them"));
    }
    for Step { name, variables, command, .. } in STEPS {
        if names.is_empty() || names.contains(name) {
            step(name, || {
                if command.starts_with("mutants") {
                    is_installed()?;
                }
                let variables: Vec<_> = variables.split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
                cargo(&command.split_whitespace().collect::<Vec<_>>(), &variables)
            })?;
        }
    }
    Ok(())
}

/// Environment variables that tests read for another reason than a long form.
const OTHER_VARIABLES: [&str; 7] =
    ["BROWSER", "CARGO_MANIFEST_DIR", "MESH_FOLDER", "PATH", "RIGID_IPC", "SEED", "SOLID"];

/// Fails if a test has a long form that no step runs: a variable that a test reads and no step sets.
pub fn check() -> Result<(), String> {
    let mut read = BTreeSet::new();
    variables_in(Path::new("crates"), &mut read)?;
    let set: BTreeSet<&str> = STEPS
        .iter()
        .flat_map(|step| step.variables.split_whitespace())
        .filter_map(|pair| pair.split('=').next())
        .collect();
    let missing: Vec<String> = read.into_iter().filter(|name| !set.contains(&name[..])).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("no step of `cargo xtask deep` sets {}, which a test reads for its long form", missing.join(", ")))
}

/// Adds the variables that Rust files under a path read: arguments in capital letters.
fn variables_in(path: &Path, names: &mut BTreeSet<String>) -> Result<(), String> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(|error| error.to_string())? {
            variables_in(&entry.map_err(|error| error.to_string())?.path(), names)?;
        }
        return Ok(());
    }
    if path.extension().is_none_or(|extension| extension != "rs") || path.starts_with("crates/clearance-bench") {
        return Ok(());
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read ({error})", path.display()))?;
    // A file may have a function of its own that reads the variable of a name.
    let before = if text.contains("env::var(name)") { "(\"" } else { "env::var(\"" };
    for argument in text.split(before).skip(1) {
        let Some((name, _)) = argument.split_once('"') else { continue };
        let is_variable = name.len() > 3 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if is_variable && !OTHER_VARIABLES.contains(&name) {
            names.insert(name.to_owned());
        }
    }
    Ok(())
}

/// Mutation testing is a tool of its own.
fn is_installed() -> Result<(), String> {
    let mut version = Command::new(env!("CARGO"));
    version.args(["mutants", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = version.status().is_ok_and(|status| status.success());
    is_there.then_some(()).ok_or("cargo-mutants is missing; `cargo install cargo-mutants --locked` installs it".into())
}
