//! Convex cells between planes, and convex polygons cut by planes, with exact corners.
//!
//! Invariants:
//! * A polygon lies in one plane. Each corner stores a plane through the side to the next corner.
//! * The faces of a cell are such polygons, counter-clockwise seen from outside. Their sides lie in the planes of adjacent faces.
//! * So every new corner is the meeting point of three input planes, and two faces that share it name the same three planes.
//! * A cell has at least four faces and a non-empty interior.

use super::space::{PlaneSide, Space};
use crate::math::Aabb;
use glam::DVec3;
use smallvec::SmallVec;

/// A corner, and a plane through the side to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corner {
    pub point: u32,
    pub side: u32,
}

/// The corners of a convex polygon.
pub(super) type Ring = SmallVec<[Corner; 6]>;

/// The part of a polygon in a half-space.
#[derive(Debug)]
pub(super) enum Clipped {
    /// All of it.
    Whole,
    /// Nothing with an area inside.
    Nothing,
    /// This.
    Part(Ring),
}

/// Cuts a polygon in a plane, given the sides that its corners are on (negative inside).
fn cut_by_sides(space: &mut Space, plane: u32, ring: &[Corner], by: u32, sides: &[i8]) -> Clipped {
    if sides.iter().all(|&side| side >= 0) {
        return Clipped::Nothing;
    }
    if sides.iter().all(|&side| side <= 0) {
        return Clipped::Whole;
    }
    let mut left = Ring::new();
    for (i, &corner) in ring.iter().enumerate() {
        let (here, next) = (sides[i], sides[(i + 1) % ring.len()]);
        match (here, next) {
            // From the plane along it or out of it: the side that follows is in the plane.
            (0, 0 | 1) => left.push(Corner { side: by, ..corner }),
            (-1 | 0, -1 | 0) => left.push(corner),
            (-1, _) => {
                left.push(corner);
                left.push(Corner { point: space.meeting_point([plane, corner.side, by]), side: by });
            }
            (_, -1) => left.push(Corner { point: space.meeting_point([plane, corner.side, by]), side: corner.side }),
            _ => {}
        }
    }
    Clipped::Part(left)
}

/// The part of a polygon in a half-space.
pub(super) fn cut(space: &mut Space, plane: u32, ring: &[Corner], half: PlaneSide) -> Clipped {
    let sides: SmallVec<[i8; 8]> = ring.iter().map(|corner| space.outside(half, corner.point)).collect();
    cut_by_sides(space, plane, ring, half.plane, &sides)
}

/// A face of a cell.
#[derive(Debug, Clone)]
pub(super) struct CellFace {
    pub half: PlaneSide,
    pub ring: Ring,
}

/// A bounded convex cell with an inside.
#[derive(Debug, Clone)]
pub(super) struct ConvexCell {
    pub faces: Vec<CellFace>,
    /// Around it, in the unit of the space.
    pub bounds: Aabb,
}

impl ConvexCell {
    /// The cell between two corners, in the unit of the space.
    pub fn of_box(space: &mut Space, bounds: &Aabb) -> Self {
        let planes: Vec<[PlaneSide; 2]> = (0..3)
            .map(|axis| [space.beside(axis, bounds.min[axis], true), space.beside(axis, bounds.max[axis], false)])
            .collect();
        let mut faces = Vec::new();
        for axis in 0..3 {
            for end in [0, 1] {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                // Counter-clockwise seen from +axis; the side that follows each corner is in the plane of the third number.
                let mut around = [([0, 0], (v, 0)), ([1, 0], (u, 1)), ([1, 1], (v, 1)), ([0, 1], (u, 0))];
                if end == 0 {
                    around = [([0, 0], (u, 0)), ([0, 1], (v, 1)), ([1, 1], (u, 1)), ([1, 0], (v, 0))];
                }
                let half = planes[axis][end];
                let ring = around
                    .into_iter()
                    .map(|([i, j], (k, l))| Corner {
                        point: space.meeting_point([half.plane, planes[u][i].plane, planes[v][j].plane]),
                        side: planes[k][l].plane,
                    })
                    .collect();
                faces.push(CellFace { half, ring });
            }
        }
        Self { faces, bounds: *bounds }
    }

