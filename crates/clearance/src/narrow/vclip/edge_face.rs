//! Algorithm 8: an edge of X and a face of Y. Never the last state, unless the edge pierces the face.

use super::clip::{Clip, Cut, Ends, closest_to_line};
use super::march::March;
use super::placement::Placement;
use super::{Step, Tally, cost};
use crate::shape::polytope::{FaceView, TrackedEdge};
use crate::shape::{Feature, Polytope};

impl<K: Tally> March<'_, K> {
    #[cold]
    #[inline(never)]
    pub(super) fn edge_face<const X_IS_A: bool>(&mut self, e: u32, f: u32) -> Step {
        let [x, y] = self.x_and_y::<X_IS_A>();
        if e as usize >= x.edge_count() || f as usize >= y.face_count() {
            return Step::Stale;
        }
        let (ends, tips) = (self.ends_in_y::<X_IS_A>(e), x.edge(e));
        let go = |x: Feature, y: Feature| Step::go(if X_IS_A { [x, y] } else { [y, x] });
        let face = y.face_view(f);
        // Steps 1 to 4.
        let mut clip = Clip::new();
        let (mut is_excluded, mut behind) = (false, None);
        for (i, side) in face.sides.iter().enumerate() {
            let (tail, head) = (side.normal.dot(ends.tail) - side.offset, side.normal.dot(ends.head) - side.offset);
            cost::CLIP_BY_SIDE.count(self.tally());
            match clip.cut(tail, head, i) {
                Cut::Remains => {}
                Cut::SimplyExcluded => {
                    behind = Some(i);
                    break;
                }
                // Go on: a side with the whole edge behind it is the better start for the perimeter.
                Cut::Excluded => is_excluded = true,
            }
        }
        self.tally().cuts(clip.cuts);
        if is_excluded || behind.is_some() {
            return go(Feature::Edge(e), self.closest_on_perimeter(y, &face, behind, ends));
        }
        // Steps 5 to 8.
        let low = face.normal.dot(ends.at(clip.low)) - face.offset;
        let high = face.normal.dot(ends.at(clip.high)) - face.offset;
        cost::HEIGHTS.count(self.tally());
        // Not both above or both below.
        if !(low > 0.0 && high > 0.0 || low < 0.0 && high < 0.0) {
            return Step::Penetrating;
        }
        // Steps 9 to 19, formula 3: is the distance growing from the low end to the high end? In the numbers by which the vertex-face
        // state chose the edge, or the two would send each other back and forth.
        cost::DIRECTION.count(self.tally());
        let slope = x.edge_direction(e).dot(self.direction_in_x::<X_IS_A>(face.normal));
        let (by, tip) = if slope * low >= 0.0 { (clip.low_by, tips.tail) } else { (clip.high_by, tips.head) };
        match by {
            Some(i) => {
                *self.cursor() = face.start + i as u32;
                go(Feature::Edge(e), Feature::Edge(face.edges[i]))
            }
            None => go(Feature::Vertex(tip), Feature::Face(f)),
        }
    }

    /// Step 3: the side or corner of a face that is closest to an edge which misses the face's region. The whole edge is behind that
    /// side, if there is one.
    fn closest_on_perimeter(
        &mut self,
        y: &Polytope,
        face: &FaceView<'_>,
        behind: Option<usize>,
        other: Ends,
    ) -> Feature {
        if let Some(side) = behind {
            return self.descend_perimeter(y, face, side, other).0;
        }
        let corner = nearest_corner(y, face, other);
        let (found, is_facing) = self.descend_perimeter(y, face, corner, other);
        if is_facing {
            return found;
        }
        // At the back of the face: one of the two sides at a corner may be.
        match self.descend_perimeter(y, face, face.before(corner), other) {
            (better, true) => better,
            (_, false) => found,
        }
    }

    /// From side to side along the perimeter, as long as the distance falls.
    ///
    /// The start must face the edge. Seen along the normal the edge and the face are two convex sets apart. From a side that faces the
    /// edge, the distance falls to the one minimum there is. A side at the back could have a minimum of its own; the answer is `false`
    /// beside it.
    fn descend_perimeter(&mut self, y: &Polytope, face: &FaceView<'_>, from: usize, other: Ends) -> (Feature, bool) {
        let mut i = from;
        let mut came_from = None;
        for _ in 0..face.sides.len() {
            let Some(edge) = y.tracked_edge(face.edges[i]) else { break };
            cost::PERIMETER_SIDE.count(self.tally());
            let Some(end) = closest_end(y, edge, other, self.tally()) else { break };
            let next = if end == face.vertices[i] { face.before(i) } else { face.next(i) };
            if came_from == Some(next) {
                return (Feature::Vertex(end), true);
            }
            came_from = Some(i);
            i = next;
        }
        *self.cursor() = face.start + i as u32;
        let is_facing = y.tracked_edge(face.edges[i]).is_none_or(|edge| {
            let closest = other.at(closest_to_line(edge, other));
            face.sides[i].normal.dot(closest) - face.sides[i].offset <= self.rounding()
        });
        (Feature::Edge(face.edges[i]), is_facing)
    }
}

/// The corner of a face that is closest to the line of an edge, seen along the normal. When no side has the whole edge
/// behind it, that line has the whole face on one side.
fn nearest_corner(y: &Polytope, face: &FaceView<'_>, other: Ends) -> usize {
    let across = face.normal.cross(other.along());
    let distance = |i: usize| across.dot(y.vertex(face.vertices[i]) - other.tail).abs();
    (0..face.vertices.len()).min_by(|&i, &j| distance(i).total_cmp(&distance(j))).unwrap_or(0)
}

/// The end of an edge at which it is closest to another edge, if that is at an end: vertex planes and formula 2.
fn closest_end<K: Tally>(owner: &Polytope, edge: &TrackedEdge, other: Ends, tally: &mut K) -> Option<u32> {
    let (from, to) = ((other.tail - edge.tail).dot(edge.direction), (other.head - edge.tail).dot(edge.direction));
    let mut clip = Clip::new();
    for (tail, head, end) in [(from, to, edge.ends.tail), (edge.length - from, edge.length - to, edge.ends.head)] {
        if clip.cut(tail, head, end) == Cut::SimplyExcluded {
            return Some(end);
        }
    }
    tally.cuts(clip.cuts);
    let slope = |lambda: f64, end: u32| other.along().dot(other.at(lambda) - owner.vertex(end));
    let low = clip.low_by.filter(|&end| slope(clip.low, end) > 0.0);
    low.or(clip.high_by.filter(|&end| slope(clip.high, end) < 0.0))
}
