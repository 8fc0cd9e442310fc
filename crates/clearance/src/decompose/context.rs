//! A mesh in an exact space: planes of its triangles, clipping of triangles to cells, and inside tests of cells.
//!
//! Invariants:
//! * `behind` and `rings` have one entry per triangle. A triangle without area, or one outside the box given to [`Context::near`], has no plane.
//! * A [`Fragment`] lies in the plane of its triangle and has a positive area.

use super::cell::{Clipped, ConvexCell, Corner, Ring, cut};
use super::space::{PlaneSide, Space};
use crate::math::Aabb;
use crate::math::exact::widest_projection;
use crate::shape::{Mesh, Polytope, Side};
use glam::DVec3;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// A mesh with the planes and points that a computation about it has created.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub mesh: &'a Mesh,
    pub space: Space,
    /// The half-space behind each triangle; `None` for triangles without area.
    pub behind: Vec<Option<PlaneSide>>,
    rings: Vec<Option<Ring>>,
    /// Planes along x through sides, by the bits of their ends.
    along_x: FxHashMap<[[u64; 3]; 2], u32>,
}

/// A triangle, or its part in a cell.
#[derive(Debug, Clone)]
pub(super) struct Fragment {
    pub triangle: u32,
    pub ring: Ring,
}

impl<'a> Context<'a> {
    /// `None` if a coordinate has digits too fine for exact signs.
    pub fn new(mesh: &'a Mesh, pieces: &[&Polytope]) -> Option<Self> {
        let vertices = mesh.vertices().iter().chain(pieces.iter().flat_map(|piece| piece.vertices()));
        let mut space = Space::new(&vertices.copied().collect::<Vec<_>>())?;
        let count = mesh.triangles().len();
        let behind = (0..count as u32).map(|t| space.below(mesh.corners(t))).collect();
        Some(Self { mesh, space, behind, rings: vec![None; count], along_x: FxHashMap::default() })
    }

    /// Restricted to the planes of triangles that [`Self::entering`] can find near a piece.
    pub fn near(mesh: &'a Mesh, piece: &Polytope) -> Option<Self> {
        let vertices = mesh.vertices().iter().chain(piece.vertices());
        let mut space = Space::new(&vertices.copied().collect::<Vec<_>>())?;
        let count = mesh.triangles().len();
        let mut behind = vec![None; count];
        mesh.tree().overlapping(&piece.aabb(), |triangle| {
            behind[triangle as usize] = space.below(mesh.corners(triangle));
            ControlFlow::Continue(())
        });
        Some(Self { mesh, space, behind, rings: vec![None; count], along_x: FxHashMap::default() })
    }

    /// A box around the mesh with a small margin.
    pub fn whole(&mut self) -> ConvexCell {
        let bounds = self.mesh.aabb();
        let (min, max) = (self.space.scaled(bounds.min), self.space.scaled(bounds.max));
        // The margin is 1/64 of the size, rounded to a power of two so that the planes have few digits.
        let step = (max - min).max_element().max(Space::size() * 1e-12);
        let step = f64::from_bits(step.to_bits() & !((1 << 52) - 1)) / 64.0;
        let bounds = Aabb { min: (min / step).floor() * step - step, max: (max / step).ceil() * step + step };
        ConvexCell::of_box(&mut self.space, &bounds)
    }

    /// A triangle with an area, as a polygon.
    fn ring(&mut self, triangle: u32) -> Ring {
        if let Some(ring) = &self.rings[triangle as usize] {
            return ring.clone();
        }
        let corners = self.mesh.corners(triangle);
        let [a, b, c] = corners.map(|corner| self.space.scaled(corner) / Space::size());
        // The axis is not parallel to the triangle's plane, so planes along it intersect that plane in the sides.
        let axis = widest_projection(a, b, c).unwrap_or(0);
        let ring: Ring = (0..3)
            .map(|i| Corner {
                point: self.space.input_point(corners[i]),
                side: self.space.along_axis([corners[i], corners[(i + 1) % 3]], axis),
            })
            .collect();
        self.rings[triangle as usize] = Some(ring.clone());
        ring
    }

    /// All triangles with an area.
    pub fn fragments(&mut self) -> Vec<Fragment> {
        debug_assert_eq!(self.behind.len(), self.rings.len());
        let triangles = (0..self.behind.len() as u32).filter(|&t| self.behind[t as usize].is_some());
        triangles.collect::<Vec<_>>().into_iter().map(|t| Fragment { triangle: t, ring: self.ring(t) }).collect()
    }

    /// The plane of a triangle with an area.
    pub fn plane(&self, triangle: u32) -> u32 {
        self.behind[triangle as usize].map_or(u32::MAX, |half| half.plane)
    }

    /// Clips fragments to a half-space.
    pub fn cut(&mut self, fragments: &[Fragment], half: PlaneSide) -> Vec<Fragment> {
        let mut left = Vec::new();
        for fragment in fragments {
            let plane = self.plane(fragment.triangle);
            if plane == half.plane {
                continue;
            }
            match cut(&mut self.space, plane, &fragment.ring, half) {
                Clipped::Whole => left.push(fragment.clone()),
                Clipped::Part(ring) => left.push(Fragment { triangle: fragment.triangle, ring }),
                Clipped::Nothing => {}
            }
        }
        left
    }

