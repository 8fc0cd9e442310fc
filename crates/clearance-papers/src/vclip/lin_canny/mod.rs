//! Lin-Canny: which features of two polytopes are closest, judged by their closest points?
//!
//! Paper \[LC\] (Lin and Canny 1991; Lin 1993), in the form of the program that \[VC\] compares with and I-COLLIDE was built on. The algorithm
//! computes the two closest points of a pair of features. If each lies in the Voronoi region of the other feature, the features are the closest
//! (theorem 5 of \[TP\]). Else the plane that is violated most gives the next pair.
//!
//! | pair | closest points | beyond a plane of |
//! |---|---|---|
//! | vertex-vertex | the vertices | a vertex: to that edge |
//! | vertex-edge | the vertex, its projection | the edge: to an end or a face; the vertex: to that edge |
//! | edge-edge | by two divisions, or in the middle of what overlaps if "parallel" | an edge: to an end or a face |
//! | vertex-face | the vertex, its projection | the face: to that edge; its own plane: to the closest feature of all; the vertex: to that edge |
//! | edge-face | only if "parallel": where the edge leaves the face | to an end, to a side of the face, to a face of the edge |
//! | face-face | only if "parallel" and overlapping | to a vertex or edge of one face, or to two edges |
//!
//! **It is for comparison only**: [`Engine::Auto`](clearance::Engine::Auto) never picks it. It has the faults that V-Clip was invented for, on
//! purpose:
//!
//! * *Tolerances* ([`Tolerances`]) decide what is parallel and which side of a plane a point is on. Without them the march
//!   goes in circles; with them it ends at pairs that are not the closest ones. They are the program's, except that its
//!   lengths are meant for bodies of size one and ours are relative to the larger body.
//! * *Circles* remain, in degenerate positions.
//! * *Overlaps* have no Voronoi regions to end in. The march then goes in a circle, or finds a gap where there is none.
//!
//! **Every answer is proved all the same**: one support height of each polytope must confirm the closest points at which the march ends. If that
//! refutes them, or the march did not end, GJK gives the answer. Each such call is a *fault*, counted by kind in [`Faults`] and in
//! `cost.fallbacks`.
//!
//! **Ends** after [`MAX_STEPS`] pairs, the program's own bound; by Brent's method earlier if a pair comes again, since the
//! next pair is a function of this one. (The program only counts, and takes a march that is too long for an overlap. The
//! separate test that the paper asks for then is GJK here, whose answer is proved.)
//!
//! **Deviations.** (1) Flared planes are computed when a point is near enough to matter, not stored: they would be of no use
//! to any other engine. Operations are counted as if they were. (2) A scan for the closest feature that finds none is a
//! fault of its own instead of a null pointer. (3) The outward direction of an edge, about which its planes are flared, is
//! defined for flat polygons too; edges of segments are not flared. (4) The first march starts from the vertices that face
//! each other along the line of centres, as V-Clip's does.
//!
//! Prefer another engine: always. [`vclip`](clearance::internals::narrow::vclip) for the same query.

pub mod linear_program;
mod points;
mod regions;
mod states;
#[cfg(test)]
mod tests;

use clearance::internals::narrow::gjk;
use clearance::internals::narrow::tally::Tally;
use clearance::internals::narrow::{Cost, Difference, Outcome};
use clearance::internals::{ClosestPoints, Cycle};
use clearance::internals::{ROUNDING, SMALLEST_LENGTH};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::{Feature, NO_VERTEX, Polytope};

/// Limit: a longer march is treated as one that runs in a circle.
pub const MAX_STEPS: u32 = 500;

/// Tolerances for decisions that numbers leave open: parallel or not, equal or not, and the region of a point near a plane.
///
/// The defaults are those of the program. Smaller ones make claims more accurate and marches go in circles more often; larger ones
/// the other way round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Edges or faces whose cosine differs from one by less are treated as parallel: the default is 0.8 degrees.
    pub parallel: f64,
    /// Lengths that differ by less are treated as equal, in sizes of the bodies.
    pub same_length: f64,
    /// A point this far beyond a Voronoi plane is still in the region, in sizes of the bodies.
    pub sticky: f64,
    /// Angles by which Voronoi planes are flared, so that regions of neighbours overlap and no point is in none. Planes of a vertex turn inwards,
    /// those of an edge outwards at its ends and inwards at its faces, those of a face outwards.
    pub vertex_flare: f64,
    /// See [`Tolerances::vertex_flare`].
    pub edge_vertex_flare: f64,
    /// See [`Tolerances::vertex_flare`].
    pub edge_face_flare: f64,
    /// See [`Tolerances::vertex_flare`].
    pub face_flare: f64,
}

