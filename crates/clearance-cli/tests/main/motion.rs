//! Bodies that move, as a user asks about them: `check --until`, and the queries "impact" and "cast".

use crate::common::{run_in, run_with, suite};
use serde_json::{Value, json};

/// A bullet and a thin wall, a ball that passes by, a crate on the floor, and what is far from all.
const SHOTS: &str = r#"{"format": "clearance-scene/1", "bodies": [
    {"name": "floor", "shape": {"half_space": {"normal": [0, 1, 0], "offset": -1}}},
    {"name": "wall", "shape": {"cuboid": {"half_extents": [1e-6, 1, 1]}}, "pose": {"translation": [50, 0.5, 0]}},
    {"name": "bullet", "shape": {"sphere": {"radius": 0.005}}, "motion": {"linear": {"velocity": [900, 0, 0]}}},
    {"name": "ball", "shape": {"sphere": {"radius": 0.5}}, "pose": {"translation": [0, 4, 0]},
     "motion": {"keyframes": [{"time": 0, "pose": {"translation": [0, 4, 0]}}, {"time": 1, "pose": {"translation": [100, 4, 0]}}]}},
    {"name": "crate", "shape": {"cuboid": {"half_extents": [0.5, 0.5, 0.5]}}, "pose": {"translation": [0, -0.5, 40]}}],
    "ignore": [["wall", "floor"]]}"#;

fn check(name: &str, args: &[&str]) -> crate::common::Run {
    run_with(name, &[("s.json", SHOTS)], &[&["check", "s.json"], args].concat(), "")
}

#[test]
fn a_check_until_a_time_tells_what_collides_when_and_how_close_the_others_come() {
    let run = check("until json", &["--until", "1", "--margin", "2.25", "--json"]);
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["overlaps"], &report["impacts"], &report["within"]), (&json!(1), &json!(1), &json!(2)));
    assert_eq!((&report["until"], &report["margin"], &report["checked"]), (&json!(1.0), &json!(2.25), &json!(9)));
    let pairs = report["pairs"].as_array().unwrap();
    let names: Vec<[&str; 2]> = pairs.iter().map(|pair| ["a", "b"].map(|key| pair[key].as_str().unwrap())).collect();
    // Pairs that touch, then pairs that collide, then pairs that come close, by how close.
    assert_eq!(names, [["floor", "crate"], ["wall", "bullet"], ["floor", "bullet"], ["wall", "ball"]]);
    assert_eq!((&pairs[0]["overlap"], &pairs[0]["impact"]), (&json!(true), &json!("touching")));
    let hit = &pairs[1]["impact"];
    assert_eq!(pairs[1]["overlap"], false);
    let truth = (50.0 - 1e-6 - 0.005) / 900.0;
    let [time, lower, upper] = ["time", "lower", "upper"].map(|key| hit[key].as_f64().unwrap());
    assert!(time == lower && lower <= truth && truth <= upper && upper - lower < 1e-12, "{hit}");
    let keys: Vec<&String> = hit.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 6, "{hit}");
    assert!((hit["point_a"][0].as_f64().unwrap() - 50.0).abs() < 1e-5 && hit["normal"][0].as_f64().unwrap() < -0.999);
    // 0.995 above the floor all the time; the ball passes the upper edge of the wall at two.
    for (pair, truth) in [(&pairs[2], 0.995), (&pairs[3], 2.0)] {
        assert_eq!((&pair["impact"], &pair["overlap"]), (&json!("clear"), &json!(false)));
        let approach = &pair["closest_approach"];
        let [lower, upper] = ["lower", "upper"].map(|key| approach[key].as_f64().unwrap());
        assert!(lower <= truth && truth <= upper && upper - lower < 1e-4, "{approach}");
        assert!((0.0..=1.0).contains(&approach["time"].as_f64().unwrap()), "{approach}");
    }
}

