//! The report of a check: a table for people, JSON and CSV for programs.

use super::{Found, Report};
use crate::output::printable;
use clearance::Clearance;
use clearance::math::DVec3;
use clearance_io::{CheckedPair, Witness};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::fmt::Write;

/// A table and a line that sums it up.
pub fn table(report: &Report) -> String {
    let mut text = String::new();
    if let Some(title) = report.title {
        text += title;
        text += "\n\n";
    }
    if !report.pairs.is_empty() {
        let full = lay_out(report, Columns::All);
        // Broken cells are hard to read, so a terminal that is too narrow for the points does without them.
        let terminal = Table::new().width().filter(|&width| width > 0);
        if terminal.is_some_and(|width| full.lines().any(|line| line.chars().count() > usize::from(width))) {
            text += &lay_out(report, Columns::WithoutPoints);
            text += "The points are in a wider terminal, --json or --csv.\n";
        } else {
            text += &full;
        }
    }
    text += &summary(report);
    text
}

/// How much of each pair the table shows.
#[derive(Clone, Copy, PartialEq)]
enum Columns {
    All,
    WithoutPoints,
}

fn lay_out(report: &Report, columns: Columns) -> String {
    let count = if columns == Columns::All { 8 } else { 6 };
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    let header = ["a", "b", "", "distance", "proved", "direction a to b", "point of a", "point of b"];
    table.set_header(&header[..count]);
    if let Some(column) = table.column_mut(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for Found { bodies: [a, b], overlap, clearance: c } in &report.pairs {
        let row = [
            printable(&report.names[*a]),
            printable(&report.names[*b]),
            if *overlap { "OVERLAP" } else { "gap" }.into(),
            short(c.distance, DIGITS),
            bracket(c),
            triple(c.normal, 3),
            triple(c.point_a, DIGITS),
            triple(c.point_b, DIGITS),
        ];
        table.add_row(&row[..count]);
    }
    format!("{}\n", table.trim_fmt())
}

/// "3 bodies, 3 pairs checked, 1 overlap, 0 within margin 0.1 (scene units)".
fn summary(report: &Report) -> String {
    let overlaps = report.pairs.iter().filter(|pair| pair.overlap).count();
    let within = report.pairs.len() - overlaps;
    let (bodies, checked) = (report.names.len(), report.checked);
    let mut line = format!("{bodies} bodies, {checked} pairs checked, {overlaps} overlap");
    // Writing to a string cannot fail.
    let _ = match report.margin {
        Some(margin) => writeln!(line, ", {within} within margin {margin} (distances in scene units)"),
        None if overlaps > 0 => writeln!(line, " (distances in scene units)"),
        None => writeln!(line),
    };
    line
}

/// The proved interval: its width when the digits shown cannot tell its ends apart, else both ends.
fn bracket(c: &Clearance) -> String {
    let (lower, upper) = (short(c.lower, DIGITS), short(c.upper, DIGITS));
    if lower != upper {
        return format!("{lower} … {upper}");
    }
    match (c.distance - c.lower).max(c.upper - c.distance) {
        width if width > 0.0 => format!("± {width:.0e}"),
        _ => "exact".into(),
    }
}

/// Significant digits of lengths.
const DIGITS: i32 = 4;

/// A number with that many significant digits.
fn short(x: f64, digits: i32) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "-∞" }.into();
    }
    if x == 0.0 {
        return "0".into();
    }
    let exponent = x.abs().log10().floor() as i32;
    if !(-4..6).contains(&exponent) {
        return format!("{x:.*e}", digits as usize - 1);
    }
    let text = format!("{x:.*}", (digits - 1 - exponent).max(0) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

fn triple(v: DVec3, digits: i32) -> String {
    // What is tiny beside the largest component is rounding, and would only tire the eye.
    let noise = 1e-9 * v.abs().max_element();
    let [x, y, z] = v.to_array().map(|x| short(if x.abs() < noise { 0.0 } else { x }, digits));
    format!("({x}, {y}, {z})")
}

/// `{"bodies": n, "pairs": […]}` on one line.
pub fn json(report: &Report) -> Result<String, String> {
    #[derive(Serialize)]
    struct Output<'a> {
        bodies: usize,
        pairs: Vec<CheckedPair<'a>>,
    }
    let pairs = report.pairs.iter().map(|Found { bodies: [a, b], overlap, clearance }| CheckedPair {
        a: &report.names[*a],
        b: &report.names[*b],
        overlap: *overlap,
        witness: Witness::from(clearance),
    });
    let output = Output { bodies: report.names.len(), pairs: pairs.collect() };
    let text = serde_json::to_string(&output).map_err(|error| format!("the report cannot be written: {error}"))?;
    Ok(text + "\n")
}

const COLUMNS: &str = "a,b,overlap,distance,point_a_x,point_a_y,point_a_z,point_b_x,point_b_y,point_b_z,normal_x,normal_y,\
                       normal_z,lower,upper";

/// One line per pair, under a line of column names; numbers are exact, infinite ones are `inf` and `-inf`.
pub fn csv(report: &Report) -> String {
    let mut text = format!("{COLUMNS}\n");
    for Found { bodies: [a, b], overlap, clearance: c } in &report.pairs {
        let (a, b) = (csv_field(&report.names[*a]), csv_field(&report.names[*b]));
        let numbers = [c.point_a, c.point_b, c.normal].into_iter().flat_map(|v| v.to_array());
        let numbers = std::iter::once(c.distance).chain(numbers).chain([c.lower, c.upper]);
        // `{:?}` is the shortest text that reads back as the same number, with an exponent where that is shorter.
        let numbers: Vec<String> = numbers.map(|x| format!("{x:?}")).collect();
        text += &format!("{a},{b},{overlap},{}\n", numbers.join(","));
    }
    text
}

/// A name, in quotes where a comma, a quote or a line break would end the field.
fn csv_field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_size() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.019_999_999_999_999_57, "-0.02"),
            (123.456, "123.5"),
            (654_321.9, "654322"),
            (1e6, "1.000e6"),
            (1.5e-9, "1.500e-9"),
            (f64::NEG_INFINITY, "-∞"),
            (100.0, "100"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number, 4), text);
        }
        assert_eq!(triple(DVec3::new(1.0, -1e-17, 0.25), 3), "(1, 0, 0.25)");
    }

    #[test]
    fn names_cannot_break_the_columns() {
        assert_eq!(csv_field("arm"), "arm");
        assert_eq!(csv_field("arm, \"left\""), "\"arm, \"\"left\"\"\"");
    }
}