impl Tolerances {
    /// The tolerances of the program.
    pub const PROGRAM: Self = Self {
        parallel: 1e-4,
        same_length: 1e-4,
        sticky: 1e-7,
        vertex_flare: 0.5e-5,
        edge_vertex_flare: 1e-5,
        edge_face_flare: 1e-5,
        face_flare: 2e-5,
    };
}

impl Default for Tolerances {
    fn default() -> Self {
        Self::PROGRAM
    }
}

/// Answers that are off by more are called wrong, others inexact: the measure of the paper on V-Clip, in sizes.
pub const WARNING: f64 = 1e-6;

/// The cache from one call to the next: the features at which the march ended, safe when stale. The default is cold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastFeatures {
    features: [Feature; 2],
}

impl LastFeatures {
    /// A march will start at these features, of A and of B.
    #[must_use]
    pub fn new(features: [Feature; 2]) -> Self {
        Self { features }
    }

    /// The features of A and B at which the last march ended; surfaces if there was none.
    #[must_use]
    pub fn features(&self) -> [Feature; 2] {
        self.features
    }
}

/// The number of failures of the algorithm by kind; GJK answered in its place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Faults {
    /// The march came back to a pair it had had, though the polytopes are apart.
    pub cycles: u64,
    /// The march was longer than [`MAX_STEPS`], though the polytopes are apart.
    pub step_limits: u64,
    /// A scan of all features found none that is closer, though the polytopes are apart.
    pub dead_ends: u64,
    /// The march ended at a distance that is off by more than [`WARNING`] of the size.
    pub wrong_distances: u64,
    /// The march ended at points that are not the closest ones to rounding, but off by less than that.
    pub inexact: u64,
    /// The polytopes overlap or touch, which the algorithm cannot see, and the march did not end.
    pub overlaps: u64,
    /// The polytopes overlap or touch, and the march ended at a gap.
    pub false_gaps: u64,
    /// Not a fault by itself: decisions that a tolerance turned round.
    pub tolerance_decisions: u64,
    /// The most that a distance was off, in sizes, where the march ended and the polytopes are apart.
    pub largest_error: f64,
}

impl Faults {
    /// Calls that had to be answered by GJK.
    #[must_use]
    pub fn calls(&self) -> u64 {
        let ended_wrongly = self.wrong_distances + self.inexact + self.false_gaps;
        self.cycles + self.step_limits + self.dead_ends + ended_wrongly + self.overlaps
    }

    /// Counts a march whose result had to be replaced by `truth`.
    fn record(&mut self, ended: LinCannyEnd, claimed: f64, truth: &Outcome, size: f64) {
        let is_apart = truth.distance > 0.0;
        let error = (claimed - truth.distance).abs() / size;
        if is_apart && ended == LinCannyEnd::Refuted {
            self.largest_error = self.largest_error.max(error);
        }
        let kind = match ended {
            LinCannyEnd::Proved => return,
            LinCannyEnd::Refuted if !is_apart => &mut self.false_gaps,
            _ if !is_apart => &mut self.overlaps,
            LinCannyEnd::Refuted if error > WARNING => &mut self.wrong_distances,
            LinCannyEnd::Refuted => &mut self.inexact,
            LinCannyEnd::Cycle => &mut self.cycles,
            LinCannyEnd::StepLimit => &mut self.step_limits,
            LinCannyEnd::DeadEnd => &mut self.dead_ends,
        };
        *kind += 1;
    }
}

impl std::ops::AddAssign for Faults {
    fn add_assign(&mut self, other: Self) {
        self.cycles += other.cycles;
        self.step_limits += other.step_limits;
        self.dead_ends += other.dead_ends;
        self.wrong_distances += other.wrong_distances;
        self.inexact += other.inexact;
        self.overlaps += other.overlaps;
        self.false_gaps += other.false_gaps;
        self.tolerance_decisions += other.tolerance_decisions;
        self.largest_error = self.largest_error.max(other.largest_error);
    }
}

