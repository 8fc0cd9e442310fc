//! Penetration depth of solids that need not be convex, between certified bounds.
//!
//! **Definition.** The depth of A and B is the length of the shortest translation x of A after which no inner point of A is in B (Kim, Otaduy, Lin and
//! Manocha, *Fast penetration depth computation*, 2002, equation 1). Touching is free. The translations that are not free are the interior of the
//! Minkowski sum `B ⊕ (-A)`. For unions of convex pieces this is the union of the interiors of the sums of a piece of B and a mirrored piece of A. A
//! hole or a cavity of B into which A fits counts as free, with or without a path to it. With [`Scope::Outside`] a path from infinity is required
//! (`free.rs`, `voids.rs`).
//!
//! **Upper bound.** A translation that a distance query about the two shapes proves to be free (`free.rs`). It uses no decomposition.
//!
//! **Lower bound.** Convex pieces inside the bodies (`pieces.rs`) have Minkowski sums (`sum.rs`, `overlay.rs`). A branch and bound proves that every
//! translation shorter than the bound is in the interior of a sum. It divides space by facets of sums (`branch.rs`) and, where these are too many,
//! by boxes (`boxes.rs`). A region is pruned by weak duality: non-negative weights prove its distance from the origin (`bound.rs`).
//!
//! **Rough meshes.** A solid that few exact pieces do not fill has another lower bound, which needs no pieces at all (`witness`). The first call decides:
//! a mesh of more than a few thousand faces in many planes is never decomposed.
//!
//! **Invariants.**
//! * (D1) At any time `lower <= depth <= upper`, so the bracket is valid wherever the search stops.
//! * (D2) The search computes in the frame of A, in a unit in which both bodies and their offset add up to less than one.
//!
//! The bracket closes, up to rounding, where the pieces fill the bodies, and to about 1e-6 of the depth on rough meshes. Curved shapes leave it as wide as
//! their pieces are coarse.
//!
//! **Cost.** A node costs one visit of the planes of its half-spaces per candidate facet. `DepthBudget::nodes` limits the number of nodes.
//!
//! **Deviations from the paper.** Solid pieces replace surface patches, whose sums leave the interior uncovered. An exact search replaces depth
//! buffers, and bounds hold from both sides. The paper's own pipeline is in `clearance-papers`.

mod bound;
mod boxes;
mod branch;
mod free;
mod overlay;
mod pieces;
mod push_off;
mod search;
mod sum;
#[cfg(test)]
mod tests;
mod voids;
mod witness;

use crate::math::rounding::ROUNDING;
use crate::math::{Frame, Pose};
use crate::narrow::goals;
use crate::pair::{Clearance, Pair, Status, distance, intersects};
use crate::shape::{Feature, Shape};
use crate::trace::{CoverStep, Trace};
use crate::tuning::depth as tuning;

/// Items that the paper's own pipeline shares, in `clearance-papers`.
#[doc(hidden)]
pub mod internals {
    pub use super::first_upper;
    pub use super::free::Placed;
    pub use super::overlay::Overlay;
    pub use super::pieces::{BodyPiece, PieceEdge, PiecePlacement, flat_faces, placed};
    pub use super::sum::{Facets, facets_of_hull};
    use super::{Depth, DepthBudget};
    use crate::math::Pose;
    use crate::shape::{Mesh, Polytope, Shape};
    use crate::trace::Trace;
    use std::ops::ControlFlow;

    /// [`depth`](super::depth()) with an observer of its bracket, called at each node. A break ends the search as a time limit does: for limits of
    /// another clock, and for the times after which a bracket was as narrow as wanted.
    #[must_use]
    pub fn watched(
        a: &Shape,
        pose_a: Pose,
        b: &Shape,
        pose_b: Pose,
        budget: DepthBudget,
        watch: impl FnMut(f64, f64) -> ControlFlow<()>,
    ) -> Depth {
        struct Watch<F> {
            unit: f64,
            watch: F,
        }
        impl<F: FnMut(f64, f64) -> ControlFlow<()>> Trace for Watch<F> {
            fn is_on(&self) -> bool {
                false
            }

            fn bracket(&mut self, lower: f64, upper: f64) -> ControlFlow<()> {
                (self.watch)(lower / self.unit, upper / self.unit)
            }
        }
        let unit = Placed::new(a, pose_a, b, pose_b, budget.scope).unit;
        super::traced(a, pose_a, b, pose_b, budget, None, &mut Watch { unit, watch })
    }

    /// The convex pieces that are proved to be inside a mesh.
    #[must_use]
    pub fn inner_pieces(mesh: &Mesh) -> Vec<Polytope> {
        super::pieces::mesh_pieces(mesh).inner.iter().map(|piece| (**piece).clone()).collect()
    }
}

