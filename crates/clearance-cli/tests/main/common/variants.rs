//! The same query in other clothes: what must not change an answer, or change it in a known way.
//!
//! A transformed variant works on the JSON of a query line, so that the library and the program see the same numbers. It may round
//! them; how much that can move the truth is part of the variant.

use clearance::math::{DQuat, DVec3};
use clearance_io::{Definitions, Folder, Query};
use clearance_lab::{Rng, random::rotation};
use serde_json::{Value, json};

/// A query, and what is known about it.
pub struct Variant {
    /// How it was made from the case.
    pub how: String,
    /// The query line.
    pub line: Value,
    /// The true distance of the variant; minus infinity for half-spaces that no translation separates.
    pub truth: f64,
    /// How far the truth of the rounded numbers may be from that.
    pub slack: f64,
    /// The largest length of the case, which tolerances are relative to.
    pub size: f64,
}

/// The query of a line that names no shapes of other lines.
pub fn query(line: &Value) -> Query {
    let text = line.to_string();
    let read = Definitions::new().read(&text, 1, &Folder::none());
    read.unwrap_or_else(|fault| panic!("{text}: {}", fault.error)).expect("a query")
}

/// The case as it is, and in every transformed variant.
pub fn all(line: &Value) -> Vec<Variant> {
    let expect = &line["_expect"];
    let infinite = expect["infinite"].as_bool() == Some(true);
    let truth = if infinite { f64::NEG_INFINITY } else { expect["distance"].as_f64().expect("a truth") };
    let size = size(line);
    let plain = Variant {
        how: "as it is".into(),
        line: bare(line),
        truth,
        // The numbers of a case are decimal, and its truth is a closed form in doubles.
        slack: 4.0 * f64::EPSILON * size,
        size,
    };
    let mut all = Vec::new();
    for (what, spelled) in spellings(&plain.line) {
        all.push(plain.with(&what, spelled));
    }
    all.push(plain.with("swapped", swapped(&plain.line)));
    // Exact quarter turns and thirds; an oblique one; and three that are drawn, the same every time for the same case.
    let mut rng = Rng::with_seed(
        line["id"].to_string().bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte)),
    );
    let fixed = [[0.5, 0.5, 0.5, 0.5], [0.0, 1.0, 0.0, 0.0], [0.1, -0.3, 0.5, 0.8]];
    let turns = fixed.map(DQuat::from_array).into_iter().chain((0..3).map(|_| rotation(&mut rng)));
    for turn in turns.map(DQuat::normalize) {
        let line = moved(&plain.line, turn, DVec3::ZERO);
        // Far from the origin a rotated translation is rounded by as much as its own digits allow.
        let slip = (between(&line) - turn * between(&plain.line)).length();
        let turned = Variant {
            // Two products of quaternions, two rotated translations, and the frame that is made of them.
            slack: plain.slack + 16.0 * f64::EPSILON * size + slip,
            ..plain.with(&format!("turned by {turn}"), line)
        };
        all.push(turned.with(&format!("{} and swapped", turned.how), swapped(&turned.line)));
        all.push(turned);
    }
    // Powers of two near 1e6 and 1e8, so that short numbers stay exact.
    for power in [20, 27] {
        let away = DVec3::new(1.0, -1.0, 0.5) * 2.0_f64.powi(power);
        let line = moved(&plain.line, DQuat::IDENTITY, away);
        // Rounding of the translation of B relative to A; the distance changes by at most as much.
        let slip = (between(&line) - between(&plain.line)).length();
        all.push(Variant { slack: plain.slack + slip, ..plain.with(&format!("moved by 2^{power}"), line) });
    }
    for factor in [1e-3, 1e3] {
        let line = scaled_line(&plain.line, factor);
        let slip = (between(&line) - between(&plain.line) * factor).length();
        all.push(Variant {
            how: format!("times {factor}"),
            line,
            truth: truth * factor,
            slack: (plain.slack + 8.0 * f64::EPSILON * size) * factor + slip,
            size: size * factor,
        });
    }
    all.push(plain);
    all
}

impl Variant {
    fn with(&self, how: &str, line: Value) -> Self {
        Self { how: how.into(), line, ..*self }
    }
}

