//! Algorithm 1: an edge is clipped by Voronoi planes, one after the other.
//!
//! Clipping never computes a closest point, and divides only numbers whose sum is the divisor, so parallel edges and faces
//! are no special cases.

use crate::shape::polytope::TrackedEdge;
use glam::DVec3;

/// The remaining part of an edge, and the planes that cut it; N names the neighbour across a plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clip<N> {
    pub low: f64,
    pub high: f64,
    /// The neighbours across the planes that cut off the tail and the head.
    pub low_by: Option<N>,
    pub high_by: Option<N>,
    /// How often a plane has cut the edge, for those who count.
    pub cuts: usize,
}

/// Effect of one more plane on an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Something is left.
    Remains,
    /// Both ends are outside of this plane.
    SimplyExcluded,
    /// Nothing is inside of all planes so far.
    Excluded,
}

impl<N: Copy> Clip<N> {
    pub fn new() -> Self {
        Self { low: 0.0, high: 1.0, low_by: None, high_by: None, cuts: 0 }
    }

    /// One plane: `tail` and `head` are the distances of the edge's ends, positive inside.
    pub fn cut(&mut self, tail: f64, head: f64, neighbor: N) -> Cut {
        if tail < 0.0 && head < 0.0 {
            return Cut::SimplyExcluded;
        }
        self.cuts += usize::from(tail < 0.0 || head < 0.0);
        if tail < 0.0 {
            let at = tail / (tail - head);
            if at > self.low {
                (self.low, self.low_by) = (at, Some(neighbor));
            }
        } else if head < 0.0 {
            let at = tail / (tail - head);
            if at < self.high {
                (self.high, self.high_by) = (at, Some(neighbor));
            }
        }
        if self.low > self.high { Cut::Excluded } else { Cut::Remains }
    }
}

/// The ends of an edge in another frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub tail: DVec3,
    pub head: DVec3,
}

impl Ends {
    /// From tail to head.
    pub fn along(&self) -> DVec3 {
        self.head - self.tail
    }

    /// The point at λ, which is 0 at the tail and 1 at the head.
    pub fn at(&self, lambda: f64) -> DVec3 {
        self.tail + lambda * (self.head - self.tail)
    }
}

/// The point of the edge `other` that is closest to the line of an edge: perpendicular to both where there is such a point, else
/// where the edges face each other.
pub(super) fn closest_to_line(edge: &TrackedEdge, other: Ends) -> f64 {
    let (u, along, w) = (edge.direction, other.along(), other.tail - edge.tail);
    let cross = u.cross(along);
    let square = cross.dot(cross);
    if square > 0.0 {
        return (u.cross(w).dot(cross) / -square).clamp(0.0, 1.0);
    }
    let (from, to) = (w.dot(u), (w + along).dot(u));
    let middle = 0.5 * (from.min(to).max(0.0) + from.max(to).min(edge.length));
    if to == from { 0.0 } else { ((middle - from) / (to - from)).clamp(0.0, 1.0) }
}
