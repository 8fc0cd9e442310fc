//! `clearance check` with a robot: closed forms of a planar arm, in the text, in JSON, on the page and in the exit code.

use crate::common::{Run, empty_folder, run_in};
use crate::report::data;
use serde_json::Value;
use std::f64::consts::FRAC_PI_2;
use std::fs;
use std::path::{Path, PathBuf};

/// A ball of radius 0.1 at a distance of 2 from an axis; a second joint turns a bar that is in nobody's way.
const ARM: &str = r#"<robot name="arm"><link name="base"/>
    <link name="ball"><collision><origin xyz="2 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
    <link name="bar"><collision><origin xyz="0 0 9"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="ball"/><axis xyz="0 0 1"/><limit lower="-1" upper="2"/></joint>
    <joint name="other" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/><limit lower="0.5" upper="2"/></joint></robot>"#;

/// A ball of radius 0.3 at (0, 2.2), and one that is far.
const CELL: &str = r#"{"format": "clearance-scene/1", "bodies": [
    {"name": "far", "shape": {"sphere": {"radius": 0.1}}, "pose": {"translation": [0, 0, -50]}},
    {"name": "post", "shape": {"sphere": {"radius": 0.3}}, "pose": {"translation": [0, 2.2, 0]}}]}"#;

fn folder(name: &str) -> PathBuf {
    let folder = empty_folder(name);
    fs::write(folder.join("arm.urdf"), ARM).unwrap();
    fs::write(folder.join("cell.json"), CELL).unwrap();
    folder
}

fn check(folder: &Path, args: &[&str]) -> Run {
    run_in(folder, &[&["check", "arm.urdf", "cell.json"], args].concat(), b"")
}

fn json(folder: &Path, args: &[&str]) -> (Value, i32) {
    let run = check(folder, &[args, &["--json"]].concat());
    assert!(run.stderr.is_empty(), "{run:?}");
    (serde_json::from_str(&run.stdout).unwrap(), run.exit)
}

/// The clearance of the two balls at an angle.
fn gap(angle: f64) -> f64 {
    f64::hypot(2.0 * angle.cos(), 2.0 * angle.sin() - 2.2) - 0.4
}

#[test]
fn a_configuration_has_the_clearance_of_its_closest_pair() {
    let folder = folder("robot_configuration");
    for (joints, q) in
        [("", [0.0, 0.5]), ("turn=0.5", [0.5, 0.5]), ("other=1,turn=-0.5", [-0.5, 1.0]), ("0.25, 1.5", [0.25, 1.5])]
    {
        let (found, exit) = json(&folder, &["--joints", joints]);
        assert_eq!((exit, &found["format"], &found["state"]), (0, &"clearance-robot/1".into(), &"free".into()));
        assert_eq!(found["configuration"], serde_json::json!(q));
        let clearance = &found["clearance"];
        assert_eq!(clearance["parts"], serde_json::json!(["post", "ball"]));
        let [lower, upper] = ["lower", "upper"].map(|field| clearance[field].as_f64().unwrap());
        assert!(lower <= gap(q[0]) + 1e-14 && gap(q[0]) <= upper + 1e-14 && upper - lower < 1e-12, "{clearance}");
    }
    let text = check(&folder, &["--joints", "turn=0.5"]);
    assert_eq!(text.exit, 0);
    assert!(
        text.stdout.starts_with("arm: 2 joints, 3 links, 1 pair of links checked, 2 obstacles\n"),
        "{}",
        text.stdout
    );
    assert!(text.stdout.contains(&format!("free: clearance {:.6} between post and ball", gap(0.5))), "{}", text.stdout);
    // Contact, a touch, and closer than wanted.
    let (found, exit) = json(&folder, &["--joints", &format!("turn={FRAC_PI_2}")]);
    assert!(exit == 1 && found["state"] == "contact" && found["clearance"]["upper"].as_f64().unwrap() < 0.0);
    let text = check(&folder, &["--joints", "1.5 1"]);
    assert!(text.exit == 1 && text.stdout.contains("CONTACT: post and ball overlap by 0.1"), "{}", text.stdout);
    let (found, exit) = json(&folder, &["--joints", "turn=0.5", "--fail-within", "1.8"]);
    assert!(exit == 1 && found["state"] == "too_close", "{found}");
    assert_eq!(json(&folder, &["--joints", "turn=0.5", "--fail-within", "1.7"]).1, 0);
    // Outside the limits it is checked all the same, and said.
    let (found, exit) = json(&folder, &["--joints", "turn=3"]);
    assert!(exit == 0 && found["outside_limits"] == serde_json::json!(["turn"]));
    assert!(check(&folder, &["--joints", "turn=3"]).stdout.contains("is outside the limits of turn"));
}

