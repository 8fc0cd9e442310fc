//! `clearance query` as a user runs it.

#[cfg(target_os = "linux")]
use crate::common::peak_memory;
use crate::common::{program, run_in, run_with, suite};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const ASK: &str = r#"{"id": 1, "query": "distance", "a": {"sphere": {"radius": 1}}, "b": {"point": {}}}"#;

#[test]
fn keys_of_an_answer_come_as_documented() {
    let run = run_in(&suite(), &["query"], ASK.as_bytes());
    let mut rest = run.stdout.as_str();
    for key in ["id", "distance", "point_a", "point_b", "normal", "lower", "upper", "status", "features"] {
        let at = rest.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} in {}", run.stdout));
        rest = &rest[at..];
    }
    assert_eq!((run.exit, run.stdout.lines().count(), run.stderr.as_str()), (0, 1, ""));
}

#[test]
fn ids_come_back_as_they_were_and_definitions_give_no_line() {
    let lines = [
        r#"{"define": "ball", "shape": {"sphere": {"radius": 1}}}"#,
        r#"{"id": 12345678901234567890123, "query": "intersects", "a": "ball", "b": "ball"}"#,
        "",
        r#"{"query": "intersects", "a": "ball", "b": "ball", "id": {"frame": [1, 1e2]}, "_note": "ignored"}"#,
        r#"{"query": "intersects", "a": "ball", "b": "ball"}"#,
    ];
    let run = run_in(&suite(), &["query", "-"], lines.join("\n").as_bytes());
    let expected = [
        r#"{"id":12345678901234567890123,"intersects":true}"#,
        r#"{"id":{"frame": [1, 1e2]},"intersects":true}"#,
        r#"{"intersects":true}"#,
    ];
    assert_eq!((run.exit, run.stdout), (0, expected.join("\n") + "\n"));
}

#[test]
fn within_answers_with_the_clearance_only_when_true() {
    let ask = |margin: f64| {
        let line = format!(
            r#"{{"query": "within", "margin": {margin}, "a": {{"point": {{}}}}, "b": {{"point": {{}}}}, "pose_b": {{"translation": [0, 0, 2]}}}}"#
        );
        serde_json::from_str::<Value>(&run_in(&suite(), &["query"], line.as_bytes()).stdout).unwrap()
    };
    let yes = ask(2.5);
    assert!(yes["within"] == true && yes["distance"].is_number() && yes["status"].is_string(), "{yes}");
    assert_eq!(ask(1.5), serde_json::json!({"within": false}));
}

#[test]
fn mesh_files_lie_beside_the_stream() {
    let lines = r#"{"define": "t", "shape": {"hull": {"file": "t.obj"}}}
        {"query": "intersects", "a": "t", "b": {"hull": {"file": "t.obj"}}, "pair": "same"}
        {"query": "intersects", "a": {"hull": {"points": [[0,0,0],[1,0,0],[0,1,0]]}}, "b": "t", "pair": "same"}"#;
    let files = [("q.jsonl", lines), ("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")];
    let run = run_with("beside", &files, &["query", "q.jsonl"], "");
    // The same shape by name, by file and by its points is the same shape, so all of them may share a pair.
    assert_eq!((run.exit, run.stdout.as_str()), (0, "{\"intersects\":true}\n{\"intersects\":true}\n"), "{run:?}");
}

