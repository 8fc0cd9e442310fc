//! Every claim of the papers comes out as `bench/papers/verdicts.md` says: the quick form is run, and its verdicts and numbers are compared with the table there, line by line.
//!
//! * A number in a sentence of that table, or in the "why" of a row, is a value of that row, rounded as it is written. A setting may stand in the
//!   words of the claim or of the row's names. A time, which differs from run to run, may be off by a factor of [`NOISE`].
//!
//! If a verdict changes, find out why first. `cargo run --release -p clearance-papers -- --quick` has the numbers behind it.

use clearance_papers::{CLAIMS, Effort, PAPERS, Row, run};
use std::collections::BTreeMap;

/// The lines of the table: numbers, verdicts and sentences.
fn table() -> Vec<[String; 3]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/papers/verdicts.md");
    let text = std::fs::read_to_string(path).expect("the table is there");
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let cells: [&str; 3] =
            cells.try_into().unwrap_or_else(|_| panic!("this line of verdicts.md has not three cells: {line}"));
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
        assert_eq!(lines, 1, "verdicts.md must have one line for {}: {}", claim.number, claim.text);
    }
    let claims: Vec<&str> = CLAIMS.iter().map(|claim| claim.number).collect();
    assert_eq!(numbers, claims, "verdicts.md has a line for a claim that there is not, or another order");
    for [number, verdict, sentence] in &table {
        assert!(
            ["agrees", "partly", "differs", "not there yet"].contains(&verdict.as_str()),
            "verdicts.md says of {number} that it \"{verdict}\", which is no verdict"
        );
        assert!(sentence.ends_with('.'), "verdicts.md says nothing of {number}, or no sentence: \"{sentence}\"");
    }
}

/// Times of two runs differ by no more, also where other programs run beside them.
const NOISE: f64 = 2.5;

/// Numbers after these words are names of parts of a paper.
const PARTS: [&str; 12] = [
    "definition",
    "figure",
    "figures",
    "lemma",
    "theorem",
    "section",
    "sections",
    "algorithm",
    "line",
    "lines",
    "formula",
    "table",
];

/// The numbers of a text: their values, and half a unit of their last digit. Digits that belong to a name, such as V12 or "figures 9 to 12", are none.
fn numbers(text: &str) -> Vec<[f64; 2]> {
    let c: Vec<char> = text.chars().collect();
    let digit = |i: usize| c.get(i).is_some_and(char::is_ascii_digit);
    let mut found = Vec::new();
    let mut i = 0;
    // Where the last name ended.
    let mut name_end = usize::MAX;
    while i < c.len() {
        if !digit(i) {
            i += 1;
            continue;
        }
        let before: String = c[..i].iter().collect();
        let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
        let is_part = PARTS.contains(&last.trim_start_matches(|c: char| !c.is_alphanumeric())) && before.ends_with(' ')
            || name_end < i && [" to ", " and ", ", ", "."].contains(&&*c[name_end..i].iter().collect::<String>());
        let is_name = i > 0 && (c[i - 1].is_alphabetic() || c[i - 1] == '_');
        let (mut word, mut decimals) = (String::new(), 0);
        loop {
            if digit(i) {
                word.push(c[i]);
                i += 1;
            } else if c.get(i) == Some(&',') && digit(i + 1) && digit(i + 2) && digit(i + 3) && !digit(i + 4) {
                // Thousands.
                i += 1;
            } else {
                break;
            }
        }
        if c.get(i) == Some(&'.') && digit(i + 1) {
            word.push('.');
            i += 1;
            while digit(i) {
                word.push(c[i]);
                decimals += 1;
                i += 1;
            }
        }
        let mut exponent = 0;
        if c.get(i) == Some(&'e') && (digit(i + 1) || c.get(i + 1) == Some(&'-') && digit(i + 2)) {
            let start = i + 1;
            i += 2;
            while digit(i) {
                i += 1;
            }
            exponent = c[start..i].iter().collect::<String>().parse().expect("digits");
        }
        if is_part {
            name_end = i;
        } else if !is_name {
            let scale = 10_f64.powi(exponent);
            found.push([word.parse::<f64>().expect("digits") * scale, 0.5 * scale * 10_f64.powi(-decimals)]);
        }
    }
    found
}

#[test]
fn numbers_of_sentences_are_read() {
    let values: Vec<f64> = numbers("From 42 to 20,480 in V12 (figures 9 to 12), 0.05 % or 1e-6; n = 500: 2.5e3.")
        .iter()
        .map(|n| n[0])
        .collect();
    assert_eq!(values, [42.0, 20480.0, 0.05, 1e-6, 500.0, 2500.0]);
    assert!((numbers("1.25")[0][1] - 0.005).abs() < 1e-15 && numbers("3e-6")[0][1] == 0.5e-6);
}

/// The numbers of a sentence that the row does not have.
fn unknown(sentence: &str, row: &Row) -> Vec<f64> {
    let names = row.values.iter().map(|value| format!("{} {}", value.name, value.unit));
    let columns = row.tables.iter().flat_map(|table| table.columns.iter().cloned());
    let words = [row.claim.text.to_owned(), row.claim.section.to_owned()];
    let said: Vec<f64> =
        words.into_iter().chain(names).chain(columns).flat_map(|text| numbers(&text)).map(|n| n[0]).collect();
    let is_known = |&[number, unit]: &[f64; 2]| {
        said.iter().any(|other| (other - number).abs() <= 1e-9 * number.abs())
            || row.values.iter().any(|value| {
                let is_close = (value.value.abs() - number).abs() <= unit * (1.0 + 1e-9);
                let ratio = value.value.abs() / number;
                is_close || value.is_timed && (1.0 / NOISE..=NOISE).contains(&ratio)
            })
    };
    numbers(sentence).into_iter().filter(|number| !is_known(number)).map(|n| n[0]).collect()
}

/// Runs a paper and compares.
fn verdicts_are_those_of_the_table(name: &str) {
    let said: BTreeMap<String, [String; 2]> =
        table().into_iter().map(|[number, verdict, sentence]| (number, [verdict, sentence])).collect();
    let paper = PAPERS.iter().find(|paper| paper.name == name).expect("a paper");
    let mut wrong = Vec::new();
    let rows = run(paper, Effort::Quick, &mut |_| {});
    for row in &rows {
        let (number, found) = (row.claim.number, row.verdict.to_string());
        match said.get(number) {
            None => wrong.push(format!("{number} ({found}) has no line in verdicts.md")),
            Some([verdict, sentence]) => {
                let values = || {
                    let of_row = row.values.iter().map(|v| format!("{} {} {}", v.name, v.value, v.unit));
                    of_row.collect::<Vec<String>>().join("; ")
                };
                if *verdict != found {
                    wrong.push(format!("{number} is \"{found}\", and verdicts.md says \"{verdict}\": {}", values()));
                }
                for (whose, text) in [("verdicts.md", sentence), ("its why", &row.why)] {
                    let strange = unknown(text, row);
                    if !strange.is_empty() {
                        wrong.push(format!("{number}: {whose} has {strange:?}, which the run does not: {}", values()));
                    }
                }
            }
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
