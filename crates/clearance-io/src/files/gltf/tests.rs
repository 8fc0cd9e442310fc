use super::*;
use crate::MeshFile;
use serde_json::{Value, json};

/// A tetrahedron with 12 separate corners, as glTF has it, then its indices in 16 bits.
fn data() -> Vec<u8> {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.1_f32]];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let places = faces.iter().flatten().flat_map(|&corner: &usize| corners[corner]);
    let mut bytes: Vec<u8> = places.flat_map(f32::to_le_bytes).collect();
    bytes.extend((0..12_u16).flat_map(u16::to_le_bytes));
    bytes
}

fn encoded(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0_u32, |bits, (i, &byte)| bits | u32::from(byte) << (16 - 8 * i));
        for place in 0..=chunk.len() {
            text.push(DIGITS[(bits >> (18 - 6 * place)) as usize & 63] as char);
        }
    }
    text + &"=".repeat((3 - bytes.len() % 3) % 3)
}

fn document() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "part", "mesh": 0}],
        "meshes": [{"name": "tetrahedron", "primitives": [{"attributes": {"POSITION": 0, "NORMAL": 7}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 144}, {"buffer": 0, "byteOffset": 144, "byteLength": 24}],
        "buffers": [{"byteLength": 168, "uri": format!("data:application/octet-stream;base64,{}", encoded(&data()))}]
    })
}

fn parse(document: &Value) -> Result<MeshFile, String> {
    let text = serde_json::to_vec_pretty(document).unwrap();
    MeshFile::parse(&text, "part.gltf", &Folder::none()).map_err(|error| error.to_string())
}

fn binary(document: &Value, chunk: Option<&[u8]>) -> Vec<u8> {
    let mut text = serde_json::to_vec(document).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content) in [(b"JSON", Some(&text[..])), (b"BIN\0", chunk)] {
        if let Some(content) = content {
            bytes.extend((content.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(content);
        }
    }
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[8..12].copy_from_slice(&length);
    bytes
}

/// The document with one value changed, by its path.
fn with(path: &str, value: Value) -> Value {
    let mut document = document();
    let (parent, last) = path.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(list) => list[last.parse::<usize>().unwrap()] = value,
        _ => parent[last] = value,
    }
    document
}

#[test]
fn a_tetrahedron_is_whole_in_every_wrapping() {
    let mesh = parse(&document()).unwrap();
    let [body] = &mesh.bodies[..] else { panic!("{mesh:?}") };
    assert_eq!((body.name.as_deref(), mesh.unit, mesh.skipped), (Some("part"), Some(Unit::Metre), 0));
    // Twelve corners at four places.
    assert_eq!(body.surface.vertices, [DVec3::ZERO, DVec3::Y, DVec3::X, DVec3::new(0.0, 0.0, 0.1_f32.into())]);
    assert_eq!(body.surface.triangles, [[0, 1, 2], [0, 2, 3], [2, 1, 3], [1, 0, 3]]);
    let solid = clearance::shape::Mesh::new(&body.surface.vertices, &body.surface.triangles).unwrap();
    assert!(solid.is_solid() && solid.volume() > 0.0);

    let glb = binary(&with("/buffers/0", json!({"byteLength": 168})), Some(&data()));
    assert_eq!(MeshFile::parse(&glb, "part.glb", &Folder::none()).unwrap(), mesh);
    let glb = binary(&document(), None);
    assert_eq!(MeshFile::parse(&glb, "PART.GLB", &Folder::none()).unwrap(), mesh);
}