/// How a march ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinCannyEnd {
    /// At the closest features, as [`ClosestPoints`] proves.
    Proved,
    /// At features that are not the closest, or not provably.
    Refuted,
    Cycle,
    StepLimit,
    DeadEnd,
}

/// The signed distance, witnesses and bracket. Where the march fails, GJK answers, which is counted in `cost.fallbacks`.
///
/// ```
/// use clearance::Pose;
/// use clearance::math::Frame;
/// use clearance_papers::vclip::lin_canny::{self, LastFeatures};
/// use clearance::internals::hull::convex_hull;
/// use clearance::math::DVec3;
///
/// let rock = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let mut cache = LastFeatures::default();
/// for step in 0..10 {
///     let b_in_a = Frame::relative(&Pose::IDENTITY, &Pose::from_translation([2.0 + 0.1 * f64::from(step), 0.0, 0.0]));
///     let out = lin_canny::distance(&rock, &rock, &b_in_a, &mut cache);
///     assert!((out.distance - (1.0 + 0.1 * f64::from(step))).abs() < 1e-13);
/// }
/// # Ok::<(), clearance::BuildError>(())
/// ```
pub fn distance(a: &Polytope, b: &Polytope, b_in_a: &Frame, cache: &mut LastFeatures) -> Outcome {
    distance_counted(a, b, b_in_a, cache, &mut (), &mut Faults::default())
}

/// The signed distance, as by [`distance`]; what the march took is added to the tally, and what went wrong to the faults.
///
/// The proof, which is not the algorithm's, counts as two support points and no operations; so does all that GJK does.
pub fn distance_counted<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut LastFeatures,
    tally: &mut K,
    faults: &mut Faults,
) -> Outcome {
    let mut points = ClosestPoints::default();
    let ended = track(a, b, b_in_a, cache, tally, &mut points, &mut faults.tolerance_decisions);
    if ended == LinCannyEnd::Proved {
        return points.outcome(([[NO_VERTEX; 2]; 4], 0));
    }
    let mut truth = gjk::distance(a, b, b_in_a, &mut gjk::WarmSimplex::default());
    faults.record(ended, points.length, &truth, size(a, b));
    truth.cost += Cost { iterations: points.steps, support_calls: 0, fallbacks: 1 };
    truth
}

/// The closest points of polytopes that are apart, as by [`distance`]; nothing if they share a point, whose depth is not computed. That is what
/// I-COLLIDE answers: where the march fails, another algorithm says whether they collide, here GJK.
pub fn closest_if_apart(a: &Polytope, b: &Polytope, b_in_a: &Frame, cache: &mut LastFeatures) -> Option<Outcome> {
    let mut points = ClosestPoints::default();
    if track(a, b, b_in_a, cache, &mut (), &mut points, &mut 0) == LinCannyEnd::Proved {
        return Some(points.outcome(([[NO_VERTEX; 2]; 4], 0)));
    }
    gjk::closest_if_apart(a, b, b_in_a)
}

/// [`closest_if_apart`] as I-COLLIDE has it: where the march fails, a linear programme says whether the polytopes collide.
///
/// A pair that it separates all the same is GJK's, so that the answer is proved.
pub fn closest_as_in_i_collide(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut LastFeatures,
    program: &mut linear_program::Separation,
) -> Option<Outcome> {
    let mut points = ClosestPoints::default();
    if track(a, b, b_in_a, cache, &mut (), &mut points, &mut 0) == LinCannyEnd::Proved {
        return Some(points.outcome(([[NO_VERTEX; 2]; 4], 0)));
    }
    if program.separates(a, b, b_in_a) { gjk::closest_if_apart(a, b, b_in_a) } else { None }
}

/// The closest points of polytopes that are apart, if the march ends there and they are proved; GJK does not help.
#[must_use]
pub fn proved(a: &Polytope, b: &Polytope, b_in_a: &Frame, cache: &mut LastFeatures) -> Option<Outcome> {
    let mut points = ClosestPoints::default();
    let ended = track(a, b, b_in_a, cache, &mut (), &mut points, &mut 0);
    (ended == LinCannyEnd::Proved).then(|| points.outcome(([[NO_VERTEX; 2]; 4], 0)))
}

