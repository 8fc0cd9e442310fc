use crate::{Folder, MeshFile};
use clearance::Axis;
use clearance::math::DVec3;
use std::sync::Arc;

/// A tetrahedron in two shapes, used twice.
const PART: &str = r#"#VRML V2.0 utf8
# A comment with { and "
WorldInfo { title "a # { title" info [ "one", "two" ] }
DEF Arm Transform {
  translation 0 0 5
  rotation 0 0 1 1.5707963267948966
  children [
    DEF Tetra Group { children [
      Shape {
        appearance Appearance { material Material { diffuseColor 1 0 0 } }
        geometry DEF Faces IndexedFaceSet {
          solid TRUE
          coord DEF Points Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }
          coordIndex [ 0, 2, 1, -1, 0 1 3 -1 ]
        }
      },
      Shape { geometry IndexedFaceSet { coord USE Points coordIndex [ 1 2 3 -1 2 0 3 ] } }
    ] }
    PointLight { location 1 2 3 }
  ]
}
DEF Big Transform { scale 2 2 2 center 1 0 0 children USE Tetra }
ROUTE Arm.translation TO Big.translation
"#;

fn parse(text: &str) -> Result<MeshFile, String> {
    MeshFile::parse(text.as_bytes(), "part.wrl", &Folder::none()).map_err(|error| error.to_string())
}

fn with_geometry(geometry: &str) -> Result<MeshFile, String> {
    parse(&format!("#VRML V2.0 utf8\nShape {{ geometry {geometry} }}\n"))
}

