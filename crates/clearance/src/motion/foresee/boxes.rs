//! Boxes: the best of the fifteen separating axes \[Gottschalk, Lin, Manocha 1996, OBBTree\].
//!
//! The largest gap along these axes is less than the distance where corners are closest to corners, but both are zero at
//! the same time. As a function of time it is the largest of fifteen smooth ones, and of each of these Newton's method finds the root:
//! from before the contact no step goes farther than that, but for what is of second order.

use super::super::envelope::Moment;
use super::super::inside::MetBy;
use super::super::sight::Sight;
use super::{Trust, Viewer};
use crate::math::Frame;
use crate::shape::Cuboid;
use glam::{DMat3, DVec3};

/// Axes of the two boxes whose product has a smaller square are parallel: other axes tell as much.
const PARALLEL_SQUARED: f64 = 1e-8;

/// Directions of edges that are this much across a normal may be parallel to the face: no one corner of it meets.
const FLAT: f64 = 1e-9;

pub(super) struct Boxes<'a> {
    pub a: &'a Cuboid,
    pub b: &'a Cuboid,
}

/// The axis with the largest gap so far, and which axes of A and B it belongs to.
struct BestAxis {
    gap: f64,
    /// In the axes of A, towards B.
    n: DVec3,
    of: [Option<usize>; 2],
}

impl BestAxis {
    #[inline(always)]
    fn offer(&mut self, [along, extent]: [f64; 2], n: DVec3, of: [Option<usize>; 2]) {
        let gap = along.abs() - extent;
        if gap > self.gap {
            *self = Self { gap, n: n * 1.0_f64.copysign(along), of };
        }
    }
}

impl Viewer for Boxes<'_> {
    fn view(&mut self, moment: &Moment) -> Option<(Sight, Trust)> {
        let [pose_a, pose_b] = &moment.poses;
        let Frame { rotation, translation: p } = Frame::relative_here(pose_a, pose_b);
        let (half_a, half_b) = (self.a.half_extents(), self.b.half_extents());
        let axis = best_axis([half_a, half_b], &rotation, p);
        let n = axis.n;
        // The corners that face each other, in the axes of A.
        let (up, down) = (n, rotation.transpose() * -n);
        let corner = |half: DVec3, along: DVec3| {
            DVec3::new(half.x.copysign(along.x), half.y.copysign(along.y), half.z.copysign(along.z))
        };
        let (a, b) = (corner(half_a, up), p + rotation * corner(half_b, down));
        let normal = pose_a.rotation() * n;
        let (points, by) = match axis.of {
            [Some(_), None] if down.abs().min_element() >= FLAT => ([b - n * axis.gap, b], MetBy::CornerOf(1)),
            [None, Some(_)] if up.abs().min_element() >= FLAT => ([a, a + n * axis.gap], MetBy::CornerOf(0)),
            // Where the lines of the two edges are closest.
            [Some(i), Some(j)] => {
                let (edge, way) = (rotation.col(j), b - a);
                let cosine = edge[i];
                let along_b = (way[i] * cosine - way.dot(edge)) / (1.0 - cosine * cosine);
                let mut on_a = a;
                on_a[i] += way[i] + along_b * cosine;
                let edges = [pose_a.rotation() * DVec3::AXES[i], pose_a.rotation() * edge];
                ([on_a, b + edge * along_b], MetBy::Edges(edges))
            }
            // Faces that are parallel to faces or edges have no one point that meets.
            _ => return None,
        };
        let points = points.map(|point| pose_a.transform_point(point));
        Some((Sight { normal, points, gap: axis.gap, by }, Trust::Settled))
    }
}

/// B's middle is at p, and its axes are the columns of `rotation`.
fn best_axis([half_a, half_b]: [DVec3; 2], rotation: &DMat3, p: DVec3) -> BestAxis {
    let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let rows = [rotation.row(0), rotation.row(1), rotation.row(2)];
    let mut best = BestAxis { gap: f64::NEG_INFINITY, n: DVec3::ZERO, of: [None; 2] };
    for (i, row) in rows.iter().enumerate() {
        best.offer([p[i], half_a[i] + half_b.dot(row.abs())], DVec3::AXES[i], [Some(i), None]);
    }
    for (j, &axis) in columns.iter().enumerate() {
        best.offer([p.dot(axis), half_b[j] + half_a.dot(axis.abs())], axis, [None, Some(j)]);
    }
    for (i, row) in rows.iter().enumerate() {
        for (j, axis) in columns.iter().enumerate() {
            // e_i × b_j has a zero at i.
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            let (nk, nl) = (-axis[l], axis[k]);
            // Along the other two axes of B the product is as long as their entries in row i.
            let (m, o) = ((j + 1) % 3, (j + 2) % 3);
            let of_b = half_b[m] * row[o].abs() + half_b[o] * row[m].abs();
            let extent = half_a[k] * nk.abs() + half_a[l] * nl.abs() + of_b;
            let along = p[k] * nk + p[l] * nl;
            // It is no longer than one: with what is best by now above zero, most need no root.
            let square = nk * nk + nl * nl;
            if square < PARALLEL_SQUARED || (best.gap >= 0.0 && along.abs() <= extent) {
                continue;
            }
            let scale = 1.0 / square.sqrt();
            let mut n = DVec3::ZERO;
            (n[k], n[l]) = (nk * scale, nl * scale);
            best.offer([along * scale, extent * scale], n, [Some(i), Some(j)]);
        }
    }
    best
}
