//! A row of the page: a claim, its measurements, a verdict.

use super::claims::{CLAIMS, Claim};
use std::fmt;

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Agrees,
    /// In kind, or in part.
    Partly,
    /// No.
    Differs,
    /// It cannot be run yet.
    Absent,
}

impl Verdict {
    /// `Agrees` if a first rule holds, `Partly` if only the second does, otherwise `Differs`.
    #[must_use]
    pub fn of(agrees: bool, partly: bool) -> Self {
        match (agrees, partly) {
            (true, _) => Self::Agrees,
            (false, true) => Self::Partly,
            (false, false) => Self::Differs,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Agrees => "agrees",
            Self::Partly => "partly",
            Self::Differs => "differs",
            Self::Absent => "not there yet",
        })
    }
}

/// A measured number.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Its unit; empty for a count or a ratio.
    pub unit: &'static str,
    /// True for a time or a ratio of times, which differ from run to run.
    pub is_timed: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// Words.
    Text(String),
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Data, a file of comma-separated values each.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name within the row.
    pub name: &'static str,
    /// The names of the columns, with units.
    pub columns: Vec<String>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(name: &'static str, columns: &[&str]) -> Self {
        Self { name, columns: columns.iter().map(|&column| column.to_owned()).collect(), rows: Vec::new() }
    }

    /// One more row.
    ///
    /// # Panics
    ///
    /// If its length is not the number of columns.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "{}", self.name);
        self.rows.push(row);
    }

    /// A figure of some columns over another. Rows without a number in either are left out of a curve.
    #[must_use]
    pub fn figure(&self, title: &str, x: usize, ys: &[usize], y_label: &str, is_logarithmic: [bool; 2]) -> Figure {
        let number = |row: &[Cell], column: usize| match row[column] {
            Cell::Number(value) if value.is_finite() => Some(value),
            _ => None,
        };
        let curve = |&y: &usize| {
            let points = self.rows.iter().filter_map(|row| Some([number(row, x)?, number(row, y)?]));
            (self.columns[y].clone(), points.collect())
        };
        Figure {
            table: self.name,
            title: title.to_owned(),
            labels: [self.columns[x].clone(), y_label.to_owned()],
            is_logarithmic,
            is_scattered: false,
            curves: ys.iter().map(curve).collect(),
        }
    }
}

/// Curves over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The table of its data.
    pub table: &'static str,
    /// Its title.
    pub title: String,
    /// The names of x and y, with units.
    pub labels: [String; 2],
    /// The axes that are logarithmic.
    pub is_logarithmic: [bool; 2],
    /// True if points have no lines between them.
    pub is_scattered: bool,
    /// The curves: their names and points.
    pub curves: Vec<(String, Vec<[f64; 2]>)>,
}

impl Figure {
    /// Points without lines.
    #[must_use]
    pub fn scattered(self) -> Self {
        Self { is_scattered: true, ..self }
    }
}

/// Faces of a body, seen from a side.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its name.
    pub title: String,
    /// The names of the classes of faces; each has a colour.
    pub classes: Vec<&'static str>,
    /// The class and corners of each face, the farthest first.
    pub polygons: Vec<(usize, Vec<[f64; 2]>)>,
}

/// The result for a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The claim.
    pub claim: Claim,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, in a sentence or two; empty if none is needed. Its numbers are values of the row, or the paper's.
    pub why: String,
    /// The numbers of the verdict.
    pub values: Vec<Value>,
    /// The data.
    pub tables: Vec<Table>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The pictures.
    pub pictures: Vec<Picture>,
}

impl Row {
    /// A row for a claim, without numbers.
    ///
    /// # Panics
    ///
    /// If there is no claim of that number.
    #[must_use]
    pub fn new(number: &str, verdict: Verdict, why: &str) -> Self {
        let claim = CLAIMS.iter().find(|claim| claim.number == number).expect("a claim of the list");
        Self {
            claim: *claim,
            verdict,
            why: why.to_owned(),
            values: Vec::new(),
            tables: Vec::new(),
            figures: Vec::new(),
            pictures: Vec::new(),
        }
    }

    /// A row for a claim whose parts do not exist here.
    #[must_use]
    pub fn absent(number: &str, why: &str) -> Self {
        Self::new(number, Verdict::Absent, why)
    }

    /// With one more number.
    #[must_use]
    pub fn value(mut self, name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        self.values.push(Value { name: name.into(), value, unit, is_timed: false });
        self
    }

    /// With one more number that is a time or a ratio of times.
    #[must_use]
    pub fn time(mut self, name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        self.values.push(Value { name: name.into(), value, unit, is_timed: true });
        self
    }

    /// With one more table.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// With one more figure, of a table that it has.
    #[must_use]
    pub fn figure(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
        self
    }

    /// The numbers as a table of their own, so that the page shows only data.
    #[must_use]
    pub fn summary(&self) -> Table {
        let mut table = Table::new("values", &["what", "value", "unit"]);
        for Value { name, value, unit, .. } in &self.values {
            table.push(vec![name.as_str().into(), (*value).into(), (*unit).into()]);
        }
        table
    }
}
