//! `clearance-papers`: runs the experiments of the five papers again, and writes a page with figures and data.

#![forbid(unsafe_code)]

mod figure;
mod page;

use clap::Parser;
use clearance_papers::{
    CLAIMS, Cell, Effort, Experiment, PAPERS, Paper, Row, Table, experiments, run as run_paper, run_rows, tables,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run the experiments of the five papers again, and set what they claim beside what is measured.
///
/// For each figure, table and claim: agrees, partly, differs, or not there yet, and why. DIR gets a page, index.html, its figures as SVG, and
/// all numbers as CSV. Counts are the same on every run; times are those of the processor, of this machine.
#[derive(Parser)]
#[command(
    name = "clearance-papers",
    version,
    after_long_help = "\
Examples:
  A first look, in about a minute:
    clearance-papers --quick -o reproduction
  One paper:
    clearance-papers penetration-depth --quick -o reproduction
  Everything, in about ten minutes:
    clearance-papers all -o reproduction

Exit codes: 0 written, whatever the verdicts are; 2 it cannot be written."
)]
struct Args {
    /// Which papers; all of them if none is named
    #[arg(value_name = "PAPER", value_parser = ["vclip", "gjk", "separating-vector", "two-phase", "penetration-depth", "all"])]
    papers: Vec<String>,

    /// Only the experiments of these rows, such as G13,T16
    #[arg(long, value_name = "ROWS", value_delimiter = ',')]
    rows: Vec<String>,

    /// Measure less; the verdicts are the same
    #[arg(long)]
    quick: bool,

    /// Where to write the page, its figures and its data
    #[arg(short, long, value_name = "DIR", default_value = "reproduction")]
    output: PathBuf,

    /// Print the tables of the experiments instead of writing a page
    #[arg(long, conflicts_with_all = ["papers", "output"])]
    tables: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.tables {
        tables::print(args.quick);
        return ExitCode::SUCCESS;
    }
    match reproduce(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn reproduce(args: &Args) -> Result<(), String> {
    let effort = if args.quick { Effort::Quick } else { Effort::Full };
    let is_asked =
        |paper: &&Paper| args.papers.is_empty() || args.papers.iter().any(|name| name == "all" || name == paper.name);
    let papers: Vec<&Paper> = PAPERS.iter().filter(is_asked).collect();
    if let Some(unknown) = args.rows.iter().find(|row| !CLAIMS.iter().any(|claim| claim.number == **row)) {
        return Err(format!("there is no row {unknown}; bench/papers/verdicts.md lists the rows"));
    }
    let cannot = |error: io::Error| format!("{} cannot be written ({})", args.output.display(), error.kind());
    fs::create_dir_all(&args.output).map_err(cannot)?;

    let mut progress = Remaining::new(&papers, effort);
    let mut found: Vec<(&Paper, Vec<Row>)> = Vec::new();
    for paper in papers {
        let mut begin = |experiment: &Experiment| progress.begin(experiment);
        let rows = if args.rows.is_empty() {
            run_paper(paper, effort, &mut begin)
        } else {
            run_rows(paper, effort, &args.rows, &mut begin)
        };
        for row in &rows {
            write_row(&args.output, row).map_err(cannot)?;
        }
        found.push((paper, rows));
    }
    drop(progress);
    write(&args.output.join("index.html"), page::page(&found, effort)).map_err(cannot)?;

    let mut text = String::new();
    for (paper, rows) in &found {
        let _ = writeln!(text, "{}", paper.title);
        for row in rows {
            let _ = writeln!(text, "  {:<4} {:<14} {}", row.claim.number, row.verdict.to_string(), row.claim.text);
        }
    }
    let _ = writeln!(text, "\n{}", page::counts(found.iter().flat_map(|(_, rows)| rows)));
    let _ = writeln!(text, "{} has it with figures and data", args.output.join("index.html").display());
    match io::stdout().write_all(text.as_bytes()) {
        // A reader that has gone away ends the program quietly.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("the output cannot be written ({}); check the disk or the pipe", error.kind()))
        }
        _ => Ok(()),
    }
}

/// Writes a file under another name and then puts it in its place, so that a page is never half written.
fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes.as_ref())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes the data and figures of a row.
fn write_row(folder: &Path, row: &Row) -> io::Result<()> {
    let summary = row.summary();
    let tables = row.tables.iter().chain((!row.values.is_empty()).then_some(&summary));
    for table in tables {
        write(&folder.join(table_file(row, table)), csv(table))?;
    }
    for (index, figure) in row.figures.iter().enumerate() {
        write(&folder.join(figure_file(row, index)), figure::svg(figure))?;
    }
    for (index, picture) in row.pictures.iter().enumerate() {
        write(&folder.join(picture_file(row, index)), figure::picture(picture))?;
    }
    Ok(())
}

fn table_file(row: &Row, table: &Table) -> String {
    format!("{}-{}.csv", row.claim.number, table.name)
}

fn figure_file(row: &Row, index: usize) -> String {
    format!("{}-{}.svg", row.claim.number, index + 1)
}

fn picture_file(row: &Row, index: usize) -> String {
    format!("{}-picture-{}.svg", row.claim.number, index + 1)
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
