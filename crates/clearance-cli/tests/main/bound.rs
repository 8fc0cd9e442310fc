//! `clearance verify --scene`: evidence is accepted for the scene that was checked, and for nothing else.

use crate::common::{Run, empty_folder, run_in};
use crate::evidence::{MOVING, RESTING};
use clearance_io::proof::{EVIDENCE_FORMAT, Header, LineHash};
use clearance_lab::meshes::{self, Model};
use clearance_lab::{Rng, random};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const PART: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A scene in a folder, a check of it, and its evidence; all may be tampered with.
#[derive(Clone)]
pub struct Case {
    pub scene: Value,
    pub part: String,
    pub lines: Vec<String>,
    /// The options of `verify` beside the scene.
    pub options: Vec<String>,
}

/// The two scenes of the tests, each with a mesh file: at rest with a margin, and moving.
pub fn honest(name: &str, is_moving: bool) -> Case {
    let mut scene: Value = serde_json::from_str(if is_moving { MOVING } else { RESTING }).unwrap();
    let part = json!({"name": "part", "shape": {"mesh": {"file": "part.obj"}}, "pose": {"translation": [-3, 1, 4]}});
    scene["bodies"].as_array_mut().unwrap().push(part);
    let options = if is_moving { ["--until", "2"] } else { ["--margin", "0.3"] };
    let options = options.map(str::to_owned).to_vec();
    let mut case = Case { scene, part: PART.into(), lines: Vec::new(), options };
    case.check(name);
    case
}

impl Case {
    fn write(&self, name: &str) -> PathBuf {
        let folder = empty_folder(name);
        fs::write(folder.join("s.json"), self.scene.to_string()).unwrap();
        fs::write(folder.join("part.obj"), &self.part).unwrap();
        folder
    }

    /// Checks the scene as it is, and takes the evidence.
    fn check(&mut self, name: &str) {
        let folder = self.write(name);
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        let run = run_in(&folder, &[&["check", "s.json", "--proof", "e.jsonl"], &options[..]].concat(), b"");
        assert!(run.exit <= 1 && run.stderr.is_empty(), "{run:?}");
        self.lines = fs::read_to_string(folder.join("e.jsonl")).unwrap().lines().map(str::to_owned).collect();
    }

    fn verify(&self, name: &str) -> Run {
        let folder = self.write(name);
        fs::write(folder.join("e.jsonl"), self.lines.iter().map(|line| format!("{line}\n")).collect::<String>())
            .unwrap();
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        run_in(&folder, &[&["verify", "--strict", "--scene", "s.json", "e.jsonl"], &options[..]].concat(), b"")
    }

    /// Writes the trailer anew, as a forger would.
    pub fn seal(&mut self) {
        if self.lines.last().is_some_and(|line| line.starts_with("{\"end\"")) {
            self.lines.pop();
            let mut hash = LineHash::default();
            self.lines.iter().for_each(|line| hash.add(format!("{line}\n").as_bytes()));
            self.lines.push(serde_json::to_string(&hash.trailer()).unwrap());
        }
    }

    fn header(&mut self, change: impl FnOnce(&mut Header)) {
        let mut header: Header = serde_json::from_str(&self.lines[0]).unwrap();
        change(&mut header);
        self.lines[0] = serde_json::to_string(&header).unwrap();
    }

    /// The numbers of the lines that are answers.
    pub fn answers(&self) -> Vec<usize> {
        (0..self.lines.len()).filter(|&at| self.lines[at].starts_with("{\"id\"")).collect()
    }

    pub fn value(&self, at: usize) -> Value {
        serde_json::from_str(&self.lines[at]).unwrap()
    }

    fn change(&mut self, at: usize, change: impl FnOnce(&mut Value)) {
        let mut value = self.value(at);
        change(&mut value);
        self.lines[at] = with_id_first(value);
    }

    /// The first answer that says that two bodies meet, or that they do not; not the one about a depth.
    fn first(&self, meets: bool) -> usize {
        let says = |line: &Value| match (&line["within"], line["impact"].as_str()) {
            (Value::Bool(within), _) => Some(*within),
            (_, Some(word)) => Some(word != "clear"),
            _ => None,
        };
        self.answers().into_iter().find(|&at| says(&self.value(at)) == Some(meets)).unwrap()
    }

