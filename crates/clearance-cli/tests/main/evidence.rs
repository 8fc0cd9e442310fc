//! `clearance check --proof | clearance verify`: every pair of a check has a line, what is true is proved, and nothing else is.

use crate::common::{Run, empty_folder, program, run_in, run_with, suite};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// A floor, a compound and a mesh that fall, turn and go from key frame to key frame; some overlap at the start, one between two frames.
pub const MOVING: &str = r#"{"format": "clearance-scene/1",
  "shapes": {"tetrahedron": {"mesh": {"vertices": [[0,0,0],[0.8,0,0],[0,0.8,0],[0,0,0.8]], "triangles": [[0,2,1],[0,1,3],[1,2,3],[2,0,3]]}},
             "hammer": {"compound": [{"shape": {"cuboid": {"half_extents": [0.1, 1, 0.1]}}},
                                     {"shape": {"capsule": {"radius": 0.2, "half_height": 0.4, "axis": "z"}}, "pose": {"translation": [0, 1, 0]}}]}},
  "bodies": [
    {"name": "floor", "shape": {"half_space": {"normal": [0, 2, 0], "offset": -3}}},
    {"name": "hammer", "shape": "hammer", "pose": {"translation": [0, 3, 0], "rotation": [1, 2, 3, 4]},
     "motion": {"ballistic": {"velocity": [0.2, 1, 0], "angular_velocity": [0, 0.5, 3], "gravity": [0, -9.81, 0], "center": [0, 0.8, 0]}}},
    {"name": "stone", "shape": "tetrahedron", "pose": {"translation": [3, 2, 0]}, "motion": {"linear": {"velocity": [-2, 0, 0], "angular_velocity": [1, 0, 1]}}},
    {"name": "rock", "shape": "tetrahedron", "pose": {"translation": [-6, 0, 0], "rotation": [0, 0, 0.3, 1]}},
    {"name": "rounded", "shape": {"rounded": {"shape": {"cuboid": {"half_extents": [0.3, 0.2, 0.1]}}, "radius": 0.05}},
     "motion": {"keyframes": [{"time": -1, "pose": {"translation": [-6.5, 0, 0]}}, {"time": 2, "pose": {"translation": [-5, 0.5, 0.3], "rotation": [0, 0.2, 0.7, 0.6]}}]}},
    {"name": "disc \"a\"", "shape": {"cylinder": {"radius": 0.6, "half_height": 0.1, "axis": "x"}},
     "motion": {"keyframes": [{"time": 0, "pose": {"translation": [-6.3, 0.2, 0.2]}}, {"time": 0.5, "pose": {"translation": [-6, 4, 0]}}]}},
    {"name": "crate", "shape": {"cuboid": {"half_extents": [0.5, 0.5, 0.5]}}, "pose": {"translation": [20, -1, 20]}}],
  "ignore": [["rock", "crate"]]}"#;