/// The unit of the tolerances: half the diagonal of the larger box around a body.
fn size(a: &Polytope, b: &Polytope) -> f64 {
    let half_diagonal = |polytope: &Polytope| {
        let bounds = polytope.aabb();
        0.5 * (bounds.max - bounds.min).length()
    };
    half_diagonal(a).max(half_diagonal(b))
}

/// The answer of the algorithm itself, before a proof or a fallback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RawAnswer {
    /// The polytopes are so far apart.
    Gap(f64),
    /// The march came back to a pair it had had.
    Cycle,
    /// The march was longer than [`MAX_STEPS`].
    StepLimit,
    /// A scan of all features found none that is closer.
    DeadEnd,
}

/// The algorithm as it is, with tolerances of one's own, for those who compare: nothing is proved and nothing repaired.
pub fn raw_counted<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut LastFeatures,
    tolerances: &Tolerances,
    tally: &mut K,
) -> RawAnswer {
    let (mut decisions, mut steps) = (0, 0);
    match march([a, b], b_in_a, cache, tolerances, tally, &mut decisions, &mut steps) {
        Ok((claim, is_swapped)) => RawAnswer::Gap(claim.between(b_in_a, is_swapped).1.length()),
        Err(LinCannyEnd::Cycle) => RawAnswer::Cycle,
        Err(LinCannyEnd::DeadEnd) => RawAnswer::DeadEnd,
        Err(LinCannyEnd::StepLimit | LinCannyEnd::Proved | LinCannyEnd::Refuted) => RawAnswer::StepLimit,
    }
}

/// Marches from the features in the cache, or from those that face each other along the line of centres. The cache keeps
/// where that ends, `points` what is claimed there; `decisions` are those that a tolerance turned round.
pub(super) fn track<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    cache: &mut LastFeatures,
    tally: &mut K,
    points: &mut ClosestPoints,
    decisions: &mut u64,
) -> LinCannyEnd {
    match march([a, b], b_in_a, cache, &Tolerances::PROGRAM, tally, decisions, &mut points.steps) {
        Ok((claim, is_swapped)) => prove(a, b, b_in_a, &claim, is_swapped, tally, points),
        Err(ended) => ended,
    }
}

/// The march to what the algorithm takes for the closest features, and whether X is B there; else how it ended.
fn march<K: Tally>(
    [a, b]: [&Polytope; 2],
    b_in_a: &Frame,
    cache: &mut LastFeatures,
    tolerances: &Tolerances,
    tally: &mut K,
    decisions: &mut u64,
    looked_at: &mut u32,
) -> Result<(Claim, bool), LinCannyEnd> {
    if !(exists(a, cache.features[0]) && exists(b, cache.features[1])) {
        cache.features = clearance::internals::narrow::vclip::first_guess(a, b, b_in_a, tally).features();
    }
    let a_in_b = b_in_a.inverse();
    let size = size(a, b);
    let views = [
        View { x: a, y: b, x_in_y: &a_in_b, y_in_x: b_in_a, size },
        View { x: b, y: a, x_in_y: b_in_a, y_in_x: &a_in_b, size },
    ];
    let mut march = PointMarch { tally, decisions, tolerances };
    let mut at = cache.features;
    let mut cycle = Cycle::new(at);
    for steps in 1..=MAX_STEPS {
        march.tally.step();
        march.tally.pair(at);
        *looked_at = steps;
        // The feature of higher dimension is Y's.
        let is_swapped = dimension(at[0]) > dimension(at[1]);
        let (view, x, y) = if is_swapped { (views[1], at[1], at[0]) } else { (views[0], at[0], at[1]) };
        cache.features = at;
        match march.step(view, x, y) {
            LinCannyStep::Done(claim) => return Ok((claim, is_swapped)),
            LinCannyStep::DeadEnd => return Err(LinCannyEnd::DeadEnd),
            LinCannyStep::Go([x, y]) => at = if is_swapped { [y, x] } else { [x, y] },
        }
        if cycle.closes(at, steps) {
            return Err(LinCannyEnd::Cycle);
        }
    }
    Err(LinCannyEnd::StepLimit)
}

