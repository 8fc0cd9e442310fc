//! The results, as a table for a terminal, as Markdown and as JSON.

use crate::adapter::About;
use crate::case::{FORMAT, Kind, Question};
use crate::judge::Verdict;
use crate::variants::MOST;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The verdict on the answer to one question.
pub struct Outcome {
    /// Over all variants.
    pub verdict: Verdict,
    /// The verdict on the question as it was written.
    pub as_written: Verdict,
    /// The first variant that is not right, and the line that was answered to it.
    pub bad: Option<(&'static str, String)>,
}

/// A library and its answers, one for each question.
pub struct Column {
    pub name: String,
    pub about: About,
    pub outcomes: Vec<Outcome>,
}

/// The number of questions for each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub asked: usize,
    pub unsupported: usize,
    pub right: usize,
    pub strict: usize,
    pub wrong: usize,
    pub crashes: usize,
    pub hangs: usize,
    /// Right as written, whatever the variants.
    pub as_written: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.asked += 1;
        match outcome.verdict {
            Verdict::Right { strict } => {
                self.right += 1;
                self.strict += usize::from(strict);
            }
            Verdict::Wrong(_) => self.wrong += 1,
            Verdict::Crash(_) => self.crashes += 1,
            Verdict::Hang => self.hangs += 1,
            Verdict::Unsupported(_) => self.unsupported += 1,
        }
        self.as_written += usize::from(matches!(outcome.as_written, Verdict::Right { .. }));
    }

    /// True if every question is right or unsupported.
    pub fn is_all_right(&self) -> bool {
        self.wrong + self.crashes + self.hangs == 0
    }

    fn cells(&self) -> [String; 8] {
        [self.asked, self.unsupported, self.right, self.strict, self.wrong, self.crashes, self.hangs, self.as_written]
            .map(|count| count.to_string())
    }

    fn json(&self) -> Value {
        json!({"asked": self.asked, "unsupported": self.unsupported, "right": self.right, "right_strictly": self.strict,
            "wrong": self.wrong, "crashes": self.crashes, "hangs": self.hangs, "right_as_written": self.as_written})
    }
}

const HEADINGS: [&str; 8] =
    ["asked", "unsupported", "right", "strictly", "wrong", "crashes", "hangs", "right as written"];

/// The counts of the questions that a test picks.
pub fn count(questions: &[Question], column: &Column, pick: impl Fn(&Question) -> bool) -> Counts {
    let mut counts = Counts::default();
    for (question, outcome) in questions.iter().zip(&column.outcomes) {
        if pick(question) {
            counts.add(outcome);
        }
    }
    counts
}

/// The files, in their order.
fn files(questions: &[Question]) -> Vec<&str> {
    let mut files: Vec<&str> = questions.iter().map(|question| question.file.as_str()).collect();
    files.dedup();
    files
}

/// One table for a library: a row for each file, then for each question, then all.
fn rows(questions: &[Question], column: &Column) -> Vec<(String, Counts)> {
    let mut rows: Vec<(String, Counts)> = files(questions)
        .into_iter()
        .map(|file| (file.to_owned(), count(questions, column, |question| question.file == file)))
        .collect();
    rows.extend(Kind::ALL.into_iter().filter_map(|kind| {
        let counts = count(questions, column, |question| question.kind == kind);
        (counts.asked > 0).then(|| (format!("asked: {}", kind.name()), counts))
    }));
    rows.push(("all".to_owned(), count(questions, column, |_| true)));
    rows
}

fn class(about: &About) -> String {
    let tolerances = about.tolerances();
    let precision = if about.is_single { "single" } else { "double" };
    format!("{precision} precision, right within {:.0e}, strictly within {:.0e}", tolerances.right, tolerances.strict)
}