use branch::Branching;
use free::Placed;
use glam::DVec3;
#[cfg(feature = "proof")]
pub(crate) use pieces::visit_pieces;
use pieces::{PiecePlacement, Pieces, are_filled, may_have_pieces, pieces_of};
use search::DepthSearch;
use sum::Sums;

/// Which places count as free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// All free places, cavities included.
    #[default]
    Any,
    /// Only places that A can reach from far away. A box with a covered surface proves a cavity (`lower`); a straight escape proves that a place is
    /// reached (`upper`). A place with neither proof leaves the bracket open.
    Outside,
}

/// Limits of a depth search, and the width at which it stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthBudget {
    /// The search stops at a bracket of this width. With zero it makes the bracket as narrow as rounding allows, about 1e-11 of the size.
    pub width: f64,
    /// Limit of the nodes that the search visits.
    pub nodes: usize,
    /// Time limit in seconds. A bracket after a timeout is valid, but differs from run to run. With infinity, the default, the search never reads
    /// the clock.
    pub seconds: f64,
    /// Which places count as free.
    pub scope: Scope,
}

impl Default for DepthBudget {
    fn default() -> Self {
        Self { width: 0.0, nodes: 20_000, seconds: f64::INFINITY, scope: Scope::Any }
    }
}

/// Penetration depth of two bodies, between certified bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Depth {
    /// Lower bound: no shorter translation frees A.
    pub lower: f64,
    /// Upper bound: the length of `translation`, rounded up. Infinite if no translation is known to free A, which happens only with unbounded and
    /// custom shapes.
    pub upper: f64,
    /// A translation of A, in world axes, that is proved to free it; zero if none is known or none is needed.
    pub translation: DVec3,
    /// See [`Depth::features`].
    pub(crate) features: [Feature; 2],
    /// The parts of compounds that have these features.
    pub parts: [u32; 2],
    /// Why the search stopped.
    pub end: DepthEnd,
    /// Work of the search.
    pub cost: DepthCost,
}

/// Why a depth search stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DepthEnd {
    /// The bracket is as narrow as the budget asks for, or as rounding allows.
    #[default]
    Width,
    /// The limit of nodes is reached.
    Nodes,
    /// The time limit is reached.
    Seconds,
    /// Nothing more could be proved: the pieces do not fill the bodies, or no certificate was found where the bound is least.
    Stuck,
    /// A body has no interior that the search knows: it is a shell, flat, or a custom shape.
    NoInterior,
    /// Nothing more could be proved, and the surface of a body crosses itself: sheets inside of it, or sheets that bound nothing, keep both bounds apart.
    CrossesItself,
}

impl DepthEnd {
    /// Its name in files: "width", "nodes", "seconds", "stuck", "no_interior" or "crosses_itself".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Width => "width",
            Self::Nodes => "nodes",
            Self::Seconds => "seconds",
            Self::Stuck => "stuck",
            Self::NoInterior => "no_interior",
            Self::CrossesItself => "crosses_itself",
        }
    }
}

/// Work of a depth search, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DepthCost {
    /// Convex pieces of A and B.
    pub pieces: [usize; 2],
    /// Pairs of pieces whose sums have points nearer to the origin than the first upper bound.
    pub pairs: usize,
    /// Sums whose facets were built.
    pub sums: usize,
    /// Sums whose facets came from an exact hull.
    pub hulls: usize,
    /// Visited nodes.
    pub nodes: usize,
    /// Distance queries about the shapes themselves.
    pub queries: usize,
}

impl Depth {
    /// The features of A and B that are closest when A is moved by `translation`, as [`Clearance::features`] has them.
    #[must_use]
    pub fn features(&self) -> [Feature; 2] {
        self.features
    }

    /// The width of the bracket.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }
}

