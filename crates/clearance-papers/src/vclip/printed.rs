//! V-Clip as the paper prints it: algorithms 1 to 8, line by line, in plain doubles, every operation counted where it is done.
//!
//! The engine of the library, [`clearance::internals::narrow::vclip`], differs from the paper in seven points that its head lists. This form differs in one:
//!
//! * **Step 6 of algorithm 6.** The paper takes an edge from V to V' if `|D(V)| > |D(V')|`. That misses an edge which starts a little above the plane of
//!   F and ends far below it. Here: `D(V) > 0 and D(V') < D(V)`, or `D(V) < 0 and D(V') > D(V)`. [`Step6::Printed`] keeps the line as it is, for the row
//!   that shows why.
//!
//! Where the text leaves a choice:
//!
//! * Algorithm 5, line 1, takes the first violated plane, those of the ends before those of the faces.
//! * A compound exclusion by a face and an end (section 3.3.2) goes to the face, since formula (2) has not prescribed the end in lines 1 to 7 of algorithm 7. One by two
//!   faces goes to the face that formula (3) prescribes for the first of them.
//! * The perimeter of a face is scanned (section 3.3.3) from the side that excludes the edge; if two do, from the one beyond which more of the edge is. At a side the edge is first
//!   cut by the plane of the side, since its region is beyond that plane.
//!
//! **One plane between two neighbours.** Definition 1 has one plane VP(X, Y), and section 2 one number `D_P(y) = n·y + w` for a point. Here both neighbours take their side of a plane
//! from that number: the sum is the same, of the same coordinates. So states never disagree about a side. (With heights above either end of an edge, as an earlier form of this file
//! had them, 4 % of the trials of algorithm 10 did not end.) Formula (3) takes `u·n` as `D_P(h) - D_P(t)` for the same reason.
//!
//! **Coordinates** of a feature in the frame of the other body are computed when the feature is new, and kept while it stays, as in the author's program (version 1.0, 1997). An arrow
//! between a vertex and an edge at a face keeps those of the vertex.
//!
//! There is no tolerance, no proof and no repair. The next pair is a function of the pair at hand, so a march without an end returns to a pair that it has had;
//! Brent's method notices that. Such a march is [`Answer::Endless`].
//!
//! Invariants: features exist; the divisor of a cut is never smaller in size than the dividend (checked by `debug_assert`).

use crate::gjk::counted::Operations;
use crate::gjk::counted::enhanced::Answer;
use clearance::Feature;
use clearance::math::{DVec3, Frame};
use clearance::shape::Polytope;
use clearance::shape::polytope::Face;

/// How line 6 of algorithm 6 is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Step6 {
    /// An edge that heads for the plane of the face, from either side.
    #[default]
    Corrected,
    /// `|D(V)| > |D(V')|`, as printed.
    Printed,
}

/// The operations of one or many calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// The march: algorithms 1 to 8.
    pub march: Operations,
    /// The closest points and their distance, at its end.
    pub points: Operations,
    /// Feature pairs.
    pub pairs: u64,
    /// Divisions of clipping: lines 11 and 18 of algorithm 1.
    pub clip_divisions: u64,
    /// Divisions of the march by a number that is smaller in size than the dividend. There are none.
    pub small_divisors: u64,
}

impl Work {
    /// All operations.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.march.total() + self.points.total()
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.march += other.march;
        self.points += other.points;
        self.pairs += other.pairs;
        self.clip_divisions += other.clip_divisions;
        self.small_divisors += other.small_divisors;
    }
}

/// The first pair of features of a cold call: the paper lets it be any.
pub const START: [Feature; 2] = [Feature::Vertex(0); 2];

/// The distance of two solid polytopes by the printed algorithm. The march starts at `features` and leaves its last pair there: the closest
/// features, or the witnesses of a penetration. `visit` sees every pair.
///
/// # Panics
///
/// If a feature does not exist, or if a polytope is not a solid.
pub fn distance(
    [a, b]: [&Polytope; 2],
    b_in_a: &Frame,
    step_6: Step6,
    features: &mut [Feature; 2],
    work: &mut Work,
    visit: &mut dyn FnMut([Feature; 2]),
) -> Answer {
    assert!(a.dimension() == 3 && b.dimension() == 3, "the printed algorithm knows solids");
    let into = [*b_in_a, b_in_a.inverse()];
    let mut march = March { bodies: [a, b], into, kept: [Kept::default(); 2], step_6, work };
    let (mut saved, mut power, mut lap) = (*features, 1_u32, 0_u32);
    loop {
        visit(*features);
        march.work.pairs += 1;
        match march.step(*features) {
            Step::Done => return Answer::Gap(march.closest(*features)),
            Step::Penetration => return Answer::Zero,
            Step::Lost => return Answer::Endless,
            Step::Continue(next) => *features = next,
        }
        if *features == saved {
            return Answer::Endless;
        }
        lap += 1;
        if lap == power {
            (saved, power, lap) = (*features, 2 * power, 0);
        }
    }
}