/// The tables for a terminal, with the faults behind them if they are wanted.
pub fn text(questions: &[Question], columns: &[Column], is_verbose: bool) -> String {
    let mut out = String::new();
    for column in columns {
        if is_verbose {
            for (question, outcome) in questions.iter().zip(&column.outcomes) {
                let _ = writeln!(out, "{}", told(column, question, outcome));
            }
        }
        let _ = writeln!(out, "\n{} ({})", column.about.version, class(&column.about));
        let _ = write!(out, "{:26}", "");
        for heading in HEADINGS {
            let _ = write!(out, "{heading:>width$}", width = heading.len().max(5) + 2);
        }
        out.push('\n');
        for (name, counts) in rows(questions, column) {
            let _ = write!(out, "{name:26}");
            for (heading, cell) in HEADINGS.iter().zip(counts.cells()) {
                let _ = write!(out, "{cell:>width$}", width = heading.len().max(5) + 2);
            }
            out.push('\n');
        }
    }
    out
}

/// A case in one line.
fn told(column: &Column, question: &Question, outcome: &Outcome) -> String {
    let mut line = format!(
        "{}: {}/{} ({}): {}",
        column.name,
        question.file,
        question.id,
        question.kind.name(),
        outcome.verdict.name()
    );
    if let Verdict::Wrong(what) | Verdict::Crash(what) | Verdict::Unsupported(what) = &outcome.verdict {
        let _ = write!(line, ": {what}");
    }
    if let Some((how, answer)) = &outcome.bad {
        let _ = write!(line, " [{how}: {answer}]");
    }
    line
}

/// Everything, case by case.
pub fn json(questions: &[Question], columns: &[Column], skipped: &[(String, String)]) -> Value {
    let library = |column: &Column| {
        let cases = questions.iter().zip(&column.outcomes).map(|(question, outcome)| {
            let what = match &outcome.verdict {
                Verdict::Wrong(what) | Verdict::Crash(what) | Verdict::Unsupported(what) => Some(what),
                _ => None,
            };
            json!({"file": question.file, "id": question.id, "asked": question.kind.name(),
                "verdict": outcome.verdict.name(), "why": what, "as_written": outcome.as_written.name(),
                "variant": outcome.bad.as_ref().map(|(how, _)| how)})
        });
        json!({"name": column.name, "version": column.about.version,
            "precision": if column.about.is_single { "single" } else { "double" }, "lacks": column.about.lacks,
            "counts": count(questions, column, |_| true).json(), "cases": cases.collect::<Vec<_>>()})
    };
    let skipped: Vec<Value> = skipped.iter().map(|(name, why)| json!({"name": name, "why": why})).collect();
    json!({"format": FORMAT, "questions": questions.len(),
        "libraries": columns.iter().map(library).collect::<Vec<_>>(), "skipped": skipped})
}

/// Which questions a row is about.
type Pick<'a> = Box<dyn Fn(&Question) -> bool + 'a>;

