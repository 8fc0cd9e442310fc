//! The published packages: five, which build without their default features, with the oldest compiler, and elsewhere.

use super::cargo;
use std::process::Command;

/// The packages that are published.
const PUBLISHED: [&str; 6] =
    ["clearance", "clearance-verify", "clearance-io", "clearance-sim", "clearance-robot", "clearance-cli"];

/// Where the libraries have to build as well.
const TARGETS: [&str; 3] = ["aarch64-unknown-linux-gnu", "i686-unknown-linux-gnu", "wasm32-unknown-unknown"];

/// The library without threads answers with the same bits. (The tests of the workspace have all features on.)
pub fn features() -> Result<(), String> {
    let test = ["test", "--profile", "quick", "--quiet", "--package", "clearance", "--test", "main"];
    let one_thread =
        ["--no-default-features", "--", "a_world_has_the_same_bits", "an_update_is_the_plain_query", "batch::"];
    cargo(&[&test[..], &one_thread].concat(), &[])
}

/// `rust-version` is what it says, if that tool chain is there. (Clippy finds most of what is too new without it.)
pub fn oldest_compiler() -> Result<(), String> {
    let version = oldest_version()?;
    let Some(chain) = rustup(&["toolchain", "list"])?.into_iter().find(|chain| chain.starts_with(&version)) else {
        println!("skipped: the tool chain {version} is not installed; `rustup toolchain install {version}` brings it");
        return Ok(());
    };
    // The compilers of several tool chains do not share what they have built.
    let folder = format!("target/{version}");
    let arguments = [&["run", &chain, "cargo", "check", "--quiet", "--target-dir", &folder], &packages(&PUBLISHED)[..]];
    run("rustup", &arguments.concat())
}

/// The libraries build for other processors, of which those are checked that are there. (The program is for desktops.)
pub fn other_processors() -> Result<(), String> {
    let installed = rustup(&["target", "list", "--installed"])?;
    for target in TARGETS {
        if installed.iter().any(|name| name == target) {
            cargo(&[&["check", "--quiet", "--target", target], &packages(&PUBLISHED[..4])[..]].concat(), &[])?;
        } else {
            println!("skipped: {target} is not installed; `rustup target add {target}` brings it");
        }
    }
    Ok(())
}

/// The packages can be put together, with their licences; `cargo xtask deep packages` also builds them.
pub fn contents() -> Result<(), String> {
    let package = ["package", "--quiet", "--allow-dirty", "--no-verify"];
    cargo(&[&package[..], &packages(&PUBLISHED)].concat(), &[])?;
    for name in PUBLISHED {
        let list = output(env!("CARGO"), &["package", "--list", "--allow-dirty", "--package", name])?;
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            if !list.iter().any(|line| line == file) {
                return Err(format!("the package {name} has no {file}; put it into its folder"));
            }
        }
    }
    Ok(())
}

fn packages<'a>(names: &[&'a str]) -> Vec<&'a str> {
    names.iter().flat_map(|name| ["--package", name]).collect()
}

/// `rust-version` of the workspace.
fn oldest_version() -> Result<String, String> {
    let text = std::fs::read_to_string("Cargo.toml").map_err(|error| format!("Cargo.toml cannot be read ({error})"))?;
    let version = text.lines().find_map(|line| line.strip_prefix("rust-version = "));
    version.map(|version| version.trim_matches('"').to_owned()).ok_or("Cargo.toml has no rust-version; add it".into())
}

/// The output of rustup, a line each; empty where there is no rustup.
fn rustup(arguments: &[&str]) -> Result<Vec<String>, String> {
    if Command::new("rustup").arg("--version").output().is_err() {
        return Ok(Vec::new());
    }
    let lines = output("rustup", arguments)?;
    Ok(lines.iter().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

/// The lines that a program prints.
fn output(program: &str, arguments: &[&str]) -> Result<Vec<String>, String> {
    let fault = |why: String| format!("`{program} {}` failed ({why})", arguments.join(" "));
    let output = Command::new(program).args(arguments).output().map_err(|error| fault(error.to_string()))?;
    if !output.status.success() {
        return Err(fault(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new(program).args(arguments).status();
    let is_good = status.is_ok_and(|status| status.success());
    is_good.then_some(()).ok_or_else(|| format!("`{program} {}` failed", arguments.join(" ")))
}
