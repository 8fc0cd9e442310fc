//! Every case of `suite/pairs.jsonl`, through the library and through the program.

use crate::common::{run_in, suite};
use clearance::math::DVec3;
use clearance::{Clearance, Engine, Pair};
use clearance_io::{Definitions, Folder, Query, QueryKind};
use clearance_lab::judge;
use serde_json::Value;
use std::fs;

/// The truth of a case.
struct Expected {
    name: String,
    distance: Option<f64>,
    tolerance: f64,
    normal: Option<DVec3>,
    intersects: Option<bool>,
    within: Option<bool>,
}

impl Expected {
    fn of(line: &Value) -> Self {
        let expect = &line["_expect"];
        let vector = |value: &Value| serde_json::from_value::<[f64; 3]>(value.clone()).ok().map(DVec3::from_array);
        Self {
            name: line["id"].to_string(),
            distance: expect["distance"].as_f64(),
            tolerance: expect["tolerance"].as_f64().unwrap_or(1e-11),
            normal: vector(&expect["normal"]),
            intersects: expect["intersects"].as_bool(),
            within: expect["within"].as_bool(),
        }
    }

    /// Faults of an answer, one line each.
    fn faults(&self, query: &Query, c: &Clearance, how: &str) -> Vec<String> {
        let t = self.tolerance;
        let Query { a, pose_a, b, pose_b, .. } = query;
        let mut faults = Vec::new();
        let mut require = |holds: bool, what: &str| {
            if !holds {
                faults.push(format!("{} ({how}): {what}: {c:?}", self.name));
            }
        };
        if let Some(what) = judge::fault(a, *pose_a, b, *pose_b, c) {
            require(false, &what);
        }
        if let Some(truth) = self.distance {
            require(c.lower <= truth + t && truth - t <= c.upper, "bracket misses the truth");
            require(truth > 0.0 || c.distance <= t, "distance says apart");
            require(truth <= 0.0 || (c.distance - truth).abs() <= t, "distance is wrong");
            require(truth <= 0.0 || c.upper - c.lower <= 4.0 * t, "bracket is wide");
        }
        if let Some(normal) = self.normal {
            require((c.normal - normal).length() < 1e-6, "normal is wrong");
        }
        if let Some(intersects) = self.intersects {
            require((c.lower <= 0.0) == intersects, "bracket contradicts the intersection test");
        }
        faults
    }
}

/// All queries of the file with what is expected of them.
fn queries() -> Vec<(Query, Expected)> {
    let text = fs::read_to_string(suite().join("pairs.jsonl")).unwrap();
    let folder = Folder::new(suite());
    let mut definitions = Definitions::new();
    let lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
        let query = definitions.read(line, number, &folder).unwrap_or_else(|line| panic!("{}", line.error));
        query.map(|query| (query, Expected::of(&serde_json::from_str(line).unwrap())))
    });
    lines.collect()
}

fn assert_none(faults: &[String]) {
    let count = faults.len();
    assert!(faults.is_empty(), "{count} faults, the first of them:\n{}", faults[..count.min(10)].join("\n"));
}

#[test]
fn every_case_can_be_read_and_says_what_it_expects() {
    let queries = queries();
    assert!(queries.len() >= 100);
    for (_, expected) in &queries {
        let says = expected.distance.is_some() || expected.intersects.is_some() || expected.within.is_some();
        assert!(says, "{} expects nothing", expected.name);
    }
}

#[test]
fn every_engine_is_right_in_both_orders_cold_and_warm() {
    let mut faults = Vec::new();
    for (query, expected) in queries() {
        let Query { a, pose_a, b, pose_b, .. } = &query;
        for engine in Engine::ALL {
            let mut pair = Pair::new(a, b).engine(engine);
            faults.extend(expected.faults(&query, &pair.distance(*pose_a, *pose_b), &format!("{engine:?}")));
            faults.extend(expected.faults(&query, &pair.distance(*pose_a, *pose_b), &format!("{engine:?}, warm")));
            let swapped = Pair::new(b, a).engine(engine).distance(*pose_b, *pose_a).swapped();
            faults.extend(expected.faults(&query, &swapped, &format!("{engine:?}, swapped")));
        }
    }
    assert_none(&faults);
}

#[test]
fn yes_and_no_agree_with_the_distance() {
    let mut faults = Vec::new();
    for (query, expected) in queries() {
        let Query { a, pose_a, b, pose_b, kind, .. } = query;
        for engine in Engine::ALL {
            let mut pair = Pair::new(&a, &b).engine(engine);
            let mut require = |holds: bool, what: &str| {
                if !holds {
                    faults.push(format!("{} ({engine:?}): {what}", expected.name));
                }
            };
            // Within the tolerance of touching either answer is right.
            let clear = expected.distance.filter(|d| d.abs() > expected.tolerance).map(|d| d < 0.0);
            if let Some(truth) = expected.intersects.or(clear) {
                require(pair.intersects(pose_a, pose_b) == truth, "intersects is wrong");
            }
            if let Some(truth) = expected.distance.filter(|truth| *truth >= 0.0) {
                let (less, more) = (truth - 4.0 * expected.tolerance, truth + 4.0 * expected.tolerance);
                require(pair.within(pose_a, pose_b, more).is_some(), "within misses");
                require(truth == 0.0 || pair.within(pose_a, pose_b, less).is_none(), "within finds too much");
            }
            if let (&QueryKind::Within { margin }, Some(truth)) = (&kind, expected.within) {
                require(pair.within(pose_a, pose_b, margin).is_some() == truth, "within is wrong");
            }
        }
    }
    assert_none(&faults);
}

#[test]
fn the_program_answers_as_the_suite_expects() {
    let text = fs::read_to_string(suite().join("pairs.jsonl")).unwrap();
    for engine in ["auto", "gjk", "vclip", "separating_vector"] {
        let run = run_in(&suite(), &["query", "pairs.jsonl", "--engine", engine], b"");
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let asked: Vec<Value> = lines.filter(|line| line.get("define").is_none()).collect();
        assert_eq!(run.stdout.lines().count(), asked.len());
        let mut faults = Vec::new();
        for (answer, line) in run.stdout.lines().zip(&asked) {
            let answer: Value = serde_json::from_str(answer).unwrap();
            let expected = Expected::of(line);
            assert_eq!(answer["id"], line["id"], "answers come in the order of the queries");
            let mut require = |holds: bool| {
                if !holds {
                    faults.push(format!("{} ({engine}): {answer}", expected.name));
                }
            };
            match line["query"].as_str().unwrap() {
                "intersects" => require(answer["intersects"].as_bool() == expected.intersects),
                query => {
                    if query == "within" {
                        require(answer["within"].as_bool() == expected.within);
                    }
                    if let Some(truth) = expected.distance {
                        let found = answer["distance"].as_f64().unwrap_or(f64::NAN);
                        let (low, high) = if truth > 0.0 { (truth, truth) } else { (f64::NEG_INFINITY, 0.0) };
                        require(low - expected.tolerance <= found && found <= high + expected.tolerance);
                    }
                }
            }
        }
        assert_none(&faults);
    }
}
