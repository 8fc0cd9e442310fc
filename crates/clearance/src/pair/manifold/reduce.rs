//! Four points of many: the deepest, and those that span the largest area with it.
//!
//! The deepest point comes first, then the one farthest from it, then those that are farthest from their line on either side. Four points of the last frame
//! stay while they are all there, one of them is as deep as the deepest to [`TIE`], and their area is nearly as large ([`KEPT_AREA`]). Else two choices that are
//! equally good would alternate.

use arrayvec::ArrayVec;
use glam::DVec2;

/// Points that a manifold has by default, at most. Limit: solvers need no more for a plane.
pub(super) const MOST: usize = 4;

/// Depths are equal for the points of the last frame, as a part of the extent of all points. Limit: a point that is left out is at most this
/// much deeper than one that is kept.
const TIE: f64 = 1e-4;

/// Points of the last frame are kept if their area is at least this part of what a new choice has. Limit: the area that is given up for points that stay.
const KEPT_AREA: f64 = 0.9;

/// The numbers of at most four of these points, ascending. `was_there` says which points the last frame had. `place` is the place of a point in the
/// contact plane, with its signed distance.
pub(super) fn four_of<P>(
    points: &[P],
    place: impl Fn(&P) -> (DVec2, f64),
    was_there: impl Fn(&P) -> bool,
    tolerance: f64,
) -> ArrayVec<u32, MOST> {
    let count = points.len();
    if count <= MOST {
        return (0..count as u32).collect();
    }
    let points =
        ChoiceOfFour { count, place: |i: usize| place(&points[i]), was_there: |i: usize| was_there(&points[i]) };
    let fresh = points.best_four(tolerance);
    let kept: ArrayVec<u32, MOST> =
        (0..count).filter(|&i| (points.was_there)(i)).take(MOST).map(|i| i as u32).collect();
    if kept.len() < MOST || kept == fresh {
        return fresh;
    }
    let deepest =
        |of: &ArrayVec<u32, MOST>| of.iter().fold(f64::INFINITY, |least, &i| points.depth(i as usize).min(least));
    let low = (0..count).fold(DVec2::INFINITY, |low, i| low.min(points.at(i)));
    let high = (0..count).fold(DVec2::NEG_INFINITY, |high, i| high.max(points.at(i)));
    let tie = TIE * (high - low).length() + tolerance;
    if deepest(&kept) <= deepest(&fresh) + tie && points.area(&kept) >= KEPT_AREA * points.area(&fresh) {
        return kept;
    }
    fresh
}

/// Points by number, so that the choice of four copies none of them.
struct ChoiceOfFour<F, W> {
    count: usize,
    place: F,
    was_there: W,
}

impl<F: Fn(usize) -> (DVec2, f64), W> ChoiceOfFour<F, W> {
    fn at(&self, i: usize) -> DVec2 {
        (self.place)(i).0
    }

    fn depth(&self, i: usize) -> f64 {
        (self.place)(i).1
    }

    /// The choice without a history.
    fn best_four(&self, tolerance: f64) -> ArrayVec<u32, MOST> {
        let deepest = (0..self.count).fold(f64::INFINITY, |least, i| self.depth(i).min(least));
        // Of points that are equally deep to rounding the first.
        let first = (0..self.count).position(|i| self.depth(i) <= deepest + tolerance).unwrap_or(0);
        let mut chosen = ArrayVec::<u32, MOST>::new();
        chosen.push(first as u32);
        let add = |chosen: &mut ArrayVec<u32, MOST>, measure: &dyn Fn(DVec2) -> f64| {
            let mut best = (0.0, None);
            for i in (0..self.count).filter(|&i| !chosen.contains(&(i as u32))) {
                let value = measure(self.at(i));
                if value > best.0 {
                    best = (value, Some(i as u32));
                }
            }
            if let Some(i) = best.1 {
                chosen.push(i);
            }
        };
        let from = self.at(first);
        add(&mut chosen, &|at| at.distance_squared(from));
        let to = self.at(chosen.last().map_or(first, |&i| i as usize));
        let height = move |at: DVec2| (to - from).perp_dot(at - from);
        add(&mut chosen, &|at| height(at).abs());
        let third = self.at(chosen.last().map_or(first, |&i| i as usize));
        // The area that a fourth point adds to the triangle.
        let side = if height(third) < 0.0 { -1.0 } else { 1.0 };
        let added = |at: DVec2| {
            let edges = [(from, to), (to, third), (third, from)];
            edges.iter().map(|(p, q)| -side * (*q - *p).perp_dot(at - *p)).fold(0.0, f64::max)
        };
        add(&mut chosen, &added);
        chosen.sort_unstable();
        chosen
    }

    /// Twice the area of a polygon whose corners are in order.
    fn area(&self, of: &ArrayVec<u32, MOST>) -> f64 {
        let at = |k: usize| self.at(of[k % of.len()] as usize);
        (0..of.len()).map(|k| (at(k) - at(0)).perp_dot(at(k + 1) - at(0))).sum::<f64>().abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(count: u32, depth: impl Fn(u32) -> f64) -> Vec<(DVec2, f64)> {
        let at = |i: u32| DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(count));
        (0..count).map(|i| (at(i), depth(i))).collect()
    }

    fn chosen_of(points: &[(DVec2, f64)], was_there: impl Fn(usize) -> bool, tolerance: f64) -> ArrayVec<u32, MOST> {
        let numbered: Vec<_> = points.iter().copied().enumerate().collect();
        four_of(&numbered, |point| point.1, |point| was_there(point.0), tolerance)
    }

    #[test]
    fn the_deepest_point_and_the_largest_area_stay() {
        let points = ring(8, |i| if i == 3 { -0.1 } else { 0.0 });
        let chosen = chosen_of(&points, |_| false, 1e-14);
        assert_eq!(chosen[..], [1, 3, 5, 7]);
    }

    #[test]
    fn points_of_the_last_frame_stay_while_they_are_as_good() {
        let points = ring(8, |i| if i == 3 { -1e-6 } else { 0.0 });
        assert_eq!(chosen_of(&points, |i| i % 2 == 0, 1e-14)[..], [0, 2, 4, 6]);
        let points = ring(8, |i| if i == 3 { -1e-3 } else { 0.0 });
        assert_eq!(chosen_of(&points, |i| i % 2 == 0, 1e-14)[..], [1, 3, 5, 7]);
        // Four in one place are no choice to keep.
        assert_eq!(chosen_of(&ring(40, |_| 0.0), |i| i < 4, 1e-14).len(), 4);
        assert!(chosen_of(&ring(40, |_| 0.0), |i| i < 4, 1e-14).contains(&20));
    }

    #[test]
    fn points_on_a_line_are_its_ends_and_more() {
        let line: Vec<_> = (0..9).map(|i| (DVec2::new(f64::from(i), 0.0), 0.0)).collect();
        let chosen = chosen_of(&line, |_| false, 1e-14);
        assert!(chosen.contains(&0) && chosen.contains(&8));
    }
}
