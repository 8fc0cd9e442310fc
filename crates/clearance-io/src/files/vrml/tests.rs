use crate::{Folder, MeshFile};
use clearance::math::DVec3;
use clearance::{Axis, Shape};
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
    use std::f64::consts::PI;
    let cases = [
        ("Sphere { radius 2 }", PI * 32.0 / 3.0),
        ("Cylinder { radius 2 height 3 }", PI * 12.0),
        ("Cone { bottomRadius 2 height 3 }", PI * 4.0),
    ];
    for (geometry, volume) in cases {
        let file = with_geometry(geometry).unwrap();
        assert!(file.notes.is_empty(), "{:?}", file.notes);
        let surface = &file.bodies[0].surface;
        let shape = Shape::mesh(&surface.vertices, &surface.triangles).unwrap();
        let mesh = shape.as_mesh().unwrap();
        assert!(mesh.is_solid() && !mesh.report().is_inside_out, "{geometry}");
        // 0.5 % in every direction is less than 1.6 % of the volume.
        assert!(mesh.volume() > volume && mesh.volume() < 1.016 * volume, "{geometry} {}", mesh.volume() / volume);
        if geometry.starts_with("Sphere") {
            for triangle in &surface.triangles {
                let [a, b, c] = triangle.map(|corner| surface.vertices[corner as usize]);
                let normal = (b - a).cross(c - a);
                assert!(normal == DVec3::ZERO || normal.normalize().dot(a) > 2.0, "{a} {b} {c}");
                assert!(a.length() < 2.0 * 1.005);
            }
        }
    }
}

/// A square of side 2 in the plane of x and z.
const SQUARE: &str =
    "IndexedFaceSet { coord Coordinate { point [ -1 0 -1, 1 0 -1, 1 0 1, -1 0 1 ] } coordIndex [ 0 3 2 1 -1 ] }";

