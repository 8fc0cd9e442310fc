//! Quickhull in three dimensions with exact sidedness.
//!
//! The surface starts as a tetrahedron. Every point not yet treated that is outside stands in the outside set of
//! one triangle which it is strictly above. A step takes the farthest point `p` of a triangle's set and removes all triangles strictly
//! visible from `p`. It closes the hole by triangles from `p` to the horizon, and hands the outside points of the removed triangles to the
//! new ones.
//!
//! **Invariants**, for the surface of the hull H of the points treated so far:
//! - I1: the triangles cover the boundary of H once; none is degenerate, all are counter-clockwise seen from outside.
//!   Coplanar neighbours and vertices that are not extreme may occur; `facets` merges and drops them at the end.
//! - I2: a point outside H that has not been treated is strictly above the triangle in whose set it stands.
//!
//! **Why a step keeps I1.** Coplanar with a triangle counts as not visible. The same triangles are visible from a point moved slightly from
//! `p` towards an inner point of H, whose plane tests have no ties. So the visible region is a disc and its border one simple loop. Let a
//! border side have the visible triangle f and the hidden triangle g.
//! `p` is strictly above f, hence not on the line of the side, and the new triangle is not degenerate. `p` is not
//! above g, hence the new plane lies between those of f and g: its normal is `α n_f + β n_g` with α >= 0 and β > 0,
//! and it supports H.
//!
//! **Why it keeps I2.** Let q be in the set of a removed triangle and outside the new hull. If q is above no new
//! triangle, it is above a kept one. The triangles strictly visible from q are connected, so two of them, f removed
//! and g kept, meet at a border side; with `n_new = α n_f + β n_g`, q is strictly above the new triangle there: a
//! contradiction. So a point above no new triangle is inside for good.
//!
//! **Road not taken.** Removing the coplanar triangles too leaves only extreme vertices on the surface, but replaces
//! a facet's whole triangulation whenever a point of its plane is added: quadratic for a prism with many sides.

use crate::math::{Aabb, exact};
use glam::DVec3;
use std::collections::VecDeque;

/// No facet. Layout: the largest index.
const NONE: u32 = u32::MAX;

/// A triangle of the surface.
///
/// Half-edge `3 * triangle + side` runs from `vertices[side]` to the vertex after it.
#[derive(Debug, Clone)]
pub(super) struct HullTriangle {
    pub vertices: [u32; 3],
    /// The opposite half-edge of each side.
    pub twins: [u32; 3],
    /// Position of the first vertex, and a vector about normal to the plane.
    base: DVec3,
    normal: DVec3,
    /// A height computed from the two fields above has the right sign if it is larger than this.
    uncertainty: f64,
    /// The outside set: first point of a list linked by `Surface::next_outside`, farthest point, its height.
    outside: u32,
    farthest: u32,
    height: f64,
    /// Whether the triangle has been tested in a step, and the result.
    mark: u32,
}

impl HullTriangle {
    fn new(points: &[DVec3], vertices: [u32; 3], twins: [u32; 3], extent: DVec3) -> Self {
        let [base, b, c] = vertices.map(|v| points[v as usize]);
        let (u, v) = (b - base, c - base);
        let (left, right) = (DVec3::new(u.y * v.z, u.z * v.x, u.x * v.y), DVec3::new(u.z * v.y, u.x * v.z, u.y * v.x));
        // The error bound of the first stage of an adaptive orientation test is (7 + 56 e) e times the sum of the
        // absolute products, e = 2^-53, here with the largest difference that any point can have. Eight pays for
        // the rounding of the bound itself.
        let uncertainty = 4.0 * f64::EPSILON * (left.abs() + right.abs()).dot(extent);
        Self {
            vertices,
            twins,
            base,
            normal: left - right,
            uncertainty,
            outside: NONE,
            farthest: NONE,
            height: f64::NEG_INFINITY,
            mark: 0,
        }
    }

    /// A multiple of the height of a point over the plane, with exact sign.
    pub fn height(&self, points: &[DVec3], point: u32) -> f64 {
        let p = points[point as usize];
        let height = self.normal.dot(p - self.base);
        if height.abs() > self.uncertainty {
            return height;
        }
        let [a, b, c] = self.vertices.map(|v| points[v as usize]);
        exact::orient3d(a, b, c, p)
    }
}

/// The surface of the hull as triangles, some of which may be coplanar neighbours. The last of the four corners of
/// the start is below the plane of the others.
pub(super) fn triangulate(points: &[DVec3], corners: [u32; 4]) -> Vec<HullTriangle> {
    let mut surface = Surface::new(points, corners);
    while let Some(triangle) = surface.queue.pop_front() {
        // A triangle may have been removed, or its place taken by another, since it was queued.
        if surface.triangles[triangle as usize].outside != NONE {
            surface.add_farthest_of(triangle);
        }
    }
    surface.into_triangles()
}

