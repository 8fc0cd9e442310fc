//! The report page as the program writes it; how it looks and behaves in a browser is tested in `viewer/test`.

use crate::common::{empty_folder, program, run_in, run_with};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The data of a page: the report, and its geometry.
pub fn data(page: &str) -> (Value, Vec<u8>) {
    let block = |id: &str| {
        let start = page.split_once(&format!("<script id=\"{id}\"")).expect("the block is there").1;
        start.split_once('>').unwrap().1.split_once("</script>").unwrap().0
    };
    let packed = BASE64_STANDARD.decode(block("geometry")).expect("base64");
    let mut geometry = Vec::new();
    flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut geometry).expect("zlib");
    (serde_json::from_str(block("report")).expect("JSON"), geometry)
}

fn page_of(name: &str, files: &[(&str, &str)], args: &[&str]) -> (Value, Vec<u8>, String) {
    let folder = empty_folder(name);
    files.iter().for_each(|(file, text)| fs::write(folder.join(file), text).unwrap());
    let run = run_in(&folder, &[args, &["--report", "page.html"]].concat(), b"");
    assert!(run.exit < 2 && run.stderr.is_empty(), "{run:?}");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), files.len() + 1, "nothing else is left behind: {left:?}");
    let (report, geometry) = data(&page);
    (report, geometry, page)
}

/// All points of a body at time zero, as the page would draw them.
fn points(report: &Value, geometry: &[u8], body: usize) -> Vec<[f64; 3]> {
    let vector =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let radius = report["radius"].as_f64().unwrap();
    let body = &report["bodies"][body];
    let shape = &report["shapes"][body["shape"].as_u64().unwrap() as usize];
    let [at, count] = [0, 1].map(|k| shape["vertices"][k].as_u64().unwrap() as usize);
    let origin = vector(&shape["origin"]);
    let rotation: [f64; 4] = vector(&body["rotation"]).try_into().unwrap();
    let translation: [f64; 3] = vector(&body["translation"]).try_into().unwrap();
    let pose = clearance::Pose::new(translation, clearance::math::DQuat::from_array(rotation));
    let float = |k: usize| f64::from(f32::from_le_bytes(geometry[at + 4 * k..][..4].try_into().unwrap()));
    let point = |v: usize| [0, 1, 2].map(|axis| origin[axis] + radius * float(3 * v + axis));
    (0..count).map(|v| pose.transform_point(point(v)).to_array()).collect()
}

#[test]
fn a_page_has_all_bodies_where_they_are_and_what_json_tells() {
    let (report, geometry, page) = page_of("page_built_in", &[], &["check"]);
    let json = run_with("page_json", &[], &["check", "--json"], "");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["format"], "clearance-report/1");
    assert!(page.len() < 1_500_000 && page.ends_with("</html>\n"), "{} bytes", page.len());
    for field in ["checked", "overlaps", "within", "margin"] {
        assert_eq!(report[field], json[field], "{field}");
    }
    // The findings are the pairs, with numbers for names.
    let findings = report["findings"].as_array().unwrap();
    let named: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let mut finding = finding.clone();
            for side in ["a", "b"] {
                finding[side] = report["bodies"][finding[side].as_u64().unwrap() as usize]["name"].clone();
            }
            finding
        })
        .collect();
    assert_eq!(&named, json["pairs"].as_array().unwrap());
    assert_eq!(report["listed"], findings.len());
    // The highest point of the forearm, a capsule along x at a height of 1, and the ends of the cable.
    let number =
        |name: &str| report["bodies"].as_array().unwrap().iter().position(|body| body["name"] == name).unwrap();
    let top = points(&report, &geometry, number("forearm")).into_iter().map(|p| p[1]).fold(f64::MIN, f64::max);
    assert!((top - 1.05).abs() < 1e-6, "{top}");
    let cable = points(&report, &geometry, number("cable"));
    assert!(cable.len() == 2 && (cable[1][1] - 2.2).abs() < 1e-6, "{cable:?}");
    assert_eq!(report["up"], serde_json::json!([0.0, 1.0, 0.0]));
    // Both links are one shape, and the legs of the table are among its pieces.
    let shape = |name: &str| &report["bodies"][number(name)]["shape"];
    assert_eq!(shape("forearm"), shape("upper arm"));
    let table = &report["shapes"][shape("table").as_u64().unwrap() as usize];
    assert!(table["pieces"].as_array().unwrap().len() == 5 && table["smooth"] == true);
}

