//! How far does a solid have to move to come free of another? Penetration depth of bodies that need not be convex, between proven bounds.
//!
//! **Definition.** The depth of A and B is the length of the shortest translation x of A after which no inner point of A is in B (Kim, Otaduy,
//! Lin and Manocha, *Fast penetration depth computation*, 2002, equation 1). Touching is free. The translations that are not
//! free are the interior of `B ⊕ (-A)`; for unions of convex pieces it is the union of the interiors of all sums of a piece of B
//! and a mirrored piece of A. A place where A fits into a hole or a cavity of B is free, whether there is a way to it or not; with
//! [`Scope::Outside`] only places count that are reached from far away (`free.rs`, `voids.rs`).
//!
//! **Upper bound.** A translation that the query about the two shapes themselves proves to be free (`free.rs`). It does not rest on any
//! decomposition.
//!
//! **Lower bound.** Pieces that are inside of the bodies (`pieces.rs`) have sums (`sum.rs`); all translations shorter than the bound are in some
//! sum. That is proved by dividing space by facets of sums (`branch.rs`) and, where those are too many, by boxes (`boxes.rs`). What is
//! discarded is discarded by non-negative weights (`bound.rs`).
//!
//! The bracket is valid wherever the search is stopped, and gets narrower the more it is given. It closes, to rounding, where the pieces
//! are all of the bodies. Where they are not (curved shapes, solids that take too many pieces) it stays as open as they are coarse.
//!
//! Where this deviates from the paper: solid pieces instead of surface patches, since those leave the inside of sums uncovered; an exact
//! search instead of depth buffers; and bounds from both sides. The paper's own pipeline is in
//! `clearance-papers`.

mod bound;
mod boxes;
mod branch;
mod free;
mod loosen;
mod overlay;
mod pieces;
mod search;
mod sum;
#[cfg(test)]
mod tests;
mod voids;

use crate::math::rounding::ROUNDING;
use crate::math::{Frame, Pose};
use crate::pair::{Clearance, Pair, Status, distance, intersects};
use crate::shape::{Feature, Shape};
use crate::trace::{CoverStep, Trace};

/// Parts that the paper's own pipeline shares, in `clearance-papers`.
#[doc(hidden)]
pub mod internals {
    pub use super::first_upper;
    pub use super::free::Placed;
    pub use super::overlay::Overlay;
    pub use super::pieces::{BodyPiece, PieceEdge, PiecePlacement, flat_faces, placed};
    pub use super::sum::{Facets, facets_of_hull};
    use crate::shape::{Mesh, Polytope};

    /// The convex pieces that are proved to be inside of a mesh.
    #[must_use]
    pub fn inner_pieces(mesh: &Mesh) -> Vec<Polytope> {
        super::pieces::mesh_pieces(mesh).inner.iter().map(|piece| (**piece).clone()).collect()
    }
}

use branch::Branching;
use free::Placed;
use glam::DVec3;
pub(crate) use pieces::visit_pieces;
use pieces::{PiecePlacement, Pieces, may_have_pieces, pieces_of};
use search::DepthSearch;
use sum::Sums;

/// Which places count as free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// All of them, cavities too.
    #[default]
    Any,
    /// Only those that are reached from far away. A cavity is told by a box that nothing leads into (`lower`), a place that counts by a
    /// straight way out of it (`upper`); what is neither leaves the bracket open.
    Outside,
}

/// How much a depth may cost, and how narrow its bracket has to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthBudget {
    /// A bracket that is no wider than this is narrow enough. With zero it is made as narrow as rounding allows, which is about
    /// 1e-11 of the size.
    pub width: f64,
    /// The most nodes of the search to look at.
    pub nodes: usize,
    /// The longest time to search for, in seconds. A search that time has stopped is a valid one, but not the same on every run; with
    /// infinity, the default, the clock is not looked at.
    pub seconds: f64,
    /// Which places count as free.
    pub scope: Scope,
}

impl Default for DepthBudget {
    fn default() -> Self {
        Self { width: 0.0, nodes: 20_000, seconds: f64::INFINITY, scope: Scope::Any }
    }
}

/// How deep two bodies overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Depth {
    /// No shorter translation frees A: proved.
    pub lower: f64,
    /// The length of `translation`, rounded up. Infinite if no translation is known to free A, which only unbounded shapes and those
    /// of the caller's own have.
    pub upper: f64,
    /// A translation of A, in the axes of the world, that is proved to free it; zero if there is none or if none is needed.
    pub translation: DVec3,
    /// The features of A and B that are closest when A is moved by `translation`, as [`Clearance::features`] has them.
    pub features: [Feature; 2],
    /// The parts of compounds that have these features.
    pub parts: [u32; 2],
    /// What it took.
    pub cost: DepthCost,
}