struct Surface<'a> {
    points: &'a [DVec3],
    extent: DVec3,
    triangles: Vec<HullTriangle>,
    /// Places in `triangles` that are not in use.
    free: Vec<u32>,
    /// Triangles with an outside set. First in, first out keeps the surface evenly fine: a coarse triangle beside
    /// fine ones would be rebuilt, with all its points, once for each of them.
    queue: VecDeque<u32>,
    /// For each point in an outside set, the next one of that set.
    next_outside: Vec<u32>,
    /// For each vertex on the horizon of a step, the new triangle whose border side starts there.
    spoke: Vec<u32>,
    step: u32,
    // Lists of a step, kept to reuse the memory.
    visible: Vec<u32>,
    horizon: Vec<Horizon>,
    created: Vec<u32>,
    orphans: Vec<u32>,
}

/// A side between a visible and a hidden triangle, as the visible one runs along it.
struct Horizon {
    tail: u32,
    head: u32,
    /// The half-edge of the hidden triangle.
    hidden: u32,
}

impl<'a> Surface<'a> {
    fn new(points: &'a [DVec3], [a, b, c, d]: [u32; 4]) -> Self {
        let bounds = Aabb::of_points(points.iter().copied());
        let extent = bounds.max - bounds.min;
        let triangles = vec![
            HullTriangle::new(points, [a, b, c], [3, 6, 9], extent),
            HullTriangle::new(points, [b, a, d], [0, 11, 7], extent),
            HullTriangle::new(points, [c, b, d], [1, 5, 10], extent),
            HullTriangle::new(points, [a, c, d], [2, 8, 4], extent),
        ];
        let mut surface = Self {
            points,
            extent,
            triangles,
            free: Vec::new(),
            queue: VecDeque::new(),
            next_outside: vec![NONE; points.len()],
            spoke: vec![NONE; points.len()],
            step: 0,
            visible: Vec::new(),
            horizon: Vec::new(),
            created: vec![0, 1, 2, 3],
            orphans: (0..points.len() as u32).filter(|p| ![a, b, c, d].contains(p)).collect(),
        };
        surface.distribute();
        surface
    }

    fn add_farthest_of(&mut self, start: u32) {
        let p = self.triangles[start as usize].farthest;
        self.step += 1;
        self.find_visible(p, start);

        self.orphans.clear();
        for &removed in &self.visible {
            let triangle = &mut self.triangles[removed as usize];
            let mut outside = std::mem::replace(&mut triangle.outside, NONE);
            triangle.vertices = [NONE; 3];
            while outside != NONE {
                if outside != p {
                    self.orphans.push(outside);
                }
                outside = self.next_outside[outside as usize];
            }
        }
        self.free.append(&mut self.visible);
        self.close_hole(p);
        self.distribute();
    }

    /// Collects the triangles strictly visible from the point, which are connected, and their border.
    fn find_visible(&mut self, p: u32, start: u32) {
        let (visible_mark, hidden_mark) = (2 * self.step, 2 * self.step + 1);
        self.horizon.clear();
        self.triangles[start as usize].mark = visible_mark;
        self.visible.push(start);
        let mut done = 0;
        while done < self.visible.len() {
            let HullTriangle { vertices, twins, .. } = self.triangles[self.visible[done] as usize];
            done += 1;
            for side in 0..3 {
                let other = twins[side] / 3;
                let triangle = &mut self.triangles[other as usize];
                if triangle.mark != visible_mark && triangle.mark != hidden_mark {
                    if triangle.height(self.points, p) > 0.0 {
                        triangle.mark = visible_mark;
                        self.visible.push(other);
                    } else {
                        triangle.mark = hidden_mark;
                    }
                }
                if triangle.mark == hidden_mark {
                    self.horizon.push(Horizon {
                        tail: vertices[side],
                        head: vertices[(side + 1) % 3],
                        hidden: twins[side],
                    });
                }
            }
        }
    }

    /// Joins the point to every border side. The border is one simple loop, so each of its vertices starts one side.
    fn close_hole(&mut self, p: u32) {
        self.created.clear();
        for &Horizon { tail, head, hidden } in &self.horizon {
            let triangle = HullTriangle::new(self.points, [tail, head, p], [hidden, NONE, NONE], self.extent);
            let place = match self.free.pop() {
                Some(place) => {
                    self.triangles[place as usize] = triangle;
                    place
                }
                None => {
                    self.triangles.push(triangle);
                    self.triangles.len() as u32 - 1
                }
            };
            self.triangles[hidden as usize / 3].twins[hidden as usize % 3] = 3 * place;
            self.spoke[tail as usize] = place;
            self.created.push(place);
        }
        for &place in &self.created {
            let head = self.triangles[place as usize].vertices[1];
            let next = self.spoke[head as usize];
            self.triangles[place as usize].twins[1] = 3 * next + 2;
            self.triangles[next as usize].twins[2] = 3 * place + 1;
        }
    }

