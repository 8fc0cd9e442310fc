use super::*;

/// A square in every encoding, with properties and elements that are no part of it.
fn file(format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nobj_info none\nelement edge 1\nproperty int vertex1\n\
         property list uchar short more\nelement vertex 4\nproperty uchar red\nproperty float x\nproperty double y\n\
         property short z\nelement face 2\nproperty list uchar int vertex_indices\nproperty list ushort float texture\n\
         end_header\n"
    )
    .into_bytes();
    let is_big = match format {
        "ascii" => {
            bytes.extend(b"7 2 -1 -2\n255 0 0 0\n255 2 0 0\n\n0 2 2.5 7\n1 0 2.5 7\n4 0 1 2 3 0\n3 0 2 1 1 0.5\n");
            return bytes;
        }
        "binary_big_endian" => true,
        _ => false,
    };
    let mut put = |mut number: Vec<u8>| {
        if is_big {
            number.reverse();
        }
        bytes.extend(number);
    };
    put(7_i32.to_le_bytes().into());
    put(vec![2]);
    put((-1_i16).to_le_bytes().into());
    put((-2_i16).to_le_bytes().into());
    for (red, x, y, z) in [(255, 0.0_f32, 0.0_f64, 0_i16), (255, 2.0, 0.0, 0), (0, 2.0, 2.5, 7), (1, 0.0, 2.5, 7)] {
        put(vec![red]);
        put(x.to_le_bytes().into());
        put(y.to_le_bytes().into());
        put(z.to_le_bytes().into());
    }
    for (corners, texture) in [(&[0_i32, 1, 2, 3][..], &[][..]), (&[0, 2, 1], &[0.5_f32])] {
        put(vec![corners.len() as u8]);
        corners.iter().for_each(|corner| put(corner.to_le_bytes().into()));
        put((texture.len() as u16).to_le_bytes().into());
        texture.iter().for_each(|number| put(number.to_le_bytes().into()));
    }
    bytes
}

const ENCODINGS: [&str; 3] = ["ascii", "binary_little_endian", "binary_big_endian"];

fn message(bytes: &[u8]) -> String {
    read(bytes, "part.ply").unwrap_err().to_string()
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[test]
fn all_encodings_hold_the_same_square() {
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.5, 7.0], [0.0, 2.5, 7.0]].map(DVec3::from_array);
    for encoding in ENCODINGS {
        let polygons = read(&file(encoding), "part.ply").unwrap();
        assert_eq!(polygons.vertices, corners, "{encoding}");
        let triangles = polygons.triangles("part.ply").unwrap();
        assert_eq!((triangles.triangles, triangles.skipped), (vec![[0, 1, 2], [0, 2, 3], [0, 2, 1]], 0), "{encoding}");
    }
}

#[test]
fn any_line_end_is_understood_and_none_is_guessed() {
    for end in ["\r\n", "\r"] {
        let text = String::from_utf8(file("ascii")).unwrap().replace('\n', end);
        assert_eq!(read(text.as_bytes(), "part.ply").unwrap().vertices.len(), 4);
        let file = file("binary_little_endian");
        let at = file.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
        let head = String::from_utf8(file[..at].to_vec()).unwrap().replace('\n', end);
        assert_eq!(read(&[head.as_bytes(), &file[at..]].concat(), "part.ply").unwrap().vertices.len(), 4);
    }
}

#[test]
fn digits_are_read_as_doubles_whatever_the_head_says() {
    let text = replaced(&file("ascii"), "255 2 0 0", "255 0.1 0 0");
    assert_eq!(read(&text, "part.ply").unwrap().vertices[1].x, 0.1);
}

#[test]
fn a_file_is_refused_wherever_it_is_cut() {
    for encoding in ENCODINGS {
        let file = file(encoding);
        // The last line end and the digit before it are no loss that could be seen.
        let last = file.len() - if encoding == "ascii" { 3 } else { 0 };
        for cut in 0..last {
            assert!(read(&file[..cut], "part.ply").is_err(), "{encoding} cut at {cut}");
        }
        assert!(read(&[&file[..], b"1"].concat(), "part.ply").is_err());
    }
}

#[test]
fn heads_cannot_claim_more_than_there_is() {
    for encoding in ENCODINGS {
        for count in ["4000000000", "18446744073709551615"] {
            for element in ["vertex 4", "face 2", "edge 1"] {
                let bytes =
                    replaced(&file(encoding), element, &format!("{} {count}", element.split(' ').next().unwrap()));
                let message = message(&bytes);
                assert!(message.contains(&format!("the head claims {count}")), "{encoding}: {message}");
            }
        }
    }
    // Elements of nothing take no time.
    let empty = replaced(
        &file("binary_little_endian"),
        "element edge 1\n",
        "element nothing 18446744073709551615\nelement edge 1\n",
    );
    assert_eq!(read(&empty, "part.ply").unwrap().vertices.len(), 4);
    let long = replaced(&file("binary_little_endian"), "list uchar short more", "list uint short more");
    assert!(message(&long).contains("entries, but"), "{}", message(&long));
}