    /// Deletes all lines of the pair of a line.
    fn delete(&mut self, at: usize) -> Value {
        let id = self.value(at)["id"].clone();
        let start = format!("{{\"id\":{id},");
        self.lines.retain(|line| !line.starts_with(&start));
        id
    }

    /// The scene with its colliding bodies far apart.
    fn scattered(&self) -> Self {
        let mut other = self.clone();
        for (number, body) in other.scene["bodies"].as_array_mut().unwrap().iter_mut().enumerate() {
            if body["shape"]["half_space"].is_null() {
                body["pose"] = json!({"translation": [100 * number, 500, 0]});
                body.as_object_mut().unwrap().remove("motion");
            }
        }
        other
    }
}

/// A line as the program writes it: what begins with the id is an answer.
pub fn with_id_first(mut value: Value) -> String {
    let id = value.as_object_mut().unwrap().remove("id").unwrap();
    let rest = value.to_string();
    format!("{{\"id\":{id},{}", &rest[1..])
}

type Tampering = (&'static str, &'static str, fn(&mut Case));

/// Kinds of tampering, and what is said of each after the trailer was made to fit.
const TAMPERINGS: [Tampering; 30] = [
    ("the lines of a pair that meets are deleted", "pairs have no line", |case| drop(case.delete(case.first(true)))),
    ("the lines of a pair that is clear are deleted", "pairs have no line", |case| {
        drop(case.delete(case.first(false)))
    }),
    ("all answers are deleted", "pairs have no line", |case| case.lines.retain(|line| !line.starts_with("{\"id\""))),
    ("the header is deleted", "the header is missing", |case| drop(case.lines.remove(0))),
    ("the trailer is deleted", "the trailer is missing", |case| drop(case.lines.pop())),
    ("the file is empty", "the evidence is empty", |case| case.lines.clear()),
    ("the file breaks off in a line", "the trailer is missing", |case| {
        let half = case.lines.len() / 2 + 1;
        case.lines.truncate(half);
        let last = case.lines.last_mut().unwrap();
        last.truncate(last.len() / 2);
    }),
    ("a line is cut short", "pairs have no line", |case| {
        let at = case.first(true);
        let length = case.lines[at].len() / 2;
        case.lines[at].truncate(length);
    }),
    ("the ids of two lines are swapped", "bad: ", |case| {
        let (a, b) = (case.first(true), case.first(false));
        let (id_a, id_b) = (case.value(a)["id"].clone(), case.value(b)["id"].clone());
        case.change(a, |line| line["id"] = id_b);
        case.change(b, |line| line["id"] = id_a);
    }),
    ("another scene, with other names", "bodies are not those of the scene", |case| {
        let mut other = case.clone();
        other.scene["bodies"][0]["name"] = json!("another");
        other.check("tampered source");
        case.lines = other.lines;
    }),
    ("the same bodies in other places", "bytes have changed", |case| {
        let mut other = case.scattered();
        other.check("tampered source");
        case.lines = other.lines;
    }),
    ("the same bodies in other places, with forged hashes", "are not those of the scene", |case| {
        let files = serde_json::from_str::<Header>(&case.lines[0]).unwrap().files;
        let mut other = case.scattered();
        other.check("tampered source");
        other.header(|header| header.files = files);
        case.lines = other.lines;
    }),
    ("a pose is changed in the scene", "bytes have changed", |case| {
        case.scene["bodies"][4]["pose"] = json!({"translation": [0.1, 0.2, 0.3]});
    }),
    ("a mesh file is changed", "part.obj is not the file that was checked", |case| {
        case.part = case.part.replace("v 1 0 0", "v 1.5 0 0");
    }),
    ("the margin of the header is changed", "margin = 0.25", |case| case.header(|header| header.margin = 0.25)),
    ("the interval of the header is changed", "until = 1.5", |case| case.header(|header| header.until = Some(1.5))),
    ("margin and interval are changed everywhere", "is demanded", |case| {
        case.header(|header| (header.margin, header.until) = (0.1, header.until.map(|_| 1.0)));
        for at in case.answers() {
            case.change(at, |line| {
                for (field, value) in [("margin", 0.1), ("until", 1.0)] {
                    if line["request"][field].is_number() {
                        line["request"][field] = json!(value);
                    }
                }
            });
        }
    }),
    ("another margin or interval is demanded", "is demanded", |case| case.options[1] = "5".into()),
    ("a pair is doubled and another dropped", "out of order or repeats a pair", |case| {
        let doubled = case.lines[case.first(false)].clone();
        let id = case.delete(case.first(true));
        assert!(!doubled.starts_with(&format!("{{\"id\":{id},")));
        let at = case.lines.len() - 1;
        case.lines.insert(at, doubled);
    }),
    ("lines are reordered", "out of order", |case| {
        let answers = case.answers();
        case.lines[answers[0]..=answers[answers.len() - 1]].reverse();
    }),
    ("the bodies are renamed", "bodies are not those of the scene", |case| {
        case.lines.iter_mut().for_each(|line| *line = line.replace("\"floor\"", "\"roof\""));
    }),
    ("a shape of the table is changed", "are not those of the scene", |case| {
        let at = case.lines.iter().position(|line| line.starts_with("{\"define\"")).unwrap();
        let name = case.value(at)["define"].clone();
        case.lines[at] = json!({"define": name, "shape": {"sphere": {"radius": 1e-3}}}).to_string();
    }),
    ("a shape is defined again", "defined twice", |case| {
        let at = case.lines.iter().position(|line| line.starts_with("{\"define\"")).unwrap();
        let again = case.lines[at].clone();
        case.lines.insert(at + 1, again);
    }),
    ("a meeting pair is said to be apart", "", |case| {
        let at = case.first(true);
        case.change(at, |line| {
            let mut clear = match line["within"].is_null() {
                false => json!({"within": false}),
                true => json!({"impact": "clear", "closest_approach": {"lower": 0.0, "upper": null, "time": 0.0}}),
            };
            for field in ["id", "request", "proof"] {
                clear[field] = line[field].take();
            }
            *line = clear;
        });
    }),
    ("bounds are tightened", "", |case| {
        let at = case.first(true);
        case.change(at, |line| {
            for field in ["distance", "lower", "upper", "time"] {
                if let Some(number) = line[field].as_f64() {
                    line[field] = json!(number + 1e-3);
                }
            }
        });
    }),
    ("the evidence of an answer is taken away", "undecided", |case| {
        let at = case.first(true);
        case.change(at, |line| line["proof"] = json!({"format": 2}));
    }),
    ("the query of an answer is taken away", "undecided", |case| {
        let at = case.first(true);
        case.change(at, |line| drop(line.as_object_mut().unwrap().remove("request")));
    }),
    ("an answer is made an error", "1 error", |case| {
        let at = case.first(true);
        case.change(at, |line| *line = json!({"id": line["id"], "error": "line 1: no"}));
    }),
    ("the header ignores the pair that meets", "ignored pairs", |case| {
        let id = case.delete(case.first(true));
        let pair: [String; 2] = serde_json::from_value(id).unwrap();
        case.header(|header| {
            header.ignore.push(pair);
            header.pairs -= 1;
        });
    }),
    ("there are lines behind the trailer", "behind the trailer", |case| {
        let line = case.lines[case.first(true)].clone();
        case.seal();
        case.lines.push(line);
    }),
];

