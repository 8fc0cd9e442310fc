//! The hard cases of `suite/hard`, in every transformed variant, through the library and through the program.
//!
//! Each has a truth that was derived by hand. An answer passes when its distance is within 1e-11 of the size from the truth, its bracket
//! holds the truth and is closed, its witnesses fit, and its intersection test is right. Nothing may be NaN or infinite. A case marked
//! `"_open": true` is one whose bracket is known to stay open: it must still hold the truth.

use crate::common::variants::{self, Variant};
use crate::common::{run_in, suite};
use clearance::math::DVec3;
use clearance::{Engine, Pair, Status};
use clearance_io::Query;
use clearance_lab::judge::{Answer, NOTHING};
use clearance_lab::{Rng, random};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// How far a distance may be from the truth, as a part of the size.
const TOLERANCE: f64 = 1e-11;

/// A line of the suite.
struct Case {
    /// File and id.
    name: String,
    is_open: bool,
    line: Value,
}

/// The files of `suite/hard`.
fn files() -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(suite().join("hard")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// All lines of all of them.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for file in files() {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        for text in fs::read_to_string(&file).unwrap().lines() {
            let line: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{stem}: {error}: {text}"));
            let name = format!("{stem}/{}", line["id"].as_str().expect("an id"));
            cases.push(Case { name, is_open: line["_open"].as_bool() == Some(true), line });
        }
    }
    cases
}

/// The answer in a line of the program's output.
fn of_line(answer: &Value) -> Answer {
    let number = |name: &str| answer[name].as_f64().unwrap_or(f64::NEG_INFINITY);
    let vector = |name: &str| serde_json::from_value(answer[name].clone()).map_or(DVec3::NAN, DVec3::from_array);
    let all = [Status::Converged, Status::Open, Status::Stalled, Status::BadSupport];
    let status = all.into_iter().find(|status| answer["status"] == status.name());
    Answer {
        distance: number("distance"),
        lower: number("lower"),
        upper: number("upper"),
        point_a: vector("point_a"),
        point_b: vector("point_b"),
        normal: vector("normal"),
        status: status.expect("a status"),
    }
}

/// Is the truth pinned down? Else the bracket is open.
fn is_closed(found: &Answer, case: &Variant) -> bool {
    let infinite = case.truth.is_infinite() && found.lower == found.upper;
    let near = (found.distance - case.truth).abs() <= TOLERANCE * case.size + case.slack + NOTHING;
    found.is_closed() && (infinite || near)
}

/// Faults of an answer even if its bracket may be open.
fn fault(found: &Answer, case: &Variant) -> Option<&'static str> {
    let Variant { truth, slack, size, .. } = *case;
    if let Some(what) = found.fault(size) {
        return Some(what);
    }
    if truth.is_infinite() {
        return (found.distance != truth).then_some("not infinitely deep");
    }
    if !(found.lower.is_finite() && found.upper.is_finite()) {
        return Some("a bracket without an end");
    }
    let holds = found.lower <= truth + slack && truth - slack <= found.upper;
    (!holds).then_some("the bracket misses the truth")
}

/// Rewrites the marks of open cases to what was found, for whoever runs the test with `MARK_OPEN=1`.
fn mark(cases: &[Case], verdicts: &[Verdict]) {
    let open = |name: &str| cases.iter().zip(verdicts).any(|(case, verdict)| case.name == name && verdict.open > 0);
    for file in files() {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let marked = text.lines().map(|line| {
            let id = serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
            let plain = line.replace("\"_open\": true, ", "");
            let is_open = open(&format!("{stem}/{id}"));
            if is_open { plain.replacen("\"_expect\"", "\"_open\": true, \"_expect\"", 1) } else { plain }
        });
        fs::write(&file, marked.map(|line| line + "\n").collect::<String>()).unwrap();
    }
}

/// Faults of a case, and whether it left a bracket open.
#[derive(Default)]
struct Verdict {
    faults: Vec<String>,
    /// The widest bracket that is not closed, as a part of the size.
    widest: Option<(f64, String)>,
    open: usize,
    answers: usize,
}

