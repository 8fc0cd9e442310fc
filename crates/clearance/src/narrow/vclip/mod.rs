//! V-Clip: which features of two polytopes are closest, starting from those that were?
//!
//! Paper \[VC\] (Mirtich 1997): algorithms 1 to 8, the state diagram of figure 2, theorem 1.
//!
//! | state | ends when | else goes to |
//! |---|---|---|
//! | vertex-vertex | each is in the other's Voronoi region | an edge at one of them |
//! | vertex-edge | the vertex is in the edge's region, and the closest point of the edge in the vertex's | an end or a face of the edge; an edge at the vertex |
//! | vertex-face | the vertex is above the face, and no edge at it heads for the face | a side of the face; an edge at the vertex; a face farther out |
//! | edge-edge | the closest points are in each other's regions | an end or a face of one of them |
//! | edge-face | the edge pierces the face | a side or corner of the face; an end of the edge |
//!
//! **The answer is proved.** Theorem 1 in numbers: a linear function that does not grow along any edge at a vertex does not
//! grow anywhere on a convex polytope, so the plane tests that end the walk are also the proof that the plane through the
//! witnesses supports both polytopes. Combinatorics are exact (hulls are made with exact predicates) and stored directions
//! are right to a known number of units in the last place, so a test that is passed by more than that margin is passed
//! exactly: such an answer is *strict*. When a test is a matter of rounding (a vertex above a face that is parallel to
//! another face), one support height of each polytope is asked for instead.
//!
//! **Ends.** In exact arithmetic every arrow to a feature of higher dimension makes the distance smaller, an arrow to a lower
//! one leaves it, and no circle is made of the latter alone: no pair comes twice. Here an arrow to a higher
//! dimension is only taken when its plane is violated by more than rounding, which keeps that true for all
//! but the smallest gaps. It is not relied on: the next pair is a function of this one, so a walk that does not end comes
//! back to a pair it has had, and Brent's method (compare with the pair at the last power of two) sees that without memory.
//! Such a walk, or one that is too long to be worth it, or a proof that does not close, is handed to GJK and counted in
//! `cost.rescues`.
//!
//! **Deviations from the paper.** (1) A vertex region is tested with the closest point of an edge, not by clipping the edge:
//! that point is a projection, which is safe. (2) Two edges are first tried by their closest points; clipping decides the
//! rest, parallel edges among them. (3) Of several violated planes of a vertex the one violated most is taken. (4) Faces of many
//! sides are not looked at all around, see `faces.rs`. (5) The local minimum is left by a walk on the polar dual.
//!
//! Complexity: about the number of features between the old pair and the new one; the size of the polytopes
//! does not matter. Boxes ([`Cuboid`](crate::shape::Cuboid)) have no features stored and an engine of their own.
//!
//! Prefer another engine when: nothing is known about where the closest features might be.

mod clip;
mod confirm;
mod faces;
mod jump;
mod states;
#[cfg(test)]
mod tests;

pub use super::tally::{Counts, Tally};
pub(crate) use confirm::{Ask, Confirmed, confirm};

use super::Difference;
use super::gjk;
use super::outcome::{Cost, Exit, Outcome};
use crate::math::rounding::{ROUNDING, SMALLEST_LENGTH};
use crate::math::{Frame, tuned};
use crate::shape::{Feature, Polytope};
use glam::DVec3;

/// What is remembered from one call to the next: the closest features, safe when stale. The default is cold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cache {
    at: Place,
    /// Where on the perimeter of a face of many sides the walk was last: a place in the list of all loops.
    side: u32,
    experience: jump::Experience,
}

/// A pair of features: the states of the paper's figure 2, and the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    state: State,
    a: u32,
    b: u32,
}

/// Kinds of features, of A and then of B: V for a vertex, E for an edge, F for a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Unknown,
    VV,
    VE,
    EV,
    EE,
    VF,
    FV,
    EF,
    FE,
    FF,
}

impl Place {
    #[inline(always)]
    fn new(features: [Feature; 2]) -> Self {
        use Feature::{Edge as E, Face as F, Surface, Vertex as V};
        let (state, a, b) = match features {
            [V(a), V(b)] => (State::VV, a, b),
            [V(a), E(b)] => (State::VE, a, b),
            [E(a), V(b)] => (State::EV, a, b),
            [E(a), E(b)] => (State::EE, a, b),
            [V(a), F(b)] => (State::VF, a, b),
            [F(a), V(b)] => (State::FV, a, b),
            [E(a), F(b)] => (State::EF, a, b),
            [F(a), E(b)] => (State::FE, a, b),
            [F(a), F(b)] => (State::FF, a, b),
            [Surface, _] | [_, Surface] => (State::Unknown, 0, 0),
        };
        Self { state, a, b }
    }

