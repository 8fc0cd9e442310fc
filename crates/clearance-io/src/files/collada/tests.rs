use crate::{Folder, MeshFile, Unit};
use clearance::Axis;
use clearance::math::DVec3;
use std::sync::Arc;

/// A tetrahedron whose corners each have a normal, and two nodes that show it.
const PART: &str = r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries>
  <geometry id="g" name="tetra"><mesh>
   <source id="p"><float_array id="pa" count="15">0 0 0 1 0 0 0 1 0 0 0 1 0 0 0</float_array>
    <technique_common><accessor source="#pa" count="5" stride="3">
     <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor></technique_common></source>
   <source id="n"><float_array id="na" count="3">odd 0 1</float_array></source>
   <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
   FACES
  </mesh></geometry>
 </library_geometries>
 <library_visual_scenes><visual_scene id="s">
  <node id="one" name="arm"><translate>0 0 5</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/>
   <node id="inner"><matrix>2 0 0 1 0 2 0 0 0 0 2 0 0 0 0 1</matrix><instance_geometry url="#g"/></node>
  </node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"##;

const TRIANGLES: &str = r##"<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
 <p>0 0 2 0 1 0  0 0 1 0 3 0  1 0 2 0 3 0  2 0 4 0 3 0</p></triangles>"##;

fn parse(text: &str) -> Result<MeshFile, String> {
    MeshFile::parse(text.as_bytes(), "part.dae", &Folder::none()).map_err(|error| error.to_string())
}

fn with(faces: &str) -> Result<MeshFile, String> {
    parse(&PART.replace("FACES", faces))
}