#[test]
fn groups_are_bodies_with_their_places() {
    let file = parse(PART).unwrap();
    assert_eq!((file.unit, file.up, file.notes.len()), (None, Some(Axis::Y), 0));
    let [arm, big] = &file.bodies[..] else { panic!("{:?}", file.bodies) };
    assert_eq!(arm.surface.triangles, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    assert!(file.shapes().unwrap().iter().all(|shape| shape.as_mesh().unwrap().is_solid()));
    let corner = arm.pose.transform_point(arm.surface.vertices[1]);
    assert!((corner - DVec3::new(0.0, 1.0, 5.0)).length() < 1e-15, "{corner}");
    // Twice as large about (1, 0, 0), which stays.
    let corner = big.pose.transform_point(big.surface.vertices[1]);
    assert_eq!(corner, DVec3::X);
    assert_eq!(big.pose.transform_point(big.surface.vertices[0]), -DVec3::X);
    assert!(!Arc::ptr_eq(&arm.surface, &big.surface));
}

#[test]
fn polyhedra_contain_the_solids_that_they_stand_for() {
    let cube = with_geometry("Box { size 1 2 3 }").unwrap();
    assert_eq!(cube.shape().unwrap().as_mesh().unwrap().volume(), 6.0);
    assert!(cube.notes.is_empty());
    use std::f64::consts::PI;
    let cases = [
        ("Sphere { radius 2 }", PI * 32.0 / 3.0),
        ("Cylinder { radius 2 height 3 }", PI * 12.0),
        ("Cone { bottomRadius 2 height 3 }", PI * 4.0),
    ];
    for (geometry, volume) in cases {
        let file = with_geometry(geometry).unwrap();
        assert!(file.notes[0].starts_with("part.wrl: 1 sphere, cylinder or cone is read"), "{:?}", file.notes);
        let shape = file.shape().unwrap();
        let mesh = shape.as_mesh().unwrap();
        assert!(mesh.is_solid() && !mesh.report().is_inside_out, "{geometry}");
        // 0.5 % in every direction is less than 1.6 % of the volume.
        assert!(mesh.volume() > volume && mesh.volume() < 1.016 * volume, "{geometry} {}", mesh.volume() / volume);
        if geometry.starts_with("Sphere") {
            for triangle in &file.bodies[0].surface.triangles {
                let [a, b, c] = triangle.map(|corner| file.bodies[0].surface.vertices[corner as usize]);
                let normal = (b - a).cross(c - a);
                assert!(normal == DVec3::ZERO || normal.normalize().dot(a) > 2.0, "{a} {b} {c}");
                assert!(a.length() < 2.0 * 1.005);
            }
        }
    }
}

#[test]
fn damage_is_named_by_its_line() {
    let refused = |from: &str, to: &str| {
        assert!(PART.contains(from), "{from}");
        parse(&PART.replace(from, to)).unwrap_err()
    };
    for (from, to, sentence) in [
        ("V2.0", "V1.0", "part.wrl, line 1: this is VRML 1.0"),
        ("#VRML", "VRML", "part.wrl, line 1: a VRML file begins with"),
        ("0 1 3 -1", "0 1 7 -1", "part.wrl, line 14: coordIndex has 7, but there are 4 points"),
        ("0 1 3 -1", "0 1 1e300 -1", "part.wrl, line 14: coordIndex has 1e300, but there are 4 points"),
        ("0 0 1 ]", "0 0 ]", "part.wrl, line 13: the coordinates do not make whole points"),
        ("translation 0 0 5", "translation 0 5", "part.wrl, line 5: translation needs 3 finite numbers"),
        ("USE Tetra", "USE Tetr", "part.wrl, line 22: no node is named"),
        ("PointLight {", "Inline {", "part.wrl, line 19: Inline names another file"),
        ("PointLight {", "Nurbs {", "part.wrl, line 19: the node \"Nurbs\" is not read"),
        (
            "geometry DEF Faces IndexedFaceSet",
            "geometry Extrusion",
            "part.wrl, line 11: the geometry \"Extrusion\" is not read",
        ),
        ("info [ \"one\", \"two\" ] }", "info [ \"one\", \"two ] }", "part.wrl, line "),
    ] {
        let message = refused(from, to);
        assert!(message.starts_with(sentence), "{message}");
        assert!(!message.contains('\n'));
    }
    let deep = format!("#VRML V2.0 utf8\n{}", "Group { children ".repeat(100_000));
    assert!(parse(&deep).unwrap_err().contains("nested more than 200 deep"));
}

/// A few lines that stand for a vast number of shapes.
#[test]
fn repetition_comes_to_an_end() {
    let mut text = String::from("#VRML V2.0 utf8\nDEF N0 Group { children Shape { geometry Box {} } }\n");
    for level in 1..40 {
        text += &format!("DEF N{level} Group {{ children [ USE N{0} USE N{0} ] }}\n", level - 1);
    }
    assert!(parse(&text).unwrap_err().contains("more than 65536 instances"));
    // Nodes without a surface take a step as well.
    let empty = format!("{} ] }}", "Fog {} ".repeat(100_000));
    let text = format!("#VRML V2.0 utf8\nDEF N Group {{ children [ {empty} {}", "USE N ".repeat(50_000));
    assert!(parse(&text).unwrap_err().contains("more than 65536 instances"));
}

/// Nodes are freed by recursion, so that chains of names are bounded like braces.
#[test]
fn chains_of_names_are_nested_nodes() {
    for kind in ["Group { children", "Fog { fogType"] {
        let mut text = String::from("#VRML V2.0 utf8\nDEF N0 Fog {}\n");
        for level in 1..100_000 {
            text += &format!("DEF N{level} {kind} USE N{} }}\n", level - 1);
        }
        assert!(parse(&text).unwrap_err().starts_with("part.wrl, line 203: nodes are nested more than 200 deep"));
    }
    // A file may have more nodes than that side by side, and its own kinds are found among any number of them.
    let kinds: String = (0..30_000).map(|kind| format!("PROTO K{kind} [] {{}} ")).collect();
    let text = format!("#VRML V2.0 utf8\n{kinds}\n{}Shape {{ geometry Box {{}} }}", "Fog {} ".repeat(100_000));
    assert_eq!(parse(&text).unwrap().bodies.len(), 1);
    assert!(parse(&format!("{text}\nK29999 {{}}")).unwrap_err().contains("\"K29999\" is a PROTO"));
}

/// Any piece of a file, and any byte of it changed, is read or refused.
#[test]
fn damaged_files_do_no_harm() {
    let mut rng = fastrand::Rng::with_seed(32);
    for _ in 0..3000 {
        let mut damaged = PART.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let at = 15 + rng.usize(..damaged.len() - 15);
            damaged[at] = *rng.choice(b"0129 -#{}[]\".eEx\n\xff\0").unwrap();
        }
        damaged.truncate(if rng.bool() { rng.usize(15..damaged.len()) } else { usize::MAX });
        if let Err(error) = MeshFile::parse(&damaged, "part.wrl", &Folder::none()) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
