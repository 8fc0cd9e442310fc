//! Boxes in straight motion: separating axes, swept.
//!
//! The Minkowski difference of two boxes is the intersection of 15 slabs, across the axes of A, of B, and the products of the two
//! \[Gottschalk, Lin, Manocha 1996, OBBTree\]. The center of B moves along a line. The line is in all slabs from the last time of entering to the
//! first of leaving, if that is later.

use super::ContactGuess;
use super::axes::{FLAT, PARALLEL_SQUARED};
use crate::math::rounding::ROUNDING;
use crate::motion::advance::Chain;
use crate::motion::certify::Certified;
use crate::motion::certify::inside::MetBy;
use crate::motion::envelope::StraightPair;
use crate::shape::{Convex, Cuboid, Shape};
use crate::tuning::motion as tuning;
use glam::{DMat3, DVec3};

/// The times between which the line is in each of the 15 slabs: those across the axes of A, of B, and of their products, row by row.
/// Branch-free: the signs are unpredictable.
struct Slabs {
    times: [[f64; 2]; 15],
    /// Is the line going up?
    is_up: [bool; 15],
}

impl Slabs {
    /// A line is `x + v t` along an axis, and in the slab while that is at most `e` in size.
    #[inline(always)]
    fn put(&mut self, number: usize, [x, v, e]: [f64; 3]) {
        let is_up = !(v < 0.0);
        let towards = if is_up { -x } else { x };
        let inverse = 1.0 / v.abs();
        self.times[number] = [(towards - e) * inverse, (towards + e) * inverse];
        self.is_up[number] = is_up;
    }

    /// The slab that is entered last and the one that is left first, each with the time; a NaN is neither.
    #[inline(always)]
    fn last_and_first(&self) -> [(f64, usize); 2] {
        let (mut last, mut first) = ((f64::NEG_INFINITY, 0), (f64::INFINITY, 0));
        for (number, &[enter, leave]) in self.times.iter().enumerate() {
            last = if enter > last.0 { (enter, number) } else { last };
            first = if leave < first.0 { (leave, number) } else { first };
        }
        [last, first]
    }
}

/// Predicts and certifies as [`StraightPair::certify`] does, with the matrices of the rotations, which are known.
pub(super) fn impact(
    pair: &StraightPair<'_, Cuboid, Cuboid>,
    shapes: [&Shape; 2],
    [from, until]: [f64; 2],
    chain: &mut impl Chain,
) -> Option<Certified> {
    let rotations = [DMat3::from_quat(pair.rotations[0]), DMat3::from_quat(pair.rotations[1])];
    let guess = predict(pair, &rotations, [from, until])?;
    if guess.is_pass() {
        return pair.certify(shapes, guess, [from, until], chain);
    }
    if !pair.is_near([from, until]) {
        return None;
    }
    let ContactGuess { normal, points, by, .. } = guess;
    let [to_a, to_b] = [rotations[0].transpose(), rotations[1].transpose()];
    let (half_a, half_b) = (pair.a.half_extents(), pair.b.half_extents());
    let heights = half_a.dot((to_a * normal).abs()) + half_b.dot((to_b * normal).abs());
    pair.certify_contact(normal, heights, [from, until], chain, |time| {
        let size = pair.a.bounding_radius() + pair.b.bounding_radius();
        let mut after = pair.soon_after(normal, time);
        for _ in 0..tuning::STRAIGHT_OVERLAP_TRIES {
            let end = time + after;
            // A graze is left to the search.
            if !(after <= tuning::SOON * (until - time) && end <= until) {
                return None;
            }
            let place = pair.place_at(end);
            let shared = shared_point(normal, [points[0], points[1] + place], place, by);
            let depth_a = (half_a - (to_a * shared).abs()).min_element();
            let depth_b = (half_b - (to_b * (shared - place)).abs()).min_element();
            // The rounding of `inside.rs`, of both at once. Written so that a NaN is no overlap.
            if depth_a.min(depth_b) > pair.rounding(end) + ROUNDING * (2.0 * size + place.abs().element_sum()) {
                return Some((end, pair.contact_points(&guess, time)));
            }
            after *= tuning::OVERLAP_GROWTH;
        }
        None
    })
}