    /// Clips the triangles near a box to all half-spaces.
    pub fn entering(&mut self, halves: &[PlaneSide], near: &Aabb) -> Vec<Fragment> {
        let mut close = Vec::new();
        self.mesh.tree().overlapping(near, |triangle| {
            close.push(triangle);
            ControlFlow::Continue(())
        });
        close.sort_unstable();
        let planes: Vec<(DVec3, f64)> = halves.iter().map(|&half| self.space.rounded_plane(half)).collect();
        let mut found = Vec::new();
        for triangle in close.into_iter().filter(|&t| self.behind[t as usize].is_some()).collect::<Vec<_>>() {
            // Most triangles are entirely beyond one plane. Doubles choose the plane, exact signs confirm it.
            let at = self.mesh.corners(triangle).map(|corner| self.space.scaled(corner));
            let least = |(normal, offset): &(DVec3, f64)| {
                at.map(|x| normal.dot(x)).into_iter().fold(f64::INFINITY, f64::min) - offset
            };
            let farthest = planes.iter().map(least).enumerate().max_by(|p, q| p.1.total_cmp(&q.1));
            if let Some((k, _)) = farthest.filter(|(_, least)| *least >= 0.0) {
                let points = self.mesh.corners(triangle).map(|corner| self.space.input_point(corner));
                if points.iter().all(|&point| self.space.outside(halves[k], point) >= 0) {
                    continue;
                }
            }
            let mut left = vec![Fragment { triangle, ring: self.ring(triangle) }];
            for &half in halves {
                left = self.cut(&left, half);
            }
            found.append(&mut left);
        }
        found
    }

    /// The half-spaces of a piece's faces; `None` if it is flat.
    pub fn halves(&mut self, piece: &Polytope) -> Option<Vec<PlaneSide>> {
        if piece.dimension() < 3 {
            return None;
        }
        let corners = |f: u32| {
            let face = piece.face(f);
            [0, 1, 2].map(|i| piece.vertex(face.vertices[i]))
        };
        (0..piece.face_count() as u32).map(|f| self.space.below(corners(f))).collect()
    }

    /// Whether a cell that no triangle enters is inside the solid; `None` if undecided.
    pub fn is_inside(&mut self, cell: &ConvexCell) -> Option<bool> {
        let middle = self.space.coarse_point(cell.middle(&self.space));
        if cell.holds(&self.space, middle) {
            let at = self.space.unscaled(self.space.position(middle));
            match self.mesh.side_of(at) {
                Side::Inside => return Some(true),
                Side::Outside => return Some(false),
                Side::Surface => {}
            }
        }
        // The cell is too thin for that point. A corner off the surface has the winding number of its neighbourhood.
        cell.points().into_iter().find_map(|point| self.winding(point)).map(|number| number != 0)
    }

    /// The exact winding number of the surface about a point; `None` if the point is on the surface or may be.
    ///
    /// The method is that of `shape/mesh/winding.rs`, which has double coordinates: a ray along x, with the point perturbed
    /// along y, then z. The turn of a side about the point is here an exact sign: the side of a plane along x on which the point lies.
    fn winding(&mut self, point: u32) -> Option<i32> {
        let bounds = self.space.bounds(point);
        let [min, mut max] = [bounds.min, bounds.max].map(|at| self.space.unscaled(at));
        max.x = f64::INFINITY;
        let mut close = Vec::new();
        self.mesh.tree().overlapping(&Aabb { min, max }, |triangle| {
            close.push(triangle);
            ControlFlow::Continue(())
        });
        let mut number = 0;
        for triangle in close {
            let corners = self.mesh.corners(triangle);
            let behind = self.behind[triangle as usize]?;
            let height = self.space.outside(behind, point);
            if height == 0 && Aabb::of_points(corners).overlaps(&Aabb { min, max }) {
                return None;
            }
            let is_low = corners.map(|corner| {
                let plane = self.space.beside(2, self.space.scaled(corner).z, false);
                self.space.outside(plane, point) >= 0
            });
            let mut turns = 0;
            for i in 0..3 {
                let j = (i + 1) % 3;
                if is_low[i] == is_low[j] {
                    continue;
                }
                let turn = self.turn_along_x([corners[i], corners[j]], point);
                turns += if is_low[i] { i32::from(turn > 0) } else { -i32::from(turn < 0) };
            }
            let is_ahead = if turns > 0 { height < 0 } else { height > 0 };
            if is_ahead {
                number += turns;
            }
        }
        Some(number)
    }

    /// Seen along x, whether a point lies to the left (positive) or to the right of the line from one point to another.
    fn turn_along_x(&mut self, ends: [DVec3; 2], point: u32) -> i8 {
        let key = ends.map(|end| end.to_array().map(f64::to_bits));
        let plane = match self.along_x.get(&key) {
            Some(&plane) => plane,
            None => {
                let plane = self.space.along_axis(ends, 0);
                self.along_x.insert(key, plane);
                plane
            }
        };
        // The normal is (b - a) × x, which points to the right.
        -self.space.side(plane, point)
    }

    /// The corners of a triangle, in the unit of the space.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.mesh.corners(triangle).map(|corner| self.space.scaled(corner))
    }
}
