//! The arithmetic that the algorithms take, for experiments that count: a table, line by line, applied where a march takes its step.
//!
//! Constant work is counted from the pair and from where its state leads. Loops of unknown length (hill climbing, perimeters, clipping)
//! count their rounds where they are.

use super::{Place, State, Step, Tally};
use crate::shape::polytope::FEW_SIDES;
use crate::shape::{Feature, Polytope};

/// Operations, see [`Counts`](super::Counts).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Work {
    dots: usize,
    planes: usize,
    flops: usize,
    /// Of the operations, those that are divisions and those that are roots.
    divisions: usize,
    roots: usize,
}

const fn work(dots: usize, planes: usize, flops: usize) -> Work {
    Work { dots, planes, flops, divisions: 0, roots: 0 }
}

impl Work {
    #[inline(always)]
    pub fn count<K: Tally>(self, tally: &mut K) {
        tally.dots(self.dots);
        tally.planes(self.planes);
        tally.flops(self.flops);
        tally.divisions_and_roots(self.divisions, self.roots);
    }

    pub const fn and(self, other: Self) -> Self {
        Self {
            dots: self.dots + other.dots,
            planes: self.planes + other.planes,
            flops: self.flops + other.flops,
            divisions: self.divisions + other.divisions,
            roots: self.roots + other.roots,
        }
    }

    /// Divisions and roots among the operations.
    const fn with(self, divisions: usize, roots: usize) -> Self {
        Self { divisions, roots, ..self }
    }
}

// One vector.

/// A point in the other's frame: three rows, and the translation.
pub(super) const POINT: Work = work(3, 0, 3);
/// A direction in the other's axes: three rows.
pub(super) const DIRECTION: Work = work(3, 0, 0);

// Ends of the states, in their order; each has passed all that is above it.

/// VV: |d|²; d and -d, 6; root, quotient and product, 3; normal, 3.
const VERTICES: Work = work(1, 0, 12).with(1, 1);
/// VE: d from r, 3 products and 3 differences.
const PROJECTION: Work = work(0, 0, 6);
/// VE: |d|² and the tilt; r, 3; root, quotient and product, 3; normal, 3; the point of the edge, 6; the known tilt, 3.
const VERTEX_AND_EDGE: Work = work(2, 0, 18).with(1, 1);
/// VF: the projection, 6; slack and what is above it, 3.
const VERTEX_AND_FACE: Work = work(0, 0, 9);
/// EE: point, direction, sine², cosine, w·u, w·v and the height are 11 products; the translation, 3; w, 3; the cross product, 9;
/// s and t, 4; their bounds, 5.
const TWO_LINES: Work = work(11, 0, 24);
/// EE: the normal in the other's axes and its sign; the planes of four faces.
const FOUR_FACES: Work = work(4, 4, 0);
/// EE: and once more, to compare them.
pub(super) const FOUR_FACES_COMPARED: Work = FOUR_FACES.and(work(0, 4, 0));
/// EE: two tilts; quotient, root and product, 3; s and t, 2; length, 1; normal, 3; the point of A, 6; w + t v - s u, 12; slack, 3.
const CROSSING: Work = work(2, 0, 30).with(1, 1);
/// EE: s, 1 and a clamp, 2; t by a product, a difference and a clamp, 4; s again, 4; two ends, 2.
pub(super) const ENDS_OF_EDGES: Work = work(0, 0, 13).with(1, 0);
/// The bracket: the gap, its sum with the slack, two for each bound.
pub(super) const BRACKET: Work = work(0, 0, 6);

// Clipping.

/// The planes of two ends, for two ends; two differences.
pub(super) const CLIP_BY_ENDS: Work = work(0, 4, 6);
/// The plane of one face, for two ends.
pub(super) const CLIP_BY_FACE: Work = work(0, 2, 0);
/// The plane of one side, for two ends.
pub(super) const CLIP_BY_SIDE: Work = work(0, 2, 0);
/// Formula 2: the point at λ, 6; the arm, 3; its sign.
pub(super) const SLOPE_TO_VERTEX: Work = work(1, 0, 10);
/// Formula 3: height and slope; the point at λ, 6; offset and sign.
pub(super) const SLOPE_TO_FACE: Work = work(2, 0, 8);
/// Three cross products, 27; four points along edges, 24; w and the other edge, 6; quotients, root and clamps, 8 (two
/// quotients, one root, and three more quotients for the normal).
pub(super) const CLOSEST_ON_EDGES: Work = work(10, 0, 65).with(5, 1);
/// EF: two heights above a face, at the points at λ, 6 each.
pub(super) const HEIGHTS: Work = work(0, 2, 12);
/// The planes of the two ends of a side, for two ends.
pub(super) const PERIMETER_SIDE: Work = work(0, 4, 0);
/// Algorithm 3: n·(p - c) and n·c; a difference, a quotient, a comparison.
pub(super) const RAY_AND_FACE: Work = work(2, 0, 3).with(1, 0);