    fn features(self) -> [Feature; 2] {
        use Feature::{Edge as E, Face as F, Surface, Vertex as V};
        let (a, b) = (self.a, self.b);
        match self.state {
            State::VV => [V(a), V(b)],
            State::VE => [V(a), E(b)],
            State::EV => [E(a), V(b)],
            State::EE => [E(a), E(b)],
            State::VF => [V(a), F(b)],
            State::FV => [F(a), V(b)],
            State::EF => [E(a), F(b)],
            State::FE => [F(a), E(b)],
            State::FF => [F(a), F(b)],
            State::Unknown => [Surface, Surface],
        }
    }
}

impl Cache {
    /// A walk will start at these features, of A and of B.
    #[must_use]
    pub fn new(features: [Feature; 2]) -> Self {
        Self { at: Place::new(features), ..Self::default() }
    }

    /// The features of A and B at which the last walk ended: the closest ones, or those that witness a penetration (a vertex
    /// inside, or an edge through a face). Surfaces if there is none.
    #[must_use]
    pub fn features(&self) -> [Feature; 2] {
        self.at.features()
    }

    /// Is there a pair to start from?
    #[inline(always)]
    pub(crate) fn is_known(&self) -> bool {
        self.at.state != State::Unknown
    }

    /// Makes sure that there is a pair to start from: the one that is remembered, or a pair of vertices of the simplex that
    /// GJK remembers. There is none if nothing was asked before, or if the polytopes overlapped then.
    pub(crate) fn start(&mut self, gjk: &gjk::Cache) -> bool {
        self.is_known() || self.start_from(gjk)
    }

    #[cold]
    #[inline(never)]
    fn start_from(&mut self, gjk: &gjk::Cache) -> bool {
        let Some([v, w]) = gjk.nearest_ids() else { return false };
        *self = Self::new([Feature::Vertex(v), Feature::Vertex(w)]);
        true
    }

    /// Where to look next.
    #[inline(always)]
    fn after(self, step: Step, side: u32) -> Self {
        if let Step::Go(next) = step { Self { at: next, side, ..self } } else { self }
    }

    /// Nothing is known any more.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walk {
    /// The polytopes are apart, and [`Near`] says how far.
    Apart,
    /// The polytopes overlap or touch, as the features in the cache witness.
    Penetrating,
    /// Rounding led the walk in a circle or left the bracket open, or the walk was too long.
    Unfinished,
}

/// No walk takes more steps than this, unless it is asked to; two polytopes of 1000 vertices need about 60 from anywhere.
pub const MAX_STEPS: u32 = 10_000;

/// The signed distance, witnesses and bracket. Overlapping polytopes, and walks that do not end, are answered by GJK; the
/// latter are counted in `cost.rescues`.
pub fn distance(a: &Polytope, b: &Polytope, b_in_a: &Frame, cache: &mut Cache) -> Outcome {
    distance_counted(a, b, b_in_a, cache, &mut ())
}

/// The same, and what it took is added to the tally; `()` counts nothing and costs nothing.
pub fn distance_counted<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut Cache,
    tally: &mut K,
) -> Outcome {
    if cache.at.state == State::Unknown {
        *cache = first_guess(a, b, b_in_a, tally);
    }
    let mut near = Near::default();
    let rescues = match walk(a, b, b_in_a, cache, MAX_STEPS, tally, &mut near) {
        Walk::Apart => return near.outcome(a, b, cache.features()),
        Walk::Penetrating => 0,
        Walk::Unfinished if is_proved_by_a_face(a, b, b_in_a, cache, tally, &mut near) => {
            return near.outcome(a, b, cache.features());
        }
        Walk::Unfinished => {
            *cache = Cache::default();
            1
        }
    };
    let mut outcome = gjk::distance(a, b, b_in_a, &mut gjk::Cache::default());
    outcome.cost.rescues += rescues;
    outcome
}

/// The vertices that face each other along the line of centres.
pub(crate) fn first_guess<K: Tally>(a: &Polytope, b: &Polytope, b_in_a: &Frame, tally: &mut K) -> Cache {
    let difference = Difference::new(a, b, b_in_a);
    let ids = difference.support(difference.center()).ids;
    tally.supports(2);
    Cache::new([Feature::Vertex(ids[0]), Feature::Vertex(ids[1])])
}

