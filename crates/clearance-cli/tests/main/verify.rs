//! `clearance query --proof | clearance verify`: the suite is proved, and what was tampered with is named.

use crate::common::{run_in, run_with, suite};
use serde_json::{Value, json};

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
    // Solids of revolution about one axis have no finite surface that is close enough to their depth; all else is proved.
    let undecided = summary["undecided"].as_array().unwrap();
    assert!(undecided.len() * 10 <= answers.lines().count(), "{undecided:?}");
    assert!(undecided.iter().all(|line| line["reason"].as_str().unwrap().starts_with("upper: ")), "{undecided:?}");
}

#[test]
fn evidence_changes_nothing_about_the_answer() {
    let plain = run_in(&suite(), &["query", "pairs.jsonl"], b"").stdout;
    for (with, without) in proved_suite().lines().zip(plain.lines()) {
        let mut with: Value = serde_json::from_str(with).unwrap();
        let fields = with.as_object_mut().unwrap();
        assert!(fields.remove("request").is_some() && fields.remove("proof").is_some());
        assert_eq!(with, serde_json::from_str::<Value>(without).unwrap());
    }
}

/// A cube as a mesh, whose corners are at 0 and at that.
fn cube(size: f64) -> Value {
    let vertices: Vec<[f64; 3]> =
        (0..8).map(|v| [0, 1, 2].map(|axis| if v >> axis & 1 == 1 { size } else { 0.0 })).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    json!({"mesh": {"vertices": vertices, "triangles": triangles}})
}