/// What a depth took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DepthCost {
    /// Convex pieces of A and B.
    pub pieces: [usize; 2],
    /// Pairs of pieces whose sums reach closer to the origin than the first upper bound.
    pub pairs: usize,
    /// Sums of which the facets were built.
    pub sums: usize,
    /// Those of them that took an exact hull.
    pub hulls: usize,
    /// Nodes that were looked at.
    pub nodes: usize,
    /// How often the shapes themselves were asked about.
    pub queries: usize,
}

impl Depth {
    /// How wide the bracket is.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }
}

/// The penetration depth of two bodies: the shortest translation of A that frees it, between bounds. See the [module](self).
///
/// Meshes are solids; a shell, like everything flat, has no inside that anything could be deep in, and counts for the upper bound only: the
/// translation frees its surface too. Bodies that are apart have a depth of zero.
///
/// The convex pieces of a mesh are made by the first call and kept by the mesh.
///
/// ```
/// use clearance::depth::{DepthBudget, depth};
/// use clearance::{Pose, Shape, intersects};
///
/// // A peg between the two arms of a U, which are one apart: up is the shorter way.
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
pub fn depth(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget) -> Depth {
    traced(a, pose_a, b, pose_b, budget, None, &mut ())
}

/// [`depth()`], with a translation of A that may free it, in the axes of the world: that of the last frame, for bodies that move a little at a time. If it
/// does, nothing longer is looked at; if not, nothing is lost but the question.
#[must_use]
pub fn depth_from(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, budget: DepthBudget, start: DVec3) -> Depth {
    traced(a, pose_a, b, pose_b, budget, Some(start), &mut ())
}

impl Pair {
    /// See [`depth()`]. The translation that freed A at the last call is tried first, as with [`depth_from`].
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
/// [`distance`] itself answers within microseconds, and about overlaps of meshes and compounds it says no more than an open bracket. This closes
/// it as far as the budget goes: `normal` is then the direction along which B moves away from A by the shortest translation that is
/// known to free them, `-lower` its length, and the two points are those that touch afterwards. An overlap of convex shapes is what it is
/// by [`distance`].
///
/// ```
/// use clearance::depth::{DepthBudget, signed_distance};
/// use clearance::{Pose, Shape, Status, distance};
///
/// // Two beams that cross, and a block on them: the deepest pair of parts is not how deep all of it is.
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
    let is_closed = found.width() <= budget.width.max(1e-10 * size);
    let status = if is_closed { Status::Converged } else { Status::Open };
    now.with_depth([found.lower, found.upper], found.translation, &freed, found.features, status)
}

/// [`depth()`] from a translation that may free A, with a trace of why the lower bound holds. Shapes that are apart, convex or unbounded are not searched
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

/// A straight way for A from a place that is free to where the boxes of both are apart, if one is found.
pub(crate) fn way_out(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, by: DVec3) -> Option<DVec3> {
    Placed::new(a, pose_a, b, pose_b, Scope::Outside).way_out(by)
}

/// The depth that a signed distance has.
fn of_clearance(a: &Shape, b: &Shape, c: &Clearance) -> Depth {
    let (lower, upper) = ((-c.upper).max(0.0), (-c.lower).max(0.0));
    let translation = if upper.is_finite() { -upper * c.normal } else { DVec3::ZERO };
    Depth { lower, upper, translation, features: c.features(a, b), parts: c.parts, cost: DepthCost::default() }
}

/// The depth of two shapes that overlap and are convex or unbounded, by the engines for those.
fn of_pair(placed: &Placed<'_>) -> Depth {
    let Placed { a, b, pose_a, pose_b, unit, .. } = *placed;
    let found = of_clearance(a, b, &distance(a, pose_a, b, pose_b));
    let (free, length) =
        placed.freed(pose_a.inverse_transform_vector(found.translation) * unit).unwrap_or((DVec3::ZERO, f64::INFINITY));
    Depth { translation: placed.to_world(free), upper: length / unit, ..found }
}