#[test]
fn every_kind_of_tampering_is_rejected() {
    for (kind, is_moving) in [("resting", false), ("moving", true)] {
        let honest = honest(&format!("tampered {kind}"), is_moving);
        let run = honest.verify("tampered honest");
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        assert!(run.stdout.ends_with(" 0 open\n"), "{}", run.stdout);
        for (name, reason, tamper) in TAMPERINGS {
            let mut case = honest.clone();
            tamper(&mut case);
            // As it is, and by a forger who makes the trailer fit.
            let as_it_is = case.verify("tampered");
            assert!(as_it_is.exit > 0, "{name}, {kind}: {}", as_it_is.stdout);
            case.seal();
            let sealed = case.verify("tampered");
            assert!(sealed.exit > 0 && sealed.stderr.is_empty(), "{name}, {kind}: {sealed:?}");
            assert!(sealed.stdout.contains(reason), "{name}, {kind}: {}", sealed.stdout);
        }
    }
}

#[test]
fn header_and_trailer_are_compared_without_a_scene() {
    let honest = honest("sealed", true);
    let verify = |lines: &[String]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let run = run_in(Path::new("."), &["verify"], text.as_bytes());
        (run.exit, run.stdout)
    };
    let lines = &honest.lines;
    let (exit, stdout) = verify(lines);
    assert!(exit == 0 && stdout.contains("27 pairs of the header: ") && stdout.ends_with(" 0 open\n"), "{stdout}");
    assert!(lines[0].starts_with(&format!("{{\"format\":\"{EVIDENCE_FORMAT}\",")));
    let last = lines.len() - 1;
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat();
    let half = [&lines[..last - 1], &[lines[last - 1][..40].to_owned()]].concat();
    let rejected: [(&str, Vec<String>, &str); 8] = [
        ("no trailer", lines[..last].to_vec(), "the trailer is missing; the evidence breaks off"),
        ("half a line", half, "the trailer is missing"),
        ("no last pair", without(last - 1), "the trailer does not fit the lines before it"),
        ("no header", without(0), "the header is missing"),
        ("header alone", lines[..1].to_vec(), "27 of 27 pairs have no line"),
        ("nothing", Vec::new(), "the evidence is empty"),
        ("blank lines", vec![String::new(), "  ".into()], "the evidence is empty"),
        ("two in one", [&lines[..], &lines[..]].concat(), "behind the trailer"),
    ];
    for (name, lines, reason) in rejected {
        let (exit, stdout) = verify(&lines);
        assert!(exit == 2 && stdout.contains(reason), "{name}: {exit} {stdout}");
    }
    let other = lines[0].replace("clearance-evidence/1", "clearance-evidence/9");
    let (exit, stdout) = verify(&[&[other], &lines[1..]].concat());
    assert!(exit == 2 && stdout.contains("only \"clearance-evidence/1\" can be checked"), "{stdout}");
}

