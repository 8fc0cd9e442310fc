//! The steps of a search, reported while it runs, so that evidence can be made of them instead of searching again.
//!
//! Searches are generic over a [`Trace`], and `()` ignores every step at no cost. Evidence has four traces (`crate::proof`), one for each of the
//! four kinds of search below, and each implements the methods of its own kind. Invariants:
//!
//! 1. A trace changes no answer: searches take the same steps with and without one. Only [`bracket`](Trace::bracket) may end a search early, as a time limit does.
//! 2. Together the steps cover everything that was to be shown. No pair of parts, no moment and no translation is left out.
//! 3. Steps prove nothing by themselves. Directions and bounds are rounded, and whoever writes evidence may replace a direction by a better one.

use crate::math::Aabb;
use arrayvec::ArrayVec;
use glam::DVec3;
use std::ops::ControlFlow;

/// An observer of a search.
///
/// **Pairs of parts** ([`restart`](Self::restart), [`split`](Self::split), [`prune`](Self::prune), [`ask`](Self::ask)): a binary tree in preorder. Its root is
/// all pairs of bounded parts, an inner node is split, a leaf is pruned by a direction or asked about.
///
/// **Moving parts** ([`root`](Self::root), [`divide`](Self::divide), [`select`](Self::select), [`link`](Self::link)): numbered sets of pairs, each with a
/// chain of time intervals in which all its pairs are apart, and then divided.
///
/// **Translations** ([`cover`](Self::cover)): steps of the search for a penetration depth.
///
/// **Progress** ([`bracket`](Self::bracket)): the bounds of that search so far.
///
/// **Directions** ([`cell`](Self::cell)): a binary tree of cells of directions in preorder.
pub(crate) trait Trace {
    /// Is anything done with the steps? If not, searches need not prepare them.
    fn is_on(&self) -> bool {
        true
    }

    /// All steps so far are void. The search begins anew, with B translated by a vector of the world.
    fn restart(&mut self, _translation: DVec3) {}

    /// The parts of A (0) or B (1) are split at a place of their order. Those before the place come first, or those after it.
    fn split(&mut self, _side: usize, _at: u32, _is_right_first: bool) {}

    /// All pairs of two sets are apart along a direction of the world, by as much as matters.
    fn prune(&mut self, _direction: DVec3) {}

    /// Two parts were passed to an engine, which answered with this normal.
    fn ask(&mut self, _parts: [u32; 2], _normal: DVec3) {}

    /// Adds a set of all pairs of parts, from a time on. Returns its number.
    fn root(&mut self, _time: f64) -> u32 {
        0
    }

    /// Divides a set of pairs: the parts of A (0) or B (1) into children with these numbers of parts. Returns the number of the first child; the
    /// others follow it.
    fn divide(&mut self, _set: u32, _side: usize, _counts: Vec<u32>) -> u32 {
        0
    }

    /// The next links are about the set of that number.
    fn select(&mut self, _set: u32) {}

    /// All pairs of the selected set are apart in an interval of time, along a direction that starts as `along` and turns with the angular velocity `turn`.
    /// With a `ring`, that body (0 for A) turns about an axis that it does not meet and stays outside of a cylinder about the axis, and the
    /// other one inside.
    fn link(&mut self, _interval: [f64; 2], _along: DVec3, _turn: DVec3, _ring: Option<usize>) {}

    /// A step of the search for a penetration depth.
    fn cover(&mut self, _step: CoverStep) {}

