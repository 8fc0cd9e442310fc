//! Bad input is refused with one sentence that has the file and the line; good input is read as it is.

use super::robot;
use clearance_robot::{Options, Robot};
use std::fs;

fn refused(text: &str) -> String {
    Robot::parse(text, "robot.urdf", None, &Options::default()).expect_err(text).to_string()
}

const JOINT: &str = "<parent link=\"a\"/><child link=\"b\"/>";

#[test]
fn every_fault_is_one_sentence_with_file_and_line() {
    let links = "<link name=\"a\"/>\n<link name=\"b\"/>";
    let link = |geometry: &str| {
        format!(
            "<robot name=\"r\">\n<link name=\"a\"><collision>\n<geometry>{geometry}</geometry></collision></link></robot>"
        )
    };
    let with = |rest: &str| format!("<robot name=\"r\">\n{links}\n{rest}</robot>");
    let joint = |kind: &str, rest: &str| with(&format!("<joint name=\"j\" type=\"{kind}\">{JOINT}{rest}</joint>"));
    let limit = "<limit lower=\"0\" upper=\"1\"/>";
    let cases: Vec<(String, u64, &str)> = vec![
        ("<robot".into(), 1, "this is not XML"),
        ("<robot name=\"r\">\n<link name=\"a\">".into(), 2, "the text ends inside <link>"),
        ("<robot>\n</link></robot>".into(), 2, "this is not XML"),
        ("<!DOCTYPE robot>\n<robot/>".into(), 1, "a DOCTYPE is not read"),
        ("<sdf/>".into(), 1, "begins with <sdf>, but must begin with <robot>"),
        ("\n\n".into(), 3, "there is no <robot>"),
        ("<robot name=\"r\">\n</robot>".into(), 1, "no <link>"),
        ("<robot name=\"r\">\n<link/></robot>".into(), 2, "<link> has no attribute name"),
        (
            "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"a\"/></robot>".into(),
            2,
            "the link \"a\" is in line 1 already",
        ),
        ("<robot name=\"r\"><link name=\"a\" name=\"b\"/></robot>".into(), 1, "the attribute \"name\" twice"),
        ("<robot name=\"r\">\n<xacro:macro name=\"m\"/></robot>".into(), 2, "is a macro of xacro"),
        (link("<box size=\"1 NaN 1\"/>"), 3, "size of <box> is NaN, which is not a finite number"),
        (link("<box size=\"1 1e999 1\"/>"), 3, "is inf, which is not a finite number"),
        (link("<box size=\"1 1e70 1\"/>"), 3, "too large to compute with"),
        (link("<box size=\"1 x 1\"/>"), 3, "size of <box> has \"x\", which is no number"),
        (link("<box size=\"1 1\"/>"), 3, "has 2 numbers, but must have 3 numbers"),
        (link("<box size=\"1 1 1 1\"/>"), 3, "has 4 numbers, but must have 3 numbers"),
        (link("<box size=\"1 -1 1\"/>"), 3, "size of <box> has -1, but a size cannot be negative"),
        (link("<box/>"), 3, "<box> has no attribute size"),
        (link("<sphere radius=\"-2\"/>"), 3, "radius of <sphere> is -2, but a size cannot be negative"),
        (link("<cylinder radius=\"1\"/>"), 3, "<cylinder> has no attribute length"),
        (link("<torus/>"), 3, "the geometry <torus> is not known"),
        (link(""), 3, "<geometry> is empty"),
        (link("<sphere radius=\"1\"/>\n<sphere radius=\"2\"/>"), 4, "<geometry> has a second shape"),
        (link("<mesh filename=\"part.stl\" scale=\"1 0 1\"/>"), 3, "scale of <mesh> has 0"),
        (link("<mesh filename=\"\"/>"), 3, "the attribute filename of <mesh> is empty"),
        (link("<mesh filename=\"part.stl\"/>"), 2, "was not read from a folder"),
        (link("<mesh filename=\"package://p/part.stl\"/>"), 2, "the package \"p\" is not known"),
        (link("<mesh filename=\"package://part.stl\"/>"), 2, "names no file of a package"),
        ("<robot name=\"r\"><link name=\"a\">\n<collision/></link></robot>".into(), 2, "<collision> has no <geometry>"),
        (joint("hinge", ""), 4, "has the type \"hinge\", but must be revolute"),
        (joint("revolute", ""), 4, "the joint \"j\" has no <limit>"),
        (joint("prismatic", ""), 4, "the joint \"j\" has no <limit>"),
        (joint("revolute", "<limit lower=\"2\" upper=\"1\"/>"), 4, "has the limits 2 to 1"),
        (joint("revolute", "<limit lower=\"nan\" upper=\"1\"/>"), 4, "is NaN, which is not a finite number"),
        (joint("continuous", "<axis xyz=\"0 0 0\"/>"), 4, "the axis of the joint \"j\" is zero"),
        (joint("fixed", "\n<origin xyz=\"0 inf 0\"/>"), 5, "xyz of <origin> is inf"),
        (joint("fixed", "<parent link=\"b\"/>"), 4, "<joint> has a second <parent>"),
        (with("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"), 4, "has no <child>"),
        (
            with("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>"),
            4,
            "names the link \"c\", which does not exist",
        ),
        (
            with(&format!(
                "<joint name=\"j\" type=\"fixed\">{JOINT}</joint>\n<joint name=\"j\" type=\"fixed\">{JOINT}</joint>"
            )),
            5,
            "the joint \"j\" is in line 4 already",
        ),
        (
            with(&format!(
                "<joint name=\"j\" type=\"fixed\">{JOINT}</joint>\n<joint name=\"k\" type=\"fixed\">{JOINT}</joint>"
            )),
            5,
            "is the child of the joint \"j\" and of the joint \"k\"",
        ),
        (with(""), 3, "the link \"b\" is the child of no joint, nor is \"a\""),
        (
            with(&format!(
                "<joint name=\"j\" type=\"fixed\">{JOINT}</joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>"
            )),
            2,
            "the links make a circle",
        ),
        (
            with(&format!(
                "<link name=\"c\"/><joint name=\"j\" type=\"fixed\">{JOINT}</joint><joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>"
            )),
            2,
            "hangs on a circle of joints",
        ),
        (joint("revolute", &format!("{limit}<mimic joint=\"j\"/>")), 4, "mimics itself"),
        (joint("revolute", &format!("{limit}<mimic joint=\"k\"/>")), 4, "mimics \"k\", which does not exist"),
        (
            joint("revolute", &format!("{limit}<mimic joint=\"j\" multiplier=\"1e9\"/>")),
            4,
            "moves by 1000000000 times its source",
        ),
        (joint("floating", "<mimic joint=\"j\"/>"), 4, "has several values and cannot mimic"),
    ];
    for (text, line, wanted) in cases {
        let sentence = refused(&text);
        assert!(sentence.starts_with(&format!("robot.urdf, line {line}: ")), "{wanted}: {sentence}");
        assert!(sentence.contains(wanted), "{wanted}: {sentence}");
        assert!(!sentence.contains('\n'), "{sentence}");
    }
}

