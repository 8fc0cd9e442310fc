//! The table of paper \[QC\] (3.5, figure 3.5): a start for hill climbing from 8 x 16 cells of directions.
//!
//! The sphere of directions is cut into 8 rows by latitude and 16 columns by longitude, 22.5 degrees each. A cell holds one vertex, farthest along
//! its middle, from which a query climbs. That is the thesis's idea of a direction table, with one candidate per cell.
//! [`DirectionTable`](super::DirectionTable) lists all candidates of a cell instead, so that no climb is needed. Cells of equal angles are small at
//! the poles, and climbing takes longer the more vertices a cell has; it stops on plateaus of rounding like [`climb`](super::climb). For
//! comparison.

use super::climb;
use clearance::internals::glam::{DVec2, DVec3};
use clearance::shape::Polytope;

const ROWS: usize = 8;
const COLUMNS: usize = 16;

/// Sine and cosine of 22.5 degrees.
const STEP: DVec2 = DVec2::new(0.923_879_532_511_286_7, 0.382_683_432_365_089_8);

/// Unit vectors every 22.5 degrees from 0 to 157.5.
const MARKS: [DVec2; ROWS] = {
    let (c, s, d) = (STEP.x, STEP.y, std::f64::consts::FRAC_1_SQRT_2);
    [
        DVec2::new(1.0, 0.0),
        DVec2::new(c, s),
        DVec2::new(d, d),
        DVec2::new(s, c),
        DVec2::new(0.0, 1.0),
        DVec2::new(-s, c),
        DVec2::new(-d, d),
        DVec2::new(-c, s),
    ]
};

/// Supporting vertices of a polytope by latitude and longitude: the 8 x 16 table of the thesis.
#[derive(Debug, Clone, PartialEq)]
pub struct ThesisTable {
    cells: [[u32; COLUMNS]; ROWS],
}

impl ThesisTable {
    /// The table of a polytope, by a scan for every cell.
    #[must_use]
    pub fn new(polytope: &Polytope) -> Self {
        let farthest = |direction: DVec3| {
            let mut best = (f64::NEG_INFINITY, 0);
            for (number, vertex) in (0..).zip(polytope.vertices()) {
                let height = vertex.dot(direction);
                if height > best.0 {
                    best = (height, number);
                }
            }
            best.1
        };
        let cell = |row, column| farthest(Self::middle(row, column));
        Self { cells: std::array::from_fn(|row| std::array::from_fn(|column| cell(row, column))) }
    }

    /// The direction in the middle of a cell: latitude and longitude are halfway between two marks.
    fn middle(row: usize, column: usize) -> DVec3 {
        let halfway = |i: usize| {
            (MARKS[i % ROWS] + MARKS[(i + 1) % ROWS] * if i % ROWS == ROWS - 1 { -1.0 } else { 1.0 }).normalize()
        };
        let longitude = halfway(column) * if column < ROWS { 1.0 } else { -1.0 };
        // Rows begin at the south pole, a quarter turn before the marks: (cos, sin) of row - 90 degrees.
        let polar = halfway(row);
        let (cos, sin) = (polar.y, -polar.x);
        DVec3::new(longitude.x * cos, longitude.y * cos, sin)
    }

    /// The row, from the south pole, and the column, from the x axis towards the y axis.
    fn cell_of(direction: DVec3) -> (usize, usize) {
        let DVec3 { x, y, z } = direction / direction.abs().max_element();
        // The polar angle from the south pole is between 0 and 180 degrees; a mark is passed where the turn to it is negative.
        let polar = DVec2::new(-z, x.hypot(y));
        let passed = |v: DVec2| MARKS[1..].iter().filter(|mark| mark.perp_dot(v) >= 0.0).count();
        let flat = DVec2::new(x, y);
        let is_back = y < 0.0 || (y == 0.0 && x < 0.0);
        let column = if is_back { ROWS + passed(-flat) } else { passed(flat) };
        (passed(polar), column)
    }

    /// The vertex from which to climb.
    #[must_use]
    pub fn start(&self, direction: DVec3) -> u32 {
        let (row, column) = Self::cell_of(direction);
        self.cells[row][column]
    }

    /// The vertex that climbing reaches, and the number of steps. The polytope is the one that the table was made for.
    #[must_use]
    pub fn farthest(&self, polytope: &Polytope, direction: DVec3) -> (u32, u32) {
        climb(polytope, direction, self.start(direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_its_middle_and_cells_are_where_latitude_and_longitude_say() {
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let middle = ThesisTable::middle(row, column);
                for scale in [1.0, 1e-200, 1e200] {
                    assert_eq!(ThesisTable::cell_of(middle * scale), (row, column));
                }
                assert!((middle.z.asin().to_degrees() - (22.5 * row as f64 - 78.75)).abs() < 1e-9);
                let longitude = middle.y.atan2(middle.x).to_degrees().rem_euclid(360.0);
                assert!((longitude - (22.5 * column as f64 + 11.25)).abs() < 1e-9);
            }
        }
        let mut rng = fastrand::Rng::with_seed(56);
        for _ in 0..10_000 {
            let d = DVec3::from_array([(); 3].map(|()| rng.f64() - 0.5)).normalize_or(DVec3::X);
            let row = (d.z.asin().to_degrees() + 90.0) / 22.5;
            let column = d.y.atan2(d.x).to_degrees().rem_euclid(360.0) / 22.5;
            if [row, column].iter().all(|x| (x - x.round()).abs() > 1e-9) {
                assert_eq!(ThesisTable::cell_of(d), (row as usize, column as usize));
            }
        }
        // A direction of zero or NaN has a cell, too.
        for bad in [DVec3::ZERO, DVec3::NAN, DVec3::splat(f64::INFINITY), DVec3::Z, -DVec3::Z] {
            let (row, column) = ThesisTable::cell_of(bad);
            assert!(row < ROWS && column < COLUMNS);
        }
    }

    #[test]
    fn climbing_from_the_table_reaches_the_top_in_fewer_steps_than_from_anywhere() {
        let mut rng = fastrand::Rng::with_seed(57);
        let mut random = || DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
        let points: Vec<DVec3> =
            (0..1000).map(|_| random().normalize_or(DVec3::X) * DVec3::new(0.5, 0.8, 1.0)).collect();
        let hull = clearance::internals::hull::convex_hull(&points).unwrap();
        let table = ThesisTable::new(&hull);
        let (mut from_table, mut from_first) = (0, 0);
        for _ in 0..2000 {
            let direction = random();
            let (vertex, steps) = table.farthest(&hull, direction);
            let truth = hull.vertices().iter().map(|v| v.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            assert!(hull.vertex(vertex).dot(direction) >= truth - 4.0 * f64::EPSILON * direction.length());
            from_table += steps;
            from_first += climb(&hull, direction, 0).1;
        }
        assert!(3 * from_table < from_first, "{from_table} steps against {from_first}");
    }
}
