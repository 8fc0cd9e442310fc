//! Mesh files of every format, damaged in every way: each is refused with one sentence or read as a mesh, soon.

use crate::formats::{glb, model, packed};
use clearance::math::DVec3;
use clearance_io::{Surface, write_obj, write_ply, write_stl};
use clearance_lab::fuzz::mesh;
use fastrand::Rng;

/// How many files are made of each sample.
fn rounds() -> usize {
    std::env::var("DAMAGED").map_or(8000, |number| number.parse().unwrap())
}

fn part() -> Surface {
    let corners = [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.25]].map(DVec3::from_array);
    Surface { vertices: corners.into(), triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }
}

/// Replaces numbers by those that programs stumble over, and spoils, moves, repeats and removes bytes.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const NUMBERS: [&str; 16] = [
        "0",
        "-1",
        "1",
        "3",
        "255",
        "65536",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "18446744073709551615",
        "1e999",
        "-1e-320",
        "nan",
        "0.5",
        "",
    ];
    for _ in 0..rng.usize(1..4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.usize(..bytes.len());
        let end = (at + rng.usize(1..40)).min(bytes.len());
        match rng.u8(..8) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << rng.u8(..8),
            2 => bytes[at] = rng.u8(..),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = rng.usize(..=bytes.len());
                bytes.splice(to..to, piece);
            }
            5 => {
                let word = rng.choice([0, 1, 255, 256, u32::MAX, u32::MAX - 11, 1 << 31]).unwrap().to_le_bytes();
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
            _ => {
                // From the place on, the first number in digits.
                let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else { continue };
                let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let number = rng.choice(NUMBERS).unwrap();
                bytes.splice(start..start + length, number.bytes());
            }
        }
    }
}

fn check(name: &str, sample: &[u8], seed: u64, finish: impl Fn(Vec<u8>) -> Vec<u8>) {
    let mut rng = Rng::with_seed(seed);
    assert!(mesh(name, &finish(sample.to_vec())), "the sample of {name} is refused");
    let mut read = 0;
    for _ in 0..rounds() {
        let mut bytes = sample.to_vec();
        damage(&mut rng, &mut bytes);
        read += usize::from(mesh(name, &finish(bytes)));
    }
    println!("{name}: {read} of {} are still read", rounds());
    assert!(read < rounds(), "{name}: nothing was damaged");
}

#[test]
fn text_formats() {
    let whole = |bytes| bytes;
    let mut text = Vec::new();
    write_obj(&mut text, [("part", &part())]).unwrap();
    text.extend(b"v 1 1 0\nf 1/1 2//2 5/3/3 -3\nf -1 -2 \\\n -3\nl 1 2\ng x\n");
    check("part.obj", &text, 1, whole);
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    check("part.stl", stl.repeat(2).as_bytes(), 2, whole);
    let off = "COFF\n4 2 0\n0 0 0 1\n1 0 0 255 0 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 2 1 0.5 # x\n";
    check("part.off", off.as_bytes(), 3, whole);
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
               property list int short more\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
               0 0 0 1 7\n1 0 0 0\n1 1 0 2 1 1\n0 1 0 0\n4 0 1 2 3\n3 0 2 1\n";
    check("part.ply", ply.as_bytes(), 4, whole);
}

#[test]
fn binary_formats() {
    let whole = |bytes| bytes;
    let mut bytes = Vec::new();
    write_stl(&mut bytes, &part()).unwrap();
    check("part.stl", &bytes, 5, whole);
    bytes.clear();
    write_ply(&mut bytes, &part()).unwrap();
    check("part.ply", &bytes, 6, whole);
    // Its head says the other order of bytes, so that counts are huge.
    let big = String::from_utf8_lossy(&bytes[..30]).replace("little", "big");
    mesh("part.ply", &[big.as_bytes(), &bytes[30..]].concat());
}

const GLTF: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"children": [1, 2], "translation": [1, 2, 3]}, {"mesh": 0, "rotation": [0, 0, 0.5, 0.5]},
  {"mesh": 0, "scale": [1, 2, -1], "name": "x"}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 5}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "byteOffset": 0},
  {"bufferView": 1, "componentType": 5121, "count": 4, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 36, "byteStride": 12}, {"buffer": 0, "byteOffset": 36, "byteLength": 4}],
 "buffers": [{"byteLength": 40URI}]}"#;

#[test]
fn gltf() {
    let data = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5_f32]].into_iter().flatten().flat_map(f32::to_le_bytes);
    let data: Vec<u8> = data.chain([0, 1, 2, 0]).collect();
    let whole = |bytes| bytes;
    check("part.glb", &glb(&GLTF.replace("URI", ""), &data), 7, whole);
    let digits = format!("{}AACAPwAAAAAAAAAAAAAAAAAAgD8AAAA/AAECAA==", "A".repeat(16));
    let text = GLTF.replace("URI", &format!(", \"uri\": \"data:;base64,{digits}\""));
    check("part.gltf", text.as_bytes(), 8, whole);
    // The text alone, in a binary file that is right.
    let text = GLTF.replace("URI", "");
    check("part.glb", text.as_bytes(), 9, |bytes| glb(&String::from_utf8_lossy(&bytes), &data));
}

#[test]
fn three_mf() {
    let text = model(&mut Rng::with_seed(1), &part());
    check("part.3mf", &packed(&text), 10, |bytes| bytes);
    let text = text.replace(
        "</object>",
        "</object><object id=\"8\"><components><component objectid=\"7\" transform=\"1 0 0 0 2 0 0 0 1 0 0 5\"/>\
         <component objectid=\"7\"/></components></object>",
    );
    let text = text.replace("</build>", "<item objectid=\"8\"/></build>");
    check("part.3mf", text.as_bytes(), 11, |bytes| packed(&String::from_utf8_lossy(&bytes)));
}
