//! Distance from a mesh of any kind, on a grid of cells, and what the mesh encloses.
//!
//! A cell whose centre is nearer to the surface than half its diagonal may contain surface; every other cell is free of it. Free cells that
//! share a side are connected, so each region of free cells is entirely inside or entirely outside.
//!
//! * A solid encloses the points whose winding number is not zero; one exact test decides a region.
//! * A shell encloses the regions that no path through free cells connects with the border of the grid. Gaps narrower than a cell are
//!   thereby closed. Orientation, doubled triangles, crossings and odd edges do not matter.
//!
//! The *body* of a mesh is its surface and what it encloses. [`Field::concavity`] proves how far a convex piece reaches beyond the body:
//! branch and bound over boxes, with d the distance from the surface, which is 1-Lipschitz. With r the half diagonal of a box, its points
//! are at most d + r from the body if the centre is outside, and at most r - d if the centre is enclosed.
//!
//! Invariants:
//! * `mesh` is moved to the origin and scaled by a power of two to a longest side between 1/2 and 1. Squares neither underflow nor overflow.
//! * Cells at the border of the grid are free.

use super::piece::Halves;
use crate::math::{Aabb, LeastFirst, QueueItem, Total};
use crate::narrow::meshes::nearest_to_point;
use crate::parallel::prelude::*;
use crate::shape::polytope::convex_hull;
use crate::shape::{Mesh, Polytope, Side};
use crate::tuning::decompose::{CELLS_ALONG, CONCAVITY_BOXES};
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Layout: cells around the box of the mesh, so that the border of the grid is free.
const AROUND: usize = 2;
/// Half the diagonal of a unit cube, rounded up. Bound: sqrt(3)/2 = 0.86602540378...
const HALF_DIAGONAL: f64 = 0.866_025_403_785;
/// Bound: distances in a mesh of size 1 are rounded by less than this.
const ROUNDING: f64 = 1e-14;
/// The longest walk from a point to a free cell. Limit: each step at least multiplies the distance from the surface by 1.5, and ROUNDING times
/// 1.5^90 exceeds a cell.
const WALK: usize = 90;

/// A concavity this close to its lower bound is precise enough. Limit: a thousandth of the size of the mesh is below what a summary prints.
const PRECISE: f64 = 1e-3;

/// Contents of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    /// It may contain surface.
    Surface,
    Inside,
    Outside,
}

/// The distance from the surface, on a grid.
#[derive(Debug)]
pub(super) struct Field {
    pub mesh: Mesh,
    origin: DVec3,
    pub step: f64,
    pub size: [usize; 3],
    cells: Vec<Cell>,
    /// From the centre of each cell to the surface.
    distances: Vec<f64>,
    /// A point of the surface near each cell that may contain some.
    pub samples: Vec<DVec3>,
}

impl Field {
    /// The field of a mesh of size 1 around the origin.
    pub fn new(mesh: Mesh, cells_along: usize) -> Self {
        let bounds = mesh.aabb();
        let extent = bounds.max - bounds.min;
        let step = extent.max_element() / cells_along as f64;
        let size = extent.to_array().map(|length| (length / step).ceil() as usize + 2 * AROUND);
        let origin = bounds.center() - 0.5 * step * DVec3::from_array(size.map(|count| count as f64));
        let is_free = |distance: f64| distance > HALF_DIAGONAL * step + ROUNDING;
        let center = |[x, y, z]: [usize; 3]| origin + step * (DVec3::new(x as f64, y as f64, z as f64) + 0.5);
        let rows: Vec<[usize; 2]> = (0..size[2]).flat_map(|z| (0..size[1]).map(move |y| [y, z])).collect();
        let row = |&[y, z]: &[usize; 2]| {
            let mut nearest = None;
            let mut found = Vec::with_capacity(size[0]);
            for x in 0..size[0] {
                let place = nearest_to_point(&mesh, center([x, y, z]), ROUNDING, f64::INFINITY, nearest);
                // A search without a limit fails only where a number is not finite.
                let Ok(place) = place else { continue };
                nearest = Some(place.triangles[0]);
                found.push((place.distance, place.point_a));
            }
            found
        };
        let places: Vec<(f64, DVec3)> = rows.par_iter().map(row).collect::<Vec<_>>().into_iter().flatten().collect();
        debug_assert_eq!(places.len(), size[0] * size[1] * size[2]);
        let distances: Vec<f64> = places.iter().map(|place| place.0).collect();
        let samples = places.iter().filter(|place| !is_free(place.0)).map(|place| place.1).collect();
        let cells = distances.iter().map(|&d| if is_free(d) { Cell::Outside } else { Cell::Surface }).collect();
        let mut field = Self { mesh, origin, step, size, cells, distances, samples };
        field.label();
        field
    }