/// Thirty files, each with its kinds of shapes, and how far they reach along x, y and z.
#[test]
fn small_files_have_known_contents() {
    let shape = |geometry: &str| format!("Shape {{ geometry {geometry} }}");
    let moved = |fields: &str, children: &str| format!("Transform {{ {fields} children [ {children} ] }}");
    let unit = shape("Sphere {}");
    let half = std::f64::consts::FRAC_1_SQRT_2;
    #[rustfmt::skip]
    let cases: [(String, &[&str], [f64; 3]); 30] = [
        // Every geometry, with its sizes and without.
        (shape("Box { size 1 2 3 }"), &["cuboid"], [0.5, 1.0, 1.5]),
        (shape("Box {}"), &["cuboid"], [1.0; 3]),
        (shape("Sphere { radius 2 }"), &["sphere"], [2.0; 3]),
        (unit.clone(), &["sphere"], [1.0; 3]),
        (shape("Cylinder { radius 2 height 3 }"), &["cylinder"], [2.0, 1.5, 2.0]),
        (shape("Cylinder {}"), &["cylinder"], [1.0; 3]),
        (shape("Cone { bottomRadius 2 height 3 }"), &["cone"], [2.0, 1.5, 2.0]),
        (shape("Cone {}"), &["cone"], [1.0; 3]),
        (shape(SQUARE), &["mesh"], [1.0, 0.0, 1.0]),
        // Without one of its faces it is a surface.
        (shape("Cylinder { top FALSE }"), &["mesh"], [1.0, 1.0, 1.0]),
        (shape("Cone { bottom FALSE }"), &["mesh"], [1.0, 1.0, 1.0]),
        // Sizes of zero.
        (shape("Box { size 2 0 2 }"), &["cuboid"], [1.0, 0.0, 1.0]),
        (shape("Sphere { radius 0.001 }"), &["sphere"], [0.001; 3]),
        // Transforms.
        (moved("translation 1 2 3", &unit), &["sphere"], [2.0, 3.0, 4.0]),
        (moved("rotation 0 0 1 1.5707963267948966", &shape("Box { size 1 2 3 }")), &["cuboid"], [1.0, 0.5, 1.5]),
        (moved("rotation 1 0 0 1.5707963267948966", &shape("Cylinder { height 6 }")), &["cylinder"], [1.0, 1.0, 3.0]),
        (moved("scale 2 2 2", &unit), &["affine"], [2.0; 3]),
        (moved("scale 1 2 3", &unit), &["affine"], [1.0, 2.0, 3.0]),
        (moved("scale 1 2 3", &shape("Box {}")), &["affine"], [1.0, 2.0, 3.0]),
        (moved("scale 3 1 1 scaleOrientation 0 0 1 1.5707963267948966", &unit), &["affine"], [1.0, 3.0, 1.0]),
        // An ellipsoid of radii 3 and 1 that is turned by 45 degrees: the root of half the sum of their squares.
        (moved("scale 3 1 1 scaleOrientation 0 0 1 0.7853981633974483", &unit), &["affine"], [10.0_f64.sqrt() * half, 10.0_f64.sqrt() * half, 1.0]),
        (moved("center 1 0 0 scale 2 2 2", &unit), &["affine"], [1.0, 2.0, 2.0]),
        (moved("scale -1 1 1 translation 1 0 0", &shape("Cone {}")), &["affine"], [2.0, 1.0, 1.0]),
        (moved("translation 1 0 0", &moved("scale 1 2 1", &moved("translation 0 1 0", &unit))), &["affine"], [2.0, 4.0, 1.0]),
        // Groups and names.
        (format!("Group {{ children [ {unit} {} ] }}", shape("Box { size 4 1 1 }")), &["sphere", "cuboid"], [2.0, 1.0, 1.0]),
        (format!("Group {{ children [ {} {unit} ] }}", shape(SQUARE)), &["mesh", "sphere"], [1.0; 3]),
        (format!("DEF A {unit} {}", moved("translation 3 0 0", "USE A")), &["sphere", "sphere"], [4.0, 1.0, 1.0]),
        (format!("Anchor {{ children {unit} }} Collision {{ children {} }}", shape("Box {}")), &["sphere", "cuboid"], [1.0; 3]),
        (format!("Switch {{ whichChoice 1 choice [ {} {unit} ] }}", shape("Box { size 9 9 9 }")), &["sphere"], [1.0; 3]),
        (format!("LOD {{ level [ {unit} {} ] }} PointLight {{}} {}", shape("Box { size 9 9 9 }"), shape("PointSet {}")), &["sphere"], [1.0; 3]),
    ];
    for (text, kinds, reach) in &cases {
        let file = parse(&format!("#VRML V2.0 utf8\n{text}")).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut found = Vec::new();
        let mut corner = DVec3::splat(f64::NEG_INFINITY);
        for body in &file.bodies {
            let shape = body.shape().unwrap();
            corner = corner.max(shape.aabb(&body.pose).max);
            match &shape {
                Shape::Compound(compound) => found.extend(compound.parts().iter().map(|part| part.shape.kind())),
                shape => found.push(shape.kind()),
            }
            // The polyhedron around it is no smaller, and not much larger; and evidence is about the same kind.
            let surface = Shape::mesh(&body.surface.vertices, &body.surface.triangles).unwrap().aabb(&body.pose);
            let own = shape.aabb(&body.pose);
            assert!((surface.max - own.max).abs().max_element() < 0.02 * (1.0 + own.max.abs().max_element()), "{text}");
            let written = serde_json::to_string(&body.written()).unwrap();
            assert!(
                written.contains(if shape.kind() == "compound" { "cuboid" } else { shape.kind() })
                    || found.contains(&"mesh"),
                "{written}"
            );
        }
        assert_eq!(&found[..], *kinds, "{text}");
        // Open cylinders and cones are polyhedra around them.
        let slack = if text.contains("FALSE") { 2e-3 } else { 1e-12 };
        let off = (corner - DVec3::from_array(*reach)).abs().max_element();
        assert!(off < slack, "{text}: {corner} instead of {reach:?}");
        // Twice as large.
        let twice = file.scaled(2.0).unwrap();
        for (body, large) in file.bodies.iter().zip(&twice.bodies) {
            let [own, scaled] = [body, large].map(|body| body.shape().unwrap().aabb(&body.pose).max);
            assert!((scaled - 2.0 * own).abs().max_element() < 1e-12, "{text}");
        }
    }
}

