//! Bounding volume hierarchies: build, and every traversal of the library.
//!
//! A tree knows nothing of its items but their boxes, their numbers and, for distances, their heights. A search brings the rest: it implements
//! [`TreeSearch`] and says what to do with the items of a leaf.
//!
//! | file | content |
//! |---|---|
//! | `wide.rs` | the wide tree: four children to a node, boxes in single precision; its build, support and box queries |
//! | `heights.rs` | heights of the children of a wide node along 66 directions, for distances |
//! | `pairs.rs` | pairs of subtrees of two wide trees, and the step that expands one into 16 |
//! | `frames.rs`, `directions.rs` | bounds of the 16 by their boxes, and by their heights |
//! | `dual.rs` | the two traversals of two wide trees: the closest leaves first, or all leaves that may meet |
//! | `near.rs`, `point.rs`, `ray.rs` | traversals of one wide tree around a convex shape, around a point and along a ray |
//! | `binary.rs`, `gap.rs`, `traverse.rs` | the binary tree of a compound, its bounds and its dual traversal |
//!
//! **Why two trees.** Triangles of a mesh are many and of similar size: boxes in single precision, relative to the middle of the mesh, take 60 bytes a triangle with
//! everything, and four are compared at a time. Parts of a compound are few, and may lie 1e60 apart or differ by 1e75 in size, where single precision has no
//! boxes at all. Their overlap is a signed bound, which needs the least overlap of two boxes in doubles. So compounds keep doubles.
//!
//! **Why other trees are elsewhere.** `motion/parts.rs` has no tree of its own: it expands the nodes of these trees, and boxes of parts, in the order of time.
//! `proof/sets.rs` puts placed parts of several bodies, which share no frame until then, into one binary tree, and needs a direction for each node that the checker can replay, not a
//! bound. `broad` has trees that change in every frame.

mod binary;
mod directions;
mod dual;
mod frames;
mod gap;
mod heights;
mod near;
mod pairs;
mod point;
mod ray;
mod traverse;
mod wide;

pub(crate) use binary::{BoxNode, BoxTree, MOST_LEVELS};
pub(crate) use dual::{
    DualSearch, TreeSearch, VisitLeaves, all_leaves_within, any_leaves, any_leaves_below, closest_first, closest_from,
    pairs_that_may_meet,
};
pub(crate) use frames::{SeparatingPlane, by_axis};
pub(crate) use gap::Gap;
pub(crate) use near::{Around, NearSearch};
pub(crate) use pairs::{SubTreePair, for_each_bit};
pub(crate) use point::{leaf_near_point, nearest_first};
pub(crate) use ray::{TreeRay, along_ray};
pub(crate) use traverse::{Visit, traverse};
pub(crate) use wide::{LEAF, LoneBox, MOST_LEVELS as WIDE_LEVELS, WIDTH, WideNode, WideTree, WideView};
