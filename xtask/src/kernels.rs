//! The kernels of clearance-gpu as PTX: made by a nightly compiler, and checked against their sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The crate of the entry points, and what it becomes.
const CRATE: &str = "crates/clearance-gpu/ptx";
const PTX: &str = "crates/clearance-gpu/src/kernels.ptx";

/// Folders and files that the PTX is made from.
const SOURCES: [&str; 3] =
    ["crates/clearance-gpu/src/kernel", "crates/clearance-gpu/ptx/src", "crates/clearance-gpu/ptx/Cargo.toml"];

const TARGET: &str = "nvptx64-nvidia-cuda";

/// The oldest device that the kernels run on. Limit: `CAPABILITY` in `launch.rs` of clearance-gpu.
const PROCESSOR: &str = "target-cpu=sm_80";

/// Writes the PTX.
pub fn write() -> Result<(), String> {
    let compiler = compiler()
        .ok_or("a nightly compiler with rust-src is needed: `rustup toolchain install nightly --component rust-src`")?;
    let text = head(&compiler)? + &make()?;
    fs::write(PTX, text).map_err(|error| format!("{PTX}: {error}"))
}

/// Fails if the PTX was made from other sources, or if the same compiler makes other PTX of them. Sentences say what is missing here.
pub fn check() -> Result<Vec<String>, String> {
    let text = fs::read_to_string(PTX).map_err(|error| format!("{PTX}: {error}"))?;
    let made_by = text.lines().nth(2).and_then(|line| line.strip_prefix("// Compiler: ")).unwrap_or_default();
    if !text.starts_with(&head(made_by)?) {
        return Err(format!("{PTX} was made from other sources; run `cargo xtask ptx`"));
    }
    let mut missing = Vec::new();
    match compiler() {
        Some(compiler) if compiler == made_by => match make() {
            Ok(made) if text == head(made_by)? + &made => {}
            Ok(_) => return Err(format!("{PTX} is not what {made_by} makes; run `cargo xtask ptx`")),
            Err(error) => missing.push(format!("the kernels were not compiled again: {error}")),
        },
        _ => missing.push(format!("the kernels were not compiled again: that needs {made_by} with rust-src")),
    }
    if !has_device() {
        missing.push("no GPU is here: the kernels ran in their CPU form only".into());
    }
    for sentence in &missing {
        println!("{sentence}");
    }
    Ok(missing)
}

/// The lines above the PTX.
fn head(compiler: &str) -> Result<String, String> {
    Ok(format!(
        "// Made by `cargo xtask ptx`; not edited by hand.\n// Sources: {:016x}\n// Compiler: {compiler}\n",
        sources()?
    ))
}

/// A hash of all sources, FNV-1a with 64 bits: it tells when they were changed, not by whom.
fn sources() -> Result<u64, String> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for path in SOURCES.iter().map(Path::new) {
        let mut files: Vec<PathBuf> = if path.is_dir() {
            let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
            entries.flatten().map(|entry| entry.path()).collect()
        } else {
            vec![path.to_owned()]
        };
        files.sort();
        for file in files {
            let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            // A checkout may have other ends of lines.
            for byte in bytes.into_iter().filter(|byte| *byte != b'\r') {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    Ok(hash)
}

/// The nightly compiler, if it has the sources of the standard library.
fn compiler() -> Option<String> {
    let ask = |arguments: &[&str]| {
        let output = Command::new("rustc").arg("+nightly").args(arguments).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let version = ask(&["--version"])?;
    let library = Path::new(&ask(&["--print", "sysroot"])?).join("lib/rustlib/src/rust/library/core");
    library.exists().then_some(version)
}

/// Compiles the entry points and returns the PTX.
fn make() -> Result<String, String> {
    let folder = fs::canonicalize("target").map_err(|error| format!("target: {error}"))?.join("ptx");
    let mut command = Command::new("cargo");
    command.args(["+nightly", "rustc", "--quiet", "--release", "-Zbuild-std=core", "--target", TARGET]);
    // This command has been started by another cargo, whose settings are not those of the nightly one.
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"] {
        command.env_remove(name);
    }
    command.args(["--", "--emit", "asm", "-C", PROCESSOR]).env("CARGO_TARGET_DIR", &folder).current_dir(CRATE);
    let output = command.output().map_err(|error| format!("cargo +nightly cannot be started ({error})"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(text.lines().find(|line| line.starts_with("error")).unwrap_or("cargo +nightly failed").into());
    }
    let made = folder.join(TARGET).join("release/deps");
    let entries = fs::read_dir(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    let newest = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "s"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("clearance_gpu_ptx")))
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok())
        .ok_or("the compiler has written no PTX")?;
    fs::read_to_string(&newest).map_err(|error| format!("{}: {error}", newest.display()))
}

/// Is there a CUDA device?
fn has_device() -> bool {
    let listed = Command::new("nvidia-smi").arg("-L").stdout(Stdio::null()).stderr(Stdio::null()).status();
    listed.is_ok_and(|status| status.success())
}