/// Of rest: what overlaps, what is near and what is far, convex, of parts, solid, and a half-space.
pub const RESTING: &str = r#"{"format": "clearance-scene/1",
  "shapes": {"cube": {"mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]],
                      "triangles": [[0,2,3],[0,3,1],[4,5,7],[4,7,6],[0,1,5],[0,5,4],[2,6,7],[2,7,3],[0,4,6],[0,6,2],[1,3,7],[1,7,5]]}}},
  "bodies": [
    {"name": "cube", "shape": "cube"},
    {"name": "other cube", "shape": "cube", "pose": {"translation": [0.9, 0.2, 0.3], "rotation": [0.1, 0, 0, 1]}},
    {"name": "inner", "shape": {"sphere": {"radius": 0.1}}, "pose": {"translation": [0.5, 0.5, 0.5]}},
    {"name": "floor", "shape": {"half_space": {"normal": [0, 1, 0], "offset": -0.05}}},
    {"name": "pair", "shape": {"compound": [{"shape": {"ellipsoid": {"radii": [0.2, 0.3, 0.4]}}}, {"shape": {"cone": {"radius": 0.2, "half_height": 0.3}}, "pose": {"translation": [1, 0, 0]}}]},
     "pose": {"translation": [-1, 0.6, 0.5]}},
    {"name": "far", "shape": {"hull": {"points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.2,0.2,0.2]]}}, "pose": {"translation": [9, 9, 9]}}]}"#;

fn check(name: &str, scene: &str, args: &[&str]) -> (Run, String) {
    let run = run_with(name, &[("s.json", scene)], &[&["check", "s.json", "--proof", "e.jsonl"], args].concat(), "");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace(' ', "_"));
    let lines = fs::read_to_string(folder.join("e.jsonl")).unwrap_or_default();
    assert!(!folder.join("e.jsonl.part").exists());
    (run, lines)
}

fn verify(lines: &str) -> Value {
    let run = run_in(&suite(), &["verify", "--json", "-"], lines.as_bytes());
    assert_eq!(run.stderr, "");
    serde_json::from_str(&run.stdout).unwrap()
}

/// The answers of a check, each with its shapes instead of their names in the table.
fn parsed(lines: &str) -> Vec<Value> {
    let mut shapes = HashMap::new();
    let mut answers = Vec::new();
    for line in lines.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if let Some(name) = line["define"].as_str() {
            shapes.insert(name.to_owned(), line["shape"].clone());
        } else if !line["id"].is_null() {
            for side in ["a", "b"] {
                if let Some(name) = line["request"][side].as_str() {
                    line["request"][side] = shapes[name].clone();
                }
            }
            answers.push(line);
        }
    }
    answers
}

fn is_about(line: &Value, names: [&str; 2]) -> bool {
    line["id"] == json!(names)
}

#[test]
fn every_pair_of_a_check_over_time_is_proved() {
    let (run, lines) = check("evidence moving", MOVING, &["--until", "2", "--margin", "5"]);
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""), "{}", run.stdout);
    let last = run.stdout.lines().last().unwrap();
    assert_eq!(
        last,
        "The evidence for 20 pairs is in e.jsonl; to check it: clearance verify --scene s.json --margin 5 --until 2 e.jsonl"
    );
    let summary = verify(&lines);
    assert_eq!((&summary["answers"], &summary["proved"]), (&json!(20), &json!(20)), "{summary}");
    // The same meetings as in the report, to the last digit; and what is clear agrees with it.
    let report = check("evidence moving json", MOVING, &["--until", "2", "--margin", "5", "--json"]).0;
    assert_eq!((report.exit, report.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let lines = parsed(&lines);
    let mut kinds = [0; 3];
    for pair in report["pairs"].as_array().unwrap() {
        let names = ["a", "b"].map(|key| pair[key].as_str().unwrap());
        let line = lines.iter().find(|line| is_about(line, names)).unwrap();
        let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
        match pair["impact"].as_str() {
            None => {
                kinds[0] += 1;
                for key in ["time", "lower", "upper", "point_a", "point_b", "normal"] {
                    assert_eq!(pair["impact"][key], line[key], "{names:?} {key}");
                }
            }
            Some("clear") => {
                kinds[1] += 1;
                let (told, proved) = (&pair["closest_approach"], &line["closest_approach"]);
                assert!(number(proved, "lower") <= number(told, "upper"), "{names:?}: {proved} {told}");
                assert_eq!((&told["upper"], &told["time"]), (&proved["upper"], &proved["time"]), "{names:?}");
            }
            Some(word) => {
                kinds[2] += 1;
                assert_eq!((word, &line["impact"]), ("touching", &json!("touching")));
                for key in ["distance", "lower", "upper", "point_a", "point_b", "normal", "status"] {
                    assert_eq!(pair[key], line[key], "{names:?} {key}");
                }
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
    // Between key frames, and at one.
    for names in [["rock", "rounded"], ["rock", "disc \"a\""]] {
        let line = lines.iter().find(|line| is_about(line, names)).unwrap();
        assert_eq!(line["impact"], "touching", "{line}");
    }
    // Shapes, poses and key frames have the numbers that were written.
    let line = lines.iter().find(|line| is_about(line, ["hammer", "rounded"])).unwrap();
    assert_eq!(line["request"]["pose_a"]["rotation"], json!([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(line["request"]["motion_b"]["keyframes"][1]["pose"]["rotation"], json!([0.0, 0.2, 0.7, 0.6]));
    assert!(!lines.iter().any(|line| is_about(line, ["rock", "crate"])), "ignored pairs are not checked");
}

#[test]
fn every_pair_of_a_check_at_rest_is_proved() {
    for (name, margin) in [("evidence resting", None), ("evidence resting near", Some("0.3"))] {
        let args = margin.map_or(vec!["--json"], |margin| vec!["--json", "--margin", margin]);
        let (run, lines) = check(name, RESTING, &args);
        assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let summary = verify(&lines);
        assert_eq!(summary["answers"], summary["proved"], "{summary}");
        let (lines, pairs) = (parsed(&lines), report["pairs"].as_array().unwrap());
        let within: Vec<&Value> = lines.iter().filter(|line| !line["within"].is_null()).collect();
        assert_eq!((within.len(), &report["checked"]), (15, &json!(15)));
        assert_eq!(within.iter().filter(|line| line["within"] == true).count(), pairs.len());
        let mut depths = 0;
        for pair in pairs {
            let names = ["a", "b"].map(|key| pair[key].as_str().unwrap());
            let line = within.iter().find(|line| is_about(line, names)).unwrap();
            let is_open = pair["overlap"] == true && pair["status"] != "converged";
            // The report has one number: of an open overlap that of the depth, below.
            let numbers = ["distance", "lower", "upper", "normal"].into_iter().filter(|_| !is_open);
            for key in numbers.chain(["point_a", "point_b", "status"]) {
                assert_eq!(pair[key], line[key], "{names:?} {key}");
            }
            // The depths in the report that a distance leaves open have a line as well.
            let depth = lines.iter().find(|line| is_about(line, names) && !line["depth"].is_null());
            assert_eq!(is_open, depth.is_some(), "{names:?}");
            if let Some(line) = depth {
                depths += 1;
                assert_eq!(pair["distance"].as_f64(), pair["depth"]["lower"].as_f64().map(|lower| -lower), "{pair}");
                assert_eq!(
                    (&line["upper"], &line["translation"]),
                    (&pair["depth"]["upper"], &pair["depth"]["translation"])
                );
            }
        }
        assert!(depths > 1);
    }
    let (_, lines) = check("evidence without nodes", RESTING, &["--nodes", "0"]);
    assert!(parsed(&lines).len() == 15 && !lines.contains("\"depth\""));
}

#[test]
fn bodies_that_never_move_are_proved_over_time() {
    let (run, lines) = check("evidence at rest", RESTING, &["--until", "5"]);
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
    let summary = verify(&lines);
    assert_eq!((&summary["answers"], &summary["proved"]), (&json!(15), &json!(15)), "{summary}");
}

#[test]
fn the_built_in_scenes_and_meshes_of_the_command_line_are_proved() {
    for args in [&["check", "--proof", "-"][..], &["check", "--until", "2", "--proof", "-"]] {
        let run = run_with("evidence built in", &[], args, "");
        assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
        let summary = verify(&run.stdout);
        assert_eq!(summary["answers"], summary["proved"], "{summary}");
        assert_eq!(summary["answers"], if args.len() == 3 { 92 } else { 18 });
    }
    let wedge = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let files = [("a.obj", wedge), ("b.obj", &wedge.replace("v 0 0", "v 0.3 0"))];
    for more in [&[][..], &["--scale", "0.1"], &["--hull"], &["--hull", "--scale", "3"], &["--until", "1"]] {
        let run =
            run_with("evidence meshes", &files, &[&["check", "a.obj", "b.obj", "--proof", "-"], more].concat(), "");
        assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
        assert!(run.stdout.contains("\n{\"id\":[\"a.obj\",\"b.obj\"],"), "{}", run.stdout);
        let summary = verify(&run.stdout);
        assert_eq!(summary["answers"], summary["proved"], "{more:?} {summary}");
    }
}

#[test]
fn a_line_that_was_tampered_with_is_never_proved() {
    let (_, moving) = check("evidence tampered", MOVING, &["--until", "2", "--margin", "5"]);
    let (_, resting) = check("evidence tampered resting", RESTING, &["--margin", "0.3"]);
    let (mut tried, mut times) = (0, 0);
    for line in parsed(&moving).into_iter().chain(parsed(&resting)) {
        let mut spoiled = Vec::new();
        let mut change = |change: &dyn Fn(&mut Value)| {
            let mut other = line.clone();
            change(&mut other);
            spoiled.push(other);
        };
        let shift = |by: f64| {
            move |line: &mut Value| {
                for key in ["time", "distance", "lower", "upper", "depth"] {
                    if let Some(number) = line[key].as_f64() {
                        line[key] = json!(number + by);
                    }
                }
            }
        };
        match (line["impact"].as_str(), line["within"].as_bool(), line["depth"].is_null()) {
            (Some("hit"), ..) => {
                change(&shift(1e-3));
                change(&shift(-1e-3));
                change(&|line| line["point_a"][1] = json!(line["point_a"][1].as_f64().unwrap() + 1e-3));
                change(
                    &|line| *line = json!({"impact": "clear", "closest_approach": {"lower": 0.0, "upper": null}, "request": line["request"], "proof": line["proof"]}),
                );
            }
            (Some("clear"), ..) => {
                if line["closest_approach"]["upper"].is_number() {
                    times += 1;
                    change(&|line| line["closest_approach"]["time"] = Value::Null);
                    change(&|line| line["closest_approach"]["time"] = json!(0.123));
                }
                change(&|line| line["closest_approach"]["lower"] = json!(1e3));
                change(&|line| line["request"]["until"] = json!(50.0));
                change(&|line| line["request"]["b"] = json!({"sphere": {"radius": 1e4}}));
            }
            (Some(_), ..) | (_, Some(true), _) => {
                change(&shift(1e-3));
                change(&shift(-1e-3));
                change(&|line| line["normal"] = json!([0.6, 0.0, 0.8]));
                change(&|line| {
                    let request = line["request"].as_object_mut().unwrap();
                    request.remove("motion_b");
                    request.insert("pose_b".into(), json!({"translation": [1e3, 1e3, 1e3]}));
                });
            }
            (_, Some(false), _) => {
                change(&|line| line["request"]["margin"] = json!(1e3));
                change(&|line| line["request"]["b"] = json!({"sphere": {"radius": 1e4}}));
            }
            _ => {
                change(&shift(1e-2));
                change(&|line| line["translation"] = json!([0.0, 0.0, 0.0]));
            }
        }
        // Evidence for another pair, or none.
        change(&|line| line["proof"] = json!({"format": 2}));
        tried += spoiled.len();
        let text: String = spoiled.iter().map(|line| format!("{line}\n")).collect();
        let summary = verify(&text);
        // Half-spaces bring their directions with them: what is apart from one is so without evidence. So is what the checker decides itself.
        let may_be_proved = u64::from(line["within"] == false);
        assert!(summary["proved"].as_u64().unwrap() <= may_be_proved, "{} {summary}", line["id"]);
    }
    assert!(tried > 120 && times > 0, "{tried}, {times}");
}

#[test]
fn what_cannot_be_written_or_does_not_go_together_is_one_sentence() {
    let scene = [("s.json", RESTING)];
    let run = |args: &[&str]| run_with("evidence refused", &scene, &[&["check", "s.json"], args].concat(), "");
    let nowhere = run(&["--proof", "nowhere/e.jsonl"]);
    assert_eq!((nowhere.exit, nowhere.stdout.as_str()), (2, ""));
    let (sentence, rest) = nowhere.stderr.split_once('\n').unwrap();
    assert!(
        sentence.starts_with("error: nowhere/e.jsonl cannot be written: ") && rest.is_empty(),
        "{}",
        nowhere.stderr
    );
    let folder = empty_folder("evidence folder");
    fs::create_dir(folder.join("e.jsonl")).unwrap();
    fs::write(folder.join("s.json"), RESTING).unwrap();
    let taken = run_in(&folder, &["check", "s.json", "--proof", "e.jsonl"], b"");
    assert!(taken.exit == 2 && taken.stderr.starts_with("error: e.jsonl cannot be written: "), "{}", taken.stderr);
    assert!(!folder.join("e.jsonl.part").exists());
    for more in ["--json", "--csv", "--explain"] {
        let refused = run(&["--proof", "-", more]);
        let sentence =
            "error: --proof - takes the standard output for its lines; name a file to have a report as well\n";
        assert_eq!((refused.exit, refused.stdout.as_str(), refused.stderr.as_str()), (2, "", sentence));
    }
    let watched = run(&["--proof", "e.jsonl", "--watch"]);
    assert!(
        watched.exit == 2
            && watched.stderr.starts_with("error: the argument '--proof <FILE.jsonl>' cannot be used with '--watch'")
    );
    let named = run(&["--proof", "s.json"]);
    assert!(
        named.exit == 2 && named.stderr.contains("name one ending in .jsonl, or - for the standard output"),
        "{}",
        named.stderr
    );
    // A scene that cannot be read leaves what was there.
    let folder = empty_folder("evidence kept");
    fs::write(folder.join("e.jsonl"), "before").unwrap();
    fs::write(folder.join("s.json"), "{").unwrap();
    assert_eq!(run_in(&folder, &["check", "s.json", "--proof", "e.jsonl"], b"").exit, 2);
    assert_eq!(fs::read_to_string(folder.join("e.jsonl")).unwrap(), "before");
    assert!(!folder.join("e.jsonl.part").exists());
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let folder = empty_folder("evidence pipe");
    let bodies: Vec<Value> = (0..60)
        .map(|k| json!({"name": k.to_string(), "shape": {"sphere": {"radius": 0.4}}, "pose": {"translation": [k, 0, 0]}}))
        .collect();
    let scene = json!({"format": "clearance-scene/1", "bodies": bodies});
    fs::write(folder.join("s.json"), scene.to_string()).unwrap();
    let mut child = program(&["check", "s.json", "--proof", "-"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
