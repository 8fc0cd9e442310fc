//! Do two triangles meet? Decided exactly, for triangles in one frame; touching counts.
//!
//! Two triangles that are not in one plane meet if and only if an edge of one meets the other triangle. In one plane they meet if and
//! only if two edges cross, or a corner of one is in the other.

use super::report::Places;
use super::{Mesh, MeshReport};
use crate::math::Aabb;
use crate::math::exact::{orient2d, orient3d, widest_projection};
use glam::DVec3;
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// The most pairs of overlapping boxes that are visited per triangle, and in any case. Limit: a surface has about 20 per triangle, each pair
/// counted from both sides; a fan of n corners, or n triangles in one place, have n.
const VISITS_PER_TRIANGLE: usize = 128;
const VISITS: usize = 1 << 21;

/// Finds all pairs of triangles that meet elsewhere than in shared vertices and edges. Triangles without an area are left out.
///
/// The work is bounded: where too many triangles lie in one place, the search ends early and returns false.
pub(super) fn self_crossings(mesh: &Mesh, found: &mut Places<[u32; 2]>) -> bool {
    let mut others = Vec::new();
    let mut left = VISITS + VISITS_PER_TRIANGLE * mesh.triangles().len();
    for t in 0..mesh.triangles().len() as u32 {
        let bounds = Aabb::of_points(mesh.corners(t)).grown(mesh.grain());
        mesh.tree.overlapping(&bounds, |u| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            if u > t && cross(mesh, [t, u]) {
                others.push(u);
            }
            ControlFlow::Continue(())
        });
        others.sort_unstable();
        others.drain(..).for_each(|u| found.push([t, u]));
        if left == 0 {
            return false;
        }
    }
    true
}

/// Do two triangles of a mesh meet elsewhere than in the vertices and edges that they share?
fn cross(mesh: &Mesh, [t, u]: [u32; 2]) -> bool {
    let (a, b) = (mesh.scaled_corners(t), mesh.scaled_corners(u));
    if is_flat(a) || is_flat(b) {
        return false;
    }
    // The corners that are the same place, whatever their numbers.
    let shared: Vec<[usize; 2]> =
        (0..3).flat_map(|i| (0..3).map(move |j| [i, j])).filter(|&[i, j]| a[i] == b[j]).collect();
    match shared[..] {
        [] => meet(a, b),
        [[i, j]] => {
            let opposite = |corners: [DVec3; 3], k: usize| [corners[(k + 1) % 3], corners[(k + 2) % 3]];
            meets_segment(b, opposite(a, i)) || meets_segment(a, opposite(b, j))
        }
        [[i, j], [k, l]] => {
            // Folded onto each other: in one plane, and on the same side of the edge.
            let (p, q) = (a[3 - i - k], b[3 - j - l]);
            let (from, to) = (a[i], a[k]);
            let axis = widest_projection(from, to, p).unwrap_or(0);
            orient3d(from, to, p, q) == 0.0 && orient2d(axis, from, to, p) * sign(orient2d(axis, from, to, q)) > 0.0
        }
        // The same three corners: a duplicate, which is counted as such.
        _ => false,
    }
}

fn is_flat([a, b, c]: [DVec3; 3]) -> bool {
    widest_projection(a, b, c).is_none()
}

fn sign(x: f64) -> f64 {
    match x.partial_cmp(&0.0) {
        Some(Ordering::Greater) => 1.0,
        Some(Ordering::Less) => -1.0,
        _ => 0.0,
    }
}

/// Do two triangles with an area share a point?
pub(super) fn meet(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let edges = |t: [DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(a).into_iter().any(|edge| meets_segment(b, edge)) || edges(b).into_iter().any(|edge| meets_segment(a, edge))
}

/// Does a triangle with an area share a point with a segment?
fn meets_segment(t @ [a, b, c]: [DVec3; 3], [p, q]: [DVec3; 2]) -> bool {
    let [above, below] = [p, q].map(|end| sign(orient3d(a, b, c, end)));
    if above == 0.0 && below == 0.0 {
        return meets_segment_in_plane(t, [p, q]);
    }
    if above * below > 0.0 {
        return false;
    }
    // The line of the segment goes through the triangle if it passes all three sides on the same hand, or through them.
    let turns = [[a, b], [b, c], [c, a]].map(|[u, v]| sign(orient3d(p, q, u, v)));
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

/// Does a triangle share a point with a segment in its plane?
fn meets_segment_in_plane(t @ [a, b, c]: [DVec3; 3], [p, q]: [DVec3; 2]) -> bool {
    let Some(axis) = widest_projection(a, b, c) else { return false };
    let turn = |u: DVec3, v: DVec3, w: DVec3| sign(orient2d(axis, u, v, w));
    let way = turn(a, b, c);
    let is_inside = |x: DVec3| [[a, b], [b, c], [c, a]].into_iter().all(|[u, v]| way * turn(u, v, x) >= 0.0);
    if is_inside(p) || is_inside(q) {
        return true;
    }
    // Both ends are outside: only a crossing of a side is left. A segment in line with a side that holds none of its ends would have an end
    // of the side between its own, which crosses the next side.
    let crosses = |[u, v]: [DVec3; 2]| {
        turn(u, v, p) * turn(u, v, q) <= 0.0 && turn(p, q, u) * turn(p, q, v) <= 0.0 && turn(u, v, p) != turn(u, v, q)
    };
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].into_iter().any(crosses)
}

impl MeshReport {
    /// Do two triangles with an area, in one frame, share a point? For those who compare.
    #[must_use]
    pub fn triangles_meet(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
        let scale = crate::math::exact::Scale::of(&[a, b].concat());
        meet(a.map(|x| scale.point(x)), b.map(|x| scale.point(x)))
    }
}
