//! Pairs of triangles of two surfaces that are nearer than a limit, and points where the surfaces cross.
//!
//! For searches that prove by themselves what they take from here: no bound leaves this module.

use super::Triangles;
use super::leaves::{LeafPair, turn};
use crate::math::Frame;
use crate::narrow::triangles::{TrianglePoints, closest_points, common_point};
use crate::shape::Mesh;
use crate::tree::{DualSearch, SeparatingPlane, TreeSearch, any_leaves, by_axis, closest_first};
use glam::DVec3;
use std::ops::ControlFlow;
use wide::f32x4;

/// Visits pairs of triangles that may be closer than a limit, with the closest points in the frame of A, until a visit returns false. Returns whether
/// all were visited.
pub(crate) fn visit_near_pairs(
    a: &Mesh,
    b: &Mesh,
    b_in_a: &Frame,
    limit: f64,
    visit: &mut dyn FnMut(TrianglePoints) -> bool,
) -> bool {
    let mut search = NearPairs { meshes: [a, b], b_in_a, turn: turn(b_in_a), limit, is_over: false, visit };
    closest_first([a.tree_with_heights(), b.tree_with_heights()], b_in_a, &mut search);
    !search.is_over
}

struct NearPairs<'s> {
    meshes: [&'s Mesh; 2],
    b_in_a: &'s Frame,
    turn: [[f32x4; 3]; 3],
    limit: f64,
    is_over: bool,
    visit: &'s mut dyn FnMut(TrianglePoints) -> bool,
}

impl TreeSearch for NearPairs<'_> {
    fn cutoff(&self) -> f64 {
        self.limit
    }

    fn plane(&self) -> Option<SeparatingPlane> {
        None
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn prune(&mut self, _: f64) {}
}

impl DualSearch for NearPairs<'_> {
    #[inline(always)]
    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) -> f64 {
        let [a, b] = self.meshes;
        let leaves = LeafPair::new(a, of_a, &Triangles::Mesh(b), of_b, self.b_in_a, &self.turn);
        let none = by_axis(|_| f32x4::splat(0.0));
        for (x, &i) in of_a.iter().enumerate() {
            let [bounds, _] = leaves.lower_bounds(x, &none).map(f32x4::to_array);
            // (A NaN is not far.)
            for (_, &j) in of_b.iter().enumerate().filter(|&(y, _)| !(f64::from(bounds[y]) > self.limit)) {
                let found = closest_points(&a.corners(i), &b.corners(j).map(|corner| self.b_in_a.point(corner)));
                if !(self.visit)(found) {
                    self.is_over = true;
                    return 0.0;
                }
            }
        }
        0.0
    }
}

/// Points where two surfaces cross, in the frame of A: one of each pair of leaves, `most` at most. Also the number of pairs of triangles that were
/// compared, which `compared` limits.
pub(crate) fn crossing_points(a: &Mesh, b: &Mesh, b_in_a: &Frame, most: usize, compared: usize) -> (Vec<DVec3>, usize) {
    let (turn, mut found, mut count) = (turn(b_in_a), Vec::new(), 0);
    let _ = any_leaves(
        [a.tree().view(), b.tree().view()],
        b_in_a,
        #[inline(always)]
        |of_a, of_b| {
            let leaves = LeafPair::new(a, of_a, &Triangles::Mesh(b), of_b, b_in_a, &turn);
            let around_b = leaves.around_b();
            for (x, &i) in of_a.iter().enumerate() {
                let open = leaves.may_meet(x, &around_b, 0.0);
                for (_, &j) in of_b.iter().enumerate().filter(|(y, _)| open >> y & 1 != 0) {
                    count += 1;
                    let [one, other] = [a.corners(i), b.corners(j).map(|corner| b_in_a.point(corner))];
                    if let Some(point) = common_point(&one, &other) {
                        found.push(point);
                        return if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
                    }
                    if count >= compared {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        },
    );
    (found, count)
}
