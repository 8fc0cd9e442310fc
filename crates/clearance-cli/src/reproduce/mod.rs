//! `clearance reproduce`: the experiments of the papers, as a page with figures and data.

mod figure;
mod page;

use crate::args::ReproduceArgs;
use crate::{Outcome, output, replace};
use clearance_lab::reproduce::{Cell, Effort, Experiment, PAPERS, Paper, Row, Table, experiments, run as run_paper};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Runs `clearance reproduce`.
pub fn run(args: &ReproduceArgs) -> Result<Outcome, String> {
    let effort = if args.quick { Effort::Quick } else { Effort::Full };
    let is_asked =
        |paper: &&Paper| args.papers.is_empty() || args.papers.iter().any(|name| name == "all" || name == paper.name);
    let papers: Vec<&Paper> = PAPERS.iter().filter(is_asked).collect();
    let cannot = |error: io::Error| format!("{} cannot be written ({})", args.output.display(), error.kind());
    fs::create_dir_all(&args.output).map_err(cannot)?;

    let mut progress = Remaining::new(&papers, effort);
    let mut found: Vec<(&Paper, Vec<Row>)> = Vec::new();
    for paper in papers {
        let rows = run_paper(paper, effort, &mut |experiment| progress.begin(experiment));
        for row in &rows {
            write_row(&args.output, row).map_err(cannot)?;
        }
        found.push((paper, rows));
    }
    drop(progress);
    replace::write(&args.output.join("index.html"), page::page(&found, effort)).map_err(cannot)?;

    let mut text = String::new();
    for (paper, rows) in &found {
        let _ = writeln!(text, "{}", paper.title);
        for row in rows {
            let _ = writeln!(text, "  {:<4} {:<14} {}", row.claim.number, row.verdict.to_string(), row.claim.text);
        }
    }
    let _ = writeln!(text, "\n{}", page::counts(found.iter().flat_map(|(_, rows)| rows)));
    let _ = writeln!(text, "{} has it with figures and data", args.output.join("index.html").display());
    output::written(io::stdout().write_all(text.as_bytes()), Outcome::Good)
}

/// Writes the data and figures of a row.
fn write_row(folder: &Path, row: &Row) -> io::Result<()> {
    let summary = row.summary();
    let tables = row.tables.iter().chain((!row.values.is_empty()).then_some(&summary));
    for table in tables {
        replace::write(&folder.join(table_file(row, table)), csv(table))?;
    }
    for (index, figure) in row.figures.iter().enumerate() {
        replace::write(&folder.join(figure_file(row, index)), figure::svg(figure))?;
    }
    Ok(())
}

fn table_file(row: &Row, table: &Table) -> String {
    format!("{}-{}.csv", row.claim.number, table.name)
}

fn figure_file(row: &Row, index: usize) -> String {
    format!("{}-{}.svg", row.claim.number, index + 1)
}

/// A table as comma-separated values.
fn csv(table: &Table) -> String {
    let quoted = |text: &str| {
        if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    let cell = |cell: &Cell| match cell {
        Cell::Number(value) => value.to_string(),
        Cell::Text(text) => quoted(text),
    };
    let mut lines = vec![table.columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(",")];
    lines.extend(table.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(",")));
    lines.join("\n") + "\n"
}

/// A bar over all experiments, by the time that each takes as a rule.
struct Remaining {
    bar: ProgressBar,
    effort: Effort,
    before: f64,
}

impl Remaining {
    fn new(papers: &[&Paper], effort: Effort) -> Self {
        let all = papers.iter().flat_map(|paper| experiments(paper));
        let total: f64 = all.map(|experiment| seconds(&experiment, effort)).sum();
        let bar = ProgressBar::new((10.0 * total) as u64);
        let style = ProgressStyle::with_template("{msg} {wide_bar} {eta} left");
        Self { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())), effort, before: 0.0 }
    }

    fn begin(&mut self, experiment: &Experiment) {
        self.bar.set_position((10.0 * self.before) as u64);
        self.bar.set_message(experiment.name);
        self.before += seconds(experiment, self.effort);
    }
}

impl Drop for Remaining {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn seconds(experiment: &Experiment, effort: Effort) -> f64 {
    effort.pick(experiment.seconds[0], experiment.seconds[1])
}
