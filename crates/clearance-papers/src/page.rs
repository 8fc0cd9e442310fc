//! The page: for each claim the paper's words beside what was measured, with a verdict.

use super::figure::number;
use super::{figure_file, picture_file, table_file};
use clearance_papers::{Cell, Effort, Paper, Row, Table, Verdict};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --line: #c8c8c8; --quiet: #5a5a5a }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181c; --line: #44474d; --quiet: #a0a0a0 } }
body { font: 16px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 75rem; padding: 1rem }
h2 { margin-top: 3rem } nav a { margin-right: 1rem }
article { border-top: 1px solid var(--line); padding: 1rem 0; display: grid; grid-template-columns: 4rem 1fr 1fr; gap: 1rem }
article h3 { margin: 0 } p { margin: 0 0 .5rem } .where, .why { color: var(--quiet) }
dl { display: grid; grid-template-columns: auto auto; gap: .1rem 1rem; margin: 0 0 .5rem; width: fit-content } dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
.verdict { display: inline-block; border: 2px solid; border-radius: .3rem; padding: 0 .5rem; font-weight: 600 }
.agrees { color: #0072b2 } .partly { color: #a06a00 } .differs { color: #c04a00 } .absent { color: var(--quiet) }
@media (prefers-color-scheme: dark) { .agrees { color: #56b4e9 } .partly { color: #e69f00 } .differs { color: #ff8c4a } }
.figures, .tables { grid-column: 2 / -1; min-width: 0 } .figures { display: flex; flex-wrap: wrap; gap: 1rem }
.figures img { flex: 0 1 calc(50% - .5rem); min-width: min(100%, 24rem); background: white; border-radius: .3rem }
.overview td { line-height: 2 } .chip { display: inline-block; min-width: 2.2rem; padding: 0 .3rem; border: 2px solid; border-radius: .3rem; text-align: center; text-decoration: none; line-height: 1.3 }
.partly.chip { border-style: dashed } .differs.chip { border-style: double } .absent.chip { border-style: dotted }
details { overflow-x: auto; margin-bottom: .5rem } summary { cursor: pointer; color: var(--quiet) }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums } th, td { border-bottom: 1px solid var(--line); padding: .15rem .6rem; text-align: right }
th { vertical-align: bottom; font-weight: 600; max-width: 9rem } .word { text-align: left }
@media (max-width: 45rem) { article { grid-template-columns: 1fr } .figures, .tables { grid-column: 1 } }
@media print { article { break-inside: avoid } }";

/// How many rows came out how.
pub fn counts<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> String {
    let count = |verdict: Verdict| rows.clone().filter(|row| row.verdict == verdict).count();
    let all = [Verdict::Agrees, Verdict::Partly, Verdict::Differs, Verdict::Absent];
    let words = ["agree", "partly", "differ", "not there yet"];
    [0, 1, 2, 3].map(|k| format!("{} {}", count(all[k]), words[k])).join(", ")
}

/// The whole page.
pub fn page(found: &[(&Paper, Vec<Row>)], effort: Effort) -> String {
    let size = effort.pick("the quick form, which measures less", "the full form");
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>The papers, reproduced</title>\n<style>\n{STYLE}\n</style>\n<h1>The papers, reproduced</h1>\n\
         <p>What five papers claim, beside what this library measures: {size}. Counts are the same on every run; times are those of the processor. Every number is in \
         the data that its row links to.</p>\n<p>{}</p>\n<nav>",
        counts(found.iter().flat_map(|(_, rows)| rows))
    );
    for (paper, _) in found {
        let _ = write!(text, "<a href=\"#{}\">{}</a>", paper.name, escaped(paper.title));
    }
    text += "</nav>\n";
    overview(found, &mut text);
    for (paper, rows) in found {
        let _ =
            writeln!(text, "<h2 id=\"{}\">{}</h2>\n<p>{}</p>", paper.name, escaped(paper.title), counts(rows.iter()));
        let _ = writeln!(text, "<p class=\"where\">{}</p>", escaped(paper.reference));
        rows.iter().for_each(|row| article(row, &mut text));
    }
    text + "</html>\n"
}

/// All verdicts, each with a link to its row.
fn overview(found: &[(&Paper, Vec<Row>)], text: &mut String) {
    *text += "<table class=\"overview\"><caption>All verdicts</caption>\n";
    for (paper, rows) in found {
        let _ = write!(text, "<tr><th class=\"word\">{}</th><td class=\"word\">", escaped(paper.title));
        for row in rows {
            let _ = write!(
                text,
                "<a class=\"chip {}\" href=\"#{number}\" title=\"{}: {}\">{number}</a> ",
                class(row.verdict),
                row.verdict,
                escaped(row.claim.text),
                number = row.claim.number
            );
        }
        *text += "</td></tr>\n";
    }
    let legend = [Verdict::Agrees, Verdict::Partly, Verdict::Differs, Verdict::Absent];
    let legend = legend.map(|verdict| format!("<span class=\"chip {}\">{verdict}</span>", class(verdict)));
    let _ = writeln!(text, "</table>\n<p>{}</p>", legend.join(" "));
}

/// The style of a verdict.
fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Partly => "partly",
        Verdict::Differs => "differs",
        Verdict::Absent => "absent",
    }
}