#[test]
fn names_cannot_leave_the_block_that_they_are_in() {
    let name = "</script><script>alert(1)</script><!--";
    let scene = format!(
        "{{\"format\": \"clearance-scene/1\", \"bodies\": [{{\"name\": {name:?}, \"group\": {name:?}, \"shape\": \
         {{\"sphere\": {{\"radius\": 1}}}}}}, {{\"name\": \"b\", \"shape\": {{\"point\": {{}}}}}}]}}"
    );
    let (report, _, page) = page_of("page_names", &[("a.json", &scene)], &["check", "a.json"]);
    assert!(report["bodies"][0]["name"] == name && report["bodies"][0]["group"] == name);
    assert!(!page.contains("alert(1)</script>") && !page.contains("</script><script>alert"));
}

#[test]
fn bodies_that_move_have_tracks_and_pieces_come_with_depths() {
    let (report, geometry, _) = page_of("page_moving", &[], &["check", "--until", "2"]);
    assert!(report["until"] == 2.0 && report["impacts"] == 2);
    let tracks: Vec<&Value> =
        report["bodies"].as_array().unwrap().iter().filter(|body| !body["track"].is_null()).collect();
    assert_eq!(tracks.len(), 3);
    for body in tracks {
        let [at, count] = [0, 1].map(|k| body["track"][k].as_u64().unwrap() as usize);
        let time = |k: usize| f32::from_le_bytes(geometry[at + 32 * k..][..4].try_into().unwrap());
        assert!(time(0) == 0.0 && time(count - 1) == 2.0 && (1..count).all(|k| time(k) > time(k - 1)));
    }
    assert!(report["findings"].as_array().unwrap().iter().any(|finding| finding["impact"]["time"].is_number()));
    // Two crossed bars, each an L: not convex, so a depth is searched for, and the pieces that it was found with are shown.
    let ell = "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nv 0 0 1\nv 3 0 1\nv 3 1 1\nv 1 1 1\nv 1 3 1\nv 0 3 1\n\
               f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
    let other: String = ell.replace("v 0 ", "v 0.7 ").replace("v 1 ", "v 1.5 ");
    let (report, ..) =
        page_of("page_pieces", &[("ell.obj", ell), ("other.obj", &other)], &["check", "ell.obj", "other.obj"]);
    let shapes = report["shapes"].as_array().unwrap();
    let mesh = shapes.iter().find(|shape| shape["kind"] == "mesh").unwrap();
    assert!(mesh["solid"] == true && mesh["pieces"].as_array().unwrap().len() >= 2, "{mesh}");
    assert_eq!(mesh["lines"][1], 18, "the edges of an L");
    assert!(report["findings"][0]["depth"]["upper"].is_number());
}