/// The depth of two shapes that overlap, of which one is not convex.
fn of_solids(placed: &Placed<'_>, budget: DepthBudget, start: Option<DVec3>, trace: &mut dyn Trace) -> Depth {
    let Placed { a, b, pose_a, pose_b, unit, size, .. } = *placed;
    let in_a = PiecePlacement { frame: Frame::IDENTITY, unit };
    let in_b = PiecePlacement { frame: Frame::relative(&pose_a, &pose_b), unit };
    // Where one has no pieces, the other is not cut for nothing.
    let have_pieces = may_have_pieces(a) && may_have_pieces(b);
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
    let mut cost = DepthCost { pieces: [of_a.list.len(), of_b.list.len()], ..DepthCost::default() };
    if !of_a.list.is_empty() && !of_b.list.is_empty() && first.1 < f64::INFINITY {
        // What closes a cavity may be far off.
        let reach = if budget.scope == Scope::Outside { f64::INFINITY } else { first.1 };
        let sums = Sums::new(&of_a.list, &of_b.list, rounding, reach);
        cost.pairs = sums.pairs.len();
        let mut search =
            DepthSearch::new(sums, &mut oracle, first, budget.width * unit, budget.nodes, budget.seconds, trace);
        search.is_outside_only = budget.scope == Scope::Outside;
        lower = lower.max(search.lower_bound());
        let enough = search.enough();
        search.trace.cover(CoverStep::Done { unit, enough });
        found = (search.witness, search.upper);
        (cost.nodes, cost.sums, cost.hulls) = (search.nodes, search.sums.built, search.sums.by_hull);
        // Places that pieces leave open and the bodies do not: on from there, straight away from the origin.
        let stuck = std::mem::take(&mut search.stuck);
        for along in
            stuck.iter().filter_map(|x| x.try_normalize()).take(usize::from(found.1 > lower + search.width) * 8)
        {
            if let Some(better) = placed.first_free(along, lower, found.1) {
                found = better;
            }
        }
    }
    cost.queries = queries;
    let (witness, upper) = found;
    if lower == 0.0 {
        // Two triangles that cross prove something, too.
        lower = -distance(a, pose_a, b, pose_b).upper * unit;
    }
    let lower = lower.max(0.0).min(upper) / unit;
    if upper == f64::INFINITY {
        let now = of_clearance(a, b, &distance(a, pose_a, b, pose_b));
        return Depth { lower, upper, translation: DVec3::ZERO, cost, ..now };
    }
    let translation = placed.to_world(witness);
    let then = distance(a, pose_a, b, pose_b.moved_by(-translation));
    let upper = translation.length() * (1.0 + 4.0 * f64::EPSILON);
    Depth { lower: lower.min(upper), upper, translation, features: then.features(a, b), parts: then.parts, cost }
}

/// A translation that is known to be free before anything is searched: out of the hulls.
pub fn first_upper(placed: &Placed<'_>) -> (DVec3, f64) {
    let Placed { a, b, pose_a, pose_b, unit, .. } = *placed;
    let local = |world: DVec3| pose_a.inverse_transform_vector(world) * unit;
    if let (Some(a), Some(b)) = (a.convex_hull(), b.convex_hull()) {
        let hulls = distance(&a, pose_a, &b, pose_b);
        if let Some(freed) = placed.freed(local(hulls.normal * hulls.lower)) {
            return freed;
        }
    }
    // Along any direction the hulls are as deep as their heights add up to.
    let along = |way: DVec3| {
        let height = |shape: &Shape, pose: &Pose, way: DVec3| {
            let local = pose.inverse_transform_vector(way);
            shape.with_hull(|hull| hull.height(local) + hull.radius() * local.length())
        };
        let depth = height(a, &pose_a, -way)? + height(b, &pose_b, way)? + way.dot(pose_b.translation());
        depth.is_finite().then_some((way, depth))
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let own = |pose: Pose| axes.into_iter().flat_map(move |axis| [axis, -axis].map(|axis| pose.transform_vector(axis)));
    let mut ways: Vec<(DVec3, f64)> = own(pose_a).chain(own(pose_b)).filter_map(along).collect();
    ways.sort_by(|p, q| p.1.total_cmp(&q.1));
    let mut freed = ways.iter().filter_map(|&(way, depth)| placed.freed(local(way * depth)));
    freed.next().unwrap_or((DVec3::ZERO, f64::INFINITY))
}

impl DepthSearch<'_, '_> {
    /// The least that all translations in no sum are long, as far as the budget goes.
    fn lower_bound(&mut self) -> f64 {
        // So many nodes by facets alone, before boxes: more where they are cheap. Bars of grates need some hundred.
        let by_facets = (40_000.0 / self.sums.expected_facets()).clamp(150.0, 1000.0) as usize;
        let mut branching = Branching::default();
        let found = branching.run(self, None, None, by_facets);
        if found.is_finished {
            return found.bound;
        }
        found.bound.max(boxes::bound(self, &mut branching))
    }
}