    /// Puts each orphan into the outside set of a new triangle that it is strictly above; it is inside if there is
    /// none (I2).
    fn distribute(&mut self) {
        for &q in &self.orphans {
            for &place in &self.created {
                let triangle = &mut self.triangles[place as usize];
                let height = triangle.height(self.points, q);
                if height > 0.0 {
                    self.next_outside[q as usize] = triangle.outside;
                    triangle.outside = q;
                    if height > triangle.height {
                        (triangle.farthest, triangle.height) = (q, height);
                    }
                    break;
                }
            }
        }
        let has_outside = |&&place: &&u32| self.triangles[place as usize].outside != NONE;
        self.queue.extend(self.created.iter().filter(has_outside));
    }

    /// The triangles in use, side by side.
    fn into_triangles(mut self) -> Vec<HullTriangle> {
        let mut moved = vec![NONE; self.triangles.len()];
        let in_use = |triangle: &HullTriangle| triangle.vertices[0] != NONE;
        for (new, (place, _)) in (0..).zip(moved.iter_mut().zip(&self.triangles).filter(|(_, t)| in_use(t))) {
            *place = new;
        }
        self.triangles.retain(in_use);
        for twin in self.triangles.iter_mut().flat_map(|t| &mut t.twins) {
            *twin = 3 * moved[*twin as usize / 3] + *twin % 3;
        }
        self.triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I1: opposite half-edges are mutual and run against each other, neighbours are convex, the count is Euler's.
    fn assert_well_formed(points: &[DVec3], triangles: &[HullTriangle]) {
        let mut vertices: Vec<u32> = triangles.iter().flat_map(|t| t.vertices).collect();
        vertices.sort_unstable();
        vertices.dedup();
        assert_eq!(triangles.len(), 2 * vertices.len() - 4);
        for (i, triangle) in triangles.iter().enumerate() {
            for side in 0..3 {
                let twin = triangle.twins[side] as usize;
                let other = &triangles[twin / 3];
                assert_eq!(other.twins[twin % 3] as usize, 3 * i + side);
                assert_eq!(triangle.vertices[side], other.vertices[(twin + 1) % 3]);
                assert!(triangle.height(points, other.vertices[(twin + 2) % 3]) <= 0.0);
            }
        }
    }

    #[test]
    fn the_surface_is_closed_and_convex_for_points_with_many_ties() {
        let mut rng = fastrand::Rng::with_seed(3);
        for n in 0..200 {
            let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Z];
            let size = if n % 2 == 0 { 2 } else { 8 };
            let random = (0..n).map(|_| DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(-size..=size)))));
            let points: Vec<DVec3> = corners.into_iter().chain(random).collect();
            let triangles = triangulate(&points, [0, 1, 2, 3]);
            assert_well_formed(&points, &triangles);
            let mut all = 0..points.len() as u32;
            assert!(all.all(|p| triangles.iter().all(|t| t.height(&points, p) <= 0.0)));
        }
    }

    #[test]
    fn the_quick_height_never_contradicts_the_exact_one() {
        // Integer points near a plane through integer points, far from the origin: the filter must pass the unclear
        // ones on.
        let mut rng = fastrand::Rng::with_seed(5);
        let mut unclear = 0;
        for _ in 0..20_000 {
            let mut random = || DVec3::from_array([(); 3].map(|()| rng.i64(-(1 << 30)..1 << 30) as f64));
            let (a, b, c) = (random(), random(), random());
            let p = a + (b - a) + (c - a) + DVec3::Z * f64::from(rng.i32(-1..2));
            let points = [a, b, c, p];
            let extent = DVec3::splat(f64::from(1_u32 << 31) * 4.0);
            let triangle = HullTriangle::new(&points, [0, 1, 2], [NONE; 3], extent);
            let quick = triangle.normal.dot(p - triangle.base);
            let exact = exact::orient3d(a, b, c, p);
            let clear = quick.abs() > triangle.uncertainty;
            assert!(!clear || (quick > 0.0) == (exact > 0.0));
            assert_eq!(triangle.height(&points, 3).partial_cmp(&0.0), exact.partial_cmp(&0.0));
            unclear += usize::from(!clear);
        }
        assert!(unclear > 2_000, "representative: {unclear}");
    }
}