/// A walk of at most so many steps from where the cache says, which keeps where it ends; `near.steps` have been taken.
#[inline(never)]
pub(crate) fn walk<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut Cache,
    most_steps: u32,
    tally: &mut K,
    near: &mut Near,
) -> Walk {
    tuned(
        #[inline(always)]
        || steps(a, b, b_in_a, cache, most_steps, tally, near),
    )
}

#[inline(always)]
fn steps<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut Cache,
    most_steps: u32,
    tally: &mut K,
    near: &mut Near,
) -> Walk {
    let mut walker = Walker::new(a, b, b_in_a, cache.side, tally);
    let mut at = cache.at;
    let mut steps = 1 + near.steps;
    // Brent: the pair to compare with, and the step at which the next one is kept.
    let (mut kept, mut keep_at) = (at, 4);
    loop {
        walker.tally.step();
        let step = match at.state {
            State::VV => walker.vertex_vertex(at.a, at.b, near),
            State::EE => walker.edge_edge(at.a, at.b, near),
            State::EV => walker.vertex_edge::<false>(at.b, at.a, near),
            State::VE => walker.vertex_edge::<true>(at.a, at.b, near),
            State::FV => walker.vertex_face::<false>(at.b, at.a, near),
            State::VF => walker.vertex_face::<true>(at.a, at.b, near),
            State::FE => walker.edge_face::<false>(at.b, at.a),
            State::EF => walker.edge_face::<true>(at.a, at.b),
            State::FF => walker.face_face(at.a, at.b),
            State::Unknown => Step::Stale,
        };
        match step {
            Step::Done => {
                *cache = Cache { at, side: walker.side, ..*cache };
                near.steps = steps;
                return walker.prove(near);
            }
            Step::Go(next) => at = next,
            Step::Penetrating => {
                *cache = Cache { at, side: walker.side, ..*cache };
                return Walk::Penetrating;
            }
            Step::Stale | Step::Unsettled => return Walk::Unfinished,
        }
        if at == kept || steps >= most_steps {
            return Walk::Unfinished;
        }
        steps += 1;
        if steps >= keep_at {
            (kept, keep_at) = (at, 2 * keep_at);
        }
    }
}

/// What looking at a pair of features comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// They are the closest.
    Done,
    /// Other features are closer, or say better where the closest points are.
    Go(Place),
    /// The polytopes have a point in common.
    Penetrating,
    /// There are no such features.
    Stale,
    /// They are not the closest, or not clearly, and no more was asked.
    Unsettled,
}

impl Step {
    /// To other features. Where it is called, their kinds are mostly known and so is the state.
    #[inline(always)]
    fn go(features: [Feature; 2]) -> Self {
        Self::Go(Place::new(features))
    }
}

/// The closest points, in the frame of A. A caller hands in an empty one, so that nothing large is moved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Near {
    pub core_a: DVec3,
    /// Unit vector from A to B.
    pub normal: DVec3,
    /// The distance of the planes across the normal that touch A and B.
    pub length: f64,
    /// Proved bounds of the distance.
    pub lower: f64,
    pub upper: f64,
    /// The distance of two points of A and B, as far as that is known without rounding.
    most: f64,
    /// How far A or B may reach through their planes because the normal is rounded.
    slack: f64,
    /// Have all tests been passed by more than rounding, so that they prove that those planes support A and B?
    strict: bool,
    pub steps: u32,
    pub support_calls: u32,
}

impl Near {
    /// Nothing yet, after so many steps.
    pub(crate) fn after(steps: u32) -> Self {
        Self { steps, ..Self::default() }
    }

    fn outcome(&self, a: &Polytope, b: &Polytope, features: [Feature; 2]) -> Outcome {
        let (ids, count) = contact(a, b, features);
        Outcome {
            distance: self.length,
            point_a: self.core_a,
            point_b: self.core_a + self.length * self.normal,
            normal: self.normal,
            lower: self.lower,
            upper: self.upper,
            ids,
            count,
            exit: Exit::Converged,
            closed: true,
            cost: self.cost(),
        }
    }

    #[inline(always)]
    pub(crate) fn cost(&self) -> Cost {
        Cost { iterations: self.steps, support_calls: self.support_calls, rescues: 0 }
    }
}

struct Walker<'a, K> {
    a: &'a Polytope,
    b: &'a Polytope,
    b_in_a: &'a Frame,
    /// A bound on the error of every length, see [`Difference::rounding`].
    rounding: f64,
    side: u32,
    tally: &'a mut K,
}