#[test]
fn time_is_one_line_on_stderr_and_the_answers_stay_the_same() {
    let lines = format!("{ASK}\n{ASK}\nnonsense\n");
    let plain = run_in(&suite(), &["query"], lines.as_bytes());
    let timed = run_in(&suite(), &["query", "--time", "5"], lines.as_bytes());
    assert_eq!((timed.exit, &timed.stdout), (1, &plain.stdout));
    let time: Value = serde_json::from_str(&timed.stderr).unwrap();
    assert_eq!((&time["queries"], &time["repeats"]), (&Value::from(2), &Value::from(5)));
    let (best, median) = (time["best_ns"].as_f64().unwrap(), time["median_ns"].as_f64().unwrap());
    assert!(best <= median && timed.stderr.starts_with(r#"{"queries":2,"repeats":5,"best_ns":"#), "{}", timed.stderr);
    let nothing = run_in(&suite(), &["query", "--time", "5"], b"");
    assert_eq!(nothing.stderr, "{\"queries\":0,\"repeats\":5,\"best_ns\":null,\"median_ns\":null}\n");
    assert_eq!(run_in(&suite(), &["query", "--time", "0"], b"").exit, 2);
}

#[test]
fn an_answer_comes_before_the_next_query_is_asked() {
    let mut child = program(&["query"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(input, "{ASK}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        assert!(answer.starts_with("{\"id\":1,\"distance\":"));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    for args in [&["query"][..], &["query", "--time", "1"], &["check"]] {
        let mut child =
            program(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        for _ in 0..2_000 {
            if writeln!(input, "{ASK}").is_err() {
                break;
            }
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("error") && !stderr.contains("panic"), "{args:?}: {stderr}");
        assert_ne!(output.status.code(), Some(2), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_stream_runs_in_constant_memory() {
    const EARLY: usize = 5_000;
    const ALL: usize = 200_000;
    let mut child = program(&["query"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let mut input = std::io::BufWriter::new(child.stdin.take().unwrap());
    let output = BufReader::new(child.stdout.take().unwrap());
    let (close, closed) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        writeln!(input, r#"{{"define": "box", "shape": {{"cuboid": {{"half_extents": [1, 2, 3]}}}}}}"#).unwrap();
        for i in 0..ALL {
            // A fresh hull on every line, a named pair on every second one, and now and then a bad line.
            let pair = if i % 2 == 0 { format!(r#", "pair": "p{}""#, i % 10) } else { String::new() };
            let shape =
                if i % 2 == 0 { r#""box""# } else { r#"{"hull": {"points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}}"# };
            let query = if i % 100 == 99 { "nonsense" } else { "distance" };
            let x = 4.0 + f64::from(i as u32) * 1e-3;
            writeln!(
                input,
                r#"{{"id": {i}, "query": "{query}", "a": "box", "b": {shape}, "pose_b": {{"translation": [{x}, 0, 0]}}{pair}}}"#
            )
            .unwrap();
        }
        input.flush().unwrap();
        // The pipe stays open until the memory has been measured.
        closed.recv().unwrap();
    });
    let mut early = 0;
    let mut count = 0;
    for line in output.lines() {
        let line = line.unwrap();
        assert!(line.starts_with(&format!("{{\"id\":{count},")), "{line}");
        count += 1;
        if count == EARLY {
            early = peak_memory(process);
        }
        if count == ALL {
            let late = peak_memory(process);
            assert!(late <= early + 2_048, "grew from {early} KiB to {late} KiB");
            close.send(()).unwrap();
        }
    }
    writer.join().unwrap();
    assert_eq!((count, child.wait().unwrap().code()), (ALL, Some(1)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_new_pair_on_every_line_takes_bounded_memory_and_changes_no_answer() {
    const EARLY: usize = 70_000;
    const ALL: usize = 180_000;
    let mut child = program(&["query"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let mut input = std::io::BufWriter::new(child.stdin.take().unwrap());
    let output = BufReader::new(child.stdout.take().unwrap());
    let (close, closed) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        for i in 0..ALL {
            // The name "often" stays in use; the last line takes the name of the first, long forgotten, for other shapes.
            let pair = match i {
                _ if i % 1000 == 500 => "often".to_owned(),
                _ if i == ALL - 1 => "p0".to_owned(),
                _ => format!("p{i}"),
            };
            let radius = if i == ALL - 1 { 2 } else { 1 };
            let ball = format!(r#"{{"sphere": {{"radius": {radius}}}}}"#);
            writeln!(
                input,
                r#"{{"id": {i}, "query": "distance", "a": {ball}, "b": {{"point": {{}}}}, "pose_b": {{"translation": [4, 0, 0]}}, "pair": "{pair}"}}"#
            )
            .unwrap();
        }
        input.flush().unwrap();
        closed.recv().unwrap();
    });
    let mut early = 0;
    let mut count = 0;
    for line in output.lines() {
        let line = line.unwrap();
        let distance = if count == ALL - 1 { 2.0 } else { 3.0 };
        assert!(line.starts_with(&format!("{{\"id\":{count},\"distance\":{distance:?},")), "{line}");
        count += 1;
        if count == EARLY {
            early = peak_memory(process);
        }
        if count == ALL {
            let late = peak_memory(process);
            // Without a bound it would be more than twice as much.
            assert!(late <= early + early / 4, "grew from {early} KiB to {late} KiB");
            close.send(()).unwrap();
        }
    }
    writer.join().unwrap();
    assert_eq!((count, child.wait().unwrap().code()), (ALL, Some(0)));
}

#[test]
fn packed_and_wide_streams_are_refused_by_name_and_a_byte_order_mark_is_skipped() {
    let answers = run_in(&suite(), &["query", "--proof"], ASK.as_bytes()).stdout;
    for (command, text) in [("query", ASK), ("verify", answers.as_str())] {
        let marked = format!("\u{feff}{text}");
        let run = run_in(&suite(), &[command], marked.as_bytes());
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{command}: {run:?}");
        for wide in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = marked.encode_utf16().flat_map(wide).collect();
            let run = run_in(&suite(), &[command], &bytes);
            assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{command}");
            assert_eq!(run.stderr, "error: the standard input: this is UTF-16 text; save it as UTF-8\n");
        }
        let run = run_in(&suite(), &[command], b"\x1f\x8b\x08\x00\n\n");
        assert_eq!(run.stderr, "error: the standard input: this is a gzip archive; unpack it first\n", "{command}");
    }
}

#[test]
fn a_field_written_twice_is_an_error_of_its_line() {
    let point = r#"{"point": {}}"#;
    for twice in [
        format!(r#"{{"query": "distance", "a": {point}, "b": {point}, "a": {point}}}"#),
        format!(r#"{{"query": "distance", "query": "intersects", "a": {point}, "b": {point}}}"#),
        format!(r#"{{"id": 1, "query": "distance", "a": {point}, "b": {point}, "id": 2}}"#),
        format!(r#"{{"query": "distance", "a": {point}, "b": {point}}} {{}}"#),
        format!(r#"{{"define": "p", "define": "q", "shape": {point}}}"#),
    ] {
        let run = run_in(&suite(), &["query"], twice.as_bytes());
        assert!(run.exit == 1 && run.stdout.contains("\"error\":\"line 1"), "{twice}: {run:?}");
    }
}