/// The section of COMPARE.md.
pub fn markdown(questions: &[Question], columns: &[Column]) -> String {
    let mut out = String::from("## Who is right\n\n");
    let cases = {
        let mut names: Vec<(&str, &str)> = questions.iter().map(|q| (q.file.as_str(), q.id.as_str())).collect();
        names.dedup();
        names.len()
    };
    let _ = writeln!(
        out,
        "Written by `cargo conform --markdown COMPARE.md`: {cases} cases of `suite` with truths in closed form, {} questions. Each has up to {MOST} variants \
         (as written, swapped, turned by a third, turned obliquely, moved), and is right only if all are. Right is within 1e-6 of the size, \
         strictly within 1e-11; for single precision 1e-4 and 1e-6. A query that a library lacks is unsupported, and not wrong. \
         Most cases are hazards, collected while Clearance was written, and its own tests demand them. The counts say which hazards break a library, not \
         how often ordinary input does. `suite/README.md` has the rules, and the calls of each library.\n",
        questions.len()
    );
    let mut table = |title: &str, of: &dyn Fn(&Column) -> Counts| {
        let _ =
            writeln!(out, "{title}\n\n| library | {} |\n|---|{}", HEADINGS.join(" | "), "---:|".repeat(HEADINGS.len()));
        for column in columns {
            let _ = writeln!(out, "| {} | {} |", column.about.version, of(column).cells().join(" | "));
        }
        out.push('\n');
    };
    table("All questions:", &|column| count(questions, column, |_| true));
    let mut detail = |title: &str, groups: Vec<(String, Pick)>| {
        let names: Vec<&str> = columns.iter().map(|column| column.about.version.as_str()).collect();
        let _ =
            writeln!(out, "{title}\n\n| | asked | {} |\n|---|---:|{}", names.join(" | "), "---:|".repeat(names.len()));
        for (name, pick) in groups {
            let asked = questions.iter().filter(|question| pick(question)).count();
            let cells = columns.iter().map(|column| {
                let counts = count(questions, column, &pick);
                let bad = counts.wrong + counts.crashes + counts.hangs;
                if counts.unsupported == counts.asked { "–".to_owned() } else { format!("{} / {bad}", counts.right) }
            });
            let _ = writeln!(out, "| {name} | {asked} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
        out.push('\n');
    };
    detail(
        "By query, right / wrong (with crashes and hangs). The other questions are unsupported; – means all of them:",
        Kind::ALL
            .into_iter()
            .map(|kind| {
                let pick: Pick = Box::new(move |question| question.kind == kind);
                (kind.name().to_owned(), pick)
            })
            .collect(),
    );
    detail(
        "The same by file:",
        files(questions)
            .into_iter()
            .map(|file| {
                let pick: Pick = Box::new(move |question| question.file == file);
                (format!("`suite/{file}.jsonl`"), pick)
            })
            .collect(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Truth;

    /// A question of each kind, and a library that answers each in another way.
    fn sample() -> (Vec<Question>, Column) {
        let question = |kind: Kind| Question {
            file: if kind == Kind::Ray { "rays".to_owned() } else { "pairs".to_owned() },
            id: kind.name().to_owned(),
            kind,
            line: Value::Null,
            truth: Truth::Touching,
            needs: Vec::new(),
            size: 1.0,
            place: 0.0,
        };
        let wrong = || Verdict::Wrong("off".to_owned());
        let verdicts = [
            Verdict::Right { strict: true },
            Verdict::Right { strict: false },
            wrong(),
            Verdict::Crash("signal 11".to_owned()),
            Verdict::Hang,
            Verdict::Unsupported("casts".to_owned()),
            wrong(),
        ];
        let outcomes = verdicts.into_iter().map(|verdict| Outcome { as_written: verdict.clone(), verdict, bad: None });
        let about = About { version: "Sample 1".to_owned(), ..About::default() };
        let column = Column { name: "sample".to_owned(), about, outcomes: outcomes.collect() };
        (Kind::ALL.map(question).to_vec(), column)
    }

    #[test]
    fn every_question_is_counted_once() {
        let (questions, column) = sample();
        let all = count(&questions, &column, |_| true);
        let expected =
            Counts { asked: 7, unsupported: 1, right: 2, strict: 1, wrong: 2, crashes: 1, hangs: 1, as_written: 2 };
        assert_eq!(all, expected);
        assert!(!all.is_all_right() && count(&questions, &column, |q| q.kind == Kind::Gap).is_all_right());
    }

    #[test]
    fn the_three_forms_hold_the_same_counts() {
        let (questions, column) = sample();
        let columns = [column];
        let text = text(&questions, &columns, true);
        assert!(
            text.contains("sample: rays/ray (ray): hang\n")
                && text.contains("depth, convex (depth, convex): wrong: off")
        );
        assert_eq!(
            text.lines().last().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).as_deref(),
            Some("all 7 1 2 1 2 1 1 2")
        );
        let markdown = markdown(&questions, &columns);
        assert!(markdown.contains("| Sample 1 | 7 | 1 | 2 | 1 | 2 | 1 | 1 | 2 |\n"), "{markdown}");
        assert!(markdown.contains("| cast | 1 | – |\n") && markdown.contains("| ray | 1 | 0 / 1 |\n"), "{markdown}");
        // The rows of a table have as many cells as its head.
        for table in markdown.split("\n\n").filter(|block| block.starts_with('|')) {
            let cells: Vec<usize> = table.lines().map(|row| row.matches('|').count()).collect();
            assert!(cells.windows(2).all(|two| two[0] == two[1]), "{table}");
        }
        assert_eq!(json(&questions, &columns, &[])["libraries"][0]["counts"]["hangs"], 1);
    }
}