/// A direction against the planes of all edges at a vertex.
pub(super) fn vertex_region(polytope: &Polytope, v: u32) -> Work {
    work(0, polytope.star_directions(v).map_or(0, <[_]>::len), 0)
}

/// A point against all sides of a face; or against the circle inside: the arm, 3; its part in the plane, 6; the radius, its square and
/// the comparison, 3.
pub(super) fn face_region(sides: usize) -> Work {
    if sides <= FEW_SIDES { work(0, sides, 0) } else { work(2, 0, 12) }
}

/// The work of a state that visited a pair and came to this.
pub(super) fn of_step([a, b]: [&Polytope; 2], at: Place, step: Step) -> Work {
    if step == Step::Stale {
        return work(0, 0, 0);
    }
    let [on_a, on_b] = at.features();
    match at.state {
        State::VV => vertex_vertex([a, b], [at.a, at.b], step),
        State::VE => vertex_edge([a, b], [at.a, at.b], next_of(step, 0, on_a)),
        State::EV => vertex_edge([b, a], [at.b, at.a], next_of(step, 1, on_b)),
        State::VF => vertex_face([a, b], [at.a, at.b], step, next_of(step, 0, on_a)),
        State::FV => vertex_face([b, a], [at.b, at.a], step, next_of(step, 1, on_b)),
        State::EE => edge_edge(step),
        // These count what they do.
        State::EF | State::FE | State::FF | State::Unknown => work(0, 0, 0),
    }
}

/// Where a step leads that leaves the vertex of X, the body of that number, as it is: the feature of Y.
enum Next {
    /// Nowhere: the end.
    End,
    /// To that feature of Y.
    OfY(Feature),
    /// To another feature of X.
    OfX,
}

fn next_of(step: Step, x: usize, vertex: Feature) -> Next {
    match step {
        Step::Go(next) if next.features()[x] == vertex => Next::OfY(next.features()[1 - x]),
        Step::Go(_) => Next::OfX,
        _ => Next::End,
    }
}

fn vertex_vertex([a, b]: [&Polytope; 2], [v, w]: [u32; 2], step: Step) -> Work {
    let first = POINT.and(vertex_region(a, v));
    let both = first.and(DIRECTION).and(vertex_region(b, w));
    match step {
        Step::Go(next) if next.features()[1] == Feature::Vertex(w) => first,
        Step::Go(_) => both,
        _ => both.and(VERTICES),
    }
}

fn vertex_edge([x, y]: [&Polytope; 2], [v, e]: [u32; 2], next: Next) -> Work {
    let ends = POINT.and(work(0, 2, 0));
    let has_faces = y.tracked_edge(e).is_some_and(|edge| edge.sides().is_some());
    let faces = ends.and(PROJECTION).and(work(0, if has_faces { 2 } else { 0 }, 0));
    let vertex = faces.and(DIRECTION).and(vertex_region(x, v));
    match next {
        Next::OfY(Feature::Vertex(_)) => ends,
        Next::OfY(_) => faces,
        Next::OfX => vertex,
        Next::End => vertex.and(VERTEX_AND_EDGE),
    }
}

fn vertex_face([x, y]: [&Polytope; 2], [v, f]: [u32; 2], step: Step, next: Next) -> Work {
    let sides = POINT.and(face_region(y.side_planes(f).map_or(0, <[_]>::len)));
    // Above or below: one more plane.
    let vertex = sides.and(work(0, 1, 0)).and(DIRECTION).and(vertex_region(x, v));
    match next {
        Next::OfY(Feature::Edge(_) | Feature::Vertex(_)) => sides,
        Next::End if step == Step::Done => vertex.and(VERTEX_AND_FACE),
        Next::OfY(_) | Next::OfX | Next::End => vertex,
    }
}

fn edge_edge(step: Step) -> Work {
    match step {
        Step::Done => TWO_LINES.and(FOUR_FACES).and(CROSSING),
        Step::Go(Place { state: State::EF | State::FE, .. }) => TWO_LINES.and(FOUR_FACES_COMPARED),
        Step::Go(_) => TWO_LINES.and(ENDS_OF_EDGES),
        // How far it came, the state has counted.
        Step::Penetrating | Step::Stale | Step::Unsettled => TWO_LINES,
    }
}