fn dimension(feature: Feature) -> u32 {
    match feature {
        Feature::Vertex(_) | Feature::Surface => 0,
        Feature::Edge(_) => 1,
        Feature::Face(_) => 2,
    }
}

fn exists(polytope: &Polytope, feature: Feature) -> bool {
    match feature {
        Feature::Vertex(v) => (v as usize) < polytope.vertex_count(),
        Feature::Edge(e) => (e as usize) < polytope.edge_count(),
        Feature::Face(f) => (f as usize) < polytope.face_count(),
        Feature::Surface => false,
    }
}

/// Holds a claim against the support planes across its normal.
fn prove<K: Tally>(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Frame,
    claim: &Claim,
    is_swapped: bool,
    tally: &mut K,
    points: &mut ClosestPoints,
) -> LinCannyEnd {
    let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    let rounding = ROUNDING * scale + SMALLEST_LENGTH;
    let (point_a, between) = claim.between(b_in_a, is_swapped);
    let most = between.length();
    let normal = match claim.above {
        Some(normal) if is_swapped => normal,
        Some(normal) => -(b_in_a.rotation * normal),
        None => between / most,
    };
    tally.supports(2);
    let height = Difference::new(a, b, b_in_a).height(-normal) / normal.length();
    let length = normal.dot(between);
    let (slack, steps) = (length - height, points.steps);
    *points =
        ClosestPoints { point_a, normal, length, most, slack, steps, support_calls: 2, ..ClosestPoints::default() };
    // Written so that a NaN is refuted.
    if claim.outside <= rounding && points.close(rounding) {
        return LinCannyEnd::Proved;
    }
    points.length = most.min(f64::MAX);
    LinCannyEnd::Refuted
}

/// Two polytopes, in the roles they have in a pair of features.
#[derive(Clone, Copy)]
struct View<'a> {
    x: &'a Polytope,
    y: &'a Polytope,
    x_in_y: &'a Frame,
    y_in_x: &'a Frame,
    /// The unit of lengths of tolerances.
    size: f64,
}

impl<'a> View<'a> {
    fn swapped(self) -> Self {
        Self { x: self.y, y: self.x, x_in_y: self.y_in_x, y_in_x: self.x_in_y, size: self.size }
    }
}

/// The result of a state; pairs are of X and Y.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LinCannyStep {
    /// They are the closest, says the algorithm.
    Done(Claim),
    /// Other features are closer.
    Go([Feature; 2]),
    /// Other features should be closer, but none is.
    DeadEnd,
}

/// The closest points of two features, each in the frame of its polytope.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Claim {
    x: DVec3,
    y: DVec3,
    /// The unit direction from Y to X in the frame of Y, where it is known better than by the points.
    above: Option<DVec3>,
    /// How far the point of Y is outside of its face.
    outside: f64,
}

impl Claim {
    /// The point of A and the way from there to that of B, in the frame of A; X may be B.
    fn between(&self, b_in_a: &Frame, is_swapped: bool) -> (DVec3, DVec3) {
        let (point_a, b_local) = if is_swapped { (self.y, self.x) } else { (self.x, self.y) };
        (point_a, b_in_a.point(b_local) - point_a)
    }
}

struct PointMarch<'a, K> {
    tolerances: &'a Tolerances,
    tally: &'a mut K,
    /// Decisions that a tolerance turned round.
    decisions: &'a mut u64,
}

impl<K: Tally> PointMarch<'_, K> {
    /// One pair of features.
    fn step(&mut self, view: View<'_>, x: Feature, y: Feature) -> LinCannyStep {
        use Feature::{Edge as E, Face as F, Vertex as V};
        match (x, y) {
            (V(v), V(w)) => self.vertex_vertex(view, v, w),
            (V(v), E(e)) => self.vertex_edge(view, v, e),
            (V(v), F(f)) => self.vertex_face(view, v, f),
            (E(e), E(g)) => self.edge_edge(view, e, g),
            (E(e), F(f)) => self.edge_face(view, e, f),
            (F(f), F(g)) => self.face_face(view, f, g),
            _ => LinCannyStep::DeadEnd,
        }
    }
}
