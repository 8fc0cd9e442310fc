//! `clearance check` as a user runs it.

#[cfg(unix)]
use crate::common::empty_folder;
#[cfg(target_os = "linux")]
use crate::common::{peak_memory, program};
use crate::common::{run_in, run_with, suite};
use serde_json::Value;

const STACK: &str = r#"{"format": "clearance-scene/1",
  "shapes": {"ball": {"sphere": {"radius": 1}}},
  "bodies": [
    {"name": "a", "shape": "ball"},
    {"name": "b", "shape": "ball", "pose": {"translation": [1.5, 0, 0]}},
    {"name": "c", "shape": "ball", "pose": {"translation": [4.5, 0, 0]}},
    {"name": "d", "shape": "ball", "pose": {"translation": [5, 0, 0]}},
    {"name": "far", "shape": "ball", "pose": {"translation": [100, 0, 0]}}]}"#;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn pairs(stdout: &str) -> Vec<(String, bool, f64)> {
    let report: Value = serde_json::from_str(stdout).unwrap();
    let entries = report["pairs"].as_array().unwrap().iter();
    let name = |pair: &Value| format!("{}-{}", pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
    entries.map(|pair| (name(pair), pair["overlap"] == true, pair["distance"].as_f64().unwrap())).collect()
}

#[test]
fn without_a_margin_only_overlaps_are_listed_worst_first() {
    let run = run_with("overlaps", &[("s.json", STACK)], &["check", "s.json", "--json"], "");
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
    let found: Vec<String> = pairs(&run.stdout).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(found, ["c-d", "a-b"]);
}

#[test]
fn a_margin_adds_the_near_misses() {
    let run = run_with("margin", &[("s.json", STACK)], &["check", "s.json", "--json", "--margin", "1.25"], "");
    let found = pairs(&run.stdout);
    let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["c-d", "a-b", "b-c"]);
    assert!(!found[2].1 && (found[2].2 - 1.0).abs() < 1e-12);
}

#[test]
fn what_is_clear_exits_with_zero() {
    let clear = STACK.replace("[1.5, 0, 0]", "[-9, 0, 0]").replace("[4.5, 0, 0]", "[9, 0, 0]");
    let run = run_with("clear", &[("s.json", &clear)], &["check", "s.json"], "");
    assert_eq!(
        (run.exit, run.stdout.as_str(), run.stderr.as_str()),
        (0, "5 bodies, 10 pairs checked, 0 overlaps\n", "")
    );
}

#[test]
fn groups_and_ignored_pairs_are_not_checked() {
    let grouped = STACK.replace(r#""name": "a","#, r#""name": "a", "group": "g","#);
    let grouped = grouped.replace(r#""name": "b","#, r#""name": "b", "group": "g","#);
    let ignoring = grouped.replace("}]}", "}], \"ignore\": [[\"d\", \"c\"]]}");
    let run = run_with("groups", &[("s.json", &ignoring)], &["check", "s.json"], "");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "5 bodies, 8 pairs checked, 0 overlaps\n"));
}

#[test]
fn json_has_exactly_the_documented_fields() {
    let run = run_with("fields", &[("s.json", STACK)], &["check", "s.json", "--json"], "");
    let head = r#"{"format":"clearance-check/1","bodies":5,"checked":10,"margin":0.0,"overlaps":2,"within":0,"undecided":0,"fail_within":null,"too_close":0,"convex_hulls":[],"shells":[],"filled_holes":[],"crossed_faces":[],"notes":[],"skipped_files":[],"pairs":[{"a":""#;
    assert!(run.stdout.starts_with(head) && run.stdout.ends_with("\"}]}\n"), "{}", run.stdout);
    let pair = run.stdout.split_once("\"pairs\":[{").unwrap().1.split("},{").next().unwrap();
    let keys: Vec<&str> = pair.split("\":").filter_map(|part| part.rsplit('"').next()).collect();
    let documented = [
        "a",
        "b",
        "overlap",
        "distance",
        "point_a",
        "point_b",
        "normal",
        "lower",
        "upper",
        "status",
        "state",
        "depth",
        "lower",
        "upper",
        "translation",
        "id",
        "kind",
    ];
    assert_eq!(keys[..documented.len()], documented);
}

