//! Meshes written in every format and spelling: what is read back is what was written, bit for bit.

use crate::meshes::{Manner, bits, blank, double, file, spelled};
use clearance::Pose;
use clearance::math::DVec3;
use clearance_io::{
    Folder, MeshFile, Surface, Unit, read_hull, read_mesh, read_points, write_obj, write_ply, write_stl,
};
use fastrand::Rng;
use std::fs;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn parse(bytes: &[u8], name: &str) -> MeshFile {
    MeshFile::parse(bytes, name, &Folder::none())
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(bytes)))
}

/// Vertices and triangles at random.
fn surface(rng: &mut Rng, mut coordinate: impl FnMut(&mut Rng) -> f64) -> Surface {
    let count = rng.usize(1..30);
    let vertices: Vec<DVec3> =
        (0..count).map(|_| DVec3::new(coordinate(rng), coordinate(rng), coordinate(rng))).collect();
    let triangles = (0..rng.usize(1..40)).map(|_| [0; 3].map(|_| rng.u32(..count as u32))).collect();
    Surface { vertices, triangles }
}

fn single(rng: &mut Rng) -> f64 {
    loop {
        let x = if rng.bool() { rng.f32() - 0.5 } else { f32::from_bits(rng.u32(..)) };
        // Vertices of glTF and STL are made one by place, where zero and minus zero are the same.
        if x.is_finite() && x != 0.0 {
            return x.into();
        }
    }
}

fn assert_same(read: &Surface, written: &Surface, what: &str) {
    assert_eq!(bits(&read.vertices), bits(&written.vertices), "{what}");
    assert_eq!(read.triangles, written.triangles, "{what}");
}

/// Equal as triangles in space, whatever the numbers of the vertices are.
fn assert_same_places(read: &Surface, written: &Surface, what: &str) {
    let places = |surface: &Surface| -> Vec<[u64; 3]> {
        let corners: Vec<DVec3> =
            surface.triangles.iter().flatten().map(|&corner| surface.vertices[corner as usize]).collect();
        bits(&corners)
    };
    assert_eq!(places(read), places(written), "{what}");
}

#[test]
fn what_is_written_is_read_back() {
    let mut rng = Rng::with_seed(21);
    for round in 0..200 {
        let (one, two) = (surface(&mut rng, double), surface(&mut rng, double));
        let mut text = Vec::new();
        write_obj(&mut text, [("one # \\\n", &one), ("", &two)]).unwrap();
        let shift = one.vertices.len() as u32;
        let both = Surface {
            vertices: [&one.vertices[..], &two.vertices].concat(),
            triangles: one
                .triangles
                .iter()
                .copied()
                .chain(two.triangles.iter().map(|t| t.map(|i| i + shift)))
                .collect(),
        };
        assert_same(&parse(&text, "a.obj").bodies[0].surface, &both, &format!("OBJ, round {round}"));
        let mut bytes = Vec::new();
        write_ply(&mut bytes, &one).unwrap();
        assert_same(&parse(&bytes, "a.ply").bodies[0].surface, &one, &format!("PLY, round {round}"));
        let rounded = surface(&mut rng, single);
        let mut bytes = Vec::new();
        assert_eq!(write_stl(&mut bytes, &rounded).unwrap(), 0);
        assert_same_places(&parse(&bytes, "a.stl").bodies[0].surface, &rounded, &format!("STL, round {round}"));
    }
}

#[test]
fn obj_faces_come_back_in_every_spelling() {
    let mut rng = Rng::with_seed(22);
    for round in 0..200 {
        let manner = Manner::draw(&mut rng);
        let surface = surface(&mut rng, double);
        let count = surface.vertices.len();
        let vertices: Vec<String> = surface
            .vertices
            .iter()
            .map(|vertex| format!("v {}", vertex.to_array().map(|x| spelled(&mut rng, x)).join(blank(&mut rng))))
            .collect();
        let are_first = rng.bool();
        let faces: Vec<String> = surface
            .triangles
            .iter()
            .map(|triangle| {
                let corners = triangle.map(|corner| match rng.u8(..5) {
                    0 if !are_first => format!("-{}", count - corner as usize),
                    1 => format!("{}/1", corner + 1),
                    2 => format!("{}//-1", corner + 1),
                    3 => format!("{}/2/3", corner + 1),
                    _ => format!("{}", corner + 1),
                });
                format!("f {}", corners.join(blank(&mut rng)))
            })
            .collect();
        // A face may name what comes later.
        let lines = if are_first { [faces, vertices].concat() } else { [vertices, faces].concat() };
        let mesh = parse(&manner.finish(&lines), "a.obj");
        assert_same(&mesh.bodies[0].surface, &surface, &format!("round {round}"));
        assert_eq!((mesh.bodies.len(), mesh.unit, mesh.skipped), (1, None, 0));
    }
}