    /// Its corners, each once.
    pub fn points(&self) -> Vec<u32> {
        let mut points: Vec<u32> = self.faces.iter().flat_map(|face| face.ring.iter().map(|c| c.point)).collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The part in a half-space; `None` if that has no interior.
    pub fn cut(&self, space: &mut Space, half: PlaneSide) -> Option<Self> {
        let points = self.points();
        let sides: Vec<i8> = points.iter().map(|&point| space.outside(half, point)).collect();
        if sides.iter().all(|&side| side >= 0) {
            return None;
        }
        if sides.iter().all(|&side| side <= 0) {
            return Some(self.clone());
        }
        let mut faces = Vec::with_capacity(self.faces.len() + 1);
        // The sides of the new face: from a point to the next, in the plane of a face.
        let mut steps: Vec<(u32, u32, u32)> = Vec::new();
        for face in &self.faces {
            let of_ring: SmallVec<[i8; 8]> = face
                .ring
                .iter()
                .map(|corner| sides[points.binary_search(&corner.point).expect("a corner of the cell")])
                .collect();
            let ring = match cut_by_sides(space, face.half.plane, &face.ring, half.plane, &of_ring) {
                Clipped::Nothing => continue,
                // A face that has a side in the plane is not whole beyond it: its neighbour there is gone.
                Clipped::Whole => with_sides_in(&face.ring, &of_ring, half.plane),
                Clipped::Part(ring) => ring,
            };
            if let Some(i) = ring.iter().position(|corner| corner.side == half.plane) {
                steps.push((ring[(i + 1) % ring.len()].point, ring[i].point, face.half.plane));
            }
            faces.push(CellFace { half: face.half, ring });
        }
        let Some(cap) = joined(&steps) else {
            debug_assert!(false, "the new face is one loop");
            space.is_broken = true;
            return None;
        };
        faces.push(CellFace { half, ring: cap });
        debug_assert!(faces.len() >= 4, "a cell with an interior");
        let mut cell = Self { faces, bounds: self.bounds };
        cell.bounds = cell.points().into_iter().fold(Aabb::EMPTY, |all, point| all.merged(&space.bounds(point)));
        Some(cell)
    }

    /// The average of its corners, in the unit of the space: inside, to rounding.
    pub fn middle(&self, space: &Space) -> DVec3 {
        let points = self.points();
        let sum: DVec3 = points.iter().map(|&point| space.position(point) / points.len() as f64).sum();
        sum
    }

    /// Is a point of the space strictly inside?
    pub fn holds(&self, space: &Space, point: u32) -> bool {
        self.faces.iter().all(|face| space.outside(face.half, point) < 0)
    }

    /// The volume, to rounding, as a part of the cube of the space's largest coordinate.
    pub fn volume(&self, space: &Space) -> f64 {
        let middle = self.middle(space);
        let at = |corner: &Corner| (space.position(corner.point) - middle) / Space::size();
        let of_face = |face: &CellFace| -> f64 {
            let first = at(&face.ring[0]);
            face.ring.windows(2).skip(1).map(|pair| first.dot(at(&pair[0]).cross(at(&pair[1])))).sum()
        };
        self.faces.iter().map(of_face).sum::<f64>() / 6.0
    }
}

/// Joins steps from point to point, each in a plane, to one loop.
fn joined(steps: &[(u32, u32, u32)]) -> Option<Ring> {
    let &(first, mut end, side) = steps.first()?;
    let mut ring = Ring::new();
    ring.push(Corner { point: first, side });
    while end != first && ring.len() < steps.len() {
        let &(point, to, side) = steps.iter().find(|step| step.0 == end)?;
        ring.push(Corner { point, side });
        end = to;
    }
    (end == first && ring.len() == steps.len()).then_some(ring)
}

/// A ring whose sides between corners on a plane are in that plane.
fn with_sides_in(ring: &Ring, sides: &[i8], plane: u32) -> Ring {
    let mut ring = ring.clone();
    for i in 0..ring.len() {
        if sides[i] == 0 && sides[(i + 1) % ring.len()] == 0 {
            ring[i].side = plane;
        }
    }
    ring
}
