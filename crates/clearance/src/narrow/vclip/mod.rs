//! V-Clip: which features of two polytopes are closest, starting from those that were?
//!
//! Paper \[VC\] (Mirtich 1997): algorithms 1 to 8, theorem 1, and the state diagram of figure 2. V is a vertex, E an edge, F a face.
//!
//! ```text
//!                        ┌──────────┐
//!                        │   V-V    │ done                ───▶ up a dimension: the distance falls
//!                        └──────────┘                     ┄┄┄▶ down a dimension: it stays
//!                           │    ▲
//!                           ▼    ┊
//!                        ┌──────────┐
//!         ┌───────────── │   V-E    │ ─────────────┐
//!         │    ┌┄┄┄┄┄┄┄▶ │          │ ◀┄┄┄┄┄┄┄┐    │
//!         │    ┊         └──────────┘ done    ┊    │
//!         ▼    ┊              ▲               ┊    ▼
//!        ┌──────────┐         ┊             ┌──────────┐
//!   ┌──▶ │   V-F    │ done    ┊             │   E-E    │ done
//!   └─── │          │         ┊             │          │
//! escape └──────────┘         ┊             └──────────┘
//!  or     │    ▲         ┌──────────┐         ▲    │
//! inside  │    └┄┄┄┄┄┄┄┄ │   E-F    │ ┄┄┄┄┄┄┄┄┘    │
//!         └────────────▶ │          │ ◀────────────┘
//!                        └──────────┘ pierced
//! ```
//!
//! | state | file, algorithm | ends when | else goes to |
//! |---|---|---|---|
//! | V-V | `vertex_vertex.rs`, 4 | each is in the other's Voronoi region | an edge at one of them |
//! | V-E | `vertex_edge.rs`, 5 | the vertex is in the edge's region, and the closest point of the edge in the vertex's | an end or a face of the edge; an edge at the vertex |
//! | V-F | `vertex_face.rs`, 6 | the vertex is above the face, and no edge at it heads for the face | a side of the face; an edge at the vertex; a face farther out |
//! | E-E | `edge_edge.rs`, 7 | the closest points are in each other's regions | an end or a face of one of them |
//! | E-F | `edge_face.rs`, 8 | the edge pierces the face | a side or corner of the face; an end of the edge |
//!
//! `regions.rs` and `faces.rs` hold the plane tests, `clip.rs` algorithm 1, `march.rs` the loop and the proof. Each state is written once
//! and used in two ways, see `placement.rs`: by the march, with B in the frame of A, and by a probe (`confirm.rs`), in the axes of the
//! world. Most calls of a coherent motion end with the probe.
//!
//! **The answer is proved.** Theorem 1 in numbers: a linear function that does not grow along any edge at a vertex does not grow anywhere
//! on a convex polytope. So the plane tests that end the march are also the proof that the plane through the witnesses supports both
//! polytopes. Combinatorics are exact (hulls are made with exact predicates) and stored directions are right to a
//! known number of units in the last place. A test that is passed by more than that margin is passed exactly: such an answer is *strict*.
//! When a test is a matter of rounding (a vertex above a face that is parallel to another face), one
//! support height of each polytope decides instead.
//!
//! **Invariants.** I1: the pair at hand consists of features that there are. I2: what is called apart has a closed bracket
//! (B1 in `narrow/closest_points.rs`). I3: an arrow to a higher dimension is only taken when its plane is violated by more than
//! rounding, so the distance falls.
//!
//! **Ends.** In exact arithmetic every arrow to a feature of higher dimension makes the distance smaller, an arrow to a lower one leaves
//! it, and no cycle consists of the latter alone. So no pair comes twice. I3 keeps that true here for all
//! but the smallest gaps. The search does not rely on it. The next pair is a function of this one, so a march that does not end comes back
//! to a pair it has had, and Brent's method detects that without memory.
//! Such a march, or one that is too long to be worth it, or a proof that does not close, is handed to GJK and counted in
//! `cost.fallbacks`.
//!
//! **Deviations from the paper.** (1) A vertex region is tested with the closest point of an edge, not by clipping the edge: that point is
//! a projection, which is safe. (2) Two edges are first tried by their closest points; clipping decides the rest, parallel edges among
//! them. (3) Of several violated planes of a vertex the one violated most is taken, and from there on several arrows at once, by hill
//! climbing. (4) Faces of many sides are not tested all around, see `faces.rs`. (5) The local minimum is left by hill climbing on the polar
//! dual, to the face where a ray from the centre leaves. The paper goes to the face of the largest distance, so that its argument against
//! coming back does not carry over to this arrow, and only Brent's method covers it. (6) Step 6 of algorithm 6 is read as `vertex_face.rs`
//! says. (7) "No tolerance, divisions only in clip-edge" is the paper's and not ours. Margins that follow from rounding decide arrows, and
//! edges that cross by more than `PARALLEL` are decided by a division by the square of their sine.
//!
//! Complexity: about the number of features between the old pair and the new one; the size of the polytopes
//! does not matter. Boxes ([`Cuboid`](crate::shape::Cuboid)) have no features stored and an engine of their own.
//!
//! Prefer another engine when: nothing is known about where the closest features might be.