    /// Decides for each region of free cells whether it is inside.
    fn label(&mut self) {
        let is_solid = self.mesh.is_solid();
        let mut is_known = vec![false; self.cells.len()];
        // The region of the first cell is that around the mesh.
        for first in 0..self.cells.len() {
            if is_known[first] || self.cells[first] == Cell::Surface {
                continue;
            }
            is_known[first] = true;
            let mut region = vec![first];
            let mut next = 0;
            while let Some(&cell) = region.get(next) {
                next += 1;
                for beside in self.beside(cell).into_iter().flatten() {
                    if !is_known[beside] && self.cells[beside] != Cell::Surface {
                        is_known[beside] = true;
                        region.push(beside);
                    }
                }
            }
            let is_inside = if is_solid { self.mesh.side_of(self.center(first)) == Side::Inside } else { first > 0 };
            if is_inside {
                region.into_iter().for_each(|cell| self.cells[cell] = Cell::Inside);
            }
        }
    }

    fn place(&self, cell: usize) -> [usize; 3] {
        [cell % self.size[0], cell / self.size[0] % self.size[1], cell / self.size[0] / self.size[1]]
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.size[0] * (y + self.size[1] * z)
    }

    /// The cells that share a side with one.
    fn beside(&self, cell: usize) -> [Option<usize>; 6] {
        let place = self.place(cell);
        std::array::from_fn(|i| {
            let (axis, is_above) = (i / 2, i % 2 == 1);
            let mut beside = place;
            beside[axis] = if is_above { place[axis] + 1 } else { place[axis].checked_sub(1)? };
            (beside[axis] < self.size[axis]).then(|| self.number(beside))
        })
    }

    fn center(&self, cell: usize) -> DVec3 {
        self.corner(self.place(cell)) + 0.5 * self.step
    }

    /// The lowest corner of a cell.
    pub fn corner(&self, place: [usize; 3]) -> DVec3 {
        self.origin + self.step * DVec3::from_array(place.map(|count| count as f64))
    }

    /// The cell of a point, along each axis; points beyond the grid are in cells at its border.
    pub fn cell_of(&self, at: DVec3) -> [usize; 3] {
        let place = (at - self.origin) / self.step;
        std::array::from_fn(|k| (place[k].max(0.0) as usize).min(self.size[k] - 1))
    }

    /// Whether a corner of cells is enclosed, as far as the cells around it tell.
    pub fn encloses_corner(&self, corner: [usize; 3]) -> bool {
        (0..8).any(|i| {
            let beside: [usize; 3] = std::array::from_fn(|k| corner[k].wrapping_sub(i >> k & 1));
            (0..3).all(|k| beside[k] < self.size[k]) && self.cells[self.number(beside)] == Cell::Inside
        })
    }

    /// Distance of a point from the surface, and whether the mesh encloses it.
    fn probe(&self, at: DVec3) -> (f64, bool) {
        let distance = |at| {
            nearest_to_point(&self.mesh, at, ROUNDING, f64::INFINITY, None)
                .map_or((f64::INFINITY, at), |place| (place.distance, place.point_a))
        };
        let (first, mut nearest) = distance(at);
        if self.mesh.is_solid() {
            return (first, self.mesh.side_of(at) != Side::Outside);
        }
        // A ball around a point that is as large as its distance from the surface is free. The walk goes from ball to ball away from the
        // surface, to a free cell.
        let (mut at, mut free) = (at, first);
        for _ in 0..WALK {
            let cell = self.number(self.cell_of(at));
            if self.cells[cell] != Cell::Surface {
                return (first, self.cells[cell] == Cell::Inside);
            }
            let Some(away) = (at - nearest).try_normalize().filter(|_| free > ROUNDING) else { break };
            let next = at + 0.9 * free * away;
            let (further, place) = distance(next);
            if further < 1.5 * free {
                break;
            }
            (at, free, nearest) = (next, further, place);
        }
        (first, false)
    }