/// Nodes without a surface are passed over, geometries without one are skipped, and what has no meaning here is refused by name.
#[test]
fn every_kind_of_node_has_its_answer() {
    let ball = "Shape { geometry Sphere {} }";
    let file = |nodes: &str| parse(&format!("#VRML V2.0 utf8\n{nodes} {ball}"));
    for kind in [
        "WorldInfo",
        "NavigationInfo",
        "Viewpoint",
        "Background",
        "Fog",
        "Script",
        "Sound",
        "AudioClip",
        "TimeSensor",
        "PointLight",
        "DirectionalLight",
        "SpotLight",
        "TouchSensor",
        "ProximitySensor",
        "PositionInterpolator",
        "OrientationInterpolator",
    ] {
        let nodes = format!("{kind} {{}} Group {{ children [ {kind} {{}} ] }}");
        assert_eq!(file(&nodes).unwrap().bodies.len(), 1, "{kind}");
    }
    for kind in ["IndexedLineSet", "PointSet", "Text"] {
        assert_eq!(file(&format!("Shape {{ geometry {kind} {{}} }}")).unwrap().bodies.len(), 1, "{kind}");
    }
    for (nodes, sentence) in [
        ("Inline { url \"a.wrl\" }", "part.wrl, line 2: Inline names another file"),
        ("Billboard { children [ ] }", "part.wrl, line 2: a Billboard turns"),
        ("Shape { geometry Extrusion {} }", "part.wrl, line 2: the geometry \"Extrusion\" is not read"),
        ("Shape { geometry ElevationGrid {} }", "part.wrl, line 2: the geometry \"ElevationGrid\" is not read"),
        ("PROTO P [] { Group {} } P {}", "part.wrl, line 2: \"P\" is a PROTO"),
        ("GeoSurface {}", "part.wrl, line 2: the node \"GeoSurface\" is not read"),
        ("Shape { geometry [ Box {} Sphere {} ] }", "part.wrl, line 2: geometry takes one node"),
        (
            "Transform { rotation 0 0 0 1 children Shape {} }",
            "part.wrl, line 2: rotation has an axis without a direction",
        ),
        ("Transform { scale 1e400 1 1 }", "part.wrl, line 2: scale needs 3 finite numbers"),
        ("Switch { whichChoice a }", "part.wrl, line 2"),
    ] {
        let message = file(nodes).unwrap_err();
        assert!(message.starts_with(sentence) && !message.contains('\n'), "{nodes}: {message}");
    }
}

/// Faces that are listed clockwise are turned round, and an open cylinder or cone has the faces that are left.
#[test]
fn flags_of_geometries_are_kept() {
    let faces = |flag: &str| {
        let geometry = format!(
            "IndexedFaceSet {{ {flag} coord Coordinate {{ point [ 0 0 0, 1 0 0, 0 1 0 ] }} coordIndex [ 0 1 2 ] }}"
        );
        with_geometry(&geometry).unwrap().bodies[0].surface.triangles.clone()
    };
    assert_eq!((faces("")[0], faces("ccw TRUE")[0], faces("ccw FALSE")[0]), ([0, 1, 2], [0, 1, 2], [2, 1, 0]));
    // A fan of 62 triangles for a lid, 128 for the mantle of a cylinder, 64 for that of a cone.
    for (geometry, count) in [
        ("Cylinder { top FALSE }", 128 + 62),
        ("Cylinder { top FALSE bottom FALSE }", 128),
        ("Cylinder { side FALSE }", 62 + 62),
        ("Cone { bottom FALSE }", 64),
        ("Cone { side FALSE }", 62),
    ] {
        let file = with_geometry(geometry).unwrap();
        assert_eq!(file.bodies[0].surface.triangles.len(), count, "{geometry}");
        assert!(file.notes.iter().any(|note| note.contains("polyhedron around it")), "{geometry}: {:?}", file.notes);
    }
}

/// A ball under an affine map is the exact ellipsoid: its gap to a plane is the closed form to rounding.
#[test]
fn a_scaled_primitive_is_exact() {
    let file =
        parse("#VRML V2.0 utf8\nTransform { scale 3 1 2 children Shape { geometry Sphere { radius 0.5 } } }").unwrap();
    let shape = file.shape().unwrap();
    for normal in [DVec3::new(1.0, 2.0, -1.0), DVec3::X, DVec3::new(-0.3, 0.1, 0.9)].map(DVec3::normalize) {
        let plane = Shape::half_space(-normal, -5.0).unwrap();
        let gap = clearance::distance(&shape, clearance::Pose::IDENTITY, &plane, clearance::Pose::IDENTITY);
        let reach = 0.5 * (normal * DVec3::new(3.0, 1.0, 2.0)).length();
        assert!((gap.distance - (5.0 - reach)).abs() < 1e-13, "{gap:?} {reach}");
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
        ("PointLight {", "Billboard {", "part.wrl, line 19: a Billboard turns to its viewer"),
        ("info [ \"one\", \"two\" ] }", "info [ \"one\", \"two ] }", "part.wrl, line "),
    ] {
        let message = refused(from, to);
        assert!(message.starts_with(sentence), "{message}");
        assert!(!message.contains('\n'));
    }
    for (geometry, sentence) in [
        ("Sphere { radius -1 }", "part.wrl, line 2: radius is negative"),
        ("Box { size 1 2 }", "part.wrl, line 2: size needs 3 finite numbers"),
        ("Box { size 1 2 -3 }", "part.wrl, line 2: size is negative"),
        ("Cylinder { height -1 }", "part.wrl, line 2: height is negative"),
        ("Cone { bottomRadius nan }", "part.wrl, line 2: "),
        ("Text { string \"a\" }", "part.wrl: the file holds no triangles"),
    ] {
        let message = with_geometry(geometry).unwrap_err();
        assert!(message.starts_with(sentence) && !message.contains('\n'), "{geometry}: {message}");
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