    /// The search for a penetration depth has proved these bounds, in the unit of [`CoverStep::Done`]. They hold, but need not be better than those before. A break
    /// ends the search.
    fn bracket(&mut self, _lower: f64, _upper: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A node of the search for the direction of least height.
    #[inline(always)]
    fn cell(&mut self, _node: CellNode) {}
}

impl Trace for () {
    #[inline]
    fn is_on(&self) -> bool {
        false
    }
}

/// A step of the proof that all translations shorter than a bound are in sums of pieces.
///
/// Lengths are multiplied by the unit of [`CoverStep::Done`], and axes are those of A. A *sum* is that of a piece of A and a reflected piece of B: the
/// translations after which the two overlap.
///
/// **Trees.** After a [`CoverStep::Root`] come the nodes of one tree, numbered from 0 in the order in which they appear as children, and at last
/// its [`CoverStep::End`]. A node is an intersection of half-spaces. The points of a divided node that are in no sum are beyond a facet of
/// the sum that divides it. Its children are beyond the planes that are listed, in that order, and each is on the inner side of those before
/// its own. Beyond facets that are not listed, and in children without a number, no points are nearer than `cutoff` of [`CoverStep::Done`]. A node
/// that is never divided has points no nearer than the end of its tree says. Weights of the bounds are left out: a checker finds its own.
///
/// **Boxes.** A box that is [cut](CoverStep::Cut) is its two halves. A bound of a box holds for all boxes in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CoverStep {
    /// A tree begins: its node 0 is a box, or all of space.
    Root { within: Option<Aabb> },
    /// A node is divided by the sum of two pieces. A node without children is finished.
    Divided {
        node: u32,
        /// The pieces of A and B; or `u32::MAX` and the number of a void, in the order of those steps.
        pieces: [u32; 2],
        /// The planes of facets of the sum beyond which it goes on, nearest first: `n·x >= b`.
        beyond: Vec<(DVec3, f64)>,
        /// The child beyond each, if it has points nearer than the cutoff.
        children: Vec<Option<u32>>,
    },
    /// A tree ends: no point of its root that is in no sum is nearer than the bound.
    End { bound: f64 },
    /// No point of a box that is outside the sum of two pieces is nearer than a bound: no facet of the sum cuts the box, or only far ones do.
    Boxed { within: Aabb, pieces: [u32; 2], bound: f64 },
    /// The tree of a side of a box begins, in which nothing is left open: lower and upper side across x, y, z are numbered from 0 to 5. Sides
    /// count once all six are followed by their void. A side 0 begins another try.
    Side { number: u32 },
    /// All six sides of a box are in sums, or in voids before it, so that no path leads into it; without a box the tries have failed. Only for
    /// [`Scope::Outside`](crate::depth::Scope::Outside).
    Void { within: Option<Aabb> },
    /// A box is cut in two across an axis.
    Cut { within: Aabb, axis: usize, at: f64 },
    /// A frustum of a cone is covered by a certificate (`depth/witness`). The first eight cells are the octants, in the order of their signs.
    Cone {
        cell: u32,
        /// The lengths of its directions up to which it is covered now.
        lengths: [f64; 3],
        /// The points of B for its inner corners, then for its outer ones.
        points: [DVec3; 6],
        /// The parts of A and B.
        parts: [usize; 2],
    },
    /// A cone is split at a combination of its directions. The children are numbered from `first` on; each has the new direction in the place of one
    /// with a positive weight.
    ConeSplit {
        cell: u32,
        weights: [f64; 3],
        /// The length of the new direction that is covered already.
        length: f64,
        first: u32,
    },
    /// The search ends.
    Done {
        /// Lengths are multiplied by this, a power of two.
        unit: f64,
        /// Translations of this length and more were not searched: the upper bound less the width that was asked for.
        cutoff: f64,
    },
}

/// Keeps all steps.
impl Trace for Vec<CoverStep> {
    fn cover(&mut self, step: CoverStep) {
        self.push(step);
    }
}

/// A node of a tree of cells of directions. Together the leaves prove that no direction has a smaller height than the bound of the search.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // Engines do not allocate, and there is only ever one.
#[cfg_attr(not(feature = "proof"), allow(dead_code, reason = "only evidence reads all of it"))]
pub(crate) enum CellNode {
    /// The cell is split at that longitude: the nodes of the lower part come first, then those of the upper part.
    Longitude(f64),
    /// The cell is split at that latitude, the lower part first.
    Latitude(f64),
    /// The planes of two pieces, through their farthest points along the middle of the cell.
    Plane([usize; 2]),
    /// A circle of latitude, with means of the pieces of both shapes between lines b = m τ + c.
    Strip {
        /// The latitude of the circle.
        at: f64,
        /// Means of pieces, from below to above.
        mixes: Mixes,
        /// The lines between them: m, c.
        lines: Lines,
    },
}

/// Means of pieces: for A and for B two numbers with their weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceMean(pub [[(usize, f64); 2]; 2]);

/// Means of the pieces of a strip.
pub(crate) type Mixes = ArrayVec<PieceMean, 5>;

/// Lines between the means of a strip.
pub(crate) type Lines = ArrayVec<[f64; 2], 4>;

/// Keeps all nodes.
impl Trace for Vec<CellNode> {
    fn cell(&mut self, node: CellNode) {
        self.push(node);
    }
}