/// The result of a state.
enum Step {
    Done,
    Penetration,
    Continue([Feature; 2]),
    /// The scan of a perimeter did not end.
    Lost,
}

/// How an edge was excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exclusion {
    None,
    Simple,
    Compound,
}

/// Algorithm 1: what is left of an edge, and the neighbours across the planes that cut it.
struct Clip {
    low: f64,
    high: f64,
    low_by: Option<Feature>,
    high_by: Option<Feature>,
    exclusion: Exclusion,
}

impl Clip {
    fn new() -> Self {
        Self { low: 0.0, high: 1.0, low_by: None, high_by: None, exclusion: Exclusion::None }
    }

    /// Lines 4 to 23 for one plane: the heights of tail and head, positive inside, and the neighbour. False ends the loop.
    fn cut(&mut self, [tail, head]: [f64; 2], neighbor: Feature, work: &mut Work) -> bool {
        work.march.comparisons += 2;
        if tail < 0.0 && head < 0.0 {
            (self.low_by, self.high_by) = (Some(neighbor), Some(neighbor));
            self.exclusion = Exclusion::Simple;
            return false;
        }
        if tail >= 0.0 && head >= 0.0 {
            return true;
        }
        let divisor = tail - head;
        debug_assert!(divisor.abs() >= tail.abs(), "{tail} over {divisor}");
        work.small_divisors += u64::from(divisor.abs() < tail.abs());
        work.march.additions += 1;
        work.march.divisions += 1;
        work.clip_divisions += 1;
        work.march.comparisons += 1;
        let lambda = tail / divisor;
        if tail < 0.0 && lambda > self.low {
            (self.low, self.low_by) = (lambda, Some(neighbor));
        } else if tail >= 0.0 && lambda < self.high {
            (self.high, self.high_by) = (lambda, Some(neighbor));
        } else {
            return true;
        }
        work.march.comparisons += 1;
        if self.low > self.high {
            self.exclusion = Exclusion::Compound;
            return false;
        }
        true
    }
}

/// An edge of the one body in the frame of the other.
#[derive(Clone, Copy)]
struct Ends {
    tail: DVec3,
    head: DVec3,
    /// From tail to head.
    along: DVec3,
}

impl Ends {
    /// The point at λ. The ends are known.
    fn at(&self, lambda: f64, work: &mut Work) -> DVec3 {
        if lambda == 0.0 {
            return self.tail;
        }
        if lambda == 1.0 {
            return self.head;
        }
        work.march.combined(2);
        self.tail + lambda * self.along
    }

    /// D_P of both ends.
    fn heights(&self, plane: Plane, work: &mut Work) -> [f64; 2] {
        [self.tail, self.head].map(|end| plane.height(end, work))
    }

    /// Formula (2): the slope of the distance from a vertex at λ, by its sign; none at the vertex itself.
    fn slope_to_vertex(&self, lambda: f64, vertex: DVec3, work: &mut Work) -> Option<f64> {
        let arm = self.at(lambda, work) - vertex;
        work.march.additions += 3;
        work.march.comparisons += 1;
        let slope = work.march.dot(self.along, arm);
        (arm != DVec3::ZERO).then_some(slope)
    }

    /// Formula (3): the slope of the distance from a face at λ, by its sign; none in the plane of the face.
    fn slope_to_plane(&self, lambda: f64, face: Face<'_>, work: &mut Work) -> Option<f64> {
        let heights = self.heights(Plane::of_face(face), work);
        let height = between(heights, lambda, work);
        work.march.comparisons += 2;
        (height != 0.0).then_some((heights[1] - heights[0]) * height.signum())
    }
}