#[test]
fn csv_names_its_columns() {
    let named = STACK.replace("\"name\": \"a\"", "\"name\": \"a, left\"");
    let run = run_with("csv", &[("s.json", &named)], &["check", "s.json", "--csv", "--margin", "0"], "");
    let mut lines = run.stdout.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!((header.len(), header[0], header[3], header[14]), (30, "a", "distance", "upper"));
    assert_eq!(
        header[15..],
        [
            "depth_lower",
            "depth_upper",
            "translation_x",
            "translation_y",
            "translation_z",
            "status",
            "margin",
            "checked",
            "format",
            "state",
            "undecided",
            "id",
            "kind",
            "life",
            "cluster",
        ]
    );
    let rest: Vec<&str> = lines.collect();
    assert!(rest.iter().any(|line| line.starts_with("\"a, left\",b,true,")), "{}", run.stdout);
    let is_whole =
        |line: &&str| line.contains(",converged,0.0,10,clearance-check/1,overlap,,") && line.ends_with(",protruding,,");
    assert!(rest.iter().all(is_whole), "{}", run.stdout);
}

/// A cube in a cross of two bars, which has to go 1.5 along x; and the convex overlap of two balls, whose clearance has it.
#[test]
fn overlaps_are_told_with_their_depth_and_a_way_out() {
    let bar = |half: &str| format!(r#"{{"shape": {{"cuboid": {{"half_extents": {half}}}}}}}"#);
    let cube = r#"{"name": "cube", "shape": {"cuboid": {"half_extents": [1, 1, 1]}}, "pose": {"translation": [2.5, -0.25, -0.25]}}"#;
    let scene = format!(
        r#"{{"format": "clearance-scene/1", "bodies": [{cube}, {{"name": "cross", "shape": {{"compound": [{}, {}]}}}}]}}"#,
        bar("[3, 1, 1]"),
        bar("[1, 3, 1]")
    );
    let check = |rest: &[&str]| run_with("depths", &[("s.json", &scene)], &[&["check", "s.json"], rest].concat(), "");
    let report: Value = serde_json::from_str(&check(&["--json"]).stdout).unwrap();
    let pair = &report["pairs"][0];
    let depth = &pair["depth"];
    let [lower, upper] = ["lower", "upper"].map(|end| depth[end].as_f64().unwrap());
    assert!(lower <= 1.5 && 1.5 <= upper && upper - lower < 1e-8, "{pair}");
    assert!((depth["translation"][0].as_f64().unwrap() - 1.5).abs() < 1e-8, "{pair}");
    let unsearched: Value = serde_json::from_str(&check(&["--json", "--nodes", "0"]).stdout).unwrap();
    assert_eq!(unsearched["pairs"][0].get("depth").is_some(), pair["status"] == "converged", "{unsearched}");
    assert!(check(&[]).stdout.contains("┆ (1.5, 0, 0) "), "{}", check(&[]).stdout);
    let csv = check(&["--csv"]).stdout;
    let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(row[16].parse::<f64>().unwrap(), upper);

    let run = run_with("depths of balls", &[("s.json", STACK)], &["check", "s.json", "--json"], "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let depth = &report["pairs"][0]["depth"];
    assert!((depth["upper"].as_f64().unwrap() - 1.5).abs() < 1e-12 && depth["translation"][0].as_f64().unwrap() < -1.4);
}

#[test]
fn names_and_paths_cannot_draw_on_the_terminal() {
    let named = STACK.replace("\"name\": \"a\"", "\"name\": \"a\\u001b[2J\\n\"");
    let run = run_with("names", &[("s.json", &named)], &["check", "s.json"], "");
    assert!(run.exit == 1 && run.stdout.contains("a\u{fffd}[2J\u{fffd}"), "{}", run.stdout);
    let run = run_in(&suite(), &["check", "x\ny\u{1b}.json"], b"");
    assert_eq!(run.stderr, "error: x\u{fffd}y\u{fffd}.json does not exist; check the name and the folder\n");
}

#[test]
fn meshes_are_bodies_and_mix_with_scenes() {
    let files = [("s.json", STACK), ("t.obj", TETRAHEDRON)];
    let run = run_with("meshes", &files, &["check", "t.obj", "s.json", "t.obj", "--json"], "");
    assert_eq!(run.exit, 1, "{run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["bodies"], 7);
    assert_eq!((&report["convex_hulls"], &report["shells"]), (&serde_json::json!([]), &serde_json::json!([])));
    let table = run_with("a mesh in a table", &files, &["check", "t.obj", "--hull"], "").stdout;
    let hull = "A mesh is checked as its convex hull, without holes and hollows: t.obj.\n";
    assert_eq!(table, format!("{hull}1 body, 0 pairs checked, 0 overlaps\n"));
    let names: Vec<String> = pairs(&run.stdout).into_iter().map(|(name, ..)| name).collect();
    assert!(names.contains(&"t.obj-t.obj (2)".into()) && names.contains(&"t.obj-a".into()), "{names:?}");
    let inside =
        r#"{"format": "clearance-scene/1", "bodies": [{"name": "t", "shape": {"hull": {"file": "./t.obj"}}}]}"#;
    let run = run_with("meshes in scenes", &[("s.json", inside), ("t.obj", TETRAHEDRON)], &["check", "s.json"], "");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "1 body, 0 pairs checked, 0 overlaps\n"), "{run:?}");
}

#[test]
fn the_built_in_scene_shows_an_overlap_and_near_misses() {
    let run = run_in(&suite(), &["check"], b"");
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
    assert!(run.stdout.starts_with("Built-in scene"));
    assert!(run.stdout.lines().last().unwrap().starts_with("15 bodies, "));
    let run = run_in(&suite(), &["check", "--json"], b"");
    let found = pairs(&run.stdout);
    assert_eq!((found[0].0.as_str(), found[0].1), ("forearm-lamp", true));
    assert!(found.iter().filter(|pair| pair.1).count() == 1 && found.len() > 5, "{found:?}");
    // The lamp's pole is 2 cm below the top of the forearm.
    let worst = &serde_json::from_str::<Value>(&run.stdout).unwrap()["pairs"][0];
    let (lower, upper) = (worst["lower"].as_f64().unwrap(), worst["upper"].as_f64().unwrap());
    assert!(lower <= -0.02 + 1e-9 && -0.02 - 1e-9 <= upper, "{worst}");
}

#[test]
fn thousands_of_bodies_take_no_quadratic_time() {
    let bodies: Vec<String> = (0..20_000)
        .map(|i| {
            let (x, y) = (i % 200 * 3, i / 200 * 3);
            format!(r#"{{"name": "b{i}", "shape": "ball", "pose": {{"translation": [{x}, {y}, 0]}}}}"#)
        })
        .collect();
    let scene = format!(
        r#"{{"format": "clearance-scene/1", "shapes": {{"ball": {{"sphere": {{"radius": 1}}}}}}, "bodies": [{}]}}"#,
        bodies.join(",")
    );
    let start = std::time::Instant::now();
    let run = run_with("many", &[("s.json", &scene)], &["check", "s.json"], "");
    assert_eq!((run.exit, run.stdout.as_str()), (0, "20000 bodies, 199990000 pairs checked, 0 overlaps\n"));
    assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
}

#[test]
fn a_limit_lists_the_worst_and_counts_all() {
    let check = |more: &[&str]| {
        let args: Vec<&str> = ["check", "s.json", "--margin", "1.25"].iter().chain(more).copied().collect();
        let run = run_with("limit", &[("s.json", STACK)], &args, "");
        assert_eq!((run.exit, run.stderr.as_str()), (1, ""), "{more:?}");
        run.stdout
    };
    let rows = |text: &str| text.lines().filter(|line| line.contains("OVERLAP") || line.contains("┆ gap ")).count();
    let sum = "5 bodies, 10 pairs checked, 2 overlaps, 1 within margin 1.25 (distances in scene units)\n";
    for (limit, listed) in [("1", 1), ("2", 2), ("3", 3), ("4", 3), ("0", 3), ("18446744073709551615", 3)] {
        let table = check(&["--limit", limit]);
        assert!(rows(&table) == listed && table.ends_with(sum), "{limit}: {table}");
        assert_eq!(table.contains(&format!("… and {} more; --limit 0 lists all", 3 - listed)), listed < 3, "{table}");
        let json = check(&["--json", "--limit", limit]);
        let names: Vec<String> = pairs(&json).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["c-d", "a-b", "b-c"][..listed]);
        assert_eq!(check(&["--csv", "--limit", limit]).lines().count(), 1 + listed);
    }
    // In a pipe there is no limit but an explicit one.
    assert_eq!(check(&[]), check(&["--limit", "0"]));
    // The exit code is about the scene, not about the list.
    let gap_first = run_with("limit code", &[("s.json", STACK)], &["check", "s.json", "--limit", "1", "--json"], "");
    assert_eq!((gap_first.exit, pairs(&gap_first.stdout).len()), (1, 1));
    for bad in ["-1", "many", "1.5"] {
        assert_eq!(run_in(&suite(), &["check", "--limit", bad], b"").exit, 2);
    }
}

/// Balls in one place: every pair overlaps.
fn heap(count: usize) -> String {
    let bodies: Vec<String> = (0..count).map(|i| format!(r#"{{"name": "ball {i}", "shape": "ball"}}"#)).collect();
    format!(
        r#"{{"format": "clearance-scene/1", "shapes": {{"ball": {{"sphere": {{"radius": 1}}}}}}, "bodies": [{}]}}"#,
        bodies.join(",")
    )
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_that_of_the_numbers_listed_and_none_for_those_that_are_not() {
    use std::io::Read;
    const BALLS: usize = 700;
    const PAIRS: u64 = (BALLS * (BALLS - 1) / 2) as u64;
    let folder = empty_folder("heap");
    std::fs::write(folder.join("s.json"), heap(BALLS)).unwrap();
    // A pair that is listed is 112 bytes, and the list may be twice as large as what is in it. The rest is the program.
    let all = (16 << 10) + 2 * 112 * PAIRS / 1024;
    let formats: [&[&str]; 4] = [&[], &["--json"], &["--csv"], &["--limit", "10000"]];
    for (format, most) in formats.into_iter().zip([all, all, all, 24 << 10]) {
        let args = [&["check", "s.json"], format].concat();
        let mut child = program(&args).current_dir(&folder).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        // Halfway through its list the program waits for this test, and has had all the memory it will have.
        let half = 50 * if format.contains(&"10000") { 10_000 } else { PAIRS };
        std::io::copy(&mut output.by_ref().take(half), &mut std::io::sink()).unwrap();
        let peak = peak_memory(child.id());
        assert!(peak <= most, "{format:?}: {peak} KiB, but at most {most} are needed");
        std::io::copy(&mut output, &mut std::io::sink()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}

#[test]
fn mistakes_on_the_command_line_are_refused() {
    for args in [
        &["check", "--margin", "-1"][..],
        &["check", "--margin", "NaN"],
        &["check", "--json", "--csv"],
        &["chekc"],
        &[],
    ] {
        let run = run_in(&suite(), args, b"");
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{args:?}");
    }
    for args in [&["--help"][..], &["check", "--help"], &["query", "--help"], &["--version"]] {
        let run = run_in(&suite(), args, b"");
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{args:?}");
    }
    assert!(run_in(&suite(), &["check", "--help"], b"").stdout.contains("Exit codes: 0 "));
}

/// Lines indented under `Examples:` are pasted into a shell, as printed.
#[cfg(unix)]
#[test]
fn examples_of_the_help_can_be_pasted() {
    use std::process::Command;
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_clearance"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    for (command, least) in
        [("check", 4), ("view", 3), ("query", 4), ("verify", 4), ("hull", 1), ("decompose", 3), ("simulate", 5)]
    {
        let help = run_in(&suite(), &[command, "--help"], b"").stdout;
        let examples = help.split_once("Examples:\n").unwrap().1.split_once("\n\n").unwrap().0;
        assert!(examples.lines().all(|line| line.len() <= 78), "a terminal would break a line:\n{examples}");
        let script: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        let folder = empty_folder(&format!("examples of {command}"));
        // A code of 1 says that something overlaps; 2 and more are faults.
        let checked =
            script.join("\n").replace("\nclearance", "\nstatus=$?; [ $status -lt 2 ] || exit $status; clearance");
        let mut shell = Command::new("sh");
        // No browser opens in front of whoever runs the tests.
        shell
            .args(["-c", &checked])
            .current_dir(&folder)
            .env("PATH", &path)
            .env("BROWSER", "true")
            .env("TMPDIR", &folder);
        let output = shell.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{command}: {}: {stderr}", output.status);
        // Only the time is printed there.
        assert!(stderr.lines().all(|line| line.starts_with("{\"queries\":")), "{command}: {stderr}");
        let commands = script.iter().filter(|line| line.contains("clearance ")).count();
        assert!(commands >= least && !output.stdout.is_empty(), "{command}: {script:?}");
    }
}

/// A closed box as text, from one corner to the other.
fn box_obj(from: [f64; 3], to: [f64; 3]) -> String {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { from[k] } else { to[k] });
    let mut text: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    text += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    text
}

#[test]
fn meshes_are_solids_unless_they_are_shells_or_hulls_are_asked_for() {
    let (room, dot) = (box_obj([-5.0; 3], [5.0; 3]), box_obj([-0.5; 3], [0.5; 3]));
    // A frame of three walls: in its hull, but not in it.
    let angle = "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    let ball = r#"{"format": "clearance-scene/1", "bodies": [{"name": "ball", "shape": {"sphere": {"radius": 0.1}},
        "pose": {"translation": [0.5, 0.5, 0.5]}}]}"#;
    let files = [("room.obj", room.as_str()), ("dot.obj", &dot), ("angle.obj", angle), ("ball.json", ball)];
    let run = |what: &str, args: &[&str]| run_with(what, &files, &[&["check"], args].concat(), "");
    let inside = run("inside", &["room.obj", "dot.obj"]);
    assert!(inside.exit == 1 && inside.stdout.contains("OVERLAP"), "{inside:?}");
    let open = run("a shell", &["angle.obj", "ball.json", "--margin", "1"]);
    let note = "A mesh is open, so that it is a surface without an inside: angle.obj. A body in it is undecided; --fill-holes closes it, --explain tells why.";
    assert!(open.exit == 3 && open.stdout.contains(note) && open.stdout.contains(" UNDECIDED "), "{open:?}");
    let surface = run("a surface", &["angle.obj", "ball.json", "--margin", "1", "--surfaces"]);
    let note = "A mesh is open, so that it is a surface without an inside, as --surfaces says: angle.obj.";
    assert!(surface.exit == 0 && surface.stdout.contains(note) && surface.stdout.contains(" gap "), "{surface:?}");
    let hull = run("the hull", &["angle.obj", "ball.json", "--hull"]);
    assert!(hull.exit == 1 && hull.stdout.contains("without holes and hollows: angle.obj"), "{hull:?}");
    let explained = run("explained", &["angle.obj", "room.obj", "--explain"]);
    let about = "angle.obj: 3 triangles, 4 vertices, a shell: open, so that a body inside of it is undecided\n  \
                 3 open edges, where the surface ends (vertices, counted from 1): [2, 3], [2, 4], [3, 4]; the first is at (1.5, 1.5, 0)\n\
                 room.obj: 12 triangles, 8 vertices, a solid of volume 1000\n\n";
    assert!(explained.stdout.starts_with(about), "{explained:?}");
    let explained = run("explained in JSON", &["angle.obj", "--explain", "--json"]);
    let mesh = &serde_json::from_str::<Value>(&explained.stdout).unwrap()["meshes"][0];
    assert_eq!(
        (&mesh["solid"], &mesh["volume"], mesh["faults"].as_array().map(Vec::len)),
        (&false.into(), &Value::Null, Some(1))
    );
    // A thousandth of the room does not reach the dot's neighbour.
    let scaled = run("scaled", &["room.obj", "angle.obj", "--scale", "0.001", "--json"]);
    let pair = &serde_json::from_str::<Value>(&scaled.stdout).unwrap()["pairs"][0];
    assert!(pair["lower"].as_f64().unwrap() >= -0.011, "{pair}");
    let folder = run("a folder", &["."]);
    assert!(folder.stdout.contains("4 bodies, 6 pairs checked"), "{folder:?}");
    let bad = run("a bad factor", &["room.obj", "--scale", "0"]);
    assert!(bad.exit == 2 && bad.stderr.contains("it must be a finite number above 0"), "{bad:?}");
    let bad = run("a bad unit", &["room.obj", "--unit", "mile"]);
    assert!(bad.exit == 2 && bad.stderr.contains("mile"), "{bad:?}");
}

/// A unit cube as a 3MF file in millimetres.
fn cube_3mf() -> Vec<u8> {
    use std::io::Write;
    let corners: String =
        (0..8).map(|i| format!("<vertex x=\"{}\" y=\"{}\" z=\"{}\"/>", i & 1, i >> 1 & 1, i >> 2)).collect();
    let faces = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    let faces: String = faces.iter().map(|[a, b, c]| format!("<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>")).collect();
    let model = format!(
        "<model unit=\"millimeter\"><resources><object id=\"1\"><mesh><vertices>{corners}</vertices><triangles>{faces}</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>"
    );
    let rels = "<Relationships><Relationship Target=\"/m\" Id=\"b\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("_rels/.rels", rels), ("m", &model)] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A glTF file of triangles in metres, as many nodes of one name.
fn triangle_gltf(size: f32, nodes: usize) -> String {
    use base64::prelude::{BASE64_STANDARD, Engine};
    let bytes: Vec<u8> =
        [0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0].iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
    let data = BASE64_STANDARD.encode(bytes);
    let node =
        |i: usize| format!("{{\"mesh\":0,\"name\":\"bolt\",\"translation\":[{},{},0]}}", i % 200 * 3, i / 200 * 3);
    let list: Vec<String> = (0..nodes).map(node).collect();
    let numbers: Vec<String> = (0..nodes).map(|i| i.to_string()).collect();
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\"nodes\":[{}],\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}}],\"bufferViews\":[{{\"buffer\":0,\"byteLength\":36}}],\"buffers\":[{{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,{data}\"}}]}}",
        numbers.join(","),
        list.join(",")
    )
}

#[test]
fn hulls_are_in_the_units_of_their_files() {
    let folder = crate::common::empty_folder("units of hulls");
    std::fs::write(folder.join("cube.3mf"), cube_3mf()).unwrap();
    // A millimetre, in metres: as large as the cube, and at the same corner.
    std::fs::write(folder.join("t.gltf"), triangle_gltf(0.001, 1)).unwrap();
    let check = |more: &[&str]| run_in(&folder, &[&["check", "cube.3mf", "t.gltf", "--hull"], more].concat(), b"");
    let mixed = check(&[]);
    assert!(mixed.exit == 2 && mixed.stderr.contains("say with --unit which unit to check in"), "{mixed:?}");
    for (unit, size) in [("mm", 1.0), ("m", 0.001)] {
        let run = check(&["--unit", unit, "--json"]);
        assert_eq!(run.exit, 1, "{run:?}");
        let table = check(&["--unit", unit, "--report", "page.html"]);
        assert_eq!(table.exit, 1);
        let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
        let (page, _) = crate::report::data(&page);
        let radius = page["radius"].as_f64().unwrap();
        assert!(page["unit"] == unit && (radius / size - 0.75_f64.sqrt()).abs() < 1e-6, "{radius}");
    }
}

#[test]
fn equal_names_are_numbered_in_linear_time() {
    let start = std::time::Instant::now();
    let run =
        run_with("equal names", &[("bolts.gltf", &triangle_gltf(1.0, 20_000))], &["check", "bolts.gltf", "--json"], "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.exit, &report["bodies"]), (0, &20_000.into()));
    assert!(start.elapsed().as_secs() < 10, "took {:?}", start.elapsed());
    let shells = report["shells"].as_array().unwrap();
    assert_eq!((&shells[0], &shells[19_999]), (&"bolts.gltf: bolt".into(), &"bolts.gltf: bolt (20000)".into()));
}

#[cfg(unix)]
#[test]
fn nothing_in_a_folder_is_passed_over_and_all_bad_files_are_named() {
    let folder = empty_folder("bad entries");
    let parts = folder.join("parts");
    std::fs::create_dir_all(parts.join("folder.stl")).unwrap();
    std::os::unix::fs::symlink("nowhere.obj", parts.join("link.obj")).unwrap();
    for name in ["pipe.ply", "pipe.json"] {
        assert!(std::process::Command::new("mkfifo").arg(parts.join(name)).status().unwrap().success());
    }
    std::fs::write(parts.join("bad.obj"), "v 0 0\n").unwrap();
    std::fs::write(parts.join("good.obj"), TETRAHEDRON).unwrap();
    std::fs::write(parts.join("good.txt"), "no part").unwrap();
    let run = run_in(&folder, &["check", "parts"], b"");
    assert_eq!((run.exit, run.stdout.as_str()), (2, ""));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "error: parts/folder.stl is a folder, not a file; remove it or replace it",
            "error: parts/link.obj is a link to nothing, not a file; remove it or replace it",
            "error: parts/pipe.json is a device or a pipe, not a file; remove it or replace it",
            "error: parts/pipe.ply is a device or a pipe, not a file; remove it or replace it",
            "error: parts/bad.obj, line 1: a vertex needs 3 numbers; correct the line",
            "error: 5 of 6 files cannot be checked; --skip-bad checks the others",
        ]
    );
    let run = run_in(&folder, &["check", "parts", "--skip-bad", "--json"], b"");
    assert_eq!((run.exit, run.stderr.lines().count()), (2, 5), "{run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["bodies"], report["skipped_files"].as_array().map(Vec::len)), (&1.into(), Some(5)));
    let table = run_in(&folder, &["check", "parts", "--skip-bad"], b"").stdout;
    assert!(table.contains("5 files are left out, since they cannot be read"), "{table}");
}

#[test]
fn a_crossed_quad_is_cut_and_reported_in_files_and_scenes() {
    let crossed = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 3 2 4\n";
    let scene = r#"{"format": "clearance-scene/1", "bodies": [{"name": "t", "shape": {"mesh": {"file": "q.obj"}}}]}"#;
    let files = [("q.obj", crossed), ("s.json", scene)];
    for input in ["q.obj", "s.json"] {
        let run = run_with("a crossed quad", &files, &["check", input, "--json"], "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let sentence = "q.obj, line 5: the edges of this face cross; it was cut into triangles";
        assert_eq!((run.exit, &report["crossed_faces"]), (0, &serde_json::json!([sentence])));
        let table = run_with("a crossed quad", &files, &["check", input], "").stdout;
        assert!(table.starts_with(sentence), "{table}");
    }
}

#[test]
fn a_fan_is_explained_in_bounded_time() {
    let corners = 10_000;
    let mut text = String::from("v 0 0 1\n");
    for i in 0..corners {
        let (y, x) = (f64::from(i) / f64::from(corners) * std::f64::consts::TAU).sin_cos();
        text += &format!("v {x} {y} 0\n");
    }
    for i in 0..corners {
        text += &format!("f 1 {} {}\n", 2 + i, 2 + (i + 1) % corners);
    }
    let run = run_with("a fan", &[("fan.obj", &text)], &["check", "fan.obj", "--explain"], "");
    let fault = "too many triangles in one place: the search for pairs that cross ended early, there may be more";
    assert!(run.exit == 0 && run.stdout.contains(fault), "{}", run.stdout);
}

#[test]
fn a_name_of_any_length_fits_a_table() {
    let long = STACK.replace("\"name\": \"a\"", &format!("\"name\": \"{}\"", "a".repeat(70_000)));
    let run = run_with("a long name", &[("s.json", &long)], &["check", "s.json"], "");
    assert_eq!((run.exit, run.stderr.as_str()), (1, ""));
}
