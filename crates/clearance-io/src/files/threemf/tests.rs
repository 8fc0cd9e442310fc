use crate::{Folder, MeshFile, Unit};
use clearance::Pose;
use clearance::math::DVec3;
use std::io::{Cursor, Write};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const RELS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/3D/thumbnail.png" Id="a" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>
<Relationship Target="/3D/3dmodel.model" Id="b" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;

const MODEL: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p">
 <metadata name="Title">a &amp; b</metadata>
 <resources>
  <basematerials id="5"><base name="red" displaycolor="#FF0000"/></basematerials>
  <object id="1" name="tetrahedron &lt;1&gt;" type="model">
   <mesh>
    <vertices>
     <vertex x="0" y="0" z="0"/>
     <vertex x="1" y="0" z="0"/>
     <vertex x="0" y="1e0" z="0"/>
     <vertex x="0" y="0" z="0.1"/>
    </vertices>
    <triangles>
     <triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3" pid="5"/>
     <triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/>
    </triangles>
   </mesh>
  </object>
  <object id="2" name="assembly">
   <components>
    <component objectid="1"/>
    <component objectid="1" transform="0 1 0 -1 0 0 0 0 1 10 20 30"/>
   </components>
  </object>
 </resources>
 <build>
  <item objectid="2" transform="1 0 0 0 1 0 0 0 1 5 0 0"/>
  <item objectid="1"/>
 </build>
</model>
"##;

