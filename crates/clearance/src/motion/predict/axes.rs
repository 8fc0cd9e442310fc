//! Rotating boxes: the best of the fifteen separating axes \[Gottschalk, Lin, Manocha 1996, OBBTree\].
//!
//! The largest gap along these axes is less than the distance where corners are closest to corners, but both are zero at the same time. As a
//! function of time it is the largest of fifteen smooth ones, and Newton's method finds the root of each. From before the contact no step goes
//! farther than that, up to terms of second order.

use super::{Confidence, ContactGuess};
use crate::math::Frame;
use crate::motion::certify::inside::MetBy;
use crate::motion::envelope::Moment;
use crate::shape::Cuboid;
use glam::{DMat3, DVec3};

/// Bound: axes of the two boxes count as parallel if the square of their product is smaller. Their product is then no axis that separates better
/// than the others do, and its direction is known to fewer than 12 digits.
pub(super) const PARALLEL_SQUARED: f64 = 1e-8;

/// Bound: edges with a smaller cosine to the normal may be parallel to the face, which then has no single corner that meets.
pub(super) const FLAT: f64 = 1e-9;

/// The axis with the largest gap: the gap, and the axes of A and B that it belongs to.
type BestAxis = (f64, [Option<usize>; 2]);

/// The guess at a moment.
pub(super) fn guess([a, b]: [&Cuboid; 2], moment: &Moment) -> Option<(ContactGuess, Confidence)> {
    let [pose_a, pose_b] = &moment.poses;
    let Frame { rotation, translation: p } = Frame::relative_here(pose_a, pose_b);
    let (half_a, half_b) = (a.half_extents(), b.half_extents());
    let (gap, of) = best_axis([half_a, half_b], &rotation, p);
    let n = match of {
        [Some(i), None] => DVec3::AXES[i],
        [None, Some(j)] => rotation.col(j),
        [Some(i), Some(j)] => DVec3::AXES[i].cross(rotation.col(j)).normalize(),
        [None, None] => return None,
    };
    let n = n * 1.0_f64.copysign(n.dot(p));
    // The corners that face each other, in the axes of A.
    let (up, down) = (n, rotation.transpose() * -n);
    let corner = |half: DVec3, along: DVec3| {
        DVec3::new(half.x.copysign(along.x), half.y.copysign(along.y), half.z.copysign(along.z))
    };
    let (a, b) = (corner(half_a, up), p + rotation * corner(half_b, down));
    let normal = pose_a.rotation() * n;
    let (points, by) = match of {
        [Some(_), None] if down.abs().min_element() >= FLAT => ([b - n * gap, b], MetBy::CornerOf(1)),
        [None, Some(_)] if up.abs().min_element() >= FLAT => ([a, a + n * gap], MetBy::CornerOf(0)),
        // Where the lines of the two edges are closest.
        [Some(i), Some(j)] => {
            let (edge, offset) = (rotation.col(j), b - a);
            let cosine = edge[i];
            let along_b = (offset[i] * cosine - offset.dot(edge)) / (1.0 - cosine * cosine);
            let mut on_a = a;
            on_a[i] += offset[i] + along_b * cosine;
            let edges = [pose_a.rotation() * DVec3::AXES[i], pose_a.rotation() * edge];
            ([on_a, b + edge * along_b], MetBy::Edges(edges))
        }
        // A face that is parallel to a face or an edge has no single point that meets.
        _ => return None,
    };
    let points = points.map(|point| pose_a.transform_point(point));
    Some((ContactGuess { normal, points, gap, by }, Confidence::Settled))
}

/// The best axis. B's middle is at p, and its axes are the columns of `rotation`.
fn best_axis([half_a, half_b]: [DVec3; 2], rotation: &DMat3, p: DVec3) -> BestAxis {
    let columns = rotation.to_cols_array_2d();
    let sizes = columns.map(|column| column.map(f64::abs));
    let (half_a, half_b, p) = (half_a.to_array(), half_b.to_array(), p.to_array());
    let mut best: BestAxis = (f64::NEG_INFINITY, [None; 2]);
    for i in 0..3 {
        let extent = half_a[i] + (half_b[0] * sizes[0][i] + half_b[1] * sizes[1][i] + half_b[2] * sizes[2][i]);
        let gap = p[i].abs() - extent;
        if gap > best.0 {
            best = (gap, [Some(i), None]);
        }
    }
    for j in 0..3 {
        let (axis, size) = (columns[j], sizes[j]);
        let extent = half_b[j] + (half_a[0] * size[0] + half_a[1] * size[1] + half_a[2] * size[2]);
        let gap = (p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]).abs() - extent;
        if gap > best.0 {
            best = (gap, [None, Some(j)]);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            // e_i × b_j has a zero at i, and along the other two axes of B it is as long as their entries in row i.
            let ([k, l], [m, o]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
            let of_a = half_a[k] * sizes[j][l] + half_a[l] * sizes[j][k];
            let of_b = half_b[m] * sizes[o][i] + half_b[o] * sizes[m][i];
            let gap = (p[l] * columns[j][k] - p[k] * columns[j][l]).abs() - (of_a + of_b);
            let square = columns[j][k] * columns[j][k] + columns[j][l] * columns[j][l];
            // Without roots: is gap / √square more than the best?
            let [ours, theirs] = [gap * gap, best.0 * best.0 * square];
            let is_better = if gap > 0.0 { best.0 < 0.0 || ours > theirs } else { best.0 < 0.0 && ours < theirs };
            if is_better && square >= PARALLEL_SQUARED {
                best = (gap / square.sqrt(), [Some(i), Some(j)]);
            }
        }
    }
    best
}
