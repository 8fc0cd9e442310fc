//! Mesh files and scenes in every spelling that programs write: what is read back is what was written, bit for bit.

use clearance::math::DVec3;
use clearance_io::{Folder, Scene, read_mesh, read_points};
use fastrand::Rng;
use std::fs;
use std::path::{Path, PathBuf};

pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("meshes").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

pub fn bits(points: &[DVec3]) -> Vec<[u64; 3]> {
    points.iter().map(|point| point.to_array().map(f64::to_bits)).collect()
}

/// A finite double: of any bits, or with a few digits, or a whole number.
pub fn double(rng: &mut Rng) -> f64 {
    match rng.u8(..4) {
        0 => f64::from(rng.i32(-1000..1000)),
        1 => f64::from(rng.i32(-100_000..100_000)) / 1000.0,
        2 => rng.f64() - 0.5,
        _ => loop {
            let x = f64::from_bits(rng.u64(..));
            if x.is_finite() {
                return x;
            }
        },
    }
}

/// A spelling of a number that has it for its nearest double.
pub fn spelled(rng: &mut Rng, x: f64) -> String {
    let mut text = match rng.u8(..7) {
        0 => format!("{x}"),
        1 => format!("{x:?}"),
        2 => format!("{x:e}"),
        3 => format!("{x:E}"),
        4 => format!("{x:.16e}"),
        5 => format!("{x:.25E}"),
        _ => format!("{x:.16e}").replace('e', "e+").replace("e+-", "e-0"),
    };
    if rng.bool() {
        text = text.replacen("0.", ".", usize::from(text.trim_start_matches('-').starts_with("0.")));
    }
    if !text.contains(['.', 'e', 'E']) && rng.bool() {
        text.push('.');
    }
    if !text.starts_with('-') && rng.u8(..4) == 0 {
        text.insert(0, '+');
    }
    assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{text}");
    text
}

/// One or more blanks.
pub fn blank(rng: &mut Rng) -> &'static str {
    rng.choice([" ", "\t", "  ", " \t "]).unwrap()
}

/// The way a text is written.
pub struct Manner {
    mark: bool,
    line_end: &'static str,
    has_last_end: bool,
}

impl Manner {
    pub fn draw(rng: &mut Rng) -> Self {
        let line_end = rng.choice(["\n", "\r\n", "\r"]).unwrap();
        Self { mark: rng.bool(), line_end, has_last_end: rng.bool() }
    }

    pub fn finish(&self, lines: &[String]) -> Vec<u8> {
        let mut text = if self.mark { "\u{feff}".to_owned() } else { String::new() };
        text += &lines.join(self.line_end);
        if self.has_last_end {
            text += self.line_end;
        }
        text.into_bytes()
    }
}

fn cloud(rng: &mut Rng) -> Vec<DVec3> {
    (0..rng.usize(1..40)).map(|_| DVec3::new(double(rng), double(rng), double(rng))).collect()
}

fn obj_vertex(rng: &mut Rng, manner: &Manner, point: DVec3) -> String {
    let mut line = if rng.u8(..4) == 0 { blank(rng).to_owned() } else { String::new() };
    line.push('v');
    for x in point.to_array() {
        line += blank(rng);
        if rng.u8(..8) == 0 {
            line += "\\";
            line += manner.line_end;
            line += rng.choice(["", " ", "\t"]).unwrap();
        }
        line += &spelled(rng, x);
    }
    match rng.u8(..8) {
        0 => line += " 1.0",
        1 => line += "\t0.5 1 .25",
        2 => line += blank(rng),
        3 => line += " # a corner",
        4 => line += " \\\n".replace('\n', manner.line_end).as_str(),
        _ => {}
    }
    line
}