#[test]
fn the_table_and_the_columns_tell_the_same() {
    let table = check("until table", &["--until", "1", "--margin", "2.25"]);
    let row = |a: &str, b: &str| -> Vec<String> {
        let cells = |line: &str| line.split(['│', '┆']).map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let found = table.stdout.lines().map(cells).find(|cells| cells.len() > 3 && cells[1] == a && cells[2] == b);
        found.unwrap_or_else(|| panic!("{a} and {b} are not in\n{}", table.stdout))
    };
    assert_eq!(row("a", "b")[4..7], ["time (s)", "distance", "proved"]);
    assert_eq!(row("floor", "crate")[3..6], ["OVERLAP", "0", "0"]);
    assert_eq!(row("wall", "bullet")[3..6], ["COLLISION", "0.05555", "0"]);
    assert!(row("wall", "bullet")[6].starts_with("time ± "), "{}", table.stdout);
    assert_eq!(row("wall", "ball")[3], "clear");
    let end = "5 bodies, 9 pairs checked until 1 s: 1 overlap at the start, 1 collision, 2 within margin 2.25 (distances in scene units)\n";
    assert!(table.exit == 1 && table.stdout.ends_with(end), "{}", table.stdout);

    let csv = check("until csv", &["--until", "1", "--margin", "2.25", "--csv"]);
    let rows: Vec<Vec<&str>> = csv.stdout.lines().map(|line| line.split(',').collect()).collect();
    assert!(csv.exit == 1 && rows.len() == 5 && rows.iter().all(|row| row.len() == rows[0].len()), "{}", csv.stdout);
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).unwrap();
    let cells = |name: &str| rows[1..].iter().map(|row| row[column(name)]).collect::<Vec<_>>();
    assert_eq!(cells("impact"), ["touching", "hit", "clear", "clear"]);
    assert_eq!(cells("overlap"), ["true", "false", "false", "false"]);
    assert!(cells("time_lower")[1].starts_with("0.0555") && cells("time_lower")[2].is_empty());
    assert!(cells("approach_upper")[3].starts_with('2') && cells("approach_upper")[1].is_empty());
    assert!(cells("format").iter().all(|cell| *cell == "clearance-check/1") && cells("until")[0] == "1.0");
}

#[test]
fn exit_codes_limits_and_what_does_not_move() {
    // Before the bullet arrives, and without the crate, nothing is wrong.
    let clear = SHOTS.replace("[0, -0.5, 40]", "[0, 5, 40]");
    let run = run_with("until clear", &[("s.json", &clear)], &["check", "s.json", "--until", "0.05"], "");
    assert_eq!(run.stdout, "5 bodies, 9 pairs checked until 0.05 s: 0 overlaps at the start, 0 collisions\n");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let run = run_with("until hit", &[("s.json", &clear)], &["check", "s.json", "--until", "0.06"], "");
    assert_eq!(run.exit, 1, "{run:?}");
    let run = check("until limit", &["--until", "1", "--margin", "9", "--limit", "1"]);
    assert!(run.stdout.contains("more; --limit 0 lists all") && run.stdout.matches("OVERLAP").count() == 1, "{run:?}");
    // Without motions it is a check like any other, and says so.
    let still = r#"{"format": "clearance-scene/1", "bodies": [{"name": "a", "shape": {"sphere": {"radius": 1}}},
        {"name": "b", "shape": {"sphere": {"radius": 1}}, "pose": {"translation": [2.5, 0, 0]}}]}"#;
    let run = run_with("until rest", &[("s.json", still)], &["check", "s.json", "--until", "3", "--margin", "1"], "");
    assert!(run.exit == 0 && run.stdout.contains("No body has a motion: all rest where they are.\n"), "{run:?}");
    assert!(run.stdout.contains("┆ clear ") && run.stdout.contains("┆      0.5 ┆"), "{}", run.stdout);
    for bad in ["0", "-1", "NaN", "inf", "1e99", "soon"] {
        let run = check("until bad", &["--until", bad]);
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{bad}: {run:?}");
    }
}