#[test]
fn every_shape_is_written_once() {
    let folder = empty_folder("written once");
    let part = meshes::torus(24, 12, 1.0, 0.3);
    fs::write(folder.join("ring.obj"), obj(&part)).unwrap();
    let body = |k: usize| json!({"name": format!("ring {k}"), "shape": {"mesh": {"file": "ring.obj"}}, "pose": {"translation": [k, 0, 0]}});
    let scene = json!({"format": "clearance-scene/1", "bodies": (0..10).map(body).collect::<Vec<_>>()});
    fs::write(folder.join("s.json"), scene.to_string()).unwrap();
    assert_eq!(run_in(&folder, &["check", "s.json", "--nodes", "0", "--proof", "e.jsonl"], b"").exit, 1);
    let text = fs::read_to_string(folder.join("e.jsonl")).unwrap();
    assert_eq!(text.matches("\"vertices\"").count(), 1);
    let run = run_in(&folder, &["verify", "--scene", "s.json", "--strict", "e.jsonl"], b"");
    assert!(run.exit == 0 && run.stdout.contains("45 pairs of the scene: "), "{run:?}");
}

#[test]
fn scenes_of_mesh_files_and_folders_are_demanded_with_the_options_of_the_check() {
    let folder = empty_folder("demanded files");
    fs::create_dir(folder.join("parts")).unwrap();
    fs::write(folder.join("parts/a.obj"), PART).unwrap();
    fs::write(folder.join("parts/b.obj"), PART.replace("v 0 0", "v 0.3 0")).unwrap();
    let run = |args: &[&str]| run_in(&folder, args, b"");
    let inputs = ["parts/a.obj", "parts/b.obj"];
    for options in [&[][..], &["--scale", "0.1"], &["--hull"], &["--unit", "mm"], &["--margin", "2", "--until", "1"]] {
        let checked = run(&[&["check"], &inputs[..], options, &["--proof", "e.jsonl"]].concat());
        assert_eq!((checked.exit, checked.stderr.as_str()), (1, ""));
        // The report says how to verify it; the evidence says what was checked.
        let sentence = checked.stdout.lines().last().unwrap();
        let command = sentence.split_once("to check it: clearance ").unwrap().1;
        let command: Vec<&str> = command.split(' ').chain(["--strict"]).collect();
        let verified = run(&command);
        assert_eq!((verified.exit, verified.stderr.as_str()), (0, ""), "{command:?}: {}", verified.stdout);
        assert!(command.contains(&"--scene") && verified.stdout.contains("1 pair of the scene: "), "{command:?}");
        let as_folder = run(&[&["verify", "--scene", "parts", "e.jsonl"], options].concat());
        assert_eq!(as_folder.exit, 0, "{}", as_folder.stdout);
        // With other options it is another check.
        let other: &[&str] = if options == ["--scale", "0.1"] { &[] } else { &["--scale", "0.1"] };
        let foreign = run(&[&["verify", "--scene", "parts", "e.jsonl"], other].concat());
        assert_eq!(foreign.exit, 2, "{options:?} {}", foreign.stdout);
    }
    let alone = run(&["verify", "--until", "1", "e.jsonl"]);
    assert!(alone.exit == 2 && alone.stderr.contains("--scene"), "{alone:?}");
}

