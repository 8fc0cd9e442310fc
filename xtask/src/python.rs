//! The Python package: built into a virtual environment below `target`, tested there, and its types checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment, and where wheels are put.
const ENVIRONMENT: &str = "target/python";
const WHEELS: &str = "target/wheels";
const PACKAGE: &str = "crates/clearance-py";

/// Packages that the tests need.
const NEEDED: [&str; 5] = ["maturin>=1.9,<2", "numpy", "pytest>=8", "hypothesis>=6", "mypy>=1.11"];

/// The same, as the environment imports them.
const IMPORTED: &str = "import maturin, numpy, pytest, hypothesis, mypy";

/// Builds and tests the package; a sentence if Python or its packages are not there.
pub fn check() -> Result<Option<String>, String> {
    if let Some(missing) = prepare()? {
        println!("skipped: {missing}");
        return Ok(Some(missing));
    }
    // An old wheel of another version would be installed as well.
    let _ = fs::remove_dir_all(WHEELS);
    let interpreter = python().display().to_string();
    let manifest = format!("{PACKAGE}/Cargo.toml");
    let build = ["-m", "maturin", "build", "--quiet", "--profile", "quick", "--out", WHEELS];
    run(&[&build[..], &["--manifest-path", &manifest, "--interpreter", &interpreter]].concat(), ".")?;
    let wheels = fs::read_dir(WHEELS).map_err(|error| format!("{WHEELS}: {error}"))?;
    let wheel = wheels.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "whl"));
    let wheel = wheel.ok_or("maturin has made no wheel")?.display().to_string();
    run(&["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", "--no-index", &wheel], ".")?;
    run(&["-m", "pytest", "--quiet"], PACKAGE)?;
    run(
        &["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", "../../target/mypy", "python/clearance"],
        PACKAGE,
    )?;
    run(&["-m", "mypy.stubtest", "clearance", "--ignore-disjoint-bases"], ".")?;
    Ok(None)
}

/// Makes the environment; a sentence if that is not possible.
fn prepare() -> Result<Option<String>, String> {
    let is_there = |program: &Path, code: &str| {
        let status = Command::new(program).args(["-c", code]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    if is_there(&python(), IMPORTED) {
        return Ok(None);
    }
    let of_system = ["python3", "python"].map(PathBuf::from);
    let wanted = "import sys, venv; assert sys.version_info >= (3, 10)";
    let Some(program) = of_system.iter().find(|program| is_there(program, wanted)) else {
        return Ok(Some("Python 3.10 with venv is not installed".into()));
    };
    let made = Command::new(program).args(["-m", "venv", "--clear", ENVIRONMENT]).status();
    if !made.is_ok_and(|status| status.success()) {
        return Ok(Some("a virtual environment cannot be made; the package python3-venv may be missing".into()));
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if run(&[&install[..], &NEEDED].concat(), ".").is_err() {
        return Ok(Some(format!("pip cannot install {}", NEEDED.join(", "))));
    }
    Ok(None)
}

/// The interpreter of the environment.
fn python() -> PathBuf {
    let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let path = Path::new(ENVIRONMENT).join(inside);
    // Not canonical: the environment is known by its path. Commands run in other folders.
    std::path::absolute(&path).unwrap_or(path)
}

fn run(arguments: &[&str], folder: &str) -> Result<(), String> {
    let status = Command::new(python()).args(arguments).current_dir(folder).env_remove("PYTHONPATH").status();
    let is_good = status.is_ok_and(|status| status.success());
    is_good.then_some(()).ok_or_else(|| format!("`python {}` in {folder} failed", arguments.join(" ")))
}