#[test]
fn huge_tiny_and_endless_scenes_have_finite_pages() {
    let body = |name: &str, shape: &str, at: &str| {
        format!("{{\"name\": \"{name}\", \"shape\": {shape}, \"pose\": {{\"translation\": [{at}, 0, 0]}}}}")
    };
    let scenes = [
        (body("a", "{\"sphere\": {\"radius\": 1e59}}", "1e60"), body("b", "{\"sphere\": {\"radius\": 1e-59}}", "0")),
        (body("a", "{\"point\": {}}", "0"), body("b", "{\"point\": {}}", "0")),
        (
            body("a", "{\"half_space\": {\"normal\": [0, 1, 0], \"offset\": 0}}", "0"),
            body("b", "{\"half_space\": {\"normal\": [0, 1, 0], \"offset\": 1}}", "0"),
        ),
    ];
    for (number, (a, b)) in scenes.iter().enumerate() {
        let scene = format!("{{\"format\": \"clearance-scene/1\", \"bodies\": [{a}, {b}]}}");
        let (report, geometry, _) =
            page_of(&format!("page_sizes_{number}"), &[("a.json", &scene)], &["check", "a.json", "--margin", "1"]);
        assert!(report["radius"].as_f64().unwrap() > 0.0, "{number}");
        let bounded = report["shapes"].as_array().unwrap().iter().filter(|shape| !shape["vertices"].is_null());
        for shape in bounded {
            let [at, count] = [0, 1].map(|k| shape["vertices"][k].as_u64().unwrap() as usize);
            let floats = geometry[at..at + 12 * count].chunks(4).map(|x| f32::from_le_bytes(x.try_into().unwrap()));
            assert!(floats.into_iter().all(|x| x.abs() <= 2.0), "{number}");
        }
    }
}