#[test]
fn deep_and_wide_texts_are_refused_before_they_take_memory() {
    let deep = format!("<robot name=\"r\">{}", "<a>".repeat(100_000));
    assert!(refused(&deep).contains("nested more than 64 deep"));
    let wide = format!("<robot name=\"r\">{}</robot>", "<a/>".repeat((1 << 20) + 1));
    assert!(refused(&wide).contains("more than 1048576 elements"));
    let attributes: String = (0..100).map(|number| format!(" a{number}=\"\"")).collect();
    assert!(refused(&format!("<robot{attributes}/>")).contains("more than 64 attributes"));
}

#[test]
fn truncated_and_spoiled_texts_are_read_or_refused() {
    let text = super::planar_arm(2);
    for end in 0..text.len() {
        let sentence = refused(&text[..end]);
        assert!(sentence.starts_with("robot.urdf, line "), "{end}: {sentence}");
    }
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..bytes.len());
            bytes[at] = b"<>/\"= 0-9e.ax\n&;"[rng.usize(..16)];
        }
        if let Ok(text) = String::from_utf8(bytes)
            && let Err(error) = Robot::parse(&text, "robot.urdf", None, &Options::default())
        {
            assert!(error.to_string().starts_with("robot.urdf, line "), "{error}");
        }
    }
}