fn article(row: &Row, text: &mut String) {
    let claim = &row.claim;
    let class = class(row.verdict);
    let _ = write!(
        text,
        "<article id=\"{0}\"><h3><a href=\"#{0}\">{0}</a></h3><div><p>{1}.</p><p class=\"where\">{2}</p></div><div><p><span class=\"verdict {class}\">{3}</span></p>",
        claim.number,
        escaped(claim.text),
        escaped(claim.section),
        row.verdict
    );
    if !row.values.is_empty() {
        *text += "<dl>";
        for value in &row.values {
            let _ = write!(
                text,
                "<dt>{}</dt><dd>{} {}</dd>",
                escaped(&value.name),
                number(value.value),
                escaped(value.unit)
            );
        }
        *text += "</dl>";
    }
    if !row.why.is_empty() {
        let _ = write!(text, "<p class=\"why\">{}</p>", escaped(&row.why));
    }
    let summary = row.summary();
    let tables: Vec<_> = row.tables.iter().chain((!row.values.is_empty()).then_some(&summary)).collect();
    if !tables.is_empty() {
        *text += "<p>Data:";
        for table in tables {
            let _ = write!(text, " <a href=\"{}\">{}</a>", table_file(row, table), escaped(table.name));
        }
        *text += "</p>";
    }
    *text += "</div>";
    if !row.figures.is_empty() || !row.pictures.is_empty() {
        *text += "<div class=\"figures\">";
        let figures = row.figures.iter().enumerate().map(|(index, figure)| (figure_file(row, index), &figure.title));
        let pictures = row.pictures.iter().enumerate().map(|(index, shown)| (picture_file(row, index), &shown.title));
        for (file, title) in figures.chain(pictures) {
            let _ = write!(text, "<img src=\"{file}\" alt=\"{}\" loading=\"lazy\">", escaped(title));
        }
        *text += "</div>";
    }
    let short: Vec<&Table> = row.tables.iter().filter(|table| table.rows.len() <= LONG).collect();
    if !short.is_empty() {
        *text += "<div class=\"tables\">";
        short.iter().for_each(|table| written(table, text));
        *text += "</div>";
    }
    *text += "</article>\n";
}

/// Tables with more rows are data only.
const LONG: usize = 30;

/// Tables with more rows are folded.
const FOLDED: usize = 8;

/// A table, as it is in its file but for the digits.
fn written(table: &Table, text: &mut String) {
    let open = if table.rows.len() <= FOLDED { " open" } else { "" };
    let _ = write!(text, "<details{open}><summary>{}</summary><table><tr>", escaped(table.name));
    // A column with a number in it is one of numbers; empty cells and "none" stand to the right like these.
    let is_word = |column: usize| table.rows.iter().all(|row| matches!(row[column], Cell::Text(_)));
    let class = |column: usize| if is_word(column) { " class=\"word\"" } else { "" };
    for (column, name) in table.columns.iter().enumerate() {
        let _ = write!(text, "<th{}>{}</th>", class(column), escaped(name));
    }
    *text += "</tr>";
    for row in &table.rows {
        *text += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            let shown = match cell {
                Cell::Number(value) => number(*value),
                Cell::Text(word) => escaped(word),
            };
            let _ = write!(text, "<td{}>{shown}</td>", class(column));
        }
        *text += "</tr>";
    }
    *text += "</table></details>";
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
