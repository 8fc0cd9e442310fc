//! `clearance query --proof | clearance verify`: the suite is proved, and what was tampered with is named.

mod common;

use common::{run_in, run_with, suite};
use serde_json::Value;

fn proved_suite() -> String {
    let run = run_in(&suite(), &["query", "--proof", "pairs.jsonl"], b"");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    run.stdout
}

#[test]
fn every_answer_about_the_suite_is_proved() {
    let answers = proved_suite();
    let run = run_in(&suite(), &["verify", "--json", "-"], answers.as_bytes());
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["answers"].as_u64().unwrap() as usize, answers.lines().count());
    assert_eq!(summary["refuted"], Value::Array(Vec::new()));
    // Balls of curved shapes that are as deep in all directions have no finite surface that is close enough.
    let undecided = summary["undecided"].as_array().unwrap();
    assert!(undecided.len() <= 3, "{undecided:?}");
}

#[test]
fn evidence_changes_nothing_about_the_answer() {
    let plain = run_in(&suite(), &["query", "pairs.jsonl"], b"").stdout;
    for (with, without) in proved_suite().lines().zip(plain.lines()) {
        let mut with: Value = serde_json::from_str(with).unwrap();
        let fields = with.as_object_mut().unwrap();
        assert!(fields.remove("asked").is_some() && fields.remove("proof").is_some());
        assert_eq!(with, serde_json::from_str::<Value>(without).unwrap());
    }
}

#[test]
fn a_tampered_line_is_named() {
    let mut lines: Vec<Value> = proved_suite().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let apart = lines.iter().position(|line| line["distance"].as_f64().is_some_and(|d| d > 0.1)).unwrap();
    for field in ["distance", "lower", "upper"] {
        lines[apart][field] = Value::from(lines[apart][field].as_f64().unwrap() + 0.01);
    }
    let no = lines.iter().position(|line| line["intersects"] == Value::Bool(false)).unwrap();
    lines[no]["intersects"] = Value::Bool(true);
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let run = run_with("tampered", &[("answers.jsonl", &text)], &["verify", "answers.jsonl"], "");
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
    let named: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("refuted: ")).collect();
    assert_eq!(named.len(), 2, "{}", run.stdout);
    for index in [apart, no] {
        let name = format!("refuted: line {}, id {}: ", index + 1, lines[index]["id"]);
        assert!(named.iter().any(|line| line.starts_with(&name)), "{name} in {named:?}");
    }
    assert!(run.stdout.lines().last().unwrap().contains(" proved, 2 refuted, "), "{}", run.stdout);
}

#[test]
fn a_rotation_is_checked_as_it_was_written() {
    // The library makes units of quaternions; the checker takes the numbers of the question, exactly.
    let line = r#"{"id": 1, "query": "distance", "a": {"cuboid": {"half_extents": [1, 2, 3]}}, "pose_a": {"rotation": [1, 2, 3, 4]},
        "b": {"cone": {"radius": 1, "half_height": 2}}, "pose_b": {"translation": [9, 1, 0], "rotation": [0, 0.1, 0, 1e-3]}}"#;
    let answers = run_in(&suite(), &["query", "--proof"], line.replace('\n', " ").as_bytes()).stdout;
    assert!(answers.contains(r#""rotation":[1.0,2.0,3.0,4.0]"#), "{answers}");
    let run = run_in(&suite(), &["verify"], answers.as_bytes());
    assert_eq!((run.exit, run.stdout.as_str()), (0, "1 answers: 1 proved, 0 refuted, 0 undecided\n"));
}

#[test]
fn lines_that_cannot_be_checked_are_undecided_or_bad_input() {
    let stream = "{\"id\":1,\"error\":\"line 1: no\"}\n{\"id\":2,\"intersects\":true}\n";
    let run = run_in(&suite(), &["verify", "--undecided"], stream.as_bytes());
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("undecided: line 2, id 2: the line has no field asked"), "{}", run.stdout);
    assert!(run.stdout.ends_with("2 answers: 0 proved, 0 refuted, 2 undecided\n"), "{}", run.stdout);
    let asked = r#""asked":{"query":"distance","a":{"point":{}},"b":{"point":{}}}"#;
    let bad = [
        "nonsense".to_owned(),
        "{\"id\":1}\n[1,2]".to_owned(),
        format!("{{\"distance\":1,{asked}}}"),
        r#"{"intersects":true,"asked":{"query":"intersects","a":{"mesh":{}},"b":{"point":{}}}}"#.to_owned(),
        r#"{"intersects":true,"proof":{"upper":{"magic":1}}}"#.to_owned(),
    ];
    for text in bad {
        let run = run_in(&suite(), &["verify"], text.as_bytes());
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{text}: {run:?}");
        assert!(
            run.stderr.starts_with("error: the standard input, line ") && run.stderr.lines().count() == 1,
            "{run:?}"
        );
    }
    let run = run_in(&suite(), &["verify", "no-such-file.jsonl"], b"");
    assert_eq!(run.exit, 2);
    assert!(run.stderr.starts_with("error: no-such-file.jsonl does not exist"), "{run:?}");
}
