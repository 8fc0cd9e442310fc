//! Meshes of the built-in scenes: block letters and digits, and solids of revolution.

use clearance::math::DVec3;
use clearance::{BuildError, Shape};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Letters and digits in a field of three by five cells: a row is three bits, from the top.
const GLYPHS: [(char, [u8; 5]); 20] = [
    ('0', [7, 5, 5, 5, 7]),
    ('1', [2, 6, 2, 2, 7]),
    ('2', [7, 1, 7, 4, 7]),
    ('3', [7, 1, 7, 1, 7]),
    ('4', [5, 5, 7, 1, 1]),
    ('5', [7, 4, 7, 1, 7]),
    ('6', [7, 4, 7, 5, 7]),
    ('7', [7, 1, 1, 1, 1]),
    ('8', [7, 5, 7, 5, 7]),
    ('9', [7, 5, 7, 1, 7]),
    ('A', [7, 5, 7, 5, 5]),
    ('C', [7, 4, 4, 4, 7]),
    ('E', [7, 4, 7, 4, 7]),
    ('F', [7, 4, 7, 4, 4]),
    ('H', [5, 5, 7, 5, 5]),
    ('J', [1, 1, 1, 5, 7]),
    ('L', [4, 4, 4, 4, 7]),
    ('P', [7, 5, 7, 4, 4]),
    ('T', [7, 2, 2, 2, 2]),
    ('U', [5, 5, 5, 5, 7]),
];

/// The name and the solid of a glyph, by a number that may be any; one cell thick, about its middle.
pub(super) fn glyph(number: usize, cell: f64) -> Result<(char, Shape), BuildError> {
    let (name, rows) = GLYPHS[number % GLYPHS.len()];
    let is_filled = |x: i32, y: i32, z: i32| {
        (0..3).contains(&x) && (0..5).contains(&y) && z == 0 && rows[4 - y as usize] >> (2 - x) & 1 == 1
    };
    let mut numbers: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (x, y) in (0..3).flat_map(|x| (0..5).map(move |y| (x, y))).filter(|&(x, y)| is_filled(x, y, 0)) {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut beside = [x, y, 0];
                beside[axis] += 2 * side - 1;
                if is_filled(beside[0], beside[1], beside[2]) {
                    continue;
                }
                // Counter-clockwise seen from outside.
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let order = if side == 1 { [[0, 0], [1, 0], [1, 1], [0, 1]] } else { [[0, 0], [0, 1], [1, 1], [1, 0]] };
                let square = order.map(|[p, q]| {
                    let mut corner = [x, y, 0];
                    corner[axis] += side;
                    corner[u] += p;
                    corner[v] += q;
                    *numbers.entry(corner).or_insert_with(|| {
                        vertices.push((DVec3::from(corner.map(f64::from)) - DVec3::new(1.5, 2.5, 0.5)) * cell);
                        vertices.len() as u32 - 1
                    })
                });
                let [a, b, c, d] = square;
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    Ok((name, Shape::mesh(&vertices, &triangles)?))
}

/// A loop of radii and heights, turned about the y axis: the solid is to its left. Radii are positive, so that it is a ring.
pub(super) fn revolved(profile: &[[f64; 2]], segments: u32) -> Result<Shape, BuildError> {
    let count = profile.len() as u32;
    let turned = |k: u32| {
        let (sin, cos) = (f64::from(k) * TAU / f64::from(segments)).sin_cos();
        profile.iter().map(move |&[radius, height]| [radius * cos, height, radius * sin])
    };
    let vertices: Vec<[f64; 3]> = (0..segments).flat_map(turned).collect();
    let mut triangles = Vec::new();
    for k in 0..segments {
        for i in 0..count {
            let (here, next) = (k * count, (k + 1) % segments * count);
            let (i, j) = (i, (i + 1) % count);
            triangles.extend([[here + i, here + j, next + j], [here + i, next + j, next + i]]);
        }
    }
    Shape::mesh(&vertices, &triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_are_closed_solids_of_their_cells() {
        for (number, (name, rows)) in GLYPHS.into_iter().enumerate() {
            let (found, shape) = glyph(number, 0.5).unwrap();
            let cells: u32 = rows.iter().map(|row| row.count_ones()).sum();
            assert_eq!(found, name);
            assert!((shape.volume().unwrap() - f64::from(cells) * 0.125).abs() < 1e-12, "{name}");
            assert!(shape.centroid().unwrap().z.abs() < 1e-12);
        }
    }

    #[test]
    fn a_ring_has_the_volume_of_its_prisms() {
        // A square of side 1 from radius 1 to 2: its prism of 6 sides.
        let shape = revolved(&[[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]], 6).unwrap();
        let hexagon = |radius: f64| 1.5 * 3.0_f64.sqrt() * radius * radius;
        assert!((shape.volume().unwrap() - (hexagon(2.0) - hexagon(1.0))).abs() < 1e-12, "{:?}", shape.volume());
    }
}
