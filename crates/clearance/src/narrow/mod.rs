//! The engines, in the frame of the first shape: two convex shapes, two surfaces of triangles (`meshes`), and the depth of convex shapes.

mod bracket;
pub mod closed_form;
mod closest_points;
pub mod cuboids;
mod cycle;
pub mod depth;
pub mod gjk;
pub(crate) mod gjk_f32;
pub mod meshes;
mod minkowski;
pub mod newton;
pub(crate) mod newton_step;
mod outcome;
pub(crate) mod scaled;
pub mod separating_vector;
pub mod simplex;
pub mod tally;
pub mod triangles;
pub mod vclip;

pub use bracket::Bracket;
pub(crate) use bracket::goals;
#[doc(hidden)]
pub use closest_points::ClosestPoints;
#[doc(hidden)]
pub use cycle::Cycle;
pub use minkowski::{Difference, Vertex};
#[doc(hidden)]
pub use outcome::Apart;
pub use outcome::{Cost, Exit, Outcome};