/// Strips as in scans of Stanford: one list, in which -1 ends a strip, and a corner twice leads to the next one.
#[test]
fn strips_are_triangles() {
    let head = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
             element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        )
    };
    let corners = [0_i32, 1, 2, 3, 3, 0, -1, 1, 0, 3];
    let triangles = [[0, 1, 2], [2, 1, 3], [1, 0, 3]];
    let places = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut text = head("ascii");
    for [x, y, z] in places {
        text += &format!("{x} {y} {z}\n");
    }
    let list: Vec<String> = corners.iter().map(i32::to_string).collect();
    text += &format!("{} {}\n", corners.len(), list.join(" "));
    let mut binary = head("binary_little_endian").into_bytes();
    binary.extend(places.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    binary.extend((corners.len() as i32).to_le_bytes());
    binary.extend(corners.iter().flat_map(|corner| corner.to_le_bytes()));
    for bytes in [text.as_bytes(), &binary] {
        let polygons = read(bytes, "part.ply").unwrap();
        assert_eq!(polygons.triangles("part.ply").unwrap().triangles, triangles);
    }
    assert!(message(text.replace("1 0 3\n", "1 0 9\n").as_bytes()).contains("names a vertex that is not there"));
    assert!(message(text.replace(" -1 ", " -2 ").as_bytes()).contains("a face needs whole numbers"));
    let beyond = binary.iter().copied().chain([7]).collect::<Vec<_>>();
    assert!(message(&beyond).contains("1 byte follows what the head counts"));
}

#[test]
fn damage_is_named_by_its_place() {
    let text = file("ascii");
    for (from, to, sentence) in [
        ("ply\n", "plY\n", "line 1: a PLY file begins with a line `ply`"),
        ("ascii", "utf8", "line 2: the format must be ascii"),
        ("format ascii 1.0\n", "", "line 15: the head has no line `format`"),
        ("comment", "remark", "line 3: \"remark\" is not expected in the head"),
        ("edge 1", "edge one", "line 5: an element needs a name and a whole number"),
        ("element edge", "property float x\nelement edge", "line 5: a property stands before the first element"),
        ("edge 1", "tristrips 1", "line 16: the triangle strips have no list `vertex_indices`"),
        ("edge 1", "vertex 1", "line 8: there are two elements \"vertex\""),
        ("float x", "list uchar float x", "line 10: the property \"x\" cannot have this type"),
        ("float x", "real x", "line 10: a property needs a type"),
        ("double y", "double x", "line 11: there are two properties \"x\""),
        ("short z", "short zz", "line 16: the vertices have no property z"),
        ("uchar int vertex_indices", "uchar float vertex_indices", "line 14: the property \"vertex_indices\" cannot"),
        ("vertex_indices", "corners", "line 16: the faces have no list `vertex_indices`"),
        ("end_header", "end", "line 16: \"end\" is not expected"),
        ("element vertex", "element point", "line 16: the head has no `element vertex`"),
        ("255 0 0 0", "255 0 0", "line 18: this line has fewer numbers"),
        ("255 0 0 0", "255 0 0 0 0", "line 18: this line has more numbers"),
        ("255 0 0 0", "255 nan 0 0", "line 18: a coordinate is not a finite number"),
        ("255 0 0 0", "255 x 0 0", "line 18: \"x\" is no number"),
        ("255 0 0 0", "red 0 0 0", "line 18: \"red\" is no number"),
        (
            "4 0 1 2 3 0",
            "4 0 1 2 4 0",
            "line 23: a face names a vertex that is not there; the file has 4 vertices, counted from 0",
        ),
        ("4 0 1 2 3 0", "4 0 1 2 -3 0", "line 23: a face needs whole numbers"),
        ("4 0 1 2 3 0", "-4 0 1 2 3 0", "line 23: \"-4\" is no number of corners"),
        ("4 0 1 2 3 0", "4 0 2 1 3 0", ""),
    ] {
        let bytes = replaced(&text, from, to);
        if sentence.is_empty() {
            let crossed = read(&bytes, "part.ply").unwrap().triangles("part.ply").unwrap().crossed.unwrap().to_string();
            assert!(crossed.starts_with("part.ply, line 23: the edges of this face cross; it was cut"), "{crossed}");
        } else {
            assert!(message(&bytes).contains(sentence), "{from} -> {to}: {}", message(&bytes));
        }
    }
    let mut binary = file("binary_little_endian");
    let end = binary.len();
    binary[end - 10] = 9;
    assert_eq!(
        message(&binary),
        "part.ply: face 1 (counted from 0): a face names a vertex that is not there; the file has 4 vertices, counted from 0"
    );
    let data = binary.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    binary[data + 10..data + 14].copy_from_slice(&f32::NAN.to_le_bytes());
    let expected =
        format!("part.ply, byte {}: vertex 0 (counted from 0) has a coordinate that is not a finite", data + 9);
    assert!(message(&binary).starts_with(&expected), "{}", message(&binary));
}