/// A height at λ between those of the ends: `D_P` is linear.
fn between([tail, head]: [f64; 2], lambda: f64, work: &mut Work) -> f64 {
    if lambda == 0.0 {
        return tail;
    }
    if lambda == 1.0 {
        return head;
    }
    work.march.additions += 2;
    work.march.multiplications += 1;
    tail + lambda * (head - tail)
}

/// A plane of section 2, the same for both of its neighbours.
#[derive(Clone, Copy)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    /// VP(V, E) at the tail or the head of E: positive in the direction of E.
    fn of_end(body: &Polytope, e: u32, is_head: bool) -> Self {
        let (edge, normal) = (body.edge(e), body.edge_direction(e));
        Self { normal, offset: normal.dot(body.vertex(if is_head { edge.head } else { edge.tail })) }
    }

    /// VP(F, E): positive on the side of F. `normal` is that of the plane, from E into F.
    fn of_side(body: &Polytope, e: u32, normal: DVec3) -> Self {
        Self { normal, offset: normal.dot(body.vertex(body.edge(e).tail)) }
    }

    /// The plane of a face, positive outside.
    fn of_face(face: Face<'_>) -> Self {
        Self { normal: face.normal, offset: face.offset }
    }

    /// D_P.
    fn height(self, point: DVec3, work: &mut Work) -> f64 {
        work.march.additions += 1;
        work.march.dot(self.normal, point) - self.offset
    }
}

/// The plane between a vertex and one of its edges, and by which sign its height is one inside the region of the vertex.
fn plane_at(body: &Polytope, e: u32, v: u32) -> (Plane, f64) {
    let is_head = body.edge(e).head == v;
    (Plane::of_end(body, e, is_head), if is_head { 1.0 } else { -1.0 })
}

/// The feature whose vertices are known in the frame of the other body: a vertex, or the two ends of an edge.
#[derive(Clone, Copy, Default)]
struct Kept {
    feature: Option<Feature>,
    points: [DVec3; 2],
}

struct March<'a> {
    bodies: [&'a Polytope; 2],
    /// `into[k]` takes the other body into the frame of body k.
    into: [Frame; 2],
    /// `kept[k]`: features of the other body in the frame of body k.
    kept: [Kept; 2],
    step_6: Step6,
    work: &'a mut Work,
}

/// A pair of features from the view of body k: its own first.
fn pair(k: usize, own: Feature, other: Feature) -> Step {
    Step::Continue(if k == 0 { [own, other] } else { [other, own] })
}

