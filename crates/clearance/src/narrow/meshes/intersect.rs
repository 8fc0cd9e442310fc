//! Do two surfaces share a point?
//!
//! **Invariant.** A pair of triangles that is not reported is proved apart: by boxes, by a direction in single precision whose error is allowed for, or in doubles.

use super::leaves::{LeafPair, facing_normal, turn};
use super::{Triangles, in_a, rounding};
use crate::math::Frame;
use crate::narrow::gjk::{self, WarmSimplex};
use crate::narrow::simplex::SignedVolumes;
use crate::narrow::triangles::{Corners, pierce, separating_axis};
use crate::parallel::current_num_threads;
use crate::parallel::prelude::*;
use crate::shape::{Mesh, Triangle};
use crate::tree::{SubTreePair, VisitLeaves, any_leaves_below, pairs_that_may_meet};
use crate::tuning::meshes as tuning;
use glam::DVec3;
use std::ops::ControlFlow;
use wide::f32x4;

/// Do two triangles in the frame of A meet, or come so close that no direction separates them?
pub fn meet(a: &Corners, b: &Corners, rounding: f64) -> bool {
    // Most triangles that get here go through each other, which is soon proved.
    if pierce(a, b, rounding) {
        return true;
    }
    separating_axis(a, b, rounding).is_none() && {
        let [a, b] = [a, b].map(|t| Triangle::new(t[0], t[1], t[2]));
        match (a, b) {
            (Ok(a), Ok(b)) => {
                let (limit, cache) = (2.0 * rounding, &mut WarmSimplex::default());
                // The depth of an overlap is not needed: only triangles that do not overlap get a distance.
                gjk::intersects(&a, &b, &Frame::IDENTITY, cache)
                    || gjk::distance_up_to::<SignedVolumes, _, _>(&a, &b, &Frame::IDENTITY, limit, cache).lower <= limit
            }
            // Coordinates that overflow: nothing is proved.
            _ => true,
        }
    }
}

/// Do the surfaces of two meshes share a point?
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::internals::narrow::meshes;
/// use clearance::shape::Mesh;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let at = |z: f64| Frame::relative(&Pose::IDENTITY, &Pose::from_translation([0.0, 0.0, z]));
/// assert!(meshes::intersects(&mesh, &mesh, &at(0.9)) && !meshes::intersects(&mesh, &mesh, &at(1.1)));
/// assert!(meshes::crossing_triangles(&mesh, &mesh, &at(1.1)).is_empty());
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn intersects(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> bool {
    first_crossing(a, b, b_in_a, None).is_some()
}

/// Two triangles that share a point, if there are any; those of the last call are tested first.
pub(crate) fn first_crossing(a: &Mesh, b: &Mesh, b_in_a: &Frame, first: Option<[u32; 2]>) -> Option<[u32; 2]> {
    let rounding = rounding(a, &Triangles::Mesh(b), b_in_a);
    let is_there = |&[i, j]: &[u32; 2]| (i as usize) < a.triangles().len() && (j as usize) < b.triangles().len();
    if let Some([i, j]) = first.filter(is_there)
        && meet(&a.corners(i), &in_a(b_in_a, b.corners(j)), rounding)
    {
        return first;
    }
    let mut found = None;
    let _ = crossings(SubTreePair::ROOTS, [a, b], b_in_a, rounding, |pair| {
        found = Some(pair);
        ControlFlow::Break(())
    });
    found
}

/// Visits pairs of triangles below a pair of subtrees that share a point, until a visit breaks.
fn crossings(
    start: SubTreePair,
    [a, b]: [&Mesh; 2],
    b_in_a: &Frame,
    rounding: f64,
    visit: impl FnMut([u32; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let views = [a, b].map(|mesh| mesh.tree().view_with_known_heights());
    any_leaves_below(start, views, b_in_a, Crossings { a, b, b_in_a, turn: turn(b_in_a), rounding, visit })
}

/// The search for triangles that share a point.
struct Crossings<'a, V> {
    a: &'a Mesh,
    b: &'a Mesh,
    b_in_a: &'a Frame,
    /// The rotation of B in single precision, by row.
    turn: [[f32x4; 3]; 3],
    rounding: f64,
    visit: V,
}

impl<V: FnMut([u32; 2]) -> ControlFlow<()>> VisitLeaves for Crossings<'_, V> {
    #[inline(always)]
    fn leaves(&mut self, of_a: &[u32], of_b: &[u32]) -> ControlFlow<()> {
        let Self { a, b, b_in_a, rounding, .. } = *self;
        let leaves = LeafPair::new(a, of_a, &Triangles::Mesh(b), of_b, b_in_a, &self.turn);
        let (around_b, rounded_up) = (leaves.around_b(), (rounding as f32).next_up());
        for (x, &i) in of_a.iter().enumerate() {
            let open = leaves.may_meet(x, &around_b, rounded_up);
            for (_, &j) in of_b.iter().enumerate().filter(|(y, _)| open >> y & 1 != 0) {
                if meet(&a.corners(i), &in_a(b_in_a, b.corners(j)), rounding) {
                    (self.visit)([i, j])?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn normal_between(&self, of_a: &[u32], of_b: &[u32]) -> Option<DVec3> {
        let (a, b) = (self.a.corners(of_a[0]), in_a(self.b_in_a, self.b.corners(of_b[0])));
        facing_normal(&a, &b)
    }
}

/// All pairs of triangles that share a point, sorted.
///
/// With the feature `parallel`, large meshes are divided among threads; the answer is the same for any number of them.
#[must_use]
pub fn crossing_triangles(a: &Mesh, b: &Mesh, b_in_a: &Frame) -> Vec<[u32; 2]> {
    let rounding = rounding(a, &Triangles::Mesh(b), b_in_a);
    let below = |start: SubTreePair, found: &mut Vec<[u32; 2]>| {
        let _ = crossings(start, [a, b], b_in_a, rounding, |pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
    };
    let mut found = Vec::new();
    if a.triangles().len() + b.triangles().len() < tuning::MANY_TRIANGLES || current_num_threads() == 1 {
        below(SubTreePair::ROOTS, &mut found);
    } else {
        let starts = pairs_that_may_meet([a.tree().view(), b.tree().view()], b_in_a, tuning::SHARES);
        let of_shares: Vec<Vec<[u32; 2]>> = starts
            .par_chunks(tuning::PAIRS_IN_A_SHARE)
            .map(|share| {
                let mut found = Vec::new();
                share.iter().for_each(|&start| below(start, &mut found));
                found
            })
            .collect();
        found = of_shares.concat();
    }
    // Each pair is below one start: once sorted, the order of threads does not matter.
    found.sort_unstable();
    found
}
