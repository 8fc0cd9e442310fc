//! The table: as text line by line, as CSV, as Markdown.

use crate::workloads::{QueryKind, Row};
use std::fmt::Write as _;

/// A distance that differs by more than this is counted.
pub const DISAGREEMENT: f64 = 1e-6;

/// One that differs by more than this is wrong on one side: parry stops at up to 1e-5 on curved shapes.
pub const CONTRADICTION: f64 = 1e-4;

/// One measured row.
#[derive(Debug, Clone)]
pub struct Line {
    /// The scene.
    pub workload: String,
    /// The query.
    pub kind: QueryKind,
    /// Nanoseconds per query of Clearance.
    pub ours: f64,
    /// Nanoseconds per query of `parry3d-f64`.
    pub parry64: f64,
    /// Nanoseconds per query of `parry3d`.
    pub parry32: f64,
    /// The greatest difference between Clearance's and `parry3d-f64`'s answers; infinite when one has none.
    pub worst: f64,
    /// How many answers differ by more than [`DISAGREEMENT`].
    pub off: usize,
    /// How many answers differ by more than [`CONTRADICTION`]; of depths, those where ours is the larger one.
    pub wrong: usize,
    /// How many depths of `parry3d-f64` are larger than ours by more than [`DISAGREEMENT`]: ours frees the shapes, so
    /// theirs is not the least. Sizes are about one.
    pub deeper: Option<usize>,
    /// How many answers there are.
    pub count: usize,
    /// The least ratio to `parry3d-f64` the project asks for.
    pub required: Option<f64>,
}

impl Line {
    /// A line from a row, the times per query, and the answers of Clearance and `parry3d-f64`.
    pub fn new(row: &Row, [ours, parry64, parry32]: [f64; 3], answers: &[f64], others: &[f64]) -> Self {
        let differences = answers.iter().zip(others).map(|(x, y)| (x - y).abs());
        // A NaN is the worst difference there is.
        let differences = differences.map(|d| if d.is_nan() { f64::INFINITY } else { d });
        Self {
            workload: row.scene.name.clone(),
            kind: row.kind,
            ours,
            parry64,
            parry32,
            worst: differences.clone().fold(0.0, f64::max),
            off: differences.clone().filter(|&d| d > DISAGREEMENT).count(),
            wrong: match row.kind {
                QueryKind::Depth => exceeding(others, answers, CONTRADICTION),
                _ => differences.filter(|&d| d > CONTRADICTION).count(),
            },
            deeper: (row.kind == QueryKind::Depth).then(|| exceeding(answers, others, DISAGREEMENT)),
            count: answers.len(),
            required: row.required,
        }
    }

    /// How many times as fast as `parry3d-f64`.
    pub fn ratio(&self) -> f64 {
        self.parry64 / self.ours
    }

    /// True if at most one in a hundred answers contradicts. parry may be wrong in some; a fast wrong answer has no value.
    pub fn agrees(&self) -> bool {
        self.wrong * 100 <= self.count
    }

    /// True if the ratio is at least the required one, with answers that agree. `None` without a requirement.
    pub fn met(&self) -> Option<bool> {
        self.required.map(|required| self.agrees() && self.ratio() >= required)
    }

    fn cells(&self) -> [String; 12] {
        [
            self.workload.clone(),
            self.kind.name().into(),
            format!("{:.1}", self.ours),
            format!("{:.1}", self.parry64),
            format!("{:.2}", self.ratio()),
            format!("{:.1}", self.parry32),
            format!("{:.2}", self.parry32 / self.ours),
            format!("{:.1e}", self.worst),
            self.off.to_string(),
            self.deeper.map(|deeper| deeper.to_string()).unwrap_or_default(),
            self.required.map(|required| required.to_string()).unwrap_or_default(),
            match self.met() {
                _ if !self.agrees() => "WRONG".into(),
                Some(true) => "yes".into(),
                Some(false) => "NO".into(),
                None => String::new(),
            },
        ]
    }
}

const HEADINGS: [&str; 12] = [
    "workload",
    "query",
    "ours ns",
    "parry f64 ns",
    "ratio",
    "parry f32 ns",
    "ratio",
    "largest diff",
    "> 1e-6",
    "deeper",
    "required",
    "met",
];

const WIDTHS: [usize; 12] = [32, 14, 9, 12, 7, 12, 7, 12, 7, 7, 8, 5];

/// How many of the signed distances `others` are below `answers`, that is deeper, by more than `by`.
fn exceeding(answers: &[f64], others: &[f64], by: f64) -> usize {
    answers.iter().zip(others).filter(|(x, y)| *x - *y > by).count()
}