#[test]
fn a_page_that_cannot_be_written_is_one_sentence() {
    let run = run_with("page_nowhere", &[], &["check", "--report", "no/such/folder/page.html"], "");
    assert_eq!((run.exit, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("error: no/such/folder/page.html cannot be written: "), "{}", run.stderr);
    let run = run_with("page_ending", &[], &["check", "--report", "page.pdf"], "");
    assert!(run.exit == 2 && run.stderr.contains("name a file ending in .html"), "{}", run.stderr);
}

#[test]
fn view_writes_a_page_and_opens_what_browser_names() {
    let folder = empty_folder("view");
    let run = run_in(&folder, &["view", "-o", "page.html", "--no-open"], b"");
    assert_eq!((run.exit, run.stdout.as_str(), run.stderr.as_str()), (0, "The page is page.html\n", ""));
    assert_eq!(data(&fs::read_to_string(folder.join("page.html")).unwrap()).0["overlaps"], 1);
    // Without -o it is a new file among the temporary ones.
    let view = |browser: &str| {
        let output = program(&["view"]).env("BROWSER", browser).env("TMPDIR", &folder).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let told = view("true");
    let path = told.strip_prefix("The page is ").and_then(|rest| rest.strip_suffix('\n')).expect("one line");
    if cfg!(target_os = "linux") {
        assert!(
            Path::new(path).starts_with(&folder) && fs::read_to_string(path).unwrap().contains("clearance-report/1")
        );
    }
    assert!(view("no such browser").contains("\nNo browser could be opened (no such browser: "));
}

/// Ends the program with the test, whatever becomes of it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watch_checks_again_and_survives_mistakes() {
    let folder = empty_folder("watch");
    fs::create_dir(folder.join("meshes")).unwrap();
    let scene = |gap: &str| {
        format!(
            "{{\"format\": \"clearance-scene/1\", \"bodies\": [{{\"name\": \"a\", \"shape\": {{\"sphere\": {{\"radius\": 1}}}}}}, \
             {{\"name\": \"b\", \"shape\": {{\"hull\": {{\"file\": \"meshes/b.obj\"}}}}, \"pose\": {{\"translation\": [{gap}, 0, 0]}}}}]}}"
        )
    };
    let point = |x: f64| format!("v {x} 0 0\nv {x} 1 0\nv {x} 0 1\nf 1 2 3\n");
    fs::write(folder.join("meshes/b.obj"), point(0.0)).unwrap();
    fs::write(folder.join("a.json"), scene("3")).unwrap();
    let args = ["check", "a.json", "--watch", "--json", "--margin", "100"];
    let mut child = program(&args).current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (send, lines) = mpsc::channel();
    for stream in [
        Box::new(child.stdout.take().unwrap()) as Box<dyn Read + Send>,
        Box::new(child.stderr.take().unwrap()) as Box<dyn Read + Send>,
    ] {
        let send = send.clone();
        std::thread::spawn(move || {
            BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
    }
    let _running = Running(child);
    let next = || lines.recv_timeout(Duration::from_secs(60)).expect("a line within a minute");
    // A file may be seen half written: what counts is the last state.
    let wait_for = |wanted: f64| {
        loop {
            let line: Value = serde_json::from_str(&next()).unwrap_or_default();
            if line["pairs"][0]["distance"] == wanted {
                break;
            }
        }
    };
    wait_for(2.0);
    fs::write(folder.join("a.json"), scene("4")).unwrap();
    wait_for(3.0);
    // A mesh below the folder of the scene.
    fs::write(folder.join("meshes/b.obj"), point(1.0)).unwrap();
    wait_for(4.0);
    fs::write(folder.join("a.json"), "{").unwrap();
    while !next().starts_with("error: a.json") {}
    // Replaced, as editors do it.
    fs::write(folder.join("new"), scene("6")).unwrap();
    fs::rename(folder.join("new"), folder.join("a.json")).unwrap();
    wait_for(6.0);
    assert!(run_in(&folder, &["check", "--watch"], b"").exit == 2, "the built-in scene does not change");
}

#[test]
fn a_watch_notices_that_its_folder_was_renamed_and_made_again() {
    let folder = empty_folder("watch_renamed");
    let scene = |gap: u32| {
        format!(
            "{{\"format\": \"clearance-scene/1\", \"bodies\": [{{\"name\": \"a\", \"shape\": {{\"sphere\": {{\"radius\": 1}}}}}}, \
             {{\"name\": \"b\", \"shape\": {{\"point\": {{}}}}, \"pose\": {{\"translation\": [{gap}, 0, 0]}}}}]}}"
        )
    };
    let parts = folder.join("parts");
    fs::create_dir(&parts).unwrap();
    fs::write(parts.join("a.json"), scene(3)).unwrap();
    let args = ["check", "parts", "--watch", "--json", "--margin", "100"];
    let mut child = program(&args).current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (send, lines) = mpsc::channel();
    let stream = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
    });
    let _running = Running(child);
    let wait_for = |wanted: f64| loop {
        let line = lines.recv_timeout(Duration::from_secs(60)).expect("a line within a minute");
        if serde_json::from_str::<Value>(&line).unwrap_or_default()["pairs"][0]["distance"] == wanted {
            break;
        }
    };
    wait_for(2.0);
    fs::rename(&parts, folder.join("old")).unwrap();
    fs::create_dir(&parts).unwrap();
    fs::write(parts.join("a.json"), scene(4)).unwrap();
    wait_for(3.0);
    // The new folder is watched, and not only read once.
    fs::write(parts.join("a.json"), scene(5)).unwrap();
    wait_for(4.0);
}

#[test]
fn what_files_call_up_is_up_on_the_page() {
    const WRL: &str = "#VRML V2.0 utf8\nShape { geometry IndexedFaceSet {\n  coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }\n  \
                       coordIndex [ 0 2 1 -1 0 1 3 -1 1 2 3 -1 2 0 3 -1 ] } }\n";
    const OBJ: &str = "v 3 0 0\nv 4 0 0\nv 3 1 0\nv 3 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let files = [("a.wrl", WRL), ("b.obj", OBJ)];
    let up = |name: &str, args: &[&str]| page_of(name, &files, args).0["up"].clone();
    // An OBJ file says nothing about it, and does not contradict.
    assert_eq!(up("page_up", &["check", "a.wrl", "b.obj"]), serde_json::json!([0.0, 1.0, 0.0]));
    assert_eq!(up("page_z", &["check", "b.obj"]), serde_json::json!([0.0, 0.0, 1.0]));
}