#[test]
fn off_comes_back_in_every_spelling() {
    let mut rng = Rng::with_seed(23);
    for round in 0..200 {
        let manner = Manner::draw(&mut rng);
        let surface = surface(&mut rng, double);
        let prefix = rng.choice(["", "C", "N", "ST", "CN", "STCN"]).unwrap();
        let counts = format!("{} {}", surface.vertices.len(), surface.triangles.len());
        let counts = if rng.bool() { counts } else { counts + " 0" };
        let mut lines = if rng.bool() {
            vec![format!("{prefix}OFF {counts}")]
        } else {
            vec![format!("{prefix}OFF # {counts}"), String::new(), counts]
        };
        for vertex in &surface.vertices {
            let mut numbers: Vec<String> = vertex.to_array().map(|x| spelled(&mut rng, x)).into();
            if !prefix.is_empty() {
                numbers.extend((0..rng.usize(..=9)).map(|i| i.to_string()));
            }
            lines.push(numbers.join(blank(&mut rng)));
        }
        for [a, b, c] in &surface.triangles {
            let colour = rng.choice(["", " 255 0 0", " 0.1 0.2 0.3 1 # red"]).unwrap();
            lines.push(format!("3 {a}{}{b} {c}{colour}", blank(&mut rng)));
        }
        let mesh = parse(&manner.finish(&lines), "a.off");
        assert_same(&mesh.bodies[0].surface, &surface, &format!("round {round}"));
    }
}

#[test]
fn ply_comes_back_in_every_spelling() {
    let mut rng = Rng::with_seed(24);
    for round in 0..400 {
        let surface = surface(&mut rng, double);
        let encoding = rng.choice(["ascii", "binary_little_endian", "binary_big_endian"]).unwrap();
        let is_text = encoding == "ascii";
        let mut axes = ["x", "y", "z"];
        rng.shuffle(&mut axes);
        let word = if is_text { rng.choice(["float", "double"]).unwrap() } else { "float64" };
        let index = rng.choice(["uchar", "int8", "short", "uint16", "int", "uint32"]).unwrap();
        let count = rng.choice(["uchar", "char", "ushort", "int32"]).unwrap();
        let list = rng.choice(["vertex_indices", "vertex_index"]).unwrap();
        let has_faces_first = rng.bool();
        let vertices = format!(
            "element vertex {}\nproperty {word} {}\nproperty uchar red\nproperty {word} {}\nproperty {word} {}\n",
            surface.vertices.len(),
            axes[0],
            axes[1],
            axes[2]
        );
        let faces = format!("element face {}\nproperty list {count} {index} {list}\n", surface.triangles.len());
        let elements = if has_faces_first { faces + &vertices } else { vertices + &faces };
        let end = rng.choice(["\n", "\r\n", "\r"]).unwrap();
        let head = format!("ply\nformat {encoding} 1.0\ncomment x\n{elements}end_header\n").replace('\n', end);
        let mut data = [Vec::new(), Vec::new()];
        let mut put = |list: usize, number: f64, kind: &str, is_last: bool| {
            if is_text {
                let text = if kind == word { spelled(&mut rng, number) } else { number.to_string() };
                data[list].extend(text.bytes());
                data[list].extend(if is_last { end } else { blank(&mut rng) }.bytes());
                return;
            }
            let mut bytes = match kind {
                "uchar" => vec![number as u8],
                "char" | "int8" => vec![number as i8 as u8],
                "short" => (number as i16).to_le_bytes().into(),
                "ushort" | "uint16" => (number as u16).to_le_bytes().into(),
                "int" | "int32" => (number as i32).to_le_bytes().into(),
                "uint32" => (number as u32).to_le_bytes().into(),
                _ => number.to_le_bytes().to_vec(),
            };
            if encoding == "binary_big_endian" {
                bytes.reverse();
            }
            data[list].extend(bytes);
        };
        for vertex in &surface.vertices {
            let place = axes.map(|axis| vertex.to_array()["xyz".find(axis).unwrap()]);
            put(0, place[0], word, false);
            put(0, 7.0, "uchar", false);
            put(0, place[1], word, false);
            put(0, place[2], word, true);
        }
        for triangle in &surface.triangles {
            put(1, 3.0, count, false);
            for (i, &corner) in triangle.iter().enumerate() {
                put(1, corner.into(), index, i == 2);
            }
        }
        let [vertices, faces] = data;
        let data = if has_faces_first { [faces, vertices].concat() } else { [vertices, faces].concat() };
        let mesh = parse(&[head.as_bytes(), &data].concat(), "a.ply");
        assert_same(&mesh.bodies[0].surface, &surface, &format!("round {round}, {encoding}"));
    }
}