    /// Estimated distance of the farthest point of a piece from the body: the largest at the centre of a cell in the piece.
    pub fn estimate(&self, piece: &Halves) -> f64 {
        let pad = if piece.thickness < 2.0 * self.step { HALF_DIAGONAL * self.step } else { 0.0 };
        let mut most = 0.0_f64;
        self.for_each_cell(piece, pad, |cell| {
            if self.cells[cell] != Cell::Inside {
                let shell = if self.cells[cell] == Cell::Surface { 0.5 * self.step } else { 0.0 };
                most = most.max(self.distances[cell] - pad - shell);
            }
        });
        most
    }

    /// Calls back with every cell whose centre is at most `pad` beyond each half-space of a piece.
    fn for_each_cell(&self, piece: &Halves, pad: f64, mut visit: impl FnMut(usize)) {
        let bounds = piece.bounds.grown(pad);
        let (low, high) = (self.cell_of(bounds.min), self.cell_of(bounds.max));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let start = self.corner([0, y, z]) + 0.5 * self.step;
                let (mut from, mut to) = (low[0] as f64, high[0] as f64);
                for &(normal, offset) in &piece.halves {
                    // normal·(start + step·x·e) <= offset + pad
                    let (slope, rest) = (normal.x * self.step, offset + pad - normal.dot(start));
                    if slope > 0.0 {
                        to = to.min((rest / slope).floor());
                    } else if slope < 0.0 {
                        from = from.max((rest / slope).ceil());
                    } else if rest < 0.0 {
                        to = -1.0;
                    }
                    if from > to {
                        break;
                    }
                }
                if from <= to {
                    (from as usize..=to as usize).for_each(|x| visit(self.number([x, y, z])));
                }
            }
        }
    }

    /// How far a point of a piece may be from the body: a proved upper bound. It is tight to a twentieth, or to a thousandth of the size,
    /// unless it is at most `enough`, or [`CONCAVITY_BOXES`] stops the search. Above `most`, the search ends with a number above it.
    pub fn concavity(&self, piece: &Halves, enough: f64, most: f64) -> f64 {
        let mut open = BinaryHeap::new();
        let mut lower = 0.0_f64;
        let half = 0.5 * self.step;
        let mut offer =
            |open: &mut BinaryHeap<LeastFirst<OpenBox>>, at: DVec3, half: f64, distance: f64, is_inside: bool| {
                let radius = HALF_DIAGONAL * 2.0 * half + ROUNDING;
                let upper = if is_inside { radius - distance } else { radius + distance };
                if !is_inside && piece.height(at) <= 0.0 {
                    lower = lower.max(distance - ROUNDING);
                }
                if upper > lower {
                    open.push(LeastFirst(OpenBox { upper, half, at }));
                }
                lower
            };
        let mut seen: Vec<usize> = Vec::new();
        self.for_each_cell(piece, 2.0 * half * HALF_DIAGONAL + ROUNDING, |cell| seen.push(cell));
        for cell in seen {
            match self.cells[cell] {
                Cell::Inside => {}
                Cell::Outside => _ = offer(&mut open, self.center(cell), half, self.distances[cell], false),
                Cell::Surface => {
                    // Probed only if it is among the worst.
                    let upper = HALF_DIAGONAL * 2.0 * half + self.distances[cell] + ROUNDING;
                    open.push(LeastFirst(OpenBox { upper, half, at: self.center(cell) }));
                }
            }
        }
        let mut probes = CONCAVITY_BOXES;
        let mut best = 0.0_f64;
        while let Some(LeastFirst(OpenBox { upper, half, at })) = open.pop() {
            if probes == 0 || upper <= enough || best > most || upper <= 1.05 * best || upper - best <= PRECISE {
                return upper;
            }
            for i in 0..8 {
                let sign = |k: usize| if i >> k & 1 == 0 { -0.5 } else { 0.5 };
                let at = at + half * DVec3::new(sign(0), sign(1), sign(2));
                if piece.is_beyond(at, 0.5 * half) {
                    continue;
                }
                probes = usize::saturating_sub(probes, 1);
                let (distance, is_inside) = self.probe(at);
                best = offer(&mut open, at, 0.5 * half, distance, is_inside);
            }
        }
        best
    }
}