impl March<'_> {
    fn step(&mut self, at: [Feature; 2]) -> Step {
        use Feature::{Edge as E, Face as F, Vertex as V};
        match at {
            [V(v), V(w)] => self.vertex_vertex([v, w]),
            [V(v), E(e)] => self.vertex_edge(0, v, e),
            [E(e), V(v)] => self.vertex_edge(1, v, e),
            [V(v), F(f)] => self.vertex_face(0, v, f),
            [F(f), V(v)] => self.vertex_face(1, v, f),
            [E(e), E(g)] => self.edge_edge([e, g]),
            [E(e), F(f)] => self.edge_face(0, e, f),
            [F(f), E(e)] => self.edge_face(1, e, f),
            // The paper has no state for two faces, and no arrow leads there.
            _ => panic!("{at:?} is no state of the paper"),
        }
    }

    /// A vertex of the other body in the frame of body k.
    fn point(&mut self, k: usize, v: u32) -> DVec3 {
        if self.kept[k].feature != Some(Feature::Vertex(v)) {
            let point = self.changed(k, v);
            self.kept[k] = Kept { feature: Some(Feature::Vertex(v)), points: [point; 2] };
        }
        self.kept[k].points[0]
    }

    /// An edge of the other body in the frame of body k.
    fn ends(&mut self, k: usize, e: u32) -> Ends {
        if self.kept[k].feature != Some(Feature::Edge(e)) {
            let edge = self.bodies[1 - k].edge(e);
            let points = [edge.tail, edge.head].map(|v| self.changed(k, v));
            self.work.march.additions += 3;
            self.kept[k] = Kept { feature: Some(Feature::Edge(e)), points };
        }
        let [tail, head] = self.kept[k].points;
        Ends { tail, head, along: head - tail }
    }

    fn changed(&mut self, k: usize, v: u32) -> DVec3 {
        self.work.march.turned(true);
        self.into[k].point(self.bodies[1 - k].vertex(v))
    }

    /// Algorithm 4.
    fn vertex_vertex(&mut self, vertices: [u32; 2]) -> Step {
        for k in [0, 1] {
            let (own, other) = (vertices[k], vertices[1 - k]);
            let body = self.bodies[k];
            let p = self.point(k, other);
            for &e in body.vertex_edges(own) {
                let (plane, inside) = plane_at(body, e, own);
                self.work.march.comparisons += 1;
                if inside * plane.height(p, self.work) < 0.0 {
                    return pair(k, Feature::Edge(e), Feature::Vertex(other));
                }
            }
        }
        Step::Done
    }

    /// Algorithm 5: a vertex of body k, an edge of the other.
    fn vertex_edge(&mut self, k: usize, v: u32, e: u32) -> Step {
        let (x, y) = (self.bodies[k], self.bodies[1 - k]);
        // Lines 1 to 4: first the planes of the ends, then those of the faces.
        let p = self.point(1 - k, v);
        let edge = y.edge(e);
        for (is_head, end) in [(false, edge.tail), (true, edge.head)] {
            let height = Plane::of_end(y, e, is_head).height(p, self.work);
            self.work.march.comparisons += 1;
            if if is_head { height > 0.0 } else { height < 0.0 } {
                return pair(k, Feature::Vertex(v), Feature::Vertex(end));
            }
        }
        for (f, inward) in faces_of_edge(y, e) {
            self.work.march.comparisons += 1;
            if Plane::of_side(y, e, inward).height(p, self.work) > 0.0 {
                return pair(k, Feature::Vertex(v), Feature::Face(f));
            }
        }
        // Line 5: the edge against the region of the vertex.
        let ends = self.ends(k, e);
        let mut clip = Clip::new();
        for &own in x.vertex_edges(v) {
            let (plane, inside) = plane_at(x, own, v);
            let heights = ends.heights(plane, self.work).map(|height| inside * height);
            if !clip.cut(heights, Feature::Edge(own), self.work) {
                break;
            }
        }
        // Lines 6 to 13.
        match self.update(k, Feature::Vertex(v), &clip, &ends, false) {
            Update::To(own) => pair(k, own, Feature::Edge(e)),
            Update::Touching => Step::Penetration,
            Update::None => Step::Done,
        }
    }

    /// The update of X, a vertex or an edge of body k, after an edge of the other was clipped by planes of X: simple exclusion, or algorithm 2. `has_ends`: the planes
    /// of the ends of X have been checked before, and prescribed nothing.
    fn update(&mut self, k: usize, x: Feature, clip: &Clip, ends: &Ends, has_ends: bool) -> Update {
        let is_known = |neighbor: Feature| has_ends && matches!(neighbor, Feature::Vertex(_));
        match (clip.exclusion, clip.low_by, clip.high_by) {
            (Exclusion::Simple, Some(neighbor), _) => Update::To(neighbor),
            // Section 3.3.2: to the face, or to the one of two faces that formula (3) prescribes.
            (Exclusion::Compound, Some(low), Some(high)) if has_ends => {
                let is_low = !is_known(low)
                    && (is_known(high) || self.slope(k, x, clip.low, low, ends).is_some_and(|slope| slope > 0.0));
                Update::To(if is_low { low } else { high })
            }
            (exclusion, low_by, high_by) => {
                for (neighbor, lambda, sign) in [(low_by, clip.low, 1.0), (high_by, clip.high, -1.0)] {
                    let Some(neighbor) = neighbor.filter(|&neighbor| !is_known(neighbor)) else { continue };
                    match self.slope(k, x, lambda, neighbor, ends) {
                        Some(slope) if sign * slope > 0.0 => return Update::To(neighbor),
                        None if exclusion == Exclusion::None => return Update::Touching,
                        _ => {}
                    }
                }
                Update::None
            }
        }
    }

    /// The slope of the distance between X and an edge at λ, by its sign: formula (2) for a vertex; for an edge that of its neighbour there. `None` where the
    /// formula has no meaning, since the two have a point in common.
    fn slope(&mut self, k: usize, x: Feature, lambda: f64, neighbor: Feature, ends: &Ends) -> Option<f64> {
        let body = self.bodies[k];
        match (x, neighbor) {
            (Feature::Vertex(v), _) | (_, Feature::Vertex(v)) => {
                ends.slope_to_vertex(lambda, body.vertex(v), self.work)
            }
            (_, Feature::Face(f)) => ends.slope_to_plane(lambda, body.face(f), self.work),
            _ => unreachable!("an edge is between vertices and faces"),
        }
    }

    /// Algorithm 6: a vertex of body k, a face of the other.
    fn vertex_face(&mut self, k: usize, v: u32, f: u32) -> Step {
        let (x, y) = (self.bodies[k], self.bodies[1 - k]);
        let p = self.point(1 - k, v);
        let face = y.face(f);
        // Lines 1 to 4: the side that is violated most.
        let mut worst = (0.0, None);
        for (side, &e) in face.sides.iter().zip(face.edges) {
            let height = Plane::of_side(y, e, side.normal).height(p, self.work);
            self.work.march.comparisons += 1;
            if height < worst.0 {
                worst = (height, Some(e));
            }
        }
        if let Some(e) = worst.1 {
            return pair(k, Feature::Vertex(v), Feature::Edge(e));
        }
        // Lines 5 to 9.
        let plane = Plane::of_face(face);
        let height = plane.height(p, self.work);
        for (&e, &w) in x.vertex_edges(v).iter().zip(x.neighbors(v)) {
            let tip = self.changed(1 - k, w);
            let other = plane.height(tip, self.work);
            self.work.march.comparisons += 2;
            let is_found = match self.step_6 {
                Step6::Corrected => height > 0.0 && other < height || height < 0.0 && other > height,
                Step6::Printed => height.abs() > other.abs(),
            };
            if is_found {
                let points = if x.edge(e).tail == v { [p, tip] } else { [tip, p] };
                self.work.march.additions += 3;
                self.kept[1 - k] = Kept { feature: Some(Feature::Edge(e)), points };
                return pair(k, Feature::Edge(e), Feature::Face(f));
            }
        }
        self.work.march.comparisons += 1;
        if height > 0.0 {
            return Step::Done;
        }
        // Algorithm 3.
        let mut best = (f64::NEG_INFINITY, f);
        for (number, other) in (0..).zip(y.faces()) {
            let height = Plane::of_face(other).height(p, self.work);
            self.work.march.comparisons += 1;
            if height > best.0 {
                best = (height, number);
            }
        }
        self.work.march.comparisons += 1;
        if best.0 <= 0.0 { Step::Penetration } else { pair(k, Feature::Vertex(v), Feature::Face(best.1)) }
    }

    /// Algorithm 7.
    fn edge_edge(&mut self, edges: [u32; 2]) -> Step {
        for k in [0, 1] {
            let (own, other) = (edges[k], edges[1 - k]);
            let body = self.bodies[k];
            let ends = self.ends(k, other);
            let edge = body.edge(own);
            let mut clip = Clip::new();
            // Lines 1 to 7: the planes of the two ends.
            let along = ends.heights(Plane::of_end(body, own, false), self.work);
            if clip.cut(along, Feature::Vertex(edge.tail), self.work) {
                let beyond = ends.heights(Plane::of_end(body, own, true), self.work);
                clip.cut(beyond.map(|height| -height), Feature::Vertex(edge.head), self.work);
            }
            match self.update(k, Feature::Edge(own), &clip, &ends, false) {
                Update::To(feature) => return pair(k, feature, Feature::Edge(other)),
                Update::Touching => return Step::Penetration,
                Update::None => {}
            }
            // Lines 8 to 14 go on with what is left.
            for (f, inward) in faces_of_edge(body, own) {
                let heights = ends.heights(Plane::of_side(body, own, inward), self.work);
                if !clip.cut(heights.map(|height| -height), Feature::Face(f), self.work) {
                    break;
                }
            }
            match self.update(k, Feature::Edge(own), &clip, &ends, true) {
                Update::To(feature) => return pair(k, feature, Feature::Edge(other)),
                Update::Touching => return Step::Penetration,
                Update::None => {}
            }
        }
        Step::Done
    }

    /// Algorithm 8: an edge of body k, a face of the other.
    fn edge_face(&mut self, k: usize, e: u32, f: u32) -> Step {
        let y = self.bodies[1 - k];
        let face = y.face(f);
        let ends = self.ends(1 - k, e);
        // Lines 1 to 4.
        let mut clip = Clip::new();
        for (side, &s) in face.sides.iter().zip(face.edges) {
            let heights = ends.heights(Plane::of_side(y, s, side.normal), self.work);
            if !clip.cut(heights, Feature::Edge(s), self.work) {
                break;
            }
        }
        if clip.exclusion != Exclusion::None {
            // Beyond the plane of `low_by` is the beginning of the edge up to `low`, beyond the other its end from `high` on.
            let is_low = clip.low + clip.high > 1.0;
            let from = if is_low { clip.low_by } else { clip.high_by };
            let place = face.edges.iter().position(|&s| Some(Feature::Edge(s)) == from).unwrap_or(0);
            let closest = self.perimeter(y, face, place, &ends);
            return closest.map_or(Step::Lost, |feature| pair(k, Feature::Edge(e), feature));
        }
        // Lines 5 to 8.
        let plane = ends.heights(Plane::of_face(face), self.work);
        let heights = [clip.low, clip.high].map(|lambda| between(plane, lambda, self.work));
        self.work.march.multiplications += 1;
        self.work.march.comparisons += 1;
        if heights[0] * heights[1] <= 0.0 {
            return Step::Penetration;
        }
        // Lines 9 to 19, by formula (3) with a height that is known.
        let slope = (plane[1] - plane[0]) * heights[0].signum();
        self.work.march.comparisons += 2;
        let edge = self.bodies[k].edge(e);
        let (by, tip) = if slope >= 0.0 { (clip.low_by, edge.tail) } else { (clip.high_by, edge.head) };
        match by {
            Some(side) => pair(k, Feature::Edge(e), side),
            None => {
                let point = if slope >= 0.0 { ends.tail } else { ends.head };
                self.kept[1 - k] = Kept { feature: Some(Feature::Vertex(tip)), points: [point; 2] };
                pair(k, Feature::Vertex(tip), Feature::Face(f))
            }
        }
    }

    /// Section 3.3.3: the side or corner of a face that is closest to an edge beside its region, from a side on along the perimeter. `None`: the scan went around.
    fn perimeter(&mut self, y: &Polytope, face: Face<'_>, from: usize, ends: &Ends) -> Option<Feature> {
        let count = face.edges.len();
        let corner = |place: usize| Feature::Vertex(face.vertices[place % count]);
        // Side i is between corners i and i + 1. `before`: the corner across which the scan came.
        let (mut i, mut before, mut meets_region) = (from, None, false);
        for _ in 0..2 * count {
            let e = face.edges[i];
            // The part of the edge beyond the plane of the side.
            let beyond = ends.heights(Plane::of_side(y, e, face.sides[i].normal), self.work).map(|height| -height);
            let mut clip = Clip::new();
            if !clip.cut(beyond, Feature::Edge(e), self.work) {
                // Nothing: the side faces away, and the corner before it is closest.
                return before.map(corner);
            }
            let is_forward = y.edge(e).tail == face.vertices[i];
            let mut next = None;
            for place in [i, (i + 1) % count] {
                // Inside is beyond the corner at which the side begins, and short of that at which it ends.
                let sign = if place == i { 1.0 } else { -1.0 } * if is_forward { 1.0 } else { -1.0 };
                let plane = Plane::of_end(y, e, (place == i) != is_forward);
                let heights = ends.heights(plane, self.work).map(|height| sign * height);
                if !clip.cut(heights, Feature::Vertex(place as u32), self.work) {
                    if meets_region && clip.exclusion == Exclusion::Compound {
                        // The edge leaves the regions of the sides between two of them: above their corner.
                        return before.map(corner);
                    }
                    next = Some(place);
                    break;
                }
            }
            if next.is_none() {
                meets_region = true;
                let place = |feature: Option<Feature>| match feature {
                    Some(Feature::Vertex(place)) => Some(place as usize),
                    _ => None,
                };
                let slope = |lambda: f64, place: usize, work: &mut Work| {
                    ends.slope_to_vertex(lambda, y.vertex(face.vertices[place]), work).unwrap_or(0.0)
                };
                next = place(clip.low_by).filter(|&at| slope(clip.low, at, self.work) > 0.0);
                next = next.or_else(|| place(clip.high_by).filter(|&at| slope(clip.high, at, self.work) < 0.0));
            }
            match next {
                None => return Some(Feature::Edge(e)),
                // Back where it came from: the corner is closer than either side.
                Some(place) if Some(place) == before => return Some(corner(place)),
                Some(place) => {
                    before = Some(place);
                    i = if place == i { (i + count - 1) % count } else { place };
                }
            }
        }
        None
    }

    /// The distance of the closest features. The last state has their coordinates in one frame, so that no change of frame is counted again.
    fn closest(&mut self, at: [Feature; 2]) -> f64 {
        use Feature::{Edge as E, Face as F, Vertex as V};
        let [a, b] = self.bodies;
        let march = self.work.march;
        let distance = match at {
            [V(v), V(w)] => {
                // The difference is known.
                let d = self.into[0].point(b.vertex(w)) - a.vertex(v);
                self.length(d)
            }
            [V(v), E(e)] => self.vertex_to_edge(0, v, e),
            [E(e), V(v)] => self.vertex_to_edge(1, v, e),
            [V(v), F(f)] => self.vertex_to_face(0, v, f),
            [F(f), V(v)] => self.vertex_to_face(1, v, f),
            [E(e), E(g)] => {
                let own = a.edge(e);
                let tail = self.into[0].point(b.vertex(b.edge(g).tail));
                let (u, length) = (a.edge_direction(e), a.edge_length(e));
                let (other, other_length) = (self.into[0].rotation * b.edge_direction(g), b.edge_length(g));
                let between = segments(a.vertex(own.tail) - tail, [u, other], [length, other_length]);
                // Of all that: a unit vector along the other edge, three products, 1 - c², s and t twice with their bounds, and the difference.
                self.work.march.multiplications += 3 + 9 + 4 + 6;
                self.work.march.additions += 6 + 4 + 6;
                self.work.march.comparisons += 7;
                self.work.march.divisions += 1;
                self.length(between)
            }
            _ => unreachable!("no other state ends"),
        };
        // All of this is for the points, not for the march.
        let all = std::mem::replace(&mut self.work.march, march);
        self.work.points += all - march;
        distance
    }

    fn vertex_to_edge(&mut self, k: usize, v: u32, e: u32) -> f64 {
        let y = self.bodies[1 - k];
        let arm = self.into[1 - k].point(self.bodies[k].vertex(v)) - y.vertex(y.edge(e).tail);
        let u = y.edge_direction(e);
        // The arm and its height along the edge are known.
        let along = u.dot(arm);
        self.work.march.additions += 3;
        self.work.march.multiplications += 3;
        self.length(arm - along * u)
    }

    fn vertex_to_face(&mut self, k: usize, v: u32, f: u32) -> f64 {
        let face = self.bodies[1 - k].face(f);
        let p = self.into[1 - k].point(self.bodies[k].vertex(v));
        // The height is known; the closest point of the face is that far from p along the normal.
        self.work.march.additions += 3;
        self.work.march.multiplications += 3;
        face.normal.dot(p) - face.offset
    }

    fn length(&mut self, d: DVec3) -> f64 {
        self.work.march.roots += 1;
        self.work.march.dot(d, d).sqrt()
    }
}