/// A point inside two boxes that have met along n at a and b; `place` is the center of B.
///
/// From a point of the surface, the direction to the center leads inside. a - μ a and b + ν (place - b) have the same height along n if
/// each moves by half of the overlap. The remaining difference is along the edges, or on a face.
#[inline(always)]
fn shared_point(n: DVec3, [a, b]: [DVec3; 2], place: DVec3, by: MetBy) -> DVec3 {
    let half_deep = 0.5 * n.dot(a - b);
    let (to_a, to_b) = (-a, place - b);
    let (a, b) = (a - to_a * (half_deep / n.dot(to_a)), b + to_b * (half_deep / n.dot(to_b)));
    match by {
        // As in `candidates`.
        MetBy::Edges([e, f]) => {
            let (offset, ef) = (b - a, e.dot(f));
            a + e * ((offset.dot(e) - offset.dot(f) * ef) / (1.0 - ef * ef))
        }
        MetBy::CornerOf(0) => a,
        MetBy::CornerOf(_) | MetBy::Anything | MetBy::Nothing { .. } => b,
    }
}

#[inline(always)]
fn predict(
    pair: &StraightPair<'_, Cuboid, Cuboid>,
    &[rotation_a, rotation_b]: &[DMat3; 2],
    [from, until]: [f64; 2],
) -> Option<ContactGuess> {
    let to_a = rotation_a.transpose();
    // Columns: the axes of B in those of A. Rows: the axes of A in those of B.
    let relative = to_a * rotation_b;
    let (p, v, rest) = (to_a * pair.place_at(from), to_a * pair.path.velocity, until - from);
    let (half_a, half_b) = (pair.a.half_extents(), pair.b.half_extents());
    let (columns, rows) =
        ([relative.x_axis, relative.y_axis, relative.z_axis], [relative.row(0), relative.row(1), relative.row(2)]);
    let mut slabs = Slabs { times: [[f64::NEG_INFINITY, f64::INFINITY]; 15], is_up: [false; 15] };
    for (i, row) in rows.iter().enumerate() {
        slabs.put(i, [p[i], v[i], half_a[i] + half_b.dot(row.abs())]);
    }
    for (j, &axis) in columns.iter().enumerate() {
        slabs.put(3 + j, [p.dot(axis), v.dot(axis), half_b[j] + half_a.dot(axis.abs())]);
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
            if nk * nk + nl * nl >= PARALLEL_SQUARED {
                slabs.put(6 + 3 * i + j, [p[k] * nk + p[l] * nl, v[k] * nk + v[l] * nl, extent]);
            }
        }
    }
    let [(time, last), (end, first)] = slabs.last_and_first();
    // From A to B, in the axes of A: against the line where it enters, along it where it leaves.
    let of = |number: usize| match number {
        0..3 => [Some(number), None],
        3..6 => [None, Some(number - 3)],
        _ => [Some((number - 6) / 3), Some((number - 6) % 3)],
    };
    let outwards = |number: usize, is_leaving: bool| {
        let axis = match of(number) {
            [Some(i), None] => DVec3::AXES[i],
            [None, Some(j)] => columns[j],
            [Some(i), Some(j)] => DVec3::AXES[i].cross(columns[j]),
            [None, None] => DVec3::ZERO,
        };
        if slabs.is_up[number] == is_leaving { axis } else { -axis }
    };
    // Out of a slab from the start on, and for ever; or in all of them only after the end, or never.
    if end <= 0.0 {
        return Some(ContactGuess::pass([rotation_a * outwards(first, true); 2]));
    }
    if time >= rest {
        return Some(ContactGuess::pass([rotation_a * outwards(last, false); 2]));
    }
    if end < time {
        return Some(ContactGuess::pass([outwards(last, false), outwards(first, true)].map(|n| rotation_a * n)));
    }
    if !(time > 0.0) {
        // Inside from the start.
        return None;
    }
    let axis_of = of(last);
    let n = outwards(last, false).normalize();
    // The corners that meet, each in the axes of its own box.
    let (up, down) = (n, relative.transpose() * -n);
    let corner = |half: DVec3, along: DVec3| {
        DVec3::new(half.x.copysign(along.x), half.y.copysign(along.y), half.z.copysign(along.z))
    };
    let (mut a, mut b) = (corner(half_a, up), relative * corner(half_b, down));
    let place = p + v * time;
    let by = match axis_of {
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
            let (edge, offset) = (columns[j], b + place - a);
            let cosine = edge[i];
            let along_b = (offset[i] * cosine - offset.dot(edge)) / (1.0 - cosine * cosine);
            a[i] += offset[i] + along_b * cosine;
            b += edge * along_b;
            MetBy::Edges([rotation_a.col(i), rotation_b.col(j)])
        }
        [None, None] => return None,
    };
    Some(ContactGuess::contact(rotation_a * n, [rotation_a * a, rotation_a * b], by))
}