impl Verdict {
    fn judge(&mut self, case: &Variant, name: &str, how: &str, found: &Answer) {
        self.answers += 1;
        let tell = |what: &str| {
            let Answer { distance, lower, upper, .. } = found;
            format!(
                "{name} ({}, {how}): {what}: {distance:e} in [{lower:e}, {upper:e}], truth {:e} within {:e}\n  {}",
                case.how, case.truth, case.slack, case.line
            )
        };
        if let Some(what) = fault(found, case) {
            self.faults.push(tell(what));
        }
        if !is_closed(found, case) {
            self.open += 1;
            let width = (found.upper - found.lower) / case.size;
            if self.widest.as_ref().is_none_or(|(widest, _)| width > *widest) {
                self.widest = Some((width, tell("open")));
            }
        }
    }

    /// Everything a library can be asked about a pair.
    fn ask(&mut self, case: &Variant, name: &str) {
        let Query { a, pose_a, b, pose_b, .. } = variants::query(&case.line);
        for engine in Engine::ALL {
            let mut pair = Pair::new(&a, &b).engine(engine);
            for warm in ["cold", "warm"] {
                let found = Answer::from(&pair.distance(pose_a, pose_b));
                self.judge(case, name, &format!("{engine:?}, {warm}"), &found);
            }
            // Closer to touching than the tolerance either answer is right.
            if case.truth.abs() > TOLERANCE * case.size + case.slack {
                pair.reset();
                for warm in ["cold", "warm"] {
                    if pair.intersects(pose_a, pose_b) != (case.truth < 0.0) {
                        self.faults.push(format!("{name} ({}, {engine:?}, {warm}): intersects is wrong", case.how));
                    }
                }
            }
        }
    }
}

/// The verdicts over all cases, in parallel.
fn verdicts(cases: &[Case], judge: impl Fn(&Case) -> Verdict + Sync) -> Vec<Verdict> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut all: Vec<(usize, Verdict)> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(case) = cases.get(index) else { return done };
                done.push((index, judge(case)));
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, verdict)| verdict).collect()
}

/// Fails with the first faults, with brackets that should be closed, and with marks that have become wrong.
fn report(cases: &[Case], verdicts: &[Verdict]) {
    let (mut text, mut faults, mut open, mut stale) = (String::new(), 0, 0, 0);
    for (case, verdict) in cases.iter().zip(verdicts) {
        faults += verdict.faults.len();
        for fault in verdict.faults.iter().take(2) {
            let _ = writeln!(text, "FAULT {fault}");
        }
        match (case.is_open, &verdict.widest) {
            (false, Some((width, widest))) => {
                faults += 1;
                let _ = writeln!(
                    text,
                    "OPEN in {} of {} answers, up to {width:.1e} of the size: {widest}",
                    verdict.open, verdict.answers
                );
            }
            (true, None) => {
                stale += 1;
                let _ = writeln!(text, "CLOSED, so it must lose its mark: {}", case.name);
            }
            (true, Some(_)) => open += 1,
            (false, None) => {}
        }
    }
    let answers: usize = verdicts.iter().map(|verdict| verdict.answers).sum();
    println!("{} cases, {answers} answers, {open} cases known to be open", cases.len());
    assert!(faults == 0 && stale == 0, "{faults} faults, {stale} marks gone stale\n{text}");
}

#[test]
fn every_case_has_a_name_of_its_own_a_truth_and_a_reason() {
    let cases = cases();
    assert!(cases.len() >= 500, "{} cases", cases.len());
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len());
    for Case { name, line, .. } in &cases {
        let expect = &line["_expect"];
        let has_truth = expect["distance"].is_f64() || expect["distance"].is_i64() || expect["infinite"] == true;
        assert!(has_truth, "{name} has no truth");
        assert!(expect["why"].as_str().is_some_and(|why| why.len() >= 5), "{name} gives no reason");
    }
}