/// For each piece, a proved upper bound on the distance of its points from the surface of a mesh or what the mesh encloses.
pub(super) fn concavities(mesh: &Mesh, pieces: &[Polytope]) -> Vec<f64> {
    let moved = Unit::of(&mesh.aabb()).and_then(|unit| Some((unit.mesh(mesh)?, unit)));
    let Some((field, unit)) = moved.map(|(moved, unit)| (Field::new(moved, CELLS_ALONG), unit)) else {
        return vec![f64::INFINITY; pieces.len()];
    };
    let of_piece = |piece: &Polytope| {
        let vertices: Vec<DVec3> = piece.vertices().iter().map(|&at| unit.enter(at)).collect();
        convex_hull(&vertices)
            .map_or(f64::INFINITY, |piece| unit.length(field.concavity(&Halves::of(&piece), 0.0, f64::INFINITY)))
    };
    pieces.par_iter().map(of_piece).collect()
}

/// A box of the search for the farthest point; the largest bound comes first, and of equal ones the one that is first in space.
#[derive(Debug)]
struct OpenBox {
    upper: f64,
    half: f64,
    at: DVec3,
}

impl QueueItem for OpenBox {
    type Key = (Reverse<Total>, [Total; 3]);

    fn key(&self) -> Self::Key {
        (Reverse(Total(self.upper)), self.at.to_array().map(Total))
    }
}

/// A mesh moved to the origin and scaled to size 1, and the way back.
#[derive(Debug)]
pub(super) struct Unit {
    middle: DVec3,
    /// A power of two.
    length: f64,
}

impl Unit {
    /// `None` for a mesh that is a single point.
    pub fn of(bounds: &Aabb) -> Option<Self> {
        let longest = (bounds.max - bounds.min).max_element();
        // A power of two times this is a normal number.
        let exponent = (longest.is_normal()).then(|| (longest.to_bits() >> 52) as i32 - 1022)?;
        Some(Self { middle: bounds.center(), length: 2.0_f64.powi(exponent) })
    }

    pub fn enter(&self, at: DVec3) -> DVec3 {
        (at - self.middle) / self.length
    }

    /// A mesh in this unit. Vertices that no triangle uses may be far away, and go to the origin.
    pub fn mesh(&self, mesh: &Mesh) -> Option<Mesh> {
        let mut vertices = vec![DVec3::ZERO; mesh.vertices().len()];
        for &corner in mesh.triangles().iter().flatten() {
            vertices[corner as usize] = self.enter(mesh.vertices()[corner as usize]);
        }
        Mesh::new(&vertices, mesh.triangles()).ok()
    }

    pub fn leave(&self, at: DVec3) -> DVec3 {
        self.middle + self.length * at
    }

    /// Bound on all coordinates of the mesh.
    pub fn largest(&self) -> f64 {
        self.middle.abs().max_element() + self.length
    }

    /// A length of size 1, rounded up, as a length of the mesh. Vertices that go back are rounded by three ε of their coordinates.
    pub fn length(&self, length: f64) -> f64 {
        // Bound: three roundings of ε on the path back, and one of the sum.
        let rounding = 4.0 * f64::EPSILON * self.largest();
        // Bound: the product of two numbers, one of them a power of two, rounds by less than ε.
        self.length * length * (1.0 + f64::EPSILON) + 2.0 * rounding
    }
}