#[test]
fn nodes_and_instances_become_bodies_with_poses() {
    let half = 0.5_f64.sqrt();
    let nodes = json!([
        {"children": [1, 3], "translation": [1, 2, 0.1]},
        {"mesh": 0, "rotation": [0, 0, half, half], "children": [2]},
        {"name": "inner", "mesh": 0, "translation": [1, 0, 0]},
        {"name": "large", "mesh": 0, "scale": [2, 2, 2]},
        {"name": "mirrored", "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
        {"name": "not in the scene", "mesh": 0}]);
    let mut document = with("/nodes", nodes);
    document["scenes"] = json!([{"nodes": [0, 4]}]);
    let mesh = parse(&document).unwrap();
    let names: Vec<Option<&str>> = mesh.bodies.iter().map(|body| body.name.as_deref()).collect();
    assert_eq!(names, [Some("tetrahedron"), Some("inner"), Some("large"), Some("mirrored")]);
    let [turned, inner, large, mirrored] = &mesh.bodies[..] else { panic!() };
    assert!(Arc::ptr_eq(&turned.surface, &inner.surface));
    assert_eq!(turned.pose.translation(), DVec3::new(1.0, 2.0, 0.1));
    assert!(inner.pose.translation().distance(DVec3::new(1.0, 3.0, 0.1)) < 1e-15);
    assert_eq!(large.surface.vertices[2], DVec3::X * 2.0);
    assert_eq!(large.pose, turned.pose * Pose::from_rotation(turned.pose.rotation()).inverse());
    // Outside stays outside.
    assert_eq!(mirrored.surface.vertices[2], -DVec3::X);
    assert_eq!(mirrored.pose, Pose::from_translation([5.0, 6.0, 7.0]));
    let solid =
        |body: &crate::MeshBody| clearance::shape::Mesh::new(&body.surface.vertices, &body.surface.triangles).unwrap();
    assert!((solid(mirrored).volume() - solid(turned).volume()).abs() < 1e-15);

    // Without a scene, what is inside of nothing; without nodes, the meshes.
    document["scenes"] = json!([]);
    assert_eq!(parse(&document).unwrap().bodies.len(), 5);
    assert_eq!(parse(&with("/nodes", json!([]))).unwrap().bodies[0].name.as_deref(), Some("tetrahedron"));
}

#[test]
fn strips_fans_and_lines() {
    let primitives = |mode: u32| with("/meshes/0/primitives/0", json!({"attributes": {"POSITION": 0}, "mode": mode}));
    assert_eq!(parse(&primitives(4)).unwrap(), parse(&document()).unwrap());
    let triangles = |mode: u32| parse(&primitives(mode)).unwrap().bodies[0].surface.triangles.clone();
    // Corners 0 1 2 0 2 3 2 1 3 …, of which every other triangle is turned over.
    assert_eq!(triangles(5)[..4], [[0, 1, 2], [1, 0, 2], [2, 0, 2], [0, 3, 2]]);
    assert_eq!(triangles(6)[..3], [[1, 2, 0], [2, 0, 0], [0, 2, 0]]);
    assert_eq!(
        parse(&primitives(1)).unwrap_err(),
        "part.gltf: the file holds no triangles; export it again with its faces, or take the hull of its points"
    );
    let mut both = document();
    both["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({"attributes": {"POSITION": 0}, "mode": 0}));
    assert_eq!(parse(&both).unwrap().skipped, 1);
}

#[test]
fn quantized_positions_are_exact_or_fractions() {
    let view = json!({"bufferView": 0, "componentType": 5120, "count": 3, "type": "VEC3", "byteOffset": 0});
    let mut document = with("/accessors/0", view);
    document["bufferViews"][0] = json!({"buffer": 0, "byteLength": 12, "byteStride": 4});
    let bytes = [0_u8, 0, 0, 9, 127, 0, 0, 9, 0, 0x81, 128, 9];
    document["buffers"] = json!([{"byteLength": 12, "uri": format!("data:;base64,{}", encoded(&bytes))}]);
    document["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
    let vertices = |document: &Value| parse(document).unwrap().bodies[0].surface.vertices.clone();
    assert_eq!(vertices(&document), [DVec3::ZERO, DVec3::X * 127.0, DVec3::new(0.0, -127.0, -128.0)]);
    document["accessors"][0]["normalized"] = true.into();
    assert_eq!(vertices(&document), [DVec3::ZERO, DVec3::X, DVec3::new(0.0, -1.0, -1.0)]);
}

#[test]
fn what_is_wrong_is_said() {
    let huge = u64::MAX;
    for (path, value, sentence) in [
        ("/asset/version", json!("1.0"), "this is glTF \"1.0\"; export it as glTF 2.0"),
        (
            "/extensionsRequired",
            json!(["KHR_draco_mesh_compression"]),
            "the extension \"KHR_draco_mesh_compression\" is required",
        ),
        ("/scene", json!(3), "scenes[3] is not there"),
        ("/nodes/0/mesh", json!(7), "meshes[7] is not there"),
        ("/nodes/0/children", json!([0]), "nodes[0] is inside itself"),
        ("/nodes/0/children", json!([9]), "nodes[9] is not there"),
        ("/nodes/0/rotation", json!([0, 0, 0, 0]), "nodes[0] has no place: rotation"),
        ("/nodes/0/translation", json!([1e300, 0, 0]), "nodes[0] has no place: translation.x is 1e300"),
        (
            "/nodes/0/matrix",
            json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
            "nodes[0] has a matrix whose last row",
        ),
        ("/nodes/0/skin", json!(0), "nodes[0] is deformed by a skin"),
        ("/nodes/0/weights", json!([0.5]), "nodes[0] is deformed by morph targets"),
        (
            "/nodes/0/extensions",
            json!({"EXT_mesh_gpu_instancing": {}}),
            "nodes[0] is repeated by EXT_mesh_gpu_instancing",
        ),
        ("/nodes/0/scale", json!([1e308, 1e308, 1e308]), ""),
        ("/accessors/0/count", json!(huge), "accessors[0] claims 18446744073709551615 elements"),
        ("/accessors/0/count", json!(13), "accessors[0] claims 13 elements, which is more than its bufferView has"),
        ("/accessors/0/byteOffset", json!(huge), "accessors[0] claims 12 elements"),
        ("/accessors/0/byteOffset", json!(1), "accessors[0] claims 12 elements"),
        ("/accessors/0/type", json!("VEC2"), "accessors[0] is \"VEC2\", but must be VEC3"),
        ("/accessors/0/componentType", json!(5125), "accessors[0] has positions of an unknown type"),
        ("/accessors/1/componentType", json!(5126), "accessors[1] claims 12 elements"),
        ("/accessors/0/sparse", json!({}), "accessors[0] is sparse"),
        ("/accessors/0/bufferView", json!(null), "accessors[0] has no bufferView"),
        ("/accessors/0/bufferView", json!(5), "accessors[0] has a bufferView that is not there"),
        ("/bufferViews/0/byteOffset", json!(huge), "accessors[0] has a bufferView that is longer than its buffer"),
        ("/bufferViews/0/byteLength", json!(huge), "accessors[0] has a bufferView that is longer than its buffer"),
        ("/bufferViews/0/byteStride", json!(4), "accessors[0] has a byteStride of 4, which must be from 12 to 252"),
        ("/bufferViews/0/buffer", json!(1), "accessors[0] has a buffer that is not there"),
        ("/buffers/0/byteLength", json!(169), "buffers[0]: it claims 169 bytes, but has 168"),
        ("/buffers/0/uri", json!("data:;base64,A!"), "buffers[0]: its data are not in base64"),
        ("/buffers/0/uri", json!(null), "buffers[0]: it has neither a uri nor a chunk BIN"),
        (
            "/buffers/0/uri",
            json!("http://example.com/a.bin"),
            "buffers[0]: the uri \"http://example.com/a.bin\" is no path",
        ),
        (
            "/buffers/0/uri",
            json!("part.bin"),
            "buffers[0]: part.bin cannot be found because this text was not read from a folder",
        ),
        ("/meshes/0/primitives/0/indices", json!(5), "meshes[0].primitives[0]: accessors[5] is not there"),
        ("/bufferViews/1/byteOffset", json!(140), "accessors[1] names a vertex that is not there"),
        ("/accessors/1/count", json!(11), "11 corners do not make whole triangles"),
        ("/nodes", json!(7), "part.gltf, line "),
    ] {
        let result = parse(&with(path, value.clone()));
        if sentence.is_empty() {
            // Large, but a number.
            assert!(result.is_ok(), "{result:?}");
            continue;
        }
        let message = result.err().unwrap_or_else(|| panic!("{path} = {value} is accepted"));
        assert!(message.starts_with("part.gltf") && message.contains(sentence), "{path} = {value}: {message}");
    }
    let text = "{\"asset\": {\"version\": \"2.0\"},\n \"nodes\": [";
    let message = MeshFile::parse(text.as_bytes(), "part.gltf", &Folder::none()).unwrap_err().to_string();
    assert_eq!(
        message,
        "part.gltf, line 2, column 11: this is no glTF text (EOF while parsing a list); it is cut off, export it again"
    );
}

#[test]
fn binary_files_are_held_against_their_size() {
    let whole = binary(&with("/buffers/0", json!({"byteLength": 168})), Some(&data()));
    let message = |bytes: &[u8]| MeshFile::parse(bytes, "part.glb", &Folder::none()).unwrap_err().to_string();
    for cut in 0..whole.len() {
        message(&whole[..cut]);
    }
    let changed = |at: usize, value: u32| [&whole[..at], &value.to_le_bytes(), &whole[at + 4..]].concat();
    assert!(message(&changed(4, 1)).starts_with("part.glb, byte 4: this is version 1 of binary glTF"));
    assert!(message(&changed(8, 5)).starts_with("part.glb, byte 8: the head claims 5 bytes, but the file has"));
    assert!(message(&changed(12, u32::MAX)).starts_with("part.glb, byte 12: there is no whole chunk JSON"));
    let text = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    assert!(message(&changed(20 + text, u32::MAX)).contains(": there is no whole chunk BIN here"));
    assert_eq!(message(b"{\"asset\": 1}"), "part.glb: this is JSON text; export the part as OBJ or STL");
    let text = MeshFile::parse(&whole, "part.gltf", &Folder::none()).unwrap_err().to_string();
    assert_eq!(text, "part.gltf: this is a binary glTF file; give the file the ending .glb");
}

#[test]
fn repetition_is_bounded() {
    // A million meshes of one accessor.
    let mesh = document()["meshes"][0].clone();
    let primitive = mesh["primitives"][0].clone();
    let mut many = with("/meshes/0/primitives", vec![primitive; 1000].into());
    assert_eq!(parse(&many).unwrap().bodies[0].surface.triangles.len(), 4000);
    // Scaled, each is a copy; the same mesh as it is takes nothing.
    let node = |scale: f64| json!({"mesh": 0, "scale": [scale, 1, 1]});
    many["nodes"] = vec![node(1.0); 3000].into();
    assert_eq!(parse(&many).unwrap().bodies.len(), 3000);
    many["nodes"] = vec![node(2.0); 3000].into();
    assert!(parse(&many).unwrap_err().contains("the file repeats its parts too often"));
}
