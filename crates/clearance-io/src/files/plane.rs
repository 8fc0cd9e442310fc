//! Exact decisions in the plane.

use robust::Coord;

/// Positive if the three points turn to the left, zero if they are on a line.
pub(super) fn orient(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> f64 {
    robust::orient2d(a, b, c)
}

/// Of three points on a line: is the second strictly between the others?
pub(super) fn is_between(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> bool {
    let between = |a: f64, b: f64, c: f64| (a < b && b < c) || (c < b && b < a);
    between(a.x, b.x, c.x) || (a.x == c.x && between(a.y, b.y, c.y))
}

/// Does the outline turn left at every corner, and go round once?
pub(super) fn is_convex(outline: &[Coord<f64>]) -> bool {
    let count = outline.len();
    let at = |i: usize| outline[i % count];
    let turns_left = (0..count).all(|i| orient(at(i), at(i + 1), at(i + 2)) > 0.0);
    // Going round once, it changes between left and right twice.
    let goes_right = (0..count).filter(|&i| at(i).x != at(i + 1).x).map(|i| at(i + 1).x > at(i).x);
    turns_left && changes(goes_right) <= 2
}

/// How often neighbours in a ring differ.
fn changes(mut ring: impl Iterator<Item = bool>) -> usize {
    let Some(first) = ring.next() else { return 0 };
    let (count, last) = ring.fold((0, first), |(count, before), now| (count + usize::from(now != before), now));
    count + usize::from(last != first)
}