/// The penetration depth of two bodies: the shortest translation of A that frees it, between bounds. See the [module](self).
///
/// Meshes are solids. A shell or a flat shape has no interior, so it affects the upper bound only: the translation frees its surface too. Bodies that are
/// apart have a depth of zero.
///
/// The convex pieces of a mesh, or its distance grid, are made by the first call and kept by the mesh.
///
/// ```
/// use clearance::depth::{DepthBudget, depth};
/// use clearance::{Pose, Shape, intersects};
///
/// // A peg between the two arms of a U, which are one apart: the shortest escape is upwards.
/// let bar = |half: [f64; 3]| Shape::cuboid(half);
/// let u = Shape::compound([
///     (bar([1.5, 0.5, 0.5])?, Pose::IDENTITY),
///     (bar([0.5, 1.5, 0.5])?, Pose::from_translation([-1.0, 1.0, 0.0])),
///     (bar([0.5, 1.5, 0.5])?, Pose::from_translation([1.0, 1.0, 0.0])),
/// ])?;
/// let peg = bar([0.375, 1.0, 0.5])?;
/// let at = Pose::from_translation([0.0, 1.25, 0.0]);
/// let found = depth(&peg, at, &u, Pose::IDENTITY, DepthBudget::default());
/// assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.width() < 1e-9);
/// assert!((found.translation - 0.25 * clearance::math::DVec3::Y).length() < 1e-9);
/// let freed = Pose::from_translation(at.translation() + found.translation);
/// assert!(!intersects(&peg, freed, &u, Pose::IDENTITY));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
#[doc(alias = "penetration_depth")]
#[doc(alias = "epa")]
pub fn depth(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget) -> Depth {
    traced(a, pose_a, b, pose_b, budget, None, &mut ())
}

/// [`depth()`] with a warm start: a translation of A, in world axes, that may free it, such as that of the last frame. If it does, the search skips all
/// longer translations. If not, it costs one distance query.
#[must_use]
pub fn depth_from(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget, start: DVec3) -> Depth {
    traced(a, pose_a, b, pose_b, budget, Some(start), &mut ())
}

impl Pair {
    /// See [`depth()`]. The translation that freed A at the last call is the warm start, as in [`depth_from`].
    ///
    /// ```
    /// use clearance::{DepthBudget, Pair, Pose, Shape};
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// let mut pair = Pair::new(&cube, &cube);
    /// for step in 1..10 {
    ///     let x = 2.0 - 0.05 * f64::from(step);
    ///     let found = pair.depth(Pose::IDENTITY, Pose::from_translation([x, 0.0, 0.0]), DepthBudget::default());
    ///     assert!(found.lower <= 2.0 - x + 1e-12 && 2.0 - x <= found.upper + 1e-12);
    /// }
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn depth(&mut self, pose_a: Pose, pose_b: Pose, budget: DepthBudget) -> Depth {
        let start = self.escape;
        let ([a, b], _) = self.parts();
        let found = traced(a, pose_a, b, pose_b, budget, start, &mut ());
        self.escape = found.upper.is_finite().then_some(found.translation);
        found
    }
}

/// The signed distance of bodies that need not be convex: [`distance`] where they are apart, and minus their [`depth()`] where they overlap.
///
/// [`distance`] takes microseconds, but returns an open bracket for overlapping meshes and compounds. This function narrows it as far as the budget
/// allows. `normal` is then the direction in which B moves away from A by the shortest translation known to free them, and `-lower` is its length. The
/// two points touch after that translation. For convex shapes the result is that of [`distance`].
///
/// ```
/// use clearance::depth::{DepthBudget, signed_distance};
/// use clearance::{Pose, Shape, Status, distance};
///
/// // Two crossing beams and a block on them: the deepest pair of parts only bounds the depth of the whole.
/// let beam = |half: [f64; 3]| Shape::cuboid(half);
/// let cross = Shape::compound([(beam([3.0, 1.0, 1.0])?, Pose::IDENTITY), (beam([1.0, 3.0, 1.0])?, Pose::IDENTITY)])?;
/// let (block, at) = (beam([1.0; 3])?, Pose::from_translation([1.5, 1.5, 0.0]));
/// let open = distance(&cross, Pose::IDENTITY, &block, at);
/// assert!(open.status == Status::Open && (open.upper + 0.5).abs() < 1e-9);
/// let closed = signed_distance(&cross, Pose::IDENTITY, &block, at, DepthBudget::default());
/// assert!(closed.status == Status::Converged && (closed.distance + 0.5_f64.sqrt()).abs() < 1e-9);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[must_use]
pub fn signed_distance(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget) -> Clearance {
    let now = distance(a, pose_a, b, pose_b);
    if now.is_apart() || a.convex().is_some() && b.convex().is_some() {
        return now;
    }
    let found = depth(a, pose_a, b, pose_b, budget);
    if !found.upper.is_finite() {
        return now;
    }
    let freed = distance(a, pose_a, b, pose_b.moved_by(-found.translation));
    let size = a.bounding_radius() + b.bounding_radius();
    let has_converged = found.width() <= budget.width.max(goals::SOLID_DEPTH * size);
    let status = if has_converged { Status::Converged } else { Status::Open };
    now.with_depth([found.lower, found.upper], found.translation, &freed, found.features, status)
}

