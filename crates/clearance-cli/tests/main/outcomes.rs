//! The findings of a check are the same in the table, in JSON, in CSV, on the page and in the exit code: a table of small scenes.

use crate::common::{empty_folder, run_in};
use crate::report::data;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Exit codes of a check.
const CLEAR: i32 = 0;
const OVERLAP: i32 = 1;
const BAD_INPUT: i32 = 2;
const UNDECIDED: i32 = 3;

/// A scene with what a check says of it: the exit code, and the states of its pairs, worst first.
struct Case {
    name: &'static str,
    files: Vec<(&'static str, String)>,
    args: &'static [&'static str],
    exit: i32,
    states: &'static [&'static str],
}

/// A box as OBJ text, from one corner to the other; without the last `missing` of its six faces.
pub fn box_obj(from: [f64; 3], to: [f64; 3], missing: usize) -> String {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { from[k] } else { to[k] });
    let mut text: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let faces = ["f 1 3 4 2", "f 5 6 8 7", "f 1 2 6 5", "f 3 7 8 4", "f 1 5 7 3", "f 2 4 8 6"];
    faces[..6 - missing].iter().for_each(|face| text += &format!("{face}\n"));
    text
}

/// A scene of bodies, each with a name and the rest of its fields.
fn scene(bodies: &[(&str, &str)]) -> String {
    let bodies: Vec<String> = bodies.iter().map(|(name, rest)| format!(r#"{{"name": "{name}", {rest}}}"#)).collect();
    format!(r#"{{"format": "clearance-scene/1", "bodies": [{}]}}"#, bodies.join(", "))
}

/// A ball of radius 1/2 at a place along x.
fn ball(x: f64) -> String {
    format!(r#""shape": {{"sphere": {{"radius": 0.5}}}}, "pose": {{"translation": [{x}, 0, 0]}}"#)
}

fn moving(body: &str, velocity: &str) -> String {
    format!(r#"{body}, "motion": {{"linear": {{"velocity": {velocity}}}}}"#)
}

fn cases() -> Vec<Case> {
    let room = |missing| box_obj([-5.0; 3], [5.0; 3], missing);
    let dot = box_obj([-0.5; 3], [0.5; 3], 0);
    let far = box_obj([20.0; 3], [21.0; 3], 0);
    let two = |x: f64| scene(&[("a", &ball(0.0)), ("b", &ball(x))]);
    let one = || scene(&[("ball", &ball(0.0))]);
    let mesh = |file: &str| format!(r#""shape": {{"mesh": {{"file": "{file}"}}}}"#);
    let compound = |file: &str| {
        format!(
            r#""shape": {{"compound": [{{"shape": {{"mesh": {{"file": "{file}"}}}}}},
               {{"shape": {{"sphere": {{"radius": 1}}}}, "pose": {{"translation": [30, 0, 0]}}}}]}}"#
        )
    };
    let json = |text: String| vec![("s.json", text)];
    let with = |files: &[(&'static str, &String)]| files.iter().map(|(name, text)| (*name, (*text).clone())).collect();
    // A frame around a hole, in one plane: it encloses nothing, however it is closed.
    let frame = "v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\n\
                 f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
        .to_owned();
    // Two boxes in one mesh: one in the room, one out of it.
    let mut pair = dot.clone() + &far;
    pair = pair.replace("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", "");
    pair += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    pair += "f 9 11 12 10\nf 13 14 16 15\nf 9 10 14 13\nf 11 15 16 12\nf 9 13 15 11\nf 10 12 16 14\n";
    let case = |name, files, args, exit, states| Case { name, files, args, exit, states };
    vec![
        case("apart", json(two(3.0)), &[], CLEAR, &[]),
        case("touching", json(two(1.0)), &[], OVERLAP, &["overlap"]),
        case("overlapping", json(two(0.5)), &[], OVERLAP, &["overlap"]),
        case("one body", json(one()), &[], CLEAR, &[]),
        case("within the margin", json(two(1.25)), &["--margin", "0.5"], CLEAR, &["gap"]),
        case("beyond the margin", json(two(1.75)), &["--margin", "0.5"], CLEAR, &[]),
        case("too close", json(two(1.25)), &["--fail-within", "0.5"], OVERLAP, &["gap"]),
        case("far enough", json(two(1.75)), &["--fail-within", "0.5"], CLEAR, &[]),
        case("a margin beyond the limit", json(two(1.75)), &["--fail-within", "0.5", "--margin", "1"], CLEAR, &["gap"]),
        case(
            "a limit beyond the margin",
            json(two(1.75)),
            &["--fail-within", "1", "--margin", "0.5"],
            OVERLAP,
            &["gap"],
        ),
        case("inside a closed mesh", with(&[("r.obj", &room(0)), ("d.obj", &dot)]), &[], OVERLAP, &["overlap"]),
        case("inside an open mesh", with(&[("r.obj", &room(1)), ("d.obj", &dot)]), &[], UNDECIDED, &["undecided"]),
        case("in the other order", with(&[("d.obj", &dot), ("r.obj", &room(1))]), &[], UNDECIDED, &["undecided"]),
        case(
            "one open mesh in another",
            with(&[("r.obj", &room(1)), ("d.obj", &box_obj([-1.0; 3], [1.0; 3], 1))]),
            &[],
            UNDECIDED,
            &["undecided"],
        ),
        case("meant as surfaces", with(&[("r.obj", &room(1)), ("d.obj", &dot)]), &["--surfaces"], CLEAR, &[]),
        case("holes filled", with(&[("r.obj", &room(1)), ("d.obj", &dot)]), &["--fill-holes"], OVERLAP, &["overlap"]),
        case("beside an open mesh", with(&[("r.obj", &room(1)), ("d.obj", &far)]), &[], CLEAR, &[]),
        case(
            "through an open mesh",
            with(&[("r.obj", &room(1)), ("d.obj", &box_obj([4.0; 3], [6.0; 3], 0))]),
            &[],
            OVERLAP,
            &["overlap"],
        ),
        case(
            "out of the mouth",
            with(&[("r.obj", &room(1)), ("d.obj", &box_obj([0.0; 3], [9.0, 1.0, 1.0], 0))]),
            &[],
            CLEAR,
            &[],
        ),
        case("in a flat frame", with(&[("f.obj", &frame), ("d.obj", &dot)]), &[], CLEAR, &[]),
        case("a part of a mesh inside", with(&[("r.obj", &room(1)), ("d.obj", &pair)]), &[], UNDECIDED, &["undecided"]),
        case(
            "an open mesh in a compound",
            vec![("s.json", scene(&[("c", &compound("r.obj")), ("ball", &ball(0.0))])), ("r.obj", room(1))],
            &[],
            UNDECIDED,
            &["undecided"],
        ),
        case(
            "a compound in an open mesh",
            vec![
                ("s.json", scene(&[("c", &compound("d.obj")), ("r", &mesh("r.obj"))])),
                ("r.obj", room(1)),
                ("d.obj", dot.clone()),
            ],
            &[],
            UNDECIDED,
            &["undecided"],
        ),
        case(
            "a compound whose hole is filled",
            vec![("s.json", scene(&[("c", &compound("r.obj")), ("ball", &ball(0.0))])), ("r.obj", room(1))],
            &["--fill-holes"],
            OVERLAP,
            &["overlap"],
        ),
        case(
            "undecided within the margin",
            with(&[("r.obj", &room(1)), ("d.obj", &dot)]),
            &["--margin", "6"],
            UNDECIDED,
            &["undecided"],
        ),
        case(
            "an overlap and an open question",
            vec![("s.json", scene(&[("r", &mesh("r.obj")), ("a", &ball(0.0)), ("b", &ball(0.5))])), ("r.obj", room(1))],
            &[],
            OVERLAP,
            &["overlap", "undecided", "undecided"],
        ),
        case(
            "moving apart",
            json(scene(&[("a", &ball(0.0)), ("b", &moving(&ball(3.0), "[1, 0, 0]"))])),
            &["--until", "2"],
            CLEAR,
            &[],
        ),
        case(
            "moving together",
            json(scene(&[("a", &ball(0.0)), ("b", &moving(&ball(3.0), "[-1, 0, 0]"))])),
            &["--until", "4"],
            OVERLAP,
            &["collision"],
        ),
        case(
            "moving past",
            json(scene(&[("a", &ball(0.0)), ("b", &moving(&ball(3.0), "[-1, 1, 0]"))])),
            &["--until", "4", "--margin", "2"],
            CLEAR,
            &["clear"],
        ),
        case(
            "moving past, too close",
            json(scene(&[("a", &ball(0.0)), ("b", &moving(&ball(3.0), "[-1, 1, 0]"))])),
            &["--until", "4", "--fail-within", "2"],
            OVERLAP,
            &["clear"],
        ),
        case(
            "moving in an open mesh",
            vec![
                ("s.json", scene(&[("r", &mesh("r.obj")), ("b", &moving(&ball(0.0), "[0, 1, 0]"))])),
                ("r.obj", room(1)),
            ],
            &["--until", "1"],
            UNDECIDED,
            &["undecided"],
        ),
        case(
            "moving into an open mesh",
            vec![
                ("s.json", scene(&[("r", &mesh("r.obj")), ("b", &moving(&ball(20.0), "[-10, 0, 0]"))])),
                ("r.obj", room(1)),
            ],
            &["--until", "2"],
            UNDECIDED,
            &["undecided"],
        ),
        case(
            "moving by an open mesh",
            vec![
                ("s.json", scene(&[("r", &mesh("r.obj")), ("b", &moving(&ball(7.0), "[0, 10, 0]"))])),
                ("r.obj", room(1)),
            ],
            &["--until", "2"],
            CLEAR,
            &[],
        ),
        case(
            "resting in an open mesh over time",
            with(&[("r.obj", &room(1)), ("d.obj", &dot)]),
            &["--until", "1"],
            UNDECIDED,
            &["undecided"],
        ),
        case("a bad file", vec![("s.json", two(0.5)), ("x.obj", "v 0 0\n".into())], &[], BAD_INPUT, &[]),
        case(
            "a bad file that is skipped",
            vec![("s.json", two(0.5)), ("x.obj", "v 0 0\n".into())],
            &["--skip-bad"],
            BAD_INPUT,
            &["overlap"],
        ),
        case("hulls", with(&[("r.obj", &room(1)), ("d.obj", &dot)]), &["--hull"], OVERLAP, &["overlap"]),
        case(
            "scaled",
            with(&[("r.obj", &room(0)), ("d.obj", &far)]),
            &["--scale", "0.001", "--margin", "1"],
            CLEAR,
            &["gap"],
        ),
    ]
}

/// The findings of a run in one form: names, state, reason, distance.
type Findings = Vec<(String, String, String, String, Option<f64>)>;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn of_json(pairs: &Value) -> Findings {
    let pairs = pairs.as_array().expect("a list of pairs").iter();
    let row = |pair: &Value| {
        (text(&pair["a"]), text(&pair["b"]), text(&pair["state"]), text(&pair["undecided"]), pair["distance"].as_f64())
    };
    pairs.map(row).collect()
}

/// Rows by the names of their columns.
fn of_csv(csv: &str) -> Findings {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).expect("the column is there");
    let [a, b, state, doubt, distance] = ["a", "b", "state", "undecided", "distance"].map(column);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |index: usize| cells[index].to_owned();
        (cell(a), cell(b), cell(state), cell(doubt), cells[distance].parse().ok())
    };
    lines.map(row).collect()
}

/// The names and states of a table's rows.
fn of_table(table: &str) -> Vec<[String; 3]> {
    let rows = table.lines().filter(|line| line.starts_with('│')).skip(1);
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('│').split('┆').map(|cell| cell.trim().to_lowercase()).collect()
    };
    rows.map(|line| cells(line)[..3].to_vec().try_into().expect("three cells")).collect()
}

#[test]
fn all_outputs_agree_with_the_exit_code() {
    let cases = cases();
    assert!(cases.len() >= 30, "{}", cases.len());
    for Case { name, files, args, exit, states } in cases {
        let folder = empty_folder(&format!("outcome {name}"));
        files.iter().for_each(|(file, content)| fs::write(folder.join(file), content).unwrap());
        // Mesh files that a scene names are not bodies of their own; only scenes whose files are skipped have others beside them.
        let inputs: Vec<&str> = match files.iter().find(|(file, _)| file.ends_with(".json")) {
            Some((scene, _)) if !files.iter().any(|(file, _)| *file == "x.obj") => vec![*scene],
            _ => files.iter().map(|(file, _)| *file).collect(),
        };
        let run = |more: &[&str]| {
            let run = run_in(&folder, &[&["check"], &inputs[..], args, more].concat(), b"");
            assert_eq!(run.exit, exit, "{name} {more:?}: {run:?}");
            run.stdout
        };
        let [table, json, csv] = [&[][..], &["--json"], &["--csv"]].map(run);
        if exit == BAD_INPUT && states.is_empty() {
            assert_eq!([table, json, csv], ["", "", ""], "{name}");
            continue;
        }
        let _ = run(&["--report", "page.html"]);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let (page, _) = data(&fs::read_to_string(folder.join("page.html")).unwrap());
        let found = of_json(&json["pairs"]);
        let said: Vec<&str> = found.iter().map(|(_, _, state, ..)| state.as_str()).collect();
        assert_eq!(said, states, "{name}: {json}");
        assert_eq!(of_csv(&csv), found, "{name}");
        let body = |index: &Value| text(&page["bodies"][index.as_u64().unwrap() as usize]["name"]);
        let mut drawn = page["findings"].clone();
        for finding in drawn.as_array_mut().unwrap() {
            (finding["a"], finding["b"]) = (body(&finding["a"]).into(), body(&finding["b"]).into());
        }
        assert_eq!(of_json(&drawn), found, "{name}");
        let rows: Vec<[String; 3]> =
            found.iter().map(|(a, b, state, ..)| [a.clone(), b.clone(), state.clone()]).collect();
        assert_eq!(of_table(&table), rows, "{name}: {table}");
        for (field, counted) in [("overlaps", "overlap"), ("undecided", "undecided")] {
            let count = states.iter().filter(|state| **state == counted).count();
            assert!(json[field] == count && page[field] == count, "{name}: {field} of {json}");
        }
        assert!(table.contains(&format!(", {} undecided", json["undecided"])) == (json["undecided"] != 0), "{table}");
        assert_eq!(json["too_close"], page["too_close"], "{name}");
        // The exit code follows from the counts.
        let sum = |fields: &[&str]| fields.iter().map(|field| json[*field].as_u64().unwrap_or(0)).sum::<u64>();
        let told = match () {
            () if !json["skipped_files"].as_array().unwrap().is_empty() => BAD_INPUT,
            () if sum(&["overlaps", "impacts", "too_close"]) > 0 => OVERLAP,
            () if sum(&["undecided"]) > 0 => UNDECIDED,
            () => CLEAR,
        };
        assert_eq!(told, exit, "{name}: {json}");
    }
}

fn check(folder: &Path, args: &[&str]) -> (i32, Value) {
    let run = run_in(folder, &[&["check"], args, &["--json"]].concat(), b"");
    (run.exit, serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}")))
}

#[test]
fn open_meshes_are_named_wherever_they_are_and_holes_with_size_and_place() {
    let folder = empty_folder("open meshes are named");
    fs::write(folder.join("room.obj"), box_obj([-5.0; 3], [5.0; 3], 1)).unwrap();
    let bodies = [
        (
            "compound",
            r#""shape": {"compound": [{"shape": {"sphere": {"radius": 1}}}, {"shape": {"mesh": {"file": "room.obj"}}}]}"#,
        ),
        ("room", r#""shape": {"mesh": {"file": "room.obj"}}, "pose": {"translation": [100, 0, 0]}"#),
        ("ball", r#""shape": {"sphere": {"radius": 1}}, "pose": {"translation": [101, 0, 0]}"#),
    ];
    fs::write(folder.join("s.json"), scene(&bodies)).unwrap();
    let (exit, json) = check(&folder, &["s.json", "--explain"]);
    assert_eq!((exit, &json["shells"]), (UNDECIDED, &serde_json::json!(["compound, part 1", "room"])));
    assert_eq!(json["meshes"].as_array().map(Vec::len), Some(2), "{json}");
    let pair = &json["pairs"][0];
    assert_eq!(
        (&pair["a"], &pair["b"], &pair["undecided"]),
        (&"room".into(), &"ball".into(), &"b may be inside an open surface".into())
    );
    let table = run_in(&folder, &["check", "s.json"], b"").stdout;
    assert!(
        table.contains("Undecided: ball may be inside the open surface of room; --fill-holes closes it"),
        "{table}"
    );

    let (exit, json) = check(&folder, &["s.json", "--fill-holes"]);
    assert_eq!((exit, &json["shells"]), (OVERLAP, &serde_json::json!([])));
    let holes = json["filled_holes"].as_array().unwrap();
    assert_eq!(holes.len(), 2, "{json}");
    let hole = &holes[1];
    assert_eq!((&hole["mesh"], &hole["edges"]), (&"room".into(), &4.into()));
    assert_eq!((&hole["perimeter"], &hole["center"]), (&40.0.into(), &serde_json::json!([105.0, 0.0, 0.0])));
    let run = run_in(&folder, &["check", "s.json", "--fill-holes", "--report", "page.html"], b"");
    assert!(
        run.stdout.contains("room: a hole of 4 edges was filled near (105, 0, 0): perimeter 40, diameter 14.14\n"),
        "{run:?}"
    );
    let (page, _) = data(&fs::read_to_string(folder.join("page.html")).unwrap());
    assert_eq!(page["filled_holes"], json["filled_holes"]);
    let run = run_in(&folder, &["check", "s.json", "--fill-holes", "--proof", "p.jsonl"], b"");
    assert!(run.exit == BAD_INPUT && run.stderr.contains("cannot be used with"), "{run:?}");
}

/// Two L-shaped solids whose depth is left open: one number everywhere, by which pairs are sorted.
#[test]
fn an_open_depth_is_one_number_and_a_range() {
    let ell = "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nv 0 0 1\nv 3 0 1\nv 3 1 1\nv 1 1 1\nv 1 3 1\nv 0 3 1\n\
               f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
    let folder = empty_folder("an open depth");
    fs::write(folder.join("ell.obj"), ell).unwrap();
    let mesh = |at: &str| format!(r#""shape": {{"mesh": {{"file": "ell.obj"}}}}, "pose": {{"translation": {at}}}"#);
    let bodies = [
        ("a", mesh("[0, 0, 0]")),
        ("b", mesh("[0.3, 0.2, 0.4]")),
        ("c", mesh("[0, 0, 50]")),
        ("d", mesh("[0.1, 2.7, 50.7]")),
    ];
    let bodies: Vec<(&str, &str)> = bodies.iter().map(|(name, rest)| (*name, rest.as_str())).collect();
    fs::write(folder.join("s.json"), scene(&bodies)).unwrap();
    for nodes in ["0", "1", "1000"] {
        let (exit, json) = check(&folder, &["s.json", "--nodes", nodes]);
        assert_eq!(exit, OVERLAP);
        let pairs = json["pairs"].as_array().unwrap();
        let distances: Vec<f64> = pairs.iter().map(|pair| pair["distance"].as_f64().unwrap()).collect();
        assert!(distances.is_sorted(), "{distances:?}");
        for pair in pairs.iter().filter(|pair| pair["depth"].is_object()) {
            let [lower, upper, distance] = ["lower", "upper", "distance"].map(|field| pair[field].as_f64().unwrap());
            assert!(lower <= distance && distance <= upper, "{pair}");
            assert_eq!(Some(-upper), pair["depth"]["lower"].as_f64().map(|x| x + 0.0), "{pair}");
            assert_eq!(Some(-lower), pair["depth"]["upper"].as_f64(), "{pair}");
        }
        let table = run_in(&folder, &["check", "s.json", "--nodes", nodes], b"").stdout;
        let is_open = pairs[0]["status"] != "converged"
            && pairs[0]["upper"].as_f64() > Some(0.999 * pairs[0]["lower"].as_f64().unwrap());
        assert_eq!(table.contains(" to -"), is_open, "{nodes}: {table}");
    }
}

/// Faults have the numbers of the file. OBJ counts vertices from 1 and knows faces by lines, STL has no numbers of vertices, scenes count from 0.
#[test]
fn faults_have_the_numbers_of_their_file() {
    let folder = empty_folder("faults have the numbers of their file");
    fs::create_dir(folder.join("scenes")).unwrap();
    // Two triangles, one of them twice, behind two vertices that nothing uses.
    let obj = "v 9 9 9\nv 8 8 8\n\nv 0 0 0\nv 2 0 0\nv 0 2 0\nv 2 2 0\nf 3 4 5\nf 4 6 5\nf 3 4 5\n";
    fs::write(folder.join("a.obj"), obj).unwrap();
    let facet = |corners: [&str; 3]| {
        let corners: String = corners.iter().map(|corner| format!("vertex {corner}\n")).collect();
        format!("facet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\n")
    };
    let facets = [["0 0 0", "2 0 0", "0 2 0"], ["2 0 0", "2 2 0", "0 2 0"], ["0 0 0", "2 0 0", "0 2 0"]].map(facet);
    fs::write(folder.join("b.stl"), format!("solid b\n{}endsolid b\n", facets.concat())).unwrap();
    let bodies = [
        ("file", r#""shape": {"mesh": {"file": "../a.obj"}}"#),
        (
            "numbers",
            r#""shape": {"mesh": {"vertices": [[0, 0, 0], [2, 0, 0], [0, 2, 0]], "triangles": [[0, 1, 2], [0, 1, 2]]}},
               "pose": {"translation": [0, 0, 30]}"#,
        ),
    ];
    fs::write(folder.join("scenes/s.json"), scene(&bodies)).unwrap();
    let explained = |args: &[&str]| run_in(&folder, &[&["check"], args, &["--explain"]].concat(), b"").stdout;
    let by_lines = "1 triangle that is there twice (by the lines of their faces): 10; it is at (0.666667, 0.666667, 0)";
    let obj = explained(&["a.obj"]);
    assert!(obj.contains("where the surface ends (vertices, counted from 1): [4, 6], [5, 6]; the first"), "{obj}");
    assert!(obj.contains(by_lines), "{obj}");
    let stl = explained(&["b.stl"]);
    assert!(stl.contains("where the surface ends: at (2, 1, 0), (1, 2, 0)\n"), "{stl}");
    assert!(stl.contains("twice (by the lines of their faces): 22; it is at"), "{stl}");
    // The scene names a file of the folder above, and the command for its page allows that folder.
    let both = explained(&["scenes/s.json", "--allow", ".", "--margin", "40"]);
    assert!(both.contains(&format!("  {by_lines}")), "{both}");
    assert!(both.contains("there twice (counted from 0): 1; it is at"), "{both}");
    assert!(both.contains("To see it: clearance view scenes/s.json --margin 40 --allow .\n"), "{both}");
    // Triangles that fill holes come after those of the file.
    let filled = explained(&["a.obj", "--fill-holes"]);
    assert!(filled.contains("counted from 1") || !filled.contains("(vertices"), "{filled}");
    assert!(!filled.contains("counted from 0"), "{filled}");
}