#[test]
fn geometry_is_that_of_the_file() {
    let text = r#"<robot name="r"><link name="a">
        <collision><geometry><box size="2 4 6"/></geometry></collision>
        <collision><origin xyz="1 2 3"/><geometry><cylinder radius="0.5" length="2"/></geometry></collision>
        <collision><geometry><capsule radius="0.5" length="2"/></geometry></collision>
        <collision><geometry><sphere radius="3"/></geometry></collision></link></robot>"#;
    let robot = robot(text);
    let highest: Vec<f64> = robot.shapes(0).map(|(shape, pose)| shape.aabb(&pose).max.z).collect();
    for (found, wanted) in highest.iter().zip([3.0, 4.0, 1.5, 3.0]) {
        assert!((found - wanted).abs() < 1e-13, "{highest:?}");
    }
}

#[test]
fn disabled_pairs_come_from_the_srdf_and_survive_being_written() {
    let arm = super::planar_arm(4);
    let read = |srdf: &str| Robot::parse(&arm, "arm.urdf", Some((srdf, "arm.srdf")), &Options::default());
    let all = read("<robot name=\"arm\"/>").unwrap();
    // Neighbours are left out: of the six pairs of four bars three remain.
    assert_eq!(all.checked_pairs(), [[1, 3], [1, 4], [2, 4]]);
    let some = "<robot name=\"arm\"><disable_collisions link1=\"bar3\" link2=\"bar0\" reason=\"Never\"/>\n<disable_collisions link1=\"bar1\" link2=\"hand\"/></robot>";
    let robot = read(some).unwrap();
    assert_eq!(robot.checked_pairs(), [[1, 3], [2, 4]]);
    assert_eq!(robot.notes(), ["arm.srdf, line 2: there is no link \"hand\"; the rule has no effect"]);
    let rules =
        "<robot><disable_default_collisions link=\"bar3\"/><enable_collisions link1=\"bar3\" link2=\"bar1\"/></robot>";
    assert_eq!(read(rules).unwrap().checked_pairs(), [[1, 3], [2, 4]]);
    assert!(
        read("<robot>\n<disable_collisions link1=\"bar0\"/></robot>")
            .unwrap_err()
            .to_string()
            .starts_with("arm.srdf, line 2: ")
    );

    // Folded by at most half a turn at each joint, all pairs collide in some sample; stiff bars never do.
    let proposed = all.propose_disabled(300, 1).unwrap();
    assert!(proposed.iter().filter(|(_, reason)| reason.name() == "Adjacent").count() == 3, "{proposed:?}");
    let stiff = arm.replace("\"-3\"", "\"-0.1\"").replace("\"3\"", "\"0.1\"");
    let stiff = super::robot(&stiff);
    let proposed = stiff.propose_disabled(50, 1).unwrap();
    assert_eq!(proposed.iter().filter(|(_, reason)| reason.name() == "Never").count(), 3);
    let again =
        Robot::parse(&arm, "arm.urdf", Some((&stiff.srdf(&proposed), "made.srdf")), &Options::default()).unwrap();
    assert!(again.checked_pairs().is_empty() && again.notes().is_empty());
}

/// A cube of edge 1 with its least corner at the origin; without its lid it is a shell.
fn cube(has_lid: bool) -> String {
    let mut text = String::new();
    for corner in 0..8 {
        text += &format!("v {} {} {}\n", corner & 1, (corner >> 1) & 1, corner >> 2);
    }
    text += "f 1 3 4 2\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    if has_lid { text + "f 5 6 8 7\n" } else { text }
}

