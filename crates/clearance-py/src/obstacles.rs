//! Obstacles from sensors: clouds of points and grids of voxels, as compounds with the tree of the library.

use crate::input::{Vector, floats, refused};
use crate::recipe::Recipe;
use crate::shape::{Refusal, Shape};
use clearance::Pose;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::collections::HashMap;

/// Parts of a compound, at most. Limit: each takes about 500 bytes.
const MOST_PARTS: usize = 4_000_000;

/// Balls of a radius about points.
pub fn point_cloud(points: &[[f64; 3]], radius: f64) -> Result<Shape, Refusal> {
    let ball = Shape::new(clearance::Shape::sphere(radius)?, Recipe::Sphere { radius });
    let pose = |(number, point): (usize, &[f64; 3])| {
        let pose = Pose::try_new(*point, clearance::math::DQuat::IDENTITY);
        pose.map_err(|error| error.prefixed(&format!("points[{number}].")))
    };
    let poses = points.iter().enumerate().map(pose).collect::<Result<Vec<_>, _>>()?;
    Shape::union(poses.into_iter().map(|pose| (ball.clone(), pose)).collect())
}

/// A box of voxels: the first of each axis, and the one behind the last.
type Block = [[usize; 2]; 3];

/// The voxels that are filled, as boxes: runs along z, merged along y and then along x where they agree.
fn blocks(filled: &[bool], [x, y, z]: [usize; 3]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // Blocks that end at the plane before, by what they cover of it.
    let mut before: HashMap<[[usize; 2]; 2], usize> = HashMap::new();
    for i in 0..x {
        let mut plane: Vec<[[usize; 2]; 2]> = Vec::new();
        // Rectangles that end at the row before, by their runs.
        let mut above: HashMap<[usize; 2], usize> = HashMap::new();
        for j in 0..y {
            let row = &filled[(i * y + j) * z..][..z];
            let mut runs = HashMap::new();
            let mut k = 0;
            while k < z {
                let from = k;
                while k < z && row[k] {
                    k += 1;
                }
                if k > from {
                    let at = above.get(&[from, k]).copied().unwrap_or_else(|| {
                        plane.push([[j, j], [from, k]]);
                        plane.len() - 1
                    });
                    plane[at][0][1] = j + 1;
                    runs.insert([from, k], at);
                } else {
                    k += 1;
                }
            }
            above = runs;
        }
        let mut here = HashMap::with_capacity(plane.len());
        for area in plane {
            let at = before.get(&area).copied().unwrap_or_else(|| {
                blocks.push([[i, i], area[0], area[1]]);
                blocks.len() - 1
            });
            blocks[at][0][1] = i + 1;
            here.insert(area, at);
        }
        before = here;
    }
    blocks
}

/// Boxes that fill the voxels of a grid that are set.
pub fn voxels(filled: &Bound<'_, PyAny>, size: &Bound<'_, PyAny>, origin: Option<Vector>) -> PyResult<Shape> {
    let numpy = filled.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (filled,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind != "b" {
        let given = array.getattr("dtype")?;
        return Err(PyTypeError::new_err(format!("filled has the dtype {given}, but must have bool")));
    }
    let numbers = floats(&array.call_method1("astype", ("float64",))?, "filled")?;
    let &[x, y, z] = numbers.shape() else {
        return Err(PyValueError::new_err(format!(
            "filled has the shape {:?}, but must have three axes",
            numbers.shape()
        )));
    };
    let sizes = match size.extract::<f64>() {
        Ok(size) => [size; 3],
        Err(_) => size.extract::<Vector>()?.0,
    };
    if sizes.iter().any(|size| !(*size > 0.0 && size.is_finite())) {
        return Err(PyValueError::new_err(format!("size is {sizes:?}, but must be positive")));
    }
    let filled: Vec<bool> = numbers.numbers().iter().map(|&value| value != 0.0).collect();
    let blocks = blocks(&filled, [x, y, z]);
    if blocks.len() > MOST_PARTS {
        return Err(PyValueError::new_err(format!(
            "the grid needs {} boxes, but at most {MOST_PARTS} are supported",
            blocks.len()
        )));
    }
    let origin = origin.map_or([0.0; 3], |origin| origin.0);
    let part = |block: &Block| -> Result<(Shape, Pose), Refusal> {
        let side = |axis: usize, at: usize| origin[axis] + sizes[axis] * block[axis][at] as f64;
        let half_extents = [0, 1, 2].map(|axis| 0.5 * sizes[axis] * (block[axis][1] - block[axis][0]) as f64);
        let center = [0, 1, 2].map(|axis| 0.5 * (side(axis, 0) + side(axis, 1)));
        let shape = Shape::new(clearance::Shape::cuboid(half_extents)?, Recipe::Box { half_extents });
        Ok((shape, Pose::try_new(center, clearance::math::DQuat::IDENTITY)?))
    };
    let parts = blocks.iter().map(part).collect::<Result<Vec<_>, _>>().map_err(refused)?;
    if parts.is_empty() {
        return Err(PyValueError::new_err("no voxel is filled; leave the obstacle out"));
    }
    Shape::union(parts).map_err(refused)
}