fn text<S: AsRef<str>>(cells: &[S]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        let cell = cell.as_ref();
        // Words to the left, numbers to the right. Writing to a string cannot fail.
        let _ = if column < 2 { write!(line, "{cell:width$}  ") } else { write!(line, "{cell:>width$}  ") };
    }
    line.trim_end().to_string()
}

/// The heading of the text form.
pub fn text_heading() -> String {
    text(&HEADINGS)
}

/// A line of the text form.
pub fn text_line(line: &Line) -> String {
    text(&line.cells())
}

/// The CSV form; `build` is the name of the build in each row.
pub fn csv(lines: &[Line], build: &str, with_heading: bool) -> String {
    let mut out = String::new();
    if with_heading {
        out.push_str(
            "build,workload,query,ours_ns,parry_f64_ns,parry_f32_ns,ratio,worst,off,deeper,wrong,count,required\n",
        );
    }
    for line in lines {
        let Line { workload, kind, ours, parry64, parry32, worst, off, deeper, wrong, count, required } = line;
        let deeper = deeper.map(|deeper| deeper.to_string()).unwrap_or_default();
        let required = required.map(|required| required.to_string()).unwrap_or_default();
        let (name, ratio) = (kind.name(), line.ratio());
        let _ = writeln!(
            out,
            "{build},\"{workload}\",\"{name}\",{ours:.2},{parry64:.2},{parry32:.2},{ratio:.3},{worst:e},{off},{deeper},{wrong},{count},{required}"
        );
    }
    out
}

/// The headings of the Markdown form, for readers without the rest of the project: no columns of required ratios, and whole words instead of the
/// abbreviations of the text form.
const PUBLIC_HEADINGS: [&str; 10] = [
    "workload",
    "query",
    "Clearance, ns",
    "parry3d-f64, ns",
    "times as fast",
    "parry3d (f32), ns",
    "times as fast",
    "largest difference",
    "answers off by more than 1e-6",
    "parry's depths too deep",
];

/// The Markdown form, with a paragraph that names the build.
pub fn markdown(lines: &[Line], made_by: &str) -> String {
    let mut out = format!("{made_by}\n\n| {} |\n|---|---|", PUBLIC_HEADINGS.join(" | "));
    out.push_str(&"---:|".repeat(PUBLIC_HEADINGS.len() - 2));
    out.push('\n');
    for line in lines {
        let _ = writeln!(out, "| {} |", line.cells()[..PUBLIC_HEADINGS.len()].join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        Line {
            workload: "cube, 1 degrees".into(),
            kind: QueryKind::WarmDistance,
            ours: 50.0,
            parry64: 400.0,
            parry32: 300.0,
            worst: 1e-15,
            off: 0,
            deeper: None,
            wrong: 0,
            count: 500,
            required: Some(4.0),
        }
    }

    #[test]
    fn the_three_forms_hold_the_same_numbers() {
        let line = line();
        assert_eq!((line.ratio(), line.met()), (8.0, Some(true)));
        assert!(text_line(&line).ends_with("yes") && text_line(&line).contains(" 8.00 "));
        let markdown = markdown(std::slice::from_ref(&line), "Made here.");
        assert!(
            markdown.contains("| cube, 1 degrees | distance, warm | 50.0 | 400.0 | 8.00 | 300.0 | 6.00 | 1.0e-15 |")
        );
        let columns = |row: &str| row.matches('|').count();
        assert!(markdown.lines().skip(2).all(|row| columns(row) == PUBLIC_HEADINGS.len() + 1), "{markdown}");
        assert!(
            csv(&[line], "default", true).ends_with(
                "default,\"cube, 1 degrees\",\"distance, warm\",50.00,400.00,300.00,8.000,1e-15,0,,0,500,4\n"
            )
        );
    }

    #[test]
    fn a_depth_that_is_too_large_counts_against_whoever_gave_it() {
        let (ours, theirs) = ([-1.0, -1.0, -1.0, -1.0], [-1.5, -1.0, -0.5, f64::NAN]);
        assert_eq!(exceeding(&ours, &theirs, DISAGREEMENT), 1);
        assert_eq!(exceeding(&theirs, &ours, CONTRADICTION), 1);
    }

    #[test]
    fn a_ratio_below_the_required_one_shows() {
        let slow = Line { ours: 101.0, ..line() };
        assert_eq!(slow.met(), Some(false));
        assert!(text_line(&slow).ends_with("NO"));
        assert_eq!(Line { required: None, ..slow }.met(), None);
        let wrong = Line { wrong: 6, ..line() };
        assert_eq!(wrong.met(), Some(false));
        assert!(text_line(&wrong).ends_with("WRONG") && Line { wrong: 5, ..line() }.agrees());
    }
}