#[test]
fn meshes_are_found_in_their_folders_only_and_are_solids_if_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("robot/meshes")).unwrap();
    fs::create_dir_all(path("packages/parts/meshes")).unwrap();
    fs::write(path("robot/meshes/cube.obj"), cube(true)).unwrap();
    fs::write(path("packages/parts/meshes/open.obj"), cube(false)).unwrap();
    fs::write(path("outside.obj"), cube(true)).unwrap();
    let load = |mesh: &str, options: &Options| {
        let text = format!(
            "<robot name=\"r\">\n<link name=\"a\">\n<collision><geometry><mesh {mesh}/></geometry></collision></link></robot>"
        );
        fs::write(path("robot/r.urdf"), text).unwrap();
        Robot::load(&path("robot/r.urdf"), None, options)
    };
    let plain = Options::default();
    let top = |robot: &Robot| robot.shapes(0).map(|(shape, pose)| shape.aabb(&pose)).next().unwrap();

    let solid = load("filename=\"meshes/cube.obj\" scale=\"1 2 -3\"", &plain).unwrap();
    assert!(solid.notes().is_empty(), "{:?}", solid.notes());
    let mesh = solid.shapes(0).next().unwrap().0.as_mesh().unwrap().clone();
    // Mirrored, it still has its inside inside.
    assert!(mesh.is_solid() && (mesh.volume() - 6.0).abs() < 1e-14);
    assert!((top(&solid).min.z + 3.0).abs() < 1e-13 && (top(&solid).max.y - 2.0).abs() < 1e-13);

    for dir in ["packages", "packages/parts"] {
        let packages = Options { package_dirs: vec![path(dir)], ..Options::default() };
        let shell = load("filename=\"package://parts/meshes/open.obj\"", &packages).unwrap();
        assert!(!shell.shapes(0).next().unwrap().0.as_mesh().unwrap().is_solid());
        let note = &shell.notes()[0];
        assert!(
            note.starts_with("link \"a\": ") && note.contains("it is a shell, not a solid: it has 4 open edges"),
            "{note}"
        );
        let filled =
            load("filename=\"package://parts/meshes/open.obj\"", &Options { fill_holes: true, ..packages.clone() });
        let filled = filled.unwrap();
        assert!(filled.shapes(0).next().unwrap().0.as_mesh().unwrap().is_solid());
        assert!(filled.notes()[0].ends_with("1 hole was filled"), "{:?}", filled.notes());
        let missing = load("filename=\"package://parts/meshes/other.obj\"", &packages).unwrap_err().to_string();
        assert!(
            missing.contains("r.urdf, line 3: ") && missing.contains("is in none of the 1 package folder given"),
            "{missing}"
        );
    }

    let missing = load("filename=\"meshes/other.obj\"", &plain).unwrap_err().to_string();
    assert!(missing.contains("r.urdf, line 3: meshes/other.obj does not exist"), "{missing}");
    let outside = load("filename=\"../outside.obj\"", &plain).unwrap_err().to_string();
    assert!(outside.contains("leaves the folder"), "{outside}");
    let allowed = Options { allowed: vec![folder.path().to_path_buf()], ..Options::default() };
    assert!(load("filename=\"../outside.obj\"", &allowed).is_ok());
    let whole = format!("filename=\"file://{}\"", path("outside.obj").display());
    assert!(load(&whole, &plain).is_err() && load(&whole, &allowed).is_ok());
    fs::write(path("robot/meshes/broken.stl"), "solid x\nfacet").unwrap();
    let broken = load("filename=\"meshes/broken.stl\"", &plain).unwrap_err().to_string();
    assert!(broken.contains("r.urdf, line 3: ") && broken.contains("broken.stl"), "{broken}");
}

#[test]
fn long_chains_of_joints_end_in_a_sentence_or_a_robot() {
    let chain = |count: usize, body: &str, mimic: &dyn Fn(usize) -> String| {
        let mut text = String::from("<robot><link name=\"0\"/>");
        for number in 1..=count {
            text += &format!(
                "<link name=\"{number}\">{body}</link><joint name=\"{number}\" type=\"continuous\"><parent link=\"{}\"/><child link=\"{number}\"/>{}</joint>",
                number - 1,
                mimic(number)
            );
        }
        text + "</robot>"
    };
    let ball = "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>";
    assert!(refused(&chain(1000, ball, &|_| String::new())).contains("pairs of links over chains that are too long"));
    assert!(refused(&chain(3000, ball, &|_| String::new())).contains("more than 2048 bodies"));
    let before = |number: usize| if number == 1 { String::new() } else { format!("<mimic joint=\"{}\"/>", number - 1) };
    assert!(refused(&chain(2000, "", &before)).contains("through more than 64 others"));
    let steep = |number: usize| {
        if number == 1 { String::new() } else { format!("<mimic joint=\"{}\" multiplier=\"1e5\"/>", number - 1) }
    };
    assert!(refused(&chain(4, "", &steep)).contains("moves by 10000000000 times its source"));
    // A long chain without bodies is a robot, and the largest values that are admitted have poses.
    let robot = robot(&chain(20_000, "", &|_| String::new()));
    assert!(robot.forward_kinematics(&vec![1e6; 20_000]).is_ok());
    let steep = super::robot(&chain(2, ball, &|number| {
        if number == 1 { String::new() } else { "<mimic joint=\"1\" multiplier=\"-1e6\" offset=\"1e6\"/>".into() }
    }));
    assert!(steep.forward_kinematics(&[1e6]).is_ok());
}
