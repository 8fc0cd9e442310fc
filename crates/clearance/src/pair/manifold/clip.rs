//! The overlap of two convex polygons in a plane, with the names of the corners and sides that each corner of it comes from.
//!
//! Sutherland and Hodgman's algorithm (1974): the first polygon is cut by the line of each side of the second. It is exact up to rounding, and each corner of the
//! result is a corner of one polygon inside the other, or a crossing of two sides.
//!
//! **Invariants.** (C1) Each corner is within `tolerance` of both polygons. (C2) A corner that is within `tolerance` of a side is inside, so that polygons that share
//! a side keep the names of their corners, whatever rounding does. (C3) Polygons of two corners and one are segments and points.

use glam::DVec2;
use smallvec::SmallVec;

/// Corners of a polygon that need no heap.
pub(super) const FEW: usize = 16;

/// Where a corner of the overlap comes from, by numbers of corners and sides. Side `i` joins corner `i` to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A corner of the first polygon.
    CornerA(u32),
    /// A corner of the second.
    CornerB(u32),
    /// A side of the first and one of the second.
    Crossing(u32, u32),
}

/// A corner of the overlap: the point of the first polygon and of the second, which differ for two segments that are nearly parallel only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    pub at: [DVec2; 2],
    pub origin: Origin,
}

impl Overlap {
    fn new(at: DVec2, origin: Origin) -> Self {
        Self { at: [at; 2], origin }
    }
}

/// The corners of an overlap.
pub(super) type Overlaps = SmallVec<[Overlap; FEW]>;

/// Segments whose directions differ by less than this touch along a piece, not in a point. Limit: the sine of the largest angle. The two
/// points at an end of the piece are then at most 1e-3 of its length beside each other.
const PARALLEL: f64 = 1e-3;

/// The line that a side of the result is on.
#[derive(Debug, Clone, Copy)]
enum Side {
    A(u32),
    B(u32),
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    at: DVec2,
    origin: Origin,
    /// From here to the next corner.
    side: Side,
}

/// The overlap of two convex polygons whose corners are counter-clockwise and no two neighbours in one place.
pub(super) fn overlap(a: &[DVec2], b: &[DVec2], tolerance: f64) -> Overlaps {
    match (a, b) {
        ([], _) | (_, []) => Overlaps::new(),
        ([p], [q]) => {
            let is_there = p.distance(*q) <= tolerance;
            is_there.then_some(Overlap { at: [*p, *q], origin: Origin::CornerA(0) }).into_iter().collect()
        }
        ([p, q], [r, s]) => two_segments([*p, *q], [*r, *s], tolerance),
        ([p], [r, s]) => on_segment(*p, [*r, *s], tolerance)
            .map(|foot| Overlap { at: [*p, foot], origin: Origin::CornerA(0) })
            .into_iter()
            .collect(),
        ([p, q], [r]) => on_segment(*r, [*p, *q], tolerance)
            .map(|foot| Overlap { at: [foot, *r], origin: Origin::CornerB(0) })
            .into_iter()
            .collect(),
        ([p], _) => clip_segment([*p, *p], b, tolerance, false),
        (_, [p]) => clip_segment([*p, *p], a, tolerance, true),
        ([p, q], _) => clip_segment([*p, *q], b, tolerance, false),
        (_, [p, q]) => clip_segment([*p, *q], a, tolerance, true),
        _ => clip_polygon(a, b, tolerance),
    }
}

