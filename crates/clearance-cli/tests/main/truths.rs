//! The files of the suite about other queries than pairs: intersections, meshes, depths of solids, rays, casts and times of impact, each
//! with a truth in closed form. They run through the library and through the program, as written and swapped.

use crate::common::{run_in, suite};
use clearance::{Interval, Ray, Sweep, cast_ray, cast_shape, depth, distance, intersects, time_of_impact};
use clearance_io::{Answer, Definitions, Folder, Query, QueryKind};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// How far an answer may be from the truth, as a part of the size or of the interval.
const TOLERANCE: f64 = 1e-11;

const FILES: [&str; 5] = ["intersects", "meshes", "depths", "rays", "impacts"];

/// A line, and the file that it is in.
struct Case {
    name: String,
    line: Value,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for file in FILES {
        for text in fs::read_to_string(suite().join(format!("{file}.jsonl"))).unwrap().lines() {
            let line: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}: {text}"));
            cases.push(Case { name: format!("{file}/{}", line["id"].as_str().expect("an id")), line });
        }
    }
    cases
}

/// A and B exchanged, where both are bodies of the same standing.
fn swapped(line: &Value) -> Option<Value> {
    let mut other = line.clone();
    if line["query"] == "cast" {
        return None;
    }
    for (one, two) in [("a", "b"), ("pose_a", "pose_b"), ("motion_a", "motion_b")] {
        let nothing = if one == "motion_a" { json!({"fixed": {}}) } else { json!({}) };
        let [first, second] = [one, two].map(|name| line.get(name).cloned().unwrap_or_else(|| nothing.clone()));
        if line["query"] == "impact" || one != "motion_a" {
            other[one] = second;
            other[two] = first;
        }
    }
    Some(other)
}

fn query(line: &Value) -> Query {
    let read = Definitions::new().read(&line.to_string(), 1, &Folder::none());
    read.unwrap_or_else(|fault| panic!("{line}: {}", fault.error)).expect("a query")
}

/// The library's answer, written as the program writes it.
fn answer(query: &Query) -> Value {
    let Query { a, pose_a, b, pose_b, kind, .. } = query;
    let (pose_a, pose_b) = (*pose_a, *pose_b);
    let answer = match kind {
        QueryKind::Intersects => Answer::Intersects(intersects(a, pose_a, b, pose_b)),
        QueryKind::Distance => Answer::Distance(distance(a, pose_a, b, pose_b)),
        QueryKind::Depth(budget) => Answer::Depth(depth(a, pose_a, b, pose_b, *budget)),
        QueryKind::CastRay { direction, max } => {
            Answer::CastRay(cast_ray(a, pose_a, &Ray::new(pose_b.translation(), *direction, *max).unwrap()))
        }
        QueryKind::CastShape { direction, max } => {
            Answer::CastShape(cast_shape(a, pose_a, b, &Sweep::new(pose_b, *direction, *max).expect("a way")))
        }
        QueryKind::Impact(motions) => {
            let [motion_a, motion_b] = motions.of_poses(pose_a, pose_b).expect("motions");
            let found = time_of_impact(a, &motion_a, b, &motion_b, Interval::new(motions.from, motions.until).unwrap());
            Answer::Impact(found)
        }
        QueryKind::Within { .. } => panic!("the suite does not ask that here"),
    };
    serde_json::from_str(&answer.to_line(query.id.as_deref(), Some([a, b]))).expect("JSON")
}