mod clip;
mod confirm;
mod cost;
mod edge_edge;
mod edge_face;
mod faces;
mod march;
mod placement;
mod regions;
mod restart;
#[cfg(test)]
mod tests;
mod vertex_edge;
mod vertex_face;
mod vertex_vertex;

pub use super::tally::{Counts, Tally};
pub(crate) use confirm::confirm;
pub use march::MAX_STEPS;
pub(crate) use march::{Ended, track};

use super::outcome::Outcome;
use super::{ClosestPoints, Difference, gjk};
use crate::math::Frame;
use crate::shape::{Feature, Polytope};

/// State kept from one call to the next: the closest features, safe when stale. The default is cold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClosestFeatures {
    at: Place,
    /// Where on the perimeter of a face of many sides the march was last: a place in the list of all loops.
    cursor: u32,
    starts: restart::StartCosts,
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
pub(crate) enum State {
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

    #[inline(always)]
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

    /// I1: do the polytopes have these features?
    fn exists(self, a: &Polytope, b: &Polytope) -> bool {
        let [on_a, on_b] = self.features();
        [(a, on_a), (b, on_b)].into_iter().all(|(polytope, feature)| match feature {
            Feature::Vertex(v) => (v as usize) < polytope.vertex_count(),
            Feature::Edge(e) => (e as usize) < polytope.edge_count(),
            Feature::Face(f) => (f as usize) < polytope.face_count(),
            Feature::Surface => false,
        })
    }
}

impl ClosestFeatures {
    /// A march will start at these features, of A and of B.
    #[must_use]
    pub fn new(features: [Feature; 2]) -> Self {
        Self { at: Place::new(features), ..Self::default() }
    }

    /// The features of A and B at which the last march ended: the closest ones, or those that witness a penetration (a vertex
    /// inside, or an edge through a face). Surfaces if there is none.
    #[must_use]
    #[inline(always)]
    pub fn features(&self) -> [Feature; 2] {
        self.at.features()
    }

    /// Kinds of the features at which the last march ended.
    #[inline(always)]
    pub(crate) fn state(&self) -> State {
        self.at.state
    }

    /// Is there a pair to start from?
    #[inline(always)]
    pub(crate) fn is_known(&self) -> bool {
        self.at.state != State::Unknown
    }

    /// Makes sure that there is a pair to start from: the one that is remembered, or a pair of vertices of the simplex that
    /// GJK remembers. There is none if nothing was asked before, or if the polytopes overlapped then.
    pub(crate) fn start(&mut self, gjk: &gjk::WarmSimplex) -> bool {
        self.is_known() || self.start_from(gjk)
    }

    #[cold]
    #[inline(never)]
    fn start_from(&mut self, gjk: &gjk::WarmSimplex) -> bool {
        let Some([v, w]) = gjk.nearest_ids() else { return false };
        *self = Self::new([Feature::Vertex(v), Feature::Vertex(w)]);
        true
    }

    /// Nothing is known any more.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The result of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The features are the closest.
    Done,
    /// Other features are closer, or say better where the closest points are.
    Go(Place),
    /// The polytopes have a point in common.
    Penetrating,
    /// There are no such features.
    Stale,
    /// Rounding has a say. A probe leaves that to a march, and a march leaves two edges to clipping.
    Unsettled,
}