fn obj(model: &Model) -> String {
    let vertices = model.vertices.iter().map(|v| format!("v {:?} {:?} {:?}\n", v.x, v.y, v.z));
    let faces = model.triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    vertices.chain(faces).collect()
}

/// The real meshes of the long form, if there are any.
fn real_meshes() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("MESH_FOLDER") else { return Vec::new() };
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn vector(rng: &mut Rng, size: f64) -> Value {
    json!(random::vector(rng, -size, size).to_array())
}

fn pose(rng: &mut Rng, size: f64) -> Value {
    json!({"translation": vector(rng, size), "rotation": random::rotation(rng).to_array()})
}

/// A shape about as large as one; files go into the folder.
fn shape(rng: &mut Rng, folder: &Path, number: usize, real: &[PathBuf]) -> Value {
    let mut size = || random::uniform(rng, 0.2, 0.8);
    let (x, y, z) = (size(), size(), size());
    match rng.usize(..11) {
        0 => json!({"sphere": {"radius": x}}),
        1 => json!({"cuboid": {"half_extents": [x, y, z]}}),
        2 => json!({"capsule": {"radius": x, "half_height": y, "axis": "z"}}),
        3 => json!({"cylinder": {"radius": x, "half_height": y, "axis": "x"}}),
        4 => json!({"cone": {"radius": x, "half_height": y}}),
        5 => json!({"ellipsoid": {"radii": [x, y, z]}}),
        6 => json!({"hull": {"points": (0..12).map(|_| vector(rng, 0.8)).collect::<Vec<_>>()}}),
        7 => {
            let part = |shape: Value, pose: Value| json!({"shape": shape, "pose": pose});
            let (one, other) = (pose(rng, 0.5), pose(rng, 0.5));
            let ball = json!({"sphere": {"radius": 0.5 * x}});
            json!({"compound": [part(json!({"cuboid": {"half_extents": [0.5 * x, y, 0.5 * z]}}), one), part(ball, other)]})
        }
        kind => {
            let file = format!("{number}.obj");
            let path = real.get(if real.is_empty() { 0 } else { rng.usize(..real.len()) }).filter(|_| kind > 8);
            let text = match path {
                Some(path) => unit_sized(&fs::read_to_string(path).unwrap()),
                None => obj(&match rng.usize(..4) {
                    0 => meshes::torus(16, 8, 0.6, 0.2),
                    1 => meshes::noisy_sphere(12, 8, 0.1, number as u64).map(|v| 0.6 * v),
                    2 => meshes::gear(6, 0.4, 0.6, 0.2, 8, 0.3),
                    _ => meshes::glyph('L').map(|v| 0.5 * v),
                }),
            };
            fs::write(folder.join(&file), text).unwrap();
            json!({"mesh": {"file": file}})
        }
    }
}

/// A file of vertices and faces, so that all coordinates are within one of the middle.
fn unit_sized(text: &str) -> String {
    let coordinates = |line: &str| -> [f64; 3] {
        let numbers: Vec<f64> = line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        [numbers[0], numbers[1], numbers[2]]
    };
    let all: Vec<[f64; 3]> = text.lines().filter(|line| line.starts_with("v ")).map(coordinates).collect();
    let end = |axis: usize, pick: fn(f64, f64) -> f64| all.iter().map(|v| v[axis]).reduce(pick).unwrap();
    let (low, high) = ([0, 1, 2].map(|axis| end(axis, f64::min)), [0, 1, 2].map(|axis| end(axis, f64::max)));
    let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    let lines = text.lines().filter(|line| line.starts_with("v ") || line.starts_with("f ")).map(|line| {
        if line.starts_with("f ") {
            return format!("{line}\n");
        }
        let v = coordinates(line);
        let [x, y, z] = [0, 1, 2].map(|axis| (2.0 * v[axis] - low[axis] - high[axis]) / size);
        format!("v {x} {y} {z}\n")
    });
    lines.filter(|line| !line.starts_with("f ") || !line.contains("vn")).collect()
}