/// The truths against the definition: the signed distance is the largest separation along any direction. None may exceed
/// the truth, and a climb from the best of many comes close to it.
#[test]
fn no_direction_separates_a_case_by_more_than_its_truth() {
    for Case { name, line, .. } in cases() {
        let plain = variants::all(&line).pop().expect("the case as it is");
        let Query { a, pose_a, b, pose_b, .. } = variants::query(&plain.line);
        let (Some(core_a), Some(core_b)) = (a.convex(), b.convex()) else { continue };
        let between = pose_b.translation() - pose_a.translation();
        let separation = |n: DVec3| {
            let (d_a, d_b) = (pose_a.inverse_transform_vector(n), pose_b.inverse_transform_vector(-n));
            let heights = core_a.support(d_a).dot(d_a) + core_b.support(d_b).dot(d_b);
            between.dot(n) - heights - core_a.radius() - core_b.radius()
        };
        let mut rng = Rng::with_seed(9);
        let grid = (0..27).map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - DVec3::ONE);
        let grid: Vec<DVec3> = grid.filter_map(DVec3::try_normalize).collect();
        let turned = [pose_a, pose_b].map(|pose| grid.iter().map(|&d| pose.transform_vector(d)).collect::<Vec<_>>());
        let drawn: Vec<DVec3> = (0..1000).map(|_| random::direction(&mut rng)).collect();
        let (mut best, mut n) = (f64::NEG_INFINITY, DVec3::X);
        for d in turned.into_iter().flatten().chain(drawn) {
            if separation(d) > best {
                (best, n) = (separation(d), d);
            }
        }
        let mut step = 0.3;
        for _ in 0..400 {
            let next = (n + step * random::direction(&mut rng)).normalize();
            if separation(next) > best {
                (best, n) = (separation(next), next);
            } else {
                step *= 0.95;
            }
        }
        let most = plain.truth + plain.slack + 16.0 * f64::EPSILON * plain.size;
        assert!(best <= most, "{name}: the direction {n} separates by {best:e}, more than {:e}", plain.truth);
        assert!(best >= plain.truth - 0.02 * plain.size, "{name}: no direction comes near {:e}: {best:e}", plain.truth);
    }
}

#[test]
fn every_hard_case_is_right_in_every_variant_by_every_engine() {
    let cases = cases();
    let verdicts = verdicts(&cases, |case| {
        let mut verdict = Verdict::default();
        for variant in variants::all(&case.line) {
            verdict.ask(&variant, &case.name);
        }
        verdict
    });
    if std::env::var_os("MARK_OPEN").is_some() {
        return mark(&cases, &verdicts);
    }
    report(&cases, &verdicts);
}

#[test]
fn the_program_answers_every_hard_case_in_every_variant() {
    let cases = cases();
    let variants: Vec<Vec<Variant>> = cases.iter().map(|case| variants::all(&case.line)).collect();
    let lines: Vec<String> = variants.iter().flatten().map(|case| case.line.to_string()).collect();
    let mut verdicts: Vec<Verdict> = cases.iter().map(|_| Verdict::default()).collect();
    let run = run_in(&suite(), &["query", "-"], lines.join("\n").as_bytes());
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let mut answers = run.stdout.lines();
    for ((case, verdict), variants) in cases.iter().zip(&mut verdicts).zip(&variants) {
        for variant in variants {
            let answer: Value = serde_json::from_str(answers.next().expect("an answer for every line")).unwrap();
            assert_eq!(answer["id"], case.line["id"], "answers come in the order of the queries");
            verdict.judge(variant, &case.name, "program", &of_line(&answer));
        }
    }
    assert!(answers.next().is_none(), "more answers than queries");
    // The library's test has shown which cases leave a bracket open somewhere; here some of them may be closed.
    let marked: Vec<Case> = cases
        .into_iter()
        .zip(&verdicts)
        .map(|(case, verdict)| Case { is_open: case.is_open && verdict.open > 0, ..case })
        .collect();
    report(&marked, &verdicts);
}
