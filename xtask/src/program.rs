//! The program as a stranger meets it: the README's command, a scene, a stream, a mistake.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the program end to end.
pub fn check() -> Result<(), String> {
    expect("check", run(&["check"], "")?, 1, &["Built-in scene", "OVERLAP", "pairs checked"])?;
    expect(
        "check --json",
        run(&["check", "--json"], "")?,
        1,
        &["{\"format\":\"clearance-check/1\",\"bodies\":", "\"overlap\":true", "\"lower\":"],
    )?;
    expect("check --csv", run(&["check", "--csv"], "")?, 1, &["a,b,overlap,distance,point_a_x"])?;
    expect("check of nothing", run(&["check", "no-such-file.json"], "")?, 2, &["error: no-such-file.json"])?;
    let stream = "{\"define\": \"rock\", \"shape\": {\"hull\": {\"points\": [[1,0,0],[-1,0,0],[0,1,0],[0,0,1]]}}}\n\
                  {\"id\": 1, \"query\": \"distance\", \"a\": \"rock\", \"b\": {\"point\": {}}, \
                  \"pose_b\": {\"translation\": [3, 0, 0]}}\n";
    expect("query", run(&["query"], stream)?, 0, &["{\"id\":1,\"distance\":2.0,", "\"features\":[\"v0\",\"v0\"]"])?;
    let proved = run(&["query", "--proof"], stream)?;
    let answers = String::from_utf8_lossy(&proved.stdout).into_owned();
    expect("query --proof", proved, 0, &["\"request\":{\"query\":\"distance\"", "\"proof\":{\"format\":2,\"lower\":"])?;
    expect("verify", run(&["verify"], &answers)?, 0, &["1 answer: 1 proved, 0 refuted, 0 undecided"])?;
    let wrong = answers.replace("\"upper\":2.0", "\"upper\":1.0").replace("\"lower\":1.9", "\"lower\":0.9");
    expect("verify of a wrong answer", run(&["verify"], &wrong)?, 1, &["refuted: line 1, id 1: "])?;
    let bad = format!("{stream}not JSON\n");
    expect("query with a bad line", run(&["query"], &bad)?, 1, &["\"error\":\"line 3"])?;
    expect("--help", run(&["check", "--help"], "")?, 0, &["Examples:", "Exit codes:"])
}

/// A program of the workspace as it was built last, beside this one: by the tests, or by `cargo build`. (`cargo run` would build it again, since the features
/// of what it depends on are fewer when it is built alone.)
pub fn command(name: &str) -> Result<Command, String> {
    let this = std::env::current_exe().map_err(|error| format!("{name} cannot be found ({error})"))?;
    Ok(Command::new(this.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX))))
}

fn run(arguments: &[&str], input: &str) -> Result<Output, String> {
    let fault = |error: std::io::Error| format!("the program cannot be run ({error})");
    let mut child = command("clearance")?
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(fault)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(fault)?;
    }
    child.wait_with_output().map_err(fault)
}

fn expect(what: &str, output: Output, code: i32, fragments: &[&str]) -> Result<(), String> {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() != Some(code) {
        return Err(format!("`{what}` ended with {}, not with {code}:\n{text}", output.status));
    }
    match fragments.iter().find(|fragment| !text.contains(**fragment)) {
        Some(missing) => Err(format!("`{what}` did not print {missing:?}:\n{text}")),
        None => Ok(()),
    }
}
