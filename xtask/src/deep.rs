//! What takes longer than anybody waits for: the soak, the long forms of the tests, the papers' experiments, mutation testing.

use super::{cargo, step};
use std::process::{Command, Stdio};

/// One step.
struct Step {
    name: &'static str,
    /// What it takes on two cores, in minutes: reckoned from the short form, so only about.
    minutes: u32,
    /// Variables, as `NAME=value`, and what cargo is asked to do.
    variables: &'static str,
    command: &'static str,
    about: &'static str,
}

const STEPS: [Step; 24] = [
    Step {
        name: "packages",
        minutes: 3,
        variables: "",
        command: "package --allow-dirty -p clearance -p clearance-verify -p clearance-io -p clearance-cli",
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
        name: "engines",
        minutes: 3,
        variables: "PAIRS=100000",
        command: "test --release -p clearance-lab --test main engines::",
        about: "random and structured pairs against the oracle",
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
        command: "test --release -p clearance-lab --test main separating_vector::",
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
        command: "test --release -p clearance-lab --test main tracking::",
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
        variables: "TURNS=10000",
        command: "test --release -p clearance-lab --test main turns::",
        about: "worlds over thousands of turns, against distances at single times and pairs alone",
    },
    Step {
        name: "checker",
        minutes: 5,
        variables: "CELLS=1000000",
        command: "test --release -p clearance-verify --lib soundness",
        about: "cells of directions against the heights in them",
    },
    Step {
        name: "false_lines",
        minutes: 60,
        variables: "HOSTILE=100000 HONEST=1000000",
        command: "test --release -p clearance-io --test main hostile::",
        about: "false lines and true ones before the checker",
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
        command: "run --release -p clearance-lab --bin experiments",
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
        if names.is_empty() || names.contains(&name) {
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

/// Mutation testing is a tool of its own.
fn is_installed() -> Result<(), String> {
    let mut version = Command::new(env!("CARGO"));
    version.args(["mutants", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = version.status().is_ok_and(|status| status.success());
    is_there.then_some(()).ok_or("cargo-mutants is missing; `cargo install cargo-mutants --locked` installs it".into())
}
