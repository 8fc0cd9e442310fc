//! A table with lines around its cells, written row by row: of the rows only the widths are kept.

use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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

/// How a table fits into a width: fewer columns, then shorter names.
#[derive(Debug, PartialEq)]
pub struct Fit {
    /// How many columns there are, from the left.
    pub columns: usize,
    /// The widest name in the first two columns.
    pub name: usize,
}

/// Names are not made shorter than this. Limit: the end of a file name still differs from others.
const SHORTEST_NAME: usize = 12;

/// The first of some numbers of columns with which a table fits; with the last of them names are made shorter.
pub fn fit(widths: &[usize], width: Option<usize>, columns: &[usize]) -> Fit {
    let longest = widths[0].max(widths[1]);
    let Some(width) = width else { return Fit { columns: columns[0], name: longest } };
    if let Some(&columns) = columns.iter().find(|&&columns| line_width(&widths[..columns]) <= width) {
        return Fit { columns, name: longest };
    }
    let columns = columns[columns.len() - 1];
    let left = width.saturating_sub(line_width(&widths[..columns]) - widths[0] - widths[1]);
    // A short name leaves its room to the other.
    let shorter = widths[0].min(widths[1]);
    let name = if shorter <= left / 2 { left - shorter } else { left / 2 };
    Fit { columns, name: name.clamp(SHORTEST_NAME, longest.max(SHORTEST_NAME)) }
}

/// The end of a name, which tells files apart, behind an ellipsis.
pub fn shortened(name: &str, most: usize) -> String {
    if name.width() <= most {
        return name.to_owned();
    }
    let mut width = 1;
    let from = name.char_indices().rev().take_while(|(_, c)| {
        width += c.width().unwrap_or(0);
        width <= most
    });
    let start = from.last().map_or(name.len(), |(at, _)| at);
    format!("…{}", &name[start..])
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
    fn a_table_loses_columns_and_then_the_beginnings_of_names() {
        let widths = [30, 20, 7, 10, 15];
        assert_eq!(fit(&widths, None, &[5, 4]), Fit { columns: 5, name: 30 });
        assert_eq!(fit(&widths, Some(98), &[5, 4]), Fit { columns: 5, name: 30 });
        assert_eq!(fit(&widths, Some(97), &[5, 4]), Fit { columns: 4, name: 30 });
        for width in 60..79 {
            let Fit { columns, name } = fit(&widths, Some(width), &[5, 4]);
            let used = [widths[0].min(name), widths[1].min(name), 7, 10];
            assert!(columns == 4 && line_width(&used) <= width && line_width(&used) + 1 >= width, "{width}: {name}");
        }
        assert_eq!(fit(&widths, Some(20), &[5, 4]), Fit { columns: 4, name: SHORTEST_NAME });
        assert_eq!(shortened("robots/ur5/forearm.stl", 12), "…forearm.stl");
        assert_eq!(shortened("腕腕腕", 4), "…腕");
        assert_eq!(shortened("arm", 3), "arm");
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