/// The shortest way between two segments: from tail to tail, their unit directions, their lengths. The closest points of the lines, within the segments.
fn segments(between: DVec3, [u, v]: [DVec3; 2], [length, other_length]: [f64; 2]) -> DVec3 {
    let (cosine, d, e) = (u.dot(v), u.dot(between), v.dot(between));
    let square = 1.0 - cosine * cosine;
    // Parallel ones have a common stretch, where any place is right.
    let s = if square > 0.0 { ((cosine * e - d) / square).clamp(0.0, length) } else { 0.0 };
    let t = (cosine * s + e).clamp(0.0, other_length);
    let s = (cosine * t - d).clamp(0.0, length);
    between + s * u - t * v
}

/// Where X goes after clipping.
enum Update {
    None,
    To(Feature),
    /// A point in common.
    Touching,
}

/// The faces at an edge of a solid, each with the normal of the plane between the two, into the face.
fn faces_of_edge(body: &Polytope, e: u32) -> [(u32, DVec3); 2] {
    let edge = body.edge(e);
    let inward = body.tracked_edge(e).and_then(|tracked| tracked.sides()).expect("an edge of a solid has faces");
    [(edge.left, inward[0]), (edge.right, inward[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Pose;
    use clearance::internals::hull::convex_hull;
    use clearance::internals::narrow::gjk::{self, WarmSimplex};
    use clearance_lab::motion::Track;
    use clearance_lab::{Rng, models, random};

    fn ask(bodies: [&Polytope; 2], frame: &Frame, features: &mut [Feature; 2]) -> Answer {
        distance(bodies, frame, Step6::Corrected, features, &mut Work::default(), &mut |_| {})
    }

    /// Random pairs, apart and overlapping, from the first vertices: the answer is GJK's, and the same when the bodies change places.
    #[test]
    fn random_pairs_are_answered_and_overlaps_are_witnessed() {
        let mut rng = Rng::with_seed(81);
        let [mut gaps, mut overlaps, mut endless] = [0; 3];
        for round in 0..400 {
            let [a, b] = [8, 30].map(|count| convex_hull(&models::random_hull(&mut rng, count)).expect("points"));
            let frame = Frame::from(Pose::new(random::vector(&mut rng, -2.0, 2.0), random::rotation(&mut rng)));
            let truth = gjk::distance(&a, &b, &frame, &mut WarmSimplex::default());
            let mut features = START;
            match ask([&a, &b], &frame, &mut features) {
                Answer::Gap(gap) => {
                    assert!((gap - truth.distance).abs() < 1e-9, "{round}: {gap} {truth:?}");
                    gaps += 1;
                }
                Answer::Zero => {
                    assert!(truth.distance <= 0.0, "{round}: {features:?} {truth:?}");
                    let [x, y] = features.map(|f| matches!(f, Feature::Face(_)));
                    assert!(x != y, "a witness is a face with an edge or a vertex: {features:?}");
                    overlaps += 1;
                }
                Answer::Endless => endless += 1,
            }
            let swapped = ask([&b, &a], &frame.inverse(), &mut START.clone());
            match (swapped, truth.distance > 0.0) {
                (Answer::Gap(gap), _) => assert!((gap - truth.distance).abs() < 1e-9, "{round}: {gap} {truth:?}"),
                (Answer::Zero, is_apart) => assert!(!is_apart, "{round}"),
                (Answer::Endless, _) => endless += 1,
            }
        }
        assert!(gaps > 100 && overlaps > 20 && endless == 0, "{gaps} {overlaps} {endless}");
    }

    /// Line 6 of algorithm 6 as printed misses overlaps; as corrected it misses none.
    #[test]
    fn step_6_as_printed_misses_overlaps() {
        let mut rng = Rng::with_seed(82);
        let mut missed = [0; 2];
        for _ in 0..300 {
            let [a, b] = [12, 12].map(|count| convex_hull(&models::random_hull(&mut rng, count)).expect("points"));
            let frame = Frame::from(Pose::new(random::vector(&mut rng, -0.8, 0.8), random::rotation(&mut rng)));
            if !gjk::intersects(&a, &b, &frame, &mut WarmSimplex::default()) {
                continue;
            }
            for (missed, step_6) in missed.iter_mut().zip([Step6::Corrected, Step6::Printed]) {
                let answer = distance([&a, &b], &frame, step_6, &mut START.clone(), &mut Work::default(), &mut |_| {});
                *missed += u32::from(matches!(answer, Answer::Gap(_)));
            }
        }
        assert!(missed[0] == 0 && missed[1] > 5, "{missed:?}");
    }

    /// A coherent motion: the distance is GJK's in every call, a warm call takes a few pairs, and the march divides in clipping only.
    #[test]
    fn it_follows_a_motion_and_divides_in_clipping_only() {
        for points in [models::cube(), models::geodesic_sphere(2)] {
            let body = convex_hull(&points).expect("points");
            let (mut features, mut work) = (START, Work::default());
            for pose in Track::new(&mut Rng::with_seed(3), 3.0_f64.sqrt(), 2.0).take(300) {
                let frame = Frame::from(pose);
                let truth = gjk::distance(&body, &body, &frame, &mut WarmSimplex::default());
                let answer = distance([&body; 2], &frame, Step6::Corrected, &mut features, &mut work, &mut |_| {});
                match answer {
                    Answer::Gap(gap) => assert!((gap - truth.distance).abs() < 1e-9, "{gap} {truth:?}"),
                    Answer::Zero | Answer::Endless => panic!("{answer:?} {truth:?}"),
                }
            }
            assert!(work.pairs < 300 * 6, "{work:?}");
            assert!(
                work.small_divisors == 0
                    && work.march.divisions == work.clip_divisions
                    && work.march.roots == 0
                    && work.march.divisions > 0,
                "{work:?}"
            );
        }
    }
}
