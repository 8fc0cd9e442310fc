//! Solids made of the cells of a lattice: unions of unit cubes, boxes, grates.

use super::Model;
use clearance::math::DVec3;
use std::collections::BTreeMap;

/// The union of the filled cells of a lattice whose planes are at the given places, two triangles for each face between a filled cell
/// and an empty one.
///
/// Cells that meet in an edge or a vertex only share it: the edge then has four triangles.
#[must_use]
pub fn lattice(planes: [&[f64]; 3], is_filled: impl Fn([usize; 3]) -> bool) -> Model {
    let counts = planes.map(|places| places.len().saturating_sub(1));
    let is_filled = |cell: [usize; 3]| (0..3).all(|k| cell[k] < counts[k]) && is_filled(cell);
    let mut numbers = BTreeMap::new();
    let mut model = Model { vertices: Vec::new(), triangles: Vec::new() };
    let cells = (0..counts[0]).flat_map(|i| (0..counts[1]).flat_map(move |j| (0..counts[2]).map(move |k| [i, j, k])));
    for cell in cells.filter(|&cell| is_filled(cell)) {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut beside = cell;
                // Below zero wraps around to beyond the end, which is empty, too.
                beside[axis] = if side == 1 { cell[axis] + 1 } else { cell[axis].wrapping_sub(1) };
                if is_filled(beside) {
                    continue;
                }
                let mut corner = |u: usize, v: usize| {
                    let mut at = cell;
                    at[axis] += side;
                    at[(axis + 1) % 3] += u;
                    at[(axis + 2) % 3] += v;
                    *numbers.entry(at).or_insert_with(|| {
                        model.vertices.push(DVec3::from_array([0, 1, 2].map(|k| planes[k][at[k]])));
                        model.vertices.len() as u32 - 1
                    })
                };
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                model.triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    model
}

/// The union of unit cubes, each at the place of its smallest corner.
#[must_use]
pub fn lattice_solid(cubes: &[[i32; 3]]) -> Model {
    let extreme =
        |k: usize| (cubes.iter().map(|c| c[k]).min().unwrap_or(0), cubes.iter().map(|c| c[k]).max().unwrap_or(0));
    let range = [0, 1, 2].map(extreme);
    let places = range.map(|(low, high)| (low..=high + 1).map(f64::from).collect::<Vec<_>>());
    lattice([&places[0], &places[1], &places[2]], |cell| {
        cubes.contains(&[0, 1, 2].map(|k| range[k].0 + cell[k] as i32))
    })
}

/// A box about the origin.
#[must_use]
pub fn block(half_extents: DVec3) -> Model {
    let h = half_extents.to_array();
    let planes = h.map(|h| [-h, h]);
    lattice([&planes[0], &planes[1], &planes[2]], |_| true)
}

/// A plate with `holes[0]` by `holes[1]` rectangular holes: bars of width `bar` that cross, `gap` apart, and `thickness` high.
///
/// Its solid is the union of `holes[0] + 1` bars along y and `holes[1] + 1` along x.
#[must_use]
pub fn grate(holes: [usize; 2], bar: f64, gap: f64, thickness: f64) -> Model {
    let places = holes.map(|n| {
        (0..2 * n + 2).map(|i| (i / 2) as f64 * (bar + gap) + if i % 2 == 1 { bar } else { 0.0 }).collect::<Vec<_>>()
    });
    lattice([&places[0], &places[1], &[0.0, thickness]], |[i, j, _]| i % 2 == 0 || j % 2 == 0)
}