fn motion(rng: &mut Rng) -> Value {
    match rng.usize(..4) {
        0 => json!({"fixed": {}}),
        1 => json!({"linear": {"velocity": vector(rng, 2.0), "angular_velocity": vector(rng, 2.0)}}),
        2 => {
            json!({"ballistic": {"velocity": vector(rng, 2.0), "angular_velocity": vector(rng, 1.0), "gravity": [0, -9.81, 0]}})
        }
        _ => {
            let frame = |time: f64, pose: Value| json!({"time": time, "pose": pose});
            let (first, last) = (pose(rng, 3.0), pose(rng, 3.0));
            json!({"keyframes": [frame(0.0, first), frame(1.0, last)]})
        }
    }
}

/// A scene of some bodies, its files, and the options of a check.
pub fn draw_scene(rng: &mut Rng, folder: &Path, real: &[PathBuf]) -> Vec<&'static str> {
    let is_moving = rng.bool();
    let count = rng.usize(2..6);
    let mut bodies: Vec<Value> = (0..count)
        .map(|number| {
            let mut body = json!({"name": format!("body {number}"), "shape": shape(rng, folder, number, real)});
            body["pose"] = pose(rng, 1.2);
            if is_moving {
                body["motion"] = motion(rng);
            }
            if rng.usize(..4) == 0 {
                body["group"] = json!("group");
            }
            body
        })
        .collect();
    if rng.usize(..4) == 0 {
        bodies.push(json!({"name": "floor", "shape": {"half_space": {"normal": [0, 1, 0.1], "offset": -3}}}));
    }
    let ignore: &[[&str; 2]] = if rng.usize(..4) == 0 { &[["body 1", "body 0"]] } else { &[] };
    let scene = json!({"format": "clearance-scene/1", "bodies": bodies, "ignore": ignore});
    fs::write(folder.join("s.json"), scene.to_string()).unwrap();
    match (is_moving, rng.usize(..3)) {
        (true, 0) => vec!["--until", "1", "--margin", "0.5"],
        (true, _) => vec!["--until", "0.5"],
        (false, 0) => vec!["--nodes", "0"],
        (false, _) => vec!["--margin", "0.25", "--nodes", "100"],
    }
}

/// `SCENES=200 MESH_FOLDER=folder` is the long form.
#[test]
fn the_evidence_of_drawn_scenes_is_accepted() {
    let scenes: u64 = std::env::var("SCENES").map_or(20, |text| text.parse().unwrap());
    let real = real_meshes();
    let mut total = [0; 4];
    for seed in 0..scenes {
        let mut rng = Rng::with_seed(seed);
        let folder = empty_folder("drawn scene");
        let options = draw_scene(&mut rng, &folder, &real);
        let checked = run_in(&folder, &[&["check", "s.json", "--proof", "e.jsonl"], &options[..]].concat(), b"");
        assert!(checked.exit <= 1, "{seed}: {checked:?}");
        let options: Vec<&str> = match options.iter().position(|word| *word == "--nodes") {
            Some(at) => options[..at].to_vec(),
            None => options,
        };
        let verified =
            run_in(&folder, &[&["verify", "--json", "--scene", "s.json", "e.jsonl"], &options[..]].concat(), b"");
        assert_eq!((verified.exit, verified.stderr.as_str()), (0, ""), "{seed}: {}", verified.stdout);
        let summary: Value = serde_json::from_str(&verified.stdout).unwrap();
        for (sum, name) in total.iter_mut().zip(["pairs", "clear", "meet", "open"]) {
            *sum += summary["pairs"][name].as_u64().unwrap();
        }
    }
    let [pairs, clear, meet, open] = total;
    println!("{scenes} scenes, {pairs} pairs: {clear} clear, {meet} meet, {open} open");
    assert!(clear > scenes && meet > scenes && open * 50 <= pairs, "{total:?}");
}