/// Faults of an answer.
fn fault(line: &Value, answer: &Value) -> Option<&'static str> {
    let expect = &line["_expect"];
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let query = query(line);
    let reach = |shape: &clearance::Shape| Some(shape.bounding_radius()).filter(|r| r.is_finite()).unwrap_or(0.0);
    let between = (query.pose_b.translation() - query.pose_a.translation()).length();
    let size = reach(&query.a).max(reach(&query.b)).max(between);
    let slack = TOLERANCE * size;
    let is_near = |found: &Value, truth: f64, slack: f64| (number(found) - truth).abs() <= slack;
    // An infinite bound is written as null.
    let holds = |answer: &Value, truth: f64| {
        let above = answer["upper"].is_null() || truth <= number(&answer["upper"]) + 1e-3 * slack;
        above && number(&answer["lower"]) <= truth + 1e-3 * slack
    };
    if answer.get("error").is_some() {
        return Some("an error");
    }
    match line["query"].as_str().expect("a query") {
        "intersects" => (answer["intersects"] != expect["intersects"]).then_some("yes for no"),
        "distance" => {
            let truth = number(&expect["distance"]);
            if truth >= 0.0 && !is_near(&answer["distance"], truth, slack) {
                return Some("the distance is wrong");
            }
            (!holds(answer, truth)).then_some("the bracket misses the truth")
        }
        "depth" => {
            let truth = number(&expect["depth"]);
            if !holds(answer, truth) {
                return Some("the bracket misses the truth");
            }
            (!is_near(&answer["depth"], truth, slack)).then_some("the bracket is wide")
        }
        "cast" => {
            if answer["hit"] != expect["hit"] {
                return Some("a hit for a miss");
            }
            let truth = number(&expect["distance"]);
            let right = expect["hit"] == false || is_near(&answer["distance"], truth, TOLERANCE * size.max(truth));
            (!(right && (expect["hit"] == false || holds(answer, truth)))).then_some("the distance is wrong")
        }
        "impact" => {
            if answer["impact"] != expect["impact"] {
                return Some("a hit for a miss");
            }
            let interval = number(&line["until"]) - line["from"].as_f64().unwrap_or(0.0);
            let time = expect["time"].as_f64();
            let on_time = time.is_none_or(|truth| is_near(&answer["time"], truth, TOLERANCE * interval));
            let in_bounds = time.is_none_or(|truth| holds(answer, truth));
            let closest = expect["closest"].as_f64();
            let close = closest.is_none_or(|truth| holds(&answer["closest_approach"], truth));
            (!(on_time && in_bounds && close)).then_some("the time or the approach is wrong")
        }
        other => panic!("{other} is no question of these files"),
    }
}

#[test]
fn every_case_has_a_name_of_its_own_and_a_reason() {
    let cases = cases();
    assert!(cases.len() >= 250, "{} cases", cases.len());
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len());
    for Case { name, line } in &cases {
        let why = line["_expect"]["why"].as_str().unwrap_or_default();
        assert!(why.len() >= 3, "{name} gives no reason");
        assert!(line.to_string().len() < 4000, "{name} is long");
        // Both truths of a line say the same.
        let (distance, yes) = (line["_expect"]["distance"].as_f64(), line["_expect"]["intersects"].as_bool());
        if let (Some(distance), Some(yes)) = (distance, yes) {
            assert_eq!(distance <= 0.0, yes, "{name}");
        }
    }
}

#[test]
fn the_library_knows_every_truth_as_written_and_swapped() {
    let mut faults = Vec::new();
    for Case { name, line } in cases() {
        for line in [Some(line.clone()), swapped(&line)].into_iter().flatten() {
            let found = answer(&query(&line));
            faults.extend(fault(&line, &found).map(|what| format!("{name}: {what}: {found}\n  {line}")));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The distances beside truths of yes and no are true, too.
#[test]
fn the_margins_of_intersections_are_the_distances() {
    for Case { name, line } in cases() {
        let Some(truth) = line["_expect"]["distance"].as_f64().filter(|_| line["query"] == "intersects") else {
            continue;
        };
        let Query { a, pose_a, b, pose_b, .. } = query(&line);
        let found = distance(&a, pose_a, &b, pose_b);
        assert!(found.lower <= truth + 1e-12 && truth - 1e-12 <= found.upper, "{name}: {truth} and {found:?}");
    }
}

#[test]
fn the_program_answers_every_file_as_it_is() {
    for file in FILES {
        let run = run_in(&suite(), &["query", &format!("{file}.jsonl")], b"");
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
        let of_file: Vec<Case> =
            cases().into_iter().filter(|case| case.name.starts_with(&format!("{file}/"))).collect();
        assert_eq!(run.stdout.lines().count(), of_file.len());
        for (text, Case { name, line }) in run.stdout.lines().zip(&of_file) {
            let answer: Value = serde_json::from_str(text).unwrap();
            assert_eq!(answer["id"], line["id"], "answers come in the order of the queries");
            assert_eq!(fault(line, &answer), None, "{name}: {answer}");
        }
    }
}
