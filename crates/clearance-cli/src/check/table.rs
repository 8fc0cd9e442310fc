//! A table with lines around its cells, written row by row: of the rows only the widths are kept.

use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// On which side of its cell a text stands.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Left,
    Right,
}

/// How wide each column must be for its widest cell.
pub fn widths<const N: usize>(header: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> [usize; N] {
    let mut widths = header.map(UnicodeWidthStr::width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(&row) {
            *width = cell.width().max(*width);
        }
    }
    widths
}

/// The width of a line of the table.
pub fn line_width(widths: &[usize]) -> usize {
    // Each cell has a blank on both sides and a line behind it.
    1 + widths.iter().map(|width| width + 3).sum::<usize>()
}

/// Writes the table, with as many columns as there are widths.
pub fn write<const N: usize>(
    out: &mut impl Write,
    widths: &[usize],
    sides: &[Side; N],
    header: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> io::Result<()> {
    rule(out, widths, ["┌", "─", "┬", "┐"])?;
    line(out, widths, sides, header)?;
    rule(out, widths, ["╞", "═", "╪", "╡"])?;
    for row in rows {
        line(out, widths, sides, &row)?;
    }
    rule(out, widths, ["└", "─", "┴", "┘"])
}

fn rule(out: &mut impl Write, widths: &[usize], [start, dash, cross, end]: [&str; 4]) -> io::Result<()> {
    let dashes: Vec<String> = widths.iter().map(|width| dash.repeat(width + 2)).collect();
    writeln!(out, "{start}{}{end}", dashes.join(cross))
}

fn line(out: &mut impl Write, widths: &[usize], sides: &[Side], cells: &[impl AsRef<str>]) -> io::Result<()> {
    for (i, ((&width, &side), cell)) in widths.iter().zip(sides).zip(cells).enumerate() {
        let cell = cell.as_ref();
        // `format!` would count characters, some of which take two places and some none.
        let gap = width.saturating_sub(cell.width());
        let (before, after) = if side == Side::Right { (gap, 0) } else { (0, gap) };
        let bar = if i == 0 { "│" } else { "┆" };
        // Not by the width of a format, which is at most 65,535.
        write!(out, "{bar} {}{cell}{} ", " ".repeat(before), " ".repeat(after))?;
    }
    writeln!(out, "│")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_seen() {
        let rows = || [["腕", "1"], ["a\u{301}rm", "-12"]].map(|row| row.map(String::from)).into_iter();
        let header = ["name", "x"];
        let widths = widths(&header, rows());
        assert_eq!((widths, line_width(&widths)), ([4, 3], 14));
        let mut text = Vec::new();
        write(&mut text, &widths, &[Side::Left, Side::Right], &header, rows()).unwrap();
        let expected =
            "┌──────┬─────┐\n│ name ┆   x │\n╞══════╪═════╡\n│ 腕   ┆   1 │\n│ a\u{301}rm  ┆ -12 │\n└──────┴─────┘\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn a_name_may_be_longer_than_the_width_of_a_format() {
        let long = "x".repeat(70_000);
        let rows = || [[long.as_str()], ["y"]].map(|row| row.map(String::from)).into_iter();
        let widths = widths(&["name"], rows());
        let mut text = Vec::new();
        write(&mut text, &widths, &[Side::Left], &["name"], rows()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.lines().all(|line| line.width() == 70_004), "{}", text.len());
    }
}