/// A glTF document for one mesh, whose buffer is what comes second.
fn gltf(rng: &mut Rng, surface: &Surface) -> (String, Vec<u8>) {
    let mut bytes: Vec<u8> =
        surface.vertices.iter().flat_map(|vertex| vertex.to_array()).flat_map(|x| (x as f32).to_le_bytes()).collect();
    let start = bytes.len();
    let kind = rng.choice([5121, 5123, 5125]).unwrap();
    for &corner in surface.triangles.iter().flatten() {
        bytes.extend(&corner.to_le_bytes()[..[1, 2, 4][(kind - 5121) / 2]]);
    }
    let text = format!(
        r#"{{"asset": {{"version": "2.0", "generator": "{{}}"}}, "nodes": [{{"mesh": 0}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1, "material": 3}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": {}, "type": "VEC3", "min": [0, 0, 0]}},
        {{"bufferView": 1, "componentType": {kind}, "count": {}, "type": "SCALAR"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": {start}}}, {{"buffer": 0, "byteOffset": {start}, "byteLength": {}}}],
        "buffers": [{{"byteLength": {}URI}}]}}"#,
        surface.vertices.len(),
        3 * surface.triangles.len(),
        bytes.len() - start,
        bytes.len()
    );
    (text, bytes)
}

pub fn glb(text: &str, bytes: &[u8]) -> Vec<u8> {
    let length = 12 + 8 + text.len() + 8 + bytes.len();
    let head = [b"glTF\x02\0\0\0", &(length as u32).to_le_bytes()[..]].concat();
    let chunk = |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32).to_le_bytes(), &kind[..], content].concat();
    [head, chunk(b"JSON", text.as_bytes()), chunk(b"BIN\0", bytes)].concat()
}