/// The point of a segment that is nearest to a point, if it is within the tolerance.
fn on_segment(p: DVec2, [from, to]: [DVec2; 2], tolerance: f64) -> Option<DVec2> {
    let along = to - from;
    let square = along.length_squared();
    let t = if square > 0.0 { ((p - from).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    let foot = from + t * along;
    (foot.distance(p) <= tolerance).then_some(foot)
}

fn two_segments([p, q]: [DVec2; 2], [r, s]: [DVec2; 2], tolerance: f64) -> Overlaps {
    let (along_a, along_b) = (q - p, s - r);
    let (length_a, length_b) = (along_a.length(), along_b.length());
    let mut found = Overlaps::new();
    let cross = along_a.perp_dot(along_b);
    if cross.abs() > PARALLEL * length_a * length_b {
        let (t, u) = ((r - p).perp_dot(along_b) / cross, (r - p).perp_dot(along_a) / cross);
        let is_on = |t: f64, length: f64| t * length >= -tolerance && (t - 1.0) * length <= tolerance;
        if is_on(t, length_a) && is_on(u, length_b) {
            let at = [p + t.clamp(0.0, 1.0) * along_a, r + u.clamp(0.0, 1.0) * along_b];
            found.push(Overlap { at, origin: Origin::Crossing(0, 0) });
        }
        return found;
    }
    // The ends of the common piece, as places along the first segment.
    let unit = along_a / length_a;
    let places = [r, s].map(|end| (end - p).dot(unit));
    let (low, high) = if places[0] <= places[1] { (0, 1) } else { (1, 0) };
    let ends_b = [r, s];
    if places[high] < -tolerance || places[low] > length_a + tolerance {
        return found;
    }
    let foot_on_b = |end: DVec2| r + ((end - r).dot(along_b) / (length_b * length_b)).clamp(0.0, 1.0) * along_b;
    let foot_on_a = |place: f64| p + place.clamp(0.0, length_a) * unit;
    let first = if places[low] > tolerance {
        Overlap { at: [foot_on_a(places[low]), ends_b[low]], origin: Origin::CornerB(low as u32) }
    } else {
        Overlap { at: [p, foot_on_b(p)], origin: Origin::CornerA(0) }
    };
    let last = if places[high] < length_a - tolerance {
        Overlap { at: [foot_on_a(places[high]), ends_b[high]], origin: Origin::CornerB(high as u32) }
    } else {
        Overlap { at: [q, foot_on_b(q)], origin: Origin::CornerA(1) }
    };
    found.push(first);
    if first.at[0].distance(last.at[0]) > 4.0 * tolerance {
        found.push(last);
    }
    found
}

/// A segment or a point, cut by the sides of a polygon. It is the second of the two if `is_second`.
fn clip_segment([p, q]: [DVec2; 2], polygon: &[DVec2], tolerance: f64, is_second: bool) -> Overlaps {
    let corner = |i: u32| if is_second { Origin::CornerB(i) } else { Origin::CornerA(i) };
    let crossing = |j: u32| if is_second { Origin::Crossing(j, 0) } else { Origin::Crossing(0, j) };
    let mut ends = [Overlap::new(p, corner(0)), Overlap::new(q, corner(1))];
    for (j, (&from, &to)) in polygon.iter().zip(polygon.iter().cycle().skip(1)).enumerate() {
        let along = to - from;
        let slack = -tolerance * along.length();
        let [of_p, of_q] = ends.map(|end| along.perp_dot(end.at[0] - from));
        let at = || ends[0].at[0] + (of_p / (of_p - of_q)).clamp(0.0, 1.0) * (ends[1].at[0] - ends[0].at[0]);
        match (of_p >= slack, of_q >= slack) {
            (true, true) => {}
            (true, false) => ends[1] = Overlap::new(at(), crossing(j as u32)),
            (false, true) => ends[0] = Overlap::new(at(), crossing(j as u32)),
            (false, false) => return Overlaps::new(),
        }
    }
    let mut found = Overlaps::new();
    found.push(ends[0]);
    if ends[0].at[0].distance(ends[1].at[0]) > 4.0 * tolerance {
        found.push(ends[1]);
    }
    found
}

fn clip_polygon(a: &[DVec2], b: &[DVec2], tolerance: f64) -> Overlaps {
    let corners = (0..).zip(a).map(|(i, &at)| Cut { at, origin: Origin::CornerA(i), side: Side::A(i) });
    let mut cuts: SmallVec<[Cut; FEW]> = corners.collect();
    let mut next: SmallVec<[Cut; FEW]> = SmallVec::new();
    let count = b.len();
    for j in 0..count {
        let (from, to) = (b[j], b[(j + 1) % count]);
        let along = to - from;
        let slack = -tolerance * along.length();
        let Some(&last) = cuts.last() else { break };
        let height = |cut: &Cut| along.perp_dot(cut.at - from);
        let (mut before, mut of_before) = (last, height(&last));
        next.clear();
        for &cut in &cuts {
            let of_cut = height(&cut);
            let (was_in, is_in) = (of_before >= slack, of_cut >= slack);
            if was_in != is_in {
                let t = (of_before / (of_before - of_cut)).clamp(0.0, 1.0);
                let (at, origin) = crossing(b, before.side, j, before.at + t * (cut.at - before.at));
                next.push(Cut { at, origin, side: if is_in { before.side } else { Side::B(j as u32) } });
            }
            if is_in {
                next.push(cut);
            }
            (before, of_before) = (cut, of_cut);
        }
        std::mem::swap(&mut cuts, &mut next);
    }
    without_doubles(&cuts, tolerance)
}

/// Where a side of the result crosses the line of side `j` of the second polygon, and how that place is called.
fn crossing(b: &[DVec2], side: Side, j: usize, at: DVec2) -> (DVec2, Origin) {
    match side {
        Side::A(i) => (at, Origin::Crossing(i, j as u32)),
        // Neighbouring sides of one polygon cross in its corner.
        Side::B(k) if (k as usize + 1) % b.len() == j => (b[j], Origin::CornerB(j as u32)),
        Side::B(k) if (j + 1) % b.len() == k as usize => (b[k as usize], Origin::CornerB(k)),
        Side::B(_) => (at, Origin::CornerB(j as u32)),
    }
}

/// Of corners in one place one is kept: a corner of a polygon rather than a crossing.
fn without_doubles(cuts: &[Cut], tolerance: f64) -> Overlaps {
    let mut found = Overlaps::new();
    let is_crossing = |origin: Origin| matches!(origin, Origin::Crossing(..));
    for cut in cuts {
        let cut = Overlap::new(cut.at, cut.origin);
        match found.last_mut() {
            Some(last) if last.at[0].distance(cut.at[0]) <= 4.0 * tolerance => {
                if is_crossing(last.origin) && !is_crossing(cut.origin) {
                    *last = cut;
                }
            }
            _ => found.push(cut),
        }
    }
    if let [first, .., last] = found[..]
        && first.at[0].distance(last.at[0]) <= 4.0 * tolerance
    {
        if is_crossing(first.origin) && !is_crossing(last.origin) {
            found[0] = last;
        }
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(at: DVec2, half: f64) -> [DVec2; 4] {
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|c| at + half * DVec2::from(c))
    }

    fn places(found: &Overlaps) -> Vec<[f64; 2]> {
        found.iter().map(|corner| corner.at[0].to_array()).collect()
    }

    #[test]
    fn squares_overlap_in_corners_and_crossings() {
        let (a, b) = (square(DVec2::ZERO, 1.0), square(DVec2::new(1.0, 0.5), 1.0));
        let found = overlap(&a, &b, 1e-14);
        let origins: Vec<Origin> = found.iter().map(|corner| corner.origin).collect();
        assert_eq!(found.len(), 4);
        let wanted = [Origin::Crossing(2, 3), Origin::CornerB(0), Origin::Crossing(1, 0), Origin::CornerA(2)];
        assert!(wanted.iter().all(|origin| origins.contains(origin)), "{origins:?} {:?}", places(&found));
    }

    #[test]
    fn polygons_that_share_all_sides_keep_their_corners() {
        let a = square(DVec2::ZERO, 1.0);
        for shift in [0.0, 1e-16, -1e-16, 3e-16] {
            let found = overlap(&a, &square(DVec2::splat(shift), 1.0), 1e-14);
            let origins: Vec<Origin> = found.iter().map(|corner| corner.origin).collect();
            assert_eq!(origins, [0, 1, 2, 3].map(Origin::CornerA), "{shift}");
        }
    }

    #[test]
    fn one_inside_the_other_is_the_overlap() {
        let (a, b) = (square(DVec2::ZERO, 1.0), square(DVec2::splat(0.1), 0.25));
        assert!(overlap(&a, &b, 1e-14).iter().all(|corner| matches!(corner.origin, Origin::CornerB(_))));
        assert!(overlap(&b, &a, 1e-14).iter().all(|corner| matches!(corner.origin, Origin::CornerA(_))));
        assert_eq!((overlap(&a, &b, 1e-14).len(), overlap(&b, &a, 1e-14).len()), (4, 4));
        assert!(overlap(&a, &square(DVec2::splat(3.0), 1.0), 1e-14).is_empty());
    }

    #[test]
    fn segments_cross_or_touch_along_a_piece() {
        let x = [DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0)];
        let found = overlap(&x, &[DVec2::new(0.25, -1.0), DVec2::new(0.25, 1.0)], 1e-14);
        assert_eq!((places(&found), found[0].origin), (vec![[0.25, 0.0]], Origin::Crossing(0, 0)));
        let found = overlap(&x, &[DVec2::new(3.0, 0.0), DVec2::new(0.5, 0.0)], 1e-14);
        assert_eq!(places(&found), [[0.5, 0.0], [1.0, 0.0]]);
        assert_eq!([found[0].origin, found[1].origin], [Origin::CornerB(1), Origin::CornerA(1)]);
        assert!(overlap(&x, &[DVec2::new(3.0, 0.0), DVec2::new(1.5, 0.0)], 1e-14).is_empty());
    }

    #[test]
    fn segments_and_points_are_cut_by_polygons() {
        let a = square(DVec2::ZERO, 1.0);
        let segment = [DVec2::new(-3.0, 0.5), DVec2::new(0.5, 0.5)];
        let found = overlap(&segment, &a, 1e-14);
        assert_eq!(places(&found), [[-1.0, 0.5], [0.5, 0.5]]);
        assert_eq!([found[0].origin, found[1].origin], [Origin::Crossing(0, 3), Origin::CornerA(1)]);
        let found = overlap(&a, &segment, 1e-14);
        assert_eq!([found[0].origin, found[1].origin], [Origin::Crossing(3, 0), Origin::CornerB(1)]);
        assert_eq!(overlap(&[DVec2::splat(0.5)], &a, 1e-14).len(), 1);
        assert!(overlap(&[DVec2::splat(1.5)], &a, 1e-14).is_empty());
    }
}
