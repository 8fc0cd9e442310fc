//! `clearance hull` and `clearance decompose`: what they write can be checked.

use crate::common::run_with;

const ANGLE: &str = "v -1 -0.25 -0.5\nv 1 -0.25 -0.5\nv 1 0.25 -0.5\nv -0.5 0.25 -0.5\nv -0.5 1 -0.5\nv -1 1 -0.5
v -1 -0.25 0.5\nv 1 -0.25 0.5\nv 1 0.25 0.5\nv -0.5 0.25 0.5\nv -0.5 1 0.5\nv -1 1 0.5
f 1 6 5 4 3 2\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

#[test]
fn an_angle_is_two_bars_and_its_hull_is_one() {
    let files = [("angle.obj", ANGLE)];
    let run = run_with("decompose", &files, &["decompose", "angle.obj", "-o", "pieces.json"], "");
    let line = "angle.obj: 20 triangles, volume 1.375000: exactly the union of 2 pieces; written to pieces.json\n";
    assert_eq!((run.exit, run.stdout.as_str()), (0, line), "{run:?}");
    let run = run_with("hull", &files, &["hull", "angle.obj", "-o", "hull.stl"], "");
    let line = "angle.obj: 10 vertices, 7 faces, volume 1.937500; written to hull.stl\n";
    assert_eq!((run.exit, run.stdout.as_str()), (0, line), "{run:?}");
    let open = ANGLE.replace("f 6 1 7 12\n", "");
    let run = run_with("open", &[("open.obj", &open)], &["decompose", "open.obj", "-o", "open.obj.json"], "");
    assert!(
        run.exit == 0 && run.stdout.contains("pieces (approximate: they cover the surface, and nothing is"),
        "{run:?}"
    );
    let run = run_with("inner", &[("open.obj", &open)], &["decompose", "open.obj", "--inner"], "");
    assert!(
        run.exit == 2 && run.stderr.contains("open.obj: no piece is proved to be inside; 18 triangles: "),
        "{run:?}"
    );
    let run = run_with("patches", &[("open.obj", &open)], &["decompose", "open.obj", "--surface"], "");
    assert!(run.exit == 0 && run.stdout.contains("convex patches"), "{run:?}");
    let run = run_with("json", &[("open.obj", &open)], &["decompose", "open.obj", "--json", "--concavity", "0.1"], "");
    let line: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&line["exact"], &line["covers"], &line["outer"]),
        (&false.into(), &"surface".into(), &0.into()),
        "{run:?}"
    );
    let pieces = line["pieces"].as_array().unwrap();
    assert!(!pieces.is_empty() && pieces.iter().all(|piece| piece["kind"] == "approximate"), "{run:?}");
    assert!(pieces.iter().all(|piece| piece["concavity"].as_f64().unwrap() <= 0.2 + 1e-9), "{run:?}");
    let run = run_with("exact", &files, &["decompose", "angle.obj", "--json"], "");
    let line: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(line["exact"] == true && line["covers"] == "proved" && line["pieces"][1]["kind"] == "exact", "{run:?}");
    let run = run_with("two in one", &files, &["decompose", "angle.obj", "-o", "x.stl"], "");
    assert!(run.exit == 2 && run.stderr.contains("x.stl can hold one piece, but there are 2"), "{run:?}");
    let run = run_with("no type", &files, &["hull", "angle.obj", "-o", "x.step"], "");
    assert!(run.exit == 2 && run.stderr.contains("of no type that can be written"), "{run:?}");
}