#[test]
fn gltf_comes_back_from_a_chunk_and_from_another_file() {
    let mut rng = Rng::with_seed(25);
    for round in 0..100 {
        let surface = surface(&mut rng, single);
        let (text, bytes) = gltf(&mut rng, &surface);
        let whole = glb(&text.replace("URI", ""), &bytes);
        let mesh = parse(&whole, "a.glb");
        assert_same_places(&mesh.bodies[0].surface, &surface, &format!("round {round}"));
        assert_eq!((mesh.unit, mesh.bodies[0].pose), (Some(Unit::Metre), Pose::IDENTITY));
        if round < 10 {
            file("a part.bin", &bytes);
            let path = file("a.gltf", text.replace("URI", r#", "uri": "a%20part.bin""#).as_bytes());
            assert_eq!(read_mesh(&path).unwrap(), mesh);
            assert_eq!(*Folder::of(&path).mesh("a.gltf").unwrap(), mesh);
            assert_eq!(read_points(&path).unwrap().0.len(), read_points(&file("a.glb", &whole)).unwrap().0.len());
        }
    }
}

pub fn packed(model: &str) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let rels = r#"<Relationships><Relationship Target="/3D/3dmodel.model" Id="a"
        Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;
    for (name, text) in [("_rels/.rels", rels), ("3D/3dmodel.model", model)] {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub fn model(rng: &mut Rng, surface: &Surface) -> String {
    let mut text =
        "<?xml version=\"1.0\"?>\n<model unit=\"meter\"><resources><object id=\"7\"><mesh><vertices>\n".to_owned();
    let element = |name: &str, attributes: [(&str, String); 3], rng: &mut Rng| {
        let mut attributes = attributes.map(|(name, value)| {
            let quote = rng.choice(['"', '\'']).unwrap();
            format!("{name}={quote}{value}{quote}")
        });
        rng.shuffle(&mut attributes);
        let attributes = attributes.join(rng.choice([" ", "\n", "\t"]).unwrap());
        match rng.u8(..2) {
            0 => format!("<{name} {attributes}/>"),
            _ => format!("<{name} {attributes}><!-- x --></{name}>\r\n"),
        }
    };
    for vertex in &surface.vertices {
        let [x, y, z] = vertex.to_array().map(|x| spelled(rng, x));
        text += &element("vertex", [("x", x), ("y", y), ("z", z)], rng);
    }
    text += "</vertices><triangles>";
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| corner.to_string());
        text += &element("triangle", [("v1", a), ("v2", b), ("v3", c)], rng);
    }
    text + "</triangles></mesh></object></resources><build><item objectid=\"7\"/></build></model>"
}

#[test]
fn three_mf_comes_back_in_every_spelling() {
    let mut rng = Rng::with_seed(26);
    for round in 0..100 {
        let surface = surface(&mut rng, double);
        let mesh = parse(&packed(&model(&mut rng, &surface)), "a.3mf");
        assert_same(&mesh.bodies[0].surface, &surface, &format!("round {round}"));
        assert_eq!(mesh.unit, Some(Unit::Metre));
    }
}

#[test]
fn hulls_are_read_from_every_format() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
    let part = Surface { vertices: corners.into(), triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] };
    let mut rng = Rng::with_seed(27);
    let (text, bytes) = gltf(&mut rng, &part);
    let mut files = vec![
        ("hull.off", b"OFF 4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n".to_vec()),
        ("hull.glb", glb(&text.replace("URI", ""), &bytes)),
        ("hull.3MF", packed(&model(&mut rng, &part))),
    ];
    for name in ["hull.obj", "hull.stl", "hull.ply"] {
        let mut bytes = Vec::new();
        match name {
            "hull.obj" => write_obj(&mut bytes, [("part", &part)]).unwrap(),
            "hull.ply" => write_ply(&mut bytes, &part).unwrap(),
            _ => assert_eq!(write_stl(&mut bytes, &part).unwrap(), 0),
        }
        files.push((name, bytes));
    }
    for (name, bytes) in files {
        let path = file(name, &bytes);
        let (mut points, _) = read_points(&path).unwrap();
        points.sort_by(|a, b| b.x.total_cmp(&a.x).then(b.y.total_cmp(&a.y)).then(b.z.total_cmp(&a.z)));
        assert_eq!(points, [corners[1], corners[2], corners[3], corners[0]], "{name}");
        assert!(read_hull(&path).is_ok());
        assert!(Folder::of(&path).hull(name).is_ok());
    }
}

#[test]
fn units_scale_vertices_and_poses_alike() {
    let mut rng = Rng::with_seed(28);
    let surface = surface(&mut rng, |rng| rng.f64());
    let text =
        model(&mut rng, &surface).replace("objectid=\"7\"", "objectid=\"7\" transform=\"1 0 0 0 1 0 0 0 1 1 2 3\"");
    let mesh = parse(&packed(&text), "a.3mf");
    let twice = mesh.scaled(2.0).unwrap();
    assert_eq!(twice.bodies[0].surface.vertices[0], surface.vertices[0] * 2.0);
    assert_eq!(twice.bodies[0].pose, Pose::from_translation([2.0, 4.0, 6.0]));
    let factor = mesh.unit.unwrap().factor_to(Unit::Millimetre);
    assert_eq!(mesh.scaled(factor).unwrap().bodies[0].pose, Pose::from_translation([1000.0, 2000.0, 3000.0]));
    let error = mesh.scaled(1e60).unwrap_err().to_string();
    assert!(error.starts_with("translation.y is 2e60"), "{error}");
}

#[test]
#[cfg(unix)]
fn a_scene_cannot_reach_a_mesh_outside_of_its_folder() {
    let inside = file("outer/inner/part.off", b"");
    let (inner, outer) = (inside.parent().unwrap(), inside.parent().unwrap().parent().unwrap());
    let folder = Folder::new(inner);
    for name in ["part.obj", "part.stl", "part.ply", "part.off", "part.gltf", "part.glb", "part.3mf"] {
        fs::write(outer.join(name), "").unwrap();
        let _ = fs::remove_file(inner.join(name));
        std::os::unix::fs::symlink(outer.join(name), inner.join(name)).unwrap();
        for path in [name.to_owned(), format!("../{name}"), outer.join(name).display().to_string()] {
            let message = folder.mesh(&path).unwrap_err().to_string();
            assert!(message.contains("leaves the folder of the file that names it"), "{message}");
        }
    }
}

