//! Variants of a question: swapped, turned and moved. None of these may change an answer.
//!
//! A swap rounds no number, and a third of a turn about (1, 1, 1) only exchanges coordinates. The oblique turn and the move, by powers of two about
//! as large as the case, do round. They change coordinates by a unit in the last place of the size, four orders below the strict tolerance. Cases far
//! from the origin of the world, where the error would be larger, do without these two.

use crate::case::{Kind, Question, Truth};
use clearance::math::{DQuat, DVec3};
use serde_json::{Value, json};

/// A question as an adapter gets it.
pub struct Variant {
    pub how: &'static str,
    pub line: Value,
}

/// A case farther from the origin than this multiple of its size is far away.
const NEAR: f64 = 64.0;

/// The largest number of variants.
pub const MOST: usize = 5;

/// The question as it was written, and its variants.
pub fn all(question: &Question) -> Vec<Variant> {
    let line = &question.line;
    let mut all = vec![Variant { how: "as written", line: line.clone() }];
    // Rays and casts are not exchanged with their target; a translation of A turns into one of B.
    if !matches!(question.kind, Kind::Ray | Kind::Cast) {
        all.push(Variant { how: "swapped", line: swapped(line) });
    }
    let third = |v: DVec3| DVec3::new(v.z, v.x, v.y);
    all.push(Variant { how: "turned by a third", line: placed(line, &third, DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)) });
    if question.place > NEAR * question.size {
        return all;
    }
    let turn = DQuat::from_xyzw(1.0, -3.0, 5.0, 8.0).normalize();
    all.push(Variant { how: "turned obliquely", line: placed(line, &|v| turn * v, turn) });
    // Rounding makes half-spaces that hold each other cross.
    if question.truth != Truth::Distance(f64::NEG_INFINITY) {
        let step = 2.0_f64.powi(question.size.max(f64::MIN_POSITIVE).log2().ceil().clamp(-60.0, 60.0) as i32);
        all.push(Variant { how: "moved", line: moved(line, DVec3::new(step, -step, 0.5 * step)) });
    }
    all
}

fn vector(value: &Value) -> DVec3 {
    serde_json::from_value::<[f64; 3]>(value.clone()).map_or(DVec3::ZERO, DVec3::from_array)
}

fn quaternion(value: &Value) -> DQuat {
    serde_json::from_value::<[f64; 4]>(value.clone()).map_or(DQuat::IDENTITY, DQuat::from_array)
}

fn swapped(line: &Value) -> Value {
    let mut other = line.clone();
    for (one, two) in [("a", "b"), ("pose_a", "pose_b"), ("motion_a", "motion_b")] {
        for (from, to) in [(one, two), (two, one)] {
            match line.get(from) {
                Some(value) => other[to] = value.clone(),
                None => drop(other.as_object_mut().map(|line| line.remove(to))),
            }
        }
    }
    other
}

/// The whole world turned about the origin: `map` turns vectors, `turn` turns rotations.
fn placed(line: &Value, map: &dyn Fn(DVec3) -> DVec3, turn: DQuat) -> Value {
    let mut line = line.clone();
    for side in ["pose_a", "pose_b"] {
        if side == "pose_a" || line.get("b").is_some() {
            line[side] = turned_pose(&line[side], map, turn);
        }
    }
    for field in ["origin", "direction"] {
        if let Some(value) = line.get_mut(field) {
            *value = json!(map(vector(value)).to_array());
        }
    }
    for side in ["motion_a", "motion_b"] {
        let Some((kind, motion)) = line.get_mut(side).and_then(|motion| motion.as_object_mut()?.iter_mut().next())
        else {
            continue;
        };
        if kind == "keyframes" {
            for frame in motion.as_array_mut().into_iter().flatten() {
                frame["pose"] = turned_pose(&frame["pose"], map, turn);
            }
            continue;
        }
        // The center of a motion is a point of the body, in its own axes.
        for field in ["velocity", "angular_velocity", "gravity"] {
            if let Some(value) = motion.get_mut(field) {
                *value = json!(map(vector(value)).to_array());
            }
        }
    }
    line
}

fn turned_pose(pose: &Value, map: &dyn Fn(DVec3) -> DVec3, turn: DQuat) -> Value {
    let rotation = turn * quaternion(&pose["rotation"]);
    json!({"translation": map(vector(&pose["translation"])).to_array(), "rotation": rotation.to_array()})
}

fn moved(line: &Value, by: DVec3) -> Value {
    let mut line = line.clone();
    let shift = |pose: &mut Value| {
        let place = vector(&pose["translation"]) + by;
        pose["translation"] = json!(place.to_array());
    };
    for side in ["pose_a", "pose_b"] {
        if side == "pose_a" || line.get("b").is_some() {
            if line.get(side).is_none() {
                line[side] = json!({});
            }
            shift(&mut line[side]);
        }
    }
    if let Some(value) = line.get_mut("origin") {
        *value = json!((vector(value) + by).to_array());
    }
    for side in ["motion_a", "motion_b"] {
        let frames = line.get_mut(side).and_then(|motion| motion.get_mut("keyframes")?.as_array_mut());
        for frame in frames.into_iter().flatten() {
            shift(&mut frame["pose"]);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case;
    use clearance::{Impact, Interval, distance, time_of_impact};
    use clearance_io::QueryKind;
    use std::path::Path;

    /// Every variant of every case is a query, and the poses in it are as far apart and turned as before.
    #[test]
    fn variants_leave_what_is_between_the_bodies_as_it_is() {
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suite");
        for question in case::read_all(&suite).unwrap() {
            let plain = case::query(&question.line).unwrap();
            for variant in all(&question) {
                let other = case::query(&variant.line).unwrap_or_else(|error| panic!("{}: {error}", variant.line));
                let gap = |query: &clearance_io::Query| query.pose_b.translation().distance(query.pose_a.translation());
                assert!((gap(&plain) - gap(&other)).abs() <= 1e-13 * question.size, "{} {}", question.id, variant.how);
                assert_eq!(std::mem::discriminant(&plain.kind), std::mem::discriminant(&other.kind));
            }
        }
    }

    #[test]
    fn a_motion_turns_with_its_body() {
        let line = json!({"query": "impact", "a": {"cuboid": {"half_extents": [2, 0.1, 0.1]}}, "b": {"sphere": {"radius": 0.5}},
            "pose_b": {"translation": [0, 1.5, 0]}, "motion_a": {"linear": {"angular_velocity": [0, 0, 1]}}, "until": 3});
        let truth = Truth::Hit(0.4_f64.acos());
        let (file, id) = (String::new(), String::new());
        let question = Question { file, id, kind: Kind::Impact, line, truth, needs: Vec::new(), size: 2.0, place: 1.5 };
        for variant in all(&question) {
            let query = case::query(&variant.line).unwrap();
            let QueryKind::Impact(motions) = &query.kind else { panic!("{}", variant.line) };
            let [a, b] = motions.of_poses(query.pose_a, query.pose_b).unwrap();
            let Impact::Hit(hit) = time_of_impact(&query.a, &a, &query.b, &b, Interval::new(0.0, 3.0).unwrap()) else {
                panic!("{} misses", variant.how)
            };
            assert!((hit.lower - 0.4_f64.acos()).abs() < 1e-11, "{}: {}", variant.how, hit.lower);
            assert!(distance(&query.a, query.pose_a, &query.b, query.pose_b).is_apart());
        }
        assert_eq!(all(&question).len(), MOST);
    }
}