/// [`depth()`] with an optional warm start and a trace of the steps that prove the lower bound. Shapes that are apart, convex or unbounded need no search
/// and leave no trace.
pub(crate) fn traced(
    a: &Shape,
    pose_a: Pose,
    b: &Shape,
    pose_b: Pose,
    budget: DepthBudget,
    start: Option<DVec3>,
    trace: &mut dyn Trace,
) -> Depth {
    if !intersects(a, pose_a, b, pose_b) {
        return of_clearance(a, b, &distance(a, pose_a, b, pose_b));
    }
    let placed = Placed::new(a, pose_a, b, pose_b, budget.scope);
    let radii = [a, b].map(Shape::bounding_radius);
    let are_convex = a.convex().is_some() && b.convex().is_some();
    if are_convex || radii.contains(&f64::INFINITY) {
        of_pair(&placed)
    } else {
        of_solids(&placed, budget, start, trace)
    }
}

/// The displacement of A along a straight line from a free place to where the bounding boxes are apart, if one is found.
#[cfg(feature = "proof")]
pub(crate) fn straight_escape(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, by: DVec3) -> Option<DVec3> {
    Placed::new(a, pose_a, b, pose_b, Scope::Outside).straight_escape(by)
}

/// The depth that a signed distance implies.
fn of_clearance(a: &Shape, b: &Shape, c: &Clearance) -> Depth {
    let (lower, upper) = ((-c.upper).max(0.0), (-c.lower).max(0.0));
    let translation = if upper.is_finite() { -upper * c.normal } else { DVec3::ZERO };
    Depth {
        lower,
        upper,
        translation,
        features: c.features(a, b),
        parts: c.parts,
        end: DepthEnd::Width,
        cost: DepthCost::default(),
    }
}

/// The depth of two overlapping shapes that are convex or unbounded, by the engines of convex pairs.
fn of_pair(placed: &Placed<'_>) -> Depth {
    let Placed { a, b, pose_a, pose_b, unit, .. } = *placed;
    let found = of_clearance(a, b, &distance(a, pose_a, b, pose_b));
    let (free, length) =
        placed.freed(pose_a.inverse_transform_vector(found.translation) * unit).unwrap_or((DVec3::ZERO, f64::INFINITY));
    Depth { translation: placed.to_world(free), upper: length / unit, ..found }
}

/// The depth of two overlapping shapes of which at least one is not convex.
fn of_solids(placed: &Placed<'_>, budget: DepthBudget, start: Option<DVec3>, trace: &mut dyn Trace) -> Depth {
    let Placed { a, b, pose_a, pose_b, unit, size, .. } = *placed;
    let in_a = PiecePlacement { frame: Frame::IDENTITY, unit };
    let in_b = PiecePlacement { frame: Frame::relative(&pose_a, &pose_b), unit };
    // If one body has no pieces, decomposing the other one is useless.
    let are_solid = may_have_pieces(a) && may_have_pieces(b);
    let have_pieces = are_solid && are_filled([a, b]);
    let pieces =
        |shape: &Shape, at: &PiecePlacement| if have_pieces { pieces_of(shape, at) } else { Pieces::default() };
    let (of_a, of_b) = (pieces(a, &in_a), pieces(b, &in_b));
    let mut queries = 0;
    let mut oracle = |x: DVec3| {
        queries += 1;
        placed.is_free(x).then(|| (x, placed.length(x)))
    };
    let mut first = first_upper(placed);
    if let Some(start) = start.filter(|start| start.is_finite())
        && let Some(freed) = placed.freed(pose_a.inverse_transform_vector(start) * unit)
        && freed.1 < first.1
    {
        first = freed;
    }
    let slack = |pieces: &Pieces| pieces.list.iter().map(|piece| piece.slack).fold(0.0, f64::max);
    let rounding = 2.0 * ROUNDING * size + slack(&of_a) + slack(&of_b);
    let mut lower = 0.0_f64;
    let mut found = first;
    let mut end = if are_solid { DepthEnd::Stuck } else { DepthEnd::NoInterior };
    let mut cost = DepthCost { pieces: [of_a.list.len(), of_b.list.len()], ..DepthCost::default() };
    if !of_a.list.is_empty() && !of_b.list.is_empty() && first.1 < f64::INFINITY {
        // Sums that enclose a cavity may be farther from the origin than the upper bound.
        let radius = if budget.scope == Scope::Outside { f64::INFINITY } else { first.1 };
        let sums = Sums::new(&of_a.list, &of_b.list, rounding, radius);
        cost.pairs = sums.pairs.len();
        let mut search =
            DepthSearch::new(sums, &mut oracle, first, budget.width * unit, budget.nodes, budget.seconds, trace);
        search.is_outside_only = budget.scope == Scope::Outside;
        lower = lower.max(search.lower_bound());
        let cutoff = search.cutoff();
        search.trace.cover(CoverStep::Done { unit, cutoff });
        found = (search.witness, search.upper);
        (cost.nodes, cost.sums, cost.hulls) = (search.nodes, search.sums.built, search.sums.by_hull);
        end = search.end(lower);
        // A stuck place is in no sum, but the bodies overlap there. A free place may be farther along its direction.
        let stuck = std::mem::take(&mut search.stuck);
        if found.1 > lower + search.width {
            for along in stuck.iter().filter_map(|x| x.try_normalize()) {
                if let Some(better) = placed.first_free(along, lower, found.1) {
                    found = better;
                }
            }
        }
    }
    if are_solid && !have_pieces {
        let limits = witness::CoverLimits {
            width: budget.width * unit,
            nodes: budget.nodes,
            deadline: search::deadline(budget.seconds),
        };
        if let Some(covered) = witness::cover(placed, first, limits, trace) {
            (lower, found, end) = (covered.lower, covered.best, covered.end);
            if end == DepthEnd::Stuck && pieces::cross_themselves([a, b]) {
                end = DepthEnd::CrossesItself;
            }
            cost.nodes = covered.nodes;
            trace.cover(CoverStep::Done { unit, cutoff: covered.lower });
        }
    }
    debug_assert!(found.1 <= first.1, "the upper bound never grows (S2)");
    cost.queries = queries;
    let (witness, upper) = found;
    if lower == 0.0 {
        // Two crossing triangles prove a positive lower bound, too.
        lower = -distance(a, pose_a, b, pose_b).upper * unit;
    }
    let lower = lower.max(0.0).min(upper) / unit;
    if upper == f64::INFINITY {
        let now = of_clearance(a, b, &distance(a, pose_a, b, pose_b));
        return Depth { lower, upper, translation: DVec3::ZERO, end: DepthEnd::NoInterior, cost, ..now };
    }
    let translation = placed.to_world(witness);
    let then = distance(a, pose_a, b, pose_b.moved_by(-translation));
    // Bound: a length is off by less than 2 ε of itself.
    let upper = translation.length() * (1.0 + 4.0 * f64::EPSILON);
    let (features, parts) = (then.features(a, b), then.parts);
    Depth { lower: lower.min(upper), upper, translation, features, parts, end, cost }
}

