//! Every claim of the papers comes out as PAPERS.md says: the quick form is run, and its verdicts are held against the table there, line by line.
//!
//! If a verdict changes, find out why first. `cargo run --release -p clearance-papers -- --quick` has the numbers behind it.

use clearance_papers::{CLAIMS, Effort, PAPERS, run};
use std::collections::BTreeMap;

/// The heading of the table.
const HEADING: &str = "## What comes out";

/// The lines of the table: numbers, verdicts and sentences.
fn table() -> Vec<[String; 3]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../PAPERS.md");
    let text = std::fs::read_to_string(path).expect("PAPERS.md is there");
    let part = text.split(HEADING).nth(1).unwrap_or_else(|| panic!("PAPERS.md has no part called \"{HEADING}\""));
    let part = part.split("\n## ").next().expect("a part");
    let rows = part.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let cells: [&str; 3] =
            cells.try_into().unwrap_or_else(|_| panic!("this line of PAPERS.md has not three cells: {line}"));
        cells.map(str::to_owned)
    })
    .collect()
}

#[test]
fn the_table_has_a_line_for_every_claim_in_their_order() {
    let table = table();
    let numbers: Vec<&str> = table.iter().map(|[number, ..]| number.as_str()).collect();
    for claim in CLAIMS {
        let lines = numbers.iter().filter(|number| **number == claim.number).count();
        assert_eq!(lines, 1, "PAPERS.md, \"{HEADING}\", must have one line for {}: {}", claim.number, claim.text);
    }
    let claims: Vec<&str> = CLAIMS.iter().map(|claim| claim.number).collect();
    assert_eq!(numbers, claims, "PAPERS.md has a line for a claim that there is not, or another order");
    for [number, verdict, sentence] in &table {
        assert!(
            ["agrees", "partly", "differs", "not there yet"].contains(&verdict.as_str()),
            "PAPERS.md says of {number} that it \"{verdict}\", which is no verdict"
        );
        assert!(sentence.ends_with('.'), "PAPERS.md says nothing of {number}, or no sentence: \"{sentence}\"");
    }
}

/// Runs a paper and compares.
fn verdicts_are_those_of_the_table(name: &str) {
    let said: BTreeMap<String, String> = table().into_iter().map(|[number, verdict, _]| (number, verdict)).collect();
    let paper = PAPERS.iter().find(|paper| paper.name == name).expect("a paper");
    let mut wrong = Vec::new();
    let rows = run(paper, Effort::Quick, &mut |_| {});
    for row in &rows {
        let (number, found) = (row.claim.number, row.verdict.to_string());
        match said.get(number) {
            None => wrong.push(format!("{number} ({found}) has no line in PAPERS.md")),
            Some(verdict) if *verdict != found => {
                let values: Vec<String> =
                    row.values.iter().map(|v| format!("{} {} {}", v.name, v.value, v.unit)).collect();
                wrong.push(format!("{number} is \"{found}\", and PAPERS.md says \"{verdict}\": {}", values.join("; ")));
            }
            Some(_) => {}
        }
        // Every figure is drawn from a table of its row, and every number of it is one.
        for figure in &row.figures {
            assert!(row.tables.iter().any(|table| table.name == figure.table), "{number}: {}", figure.title);
            assert!(figure.curves.iter().all(|(_, points)| !points.is_empty()), "{number}: {} is empty", figure.title);
        }
        assert!(row.values.iter().all(|value| value.value.is_finite()), "{number}: {:?}", row.values);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let claims = CLAIMS.iter().filter(|claim| claim.number.starts_with(paper.letter)).count();
    assert_eq!(rows.len(), claims, "a row for every claim");
}

// One test for each paper, so that they run side by side.

#[test]
fn vclip() {
    verdicts_are_those_of_the_table("vclip");
}

#[test]
fn gjk() {
    verdicts_are_those_of_the_table("gjk");
}

#[test]
fn separating_vector() {
    verdicts_are_those_of_the_table("separating-vector");
}

#[test]
fn two_phase() {
    verdicts_are_those_of_the_table("two-phase");
}

#[test]
fn penetration_depth() {
    verdicts_are_those_of_the_table("penetration-depth");
}