impl Step {
    /// To other features. Where it is called, their kinds are mostly known and so is the state.
    #[inline(always)]
    fn go(features: [Feature; 2]) -> Self {
        Self::Go(Place::new(features))
    }
}

/// The signed distance, witnesses and bracket. Overlapping polytopes, and marches that do not end, are answered by GJK; the
/// latter are counted in `cost.fallbacks`.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance::internals::narrow::vclip::{self, ClosestFeatures};
/// use clearance::shape::polytope::convex_hull;
/// use clearance::math::DVec3;
///
/// let rock = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let mut cache = ClosestFeatures::default();
/// for step in 0..10 {
///     let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([2.0 + 0.1 * f64::from(step), 0.0, 0.0]));
///     let out = vclip::distance(&rock, &rock, &b_in_a, &mut cache);
///     assert!((out.distance - (1.0 + 0.1 * f64::from(step))).abs() < 1e-13);
/// }
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn distance(a: &Polytope, b: &Polytope, b_in_a: &Frame, cache: &mut ClosestFeatures) -> Outcome {
    distance_counted(a, b, b_in_a, cache, &mut ())
}

/// The signed distance, as by [`distance`]; what it took is added to the tally. `()` counts nothing and costs nothing.
pub fn distance_counted<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut ClosestFeatures,
    tally: &mut K,
) -> Outcome {
    let verdict = verdict_counted(a, b, b_in_a, cache, tally);
    if let MarchVerdict::Apart(outcome) = verdict {
        return outcome;
    }
    let mut outcome = gjk::distance(a, b, b_in_a, &mut gjk::WarmSimplex::default());
    if verdict == MarchVerdict::Unfinished {
        cache.forget();
        outcome.cost.fallbacks += 1;
    }
    outcome
}

/// The closest points of polytopes that are apart, as by [`distance`]; nothing if they share a point, of which the features at which the march
/// ended are the witness. Depth is not computed.
pub fn closest_if_apart(a: &Polytope, b: &Polytope, b_in_a: &Frame, cache: &mut ClosestFeatures) -> Option<Outcome> {
    if !cache.is_known() {
        *cache = first_guess(a, b, b_in_a, &mut ());
    }
    let mut points = ClosestPoints::default();
    match track(a, b, b_in_a, cache, MAX_STEPS, &mut (), &mut points) {
        Ended::Apart => Some(points.outcome(contact(a, b, cache.features()))),
        Ended::Unfinished => {
            cache.forget();
            gjk::closest_if_apart(a, b, b_in_a)
        }
        Ended::Penetrating => None,
    }
}

/// The answer of V-Clip by itself, before a call of GJK.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MarchVerdict {
    /// The polytopes are apart, and this is proved.
    Apart(Outcome),
    /// The polytopes overlap or touch, as the features in the cache witness: a vertex inside, or an edge through a face.
    Penetrating,
    /// The march went in a circle, was too long, or its bracket stayed open.
    Unfinished,
}

/// The verdict of this engine alone, before GJK repairs anything. It is the variant that the head of this module describes; the algorithm as printed
/// is in the crate `clearance-papers`.
pub fn verdict_counted<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut ClosestFeatures,
    tally: &mut K,
) -> MarchVerdict {
    if !cache.is_known() {
        *cache = first_guess(a, b, b_in_a, tally);
    }
    let mut points = ClosestPoints::default();
    match track(a, b, b_in_a, cache, MAX_STEPS, tally, &mut points) {
        Ended::Apart => MarchVerdict::Apart(points.outcome(contact(a, b, cache.features()))),
        Ended::Penetrating => MarchVerdict::Penetrating,
        Ended::Unfinished => MarchVerdict::Unfinished,
    }
}

/// The vertices that face each other along the line of centres.
#[doc(hidden)]
pub fn first_guess<K: Tally>(a: &Polytope, b: &Polytope, b_in_a: &Frame, tally: &mut K) -> ClosestFeatures {
    let difference = Difference::new(a, b, b_in_a);
    let ids = difference.support(difference.center()).ids;
    tally.supports(2);
    ClosestFeatures::new([Feature::Vertex(ids[0]), Feature::Vertex(ids[1])])
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
