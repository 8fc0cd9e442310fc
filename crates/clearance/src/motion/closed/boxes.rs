//! Boxes: separating axes, swept.
//!
//! What B's middle must not enter is a polytope whose faces are across the axes of A, those of B, and the products of the two: 15 slabs
//! \[Gottschalk, Lin, Manocha 1996, OBBTree\]. A line is in a slab from one time to another; it is in the polytope from the last time of entering
//! to the first of leaving, if that is later.

use super::super::inside::MetBy;
use super::{Proposal, StraightPair};
use crate::shape::Cuboid;
use glam::{DMat3, DVec3};

/// Axes of the two boxes whose product has a smaller square are parallel: other axes tell as much.
const PARALLEL_SQUARED: f64 = 1e-8;

/// Directions of edges that are this much across a normal may be parallel to the face: no one corner of it meets.
const FLAT: f64 = 1e-9;

/// The axis that is entered last and the one that is left first.
struct Slabs {
    last_in: (f64, SlabAxis),
    first_out: (f64, DVec3),
}

/// One of the 15: those of A, of B, and of edges.
#[derive(Debug, Clone, Copy)]
struct SlabAxis {
    /// In the axes of A, towards B; of any length.
    n: DVec3,
    of: [Option<usize>; 2],
}

impl Slabs {
    /// A line is `x + v t` along the axis, and in the slab where that is no more than `e` in size. The answer is true if it never will be,
    /// or only after `rest`.
    #[inline(always)]
    fn clip(&mut self, [x, v, e]: [f64; 3], rest: f64, n: DVec3, of: [Option<usize>; 2]) -> bool {
        let (gap, closing, towards) = (x.abs() - e, -v * x.signum(), x.signum());
        if gap > 0.0 {
            let is_apart = !(closing * rest > gap);
            if is_apart || gap > self.last_in.0 * closing {
                self.last_in = (gap / closing, SlabAxis { n: n * towards, of });
            }
            if is_apart {
                return true;
            }
        }
        // Out on the side that it goes to.
        let far = if closing > 0.0 { x.abs() + e } else { e - x.abs() };
        let speed = closing.abs();
        if far < self.first_out.0 * speed {
            self.first_out = (far / speed, if closing > 0.0 { n * -towards } else { n * towards });
        }
        false
    }
}

pub(super) fn propose(pair: &StraightPair<'_, Cuboid, Cuboid>, [from, until]: [f64; 2]) -> Option<Proposal> {
    let [rotation_a, rotation_b] = pair.rotations.map(DMat3::from_quat);
    let to_a = rotation_a.transpose();
    // Columns: the axes of B in those of A; rows: the other way.
    let relative = to_a * rotation_b;
    let (p, v, rest) = (to_a * pair.place_at(from), to_a * pair.velocity, until - from);
    let (half_a, half_b) = (pair.a.half_extents(), pair.b.half_extents());
    let (columns, rows) =
        ([relative.x_axis, relative.y_axis, relative.z_axis], [relative.row(0), relative.row(1), relative.row(2)]);
    let none = SlabAxis { n: DVec3::ZERO, of: [None; 2] };
    let mut slabs = Slabs { last_in: (f64::NEG_INFINITY, none), first_out: (f64::INFINITY, DVec3::ZERO) };
    let pass = |slabs: &Slabs| Some(Proposal::Pass([rotation_a * slabs.last_in.1.n; 2]));
    for (i, row) in rows.iter().enumerate() {
        let extent = half_a[i] + half_b.dot(row.abs());
        if slabs.clip([p[i], v[i], extent], rest, DVec3::AXES[i], [Some(i), None]) {
            return pass(&slabs);
        }
    }
    for (j, &axis) in columns.iter().enumerate() {
        let extent = half_b[j] + half_a.dot(axis.abs());
        if slabs.clip([p.dot(axis), v.dot(axis), extent], rest, axis, [None, Some(j)]) {
            return pass(&slabs);
        }
    }
    for (i, row) in rows.iter().enumerate() {
        for (j, &axis) in columns.iter().enumerate() {
            // e_i × b_j has a zero at i.
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            let (nk, nl) = (-axis[l], axis[k]);
            let square = nk * nk + nl * nl;
            if square < PARALLEL_SQUARED {
                continue;
            }
            // Along the other two axes of B the product is as long as their entries in row i.
            let (m, o) = ((j + 1) % 3, (j + 2) % 3);
            let of_b = half_b[m] * row[o].abs() + half_b[o] * row[m].abs();
            let extent = half_a[k] * nk.abs() + half_a[l] * nl.abs() + of_b;
            let mut n = DVec3::ZERO;
            (n[k], n[l]) = (nk, nl);
            let along = [p[k] * nk + p[l] * nl, v[k] * nk + v[l] * nl, extent];
            if slabs.clip(along, rest, n, [Some(i), Some(j)]) {
                return pass(&slabs);
            }
        }
    }
    let Slabs { last_in: (time, axis), first_out } = slabs;
    if !(time > 0.0) {
        // Inside from the start.
        return None;
    }
    if first_out.0 < time {
        return Some(Proposal::Pass([rotation_a * axis.n, rotation_a * first_out.1]));
    }
    let n = axis.n.normalize();
    // The corners that meet, each in the axes of its own box.
    let (up, down) = (n, relative.transpose() * -n);
    let corner = |half: DVec3, along: DVec3| {
        DVec3::new(half.x.copysign(along.x), half.y.copysign(along.y), half.z.copysign(along.z))
    };
    let (mut a, mut b) = (corner(half_a, up), relative * corner(half_b, down));
    let place = p + v * time;
    let by = match axis.of {
        [Some(_), None] => {
            if down.abs().min_element() < FLAT {
                return None;
            }
            a = b + place;
            MetBy::CornerOf(1)
        }
        [None, Some(_)] => {
            if up.abs().min_element() < FLAT {
                return None;
            }
            b = a - place;
            MetBy::CornerOf(0)
        }
        // Where the lines of the two edges are closest.
        [Some(i), Some(j)] => {
            let (edge, way) = (columns[j], b + place - a);
            let cosine = edge[i];
            let along_b = (way[i] * cosine - way.dot(edge)) / (1.0 - cosine * cosine);
            a[i] += way[i] + along_b * cosine;
            b += edge * along_b;
            MetBy::Edges([rotation_a.col(i), rotation_b.col(j)])
        }
        [None, None] => return None,
    };
    Some(Proposal::Meet { normal: rotation_a * n, points: [rotation_a * a, rotation_a * b], by })
}