/// The fields that are a query, without comments.
fn bare(line: &Value) -> Value {
    let fields = line.as_object().expect("an object").iter().filter(|(name, _)| !name.starts_with('_'));
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The largest of the reaches and the distance of the origins. Half-spaces reach as far as their planes are away.
fn size(line: &Value) -> f64 {
    let Query { a, b, .. } = query(&bare(line));
    let offset = |shape: &Value| shape["half_space"]["offset"].as_f64().map(f64::abs);
    let reach = |shape: &clearance::Shape, json: &Value| offset(json).unwrap_or_else(|| shape.bounding_radius());
    reach(&a, &line["a"]).max(reach(&b, &line["b"])).max(between(line).length())
}

fn vector(value: &Value) -> DVec3 {
    serde_json::from_value::<[f64; 3]>(value.clone()).map_or(DVec3::ZERO, DVec3::from_array)
}

fn quaternion(value: &Value) -> DQuat {
    serde_json::from_value::<[f64; 4]>(value.clone()).map_or(DQuat::IDENTITY, DQuat::from_array)
}

fn between(line: &Value) -> DVec3 {
    vector(&line["pose_b"]["translation"]) - vector(&line["pose_a"]["translation"])
}

fn swapped(line: &Value) -> Value {
    let mut line = line.clone();
    let of = |line: &Value, name: &str| line.get(name).cloned().unwrap_or_else(|| json!({}));
    for (one, other) in [("a", "b"), ("pose_a", "pose_b")] {
        let (first, second) = (of(&line, one), of(&line, other));
        line[one] = second;
        line[other] = first;
    }
    line
}

fn moved(line: &Value, turn: DQuat, by: DVec3) -> Value {
    let mut line = line.clone();
    for name in ["pose_a", "pose_b"] {
        let translation = turn * vector(&line[name]["translation"]) + by;
        // Not normalised: equal rotations must stay equal to the bit.
        let rotation = turn * quaternion(&line[name]["rotation"]);
        line[name] = json!({"translation": translation.to_array(), "rotation": rotation.to_array()});
    }
    line
}

fn scaled_line(line: &Value, factor: f64) -> Value {
    let mut line = line.clone();
    for name in ["a", "b"] {
        line[name] = scaled_shape(&line[name], factor);
    }
    for name in ["pose_a", "pose_b"] {
        if let Some(pose) = line.get_mut(name) {
            *pose = scaled_pose(pose, factor);
        }
    }
    line
}

fn scaled_pose(pose: &Value, factor: f64) -> Value {
    let mut pose = pose.clone();
    if let Some(translation) = pose.get_mut("translation") {
        *translation = times(translation, factor);
    }
    pose
}

/// Every number in a value, multiplied.
fn times(value: &Value, factor: f64) -> Value {
    match value {
        Value::Array(values) => Value::Array(values.iter().map(|value| times(value, factor)).collect()),
        number => json!(number.as_f64().expect("a number") * factor),
    }
}

fn scaled_shape(shape: &Value, factor: f64) -> Value {
    if let Some(parts) = shape.get("compound") {
        let part = |part: &Value| {
            let pose = part.get("pose").map_or_else(|| json!({}), |pose| scaled_pose(pose, factor));
            json!({"shape": scaled_shape(&part["shape"], factor), "pose": pose})
        };
        return json!({"compound": parts.as_array().expect("parts").iter().map(part).collect::<Vec<_>>()});
    }
    let mut shape = shape.clone();
    for (_, fields) in shape.as_object_mut().expect("a shape") {
        for (name, value) in fields.as_object_mut().expect("fields") {
            *value = match name.as_str() {
                "shape" => scaled_shape(value, factor),
                // Directions and maps have no unit.
                "matrix" | "normal" | "axis" => continue,
                _ => times(value, factor),
            };
        }
    }
    shape
}

/// The line with A or B written as another shape that is the same set of points, to the bit.
fn spellings(line: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for side in ["a", "b"] {
        for (what, other) in synonyms(&line[side]) {
            let mut line = line.clone();
            line[side] = other;
            all.push((format!("{side} as {what}"), line));
        }
    }
    // Both at once, so that no closed form is left.
    let both = |name: &str| {
        let mut line = line.clone();
        for side in ["a", "b"] {
            line[side] = synonyms(&line[side]).into_iter().find(|(what, _)| *what == name)?.1;
        }
        Some((format!("both as {name}"), line))
    };
    all.extend(["an affine image", "rounded by nothing", "another shape"].iter().filter_map(|name| both(name)));
    all
}

/// Other ways to write a shape. None of them rounds a number.
fn synonyms(shape: &Value) -> Vec<(&'static str, Value)> {
    let (kind, fields) = shape.as_object().and_then(|shape| shape.iter().next()).expect("a shape");
    let compound = ("a compound", json!({"compound": [{"shape": shape}]}));
    if kind == "compound" || kind == "half_space" {
        return vec![compound];
    }
    let mut all = vec![
        compound,
        ("an affine image", json!({"affine": {"shape": shape, "matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}})),
        ("rounded by nothing", json!({"rounded": {"shape": shape, "radius": 0}})),
        (
            "an image turned back",
            json!({"affine": {"shape": {"affine": {"shape": shape, "matrix": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}},
                "matrix": [[0, 0, 1], [1, 0, 0], [0, 1, 0]]}}),
        ),
    ];
    let half = |value: &Value| value.as_f64().expect("a number");
    if let Some(axis) = fields.get("axis").and_then(Value::as_str) {
        all.push(("another shape", upright_and_turned(kind, fields, axis)));
        return all;
    }
    let other = match kind.as_str() {
        "point" => json!({"cuboid": {"half_extents": [0, 0, 0]}}),
        "sphere" => json!({"ellipsoid": {"radii": [fields["radius"], fields["radius"], fields["radius"]]}}),
        "cuboid" => {
            let h = vector(&fields["half_extents"]);
            let corner = |v: usize| [0, 1, 2].map(|axis| if v >> axis & 1 == 1 { h[axis] } else { -h[axis] });
            json!({"hull": {"points": (0..8).map(corner).collect::<Vec<_>>()}})
        }
        "capsule" => {
            let h = half(&fields["half_height"]);
            json!({"rounded": {"shape": {"segment": {"a": [0, -h, 0], "b": [0, h, 0]}}, "radius": fields["radius"]}})
        }
        "segment" => json!({"hull": {"points": [fields["a"], fields["b"]]}}),
        "triangle" => json!({"hull": {"points": [fields["a"], fields["b"], fields["c"]]}}),
        "ellipsoid" => {
            let r = vector(&fields["radii"]);
            json!({"affine": {"shape": {"sphere": {"radius": 1}}, "matrix": [[r.x, 0, 0], [0, r.y, 0], [0, 0, r.z]]}})
        }
        "cylinder" => {
            let (r, h) = (half(&fields["radius"]), half(&fields["half_height"]));
            let unit = json!({"cylinder": {"radius": 1, "half_height": 1}});
            json!({"affine": {"shape": unit, "matrix": [[r, 0, 0], [0, h, 0], [0, 0, r]]}})
        }
        "cone" => {
            let (r, h) = (half(&fields["radius"]), half(&fields["half_height"]));
            let unit = json!({"cone": {"radius": 1, "half_height": 1}});
            json!({"affine": {"shape": unit, "matrix": [[r, 0, 0], [0, h, 0], [0, 0, r]]}})
        }
        _ => return all,
    };
    all.push(("another shape", other));
    all
}

/// A capsule as a rounded segment, a cylinder or cone as an image of the upright one.
fn upright_and_turned(kind: &str, fields: &Value, axis: &str) -> Value {
    let (x, y, z) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
    let (along, matrix) = match axis {
        "x" => (x, [y, x.map(|e| -e), z]),
        "z" => (z, [x, z.map(|e| -e), y]),
        _ => (y, [x, y, z]),
    };
    if kind == "capsule" {
        let h = fields["half_height"].as_f64().expect("a number");
        let end = along.map(|e| h * f64::from(e));
        let segment = json!({"segment": {"a": end.map(|e| -e), "b": end}});
        return json!({"rounded": {"shape": segment, "radius": fields["radius"]}});
    }
    let upright = json!({kind: {"radius": fields["radius"], "half_height": fields["half_height"]}});
    json!({"affine": {"shape": upright, "matrix": matrix}})
}