#[test]
fn meshes_are_proved_apart_inside_and_crossing() {
    let mut open = cube(1.0);
    open["mesh"]["triangles"].as_array_mut().unwrap().pop();
    let mut lines = String::new();
    // Inside of a solid it overlaps, inside of a shell it is free; then apart, and crossing.
    for (a, x, overlap) in [(cube(1.0), 0.4, true), (open, 0.4, false), (cube(1.0), 1.5, false), (cube(1.0), 0.9, true)]
    {
        let pose = json!({"translation": [x, 0.3, 0.45], "rotation": [0.1, 0.2, 0.0, 3.0]});
        for query in ["distance", "intersects"] {
            let line = json!({"id": overlap, "query": query, "a": a, "b": cube(0.25), "pose_b": pose});
            lines += &format!("{line}\n");
        }
    }
    let run = run_in(&suite(), &["query", "--proof", "-"], lines.as_bytes());
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    for line in run.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let found = line["intersects"].as_bool().unwrap_or(line["lower"].as_f64() <= Some(0.0));
        assert_eq!(Some(found), line["id"].as_bool(), "{line}");
    }
    let run = run_in(&suite(), &["verify", "--undecided"], run.stdout.as_bytes());
    assert_eq!(run.stdout, "8 answers: 8 proved, 0 refuted, 0 undecided; 0 errors\n");
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
    // The library makes units of quaternions; the checker takes the numbers of the query, exactly.
    let line = r#"{"id": 1, "query": "distance", "a": {"cuboid": {"half_extents": [1, 2, 3]}}, "pose_a": {"rotation": [1, 2, 3, 4]},
        "b": {"cone": {"radius": 1, "half_height": 2}}, "pose_b": {"translation": [9, 1, 0], "rotation": [0, 0.1, 0, 1e-3]}}"#;
    let answers = run_in(&suite(), &["query", "--proof"], line.replace('\n', " ").as_bytes()).stdout;
    assert!(answers.contains(r#""rotation":[1.0,2.0,3.0,4.0]"#), "{answers}");
    let run = run_in(&suite(), &["verify"], answers.as_bytes());
    assert_eq!((run.exit, run.stdout.as_str()), (0, "1 answer: 1 proved, 0 refuted, 0 undecided; 0 errors\n"));
}

#[test]
fn shapes_about_every_axis_are_proved() {
    let mut lines = String::new();
    for kind in ["capsule", "cylinder", "cone"] {
        for axis in ["x", "y", "z"] {
            for (query, place) in
                [("distance", [2.0, 1.5, -1.0]), ("distance", [0.25, 0.5, -0.125]), ("intersects", [0.5; 3])]
            {
                let shape = json!({kind: {"radius": 0.5, "half_height": 0.75, "axis": axis}});
                let other = json!({"cuboid": {"half_extents": [0.5, 0.25, 1]}});
                let line = json!({"query": query, "a": shape, "b": other, "pose_b": {"translation": place, "rotation": [1, 2, 3, 4]}});
                lines += &format!("{line}\n");
            }
        }
    }
    let answers = run_in(&suite(), &["query", "--proof"], lines.as_bytes()).stdout;
    let run = run_in(&suite(), &["verify"], answers.as_bytes());
    assert_eq!((run.exit, run.stdout.as_str()), (0, "27 answers: 27 proved, 0 refuted, 0 undecided; 0 errors\n"));
}

#[test]
fn lines_that_cannot_be_checked_are_undecided_or_bad_input() {
    let stream = "{\"id\":1,\"error\":\"line 1: no\"}\n{\"id\":2,\"intersects\":true}\n";
    let run = run_in(&suite(), &["verify", "--undecided"], stream.as_bytes());
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("undecided: line 2, id 2: the line has no field request"), "{}", run.stdout);
    // An error is no answer, and is counted apart.
    assert!(run.stdout.ends_with("1 answer: 0 proved, 0 refuted, 1 undecided; 1 error\n"), "{}", run.stdout);
    let run = run_in(&suite(), &["verify", "--json"], stream.as_bytes());
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&summary["answers"], &summary["errors"]), (&Value::from(1), &Value::from(1)));
    let request = r#""request":{"query":"distance","a":{"point":{}},"b":{"point":{}}}"#;
    let bad = [
        "nonsense".to_owned(),
        "{\"id\":1}\n[1,2]".to_owned(),
        format!("{{\"distance\":1,{request}}}"),
        format!("{{\"distance\":0,\"distance\":1,{request}}}"),
        r#"{"intersects":true,"request":{"query":"intersects","a":{"mesh":{}},"b":{"point":{}}}}"#.to_owned(),
        r#"{"intersects":true,"proof":{"upper":{"magic":1}}}"#.to_owned(),
    ];
    for text in bad {
        // The lines behind it are checked nevertheless.
        let text = format!("{text}\n{}\n", balls(r#""distance""#));
        let run = run_in(&suite(), &["verify"], text.as_bytes());
        assert_eq!((run.exit, run.stderr.as_str()), (2, ""), "{text}: {run:?}");
        assert!(run.stdout.starts_with("bad: line ") && run.stdout.contains(" 1 proved, "), "{run:?}");
        assert!(run.stdout.ends_with(", 1 bad\n"), "{run:?}");
    }
    let run = run_in(&suite(), &["verify", "no-such-file.jsonl"], b"");
    assert_eq!(run.exit, 2);
    assert!(run.stderr.starts_with("error: no-such-file.jsonl does not exist"), "{run:?}");
}

/// The answer about two balls of radius 1, 100 apart, with its evidence.
fn balls(query: &str) -> Value {
    let line = format!(
        r#"{{"query": {query}, "a": {{"sphere": {{"radius": 1}}}}, "b": {{"sphere": {{"radius": 1}}}}, "pose_b": {{"translation": [100, 0, 0]}}}}"#
    );
    let answers = run_in(&suite(), &["query", "--proof"], line.as_bytes()).stdout;
    serde_json::from_str(&answers).unwrap()
}

/// "proved", "refuted" or "undecided", with the reason; "error" if the line is none.
fn verdict(line: &Value) -> (&'static str, String) {
    let run = run_in(&suite(), &["verify", "--json"], line.to_string().as_bytes());
    let summary: Value = serde_json::from_str(&run.stdout).unwrap();
    for (name, word) in [("bad", "error"), ("refuted", "refuted"), ("undecided", "undecided")] {
        if let Some(reason) = summary[name][0]["reason"].as_str() {
            assert_eq!(
                run.exit,
                ["undecided", "refuted", "error"].iter().position(|other| *other == word).unwrap() as i32
            );
            return (word, reason.to_owned());
        }
    }
    assert_eq!((run.exit, &summary["proved"]), (0, &Value::from(1)));
    ("proved", String::new())
}

#[test]
fn every_field_of_an_answer_is_a_claim() {
    let honest = balls(r#""distance""#);
    assert_eq!(verdict(&honest).0, "proved");
    let mut claims: Vec<(&str, Value, &str)> = Vec::new();
    for field in ["distance", "lower", "upper", "point_a", "point_b", "normal", "status", "features"] {
        let mut line = honest.clone();
        line.as_object_mut().unwrap().remove(field);
        claims.push(("error", line, field));
    }
    let mut with = |word: &'static str, reason: &'static str, changes: &[(&str, Value)]| {
        let mut line = honest.clone();
        for (field, value) in changes {
            line[*field] = value.clone();
        }
        claims.push((word, line, reason));
    };
    let null = || Value::Null;
    with("refuted", "status is converged", &[("lower", null())]);
    with("refuted", "status is converged", &[("upper", null())]);
    with("undecided", "upper is null", &[("upper", null()), ("status", "stalled".into())]);
    let both = [("lower", null()), ("upper", null()), ("distance", null()), ("point_b", honest["point_a"].clone())];
    with("refuted", "no overlap is without end", &both);
    with("refuted", "a bound is a number", &[("distance", null())]);
    // Off the shapes by 1e-6, along each other's way so that they still fit together.
    let moved = |by: f64| [("point_a", vec![1.0, by, 0.0].into()), ("point_b", vec![99.0, by, 0.0].into())];
    with("proved", "", &moved(1e-10));
    with("refuted", "point_a is not on its shape", &moved(0.1));
    let beside: [(&str, Value); 2] =
        [("point_a", vec![1.0 + 1e-6, 0.0, 0.0].into()), ("point_b", vec![99.0 + 1e-6, 0.0, 0.0].into())];
    with("refuted", "point_a is not on its shape", &beside);
    let tilt =
        [("normal", Value::from(vec![0.8, 0.6, 0.0])), ("point_b", vec![1.0 + 98.0 * 0.8, 98.0 * 0.6, 0.0].into())];
    with("refuted", "normal does not separate by lower", &tilt);
    with("refuted", "point_b is", &[("normal", vec![-1.0, 0.0, 0.0].into())]);
    with("refuted", "is no status", &[("status", "excellent".into())]);
    with("refuted", "bad_support", &[("status", "bad_support".into())]);
    with("refuted", "open", &[("status", "open".into())]);
    with("refuted", "is no name of a feature", &[("features", vec!["x", "s"].into())]);
    with("undecided", "a vertex is named that the shape does not have", &[("features", vec!["v7", "s"].into())]);
    with("undecided", "does not say which vertices", &[("features", vec!["s", "e3"].into())]);
    with("undecided", "fields that cannot be checked: \"depth\"", &[("depth", 7.into())]);
    with("undecided", "fields that cannot be checked: \"intersects\"", &[("intersects", false.into())]);
    with("proved", "", &[("_comment", 7.into()), ("pair", "p".into()), ("id", 9.into())]);
    for (expected, line, reason) in claims {
        let (found, why) = verdict(&line);
        assert!(found == expected && why.contains(reason), "{expected}, {reason}: but {found}, {why} for {line}");
    }
}

#[test]
fn a_margin_has_to_be_kept() {
    let within = balls(r#""within", "margin": 98.5"#);
    assert_eq!((&within["within"], verdict(&within).0), (&Value::Bool(true), "proved"));
    let mut far = within;
    far["request"]["margin"] = 0.1.into();
    let (found, why) = verdict(&far);
    assert!(found == "refuted" && why.contains("margin"), "{found}, {why}");
    let beyond = balls(r#""within", "margin": 0.1"#);
    assert_eq!((&beyond["within"], verdict(&beyond).0), (&Value::Bool(false), "proved"));
}

#[test]
fn what_was_written_is_what_is_asked() {
    let rock = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\n";
    let nest = r#"{"compound": [{"shape": {"compound": [{"shape": "ROCK", "pose": {"rotation": [0, 0, 3, 4]}, "_": 1}]}, "pose": {"translation": [1, 2, 3]}}]}"#;
    let nest = nest.replace("\"ROCK\"", r#"{"hull": {"file": "rock.obj"}}"#);
    let plane = r#"{"rounded": {"shape": {"half_space": {"normal": [0, -2, 0], "offset": 40}}, "radius": 0.25}}"#;
    let lines = format!(
        "{{\"define\": \"nest\", \"shape\": {nest}}}\n{{\"query\": \"distance\", \"a\": \"nest\", \"b\": {plane}}}\n"
    );
    let files = [("queries.jsonl", lines.as_str()), ("rock.obj", rock)];
    let run = run_with("written", &files, &["query", "--proof", "queries.jsonl"], "");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let line: Value = serde_json::from_str(&run.stdout).unwrap();
    let inner = &line["request"]["a"]["compound"][0]["shape"]["compound"][0];
    assert_eq!(inner["pose"]["rotation"], Value::from(vec![0.0, 0.0, 3.0, 4.0]));
    assert_eq!(inner["shape"]["hull"]["points"].as_array().unwrap().len(), 5, "all points of the file");
    let half_space = &line["request"]["b"]["rounded"]["shape"]["half_space"];
    assert_eq!(half_space["normal"], Value::from(vec![0.0, -2.0, 0.0]));
    assert_eq!(verdict(&line).0, "proved", "{line}");
}

#[test]
fn a_line_of_many_parts_is_answered() {
    // Two compounds of 20,000 points each, in a line of about a megabyte: 400 million pairs, none of them listed.
    let cloud = |x: f64| {
        let part = |i: usize| {
            format!(r#"{{"shape":{{"point":{{}}}},"pose":{{"translation":[{x},{},{}]}}}}"#, i % 141, i / 141)
        };
        format!(r#"{{"compound":[{}]}}"#, (0..20_000).map(part).collect::<Vec<_>>().join(","))
    };
    let request = format!(r#""request":{{"query":"intersects","a":{},"b":{}}}"#, cloud(0.0), cloud(2.0));
    let proved =
        format!(r#"{{"intersects":false,{request},"proof":{{"format":2,"lower":{{"cover":[{{"along":[1,0,0]}}]}}}}}}"#);
    let run = run_in(&suite(), &["verify"], proved.as_bytes());
    assert_eq!((run.exit, run.stdout.as_str()), (0, "1 answer: 1 proved, 0 refuted, 0 undecided; 0 errors\n"));
    // The first format had a list of directions, or nothing but the other fields.
    for old in [r#""lower":[[1,0,0]]"#, r#""upper":{"points":{"a":{"vertex":0},"b":{"vertex":0}}}"#] {
        let line = format!(r#"{{"intersects":false,{request},"proof":{{{old}}}}}"#);
        let run = run_in(&suite(), &["verify"], line.as_bytes());
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(
            run.exit == 2 && told.contains("format 1") && told.contains("answer again with query --proof"),
            "{told}"
        );
    }
    let open = format!(r#"{{"intersects":false,{request}}}"#);
    let run = run_in(&suite(), &["verify", "--undecided"], open.as_bytes());
    assert!(run.stdout.starts_with("undecided: line 1: there is no direction for the lower bound"), "{}", run.stdout);
}

#[test]
fn the_time_of_a_closest_approach_is_checked() {
    let line = r#"{"query": "impact", "a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}, "pose_b": {"translation": [9, 3, 0]},
        "motion_b": {"linear": {"velocity": [-4, 0, 0], "angular_velocity": [0, 0, 1]}}, "from": 0.5, "until": 5}"#;
    let answers = run_in(&suite(), &["query", "--proof"], line.replace('\n', " ").as_bytes()).stdout;
    let honest: Value = serde_json::from_str(&answers).unwrap();
    assert_eq!((&honest["impact"], verdict(&honest).0), (&json!("clear"), "proved"), "{honest}");
    // No distance was asked for: there is no upper bound, and the time is the start. Nothing else is proved of it.
    assert_eq!(
        (&honest["closest_approach"]["upper"], &honest["closest_approach"]["time"]),
        (&Value::Null, &json!(0.5))
    );
    let with = |time: Value| {
        let mut line = honest.clone();
        line["closest_approach"]["time"] = time;
        verdict(&line)
    };
    for wrong in [0.0, 0.75, 1e9, -1.0] {
        let (found, why) = with(json!(wrong));
        assert!(found == "undecided" && why.contains("is not the start"), "{wrong}: {found}, {why}");
    }
    assert_eq!(with(Value::Null).0, "error");
}

#[test]
fn a_request_that_query_refuses_is_refused() {
    let honest = balls(r#""distance""#);
    let mut changes: Vec<(&str, Value, &str)> = vec![
        ("colour", json!("red"), "unknown field"),
        ("margin", json!("wide"), "must be a number"),
        ("a", json!({"sphere": {"radius": -1}}), "cannot be negative"),
        ("a", json!({"sphere": {"radius": 1e200}}), "a.sphere.radius"),
        ("a", json!({"sphere": {"radius": 1, "colour": 2}}), "unknown field"),
        ("a", json!({"mesh": {"file": "part.obj"}}), "part.obj"),
        ("a", json!("rock"), "no shape has that name"),
        ("pose_b", json!({"translation": [1e200, 0, 0]}), "pose_b"),
        ("pose_b", json!({"rotation": [0, 0, 0, 0]}), "pose_b"),
        ("pose_b", json!({"turn": 7}), "unknown field"),
        ("until", json!(5), "takes no notice"),
        ("motion_b", json!({"fixed": {}}), "takes no notice"),
        ("query", json!("nearness"), "must be one of"),
        ("define", json!("rock"), "both define and query"),
    ];
    changes.push(("a", json!({"hull": {"points": []}}), "points"));
    for (field, value, reason) in changes {
        let mut line = honest.clone();
        line["request"][field] = value;
        let (found, why) = verdict(&line);
        assert!(found == "error" && why.contains(reason), "{field}, {reason}: {found}, {why}");
        // And so does `query`.
        let run = run_in(&suite(), &["query"], line["request"].to_string().as_bytes());
        assert!(run.exit == 1 && run.stdout.contains(reason), "{field}, {reason}: {run:?}");
    }
}

#[test]
fn undecided_is_a_failure_if_one_is_strict() {
    let mut open = balls(r#""distance""#);
    open["proof"] = json!({"format": 2});
    let lines = |more: &str| format!("{open}\n{more}");
    let run = |args: &[&str], text: &str| run_in(&suite(), &[&["verify"], args].concat(), text.as_bytes());
    assert_eq!(run(&[], &lines("")).exit, 0);
    let strict = run(&["--strict"], &lines(""));
    assert!(strict.exit == 1 && strict.stdout.starts_with("undecided: line 1"), "{strict:?}");
    let error = "{\"error\":\"line 1: no\"}\n";
    assert_eq!((run(&[], error).exit, run(&["--strict"], error).exit), (0, 1));
    let empty = run(&[], "");
    assert_eq!((empty.exit, empty.stderr.as_str()), (2, ""));
    assert!(empty.stdout.starts_with("bad: the evidence is empty\n"), "{empty:?}");
}

#[test]
fn rays_onto_flat_triangles_are_proved() {
    // Triangles that are segments or points, hit from the side, along themselves, and at their ends.
    let shapes = [
        json!({"mesh": {"vertices": [[0, 0, 0], [2, 0, 0], [1, 0, 0]], "triangles": [[0, 1, 2]]}}),
        json!({"mesh": {"vertices": [[0, 0, 0], [2, 0, 0], [2, 0, 0]], "triangles": [[0, 1, 2]]}}),
        json!({"mesh": {"vertices": [[0, 0, 0], [2, 0, 0], [0.7, 1e-14, 0]], "triangles": [[0, 1, 2]]}}),
        json!({"mesh": {"vertices": [[0, 0, 0], [2, 0, 0], [0.7, 1e-9, 3e-10]], "triangles": [[0, 1, 2]]}}),
        json!({"mesh": {"vertices": [[1, 0, 0], [1, 0, 0], [1, 0, 0]], "triangles": [[0, 1, 2]]}}),
        json!({"triangle": {"a": [0, 0, 0], "b": [2, 0, 0], "c": [1, 0, 0]}}),
        json!({"hull": {"points": [[0, 0, 0], [2, 0, 0], [1, 0, 0]]}}),
    ];
    let rays = [
        ([1.0, 5.0, 0.0], [0.0, -1.0, 0.0]),
        ([1.0, 3.0, 4.0], [0.0, -3.0, -4.0]),
        ([-2.0, 3.0, 0.0], [3.0, -3.0, 0.0]),
        ([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.28, 0.0, 0.04], [-0.28, 0.08, -0.05]),
    ];
    let mut lines = String::new();
    for shape in &shapes {
        for (origin, direction) in rays {
            lines += &format!(
                "{}\n",
                json!({"query": "cast", "a": shape, "origin": origin, "direction": direction, "max": 1e9})
            );
        }
    }
    // Found by an attack: the normal was not perpendicular to the segment.
    lines += r#"{"query": "cast", "a": {"mesh": {"vertices": [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]], "triangles": [[0, 1, 2]]}}, "pose_a": {"translation": [0.0, 0.0, 1.0], "rotation": [0, 3, 0, 4]}, "origin": [0.28, 0.0, 0.04], "direction": [-0.2853548983049375, 0.08786330640005813, -0.04998967062095405], "max": 1000000000.0}"#;
    let answers = run_in(&suite(), &["query", "--proof"], lines.as_bytes()).stdout;
    assert!(answers.matches("\"hit\":true").count() > 20, "{answers}");
    let run = run_in(&suite(), &["verify", "--undecided"], answers.as_bytes());
    assert!(run.exit == 0 && run.stdout.contains(" 0 refuted, "), "{}\n{answers}", run.stdout);
}
