//! The engines: one query each, about two convex shapes, in the frame of the first.

mod bracket;
pub mod closed_form;
mod closest_points;
pub mod cuboids;
mod cycle;
pub mod depth;
pub mod gilbert;
pub mod gjk;
pub(crate) mod gjk_f32;
pub(crate) mod glance;
pub mod lin_canny;
pub mod meshes;
mod minkowski;
pub mod newton;
mod outcome;
pub mod separating_vector;
pub mod simplex;
pub mod tally;
pub mod triangles;
pub mod vclip;

pub use bracket::Bracket;
pub(crate) use closest_points::ClosestPoints;
pub use minkowski::{Difference, Vertex};
pub use outcome::{Cost, Exit, Outcome};
