//! Convex decomposition of solids: pieces that any convex engine can process.
//!
//! * [`decompose`] covers a **mesh** with pieces. **Inner** pieces are proved to lie inside the solid, **outer** pieces to cover it. **Approximate**
//!   pieces cover the surface of what is no solid. Every covering piece has a proved bound on how far it reaches beyond the mesh. For lattice solids, grates and letters both lists are the same. Pieces are few, fat and overlapping: a grate is its bars, not
//!   its bars cut at their crossings.
//! * [`prove_inner`] and [`prove_outer`] prove these properties of any pieces, whatever produced them. Each states its theorem.
//! * [`surface_patches`] is the convex **surface** decomposition of the penetration-depth paper, corrected.
//! * [`HullTree`] is the hierarchy of convex hulls above pieces of any kind.
//!
//! The penetration depth of solids uses them as bounds. With `P' ⊆ P` and `Q' ⊆ Q`, the depth of P' and Q' is at most that of P and Q.
//! Inner pieces therefore give lower bounds, outer pieces upper bounds.
//!
//! | layer | file |
//! |---|---|
//! | exact numbers | `number.rs` |
//! | planes, their meeting points, exact signs | `space.rs` |
//! | convex cells and polygons cut by planes | `cell.rs` |
//! | a mesh in an exact space | `context.rs` |
//! | the part of a solid that pieces leave uncovered | `cover.rs` |
//! | proofs of inner and outer pieces | `inclusion.rs` |
//! | growth of one piece, of all pieces | `grow.rs`, `solid.rs` |
//! | distance from a mesh and what it encloses, on a grid | `field.rs` |
//! | covers of any mesh by hulls of its parts in boxes | `approximate.rs`, `boxes.rs`, `piece.rs` |
//! | inner pieces by cuts along reflex edges, by separating planes | `reflex.rs`, `fat.rs` |
//! | choice of the method for inner pieces | `inner.rs` |
//! | surface patches, hull hierarchy, printed summary | `surface.rs`, `hierarchy.rs`, `summary.rs` |
//!
//! Invariants:
//! * Every sign that a proof uses is exact: intervals first, exact numbers where an interval contains zero.
//! * `grow.rs`, `reflex.rs` and `fat.rs` only propose pieces. `inclusion.rs` proves each of them, with nothing taken on trust.
//! * Pieces of `approximate.rs` cover by construction; its theorem has the rounding, too.

mod approximate;
mod boxes;
mod cell;
mod context;
mod cover;
mod fat;
mod field;
mod grow;
mod hierarchy;
mod inclusion;
mod inner;
mod number;
mod piece;
mod reflex;
mod solid;
mod space;
mod summary;
mod surface;

pub use approximate::ApproximatePiece;
#[doc(hidden)]
pub use hierarchy::{Children, HullNode, HullTree};
pub use inclusion::{Doubt, Inclusion};
#[doc(hidden)]
pub use inclusion::{MAX_CELLS, prove_inner, prove_outer};
pub(crate) use inner::{inner_pieces, may_be_whole};
pub use solid::{Decomposition, DecompositionBudget, Stage, decompose, decompose_with_progress};
pub use summary::Summary;
pub use surface::{SurfacePatch, surface_patches};