/// Reads all mesh files below the folder that the variable names, and tells which are refused and why. Without it there is nothing to read.
#[test]
fn real_files_are_read_or_refused_with_a_sentence() {
    let Some(folder) = std::env::var_os("REAL_MESHES") else { return };
    let mut open = vec![std::path::PathBuf::from(folder)];
    let mut counts = std::collections::BTreeMap::<String, [u64; 3]>::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if clearance_io::is_mesh_name(&path) {
                let ending = path.extension().unwrap().to_string_lossy().to_lowercase();
                let count = counts.entry(ending).or_default();
                match read_mesh(&path) {
                    Ok(mesh) => {
                        count[0] += 1;
                        count[2] += mesh.bodies.len() as u64;
                        mesh.notes.iter().for_each(|note| println!("note: {note}"));
                    }
                    Err(error) => {
                        count[1] += 1;
                        println!("{error}");
                    }
                }
            }
        }
    }
    for (ending, [read, refused, bodies]) in counts {
        println!(".{ending}: {read} read with {bodies} bodies, {refused} refused");
    }
}

/// How the file of a body counts: its first vertex, whether faces are lines, and the faces of the triangles.
fn read_numbers(scene: &clearance_io::Scene, body: &clearance_io::Body) -> (Option<u32>, bool, Vec<u32>) {
    let numbers = scene.numbers.of(body.shape.as_mesh().unwrap()).unwrap();
    (numbers.first_vertex, numbers.are_lines, numbers.faces.clone())
}