fn archive(parts: &[(&str, &str)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn packed(model: &str) -> Vec<u8> {
    archive(&[("_rels/.rels", RELS), ("3D/3dmodel.model", model)], CompressionMethod::Deflated)
}

fn parse(bytes: &[u8]) -> Result<MeshFile, String> {
    MeshFile::parse(bytes, "part.3mf", &Folder::none()).map_err(|error| error.to_string())
}

#[test]
fn items_and_components_become_bodies_in_the_unit_of_the_file() {
    let mesh = parse(&packed(MODEL)).unwrap();
    assert_eq!(mesh.unit, Some(Unit::Inch));
    let [moved, turned, plain] = &mesh.bodies[..] else { panic!("{mesh:?}") };
    assert_eq!(plain.name.as_deref(), Some("tetrahedron <1>"));
    assert_eq!(plain.surface.vertices[3], DVec3::new(0.0, 0.0, 0.1));
    assert_eq!(plain.surface.triangles, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    assert!(Arc::ptr_eq(&moved.surface, &plain.surface));
    assert_eq!([moved.pose, plain.pose], [Pose::from_translation([5.0, 0.0, 0.0]), Pose::IDENTITY]);
    // Rows are multiplied by the matrix: x goes to y, and y to -x.
    assert_eq!(turned.surface.vertices[1..3], [DVec3::Y, -DVec3::X]);
    assert_eq!(turned.pose, Pose::from_translation([15.0, 20.0, 30.0]));
    let stored = archive(&[("_rels/.rels", RELS), ("3D/3dmodel.model", MODEL)], CompressionMethod::Stored);
    assert_eq!(parse(&stored).unwrap(), mesh);
    let plain = MODEL.replace(" unit=\"inch\"", "");
    assert_eq!(parse(&packed(&plain)).unwrap().unit, Some(Unit::Millimetre));
}

#[test]
fn objects_in_other_parts_of_the_archive_are_found() {
    let other = MODEL.replace("<item objectid=\"1\"/>", "");
    let root = MODEL
        .replace("<component objectid=\"1\"/>", "<component objectid=\"1\" p:path=\"/3D/more/other.model\"/>")
        .replace("<item objectid=\"1\"/>", "<item objectid=\"2\" p:path=\"/3D/more/other.model\"/>");
    let parts = [("_rels/.rels", RELS), ("3D/3dmodel.model", &root), ("3D/more/other.model", &other)];
    let mesh = parse(&archive(&parts, CompressionMethod::Deflated)).unwrap();
    assert_eq!(mesh.bodies.len(), 4);
    let message = parse(&archive(&parts[..2], CompressionMethod::Deflated)).unwrap_err();
    assert_eq!(message, "part.3mf: the archive has no part \"3D/more/other.model\"; export the file again");
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (from, to, sentence) in [
        ("unit=\"inch\"", "unit=\"furlong\"", "3dmodel.model, line 2: \"furlong\" is no unit of length"),
        (
            "production/2015/06",
            "beamlattice/2017/02",
            "line 2: the extension \"http://schemas.microsoft.com/3dmanufacturing/beamlattice/201\"… is required",
        ),
        ("<triangles>", "<beamlattice/><triangles>", "line 15: a beamlattice is not read"),
        ("x=\"1\"", "x=\"one\"", "line 11: x is \"one\", which is no such number"),
        ("x=\"1\"", "x=\"inf\"", "line 11: a coordinate is not a finite number"),
        ("x=\"1\"", "", "line 11: x is missing"),
        ("x=\"1\"", "x=\"1\" x=\"2\"", "line 11: x is given twice"),
        ("x=\"1\"", "x=1", "line 11: an attribute is malformed"),
        ("x=\"1\"", "x=\"&one;\"", "line 11: the value of x is malformed"),
        ("v3=\"1\"", "v3=\"4\"", "object 1: triangle 0 (counted from 0) names a vertex that is not there"),
        ("v3=\"1\"", "v3=\"-1\"", "line 16: v3 is \"-1\", which is no such number"),
        ("<object id=\"2\"", "<object id=\"1\"", "line 21: there are two objects 1"),
        ("transform=\"0 1 0", "transform=\"0 1", "line 24: a transform needs 12 numbers"),
        ("<component objectid=\"1\"/>", "<component objectid=\"9\"/>", "3D/3dmodel.model: object 9 is not there"),
        (
            "<component objectid=\"1\"/>",
            "<component objectid=\"2\"/>",
            "more than 65536 instances, or an object is inside itself",
        ),
        ("</mesh>", "</mash>", "line 19: this is no XML"),
        ("</model>", "", "line 33: the text is cut off"),
        ("<model", "<!DOCTYPE model [<!ENTITY a \"b\">]><model", "line 2: a DOCTYPE is not read"),
        ("<build>", "<build><!--", "this is no XML"),
    ] {
        let message = parse(&packed(&MODEL.replacen(from, to, 1))).err();
        let message = message.unwrap_or_else(|| panic!("{from} -> {to} is accepted"));
        assert!(message.starts_with("part.3mf: ") && message.contains(sentence), "{from} -> {to}: {message}");
    }
    let empty = MODEL
        .replace("<item objectid=\"1\"/>", "")
        .replace("<item objectid=\"2\" transform=\"1 0 0 0 1 0 0 0 1 5 0 0\"/>", "");
    assert_eq!(
        parse(&packed(&empty)).unwrap_err(),
        "part.3mf: the file holds no triangles; export it again with its faces, or take the hull of its points"
    );
    assert_eq!(
        parse(b"solid part").unwrap_err(),
        "part.3mf: this is no zip archive, which 3MF files are; export it again"
    );
    let nameless = archive(&[("_rels/.rels", "<Relationships/>")], CompressionMethod::Deflated);
    assert_eq!(
        parse(&nameless).unwrap_err(),
        "part.3mf: _rels/.rels, line 1: no 3D model is named; export the file again"
    );
    let bare = archive(&[("3D/3dmodel.model", MODEL)], CompressionMethod::Deflated);
    assert_eq!(parse(&bare).unwrap_err(), "part.3mf: the archive has no part \"_rels/.rels\"; export the file again");
}

#[test]
fn an_archive_that_bursts_is_bounded() {
    // 100 MB of blanks in 100 kB.
    let blanks = MODEL.replace("<build>", &format!("<build>{}", " ".repeat(100_000_000)));
    let message = parse(&packed(&blanks)).unwrap_err();
    assert_eq!(
        message,
        "part.3mf: the part \"3D/3dmodel.model\" is 64 times as large as the archive; it was made to burst"
    );
    // Objects of objects: 2^30 tetrahedra in a few lines.
    let mut objects = String::new();
    for id in 3..33 {
        let inner = id - 1;
        objects += &format!(
            "<object id=\"{id}\"><components><component objectid=\"{inner}\"/><component objectid=\"{inner}\"/></components></object>\n"
        );
    }
    let laughs = MODEL
        .replace("</resources>", &format!("{objects}</resources>"))
        .replace("<item objectid=\"1\"/>", "<item objectid=\"32\"/>");
    assert!(parse(&packed(&laughs)).unwrap_err().contains("more than 65536 instances"));
}

/// A kilobyte of archive that names one extension eight million times: each must not be looked up by a walk over all attributes.
#[test]
fn required_extensions_take_one_pass() {
    let many = MODEL.replace("requiredextensions=\"p\"", &format!("requiredextensions=\"{}\"", "p ".repeat(8_000_000)));
    let bytes = packed(&many);
    assert!(bytes.len() < 40_000, "{}", bytes.len());
    let start = std::time::Instant::now();
    assert!(parse(&bytes).is_ok());
    assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
    let twice = MODEL.replace("requiredextensions", "xmlns:p=\"\" requiredextensions");
    assert!(parse(&packed(&twice)).unwrap_err().contains("line 2: xmlns:p is given twice"));
}

#[test]
fn an_archive_is_refused_wherever_it_is_cut() {
    let bytes = packed(MODEL);
    for cut in 0..bytes.len() {
        assert!(parse(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}
