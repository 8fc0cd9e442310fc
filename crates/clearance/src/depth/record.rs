//! What a lower bound rests on, written down while it is found, for whoever wants to check it or write evidence of it.
//!
//! Weights are not kept: whoever checks finds them again, and any that prove enough will do.

use crate::math::Aabb;
use glam::DVec3;

/// A step of the proof of a lower bound. Lengths and axes are those of the search: the frame of A, multiplied by [`DepthCover::unit`].
///
/// **Trees.** After a [`CoverStep::Root`] come the nodes of one tree, numbered from 0 in the order in which they appear as children, and at last
/// its [`CoverStep::End`]. A node is an intersection of half-spaces. The points of a divided node that are in no sum are beyond a facet of
/// the sum that divides it; its children are beyond the planes that are listed, in that order, and each is on the inner side of those before
/// its own. Beyond facets that are not listed, and in children without a number, no points are nearer than [`DepthCover::enough`]. A node
/// that is never divided has points no nearer than the end of its tree says.
///
/// **Boxes.** A box that is [cut](CoverStep::Cut) is its two halves. What else is known of a box is known of all boxes in it.
#[derive(Debug, Clone, PartialEq)]
pub enum CoverStep {
    /// A tree begins: its node 0 is a box, or all of space.
    Root {
        /// The box.
        within: Option<Aabb>,
    },
    /// A node is divided by the sum of two pieces; without children it is done with.
    Divided {
        /// Its number.
        node: u32,
        /// The pieces of A and B; or `u32::MAX` and the number of a box that nothing leads into, in the order of those steps.
        pieces: [u32; 2],
        /// The planes of facets of the sum beyond which it goes on, nearest first: `n·x >= b`.
        beyond: Vec<(DVec3, f64)>,
        /// The child beyond each, if it has points near enough.
        children: Vec<Option<u32>>,
    },
    /// A tree ends.
    End {
        /// No point of its root that is in no sum is nearer.
        bound: f64,
    },
    /// A box has no points nearer than a bound that are not in the sum of two pieces: no facet of it cuts the box, or only far ones do.
    Boxed {
        /// The box.
        within: Aabb,
        /// The pieces of A and B.
        pieces: [u32; 2],
        /// How near its points are.
        bound: f64,
    },
    /// A box that nothing leads into: all of its surface is in sums, or in such boxes that were found before. Only for
    /// [`Scope::Outside`](super::Scope::Outside).
    Void {
        /// The box.
        within: Aabb,
        /// A tree for each of its sides, in which nothing is left open.
        sides: Vec<Vec<CoverStep>>,
    },
    /// A box is cut in two.
    Cut {
        /// The box.
        within: Aabb,
        /// The axis across which it is cut.
        axis: usize,
        /// Where.
        at: f64,
    },
}

/// The proof of a lower bound: all translations shorter than it are in sums of pieces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DepthCover {
    /// Lengths are multiplied by this, a power of two.
    pub unit: f64,
    /// What is as far as this was not looked at: the upper bound, less the width that was asked for.
    pub enough: f64,
    /// The steps.
    pub steps: Vec<CoverStep>,
}
