//! How deep solids are in each other, as a user asks for it.

use crate::common::run_with;
use serde_json::Value;

/// A cube in a cross of two bars: a way of 1.5 along x is the shortest that frees it.
const CROSS: &str = r#""a": {"cuboid": {"half_extents": [1, 1, 1]}}, "b": {"compound": [{"shape": {"cuboid": {"half_extents": [3, 1, 1]}}}, {"shape": {"cuboid": {"half_extents": [1, 3, 1]}}}]}, "pose_b": {"translation": [-2.5, 0.25, 0.25]}"#;

#[test]
fn a_depth_is_a_bracket_and_a_way_out() {
    let lines = format!(
        "{{\"query\": \"depth\", {CROSS}}}\n{{\"query\": \"depth\", \"budget\": {{\"nodes\": 0}}, {CROSS}}}\n{{\"query\": \"depth\", \"a\": {{\"point\": {{}}}}, \"b\": {{\"point\": {{}}}}, \"pose_b\": {{\"translation\": [1, 0, 0]}}}}\n"
    );
    let run = run_with("depth", &[], &["query"], &lines);
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = |answer: &Value, key: &str| answer[key].as_f64().unwrap();
    let bounds = |answer: &Value| [number(answer, "lower"), number(answer, "upper")];
    let [lower, upper] = bounds(&answers[0]);
    assert!(lower <= 1.5 && 1.5 <= upper && upper - lower < 1e-9, "{}", answers[0]);
    assert_eq!(number(&answers[0], "depth"), upper);
    let way: Vec<f64> = answers[0]["translation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((way[0] - 1.5).abs() < 1e-9 && way[1].abs() < 1e-9 && way[2].abs() < 1e-9, "{way:?}");
    // Without any work the bracket is wide, and right.
    let [least, most] = bounds(&answers[1]);
    assert!(least <= 1.5 && 1.5 <= most, "{}", answers[1]);
    assert_eq!((answers[1]["end"].as_str(), answers[0].get("end")), (Some("nodes"), None), "{}", answers[1]);
    assert_eq!(bounds(&answers[2]), [0.0, 0.0]);
}

/// A solid of two boxes as a mesh, an L, in which a cube is stuck: with evidence, proved; spoiled, not.
#[test]
fn depths_with_evidence_are_proved_and_spoiled_ones_are_not() {
    // The L of the points (0,0), (3,0), (3,1), (1,1), (1,3), (0,3), from z = 0 to z = 1.
    let outline = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]];
    let corners: Vec<String> = (0..2).flat_map(|z| outline.map(|[x, y]| format!("[{x},{y},{z}]"))).collect();
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let lower = caps.map(|[p, q, r]| [p, r, q]);
    let upper = caps.map(|corners| corners.map(|v| v + 6));
    let sides = (0..6).flat_map(|i| {
        let j = (i + 1) % 6;
        [[i, j, j + 6], [i, j + 6, i + 6]]
    });
    let triangles: Vec<String> = lower.into_iter().chain(upper).chain(sides).map(|t| format!("{t:?}")).collect();
    let mesh =
        format!(r#"{{"mesh": {{"vertices": [{}], "triangles": [{}]}}}}"#, corners.join(","), triangles.join(","));
    let cube = r#"{"cuboid": {"half_extents": [0.5, 0.5, 0.25]}}"#;
    let lines = [
        format!(r#"{{"query": "depth", {CROSS}}}"#),
        format!(r#"{{"query": "depth", "a": {cube}, "pose_a": {{"translation": [1.25, 1.25, 0.5]}}, "b": {mesh}}}"#),
        format!(
            r#"{{"query": "depth", "a": {mesh}, "b": {mesh}, "pose_b": {{"translation": [0.5, 0.25, 0.125], "rotation": [1, 2, 3, 9]}}}}"#
        ),
        // Apart, and two convex shapes.
        format!(r#"{{"query": "depth", "a": {cube}, "b": {mesh}, "pose_b": {{"translation": [9, 0, 0]}}}}"#),
        format!(r#"{{"query": "depth", "a": {cube}, "b": {cube}, "pose_b": {{"translation": [0.25, 0.125, 0]}}}}"#),
    ];
    let run = run_with("depth proof", &[], &["query", "--proof"], &(lines.join("\n") + "\n"));
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let verify = |answers: &str| run_with("depth verify", &[], &["verify", "--undecided"], answers).stdout;
    let proved = verify(&run.stdout);
    assert_eq!(proved, "5 answers: 5 proved, 0 refuted, 0 undecided; 0 errors\n");
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Out of the corner of the L the cube goes both ways at once.
    for (number, known) in [(0, 1.5), (1, 0.125_f64.sqrt())] {
        let [lower, upper] = ["lower", "upper"].map(|end| answers[number][end].as_f64().unwrap());
        assert!(lower <= known && known <= upper && upper - lower < 1e-9, "{}", answers[number]);
    }
    let spoiled = |number: usize, spoil: &dyn Fn(&mut Value)| {
        let mut answer = answers[number].clone();
        spoil(&mut answer);
        verify(&(answer.to_string() + "\n"))
    };
    for number in 0..3 {
        let changes: [&dyn Fn(&mut Value); 7] = [
            &|answer| answer["lower"] = (answer["upper"].as_f64().unwrap()).into(),
            &|answer| answer["upper"] = (0.5 * answer["upper"].as_f64().unwrap()).into(),
            &|answer| answer["translation"][0] = 0.125.into(),
            &|answer| drop(answer["proof"]["depth"]["nodes"].as_array_mut().unwrap().pop()),
            &|answer| drop(answer["proof"].as_object_mut().unwrap().remove("depth")),
            &|answer| drop(answer["proof"].as_object_mut().unwrap().remove("lower")),
            &|answer| answer["features"] = vec!["f0", "f1"].into(),
        ];
        for (change, spoil) in changes.into_iter().enumerate() {
            let verdict = spoiled(number, spoil);
            assert!(verdict.contains("1 answer: 0 proved"), "{number} {change}: {verdict}");
        }
    }
    // Shorter than lower, and more than upper: those are wrong, whatever the evidence.
    let wrong = spoiled(0, &|answer| answer["upper"] = 1.4.into());
    assert!(wrong.contains("1 refuted"), "{wrong}");
    // Evidence for a piece that leaves the solid by one unit in the last place proves nothing.
    let moved = spoiled(1, &|answer| {
        let points = answer["proof"]["depth"]["pieces"][1][0]["points"].as_array_mut().unwrap();
        let top = points.iter_mut().find(|point| point[2] == 1.0).unwrap();
        top[2] = 1.0_f64.next_up().into();
    });
    assert!(moved.contains("0 proved"), "{moved}");
}
