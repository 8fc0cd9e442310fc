//! The driver of the conformance suite against adapters that are right, and against some that are wrong, die and hang.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A few cases, convex and overlapping: two questions each.
const FEW: &str = "hard/crossing/capsule through a box";

/// Runs the driver; its exit code, what it printed as JSON, and what it complained about.
fn conform(arguments: &[&str]) -> (i32, Value, String) {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suite");
    let output = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(arguments)
        .args(["--json", "--suite"])
        .arg(suite)
        .env_remove("CONFORM_PYTHON")
        .output()
        .expect("the driver runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    (output.status.code().expect("no signal"), report, said)
}

fn counts(report: &Value, name: &str) -> Vec<u64> {
    let libraries = report["libraries"].as_array().expect("libraries");
    let library = libraries.iter().find(|library| library["name"] == name).expect("the library");
    let names = ["asked", "right", "right_strictly", "wrong", "crashes", "hangs", "unsupported"];
    names.iter().map(|count| library["counts"][count].as_u64().expect("a count")).collect()
}

#[test]
fn clearance_is_right_about_every_question_in_every_variant() {
    let (exit, report, said) = conform(&["--against", "clearance"]);
    let counts = counts(&report, "clearance");
    let cases = report["libraries"][0]["cases"].as_array().expect("cases");
    let bad: Vec<&Value> = cases.iter().filter(|case| case["verdict"] != "right, strictly").collect();
    assert!(bad.is_empty(), "{} of {}: {:#?}", bad.len(), cases.len(), &bad[..bad.len().min(10)]);
    assert!(counts[0] >= 1400, "{counts:?}");
    assert_eq!(counts, [counts[0], counts[0], counts[0], 0, 0, 0, 0]);
    assert_eq!((exit, &report["format"]), (0, &"clearance-conformance/1".into()), "{said}");
}

/// This test does not count parry's right answers, since they change with its version.
#[test]
fn parry_can_be_asked_in_both_precisions() {
    let (exit, report, said) = conform(&["--against", "parry3d-f64", "parry3d", "--match", "pairs/cuboid"]);
    assert_eq!(exit, 0, "{said}");
    for name in ["parry3d-f64", "parry3d"] {
        let counts = counts(&report, name);
        assert!(
            counts[0] > 10 && counts[1] > 0 && counts[1] + counts[3..].iter().sum::<u64>() == counts[0],
            "{counts:?}"
        );
    }
}

/// An adapter as anyone could write one: a script that answers every line with the same text.
#[cfg(unix)]
fn fake(name: &str, reply: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake_{name}.sh"));
    let greeting = r#"{"version": "fake 1", "lacks": ["solid"]}"#;
    let text =
        format!("while read -r line; do case $line in *protocol*) echo '{greeting}';; *) {reply};; esac; done\n");
    std::fs::write(&path, text).expect("a test can write files");
    assert!(!path.to_string_lossy().contains(' '), "words of a command are separated by spaces");
    format!("{name}=sh {}", path.display())
}

#[cfg(unix)]
#[test]
fn the_driver_notices_wrong_answers_and_no_numbers_and_ends_and_silence() {
    let replies = [
        ("wrong", r#"echo '{"distance": 7, "intersects": false}'"#),
        ("nan", r#"echo '{"distance": "NaN", "intersects": "NaN"}'"#),
        (
            "backwards",
            r#"case $line in *'"distance"'*) echo '{"distance": -1.25, "normal": [0, 1, 0]}';; *) echo '{"intersects": true}';; esac"#,
        ),
        ("babbles", "echo hello"),
        ("dies", "exit 3"),
        ("killed", "kill -9 $$"),
        ("raises", r#"echo '{"error": "division by zero"}'"#),
        ("hangs", "exec sleep 60"),
        ("modest", r#"echo '{"unsupported": "this"}'"#),
    ];
    let adapters: Vec<String> = replies.iter().map(|(name, reply)| fake(name, reply)).collect();
    let mut arguments = vec!["--match", FEW, "--seconds", "0.5"];
    for adapter in &adapters {
        arguments.extend(["--adapter", adapter]);
    }
    let (exit, report, said) = conform(&arguments);
    assert_eq!(exit, 0, "{said}");
    let asked = report["questions"].as_u64().expect("a number");
    assert!(asked >= 4);
    for (name, [wrong, crashes, hangs, unsupported]) in [
        ("wrong", [asked, 0, 0, 0]),
        ("nan", [asked, 0, 0, 0]),
        ("babbles", [asked, 0, 0, 0]),
        ("dies", [0, asked, 0, 0]),
        ("killed", [0, asked, 0, 0]),
        ("raises", [0, asked, 0, 0]),
        ("hangs", [0, 0, asked, 0]),
        ("modest", [0, 0, 0, asked]),
    ] {
        assert_eq!(counts(&report, name), [asked, 0, 0, wrong, crashes, hangs, unsupported], "{name}");
    }
    // Its yes is right, and its depth too, but not along that normal.
    assert_eq!(counts(&report, "backwards"), [asked, asked / 2, asked / 2, asked / 2, 0, 0, 0]);
}

#[cfg(unix)]
#[test]
fn a_library_that_is_missing_is_named_in_one_line_and_the_rest_runs() {
    let broken = "broken=/nowhere/adapter";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("missing.sh");
    std::fs::write(&path, "read -r line; echo '{\"missing\": \"no module; pip install it\"}'\n").expect("a file");
    let absent = format!("absent=sh {}", path.display());
    let (exit, report, said) =
        conform(&["--match", FEW, "--adapter", &absent, "--adapter", broken, "--against", "clearance"]);
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("absent is left out: no module; pip install it\n"), "{said}");
    assert!(said.contains("broken is left out: its adapter does not work"), "{said}");
    assert_eq!(report["skipped"].as_array().map(Vec::len), Some(2), "{report}");
    assert_eq!(counts(&report, "clearance")[3..], [0, 0, 0, 0]);
    let (_, report, said) = conform(&["--match", FEW, "--against", "coal", "--python", "/nowhere/python"]);
    assert_eq!(report["libraries"], serde_json::json!([]), "{said}");
}
