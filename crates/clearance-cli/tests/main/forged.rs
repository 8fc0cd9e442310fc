//! Evidence that is forged at random: no forgery proves a false statement about a pair.
//!
//! Each forgery cuts, doubles, shuffles or mixes the lines of honest evidence, or changes numbers, words and bytes in them. All pairs of
//! the honest evidence are proved, so the reader must never count more clear pairs, or more that meet, than there. Without a new trailer it must notice
//! every change.

use crate::bound::{Case, honest, with_id_first};
use clearance_io::proof::{Asked, EvidenceReader, LineHash, PairCounts, SceneDemand};
use clearance_io::{FileLog, Scene};
use clearance_lab::Rng;
use clearance_verify::Verdict;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Is it accepted, and what is proved of the pairs?
fn judge(demand: &SceneDemand, lines: &[String]) -> (bool, PairCounts) {
    let mut reader = EvidenceReader::new(Some(demand));
    let (mut hash, mut is_accepted) = (LineHash::default(), true);
    for (index, line) in lines.iter().enumerate() {
        if !line.trim().is_empty() {
            match reader.read(line, index as u64 + 1, &hash) {
                Ok(Some(judged)) => is_accepted &= judged.verdict == Some(Verdict::Proved),
                Ok(None) => {}
                Err(_) => is_accepted = false,
            }
        }
        hash.add(format!("{line}\n").as_bytes());
    }
    let (problems, counts) = reader.finish();
    (is_accepted && problems.is_empty(), counts.unwrap_or_default())
}

/// The path of a number or a word somewhere in a value.
fn leaf(rng: &mut Rng, value: &Value) -> String {
    match value {
        Value::Array(list) if !list.is_empty() => {
            let at = rng.usize(..list.len());
            format!("/{at}{}", leaf(rng, &list[at]))
        }
        Value::Object(map) if !map.is_empty() => {
            let name = map.keys().nth(rng.usize(..map.len())).unwrap();
            format!("/{name}{}", leaf(rng, &map[name]))
        }
        _ => String::new(),
    }
}

fn change(rng: &mut Rng, line: &mut Value) {
    // Proofs are long: the answer and the question get their share.
    let field = match rng.usize(..3) {
        0 => "request",
        1 => "proof",
        _ => {
            let names = ["within", "impact", "distance", "lower", "upper", "time", "closest_approach", "point_a"];
            let given: Vec<&str> = names.into_iter().filter(|name| !line[*name].is_null()).collect();
            if given.is_empty() { "request" } else { given[rng.usize(..given.len())] }
        }
    };
    let path = leaf(rng, &line[field]);
    if let Some(place) = line[field].pointer_mut(&path) {
        *place = match place.take() {
            Value::Bool(yes) => json!(!yes),
            Value::Number(number) => match (number.as_f64().unwrap(), rng.usize(..6)) {
                (x, 0) => json!(-x),
                (x, 1) => json!(x + 1e-3),
                (x, 2) => json!(x * (1.0 + 1e-12)),
                (x, 3) => json!(10.0 * x),
                (_, 4) => json!(0),
                _ => json!(rng.u32(..20)),
            },
            Value::String(_) => json!(["clear", "hit", "touching", "0", "1", "converged"][rng.usize(..6)]),
            _ => json!(1e9),
        };
    }
}

/// One step of a forgery.
fn forge(rng: &mut Rng, lines: &mut Vec<String>, foreign: &[String]) {
    if lines.is_empty() {
        return;
    }
    let (at, other) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    match rng.usize(..12) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => lines.truncate(at),
        4 => {
            let middle = rng.usize(..=lines[at].len());
            if lines[at].is_char_boundary(middle) {
                lines[at].truncate(middle);
            }
        }
        5 => lines[at] = foreign[at.min(foreign.len() - 1)].clone(),
        6 => lines[at..].reverse(),
        7 => {
            // The answer of one pair under the name of another.
            let start = |line: &str| line.find("],").filter(|_| line.starts_with("{\"id\":["));
            if let (Some(a), Some(b)) = (start(&lines[at]), start(&lines[other])) {
                lines[at] = format!("{}{}", &lines[at][..a], &lines[other][b..]);
            }
        }
        8 => {
            let mut bytes = lines[at].clone().into_bytes();
            if let Some(byte) = bytes.first_mut() {
                *byte ^= 1 << rng.usize(..5);
            }
            lines[at] = String::from_utf8_lossy(&bytes).into_owned();
        }
        _ => {
            if let Ok(mut line) = serde_json::from_str::<Value>(&lines[at])
                && !line["id"].is_null()
            {
                change(rng, &mut line);
                lines[at] = with_id_first(line);
            }
        }
    }
}

/// `CASES=100000` is the long form.
#[test]
fn no_forgery_proves_more_than_the_honest_evidence() {
    let cases: usize = std::env::var("CASES").map_or(600, |text| text.parse().unwrap());
    for (name, is_moving) in [("forged resting", false), ("forged moving", true)] {
        let Case { lines: honest_lines, .. } = honest(name, is_moving);
        let foreign = honest(&format!("{name} foreign"), !is_moving).lines;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace(' ', "_"));
        let log = FileLog::on();
        let scene = Scene::read_logged(&folder.join("s.json"), &log).unwrap();
        let (margin, until) = if is_moving { (0.0, Some(2.0)) } else { (0.3, None) };
        let demand = SceneDemand::new(&scene, &Asked { files: log.files(), margin, until, ..Asked::default() });
        let (is_accepted, truth) = judge(&demand, &honest_lines);
        assert!(is_accepted && truth.open == 0 && truth.clear > 0 && truth.meet > 0, "{truth:?}");
        let mut rng = Rng::with_seed(30);
        let mut accepted = 0;
        for number in 0..cases / 2 {
            let mut lines = honest_lines.clone();
            for _ in 0..=rng.usize(..3) {
                forge(&mut rng, &mut lines, &foreign);
            }
            if lines == honest_lines {
                continue;
            }
            let is_sealed = rng.usize(..4) > 0;
            if is_sealed {
                let mut case = Case { scene: Value::Null, part: String::new(), lines, options: Vec::new() };
                case.seal();
                lines = case.lines;
            }
            let (is_accepted, found) = judge(&demand, &lines);
            let keep = || fs::write(folder.join("forged.jsonl"), lines.join("\n") + "\n").unwrap();
            if found.clear > truth.clear || found.meet > truth.meet || is_accepted && (found != truth || !is_sealed) {
                keep();
                panic!("{name}, {number}: {found:?} instead of {truth:?}, accepted: {is_accepted}");
            }
            accepted += usize::from(is_accepted);
        }
        // Some changes do no harm: evidence has room for a little, and the line about a depth may be missing.
        println!("{name}: {accepted} of {} forgeries do no harm", cases / 2);
        assert!(accepted * 2 < cases, "{accepted}");
    }
}