/// A file in metres in a scene in millimetres, a file without a unit that is scaled, angles and matrices.
#[test]
fn scenes_have_units_scales_angles_and_matrices() {
    let folder = std::env::temp_dir().join(format!("clearance-units-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let tetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    fs::write(folder.join("t.obj"), tetra).unwrap();
    let faces = "<p>0 2 1 0 1 3 1 2 3 2 0 3</p>";
    let dae = format!(
        r##"<COLLADA><asset><unit meter="1"/></asset><library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles><input semantic="VERTEX" source="#v" offset="0"/>{faces}</triangles></mesh></geometry></library_geometries></COLLADA>"##
    );
    fs::write(folder.join("t.dae"), dae).unwrap();
    let scene = |bodies: &str| {
        let text = format!(
            r#"{{"$schema": "scene.schema.json", "format": "clearance-scene/1", "bodies": [{bodies}], "unit": "mm"}}"#
        );
        clearance_io::Scene::parse_with_written(&text, "scene.json", &clearance_io::Folder::new(&folder))
    };
    let body =
        |name: &str, shape: &str, pose: &str| format!(r#"{{"name": "{name}", "shape": {shape}, "pose": {pose}}}"#);
    let bodies = [
        body("a", r#"{"mesh": {"file": "t.dae"}}"#, r#"{"euler_degrees": [0, 0, 90]}"#),
        body(
            "b",
            r#"{"mesh": {"scale": 25.4, "file": "t.obj"}}"#,
            r#"{"matrix": [[0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7]]}"#,
        ),
        body("c", r#"{"hull": {"file": "t.dae", "scale": 2}}"#, "{}"),
    ];
    let read = scene(&bodies.join(", ")).unwrap();
    assert_eq!(read.unit, Some(clearance_io::Unit::Millimetre));
    let [a, b, c] = &read.bodies[..] else { panic!() };
    let corner = |body: &clearance_io::Body| body.pose.transform_point(body.shape.as_mesh().unwrap().vertices()[1]);
    assert!((corner(a) - DVec3::new(0.0, 1000.0, 0.0)).length() < 1e-9, "{}", corner(a));
    assert!((corner(b) - DVec3::new(5.0, 31.4, 7.0)).length() < 1e-9, "{}", corner(b));
    assert!(format!("{:?}", c.written).contains("[2000.0, 0.0, 0.0]"), "{:?}", c.written);
    for (shape, pose, sentence) in [
        (
            r#"{"mesh": {"file": "t.obj", "scale": 0}}"#,
            "{}",
            "bodies[0].shape.mesh.scale is 0, but must be a number above 0",
        ),
        (r#"{"hull": {"points": [[0, 0, 0]], "scale": 2}}"#, "{}", "scale only with file"),
        (
            r#"{"point": {}}"#,
            r#"{"matrix": [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}"#,
            "a matrix that scales, shears or mirrors",
        ),
        (r#"{"point": {}}"#, r#"{"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}"#, "not 3 or 4 rows of 4 numbers"),
        (r#"{"point": {}}"#, r#"{"rotation": [0, 0, 0, 1], "euler_degrees": [0, 0, 0]}"#, "keep one"),
    ] {
        let message = scene(&body("a", shape, pose)).unwrap_err().to_string();
        assert!(message.contains(sentence), "{message}");
    }
    // The unit counts for files also behind a comment that is nested deeper than the scan for the unit reads.
    let deep = format!(r#"{{"name": "z", "_c": {}{}, "shape": {{"point": {{}}}}}}"#, "[".repeat(500), "]".repeat(500));
    let read = scene(&format!("{deep}, {}", bodies[0])).unwrap();
    assert!((corner(&read.bodies[1]) - DVec3::new(0.0, 1000.0, 0.0)).length() < 1e-9);
    // How the files count: OBJ from 1 and by lines; COLLADA has other numbers of vertices.
    let read_again = scene(&bodies[..2].join(", ")).unwrap();
    let numbers = |body: &clearance_io::Body| read_numbers(&read_again, body);
    let [dae, obj] = &read_again.bodies[..] else { panic!() };
    assert_eq!(numbers(dae), (None, false, vec![0, 1, 2, 3]));
    assert_eq!(numbers(obj), (Some(1), true, vec![5, 6, 7, 8]));
    let wrong = r#"{"format": "clearance-scene/1", "bodies": [], "unit": "ell"}"#;
    assert!(clearance_io::Scene::parse(wrong, "scene.json", &clearance_io::Folder::none()).is_err());
    fs::remove_dir_all(&folder).unwrap();
}

/// A compound of a named shape, and names that stand for too many shapes.
#[test]
fn shapes_name_shapes_that_are_defined_before() {
    let read = |shapes: &str, shape: &str| {
        let text = format!(
            r#"{{"format": "clearance-scene/1", "shapes": {{{shapes}}}, "bodies": [{{"name": "a", "shape": {shape}}}]}}"#
        );
        clearance_io::Scene::parse_with_written(&text, "scene.json", &Folder::none())
    };
    let ball = r#""ball": {"sphere": {"radius": 1}}, "two": {"compound": [{"shape": "ball"}, {"shape": "ball", "pose": {"translation": [3, 0, 0]}}]}"#;
    let named = read(ball, r#"{"compound": [{"shape": "two"}]}"#).unwrap();
    let plain = r#"{"compound": [{"shape": {"sphere": {"radius": 1}}}, {"shape": {"sphere": {"radius": 1}}, "pose": {"translation": [3, 0, 0]}}]}"#;
    let plain = read("", &format!(r#"{{"compound": [{{"shape": {plain}}}]}}"#)).unwrap();
    assert_eq!(format!("{:?}", named.bodies[0].written), format!("{:?}", plain.bodies[0].written));
    let late =
        read(r#""two": {"compound": [{"shape": "ball"}]}, "ball": {"point": {}}"#, "\"two\"").unwrap_err().to_string();
    assert!(late.contains("shapes.two.compound[0].shape is \"ball\", but no shape before it has that name"), "{late}");
    for (fan, limit) in [(2, "repeats shapes too often"), (1, "nested more than 32 shapes deep")] {
        let level = |i: usize| {
            let part = format!(r#"{{"shape": "s{i}"}}"#);
            format!(r#""s{}": {{"compound": [{}]}}"#, i + 1, vec![part; fan].join(", "))
        };
        let levels: Vec<String> = (0..60).map(level).collect();
        let message =
            read(&format!(r#""s0": {{"point": {{}}}}, {}"#, levels.join(", ")), "\"s60\"").unwrap_err().to_string();
        assert!(message.contains(limit), "{message}");
    }
}

/// A file above the folder of the scene is read only if its folder is allowed, and links do not lead out.
#[test]
fn a_scene_reads_files_below_folders_that_are_allowed() {
    let root = std::env::temp_dir().join(format!("clearance-allow-{}", std::process::id()));
    for folder in ["scenes", "parts", "other"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    }
    let folder = || Folder::new(root.join("scenes")).allowing(&[root.join("parts")]);
    let whole = root.join("parts/t.obj").display().to_string();
    for name in ["t.obj", "../parts/t.obj", &whole] {
        assert!(folder().mesh(name).is_ok(), "{name}");
    }
    for name in ["../other/t.obj", "../parts/../other/t.obj"] {
        assert!(folder().mesh(name).unwrap_err().to_string().contains("leaves the folder"), "{name}");
    }
    assert!(Folder::new(root.join("scenes")).mesh("../parts/t.obj").is_err());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("other/t.obj"), root.join("parts/link.obj")).unwrap();
        assert!(folder().mesh("../parts/link.obj").is_err());
    }
    fs::remove_dir_all(&root).unwrap();
}