impl<'a, K: Tally> Walker<'a, K> {
    #[inline(always)]
    fn new(a: &'a Polytope, b: &'a Polytope, b_in_a: &'a Frame, side: u32, tally: &'a mut K) -> Self {
        let scale = a.reach() + b.reach() + b_in_a.translation.length();
        Self { a, b, b_in_a, rounding: ROUNDING * scale + SMALLEST_LENGTH, side, tally }
    }

    /// Closes the bracket.
    #[inline(always)]
    fn prove(&mut self, near: &mut Near) -> Walk {
        self.tally.flops(6);
        if !near.strict {
            near.slack = near.length - self.height(near);
            near.support_calls = 2;
        }
        let gap = near.most - near.length;
        // Written so that a NaN goes the long way.
        if !(near.length > self.rounding) || !(gap + near.slack <= 2.0 * self.rounding) {
            return self.doubtful(near);
        }
        near.lower = near.length - near.slack.max(0.0) - self.rounding;
        near.upper = near.length + gap.max(0.0) + self.rounding;
        Walk::Apart
    }

    /// Two faces are never closer than a corner of the one is to the other, or two edges are.
    #[cold]
    #[inline(never)]
    fn face_face(&mut self, f: u32, g: u32) -> Step {
        if f as usize >= self.a.face_count() {
            return Step::Stale;
        }
        Step::go([Feature::Vertex(self.a.face_view(f).vertices[0]), Feature::Face(g)])
    }

    /// The distance of the support planes across the normal.
    #[cold]
    #[inline(never)]
    fn height(&mut self, near: &Near) -> f64 {
        self.tally.supports(2);
        Difference::new(self.a, self.b, self.b_in_a).height(-near.normal) / near.normal.length()
    }

    #[cold]
    #[inline(never)]
    fn doubtful(&mut self, near: &Near) -> Walk {
        if near.most <= self.rounding { Walk::Penetrating } else { Walk::Unfinished }
    }
}

/// A last try for a walk that is unfinished because its bracket is open: two edges of which the one lies in a face of the
/// other's body, but for rounding. Their perpendicular is then as good as the sine between them, and the normal of the face is
/// better. Not a part of the walk, which is a fifth slower with it.
#[cold]
#[inline(never)]
pub(crate) fn is_proved_by_a_face<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &Cache,
    tally: &mut K,
    near: &mut Near,
) -> bool {
    // Nothing is near when the walk did not come to an end.
    if cache.at.state != State::EE || near.most == 0.0 {
        return false;
    }
    let rounding = Walker::new(a, b, b_in_a, 0, &mut ()).rounding;
    let difference = Difference::new(a, b, b_in_a);
    let (edge_a, edge_b) = (a.edge(cache.at.a), b.edge(cache.at.b));
    let of_a = [edge_a.left, edge_a.right].map(|f| a.face_plane(f).map(|(normal, _)| normal));
    let of_b = [edge_b.left, edge_b.right].map(|f| b.face_plane(f).map(|(normal, _)| b_in_a.rotation * -normal));
    for normal in of_a.into_iter().chain(of_b).flatten() {
        // The witnesses must be along it too.
        if (normal - near.normal).length() * near.most > 4.0 * rounding {
            continue;
        }
        tally.supports(2);
        near.support_calls += 2;
        let height = difference.height(-normal) / normal.length();
        if height > rounding && near.most - height <= 2.0 * rounding {
            (near.normal, near.length) = (normal, height);
            near.lower = height - rounding;
            near.upper = near.most.max(height) + rounding;
            return true;
        }
    }
    false
}

/// Vertices of A and B whose hulls are the features, for those who know features by their vertices.
fn contact(a: &Polytope, b: &Polytope, features: [Feature; 2]) -> ([[u32; 2]; 4], u8) {
    let vertices = |polytope: &Polytope, feature: Feature| match feature {
        Feature::Edge(e) => {
            let edge = polytope.edge(e);
            ([edge.tail, edge.head, edge.tail], 2)
        }
        Feature::Face(f) => {
            let corners = polytope.face_view(f).vertices;
            ([corners[0], corners[1], corners[2]], 3)
        }
        Feature::Vertex(v) => ([v; 3], 1),
        Feature::Surface => ([0; 3], 1),
    };
    let ((a, count_a), (b, count_b)) = (vertices(a, features[0]), vertices(b, features[1]));
    if count_a == 2 && count_b == 2 {
        return ([[a[0], b[0]], [a[1], b[0]], [a[1], b[1]], [0; 2]], 3);
    }
    ([[a[0], b[0]], [a[1], b[1]], [a[2], b[2]], [0; 2]], count_a.max(count_b))
}
