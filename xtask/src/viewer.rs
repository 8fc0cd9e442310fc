//! The report page: built from `viewer` with Node into one file, which the program embeds. Building the program alone needs no Node.

use super::{map, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The page as it is embedded.
const BUILT: &str = "crates/clearance-cli/assets/report.html";

/// Where pages for the tests are written.
const PAGES: &str = "target/viewer-pages";

/// Where the browser may be, as in `viewer/test/browser.mjs`.
const BROWSERS: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Builds the page.
pub fn build() -> Result<(), String> {
    if let Some(missing) = missing_for_building() {
        return Err(missing);
    }
    install()?;
    npm(&["run", "--silent", "build"], &[])
}

/// The page that is embedded is the one that its sources make. Needs no Node.
pub fn fresh() -> Result<(), String> {
    let page = map::read(BUILT)?;
    let now = fingerprint()?;
    if page.lines().take(2).any(|line| line.contains(&format!("sources {now} "))) {
        println!("{BUILT} is built from the sources {now}");
        return Ok(());
    }
    Err(format!("{BUILT} is older than its sources in viewer; `cargo xtask viewer` builds it again"))
}

/// The page in a browser; `None` where everything has run, else a sentence about what was missing.
pub fn browser() -> Result<Option<String>, String> {
    if let Some(missing) = missing_for_testing() {
        println!("skipped: {missing}");
        return Ok(Some(missing));
    }
    if let Err(sentence) = install() {
        let missing =
            format!("the packages of viewer cannot be installed ({sentence}); `npm ci` in viewer brings them");
        println!("skipped: {missing}");
        return Ok(Some(missing));
    }
    write_pages()?;
    let pages = Path::new(PAGES).canonicalize().map_err(|error| format!("{PAGES}: {error}"))?;
    npm(&["test", "--silent"], &[("CLEARANCE_PAGES", &pages.to_string_lossy())])?;
    Ok(None)
}

/// Pages as the program writes them: what it has built in, what moves, and two meshes.
fn write_pages() -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{PAGES} cannot be written ({error})");
    fs::create_dir_all(PAGES).map_err(fault)?;
    let file = |name: &str| format!("{PAGES}/{name}");
    fs::write(file("plate.obj"), cuboid([-2.0, -2.0, 0.0], [2.0, 2.0, 0.5])).map_err(fault)?;
    fs::write(file("pin.obj"), cuboid([-0.25, -0.25, 0.4], [0.25, 0.25, 3.0])).map_err(fault)?;
    check(&["--report", &file("work-cell.html")])?;
    check(&["--until", "4", "--report", &file("moving.html")])?;
    check(&["--report", &file("meshes.html"), &file("plate.obj"), &file("pin.obj")])
}

/// Runs `clearance check`, which says with its exit code whether it found something.
fn check(arguments: &[&str]) -> Result<(), String> {
    let output = program::command("clearance")?
        .arg("check")
        .args(arguments)
        .output()
        .map_err(|error| format!("the program cannot be run ({error})"))?;
    match output.status.code() {
        Some(0 | 1) => Ok(()),
        _ => Err(format!("`clearance check` failed: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// A box as a mesh.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> String {
    let mut text = String::new();
    for corner in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] });
        text += &format!("v {x} {y} {z}\n");
    }
    for [a, b, c, d] in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
    }
    text
}

fn missing_for_building() -> Option<String> {
    let is_there = |name: &str| {
        let status = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    (!is_there("node") || !is_there("npm"))
        .then(|| "Node.js with npm is not installed; `apt-get install nodejs npm` or nodejs.org has it".into())
}

fn missing_for_testing() -> Option<String> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let is_there = named.into_iter().chain(BROWSERS.map(PathBuf::from)).any(|path| path.exists());
    let browser = || "no Chromium is installed; `apt-get install chromium` brings it, or CHROMIUM names one".into();
    missing_for_building().or_else(|| (!is_there).then(browser))
}

/// Installs what `package-lock.json` names, once.
fn install() -> Result<(), String> {
    // npm writes this file when it has finished.
    let written = |path: &str| fs::metadata(path).and_then(|data| data.modified());
    let is_installed = match (written("viewer/node_modules/.package-lock.json"), written("viewer/package-lock.json")) {
        (Ok(installed), Ok(locked)) => installed >= locked,
        _ => false,
    };
    if is_installed { Ok(()) } else { npm(&["ci", "--silent", "--no-audit", "--no-fund"], &[]) }
}

fn npm(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new("npm");
    command.args(arguments).envs(environment.iter().copied()).current_dir("viewer");
    let status = command.status().map_err(|error| format!("npm cannot be started ({error})"))?;
    if status.success() { Ok(()) } else { Err(format!("`npm {}` in viewer failed", arguments.join(" "))) }
}

/// FNV-1a over the names and bytes of what the page is made from; `viewer/build.mjs` computes the same.
fn fingerprint() -> Result<String, String> {
    let mut paths: Vec<String> = ["build.mjs", "package.json", "package-lock.json"].map(str::to_owned).into();
    let mut folders = vec![PathBuf::from("viewer/src")];
    while let Some(folder) = folders.pop() {
        let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(fault)? {
            let path = entry.map_err(fault)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(inner) = path.strip_prefix("viewer") {
                paths.push(inner.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths.sort_unstable();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for path in &paths {
        let bytes = fs::read(format!("viewer/{path}")).map_err(|error| format!("viewer/{path}: {error}"))?;
        eat(path.as_bytes());
        eat(&[0]);
        eat(&bytes);
        eat(&[0]);
    }
    Ok(format!("{hash:016x}"))
}