#[test]
fn a_touch_is_undecided_and_never_exit_code_zero() {
    let folder = folder("robot_touch");
    let touching = CELL.replace("2.2", "2.4");
    fs::write(folder.join("cell.json"), touching).unwrap();
    fs::write(folder.join("arm.urdf"), ARM.replace("\"2 0 0\"", "\"0 2 0\"")).unwrap();
    let (found, exit) = json(&folder, &[]);
    assert_eq!((exit, &found["state"]), (3, &"undecided".into()));
    assert!(check(&folder, &[]).stdout.contains("UNDECIDED: post and ball come as close as rounding"));
    // A path that grazes at the middle of its second edge.
    fs::write(folder.join("path.csv"), "turn\n-1\n-0.5\n0.5\n1\n").unwrap();
    let (found, exit) = json(&folder, &["--path", "path.csv"]);
    assert_eq!((exit, &found["state"]), (3, &"undecided".into()));
    let edges = found["edges"].as_array().unwrap();
    assert!(edges.len() == 2 && edges[0]["free"] == true && edges[1]["free"].is_null());
    let until = edges[1]["free_until"].as_f64().unwrap();
    assert!(until > 0.49 && until <= 0.5 && edges[1]["undecided"] == serde_json::json!(["post", "ball"]));
}

#[test]
fn a_path_is_proved_or_has_its_first_contact() {
    let folder = folder("robot_path");
    // The law of cosines, as a fraction of the edge from 0 to 2.
    let truth = (FRAC_PI_2 - ((4.0 + 2.2 * 2.2 - 0.4 * 0.4) / (4.0 * 2.2_f64)).acos()) / 2.0;
    fs::write(folder.join("hit.csv"), "# a comment\nother, turn\n1, -1\n1, 0\n\n1.5, 2\n").unwrap();
    let (found, exit) = json(&folder, &["--path", "hit.csv"]);
    assert_eq!((exit, &found["state"], &found["waypoints"]), (1, &"contact".into(), &3.into()));
    let edges = found["edges"].as_array().unwrap();
    assert!(edges.len() == 2 && edges[0]["free"] == true && edges[1]["free"] == false);
    let contact = &edges[1]["contact"];
    let [from, to] = ["from", "to"].map(|field| contact[field].as_f64().unwrap());
    assert!(from <= truth && truth <= to && to - from < 1e-5 && contact["parts"][1] == "ball", "{truth} {contact}");
    let text = check(&folder, &["--path", "hit.csv"]);
    assert!(text.stdout.contains("CONTACT on edge 2 of 2") && text.exit == 1, "{}", text.stdout);
    // Free up to a proved clearance.
    let end = 2.0 * truth - 0.1;
    fs::write(folder.join("free.csv"), format!("-1,0.5\n{end},1\n0,1\n")).unwrap();
    let (found, exit) = json(&folder, &["--path", "free.csv"]);
    let (lower, least) = (found["lower"].as_f64().unwrap(), gap(end));
    assert!(exit == 0 && found["state"] == "free" && 0.4 * least <= lower && lower <= least, "{lower} {least}");
    // Clearances that half of the least sample does not prove.
    let just = format!("{}", 0.97 * least);
    let (found, exit) = json(&folder, &["--path", "free.csv", "--fail-within", &just]);
    assert!(exit == 0 && found["lower"].as_f64().unwrap() >= 0.97 * least, "{found}");
    let (found, exit) = json(&folder, &["--path", "free.csv", "--fail-within", &format!("{}", 1.01 * least)]);
    assert!(exit == 1 && found["state"] == "too_close");
    assert!(check(&folder, &["--path", "free.csv", "--fail-within", "0.9"]).stdout.contains("TOO CLOSE"));
    // A path of one configuration.
    fs::write(folder.join("one.csv"), "0.5,1\n").unwrap();
    let (found, exit) = json(&folder, &["--path", "one.csv"]);
    assert!(exit == 0 && found["edges"].as_array().unwrap().len() == 1 && found["lower"].as_f64().unwrap() <= gap(0.5));
}

