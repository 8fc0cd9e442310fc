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
    assert_eq!(bounds(&answers[2]), [0.0, 0.0]);
}