#[test]
fn a_check_without_until_sees_bodies_where_they_begin() {
    let frames = |pose: &str| {
        format!(
            r#"{{"format": "clearance-scene/1", "bodies": [{{"name": "a", "shape": {{"sphere": {{"radius": 1}}}}}},
            {{"name": "b", "shape": {{"sphere": {{"radius": 1}}}}, {pose} "motion": {{"keyframes": [
            {{"time": -1, "pose": {{"translation": [1, 0, 0]}}}}, {{"time": 1, "pose": {{"translation": [2, 0, 0]}}}}]}}}}]}}"#
        )
    };
    let check = |scene: &str| {
        let run = run_with("start of frames", &[("s.json", scene)], &["check", "s.json", "--json"], "");
        serde_json::from_str::<Value>(&run.stdout).unwrap()["pairs"][0]["distance"].as_f64()
    };
    assert!((check(&frames("")).unwrap() + 0.5).abs() < 1e-12);
    assert_eq!(check(&frames(r#""pose": {"translation": [9, 0, 0]},"#)), None);
}

fn ask(line: &str) -> Value {
    let run = run_in(&suite(), &["query"], line.as_bytes());
    assert_eq!((run.exit, run.stderr.as_str(), run.stdout.lines().count()), (0, "", 1), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn impacts_of_a_stream_hit_stay_clear_or_touch() {
    let impact = |x: f64, y: f64, rest: &str| {
        ask(&format!(
            r#"{{"id": 7, "query": "impact", "a": {{"cuboid": {{"half_extents": [1, 1, 1]}}}}, "b": {{"sphere": {{"radius": 0.5}}}},
            "pose_b": {{"translation": [{x}, {y}, 0]}}, {rest}}}"#
        ).replace('\n', " "))
    };
    let still = r#""motion_a": {"fixed": {}}, "motion_b": {"linear": {"velocity": [-2, 0, 0]}}, "until": 10"#;
    let hit = impact(5.5, 0.0, still);
    assert!(hit["id"] == 7 && hit["impact"] == "hit" && (hit["time"].as_f64().unwrap() - 2.0).abs() < 1e-12, "{hit}");
    assert!(hit["lower"].as_f64().unwrap() <= 2.0 && 2.0 <= hit["upper"].as_f64().unwrap(), "{hit}");
    assert!((hit["normal"][0].as_f64().unwrap() - 1.0).abs() < 1e-12 && hit["point_b"].is_array(), "{hit}");
    let clear = impact(5.5, 2.0, still);
    let approach = &clear["closest_approach"];
    assert!(clear["impact"] == "clear" && approach["lower"].as_f64().unwrap() <= 0.5, "{clear}");
    let touching = impact(1.25, 0.0, still);
    assert!(touching["impact"] == "touching" && touching["status"].is_string(), "{touching}");
    assert!((touching["distance"].as_f64().unwrap() + 0.25).abs() < 1e-12, "{touching}");
    // From a later time on; nothing before it is part of the query. And by every other spelling of a motion.
    let late = impact(5.5, 0.0, r#""motion_b": {"linear": {"velocity": [-2, 0, 0]}}, "from": 1.5, "until": 3"#);
    assert!((late["time"].as_f64().unwrap() - 2.0).abs() < 1e-12, "{late}");
    let thrown =
        impact(5.5, 0.0, r#""motion_b": {"ballistic": {"gravity": [-2, 0, 0], "center": [0, 0, 0]}}, "until": 3"#);
    assert!((thrown["time"].as_f64().unwrap() - 2.0).abs() < 1e-12, "{thrown}");
    let frames = r#""motion_b": {"keyframes": [{"time": 0, "pose": {"translation": [5.5, 0, 0]}}, {"time": 4, "pose": {"translation": [-2.5, 0, 0]}}]}"#;
    let framed = impact(0.0, 0.0, &format!(r#"{frames}, "until": 3"#));
    assert!((framed["time"].as_f64().unwrap() - 2.0).abs() < 1e-12, "{framed}");
    // A door of width two about its hinge, an eighth of a turn from a post.
    let door = ask(
        r#"{"query": "impact", "a": {"segment": {"a": [-1, 0, 0], "b": [1, 0, 0]}}, "motion_a": {"linear": {"angular_velocity": [0, 0, 1], "center": [-1, 0, 0]}}, "b": {"point": {}}, "pose_b": {"translation": [0, 1, 0]}, "until": 3}"#,
    );
    assert!((door["time"].as_f64().unwrap() - std::f64::consts::FRAC_PI_4).abs() < 1e-9, "{door}");
}

#[test]
fn casts_of_a_stream_are_rays_or_shapes() {
    let ray = |x: f64, y: f64| {
        ask(&format!(
            r#"{{"query": "cast", "a": {{"sphere": {{"radius": 1}}}}, "origin": [{x}, {y}, 0], "direction": [-3, 0, 0], "max": 10}}"#
        ))
    };
    let hit = ray(5.0, 0.0);
    assert!(hit["hit"] == true && (hit["distance"].as_f64().unwrap() - 4.0).abs() < 1e-14, "{hit}");
    assert!(
        hit["inside"] == false && (hit["point"][0].as_f64().unwrap() - 1.0).abs() < 1e-14 && hit["normal"].is_array()
    );
    assert!(ray(0.5, 0.0)["inside"] == true && ray(5.0, 1.0)["upper"].is_null());
    assert_eq!(ray(5.0, 2.0), json!({"hit": false}));
    let shape = |x: f64, max: f64| {
        ask(&format!(
            r#"{{"query": "cast", "a": {{"sphere": {{"radius": 1}}}}, "b": {{"cuboid": {{"half_extents": [1, 1, 1]}}}}, "pose_b": {{"translation": [{x}, 0, 0]}}, "direction": [-3, 0, 0], "max": {max}, "pair": "p"}}"#
        ))
    };
    let hit = shape(5.0, 10.0);
    assert!(hit["hit"] == true && (hit["distance"].as_f64().unwrap() - 3.0).abs() < 1e-12, "{hit}");
    assert!(hit["touching"] == false && hit["point_a"].is_array() && hit["point_b"].is_array(), "{hit}");
    assert!(shape(1.5, 10.0)["touching"] == true && shape(1.5, 0.0)["distance"] == 0.0);
    assert_eq!(shape(5.0, 2.9), json!({"hit": false}));
}

/// Lines of every sort, through the program: with evidence they are proved, and with a number changed they are not.
#[test]
fn impacts_casts_and_depths_are_proved() {
    let ball = r#""a": {"sphere": {"radius": 1}}"#;
    let row = r#"{"compound": [{"shape": {"cuboid": {"half_extents": [0.5, 0.5, 0.5]}}, "pose": {"translation": [-1, 0, 0]}}, {"shape": {"sphere": {"radius": 0.5}}, "pose": {"translation": [1, 0, 0]}}]}"#;
    let mesh =
        r#"{"mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "triangles": [[0,2,1],[0,1,3],[1,2,3],[2,0,3]]}}"#;
    let spin = r#"{"linear": {"angular_velocity": [0, 0, 1]}}"#;
    let queries = [
        r#"{"query": "impact", "a": {"cuboid": {"half_extents": [2, 0.1, 0.1]}}, "motion_a": {"linear": {"angular_velocity": [0, 0, 1]}}, "b": {"sphere": {"radius": 0.5}}, "pose_b": {"translation": [0, 2, 0]}, "until": 10}"#.to_owned(),
        r#"{"query": "impact", "a": {"half_space": {"normal": [0, 1, 0], "offset": 0}}, "b": {"capsule": {"radius": 0.2, "half_height": 0.5}}, "pose_b": {"translation": [0, 9, 0]}, "motion_b": {"ballistic": {"gravity": [0, -9.81, 0], "angular_velocity": [1, 2, 3]}}, "until": 1}"#.to_owned(),
        // Compounds and meshes that meet, and that do not; a mesh in a compound; a floor.
        format!(r#"{{"query": "impact", "a": {row}, "motion_a": {spin}, "b": {row}, "pose_b": {{"translation": [0.3, 1.7, 0.1]}}, "until": 10}}"#),
        format!(r#"{{"query": "impact", "a": {row}, "motion_a": {spin}, "b": {mesh}, "pose_b": {{"translation": [0, 3, 0]}}, "until": 10}}"#),
        format!(r#"{{"query": "impact", "a": {mesh}, "motion_a": {spin}, "b": {mesh}, "pose_b": {{"translation": [-0.8, 0.7, 0.1]}}, "until": 10}}"#),
        format!(r#"{{"query": "impact", "a": {{"half_space": {{"normal": [0, 1, 0], "offset": 0}}}}, "b": {{"compound": [{{"shape": {mesh}}}, {{"shape": {row}, "pose": {{"rotation": [1, 2, 3, 4]}}}}]}}, "pose_b": {{"translation": [0, 9, 0]}}, "motion_b": {{"ballistic": {{"gravity": [0, -9.81, 0], "angular_velocity": [1, 2, 3]}}}}, "until": 3}}"#),
        // From the start on.
        format!(r#"{{"query": "impact", {ball}, "b": {row}, "motion_b": {spin}, "until": 1}}"#),
        // Shapes that are cast: hit, passed, touching; without a way to go.
        format!(r#"{{"query": "cast", {ball}, "b": {row}, "pose_b": {{"translation": [-5, 0.1, 0]}}, "direction": [3, 1, 0], "max": 10}}"#),
        format!(r#"{{"query": "cast", {ball}, "b": {mesh}, "pose_b": {{"translation": [-5, 0.1, 0]}}, "direction": [0, 1e-9, 0], "max": 10}}"#),
        format!(r#"{{"query": "cast", {ball}, "b": {{"point": {{}}}}, "direction": [1, 0, 0], "max": 1}}"#),
        format!(r#"{{"query": "cast", {ball}, "b": {row}, "pose_b": {{"translation": [-5, 0, 0]}}, "direction": [1, 0, 0], "max": 0}}"#),
        format!(r#"{{"query": "cast", {ball}, "b": {row}, "direction": [1, 0, 0], "max": 0}}"#),
        // Rays: hit, miss, from inside; of a solid and of a compound.
        format!(r#"{{"query": "cast", {ball}, "origin": [-5, 0.3, 0.1], "direction": [2, 0.1, 0], "max": 10}}"#),
        format!(r#"{{"query": "cast", {ball}, "origin": [-5, 1.3, 0.1], "direction": [2, 0, 0], "max": 10}}"#),
        format!(r#"{{"query": "cast", "a": {mesh}, "pose_a": {{"rotation": [1, 2, 3, 4]}}, "origin": [-5, 0, 0], "direction": [5, 0.2, 0.1], "max": 10}}"#),
        format!(r#"{{"query": "cast", "a": {mesh}, "origin": [0.1, 0.2, 0.3], "direction": [5, 0.2, 0.1], "max": 10}}"#),
        format!(r#"{{"query": "cast", "a": {row}, "origin": [1, 5, 0.1], "direction": [0, -1, 0], "max": 10}}"#),
        format!(r#"{{"query": "depth", {ball}, "b": {{"sphere": {{"radius": 1}}}}}}"#),
    ];
    let judged = |line: &str| run_with("verdict", &[], &["verify", "--undecided"], line);
    for query in &queries {
        let answer = run_with("answer", &[], &["query", "--proof"], query);
        assert_eq!(answer.exit, 0, "{answer:?}");
        let run = judged(&answer.stdout);
        assert!(run.exit == 0 && run.stdout.contains("1 proved"), "{query} {run:?} {}", answer.stdout);
        // Every field of an answer is a claim: with another value, or left out, it is no longer proved.
        let line: Value = serde_json::from_str(&answer.stdout).unwrap();
        for (name, value) in line.as_object().unwrap() {
            // That shapes rest apart is decided without evidence.
            let is_at_rest = name == "proof" && query.contains(r#""max": 0}"#);
            if name == "request" || name == "depth" || is_at_rest {
                continue;
            }
            let others = match value {
                Value::Bool(is) => vec![json!(!is)],
                // A weaker claim is true as well: a smaller lower bound, a larger upper one.
                Value::Number(number) => {
                    let [more, less] = [0.5, -0.5].map(|step| json!(number.as_f64().unwrap() + step));
                    match name.as_str() {
                        "lower" => vec![more],
                        "upper" => vec![less],
                        _ => vec![more, less],
                    }
                }
                Value::Array(all) if all.len() == 3 => vec![json!([all[1].as_f64().unwrap() + 0.5, all[2], all[0]])],
                Value::String(_) if name == "impact" => vec![json!(if value == "hit" { "clear" } else { "hit" })],
                Value::Object(_) if name == "proof" => vec![json!({"format": 2})],
                _ => vec![],
            };
            for other in others {
                let mut changed = line.clone();
                changed[name] = other;
                let run = judged(&changed.to_string());
                assert!(!run.stdout.contains("1 proved"), "{name} of {changed}: {run:?}");
            }
        }
    }
}