#[test]
fn the_page_plays_the_path_with_a_plot_of_the_clearance() {
    let folder = folder("robot_page");
    fs::write(folder.join("path.csv"), "turn\n-1\n0\n0.9\n").unwrap();
    let run = check(&folder, &["--path", "path.csv", "--report", "page.html"]);
    assert!(run.exit == 0 && run.stderr.is_empty(), "{run:?}");
    let (report, _) = data(&fs::read_to_string(folder.join("page.html")).unwrap());
    let names: Vec<&str> =
        report["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["far", "post", "ball", "bar"]);
    assert!(report["bodies"][2]["track"].is_array() && report["bodies"][0].get("track").is_none());
    assert!((report["until"].as_f64().unwrap() - 1.9).abs() < 1e-12);
    let points = report["plot"]["points"].as_array().unwrap();
    assert!(points.len() >= 39);
    for point in points {
        let [time, lower, upper] = [0, 1, 2].map(|at| point[at].as_f64().unwrap());
        let truth = gap(time - 1.0);
        assert!(lower <= truth + 1e-12 && truth <= upper + 1e-12, "{point}");
    }
    let proved = report["plot"]["proved"].as_array().unwrap();
    assert!(proved.len() == 2 && proved[1][0].as_f64() == Some(1.0) && proved[1][2].as_f64().unwrap() <= gap(0.9));
    let finding = &report["findings"][0];
    assert_eq!((&finding["a"], &finding["b"], &finding["state"]), (&1.into(), &2.into(), &"clear".into()));
    // A contact is a finding with its time; a configuration rests.
    fs::write(folder.join("path.csv"), "turn\n-1\n2\n").unwrap();
    assert_eq!(check(&folder, &["--path", "path.csv", "--report", "page.html"]).exit, 1);
    let (report, _) = data(&fs::read_to_string(folder.join("page.html")).unwrap());
    let impact = &report["findings"][0]["impact"];
    let truth = 1.0 + FRAC_PI_2 - ((4.0 + 2.2 * 2.2 - 0.4 * 0.4) / (4.0 * 2.2_f64)).acos();
    assert!((impact["time"].as_f64().unwrap() - truth).abs() < 1e-5 && report["impacts"] == 1, "{impact}");
    assert_eq!(check(&folder, &["--joints", "turn=0.5", "--report", "page.html"]).exit, 0);
    let (report, _) = data(&fs::read_to_string(folder.join("page.html")).unwrap());
    assert!(report["until"].is_null() && report.get("plot").is_none() && report["findings"][0]["state"] == "gap");
}

#[test]
fn bad_questions_are_refused_with_one_sentence() {
    let folder = folder("robot_bad");
    for (file, text) in [
        ("wide.csv", "0,1\n0,1,2\n"),
        ("names.csv", "turn,arm\n0,1\n"),
        ("twice.csv", "turn,turn\n0,1\n"),
        ("nan.csv", "0,1\n0,NaN\n"),
        ("empty.csv", "turn\n"),
        ("huge.csv", "0,1\n1e9,0\n"),
        ("bad.srdf", "<robot>"),
        ("two.urdf", "<robot name=\"two\"><link name=\"a\"/></robot>"),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    for (args, sentence) in [
        (&["--joints", "0.5"][..], "--joints: there are 1 numbers for 2 joints: turn, other"),
        (
            &["--joints", "elbow=1"],
            "--joints: the robot has no joint \"elbow\" that moves by itself; its joints are turn, other",
        ),
        (&["--joints", "turn=1 0.5"], "--joints: \"0.5\" has no name"),
        (&["--joints", "turn=1 turn=2"], "--joints: \"turn\" is given twice"),
        (&["--joints", "turn=inf"], "--joints: \"inf\" is not a finite number"),
        (&["--joints", "turn=1e7"], "the value of turn is 10000000"),
        (&["--path", "wide.csv"], "wide.csv, line 2: there are 3 numbers for 2 joints"),
        (&["--path", "names.csv"], "names.csv, line 1: the robot has no joint \"arm\""),
        (&["--path", "twice.csv"], "twice.csv, line 1: two columns have the name \"turn\""),
        (&["--path", "nan.csv"], "nan.csv, line 2: \"NaN\" is not a finite number"),
        (&["--path", "empty.csv"], "empty.csv has no configuration"),
        (&["--path", "huge.csv"], "the value of turn is 1000000000"),
        (&["--path", "none.csv"], "none.csv"),
        (&["--srdf", "bad.srdf"], "bad.srdf, line 1"),
        (&["two.urdf"], "two robots are given"),
        (&["--until", "1"], "--until is not for robots"),
        (&["--margin", "1"], "--margin is not for robots"),
        (&["--csv"], "--csv is not for robots"),
        (&["--watch"], "--watch is not for robots"),
    ] {
        let run = check(&folder, args);
        assert!(run.exit == 2 && run.stdout.is_empty(), "{args:?}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(sentence), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    let run = run_in(&folder, &["check", "cell.json", "--joints", "1"], b"");
    assert!(run.exit == 2 && run.stderr.contains("name its .urdf file"), "{run:?}");
}