/// A first free translation: one that separates the convex hulls.
#[doc(hidden)]
pub fn first_upper(placed: &Placed<'_>) -> (DVec3, f64) {
    let Placed { a, b, pose_a, pose_b, unit, .. } = *placed;
    let local = |world: DVec3| pose_a.inverse_transform_vector(world) * unit;
    if let (Some(a), Some(b)) = (a.convex_hull(), b.convex_hull()) {
        let hulls = distance(&a, pose_a, &b, pose_b);
        if let Some(freed) = placed.freed(local(hulls.normal * hulls.lower)) {
            return freed;
        }
    }
    // The depth of the hulls along a direction is the sum of their support heights.
    let depth_along = |direction: DVec3| {
        let height = |shape: &Shape, pose: &Pose, direction: DVec3| {
            let local = pose.inverse_transform_vector(direction);
            shape.with_hull(|hull| hull.height(local) + hull.radius() * local.length())
        };
        let offset = direction.dot(pose_b.translation());
        let depth = height(a, &pose_a, -direction)? + height(b, &pose_b, direction)? + offset;
        depth.is_finite().then_some((direction, depth))
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let own = |pose: Pose| axes.into_iter().flat_map(move |axis| [axis, -axis].map(|axis| pose.transform_vector(axis)));
    let mut depths: Vec<(DVec3, f64)> = own(pose_a).chain(own(pose_b)).filter_map(depth_along).collect();
    depths.sort_by(|p, q| p.1.total_cmp(&q.1));
    let mut freed = depths.iter().filter_map(|&(direction, depth)| placed.freed(local(direction * depth)));
    freed.next().unwrap_or((DVec3::ZERO, f64::INFINITY))
}

impl DepthSearch<'_, '_> {
    /// A lower bound on the length of all translations in no sum, within the budget.
    fn lower_bound(&mut self) -> f64 {
        let [least, most] = tuning::FACET_NODES;
        let by_facets = (tuning::FACET_TESTS / self.sums.expected_facets()).clamp(least, most) as usize;
        let mut branching = Branching::default();
        let found = branching.run(self, None, None, by_facets);
        if found.is_finished {
            return found.bound;
        }
        found.bound.max(boxes::bound(self, &mut branching))
    }
}