#[test]
fn nodes_place_geometries_in_the_unit_of_the_file() {
    let file = with(TRIANGLES).unwrap();
    assert_eq!((file.unit, file.up, file.notes.len()), (Some(Unit::Centimetre), Some(Axis::Z), 0));
    let names: Vec<_> = file.bodies.iter().map(|body| body.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["arm", "inner"]);
    let [arm, inner] = &file.bodies[..] else { panic!() };
    // The corner that is written twice is one vertex, so that the tetrahedron is closed.
    assert_eq!(arm.surface.triangles, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    assert!(file.shapes().unwrap()[0].as_mesh().unwrap().is_solid());
    let corner = arm.pose.transform_point(arm.surface.vertices[1]);
    assert!((corner - DVec3::new(0.0, 1.0, 5.0)).length() < 1e-15, "{corner}");
    // First scaled and moved by (1, 0, 0), then turned and lifted as the outer node.
    let corner = inner.pose.transform_point(inner.surface.vertices[1]);
    assert!((corner - DVec3::new(0.0, 3.0, 5.0)).length() < 1e-15, "{corner}");
    assert!(!Arc::ptr_eq(&arm.surface, &inner.surface));
}

#[test]
fn every_list_of_faces_is_read() {
    let input = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    let list = format!("<polylist>{input}<vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 1 2 3 2 0 3</p></polylist>");
    let polygons = format!("<polygons>{input}<p>0 2 1</p><p>0 1 3</p><p>1 2 3</p><p>2 0 3</p></polygons>");
    let strips = format!("<tristrips>{input}<p>0 2 1 3</p></tristrips><trifans>{input}<p>3 2 0 1</p></trifans>");
    for faces in [list, polygons, strips] {
        let file = with(&faces).unwrap();
        assert!(file.shapes().unwrap()[0].as_mesh().unwrap().is_solid(), "{faces}");
    }
    let lines = format!("{TRIANGLES}<lines>{input}<p>0 1</p></lines>");
    assert_eq!(with(&lines).unwrap().skipped, 1);
}

#[test]
fn a_file_whose_scene_shows_nothing_is_a_library() {
    for scene in ["<scene/>", "<scene><instance_visual_scene url=\"#s\"/></scene>"] {
        let text = PART.replace("<instance_geometry url=\"#g\"/>", "").replace("FACES", TRIANGLES);
        let file = parse(&text.replace("<scene><instance_visual_scene url=\"#s\"/></scene>", scene)).unwrap();
        assert_eq!(file.bodies.len(), 1);
        assert_eq!(file.bodies[0].name.as_deref(), Some("tetra"));
        assert!(file.notes[0].starts_with("part.dae: no scene places the geometries"), "{:?}", file.notes);
    }
}

#[test]
fn damage_is_named_by_its_line() {
    let refused = |from: &str, to: &str| {
        let text = PART.replace("FACES", TRIANGLES);
        assert!(text.contains(from), "{from}");
        parse(&text.replace(from, to)).unwrap_err()
    };
    for (from, to, sentence) in [
        ("meter=\"0.01\"", "meter=\"-1\"", "part.dae, line 3: the unit needs a number of metres above 0"),
        ("Z_UP", "W_UP", "part.dae, line 3: up_axis is \"W_UP\""),
        ("count=\"15\"", "count=\"18\"", "part.dae, line 12: a list of positions claims 18 numbers, but has 15"),
        ("0 0 1 0 0 0<", "0 0 1 0 0 nan<", "part.dae, line 6: a coordinate is not a finite number"),
        ("2 0 4 0 3 0<", "2 0 9 0 3 0<", "part.dae, line 13: \"9\" is no vertex; there are 5"),
        ("2 0 4 0 3 0<", "2 0 4 0 3<", "part.dae, line 13: the corners of a face are not whole"),
        ("2 0 4 0 3 0<", "2 0 4 0<", "part.dae, line 12: the corners do not make whole triangles"),
        ("url=\"#g\"", "url=\"other.dae#g\"", "part.dae, line 17: \"other.dae#g\" is in another file"),
        ("url=\"#g\"", "url=\"#h\"", "part.dae, line 17: the geometry \"h\" is not there"),
        ("url=\"#s\"", "url=\"#t\"", "part.dae, line 21: the scene \"t\" is not there"),
        ("<rotate>0 0 1 90", "<rotate>0 0 0 90", "part.dae, line 17: a rotation has an axis without a direction"),
        ("</COLLADA>", "", "part.dae, line 23: the text is cut off"),
        ("0 0 1 0 0 0<", "0 0 1&#48; 0 0<", "part.dae, line 6: an entity such as &#48; stands among numbers"),
        ("0 0 1 0 0 0<", "0 0 1<!-- -->0 0 0<", "part.dae, line 6: a comment interrupts a number"),
        ("2 0 4 0 3 0<", "2 0 4 &one; 3 0<", "part.dae, line 13: an entity such as &#48; stands among numbers"),
        ("<COLLADA", "<!DOCTYPE x><COLLADA", "part.dae, line 2: a DOCTYPE is not read"),
        ("<instance_geometry url=\"#g\"/></node>", "<instance_node url=\"#one\"/></node>", "part.dae, line "),
    ] {
        let message = refused(from, to);
        assert!(message.starts_with(sentence), "{message}");
        assert!(!message.contains('\n'));
    }
    assert!(parse("solid part\n").unwrap_err().starts_with("part.dae"));
    assert!(parse("<kml></kml>").unwrap_err().contains("begins with the element COLLADA"));
}

/// Comments between numbers and entities in other texts are read.
#[test]
fn comments_and_entities_elsewhere_do_no_harm() {
    let text = PART.replace("FACES", TRIANGLES).replace("0 0 1 0 0 0<", "0 0 <!-- the last -->1 <![CDATA[0 0]]> 0<");
    let text = text.replace("<asset>", "<asset><contributor><author>A &amp; B &#48;</author></contributor>");
    assert_eq!(parse(&text).unwrap(), with(TRIANGLES).unwrap());
}

/// Files of one long line with many elements, and instances of one geometry in one node.
#[test]
fn many_elements_take_time_in_proportion() {
    let one = "<instance_geometry url=\"#g\"/>";
    let long = |nodes: &str| parse(&PART.replace("FACES", TRIANGLES).replacen(one, nodes, 1));
    assert_eq!(long(&format!("{}{one}", "<node/>".repeat(100_000))).unwrap().bodies.len(), 2);
    assert_eq!(long(&format!("{}{one}{}", "<node>".repeat(30_000), "</node>".repeat(30_000))).unwrap().bodies.len(), 2);
    assert!(long(&one.repeat(70_000)).unwrap_err().contains("more than 65536 instances"));
}

/// Any piece of a file, and any byte of it changed, is read or refused.
#[test]
fn damaged_files_do_no_harm() {
    let text = PART.replace("FACES", TRIANGLES).into_bytes();
    let mut rng = fastrand::Rng::with_seed(32);
    for _ in 0..3000 {
        let mut damaged = text.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..damaged.len());
            damaged[at] = *rng.choice(b"0129 -#<>/\"=.eEx\n\xff").unwrap();
        }
        damaged.truncate(if rng.bool() { rng.usize(..damaged.len()) } else { usize::MAX });
        if let Err(error) = MeshFile::parse(&damaged, "part.dae", &Folder::none()) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
