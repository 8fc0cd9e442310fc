//! Non-convex bodies as convex pieces, which every convex engine can be asked about.
//!
//! * [`decompose`] makes pieces of a **solid** and says what they are: **inner** ones are proved to be inside, **outer** ones to cover it.
//!   Where the solid is exactly the union of its pieces, as lattice solids, grates and letters are, the two are the same. Pieces are
//!   few, fat and overlapping: a grate is its bars, not its bars cut at their crossings.
//! * [`prove_inner`] and [`prove_outer`] prove that of any pieces, whoever made them. Each has its theorem beside it.
//! * [`surface_patches`] is the convex **surface** decomposition of the penetration-depth paper, corrected.
//! * [`HullTree`] is the hierarchy of convex hulls above pieces of any kind.
//!
//! What the depth of solids makes of them: with `P' ⊆ P` and `Q' ⊆ Q` the depth of P' and Q' is no more than that of P and Q, so inner
//! pieces give lower bounds and outer ones upper bounds.
//!
//! The files: `number.rs` (exact numbers), `space.rs` (planes and their meeting points, exact sides), `cell.rs` (convex cells and
//! polygons cut by planes), `context.rs` (a mesh among them), `cover.rs` (what pieces leave uncovered), `inclusion.rs`; `grow.rs` (one piece),
//! `solid.rs` (all of them), `boxes.rs` (outer pieces of what takes too many); `reflex.rs` (pieces by cutting), `fat.rs` (some of what is too rough for either) and `inner.rs`, which chooses; `surface.rs`, `hierarchy.rs`; `summary.rs` for printing.

mod boxes;
mod cell;
mod context;
mod cover;
mod fat;
mod grow;
mod hierarchy;
mod inclusion;
mod inner;
mod number;
mod reflex;
mod solid;
mod space;
mod summary;
mod surface;

pub use hierarchy::{Children, HullNode, HullTree};
pub use inclusion::{Doubt, Inclusion, MAX_CELLS, prove_inner, prove_outer};
pub(crate) use inner::inner_pieces;
pub use solid::{Budget, Decomposition, decompose};
pub use summary::Summary;
pub use surface::{SurfacePatch, surface_patches};