#[test]
fn obj_clouds_and_meshes_come_back_bit_for_bit_in_every_spelling() {
    let mut rng = Rng::with_seed(12);
    for round in 0..400 {
        let manner = Manner::draw(&mut rng);
        let points = cloud(&mut rng);
        let mut lines = Vec::new();
        for &point in &points {
            // The first line is often a vertex: that is where a byte-order mark does its harm.
            match rng.u8(..8) {
                0 => lines.push("# Körper \u{2028} v 1 2 3".into()),
                1 => lines.push("vn\t0 0 1".into()),
                2 => lines.push(String::new()),
                3 => lines.push("g v 1 2 3".into()),
                _ => {}
            }
            lines.push(obj_vertex(&mut rng, &manner, point));
        }
        let is_mesh = rng.bool();
        if is_mesh {
            let count = points.len();
            for chunk in (0..count).collect::<Vec<_>>().chunks(3) {
                let corner = |i: &usize| match rng.u8(..4) {
                    0 => format!("-{}", count - i),
                    1 => format!("{}//1", i + 1),
                    2 => format!("{}/7", i + 1),
                    _ => format!("{}", i + 1),
                };
                let corners: Vec<String> = chunk.iter().map(corner).collect();
                let word = rng.choice(["f", "l", "p"]).unwrap();
                let gap = if rng.bool() { format!(" \\{}", manner.line_end) } else { "\t".into() };
                lines.push(format!("{word} {}", corners.join(&gap)));
            }
        }
        // A vertex continued onto nothing needs the line that follows.
        lines.push("# end".into());
        let path = file("cloud.obj", &manner.finish(&lines));
        let (read, _) = read_points(&path).unwrap_or_else(|error| panic!("round {round}: {error}\n{lines:#?}"));
        assert_eq!(bits(&read), bits(&points), "round {round}: {lines:#?}");
    }
}

#[test]
fn stl_text_comes_back_bit_for_bit_in_every_spelling() {
    let mut rng = Rng::with_seed(13);
    for round in 0..400 {
        let manner = Manner::draw(&mut rng);
        let mut points = cloud(&mut rng);
        points.truncate(points.len().next_multiple_of(3) - 3);
        let case = rng.u8(..3);
        let cased = |word: &str| match case {
            0 => word.to_owned(),
            1 => word.to_uppercase(),
            _ => word[..1].to_uppercase() + &word[1..],
        };
        let mut lines = Vec::new();
        let solids = rng.usize(1..4);
        for solid in 0..solids {
            let name = rng.choice(["", " part", " vertex 1 2 3", " Körper # {} \u{1} endsolid"]).unwrap();
            lines.push(cased("solid") + name);
            let (start, end) = (solid * points.len() / 3 / solids * 3, (solid + 1) * points.len() / 3 / solids * 3);
            for triangle in points[start..end].chunks(3) {
                let normal = rng.choice(["0 0 1", "nan nan nan", "-1e-3\t.5 1."]).unwrap();
                lines.push(format!("  {}{}{} {normal}", cased("facet"), blank(&mut rng), cased("normal")));
                lines.push(format!("\t{} {}", cased("outer"), cased("loop")));
                for point in triangle {
                    let numbers = point.to_array().map(|x| spelled(&mut rng, x));
                    lines.push(format!("{}{}{}", cased("vertex"), blank(&mut rng), numbers.join(blank(&mut rng))));
                }
                lines.push(cased("endloop"));
                lines.push(cased("endfacet"));
            }
            lines.push(cased("endsolid") + name);
        }
        let path = file("cloud.stl", &manner.finish(&lines));
        if points.is_empty() {
            assert!(read_points(&path).unwrap_err().to_string().contains("holds no vertices"));
            continue;
        }
        // A place once, and by equality: zero and minus zero are one place.
        let mut expected: Vec<DVec3> = Vec::new();
        for &point in &points {
            if !expected.contains(&point) {
                expected.push(point);
            }
        }
        let mesh = read_mesh(&path).unwrap();
        let surface = &mesh.bodies[0].surface;
        let corners: Vec<DVec3> = surface.triangles.iter().flatten().map(|&i| surface.vertices[i as usize]).collect();
        assert_eq!(corners, points, "round {round}");
        let (read, _) = read_points(&path).unwrap_or_else(|error| panic!("round {round}: {error}\n{lines:#?}"));
        assert_eq!(bits(&read), bits(&expected), "round {round}: {lines:#?}");
    }
}

