//! Shared by the tests of the program: running it, and finding the suite.

pub mod variants;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the suite.
pub fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite")
}

/// An empty folder for one test.
pub fn empty_folder(name: &str) -> PathBuf {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(plain);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a test can make folders");
    path
}

/// The output of a run.
#[derive(Debug)]
pub struct Run {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The program, not yet running.
pub fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearance"));
    command.args(args);
    command
}

/// Runs the program in a folder.
pub fn run_in(folder: &Path, args: &[&str], stdin: &[u8]) -> Run {
    let mut child = program(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = stdin.to_vec();
    // In a thread of its own, since the program answers while it reads; it may also leave without reading.
    let writer = std::thread::spawn(move || drop(input.write_all(&text)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    let exit = output.status.code().expect("no signal ended the program");
    Run { exit, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs the program with files, in a folder of the test's name.
pub fn run_with(name: &str, files: &[(&str, &str)], args: &[&str], stdin: &str) -> Run {
    let folder = empty_folder(name);
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a test can write files");
    }
    run_in(&folder, args, stdin.as_bytes())
}

/// The most memory a process has had, in KiB.
#[cfg(target_os = "linux")]
pub fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