#[test]
fn stl_text_is_refused_wherever_it_is_cut() {
    let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
                endsolid a\n";
    // All before the end of the word `endsolid`; the name behind it does not matter.
    for cut in 0..text.rfind("endsolid").unwrap() + "endsolid".len() {
        assert!(read_points(&file("cut.stl", &text.as_bytes()[..cut])).is_err(), "cut at {cut}");
    }
    assert_eq!(read_points(&file("cut.stl", text.as_bytes())).unwrap().0.len(), 3);
}

#[test]
fn a_byte_order_mark_before_a_scene_is_skipped_and_other_encodings_are_named() {
    let text = r#"{"format": "clearance-scene/1", "bodies": [{"name": "a", "shape": {"point": {}}}]}"#;
    let marked = format!("\u{feff}{text}");
    assert_eq!(Scene::read(&file("marked.json", marked.as_bytes())).unwrap().bodies.len(), 1);
    assert_eq!(Scene::parse(&marked, "s.json", &Folder::none()).unwrap().bodies.len(), 1);
    let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        let message = Scene::read(&file("wide.json", &bytes)).unwrap_err().to_string();
        assert!(message.ends_with("wide.json: this is UTF-16 text; save it as UTF-8"), "{message}");
        for name in ["wide.obj", "wide.stl"] {
            let message = read_points(&file(name, &bytes)).unwrap_err().to_string();
            assert!(message.ends_with("this is UTF-16 text; save it as UTF-8"), "{message}");
        }
    }
    let message = Scene::read(&file("packed.json", b"\x1f\x8b\x08\x00")).unwrap_err().to_string();
    assert!(message.ends_with("packed.json: this is a gzip archive; unpack it first"), "{message}");
}

#[test]
fn a_field_written_twice_is_refused_wherever_it_stands() {
    let body = |inner: &str| format!(r#"{{"format": "clearance-scene/1", "bodies": [{{"name": "a", {inner}}}]}}"#);
    let point = r#""shape": {"point": {}}"#;
    let twice = [
        r#"{"format": "clearance-scene/1", "bodies": [], "bodies": []}"#.into(),
        r#"{"format": "clearance-scene/1", "format": "clearance-scene/1", "bodies": []}"#.into(),
        r#"{"format": "clearance-scene/1", "shapes": {"p": {"point": {}}, "p": {"point": {}}}, "bodies": []}"#.into(),
        body(&format!("{point}, {point}")),
        body(r#""name": "b", "shape": {"point": {}}"#),
        body(r#""shape": {"point": {}, "sphere": {"radius": 1}}"#),
        body(r#""shape": {"sphere": {"radius": 1, "radius": 2}}"#),
        body(r#""shape": {"sphere": {"radius": 1}, "sphere": {"radius": 2}}"#),
        body(r#""shape": {"segment": {"a": [0, 0, 0], "b": [1, 0, 0], "a": [0, 0, 0]}}"#),
        body(&format!(r#"{point}, "pose": {{"translation": [0, 0, 0], "translation": [1, 0, 0]}}"#)),
        body(&format!(r#"{point}, "motion": {{"linear": {{"velocity": [0, 0, 0], "velocity": [1, 0, 0]}}}}"#)),
        body(r#""shape": {"compound": [{"shape": {"point": {}}, "shape": {"point": {}}}]}"#),
        body(r#""shape": {"hull": {"points": [[0, 0, 0]], "points": [[1, 0, 0]]}}"#),
        format!("{} []", body(point)),
        format!("{} x", body(point)),
    ];
    assert!(Scene::parse(&body(point), "s.json", &Folder::none()).is_ok());
    for text in twice {
        assert!(Scene::parse(&text, "s.json", &Folder::none()).is_err(), "{text}");
    }
}
